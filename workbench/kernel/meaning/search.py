"""The reference search: breadth first, running every action in every state. Slow, and easy to trust.

It defines what a check means: the engines of ``workbench.checking`` must give the same counts and verdicts.
"""

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from workbench.kernel.meaning.budget import INTERRUPTED, Budget, Limits, Stop, Watch, depth_of
from workbench.kernel.meaning.conclusion import Exploration, Growth, conclude
from workbench.kernel.meaning.errors import ModelError, impure
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.plan import Plan, make_plan
from workbench.kernel.meaning.properties import DEADLOCK, Property
from workbench.kernel.meaning.rerunning import again_and_again, how_often
from workbench.kernel.meaning.result import ActionCount, Result, Verdict
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.symmetry import Canonical
from workbench.kernel.meaning.temporal import OUTSIDE, check_liveness
from workbench.kernel.meaning.trace import Move, Trace, leading_to, replay
from workbench.kernel.meaning.values import identity

_PURITY_CHECKS = 20
#: Per state besides its values: the entries in the lists and dicts of the search.
_BYTES_PER_STATE = 500
_STATES_PER_REPORT = 100


@interruptible()
def search(
    model: Any,
    properties: Sequence[str] | None = None,
    symmetry: bool | Sequence[str] | None = None,
    fail_fast: bool = False,
    budget: Budget = Budget(),
    watch: Watch = Watch(),
) -> Result:
    """Visit every reachable state of `model`, level by level; the parameters are those of :func:`workbench.check`."""
    plan = make_plan(model, properties, symmetry, fail_fast=fail_fast)
    return run(plan, Limits(budget, watch))


def run(plan: Plan, limits: Limits) -> Result:
    """Carry out `plan` within `limits`."""
    steps = stepwise(plan, limits)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def stepwise(plan: Plan, limits: Limits) -> Generator[None, None, Result]:
    """Like :func:`run`, but pauses after each state, for a caller without threads that has to listen meanwhile."""
    searching = Search(plan, limits)
    yield from searching.run()
    return conclude(plan, searching.exploration(), limits)


