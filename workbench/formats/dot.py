"""Statements of DOT, Graphviz's language."""

import re
from collections.abc import Mapping

from workbench.kernel.meaning.text import printable_lines


def quote(text: str) -> str:
    """`text`, possibly of several lines, as a quoted string; control characters become escapes."""
    return '"' + printable_lines(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def label(text: str) -> str:
    """`text` as a label, with anything that looks like an HTML entity escaped."""
    return quote(re.sub(r"&(?=#?\w+;)", "&amp;", text))


def node(identifier: int | str) -> str:
    return str(identifier) if isinstance(identifier, int) else quote(identifier)


def edge(source: int | str, target: int | str) -> str:
    return f"{node(source)} -> {node(target)}"


def statement(subject: str, attributes: Mapping[str, str]) -> str:
    r"""The statement that sets attributes of `subject`: a node, an edge, or ``graph``, ``node`` or ``edge`` for all.

    Examples:
        >>> statement(edge("a", 2), {"label": 'say "go"', "color": "black"})
        '"a" -> 2 [label="say \\"go\\"",color="black"];'
    """
    return f"{subject} [{','.join(f'{name}={label(value)}' for name, value in attributes.items())}];"
