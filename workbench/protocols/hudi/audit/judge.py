"""Judge a Hudi table by the properties of its model."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.columns import count_rows, read_columns
from workbench.audits.damaged import Damages
from workbench.audits.findings import MOST_LISTED, Audit, AuditDraft, Finding, Grade, with_state
from workbench.audits.shape import before_since
from workbench.kernel.errors import listed
from workbench.kernel.values import counted
from workbench.protocols.hudi.audit import states
from workbench.protocols.hudi.audit.keys import KEY, TIME, Duplicate, duplicates, rows_of
from workbench.protocols.hudi.audit.read import BASE_FILE, HudiTable, not_built_on_before, unpublished
from workbench.protocols.hudi.audit.timeline import DIGITS, version_of_instant

#: The most keys of a slice that are compared with another's.
MOST_ROWS = 1_000_000

#: Operations that look up a key's file group, and those that promise no uniqueness.
LOOKS_UP = {"UPSERT", "UPSERT_PREPPED", "DELETE", "DELETE_PREPPED"}
APPENDS = {"INSERT", "BULK_INSERT", "INSERT_OVERWRITE", "INSERT_OVERWRITE_TABLE", "BOOTSTRAP"}
APPENDS |= {f"{operation}_PREPPED" for operation in APPENDS}

NEVER_SEEN = (
    "phases and locks of writers, their index, and operations without a completed instant: no audit can see them",
    "keys in two partitions: only a global index excludes them, and the index is not on the disk",
)


def judge(
    table: HudiTable,
    damages: Damages,
    *,
    since: int | None = None,
    acks: Iterable[Mapping[str, Any]] | None = None,
) -> Audit:
    """The audit of a table."""
    draft = AuditDraft()
    first, last = table.versions
    draft.remarks += [*NEVER_SEEN, *before_since(since, first, last, table.source.url)]
    if table.has_history:
        draft.remarks.append(f"instants before {first} were archived: what they published is taken as correct")
    findings: list[Finding] = []
    keys_read = False
    for some in (
        _acknowledged(table, acks or (), since),
        _built(table, since),
        _too_late(table, since),
        _gone(table, since),
        _one_name(table, since, damages),
        _not_written(table, since),
        _logs_gone(table, since),
    ):
        with damages.around():
            findings += some
    if table.has_logs:
        draft.left_out.append("rows in log files, and keys in two file groups: log files of merge-on-read are not read")
    elif not table.key_columns:
        draft.left_out.append(
            "keys in two file groups: hoodie.populate.meta.fields is false, and there is not one field for the key"
        )
    elif replaced := [one.name for one in table.unread if one.action == "replacecommit"]:
        draft.left_out.append(f"keys in two file groups: which groups {listed(replaced)} replaced is not known")
    else:
        keys_read = True
        found = duplicates(table, since, damages)
        shown = sorted(found.found, key=lambda one: one.version)[:MOST_LISTED]
        findings += _two_groups(table, shown)
        left_out = found.left_out + len(found.found) - len(shown)
        if found.vanished:
            draft.remarks.append(f"keys of slices that were deleted before they could be read: {found.vanished:,}")
        if left_out:
            draft.remarks.append(f"keys that are, or seem to be, in two file groups, and are not listed: {left_out:,}")
    for finding in findings:
        draft.add(finding)
    slices = counted(table.slices.num_rows, "slice")
    draft.looked_at += [
        f"ConsistentRead: {counted(table.commits.num_rows, 'instant')}, {slices}",
        f"PublishedSlicesExist: {slices}, {counted(len(table.present), 'file')} in their folders",
        f"AcknowledgedCommitsPresent: {counted(len(list(acks or ())), 'acknowledged commit')}",
    ]
    if keys_read:
        groups = len(set(zip(*(table.slices[name].to_pylist() for name in ("partition", "bucket")), strict=True)))
        draft.looked_at.append(f"NoDuplicateKeysAcrossFiles: {counted(groups, 'file group')}")
    damages.report(draft, since)
    return draft.audit("hudi", table.source.url, (first, last))


def _finding(
    property: str,
    grade: Grade,
    one: Mapping[str, Any],
    why: str,
    evidence: Iterable[str],
    project: Callable[[], dict[str, Any]] | None,
    *,
    key: str | None = None,
    version: int | None = None,
) -> Finding:
    """A finding about a slice."""
    where = one["first"] if version is None else version
    found = Finding(property, grade, where, why, _group(one), key, tuple(evidence))
    return found if project is None else _told(found, project)


def _told(found: Finding, project: Callable[[], dict[str, Any]]) -> Finding:
    return with_state(found, project)


def _group(one: Mapping[str, Any]) -> str:
    """A slice's file group, prefixed with its partition."""
    return f"{one['partition']}/{one['bucket']}" if one["partition"] else str(one["bucket"])


