"""Keys that are in two file groups of a Hudi table at once, found within bounded memory.

Keys are compared by hash first; those whose hashes occur in two groups of a partition are then compared one by one. A
slice whose commit inserted nothing has only its predecessor's keys, so only inserting and live slices are read, and
none of a partition with a single file group.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.columns import column_names, read_columns
from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.protocols.hudi.audit.read import HudiTable

KEY, TIME = "_hoodie_record_key", "_hoodie_commit_time"

#: The most hashes in memory at a time, and the most keys that are compared one by one.
MOST_HASHES = 2**23
MOST_KEYS = 10_000
#: How many columns of a row are shown.
_SHOWN_COLUMNS = 8

Slice = dict[str, Any]


class Origin(NamedTuple):
    """The commit that brought a key into a file group; both None if it precedes the first slice."""

    version: int | None
    operation: str | None


class Copy(NamedTuple):
    """A key's row in a slice."""

    slice: Slice
    time: str
    origin: Origin


class Duplicate(NamedTuple):
    """A key in two file groups at the same time, from `version` up to `until`."""

    key: str
    version: int
    until: int | None
    copies: tuple[Copy, Copy]


@dataclass
class Duplicates:
    """Listed duplicates, the number of further suspects, and how many slices vanished before they could be read."""

    damages: Damages
    listed: list[Duplicate] = field(default_factory=list)
    left_out: int = 0
    vanished: int = 0


def duplicates(table: HudiTable, since: int | None, damages: Damages) -> Duplicates:
    """The keys in two file groups of a partition, in some version from `since` on."""
    result = Duplicates(damages)
    for groups in _partitions(table, since):
        if len(groups) == 1:
            continue
        suspects = _hashes_in_two_groups(table, groups, result)
        chosen = dict(list(suspects.items())[: max(0, MOST_KEYS - len(result.listed))])
        result.left_out += len(suspects) - len(chosen)
        result.listed += _looked_at(table, groups, chosen, since, result)
    return result


def _batches(table: HudiTable, slice: Slice, columns: list[str], result: Duplicates) -> Iterator[pa.RecordBatch]:
    """Columns of a slice, in batches; none if a cleaner has deleted it in the meantime, or if it is damaged."""
    try:
        yield from read_columns(table.source, slice["name"], columns)
    except Missing:
        result.vanished += 1
    except Damaged as error:
        result.damages.note(error, [slice["first"]])


def _partitions(table: HudiTable, since: int | None) -> Iterator[dict[str, list[Slice]]]:
    """The slices whose files exist, by file group, one partition at a time."""
    slices = table.slices.filter(pc.is_in(table.slices["name"], value_set=pa.array(table.present, pa.string())))
    if table.archived.num_rows:
        slices = pa.concat_tables([slices, table.archived])
        slices = slices.sort_by([(name, "ascending") for name in ("partition", "bucket", "first")])
    ends = slices["first"] if since is None else pc.max_element_wise(slices["first"], since)
    slices = slices.filter(pc.fill_null(pc.greater(slices["last"], ends), True))  # some never live
    lengths = pc.value_counts(slices["partition"]).field("counts").to_pylist()  # sorted by partition
    start = 0
    for length in lengths:
        groups: dict[str, list[Slice]] = defaultdict(list)
        for slice in slices.slice(start, length).to_pylist():
            groups[slice["bucket"]].append(slice)
        yield groups
        start += length


def _hashes_in_two_groups(table: HudiTable, groups: dict[str, list[Slice]], result: Duplicates) -> dict[int, set[str]]:
    """The hashes that occur in several file groups, with these groups."""
    read = [slice for slices in groups.values() for slice in _introducing(slices)]
    passes = 1 + sum(slice["rows"] or 0 for slice in read) // MOST_HASHES
    codes = {group: code for code, group in enumerate(groups)}
    names = list(groups)
    suspects: dict[int, set[str]] = {}
    for turn in range(passes):
        hashes, owners = [np.empty(0, np.uint64)], [np.empty(0, np.int32)]
        for slice in read:
            for batch in _batches(table, slice, [*table.key_columns], result):
                part = _hashed(batch.column(0))
                part = part[part % np.uint64(passes) == turn]
                hashes.append(part)
                owners.append(np.full(len(part), codes[slice["bucket"]], np.int32))
        both = np.concatenate(hashes), np.concatenate(owners)
        order = np.lexsort(both[::-1])
        hash_, owner = both[0][order], both[1][order]
        shared = np.flatnonzero((hash_[1:] == hash_[:-1]) & (owner[1:] != owner[:-1]))
        for i in shared:
            suspects.setdefault(int(hash_[i]), set()).update((names[owner[i]], names[owner[i + 1]]))
    return suspects


