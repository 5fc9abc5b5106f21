"""One writer at a time."""

import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from workbench.kernel import InputError
from workbench.kernel.meaning.text import printable
from workbench.storage.atomic_files import make_folder
from workbench.storage.schema import from_json

LOCK = ".writer.lock"
_OWNER = ".writer.json"  # not in the lock file itself, which an attempt to lock may empty
#: The files of a lock in a folder. The lock's own stays there: removing it would let two writers in.
LOCK_FILES = frozenset({LOCK, _OWNER})


@dataclass(frozen=True)
class Writer:
    """A writing process; `word` distinguishes it from all other writers."""

    process: int
    host: str
    since: str
    word: str

    @classmethod
    def this(cls) -> "Writer":
        """This process, from now on."""
        since = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        return cls(os.getpid(), socket.gethostname(), since, secrets.token_hex(8))

    def __str__(self) -> str:
        return printable(f"process {self.process} on {self.host}, since {self.since},")[:200]


@contextmanager
def writer_lock(folder: str | Path, kind: str) -> Iterator[None]:
    """Be the only writer to `folder`, of all processes and threads; the folder is made if it does not exist.

    Readers need no lock. The lock ends with its process, however that ends.

    Args:
        kind: The folder's kind in errors, such as "run directory".

    Raises:
        InputError: If another writer, which the error names, has the lock; or if the folder cannot be written.
    """
    from filelock import FileLock, Timeout  # only here: readers need the standard library alone

    path = Path(folder)
    lock = FileLock(path / LOCK, thread_local=False)
    try:
        make_folder(path.resolve())  # resolve links to missing folders
        lock.acquire(blocking=False)
    except Timeout:
        raise InputError(f"{kind} {str(folder)!r} is in use: {_owner(path)} writes to it") from None
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle; ValueError: a NUL
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError(f"{kind} {str(folder)!r} cannot be written: {reason}") from None
    try:
        _say_who(path)
        yield
    finally:
        try:
            with suppress(OSError):
                (path / _OWNER).unlink()
        finally:  # also when that is interrupted
            lock.release()


def _say_who(folder: Path) -> None:
    try:
        (folder / _OWNER).write_text(json.dumps(asdict(Writer.this())))
    except OSError as error:
        raise InputError(f"{str(folder)!r} cannot be written: {error.strerror}") from None


def _owner(folder: Path) -> str:
    for _ in range(10):
        try:
            return str(from_json(Writer, json.loads((folder / _OWNER).read_text()), _OWNER))
        except (OSError, ValueError, RecursionError, InputError):
            time.sleep(0.02)  # the owner has the lock, and is about to write its name
    return "another process"
