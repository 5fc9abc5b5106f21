"""A part of a level while it is expanded: its states, and their successors until they are sent."""

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.kernels.loops import Frontier
from workbench.checking.local import store
from workbench.checking.local.store import StateStore, Visited
from workbench.checking.trees.cells import Interner

#: With more buckets, a part has the most blocks, or messages would be small.
_FEW_BUCKETS = 8
_MOST_BLOCKS = 4
_SUCCESSORS = 2  # the initial room for each state's successors


class _Sent(Visited):
    """The fingerprints that a task has sent. The states of a part are not among them, but are numbered before."""

    def __init__(self, words: int, states: int) -> None:
        super().__init__(words, numbered=False)
        self._states, self.before = states, 0

    @property
    def limit(self) -> int:
        """The first state number that the table has no room for."""
        return super().limit - self.before + self._states

    def clear(self) -> None:
        """Forget all of them; the room stays."""
        self.table.low[:] = 0
        self.before = 0


class PartStore(StateStore):
    """Holds one part at a time: its states, and those of their successors that the task has not sent yet.

    Attributes:
        room (int): The most states of a part, and the number of the first successor.
        filled (int): The number of states.
        fingerprints (uint64 array (room, words)): The states' fingerprints.
    """

    visited: _Sent

    def __init__(self, cells: Interner, buckets: int) -> None:
        self._blocks = 1 if buckets <= _FEW_BUCKETS else _MOST_BLOCKS
        self._allocated: list[Frontier] = []
        super().__init__(cells, keep_rows=True, keep_edges=False)
        self.room = self._blocks * store.BLOCK
        self.visited = _Sent(cells.words, self.room)
        self.fingerprints = np.empty((self.room, cells.words), np.uint64)
        while len(self.blocks) < self._blocks:
            self.add_block()
        self.begin_part()

    def add_block(self) -> Frontier:
        at = len(self.blocks)
        if at == len(self._allocated):
            self._allocated.append(self._new_block(at))
        self.blocks.append(self._allocated[at])
        return self._allocated[at]

    def _new_block(self, at: int) -> Frontier:
        last = self._allocated[-1] if self._allocated else None
        size = store.BLOCK if at < self._blocks else _SUCCESSORS * self._blocks * store.BLOCK
        return Frontier(
            base=0 if last is None else last.base + len(last.rows),
            rows=np.empty((size, self.width), self._row_type),
            sums=np.empty((size, self.cells.lanes), np.uint64),
            parent=np.empty(size, np.uint32),
            step=np.empty(size, np.int32),
            degree=np.empty(0, np.uint32),
        )

    def fit(self) -> None:
        if self._row_type is not self.cells.row_type:
            super().fit()
            self._allocated = list(self.blocks)

    def begin_task(self) -> None:
        """Forget the part, and the fingerprints sent."""
        self.count = self.room
        self.begin_part()
        self.visited.clear()

    def begin_part(self) -> None:
        """Forget the states and their successors."""
        self.visited.before += self.count - self.room if self.count else 0
        del self.blocks[self._blocks :]
        self.add_block()
        self.filled, self.count, self.expanded = 0, self.room, 0

    def put(self, fingerprints: np.ndarray, rows: np.ndarray) -> int:
        """Take in as many states as there is room for; returns their number."""
        self.fit()
        taken = done = min(len(rows), self.room - self.filled)
        self.fingerprints[self.filled : self.filled + taken] = fingerprints[:taken]
        while done:
            block, at = self.block_of(self.filled)
            some = slice(taken - done, taken - done + min(done, store.BLOCK - at))
            here = slice(at, at + some.stop - some.start)
            block.rows[here] = rows[some]
            self._sum(rows[some], fingerprints[some], block.sums[here])
            self.filled += some.stop - some.start
            done -= some.stop - some.start
        return taken

    def _sum(self, rows: np.ndarray, fingerprints: np.ndarray, sums: np.ndarray) -> None:
        if self.cells.lanes > self.cells.words:
            loops.add_hashes(rows, self.cells.hash_base, self.cells.hashes, sums)
            return
        sums[:] = fingerprints
        for at in np.flatnonzero(fingerprints[:, 0] == 1).tolist():  # it may stand for 0
            loops.add_hashes(rows[at : at + 1], self.cells.hash_base, self.cells.hashes, sums[at : at + 1])

    @property
    def successors(self) -> list[Frontier]:
        """The successors to be sent; their rows may be overwritten."""
        return [
            Frontier(block.base, *(part[: self.count - block.base] for part in block[1:]))
            for block in self.blocks[self._blocks :]
        ]
