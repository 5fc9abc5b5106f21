"""A folder of files that a manifest names: it is what the manifest says, at every moment and after every crash.

::

    manifest/00000000.json   the versions of the manifest: see `versions`
    states/part-0.MARK-….parquet
    .writer.lock             on a disk of this machine: see `lock`

All files that a writer makes bear the folder's mark, a random word which the manifest announces before there is any
file, and a part that is never used twice. What the folder holds is changed by one step, a new version of the manifest,
once all files that it names are there to stay. So a file with the mark that is not named is left over from a writer
that was killed or overtaken, or was replaced: the next writer removes it. A file without the mark is somebody else's:
no writer touches it.

A writer first puts a version that says that it writes from now on. Whoever wrote before cannot put another one after
that, so that what it has written and not committed will never be named, and may be removed: what is there *before* that
version is put. What comes later may be of the next writer, which can have begun meanwhile where there are no locks.
"""

import io
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.errors import brief
from workbench.storage.lock import LOCK_FILES, Writer
from workbench.storage.places import Place, is_url, one_line
from workbench.storage.store import Damaged, LocalStore, Store
from workbench.storage.sums import FileSum, Summed
from workbench.storage.versions import MANIFEST, Change, Kind, Versions, is_version

_VERSION_LEFT_OVER = re.compile(rf"{MANIFEST}/\.\d{{8}}\.json\.[0-9a-f]{{16}}\.partial")


def open_store(place: Place) -> Store:
    """The store of a folder, which need not be there.

    Raises:
        InputError: If it is none that a folder can be written to.
    """
    if is_url(place):
        from workbench.storage.remote import RemoteStore  # only for these does fsspec load

        return RemoteStore(place)
    return LocalStore(Path(place))


