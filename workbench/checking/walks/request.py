"""The request for walks, and their outcome: the same here and on Spark."""

import itertools
from dataclasses import dataclass, field
from typing import Any

from workbench.checking.walks.result import MOST_WALKS, WalkRule
from workbench.checking.walks.walker import Tally, judged
from workbench.kernel import Machine, ModelError
from workbench.kernel.meaning.budget import Limits, Stop, Watch
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.values import counted

#: The most initial states to choose from.
_MOST_STARTS = 100_000
_STARTS_PER_LOOK = 256


@dataclass(frozen=True)
class WalkProgress:
    """The progress of walks.

    Attributes:
        decided: The invariants violated and the properties reached so far.
    """

    walks: int
    steps: int
    seconds: float
    decided: tuple[str, ...] = ()

    def __str__(self) -> str:
        rate = self.steps / self.seconds if self.seconds else 0
        return f"{counted(self.walks, 'walk')}, {self.steps:,} steps, {rate:,.0f} steps/s, {self.seconds:.0f} s"


@dataclass(frozen=True)
class WalkRequest:
    """A request for walks.

    Attributes:
        watch: Its ``on_progress`` is called with a :class:`WalkProgress`.
        limits: Tells whether the walks are stopped.
    """

    plan: Plan
    rule: WalkRule
    watch: Watch
    limits: Limits

    @property
    def walks(self) -> int:
        """The most walks."""
        return self.rule.walks or MOST_WALKS

    def go_on(self, tally: Tally) -> bool:
        """Whether there is time for more walks than those in `tally`.

        Raises:
            Stop: If the walks end early.
        """
        decided = [p for p, is_decided in zip(judged(self.plan), tally.decided, strict=True) if is_decided]
        names = tuple(declared.name for declared in decided)
        self.watch.tell(WalkProgress(tally.walks, tally.steps, self.limits.seconds, names))
        self.limits.enforce()
        if self.plan.fail_fast and any(not declared.wanted for declared in decided):
            raise Stop("stopped at the first violation")
        return self.rule.seconds is None or self.limits.seconds < self.rule.seconds


def starts_of(model: Machine, limits: Limits | None = None) -> tuple[list[Any], list[str]]:
    """The initial states to choose from, and notes on the choice."""
    starts: list[Any] = []
    for state in itertools.islice(model.each_initial_state(), _MOST_STARTS + 1):
        starts.append(state)
        if limits is not None and len(starts) % _STARTS_PER_LOOK == 0:
            limits.enforce()
    if len(starts) <= _MOST_STARTS:
        return starts, []
    return starts[:_MOST_STARTS], [f"walks begin in the first {_MOST_STARTS:,} initial states; there are more"]


@dataclass(frozen=True)
class Walked:
    """The outcome of walks.

    Attributes:
        starts: The initial states to choose from.
        stopped: The reason why the walks ended early.
        error: The error of the model that ended them.
    """

    tally: Tally
    workers: int
    starts: list[Any]
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)
    error: ModelError | None = None
