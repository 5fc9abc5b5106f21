"""The result of a check: each property's verdict, from what an engine explored. Lassos are judged by ``lasso.py``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

from workbench.kernel.meaning.budget import INTERRUPTED, OUT_OF_MEMORY, Limits, Stop
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import ModelError, listed
from workbench.kernel.meaning.interchange import check_interchange
from workbench.kernel.meaning.interrupts import interrupted
from workbench.kernel.meaning.lasso import judge_end
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.properties import Deadlock, Fault, Invariant, Liveness, Postcondition, Property, Undecided
from workbench.kernel.meaning.result import NOBODY, Explored, Result, Verdict, bounds_of, constraints_of
from workbench.kernel.meaning.state import Reads, row_of
from workbench.kernel.meaning.steps import PropertyInstance
from workbench.kernel.meaning.trace import Trace
from workbench.kernel.meaning.values import counted

#: The reason of a verdict that was known when Ctrl-C stopped the making of its trace.
NO_TRACE = "interrupted before its trace was made"
#: A remark takes this many levels in a row with new values, and this share of all levels.
_LEAST, _PART = 8, 0.5


class Growth:
    """Counts for each cell of a search how many levels in a row have brought new values."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self._cells, self._values = cells, [0] * len(cells)
        self._grown, self._levels = [0] * len(cells), 0

    def note(self, values: Sequence[int]) -> None:
        """Add a complete level; `values` is the number of values that each cell has had so far."""
        then = zip(self._grown, self._values, values, strict=True)
        self._grown = [grown + 1 if now > before else 0 for grown, before, now in then]
        self._values, self._levels = list(values), self._levels + 1

    @property
    def remarks(self) -> list[str]:
        """Remarks, for a search that did not end, on the cells that seem to grow without bound."""
        least = max(_LEAST, _PART * self._levels)
        growing = [at for at, grown in enumerate(self._grown) if grown >= least]
        if not growing:
            return []
        named = listed((str(self._cells[at]) for at in growing), room=60)
        takes, it = ("takes", "it") if len(growing) == 1 else ("take", "them")
        most = counted(max(self._values[at] for at in growing), "value")
        return [
            f"{named} {takes} new values with every level, {most} so far: unless something bounds {it}, "
            "the space has no end"
        ]


@dataclass(frozen=True, kw_only=True)
class Exploration(Explored):
    """The result of an engine's search.

    Attributes:
        decided: The place - a state, or the step that is wrong - of each property that is violated or reached.
        trace_to: Makes a shortest behaviour to such a place by running the model.
        liveness: Gives the verdict on a liveness property if the whole space was visited.
        initial: The number of the `generated` states that are initial.
        peak_bytes: Gives the largest resident size of the searching processes; called once the traces are made.
        growth: Of the complete levels, if known.
        notes: The engine's remarks on its search.
    """

    decided: Mapping[str, Any]
    trace_to: Callable[[Any], Trace]
    liveness: Callable[[Property], Verdict]
    initial: int
    peak_bytes: Callable[[], int] = lambda: 0
    growth: Growth | None = None
    notes: Sequence[str] = ()


def conclude(plan: Plan, explored: Exploration, limits: Limits) -> Result:
    """The result of a check: the verdicts, with their traces, and the figures.

    Ctrl-C while traces are made costs the remaining traces, and no verdict. If the search itself was interrupted,
    traces are still built for what it found.

    Raises:
        ModelError: The error of the model, if nothing is decided beside it.
    """
    if explored.error is None and explored.stopped != INTERRUPTED:
        explored = _with_symmetry_tested(plan, explored, limits)
    settle = _stopping(partial(_settled, plan, explored), limits)
    judge = partial(_verdict, plan, replace(explored, liveness=_stopping(explored.liveness, limits)), settle)
    verdicts, error = verdicts_beside(explored.error, plan.properties, judge, limits)
    if error is not None:
        explored = replace(explored, error=error, stopped=limits.why(error))
    return Result(
        **{field.name: getattr(explored, field.name) for field in fields(Explored)},
        model=plan.model,
        symmetry=plan.symmetry,
        verdicts=verdicts,
        seconds=limits.seconds,
        peak_bytes=explored.peak_bytes(),
        notes=[*plan.notes, *explored.notes, *_bounded(plan, explored), *remarks(plan, explored)],
        interrupted=interrupted() or explored.stopped == INTERRUPTED,
    )


