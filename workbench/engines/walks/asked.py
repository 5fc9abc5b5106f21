"""What walks are asked for, and what came of them: the same here and on Spark."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbench.engines.walks.result import Rule
from workbench.engines.walks.walker import Tally, judged
from workbench.kernel import Model
from workbench.kernel.budget import Limits, Stop
from workbench.kernel.plan import Plan
from workbench.kernel.values import counted

#: Initial states to choose from, at most.
_MOST_STARTS = 100_000
_STARTS_PER_LOOK = 256


@dataclass(frozen=True)
class Progress:
    """Where walks are.

    Attributes:
        walks, steps: So far.
        decided: The invariants that are known to be violated, and the properties that are known to be reached.
    """

    walks: int
    steps: int
    seconds: float
    decided: tuple[str, ...] = ()

    def __str__(self) -> str:
        rate = self.steps / self.seconds if self.seconds else 0
        return f"{counted(self.walks, 'walk')}, {self.steps:,} steps, {rate:,.0f} steps/s, {self.seconds:.0f} s"


@dataclass(frozen=True)
class Asked:
    """What walks are asked for.

    Attributes:
        walks: How many there are to be at most.
        seconds: How long they may take.
        limits: Knows whether somebody stops them.
    """

    plan: Plan
    rule: Rule
    walks: int
    seconds: float | None
    on_progress: Callable[[Progress], object] | None
    limits: Limits

    def go_on(self, tally: Tally) -> bool:
        """Whether there is time for more walks than those in `tally`.

        Raises:
            Stop: If they end early.
        """
        decided = [p for p, known in zip(judged(self.plan), tally.decided, strict=True) if known]
        if self.on_progress is not None:
            names = tuple(declared.name for declared in decided)
            self.on_progress(Progress(tally.walks, tally.steps, self.limits.seconds, names))
        self.limits.enforce(lambda: 0)
        if self.plan.fail_fast and any(declared.kind != "reachable" for declared in decided):
            raise Stop("stopped at the first violation")
        return self.seconds is None or self.limits.seconds < self.seconds


def starts_of(model: Model, limits: Limits | None = None) -> tuple[list[Any], list[str]]:
    """The initial states to choose from, and what a person should know of the choice."""
    starts: list[Any] = []
    for state in itertools.islice(model.each_initial_state(), _MOST_STARTS + 1):
        starts.append(state)
        if limits is not None and len(starts) % _STARTS_PER_LOOK == 0:
            limits.enforce(lambda: 0)
    if len(starts) <= _MOST_STARTS:
        return starts, []
    return starts[:_MOST_STARTS], [f"walks begin in the first {_MOST_STARTS:,} initial states; there are more"]


@dataclass(frozen=True)
class Made:
    """What came of walks.

    Attributes:
        starts: The initial states that they had to choose from.
        stopped: Why they ended early.
    """

    tally: Tally
    workers: int
    starts: list[Any]
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)
