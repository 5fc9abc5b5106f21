"""From what an engine explored to a result: every property that was asked for gets a verdict, here and nowhere else."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.kernel.budget import INTERRUPTED, Limits, interrupted
from workbench.kernel.declare import DEADLOCK, Property
from workbench.kernel.errors import ModelError
from workbench.kernel.growth import Growth
from workbench.kernel.instances import Subject
from workbench.kernel.lasso import judge_end
from workbench.kernel.plan import Plan
from workbench.kernel.result import NOBODY, ActionCount, Result, Verdict, constraints_of
from workbench.kernel.state import Reads
from workbench.kernel.trace import Trace
from workbench.kernel.values import counted

#: Of a verdict that is known already when somebody stops what makes its trace.
NO_TRACE = "interrupted before its trace was made"


@dataclass(frozen=True)
class Exploration:
    """What an engine returns.

    Attributes:
        stopped: Why it did not visit the whole space; None if it did.
        generated, levels, actions: As in :class:`workbench.kernel.result.Result`.
        decided: For each property that is violated or reached, where: what `trace_to` takes.
        trace_to: Makes a shortest behaviour to such a place - a state, or the step that is wrong - by running the
            model.
        liveness: Gives the verdict on a liveness property, if the whole space was visited; or the reason why it cannot.
        outside: Of the generated states those that the model's constraints kept out.
        peak_bytes: Gives the largest resident size of the processes that searched, asked once the traces are made.
        growth: Of the levels that are complete, where that is known.
        profile: As in :class:`workbench.kernel.result.Result`.
    """

    engine: str
    stopped: str | None
    generated: int
    levels: list[int]
    actions: list[ActionCount]
    decided: Mapping[str, Any]
    trace_to: Callable[[Any], Trace]
    liveness: Callable[[Property], Verdict] | str
    outside: int = 0
    collision_probability: float = 0.0
    peak_bytes: Callable[[], int] = lambda: 0
    figures: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    growth: Growth | None = None
    profile: Any = None


def conclude(plan: Plan, explored: Exploration, limits: Limits) -> Result:
    """The result of a check: the verdicts, with their traces, and the figures.

    Ctrl-C while traces are made costs the traces that are still to be made, and no verdict. If the search itself was
    interrupted, traces are still made for what it found.
    """
    verdicts = []
    for declared in plan.properties:
        in_time = explored.stopped == INTERRUPTED or not interrupted()
        verdicts.append((_verdict if in_time else _without_trace)(plan, declared, explored))
    return Result(
        model=plan.model,
        engine=explored.engine,
        symmetry=plan.symmetry,
        complete=explored.stopped is None,
        stopped=explored.stopped,
        generated=explored.generated,
        levels=explored.levels,
        actions=explored.actions,
        verdicts=verdicts,
        seconds=limits.seconds,
        peak_bytes=explored.peak_bytes(),
        collision_probability=explored.collision_probability,
        outside=explored.outside,
        notes=[*plan.notes, *explored.notes, *_bounded(plan, explored), *remarks(plan, explored)],
        figures=explored.figures,
        profile=explored.profile,
        interrupted=interrupted() or explored.stopped == INTERRUPTED,
    )


def _verdict(plan: Plan, declared: Property, explored: Exploration) -> Verdict:
    name, kind = declared.name, declared.kind
    if name in explored.decided:
        decide = decided_by_step if declared.of_steps else decided_verdict
        return decide(plan.model, declared, explored.trace_to(explored.decided[name]))
    if explored.stopped is not None:
        return Verdict(name, kind, None, None, f"the search is incomplete: {explored.stopped}")
    if kind == "liveness":
        return _liveness_verdict(plan, declared, explored)
    verdict = _undecided_verdict(plan, declared, explored)
    if kind == "invariant" and verdict.within is None:
        return replace(verdict, why=says_nothing(plan.model, declared))
    return verdict


def _undecided_verdict(plan: Plan, declared: Property, explored: Exploration) -> Verdict:
    """The verdict on a property that no state and no step decides, once all are known; not for liveness.

    It is given without running the model.
    """
    within = constraints_of(plan.model) if explored.outside else None
    if declared.kind != "reachable":
        why = None if within is None else f"beyond {within} nothing is known"
        return Verdict(declared.name, declared.kind, True, None, why, within)
    where = "no reachable state" if within is None else f"no state that is reached within {within}"
    return Verdict(declared.name, declared.kind, False, None, f"{where} satisfies it", within)


def _liveness_verdict(plan: Plan, declared: Property, explored: Exploration) -> Verdict:
    """The verdict on a liveness property, once all states are known."""
    name, kind = declared.name, declared.kind
    if isinstance(explored.liveness, str):
        return Verdict(name, kind, None, None, explored.liveness)
    if plan.model.ignores:
        why = f"states are not told apart by {', '.join(plan.model.ignores)}, so no behaviour is fully known"
        return Verdict(name, kind, None, None, why)
    verdict = explored.liveness(declared) if sum(explored.levels) else None
    if explored.outside and (verdict is None or verdict.holds):
        within = constraints_of(plan.model)
        why = f"no fair behaviour within {within} breaks it; those that go beyond are not known"
        return Verdict(name, kind, None, None, why)
    assert verdict is not None, "a state is missing only where it is outside"
    return verdict


def _without_trace(plan: Plan, declared: Property, explored: Exploration) -> Verdict:
    """What can be said of a property without running anything any more."""
    name, kind = declared.name, declared.kind
    if name in explored.decided:
        return Verdict(name, kind, kind == "reachable", None, NO_TRACE)
    if explored.stopped is None and kind != "liveness":
        return _undecided_verdict(plan, declared, explored)
    return Verdict(name, kind, None, None, "interrupted before it was decided")


def decided_verdict(model: Any, declared: Property, trace: Trace) -> Verdict:
    """The verdict on an invariant or reachable property, given a shortest trace to a state that decides it.

    Raises:
        ModelError: If the property does not have the value at the end of the trace for which the trace was made.
    """
    invariant = declared.kind == "invariant"
    answers = [instance.judge(trace.last) for instance in model.predicates(declared.name)]
    bad = [answer for answer in answers if answer is not True]
    if bool(bad) is not invariant:
        raise _decided_otherwise(declared)
    return Verdict(declared.name, declared.kind, not invariant, trace, (bad[0] or "it is false") if invariant else None)


def _decided_otherwise(declared: Property) -> ModelError:
    named = declared.name + declared.place
    return ModelError(f"{named} was decided differently when its trace was run again: the model is not pure")


def _bounded(plan: Plan, explored: Exploration) -> list[str]:
    """What the model's constraints kept out."""
    if not explored.outside:
        return []
    kept_out = f"{explored.outside:,} of {counted(explored.generated, 'generated state')}"
    nothing = "" if sum(explored.levels) else "; no initial state is inside, so nothing was explored"
    return [f"explored within {constraints_of(plan.model)}: {kept_out} lie outside, judged but not explored{nothing}"]


