"""What runs in Spark's Python workers: expanding states, and admitting the new ones of a bucket.

A worker process keeps its trees, its numbering of values, and the visited sets of the buckets that it has worked on
from task to task. All of that can be made again from the run directory, so any worker can do any task.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.explore import kernels
from workbench.explore.arrays import Growing
from workbench.explore.cells import Cells
from workbench.explore.expander import Expander
from workbench.explore.spark.rundir import LevelFile, Manifest, RunDirectory, Task, extras_of
from workbench.explore.store import Store, Visited
from workbench.explore.watch import evaluate
from workbench.kernel.memory import peak_bytes

#: States per message: large enough that Spark's cost per row does not matter, small enough for its buffers.
CHUNK = 1 << 14

SENT = "bucket int, payload binary"


class Work(NamedTuple):
    """What one task expands: a part of a file of states."""

    file: LevelFile
    row_group: int


class Candidates(NamedTuple):
    """Successors on their way to the bucket that decides whether they are new.

    Attributes
    ----------
    fingerprints, parents : uint64 arrays (states, words)
    instances, ordinals : integer arrays
        The step from the parent.
    rows : PackedRows
        Values by global number; from the number of global values on they are numbered by `extras`.
    extras : list of list
        For each cell the values that have no global number yet.
    """

    fingerprints: np.ndarray
    parents: np.ndarray
    instances: np.ndarray
    ordinals: np.ndarray
    rows: "PackedRows"
    extras: list[list[Any]]

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in (*self[:4], *self.rows))


class PackedRows(NamedTuple):
    """Rows of value numbers for the shuffle, whose bytes decide its speed: most cells vary little within a message.

    Attributes
    ----------
    least : int32 array (cells)
        The least number in each cell; the others hold what is above it.
    narrow, wide : integer arrays (states, some cells)
        Cells that need one byte, and cells that need more. A cell with one value only is in neither.
    narrow_cells, wide_cells : integer arrays
    """

    least: np.ndarray
    narrow: np.ndarray
    wide: np.ndarray
    narrow_cells: np.ndarray
    wide_cells: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray) -> "PackedRows":
        """Pack int32 rows (states, cells), at least one."""
        least = rows.min(axis=0)
        spread = rows.max(axis=0) - least
        narrow = np.flatnonzero((spread > 0) & (spread < 1 << 8))
        wide = np.flatnonzero(spread >= 1 << 8)
        return cls(
            least, (rows[:, narrow] - least[narrow]).astype(np.uint8), shrink(rows[:, wide] - least[wide]), narrow, wide
        )

    def unpack(self) -> np.ndarray:
        rows = np.tile(self.least, (len(self.narrow), 1))
        rows[:, self.narrow_cells] += self.narrow
        rows[:, self.wide_cells] += self.wide.astype(np.int32)
        return rows


class StepCounts(NamedTuple):
    """Per action instance, of one task: states in which it was enabled, and successors."""

    enabled: np.ndarray
    generated: np.ndarray


class Admitted(NamedTuple):
    """What admitting the candidates of a bucket came to.

    Attributes
    ----------
    found : dict of str to list of int
        Properties that a new state decides, with the words of its fingerprint.
    """

    file: LevelFile | None
    new: np.ndarray
    enabled: np.ndarray
    generated: np.ndarray
    found: dict[str, list[int]]
    extras: list[list[Any]]
    received: int
    peak_bytes: int


def shrink(numbers: np.ndarray) -> np.ndarray:
    """Numbers from 0 on in as few bytes as the largest of them needs."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))


def narrow(rows: np.ndarray) -> np.ndarray:
    """Rows of value numbers in two bytes each, if they fit: what level files hold.

    Examples
    --------
    >>> narrow(np.array([[1, 2]])).dtype, narrow(np.array([[1, 70_000]])).dtype
    (dtype('uint16'), dtype('int32'))
    """
    return rows.astype(np.uint16) if rows.size == 0 or rows.max() < 1 << 16 else rows.astype(np.int32)