class Search:
    """The states of a space, numbered in the order of discovery, with their predecessor links."""

    def __init__(self, plan: Plan, limits: Limits) -> None:
        self.plan, self.model, self.limits = plan, plan.model, limits
        self.canonical = Canonical(plan.model, plan.symmetry)
        self.predicates = {p.name: plan.model.predicates(p.name) for p in plan.safety}
        self.constraints = plan.model.constraint_predicates()
        self.judges = {p.name: plan.model.judges(p) for p in plan.steps}
        self.numbers: dict[Any, int] = {}  # the canonical state -> the state's number
        self.states: list[Any] = []
        self.links: list[tuple[int, Move]] = []  # the predecessor's number (-1: initial) and the move from it
        self.graph: list[list[tuple[Move, int]]] = []  # each state's moves, and the numbers that they lead to
        self.counted: dict[tuple[int, Move], frozenset[int]] = {}  # of moves that only some conditions count
        self.counts = {name: [0, 0, 0, 0] for name in plan.model.actions}  # enabled, generated, new, assigns
        self.levels: list[int] = []
        self.generated = self.generated_initial = 0
        self.outside = 0
        #: The property's name -> the state, and the step from it if that decides, or its target is pruned.
        self.decided: dict[str, tuple[int, Move | None]] = {}
        self.stopped: str | None = None
        self.error: ModelError | None = None
        self._at: tuple[int, Move | None] | None = None  # the place that the model's code judges, as in `decided`

    def run(self) -> Iterator[None]:
        """Search, and pause after each state."""
        try:
            with leading_to(lambda error: None if self._at is None else self.trace_to(self._at)):
                yield from self._search()
        except (Stop, MemoryError, ModelError) as stop:
            self._end(stop)
        if self.stopped != INTERRUPTED and self.error is None:
            try:
                self._run_again()
            except ModelError as error:
                self._end(error)

    def _end(self, stop: Stop | MemoryError | ModelError) -> None:
        self.stopped = self.limits.why(stop)
        self.error = stop if isinstance(stop, ModelError) else None

    def _search(self) -> Iterator[None]:
        yield from self._level(self._initial())
        expanded = 0
        while expanded < len(self.states):
            end = len(self.states)
            self.limits.deeper(len(self.levels))
            yield from self._level(self._successors(range(expanded, end)))
            expanded = end

    def _level(self, steps: Iterator[None]) -> Iterator[None]:
        """Take all `steps`, and count the states that they add."""
        before, goes_on = len(self.states), True
        try:
            while goes_on:  # no limits may stay in force across a yield, where other code runs
                with self.limits.in_force():
                    goes_on = next(steps, False) is None
                if goes_on:
                    yield
        finally:
            if len(self.states) > before:
                self.levels.append(len(self.states) - before)

    def _initial(self) -> Iterator[None]:
        for i, state in enumerate(self.model.each_initial_state()):
            earlier, link = len(self.states), (-1, Move(i, 0))
            number = self._visit(state, link)
            self.generated_initial += 1
            if number in (earlier, OUTSIDE):
                self._judge_initial(state, link if number == OUTSIDE else (number, None))
            self._check(i, len(self.states))
            self._at = None
            yield

    def _successors(self, numbers: range) -> Iterator[None]:
        for number in numbers:
            self._check(number - numbers.start, len(self.states) - number)
            self.graph.append(self._expand(number))
            yield

    def _check(self, done: int, frontier: int) -> None:
        """Check the limits; called for each state of a level, after `done` of them, while `frontier` states wait."""
        if done % _STATES_PER_REPORT == 0:
            self.limits.note(self.decided, self.model.declared.property_named, self._depth_of)
            self.limits.check(len(self.levels), len(self.states), frontier, self._held, self.levels)
        else:
            self.limits.enforce(self._held)

    def _depth_of(self, place: tuple[int, Move | None]) -> int:
        number, last = place
        return 0 if number < 0 else depth_of(number, self.levels) + (last is not None)

    def _held(self) -> int:
        """The approximate size of the search's data, in bytes."""
        per_state = _BYTES_PER_STATE + sys.getsizeof(row_of(self.states[0])) if self.states else 0
        return per_state * len(self.states)

    def _expand(self, number: int) -> list[tuple[Move, int]]:
        """Take every step from state `number`."""
        state, moves = self.states[number], []
        steps: list[tuple[Move, Any]] = []
        for instance in self.model.instances:
            self._at = number, None
            outcomes = self.model.outcomes(instance, state)
            if number < _PURITY_CHECKS:
                instance.check_pure(row_of(state), [outcome for outcome, _ in outcomes])
            count = self.counts[instance.action.name]
            count[0] += bool(outcomes)
            for ordinal, (outcome, successor) in enumerate(outcomes):
                earlier, move = len(self.states), Move(instance.number, ordinal)
                moves.append((move, self._visit(successor, (number, move))))
                steps.append((move, successor))
                if outcome.counted is not None:
                    self.counted[number, move] = outcome.counted
                count[1] += 1
                count[2] += len(self.states) > earlier
                count[3] |= bool(outcome.writes)
        self._judge_steps(state, number, steps)
        return moves

    def _visit(self, state: Any, link: tuple[int, Move]) -> int:
        """The number of `state`, which may be new; :data:`OUTSIDE` if the constraints prune it."""
        self._at = link
        key = self.canonical(state)
        number = self.numbers.get(key)
        if number is None and not all(constraint.holds(state) for constraint in self.constraints):
            number = OUTSIDE
            self.outside += 1
            self._judge(state, link)
        elif number is None:
            self.limits.room(len(self.states))
            number = self.numbers[key] = len(self.states)
            self.states.append(state)
            self.links.append(link)
            self._judge(state, (number, None))
        self.generated += 1
        return number

    def _judge(self, state: Any, place: tuple[int, Move | None]) -> None:
        for declared in self.plan.safety:
            decisive = declared.wanted
            if declared.name not in self.decided and any(
                predicate.holds(state) is decisive for predicate in self.predicates[declared.name]
            ):
                self.decided[declared.name] = place
                if self.plan.fail_fast and not decisive:
                    raise Stop("stopped at the first violation")

    def _judge_initial(self, state: Any, place: tuple[int, Move | None]) -> None:
        for name, judges in self.judges.items():
            if any(judge.begins is not None and judge.begins(state) is not True for judge in judges):
                self._violated(name, place)

    def _judge_steps(self, state: Any, number: int, steps: Sequence[tuple[Move, Any]]) -> None:
        """Judge all `steps` from state `number`."""
        changing = [(move, successor) for move, successor in steps if successor != state]
        for name, judges in self.judges.items():
            for move, successor in () if name in self.decided else changing:
                instance, self._at = self.model.instances[move.instance], (number, move)
                if any(j.concerns(instance) and j.judge(state, successor) is not True for j in judges):
                    self._violated(name, (number, move))
                    break
        self._at = number, None
        if DEADLOCK.name in self.judges and not steps and not self.model.may_end(state):
            self._violated(DEADLOCK.name, (number, None))

    def _run_again(self) -> None:
        """Expand and judge some states again; impure code may give something else."""
        numbers = list(range(len(self.graph)))
        Random(0).shuffle(numbers)  # late states too
        often = how_often(len(numbers), runs=len(self.model.instances) + len(self.plan.safety))
        some = numbers[:often]
        for number in again_and_again(some, often // max(1, len(some))):
            state, decided, steps = self.states[number], dict(self.decided), list[tuple[Move, Any]]()
            for instance in self.model.instances:
                outcomes = self.model.outcomes(instance, state)
                again = [(Move(instance.number, i), after) for i, (_, after) in enumerate(outcomes)]
                if any(
                    outcome.counted != self.counted.get((number, move))
                    for (outcome, _), (move, _) in zip(outcomes, again, strict=True)
                ):
                    raise instance.impure()
                leads = [(move, self.numbers.get(self.canonical(after), OUTSIDE)) for move, after in again]
                if leads != [edge for edge in self.graph[number] if edge[0].instance == instance.number]:
                    raise instance.impure()
                steps += again
            for constraint in self.constraints:
                if not constraint.holds(state):
                    raise impure(f"{constraint.subject}{constraint.place}")
            with suppress(Stop):
                self._judge(state, (number, None))
                self._judge_steps(state, number, steps)
            for name in self.decided.keys() - decided.keys():
                self.decided = decided
                declared = self.model.declared.property_named(name)
                raise impure(f"{declared.kind} {name}{declared.place}")

    def _violated(self, name: str, place: tuple[int, Move | None]) -> None:
        self.decided.setdefault(name, place)
        if self.plan.fail_fast:
            raise Stop("stopped at the first violation")

    def trace_to(self, place: tuple[int, Move | None]) -> Trace:
        number, last = place
        if number < 0 and last is not None:
            return replay(self.model, last.instance, [])
        path = [] if last is None else [last]
        while self.links[number][0] >= 0:
            number, move = self.links[number]
            path.append(move)
        return replay(self.model, self.links[number][1].instance, path[::-1])

    def _liveness(self, declared: Property) -> Verdict:
        with leading_to(lambda error: None if error.met is None else self.trace_to((error.met, None))):
            return check_liveness(self.model, declared, self.states, self.levels[0], self.graph, self.counted)

    def _growth(self) -> Growth:
        """The growth per level; the last level may be incomplete, and is left out."""
        growth, values, first = Growth(self.model.layout.cells), [set[Any]() for _ in self.model.layout.cells], 0
        for states in self.levels[:-1]:
            for state in self.states[first : first + states]:
                for distinct, value in zip(values, row_of(state), strict=True):
                    distinct.add(identity(value))
            first += states
            growth.note([len(distinct) for distinct in values])
        return growth

    def exploration(self) -> Exploration:
        return Exploration(
            engine="reference",
            stopped=self.stopped,
            error=self.error,
            generated=self.generated,
            initial=self.generated_initial,
            outside=self.outside,
            levels=self.levels,
            actions=[
                ActionCount(name, enabled, generated, new, bool(assigns))
                for name, (enabled, generated, new, assigns) in self.counts.items()
            ],
            decided=self.decided,
            trace_to=self.trace_to,
            liveness=self._liveness,
            growth=None if self.stopped is None else self._growth(),
        )
