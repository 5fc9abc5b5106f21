"""Charts of the result: levels, contributions of the actions, and their reads and writes."""

from workbench.kernel import Result
from workbench.showing import view
from workbench.showing.panel.parts import Pane, Part
from workbench.showing.panel.tab import Tab
from workbench.showing.pictures.markup import element, joined
from workbench.showing.session.jobs import Job
from workbench.showing.view.base.html import noted

#: Pictures are there at once; charts that zoom take a page seconds to load.
_IN_A_CELL = noted(
    joined(["In a cell, ", element("code", "workbench.showing.view.levels_chart(panel.result)"), " can be zoomed."])
)


class ChartsTab(Tab):
    """Three charts; the last needs some states to look at, and comes later."""

    title = "Numbers"

    def build(self) -> list[Part]:
        self._pictures = Pane()
        self._working = self.working("access", self._show_access)
        self._charts: list[view.Bars | view.Grid] = []
        return [self._pictures, self._working, Pane(_IN_A_CELL)]

    def refresh(self, result: Result) -> None:
        self._show([view.levels_chart(result), view.coverage_chart(result)])
        kept = self.session.kept
        assert kept is not None

        def work(job: Job) -> view.Grid:
            return view.access_chart(kept.space(job))

        self._working.aside.start(self.session.number, "Looking at who reads and writes what", work)

    def _show_access(self, chart: view.Grid) -> None:
        self._show([*self._charts[:2], chart])

    def _show(self, charts: list[view.Bars | view.Grid]) -> None:
        self._charts = charts
        self._pictures.html = joined(chart.html() for chart in charts)
