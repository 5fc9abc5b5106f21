"""What several commands share: constants from the command line, the console, progress."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console

from workbench.kernel import InputError


def console() -> Console:
    """Where results go. Colours and styles only on a terminal; lines are not wrapped into each other."""
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 150)


def parse_value(text: str) -> Any:
    """A value from the command line: a JSON literal; what is not one is taken as a plain string.

    Examples
    --------
    >>> parse_value("3"), parse_value("true"), parse_value("atomic"), parse_value('[["a1"]]')
    (3, True, 'atomic', [['a1']])
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def parse_assignments(given: Iterable[str]) -> dict[str, Any]:
    """Constants from ``NAME=VALUE`` texts."""
    constants = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {text!r} is not accepted; it takes NAME=VALUE")
        constants[name.strip()] = parse_value(value)
    return constants


@contextmanager
def progress_line() -> Iterator[Callable[[Any], None] | None]:
    """A line on the terminal that shows how far a search is; None, and silence, where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.status import Status

    with Status("", console=Console(stderr=True)) as status:

        def show(at: Any) -> None:
            rate = at.states / at.seconds if at.seconds else 0
            status.update(
                f"level {at.level}: {at.states:,} states, {at.frontier:,} to expand, "
                f"{rate:,.0f} states/s, {at.seconds:.0f} s"
            )

        yield show
