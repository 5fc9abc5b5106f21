"""The tab Compare: the present result next to another one."""

from typing import Any

from workbench.checking.check import check
from workbench.kernel import Result
from workbench.registry.configurations import configuration
from workbench.showing.panel.fields import Button, Choice
from workbench.showing.panel.parts import Box, Pane, Part
from workbench.showing.panel.runs import RunsPane
from workbench.showing.panel.tab import Tab
from workbench.showing.pictures.markup import element
from workbench.showing.session import presets
from workbench.showing.session.jobs import Job
from workbench.showing.view import compare
from workbench.showing.view.trace.tables import told_apart

_BEFORE, _KEPT = "the result before this one", "the result that was kept"
#: The names of the columns.
_NOW, _COLUMNS = "now", {_BEFORE: "before", _KEPT: "kept"}


class CompareTab(Tab):
    """The runs of the selected property, step by step; then constants, verdicts and counts."""

    title, of_selected = "Compare", True

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def build(self) -> list[Part]:
        self._presets = presets(self.session.settings.model_class)
        self._other = Choice("compare with", [_BEFORE, _KEPT, *self._presets], on_change=self.again)
        keep = Button("Keep this result", "to compare later ones with it", self._keep)
        self._kept: Result | None = None
        self._checked: dict[str, Result] = {}
        self._runs, self._table = RunsPane(), Pane()
        self._working = self.working("compare", self._arrived)
        return [Box([self._other, keep], "wb-toolbar"), self._working, self._runs, self._table]

    def refresh(self, result: Result) -> None:
        name = self._other.value
        if name not in self._presets or name in self._checked:
            self._working.aside.cancel()
            self._filled = self.what()
            results = {_BEFORE: self.session.before, _KEPT: self._kept, **self._checked}
            self._show(name, results[name])
            return
        path = self._presets[name]
        self._runs.show(None)
        self._table.html = ""

        def work(job: Job) -> tuple[str, Result]:
            configured = configuration(path)
            model, properties, symmetry = configured.model, configured.properties, configured.symmetry
            return name, check(model, properties, symmetry=symmetry, engine="local", watch=job.watch())

        self._working.aside.start((self.session.number, name), f"Checking {name}", work)

    def _arrived(self, outcome: tuple[str, Result]) -> None:
        name, other = outcome
        if other.complete:
            self._checked[name] = other
        self._show(name, other)

    def _show(self, name: str, other: Result | None) -> None:
        result = self.session.result
        if other is None or result is None:
            self._runs.show(None)
            self._table.html = element("p", "There is no such result yet: change something, or keep one.")
            return
        words = _COLUMNS.get(name) or self._presets[name].stem, _NOW
        compared = compare(other, result, told_apart(other, result, words), self.session.selected)
        self._runs.show(compared.runs)
        self._table.html = compared.table()

    def _keep(self) -> None:
        with self.session.lock:
            self._kept = self.session.result
            self._other.value = _KEPT
            self.again()
