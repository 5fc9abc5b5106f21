"""The contract of engines: each is a frozen dataclass with its options, and a function that searches with them.

A new engine is such a class, a line in :data:`ENGINES`, and the class's ``module``, with a function ``search`` that
takes a plan, limits and the dataclass, and returns a result. It visits states, calls ``limits.room`` and
``limits.check`` on the way, and leaves the verdicts to :func:`workbench.kernel.meaning.conclusion.conclude`.
``tests/checking/test_conformance.py`` tests every engine.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from workbench.checking.kernels.threads import check_workers, usable_cores
from workbench.kernel.meaning.arguments import check_integer, check_kind
from workbench.kernel.meaning.errors import unknown
from workbench.storage.places import Place


class Room(NamedTuple):
    """The most that a search uses in this process before it moves to Spark; None for no bound."""

    states: int | None = None
    bytes: int | None = None


class Engine:
    """A search engine with its options.

    Attributes:
        module: The module with its ``search``. It is loaded when first used: numba and pyspark take their time.
    """

    module: ClassVar[str]


@dataclass(frozen=True)
class Local(Engine):
    """Searches in this process.

    Attributes:
        workers: Threads that search; None for one per core. The result does not depend on it. More than one pays in
            spaces of millions of states: see ``docs/speed.md``.

    Raises:
        InputError: For a value that is not accepted; that goes for every engine.
    """

    workers: int | None = 1

    module = "workbench.checking.local.search"

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", check_workers(self.workers))

    @property
    def threads(self) -> int:
        """The number of threads that search in this process."""
        return self.workers or usable_cores()


@dataclass(frozen=True)
class Spark(Engine):
    """Searches on Spark.

    Attributes:
        session: None for the running session, or else one on this machine.
        run_dir: The folder where the search keeps its levels so that it can be resumed; None for a temporary one.
    """

    session: Any = None
    run_dir: Place | None = None

    module = "workbench.checking.spark.driver.entry"


@dataclass(frozen=True)
class Auto(Local):
    """Starts in this process, and moves to Spark when the search outgrows it.

    Attributes:
        hand_over_states, hand_over_bytes: When it moves; by default when the search's arrays take most of the memory.
        session, run_dir: As for :class:`Spark`, after the move.
    """

    hand_over_states: int | None = None
    hand_over_bytes: int | None = None
    session: Any = None
    run_dir: Place | None = None

    module = "workbench.checking.auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("hand_over_states", "hand_over_bytes"):
            if (threshold := getattr(self, name)) is not None:
                object.__setattr__(self, name, check_integer(name, threshold, 0))


@dataclass(frozen=True)
class Reference(Engine):
    """The plain search that defines the result; it has no fingerprints. A TLA+ text is evaluated as it stands."""

    module = "workbench.checking.reference"


ENGINES = {"auto": Auto, "local": Local, "spark": Spark, "reference": Reference}


def engine_of(engine: Engine | str) -> Engine:
    """The engine itself; for a name, the engine of that name with its defaults.

    Raises:
        InputError: For anything else.
    """
    if not isinstance(engine, str):
        return check_kind("engine", engine, Engine, "a name, or an engine such as Local(workers=2)")
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    return ENGINES[engine]()


def collision_probability(states: int, bits: int, renamings: int = 1) -> float:
    """An upper bound on the probability that any two of `states` states shared a fingerprint of `bits` bits.

    With symmetry a state's fingerprint is the smallest of its images' k = `renamings` hashes. Two such minima are
    equal k*k / (2k - 1) times as often as two hashes: each of the k*k pairs of hashes may coincide, and it is the
    smallest of all 2k - 1 different hashes with probability 1 / (2k - 1).

    Examples:
        >>> collision_probability(10**9, 64), collision_probability(10**9, 64, 6) > 3 * collision_probability(10**9, 64)
        (0.027105054285032557, True)
    """
    pairs = states * (states - 1) / 2
    return min(1.0, pairs / 2.0**bits * renamings**2 / (2 * renamings - 1))
