"""Where the files of a folder are: on a disk of this machine, or elsewhere; and the one thing that a writer relies on.

That is :meth:`Store.put_new`: of all that put a file of one name, one succeeds. What each store has for it is said in
docs/cluster.md.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from workbench.storage.lock import writer_lock
from workbench.storage.sums import FileSum, sum_of
from workbench.storage.whole import make_folder, partial_name, sync_folder, writing_bytes


class Damaged(Exception):
    """A file is not what was written; the text says in which way."""


#: Makes a context in which a failure is named.
Failing = Callable[[], AbstractContextManager[None]]


class Store(Protocol):
    """The files of a folder, by their names in it. What fails raises :class:`OSError`, with one line."""

    @property
    def place(self) -> str | Path:
        """Where the folder is, as another process opens it."""

    def names(self, below: str = "") -> list[str]:
        """The names of all files, or of those below a folder; none if there is no such folder."""

    def exists(self, name: str) -> bool:
        """Whether there is such a file."""

    def read(self, names: Sequence[str]) -> list[bytes]:
        """Whole files, which are small."""

    def file(self, name: str, summed: FileSum, failing: Failing) -> Any:
        """A file as pyarrow reads one. No byte of it is believed before it has been compared with its checksum.

        Args:
            failing: Makes what turns :class:`Damaged` and :class:`OSError` into what a reader is to get.
        """

    def check(self, name: str, summed: FileSum) -> None:
        """Raise :class:`Damaged` if any byte of a file is not what was written."""

    def writing(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A new file, durable and whole at the end; there is none after an exception, nor under any other name."""

    def put_new(self, name: str, content: bytes) -> bool:
        """Put a file, durably and whole, if there is none of that name. Of all that try, one gets True."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""

    def one_writer(self, what: str) -> AbstractContextManager[None]:
        """Keep other writers out of the folder, which is called `what` in errors, where the store has locks."""


#: What a file system says that has no second names for files.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS)


class LocalStore:
    """A folder on a file system of this machine; also one that several machines share."""

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
                found = sum_of(file)
        except FileNotFoundError:
            raise Damaged("is missing") from None
        if found != summed:
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
                if path.exists():  # nobody puts one now: whoever wants to waits for the lock, which this writer has
                    return False
                os.replace(temporary, path)
            sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)
        return True

    def remove(self, name: str) -> None:
        (self.place / name).unlink(missing_ok=True)

    def one_writer(self, what: str) -> AbstractContextManager[None]:
        return writer_lock(self.place, what)
