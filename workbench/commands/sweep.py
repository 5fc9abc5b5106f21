"""Check a model under many settings of its constants, in parallel on Spark.

  workbench sweep bakery_v2 --grid SafeAcks=true,false --grid MaxCrashes=0,1
  workbench sweep hudi --grid ConcurrencyControl=none,optimistic --set MonotonicTs=false --out results
  workbench sweep v2_race --grid RestampPatch=true,false      a configuration; the grid overrides its constants

Values are separated by commas, or given as a JSON list: --grid Writers=[2,3]. With --out every result is stored at
once, and running the same command again computes only the missing ones.

Exit status: 0 everything holds, 1 something is violated, 2 bad input, 3 something is not known, or nothing was checked.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import MofNCompleteColumn, Progress
from rich.table import Table

from workbench.commands import status
from workbench.commands.options import add_options, asked_of, budgets, console, parse_value
from workbench.commands.progress import SparseLines
from workbench.commands.standard import say
from workbench.kernel import Constant, InputError
from workbench.kernel.errors import brief
from workbench.kernel.result import WITHIN
from workbench.kernel.values import counted
from workbench.questions.records import BAD, GOOD


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL|CONFIGURATION", help="a name, FILE.toml, or path/to/file.py:Class")
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
    parser.add_argument("--out", metavar="DIR", help="keep the results here, and reuse those that are there")
    add_options(parser, "--json", help="print one JSON object, with a row for each setting")


def run(arguments: argparse.Namespace) -> int:
    asked, grid = asked_of(arguments.model, arguments.set), parse_grid(arguments.grid)
    model, constants = asked.declared, asked.constants
    if asked.configuration is not None:  # the grid overrides it
        constants = {name: value for name, value in constants.items() if name not in grid}
    from workbench.questions.sweep import sweep  # pyspark loads here, not with the command line

    with _progress() as on_progress:
        table = sweep(
            model,
            grid,
            arguments.property or asked.properties,
            constants=constants,
            symmetry=arguments.symmetry or asked.symmetry,
            **budgets(arguments),
            out=arguments.out,
            on_progress=on_progress,
        )
    rows = json.loads(table.to_json(orient="records"))  # plain values, None for what is missing
    properties, notes = table.attrs["properties"], table.attrs["notes"]
    if arguments.json:
        say(json.dumps({"model": model.name, "symmetry": table.attrs["symmetry"], "notes": notes, "rows": rows}))
    else:
        _print(rows, {name: model.declared_constants[name] for name in grid}, properties, notes)
    outcomes = [_holds(row, properties) for row in rows]
    return status.VIOLATED if False in outcomes else status.UNKNOWN if None in outcomes else status.HOLDS


def _holds(row: dict[str, Any], properties: Sequence[str]) -> bool | None:
    """Whether everything holds in a setting; None if something is unknown, or nothing was checked."""
    words = [row[name] for name in properties if row[name] is not None]  # a setting may switch a property off
    if any(word in BAD for word in words):
        return False
    return True if words and all(word in GOOD for word in words) else None


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


def _print(rows: list[dict[str, Any]], grid: dict[str, Constant], properties: list[str], notes: list[str]) -> None:
    out = console()
    table = Table(*grid, *properties, "distinct", "depth", "seconds", box=None, pad_edge=False)
    for column in table.columns:
        column.overflow = "fold"  # names stay whole
    for column in table.columns[-3:]:
        column.justify = "right"
    for row in rows:
        measures = (_number(row["distinct"]), _number(row["depth"]), _number(row["seconds"], ".2f"))
        table.add_row(
            *(escape(_value(constant, row[name])) for name, constant in grid.items()),
            *(_verdict(row[name], row[f"{name}_states"]) for name in properties),
            *measures,
        )
    out.print(table, width=None if out.is_terminal else 1000)
    out.print()
    for note in notes:
        out.print(f"note: {note}", markup=False)
    for row in rows:
        why = f"error: {row['error']}" if row["error"] else f"incomplete: {row['stopped']}"
        if not row["complete"]:
            setting = ", ".join(f"{name}={_value(constant, row[name])}" for name, constant in grid.items())
            out.print(f"{setting}: {why}", markup=False)
    outcomes = [_holds(row, properties) for row in rows]
    line = f"{counted(len(rows), 'setting')}: everything holds in {outcomes.count(True)}, something is violated in "
    line += str(outcomes.count(False))
    out.print(line + (f"; it is not known in {outcomes.count(None)}" if None in outcomes else ""))
    if any(str(row[name]).endswith(WITHIN) for row in rows for name in properties):
        out.print(f"(\N{CHECK MARK}) and (\N{BALLOT X}) are verdicts {WITHIN} of the model; beyond it nothing is known")


def _number(value: float | None, form: str = ",") -> str:
    return "-" if value is None else format(value, form)


def _value(constant: Constant, value: Any) -> str:
    return constant.word(value) if constant.kind == "choice" else json.dumps(value)


def _verdict(word: str | None, states: int | None) -> str:
    if word is None:  # the property does not apply in this setting
        return "-"
    mark = "[green]\N{CHECK MARK}[/]" if word in GOOD else "[bold red]\N{BALLOT X}[/]" if word in BAD else word
    mark = f"({mark})" if word.endswith(WITHIN) else mark
    return mark if states is None else f"{mark} {states}"
