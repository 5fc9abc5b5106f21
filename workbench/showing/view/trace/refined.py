"""A trace in terms of the model that its own refines: for each step, the step of that model, if it is one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.formats.refinement_trace import AbstractTrace
from workbench.kernel.meaning.state import Change, State, changes_of, texts_of
from workbench.kernel.meaning.trace import Step
from workbench.showing.pictures.markup import Markup
from workbench.showing.view.base.html import folded
from workbench.showing.view.base.statetable import state_table
from workbench.showing.view.base.wording import listed, told_change


@dataclass(frozen=True)
class RefinedStep:
    """A step in terms of the refined model.

    Attributes:
        model: The class of the refined model.
        step: The corresponding step there. None if nothing changes there, or if no action makes the change.
        state: The refined model's state after the step.
        changes: What changes there.
        why: If the refined model has no such step, the reason.
    """

    model: str
    step: Step | None
    state: State
    changes: tuple[Change, ...]
    why: str | None

    @property
    def stutters(self) -> bool:
        return self.why is None and not self.changes

    @property
    def words(self) -> str:
        """The step in the refined model in a few words."""
        if self.why is not None:
            return f"no {'beginning' if self.step else 'step'} of {self.model}"
        return self.step.label if self.step and self.changes else f"nothing to {self.model}"

    @property
    def sentence(self) -> str:
        """A sentence about the step in the refined model. It follows the sentence about the step itself."""
        if self.why is not None:
            return f"That is {self.words}: {self.why}."
        changes = listed([told_change(change) for change in self.changes])
        return f"That is {self.words}" + (f", and changes {changes}." if changes else ".")

    def html(self) -> Markup:
        """The refined model's state after the step, unfolded if the step does something to it."""
        summary = f"{self.model}: {self.words}"
        inside = state_table(self.state, self.changes).html()
        return folded(summary, inside, is_open=not self.stutters, class_="wb-refined")

    def as_dict(self) -> dict[str, Any]:
        return {
            "label": self.step and self.step.label,
            "why": self.why,
            "state": texts_of(self.state),
        }


def refined_steps(abstract_trace: AbstractTrace) -> Iterator[RefinedStep]:
    """The steps of a behaviour as the refined model sees them, the initial state first."""
    before = None
    for step in abstract_trace.steps:
        changes = () if before is None else tuple(changes_of(before, step.state))
        yield RefinedStep(abstract_trace.model.declared.title, step.step, step.state, changes, step.why)
        before = step.state
