"""Decode single files of a Paimon table: schemas, snapshots, manifest lists, manifests, index manifests.

Each decoder takes the table's source and an item, and yields rows of one of the Arrow schemas here.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import pyarrow as pa

from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.documents import Document
from workbench.audits.orc import read_records
from workbench.audits.source import Source
from workbench.kernel.meaning.errors import brief

#: The kinds of a manifest's entries.
ADD, DELETE = 0, 1

_MOST_OF_JSON = 2**20
_WHOLE = 2**128
_BRANCH = r"branch/branch-[^/]+/"
_OTHER = re.compile(
    rf"{_BRANCH}snapshot/snapshot-\d{{1,18}}|({_BRANCH})?(changelog/changelog-\d{{1,18}}|tag/tag-[^/]+)"
)

Row = tuple[Any, ...]

#: Snapshots. The digests in `base` and `delta` are sums over the names of a list's manifests, so digests of lists add.
SNAPSHOTS = pa.schema(
    [
        ("version", pa.int64()),
        ("user", pa.string()),
        ("identifier", pa.int64()),
        ("kind", pa.string()),
        ("millis", pa.int64()),
        ("index", pa.string()),
        ("lists", pa.list_(pa.string())),
        ("base", pa.binary()),
        ("delta", pa.binary()),
        ("manifests", pa.list_(pa.string())),
        ("schema", pa.int64()),
        ("added", pa.int64()),  # the entries that its delta's list counts
        ("removed", pa.int64()),
        ("delta_rows", pa.int64()),
        ("total_rows", pa.int64()),
        ("next_row", pa.int64()),  # the first row id that is not assigned; null without row tracking
    ]
)

#: Other snapshots (of branches, of tags, and older ones), reduced to the files that they keep alive.
OTHERS = pa.schema(
    [
        ("file", pa.string()),
        ("user", pa.string()),
        ("identifier", pa.int64()),
        ("lists", pa.list_(pa.string())),
        ("delta", pa.string()),
        ("version", pa.int64()),
        ("index", pa.string()),
    ]
)

#: Manifest entries, in the order of their effects. `is_delta` is false for entries of the base.
ENTRIES = pa.schema(
    [
        ("version", pa.int64()),
        ("is_delta", pa.bool_()),
        ("kind", pa.int8()),
        ("partition", pa.binary()),
        ("bucket", pa.int32()),
        ("level", pa.int32()),
        ("name", pa.string()),
        ("rows", pa.int64()),
        ("min_sequence", pa.int64()),
        ("max_sequence", pa.int64()),
        ("min_key", pa.binary()),
        ("max_key", pa.binary()),
        ("millis", pa.int64()),
        ("is_outside", pa.bool_()),
        ("size", pa.int64()),
        ("schema", pa.int64()),
        ("first_row", pa.int64()),
    ]
)

#: Deletion vectors in index manifests; `index` is the index manifest.
RANGES = pa.schema(
    [
        ("index", pa.string()),
        ("partition", pa.binary()),
        ("bucket", pa.int32()),
        ("file", pa.string()),
        ("index_file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("cardinality", pa.int64()),
    ]
)

#: The fields that are decoded: those that identify a file, an index manifest's, and all useful ones of an entry.
_OF_FILE = ("_KIND", "_PARTITION", "_BUCKET", "_FILE._FILE_NAME", "_FILE._LEVEL")
_OF_INDEX = (
    *("_KIND", "_PARTITION", "_BUCKET", "_INDEX_TYPE", "_FILE_NAME", "_ROW_COUNT", "_EXTERNAL_PATH"),
    "_DELETIONS_VECTORS_RANGES",
)
_OF_LIST = ("_FILE_NAME", "_NUM_ADDED_FILES", "_NUM_DELETED_FILES")
_OF_ENTRY = (
    "_KIND",
    "_PARTITION",
    "_BUCKET",
    "_TOTAL_BUCKETS",
    *(
        f"_FILE.{name}"
        for name in (
            "_FILE_NAME",
            "_ROW_COUNT",
            "_MIN_KEY",
            "_MAX_KEY",
            "_MIN_SEQUENCE_NUMBER",
            "_MAX_SEQUENCE_NUMBER",
            "_LEVEL",
            "_CREATION_TIME",
            "_EXTERNAL_PATH",
            "_FILE_SIZE",
            "_SCHEMA_ID",
            "_FIRST_ROW_ID",
        )
    ),
)


class Item(NamedTuple):
    """A unit of decoding: files of a version; or, for a link, the lists to compare."""

    version: int
    names: tuple[str, ...] = ()


# Schemas -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Schema:
    """A table's newest schema, and whether its columns have changed; without types if none can be read."""

    keys: tuple[str, ...]
    partition_keys: tuple[str, ...]
    types: dict[str, Any]
    options: dict[str, str]
    has_changed: bool  # some column had another name or type before

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that distinguish keys within a partition, as manifests encode them."""
        return tuple(key for key in self.keys if key not in self.partition_keys) or self.keys

    def types_of(self, names: Iterable[str]) -> list[Any]:
        return [self.types[name] for name in names]


def read_schema(source: Source, damages: Damages | None, needed_by: Iterable[int]) -> Schema:
    """The newest schema of a table.

    Args:
        damages: Where to note schemas that are damaged or missing.
        needed_by: The table's versions.

    Raises:
        Damaged: If one is damaged or missing, without `damages`.
    """
    schema = Schema((), (), {}, {}, has_changed=False)
    columns: dict[int | None, set[str]] = {}
    for number in versions(source, "schema", "schema-") or [0]:
        try:
            schema = _schema(source, number, columns)
        except Damaged as error:
            if damages is None:
                raise
            damages.note(error, needed_by)
    return replace(schema, has_changed=any(len(kinds) > 1 for kinds in columns.values()))


def _schema(source: Source, number: int, columns: dict[int | None, set[str]]) -> Schema:
    """Read a schema, and add its columns to those of the other schemas."""
    name = f"schema/schema-{number}"
    contents = _document(source, name)
    fields = contents.members(contents.take("fields", list), Document)
    if contents.take("id", int) != number:
        raise Damaged(name, f"it says that it is schema {contents.take('id', int)}")
    for field in fields:
        column = f"{field.take('name', str)}: {json.dumps(field.get('type', object), sort_keys=True)}"
        columns.setdefault(field.get("id", int), set()).add(column.removesuffix(' NOT NULL"').removesuffix('"'))
    types = {field.take("name", str): field.get("type", object) for field in fields}
    keys, partitions = (
        contents.members(contents.take(member, list), str) for member in ("primaryKeys", "partitionKeys")
    )
    for key in (*keys, *partitions):
        if key not in types:
            raise Damaged(name, f"its key {brief(key)} is not a column")
    return Schema(
        tuple(keys),
        tuple(partitions),
        types,
        {str(option): str(value) for option, value in contents.take("options", dict).items()},
        has_changed=False,
    )


def versions(source: Source, folder: str, prefix: str) -> list[int]:
    """The numbers of the files ``prefix-N`` in a folder, in order."""
    pattern = re.compile(re.escape(prefix) + r"([0-9]{1,18})")
    matches = (pattern.fullmatch(entry.base) for entry in source.entries(folder) if not entry.is_folder)
    return sorted(int(match[1]) for match in matches if match)


# Snapshots and their lists --------------------------------------------------------------------------------------------


def decode_snapshot(source: Source, item: Item) -> Iterator[Row]:
    """A snapshot with the manifests in its lists: one row of :data:`SNAPSHOTS`."""
    name = f"snapshot/snapshot-{item.version}"
    contents = _document(source, name)
    if contents.take("id", int) != item.version:
        raise Damaged(name, f"it says that it is snapshot {contents.take('id', int)}")
    base, delta, *_ = lists = _lists(contents)
    listed = _listed(source, delta)
    changes = [change for change, _, _ in listed]
    yield (
        item.version,
        contents.take("commitUser", str),
        contents.take("commitIdentifier", int),
        contents.take("commitKind", str),
        contents.take("timeMillis", int),
        contents.get("indexManifest", str),
        lists,
        digest(manifests_in(source, base)),
        digest(changes),
        changes,
        contents.take("schemaId", int),
        _sum(added for _, added, _ in listed),
        _sum(removed for _, _, removed in listed),
        contents.get("deltaRecordCount", int),
        contents.get("totalRecordCount", int),
        contents.get("nextRowId", int),
    )


def _lists(contents: Document) -> list[str]:
    """The lists that a snapshot names: of its base, of its delta, and others."""
    others = (contents.get(field, str) for field in ("changelogManifestList", "indexManifest"))
    return [contents.take("baseManifestList", str), contents.take("deltaManifestList", str), *filter(None, others)]


def decode_other(source: Source, item: Item) -> Iterator[Row]:
    """A snapshot-like file: one row of :data:`OTHERS`, or none if it is gone."""
    (name,) = item.names
    try:
        contents = _document(source, name)
    except Missing:
        return
    lists, mark = _lists(contents), (contents.take("commitUser", str), contents.take("commitIdentifier", int))
    yield name, *mark, lists, lists[1], contents.take("id", int), contents.get("indexManifest", str)


def others(source: Source) -> list[str]:
    """The snapshot-like files of branches, tags and changelogs."""
    entries = [entry for folder in ("branch", "changelog", "tag") for entry in source.entries(folder, recursive=True)]
    return [entry.name for entry in entries if not entry.is_folder and _OTHER.fullmatch(entry.name)]


def lists_of(source: Source, snapshot: str) -> list[str]:
    """The manifest lists that a snapshot's file names, beginning with its base and its delta."""
    return _lists(_document(source, snapshot))


