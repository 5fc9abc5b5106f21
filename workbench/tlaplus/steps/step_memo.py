"""Predicates of steps, remembered by the cells that they read before and after a step.

An action has many outcomes. Those that differ in what a predicate does not read have the same answer, and so have steps
from other states and of other actions.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.values import is_same
from workbench.tlaplus.compiler.memo import Memory
from workbench.tlaplus.layout.layout import Cells

#: The truth of a predicate, given the values of the variables by number before and after a step.
Test = Callable[[Any, Any], bool]
#: Sets of written cells of which those are remembered that belong to some variables.
_MOST_WATCHED = 1 << 10


class StepRow:
    """The row of a step: the cells before it, then as many after it, of which only the written ones are read.

    Attributes:
        before: The row before the step.
        writes: The cells that it writes, with their contents.
        written: The numbers of these cells.
    """

    __slots__ = ("_size", "before", "writes", "written")

    def __init__(self, before: Values, writes: Mapping[int, Any], size: int) -> None:
        self.before, self.writes, self.written, self._size = before, writes, frozenset(writes), size

    def __getitem__(self, cell: int) -> Any:
        return self.before[cell] if cell < self._size else self.writes[cell - self._size]


class RememberedStep:
    """A predicate of steps.

    Answers are memoized per set of written cells: all other cells are read only before the step.
    """

    def __init__(self, cells: Cells, test: Test) -> None:
        self._cells, self._test, self._memory = cells, test, Memory()
        self._last: tuple[StepRow | None, bool] = None, False  # several conditions may ask the same of a step

    def __call__(self, step: StepRow) -> bool:
        """The truth for a step."""
        last, answer = self._last
        if step is not last:
            row: Any = step
            answer = self._memory.answer(step.written, row, partial(self._evaluated, step.written))
            self._last = step, answer
        return answer

    def _evaluated(self, written: frozenset[int], row: Any) -> bool:
        later: Any = _After(row, written, len(self._cells.layout.cells))
        now, after = self._cells.variables(row), self._cells.variables(later)
        return self._test(now, _Then(now, after, self._cells.variables_with(written)))


class CountedSteps:
    """The steps that change at least one of some variables and satisfy some predicates.

    Args:
        places: The numbers of the variables; None if a step need not change any.
        asks_all: Whether to evaluate the predicates even for steps that change none of the variables.
    """

    def __init__(
        self, cells: Cells, tests: Sequence[RememberedStep], places: Sequence[int] | None, asks_all: bool
    ) -> None:
        self._tests, self._asks_all = tests, asks_all
        self._watched = None if places is None else lru_cache(_MOST_WATCHED)(partial(cells.written_of, places))

    def __call__(self, step: StepRow) -> bool:
        """Whether a step counts."""
        changes = self._watched is None or any(
            not is_same(step.before[cell], step.writes[cell]) for cell in self._watched(step.written)
        )
        if not changes and not self._asks_all:
            return False
        return all(test(step) for test in self._tests) and changes


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
