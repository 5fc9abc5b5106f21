"""A command's progress on standard error: a line that changes on a terminal, else a plain line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from workbench.checking.kernels.compiling import telling
from workbench.checking.outlook import outlook
from workbench.commands.standard import remark
from workbench.kernel.meaning.budget import Progress
from workbench.kernel.meaning.values import counted
from workbench.registry.programs import is_installed

SECONDS_PER_LINE = 5.0


class SparseLines:
    """Prints at most one text per :data:`SECONDS_PER_LINE`, and none in the first seconds.

    Args:
        clock: Returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._last = clock, clock()

    def __call__(self, text: str | Callable[[], str]) -> None:
        now = self._clock()
        if now - self._last >= SECONDS_PER_LINE:
            self._last = now
            for line in (text if isinstance(text, str) else text()).splitlines():
                remark(line)


def progress_text(at: Progress) -> str:
    """A search's progress in one line; what is to come, if that can be estimated, in another."""
    per_second = at.states / at.seconds if at.seconds else 0
    rate = f"{per_second:,.0f} states/s, " if per_second >= 1 else ""  # nothing is known of it yet
    told = f"level {at.level}: {counted(at.states, 'state')}, {at.frontier:,} to expand, {rate}{at.seconds:.0f} s"
    return "\n  ".join(filter(None, (told, outlook(at))))


class _Shown:
    """A text made only when the terminal shows it, which is less often than a search reports."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(self._text())


@contextmanager
def progress_line(what: str = "", told: Callable[[Any], str] = progress_text) -> Iterator[Callable[[Any], None]]:
    """Show a search's progress as `told` puts it; without a terminal, `what` is searched precedes it."""
    if not (sys.stderr.isatty() and is_installed("rich")):
        lines = SparseLines()
        yield lambda at: lines(lambda: what + told(at))
        return
    from rich.console import Console
    from rich.status import Status

    with Status("", console=Console(stderr=True)) as status, telling(status.console.print):
        yield lambda at: status.update(_Shown(lambda: told(at)))
