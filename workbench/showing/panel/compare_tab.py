"""Compare: the present result beside another one."""

from workbench.checking.check import check
from workbench.kernel import Result
from workbench.registry.configurations import configuration
from workbench.showing.panel.fields import Button, Choice
from workbench.showing.panel.parts import Pane, Part
from workbench.showing.panel.tab import Tab
from workbench.showing.pictures.markup import element
from workbench.showing.session import presets
from workbench.showing.session.jobs import Job
from workbench.showing.view import compare

_BEFORE, _KEPT = "the result before this one", "the result that was kept"
#: The names of the columns.
_NOW, _COLUMNS = "now", {_BEFORE: "before", _KEPT: "kept"}


class Compare(Tab):
    """Verdicts, counts, and where the traces part."""

    def build(self) -> list[Part]:
        self._presets = presets(self.session.settings.model_class)
        self._other = Choice("compare with", [_BEFORE, _KEPT, *self._presets], on_change=self.again)
        keep = Button("Keep this result", "to compare later ones with it", self._keep)
        self._kept: Result | None = None
        self._checked: dict[str, Result] = {}
        self._table = Pane()
        self._working = self.working("compare", self._arrived)
        return [self._other, keep, self._working, self._table]

    def refresh(self, result: Result) -> None:
        name = self._other.value
        if name not in self._presets or name in self._checked:
            self._working.aside.cancel()
            self._filled = self.what()
            known = {_BEFORE: self.session.before, _KEPT: self._kept, **self._checked}
            self._show(name, known[name])
            return
        path = self._presets[name]
        self._table.html = ""

        def work(job: Job) -> tuple[str, Result]:
            one = configuration(path)
            return name, check(one.model, one.properties, symmetry=one.symmetry, engine="local", watch=job.watch())

        self._working.aside.start((self.session.number, name), f"Checking {name}", work)

    def _arrived(self, outcome: tuple[str, Result]) -> None:
        name, other = outcome
        if other.complete:
            self._checked[name] = other
        self._show(name, other)

    def _show(self, name: str, other: Result | None) -> None:
        result = self.session.result
        if other is None or result is None:
            self._table.html = element("p", "There is no such result yet: change something, or keep one.")
        else:
            left, right = _COLUMNS.get(name) or self._presets[name].stem, _NOW
            if name in _COLUMNS:  # they are told apart by the constant that differs, if it is a single one
                left, right = _titled(left, other, result), _titled(right, result, other)
            self._table.html = compare(other, result, (left, right)).html()

    def _keep(self) -> None:
        with self.session.lock:
            self._kept = self.session.result
            self._other.value = _KEPT
            self.again()


def _titled(title: str, one: Result, other: Result) -> str:
    """`title`, with the one constant by which a result differs from another."""
    constants = other.model.spelled()
    differing = [(name, value) for name, value in one.model.spelled().items() if constants.get(name) != value]
    if len(differing) != 1:
        return title
    name, value = differing[0]
    return f"{title}: {name} = {one.model.declared.constants[name].domain.word(value)}"
