"""Read a Paimon table by what each snapshot changed.

Only the first snapshot is read completely. A later snapshot's delta holds its changes. Its base shows whether it was
built on its predecessor: the base must name the manifests of the predecessor's base and delta, or merged manifests that
come to the same files.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.decoding import decoded
from workbench.audits.shape import FILES, VECTORS, before_since, row_codes, table_of
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.protocols.paimon.audit.files import (
    ADD,
    ENTRIES,
    OTHERS,
    RANGES,
    SNAPSHOTS,
    Item,
    Schema,
    decode_index,
    decode_link,
    decode_manifest,
    decode_other,
    decode_snapshot,
    lists_of,
    manifests_in,
    others,
    read_schema,
    together,
    versions,
)
from workbench.protocols.paimon.audit.layout import Layout

#: How often to try to read a table whose snapshots expire during the reading.
_ATTEMPTS = 5

#: :data:`FILES` with more on Paimon's files; `appended` is the version that added a file with new rows. A bucket's name
#: is its folder.
PAIMON_FILES = pa.schema(
    [
        *FILES,
        ("min_key", pa.binary()),
        ("max_key", pa.binary()),
        ("appended", pa.int64()),
        ("is_outside", pa.bool_()),
        ("size", pa.int64()),
        ("schema", pa.int64()),
        ("first_row", pa.int64()),
    ]
)

#: :data:`VECTORS` before partitions and buckets get their names.
_BARE_VECTORS = pa.schema(
    [pa.field("partition", pa.binary()), pa.field("bucket", pa.int32()), *(field for field in list(VECTORS)[2:])]
)


class Change(NamedTuple):
    """A delta's entries that add and remove files, and how many rows it adds on balance."""

    added: int
    removed: int
    rows: int


@dataclass
class PaimonTable:
    """A Paimon table as its metadata describes it.

    Attributes:
        files, vectors: In the shapes of :mod:`workbench.audits.shape`; `files` has the columns of
            :data:`PAIMON_FILES`.
        snapshots: The decoded snapshots.
        breaks: The entries by which a snapshot's base differs from what its predecessor left.
        gaps: Missing versions between existing ones.
        damaged: The versions that need a damaged file, and were left out.
        strange: Versions that remove a missing file, or add an existing one, with the file.
        orphans: Manifest lists that nothing names: no snapshot, branch or tag, whether before or after `first`.
        oldest: The first existing snapshot; earlier than `first` if the audit started later.
        others: Other files that name manifest lists, in the shape of OTHERS.
        changes: What each version's delta has, by version: entries that add and remove, and the rows it comes to.
    """

    source: Source
    schema: Schema
    layout: Layout
    snapshots: pa.Table
    files: pa.Table
    vectors: pa.Table
    breaks: pa.Table
    gaps: list[int]
    damaged: frozenset[int]
    strange: list[tuple[int, str]]
    orphans: list[str]
    oldest: int
    others: pa.Table
    changes: dict[int, Change]

    @property
    def first(self) -> int:
        return int(self.snapshots["version"][0].as_py())

    @property
    def last(self) -> int:
        return int(self.snapshots["version"][-1].as_py())

    @cached_property
    def forwarded(self) -> set[int]:
        """The versions that fast_forward put there: a branch begins with a copy, so its later snapshots count."""
        own: dict[str, dict[int, str]] = defaultdict(dict)
        for file, delta in zip(self.others["file"].to_pylist(), self.others["delta"].to_pylist(), strict=True):
            branch, _, number = file.rpartition("/snapshot/snapshot-")
            if branch:
                own[branch][int(number)] = delta
        deltas = {delta for by_number in own.values() for number, delta in by_number.items() if number > min(by_number)}
        numbers, lists = self.snapshots["version"].to_pylist(), self.snapshots["lists"].to_pylist()
        return {version for version, names in zip(numbers, lists, strict=True) if names[1] in deltas}

    def commit(self, version: int) -> dict[str, Any]:
        """A decoded snapshot."""
        at = int(np.searchsorted(self.snapshots["version"].to_numpy(), version))
        snapshot: dict[str, Any] = self.snapshots.slice(at, 1).to_pylist()[0]
        return snapshot


def read(source: Source, since: int | None = None, damages: Damages | None = None) -> PaimonTable | None:
    """A table's metadata; None if there is no readable snapshot.

    Args:
        damages: Where to note damaged files; the versions that need them are left out.

    Raises:
        Damaged: If a file is damaged, without `damages`.
        InputError: If snapshots expire faster than they can be read.
    """
    tries, damaged = _ATTEMPTS, set[int]()
    while tries:
        present: list[int] = []
        try:
            # Listed first: a list prepared after this moment must not count as an orphan.
            lists = [entry.base for entry in source.entries("manifest") if entry.base.startswith("manifest-list-")]
            present = [version for version in _versions_since(source, since) if version not in damaged]
            earlier = _earlier(source, since)
            return _read(source, present, lists, earlier, damages, damaged) if present else None
        except Damaged as error:
            if isinstance(error, Missing) and not set(present) <= set(_versions_since(source, since)):
                tries -= 1  # a snapshot has expired meanwhile
                continue
            if damages is None:
                raise
            damaged |= _left_out(source, error, present, damages)
    raise InputError(f"{brief(source.url)} cannot be read: its snapshots expire faster than they can be read")


