"""A search's data: blocks of states in order of discovery, the visited set, and optionally the transitions.

Fingerprints are in an open-addressing table, and each state has its predecessor and step, which are packed once it is
expanded. Only the frontier keeps rows, of 16 bits per cell until a cell has too many values; in a very wide level most
of them are packed while they wait.
"""

import mmap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.kernels.compiled import is_interpreted
from workbench.checking.kernels.loops import EdgeArrays, Frontier, HashTable
from workbench.checking.kernels.packing import PackedRows
from workbench.checking.local.links import PackedLinks
from workbench.checking.local.memory import memory_limit
from workbench.checking.trees.cells import Interner

BLOCK = 1 << 16
#: Blocks that wait as they are, up to 2 GB of them: packing and unpacking takes a sixth of the time of a search.
_OPEN = 256
_SLOTS = 1 << 12  # of an empty table
_LOAD = 0.75  # beyond that, probing takes longer than the memory is worth
_GROWTH = 1.6  # of a table that is copied
#: From so many slots on, a table grows in place. It takes up to 8 * 1.15 / 0.75 = 12.3 bytes per state then, and each
#: entry moves about 1 / 0.15 = 7 times; a smaller factor would save memory, and need more passes over the table.
_LARGE, _GROWTH_IN_PLACE = 1 << 22, 1.15
#: The first slots of a table, whose entries may not move far enough to pass one another.
_BOTTOM = 1 << 16


def reserve(count: int, dtype: Any) -> np.ndarray:
    """An array of zeros that takes memory page by page, as it is written; it may be as large as the machine's memory.

    Raises:
        OSError: If there is a limit on addresses, or the system promises no more memory than it has.
    """
    pages = mmap.mmap(-1, max(1, count * np.dtype(dtype).itemsize), flags=mmap.MAP_PRIVATE | mmap.MAP_ANON)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # NumPy asks for them too: look-ups miss the TLB less
        pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, dtype, count)


