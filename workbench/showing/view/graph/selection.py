"""The choice of states to draw: all, those around one, a trace with its alternatives, or a projection.

More than a few hundred edges help nobody, so each function has a bound, and the graph notes what was left out.
"""

import heapq
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.kernel import InputError, Machine, State, Trace
from workbench.kernel.meaning.arguments import names_in, plain
from workbench.kernel.meaning.cells import Shown
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.state import cells_of, notation_of, row_of
from workbench.kernel.meaning.trace import is_bookkeeping, options
from workbench.kernel.meaning.values import counted
from workbench.showing.pictures import Picture, faults, picture
from workbench.showing.view.graph.graph import (
    FOCUS,
    INITIAL,
    LOOP,
    MOST_EDGES,
    MOST_PICTURES,
    TRACE,
    VIOLATING,
    Edge,
    GraphDraft,
    Node,
    Space,
    StateGraph,
    notes_on,
    violations,
)

# Which variables a label shows ---------------------------------------------------------------------------------------


def _columns(model: Machine, variables: Sequence[str]) -> list[Shown]:
    """The cells named by `variables`: variables (for all their cells) or single cells, such as ``pc[w1]``."""
    by_name: dict[str, list[Shown]] = {}
    for shown in model.layout.shown:
        by_name.setdefault(shown.cell.variable, []).append(shown)
        by_name.setdefault(str(shown.cell), [shown])
    columns: list[Shown] = []
    for name in names_in("variables", variables):
        if name not in by_name:
            raise unknown(f"variable of {model.name}", name, model.declared.variables)
        columns += [shown for shown in by_name[name] if shown not in columns]
    return columns


def _spell(columns: Sequence[Shown], state: State) -> str:
    """A line for each cell of a state; if all belong to one variable, without its name."""
    row, show = row_of(state), notation_of(state).show
    alike = len(columns) > 1 and len({shown.cell.variable for shown in columns}) == 1
    names = [f"{shown.cell.inside}: " if alike else f"{shown.cell} = " for shown in columns]
    return "\n".join(f"{name}{show(shown.value(row))}" for name, shown in zip(names, columns, strict=True))


def telling(model: Machine, states: Sequence[State]) -> tuple[str, ...]:
    """The variable that tells most about `states` in the fewest words: a program counter, or one with few values."""
    seen: dict[str, set[Any]] = {}
    for state in states:
        for cell, value in cells_of(state):
            seen.setdefault(cell.variable, set()).add(value)
    counters = {process.pc for process in model.declared.processes.values()}
    indexed = {cell.variable for cell in model.layout.cells if cell.index is not None}

    def words(name: str) -> Any:
        return name not in indexed, name not in counters, len(seen[name]) < 2, len(seen[name])

    return tuple(sorted(seen, key=words)[:1])


# Graphs of states ----------------------------------------------------------------------------------------------------


def state_graph(
    space: Space,
    *,
    variables: Sequence[str] = (),
    trace: Trace | None = None,
    most_edges: int = MOST_EDGES,
    pictures: bool = False,
) -> StateGraph:
    """The whole graph if it is small; otherwise its first levels.

    Args:
        variables: The variables or cells, by name, that the nodes show of their states; by default, nodes show numbers.
        trace: A behaviour to mark.
        most_edges: A bound on the transitions drawn.
        pictures: Show states as their pictures, as many as there is room for.
    """
    shown = min(len(space.sources), most_edges)
    transitions = range(shown)
    numbers = {*range(min(len(space), 1)), *space.sources[:shown].tolist(), *space.targets[:shown].tolist()}
    notes = []
    if shown < len(space.sources):
        notes.append(
            f"{len(numbers):,} of {len(space):,} states and {shown:,} of {len(space.sources):,} transitions are drawn, "
            "in breadth-first order; a neighbourhood or a projection shows other parts"
        )
    title = f"States of {space.model.name}"
    return _of_states(space, transitions, numbers, title, notes, variables, trace, None, pictures)


