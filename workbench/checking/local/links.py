"""Predecessor links, packed: a byte or so per state instead of eight."""

from typing import NamedTuple

import numpy as np


class PackedLinks(NamedTuple):
    """The predecessors and steps of states that were discovered one after another.

    Sources are expanded in order, so the predecessors' numbers never decrease, and their differences are stored in
    unary, about two bits per state: each state is a 1, after as many 0s as the number has grown. Few different steps
    lead to the states of a block. Each state has an index into `steps`, stored as bit planes: the lowest bits of all
    states first.

    Attributes:
        first: The predecessor of the first state.
        passed: The unary code of the predecessors.
        steps: The different steps.
        places: The bit planes of the indices.

    Examples:
        >>> links = PackedLinks.of(np.array([7, 7, 9], np.uint32), np.array([40, -1, 40], np.int32))
        >>> [column.tolist() for column in links.unpack()], links.nbytes
        ([[7, 7, 9], [40, -1, 40]], 10)
    """

    first: int
    passed: np.ndarray
    steps: np.ndarray
    places: list[np.ndarray]

    @classmethod
    def of(cls, parent: np.ndarray, step: np.ndarray) -> "PackedLinks":
        """The links of at least one state."""
        first, least = int(parent[0]), int(step.min())
        ones = (parent - parent[0]).astype(np.int64) + np.arange(len(parent))
        passed = np.zeros(int(ones[-1]) + 1, np.bool_)
        passed[ones] = True
        at = step.astype(np.int64) - least
        taken = np.zeros(int(at.max()) + 1, np.bool_)
        taken[at] = True
        places = np.flatnonzero(taken)
        place_of = np.zeros(len(taken), np.uint32)
        place_of[places] = np.arange(len(places))
        place = place_of[at]
        width = (len(places) - 1).bit_length()
        bits = [np.packbits((place >> np.uint32(bit)).astype(np.uint8) & 1) for bit in range(width)]
        return cls(first, np.packbits(passed), (places + least).astype(np.int32), bits)

    def unpack(self) -> tuple[np.ndarray, np.ndarray]:
        """The predecessors and the steps."""
        ones = np.flatnonzero(np.unpackbits(self.passed))
        place = np.zeros(len(ones), np.uint32)
        for bit, packed in enumerate(self.places):
            place |= np.unpackbits(packed, count=len(ones)).astype(np.uint32) << np.uint32(bit)
        return self.first + ones - np.arange(len(ones)), self.steps[place]

    @property
    def nbytes(self) -> int:
        return self.passed.nbytes + self.steps.nbytes + sum(part.nbytes for part in self.places)