# Instants that are not there -----------------------------------------------------------------------------------------


def _acknowledged(table: HudiTable, acks: Iterable[Mapping[str, Any]], since: int | None) -> Iterator[Finding]:
    """Acknowledged instants that have not completed."""
    there = {*table.commits["version"].to_pylist(), *(one.version for one in table.unread)}
    first, _ = table.versions
    for ack in acks:
        version = version_of_instant(ack["instant"])
        expired = table.has_history and (first is None or version < first)
        if version in there or expired or (since and version < since):
            continue
        project = partial(states.deleted_slice, "of the commit", version, rolled_back=True)
        why = f"the commit of {ack['instant']} was acknowledged, but has no completed instant"
        found = Finding("AcknowledgedCommitsPresent", "proved", version, why, invariant="PublishedSlicesExist")
        yield _told(found, project)


# Slices that were not built on the one before ------------------------------------------------------------------------


def _built(table: HudiTable, since: int | None) -> Iterator[Finding]:
    """Slices that were not built on their predecessor."""
    slices = {(one["partition"], one["bucket"], one["first"]): one for one in _near(table, since)}
    for one in slices.values():
        before = slices.get((one["partition"], one["bucket"], one["before"]))
        if before is None or one["built_on"] == one["before"] or (since and one["first"] < since):
            continue
        base = slices.get((one["partition"], one["bucket"], one["built_on"]))
        on = "no slice" if one["built_on"] is None else f"the slice of {one['built_on']}"
        evidence = [
            f"{one['instant']}: {one['name']} was built on {on}",
            f"{before['instant']}: {before['name']} was published before",
        ]
        if one["built_on"] is not None and one["built_on"] > one["before"]:
            later = one["built_on"] >= one["first"]
            why = f"the slice was built on {on}, which {'is not earlier' if later else 'no instant publishes'}"
            project = partial(states.lost_update, None, _group(one), [one["before"], one["built_on"], one["first"]])
            yield _finding("ConsistentRead", "suspect", one, why, evidence, project)
            continue
        lost, known = _lost(table, base, before, one)
        why = f"the slice was built on {on}, and not on that of {one['before']}, which was published before it"
        if lost is not None:
            key, told = lost
            why += f": what that had of {key} is lost"
            evidence.append(told)
        stamps = [] if one["built_on"] is None else [one["built_on"]]
        stamps += [one["before"], one["first"]]
        project = partial(states.lost_update, lost and lost[0], _group(one), stamps)
        grade: Grade = "suspect" if known and lost is None else "proved"
        if grade == "suspect":
            evidence.append("no row was lost by it: the later slice has all that the earlier one changed")
        yield _finding("ConsistentRead", grade, one, why, evidence, project, key=lost and lost[0])


def _too_late(table: HudiTable, since: int | None) -> Iterator[Finding]:
    """Slices published after their file group had been replaced: nobody reads them."""
    for one in table.slices.filter(pc.greater(table.slices["first"], table.slices["replaced"])).to_pylist():
        if since and one["first"] < since:
            continue
        why = f"the slice was published after {one['replaced']} had replaced its file group, so nobody reads it"
        project = partial(states.lost_update, None, _group(one), [one["first"], one["replaced"]])
        evidence = [f"{one['instant']} publishes {one['name']}", f"{one['replaced']} replaced {_group(one)}"]
        yield _finding("ConsistentRead", "proved", one, why, evidence, project)


def _near(table: HudiTable, since: int | None) -> list[dict[str, Any]]:
    """All slices of the file groups in which some slice was not built on its predecessor."""
    stale = not_built_on_before(table.slices)
    if not stale.num_rows:
        return []
    groups = pc.unique(stale["bucket"].combine_chunks())
    rows: list[dict[str, Any]] = table.slices.filter(pc.is_in(table.slices["bucket"], value_set=groups)).to_pylist()
    return rows


