"""State graphs for other tools: DOT in the shape of TLC's ``-dump dot,actionlabels``, GraphML, and CSV tables."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple, TextIO
from xml.sax.saxutils import escape, quoteattr

from workbench.formats import dot
from workbench.formats.spreadsheet import harmless
from workbench.formats.tla import conjunction
from workbench.kernel import State
from workbench.kernel.meaning.state import texts_of
from workbench.kernel.meaning.text import printable, printable_lines


class GraphNode(NamedTuple):
    """A state of the graph. The label is the state itself; or a text, if that is all that is known."""

    id: int | str
    label: State | str
    initial: bool = False


class GraphEdge(NamedTuple):
    """A step: the states' ids, and the action."""

    source: int | str
    target: int | str
    action: str


def write_dot(out: TextIO, nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> None:
    """Write a graph as TLC does: boxes with a conjunct per variable, initial states filled, levels in rows.

    Graphviz draws only one edge between two states, since TLC declares its graph ``strict``.
    """
    nodes, edges = list(nodes), list(edges)
    out.write("strict digraph DiskGraph {\nnode [shape=box,style=rounded]\nnodesep=0.35;\n")
    out.write('subgraph cluster_graph {\ncolor="white";\n')
    for node in nodes:
        text = conjunction(node.label) if isinstance(node.label, State) else node.label
        if node.initial:
            out.write(f"{dot.node(node.id)} [label={dot.label(text)},style = filled]\n")
        else:
            out.write(dot.statement(dot.node(node.id), {"label": text, "tooltip": text}) + "\n")
    for edge in edges:
        looks = {"label": edge.action, "color": "black", "fontcolor": "black"}
        out.write(dot.statement(dot.edge(edge.source, edge.target), looks) + "\n")
    for level in _levels(nodes, edges):
        out.write("{rank = same; " + "".join(f"{dot.node(node)};" for node in level) + "}\n")
    out.write("}\n}\n")


def _levels(nodes: list[GraphNode], edges: list[GraphEdge]) -> list[list[int | str]]:
    """The nodes by distance from the initial ones; unreachable nodes are in no level."""
    successors: dict[int | str, list[int | str]] = {}
    for edge in edges:
        successors.setdefault(edge.source, []).append(edge.target)
    distance: dict[int | str, int] = {node.id: 0 for node in nodes if node.initial}
    queue, levels = deque(distance), list[list[int | str]]()
    while queue:
        node = queue.popleft()
        if distance[node] == len(levels):
            levels.append([])
        levels[distance[node]].append(node)
        for successor in successors.get(node, ()):
            if successor not in distance:
                distance[successor] = distance[node] + 1
                queue.append(successor)
    return levels


def write_graphml(out: BinaryIO, nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> None:
    """Write a graph as GraphML, for Gephi, networkx, yEd and others.

    A node has ``label``, ``initial`` and, if its state is known, a text attribute per cell; an edge has ``label``.
    """

    def write(line: str) -> None:
        out.write(f"{line}\n".encode())

    def data(key: str, text: str) -> str:
        return f'<data key="{key}">{escape(text)}</data>'

    rows = _rows(nodes)
    _, _, _, *cells = next(rows)
    keys = [f"n{at}" for at in range(2 + len(cells))]
    write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    write('<key id="label" for="edge" attr.name="label" attr.type="string"/>')
    for key, name in zip(keys, ("label", "initial", *cells), strict=True):
        kind = "boolean" if key == "n1" else "string"
        write(f'<key id="{key}" for="node" attr.name={quoteattr(name)} attr.type="{kind}"/>')
    write('<graph edgedefault="directed">')
    for identifier, *values in rows:
        write(f"<node id={quoteattr(identifier)}>{''.join(map(data, keys, values))}</node>")
    for number, edge in enumerate(edges):
        source, target, label = _texts(edge)
        ends = f"source={quoteattr(source)} target={quoteattr(target)}"
        write(f'<edge id="e{number}" {ends}>{data("label", label)}</edge>')
    write("</graph>\n</graphml>")


def write_tables(nodes_out: TextIO, edges_out: TextIO, nodes: Iterable[GraphNode], edges: Iterable[GraphEdge]) -> None:
    """Write a graph as two CSV tables, with the column names that Gephi looks for.

    Nodes: Id, Label, Initial and, if states are known, a column per cell. Edges: Source, Target, Type, Label. An
    apostrophe precedes any text that a spreadsheet would take for a formula.
    """
    csv.writer(nodes_out, lineterminator="\n").writerows(map(harmless, _rows(nodes)))
    writer = csv.writer(edges_out, lineterminator="\n")
    writer.writerow(["Source", "Target", "Type", "Label"])
    for edge in edges:
        source, target, label = _texts(edge)
        writer.writerow(harmless([source, target, "Directed", label]))


def _texts(edge: GraphEdge) -> tuple[str, str, str]:
    return printable(str(edge.source)), printable(str(edge.target)), printable_lines(edge.action)


def _rows(nodes: Iterable[GraphNode]) -> Iterator[list[str]]:
    """The column names, with the cells of the first node, then a row per node."""
    columns = None
    for node in nodes:
        cells = texts_of(node.label) if isinstance(node.label, State) else {}
        if columns is None:
            columns = ["Id", "Label", "Initial", *cells]
            yield columns
        label = str(node.id) if isinstance(node.label, State) else node.label
        yield [printable(str(node.id)), printable_lines(label), "true" if node.initial else "false", *cells.values()]
    if columns is None:
        yield ["Id", "Label", "Initial"]
