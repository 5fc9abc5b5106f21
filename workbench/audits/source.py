"""The files of one table, on any file system: named relative to its folder, read within bounds, never written."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from unicodedata import category
from urllib.parse import quote, unquote

from pyarrow import fs

from workbench.audits.damaged import Damaged, Missing
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.errors import brief
from workbench.storage.places import Place, is_url, one_line, options_apart, without_credentials
from workbench.storage.strict_json import read_json

#: The largest file of metadata that is read into memory.
MOST_BYTES = 64 * 2**20
#: The signs of a URL that stay as they are.
_OF_URLS = "%/:@!$&'()*+,;=[]~"
#: A part of pyarrow's error about a URL whose scheme is none of its own.
_NOT_OF_PYARROW = "Unrecognized filesystem type"
#: The number of attempts to read a table whose files are cleaned up meanwhile.
_TRIES = 3

Judged = TypeVar("Judged")


class Elsewhere(Damaged):
    """A file that other metadata names but that is not in the table's folder: it is not opened."""

    def __str__(self) -> str:
        return f"{brief(self.name)} is not accepted as a file of the table{self.why}"


class Entry(NamedTuple):
    """A file or folder in a listing; `name` is relative to the table."""

    name: str
    is_folder: bool
    size: int
    seconds: float | None  # last modified, since the epoch

    @property
    def base(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]


class Source:
    """A table's folder.

    Names are relative to it, with ``/`` as separator. A name that leads out of it is refused; on a local disk, so is a
    link.

    Args:
        url: A local folder, or a URL for pyarrow (``s3://``, ``gs://``, ``hdfs://`` ...) or fsspec. In
            pyarrow's, ``%20`` is a blank.
        storage: The settings of the file system, with credentials, by pyiceberg's names; then `url` has no escapes.

    Attributes:
        given: The folder or URL, with credentials.
        limits: They are asked before each file is opened and each folder is listed; None lets everything pass.
        chosen: The file of metadata that the table's catalog names; None where no catalog was asked.
        without_data: Whether the folder may hold a table's metadata alone, as in a repository.
    """

    limits: Limits | None = None
    chosen: str | None = None
    without_data = False

    def __init__(self, url: Place, storage: Mapping[str, str] | None = None) -> None:
        self.full_url, self._storage = os.fspath(url), storage
        self.url = without_credentials(self.full_url)
        self._files, self._root, self._has_escapes = _open(self.full_url, self.url, storage)
        self._is_local = isinstance(self._files, fs.LocalFileSystem)
        self._folders: set[str] = set()  # folders that are inside
        if self._is_local:
            self._root = os.path.realpath(self._root)
        if self._info(self._root).type != fs.FileType.Directory:
            raise InputError(f"there is no folder {brief(self.url)}")

    def __reduce__(self) -> Any:
        return Source, (self.full_url, self._storage)  # workers open it themselves

    def below(self, folder: str) -> "Source":
        """A folder in this one, as a source of its own."""
        return Source(self.place(folder), self._storage)

    def place(self, folder: str) -> str:
        """The path or URL of a folder in this one."""
        url, options = options_apart(self.full_url)
        return f"{url.rstrip('/')}/{quote(folder) if self._has_escapes else folder}" + (
            f"?{options}" if options else ""
        )

    def path(self, name: str) -> str:
        """A file's path in the file system; refused if that is outside the table."""
        parts = name.split("/")
        if not name or not _is_visible(name) or "\\" in name or any(part in ("", ".", "..") for part in parts):
            raise Elsewhere(name, "; it leads out of it, or nowhere")
        path = f"{self._root.rstrip('/')}/{name}"
        if self._is_local and not self._is_inside(path):
            raise InputError(f"{brief(name)} is not accepted as a file of the table: it is a link that leads out of it")
        return path

    def _is_inside(self, path: str) -> bool:
        """Whether a local path stays in the table's folder once links are resolved; memoized per folder."""
        if os.path.islink(path):
            return os.path.realpath(path).startswith(self._root.rstrip("/") + "/")
        folder = os.path.dirname(path)
        if folder not in self._folders:
            inside = (os.path.realpath(folder) + "/").startswith(self._root.rstrip("/") + "/")
            if not inside:
                return False
            self._folders.add(folder)
        return True

    def entries(self, folder: str = "", recursive: bool = False) -> list[Entry]:
        """A folder's entries, sorted by name; none if the folder does not exist."""
        self._go_on()
        base = self.path(folder) if folder else self._root
        selector = fs.FileSelector(base, allow_not_found=True, recursive=recursive)
        with _named(folder or self.url):
            infos = self._files.get_file_info(selector)
        skip = len(self._root.rstrip("/")) + 1
        entries = [
            Entry(
                info.path[skip:],
                info.type == fs.FileType.Directory,
                info.size or 0,
                info.mtime_ns / 1e9 if info.mtime_ns else None,
            )
            for info in infos
        ]
        return sorted(entries)

    def exists(self, name: str) -> bool:
        """Whether a file exists."""
        with _named(name):
            return self._info(self.path(name)).type == fs.FileType.File

    def existing(self, names: list[str]) -> set[str]:
        """The members of `names` that exist as files."""
        infos = self._files.get_file_info([self.path(name) for name in names])
        return {name for name, info in zip(names, infos, strict=True) if info.type == fs.FileType.File}

    def read(self, name: str, at_most: int = MOST_BYTES) -> bytes:
        """A whole file.

        Raises:
            Missing: If it does not exist.
            InputError: If it is larger than `at_most`.
        """
        with self.open(name) as file:
            content: bytes = file.read(min(at_most, file.size()) + 1)  # the size may lie
        if len(content) > at_most:
            raise InputError(f"{brief(name)} is not accepted: it has more than {at_most:,} bytes")
        return content

    def read_range(self, name: str, offset: int, length: int) -> bytes:
        """A part of a file; shorter at the file's end."""
        with self.open(name) as file:
            if not 0 <= offset <= file.size() or length < 0:
                raise Damaged(name, f"it has {file.size():,} bytes, and none at {offset:,}")
            file.seek(offset)
            content: bytes = file.read(min(length, file.size() - offset))
        return content

    def read_json(self, name: str, at_most: int = MOST_BYTES) -> Any:
        """A JSON file, parsed strictly."""
        return json_of(self.read(name, at_most), name)

    @contextmanager
    def open(self, name: str) -> Iterator[Any]:
        """A seekable pyarrow file."""
        self._go_on()
        path = self.path(name)
        with _named(name):
            file = self._files.open_input_file(path)
        with file, _named(name):
            yield file

    def inside(self, location: str, moved_from: str | None = None) -> str:
        """The name of a file whose absolute location the table's metadata gives.

        A copied table still names files at the place it was copied from: `moved_from`.

        Examples:
            >>> Source(".").inside("s3://lake/orders/data/a.parquet", moved_from="s3://lake/orders")
            'data/a.parquet'
        """
        plain, _ = options_apart(self.url)
        for root in (moved_from, plain, unquote(plain), self._root, f"file://{self._root}", f"file:{self._root}"):
            if root and location.startswith(root.rstrip("/") + "/"):
                name = location[len(root.rstrip("/")) + 1 :]
                self.path(name)
                return name
        raise Elsewhere(location, f" {brief(self.url)}: it is elsewhere")

    def is_at(self, location: str) -> bool:
        """Whether this is the folder at a location of the table's metadata, which may spell its scheme otherwise.

        Examples:
            >>> here = Source(".")
            >>> here.is_at(f"file:{os.getcwd()}"), here.is_at("s3://lake/orders")
            (True, False)
        """
        location = location.rstrip("/")
        if self._is_local:
            return os.path.realpath(location.removeprefix("file://").removeprefix("file:")) == self._root
        plain, _ = options_apart(self.url)
        return location in (plain, unquote(plain)) or location.partition("://")[2] == self._root.rstrip("/")

    def is_stopped(self) -> bool:
        """Whether limits have ended the audit, which removes them."""
        return self.limits is None

    def _go_on(self) -> None:
        if self.limits is not None:
            self.limits.enforce(lambda: 0)

    def _info(self, path: str) -> Any:
        return self._files.get_file_info(path)


