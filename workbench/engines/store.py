"""What a search keeps: blocks of states in order of discovery, the visited set, and the transitions where wanted.

Fingerprints are in an open-addressing table, and each state has its predecessor and step. Rows are kept for the
frontier only, of 16 bits per cell until one has more values than these can number.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from workbench.engines import kernels
from workbench.engines.cells import Cells
from workbench.engines.kernels import Edges, Frontier, Table

BLOCK = 1 << 16
_SLOTS = 1 << 12  # of an empty table
_LOAD, _GROWTH = 0.75, 1.6  # between 8/0.75 = 11 and 8*1.6/0.75 = 17 bytes per state


class Visited:
    """The set of canonical fingerprints.

    Args:
        words ({1, 2}): 64-bit words per fingerprint.
        numbered: Whether to keep each state's number.
    """

    def __init__(self, words: int, numbered: bool) -> None:
        self.words, self.numbered = words, numbered
        self.table = self._make(_SLOTS)
        self.peak_bytes_per_state = 0.0

    def _make(self, slots: int) -> Table:
        return Table(
            np.zeros(slots, np.uint64),
            np.zeros(slots if self.words == 2 else 0, np.uint64),
            np.zeros(slots if self.numbered else 0, np.uint32),
        )

    @property
    def limit(self) -> int:
        """How many states the table has room for."""
        return int(self.table.low.shape[0] * _LOAD)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.table)

    def grow(self) -> None:
        new = self._make(int(self.table.low.shape[0] * _GROWTH))
        kernels.rehash(self.table, new)
        both = self.nbytes + sum(part.nbytes for part in new)
        self.peak_bytes_per_state = both / self.limit  # the old table was full; larger tables weigh the same
        self.table = new

    def add_new(self, fingerprints: np.ndarray, held: int) -> np.ndarray:
        """Add fingerprints, uint64 (states, words), to the `held` ones, numbered from there on; which are new."""
        new, at = np.zeros(len(fingerprints), np.bool_), 0
        while at < len(fingerprints):
            if held >= self.limit:
                self.grow()
            at, held = kernels.add_new(fingerprints, at, self.table, held, self.limit, new)
        return new

    def _split(self, sums: np.ndarray) -> tuple[np.uint64, np.uint64]:
        lanes = sums.shape[0]
        best = kernels.canonical(sums, lanes, self.words)
        high = sums[lanes // 2 + best] if self.words == 2 else np.uint64(0)
        return sums[best] or np.uint64(1), high

    def add(self, sums: np.ndarray, number: int) -> bool:
        """Add the state with the fingerprints `sums`; whether it was new."""
        return bool(kernels.insert(*self._split(sums), self.table, number))

    def slices(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All fingerprints in the set, uint64 (states, words), piece by piece and in no particular order.

        With them the states' numbers, if these are kept.
        """
        for first in range(0, len(self.table.low), BLOCK):
            low, high, number = (part[first : first + BLOCK] for part in self.table)
            used = low != 0
            fingerprints = np.stack([low[used], *([high[used]] if self.words == 2 else [])], axis=1)
            yield fingerprints, number[used] if self.numbered else number

    def find(self, sums: np.ndarray) -> bool:
        """Whether a state with the fingerprints `sums`, or one symmetric to it, has been visited."""
        return bool(kernels.contains(kernels.canonical_fingerprints(sums[None, :], self.words), self.table)[0])


class Transitions(NamedTuple):
    """The transitions between states, in the order of their sources; apart from them those that lead outside.

    Attributes:
        degree: How many leave each state.
        leaving: The sources of those that lead outside the constraints.
    """

    degree: np.ndarray
    targets: np.ndarray
    steps: np.ndarray
    leaving: np.ndarray
    leaving_steps: np.ndarray


