"""Decide whether a model can do what a trace, or a log of a real system, recorded; if not, say where and why.

A TLA+ module or a FizzBee text in place of a recording is compared with the model, state by state.

  workbench validate bakery_v2 trace.itf.json                   as written by `workbench check -o trace.itf.json`
  workbench validate bakery log.itf.json --set Writers=2 --stutter
  workbench validate Hudi.tla trace.txt                         what TLC printed, or a module that -dumpTrace tla wrote
  workbench validate bakery_v2 'workbench:bakery_v2?MaxCrashes=1#0/0.0'
  workbench validate bakery_v2 trace.itf.json -o trace.html     a page with pictures, to step through
  workbench validate bakery_v2 events.jsonl --map coldfront     events of a real system, one JSON object per line
  workbench validate queue events.jsonl --map mapping.py:Queue  the same with a mapping of your own
  workbench validate paimon /warehouse/db.db/t --key jack       a real table's history; by default of all keys
  workbench validate bakery Bakery.tla --set Writers=2          a module as published: all its states and steps are ours

The model's constants come from the file or its events; --set, or a CONFIGURATION in place of MODEL, overrides them.
A module has the model's constants, whatever its .cfg gives them; a Port maps them, and the states: the protocol's, or
--map path/to/file.py:NAME.
Exit status: 0 it is a behaviour of the model, or the same, 1 it is not, 2 bad input, 3 not decided, or it
is so in a stale translation of PlusCal.
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.checking.following.events import read_events
from workbench.checking.following.mapping import Mapped, get_mapping
from workbench.checking.following.report import Report
from workbench.checking.following.sameness import Sameness
from workbench.commands.output.answers import add_answer, check_answer, give
from workbench.commands.output.files import file_of, read_text, reading
from workbench.commands.output.options import add_options, asked_of, budget_of
from workbench.commands.output.progress import progress_line
from workbench.commands.output.recorded import follow_permalink, is_permalink, make, read_trace
from workbench.formats.recording import Recording
from workbench.formats.tlc_states import is_dump
from workbench.kernel import InputError, Machine
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.machine import ModelClass
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.translation import STALE
from workbench.kernel.meaning.values import counted
from workbench.registry import completed, get_model, having, module_in
from workbench.registry.programs import needs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, "model")
    parser.add_argument("file", metavar="FILE.itf.json|TRACE.txt|EVENTS.jsonl|TABLE|MODULE.tla|TEXT.fizz|PERMALINK")
    add_options(parser, "--set", "--path")
    parser.add_argument(
        "--map", metavar="NAME", help="read events through a mapping: its name, or path/to/file.py:NAME"
    )
    parser.add_argument(
        "--key", action="append", metavar="KEY", help="a table's key to follow, with others so named; by default all"
    )
    parser.add_argument("--bucket", metavar="NAME", help="a table's bucket; by default all")
    parser.add_argument("--stutter", action="store_true", help="allow steps that change nothing recorded")
    parser.add_argument("--begin", choices=("initial", "reachable"), help="where the recording starts")
    add_options(parser, "--max-states", "--max-seconds")
    parser.add_argument(
        "--settings",
        action="store_true",
        help="if it is not a behaviour, find other values of one constant that make it one",
    )
    add_answer(parser, trace="print the model's behaviour, as far as it agrees")


def run(arguments: argparse.Namespace) -> int:
    module = _module_in(arguments.file)
    _check_arguments(arguments, module)
    inputs = [] if is_permalink(arguments.file) else [arguments.file if module is None else module]
    folders = arguments.path if module is None else ()
    asked = asked_of(arguments.model, arguments.set, folders, arguments.max_seconds)
    check_answer(arguments, [*asked.files, *file_of(arguments.map or ""), *inputs])
    model, constants = asked.declared, asked.constants
    report: Report | Sameness
    if module is not None:
        report = _follow_text(asked.make(), model, arguments)
    elif is_permalink(arguments.file):
        report = follow_permalink(model, arguments.file, constants)
    elif os.path.isdir(arguments.file):
        report = _follow_table(model, constants, arguments)
    else:
        mapped = (_read_trace if arguments.map is None else _read_events)(model, arguments)
        machine = make(model, mapped.constants, constants, arguments.file)
        with reading(arguments.file):
            report = _validate(machine, mapped, arguments)
    return give(arguments, report)


def _check_arguments(arguments: argparse.Namespace, module: Path | None) -> None:
    """Raise :class:`InputError` for options that do not go with the input."""
    events, table, searched = ["map"], ["key", "bucket"], ["stutter", "begin", "max_states", "max_seconds", "settings"]
    if module is not None:
        subject, names = "a module, whose states are compared", [*table, "stutter", "begin", "settings"]
    elif is_permalink(arguments.file):
        subject, names = "a permalink, which says which steps are taken", [*events, *table, *searched]
    elif os.path.isdir(arguments.file):
        subject, names = "the folder of a table", [*events, "stutter", "begin"]
    else:
        subject, names = "a file; it goes with the folder of a table", table
    for name in names:
        if getattr(arguments, name):
            raise InputError(f"--{name.replace('_', '-')} is not accepted with {subject}")


def _module_in(file: str) -> Path | None:
    """The file of a module in another language, which may be followed by a configuration; None for other files.

    A module to which TLC has dumped a trace is no model.
    """
    place = None if is_permalink(file) else module_in(file)
    return None if place is None or (place[0].is_file() and is_dump(read_text(str(place[0]), "module"))) else place[0]


def _follow_text(machine: Machine, model: ModelClass, arguments: argparse.Namespace) -> Sameness:
    """The comparison with a module."""
    from workbench.checking.following.port import follow_text, get_port

    module = get_model(completed(arguments.file, folders=arguments.path))
    port = get_port(model, module.declared.name, arguments.map)
    with progress_line() as on_progress:
        return follow_text(machine, module, port, budget=budget_of(arguments), watch=Watch(on_progress))


def _read_trace(model: ModelClass, arguments: argparse.Namespace) -> Mapped:
    return read_trace(model, arguments.file)


def _read_events(model: ModelClass, arguments: argparse.Namespace) -> Mapped:
    """Map events to constants and a recording."""
    mapping = get_mapping(arguments.map)
    events = read_events(arguments.file)
    with reading(arguments.file):
        mapped = mapping.read(events)
    if not issubclass(model, get_model(mapped.model)):
        raise InputError(f"--map {arguments.map} reads events of {mapped.model}, not of {model.declared.name}")
    return mapped


def _follow_table(model: ModelClass, constants: dict[str, Any], arguments: argparse.Namespace) -> Report:
    """The report on a table's snapshots."""
    needs("tables", "a table's history")
    from workbench.audits.audit import detect
    from workbench.audits.source import Source  # pyarrow loads here

    format, followed = detect(Source(arguments.file)), having("history")
    if format not in followed:
        formats = " and ".join(followed)
        raise InputError(
            f"{printable(arguments.file)} is a table of {format}; those of {formats} are held against a model"
        )
    protocol = followed[format]
    follow = protocol.part(str(protocol.history)).follow

    with progress_line(
        text=lambda at: f"{counted(at.level, 'key')} followed, {at.frontier:,} to follow"
    ) as on_progress:
        return follow(
            arguments.file,
            arguments.key,
            arguments.bucket,
            model=model,
            given=constants,
            settings=arguments.settings,
            budget=budget_of(arguments),
            watch=Watch(on_progress),
        )


def _validate(model: Machine, mapped: Mapped, arguments: argparse.Namespace) -> Report:
    """The report on the recording; on request, with the settings under which it is accepted."""
    from workbench.checking.following.settings import accepted_under  # numba loads here, not with the command line
    from workbench.checking.following.validate import validate

    stutter = arguments.stutter or arguments.map is not None

    def begun(machine: Machine) -> Recording:
        recording = mapped.record(machine)
        return recording if arguments.begin is None else recording._replace(begins=arguments.begin)

    with progress_line() as on_progress:
        budget, watch = budget_of(arguments), Watch(on_progress)
        report = validate(model, begun(model), stutter, budget=budget, watch=watch)
        is_stale = report.holds is None and report.translation == STALE  # where no settings are known to accept it
        if report.holds or is_stale or not arguments.settings:
            return report
        tried = accepted_under(model, begun, stutter, also=mapped.changes, budget=budget, watch=watch)
    return replace(report, settings=str(tried).splitlines())
