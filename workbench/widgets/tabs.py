"""The tabs that only show the session's result: verdicts, the trace of the selected property, and steps by hand."""

from typing import Any

from workbench.kernel import Result
from workbench.view import result_view
from workbench.view.html import element, escape
from workbench.widgets.pane import Pane
from workbench.widgets.player import TracePlayer, share_watches
from workbench.widgets.simulator import Simulator
from workbench.widgets.tab import Tab, button


class Verdicts(Tab):
    """Per property the verdict and its reason."""

    title = "Verdicts"

    def build(self) -> list[Any]:
        self._table = Pane()
        return [self._table]

    def refresh(self, result: Result) -> None:
        self._table.html = result_view(result).html()


class TraceTab(Tab):
    """The counterexample or witness of the selected property."""

    title = "Trace"

    def build(self) -> list[Any]:
        self.player = TracePlayer()
        share_watches(self.player, self.session)
        self._about = Pane()
        self._continue = button(
            "Step on from here", "step-forward", "take the steps after this state by hand", self._step_on
        )
        return [self._about, self.player, self._continue]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        verdict = self.session.verdict
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
        if self.player.trace is not None:
            self.session.step_from(self.player.trace, self.player.step)


class StepTab(Tab):
    """The simulator; it begins anew when the constants change."""

    title = "Step it yourself"

    def build(self) -> list[Any]:
        self.simulator = Simulator(self.session)
        return [self.simulator]

    def refresh(self, result: Result) -> None:
        self.session.stepper()  # which begins anew with other constants
        self.simulator.check([verdict.name for verdict in result.verdicts])
