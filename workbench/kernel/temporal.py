"""Liveness, the reference: does every fair behaviour keep its promises, and if not, a lasso that breaks one.

The definitions, with their sources, are in ``docs/liveness.md``. This module decides by a fixpoint over plain sets;
:mod:`workbench.engines.liveness` decides by strongly connected components over arrays. Both must say the same, and
what either finds must pass :func:`workbench.kernel.lasso.verify_lasso`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from workbench.kernel.declare import Formula, Property
from workbench.kernel.errors import ModelError
from workbench.kernel.instances import Fairness
from workbench.kernel.lasso import Demand, Lasso, liveness_verdict, truth
from workbench.kernel.model import Model
from workbench.kernel.result import Verdict
from workbench.kernel.trace import Move, Trace, replay

#: For each state, by number, its transitions: the move and the number of the state that it leads to.
Graph = Sequence[Sequence[tuple[Move, int]]]
Counts = Callable[[int, Move], bool]

#: In place of the number: a state outside the model's constraints. The action is enabled; what follows is not known.
OUTSIDE = -1


@dataclass(frozen=True)
class Condition:
    """A fairness condition on a graph: where its action is enabled, and its steps. Only changes of the state count."""

    strong: bool
    enabled: set[int]
    steps: set[tuple[int, int]]


@contextmanager
def met_in(number: int) -> Iterator[None]:
    """Note in an error of the model's in which state it was met."""
    try:
        yield
    except ModelError as error:
        error.met = number
        raise


def check_liveness(model: Model, declared: Property, states: Sequence[Any], initial: int, graph: Graph) -> Verdict:
    """The verdict on a liveness property, given all reachable states and transitions.

    Args:
        states: All of them, the `initial` initial ones first.
    """

    def where(predicate: Callable[[Any], Any] | None) -> set[int]:
        return {n for n in range(len(states)) if predicate is not None and holds(predicate, n)}

    def holds(predicate: Callable[[Any], Any], number: int) -> bool:
        with met_in(number):
            return truth(declared.name, predicate, states[number])

    def counts(source: int, move: Move) -> bool:
        instance, state = model.instances[move.instance], states[source]
        if instance.action.fair_when is None:
            return True
        outcome, _ = model.outcomes(instance, state)[move.outcome]
        with met_in(source):
            return instance.counts(state, outcome.choices)

    def find(formula: Formula) -> tuple[Trace | None, Demand]:
        trigger, goal = where(formula.trigger), where(formula.goal)
        due = {"leads_to": trigger, "eventually": set(range(initial))}.get(formula.kind, set(range(len(states))))
        demand = Demand(formula.trigger is None or bool(trigger), not due <= goal)
        lasso = find_lasso(graph, initial, model.fairness(), formula.kind, trigger, goal, counts)
        return None if lasso is None else replay(model, *lasso), demand

    return liveness_verdict(model, declared, find)


def _all_count(source: int, move: Move) -> bool:
    return True


def find_lasso(
    graph: Graph,
    initial: int,
    fairness: Iterable[Fairness],
    kind: str,
    trigger: set[int],
    goal: set[int],
    counts: Counts = _all_count,
) -> Lasso | None:
    """A fair behaviour that violates the formula, or None if there is none.

    It is a shortest one that stops, if one stops; otherwise it ends in some fair cycle.

    Args:
        initial: States 0 to `initial` - 1 are the initial ones.
        kind: {"leads_to", "eventually", "always_eventually", "eventually_always"}
        trigger, goal: The states in which the formula's predicates hold; `trigger` matters to "leads_to" alone.
        counts: Whether fairness is of a move from a state.
    """
    everything = set(range(len(graph)))
    conditions = [condition_of(graph, f, counts) for f in fairness]
    graph = [[(move, target) for move, target in transitions if target != OUTSIDE] for transitions in graph]
    allowed = everything - goal
    entries = allowed
    if kind == "leads_to":
        entries = allowed & trigger
    elif kind == "eventually":
        entries = allowed & set(range(initial))
    elif kind == "eventually_always":  # "not the goal, again and again" has the form of a weak fairness condition
        allowed = entries = everything
        conditions.append(Condition(strong=False, enabled=goal, steps=set()))

    routes = Routes(graph, initial, entries, allowed)
    fair = fair_states(graph, set(routes.order), conditions)
    if not fair:
        return None
    for state in routes.order:
        if not any(state in c.enabled for c in conditions):
            start, steps = routes.to(state)
            return Lasso(start, steps, len(steps))
    core = closed_component(graph, fair)
    home = next(state for state in routes.order if state in core)
    start, steps = routes.to(home)
    return Lasso(start, steps + fair_cycle(graph, core, home, conditions), len(steps))


