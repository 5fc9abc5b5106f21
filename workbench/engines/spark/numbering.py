"""What a worker process keeps from task to task: the numbers of values, and the visited sets of buckets."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.engines import kernels
from workbench.engines.arrays import Growing
from workbench.engines.cells import Cells
from workbench.engines.store import Visited
from workbench.kernel import InputError


class Numbering:
    """Translates between this process's numbers of values and the global ones.

    Parameters
    ----------
    cells : Cells
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._local_of = [Growing(np.int32) for _ in cells.values]
        self._global_of: list[dict[int, int]] = [{} for _ in cells.values]
        self._known: list[list[int]] = []  # for each level, how many global values of each cell it could use

    @property
    def levels(self) -> int:
        """How many levels' values have been learnt."""
        return len(self._known)

    def learn(self, values: Sequence[Sequence[Any]]) -> None:
        """Take over the values that got global numbers after one more level."""
        for cell, new in enumerate(values):
            for value in new:
                local = self._cells.number(cell, value)
                self._global_of[cell][local] = self._local_of[cell].append(local)
        self._known.append([column.size for column in self._local_of])

    def known(self, level: int) -> list[int]:
        return self._known[level]

    def check(self, rows: np.ndarray, level: int, extras: Sequence[Sequence[Any]]) -> None:
        """Raise :class:`InputError` if a row of a file has a number that stands for no value: kernels do not look."""
        room = [known + len(own) for known, own in zip(self._known[level], extras, strict=True)]
        if len(rows) and (rows.min() < 0 or (rows.max(axis=0) >= np.array(room)).any()):
            raise InputError("a file of states has a value without a number; it is none of this run")

    def to_local(self, rows: np.ndarray, level: int, extras: Sequence[Sequence[Any]]) -> np.ndarray:
        """The rows, written when the values of `level` were the last known ones, in local numbers."""
        parts, base, at = [], np.zeros(len(extras), np.int64), 0
        for cell, known in enumerate(self._known[level]):
            own = [self._cells.number(cell, value) for value in extras[cell]]
            part = np.concatenate([self._local_of[cell].array[:known], np.array(own, np.int32)])
            base[cell], at = at, at + len(part)
            parts.append(part)
        local = rows.astype(np.int32)
        kernels.translate(local, base, np.concatenate(parts))
        return local

    def to_shared(self, rows: np.ndarray, level: int) -> tuple[np.ndarray, list[list[Any]]]:
        """The rows in the global numbers of `level`, and the values that go beyond them."""
        extras: list[list[Any]] = []
        parts, base, at = [], np.zeros(rows.shape[1], np.int64), 0
        for cell, known in enumerate(self._known[level]):
            values, shared = self._cells.values[cell], self._global_of[cell]
            part = np.full(len(values), -1, np.int32)
            for local, number in shared.items():
                if number < known:
                    part[local] = number
            own: list[Any] = []
            if len(values) > known:
                for local in np.flatnonzero(np.bincount(rows[:, cell], minlength=len(values))).tolist():
                    if part[local] < 0:
                        part[local] = known + len(own)
                        own.append(values[local])
            extras.append(own)
            base[cell], at = at, at + len(part)
            parts.append(part)
        shared_rows = rows.copy()
        kernels.translate(shared_rows, base, np.concatenate(parts))
        return shared_rows, extras


class BucketSet:
    """The visited fingerprints of one bucket, as of the end of a level."""

    def __init__(self, words: int) -> None:
        self.visited = Visited(words, numbered=False)
        self.count = 0
        self.files: list[str] = []

    def add(self, fingerprints: np.ndarray) -> np.ndarray:
        """Add fingerprints; which of them were new."""
        new, at = np.zeros(len(fingerprints), np.bool_), 0
        while at < len(fingerprints):
            if self.count >= self.visited.limit:
                self.visited.grow()
            done, found = kernels.admit(fingerprints[at:], self.visited.table, self.count, self.visited.limit)
            new[at : at + done] = found[:done]
            self.count += int(found.sum())
            at += done
        return new
