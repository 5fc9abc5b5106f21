"""A bucket of a Paimon table through its versions: each key's row as read, and as last committed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workbench.protocols.paimon.audit.rows import Rows

#: The kinds of rows that read as absent: -U and -D.
_NOTHING = (1, 3)
_NEVER = np.iinfo(np.int64).max


class Life(NamedTuple):
    """A file's life in one level; `last` is None while it lives, `appended` is None if it brought no new rows."""

    file: int
    level: int
    first: int
    last: int | None
    appended: int | None


class Marks(NamedTuple):
    """A deletion vector's life, and the rows it deletes."""

    file: int
    first: int
    last: int | None
    rows: np.ndarray


class Doubt(NamedTuple):
    """A key that may read wrong at a version; its values decide.

    Attributes:
        reads: The rows that a reader may get: several if they tie for the largest sequence number.
        committed: The last committed row.
    """

    version: int
    key: int
    reads: tuple[int, ...]
    committed: int | None


class Twice(NamedTuple):
    """A key with several valid rows above level 0 at a version."""

    version: int
    key: int
    rows: tuple[int, ...]


@dataclass
class Bucket:
    """The rows of a bucket's files, and the lives of these files.

    Attributes:
        lives: In manifest order.
        baselines: The versions taken as correct: the first one, and those that overwrite on purpose.
    """

    rows: Rows
    lives: Sequence[Life]
    marks: Sequence[Marks]
    baselines: Sequence[int]

    def changes(self) -> list[int]:
        """The versions in which something changes."""
        ends = {life.first for life in self.lives} | {life.last for life in self.lives}
        ends |= {mark.first for mark in self.marks} | {mark.last for mark in self.marks}
        return sorted({self.baselines[0]} | {end for end in ends if end is not None})

    def judge(self, has_vectors: bool) -> Iterator[Doubt | Twice]:
        """Suspects: each key at the first version with two valid rows, and at every version that reads it wrong."""
        rows = self.rows
        number = np.arange(len(rows))
        by_sequence = np.lexsort((rows.position, rows.file, -rows.sequence, rows.key))
        keys = int(rows.key.max(initial=-1)) + 1
        appended = np.full(len(rows.files), _NEVER)
        for life in self.lives:
            if life.appended is not None:
                appended[life.file] = life.appended
        commit = appended[rows.file] if len(rows) else np.zeros(0, np.int64)
        by_commit = np.lexsort((rows.position, rows.sequence, commit))  # later ones overwrite earlier ones, below
        starts = np.searchsorted(commit[by_commit], self.changes(), side="right")
        committed = np.full(keys, -1)
        done, twice_before = 0, np.zeros(keys, bool)
        whose, levels = (np.array([life[i] for life in self.lives], np.int64) for i in (0, 1))
        begins = np.array([life.first for life in self.lives], np.int64)
        ends = np.array([_NEVER if life.last is None else life.last for life in self.lives], np.int64)
        for version, until in zip(self.changes(), starts, strict=True):
            level = np.full(len(rows.files), -1)
            alive = (begins <= version) & (version < ends)
            level[whose[alive]] = levels[alive]
            valid = level[rows.file] >= 0
            for mark in self.marks:
                if _at(mark, version):
                    valid[mark.rows] = False
            order = by_sequence[valid[by_sequence]]
            is_first = np.ones(len(order), bool)
            is_first[1:] = rows.key[order][1:] != rows.key[order][:-1]
            winner = np.full(keys, -1)
            winner[rows.key[order[is_first]]] = order[is_first]
            if version in self.baselines:
                committed = winner.copy()
            else:
                committed[rows.key[by_commit[done:until]]] = by_commit[done:until]
                yield from self._doubts(version, winner, committed, order)
            done = int(until)
            if has_vectors:
                above = number[valid & (level[rows.file] > 0)]
                twice = np.bincount(rows.key[above], minlength=keys) > 1
                for key in np.flatnonzero(twice & ~twice_before):
                    yield Twice(version, int(key), tuple(int(row) for row in above[rows.key[above] == key]))
                twice_before |= twice

    def _doubts(self, version: int, winner: np.ndarray, committed: np.ndarray, order: np.ndarray) -> Iterator[Doubt]:
        rows = self.rows
        tied = np.zeros(len(winner), bool)
        same = (rows.key[order][1:] == rows.key[order][:-1]) & (rows.sequence[order][1:] == rows.sequence[order][:-1])
        # Only ties for the first place count.
        tied[rows.key[order[1:][same]]] = True
        tied &= winner >= 0
        reads = winner >= 0
        reads[reads] = ~np.isin(rows.kind[winner[reads]], _NOTHING)
        has_commit = committed >= 0
        has_commit[has_commit] = ~np.isin(rows.kind[committed[has_commit]], _NOTHING)
        both = reads & has_commit
        differs = reads != has_commit
        differs[both] = rows.sequence[winner[both]] != rows.sequence[committed[both]]
        sorted_keys = rows.key[order]
        for key in np.flatnonzero(differs | (tied & (reads | has_commit))):
            mine = order[np.searchsorted(sorted_keys, key) : np.searchsorted(sorted_keys, key, side="right")]
            top = tuple(int(row) for row in mine if rows.sequence[row] == rows.sequence[mine[0]])
            last = int(committed[key])
            if differs[key] or len(top) > 1:
                yield Doubt(version, int(key), top, last if last >= 0 else None)

    def read(self, version: int) -> dict[int, list[int]]:
        """By key, the rows that a reader of the version may get: all with the largest sequence number."""
        rows = self.rows
        valid = np.isin(rows.file, [life.file for life in self.live_at(version)])
        for mark in self.marks_at(version):
            valid[mark.rows] = False
        rows_of: dict[int, list[int]] = {}
        for row in np.flatnonzero(valid)[np.argsort(-rows.sequence[valid], kind="stable")].tolist():
            mine = rows_of.setdefault(int(rows.key[row]), [row])
            if row != mine[0] and rows.sequence[row] == rows.sequence[mine[0]]:
                mine.append(row)
        return rows_of

    def reads_as_nothing(self, row: int | None) -> bool:
        """Whether a key with this row reads as absent."""
        return row is None or self.rows.kind[row] in _NOTHING

    def live_at(self, version: int) -> list[Life]:
        return [life for life in self.lives if _at(life, version)]

    def marks_at(self, version: int) -> list[Marks]:
        return [mark for mark in self.marks if _at(mark, version)]


def _at(span: Any, version: int) -> bool:
    return span.first <= version and (span.last is None or version < span.last)