def condition_of(graph: Graph, fairness: Fairness, counts: Counts = _all_count) -> Condition:
    """What `fairness` says on `graph`."""
    steps = {
        (source, target)
        for source, transitions in enumerate(graph)
        for move, target in transitions
        if move.instance in fairness.actions and target != source and counts(source, move)
    }
    inside = {(source, target) for source, target in steps if target != OUTSIDE}
    return Condition(fairness.strong, {source for source, _ in steps}, inside)


class Routes:
    """Shortest ways from the initial states to an entry, and on from there through allowed states alone.

    Args:
        entries: A subset of `allowed`.

    Attributes:
        order (list of int): The states that can be reached so, nearest first.
    """

    def __init__(self, graph: Graph, initial: int, entries: set[int], allowed: set[int]) -> None:
        self._links: dict[tuple[int, bool], tuple[tuple[int, bool], Move] | None] = {}
        queue: deque[tuple[int, bool]] = deque()

        def visit(state: int, entered: bool, link: tuple[tuple[int, bool], Move] | None) -> None:
            for node in ((state, entered), (state, entered or state in entries)):
                if node not in self._links and (state in allowed or not node[1]):
                    self._links[node] = link
                    queue.append(node)

        for state in range(initial):
            visit(state, False, None)
        while queue:
            node = queue.popleft()
            for move, target in graph[node[0]]:
                visit(target, node[1], (node, move))
        self.order = [state for state, entered in self._links if entered]

    def to(self, state: int) -> tuple[int, list[Move]]:
        """The initial state and the moves from there."""
        node, moves = (state, True), []
        while (link := self._links[node]) is not None:
            node, move = link
            moves.append(move)
        return node[0], moves[::-1]


def fair_states(graph: Graph, region: set[int], conditions: Sequence[Condition]) -> set[int]:
    """The largest part of `region` in which no state is cut off from what a condition demands.

    Every state may stutter. So a part of the result that cannot be left without leaving the result is a place where
    a fair behaviour can stay for ever; and whatever a fair behaviour visits again and again is never removed.
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
        ahead = _reach(state, lambda s: (t for _, t in graph[s] if t in fair))
        sources: dict[int, list[int]] = {s: [] for s in ahead}
        for source in ahead:
            for _, target in graph[source]:
                if target in fair:
                    sources[target].append(source)
        no_return = ahead.keys() - _reach(state, sources.__getitem__).keys()
        if not no_return:
            return set(ahead)
        state = next(s for s in reversed(ahead) if s in no_return)  # the farthest: it is nearest to the end


def _reach(state: int, successors: Callable[[int], Iterable[int]]) -> dict[int, None]:
    """Everything reachable from `state`, in order of discovery."""
    reached, queue = {state: None}, deque([state])
    while queue:
        for target in successors(queue.popleft()):
            if target not in reached:
                reached[target] = None
                queue.append(target)
    return reached


def fair_cycle(graph: Graph, core: set[int], home: int, conditions: Iterable[Condition]) -> list[Move]:
    """Moves from `home` through `core` and back that give every condition its due."""
    steps = {(s, t) for s in core for _, t in graph[s] if t in core and t != s}
    at, moves = home, []

    def walk_to(wanted: set[tuple[int, int]]) -> None:
        """Walk on until the first of the `wanted` steps, along a shortest path."""
        nonlocal at
        paths: dict[int, list[Move]] = {at: []}
        queue = deque([at])
        while True:
            source = queue.popleft()
            for move, target in graph[source]:
                if (source, target) in wanted:
                    moves.extend([*paths[source], move])
                    at = target
                    return
                if target in core and target not in paths:
                    paths[target] = [*paths[source], move]
                    queue.append(target)

    for condition in conditions:
        if core & condition.enabled if condition.strong else core <= condition.enabled:
            walk_to(condition.steps & steps)
        elif not condition.strong and at in condition.enabled:
            walk_to({(s, t) for s, t in steps if t not in condition.enabled})
    if at != home or not moves:
        walk_to({(s, t) for s, t in steps if t == home})
    return moves
