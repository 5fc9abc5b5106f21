"""The report on two machines: whether they are the same, and the first state or step that only one of them has."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.kernel import Trace
from workbench.kernel.meaning.result import Lined, marked
from workbench.kernel.meaning.text import Line, Styled, columns
from workbench.kernel.meaning.translation import in_stale, known_in, stale_lines
from workbench.kernel.meaning.values import counted

_MOST_LINES = 12


class Figures(NamedTuple):
    """The numbers of initial states, states and steps; a step is a pair of different states."""

    initial: int
    states: int
    steps: int


@dataclass(frozen=True)
class Extra:
    """The first initial state or step that only one machine has.

    Attributes:
        trace: The behaviour that ends with it, in the machine that has it.
        label: The step; ``initial state`` without one.
        nearest: The closest step, or initial state, of the other machine; None if it has none there.
        lines: Its differences, in the terms of the second machine.
    """

    trace: Trace
    label: str
    nearest: str | None
    lines: list[str]


@dataclass(frozen=True)
class Side:
    """One of the two machines: its numbers, and the first thing that only it has.

    Attributes:
        has: Its numbers, after its states are mapped.
        own: The number of its own states.
        alone: None if the comparison is incomplete.
        extra: None if it has nothing alone.
    """

    name: str
    has: Figures
    own: int
    alone: Figures | None = None
    extra: Extra | None = None


@dataclass(frozen=True, repr=False)
class Sameness(Lined):
    """The outcome of comparing two machines.

    Attributes:
        one, other: The machine that is mapped, and the machine it is mapped to, or whose states are mapped too.
        stopped: The reason why the comparison is incomplete; None if it is complete.
        remarks: Further remarks, in lines.
        translation: What is compared of a module with PlusCal, as for a result of a check; None for all others.
    """

    one: Side
    other: Side
    stopped: str | None = None
    remarks: list[str] = field(default_factory=list)
    translation: str | None = None

    @property
    def holds(self) -> bool | None:
        """Whether they are the same; None where that is so of a stale translation."""
        if self.stopped is not None:
            return None
        return known_in(self.translation, self._is_same)

    @property
    def _is_same(self) -> bool:
        return self.one.alone == self.other.alone == Figures(0, 0, 0)

    @property
    def why(self) -> str:
        if self.stopped is not None:
            return f"not decided: {self.stopped}"
        _, states, steps = self.other.has
        stale = in_stale(self.translation)
        if self._is_same:
            return f"the same: {counted(states, 'state')} and {counted(steps, 'step')} of {self.both}{stale}"
        more = [side.name for side in (self.one, self.other) if side.extra is not None]
        return f"not the same: {' and '.join(more)} {'does' if len(more) == 1 else 'do'} what the other does not{stale}"

    @property
    def both(self) -> str:
        return f"{self.one.name} and {self.other.name}"

    @property
    def trace(self) -> Trace | None:
        """The behaviour up to the first thing that only one of the machines has."""
        extras = (side.extra for side in (self.one, self.other))
        return next((extra.trace for extra in extras if extra is not None), None)

    def __repr__(self) -> str:
        return self.text()

    def styled(self) -> list[Line]:
        style, (mark, text) = marked(self.holds, self.why)
        lines: list[Line] = [*stale_lines(self.translation), Styled(mark, style, f" {text}")]
        if not self._is_same:
            lines += [f"  {line}".rstrip() for line in columns(list(self._rows()), right={1, 2, 3})]
        for side, beside in ((self.one, self.other), (self.other, self.one)):
            if side.extra is not None:
                lines += ["", *self._lines_of(side.extra, side.name, beside.name)]
        return [*lines, *(f"  note: {remark}" for remark in [*self._merged(), *self.remarks])]

    def _merged(self) -> Iterator[str]:
        """Which sides have several states that are mapped to one."""
        for side in (self.one, self.other):
            if side.alone is not None and side.has.states < side.own:
                yield f"{counted(side.own, 'state')} of {side.name} are mapped to {side.has.states:,}"

    def _rows(self) -> Iterator[list[str]]:
        yield ["", "initial", "states", "steps"]
        for side in (self.one, self.other):
            yield [side.name, *(f"{number:,}" for number in side.has)]
            if side.alone is not None:
                yield ["  alone", *(f"{number:,}" for number in side.alone)]

    def _lines_of(self, extra: Extra, name: str, other: str) -> Iterator[str]:
        states = len(extra.trace) - 1
        if not states:
            yield f"{name} alone begins like this:"
            yield from (f"  {line}" for line in repr(extra.trace.last).splitlines())
        else:
            yield f"{name} alone, after {counted(states, 'state')}: {extra.label}"
        kind = "step there" if states else "initial state"
        yield f"  {other} has no {kind}" if extra.nearest is None else f"  nearest in {other}: {extra.nearest}, but"
        yield from (f"    {line}" for line in extra.lines[:_MOST_LINES])
        if len(extra.lines) > _MOST_LINES:
            yield f"    and {len(extra.lines) - _MOST_LINES} more differences"

    def as_dict(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "why": self.why,
            "remarks": self.remarks,
            "translation": self.translation,
            "machines": [
                {
                    "name": side.name,
                    **side.has._asdict(),
                    "own_states": side.own,
                    "alone": None if side.alone is None else side.alone._asdict(),
                    "first_alone": None if side.extra is None else side.extra.label,
                    "differences": [] if side.extra is None else side.extra.lines,
                }
                for side in (self.one, self.other)
            ],
        }
