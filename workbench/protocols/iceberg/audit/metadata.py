"""Iceberg's metadata files: their listing, and the history in each."""

import re
import zlib
from collections.abc import Iterator
from itertools import takewhile, zip_longest
from typing import NamedTuple

from workbench.audits.damaged import Damaged, Missing
from workbench.audits.documents import Document
from workbench.audits.row_ids import RowIds
from workbench.audits.source import MOST_BYTES, Source, json_of
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

FOLDER = "metadata"

#: The supported format versions.
FORMAT_VERSIONS = (1, 2, 3)

#: The counts in a snapshot's summary that are compared with its files.
TOTALS = ("total-data-files", "total-delete-files", "total-records", "added-data-files", "added-records")

#: The entries in summaries by which Flink's committer identifies its commits: no two in a table have the same.
_MARK = ("flink.job-id", "flink.operator-id", "flink.max-committed-checkpoint-id")

#: The checkpoint id that commits of batches have.
_OF_BATCHES = str(2**63 - 1)

_NAME = re.compile(r"(?:v(\d{1,18})|(\d{1,18})-[^/]+)(?:\.gz)?\.metadata\.json(?:\.gz)?")
_METADATA = re.compile(r".*\.metadata\.json(?:\.gz)?")
#: A manifest list, with its snapshot's id.
MANIFEST_LIST = re.compile(r"snap-(\d{1,19})-.*\.avro")
_HINT = f"{FOLDER}/version-hint.text"


class IcebergSnapshot(NamedTuple):
    """A snapshot in a metadata file; `sequence` is 0 in tables of version 1.

    From version 3 on, `first_row` is the first row id that it assigns, and `added_rows` how many.
    """

    id: int
    parent: int | None
    sequence: int
    millis: int
    manifest_list: str | None
    operation: str
    summary: Document | None = None
    first_row: int | None = None
    added_rows: int | None = None

    def row_ids(self) -> RowIds | None:
        """The row ids that it has assigned; None before format version 3."""
        if self.first_row is None:
            return None
        return RowIds(self.first_row, self.added_rows or 0, f"snapshot {self.id}", self.sequence)

    def totals(self) -> dict[str, int]:
        """The counts in its summary. They are computed on demand, since older metadata files repeat every snapshot."""
        texts = {} if self.summary is None else {name: self.summary.get(name, str, "") for name in TOTALS}
        return {name: int(number) for name, number in texts.items() if number.isdecimal()}

    def mark(self) -> tuple[str, ...] | None:
        """Flink's identifier of the commit, if it has one that is unique to the commit."""
        ids = () if self.summary is None else tuple(self.summary.get(name, str, "") for name in _MARK)
        return ids if all(ids) and ids[-1] != _OF_BATCHES else None


class Left(NamedTuple):
    """Snapshots that were in the main branch until its head changed, newest first.

    Attributes:
        first: The oldest of those that the main branch has in their place; None if it was rolled back.
    """

    snapshots: tuple[IcebergSnapshot, ...]
    first: IcebergSnapshot | None

    @property
    def is_unseen(self) -> bool:
        """Whether the other writer had not seen them: it took a number that one of them has; 0 does not count."""
        return self.first is not None and 0 != self.first.sequence in {snapshot.sequence for snapshot in self.snapshots}

    @property
    def is_on_purpose(self) -> bool:
        """Whether the table was rolled back or replaced; a replaced one has a new first snapshot, but counts on."""
        first = self.first
        return first is None or (first.parent is None and first.sequence > self.snapshots[0].sequence)


