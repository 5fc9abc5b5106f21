"""Check a model under many settings of its constants.

  workbench sweep bakery_v2 --grid SafeAcks=true,false --grid MaxCrashes=0,1
  workbench sweep hudi --grid ConcurrencyControl=none,optimistic --set MonotonicTs=false -o results
  workbench sweep v2_race --grid RestampPatch=true,false      a configuration; the grid overrides its constants

Values are separated by commas, or given as a JSON list: --grid Writers=[2,3]. Up to 128 settings are checked here, one
after the other; more of them, or those of -o FOLDER, in parallel on Spark. A folder stores every result at once, and
running the same command again computes only the missing ones.

Exit status: 0 everything holds, 1 something is violated, 2 bad input, 3 something is not known, or nothing was checked.
"""

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress

from workbench.commands.answers import add_answer, check_answer, give
from workbench.commands.options import add_options, asked_of, budgets, parse_value
from workbench.commands.outputs import DATA, FOLDER
from workbench.commands.progress import SparseLines
from workbench.kernel import Constant, InputError, Model
from workbench.kernel.errors import brief
from workbench.kernel.result import MARKS, WITHIN
from workbench.kernel.text import columns
from workbench.kernel.values import counted
from workbench.questions.records import BAD, GOOD

_CSV = ".csv"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model")
    parser.add_argument(
        "--grid",
        action="extend",
        nargs="+",
        required=True,
        metavar="NAME=V1,V2",
        help="the values of a constant; all combinations are checked",
    )
    add_options(parser, "--set", help="the same in all settings")
    add_options(parser, "--property", "--symmetry")
    add_options(parser, "--max-states", "--max-seconds", help="for each setting")
    told = {_CSV: "the table", FOLDER: "keeps a result for each setting, and reuses those that are there"}
    add_answer(parser, (DATA, _CSV, FOLDER), told=told)


def run(arguments: argparse.Namespace) -> int:
    asked, grid = asked_of(arguments.model, arguments.set), parse_grid(arguments.grid)
    check_answer(arguments, asked.files)
    folder = next((output.path for output in arguments.output if output.kind == FOLDER), None)
    constants = asked.constants
    if asked.configuration is not None:  # the grid overrides it
        constants = {name: value for name, value in constants.items() if name not in grid}
    options = {"constants": constants, "symmetry": arguments.symmetry or asked.symmetry, **budgets(arguments)}
    properties = arguments.property or asked.properties
    attributes: Mapping[Any, Any]
    with _progress() as on_progress:
        if folder is not None:
            from workbench.questions.sweep import sweep  # pyspark loads here, not with the command line

            frame = sweep(asked.declared, grid, properties, out=folder, on_progress=on_progress, **options)
            rows, attributes = json.loads(frame.to_json(orient="records")), frame.attrs
        else:
            from workbench.questions.fill import fill  # numba loads here

            table = fill(asked.declared, grid, properties, on_progress=on_progress, **options).outcomes
            rows, attributes = table.rows, table.attrs
    declared = asked.declared.declared_constants
    swept = Swept(asked.declared, {name: declared[name] for name in grid}, rows, attributes)
    return give(arguments, swept, {_CSV: swept.csv})


