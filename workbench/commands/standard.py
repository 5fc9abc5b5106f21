"""Standard output belongs to the commands: whatever a model prints meanwhile goes to standard error."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

from workbench.kernel.text import printable

_OUTPUT: ContextVar[TextIO | None] = ContextVar("output", default=None)


def output() -> TextIO:
    """What the commands write their results to."""
    stream = _OUTPUT.get() or sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a check mark is not worth an error where there are none
    return stream


def say(text: str) -> None:
    """Print a line of a command's result."""
    print(text, file=output(), flush=True)


def remark(text: str) -> None:
    """Print a line that is no part of the result, on standard error."""
    print(printable(text), file=sys.stderr)


@contextmanager
def writing_to(stream: TextIO) -> Iterator[None]:
    """Within, the commands write to `stream`, and everybody else to standard error."""
    before = _OUTPUT.set(stream)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _OUTPUT.reset(before)
