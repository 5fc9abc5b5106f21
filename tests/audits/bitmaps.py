"""Deletion vectors, as Delta and Iceberg store them."""

import struct
import zlib
from collections.abc import Iterable

from pyroaring import BitMap

#: The bytes around what Delta gives as a vector's size: its length before, and its checksum behind.
FRAMING = 8


def deletion_vector(rows: Iterable[int]) -> bytes:
    """The bytes of a vector that strikes out these rows."""
    body = struct.pack("<iQI", 1681511377, 1, 0) + BitMap(rows).serialize()
    return struct.pack(">i", len(body)) + body + zlib.crc32(body).to_bytes(4, "big")
