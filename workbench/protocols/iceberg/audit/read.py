"""Read an Iceberg table's main branch: its snapshots, and its data files with the versions in which they live.

A version is a snapshot's sequence number; in format version 1, which has none, its place in the history. Each manifest
is read once, in the first snapshot that lists it, and of a manifest list only what the one before does not have.
"""

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.row_ids import RowIds
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.protocols.iceberg.audit.manifests import (
    ADDED,
    DELETED,
    FIGURES,
    STATUSES,
    ListedManifest,
    ManifestEntry,
    ManifestLists,
    Places,
    entries_of,
    manifests_of,
    row_ids_of,
)
from workbench.protocols.iceberg.audit.metadata import (
    IcebergSnapshot,
    Metadata,
    all_metadata,
    current_candidates,
    is_rounded,
    metadata_files,
    read_metadata,
    written_last,
)


class Break(NamedTuple):
    """A snapshot whose files are not its parent's with its own changes applied."""

    snapshot: IcebergSnapshot
    lacks: tuple[str, ...]
    has: tuple[str, ...]


@dataclass
class Life:
    """The versions in which a file lives; `last` is None while it does."""

    entry: ManifestEntry
    first: int
    last: int | None = None


class Live(NamedTuple):
    """A manifest's live files and their rows, and its entry in the manifest list.

    Attributes:
        files: The names of the live files.
        rows: The number of rows in them.
        listed: The manifest's entry in the manifest list.
        entries: The entries of the live files, if the row ids are read: on the main branch, from format version 3 on.
            Otherwise empty.
    """

    files: list[str]
    rows: int
    listed: ListedManifest
    entries: list[ManifestEntry]


class Current(NamedTuple):
    """The metadata file taken as the current one.

    Attributes:
        candidates: The names of those that may be the current one; the first was taken.
        why_first: The reason why it was taken rather than the others.
        unreadable: The candidates that are damaged, if any may have been the current one and not a race's loser's.
    """

    metadata: Metadata
    candidates: tuple[str, ...]
    why_first: str = ""
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True)
class IcebergTable:
    """An Iceberg table as its newest metadata file describes it.

    Attributes:
        files_of_metadata: The existing metadata files, with their numbers.
        current: The newest metadata file, with any others that may be the newest.
        chain: The main branch as far as it is listed, oldest first.
        versions_of: From its snapshots' ids to their versions.
        lives: The files that live, or have lived, in the main branch.
        breaks: Also on other branches, which are read from where they leave the main one.
        unread: Snapshots without a manifest list, whose content was not read.
        damages: The damaged files, which were left out.
        row_ids: Those of the main branch's live data files, each with the snapshot that added the file.
        added: The files that each snapshot with a mark of Flink's has added, by its id; none if that is not known.
        live: The entries of the files that live in the newest snapshot or at the head of another branch, by name.
        outside: The number of live files that are not in the table's folder.
        miscounts: Snapshots in which two counts differ, with the difference.
    """

    source: Source
    files_of_metadata: dict[str, int]
    current: Current
    chain: tuple[IcebergSnapshot, ...]
    versions_of: dict[int, int]
    lives: tuple[Life, ...]
    breaks: tuple[Break, ...]
    unread: tuple[int, ...]
    row_ids: tuple[tuple[RowIds, int], ...]
    added: dict[int, set[str]]
    live: dict[str, ManifestEntry]
    outside: int
    miscounts: tuple[tuple[IcebergSnapshot, str], ...]
    places: Places
    damages: Damages

    @property
    def metadata(self) -> Metadata:
        """The newest metadata file's contents."""
        return self.current.metadata

    @property
    def versions(self) -> tuple[int | None, int | None]:
        """The first and the last version."""
        numbers = list(self.versions_of.values())
        return (numbers[0], numbers[-1]) if numbers else (None, None)


