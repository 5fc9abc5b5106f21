"""State graphs as plain data: nodes, edges, what is marked on them, and what was left out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from workbench.kernel import Machine, Result, Trace
from workbench.kernel.meaning.result import constraints_of
from workbench.kernel.meaning.translation import stale_lines
from workbench.kernel.meaning.values import counted
from workbench.registry.programs import needs
from workbench.showing import pictures
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import Figure, noted
from workbench.showing.view.base.nodes import Edge, Node
from workbench.showing.view.graph import dot
from workbench.showing.view.trace.trace import packed

if TYPE_CHECKING:
    import graphviz

#: The default for the most edges in a picture.
MOST_EDGES = 300
#: The most states that are shown as pictures.
MOST_PICTURES = 24

#: At how many nodes of a graph the pictures of their states appear at most, and how long these may be, packed.
MOST_SHOWN, MOST_PACKED = 200, 200_000

#: The marks that a node or an edge may have.
INITIAL, VIOLATING, TRACE, FOCUS, LOOP = "initial", "violating", "trace", "focus", "loop"


class Lens(Protocol):
    """A variable that states are seen through, such as :class:`workbench.checking.spaces.cube.Lens`."""

    @property
    def name(self) -> str: ...
    @property
    def values(self) -> tuple[str, ...]: ...
    @property
    def gain(self) -> float: ...
    @property
    def is_read(self) -> bool: ...


class Cube(Protocol):
    """Counts of states by depth and lenses, such as :class:`workbench.checking.spaces.cube.Cube`."""

    @property
    def fault(self) -> str | None: ...
    @property
    def lenses(self) -> Sequence[Lens]: ...
    @property
    def others(self) -> Sequence[Lens]: ...
    @property
    def levels(self) -> np.ndarray: ...
    @property
    def columns(self) -> Sequence[np.ndarray]: ...
    @property
    def counts(self) -> np.ndarray: ...
    @property
    def wrong(self) -> np.ndarray: ...
    @property
    def samples(self) -> np.ndarray: ...
    @property
    def tuples(self) -> np.ndarray: ...


class Space(Protocol):
    """A state space in memory, such as :class:`workbench.checking.spaces.space.StateSpace`."""

    model: Machine
    result: Result

    @property
    def rows(self) -> np.ndarray: ...
    @property
    def values(self) -> list[list[Any]]: ...
    @property
    def levels(self) -> np.ndarray: ...
    @property
    def sources(self) -> np.ndarray: ...
    @property
    def targets(self) -> np.ndarray: ...
    @property
    def steps(self) -> np.ndarray: ...
    @property
    def instances(self) -> np.ndarray: ...
    def __len__(self) -> int: ...
    def state(self, number: int) -> Any: ...
    def label(self, transition: int) -> str: ...
    def holds(self, name: str) -> np.ndarray: ...
    def rows_of(self, numbers: np.ndarray) -> np.ndarray: ...
    def number_of(self, state: Any) -> int | None: ...
    def trace_to(self, number: int) -> Trace: ...
    def cube(self, fault: str | None = None) -> Cube: ...


def violations(space: Space) -> dict[str, np.ndarray]:
    """For each violated invariant, whether it is false in each state."""
    names = [verdict.name for verdict in space.result.violated if verdict.kind == "invariant"]
    return {name: ~space.holds(name) for name in names}


def notes_on(space: Space) -> Iterable[str]:
    """Notes on a space: what its states stand for, and which states are missing."""
    if space.result.symmetry:
        names = ", ".join(space.result.symmetry)
        yield f"A state represents all that differ from it only in which of {names} is which"
    if not space.result.complete:
        yield f"These are the first {counted(len(space), 'state')} of a search that was not completed"
    if space.result.outside:
        yield f"what lies outside {constraints_of(space.model)} is not drawn, nor are the steps that lead there"
    yield from map(str, stale_lines(space.result.translation))


def packed_pictures(ids: Sequence[str], draw: Callable[[str], pictures.Picture]) -> tuple[str | None, list[str]]:
    """The pictures of states, packed, and a note if there was no room for the last ones."""
    drawn = {id: draw(id).svg_with(f"peek-{id}-") for id in ids[:MOST_SHOWN]}
    shown = packed(drawn)
    while len(shown) > MOST_PACKED:
        drawn = dict(list(drawn.items())[: len(drawn) * MOST_PACKED // (len(shown) + len(shown) // 10)])
        shown = packed(drawn)
    note = f"Pictures appear at {len(drawn):,} of {counted(len(ids), 'state')}"
    return (shown if drawn else None), ([note] if len(drawn) < len(ids) else [])


@dataclass(frozen=True, repr=False)
class StateGraph(Figure):
    """A graph to look at.

    Attributes:
        notes: Notes on what was left out.
        draw: Gives the picture of a node's state. In HTML it appears when one points at the node.
        clickable: Whether a click on a node sends its identifier, which takes a panel.
    """

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    notes: tuple[str, ...] = ()
    draw: Callable[[str], pictures.Picture] | None = field(default=None, compare=False)
    clickable: bool = False

    def digraph(self) -> "graphviz.Digraph":
        """The graph as an object of Python's graphviz package, without the pictures of states.

        Raises:
            InputError: If that package or Graphviz's program is not installed.
        """
        needs("lab", "a Digraph", "graphviz")
        import graphviz

        dot.need_program()  # the package itself would fail only when the graph is shown, in many lines
        nodes = [replace(node, picture=None) for node in self.nodes]
        return graphviz.Digraph(body=[f"{line}\n" for line in dot.statements(nodes, self.edges)])

    @cached_property
    def _svg(self) -> Markup:
        return dot.render(self.title, self.nodes, self.edges, self.clickable)

    def svg(self) -> Markup:
        return self._svg

    def html(self) -> Markup:
        """The graph at its natural size. A wide graph is scrolled: scaled down, it would be illegible."""
        shown, more = self._pictures()
        drawn = element("div", self.svg(), class_="wb-graph wb-scroll", data_pictures=shown)
        return element("figure", element("figcaption", self.title), drawn, *map(noted, (*self.notes, *more)))

    def _pictures(self) -> tuple[str | None, list[str]]:
        """The pictures of the states, packed, and a note on those that are left out.

        If there is no room for all, states of a trace have priority, then those drawn first.
        """
        if self.draw is None:
            return None, []
        bare = [node for node in self.nodes if node.picture is None]
        return packed_pictures([node.id for node in sorted(bare, key=lambda node: TRACE not in node.marks)], self.draw)

    def text(self) -> str:
        lines = [f"{self.title}: {counted(len(self.nodes), 'node')}, {counted(len(self.edges), 'edge')}"]
        return "\n".join(lines + [f"note: {note}" for note in self.notes])

    def as_dict(self) -> dict[str, Any]:
        """Everything as lists, dictionaries and texts."""
        return {
            "title": self.title,
            "nodes": [node.as_dict() for node in self.nodes],
            "edges": [{**vars(edge), "labels": list(edge.labels), "marks": sorted(edge.marks)} for edge in self.edges],
            "notes": list(self.notes),
        }


@dataclass
class GraphDraft:
    """A graph under construction: nodes by identifier, and labels of the edges between two nodes."""

    nodes: dict[str, Node] = field(default_factory=dict)
    labels: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    marked: set[tuple[str, str]] = field(default_factory=set)
    mark: frozenset[str] = frozenset({TRACE})

    def connect(self, source: str, target: str, label: str) -> None:
        labels = self.labels.setdefault((source, target), [])
        if label not in labels:
            labels.append(label)

    def finish(self, title: str, notes: Iterable[str], draw: Callable[[str], pictures.Picture]) -> StateGraph:
        edges = [
            Edge(*ends, tuple(labels), self.mark if ends in self.marked else frozenset(), len(labels))
            for ends, labels in self.labels.items()
        ]
        return StateGraph(title, tuple(self.nodes.values()), tuple(edges), tuple(notes), draw)
