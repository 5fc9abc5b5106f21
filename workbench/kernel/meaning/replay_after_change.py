"""A behaviour taken again with other constants: the step that is refused now, or that now does something else."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.lasso import waiting
from workbench.kernel.meaning.machine import AnyModel, Machine, machine_of
from workbench.kernel.meaning.state import Change, State, changes_of
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.trace import Step, Trace, replay, steps_of

_NO_SUCH_STEP = "with these constants there is no such step"
#: The most initial states in which to look for the behaviour's own.
_MOST_STARTS = 200
#: The most steps that an actor may add before one of the behaviour, for example to take a lock.
_CATCHING_UP = 4


@dataclass(frozen=True)
class Retold:
    """A behaviour under other constants.

    Attributes:
        trace: The behaviour as far as it is possible, including a step that now has a different effect.
        refused: The step that is no longer possible; None if there is none.
        why: The reason why it is refused.
        other: The changes that the last step makes now, if they differ from before. What a process does next comes
            last.
        kept: The cells, other than the actor's own, that the last step used to change and no longer does.
        then: The actions that its actor can take next.
    """

    trace: Trace
    refused: Step | None = None
    why: str = ""
    other: tuple[Change, ...] = ()
    kept: tuple[Cell, ...] = ()
    then: tuple[Any, ...] = ()


def retold(trace: Trace, model: AnyModel) -> Retold:
    """Take the steps of a behaviour in a model with other constants.

    A step is one of the same action by the same actor, with choices as near as can be. Before it, its actor may take
    steps that it needs now. The behaviour ends where it ended before, with a step that is refused, or with one after
    which its actor cannot go on as before.

    Examples:
        >>> from workbench.checking.check import check
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> constants = {"Writers": 2, "MaxCrashes": 0, "AsyncParquet": True}
        >>> told = check(BakeryV2(**constants, RestampPatch=False))["NoLakekeeperConflict"].trace
        >>> again = retold(told, BakeryV2(**constants, RestampPatch=True))
        >>> len(told), len(again.trace), [str(change.cell) for change in again.other], [one.name for one in again.then]
        (18, 18, ['iceberg', 'decision[w2]', 'pc[w2]'], ['release'])
    """
    model = machine_of(model)
    first = trace.steps[0].state
    starts = islice(model.each_initial_state(), _MOST_STARTS)
    begun = replay(model, next((n for n, state in enumerate(starts) if state == first), 0), [])
    steps, before = list(begun.steps), first
    last: Retold | None = None
    turned: dict[Any, Retold] = {}  # for each actor, the story up to its last step that took another course

    def so_far(**more: Any) -> Retold:
        return Retold(Trace(model, begun.start, tuple(steps)), **more)

    for step in (*trace.steps[1 : trace.end + 1], *((trace.back,) if trace.back else ())):
        assert step.instance is not None  # it is no initial state
        who, changes = step.instance.who, changes_of(before, step.state)
        try:
            way = _way(model, steps[-1].state, step, changes)
        except ModelError as error:
            return so_far(refused=step, why=str(error))
        if not way:
            reason = _why(model, steps[-1].state, step, begun.last)
            return turned[who] if who in turned and not reason else so_far(refused=step, why=reason or _NO_SUCH_STEP)
        steps += way
        now = changes_of(steps[-2].state, steps[-1].state)
        last = None
        if now != changes:
            last = turned[who] = so_far(**_otherwise(model, steps[-1], changes, now))
        before = step.state
    return last or so_far()


def _way(model: Machine, at: State, step: Step, changes: Sequence[Change]) -> list[Step]:
    """The steps from `at` up to one like `step`, preparations of its actor included; empty if there are none."""
    assert step.instance is not None
    name = step.instance.action.name
    ways: deque[list[Step]] = deque([[]])
    met = {at}
    while ways:
        way = ways.popleft()
        here = way[-1].state if way else at
        every = _steps_by(model, here, step)
        alike = [candidate for candidate in every if candidate.instance and candidate.instance.action.name == name]
        if alike:
            return [*way, min(alike, key=lambda candidate: _apart(here, candidate, step, changes))]
        if len(way) < _CATCHING_UP:
            for candidate in every:
                if candidate.state not in met:
                    met.add(candidate.state)
                    ways.append([*way, candidate])
    return []


def _steps_by(model: Machine, at: State, step: Step) -> list[Step]:
    """The possible steps of the actor of `step`."""
    return [candidate for instance in _of_actor(model, step) for candidate in steps_of(model, instance, at)]


def _possible(model: Machine, at: State, step: Step) -> set[str]:
    """The names of the actions that the actor of `step` can take."""
    return {candidate.instance.action.name for candidate in _steps_by(model, at, step) if candidate.instance}


def _of_actor(model: Machine, step: Step) -> list[ActionInstance]:
    assert step.instance is not None
    return [instance for instance in model.instances if instance.who == step.instance.who]


def _apart(at: State, candidate: Step, step: Step, changes: Sequence[Change]) -> tuple[int, int]:
    """The distance between two steps: first in arguments and choices, then in changes."""
    actual, intended = ({*map(repr, each.instance.named(each.choices))} for each in (candidate, step) if each.instance)
    return len(actual ^ intended), len({*map(str, changes_of(at, candidate.state))} ^ {*map(str, changes)})


def _why(model: Machine, at: State, step: Step, first: State) -> str:
    """Why no step like this is possible: what its actor waits for; "" if the actor can continue, or has ended."""
    assert step.instance is not None
    every = _of_actor(model, step)
    if _steps_by(model, at, step) or all(instance.identity != step.instance.identity for instance in every):
        return ""
    begins = _possible(model, first, step)
    waits, ended = (
        waiting(model, at, [instance.number for instance in some])
        for some in (every, [instance for instance in every if instance.action.name in begins])
    )
    return "" if waits == ended else waits[0].why


def _otherwise(model: Machine, step: Step, before: Sequence[Change], now: Sequence[Change]) -> dict[str, Any]:
    """The changes of a step that differ from those that it made `before`."""
    assert step.instance is not None
    counters = {instance.action.process.pc for instance in model.instances if instance.action.process}
    member = None if step.instance.actor is None else step.instance.actor.member
    changed = {change.cell for change in now}
    possible = _possible(model, step.state, step)
    every = {instance.action.name: instance.action for instance in model.instances}
    return {
        "other": tuple(sorted(now, key=lambda change: change.cell.variable in counters)),
        "kept": tuple(change.cell for change in before if change.cell not in changed and change.cell.index != member),
        "then": tuple(action for name, action in every.items() if name in possible),
    }