class Metadata(NamedTuple):
    """The contents of one metadata file.

    Attributes:
        number: The number at the start of its name.
        uuid: The table's; a table that was dropped and recreated in the same folder has a new one.
        location: The table's location when the file was written.
        current: The head of the main branch.
        snapshots: By id.
        branches, tags: The heads of the other branches, and the tagged snapshots.
        log: The locations of the previous metadata files, oldest first.
        heads: The main branch's successive heads.
        contradictions: The contradictions within the file.
        rounded: Ids of snapshots that a tool has rounded to 64-bit floats, as some do with large numbers in JSON; each
            with the one that the name of its manifest list has.
        next_row: The first row id that no snapshot has assigned; None before format version 3.
    """

    name: str
    number: int
    uuid: str | None
    location: str
    current: int | None
    last_sequence: int
    millis: int
    snapshots: dict[int, IcebergSnapshot]
    branches: frozenset[int]
    tags: frozenset[int]
    log: tuple[str, ...]
    heads: tuple[int, ...]
    contradictions: tuple[str, ...]
    rounded: dict[int, int] = {}
    next_row: int | None = None

    def is_of_another(self, metadata: "Metadata") -> bool:
        """Whether the two files belong to different tables."""
        return None not in (self.uuid, metadata.uuid) and self.uuid != metadata.uuid

    def ancestors(self, of: int | None) -> Iterator[IcebergSnapshot]:
        """A snapshot and its listed ancestors."""
        seen = set()
        while of is not None and of in self.snapshots and of not in seen:
            seen.add(of)
            yield self.snapshots[of]
            of = self.snapshots[of].parent

    def left_by(self, before: int, after: int) -> Left:
        """The snapshots that were left when the head went from one snapshot to another."""
        old: dict[int, IcebergSnapshot] = {}
        new: dict[int, IcebergSnapshot] = {}
        shared = None  # the newest that both descend from; histories are long, and it is near
        for one, other in zip_longest(self.ancestors(before), self.ancestors(after)):
            old |= {} if one is None else {one.id: one}
            new |= {} if other is None else {other.id: other}
            shared = next((step.id for step in (one, other) if step and step.id in old and step.id in new), None)
            if shared is not None:
                break
        left, instead = (tuple(takewhile(lambda snapshot: snapshot.id != shared, some.values())) for some in (old, new))
        return Left(left, instead[-1] if instead else None)

    def built_on(self, id: int) -> set[int]:
        """A snapshot, and those that were built on it."""
        ids = {id}
        for snapshot in sorted(self.snapshots.values(), key=lambda snapshot: (snapshot.sequence, snapshot.millis)):
            if snapshot.parent in ids:
                ids.add(snapshot.id)
        return ids

    def reachable(self) -> set[int]:
        """The snapshots to which the main branch, another one, or a tag leads."""
        return {snapshot.id for head in {self.current, *self.branches, *self.tags} for snapshot in self.ancestors(head)}

    def held(self) -> set[int]:
        """The snapshots that a tag or another branch keeps from expiring."""
        return {*self.tags, *(snapshot.id for head in self.branches for snapshot in self.ancestors(head))}


def written_last(source: Source, files: dict[str, int]) -> str:
    """The metadata file with the latest modification time."""
    seconds = {entry.name: entry.seconds or 0 for entry in source.entries(FOLDER)}
    return max(files, key=lambda name: (seconds.get(name, 0), files[name]))


def metadata_files(source: Source) -> dict[str, int]:
    """The metadata files and their numbers, in ascending order."""
    numbers = {name: number for name in all_metadata(source) if (number := _number(name)) is not None}
    return dict(sorted(numbers.items(), key=lambda item: (item[1], item[0])))


def all_metadata(source: Source) -> list[str]:
    """The metadata files, also those without a number, which only a catalog can name."""
    return [entry.name for entry in source.entries(FOLDER) if _METADATA.fullmatch(entry.base) and not entry.is_folder]


def _number(name: str) -> int | None:
    """The number at the start of a metadata file's name."""
    parts = _NAME.fullmatch(name.rpartition("/")[2])
    return int(parts[1] or parts[2]) if parts else None


def current_candidates(source: Source, files: dict[str, int]) -> list[str]:
    """The metadata files that may be the current one; only the catalog can choose among several."""
    last = max(files.values())
    try:
        hint = int(source.read(_HINT, at_most=100))
        last = max([hint, *_following(hint, set(files.values()))]) if hint in files.values() else last
    except (Missing, ValueError):
        pass  # the catalog keeps the number
    return [name for name, number in files.items() if number == last]


def _following(number: int, numbers: set[int]) -> Iterator[int]:
    while number + 1 in numbers:
        number += 1
        yield number


