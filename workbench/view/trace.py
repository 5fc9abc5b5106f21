"""A trace as plain data: who steps, what each step changes, whom that concerns, and which properties hold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from workbench.formats.permalink import permalink
from workbench.kernel import Model, State, Trace
from workbench.kernel.errors import unknown
from workbench.kernel.state import Cell, Change
from workbench.kernel.values import show
from workbench.view import sequence
from workbench.view.access import accesses
from workbench.view.html import Drawn, badge, element, escape
from workbench.view.statetable import state_table
from workbench.view.truth import Truth, judges

#: The lane of what no single actor owns.
SHARED = "shared state"
#: The lane of actions that no process takes.
NOBODY = "environment"


@dataclass(frozen=True)
class StepView:
    """One step of a trace.

    Attributes
    ----------
    number : int
        Counted from 1, the initial state.
    label, lane : str
    state : State
    changes : tuple of Change
    effects : dict of str to tuple of Change
        For every other lane that the step has an effect on, what it changed there.
    truths : tuple of Truth
    """

    number: int
    label: str
    lane: str
    state: State
    changes: tuple[Change, ...] = ()
    effects: dict[str, tuple[Change, ...]] = field(default_factory=dict)
    truths: tuple[Truth, ...] = ()

    @property
    def broken(self) -> tuple[Truth, ...]:
        """The invariants that are violated in this state."""
        return tuple(truth for truth in self.truths if truth.broken)


class TraceView(Drawn):
    """A trace to look at; made by :func:`trace_view`.

    Attributes
    ----------
    trace : Trace
    lanes : list of str
        The actors in the order of the model's processes, then the shared state. A process without members, such as a
        crasher, is left out where it does nothing.
    steps : list of StepView
    back : StepView or None
        The step that closes a cycle.
    permalink : str
    """

    def __init__(self, trace: Trace, lanes: list[str], steps: list[StepView], back: StepView | None) -> None:
        self.trace, self.lanes, self.steps, self.back = trace, lanes, steps, back
        self.loop = trace.loop

    @cached_property
    def permalink(self) -> str:
        return permalink(self.trace)

    @property
    def ending(self) -> str | None:
        """How a lasso goes on; None for a finite behaviour."""
        if self.loop is None:
            return None
        return "stops for ever" if self.back is None else f"back to state {self.loop + 1}, for ever"

    def as_dict(self) -> dict[str, Any]:
        """Everything as lists, dictionaries and texts."""
        return {
            "model": self.trace.model.name,
            "permalink": self.permalink,
            "lanes": self.lanes,
            "loop": self.loop,
            "steps": [_as_dict(step) for step in self.steps],
            "back": None if self.back is None else _as_dict(self.back),
        }

    def svg(self, current: int | None = None, width: float = math.inf) -> str:
        """The lanes; row i is a group with ``data-step="i"``, and that of index `current` is marked.

        They are made narrower, as far as is sensible, to fit into `width`.
        """
        return sequence.draw(self, current, width)

    def step_html(self, index: int) -> str:
        """The state after step `index`: what changed, every property's truth, and the rest folded."""
        step = self.steps[index]
        then = "" if self.ending is None or index + 1 < len(self.steps) else f"Then: {self.ending}."
        return state_table(step.state, step.changes, step.truths).html() + element("p", escape(then), class_="wb-note")

    def html(self) -> str:
        steps = "".join(map(self._foldable, range(len(self.steps))))
        link = f'<p class="wb-note">Permalink <code>{escape(self.permalink)}</code></p>'
        return f'<div class="wb-trace" tabindex="0"><div class="wb-lanes">{self.svg()}</div>{steps}{link}</div>'

    def _foldable(self, index: int) -> str:
        """One step, folded to its label unless it is the last."""
        step = self.steps[index]
        count = f" \N{MIDDLE DOT} {len(step.changes)} changed" if step.changes else ""
        broken = "".join(" " + badge("violated", f"{truth.name} violated") for truth in step.broken)
        summary = f"<summary><b>{step.number}</b> <code>{escape(step.label)}</code>{count}{broken}</summary>"
        opened = " open" if index == len(self.steps) - 1 else ""
        return f'<details class="wb-state" data-step="{index}"{opened}>{summary}{self.step_html(index)}</details>'

    def text(self) -> str:
        return repr(self.trace)


