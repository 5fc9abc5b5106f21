"""Spark's Python workers: they expand states, and admit the new states of a bucket.

A worker process keeps its trees, its numbering of values, and its buckets' visited sets from task to task. All of it
can be rebuilt from the run directory, so any worker can do any task.
"""

import gc
import itertools
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.checking.kernels.arrays import Growing
from workbench.checking.kernels.compiling_beside import load_or_wait
from workbench.checking.local.expander import Expander
from workbench.checking.local.memory import peak_bytes
from workbench.checking.local.search import load_kernels
from workbench.checking.shipping import receive
from workbench.checking.spark.files.manifest import RUN, LevelFile
from workbench.checking.spark.files.messages import (
    Admitted,
    Memory,
    Message,
    NextLevel,
    Reports,
    Task,
)
from workbench.checking.spark.files.numbering import BucketSet, Numbering
from workbench.checking.spark.files.part_store import PartStore
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import States
from workbench.checking.spark.worker.admission import Admission, New
from workbench.checking.trees.costs import costs_of
from workbench.checking.trees.purity import run_again
from workbench.checking.trees.state_predicates import Enabled, Labels, Watched
from workbench.checking.trees.step_predicates import WatchedSteps
from workbench.kernel.meaning.properties import Liveness
from workbench.storage.folder import Folder
from workbench.storage.sums import FileSum

#: Above this many bytes of visited sets, a process drops the buckets that another process has admitted to since. Spark
#: gives a bucket to any free process, so in time each process would hold most buckets.
_ROOM = 1 << 30


class Shipped(NamedTuple):
    """A search's parcel for a task, carried in Spark's own closures.

    Attributes:
        path: The run directory.
        mark: The folder's mark.
        search: Identifies the search; resuming a run starts another one.
        task: The :class:`Task`, serialized by :func:`ship`.
        sums: The files that the task may read.
        values: For each completed level the file of the values numbered after it.
    """

    path: str
    mark: str
    search: str
    task: bytes
    sums: Mapping[str, FileSum]
    values: Sequence[str | None]


