"""The expansion of states in a task, which loads them part by part and sends their successors."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from workbench.checking.spark.cluster.dataflow import Outgoing
from workbench.checking.spark.cluster.exchange import Letter, Post
from workbench.checking.spark.files.manifest import LAST_LEVEL
from workbench.checking.spark.files.messages import Candidates, Message, NextLevel, StepCounts, Work
from workbench.checking.spark.worker.successor_messages import messages_of
from workbench.checking.spark.worker.worker import Worker
from workbench.checking.trees.purity import run_again
from workbench.kernel import ModelError


class Expanding:
    """The successors of a task's states, once each, by bucket; the counts go to bucket 0.

    Args:
        values_level: Values numbered up to the end of this level have global numbers.
        known: Decided properties, which judge no more steps.
    """

    def __init__(self, worker: Worker, values_level: int, decided: frozenset[str]) -> None:
        self._worker, self._values_level, self._decided_before = worker, values_level, decided
        self._trees, self._expander, self._part = worker.trees, worker.expander, worker.part
        if worker.steps is not None:
            worker.steps.begin_anew(decided)
        self._decided: dict[str, list[int]] = {}
        self._before = [counts.copy() for counts in self._expander.counts]
        self._outside = self._expander.pruned.total
        self._part.begin_task()

    def put(self, fingerprints: np.ndarray, rows: np.ndarray) -> Iterator[tuple[int, Candidates]]:
        """Take in states, with rows in local numbers. A full part yields messages."""
        taken = 0
        while taken < len(rows):
            taken += self._part.put(fingerprints[taken:], rows[taken:])
            if self._part.filled == self._part.room:
                yield from self._expand()

    def end(self) -> Iterator[tuple[int, Candidates | StepCounts]]:
        """The last messages."""
        if self._part.filled:
            yield from self._expand()
        run_again(self._trees)
        enabled, generated, _ = (now - then for now, then in zip(self._expander.counts, self._before, strict=True))
        outside = self._expander.pruned.total - self._outside
        decided = {name: place for name, place in self._decided.items() if name not in self._decided_before}
        yield 0, StepCounts(enabled, generated, self._trees.assigns.copy(), decided, self._worker.memory, outside)

    def _expand(self) -> Iterator[tuple[int, Candidates]]:
        """Expand the part to messages, and empty it."""
        worker, part = self._worker, self._part
        try:
            self._find()
        except ModelError as error:
            place = self._expander.place_of(error, part, part.filled)
            error.met = None if place is None else [LAST_LEVEL, *self._words(*place)]
            raise
        steps, shared = worker.steps_by_number, worker.numbering.shared(self._values_level)
        for piece in part.successors:
            for bucket, candidates, extras in messages_of(piece, worker.task.buckets, part.fingerprints, steps, shared):
                values = [[worker.cells.values[cell][number] for number in of] for cell, of in enumerate(extras)]
                yield bucket, candidates._replace(extras=worker.directory.for_message(values))
        part.begin_part()

    def _find(self) -> None:
        """Find the successors of the part; judge its steps and the pruned states."""

        def pause(_: int) -> None:
            self._judge_outside()
            self._worker.pause()

        self._expander.begin(self._part)
        self._expander.expand(self._part, 0, self._part.filled, pause=pause, beat=lambda _: self._worker.pause())
        self._judge_steps()

    def _words(self, state: int, step: int | None) -> list[int]:
        """A place in the part, by the state's fingerprint."""
        return [*self._part.fingerprints[state].tolist(), *(() if step is None else self._trees.steps[step])]

    def _judge_outside(self) -> None:
        """Note the properties that pruned successors decide, and drop these."""
        pruned = self._expander.pruned
        rows = pruned.block.rows[: len(pruned)]
        for name, met in self._worker.watched.hits(rows) if len(pruned) else ():
            if met.any():
                hits = np.flatnonzero(met)
                parents = self._part.fingerprints[pruned.block.parent[hits]].tolist()
                steps = [self._trees.steps[step] for step in pruned.block.step[hits]]
                place = min([*parent, *step] for parent, step in zip(parents, steps, strict=True))
                self._decided[name] = min(place, self._decided.get(name, place))
        pruned.forget()

    def _judge_steps(self) -> None:
        """Note the properties that steps from the part's states decide, and where."""
        steps = self._worker.steps
        if steps is None:
            return
        steps.judge(self._part.slices(0, self._part.filled))
        for name, (state, step) in steps.decided.items():
            if name not in self._decided:
                self._decided[name] = self._words(state, step)


# Stages of a job, on Spark or in the driver; `get` returns the process's worker ---------------------------------------


def reach_worker(get: Callable[[], Worker], _: Any) -> Outgoing:
    """Fail if a task of this search would fail here."""
    get()
    return ()


def expand_work(get: Callable[[], Worker], level: int, decided: frozenset[str], work: Sequence[Work]) -> Outgoing:
    """The successors that :class:`Expanding` finds for the states in `work`; values are numbered as of `level`."""
    worker = get()
    worker.catch_up(level)
    expanding = Expanding(worker, level, decided)
    for file, row_group in work:
        states = worker.directory.states(file.path, ["fingerprints", "rows"], row_group)
        yield from expanding.put(states.fingerprints, worker.rows_of(file, states))
    yield from expanding.end()


def admit_bucket(
    get: Callable[[], Worker], level: NextLevel, bucket: int, messages: Iterator[Message], _: Post
) -> Outgoing:
    """Admit the messages to a bucket, and report on it."""
    return [(bucket, get().admit(bucket, messages, level))]


def advance_bucket(
    get: Callable[[], Worker], level: NextLevel, bucket: int, messages: Iterator[Message], post: Post
) -> Outgoing:
    """Admit, and expand the new states while their rows are at hand, so that the next stage can admit the level after.

    The next stage wants the report before all else, so everything else waits for it.
    """
    worker = get()
    worker.catch_up(level.values_level)
    expanding = Expanding(worker, level.values_level, level.decided)
    sent: list[tuple[int, Letter]] = []

    def send(outgoing: Iterator[tuple[int, Message]]) -> None:
        sent.extend((to, post(message)) for to, message in outgoing)

    reports = worker.admit(bucket, messages, level, lambda *states: send(expanding.put(*states)))
    send(expanding.end())
    return [(bucket, reports), *sent]
