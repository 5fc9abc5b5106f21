"""Say whether a recorded behaviour - a trace, or a log of a real system - is one of a model; if not, where and why.

  workbench replay bakery_v2 trace.itf.json                   as `workbench check --itf` wrote it
  workbench replay bakery log.itf.json --set Writers=2 --stutter
  workbench replay bakery_v2 'workbench:bakery_v2?MaxCrashes=1#0/0.0'
  workbench replay bakery_v2 trace.itf.json --html trace.html  to be stepped through, with pictures

The model's constants are those that the file notes, and --set goes before them.
Exit status: 0 it is a behaviour of the model, 1 it is not, 2 bad input.
"""

import argparse
from typing import Any

from workbench.commands import outputs
from workbench.commands.files import file_of_model, read_text, reading
from workbench.commands.options import console, parse_assignments
from workbench.formats.itf import constants_from_itf, parse_itf, read_itf
from workbench.formats.permalink import parse_permalink
from workbench.formats.validation import Report, validate
from workbench.kernel import InputError, Model, ModelError, replay
from workbench.kernel.errors import brief
from workbench.models import get_model

NAME = "replay"
VALID, NOT_A_BEHAVIOUR = 0, 1
_PERMALINK = "workbench:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("file", metavar="FILE.itf.json|PERMALINK")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant; VALUE is JSON")
    parser.add_argument("--stutter", action="store_true", help="allow steps that change nothing of what is recorded")
    outputs.add_shown(parser)
    parser.add_argument("--trace", action="store_true", help="print the model's behaviour, as far as it agrees")


def run(arguments: argparse.Namespace) -> int:
    is_permalink = arguments.file.startswith(_PERMALINK)
    outputs.check_shown(arguments, [*file_of_model(arguments.model), *([] if is_permalink else [arguments.file])])
    model, given = get_model(arguments.model), parse_assignments(arguments.set)
    if is_permalink:
        report = _follow(model, arguments.file, given)
    else:
        text = read_text(arguments.file, "trace")
        with reading(arguments.file):
            document = parse_itf(text)
        made = _make(model, constants_from_itf(document), given, arguments.file)
        with reading(arguments.file):
            report = validate(made, read_itf(made, document), arguments.stutter)
    with outputs.report(arguments, tuple(outputs.SHOWN)):
        out = console()
        out.print(str(report), markup=False)
        if arguments.trace and report.trace is not None:
            out.print(f"\n{report.trace}", markup=False)
    outputs.write_shown(arguments, report.trace)
    return VALID if report.valid else NOT_A_BEHAVIOUR


def _make(model: type[Model], noted: dict[str, Any], given: dict[str, Any], source: str) -> Model:
    """The model with the constants that a recording notes, and those of the command line before them."""
    try:
        return model(**{**noted, **given})
    except InputError as error:
        where = f" (the constants that {source} notes, and --set)" if noted else ""
        raise InputError(f"{error}{where}") from None


def _follow(model: type[Model], line: str, given: dict[str, Any]) -> Report:
    """What a permalink leads to: its moves are taken one after the other."""
    link = parse_permalink(line)
    if link.model != model.name:
        raise InputError(f"the permalink is one of {brief(link.model)}, not of {model.name}")
    made = _make(model, link.constants, given, "the permalink")
    try:
        trace = replay(made, link.start, link.moves, link.loop)
    except ModelError as error:
        return Report(valid=False, states=0, why=str(error))
    return Report(valid=True, states=len(trace), trace=trace)