class Store:
    """States by number, in blocks; a block's rows are dropped when all its states have been expanded.

    Args:
        keep_rows: Keep the rows of all states.
        keep_edges: Keep all transitions.

    Attributes:
        count (int): States so far.
        expanded (int): The number of the first state whose successors are not all in the store.
    """

    def __init__(self, cells: Cells, keep_rows: bool, keep_edges: bool) -> None:
        self.cells, self.keep_rows, self.keep_edges = cells, keep_rows, keep_edges
        self.width, self._row_type = len(cells.values), cells.row_type
        self.count = self.expanded = 0
        self.visited = Visited(cells.words, keep_edges)
        self.blocks: list[Frontier] = []
        self._spare: list[tuple[np.ndarray, np.ndarray]] = []  # rows and sums of blocks that are done with
        self._full_edges: list[Edges] = []
        self._edges = self.free_edges = Edges(np.empty(0, np.uint32), np.empty(0, np.int32))
        self._linked = (0, 0)  # the states whose transitions are kept, and how many there are in the last arrays
        self.add_block()

    def want_edges(self, room: int) -> None:
        """Have room for so many more transitions: if there is none, arrays are put aside and others begun."""
        if room <= len(self.free_edges.target):
            return
        _, used = self._linked
        self._full_edges.append(Edges(*(part[:used] for part in self._edges)))
        room = max(room, 8 * BLOCK)
        self._edges = self.free_edges = Edges(np.empty(room, np.uint32), np.empty(room, np.int32))
        self._linked = (self._linked[0], 0)

    def commit(self, count: int, expanded: int, linked: int, edges: int) -> None:
        """Let there be `count` states, and `edges` more transitions, which are those of the states up to `linked`."""
        self.count = count
        self._linked = (linked, self._linked[1] + edges)
        self.free_edges = Edges(*(part[self._linked[1] :] for part in self._edges))
        self.expanded = expanded

    def add_block(self) -> Frontier:
        if self._spare:  # memory that is used again need not be cleared by the system again
            rows, sums = self._spare.pop()
        else:
            rows = np.empty((BLOCK, self.width), self._row_type)
            sums = np.empty((BLOCK, self.cells.lanes), np.uint64)
        block = Frontier(
            base=len(self.blocks) * BLOCK,
            rows=rows,
            sums=sums,
            parent=np.empty(BLOCK, np.uint32),
            step=np.empty(BLOCK, np.int32),
            degree=np.zeros(BLOCK if self.keep_edges else 0, np.uint32),
        )
        self.blocks.append(block)
        return block

    def fit(self) -> None:
        """Have rows that hold all numbers that cells have given by now."""
        if self._row_type is not self.cells.row_type:
            self._spare.clear()
            self.blocks = [block._replace(rows=block.rows.astype(self.cells.row_type)) for block in self.blocks]
            self._row_type = self.cells.row_type

    def release_before(self, number: int) -> None:
        """Drop what only unexpanded states need from the blocks that end before state `number`."""
        for at in range(number // BLOCK - 1, -1, -1):
            block = self.blocks[at]
            if len(block.sums) == 0:
                break
            if not self.keep_rows:
                self._spare.append((block.rows, block.sums))
            rows = block.rows if self.keep_rows else block.rows[:0].copy()
            self.blocks[at] = block._replace(rows=rows, sums=block.sums[:0].copy())
        del self._spare[len(self.blocks) - number // BLOCK :]  # the next level is about as large as the last one

    def add_initial(self, row: list[int], which: int) -> bool:
        """Add an initial state; whether it was new. Its `step` is ``-1 - which``."""
        self.fit()
        sums = self.cells.sums(row)
        if self.visited.limit <= self.count:
            self.visited.grow()
        if not self.visited.add(sums, self.count):
            return False
        block, at = self.block_of(self.count)
        block.rows[at], block.sums[at], block.parent[at], block.step[at] = row, sums, 0, -1 - which
        self.count += 1
        if self.count % BLOCK == 0:
            self.add_block()
        return True

    def add_rows(self, rows: np.ndarray) -> None:
        """Add states that nothing is known of but their rows; they differ from each other."""
        self.fit()
        for first in range(0, len(rows), BLOCK):
            some = rows[first : first + BLOCK]
            block = self.blocks[-1]
            block.rows[: len(some)] = some
            kernels.add_hashes(some, self.cells.hash_base, self.cells.hashes, block.sums)
            block.parent[: len(some)], block.step[: len(some)] = 0, -1
            self.count += len(some)
            if len(some) == BLOCK:
                self.add_block()
        while self.visited.limit <= self.count:
            self.visited.grow()
        sums = self.column("sums")
        self.visited.add_new(kernels.canonical_fingerprints(sums, self.cells.words), 0)

    def block_of(self, number: int) -> tuple[Frontier, int]:
        return self.blocks[number // BLOCK], number % BLOCK

    def slices(self, first: int, end: int) -> Iterator[Frontier]:
        """The states from number `first` up to `end`, block by block; each piece's base is its first state's number."""
        for block in self.blocks[first // BLOCK : -(-end // BLOCK)]:
            some = slice(max(first - block.base, 0), min(end - block.base, BLOCK))
            yield Frontier(block.base + some.start, *(part[some] for part in block[1:]))

    def row(self, number: int) -> np.ndarray:
        block, at = self.block_of(number)
        return block.rows[at]

    def path(self, number: int) -> tuple[int, list[int]]:
        """The initial state from which state `number` was found, and the steps from there."""
        steps: list[int] = []
        while True:
            block, at = self.block_of(number)
            step = int(block.step[at])
            if step < 0:
                return -1 - step, steps[::-1]
            steps.append(step)
            number = int(block.parent[at])

    def find_row(self, row: Sequence[int], end: int) -> int | None:
        """The number of the state with this row, if it is one of those up to `end` whose rows are there."""
        for block in self.blocks:
            for at in np.flatnonzero((block.rows[: max(0, end - block.base)] == np.array(row)).all(axis=1)).tolist():
                return block.base + int(at)
        return None

    def column(self, name: str) -> np.ndarray:
        """One of the blocks' arrays for all states, in order (rows only if they were kept)."""
        parts = [getattr(block, name)[: max(0, self.count - block.base)] for block in self.blocks]
        return np.concatenate(parts)

    @property
    def edges(self) -> list[Edges]:
        """All transitions, in the order of their sources, array by array."""
        return [*self._full_edges, Edges(*(part[: self._linked[1]] for part in self._edges))]

    def transitions(self) -> Transitions:
        """All transitions."""
        linked, _ = self._linked
        parts = self.edges
        targets, steps = np.concatenate([p.target for p in parts]), np.concatenate([p.step for p in parts])
        degree, leaves = self.column("degree"), targets == kernels.OUTSIDE
        degree[linked:] = 0  # those of a pass that was stopped are not kept
        leaving = np.repeat(np.arange(len(degree)), degree)[leaves] if leaves.any() else np.empty(0, np.int64)
        leaving_steps = steps[leaves]
        if len(leaving):
            degree = degree - np.bincount(leaving, minlength=len(degree)).astype(degree.dtype)
            targets, steps = targets[~leaves], steps[~leaves]
        return Transitions(degree, targets, steps, leaving, leaving_steps)

    @property
    def bytes_per_state(self) -> float:
        """The most that was held for each visited state: its share of the visited set, also while that grew, and links.

        Rows and sums of the frontier, and transitions where they are kept, come on top.
        """
        links = sum(part.itemsize for part in (self.blocks[0].parent, self.blocks[0].step))
        return max(self.visited.peak_bytes_per_state, self.visited.nbytes / max(1, self.count)) + links

    @property
    def nbytes(self) -> int:
        links = sum(block.parent.nbytes + block.step.nbytes + block.degree.nbytes for block in self.blocks)
        edges = sum(part.nbytes for edges in [*self._full_edges, self._edges] for part in edges)
        unexpanded = sum(block.rows.nbytes + block.sums.nbytes for block in self.blocks)
        spare = sum(part.nbytes for parts in self._spare for part in parts)
        return self.visited.nbytes + links + edges + unexpanded + spare
