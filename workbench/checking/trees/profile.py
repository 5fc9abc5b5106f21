"""The profile of a search: its calls of the model's Python by subject, and the cells that these read."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.steps import Subject
from workbench.kernel.meaning.values import counted

#: A remark is due on a subject with this many calls, in this large a share of the states;
_MANY_CALLS = 10_000
_OFTEN = 0.5
#: and on the whole search for this many calls (about a second), with this few states per call.
_MANY_IN_ALL = 20_000
_FEW_STATES = 10
#: The heads of a table with a row per subject.
FIGURES = ("calls", "per 1,000 states", "bytes", "cells", "reads")


class Cost(NamedTuple):
    """The cost of a subject, over all combinations of its parameters.

    Attributes:
        instances: The combinations of parameters.
        calls: Calls of Python: one for each path of its trees.
        bytes: The size of its trees.
        widest: The most cells that one instance has read, over all its calls.
        reads: The positions of the cells that it has read.
    """

    subject: Subject
    instances: int
    calls: int
    bytes: int
    widest: int
    reads: frozenset[int]

    def joined(self, other: "Cost") -> "Cost":
        """The cost of the same subject in two processes with their own trees."""
        return Cost(
            self.subject,
            self.instances,
            self.calls + other.calls,
            self.bytes + other.bytes,
            max(self.widest, other.widest),
            self.reads | other.reads,
        )


@dataclass(frozen=True, repr=False)
class Profile:
    """The cost of a search, by action and by property or clause.

    Attributes:
        states: Distinct states visited.
        cells: The cells of a state.
        costs: The actions, then the properties, in the order of declaration.
    """

    states: int
    cells: tuple[Cell, ...]
    costs: tuple[Cost, ...]

    @cached_property
    def calls(self) -> int:
        """Calls of Python."""
        return sum(cost.calls for cost in self.costs)

    @property
    def states_per_call(self) -> float:
        """States per call of Python."""
        return self.states / max(1, self.calls)

    def per_thousand(self, cost: Cost) -> float:
        """Calls per thousand states."""
        return 1000 * cost.calls / max(1, self.states)

    def variables(self, cost: Cost) -> str:
        """The variables read, each with the number of its cells if it has several.

        Examples:
            >>> cells = tuple(Cell("pc", w) for w in ("w1", "w2")) + (Cell("table", None),)
            >>> cost = Cost(Subject("action", "commit"), 2, 9, 400, 2, frozenset({0, 1, 2}))
            >>> Profile(10, cells, (cost,)).variables(cost)
            'pc (2), table'
        """
        read = [self.cells[cell] for cell in sorted(cost.reads)]
        times = {cell.variable: sum(other.variable == cell.variable for other in read) for cell in read}
        single = {cell.variable for cell in self.cells if cell.index is None}
        return ", ".join(name if name in single else f"{name} ({times[name]})" for name in times)

    def row(self, cost: Cost) -> tuple[str, ...]:
        """The figures of a subject, as :data:`FIGURES` names them."""
        figures = f"{cost.calls:,}", f"{self.per_thousand(cost):,.1f}", f"{cost.bytes:,}", str(cost.widest)
        return (*figures, self.variables(cost) or "nothing")

    @property
    def head(self) -> str:
        """All calls in a line."""
        return f"{counted(self.calls, 'call')} of Python for {counted(self.states, 'state')}, {self.summary}"

    @property
    def often(self) -> list[Cost]:
        """The subjects called for most states, if that takes time."""
        return [cost for cost in self.costs if cost.calls >= max(_MANY_CALLS, _OFTEN * self.states)]

    @property
    def remarks(self) -> list[str]:
        """Remarks for the author: subjects called :attr:`often`, or else too few states per call."""
        if not self.often and self.calls >= _MANY_IN_ALL and self.states_per_call < _FEW_STATES:
            most = ", ".join(str(cost.subject) for cost in self._most)
            return [
                f"Python is called often: {counted(self.calls, 'call')} for {counted(self.states, 'state')} "
                f"({self.summary}), most of them for {most}; the profile shows what is read, and "
                "parameters or SetOf let less be read at a time"
            ]
        return [
            f"{cost.subject} is called for most states: {counted(cost.calls, 'call')} for "
            f"{counted(self.states, 'state')}, since it reads up to {cost.widest} of {len(self.cells)} cells; the "
            "profile shows which, and parameters or SetOf let it read less at a time"
            for cost in self.often
        ]

    @property
    def _most(self) -> list[Cost]:
        """The fewest subjects that make up half of all calls."""
        most: list[Cost] = []
        for cost in self.by_calls:
            if 2 * sum(earlier.calls for earlier in most) <= self.calls:
                most.append(cost)
        return most

    def as_dict(self) -> dict[str, Any]:
        """The profile for JSON; costs are in the order of declaration."""
        return {
            "states": self.states,
            "cells": len(self.cells),
            "calls": self.calls,
            "states_per_call": round(self.states_per_call, 3),
            "costs": [
                {
                    **cost.subject._asdict(),
                    "instances": cost.instances,
                    "calls": cost.calls,
                    "calls_per_thousand_states": round(self.per_thousand(cost), 3),
                    "bytes": cost.bytes,
                    "widest": cost.widest,
                    "reads": [str(self.cells[cell]) for cell in sorted(cost.reads)],
                }
                for cost in self.costs
            ],
        }

    def __repr__(self) -> str:
        lines = [f"{counted(self.calls, 'call')} for {counted(self.states, 'state')}: {self.summary}"]
        lines += [f"  {c.calls:>9,}  {c.subject}  reads {self.variables(c) or 'nothing'}" for c in self.by_calls]
        return "\n".join(lines)

    @property
    def summary(self) -> str:
        """States per call, or calls per state, in words."""
        if self.states_per_call >= 1:
            return f"{self.states_per_call:,.1f} states per call"
        return f"{1 / max(self.states_per_call, 1e-9):,.1f} calls per state"

    @property
    def by_calls(self) -> list[Cost]:
        """The costs, most calls first."""
        return sorted(self.costs, key=lambda cost: -cost.calls)


def joined(costs: Iterable[Iterable[Cost]]) -> tuple[Cost, ...]:
    """The costs of several processes, merged by subject."""
    together: dict[Subject, Cost] = {}
    for cost in (cost for process in costs for cost in process):
        total = together.get(cost.subject)
        together[cost.subject] = cost if total is None else total.joined(cost)
    return tuple(together.values())
