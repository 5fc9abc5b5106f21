"""Save the states and transitions of a model as Parquet, to query with SQL or pandas.

  workbench save bakery_v2 data/race --set AsyncParquet=true --set RestampPatch=false
  workbench save v2_race data/race           a configuration, by name or as FILE.toml
  workbench save data/run data/states        the run directory of a search on Spark
  workbench save data/run data/states --model path/to/file.py:Class      the same for a model of your own

Exit status: 0 the whole space is saved, 2 bad input, 3 a budget ran out, and the part found is saved.
"""

import argparse
from pathlib import Path

from workbench.commands.options import add_options, asked_of, console
from workbench.commands.progress import progress_line
from workbench.kernel import InputError
from workbench.kernel.values import counted
from workbench.models import MODELS
from workbench.runs import save_run
from workbench.storage.places import is_url

COMPLETE, INCOMPLETE = 0, 3
MOST_STATES = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="MODEL|CONFIGURATION|RUN_DIR",
        help="a name, path/to/file.py:Class, FILE.toml, or a run directory",
    )
    parser.add_argument("folder", metavar="FOLDER", help="a new or empty one, or a dataset to replace")
    add_options(parser, "--set")
    parser.add_argument(
        "--model", dest="of", metavar="MODEL|CONFIGURATION", help="a run directory's model, if it is your own"
    )
    add_options(parser, "--property", "--symmetry")
    add_options(parser, "--max-states", default=None, help=f"by default {MOST_STATES}")


def run(arguments: argparse.Namespace) -> int:
    if arguments.model not in MODELS and (is_url(arguments.model) or Path(arguments.model).is_dir()):
        return _save_run(arguments)
    if arguments.of is not None:
        raise InputError("--model is not accepted with a model; it goes with a run directory")
    asked = asked_of(arguments.model, arguments.set)
    model = asked.make()
    from workbench.spaces.dataset import DATASET, save  # numba and pyspark load here, not with the command line
    from workbench.spaces.space import explore
    from workbench.storage.folder import check_replaceable

    check_replaceable(arguments.folder, DATASET)
    with progress_line() as on_progress:
        space = explore(
            model,
            arguments.property or asked.properties,
            symmetry=arguments.symmetry or asked.symmetry,
            max_states=arguments.max_states or MOST_STATES,
            on_progress=on_progress,
        )
    save(space, arguments.folder)
    out, result = console(), space.result
    out.print(
        f"{counted(len(space), 'state')} and {counted(len(space.targets), 'transition')} in {arguments.folder}",
        markup=False,
    )
    if not result.complete:
        out.print(f"INCOMPLETE: {result.stopped}", markup=False)
    return COMPLETE if result.complete else INCOMPLETE


def _save_run(arguments: argparse.Namespace) -> int:
    if arguments.set or arguments.property or arguments.symmetry or arguments.max_states:
        given = "--set, --property, --symmetry and --max-states"
        raise InputError(f"{given} are not accepted with a run directory; it has its own")
    save_run(arguments.model, arguments.folder, None if arguments.of is None else asked_of(arguments.of).declared)
    console().print(f"saved {arguments.model} in {arguments.folder}", markup=False)
    return COMPLETE
