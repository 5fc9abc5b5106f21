"""The console for answers, which are lines: in plain text if rich is not installed."""

from typing import Protocol

from workbench.commands.output import standard
from workbench.kernel.meaning.text import printable_lines
from workbench.registry.programs import is_installed


class Lines(Protocol):
    """Prints lines, each a head in a style and the rest, if it has styles."""

    @property
    def is_terminal(self) -> bool: ...

    @property
    def width(self) -> int: ...

    def say(self, head: str = "", style: str = "", rest: str = "") -> None: ...


class _Plain:
    is_terminal, width = False, 0

    def say(self, head: str = "", style: str = "", rest: str = "") -> None:
        standard.say(printable_lines(head + rest))


def console() -> Lines:
    """The console of this process."""
    if not is_installed("rich"):
        return _Plain()
    from workbench.commands.output.rich_console import RichConsole

    return RichConsole()
