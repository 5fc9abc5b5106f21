"""Grid: one property under many settings, as a map of cells to click, and the rule behind it."""

import itertools
from collections import Counter
from collections.abc import Callable, Container
from typing import Any

import pandas as pd

from workbench.checking.questions.constant_grid import GridCell
from workbench.checking.questions.explain import Explanation
from workbench.formats.code import grid_as_code
from workbench.formats.spreadsheet import to_csv
from workbench.kernel import Constant, InputError, Result
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.values import counted
from workbench.showing.panel.fields import Button, Checkbox, Choice, Number
from workbench.showing.panel.parts import Box, Fold, Pane, Part, copied
from workbench.showing.panel.tab import Tab, Working, complaint
from workbench.showing.pictures.markup import Markup, element, joined
from workbench.showing.session import Session, in_sight
from workbench.showing.session.grid_job import FEWEST, MOST, Asked
from workbench.showing.session.hints import QUICK_STATES
from workbench.showing.session.jobs import MOST_STATES
from workbench.showing.view import verdict_map
from workbench.showing.view.base.html import badge, headed, noted, table
from workbench.showing.view.charts.plot import svg

#: If a range has more numbers than this, only those around the present value are preset.
_MOST_NUMBERS = 3
#: The kinds of constants with few enough values to be listed.
_VARIED = ("switch", "choice", "integer", "names")
#: The most failing settings that an explanation lists.
_MOST_FAILING = 200
_EXPLAIN, _CSV = "explain", "csv"


