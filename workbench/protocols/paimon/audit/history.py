"""A Paimon bucket's history in the model's terms: the cells that each snapshot shows.

A snapshot shows the bucket's live files, their levels and rows, but neither when they were written nor what is in
preparation. Kinds of rows are left out: upserts write +I only. Snapshots that leave the followed keys as they are do
not count: no process of the model takes part in them.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import brief, listed, unknown
from workbench.protocols.paimon.audit import detects
from workbench.protocols.paimon.audit.bucket_reader import BucketLook, look_at
from workbench.protocols.paimon.audit.keys import why_left_out
from workbench.protocols.paimon.audit.read import PaimonTable, read
from workbench.protocols.paimon.audit.rows import UnreadableError
from workbench.protocols.paimon.audit.story import MOST_RUNS, BucketState, changes, tell

#: The most keys that are followed together.
MOST_KEYS = 3
_MOST_SHOWN = 5
_KINDS = ("APPEND", "COMPACT")


class OutsideModelError(InputError):
    """A history that the model does not describe, so that nothing follows from what the model refuses."""


class BucketHistory(NamedTuple):
    """The history of a bucket as the snapshots show it.

    Attributes:
        name: The keys and the bucket.
        constants: The constants of model ``paimon`` that follow from the table; upserts count as blind writes.
        snapshots: The snapshots, which are the model's versions from 1 on.
        versions: For each of them the visible cells of the model's state, with their values.
        legend: The table's names for the model's files.
        is_whole: Whether these are all keys of the bucket and all snapshots of the table.
        has_numbers: Whether sequence numbers are among the cells.
        left: The reason why further snapshots are not among these; None if there are no others.
        writers: The writers of the table; more than the model's if these stand for them in turns.
    """

    name: str
    constants: dict[str, Any]
    snapshots: list[int]
    versions: list[dict[Cell, Any]]
    legend: tuple[str, ...]
    is_whole: bool
    has_numbers: bool
    left: str | None
    writers: int


class TableHistory:
    """The history of a Paimon table.

    Args:
        path: The table's folder.

    Raises:
        InputError: If there is no such table.
        OutsideModelError: If its history is incomplete, or of a kind that the model does not describe.
    """

    def __init__(self, path: str) -> None:
        source = Source(path)
        if not detects(source):
            raise InputError(f"{brief(path)} is not a table of paimon")
        table = read(source)
        if table is None:
            raise InputError(f"{brief(path)} has no snapshot yet")
        if table.first > 1 or len(table.gaps):
            raise OutsideModelError("the table's history is incomplete: snapshots have expired, or are missing")
        if reason := why_left_out(table.schema):
            raise OutsideModelError(reason)
        self.table: PaimonTable = table
        self.buckets = sorted(set(table.files["bucket"].to_pylist()))
        self._look = lru_cache(maxsize=1)(self._look_at)

    def bucket(self, name: str | None = None) -> str:
        """The bucket of a name, or the only one."""
        if name is None and len(self.buckets) == 1:
            return str(self.buckets[0])
        if name not in self.buckets:
            raise unknown("bucket", name or "", self.buckets)
        return str(name)

    def _look_at(self, bucket: str) -> tuple[BucketLook, dict[str, int]]:
        """The bucket, and the numbers of its keys by their texts."""
        try:
            look = look_at(self.table, bucket)
        except UnreadableError as error:
            raise OutsideModelError(str(error)) from None
        first = {int(key): row for row, key in reversed(list(enumerate(look.bucket.rows.key.tolist())))}
        whole = look.whole(first.values())
        return look, {str(whole[look.where(row)]["key"]): key for key, row in first.items()}

    def groups(self, bucket: str) -> list[tuple[list[str], int]]:
        """The keys of a bucket to follow together: all, if they are few and each commit writes one of them.

        Else each key is followed by itself, but for those that share all files, kinds of rows, their order, and marks
        with another one: they come with how many these are.
        """
        look, numbers = self._look(bucket)
        if len(numbers) <= MOST_KEYS:
            try:
                self._check(look, list(numbers.values()), changes(look, list(numbers.values()))[:MOST_RUNS], bucket)
            except OutsideModelError:
                pass
            else:
                return [(sorted(numbers), 1)]
        rows, alike = look.bucket.rows, defaultdict[Any, list[str]](list)
        marked = defaultdict[int, list[int]](list)
        for number, mark in enumerate(look.bucket.marks):
            for row in mark.rows.tolist():
                marked[row].append(number)
        order = np.lexsort((rows.file, rows.sequence, rows.key))
        starts = np.searchsorted(rows.key[order], np.arange(len(numbers) + 1)).tolist()
        for key, number in numbers.items():
            mine = order[starts[number] : starts[number + 1]]
            ranks = np.unique(rows.sequence[mine], return_inverse=True)[1]
            alike[
                rows.file[mine].tobytes(),
                rows.kind[mine].tobytes(),
                ranks.tobytes(),
                tuple(tuple(marked.get(row, ())) for row in mine.tolist()),
            ].append(key)
        return [([keys[0]], len(keys)) for keys in alike.values()]

    def of(self, bucket: str, keys: Sequence[str] | None = None) -> BucketHistory:
        """The history of some keys of a bucket, by default of all.

        Sequence numbers are visible only if all rows of the bucket are, since other rows use the numbers in between.
        """
        look, numbers = self._look(bucket)
        chosen = sorted(numbers) if keys is None else names_in("keys", keys)
        for key in chosen:
            if key not in numbers:
                raise unknown(f"key in {bucket}", key, numbers)
        if not 1 <= len(chosen) <= MOST_KEYS:
            such = ", ".join(sorted(numbers)[:_MOST_SHOWN])
            raise InputError(f"{bucket} has {len(numbers):,} keys, such as {such}; name 1 to {MOST_KEYS} of them")
        mine = [numbers[key] for key in chosen]
        every = changes(look, mine)
        some, name = every[:MOST_RUNS], f"{listed(chosen)} of {bucket}"
        self._check(look, mine, some, name)
        recorded = tell(look, mine, some[-1], is_whole=True)
        numbered = set(look.bucket.rows.sequence.tolist())
        has_all, constants = len(chosen) == len(numbers), recorded.model.constants
        has_numbers = has_all and numbered == set(range(len(numbered)))
        return BucketHistory(
            name=name,
            constants={**constants, "STREAMING_SINK": True, "MAX_WRITE_OPS_PER_KEY": constants["MAX_WRITE_OPS"]},
            snapshots=some,
            versions=[_seen(recorded, version, has_numbers) for version in range(1, len(some) + 1)],
            legend=recorded.legend,
            is_whole=has_all and len(every) == self.table.last,
            has_numbers=has_numbers,
            left=f"{len(every)} snapshots change {name}; the first {len(some)} were followed"
            if some != every
            else None,
            writers=len({commit["user"] for commit in map(look.table.commit, some) if commit["kind"] != "COMPACT"}),
        )

    def _check(self, look: BucketLook, keys: Sequence[int], versions: Sequence[int], name: str) -> None:
        """Raise :class:`OutsideModelError` unless each commit writes one row, or compacts into one file."""
        rows, relevant = look.bucket.rows, _files(look, keys)
        files = Counter(life.first for life in look.bucket.lives if life.file in relevant)
        for version in versions:
            kind = look.table.commit(version)["kind"]
            if kind not in _KINDS:
                raise OutsideModelError(f"snapshot {version:,} is of kind {kind}; the model has {' and '.join(_KINDS)}")
            if not files[version]:
                raise OutsideModelError(f"snapshot {version:,} marks or drops rows of {name}, and writes none")
            if files[version] > 1:
                raise OutsideModelError(f"snapshot {version:,} adds {files[version]} files with rows of {name}")
        for life in look.bucket.lives:
            here = set(rows.key[rows.file == life.file].tolist()) & set(keys)
            if life.appended in versions and len(here) > 1:
                raise OutsideModelError(
                    f"snapshot {life.appended:,} writes {len(here)} rows of {name}; the model writes one"
                )


def _files(look: BucketLook, keys: Sequence[int]) -> set[int]:
    """The files with rows of the keys."""
    rows = look.bucket.rows
    return {int(file) for file, key in zip(rows.file.tolist(), rows.key.tolist(), strict=True) if key in keys}


def _seen(bucket_state: BucketState, version: int, has_numbers: bool) -> dict[Cell, Any]:
    """The cells visible in a version."""
    s: Any = bucket_state.state
    model: Any = bucket_state.model.author
    commits = [s.snapshots[v] for v in range(1, version + 1)]
    cells: dict[Cell, Any] = {Cell("latest", None): version}
    cells |= {Cell("snapshots", v): s.snapshots[v] if v <= version else None for v in model.versions}
    cells |= {Cell("bucket_files", (commit, b)): s.bucket_files[commit, b] for commit in commits for b in model.buckets}
    cells |= {Cell("vectors", (commit, b)): s.vectors[commit, b] for commit in commits for b in model.buckets}
    files = {file for commit in commits for b in model.buckets for file in s.bucket_files[commit, b]}
    cells |= {Cell("level", file): s.level[file] for file in files}
    rows = [(file, key) for file, key in model.file_keys if file in files]
    cells |= {Cell("columns", row): s.columns[row] for row in rows}
    if has_numbers:
        cells |= {Cell("sequence", row): s.sequence[row] for row in rows}
    return cells
