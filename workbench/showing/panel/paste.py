"""A field for a permalink that somebody has got from somebody else."""

from collections.abc import Callable

import ipywidgets

from workbench.kernel import InputError
from workbench.showing.panel.pane import Pane
from workbench.showing.panel.tab import button, complaint
from workbench.showing.pictures.markup import element, joined


class OpenPermalink(ipywidgets.VBox):
    """Opens what is pasted. What it says to watch is shown, and watched once a person has agreed to that.

    Args:
        open: Opens a line, and returns the expressions that it says to watch.
        watch: Gets these expressions.
    """

    def __init__(self, open: Callable[[str], tuple[str, ...]], watch: Callable[[tuple[str, ...]], None]) -> None:
        self._open_line, self._watch = open, watch
        self._offered: tuple[str, ...] = ()
        self.line = ipywidgets.Text(
            placeholder="workbench:MODEL?NAME=VALUE#0/...",
            tooltip="the line below each trace, which re-creates it",
            continuous_update=False,
            description="Open a permalink",
            style={"description_width": "initial"},
            layout={"flex": "1 1 240px"},
        )
        self.line.observe(lambda _: self.submit(), "value")
        self._said = Pane()
        self._agree = button(
            "Watch these", "eye", "run these Python expressions in every state of the trace", self._agreed
        )
        self._agree.layout.display = "none"
        go = button("Open", "folder-open", "take its settings, and step on from its end", self.submit)
        row = ipywidgets.HBox([self.line, go]).add_class("wb-toolbar")
        super().__init__([row, self._said, self._agree])

    def submit(self) -> None:
        """Open what is in the field."""
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

    def _offer(self, offered: tuple[str, ...], said: str) -> None:
        self._offered, self._said.html = offered, said
        self._agree.layout.display = "" if offered else "none"

    def _agreed(self) -> None:
        offered = self._offered
        self._offer((), "")
        self._watch(offered)
