"""The actions in the entries and checkpoints of Delta's log."""

import base64
import json
import re
import string
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from workbench.audits.columns import column_names, read_columns
from workbench.audits.damaged import Damaged
from workbench.audits.documents import Document
from workbench.audits.source import Elsewhere, Source, json_of
from workbench.audits.vectors import StoredVector
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.protocols.delta.audit.log import SIDECARS

#: The largest entry, and the largest checkpoint in JSON.
MOST_OF_ENTRY = 256 * 2**20
#: The known versions and features of the protocol. Features for writers alone do not change how to read.
READER_VERSION, WRITER_VERSION = 3, 7
READER_FEATURES = frozenset(
    ("columnMapping", "deletionVectors", "timestampNtz", "typeWidening", "typeWidening-preview", "v2Checkpoint")
    + ("vacuumProtocolCheck", "variantType", "variantType-preview", "variantShredding-preview")
)
#: With one of these features, a catalog decides which commits succeed; they appear in the log only later.
CATALOG_FEATURES = frozenset(("catalogManaged", "catalogOwned", "catalogOwned-preview"))

_FILE_FIELDS = ("path", "partitionValues", "size", "dataChange", "deletionVector", "stats", "baseRowId")
_COLUMNS = ("metaData", "protocol", "txn", "domainMetadata", "sidecar", "checkpointMetadata")
_MAPS = ("partitionValues", "configuration", "options")
#: The domain whose metadata has the largest row id that is assigned.
_ROW_TRACKING = "delta.rowTracking"
_LOCAL = re.compile("^file:(//)?/")
_ALPHABETS = (
    string.digits + string.ascii_lowercase + string.ascii_uppercase + ".-:+=^!/*?&<>()[]{}@%$#",
    string.digits + string.ascii_uppercase + string.ascii_lowercase + "!#$%&()*+-;<=>?@^_`{|}~",
)


Partition = tuple[tuple[str, str | None], ...]


class VectorPlace(NamedTuple):
    """The place of a data file's deletion vector.

    Attributes:
        id: Its unique identifier.
        name: Its file; None if it is inline, or outside the table.
        inline: Its bytes, if they are in the log.
        unreadable: The reason why its place or its bytes cannot be determined; None if they can.
    """

    id: str
    name: str | None
    inline: bytes | None
    offset: int
    size: int
    cardinality: int
    unreadable: str | None = None


class FileAction(NamedTuple):
    """An ``add`` or a ``remove``.

    Attributes:
        name: The file's name; its location if it is elsewhere, without ``file:``.
        partition: The partition columns with their values, which may be null; None if unsaid.
        rows: Read only where there is a deletion vector, or row ids.
        base_row: The row id of its first row, in tables with row tracking.
    """

    name: str
    is_outside: bool
    size: int | None
    partition: Partition | None
    is_data_change: bool
    vector: VectorPlace | None
    rows: int | None
    base_row: int | None

    @property
    def vector_id(self) -> str | None:
        """The key that distinguishes this file from the same one with other rows deleted."""
        return None if self.vector is None else self.vector.id

    def stored_vector(self) -> StoredVector | None:
        """Its deletion vector; None if it has none, or one whose bytes are not in the table."""
        place = self.vector
        if place is None or place.unreadable is not None or (place.inline is None and place.name is None):
            return None
        where = place.name or self.name, place.offset, place.size
        return StoredVector(self.name, *where, place.cardinality, self.rows, place.inline)


class TableMetadata(NamedTuple):
    """A ``metaData`` action; `configuration` and the objects in `schema`, which is JSON, are sorted."""

    id: str
    provider: str
    schema: str | None
    partition_columns: tuple[str, ...]
    configuration: tuple[tuple[str, str], ...]

    def setting(self, name: str) -> str | None:
        """A table property."""
        return dict(self.configuration).get(name)


class TableProtocol(NamedTuple):
    """A ``protocol`` action."""

    reader: int
    writer: int
    reader_features: frozenset[str]
    writer_features: frozenset[str]


