"""What the tabs of a panel have in common: they compute when they are opened, off the main thread."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import ipywidgets

from workbench.kernel import Result
from workbench.view.html import badge, element, escape
from workbench.widgets.jobs import Job
from workbench.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.widgets.panel import Workbench


class Tab(ipywidgets.VBox):
    """One tab of a panel.

    Attributes
    ----------
    title : str
    panel : Workbench
    """

    title: ClassVar[str] = ""

    def __init__(self, panel: "Workbench") -> None:
        self.panel = panel
        self._note = Pane()
        self._stop = button("Stop", "stop", "stop, and keep what was found", lambda: panel.aside.stop())
        self._stop.layout.display = "none"
        self._working = ipywidgets.HBox([self._stop, self._note]).add_class("wb-toolbar")
        super().__init__([self._working])
        self._shown: Any = None

    def opened(self) -> None:
        """Show what the panel found, unless that is what is shown already."""
        now, result = self.what(), self.panel.result
        if result is not None and now != self._shown:
            self._shown = now
            self.panel.aside.cancel()
            self._finish()
            self.refresh(result)

    def what(self) -> Any:
        """What the tab's contents depend on."""
        return id(self.panel.result)

    def refresh(self, result: Result) -> None:
        """Draw the result, or begin to compute."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        self._note.html = element("p", escape(text), class_="wb-note") if text else ""

    def compute(self, saying: str, work: Callable[[Job], Any], done: Callable[[Any], None]) -> None:
        """Run `work` in a thread while `saying` something, then `done` with its outcome."""
        self.say(saying)
        self._stop.layout.display = ""

        def finished(outcome: Any) -> None:
            self._finish()
            done(outcome)

        self.panel.aside.start(work, finished, self.fail)

    def fail(self, text: str) -> None:
        """Show a complaint in one line."""
        self._finish()
        self._note.html = complaint(text)

    def _finish(self) -> None:
        self._stop.layout.display = "none"
        self.say("")


def complaint(text: str) -> str:
    """One line that says what is wrong."""
    return element("p", badge("error"), " ", escape(text), class_="wb-wrong")


def button(text: str, icon: str, tooltip: str, act: Callable[[], None], **options: Any) -> Any:
    """A button as wide as its text."""
    layout = {"width": "auto", "align_self": "flex-start"}
    made = ipywidgets.Button(description=text, icon=icon, tooltip=tooltip, layout=layout, **options)
    made.on_click(lambda _: act())
    return made
