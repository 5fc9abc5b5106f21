r"""Advice on the commonest syntax errors: what the author of a text that is not TLA+ may have meant.

Advice is added to an error message and decides nothing. It is based on the words around the error, in the same unit of
the module. A unit begins at the start of a line.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

#: The names of other languages, and what they are called here.
INSTEAD = {
    ":=": "an assignment of PlusCal; an action of TLA+ has x' = ...",
    "&&": r"TLA+ writes /\ for and",
    "||": r"TLA+ writes \/ for or",
    "//": r"a comment begins with \* and ends with the line",
    "true": "TLA+ writes TRUE",
    "false": "TLA+ writes FALSE",
    "and": r"TLA+ writes /\ for and",
    "or": r"TLA+ writes \/ for or",
    "not": "TLA+ writes ~ for not",
}
_TOKEN = re.compile(r'"[^"\n]*"?|[A-Za-z_]\w*|<<|>>(?:_\w+)?|[=!+*/:-]?=+|[][(){}]|\S')
_UNIT = re.compile(
    r"^(?:[A-Za-z]\w*(?:\([^)\n]*\)|\[[^]\n]*\])?\s*==(?!=)|(?:VARIABLE|CONSTANT|ASSUME|THEOREM)|-{4,}|={4,})",
    re.MULTILINE,
)
_DECLARES = ("VARIABLE", "VARIABLES", "CONSTANT", "CONSTANTS")
_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "<<": ">>", "IF": "ELSE", "LET": "IN"}
_ASSIGNS = re.compile(r"[+*/-]=")


class _Word(NamedTuple):
    text: str
    start: int
    line: int


def advice(text: str, at: int) -> str:
    r"""How to repair a syntax error, as the end of a sentence; empty if it is not a common mistake.

    Args:
        text: A module without its comments.
        at: The offset of the first character that does not fit.

    Examples:
        >>> module = "---- MODULE M ----\nVARIABLE x\nInit == x == 0\n===="
        >>> advice(module, module.rindex("= 0"))
        '; == defines a name, and = compares'
    """
    guess = next(filter(None, _guesses(text, at)), "")
    return f"; {guess}" if guess else ""


def _guesses(text: str, at: int) -> Iterator[str]:
    """Guesses, the surest one first."""
    if not re.search(r"^={4,}", text, re.MULTILINE):
        yield "the module does not end: the line ==== is missing"
    words = list(_words_of_unit(text, at))
    here = next((number for number, word in enumerate(words) if word.start + len(word.text) > at), len(words))
    near = {word.text for word in words[max(0, here - 1) : here + 2]}
    if "!=" in near:
        yield "TLA+ writes # or /= for unequal"
    if "'" in near and re.search(r"'\w*'", text[max(0, at - 1) : at + 80].partition("\n")[0]):
        yield 'strings stand in double quotes, "a"'
    if assigned := next((word for word in near if _ASSIGNS.fullmatch(word)), None):
        yield f"TLA+ has no {assigned}; an action has x' = x {assigned[0]} 1"
    if "!" in near:
        yield "TLA+ writes ~ for not"
    if words and words[0].text in _DECLARES and _lacks_comma(words[1:]):
        yield "names are separated by commas"
    if here < len(words) and re.match(r"[A-Za-z_]\w*(\([^)\n]*\)|\[[^]\n]*\])?[ \t]*=[^=>]", text[words[here].start :]):
        yield f"a definition has ==: {words[here].text} == ..."
    if (opened := _unclosed(words)) is not None:
        missing = "has no" if opened.text.isalpha() else "is not closed by"
        yield f"the {opened.text} in line {opened.line} {missing} {_CLOSED_BY[opened.text]}"
    if any(word.text == "==" for word in words[1:]) and "==" in near:
        yield "== defines a name, and = compares"


def _words_of_unit(text: str, at: int) -> Iterator[_Word]:
    """The words of the definition, or declaration, in which an offset lies."""
    begins = [match.start() for match in _UNIT.finditer(text)]
    start = max((begin for begin in begins if begin <= at), default=0)
    end = min((begin for begin in begins if begin > at), default=len(text))
    for match in _TOKEN.finditer(text, start, end):
        yield _Word(match[0], match.start(), text.count("\n", 0, match.start()) + 1)


def _lacks_comma(words: list[_Word]) -> bool:
    return any(one.text.isidentifier() and other.text.isidentifier() for one, other in pairwise(words))


def _unclosed(words: list[_Word]) -> _Word | None:
    """The innermost bracket, IF or LET that nothing closes."""
    opened = list[_Word]()
    for word in words:
        if word.text in _CLOSED_BY:
            opened.append(word)
        elif opened and (
            word.text == _CLOSED_BY[opened[-1].text] or (word.text.startswith(">>") and opened[-1].text == "<<")
        ):
            opened.pop()
    return opened[-1] if opened else None
