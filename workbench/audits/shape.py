"""The common shape of files and deletion vectors: Arrow tables.

A *version* is a snapshot's number, or a commit's place in the timeline. Files and deletion vectors live from version
`first` up to, but not including, `last`, which is null while they live.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

#: Data files. `bucket` may also be a file group; `level` is null in formats without levels.
FILES = pa.schema(
    [
        ("partition", pa.string()),
        ("bucket", pa.string()),
        ("name", pa.string()),
        ("level", pa.int32()),
        ("rows", pa.int64()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("min_sequence", pa.int64()),
        ("max_sequence", pa.int64()),
    ]
)

#: Deletion vectors, each for one data file.
VECTORS = pa.schema(
    [
        ("partition", pa.string()),
        ("bucket", pa.string()),
        ("file", pa.string()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("cardinality", pa.int64()),
        ("index_file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int64()),
    ]
)


def table_of(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as an Arrow table of one of the shapes; missing fields are null."""
    return pa.Table.from_pylist(list(rows), schema=schema)


def utc(millis: int | None) -> datetime | None:
    """A time from a table's metadata, in UTC; None if it is missing or has no date."""
    if millis is None:
        return None
    try:
        return datetime.fromtimestamp(millis / 1000, UTC).replace(tzinfo=None)
    except (OverflowError, OSError, ValueError):
        return None


def row_codes(table: pa.Table, columns: Iterable[str]) -> np.ndarray:
    """A number for each row, equal for equal values in `columns`; null counts as a value.

    Raises:
        pyarrow.ArrowNotImplementedError: If a column is of a type that has no dictionary encoding.
    """
    code = np.zeros(len(table), np.int64)
    for name in columns:
        encoded = table[name].combine_chunks().dictionary_encode(null_encoding="encode")
        indices = encoded.indices.to_numpy(zero_copy_only=False)
        _, code = np.unique(code * (int(indices.max(initial=0)) + 1) + indices, return_inverse=True)
    return code


def before_since(since: int | None, first: int | None, last: int | None, url: str) -> list[str]:
    """A remark on the versions from `first` to `last` that an audit from `since` on skips; none if it skips none.

    Raises:
        InputError: If it would skip them all.
    """
    if since is None or first is None or last is None or since <= first:
        return []
    if since > last:
        raise InputError(f"since = {since} is not accepted: {brief(url)} has versions up to {last}")
    return [f"the versions from {first} on that are before {since}, where this audit was told to begin"]


def alive_at(table: pa.Table, version: int) -> pa.Table:
    """The files, or vectors, that live in a version.

    Examples:
        >>> files = table_of([{"name": "a", "first": 1, "last": 3}, {"name": "b", "first": 3}], FILES)
        >>> alive_at(files, 2)["name"].to_pylist(), alive_at(files, 3)["name"].to_pylist()
        (['a'], ['b'])
    """
    here = pc.less_equal(table["first"], version)
    still = pc.or_kleene(pc.is_null(table["last"]), pc.greater(table["last"], version))
    return table.filter(pc.and_kleene(here, still))
