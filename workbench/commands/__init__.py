"""The commands of the command line, one module each: NAME, ``add_arguments(parser)`` and ``run(arguments)``."""

import importlib
from types import ModuleType

_COMMANDS = (
    *("check", "simulate", "list", "show", "replay", "decode", "scenario", "graph"),
    *("report", "audit", "drive", "sweep", "save", "resume", "notebooks", "new", "bench", "warm"),
)


def load() -> list[ModuleType]:
    """The modules of all commands, in the order in which help shows them."""
    return [importlib.import_module(f"workbench.commands.{name}") for name in _COMMANDS]
