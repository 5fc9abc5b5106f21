"""A folder whose content is exactly what its manifest says, at every moment and after every crash.

::

    manifest/00000000.json   the versions of the manifest: see `versions`
    states/part-0.MARK-….parquet
    .writer.lock             on a disk of this machine: see `lock`

The name of every file of a writer contains the folder's mark, a random word that the manifest announces before there is
any file, and a unique part. One step changes the folder's content: a new version of the manifest, once all files that
it names are durable. So a file with the mark that is not named is a leftover of a writer that was killed, overtaken or
replaced: the next writer removes it. A file without the mark is somebody else's: no writer touches it.

A writer first puts a version that announces it. An earlier writer cannot put another version after that, so its
uncommitted files will never be named, and may be removed if they were there *before* that version. Later files may
belong to the next writer, which can have begun meanwhile if there are no locks.
"""

import io
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.storage.lock import LOCK_FILES, Writer
from workbench.storage.places import Place, is_url, one_line
from workbench.storage.store import Damaged, FileStore, LocalStore
from workbench.storage.sums import FileSum, Summed
from workbench.storage.versions import MANIFEST, FolderKind, ManifestChange, Versions, is_version

_VERSION_LEFT_OVER = re.compile(rf"{MANIFEST}/\.\d{{8}}\.json\.[0-9a-f]{{16}}\.partial")


class DamagedFolder(InputError):
    """A file of a folder is missing, or is not what was written."""


def open_store(place: Place) -> FileStore:
    """The store of a folder, which need not exist.

    Raises:
        InputError: If no folder can be written there.
    """
    if is_url(place):
        from workbench.storage.remote import RemoteStore  # only for these does fsspec load

        return RemoteStore(place)
    return LocalStore(Path(place))


