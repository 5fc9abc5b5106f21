"""A trace as plain data: who takes each step, what it changes, which actors that affects, and which properties hold."""

import base64
import gzip
import json
import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from workbench.formats.permalink import permalink
from workbench.formats.refinement_trace import AbstractTrace, abstract
from workbench.kernel import Machine, State, Trace, Verdict
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.lasso import Trap, trap
from workbench.kernel.meaning.properties import Fault, Place
from workbench.kernel.meaning.state import Change, cells_of, changes_of, foreground, texts_of
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.trace import Step
from workbench.kernel.meaning.values import Map, counted, is_same
from workbench.showing.pictures import Picture, faults, picture
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.view.base.html import Drawn, Rendered, badge, folded
from workbench.showing.view.base.statetable import state_table
from workbench.showing.view.base.truth import StepTruths, Truth, judges
from workbench.showing.view.base.wording import NOBODY, Wording, clause, listed
from workbench.showing.view.trace import sequence
from workbench.showing.view.trace.read_write_sets import accesses
from workbench.showing.view.trace.refined import refined_steps
from workbench.showing.view.trace.source_listing import listing, marks_in
from workbench.showing.view.trace.steps import Lanes, StepView
from workbench.showing.view.trace.watches import Watch, aliases, watch, watch_table, watched_here

#: The lane of cells that no single actor owns.
SHARED = "shared state"
#: The width of the lanes if the available room is unknown.
WIDTH = 800


