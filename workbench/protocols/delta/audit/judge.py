"""Judges a Delta table's history: replays its log, and compares the result with other files."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np

from workbench.audits.damaged import Damaged, Missing
from workbench.audits.documents import Document
from workbench.audits.findings import Grade
from workbench.audits.judgement import PRESENT, Judgement, Rule
from workbench.audits.presence import COUNTS_AGREE, FILES_EXIST, TIMES_GROW, Origin
from workbench.audits.row_ids import ROW_IDS, RowIds
from workbench.audits.shape import before_since, utc
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.values import counted
from workbench.protocols.delta.audit import states
from workbench.protocols.delta.audit.actions import (
    CATALOG_FEATURES,
    READER_FEATURES,
    Actions,
    FileAction,
    Partition,
    read_checkpoint,
    read_entry,
    rows_added,
)
from workbench.protocols.delta.audit.log import FOLDER, Compaction, list_log
from workbench.protocols.delta.audit.snapshot import Snapshot, both, miscounted, rivals, twice

#: The most bytes of checkpoints that are compared with the log, from the newest on; each repeats the whole table.
MOST_BYTES = 64 * 2**20

SEQUENTIAL, READ, VALID = "SequentialSnapshots", "ConsistentRead", "ValidDeltaLog"
_HINT = f"{FOLDER}/_last_checkpoint"

NEVER_SEEN = (
    "what writers had read, where they do not say it, and the locks of object stores without put-if-absent",
    "the rows in data files: the model's are the log's",
)

CATALOG_KNOWS = "whether data files, and acknowledged later versions, exist: the catalog alone knows the newest version"
_ROW_TRACKING = "rowTracking"
NO_READER = "nobody can read them"


def _read_hint(source: Source) -> Document | Damaged | None:
    """The pointer to a checkpoint, or the reason why it cannot be read; None if there is none."""
    try:
        return Document(source.read_json(_HINT), _HINT)
    except Missing:
        return None
    except Damaged as error:
        return error


class DeltaJudgement(Judgement):
    """Judges a table by its log."""

    INVARIANTS: ClassVar = {SEQUENTIAL: READ, PRESENT: READ}

    def __init__(self, source: Source, acks: list[dict[str, Any]] | None = None, since: int | None = None) -> None:
        super().__init__("delta", source, acks=acks, since=since)
        self.hint = _read_hint(source)  # before the listing, so that files it names are listed if they exist
        log = list_log(source)
        assert log is not None  # it was detected
        self.log = log
        self.remarks += NEVER_SEEN
        self.compared = log.newest_checkpoints(MOST_BYTES)
        left = sum(map(len, log.checkpoints.values())) - len(self.compared)
        if left:
            self.remarks.append(f"{counted(left, 'older checkpoint')}: together they are too large to compare")
        self.remarks += [f"{name}: readers ignore it" for name in log.incomplete]
        self.snapshot: Snapshot | None = None
        self.first = self.last = 0
        self.base = -1  # the version that the entries were replayed from
        self.stamp: int | None = None  # of the entry before
        self.read = self.checkpoints_compared = self.compactions_compared = 0  # entries that were judged, and these
        self.acknowledged_versions = {ack["version"] for ack in acks or ()}
        self.without_schema: list[str] = []
        self.went_back: list[str] = []  # transactions
        self.commits: dict[int, tuple[int | None, set[str]]] = {}  # by version: the commit's time, and its applications
        # The last version with a change of the schema, with a transaction of an application, and with new files in a
        # partition: of any entry, and of one that may have read the table.
        self.schema_changed = -1
        self.committed_by: dict[str, int] = {}
        self.transactions: set[tuple[str, int]] = set()
        self.added_to: dict[Partition | None, int] = {}
        self.changed: dict[Partition | None, int] = {}

    def rules(self) -> list[Rule]:
        for name in chain.from_iterable(self.log.checkpoints.get(max(self.log.checkpoints, default=-1), ())):
            self.damages.current(name)
        pointer = self.guarded(self.pointer, self.log.last)
        return [self.history, pointer, self.newest, self.acknowledged, self.say_what_was_compared]

    def is_unchanged(self) -> bool:
        return list_log(self.source) == self.log

    # The log, entry by entry -----------------------------------------------------------------------------------------

    def history(self) -> None:
        """Replay the entries, from the first one or from a checkpoint on."""
        entries, last = sorted(self.log.entries), self.log.last
        begin = self._begin()
        self.remarks += before_since(self.since, self.first, last, self.source.url)
        for late in sorted(version for version in self.log.checksums if version > last and not self.log.staged):
            reason = f"version {late} has a checksum file, which is written after its entry, and no entry"
            state_of = partial(states.lost_entry, late, f"version {late}")
            self.find(SEQUENTIAL, "suspect", late, reason, [self.log.checksums[late]], state_of)
        version = last + 1 if begin is None else begin
        while version <= last:
            if version in self.log.entries:
                error = self._entry(version)
                if error is None:
                    self.last, version, self.read = version, version + 1, self.read + 1
                    continue
                later = self._restart_after(version)
                self.damages.note(error, range(version, last + 1 if later is None else max(later, version + 1)))
                if later is None:
                    self._unread(version + 1, "they build on a damaged file")
                    return
                version = later + 1
                continue
            place = bisect_left(entries, version)
            until = (entries[place] if place < len(entries) else last + 1) - 1
            bridge = self._bridge(version, until)
            later = self._restart_after(until) if bridge is None else bridge.last
            which = f"version {version}" if until == version else f"versions {version} to {until}"
            reason = f"the log has no entry of {which}, though later ones exist"
            state_of = partial(states.lost_entry, version, which)
            if later is None:
                self.find(SEQUENTIAL, "proved", version, reason, ["no checkpoint makes up for it"], state_of, last=last)
                self._unread(until + 1, NO_READER)
                return
            name = self.log.checkpoints[later][0][0] if bridge is None else bridge.name
            evidence = [f"{name} makes up for it, so that readers do not notice"]
            self.find(SEQUENTIAL, "suspect", version, reason, evidence, state_of)
            version = later + 1

    def _unread(self, version: int, reason: str) -> None:
        """Leave out the versions from this one on, and so the table's present state."""
        self.snapshot = None
        if version <= self.log.last:
            self.left_out.append(f"the versions from {version} on: {reason}")

    def _begin(self) -> int | None:
        """Take the table as of the oldest version, or of the last checkpoint up to `since`.

        Returns:
            The next version; None if none can be read.
        """
        early = [version for version in self.log.checkpoints if self.since is not None and version <= self.since]
        if 0 in self.log.entries and not early:
            return 0
        if not self.log.checkpoints:
            oldest = self.first = self.last = min(self.log.entries)
            reason = f"it begins with version {oldest}, and has no complete checkpoint; logs begin with 0 or with one"
            self.damages.note(Damaged(FOLDER, reason), range(oldest, self.log.last + 1))
            self._unread(oldest, NO_READER)
            return None
        self.first = self.last = 0 if 0 in self.log.entries else min(self.log.checkpoints)
        for base in [*sorted(early, reverse=True), *sorted(set(self.log.checkpoints) - set(early))]:
            if self._restart(base):
                if not early:
                    self.remarks.append(f"versions before {base} were cleaned up: its checkpoint is taken as correct")
                return base + 1
        if 0 in self.log.entries:
            return 0
        self._unread(self.first, "they build on damaged checkpoints")
        return None

    def _restart_after(self, version: int) -> int | None:
        """Take the table from the first readable checkpoint of this version or later; returns its version."""
        return next((base for base in sorted(self.log.checkpoints) if base >= version and self._restart(base)), None)

    def _bridge(self, version: int, until: int) -> Compaction | None:
        """Pass over missing entries by a compaction that has all of them; returns it, or None if none can be read."""
        for compaction in (compaction for some in self.log.compacted.values() for compaction in some):
            if self.snapshot is not None and compaction.first <= version and until <= compaction.last <= self.log.last:
                with self.damages.around(compaction.last):
                    # A compaction does not say which entry did what.
                    self.snapshot.apply(read_entry(self.source, compaction.name), -1)
                    self.last, self.stamp, self.base = compaction.last, None, compaction.last
                    return compaction
        return None

    def _restart(self, version: int) -> bool:
        """Take the table from a checkpoint of this version, if one can be read; returns whether one can."""
        for names in self.log.checkpoints[version]:
            with self.damages.around(version):
                actions = read_checkpoint(self.source, names)
                self._contradictions(version, actions, is_checkpoint=True)
                self.snapshot, self.stamp, self.last, self.base = Snapshot.of(actions), None, version, version
                self._checksum(version)
                return True
        return False

    def _entry(self, version: int) -> Damaged | None:
        """Judge an entry by the version before it, and go on to its own, unless the entry is damaged."""
        try:
            entry = read_entry(self.source, self.log.entries[version])
            if self.snapshot is None and not (entry.metadata and entry.protocol):
                raise Damaged(entry.name, "the first entry has no metaData, or no protocol")
        except Damaged as error:
            return error
        if self.snapshot is None:
            self.snapshot = Snapshot(entry.metadata[0], entry.protocol[0])
        for kind, many in (("metaData", entry.metadata), ("protocol", entry.protocol)):
            if len(many) > 1:
                self.find(COUNTS_AGREE, "suspect", version, f"entry {version} has several {kind}", [entry.name])
        self._files(version, entry)
        self._conflicts(version, entry, self.snapshot)
        self._row_ids(version, entry, self.snapshot)
        self._note(version, entry, self.snapshot)
        self.snapshot.apply(entry, version)
        self._partitions(version, entry, self.snapshot)
        self._times(version, entry, self.snapshot)
        self._checksum(version)
        for names in self.log.checkpoints.get(version, []):
            if names in self.compared:
                with self.damages.around(version):
                    self._compare_checkpoint(version, read_checkpoint(self.source, names), self.snapshot)
        for compaction in self.log.compacted.get(version, []):
            if compaction.first > self.base:
                with self.damages.around(version):
                    self._compare_compaction(compaction, read_entry(self.source, compaction.name), self.snapshot)
        return None

    def _files(self, version: int, entry: Actions) -> None:
        """Check that an entry removes only live files, adds none that are live, and has no file twice."""
        assert self.snapshot is not None
        live, dead = self.snapshot.live, self.snapshot.dead
        self._contradictions(version, entry)
        in_both = set(both(entry))
        gone, odd, was_seen = [], [], False
        for remove in entry.removes:
            life = live.get(remove.name)
            if life is not None and life.file.vector_id == remove.vector_id:
                if remove.size not in (None, life.file.size):
                    odd.append(
                        f"it removes {remove.name} of {remove.size:,} bytes, which was added with {life.file.size:,}"
                    )
            elif remove.name not in in_both:
                before = "which no entry before has added"
                if life is not None:
                    before = f"whose deletion vector version {life.first} has replaced"
                elif remove.name in dead:
                    by = dead[remove.name].version
                    before = f"which version {by} has removed" if by >= 0 else "which is removed"
                was_seen |= life is not None or remove.name in dead
                gone.append(f"{entry.name} removes {remove.name}, {before}")
        if gone:
            reason = f"version {version} removes {counted(len(gone), 'file')} that the version before does not have"
            shown = states.overtaken if was_seen else states.lost_entry
            self.find(READ, "proved", version, reason, gone[:5], partial(shown, version, gone[0]))
        removed = {(remove.name, remove.vector_id) for remove in entry.removes}
        again, rival = [], []
        for add in entry.adds:
            life = live.get(add.name)
            if life is None or (add.name, life.file.vector_id) in removed:
                if life is None and not add.is_data_change and not entry.removes:
                    odd.append(f"it adds {add.name} as what was there already, and it was not")
            elif life.file.vector_id != add.vector_id:
                rival.append(f"{entry.name} adds {add.name} with another deletion vector, and does not remove the old")
            elif add.is_data_change and add.name not in in_both:
                again.append(f"{entry.name} adds {add.name}, which is there since version {life.first}")
        grades: dict[Grade, list[str]] = {"proved": rival, "suspect": again}
        for grade, some in grades.items():
            if some:
                reason = f"version {version} adds {counted(len(some), 'file')} that the version before has already"
                state_of = partial(states.overtaken, version, some[0])
                self.find(READ, grade, version, reason, some[:5], state_of, about=reason)
        if odd:
            reason = f"the files of version {version} are not as the versions before it have them"
            self.find(COUNTS_AGREE, "suspect", version, reason, odd[:5])

    def _contradictions(self, version: int, actions: Actions, *, is_checkpoint: bool = False) -> None:
        """Check that an entry or a checkpoint has each file once; and note one that has no schema."""
        self.without_schema += [actions.name for metadata in actions.metadata if metadata.schema is None]
        if double := twice(actions, is_checkpoint=is_checkpoint):
            reason = f"{actions.name} adds, or removes, a file twice"
            self.find(COUNTS_AGREE, "suspect", version, reason, double[:5], about=reason)
        if names := rivals(actions):
            reason = f"{actions.name} adds {counted(len(names), 'file')} with several deletion vectors at once"
            state_of = partial(states.overtaken, version, f"{names[0]} has several deletion vectors")
            self.find(READ, "proved", version, reason, names[:5], state_of, about=reason)
        if names := both(actions):
            reason = f"{actions.name} adds and removes {counted(len(names), 'file')}"
            state_of = partial(states.added_and_removed, version, names[0])
            self.find(VALID, "proved", version, reason, names[:5], state_of, about=reason)

    def _conflicts(self, version: int, entry: Actions, before: Snapshot) -> None:
        """Repeat the conflict check: look at the entries after the version that the writer had read."""
        read, is_blind = entry.info("readVersion", int), entry.info("isBlindAppend", bool)
        if is_blind and entry.removes:
            reason = f"version {version} says that it is a blind append, and removes files"
            self.find(COUNTS_AGREE, "suspect", version, reason, [entry.name])
        for app, number in entry.transactions.items():
            last = before.transactions.get(app)
            which = f"version {version} has the transaction {number} of the application {brief(app)}"
            if last == number or (app, number) in self.transactions:
                back = "" if last == number else ", unless the application has gone back on purpose, as it may"
                reason = f"{which}, and an earlier version has it, too{back}"
                self.find(READ, "suspect", version, reason, [entry.name], partial(states.overtaken, version, which))
            elif last is not None and number < last:
                self.went_back.append(f"{which} after {last}")
        for difference in miscounted(entry):
            self.find(COUNTS_AGREE, "suspect", version, f"version {version}: {difference}", [entry.name])
        if read is None:
            return
        if not -1 <= read < version:
            reason = f"version {version} says that it has read version {read}"
            self.find(COUNTS_AGREE, "suspect", version, reason, [entry.name])
            return
        lives = [before.live[remove.name] for remove in entry.removes if remove.name in before.live]
        missed = [
            f"it removes {life.file.name}, which version {life.first} has added"
            for life in lives
            if life.first > read and not self._is_rebased(version, life.file, entry)
        ]
        if self.schema_changed > read and (entry.adds or entry.metadata):
            missed.append(f"version {self.schema_changed} has changed the schema")
        for app in entry.transactions:
            if self.committed_by.get(app, -1) > read:
                missed.append(f"version {self.committed_by[app]} has a transaction of the application {app}, too")
        level, engine = entry.info("isolationLevel", str), entry.info("engineInfo", str) or ""
        if is_blind is False and engine.startswith("Apache-Spark") and level in ("Serializable", "WriteSerializable"):
            # A writer that removes a file of a partition has read the partition. Engines that look at rows are excused.
            is_strict = level == "Serializable" or entry.metadata
            added = self.added_to if is_strict else self.changed
            partitions = {life.file.partition for life in lives}
            late = sorted({added[partition] for partition in partitions if added.get(partition, -1) > read})
            missed += [f"version {by} has added files to a partition that it rewrites ({level})" for by in late]
        if missed:
            reason = (
                f"version {version} was written by a writer that had read version {read}, and missed what came then"
            )
            self.find(READ, "suspect", version, reason, missed[:5], partial(states.overtaken, version, missed[0]))

    def _is_rebased(self, version: int, live: FileAction, entry: Actions) -> bool:
        """Whether the entry gives a live file with a deletion vector another one, which strikes out all that this does.

        Its writer has then read the live vector when it committed, whatever version it had read at first. If the bytes
        of a vector are gone, as vacuum removes those that were replaced, nothing says that the writer missed anything.
        """
        new = next((add for add in entry.adds if add.name == live.name), None)
        if live.vector is None or new is None or new.vector is None:
            return False
        if new.vector.cardinality < live.vector.cardinality:
            return False
        before, after = live.stored_vector(), new.stored_vector()
        try:
            if before is not None and after is not None:
                return bool(np.isin(before.read(self.source), after.read(self.source)).all())
        except InputError:
            pass  # of the newest version, it is found as such
        self.left_out.append(
            f"whether version {version} strikes out all rows of {live.name} that were struck out before: "
            "a deletion vector cannot be read"
        )
        return True

    def _note(self, version: int, entry: Actions, before: Snapshot) -> None:
        """Remember the changes that later writers must not miss."""
        if any((metadata.schema, metadata.partition_columns) != _shape(before) for metadata in entry.metadata):
            self.schema_changed = version
        self.committed_by |= dict.fromkeys(entry.transactions, version)
        self.transactions.update(entry.transactions.items())
        new = dict.fromkeys((add.partition for add in entry.adds if add.name not in before.live), version)
        self.added_to |= new
        if not entry.info("isBlindAppend", bool):
            self.changed |= new
        if version in self.acknowledged_versions:
            self.commits[version] = entry.info("timestamp", int), set(entry.transactions)

    def _partitions(self, version: int, entry: Actions, now: Snapshot) -> None:
        """Check that files have values for the partition columns, which have other names under column mapping."""
        if now.metadata.setting("delta.columnMapping.mode") not in (None, "none"):
            return
        columns = sorted(now.metadata.partition_columns)
        for add in entry.adds:
            if [column for column, _ in add.partition or ()] != columns:
                reason = f"version {version} adds files with other partition columns than the table's: {columns}"
                self.find(COUNTS_AGREE, "suspect", version, reason, [f"{add.name}: {add.partition}"])
                return

    def _row_ids(self, version: int, entry: Actions, before: Snapshot) -> None:
        """Check that new files get row ids above the high water mark, which never goes back."""
        mark, has_ids = before.high_water_mark, _ROW_TRACKING in before.protocol.writer_features
        if mark is not None and entry.high_water_mark is not None and entry.high_water_mark < mark:
            reason = (
                f"version {version} sets the row id high water mark to {entry.high_water_mark:,}, and it was {mark:,}"
            )
            self.find(ROW_IDS, "proved", version, reason, [entry.name])
        again, without = [], []
        for add in entry.adds:
            if (life := before.live.get(add.name)) is not None:
                if life.file.base_row not in (None, add.base_row):
                    again.append(f"{add.name} has the base row id {add.base_row}, which was {life.file.base_row:,}")
            elif add.base_row is None:
                without.append(add.name)
            elif mark is not None and add.base_row <= mark and add.name not in before.dead:
                again.append(f"{add.name} has the base row id {add.base_row:,}, and {mark:,} is assigned already")
        if again:
            reason = f"version {version} gives {counted(len(again), 'file')} row ids that other rows have, or have had"
            self.find(ROW_IDS, "proved", version, reason, again[:5])
        if without and has_ids and before.metadata.setting("delta.rowTrackingSuspended") != "true":
            reason = f"version {version} adds {counted(len(without), 'file')} without row ids"
            self.find(ROW_IDS, "proved", version, reason, without[:5])

    def _times(self, version: int, entry: Actions, now: Snapshot) -> None:
        """Check that in-commit timestamps grow."""
        if now.metadata.setting("delta.enableInCommitTimestamps") != "true":
            self.stamp = None
            return
        before, self.stamp = self.stamp, entry.info("inCommitTimestamp", int)
        if self.stamp is None or not entry.info_is_first:
            reason = f"version {version} does not begin with a commitInfo with an inCommitTimestamp"
            self.find(TIMES_GROW, "proved", version, reason, [entry.name])
        elif before is not None and self.stamp <= before:
            reason = (
                f"the inCommitTimestamp of version {version} is {self.stamp}, and that of the one before is {before}"
            )
            self.find(TIMES_GROW, "proved", version, reason, [entry.name])

    # What is said elsewhere ------------------------------------------------------------------------------------------

    def _compare(self, version: int, actions: Actions, reason: str, differences: Iterable[str]) -> None:
        """Check that a checkpoint, or a compaction, has the sum of its entries."""
        self._contradictions(version, actions, is_checkpoint=True)
        examples = list(islice(differences, 5))
        if examples:
            evidence = [f"{actions.name}: {difference}" for difference in examples]
            state_of = partial(states.lost_entry, version, examples[0])
            self.find(READ, "proved", version, reason, evidence, state_of, about=reason)

    def _compare_checkpoint(self, version: int, checkpoint: Actions, now: Snapshot) -> None:
        reason = f"the checkpoint of version {version} is not what the entries up to there add up to"
        self._compare(version, checkpoint, reason, now.unlike(checkpoint))
        self.checkpoints_compared += 1

    def _compare_compaction(self, compaction: Compaction, actions: Actions, now: Snapshot) -> None:
        reason = (
            f"the log compaction of versions {compaction.first} to {compaction.last} is not what its entries add up to"
        )
        lacks = [
            app for app, by in self.committed_by.items() if by >= compaction.first and app not in actions.transactions
        ]
        lines = (f"it has no transaction of the application {app}" for app in lacks)
        self._compare(compaction.last, actions, reason, chain(now.unlike_compaction(actions, compaction.first), lines))
        self.compactions_compared += 1

    def _checksum(self, version: int) -> None:
        """Check that a checksum file has the counts of its version."""
        name = self.log.checksums.get(version)
        if name is None or self.snapshot is None:
            return
        with self.damages.around(version):
            for difference in self.snapshot.miscounts(Document(self.source.read_json(name), name)):
                reason = f"the checksum of version {version} differs: {difference}"
                self.find(COUNTS_AGREE, "suspect", version, reason, [name])

    def pointer(self) -> None:
        """``_last_checkpoint`` names a checkpoint that is there; its counts are hints, which writers get wrong."""
        hint = self.hint
        if hint is None:
            return
        if isinstance(hint, Damaged):
            raise hint
        version, parts = hint.take("version", int), hint.get("parts", int)
        there = self.log.checkpoints.get(version, [])
        fitting = [names for names in there if parts in (None, len(names))]
        if not fitting:
            of = f"{parts} parts of " if parts else ""
            evidence = [f"{_HINT}: {version}"]
            reason = f"{_HINT} names {of}the checkpoint of version {version}, which is not there"
            self.find(FILES_EXIST, "proved", max(version, 0), reason, evidence, last=self.log.last)
            return
        actions = read_checkpoint(self.source, fitting[0])
        size = sum(self.log.sizes[name] for name in fitting[0]) if not actions.sidecars else None
        counts = (("size", actions.rows), ("numOfAddFiles", len(actions.adds)), ("sizeInBytes", size))
        for name, number in counts if len(fitting) == 1 else ():
            hinted = hint.get(name, int)
            if hinted is not None and number is not None and hinted != number:
                self.remarks.append(f"{_HINT} says that {name} is {hinted:,}, and the checkpoint has {number:,}")

    def newest(self) -> None:
        """Check that the files of the newest version exist, and remark on what could not be checked."""
        now = self.snapshot
        if now is None:
            self.left_out.append("whether data files exist: the newest version cannot be read")
            return
        live = ((life.file, life.first) for life in now.live.values())
        ids = [
            RowIds(file.base_row, file.rows or 1, file.name, first) for file, first in live if file.base_row is not None
        ]
        if ids:
            next_id = None if now.high_water_mark is None else now.high_water_mark + 1
            self.judge_row_ids(ids, next_id, self.last)
        unknown = sorted(now.protocol.reader_features - READER_FEATURES - CATALOG_FEATURES)
        for feature in unknown:
            self.left_out.append(f"what the table feature {brief(feature)} changes: it is not known here")
        if now.metadata.provider != "parquet":
            self.left_out.append(f"data files of the format {brief(now.metadata.provider)}")
        files = [life.file for life in now.live.values()]
        vectors = [(file, file.vector) for file in files if file.vector is not None]
        outside = sum(file.is_outside for file in files)
        outside += sum((place.name, place.inline, place.unreadable) == (None, None, None) for _, place in vectors)
        if outside:
            self.left_out.append(f"whether {counted(outside, 'file')} outside of the table's folder exist")
        if self._has_catalog():
            held = f"; {counted(len(self.log.staged), 'staged commit')} may be of later ones" if self.log.staged else ""
            self.left_out.append(f"{CATALOG_KNOWS}{held}")
            return
        if not self.is_unchanged():
            self.left_out.append("whether data files exist: the table was written to while it was read")
            return
        sizes: Mapping[str, int | None] = {
            **{file.name: file.size for file in files if not file.is_outside},
            **{place.name: None for _, place in vectors if place.name is not None},
        }
        may_be_elsewhere = bool(outside or unknown or now.metadata.provider != "parquet")
        missing = self.judge_presence(sizes, self.last, self._origin, may_be_elsewhere=may_be_elsewhere)
        absent = {file.name for file in missing}
        there = []
        for file, place in vectors:
            if place.unreadable is not None:
                self.damages.note(Damaged(file.name, f"its deletion vector {place.unreadable}"), [self.last])
            elif place.name not in absent and (vector := file.stored_vector()) is not None:
                there.append(vector)
        self.judge_vectors(there, self.last)

    def _has_catalog(self) -> bool:
        """Whether there may be later commits, which the table's catalog has not published in the log yet."""
        features = self.snapshot.protocol.reader_features if self.snapshot is not None else frozenset()
        return bool(self.log.staged or features & CATALOG_FEATURES)

    def _origin(self, name: str) -> Origin:
        """The origin of a live file, or of a live file's deletion vector."""
        assert self.snapshot is not None
        for file, first, _ in self.snapshot.live.values():
            if name in (file.name, file.vector and file.vector.name) and first >= 0:
                entry = read_entry(self.source, self.log.entries[first])
                rows = rows_added(self.source, entry.name, file.name)
                return Origin(first, utc(entry.info("timestamp", int)), rows if name == file.name else None)
        return Origin(None, None, None)

    def say_what_was_compared(self) -> None:
        self.versions = self.first, self.last
        without = [f"{name} has no schemaString" for name in self.without_schema]
        self._remark("partition columns by the schema", without, "other file")
        self._remark("whether transactions go back on purpose, as they may", self.went_back, "other version")
        entries, files = counted(self.read, "entry", "entries"), counted(len(self.log.checksums), "checksum file")
        self.looked_at += [
            f"{SEQUENTIAL}, {READ}, {VALID}: {entries}",
            f"{READ}: {counted(self.checkpoints_compared, 'checkpoint')} against the entries",
            f"{READ}: {counted(self.compactions_compared, 'log compaction')} against their entries",
            f"{COUNTS_AGREE}: {entries}, {files}",
            self.acks_looked_at(),
        ]

    def _remark(self, subject: str, cases: list[str], others: str) -> None:
        """Remark on something that cannot be determined, with the first case, if there is one."""
        if cases:
            more = f", as is so in {counted(len(cases) - 1, others)}" if cases[1:] else ""
            self.remarks.append(f"{subject}: {cases[0]}{more}")

    def acknowledged(self) -> None:
        """Find acknowledged commits that the log lacks, or that another commit has replaced."""
        for ack in self.acks or ():
            version, reason = ack["version"], None
            millis, apps = self.commits.get(version, (None, set()))
            if version > self.log.last and not self._has_catalog():
                reason = f"the commit of version {version} was acknowledged, and the last version is {self.log.last}"
            elif version in self.commits and ack.get("timestamp", millis) != millis:
                reason = f"version {version} was acknowledged at {ack['timestamp']}, and is the commit of {millis}"
            elif version in self.commits and "appId" in ack and ack["appId"] not in apps:
                reason = f"version {version} was acknowledged to {ack['appId']}, and has no transaction of it"
            if reason is not None:
                name = self.log.entries.get(version, f"there is no entry of version {version}")
                state_of = partial(states.lost_entry, version, reason)
                self.find(PRESENT, "proved", version, reason, [name], state_of, about=reason)


def _shape(snapshot: Snapshot) -> tuple[str | None, tuple[str, ...]]:
    return snapshot.metadata.schema, snapshot.metadata.partition_columns
