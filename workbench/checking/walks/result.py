"""The result of random walks: verdicts on the states and steps that they met, and the extent of the walks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from workbench.kernel import Machine
from workbench.kernel.meaning.arguments import check_integer, plain
from workbench.kernel.meaning.errors import InputError, ModelError, brief
from workbench.kernel.meaning.properties import Liveness, Postcondition, Property
from workbench.kernel.meaning.result import Judged, Verdict, model_line
from workbench.kernel.meaning.text import Line, Styled, columns
from workbench.kernel.meaning.translation import stale_lines
from workbench.kernel.meaning.values import counted

UNIFORM = ("actions", "successors")
MOST_WALKS = 2**62
_LARGEST_SEED = 2**63 - 1
_DEEPEST = 10_000_000
NOT_JUDGED = "a walk is finite: liveness is not judged by walks"


@dataclass(frozen=True)
class WalkRule:
    """The rule for making walks. A walk depends on its number and on the rule, but not on `walks` and `seconds`.

    Attributes:
        walks, seconds: The most walks, and the most seconds; None for no bound.
        depth: The most steps of a walk. It also ends if nothing is enabled, or no step changes anything.
        seed: Decides every choice of a walk, together with the walk's number.
        uniform ({"actions", "successors"}): Whether enabled actions (with arguments) have equal probability, and then
            their outcomes; or all successors. Initial states have equal probability.
        swarm: Each walk draws a weight for every action (with arguments): some it rarely takes, others whenever it can;
            so walks differ more from each other.

    Raises:
        InputError: For a value that is not accepted.
    """

    walks: int | None = None
    seconds: float | None = None
    depth: int = 200
    seed: int = 0
    uniform: str = "actions"
    swarm: bool = False

    def __post_init__(self) -> None:
        if self.walks is not None:
            object.__setattr__(self, "walks", check_integer("walks", self.walks, 1, MOST_WALKS))
        seconds = plain(self.seconds)
        if seconds is not None and not (type(seconds) in (int, float) and 0 < seconds < float("inf")):
            raise InputError(f"seconds = {brief(seconds)} is not accepted; it takes a number above 0")
        object.__setattr__(self, "seconds", seconds)
        object.__setattr__(self, "depth", check_integer("depth", self.depth, 1, _DEEPEST))
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, _LARGEST_SEED))
        if self.uniform not in UNIFORM:
            raise InputError(f"uniform = {brief(self.uniform)} is not accepted; it takes {' or '.join(UNIFORM)}")

    def __str__(self) -> str:
        swarm = ", swarm" if self.swarm else ""
        return f"uniform over {self.uniform}{swarm}, seed {self.seed}"


@dataclass(frozen=True)
class ActionTaken:
    """The number of times that walks found an action enabled (per state and instance), and took it."""

    name: str
    enabled: int
    taken: int


@dataclass(frozen=True, repr=False)
class Simulation(Judged):
    """The result of random walks. A property that no walk decided is unknown, however many walks there were.

    Attributes:
        walks, steps: Completed walks, and the steps of all walks.
        deadlocked: Walks that ended in a state without successors, which may be a proper end.
        settled: Walks that ended in a state that no step changes.
        outside: Walks that ended by leaving the state constraints. The pruned state is judged, but not counted in
            `distinct`.
        longest: Steps of the longest walk.
        distinct: The estimated number of distinct states visited.
        distinct_error: The relative standard error of `distinct`.
        stopped: The reason why the walks ended early.
        error: The error of the model that ended them; only what they had decided is known.
        calls: Calls of the model's Python code.
    """

    model: Machine
    engine: str
    workers: int
    rule: WalkRule
    walks: int
    steps: int
    deadlocked: int
    settled: int
    outside: int
    longest: int
    actions: list[ActionTaken]
    distinct: float
    distinct_error: float
    verdicts: list[Verdict]
    seconds: float
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)
    calls: int = 0
    error: ModelError | None = None

    @property
    def never_enabled(self) -> list[str]:
        """Actions that no visited state enables."""
        return [action.name for action in self.actions if action.enabled == 0]

    @property
    def extent(self) -> str:
        """The extent of the walks, in words."""
        return extent(self.walks, self.rule.depth, self.steps)

    @property
    def lines(self) -> list[Line]:
        """The result without verdicts, in lines of text."""
        rate = self.steps / self.seconds if self.seconds else 0
        workers, ended = counted(self.workers, "worker"), counted(self.deadlocked, "walk")
        lines: list[Line] = [
            f"{self.extent}, {self.seconds:.2f} s, {rate:,.0f} steps/s ({self.engine} engine, {workers}; {self.rule})",
            f"about {_rounded(self.distinct)} distinct states (HyperLogLog, standard error {self.distinct_error:.1%})",
            f"{ended} ended where nothing is enabled, {self.settled:,} where nothing changes; "
            f"the longest has {counted(self.longest, 'step')}; Python was called {self.calls:,} times",
        ]
        if self.stopped is not None:
            lines.append(Styled("ENDED EARLY", "warning", f": {self.stopped}"))
        if self.never_enabled:
            lines.append(f"never enabled in these walks: {', '.join(self.never_enabled)}")
        return [*lines, *(f"note: {note}" for note in self.notes)]

    def styled(self) -> list[Line]:
        """The extent, the verdicts, and how often each action was enabled and taken."""
        counts = [(action.name, f"{action.enabled:,}", f"{action.taken:,}") for action in self.actions]
        table = columns([("action", "enabled", "taken"), *counts], right=(1, 2))
        verdicts = [verdict.line for verdict in self.verdicts]
        head = [model_line(self.model), *stale_lines(self.translation)]
        return [*head, *self.lines, "", *verdicts, "", *table]

    def __repr__(self) -> str:
        return self.text()

    def as_dict(self) -> dict[str, Any]:
        return {
            "model": self.model.name,
            "constants": self.model.spelled(),
            "engine": self.engine,
            "workers": self.workers,
            "depth": self.rule.depth,
            "seed": self.rule.seed,
            "uniform": self.rule.uniform,
            "swarm": self.rule.swarm,
            "walks": self.walks,
            "steps": self.steps,
            "deadlocked": self.deadlocked,
            "settled": self.settled,
            "outside": self.outside,
            "longest": self.longest,
            "distinct": round(self.distinct),
            "distinct_error": self.distinct_error,
            "seconds": round(self.seconds, 4),
            "actions": [vars(action) for action in self.actions],
            "properties": [v.as_dict() for v in self.verdicts],
            "stopped": self.stopped,
            "notes": self.notes,
            "translation": self.translation,
            "python_calls": self.calls,
            "error": None if self.error is None else str(self.error),
        }


def extent(walks: int, depth: int, steps: int) -> str:
    """The extent of walks, in words.

    Examples:
        >>> extent(1, 200, 12345)
        '1 walk of up to 200 steps (12,345 steps)'
    """
    return f"{counted(walks, 'walk')} of up to {counted(depth, 'step')} ({counted(steps, 'step')})"


def without_liveness(model: Machine, names: Iterable[str] | None = None) -> tuple[list[str], list[str]]:
    """The properties among `names` (by default the model's) that walks can judge, and a note on the others."""
    chosen = model.select(names)
    left = [declared.name for declared in chosen if isinstance(declared, Liveness)]
    notes = [f"not looked at, since a walk is finite and liveness is not: {', '.join(left)}"] if left else []
    return [declared.name for declared in chosen if declared.name not in left], notes


def undecided_verdict(declared: Property, looked_at: str) -> Verdict:
    """The verdict on a property that no walk decided."""
    if isinstance(declared, Liveness):
        return Verdict.on(declared, None, NOT_JUDGED)
    if isinstance(declared, Postcondition):
        return Verdict.on(declared, None, "it is asked after a search of the whole space alone")
    word = "not reached" if declared.wanted else "not violated"
    return Verdict.on(declared, None, f"{word} in {looked_at}")


def _rounded(number: float) -> str:
    """A number rounded to four digits, as more are not known.

    Examples:
        >>> _rounded(1234567.8), _rounded(987.2)
        ('1,235,000', '987')
    """
    return f"{int(float(f'{number:.4g}')):,}"
