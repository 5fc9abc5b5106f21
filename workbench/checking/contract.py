"""The contract of engines: a function takes a plan, limits and resources, and returns a result.

A new engine is a file with such a function, and a line in :data:`workbench.checking.check.ENGINES`. It visits states,
calls ``limits.room`` and ``limits.check`` on the way, and leaves the verdicts to
:func:`workbench.kernel.meaning.conclusion.conclude`. ``tests/checking/test_conformance.py`` tests every engine.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from workbench.checking.kernels.threads import usable_cores
from workbench.kernel import Result
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.plan import Plan
from workbench.storage.places import Place


class Room(NamedTuple):
    """The most that a search uses in this process before it moves to Spark; None for no bound."""

    states: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Resources:
    """The resources of an engine.

    Attributes:
        spark: A session; None starts a local one.
        run_dir: Where a search on Spark keeps its levels; None for a temporary folder.
        room: For the engine ``auto``.
        workers: Threads that search in this process; None for one per core.
    """

    spark: Any = None
    run_dir: Place | None = None
    room: Room = field(default_factory=Room)
    workers: int | None = 1

    @property
    def threads(self) -> int:
        """The number of threads that search in this process."""
        return self.workers or usable_cores()


class Engine(Protocol):
    def __call__(self, plan: Plan, limits: Limits, resources: Resources) -> Result: ...


def collision_probability(states: int, bits: int, renamings: int = 1) -> float:
    """An upper bound of the probability that any two of `states` states shared a fingerprint of `bits` bits.

    With symmetry a state's fingerprint is the smallest of its images' k = `renamings` hashes. Two such minima are
    equal k*k / (2k - 1) times as often as two hashes: each of the k*k pairs of hashes may coincide, and it is the
    smallest of all 2k - 1 different hashes with probability 1 / (2k - 1).

    Examples:
        >>> collision_probability(10**9, 64), collision_probability(10**9, 64, 6) > 3 * collision_probability(10**9, 64)
        (0.027105054285032557, True)
    """
    pairs = states * (states - 1) / 2
    return min(1.0, pairs / 2.0**bits * renamings**2 / (2 * renamings - 1))
