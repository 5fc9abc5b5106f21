"""The steps that a lasso could take and never takes, and why fairness lets it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import listed
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.state import Values, row_of
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.trace import Step, Trace

#: Steps are looked for in cycles of this many states at most.
_MOST_STATES = 100

#: Tells whether a condition of fairness, given by its number, counts a step from a row that writes some cells.
Counts = Callable[[int, Values, Mapping[int, Any]], bool]


class _Untaken(NamedTuple):
    """An action that is not taken in a cycle.

    Attributes:
        always: Whether it is enabled in each of its states.
        conditions: The numbers of the conditions of fairness that count its steps.
    """

    label: str
    always: bool
    conditions: frozenset[int]


def untaken(trace: Trace, counts: Counts) -> str:
    """Why the cycle of a lasso need not take the steps that it never takes, in a sentence; "" if there are none."""
    assert trace.loop is not None
    model, cycle = trace.model, trace.steps[trace.loop :]
    if len(cycle) > _MOST_STATES:
        return ""
    back = [trace.back] if trace.back is not None else []
    taken = {step.instance for step in (*cycle[1:], *back)}
    candidates = [_looked_at(model, counts, instance, cycle) for instance in model.instances if instance not in taken]
    free = [step for step in candidates if step is not None and not step.conditions]
    for some in ([step for step in free if step.always], free):
        if some:
            here = f"in state {trace.loop + 1}" if len(cycle) == 1 else "in each state of the cycle"
            how = here if some[0].always else "again and again"
            is_one = len(some) == 1
            return (
                f"{_named(some)} {'is' if is_one else 'are'} possible {how} and never taken: "
                f"{'it has' if is_one else 'they have'} no fairness"
            )
    weak = [step for step in candidates if step is not None and not step.always and _is_weak(model, step)]
    if not weak:
        return ""
    verb, their = ("is", "its") if len(weak) == 1 else ("are", "their")
    return f"{_named(weak)} {verb} possible again and again, not always, and never taken: {their} fairness is weak"


def _looked_at(model: Machine, counts: Counts, instance: ActionInstance, cycle: Sequence[Step]) -> _Untaken | None:
    enabled, conditions = list[bool](), set[int]()
    for step in cycle:
        changing = [outcome for outcome, after in model.outcomes(instance, step.state) if after != step.state]
        enabled.append(bool(changing))
        conditions.update(
            number
            for number, condition in enumerate(model.fairness)
            if condition.assumed
            and instance.number in condition.actions
            and any(counts(number, row_of(step.state), outcome.writes) for outcome in changing)
        )
    return _Untaken(instance.label, all(enabled), frozenset(conditions)) if any(enabled) else None


def _is_weak(model: Machine, step: _Untaken) -> bool:
    return not any(model.fairness[number].strong for number in step.conditions)


def _named(some: Sequence[_Untaken]) -> str:
    return listed((one.label for one in some), room=60)