class GridTab(Tab):
    """A verdict map that fills cell by cell; a click on a cell sets the panel to it."""

    def build(self) -> list[Part]:
        model = self.session.settings.model_class
        self._work, self._picked = self.session.grid, False
        self._values = Values(model, self.session, self._counted)
        self._property = Choice("property", list(model.declared.properties), on_change=self._pick)
        self._property.value = self.session.selected
        fill = Button("Fill", "check the property under each of these settings", self._fill)
        self._note = Pane()
        self._map = Pane(on_send=self._load, class_="wb-map")
        self._loaded = Pane()
        self._actions = Pane(on_send=self._act)
        self._rule = Pane(on_send=self._load)
        working = Working(self._work.filling, lambda _: None, what="the grid")
        looking = Working(self._work.explaining, self._explained, what="the explanation")
        self._work.filling.on_change(self._look)
        row = Box([self._property, fill], "wb-toolbar")
        self._values.tick([name for name in in_sight(model) if name in self._values.listed][:FEWEST])
        self._counted()
        vary = Fold("Vary other constants", [self._values])
        return [row, vary, self._note, working, self._map, self._loaded, self._actions, looking, self._rule]

    def what(self) -> Any:
        return self.session.number, self.session.selected

    def refresh(self, result: Result) -> None:
        if not self._picked:
            self._property.value = self.session.selected
        if self._work.asked is None and result.complete and result.distinct <= QUICK_STATES:
            self._fill()
        self._look()

    def _pick(self) -> None:
        """Note that a person has chosen the grid's property, which stops following the panel's."""
        self._picked = True

    # What is asked for ---------------------------------------------------------------------------------------------

    def _asked(self) -> Asked:
        return Asked(self.session.settings, self._values.get(), self._property.value)

    def _counted(self) -> None:
        """Show the number of settings, or why they are too few or too many."""
        ticked = len(self._values.get())
        if ticked < FEWEST:
            note = f"Tick {FEWEST} to {MOST} constants. All others stay as they are set above."
            self._note.html = noted(note)
            return
        try:
            size = self._asked().size
            self._note.html = noted(f"{size:,} settings, each checked up to {MOST_STATES:,} states.")
        except InputError as error:
            self._note.html = complaint(str(error))

    def _fill(self) -> None:
        with self.session.lock:
            self._loaded.html = self._rule.html = ""
            try:
                self._work.begin(self._asked())
            except InputError as error:
                self._note.html = complaint(str(error))

    # The map -------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        asked = self._work.asked
        if asked is None:
            return
        model = asked.settings.model_class
        largest = sorted(asked.values, key=lambda name: -len(asked.values[name]))
        drawn = verdict_map(self._verdicts(asked), list(asked.values), x=largest[0], y=largest[1],
                            properties=[asked.name], clickable=True)  # fmt: skip
        present = next((str(number) for number, cell in self._work.cells.items() if self._is_set(model, cell)), None)
        self._map.html = _heading(asked) + svg(drawn.plot(), present)
        self._draw_actions(asked)

    def _verdicts(self, asked: Asked) -> pd.DataFrame:
        """A row per setting; settings not checked yet have no verdict."""
        declared = asked.settings.model_class.declared.constants
        settings = itertools.product(*asked.values.values())
        words = {number: self._work.word(cell) for number, cell in self._work.cells.items()}
        rows = [
            {**dict(zip(asked.values, setting, strict=True)), asked.name: words.get(number)}
            for number, setting in enumerate(settings)
        ]
        frame = pd.DataFrame(rows, dtype=object)
        frame.attrs["words"] = {n: {v: declared[n].domain.word(v) for v in axis} for n, axis in asked.values.items()}
        return frame

    def _is_set(self, model: ModelClass, cell: GridCell) -> bool:
        """Whether a cell's settings are the panel's present ones."""
        declared, now = model.declared.constants, self.session.settings.constants
        return all(declared[name].parse(name, value) == now[name] for name, value in cell.constants.items())

    def _load(self, number: str) -> None:
        """Handle a click on a cell, or on a counterexample."""
        with self.session.lock:
            cell, asked = self._work.cells.get(int(number)), self._work.asked
            if cell is None or asked is None:
                return
            name = _setting(asked, cell.setting)
            try:
                self.session.load(cell)
            except InputError as error:
                self._loaded.html = complaint(f"{name}: {error}")
                return
            word = self._work.word(cell)
            trace = cell.outcome.verdicts[asked.name].states if word else None
            states = "" if trace is None else f" The tab Story has its {counted(trace, 'state')}."
            clause = f" is set in the panel: {asked.name} "
            verdict = badge(word) if word else "does not apply"
            self._loaded.html = element("p", element("code", name), clause, verdict, ".", states)
            self._look()

    # What is done with it ------------------------------------------------------------------------------------------

    def _draw_actions(self, asked: Asked) -> None:
        done = self._work.filled is not None
        code = grid_as_code(
            asked.settings.model_class, asked.values, [asked.name], constants=_differing(asked), **asked.options
        )
        buttons = [
            _action("Explain", _EXPLAIN, "the smallest rule for where the property holds", done),
            copied("Copy as code", code, "the lines of Python that fill this grid"),
            _action("Save as CSV", _CSV, "the table, for spreadsheets", done),
        ]
        self._actions.html = element("div", *buttons, class_="wb-actions")

    def _act(self, action: str) -> None:
        with self.session.lock:
            filled, asked = self._work.filled, self._work.asked
            if filled is None or asked is None:
                return
            if action == _EXPLAIN:
                self._work.explain()
            else:
                self._actions.save(f"{filled.model.declared.name}-{asked.name}.csv", to_csv(filled.table), "text/csv")

    def _explained(self, explanation: Explanation) -> None:
        name = element("b", explanation.name)
        if explanation.rule is None:
            self._rule.html = element("p", name, ": no setting is decided.")
            return
        exact = f"{explanation.exact().capitalize()}."
        rule = element("code", explanation.rule, class_="wb-rule")
        parts = [element("p", name, " holds where ", rule), noted(exact)]
        undecided = Counter(reason for _, reason in explanation.undecided)
        parts += [noted(f"Not decided in {counted(n, 'setting')}: {reason}.") for reason, n in undecided.items()]
        rows = []
        for failing in explanation.failing[:_MOST_FAILING]:
            states = "" if failing.states is None else counted(failing.states, "state")
            load = element("button", "Load", class_="wb-button", data_send=str(failing.row))
            rows.append((element("code", explanation.in_line(failing.setting)), states, load))
        if rows:
            head = (
                f"{counted(len(explanation.failing), 'setting')} in which it fails",
                "counterexample",
                "in the panel",
            )
            parts.append(_scrolling(table(head, rows), "settings in which it fails"))
        self._rule.html = joined(parts)