class Folder:
    """A folder as described by its manifest. Made by :meth:`open`, :meth:`reached`, or :func:`new_folder` and the like.

    Attributes:
        path: Its place for other processes.
        mark: Distinguishes this folder from earlier ones with the same path.
        content: The JSON of the last :meth:`commit`; None if there was none.
        parts: The JSON of each :meth:`add` since then.
        files: By names relative to `path`.
    """

    def __init__(self, store: FileStore, kind: FolderKind, versions: Versions, mark: str) -> None:
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
    def open(cls, path: Place, kind: FolderKind) -> "Folder":
        """Read the manifest, without writing or locking.

        Raises:
            InputError: If the folder is not of that kind, or its manifest is damaged.
        """
        folder = _there(open_store(path), kind)
        if folder is None:
            raise InputError(f"{str(path)!r} is not a {kind.name}: it has no manifest")
        return folder

    @classmethod
    def reached(cls, path: Place, kind: FolderKind, mark: str) -> "Folder":
        """A folder that another process has open and has described; the manifest is not read.

        Raises:
            InputError: If there is another folder here.
        """
        store = open_store(path)
        versions = Versions(store, kind, _called(kind, store))
        folder = cls(store, kind, versions, mark)
        if versions.first().mark != mark:
            raise InputError(f"{folder} is a different folder here than on the driver; give one that all workers see")
        return folder

    # Reading -----------------------------------------------------------------------------------------------------

    def file(self, name: str) -> Any:
        """A file for pyarrow: the path of a local file, after its checksum was compared.

        A remote file is compared block by block as it is read.

        Raises:
            InputError: If the manifest does not name it, or it is missing or damaged; if remote, also while reading.
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
            raise DamagedFolder(f"{self} is damaged: {name} {how}") from None
        except OSError as error:
            raise InputError(f"{self}: {name} cannot be read: {one_line(error)}") from None

    # Writing -----------------------------------------------------------------------------------------------------

    def write(self, name: str, write: Callable[[io.RawIOBase], object]) -> tuple[str, FileSum]:
        """Write a new file, durably. It belongs to the folder once it is committed; any process may write one.

        Args:
            name: Such as ``states/part-0.parquet``; the folder's mark is inserted.
            write: Writes to the open file, from its beginning to its end.

        Returns:
            The file's name in the folder, and its checksum, for :meth:`commit`.

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

        Earlier files stay on the disk: see :meth:`remove`.

        Raises:
            Overtaken: If another writer has begun since; the folder holds that writer's content.
            InputError: If the manifest cannot be written; the folder is unchanged.
        """
        self._put(ManifestChange(True, content, files))
        self.content, self.parts, self.files = content, [], dict(files)

    def add(self, part: Any, files: dict[str, FileSum]) -> None:
        """Add `part` and `files` to the folder. Otherwise as :meth:`commit`."""
        self._put(ManifestChange(False, part, files))
        self.parts.append(part)
        self.files.update(files)

    def begin(self) -> None:
        """Become the writer, and remove others' uncommitted files.

        Raises:
            Overtaken: If another writer begins, or commits, at the same time.
        """
        left = [name for name in self._names() if _bears(name, self.mark) or _VERSION_LEFT_OVER.fullmatch(name)]
        self._writer = Writer.this()
        self._put(None)
        self.remove(left)

    def _put(self, change: ManifestChange | None) -> None:
        assert self._writer is not None, "only who has begun commits"
        self._versions.put(self.mark, self._writer, change)

    def remove(self, names: Iterable[str]) -> None:
        """Remove those of the given files that the manifest does not name."""
        for name in names:
            if name not in self.files:
                try:
                    self._store.remove(name)
                except OSError as error:
                    raise self._not_written(error) from None

    def check_nothing_else(self) -> None:
        """Raise :class:`InputError` for a file that is not ours."""
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


def _called(kind: FolderKind, store: FileStore) -> str:
    return f"{kind.name} {str(store.place)!r}"


def _there(store: FileStore, kind: FolderKind) -> Folder | None:
    """The folder in a store; None if there is none."""
    versions = Versions(store, kind, _called(kind, store))
    history = versions.read()
    if not history:
        return None
    folder = Folder(store, kind, versions, history[0].mark)
    for version in history:
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
def new_folder(path: Place, kind: FolderKind) -> Iterator[Folder]:
    """A new or empty folder, or one whose writer never committed; this process is its only writer.

    Raises:
        InputError: If there is something in it, or another process writes to it.
    """
    with _writer(path, kind, new=True) as folder:
        yield folder


@contextmanager
def replacing_folder(path: Place, kind: FolderKind) -> Iterator[Folder]:
    """As :func:`new_folder`, but the folder may have content of that kind, until new content is committed."""
    with _writer(path, kind, new=False) as folder:
        before = list(folder.files)
        yield folder
        folder.remove(before)


def check_replaceable(path: Place, kind: FolderKind) -> None:
    """Raise :class:`InputError` if :func:`replacing_folder` would, before there is anything to write."""
    _opened(open_store(path), kind)


@contextmanager
def changing_folder(path: Place, kind: FolderKind) -> Iterator[Folder]:
    """An existing folder to continue; this process is its only writer. Files that are not ours stay."""
    Folder.open(path, kind)  # a refused folder is left without our lock
    with open_store(path).one_writer(kind.name):
        folder = Folder.open(path, kind)
        folder.begin()
        yield folder


@contextmanager
def _writer(path: Place, kind: FolderKind, new: bool) -> Iterator[Folder]:
    store = open_store(path)
    _opened(store, kind)  # a refused folder is left without our lock
    with store.one_writer(kind.name):
        folder = _opened(store, kind)
        if new and folder.content is not None:
            raise InputError(f"{folder} already exists; give a new folder")
        folder.begin()
        yield folder


def _opened(store: FileStore, kind: FolderKind) -> Folder:
    """The existing folder, or one to be made; anything else at the place is an error."""
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
    """Whether a file has a name from :meth:`Folder.write`, possibly of a partial file."""
    return re.search(rf"\.{mark}-[0-9a-f]{{16}}(\.\w+)?(\.[0-9a-f]{{16}}\.partial)?$", name) is not None
