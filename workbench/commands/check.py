"""Check a model, or configurations against what they expect.

  workbench check bakery_v2 --set SafeAcks=false      one model; violations print their trace
  workbench check bakery_v2 --cfg MC.cfg              with the constants and properties of a TLC configuration
  workbench check bakery_v2 --profile                 how often the model's Python was called, and for what
  workbench check bakery_v2 --itf trace.itf.json      write the trace of the first violation to a file
  workbench check v2_race                             a configuration, by name or as FILE.toml, as a table
  workbench check bakery/one_table hudi/one_table     with the folder, if several configurations share the name
  workbench check specs/bakery                        every configuration in a folder
  workbench check mine --accept                       rewrite FILE.toml to expect what is found

A name means first a model, then a file or folder, then one of the workbench's own configurations. Nine configurations
share their model's name and defaults; give them with their folder: classics/paxos.

Exit status: 0 everything holds (or is as expected), 1 something is violated (or differs), 2 bad input,
3 something is not known, or nothing was checked.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from workbench import configurations
from workbench.commands import accept, outputs, status
from workbench.commands.answers import print_model, print_traces, with_deadlock
from workbench.commands.files import file_of, names_model, read_text, reading
from workbench.commands.options import above_zero, add_options, add_workers, console, parse_assignments
from workbench.commands.places import in_repository
from workbench.commands.profiled import print_profile
from workbench.commands.progress import SparseLines, progress_line
from workbench.commands.standard import remark, say
from workbench.configurations import Configuration, spell_verdict, told_path
from workbench.engines.check import ENGINES, check
from workbench.formats.tlc_cfg import apply_cfg, read_cfg
from workbench.kernel import InputError, Model, Result, Verdict
from workbench.kernel.result import WITHIN
from workbench.kernel.text import printable
from workbench.kernel.values import counted
from workbench.models import get_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", nargs="+", metavar="MODEL|CONFIGURATION|FOLDER")
    add_options(parser, "--set")
    parser.add_argument("--cfg", metavar="FILE", help="constants, properties and symmetry of a TLC configuration")
    add_options(parser, "--symmetry", action=argparse.BooleanOptionalAction)
    parser.add_argument("--engine", choices=ENGINES, default="auto")
    add_options(parser, "--property", "--deadlock", "--fail-fast", "--max-states", "--max-seconds")
    parser.add_argument("--max-mib", type=above_zero(float), metavar="M", help="memory of the search's own arrays")
    parser.add_argument("--fingerprint-bits", type=int, choices=(64, 128), default=64)
    add_workers(parser, "threads", default=1)
    parser.add_argument("--hand-over-states", type=int, metavar="N", help="engine auto: move to Spark after N states")
    parser.add_argument(
        "--run-dir", metavar="DIR", help="a path or URL where a search on Spark keeps its levels, to resume it"
    )
    add_options(parser, "--trace")
    parser.add_argument("--profile", action="store_true", help="print what called the model's Python, and how often")
    add_options(parser, "--json", help="print one JSON object (a list for configurations)")
    parser.add_argument("--accept", action="store_true", help="rewrite the configurations to expect what is found")
    outputs.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    outputs.check_printed(arguments)
    for target in arguments.targets:
        if names_model(target):
            if len(arguments.targets) > 1:
                raise InputError(f"model {target!r} is not accepted here; give one model, or files and folders")
            if arguments.accept:
                raise InputError("--accept is not accepted with a model; it goes with configurations")
            return _check_model(arguments, target)
    if arguments.accept:
        accept.check_acceptable(arguments)
    paths = configurations.find(arguments.targets)
    if arguments.set or arguments.property or arguments.cfg is not None:
        raise InputError("--set, --cfg and --property are not accepted with configurations; they go with a model")
    if arguments.deadlock:
        raise InputError("--deadlock is not accepted with configurations; they name Deadlock among their properties")
    if arguments.trace:
        raise InputError(
            "--trace is not accepted with configurations, which are a table; --itf writes the trace of one"
        )
    return _check_configurations(arguments, paths)


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "engine": arguments.engine,
        "fail_fast": arguments.fail_fast,
        "max_states": arguments.max_states,
        "max_seconds": arguments.max_seconds,
        "max_bytes": None if arguments.max_mib is None else int(arguments.max_mib * 2**20) or 1,
        "fingerprint_bits": arguments.fingerprint_bits,
        "hand_over_states": arguments.hand_over_states,
        "run_dir": arguments.run_dir,
        "workers": arguments.workers,
    }


# One model ---------------------------------------------------------------------------------------------------------


def _check_model(arguments: argparse.Namespace, name: str) -> int:
    declared = get_model(name)
    outputs.check_written(arguments, file_of(name))
    model, properties, symmetry, remarks, unknown = _asked(arguments, declared)
    if arguments.deadlock:
        properties = with_deadlock(model, properties)
    with outputs.failing(arguments), progress_line() as on_progress:
        result = check(model, properties, symmetry=symmetry, on_progress=on_progress, **_options(arguments))
    result = replace(result, notes=[*remarks, *result.notes], verdicts=[*result.verdicts, *unknown])
    with outputs.printing(arguments):
        if arguments.json:
            say(json.dumps(_with_profile(result.as_dict(), result, arguments.profile)))
        else:
            print_result(console(), result, arguments.trace)
            if arguments.profile:
                print_profile(console(), result)
    outputs.write_trace(arguments, result)
    file = next(map(in_repository, file_of(name)), None)
    outputs.write_reports(arguments, [(outputs.suite_of_model(result), file)])
    return status.of_result(result)


def _asked(
    arguments: argparse.Namespace, model: type[Model]
) -> tuple[Model, list[str] | None, bool | tuple[str, ...], list[str], list[Verdict]]:
    """The model, the properties and symmetric sets to check, remarks, and unknown properties.

    Command-line options override the TLC configuration.
    """
    constants = parse_assignments(arguments.set, model)
    if arguments.cfg is None:
        return model(**constants), arguments.property, bool(arguments.symmetry), [], []
    text = read_text(arguments.cfg, "TLC configuration")
    with reading(arguments.cfg):
        cfg = read_cfg(text)
        if arguments.symmetry is not None:
            cfg.single.pop("SYMMETRY", None)
        applied = apply_cfg(cfg, model)
    symmetry = applied.symmetry if arguments.symmetry is None else arguments.symmetry
    made = model(**{**applied.constants, **constants})
    if arguments.property:
        return made, arguments.property, symmetry, applied.remarks, []
    return made, applied.properties, symmetry, applied.remarks, applied.unknown


def print_result(out: Console, result: Result, witnesses: bool = False) -> None:
    """Print a result: counts, verdicts, actions never taken, and the traces of violations."""
    model = result.model
    print_model(out, model)
    out.print(result.counts, markup=False)
    if not result.complete:
        out.print(f"[bold yellow]INCOMPLETE[/]: {result.stopped}; undecided properties are unknown")
    elif result.interrupted:
        out.print("[bold yellow]INTERRUPTED[/] after all states were visited; anything beyond that is missing")
    for note in result.notes:
        out.print(f"note: {note}", markup=False)
    if result.profile is not None and result.profile.remarks:
        out.print("note: --profile prints the profile", markup=False)
    out.print()
    for verdict in result.verdicts:
        out.print(status.verdict_line(verdict))
    if result.complete and result.never_taken:
        within = "" if result.within is None else f" within {result.within}"
        out.print(f"\nNever enabled{within}: {', '.join(result.never_taken)}")
    if result.collision_probability > 1e-6:
        out.print(f"\nThe chance that two states shared a fingerprint is below {result.collision_probability:.1e}.")
    print_traces(out, result, witnesses)


# Configurations ----------------------------------------------------------------------------------------------------


def _check_configurations(arguments: argparse.Namespace, paths: list[Path]) -> int:
    wanted = [configurations.load(path) for path in paths]
    outputs.check_written(arguments, [file for one in wanted for file in one.files], len(wanted))
    outcomes = []
    done = remark if sys.stderr.isatty() else SparseLines()
    for one in wanted:
        with outputs.failing(arguments), progress_line(f"{told_path(one.path)}: ") as on_progress:
            symmetry = one.symmetry if arguments.symmetry is None else arguments.symmetry and one.model.symmetry
            result = check(one.model, one.properties, symmetry=symmetry, on_progress=on_progress, **_options(arguments))
        outcomes.append((one, result, one.differences(result)))
        if result.interrupted:
            break
        done(f"{len(outcomes)}/{len(wanted)} {told_path(one.path)}")
    if arguments.accept:
        return accept.accept([(one, result) for one, result, _ in outcomes], len(wanted))
    with outputs.printing(arguments):
        if arguments.json:
            found = [_with_profile(_as_dict(*outcome), outcome[1], arguments.profile) for outcome in outcomes]
            say(json.dumps(found))
        else:
            _print_table(outcomes, len(wanted))
            for one, result, _ in outcomes if arguments.profile else ():
                console().print(f"\n[bold]{_path(one)}[/]")
                print_profile(console(), result)
    outputs.write_trace(arguments, outcomes[0][1])
    suites = [(outputs.suite_of_configuration(one, result), in_repository(one.path)) for one, result, _ in outcomes]
    suites += [(outputs.suite_of_unchecked(one), in_repository(one.path)) for one in wanted[len(outcomes) :]]
    outputs.write_reports(arguments, suites)
    statuses = {status.of_comparison(one, result) for one, result, _ in outcomes}
    if len(outcomes) < len(wanted):
        statuses.add(status.UNKNOWN)
    return next(worst for worst in (status.VIOLATED, status.UNKNOWN, status.HOLDS) if worst in statuses)


def _with_profile(document: dict[str, Any], result: Result, wanted: bool) -> dict[str, Any]:
    """The document of ``--json``, with the profile if wanted."""
    if not wanted:
        return document
    return {**document, "profile": None if result.profile is None else result.profile.as_dict()}


def _as_dict(one: Configuration, result: Result, differences: list[str]) -> dict[str, Any]:
    return {
        "file": str(one.path),
        "title": one.title,
        "as_expected": one.as_expected(result),
        "differences": differences,
        **result.as_dict(),
    }


def _print_table(outcomes: list[tuple[Configuration, Result, list[str]]], wanted: int) -> None:
    out = console()
    table = Table("", "configuration", "verdict", "distinct", "depth", "seconds", box=None, pad_edge=False)
    for column in (3, 4, 5):
        table.columns[column].justify = "right"
    for one, result, differences in outcomes:
        table.add_row(
            status.MARKS[False if differences else one.as_expected(result) or None],
            _path(one),
            _summary(result),
            f"{result.distinct:,}",
            str(result.depth),
            f"{result.seconds:.2f}",
        )
    out.print(table)
    for one, result, differences in outcomes:
        if differences:
            out.print(f"\n[bold]{_path(one)}[/] is not as expected:")
        elif result.cut_short is not None:
            out.print(f"\n[bold]{_path(one)}[/] is incomplete: {result.cut_short}")
        elif not one.as_expected(result):
            out.print(f"\n[bold]{_path(one)}[/] expects nothing, and nothing is checked")
        for line in differences:
            out.print(f"  {line}", markup=False)
    seconds = sum(result.seconds for _, result, _ in outcomes)
    right = sum(one.as_expected(result) for one, result, _ in outcomes)
    are = "is" if wanted == 1 else "are"
    out.print(f"\n{right} of {counted(wanted, 'configuration')} {are} as expected ({seconds:.1f} s)")


def _path(one: Configuration) -> str:
    return escape(printable(told_path(one.path)))


def _summary(result: Result) -> str:
    if result.holds:
        return "everything holds" + (f" {WITHIN}" if result.within else "")
    open_or_bad = [f"{v.name} {spell_verdict(v)}" for v in result.verdicts if v.holds is not True]
    return "; ".join(open_or_bad) or "nothing is checked"
