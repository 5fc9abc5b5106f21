"""Files that are written whole or not at all, and checks that outputs destroy nothing."""

import errno
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from workbench.kernel import InputError
from workbench.storage.places import local

#: Standard output on the command line.
STDOUT = "-"


@contextmanager
def writing(path: str | Path) -> Iterator[TextIO]:
    """A text file that replaces `path` once it is complete; an exception leaves `path` as it was.

    The content is on the disk before the file is renamed. A link stays a link, and a file keeps its permissions. Text
    is UTF-8 with Unix line ends.

    Raises:
        InputError: If it cannot be written.
    """
    with _replacing(path, {"mode": "w", "encoding": "utf-8", "errors": "replace", "newline": "\n"}) as out:
        yield out


@contextmanager
def writing_bytes(path: str | Path) -> Iterator[BinaryIO]:
    """The same as :func:`writing`, for bytes."""
    with _replacing(path, {"mode": "wb"}) as out:
        yield out


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Put `path` into an OSError that names no file, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(path)
        raise


@contextmanager
def _replacing(path: str | Path, options: dict[str, Any]) -> Iterator[Any]:
    temporary = None
    try:
        if _is_device(Path(path)):
            with open(os.open(path, os.O_WRONLY), **options) as out:
                yield out
            return
        target = _resolved(path)
        reason = _why_not(target)
        if reason:
            raise InputError(f"{str(path)!r} cannot be written: {reason}")
        temporary = target.with_name(partial_name(target.name))
        with open(temporary, **{**options, "mode": options["mode"].replace("w", "x")}) as out:
            if target.exists():
                os.fchmod(out.fileno(), target.stat().st_mode & 0o7777)
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        if error.filename not in (None, str(path), str(temporary)):
            raise  # it may be about another file, read by the caller
        raise InputError(f"{str(path)!r} cannot be written: {error.strerror or error}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def partial_name(name: str) -> str:
    """The name of a file while it is written, which reveals its final name if the writer is killed."""
    return f".{os.fsdecode(os.fsencode(name)[:200])}.{secrets.token_hex(8)}.partial"


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems need no sync
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make `folder` and its parents, durably."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def check_outputs(inputs: Iterable[str | Path], outputs: Mapping[str, str | Path]) -> None:
    """Refuse outputs that would destroy an input or each other, or that clearly cannot be written.

    Args:
        inputs: The files and folders to be read; remote ones are out of reach.
        outputs: For each option the file that it writes; ``-`` is standard output.

    Raises:
        InputError: For one file under two spellings, and for a file that cannot be written.
    """
    read = [place for place in map(local, inputs) if place is not None and str(place) != STDOUT]
    owners: list[tuple[str, str | Path]] = []
    for option, path in outputs.items():
        other = next((other for other, taken in owners if _is_one_file(taken, path)), None)
        if other is not None:
            where = "standard output" if str(path) == STDOUT else repr(str(path))
            raise InputError(f"{other} and {option} both write to {where}; give one of them another file")
        owners.append((option, path))
        if str(path) == STDOUT or _is_device(Path(path)):
            continue
        for source in read:
            if _is_one_file(source, path) or (source.is_dir() and _resolved(source) in _resolved(path).parents):
                raise InputError(f"{option}: {str(path)!r} would destroy the input {str(source)!r}; give another file")
        reason = _why_not(_resolved(path))
        if reason:
            raise InputError(f"{option}: {str(path)!r} cannot be written: {reason}")


def _resolved(path: str | Path) -> Path:
    try:
        resolved = Path(path).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, until Python 3.13; a NUL
        raise InputError(f"{str(path)!r} cannot be written: {str(error).splitlines()[0]}") from None
    if resolved.is_symlink():
        raise InputError(f"{str(path)!r} cannot be written: its links lead in a circle")
    return resolved


def _is_one_file(one: str | Path, other: str | Path) -> bool:
    if STDOUT in (str(one), str(other)):
        return str(one) == str(other)
    if _is_device(Path(one)) or _is_device(Path(other)):
        return False
    if _resolved(one) == _resolved(other):
        return True
    try:
        return os.path.samefile(one, other)  # hard links, and case-insensitive file systems
    except OSError:
        return False


def _is_device(path: Path) -> bool:
    """Whether a path can be written to but not replaced, like a pipe."""
    absolute = os.path.abspath(path)
    return absolute.startswith(("/dev/", "/proc/")) or (path.exists() and not path.is_file() and not path.is_dir())


def _why_not(target: Path) -> str | None:
    """The reason why a file cannot be written; None if none is evident beforehand."""
    if target.is_dir():
        return "it is a folder"
    if not target.parent.is_dir():
        return f"there is no folder {str(target.parent)!r}"
    if not (os.access(target.parent, os.W_OK | os.X_OK) and (not target.exists() or os.access(target, os.W_OK))):
        return "permission denied"
    return None
