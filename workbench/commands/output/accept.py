"""``check --accept``: write what a check found into configurations as what they expect, and print every change."""

import argparse
import os
from codecs import BOM_UTF8
from collections.abc import Sequence

from workbench.commands.output import status
from workbench.commands.output.console import console
from workbench.commands.output.figures import NOTHING, FigureChange, figure_changes, rewritten
from workbench.commands.output.files import reading
from workbench.kernel import InputError, Result
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import counted
from workbench.registry.configurations import Configuration, told_path
from workbench.storage import atomic_files

#: Options that change the check behind the figures, or report on the figures that are replaced.
_OTHERS = ("symmetry", "json", "profile", "output", "annotations")


def check_acceptable(arguments: argparse.Namespace) -> None:
    """Raise :class:`InputError` for options that do not go with ``--accept``."""
    if arguments.symmetry is False:
        raise InputError("--no-symmetry is not accepted with --accept; a configuration says which figures it expects")
    for name in _OTHERS:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise InputError(f"{option} is not accepted with --accept; check again with it when all is accepted")
    for target in arguments.targets:
        if not os.path.exists(target):
            raise InputError(f"{brief(target)} is not accepted with --accept; it takes files and folders of yours")


def accept(outcomes: Sequence[tuple[Configuration, Result]], total: int) -> int:
    """Let configurations, `total` in all, expect the findings; write all files, or none if one cannot be changed."""
    accepted: list[tuple[Configuration, list[FigureChange], bytes]] = []
    refused = [""] * (total - len(outcomes))
    for configuration, result in outcomes:
        try:
            changes = _changes(configuration, result)
        except InputError as error:
            refused.append(f"{told_path(configuration.path)}: nothing is accepted: {error}")
            continue
        if changes:
            accepted.append((configuration, changes, _rewritten(configuration, changes)))
    for configuration, _, text in accepted:
        with atomic_files.writing_bytes(configuration.path) as file:
            file.write(text)
    _print(accepted, refused, total)
    return status.UNKNOWN if refused else status.HOLDS


def _changes(configuration: Configuration, result: Result) -> list[FigureChange]:
    if not result.complete:
        raise InputError(f"the search is incomplete: {result.stopped}")
    return figure_changes(configuration, result)


def _rewritten(configuration: Configuration, changes: Sequence[FigureChange]) -> bytes:
    text = configuration.path.read_bytes()
    mark = BOM_UTF8 if text.startswith(BOM_UTF8) else b""
    with reading(told_path(configuration.path)):
        figures = {change.keys: change.value for change in changes}
        return mark + rewritten(text.removeprefix(mark).decode(), figures).encode()


def _print(
    accepted: Sequence[tuple[Configuration, list[FigureChange], bytes]], refused: Sequence[str], total: int
) -> None:
    out, verdicts = console(), 0
    for configuration, changes, _ in accepted:
        path = printable(told_path(configuration.path))
        out.say(path, "bold", " expects what was found:")
        for change in changes:
            loud = change.is_verdict and change.before != NOTHING
            verdicts += loud
            out.say("  VERDICT" if loud else " ", "bold red", f" {change}")
    for line in filter(None, refused):
        out.say(line)
    same = total - len(accepted) - len(refused)
    out.say(
        f"{counted(len(accepted), 'configuration')} changed, {same} as before, {len(refused)} not accepted"
        + (f"; {counted(verdicts, 'VERDICT')} changed: be sure that you know why" if verdicts else "")
    )
