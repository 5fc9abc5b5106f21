"""A behaviour in lanes, as plain data: one lane per actor, and for each step its effects in each lane."""

from dataclasses import dataclass, field
from typing import Any

from workbench.formats.refinement_trace import AbstractTrace
from workbench.kernel import State, Trace
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import Change
from workbench.kernel.meaning.trace import Step
from workbench.showing.view.base.truth import Truth
from workbench.showing.view.base.wording import told_change, told_step
from workbench.showing.view.trace.refined import RefinedStep


@dataclass(frozen=True)
class StepView:
    """One step of a trace.

    Attributes:
        number: The number of the step, where the initial state is 1.
        step: The model's step.
        lane: The lane of the actor that takes it; "" for the initial state.
        effects: For every other lane that the step affects, what it changed there.
        doc: The author's description of the action.
        source: The file and line of the action.
        again: Cells of the shared state to which the step wrote the value that they already had.
        alike: In words, what the step made equal to another actor's value.
        writers: The other actors whose values the step overwrote.
        refined: The step in terms of the refined model, if the trace is shown in those terms.
    """

    number: int
    step: Step
    lane: str
    changes: tuple[Change, ...] = ()
    effects: dict[str, tuple[Change, ...]] = field(default_factory=dict)
    truths: tuple[Truth, ...] = ()
    doc: str = ""
    again: tuple[Change, ...] = ()
    alike: tuple[str, ...] = ()
    writers: dict[Cell, str] = field(default_factory=dict)
    refined: RefinedStep | None = None
    source: str = ""

    @property
    def label(self) -> str:
        return self.step.label

    @property
    def state(self) -> State:
        """The state that the step leads to."""
        return self.step.state

    @property
    def sentence(self) -> str:
        """The step as a sentence: who does what, with which choices."""
        instance = self.step.instance
        if instance is None:
            return "The behaviour begins here."
        text = f"{told_step(instance, self.step.choices, self.lane, self.doc)}."
        return text if self.refined is None else f"{text} {self.refined.sentence}"

    @property
    def broken(self) -> tuple[Truth, ...]:
        """The properties violated in this state, or by the step to it."""
        return tuple(truth for truth in self.truths if truth.broken)


class Lanes:
    """The steps of a trace, each in the lane of its actor.

    Attributes:
        steps: The steps up to :attr:`workbench.kernel.Trace.end`.
        lanes: The actors in the order of the model's processes, then the shared state. A process without members, such
            as a crasher, is left out if it takes no step.
        back: The step that closes a cycle.
        abstract: The behaviour in terms of the refined model.
        refined (str or None): The class of that model. Its lane comes first.
    """

    def __init__(
        self,
        trace: Trace,
        lanes: list[str],
        steps: list[StepView],
        back: StepView | None,
        abstract: AbstractTrace | None = None,
    ) -> None:
        self.trace, self.lanes, self.steps, self.back = trace, lanes, steps, back
        self.loop = trace.loop if trace.back is not None or trace.loop is None else trace.end
        self.abstract, self.refined = abstract, None if abstract is None else abstract.model.declared.title

    @property
    def strip(self) -> dict[str, Any]:
        """The strip of dots of a player: the actor of each step, and where something is violated.

        ``lanes`` are the actors that take a step; ``at`` is the index of the actor for each step, and -1 for the
        initial state; ``bad`` are the indices of the steps that violate something.
        """
        lanes = [lane for lane in self.lanes if any(step.lane == lane for step in self.steps)]
        at = [lanes.index(step.lane) if step.lane else -1 for step in self.steps]
        return {
            "lanes": lanes,
            "at": at,
            "bad": [i for i, step in enumerate(self.steps) if step.broken],
            "loop": self.loop,
        }

    @property
    def texts(self) -> list[str]:
        """The searchable text of each step: its label, its sentence, and its changes."""
        return ["\n".join([step.label, step.sentence, *map(told_change, step.changes)]) for step in self.steps]

    @property
    def ending(self) -> str | None:
        """The continuation of a lasso; None for a finite behaviour."""
        if self.loop is None:
            return None
        return "stops for ever" if self.back is None else f"back to state {self.loop + 1}, for ever"