@dataclass
class Actions:
    """The actions of an entry or a checkpoint.

    Attributes:
        rows: The number of actions, of any kind.
        changes: The number of those that name a file of the change data feed, which is not part of the table.
        transactions: The versions of applications' transactions, by application.
        high_water_mark: The largest row id that is assigned.
        commit_info: The writer's statement about itself.
    """

    name: str
    rows: int = 0
    changes: int = 0
    adds: list[FileAction] = field(default_factory=list)
    removes: list[FileAction] = field(default_factory=list)
    metadata: list[TableMetadata] = field(default_factory=list)
    protocol: list[TableProtocol] = field(default_factory=list)
    transactions: dict[str, int] = field(default_factory=dict)
    high_water_mark: int | None = None
    sidecars: list[tuple[str, int]] = field(default_factory=list)
    commit_info: Document | None = None
    info_is_first: bool = False

    def info(self, name: str, kind: type[Any]) -> Any:
        """A field of ``commitInfo``; None if it is not there."""
        return None if self.commit_info is None else self.commit_info.get(name, kind)

    def take(self, source: Source, documents: Iterable[Any], name: str) -> None:
        """Add actions; unknown ones, which the protocol lets readers ignore, only count."""
        for document in documents:
            action = Document(document, name)
            self.rows += 1
            self.changes += action.get("cdc", dict) is not None
            for kind, files in (("add", self.adds), ("remove", self.removes)):
                if (fields := action.get(kind, dict)) is not None:
                    files.append(_file(source, Document(fields, name), is_add=kind == "add"))
            if (fields := action.get("metaData", dict)) is not None:
                self.metadata.append(read_metadata(Document(fields, name)))
            if (fields := action.get("protocol", dict)) is not None:
                self.protocol.append(read_protocol(Document(fields, name)))
            if (fields := action.get("txn", dict)) is not None:
                transaction = Document(fields, name)
                self.transactions[transaction.take("appId", str)] = transaction.take("version", int)
            if (fields := action.get("domainMetadata", dict)) is not None:
                self._take_domain(Document(fields, name))
            if (fields := action.get("sidecar", dict)) is not None:
                sidecar = Document(fields, name)
                path = unquote(sidecar.take("path", str)).rpartition("/")[2]
                self.sidecars.append((f"{SIDECARS}/{path}", sidecar.take("sizeInBytes", int)))
            if (fields := action.get("commitInfo", dict)) is not None:
                self.commit_info, self.info_is_first = Document(fields, name), self.rows == 1

    def _take_domain(self, domain: Document) -> None:
        if domain.take("domain", str) == _ROW_TRACKING and not domain.get("removed", bool, False):
            configuration = json_of(domain.take("configuration", str).encode(), domain.name)
            self.high_water_mark = Document(configuration, domain.name).take("rowIdHighWaterMark", int)


def read_entry(source: Source, name: str) -> Actions:
    """An entry of the log.

    Raises:
        Missing: If it does not exist.
        InputError: If it is damaged, or has no action.
    """
    entry = Actions(name)
    entry.take(source, _lines(source, name), name)
    if not entry.rows:
        raise Damaged(name, "it has no action; an entry has at least one")
    return entry


def read_checkpoint(source: Source, names: tuple[str, ...]) -> Actions:
    """A checkpoint, with its sidecars.

    Raises:
        Missing, InputError: If a part does not exist, or is damaged.
    """
    checkpoint = Actions(names[0])
    for name in names:
        checkpoint.take(source, (_lines if name.endswith(".json") else _rows)(source, name), name)
    for name, size in checkpoint.sidecars:
        with source.open(name) as file:
            if file.size() != size:
                raise Damaged(name, f"it has {file.size():,} bytes, and should have {size:,}")
        checkpoint.take(source, _rows(source, name), name)
    if len(checkpoint.metadata) != 1 or len(checkpoint.protocol) != 1:
        counts = f"{len(checkpoint.metadata)} metaData actions and {len(checkpoint.protocol)} protocol actions"
        raise Damaged(names[0], f"it has {counts}; a checkpoint has one of each")
    return checkpoint


def rows_added(source: Source, name: str, file: str) -> int | None:
    """The number of rows of a file that an entry adds, by its statistics; None if these do not say.

    Raises:
        Missing: If the entry does not exist.
    """
    for fields in (Document(document, name).get("add", dict) for document in _lines(source, name)):
        if fields is not None and _place(source, (add := Document(fields, name)).take("path", str))[0] == file:
            return _rows_of(add)
    return None


def _lines(source: Source, name: str) -> Iterator[Any]:
    """The JSON documents: one per line, or one over several lines, from a line with only { to one with only }."""
    spread: list[bytes] = []
    for number, line in enumerate(source.read(name, MOST_OF_ENTRY).split(b"\n"), 1):
        if spread or line.rstrip() == b"{":
            spread.append(line)
            if line.rstrip() == b"}":
                yield json_of(b"\n".join(spread), name, number + 1 - len(spread))
                spread.clear()
        elif line.strip():
            yield json_of(line, name, number)
    if spread:
        yield json_of(b"\n".join(spread), name, number + 1 - len(spread))


def _rows(source: Source, name: str) -> Iterator[Any]:
    """The rows of a checkpoint in Parquet, as the documents that entries have."""
    there = column_names(source, name)
    columns = [f"{kind}.{member}" for kind in ("add", "remove") if kind in there for member in _FILE_FIELDS]
    columns += [column for column in _COLUMNS if column in there]
    if not columns:
        raise Damaged(name, "it has none of the columns of a checkpoint, such as add")
    for batch in read_columns(source, name, columns):
        try:
            rows = batch.to_pylist()
        except UnicodeDecodeError as error:
            raise Damaged(name, f"it has a text that is not UTF-8: {error}") from None
        for row in rows:
            yield {kind: _plain(value) for kind, value in row.items() if value is not None}


