"""Lassos: how counterexamples to liveness properties are verified and explained.

A lasso is an infinite behaviour: a prefix, then a cycle or a state in which it stops. :func:`verify_lasso` runs the
model alone and does not know how the lasso was found.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError, call, checked
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.properties import Formula, Predicate, Property
from workbench.kernel.meaning.result import NOBODY, Verdict
from workbench.kernel.meaning.state import Reads, State, row_of, seen
from workbench.kernel.meaning.steps import ActionInstance, Actor, Fairness, met_by
from workbench.kernel.meaning.trace import Trace
from workbench.kernel.meaning.values import show

_MOST_WHYS = 2


class Lasso(NamedTuple):
    """An infinite behaviour: the transitions from initial state number `start`, and where they return to.

    Attributes:
        steps: The transitions: moves, or positions in the arrays of the compiled version. In a cycle the last one leads
            back, so there are as many as states; in a stop, one fewer.
        loop: The index of the state that is returned to; the last index for a stop.
    """

    start: int
    steps: list[Any]
    loop: int

    @property
    def states(self) -> int:
        """The number of states; the one returned to counts once."""
        return max(len(self.steps), self.loop + 1)


def truth(name: str, predicate: Predicate, state: Any) -> bool:
    """Whether a predicate in the formula of property `name` holds in `state`."""
    subject = f"liveness {name}: a predicate of its formula"
    return bool(checked(subject, predicate, call(f"property {name}", predicate, seen(state))))


class Demand(NamedTuple):
    """Whether a formula's trigger, if any, is ever true in a space, and its goal is ever due but not yet true."""

    triggered: bool
    due: bool

    @classmethod
    def of(cls, formula: Formula, triggered: bool, lacking: bool) -> "Demand":
        """The demand of a formula whose trigger is true somewhere, and there its goal may be `lacking`.

        A goal that must hold for ever is due after a state in which it is true, too.
        """
        return cls(formula.trigger is None or triggered, triggered if formula.is_always else lacking)


def liveness_verdict(
    model: Machine, declared: Property, find: Callable[[Formula], tuple[Trace | None, Demand]]
) -> Verdict:
    """The verdict on a liveness property, with the smallest counterexample that `find` gives for its formulas.

    Raises:
        ModelError: If `find` gives something that is not a counterexample.
    """
    lassos, demands = [], []
    for arguments, formula in model.formulas(declared.name):
        trace, demand = find(formula)
        demands.append(demand)
        if trace is not None:
            verify_lasso(trace, formula, model.fairness)
            lassos.append((arguments, formula.part, trace))
    if not lassos:
        return Verdict.on(declared, True, _idle(demands))
    arguments, part, trace = min(lassos, key=lambda lasso: len(lasso[2]))
    for_whom = f"it fails for {', '.join(map(show, arguments))}; " if arguments else ""
    which = f"{part} fails; " if part else ""
    broken = model.why_broken(declared, trace)
    lacks = f"{broken}; " if broken else ""
    return Verdict.on(declared, False, f"{for_whom}{which}{lacks}{trap(trace)}", trace=trace)


def _idle(demands: Sequence[Demand]) -> str | None:
    """The reason why a property holds vacuously; None if it does not."""
    if not demands:
        return NOBODY
    if any(demand.due for demand in demands):
        return None
    if any(demand.triggered for demand in demands):
        return "it asks for nothing: its goal is true already wherever it is due"
    return "it asks for nothing: its trigger is never true"


def verify_lasso(trace: Trace, formula: Formula, fairness: Sequence[Fairness]) -> None:
    """Check by running the model that `trace` is a fair behaviour that violates `formula`.

    Raises:
        ModelError: If it is not; the text says why.
    """
    model, states = trace.model, trace.states
    steps = [*trace.steps[1:], *([] if trace.back is None else [trace.back])]
    if trace.loop is None or not 0 <= trace.loop < len(states):
        raise ModelError(f"a lasso needs the state it returns to; {trace.loop} is none of its {len(states)}")
    if (trace.back is None) != (trace.loop == len(states) - 1):
        raise ModelError("a lasso ends in a cycle of two states or more, or it stops in its last state")
    if states[0] not in model.initial_states():
        raise ModelError("the lasso does not begin in an initial state")
    followed = [*states[1:], states[trace.loop]]
    for source, step, target in zip(states, steps, followed, strict=False):
        outcomes = model.outcomes(model.instances[step.move.instance], source) if step.move else []
        if step.move is None or step.move.outcome >= len(outcomes) or outcomes[step.move.outcome][1] != target:
            raise ModelError(f"the lasso's step {step.label} is not one of the model")
    pairs = list(zip(states, followed if trace.back else states[1:], strict=False))
    counted = [any(after in _changes(model, before, n, fairness[n]) for n in formula.steps) for before, after in pairs]
    _check_formula(trace, trace.loop, formula, counted)
    for number in met_by(fairness, formula):
        _check_fair(model, states[trace.loop :], pairs[trace.loop :], number, fairness[number])


def _check_formula(trace: Trace, loop: int, formula: Formula, counted: Sequence[bool]) -> None:
    """Check that the formula is violated; `counted` tells for each step whether it is one of the formula's."""
    goal = [bool(formula.goal(seen(state))) for state in trace.states]
    begins = trace.states[:1] if formula.begins else trace.states
    entries = [i for i, state in enumerate(begins) if formula.trigger is None or formula.trigger(seen(state))]
    if formula.kind == "eventually_always":
        violated = not all(goal[loop:])
    elif formula.is_always:
        violated = any(not all(goal[min(i, loop) :]) for i in entries)
    else:
        violated = any(not any(goal[min(i, loop) :]) and not any(counted[min(i, loop) :]) for i in entries)
    if not violated:
        raise ModelError(f"the lasso does not violate the formula ({formula.kind})")


