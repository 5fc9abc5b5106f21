"""What an engine is: a function that is given a plan, limits and resources, and returns a result.

A new engine is a file with such a function, and a line in :data:`workbench.engines.check.ENGINES`. It visits states,
calls ``limits.room`` and ``limits.check`` on the way, and leaves the verdicts to
:func:`workbench.kernel.conclusion.conclude`. ``tests/test_conformance.py`` says what must be true of every engine.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from workbench.engines.threads import usable_cores
from workbench.kernel import Result
from workbench.kernel.budget import Limits
from workbench.kernel.plan import Plan
from workbench.storage.places import Place


class Room(NamedTuple):
    """What a search may use in this process before it moves to Spark; None for no bound."""

    states: int | None = None
    bytes: int | None = None


@dataclass(frozen=True)
class Resources:
    """What an engine may use beside this process.

    Attributes:
        spark: A local session is made for None.
        run_dir: Where a search on Spark keeps its levels; a temporary folder for None.
        room: For the engine ``auto``.
        workers: Threads that search in this process; one per core for None.
    """

    spark: Any = None
    run_dir: Place | None = None
    room: Room = field(default_factory=Room)
    workers: int | None = 1

    @property
    def threads(self) -> int:
        """How many threads are to search in this process."""
        return self.workers or usable_cores()


class Engine(Protocol):
    """A way of searching."""

    def __call__(self, plan: Plan, limits: Limits, resources: Resources) -> Result: ...


def collision_probability(states: int, bits: int, renamings: int = 1) -> float:
    """An upper bound of the chance that two of `states` states, or more, shared a fingerprint of `bits` bits.

    With symmetry a state's fingerprint is the smallest of its images' k = `renamings` hashes. Two such minima are
    equal k*k / (2k - 1) times as often as two hashes: each of the k*k pairs of hashes may be the one that is shared,
    and it is the smallest of all 2k - 1 different ones with a chance of 1 / (2k - 1).

    Examples:
        >>> collision_probability(10**9, 64), collision_probability(10**9, 64, 6) > 3 * collision_probability(10**9, 64)
        (0.027105054285032557, True)
    """
    pairs = states * (states - 1) / 2
    return min(1.0, pairs / 2.0**bits * renamings**2 / (2 * renamings - 1))
