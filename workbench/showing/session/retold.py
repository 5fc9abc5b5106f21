"""A behaviour once more, with other constants: up to the step that is refused now, or does something else."""

from dataclasses import dataclass
from itertools import islice

from workbench.kernel import Model, ModelError, State, Trace, replay
from workbench.kernel.state import Change
from workbench.kernel.trace import Step, options

#: How many initial states are compared with the one that the behaviour begins in.
_MOST_STARTS = 200


@dataclass(frozen=True)
class Retold:
    """A behaviour as it goes with other constants.

    Attributes:
        trace: As far as it goes as before, and with the step that now does something else.
        refused: The label of the step that cannot follow; "" if there is none.
        why: Why it is refused.
        other: What the last step changes now, where it changed something else before; what a process does next comes
            first.
    """

    trace: Trace
    refused: str = ""
    why: str = ""
    other: tuple[Change, ...] = ()


def retold(told: Trace, model: Model) -> Retold:
    """Take the steps of a behaviour in a model with other constants, by their labels.

    Examples:
        >>> from workbench.checking.check import check
        >>> from workbench.protocols.bakery.v2 import BakeryV2
        >>> constants = {"Writers": 2, "MaxCrashes": 0, "AsyncParquet": True}
        >>> told = check(BakeryV2(**constants, RestampPatch=False))["NoLakekeeperConflict"].trace
        >>> again = retold(told, BakeryV2(**constants, RestampPatch=True))
        >>> len(told), len(again.trace), str(again.other[0].cell), again.other[0].after
        (18, 17, 'pc[w2]', 'Decide')
    """
    values = told.steps[0].state.values
    starts = islice(model.each_initial_state(), _MOST_STARTS)
    trace = replay(model, next((n for n, state in enumerate(starts) if state.values == values), 0), [])
    steps = list(trace.steps)

    def so_far(refused: str = "", why: str = "", other: tuple[Change, ...] = ()) -> Retold:
        return Retold(Trace(model, trace.start, tuple(steps)), refused, why, other)

    counters = {one.action.process.pc for one in model.instances if one.action.process}
    before = told.steps[0].state
    for step in (*told.steps[1 : told.end + 1], *((told.back,) if told.back else ())):
        changes = before.changes_to(step.state)
        try:
            possible = _possible(model, steps[-1].state, step.label)
        except ModelError as error:
            return so_far(step.label, str(error))
        if isinstance(possible, str):
            return so_far(step.label, possible)
        same = [one for one in possible if steps[-1].state.changes_to(one.state) == changes]
        after = (same or possible)[0]
        other = sorted(steps[-1].state.changes_to(after.state), key=lambda one: one.cell.variable not in counters)
        steps.append(after)
        if not same:
            return so_far(other=tuple(other))
        before = step.state
    return so_far()


def _possible(model: Model, state: State, label: str) -> list[Step] | str:
    """The steps of that label in a state, or why there is none."""
    known = options(model, state)
    possible = [step for one in known for step in one.steps if step.label == label]
    if possible:
        return possible
    whys = [model.why_disabled(one.instance, state) for one in known if one.instance.label == label]
    return next(filter(None, whys), "with these constants there is no such step")
