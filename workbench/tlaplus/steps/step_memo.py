"""Predicates of steps, remembered by the cells that they read before and after a step.

An action has many outcomes. Those that differ in what a predicate does not read have the same answer, and so have steps
from other states and of other actions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.values import is_same
from workbench.tlaplus.compiler.memo import Memory
from workbench.tlaplus.layout.layout import Cells

#: The truth of a predicate, given the values of the variables by number before and after a step.
Test = Callable[[Any, Any], bool]


class RememberedStep:
    """A predicate of steps.

    Answers are memoized per set of written cells: all other cells are read only before the step.
    """

    def __init__(self, cells: Cells, test: Test) -> None:
        self._cells, self._test, self._memory = cells, test, Memory()

    def __call__(self, before: Values, writes: Mapping[int, Any], written: frozenset[int]) -> bool:
        """The truth for a step, given the row before it, and the cells that it writes, with their contents."""
        size = len(self._cells.layout.cells)
        variables = self._cells.variables_with(written)

        def evaluate(row: Any) -> bool:
            later: Any = _After(row, written, size)
            now, after = self._cells.variables(row), self._cells.variables(later)
            return self._test(now, _Then(now, after, variables))

        step: Any = _Step(before, writes, size)
        answer: bool = self._memory.answer(written, step, evaluate)
        return answer


class CountedSteps:
    """The steps that change at least one of some variables and satisfy some predicates.

    Args:
        places: The numbers of the variables; None if a step need not change any.
        asks_all: Whether to evaluate the predicates even for steps that change none of the variables.
    """

    def __init__(
        self, cells: Cells, tests: Sequence[RememberedStep], places: Sequence[int] | None, asks_all: bool
    ) -> None:
        self._cells, self._tests, self._places, self._asks_all = cells, tests, places, asks_all

    def __call__(self, before: Values, writes: Mapping[int, Any], written: frozenset[int]) -> bool:
        """Whether a step counts, given the row before it, and the cells that it writes with their contents."""
        changes = self._places is None or any(
            not is_same(before[cell], writes[cell]) for cell in self._cells.written_of(self._places, written)
        )
        if not changes and not self._asks_all:
            return False
        return all(test(before, writes, written) for test in self._tests) and changes


class _Step:
    """The row of a step: the cells before it, then as many after it, of which only the written ones are read."""

    __slots__ = ("_before", "_size", "_writes")

    def __init__(self, before: Values, writes: Mapping[int, Any], size: int) -> None:
        self._before, self._writes, self._size = before, writes, size

    def __getitem__(self, cell: int) -> Any:
        return self._before[cell] if cell < self._size else self._writes[cell - self._size]


class _After:
    """The row after a step, as a part of the step's row."""

    __slots__ = ("_row", "_size", "_written")

    def __init__(self, row: Any, written: frozenset[int], size: int) -> None:
        self._row, self._written, self._size = row, written, size

    def __getitem__(self, cell: int) -> Any:
        return self._row[cell + self._size if cell in self._written else cell]


class _Then:
    """The values of the variables after a step; those without a written cell are the same objects as before it."""

    __slots__ = ("_after", "_now", "_written")

    def __init__(self, now: Any, after: Any, written: Sequence[int]) -> None:
        self._now, self._after, self._written = now, after, written

    def __getitem__(self, number: int) -> Any:
        return (self._after if number in self._written else self._now)[number]
