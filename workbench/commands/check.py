"""Check a model, or configurations against what is expected of them.

  workbench check bakery_v2 --set SafeAcks=false      one model; violations print their trace
  workbench check specs/bakery                        every configuration in a folder, as a table

Exit status: 0 everything holds (or is as expected), 1 something is violated (or differs), 2 bad input,
3 incomplete without a violation.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from workbench import configurations
from workbench.commands.options import console, parse_assignments, progress_line
from workbench.configurations import Configuration, spell
from workbench.explore.check import ENGINES, check
from workbench.kernel import InputError, Result, Verdict
from workbench.kernel.values import show
from workbench.models import MODELS, get_model

NAME = "check"
HOLDS, VIOLATED, INCOMPLETE = 0, 1, 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", nargs="+", metavar="MODEL|FILE.toml|FOLDER")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a constant; VALUE is JSON")
    parser.add_argument("--symmetry", action=argparse.BooleanOptionalAction, help="take interchangeable names as such")
    parser.add_argument("--engine", choices=ENGINES, default="auto")
    parser.add_argument("--property", action="append", metavar="NAME", help="check this one (may be repeated)")
    parser.add_argument("--fail-fast", action="store_true", help="stop at the first violation")
    parser.add_argument("--max-states", type=int, metavar="N")
    parser.add_argument("--max-seconds", type=float, metavar="S")
    parser.add_argument("--max-mib", type=float, metavar="M", help="memory of the search's own arrays")
    parser.add_argument("--fingerprint-bits", type=int, default=64, metavar="64|128")
    parser.add_argument("--trace", action="store_true", help="print the witnesses of reachable properties too")
    parser.add_argument("--json", action="store_true", help="print one JSON object (a list for configurations)")


def run(arguments: argparse.Namespace) -> int:
    target = arguments.targets[0]
    if len(arguments.targets) == 1 and (target in MODELS or ".py:" in target):
        return _check_model(arguments, target)
    for target in arguments.targets:
        if not Path(target).exists() and not target.endswith(".toml") and "/" not in target:
            get_model(target)  # says which models there are
            raise InputError(f"model {target!r} is not accepted here; give one model, or files and folders")
    if arguments.set or arguments.property:
        raise InputError("--set and --property are not accepted with configurations; they go with a model")
    return _check_configurations(arguments)


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "engine": arguments.engine,
        "fail_fast": arguments.fail_fast,
        "max_states": arguments.max_states,
        "max_seconds": arguments.max_seconds,
        "max_bytes": None if arguments.max_mib is None else int(arguments.max_mib * 2**20),
        "fingerprint_bits": arguments.fingerprint_bits,
    }


# One model ---------------------------------------------------------------------------------------------------------


def _check_model(arguments: argparse.Namespace, name: str) -> int:
    model = get_model(name)(**parse_assignments(arguments.set))
    with progress_line() as on_progress:
        result = check(
            model,
            arguments.property,
            symmetry=bool(arguments.symmetry),
            on_progress=on_progress,
            **_options(arguments),
        )
    if arguments.json:
        print(json.dumps(result.as_dict()))
    else:
        print_result(console(), result, arguments.trace)
    return VIOLATED if result.violated else HOLDS if result.complete else INCOMPLETE


def print_result(out: Console, result: Result, witnesses: bool = False) -> None:
    """The result as text: counts, verdicts, what was never taken, and the traces of violations."""
    out.print(f"[bold]{result.model.name}[/]  {_constants(result)}", markup=True)
    sets = f", symmetry over {', '.join(result.symmetry)}" if result.symmetry else ""
    out.print(
        f"{result.distinct:,} distinct states, {result.generated:,} generated, depth {result.depth}, "
        f"{result.seconds:.2f} s ({result.engine} engine{sets})"
    )
    if not result.complete:
        out.print(f"[bold yellow]INCOMPLETE[/]: {result.stopped}; what is not decided is unknown")
    for note in result.notes:
        out.print(f"note: {note}", markup=False)
    out.print()
    for verdict in result.verdicts:
        out.print(_verdict_line(verdict))
    if result.complete and result.never_taken:
        out.print(f"\nNever enabled: {', '.join(result.never_taken)}")
    if result.collision_probability > 1e-6:
        out.print(f"\nThe chance that two states shared a fingerprint is below {result.collision_probability:.1e}.")
    for verdict in result.verdicts:
        if verdict.trace is not None and (verdict.holds is False or witnesses):
            out.print(f"\n[bold]{verdict.name}[/] {verdict.word}: {verdict.trace_states} states")
            out.print(str(verdict.trace), markup=False)


def _constants(result: Result) -> str:
    return "  ".join(f"{name}={show(value)}" for name, value in result.model.constants.items()).replace("[", r"\[")


_MARKS = {True: "[green]\N{CHECK MARK}[/]", False: "[bold red]\N{BALLOT X}[/]", None: "[yellow]?[/]"}


def _verdict_line(verdict: Verdict) -> str:
    line = f"{_MARKS[verdict.holds]} {spell(verdict.word, verdict.trace_states):<24} {verdict.name}"
    return line + (f": {verdict.why}".replace("[", r"\[") if verdict.why else "")


# Configurations ----------------------------------------------------------------------------------------------------


def _check_configurations(arguments: argparse.Namespace) -> int:
    paths = configurations.find(arguments.targets)
    found = [configurations.load(path) for path in paths]
    outcomes = []
    for one in found:
        with progress_line() as on_progress:
            symmetry = one.symmetry if arguments.symmetry is None else arguments.symmetry and one.model.symmetry
            result = check(
                one.model, one.properties, symmetry=symmetry, on_progress=on_progress, **_options(arguments)
            )
        outcomes.append((one, result, one.differences(result)))
        if sys.stderr.isatty():
            print(f"{len(outcomes)}/{len(found)} {one.path}", file=sys.stderr)
    if arguments.json:
        print(json.dumps([_as_dict(*outcome) for outcome in outcomes]))
    else:
        _print_table(outcomes)
    if any(differences for _, _, differences in outcomes):
        incomplete = all(result.complete or not result.violated for _, result, d in outcomes if d)
        return INCOMPLETE if incomplete and all(not r.complete for _, r, d in outcomes if d) else VIOLATED
    return HOLDS


def _as_dict(one: Configuration, result: Result, differences: list[str]) -> dict[str, Any]:
    return {
        "file": str(one.path),
        "title": one.title,
        "as_expected": not differences,
        "differences": differences,
        **result.as_dict(),
    }


def _print_table(outcomes: list[tuple[Configuration, Result, list[str]]]) -> None:
    out = console()
    table = Table("", "configuration", "verdict", "distinct", "depth", "seconds", box=None, pad_edge=False)
    for column in (3, 4, 5):
        table.columns[column].justify = "right"
    for one, result, differences in outcomes:
        table.add_row(
            _MARKS[not differences],
            str(one.path),
            _summary(result),
            f"{result.distinct:,}",
            str(result.depth),
            f"{result.seconds:.2f}",
        )
    out.print(table)
    wrong = [(one, differences) for one, _, differences in outcomes if differences]
    for one, differences in wrong:
        out.print(f"\n[bold]{one.path}[/] is not as expected:")
        for line in differences:
            out.print(f"  {line}", markup=False)
    seconds = sum(result.seconds for _, result, _ in outcomes)
    out.print(f"\n{len(outcomes) - len(wrong)} of {len(outcomes)} configurations are as expected ({seconds:.1f} s)")


def _summary(result: Result) -> str:
    bad = [v for v in result.verdicts if v.holds is not True]
    if not bad:
        return "everything holds"
    return "; ".join(f"{v.name} {spell(v.word, v.trace_states)}" for v in bad)