class Visited:
    """The set of canonical fingerprints.

    Args:
        words ({1, 2}): 64-bit words per fingerprint.
        numbered: Whether to keep each state's number.
        in_place: Whether a large table grows in place: it then reserves addresses for the machine's memory.

    Attributes:
        peak_bytes (int): The most that it has held, both tables included while one was copied.
    """

    def __init__(self, words: int, numbered: bool, in_place: bool = False) -> None:
        self.words, self.numbered, self._in_place = words, numbered, in_place
        self.table = self._room = self._make(_SLOTS)
        self.peak_bytes = self.nbytes

    def _make(self, slots: int) -> HashTable:
        """A table of `slots` slots, or of as many as there will ever be if it grows in place."""

        def table(zeros: Any, slots: int) -> HashTable:
            sizes = slots, slots if self.words == 2 else 0, slots if self.numbered else 0
            return HashTable(*map(zeros, sizes, (np.uint64, np.uint64, np.uint32)))

        if self._in_place and slots >= _LARGE:
            with suppress(OSError):  # then it grows by copies
                return table(reserve, max(slots, memory_limit() // 8))
        return table(np.zeros, slots)

    @property
    def limit(self) -> int:
        """The number of states that the table has room for."""
        return int(len(self.table.low) * _LOAD)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self.table)

    def reserve(self, count: int) -> None:
        """Make room for the states up to number `count`."""
        if count > self.limit:
            self.grow(count - self.limit)

    def grow(self, more: int = 1) -> None:
        """Make room for at least `more` more states."""
        slots, before = len(self.table.low), self.nbytes
        growth = _GROWTH_IN_PLACE if self._in_place and slots >= _LARGE else _GROWTH
        larger = max(int(slots * growth), slots + int(more / _LOAD) + 1)
        if larger > len(self._room.low):
            room = self._make(larger)
            table = HashTable(*(part[:larger] for part in room))
            loops.rehash(self.table, table)
            self._room, self.table = room, table  # only now: there may be no memory for all that
        else:
            before = 0
            bottom = self._take(0, min(_BOTTOM, slots))
            self.table = HashTable(*(part[:larger] for part in self._room))
            crowded = self._take(len(bottom.low), loops.spread(self.table, len(bottom.low), slots))
            for taken in (bottom, crowded):
                loops.rehash(taken, self.table)
        self.peak_bytes = max(self.peak_bytes, before + self.nbytes)

    def _take(self, first: int, end: int) -> HashTable:
        """Take the entries out of some slots."""
        taken = HashTable(*(part[first:end].copy() for part in self.table))
        self.table.low[first:end] = 0
        return taken

    def add_new(self, fingerprints: np.ndarray, held: int) -> np.ndarray:
        """Add fingerprints, uint64 (states, words), numbered from `held` on; returns which are new."""
        new, at = np.zeros(len(fingerprints), np.bool_), 0
        while at < len(fingerprints):
            self.reserve(held + 1)
            at, held = loops.add_new(fingerprints, at, self.table, held, self.limit, new)
        return new

    def slices(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """All fingerprints, uint64 (states, words), in pieces without order, with the states' numbers if kept."""
        for first in range(0, len(self.table.low), BLOCK):
            low, high, number = (part[first : first + BLOCK] for part in self.table)
            used = low != 0
            fingerprints = np.stack([low[used], *([high[used]] if self.words == 2 else [])], axis=1)
            yield fingerprints, number[used] if self.numbered else number

    def find(self, sums: np.ndarray) -> bool:
        """Whether a state with the fingerprints `sums`, or one symmetric to it, has been visited."""
        return bool(loops.contains(loops.canonical_fingerprints(sums[None, :], self.words), self.table)[0])


class Transitions(NamedTuple):
    """The transitions between states, in the order of their sources.

    Attributes:
        degree: The number of transitions from each state.
        leaving, leaving_steps: The sources and steps of transitions to pruned states, which the others leave out.
    """

    degree: np.ndarray
    targets: np.ndarray
    steps: np.ndarray
    leaving: np.ndarray
    leaving_steps: np.ndarray


class StateStore:
    """States by number, in blocks. A block drops its rows and packs its links when all its states are expanded.

    A block may be packed before, while it waits: see :meth:`pack_before` and :meth:`open`.

    Args:
        keep_rows: Keep the rows of all states.
        keep_edges: Keep all transitions.

    Attributes:
        count (int): The number of states.
        expanded (int): The first state whose successors are not all in the store.
    """

    def __init__(self, cells: Interner, keep_rows: bool, keep_edges: bool) -> None:
        self.cells, self.keep_rows, self.keep_edges = cells, keep_rows, keep_edges
        self.width, self._row_type = len(cells.values), cells.row_type
        self.count = self.expanded = 0
        self.visited = Visited(cells.words, keep_edges, in_place=not is_interpreted())
        self.blocks: list[Frontier] = []
        self._links: list[PackedLinks] = []  # of the first blocks
        self._waiting: dict[int, tuple[PackedLinks, PackedRows]] = {}  # later blocks that are packed
        self._waiting_bytes = 0
        self._full = 0  # the first block that may be packed
        self._peak = 0  # bytes held, before the last blocks were released
        self._released = 0  # the bytes that these blocks still take, links included
        self._spare: list[list[np.ndarray]] = []  # what these blocks had instead, and the next blocks use again
        self._full_edges: list[EdgeArrays] = []
        self._edges = self.free_edges = EdgeArrays(np.empty(0, np.uint32), np.empty(0, np.int32))
        self._linked = (0, 0)  # the states whose transitions are kept; transitions in the last arrays
        self.add_block()

    def want_edges(self, room: int) -> None:
        """Make room for `room` more transitions, in new arrays if need be."""
        if room <= len(self.free_edges.target):
            return
        _, used = self._linked
        room = max(room, 8 * BLOCK)
        more = EdgeArrays(np.empty(room, np.uint32), np.empty(room, np.int32))
        self._full_edges.append(EdgeArrays(*(part[:used] for part in self._edges)))
        self._edges = self.free_edges = more
        self._linked = (self._linked[0], 0)

    def commit(self, count: int, expanded: int, linked: int, edges: int) -> None:
        """Set the number of states to `count`, and add `edges` transitions, those of the states up to `linked`."""
        self.count = count
        self._linked = (linked, self._linked[1] + edges)
        self.free_edges = EdgeArrays(*(part[self._linked[1] :] for part in self._edges))
        self.expanded = expanded

    def add_block(self) -> Frontier:
        rows, sums, parent, step = self._arrays()
        degree = np.zeros(BLOCK if self.keep_edges else 0, np.uint32)
        block = Frontier(len(self.blocks) * BLOCK, rows, sums, parent, step, degree)
        self.blocks.append(block)
        return block

    def _arrays(self) -> list[np.ndarray]:
        """Rows, sums, predecessors and steps for a block."""
        if self._spare:  # the system need not clear this memory again
            return self._spare.pop()
        rows = np.empty((BLOCK, self.width), self._row_type)
        sums = np.empty((BLOCK, self.cells.lanes), np.uint64)
        return [rows, sums, np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.int32)]

    def fit(self) -> None:
        """Widen the rows if the numbers of values need it."""
        if self._row_type is not self.cells.row_type:
            self._spare.clear()
            self.blocks = [block._replace(rows=block.rows.astype(self.cells.row_type)) for block in self.blocks]
            self._row_type = self.cells.row_type

    def release_before(self, number: int) -> None:
        """Drop rows and sums of the blocks that end before state `number`, and pack their links."""
        if number // BLOCK > len(self._links):
            self._peak = self._peak_so_far()
        for at in range(len(self._links), number // BLOCK):
            block = self.blocks[at]
            self._links.append(PackedLinks.of(block.parent, block.step))
            self._drop(at)
            self._released += self._links[at].nbytes + sum(part.nbytes for part in self.blocks[at][1:])

    def pack_before(self, number: int) -> None:
        """Pack the blocks that end before state `number` and have enough others to be expanded before them."""
        for at in range(max(self._full, len(self._links)), number // BLOCK):
            self._full = at + 1
            if self.keep_rows or self._open_blocks <= _OPEN:
                continue
            block = self.blocks[at]
            shared = [np.arange(len(values), dtype=np.int32) for values in self.cells.values]
            rows, _ = PackedRows.of(block.rows, np.arange(BLOCK), shared)
            self._waiting[at] = links, rows = PackedLinks.of(block.parent, block.step), rows
            self._waiting_bytes += links.nbytes + rows.nbytes
            self._drop(at)

    def open(self, number: int) -> None:
        """Unpack block `number`, to be expanded, if it is packed."""
        if number not in self._waiting:
            return
        links, packed = self._waiting.pop(number)
        self._waiting_bytes -= links.nbytes + packed.nbytes
        self.fit()
        rows, sums, parent, step = self._arrays()
        [rows[:]] = packed.unpack_as(np.ones(BLOCK, np.bool_), packed.numbers.astype(self._row_type))
        loops.add_hashes(rows, self.cells.hash_base, self.cells.hashes, sums)
        parent[:], step[:] = links.unpack()
        self.blocks[number] = Frontier(number * BLOCK, rows, sums, parent, step, self.blocks[number].degree)

    @property
    def _open_blocks(self) -> int:
        """The number of blocks that are neither expanded nor packed."""
        return len(self.blocks) - len(self._links) - len(self._waiting)

    def _drop(self, at: int) -> None:
        """Empty a block; the next blocks use its arrays, unless rows are kept."""
        block = self.blocks[at]
        held = [block.rows, block.sums, block.parent, block.step]
        rows, sums, parent, step = (part[:0].copy() for part in held)
        if self.keep_rows:
            rows = block.rows
        elif len(self._spare) < self._open_blocks:  # the next level is about as large as the last one
            self._spare.append(held)
        self.blocks[at] = block._replace(rows=rows, sums=sums, parent=parent, step=step)

    def add_initial(self, rows: Sequence[Sequence[int]], which: Sequence[int]) -> None:
        """Add the new ones among some initial states, each with the step ``-1 - which``."""
        self.fit()
        encoded = np.array(rows, self._row_type).reshape(-1, self.width)
        sums = self._sums_of(encoded)
        new = self.visited.add_new(loops.canonical_fingerprints(sums, self.cells.words), self.count)
        self._append(encoded[new], sums[new], -1 - np.array(which, np.int32)[new])

    def add_rows(self, rows: np.ndarray) -> None:
        """Add different states by their rows alone."""
        self.fit()
        for first in range(0, len(rows), BLOCK):
            some = rows[first : first + BLOCK]
            self._append(some, self._sums_of(some), np.full(len(some), -1, np.int32))
        self.visited.reserve(self.count)
        sums = self.column("sums")
        self.visited.add_new(loops.canonical_fingerprints(sums, self.cells.words), 0)

    def _sums_of(self, rows: np.ndarray) -> np.ndarray:
        sums = np.empty((len(rows), self.cells.lanes), np.uint64)
        loops.add_hashes(rows, self.cells.hash_base, self.cells.hashes, sums)
        return sums

    def _append(self, rows: np.ndarray, sums: np.ndarray, steps: np.ndarray) -> None:
        """Write states without predecessors into the blocks, as the next ones."""
        while len(steps):
            block, at = self.block_of(self.count)
            end = min(at + len(steps), BLOCK)
            taken = end - at
            block.rows[at:end], block.sums[at:end] = rows[:taken], sums[:taken]
            block.parent[at:end], block.step[at:end] = 0, steps[:taken]
            rows, sums, steps = rows[taken:], sums[taken:], steps[taken:]
            self.count += taken
            if end == BLOCK:
                self.add_block()

    def block_of(self, number: int) -> tuple[Frontier, int]:
        return self.blocks[number // BLOCK], number % BLOCK

    def _unpacked(self, number: int) -> Frontier:
        """Block `number` with its links."""
        block = self.blocks[number]
        if number < len(self._links):
            links = self._links[number]
        elif number in self._waiting:
            links, _ = self._waiting[number]
        else:
            return block
        parent, step = links.unpack()
        return block._replace(parent=parent, step=step)

    def slices(self, first: int, end: int) -> Iterator[Frontier]:
        """The states from number `first` up to `end`, block by block; each piece's base is its first state's number."""
        for number in range(first // BLOCK, -(-end // BLOCK)):
            block = self._unpacked(number)
            some = slice(max(first - block.base, 0), min(end - block.base, BLOCK))
            yield Frontier(block.base + some.start, *(part[some] for part in block[1:]))

    def row(self, number: int) -> np.ndarray:
        block, at = self.block_of(number)
        return block.rows[at]

    def path(self, number: int) -> tuple[int, list[int]]:
        """The initial state that leads to state `number`, and the steps from there."""
        steps: list[int] = []
        while True:
            block, at = self._unpacked(number // BLOCK), number % BLOCK
            step = int(block.step[at])
            if step < 0:
                return -1 - step, steps[::-1]
            steps.append(step)
            number = int(block.parent[at])

    def find_row(self, row: Sequence[int], end: int) -> int | None:
        """The number of the state with this row, among the states up to `end` whose rows are there."""
        for block in self.blocks:
            for at in np.flatnonzero((block.rows[: max(0, end - block.base)] == np.array(row)).all(axis=1)).tolist():
                return block.base + int(at)
        return None

    def parts(self, name: str) -> Iterator[np.ndarray]:
        """One of the blocks' arrays for all states, in order, block by block (rows only if kept)."""
        for number, block in enumerate(self.blocks):
            held = self._unpacked(number) if name in ("parent", "step") else block
            yield getattr(held, name)[: max(0, self.count - block.base)]

    def column(self, name: str) -> np.ndarray:
        """One of the blocks' arrays for all states, in order (rows only if kept)."""
        return np.concatenate(list(self.parts(name)))

    def rows_of(self, numbers: np.ndarray) -> np.ndarray:
        """The rows of some states."""
        rows = np.empty((len(numbers), self.width), self._row_type)
        of_block = numbers // BLOCK
        for number in np.unique(of_block).tolist():
            here = of_block == number
            rows[here] = self.blocks[number].rows[numbers[here] % BLOCK]
        return rows

    @property
    def edges(self) -> list[EdgeArrays]:
        """All transitions, in the order of their sources, array by array."""
        return [*self._full_edges, EdgeArrays(*(part[: self._linked[1]] for part in self._edges))]

    def transitions(self) -> Transitions:
        linked, _ = self._linked
        parts = self.edges
        targets, steps = np.concatenate([p.target for p in parts]), np.concatenate([p.step for p in parts])
        degree, leaves = self.column("degree"), targets == loops.OUTSIDE
        degree[linked:] = 0  # the transitions of a stopped pass are not kept
        leaving = np.repeat(np.arange(len(degree)), degree)[leaves] if leaves.any() else np.empty(0, np.int64)
        leaving_steps = steps[leaves]
        if len(leaving):
            degree = degree - np.bincount(leaving, minlength=len(degree)).astype(degree.dtype)
            targets, steps = targets[~leaves], steps[~leaves]
        return Transitions(degree, targets, steps, leaving, leaving_steps)

    @property
    def bytes_per_state(self) -> float:
        """The most bytes held at a time, by all that grows with the states, per visited state."""
        return self._peak_so_far() / max(1, self.count)

    def _peak_so_far(self) -> int:
        return max(self._peak, self.nbytes - self.visited.nbytes + self.visited.peak_bytes)

    @property
    def nbytes(self) -> int:
        edges = sum(part.nbytes for edges in [*self._full_edges, self._edges] for part in edges)
        unexpanded = sum(part.nbytes for block in self.blocks[len(self._links) :] for part in block[1:])
        spare = sum(part.nbytes for parts in self._spare for part in parts)
        return self.visited.nbytes + self._released + edges + unexpanded + self._waiting_bytes + spare
