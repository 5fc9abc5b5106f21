"""A Paimon bucket's history in terms of the model: the cells that each snapshot shows.

A snapshot shows the bucket's live files, their levels and rows, but neither when they were written nor what is in
preparation. Kinds of rows are left out: upserts write +I only.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from workbench.kernel import InputError
from workbench.kernel.errors import brief, listed, unknown
from workbench.kernel.given import names_in
from workbench.kernel.state import Cell
from workbench.tables.decoding import in_process
from workbench.tables.paimon import detects
from workbench.tables.paimon.look import BucketLook, look_at
from workbench.tables.paimon.read import read
from workbench.tables.paimon.story import MOST_COMMITS, BucketState, tell
from workbench.tables.source import Source

#: The most keys that are followed.
MOST_KEYS = 3
_MOST_SHOWN = 5


class BucketHistory(NamedTuple):
    """What the snapshots show.

    Attributes:
        constants: The constants of model ``paimon`` that follow from the table; upserts count as blind writes.
        versions: For each version, from 1 on, the visible cells of the model's state, with their values.
        legend: The table's names for the model's files.
    """

    constants: dict[str, Any]
    versions: list[dict[Cell, Any]]
    legend: tuple[str, ...]


def bucket_history(path: str, keys: Sequence[str] | None = None, bucket: str | None = None) -> BucketHistory:
    """The history of some keys of a bucket.

    Args:
        path: The table's folder.
        keys: The keys to follow; all of the bucket's by default. Sequence numbers are visible only then, since other
            keys' rows use the numbers in between.
        bucket: Such as ``bucket-0``; required if the table has several.

    Raises:
        InputError: If there is no such table, bucket or key, or the history is incomplete or too long.
    """
    source = Source(path)
    if not detects(source):
        raise InputError(f"{brief(path)} is not a table of paimon")
    table = read(source, in_process)
    if table is None:
        raise InputError(f"{brief(path)} has no snapshot yet")
    if table.first > 1 or len(table.gaps):
        raise InputError(f"the history of {brief(path)} is incomplete: snapshots have expired, or are missing")
    if table.last > MOST_COMMITS:
        raise InputError(f"{brief(path)} has {table.last} snapshots; at most {MOST_COMMITS} can be followed")
    buckets = sorted(set(table.files["bucket"].to_pylist()))
    bucket = bucket or (buckets[0] if len(buckets) == 1 else "")
    if bucket not in buckets:
        raise unknown("bucket", bucket, buckets)
    look = look_at(table, bucket)
    numbers = _numbers(look)
    wanted = sorted(numbers) if keys is None else names_in("keys", keys)
    for key in wanted:
        if key not in numbers:
            raise unknown(f"key in {bucket}", key, numbers)
    if not 1 <= len(wanted) <= MOST_KEYS:
        some = ", ".join(sorted(numbers)[:_MOST_SHOWN])
        raise InputError(f"{bucket} has {len(numbers):,} keys, such as {some}; name 1 to {MOST_KEYS} of them")
    told = tell(look, [numbers[key] for key in wanted], table.last)
    s: Any = told.state
    others = [v for v in range(1, s.latest + 1) if s.snapshots[v] is None]
    if others:
        raise InputError(
            f"snapshots {listed(map(str, others))} leave {listed(wanted)} as they are; name keys that they change too"
        )
    constants = {**told.model.constants, "STREAMING_SINK": True}
    constants |= {"MAX_WRITE_OPS_PER_KEY": constants["MAX_WRITE_OPS"]}
    has_all = len(wanted) == len(numbers)
    return BucketHistory(constants, [_seen(told, v, has_all) for v in range(1, s.latest + 1)], told.legend)


def _numbers(look: BucketLook) -> dict[str, int]:
    """The bucket's keys as texts, with their numbers."""
    rows = look.bucket.rows
    first = {int(key): row for row, key in reversed(list(enumerate(rows.key.tolist())))}
    whole = look.whole(first.values())
    return {str(whole[look.where(row)]["key"]): key for key, row in first.items()}


def _seen(told: BucketState, version: int, has_all: bool) -> dict[Cell, Any]:
    """The cells visible in a version."""
    s: Any = told.state
    model: Any = told.model
    commits = [s.snapshots[v] for v in range(1, version + 1)]
    cells: dict[Cell, Any] = {Cell("latest", None): version}
    cells |= {Cell("snapshots", v): s.snapshots[v] if v <= version else None for v in model.versions}
    cells |= {Cell("bucket_files", (commit, b)): s.bucket_files[commit, b] for commit in commits for b in model.buckets}
    cells |= {Cell("vectors", (commit, b)): s.vectors[commit, b] for commit in commits for b in model.buckets}
    files = {file for commit in commits for b in model.buckets for file in s.bucket_files[commit, b]}
    cells |= {Cell("level", file): s.level[file] for file in files}
    rows = [(file, key) for file, key in model.file_keys if file in files]
    cells |= {Cell("columns", row): s.columns[row] for row in rows}
    if has_all:
        cells |= {Cell("sequence", row): s.sequence[row] for row in rows}
    return cells