def manifests_in(source: Source, manifest_list: str) -> list[str]:
    """The manifests that a manifest list names."""
    return [name for name, _, _ in _listed(source, manifest_list)]


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum, None if a count is unknown."""
    numbers = list(counts)
    return None if None in numbers else sum(number or 0 for number in numbers)


def _listed(source: Source, manifest_list: str) -> list[tuple[str, int | None, int | None]]:
    """A list's manifests, and the numbers of entries of each kind that it states for them."""
    name = f"manifest/{manifest_list}"
    records = [tuple(map(record.get, _OF_LIST)) for record in read_records(source, name, _OF_LIST)]
    if not all(type(manifest) is str for manifest, *_ in records):
        raise Damaged(name, "it has entries without a name")
    if not all(type(count) is int or count is None for _, *counts in records for count in counts):
        raise Damaged(name, "it does not count its manifests' files")
    twice = [manifest for manifest, count in Counter(manifest for manifest, *_ in records).items() if count > 1]
    if twice:
        raise Damaged(name, f"it names {brief(twice[0])} twice")
    return [(str(manifest), added, removed) for manifest, added, removed in records]


def digest(names: Iterable[str]) -> bytes:
    """The digest of a list: a sum of hashes, independent of the order of names."""
    return (sum(map(_number_of, names)) % _WHOLE).to_bytes(16, "little")


