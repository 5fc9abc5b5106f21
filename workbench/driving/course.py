"""Drive a real system along a behaviour of a model, step by step, and say whether it did what the model predicts.

A driver says who does what; an actor - a process of its own (``processes.py``) - does it and answers; the driver
compares the system with the model's state. A drive ends with the first step that goes differently from what the model
predicts. Actors speak JSON lines, so they can live in any environment: ``paimon_actor.py`` runs in that of pypaimon,
imports nothing of ours, and puts gates into pypaimon's commit. ``traces.py`` picks traces that cover each step and
each conflict.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from workbench.driving.processes import ActorAnswer, ActorError, Processes, Verdict
from workbench.kernel import InputError, State, Trace
from workbench.kernel.budget import INTERRUPTED
from workbench.kernel.trace import Step
from workbench.kernel.values import show

#: How many seconds a drive may take, where nobody says.
TIME_LIMIT = 120.0


class Compared(NamedTuple):
    """Something that the model predicts, and what was found instead, or the same."""

    what: str
    foretold: str
    found: str
    agrees: bool


def compared(what: str, foretold: Any, found: Any) -> Compared:
    """What the model predicts beside what was found, as people read both.

    Examples:
        >>> compared("the files", ("a", "b"), ("a",))
        Compared(what='the files', foretold='(a, b)', found='(a)', agrees=False)
    """
    return Compared(what, show(foretold), show(found), foretold == found)


class StepRequest(NamedTuple):
    """What a step of the model is for the real system.

    Attributes:
        actor: Who is to do it.
        asks: What it is asked, as JSON.
        foretold ({"done", "refused", "impossible"}): What the model says will come of it.
    """

    actor: str
    asks: Mapping[str, Any]
    foretold: Verdict = "done"


Ask = Callable[[str, Mapping[str, Any]], ActorAnswer]


class Course(Protocol):
    """One trace, and a system that is to follow it: what a driver makes of each trace."""

    @property
    def actors(self) -> Sequence[str]:
        """Who acts; all are started at the beginning."""

    def begin(self, ask: Ask) -> None:
        """Bring the system into the state in which the trace begins.

        Raises:
            InputError: If it cannot be brought there.
        """

    def request(self, before: State, step: Step) -> StepRequest:
        """What is asked for a step of the model."""

    def compare(self, step: Step, answer: ActorAnswer) -> Iterable[Compared]:
        """What the model predicts after a step that was taken, and what is there."""

    def conclude(self, trace: Trace) -> Iterable[Compared]:
        """The same of all that was done: the trace ends with the last step that the system has taken."""


class Driver(Protocol):
    """How a system is made to follow traces."""

    @property
    def name(self) -> str:
        """What the system is called."""

    def command(self) -> Sequence[str]:
        """What starts an actor."""

    def course(self, trace: Trace, folder: Path) -> Course:
        """Get ready for one trace; whatever it makes goes into the folder, which is empty.

        Raises:
            InputError: If the system cannot be set up as the trace's model is.
        """


@dataclass(frozen=True)
class DrivenStep:
    """A step of a drive.

    Attributes:
        number: The step's place in the trace, whose state 0 is the initial one.
        actor, label: Who was to do what.
        foretold, verdict: {"done", "refused", "impossible"}
        said: What the real system said.
        differences: What is not as predicted after it.
    """

    number: int
    actor: str
    label: str
    foretold: Verdict
    verdict: Verdict
    said: str
    differences: tuple[Compared, ...] = ()

    @property
    def as_foretold(self) -> bool:
        return self.verdict == self.foretold and not self.differences


@dataclass(frozen=True)
class Driven:
    """What came of a drive.

    Attributes:
        steps: Those that were asked for: the last one is the first that did not come out as predicted, if there is one.
        compared: What the model predicts for the end, and what there is.
        stopped: Why the drive is incomplete.
    """

    system: str
    trace: Trace
    steps: tuple[DrivenStep, ...]
    compared: tuple[Compared, ...] = ()
    stopped: str | None = None

    @property
    def as_foretold(self) -> bool | None:
        """Whether the real system did what the model predicts; None if that is not known."""
        if not all(step.as_foretold for step in self.steps) or not all(one.agrees for one in self.compared):
            return False
        return None if self.stopped else True

    def verdict(self) -> str:
        """The answer in one line."""
        if self.as_foretold:
            return "the real system did what the model predicts"
        if self.as_foretold is None:
            return f"not decided: {self.stopped}"
        for step in self.steps:
            if step.verdict != step.foretold:
                return f"not as predicted: step {step.number}, {step.label}, is {step.verdict}: {step.said}"
            if step.differences:
                first = step.differences[0]
                return (
                    f"not as predicted: after step {step.number}, {step.label}, "
                    f"{first.what} is {first.found}, not {first.foretold}"
                )
        first = next(one for one in self.compared if not one.agrees)
        return f"not as predicted: {first.what} is {first.found}, not {first.foretold}"

    def as_dict(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "system": self.system,
            "model": self.trace.model.name,
            "as_foretold": self.as_foretold,
            "verdict": self.verdict(),
            "stopped": self.stopped,
            "steps": [
                {
                    "step": step.number,
                    "actor": step.actor,
                    "label": step.label,
                    "foretold": step.foretold,
                    "verdict": step.verdict,
                    "said": step.said,
                    "differences": [one._asdict() for one in step.differences],
                }
                for step in self.steps
            ],
            "not_tried": [step.label for step in self.trace.steps[len(self.steps) + 1 :]],
            "compared": [one._asdict() for one in self.compared],
        }

    def __repr__(self) -> str:
        return f"<drive of {self.system}, {len(self.steps)} of {len(self.trace) - 1} steps: {self.verdict()}>"


def follow(trace: Trace, driver: Driver, processes: Processes, folder: Path, time_limit: float | None = None) -> Driven:
    """Drive a system along a trace.

    The drive ends with the first step that does not come out as predicted, since the model's next one begins where the
    system is not. What there is then is compared with the model's state before that step.

    Args:
        processes: Where actors are started; they are left for the next trace, unless something is wrong with one of
            them.
        folder: An empty folder, for whatever the system makes.
        time_limit: In seconds.

    Raises:
        InputError: If the trace is one that nothing can follow to its end, or the system is not there.
    """
    if trace.back is not None:
        raise InputError("a trace that goes round for ever cannot be driven; give one that ends, or stops for ever")
    course = driver.course(trace, folder)
    until = time.monotonic() + (TIME_LIMIT if time_limit is None else time_limit)
    steps: list[DrivenStep] = []
    compared: tuple[Compared, ...] = ()
    stopped = None
    try:
        for actor in course.actors:
            processes[actor]
        course.begin(lambda actor, asks: processes[actor].ask(asks, until))
        for number in range(1, len(trace)):
            step = trace.steps[number]
            request = course.request(trace.steps[number - 1].state, step)
            answer = processes[request.actor].ask(request.asks, until)
            is_foretold = answer.verdict == request.foretold
            found = course.compare(step, answer) if is_foretold else ()
            different = tuple(one for one in found if not one.agrees)
            steps.append(
                DrivenStep(number, request.actor, step.label, request.foretold, answer.verdict, answer.said, different)
            )
            if not steps[-1].as_foretold:
                break
        reached = len(steps) if not steps or steps[-1].verdict == steps[-1].foretold else len(steps) - 1
        compared = tuple(course.conclude(Trace(trace.model, trace.start, trace.steps[: reached + 1])))
    except KeyboardInterrupt:
        stopped = INTERRUPTED
    except ActorError as error:
        stopped = str(error)
    if stopped is not None:
        processes.close()
    return Driven(driver.name, trace, tuple(steps), compared, stopped)
