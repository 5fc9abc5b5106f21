"""States in parts: a set with a declared universe has a boolean cell for each member.

The kernel holds such a set as a frozenset in one cell. Rows are made of parts, so a model's reads and writes of a set
concern single members. Model code gets the same object in both cases.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from workbench.kernel import InputError, ModelError
from workbench.kernel.members import Before, Members, Universe
from workbench.kernel.state import Layout, Reader
from workbench.kernel.values import is_same

#: A value that no cell ever holds.
NEVER = object()


class PartLayout(Layout):
    """A model's layout with parts in the place of its sets with a declared universe; made by :func:`in_parts`."""

    def __init__(self, layout: Layout) -> None:
        self.cells, self.positions, self.universes = [], {}, layout.universes
        self._of_cell: list[tuple[int, Universe | None]] = []  # its first part
        for cell in layout.cells:
            self._of_cell.append((len(self.cells), self.universes.get(cell.variable)))
            self.cells.extend(layout.parts_of(cell))
        for name, where in layout.positions.items():
            first = {index: self._of_cell[at][0] for index, at in where.items()} if isinstance(where, dict) else None
            self.positions[name] = self._of_cell[where][0] if isinstance(where, int) else first or {}
        self._finish()

    def get_set(self, owner: Reader, name: str, cell: int) -> Members:
        universe, values = self.universes[name], owner.values
        known = {part - cell: there for part, there in owner.writes.items() if cell <= part < cell + len(universe)}
        return Members(universe, Before(values, cell, lambda number: values[cell + number]), None, known)

    def assign_set(self, owner: Reader, name: str, cell: int, value: Any) -> None:
        for number, there in self.get_set(owner, name, cell).changes_to(value).items():
            owner._set(cell + number, there)

    def _width(self, name: str) -> int:
        return len(self.universes[name]) if name in self.universes else 1

    def split(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values of the parts, from those of the model's cells.

        Raises:
            InputError: If a set holds a value outside its universe.
        """
        if not self.universes:
            return values
        parts: list[Any] = []
        for value, (_, universe) in zip(values, self._of_cell, strict=True):
            if universe is None:
                parts.append(value)
                continue
            try:
                there = universe.numbers(value)
            except ModelError as error:
                raise InputError(str(error)) from None
            parts.extend(number in there for number in range(len(universe)))
        return parts

    def compose(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values of the model's cells, from those of the parts."""
        if not self.universes:
            return values
        ends = [*(first for first, _ in self._of_cell[1:]), len(values)]
        return [self.compose_cell(cell, values[self._of_cell[cell][0] : end]) for cell, end in enumerate(ends)]

    def compose_cell(self, cell: int, values: Sequence[Any]) -> Any:
        """The value of one of the model's cells, from those of its parts."""
        _, universe = self._of_cell[cell]
        if universe is None:
            return values[0]
        return frozenset(member for member, there in zip(universe.members, values, strict=True) if there)

    def split_some(self, values: Mapping[int, Any]) -> Mapping[int, Any]:
        """The values of the parts of some cells; a set that no state can have gets :data:`NEVER` in one part."""
        parts: dict[int, Any] = {}
        impossible = []
        for cell, value in values.items():
            first, universe = self._of_cell[cell]
            if universe is None:
                parts[first] = value
                continue
            there = frozenset(member for member in universe.members if isinstance(value, frozenset) and member in value)
            parts.update((first + number, member in there) for number, member in enumerate(universe.members))
            if not is_same(value, there):
                impossible.append(first if universe.members else 0)
        return {**parts, **dict.fromkeys(impossible, NEVER)}

    def numbers(self, cells: Iterable[int]) -> Collection[int]:
        """The parts of some of the model's cells."""
        parts: list[int] = []
        for cell in cells:
            first, universe = self._of_cell[cell]
            parts.extend(range(first, first + (1 if universe is None else len(universe))))
        return parts


_made: WeakKeyDictionary[Layout, PartLayout] = WeakKeyDictionary()


def in_parts(layout: Layout) -> PartLayout:
    """The layout of engines' rows for a model's `layout`."""
    made = _made.get(layout)
    if made is None:
        made = _made[layout] = PartLayout(layout)
    return made
