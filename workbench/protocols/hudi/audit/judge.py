"""Judge a Hudi table by the properties of its model."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.columns import count_rows, read_columns
from workbench.audits.damaged import Damaged, Damages
from workbench.audits.findings import MOST_LISTED, Grade
from workbench.audits.judgement import PRESENT, Judgement, Rule, StateOf
from workbench.audits.presence import FILES_EXIST
from workbench.audits.shape import before_since
from workbench.kernel.meaning.errors import listed
from workbench.kernel.meaning.values import counted
from workbench.protocols.hudi.audit import states
from workbench.protocols.hudi.audit.archive import Archive, read_archive
from workbench.protocols.hudi.audit.keys import KEY, TIME, Duplicate, duplicates, rows_of
from workbench.protocols.hudi.audit.read import (
    BASE_FILE,
    LOG_FILE,
    HudiTable,
    LogFile,
    base_files,
    not_built_on_before,
    unpublished,
)
from workbench.protocols.hudi.audit.timeline import Instant, Timeline, version_of_instant

#: The most keys of a slice that are compared with another's.
MOST_ROWS = 1_000_000

#: Operations that look up a key's file group, and those that promise no uniqueness.
LOOKS_UP = {"UPSERT", "UPSERT_PREPPED", "DELETE", "DELETE_PREPPED"}
APPENDS = {"INSERT", "BULK_INSERT", "INSERT_OVERWRITE", "INSERT_OVERWRITE_TABLE", "BOOTSTRAP"}
APPENDS |= {f"{operation}_PREPPED" for operation in APPENDS}

READ = "ConsistentRead"

NEVER_SEEN = (
    "phases and locks of writers, their index, and operations without a completed instant: no audit can see them",
    "keys in two partitions: only a global index excludes them, and the index is not on the disk",
)


class HudiJudgement(Judgement):
    """Judges a table by its timeline, its slices and their keys."""

    INVARIANTS: ClassVar = {PRESENT: FILES_EXIST}

    def __init__(
        self, table: HudiTable, damages: Damages, acks: list[dict[str, Any]] | None, since: int | None
    ) -> None:
        super().__init__("hudi", table.source, damages, acks, since, table.versions)
        self.table = table
        first, last = table.versions
        self.remarks += [*NEVER_SEEN, *before_since(since, first, last, table.source.url)]
        self._archive: Archive | None = None
        if table.has_history:
            self.remarks.append(f"instants before {first} were archived: their base files are taken as correct")

    def rules(self) -> list[Rule]:
        slices = (self.built, self.too_late, self.gone, self.one_name, self.not_written, self.log_files, self.planned)
        return [*map(self.guarded, (self.acknowledged, self.unmade, *slices)), self.say_what_was_compared, self.keys]

    def find_slice(
        self,
        property: str,
        grade: Grade,
        slice: Mapping[str, Any],
        reason: str,
        evidence: Iterable[str],
        state_of: StateOf | None,
        **fields: Any,
    ) -> None:
        """Find something about a slice."""
        self.find(property, grade, slice["first"], reason, evidence, state_of, bucket=_group(slice), **fields)

    def say_what_was_compared(self) -> None:
        slices = counted(self.table.slices.num_rows, "slice")
        self.looked_at += [
            f"{READ}: {counted(len(self.table.commits), 'instant')}, {slices}",
            f"{FILES_EXIST}: {slices}, {counted(len(self.table.present), 'file')} in their folders",
            self.acks_looked_at(),
        ]
        if self._archive is not None and self.table.has_history:
            self.looked_at.append(f"{READ}: {counted(len(self._archive.plans), 'archived compaction')}")

    def archive(self) -> Archive:
        """The archived instants, read at the first call."""
        if self._archive is None:
            table = self.table
            timeline = Timeline(table.source, table.properties)
            self._archive = read_archive(table.source, timeline, self.damages) if table.has_history else Archive()
            self.left_out += self._archive.left_out
        return self._archive

    # Instants that are not there -------------------------------------------------------------------------------------

    def acknowledged(self) -> None:
        """Find acknowledged instants that have not completed."""
        there, (first, _) = self.table.there, self.table.versions
        for ack in self.acks or ():
            version = version_of_instant(ack["instant"])
            expired = self.table.has_history and (first is None or version < first)
            if version not in there and not expired:
                reason = f"the commit of {ack['instant']} was acknowledged, but has no completed instant"
                state_of = partial(states.deleted_slice, "of the commit", version, rolled_back=True)
                self.find(PRESENT, "proved", version, reason, state_of=state_of, about=version)

    def unmade(self) -> None:
        """Find instants that others name although they are neither completed nor archived."""
        table, there, evidence = self.table, self.table.there, defaultdict[int, list[str]](list)
        first = table.slices.filter(pc.and_(pc.is_null(table.slices["before"]), pc.is_valid(table.slices["built_on"])))
        for slice in first.to_pylist():  # slices that have a predecessor are judged by `built`
            built_on = slice["built_on"]
            if table.whole_from <= built_on and built_on not in there:
                evidence[built_on].append(f"{slice['instant']}: {slice['name']} was built on {built_on}")
        strange = self._replaced_but_not_made()
        for name, partition, group, version in base_files(table.present):
            if (partition, group) in strange and table.whole_from <= version and version not in there:
                by = strange.pop((partition, group))
                evidence[version].append(f"{by} has replaced the file group of {name}, which no instant publishes")
        for version, lines in sorted(evidence.items()):
            if version in self.archive().completed:
                continue
            reason = (
                f"there is no completed instant {version}, though later ones rely on it: it was deleted, or archived "
                "out of turn"
            )
            state_of = partial(states.deleted_slice, "of the commit", version, rolled_back=False)
            self.find(PRESENT, "suspect", version, reason, lines[:5], state_of, about=version)
        if strange and not table.has_history and not table.unread:
            by = min(strange.values())
            reason = f"no instant made {counted(len(strange), 'file group')} that a later one replaces: it was deleted"
            lines = [f"{by} replaces {'/'.join(filter(None, place))}" for place, by in list(strange.items())[:5]]
            state_of = partial(states.deleted_slice, lines[0], by, rolled_back=False)
            self.find(PRESENT, "suspect", by, reason, lines, state_of)

    def _replaced_but_not_made(self) -> dict[tuple[str, str], int]:
        """The file groups that an instant replaces but that have no known slice or log file, each with that instant."""
        table = self.table
        groups = set(zip(*(table.slices[name].to_pylist() for name in ("partition", "bucket")), strict=True))
        groups |= {(log.partition, log.group) for log in table.logs.values()}
        return {place: by for place, by in table.replaced.items() if place not in groups}

    # Slices that were not built on the one before --------------------------------------------------------------------

    def built(self) -> None:
        """Find slices that were not built on their predecessor."""
        slices = {(slice["partition"], slice["bucket"], slice["first"]): slice for slice in _near(self.table)}
        for slice in slices.values():
            before = slices.get((slice["partition"], slice["bucket"], slice["before"]))
            if before is not None and slice["built_on"] != slice["before"] and not self.skips(slice["first"]):
                self._not_built_on(slices.get((slice["partition"], slice["bucket"], slice["built_on"])), before, slice)

    def _not_built_on(self, base: dict[str, Any] | None, before: dict[str, Any], slice: dict[str, Any]) -> None:
        """Judge a slice that was built on `base`, or on none, instead of on the one `before` it."""
        on = "no slice" if slice["built_on"] is None else f"the slice of {slice['built_on']}"
        evidence = [
            f"{slice['instant']}: {slice['name']} was built on {on}",
            f"{before['instant']}: {before['name']} was published before",
        ]
        if slice["built_on"] is not None and slice["built_on"] > slice["before"]:
            later = slice["built_on"] >= slice["first"]
            reason = f"the slice was built on {on}, which {'is not earlier' if later else 'no instant publishes'}"
            stamps = [slice["before"], slice["built_on"], slice["first"]]
            state_of = partial(states.lost_update, None, _group(slice), stamps)
            self.find_slice(READ, "suspect", slice, reason, evidence, state_of)
            return
        lost, is_compared = _lost(self.table, base, before, slice)
        key, remark = lost or (None, "no row was lost by it: the later slice has all that the earlier one changed")
        reason = f"the slice was built on {on}, and not on that of {slice['before']}, which was published before it"
        reason += "" if key is None else f": what that had of {key} is lost"
        stamps = [] if slice["built_on"] is None else [slice["built_on"]]
        stamps += [slice["before"], slice["first"]]
        state_of = partial(states.lost_update, key, _group(slice), stamps)
        grade: Grade = "suspect" if is_compared and lost is None else "proved"
        evidence += [remark] if is_compared else []
        self.find_slice(READ, grade, slice, reason, evidence, state_of, key=key)

    def too_late(self) -> None:
        """Find slices published after their file group had been replaced: nobody reads them."""
        slices = self.table.slices
        for slice in slices.filter(pc.greater(slices["first"], slices["replaced"])).to_pylist():
            by = slice["replaced"]
            reason = f"the slice was published after {by} had replaced its file group, so nobody reads it"
            state_of = partial(states.lost_update, None, _group(slice), [slice["first"], by])
            evidence = [f"{slice['instant']} publishes {slice['name']}", f"{by} replaced {_group(slice)}"]
            self.find_slice(READ, "proved", slice, reason, evidence, state_of)

    # Slices that are not there ---------------------------------------------------------------------------------------

    def gone(self) -> None:
        """Find published slices that were deleted although no cleaner may delete them."""
        lost = unpublished(self.table).to_pylist()
        if lost and self._has_metadata_alone():
            self.left_out.append(f"whether data files exist: the folder has none of {len(lost):,}, only metadata")
            return
        for slice in lost:
            deletions = self.table.deleted.get(slice["name"].rpartition("/")[2], [])
            rows = "" if slice["rows"] is None else f", with {counted(slice['rows'], 'row')}"
            evidence = [f"{slice['instant']} publishes {slice['name']}{rows}", "there is no such file"]
            evidence += [f"{instant.name} reports that it was deleted" for instant in deletions]
            which = "the newest slice of the file group is published"
            if slice["last"] is not None:
                which = f"the slice of {slice['first']} is published, and read by versions before {slice['last']}"
            by = "it is gone, and no instant reports its deletion"
            if deletions:
                by = f"a {deletions[0].action} has deleted it"
            last = self.table.versions[1] if slice["last"] is None else slice["last"] - 1
            state_of = _deleted(_group(slice), slice["first"], deletions)
            self.find_slice(FILES_EXIST, "proved", slice, f"{which}, but {by}", evidence, state_of, last=last)

    def _has_metadata_alone(self) -> bool:
        """Whether the table has metadata alone. The caller has said that data files may be absent."""
        if not self.source.without_data:
            return False
        published = (*self.table.slices["name"].to_pylist(), *self.table.logs)
        return self.table.present.keys().isdisjoint(published)

    def log_files(self) -> None:
        """Find log files of a file group's newest slice that are missing or cut off."""
        if self._has_metadata_alone():
            return
        newest: dict[tuple[str, str], int] = {}
        for slice in self.table.slices.select(["partition", "bucket", "first", "replaced"]).to_pylist():
            place = slice["partition"], slice["bucket"]
            newest[place] = max(newest.get(place, 0), slice["first"], slice["replaced"] or 0)
        for name, (partition, group, version, size, _) in self.table.logs.items():
            present = self.table.present.get(name)
            if version <= newest.get((partition, group), 0):
                continue
            if present is None:
                deletions = self.table.deleted.get(name.rpartition("/")[2], [])
                by = f"a {deletions[0].action} has deleted it" if deletions else "no instant reports its deletion"
                reason = f"the log file that {version} has added to the newest slice of the file group is gone; {by}"
                slice = {"partition": partition, "bucket": group, "first": version}
                state_of = _deleted(group, version, deletions)
                evidence = [f"there is no {name}"]
                self.find_slice(FILES_EXIST, "proved", slice, reason, evidence, state_of, last=self.table.versions[1])
            elif size is not None and present < size:
                self.damages.current(name)
                self.damages.note(Damaged(name, f"it has {present:,} bytes, and had {size:,} in {version}"), [version])

    def planned(self) -> None:
        """Find log files that a compaction's plan leaves out although they were complete: their rows are lost by it."""
        first, _ = self.table.versions
        is_needed = self.table.has_logs and (self.since is None or first is None or self.since <= first)
        archive = self.archive() if is_needed else Archive()
        by_group = defaultdict[tuple[str, str], list[tuple[str, LogFile]]](list)
        for name, log in (archive.logs | self.table.logs).items():
            by_group[log.partition, log.group].append((name, log))
        done = archive.completed | self.table.there
        plans = {ts: plan._replace(is_done=plan.instant.version in done) for ts, plan in archive.plans.items()}
        plans |= {plan.instant.ts: plan for plan in self.table.plans}
        for plan in plans.values():
            for place, (base, names) in plan.merges.items():
                for name, log in by_group.get(place, ()):
                    file, version = name.rpartition("/")[2], plan.instant.version
                    # With a completion time, a deltacommit that completed later belongs to the next slice.
                    is_before = base <= log.version < version and log.completed_at <= plan.instant.ts
                    deletions = *archive.deleted.get(file, ()), *self.table.deleted.get(file, ())
                    # A cleaner deletes the log files that it takes for merged; what the plan left out is lost by then.
                    is_excused = any(deletion.action != "clean" or deletion.version < version for deletion in deletions)
                    if not is_before or file in names or is_excused:
                        continue
                    verb = "has left out" if plan.is_done else "leaves out"
                    reason = f"the compaction of {version} {verb} a log file that {log.version} has added to the slice"
                    evidence = [f"{plan.instant.name} merges {len(names):,} log files of {place[1]}, and not {name}"]
                    slice = {"partition": place[0], "bucket": place[1], "first": version}
                    stamps = [base, log.version, version]
                    grade: Grade = "proved" if plan.is_done and log.completed_at else "suspect"
                    state_of = partial(states.lost_update, None, place[1], stamps)
                    last = None if plan.instant.ts in archive.plans else self.table.versions[1]
                    self.find_slice(READ, grade, slice, reason, evidence, state_of, last=last)

    # Files with two writers ------------------------------------------------------------------------------------------

    def one_name(self) -> None:
        """Find operations that share a timestamp, and files that differ from what their commit wrote."""
        table, slices = self.table, self.table.slices
        if self.since is not None:
            slices = slices.filter(pc.or_(pc.greater_equal(slices["first"], self.since), pc.is_null(slices["last"])))
        for slice in slices.filter(pc.equal(slices["first"], slices["before"])).to_pylist():
            reason = f"two instants with the timestamp {slice['first']} each publish a slice of the file group"
            self._two_writers("proved", slice, reason, [slice["instant"], slice["name"]])
        twins = _twins(table)
        for slice in slices.filter(pc.is_in(slices["name"], value_set=pa.array(twins, pa.string()))).to_pylist():
            files = twins[slice["name"]]
            reason = f"{len(files)} files have the file group and the timestamp of the slice of {slice['first']}"
            evidence = [f"{slice['instant']} publishes {slice['name']}", *(f"there is {name}" for name in files)]
            self._two_writers("suspect", slice, reason, evidence)
        names, sizes = pa.array(table.present, pa.string()), pa.array(table.present.values(), pa.int64())
        actual_sizes = sizes.take(pc.index_in(slices["name"].combine_chunks(), value_set=names))
        other = pc.and_kleene(pc.not_equal(slices["size"], actual_sizes), pc.greater(slices["size"], 0))
        for slice in slices.filter(other).to_pylist():
            if slice["last"] is None:
                self.damages.current(slice["name"])
            with self.damages.around(slice["first"]):
                rows = count_rows(table.source, slice["name"])
                reason = "the slice's file is not the one its commit wrote: it was overwritten"
                evidence = [
                    f"{slice['instant']}: {slice['size']:,} bytes, {slice['rows']} rows",
                    f"{slice['name']}: {table.present[slice['name']]:,} bytes, {rows} rows",
                ]
                self._two_writers("suspect" if slice["rows"] in (None, rows) else "proved", slice, reason, evidence)

    def _two_writers(self, grade: Grade, slice: Mapping[str, Any], reason: str, evidence: Iterable[str]) -> None:
        last = self.table.versions[1] if slice["last"] is None else slice["first"]
        state_of = partial(states.one_name, _group(slice), slice["first"])
        self.find_slice(READ, grade, slice, reason, evidence, state_of, last=last)

    def not_written(self) -> None:
        """Find files with the timestamp of a commit that did not write them: readers that list folders read them."""
        slices = self.table.slices
        completed = set(self.table.commits)
        groups = set(zip(*(slices[name].to_pylist() for name in ("partition", "bucket", "first")), strict=True))
        unnamed = sorted(set(self.table.present) - set(slices["name"].to_pylist()) - self.table.logs.keys())
        logs = base_files(unnamed, LOG_FILE) if self.table.logs_have_versions else ()
        for name, partition, group, version in (*base_files(unnamed), *logs):
            if version not in completed or (partition, group, version) in groups:
                continue  # `_twins` reports two files of one slice
            kind = "base" if name.endswith(".parquet") else "log"
            reason = (
                f"there is a {kind} file of the commit {version}, which did not write it; "
                "readers that list files read it"
            )
            slice = {"partition": partition, "bucket": group, "first": version}
            state_of = partial(states.one_name, group, version)
            self.find_slice(READ, "suspect", slice, reason, [f"there is {name}"], state_of)

    # Keys in two file groups -----------------------------------------------------------------------------------------

    def keys(self) -> None:
        """Keys in two file groups."""
        table = self.table
        if table.has_logs:
            self.remarks.append("rows in log files, and keys in two file groups: log files are not opened")
            return
        if not table.key_columns:
            self.left_out.append(
                "keys in two file groups: hoodie.populate.meta.fields is false, and there is not one field for the key"
            )
            return
        if replaced := [instant.name for instant in table.unread if instant.action == "replacecommit"]:
            self.left_out.append(f"keys in two file groups: which groups {listed(replaced)} replaced is not known")
            return
        result = duplicates(table, self.since, self.damages)
        shown = sorted(result.listed, key=lambda duplicate: duplicate.version)[:MOST_LISTED]
        self._two_groups(shown)
        left_out = result.left_out + len(result.listed) - len(shown)
        if result.vanished:
            self.remarks.append(f"keys of slices that were deleted before they could be read: {result.vanished:,}")
        if left_out:
            self.remarks.append(f"keys that are, or seem to be, in two file groups, and are not listed: {left_out:,}")
        groups = len(set(zip(*(table.slices[name].to_pylist() for name in ("partition", "bucket")), strict=True)))
        self.looked_at.append(f"NoDuplicateKeysAcrossFiles: {counted(groups, 'file group')}")

    def _two_groups(self, shown: list[Duplicate]) -> None:
        keys_by_file: dict[str, set[str]] = defaultdict(set)
        for duplicate in shown:
            for copy in duplicate.copies:
                keys_by_file[copy.slice["name"]].add(duplicate.key)
        rows = rows_of(self.table, keys_by_file, self.damages)
        for duplicate in shown:
            key, (grade, by) = duplicate.key, _grade(duplicate)
            until = "" if duplicate.until is None else f"; until {duplicate.until}"
            reason = f"{key} is in two file groups: {by}{until}"
            evidence = [
                f"{copy.slice['name']}: {rows.get((copy.slice['name'], key), '')}"
                + (f", as of {copy.time}" if copy.time else "")
                for copy in duplicate.copies
            ]
            slices = sorted((copy.slice for copy in duplicate.copies), key=lambda copy: int(copy["first"]))
            groups, stamps = [_group(copy) for copy in slices], [copy["first"] for copy in slices]
            state_of = None if grade == "outside" else partial(states.two_groups, key, groups, stamps)
            property = "NoDuplicateKeysAcrossFiles"
            self.find(property, grade, duplicate.version, reason, evidence, state_of, bucket=groups[-1], key=key)


