"""Converts the columns of files of states to Arrow and back."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.kernel import InputError

#: The rows of each row group of a file, except for the last.
ROW_GROUP = 1 << 17

_ABSENT = np.empty(0)


@dataclass(frozen=True)
class States:
    """States, column by column. A file holds some of the columns; unread ones are empty.

    Attributes:
        instances, ordinals: The step from the parent: an action instance, and the ordinal of its outcome. An initial
            state has the instance -1 and its own number.
        rows: Values by number.
    """

    fingerprints: np.ndarray = field(default_factory=lambda: _ABSENT)
    parents: np.ndarray = field(default_factory=lambda: _ABSENT)
    instances: np.ndarray = field(default_factory=lambda: _ABSENT)
    ordinals: np.ndarray = field(default_factory=lambda: _ABSENT)
    rows: np.ndarray = field(default_factory=lambda: _ABSENT)

    @staticmethod
    def join(parts: Sequence["States"]) -> "States":
        """The states of `parts`, which have the same columns."""
        return States(**{n: np.concatenate([getattr(part, n) for part in parts]) for n, _ in parts[0]._columns()})

    def _columns(self) -> Iterator[tuple[str, np.ndarray]]:
        for column in fields(self):
            if getattr(self, column.name) is not _ABSENT:
                yield column.name, getattr(self, column.name)

    def to_arrow(self) -> pa.Table:
        """The columns as in files: vectors are binary values of a fixed size."""
        return pa.table({name: _to_arrow(column) for name, column in self._columns()})

    @classmethod
    def from_arrow(cls, table: pa.Table, words: int, cells: int) -> "States":
        """Undo :meth:`to_arrow`, for fingerprints of some `words` and rows of some `cells`.

        Raises:
            InputError: If a column has the wrong type.
        """
        return cls(**{name: _from_arrow(name, table[name], words, cells) for name in table.column_names})


def groups(parts: Iterable[States]) -> Iterator[pa.Table]:
    """The states of `parts` in tables of one row group each; at least one table."""
    waiting: list[pa.Table] = []
    written = False
    for part in parts:
        waiting.append(part.to_arrow())
        while sum(map(len, waiting)) >= ROW_GROUP:
            together = pa.concat_tables(waiting)
            yield together[:ROW_GROUP]
            waiting, written = [together[ROW_GROUP:]], True
    rest = pa.concat_tables(waiting)
    if len(rest) or not written:
        yield rest


def _to_arrow(column: np.ndarray) -> pa.Array:
    if column.ndim == 1:
        return pa.array(column.astype(np.int32))
    array = np.ascontiguousarray(column)
    width = array.shape[1] * array.itemsize
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(array), [None, pa.py_buffer(array)])


def _from_arrow(name: str, column: pa.ChunkedArray, words: int, cells: int) -> np.ndarray:
    if name in ("instances", "ordinals") and column.type == pa.int32() and not column.null_count:
        return column.to_numpy()
    kinds: tuple[Any, ...] = (*MOST, np.int32) if name == "rows" else (np.uint64,)
    length = cells if name == "rows" else words
    for kind in kinds:
        if column.type == pa.binary(length * kind().itemsize) and not column.null_count:
            return _vectors(column, kind, length)
    raise InputError(f"the column {name!r} of a file of states is of type {column.type}, which it never is")


def _vectors(column: pa.ChunkedArray, kind: Any, length: int) -> np.ndarray:
    width = length * kind().itemsize
    parts = [
        np.frombuffer(chunk.buffers()[1], kind, len(chunk) * length, chunk.offset * width) for chunk in column.chunks
    ]
    return (np.concatenate(parts) if parts else np.empty(0, kind)).reshape(len(column), length)


#: The largest numbers of one and two bytes; others take four.
MOST: dict[Any, int] = {np.uint8: (1 << 8) - 1, np.uint16: (1 << 16) - 1}


def narrow(numbers: np.ndarray) -> np.ndarray:
    """Numbers of values in as few bytes as the largest one needs.

    Examples:
        >>> [narrow(np.array([1, most])).dtype.name for most in (255, 256, 70_000)]
        ['uint8', 'uint16', 'int32']
    """
    largest = int(numbers.max(initial=0))
    return numbers.astype(next((kind for kind, most in MOST.items() if largest <= most), np.int32))
