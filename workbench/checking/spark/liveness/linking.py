"""The transition relation of a complete search, by state number. Its states are expanded a second time.

This is one job with two shuffles. A task expands parts of the level files and sends each transition to the bucket of
its target. That bucket replaces the fingerprint by a state number and sends the transition on to the part of its
source, which is written to a file. So only liveness pays for transitions, and only at the end of a search.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.local.search import LocalSearch
from workbench.checking.local.store import StateStore, Visited
from workbench.checking.spark.cluster.dataflow import Flow, Outgoing, Stage
from workbench.checking.spark.cluster.exchange import Post
from workbench.checking.spark.files.manifest import LevelFile, RunManifest, TransitionFile
from workbench.checking.spark.files.messages import shrink
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import ROW_GROUP
from workbench.checking.spark.files.transitions import OUTSIDE, PART_STATES, Part, Steps
from workbench.checking.spark.liveness import transition_kernels
from workbench.checking.spark.worker.worker import Worker
from workbench.checking.trees.fair_labels import FairLabels
from workbench.checking.trees.purity import run_again
from workbench.kernel import ModelError
from workbench.storage.sums import FileSum

#: Transitions per message.
_CHUNK = 1 << 16


class FileOfStates(NamedTuple):
    """A file of states with their numbers.

    Attributes:
        first: The number of its first state; None if the parents' column holds the states' numbers.
    """

    file: LevelFile
    level: int
    first: int | None


class Truths(NamedTuple):
    """The values of predicates, bool (predicates, states), in the states with some numbers: see :class:`Part`."""

    numbers: np.ndarray
    values: np.ndarray


class LinkPlan(NamedTuple):
    """The numbers of the states of a complete search, and their division into parts.

    Attributes:
        sources: The files of the states to expand.
        before: For each bucket the file of the other states, if any, with their numbers.
        firsts: The first state of each part, and the number of states.
        given: The number of parts whose transitions are already there.
    """

    sources: list[FileOfStates]
    before: list[str]
    firsts: np.ndarray
    given: int

    @classmethod
    def of(cls, done: RunManifest, part_states: int) -> "LinkPlan":
        number = 0 if done.prefix is None else sum(done.prefix.levels)
        sources = []
        for level, entry in enumerate(done.levels):
            for file in entry.files:
                if level == 0 and done.prefix is not None:
                    sources.append(FileOfStates(file, level, None))
                else:
                    sources.append(FileOfStates(file, level, number))
                    number += file.rows
        begin = sum(file.states for file in done.transitions)
        linked = [file.first for file in done.transitions]
        total = sum(done.sizes)
        firsts = np.array([*linked, *range(begin, total, part_states), total], np.int64)
        return cls(sources, [] if done.prefix is None else done.prefix.visited, firsts, len(linked))

    @property
    def parts(self) -> range:
        """The parts to be made."""
        return range(self.given, len(self.firsts) - 1)

    def pieces(self) -> list[tuple[FileOfStates, int]]:
        """The files' row groups."""
        return [(source, g) for source in self.sources for g in range(-(-source.file.rows // ROW_GROUP))]

    def part_of(self, states: np.ndarray) -> np.ndarray:
        return np.searchsorted(self.firsts, states, side="right") - 1


# The stages: pieces, buckets and parts -------------------------------------------------------------------------------


def expand_again(get: Callable[[], Worker], pieces: Sequence[tuple[FileOfStates, int]]) -> Outgoing:
    """The transitions from the states of row groups, by the target's bucket; and the truth of predicates there.

    Transitions to pruned states, and the truths, may go to any bucket.
    """
    for source, row_group in pieces:
        yield from _expand(get(), source, row_group)


def _expand(worker: Worker, source: FileOfStates, row_group: int) -> Iterator[tuple[int, Steps | Truths]]:
    worker.catch_up(source.level)
    columns = ["rows"] if source.first is not None else ["rows", "parents"]
    states = worker.directory.states(source.file.path, columns, row_group)
    rows = worker.rows_of(source.file, states)
    if source.first is None:
        numbers = states.parents[:, 0].astype(np.uint32)
    else:
        numbers = np.arange(len(rows), dtype=np.uint32) + np.uint32(source.first + row_group * ROW_GROUP)
    buckets = worker.task.buckets
    try:
        truths = [values for labels in worker.labels for values in labels.values(rows)]
    except ModelError as error:
        at = np.flatnonzero((rows == np.array(error.met[0])).all(axis=1))[0]
        words = worker.directory.states(source.file.path, ["fingerprints"], row_group).fingerprints[at].tolist()
        error.met = [source.level, *words]
        raise
    yield row_group % buckets, Truths(numbers, np.array(truths, np.bool_).reshape(len(truths), len(rows)))

    store = StateStore(worker.cells, keep_rows=True, keep_edges=True)
    store.add_rows(rows)
    worker.expander.begin(store)

    def pause(_: int) -> None:
        worker.expander.pruned.forget()
        worker.pause()

    worker.expander.expand(store, 0, len(rows), pause=pause, beat=lambda _: worker.pause())
    run_again(worker.trees)
    degree, targets, steps, leaving, leaving_steps = store.transitions()
    fingerprints = loops.canonical_fingerprints(store.column("sums"), worker.cells.words)
    labels, ordinals = labelled(worker.trees, steps)
    inside = Steps(numbers[np.repeat(np.arange(len(degree)), degree)], fingerprints[targets], labels, ordinals)
    bucket_of = loops.bucket(fingerprints, buckets)[targets]
    order = np.argsort(bucket_of, kind="stable")
    ends = np.searchsorted(bucket_of[order], np.arange(buckets + 1))
    for bucket in range(buckets):
        for at in range(ends[bucket], ends[bucket + 1], _CHUNK):
            yield bucket, inside.take(order[at : min(at + _CHUNK, ends[bucket + 1])])
    if len(leaving):
        nowhere = np.full(len(leaving), OUTSIDE, np.uint32)
        yield row_group % buckets, Steps(numbers[leaving], nowhere, *labelled(worker.trees, leaving_steps))


def labelled(trees: Any, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels and ordinals of steps of the trees."""
    ordinals = np.array([ordinal for _, ordinal in trees.steps] or [0], np.int64)
    return shrink(FairLabels(trees.model).of_steps(trees)[steps]), shrink(ordinals[steps])


def number_targets(
    get: Callable[[], Worker], plan: LinkPlan, bucket: int, messages: Iterator[Steps | Truths], _: Post
) -> Outgoing:
    """Replace targets' fingerprints by numbers, and pass messages on to their sources' parts, counted from `given` on.

    Raises:
        ModelError: If a transition leads to an unvisited state.
    """
    worker = get()
    worker.forget_visited()  # the search is over
    table = _numbers_of(worker, bucket, plan).table
    for message in messages:
        if isinstance(message, Truths):
            for part, some in _each(plan.part_of(message.numbers)):
                yield part - plan.given, Truths(message.numbers[some], message.values[:, some])
            continue
        if message.targets.ndim == 2:
            numbers = transition_kernels.look_up(message.targets, table)
            if (numbers < 0).any():
                label = int(message.labels[numbers < 0][0]) % len(worker.model.instances)
                raise ModelError(
                    f"{worker.model.instances[label].label} led to another state when it was run again: "
                    "the model is not pure"
                )
            message = message._replace(targets=numbers.astype(np.uint32))
        for part, some in _each(plan.part_of(message.sources)):
            yield part - plan.given, message.take(some)


def _numbers_of(worker: Worker, bucket: int, plan: LinkPlan) -> Visited:
    """The numbers of a bucket's states, by fingerprint."""
    visited, count = Visited(worker.cells.words, numbered=True), 0

    def add(fingerprints: np.ndarray, numbers: np.ndarray) -> None:
        nonlocal count
        count += len(fingerprints)
        visited.reserve(count)
        transition_kernels.number_states(fingerprints, numbers.astype(np.uint32), visited.table)

    for name in plan.before[bucket : bucket + 1]:
        for part in worker.directory.each_part(name, ["fingerprints", "parents"]):
            add(part.fingerprints, part.parents[:, 0])
    for source in plan.sources:
        if source.file.bucket == bucket and source.first is not None:
            number = source.first
            for part in worker.directory.each_part(source.file.path, ["fingerprints"]):
                add(part.fingerprints, np.arange(number, number + len(part.fingerprints)))
                number += len(part.fingerprints)
    return visited


def _each(parts: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each part that occurs, with its positions."""
    for part in np.unique(parts).tolist():
        yield part, np.flatnonzero(parts == part)


class Linked(NamedTuple):
    """A written part, with the checksum of its file."""

    file: TransitionFile
    sums: dict[str, FileSum]


def assemble(
    get: Callable[[], Worker], plan: LinkPlan, number: int, messages: Iterator[Steps | Truths], _: Post
) -> Outgoing:
    """Write a part, and report it.

    Raises:
        ModelError: If the messages do not cover each of its states once.
    """
    first, end = (int(state) for state in plan.firsts[plan.given + number :][:2])
    steps: list[Steps] = []
    numbers, values = [], []
    for message in messages:
        if isinstance(message, Steps):
            steps.append(message)
        else:
            numbers.append(message.numbers)
            values.append(message.values)
    order = np.argsort(np.concatenate(numbers))
    if not np.array_equal(np.concatenate(numbers)[order], np.arange(first, end)):
        raise ModelError(f"not every state from number {first} to {end - 1} was expanded when the search was complete")
    part = Part.of(first, np.concatenate(values, axis=1)[:, order], Steps.join(steps))
    return [(number, write_part(get().directory, part))]


def write_part(directory: RunDirectory, part: Part) -> Linked:
    """Write a part to the run directory."""
    name = directory.write_table(f"transitions/part-{part.first:010}.parquet", part.to_arrow())
    return Linked(TransitionFile(part.first, part.states, len(part.targets), name), directory.sums([name]))


# The transitions of a search in process ------------------------------------------------------------------------------


def parts_of(search: LocalSearch, end: int, part_states: int = PART_STATES) -> Iterator[Part]:
    """The parts of the first `end` states, expanded by a search in process, without a copy of everything."""
    labels, ordinals = labelled(search.trees, np.arange(len(search.trees.steps) or 1))
    of_formulas = [column for of in search.labels.values() for pair in of.columns for column in pair]
    truths = [column.array for column in (*of_formulas, *search.enabled.columns.values()) if column is not None]
    edges = search.store.edges
    at, used = 0, 0  # the next arrays of transitions, and the used part of them
    for first in range(0, end, part_states):
        last = min(first + part_states, end)
        degree = np.concatenate([block.degree for block in search.store.slices(first, last)]).astype(np.int64)
        missing, targets, steps = int(degree.sum()), [], []
        while missing:
            taken = slice(used, min(used + missing, len(edges[at].target)))
            targets.append(edges[at].target[taken])
            steps.append(edges[at].step[taken])
            missing -= taken.stop - taken.start
            at, used = (at + 1, 0) if taken.stop == len(edges[at].target) else (at, taken.stop)
        step = np.concatenate([np.empty(0, np.int32), *steps])
        sources = np.repeat(np.arange(first, last, dtype=np.uint32), degree)
        target = np.concatenate([np.empty(0, np.uint32), *targets])
        holds = np.array([column[first:last] for column in truths], np.bool_).reshape(len(truths), last - first)
        yield Part.of(first, holds, Steps(sources, target, labels[step], ordinals[step]))


# The job -------------------------------------------------------------------------------------------------------------


def link_run(flow: Flow, get: Callable[[], Worker], buckets: int, plan: LinkPlan) -> list[Linked]:
    """Write the parts, here or on Spark; `get` returns the process's worker."""
    pieces = plan.pieces()
    tasks = min(len(pieces), buckets)
    return flow(
        [pieces[i::tasks] for i in range(tasks)],
        partial(expand_again, get),
        Stage(buckets, partial(number_targets, get, plan)),
        Stage(len(plan.parts), partial(assemble, get, plan)),
    )
