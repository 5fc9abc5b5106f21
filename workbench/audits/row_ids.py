"""Row ids that a table assigns to the rows of its data files: consecutive ones to each file, and none twice."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

ROW_IDS = "RowIdsAreUnique"


class RowIds(NamedTuple):
    """The row ids of a data file, or those that a snapshot has assigned: `rows` of them, from `first` on.

    Attributes:
        name: Of whom they are.
        version: The version that assigned them; None if that is not known.
    """

    first: int
    rows: int
    name: str
    version: int | None = None

    @property
    def next(self) -> int:
        """The id after the last one."""
        return self.first + self.rows

    def __str__(self) -> str:
        return f"{self.name} has {self.first:,} to {self.next - 1:,}"

    def within(self, other: "RowIds") -> bool:
        """Whether another has all of them."""
        return other.first <= self.first and self.next <= other.next


def shared(ranges: Iterable[RowIds]) -> Iterator[tuple[RowIds, RowIds]]:
    """Pairs that have a row id in common: each range with the one before it that reaches furthest.

    Examples:
        >>> some = [RowIds(5, 5, "c"), RowIds(0, 9, "a"), RowIds(1, 1, "b"), RowIds(3, 0, "empty"), RowIds(10, 1, "d")]
        >>> [(one.name, other.name) for one, other in shared(some)]
        [('a', 'b'), ('a', 'c')]
    """
    furthest: RowIds | None = None
    for span in sorted(candidate for candidate in ranges if candidate.rows > 0):
        if furthest is not None and span.first < furthest.next:
            yield furthest, span
        if furthest is None or span.next > furthest.next:
            furthest = span


def backwards(numbers: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """The versions whose number is smaller than that of the version before, with both numbers.

    Args:
        numbers: Versions with the next row id of each.
    """
    for (_, before), (version, after) in pairwise(numbers):
        if after < before:
            yield version, before, after