class Folder:
    """A folder as its manifest says. Made by :meth:`open`, :meth:`reached`, or :func:`new_folder` and its like.

    Attributes:
        path: Where it is, as another process opens it.
        mark: Tells this folder from others that had the same path before.
        content: JSON, as :meth:`commit` was given it; None if no writer got so far.
        parts: JSON, as :meth:`add` was given it since then.
        files: By names relative to `path`.
    """

    def __init__(self, store: Store, kind: Kind, versions: Versions, mark: str) -> None:
        self.kind, self.mark = kind, mark
        self.content: Any = None
        self.parts: list[Any] = []
        self.files: dict[str, FileSum] = {}
        self._store, self._versions = store, versions
        self._writer: Writer | None = None

    @property
    def path(self) -> str | Path:
        return self._store.place

    @classmethod
    def open(cls, path: Place, kind: Kind) -> "Folder":
        """Read the manifest; nothing is written, and no lock is needed.

        Raises:
            InputError: If the folder is not of that kind, or its manifest is damaged.
        """
        folder = _there(open_store(path), kind)
        if folder is None:
            raise InputError(f"{str(path)!r} is not a {kind.name}: it has no manifest")
        return folder

    @classmethod
    def reached(cls, path: Place, kind: Kind, mark: str) -> "Folder":
        """The folder that another process has open, which tells of its files; of the manifest it says nothing.

        Raises:
            InputError: If it is another one here.
        """
        store = open_store(path)
        versions = Versions(store, kind, _called(kind, store))
        folder = cls(store, kind, versions, mark)
        if versions.first().mark != mark:
            raise InputError(f"{folder} is a different folder here than on the driver; give one that all workers see")
        return folder

    # Reading -----------------------------------------------------------------------------------------------------

    def file(self, name: str) -> Any:
        """A file as pyarrow reads one: the path of a local one, once its bytes are known to be those that were written.

        One that is elsewhere is compared as it is read, block by block.

        Raises:
            InputError: If the manifest does not name it, or it is missing or damaged; elsewhere also while it is read.
        """
        return self._store.file(name, self._sum(name), lambda: self._naming(name))

    def read(self, name: str) -> bytes:
        """All bytes of a file; raises as :meth:`file`."""
        file = self.file(name)
        return bytes(file.read_bytes() if isinstance(file, Path) else file.read())

    def check(self, name: str) -> None:
        """Compare all bytes of a file; raises as :meth:`file`."""
        with self._naming(name):
            self._store.check(name, self._sum(name))

    def _sum(self, name: str) -> FileSum:
        if name not in self.files:
            raise InputError(f"{self} has no {brief(name)}")
        return self.files[name]

    @contextmanager
    def _naming(self, name: str) -> Iterator[None]:
        try:
            yield
        except Damaged as how:
            raise InputError(f"{self} is damaged: {name} {how}") from None
        except OSError as error:
            raise InputError(f"{self}: {name} cannot be read: {one_line(error)}") from None

    # Writing -----------------------------------------------------------------------------------------------------

    def write(self, name: str, write: Callable[[io.RawIOBase], object]) -> tuple[str, FileSum]:
        """Write a new file, durably. It belongs to the folder once it is committed; any process may write one.

        Args:
            name: Such as ``states/part-0.parquet``; the file gets the folder's mark into its name.
            write: Is given the open file, which takes bytes from its beginning to its end.

        Returns:
            What it is called in the folder, and its sum: what :meth:`commit` takes.

        Raises:
            InputError: If it cannot be written, as on a full disk.
        """
        inside = PurePosixPath(name)
        unique = str(inside.with_name(f"{inside.stem}.{self.mark}-{secrets.token_hex(8)}{inside.suffix}"))
        try:
            with self._store.writing(unique) as out:
                summed = Summed(out)
                write(summed)
        except OSError as error:
            raise self._not_written(error) from None
        return unique, summed.sum

    def commit(self, content: Any, files: dict[str, FileSum]) -> None:
        """Make the folder hold `content` and `files`, and nothing else. Only for its writer.

        Files that it held before stay there: see :meth:`remove`.

        Raises:
            Overtaken: If another writer has begun since; the folder holds what that one says.
            InputError: If the manifest cannot be written; the folder holds what it held.
        """
        self._put(Change(True, content, files))
        self.content, self.parts, self.files = content, [], dict(files)

    def add(self, part: Any, files: dict[str, FileSum]) -> None:
        """Make the folder hold `part` and `files` too; only they are written. Otherwise as :meth:`commit`."""
        self._put(Change(False, part, files))
        self.parts.append(part)
        self.files.update(files)

    def begin(self) -> None:
        """Be the writer from now on, and remove what others have left that is not committed.

        Raises:
            Overtaken: If another one begins, or commits, at the same time.
        """
        left = [name for name in self._names() if _bears(name, self.mark) or _VERSION_LEFT_OVER.fullmatch(name)]
        self._writer = Writer.this()
        self._put(None)
        self.remove(left)

    def _put(self, change: Change | None) -> None:
        assert self._writer is not None, "only who has begun commits"
        self._versions.put(self.mark, self._writer, change)

    def remove(self, names: Iterable[str]) -> None:
        """Remove those of these files that the manifest does not name."""
        for name in names:
            if name not in self.files:
                try:
                    self._store.remove(name)
                except OSError as error:
                    raise self._not_written(error) from None

    def check_nothing_else(self) -> None:
        """Raise :class:`InputError` if there is a file that is not ours."""
        for name in self._names():
            ours = is_version(name) or _VERSION_LEFT_OVER.fullmatch(name) or _bears(name, self.mark)
            if not ours and name not in LOCK_FILES:
                raise InputError(
                    f"{str(self.path)!r} is not accepted: it holds {brief(name)}, which no {self.kind.name} has; "
                    "remove that, or give another folder"
                )

    def _names(self) -> list[str]:
        try:
            return self._store.names()
        except NotADirectoryError:
            raise InputError(f"{str(self.path)!r} is a file; a {self.kind.name} takes a folder") from None
        except OSError as error:
            raise InputError(f"{self} cannot be read: {one_line(error)}") from None

    def _not_written(self, error: OSError) -> InputError:
        return InputError(f"{self} cannot be written: {one_line(error)}")

    def __str__(self) -> str:
        return _called(self.kind, self._store)