def _plain(value: Any) -> Any:
    """A value of Arrow in JSON's form: a map, which is a list of pairs, becomes an object."""
    if isinstance(value, dict):
        return {name: {} if part == [] and name in _MAPS else _plain(part) for name, part in value.items()}
    if isinstance(value, list) and value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        return dict(value)
    return value


def read_metadata(action: Document) -> TableMetadata:
    """A ``metaData`` action, whose schema, if there is one, must be a struct with the partition columns."""
    columns = tuple(action.members(action.take("partitionColumns", list), str, "partitionColumns"))
    schema = action.get("schemaString", str)
    if schema is not None:
        struct = json_of(schema.encode(), action.name)
        fields = Document(struct, action.name).all("fields", Document)
        absent = sorted(set(columns) - {column.take("name", str) for column in fields})
        if absent:
            raise Damaged(action.name, f"its schema has no partition column {brief(absent[0])}")
        schema = json.dumps(struct, sort_keys=True)
    configuration = {name: value for name, value in action.get("configuration", dict, {}).items() if value is not None}
    action.members(configuration, str, "configuration")
    provider = Document(action.get("format", dict, {"provider": "parquet"}), action.name).take("provider", str)
    return TableMetadata(action.take("id", str), provider, schema, columns, tuple(sorted(configuration.items())))


def read_protocol(action: Document) -> TableProtocol:
    """A ``protocol`` action.

    Raises:
        InputError: If it has a version above those that are known.
    """
    versions = action.take("minReaderVersion", int), action.take("minWriterVersion", int)
    for kind, version, highest in zip(("Reader", "Writer"), versions, (READER_VERSION, WRITER_VERSION), strict=True):
        if not 1 <= version <= highest:
            raise InputError(
                f"{brief(action.name)} is not accepted: min{kind}Version is {version}; 1 to {highest} are read"
            )
    features = (frozenset(action.all(field, str)) for field in ("readerFeatures", "writerFeatures"))
    return TableProtocol(*versions, *features)


def _file(source: Source, action: Document, *, is_add: bool) -> FileAction:
    """An ``add``, which must have a size and a partition, or a ``remove``, which may state that it lacks them."""
    part = action.take if is_add else action.get
    name, is_outside = _place(source, action.take("path", str))
    values, size = part("partitionValues", dict), part("size", int)
    if not is_add and action.get("extendedFileMetadata", bool) is False:
        values = size = None
    action.members([value for value in (values or {}).values() if value is not None], str, "a value in partitionValues")
    vector, base_row = action.get("deletionVector", dict), action.get("baseRowId", int)
    return FileAction(
        name,
        is_outside,
        size,
        None if values is None else tuple(sorted(values.items())),
        action.take("dataChange", bool),
        None if vector is None else _vector(source, Document(vector, action.name)),
        None if vector is base_row is None else _rows_of(action),
        base_row,
    )


def _rows_of(action: Document) -> int | None:
    """A file's rows, by its statistics."""
    stats = action.get("stats", str)
    return Document(json_of(stats.encode(), action.name), action.name).get("numRecords", int) if stats else None


def _place(source: Source, path: str) -> tuple[str, bool]:
    """A file's name within the table, or its location outside; and whether it is outside."""
    location = unquote(path)
    if not location.startswith("/") and "://" not in location and not location.startswith("file:"):
        return location, False
    try:
        return source.inside(location), False
    except Elsewhere:
        return _LOCAL.sub("/", location), True


def _vector(source: Source, vector: Document) -> VectorPlace:
    kind, place = vector.take("storageType", str), vector.take("pathOrInlineDv", str)
    offset = vector.get("offset", int)
    vector_place = VectorPlace(
        f"{kind}{place}" + ("" if offset is None else f"@{offset}"),
        None,
        None,
        offset or 0,
        vector.take("sizeInBytes", int),
        vector.take("cardinality", int),
    )
    if kind == "p":
        name, is_outside = _place(source, place)
        return vector_place if is_outside else vector_place._replace(name=name)
    try:
        if kind == "i":
            return vector_place._replace(inline=_z85(place))
        if kind != "u" or len(place) < 20:
            raise ValueError("u, p and i are read, and u ends with 20 signs")
        folder, file = place[:-20], f"deletion_vector_{uuid.UUID(bytes=_z85(place[-20:]))}.bin"
        return vector_place._replace(name=f"{folder}/{file}" if folder else file)
    except ValueError as error:
        return vector_place._replace(unreadable=f"is of storageType {brief(kind)} at {brief(place)}: {error}")


def _z85(text: str) -> bytes:
    """Decode Z85, which is base85 with another alphabet.

    Rust's writers put a ``#`` at the beginning of the last five signs for each byte that the last four lack.
    """
    theirs, ours = _ALPHABETS
    if not set(text) <= set(theirs) or len(text) % 5:
        raise ValueError("it is not in Z85")
    end = text[-5:].lstrip("#")
    absent = len(text[-5:]) - len(end)
    content = base64.b85decode((text[:-5] + "0" * absent + end).translate(str.maketrans(theirs, ours)))
    return content[:-4] + content[-4:][absent:]
