"""A field for a permalink from somebody else."""

from collections.abc import Callable

from workbench.kernel import InputError
from workbench.showing.panel.fields import Button, Typed
from workbench.showing.panel.parts import Box, Pane
from workbench.showing.panel.tab import complaint
from workbench.showing.pictures.markup import element, joined


class OpenPermalink(Box):
    """Opens a pasted permalink. Its watches are shown as text, and evaluated only once a person agrees.

    Args:
        open: Opens a line, and returns the expressions that it says to watch.
        watch: Gets these expressions.
    """

    def __init__(self, open: Callable[[str], tuple[str, ...]], watch: Callable[[tuple[str, ...]], None]) -> None:
        self._open_line, self._watch = open, watch
        self._offered: tuple[str, ...] = ()
        self.line = Typed(
            "Open a permalink", placeholder="workbench:MODEL?NAME=VALUE#0/...",
            tip="the line below each trace, which re-creates it", on_change=self.submit, class_="wb-long",
        )  # fmt: skip
        self._notice = Pane()
        self._agree = Button("Watch these", "run these Python expressions in every state of the trace", self._agreed)
        self._agree.shown = False
        go = Button("Open", "take its settings, and step on from its end", self.submit)
        super().__init__([Box([self.line, go], "wb-toolbar"), self._notice, self._agree])

    def submit(self) -> None:
        """Open the permalink in the field."""
        if not self.line.value.strip():
            self._offer((), "")
            return
        try:
            offered = self._open_line(self.line.value)
        except InputError as error:
            self._offer((), complaint(str(error)))
            return
        expressions = joined((element("code", text) for text in offered), ", ")
        only = ". These are Python, and run here only if you say so."
        self._offer(offered, element("p", "The permalink says to watch ", expressions, only) if offered else "")

    def _offer(self, offered: tuple[str, ...], notice: str) -> None:
        self._offered, self._notice.html = offered, notice
        self._agree.shown = bool(offered)

    def _agreed(self) -> None:
        offered = self._offered
        self._offer((), "")
        self._watch(offered)
