"""Paimon's binary rows: the encoding of partitions, and of smallest and largest keys, in manifests.

A row is its number of fields (four bytes, big-endian), a null bit per field, and eight bytes per field. Text of up to
seven bytes fits into these; for longer text they hold its offset and size within the row.
"""

import struct
from collections.abc import Sequence
from typing import Any

#: The supported types, and their struct formats; None for text.
_FORMATS: dict[str, str | None] = {
    "BOOLEAN": "<?",
    "TINYINT": "<b",
    "SMALLINT": "<h",
    "INT": "<i",
    "INTEGER": "<i",
    "BIGINT": "<q",
    "DATE": "<i",
    "CHAR": None,
    "VARCHAR": None,
    "STRING": None,
}


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


def decode_row(row: bytes, types: Sequence[Any]) -> tuple[Any, ...]:
    r"""The values of a row; a date is a number of days.

    Examples:
        >>> decode_row(b"\0\0\0\1" + bytes(8) + b"jack\0\0\0\x84", ["STRING NOT NULL"])
        ('jack',)
    """
    if len(row) < 4 or int.from_bytes(row[:4], "big") != len(types):
        raise UnreadableRowError(f"a row of {len(row)} bytes does not have {len(types)} fields")
    body = row[4:]
    start = (len(types) + 63 + 8) // 64 * 8
    values: list[Any] = []
    for i, one in enumerate(types):
        slot, bit = body[start + 8 * i : start + 8 * i + 8], i + 8
        if len(slot) < 8:
            raise UnreadableRowError(f"a row of {len(row)} bytes is cut off")
        if body[bit // 8] >> bit % 8 & 1:
            values.append(None)
            continue
        if kind_of(one) not in _FORMATS:
            raise UnreadableRowError(f"a field is of type {kind_of(one)}")
        form = _FORMATS[kind_of(one)]
        values.append(_text(body, slot) if form is None else struct.unpack_from(form, slot)[0])
    return tuple(values)


def _text(body: bytes, slot: bytes) -> str:
    if slot[7] & 0x80:
        content = slot[: slot[7] & 0x7F]
    else:
        size, offset = struct.unpack("<II", slot)
        content = body[offset : offset + size]
        if len(content) < size:
            raise UnreadableRowError("a text is cut off")
    return content.decode(errors="replace")
