"""The lifetime of panels: running a cell again closes the panel that it created.

The kernel keeps every widget until it is closed, and sends all of them to a page that is loaded anew.
"""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import ipywidgets
from IPython.display import DisplayHandle, display
from ipywidgets.widgets.widget import _instances

from workbench.showing.pictures.markup import Markup, element
from workbench.showing.session.jobs import Aside, Job
from workbench.showing.view.base.html import Drawn, Joined

#: The MIME type of an output that shows a widget, by a number that only the kernel knows.
VIEW = "application/vnd.jupyter.widget-view+json"
#: The time that a panel has to be left alone before the notebook gets its present contents.
QUIET_SECONDS = 0.5


class Cells:
    """The cells of the notebook in which each panel was made, and those in which it is in sight."""

    def __init__(self) -> None:
        self._events: Any = None
        self._cell_of: dict[ipywidgets.Widget, str] = {}
        self._shown: dict[ipywidgets.Widget, set[str]] = {}
        self._replaced: set[ipywidgets.Widget] = set()  # the cell that made it has made another one
        self._fresh: set[ipywidgets.Widget] = set()  # made or shown since a cell has ended

    def add(self, panel: ipywidgets.Widget) -> None:
        """Note that the running cell makes a panel."""
        if cell := self._running():
            self._cell_of[panel] = cell
            self._fresh.add(panel)

    def shown(self, panel: ipywidgets.Widget) -> str | None:
        """Note that the running cell shows a panel; returns that cell, if any."""
        if cell := self._running():
            self._shown.setdefault(panel, set()).add(cell)
            self._fresh.add(panel)
        return cell

    def forget(self, panel: ipywidgets.Widget) -> None:
        """Note that a panel is closed."""
        self._cell_of.pop(panel, None)
        self._shown.pop(panel, None)
        self._replaced.discard(panel)
        self._fresh.discard(panel)

    def _running(self) -> str | None:
        """The running cell; None if none is running, or outside a notebook."""
        ipython = sys.modules.get("IPython")
        shell: Any = ipython.get_ipython() if ipython is not None else None
        if not hasattr(shell, "get_parent"):
            return None
        if self._events is not shell.events:
            self._events = shell.events
            shell.events.register("post_run_cell", self._ended)
        cell = shell.get_parent().get("metadata", {}).get("cellId")
        return cell if isinstance(cell, str) else None

    def _ended(self, outcome: Any) -> None:
        """Update the records after a cell has run: panels that it did not show again are out of sight there."""
        cell = outcome.info.cell_id
        if any(self._cell_of.get(panel) == cell for panel in self._fresh):
            self._replaced |= {panel for panel, origin in self._cell_of.items() if origin == cell} - self._fresh
        for panel in self._shown.keys() - self._fresh:
            self._shown[panel].discard(cell)
        boxed = [panel for panel in self._fresh if panel not in self._shown and boxes_of(panel)]
        self._fresh.clear()
        for panel in [panel for panel in self._replaced if not self._shown.get(panel)]:
            panel.close()
        if boxed:  # the box has shown them, without asking them for a copy
            display_kept(sorted(boxed, key=lambda panel: panel.model_id), cell)


def boxes_of(panel: ipywidgets.Widget) -> list[ipywidgets.Box]:
    """The boxes that contain a widget."""
    return [box for box in list(_instances.values()) if isinstance(box, ipywidgets.Box) and panel in box.children]


#: The cells of this kernel.
CELLS = Cells()


class Displayed(ipywidgets.DOMWidget):
    """The first base class of any widget that a cell displays."""

    _work: Any = None  # the work behind it, which ends with it
    _kept: Aside | None = None  # keeps copies of it in outputs, once it is shown
    _attended = False

    def __init__(self, *children: Any, **options: Any) -> None:
        super().__init__(*children, **options)
        CELLS.add(self)

    def static(self) -> Drawn | None:
        """The static copy, shown when there is no kernel."""
        raise NotImplementedError

    def _wait_a_little(self) -> None:
        """Wait a moment for the contents of :meth:`static`, in case they are ready soon."""

    def _when_other(self, changed: Callable[[], None]) -> None:
        """Have `changed` called whenever the contents of :meth:`static` change; for most panels they never do."""

    def _repr_mimebundle_(self, **options: Any) -> Any:
        CELLS.shown(self)
        data, metadata = self._own_bundle(**options)
        self._wait_a_little()
        drawn = self.static()
        return {**data, **({} if drawn is None else drawn.bundle())}, metadata

    def _own_bundle(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget's own outputs, and their metadata; none outside a notebook."""
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return dict(data), metadata

    def _ipython_display_(self) -> None:
        """Show the widget at once, and the latest static copy as an output of its own.

        When a notebook is reopened, the widget is gone. JupyterLab then replaces the whole output that had it by an
        error, and ``style.css`` shows the static copy instead.
        """
        cell = CELLS.shown(self)
        data, _ = self._own_bundle()
        view = data.pop(VIEW, None)
        if view is not None:
            display({VIEW: view}, raw=True)
        display_kept([self], cell, data, beside=view is not None)

    def _keep(self, cell: str | None, update: Callable[[], object]) -> None:
        """Have `update` called whenever the static copy changes, until the cell shows the panel again."""
        if self._kept is None:
            self._kept = Aside(threading.RLock())
            self._updates: dict[str | None, Callable[[], object]] = {}
            self._when_other(self._copy)
        self._updates[cell] = update

    def attend(self, somebody: bool) -> None:
        """Note whether somebody is using the panel; static copies are updated only once they have left."""
        self._attended = somebody
        if not somebody:
            self._copy()

    def _copy(self) -> None:
        def work(job: Job) -> None:
            job.pause(QUIET_SECONDS)
            for update in list(self._updates.values()):
                if not job.should_stop():
                    update()

        if self._kept is not None:
            self._kept.cancel()
            if not self._attended:
                self._kept.start(object(), "", work)

    def close(self) -> None:
        CELLS.forget(self)
        for box in boxes_of(self):  # one with a child that is closed could not be saved
            box.children = [child for child in box.children if child is not self]
        if self._work is not None:
            self._work.close()
        self.layout.close()
        if self._kept is not None:  # last, since closing something may announce a change
            self._kept.cancel()
        super().close()


def display_kept(
    panels: Sequence[Displayed], cell: str | None, data: Mapping[str, Any] = MappingProxyType({}), beside: bool = True
) -> None:
    """Show the latest static copies of panels as one output.

    Args:
        data: Other contents of the output.
        beside: Whether the output follows one that contains the panels themselves.
    """
    output = DisplayHandle()

    def bundle() -> dict[str, Any]:
        drawn = [copy for panel in panels if (copy := panel.static()) is not None]
        kept = Joined(*drawn).bundle() if drawn else {}
        if beside and "text/html" in kept:
            kept["text/html"] = str(element("div", Markup(kept["text/html"]), class_="wb-kept"))
        return {**data, **kept}

    for panel in panels:
        panel._wait_a_little()
        panel._keep(cell, lambda: output.update(bundle(), raw=True))
    output.display(bundle(), raw=True)
