"""Read and write the files that the command line names, with one-line errors."""

import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from workbench.commands.output import standard
from workbench.kernel import InputError
from workbench.kernel.meaning.text import printable
from workbench.registry import file_in
from workbench.storage import atomic_files
from workbench.storage.atomic_files import STDOUT


def read_text(path: str, kind: str) -> str:
    """A file's text; the error names the `kind` of file that it should be."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = "not UTF-8 text" if isinstance(error, UnicodeError) else getattr(error, "strerror", error)
        raise InputError(f"{kind} {path!r} cannot be read: {reason}") from None


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Prefix errors about a file's contents with its name."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{printable(path)}: {error}") from None


def file_of(name: str) -> list[Path]:
    """The file in ``path/to/file.py:NAME``; none for any other name."""
    place = file_in(name)
    return [] if place is None else [place[0]]


def check_paths(inputs: Iterable[str | Path], outputs: Mapping[str, str | Path]) -> None:
    """Run :func:`workbench.storage.atomic_files.check_outputs`, and protect imported Python modules like the inputs."""
    atomic_files.check_outputs([*inputs, *_imported(outputs.values())], outputs)


def _imported(paths: Iterable[str | Path]) -> list[str]:
    """The files among `paths` that are imported modules, as Python names them."""
    there = {_identity(path) for path in paths if os.path.exists(path)}
    files = [getattr(module, "__file__", None) for module in list(sys.modules.values())] if there else []
    return [file for file in files if file and os.path.exists(file) and _identity(file) in there]


def _identity(path: str | Path) -> tuple[int, int]:
    """An identity that all names of a file share."""
    stat = os.stat(path)
    return stat.st_dev, stat.st_ino


def make_output_folder(folder: Path) -> None:
    """Make a folder with its parents, unless it exists.

    Raises:
        InputError: If that fails.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder {str(folder)!r} cannot be made: {error.strerror}") from None


@contextmanager
def writing_text(path: str) -> Iterator[TextIO]:
    """A text file to write, replaced atomically at the end; ``-`` is standard output."""
    if path != STDOUT:
        with atomic_files.writing(path) as out:
            yield out
        return
    output = standard.output()
    if isinstance(output, io.TextIOWrapper):
        output.reconfigure(encoding="utf-8")  # as for a file, whatever the terminal's encoding
    with standard.taken():
        yield output
        output.flush()