@lru_cache(maxsize=2**16)  # consecutive bases share nearly all names
def _number_of(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "little")


def together(half: bytes, other: bytes) -> bytes:
    """The digest of two lists together.

    Examples:
        >>> together(digest(["a"]), digest(["b", "c"])) == digest(["c", "a", "b"])
        True
    """
    return ((int.from_bytes(half, "little") + int.from_bytes(other, "little")) % _WHOLE).to_bytes(16, "little")


# Manifests ---------------------------------------------------------------------------------------------------------


def decode_manifest(source: Source, item: Item) -> Iterator[Row]:
    """The entries of a version's manifests: rows of :data:`ENTRIES`."""
    for name in item.names:
        yield from _entries(source, name, item.version, is_delta=True)


def decode_link(source: Source, item: Item) -> Iterator[Row]:
    """The differences between a version's base and the state its predecessor left: rows of :data:`ENTRIES`.

    The item's names are the version's base, and the predecessor's base and delta. If manifests were only merged, both
    come to the same files, and there are no rows.
    """
    base, *before = item.names
    now = set(manifests_in(source, base))
    then = {name for manifest_list in before for name in manifests_in(source, manifest_list)}
    if before and _effect(source, now - then) == _effect(source, then - now):
        return
    entries: dict[Row, Row] = {}
    counts: Counter[Row] = Counter()
    for names, sign in ((now - then, 1), (then - now, -1)):
        for name in names:
            for entry in _entries(source, name, item.version, is_delta=False):
                file = entry[3:7]
                entries.setdefault(file, entry)
                counts[file] += sign if entry[2] == ADD else -sign
    for file, count in sorted(counts.items(), key=repr):
        if count:
            entry = entries[file]
            yield (*entry[:2], ADD if count > 0 else DELETE, *entry[3:])


def _effect(source: Source, manifests: Iterable[str]) -> int:
    """A number that depends only on the files left by manifests; much cheaper than decoding all entries."""
    total = 0
    for manifest in manifests:
        name = f"manifest/{manifest}"
        for record in read_records(source, name, _OF_FILE):
            with _naming(name):
                file = record["_PARTITION"], record["_BUCKET"], *record["_FILE"].values()
                total += _number_of(repr(file)) if record["_KIND"] == ADD else -_number_of(repr(file))
    return total % _WHOLE


