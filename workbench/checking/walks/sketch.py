"""The number of distinct states visited, by HyperLogLog: a sketch of a set of fingerprints in 16 KiB.

The first bits of a fingerprint choose a register, which keeps the longest run of zeros after them. Ertl's estimate from
the registers needs no corrections for small sets.

References:
    P. Flajolet, E. Fusy, O. Gandouet, F. Meunier: HyperLogLog: the analysis of a near-optimal cardinality estimation
    algorithm. Analysis of Algorithms, 2007.
    O. Ertl: New cardinality estimation algorithms for HyperLogLog sketches. arXiv:1702.01284, 2017.
"""

import math

import numpy as np

from workbench.checking.kernels.compiled import njit

_BITS = 14
REGISTERS = 1 << _BITS
#: The relative standard error of an estimate.
ERROR = 1.04 / math.sqrt(REGISTERS)
_LONGEST = 64 - _BITS


def empty() -> np.ndarray:
    """The sketch of the empty set. The sketch of a union is the maximum of each register."""
    return np.zeros(REGISTERS, np.uint8)


@njit(cache=True, nogil=True)
def observe(registers, fingerprint):
    """Add a state to the sketch."""
    register = np.int64(fingerprint >> np.uint64(_LONGEST))
    rest = fingerprint << np.uint64(_BITS)
    rank = 1
    while rank <= _LONGEST and rest >> np.uint64(63) == 0:
        rest <<= np.uint64(1)
        rank += 1
    if rank > registers[register]:
        registers[register] = rank


def estimate(registers: np.ndarray) -> float:
    """The estimated number of distinct fingerprints in the sketch.

    Examples:
        >>> registers = empty()
        >>> estimate(registers)
        0.0
        >>> observe(registers, np.uint64(0x0123_4567_89AB_CDEF))
        >>> round(estimate(registers), 2)
        1.0
    """
    counts = np.bincount(registers, minlength=_LONGEST + 2).tolist()
    held = REGISTERS * _tau(1 - counts[_LONGEST + 1] / REGISTERS)
    for count in reversed(counts[1 : _LONGEST + 1]):
        held = (held + count) / 2
    held += REGISTERS * _sigma(counts[0] / REGISTERS)
    return REGISTERS**2 / (2 * math.log(2) * held)


def _sigma(x: float) -> float:
    """The term of the empty registers: ``x + sum(x ** 2**k * 2 ** (k - 1))``."""
    if x == 1:
        return math.inf
    power, total = 1.0, x
    while True:
        x *= x
        before, total = total, total + x * power
        power += power
        if total == before:
            return total


def _tau(x: float) -> float:
    """The term of the saturated registers: ``(1 - x - sum((1 - x ** 2**-k) ** 2 * 2**-k)) / 3``."""
    if x in (0, 1):
        return 0.0
    power, total = 1.0, 1 - x
    while True:
        x = math.sqrt(x)
        power /= 2
        before, total = total, total - (1 - x) ** 2 * power
        if total == before:
            return total / 3