class Numbering:
    """Translates between this process's numbers of values and the global ones.

    Parameters
    ----------
    cells : Cells
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._local_of = [Growing(np.int32) for _ in cells.values]
        self._global_of: list[dict[int, int]] = [{} for _ in cells.values]
        self._known: list[list[int]] = []  # for each level, how many global values of each cell it could use

    @property
    def levels(self) -> int:
        """How many levels' values have been learnt."""
        return len(self._known)

    def learn(self, values: list[list[Any]]) -> None:
        """Take over the values that got global numbers after one more level."""
        for cell, new in enumerate(values):
            for value in new:
                local = self._cells.number(cell, value)
                self._global_of[cell][local] = self._local_of[cell].append(local)
        self._known.append([column.size for column in self._local_of])

    def known(self, level: int) -> list[int]:
        return self._known[level]

    def to_local(self, rows: np.ndarray, level: int, extras: Sequence[Sequence[Any]]) -> np.ndarray:
        """The rows, written when the values of `level` were the last known ones, in local numbers."""
        parts, base, at = [], np.zeros(len(extras), np.int64), 0
        for cell, known in enumerate(self._known[level]):
            own = [self._cells.number(cell, value) for value in extras[cell]]
            part = np.concatenate([self._local_of[cell].array[:known], np.array(own, np.int32)])
            base[cell], at = at, at + len(part)
            parts.append(part)
        local = rows.astype(np.int32)
        kernels.translate(local, base, np.concatenate(parts))
        return local

    def to_shared(self, rows: np.ndarray, level: int) -> tuple[np.ndarray, list[list[Any]]]:
        """The rows in the global numbers of `level`, and the values that go beyond them."""
        extras: list[list[Any]] = []
        parts, base, at = [], np.zeros(rows.shape[1], np.int64), 0
        for cell, known in enumerate(self._known[level]):
            values, shared = self._cells.values[cell], self._global_of[cell]
            part = np.full(len(values), -1, np.int32)
            for local, number in shared.items():
                if number < known:
                    part[local] = number
            own: list[Any] = []
            if len(values) > known:
                for local in np.flatnonzero(np.bincount(rows[:, cell], minlength=len(values))).tolist():
                    if part[local] < 0:
                        part[local] = known + len(own)
                        own.append(values[local])
            extras.append(own)
            base[cell], at = at, at + len(part)
            parts.append(part)
        shared_rows = rows.copy()
        kernels.translate(shared_rows, base, np.concatenate(parts))
        return shared_rows, extras


class BucketSet:
    """The visited fingerprints of one bucket, as of the end of a level."""

    def __init__(self, words: int) -> None:
        self.visited = Visited(words, numbered=False)
        self.count = 0
        self.files: list[str] = []

    def add(self, fingerprints: np.ndarray) -> np.ndarray:
        """Add fingerprints; which of them were new."""
        new, at = np.zeros(len(fingerprints), np.bool_), 0
        while at < len(fingerprints):
            if self.count >= self.visited.limit:
                self.visited.grow()
            done, found = kernels.admit(fingerprints[at:], self.visited.table, self.count, self.visited.limit)
            new[at : at + done] = found[:done]
            self.count += int(found.sum())
            at += done
        return new