def _group(slice: Mapping[str, Any]) -> str:
    """A slice's file group, prefixed with its partition."""
    return f"{slice['partition']}/{slice['bucket']}" if slice["partition"] else str(slice["bucket"])


def _deleted(group: str, version: int, deletions: Iterable[Instant]) -> StateOf:
    """The fields for a state in which such a slice is gone."""
    rolled_back = any(instant.action == "rollback" for instant in deletions)
    return partial(states.deleted_slice, group, version, rolled_back=rolled_back)


def _near(table: HudiTable) -> list[dict[str, Any]]:
    """All slices of the file groups in which some slice was not built on its predecessor."""
    stale = not_built_on_before(table.slices)
    if not stale.num_rows:
        return []
    groups = pc.unique(stale["bucket"].combine_chunks())
    rows: list[dict[str, Any]] = table.slices.filter(pc.is_in(table.slices["bucket"], value_set=groups)).to_pylist()
    return rows


def _lost(
    table: HudiTable, base: dict[str, Any] | None, before: dict[str, Any], later: dict[str, Any]
) -> tuple[tuple[str, str] | None, bool]:
    """A key whose row in `before` is lost in `later`, with the evidence; and whether all rows could be compared."""
    if (
        not table.has_keys
        or table.has_logs
        or (base is None and later["built_on"] is not None)
        or not {before["name"], later["name"]} <= set(table.present)
    ):
        return None, False
    if base is not None and base["name"] not in table.present:
        return None, False
    sets = [{} if part is None else _times(table, part["name"]) for part in (base, before, later)]
    if any(part is None for part in sets):
        return None, False
    old, missed, new = ({} if part is None else part for part in sets)
    for key, time in missed.items():
        if old.get(key) != time and (key not in new and key not in old):
            return (key, f"{before['name']} has {key}, as of {time}; {later['name']} does not have it"), True
        if old.get(key) != time and new.get(key, time) < time:
            return (key, f"{before['name']} has {key} as of {time}, {later['name']} as of {new[key]}"), True
    for key in old.keys() - missed.keys():
        if new.get(key) == old[key]:
            has_it = f"{later['name']} has it, as of {new[key]}"
            return (key, f"{before['name']} does not have {key} any more; {has_it}"), True
    return None, True


