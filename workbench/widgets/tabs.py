"""The tabs that only show the panel's result: verdicts, and the trace of the selected property."""

from typing import TYPE_CHECKING, Any

from workbench.kernel import Result
from workbench.view import result_view
from workbench.view.html import element, escape
from workbench.widgets.pane import Pane
from workbench.widgets.player import TracePlayer
from workbench.widgets.simulator import Simulator
from workbench.widgets.tab import Tab, button

if TYPE_CHECKING:
    from workbench.widgets.panel import Workbench


class Verdicts(Tab):
    """Per property the verdict and its reason."""

    title = "Verdicts"

    def __init__(self, panel: "Workbench") -> None:
        super().__init__(panel)
        self._table = Pane()
        self.children = [self._table]

    def refresh(self, result: Result) -> None:
        self._table.html = result_view(result).html()


class TraceTab(Tab):
    """The counterexample or witness of the selected property."""

    title = "Trace"

    def __init__(self, panel: "Workbench") -> None:
        super().__init__(panel)
        self.player = TracePlayer()
        self._about = Pane()
        self._continue = button(
            "Step on from here", "step-forward", "take the steps after this state by hand", self._step_on
        )
        self.children = [self._about, self.player, self._continue]

    def what(self) -> Any:
        return id(self.panel.result), self.panel.selected

    def refresh(self, result: Result) -> None:
        verdict = self.panel.verdict
        shown = "" if verdict is not None and verdict.trace is not None else "none"
        self.player.layout.display = self._continue.layout.display = shown
        if verdict is None:
            self._about.html = element("p", "Select a property above.")
            return
        title = f"<b>{escape(verdict.name)}</b> {escape(verdict.word)}"
        if verdict.trace is None:
            self._about.html = f"<p>{title}: there is no behaviour to show.</p>"
            return
        self._about.html = f"<p>{title}{': ' + escape(verdict.why) if verdict.why else ''}</p>"
        loop = verdict.trace.loop
        first = len(verdict.trace) - 1 if loop is None else loop
        self.player.show(verdict.trace, first, properties=[v.name for v in result.verdicts])

    def _step_on(self) -> None:
        with self.panel.lock:
            if self.player.trace is not None:
                self.panel.step_from(self.player.trace, self.player.step)


class StepTab(Tab):
    """The simulator; it begins anew when the constants change."""

    title = "Step it yourself"

    def __init__(self, panel: "Workbench") -> None:
        super().__init__(panel)
        self.simulator: Simulator | None = None

    def what(self) -> Any:
        return None if self.panel.result is None else self.panel.result.model.constants

    def refresh(self, result: Result) -> None:
        self.begin(result.model)

    def begin(self, what: Any, step: int | None = None) -> None:
        """Start with a model, or at a step of a behaviour."""
        assert self.panel.result is not None
        if self.simulator is None:
            self.simulator = Simulator(what)
            self.children = [self.simulator]
        self.simulator.start(what, step, [verdict.name for verdict in self.panel.result.verdicts])
        self._shown = self.what()
