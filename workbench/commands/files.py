"""Files that the command line names: read and written, or one line that says why not."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from workbench import configurations
from workbench.commands import standard
from workbench.kernel import InputError
from workbench.kernel.text import printable
from workbench.models import MODELS
from workbench.storage import whole
from workbench.storage.whole import STDOUT


def read_text(path: str, what: str) -> str:
    """The text of a file; `what` it is supposed to be stands in the error."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeError) else getattr(error, "strerror", error)
        raise InputError(f"{what} {path!r} cannot be read: {reason}") from None


@contextmanager
def reading(path: str) -> Iterator[None]:
    """What is wrong with the contents of a file is said with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{printable(path)}: {error}") from None


def file_of_model(name: str) -> list[str]:
    """The file that a model is read from, if it is given as ``path/to/file.py:Class``."""
    path = name if name.endswith(".py") else name.rpartition(":")[0]
    return [path] if path.endswith(".py") else []


def names_model(target: str) -> bool:
    """Whether `target` is a model, by name or in a file, and no configuration."""
    return target in MODELS or bool(file_of_model(target))


def files_of(target: str) -> list[str]:
    """The file that a model or a configuration is read from, if it is none of the models that come with us."""
    return file_of_model(target) if names_model(target) else [str(configurations.resolve(target))]


@contextmanager
def writing(path: str) -> Iterator[TextIO]:
    """A file to write text to, which is replaced when all is written; ``-`` is standard output."""
    if path != STDOUT:
        with whole.writing(path) as out:
            yield out
        return
    output = standard.output()
    if isinstance(output, io.TextIOWrapper):
        output.reconfigure(encoding="utf-8")  # as in a file, whatever the terminal has
    yield output