def _lost(
    table: HudiTable, base: dict[str, Any] | None, before: dict[str, Any], one: dict[str, Any]
) -> tuple[tuple[str, str] | None, bool]:
    """A key whose row in `before` is lost in `one`, with the evidence; and whether all rows could be compared."""
    if (
        not table.has_keys
        or table.has_logs
        or (base is None and one["built_on"] is not None)
        or not {before["name"], one["name"]} <= set(table.present)
    ):
        return None, False
    if base is not None and base["name"] not in table.present:
        return None, False
    sets = [{} if part is None else _times(table, part["name"]) for part in (base, before, one)]
    if any(part is None for part in sets):
        return None, False
    old, missed, new = ({} if part is None else part for part in sets)
    for key, time in missed.items():
        if old.get(key) != time and (key not in new and key not in old):
            return (key, f"{before['name']} has {key}, as of {time}; {one['name']} does not have it"), True
        if old.get(key) != time and new.get(key, time) < time:
            return (key, f"{before['name']} has {key} as of {time}, {one['name']} as of {new[key]}"), True
    for key in old.keys() - missed.keys():
        if new.get(key) == old[key]:
            return (key, f"{before['name']} does not have {key} any more; {one['name']} has it, as of {new[key]}"), True
    return None, True


def _times(table: HudiTable, name: str) -> dict[str, str] | None:
    """The keys of a slice with the commit times of their rows; None if there are too many."""
    times: dict[str, str] = {}
    for batch in read_columns(table.source, name, [KEY, TIME]):
        times.update(zip(*(pc.cast(column, pa.string()).to_pylist() for column in batch.columns), strict=True))
        if len(times) > MOST_ROWS:
            return None
    return times


# Slices that are not there -------------------------------------------------------------------------------------------


def _gone(table: HudiTable, since: int | None) -> Iterator[Finding]:
    """Published slices that were deleted although no cleaner may delete them."""
    for one in unpublished(table).to_pylist():
        if since and one["last"] is not None and one["last"] <= since:
            continue
        deletions = table.deleted.get(one["name"].rpartition("/")[2], [])
        rows = "" if one["rows"] is None else f", with {counted(one['rows'], 'row')}"
        evidence = [f"{one['instant']} publishes {one['name']}{rows}", "there is no such file"]
        evidence += [f"{instant.name} reports that it was deleted" for instant in deletions]
        which = "the newest slice of the file group is published"
        if one["last"] is not None:
            which = f"the slice of {one['first']} is published, and read by versions before {one['last']}"
        by = (
            f"a {deletions[0].action} has deleted it"
            if deletions
            else "it is gone, and no instant reports its deletion"
        )
        why = f"{which}, but {by}"
        rolled_back = any(instant.action == "rollback" for instant in deletions)
        project = partial(states.deleted_slice, _group(one), one["first"], rolled_back=rolled_back)
        yield _finding("PublishedSlicesExist", "proved", one, why, evidence, project)


# Files with two writers ----------------------------------------------------------------------------------------------


def _one_name(table: HudiTable, since: int | None, damages: Damages) -> Iterator[Finding]:
    """Operations that share a timestamp, and files that differ from what their commit wrote."""
    slices = table.slices if since is None else table.slices.filter(pc.greater_equal(table.slices["first"], since))
    for one in slices.filter(pc.equal(slices["first"], slices["before"])).to_pylist():
        why = f"two instants with the timestamp {one['first']} each publish a slice of the file group"
        yield _finding(
            "ConsistentRead",
            "proved",
            one,
            why,
            [one["instant"], one["name"]],
            partial(states.one_name, _group(one), one["first"]),
        )
    twins = _twins(table)
    for one in slices.filter(pc.is_in(slices["name"], value_set=pa.array(twins, pa.string()))).to_pylist():
        files = twins[one["name"]]
        why = f"{len(files)} files have the file group and the timestamp of the slice of {one['first']}"
        evidence = [f"{one['instant']} publishes {one['name']}", *(f"there is {name}" for name in files)]
        yield _finding(
            "ConsistentRead", "suspect", one, why, evidence, partial(states.one_name, _group(one), one["first"])
        )
    names, sizes = pa.array(table.present, pa.string()), pa.array(table.present.values(), pa.int64())
    found = sizes.take(pc.index_in(slices["name"].combine_chunks(), value_set=names))
    other = pc.and_kleene(pc.not_equal(slices["size"], found), pc.greater(slices["size"], 0))
    for one in slices.filter(other).to_pylist():
        rows = None
        with damages.around(one["first"]):
            rows = count_rows(table.source, one["name"])
        if rows is None:
            continue
        why = "the slice's file is not the one its commit wrote: it was overwritten"
        evidence = [
            f"{one['instant']}: {one['size']:,} bytes, {one['rows']} rows",
            f"{one['name']}: {table.present[one['name']]:,} bytes, {rows} rows",
        ]
        grade: Grade = "suspect" if one["rows"] in (None, rows) else "proved"
        yield _finding("ConsistentRead", grade, one, why, evidence, partial(states.one_name, _group(one), one["first"]))


