"""Write a self-contained HTML page on a configuration: verdicts, traces, the state graph and charts.

The page loads nothing from anywhere, and follows the reader's preference for light or dark:
  workbench report specs/bakery/v2_race.toml -o report.html

Exit status: 0 it is as expected, 1 something differs, 2 bad input, 3 something is not known, or nothing was checked.
"""

import argparse
from pathlib import Path

from workbench import configurations
from workbench.commands import status
from workbench.commands.files import writing
from workbench.commands.options import console
from workbench.commands.progress import progress_line
from workbench.commands.standard import remark
from workbench.kernel.budget import INTERRUPTED
from workbench.kernel.text import printable
from workbench.storage.whole import check_outputs

NAME = "report"
#: Up to how many states are kept, for the graph and for what reads and writes what.
MOST_KEPT = 200_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.toml")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="by default beside the configuration's name")


def run(arguments: argparse.Namespace) -> int:
    from workbench import view  # plotting libraries load here, not with the command line
    from workbench.engines.check import check
    from workbench.spaces.space import explore

    configuration = configurations.load(Path(arguments.file))
    output = arguments.output or f"{configuration.name}.html"
    check_outputs([arguments.file], {"--output": output})
    with progress_line() as on_progress:
        model, names = configuration.model, configuration.properties
        result = check(model, names, symmetry=configuration.symmetry, on_progress=on_progress)
        space = None
        if result.complete and result.distinct <= MOST_KEPT:
            space = explore(model, names, symmetry=configuration.symmetry, on_progress=on_progress)
    if INTERRUPTED in (result.stopped, space and space.result.stopped):
        remark("workbench: no report is written: interrupted")
        return status.UNKNOWN
    page = view.report(
        result,
        title=configuration.title,
        source=configuration.source,
        differences=configuration.differences(result),
        as_expected=configuration.as_expected(result),
        space=space,
    )
    with writing(output) as out:
        out.write(page)
    console().print(f"wrote {printable(output)} ({len(page) / 1024:,.0f} KiB)", markup=False)
    return status.of_comparison(configuration, result)
