"""The report on a recording: whether it is a behaviour of the model, and if not, why."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from workbench.kernel import Machine, Trace, replay
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import listed
from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.translation import in_translation, stale_lines
from workbench.kernel.meaning.values import counted

_MOST_SHOWN = 12
_LONG = 10**15


class CellDifference(NamedTuple):
    """A cell whose recorded value differs from the model's."""

    cell: Cell
    recorded: Any
    model: Any
    notation: Notation

    def __str__(self) -> str:
        show = self.notation.show
        return f"{self.cell} is {show(self.model)}, recorded as {show(self.recorded)}"


class Nearest(NamedTuple):
    """A step of the model, or an initial state, that comes close to the recording.

    Attributes:
        differences: Between its target and the recording.
        lacks: Its unmet requirements; empty for an enabled step.
        then: The steps that would lead on to the observation if it were taken.
        unrecorded: The cells it changes without a record; the step is enabled, but should have been recorded.
    """

    label: str
    differences: list[CellDifference]
    lacks: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    unrecorded: tuple[Cell, ...] = ()

    @property
    def key(self) -> tuple[str, tuple[str, ...], tuple[Cell, ...]]:
        """The identity of the step, whatever would follow it."""
        return self.label, self.lacks, self.unrecorded

    @property
    def reasons(self) -> list[str]:
        """The reasons against the step, one per line."""
        changes = listed(map(str, self.unrecorded), 80)
        return [
            *(f"it cannot be taken: {lack}" for lack in self.lacks),
            *([f"it changes {changes}, which was not recorded"] if self.unrecorded else []),
            *map(str, self.differences),
        ]

    @property
    def in_words(self) -> str:
        """The step in words, with the steps that would follow it."""
        return f"{self.label} (then {', '.join(self.then)})" if self.then else self.label

    def __str__(self) -> str:
        return f"{self.in_words}, but {'; '.join(self.reasons)}"


class BehaviourPath(NamedTuple):
    """A behaviour as moves, since all states of a long one take much memory."""

    model: Machine
    start: int
    moves: Sequence[tuple[int, int]]
    loop: int | None = None


@dataclass(frozen=True, repr=False)
class Report:
    """The result of :func:`workbench.checking.following.validate.validate`.

    Attributes:
        holds: Whether the recording is a behaviour of the model; None if undecided.
        states: The number of leading observations that a behaviour of the model explains.
        candidates: The number of model states that agree with the recording up to the last of them.
        ways: The number of ways to explain them: sequences of steps, hidden ones included, with the moments of the
            observations. ``math.inf`` if hidden steps can cycle, None if not counted.
        behaviour: A behaviour of the model that agrees with these observations.
        at: The index of each one's state in that behaviour.
        failed: The number, from 1, of the first observation that does not follow.
        why: The reason why it does not follow, or why nothing was decided, in one line.
        enabled: The steps that the model can take instead.
        closest: The steps closest to the failed observation, closest first.
        remarks: The parts of the recording that were ignored.
        settings: Lines on the settings under which it is a behaviour, if they were looked for.
        translation: What is followed of a module with PlusCal, as for a result of a check; None for all others.
    """

    holds: bool | None
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
    settings: list[str] = field(default_factory=list)
    translation: str | None = None

    def of(self, model: Machine) -> "Report":
        """The same report with notes on `model` as a translation, weakened if that is stale.

        A behaviour of a stale translation need not be one of the algorithm, so it decides nothing.
        """
        family = model.declared
        return in_translation(self, family.translation, family.translation_notes, "it is a behaviour")

    @cached_property
    def trace(self) -> Trace | None:
        """The behaviour, with all its states."""
        return None if self.behaviour is None else replay(*self.behaviour)

    @property
    def nearest(self) -> Nearest | None:
        """The closest step."""
        return self.closest[0] if self.closest else None

    def __repr__(self) -> str:
        return self.text()  # Python refuses to write the digits of very many ways

    def text(self) -> str:
        if self.holds:
            lines = [f"a behaviour of the model: {counted(self.states, 'state')}"]
            if self.candidates > 1:
                lines.append(f"  {self.candidates:,} states of the model agree with the last one recorded")
            if self.ways is not None and self.ways > 1:
                lines.append(f"  {told_ways(self.ways)}")
        elif self.holds is None:
            lines = [f"not decided: {self.why}", f"  a behaviour up to there: {counted(self.states, 'state')}"]
        else:
            lines = [f"not a behaviour of the model: {self.why}"]
            if self.enabled:
                more = f", and {len(self.enabled) - _MOST_SHOWN} more" if len(self.enabled) > _MOST_SHOWN else ""
                lines.append(f"  enabled there: {', '.join(self.enabled[:_MOST_SHOWN])}{more}")
            for near in self.closest:
                lines += [f"  nearest: {near.in_words}, but", *(f"    {reason}" for reason in near.reasons)]
        lines = [*map(str, stale_lines(self.translation)), *lines]
        return "\n".join([*lines, *(f"  note: {remark}" for remark in self.remarks), *self.settings])

    def as_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "why": self.why,
            "states": self.states,
            "candidates": self.candidates,
            "ways": str(self.ways) if isinstance(self.ways, float) or (self.ways or 0) >= _LONG else self.ways,
            "failed": self.failed,
            "enabled": self.enabled,
            "closest": [{"label": near.in_words, "reasons": near.reasons} for near in self.closest],
            "remarks": self.remarks,
            "settings": self.settings,
            "translation": self.translation,
        }


def told_ways(ways: int | float) -> str:
    """The number of ways in words.

    Examples:
        >>> told_ways(12), told_ways(3**4000)
        ('it can have happened in 12 ways', 'it can have happened in about 10^1909 ways')
    """
    if isinstance(ways, float):
        return "it can have happened in any number of ways: steps that leave no trace can go round"
    number = f"{ways:,}" if ways < _LONG else f"about 10^{round(ways.bit_length() * math.log10(2))}"
    return f"it can have happened in {number} ways"
