"""Cells, the parts of a state that are read and written by themselves, and how people see them.

A *cell* is a variable without an index, or a variable at one index. Some variables are spread over several cells, and
seen whole: a set with a declared universe has one for each possible member, so that a model's reads and writes concern
single members; a language may spread others (:class:`Whole`).
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from workbench.kernel.meaning.members import Universe
from workbench.kernel.meaning.values import show


class Cell(NamedTuple):
    """The variable's name, and the index; None for a variable without one."""

    variable: str
    index: Any

    @property
    def inside(self) -> str:
        """The index as people read it; "" if there is none."""
        if self.index is None:
            return ""
        return ", ".join(map(show, self.index)) if isinstance(self.index, tuple) else show(self.index)

    def __str__(self) -> str:
        return self.variable if self.index is None else f"{self.variable}[{self.inside}]"


class _Never:
    """A value that no cell ever holds."""

    def __repr__(self) -> str:
        return "a set that no state has"


NEVER = _Never()


class Row(Protocol):
    """Anything that gives the contents of cells by their numbers."""

    def __getitem__(self, cell: int, /) -> Any: ...


class Whole(ABC):
    """A value that people see as one, spread over several cells.

    Attributes:
        indices: The indices of its cells.
    """

    indices: Sequence[Any]

    @abstractmethod
    def value(self, row: Row) -> Any:
        """Its value in `row`."""

    @abstractmethod
    def contents(self, value: Any) -> dict[int, Any]:
        """The contents of its cells, by their numbers, for a value.

        Raises:
            ModelError: If it cannot have that value.
        """


class WholeSet(Whole):
    """A declared set, with a cell for each possible member from number `first` on."""

    def __init__(self, universe: Universe, first: int) -> None:
        self._universe, self._first = universe, first
        self.indices = universe.members

    def value(self, row: Row) -> frozenset[Any]:
        there = (row[self._first + number] for number in range(len(self.indices)))
        return frozenset(itertools.compress(self.indices, there))

    def contents(self, value: Any) -> dict[int, bool]:
        there = self._universe.numbers(value)
        return {self._first + number: number in there for number in range(len(self.indices))}


class Shown(NamedTuple):
    """A cell as people see it; the cells of a spread variable are one, which begins at number `first`.

    Attributes:
        whole: None for a cell of its own.
    """

    cell: Cell
    first: int
    whole: Whole | None

    @property
    def numbers(self) -> range:
        """The cells of a row that hold its value."""
        return range(self.first, self.first + (1 if self.whole is None else len(self.whole.indices)))

    def value(self, row: Row) -> Any:
        """Its value in `row`."""
        return row[self.first] if self.whole is None else self.whole.value(row)