def read_metadata(source: Source, name: str) -> Metadata:
    """Parse a metadata file.

    Raises:
        Missing: If it does not exist.
        InputError: If it is damaged, or of an unsupported format version.
    """
    content = source.read(name)
    if content.startswith(b"\x1f\x8b"):
        content = _unzipped(content, name)
    document = Document(json_of(content, name), name)
    version = document.take("format-version", int)
    if version not in FORMAT_VERSIONS:
        raise InputError(f"{brief(name)} is not accepted: it is of Iceberg's format version {version}; 1 to 3 are read")
    next_row = document.take("next-row-id", int) if version >= 3 else None
    snapshots = {}
    for entry in document.all("snapshots", Document):
        if entry.get("key-id", str) is not None:
            raise InputError(f"{brief(name)} is not accepted: the table is encrypted")
        snapshot = _snapshot(entry)
        if snapshot.id in snapshots:
            raise Damaged(name, f"it has the snapshot {snapshot.id} twice")
        snapshots[snapshot.id] = snapshot
    current = document.get("current-snapshot-id", int, -1)
    refs = [Document(ref, name) for branch, ref in document.get("refs", dict, {}).items() if branch != "main"]
    return Metadata(
        name,
        _number(name) or 0,
        document.get("table-uuid", str),
        document.take("location", str),
        None if current == -1 else current,
        document.get("last-sequence-number", int, 0),
        document.get("last-updated-ms", int, 0),
        snapshots,
        _refs(refs, "branch"),
        _refs(refs, "tag"),
        tuple(entry.take("metadata-file", str) for entry in document.all("metadata-log", Document)),
        heads := tuple(entry.take("snapshot-id", int) for entry in document.all("snapshot-log", Document)),
        tuple(_contradictions(document, snapshots, heads)),
        {id: exact for id, snapshot in snapshots.items() if (exact := _id_in_name(snapshot)) and is_rounded(id, exact)},
        next_row,
    )


def is_rounded(id: int, exact: int) -> bool:
    """Whether an id is another one after a tool has taken it for a 64-bit float.

    Examples:
        >>> is_rounded(3055729675574597000, 3055729675574597004), is_rounded(1, 1), is_rounded(1, 2)
        (True, False, False)
    """
    return id != exact and float(id) == float(exact)


def _id_in_name(snapshot: IcebergSnapshot) -> int | None:
    """The id in the usual name of a snapshot's manifest list."""
    named = MANIFEST_LIST.fullmatch((snapshot.manifest_list or "").rpartition("/")[2])
    return int(named[1]) if named else None


def _contradictions(document: Document, snapshots: dict[int, IcebergSnapshot], heads: tuple[int, ...]) -> Iterator[str]:
    """The numbers in a metadata file that name nothing in it, or contradict each other."""
    for field, many, number in (
        ("current-schema-id", "schemas", "schema-id"),
        ("default-spec-id", "partition-specs", "spec-id"),
        ("default-sort-order-id", "sort-orders", "order-id"),
    ):
        defined = {entry.get(number, int) for entry in document.all(many, Document)}
        uses = {document.get(field, int)}
        if many == "schemas":
            uses |= {entry.get(number, int) for entry in document.all("snapshots", Document)}
        for use in sorted(use for use in uses - defined if use is not None):
            if defined:
                yield f"a {number} is {use}, and {many} has none such"
    current = document.get("current-snapshot-id", int, -1)
    ref = document.get("refs", dict, {}).get("main") or {"snapshot-id": current}
    main = Document(ref, document.name).take("snapshot-id", int)
    if main != current:
        yield f"the main branch is at {main}, and current-snapshot-id is {current}"
    if heads and current not in (-1, heads[-1]):
        yield f"snapshot-log ends with {heads[-1]}, and current-snapshot-id is {current}"
    last = document.get("last-sequence-number", int)
    newest = max((snapshot.sequence for snapshot in snapshots.values()), default=0)
    if last is not None and newest > last:
        yield f"a snapshot has the sequence number {newest}, and last-sequence-number is {last}"


def _refs(refs: list[Document], kind: str) -> frozenset[int]:
    return frozenset(ref.take("snapshot-id", int) for ref in refs if ref.get("type", str) == kind)


def _snapshot(entry: Document) -> IcebergSnapshot:
    summary = Document(entry.get("summary", dict, {}), entry.name)
    return IcebergSnapshot(
        entry.take("snapshot-id", int),
        entry.get("parent-snapshot-id", int),
        entry.get("sequence-number", int, 0),
        entry.take("timestamp-ms", int),
        entry.get("manifest-list", str),
        summary.get("operation", str, "unknown"),
        summary,
        entry.get("first-row-id", int),
        entry.get("added-rows", int),
    )


def _unzipped(content: bytes, name: str) -> bytes:
    try:
        plain = zlib.decompressobj(31).decompress(content, MOST_BYTES + 1)
    except zlib.error as error:
        raise Damaged(name, f"{error}") from None
    if len(plain) > MOST_BYTES:
        raise InputError(f"{brief(name)} is not accepted: it has more than {MOST_BYTES:,} bytes when it is unpacked")
    return plain