class TraceView(Lanes, Drawn):
    """A trace to look at; made by :func:`trace_view`.

    Attributes:
        properties: The properties whose truth is shown; None for all.
        watches: The watches with their values in every state: the model's aliases, then expressions.
        remark: The remark at its end; None for none.
        at: The index of the step that is shown first.
    """

    def __init__(
        self,
        trace: Trace,
        lanes: list[str],
        steps: list[StepView],
        back: StepView | None,
        properties: Sequence[str] | None = None,
        watches: Sequence[Watch] = (),
        abstract: AbstractTrace | None = None,
        remark: Wording | None = None,
        at: int | None = None,
    ) -> None:
        super().__init__(trace, lanes, steps, back, abstract)
        self.properties, self.watches, self.remark = properties, watches, remark
        self.at = min(len(steps) - 1 if at is None else at, len(steps) - 1)

    @cached_property
    def permalink(self) -> str:
        return permalink(self.trace, [watch.expression for watch in self._asked])

    def as_dict(self) -> dict[str, Any]:
        """Everything as lists, dictionaries and texts."""
        return {
            "model": self.trace.model.name,
            "permalink": self.permalink,
            "lanes": self.lanes,
            "loop": self.loop,
            "steps": [_as_dict(step) for step in self.steps],
            "back": None if self.back is None else _as_dict(self.back),
            "watches": [watch.as_dict() for watch in self.watches],
        }

    @cached_property
    def standing(self) -> list[dict[str, str]]:
        """For each state, the line of the model's text that each actor is at."""
        return [dict(self.trace.model.standing(state)) for state in self.trace.states]

    @cached_property
    def marks(self) -> list[list[dict[str, Any]]]:
        """The parts of the model's text that are false, in each state; see :func:`marks_in`."""
        return [marks_in(self.trace.model, (truth.fault for truth in step.broken)) for step in self.steps]

    def picture(self, index: int, **options: Any) -> Picture:
        """The picture of the state after step `index`, with changes and faults marked.

        `options` are those of the model's picture, see :func:`workbench.showing.pictures.options_of`.
        """
        model, states, step = self.trace.model, self.trace.states, self.steps[index]
        wrong = faults(model, step.state, self.properties) if step.broken else []
        wrong += [truth.fault for truth in step.broken if truth.kind != "invariant"]
        wrong += [self._trapped] if self._trapped is not None and index >= (self.loop or 0) else []
        title = f"{step.number}  {clause(step.step)}"
        return picture(model, states[index], states[:index], wrong, title=title, **options)

    def picture_svg(self, index: int, **options: Any) -> Markup:
        """The picture as SVG, with ids that no picture of another trace on the page has."""
        return self.picture(index, **options).svg_with(self.prefix)

    def pictures(self, **options: Any) -> list[str]:
        """The pictures of all states, as SVG."""
        return [self.picture_svg(index, **options) for index in range(len(self.steps))]

    @cached_property
    def trap(self) -> Trap | None:
        """The actors that wait for ever in the loop of a lasso."""
        return None if self.loop is None else trap(self.trace)

    @cached_property
    def _trapped(self) -> Fault | None:
        """The trap as a fault at the program counters of those that wait."""
        if self.trap is None:
            return None
        model = self.trace.model
        waiting = [wait.actor for wait in self.trap.waits if wait.actor is not None]
        places = [Place(model.declared.processes[actor.process].pc, actor.member) for actor in waiting]
        return Fault(str(self.trap), *(place for place in places if place.variable in model.layout.positions))

    @property
    def then(self) -> str | None:
        """A sentence on the continuation of a lasso, and on the processes that wait there."""
        if self.trap is None:
            return None
        waits = self.trap.whys
        how = f"it {self.ending}" if self.back is None else self.ending
        return f"Then {how}{f': {waits}' if waits else ''}."

    @cached_property
    def prefix(self) -> str:
        """A prefix that keeps this trace's ids apart from those of other traces on a page."""
        return f"t{zlib.crc32(self.permalink.encode()):08x}-"

    def svg(self, current: int | None = None, width: float = math.inf) -> Markup:
        """The lanes; row i is a group with ``data-step="i"``, and that of index `current` is marked.

        They are made as wide as `width`, unless that is too little for them.
        """
        return sequence.draw(self, current, width)

    def lanes_for_lessons(self) -> list[str]:
        """The lanes as narrow as can be, and wider: large letters leave them as much room as 500 or 660 px have."""
        return list(dict.fromkeys(self.svg(width=width) for width in (0, 500, 660)))

    def step_html(self, index: int) -> Markup:
        """The state after step `index`: watches, changes, the truth of every property, and the rest folded away."""
        step = self.steps[index]
        then, remark = (self.then, self.remark) if self._is_last(index) else (None, None)
        parts = (
            element("p", step.sentence, class_="wb-sentence"),
            watched_here(self.watches, index),
            step.refined.html() if step.refined else None,
            state_table(step.state, step.changes, step.truths).html(),
            element("p", then, class_="wb-note wb-ending") if then else None,
            element("p", remark.html(), class_="wb-note wb-remarked") if remark else None,
        )
        return joined(parts)

    def _is_last(self, index: int) -> bool:
        return index + 1 == len(self.steps)

    def html(self) -> Markup:
        """One picture beside the lanes, with the states folded; a script steps through the pictures of all states."""
        steps = map(self._foldable, range(len(self.steps)))
        link = folded("Permalink", element("code", self.permalink, class_="wb-link"), class_="wb-note wb-link")
        pictures = [self.picture(index) for index in range(len(self.steps))]
        drawn = [drawing.svg_with(self.prefix) for drawing in pictures]
        listed_source = listing(self.trace.model, self.prefix, is_open=any(self.standing))
        widest, tallest = (max(sides) for sides in zip(*(drawing.size for drawing in pictures), strict=True))
        watched = (
            folded("watched", self._table(self.watches).html(), is_open=True, class_="wb-watched")
            if self.watches
            else None
        )
        beside = element(
            "div",
            element("div", drawn[self.at], class_="wb-picture"),
            element("div", self.svg(width=WIDTH), class_="wb-lanes"),
            class_="wb-beside",
        )
        return element(
            "div",
            beside,
            watched,
            folded("Every state, and what is true in it", joined(steps), class_="wb-states"),
            element("div", listed_source, class_="wb-listings") if listed_source else None,
            link,
            class_="wb-trace",
            style=f"--wb-widest:{widest:.0f}px;--wb-tallest:{tallest:.0f}px",
            tabindex=0,
            role="group",
            aria_label=f"behaviour of {self.trace.model.name}",
            data_pictures=packed(drawn),
            data_lanes=packed(self.lanes_for_lessons()),
            data_strip=json.dumps(self.strip),
            data_texts=json.dumps(self.texts),
            data_sources=json.dumps([step.source for step in self.steps]) if listed_source else None,
            data_standing=json.dumps(self.standing) if listed_source else None,
            data_marks=json.dumps(self.marks) if listed_source else None,
            data_watched=json.dumps([watch.as_dict() for watch in self.watches]) if self.watches else None,
            data_at=self.at,
        )

    def _foldable(self, index: int) -> Markup:
        """One step, folded to its label unless it is the one shown first."""
        step = self.steps[index]
        count = f" \N{MIDDLE DOT} {counted(len(step.changes), 'change')}" if step.changes else ""
        broken = (" " + badge("violated", f"{truth.name} violated") for truth in step.broken)
        summary = joined([element("b", step.number), " ", element("code", step.label), count, *broken])
        return folded(summary, self.step_html(index), is_open=index == self.at, class_="wb-state", data_step=index)

    def text(self) -> str:
        abstracted = [] if self.abstract is None else [str(self.abstract)]
        watched = [self._table(self._asked).text()] if self._asked else []
        return "\n\n".join([repr(self.trace), *([str(self.remark)] if self.remark else []), *abstracted, *watched])

    @property
    def _asked(self) -> list[Watch]:
        return [watch for watch in self.watches if watch.asked]

    def _table(self, watches: Sequence[Watch]) -> Rendered:
        return watch_table(watches, [step.label for step in self.steps])


