"""The tabs that are made of several parts: the story that one steps through, and the map of what flips it."""

from typing import Any

from workbench.kernel import Result
from workbench.showing.panel.grid_tab import GridTab
from workbench.showing.panel.parts import Part
from workbench.showing.panel.stepping import Stepping
from workbench.showing.panel.tab import Tab
from workbench.showing.panel.whatif_tab import WhatIf
from workbench.showing.session import Session


class StoryTab(Tab):
    """The counterexample or witness of the selected property, to step through and to leave where one likes."""

    title, of_selected = "Story", True

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.stepping = Stepping(session.stepper(), session)
        self._built, self.children = True, [self.stepping]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        self.session.tell()
        self.stepping.check([verdict.name for verdict in result.verdicts])


class MapTab(Tab):
    """The effects of changes: of each single one, and of several as a grid."""

    title = "Map"

    def build(self) -> list[Part]:
        self._parts: list[Tab] = [WhatIf(self.session), GridTab(self.session)]
        return [*self._parts]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        for part in self._parts:
            part.opened()
