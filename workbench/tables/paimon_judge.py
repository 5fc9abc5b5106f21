"""What is wrong with a Paimon table: by its metadata, and by the rows of the buckets that need a look."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from workbench.kernel import InputError
from workbench.kernel.errors import listed
from workbench.kernel.values import counted
from workbench.tables.findings import Finding, Grade
from workbench.tables.paimon_bucket import Doubt, Twice
from workbench.tables.paimon_files import versions
from workbench.tables.paimon_look import Look, has_vectors, look_at, to_look_at
from workbench.tables.paimon_lost import Orphan, missing_acks, orphans
from workbench.tables.paimon_read import PaimonTable
from workbench.tables.paimon_rows import KINDS, UnreadableError
from workbench.tables.paimon_story import tell
from workbench.tables.source import Missing

#: How many findings on one property are listed; how many of them are told as states of the model.
MOST_FINDINGS = 25
#: Up to how many doubts of a bucket are settled by reading values.
_MOST_DOUBTS = 10_000

# What each anomaly is in the model: the constants with which a check finds it, and those that prevent it.
_OVERWRITTEN = {"PUT_IF_ABSENT": False}
_NOT_OVERWRITTEN = {"PUT_IF_ABSENT": True}
_TWO_WRITERS = {
    "NUM_WRITERS": 2,
    "NUM_COMPACTORS": 0,
    "NUM_BUCKETS": 2,
    "ONE_WRITER_PER_BUCKET": False,
    "RestoreSequence": True,
    "MAX_WRITE_OPS": 3,
    "MAX_WRITE_OPS_PER_KEY": 3,
    "MAX_COMPACTIONS": 0,
    "PkCol1Values": ["jack"],
}
_ONE_WRITER = {"ONE_WRITER_PER_BUCKET": True}
_TWO_COMPACTORS = {
    "NUM_WRITERS": 1,
    "NUM_BUCKETS": 1,
    "MAX_LEVEL": 3,
    "ONE_WRITER_PER_BUCKET": False,
    "ALLOW_DELETES": False,
    "MAX_COMPACTIONS": 3,
    "MAX_COMPACTIONS_PER_COMPACTOR": 2,
    "PkCol1Values": ["jack"],
}
_ONE_COMPACTOR = {"NUM_COMPACTORS": 1}


class Judge:
    """Collects findings, and what had to be left out.

    Attributes
    ----------
    findings : list of Finding
    left_out : list of str
        What was not looked at although it should have been.
    remarks : list of str
        What else is to be said.
    """

    def __init__(self, table: PaimonTable, acks: list[dict[str, Any]] | None) -> None:
        self.table, self.acks = table, acks
        self.findings: list[Finding] = []
        self.left_out: list[str] = []
        self.remarks: list[str] = []
        self._looks: dict[str, Look] = {}

    def run(self) -> None:
        self._history()
        self._commits()
        dangling = self._dangling()
        why = _why_rows_are_left_out(self.table)
        if why:
            self.left_out.append(f"ConsistentRead and OneValidRowPerKeyAboveLevel0: {why}")
        elif self.table.schema.keys:
            self._rows(dangling)
        else:
            self.remarks.append(
                "ConsistentRead and OneValidRowPerKeyAboveLevel0 are about primary keys; there are none"
            )

    # Snapshots -------------------------------------------------------------------------------------------------------

    def _history(self) -> None:
        table = self.table
        for gap in _runs(table.gaps):
            after = gap[-1] + 1
            missing = f"snapshot {gap[0]}" if len(gap) == 1 else f"snapshots {gap[0]} to {gap[-1]}"
            self.findings.append(
                Finding(
                    "SequentialSnapshots",
                    "proved",
                    after,
                    f"{missing} {'is' if len(gap) == 1 else 'are'} missing, between {gap[0] - 1} and {after}",
                    evidence=(f"snapshot/snapshot-{gap[0] - 1} and snapshot/snapshot-{after} are there",),
                )
            )
        broken = table.breaks.to_pylist()
        for version in sorted({entry["version"] for entry in broken}):
            self._break(version, [entry for entry in broken if entry["version"] == version])
        for version, name in table.strange:
            self.findings.append(
                Finding(
                    "LinearHistory",
                    "proved",
                    version,
                    f"snapshot {version} adds a file that is there already, or removes one that is not",
                    evidence=(name,),
                )
            )

    def _break(self, version: int, entries: Sequence[dict[str, Any]]) -> None:
        lacks = [entry["name"] for entry in entries if entry["kind"] == 1]
        has = [entry["name"] for entry in entries if entry["kind"] == 0]
        before = self.table.commits.filter(pc.equal(self.table.commits["version"], version))["parent"][0].as_py()
        evidence = [f"its base lacks {name}, which snapshot {before} has" for name in lacks[:5]]
        evidence += [f"its base has {name}, which snapshot {before} does not have" for name in has[:5]]
        finding = Finding(
            "LinearHistory",
            "proved",
            version,
            f"snapshot {version} was not built on snapshot {before}, but on another one that is not there any more",
            evidence=tuple(evidence),
            cause=_OVERWRITTEN,
            repair=_NOT_OVERWRITTEN,
        )
        self.findings.append(self._told_of_lost(finding, version, lacks))

    # Commits ---------------------------------------------------------------------------------------------------------

    def _commits(self) -> None:
        found = orphans(self.table)
        waiting = [one for one in found if one.version is not None and one.version > self.table.last]
        unplaced = [one for one in found if one.version is None]
        lost = [one for one in found if one.version is not None and one.version <= self.table.last]
        if waiting:
            self.remarks.append(
                f"{counted(len(waiting), 'commit')} prepared as snapshot {self.table.last + 1}, which is not there yet"
            )
        if unplaced:
            self.remarks.append(
                f"{counted(len(unplaced), 'manifest list')} of commits whose predecessors have expired: "
                "whether they were lost cannot be said"
            )
        if self.acks is None:
            self.findings += [self._suspect(one) for one in lost]
            return
        for ack in missing_acks(self.table, self.acks):
            self._missing(ack, lost)

    def _suspect(self, one: Orphan) -> Finding:
        what = "a compaction" if one.removes else "a commit"
        finding = Finding(
            "AcknowledgedCommitsPresent",
            "suspect",
            one.version,
            f"{what} was prepared as snapshot {one.version}, which is another one, and no snapshot has its files: "
            "it was overwritten, or its writer has died, or is about to try again",
            bucket=_only({file["bucket"] for file in one.files}),
            evidence=(
                f"manifest/{one.manifest_list} is complete, and no snapshot names it",
                *(f"{file['bucket']}/{file['name']} is in no snapshot ({file['rows']} rows)" for file in one.files[:5]),
                f"snapshot {one.version} is a commit of {self.table.commit(one.version or 0)['user']}",
            ),
            cause=_OVERWRITTEN,
            repair=_NOT_OVERWRITTEN,
        )
        return self._told_of_lost(finding, one.version or 0, [file["name"] for file in one.files], one.files)

    def _missing(self, ack: dict[str, Any], lost: Sequence[Orphan]) -> None:
        which = f"commit {ack['commitIdentifier']} of " if "commitIdentifier" in ack else "a commit of "
        time = ack.get("timeMillis")
        oldest = self.table.commit(self.table.first)["millis"]
        if self.table.first > 1 and not (isinstance(time, int) and isinstance(oldest, int) and time > oldest):
            self.remarks.append(
                f"{which}{ack['commitUser']} was acknowledged; whether it was among the snapshots "
                f"before {self.table.first}, which have expired, cannot be said"
            )
            return
        finding = Finding(
            "AcknowledgedCommitsPresent",
            "proved",
            lost[0].version if len(lost) == 1 else None,
            f"{which}{ack['commitUser']} was acknowledged, and no snapshot is of it",
            bucket=_only({file["bucket"] for one in lost for file in one.files}),
            evidence=tuple(
                f"manifest/{one.manifest_list}, prepared as snapshot {one.version}, is named by no snapshot: "
                f"it adds {listed(file['name'] for file in one.files)}"
                for one in lost[:5]
            ),
            cause=_OVERWRITTEN,
            repair=_NOT_OVERWRITTEN,
        )
        if len(lost) == 1:
            files = lost[0].files
            finding = self._told_of_lost(finding, lost[0].version or 0, [file["name"] for file in files], files)
        self.findings.append(finding)

    def _told_of_lost(
        self, finding: Finding, version: int, names: Sequence[str], files: Sequence[dict[str, Any]] = ()
    ) -> Finding:
        """The finding with a state in which what was committed in a lost file is not read."""
        if not self.table.schema.keys or _why_rows_are_left_out(self.table) or not names:
            return finding
        known = self.table.files
        buckets = {file["bucket"] for file in files}
        buckets |= set(known.filter(pc.is_in(known["name"], _array(names)))["bucket"].to_pylist())
        bucket = sorted(buckets)[0]
        mine = [file["name"] for file in files if file["bucket"] == bucket]
        try:
            look = look_at(self.table, bucket, mine)
            rows = look.bucket.rows
            in_lost = [i for i, name in enumerate(rows.files) if name in set(names)]
            keys = list(
                dict.fromkeys(int(key) for key, file in zip(rows.key, rows.file, strict=True) if file in in_lost)
            )
            lost = [(version, name) for name in mine]
            return self._told(finding, look, keys[:1], version, "ConsistentRead", lost)
        except (UnreadableError, InputError):
            return finding  # what proves it is not in the rows

    def _told(
        self,
        finding: Finding,
        look: Look,
        keys: Sequence[int],
        version: int,
        invariant: str,
        lost: Iterable[tuple[int, str]] = (),
    ) -> Finding:
        """The finding with its state, if the model says that the invariant is violated there."""
        told = tell(look, keys, version, lost) if keys else None
        if told is None:
            return finding
        model, state, legend = told
        wrong = any(not instance.holds(state) for instance in model.predicates(invariant))
        return replace(finding, model=model, state=state, invariant=invariant, legend=legend) if wrong else finding

    # Deletion vectors ------------------------------------------------------------------------------------------------

    def _dangling(self) -> dict[str, int]:
        """Deletion vectors for files that are gone; the buckets that have some, and since when."""
        since: dict[str, int] = {}
        by_place = defaultdict(list)
        for vector, version in dangling_vectors(self.table):
            by_place[vector["bucket"], version].append(vector)
        for (bucket, version), vectors in sorted(by_place.items(), key=lambda one: (one[0][1], one[0][0])):
            since[bucket] = min(version, since.get(bucket, version))
            finding = Finding(
                "NoDanglingDeletionVectors",
                "proved",
                version,
                f"snapshot {version} has {counted(len(vectors), 'deletion vector')} for files that it does not have",
                bucket=bucket,
                evidence=tuple(self._evidence_of(vector) for vector in vectors[:10]),
                cause=_TWO_COMPACTORS,
                repair=_ONE_COMPACTOR,
            )
            if len(self.findings) < MOST_FINDINGS and not _why_rows_are_left_out(self.table):
                finding = self._told_of_dangling(finding, bucket, version, {vector["file"] for vector in vectors})
            self._add(finding)
        return since

    def _evidence_of(self, vector: dict[str, Any]) -> str:
        files = self.table.files
        lives = files.filter(pc.equal(files["name"], vector["file"]))
        ends = [end for end in lives["last"].to_pylist() if end is not None and end <= vector["first"]]
        gone = f"snapshot {max(ends)} has removed it" if ends else "no snapshot has it"
        return (
            f"index/{vector['index_file']} from byte {vector['offset']}: a deletion vector for {vector['file']}; {gone}"
        )

    def _told_of_dangling(self, finding: Finding, bucket: str, version: int, files: set[str]) -> Finding:
        try:
            look = self._look(bucket)
        except UnreadableError:
            return finding
        rows = look.bucket.rows
        struck = {
            int(rows.key[row])
            for mark in look.bucket.marks_at(version)
            if rows.files[mark.file] in files
            for row in mark.rows[:1000]
        }
        keys = sorted(struck)[:1]
        if len(struck) == 1:
            row = next(row for row in range(len(rows)) if rows.key[row] == keys[0])
            finding = replace(finding, key=look.whole([row])[look.where(row)]["key"])
        return self._told(finding, look, keys, version, "NoDanglingDeletionVectors")

    # Rows ------------------------------------------------------------------------------------------------------------

    def _look(self, bucket: str) -> Look:
        if bucket not in self._looks:
            self._looks[bucket] = look_at(self.table, bucket)
        return self._looks[bucket]

    def _rows(self, dangling: Iterable[str]) -> None:
        broken = self.table.files.filter(
            pc.is_in(self.table.files["name"], _array(self.table.breaks["name"].to_pylist()))
        )
        taken, left = to_look_at(self.table, [*dangling, *dict.fromkeys(broken["bucket"].to_pylist())])
        if left:
            self.left_out.append(
                "ConsistentRead and OneValidRowPerKeyAboveLevel0 in "
                f"{counted(len(left), 'bucket')} with very many rows: {listed(left)}"
            )
        for name in taken:
            try:
                look = self._look(name)
            except UnreadableError as why:
                self.left_out.append(f"ConsistentRead and OneValidRowPerKeyAboveLevel0 in {name}: {why}")
                continue
            except Missing as why:
                if not self.findings and not self._has_expired():
                    raise
                self.left_out.append(f"ConsistentRead and OneValidRowPerKeyAboveLevel0 in {name}: {why}")
                continue
            self._judge(look)
            self._looks.pop(name, None)

    def _has_expired(self) -> bool:
        """Whether snapshots have gone since they were read, and files with them."""
        now = versions(self.table.source, "snapshot", "snapshot-")
        return not set(self.table.snapshots["version"].to_pylist()) <= set(now)

    def _judge(self, look: Look) -> None:
        doubts: list[Doubt] = []
        for one in look.bucket.judge(has_vectors(self.table)):
            if isinstance(one, Twice):
                self._twice(look, one)
            elif len(doubts) < _MOST_DOUBTS:
                doubts.append(one)
        if not doubts:
            return
        rows = {row for one in doubts for row in (*one.reads, *([] if one.committed is None else [one.committed]))}
        whole = look.whole(rows)
        settled: dict[int, tuple[Grade, Doubt]] = {}
        for one in doubts:
            grade = _grade(look, one, whole)
            if grade is not None and settled.get(one.key, ("suspect", one))[0] != "proved":
                earlier = settled.get(one.key)
                settled[one.key] = (grade, one) if earlier is None or grade == "proved" else earlier
        for grade, one in sorted(settled.values(), key=lambda one: one[1].version):
            self._wrong(look, one, grade, whole)

    def _twice(self, look: Look, one: Twice) -> None:
        whole = look.whole(one.rows)
        key = whole[look.where(one.rows[0])]["key"]
        finding = Finding(
            "OneValidRowPerKeyAboveLevel0",
            "proved",
            one.version,
            f"snapshot {one.version} has {len(one.rows)} valid rows of {key} above level 0: "
            + " and ".join(_shown(whole[look.where(row)]) for row in one.rows[:4]),
            bucket=look.name,
            key=key,
            evidence=tuple(self._row(look, row, whole, one.version) for row in one.rows[:10]),
            cause=_TWO_COMPACTORS,
            repair=_ONE_COMPACTOR,
        )
        if self._has_room(finding):
            finding = self._told(finding, look, [one.key], one.version, finding.property)
        self._add(finding)

    def _wrong(self, look: Look, one: Doubt, grade: Grade, whole: dict[Any, Any]) -> None:
        some = one.reads[0] if one.reads else one.committed
        key = whole[look.where(some)]["key"] if some is not None else None
        nothing = look.bucket.reads_as_nothing
        reads = " or ".join(_shown(whole[look.where(row)]) for row in one.reads if not nothing(row)) or "nothing"
        last = one.committed
        wanted = "nothing" if last is None or nothing(last) else _shown(whole[look.where(last)])
        tie = "; which of them is read, with the same sequence number, is not defined" if grade == "suspect" else ""
        lines = [f"read: {self._row(look, row, whole, one.version)}" for row in one.reads]
        lines += [f"committed last: {self._row(look, last, whole, one.version)}"] if last is not None else []
        finding = Finding(
            "ConsistentRead",
            grade,
            one.version,
            f"snapshot {one.version}: {key} reads as {reads}, but committed was {wanted}{tie}",
            bucket=look.name,
            key=key,
            evidence=tuple(lines),
            cause=_TWO_WRITERS,
            repair=_ONE_WRITER,
        )
        if not one.reads:
            finding = replace(finding, cause=_OVERWRITTEN, repair=_NOT_OVERWRITTEN)
        if self._has_room(finding):
            finding = self._told(finding, look, [one.key], one.version, "ConsistentRead")
        self._add(finding)

    def _row(self, look: Look, row: int, whole: dict[Any, Any], version: int) -> str:
        """A row as evidence: what it is, and where."""
        file, position = look.where(row)
        one = whole[file, position]
        number = look.bucket.rows.files.index(file)
        lives = [life for life in look.bucket.lives if life.file == number]
        level = next((f", level {life.level}" for life in look.bucket.live_at(version) if life.file == number), "")
        first = min((life.first for life in lives), default=None)
        since = f", there since snapshot {first}" if first is not None else ""
        return (
            f"{KINDS[one['kind']]} {one['key']}: {_shown(one)}, sequence {one['sequence']}, "
            f"row {position} of {file}{level}{since}"
        )

    def _has_room(self, finding: Finding) -> bool:
        return sum(one.property == finding.property for one in self.findings) < MOST_FINDINGS

    def _add(self, finding: Finding) -> None:
        """Add a finding; beyond a number of them on the same property only that there are more."""
        if self._has_room(finding):
            self.findings.append(finding)
            return
        more = f"more findings on {finding.property} than the {MOST_FINDINGS} that are listed"
        if more not in self.remarks:
            self.remarks.append(more)


# What is asked of a table --------------------------------------------------------------------------------------------


def dangling_vectors(table: PaimonTable) -> Iterator[tuple[dict[str, Any], int]]:
    """The deletion vectors that hold in a version without their file, each with the first such version."""
    files = table.files.filter(pc.is_in(table.files["name"], table.vectors["file"]))
    lives = defaultdict(list)
    columns = (files[name].to_pylist() for name in ("bucket", "name", "first", "last"))
    for bucket, name, first, last in zip(*columns, strict=True):
        lives[bucket, name].append((first, last))
    told = set()
    for vector in table.vectors.to_pylist():
        place = (vector["bucket"], vector["file"])
        version: int | None = vector["first"]
        while version is not None and (vector["last"] is None or version < vector["last"]):
            ends = [last for first, last in lives[place] if first <= version and (last is None or version < last)]
            if not ends:
                if place not in told:
                    told.add(place)
                    yield vector, version
                break
            version = None if None in ends else max(end for end in ends if end is not None)


def _why_rows_are_left_out(table: PaimonTable) -> str | None:
    """Why nothing can be said of what readers get; None if it can."""
    options = table.schema.options
    engine = options.get("merge-engine", "deduplicate")
    if engine != "deduplicate":
        return f"merge-engine = {engine}; only deduplicate is judged"
    for option in ("sequence.field", "ignore-delete", "record-level.expire-time"):
        if options.get(option, "false").lower() != "false":
            return f"{option} = {options[option]}; how rows are merged then is not judged"
    if table.schema.has_changed:
        return "columns have changed their names or types"
    return None


def _grade(look: Look, one: Doubt, whole: dict[Any, Any]) -> Grade | None:
    """Whether the values differ: in any case, or for some of the rows that a reader may get."""

    def value(row: int | None) -> Any:
        return None if row is None or look.bucket.reads_as_nothing(row) else whole[look.where(row)]["value"]

    wrong = [value(row) != value(one.committed) for row in one.reads or (None,)]
    return "proved" if all(wrong) else "suspect" if any(wrong) else None


def _shown(row: dict[str, Any]) -> str:
    """The values of a row."""
    return ", ".join(str(value) for value in json.loads(row["value"]).values()) or "a row"


def _only(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Numbers that follow each other, together."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _array(names: Sequence[str]) -> Any:
    return pa.array(names, pa.string())
