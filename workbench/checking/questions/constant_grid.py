"""Fill a grid of settings cell by cell: on this machine, or on Spark."""

import csv
import io
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.checking.kernels.threads import check_workers
from workbench.checking.questions.explain import Explanation, explain
from workbench.checking.questions.processes import check_here
from workbench.checking.questions.records import Records, SettingOutcome, Word, bounds_in, failed, unreached
from workbench.checking.questions.settings import (
    Grid,
    SettingsTable,
    SettingsTask,
    plans_of,
    same,
    settings_of,
    settings_table,
    varied_in,
)
from workbench.kernel import InputError, Result, Trace
from workbench.kernel.meaning.arguments import check_kind, names_in
from workbench.kernel.meaning.budget import INTERRUPTED, Budget, Watch
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.interrupts import interrupted, interruptible
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.result import MARKS
from workbench.kernel.meaning.text import columns
from workbench.kernel.meaning.translation import in_stale, known_in, stale_lines
from workbench.kernel.meaning.values import counted
from workbench.registry import get_model
from workbench.storage.lock import writer_lock

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class GridCell:
    """One setting, and the outcome of its check.

    Attributes:
        number: Its place in the grid, and its row in the table.
        setting: The constants that the grid varies.
        constants: All constants, as a model takes them.
    """

    number: int
    setting: dict[str, Any]
    constants: dict[str, Any]
    outcome: SettingOutcome
    _task: SettingsTask = field(repr=False, compare=False)
    _result: Result | None = field(repr=False, compare=False)

    @cached_property
    def result(self) -> Result | None:
        """The result with its traces; None after an error, and if the setting was not reached.

        A setting that was checked in another process, or earlier, is checked again in this one.
        """
        again = self._result is None and self.outcome.distinct is not None
        return self._task.check(self.number)[1] if again else self._result

    def trace(self, property: str) -> Trace | None:
        """The trace of a property's verdict; None if it has none. It comes from :attr:`result`."""
        verdict = self.outcome.verdicts.get(property)
        if verdict is None or verdict.states is None or self.result is None:
            return None
        return self.result[property].trace

    @property
    def name(self) -> str:
        """The setting in a few words: ``SafeAcks=true, Writers=2``."""
        return ", ".join(f"{name}={value}" for name, value in zip(self.setting, self.values, strict=True))

    @property
    def values(self) -> list[str]:
        """The values that the grid varies, as ``--set`` takes them."""
        declared = self._task.model.declared.constants
        return [
            declared[name].domain.word(value) if declared[name].domain.kind == "choice" else json.dumps(value)
            for name, value in self.setting.items()
        ]

    def __str__(self) -> str:
        """The cell in a line."""
        clauses = [f"{word} {name}" for name, word in self.outcome.verdicts.items()]
        if self.outcome.why is not None:
            clauses.append(self.outcome.why)
        return f"{self.name}: {', '.join(clauses) or 'nothing is checked'}"


