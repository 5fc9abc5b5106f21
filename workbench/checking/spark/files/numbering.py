"""The numbers of values in this process, in all processes, and in a file; and the visited sets of buckets.

The first file with a new value numbers it; the value gets its global number between jobs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels.arrays import Growing
from workbench.checking.kernels.packing import UNKNOWN, PackedRows, renumber
from workbench.checking.local.store import Visited
from workbench.checking.trees.cells import Interner
from workbench.kernel import InputError
from workbench.kernel.meaning.values import identity


class Numbering:
    """Translates between this process's numbers of values and the global ones."""

    def __init__(self, cells: Interner) -> None:
        self._cells = cells
        self._local_of = [Growing(np.int32) for _ in cells.values]
        self._counts: list[list[int]] = []  # for each level the number of global values of each cell

    @property
    def levels(self) -> int:
        """The number of levels with known values."""
        return len(self._counts)

    def add_level(self, values: Sequence[Sequence[Any]]) -> None:
        """Add the values that got global numbers after one more level."""
        for cell, new in enumerate(values):
            for value in new:
                self._local_of[cell].append(self._cells.number(cell, value))
        self._counts.append([column.size for column in self._local_of])

    def counts(self, level: int) -> list[int]:
        return self._counts[level]

    def local(self, level: int, extras: Sequence[Sequence[Any]]) -> "Translation":
        """The translation to local numbers from global ones as of `level` and numbers of `extras`."""
        parts = []
        for cell, count in enumerate(self._counts[level]):
            own = [self._cells.number(cell, value) for value in extras[cell]]
            parts.append(np.concatenate([self._local_of[cell].array[:count], np.array(own, np.int32)]))
        return Translation.of(parts, self._cells.row_type)

    def to_shared(self, rows: np.ndarray, level: int) -> np.ndarray:
        """The rows in global numbers; as of `level`, all their values must have one."""
        return Translation.of(self.shared(level), np.int32).of_rows(rows)

    def shared(self, level: int) -> list[np.ndarray]:
        """The global number, as of `level`, of each local one, for each cell; UNKNOWN if there is none."""
        parts = []
        for values, local_of, count in zip(self._cells.values, self._local_of, self._counts[level], strict=True):
            part = np.full(len(values), UNKNOWN, np.int32)
            part[local_of.array[:count]] = np.arange(count, dtype=np.int32)
            parts.append(part)
        return parts


class Translation(NamedTuple):
    """Renumbers values: ``numbers[base[c] + v]`` for value v of cell c, which must be below ``room[c]``.

    Kernels do not check that a number has a value, so this compares it with `room` first.
    """

    base: np.ndarray
    room: np.ndarray
    numbers: np.ndarray

    @classmethod
    def of(cls, parts: Sequence[np.ndarray], kind: Any) -> "Translation":
        """The translation to `parts`, the new numbers of each cell's values, in the type `kind`."""
        room = np.array([len(part) for part in parts], np.int64)
        return cls(np.cumsum(room) - room, room, np.concatenate(parts).astype(kind))

    def of_rows(self, rows: np.ndarray) -> np.ndarray:
        """The rows, renumbered.

        Raises:
            InputError: If a row has a number without a value.
        """
        renumbered = np.empty(rows.shape, self.numbers.dtype)
        if not renumber(rows, *self, renumbered):
            raise InputError("a file of states has a value without a number; it is none of this run")
        return renumbered

    def of_codes(self, sizes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Decode packed rows and renumber the values. `sizes` has the number of codes for each cell."""
        if (numbers >= np.repeat(self.room, sizes)).any():
            raise InputError("a message has a value without a number; it is none of this run")
        return self.numbers[np.repeat(self.base, sizes) + numbers]


class OwnValues:
    """The values that the files of one level and bucket number themselves, beyond the global ones.

    Args:
        known: The number of global values of each cell.

    Attributes:
        values: For each cell its own values, in the order of their numbers.
    """

    def __init__(self, counts: Sequence[int]) -> None:
        self._counts = counts
        self.values: list[list[Any]] = [[] for _ in counts]
        self._numbers: list[dict[Any, int]] = [{} for _ in counts]

    def settle(self, rows: PackedRows, some: np.ndarray, extras: Sequence[Sequence[Any]]) -> np.ndarray:
        """The numbers behind the codes of a message's `rows`, with new numbers for the `extras` that `some` rows have.

        Other extras, which are not looked up, get 0.
        """
        numbers = np.maximum(rows.numbers, 0)
        if any(extras):
            ends, chosen = np.cumsum(rows.sizes), rows.unpack(some)
            for cell, values in enumerate(extras):
                if not values:
                    continue
                of_cell, column = slice(ends[cell] - rows.sizes[cell], ends[cell]), chosen[:, cell]
                for unknown in np.unique(column[column < 0]).tolist():
                    number = self._number(cell, values[UNKNOWN - unknown])
                    numbers[of_cell][rows.numbers[of_cell] == unknown] = number
        return numbers

    def _number(self, cell: int, value: Any) -> int:
        numbers, key = self._numbers[cell], identity(value)
        if key not in numbers:
            numbers[key] = self._counts[cell] + len(numbers)
            self.values[cell].append(value)
        return numbers[key]


class BucketSet:
    """The visited fingerprints of one bucket, as of the end of `level`."""

    def __init__(self, words: int) -> None:
        self.visited = Visited(words, numbered=False)
        self.count = self.level = 0
        self.files: list[str] = []

    def make_room(self, more: int) -> None:
        """Grow the table now for that many more: fingerprints in table order would crowd a smaller one."""
        self.visited.reserve(self.count + more)

    def add(self, fingerprints: np.ndarray) -> np.ndarray:
        """Add fingerprints; returns which were new."""
        new = self.visited.add_new(fingerprints, self.count)
        self.count += int(np.count_nonzero(new))
        return new