def read(
    source: Source, damages: Damages, since: int | None = None, acknowledged: Container[int] = ()
) -> IcebergTable | None:
    """Read a table by its newest metadata file that is not damaged; None if there is none.

    Args:
        acknowledged: The ids of snapshots that were acknowledged.

    Raises:
        InputError: If no metadata file has a number, and no catalog names one.
    """
    files = metadata_files(source)
    if not files and source.chosen is None and (others := all_metadata(source)):
        raise InputError(f"{brief(others[0])} is not accepted: a metadata file begins with its number")
    current = _current(source, files, damages, acknowledged)
    if current is None:
        return None
    metadata = current.metadata
    chain = tuple(metadata.ancestors(metadata.current))[::-1]
    versions_of = _versions(chain)
    places = Places(source, metadata)
    places.refuse_if_all_are_elsewhere()
    reading = _BranchReading(source, places, damages, metadata.next_row is not None)
    start = max((i for i, snapshot in enumerate(chain) if versions_of[snapshot.id] <= (since or 0)), default=0)
    for snapshot in chain[start:]:
        reading.add(snapshot, versions_of[snapshot.id])
    readings = (reading, *_other_branches(source, places, metadata, damages))
    for branch in readings:
        for name in branch.needed:
            damages.current(name)
    live = {name: entry for branch in readings for name, entry in branch.live().items()}
    return IcebergTable(
        source,
        files,
        current,
        chain,
        versions_of,
        reading.lives(),
        tuple(broken for branch in readings for broken in branch.breaks),
        tuple(id for branch in readings for id in branch.unread),
        tuple(reading.row_ids()),
        {id: names for branch in readings for id, names in branch.added.items()},
        live,
        len({name for branch in readings for name in branch.outside()}),
        tuple(pair for branch in readings for pair in branch.miscounts),
        places,
        damages,
    )


def _other_branches(source: Source, places: Places, metadata: Metadata, damages: Damages) -> Iterator["_BranchReading"]:
    """The other branches, each read from the last snapshot that it shares with the main one."""
    main = {snapshot.id for snapshot in metadata.ancestors(metadata.current)}
    for head in sorted({*metadata.branches, *metadata.tags} & metadata.snapshots.keys() - main):
        reading, own = _BranchReading(source, places, damages, has_row_ids=False), []
        for snapshot in metadata.ancestors(head):
            own.append(snapshot)
            if snapshot.id in main:
                break
        for snapshot in reversed(own):
            reading.add(snapshot, snapshot.sequence)
        yield reading


def _current(source: Source, files: dict[str, int], damages: Damages, acknowledged: Container[int]) -> Current | None:
    """The current metadata file among the undamaged ones; None if all are damaged.

    If a damaged and an undamaged file have the same number, the damaged one may come from the loser of a race.
    """
    whole, damaged = dict(files), list[Damaged]()
    current = None
    if source.chosen is not None:
        if not source.exists(source.chosen):
            damages.note(Missing(source.chosen, "there is no such file, and the catalog names it"))
        else:
            return _chosen(source, source.chosen, damages)
    while whole and current is None:
        try:
            current = _newest(source, whole, acknowledged)
        except Missing:
            raise  # deleted meanwhile
        except Damaged as error:
            damaged.append(error)
            del whole[error.name]
    rivals = []
    for damage in damaged:
        if current is None or files[damage.name] > current.metadata.number:
            damages.note(damage)
        elif files[damage.name] == current.metadata.number:  # older ones are read again if a later snapshot names them
            rivals.append(damage.name)
    if current is None or current.metadata.current in acknowledged:
        return current
    return current._replace(candidates=(*current.candidates, *rivals), unreadable=tuple(rivals))


def _chosen(source: Source, name: str, damages: Damages) -> Current | None:
    """The metadata file that the catalog names; None if it is damaged."""
    try:
        return Current(read_metadata(source, name), (name,), "")
    except Missing:
        raise  # deleted meanwhile
    except Damaged as error:
        damages.note(error)
        return None


