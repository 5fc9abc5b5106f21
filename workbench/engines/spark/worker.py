"""What runs in Spark's Python workers: expanding states, and admitting the new ones of a bucket.

A worker process keeps its trees, its numbering of values, and the visited sets of the buckets that it has worked on
from task to task. All of that can be made again from the run directory, so any worker can do any task.
"""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.costs import costs_of
from workbench.engines.expander import Expander
from workbench.engines.spark.manifest import LevelFile
from workbench.engines.spark.messages import Admitted, Candidates, Memory, PackedRows, StepCounts, Task, Work, shrink
from workbench.engines.spark.numbering import BucketSet, Numbering
from workbench.engines.spark.rundir import RunDirectory, Values, open_folder
from workbench.engines.spark.shipping import pack, receive, unpack
from workbench.engines.spark.states import States, narrow
from workbench.engines.steps import WatchedSteps
from workbench.engines.store import Store
from workbench.engines.watch import Labels, evaluate
from workbench.kernel.memory import peak_bytes
from workbench.storage.folder import FileSum

#: States per message: large enough that Spark's cost per row does not matter, small enough for its buffers.
CHUNK = 1 << 14

SENT = "bucket int, payload binary"


class Worker:
    """One process's part in a distributed search.

    Parameters
    ----------
    directory : RunDirectory
    task : Task

    Attributes
    ----------
    values : sequence of str or None
        For each completed level the file of the values that were numbered after it.
    """

    def __init__(self, directory: RunDirectory, task: Task) -> None:
        self.directory, self.task, self.model = directory, task, task.model
        self.values: Sequence[str | None] = []
        self.expander = Expander(task.model, task.symmetry, task.bits)
        self.cells, self.trees = self.expander.cells, self.expander.trees
        self.numbering = Numbering(self.cells)
        declared = task.model.select(task.properties)
        self.watched = [
            (
                name,
                instance.property.kind == "reachable",
                self.trees.add_predicate(instance.holds, instance.subject, instance.place),
            )
            for name in (p.name for p in declared if p.of_states)
            for instance in task.model.predicates(name)
        ]
        of_steps = [p for p in declared if p.of_steps]
        self.steps = WatchedSteps(task.model, self.trees, of_steps, in_order=False) if of_steps else None
        self._buckets: dict[int, BucketSet] = {}

    def catch_up(self, level: int) -> None:
        """Learn the values that were numbered up to the end of `level`."""
        for missing in range(self.numbering.levels, level + 1):
            self.numbering.learn(self.directory.values(self.values[missing]))

    @property
    def memory(self) -> Memory:
        visited = sum(known.visited.nbytes for known in self._buckets.values())
        held = self.trees.nbytes + self.cells.nbytes + visited
        return Memory(f"{platform.node()}/{os.getpid()}", held, peak_bytes(), costs_of(self.trees))

    @cached_property
    def labels(self) -> list[Labels]:
        """The predicates of the liveness properties, which are evaluated once the search is complete."""
        declared = self.model.select(self.task.properties)
        return [Labels(self.model, self.trees, one) for one in declared if one.kind == "liveness"]

    # Expanding ---------------------------------------------------------------------------------------------------

    def expand(
        self, work: Sequence[Work], level: int, known: frozenset[str]
    ) -> Iterator[tuple[int, Candidates | StepCounts]]:
        """The successors of the states in `work`, once each, by bucket; the counts go to bucket 0.

        The steps are judged by all properties except those that are `known` to be decided.
        """
        self.catch_up(level)
        if self.steps is not None:
            self.steps.begin_anew(known)
        decided: dict[str, list[int]] = {}
        before = [counts.copy() for counts in self.expander.counts]
        outside = self.expander.outside.total
        for file, row_group in work:
            yield from self._expand(file, row_group, level, decided)
        enabled, generated, _ = (now - then for now, then in zip(self.expander.counts, before, strict=True))
        outside = self.expander.outside.total - outside
        decided = {name: place for name, place in decided.items() if name not in known}
        yield 0, StepCounts(enabled, generated, self.trees.assigns.copy(), decided, self.memory, outside)

    def rows_of(self, file: LevelFile, states: States) -> np.ndarray:
        """The rows of states of a file, in local numbers."""
        extras = self.directory.extras(file.path)
        self.numbering.check(states.rows, file.values_level, extras)
        return self.numbering.to_local(states.rows, file.values_level, extras)

    def _expand(
        self, file: LevelFile, row_group: int, level: int, decided: dict[str, list[int]]
    ) -> Iterator[tuple[int, Candidates]]:
        rows = self.rows_of(file, self.directory.states(file.path, ["rows"], row_group))
        store = Store(self.cells, keep_rows=True, keep_edges=False)
        store.add_rows(rows)
        self.expander.begin(store)
        count = len(rows)
        self.expander.expand(store, 0, count, pause=lambda _: self._judge_outside(store, decided))
        self._judge_steps(store, count, decided)
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
                        self.directory.for_message(extras),
                    ),
                )

    def _judge_outside(self, store: Store, decided: dict[str, list[int]]) -> None:
        """Add to `decided` what the successors decide that the constraints keep out, and be done with them."""
        outside = self.expander.outside
        rows = outside.block.rows[: len(outside)]
        for name, wanted, predicate in self.watched if len(outside) else ():
            hits = np.flatnonzero(evaluate(self.trees, predicate, rows) == wanted)
            if len(hits):
                sums = store.column("sums")[outside.block.parent[hits]]
                parents = kernels.canonical_fingerprints(sums, self.cells.words).tolist()
                steps = [self.trees.steps[step] for step in outside.block.step[hits]]
                place = min([*parent, *step] for parent, step in zip(parents, steps, strict=True))
                decided[name] = min(place, decided.get(name, place))
        outside.forget()

    def _judge_steps(self, store: Store, count: int, decided: dict[str, list[int]]) -> None:
        """Note which properties are `decided` by the steps from the first `count` states, and where."""
        if self.steps is None:
            return
        self.steps.judge(store, 0, count)
        for name, (state, step) in self.steps.decided.items():
            if name not in decided:
                block, at = store.block_of(state)
                words = kernels.canonical_fingerprints(block.sums[at : at + 1], self.cells.words)[0].tolist()
                decided[name] = [*words, *(() if step is None else self.trees.steps[step])]

    # Admitting ---------------------------------------------------------------------------------------------------

    def bucket_set(self, bucket: int, files: Sequence[str]) -> BucketSet:
        """The visited set of a bucket, which is in `files`: what this process has of it, completed from these."""
        known = self._buckets.pop(bucket, None)
        if known is None or known.files != files[: len(known.files)]:
            known = BucketSet(self.cells.words)
        for path in files[len(known.files) :]:
            for part in self.directory.each_part(path, ["fingerprints"]):
                known.add(part.fingerprints)
            known.files.append(path)
        return known

    def forget_visited(self) -> None:
        """Drop the visited sets; whoever needs one again reads it again."""
        self._buckets.clear()

    def admit(self, bucket: int, messages: Iterator[Candidates | StepCounts], level: "NextLevel") -> Admitted:
        """Write the candidates that are new to the level's file of the bucket, and judge them."""
        self.catch_up(level.number - 1)
        visited = self.bucket_set(bucket, level.visited.get(bucket, []))
        parts: list[States] = []
        steps: list[StepCounts] = []
        received = 0
        for message in messages:
            if isinstance(message, StepCounts):
                steps.append(message)
                continue
            new = visited.add(message.fingerprints)
            received += message.nbytes
            rows = self.numbering.to_local(
                message.rows.unpack()[new], level.number - 1, self.directory.from_message(message.extras)
            )
            fingerprints, parents, taken, ordinals = (part[new] for part in message[:4])
            parts.append(States(fingerprints, parents, taken, ordinals, rows))
        instances = len(self.model.instances)
        if not any(len(part.rows) for part in parts):
            self._buckets[bucket] = visited
            return Admitted(None, {}, np.zeros(instances, np.int64), steps, {}, [], received, self.memory)
        states = States.join(parts)
        file, extras = self._write(level.number, bucket, states)
        visited.files.append(file.path)  # if the level is made again, its files have other names, and this is discarded
        self._buckets[bucket] = visited
        decided = self._judge(states, level.decided)
        new_per_instance = np.bincount(states.instances, minlength=instances)
        sums = self.directory.sums([file.path])
        told = self.directory.for_message(extras)
        return Admitted(file, sums, new_per_instance, steps, decided, told, received, self.memory)

    def _judge(self, states: States, known: frozenset[str]) -> dict[str, list[int]]:
        """The properties that some new state decides, except those that are `known`."""
        decided: dict[str, list[int]] = {}
        for name, wanted, predicate in self.watched:
            if name in known:
                continue
            hits = states.fingerprints[evaluate(self.trees, predicate, states.rows) == wanted]
            if len(hits):
                smallest = min(hits.tolist())
                decided[name] = min(smallest, decided.get(name, smallest))
        return decided

    def _write(self, level: int, bucket: int, states: States) -> tuple[LevelFile, Values]:
        """Write states, given in local numbers, as the file of `bucket`; also returns the values without a number."""
        values_level = max(0, level - 1)
        shared, extras = self.numbering.to_shared(states.rows, values_level)
        numbered = replace(states, rows=narrow(shared))
        return self.directory.write_level(level, bucket, [numbered], values_level, extras), extras


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
    mark : str
        That of its folder.
    search : str
        Tells this search from others, also of the same run.
    task : bytes
        The :class:`Task`, made by :func:`ship`.
    sums : mapping of str to FileSum
        The files that the task may read.
    values : sequence of str or None
        For each completed level the file of the values that were numbered after it.
    """

    path: str
    mark: str
    search: str
    task: bytes
    sums: Mapping[str, FileSum]
    values: Sequence[str | None]


def worker_for(shipped: Shipped) -> Worker:
    """The process's worker for a search; one search at a time is remembered."""
    if shipped.search not in _workers:
        _workers.clear()
        task = receive(shipped.task)
        directory = RunDirectory(open_folder(shipped.path, shipped.mark), task.model, task.bits)
        _workers[shipped.search] = Worker(directory, task)
    worker = _workers[shipped.search]
    worker.directory.know(shipped.sums)
    worker.values = shipped.values
    return worker


def reach_task(shipped: Shipped) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that fails where a task of this search would."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            worker_for(shipped)
            yield batch

    return task


def expand_task(
    shipped: Shipped, work: Sequence[Sequence[Work]], level: int, known: frozenset[str]
) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that expands the parts of ``work[i]`` for each number i that it is given."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for bucket, message in worker_for(shipped).expand(work[number], level, known):
                    yield batch_of(bucket, message)

    return task


def admit_task(shipped: Shipped, level: NextLevel) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that admits the messages of a partition, which holds whole buckets, and reports on each bucket."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        messages: dict[int, list[Any]] = {}
        for batch in batches:
            for bucket, payload in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                messages.setdefault(bucket, []).append(payload)
        for bucket, payloads in messages.items():
            unpacked = (unpack(payload.as_buffer()) for payload in payloads)
            yield batch_of(bucket, worker_for(shipped).admit(bucket, unpacked, level))

    return task


def batch_of(bucket: int, message: Any) -> pa.RecordBatch:
    """A message for a bucket, as Spark carries it."""
    return pa.RecordBatch.from_pydict(
        {"bucket": pa.array([bucket], pa.int32()), "payload": pa.array([pack(message)], pa.binary())}
    )
