"""Write a self-contained HTML page on a configuration or a model: verdicts, traces, the state graph and charts.

The page loads nothing else, and follows the reader's preference for light or dark:
  workbench report v2_race -o report.html                  a configuration, by name or as FILE.toml
  workbench report hudi --set ConcurrencyControl=none
  workbench report path/to/file.py:Class

Exit status: 0 it is as expected, or everything holds; 1 something differs, or is violated; 2 bad input; 3 something is
not known, or nothing was checked.
"""

import argparse
from typing import Any

from workbench.commands import status
from workbench.commands.files import check_paths, writing_text
from workbench.commands.options import add_options, asked_of, console
from workbench.commands.progress import progress_line
from workbench.commands.standard import remark
from workbench.configurations import Configuration
from workbench.kernel import Result
from workbench.kernel.text import printable

#: The most states to keep, for the graph and the chart of accesses.
MOST_KEPT = 200_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", metavar="MODEL|CONFIGURATION", help="a name, FILE.toml, or file.py:Class")
    add_options(parser, "--set")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="by default NAME.html, in the working folder")


def run(arguments: argparse.Namespace) -> int:
    from workbench import view  # plotting libraries load here, not with the command line
    from workbench.engines.check import check
    from workbench.spaces.space import explore

    asked = asked_of(arguments.what, arguments.set)
    configuration, model, names, symmetry = asked.configuration, asked.make(), asked.properties, asked.symmetry
    output = arguments.output or f"{configuration.name if configuration else model.name}.html"
    check_paths(asked.files, {"--output": output})
    with progress_line() as on_progress:
        result = check(model, names, symmetry=symmetry, on_progress=on_progress)
        space = None
        if result.complete and result.distinct <= MOST_KEPT:
            space = explore(model, names, symmetry=symmetry, on_progress=on_progress)
    if result.interrupted or (space is not None and space.result.interrupted):  # a space may be empty
        remark("workbench: no report is written: interrupted")
        return status.UNKNOWN
    page = view.report(result, space=space, **_comparison(configuration, result))
    with writing_text(output) as out:
        out.write(page)
    console().print(f"wrote {printable(output)} ({len(page) / 1024:,.0f} KiB)", markup=False)
    return status.of_comparison(configuration, result) if configuration else status.of_result(result)


def _comparison(configuration: Configuration | None, result: Result) -> dict[str, Any]:
    """The configuration's part of the page."""
    if configuration is None:
        return {}
    return {
        "title": configuration.title,
        "source": configuration.source,
        "differences": configuration.differences(result),
        "as_expected": configuration.as_expected(result),
    }
