"""Judge an Iceberg table's history, by its newest metadata file and by the older ones."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from workbench.audits.damaged import Damaged, Missing
from workbench.audits.findings import Grade
from workbench.audits.judgement import PRESENT, Judgement, Rule
from workbench.audits.presence import COUNTS_AGREE, Origin
from workbench.audits.row_ids import ROW_IDS, shared
from workbench.audits.shape import before_since, utc
from workbench.audits.vectors import StoredVector
from workbench.kernel.meaning.values import counted
from workbench.protocols.iceberg.audit import states
from workbench.protocols.iceberg.audit.manifests import Places, entries_of, manifests_of
from workbench.protocols.iceberg.audit.metadata import (
    FOLDER,
    MANIFEST_LIST,
    IcebergSnapshot,
    Left,
    Metadata,
    metadata_files,
    read_metadata,
)
from workbench.protocols.iceberg.audit.read import IcebergTable, Life

#: The most bytes of older metadata files that are read; each file repeats the whole history of its time.
MOST_BYTES = 512 * 2**20

THE_CATALOG = "the catalog: the metadata file it names, and the commits it refused with 409, are not on the disk"
REFUSALS = "the commits that the catalog refused with 409: they are not on the disk"
ROWS = "the rows in data files and delete files: the model has no content"

LINEAR, SEQUENTIAL = "LinearHistory", "SequentialSnapshots"


class IcebergJudgement(Judgement):
    """Judges a table by its newest metadata file, and this file by the older ones."""

    INVARIANTS: ClassVar = {
        SEQUENTIAL: "TicketOrderPreserved",
        **dict.fromkeys((LINEAR, PRESENT), "NoLakekeeperConflict"),
    }

    def __init__(self, table: IcebergTable, acks: list[dict[str, Any]] | None, since: int | None) -> None:
        super().__init__("iceberg", table.source, table.damages, acks, since, table.versions)
        self.table = table
        self.remarks += (REFUSALS if table.source.chosen else THE_CATALOG, ROWS)
        self.lineage_names = {table.metadata.name}
        self.once_current: set[int] = set()  # the snapshots in any metadata file that was ever current
        self._know(table.metadata)
        self.begins = self.born = 0  # the number and the time of the oldest metadata file that was read
        self.others: list[Metadata] = []  # metadata files of other tables in the same folder
        self._remark_on_what_is_there()

    def rules(self) -> list[Rule]:
        # A list of acknowledged commits is better evidence than snapshots that no metadata file names.
        last = self.unnamed if self.acks is None else self.acknowledged
        rules = [
            self.chain,
            self.guarded(self.twice),
            self.content,
            self.counts,
            self.row_ids,
            self.files,
            self.lineage,
            self.orphans,
            last,
        ]
        return [*rules, self.say_what_was_compared]

    def is_unchanged(self) -> bool:
        return metadata_files(self.source) == self.table.files_of_metadata

    def _remark_on_what_is_there(self) -> None:
        table = self.table
        current = table.current
        if current.why_first:
            self.remarks.append(
                f"which of {len(current.candidates)} metadata files with one number the catalog names: "
                f"{current.candidates[0]} was taken, {current.why_first}"
            )
        if current.unreadable:
            self.left_out.append(f"whether the catalog names {current.unreadable[0]}, which is damaged")
        if table.outside:
            self.left_out.append(f"whether {counted(table.outside, 'data file')} outside of the table's folder exist")
        if table.unread:
            self.left_out.append(f"the content of {counted(len(table.unread), 'snapshot')} without a manifest list")
        if table.chain and table.chain[0].parent is not None:
            first, _ = table.versions
            self.remarks.append(f"snapshots before {first} have expired: its content is taken as correct")
        self.remarks += before_since(self.since, *table.versions, self.source.url)

    def _know(self, metadata: Metadata) -> None:
        """Remember the snapshots of a metadata file, and note that a tool has rounded their ids."""
        self.once_current |= metadata.snapshots.keys() | set(metadata.rounded.values())
        for id, exact in list(metadata.rounded.items())[:1]:
            reason = (
                f"a tool has rewritten it, and rounded large numbers: the snapshot {id} has the manifest list of "
                f"{exact}, which is the same 64-bit float"
            )
            self.damages.note(Damaged(metadata.name, reason), [self.table.versions_of.get(id)])

    def find_about(
        self, property: str, grade: Grade, snapshot: IcebergSnapshot, reason: str, evidence: Iterable[str]
    ) -> None:
        """Find something about a snapshot; of several findings about it, the gravest stays."""
        shown = states.numbers_out_of_order if property == SEQUENTIAL else states.stale_parent
        state_of = None if grade == "outside" else partial(shown, snapshot.id)
        self.find(property, grade, self.version(snapshot), reason, evidence, state_of, about=snapshot.id)

    def version(self, snapshot: IcebergSnapshot) -> int:
        """A snapshot's version; for one outside the main branch, its number or its parent's successor."""
        versions_of = self.table.versions_of
        return versions_of.get(snapshot.id, snapshot.sequence or versions_of.get(snapshot.parent or 0, -1) + 1)

    # The newest metadata file ----------------------------------------------------------------------------------------

    def chain(self) -> None:
        """Sequence numbers grow from parent to child, and no parent is missing while older snapshots exist."""
        table = self.table
        for parent, child in zip(table.chain, table.chain[1:], strict=False):
            if child.sequence <= parent.sequence and (child.sequence, parent.sequence) != (0, 0):
                reason = (
                    f"snapshot {child.id} has the sequence number {child.sequence}, and its parent {parent.sequence}"
                )
                self.find_about(
                    SEQUENTIAL, "proved", child, reason, [f"{table.metadata.name}: {parent.id}, then {child.id}"]
                )
        if not table.chain:
            return
        first = table.chain[0]
        held = table.metadata.held()
        older = [
            snapshot
            for snapshot in table.metadata.snapshots.values()
            if snapshot.id not in held and _age(snapshot) < _age(first)
        ]
        if first.parent is not None and any(snapshot.id in table.metadata.heads for snapshot in older):
            reason = f"snapshot {first.parent}, on which {first.id} was built, is missing, though older ones exist"
            self.find_about(
                PRESENT, "suspect", first, reason, [f"{table.metadata.name} has {_ids(older)}, not {first.parent}"]
            )
        self._heads()

    def _heads(self) -> None:
        """The heads in order: each descends from the one before, unless the table was rolled back."""
        metadata = self.table.metadata
        for before, after in zip(metadata.heads, metadata.heads[1:], strict=False):
            if before not in metadata.snapshots or after not in metadata.snapshots or before == after:
                continue
            new = metadata.snapshots[after]
            evidence = [f"{metadata.name}: snapshot-log has {before}, then {after}"]
            self._overlooked(metadata.left_by(before, after), evidence)
            if new.parent not in metadata.snapshots:  # possibly expired
                continue
            follows = any(snapshot.id == before for snapshot in metadata.ancestors(after))
            if follows or any(snapshot.id == after for snapshot in metadata.ancestors(before)):
                continue
            reason = f"snapshot {after} followed {before}, and was built on {new.parent}"
            self.find_about(LINEAR, "suspect", new, reason, evidence)

    def twice(self) -> None:
        """Commits of Flink that are there twice along a branch: a committer that tries again adds the same files.

        A checkpoint may also come as several snapshots, each with files of its own: with row-level deletes, or from
        a DynamicIcebergSink, which committed each schema and partition spec by itself.
        """
        metadata = self.table.metadata
        for head in dict.fromkeys((metadata.current, *sorted(metadata.branches))):
            marked = defaultdict[tuple[str, ...], list[IcebergSnapshot]](list)
            for snapshot in metadata.ancestors(head):
                if (mark := snapshot.mark()) and snapshot.operation == "append":
                    marked[mark].append(snapshot)
            for mark, several in marked.items():
                by: dict[str, int] = {}
                for snapshot in reversed(several):
                    files = self.table.added.get(snapshot.id, set())
                    if again := sorted(files & by.keys()):
                        first = by[again[0]]
                        twice = f"is there twice: as {first} and {snapshot.id}"
                        reason = f"checkpoint {mark[-1]} of Flink's job {mark[0]} {twice}"
                        evidence = [f"{self.table.metadata.name}: operator {mark[1]}"]
                        evidence += [f"both add {name}" for name in again[:5]]
                        self.find_about(PRESENT, "proved", snapshot, reason, evidence)
                    by = dict.fromkeys(files, snapshot.id) | by

    def _overlooked(self, left: Left, evidence: Iterable[str]) -> bool:
        """Find snapshots that left the main branch when an insert took the table for empty; returns whether it did."""
        first = left.first
        if first is None or first.parent is not None or not left.is_unseen:
            return False
        snapshot = left.snapshots[0]
        if snapshot.id not in self.table.metadata.reachable():
            reason = (
                f"snapshot {snapshot.id} was the newest, and no branch leads to it: {first.id} took its place, which "
                f"has no parent and the sequence number {first.sequence}, as if the table had been empty"
            )
            self.find_about(PRESENT, "suspect", snapshot, reason, evidence)
        return True

    def content(self) -> None:
        """Each snapshot has its parent's files, with its own changes applied."""
        for broken in self.table.breaks:
            evidence = [f"it lacks {name}, which its parent has, and does not delete it" for name in broken.lacks[:5]]
            evidence += [
                f"it has {name}, which its parent does not have, and does not add it" for name in broken.has[:5]
            ]
            reason = f"snapshot {broken.snapshot.id} was not built on the files of its parent {broken.snapshot.parent}"
            self.find_about(LINEAR, "proved", broken.snapshot, reason, evidence)

    def counts(self) -> None:
        """Figures that are stored twice agree."""
        for snapshot, reason in self.table.miscounts:
            evidence = [f"{self.table.metadata.name}: snapshot {snapshot.id}, {snapshot.manifest_list}"]
            self.find(COUNTS_AGREE, "suspect", self.version(snapshot), reason, evidence, about=(snapshot.id, reason))
        vectors = defaultdict[str, list[Life]](list)
        for life in self.table.lives:
            if life.last is None and life.entry.blob:
                vectors[life.entry.blob.of].append(life)
        for name, several in vectors.items():
            if len(several) > 1:
                reason = f"{name} has {len(several)} deletion vectors"
                version = sorted(life.first for life in several)[1]
                evidence = [life.entry.name for life in several[:5]]
                self.find(COUNTS_AGREE, "proved", version, reason, evidence, last=self.versions[1])
        for reason in self.table.metadata.contradictions:
            self.find(COUNTS_AGREE, "suspect", self.versions[1], reason, [self.table.metadata.name])

    def row_ids(self) -> None:
        """No two rows have one row id, and none is still to be assigned."""
        table, metadata = self.table, self.table.metadata
        if metadata.next_row is None:
            return
        ids = {snapshot.id: own for snapshot in metadata.snapshots.values() if (own := snapshot.row_ids()) is not None}
        for first, second in shared(ids.values()):
            reason = f"{first.name} and {second.name} assign the same row ids: {first}, {second}"
            self.find(ROW_IDS, "proved", max(first.version or 0, second.version or 0), reason, [metadata.name])
        for own in ids.values():
            if own.next > metadata.next_row:
                reason = f"next-row-id is {metadata.next_row:,}, and {own} already"
                self.find(ROW_IDS, "proved", own.version, reason, [metadata.name], last=self.versions[1])
        for snapshot in metadata.snapshots.values():
            if snapshot.id not in ids and snapshot.parent in ids:
                reason = f"snapshot {snapshot.id} has no first-row-id, and its parent has one"
                self.find(ROW_IDS, "proved", self.version(snapshot), reason, [metadata.name])
        strange = [
            f"{own}, and {by}" for own, id in table.row_ids if (by := ids.get(id)) is not None and not own.within(by)
        ]
        if strange:
            reason = f"data files have row ids that their snapshots have not assigned: {len(strange):,}"
            self.find(ROW_IDS, "proved", self.versions[1], reason, strange[:5])
        self.judge_row_ids((own for own, _ in table.row_ids), metadata.next_row, self.versions[1] or 0)

    def files(self) -> None:
        """The files of the newest snapshot, and of the heads of branches, are there."""
        if self.is_unchanged():  # nobody has written meanwhile
            live, version = self.table.live, self.versions[1] or 0
            sizes = {entry.file: entry.size for entry in live.values()}
            was_moved = not self.source.is_at(self.table.metadata.location)
            may_be_elsewhere = was_moved or self.table.outside > 0
            missing = self.judge_presence(sizes, version, self._origin, may_be_elsewhere=may_be_elsewhere)
            absent = {file.name for file in missing}
            self.judge_vectors([vector for vector in self._vectors() if vector.name not in absent], version)
        else:
            self.left_out.append("whether data files exist: the table was written to while it was read")

    def _origin(self, name: str) -> Origin:
        """The origin of a live file."""
        entry = next(entry for entry in self.table.live.values() if entry.file == name)
        by = self.table.metadata.snapshots.get(entry.added_by)
        return Origin(by and self.version(by), by and utc(by.millis), entry.rows)

    def _vectors(self) -> Iterator[StoredVector]:
        """The live deletion vectors."""
        live = self.table.live
        for entry in live.values():
            if entry.blob is not None:
                of, offset, length = entry.blob
                rows = live[of].rows if of in live else None
                framing = 8  # the length before, and the checksum behind
                yield StoredVector(of, entry.file, offset, length - framing, entry.rows, rows)

    # The metadata files before it ------------------------------------------------------------------------------------

    def lineage(self) -> None:
        """Compare each metadata file with its predecessor in the log."""
        source, newer = self.source, self.table.metadata
        sizes = {entry.name: entry.size for entry in source.entries(FOLDER)}
        room = MOST_BYTES
        while newer.log:
            name = self._previous(newer)
            room -= sizes.get(name, 0)
            if name not in sizes or name in self.lineage_names:
                self.remarks.append(f"metadata files before {newer.name}: {name} no longer exists")
                break
            if room < 0:
                self.remarks.append(f"metadata files before {newer.name}: they have too many bytes to read them all")
                break
            try:
                older = read_metadata(source, name)
            except Missing:
                break
            except Damaged as error:
                self.damages.note(error)
                break
            self._step(older, newer)
            self._know(older)
            self.lineage_names.add(name)
            newer = older
        self.begins, self.born = newer.number, newer.millis
        self._remark_on_an_empty_log(newer)

    def _remark_on_an_empty_log(self, first: Metadata) -> None:
        """Remark on a file with an empty log: a first metadata file has no predecessor, others may have lost theirs."""
        before = [name for name, number in self.table.files_of_metadata.items() if number < first.number]
        if first.log or not before:
            return
        with suppress(Damaged):  # nothing shows that it belongs to this table
            if read_metadata(self.source, before[-1]).is_of_another(first):
                return
        self.left_out.append(f"what was before {first.name}: its metadata-log is empty, and {before[-1]} exists")

    def _previous(self, newer: Metadata) -> str:
        """The name of the previous metadata file, whose location may date from before the table was moved."""
        name = f"{FOLDER}/{newer.log[-1].rpartition('/')[2]}"
        if name in self.table.files_of_metadata:
            return name
        return self.source.inside(newer.log[-1], moved_from=newer.location)

    def _step(self, older: Metadata, newer: Metadata) -> None:
        """One commit to the catalog: from a metadata file to its successor."""
        both = [f"{older.name}, then {newer.name}"]
        if older.rounded or newer.rounded:
            return  # their ids cannot be compared
        for id, now in newer.snapshots.items():
            was = older.snapshots.get(id)
            if was is None:
                continue
            parent = None if was.parent not in newer.snapshots and now.parent is None else was.parent  # expired
            if (parent, was.sequence, was.manifest_list) == (now.parent, now.sequence, now.manifest_list):
                continue
            reason = f"snapshot {id} is not what it was: its parent was {was.parent}, and is {now.parent}"
            if parent == now.parent:
                reason = f"snapshot {id} is not what it was: it had the number {was.sequence}, or other files"
            lines = (f"{m.name}: parent {s.parent}, {s.manifest_list}" for m, s in ((older, was), (newer, now)))
            self.find_about(LINEAR, "proved", now, reason, lines)
        if newer.last_sequence < older.last_sequence:
            head = older.snapshots.get(older.current or 0)
            if head is not None:
                reason = f"the last sequence number was {older.last_sequence}, and became {newer.last_sequence}"
                self.find_about(SEQUENTIAL, "proved", head, reason, both)
        if older.next_row is not None and (newer.next_row or 0) < older.next_row:
            reason = f"next-row-id was {older.next_row:,}, and became {newer.next_row}"
            last = newer.snapshots.get(newer.current or 0)
            self.find(ROW_IDS, "proved", last and self.version(last), reason, both)
        self._lost(older, newer, both)
        self._built_on_head(older, newer, both)

    def _lost(self, older: Metadata, newer: Metadata, both: list[str]) -> None:
        """Find snapshots of the main branch that are gone although older ones remain: expiry starts with the oldest."""
        adds = bool(newer.snapshots.keys() - older.snapshots.keys())
        held = newer.held()
        branch = list(older.ancestors(older.current))
        kept = [
            place for place, snapshot in enumerate(branch) if snapshot.id in newer.snapshots and snapshot.id not in held
        ]
        oldest = kept[-1] if kept else -1
        for place, snapshot in enumerate(branch):
            if snapshot.id in newer.snapshots:
                continue
            if place == 0:
                reason = f"snapshot {snapshot.id} was the newest, and is gone"
                self.find_about(PRESENT, "proved", snapshot, reason, both)
            elif place < oldest:
                reason = f"snapshot {snapshot.id} is gone, though {branch[oldest].id} is there, which is older"
                self.find_about(PRESENT, "proved" if adds else "suspect", snapshot, reason, both)

    def _built_on_head(self, older: Metadata, newer: Metadata, both: list[str]) -> None:
        """A new snapshot of the main branch is built on the previous head."""
        if older.current is None or newer.current is None or newer.current in older.snapshots:
            return
        if older.current not in older.snapshots or newer.current not in newer.snapshots:
            return
        new = [snapshot for snapshot in newer.ancestors(newer.current) if snapshot.id not in older.snapshots]
        base, head = new[-1].parent, older.snapshots[older.current]
        if base == older.current:
            return
        if base is None:
            if self._overlooked(newer.left_by(older.current, newer.current), both):
                return
            reason = (
                f"snapshot {new[-1].id} has no parent, though {head.id} was before it, as after a table is replaced"
            )
            self.find_about(LINEAR, "outside", new[-1], reason, [newer.name])
            return
        after_head = newer.heads[newer.heads.index(head.id) :] if head.id in newer.heads else ()
        if base not in after_head:  # it was not rolled back to
            reason = (
                f"snapshot {new[-1].id} was committed on {head.id}, but built on {base}, unless that was a rollback"
            )
            self.find_about(LINEAR, "suspect", new[-1], reason, both)

    # Commits that are not in the history -----------------------------------------------------------------------------

    def orphans(self) -> None:
        """Metadata files without a successor, from commits that were refused and retried, or lost."""
        last, early, waiting, unreadable = self.table.metadata.number, 0, 0, 0
        files = {life.entry.name for life in self.table.lives}
        lost: list[tuple[IcebergSnapshot, list[str]]] = []
        sizes = {entry.name: entry.size for entry in self.source.entries(FOLDER)}
        room = MOST_BYTES
        for name, number in self.table.files_of_metadata.items():
            if name in self.lineage_names or name in self.table.current.candidates or name in self.damages:
                continue
            room -= sizes.get(name, 0)
            if number <= self.begins:
                early += 1
                continue
            if room <= 0:
                continue
            try:
                metadata = read_metadata(self.source, name)
            except Missing:  # a refused writer cleaned up
                continue
            except Damaged:
                if number > last:
                    waiting += 1  # still being written
                else:
                    unreadable += 1  # a refused writer died
                continue
            if metadata.is_of_another(self.table.metadata):
                self.others.append(metadata)
            elif number > last:
                waiting += 1
            elif self.acks is None:
                lost += self._orphan(metadata, files)
        if room <= 0:
            self.left_out.append("metadata files that no later one follows, in part: they have too many bytes")
        arrived = metadata_files(self.source).items() - self.table.files_of_metadata.items()
        if lost and (waiting or any(number > last for _, number in arrived)):
            waiting += len(lost)  # writers are active: a refused one may be about to retry
            lost = []
        for snapshot, evidence in lost:
            reason = (
                f"a commit was prepared as snapshot {snapshot.id}, which is not in the history, nor are its files: "
                "it was refused and given up, or accepted and lost"
            )
            self.find_about(PRESENT, "suspect", snapshot, reason, evidence)
        if self.others:
            is_older = all(other.millis <= self.table.metadata.millis for other in self.others)
            which = "was in this folder before" if is_older else "is in this folder, too, and was written to later"
            notes = self.remarks if is_older else self.left_out
            notes.append(f"{counted(len(self.others), 'metadata file')} of another table, which {which}")
        if early:
            self.remarks.append(f"{counted(early, 'metadata file')} as old as the oldest that was followed, or older")
        if unreadable:
            self.remarks.append(f"{counted(unreadable, 'damaged metadata file')} of a writer that was refused")
        if waiting:
            self.remarks.append(f"commits that seem to be under way: {waiting}")

    def unnamed(self) -> None:
        """Manifest lists of snapshots after the newest: metadata files that named them are gone.

        A writer numbers its snapshot after the newest one, so of a commit under way the number is the next one.
        """
        metadata, source = self.table.metadata, self.source
        ids = self.once_current | {id for other in self.others for id in other.snapshots}
        later: dict[int, tuple[int, str]] = {}  # by sequence number
        for entry in source.entries(FOLDER):
            named = MANIFEST_LIST.fullmatch(entry.base)
            if named is None or int(named[1]) in ids or entry.is_folder:
                continue
            snapshot = IcebergSnapshot(int(named[1]), None, 0, 0, f"{metadata.location}/{entry.name}", "unknown")
            with suppress(Damaged):  # its writer has died, or still writes
                listed = manifests_of(source, self.table.places, snapshot).values()
                number = max((manifest.sequence for manifest in listed if manifest.added_by == snapshot.id), default=0)
                if number > metadata.last_sequence:
                    later[number] = snapshot.id, entry.name
        if not later or not self.is_unchanged():
            return
        if max(later) == metadata.last_sequence + 1:
            self.remarks.append("a commit that seems to be under way, or whose metadata file is gone")
            return
        snapshots = [later[number] for number in sorted(later)]
        reason = (
            f"{counted(len(later), 'snapshot')} with sequence numbers up to {max(later)} were prepared, and the newest "
            f"metadata file ends with {metadata.last_sequence}: some are gone, or several commits are under way"
        )
        first = IcebergSnapshot(snapshots[0][0], metadata.current, min(later), 0, None, "unknown")
        evidence = [f"{name} lists the manifests of snapshot {id}" for id, name in snapshots[:5]]
        self.find_about(PRESENT, "suspect", first, reason, evidence)

    def _orphan(self, metadata: Metadata, files: set[str]) -> Iterator[tuple[IcebergSnapshot, list[str]]]:
        """The commit of an orphaned metadata file, with evidence, unless a retry has committed its files."""
        with suppress(Damaged):  # a refused writer cleaned up, or died
            new = [
                snapshot for snapshot in metadata.ancestors(metadata.current) if snapshot.id not in self.once_current
            ]
            lost = [f"{file} is in no snapshot" for file in self._added(metadata, new) if file not in files]
            if new and lost:
                yield new[0], [f"{metadata.name} is complete, and none follows it", *lost[:5]]

    def _added(self, metadata: Metadata, snapshots: Iterable[IcebergSnapshot]) -> Iterator[str]:
        """The files that these snapshots added."""
        source, places = self.source, Places(self.source, metadata)
        for snapshot in snapshots:
            for manifest, listed in manifests_of(source, places, snapshot).items():
                if listed.added_by == snapshot.id:
                    entries = entries_of(source, places, manifest, listed)
                    yield from (entry.name for entry in entries if entry.status == 1 and entry.added_by == snapshot.id)

    def say_what_was_compared(self) -> None:
        snapshots = counted(len(self.table.chain), "snapshot")
        self.looked_at += [
            f"{LINEAR}, {SEQUENTIAL}: {snapshots}, {counted(len(self.lineage_names), 'metadata file')}",
            f"{COUNTS_AGREE}: {snapshots}, {counted(len(self.table.lives), 'file')}",
            f"{self.acks_looked_at()}, {counted(len(self.table.files_of_metadata), 'metadata file')} in the folder",
        ]

    def acknowledged(self) -> None:
        """Acknowledged snapshots that the history lacks."""
        metadata = self.table.metadata
        oldest = min((snapshot.millis for snapshot in self.table.chain), default=0)
        elsewhere = {id for other in self.others for id in other.snapshots}
        for ack in self.acks or ():
            id, millis = ack["snapshot-id"], ack.get("timestamp-ms")
            if id in metadata.snapshots:
                self._out_of_the_history(metadata.snapshots[id])
                continue
            if id in self.once_current or id in elsewhere:
                continue
            if self.begins == 0 and millis is not None and millis < self.born:
                self.remarks.append(f"snapshot {id}, which was acknowledged before this table was created")
                continue
            young = self.begins == 0 or (millis is not None and millis >= oldest)
            reason = f"snapshot {id} was acknowledged, and is not in the history" + (
                "" if young else "; it may have expired"
            )
            snapshot = IcebergSnapshot(id, None, self.versions[1] or 0, millis or 0, None, "unknown")
            self.find_about(
                PRESENT, "proved" if young else "suspect", snapshot, reason, [f"{metadata.name} does not have it"]
            )

    def _out_of_the_history(self, snapshot: IcebergSnapshot) -> None:
        """Find an acknowledged snapshot to which nothing leads, unless the table was rolled back or replaced."""
        metadata = self.table.metadata
        if snapshot.id in metadata.reachable():
            return
        later = metadata.built_on(snapshot.id)
        was_head = [i for i, head in enumerate(metadata.heads) if head in later]
        last = metadata.heads[was_head[-1] :][:2] if was_head else ()
        reason = f"snapshot {snapshot.id} was acknowledged, and no branch leads to it"
        left = metadata.left_by(*last) if len(last) == 2 and last[1] in metadata.snapshots else None
        if left is None:
            reason += ": it was never the newest, or its branch was dropped"
        elif left.is_on_purpose:
            return
        else:
            reason += f": {last[1]} followed {last[0]}, and was not built on it"
        grade: Grade = "proved" if left and left.is_unseen else "suspect"
        self.find_about(PRESENT, grade, snapshot, reason, [metadata.name])


def _age(snapshot: IcebergSnapshot) -> tuple[int, int]:
    return snapshot.sequence, snapshot.millis


def _ids(snapshots: Iterable[IcebergSnapshot]) -> str:
    return ", ".join(str(snapshot.id) for snapshot in list(snapshots)[:3])
