"""Paimon's primary-key table: its files, how a version is read, and the checker's log of commits.

Functions that take ``s`` read the state of :class:`workbench.protocols.paimon.model.Paimon`; its steps are there.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.language import *

INSERT, UPDATE, DELETE = "+I", "+U", "-D"
COLUMNS = ("col2", "col3")


class Write(NamedTuple):
    """A writer's operation: one row, and which of its columns the write sets."""

    key: str
    sequence: int
    kind: str
    columns: tuple[str, str] | None
    sets: tuple[str, ...]


class Rewrite(NamedTuple):
    """A compactor's operation: it merges the files at a bucket's level into one at the next level."""

    bucket: str
    level: int


class LevelsRewrite(NamedTuple):
    """A compactor's operation with any levels: those that it merges, and that of the result."""

    bucket: str
    levels: tuple[int, ...]
    into: int


class CommitMessage(NamedTuple):
    """The commit that an operation wants once its data file is written.

    Attributes:
        file, bucket: The data file that it adds, and where.
        replaces: The data files that `file` stands in for; none for a write.
        vectors: The bucket's new deletion vectors; None leaves the bucket's as they are.
    """

    file: str
    bucket: str
    replaces: tuple[str, ...] = ()
    vectors: Map | None = None


class Change(NamedTuple):
    """An entry of the log: the version that a commit made, and the value that it gave to the column."""

    version: int
    value: str | None


def deal(items: Sequence[str], buckets: Sequence[str]) -> dict[str, str]:
    """The bucket of each item, dealt round robin.

    Examples:
        >>> deal(["jack", "sarah", "tom"], ["p0b0", "p0b1"])
        {'jack': 'p0b0', 'sarah': 'p0b1', 'tom': 'p0b0'}
    """
    return {item: buckets[i % len(buckets)] for i, item in enumerate(items)}


# Reading a version --------------------------------------------------------------------------------------------------


def live_files(s: Any, version: int, bucket: str) -> tuple[str, ...]:
    """The bucket's live files at a version; none before the first."""
    return s.bucket_files[s.snapshots[version], bucket] if version else ()


def deletion_vectors(s: Any, version: int, bucket: str) -> Map:
    """The bucket's deletion vectors at a version: for each file that has one, the keys whose rows it marks."""
    return s.vectors[s.snapshots[version], bucket] if version else Map()


def is_marked(vectors: Map, file: str, key: str) -> bool:
    """Whether the row of `key` in `file` counts as deleted."""
    return key in vectors.get(file, ())


def newest(key: str, files: Iterable[str], sequence: Mapping[Any, int | None], vectors: Map) -> str | None:
    """The file whose row of `key` counts: the largest sequence number that is not marked, the first file on a tie.

    Examples:
        >>> sequence = {("a", "jack"): 0, ("b", "jack"): 1, ("c", "jack"): None}
        >>> newest("jack", ["a", "b", "c"], sequence, Map())
        'b'
        >>> newest("jack", ["a", "b", "c"], sequence, Map({"b": frozenset({"jack"})}))
        'a'
    """
    winner, largest = None, -1
    for file in files:
        if not is_marked(vectors, file, key):
            number = sequence[file, key]
            if number is not None and number > largest:
                winner, largest = file, number
    return winner


def read(s: Any, key: str, version: int, bucket: str, use_vectors: bool = True) -> tuple[str, str] | None:
    """Columns 2 and 3 of `key` as a reader of the version gets them; None for no row, or a delete."""
    vectors = deletion_vectors(s, version, bucket) if use_vectors else Map()
    file = newest(key, live_files(s, version, bucket), s.sequence, vectors)
    return None if file is None else s.columns[file, key]


def valid_above_level_0(s: Any, key: str, version: int, bucket: str) -> list[str]:
    """The files above level 0 with a row of `key` that is not marked, at a version."""
    vectors = deletion_vectors(s, version, bucket)
    above = [file for file in live_files(s, version, bucket) if s.level[file] > 0]
    return [file for file in above if not is_marked(vectors, file, key) and s.kind[file, key] is not None]


def compacted_up_to(s: Any, version: int, bucket: str) -> int:
    """The newest version without any of the files that wait in level 0 of the bucket at `version`; or 0."""
    waiting = {file for file in live_files(s, version, bucket) if s.level[file] == 0}
    return next(v for v in range(version, -1, -1) if waiting.isdisjoint(live_files(s, v, bucket)))


def largest_sequence(s: Any, version: int, bucket: str, keys: Iterable[str]) -> int:
    """The largest sequence number in the bucket's live files at a version, marked or not; -1 if there is no row."""
    numbers = (s.sequence[file, key] for file in live_files(s, version, bucket) for key in keys)
    return max((number for number in numbers if number is not None), default=-1)


def mark(s: Any, vectors: Map, files: Iterable[str], keys: Iterable[str]) -> Map:
    """`vectors`, with the rows of `keys` in `files` also marked as deleted. A file without such rows gets no entry."""
    for file in files:
        rows = frozenset(key for key in keys if s.kind[file, key] is not None)
        if rows:
            vectors = vectors.set(file, vectors.get(file, frozenset()) | rows)
    return vectors


# The log of commits, for checking -----------------------------------------------------------------------------------
#
# Each column of a key has a log of changes in commit order, split into one cell per version: a change goes into the
# cell of the newest version that the log has seen so far. In order of versions, the cells are the log. Unless something
# is overwritten, each holds only the change of its own version.


def note(s: Any, key: str, column: str, change: Change, versions: Sequence[int]) -> None:
    """Append to the log of a column."""
    newer = (v for v in reversed(versions) if v > change.version and s.log[key, column, v])
    s.log[key, column, next(newer, change.version)] += (change,)


def expected(s: Any, key: str, column: str, version: int) -> str | None:
    """The column's value at a version: in commit order, the last change before the first of a later version."""
    for v in range(version, 0, -1):
        if s.log[key, column, v]:
            return s.log[key, column, v][-1].value
    return None


def values_of_commits(s: Any, key: str, column: str, versions: Sequence[int]) -> tuple[str | None, ...]:
    """The values that commits gave to a column, in commit order."""
    return tuple(change.value for version in versions for change in s.log[key, column, version])
