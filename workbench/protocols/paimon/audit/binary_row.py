"""Paimon's binary rows: the encoding of partitions, and of smallest and largest keys, in manifests.

A row is its number of fields (four bytes, big-endian), a null bit per field, and eight bytes per field. Text of up to
seven bytes fits into these; for longer text they hold its offset and size within the row.
"""

import re
import struct
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any, NamedTuple

#: The supported types, and their struct formats; None for those that are decoded otherwise.
_FORMATS: dict[str, str | None] = {
    "BOOLEAN": "<?",
    "TINYINT": "<b",
    "SMALLINT": "<h",
    "INT": "<i",
    "INTEGER": "<i",
    "BIGINT": "<q",
    "DATE": "<i",
    "TIME": "<i",
    "FLOAT": "<f",
    "REAL": "<f",
    "DOUBLE": "<d",
    "DECIMAL": None,
    "NUMERIC": None,
    "TIMESTAMP": None,
    "CHAR": None,
    "VARCHAR": None,
    "STRING": None,
}


#: The largest precisions of decimals and timestamps that fit into eight bytes.
_SHORT_DECIMAL, _SHORT_TIMESTAMP = 18, 3


class Timestamp(NamedTuple):
    """Milliseconds since the epoch, and the nanoseconds after these, up to a million."""

    millis: int
    nanos: int


class UnreadableRowError(ValueError):
    """A malformed row, or an unsupported type."""


def kind_of(type: Any) -> str:
    """A type's name without length and nullability.

    Examples:
        >>> kind_of("VARCHAR(10) NOT NULL"), kind_of("STRING NOT NULL"), kind_of({"type": "ARRAY"})
        ('VARCHAR', 'STRING', 'ARRAY')
    """
    text = type if isinstance(type, str) else str(type.get("type")) if isinstance(type, dict) else ""
    return text.removesuffix(" NOT NULL").partition("(")[0].strip()


def precision_of(type: Any, default: int) -> int:
    """The precision in a type's name.

    Examples:
        >>> precision_of("TIMESTAMP(3) NOT NULL", 6), precision_of("TIMESTAMP", 6)
        (3, 6)
    """
    number = re.search(r"\((\d{1,9})", str(type))
    return int(number[1]) if number else default


def decode_row(row: bytes, types: Sequence[Any]) -> tuple[Any, ...]:
    r"""The values of a row; a date is a number of days, and a time one of milliseconds.

    Examples:
        >>> decode_row(b"\0\0\0\1" + bytes(8) + b"jack\0\0\0\x84", ["STRING NOT NULL"])
        ('jack',)
    """
    if len(row) < 4 or int.from_bytes(row[:4], "big") != len(types):
        raise UnreadableRowError(f"a row of {len(row)} bytes does not have {len(types)} fields")
    body = row[4:]
    start = (len(types) + 63 + 8) // 64 * 8
    values: list[Any] = []
    for i, kind in enumerate(types):
        slot, bit = body[start + 8 * i : start + 8 * i + 8], i + 8
        if len(slot) < 8:
            raise UnreadableRowError(f"a row of {len(row)} bytes is cut off")
        if body[bit // 8] >> bit % 8 & 1:
            values.append(None)
            continue
        if kind_of(kind) not in _FORMATS:
            raise UnreadableRowError(f"a field is of type {kind_of(kind)}")
        form = _FORMATS[kind_of(kind)]
        values.append(_long(body, slot, kind) if form is None else struct.unpack_from(form, slot)[0])
    return tuple(values)


def _long(body: bytes, slot: bytes, type: Any) -> Any:
    """A text, a decimal or a timestamp, which may be longer than its slot."""
    kind = kind_of(type)
    if kind == "TIMESTAMP":
        if precision_of(type, 6) <= _SHORT_TIMESTAMP:
            return Timestamp(struct.unpack("<q", slot)[0], 0)
        nanos, offset = struct.unpack("<II", slot)
        if offset + 8 > len(body) or nanos >= 1_000_000:
            raise UnreadableRowError("a timestamp is cut off")
        return Timestamp(struct.unpack_from("<q", body, offset)[0], nanos)
    if kind in ("DECIMAL", "NUMERIC"):
        precision, scale = precision_of(type, 10), re.search(r",\s*(\d{1,2})\)", str(type))
        digits = int.from_bytes(slot, "little", signed=True)
        if precision > _SHORT_DECIMAL:
            size, offset = struct.unpack("<II", slot)
            digits = int.from_bytes(body[offset : offset + size], "big", signed=True)
        return Decimal(digits).scaleb(-int(scale[1]) if scale else 0, Context(prec=99))
    return _text(body, slot)


def _text(body: bytes, slot: bytes) -> str:
    if slot[7] & 0x80:
        content = slot[: slot[7] & 0x7F]
    else:
        size, offset = struct.unpack("<II", slot)
        content = body[offset : offset + size]
        if len(content) < size:
            raise UnreadableRowError("a text is cut off")
    return content.decode(errors="replace")
