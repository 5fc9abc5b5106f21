"""How many levels a job makes. Starting a job costs as much as a wide level, but stopping one loses all its levels."""

from collections.abc import Sequence

#: The most levels of one job, and the most seconds that they may take: a stop loses them together.
MOST_LEVELS, MOST_SECONDS = 4, 10.0
#: The least size of levels that are made together.
LEAST_TOGETHER = 1 << 16
#: The most states per bucket of each of these: their successors wait until all of them are admitted, on an object store
#: in memory.
MOST_AHEAD = 1 << 20


def levels_per_job(sizes: Sequence[int], buckets: int, seconds: float) -> int:
    """How many levels the next job should make, given the `sizes` of past levels and the `seconds` of the last one.

    Examples:
        >>> levels_per_job([500_000, 600_000], 2, 1.5), levels_per_job([500_000, 600_000], 2, 3.0)
        (4, 2)
        >>> levels_per_job([800_000, 1_600_000], 2, 1.5), levels_per_job([5_000, 6_000], 2, 0.1)
        (1, 1)
    """
    growth = max(1.0, sizes[-1] / sizes[-2]) if len(sizes) > 1 else 1.0
    levels, ahead, seconds = 1, sizes[-1] * growth, seconds * growth
    together = seconds
    while sizes[-1] >= LEAST_TOGETHER and levels < MOST_LEVELS:
        seconds *= growth
        together += seconds
        if ahead > buckets * MOST_AHEAD or together > MOST_SECONDS:
            break
        levels, ahead = levels + 1, ahead * growth
    return levels
