"""Numbers and strings as they stand in a module."""

import re

#: TLC's integers have 32 bits.
SMALLEST, LARGEST = -(2**31), 2**31 - 1

_MEANINGS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = str.maketrans({'"': '\\"', "\\": "\\\\", **{char: f"\\{letter}" for letter, char in _MEANINGS.items()}})


def unquoted(literal: str) -> str:
    """The characters of a string literal."""
    return _ESCAPE.sub(lambda match: _MEANINGS.get(match[1], match[1]), literal[1:-1])


def quoted(characters: str) -> str:
    r"""The literal of a string.

    Examples:
        >>> print(quoted('a "b"'))
        "a \"b\""
    """
    return f'"{characters.translate(_ESCAPED)}"'
