"""Save the states and transitions of a model as Parquet, to be queried with SQL or pandas.

  workbench save bakery_v2 states/race --set AsyncParquet=true --set RestampPatch=false

Exit status: 0 the whole space is saved, 2 bad input, 3 a budget was used up: what was found is saved.
"""

import argparse
from pathlib import Path

from workbench.commands.options import above_zero, console, parse_assignments, progress_line
from workbench.models import get_model

NAME = "save"
COMPLETE, INCOMPLETE = 0, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a model's name, or path/to/file.py:Class")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new or empty one, or a dataset to be replaced")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant; VALUE is JSON")
    parser.add_argument("--property", action="append", metavar="NAME", help="check this one (may be repeated)")
    parser.add_argument("--symmetry", action="store_true", help="take interchangeable names as such")
    parser.add_argument(
        "--max-states", type=above_zero(int), default=1_000_000, metavar="N", help="%(default)s if not given"
    )


def run(arguments: argparse.Namespace) -> int:
    model = get_model(arguments.model)(**parse_assignments(arguments.set))
    from workbench.explore.dataset import save  # numba and pyspark load here, not with the command line
    from workbench.explore.space import explore

    with progress_line() as on_progress:
        space = explore(
            model,
            arguments.property,
            symmetry=arguments.symmetry,
            max_states=arguments.max_states,
            on_progress=on_progress,
        )
    save(space, arguments.folder)
    out, result = console(), space.result
    out.print(f"{len(space):,} states and {len(space.targets):,} transitions in {arguments.folder}", markup=False)
    if not result.complete:
        out.print(f"INCOMPLETE: {result.stopped}", markup=False)
    return COMPLETE if result.complete else INCOMPLETE
