"""Go on with a search on Spark that was stopped or killed, from its last completed level."""

import argparse
import json

from workbench.commands import status
from workbench.commands.check import print_result
from workbench.commands.options import console, progress_line
from workbench.commands.standard import say

NAME = "resume"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_dir", metavar="DIR", help="the run directory that the search was given")
    parser.add_argument("--max-states", type=int, metavar="N")
    parser.add_argument("--max-seconds", type=float, metavar="S")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    from workbench.engines.spark.entry import resume  # pyspark loads here

    with progress_line() as on_progress:
        result = resume(
            arguments.run_dir,
            max_states=arguments.max_states,
            max_seconds=arguments.max_seconds,
            on_progress=on_progress,
        )
    if arguments.json:
        say(json.dumps(result.as_dict()))
    else:
        print_result(console(), result)
    return status.of_result(result)
