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

    Attributes
    ----------
    spark : SparkSession or None
        A local session is made for None.
    run_dir : path, URL or None
        Where a search on Spark keeps its levels; a temporary folder for None.
    room : Room
        For the engine ``auto``.
    workers : int or None
        Threads that search in this process; one per core for None.
    """

    spark: Any = None
    run_dir: Place | None = None
    room: Room = field(default_factory=Room)
    workers: int | None = None

    @property
    def threads(self) -> int:
        """How many threads are to search in this process."""
        return self.workers or usable_cores()


class Engine(Protocol):
    """A way of searching."""

    def __call__(self, plan: Plan, limits: Limits, resources: Resources) -> Result: ...
