"""Read an Iceberg table's main branch: its snapshots, and its data files with the versions in which they live.

A version is a snapshot's sequence number; in format version 1, which has none, its place in the history. Each manifest
is read once, in the first snapshot that lists it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

import pyarrow as pa

from workbench.kernel import InputError
from workbench.kernel.errors import brief
from workbench.tables.avro import read_avro
from workbench.tables.iceberg.metadata import (
    IcebergSnapshot,
    Metadata,
    current_candidates,
    metadata_files,
    read_metadata,
    written_last,
)
from workbench.tables.shape import COMMITS, FILES, table_of
from workbench.tables.source import Source

_EXISTING, _ADDED, _DELETED = 0, 1, 2


class Break(NamedTuple):
    """A snapshot whose files are not its parent's with its own changes applied."""

    snapshot: IcebergSnapshot
    lacks: tuple[str, ...]
    has: tuple[str, ...]


class ListedManifest(NamedTuple):
    """A manifest's entry in a manifest list."""

    added_by: int
    has_deletes: bool


class ManifestEntry(NamedTuple):
    """The entry of a data file or delete file in a manifest."""

    name: str
    status: int
    added_by: int
    partition: str
    rows: int


@dataclass(frozen=True)
class IcebergTable:
    """An Iceberg table as its newest metadata file describes it.

    Attributes:
        files_of_metadata: The existing metadata files, with their numbers.
        candidates: The metadata files that may be the current one; the first was taken.
        chain: The main branch as far as it is listed, oldest first.
        versions_of: From its snapshots' ids to their versions.
        commits, files: Of the shapes COMMITS and FILES.
        unread: Snapshots without a manifest list, whose content was not read.
    """

    source: Source
    files_of_metadata: dict[str, int]
    candidates: tuple[str, ...]
    metadata: Metadata
    chain: tuple[IcebergSnapshot, ...]
    versions_of: dict[int, int]
    commits: pa.Table
    files: pa.Table
    breaks: tuple[Break, ...]
    unread: tuple[int, ...]

    @property
    def versions(self) -> tuple[int | None, int | None]:
        """The first and the last version."""
        numbers = list(self.versions_of.values())
        return (numbers[0], numbers[-1]) if numbers else (None, None)


def read(source: Source, since: int | None = None) -> IcebergTable:
    """Read a table by its newest metadata file."""
    files = metadata_files(source)
    metadata, candidates = _current(source, files)
    chain = tuple(metadata.ancestors(metadata.current))[::-1]
    if metadata.current is not None and not chain:
        raise InputError(f"{brief(metadata.name)} is damaged: it does not have its current snapshot {metadata.current}")
    versions_of = _versions(chain)
    reading = _BranchReading(source, metadata.location)
    start = max((i for i, one in enumerate(chain) if versions_of[one.id] <= (since or 0)), default=0)
    for snapshot in chain[start:]:
        reading.add(snapshot, versions_of[snapshot.id])
    broken = {one.snapshot.id for one in reading.breaks}
    commits = [
        {
            "version": versions_of[one.id],
            "id": str(one.id),
            "parent": versions_of.get(one.parent) if one.parent is not None else None,
            "built_on_parent": one.id not in broken if one.parent in versions_of else None,
            "kind": one.operation,
            "time": _time(one.millis),
        }
        for one in chain
    ]
    return IcebergTable(
        source,
        files,
        candidates,
        metadata,
        chain,
        versions_of,
        table_of(commits, COMMITS),
        reading.files(),
        tuple(reading.breaks),
        tuple(reading.unread),
    )


def _current(source: Source, files: dict[str, int]) -> tuple[Metadata, tuple[str, ...]]:
    """The current metadata file, and the names of all candidates: of several with one number, the last written.

    The highest number may belong to a dropped table whose successor has not come as far.
    """
    names, latest = current_candidates(source, files), written_last(source, files)
    found = [read_metadata(source, name) for name in {*names, latest}]
    last = next(one for one in found if one.name == latest)
    found = [one for one in found if one.name in names]
    if all(last.is_of_another(one) and last.millis > one.millis for one in found):
        found = [read_metadata(source, name) for name, number in files.items() if number >= last.number]
        number = max(one.number for one in found if not one.is_of_another(last))
        found = [one for one in found if one.number == number and not one.is_of_another(last)]
    found.sort(key=lambda one: (one.millis, one.name))
    return found[-1], tuple(one.name for one in reversed(found))


def _versions(chain: tuple[IcebergSnapshot, ...]) -> dict[int, int]:
    sequences = [one.sequence for one in chain]
    numbered = all(low < high for low, high in zip([0, *sequences], sequences, strict=False))
    return {one.id: one.sequence if numbered else i for i, one in enumerate(chain, 1)}


