"""Deletion vectors: the roaring bitmaps that strike out rows of data files, as Paimon and Delta store them."""

import struct
import zlib
from typing import NamedTuple

import numpy as np
from pyroaring import BitMap

from workbench.audits.damaged import Damaged
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.values import counted

#: The most deletion vectors that an audit reads.
MOST_VECTORS = 1000
_MOST_OF_VECTOR = 64 * 2**20


class UnreadableError(InputError):
    """Rows of a kind that audits do not read."""


class VectorKind(NamedTuple):
    """The kind of header that a format puts before its bitmaps.

    Attributes:
        magic: The first four bytes, as a number.
        order: Of the magic number's bytes, for :mod:`struct`.
        is_wide: Whether 32-bit bitmaps follow, each after the upper half of its positions; otherwise there is one.
    """

    magic: int
    order: str
    is_wide: bool


PAIMON = VectorKind(1581511376, ">", is_wide=False)
DELTA = VectorKind(1681511377, "<", is_wide=True)


class StoredVector(NamedTuple):
    """A deletion vector of the newest version, of the kind that Delta and Iceberg store.

    Attributes:
        of: The data file whose rows it deletes.
        name: The file that contains it; if it is `inline`, the file that names it.
        size: The size of its magic number and bitmap in bytes.
        cardinality: The recorded number of rows that it deletes.
        rows: The number of rows of the data file, if known.
    """

    of: str
    name: str
    offset: int
    size: int
    cardinality: int
    rows: int | None
    inline: bytes | None = None

    def read(self, source: Source) -> np.ndarray:
        """The positions that it strikes out.

        Raises:
            InputError: If it is damaged, or of an unsupported kind.
        """
        if self.inline is not None:
            return struck_out(self.inline[: self.size], self.name, self.rows, DELTA)
        return read_vector(source, self.name, self.offset, self.size, self.rows, DELTA)

    def check(self, source: Source) -> None:
        """Check that the vector has its checksum, and as many rows as it is said to have.

        Raises:
            InputError: If it is damaged, or of an unsupported kind.
        """
        marks = self.read(source)
        if len(marks) != self.cardinality:
            mismatch = f"has {counted(len(marks), 'row')}, and is said to have {self.cardinality:,}"
            raise Damaged(self.name, f"the deletion vector of {brief(self.of)} {mismatch}")


def read_vector(source: Source, name: str, offset: int, length: int, rows: int | None, kind: VectorKind) -> np.ndarray:
    """The positions that a deletion vector in a file strikes out, of a data file of `rows` rows, if that is known.

    Its bytes are its length, a magic number, the bitmap in the portable format, and a checksum of the last two.

    Raises:
        InputError: If it is damaged, or of an unsupported kind.
    """
    if not 4 <= length <= _MOST_OF_VECTOR or offset < 0:
        raise Damaged(name, f"a deletion vector of {length:,} bytes at byte {offset:,}")
    content = source.read_range(name, offset, 4 + length + 4)
    if len(content) < 8 + length:
        raise Damaged(name, "it ends within a deletion vector")
    (promised,) = struct.unpack(">i", content[:4])
    body, checksum = content[4 : 4 + length], int.from_bytes(content[4 + length :], "big")
    if promised != length:
        raise Damaged(name, f"a deletion vector of {length:,} bytes says that it has {promised:,}")
    if zlib.crc32(body) != checksum:
        raise Damaged(name, "a deletion vector does not have its checksum")
    return struck_out(body, name, rows, kind)


def struck_out(body: bytes, name: str, rows: int | None, kind: VectorKind) -> np.ndarray:
    """The positions in a magic number and bitmap, found in the file `name`."""
    if len(body) < 4:
        raise Damaged(name, f"a deletion vector of {len(body)} bytes")
    (magic,) = struct.unpack(f"{kind.order}i", body[:4])
    if magic != kind.magic:
        raise UnreadableError(f"deletion vectors that begin with {magic:#x}, as in {brief(name)}, are not read")
    bitmap = body[4:]
    try:
        if kind.is_wide:
            count, upper = struct.unpack("<QI", bitmap[:12].ljust(12, b"\0"))
            if count > 1 or upper:
                raise UnreadableError(f"deletion vectors with positions above 2^32, as in {brief(name)}, are not read")
            bitmap = bitmap[12:] if count else BitMap().serialize()
        marks = BitMap.deserialize(bitmap)
        if len(marks) and rows is not None and not (len(marks) <= rows and marks.max() < rows):
            raise ValueError(f"a deletion vector strikes out row {marks.max():,} of a file of {rows:,} rows")
        return np.fromiter(marks, np.int64, len(marks))
    except (ValueError, IndexError, MemoryError, OverflowError) as error:
        raise Damaged(name, f"{' '.join(str(error).split())[:200]}") from None