@dataclass(frozen=True, repr=False)
class Filled:
    """A grid with the outcome of each setting; as an answer, it holds if every property holds in every setting.

    Attributes:
        cells: One per setting, in grid order. Those that an interrupt came before have no verdicts.
        outcomes: A row per setting.
        stopped: Whether filling ended before all settings were checked.
        error: The first error: a setting's, or that its outcome could not be written to the folder.
    """

    model: ModelClass
    cells: list[GridCell]
    outcomes: SettingsTable
    stopped: bool
    error: Exception | None = None
    trace: None = None

    @property
    def table(self) -> "pd.DataFrame":
        """A row per setting, with the columns of :func:`workbench.sweep`."""
        return self.outcomes.frame()

    def at(self, setting: Mapping[str, Any]) -> GridCell:
        """The cell of a setting, given by the constants that the grid varies.

        Raises:
            InputError: If the grid has no such setting.
        """
        values = {}
        for name, value in setting.items():
            if name not in self.cells[0].setting:
                raise unknown("constant of the grid", name, self.cells[0].setting)
            values[name] = same(name, self.model.declared.constants[name], value)
        matching = [cell for cell in self.cells if all(cell.setting[name] == value for name, value in values.items())]
        if len(matching) != 1:
            raise InputError(
                f"setting {dict(setting)} is not accepted; it matches {len(matching)} settings of the grid"
            )
        return matching[0]

    def explain(self, property: str) -> Explanation:
        """The smallest rule for when a property holds, see :func:`workbench.checking.questions.explain.explain`."""
        return explain(self.outcomes, property, self.outcomes.columns[: len(self.cells[0].setting)])

    def _rules(self, names: Sequence[str]) -> Iterator[str]:
        """The rule for each property that holds in some settings only: the settings in which it holds."""
        for name in names:
            explanation = self.explain(name)
            if 0 < len(explanation.failing) < explanation.decided:
                is_reached = self.model.declared.property_named(name).kind == "reachable"
                left = f" ({counted(len(explanation.undecided), 'setting')} undecided)" if explanation.undecided else ""
                yield f"{name} {'is reached' if is_reached else 'holds'} where {explanation.rule}{left}"

    # As an answer ----------------------------------------------------------------------------------------------------

    @property
    def holds(self) -> bool | None:
        verdicts = [cell.outcome.holds for cell in self.cells]
        return False if False in verdicts else None if None in verdicts else known_in(self._translation, True)

    @property
    def _translation(self) -> str | None:
        return self.model.declared.translation

    @property
    def why(self) -> str:
        verdicts = [cell.outcome.holds for cell in self.cells]
        settings = counted(len(verdicts), "setting")
        line = (
            f"{settings}: everything holds in {verdicts.count(True)}, something is violated in {verdicts.count(False)}"
        )
        unknown = f"; it is not known in {verdicts.count(None)}" if None in verdicts else ""
        return line + unknown + in_stale(self._translation)

    def text(self) -> str:
        """The table, the rules behind it, the gaps in it, and the count."""
        names = self.outcomes.attrs["properties"]
        head = [*self.cells[0].setting, *names, "distinct", "depth", "seconds"]
        rows = [
            [
                *cell.values,
                *("-" if row[name] is None else str(Word(row[name], row[f"{name}_states"])) for name in names),
                *(_number(row["distinct"]), _number(row["depth"]), _number(row["seconds"], ".2f")),
            ]
            for cell, row in zip(self.cells, self.outcomes.rows, strict=True)
        ]
        lines = [*columns([head, *rows], right=range(len(head) - 3, len(head))), ""]
        lines += map(str, stale_lines(self._translation))
        lines += [f"note: {note}" for note in self.outcomes.attrs["notes"]]
        lines += self._rules(names)
        lines += [f"{cell.name}: {cell.outcome.why}" for cell in self.cells if cell.outcome.why is not None]
        lines.append(self.why)
        if within := bounds_in([word.word for cell in self.cells for word in cell.outcome.verdicts.values()]):
            marks = f"({MARKS[True]}) and ({MARKS[False]})"
            lines.append(f"{marks} are verdicts {within} of the model; beyond it nothing is known")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        attrs = {name: self.outcomes.attrs[name] for name in ("symmetry", "notes", "translation")}
        return {"model": self.model.declared.name, **attrs, "rows": self.outcomes.rows}

    def csv(self) -> str:
        """The rows as a table of comma-separated values."""
        text = io.StringIO()
        table = csv.DictWriter(text, self.outcomes.columns, lineterminator="\n")
        table.writeheader()
        table.writerows(self.outcomes.rows)
        return text.getvalue()


def _number(value: float | None, form: str = ",") -> str:
    return "-" if value is None else format(value, form)


@interruptible()
def fill(
    model: ModelClass | str,
    grid: Grid = (),
    properties: Sequence[str] | None = None,
    *,
    constants: Mapping[str, Any] | None = None,
    deadlock: bool | None = None,
    symmetry: bool | Sequence[str] | None = None,
    budget: Budget = Budget(),
    out: str | Path | None = None,
    spark: Any = None,
    workers: int | None = None,
    on_cell: Callable[[GridCell], object] | None = None,
    watch: Watch = Watch(),
) -> Filled:
    """Check `model` under many settings of its constants, reporting each when it is done.

    It begins in this process. If that takes longer than a moment, processes of this machine take over, one for each
    core. Spark is never started unasked, however much remains: a session on this machine has no more cores than these
    processes, and one elsewhere needs a folder that only its owner can name.

    Args:
        model, grid, properties, constants, deadlock, symmetry, budget, out, spark, workers: As for
            :func:`workbench.sweep`.
        on_cell: Called with each :class:`GridCell` as soon as it is done.
        watch: Its ``on_progress`` is called with the number of finished settings and of all. It is asked within a
            check, too; once it stops this, the cells so far are returned.

    Raises:
        InputError: For names or values that are not accepted. Values that do not go together are an error of their
            setting.

    Examples:
        >>> from workbench.protocols.hudi.model import Hudi
        >>> grid = {"ConcurrencyControl": ["none", "optimistic"], "MonotonicTs": [True, False]}
        >>> filled = fill(Hudi, grid, ["ConsistentRead"], constants={"Keys": 1, "Values": 1})
        >>> str(filled.explain("ConsistentRead").rule)
        'ConcurrencyControl == optimistic and MonotonicTs'
        >>> len(filled.at({"ConcurrencyControl": 1, "MonotonicTs": False}).trace("ConsistentRead"))
        14
    """
    model = get_model(model) if isinstance(model, str) else model
    settings = settings_of(model, grid, constants or {})
    properties = None if properties is None else names_in("properties", properties)
    budget, workers = check_kind("budget", budget, Budget), check_workers(workers)
    plans, varied = plans_of(model, settings, properties, symmetry, deadlock), varied_in(grid)
    filling = _Filling(SettingsTask(model, settings, plans, budget), varied, on_cell, check_kind("watch", watch, Watch))
    with _records(filling.task, out, bool(spark)) as records:
        filling.fill(records, spark, workers)
    cells = [filling.cells[number] for number in range(len(settings))]
    outcomes = settings_table(model, varied, settings, properties, plans, [cell.outcome for cell in cells])
    errors = [InputError(f"{cell.name}: {cell.outcome.error}") for cell in cells if cell.outcome.error is not None]
    return Filled(model, cells, outcomes, filling.stopped, next(iter([*filling.not_written, *errors]), None))


