"""Make real processes follow a trace, and compare the outcome with the model's predictions.

TRACE is a file that `workbench check --itf` wrote, or a permalink:
  workbench check paimon --set PUT_IF_ABSENT=false --property ConsistentRead --itf lost.itf.json
  workbench drive paimon lost.itf.json
  workbench drive paimon lost.itf.json --keep driven       and `workbench audit driven/db.db/t`

Each process of the model becomes a process of the system, which waits for its turn at each step. A step is done,
refused if the system finds a conflict, or impossible if the system cannot do it.

Exit status: 0 the system did what the model predicts, 1 it did not, 2 bad input, or the system is not installed,
3 not decided, because of the time limit or an interrupt.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from workbench.commands import recorded, status
from workbench.commands.files import reading
from workbench.commands.options import above_zero, add_options, console, parse_assignments
from workbench.commands.standard import say
from workbench.driving import Driven, DrivenStep, PaimonDriver, drive
from workbench.driving.course import TIME_LIMIT
from workbench.driving.paimon import MODELS
from workbench.formats.permalink import parse_permalink
from workbench.guided.report import Report
from workbench.kernel import InputError
from workbench.kernel.constants import spell
from workbench.kernel.errors import brief
from workbench.kernel.text import printable
from workbench.models import get_model

SYSTEMS = ("paimon",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", metavar="SYSTEM", choices=SYSTEMS, help=", ".join(SYSTEMS))
    parser.add_argument("trace", metavar="TRACE.itf.json|PERMALINK")
    add_options(parser, "--set")
    parser.add_argument("--keep", metavar="DIR", help="make the table in this new folder, and leave it there")
    parser.add_argument(
        "--time-limit", type=above_zero(float), default=TIME_LIMIT, metavar="S", help=f"by default {TIME_LIMIT:.0f}"
    )
    parser.add_argument("--python", metavar="PATH", help="the Python of an environment that has the system")
    add_options(parser, "--json")


def run(arguments: argparse.Namespace) -> int:
    report = _report(arguments.trace, arguments.system, parse_assignments(arguments.set))
    if report.valid is None:
        say(f"not decided: {report.why}")
        return status.UNKNOWN
    if report.trace is None or not report.valid:
        raise InputError(f"{printable(arguments.trace)} is not a behaviour of the model: {report.why}")
    driver = PaimonDriver(arguments.python)
    driven = drive(report.trace, driver, keep=arguments.keep, time_limit=arguments.time_limit)
    if arguments.json:
        say(json.dumps(driven.as_dict()))
    else:
        _print(console(), driven)
        if arguments.keep is not None:
            say(f"\nthe table is in {printable(str(Path(arguments.keep) / 'db.db' / 't'))}")
    return status.of_answer(driven.as_foretold)


def _report(source: str, system: str, given: dict[str, Any]) -> Report:
    """Whether the given trace is a behaviour of the model to drive."""
    if recorded.is_permalink(source):
        name = parse_permalink(source).model
        if name not in MODELS:  # a link must not decide what is loaded
            raise InputError(f"a permalink of {brief(name)} is not accepted; it takes one of {' or '.join(MODELS)}")
        return recorded.follow_permalink(get_model(name), source, given)
    from workbench.guided.validate import validate  # numba loads here, not with the command line

    model = get_model(system)
    mapped = recorded.read_trace(model, source)
    made = recorded.make(model, mapped.constants, given, source)
    with reading(source):
        return validate(made, mapped.record(made))


def _print(out: Console, driven: Driven) -> None:
    model, steps = driven.trace.model, driven.steps
    out.print(f"[bold]{escape(model.name)}[/]  {escape(spell(model.constants))}")
    out.print(f"{driven.system}: {len(steps)} of {len(driven.trace) - 1} steps\n")
    table = Table("step", "", "action", "real system", "what it said", box=None, pad_edge=False)
    table.columns[0].justify = "right"
    table.columns[-1].overflow = "fold"  # names of files stay whole
    for step in steps:
        table.add_row(str(step.number), escape(step.actor), escape(step.label), _verdict(step), escape(step.said))
    for number, left in enumerate(driven.trace.steps[len(steps) + 1 :], start=len(steps) + 1):
        table.add_row(str(number), escape(left.lane), escape(left.label), "[dim]not tried[/]", "")
    out.print(table, width=None if out.is_terminal else 1000)
    different = [
        one._replace(what=f"after step {step.number}: {one.what}") for step in steps for one in step.differences
    ]
    if different or driven.compared:
        table = Table("", "", "predicted", "found", box=None, pad_edge=False)
        for one in [*different, *driven.compared]:
            table.add_row(status.MARKS[one.agrees], escape(one.what), escape(one.foretold), escape(one.found))
        out.print()
        out.print(table, width=None if out.is_terminal else 1000)
    out.print()
    out.print(driven.verdict(), markup=False)


def _verdict(step: DrivenStep) -> str:
    return f"{status.MARKS[step.as_foretold]} {step.verdict}" + (
        "" if step.verdict == step.foretold else f", not {step.foretold}"
    )
