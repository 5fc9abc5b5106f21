"""A whole state graph, which a page draws by itself on a canvas (``states.js``): every state, and every step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.kernel import Trace
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures import Picture, faults, picture
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.view.base.html import Drawn, Rendered, noted
from workbench.showing.view.graph.graph import Space, notes_on, packed_pictures, violations
from workbench.showing.view.graph.layered import layered
from workbench.showing.view.trace.trace import packed

#: The most states of a graph that is drawn whole. More of them are a blot, and slow to move.
MOST_STATES = 5_000


@dataclass(frozen=True, repr=False)
class WholeGraph(Drawn):
    """All states and steps of a space, to look at in a page that runs scripts.

    Attributes:
        title: With the counts of states and steps.
        notes: What the states stand for, and which states are missing.
        data: What the page draws:

            - ``levels``: the number of states in each breadth-first level; states are numbered level by level;
            - ``order``: the states, layer by layer, as they stand in it (:func:`layered`);
            - ``sources``, ``targets``, ``steps``: the ends of each step, and which of the ``labels`` it has;
            - ``violated``: the states in which each violated invariant is false, by its name;
            - ``path``: the states of the trace, and ``loop``, the position of the one it returns to, or None;
            - ``variables``: each with its ``name``, its ``values`` as texts, and which of them each state has (``of``).
        draw: Gives the picture of a state.
        asks: Whether the page can ask a kernel for pictures; otherwise it contains as many as fit.
    """

    title: str
    notes: tuple[str, ...]
    data: dict[str, Any] = field(compare=False)
    draw: Callable[[int], Picture] = field(compare=False)
    asks: bool = False

    def __len__(self) -> int:
        return len(self.data["order"])

    def html(self) -> Markup:
        shown, more = (None, []) if self.asks else self._pictures()
        return element(
            "figure",
            element("figcaption", self.title),
            *map(noted, (*self.notes, *more)),
            element("p", "The graph appears where scripts may run.", class_="wb-note wb-without"),
            class_="wb-whole",
            data_graph=packed(self.data),
            data_pictures=shown,
        )

    def _pictures(self) -> tuple[str | None, list[str]]:
        first = dict.fromkeys([*self.data["path"], *range(len(self))])
        return packed_pictures(list(map(str, first)), lambda id: self.draw(int(id)))

    def text(self) -> str:
        return "\n".join([self.title, *(f"note: {note}" for note in self.notes)])


def whole_graph(space: Space, *, trace: Trace | None = None) -> Drawn:
    """The whole graph of a space of up to 5,000 states; for a larger space, a line that says what else can be drawn.

    Args:
        trace: A behaviour to light up; by default, that of the first violated property.
    """
    if (refusal := too_large(len(space))) is not None:
        return Rendered(noted(refusal), refusal)
    trace = trace or next((verdict.trace for verdict in space.result.violated if verdict.trace is not None), None)
    path, missing = path_of(space, trace)
    labels, steps = _labels(space)
    data = {
        "levels": np.unique(space.levels, return_counts=True)[1].tolist(),
        "order": layered(space.levels, space.sources, space.targets, path).tolist(),
        "sources": space.sources.tolist(),
        "targets": space.targets.tolist(),
        "labels": labels,
        "steps": steps,
        "violated": {name: np.flatnonzero(wrong).tolist() for name, wrong in violations(space).items()},
        "path": path,
        "loop": None if trace is None or missing else trace.loop,
        "variables": variables_of(space, space.rows),
    }
    title = f"{space.model.name}: {counted(len(space), 'state')}, {counted(len(space.sources), 'step')}"
    return WholeGraph(title, (*missing, *notes_on(space)), data, lambda number: _picture(space, number))


def too_large(states: int) -> str | None:
    """Why a graph of so many states is not drawn whole, and what is drawn instead; None if it is."""
    if states <= MOST_STATES:
        return None
    return (
        f"A graph of {counted(states, 'state')} is not drawn whole; that takes at most {MOST_STATES:,}. A density "
        "counts them all, and a projection draws them seen through some variables."
    )


def _picture(space: Space, number: int) -> Picture:
    state = space.state(number)
    return picture(space.model, state, at_fault=faults(space.model, state))


def path_of(space: Space, trace: Trace | None) -> tuple[list[int], list[str]]:
    """The numbers of a trace's states; none, and a note, if one of them is not in the space."""
    numbers = [] if trace is None else [space.number_of(state) for state in trace.states]
    path = [number for number in numbers if number is not None]
    if len(path) < len(numbers):
        return [], ["The trace is not shown, since it leaves these states"]
    return path, []


def _labels(space: Space) -> tuple[list[str], list[int]]:
    """The distinct labels of steps, and the index of each step's label. Only one step of each kind is rendered."""
    _, examples, kinds = np.unique(space.steps, return_index=True, return_inverse=True)
    return _numbered([space.label(int(example)) for example in examples], kinds)


def variables_of(space: Space, rows: np.ndarray) -> list[dict[str, Any]]:
    """For each cell its name, its distinct values as texts, and the index of the value in each of the states `rows`."""
    variables = []
    for shown in space.model.layout.shown:
        parts = rows[:, shown.first : shown.first + len(shown.numbers)]
        different, kinds = np.unique(parts, axis=0, return_inverse=True)
        contents = [
            {cell: space.values[cell][number] for cell, number in zip(shown.numbers, numbers, strict=True)}
            for numbers in different.tolist()
        ]
        texts = [space.model.layout.notation.show(shown.value(row)) for row in contents]
        values, of = _numbered(texts, kinds.reshape(-1))
        variables.append({"name": str(shown.cell), "values": values, "of": of})
    return variables


def _numbered(texts: Sequence[str], kinds: np.ndarray) -> tuple[list[str], list[int]]:
    """The distinct texts, and for each of the `kinds` the index of ``texts[kind]`` among them."""
    different = list(dict.fromkeys(texts))
    places = np.array([different.index(text) for text in texts], int)
    return different, places[kinds].tolist()