def decided_by_step(model: Any, declared: Property, trace: Trace) -> Verdict:
    """The verdict on a property that steps decide, given a shortest trace that ends with what violates it.

    Raises:
        ModelError: If nothing is wrong there.
    """
    answers = wrong_at_end(model, declared, trace)
    if not answers:
        raise _decided_otherwise(declared)
    if declared.kind == "refinement":
        trace = replace(trace, refinement=declared.name)
    return Verdict(declared.name, declared.kind, False, trace, answers[0])


def wrong_at_end(model: Any, declared: Property, trace: Trace) -> list[str]:
    """What is wrong with the end of `trace` by a property that steps decide: one text for each of its judges."""
    last = trace.steps[-1]
    if declared.kind == DEADLOCK.kind:
        answer = judge_end(model, last.state)
        return [] if answer is True else [f"stuck: {answer}"]
    answers: list[bool | str]
    if last.move is None:
        answers = [judge.begins(last.state) for judge in model.judges(declared) if judge.begins is not None]
    else:
        instance, before = model.instances[last.move.instance], trace.steps[-2].state
        judges = [judge for judge in model.judges(declared) if judge.concerns(instance) and before != last.state]
        answers = [judge.judge(before, last.state) for judge in judges]
    return [f"{last.label}: {answer or 'it is false'}" for answer in answers if answer is not True]


# What is suspicious about a model, and known for certain -------------------------------------------------------------


def remarks(plan: Plan, explored: Exploration) -> list[str]:
    """What an author should look at. But for what is slow, or only grows, it takes a space that is known as a whole."""
    slow = [] if explored.profile is None else explored.profile.remarks
    if explored.stopped is not None and explored.growth is not None and not (plan.fail_fast and explored.decided):
        slow = [*explored.growth.remarks, *slow]
    whole = explored.stopped is None and not explored.outside
    return [*_idle_actions(plan, explored), *slow] if whole else slow


def _idle_actions(plan: Plan, explored: Exploration) -> Iterator[str]:
    for count in explored.actions:
        if count.enabled and not count.assigns and not plan.model.declared_actions[count.name].stutters:
            yield (
                f"action {count.name} never changes anything, since it assigns nothing; is == written where = is "
                "meant? (stutters=True says that it is on purpose)"
            )


def says_nothing(model: Any, declared: Property) -> str | None:
    """Why an invariant that holds says nothing of the states; None if it looks at them.

    What looks at no cell answers the same in every state; so one state tells. Where it asks for a constant instead, it
    may well be on purpose, and nothing is said of it.
    """
    instances = model.predicates(declared.name)
    if not instances:
        return NOBODY
    state = next(model.each_initial_state())
    looks: dict[Subject, bool] = {}
    for instance in instances:
        if not looks.get(instance.subject):
            reads = Reads(state.values)
            instance.judge(model.view(reads))
            looks[instance.subject] = bool(reads) or not model.constants.keys().isdisjoint(instance.names)
    blind = [subject.part or "it" for subject, looked in looks.items() if not looked]
    if not blind:
        return None
    return f"{' and '.join(blind)} {'reads' if len(blind) == 1 else 'read'} nothing of the state"
