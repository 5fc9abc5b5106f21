"""The in-process engine: breadth-first, level by level, over memoised decision trees."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from workbench.engines import kernels
from workbench.engines.expander import Expander
from workbench.engines.store import BLOCK, Store
from workbench.engines.watch import Labels, Watched
from workbench.kernel import Model, Result, Trace, Verdict, replay
from workbench.kernel.errors import ModelError
from workbench.kernel.memory import peak_bytes
from workbench.kernel.properties import Property
from workbench.kernel.result import ActionCount
from workbench.kernel.search import safety_verdict


@dataclass(frozen=True)
class Budget:
    """What a search may use; None for no bound.

    Attributes
    ----------
    states : int or None
        Distinct states.
    seconds : float or None
    bytes : int or None
        Memory of the search's own arrays.
    """

    states: int | None = None
    seconds: float | None = None
    bytes: int | None = None

    def enforce(self, seconds: float, should_stop: Callable[[], bool] | None, states: int = 0) -> None:
        """Raise :class:`Stop` if somebody asks for it, or if states or seconds are used up."""
        if should_stop is not None and should_stop():
            raise Stop("stopped on request")
        if self.states is not None and states >= self.states:
            raise Stop(f"the budget of {self.states:,} states is used up")
        if self.seconds is not None and seconds > self.seconds:
            raise Stop(f"the budget of {self.seconds:g} seconds is used up")


@dataclass(frozen=True)
class Progress:
    """Where a search is.

    Attributes
    ----------
    level, states, frontier : int
        The level that is being expanded, distinct states so far, states of the level not expanded yet.
    seconds : float
    """

    level: int
    states: int
    frontier: int
    seconds: float


class Completed(NamedTuple):
    """The part of a search up to its last completed level, for another engine to go on from.

    Attributes
    ----------
    initial : int
        Initial states, repetitions included.
    levels : list of int
        The sizes of the completed levels.
    counts : int64 array (enabled/generated/new, instances)
        The counts of the steps between these levels.
    rows, sums : arrays
        The states of the last of these levels.
    later_sums : array
        The states found beyond it, which are in the visited set too.
    """

    initial: int
    levels: list[int]
    counts: np.ndarray
    rows: np.ndarray
    sums: np.ndarray
    later_sums: np.ndarray


class Stop(Exception):
    """Ends a search; the text says why."""


class Full(Stop):
    """Ends a search in this process because it became too large for it."""


def count_actions(model: Model, counts: np.ndarray) -> list[ActionCount]:
    """Sum up counts per action instance, int64 (enabled/generated/new, instances), by action."""
    totals = {name: np.zeros(3, np.int64) for name in model.declared_actions}
    for instance, column in zip(model.instances, counts.T, strict=True):
        totals[instance.action.name] += column
    return [ActionCount(name, *map(int, total)) for name, total in totals.items()]


class LocalSearch:
    """One search of a model's state space in this process.

    Parameters
    ----------
    model : Model
    properties : sequence of Property
        What to watch; liveness properties are left to :mod:`workbench.engines.graph`.
    symmetry : sequence of str
        The sets whose names are interchangeable; empty for none.
    bits : {64, 128}
        The width of fingerprints.
    keep_rows, keep_edges : bool
        Keep all states' rows, and all transitions.
    labels : sequence of Property
        Liveness properties whose predicates are evaluated in every state.
    """

    def __init__(
        self,
        model: Model,
        properties: Sequence[Property] = (),
        symmetry: Sequence[str] = (),
        bits: int = 64,
        keep_rows: bool = False,
        keep_edges: bool = False,
        labels: Sequence[Property] = (),
    ) -> None:
        self.model = model
        self.expander = Expander(model, symmetry, bits)
        self.cells, self.trees = self.expander.cells, self.expander.trees
        self.watched = Watched(model, self.trees, properties)
        self.labels = {p.name: Labels(model, self.trees, p) for p in labels}
        self.store = Store(self.cells, keep_rows, keep_edges)
        self.levels: list[int] = []
        self.stopped: str | None = None
        self.full = False
        self.seconds = 0.0
        self._judged = np.zeros(kernels.CURSOR, np.int64)
        self._initial = 0
        self._completed = (0, np.zeros((3, len(model.instances)), np.int64))

    # The search --------------------------------------------------------------------------------------------------

    def run(
        self,
        budget: Budget | None = None,
        fail_fast: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        room: Budget | None = None,
    ) -> None:
        """Search until the space is exhausted, a budget is used up, or somebody stops it.

        What was found so far is kept in any case; ``stopped`` says why the search is incomplete. A KeyboardInterrupt
        stops it too. When the search has used up `room`, it stops and is ``full``: another engine may go on.
        """
        budget = budget or Budget()
        began = time.perf_counter()

        def pause(expanded: int) -> None:
            self._inspect(fail_fast)
            seconds = time.perf_counter() - began
            budget.enforce(seconds, should_stop)  # the kernel itself stops at the last state that there is room for
            if budget.bytes is not None and self.nbytes > budget.bytes:
                raise Stop(f"the budget of {budget.bytes / 2**20:,.0f} MiB is used up")
            if room is not None and room.states is not None and self.store.count > room.states:
                raise Full(f"more than {room.states:,} states")
            if room is not None and room.bytes is not None and self.nbytes > room.bytes:
                raise Full(f"more than {room.bytes / 2**20:,.0f} MiB at {self.store.count:,} states")
            if on_progress is not None:
                on_progress(Progress(len(self.levels), self.store.count, sum(self.levels) - expanded, seconds))

        most = 2**32 - 1 if budget.states is None else min(budget.states, 2**32 - 1)
        try:
            self._begin(most)
            pause(0)
            done = 0
            while done < self.store.count:
                end = self.store.count
                self._completed = (len(self.levels), np.stack(self.expander.counts))
                if not self.expander.expand(self.store, done, end, most, pause):
                    raise Stop(f"the budget of {most:,} states is used up")
                done = end
                if self.store.count > end:
                    self.levels.append(self.store.count - end)
                self.store.release_before(done)
        except Stop as stop:
            self.stopped = str(stop)
            self.full = isinstance(stop, Full)
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        if self.store.count > sum(self.levels):  # stopped within a level
            self.levels.append(self.store.count - sum(self.levels))
        self.seconds += time.perf_counter() - began

    def _begin(self, most: int) -> None:
        states = self.model.initial_states()
        self._initial = len(states)
        for which, state in enumerate(states):
            if self.store.count >= most:
                raise Stop(f"the budget of {most:,} states is used up")
            self.store.add_initial(self.cells.encode(state), which)
        self.levels.append(self.store.count)
        self.expander.begin(self.store)

    def _inspect(self, fail_fast: bool) -> None:
        """Judge the states found since the last call."""
        watched, cursor = self.watched, self._judged
        while (judged := int(cursor[kernels.COUNT])) < self.store.count:
            block, at = self.store.block_of(judged)
            stop = min(self.store.count - block.base, BLOCK)
            for labels in self.labels.values():
                labels.extend(block.rows[at:stop])
            cursor[kernels.STATE] = at
            while watched.active.any():
                why = kernels.inspect(
                    self.trees.arrays,
                    self.trees.predicate_roots,
                    watched.wanted,
                    watched.active,
                    watched.reads,
                    block,
                    stop,
                    cursor,
                )
                if why == kernels.DONE:
                    break
                state, predicate = int(cursor[kernels.STATE]), int(cursor[kernels.WHAT])
                if why == kernels.MISS_PREDICATE:
                    cells = self.trees.learn_predicate(predicate, block.rows[state].tolist())
                    watched.note_reads(predicate, cells)
                elif watched.hit(predicate, block.base + state) and fail_fast:
                    raise Stop("stopped at the first violation")
            cursor[kernels.COUNT] = block.base + stop

    # What came of it ---------------------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Bytes held by the search: visited set, links, frontier, trees and hashes."""
        return self.store.nbytes + self.trees.nbytes + self.cells.nbytes

    @property
    def generated(self) -> int:
        return self._initial + int(self.expander.counts.generated.sum())

    def completed(self) -> Completed:
        """What another engine needs to go on from the last completed level."""
        number, counts = self._completed
        levels = self.levels[:number]
        first, end = sum(levels[:-1]), sum(levels)
        blocks = self.store.blocks[first // BLOCK :]
        skip = first // BLOCK * BLOCK
        rows = np.concatenate([block.rows for block in blocks])[first - skip : end - skip]
        sums = np.concatenate([block.sums for block in blocks])
        later = sums[end - skip : self.store.count - skip]
        return Completed(self._initial, levels, counts, rows, sums[first - skip : end - skip], later)

    def links(self, count: int) -> dict[str, np.ndarray]:
        """The predecessors of the first `count` states, and the steps from them; an initial state has instance -1."""
        step = self.store.column("step")[:count]
        steps = np.array(self.trees.steps or [(0, 0)], np.int32)[np.maximum(step, 0)]
        initial = step < 0
        return {
            "parent": self.store.column("parent")[:count],
            "instance": np.where(initial, -1, steps[:, 0]).astype(np.int32),
            "ordinal": np.where(initial, -1 - step, steps[:, 1]).astype(np.int32),
        }

    def transitions(self) -> tuple[np.ndarray, np.ndarray]:
        """Targets and steps of all transitions kept, in the order of their sources."""
        return self.store.transitions(self.expander.edges)

    def trace_to(self, number: int) -> Trace:
        """A shortest behaviour to state `number`, computed by the model and checked against the visited set.

        Raises
        ------
        ModelError
            If the model does not do what was memoised: then it is not a function of the state.
        """
        which, steps = self.store.path(number)
        trace = replay(self.model, which, [self.trees.steps[step] for step in steps])
        for step in trace.steps:
            if not self.store.visited.find(self.cells.sums(self.cells.encode(step.state))):
                raise ModelError(f"{step.label} led to another state when it was run again: the model is not pure")
        return trace

    def safety_verdicts(self) -> list[Verdict]:
        """The verdicts on the watched properties."""
        found = self.watched.found
        return [
            safety_verdict(p, self.trace_to(found[p.name]) if p.name in found else None, self.stopped is None)
            for p in self.watched.properties
        ]

    def action_counts(self) -> list[ActionCount]:
        return count_actions(self.model, np.stack(self.expander.counts))

    def result(self, verdicts: list[Verdict], notes: Sequence[str] = ()) -> Result:
        """The result of the check."""
        distinct = self.store.count
        pairs = distinct * (distinct - 1) / 2
        figures = {
            "python_calls": self.trees.misses,
            "tree_bytes": self.trees.nbytes + self.cells.nbytes,
            "bytes_per_state": self.store.bytes_per_state,
        }
        return Result(
            model=self.model,
            engine="local",
            symmetry=self.cells.symmetry,
            complete=self.stopped is None,
            stopped=self.stopped,
            generated=self.generated,
            levels=self.levels,
            actions=self.action_counts(),
            verdicts=verdicts,
            seconds=self.seconds,
            peak_bytes=peak_bytes(),
            collision_probability=min(1.0, pairs / 2.0**self.cells.bits),
            notes=list(notes),
            figures=figures,
        )
