"""DOT, Graphviz's language: the statements that graphs are written with."""

import re
from collections.abc import Mapping

from workbench.kernel.text import printable_lines


def quote(text: str) -> str:
    """`text`, which may have several lines, as Graphviz reads it: control characters are written as escapes."""
    return '"' + printable_lines(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def label(text: str) -> str:
    """`text` as Graphviz shows it: what looks like an entity of HTML would be read as one."""
    return quote(re.sub(r"&(?=#?\w+;)", "&amp;", text))


def node(identifier: int | str) -> str:
    return str(identifier) if isinstance(identifier, int) else quote(identifier)


def edge(source: int | str, target: int | str) -> str:
    return f"{node(source)} -> {node(target)}"


def statement(subject: str, attributes: Mapping[str, str]) -> str:
    r"""What `subject` looks like: a node, an edge, or ``graph``, ``node`` or ``edge`` for all of them.

    Examples:
        >>> statement(edge("a", 2), {"label": 'say "go"', "color": "black"})
        '"a" -> 2 [label="say \\"go\\"",color="black"];'
    """
    return f"{subject} [{','.join(f'{name}={label(value)}' for name, value in attributes.items())}];"