def _time(millis: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(millis / 1000, UTC).replace(tzinfo=None)
    except (OverflowError, OSError, ValueError):
        return None


@dataclass
class _Life:
    """The versions in which a file lives."""

    entry: ManifestEntry
    first: int
    sequence: int
    last: int | None = None


@dataclass
class _BranchReading:
    """The live files of one branch, replayed snapshot by snapshot."""

    source: Source
    location: str
    breaks: list[Break] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    _manifests: dict[str, list[str]] = field(default_factory=dict)  # of the last snapshot, with their live files
    _live: dict[str, _Life] = field(default_factory=dict)
    _dead: list[_Life] = field(default_factory=list)
    _deletes: set[str] = field(default_factory=set)  # files of row-level deletes, which writers may drop at will
    _begun: bool = False

    def add(self, snapshot: IcebergSnapshot, version: int) -> None:
        """Apply the next snapshot."""
        if snapshot.manifest_list is None:
            self.unread.append(snapshot.id)
            self._begun = False
            return
        listed = manifests_of(self.source, self.location, snapshot)
        kept = {name: files for name, files in self._manifests.items() if name in listed}
        dropped = [name for manifest, files in self._manifests.items() if manifest not in listed for name in files]
        gone: set[str] = set()
        here: set[str] = set()
        strange: list[str] = []
        for manifest in listed:
            if manifest in kept:
                continue
            kept[manifest] = []
            for entry in entries_of(self.source, self.location, manifest, listed[manifest].added_by):
                if entry.status == _DELETED:
                    gone.add(entry.name)
                    continue
                kept[manifest].append(entry.name)
                if listed[manifest].has_deletes:
                    self._deletes.add(entry.name)
                here.add(entry.name)
                is_new = entry.name not in self._live
                if is_new:
                    self._live[entry.name] = _Life(entry, version, snapshot.sequence)
                if self._begun and is_new and (entry.status == _EXISTING or entry.added_by != snapshot.id):
                    strange.append(entry.name)
        lacks = [name for name in dropped if name not in here and name not in gone]
        if lacks:
            elsewhere = {name for files in kept.values() for name in files}
            lacks = [name for name in lacks if name not in elsewhere]
        for name in {*lacks, *(gone - here)}:
            if name in self._live:
                life = self._live.pop(name)
                life.last = version
                self._dead.append(life)
        data_only = (tuple(sorted(set(names) - self._deletes)) for names in (lacks, strange))
        found = Break(snapshot, *data_only)
        if self._begun and (found.lacks or found.has):
            self.breaks.append(found)
        self._manifests, self._begun = kept, True

    def files(self) -> pa.Table:
        """All files with the versions in which they live."""
        lives = (*self._dead, *self._live.values())
        rows = (
            {
                "partition": life.entry.partition,
                "name": life.entry.name,
                "rows": life.entry.rows,
                "first": life.first,
                "last": life.last,
                "min_sequence": life.sequence,
                "max_sequence": life.sequence,
            }
            for life in lives
        )
        return table_of(rows, FILES)


def manifests_of(source: Source, location: str, snapshot: IcebergSnapshot) -> dict[str, ListedManifest]:
    """A snapshot's manifests, by name."""
    if snapshot.manifest_list is None:
        return {}
    name = source.inside(snapshot.manifest_list, moved_from=location)
    found = {}
    for record in read_avro(source, name, keep=("manifest_path", "added_snapshot_id", "content")):
        path, added_by = record.get("manifest_path"), record.get("added_snapshot_id")
        if not isinstance(path, str) or not isinstance(added_by, int | None):
            raise InputError(f"{brief(name)} is damaged: it names {brief(path)} as a manifest")
        has_deletes = record.get("content", 0) != 0
        found[source.inside(path, moved_from=location)] = ListedManifest(
            -1 if added_by is None else added_by, has_deletes
        )
    return found


def entries_of(source: Source, location: str, manifest: str, added_by: int) -> Iterator[ManifestEntry]:
    """The entries of a manifest."""
    for record in read_avro(
        source,
        manifest,
        keep=("status", "snapshot_id", "data_file.file_path", "data_file.partition", "data_file.record_count"),
    ):
        status, file = record.get("status"), record.get("data_file")
        if status not in (_EXISTING, _ADDED, _DELETED) or not isinstance(file, dict):
            raise InputError(f"{brief(manifest)} is damaged: an entry has the status {brief(status)}")
        path, rows, by = file.get("file_path"), file.get("record_count"), record.get("snapshot_id")
        if not isinstance(path, str) or not isinstance(rows, int) or not isinstance(by, int | None):
            raise InputError(f"{brief(manifest)} is damaged: an entry names {brief(path)} as a file")
        partition = file.get("partition")
        told = json.dumps(partition, default=str, sort_keys=True) if partition else ""
        yield ManifestEntry(
            source.inside(path, moved_from=location), status, added_by if by is None else by, told, rows
        )
