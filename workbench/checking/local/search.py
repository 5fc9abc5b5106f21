"""The in-process engine: breadth-first, level by level, over memoized decision trees."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from workbench.checking.contract import Local, Room, collision_probability
from workbench.checking.kernels import compiling, loops
from workbench.checking.kernels.compiled import TooMuch, is_interpreted
from workbench.checking.kernels.compiling_beside import search_at_once
from workbench.checking.kernels.loops import Frontier
from workbench.checking.kernels.serving import DONE, HIT, MISS_PREDICATE, serve
from workbench.checking.kernels.threads import Threads
from workbench.checking.local.expander import Expander
from workbench.checking.local.liveness import LivenessJudge
from workbench.checking.local.memory import peak_bytes
from workbench.checking.local.store import BLOCK, StateStore
from workbench.checking.trees.costs import costs_of
from workbench.checking.trees.profile import Profile
from workbench.checking.trees.purity import run_again
from workbench.checking.trees.smallest import Smallest
from workbench.checking.trees.state_predicates import Enabled, Labels, StatePlace, Watched
from workbench.checking.trees.step_predicates import WatchedSteps
from workbench.kernel import Machine, ModelError, Result, Trace, replay
from workbench.kernel.meaning.budget import INTERRUPTED, Limits, Stop, depth_of
from workbench.kernel.meaning.conclusion import Exploration, Growth, conclude
from workbench.kernel.meaning.plan import Plan, make_plan
from workbench.kernel.meaning.result import ActionCount
from workbench.kernel.meaning.trace import leading_to, not_again
from workbench.kernel.meaning.values import counted

_INITIAL_STATES_PER_CHECK = 512


def search(plan: Plan, limits: Limits, engine: Local) -> Result:
    """The engine ``local``: carry out `plan` in this process."""

    def searched() -> Result:
        searching = LocalSearch(plan, workers=engine.threads)
        searching.run(limits)
        return conclude(plan, searching.exploration(), limits)

    return search_at_once(searched, load_kernels, limits, small=False)


_loading, _loaded = threading.Lock(), threading.Event()


def load_kernels() -> None:
    """Compile the kernels once, or load them from Numba's cache, so that no search waits for them."""
    with _loading:
        if not _loaded.is_set():
            searching = LocalSearch(make_plan(Smallest()))
            searching.run(Limits())
            if searching.stopped is not None:
                raise MemoryError
            visited = searching.store.visited
            visited.grow()
            loops.spread(visited.table, 0, 0)  # only large tables need it
            _loaded.set()


def load_cached_kernels() -> None:
    """Load the kernels if they are in Numba's cache."""
    with suppress(compiling.Cold), compiling.only_cached():
        load_kernels()


def kernels_loaded() -> bool:
    """Whether the kernels are loaded."""
    return _loaded.is_set()


class Completed(NamedTuple):
    """A search up to its last completed level, for another engine to continue.

    Attributes:
        initial: Initial states, repetitions included.
        levels: The sizes of the completed levels.
        counts: The counts of the steps between these levels.
        outside: The pruned states of these levels.
    """

    initial: int
    levels: list[int]
    counts: np.ndarray
    outside: int


class Full(Stop):
    """Ends a search that has outgrown this process."""


def count_actions(model: Machine, counts: np.ndarray, assigns: np.ndarray) -> list[ActionCount]:
    """Sum up by action.

    Args:
        assigns: Whether each instance ever assigned to a variable.
    """
    totals = {name: np.zeros(4, np.int64) for name in model.actions}
    for instance, column, writes in zip(model.instances, counts.T, assigns, strict=True):
        totals[instance.action.name] += [*column, writes]
    return [
        ActionCount(name, enabled, generated, new, bool(writes))
        for name, (enabled, generated, new, writes) in ((name, total.tolist()) for name, total in totals.items())
    ]


def _numbered(base: int, at: int) -> StatePlace:
    """The place of state ``base + at``."""
    return base + at, None


