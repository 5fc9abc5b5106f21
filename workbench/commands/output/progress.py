"""A command's progress on standard error: a line that changes on a terminal, else a plain line every few seconds."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from workbench.checking.kernels.compiling import telling
from workbench.checking.outlook import outlook
from workbench.commands.output.standard import remark
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
    """A search's progress in one line, and an estimate of the rest, if there is one, in another."""
    per_second = at.states / at.seconds if at.seconds else 0
    rate = f"{per_second:,.0f} states/s, " if per_second >= 1 else ""  # nothing is known of it yet
    line = f"level {at.level}: {counted(at.states, 'state')}, {at.frontier:,} to expand, {rate}{at.seconds:.0f} s"
    return "\n  ".join(filter(None, (line, outlook(at))))


def findings(at: Progress) -> list[str]:
    """Lines on the properties that a check has decided, for those who need not wait for its end."""
    return [f"{decided}; the search goes on (Ctrl-C ends it)" for decided in at.decided]


class _Shown:
    """A text made only when the terminal shows it, which is less often than a search reports."""

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text

    def __rich__(self) -> Any:
        from rich.text import Text

        return Text(self._text())


class _Lines:
    """Plain lines on a search, see :func:`progress_line`; each finding comes once, with the next progress."""

    def __init__(self, prefix: str, text: Callable[[Any], str], findings: Callable[[Any], Sequence[str]]) -> None:
        self._prefix, self._text, self._findings = prefix, text, findings
        self._lines, self._printed = SparseLines(), set[str]()

    def __call__(self, at: Any) -> None:
        self._lines(lambda: "\n".join(self._prefix + text for text in (self._text(at), *self._new(at))))

    def _new(self, at: Any) -> list[str]:
        new = [line for line in self._findings(at) if line not in self._printed]
        self._printed.update(new)
        return new


@contextmanager
def progress_line(
    prefix: str = "",
    text: Callable[[Any], str] = progress_text,
    findings: Callable[[Any], Sequence[str]] = lambda at: (),
) -> Iterator[Callable[[Any], None]]:
    """Show a search's progress, rendered by `text`, with a line for each of its `findings`.

    A terminal shows both until the search ends. Elsewhere, `prefix`, which says what is searched, precedes each line. A
    search that ends before its first progress line shows no findings either, since its result repeats them.
    """
    if not (sys.stderr.isatty() and is_installed("rich")):
        yield _Lines(prefix, text, findings)
        return
    from rich.console import Console
    from rich.status import Status

    with Status("", console=Console(stderr=True)) as status, telling(status.console.print):
        yield lambda at: status.update(_Shown(lambda: "\n  ".join((text(at), *findings(at)))))