class Worker:
    """One process's part in a distributed search.

    Attributes:
        values: For each completed level the file of the values numbered after it.
        pause: Called now and then; may raise to stop.
    """

    def __init__(self, directory: RunDirectory, task: Task) -> None:
        load_or_wait(load_kernels)
        self.directory, self.task, self.model = directory, task, task.model
        self.values: Sequence[str | None] = []
        self.pause: Callable[[], None] = lambda: None
        self.expander = Expander(task.model, task.symmetry, task.bits, key=task.key)
        self.cells, self.trees = self.expander.cells, self.expander.trees
        self.numbering = Numbering(self.cells)
        declared = task.model.select(task.properties)
        self.watched = Watched(task.model, self.trees, [p for p in declared if p.of_states])
        of_steps = [p for p in declared if p.of_steps]
        self.steps = WatchedSteps(task.model, self.trees, of_steps, in_order=False) if of_steps else None
        self._buckets: dict[int, BucketSet] = {}
        self.part = PartStore(self.cells, task.buckets)
        self._steps = Growing(np.int32, 2)
        self._spared = 0  # misses of the trees at the last gc.freeze()

    def catch_up(self, level: int) -> None:
        """Read the values numbered up to the end of `level`."""
        for missing in range(self.numbering.levels, level + 1):
            self.numbering.add_level(self.directory.values(self.values[missing]))

    @property
    def visited(self) -> int:
        """The number of visited states that this process knows."""
        return sum(bucket.count for bucket in self._buckets.values())

    @property
    def memory(self) -> Memory:
        held = self.trees.nbytes + self.cells.nbytes + self._visited_bytes
        return Memory(f"{platform.node()}/{os.getpid()}", held, peak_bytes(), costs_of(self.trees))

    @property
    def _visited_bytes(self) -> int:
        return sum(bucket.visited.nbytes for bucket in self._buckets.values())

    def spare_the_collector(self) -> None:
        """Exempt the trees from garbage collection, which PySpark runs after each task.

        This keeps garbage alive too, so it is done only a few times, as the trees grow.
        """
        if self.trees.misses > 2 * self._spared:
            gc.freeze()
            self._spared = self.trees.misses

    @cached_property
    def labels(self) -> list[Labels | Enabled]:
        """The labels of states for liveness, evaluated once the search is complete."""
        declared = self.model.select(self.task.properties)
        of_properties = [
            Labels(self.model, self.trees, liveness) for liveness in declared if isinstance(liveness, Liveness)
        ]
        return [*of_properties, Enabled(self.model.fairness, self.trees)]

    @property
    def steps_by_number(self) -> np.ndarray:
        """The steps of the trees, int32 (steps, 2): action instance and ordinal."""
        if len(self.trees.steps) > self._steps.size:
            self._steps.extend(self.trees.steps[self._steps.size :])
        return self._steps.array

    def rows_of(self, file: LevelFile, states: States) -> np.ndarray:
        """The rows of states from a file, in local numbers."""
        return self.numbering.local(file.values_level, self.directory.extras(file.path)).of_rows(states.rows)

    # Admitting ---------------------------------------------------------------------------------------------------

    def bucket_set(self, bucket: int, files: Sequence[str]) -> BucketSet:
        """The visited set of a bucket: this process's part of it, completed from `files`."""
        visited = self._buckets.pop(bucket, None)
        if visited is None or visited.files != files[: len(visited.files)]:
            visited = BucketSet(self.cells.words)
        for path in files[len(visited.files) :]:
            visited.make_room(self.directory.rows(path))
            for part in self.directory.each_part(path, ["fingerprints"]):
                visited.add(part.fingerprints)
            visited.files.append(path)
        return visited

    def keep_bucket(self, bucket: int, visited: BucketSet, level: int) -> None:
        """Keep a bucket's visited set as of `level`; if room runs out, drop the sets not used in the level before."""
        visited.level = level
        self._buckets[bucket] = visited  # in last place: the first is the least recently used
        for other, bucket_set in list(self._buckets.items()):
            if bucket_set.level >= level - 1 or self._visited_bytes <= _ROOM:
                break
            del self._buckets[other]

    def forget_visited(self) -> None:
        """Drop the visited sets; they are read again when needed."""
        self._buckets.clear()

    def admit(self, bucket: int, messages: Iterator[Message], level: NextLevel, new: New = lambda *_: None) -> Reports:
        """Write the new candidates to the bucket's file of the level, and judge them.

        Args:
            new: Called with new states: fingerprints, and rows in local numbers.

        Returns:
            The reports on this level, and on those before it of the same job.
        """
        self.catch_up(level.values_level)
        reports, messages = _reports(messages) if level.number > level.first else (Reports(()), messages)
        files = list(level.visited.get(bucket, []))
        for report in reports.levels:
            self.directory.know(report.sums)
            files += [file.path for file in report.files]
        visited = self.bucket_set(bucket, files)
        admission = Admission(self.directory, self.watched, self.numbering, bucket, visited, level, new)
        written = admission.write(self._pausing(messages))
        run_again(self.trees)
        names = [file.path for file in written]
        visited.files += names  # if the level is retried, its files have other names, and this set is discarded
        self.keep_bucket(bucket, visited, level.number)
        admitted = Admitted(
            level.number,
            bucket,
            written,
            self.directory.sums(names),
            admission.new,
            admission.steps,
            admission.decided,
            self.directory.for_message(admission.own.values),
            admission.received,
            self.memory,
        )
        return Reports((*reports.levels, admitted))

    def _pausing(self, messages: Iterator[Message]) -> Iterator[Message]:
        for message in messages:
            yield message
            self.pause()


def _reports(messages: Iterator[Message]) -> tuple[Reports, Iterator[Message]]:
    """The reports among the messages to a bucket, if it got any messages before; and the other messages."""
    held: list[Message] = []
    for message in messages:
        if isinstance(message, Reports):
            return message, itertools.chain(held, messages)
        held.append(message)
    return Reports(()), iter(held)


_workers: dict[str, Worker] = {}


def worker_for(shipped: Shipped) -> Worker:
    """The process's worker for a search. Only the last search is kept."""
    if shipped.search not in _workers:
        _workers.clear()
        task = receive(shipped.task)
        directory = RunDirectory(Folder.reached(shipped.path, RUN, shipped.mark), task.model, task.bits)
        _workers[shipped.search] = Worker(directory, task)
    worker = _workers[shipped.search]
    worker.spare_the_collector()
    worker.directory.know(shipped.sums)
    worker.values = shipped.values
    return worker