@contextmanager
def _records(task: SettingsTask, out: str | Path | None, needed: bool) -> Iterator[Records | None]:
    """The records in the folder `out`, or in a temporary one if they are `needed`."""
    if out is None and not needed:
        yield None
        return
    finite = {name: None if most == math.inf else most for name, most in vars(task.budget).items()}
    with tempfile.TemporaryDirectory() if out is None else nullcontext(str(out)) as folder:
        identities = task.identities()
        with writer_lock(folder, "sweep folder"):
            records = Records(Path(folder).absolute(), identities, finite)
            records.clean()
            yield records


@dataclass
class _Filling:
    """A grid that is being filled, and the caller's callbacks.

    Attributes:
        cells: The finished cells, by number.
        stopped: Whether the caller, or Ctrl-C, has asked to stop.
        not_written: The reason why outcomes could not be recorded.
    """

    task: SettingsTask
    varied: list[str]
    on_cell: Callable[[GridCell], object] | None
    watch: Watch
    cells: dict[int, GridCell] = field(default_factory=dict)
    stopped: bool = False
    not_written: list[Exception] = field(default_factory=list)

    def fill(self, records: Records | None, spark: Any, workers: int | None) -> None:
        """Take recorded outcomes, check the other settings and record these; those with one record are checked once."""
        numbers = range(len(self.task.settings))
        alike = dict[Any, list[int]]()
        for number in numbers:
            alike.setdefault(number if records is None else records.identities[number].key, []).append(number)
        waiting = {same[0]: same for same in alike.values()}
        for number in list(waiting):
            kept = None if records is None else records.kept(number)
            if kept is not None:
                self._put(waiting.pop(number), kept)
        if self.cells:
            self._progress()

        def done(number: int, outcome: SettingOutcome, result: Result | None) -> None:
            cut = self.stopped and not outcome.final
            if records is not None and not spark and not cut:
                try:
                    records.write(number, outcome)
                except (InputError, OSError) as error:  # such as a full disk
                    self.not_written.append(error)
            self._put(waiting[number], replace(outcome, stopped=INTERRUPTED) if cut else outcome, result)
            self._progress()

        reason = INTERRUPTED
        if waiting and spark:
            from workbench.checking.questions.on_spark import check_on_spark  # pyspark loads here

            assert records is not None
            reason = check_on_spark(self.task, records, list(waiting), spark, done, self.should_stop)
        elif waiting:
            check_here(self.task, list(waiting), workers, done, self.should_stop)
        for number in numbers:
            self.cells.setdefault(number, self._cell(number, unreached() if reason == INTERRUPTED else failed(reason)))

    def should_stop(self) -> bool:
        self.stopped = self.stopped or interrupted() or self.watch.stops
        return self.stopped

    def _cell(self, number: int, outcome: SettingOutcome, result: Result | None = None) -> GridCell:
        setting = self.task.settings[number]
        varied = {name: setting[name] for name in self.varied}
        return GridCell(number, varied, dict(setting), outcome, self.task, result)

    def _put(self, numbers: Sequence[int], outcome: SettingOutcome, result: Result | None = None) -> None:
        for number in numbers:
            self.cells[number] = self._cell(number, outcome, result)
            if self.on_cell is not None:
                self.on_cell(self.cells[number])

    def _progress(self) -> None:
        self.watch.tell(len(self.cells), len(self.task.settings))
