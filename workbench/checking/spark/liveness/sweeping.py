"""The parts of a search's transition relation, in its run directory: asked on Spark, or read into this process."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from workbench.checking.spark.cluster.dataflow import Outgoing
from workbench.checking.spark.cluster.shipping import pack, unpack
from workbench.checking.spark.files.links import Links
from workbench.checking.spark.files.manifest import PREFIX, TransitionFile
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import ROW_GROUP
from workbench.checking.spark.files.transitions import Part
from workbench.checking.spark.liveness.bits import StateSet
from workbench.checking.spark.liveness.linking import LinkPlan
from workbench.checking.spark.liveness.trimming import SpaceOutline
from workbench.checking.spark.search.spark_run import Running
from workbench.checking.spark.worker.worker import Shipped, worker_for
from workbench.kernel import InputError
from workbench.kernel.meaning.trace import Move
from workbench.storage.folder import DamagedFolder

#: The largest space that is linked and swept in this process, in states.
HERE = 1 << 16


class Shape(NamedTuple):
    """The shape of all parts of a search: see :meth:`.Part.from_arrow`."""

    predicates: int
    labels: int
    total: int

    def read(self, directory: RunDirectory, file: TransitionFile) -> Part:
        """The part that a file holds."""
        try:
            part = Part.from_arrow(directory.table(file.path), file.first, file.states, *self)
        except InputError as error:
            raise DamagedFolder(f"{directory.folder} is damaged: {file.path}: {error}") from None
        if len(part.targets) != file.transitions:
            raise DamagedFolder(f"{directory.folder} is damaged: {file.path} has not the transitions that it had")
        return part


class Arrays(NamedTuple):
    """The transitions between some states, renumbered.

    Attributes:
        indptr, targets, labels, ordinals: As in :class:`Part`.
        leaving: Sources and labels of the transitions to other states.
    """

    indptr: np.ndarray
    targets: np.ndarray
    labels: np.ndarray
    ordinals: np.ndarray
    leaving: tuple[np.ndarray, np.ndarray]


class TransitionParts:
    """The parts of a complete search.

    Args:
        predicates, labels: Their numbers.
    """

    def __init__(self, search: Running, predicates: int, labels: int) -> None:
        self._search, self.files = search, search.manifest.transitions
        self.predicates = predicates
        self._shape = Shape(predicates, labels, sum(search.manifest.sizes))

    @cached_property
    def _small(self) -> list[Part]:
        """All parts of a small space."""
        return [self._shape.read(self._search.directory, file) for file in self.files]

    def _part(self, number: int) -> Part:
        if self._shape.total <= HERE:
            return self._small[number]
        return self._shape.read(self._search.directory, self.files[number])

    def sweep(self, question: Callable[[Part], Any], numbers: Sequence[int]) -> Iterable[Any]:
        """The answers of parts to a question, from Spark's tasks unless the space is small."""
        if self._shape.total <= HERE:
            self._search.watch()
            return [question(part) for part in map(self._part, numbers)]
        files = [self.files[number] for number in numbers]
        tasks = min(len(files), self._search.task.buckets)
        shipped = self._search.shipped(file.path for file in files)
        packed = pack(question)
        asked = len(packed), pa.compress(packed, "lz4", asbytes=True)  # sets are mostly runs of equal bytes
        ask = partial(_ask, shipped, self._shape, *asked)
        return self._search.flow([files[i::tasks] for i in range(tasks)], ask) if files else []

    def gather(self, states: StateSet, space: SpaceOutline) -> Arrays:
        """Read the transitions from some states into this process."""
        numbers, begin = states.members(), 0
        degrees: list[np.ndarray] = []
        columns: list[list[np.ndarray]] = [[], [], [], [], []]
        for number in range(len(self.files)):
            chosen = states[space.span(number)]
            if chosen.any():
                part = self._part(number)
                from_chosen = np.repeat(chosen, np.diff(part.indptr))
                source = begin + np.cumsum(chosen)[(part.sources - np.uint32(part.first))[from_chosen]] - 1
                target, label, ordinal = (column[from_chosen] for column in part[2:5])
                at = np.minimum(np.searchsorted(numbers, target), len(numbers) - 1)
                inside = numbers[at] == target
                begin += int(chosen.sum())
                degrees.append(np.bincount(source[inside], minlength=begin)[begin - int(chosen.sum()) :])
                additions = (at[inside], label[inside], ordinal[inside], source[~inside], label[~inside])
                for column, values in zip(columns, additions, strict=True):
                    column.append(values)
        targets, labels, ordinals, leaving, left_by = (
            np.concatenate([np.empty(0, np.int32), *column]).astype(np.int32) for column in columns
        )
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate([np.empty(0, np.int64), *degrees]))])
        return Arrays(indptr, targets, labels, ordinals, (leaving, left_by))

    def way_to(self, state: int) -> tuple[int, list[Move]]:
        """A shortest behaviour to a state: the initial state, and the moves from there."""
        search = self._search
        trace = Links(search.directory, search.task, search.manifest).trace_to(self._place_of(state))
        return trace.start, list(trace.moves)

    def _place_of(self, state: int) -> list[int]:
        prefix = self._search.manifest.prefix
        if prefix is not None and state < sum(prefix.levels):
            return [PREFIX, state]
        sources = LinkPlan.of(self._search.manifest, self._search.part_states).sources
        first, source = max(
            ((s.first, s) for s in sources if s.first is not None and s.first <= state), key=itemgetter(0)
        )
        group, row = divmod(state - first, ROW_GROUP)
        states = self._search.directory.states(source.file.path, ["fingerprints"], group)
        return [source.level, *states.fingerprints[row].tolist()]


def _ask(shipped: Shipped, shape: Shape, size: int, asked: bytes, files: Sequence[TransitionFile]) -> Outgoing:
    """The answers of the parts in `files` to a question."""
    question = unpack(pa.decompress(asked, size, "lz4"))
    return ((0, question(shape.read(worker_for(shipped).directory, file))) for file in files)
