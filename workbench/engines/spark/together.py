"""How many levels a job makes: starting one costs as much as a wide level, and what is under way may be lost."""

from collections.abc import Sequence

#: Levels that one job makes at most, and what they may take: they are lost together when it is stopped.
MOST_LEVELS, MOST_SECONDS = 4, 10.0
#: Levels from this size on are made together.
LEAST_TOGETHER = 1 << 16
#: States per bucket of each of these at most: what they lead to waits in memory until all of them have been admitted.
MOST_AHEAD = 1 << 20


def levels_per_job(sizes: Sequence[int], buckets: int, seconds: float) -> int:
    """How many levels a job makes after those with these sizes, the last in so many seconds, if they go on as they do.

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