def _entries(source: Source, manifest: str, version: int, is_delta: bool) -> Iterator[Row]:
    name = f"manifest/{manifest}"
    for record in read_records(source, name, _OF_ENTRY):
        with _naming(name):
            file = record["_FILE"]
            row = (
                version,
                is_delta,
                record["_KIND"],
                record["_PARTITION"],
                record["_BUCKET"],
                file["_LEVEL"],
                file["_FILE_NAME"],
                file["_ROW_COUNT"],
                file["_MIN_SEQUENCE_NUMBER"],
                file["_MAX_SEQUENCE_NUMBER"],
                file["_MIN_KEY"],
                file["_MAX_KEY"],
                file.get("_CREATION_TIME"),
                file.get("_EXTERNAL_PATH") is not None,
                file.get("_FILE_SIZE"),
                file.get("_SCHEMA_ID"),
                file.get("_FIRST_ROW_ID"),
            )
        _check_types(row, ENTRIES, name)
        if row[2] not in (ADD, DELETE):
            raise Damaged(name, f"an entry is of kind {brief(row[2])}")
        _check_values(record, name)
        yield row


# Index manifests ----------------------------------------------------------------------------------------------------


def decode_index(source: Source, item: Item) -> Iterator[Row]:
    """The deletion vectors of an index manifest: rows of :data:`RANGES`."""
    (index,) = item.names
    name = f"manifest/{index}"
    seen: set[Row] = set()
    for record in read_records(source, name, _OF_INDEX):
        with _naming(name):
            if record["_KIND"] != ADD:
                raise Damaged(name, f"an entry is of kind {brief(record['_KIND'])}")
            if record["_INDEX_TYPE"] != "DELETION_VECTORS":
                continue
            where = (record["_PARTITION"], record["_BUCKET"])
            ranges = record["_DELETIONS_VECTORS_RANGES"] or ()
            if record.get("_ROW_COUNT") not in (None, len(ranges)):
                raise Damaged(
                    name, f"an entry counts {brief(record['_ROW_COUNT'])} deletion vectors, and has {len(ranges):,}"
                )
            for span in ranges:
                row = (
                    index,
                    *where,
                    span["f0"],
                    record.get("_EXTERNAL_PATH") or record["_FILE_NAME"],
                    span["f1"],
                    span["f2"],
                    span.get("_CARDINALITY"),
                )
                _check_types(row, RANGES, name)
                if (*where, span["f0"]) in seen:
                    raise Damaged(name, f"it has two deletion vectors for {brief(span['f0'])}")
                seen.add((*where, span["f0"]))
                yield row


@contextmanager
def _naming(manifest: str) -> Iterator[None]:
    """Report a field missing from an entry, together with the manifest's name."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as error:
        raise Damaged(manifest, f"its entries lack {error}") from None


# Checks ---------------------------------------------------------------------------------------------------------------


def _document(source: Source, name: str) -> Document:
    return Document(source.read_json(name, _MOST_OF_JSON), name)


_PYTHON = {
    pa.int8(): int,
    pa.int32(): int,
    pa.int64(): int,
    pa.string(): str,
    pa.binary(): bytes,
    pa.bool_(): bool,
}
_SHORT = range(-(2**31), 2**31)
_MAY_BE_NULL = {"millis", "cardinality", "min_key", "max_key", "size", "schema", "first_row"}
#: The columns of a schema for :func:`_check_types`: name, Python type, whether it has 32 bits.
_LOOK: dict[int, list[tuple[str, type, bool]]] = {
    id(schema): [(column.name, _PYTHON[column.type], column.type == pa.int32()) for column in schema]
    for schema in (ENTRIES, RANGES)
}


def _check_types(row: Row, schema: pa.Schema, name: str) -> None:
    for value, (column, kind, is_short) in zip(row, _LOOK[id(schema)], strict=True):
        if type(value) is not kind and not (value is None and column in _MAY_BE_NULL):
            raise Damaged(name, f"{column} is {brief(value)}")
        if is_short and value not in _SHORT:
            raise Damaged(name, f"{column} is {brief(value)}")


def _check_values(entry: dict[str, Any], name: str) -> None:
    """Refuse numbers that no writer writes, although their types are right."""
    file, buckets = entry["_FILE"], entry.get("_TOTAL_BUCKETS")
    for field in ("_LEVEL", "_ROW_COUNT"):
        if file[field] < 0:
            raise Damaged(name, f"{field} is {file[field]}")
    if file["_MIN_SEQUENCE_NUMBER"] > file["_MAX_SEQUENCE_NUMBER"]:
        raise Damaged(name, "a file's smallest sequence number is larger than its largest")
    if type(buckets) is int and buckets > 0 and not 0 <= entry["_BUCKET"] < buckets:
        raise Damaged(name, f"an entry is of bucket {entry['_BUCKET']} of {buckets}")
