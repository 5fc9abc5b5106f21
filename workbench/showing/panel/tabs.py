"""The tabs that are made of several parts: the story that one steps through, and the map of what flips it."""

from typing import Any

from workbench.kernel import Result
from workbench.showing.panel.compare_tab import Compare
from workbench.showing.panel.fold import folded_away
from workbench.showing.panel.grid_tab import Grid
from workbench.showing.panel.simulator import Simulator
from workbench.showing.panel.tab import Tab
from workbench.showing.panel.whatif_tab import WhatIf


class StoryTab(Tab):
    """The counterexample or witness of the selected property, to step through and to leave where one likes."""

    title, of_selected = "Story", True

    def build(self) -> list[Any]:
        self.simulator = Simulator(self.session)
        return [self.simulator]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        self.session.tell()
        self.simulator.check([verdict.name for verdict in result.verdicts])


class MapTab(Tab):
    """What every change would do: one at a time, several as a grid, and two results side by side."""

    title = "Map"

    def build(self) -> list[Any]:
        self.what_if, self.grid = WhatIf(self.session), Grid(self.session)
        self.compare: Compare | None = None
        self.further = folded_away("Compare two results", make=self._make_compare)
        return [self.what_if, self.grid, self.further]

    def _make_compare(self) -> list[Any]:
        self.compare = Compare(self.session)
        self.compare.opened()
        return [self.compare]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        for part in filter(None, (self.what_if, self.grid, self.compare)):
            part.opened()
