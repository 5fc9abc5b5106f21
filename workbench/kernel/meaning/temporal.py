"""The reference check of liveness: does every fair behaviour satisfy a formula? If not, it finds a lasso that does not.

``docs/properties.md`` has the definitions. This module shrinks the set of reached states until each of them can reach,
inside the set, what every condition demands. This greatest fixpoint (Emerson and Lei, *Modalities for model checking:
branching time logic strikes back*, Science of Computer Programming 8, 1987; with strong fairness as in Kesten, Pnueli
and Raviv, *Algorithmic verification of linear temporal logic specifications*, ICALP 1998) is empty exactly if the
formula holds. :mod:`workbench.checking.local.lassos` computes strongly connected components over arrays. Both must
agree, and their lassos must pass :func:`workbench.kernel.meaning.lasso.verify_lasso`.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.lasso import Demand, Lasso, liveness_verdict, truth
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.properties import Formula, Property
from workbench.kernel.meaning.result import Verdict
from workbench.kernel.meaning.state import seen
from workbench.kernel.meaning.steps import Fairness, met_by
from workbench.kernel.meaning.trace import Move, Trace, replay

#: The transition relation: for each state, by number, its moves and the numbers of the states that they lead to.
Graph = Sequence[Sequence[tuple[Move, int]]]
#: The fairness conditions that count a move from a state, where these are not all of its action's.
Counted = Mapping[tuple[int, Move], frozenset[int]]
#: For each node that was reached, its predecessor and the move from there; None for a start.
Links = dict[Any, tuple[Any, Move] | None]

#: The number of a state that the model's constraints prune. The action is enabled; its successors are unknown.
OUTSIDE = -1


@dataclass(frozen=True)
class FairSteps:
    """A fairness condition on a graph: the states that enable its actions, and their steps that change the state."""

    strong: bool
    enabled: set[int]
    steps: set[tuple[int, int]]


@contextmanager
def met_in(number: int) -> Iterator[None]:
    """Attach the state's number to a ModelError raised in the block."""
    try:
        yield
    except ModelError as error:
        error.met = number
        raise


def check_liveness(
    model: Machine, declared: Property, states: Sequence[Any], initial: int, graph: Graph, counted: Counted
) -> Verdict:
    """The verdict on a liveness property, given all reachable `states`, the `initial` ones first, and their `graph`."""

    def where(predicate: Callable[[Any], Any] | None) -> set[int]:
        return {n for n in range(len(states)) if predicate is not None and holds(predicate, n)}

    def holds(predicate: Callable[[Any], Any], number: int) -> bool:
        with met_in(number):
            return truth(declared.name, predicate, states[number])

    def enabled_in(condition: Fairness) -> set[int]:
        def asked(number: int) -> bool:
            with met_in(number):
                return condition.enabled is None or condition.enabled(seen(states[number]))

        return set(filter(asked, range(len(states))))

    enabled = {
        at: enabled_in(condition) for at, condition in enumerate(model.fairness) if condition.enabled is not None
    }

    def find(formula: Formula) -> tuple[Trace | None, Demand]:
        trigger, goal = where(formula.trigger), where(formula.goal)
        due = set(range(initial if formula.begins else len(states)))
        if formula.trigger is not None:
            due &= trigger
        demand = Demand.of(formula, bool(due), not due <= goal)
        lasso = find_lasso(graph, initial, model.fairness, formula, trigger, goal, counted, enabled)
        return None if lasso is None else replay(model, *lasso), demand

    return liveness_verdict(model, declared, find)


def find_lasso(
    graph: Graph,
    initial: int,
    fairness: Sequence[Fairness],
    formula: Formula,
    trigger: set[int],
    goal: set[int],
    counted: Counted = MappingProxyType({}),
    enabled: Mapping[int, set[int]] = MappingProxyType({}),
) -> Lasso | None:
    """A fair behaviour that violates the formula, or None.

    The shortest one that stops, if one stops; otherwise one that ends in some fair cycle.

    Args:
        initial: States 0 to `initial` - 1 are the initial ones.
        trigger, goal: The states in which the formula's predicates hold; the `trigger` is of no matter without one.
        counted: The conditions that count a move from a state, if not all of its action's do.
        enabled: The states in which a condition is enabled that says so itself, by the condition's number.
    """
    everything = set(range(len(graph)))
    every = [condition_of(graph, number, f, counted) for number, f in enumerate(fairness)]
    barred = {step for number in formula.steps for step in every[number].steps}
    conditions = [
        FairSteps(condition.strong, enabled.get(at, condition.enabled), condition.steps - barred)
        for at, condition in ((at, every[at]) for at in met_by(fairness, formula))
    ]
    graph = [[(move, target) for move, target in transitions if target != OUTSIDE] for transitions in graph]
    allowed = everything if formula.is_always or formula.kind == "eventually_always" else everything - goal
    entries = allowed
    if formula.trigger is not None:
        entries = allowed & trigger
    if formula.begins:
        entries = entries & set(range(initial))
    if formula.kind == "eventually_always":  # "not the goal, again and again" has the form of weak fairness
        conditions.append(FairSteps(strong=False, enabled=goal, steps=set()))
    stages = [entries, everything - goal] if formula.is_always else [entries]

    links = routes(graph, initial, stages, allowed, barred)
    graph = [[edge for edge in moves if (source, edge[1]) not in barred] for source, moves in enumerate(graph)]
    order = [state for state, passed in links if passed == len(stages)]
    fair = fair_states(graph, set(order), conditions)
    if not fair:
        return None
    for state in order:
        if not any(state in c.enabled for c in conditions):
            (start, _), steps = _path(links, (state, len(stages)))
            return Lasso(start, steps, len(steps))
    core = closed_component(graph, fair)
    home = next(state for state in order if state in core)
    (start, _), steps = _path(links, (home, len(stages)))
    return Lasso(start, steps + fair_cycle(graph, core, home, conditions), len(steps))