class LocalSearch:
    """One search of a model's state space in this process.

    Args:
        plan: The predicates of its liveness properties are evaluated in every state, for
            :mod:`workbench.checking.local.liveness`.
        keep_rows, keep_edges: Keep all states' rows, and all transitions (which liveness needs).
        workers: Threads that expand states. The result does not depend on it.
    """

    def __init__(self, plan: Plan, keep_rows: bool = False, keep_edges: bool = False, workers: int = 1) -> None:
        self.plan, self.model = plan, plan.model
        self._threads = Threads(workers) if workers > 1 and not is_interpreted() else None
        self.expander = Expander(plan.model, plan.symmetry, plan.bits, self._threads, key=plan.key)
        self.cells, self.trees = self.expander.cells, self.expander.trees
        self.watched = Watched(plan.model, self.trees, plan.safety)
        self.steps = WatchedSteps(plan.model, self.trees, plan.steps) if plan.steps else None
        self.labels = {p.name: Labels(plan.model, self.trees, p) for p in plan.liveness}
        self.enabled = Enabled(plan.model.fairness if plan.liveness else (), self.trees)
        self.store = StateStore(self.cells, keep_rows, keep_edges or bool(plan.liveness))
        self.levels: list[int] = []
        self.stopped: str | None = None
        self.error: ModelError | None = None
        self.full = False
        self._judged, self._judged_outside = (np.zeros(loops.CURSOR, np.int64) for _ in range(2))
        self._growth = Growth(self.cells.layout.cells)
        self._steps_judged = 0  # the first state from which not all steps are judged
        self._initial = 0
        self._completed = (0, np.zeros((3, len(plan.model.instances)), np.int64), 0)

    # The search --------------------------------------------------------------------------------------------------

    def run(self, limits: Limits, room: Room | None = None) -> None:
        """Search until the space is exhausted, a budget is used up, or the search is stopped.

        Visited states are kept and judged in any case; ``stopped`` says why the search is incomplete, and ``error`` is
        the model's if that is why. A search that has used up its `room` is ``full``: another engine may continue.
        """
        try:
            self._run(limits, room or Room())
        finally:
            if self._threads is not None:
                self._threads.end()

    def _run(self, limits: Limits, room: Room) -> None:
        with self._ending(limits), limits.in_force():
            self._search(limits, room)
        if self.store.count > sum(self.levels):  # stopped within a level
            self.levels.append(self.store.count - sum(self.levels))
        if self.stopped is not None:
            self._judge_rest(limits)
        if self.stopped != INTERRUPTED and self.error is None:
            with self._ending(limits):
                run_again(self.trees)

    @contextmanager
    def _ending(self, limits: Limits) -> Iterator[None]:
        """Note whatever ends the search within the block; the model's first error stays."""
        try:
            with leading_to(self._trace_of):
                yield
        except (Stop, MemoryError, ModelError) as stop:
            if self.error is None:
                self.stopped, self.full = limits.why(stop), isinstance(stop, Full)
                self.error = stop if isinstance(stop, ModelError) else None

    def _search(self, limits: Limits, room: Room) -> None:
        def beat(expanded: int) -> None:
            self._report(limits, self.store.count - expanded)

        # A search with a bound on its room may go on elsewhere, from its last completed level.
        stays = room == Room()

        def pause(expanded: int) -> None:
            self._inspect(self.plan.fail_fast)
            self._inspect_steps(self.plan.fail_fast)
            if stays:
                self.store.release_before(self.store.expanded)
                self.store.pack_before(int(self._judged[loops.COUNT]))
            beat(expanded)
            if room.states is not None and self.store.count > room.states:
                raise Full(f"more than {counted(room.states, 'state')}")
            if room.bytes is not None and self.nbytes > room.bytes:
                raise Full(f"more than {room.bytes / 2**20:,.0f} MiB at {counted(self.store.count, 'state')}")

        self._begin(limits)
        pause(0)
        done = 0
        while done < self.store.count:
            end = self.store.count
            limits.deeper(len(self.levels))
            self._completed = (len(self.levels), np.stack(self.expander.counts), self.expander.pruned.total)
            if not self.expander.expand(self.store, done, end, limits.most_states, pause, beat):
                limits.room(limits.most_states)
            done = end
            self._growth.note([len(values) for values in self.cells.values])
            if self.store.count > end:
                self.levels.append(self.store.count - end)
            self.store.release_before(done)

    def _begin(self, limits: Limits) -> None:
        """Add the initial states."""
        most = limits.most_states
        waiting: list[tuple[list[int], int]] = []  # added together, since each call of a kernel has its price

        def add_waiting() -> None:
            if waiting:
                self.store.add_initial(*zip(*waiting, strict=True))
                waiting.clear()

        try:
            for which, state in enumerate(self.model.each_initial_state()):
                if which and which % _INITIAL_STATES_PER_CHECK == 0:
                    add_waiting()
                    self._judge_initial(limits)
                self._initial += 1
                row = self.cells.encode(state)
                if self.expander.pruned.keep_initial(row, which):
                    if self.expander.pruned.full:
                        add_waiting()
                        self._inspect(self.plan.fail_fast)
                    continue
                if self.store.count + len(waiting) >= most:
                    add_waiting()
                    if self.store.count == most and not self.store.visited.find(self.cells.sums(row)):
                        limits.room(self.store.count)
                waiting.append((row, which))
        finally:
            add_waiting()
        self._judge_initial(limits)  # while the expander still has the pruned states
        if not self.store.count:
            return
        self.levels.append(self.store.count)
        self.expander.begin(self.store)

    def _judge_initial(self, limits: Limits) -> None:
        """Judge the initial states added since the last call."""
        if self.steps is not None:
            for part in self.store.slices(int(self._judged[loops.COUNT]), self.store.count):
                self.steps.judge_initial(part.rows, partial(_numbered, part.base))
        self._inspect(self.plan.fail_fast)
        self._report(limits, self.store.count)

    def _report(self, limits: Limits, waiting: int) -> None:
        """Check the limits, while `waiting` states are not expanded yet."""
        limits.note(self.decided, self.model.declared.property_named, self._depth_of)
        limits.check(len(self.levels), self.store.count, waiting, lambda: self.nbytes, self.levels)

    def _depth_of(self, place: StatePlace) -> int:
        number, last = place
        if last is not None and last < 0:
            return 0
        return depth_of(number, self.levels) + (last is not None)

    def _judge_rest(self, limits: Limits) -> None:
        """Judge the states found before the search was stopped, as far as the model's code lets it."""
        try:
            for judge in (self._inspect, self._inspect_steps):
                with self._ending(limits), limits.in_force():
                    judge(fail_fast=False)
        except TooMuch:
            if self.stopped != INTERRUPTED:  # an interrupted search must not start again
                raise

    def _inspect(self, fail_fast: bool) -> None:
        """Judge the states found since the last call."""
        cursor = self._judged
        while (judged := int(cursor[loops.COUNT])) < self.store.count:
            block, at = self.store.block_of(judged)
            stop = min(self.store.count - block.base, BLOCK)
            cursor[loops.STATE] = at
            self._judge(block, stop, cursor, fail_fast)
            for columns in (*self.labels.values(), self.enabled):
                columns.extend(block.rows[at:stop])
            cursor[loops.COUNT] = block.base + stop
        pruned = self.expander.pruned
        if len(pruned):
            step = pruned.block.step
            if self.steps is not None and step[0] < 0:  # initial states come before all others
                self.steps.judge_initial(pruned.block.rows[: len(pruned)], lambda at: (0, int(step[at])))
            self._judge(pruned.block, len(pruned), self._judged_outside, fail_fast)
            self._judged_outside[:] = 0
            pruned.forget()

    def _judge(self, block: Frontier, stop: int, cursor: np.ndarray, fail_fast: bool) -> None:
        """Judge the states of `block` up to `stop` by the undecided properties.

        Threads first look at all states. Their shares without a finding are done, unless a miss in an earlier share has
        shown that a predicate reads more cells and must be evaluated in more states.
        """
        threads, first = self._threads, int(cursor[loops.STATE])
        if threads is None or self.expander.is_little(stop - first):
            self._judge_in_order(block, stop, cursor, fail_fast)
            return
        ends = [first + (stop - first) * number // threads.workers for number in range(threads.workers + 1)]
        cursors = [np.zeros(loops.CURSOR, np.int64) for _ in range(threads.workers)]
        for share, begin in zip(cursors, ends, strict=False):
            share[loops.STATE] = begin
        reads, touched = self.watched.reads.copy(), self.watched.touched
        met = threads.each(lambda number: self._look(block, ends[number + 1], cursors[number], touched)[0])
        for share, begin, end, code in zip(cursors, ends, ends[1:], met, strict=False):
            if not np.array_equal(reads, self.watched.reads):
                share[:] = 0
                share[loops.STATE] = begin
            elif code == DONE:
                continue
            self._judge_in_order(block, end, share, fail_fast)

    def _look(
        self, block: Frontier, stop: int, cursor: np.ndarray, touched: np.ndarray
    ) -> tuple[int, Sequence[tuple[int, int]]]:
        """Look at the states of `block` up to `stop`; returns why the look ended, and the misses with their states."""
        watched, missed = self.watched, np.empty((loops.MISSES, 2), np.int64)
        code = int(loops.inspect(self.trees.arrays, watched.columns, touched, block, stop, missed, cursor))
        return code, missed[: cursor[loops.WHAT]].tolist() if code == MISS_PREDICATE else ()

    def _judge_in_order(self, block: Frontier, stop: int, cursor: np.ndarray, fail_fast: bool) -> None:
        watched = self.watched
        missed: Sequence[tuple[int, int]] = ()

        def look() -> int:
            nonlocal missed
            if not watched.active.any():
                return DONE
            code, missed = self._look(block, stop, cursor, watched.touched)
            return code

        def memoize() -> None:
            last, row = -1, []
            for predicate, state in missed:
                if state != last:
                    last, row = state, block.rows[state].tolist()
                if watched.memoize(predicate, row):
                    break  # it decides a property: later states need not be asked

        def decide() -> None:
            state, predicate = int(cursor[loops.STATE]), int(cursor[loops.WHAT])
            numbered = block is not self.expander.pruned.block
            place = (block.base + state, None) if numbered else (int(block.parent[state]), int(block.step[state]))
            watched.decide(watched.owners[predicate], place)
            if fail_fast and not watched.wanted[predicate]:
                raise Stop("stopped at the first violation")

        serve(look, {MISS_PREDICATE: memoize, HIT: decide})

    def _inspect_steps(self, fail_fast: bool) -> None:
        """Judge the steps from the states expanded since the last call."""
        if self.steps is None:
            return
        expanded = self.store.expanded
        self.steps.judge(self.store.slices(self._steps_judged, expanded))
        self._steps_judged = expanded
        if self.steps.decided and fail_fast:
            raise Stop("stopped at the first violation")

    # Results -----------------------------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Bytes held by the search: visited set, predecessor links, frontier, trees and hashes."""
        return self.store.nbytes + self.trees.nbytes + self.cells.nbytes

    @property
    def decided(self) -> dict[str, StatePlace]:
        """The place of the first state or step that decides each violated or reached property, for :meth:`trace_to`."""
        return self.watched.decided if self.steps is None else self.watched.decided | self.steps.decided

    def completed(self) -> Completed:
        """The search up to its last completed level. The store still holds the rows and sums of that level's states."""
        number, counts, outside = self._completed
        return Completed(self._initial, self.levels[:number], counts, outside)

    def trace_to(self, number: int, last: int | None = None) -> Trace:
        """A shortest behaviour to state `number`, computed by the model and checked against the visited set.

        Args:
            last: A further step of the trees, to a visited or a pruned state; or ``-1 - which`` for a pruned initial
                state, which has no number.

        Raises:
            ModelError: If the model does not do what was memoized: then it is not a function of the state.
        """
        which, steps = (-1 - last, []) if last is not None and last < 0 else self.store.path(number)
        if last is not None and last >= 0:
            steps.append(last)
        trace = replay(self.model, which, [self.trees.steps[step] for step in steps])
        for step in trace.steps if last is None else trace.steps[:-1]:
            if not self.store.visited.find(self.cells.sums(self.cells.encode(step.state))):
                raise not_again(step)
        return trace

    def _trace_of(self, error: ModelError) -> Trace | None:
        """The trace to the model's error."""
        place = self.expander.place_of(error, self.store, self.store.count)
        if (
            place is None and error.met is not None and not self.levels
        ):  # raised by a constraint, which is evaluated first
            place = 0, -self._initial
        return None if place is None else self.trace_to(*place)

    @cached_property
    def _liveness(self) -> LivenessJudge:
        return LivenessJudge(self.model, self.trees, self.store, self.levels[0], self.labels, self.enabled)

    def exploration(self) -> Exploration:
        """The findings, for :func:`conclude`."""
        profile = Profile(self.store.count, tuple(self.cells.layout.cells), costs_of(self.trees))
        counts = count_actions(self.model, np.stack(self.expander.counts), self.trees.assigns)
        return Exploration(
            engine="local",
            stopped=self.stopped,
            error=self.error,
            generated=self._initial + int(self.expander.counts.generated.sum()),
            initial=self._initial,
            levels=self.levels,
            actions=counts,
            decided=self.decided,
            trace_to=lambda place: self.trace_to(*place),
            liveness=lambda declared: self._liveness.verdict(declared),
            outside=self.expander.pruned.total,
            fingerprint_key=self.plan.key.hex(),
            collision_probability=collision_probability(self.store.count, self.cells.bits, len(self.cells.renamings)),
            figures={
                "python_calls": self.trees.misses,
                "tree_bytes": self.trees.nbytes + self.cells.nbytes,
                "bytes_per_state": self.store.bytes_per_state,
            },
            peak_bytes=peak_bytes,
            growth=self._growth,
            profile=profile,
        )
