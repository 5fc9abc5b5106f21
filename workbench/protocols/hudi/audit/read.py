"""Read a table of Hudi: its commits, and its file slices with the versions in which they live.

A version is the timestamp of a completed instant, as a number. A slice lives until its file group publishes the next
one or is replaced; not at all if the group was replaced before.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.documents import Document
from workbench.audits.shape import FILES, table_of
from workbench.audits.source import Source
from workbench.kernel.meaning.errors import brief
from workbench.protocols.hudi.audit.timeline import (
    DELETES,
    DIGITS,
    WRITES,
    Instant,
    Timeline,
    deleted_by,
    metadata_of,
    properties,
    version_in,
    version_of_instant,
)

#: File slices: files with the commit's own words on each.
SLICES = pa.schema(
    [
        *FILES,
        ("before", pa.int64()),  # the file group's previous slice; null if none is known
        ("replaced", pa.int64()),  # the version that replaces the file group; null if none does
        ("built_on", pa.int64()),  # the slice it was merged from, according to the commit; null if none
        ("inserts", pa.int64()),
        ("size", pa.int64()),
        ("operation", pa.string()),
        ("instant", pa.string()),  # the file that publishes it
    ]
)

#: The number of attempts to list a timeline whose instants vanish before they are read.
_TRIES = 3
#: The slices to collect as Python objects before they become a chunk of an Arrow table.
_CHUNK = 10_000

_EXTENSION = ".parquet"

#: A log file's name: its file group, and the timestamp of its slice's base file or, from version 8 on, of its own.
LOG_FILE = re.compile(r"(?:.*/)?\.([^/]+?)_(\d+)\.log\.\d+(?:_[^/]*)?")

#: A base file's name: its file group and its timestamp.
BASE_FILE = re.compile(r"(?:.*/)?([^/]+?)_[^_/]+_(\d+)\.parquet")


class LogFile(NamedTuple):
    """A log file, as described by the last deltacommit that names it.

    Attributes:
        size: The bytes that it had then; it may have grown since. None if unsaid.
        completed_at: When the deltacommit completed; empty if nothing says it.
    """

    partition: str
    group: str
    version: int
    size: int | None
    completed_at: str


class Plan(NamedTuple):
    """A compaction's plan.

    Attributes:
        is_done: Whether the compaction has completed.
        merges: By partition and file group, the version of the slice whose log files are merged, and their names.
    """

    instant: Instant
    is_done: bool
    merges: dict[tuple[str, str], tuple[int, frozenset[str]]]


@dataclass(frozen=True)
class HudiTable:
    """A Hudi table as its timeline and files describe it.

    Attributes:
        commits: The versions of the completed instants that write.
        slices: Of the shape SLICES, sorted by partition, file group and version.
        archived: Of the same shape: each file group's newest slice from before the active timeline. Only their names
            are known; readers take them as published.
        present: The files in the folders that have slices, with their sizes.
        deleted: From a file's name without its folder to the instants that report its deletion.
        cleaned_up_to: Cleaners may delete what was no longer its group's newest slice before this version.
        cleaned_unsaid: Whether unreported deletions are possible: a cleaner is at work, or its instant was archived.
        has_history: Whether older instants were archived.
        unread: The instants that are damaged. Base files with their timestamps count as what they published.
        logs: The log files that active deltacommits name.
        plans: Of the active compactions.
        replaced: From a partition and a file group to the version that replaces it.
        whole_from: No instant of this version or a later one was archived.
    """

    source: Source
    properties: dict[str, str]
    commits: list[int]
    slices: pa.Table
    archived: pa.Table
    present: dict[str, int]
    deleted: dict[str, list[Instant]]
    cleaned_up_to: int
    cleaned_unsaid: bool
    has_history: bool
    unread: frozenset[Instant]
    logs: dict[str, LogFile]
    plans: tuple[Plan, ...]
    replaced: dict[tuple[str, str], int]
    whole_from: int

    @property
    def there(self) -> set[int]:
        """The versions of the completed commits, even if their instants are damaged."""
        return {*self.commits, *(instant.version for instant in self.unread)}

    @property
    def logs_have_versions(self) -> bool:
        """Whether a log file's name has its own timestamp, and not its base file's."""
        return int(self.properties["hoodie.table.version"]) >= 8

    @property
    def has_logs(self) -> bool:
        """Whether rows may be in log files, which are not read."""
        return self.properties["hoodie.table.type"].upper() == "MERGE_ON_READ"

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that rows have for their key: Hudi's own or, without these, the key generator's one field."""
        if self.has_keys:
            return ("_hoodie_record_key",)
        fields = self.properties.get("hoodie.table.recordkey.fields", "").split(",")
        return tuple(field for field in fields if field) if len(fields) == 1 else ()

    @property
    def versions(self) -> tuple[int | None, int | None]:
        """The first and the last version."""
        return min(self.commits, default=None), max(self.commits, default=None)

    @property
    def has_keys(self) -> bool:
        """Whether rows carry their key and commit time."""
        return self.properties.get("hoodie.populate.meta.fields", "true").lower() != "false"