def _times(table: HudiTable, name: str) -> dict[str, str] | None:
    """The keys of a slice with the commit times of their rows; None if there are too many."""
    times: dict[str, str] = {}
    for batch in read_columns(table.source, name, [KEY, TIME]):
        times.update(zip(*(pc.cast(column, pa.string()).to_pylist() for column in batch.columns), strict=True))
        if len(times) > MOST_ROWS:
            return None
    return times


def _twins(table: HudiTable) -> dict[str, list[str]]:
    """Base files that share file group and timestamp, each with all files of its kind."""
    files: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in table.present:
        parts = BASE_FILE.fullmatch(name)
        if parts:
            files[name.rpartition("/")[0], *parts.groups()].append(name)
    return {name: sorted(twins) for twins in files.values() if len(twins) > 1 for name in twins}


def _grade(duplicate: Duplicate) -> tuple[Grade, str]:
    """The grade of a duplicate, by the promise of the operation that brought the second copy."""
    origins = [copy.origin for copy in duplicate.copies]
    unknown = [copy.slice["first"] for copy in duplicate.copies if copy.origin.version is None]
    second = max((origin for origin in origins if origin.version is not None), default=None)
    if second is None or any(first > (second.version or 0) for first in unknown):
        return "suspect", "both were there before the first slice that is left"
    by = f"the second came by the {second.operation} of {second.version}"
    if second.operation in LOOKS_UP:
        return "proved", by
    if second.operation in APPENDS:
        return "outside", f"{by}, which promises no uniqueness"
    return "suspect", by
