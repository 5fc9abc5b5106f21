"""Compares two runs step by step: which steps are the same, which differ in effect, and where the runs diverge.

Steps in which the same actor takes the same action are paired; what they change decides the kind of the pair.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from workbench.kernel import Machine, Trace
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.replay_after_change import retold
from workbench.kernel.meaning.state import Change
from workbench.kernel.meaning.values import counted
from workbench.showing.view.base.difference import BECOMES, brief
from workbench.showing.view.base.html import clip
from workbench.showing.view.base.wording import Wording, clause, told_change
from workbench.showing.view.trace.steps import StepView
from workbench.showing.view.trace.trace import TraceView, trace_view

#: The kinds of steps: both runs take it, with the same effect; with one that differs only in the actor's own variables;
#: with another effect. The other run refuses it; only one run takes it.
SAME, OWN, OTHER, REFUSED, ONLY = "same", "own", "other", "refused", "only"
#: How steps that both runs take compare, in words.
EFFECTS = {
    SAME: "the same",
    OWN: "only its actor's own variables differ",
    OTHER: "another effect",
}
#: The most letters of a change in a sentence.
_MOST = 90


@dataclass(frozen=True)
class Column:
    """A step of one run, and the step of the other run that it is paired with.

    Attributes:
        kind: One of :data:`SAME`, :data:`OWN`, :data:`OTHER`, :data:`REFUSED` and :data:`ONLY`.
        steps: The step of each run; None for a run that does not take it.
        at: The index of each run's state after it.
        differing: The cells that the two steps change differently; the actor's own cells only if there are no others.
    """

    kind: str
    steps: tuple[StepView | None, StepView | None]
    at: tuple[int, int]
    differing: tuple[Cell, ...] = ()

    @property
    def step(self) -> StepView:
        """The step of the first run, or else that of the second."""
        step = self.steps[0] or self.steps[1]
        assert step is not None
        return step

    @property
    def side(self) -> int | None:
        """The run that alone takes the step; None if both do."""
        return None if None not in self.steps else self.steps.index(None) ^ 1

    def change(self, side: int, cell: Cell) -> Change | None:
        """The change of a cell by the step of one side."""
        step = self.steps[side]
        return None if step is None else _changed(step).get(cell)


@dataclass(frozen=True)
class Runs:
    """Two runs beside each other.

    Attributes:
        names: The names of the two.
        whys: For each run, the reason why it refuses the other's next step; "" if it refuses none.
    """

    sides: tuple[TraceView, TraceView]
    names: tuple[str, str] = ("left", "right")
    whys: tuple[str, str] = ("", "")

    @cached_property
    def columns(self) -> list[Column]:
        """The steps of both runs in order, the initial states first."""
        columns, one, other = [], -1, -1
        for left, right in _beside(*map(every_step, self.sides)):
            one, other = one + (left is not None), other + (right is not None)
            columns.append(_column((left, right), (one, other)))
        for side, reason in enumerate(self.whys):
            if reason:
                last = max(n for n, column in enumerate(columns) if column.steps[side] is not None)
                columns[last + 1] = replace(columns[last + 1], kind=REFUSED)
        return columns

    @cached_property
    def diverge(self) -> int | None:
        """The index of the first column that differs in more than the actor's own variables; None if there is none."""
        return next((n for n, column in enumerate(self.columns) if column.kind not in (SAME, OWN)), None)

    @property
    def summary(self) -> Wording:
        """The first divergence in words."""
        if self.diverge is not None:
            return self.sentence(self.columns[self.diverge])
        own = any(column.kind == OWN for column in self.columns)
        beside = "; only variables of the actors themselves differ" if own else ""
        ends = [f"{name} {side.ending}" for name, side in zip(self.names, self.sides, strict=True) if side.ending]
        then = f"; then {' and '.join(ends)}" if ends else ""
        return Wording(f"Both runs take the same steps{beside}{then}")

    def taken_by(self, column: Column) -> str:
        """Which run takes a step that the other does not, or which refuses it; "" for a step of both."""
        if column.side is None:
            return ""
        refused = column.kind == REFUSED
        return f"{self.names[1 - column.side]} refuses it" if refused else f"only {self.names[column.side]} takes it"

    def sentence(self, column: Column) -> Wording:
        """How the two runs differ at a step, in words."""
        act = clause(column.step.step)
        if column.side is not None:
            reason = f": {self.whys[1 - column.side]}" if column.kind == REFUSED else ""
            return Wording(f"{act} - {self.taken_by(column)}{reason}")
        if column.kind == SAME:
            return Wording(f"{act} - the same in both")
        cell, *more = column.differing
        clauses = [f"{name} {effect}" for name, effect in zip(self.names, _clauses(column, cell), strict=True)]
        rest = f" (and {counted(len(more), 'other cell')})" if more else ""
        return Wording(f"{act} - {EFFECTS[column.kind]}", f"{'; '.join(clauses)}{rest}")


