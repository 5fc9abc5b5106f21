"""Computing successors: the loop around the compiled kernel, which answers its misses and makes room."""

from collections.abc import Callable, Sequence

import numpy as np

from workbench.engines import kernels
from workbench.engines.cells import Cells
from workbench.engines.kernels import Counts, Queue
from workbench.engines.outside import Outside
from workbench.engines.store import BLOCK, Store
from workbench.engines.trees import Trees
from workbench.kernel import Model

_QUEUE = 512
_MISSES_PER_BEAT = 1000


class Expander:
    """A model's trees and all that is needed to compute successors with them. It outlives the stores it works on.

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
        self.counts = Counts(*(np.zeros(len(model.instances), np.int64) for _ in range(3)))
        self._queue = self._make_queue(_QUEUE)
        self._cursor = np.zeros(kernels.CURSOR, np.int64)
        self.outside = Outside(self.trees, self._cursor)
        self._base = 0  # the first state of the block that is expanded
        self._prepared = False

    def _make_queue(self, room: int) -> Queue:
        return Queue(
            np.empty(room, np.uint64),
            np.empty(room if self.cells.words == 2 else 0, np.uint64),
            np.empty((room, self.cells.lanes), np.uint64),
            np.empty(room, np.int64),
            np.empty(room, np.int32),
        )

    def begin(self, store: Store) -> None:
        """Work on `store` from now on; it holds at least one state."""
        self.outside.forget()
        self._cursor[:] = 0
        self._cursor[kernels.COUNT] = store.count
        self._base = 0
        if not self._prepared:
            self.trees.dispatch.prepare(store.row(0).tolist())
            self._prepared = True

    def settle(self, store: Store) -> None:
        """Let the store count what an expansion that was interrupted has added to it."""
        store.count = max(store.count, int(self._cursor[kernels.COUNT]))

    @property
    def expanded(self) -> int:
        """The number of the first state whose successors are not all in the store."""
        first, end = int(self._cursor[kernels.FLUSHED]), int(self._cursor[kernels.QUEUED])
        at = self._queue.parent[first] if first < end else self._cursor[kernels.STATE]
        return self._base + int(at)

    @property
    def edges(self) -> int:
        """Transitions in the store's last arrays."""
        return int(self._cursor[kernels.EDGES])

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
            The same, called more often where much has to be learnt, and a block takes long.

        Returns
        -------
        bool
            False if the search stopped because `most` was reached.
        """
        cursor = self._cursor
        due = self.trees.misses + _MISSES_PER_BEAT
        for base in range(first - first % BLOCK, end, BLOCK):
            self._base = base
            cursor[kernels.STATE] = max(first, base) - base
            stop = min(end, base + BLOCK) - base
            while True:
                why = self._call(store, base // BLOCK, stop, most)
                if why in (kernels.MISS_ACTION, kernels.MISS_GROUP):
                    self._learn(why, store.row(base + int(cursor[kernels.STATE])).tolist())
                    if self.trees.misses >= due:
                        due = self.trees.misses + _MISSES_PER_BEAT
                        store.count = int(cursor[kernels.COUNT])
                        beat(base + int(cursor[kernels.STATE]))
                    continue
                if why == kernels.MISS_CONSTRAINT:
                    self.outside.learn()
                    continue
                store.count = int(cursor[kernels.COUNT])
                pause(base + int(cursor[kernels.STATE]))
                if why == kernels.DONE:
                    break
                if why == kernels.BLOCK_FULL:
                    store.add_block()
                elif why == kernels.TABLE_FULL:
                    store.visited.grow()
                elif why == kernels.EDGES_FULL:
                    store.next_edges()
                    cursor[kernels.EDGES] = 0
                elif why == kernels.OUTSIDE_FULL:
                    self.outside.forget()
                else:
                    return False
        return True

    def _call(self, store: Store, source: int, stop: int, most: int) -> int:
        if self.trees.longest_leaf > len(self._queue.low):  # a leaf is queued as a whole
            grown = self._make_queue(2 * self.trees.longest_leaf)
            for old, new in zip(self._queue, grown, strict=True):
                new[: len(old)] = old
            self._queue = grown
        return int(
            kernels.expand(
                self.trees.arrays,
                self.trees.dispatch.arrays,
                (self.cells.hash_base, self.cells.hashes),
                store.blocks[source],
                stop,
                store.blocks[-1],
                store.visited.table,
                store.visited.limit,
                most,
                self._queue,
                store.edges,
                self.counts,
                self.outside.bounds,
                self.outside.block,
                self._cursor,
            )
        )

    def _learn(self, why: int, row: list[int]) -> None:
        if why == kernels.MISS_GROUP:
            self.trees.dispatch.learn(int(self._cursor[kernels.GROUP]), row)
        else:
            self.trees.learn_action(int(self._cursor[kernels.WHAT]), row)