class Worker:
    """One process's part in a distributed search.

    Parameters
    ----------
    path : str
        The run directory.
    task : Task
    """

    def __init__(self, path: str, task: Task) -> None:
        self.directory, self.task = RunDirectory(path), task
        self.model = task.model
        self.expander = Expander(task.model, task.symmetry, task.bits)
        self.cells, self.trees = self.expander.cells, self.expander.trees
        self.numbering = Numbering(self.cells)
        self.watched = [
            (name, instance.property.kind == "reachable", self.trees.add_predicate(instance.holds))
            for name in task.properties
            for instance in task.model.predicates(name)
        ]
        self._buckets: dict[int, BucketSet] = {}

    def catch_up(self, level: int) -> None:
        """Learn the values that were numbered up to the end of `level`."""
        for missing in range(self.numbering.levels, level + 1):
            self.numbering.learn(self.directory.values(missing))

    # Expanding ---------------------------------------------------------------------------------------------------

    def expand(self, work: Sequence[Work], level: int) -> Iterator[tuple[int, Candidates | StepCounts]]:
        """The successors of the states in `work`, once each, by bucket; the counts go to bucket 0."""
        self.catch_up(level)
        before = [counts.copy() for counts in self.expander.counts]
        for file, row_group in work:
            yield from self._expand(file, row_group, level)
        enabled, generated, _ = (now - then for now, then in zip(self.expander.counts, before, strict=True))
        yield 0, StepCounts(enabled, generated)

    def _expand(self, file: LevelFile, row_group: int, level: int) -> Iterator[tuple[int, Candidates]]:
        table = self.directory.read_states(file.path, ["row"], row_group)
        rows = self.numbering.to_local(
            unpack_rows(table["row"], len(self.cells.values)), file.values_level, extras_of(table)
        )
        store = Store(self.cells, keep_rows=True, keep_edges=False)
        store.add_rows(rows)
        self.expander.begin(store)
        count = len(rows)
        self.expander.expand(store, 0, count)
        if store.count == count:
            return
        words = self.cells.words
        fingerprints = kernels.canonical_fingerprints(store.column("sums"), words)
        new = slice(count, store.count)
        steps = np.array(self.trees.steps, np.int32)[store.column("step")[new]]
        parents = fingerprints[store.column("parent")[new]]
        found, rows = fingerprints[new], store.column("rows")[new]
        buckets = kernels.bucket(found, self.task.buckets)
        order = np.argsort(buckets, kind="stable")
        ends = np.searchsorted(buckets[order], np.arange(self.task.buckets + 1))
        for bucket in range(self.task.buckets):
            for at in range(ends[bucket], ends[bucket + 1], CHUNK):
                some = order[at : min(at + CHUNK, ends[bucket + 1])]
                shared, extras = self.numbering.to_shared(rows[some], level)
                instances, ordinals = steps[some].T
                yield (
                    bucket,
                    Candidates(
                        found[some],
                        parents[some],
                        shrink(instances),
                        shrink(ordinals),
                        PackedRows.of(shared),
                        extras,
                    ),
                )

    # Admitting ---------------------------------------------------------------------------------------------------

    def bucket_set(self, bucket: int, manifest: Manifest, extra_files: Sequence[str]) -> BucketSet:
        """The visited set of a bucket after the levels of the manifest: what this process has, completed from files."""
        files = [*extra_files, *(f.path for level in manifest.levels for f in level.files if f.bucket == bucket)]
        known = self._buckets.pop(bucket, None)
        if known is None or known.files != files[: len(known.files)]:
            known = BucketSet(self.cells.words)
        for path in files[len(known.files) :]:
            known.add(unpack_fingerprints(self.directory.read_states(path, ["fingerprint"])["fingerprint"]))
            known.files.append(path)
        return known

    def admit(
        self, bucket: int, messages: Iterator[Candidates | StepCounts], manifest: Manifest, prefix_files: Sequence[str]
    ) -> Admitted:
        """Write the candidates that are new to the level's file of the bucket, and judge them."""
        level = len(manifest.levels)  # the number of the level that is being made
        self.catch_up(level - 1)
        visited = self.bucket_set(bucket, manifest, prefix_files)
        parts: list[tuple[np.ndarray, ...]] = []
        instances = len(self.model.instances)
        enabled, generated = np.zeros(instances, np.int64), np.zeros(instances, np.int64)
        received = 0
        for message in messages:
            if isinstance(message, StepCounts):
                enabled += message.enabled
                generated += message.generated
                continue
            new = visited.add(message.fingerprints)
            received += message.nbytes
            rows = self.numbering.to_local(message.rows.unpack()[new], level - 1, message.extras)
            parts.append((rows, *(part[new] for part in message[:4])))
        if not any(len(part[0]) for part in parts):
            self._buckets[bucket] = visited
            peak = peak_bytes()
            return Admitted(None, np.zeros(instances, np.int64), enabled, generated, {}, [], received, peak)
        rows, fingerprints, parents, steps, ordinals = (np.concatenate(column) for column in zip(*parts, strict=True))
        file, extras = self.write(level, bucket, rows, fingerprints, parents, steps, ordinals)
        visited.files.append(file.path)  # if the level is made again, its files have other names, and this is discarded
        self._buckets[bucket] = visited
        found = self._judge(rows, fingerprints, manifest)
        new_per_instance = np.bincount(steps, minlength=instances)
        return Admitted(file, new_per_instance, enabled, generated, found, extras, received, peak_bytes())

    def _judge(self, rows: np.ndarray, fingerprints: np.ndarray, manifest: Manifest) -> dict[str, list[int]]:
        """The properties that some new state decides, with the smallest fingerprint of such a state."""
        found: dict[str, list[int]] = {}
        for name, wanted, predicate in self.watched:
            if name in manifest.found or name in manifest.prefix_found:
                continue
            hits = fingerprints[evaluate(self.trees, predicate, rows) == wanted]
            if len(hits):
                smallest = min(hits.tolist())
                found[name] = min(smallest, found.get(name, smallest))
        return found

    def write(
        self,
        level: int,
        bucket: int,
        rows: np.ndarray,
        fingerprints: np.ndarray,
        parents: np.ndarray,
        instances: np.ndarray,
        ordinals: np.ndarray,
    ) -> tuple[LevelFile, list[list[Any]]]:
        """Write states, given in local numbers, as the file of `bucket`; also returns the values without a number."""
        shared, extras = self.numbering.to_shared(rows, max(0, level - 1))
        columns = {
            "fingerprint": pack(fingerprints),
            "parent": pack(parents),
            "instance": pa.array(instances.astype(np.int32)),
            "ordinal": pa.array(ordinals.astype(np.int32)),
            "row": pack(narrow(shared)),
        }
        path = self.directory.write_states(level, bucket, columns, extras)
        return LevelFile(bucket, path, len(rows), max(0, level - 1)), extras


