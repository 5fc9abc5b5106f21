"""Remote folders: on object stores and on HDFS, through fsspec.

An object appears once it is written whole, and there is no lock. A file is put by a request that fails if the name is
taken: ``If-None-Match: *`` on S3 and Azure, ``ifGenerationMatch=0`` on Google's. HDFS renames only to a free name.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Lock
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, either
from workbench.registry.programs import needs
from workbench.storage.atomic_files import partial_name
from workbench.storage.places import one_line, options_apart, without_credentials
from workbench.storage.store import Damaged, Failing
from workbench.storage.sums import CheckedFile, FileSum, matches

#: The bytes sent at a time; a store like S3 accepts ten thousand such parts of a file.
_PART = 1 << 23
#: The blocks that a process caches, so that a block with several row groups is fetched once.
_KEPT = 8

Put = Callable[[Any, str, bytes], object]


def _put_if_absent(files: Any, path: str, content: bytes) -> None:
    files.pipe_file(path, content, mode="create")


def _rename_if_absent(files: Any, path: str, content: bytes) -> None:
    folder, _, name = path.rpartition("/")
    temporary = f"{folder}/{partial_name(name)}"
    files.pipe_file(temporary, content)
    try:
        files.mv(temporary, path)
    except Exception:
        files.rm_file(temporary)
        raise


#: For each scheme the extra that it needs, and how it puts a file.
_SCHEMES: dict[str, tuple[str, Put]] = {
    **dict.fromkeys(("s3", "s3a"), ("s3", _put_if_absent)),
    **dict.fromkeys(("gs", "gcs"), ("gcs", _put_if_absent)),
    **dict.fromkeys(("abfs", "abfss", "az"), ("azure", _put_if_absent)),
    "hdfs": ("tables", _rename_if_absent),
}


class RemoteStore:
    """A remote folder.

    Args:
        url: For S3 it may have pyarrow's options: ``endpoint_override``, ``scheme`` and ``region``. Credentials come
            from the environment.

    Raises:
        InputError: If it cannot be opened.
    """

    def __init__(self, url: str) -> None:
        self.place = url
        plain, options = options_apart(url)
        scheme = plain.partition("://")[0]
        shown = without_credentials(url)
        if scheme not in _SCHEMES:
            raise InputError(f"{brief(shown)} is not accepted; it takes a path, or a URL of {either(_SCHEMES)}")
        if shown != url and scheme not in ("abfs", "abfss", "hdfs"):  # these have a container or a user before the @
            raise InputError(f"{brief(shown)} is not accepted with credentials in it; they come from the environment")
        extra, self._put = _SCHEMES[scheme]
        needs(extra, brief(shown))
        import fsspec  # local folders do without

        with _opening(shown):
            self._files, self._root = fsspec.core.url_to_fs(plain, **_options(scheme, options))
        self._root = self._root.rstrip("/")
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._lock = Lock()
        self._is_tried = False

    def __reduce__(self) -> Any:
        return RemoteStore, (self.place,)  # other processes open it themselves

    def names(self, below: str = "") -> list[str]:
        top = self._path(below) if below else self._root
        with _asking():
            paths = self._files.find(top)
        skip = len(self._root) + 1
        return sorted(path[skip:] for path in paths if path.startswith(f"{top}/") and not path.endswith("/"))

    def exists(self, name: str) -> bool:
        with _asking():
            return bool(self._files.exists(self._path(name)))

    def read(self, names: Sequence[str]) -> list[bytes]:
        paths = [self._path(name) for name in names]
        with _asking():
            contents = self._files.cat(paths) if paths else {}  # side by side
        return [contents[path] for path in paths]

    def file(self, name: str, summed: FileSum, failing: Failing) -> CheckedFile:
        def block(number: int) -> bytes:
            with failing():
                return self._block(name, summed, number)

        return CheckedFile(summed, block)

    def check(self, name: str, summed: FileSum) -> None:
        self._check_size(name, summed)
        for number in range(len(summed.blocks)):
            self._fetched(name, summed, number)

    def _block(self, name: str, summed: FileSum, number: int) -> bytes:
        key = (name, number)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        block = self._fetched(name, summed, number)
        with self._lock:
            self._kept[key] = block
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return block

    def _fetched(self, name: str, summed: FileSum, number: int) -> bytes:
        begin, end = summed.block(number)
        try:
            with _asking(missing=True):
                block: bytes = self._files.cat_file(self._path(name), start=begin, end=end)
        except OSError:
            self._check_size(name, summed)  # a store may refuse to read past the end
            raise
        if not matches(block, summed, number):
            raise Damaged("is not what was written")
        return block

    def _check_size(self, name: str, summed: FileSum) -> None:
        with _asking(missing=True):
            size = self._files.size(self._path(name))
        if size != summed.size:
            raise Damaged("is not what was written")

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        with _asking():
            out = self._files.open(self._path(name), "wb", block_size=_PART)
        try:
            yield out
        except BaseException:
            if hasattr(out, "discard"):  # drops the parts sent; an HDFS file stays, under a name that nobody knows
                with _asking():
                    out.discard()
                out.closed = True
            raise
        with _asking():
            out.close()

    def put_new(self, name: str, content: bytes) -> bool:
        if not self._puts(name, content):
            return False
        if not self._is_tried:  # some servers silently ignore the condition, so put the file again once
            if self._puts(name, content):
                raise OSError(0, "the store puts a file although there is one of its name, so two writers could go on")
            self._is_tried = True
        return True

    def _puts(self, name: str, content: bytes) -> bool:
        try:
            with _asking():
                self._put(self._files, self._path(name), content)
        except OSError:
            if not self.exists(name):
                raise
            return False
        return True

    def remove(self, name: str) -> None:
        try:
            with _asking():
                self._files.rm_file(self._path(name))
        except FileNotFoundError:
            pass

    def one_writer(self, kind: str) -> AbstractContextManager[None]:
        return nullcontext()

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"


def _options(scheme: str, options: str) -> dict[str, Any]:
    """The options for opening a file system, from those after the question mark of a URL."""
    settings = dict(parse_qsl(options))
    accepted = ("endpoint_override", "scheme", "region") if scheme in ("s3", "s3a") else ()
    for name in settings:
        if name not in accepted:
            takes = f"it takes {either(accepted)}" if accepted else f"{scheme} takes none"
            raise InputError(f"the option {brief(name)} of a URL is not accepted; {takes}")
    opened: dict[str, Any] = {"use_listings_cache": False}  # others write there too
    if "endpoint_override" in settings:
        opened["endpoint_url"] = f"{settings.get('scheme', 'https')}://{settings['endpoint_override']}"
    if "region" in settings:
        opened["client_kwargs"] = {"region_name": settings["region"]}
    return opened


@contextmanager
def _opening(shown: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise InputError(f"{brief(shown)} cannot be opened: {one_line(error)}") from None


@contextmanager
def _asking(missing: bool = False) -> Iterator[None]:
    """Turn exceptions of stores' clients, which have classes of their own, into :class:`OSError`.

    Args:
        missing: Whether a missing file counts as damage.
    """
    try:
        yield
    except FileNotFoundError as error:
        if missing:
            raise Damaged("is missing") from None
        raise FileNotFoundError(error.errno, one_line(error)) from None
    except Exception as error:
        raise OSError(getattr(error, "errno", None) or 0, one_line(error)) from None