def _left_out(source: Source, error: Damaged, present: list[int], damages: Damages) -> set[int]:
    """Note the damaged files of an error; returns the versions that need them."""
    versions_met: set[int] = set()
    names = {version: list(_names(source, version)) for version in present}
    several = {failure.name: failure for failure in (error, *error.others)}  # two versions may have met one file
    for failure in several.values():
        if failure.name in damages:
            raise failure  # it was left out, and is read nevertheless
        mine = [version for version in present if failure.name in names[version]]
        failure.others = ()
        damages.note(failure, mine)
        versions_met.update(mine)
    return versions_met


def _names(source: Source, version: int) -> Iterator[str]:
    """The files of metadata that a snapshot needs, as far as these can be read."""
    name = f"snapshot/snapshot-{version}"
    yield name
    with suppress(Damaged):
        lists = lists_of(source, name)
        yield from (f"manifest/{manifest}" for manifest in lists)
        for manifest_list in lists[:2]:
            with suppress(Damaged):
                yield from (f"manifest/{manifest}" for manifest in manifests_in(source, manifest_list))


def _versions_since(source: Source, since: int | None) -> list[int]:
    present = versions(source, "snapshot", "snapshot-")
    if present:
        before_since(since, present[0], present[-1], source.url)
    return [version for version in present if since is None or version >= since]


def _earlier(source: Source, since: int | None) -> list[int]:
    return [version for version in versions(source, "snapshot", "snapshot-") if since is not None and version < since]


def _read(
    source: Source,
    present: list[int],
    lists: list[str],
    earlier: list[int],
    damages: Damages | None,
    damaged: set[int],
) -> PaimonTable:
    schema = read_schema(source, damages, present)
    layout = Layout(source, schema)
    snapshots = decoded(source, decode_snapshot, [Item(version) for version in present], SNAPSHOTS)
    links = _links(snapshots)
    base = Item(present[0], (snapshots["lists"][0].as_py()[0],))
    entries = [
        decoded(source, decode_link, [base], ENTRIES),
        decoded(source, decode_link, links, ENTRIES),
        decoded(source, decode_manifest, _deltas(snapshots), ENTRIES),
    ]
    after_gap = {after for before, after in pairwise(present) if after > before + 1}
    files, strange = _lifetimes(pa.concat_tables(entries), snapshots, present[0])
    own = [f"snapshot/snapshot-{version}" for version in (*earlier, *sorted(damaged))]
    also = [name for name in (*own, *others(source)) if damages is None or name not in damages]
    besides = decoded(source, decode_other, [Item(0, (name,)) for name in also], OTHERS)
    named = {name for table in (snapshots, besides) for names in table["lists"].to_pylist() for name in names}
    return PaimonTable(
        source,
        schema,
        layout,
        snapshots,
        with_folders(files, layout).cast(PAIMON_FILES),
        with_folders(_vectors(source, snapshots), layout).cast(VECTORS),
        entries[1].filter(~np.isin(entries[1]["version"].to_numpy(), list(after_gap))),
        sorted({v for after in after_gap for v in range(present[present.index(after) - 1] + 1, after)} - damaged),
        frozenset(damaged),
        strange,
        sorted(set(lists) - named),
        min([*earlier, *present]),
        besides,
        _changes(entries[2]),
    )


def _changes(entries: pa.Table) -> dict[int, Change]:
    """The net changes of the deltas."""
    sign = pc.if_else(pc.equal(entries["kind"], ADD), 1, -1)
    table = pa.table(
        {
            "version": entries["version"],
            "added": pc.equal(entries["kind"], ADD).cast(pa.int64()),
            "one": pc.if_else(pc.equal(entries["kind"], ADD), 0, 1),
            "rows": pc.multiply(sign, entries["rows"]),
        }
    )
    sums = table.group_by("version").aggregate([(name, "sum") for name in ("added", "one", "rows")])
    columns = (sums[name].to_pylist() for name in ("version", "added_sum", "one_sum", "rows_sum"))
    return {version: Change(*counts) for version, *counts in zip(*columns, strict=True)}


def _deltas(snapshots: pa.Table) -> list[Item]:
    pairs = zip(snapshots["version"].to_pylist(), snapshots["manifests"].to_pylist(), strict=True)
    return [Item(version, tuple(manifests)) for version, manifests in pairs]


def _links(snapshots: pa.Table) -> list[Item]:
    """The versions whose bases differ, by manifest names, from their predecessors' bases and deltas."""
    bases, deltas = snapshots["base"].to_pylist(), snapshots["delta"].to_pylist()
    numbers, lists = snapshots["version"].to_pylist(), snapshots["lists"]
    return [
        Item(numbers[i], (lists[i].as_py()[0], *lists[i - 1].as_py()[:2]))
        for i in range(1, len(numbers))
        if bases[i] != together(bases[i - 1], deltas[i - 1])
    ]


