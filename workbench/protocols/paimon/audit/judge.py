"""Judge a Paimon table by its metadata, and by the rows of buckets that metadata leaves in doubt."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.findings import Grade
from workbench.audits.judgement import PRESENT, Rule, StateOf
from workbench.audits.presence import COUNTS_AGREE
from workbench.audits.shape import before_since
from workbench.audits.vectors import UnreadableError
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import listed
from workbench.kernel.meaning.values import counted
from workbench.protocols.paimon.audit.anomalies import BY_OVERWRITING, BY_TWO_COMPACTORS, state_at
from workbench.protocols.paimon.audit.bucket_reader import BucketLook, look_at, to_look_at
from workbench.protocols.paimon.audit.counts import CountsJudgement
from workbench.protocols.paimon.audit.files import others, versions
from workbench.protocols.paimon.audit.keys import ONE_VALID_ROW, READ, judge_rows, why_left_out
from workbench.protocols.paimon.audit.lost import Orphan, missing_acks, orphans
from workbench.protocols.paimon.audit.read import PaimonTable

SEQUENTIAL, LINEAR, DANGLING = "SequentialSnapshots", "LinearHistory", "NoDanglingDeletionVectors"
_OF_ROWS = f"{READ} and {ONE_VALID_ROW}"

#: The identifier of every commit of a batch.
_OF_BATCHES = 2**63 - 1

#: Deliberate ways to remove a commit.
_ON_PURPOSE = "somebody has taken it out: by rollback_to, by fast_forward, or with the branch that it was on"

NEVER_SEEN = (
    "locks, retries and what writers had read are not in the files; nor is whether anybody waits for ever (liveness)"
)


class PaimonJudgement(CountsJudgement):
    """Judges a table by its metadata, and by the rows that the metadata leaves in doubt."""

    INVARIANTS: ClassVar = dict.fromkeys((LINEAR, PRESENT), READ)
    MOST_SHOWN = 25

    def __init__(
        self, table: PaimonTable, damages: Damages, acks: list[dict[str, Any]] | None, since: int | None
    ) -> None:
        super().__init__("paimon", table.source, damages, acks, since, (table.first, table.last))
        self.table = table
        self._looks: dict[str, BucketLook] = {}
        self._at_fault: list[str] = []  # buckets

    def rules(self) -> list[Rule]:
        metadata = [self.gaps, self.breaks, self.commits, self.twice, self.say_what_was_compared, *self.counts()]
        return [*metadata, self.dangling, self.rows, self.remark_on_what_is_not_checked]

    # Snapshots -------------------------------------------------------------------------------------------------------

    def gaps(self) -> None:
        """Missing snapshots."""
        for gap in _runs(self.table.gaps):
            before, after = gap[0] - 1, gap[-1] + 1
            missing = f"snapshot {gap[0]} is" if len(gap) == 1 else f"snapshots {gap[0]} to {gap[-1]} are"
            reason = f"{missing} missing, between {before} and {after}"
            evidence = [f"snapshot/snapshot-{before} and snapshot/snapshot-{after} are there"]
            self.find(SEQUENTIAL, "proved", after, reason, evidence)

    def breaks(self) -> None:
        """Check that each snapshot was built on the one before, adds only new files and removes only existing ones."""
        broken = self.table.breaks.to_pylist()
        for version in sorted({entry["version"] for entry in broken}):
            self._break(version, [entry for entry in broken if entry["version"] == version])
        for version, name in self.table.strange:
            reason = f"snapshot {version} adds a file that already exists, or removes one that is not"
            self.find(LINEAR, "proved", version, reason, [name])

    def _break(self, version: int, entries: Sequence[dict[str, Any]]) -> None:
        lacks = [entry["name"] for entry in entries if entry["kind"] == 1]
        has = [entry["name"] for entry in entries if entry["kind"] == 0]
        before = version - 1
        evidence = [f"its base lacks {name}, which snapshot {before} has" for name in lacks[:5]]
        evidence += [f"its base has {name}, which snapshot {before} does not have" for name in has[:5]]
        is_copied = before in self.table.forwarded
        if is_copied:
            delta = self.table.commit(before)["lists"][1]
            copies = [other["file"] for other in self.table.others.to_pylist() if other["delta"] == delta]
            evidence += [f"{copies[0]} is the same commit as snapshot {before}: fast_forward copies it"]
        reason = f"snapshot {version} was not built on snapshot {before}, but on another one that no longer exists"
        grade: Grade = "suspect" if is_copied else "proved"
        self.find(LINEAR, grade, version, reason, evidence, self._state_without(version, lacks), **BY_OVERWRITING)

    def say_what_was_compared(self) -> None:
        table = self.table
        snapshots, files = counted(len(table.snapshots), "snapshot"), counted(len(table.files), "file")
        self.looked_at += [
            f"{SEQUENTIAL}, {LINEAR}: {snapshots}",
            f"{self.acks_looked_at()}, {counted(len(table.orphans), 'manifest list')} that no snapshot names",
            f"{COUNTS_AGREE}: {snapshots}, {files}",
            f"{DANGLING}: {counted(len(table.vectors), 'deletion vector')}, {files}",
        ]

    def remark_on_what_is_not_checked(self) -> None:
        table = self.table
        self.remarks += before_since(self.since, table.oldest, table.last, self.source.url)
        if table.oldest > 1:
            self.remarks.append(f"what was before snapshot {table.oldest} has expired: it is the baseline")
        if self.acks is None:
            self.remarks.append("which commits were acknowledged is not known; a list of them (acks) would tell")
        for folder, plural in (("branch", "branches"), ("tag", "tags")):
            if self.source.entries(folder):
                self.remarks.append(f"the histories of {plural}; what they name does not count as lost")
        if table.schema.keys and table.schema.options.get("bucket", "-1").startswith("-"):
            self.remarks.append("that a key stays in one bucket: buckets are assigned dynamically")
        self.remarks.append(NEVER_SEEN)

    # Commits ---------------------------------------------------------------------------------------------------------

    def commits(self) -> None:
        """Commits that no snapshot names: those acknowledged, if these are known, or else those prepared."""
        unnamed = [orphan for orphan in orphans(self.table) if orphan.version not in self.table.damaged]
        waiting = [orphan for orphan in unnamed if orphan.version is not None and orphan.version > self.table.last]
        unplaced = [orphan for orphan in unnamed if orphan.version is None]
        lost = [orphan for orphan in unnamed if orphan.version is not None and orphan.version <= self.table.last]
        if waiting:
            self.remarks.append(
                f"{counted(len(waiting), 'commit')} prepared as snapshot {self.table.last + 1}, "
                "which is not there yet, or was rolled back"
            )
        if unplaced:
            older = "older, or " if self.table.first > 1 else ""
            self.remarks.append(
                f"{counted(len(unplaced), 'manifest list')} of commits whose predecessors are unknown, or not among "
                f"the snapshots from {self.table.first} on: these are {older}still being written, or were overwritten, "
                "rolled back, or of a branch that is gone; whether the commits were lost cannot be said"
            )
        if self.acks is None:
            for orphan in lost:
                self._suspect(orphan)
            return
        missing = missing_acks(self.table, self.acks)
        # A rollback also removes the commits built on the one it removes; nothing is built on an overwritten one. And
        # another commit is in the place of an overwritten one, whereas a rollback may leave none.
        is_taken_out = (
            self.table.damaged
            or any(name in self.damages for name in others(self.source))
            or (unplaced and self.table.oldest == 1)
            or (waiting and not lost)
            or self.table.forwarded
        )
        grade: Grade = "suspect" if is_taken_out else "proved"
        for ack in missing:
            self._missing(ack, lost, len(missing), grade)

    def _suspect(self, orphan: Orphan) -> None:
        prepared = self._what_was_prepared(orphan)
        version = orphan.version or 0
        is_missing = version in self.table.gaps
        reason = (
            f"{prepared} was prepared as snapshot {version}, which is {'missing' if is_missing else 'another one'}, "
            f"and no snapshot has its files: it was overwritten, or its writer has died, or is about to try again, or "
            f"{_ON_PURPOSE}"
        )
        evidence = [f"manifest/{orphan.manifest_list} is complete, and no snapshot names it"]
        evidence += [
            f"{file['bucket']}/{file['name']} is in no snapshot ({file['rows']} rows)" for file in orphan.files[:5]
        ]
        if not is_missing:
            evidence.append(f"snapshot {version} is a commit of {self.table.commit(version)['user']}")
        state_of = self._state_without(version, [file["name"] for file in orphan.files], orphan.files)
        self.find(
            PRESENT, "suspect", version, reason, evidence, state_of, bucket=_bucket(orphan.files), **BY_OVERWRITING
        )

    def twice(self) -> None:
        """Find commits that are there twice: a writer tries again under the same user and identifier."""
        versions_of = defaultdict[tuple[str, int], list[int]](list)
        appends = self.table.snapshots.filter(pc.field("kind") == "APPEND")  # its compaction has the same identifier
        for version, *mark in zip(
            *(appends[name].to_pylist() for name in ("version", "user", "identifier")), strict=True
        ):
            if mark[1] != _OF_BATCHES:
                versions_of[mark[0], mark[1]].append(version)
        acked = Counter((ack["commitUser"], ack.get("commitIdentifier")) for ack in self.acks or ())
        for (user, identifier), several in versions_of.items():
            if len(several) > 1:
                many = listed(map(str, several))
                reason = f"commit {identifier} of {user} is there {len(several)} times, as the snapshots {many}"
                grade: Grade = "proved" if acked[user, identifier] == 1 else "suspect"
                self.find(PRESENT, grade, several[1], reason, [f"snapshot/snapshot-{version}" for version in several])

    def _what_was_prepared(self, orphan: Orphan) -> str:
        """An orphan's kind: a compaction puts keys into levels above 0; without keys, there are no levels."""
        if not orphan.removes:
            return "a commit"
        if not self.table.schema.keys:
            return "an overwrite, or a compaction,"
        return "an overwrite" if any(file["level"] == 0 for file in orphan.files) else "a compaction"

    def _missing(self, ack: dict[str, Any], lost: Sequence[Orphan], missing: int, grade: Grade) -> None:
        which = f"commit {ack['commitIdentifier']} of " if "commitIdentifier" in ack else "a commit of "
        time = ack.get("timeMillis")
        oldest = self.table.commit(self.table.first)["millis"]
        if self.table.oldest > 1 and not (isinstance(time, int) and isinstance(oldest, int) and time > oldest):
            self.remarks.append(
                f"{which}{ack['commitUser']} was acknowledged; whether it was among the snapshots "
                f"before {self.table.oldest}, which have expired, cannot be said"
            )
            return
        is_known = len(lost) == missing == 1  # with several, the files do not show which belongs to which
        evidence = [
            f"manifest/{orphan.manifest_list}, prepared as snapshot {orphan.version}, is named by no snapshot: "
            f"it adds {listed(file['name'] for file in orphan.files)}"
            for orphan in lost[:5]
        ]
        if lost and not is_known:
            lists = counted(len(lost), "manifest list")
            evidence.insert(0, f"{counted(missing, 'commit')} missing, {lists} left: which is whose is not known")
        reason = f"{which}{ack['commitUser']} was acknowledged, and no snapshot is of it, unless {_ON_PURPOSE}"
        version, files = (lost[0].version, lost[0].files) if is_known else (None, ())
        state_of = self._state_without(version or 0, [file["name"] for file in files], files)
        self.find(PRESENT, grade, version, reason, evidence, state_of, bucket=_bucket(files), **BY_OVERWRITING)

    def _state_without(
        self, version: int, names: Sequence[str], files: Sequence[dict[str, Any]] = ()
    ) -> StateOf | None:
        """Shows lost files as a state in which a committed row is not read; None if there are no files."""

        def state_of() -> dict[str, Any]:
            self._check_rows_are_read()
            every = self.table.files
            buckets = {file["bucket"] for file in files}
            buckets |= set(every.filter(pc.is_in(every["name"], _array(names)))["bucket"].to_pylist())
            bucket = sorted(buckets)[0]
            mine = [file["name"] for file in files if file["bucket"] == bucket]
            look = look_at(self.table, bucket, mine)
            rows = look.bucket.rows
            in_lost = [i for i, name in enumerate(rows.files) if name in set(names)]
            instead = [life.file for life in look.bucket.lives if life.appended == version]
            lost, others = (rows.key[np.isin(rows.file, some)].tolist() for some in (in_lost, instead))
            # With a row of the commit that is there, its snapshot is not shown empty.
            keys: list[int] = list(dict.fromkeys([*lost[:1], *others[:1]])) if lost and mine else lost[:1]
            return state_at(look, keys, version, READ, [(version, name) for name in mine])

        return state_of if names else None

    def _check_rows_are_read(self) -> None:
        """Raise :class:`InputError` if the model cannot have the table's rows."""
        reason = why_left_out(self.table.schema) or ("" if self.table.schema.keys else "there are no primary keys")
        if reason:
            raise InputError(reason)

    # Deletion vectors ------------------------------------------------------------------------------------------------

    def dangling(self) -> None:
        """Find deletion vectors for files that the snapshot does not have."""
        by_place = defaultdict(list)
        for vector, version in dangling_vectors(self.table):
            by_place[version, vector["bucket"]].append(vector)
        for (version, bucket), vectors in sorted(by_place.items()):
            self._at_fault.append(bucket)
            vectors_of = counted(len(vectors), "deletion vector")
            reason = f"snapshot {version} has {vectors_of} for files that it does not have"
            evidence = [self._evidence_of(vector) for vector in vectors[:10]]
            state_of = partial(self._state_of_dangling, bucket, version, {vector["file"] for vector in vectors})
            self.find(DANGLING, "proved", version, reason, evidence, state_of, bucket=bucket, **BY_TWO_COMPACTORS)

    def _evidence_of(self, vector: dict[str, Any]) -> str:
        files = self.table.files
        lives = files.filter(pc.equal(files["name"], vector["file"]))
        ends = [end for end in lives["last"].to_pylist() if end is not None and end <= vector["first"]]
        gone = f"snapshot {max(ends)} has removed it" if ends else "no snapshot has it"
        return f"{vector['index_file']} from byte {vector['offset']}: a deletion vector for {vector['file']}; {gone}"

    def _state_of_dangling(self, bucket: str, version: int, files: set[str]) -> dict[str, Any]:
        self._check_rows_are_read()
        look = self._look(bucket)
        rows = look.bucket.rows
        struck = {
            int(rows.key[row])
            for mark in look.bucket.marks_at(version)
            if rows.files[mark.file] in files
            for row in mark.rows[:1000]
        }
        keys = sorted(struck)[:1]
        fields = state_at(look, keys, version, DANGLING)
        if len(struck) == 1:
            row = int(np.flatnonzero(rows.key == keys[0])[0])
            fields["key"] = look.whole([row])[look.where(row)]["key"]
        return fields

    # Rows ------------------------------------------------------------------------------------------------------------

    def _look(self, bucket: str) -> BucketLook:
        if bucket not in self._looks:
            self._looks[bucket] = look_at(self.table, bucket)
        return self._looks[bucket]

    def rows(self) -> None:
        """The rows of the buckets that metadata leaves in doubt."""
        table = self.table
        if reason := why_left_out(table.schema):
            self.left_out.append(f"{_OF_ROWS}: {reason}")
            return
        if not table.schema.keys:
            self.remarks.append(f"{_OF_ROWS} are about primary keys; there are none")
            return
        broken = table.files.filter(pc.is_in(table.files["name"], _array(table.breaks["name"].to_pylist())))
        taken, left = to_look_at(table, [*self._at_fault, *broken["bucket"].to_pylist()])
        if left:
            buckets = counted(len(left), "bucket")
            self.left_out.append(f"{_OF_ROWS} in {buckets} with very many rows: {listed(left)}")
        judged = 0
        for name in taken:
            try:
                look = self._look(name)
            except (UnreadableError, Missing) as error:
                if isinstance(error, Missing) and not self.count() and not self._has_expired():
                    self.damages.note(error, [table.last])
                self.left_out.append(f"{_OF_ROWS} in {name}: {error}")
                continue
            except Damaged as error:
                self.damages.note(error)
                continue
            judge_rows(look, self)
            judged += 1
            self._looks.pop(name, None)
        every = counted(len(set(table.files["bucket"].to_pylist())), "bucket")
        self.looked_at.append(f"{READ}, {ONE_VALID_ROW}: {every} by metadata, {judged:,} of them by rows")

    def _has_expired(self) -> bool:
        """Whether snapshots, and files with them, have expired since they were read."""
        now = versions(self.source, "snapshot", "snapshot-")
        return not set(self.table.snapshots["version"].to_pylist()) <= set(now)