def packed(texts: Sequence[str] | Mapping[str, Any]) -> str:
    """Texts with much in common, or other data, packed into one short text that ``pictures.js`` unpacks."""
    plain = json.dumps(dict(texts) if isinstance(texts, Mapping) else list(texts))
    return base64.b64encode(gzip.compress(plain.encode(), mtime=0)).decode()


def _as_dict(step: StepView) -> dict[str, Any]:
    return {
        "number": step.number,
        "label": step.label,
        "lane": step.lane,
        "sentence": step.sentence,
        "state": texts_of(step.state),
        "changes": [_change(c) for c in step.changes],
        "effects": {lane: [_change(c) for c in changes] for lane, changes in step.effects.items()},
        "truths": [{"name": t.name, "kind": t.kind, "holds": t.holds, "why": t.why} for t in step.truths],
        **({} if step.refined is None else {"refined": step.refined.as_dict()}),
    }


def _change(change: Change) -> dict[str, str]:
    show = change.notation.show
    return {"cell": str(change.cell), "before": show(change.before), "after": show(change.after)}


def trace_view(
    trace: Trace,
    *,
    variables: Sequence[str] | None = None,
    properties: Sequence[str] | None = None,
    watches: Sequence[str] = (),
    refinement: str | None = None,
    remark: Wording | None = None,
    at: int | None = None,
) -> TraceView:
    """A trace with its lanes, effects and truths worked out.

    Args:
        variables: Show changes of these variables only.
        properties: The properties whose truth is shown; None means all that the model declares.
        watches: Python expressions over the state ``s``, the model ``self`` and its constants, such as
            ``len(s.claims)``. Their values are shown in every state, highlighted where they change. They are executed:
            pass none that you do not understand.
        refinement: The name of a refinement: the behaviour is also shown in terms of the refined model. None means the
            refinement that the trace is a counterexample to, if there is one.
        remark: A remark to show at the end.
        at: The index of the step to show first; by default the last.

    Raises:
        InputError: For a variable or property that the model does not declare, or an expression that is not accepted.

    Examples:
        >>> from workbench.kernel import replay
        >>> from workbench.protocols.bakery.model import Bakery
        >>> view = trace_view(replay(Bakery(Writers=2), 0, [(0, 0), (2, 0)]), variables=["claims", "my_ticket"])
        >>> view.lanes
        ['w1', 'w2', 'shared state']
        >>> view.steps[2].lane, [str(change.cell) for change in view.steps[2].changes]
        ('w1', ['claims', 'my_ticket[w1]'])
        >>> list(view.steps[2].effects)
        ['shared state']
        >>> [reading.text for reading in trace_view(view.trace, watches=["s.next_ticket"]).watches[0].readings]
        ['1', '1', '2']
    """
    model = trace.model
    if variables is not None:
        variables = names_in("variables", variables)
    watches = names_in("watches", watches)
    for name in variables or ():
        if name not in model.declared.variables:
            raise unknown(f"variable of {model.name}", name, model.declared.variables)
    owners = _Owners(model, trace)
    judging, of_steps = judges(model, properties), StepTruths(model, properties)
    refinement = trace.refinement if refinement is None else refinement
    abstracted = None if refinement is None else abstract(trace, refinement)
    refined = iter(()) if abstracted is None else refined_steps(abstracted)
    shown = None if variables is None else set(variables)

    written: dict[Cell, str] = {}

    def view(number: int, step: Step, before: State | None) -> StepView:
        lane = "" if step.instance is None else step.lane or NOBODY
        after = step.state
        every = [] if before is None else changes_of(before, after)
        changes = tuple(foreground(every) if shown is None else (c for c in every if c.cell.variable in shown))
        effects: dict[str, list[Change]] = {}
        for change in changes:
            owner = owners.of(change.cell)
            if owner != lane:
                effects.setdefault(owner, []).append(change)
        kept = {name: tuple(effects[name]) for name in owners.lanes if name in effects}
        instance = step.instance
        its = next(refined, None)
        judged = (*(judge(after) for judge in judging), *of_steps(before, instance, after))
        if its is not None and its.why and all(truth.name != refinement for truth in judged):
            judged = (Truth(str(refinement), "refinement", False, its.why), *judged)
        if instance is None or before is None:
            return StepView(number, step, lane, changes, kept, judged, refined=its)
        writes = model.outcomes(instance, before)[step.outcome][0].writes
        cells = list(dict.fromkeys(model.layout.shown_of[at] for at in writes))
        changed = {change.cell for change in every}
        values = dict(cells_of(after))
        again = tuple(
            Change(cell, values[cell], values[cell], model.layout.notation)
            for cell in cells
            if cell not in changed and cell.index is not None and owners.of(cell) == SHARED
            if (shown is None or cell.variable in shown) and written.get(cell, lane) != lane
        )
        over = [change.cell for change in changes if _writes_over(change)] + [change.cell for change in again]
        writers = {cell: written[cell] for cell in over if written.get(cell, lane) != lane}
        alike = tuple(owners.alike(after, changes))
        written.update(dict.fromkeys(cells, lane))
        details = _doc(instance), again, alike, writers, its, _source(instance)
        return StepView(number, step, lane, changes, kept, judged, *details)

    steps = []
    before = None
    for number, step in enumerate(trace.steps[: trace.end + 1], 1):
        steps.append(view(number, step, before))
        before = step.state
    back = None if trace.back is None else view(len(steps) + 1, trace.back, before)
    busy = {lane for step in [*steps, *([back] if back else [])] for lane in (step.lane, *step.effects)}
    lanes = [lane for lane in owners.lanes if lane in busy or lane in owners.members or lane == SHARED]
    watched = [*aliases(trace), *(watch(trace, text) for text in dict.fromkeys(watches))]
    return TraceView(trace, lanes, steps, back, properties, watched, abstracted, remark, at)