#: The reasons to take one of several metadata files with one number as the current one, the strongest first.
_WHY_FIRST = ("whose snapshot was acknowledged", "whose manifests are all there", "which was written last")


def _newest(source: Source, files: dict[str, int], acknowledged: Container[int]) -> Current:
    """The current metadata file; of several with one number, an acknowledged one, a complete one, the last written.

    The highest number may belong to a dropped table whose successor has not come as far.
    """

    def rank(metadata: Metadata) -> tuple[bool, bool, tuple[int, str]]:
        return metadata.current in acknowledged, _is_complete(source, metadata), (metadata.millis, metadata.name)

    names, latest = current_candidates(source, files), written_last(source, files)
    candidates = [read_metadata(source, name) for name in {*names, latest}]
    last = next(metadata for metadata in candidates if metadata.name == latest)
    candidates = [metadata for metadata in candidates if metadata.name in names]
    if all(last.is_of_another(metadata) and last.millis > metadata.millis for metadata in candidates):
        candidates = [read_metadata(source, name) for name, number in files.items() if number >= last.number]
        number = max(metadata.number for metadata in candidates if not metadata.is_of_another(last))
        candidates = [
            metadata for metadata in candidates if metadata.number == number and not metadata.is_of_another(last)
        ]
    reason = ""
    if len(candidates) > 1:
        ranks = {metadata.name: rank(metadata) for metadata in candidates}
        candidates.sort(key=lambda metadata: ranks[metadata.name], reverse=True)
        first, second = (ranks[metadata.name] for metadata in candidates[:2])
        reason = next(reason for reason, one, other in zip(_WHY_FIRST, first, second, strict=True) if one != other)
    current = candidates[0].current
    if current is not None and current not in candidates[0].snapshots:
        raise Damaged(candidates[0].name, f"it does not have its current snapshot {current}")
    return Current(candidates[0], tuple(metadata.name for metadata in candidates), reason)


def _is_complete(source: Source, metadata: Metadata) -> bool:
    """Whether the newest snapshot's manifest list can be read and its manifests exist: a race's loser removes them."""
    if metadata.current not in metadata.snapshots:
        return metadata.current is None
    places = Places(source, metadata)
    try:
        return manifests_of(source, places, metadata.snapshots[metadata.current]).keys() <= places.sizes.keys()
    except Damaged:
        return False


def _with_rounded(entry: ManifestEntry, id: int) -> ManifestEntry:
    """An entry of the snapshot `id`, where the entry's own snapshot id may be rounded."""
    return entry._replace(added_by=id) if is_rounded(id, entry.added_by) else entry


def _versions(chain: tuple[IcebergSnapshot, ...]) -> dict[int, int]:
    sequences = [snapshot.sequence for snapshot in chain]
    numbered = all(low < high for low, high in zip([0, *sequences], sequences, strict=False))
    return {snapshot.id: snapshot.sequence if numbered else i for i, snapshot in enumerate(chain, 1)}


