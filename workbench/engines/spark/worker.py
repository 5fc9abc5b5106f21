"""What runs in Spark's Python workers: expanding states, and admitting the new ones of a bucket.

A worker process keeps its trees, its numbering of values, and the visited sets of the buckets that it has worked on
from task to task. All of that can be made again from the run directory, so any worker can do any task.
"""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.engines.arrays import Growing
from workbench.engines.costs import costs_of
from workbench.engines.expander import Expander
from workbench.engines.spark.admission import Admission
from workbench.engines.spark.expansion import Expansion
from workbench.engines.spark.manifest import LevelFile
from workbench.engines.spark.messages import Admitted, Candidates, Memory, NextLevel, StepCounts, Task, Work
from workbench.engines.spark.numbering import BucketSet, Numbering
from workbench.engines.spark.outbox import messages_of
from workbench.engines.spark.rundir import RunDirectory, open_folder
from workbench.engines.spark.shipping import pack, receive, unpack
from workbench.engines.spark.states import States
from workbench.engines.steps import WatchedSteps
from workbench.engines.watch import Labels, evaluate
from workbench.kernel.memory import peak_bytes
from workbench.storage.sums import FileSum

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
    pause : callable
        Called now and then while states are expanded; may raise to stop.
    """

    def __init__(self, directory: RunDirectory, task: Task) -> None:
        self.directory, self.task, self.model = directory, task, task.model
        self.values: Sequence[str | None] = []
        self.pause: Callable[[], None] = lambda: None
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
        self._expansion = Expansion(self.cells, task.buckets)
        self._steps = Growing(np.int32, 2)  # those of the trees, as instance and ordinal

    def catch_up(self, level: int) -> None:
        """Learn the values that were numbered up to the end of `level`."""
        for missing in range(self.numbering.levels, level + 1):
            self.numbering.learn(self.directory.values(self.values[missing]))

    @property
    def visited(self) -> int:
        """How many visited states this process knows."""
        return sum(known.count for known in self._buckets.values())

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
        part = self._expansion
        part.begin_task()
        for file, row_group in work:
            states = self.directory.states(file.path, ["fingerprints", "rows"], row_group)
            rows, taken = self.rows_of(file, states), 0
            while taken < len(rows):
                taken += part.put(states.fingerprints[taken:], rows[taken:])
                if part.filled == part.room:
                    yield from self._expand(part, level, decided)
        if part.filled:
            yield from self._expand(part, level, decided)
        enabled, generated, _ = (now - then for now, then in zip(self.expander.counts, before, strict=True))
        outside = self.expander.outside.total - outside
        decided = {name: place for name, place in decided.items() if name not in known}
        yield 0, StepCounts(enabled, generated, self.trees.assigns.copy(), decided, self.memory, outside)

    def rows_of(self, file: LevelFile, states: States) -> np.ndarray:
        """The rows of states of a file, in local numbers."""
        return self.numbering.to_local(states.rows, file.values_level, self.directory.extras(file.path))

    def _expand(self, part: Expansion, level: int, decided: dict[str, list[int]]) -> Iterator[tuple[int, Candidates]]:
        """Messages with the successors of a part, which is then empty."""
        self.expander.begin(part)

        def pause(_: int) -> None:
            self._judge_outside(part, decided)
            self.pause()

        self.expander.expand(part, 0, part.filled, pause=pause, beat=lambda _: self.pause())
        self._judge_steps(part, decided)
        if len(self.trees.steps) > self._steps.size:
            self._steps.extend(self.trees.steps[self._steps.size :])
        shared = self.numbering.shared(level)
        for piece in part.successors:
            for bucket, candidates, extras in messages_of(
                piece, self.task.buckets, part.fingerprints, self._steps.array, shared
            ):
                values = [[self.cells.values[cell][number] for number in of] for cell, of in enumerate(extras)]
                yield bucket, candidates._replace(extras=self.directory.for_message(values))
        part.begin_part()

    def _judge_outside(self, part: Expansion, decided: dict[str, list[int]]) -> None:
        """Add to `decided` what the successors decide that the constraints keep out, and be done with them."""
        outside = self.expander.outside
        rows = outside.block.rows[: len(outside)]
        for name, wanted, predicate in self.watched if len(outside) else ():
            hits = np.flatnonzero(evaluate(self.trees, predicate, rows) == wanted)
            if len(hits):
                parents = part.fingerprints[outside.block.parent[hits]].tolist()
                steps = [self.trees.steps[step] for step in outside.block.step[hits]]
                place = min([*parent, *step] for parent, step in zip(parents, steps, strict=True))
                decided[name] = min(place, decided.get(name, place))
        outside.forget()

    def _judge_steps(self, part: Expansion, decided: dict[str, list[int]]) -> None:
        """Note which properties are `decided` by the steps from the states of a part, and where."""
        if self.steps is None:
            return
        self.steps.judge(part, 0, part.filled)
        for name, (state, step) in self.steps.decided.items():
            if name not in decided:
                words = part.fingerprints[state].tolist()
                decided[name] = [*words, *(() if step is None else self.trees.steps[step])]

    # Admitting ---------------------------------------------------------------------------------------------------

    def bucket_set(self, bucket: int, files: Sequence[str]) -> BucketSet:
        """The visited set of a bucket, which is in `files`: what this process has of it, completed from these."""
        known = self._buckets.pop(bucket, None)
        if known is None or known.files != files[: len(known.files)]:
            known = BucketSet(self.cells.words)
        for path in files[len(known.files) :]:
            known.make_room(self.directory.rows(path))
            for part in self.directory.each_part(path, ["fingerprints"]):
                known.add(part.fingerprints)
            known.files.append(path)
        return known

    def forget_visited(self) -> None:
        """Drop the visited sets; whoever needs one again reads it again."""
        self._buckets.clear()

    def admit(self, bucket: int, messages: Iterator[Candidates | StepCounts], level: NextLevel) -> Admitted:
        """Write the candidates that are new to the level's file of the bucket, and judge them."""
        self.catch_up(level.number - 1)
        visited = self.bucket_set(bucket, level.visited.get(bucket, []))
        admission = Admission(self.directory, self.trees, self.numbering, self.watched, bucket, visited, level)
        files = admission.write(messages)
        names = [file.path for file in files]
        visited.files += names  # if the level is made again, its files have other names, and this is discarded
        self._buckets[bucket] = visited
        return Admitted(
            bucket,
            files,
            self.directory.sums(names),
            admission.new,
            admission.steps,
            admission.decided,
            self.directory.for_message(admission.own.values),
            admission.received,
            self.memory,
        )


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
        arriving = (
            sent for batch in batches for sent in zip(batch.column(0).to_pylist(), batch.column(1), strict=True)
        )
        others: dict[int, list[Any]] = {}  # Spark gives a task one bucket, as far as it is asked

        def of_one(bucket: int, first: Any) -> Iterator[Candidates | StepCounts]:
            yield unpack(first.as_buffer())
            for other, payload in arriving:
                if other == bucket:
                    yield unpack(payload.as_buffer())
                else:
                    others.setdefault(other, []).append(payload)

        for bucket, first in arriving:
            yield batch_of(bucket, worker_for(shipped).admit(bucket, of_one(bucket, first), level))
        for bucket, payloads in others.items():
            unpacked = (unpack(payload.as_buffer()) for payload in payloads)
            yield batch_of(bucket, worker_for(shipped).admit(bucket, unpacked, level))

    return task


def batch_of(bucket: int, message: Any) -> pa.RecordBatch:
    """A message for a bucket, as Spark carries it."""
    return pa.RecordBatch.from_pydict(
        {"bucket": pa.array([bucket], pa.int32()), "payload": pa.array([pack(message)], pa.binary())}
    )