def read(source: Source, damages: Damages) -> HudiTable:
    """Read a table as of one listing of its timeline, without the instants that are damaged.

    Raises:
        Damaged: If its properties are.
    """
    config = properties(source)
    timeline = Timeline(source, config)
    for tries_left in reversed(range(_TRIES)):
        reading = _TimelineReading(source, damages)
        try:
            reading.add(timeline.instants())
            break
        except Missing:  # archived, or rolled back
            if not tries_left:
                raise
    table = reading.table(config, timeline.has_history())
    gone = set(unpublished(table)["name"].to_pylist())
    if not gone:
        return table
    # A cleaner may have deleted a slice between the two listings; by now the timeline records that.
    instants = timeline.instants()
    reading.add(instants)
    later = reading.table(config, timeline.has_history())
    still = unpublished(later)
    names = {instant.name for instant in instants}
    excused = gone - {slice["name"] for slice in still.to_pylist() if slice["instant"] in names}
    kept = pc.invert(pc.is_in(table.slices["name"], value_set=pa.array(excused, pa.string())))
    return replace(table, slices=table.slices.filter(kept))


def unpublished(table: HudiTable) -> pa.Table:
    """Published slices without a file that no cleaner may have deleted."""
    slices = table.slices
    gone = slices.filter(pc.invert(pc.is_in(slices["name"], value_set=pa.array(table.present, pa.string()))))
    if table.cleaned_unsaid:
        return gone.filter(pc.is_null(gone["last"]))
    cleaned = [
        any(instant.action == "clean" for instant in table.deleted.get(name.rpartition("/")[2], ()))
        for name in gone["name"].to_pylist()
    ]
    by_rule = pc.fill_null(pc.less(gone["last"], table.cleaned_up_to), False)
    excused = pc.and_(pc.is_valid(gone["last"]), pc.or_(pa.array(cleaned, pa.bool_()), by_rule))
    return gone.filter(pc.invert(excused))


