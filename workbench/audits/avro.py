"""Untrusted Avro files, decoded within bounds.

fastavro does the decoding, but believes a file's own claims: a block's unpacked size, an array's length. So this module
unpacks the container itself, block by block, and refuses recursive schemas and arrays of zero-byte items. Then a file
cannot hold more values than bytes.
"""

import bz2
import functools
import io
import lzma
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import fastavro
import pyarrow as pa
from fastavro import schemaless_reader, schemaless_writer

from workbench.audits.damaged import Damaged
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.storage.strict_json import read_json

#: The largest block, unpacked, and the largest sum of a file's blocks. Writers start a new block after 16 or 64 KiB,
#: and a new manifest after a few MiB.
MOST_OF_BLOCK = 8 * 2**20
MOST_OF_FILE = 256 * 2**20
_MOST_OF_SCHEMA = 2**20
_MOST_NESTED = 32
_MOST_AT_ONCE = 10_000
#: The most comparisons with the end of the file before: a file made to do harm may ask for one at each record.
_MOST_COMPARISONS = 8

Record = dict[str, Any]

ORC = b"ORC"
_BEGINS = {"Parquet": b"PAR1", "ORC": ORC}
_HEADER = fastavro.parse_schema(
    {
        "type": "record",
        "name": "Header",
        "fields": [
            {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": 4}},
            {"name": "meta", "type": {"type": "map", "values": "bytes"}},
            {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": 16}},
        ],
    }
)


def read_avro(source: Source, name: str, keep: tuple[str, ...] | None = None) -> Iterator[Record]:
    """The records of an Avro file of a table; see :func:`records`."""
    return records(source.read(name), name, keep)


def records(
    content: bytes, name: str, keep: tuple[str, ...] | None = None, most_of_block: int = MOST_OF_BLOCK
) -> Iterator[Record]:
    """The records of an Avro file. Logical types are not applied: a timestamp is the stored number.

    Args:
        name: The file's name in errors.
        keep: The fields to decode; skipping the others is faster. A dot names a field of a nested record. Records lack
            the fields that the file lacks.
        most_of_block: The largest block, unpacked; it must hold the largest record.

    Raises:
        Damaged: During iteration, at data that is not Avro, is cut off, or would exceed a bound, as no writer's does.
        InputError: During iteration, at a file that may be whole: of another format, or a very large one.
    """
    with _named(name):
        yield from _records(content, keep, most_of_block)


def bare_records(schema: bytes, encoded: Iterable[bytes], name: str) -> Iterator[Record]:
    """Records without a container, each of a length that is known; otherwise as :func:`records`."""
    with _named(name):
        single, _ = _schemas(schema, None)
        for content in encoded:
            stream = io.BytesIO(content)
            record: Any = schemaless_reader(stream, *single)
            if record is None or stream.tell() != len(content):
                raise _Torn("a record is null, or does not end where it should")
            yield record


class SameEnds:
    """Reads a series of Avro files; of each it decodes only what precedes the tail shared with the file before.

    Iceberg's manifest lists share their tails: writers put new manifests before those of the parent snapshot.

    Args:
        keep: As in :func:`records`.
    """

    def __init__(self, keep: tuple[str, ...]) -> None:
        self._keep = keep
        self.forget()

    def forget(self) -> None:
        """Decode the whole of the next file."""
        self._schema = self._body = b""
        self._lengths: list[int] = []  # from the start of each record to the end, of the last record first

    def read(self, content: bytes, name: str) -> tuple[int, list[Record]]:
        """The number of records at the end that are those of the file before, and the records in front of them.

        Raises:
            Damaged, InputError: As :func:`records`; then the next file is compared with the one before this one.
        """
        with _named(name):
            return self._read(content)

    def _read(self, content: bytes) -> tuple[int, list[Record]]:
        opened = _Opened(content)
        single, _ = _schemas(opened.schema, self._keep)
        blocks = list(opened.blocks(MOST_OF_BLOCK))
        body, count = b"".join(block for block, _ in blocks), sum(count for _, count in blocks)
        is_known, attempts = opened.schema == self._schema, _MOST_COMPARISONS
        stream, kept, new, lengths = io.BytesIO(body), 0, list[Record](), list[int]()
        while (length := len(body) - stream.tell()) > 0:
            place = bisect_left(self._lengths, length)
            if is_known and attempts and self._lengths[place : place + 1] == [length]:
                attempts -= 1
                if body.endswith(self._body[-length:]):
                    kept = place + 1
                    break
            record: Any = schemaless_reader(stream, *single)
            if record is None:
                raise _Torn("a record is null")
            new.append(record)
            lengths.append(length)
        if kept + len(new) != count:
            raise _Torn("a block does not end where it should")
        self._schema, self._body = opened.schema, body
        self._lengths[kept:] = reversed(lengths)
        return kept, new


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Name the file in errors."""
    try:
        yield
    except Damaged:  # raised by the container of the records: it names the file
        raise
    except (_Torn, InputError) as error:  # the latter of a schema that is not JSON
        raise Damaged(name, str(error)) from None
    except _Unsupported as error:
        raise InputError(f"{brief(name)} is not accepted: {error}") from None
    except Exception as error:  # fastavro and the decompressors raise errors of any type
        reason = " ".join(f"{type(error).__name__} {error}".split())[:200]
        raise Damaged(name, f"it is not an Avro file, or not a whole one: {reason}") from None


class _Torn(Exception):
    """The file is not Avro as writers leave it, or decoding it would exceed a bound."""


class _Unsupported(Exception):
    """The file may be as its writer left it, but cannot be read here."""


class _Opened:
    """A container: its schema, as written, and its blocks."""

    def __init__(self, content: bytes) -> None:
        self._stream, self._end = io.BytesIO(content), len(content)
        header: Any = schemaless_reader(self._stream, _HEADER, None)
        if header["magic"] != b"Obj\x01":
            other = next((name for name in ("Parquet", "ORC") if content.startswith(_BEGINS[name])), None)
            if other is None:
                raise _Torn("it does not begin as Avro files do")
            raise _Unsupported(f"it begins as {other} files do; manifests in {other} are not read")
        self.schema: bytes = header["meta"].get("avro.schema", b"")
        self._sync: bytes = header["sync"]
        self._codec = header["meta"].get("avro.codec", b"null").decode(errors="replace")

    def blocks(self, most: int) -> Iterator[tuple[bytes, int]]:
        """The blocks, unpacked, and the numbers of records that they announce."""
        stream, end = self._stream, self._end
        if self._codec not in _UNPACKED_BY:
            raise _Torn(f"its codec is {brief(self._codec)}; {', '.join(_UNPACKED_BY)} are read")
        room = MOST_OF_FILE
        while stream.tell() < end:
            count: Any = schemaless_reader(stream, "long", None)
            size: Any = schemaless_reader(stream, "long", None)
            if size < 0 or count < 0 or stream.tell() + size + len(self._sync) > end:
                raise _Torn(f"it announces a block of {count:,} records and {size:,} bytes, which is not there")
            block = _UNPACKED_BY[self._codec](stream.read(size), most)
            room -= len(block)
            if room < 0:
                raise _Unsupported(f"it has more than {MOST_OF_FILE:,} bytes when it is unpacked")
            if count > len(block):
                raise _Torn(f"a block of {len(block):,} bytes announces {count:,} records")
            yield block, count
            if stream.read(len(self._sync)) != self._sync:
                raise _Torn("a block does not end with the file's marker")


def _records(content: bytes, keep: tuple[str, ...] | None, most: int) -> Iterator[Record]:
    opened = _Opened(content)
    single, several = _schemas(opened.schema, keep)
    for block, count in opened.blocks(most):
        for record in _records_in(block, count, single, several):
            if record is None:
                raise _Torn("a record is null")
            yield record


def _records_in(block: bytes, count: int, single: tuple[Any, Any], several: tuple[Any, Any]) -> Iterator[Record | None]:
    """The records of a block. A block is nearly an array, and one call that decodes an array is faster."""
    if count > _MOST_AT_ONCE:
        stream = io.BytesIO(block)
        for _ in range(count):
            record: Any = schemaless_reader(stream, *single)
            yield record
        length = stream.tell()
    else:
        stream = io.BytesIO()
        schemaless_writer(stream, "long", count)
        begins = stream.tell()
        stream.write(block + (b"\0" if count else b""))
        stream.seek(0)
        records: Any = schemaless_reader(stream, *several)
        length = stream.tell() - begins - bool(count)
        if len(records) == count:
            yield from records
        else:  # the decoder read on past the block, as if the array continued
            length = -1
    if length != len(block):
        raise _Torn("a block does not end where it should")


@functools.lru_cache(maxsize=64)
def _schemas(written: bytes, keep: tuple[str, ...] | None) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """A (writer's, reader's) pair of schemas for one record, and a pair for an array of them."""
    if len(written) > _MOST_OF_SCHEMA:
        raise _Torn(f"its schema has {len(written):,} bytes; {_MOST_OF_SCHEMA:,} are read")
    schema, least = _checked(read_json(written, "its schema"), frozenset(), {}, 0)
    # Paimon's C++ writer says that a record may be null; none is.
    branches = [branch for branch in schema if branch != "null"] if isinstance(schema, list) else [schema]
    if [isinstance(branch, dict) and branch.get("type") == "record" for branch in branches] != [True] or least < 1:
        raise _Torn("its schema is not a record, or has no fields")
    kept = None if keep is None else _kept_in(schema, keep)
    single = fastavro.parse_schema(schema), kept and fastavro.parse_schema(kept)
    arrays = [part and fastavro.parse_schema({"type": "array", "items": part}) for part in (schema, kept)]
    return single, (arrays[0], arrays[1])


def _kept(schema: Any, keep: tuple[str, ...]) -> Any:
    """A record's schema cut down to the fields in `keep`."""
    fields = []
    for field in schema["fields"]:
        parts = tuple(name.partition(".")[2] for name in keep if name.startswith(f"{field['name']}."))
        if field["name"] in keep:
            fields.append(field)
        elif parts:
            fields.append({**field, "type": _kept_in(field["type"], parts)})
    return {**schema, "fields": fields}


def _kept_in(schema: Any, keep: tuple[str, ...]) -> Any:
    """A field's type, where the field may be a record, or a record or null."""
    if isinstance(schema, list):
        return [_kept_in(branch, keep) for branch in schema]
    return _kept(schema, keep) if isinstance(schema, dict) and "fields" in schema else schema


# Unpacking ---------------------------------------------------------------------------------------------------------


def _fits(block: bytes, most: int) -> bytes:
    if len(block) > most:
        raise _Torn(f"a block has more than {most:,} bytes when it is unpacked")
    return block


def _deflate(packed: bytes, most: int) -> bytes:
    return _fits(zlib.decompressobj(-15).decompress(packed, most + 1), most)


def _bzip2(packed: bytes, most: int) -> bytes:
    return _fits(bz2.BZ2Decompressor().decompress(packed, most + 1), most)


def _xz(packed: bytes, most: int) -> bytes:
    return _fits(lzma.LZMADecompressor(memlimit=MOST_OF_FILE).decompress(packed, most + 1), most)


def _zstandard(packed: bytes, most: int) -> bytes:
    out = io.BytesIO()
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        while out.tell() <= most:
            part = stream.read(2**18)
            if not part:
                break
            out.write(part)
    return _fits(out.getvalue(), most)


def _snappy(packed: bytes, most: int) -> bytes:
    """Snappy starts with the size, seven bits to a byte; Avro appends a four-byte checksum."""
    size = 0
    for i, byte in enumerate(packed[:5]):
        size |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            break
    if size > most:
        raise _Torn(f"a block promises {size:,} bytes when it is unpacked; {most:,} are read")
    block: bytes = pa.Codec("snappy").decompress(packed[:-4], decompressed_size=size, asbytes=True)
    if zlib.crc32(block).to_bytes(4, "big") != packed[-4:]:
        raise _Torn("a block does not have its checksum")
    return block


_UNPACKED_BY: dict[str, Callable[[bytes, int], bytes]] = {
    "null": _fits,
    "deflate": _deflate,
    "snappy": _snappy,
    "zstandard": _zstandard,
    "bzip2": _bzip2,
    "xz": _xz,
}


# Schemas -----------------------------------------------------------------------------------------------------------


def _checked(schema: Any, inside: frozenset[str], sizes: dict[str, int], depth: int) -> tuple[Any, int]:
    """A schema without its logical types, and the fewest bytes a value takes; refused if values are unbounded."""
    if depth > _MOST_NESTED:
        raise _Torn(f"its schema is nested deeper than {_MOST_NESTED} levels")
    if isinstance(schema, list):
        branches = [_checked(branch, inside, sizes, depth + 1) for branch in schema]
        return [branch for branch, _ in branches], 1
    if isinstance(schema, str):
        if schema in inside:
            raise _Torn(f"its schema has {brief(schema)} within itself")
        return schema, sizes.get(schema, _SMALLEST.get(schema, 1))
    if not isinstance(schema, dict):
        raise _Torn(f"its schema has {brief(schema)} for a type")
    kind = schema.get("type")
    plain = {key: value for key, value in schema.items() if key != "logicalType"}
    names = _names(schema)
    if kind in ("record", "error"):
        fields, size = [], 0
        for field in schema.get("fields", ()):
            checked, least = _checked(field["type"], inside | names, sizes, depth + 1)
            fields.append({**field, "type": checked})
            size += least
        sizes.update(dict.fromkeys(names, size))
        return {**plain, "fields": fields}, size
    if kind in ("array", "map"):
        part = "items" if kind == "array" else "values"
        checked, least = _checked(schema.get(part), inside, sizes, depth + 1)
        if kind == "array" and least < 1:
            raise _Torn("its schema has arrays whose items take no bytes")
        return {**plain, part: checked}, 1
    if kind == "fixed":
        size = schema.get("size", 0)
        sizes.update(dict.fromkeys(names, size if isinstance(size, int) else 0))
        return plain, sizes.get(next(iter(names), ""), 0)
    if kind == "enum":
        sizes.update(dict.fromkeys(names, 1))
        return plain, 1
    checked, least = _checked(kind, inside, sizes, depth + 1)
    return {**plain, "type": checked}, least


_SMALLEST = {"null": 0, "float": 4, "double": 8}


def _names(schema: dict[str, Any]) -> frozenset[str]:
    """The names by which a schema may refer to a named type."""
    name, space = str(schema.get("name", "")), str(schema.get("namespace", ""))
    return frozenset({name, name.rpartition(".")[2], f"{space}.{name}"}) - {""} if name else frozenset()
