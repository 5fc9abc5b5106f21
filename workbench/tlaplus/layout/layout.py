"""The layout of a module's variables in the rows of states.

Engines memoize actions and predicates by the cells that they read. So a variable that holds a function, a record or a
set is spread over cells, one for each part that a sample of states shows (``shapes.py``). In front of these it has one
more cell, its *overflow*. A value that does not fit the other cells is stored there as a whole, and the others are
empty; for all other values the overflow is empty. Values that the sample did not show cost only time.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from workbench.kernel.meaning.cells import Row, Whole
from workbench.kernel.meaning.notation import PYTHON, Notation
from workbench.kernel.meaning.state import Layout, Reader, Values, View
from workbench.tlaplus.layout.shapes import Contents, Shape
from workbench.tlaplus.layout.views import see, store
from workbench.tlaplus.values.lazy import listed
from workbench.tlaplus.values.values import CONCRETE

#: Sets of written cells whose variables are remembered.
_MOST_WRITTEN = 1 << 12


class Spread(Whole):
    """A variable over several cells.

    Attributes:
        overflow: The number of its first cell, which is the overflow.
        cells: The numbers of all its cells.
    """

    def __init__(self, overflow: int, shape: Shape) -> None:
        self.overflow, self.shape = overflow, shape
        shape.place(overflow + 1)
        self.indices = (None, *(path for path, _ in shape.leaves()))
        self.cells = range(overflow, overflow + len(self.indices))

    def value(self, row: Row) -> Any:
        whole = row[self.overflow]
        return self.shape.load(row) if whole is None else whole

    def see(self, row: Row) -> Any:
        """The value, as a view that reads only the cells that are needed."""
        whole = row[self.overflow]
        return see(self.shape, row) if whole is None else whole

    def contents(self, value: Any) -> Contents:
        """The contents of all cells."""
        contents: Contents = {self.overflow: None}
        if not self.shape.put(value, contents):
            self.shape.clear(contents)
            contents[self.overflow] = value
        return contents

    def changes(self, row: Row, value: Any) -> Contents:
        """The contents of all cells that may differ from `row`, possibly with some that do not."""
        contents: Contents = {}
        if type(value) in CONCRETE or not store(self.shape, row, value, contents):
            return self.contents(listed(value))
        return {self.overflow: None, **contents} if contents else contents


class VariableValues:
    """The values of variables in a row, by number; cells are read only as far as something asks for them."""

    __slots__ = ("_places", "_seen", "answers", "row")

    def __init__(self, row: Values, places: Sequence[int | Spread]) -> None:
        self.row, self._places = row, places
        self._seen: dict[int, Any] = {}
        self.answers: dict[Any, tuple[Any, Any]] = {}

    def over(self, row: Values) -> "VariableValues":
        """The values of the variables in another row."""
        return VariableValues(row, self._places)

    def __getitem__(self, number: int) -> Any:
        value = self._seen.get(number)
        if value is None:
            place = self._places[number]
            value = self.row[place] if type(place) is int else place.see(self.row)  # type: ignore[union-attr]
            self._seen[number] = value
        return value


class Cells:
    """The cells of some variables.

    Args:
        names: The variables.
        learn: Finds the shape of each; None for a single cell. It is called when a cell is first needed, since lists of
            models need none.
        notation: The notation of values for people.
    """

    def __init__(
        self,
        names: Sequence[str],
        learn: Callable[[], Sequence[Shape | None]] | None = None,
        notation: Notation = PYTHON,
    ) -> None:
        self.names, self.notation = names, notation
        self._learn = learn or (lambda: [None] * len(names))
        self._written = dict[frozenset[int], Sequence[int]]()

    @cached_property
    def shapes(self) -> Sequence[Shape | None]:
        """The shape in which each variable is spread over cells; None for a single cell."""
        return self._learn()

    @cached_property
    def _places(self) -> list[int | Spread]:
        """The number of each variable's cell, or its cells."""
        places, size = list[int | Spread](), 0
        for shape in self.shapes:
            places.append(size if shape is None else Spread(size, shape))
            size += 1 if shape is None else len(places[-1].cells)  # type: ignore[union-attr]
        return places

    @cached_property
    def _own(self) -> list[Sequence[int]]:
        """The numbers of each variable's cells."""
        return [place.cells if isinstance(place, Spread) else (place,) for place in self._places]

    @cached_property
    def _are_single(self) -> bool:
        return not any(isinstance(place, Spread) for place in self._places)

    @cached_property
    def layout(self) -> Layout:
        """The cells, as engines know them."""
        wholes = {
            name: place for name, place in zip(self.names, self._places, strict=True) if isinstance(place, Spread)
        }
        return Layout(dict.fromkeys(self.names), wholes=wholes, notation=self.notation)

    def variables(self, row: Values) -> Any:
        """The values of the variables in a row, by number."""
        return row if self._are_single else VariableValues(row, self._places)

    def variables_of(self, state: Reader) -> Any:
        """The values of the variables in a state, or in an object that reads one."""
        assert isinstance(state, View)
        return self.variables(state._row)

    def variables_with(self, written: frozenset[int]) -> Sequence[int]:
        """The numbers of the variables that have some of these cells."""
        if written not in self._written:
            if len(self._written) >= _MOST_WRITTEN:
                self._written.clear()
            self._written[written] = [number for number, own in enumerate(self._own) if not written.isdisjoint(own)]
        return self._written[written]

    def written_of(self, places: Sequence[int], written: frozenset[int]) -> list[int]:
        """Those of some written cells that belong to the variables with these numbers."""
        return [cell for place in places for cell in self._own[place] if cell in written]

    def writes(self, then: Mapping[int, Any], row: Row) -> dict[int, Any]:
        """The contents of cells after a step from `row`, given the values that it assigns to variables."""
        if self._are_single:
            return {number: listed(value) for number, value in then.items()}
        contents: Contents = {}
        for number, value in then.items():
            place = self._places[number]
            if isinstance(place, Spread):
                contents |= place.changes(row, value)
            else:
                contents[place] = listed(value)
        return contents

    def row(self, values: Sequence[Any]) -> list[Any]:
        """The row with these values of the variables, which are concrete."""
        row = list[Any]()
        for place, value in zip(self._places, values, strict=True):
            if isinstance(place, Spread):
                contents = place.contents(value)
                row += [contents[number] for number in sorted(contents)]
            else:
                row.append(value)
        return row