def _introducing(slices: Sequence[Slice]) -> Iterator[Slice]:
    """The slices that may add keys to their predecessor's, and the live ones."""
    before = None
    for slice in slices:
        if slice["last"] is None or slice["inserts"] != 0 or before is None or before["first"] != slice["built_on"]:
            yield slice
        before = slice


def _hashed(keys: Any) -> np.ndarray[Any, np.dtype[np.uint64]]:
    from pandas.util import hash_array

    present = pc.drop_null(pc.cast(keys, "string"))
    return hash_array(present.to_numpy(zero_copy_only=False), categorize=False).astype(np.uint64)


def _looked_at(
    table: HudiTable,
    groups: dict[str, list[Slice]],
    suspects: dict[int, set[str]],
    since: int | None,
    result: Duplicates,
) -> Iterator[Duplicate]:
    """The keys with suspect hashes that are really in two groups at once."""
    if not suspects:
        return
    hashes = np.fromiter(suspects, np.uint64, len(suspects))
    where: dict[str, dict[str, list[tuple[Slice, str]]]] = defaultdict(lambda: defaultdict(list))
    for group in sorted(set().union(*suspects.values())):
        for slice in groups[group]:
            for key, time in _times(_batches(table, slice, _key_and_time(table), result), hashes):
                where[key][group].append((slice, time))
    for key, rows in where.items():
        duplicate = _first_overlap(key, rows, groups, since)
        if duplicate is not None:
            yield duplicate


def _key_and_time(table: HudiTable) -> list[str]:
    return [*table.key_columns, *([TIME] if table.has_keys else [])]


def _times(batches: Iterator[pa.RecordBatch], hashes: Any) -> Iterator[tuple[str, str]]:
    """The keys with wanted hashes, with the commit times of their rows."""
    for batch in batches:
        batch = batch.filter(pc.is_valid(batch.column(0)))
        chosen = np.isin(_hashed(batch.column(0)), hashes)
        rows = batch.filter(chosen)
        columns = [pc.cast(column, "string").to_pylist() for column in rows.columns]
        yield from zip(columns[0], columns[1] if len(columns) > 1 else [""] * len(rows), strict=True)


def _first_overlap(
    key: str, rows: dict[str, list[tuple[Slice, str]]], groups: dict[str, list[Slice]], since: int | None
) -> Duplicate | None:
    """The key's duplicate with the earliest start."""
    best: Duplicate | None = None
    copies = [(group, slice, time) for group, holding in rows.items() for slice, time in holding]
    for i, (group, slice, time) in enumerate(copies):
        for other_group, other, other_time in copies[i + 1 :]:
            start = max(slice["first"], other["first"], since or 0)
            end = min((last for last in (slice["last"], other["last"]) if last is not None), default=None)
            if group == other_group or (end is not None and end <= start) or (best and best.version <= start):
                continue
            pair = (
                Copy(slice, time, _origin(slice, rows[group], groups[group])),
                Copy(other, other_time, _origin(other, rows[other_group], groups[other_group])),
            )
            best = Duplicate(key, start, _until(rows, group, other_group), pair)
    return best


def _until(rows: dict[str, list[tuple[Slice, str]]], *pair: str) -> int | None:
    """The version in which one of the two groups loses the key; None if both still have it."""
    lasts = [[slice["last"] for slice, _ in rows[group]] for group in pair]
    ends = [None if None in versions else max(versions) for versions in lasts]
    return min((end for end in ends if end is not None), default=None)


def _origin(slice: Slice, having: Iterable[tuple[Slice, str]], slices: Sequence[Slice]) -> Origin:
    """The origin of the key in the file group of `slice`."""
    with_key = {s["first"] for s, _ in having}
    earlier = [s for s in slices if s["first"] <= slice["first"]]
    since = slice
    for s in reversed(earlier):
        if s["first"] not in with_key:
            break
        since = s
    if since is earlier[0] and since["built_on"] is not None:
        return Origin(None, None)
    return Origin(since["first"], since["operation"])


def rows_of(table: HudiTable, keys_by_file: dict[str, set[str]], damages: Damages) -> dict[tuple[str, str], str]:
    """Rows as JSON by (file, key), for the wanted keys of each file that can be read."""
    rows = {}
    (key_column,) = table.key_columns
    for name, keys in keys_by_file.items():
        with damages.around():
            columns = [c for c in column_names(table.source, name) if not c.startswith("_hoodie_") and c != key_column]
            for batch in read_columns(table.source, name, [key_column, *columns[:_SHOWN_COLUMNS]]):
                chosen = batch.filter(
                    pc.is_in(pc.cast(batch.column(0), "string"), value_set=pa.array(sorted(keys), pa.string()))
                )
                for row in chosen.to_pylist():
                    key = str(row.pop(key_column))
                    rows[name, key] = json.dumps(row, default=str, ensure_ascii=False)
    return rows
