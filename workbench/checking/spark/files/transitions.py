"""Files of transitions of a complete search: the transitions from a part of its states, and the truth of predicates.

States are numbered by level, then by file in the manifest's order, then by row. States searched in process keep their
numbers. So the initial states come first, and no transition leads beyond the next level.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from workbench.kernel import InputError

#: The states of a part.
PART_STATES = 1 << 20
#: The target of a transition to a pruned state; states have smaller numbers.
OUTSIDE = 2**32 - 1

_TRUTHS = b"truths"
_COLUMNS = ("sources", "targets", "labels", "ordinals")


class Part(NamedTuple):
    """The states from number `first` on, and their transitions.

    Attributes:
        indptr: Transitions ``indptr[i]`` to ``indptr[i + 1] - 1`` leave state ``first + i``.
        labels: The labels of the steps, see :mod:`workbench.checking.trees.fair_labels`.
        ordinals: The ordinal of the action's outcome.
        truths: Where the predicates of the liveness properties hold, in the order of the formulas; then where those
            fairness conditions are enabled that have an ENABLED of their own.
    """

    first: int
    indptr: np.ndarray
    targets: np.ndarray
    labels: np.ndarray
    ordinals: np.ndarray
    truths: np.ndarray

    @property
    def states(self) -> int:
        return len(self.indptr) - 1

    @property
    def end(self) -> int:
        return self.first + self.states

    @property
    def sources(self) -> np.ndarray:
        """The source of each transition."""
        return np.repeat(np.arange(self.first, self.end, dtype=np.uint32), np.diff(self.indptr))

    @classmethod
    def of(cls, first: int, truths: np.ndarray, steps: "Steps") -> "Part":
        """The part of the states of `truths`, with their transitions, `steps`, in any order."""
        order = np.lexsort((steps.ordinals, steps.labels, steps.sources))
        degree = np.bincount(steps.sources - np.uint32(first), minlength=truths.shape[1])
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(degree, dtype=np.int64)])
        targets, labels, ordinals = (column[order].astype(np.uint32) for column in steps[1:])
        return cls(first, indptr, targets, labels, ordinals, truths)

    def to_arrow(self) -> pa.Table:
        """The transitions as a table, with the truths as metadata."""
        columns = (self.sources - np.uint32(self.first), self.targets, self.labels, self.ordinals)
        table = pa.table(dict(zip(_COLUMNS, columns, strict=True)))
        return table.replace_schema_metadata({_TRUTHS: np.packbits(self.truths).tobytes()})

    @classmethod
    def from_arrow(cls, table: pa.Table, first: int, states: int, predicates: int, labels: int, total: int) -> "Part":
        """Undo :meth:`to_arrow`.

        Args:
            first, states: Of the part.
            predicates, labels, total: The numbers of predicates, labels, and states of the search.

        Raises:
            InputError: If no such search can have written the table.
        """
        packed = np.frombuffer((table.schema.metadata or {}).get(_TRUTHS, b""), np.uint8)
        typed = table.column_names == list(_COLUMNS) and all(c.type == pa.uint32() for c in table.columns)
        if not typed or len(packed) != -(-predicates * states // 8):
            raise InputError("a file of transitions has not the columns that such files have")
        sources, targets, named, ordinals = (np.require(column.to_numpy(), None, "W") for column in table.columns)
        inside = (targets < total) | (targets == OUTSIDE)
        if (np.diff(sources.astype(np.int64)) < 0).any() or (sources >= states).any():
            raise InputError("a file of transitions has sources that are none of its part")
        if not inside.all() or (named >= labels).any():
            raise InputError("a file of transitions has one that no such search has")
        truths = np.unpackbits(packed, count=predicates * states).view(np.bool_).reshape(predicates, states)
        degree = np.bincount(sources, minlength=states)
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(degree, dtype=np.int64)])
        return cls(first, indptr, targets, named, ordinals, truths)


class Steps(NamedTuple):
    """Transitions in messages, in any order.

    Attributes:
        targets: By number, uint32; or at first by fingerprint, uint64 (transitions, words).
        labels, ordinals: As in :class:`Part`.
    """

    sources: np.ndarray
    targets: np.ndarray
    labels: np.ndarray
    ordinals: np.ndarray

    def take(self, some: np.ndarray) -> "Steps":
        return Steps(*(column[some] for column in self))

    @staticmethod
    def join(several: list["Steps"]) -> "Steps":
        """Concatenate `several`, possibly none."""
        nothing = np.empty(0, np.uint32)
        columns = zip(*several, strict=True) if several else [(nothing,)] * 4
        return Steps(*(np.concatenate(column) for column in columns))
