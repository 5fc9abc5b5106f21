"""How a model's code reads and writes variables that are not just a cell: one with indices, and declared sets."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workbench.kernel.errors import ModelError
from workbench.kernel.members import AsWhole, Held, InParts, Members, Universe
from workbench.kernel.values import show

if TYPE_CHECKING:
    from workbench.kernel.state import Reader


class Indexed(Mapping[Any, Any]):
    """A variable with one cell per index, as a mapping that reads and writes through to the state."""

    __slots__ = ("_cells", "_name", "_owner")

    def __init__(self, owner: "Reader", name: str, cells: Mapping[Any, int]) -> None:
        self._owner, self._name, self._cells = owner, name, cells

    def _cell(self, index: Any) -> int:
        try:
            return self._cells[index]
        except (KeyError, TypeError):
            known = ", ".join(show(i) for i in list(self._cells)[:8])
            raise ModelError(f"{self._name} has no index {index!r}; it has {known}") from None

    def __getitem__(self, index: Any) -> Any:
        try:  # as in _cell, without another call: nothing is done more often
            cell = self._cells[index]
        except (KeyError, TypeError):
            cell = self._cell(index)
        return self._owner._get(cell)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._owner._set(self._cell(index), value)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._cells)

    def __contains__(self, index: object) -> bool:
        return index in self._cells

    def __len__(self) -> int:
        return len(self._cells)

    def __repr__(self) -> str:
        return f"{self._name}[{', '.join(f'{show(index)}={show(value)}' for index, value in self.items())}]"


class Sets(Indexed):
    """The same for a variable with one declared set per index."""

    __slots__ = ("_access",)

    def __init__(self, owner: "Reader", name: str, cells: Mapping[Any, int], access: "Whole | Split") -> None:
        super().__init__(owner, name, cells)
        self._access = access

    def __getitem__(self, index: Any) -> Any:
        return self._access.get(self._owner, self._cell(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._access.set(self._owner, self._cell(index), value)


class Whole:
    """How a set is read and written that is one cell."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    def get(self, owner: "Reader", cell: int) -> Members | Held:
        content = owner._get(cell)
        return Held.of(self._universe, content) if owner._is_whole else self._seen(content)

    def _seen(self, content: frozenset[Any]) -> Members:
        return Members(self._universe, AsWhole(content, self._universe.members))

    def set(self, owner: "Reader", cell: int, value: Any) -> None:
        if self._seen(owner._get(cell)).changes_to(value):
            owner._set(cell, self._universe.subset(value))


class Split:
    """How a set is read and written that has a part for each member, from some part on."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    def get(self, owner: "Reader", first: int) -> Members:
        known = {part - first: there for part, there in owner._written(first, first + len(self._universe))}
        return Members(self._universe, InParts(owner._before, first), None, known)

    def set(self, owner: "Reader", first: int, value: Any) -> None:
        for number, there in self.get(owner, first).changes_to(value).items():
            owner._set(first + number, there)