def verdict_view(verdict: Verdict, trace: Trace, *, deadlock: bool | None = None) -> TraceView:
    """The `trace` of a verdict, with the truth of the properties checked by default and of the verdict's own.

    Args:
        deadlock: Whether the check also judged deadlock; None means the model's default.
    """
    return trace_view(trace, properties=[*trace.model.chosen(None, deadlock), verdict.name])


def _lane(instance: ActionInstance) -> str:
    return instance.lane or NOBODY


def _doc(instance: ActionInstance) -> str:
    """The first paragraph of the action's docstring, on one line."""
    return " ".join(instance.action.doc.partition("\n\n")[0].split())


def _source(instance: ActionInstance) -> str:
    """The file and line of an action."""
    return instance.action.place.strip(" ()")


def _writes_over(change: Change) -> bool:
    """Whether a step replaces a value in an indexed cell instead of adding to it."""
    before, after = change.before, change.after
    if change.cell.index is None or not before or isinstance(before, frozenset):
        return False
    if isinstance(before, Map):
        return not isinstance(after, Map) or any(not is_same(after.get(key), value) for key, value in before.items())
    return not (type(before) is tuple and type(after) is tuple and is_same(after[: len(before)], before))


class _Owners:
    """Tells the lane of a cell.

    A cell with an actor in its index belongs to that actor. A cell that only one process without members touches in
    the trace, such as its program counter, is private to that process. The rest is shared.
    """

    def __init__(self, model: Machine, trace: Trace) -> None:
        steps = [*trace.steps, *([trace.back] if trace.back else [])]
        by_lane = {step.lane: step for step in steps if step.instance and step.actor != step.instance.actor}
        self.lanes = [*dict.fromkeys([*(_lane(instance) for instance in model.instances), *by_lane]), SHARED]
        members = {i.lane: i.actor.member for i in model.instances if i.actor is not None and not i.alone}
        members |= {lane: step.actor.member for lane, step in by_lane.items() if step.actor is not None}
        several = {step.instance for step in by_lane.values()}
        self._lane_of = {member: lane for lane, member in members.items() if isinstance(member, str)}
        self.members = members.keys()
        users: dict[Cell, set[str]] = {}
        for access in accesses(model, trace.states):
            is_of_members = access.instance in several or _lane(access.instance) in self.members
            lane = SHARED if is_of_members else _lane(access.instance)
            for cell in access.reads | access.writes:
                users.setdefault(cell, set()).add(lane)
        self._private = {cell: next(iter(lanes)) for cell, lanes in users.items() if len(lanes) == 1}

    def of(self, cell: Cell) -> str:
        for part in cell.index if isinstance(cell.index, tuple) else (cell.index,):
            if isinstance(part, str) and part in self._lane_of:
                return self._lane_of[part]
        return self._private.get(cell, SHARED)

    def alike(self, after: State, changes: Sequence[Change]) -> Iterator[str]:
        """The values, such as names and stamps, that a step made equal to another actor's."""
        values = dict(cells_of(after))
        for cell, _, value, notation in changes:
            if cell.index in self._lane_of and isinstance(value, tuple) and hasattr(value, "_fields"):
                others = [
                    str(other)
                    for other, its in values.items()
                    if other.variable == cell.variable and other != cell and is_same(its, value)
                ]
                if others:
                    yield f"{cell} = {listed(others)} = {notation.show(value, ' ')}"
