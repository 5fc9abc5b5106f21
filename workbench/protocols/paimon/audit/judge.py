"""Judge a Paimon table by its metadata, and by the rows of buckets that metadata leaves in doubt."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.findings import AuditDraft, Finding, Grade
from workbench.audits.vectors import UnreadableError
from workbench.kernel import InputError
from workbench.kernel.errors import listed
from workbench.kernel.values import counted
from workbench.protocols.paimon.audit.anomalies import (
    NOT_OVERWRITTEN,
    ONE_COMPACTOR,
    OVERWRITTEN,
    TWO_COMPACTORS,
    add_with_state,
    as_state,
)
from workbench.protocols.paimon.audit.counts import judge_counts
from workbench.protocols.paimon.audit.files import versions
from workbench.protocols.paimon.audit.keys import judge_rows, why_left_out
from workbench.protocols.paimon.audit.look import BucketLook, look_at, to_look_at
from workbench.protocols.paimon.audit.lost import Orphan, missing_acks, orphans
from workbench.protocols.paimon.audit.read import PaimonTable

#: Deliberate ways to remove a commit.
_ON_PURPOSE = "somebody has taken it out: by rollback_to, by fast_forward, or with the branch that it was on"


class Judge:
    """Judges a table.

    Args:
        acks: The acknowledged commits; None if unknown.
        damages: Where damaged files are noted.
    """

    def __init__(self, table: PaimonTable, acks: list[dict[str, Any]] | None, damages: Damages) -> None:
        self.table, self.acks, self.damages = table, acks, damages
        self.draft = AuditDraft()
        self._looks: dict[str, BucketLook] = {}

    def run(self) -> AuditDraft:
        self._history()
        self._commits()
        self._looked_at()
        judge_counts(self.table, self.draft, self.damages)
        dangling = self._dangling()
        why = why_left_out(self.table.schema)
        if why:
            self.draft.left_out.append(f"ConsistentRead and OneValidRowPerKeyAboveLevel0: {why}")
        elif self.table.schema.keys:
            self._rows(dangling)
        else:
            self.draft.remarks.append(
                "ConsistentRead and OneValidRowPerKeyAboveLevel0 are about primary keys; there are none"
            )
        return self.draft

    # Snapshots -------------------------------------------------------------------------------------------------------

    def _history(self) -> None:
        table = self.table
        for gap in _runs(table.gaps):
            after = gap[-1] + 1
            missing = f"snapshot {gap[0]}" if len(gap) == 1 else f"snapshots {gap[0]} to {gap[-1]}"
            self.draft.add(
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
            self.draft.add(
                Finding(
                    "LinearHistory",
                    "proved",
                    version,
                    f"snapshot {version} adds a file that already exists, or removes one that is not",
                    evidence=(name,),
                )
            )

    def _break(self, version: int, entries: Sequence[dict[str, Any]]) -> None:
        lacks = [entry["name"] for entry in entries if entry["kind"] == 1]
        has = [entry["name"] for entry in entries if entry["kind"] == 0]
        before = self.table.commits.filter(pc.equal(self.table.commits["version"], version))["parent"][0].as_py()
        evidence = [f"its base lacks {name}, which snapshot {before} has" for name in lacks[:5]]
        evidence += [f"its base has {name}, which snapshot {before} does not have" for name in has[:5]]
        is_copied = before in self.table.forwarded
        if is_copied:
            delta = self.table.commit(before)["lists"][1]
            copies = [one["file"] for one in self.table.others.to_pylist() if one["delta"] == delta]
            evidence += [f"{copies[0]} is the same commit as snapshot {before}: fast_forward copies it"]
        finding = Finding(
            "LinearHistory",
            "suspect" if is_copied else "proved",
            version,
            f"snapshot {version} was not built on snapshot {before}, but on another one that no longer exists",
            evidence=tuple(evidence),
            cause=OVERWRITTEN,
            repair=NOT_OVERWRITTEN,
        )
        self._add_lost(finding, version, lacks)

    def _looked_at(self) -> None:
        """Say what was compared."""
        table = self.table
        snapshots, files = counted(len(table.snapshots), "snapshot"), counted(len(table.files), "file")
        self.draft.looked_at += [
            f"SequentialSnapshots, LinearHistory: {snapshots}",
            f"AcknowledgedCommitsPresent: {counted(len(self.acks or ()), 'acknowledged commit')}, "
            f"{counted(len(table.orphans), 'manifest list')} that no snapshot names",
            f"CountsAgree: {snapshots}, {files}",
            f"NoDanglingDeletionVectors: {counted(len(table.vectors), 'deletion vector')}, {files}",
        ]

    # Commits ---------------------------------------------------------------------------------------------------------

    def _commits(self) -> None:
        found = [one for one in orphans(self.table) if one.version not in self.table.damaged]
        waiting = [one for one in found if one.version is not None and one.version > self.table.last]
        unplaced = [one for one in found if one.version is None]
        lost = [one for one in found if one.version is not None and one.version <= self.table.last]
        if waiting:
            self.draft.remarks.append(
                f"{counted(len(waiting), 'commit')} prepared as snapshot {self.table.last + 1}, "
                "which is not there yet, or was rolled back"
            )
        if unplaced:
            older = "older, or were " if self.table.first > 1 else ""
            self.draft.remarks.append(
                f"{counted(len(unplaced), 'manifest list')} of commits whose predecessors are not among the snapshots "
                f"from {self.table.first} on: these are {older}overwritten, rolled back, or of a branch that is gone; "
                "whether the commits were lost cannot be said"
            )
        if self.acks is None:
            for one in lost:
                self._suspect(one)
            return
        missing = missing_acks(self.table, self.acks)
        # A rollback also removes the commits built on the one it removes; nothing is built on an overwritten one. And
        # another commit is in the place of an overwritten one, whereas a rollback may leave none.
        is_taken_out = (
            self.table.damaged
            or (unplaced and self.table.oldest == 1)
            or (waiting and not lost)
            or self.table.forwarded
        )
        grade: Grade = "suspect" if is_taken_out else "proved"
        for ack in missing:
            self._missing(ack, lost, len(missing), grade)

    def _suspect(self, one: Orphan) -> None:
        what = "a compaction" if one.removes else "a commit"
        is_missing = one.version in self.table.gaps
        which = "missing" if is_missing else "another one"
        finding = Finding(
            "AcknowledgedCommitsPresent",
            "suspect",
            one.version,
            f"{what} was prepared as snapshot {one.version}, which is {which}, and no snapshot has its files: "
            f"it was overwritten, or its writer has died, or is about to try again, or {_ON_PURPOSE}",
            bucket=_only({file["bucket"] for file in one.files}),
            evidence=(
                f"manifest/{one.manifest_list} is complete, and no snapshot names it",
                *(f"{file['bucket']}/{file['name']} is in no snapshot ({file['rows']} rows)" for file in one.files[:5]),
                *(
                    []
                    if is_missing
                    else [f"snapshot {one.version} is a commit of {self.table.commit(one.version or 0)['user']}"]
                ),
            ),
            cause=OVERWRITTEN,
            repair=NOT_OVERWRITTEN,
        )
        self._add_lost(finding, one.version or 0, [file["name"] for file in one.files], one.files)

    def _missing(self, ack: dict[str, Any], lost: Sequence[Orphan], missing: int, grade: Grade) -> None:
        which = f"commit {ack['commitIdentifier']} of " if "commitIdentifier" in ack else "a commit of "
        time = ack.get("timeMillis")
        oldest = self.table.commit(self.table.first)["millis"]
        if self.table.oldest > 1 and not (isinstance(time, int) and isinstance(oldest, int) and time > oldest):
            self.draft.remarks.append(
                f"{which}{ack['commitUser']} was acknowledged; whether it was among the snapshots "
                f"before {self.table.oldest}, which have expired, cannot be said"
            )
            return
        is_known = len(lost) == missing == 1  # of several, the files do not say which is whose
        lines = [
            f"manifest/{one.manifest_list}, prepared as snapshot {one.version}, is named by no snapshot: "
            f"it adds {listed(file['name'] for file in one.files)}"
            for one in lost[:5]
        ]
        if lost and not is_known:
            lists = counted(len(lost), "manifest list")
            lines = [f"{counted(missing, 'commit')} missing, {lists} left: which is whose is not known", *lines]
        finding = Finding(
            "AcknowledgedCommitsPresent",
            grade,
            lost[0].version if is_known else None,
            f"{which}{ack['commitUser']} was acknowledged, and no snapshot is of it, unless {_ON_PURPOSE}",
            bucket=_only({file["bucket"] for one in lost for file in one.files}) if is_known else None,
            evidence=tuple(lines),
            cause=OVERWRITTEN,
            repair=NOT_OVERWRITTEN,
        )
        files = lost[0].files if is_known else ()
        self._add_lost(finding, lost[0].version or 0 if lost else 0, [file["name"] for file in files], files)

    def _add_lost(
        self, finding: Finding, version: int, names: Sequence[str], files: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Add a finding on lost files, with a state in which a committed row is not read."""
        if names:
            add_with_state(self.draft, finding, lambda: self._state_without(version, names, files))
        else:
            self.draft.add(finding)

    def _state_without(self, version: int, names: Sequence[str], files: Sequence[dict[str, Any]]) -> dict[str, Any]:
        self._check_rows_are_read()
        known = self.table.files
        buckets = {file["bucket"] for file in files}
        buckets |= set(known.filter(pc.is_in(known["name"], _array(names)))["bucket"].to_pylist())
        bucket = sorted(buckets)[0]
        mine = [file["name"] for file in files if file["bucket"] == bucket]
        look = look_at(self.table, bucket, mine)
        rows = look.bucket.rows
        in_lost = [i for i, name in enumerate(rows.files) if name in set(names)]
        keys: list[int] = rows.key[np.isin(rows.file, in_lost)].tolist()
        return as_state(look, keys[:1], version, "ConsistentRead", [(version, name) for name in mine])

    def _check_rows_are_read(self) -> None:
        """Raise :class:`InputError` if the model cannot have the table's rows."""
        why = why_left_out(self.table.schema) or ("" if self.table.schema.keys else "there are no primary keys")
        if why:
            raise InputError(why)

    # Deletion vectors ------------------------------------------------------------------------------------------------

    def _dangling(self) -> dict[str, int]:
        """Find deletion vectors for missing files; returns the buckets that have some, with the first version."""
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
                cause=TWO_COMPACTORS,
                repair=ONE_COMPACTOR,
            )
            files = {vector["file"] for vector in vectors}
            add_with_state(self.draft, finding, partial(self._state_of_dangling, bucket, version, files))
        return since

    def _evidence_of(self, vector: dict[str, Any]) -> str:
        files = self.table.files
        lives = files.filter(pc.equal(files["name"], vector["file"]))
        ends = [end for end in lives["last"].to_pylist() if end is not None and end <= vector["first"]]
        gone = f"snapshot {max(ends)} has removed it" if ends else "no snapshot has it"
        return (
            f"index/{vector['index_file']} from byte {vector['offset']}: a deletion vector for {vector['file']}; {gone}"
        )

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
        told = as_state(look, keys, version, "NoDanglingDeletionVectors")
        if len(struck) == 1:
            row = int(np.flatnonzero(rows.key == keys[0])[0])
            told["key"] = look.whole([row])[look.where(row)]["key"]
        return told

    # Rows ------------------------------------------------------------------------------------------------------------

    def _look(self, bucket: str) -> BucketLook:
        if bucket not in self._looks:
            self._looks[bucket] = look_at(self.table, bucket)
        return self._looks[bucket]

    def _rows(self, dangling: Iterable[str]) -> None:
        broken = self.table.files.filter(
            pc.is_in(self.table.files["name"], _array(self.table.breaks["name"].to_pylist()))
        )
        taken, left = to_look_at(self.table, [*dangling, *dict.fromkeys(broken["bucket"].to_pylist())])
        if left:
            self.draft.left_out.append(
                "ConsistentRead and OneValidRowPerKeyAboveLevel0 in "
                f"{counted(len(left), 'bucket')} with very many rows: {listed(left)}"
            )
        judged = 0
        for name in taken:
            try:
                look = self._look(name)
            except UnreadableError as why:
                self.draft.left_out.append(f"ConsistentRead and OneValidRowPerKeyAboveLevel0 in {name}: {why}")
                continue
            except Missing as why:
                if not self.draft.count() and not self._has_expired():
                    self.damages.note(why, [self.table.last])
                self.draft.left_out.append(f"ConsistentRead and OneValidRowPerKeyAboveLevel0 in {name}: {why}")
                continue
            except Damaged as why:
                self.damages.note(why)
                continue
            judge_rows(look, self.draft)
            judged += 1
            self._looks.pop(name, None)
        every = set(self.table.files["bucket"].to_pylist())
        self.draft.looked_at.append(
            f"ConsistentRead, OneValidRowPerKeyAboveLevel0: {counted(len(every), 'bucket')} by metadata, "
            f"{judged:,} of them by rows"
        )

    def _has_expired(self) -> bool:
        """Whether snapshots, and files with them, have expired since they were read."""
        now = versions(self.table.source, "snapshot", "snapshot-")
        return not set(self.table.snapshots["version"].to_pylist()) <= set(now)


# Queries --------------------------------------------------------------------------------------------------------------


def dangling_vectors(table: PaimonTable) -> Iterator[tuple[dict[str, Any], int]]:
    """The deletion vectors that live in a version without their file, each with the first such version."""
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


def _only(names: set[str]) -> str | None:
    return next(iter(names)) if len(names) == 1 else None


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
