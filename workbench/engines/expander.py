"""Computing successors: the passes around the compiled phases, which answer their misses and make room."""

from collections.abc import Callable, Sequence

import numpy as np

from workbench.engines.cells import Cells
from workbench.engines.kernels import Counts, Frontier
from workbench.engines.outside import Outside
from workbench.engines.phases import layout as phases
from workbench.engines.phases.advance import advance
from workbench.engines.phases.layout import Queue
from workbench.engines.phases.settle import put_aside
from workbench.engines.store import BLOCK, Store
from workbench.engines.trees import Trees
from workbench.kernel import Model

#: Chunks of a pass, and the states of a chunk: enough for many threads, few enough for a core's cache.
CHUNKS, CHUNK = 64, 256
_ROOM = 2048  # successors per chunk to begin with
_MISSES_PER_BEAT = 1000


class Expander:
    """A model's trees and all that is needed to compute successors with them. It outlives the stores it works on.

    What a pass does depends on the states alone, not on who does it: the same misses are met in the same order with any
    number of threads.

    Parameters
    ----------
    model : Model
    symmetry : sequence of str
        The sets whose names are interchangeable; empty for none.
    bits : {64, 128}
        The width of fingerprints.

    Attributes
    ----------
    counts : Counts
        Per action instance, since the expander was made.
    outside : Outside
        The successors that the model's constraints keep out. Who wants them takes them when `expand` pauses.
    """

    def __init__(self, model: Model, symmetry: Sequence[str] = (), bits: int = 64) -> None:
        self.model = model
        self.cells = Cells(model, symmetry, bits)
        self.trees = Trees(self.cells)
        self.counts, self._counted = (self._make_counts() for _ in range(2))
        self.outside = Outside(self.trees)
        self._states = CHUNK  # of a chunk: fewer where they have many successors
        self._room, self._numbered = _ROOM, False
        self._queue = self._make_queue()
        self._chunks = np.zeros((CHUNKS, phases.CHUNK_COLUMNS), np.int64)
        self._firsts = np.arange(CHUNKS, dtype=np.int64)
        self._figures = np.zeros(phases.FIGURES, np.int64)
        self._share = np.zeros(phases.SHARE, np.int64)
        self._scratch = np.zeros(len(self.cells.values), np.int32)
        self._prepared = False

    def _make_counts(self) -> Counts:
        return Counts(*(np.zeros(len(self.model.instances), np.int64) for _ in range(3)))

    def _make_queue(self) -> Queue:
        places = CHUNKS * self._room
        return Queue(
            low=np.empty(places, np.uint64),
            high=np.empty(places if self.cells.words == 2 else 0, np.uint64),
            step=np.empty(places, np.int32),
            found=np.empty(places, np.uint32),
            number=np.empty(places if self._numbered else 0, np.uint32),
            until=np.empty(CHUNKS * CHUNK, np.int32),
            misses=np.empty((CHUNKS * phases.NOTED, 3), np.int64),
        )

    def begin(self, store: Store) -> None:
        """Work on `store` from now on; it holds at least one state."""
        self.outside.forget()
        if self._numbered != store.keep_edges:
            self._numbered = store.keep_edges
            self._queue = self._make_queue()
        if not self._prepared:
            self.trees.dispatch.prepare(store.row(0).tolist())
            self._prepared = True

    def expand(
        self,
        store: Store,
        first: int,
        end: int,
        most: int = 2**32 - 1,
        pause: Callable[[int], None] = lambda expanded: None,
        beat: Callable[[int], None] = lambda expanded: None,
    ) -> bool:
        """Add the successors of the states `first` to `end` to the store.

        Parameters
        ----------
        most : int
            States that the store may hold.
        pause : callable
            Called now and then with the number of states expanded so far; may raise to stop.
        beat : callable
            The same, called more often where much has to be learnt, and a pass takes long.

        Returns
        -------
        bool
            False if the search stopped because `most` was reached.
        """
        while first < end:
            block, at = store.block_of(first)
            stop = min(at + CHUNKS * self._states, BLOCK, at + end - first)
            whole = self._pass(store, block, at, stop, most, beat)
            first += stop - at
            while self._put_aside(block):
                pause(store.expanded)
                self.outside.forget()
            if not whole or stop == BLOCK or first == end:
                pause(store.expanded)
            if not whole:
                return False
        return True

    def _pass(
        self, store: Store, block: Frontier, first: int, stop: int, most: int, beat: Callable[[int], None]
    ) -> bool:
        """Add the successors of the states `first` to `stop` of the block; False if there are more than `most`."""
        chunks, figures, share = self._chunks, self._figures, self._share
        chunks[:] = 0
        used = -(-(stop - first) // self._states)
        firsts = first + self._states * self._firsts[:used]
        chunks[:used, phases.FIRST] = chunks[:used, phases.NEXT] = firsts
        chunks[:used, phases.STOP] = np.minimum(firsts + self._states, stop)
        figures[:] = 0
        figures[phases.BEFORE], figures[phases.MOST], figures[phases.CUT] = store.count, most, -1
        share[:] = 0
        share[phases.LAST], share[phases.END] = phases.LINK, used
        due = self.trees.misses + _MISSES_PER_BEAT
        while (why := self._advance(store, block, store.blocks[-1])) != phases.DONE:
            if why == phases.MISSED:
                self._learn(block)
                if self.trees.misses >= due:
                    due = self.trees.misses + _MISSES_PER_BEAT
                    beat(block.base + first)
            elif why == phases.MISS_CONSTRAINT:
                self.outside.learn(int(figures[phases.WHAT]), self._scratch.tolist())
            elif why == phases.QUEUE_FULL:
                self._widen()
            elif why == phases.TABLE_FULL:
                store.visited.grow()
            elif why == phases.EDGES_FULL:
                store.make_edges(int(chunks[:, phases.QUEUED].sum()))
            elif why == phases.BLOCK_FULL:
                store.add_block()
        return self._commit(store, block, stop)

    def _advance(self, store: Store, block: Frontier, out: Frontier) -> int:
        self._figures[phases.LIMIT] = store.visited.limit
        return int(
            advance(
                self._share,
                self.trees.arrays,
                self.trees.dispatch.arrays,
                (self.cells.hash_base, self.cells.hashes),
                block,
                out,
                store.visited.table,
                store.free_edges,
                self._queue,
                self._chunks,
                self._figures,
                self._counted,
                self.outside.bounds,
                self._scratch,
            )
        )

    def _commit(self, store: Store, block: Frontier, stop: int) -> bool:
        """Let the store have what the pass has found; whether it is all that there is."""
        chunks, figures = self._chunks, self._figures
        cut = int(figures[phases.CUT])
        queued = int(chunks[:, phases.QUEUED].sum())
        expanded = linked = stop
        if cut >= 0:
            ends = self._queue.until[cut * CHUNK :][: chunks[cut, phases.NEXT] - chunks[cut, phases.FIRST]]
            expanded = int(chunks[cut, phases.FIRST] + np.searchsorted(ends, chunks[cut, phases.QUEUED], "right"))
            linked = expanded + 1
        store.commit(
            count=store.count + int(figures[phases.ADDED]),
            expanded=block.base + expanded,
            linked=block.base + linked,
            edges=queued if store.keep_edges else 0,
        )
        for total, part in zip(self.counts, self._counted, strict=True):
            total += part
            part[:] = 0
        figures[phases.AT_CHUNK] = figures[phases.AT_PLACE] = 0
        sources = stop - int(chunks[0, phases.FIRST])
        self._states = max(1, min(CHUNK, self._room * sources // (2 * max(1, queued))))
        return cut < 0

    def _widen(self) -> None:
        """Make twice the room for the successors of each chunk."""
        old, self._room = self._queue, 2 * self._room
        self._queue = self._make_queue()
        for before, now in zip(old, self._queue, strict=True):
            if len(now) > len(before):
                now.reshape(CHUNKS, -1)[:, : len(before) // CHUNKS] = before.reshape(CHUNKS, -1)
            else:
                now[:] = before

    def _put_aside(self, block: Frontier) -> bool:
        """Put successors of the last pass that are outside where they are judged; whether there is no room for all."""
        if not self._figures[phases.KEPT_OUT]:
            return False
        outside = self.outside
        outside.kept = put_aside(
            self.trees.arrays, block, self._queue, self._chunks, self._figures, outside.block, outside.kept
        )
        return bool(self._figures[phases.AT_CHUNK] < CHUNKS)

    def _learn(self, block: Frontier) -> None:
        """Ask Python for what the chunks missed, in their order; what several of them missed only once."""
        trees, chunks = self.trees, self._chunks
        for c in np.flatnonzero(chunks[:, phases.MISSES]).tolist():
            for miss in range(c * phases.NOTED, c * phases.NOTED + int(chunks[c, phases.MISSES])):
                kind, which, state = self._queue.misses[miss].tolist()
                row = block.rows[state].tolist()
                if kind == phases.OF_GROUP:
                    if not trees.dispatch.knows(which, row):
                        trees.dispatch.learn(which, row)
                elif not trees.knows(which, row):
                    trees.learn_action(which, row)
