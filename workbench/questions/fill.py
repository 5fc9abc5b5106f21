"""Fill a grid of settings cell by cell: in this process, with results and traces, or on Spark if it is large."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.kernel import InputError, Model, Result, Trace
from workbench.kernel.budget import INTERRUPTED, Budget, Stop, interrupted, interruptible
from workbench.kernel.errors import unknown
from workbench.kernel.given import names_in
from workbench.questions.explain import Explanation, explain
from workbench.questions.records import SettingOutcome, failed
from workbench.questions.settings import (
    Grid,
    SettingsTable,
    check_setting,
    plans_of,
    same,
    settings_of,
    settings_table,
    varied_in,
)

if TYPE_CHECKING:
    import pandas as pd

#: Larger grids are filled on Spark by default.
MOST_HERE = 128
#: The error of settings that were not checked.
NOT_REACHED = "not checked: stopped"

Where = Literal["auto", "local", "spark"]


@dataclass(frozen=True)
class GridCell:
    """One setting, and the outcome of its check.

    Attributes:
        number: Its place in the grid, and its row in the table.
        setting: The constants that the grid varies.
        constants: All constants, as a model takes them.
        result: With its traces; None after an error, or if the check ran on Spark.
    """

    number: int
    setting: dict[str, Any]
    constants: dict[str, Any]
    outcome: SettingOutcome
    result: Result | None

    def trace(self, property: str) -> Trace | None:
        """The trace of a property's verdict, if there is one here."""
        verdicts = [] if self.result is None else self.result.verdicts
        return next((verdict.trace for verdict in verdicts if verdict.name == property), None)


@dataclass(frozen=True, repr=False)
class Filled:
    """A grid with the outcome of each setting.

    Attributes:
        cells: One per setting, in grid order. Unchecked ones have an error that says so.
        outcomes: A row per setting.
        stopped: Whether filling ended before all settings were checked.
    """

    model: type[Model]
    cells: list[GridCell]
    outcomes: SettingsTable
    stopped: bool

    @property
    def table(self) -> "pd.DataFrame":
        """A row per setting, with the columns of :func:`workbench.sweep`."""
        return self.outcomes.frame()

    def at(self, setting: Mapping[str, Any]) -> GridCell:
        """The cell of a setting, given by the constants that the grid varies.

        Raises:
            InputError: If the grid has no such setting.
        """
        wanted = {}
        for name, value in setting.items():
            if name not in self.cells[0].setting:
                raise unknown("constant of the grid", name, self.cells[0].setting)
            wanted[name] = same(name, self.model.declared_constants[name], value)
        found = [cell for cell in self.cells if all(cell.setting[name] == value for name, value in wanted.items())]
        if len(found) != 1:
            raise InputError(f"setting {dict(setting)} is not accepted; it matches {len(found)} settings of the grid")
        return found[0]

    def explain(self, property: str) -> Explanation:
        """The smallest rule for when a property holds, see :func:`workbench.questions.explain.explain`."""
        return explain(self.outcomes, property, list(self.cells[0].setting))


@interruptible()
def fill(
    model: type[Model],
    grid: Grid,
    properties: Sequence[str] | None = None,
    *,
    constants: Mapping[str, Any] | None = None,
    symmetry: bool | Sequence[str] = False,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    where: Where = "auto",
    on_cell: Callable[[GridCell], object] | None = None,
    on_progress: Callable[[int, int], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Filled:
    """Check `model` under many settings of its constants, reporting each when it is done.

    Args:
        model, grid, properties, constants, symmetry, max_states, max_seconds, max_bytes: As for
            :func:`workbench.sweep`. The budgets are those of each check.
        where: ``local``: in this process, which keeps every result with its traces. ``spark``: in parallel, as a sweep,
            which keeps only verdicts. ``auto``: on Spark for more than 128 settings.
        on_cell: Called with each :class:`GridCell` when it is done; on Spark, when all are.
        on_progress: Called with the number of finished settings and of all.
        should_stop: Polled, also within a check; once it is True, the cells so far are returned.

    Raises:
        InputError: For names or values that are not accepted. Values that do not go together are an error of their
            setting.

    Examples:
        >>> from workbench.models.hudi import Hudi
        >>> grid = {"ConcurrencyControl": ["none", "optimistic"], "MonotonicTs": [True, False]}
        >>> filled = fill(Hudi, grid, ["ConsistentRead"], constants={"Keys": 1, "Values": 1})
        >>> str(filled.explain("ConsistentRead").rule)
        'ConcurrencyControl == optimistic and MonotonicTs'
        >>> len(filled.at({"ConcurrencyControl": 1, "MonotonicTs": False}).trace("ConsistentRead"))
        14
    """
    settings = settings_of(model, grid, constants or {})
    if where not in ("auto", "local", "spark"):
        raise InputError(f"where = {where!r} is not accepted; it takes auto, local or spark")
    budgets = Budget(max_states, max_seconds, max_bytes).options
    properties = None if properties is None else names_in("properties", properties)
    plans, varied = plans_of(model, settings, properties, symmetry), varied_in(grid)
    watched = _Watched(len(settings), on_cell, on_progress, should_stop or (lambda: False))

    def cell(number: int, outcome: SettingOutcome, result: Result | None = None) -> GridCell:
        setting = settings[number]
        return GridCell(number, {name: setting[name] for name in varied}, setting, outcome, result)

    if where == "spark" or (where == "auto" and len(settings) > MOST_HERE):
        from workbench.questions.sweep import carry_out  # pyspark loads here

        made = carry_out(model, settings, plans, budgets, on_progress=watched.on_spark)
        cells = [cell(number, outcome) for number, outcome in enumerate(made)]
        for one in cells:
            watched.tell(one)
    else:
        cells = []
        for number, (setting, plan) in enumerate(zip(settings, plans, strict=True)):
            if watched.should_stop():
                cells.append(cell(number, failed(NOT_REACHED)))
                continue
            made_of_it = check_setting(model, setting, plan, {**budgets, "should_stop": watched.should_stop})
            cells.append(cell(number, *made_of_it))
            watched.tell(cells[-1])
            watched.progress(number + 1)
    outcomes = settings_table(model, varied, settings, properties, plans, [cell.outcome for cell in cells])
    return Filled(model, cells, outcomes, watched.stopped)


@dataclass
class _Watched:
    """The caller's callbacks: for cells, for progress, and to stop."""

    of: int
    on_cell: Callable[[GridCell], object] | None
    on_progress: Callable[[int, int], object] | None
    asked: Callable[[], bool]
    stopped: bool = False

    def should_stop(self) -> bool:
        self.stopped = self.stopped or interrupted() or self.asked()
        return self.stopped

    def tell(self, cell: GridCell) -> None:
        if self.on_cell is not None:
            self.on_cell(cell)

    def progress(self, done: int) -> None:
        if self.on_progress is not None:
            self.on_progress(done, self.of)

    def on_spark(self, done: int, of: int) -> None:
        """Tell, and stop the sweep once, which then ends with what there is."""
        self.progress(done)
        if done < of and not self.stopped and self.should_stop():
            raise Stop(INTERRUPTED)