def _as_dict(step: StepView) -> dict[str, Any]:
    return {
        "number": step.number,
        "label": step.label,
        "lane": step.lane,
        "state": {str(cell): show(value) for cell, value in step.state.items()},
        "changes": [_change(c) for c in step.changes],
        "effects": {lane: [_change(c) for c in changes] for lane, changes in step.effects.items()},
        "truths": [{"name": t.name, "kind": t.kind, "holds": t.holds, "why": t.why} for t in step.truths],
    }


def _change(change: Change) -> dict[str, str]:
    return {"cell": str(change.cell), "before": show(change.before), "after": show(change.after)}


def trace_view(
    trace: Trace, *, variables: Sequence[str] | None = None, properties: Sequence[str] | None = None
) -> TraceView:
    """A trace with its lanes, effects and truths worked out.

    Parameters
    ----------
    trace : Trace
    variables : sequence of str, optional
        Show changes of these variables only.
    properties : sequence of str, optional
        The properties whose truth is shown; all that the model declares for None.

    Raises
    ------
    InputError
        For a variable or property that the model does not declare.

    Examples
    --------
    >>> from workbench.kernel import replay
    >>> from workbench.models.bakery import Bakery
    >>> view = trace_view(replay(Bakery(Writers=2), 0, [(0, 0), (2, 0)]), variables=["claims", "my_ticket"])
    >>> view.lanes
    ['w1', 'w2', 'shared state']
    >>> view.steps[2].lane, [str(change.cell) for change in view.steps[2].changes]
    ('w1', ['claims', 'my_ticket[w1]'])
    >>> list(view.steps[2].effects)
    ['shared state']
    """
    model = trace.model
    for name in variables or ():
        if name not in model.declared_variables:
            raise unknown(f"variable of {model.name}", name, model.declared_variables)
    owners = _Owners(model, trace)
    judging = judges(model, properties)
    wanted = None if variables is None else set(variables)

    def view(number: int, label: str, lane: str, before: State | None, after: State) -> StepView:
        every = () if before is None else before.changes_to(after)
        changes = tuple(c for c in every if wanted is None or c.cell.variable in wanted)
        effects: dict[str, list[Change]] = {}
        for change in changes:
            owner = owners.of(change.cell)
            if owner != lane:
                effects.setdefault(owner, []).append(change)
        kept = {name: tuple(effects[name]) for name in owners.lanes if name in effects}
        return StepView(number, label, lane, after, changes, kept, tuple(judge(after) for judge in judging))

    steps = []
    before = None
    for number, step in enumerate(trace.steps, 1):
        steps.append(view(number, step.label, _lane(step) if step.move else "", before, step.state))
        before = step.state
    back = None
    if trace.back is not None:
        back = view(len(steps) + 1, trace.back.label, _lane(trace.back), before, trace.back.state)
    busy = {lane for step in [*steps, *([back] if back else [])] for lane in (step.lane, *step.effects)}
    lanes = [lane for lane in owners.lanes if lane in busy or lane in owners.members or lane == SHARED]
    return TraceView(trace, lanes, steps, back)


def _lane(step: Any) -> str:
    return step.lane or NOBODY


class _Owners:
    """Says in which lane a cell lies.

    A cell with an actor in its index is that actor's. What only a process of its own touches, in the states of the
    trace, is private to that process, such as its program counter. The rest is shared.
    """

    def __init__(self, model: Model, trace: Trace) -> None:
        actors = list(dict.fromkeys(_lane(instance) for instance in model.instances))
        self.lanes = [*actors, SHARED]
        self._actors = set(actors)
        self.members = {_lane(i) for i in model.instances if i.action.process and i.action.process.per is not None}
        users: dict[Cell, set[str]] = {}
        for one in accesses(model, trace.states):
            process = one.instance.action.process
            lane = _lane(one.instance) if process is None or process.per is None else SHARED
            for cell in one.reads | one.writes:
                users.setdefault(cell, set()).add(lane)
        self._private = {cell: next(iter(lanes)) for cell, lanes in users.items() if len(lanes) == 1}

    def of(self, cell: Cell) -> str:
        for part in cell.index if isinstance(cell.index, tuple) else (cell.index,):
            if part in self._actors:
                return part
        return self._private.get(cell, SHARED)
