"""Stores of a folder's files: a disk of this machine, or remote.

Writers rely on :meth:`FileStore.put_new`: of all that put a file of one name, one succeeds. docs/operating.md says how
each store provides it.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from workbench.storage.atomic_files import make_folder, naming, partial_name, sync_folder, writing_bytes
from workbench.storage.lock import writer_lock
from workbench.storage.sums import FileSum, sum_of


class Damaged(Exception):
    """A file is damaged; the text says how."""


#: Returns a context manager that adds the file's name to errors.
Failing = Callable[[], AbstractContextManager[None]]


class FileStore(Protocol):
    """The files of a folder, by their names in it. Failures raise :class:`OSError` with one line."""

    @property
    def place(self) -> str | Path:
        """The folder's place for other processes."""

    def names(self, below: str = "") -> list[str]:
        """The names of all files, or of those below a folder, which need not exist."""

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    def read(self, names: Sequence[str]) -> list[bytes]:
        """The contents of small files."""

    def file(self, name: str, summed: FileSum, failing: Failing) -> Any:
        """A file for pyarrow. Every byte is compared with its checksum before it is used.

        Args:
            failing: Turns :class:`Damaged` and :class:`OSError` into the reader's errors.
        """

    def check(self, name: str, summed: FileSum) -> None:
        """Raise :class:`Damaged` unless all bytes of a file match its checksum."""

    def writing(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A new file, durable and whole at the end; an exception leaves no file, under any name."""

    def put_new(self, name: str, content: bytes) -> bool:
        """Put a file, durably and whole, if the name is free. Of all callers that try, one gets True."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def one_writer(self, kind: str) -> AbstractContextManager[None]:
        """Lock out other writers, if the store has locks; errors call the folder `kind`."""


#: The errors of file systems without hard links.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)


class LocalStore:
    """A folder on a file system of this machine, possibly shared by several machines."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._believed: dict[str, FileSum] = {}

    def names(self, below: str = "") -> list[str]:
        """The names of files; links are not followed, and count as files."""

        def fail(error: OSError) -> None:
            raise error

        top, names = self.place / below, []
        for folder, folders, files in os.walk(top, onerror=fail) if top.is_dir() else ():
            inside = Path(folder).relative_to(self.place)
            links = [name for name in folders if (Path(folder) / name).is_symlink()]
            names += [(inside / name).as_posix() for name in [*files, *links]]
        if not below and self.place.exists() and not self.place.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is a file")
        return sorted(names)

    def exists(self, name: str) -> bool:
        return (self.place / name).exists()

    def read(self, names: Sequence[str]) -> list[bytes]:
        return [(self.place / name).read_bytes() for name in names]

    def file(self, name: str, summed: FileSum, failing: Failing) -> Path:
        with failing():
            self.check(name, summed)
        return self.place / name

    def check(self, name: str, summed: FileSum) -> None:
        if self._believed.get(name) == summed:
            return
        path = self.place / name
        if path.resolve() != self.place.resolve() / name:
            raise Damaged("is a link")
        try:
            with path.open("rb", buffering=0) as file:
                actual = sum_of(file)
        except FileNotFoundError:
            raise Damaged("is missing") from None
        if actual != summed:
            raise Damaged("is not what was written")
        self._believed[name] = summed

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        path = self.place / name
        make_folder(path.parent)
        with writing_bytes(path) as out:
            yield out

    def put_new(self, name: str, content: bytes) -> bool:
        path = self.place / name
        with naming(path):
            return self._put_new(path, content)

    def _put_new(self, path: Path, content: bytes) -> bool:
        make_folder(path.parent)
        temporary = path.with_name(partial_name(path.name))
        try:
            with open(temporary, "xb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            try:
                os.link(temporary, path)
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                if path.exists():  # no race: this writer has the lock
                    return False
                os.replace(temporary, path)
            sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def remove(self, name: str) -> None:
        (self.place / name).unlink(missing_ok=True)

    def one_writer(self, kind: str) -> AbstractContextManager[None]:
        return writer_lock(self.place, kind)
