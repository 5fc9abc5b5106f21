"""Choose the buckets of a Paimon table whose rows must be read, and read them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.audits.vectors import PAIMON, UnreadableError, read_vector
from workbench.kernel.meaning.errors import brief
from workbench.protocols.paimon.audit import binary_row
from workbench.protocols.paimon.audit.bucket import Bucket, Life, Marks
from workbench.protocols.paimon.audit.files import Schema
from workbench.protocols.paimon.audit.layout import is_location
from workbench.protocols.paimon.audit.read import PaimonTable
from workbench.protocols.paimon.audit.rows import Whole, read_rows, whole_rows

#: The budget for rows: rows read, and rows times the versions in which they are compared.
MOST_ROWS = 20_000_000
MOST_LOOKS = 1_000_000_000
#: The most pairs of files to compare in order to avoid reading rows.
_MOST_PAIRS = 50_000_000


@dataclass
class BucketLook:
    """A bucket that has been read, whose complete rows can be read on demand."""

    table: PaimonTable
    name: str
    bucket: Bucket

    def where(self, row: int) -> tuple[str, int]:
        """A row's file, and its position there."""
        rows = self.bucket.rows
        return rows.files[rows.file[row]], int(rows.position[row])

    def whole(self, rows: Iterable[int]) -> Whole:
        """Rows with their keys and values."""
        positions: dict[str, list[int]] = {}
        for name, position in sorted({self.where(row) for row in rows}):
            positions.setdefault(name, []).append(position)
        return whole_rows(self.table.source, self.table.schema, self.name, positions)


def look_at(table: PaimonTable, name: str, more: Iterable[str] = ()) -> BucketLook:
    """Read a bucket's rows, and those of `more` files, which no snapshot has.

    Raises:
        UnreadableError: If they are of an unsupported kind.
        InputError: If a file is damaged or missing.
    """
    here = table.files.filter(pc.equal(table.files["bucket"], name)).sort_by([("first", "ascending")])
    if pc.any(here["is_outside"]).as_py():
        raise UnreadableError(f"files of {brief(name)} are outside of the table's folder")
    names = list(dict.fromkeys(here["name"].to_pylist()))
    rows = read_rows(table.source, table.schema, name, [*names, *more])
    number = {file: i for i, file in enumerate(rows.files)}
    columns = (here[column].to_pylist() for column in ("name", "level", "first", "last", "appended"))
    lives = [
        Life(number[file], level, first, last, new) for file, level, first, last, new in zip(*columns, strict=True)
    ]
    vectors = table.vectors.filter(pc.equal(table.vectors["bucket"], name)).to_pylist()
    starts = np.searchsorted(rows.file, np.arange(len(rows.files) + 1))
    marks = []
    for entry in vectors:
        if entry["file"] in number:
            file = number[entry["file"]]
            size = int(starts[file + 1] - starts[file])
            if is_location(entry["index_file"]):
                raise UnreadableError(f"deletion vectors of {brief(name)} are outside of the table's folder")
            struck = read_vector(table.source, entry["index_file"], entry["offset"], entry["length"], size, PAIMON)
            marks.append(Marks(file, entry["first"], entry["last"], starts[file] + struck))
    return BucketLook(table, name, Bucket(rows, lives, marks, baselines(table)))


def baselines(table: PaimonTable) -> list[int]:
    """The versions taken as correct: the first, those after gaps, damage and fast_forward, and overwrites."""
    kinds = zip(table.snapshots["version"].to_pylist(), table.snapshots["kind"].to_pylist(), strict=True)
    on_purpose = [version for version, kind in kinds if kind not in ("APPEND", "COMPACT")]
    after = [version + 1 for version in (*table.gaps, *table.damaged, *table.forwarded)]
    return [table.first, *sorted({*on_purpose, *after} - {table.first})]


# Which buckets -------------------------------------------------------------------------------------------------------


