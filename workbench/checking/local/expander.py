"""Computing successors: passes run the compiled phases, answer their misses and make room."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from workbench.checking.kernels import serving
from workbench.checking.kernels.loops import Counts, Frontier
from workbench.checking.kernels.phases import layout
from workbench.checking.kernels.phases.advance import advance
from workbench.checking.kernels.phases.layout import ByShard, Chunks, Queue
from workbench.checking.kernels.phases.write_back import put_aside
from workbench.checking.kernels.serving import serve
from workbench.checking.kernels.threads import Threads
from workbench.checking.local.pruned import Pruned
from workbench.checking.local.store import BLOCK, StateStore
from workbench.checking.trees.cells import Interner
from workbench.checking.trees.decision_trees import Trees
from workbench.checking.trees.state_predicates import StatePlace
from workbench.kernel import Machine, ModelError

#: The chunks of a pass, and the states of a chunk: enough for many threads, few enough for a core's cache.
CHUNKS, CHUNK = 128, 256
#: With fewer states in a pass, threads would mostly wait for each other.
ALONE = 1 << 14
_FIRST, _ROOM = 16, 2048  # the initial states of a chunk, and its initial room for successors
_MISSES_PER_BEAT = 1000
_STATES_PER_MISS = 8


class _Pass(NamedTuple):
    """A pass over states of block `number`, in `used` chunks; `beat` is called now and then during a long one."""

    store: StateStore
    number: int
    used: int
    beat: Callable[[], None]

    @property
    def block(self) -> Frontier:
        """The block with the states."""
        return self.store.blocks[self.number]

    def queued(self, chunks: Chunks) -> int:
        """The number of successors."""
        return int(chunks.queued[: self.used].sum()) if self.used > 1 else int(chunks.queued[0])


class Expander:
    """Computes successors with a model's trees. It outlives the stores that it works on.

    A pass depends on the states alone: any number of threads meets the same misses in the same order.

    Args:
        symmetry: The sets whose names are interchangeable; empty for none.
        bits ({64, 128}): The width of fingerprints.
        threads: Share the large passes.
        key: The key of fingerprints.

    Attributes:
        counts (Counts): Per action instance, since the expander was made.
        pruned (Pruned): The successors pruned by the model's state constraints, until the next pause of `expand`.
    """

    def __init__(
        self,
        model: Machine,
        symmetry: Sequence[str] = (),
        bits: int = 64,
        threads: Threads | None = None,
        *,
        key: bytes,
    ) -> None:
        self.model = model
        self.cells = Interner(model, symmetry, bits, key=key)
        self.trees = Trees(self.cells)
        self.counts = self._make_counts()
        self._threads = threads
        workers = 1 if threads is None else threads.workers
        self._counted = [self._make_counts() for _ in range(workers)]
        self._shares = [np.zeros(layout.SHARE, np.int64) for _ in range(workers)]
        self.pruned = Pruned(self.trees)
        self._states = min(_FIRST, CHUNK)  # of a chunk: fewer where they have many successors, or many of them miss
        self._room, self._numbered = _ROOM, False
        self._queue, self._by_shard = self._make_queue(), self._make_by_shard()
        self._columns = np.zeros((CHUNKS, len(Chunks._fields)), np.int64)
        self._chunks = Chunks(*self._columns.T)
        self._firsts = np.arange(CHUNKS, dtype=np.int64)
        self._figures = np.zeros(layout.FIGURES, np.int64)
        self._due, self._misses = _MISSES_PER_BEAT, 0
        self._scratch = np.zeros(len(self.cells.values), np.int32)
        self._prepared = False

    def _make_counts(self) -> Counts:
        instances = len(self.model.instances)
        return Counts(*(np.zeros(instances + layout.APART, np.int64)[:instances] for _ in range(3)))

    def _make_queue(self) -> Queue:
        places = CHUNKS * self._room
        return Queue(
            low=np.empty(places, np.uint64),
            high=np.empty(places if self.cells.words == 2 else 0, np.uint64),
            step=np.empty(places, np.int32),
            found=np.empty(places, np.uint32),
            number=np.empty(places if self._numbered else 0, np.uint32),
            until=np.empty(CHUNKS * CHUNK, np.int32),
            misses=np.empty((CHUNKS * layout.NOTED, 3), np.int64),
        )

    def _make_by_shard(self) -> ByShard:
        """The sorted queue; empty for a single thread, which has no shards."""
        shards = 0 if self._threads is None else self._threads.workers
        places = CHUNKS * self._room if shards else 0
        return ByShard(
            low=np.empty(places, np.uint64),
            high=np.empty(places if self.cells.words == 2 else 0, np.uint64),
            found=np.empty(places, np.uint32),
            place=np.empty(places, np.int32),
            ends=np.zeros((shards, shards + layout.APART), np.int64),
            new=np.zeros((shards, CHUNKS + layout.APART), np.int64),
            left=np.empty((shards, places), np.int32),
            leaving=np.zeros((shards, layout.APART), np.int64),
        )

    def is_little(self, states: int) -> bool:
        """Whether so few states are left to a single thread."""
        return self._threads is None or states < ALONE

    def begin(self, store: StateStore) -> None:
        """Work on `store`, which holds at least one state."""
        self.pruned.forget()
        self.pruned.fit()
        if self._numbered != store.keep_edges:
            self._numbered = store.keep_edges
            self._queue = self._make_queue()
        if not self._prepared:
            self.trees.dispatch.prepare(store.row(0).tolist())
            self._prepared = True

    def expand(
        self,
        store: StateStore,
        first: int,
        end: int,
        most: int = 2**32 - 1,
        pause: Callable[[int], None] = lambda expanded: None,
        beat: Callable[[int], None] = lambda expanded: None,
    ) -> bool:
        """Add the successors of the states `first` to `end` to the store.

        Args:
            most: The states that the store may hold.
            pause: Called between passes with the number of states expanded so far; may raise to stop.
            beat: As `pause`, but also within a pass that has many misses.

        Returns:
            False if the search stopped because `most` was reached.
        """
        while first < end:
            number, at = divmod(first, BLOCK)
            store.open(number)
            stop = min(at + CHUNKS * self._states, BLOCK, at + end - first)
            whole = self._pass(store, number, at, stop, most, beat)
            first += stop - at
            block = store.blocks[number]  # a pause may release it
            while self._put_aside(block):
                pause(store.expanded)
                self.pruned.forget()
            pause(store.expanded)
            if not whole:
                return False
        return True

    def _pass(
        self, store: StateStore, number: int, first: int, stop: int, most: int, beat: Callable[[int], None]
    ) -> bool:
        """Add the successors of the states `first` to `stop` of a block; returns False if `most` is reached."""
        chunks, figures = self._chunks, self._figures
        used = -(-(stop - first) // self._states)
        self._columns[:used] = 0
        if used == 1:  # most passes of small spaces
            chunks.first[0] = chunks.next[0] = first
        else:
            chunks.first[:used] = chunks.next[:used] = first + self._states * self._firsts[:used]
            chunks.stop[: used - 1] = chunks.first[1:used]
        chunks.stop[used - 1] = stop
        figures[:] = 0
        figures[layout.BEFORE], figures[layout.LIMIT], figures[layout.MOST] = store.count, store.visited.limit, most
        figures[layout.CUT], figures[layout.USED] = -1, used
        this = _Pass(store, number, used, lambda: beat(number * BLOCK + first))
        if self.is_little(stop - first):
            self._alone(this, layout.EXPAND, layout.LINK)
        else:
            self._together(this)
        return self._commit(this, stop)

    def _alone(self, this: "_Pass", phase: int, last: int) -> None:
        """Run some phases on one thread."""
        share = self._shares[0]
        share[:] = 0, phase, last, 0, this.used, 0
        serve(lambda: self._advance(this, 0), self._servants(this))

    def _together(self, this: "_Pass") -> None:
        """Run all phases on all threads."""
        figures, store = self._figures, this.store
        if not len(self.pruned.bounds):  # constraints are looked up in order
            figures[layout.SHARDS] = len(self._by_shard.ends)
        self._divide(this, layout.EXPAND, this.used)
        if store.count + this.queued(self._chunks) > figures[layout.MOST]:
            figures[layout.SHARDS] = 0
        if figures[layout.SHARDS]:
            store.visited.reserve(store.count + this.queued(self._chunks))
            figures[layout.LIMIT] = store.visited.limit
            self._divide(this, layout.ADMIT_SHARDS, int(figures[layout.SHARDS]))
            self._alone(this, layout.ADMIT_REST, layout.ADMIT_REST)
        else:
            self._alone(this, layout.ADMIT, layout.ADMIT)
        used = this.used if figures[layout.CUT] < 0 else int(figures[layout.CUT]) + 1
        if store.keep_edges:
            store.want_edges(this.queued(self._chunks))
        self._divide(this, layout.WRITE_BACK, used)
        if store.keep_edges:
            self._divide(this, layout.LINK, used)

    def _divide(self, this: "_Pass", phase: int, count: int) -> None:
        """Divide the chunks, or shards, of a phase among the threads."""
        threads = self._threads
        assert threads is not None, "a single thread divides nothing"
        workers = threads.workers
        for number, share in enumerate(self._shares):
            share[:] = number, phase, phase, count * number // workers, count * (number + 1) // workers, 0
        serve(lambda: max(threads.each(lambda number: self._advance(this, number))), self._servants(this))

    def _advance(self, this: "_Pass", number: int) -> int:
        """Continue with a thread's share."""
        store = this.store
        return int(
            advance(
                self._shares[number],
                self.trees.arrays,
                self.trees.dispatch.arrays,
                (self.cells.hash_base, self.cells.hashes),
                this.block,
                store.blocks[-1],
                store.visited.table,
                store.free_edges,
                self._queue,
                self._by_shard,
                self._chunks,
                self._figures,
                self._counted[number],
                self.pruned.bounds,
                self._scratch,
            )
        )

    def _servants(self, this: "_Pass") -> dict[int, Callable[[], object]]:
        """For each reason why a phase stops, the method that serves it."""
        store = this.store
        return {
            serving.MISSED: lambda: self._memoize(this),
            serving.MISS_CONSTRAINT: lambda: self._memoize_constraint(this),
            serving.QUEUE_FULL: self._widen,
            serving.TABLE_FULL: lambda: self._widen_table(store),
            serving.EDGES_FULL: lambda: store.want_edges(this.queued(self._chunks)),
            serving.BLOCK_FULL: store.add_block,
        }

    def _widen_table(self, store: StateStore) -> None:
        store.visited.grow()
        self._figures[layout.LIMIT] = store.visited.limit

    def _memoize_constraint(self, this: "_Pass") -> None:
        try:
            self.pruned.memoize(int(self._figures[layout.WHAT]), self._scratch.tolist())
        except ModelError as error:
            error.met = self._queued(this)
            raise

    def _queued(self, this: "_Pass") -> tuple[list[int], int]:
        """The source row and the step of the successor that is being looked up."""
        chunk, place = int(self._figures[layout.AT_CHUNK]), int(self._figures[layout.AT_PLACE])
        first, end = int(self._chunks.first[chunk]), int(self._chunks.next[chunk])
        until = self._queue.until[chunk * CHUNK :][: end - first]
        source = first + int(np.searchsorted(until, place, "right"))
        return this.block.rows[source].tolist(), int(self._queue.step[chunk * self._room + place])

    def place_of(self, error: ModelError, store: StateStore, end: int) -> StatePlace | None:
        """The place where the model's error was raised: a state of `store` below number `end`, or a step from one.

        A pruned state has no number; its place is the step that leads to it. None if the place is not known.
        """
        if error.met is None:
            return None
        row, step = error.met
        number = store.find_row(row, end)
        if number is not None:
            return number, step
        block = self.pruned.block
        for at in np.flatnonzero((block.rows[: len(self.pruned)] == np.array(row)).all(axis=1)).tolist():
            return int(block.parent[at]), int(block.step[at])
        return None

    def _commit(self, this: "_Pass", stop: int) -> bool:
        """Hand the results of the pass to the store; returns whether the pass is complete."""
        chunks, figures = self._chunks, self._figures
        cut = int(figures[layout.CUT])
        store, base, queued = this.store, this.block.base, this.queued(chunks)
        expanded = linked = stop
        if cut >= 0:
            ends = self._queue.until[cut * CHUNK :][: chunks.next[cut] - chunks.first[cut]]
            expanded = int(chunks.first[cut] + np.searchsorted(ends, chunks.queued[cut], "right"))
            linked = expanded + 1
        store.commit(
            count=store.count + int(figures[layout.ADDED]),
            expanded=base + expanded,
            linked=base + linked,
            edges=queued if store.keep_edges else 0,
        )
        for counted in self._counted:
            for total, part in zip(self.counts, counted, strict=True):
                total += part
                part[:] = 0
        figures[layout.AT_CHUNK] = figures[layout.AT_PLACE] = 0
        sources = stop - int(chunks.first[0])
        # A stop loses the pass: the more calls of Python it takes, the fewer states it should have.
        often = self.trees.misses - self._misses > sources // _STATES_PER_MISS
        self._misses = self.trees.misses
        planned = self._states // 2 if often else 2 * self._states
        self._states = max(1, min(planned, CHUNK, self._room * sources // (2 * max(1, queued))))
        return cut < 0

    def _widen(self) -> None:
        """Double the room for the successors of each chunk."""
        old, self._room = self._queue, 2 * self._room
        self._queue = self._make_queue()
        for before, now in zip(old, self._queue, strict=True):
            if len(now) > len(before):
                now.reshape(CHUNKS, -1)[:, : len(before) // CHUNKS] = before.reshape(CHUNKS, -1)
            else:
                now[:] = before
        self._by_shard = self._make_by_shard()
        self._figures[layout.SHARDS] = 0  # the sorted queue is lost: admit this pass in order

    def _put_aside(self, block: Frontier) -> bool:
        """Put pruned successors of the last pass aside to be judged; returns whether some did not fit."""
        if not self._figures[layout.PRUNED]:
            return False
        pruned = self.pruned
        pruned.kept = put_aside(
            self.trees.arrays, block, self._queue, self._chunks, self._figures, pruned.block, pruned.kept
        )
        return bool(self._figures[layout.AT_CHUNK] < self._figures[layout.USED])

    def _memoize(self, this: "_Pass") -> None:
        """Answer the misses of the chunks in order, each distinct one once."""
        trees, rows = self.trees, this.block.rows
        missed = self._chunks.misses[: this.used]
        last, row = -1, []
        for c in np.flatnonzero(missed).tolist():
            for kind, which, state in self._queue.misses[c * layout.NOTED :][: missed[c]].tolist():
                if state != last:
                    last, row = state, rows[state].tolist()
                if kind == layout.OF_GROUP:
                    if not trees.dispatch.knows(which, row):
                        trees.dispatch.memoize(which, row)
                elif trees.leaf(trees.roots[which], row) < 0:
                    trees.memoize_action(which, row)
        this.store.fit()
        self.pruned.fit()
        if trees.misses >= self._due:
            self._due = trees.misses + _MISSES_PER_BEAT
            this.beat()
