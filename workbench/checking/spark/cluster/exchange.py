"""Messages between tasks: their arrays go through files in the run directory, the rest through Spark.

Spark's own shuffle would copy every byte from Python to Java, to a file, back to Java and to Python. On an object
store, where each read is slow, Spark still carries everything.

The files are never unpickled: they hold arrays alone. The rest of a message, with the checksum of its arrays, comes
through Spark.
"""

import secrets
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from workbench.checking.spark.cluster.shipping import pack, pack_apart, unpack
from workbench.checking.spark.files.rundir import NotWritten
from workbench.kernel import InputError
from workbench.storage.folder import Folder
from workbench.storage.places import one_line

#: Smaller messages are carried whole.
_LARGE = 1 << 12
_ALIGNED = 8
_NAME = "exchange"


class Letter(NamedTuple):
    """A message on its way.

    Attributes:
        head: The pickled message, without its arrays if these are in a file.
        sizes: The sizes of these arrays in bytes. Each array begins at a multiple of eight.
        place: The file of the arrays, and their offset in it.
        checksum: The checksum of all bytes of the arrays.
    """

    head: bytes
    sizes: tuple[int, ...] = ()
    place: tuple[str, int] = ("", 0)
    checksum: int = 0

    def open(self) -> Any:
        """Unpickle the message. Call it only on letters that came through Spark, since unpickling runs code.

        Raises:
            InputError: If the arrays are not those that were written.
        """
        if not self.sizes:
            return unpack(self.head)
        path, begin = self.place
        body = np.empty(sum(map(_aligned, self.sizes)), np.uint8)
        try:
            with open(path, "rb", buffering=0) as file:
                file.seek(begin)
                count = file.readinto(body)  # type: ignore[arg-type]
        except OSError as error:
            raise InputError(f"{path!r} cannot be read: {one_line(error)}") from None
        if count != len(body) or zlib.crc32(body) != self.checksum:  # type: ignore[arg-type]
            raise InputError(f"{path!r} is not what was written")
        arrays, at = [], 0
        for size in self.sizes:
            arrays.append(body[at : at + size].data)
            at += _aligned(size)
        return unpack(self.head, arrays)


#: Makes letters of messages.
Post = Callable[[Any], Letter]


class Exchange:
    """The files of a search's messages, in the folder ``exchange`` of its run directory.

    Args:
        folder: The run directory. If it is None or on an object store, Spark carries everything.
    """

    def __init__(self, folder: Folder | None = None) -> None:
        self._folder = folder.path / _NAME if folder is not None and isinstance(folder.path, Path) else None
        # What a killed search leaves bears the folder's mark: the next one removes it.
        self._search, self._mark = secrets.token_hex(8), "" if folder is None else folder.mark

    @contextmanager
    def posting(self) -> Iterator[Post]:
        """Within a task, yield a function that makes letters of messages, to be opened after the block has ended."""
        folder = self._folder
        if folder is None:
            yield lambda message: Letter(pack(message))
            return
        with ExitStack() as files:
            file: BinaryIO | None = None

            def post(message: Any) -> Letter:
                nonlocal file
                head, arrays = pack_apart(message)
                if sum(array.nbytes for array in arrays) < _LARGE:
                    return Letter(pack(message))
                body = b"".join(piece for array in arrays for piece in (array, bytes(-array.nbytes % _ALIGNED)))
                try:
                    file = file or files.enter_context(self._new_file(folder))
                    begin = file.tell()
                    file.write(body)
                    file.flush()
                except OSError as error:
                    raise NotWritten(f"{str(folder)!r} cannot be written: {one_line(error)}") from None
                return Letter(head, tuple(array.nbytes for array in arrays), (str(file.name), begin), zlib.crc32(body))

            yield post

    def _new_file(self, folder: Path) -> BinaryIO:
        folder.mkdir(exist_ok=True)
        return open(folder / f"{self._search}.{self._mark}-{secrets.token_hex(8)}.arrays", "xb")

    def forget(self) -> None:
        """Remove the files, once no task needs them."""
        for path in () if self._folder is None else self._folder.glob(f"{self._search}.*"):
            path.unlink(missing_ok=True)


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED
