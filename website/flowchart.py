"""Draws the Mermaid flowcharts of pages with Graphviz: the site loads no foreign scripts."""

import re
import subprocess

from workbench.kernel import InputError
from workbench.showing.pictures.markup import Markup, element

_ARROWS = {"-->": "solid", "-.->": "dashed"}
_ARROW = re.compile(r"\s+(-->|-\.->)\s+")
_NODE = re.compile(r'(?P<name>\w+)(\[\("(?P<label>[^"]*)"\)\])?')


def as_dot(text: str) -> str:
    r"""A flowchart in Graphviz's language.

    Raises:
        InputError: For a line that is something else than nodes, joined by arrows and ``&``.

    Examples:
        >>> print(as_dot('flowchart LR\n    a & b --> c -.-> S[("a store")]'))
        digraph {
        rankdir=LR; node [shape=box, style=rounded, fontname="sans-serif", fontsize=12]; bgcolor=transparent;
        S [label="a store", shape=cylinder, style=""];
        a -> c [style=solid];
        b -> c [style=solid];
        c -> S [style=dashed];
        }
    """
    head, *lines = text.strip().splitlines()
    kind, _, direction = head.partition(" ")
    if kind != "flowchart":
        raise InputError(f"diagram {head!r} is not accepted; it takes a flowchart")
    labels: dict[str, str] = {}
    edges = []
    for line in lines:
        first, *rest = _ARROW.split(line.strip())
        before = _nodes(first, labels)
        for arrow, after in zip(rest[::2], rest[1::2], strict=True):
            nodes = _nodes(after, labels)
            edges += [f"{one} -> {other} [style={_ARROWS[arrow]}];" for one in before for other in nodes]
            before = nodes
    shown = [f'{name} [label="{label}", shape=cylinder, style=""];' for name, label in labels.items()]
    node = 'node [shape=box, style=rounded, fontname="sans-serif", fontsize=12]'
    return "\n".join(["digraph {", f"rankdir={direction}; {node}; bgcolor=transparent;", *shown, *edges, "}"])


def _nodes(text: str, labels: dict[str, str]) -> list[str]:
    names = []
    for part in text.split("&"):
        node = _NODE.fullmatch(part.strip())
        if node is None:
            raise InputError(
                f"part {part.strip()!r} of a flowchart is not accepted; it takes a name, or a store's label"
            )
        names.append(node["name"])
        if node["label"] is not None:
            labels[node["name"]] = node["label"]
    return names


def drawn(text: str) -> str:
    """A flowchart as inline SVG, in the colours of the page."""
    done = subprocess.run(["dot", "-Tsvg"], input=as_dot(text), capture_output=True, text=True, check=True)
    svg = done.stdout[done.stdout.index("<svg") :].replace('"black"', '"currentColor"')
    svg = re.sub(r"<title>[^<]*</title>\n?|<!--.*?-->\n?", "", svg).replace("<text ", '<text fill="currentColor" ')
    return element("div", Markup(svg), class_="flowchart")
