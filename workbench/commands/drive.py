"""Make real processes follow a trace, and compare the outcome with the model's predictions.

TRACE is a file that `workbench check -o FILE.itf.json` wrote, or a permalink:
  workbench check paimon --set PUT_IF_ABSENT=false --property ConsistentRead -o lost.itf.json
  workbench drive paimon lost.itf.json
  workbench drive paimon lost.itf.json -o driven       and `workbench audit driven/db.db/t`

Each process of the model becomes a process of the system, which waits for its turn at each step. A step is done,
refused if the system finds a conflict, or impossible if the system cannot do it.

Exit status: 0 the system did what the model predicts, 1 it did not, 2 bad input, or the system is not installed,
3 not decided, because of the time limit or an interrupt.
"""

import argparse
from pathlib import Path
from typing import Any

from workbench.checking.driving import drive
from workbench.checking.driving.course import TIME_LIMIT
from workbench.checking.following.report import Report
from workbench.commands.output import recorded
from workbench.commands.output.answers import add_answer, check_answer, give
from workbench.commands.output.files import reading
from workbench.commands.output.options import add_options, parse_assignments
from workbench.commands.output.outputs import DATA, FOLDER
from workbench.commands.output.standard import remark
from workbench.formats.permalink import parse_permalink
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.text import printable
from workbench.registry import get_model, having, protocols


def add_arguments(parser: argparse.ArgumentParser) -> None:
    systems = having("driver")
    parser.add_argument("system", metavar="SYSTEM", choices=tuple(systems), help=", ".join(systems))
    parser.add_argument("behaviour", metavar="TRACE.itf.json|PERMALINK")
    add_options(parser, "--set")
    add_options(
        parser, "--max-seconds", default=TIME_LIMIT, help=f"stop after this time, by default {TIME_LIMIT:.0f} seconds"
    )
    parser.add_argument("--python", metavar="PATH", help="the Python of an environment that has the system")
    add_answer(parser, (DATA, FOLDER), descriptions={FOLDER: "a new folder, where the table is made and left"})


def run(arguments: argparse.Namespace) -> int:
    check_answer(arguments, [] if recorded.is_permalink(arguments.behaviour) else [arguments.behaviour])
    keep = next((output.path for output in arguments.output if output.kind == FOLDER), None)
    report = _report(arguments.behaviour, arguments.system, parse_assignments(arguments.set))
    if report.holds is None:
        return give(arguments, report)
    if report.trace is None or not report.holds:
        raise InputError(f"{printable(arguments.behaviour)} is not a behaviour of the model: {report.why}")
    protocol = protocols()[arguments.system]
    driver = protocol.part(str(protocol.driver))(arguments.python)
    driven = drive(report.trace, driver, keep=keep, time_limit=arguments.max_seconds)
    if keep is not None:
        remark(f"the table is in {driver.place(Path(keep))}")
    return give(arguments, driven)


def _report(source: str, system: str, constants: dict[str, Any]) -> Report:
    """Whether the given trace is a behaviour of the model to drive."""
    if recorded.is_permalink(source):
        name = parse_permalink(source).model
        takes = protocols()[system].models
        if name not in takes:  # a link must not decide what is loaded
            raise InputError(f"a permalink of {brief(name)} is not accepted; it takes one of {' or '.join(takes)}")
        return recorded.follow_permalink(get_model(name), source, constants)
    from workbench.checking.following.validate import validate  # numba loads here, not with the command line

    model = get_model(system)
    mapped = recorded.read_trace(model, source)
    machine = recorded.make(model, mapped.constants, constants, source)
    with reading(source):
        return validate(machine, mapped.record(machine))
