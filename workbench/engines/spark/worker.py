"""What runs in Spark's Python workers: expanding states, and admitting the new ones of a bucket.

A worker process keeps its trees, its numbering of values, and the visited sets of the buckets that it has worked on
from task to task. All of that can be made again from the run directory, so any worker can do any task.
"""

import os
import pickle
import platform
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.expander import Expander
from workbench.engines.spark.messages import (
    Admitted,
    Candidates,
    Memory,
    PackedRows,
    StepCounts,
    Work,
    narrow,
    shrink,
    state_columns,
    unpack_fingerprints,
    unpack_rows,
)
from workbench.engines.spark.numbering import BucketSet, Numbering
from workbench.engines.spark.rundir import LevelFile, RunDirectory, Task, extras_of
from workbench.engines.spark.shipping import receive
from workbench.engines.store import Store
from workbench.engines.watch import evaluate
from workbench.kernel.memory import peak_bytes

#: States per message: large enough that Spark's cost per row does not matter, small enough for its buffers.
CHUNK = 1 << 14

SENT = "bucket int, payload binary"


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
            for name in (p.name for p in task.model.select(task.properties) if p.kind != "liveness")
            for instance in task.model.predicates(name)
        ]
        self._buckets: dict[int, BucketSet] = {}

    def catch_up(self, level: int) -> None:
        """Learn the values that were numbered up to the end of `level`."""
        for missing in range(self.numbering.levels, level + 1):
            self.numbering.learn(self.directory.values(missing))

    @property
    def memory(self) -> Memory:
        visited = sum(known.visited.nbytes for known in self._buckets.values())
        held = self.trees.nbytes + self.cells.nbytes + visited
        return Memory(f"{platform.node()}/{os.getpid()}", held, peak_bytes())

    # Expanding ---------------------------------------------------------------------------------------------------

    def expand(self, work: Sequence[Work], level: int) -> Iterator[tuple[int, Candidates | StepCounts]]:
        """The successors of the states in `work`, once each, by bucket; the counts go to bucket 0."""
        self.catch_up(level)
        before = [counts.copy() for counts in self.expander.counts]
        for file, row_group in work:
            yield from self._expand(file, row_group, level)
        enabled, generated, _ = (now - then for now, then in zip(self.expander.counts, before, strict=True))
        yield 0, StepCounts(enabled, generated, self.trees.assigns.copy(), self.memory)

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
        successors, rows = fingerprints[new], store.column("rows")[new]
        buckets = kernels.bucket(successors, self.task.buckets)
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
                        successors[some],
                        parents[some],
                        shrink(instances),
                        shrink(ordinals),
                        PackedRows.of(shared),
                        extras,
                    ),
                )

    # Admitting ---------------------------------------------------------------------------------------------------

    def bucket_set(self, bucket: int, files: Sequence[str]) -> BucketSet:
        """The visited set of a bucket, which is in `files`: what this process has of it, completed from these."""
        known = self._buckets.pop(bucket, None)
        if known is None or known.files != files[: len(known.files)]:
            known = BucketSet(self.cells.words)
        for path in files[len(known.files) :]:
            for part in self.directory.row_groups(path, ["fingerprint"]):
                known.add(unpack_fingerprints(part["fingerprint"]))
            known.files.append(path)
        return known

    def admit(self, bucket: int, messages: Iterator[Candidates | StepCounts], level: "NextLevel") -> Admitted:
        """Write the candidates that are new to the level's file of the bucket, and judge them."""
        self.catch_up(level.number - 1)
        visited = self.bucket_set(bucket, level.visited.get(bucket, []))
        parts: list[tuple[np.ndarray, ...]] = []
        steps: list[StepCounts] = []
        received = 0
        for message in messages:
            if isinstance(message, StepCounts):
                steps.append(message)
                continue
            new = visited.add(message.fingerprints)
            received += message.nbytes
            rows = self.numbering.to_local(message.rows.unpack()[new], level.number - 1, message.extras)
            parts.append((rows, *(part[new] for part in message[:4])))
        instances = len(self.model.instances)
        if not any(len(part[0]) for part in parts):
            self._buckets[bucket] = visited
            return Admitted(None, np.zeros(instances, np.int64), steps, {}, [], received, self.memory)
        rows, fingerprints, parents, taken, ordinals = (np.concatenate(column) for column in zip(*parts, strict=True))
        file, extras = self.write(level.number, bucket, rows, fingerprints, parents, taken, ordinals)
        visited.files.append(file.path)  # if the level is made again, its files have other names, and this is discarded
        self._buckets[bucket] = visited
        decided = self._judge(rows, fingerprints, level.decided)
        new_per_instance = np.bincount(taken, minlength=instances)
        return Admitted(file, new_per_instance, steps, decided, extras, received, self.memory)

    def _judge(self, rows: np.ndarray, fingerprints: np.ndarray, known: frozenset[str]) -> dict[str, list[int]]:
        """The properties that some new state decides, except those that are `known`."""
        decided: dict[str, list[int]] = {}
        for name, wanted, predicate in self.watched:
            if name in known:
                continue
            hits = fingerprints[evaluate(self.trees, predicate, rows) == wanted]
            if len(hits):
                smallest = min(hits.tolist())
                decided[name] = min(smallest, decided.get(name, smallest))
        return decided

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
        values_level = max(0, level - 1)
        shared, extras = self.numbering.to_shared(rows, values_level)
        columns = state_columns(fingerprints, parents, instances, ordinals, narrow(shared))
        return self.directory.write_states(level, bucket, [columns], values_level, extras), extras


