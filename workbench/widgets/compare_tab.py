"""Compare: the present result beside another one."""

from typing import TYPE_CHECKING

import ipywidgets

from workbench.configurations import load
from workbench.engines.check import check
from workbench.kernel import Result
from workbench.view import compare
from workbench.view.html import element
from workbench.widgets.jobs import Job
from workbench.widgets.pane import Pane
from workbench.widgets.presets import presets
from workbench.widgets.tab import Tab, button

if TYPE_CHECKING:
    from workbench.widgets.panel import Workbench

_BEFORE, _KEPT = "the result before this one", "the result that was kept"


class CompareTab(Tab):
    """Verdicts, counts, and where the traces part."""

    title = "Compare"

    def __init__(self, panel: "Workbench") -> None:
        super().__init__(panel)
        self._presets = presets(panel.model_class)
        self._other = ipywidgets.Dropdown(
            options=[_BEFORE, _KEPT, *self._presets], description="left", layout={"flex": "1 1 300px", "width": "auto"}
        )
        self._other.observe(self._again, "value")
        keep = button("Keep this result", "thumb-tack", "to compare later ones with it", self._keep)
        self._kept: Result | None = None
        self._checked: dict[str, Result] = {}
        self._table = Pane()
        row = ipywidgets.HBox([self._other, keep]).add_class("wb-toolbar")
        self.children = [row, self._working, self._table]

    def refresh(self, result: Result) -> None:
        name = self._other.value
        if name in self._presets and name not in self._checked:
            path = self._presets[name]

            def work(job: Job) -> Result:
                one = load(path)
                return check(
                    one.model, one.properties, symmetry=one.symmetry, engine="local", should_stop=job.should_stop
                )

            def done(other: Result) -> None:
                if other.complete:
                    self._checked[name] = other
                self._show(other, result)

            self.compute(f"Checking {name}", work, done)
            return
        known = {_BEFORE: self.panel.before, _KEPT: self._kept, **self._checked}
        self._show(known[name], result)

    def _show(self, other: Result | None, result: Result) -> None:
        if other is None:
            self._table.html = element("p", "There is no such result yet: change something, or keep one.")
        else:
            self._table.html = compare(other, result).html()

    def _again(self, _: object = None) -> None:
        with self.panel.lock:
            self._shown = None
            self.opened()

    def _keep(self) -> None:
        self._kept = self.panel.result
        self._other.value = _KEPT
        self._again()
