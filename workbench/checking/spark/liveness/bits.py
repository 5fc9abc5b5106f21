"""Sets of states by number, one bit each: 10^9 states are 125 MB."""

from collections.abc import Iterator
from typing import Any

import numpy as np

_SPAN = 1 << 20  # states that are unpacked at a time; whole bytes


class StateSet:
    """A set of the states numbered 0 to `size` - 1.

    Args:
        bits: A bit for each state, from the lowest of the first byte on; the bits past the last are 0.

    Examples:
        >>> some = StateSet(10)
        >>> some[4:7] = np.array([True, False, True])
        >>> some.add(np.array([9])), some.count, some[5:10].tolist()
        (None, 3, [False, True, False, False, True])
    """

    def __init__(self, size: int, bits: np.ndarray | None = None) -> None:
        self.size = size
        self.bits = np.zeros(-(-size // 8), np.uint8) if bits is None else bits

    @classmethod
    def full(cls, size: int) -> "StateSet":
        """All states."""
        everything = cls(size, np.full(-(-size // 8), 255, np.uint8))
        if size % 8:
            everything.bits[-1] = (1 << size % 8) - 1
        return everything

    @classmethod
    def of(cls, members: np.ndarray) -> "StateSet":
        """The states for which a bool array is true."""
        return cls(len(members), np.packbits(members, bitorder="little"))

    def __getitem__(self, span: slice) -> np.ndarray:
        """Whether each state of a span is in the set, as booleans."""
        first = span.start - span.start % 8
        unpacked = np.unpackbits(self.bits[first // 8 : -(-span.stop // 8)], bitorder="little")
        return unpacked[span.start - first : span.stop - first].view(np.bool_)

    def __setitem__(self, span: slice, members: Any) -> None:
        first, last = span.start - span.start % 8, -(-span.stop // 8) * 8
        whole = np.unpackbits(self.bits[first // 8 : last // 8], bitorder="little")
        whole[span.start - first : span.stop - first] = members
        self.bits[first // 8 : last // 8] = np.packbits(whole, bitorder="little")

    def add(self, numbers: np.ndarray) -> None:
        """Add the states with these numbers."""
        np.bitwise_or.at(self.bits, numbers >> 3, (1 << (numbers & 7)).astype(np.uint8))

    def __and__(self, other: "StateSet") -> "StateSet":
        return StateSet(self.size, self.bits & other.bits)

    def __or__(self, other: "StateSet") -> "StateSet":
        return StateSet(self.size, self.bits | other.bits)

    def __sub__(self, other: "StateSet") -> "StateSet":
        return StateSet(self.size, self.bits & ~other.bits)

    @property
    def count(self) -> int:
        """The number of states in the set."""
        return int(np.bitwise_count(self.bits).sum(dtype=np.int64))

    def __bool__(self) -> bool:
        return bool(self.bits.any())

    def members(self) -> np.ndarray:
        """The numbers of the states in the set, ascending, as uint32."""
        return np.concatenate([np.empty(0, np.uint32), *self._each()])

    def _each(self) -> Iterator[np.ndarray]:
        for first in range(0, self.size, _SPAN):
            yield (first + np.flatnonzero(self[first : min(first + _SPAN, self.size)])).astype(np.uint32)
