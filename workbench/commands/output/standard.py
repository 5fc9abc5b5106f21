"""Reserve standard output for commands: whatever a model prints goes to standard error."""

import codecs
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TextIO

from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.result import MARKS
from workbench.kernel.meaning.text import printable

#: The replacement for a sign that a terminal's encoding lacks; "?" would be the mark of unknown answers.
_PLAIN = str.maketrans(
    {MARKS[True]: "+", MARKS[False]: "x", "\N{RIGHTWARDS ARROW}": "->", "\N{HORIZONTAL ELLIPSIS}": "..."}
)
_FALLBACK = "workbench.plain"
_OUTPUT: ContextVar[TextIO | None] = ContextVar("output", default=None)
_INTERRUPTED = b'{"complete": false, "stopped": "interrupted"}\n'
#: Whether an answer as JSON has still to be printed.
_owing = False


def owe_json(owing: bool) -> None:
    """Set whether standard output owes an answer as JSON in any case, until :func:`say_json` prints one."""
    global _owing
    _owing = owing


def say_json(text: str) -> None:
    """Print an answer as JSON."""
    owe_json(False)
    say(text)


def answer_error(reason: str) -> None:
    """Print an error as the JSON answer of a command that has no other."""
    if _owing:
        say_json(json.dumps({"error": reason}))


def answer_interrupted() -> None:
    """Write the answer as JSON of a command that ends before it has one."""
    if _owing:
        os.write(1, _INTERRUPTED)


def output() -> TextIO:
    """The stream for results."""
    return _fitting(_OUTPUT.get() or sys.stdout)


def _fitting(stream: TextIO) -> TextIO:
    """The stream, made to spell out signs that its encoding lacks."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_FALLBACK)
    return stream


def _in_other_words(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    plain = error.object[error.start : error.end].translate(_PLAIN)
    return plain.encode(error.encoding, "backslashreplace").decode(error.encoding), error.end


codecs.register_error(_FALLBACK, _in_other_words)


@contextmanager
def taken() -> Iterator[None]:
    """Turn an OSError within the block, such as that of a full disk, into an error that names standard output.

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
    print(printable(text), file=_fitting(sys.stderr))


def complain(error: object, who: str = "workbench") -> None:
    """Print an error on standard error, in one line, and the behaviour that leads to it if a state causes it.

    It is the answer as JSON, too, if one is still owed.
    """
    text = " ".join(str(error).split())
    remark(f"{who}: {text}")
    answer_error(text)
    if isinstance(error, ModelError) and error.trace is not None:
        print(f"\n{error.trace}", file=sys.stderr)


@contextmanager
def writing_to(stream: TextIO) -> Iterator[None]:
    """Within the block, let commands write to `stream`, and all other code to standard error."""
    before = _OUTPUT.set(stream)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _OUTPUT.reset(before)