def _with_symmetry_tested(plan: Plan, explored: Exploration, limits: Limits) -> Exploration:
    """What an engine explored, with an error if a wrong claim of symmetry may have hidden states from it."""
    try:
        with suppress(Stop), limits.in_force():
            check_interchange(plan)
    except ModelError as error:
        return replace(explored, error=error, stopped=limits.why(error))
    return explored


def _stopping(liveness: Callable[[Property], Verdict], limits: Limits) -> Callable[[Property], Verdict]:
    """The function `liveness`, except that a property whose evaluation takes too long is unknown."""

    def verdict(declared: Property) -> Verdict:
        try:
            with limits.in_force():
                return liveness(declared)
        except Stop as stop:
            return Verdict.on(declared, None, str(stop))

    return verdict


def verdicts_beside(
    error: ModelError | None, properties: Sequence[Property], judge: Callable[[Property], Verdict], limits: Limits
) -> tuple[list[Verdict], ModelError | None]:
    """The verdict of `judge` on each property, and the first error of the model: `error`, or one that `judge` met.

    After an error, what is violated or reached stays so, and all else is unknown.

    Raises:
        ModelError: The error, if nothing is decided beside it.
    """
    verdicts = list[Verdict]()
    for declared in properties:
        try:
            verdicts.append(judge(declared))
        except ModelError as met:
            error = error or met
            verdicts.append(Verdict.on(declared, None))
    if error is None:
        return verdicts, None
    judged = zip(properties, verdicts, strict=True)
    verdicts = [v if v.holds is p.wanted else Verdict.on(p, None, limits.why(error)) for p, v in judged]
    if all(verdict.holds is None for verdict in verdicts):
        raise error
    return verdicts, error


# Verdicts ------------------------------------------------------------------------------------------------------------


def _settled(plan: Plan, explored: Exploration, declared: Property) -> Verdict:
    """The verdict of the machine itself on a property that no engine decides."""
    assert isinstance(declared, Undecided)
    return plan.model.settled(declared, sum(explored.levels)) or Verdict.on(declared, None, declared.why)


def _verdict(plan: Plan, explored: Exploration, settle: Callable[[Property], Verdict], declared: Property) -> Verdict:
    if declared.name in explored.decided:
        if not _in_time(explored):
            return Verdict.on(declared, declared.wanted, NO_TRACE)
        return decided_verdict(plan.model, declared, explored.trace_to(explored.decided[declared.name]))
    if isinstance(declared, Undecided):
        is_whole = explored.stopped is None and _in_time(explored)
        return settle(declared) if is_whole else Verdict.on(declared, None, declared.why)
    if not _in_time(explored) and (explored.stopped is not None or isinstance(declared, Liveness)):
        return Verdict.on(declared, None, "interrupted before it was decided")
    if explored.stopped is not None:
        return Verdict.on(declared, None, f"the search is incomplete: {explored.stopped}")
    if isinstance(declared, Postcondition):
        return _after_search(declared, explored)
    if isinstance(declared, Liveness):
        return _of_liveness(plan, explored, declared)
    within = bounds_of(plan.model, explored.outside)
    if declared.wanted:
        where = "no reachable state" if within is None else f"no state that is reached within {within}"
        return Verdict.on(declared, False, f"{where} satisfies it", within)
    if within is not None:
        return Verdict.on(declared, True, f"beyond {within} nothing is known", within)
    asks = isinstance(declared, Invariant) and _in_time(explored)
    return Verdict.on(declared, True, says_nothing(plan.model, declared) if asks else None)


def _after_search(declared: Postcondition, explored: Exploration) -> Verdict:
    holds = declared.holds(explored.levels, explored.generated, explored.initial)
    if isinstance(holds, str):
        return Verdict.on(declared, None, holds)
    return Verdict.on(declared, holds, None if holds else "it is false after the search")


def _of_liveness(plan: Plan, explored: Exploration, declared: Property) -> Verdict:
    try:
        verdict = explored.liveness(declared) if sum(explored.levels) else None
    except MemoryError:
        return Verdict.on(declared, None, OUT_OF_MEMORY)
    if explored.outside and (verdict is None or verdict.holds):
        within = constraints_of(plan.model)
        reason = f"no fair behaviour within {within} breaks it; those that go beyond are not known"
        return Verdict.on(declared, None, reason)
    assert verdict is not None, "a state is missing only where it is outside"
    return verdict