class Values(Box):
    """The choice of the constants that a grid varies, with the ranges of those that are numbers.

    Args:
        session: Says what is set at present.
        on_change: Called when a person has chosen others.

    Attributes:
        listed (list of str): The constants whose values are few.
    """

    def __init__(self, model: ModelClass, session: Session, on_change: Callable[[], None]) -> None:
        self._session, self._on_change = session, on_change
        self._declared = {n: c for n, c in model.declared.constants.items() if c.domain.kind in _VARIED}
        self.listed = [name for name, c in self._declared.items() if c.domain.kind in ("switch", "choice")]
        self._ticks = {
            name: Checkbox(name, False, f"vary it: {constant.doc}" if constant.doc else "vary it", self._ticked)
            for name, constant in self._declared.items()
        }
        self._ranges: dict[str, tuple[Number, Number]] = {}
        self._numbers = Box(class_="wb-controls")
        super().__init__([Box(self._ticks.values(), "wb-controls"), self._numbers])

    def tick(self, names: Container[str]) -> None:
        """Tick these constants, and no others."""
        for name, tick in self._ticks.items():
            tick.value = name in names
        self._offer()

    def get(self) -> dict[str, tuple[Any, ...]]:
        """The values of the constants that are ticked."""
        return {name: self._of(name) for name, tick in self._ticks.items() if tick.value}

    def _of(self, name: str) -> tuple[Any, ...]:
        constant = self._declared[name]
        numbers = _numbers(constant)
        if numbers is None:
            return tuple(constant.domain)
        low, high = sorted(field.value for field in self._ranges[name])
        return tuple(number for number in numbers if low <= number <= high)

    def _ticked(self) -> None:
        self._offer()
        self._on_change()

    def _offer(self) -> None:
        """A range for each number that is ticked."""
        ticked = [name for name, tick in self._ticks.items() if tick.value and _numbers(self._declared[name])]
        self._ranges = {name: self._ranges.get(name) or self._range(name) for name in ticked}
        self._numbers.children = tuple(Box(fields, "wb-range") for fields in self._ranges.values())

    def _range(self, name: str) -> tuple[Number, Number]:
        numbers = _numbers(self._declared[name])
        assert numbers is not None
        now = self._session.settings.constants[name]
        at = numbers.index(len(now) if self._declared[name].domain.kind == "names" else now)
        first = max(0, min(at - 1, len(numbers) - _MOST_NUMBERS))
        shown = numbers[first : first + _MOST_NUMBERS]
        ends = {f"{name} from": shown[0], "to": shown[-1]}
        low, high = (Number(label, numbers, end, on_change=self._on_change) for label, end in ends.items())
        return low, high


def _numbers(constant: Constant) -> range | None:
    """The numbers that a constant takes; None if it takes others."""
    if constant.domain.kind == "names":
        return constant.domain.sizes
    return constant.domain.numbers if constant.domain.kind == "integer" else None


def _scrolling(markup: Markup, label: str) -> Markup:
    return element("div", markup, class_="wb-list wb-scroll", tabindex="0", role="region", aria_label=label)


def _action(text: str, send: str, title: str, enabled: bool) -> Markup:
    disabled = None if enabled else "disabled"
    return element("button", text, class_="wb-button", data_send=send, title=title, disabled=disabled)


def _setting(asked: Asked, setting: dict[str, Any]) -> str:
    declared = asked.settings.model_class.declared.constants
    return ", ".join(f"{name} = {declared[name].domain.word(value)}" for name, value in setting.items())


def _differing(asked: Asked) -> dict[str, Any]:
    """The constants that the grid does not vary, where they are not the defaults."""
    declared = asked.settings.model_class.declared.constants
    return {n: v for n, v in asked.fixed.items() if v != declared[n].parse(n, declared[n].default)}


def _heading(asked: Asked) -> Markup:
    """A line that describes the map."""
    declared = asked.settings.model_class.declared.constants
    others = ", ".join(f"{name} = {declared[name].domain.word(value)}" for name, value in _differing(asked).items())
    over = " \N{MULTIPLICATION SIGN} ".join(asked.values)
    fixed = f"with {others}" if others else "all other constants at their defaults"
    return headed(asked.name, f"over {over}, {fixed}. Click a cell to set the panel to it.")