# Files ---------------------------------------------------------------------------------------------------------------


def _lifetimes(entries: pa.Table, snapshots: pa.Table, first: int) -> tuple[pa.Table, list[tuple[int, str]]]:
    """The versions in which each file lives, from the entries that add and remove it.

    A file that moves to another level has one life in each.
    """
    version, is_delta = entries["version"].to_numpy(), entries["is_delta"].to_numpy(zero_copy_only=False)
    code = row_codes(entries, ("name", "level", "bucket", "partition"))
    order = np.lexsort((np.arange(len(entries)), is_delta, version, code))
    adds = entries["kind"].to_numpy()[order] == ADD
    same_as_next = np.append(code[order][1:] == code[order][:-1], False)
    same_as_before = np.insert(same_as_next[:-1], 0, False)
    removed_next = same_as_next & np.append(~adds[1:], False)
    added_before = same_as_before & np.insert(adds[:-1], 0, False)
    wrong = order[(adds & same_as_next & ~removed_next) | (~adds & ~added_before)]
    last = np.where(removed_next, np.append(version[order][1:], 0), -1)[adds]
    kept = order[adds]
    lives = (last < 0) | (last > version[kept])
    kept, last = kept[lives], last[lives]
    taken = entries.take(pa.array(kept))
    appends = snapshots["version"].filter(pc.equal(snapshots["kind"], "APPEND")).to_numpy()
    # Files that only a base has were committed too, by a writer that no snapshot names.
    is_new = np.isin(version[kept], appends) & (taken["level"].to_numpy() == 0) & (version[kept] > first)
    is_new |= np.isin(version[kept], appends) & (version[kept] == first) & is_delta[kept]
    table = pa.table(
        {
            "partition": taken["partition"],
            "bucket": taken["bucket"],
            "name": taken["name"],
            "level": taken["level"],
            "rows": taken["rows"],
            "first": taken["version"],
            "last": pa.array(last, mask=last < 0),
            "min_sequence": taken["min_sequence"],
            "max_sequence": taken["max_sequence"],
            "min_key": taken["min_key"],
            "max_key": taken["max_key"],
            "appended": pa.array(version[kept], mask=~is_new),
            "is_outside": taken["is_outside"],
            "size": taken["size"],
            "schema": taken["schema"],
            "first_row": taken["first_row"],
        }
    )
    strange = entries.take(pa.array(np.sort(wrong[:100])))
    return table, list(zip(strange["version"].to_pylist(), strange["name"].to_pylist(), strict=True))


def with_folders(files: pa.Table, layout: Layout) -> pa.Table:
    """Files, or vectors, with the names of their partition and bucket folders, and for vectors those of their files."""
    places = list(zip(*(files[name].to_pylist() for name in ("partition", "bucket")), strict=True))
    folders = {place: layout.bucket(layout.partition(place[0]), place[1]) for place in set(places)}
    partitions = pa.array([layout.partition(row) for row, _ in places], pa.string())
    files = files.set_column(files.column_names.index("partition"), "partition", partitions)
    buckets = pa.array([folders[place] for place in places], pa.string())
    files = files.set_column(files.column_names.index("bucket"), "bucket", buckets)
    if "index_file" not in files.column_names:
        return files
    names = zip(places, files["index_file"].to_pylist(), strict=True)
    paths = pa.array([layout.index(folders[place], name) for place, name in names], pa.string())
    return files.set_column(files.column_names.index("index_file"), "index_file", paths)


# Deletion vectors ----------------------------------------------------------------------------------------------------


def _vectors(source: Source, snapshots: pa.Table) -> pa.Table:
    """The versions in which deletion vectors live.

    An index manifest lists all vectors of its snapshot; snapshots that change none share it.
    """
    numbers, indexes = snapshots["version"].to_pylist(), snapshots["index"].to_pylist()
    runs = [(numbers[i], now) for i, now in enumerate(indexes) if i == 0 or now != indexes[i - 1]]
    distinct = sorted({index for _, index in runs if index is not None})
    ranges = decoded(source, decode_index, [Item(0, (index,)) for index in distinct], RANGES)
    holds: dict[str | None, set[tuple[object, ...]]] = {None: set()}
    for row in zip(*(ranges[name].to_pylist() for name in RANGES.names), strict=True):
        holds.setdefault(row[0], set()).add(row[1:])
    since: dict[tuple[object, ...], int] = {}
    rows, before = [], holds[None]
    for version, index in runs:
        now = holds.get(index, set())
        rows += [_vector(gone, since.pop(gone), version) for gone in before - now]
        since.update(dict.fromkeys(now - before, version))
        before = now
    rows += [_vector(entry, first, None) for entry, first in since.items()]
    rows.sort(key=lambda row: (row["first"], str(row["file"])))
    return table_of(rows, _BARE_VECTORS)


def _vector(row: tuple[object, ...], first: int, last: int | None) -> dict[str, object]:
    return {**dict(zip(RANGES.names[1:], row, strict=True)), "first": first, "last": last}