class _TimelineReading:
    """The state accumulated from instants so far."""

    def __init__(self, source: Source, damages: Damages) -> None:
        self._source, self._damages = source, damages
        self._unread: set[Instant] = set()
        self._seen: set[str] = set()
        self._commits: list[int] = []
        self._slices: list[dict[str, Any]] = []
        self._chunks: list[pa.Table] = []
        self._replaced: dict[tuple[str, str], int] = {}
        self._deleted: dict[str, list[Instant]] = {}
        self._cleaned_up_to = 0
        self._cleaned_unsaid = False
        self._begins: int | None = None
        self._whole_from = 0
        self._logs: dict[str, LogFile] = {}
        self._plans: dict[str, Plan] = {}

    def add(self, instants: Sequence[Instant]) -> None:
        """Read the new instants."""
        completed = {(instant.ts, instant.action) for instant in instants if instant.state == "completed"}
        self._begins = min((instant.version for instant in instants if instant.action in WRITES), default=None)
        # A savepoint may keep an instant while later ones are archived.
        kept = {instant.ts for instant in instants if instant.action == "savepoint"}
        self._whole_from = min(
            (instant.version for instant in instants if instant.action in WRITES and instant.ts not in kept), default=0
        )
        for instant in instants:
            if instant.name in self._seen:
                continue
            if (instant.action, instant.state) == ("compaction", "requested"):
                self._plan(instant, is_done=(instant.ts, "commit") in completed)
            if instant.state != "completed":
                is_pending = (instant.ts, instant.action) not in completed
                self._cleaned_unsaid |= is_pending and instant.action in DELETES
            elif instant.action in (*WRITES, *DELETES):
                self._completed(instant)
            self._seen.add(instant.name)

    def _plan(self, instant: Instant, *, is_done: bool) -> None:
        """Read the plan of a compaction, unless it is still being written."""
        try:
            self._plans[instant.ts] = plan_of(metadata_of(self._source, instant), instant, is_done=is_done)
        except Missing:
            raise
        except Damaged as error:
            if is_done:
                self._damages.note(error, [instant.version])

    def _completed(self, instant: Instant) -> None:
        try:
            metadata = metadata_of(self._source, instant)
            (self._write if instant.action in WRITES else self._delete)(instant, metadata)
        except Missing:
            raise
        except Damaged as error:
            self._damages.note(error, [instant.version])
            self._unread.add(instant)
            self._cleaned_unsaid |= instant.action in DELETES

    def _write(self, instant: Instant, metadata: Document) -> None:
        logs: dict[str, LogFile] = {}
        operation = (metadata.get("operationType", str) or "UNKNOWN").upper()
        replaced, slices = (
            dict.fromkeys(_replaced(metadata), instant.version),
            list(slices_of(metadata, instant, operation, logs)),
        )
        self._commits.append(instant.version)
        self._replaced |= replaced
        self._logs |= logs
        self._slices += slices
        if len(self._slices) >= _CHUNK:
            self._pack()

    def _pack(self) -> None:
        self._chunks.append(table_of(self._slices, SLICES))
        self._slices.clear()

    def _delete(self, instant: Instant, metadata: Document) -> None:
        for name in deleted_by(metadata, instant):
            self._deleted.setdefault(name, []).append(instant)
        if instant.action == "clean":
            retained = metadata.get("earliestCommitToRetain", str)
            if retained:
                self._cleaned_up_to = max(self._cleaned_up_to, version_in(retained, metadata.name))
            else:  # this cleaner counts slices, not commits
                self._cleaned_unsaid = True

    def table(self, config: dict[str, str], has_history: bool) -> HudiTable:
        """The table, with the files that exist now."""
        self._pack()
        published = pa.concat_tables(self._chunks)
        present = _present(self._source, published, self._logs)
        unread = {instant.version: instant for instant in self._unread if instant.action in WRITES}
        slices = _lived(pa.concat_tables([published, _by_names(present, unread)]), self._replaced)
        if unread:  # it is unknown what these were built on
            is_unread = pc.is_in(slices["first"], value_set=pa.array(unread, pa.int64()))
            built_on = pc.if_else(is_unread, slices["before"], slices["built_on"])
            slices = slices.set_column(slices.schema.get_field_index("built_on"), SLICES.field("built_on"), built_on)
        begins = self._begins if has_history else None  # without history there are no earlier slices
        return HudiTable(
            self._source,
            config,
            list(self._commits),
            slices,
            table_of([], SLICES) if begins is None else _archived(slices, present, self._replaced, begins),
            present,
            self._deleted,
            self._cleaned_up_to,
            self._cleaned_unsaid or has_history,
            has_history,
            frozenset(self._unread),
            self._logs,
            tuple(self._plans.values()),
            self._replaced,
            self._whole_from if has_history else 0,
        )


def plan_of(metadata: Document, instant: Instant, *, is_done: bool) -> Plan:
    """The plan of a compaction."""
    merges = {}
    for operation in metadata.all("operations", Document):
        place = operation.get("partitionPath", str, ""), operation.take("fileId", str)
        names = frozenset(name.rpartition("/")[2] for name in operation.all("deltaFilePaths", str))
        merges[place] = version_in(operation.take("baseInstantTime", str), instant.name), names
    return Plan(instant, is_done, merges)


def slices_of(
    metadata: Document, instant: Instant, operation: str, logs: dict[str, LogFile]
) -> Iterator[dict[str, Any]]:
    """The file slices that an instant publishes; log files are added to `logs`."""
    for partition, stats in metadata.get("partitionToWriteStats", dict, {}).items():
        for stat in metadata.members(stats, Document):
            name, group = stat.get("path", str), stat.get("fileId", str)
            if not name or not group:  # a task that wrote nothing
                continue
            base = name.rpartition("/")[2]
            log = LOG_FILE.fullmatch(base) if instant.action == "deltacommit" else None
            if log and name == (f"{partition}/{base}" if partition else base):
                size = stat.get("fileSizeInBytes", int)
                size = None if size is None else size + stat.get("logOffset", int, 0)
                logs[name] = LogFile(partition, group, instant.version, size, instant.completed_at)
                continue
            if name != (f"{partition}/{base}" if partition else base) or not base.endswith(_EXTENSION):
                raise Damaged(
                    instant.name,
                    f"{brief(name)} is not a base file of the partition {brief(partition)}; those are in its folder, "
                    f"and end in {_EXTENSION}",
                )
            if stat.get("partitionPath", str, partition) != partition or not base.startswith(group):
                raise Damaged(
                    instant.name,
                    f"{brief(name)} is not of the file group {brief(group)} in the partition {brief(partition)}",
                )
            built_on = stat.get("prevCommit", str) or "null"
            counts = {field: stat.get(field, int) for field in ("numWrites", "numInserts", "numDeletes")}
            negative = [field for field, count in counts.items() if (count or 0) < 0]
            if negative:
                raise Damaged(instant.name, f"{negative[0]} is {counts[negative[0]]}")
            yield {
                "partition": partition,
                "bucket": group,
                "name": name,
                "rows": counts["numWrites"],
                "first": instant.version,
                "built_on": None if built_on == "null" else version_in(built_on, instant.name),
                "inserts": counts["numInserts"],
                "size": stat.get("fileSizeInBytes", int),
                "operation": operation,
                "instant": instant.name,
            }


