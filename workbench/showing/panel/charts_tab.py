"""Charts of the result: levels, what the actions contributed, and who reads and writes what."""

from typing import Any

import ipywidgets

from workbench.kernel import Result
from workbench.showing import view
from workbench.showing.panel.pane import Words
from workbench.showing.panel.tab import Tab
from workbench.showing.pictures.markup import joined
from workbench.showing.session.jobs import Job


class ChartsTab(Tab):
    """Three charts; the last needs some states to look at, and comes later.

    They are pictures, which are there at once: a page takes seconds to load plotly, for who asks for that.
    """

    title = "Numbers"

    def build(self) -> list[Any]:
        self._interactive = ipywidgets.Checkbox(
            False, description="interactive", tooltip="charts to zoom in, which take longer to load", indent=False
        )
        self._interactive.observe(self._chosen, "value")
        self._pictures = Words()
        self._output, self._late = ipywidgets.Output(), ipywidgets.Output()  # one is not drawn again with the other
        self._working = self.working("access", self._show_access)
        self._charts: list[view.Bars | view.Grid] = []
        return [self._interactive, self._pictures, self._output, self._late, self._working]

    def refresh(self, result: Result) -> None:
        self._show([view.levels_chart(result), view.coverage_chart(result)])
        kept = self.session.kept
        assert kept is not None

        def work(job: Job) -> view.Grid:
            return view.access_chart(kept.space(job))

        self._working.aside.start(self.session.number, "Looking at who reads and writes what", work)

    def _show_access(self, chart: view.Grid) -> None:
        self._show([*self._charts[:2], chart])

    def _chosen(self, _: Any) -> None:
        with self.session.lock:
            self._show(self._charts)

    def _show(self, charts: list[view.Bars | view.Grid]) -> None:
        self._charts = charts
        interactive = self._interactive.value
        self._pictures.html = "" if interactive else joined(chart.html() for chart in charts)
        for output, shown in ((self._output, charts[:2]), (self._late, charts[2:])):
            output.outputs = tuple(
                {"output_type": "display_data", "data": chart.bundle(), "metadata": {}}
                for chart in shown
                if interactive
            )
