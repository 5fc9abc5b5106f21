"""The inner nodes of decision trees and their branches: a child for each value of a node's cell.

Branches lie side by side, indexed by value number. A node that meets few of very many values has a hash table instead;
its size is then 0, and a kernel that finds a value beyond the size looks in the table.

A table starts with its number of slots, a power of two, and how many are in use. A slot holds a value number plus one
(0 while free) and the child.
"""

from collections.abc import Iterator

import numpy as np

from workbench.checking.kernels.arrays import Growing
from workbench.checking.kernels.compiled import njit

#: Child numbers: 0 is not known yet, positive is an inner node, negative is leaf ``-1 - child``.
UNKNOWN = 0

#: The values a node first has room for; and the values up to which it has room for all, met or not.
_LEAST_ROOM, _FEW = 4, 1024
_LEAST_SLOTS, _HEAD = 4, 2
#: Multiplicative hashing of value numbers: the bits above the shift choose the slot.
_FACTOR, _SHIFT = 2654435761, 16


def _slot(branch, base, value):
    """The position in `branch` of the slot of `value` in the table at `base`, or of the free slot where it belongs."""
    mask, key = np.int64(branch[base]) - 1, np.int64(value) + 1
    slot = ((key * _FACTOR) >> _SHIFT) & mask
    at = np.int64(base) + _HEAD + 2 * slot
    while branch[at] != 0 and branch[at] != key:
        slot = (slot + 1) & mask
        at = np.int64(base) + _HEAD + 2 * slot
    return at


slot_in_table = njit(cache=True, nogil=True)(_slot)


@njit(cache=True, nogil=True)
def in_table(branch, base, value):
    """The child for `value` in the table at `base` of `branch`; a free slot holds UNKNOWN."""
    return np.int64(branch[slot_in_table(branch, base, value) + 1])


class TreeNodes:
    """The nodes of some trees.

    Attributes:
        cell, base, size (Growing): For each node its cell, the start of its branches, and the number of values with
            room; 0 for a table. Node 0 is a sentinel.
        branch (Growing): The children.
    """

    def __init__(self) -> None:
        self.cell, self.base, self.size = (Growing(np.uint32) for _ in range(3))
        self.branch = Growing(np.int32)
        self.cell.append(0), self.base.append(0), self.size.append(0)

    def add(self, cell: int, value: int) -> int:
        """A new node for `cell`, with room for `value`."""
        if value < _FEW:
            room = max(_LEAST_ROOM, value + 1)
            self.base.append(self.branch.reserve(room)), self.size.append(room)
        else:
            self.base.append(self._table(_LEAST_SLOTS)), self.size.append(0)
        return self.cell.append(cell)

    def child(self, node: int, value: int) -> int:
        """The child of `node` for `value`."""
        base, size = self.base.items[node], self.size.items[node]
        if value < size:
            return self.branch.items[base + value]
        return UNKNOWN if size else self.branch.items[_slot(self.branch.items, base, value) + 1]

    def branches(self, node: int, turn: int) -> Iterator[tuple[int, int]]:
        """The values that have a child at `node`, with the children, starting at `turn`."""
        base, size, items = self.base.items[node], self.size.items[node], self.branch.items
        for number in range(room := size or items[base]):
            at = (number + turn) % room
            slot = base + _HEAD + 2 * at
            value, child = (at, items[base + at]) if size else (items[slot] - 1, items[slot + 1])
            if child != UNKNOWN:
                yield value, child

    def place(self, node: int, value: int) -> int:
        """Make room for the child of `node` for `value`, and return its position in `branch`."""
        base, size = self.base.items[node], self.size.items[node]
        if value < size:
            return base + value
        if size == 0:
            items = self.branch.items
            slot = int(_slot(items, base, value))
            if items[slot] == 0 and 2 * items[base + 1] < items[base]:
                items[base + 1] += 1
                items[slot] = value + 1
            if items[slot] != 0:
                return slot + 1
        self._widen(node, value)
        return self.place(node, value)

    def _table(self, slots: int) -> int:
        at = self.branch.reserve(_HEAD + 2 * slots)
        self.branch.items[at] = slots
        return at

    def _widen(self, node: int, value: int) -> None:
        """Double the room of `node` and include `value`: side by side unless a table takes much less."""
        old, size = self.base.items[node], self.size.items[node]
        if size:
            values = np.flatnonzero(self.branch[old : old + size])
            children = self.branch[old + values]
        else:
            table = self.branch[old + _HEAD : old + _HEAD + 2 * self.branch.items[old]].reshape(-1, 2)
            table = table[table[:, 1] != UNKNOWN]
            values, children = table[:, 0] - 1, table[:, 1].copy()
        least = 1 + max(value, int(values.max(initial=0)))
        slots = max(_LEAST_SLOTS, 1 << (4 * len(values)).bit_length())
        if least <= max(_FEW, 2 * slots):
            room = max(2 * size, least)
            at = self.branch.reserve(room)
            self.branch[at + values] = children
        else:
            room, at = 0, self._table(slots)
            for key, child in zip(values.tolist(), children.tolist(), strict=True):
                slot = _slot(self.branch.items, at, key)
                self.branch.items[slot], self.branch.items[slot + 1] = key + 1, child
            self.branch.items[at + 1] = len(values)
        self.base.items[node], self.size.items[node] = at, room


def branches_of(base: np.ndarray, size: np.ndarray, branch: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For some nodes: how many branches each has room for, their size in `branch`, and the positions of them all."""
    tables = size == 0
    counts = np.where(tables, branch[base], size).astype(np.int64)
    stride, first = 1 + tables, base + np.where(tables, _HEAD + 1, 0)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return counts, counts * stride + _HEAD * tables, np.repeat(first, counts) + np.repeat(stride, counts) * within
