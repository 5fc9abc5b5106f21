"""A behaviour once more, with other constants: up to the step that is refused now, or does something else."""

from dataclasses import dataclass
from itertools import islice

from workbench.kernel import Machine, ModelError, Trace, machine_of, replay
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.state import Change, changes_of
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.trace import Step, steps_of
from workbench.showing.session.stepper import MOST_STARTS

_NO_SUCH_STEP = "with these constants there is no such step"


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


def retold(told: Trace, model: AnyModel) -> Retold:
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
    model = machine_of(model)
    first = told.steps[0].state
    starts = islice(model.each_initial_state(), MOST_STARTS)
    trace = replay(model, next((n for n, state in enumerate(starts) if state == first), 0), [])
    steps = list(trace.steps)

    def so_far(refused: str = "", why: str = "", other: tuple[Change, ...] = ()) -> Retold:
        return Retold(Trace(model, trace.start, tuple(steps)), refused, why, other)

    instances = {one.identity: one for one in model.instances}
    counters = {one.action.process.pc for one in model.instances if one.action.process}
    before = first
    for step in (*told.steps[1 : told.end + 1], *((told.back,) if told.back else ())):
        assert step.instance is not None  # it is no initial state
        changes = changes_of(before, step.state)
        instance = instances.get(step.instance.identity)
        try:
            possible = _possible(model, instance, steps[-1], step)
        except ModelError as error:
            return so_far(step.label, str(error))
        if isinstance(possible, str):
            return so_far(step.label, possible)
        same = [one for one in possible if changes_of(steps[-1].state, one.state) == changes]
        after = (same or possible)[0]
        other = sorted(changes_of(steps[-1].state, after.state), key=lambda one: one.cell.variable not in counters)
        steps.append(after)
        if not same:
            return so_far(other=tuple(other))
        before = step.state
    return so_far()


def _possible(model: Machine, instance: ActionInstance | None, at: Step, step: Step) -> list[Step] | str:
    """The steps after `at` that are called like `step`, or why there is none."""
    if instance is None:
        return _NO_SUCH_STEP
    possible = [one for one in steps_of(model, instance, at.state) if one.identity == step.identity]
    return possible or model.why_disabled(instance, at.state) or _NO_SUCH_STEP