@dataclass(frozen=True)
class Swept:
    """The outcomes of a sweep.

    Attributes:
        rows: A row per setting in plain values, with the columns of :func:`workbench.sweep`; None for what is missing.
        attributes: Those of the same table.
    """

    model: type[Model]
    grid: Mapping[str, Constant]
    rows: list[dict[str, Any]]
    attributes: Mapping[Any, Any]
    trace: None = None

    @property
    def outcomes(self) -> list[bool | None]:
        """Whether everything holds in each setting; None if something is unknown, or nothing was checked."""
        return [self._holds(row) for row in self.rows]

    def _holds(self, row: Mapping[str, Any]) -> bool | None:
        words = [row[name] for name in self._properties if row[name] is not None]  # a setting may switch one off
        if any(word in BAD for word in words):
            return False
        return True if words and all(word in GOOD for word in words) else None

    @property
    def _properties(self) -> list[str]:
        names: list[str] = self.attributes["properties"]
        return names

    @property
    def holds(self) -> bool | None:
        found = self.outcomes
        return False if False in found else None if None in found else True

    @property
    def why(self) -> str:
        found = self.outcomes
        settings = counted(len(found), "setting")
        line = f"{settings}: everything holds in {found.count(True)}, something is violated in {found.count(False)}"
        return line + (f"; it is not known in {found.count(None)}" if None in found else "")

    def text(self) -> str:
        head = (*self.grid, *self._properties, "distinct", "depth", "seconds")
        rows = self.rows
        table = [head, *(self._row(row) for row in rows)]
        lines = [*columns(table, right=range(len(head) - 3, len(head))), ""]
        lines += [f"note: {note}" for note in self.attributes["notes"]]
        for row in rows:
            if not row["complete"]:
                setting = ", ".join(f"{name}={_value(constant, row[name])}" for name, constant in self.grid.items())
                why = f"error: {row['error']}" if row["error"] else f"incomplete: {row['stopped']}"
                lines.append(f"{setting}: {why}")
        lines.append(self.why)
        if any(str(row[name]).endswith(WITHIN) for row in rows for name in self._properties):
            marks = f"({MARKS[True]}) and ({MARKS[False]})"
            lines.append(f"{marks} are verdicts {WITHIN} of the model; beyond it nothing is known")
        return "\n".join(lines)

    def _row(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return (
            *(_value(constant, row[name]) for name, constant in self.grid.items()),
            *(_verdict(row[name], row[f"{name}_states"]) for name in self._properties),
            *(_number(row["distinct"]), _number(row["depth"]), _number(row["seconds"], ".2f")),
        )

    def as_dict(self) -> dict[str, Any]:
        told = {name: self.attributes[name] for name in ("symmetry", "notes")}
        return {"model": self.model.name, **told, "rows": self.rows}

    def csv(self) -> str:
        """The rows as a table of comma-separated values."""
        text = io.StringIO()
        table = csv.DictWriter(text, list(self.rows[0]) if self.rows else [], lineterminator="\n")
        table.writeheader()
        table.writerows(self.rows)
        return text.getvalue()


def _number(value: float | None, form: str = ",") -> str:
    return "-" if value is None else format(value, form)


def _value(constant: Constant, value: Any) -> str:
    return constant.word(value) if constant.kind == "choice" else json.dumps(value)


def _verdict(word: str | None, states: int | None) -> str:
    if word is None:  # the property does not apply in this setting
        return "-"
    mark = MARKS[True] if word in GOOD else MARKS[False] if word in BAD else word
    mark = f"({mark})" if word.endswith(WITHIN) else mark
    return mark if states is None else f"{mark} {states}"


def parse_grid(given: Iterable[str]) -> dict[str, list[Any]]:
    """The values of each constant, from ``NAME=V1,V2`` or ``NAME=[V1, V2]`` texts.

    Examples:
        >>> parse_grid(["SafeAcks=true,false", "StepGranularity=split", 'NodeParts=[null, [["w1", "w2"]]]'])
        {'SafeAcks': [True, False], 'StepGranularity': ['split'], 'NodeParts': [None, [['w1', 'w2']]]}
    """
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals:
            raise InputError(f"--grid {brief(text)} is not accepted; it takes NAME=V1,V2 or NAME=[V1, V2]")
        if name.strip() in grid:
            raise InputError(
                f"--grid {brief(text)} is not accepted; {name.strip()} has values already, give all at once"
            )
        whole = parse_value(values)
        grid[name.strip()] = whole if isinstance(whole, list) else [parse_value(v.strip()) for v in values.split(",")]
    return grid


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        lines = SparseLines()
        yield lambda done, total: lines(f"{done:,} of {counted(total, 'setting')}")
        return
    with Progress(*Progress.get_default_columns(), MofNCompleteColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("settings")
        yield lambda done, total: bar.update(task, completed=done, total=total)