def _not_written(table: HudiTable, since: int | None) -> Iterator[Finding]:
    """Base files under the timestamp of a completed commit that did not write them: readers read them."""
    completed = set(table.commits["version"].to_pylist())
    known = set(table.slices["name"].to_pylist())
    groups = set(zip(*(table.slices[name].to_pylist() for name in ("partition", "bucket", "first")), strict=True))
    for name in sorted(set(table.present) - known):
        parts = BASE_FILE.fullmatch(name)
        if parts is None or len(parts[2]) not in DIGITS:
            continue
        partition, group, version = name.rpartition("/")[0], parts[1], version_of_instant(parts[2])
        if version not in completed or (since and version < since) or (partition, group, version) in groups:
            continue  # of two files of one slice, `_twins` tells
        why = f"there is a base file of the commit {version}, which did not write it; readers read it"
        one = {"partition": partition, "bucket": group, "first": version}
        project = partial(states.one_name, group, version)
        yield _finding("ConsistentRead", "suspect", one, why, [f"there is {name}"], project)


def _logs_gone(table: HudiTable, since: int | None) -> Iterator[Finding]:
    """Log files of a file group's newest slice that are missing."""
    newest: dict[tuple[str, str], int] = {}
    for known in table.slices.select(["partition", "bucket", "first", "replaced"]).to_pylist():
        place = known["partition"], known["bucket"]
        newest[place] = max(newest.get(place, 0), known["first"], known["replaced"] or 0)
    for name, (partition, group, version) in table.logs.items():
        base = name.rpartition("/")[2]
        if name in table.present or version <= newest.get((partition, group), 0) or (since and version < since):
            continue
        deletions = table.deleted.get(base, [])
        by = f"a {deletions[0].action} has deleted it" if deletions else "no instant reports its deletion"
        why = f"the log file that {version} has added to the newest slice of the file group is gone; {by}"
        rolled_back = any(instant.action == "rollback" for instant in deletions)
        project = partial(states.deleted_slice, group, version, rolled_back=rolled_back)
        one = {"partition": partition, "bucket": group, "first": version}
        yield _finding("PublishedSlicesExist", "proved", one, why, [f"there is no {name}"], project)


def _twins(table: HudiTable) -> dict[str, list[str]]:
    """Base files that share file group and timestamp, each with all files of its kind."""
    files: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in table.present:
        parts = BASE_FILE.fullmatch(name)
        if parts:
            files[name.rpartition("/")[0], *parts.groups()].append(name)
    return {name: sorted(twins) for twins in files.values() if len(twins) > 1 for name in twins}


# Keys in two file groups ---------------------------------------------------------------------------------------------


def _two_groups(table: HudiTable, found: list[Duplicate]) -> Iterator[Finding]:
    """Keys in two file groups."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for one in found:
        for copy in one.copies:
            wanted[copy.slice["name"]].add(one.key)
    rows = rows_of(table, wanted)
    for one in found:
        grade, by = _grade(one)
        why = f"{one.key} is in two file groups: {by}"
        if one.until is not None:
            why += f"; until {one.until}"
        evidence = [
            f"{copy.slice['name']}: {rows.get((copy.slice['name'], one.key), '')}"
            + (f", as of {copy.time}" if copy.time else "")
            for copy in one.copies
        ]
        slices = sorted((copy.slice for copy in one.copies), key=lambda copy: int(copy["first"]))
        groups, stamps = [_group(copy) for copy in slices], [copy["first"] for copy in slices]
        project = None if grade == "outside" else partial(states.two_groups, one.key, groups, stamps)
        yield _finding(
            "NoDuplicateKeysAcrossFiles", grade, slices[-1], why, evidence, project, key=one.key, version=one.version
        )


def _grade(one: Duplicate) -> tuple[Grade, str]:
    """The grade of a duplicate, by what the operation that brought the second copy promises."""
    origins = [copy.origin for copy in one.copies]
    unknown = [copy.slice["first"] for copy in one.copies if copy.origin.version is None]
    second = max((origin for origin in origins if origin.version is not None), default=None)
    if second is None or any(first > (second.version or 0) for first in unknown):
        return "suspect", "both were there before the first slice that is left"
    by = f"the second came by the {second.operation} of {second.version}"
    if second.operation in LOOKS_UP:
        return "proved", by
    if second.operation in APPENDS:
        return "outside", f"{by}, which promises no uniqueness"
    return "suspect", by
