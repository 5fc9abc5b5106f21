"""Bit-packed rows of value numbers, for states that are sent and for states that wait."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels.compiled import njit

#: A value without a global number: ``UNKNOWN - k`` is the k-th of the cell's extras.
UNKNOWN = -1

_WORD = 64


class PackedRows(NamedTuple):
    """Rows of numbers. Each cell has its own codes for the numbers that occur there.

    Attributes:
        sizes: The number of codes of each cell. A single code takes no room in a row.
        numbers: For each cell the numbers of its codes: global ones, or those of the message's extras.
        words: The codes, bit by bit.
    """

    sizes: np.ndarray
    numbers: np.ndarray
    words: np.ndarray

    @classmethod
    def of(
        cls, rows: np.ndarray, some: np.ndarray, shared: Sequence[np.ndarray]
    ) -> tuple["PackedRows", list[list[int]]]:
        """Pack some rows, at least one, and list for each cell the numbers that are not `shared`.

        Args:
            rows: The packed ones may be overwritten.
            some: The positions of the rows to pack.
            shared: For each cell the global number of each of its numbers, or UNKNOWN.

        Examples:
            >>> rows = np.array([[3, 7], [4, 7], [5, 7]], np.int32)
            >>> of_a_cell = np.array([-1, -1, -1, 30, -1, -1, -1, 70], np.int32)
            >>> packed, extras = PackedRows.of(rows, np.array([0, 2]), [of_a_cell, of_a_cell])
            >>> packed.sizes, packed.numbers, extras
            (array([2, 1], dtype=int32), array([30, -1, 70], dtype=int32), [[5], []])
            >>> packed.unpack(np.array([True, True]))
            array([[30, 70],
                   [-1, 70]], dtype=int32)
        """
        least, most = ranges(rows, some)
        numbers, extras = [], []
        for cell, global_numbers in enumerate(shared):
            part, lacking = global_numbers[int(least[cell]) : int(most[cell]) + 1], []
            if (
                len(part) > max(len(some), 2) or part.min() < 0
            ):  # codes for the numbers that occur, not for the whole range
                occurring, rows[some, cell] = np.unique(rows[some, cell], return_inverse=True)
                part, least[cell] = global_numbers[occurring], 0
                lacking = occurring[part < 0].tolist()
                part[part < 0] = UNKNOWN - np.arange(len(lacking), dtype=np.int32)
            numbers.append(part)
            extras.append(lacking)
        sizes = np.array([len(part) for part in numbers], np.int32)
        word, shift, mask = _places(sizes)
        words = np.empty((len(some), 1 + int(word.max(initial=0))), np.uint64)
        varying = np.flatnonzero(mask)
        pack_rows(rows, some, least[varying], varying, word[varying], shift[varying], words)
        return cls(sizes, np.concatenate(numbers), words), extras

    def unpack(self, some: np.ndarray) -> np.ndarray:
        """The rows chosen by a bool array: global numbers, and ``UNKNOWN - k`` for the k-th of a cell's extras."""
        [rows] = self.unpack_as(some, self.numbers)
        return rows

    def unpack_as(self, some: np.ndarray, *numbers: np.ndarray) -> list[np.ndarray]:
        """The chosen rows with other numbers for the codes: once for each array of `numbers`, in its type."""
        places, count = _places(self.sizes), int(np.count_nonzero(some))
        base = np.cumsum(self.sizes, dtype=np.int64) - self.sizes
        unpacked = [np.empty((count, len(self.sizes)), of_codes.dtype) for of_codes in numbers]
        for of_codes, rows in zip(numbers, unpacked, strict=True):
            unpack_rows(self.words, some, *places, base, of_codes, rows)
        return unpacked

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self)


def _places(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each cell the word, shift and mask of its code; no code straddles two words."""
    places, word, used = [], 0, 0
    for bits in ((size - 1).bit_length() for size in sizes.tolist()):
        if used + bits > _WORD:
            word, used = word + 1, 0
        places.append((word, used if bits else 0, (1 << bits) - 1))
        used += bits
    words, shifts, masks = zip(*places, strict=True) if places else ((), (), ())
    return np.array(words, np.int64), np.array(shifts, np.uint64), np.array(masks, np.uint64)


@njit(cache=True, nogil=True)
def ranges(rows: Any, some: Any) -> Any:
    """The least and the largest number of each cell in some of the rows, at least one."""
    least, most = rows[some[0]].copy(), rows[some[0]].copy()
    for i in some:
        for cell in range(rows.shape[1]):
            number = rows[i, cell]
            least[cell] = min(least[cell], number)
            most[cell] = max(most[cell], number)
    return least, most


@njit(cache=True, nogil=True)
def pack_rows(rows: Any, some: Any, least: Any, varying: Any, word: Any, shift: Any, words: Any) -> None:
    """Write the codes of some rows into `words`: the numbers of the `varying` cells minus the `least`.

    `word` and `shift` place the code of each of these cells; the words ascend.
    """
    for k in range(some.shape[0]):
        i = some[k]
        at, codes = 0, np.uint64(0)
        for n in range(varying.shape[0]):
            if word[n] != at:
                words[k, at] = codes
                at, codes = word[n], np.uint64(0)
            codes |= np.uint64(rows[i, varying[n]] - least[n]) << shift[n]
        words[k, at] = codes


@njit(cache=True, nogil=True)
def unpack_rows(words: Any, some: Any, word: Any, shift: Any, mask: Any, base: Any, numbers: Any, rows: Any) -> None:
    """Write the numbers of the rows chosen by the bool array `some` into `rows`."""
    at = 0
    for i in range(words.shape[0]):
        if some[i]:
            for cell in range(rows.shape[1]):
                code = (words[i, word[cell]] >> shift[cell]) & mask[cell]
                rows[at, cell] = numbers[base[cell] + np.int64(code)]
            at += 1


@njit(cache=True, nogil=True)
def renumber(rows: Any, base: Any, room: Any, numbers: Any, renumbered: Any) -> bool:
    """Write ``numbers[base[c] + v]`` for value v of cell c; returns False if a v is not below ``room[c]``."""
    for i in range(rows.shape[0]):
        for cell in range(rows.shape[1]):
            value = np.int64(rows[i, cell])
            if value < 0 or value >= room[cell]:
                return False
            renumbered[i, cell] = numbers[base[cell] + value]
    return True