def neighbourhood(
    space: Space,
    center: int | State,
    radius: int = 2,
    *,
    variables: Sequence[str] = (),
    trace: Trace | None = None,
    most_edges: int = MOST_EDGES,
    pictures: bool = False,
) -> StateGraph:
    """The states within `radius` steps before and after a state.

    Args:
        center: The state, or its number.
        variables, trace, most_edges, pictures: As for :func:`state_graph`.

    Raises:
        InputError: If `center` is not a state of the space.
    """
    center = plain(center)
    number = center if isinstance(center, int) else space.number_of(center)
    if number is None or not 0 <= number < len(space):
        which = f"state {number}" if isinstance(center, int) else "a state that is not in the space"
        raise InputError(f"{which} is not accepted; the space has states 0 to {len(space) - 1}")
    order = np.argsort(space.targets, kind="stable")
    sorted_targets = space.targets[order]
    chosen: dict[int, None] = {}
    near, seen = [number], {number}
    notes: list[str] = []
    for _ in range(radius):
        around = [t for state in near for t in _around(space, order, sorted_targets, state)]
        chosen.update(dict.fromkeys(around))
        met = dict.fromkeys(end for t in around for end in _ends(space, t))
        near = [state for state in met if state not in seen]
        seen.update(near)
        if len(chosen) > most_edges:
            notes.append(f"{most_edges:,} of at least {len(chosen):,} transitions are drawn, the nearest; ask for less")
            break
    transitions = list(chosen)[:most_edges]
    ends = {number, *(end for t in transitions for end in _ends(space, t))}
    title = f"State {number} of {space.model.name} and what is within {counted(radius, 'step')}"
    return _of_states(space, transitions, ends, title, notes, variables, trace, number, pictures)


def _around(space: Space, order: np.ndarray, sorted_targets: np.ndarray, state: int) -> Iterable[int]:
    out = np.arange(*np.searchsorted(space.sources, [state, state + 1]))
    into = order[slice(*np.searchsorted(sorted_targets, [state, state + 1]))]
    return [*out.tolist(), *into.tolist()]


def _ends(space: Space, transition: int) -> tuple[int, int]:
    return int(space.sources[transition]), int(space.targets[transition])


def _of_states(
    space: Space,
    transitions: Iterable[int],
    numbers: Iterable[int],
    title: str,
    notes: Iterable[str],
    variables: Sequence[str],
    trace: Trace | None,
    focus: int | None,
    pictures: bool,
) -> StateGraph:
    draft, columns = GraphDraft(), _columns(space.model, variables)
    chosen, notes = sorted(numbers), [*notes, *notes_on(space)]

    def draw(id: str) -> Picture:
        state = space.state(int(id))
        return picture(space.model, state, at_fault=faults(space.model, state))

    wrong = _violating(space)
    path = [] if trace is None else [space.number_of(state) for state in trace.states]
    first = int((space.levels == 1).sum())
    for number in chosen:
        state = space.state(number)
        marks = {
            INITIAL: number < first,
            VIOLATING: bool(wrong[number]),
            TRACE: number in path,
            FOCUS: number == focus,
        }
        label = _spell(columns, state) or str(number)
        kept = frozenset(mark for mark, applies in marks.items() if applies)
        draft.nodes[str(number)] = Node(str(number), label, f"state {number}\n{state!r}", kept)
    for t in transitions:
        draft.connect(str(space.sources[t]), str(space.targets[t]), space.label(t))
    draft.marked = {(str(a), str(b)) for a, b in itertools.pairwise(path)}
    if pictures:
        _illustrate(draft, draw, notes)
    return draft.finish(title, notes, draw)