@dataclass
class _BranchReading:
    """The live files of one branch, replayed snapshot by snapshot."""

    source: Source
    places: Places
    damages: Damages
    has_row_ids: bool
    breaks: list[Break] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    added: dict[int, set[str]] = field(default_factory=dict)
    miscounts: list[tuple[IcebergSnapshot, str]] = field(default_factory=list)
    _manifests: dict[str, Live] = field(default_factory=dict)  # of the last snapshot
    _sums: Counter[tuple[bool, str]] = field(default_factory=Counter)  # of its files and rows, by whether of deletes
    _changed: dict[str, None] = field(default_factory=dict)  # its manifests whose list entries differ from their first
    _first_rows: dict[str, int | None] = field(default_factory=dict)  # as its last list gives them
    _torn: set[str] = field(default_factory=set)  # and those that are damaged
    _live: dict[str, Life] = field(default_factory=dict)
    _dead: list[Life] = field(default_factory=list)
    _deletes: set[str] = field(default_factory=set)  # files of row-level deletes, which writers may drop at will
    _begun: bool = False
    _unlisted: str | None = None  # the manifest list of the last snapshot, if it is damaged

    def __post_init__(self) -> None:
        self._lists = ManifestLists(self.source, self.places)

    def add(self, snapshot: IcebergSnapshot, version: int) -> None:
        """Apply the next snapshot."""
        change = self._listed(snapshot, version)
        if change is None:
            self._begun = False
            return
        was_whole = not self._torn
        dropped = self._drop(*change)
        entries = [_with_rounded(entry, snapshot.id) for entry in self._read(snapshot, change[1])]
        with self.damages.around():
            if snapshot.mark() is not None:
                new = (entry for entry in entries if entry.status == ADDED and entry.added_by == snapshot.id)
                self.added[snapshot.id] = {entry.name for entry in new}
        strange = self._come(snapshot, version, entries, dropped)
        here = {entry.name for entry in entries if entry.status != DELETED}
        gone = {entry.name for entry in entries if entry.status == DELETED}
        if lacks := dropped - here - gone:
            lacks -= {name for live in self._manifests.values() for name in live.files}
        self._go(lacks | (gone - here), version)
        for name in self._torn:
            self.damages.used(name, version)
        if was_whole and not self._torn:
            data_only = (tuple(sorted(names - self._deletes)) for names in (lacks, strange))
            broken = Break(snapshot, *data_only)
            if self._begun and (broken.lacks or broken.has):
                self.breaks.append(broken)
            self._sum_up(snapshot, entries)
        self._begun = True

    @property
    def needed(self) -> list[str]:
        """The files of metadata without which the last snapshot cannot be read."""
        return [*self._manifests] if self._unlisted is None else [self._unlisted]

    def _listed(self, snapshot: IcebergSnapshot, version: int) -> tuple[list[str], dict[str, ListedManifest]] | None:
        """The manifests that go and come with a snapshot; None if nothing names them."""
        if snapshot.manifest_list is None:
            self.unread.append(snapshot.id)
            return None
        self._unlisted = None
        try:
            return self._lists.go_on(snapshot)
        except Damaged as error:
            self._unlisted = error.name
            self.damages.note(error, [version])
            return None

    def _drop(self, gone: list[str], listed: dict[str, ListedManifest]) -> set[str]:
        """Drop the manifests that go with a snapshot; returns their files."""
        dropped = set()
        for manifest in gone:
            if manifest not in listed:
                live = self._manifests.pop(manifest)
                self._sum(live, -1)
                self._changed.pop(manifest, None)
                self._torn.discard(manifest)
                dropped.update(live.files)
        return dropped

    def _sum(self, live: Live, sign: int) -> None:
        """Count a manifest's live files and rows in, or out."""
        self._sums[live.listed.has_deletes, "files"] += sign * len(live.files)
        self._sums[live.listed.has_deletes, "rows"] += sign * live.rows

    def _read(self, snapshot: IcebergSnapshot, listed: dict[str, ListedManifest]) -> list[ManifestEntry]:
        """Go on to the manifests that come with a snapshot; returns the entries of those that are new."""
        read = []
        for manifest, listing in listed.items():
            if live := self._manifests.get(manifest):
                self._changed.pop(manifest, None)
                self._first_rows[manifest] = listing.first_row  # tables that come from version 2 get them later
                if live.listed != listing._replace(first_row=live.listed.first_row):
                    self._changed[manifest] = None
                continue
            entries = self._entries(manifest, listing)
            here = [entry for entry in entries if entry.status != DELETED]
            names, rows = [entry.name for entry in here], sum(entry.rows for entry in here)
            self._manifests[manifest] = Live(names, rows, listing, here if self.has_row_ids else [])
            self._first_rows[manifest] = listing.first_row
            self._sum(self._manifests[manifest], 1)
            if listing.has_deletes:
                self._deletes.update(names)
            if manifest in self.damages:
                self._torn.add(manifest)
            else:
                self._count(snapshot, manifest, listing, entries)
            read += entries
        for manifest in self._changed:
            self.miscounts.append((snapshot, f"{manifest} is listed otherwise than in the snapshot before"))
        return read

    def _come(
        self, snapshot: IcebergSnapshot, version: int, entries: list[ManifestEntry], dropped: set[str]
    ) -> set[str]:
        """Record the live files of new manifests; returns those whose entries name an earlier snapshot."""
        strange = set()
        for entry in entries:
            if entry.status == DELETED:
                continue
            if entry.name in self._live:
                if entry.name not in dropped:
                    self.miscounts.append((snapshot, f"{entry.name} is there twice"))
                continue
            self._live[entry.name] = Life(entry, version)
            if entry.added_by != snapshot.id:  # by which name is open: some writers call their own existing
                strange.add(entry.name)
        return strange

    def _go(self, names: set[str], version: int) -> None:
        """Record that files are no longer live."""
        for name in names & self._live.keys():
            life = self._live.pop(name)
            life.last = version
            self._dead.append(life)

    def _entries(self, manifest: str, listed: ListedManifest) -> list[ManifestEntry]:
        """A manifest's entries; none if it is damaged."""
        entries: list[ManifestEntry] = []
        with self.damages.around():
            entries = list(entries_of(self.source, self.places, manifest, listed))
        return entries

    def _count(
        self, snapshot: IcebergSnapshot, manifest: str, listed: ListedManifest, entries: list[ManifestEntry]
    ) -> None:
        """Compare a manifest's entries with the manifest list's figures."""
        rows = [[entry.rows for entry in entries if entry.status == status] for status in STATUSES]
        actual = (*map(len, rows), *map(sum, rows), self.places.sizes.get(manifest), snapshot.sequence)
        is_own = listed.added_by == snapshot.id
        stated = (*listed.counts, listed.length, listed.sequence if is_own else None)
        for figure, one, other in zip(FIGURES, stated, actual, strict=True):
            if None not in (one, other) and one != other:
                reason = f"{manifest} is said to have {figure} {one:,}, and has {other:,}"
                self.miscounts.append((snapshot, reason))

    def _sum_up(self, snapshot: IcebergSnapshot, entries: list[ManifestEntry]) -> None:
        """Compare a snapshot's live files with the totals in its summary, and check that none is there twice."""
        totals = snapshot.totals()
        by_it = [entry for entry in entries if entry.status == ADDED and entry.added_by == snapshot.id]
        added = [entry for entry in by_it if entry.name not in self._deletes]
        for field_, has_deletes in (("total-data-files", False), ("total-delete-files", True)):
            count = self._sums[has_deletes, "files"]
            if totals.get(field_) not in (None, count):
                self.miscounts.append((snapshot, f"{field_} is {totals[field_]:,}, and there are {count:,}"))
        for field_, count in (
            ("total-records", self._sums[False, "rows"]),
            ("added-records", sum(entry.rows for entry in added)),
            ("added-data-files", len(added)),
        ):
            if totals.get(field_) not in (None, count):
                self.miscounts.append((snapshot, f"{field_} is {totals[field_]:,}, and there are {count:,}"))

    def row_ids(self) -> Iterator[tuple[RowIds, int]]:
        """The row ids of live data files; see :func:`row_ids_of`."""
        for manifest, live in self._manifests.items():
            yield from row_ids_of(live.entries, live.listed._replace(first_row=self._first_rows[manifest]))

    def outside(self) -> list[str]:
        """The live files that are not in the table's folder."""
        return [name for name, life in self._live.items() if life.entry.is_outside]

    def live(self) -> dict[str, ManifestEntry]:
        """The live files in the table's folder."""
        return {name: life.entry for name, life in self._live.items() if not life.entry.is_outside}

    def lives(self) -> tuple[Life, ...]:
        """All files with the versions in which they live."""
        return (*self._dead, *self._live.values())
