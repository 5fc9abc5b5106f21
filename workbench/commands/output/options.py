"""Shared parts of commands: their options, and constants from the command line."""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from workbench.commands.output.files import file_of
from workbench.kernel import InputError, Machine, machine_of
from workbench.kernel.meaning.arguments import integer_in
from workbench.kernel.meaning.budget import Budget, Limits
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.machine import ModelClass
from workbench.registry import completed, configurations, get_model, names_model
from workbench.registry.configurations import Configuration
from workbench.storage.strict_json import read_json


def above_zero(number: type[int] | type[float]) -> Callable[[str], float]:
    """A type for argparse: a number above 0."""

    def parse(text: str) -> float:
        whole = integer_in(text)
        try:
            parsed = whole if isinstance(whole, int) else float(text)
            value = number(parsed) if number is float or parsed == int(parsed) else -1
        except (ValueError, OverflowError):
            value = -1
        if not 0 < value < math.inf:
            kind = "an integer" if number is int else "a number"
            raise argparse.ArgumentTypeError(f"{brief(text)} is not accepted; it takes {kind} above 0")
        return value

    return parse


_FLAG = {"action": "store_true"}
_SHARED: dict[str, dict[str, Any]] = {
    "model": {"metavar": "MODEL|CONFIGURATION"},
    "--set": {
        "action": "append",
        "default": [],
        "metavar": "NAME=VALUE",
        "help": "set a constant of a model; VALUE is JSON",
    },
    "--path": {
        "action": "append",
        "default": [],
        "metavar": "FOLDER",
        "help": "where to search, after its own folder, for what a TLA+ module names (may be repeated)",
    },
    "--property": {
        "action": "append",
        "metavar": "NAME|EXPR",
        "help": "check this one, of a TLA+ module any definition or expression (may be repeated)",
    },
    "--symmetry": {
        **_FLAG,
        "help": "keep one of the states that differ only in interchangeable names; not with liveness",
    },
    "--deadlock": {
        "action": argparse.BooleanOptionalAction,
        "help": "look for states in which nothing can happen, or do not (TLC's -deadlock)",
    },
    "--fail-fast": {**_FLAG, "help": "stop at the first violation"},
    "--max-states": {"type": above_zero(int), "metavar": "N", "help": "stop after this many states"},
    "--max-seconds": {"type": above_zero(float), "metavar": "S", "help": "stop after this time"},
    "--model": {"metavar": "FILE.py:CLASS", "help": "a run directory's model, if it is your own"},
    "--trace": _FLAG,
    "--json": {**_FLAG, "help": "print the answer as JSON"},
    "--quiet": {**_FLAG, "help": "print no answer: the exit status tells it"},
}


def add_options(parser: argparse._ActionsContainer, *names: str, **changed: Any) -> None:
    """Add options that several commands share, with arguments `changed` in each, such as the help."""
    for name in names:
        parser.add_argument(name, **_SHARED[name] | changed)


def budget_of(arguments: argparse.Namespace) -> Budget:
    """The budget of ``--max-states`` and ``--max-seconds``."""
    return Budget(arguments.max_states, arguments.max_seconds)


def add_workers(parser: argparse.ArgumentParser, who: str, default: int | None) -> None:
    """The option for the number of workers; None means all cores."""
    number = above_zero(int)

    def parse(text: str) -> float | None:
        try:
            return None if text == "auto" else number(text)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentTypeError(f"{error}, or auto") from None

    description = f"{who} (auto: all cores; by default {'auto' if default is None else default})"
    parser.add_argument("--workers", type=parse, metavar="N|auto", default=default, help=description)


def parse_value(text: str) -> Any:
    """A value from the command line: JSON, or else a plain string.

    Examples:
        >>> parse_value("3"), parse_value("true"), parse_value("atomic"), parse_value('[["a1"]]')
        (3, True, 'atomic', [['a1']])
    """
    try:
        return read_json(text, "the value")
    except InputError:
        return text


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """Constants from ``NAME=VALUE`` texts."""
    constants: dict[str, Any] = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--set {brief(text)} is not accepted; it takes NAME=VALUE")
        if name.strip() in constants:
            raise InputError(f"--set {brief(text)} is not accepted; {name.strip()} is set already")
        constants[name.strip()] = parse_value(value)
    return constants


class Target(NamedTuple):
    """A command's subject: a model with constants, or a configuration; `files` are those that define it.

    Attributes:
        seconds: The most seconds for evaluating constants.
    """

    declared: ModelClass
    constants: dict[str, Any]
    files: list[Path]
    configuration: Configuration | None = None
    seconds: float | None = None

    @property
    def properties(self) -> list[str] | None:
        return self.configuration.properties if self.configuration else None

    @property
    def symmetry(self) -> tuple[str, ...]:
        return self.configuration.symmetry if self.configuration else ()

    def asking(self, properties: Sequence[str] | None) -> tuple[ModelClass, Sequence[str] | None]:
        """The model that has these properties, and their names there; without any, those of the configuration.

        Raises:
            InputError: With the place, for what is no question in the model's language.
        """
        if properties is None:
            return self.declared, self.properties
        machine = self.make()
        asked, names = machine.asking(properties)
        return (self.declared if asked is machine else type(asked)), names

    def make(self) -> Machine:
        """The model with these constants."""
        if self.configuration:
            return self.configuration.model
        with in_time(self.seconds):
            return machine_of(self.declared(**self.constants))


def in_time(seconds: float | None) -> AbstractContextManager[None]:
    """Within the block, limit the time for evaluating the constants of a model."""
    return Limits(Budget(seconds=seconds)).in_force()


def asked_of(
    target: str, assignments: Sequence[str] = (), folders: Sequence[str] = (), seconds: float | None = None
) -> Target:
    """The model called `target`, with constants from ``NAME=VALUE`` texts, or the configuration of that name.

    Args:
        folders: Those of ``--path``.
        seconds: How long its constants are evaluated, at most.
    """
    target = completed(target, folders=folders)
    if names_model(target):
        with in_time(seconds):
            declared = get_model(target)
        return Target(declared, parse_assignments(assignments), file_of(target), seconds=seconds)
    if assignments:
        raise InputError("--set is not accepted with a configuration; it goes with a model")
    configuration = configurations.configuration(target)
    return Target(type(configuration.model.author), configuration.constants, configuration.files, configuration)