# Queries --------------------------------------------------------------------------------------------------------------


def dangling_vectors(table: PaimonTable) -> Iterator[tuple[dict[str, Any], int]]:
    """The deletion vectors that live in a version without their file, each with the first such version."""
    files = table.files.filter(pc.is_in(table.files["name"], table.vectors["file"]))
    lives = defaultdict(list)
    columns = (files[name].to_pylist() for name in ("bucket", "name", "first", "last"))
    for bucket, name, first, last in zip(*columns, strict=True):
        lives[bucket, name].append((first, last))
    reported = set()
    for vector in table.vectors.to_pylist():
        place = (vector["bucket"], vector["file"])
        version: int | None = vector["first"]
        while version is not None and (vector["last"] is None or version < vector["last"]):
            ends = [last for first, last in lives[place] if first <= version and (last is None or version < last)]
            if not ends:
                if place not in reported:
                    reported.add(place)
                    yield vector, version
                break
            version = None if None in ends else max(end for end in ends if end is not None)


def _bucket(files: Iterable[dict[str, Any]]) -> str | None:
    """The bucket of all files; None if they belong to several, or if there are none."""
    names = {file["bucket"] for file in files}
    return names.pop() if len(names) == 1 else None


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Consecutive numbers, grouped."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _array(names: Sequence[str]) -> Any:
    return pa.array(names, pa.string())