def _replaced(metadata: Document) -> Iterator[tuple[str, str]]:
    """The file groups that an instant replaces."""
    for partition, groups in metadata.get("partitionToReplaceFileIds", dict, {}).items():
        for group in metadata.members(groups, str):
            yield partition, group


def _lived(slices: pa.Table, replaced: dict[tuple[str, str], int]) -> pa.Table:
    """The slices sorted, each with its predecessor and the version in which it ends."""
    slices = slices.sort_by([("partition", "ascending"), ("bucket", "ascending"), ("first", "ascending")])
    count = slices.num_rows
    if not count:
        return slices
    groups = slices.select(["partition", "bucket"]).combine_chunks()
    same = np.ones(count - 1, dtype=bool)
    for column in groups.columns:
        codes = np.asarray(column.combine_chunks().dictionary_encode().indices)
        same &= codes[1:] == codes[:-1]
    first = np.asarray(slices["first"])
    follows, goes_on = np.append(False, same), np.append(same, False)
    before = pa.array(np.append(0, first[:-1]), mask=~follows)
    last = pa.array(np.append(first[1:], 0), mask=~goes_on)
    ended = pa.nulls(count, pa.int64())
    if replaced:
        keys = zip(*(column.to_pylist() for column in groups.columns), strict=True)
        ended = pa.array((replaced.get(group) for group in keys), pa.int64())
        last = pc.min_element_wise(last, pc.max_element_wise(ended, first, skip_nulls=False))
    for name, column in (("before", before), ("replaced", ended), ("last", last)):
        slices = slices.set_column(slices.schema.get_field_index(name), SLICES.field(name), column)
    return slices


def _archived(
    slices: pa.Table, present: Mapping[str, int], replaced: Mapping[tuple[str, str], int], begins: int
) -> pa.Table:
    """Each file group's newest slice from before the active timeline, which starts with version `begins`."""
    newest: dict[tuple[str, str], tuple[int, str]] = {}
    for name, partition, group, version in base_files(present):
        if version < begins:
            place = partition, group
            newest[place] = max(newest.get(place, (0, "")), (version, name))
    firsts = slices.filter(pc.is_null(slices["before"])).select(["partition", "bucket", "first"]).to_pydict()
    follow = dict(zip(zip(firsts["partition"], firsts["bucket"], strict=True), firsts["first"], strict=True))
    rows = []
    for (partition, bucket), (version, name) in newest.items():
        ends = [versions[partition, bucket] for versions in (follow, replaced) if (partition, bucket) in versions]
        row = {"partition": partition, "bucket": bucket, "name": name, "first": version, "built_on": version}
        rows.append(row | {"last": min(ends, default=None)})
    return table_of(rows, SLICES)


def _by_names(present: Mapping[str, int], unread: Mapping[int, Instant]) -> pa.Table:
    """The slices of the instants that could not be read, derived from the names of the files."""
    rows = []
    for name, partition, group, version in base_files(present if unread else ()):
        if version in unread:
            row = {"partition": partition, "bucket": group, "name": name, "first": version}
            rows.append(row | {"operation": "UNKNOWN", "instant": unread[version].name})
    return table_of(rows, SLICES)


def base_files(names: Iterable[str], kind: re.Pattern[str] = BASE_FILE) -> Iterator[tuple[str, str, str, int]]:
    """The base files among some files, or the files of another kind, with partition, file group and version."""
    for name in names:
        parts = kind.fullmatch(name)
        if parts and len(parts[2]) in DIGITS:
            yield name, name.rpartition("/")[0], parts[1], version_of_instant(parts[2])


def not_built_on_before(slices: pa.Table) -> pa.Table:
    """The slices that have a predecessor and were not built on it."""
    other = pc.not_equal(slices["built_on"], slices["before"])
    return slices.filter(pc.and_kleene(pc.is_valid(slices["before"]), pc.fill_null(other, True)))


def _present(source: Source, slices: pa.Table, logs: Mapping[str, LogFile]) -> dict[str, int]:
    """The files in the folders of the partitions, with their sizes."""
    folders = dict.fromkeys([*pc.unique(slices["partition"]).to_pylist(), *(log.partition for log in logs.values())])
    entries = (entry for folder in folders for entry in source.entries(folder))
    return {entry.name: entry.size for entry in entries if not entry.is_folder}