def pack(array: np.ndarray) -> pa.Array:
    """The rows of a two-dimensional array as binary values of a fixed size."""
    array = np.ascontiguousarray(array)
    width = array.shape[1] * array.itemsize
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(array), [None, pa.py_buffer(array)])


def _unpack(column: pa.ChunkedArray, dtype: Any) -> np.ndarray:
    width = column.type.byte_width
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype, len(chunk) * width // dtype().itemsize, chunk.offset * width)
        for chunk in column.chunks
    ]
    flat = np.concatenate(parts) if parts else np.empty(0, dtype)
    return flat.reshape(len(column), width // dtype().itemsize)


def unpack_fingerprints(column: pa.ChunkedArray) -> np.ndarray:
    """A column of fingerprints as uint64 (states, words)."""
    return _unpack(column, np.uint64)


def unpack_rows(column: pa.ChunkedArray, cells: int) -> np.ndarray:
    """A column of rows as integers (states, cells)."""
    return _unpack(column, np.uint16 if column.type.byte_width == 2 * cells else np.int32)


# Entry points of tasks -----------------------------------------------------------------------------------------------

_workers: dict[str, Worker] = {}


def worker_for(path: str, identity: str) -> Worker:
    """The process's worker for the search in the run directory `path`; one search at a time is remembered."""
    if identity not in _workers:
        _workers.clear()
        _workers[identity] = Worker(path, RunDirectory(path).task())
    return _workers[identity]


def expand_task(
    path: str, identity: str, work: Sequence[Sequence[Work]], level: int
) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that expands the parts of ``work[i]`` for each number i that it is given."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for bucket, message in worker_for(path, identity).expand(work[number], level):
                    payload = pickle.dumps(message, protocol=5)
                    yield pa.RecordBatch.from_pydict(
                        {"bucket": pa.array([bucket], pa.int32()), "payload": pa.array([payload], pa.binary())}
                    )

    return task


def admit_task(
    path: str, identity: str, prefix_files: dict[int, list[str]]
) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that admits the messages of a partition, which holds whole buckets, and reports on each bucket."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        messages: dict[int, list[Any]] = {}
        for batch in batches:
            for bucket, payload in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                messages.setdefault(bucket, []).append(payload)
        if not messages:
            return
        worker, manifest = worker_for(path, identity), RunDirectory(path).manifest()
        for bucket, payloads in messages.items():
            unpickled = (pickle.loads(payload.as_buffer()) for payload in payloads)
            outcome = worker.admit(bucket, unpickled, manifest, prefix_files.get(bucket, []))
            yield pa.RecordBatch.from_pydict(
                {"bucket": pa.array([bucket], pa.int32()), "payload": pa.array([pickle.dumps(outcome)], pa.binary())}
            )

    return task
