"""Estimates how large a space will become, from the sizes of its levels so far.

Levels grow, each by a smaller factor than the one before, and then shrink. In most spaces the logarithm of the factor
falls almost linearly. Once the widest level is behind, a line through the logarithms predicts the levels to come.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

from workbench.kernel.meaning.budget import Progress

#: The fewest levels for an estimate, and the fewest steps between levels for a line.
_LEAST_LEVELS, _LEAST_STEPS = 8, 4
#: The most levels to come, in multiples of those known.
_MOST_AHEAD = 4
#: Two totals agree if they differ by no more than this factor.
_AGREEING = 1.3


def states_in_all(levels: Sequence[int]) -> int | None:
    """Estimate the number of states in a space, or return None as long as that would be a guess.

    Two lines are extrapolated: through the last quarter of the growth, and through its last half. They must agree.

    Args:
        levels: The sizes of the complete levels, from the first on; all above 0.

    Examples:
        >>> subsets = [math.comb(30, size) for size in range(31)]  # each level adds a member
        >>> print(states_in_all(subsets[:16]))  # the last level is the widest so far
        None
        >>> states_in_all(subsets[:18]), sum(subsets)
        (1074751843, 1073741824)
    """
    if len(levels) < _LEAST_LEVELS or levels[-1] == max(levels):
        return None
    growth = [math.log(after / before) for before, after in pairwise(levels)]
    totals = []
    for part in (4, 2):
        rest = _states_ahead(levels, growth[-max(_LEAST_STEPS, len(growth) // part) :])
        if rest is None:
            return None
        totals.append(sum(levels) + rest)
    return round(math.sqrt(math.prod(totals))) if max(totals) <= _AGREEING * min(totals) else None


def _states_ahead(levels: Sequence[int], growth: Sequence[float]) -> float | None:
    """The states in the levels to come if `growth` goes on along its least-squares line; None if no end is in sight.

    Args:
        growth: The logarithms of the factors between the last levels.
    """
    middle = (len(growth) - 1) / 2
    mean = sum(growth) / len(growth)
    spread = sum((at - middle) ** 2 for at in range(len(growth)))
    slope = sum((at - middle) * value for at, value in enumerate(growth)) / spread
    if slope >= 0:  # sizes would explode
        return None
    line, size, states = mean + slope * middle, float(levels[-1]), 0.0
    for _ in range(_MOST_AHEAD * len(levels)):
        line += slope
        size *= math.exp(line)
        if size < 1:
            return states
        states += size
    return None


def outlook(at: Progress) -> str:
    """The estimate, such as ``about 1,100,000,000 in all, 16 GB, 350 s more``; empty as long as there is none.

    Bytes are estimated from the states, and left out below a gigabyte; seconds from the states expanded.
    """
    total = states_in_all(at.levels) if at.frontier else None
    if total is None or total < at.states:
        return ""
    clauses = [f"about {_rounded(total)} in all"]
    if (held := held_in_all(at, total)) >= 1e9:
        clauses.append(f"{_rounded(held / 1e9)} GB")
    expanded = at.states - at.frontier
    if expanded and at.seconds:
        clauses.append(f"{_rounded((total - expanded) * at.seconds / expanded)} s more")
    return ", ".join(clauses)


def held_in_all(at: Progress, total: int) -> float:
    """Estimate the bytes that a search will hold once it has found `total` states."""
    return total / at.states * at.held


def _rounded(number: float) -> str:
    """As many digits as an estimate deserves: two, and no fraction."""
    return f"{float(f'{number:.2g}'):,.0f}"
