"""The common part of a panel's tabs: views of a session, made and filled when they are opened."""

from collections.abc import Callable
from typing import Any, ClassVar

from workbench.kernel import Result, Trace
from workbench.showing.panel.fields import Button
from workbench.showing.panel.parts import Box, Pane, Part
from workbench.showing.pictures.markup import Markup, element
from workbench.showing.session import Session
from workbench.showing.session.jobs import Aside
from workbench.showing.view import trace_view
from workbench.showing.view.base.html import Drawn, Joined, Rendered, badge, noted


class Tab(Box):
    """One tab of a panel. It is empty until it is opened for the first time.

    Attributes:
        of_selected: Whether it shows the selected property.
    """

    title: ClassVar[str] = ""
    of_selected: ClassVar[bool] = False

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._built = False
        self._filled: Any = None

    def make(self) -> None:
        """Make the parts, unless they are there."""
        if not self._built:
            self._built = True
            self.children = self.build()

    def opened(self) -> None:
        """Show what the session found, unless it is shown already. Called while the tab is visible."""
        with self.session.lock:
            if self.session.result is None:
                return
            self.make()
            now = self.what()
            if now != self._filled:
                self._filled = now
                self.refresh(self.session.result)

    def again(self) -> None:
        """Draw again, although the session has found nothing new."""
        with self.session.lock:
            self._filled = None
            self.opened()

    def what(self) -> Any:
        """The key of the tab's contents: while it stays the same, so do they."""
        return self.session.number

    def build(self) -> list[Part]:
        """Make the parts."""
        raise NotImplementedError

    def refresh(self, result: Result) -> None:
        """Draw the result, or begin to compute."""
        raise NotImplementedError

    def working(self, purpose: str, draw: Callable[[Any], None], what: str = "") -> "Working":
        """A line about the session's computation for this tab; `draw` gets its outcome."""
        return Working(self.session.aside(purpose), draw, self._ended, what)

    def _ended(self) -> None:
        """Discard the outcome, so that it is computed again."""
        self._filled = None


class Working(Box):
    """The progress of a computation, with a button that stops it; or the reason why there is no outcome.

    Args:
        draw: Gets the outcome when there is one.
        ended: Called when it has been cancelled.
        what: The work that the button stops, where there may be several buttons.
    """

    def __init__(
        self, aside: Aside, draw: Callable[[Any], None], ended: Callable[[], None] = lambda: None, what: str = ""
    ) -> None:
        self.aside, self._outcome, self._cancelled = aside, draw, ended
        self._stop = Button(f"Stop {what}".rstrip(), "stop, and keep what was found", aside.stop)
        self._note = Pane()
        super().__init__([self._stop, self._note], "wb-toolbar")
        aside.on_change(self._changed)
        self._changed()

    def _changed(self) -> None:
        aside = self.aside
        self._stop.shown = aside.running
        if aside.error:
            self._note.html = complaint(aside.error)
        else:
            self._note.html = noted(aside.message) if aside.message else ""
        if aside.outcome is not None:
            self._outcome(aside.outcome)
        elif aside.key is None:
            self._cancelled()


def complaint(text: str) -> Markup:
    """An error message in one line."""
    return element("p", badge("error"), " ", text, class_="wb-wrong")


def failure(error: str, led_to_it: Trace | None) -> Drawn:
    """The error in the settings or the model; if a state causes it, with the behaviour that leads there."""
    message = Rendered(complaint(error), f"Workbench, error: {error}")
    return message if led_to_it is None else Joined(message, trace_view(led_to_it))


def failure_beside(result: Result) -> list[Drawn]:
    """The error of the model that a check met after it had decided something, if it did."""
    return [] if result.error is None else [failure(str(result.error), result.error.trace)]
