"""A folder of files that a manifest names: it is what the manifest says, at every moment and after every crash.

::

    manifest.json            what the folder is, its mark, its content, and of each file the size and checksum
    states/part-0.MARK-….parquet
    .writer.lock             see `lock`

All files that a writer makes bear the folder's mark, a random word which the manifest announces before there is any
file, and a part that is never used twice. What the folder holds is changed by one rename, that of the manifest, once
all files that it names are on the disk. So a file with the mark that is not named is left over from a writer that was
killed, or was replaced: the next writer removes it. A file without the mark is somebody else's: no writer touches it.
"""

import hashlib
import io
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from workbench.kernel import InputError
from workbench.kernel.errors import brief
from workbench.storage.lock import LOCK, LOCK_FILES, writer_lock
from workbench.storage.schema import from_json
from workbench.storage.sealed import read_sealed, write_sealed
from workbench.storage.whole import make_folder, writing_bytes

MANIFEST = "manifest.json"
_MANIFEST_LEFT_OVER = re.compile(r"\.manifest\.json\.[0-9a-f]{16}\.partial")
_MARK = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Kind:
    """What a folder is: `name`, such as "run directory", and the version of its format."""

    name: str
    format: int


@dataclass(frozen=True)
class FileSum:
    """What is known of a file's bytes."""

    size: int
    checksum: str


@dataclass(frozen=True)
class _Manifest:
    kind: str
    format: int
    mark: str
    content: Any
    files: dict[str, FileSum]


@dataclass
class Folder:
    """A folder as its manifest says. Made by :meth:`open`, or by :func:`writing_folder` and its like.

    Attributes
    ----------
    path : Path
    kind : Kind
    mark : str
        Tells this folder from others that had the same path before.
    content : object
        JSON, as a writer gave it; None if no writer got so far.
    files : dict of str to FileSum
        By names relative to `path`.
    """

    path: Path
    kind: Kind
    mark: str
    content: Any
    files: dict[str, FileSum]
    _verified: dict[str, FileSum] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, path: str | Path, kind: Kind) -> "Folder":
        """Read the manifest; nothing is written, and no lock is needed.

        Raises
        ------
        InputError
            If the folder is not of that kind, or its manifest is damaged.
        """
        folder, where = Path(path), f"{kind.name} {str(path)!r}"
        try:
            document = read_sealed(folder / MANIFEST, f"the manifest of {where},")
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(f"{str(path)!r} is no {kind.name}: it has no {MANIFEST}") from None
        said = {name: document.get(name) for name in ("kind", "format")} if isinstance(document, dict) else {}
        if said and said["kind"] != kind.name:
            raise InputError(f"{str(path)!r} is no {kind.name} but a {brief(said['kind'])[1:-1]}")
        if said and said["format"] != kind.format:
            raise InputError(f"{where} has format {brief(said['format'])}; format {kind.format} is read")
        manifest = from_json(_Manifest, document, f"the manifest of {where}")
        if not _MARK.fullmatch(manifest.mark):
            raise InputError(f"the manifest of {where} has the mark {brief(manifest.mark)}, which none can have")
        for name in manifest.files:
            if not _is_inside(name) or not _bears(name, manifest.mark):
                raise InputError(f"the manifest of {where} names {brief(name)}, which is no file of this folder")
        return cls(folder, kind, manifest.mark, manifest.content, manifest.files)

    def file(self, name: str) -> Path:
        """The path of a file, once its bytes are known to be those that were written.

        Raises
        ------
        InputError
            If the manifest does not name it, or it is missing or damaged.
        """
        path = self.path / name
        if name not in self.files:
            raise InputError(f"{self} has no {brief(name)}")
        if self._verified.get(name) != self.files[name]:
            if path.resolve() != self.path.resolve() / name:
                raise InputError(f"{self} is damaged: {name} is a link")
            if _sum_of(path, self) != self.files[name]:
                raise InputError(f"{self} is damaged: {name} is not what was written")
            self._verified[name] = self.files[name]
        return path

    def write(self, name: str, write: Callable[[io.RawIOBase], object]) -> tuple[str, FileSum]:
        """Write a new file, durably. It belongs to the folder once it is committed; any process may write one.

        Parameters
        ----------
        name : str
            Such as ``states/part-0.parquet``; the file gets the folder's mark into its name.
        write : callable
            Is given the open file, which takes bytes from its beginning to its end.

        Returns
        -------
        (str, FileSum)
            What it is called in the folder, and its sum: what :meth:`commit` takes.

        Raises
        ------
        InputError
            If it cannot be written, as on a full disk.
        """
        inside = PurePosixPath(name)
        path = self.path / inside.with_name(f"{inside.stem}.{self.mark}-{secrets.token_hex(8)}{inside.suffix}")
        try:
            make_folder(path.parent)
        except OSError as error:
            raise self._not_written(error) from None
        with writing_bytes(path) as out:
            summed = _Summed(out)
            write(summed)
        return path.relative_to(self.path).as_posix(), summed.sum

    def commit(self, content: Any, files: dict[str, FileSum]) -> None:
        """Make the folder hold `content` and `files`, and nothing else. Only for who has the lock.

        What it held before stays on the disk: see :meth:`clean`.

        Raises
        ------
        InputError
            If the manifest cannot be written; the folder holds what it held.
        """
        manifest = _Manifest(self.kind.name, self.kind.format, self.mark, content, files)
        write_sealed(self.path / MANIFEST, asdict(manifest))
        self.content, self.files = content, dict(files)

    def clean(self) -> None:
        """Remove the files that bear the folder's mark and are not named by its manifest. Only for who has the lock."""
        for name in self._names():
            if name not in self.files and self._is_ours(name):
                try:
                    (self.path / name).unlink(missing_ok=True)
                except OSError as error:
                    raise self._not_written(error) from None

    def _is_ours(self, name: str) -> bool:
        """Whether a file is one that writers of this folder make, beside the manifest and the lock."""
        return _bears(name, self.mark) or _MANIFEST_LEFT_OVER.fullmatch(name) is not None

    def check_nothing_else(self) -> None:
        """Raise :class:`InputError` if there is a file that is not ours."""
        for name in self._names():
            if name != MANIFEST and name not in LOCK_FILES and not self._is_ours(name):
                raise InputError(
                    f"{str(self.path)!r} is not accepted: it holds {brief(name)}, which no {self.kind.name} has; "
                    "remove that, or give another folder"
                )

    def _names(self) -> list[str]:
        """The names of all files in the folder and below; links are not followed, and count as files."""

        def fail(error: OSError) -> None:
            raise InputError(f"{self} cannot be read: {error.strerror}")

        names = []
        for folder, below, files in os.walk(self.path, onerror=fail) if self.path.is_dir() else ():
            inside = Path(folder).relative_to(self.path)
            links = [name for name in below if (Path(folder) / name).is_symlink()]
            names += [(inside / name).as_posix() for name in [*files, *links]]
        return sorted(names)

    def _not_written(self, error: OSError) -> InputError:
        return InputError(f"{self} cannot be written: {error.strerror or error}")

    def __str__(self) -> str:
        return f"{self.kind.name} {str(self.path)!r}"


