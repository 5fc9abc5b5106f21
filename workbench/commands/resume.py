"""Resume a search on Spark that was stopped or killed, from its last completed level.

  workbench resume data/run
  workbench resume data/run --model path/to/file.py:Class      a model of your own: only files you name are loaded

Exit status: 0 everything holds, 1 something is violated, 2 bad input, 3 something is not known, or nothing was checked.
"""

import argparse
import json

from workbench.commands import status
from workbench.commands.check import print_result
from workbench.commands.options import add_options, asked_of, budgets, console
from workbench.commands.progress import progress_line
from workbench.commands.standard import say
from workbench.runs import resume


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_dir", metavar="DIR", help="the run directory that the search was given")
    parser.add_argument("--model", metavar="MODEL|CONFIGURATION", help="the searched model, if it is your own")
    add_options(parser, "--max-states", "--max-seconds", "--json")


def run(arguments: argparse.Namespace) -> int:
    with progress_line() as on_progress:
        result = resume(
            arguments.run_dir,
            None if arguments.model is None else asked_of(arguments.model).declared,
            **budgets(arguments),
            on_progress=on_progress,
        )
    if arguments.json:
        say(json.dumps(result.as_dict()))
    else:
        print_result(console(), result)
    return status.of_result(result)
