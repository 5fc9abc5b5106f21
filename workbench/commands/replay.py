"""Say whether a recorded behaviour - a trace, or a log of a real system - is one of a model; if not, where and why.

  workbench replay bakery_v2 trace.itf.json                   as `workbench check --itf` wrote it
  workbench replay bakery log.itf.json --set Writers=2 --stutter
  workbench replay bakery_v2 'workbench:bakery_v2?MaxCrashes=1#0/0.0'
  workbench replay bakery_v2 trace.itf.json --html trace.html  to be stepped through, with pictures

The model's constants are those that the file notes, and --set goes before them.
Exit status: 0 it is a behaviour of the model, 1 it is not, 2 bad input.
"""

import argparse

from workbench.commands import outputs
from workbench.commands.files import file_of_model
from workbench.commands.options import console, parse_assignments
from workbench.commands.recorded import is_permalink, judge
from workbench.models import get_model

NAME = "replay"
VALID, NOT_A_BEHAVIOUR = 0, 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("file", metavar="FILE.itf.json|PERMALINK")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant; VALUE is JSON")
    parser.add_argument("--stutter", action="store_true", help="allow steps that change nothing of what is recorded")
    outputs.add_shown(parser)
    parser.add_argument("--trace", action="store_true", help="print the model's behaviour, as far as it agrees")


def run(arguments: argparse.Namespace) -> int:
    files = [] if is_permalink(arguments.file) else [arguments.file]
    outputs.check_shown(arguments, [*file_of_model(arguments.model), *files])
    model = get_model(arguments.model)
    report = judge(model, arguments.file, parse_assignments(arguments.set), arguments.stutter)
    with outputs.report(arguments, tuple(outputs.SHOWN)):
        out = console()
        out.print(str(report), markup=False)
        if arguments.trace and report.trace is not None:
            out.print(f"\n{report.trace}", markup=False)
    outputs.write_shown(arguments, report.trace)
    return VALID if report.valid else NOT_A_BEHAVIOUR
