"""Reserve standard output for commands: whatever a model prints goes to standard error."""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

from workbench.kernel.text import printable

_OUTPUT: ContextVar[TextIO | None] = ContextVar("output", default=None)
_INTERRUPTED = b'{"complete": false, "stopped": "interrupted"}\n'
#: Whether an answer as JSON has still to be printed.
_owing = False


def owe_json(owing: bool) -> None:
    """Whether standard output is to have an answer as JSON in any case, until :func:`say_json` prints one."""
    global _owing
    _owing = owing


def say_json(text: str) -> None:
    """Print an answer as JSON."""
    owe_json(False)
    say(text)


def answer_error(why: str) -> None:
    """Print the answer as JSON of a command that has none but an error."""
    if _owing:
        say_json(json.dumps({"error": why}))


def answer_interrupted() -> None:
    """Write the answer as JSON of a command that ends before it has one."""
    if _owing:
        os.write(1, _INTERRUPTED)


def output() -> TextIO:
    """The stream for results."""
    stream = _OUTPUT.get() or sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a check mark that the encoding lacks is not worth an error
    return stream


def say(text: str) -> None:
    """Print a line of a command's result."""
    print(text, file=output(), flush=True)


def remark(text: str) -> None:
    """Print a line on standard error, apart from the result."""
    print(printable(text), file=sys.stderr)


@contextmanager
def writing_to(stream: TextIO) -> Iterator[None]:
    """Inside, commands write to `stream`, and all other code to standard error."""
    before = _OUTPUT.set(stream)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _OUTPUT.reset(before)