def _changes(model: Machine, state: Any, which: int, condition: Fairness) -> set[Any]:
    """The states, other than `state`, to which the steps from it lead that a condition counts."""
    return {
        after
        for number in condition.actions
        for outcome, after in model.outcomes(model.instances[number], state)
        if after != state and outcome.counts(which)
    }


def _check_fair(
    model: Machine, loop: Sequence[Any], pairs: Sequence[tuple[Any, Any]], which: int, condition: Fairness
) -> None:
    changes = {state: _changes(model, state, which, condition) for state in loop}
    enabled = [bool(changes[state]) if condition.enabled is None else condition.enabled(seen(state)) for state in loop]
    due = any(enabled) if condition.strong else all(enabled)
    if due and not any(target in changes[source] for source, target in pairs):
        when = "again and again" if condition.strong else "always"
        raise ModelError(f"the lasso is not fair: {condition.label} is {when} enabled in the loop, and never steps")


class Wait(NamedTuple):
    """An actor that waits, and why, in the words of the guards that fail.

    Attributes:
        actor: None for the actions that no process takes.
        lane: The same as people read it.
    """

    actor: Actor | None
    lane: str
    why: str

    def __str__(self) -> str:
        is_named = not self.lane or self.lane in re.findall(r"\w+", self.why)
        return self.why if is_named else f"{self.lane}: {self.why}"


class Trap(NamedTuple):
    """The infinite end of a lasso.

    Attributes:
        moves: Whether it contains steps, not only stuttering.
        waits: The fair processes that wait. None of them takes these steps.
        unfair: The remark that nothing in the model is fair; empty if something is.
    """

    moves: bool
    waits: tuple[Wait, ...]
    unfair: str

    @property
    def whys(self) -> str:
        """The reasons why nothing else happens."""
        nothing = "" if self.moves else "no fair process has anything to wait for"
        return "; ".join(map(str, self.waits)) or self.unfair or nothing

    def __str__(self) -> str:
        if self.moves:
            return "; ".join(filter(None, ["it goes round and round", self.whys]))
        return f"stuck: {self.whys}"


def trap(trace: Trace) -> Trap:
    """The end of a lasso, with what each fair process waits for."""
    model = trace.model
    loop = trace.steps[(trace.loop or 0) + 1 :] if trace.back else ()
    moves = [step.move for step in (*loop, trace.back) if step is not None and step.move is not None]
    moving = {model.instances[move.instance].actor for move in moves}
    fair = sorted(frozenset().union(*(condition.actions for condition in model.fairness if condition.assumed)))
    unfair = "" if fair else f"no action or process of {model.name} is fair, so everything may stop"
    return Trap(bool(moving), waiting(model, trace.last, fair, moving), unfair)


def waiting(model: Machine, state: Any, numbers: Iterable[int], moving: Container[Any] = ()) -> tuple[Wait, ...]:
    """The waits in `state` of the processes that take the action instances `numbers` and are not `moving`.

    A process waits in the guard that reads most cells before it fails. If all guards of a process fail at the first
    cell - usually the program counter of one that has ended - and others get further, it is left out.
    """
    obstacles: dict[Any, tuple[str, list[_Obstacle]]] = {}
    for number in numbers:
        instance, reads = model.instances[number], Reads(row_of(state))
        outcomes, whys = instance.run(reads)
        if instance.actor not in moving:
            _, met = obstacles.setdefault(instance.actor, (instance.lane, []))
            seen_cells = len({model.layout.shown_of[cell] for cell in reads})
            met.extend(_Obstacle(seen_cells, instance, reason) for reason in ([] if outcomes else whys))
    least = min(2, max((obstacle.reads for _, met in obstacles.values() for obstacle in met), default=0))
    return tuple(
        Wait(who, lane, _in_words(model, state, furthest))
        for who, (lane, met) in obstacles.items()
        if (furthest := _furthest(met, least))
    )


class _Obstacle(NamedTuple):
    """A guard of `instance` that fails, and the number of cells that were read until then."""

    reads: int
    instance: ActionInstance
    why: str


def _furthest(met: Sequence[_Obstacle], least: int) -> dict[str, ActionInstance]:
    """The guards that read most cells, each with the first instance that fails there; empty if all read too few."""
    most, furthest = max((obstacle.reads for obstacle in met), default=-1), dict[str, ActionInstance]()
    for obstacle in met:
        if obstacle.reads == most >= least:
            furthest.setdefault(obstacle.why, obstacle.instance)
    return furthest


def _in_words(model: Machine, state: State, furthest: Mapping[str, ActionInstance]) -> str:
    reasons = dict[str, None]()
    for reason, instance in [*furthest.items()][:_MOST_WHYS]:
        reasons.update(dict.fromkeys(model.obstacles(instance, state, [reason])))
    more = f" (and {len(furthest) - _MOST_WHYS} more)" if len(furthest) > _MOST_WHYS else ""
    return ", ".join([*reasons][:_MOST_WHYS]) + more


def judge_end(model: Any, state: State) -> bool | str:
    """Whether `state` has a next step, or a behaviour may end there; otherwise what processes wait for."""
    if model.may_end(state) or any(model.outcomes(instance, state) for instance in model.instances):
        return True
    return "; ".join(map(str, waiting(model, state, range(len(model.instances))))) or "nothing can happen any more"
