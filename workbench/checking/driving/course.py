"""Drive a real system along a behaviour of a model step by step, and compare it with the model's predictions.

A driver turns each step into a request; an actor, a separate process (``processes.py``), carries it out and answers;
the driver compares the system with the model's state. A drive ends with the first step that does not come out as
predicted. Actors speak JSON lines, so they can live in any environment: pypaimon's imports nothing of ours, and puts
gates into its commit. ``traces.py`` picks traces that cover every step and conflict.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from workbench.checking.driving.processes import ActorAnswer, ActorError, Processes, Verdict
from workbench.kernel import InputError, State, Trace
from workbench.kernel.meaning.budget import INTERRUPTED
from workbench.kernel.meaning.result import Lined, marked, model_line
from workbench.kernel.meaning.text import Line, StyledRow, styled_columns
from workbench.kernel.meaning.trace import Step
from workbench.kernel.meaning.values import show

#: The seconds that a drive may take by default.
TIME_LIMIT = 120.0


class Compared(NamedTuple):
    """A value that the model predicts, and the actual value."""

    what: str
    foretold: str
    found: str
    agrees: bool


def compared(subject: str, foretold: Any, actual: Any) -> Compared:
    """Compare a predicted value with the actual one.

    Examples:
        >>> compared("the files", ("a", "b"), ("a",))
        Compared(what='the files', foretold='(a, b)', found='(a)', agrees=False)
    """
    return Compared(subject, show(foretold), show(actual), foretold == actual)


class StepRequest(NamedTuple):
    """A step of the model as a request to the real system.

    Attributes:
        actor: The process that carries it out.
        asks: The request, as JSON.
        foretold ({"done", "refused", "impossible"}): The outcome that the model predicts.
    """

    actor: str
    asks: Mapping[str, Any]
    foretold: Verdict = "done"


Ask = Callable[[str, Mapping[str, Any]], ActorAnswer]


class Course(Protocol):
    """The work of a driver along one trace."""

    @property
    def actors(self) -> Sequence[str]:
        """The actors, all started at the beginning."""

    def begin(self, ask: Ask) -> None:
        """Bring the system into the trace's first state.

        Raises:
            InputError: If that is impossible.
        """

    def request(self, before: State, step: Step) -> StepRequest:
        """The request for a step of the model."""

    def compare(self, step: Step, answer: ActorAnswer) -> Iterable[Compared]:
        """Compare the system with the model's state after a step."""

    def conclude(self, trace: Trace) -> Iterable[Compared]:
        """Compare the end of the drive; the trace is cut after the last step that the system took."""


class Driver(Protocol):
    """Makes a system follow traces."""

    @property
    def name(self) -> str:
        """The system's name."""

    def place(self, folder: Path) -> Path:
        """The place of the system's table, for a drive that keeps its files in `folder`."""

    def command(self) -> Sequence[str]:
        """The command that starts an actor."""

    def course(self, trace: Trace, folder: Path) -> Course:
        """Prepare for one trace; all files go into the folder, which is empty.

        Raises:
            InputError: If the system cannot be configured like the trace's model.
        """


@dataclass(frozen=True)
class DrivenStep:
    """A step of a drive.

    Attributes:
        number: The step's index in the trace; state 0 is the initial one.
        foretold, verdict: {"done", "refused", "impossible"}
        said: The real system's words.
        differences: Predictions that failed after it.
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
class Driven(Lined):
    """The result of a drive.

    Attributes:
        steps: The requested steps, up to the first that did not come out as predicted.
        compared: The predictions for the end of the drive, beside what was found.
        stopped: The reason why the drive is incomplete.
    """

    system: str
    trace: Trace
    steps: tuple[DrivenStep, ...]
    compared: tuple[Compared, ...] = ()
    stopped: str | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the real system did what the model predicts; None if unknown."""
        as_foretold = all(step.as_foretold for step in self.steps)
        if not as_foretold or not all(comparison.agrees for comparison in self.compared):
            return False
        return None if self.stopped else True

    @property
    def why(self) -> str:
        if self.holds:
            return "the real system did what the model predicts"
        if self.holds is None:
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
        first = next(comparison for comparison in self.compared if not comparison.agrees)
        return f"not as predicted: {first.what} is {first.found}, not {first.foretold}"

    def styled(self) -> list[Line]:
        """The steps, the predictions beside what was found, and the answer."""
        model, done = self.trace.model, len(self.steps)
        rows: list[StyledRow] = [(None, ("", "step", "", "action", "real system", "what it said"))]
        for step in self.steps:
            verdict = step.verdict if step.verdict == step.foretold else f"{step.verdict}, not {step.foretold}"
            rows.append(marked(step.as_foretold, str(step.number), step.actor, step.label, verdict, step.said))
        for number, left in enumerate(self.trace.steps[done + 1 :], start=done + 1):
            rows.append((None, (" ", str(number), left.lane, left.label, "not tried", "")))
        lines: list[Line] = [
            model_line(model),
            f"{self.system}: {done} of {len(self.trace) - 1} steps",
            "",
            *styled_columns(rows, right=[1]),
        ]
        different = [
            comparison._replace(what=f"after step {step.number}: {comparison.what}")
            for step in self.steps
            for comparison in step.differences
        ]
        if compared := [*different, *self.compared]:
            table = [
                marked(comparison.agrees, comparison.what, comparison.foretold, comparison.found)
                for comparison in compared
            ]
            lines += ["", *styled_columns([(None, ("", "", "predicted", "found")), *table])]
        return [*lines, "", self.why]

    def as_dict(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "model": self.trace.model.name,
            "holds": self.holds,
            "why": self.why,
            "stopped": self.stopped,
            "steps": [
                {
                    "step": step.number,
                    "actor": step.actor,
                    "label": step.label,
                    "foretold": step.foretold,
                    "verdict": step.verdict,
                    "said": step.said,
                    "differences": [comparison._asdict() for comparison in step.differences],
                }
                for step in self.steps
            ],
            "not_tried": [step.label for step in self.trace.steps[len(self.steps) + 1 :]],
            "compared": [comparison._asdict() for comparison in self.compared],
        }

    def __repr__(self) -> str:
        return f"<drive of {self.system}, {len(self.steps)} of {len(self.trace) - 1} steps: {self.why}>"


def follow(trace: Trace, driver: Driver, processes: Processes, folder: Path, time_limit: float | None = None) -> Driven:
    """Drive a system along a trace.

    The drive ends with the first step that does not come out as predicted, since the model's next step starts from a
    state that the system is not in. The end is then compared with the model's state before that step.

    Args:
        processes: The actors; they stay for the next trace, unless one of them fails.
        folder: An empty folder for the system's files.
        time_limit: In seconds.

    Raises:
        InputError: If the trace is a lasso, or the system is not installed.
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
            comparisons = course.compare(step, answer) if is_foretold else ()
            different = tuple(comparison for comparison in comparisons if not comparison.agrees)
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
