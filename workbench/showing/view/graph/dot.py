"""State graphs drawn by Graphviz: as SVG whose texts stay texts and whose states show on hovering."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from xml.etree import ElementTree

from workbench.formats import dot
from workbench.kernel import InputError
from workbench.registry.programs import to_install
from workbench.showing.pictures import Picture
from workbench.showing.pictures.letters import FONT
from workbench.showing.pictures.markup import SVG, Markup, element, inside, rewritten
from workbench.showing.view.base.difference import brief
from workbench.showing.view.base.html import MIDDLE, PURPLE, SKY, VERMILLION, clip
from workbench.showing.view.base.nodes import Edge, Node

#: Graphviz does not accept ``currentColor``: this unlikely colour takes its place until the SVG is made.
_CURRENT = "#010203"
_FONT = "Helvetica,Arial,sans-serif"
_INK = "#10222e"
_LONGEST_LABEL = 44
_MOST_LABELS = 4
#: Points per pixel; the width of a picture at most, and its margin, in points.
_POINTS, _WIDEST, _FRAME = 0.75, 320, 7
#: In Graphviz's paths.
_NUMBER = re.compile(r"-?[\d.]+")


def statements(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[str]:
    """The graph in Graphviz's language, without the surrounding braces."""
    plain = all(len(node.label) <= 4 and node.picture is None for node in nodes)
    everywhere = {
        "graph": {"bgcolor": "transparent", "rankdir": "TB", "nodesep": "0.25", "ranksep": "0.4", "margin": "0.05"},
        "node": {
            "fontname": _FONT,
            "fontsize": "11",
            "fontcolor": _INK,
            "style": "filled,rounded",
            "shape": "circle" if plain else "box",
            "margin": "0.03" if plain else "0.12,0.06",
            "width": "0.3" if plain else "0.5",
            "height": "0.3",
        },
        "edge": {"fontname": _FONT, "fontsize": "10", "fontcolor": _CURRENT, "color": MIDDLE, "arrowsize": "0.6"},
    }
    lines = [dot.statement(kind, looks) for kind, looks in everywhere.items()]
    for node in nodes:
        looks = {"label": node.label, **_node_style(node, plain), **_room(node)}
        lines.append(dot.statement(dot.node(node.id), looks))
    first = "; ".join(dot.node(node.id) for node in nodes if "initial" in node.marks)
    lines.append(f"{{ rank=min; {first} }}" if first else "")
    for edge in edges:
        looks = {"label": _edge_label(edge), **_edge_style(edge)}
        lines.append(dot.statement(dot.edge(edge.source, edge.target), looks))
    return [*lines, ""]


def need_program() -> None:
    """Raise an InputError if Graphviz's program is not installed."""
    if shutil.which("dot") is None:
        raise InputError(f"state graphs need Graphviz's dot, which is not installed; {to_install('dot')}")


def render(title: str, nodes: Sequence[Node], edges: Sequence[Edge], clickable: bool = False) -> Markup:
    """The graph as SVG; a click on a node sends its identifier, if it is `clickable`.

    Raises:
        InputError: If Graphviz's program is not installed.
    """
    need_program()
    text = "\n".join(["digraph {", *statements(nodes, edges), "}"]).encode()
    svg = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, check=True).stdout
    return _dress(title, nodes, edges, clickable, ElementTree.fromstring(svg))


def _node_style(node: Node, plain: bool) -> dict[str, str]:
    marks = node.marks
    fill = "#f3c6a8" if "violating" in marks else "#bfe0f6" if "trace" in marks else "#eceff1"
    style = {"fillcolor": fill, "color": "#8a9299", "penwidth": "1"}
    if "trace" in marks:
        style |= {"color": SKY, "penwidth": "2"}
    if "loop" in marks:
        style |= {"color": PURPLE, "penwidth": "2.5"}
    if "violating" in marks:
        style |= {"color": VERMILLION, "penwidth": "2.5"}
    if "focus" in marks:
        style |= {"color": _CURRENT, "penwidth": "3"}
    if "initial" in marks:
        style |= {"peripheries": "2"}
    if not node.label.strip() and plain:
        style |= {"width": "0.14", "height": "0.14", "fixedsize": "true"}
    return style


def _scale(picture: Picture) -> float:
    """The factor from the picture's pixels to points; a wide picture is made smaller."""
    return min(_POINTS, _WIDEST / picture.size[0])


def _room(node: Node) -> dict[str, str]:
    """A placeholder that reserves room for the node's picture."""
    if node.picture is None:
        return {}
    wide, tall = ((side * _scale(node.picture) + 2 * _FRAME) / 72 for side in node.picture.size)
    return {"label": "", "fixedsize": "true", "width": f"{wide:.2f}", "height": f"{tall:.2f}"}


def _hung(node: Node, picture: Picture, drawn: ElementTree.Element) -> Markup:
    """Place a node's picture in the drawing. Nodes are light on every page, and so are their pictures."""
    numbers = [float(n) for path in drawn.iter(f"{SVG}path") for n in _NUMBER.findall(path.get("d", ""))]
    x, y = (min(along) + max(along) for along in (numbers[::2], numbers[1::2]))  # twice the middle
    scale = _scale(picture)
    left, top = x / 2 - picture.size[0] * scale / 2, y / 2 - picture.size[1] * scale / 2
    place = f"translate({left:.1f} {top:.1f}) scale({scale:.3f})"
    content = picture.content(f"state-{node.id}-")
    return element(
        "g", content, transform=place, font_family=FONT, data_picture=picture.model, style="color-scheme:light"
    )


def _edge_label(edge: Edge) -> str:
    labels = [f" {clip(brief(label), _LONGEST_LABEL)} " for label in edge.labels]
    more = len(labels) - _MOST_LABELS
    return "\n".join(labels if more <= 0 else [*labels[:_MOST_LABELS], f" and {more} more "])


def _edge_style(edge: Edge) -> dict[str, str]:
    if "trace" in edge.marks:
        return {"color": SKY, "penwidth": "2.5", "weight": "8"}
    return {}


def _dress(
    title: str, nodes: Sequence[Node], edges: Sequence[Edge], clickable: bool, drawn: ElementTree.Element
) -> Markup:
    """Give the SVG its texts to show on hovering, and let it take the page's colour and width."""
    by_name = {node.id: node for node in nodes}
    tooltips = {node.id: node.tooltip for node in nodes}
    tooltips |= {f"{edge.source}->{edge.target}": "\n".join(edge.labels) for edge in edges}

    def dressed(part: ElementTree.Element) -> Markup:
        if part.tag == f"{SVG}title":
            return element("title", tooltips.get(part.text or "", title))
        more: list[Markup] = []
        attributes = {name: "currentColor" for name, value in part.items() if value == _CURRENT}
        if part.get("class") == "node":
            node = by_name[part.findtext(f"{SVG}title", "")]
            attributes |= {"data-node": node.id, "data-marks": " ".join(sorted(node.marks))}
            attributes |= {"data-send": node.id} if clickable else {}
            more += [] if node.picture is None else [_hung(node, node.picture, part)]
        return rewritten(part, dressed, *more, **attributes)

    return element(
        "svg",
        inside(drawn, dressed),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=drawn.get("viewBox"),
        width=round(float(drawn.attrib["width"].removesuffix("pt")) * 4 / 3),
        role="img",
        aria_label=title,
        color=MIDDLE,
    )