def runs_of(
    traces: tuple[Trace | None, Trace | None],
    models: tuple[Machine, Machine],
    names: tuple[str, str] = ("left", "right"),
    properties: Sequence[str] | None = None,
) -> Runs | None:
    """Two traces step by step; None if there is neither.

    Args:
        traces: Where there is one only, its actors act again in the other model, as far as they can.
        properties: The properties that are judged in the states; None for all.
    """
    one, other = traces
    whys = ["", ""]
    if one is None and other is None:
        return None
    if one is None:
        assert other is not None
        again = retold(other, models[0])
        one, whys[0] = again.trace, again.why
    elif other is None:
        again = retold(one, models[1])
        other, whys[1] = again.trace, again.why
    left, right = (
        trace_view(trace, properties=properties and trace.model.applicable(properties)) for trace in (one, other)
    )
    return Runs((left, right), names, (whys[0], whys[1]))


def every_step(view: TraceView) -> list[StepView]:
    """The steps of a run, including the step that closes a cycle."""
    return [*view.steps, *([view.back] if view.back else [])]


def _act(step: StepView) -> tuple[str, str]:
    """The lane of a step, and the name of its action."""
    return step.lane, "" if step.step.instance is None else step.step.instance.action.name


def _beside(one: list[StepView], other: list[StepView]) -> Iterator[tuple[StepView | None, StepView | None]]:
    """Pair the steps of two runs; None stands in for a step that one run lacks. A common prefix is kept paired."""
    left, right = list(map(_act, one)), list(map(_act, other))
    common = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    yield from zip(one[:common], other[:common], strict=True)
    matcher = SequenceMatcher(None, left[common:], right[common:], autojunk=False)
    for kind, *ends in matcher.get_opcodes():
        i, i_end, j, j_end = (end + common for end in ends)
        if kind == "equal":
            yield from zip(one[i:i_end], other[j:j_end], strict=True)
        else:
            yield from ((step, None) for step in one[i:i_end])
            yield from ((None, step) for step in other[j:j_end])


def _column(steps: tuple[StepView | None, StepView | None], at: tuple[int, int]) -> Column:
    one, other = steps
    if one is None or other is None:
        return Column(ONLY, steps, at)
    left, right = _changed(one), _changed(other)
    differing = [cell for cell in {**left, **right} if _after(left.get(cell)) != _after(right.get(cell))]
    if not differing:
        return Column(SAME, steps, at)
    others = {change.cell for step in (one, other) for changes in step.effects.values() for change in changes}
    effect = tuple(cell for cell in differing if cell in others)
    return Column(OTHER if effect else OWN, steps, at, effect or tuple(differing))


def _changed(step: StepView) -> dict[Cell, Change]:
    return {change.cell: change for change in step.changes}


def _after(change: Change | None) -> str | None:
    """The text of a new value: values of two models may not be comparable."""
    return None if change is None else change.notation.show(change.after)


def _clauses(column: Column, cell: Cell) -> Iterator[str]:
    """Two clauses that say what each step does to a cell. The second refers to the cell as "it"."""
    name = str(cell)
    for side in (0, 1):
        change = column.change(side, cell)
        if change is None:
            yield f"leaves {name} alone"
        else:
            before, after = (brief(change.notation.show(value)) for value in (change.before, change.after))
            whole = f"sets {name}: {before} {BECOMES} {after}"
            yield whole if len(whole) <= _MOST else f"changes {clip(told_change(change), _MOST)}"
        name = "it"
