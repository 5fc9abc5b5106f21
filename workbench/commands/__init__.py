"""The commands, a module each with ``add_arguments(parser)`` and ``run(arguments)``."""

import importlib
from pathlib import Path
from types import ModuleType

#: In the order of the help.
NAMES = (
    "check",
    "walk",
    "sweep",
    "validate",
    "scenario",
    "export",
    "translate",
    "audit",
    "drive",
    "list",
    "new",
    "notebooks",
    "grade",
)


def command(name: str) -> ModuleType:
    """The module of the command called `name`."""
    return importlib.import_module(f"workbench.commands.{name}")


def first_line(name: str) -> str:
    """A command's summary: the first line of its module, which is read without importing it.

    Examples:
        >>> first_line("list")
        'List the models; or tell of one, of a configuration, or of the configurations in a folder of specs.'
    """
    with Path(__file__).with_name(f"{name}.py").open(encoding="utf-8") as file:
        return file.readline().strip().removeprefix("r").strip('"')