def _in_time(explored: Exploration) -> bool:
    """Whether there is time to run the model once more."""
    return explored.stopped == INTERRUPTED or not interrupted()


def decided_verdict(model: Any, declared: Property, trace: Trace) -> Verdict:
    """The verdict on a property that the last state or step of a shortest `trace` decides.

    Raises:
        ModelError: If the end of the trace does not decide it.
    """
    wrong, reached = wrong_at_end(model, declared, trace), declared.wanted
    if bool(wrong) is reached:
        named = declared.name + declared.place
        raise ModelError(f"{named} was decided differently when its trace was run again: the model is not pure")
    if declared.refines:
        trace = replace(trace, refinement=declared.name)
    return Verdict.on(declared, reached, None if reached else wrong[0], trace=trace)


def wrong_at_end(model: Any, declared: Property, trace: Trace) -> list[str]:
    """The faults that a property finds in the last state or step of `trace`, one text for each judge."""
    last = trace.steps[-1]
    if isinstance(declared, Deadlock):
        answer = judge_end(model, last.state)
        return [] if answer is True else [f"stuck: {answer}"]
    where, states = "", [last.state]
    judges = model.predicates(declared.name) if declared.of_states else model.judges(declared)
    answers: list[bool | str]
    if declared.of_states:
        answers = [judge.judge(last.state) for judge in judges]
    elif last.move is None:
        where, answers = f"{last.label}: ", [judge.begins(last.state) for judge in judges if judge.begins is not None]
    else:
        instance, before = model.instances[last.move.instance], trace.steps[-2].state
        judges = [judge for judge in judges if judge.concerns(instance) and before != last.state]
        where, states = f"{last.label}: ", [before, last.state]
        answers = [judge.judge(*states) for judge in judges]
    faults = [answer or model.why_false(declared, states) for answer in answers if answer is not True]
    return [fault.after(where) if isinstance(fault, Fault) else f"{where}{fault}" for fault in dict.fromkeys(faults)]


def _bounded(plan: Plan, explored: Exploration) -> list[str]:
    """A note on the states that the model's constraints pruned."""
    if not explored.outside:
        return []
    pruned = f"{explored.outside:,} of {counted(explored.generated, 'generated state')}"
    nothing = "" if sum(explored.levels) else "; no initial state is inside, so nothing was explored"
    return [f"explored within {constraints_of(plan.model)}: {pruned} lie outside, judged but not explored{nothing}"]


# Remarks: what is suspicious about a model, and certain ---------------------------------------------------------------


def remarks(plan: Plan, explored: Exploration) -> list[str]:
    """Remarks for the model's author. Only those on speed and growth do not need the whole space."""
    slow = [] if explored.profile is None else explored.profile.remarks
    if explored.stopped is not None and explored.growth is not None and not (plan.fail_fast and explored.decided):
        slow = [*explored.growth.remarks, *slow]
    whole = explored.stopped is None and bounds_of(plan.model, explored.outside) is None
    return [*plan.model.oversights(), *(_idle_actions(plan, explored) if whole else ()), *slow]


def _idle_actions(plan: Plan, explored: Exploration) -> Iterator[str]:
    for count in explored.actions:
        if count.enabled and not count.assigns and not plan.model.declared.actions[count.name].stutters:
            yield (
                f"action {count.name} never changes anything, since it assigns nothing; is == written where = is "
                "meant? (stutters=True says that it is on purpose)"
            )


def says_nothing(model: Any, declared: Property) -> str | None:
    """The reason why an invariant that holds says nothing about the states; None if it reads them.

    A predicate that reads no cell in one state reads none in any. One that reads a constant instead is not reported: it
    may be on purpose.
    """
    instances = model.predicates(declared.name)
    if not instances:
        return NOBODY
    state = next(model.each_initial_state())

    def looks(instance: PropertyInstance) -> bool:
        reads = Reads(row_of(state))
        instance.judge(model.view(reads))
        return bool(reads) or not model.constants.keys().isdisjoint(instance.names)

    return None if any(map(looks, instances)) else "it reads nothing of the state"
