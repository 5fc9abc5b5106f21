"""Charts of the result: levels, what the actions contributed, and who reads and writes what."""

from typing import Any

import ipywidgets

from workbench import view
from workbench.kernel import Result
from workbench.session.jobs import Job
from workbench.view.html import element, escape
from workbench.widgets.pane import Pane
from workbench.widgets.tab import Tab


class ChartsTab(Tab):
    """Three charts; the last needs some states to look at, and comes later."""

    title = "Charts"

    def build(self) -> list[Any]:
        self._charts = ipywidgets.Output()
        self._access = ipywidgets.Output()
        self._notes = Pane()
        self._working = self.working("access", self._show_access)
        return [self._charts, self._working, self._access, self._notes]

    def refresh(self, result: Result) -> None:
        self._access.outputs = ()
        self._notes.html = ""
        _fill(self._charts, view.levels_chart(result), view.coverage_chart(result))
        kept = self.session.kept
        assert kept is not None

        def work(job: Job) -> view.Grid:
            return view.access_chart(kept.space(job))

        self._working.aside.start(self.session.number, "Looking at who reads and writes what", work)

    def _show_access(self, chart: view.Grid) -> None:
        _fill(self._access, chart)
        self._notes.html = element("p", escape(" ".join(chart.notes)), class_="wb-note")


def _fill(output: ipywidgets.Output, *charts: view.Bars | view.Grid) -> None:
    output.outputs = tuple({"output_type": "display_data", "data": c.bundle(), "metadata": {}} for c in charts)