def _illustrate(draft: GraphDraft, draw: Callable[[str], Picture], notes: list[str]) -> None:
    """Show states as pictures as far as there is room, those of the trace first, and note how many are shown."""
    chosen = sorted(draft.nodes.values(), key=lambda node: not node.marks & {TRACE, FOCUS})[:MOST_PICTURES]
    draft.nodes |= {node.id: replace(node, picture=draw(node.id)) for node in chosen}
    if len(draft.nodes) > MOST_PICTURES:
        notes.append(f"Pictures are drawn of {MOST_PICTURES} of {len(draft.nodes):,} states")


def _violating(space: Space) -> np.ndarray:
    """Whether a violated invariant is false in each state."""
    return np.logical_or.reduce([np.zeros(len(space), bool), *violations(space).values()])


# A trace with what else could have happened ---------------------------------------------------------------------------


def alternatives(
    trace: Trace, *, variables: Sequence[str] = (), most_edges: int = MOST_EDGES, pictures: bool = False
) -> StateGraph:
    """A trace with the steps not taken from each of its states, except for those that change nothing.

    Args:
        variables: What the nodes show of their states; for the trace's states their position by default.
        most_edges: A bound on the edges; steps not taken from late states are left out first.
        pictures: Show states as their pictures, as many as there is room for.
    """
    model, draft = trace.model, GraphDraft()
    columns = _columns(model, variables)
    ids: dict[State, str] = {}

    def add(state: State, label: str, marks: Iterable[str] = ()) -> str:
        if state not in ids:
            ids[state] = str(len(ids))
            text = _spell(columns, state) or label
            draft.nodes[ids[state]] = Node(ids[state], text, repr(state), frozenset(marks))
        return ids[state]

    invariants = [i for p in model.select() if p.kind == "invariant" for i in model.predicates(p.name)]

    def wrong(state: State) -> list[str]:
        return [] if all(invariant.holds(state) for invariant in invariants) else [VIOLATING]

    for at, step in enumerate(trace.steps):
        looping = trace.back is not None and trace.loop is not None and at >= trace.loop
        marks = [TRACE, *([INITIAL] if at == 0 else []), *([LOOP] if looping else []), *wrong(step.state)]
        add(step.state, str(at + 1), marks)
    taken = [*trace.steps[1:], *([trace.back] if trace.back else [])]
    for before, step in zip(trace.states, taken, strict=False):
        draft.connect(ids[before], ids[step.state], step.label)
        draft.marked.add((ids[before], ids[step.state]))
    left_out = 0
    for before in dict.fromkeys(trace.states):
        for step in (step for option in options(model, before) for step in option.steps):
            after = step.state
            ends = (ids[before], ids.get(after, ""))
            if after == before or ends in draft.marked or is_bookkeeping(before, step):
                continue
            if ends not in draft.labels and len(draft.labels) >= most_edges:
                left_out += 1
                continue
            draft.connect(ids[before], add(after, "", wrong(after)), step.label)
    notes = [f"Not drawn: {counted(left_out, 'further step')} not taken"] if left_out else []
    states = list(ids)  # their numbers are their ids

    def draw(id: str) -> Picture:
        state = states[int(id)]
        return picture(model, state, at_fault=faults(model, state))

    if pictures:
        _illustrate(draft, draw, notes)
    return draft.finish(f"A trace of {model.name}, with the steps not taken", notes, draw)


# Projection -----------------------------------------------------------------------------------------------------------


