"""Check a model under many settings of its constants.

  workbench sweep bakery_v2 --grid SafeAcks=true,false --grid MaxCrashes=0,1
  workbench sweep hudi --grid ConcurrencyControl=none,optimistic --set MonotonicTs=false -o results
  workbench sweep v2_race --grid RestampPatch=true,false      a configuration; the grid overrides its constants
  workbench sweep hudi --grid OpLimit=2,3,4 -o results --spark spark://host:7077      as tasks on a cluster

Values are separated by commas, or given as a JSON list: --grid Writers=[2,3]. Settings are checked in this process and,
if that takes longer than a moment, in one for each core; on Spark only with --spark. Each verdict is shown as soon as
it is there. A folder stores every result at once, and running the same command again, with or without Spark, computes
only the missing ones.

Exit status: 0 everything holds, 1 something is violated, 2 bad input, or an error in a setting, 3 something is not
known, nothing was checked, or what holds does so in a stale translation of PlusCal.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from typing import Any

from workbench.commands.output.answers import add_answer, check_answer, give
from workbench.commands.output.options import add_options, add_workers, asked_of, budget_of, parse_value
from workbench.commands.output.outputs import DATA, FOLDER
from workbench.commands.output.progress import progress_line
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.values import counted

#: How many settings a terminal shows before the table is there.
_SHOWN = 12
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
    add_options(parser, "--path", "--property", "--deadlock", "--symmetry")
    add_options(parser, "--max-states", "--max-seconds", help="for each setting")
    add_workers(parser, "processes", default=None)
    spark = "check on Spark: at MASTER, such as spark://host:7077 or local[4], or on this machine"
    parser.add_argument("--spark", nargs="?", const=True, metavar="MASTER", help=spark)
    descriptions = {_CSV: "the table", FOLDER: "keeps a result for each setting, and reuses those that are there"}
    add_answer(parser, (DATA, _CSV, FOLDER), descriptions=descriptions)


def run(arguments: argparse.Namespace) -> int:
    asked = asked_of(arguments.model, arguments.set, arguments.path, arguments.max_seconds)
    grid = parse_grid(arguments.grid)
    check_answer(arguments, asked.files)
    constants = asked.constants
    if asked.configuration is not None:  # the grid overrides it
        constants = {name: value for name, value in constants.items() if name not in grid}
    declared, properties = asked.asking(arguments.property)
    from workbench.checking.questions.constant_grid import fill  # numpy loads here, not with the command line

    with progress_line(text=_Arriving.latest) as show:
        arriving = _Arriving(show)
        filled = fill(
            declared,
            grid,
            properties,
            constants=constants,
            deadlock=arguments.deadlock,
            symmetry=arguments.symmetry or asked.symmetry or None,
            out=next((output.path for output in arguments.output if output.kind == FOLDER), None),
            spark=arguments.spark,
            workers=arguments.workers,
            on_cell=arriving.add,
            budget=budget_of(arguments),
            watch=Watch(arriving.tell),
        )
    return give(arguments, filled, {_CSV: filled.csv})


class _Arriving:
    """The finished settings, shown until the table is ready.

    Args:
        show: Shows :meth:`latest` on standard error, if it is time.
    """

    def __init__(self, show: Callable[["_Arriving"], None]) -> None:
        self._show, self._cells, self._progress = show, list[object](), ""

    def add(self, cell: object) -> None:
        self._cells.append(cell)

    def tell(self, done: int, of: int) -> None:
        self._progress = f"{done:,} of {counted(of, 'setting')}"
        self._show(self)

    def latest(self) -> str:
        """The last few settings on a terminal, where they stay in place; elsewhere those that are new."""
        stays = sys.stderr.isatty()
        shown = self._cells[-_SHOWN:] if stays else self._cells
        self._cells = shown if stays else []
        return "\n".join([*map(str, shown), self._progress])


def parse_grid(texts: Iterable[str]) -> dict[str, list[Any]]:
    """The values of each constant, from ``NAME=V1,V2`` or ``NAME=[V1, V2]`` texts.

    Examples:
        >>> parse_grid(["SafeAcks=true,false", "StepGranularity=split", 'NodeParts=[null, [["w1", "w2"]]]'])
        {'SafeAcks': [True, False], 'StepGranularity': ['split'], 'NodeParts': [None, [['w1', 'w2']]]}
    """
    grid: dict[str, list[Any]] = {}
    for text in texts:
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
