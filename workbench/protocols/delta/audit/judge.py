"""Judge a Delta table's history: replay its log, and compare the result with what other files say."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, ClassVar

from workbench.audits.damaged import Damaged, Missing
from workbench.audits.findings import Grade
from workbench.audits.judgement import PRESENT, Judgement, Rule
from workbench.audits.presence import COUNTS_AGREE, FILES_EXIST, TIMES_GROW, Origin
from workbench.audits.said import Said
from workbench.audits.shape import before_since, utc
from workbench.audits.source import Source
from workbench.audits.vectors import StoredVector
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.values import counted
from workbench.protocols.delta.audit import states
from workbench.protocols.delta.audit.actions import (
    CATALOG_FEATURES,
    READER_FEATURES,
    Actions,
    Partition,
    read_checkpoint,
    read_entry,
    rows_added,
)
from workbench.protocols.delta.audit.log import FOLDER, Compaction, list_log
from workbench.protocols.delta.audit.snapshot import Snapshot, both, miscounted, twice

#: The most bytes of checkpoints that are compared with the log, from the newest on; each repeats the whole table.
MOST_BYTES = 64 * 2**20

SEQUENTIAL, READ, VALID = "SequentialSnapshots", "ConsistentRead", "ValidDeltaLog"
_HINT = f"{FOLDER}/_last_checkpoint"

NEVER_SEEN = (
    "what writers had read, where they do not say it, and the locks of object stores without put-if-absent",
    "the rows in data files: the model's are the log's",
)

CATALOG_KNOWS = "whether data files, and acknowledged later versions, exist: the catalog alone knows the newest version"
NO_READER = "nobody can read them"


def _read_hint(source: Source) -> Said | Damaged | None:
    """The pointer to a checkpoint, or the reason why it cannot be read; None if there is none."""
    try:
        return Said(source.read_json(_HINT), _HINT)
    except Missing:
        return None
    except Damaged as why:
        return why


class DeltaJudgement(Judgement):
    """Judges a table by its log."""

    INVARIANTS: ClassVar = {SEQUENTIAL: READ, PRESENT: READ}

    def __init__(self, source: Source, acks: list[dict[str, Any]] | None = None, since: int | None = None) -> None:
        super().__init__("delta", source, acks=acks, since=since)
        self.hint = _read_hint(source)  # before the listing: what it names was there before it
        log = list_log(source)
        assert log is not None  # it was detected
        self.log = log
        self.remarks += NEVER_SEEN
        self.compared = log.newest_checkpoints(MOST_BYTES)
        left = sum(map(len, log.checkpoints.values())) - len(self.compared)
        if left:
            self.remarks.append(f"{counted(left, 'older checkpoint')}: together they are too large to compare")
        self.remarks += [f"{one}: readers ignore it" for one in log.incomplete]
        self.snapshot: Snapshot | None = None
        self.first = self.last = 0
        self.base = -1  # the version that the entries were replayed from
        self.stamp: int | None = None  # of the entry before
        self.read = self.checkpoints_compared = self.compactions_compared = 0  # entries that were judged, and these
        self.acknowledged_versions = {ack["version"] for ack in acks or ()}
        self.without_schema: list[str] = []
        self.went_back: list[str] = []  # transactions
        self.told: dict[int, tuple[int | None, set[str]]] = {}  # by version: the commit's time, and its applications
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
        for late in sorted(one for one in self.log.checksums if one > last and not self.log.staged):
            why = f"version {late} has a checksum file, which is written after its entry, and no entry"
            state_of = partial(states.lost_entry, late, f"version {late}")
            self.find(SEQUENTIAL, "suspect", late, why, [self.log.checksums[late]], state_of)
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
            why = f"the log has no entry of {which}, though later ones exist"
            state_of = partial(states.lost_entry, version, which)
            if later is None:
                self.find(SEQUENTIAL, "proved", version, why, ["no checkpoint makes up for it"], state_of, last=last)
                self._unread(until + 1, NO_READER)
                return
            name = self.log.checkpoints[later][0][0] if bridge is None else bridge.name
            evidence = [f"{name} makes up for it, so that readers do not notice"]
            self.find(SEQUENTIAL, "suspect", version, why, evidence, state_of)
            version = later + 1

    def _unread(self, version: int, why: str) -> None:
        """Leave out the versions from this one on, and so the table's present state."""
        self.snapshot = None
        if version <= self.log.last:
            self.left_out.append(f"the versions from {version} on: {why}")

    def _begin(self) -> int | None:
        """Take the table as of the oldest version, or of the last checkpoint up to `since`.

        Returns:
            The next version; None if none can be read.
        """
        early = [one for one in self.log.checkpoints if self.since is not None and one <= self.since]
        if 0 in self.log.entries and not early:
            return 0
        if not self.log.checkpoints:
            oldest = self.first = self.last = min(self.log.entries)
            why = f"it begins with version {oldest}, and has no complete checkpoint; logs begin with 0 or with one"
            self.damages.note(Damaged(FOLDER, why), range(oldest, self.log.last + 1))
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
        return next((one for one in sorted(self.log.checkpoints) if one >= version and self._restart(one)), None)

    def _bridge(self, version: int, until: int) -> Compaction | None:
        """Pass over missing entries by a compaction that has all of them; returns it, or None if none can be read."""
        for one in (one for some in self.log.compacted.values() for one in some):
            if self.snapshot is not None and one.first <= version and until <= one.last <= self.log.last:
                with self.damages.around(one.last):
                    self.snapshot.apply(read_entry(self.source, one.name), -1)  # it does not say which entry did what
                    self.last, self.stamp, self.base = one.last, None, one.last
                    return one
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
        for what, many in (("metaData", entry.metadata), ("protocol", entry.protocol)):
            if len(many) > 1:
                self.find(COUNTS_AGREE, "suspect", version, f"entry {version} has several {what}", [entry.name])
        self._files(version, entry)
        self._conflicts(version, entry, self.snapshot)
        self._note(version, entry, self.snapshot)
        self.snapshot.apply(entry, version)
        self._partitions(version, entry, self.snapshot)
        self._times(version, entry, self.snapshot)
        self._checksum(version)
        for names in self.log.checkpoints.get(version, []):
            if names in self.compared:
                with self.damages.around(version):
                    self._compare_checkpoint(version, read_checkpoint(self.source, names), self.snapshot)
        for one in self.log.compacted.get(version, []):
            if one.first > self.base:
                with self.damages.around(version):
                    self._compare_compaction(one, read_entry(self.source, one.name), self.snapshot)
        return None

    def _files(self, version: int, entry: Actions) -> None:
        """Check that an entry removes only live files, adds none that are live, and has no file twice."""
        assert self.snapshot is not None
        live, dead = self.snapshot.live, self.snapshot.dead
        self._contradictions(version, entry)
        in_both = set(both(entry))
        gone, odd, known = [], [], False
        for one in entry.removes:
            life = live.get(one.name)
            if life is not None and life.file.vector_id == one.vector_id:
                if one.size not in (None, life.file.size):
                    odd.append(f"it removes {one.name} of {one.size:,} bytes, which was added with {life.file.size:,}")
            elif one.name not in in_both:
                before = "which no entry before has added"
                if life is not None:
                    before = f"whose deletion vector version {life.first} has replaced"
                elif one.name in dead:
                    by = dead[one.name].version
                    before = f"which version {by} has removed" if by >= 0 else "which is removed"
                known |= life is not None or one.name in dead
                gone.append(f"{entry.name} removes {one.name}, {before}")
        if gone:
            why = f"version {version} removes {counted(len(gone), 'file')} that the version before does not have"
            shown = states.overtaken if known else states.lost_entry
            self.find(READ, "proved", version, why, gone[:5], partial(shown, version, gone[0]))
        removed = {(one.name, one.vector_id) for one in entry.removes}
        again, rival = [], []
        for one in entry.adds:
            life = live.get(one.name)
            if life is None or (one.name, life.file.vector_id) in removed:
                if life is None and not one.is_data_change and not entry.removes:
                    odd.append(f"it adds {one.name} as what was there already, and it was not")
            elif life.file.vector_id != one.vector_id:
                rival.append(f"{entry.name} adds {one.name} with another deletion vector, and does not remove the old")
            elif one.is_data_change and one.name not in in_both:
                again.append(f"{entry.name} adds {one.name}, which is there since version {life.first}")
        grades: dict[Grade, list[str]] = {"proved": rival, "suspect": again}
        for grade, some in grades.items():
            if some:
                why = f"version {version} adds {counted(len(some), 'file')} that the version before has already"
                state_of = partial(states.overtaken, version, some[0])
                self.find(READ, grade, version, why, some[:5], state_of, about=why)
        if odd:
            why = f"the files of version {version} are not as the versions before it have them"
            self.find(COUNTS_AGREE, "suspect", version, why, odd[:5])

    def _contradictions(self, version: int, actions: Actions, *, is_checkpoint: bool = False) -> None:
        """Check that an entry or a checkpoint has each file once; and note one that has no schema."""
        self.without_schema += [actions.name for one in actions.metadata if one.schema is None]
        if double := twice(actions, is_checkpoint=is_checkpoint):
            why = f"{actions.name} adds, or removes, a file twice"
            self.find(COUNTS_AGREE, "suspect", version, why, double[:5], about=why)
        if names := both(actions):
            why = f"{actions.name} adds and removes {counted(len(names), 'file')}"
            state_of = partial(states.added_and_removed, version, names[0])
            self.find(VALID, "proved", version, why, names[:5], state_of, about=why)

    def _conflicts(self, version: int, entry: Actions, before: Snapshot) -> None:
        """Repeat the conflict check: look at the entries after the version that the writer had read."""
        read, is_blind = entry.info("readVersion", int), entry.info("isBlindAppend", bool)
        if is_blind and entry.removes:
            why = f"version {version} says that it is a blind append, and removes files"
            self.find(COUNTS_AGREE, "suspect", version, why, [entry.name])
        for app, number in entry.transactions.items():
            last = before.transactions.get(app)
            which = f"version {version} has the transaction {number} of the application {brief(app)}"
            if last == number or (app, number) in self.transactions:
                back = "" if last == number else ", unless the application has gone back on purpose, as it may"
                why = f"{which}, and an earlier version has it, too{back}"
                self.find(READ, "suspect", version, why, [entry.name], partial(states.overtaken, version, which))
            elif last is not None and number < last:
                self.went_back.append(f"{which} after {last}")
        for told in miscounted(entry):
            self.find(COUNTS_AGREE, "suspect", version, f"version {version}: {told}", [entry.name])
        if read is None:
            return
        if not -1 <= read < version:
            why = f"version {version} says that it has read version {read}"
            self.find(COUNTS_AGREE, "suspect", version, why, [entry.name])
            return
        lives = [before.live[one.name] for one in entry.removes if one.name in before.live]
        missed = [
            f"it removes {one.file.name}, which version {one.first} has added" for one in lives if one.first > read
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
            partitions = {one.file.partition for one in lives}
            late = sorted({added[one] for one in partitions if added.get(one, -1) > read})
            missed += [f"version {one} has added files to a partition that it rewrites ({level})" for one in late]
        if missed:
            why = f"version {version} was written by a writer that had read version {read}, and missed what came then"
            self.find(READ, "suspect", version, why, missed[:5], partial(states.overtaken, version, missed[0]))

    def _note(self, version: int, entry: Actions, before: Snapshot) -> None:
        """Remember the changes that later writers must not miss."""
        if any((one.schema, one.partition_columns) != _shape(before) for one in entry.metadata):
            self.schema_changed = version
        self.committed_by |= dict.fromkeys(entry.transactions, version)
        self.transactions.update(entry.transactions.items())
        new = dict.fromkeys((one.partition for one in entry.adds if one.name not in before.live), version)
        self.added_to |= new
        if not entry.info("isBlindAppend", bool):
            self.changed |= new
        if version in self.acknowledged_versions:
            self.told[version] = entry.info("timestamp", int), set(entry.transactions)

    def _partitions(self, version: int, entry: Actions, now: Snapshot) -> None:
        """Check that files have values for the partition columns, which have other names under column mapping."""
        if now.metadata.setting("delta.columnMapping.mode") not in (None, "none"):
            return
        columns = sorted(now.metadata.partition_columns)
        for one in entry.adds:
            if [column for column, _ in one.partition or ()] != columns:
                why = f"version {version} adds files with other partition columns than the table's: {columns}"
                self.find(COUNTS_AGREE, "suspect", version, why, [f"{one.name}: {one.partition}"])
                return

    def _times(self, version: int, entry: Actions, now: Snapshot) -> None:
        """Check that in-commit timestamps grow."""
        if now.metadata.setting("delta.enableInCommitTimestamps") != "true":
            self.stamp = None
            return
        before, self.stamp = self.stamp, entry.info("inCommitTimestamp", int)
        if self.stamp is None or not entry.info_is_first:
            why = f"version {version} does not begin with a commitInfo with an inCommitTimestamp"
            self.find(TIMES_GROW, "proved", version, why, [entry.name])
        elif before is not None and self.stamp <= before:
            why = f"the inCommitTimestamp of version {version} is {self.stamp}, and that of the one before is {before}"
            self.find(TIMES_GROW, "proved", version, why, [entry.name])

    # What is said elsewhere ------------------------------------------------------------------------------------------

    def _compare(self, version: int, actions: Actions, why: str, differences: Iterable[str]) -> None:
        """Check that a checkpoint, or a compaction, has the sum of its entries."""
        self._contradictions(version, actions, is_checkpoint=True)
        found = list(islice(differences, 5))
        if found:
            evidence = [f"{actions.name}: {told}" for told in found]
            state_of = partial(states.lost_entry, version, found[0])
            self.find(READ, "proved", version, why, evidence, state_of, about=why)

    def _compare_checkpoint(self, version: int, checkpoint: Actions, now: Snapshot) -> None:
        why = f"the checkpoint of version {version} is not what the entries up to there add up to"
        self._compare(version, checkpoint, why, now.unlike(checkpoint))
        self.checkpoints_compared += 1

    def _compare_compaction(self, one: Compaction, actions: Actions, now: Snapshot) -> None:
        why = f"the log compaction of versions {one.first} to {one.last} is not what its entries add up to"
        lacks = [app for app, by in self.committed_by.items() if by >= one.first and app not in actions.transactions]
        told = (f"it has no transaction of the application {app}" for app in lacks)
        self._compare(one.last, actions, why, chain(now.unlike_compaction(actions, one.first), told))
        self.compactions_compared += 1

    def _checksum(self, version: int) -> None:
        """Check that a checksum file has the counts of its version."""
        name = self.log.checksums.get(version)
        if name is None or self.snapshot is None:
            return
        with self.damages.around(version):
            for told in self.snapshot.miscounts(Said(self.source.read_json(name), name)):
                why = f"the checksum of version {version} differs: {told}"
                self.find(COUNTS_AGREE, "suspect", version, why, [name])

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
            told = f"{_HINT} names " + (f"{parts} parts of " if parts else "") + f"the checkpoint of version {version}"
            evidence = [f"{_HINT}: {version}"]
            why = f"{told}, which is not there"
            self.find(FILES_EXIST, "proved", max(version, 0), why, evidence, last=self.log.last)
            return
        actions = read_checkpoint(self.source, fitting[0])
        size = sum(self.log.sizes[name] for name in fitting[0]) if not actions.sidecars else None
        counts = (("size", actions.rows), ("numOfAddFiles", len(actions.adds)), ("sizeInBytes", size))
        for name, number in counts if len(fitting) == 1 else ():
            said = hint.get(name, int)
            if said is not None and number is not None and said != number:
                self.remarks.append(f"{_HINT} says that {name} is {said:,}, and the checkpoint has {number:,}")

    def newest(self) -> None:
        """Check that the files of the newest version are there, and name what is not known."""
        now = self.snapshot
        if now is None:
            self.left_out.append("whether data files exist: the newest version cannot be read")
            return
        unknown = sorted(now.protocol.reader_features - READER_FEATURES - CATALOG_FEATURES)
        for feature in unknown:
            self.left_out.append(f"what the table feature {brief(feature)} changes: it is not known here")
        if now.metadata.provider != "parquet":
            self.left_out.append(f"data files of the format {brief(now.metadata.provider)}")
        files = [life.file for life in now.live.values()]
        vectors = [(one, one.vector) for one in files if one.vector is not None]
        outside = sum(one.is_outside for one in files)
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
        wanted: Mapping[str, int | None] = {
            **{one.name: one.size for one in files if not one.is_outside},
            **{place.name: None for _, place in vectors if place.name is not None},
        }
        may_be_elsewhere = bool(outside or unknown or now.metadata.provider != "parquet")
        found = self.judge_presence(wanted, self.last, self._origin, may_be_elsewhere=may_be_elsewhere)
        absent = {one.name for one in found}
        there = []
        for one, place in vectors:
            if place.unreadable is not None:
                self.damages.note(Damaged(one.name, f"its deletion vector {place.unreadable}"), [self.last])
            elif place.inline is not None or (place.name is not None and place.name not in absent):
                where = place.name or one.name, place.offset, place.size
                there.append(StoredVector(one.name, *where, place.cardinality, one.rows, place.inline))
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

    def _remark(self, what: str, cases: list[str], others: str) -> None:
        """Remark on something that cannot be told, with the first case, if there is one."""
        if cases:
            more = f", as is so in {counted(len(cases) - 1, others)}" if cases[1:] else ""
            self.remarks.append(f"{what}: {cases[0]}{more}")

    def acknowledged(self) -> None:
        """Find acknowledged commits that the log lacks, or that another commit has replaced."""
        for ack in self.acks or ():
            version, why = ack["version"], None
            millis, apps = self.told.get(version, (None, set()))
            if version > self.log.last and not self._has_catalog():
                why = f"the commit of version {version} was acknowledged, and the last version is {self.log.last}"
            elif version in self.told and ack.get("timestamp", millis) != millis:
                why = f"version {version} was acknowledged at {ack['timestamp']}, and is the commit of {millis}"
            elif version in self.told and "appId" in ack and ack["appId"] not in apps:
                why = f"version {version} was acknowledged to {ack['appId']}, and has no transaction of it"
            if why is not None:
                name = self.log.entries.get(version, f"there is no entry of version {version}")
                state_of = partial(states.lost_entry, version, why)
                self.find(PRESENT, "proved", version, why, [name], state_of, about=why)


def _shape(snapshot: Snapshot) -> tuple[str | None, tuple[str, ...]]:
    return snapshot.metadata.schema, snapshot.metadata.partition_columns