class NextLevel(NamedTuple):
    """What admitting has to know of the level that is being made.

    Attributes
    ----------
    number : int
    visited : dict of int to list of str
        For each bucket the files of the states that have been visited before.
    decided : frozenset of str
        Properties that need not be judged any more.
    """

    number: int
    visited: dict[int, list[str]]
    decided: frozenset[str]


# Entry points of tasks -----------------------------------------------------------------------------------------------

_workers: dict[str, Worker] = {}


class Shipped(NamedTuple):
    """What a task is sent of its search, as part of Spark's own closures.

    Attributes
    ----------
    path : str
        The run directory.
    identity : str
        That of the search.
    task : bytes
        The :class:`Task`, made by :func:`ship`.
    """

    path: str
    identity: str
    task: bytes


def worker_for(shipped: Shipped) -> Worker:
    """The process's worker for a search; one search at a time is remembered."""
    if shipped.identity not in _workers:
        _workers.clear()
        _workers[shipped.identity] = Worker(shipped.path, receive(shipped.task))
    return _workers[shipped.identity]


def reach_task(shipped: Shipped) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that fails where a task of this search would."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            worker_for(shipped).directory.manifest()
            yield batch

    return task


def expand_task(
    shipped: Shipped, work: Sequence[Sequence[Work]], level: int
) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that expands the parts of ``work[i]`` for each number i that it is given."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for bucket, message in worker_for(shipped).expand(work[number], level):
                    yield _batch(bucket, message)

    return task


def admit_task(shipped: Shipped, level: NextLevel) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that admits the messages of a partition, which holds whole buckets, and reports on each bucket."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        messages: dict[int, list[Any]] = {}
        for batch in batches:
            for bucket, payload in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                messages.setdefault(bucket, []).append(payload)
        for bucket, payloads in messages.items():
            unpickled = (pickle.loads(payload.as_buffer()) for payload in payloads)
            yield _batch(bucket, worker_for(shipped).admit(bucket, unpickled, level))

    return task


def _batch(bucket: int, message: Any) -> pa.RecordBatch:
    payload = pickle.dumps(message, protocol=5)
    return pa.RecordBatch.from_pydict(
        {"bucket": pa.array([bucket], pa.int32()), "payload": pa.array([payload], pa.binary())}
    )