def json_of(content: bytes, name: str, line: int | None = None) -> Any:
    """The JSON in a file's content, or in one of its lines, parsed strictly.

    Raises:
        Damaged: If it is anything else.
    """
    subject = "it" if line is None else f"line {line}"
    try:
        return read_json(content, subject)
    except InputError as error:
        raise Damaged(name, str(error)) from None


def _is_visible(name: str) -> bool:
    """Whether a name has no control characters or marks; wide spaces, as in partition values, are allowed."""
    return name.isprintable() or all(sign.isprintable() or category(sign) == "Zs" for sign in name)


def read_again(read: Callable[[], Judged]) -> Judged:
    """The result of `read`, which is retried if files of the table disappear meanwhile, as in a clean-up."""
    for _ in range(_TRIES - 1):
        try:
            return read()
        except Missing:
            pass
    return read()


def _open(url: str, shown: str, storage: Mapping[str, str] | None) -> tuple[fs.FileSystem, str, bool]:
    """The file system, the path in it, and whether the URL has escapes such as ``%20``."""
    if not is_url(url):
        return fs.LocalFileSystem(), str(Path(url).absolute()), False
    with _named(shown):
        if storage is not None:
            from pyiceberg.io.pyarrow import PyArrowFileIO  # it knows what the settings mean

            scheme, host, path = PyArrowFileIO.parse_location(url)
            return PyArrowFileIO(dict(storage)).fs_by_scheme(scheme, host), path, False
        plain, options = options_apart(url)
        try:
            return *fs.FileSystem.from_uri(quote(plain, safe=_OF_URLS) + (f"?{options}" if options else "")), True
        except ValueError as error:
            if _NOT_OF_PYARROW not in str(error):
                raise
        if options:  # fsspec would take them for a part of the path, and ask another host
            raise InputError(f"{brief(shown)} is not accepted: options are read of pyarrow's schemes alone")
        return *fs.FileSystem.from_uri(f"fsspec+{url}"), False


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Turn the errors of file systems into one line that names the file."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise Missing(name) from None
    except (OSError, ValueError, ImportError, NotImplementedError) as error:
        raise InputError(f"{brief(name)} cannot be read: {one_line(error)}") from None
