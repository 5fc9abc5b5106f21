"""What runs in Spark's Python workers: expanding states, and admitting the new ones of a bucket.

A worker process keeps its trees, its numbering of values, and the visited sets of the buckets that it has worked on
from task to task. All of that can be made again from the run directory, so any worker can do any task.
"""

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.expander import Expander
from workbench.engines.spark.messages import (
    Admitted,
    Candidates,
    PackedRows,
    StepCounts,
    Work,
    narrow,
    pack,
    shrink,
    unpack_fingerprints,
    unpack_rows,
)
from workbench.engines.spark.numbering import BucketSet, Numbering
from workbench.engines.spark.rundir import LevelFile, Manifest, RunDirectory, Task, extras_of
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