def _called(kind: Kind, store: Store) -> str:
    return f"{kind.name} {str(store.place)!r}"


def _there(store: Store, kind: Kind) -> Folder | None:
    """The folder that a store has, if there is one."""
    versions = Versions(store, kind, _called(kind, store))
    known = versions.read()
    if not known:
        return None
    folder = Folder(store, kind, versions, known[0].mark)
    for version in known:
        if version.mark != folder.mark:
            raise InputError(f"the manifest of {folder} has the mark {brief(version.mark)} beside {folder.mark!r}")
        if (change := version.change) is None:
            continue
        for name in change.files:
            if not _is_inside(name) or not _bears(name, folder.mark):
                raise InputError(f"the manifest of {folder} names {brief(name)}, which is not a file of this folder")
        if change.anew:
            folder.content, folder.parts, folder.files = change.content, [], dict(change.files)
        else:
            folder.parts.append(change.content)
            folder.files.update(change.files)
    return folder


# Writers -------------------------------------------------------------------------------------------------------------


@contextmanager
def new_folder(path: Place, kind: Kind) -> Iterator[Folder]:
    """A new folder, or an empty one, or one in which a writer came to nothing; this process is its one writer.

    Raises:
        InputError: If there is something in it, or another one writes to it.
    """
    with _writer(path, kind, new=True) as folder:
        yield folder


@contextmanager
def replacing_folder(path: Place, kind: Kind) -> Iterator[Folder]:
    """As :func:`new_folder`, but what a folder of that kind holds may be there, until other content is committed."""
    with _writer(path, kind, new=False) as folder:
        before = list(folder.files)
        yield folder
        folder.remove(before)


def check_replaceable(path: Place, kind: Kind) -> None:
    """Raise :class:`InputError` for what :func:`replacing_folder` refuses, before there is anything to write."""
    _opened(open_store(path), kind)


@contextmanager
def changing_folder(path: Place, kind: Kind) -> Iterator[Folder]:
    """A folder that is there, to be gone on with; this process is its one writer. What is not ours in it stays."""
    Folder.open(path, kind)  # so that a folder that is refused is left without a lock of ours
    with open_store(path).one_writer(kind.name):
        folder = Folder.open(path, kind)
        folder.begin()
        yield folder


@contextmanager
def _writer(path: Place, kind: Kind, new: bool) -> Iterator[Folder]:
    store = open_store(path)
    _opened(store, kind)  # so that a folder that is refused is left without a lock of ours
    with store.one_writer(kind.name):
        folder = _opened(store, kind)
        if new and folder.content is not None:
            raise InputError(f"{folder} already exists; give a new folder")
        folder.begin()
        yield folder


def _opened(store: Store, kind: Kind) -> Folder:
    """The folder that is there, or that is to be made; an error if there is anything else."""
    folder = _there(store, kind)
    if folder is None:
        folder = Folder(store, kind, Versions(store, kind, _called(kind, store)), secrets.token_hex(8))
    folder.check_nothing_else()
    return folder


# Names ---------------------------------------------------------------------------------------------------------------


def _is_inside(name: str) -> bool:
    inside = PurePosixPath(name)
    return name == str(inside) and name.isprintable() and not inside.is_absolute() and ".." not in inside.parts


def _bears(name: str, mark: str) -> bool:
    """Whether a file has a name of :meth:`Folder.write`, or the one that such a file has while it is written."""
    return re.search(rf"\.{mark}-[0-9a-f]{{16}}(\.\w+)?(\.[0-9a-f]{{16}}\.partial)?$", name) is not None
