"""Files that the command line names: read and written, or one line that says why not."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from workbench.commands import standard
from workbench.kernel import InputError

STDOUT = "-"


def read_text(path: str, what: str) -> str:
    """The text of a file; `what` it is supposed to be stands in the error."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{what} {path!r} cannot be read: {reason}") from None


@contextmanager
def reading(path: str) -> Iterator[None]:
    """What is wrong with the contents of a file is said with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: it is nested too deeply to be read") from None


def check_writable(path: str) -> None:
    """Raise :class:`InputError` if it is clear beforehand that a file cannot be written: a search may take long."""
    if path == STDOUT:
        return
    target = Path(path)
    if target.is_dir():
        raise _unwritable(path, "it is a folder")
    if not target.parent.is_dir():
        raise _unwritable(path, f"there is no folder {str(target.parent)!r}")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise _unwritable(path, "permission denied")


def _unwritable(path: str, why: str | None) -> InputError:
    return InputError(f"{path!r} cannot be written: {why}")


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A file to write text to; ``-`` is standard output."""
    if path == STDOUT:
        output = standard.output()
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(encoding="utf-8")  # as in a file, whatever the terminal has
        yield output
        return
    try:
        with open(path, "w", encoding="utf-8", errors="replace", newline="\n") as out:
            yield out
    except OSError as error:
        raise _unwritable(path, error.strerror) from None
