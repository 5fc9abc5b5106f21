"""What came of holding a recording against a model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from workbench.kernel import Model, Trace, replay
from workbench.kernel.errors import listed
from workbench.kernel.state import Cell
from workbench.kernel.values import counted, show

_MOST_SHOWN = 12
_LONG = 10**15


class CellDifference(NamedTuple):
    """A cell in which what was recorded is not what the model has."""

    cell: Cell
    recorded: Any
    model: Any


class Nearest(NamedTuple):
    """A step of the model that comes close to what was recorded, or an initial state that does.

    Attributes:
        differences: In what it leads to.
        lacks: What it requires and is not so; empty for a step that can be taken.
        then: The steps that would follow, were it taken all the same, up to what was recorded.
        unrecorded: What it changes and was not seen to change: it can be taken, but should have been recorded.
    """

    label: str
    differences: list[CellDifference]
    lacks: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    unrecorded: tuple[Cell, ...] = ()

    @property
    def key(self) -> tuple[str, tuple[str, ...], tuple[Cell, ...]]:
        """What tells it from others, whatever would follow."""
        return self.label, self.lacks, self.unrecorded

    @property
    def reasons(self) -> list[str]:
        """What stands in its way, each in a line."""
        changes = listed(map(str, self.unrecorded), 80)
        return [
            *(f"it cannot be taken: {lack}" for lack in self.lacks),
            *([f"it changes {changes}, which was not recorded"] if self.unrecorded else []),
            *(f"{cell} is {show(value)}, recorded as {show(recorded)}" for cell, recorded, value in self.differences),
        ]

    @property
    def told(self) -> str:
        """The step, and what would follow."""
        return f"{self.label} (then {', '.join(self.then)})" if self.then else self.label

    def __str__(self) -> str:
        return f"{self.told}, but {'; '.join(self.reasons)}"


class BehaviourPath(NamedTuple):
    """A behaviour, by its moves: long ones are large once all their states are made."""

    model: Model
    start: int
    moves: Sequence[tuple[int, int]]
    loop: int | None = None


@dataclass(frozen=True, repr=False)
class Report:
    """What :func:`workbench.guided.validate.validate` found.

    Attributes:
        valid: Whether the recording is a behaviour of the model; None if that was not decided.
        states: How many observations, from the first on, a behaviour of the model explains.
        candidates: How many states of the model agree with the recording up to the last of them.
        ways: In how many ways that can have happened: sequences of steps, hidden ones included, together with the
            moments at which the observations were made. ``math.inf`` if hidden steps can go round, None if it was not
            counted.
        behaviour: A behaviour of the model that agrees with these observations.
        at: For each of them the index of its state in that behaviour.
        failed: The number, from 1, of the first observation that does not follow.
        why: Why it does not, or why nothing was decided, in one line.
        enabled: The steps that the model may take instead.
        closest: The steps that come closest to the observation that does not follow, the closest first.
        remarks: What of the recording was not used.
    """

    valid: bool | None
    states: int
    candidates: int = 0
    ways: int | float | None = None
    behaviour: BehaviourPath | None = None
    at: list[int] = field(default_factory=list)
    failed: int | None = None
    why: str | None = None
    enabled: list[str] = field(default_factory=list)
    closest: list[Nearest] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @cached_property
    def trace(self) -> Trace | None:
        """The behaviour, with all its states."""
        return None if self.behaviour is None else replay(*self.behaviour)

    @property
    def nearest(self) -> Nearest | None:
        """The closest one."""
        return self.closest[0] if self.closest else None

    def __repr__(self) -> str:
        return str(self)  # Python refuses to write the digits of very many ways

    def __str__(self) -> str:
        if self.valid:
            lines = [f"a behaviour of the model: {counted(self.states, 'state')}"]
            if self.candidates > 1:
                lines.append(f"  {self.candidates:,} states of the model agree with the last one recorded")
            if self.ways is not None and self.ways > 1:
                lines.append(f"  {told_ways(self.ways)}")
        elif self.valid is None:
            lines = [f"not decided: {self.why}", f"  a behaviour up to there: {counted(self.states, 'state')}"]
        else:
            lines = [f"not a behaviour of the model: {self.why}"]
            if self.enabled:
                more = f", and {len(self.enabled) - _MOST_SHOWN} more" if len(self.enabled) > _MOST_SHOWN else ""
                lines.append(f"  enabled there: {', '.join(self.enabled[:_MOST_SHOWN])}{more}")
            for near in self.closest:
                lines += [f"  nearest: {near.told}, but", *(f"    {reason}" for reason in near.reasons)]
        return "\n".join(lines + [f"  note: {remark}" for remark in self.remarks])


def told_ways(ways: int | float) -> str:
    """A number of ways, as people read it.

    Examples:
        >>> told_ways(12), told_ways(3**4000)
        ('it can have happened in 12 ways', 'it can have happened in about 10^1909 ways')
    """
    if isinstance(ways, float):
        return "it can have happened in any number of ways: steps that leave no trace can go round"
    number = f"{ways:,}" if ways < _LONG else f"about 10^{round(ways.bit_length() * math.log10(2))}"
    return f"it can have happened in {number} ways"