# Writers -------------------------------------------------------------------------------------------------------------


@contextmanager
def new_folder(path: str | Path, kind: Kind) -> Iterator[Folder]:
    """A new folder, or an empty one, or one in which a writer came to nothing; this process is its one writer.

    Raises
    ------
    InputError
        If there is something in it, or another one writes to it.
    """
    with _writer(path, kind) as folder:
        if folder.content is not None:
            raise InputError(f"{folder} is there already; give a new folder")
        yield folder


@contextmanager
def replacing_folder(path: str | Path, kind: Kind) -> Iterator[Folder]:
    """As :func:`new_folder`, but what a folder of that kind holds may be there, until other content is committed."""
    with _writer(path, kind) as folder:
        yield folder
        folder.clean()


@contextmanager
def changing_folder(path: str | Path, kind: Kind) -> Iterator[Folder]:
    """A folder that is there, to be gone on with; this process is its one writer. What is not ours in it stays."""
    Folder.open(path, kind)
    with writer_lock(path, kind.name):
        folder = Folder.open(path, kind)
        folder.clean()
        yield folder


@contextmanager
def _writer(path: str | Path, kind: Kind) -> Iterator[Folder]:
    target = Path(path)
    if not (target / LOCK).exists():
        _opened(target, kind)  # so that a folder that is refused is left without a lock of ours
    with writer_lock(target, kind.name):
        folder = _opened(target, kind)
        folder.clean()
        if not (target / MANIFEST).exists():
            folder.commit(None, {})
        yield folder


def _opened(path: Path, kind: Kind) -> Folder:
    """The folder that is there, or that is to be made; an error if there is anything else."""
    try:
        has_manifest, is_other = (path / MANIFEST).exists(), path.exists() and not path.is_dir()
    except OSError as error:
        raise InputError(f"{kind.name} {str(path)!r} cannot be read: {error.strerror}") from None
    if is_other:
        raise InputError(f"{str(path)!r} is a file; a {kind.name} takes a folder")
    folder = Folder.open(path, kind) if has_manifest else Folder(path, kind, secrets.token_hex(8), None, {})
    folder.check_nothing_else()
    return folder


# Names and sums ------------------------------------------------------------------------------------------------------


def _is_inside(name: str) -> bool:
    inside = PurePosixPath(name)
    return name == str(inside) and name.isprintable() and not inside.is_absolute() and ".." not in inside.parts


def _bears(name: str, mark: str) -> bool:
    """Whether a file has a name of :meth:`Folder.new_file`, or the one that such a file has while it is written."""
    return re.search(rf"\.{mark}-[0-9a-f]{{16}}(\.\w+)?(\.[0-9a-f]{{16}}\.partial)?$", name) is not None


class _Summed(io.RawIOBase):
    """A file that is being written, with the sum of what has been given to it: the disk is not asked for it again."""

    def __init__(self, out: BinaryIO) -> None:
        self._out, self._hash, self._size = out, _new_hash(), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._hash.update(data)
        self._size += memoryview(data).nbytes
        return self._out.write(data)

    def tell(self) -> int:
        return self._size

    @property
    def sum(self) -> FileSum:
        return FileSum(self._size, self._hash.hexdigest())


def _new_hash() -> Any:
    return hashlib.blake2b(digest_size=16)


def _sum_of(path: Path, folder: Folder) -> FileSum:
    try:
        with path.open("rb") as file:
            checksum = hashlib.file_digest(file, _new_hash).hexdigest()
            return FileSum(os.fstat(file.fileno()).st_size, checksum)
    except FileNotFoundError:
        raise InputError(f"{folder} is damaged: {path.relative_to(folder.path)} is missing") from None
    except OSError as error:
        raise InputError(f"{folder}: {path.relative_to(folder.path)} cannot be read: {error.strerror}") from None
