"""What a search asked the model's Python: how often, for what, and what that read."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from workbench.kernel.instances import Subject
from workbench.kernel.state import Cell
from workbench.kernel.values import counted

#: From how many calls on it is worth saying that something is called for every other state, and for how many of them.
_MANY_CALLS = 10_000
_OFTEN = 0.5
#: From how many calls on, about a second's, it is worth saying that there are many in all, and for how few states each.
_MANY_IN_ALL = 20_000
_FEW_STATES = 10


class Cost(NamedTuple):
    """What a subject cost, all combinations of its parameters together.

    Attributes:
        instances: How many combinations of parameters it has.
        calls: How often Python was called: once for each path of its trees.
        bytes: What its trees take.
        widest: The most cells that one of its instances has read, in all calls together.
        reads: The cells that it has read, by position.
    """

    subject: Subject
    instances: int
    calls: int
    bytes: int
    widest: int
    reads: frozenset[int]

    def joined(self, other: "Cost") -> "Cost":
        """The cost of the same subject in two processes, each with trees of its own."""
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
        states: The distinct states that were visited.
        cells: Those of a state.
        costs: The actions, then the properties, as they were declared.
    """

    states: int
    cells: tuple[Cell, ...]
    costs: tuple[Cost, ...]

    @cached_property
    def calls(self) -> int:
        """How often Python was called."""
        return sum(cost.calls for cost in self.costs)

    @property
    def states_per_call(self) -> float:
        """How many states one call of Python was good for."""
        return self.states / max(1, self.calls)

    def per_thousand(self, cost: Cost) -> float:
        """The calls for a thousand states."""
        return 1000 * cost.calls / max(1, self.states)

    def variables(self, cost: Cost) -> str:
        """What was read, by variable: how many cells of each, where it has several.

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

    @property
    def often(self) -> list[Cost]:
        """What is called for most states, where that takes time."""
        return [cost for cost in self.costs if cost.calls >= max(_MANY_CALLS, _OFTEN * self.states)]

    @property
    def remarks(self) -> list[str]:
        """What an author should know: what is called :attr:`often`, or else that a call is good for few states."""
        if not self.often and self.calls >= _MANY_IN_ALL and self.states_per_call < _FEW_STATES:
            most = ", ".join(str(cost.subject) for cost in self._most)
            return [
                f"Python is called often: {counted(self.calls, 'call')} for {counted(self.states, 'state')} "
                f"({self.summary}), most of them for {most}; the profile shows what is read, and "
                "parameters, clauses or SetOf let less be read at a time"
            ]
        return [
            f"{cost.subject} is called for most states: {counted(cost.calls, 'call')} for "
            f"{counted(self.states, 'state')}, since it reads up to {cost.widest} of {len(self.cells)} cells; the "
            "profile shows which, and parameters, clauses or SetOf let it read less at a time"
            for cost in self.often
        ]

    @property
    def _most(self) -> list[Cost]:
        """Those with most calls, as few as make more than half of all calls."""
        most: list[Cost] = []
        for cost in self.by_calls:
            if 2 * sum(known.calls for known in most) <= self.calls:
                most.append(cost)
        return most

    def as_dict(self) -> dict[str, Any]:
        """For JSON; the costs are in the order of the declarations."""
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
        """What one call was good for, in words."""
        if self.states_per_call >= 1:
            return f"{self.states_per_call:,.1f} states per call"
        return f"{1 / max(self.states_per_call, 1e-9):,.1f} calls per state"

    @property
    def by_calls(self) -> list[Cost]:
        """The costs, those with most calls first."""
        return sorted(self.costs, key=lambda cost: -cost.calls)


def joined(costs: Iterable[Iterable[Cost]]) -> tuple[Cost, ...]:
    """The costs of several processes, by subject."""
    together: dict[Subject, Cost] = {}
    for cost in (cost for process in costs for cost in process):
        known = together.get(cost.subject)
        together[cost.subject] = cost if known is None else known.joined(cost)
    return tuple(together.values())
