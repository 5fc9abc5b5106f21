"""The tabs that only show the session's result: the trace of the selected property, and steps by hand."""

from collections.abc import Callable
from typing import Any

import traitlets

from workbench.kernel import Result
from workbench.pictures.markup import element, joined
from workbench.view.html import headed
from workbench.widgets.pane import Words
from workbench.widgets.player import TracePlayer, share_watches
from workbench.widgets.simulator import Simulator
from workbench.widgets.tab import Tab, said_of


class _Player(TracePlayer):
    """A trace player in a panel, which has a style sheet, and a button that goes on from the state in sight.

    The page says from which one: of the steps of quick keys the kernel may not have heard yet.
    """

    _css = ""

    onward = traitlets.Unicode("Step on from here").tag(sync=True)

    def __init__(self, go_on: Callable[[int], None]) -> None:
        super().__init__()
        self._go_on = go_on

    def _asked(self, sender: Any, content: dict[str, Any], buffers: Any) -> None:
        match content:
            case {"onward": int(step)}:
                self._go_on(step)
            case _:
                super()._asked(sender, content, buffers)


class TraceTab(Tab):
    """The counterexample or witness of the selected property."""

    title, of_selected = "Trace", True

    def build(self) -> list[Any]:
        self.player = _Player(self._step_on)
        share_watches(self.player, self.session)
        self._about = Words()
        return [self._about, self.player]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        verdict = self.session.verdict
        shown = "" if verdict is not None and verdict.trace is not None else "none"
        self.player.layout.display = shown
        if verdict is None:
            self._about.html = element("p", "Select a property above.")
            return
        why = f": {verdict.why.rstrip('.')}" if verdict.why else ""
        doc = element("span", said_of(result, verdict.name), class_="wb-note")
        none = None if verdict.trace is not None else " There is no behaviour to show."
        self._about.html = headed(verdict.name, joined([f"{verdict.word}{why}. ", doc, none]))
        if verdict.trace is None:
            return
        trace, known = verdict.trace, self.player.trace
        first = len(trace) - 1 if trace.loop is None else trace.loop
        if known is not None and known.steps == trace.steps and known.model.constants == trace.model.constants:
            first = self.player.step  # it was found again
        self.player.show(trace, first, properties=[v.name for v in result.verdicts])

    def _step_on(self, step: int) -> None:
        trace = self.player.trace
        if trace is not None:
            self.session.step_from(trace, min(step, len(trace) - 1))


class StepTab(Tab):
    """The simulator; it begins anew when the constants change."""

    title = "Step it yourself"

    def build(self) -> list[Any]:
        self.simulator = Simulator(self.session)
        return [self.simulator]

    def refresh(self, result: Result) -> None:
        self.session.stepper()  # which begins anew with other constants
        self.simulator.check([verdict.name for verdict in result.verdicts])