def to_look_at(table: PaimonTable, at_fault: Iterable[str]) -> tuple[list[str], list[str]]:
    """The buckets whose rows must be read, and those among them that exceed the budget.

    Buckets already at fault come first. Without deletion vectors a bucket is right if each appended file has larger
    sequence numbers than all files before it, or other keys. With deletion vectors, two files above level 0 suffice to
    need the rows.
    """
    files = table.files
    urgent = dict.fromkeys(at_fault)
    ordered = list(urgent) + [name for name in _out_of_order(table) if name not in urgent]
    if has_vectors(table):
        above = files.filter(pc.greater(files["level"], 0)).group_by("bucket").aggregate([("name", "count_distinct")])
        several = above.filter(pc.greater(above["name_count_distinct"], 1))["bucket"].to_pylist()
        ordered += [name for name in sorted(several) if name not in set(ordered)]
    if not ordered:
        return [], []
    sums = files.group_by("bucket").aggregate([("rows", "sum"), ("first", "count")]).to_pylist()
    size = {bucket_sum["bucket"]: (bucket_sum["rows_sum"], bucket_sum["first_count"] + 1) for bucket_sum in sums}
    rows = looks = 0
    taken, left = [], []
    for name in ordered:
        count, changes = size.get(name, (0, 0))
        if rows + count > MOST_ROWS or looks + (count + changes) * changes > MOST_LOOKS:
            left.append(name)
        else:
            taken.append(name)
            rows, looks = rows + count, looks + (count + changes) * changes
    return taken, left


def has_vectors(table: PaimonTable) -> bool:
    return len(table.vectors) > 0 or table.schema.options.get("deletion-vectors.enabled", "").lower() == "true"


def _out_of_order(table: PaimonTable) -> Iterator[str]:
    """The buckets in which a file may share keys with an earlier one whose sequence numbers are not all smaller."""
    files = table.files
    # The first version's files count as older than all appended since.
    level_0 = files.filter(pc.or_kleene(pc.is_valid(files["appended"]), pc.equal(files["first"], table.first)))
    version = pc.fill_null(level_0["appended"], table.first - 1).to_numpy()
    low, high = level_0["min_sequence"].to_numpy(), level_0["max_sequence"].to_numpy()
    encoded = level_0["bucket"].combine_chunks().dictionary_encode()
    bucket = encoded.indices.to_numpy()
    order = np.lexsort((low, version, bucket))
    begins = np.append(True, bucket[order][1:] != bucket[order][:-1])[: len(order)]
    starts = np.flatnonzero(begins).tolist()
    for start, end in pairwise([*starts, len(order)]):
        mine = order[start:end]
        before = np.maximum.accumulate(np.append(np.iinfo(np.int64).min, high[mine][:-1]))
        late = (low[mine] <= before) & (version[mine] >= table.first)
        if not late.any():
            continue
        if _share_keys(table.schema, level_0.take(pa.array(mine)), version[mine], late):
            yield encoded.dictionary[int(bucket[mine[0]])].as_py()


def _share_keys(schema: Schema, files: pa.Table, version: np.ndarray, late: np.ndarray) -> bool:
    """Whether a late file and an earlier one may have a key in common, but not all sequence numbers in order."""
    if int(late.sum()) * len(files) > _MOST_PAIRS:
        return True
    types = schema.types_of(schema.key_columns)
    if {"FLOAT", "REAL", "DOUBLE"} & set(map(binary_row.kind_of, types)):
        return True  # NaN has no place among the others
    try:
        ends = [
            [binary_row.decode_row(row or b"", types) for row in files[c].to_pylist()] for c in ("min_key", "max_key")
        ]
        ranks = {key: i for i, key in enumerate(sorted({key for end in ends for key in end}))}
    except (binary_row.UnreadableRowError, TypeError):
        return True
    least, most = (np.array([ranks[key] for key in end]) for end in ends)
    low, high = files["min_sequence"].to_numpy(), files["max_sequence"].to_numpy()
    for at in np.flatnonzero(late):
        earlier = (version <= version[at]) & (high >= low[at]) & (least <= most[at]) & (most >= least[at])
        earlier[at] = False
        if earlier.any():
            return True
    return False