def condition_of(graph: Graph, number: int, fairness: Fairness, counted: Counted) -> FairSteps:
    """The condition `fairness`, which has this number, on `graph`."""
    steps = {
        (source, target)
        for source, transitions in enumerate(graph)
        for move, target in transitions
        if move.instance in fairness.actions and target != source
        if (source, move) not in counted or number in counted[source, move]
    }
    inside = {(source, target) for source, target in steps if target != OUTSIDE}
    return FairSteps(fairness.strong, {source for source, _ in steps}, inside)


def routes(
    graph: Graph,
    initial: int,
    stages: Sequence[set[int]],
    allowed: set[int],
    barred: Container[tuple[int, int]] = (),
) -> Links:
    """Shortest paths from the initial states through a state of each stage, and on through allowed states alone.

    Args:
        stages: Subsets of `allowed`, in the order in which they are passed. One state may pass several.
        barred: Steps that are not taken once all stages are passed.

    Returns:
        The predecessor links between (state, the number of stages passed).
    """

    def nodes(state: int, passed: int) -> Iterator[tuple[int, int]]:
        if passed < len(stages) or state in allowed:
            yield state, passed
        if passed < len(stages) and state in stages[passed]:
            yield from nodes(state, passed + 1)

    return _reach(
        [node for state in range(initial) for node in nodes(state, 0)],
        lambda node: (
            (move, after)
            for move, target in graph[node[0]]
            if not (node[1] == len(stages) and (node[0], target) in barred)
            for after in nodes(target, node[1])
        ),
    )


def _reach(starts: Iterable[Any], steps: Callable[[Any], Iterable[tuple[Move, Any]]]) -> Links:
    """Everything reachable, breadth first, with its predecessor links."""
    links: Links = dict.fromkeys(starts)
    queue = deque(links)
    while queue:
        source = queue.popleft()
        for move, target in steps(source):
            if target not in links:
                links[target] = source, move
                queue.append(target)
    return links


def _path(links: Links, node: Any) -> tuple[Any, list[Move]]:
    """The start of the path that leads to `node`, and its moves."""
    moves = []
    while (link := links[node]) is not None:
        node, move = link
        moves.append(move)
    return node, moves[::-1]


def fair_states(graph: Graph, region: set[int], conditions: Sequence[FairSteps]) -> set[int]:
    """The largest part of `region` in which every state can reach what each condition demands.

    Every state may stutter. So a fair behaviour can stay for ever in a part of the result that has no way on to the
    rest of it; and states that a fair behaviour visits again and again are never removed.
    """
    sources: dict[int, list[int]] = {state: [] for state in region}
    for source in region:
        for _, target in graph[source]:
            if target in region:
                sources[target].append(source)

    def reaching(within: set[int], goals: set[int]) -> set[int]:
        reached, stack = set(goals), list(goals)
        while stack:
            for source in sources[stack.pop()]:
                if source in within and source not in reached:
                    reached.add(source)
                    stack.append(source)
        return reached

    fair = set(region)
    while True:
        before = len(fair)
        for condition in conditions:
            disabled = fair - condition.enabled
            taken = {source for source, target in condition.steps if source in fair and target in fair}
            fair = disabled | reaching(fair, taken) if condition.strong else reaching(fair, disabled | taken)
        if len(fair) == before:
            return fair


def closed_component(graph: Graph, fair: set[int]) -> set[int]:
    """A strongly connected part of `fair` from which no transition leads to the rest of `fair`."""
    state = min(fair)
    while True:
        ahead = _reach([state], lambda s: ((move, t) for move, t in graph[s] if t in fair))
        sources: dict[int, list[tuple[Move, int]]] = {s: [] for s in ahead}
        for source in ahead:
            for move, target in graph[source]:
                if target in fair:
                    sources[target].append((move, source))
        no_return = ahead.keys() - _reach([state], sources.__getitem__).keys()
        if not no_return:
            return set(ahead)
        state = next(s for s in reversed(ahead) if s in no_return)  # the farthest: it is nearest to the end


def fair_cycle(graph: Graph, core: set[int], home: int, conditions: Iterable[FairSteps]) -> list[Move]:
    """Moves from `home` through `core` and back that satisfy every condition."""
    steps = {(s, t) for s in core for _, t in graph[s] if t in core and t != s}
    at, moves = home, list[Move]()

    def walk_to(targets: set[tuple[int, int]]) -> None:
        """Walk on until the first of the `targets` steps, along a shortest path."""
        nonlocal at
        links = _reach([at], lambda s: ((move, t) for move, t in graph[s] if t in core))
        source, move, at = next((s, move, t) for s in links for move, t in graph[s] if (s, t) in targets)
        moves.extend([*_path(links, source)[1], move])

    for condition in conditions:
        if core & condition.enabled if condition.strong else core <= condition.enabled:
            walk_to(condition.steps & steps)
        elif not condition.strong and at in condition.enabled:
            walk_to({(s, t) for s, t in steps if t not in condition.enabled})
    if at != home or not moves:
        walk_to({(s, t) for s, t in steps if t == home})
    return moves