def projection(space: Space, variables: Sequence[str], *, most_edges: int = MOST_EDGES) -> StateGraph:
    """The space seen through some variables: states that agree on them are one node, and transitions are counted.

    Transitions that change none of the variables are not drawn. The graph begins at the initial states: even if some
    edges are left out, every node that is drawn is reachable from them.

    Args:
        variables: Names of variables or of cells, such as ``pc`` or ``pc[w1]``.
        most_edges: A bound on the edges. The graph grows by the edge with the most transitions among those that leave
            the part drawn so far.

    Raises:
        InputError: For no variable, or one that the model does not declare.
    """
    model = space.model
    variables = names_in("variables", variables)
    columns = _columns(model, variables)
    if not columns:
        raise InputError("variables = () is not accepted; a projection takes at least one variable")
    numbers = [number for shown in columns for number in shown.numbers]
    _, example, of_state = np.unique(space.rows[:, numbers], axis=0, return_index=True, return_inverse=True)
    of_state = of_state.reshape(-1)
    sizes = np.bincount(of_state)
    wrong = np.bincount(of_state, weights=_violating(space)).astype(int)
    initial = set(of_state[space.levels == 1].tolist())

    names = list(model.declared.actions)
    action_of = np.array([names.index(instance.action.name) for instance in model.instances])
    ends = np.stack([of_state[space.sources], of_state[space.targets], action_of[space.instances]], axis=1)
    moving = ends[:, 0] != ends[:, 1]
    kinds, counts = np.unique(ends[moving], axis=0, return_counts=True)
    edges: dict[tuple[int, int], Counter[str]] = {}
    for (source, target, action), count in zip(kinds.tolist(), counts.tolist(), strict=True):
        edges.setdefault((source, target), Counter())[names[action]] += count
    shown = _heaviest({ends: labels.total() for ends, labels in edges.items()}, initial, most_edges)
    kept = list(dict.fromkeys([*sorted(initial), *(end for pair in shown for end in pair)]))

    def node(group: int) -> Node:
        text = _spell(columns, space.state(int(example[group])))
        size, bad = int(sizes[group]), int(wrong[group])
        tooltip = f"{text}\n{counted(size, 'state')}" + (f", {bad:,} of them violate an invariant" if bad else "")
        marks = ([INITIAL] if group in initial else []) + ([VIOLATING] if bad else [])
        return Node(str(group), f"{text}\n{counted(size, 'state')}", tooltip, frozenset(marks), size)

    notes = [*notes_on(space)]
    if len(shown) < len(edges):
        dropped = int(counts.sum()) - sum(edges[pair].total() for pair in shown)
        notes.append(
            f"{len(kept):,} of {len(example):,} groups are drawn, and of the edges that lead on from the initial "
            f"states the {len(shown):,} with the most transitions; "
            f"left out: {counted(len(edges) - len(shown), 'edge')} ({counted(dropped, 'transition')})"
        )
    inside = int((~moving).sum())
    if inside:
        notes.append(
            f"Not drawn: {inside:,} of {counted(len(moving), 'transition')}, which change none of these variables"
        )
    drawn = [
        Edge(str(a), str(b), tuple(f"{name} \N{MULTIPLICATION SIGN}{n:,}" for name, n in edges[a, b].most_common()),
             count=edges[a, b].total())
        for a, b in shown
    ]  # fmt: skip
    title = f"{space.model.name}: {counted(len(space), 'state')} seen through {', '.join(variables)}"
    return StateGraph(title, tuple(map(node, kept)), tuple(drawn), tuple(notes))


def _heaviest(weights: dict[tuple[int, int], int], initial: Iterable[int], most: int) -> list[tuple[int, int]]:
    """Up to `most` edges. Each is the heaviest of those that leave an initial node or the end of an earlier edge."""
    leaving: dict[int, list[tuple[int, int]]] = {}
    for ends in weights:
        leaving.setdefault(ends[0], []).append(ends)
    waiting: list[tuple[int, tuple[int, int]]] = []
    reached: set[int] = set()

    def reach(node: int) -> None:
        if node not in reached:
            reached.add(node)
            for ends in leaving.get(node, ()):
                heapq.heappush(waiting, (-weights[ends], ends))

    for node in sorted(initial):
        reach(node)
    taken: list[tuple[int, int]] = []
    while waiting and len(taken) < most:
        _, ends = heapq.heappop(waiting)
        taken.append(ends)
        reach(ends[1])
    return taken
