"""Reserve standard output for commands: whatever a model prints goes to standard error."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

from workbench.kernel import InputError
from workbench.kernel.text import printable

_OUTPUT: ContextVar[TextIO | None] = ContextVar("output", default=None)
_INTERRUPTED = b'{"complete": false, "stopped": "interrupted"}\n'
#: The number of the stream to which an answer as JSON has still to be written.
_owing: int | None = None


def owe_json(stream: int) -> None:
    """Have :func:`answer_interrupted` write to the stream of this number until :func:`say_json` does."""
    global _owing
    _owing = stream


def say_json(text: str) -> None:
    """Print an answer as JSON."""
    global _owing
    _owing = None
    say(text)


def answer_interrupted() -> None:
    """Write the answer as JSON of a command that ends before it has one."""
    if _owing is not None:
        os.write(_owing, _INTERRUPTED)


def output() -> TextIO:
    """The stream for results."""
    stream = _OUTPUT.get() or sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")  # a check mark that the encoding lacks is not worth an error
    return stream


@contextmanager
def taken() -> Iterator[None]:
    """Gives an OSError inside, such as one of a full disk, the name of standard output, which has none.

    Raises:
        InputError: In its place, unless only the reader of the output has gone.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output cannot be written: {error.strerror}") from None


def say(text: str) -> None:
    """Print a line of a command's result."""
    with taken():
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
