"""Numbers of combinations of values, state by state, in blocks of states that stay in the processor's cache."""

import itertools
import math
import operator
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

_BLOCK = 32_768
#: How many states are processed together; their rows fit into the cache.
_ROWS = 4_096
#: The most combinations that a pass with more than two parts can distinguish.
_TABLE = 1 << 18


def columns_of(parts: Iterable[np.ndarray], states: int, sizes: Sequence[int]) -> list[np.ndarray]:
    """The states column by column, in as few bytes as their values need.

    A pass over the rows per column would read all of them from memory every time.

    Args:
        parts: The states in order, part by part, each int (states, cells).
        states: How many there are.
        sizes: The number of values of each cell.
    """
    columns = [np.zeros(states, np.min_scalar_type(size)) for size in sizes]
    several = [cell for cell, size in enumerate(sizes) if size > 1]
    end = 0
    for part in parts:
        for block in blocks(len(part), _ROWS):
            rows = part[block]
            begin, end = end, end + len(rows)
            for cell in several:
                columns[cell][begin:end] = rows[:, cell]
    return columns


def fitting(sizes: Sequence[int]) -> int:
    """How many of these parts, from the first on, one pass combines; two at least."""
    products = itertools.accumulate(sizes, operator.mul)
    return max(2, sum(product <= _TABLE for product in products))


def combined(
    columns: Sequence[np.ndarray], sizes: Sequence[int], most: int | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Which combination of values each state has, and the combinations that occur; None if they are more than `most`.

    Combinations are numbered without gaps in ascending order.

    Args:
        columns: For each part of a combination, int (states): the number of its value.
        sizes: The number of values of each part.

    Returns:
        int (states), and int (combinations, parts).

    Examples:
        >>> of, combinations = combined([np.array([0, 1, 1]), np.array([2, 0, 2])], [2, 3])
        >>> of.tolist(), combinations.tolist()
        ([0, 1, 2], [[0, 2], [1, 0], [1, 2]])
    """
    if (fit := fitting(sizes)) < len(sizes):
        first = combined(columns[:fit], sizes[:fit], most)
        then = first and combined([first[0], *columns[fit:]], [len(first[1]), *sizes[fit:]], most)
        return first and then and (then[0], np.hstack([first[1][then[1][:, 0]], then[1][:, 1:]]))
    size, states = math.prod(sizes), len(columns[0])
    occurs = np.zeros(size, np.bool_)
    of = np.empty(states, np.min_scalar_type(size))
    for number, block in enumerate(blocks(states)):
        keys = columns[0][block].astype(np.intp)
        for column, radix in zip(columns[1:], sizes[1:], strict=True):
            keys *= radix
            keys += column[block]
        occurs[keys] = True
        of[block] = keys
        if most is not None and not number % 16 and np.count_nonzero(occurs) > most:
            return None
    different = np.flatnonzero(occurs)
    if most is not None and len(different) > most:
        return None
    if len(different) < size:
        numbers = np.zeros(size, np.min_scalar_type(len(different)))
        numbers[different] = np.arange(len(different))
        of = renumbered(of, numbers)
    return of, np.stack(np.unravel_index(different, sizes), axis=1)


def renumbered(of: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """``numbers[of]``."""
    result = np.empty(len(of), numbers.dtype)
    for block in blocks(len(of)):
        numbers.take(of[block], out=result[block], mode="clip")  # which spares a copy, and checks that all pass
    return result


def counts_of(of: np.ndarray, size: int) -> np.ndarray:
    """How many states have each number below `size`, int64."""
    counts = np.zeros(size, np.int64)
    for block in blocks(len(of)):
        counts += np.bincount(of[block], minlength=size)
    return counts


def blocks(states: int, size: int = _BLOCK) -> Iterator[slice]:
    """The states block by block."""
    return (slice(first, min(first + size, states)) for first in range(0, states, size))
