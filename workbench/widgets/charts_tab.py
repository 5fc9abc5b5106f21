"""Charts of the result: levels, what the actions contributed, and who reads and writes what."""

from typing import TYPE_CHECKING

import ipywidgets

from workbench import view
from workbench.kernel import Result
from workbench.spaces.space import explore
from workbench.view.html import element, escape
from workbench.widgets.jobs import Job
from workbench.widgets.pane import Pane
from workbench.widgets.tab import Tab

if TYPE_CHECKING:
    from workbench.widgets.panel import Workbench

#: How many states are looked at to see who reads and writes what.
MOST_STATES = 20_000


class ChartsTab(Tab):
    """Three charts; the last needs some states to look at, and comes later."""

    title = "Charts"

    def __init__(self, panel: "Workbench") -> None:
        super().__init__(panel)
        self._charts = ipywidgets.Output()
        self._access = ipywidgets.Output()
        self._notes = Pane()
        self.children = [self._charts, self._working, self._access, self._notes]

    def refresh(self, result: Result) -> None:
        self._access.outputs = ()
        self._notes.html = ""
        _fill(self._charts, view.levels_chart(result), view.coverage_chart(result))

        def work(job: Job) -> view.Grid:
            return view.access_chart(explore(result.model, [], max_states=MOST_STATES, should_stop=job.should_stop))

        self.compute("Looking at who reads and writes what", work, self._show_access)

    def _show_access(self, chart: view.Grid) -> None:
        _fill(self._access, chart)
        self._notes.html = element("p", escape(" ".join(chart.notes)), class_="wb-note")


def _fill(output: ipywidgets.Output, *charts: view.Bars | view.Grid) -> None:
    output.outputs = tuple({"output_type": "display_data", "data": c.bundle(), "metadata": {}} for c in charts)
