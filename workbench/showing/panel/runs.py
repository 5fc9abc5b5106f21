"""A place for two runs. The page draws their strip, shows a step, and reports which step it shows."""

from collections.abc import Callable
from typing import Any

from workbench.showing.panel.parts import Pane, Seen
from workbench.showing.view import TwoRuns


class RunsPane(Pane):
    """A pane for two runs.

    Args:
        on_step: Called when a person has gone to another step.

    Attributes:
        step: The index of the step that is shown.
    """

    step = Seen()

    def __init__(self, on_step: Callable[[], None] = lambda: None) -> None:
        self._runs: TwoRuns | None = None
        super().__init__()
        self._on_step, self.step = on_step, 0

    def show(self, runs: TwoRuns | None) -> None:
        """Show two runs, first where they diverge; nothing for None."""
        self._runs = runs
        self.html = "" if runs is None else runs.html()
        self.step = 0 if runs is None else runs.first

    def page_values(self) -> dict[str, Any]:
        return {"step": self.step}

    def changed(self, name: str) -> None:
        if name != "step":
            self.draw()
        elif self.surface is not None:
            self.surface.put_values(self, self.page_values())

    def hear(self, values: dict[str, Any]) -> None:
        match values:
            case {"step": int(step)} if self._runs is not None and 0 <= step < len(self._runs):
                self.step = step
                self._on_step()
