"""States: a layout of cells, read-only states, and the drafts that actions write to.

A *cell* is a variable without index, or one variable at one index. A :class:`Layout` numbers a model's cells; a
state is a tuple of values in that order. Actions and properties see both through the same attribute access:
``s.acks``, ``s.pc["w1"]``.

A set with a declared universe is one cell, with a frozenset in it. Engines see it in *parts*, one for each member of
the universe: see :mod:`workbench.engines.parts`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Protocol

from workbench.kernel.errors import ModelError, listed
from workbench.kernel.members import AsWhole, Held, Members, Universe
from workbench.kernel.values import PLAIN, check_value, show


class Cell(NamedTuple):
    """One cell: the variable's name and the index, None for a variable without one."""

    variable: str
    index: Any

    def __str__(self) -> str:
        if self.index is None:
            return self.variable
        inside = ", ".join(map(show, self.index)) if isinstance(self.index, tuple) else show(self.index)
        return f"{self.variable}[{inside}]"


class Change(NamedTuple):
    """What a step did to one cell."""

    cell: Cell
    before: Any
    after: Any


# How a model's code reads and writes what is not just a cell --------------------------------------------------------


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

    def __init__(self, owner: "Reader", name: str, cells: Mapping[Any, int], access: "Access") -> None:
        super().__init__(owner, name, cells)
        self._access = access

    def __getitem__(self, index: Any) -> Any:
        return self._access.get(self._owner, self._cell(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._access.set(self._owner, self._cell(index), value)


class Access(Protocol):
    """How a set with a declared universe is read and written, where it begins with a cell."""

    def get(self, owner: "Reader", cell: int) -> Members | Held: ...
    def set(self, owner: "Reader", cell: int, value: Any) -> None: ...


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


# Layouts -------------------------------------------------------------------------------------------------------------


class Layout:
    """The cells of a model with given constants, in a fixed order.

    Args:
        variables: Each variable's indices, None where it has just one cell.
        universes: What the variables that are sets with a declared universe may hold.
    """

    def __init__(
        self,
        variables: Mapping[str, Sequence[Any] | None],
        universes: Mapping[str, Universe] = MappingProxyType({}),
    ) -> None:
        self.cells: list[Cell] = []
        self.positions: dict[str, int | dict[Any, int]] = {}
        for name, indices in variables.items():
            if indices is None:
                self.positions[name] = len(self.cells)
                self.cells.append(Cell(name, None))
            else:
                first = len(self.cells)
                self.positions[name] = {index: first + i for i, index in enumerate(indices)}
                self.cells.extend(Cell(name, index) for index in indices)
        self._finish({name: Whole(universe) for name, universe in universes.items()})
        self.universes = universes

    def _finish(self, access: Mapping[str, Access]) -> None:
        self.position_of = {cell: i for i, cell in enumerate(self.cells)}
        self._access = access
        self._bound: dict[type[Reader], type[Any]] = {}

    @property
    def variables(self) -> list[str]:
        """The variables that have a cell: what is switched off may have none."""
        return [name for name, where in self.positions.items() if where != {}]

    def draft(self) -> Any:
        """A fresh draft for actions to write to; it serves one thread."""
        return self.bind(Draft)(self)

    def view(self, values: "Values") -> Any:
        """A state with these values as properties see it."""
        return self.bind(View)(self, values)

    def bind(self, base: type["Reader"]) -> type[Any]:
        """A subclass of `base` with one attribute per variable."""
        if base not in self._bound:
            self._bound[base] = self._bind(base)
        return self._bound[base]

    def _bind(self, base: type["Reader"]) -> type[Any]:
        attributes: dict[str, Any] = {"__slots__": ()}
        for name, where in self.positions.items():
            if hasattr(base, name):
                raise ModelError(
                    f"a variable may not be called {name!r}: {base.__name__}.{name} is something else, as are "
                    + listed(word for word in public_names(base) if word != name)
                )
            if not isinstance(where, int):
                attributes[name] = _indexed(name)
            else:
                access = self._access.get(name)
                attributes[name] = _scalar(where) if access is None else _set(where, access)
        return type(base.__name__, (base,), attributes)

    def look_at(self, owner: "Reader", name: str) -> Indexed:
        """The variable `name`, which has indices, of a state with this layout."""
        where: Any = self.positions[name]
        access = self._access.get(name)
        return Indexed(owner, name, where) if access is None else Sets(owner, name, where, access)

    def cells_of(self, name: str, index: Any = None) -> list[int]:
        """The numbers of the cells of the variable `name`; only of that with an `index`, if one is given."""
        where = self.positions[name]
        firsts = [where] if isinstance(where, int) else [where[index]] if index is not None else where.values()
        return [first + number for first in firsts for number in range(self._width(name))]

    def _width(self, name: str) -> int:
        """How many cells the variable `name` has for each index."""
        return 1

    def parts_of(self, cell: Cell) -> list[Cell]:
        """What says of each member of a set with a declared universe whether it is there; any other cell itself."""
        universe = self.universes.get(cell.variable)
        if universe is None:
            return [cell]
        return [Cell(cell.variable, m if cell.index is None else (cell.index, m)) for m in universe.members]


def public_names(base: type) -> list[str]:
    """What a kind of state has besides the model's variables."""
    return sorted(name for name in dir(base) if not name.startswith("_"))


def _scalar(cell: int) -> property:
    return property(lambda self: self._get(cell), lambda self, value: self._set(cell, value))


def _set(where: int, access: Access) -> property:
    return property(lambda self: access.get(self, where), lambda self, value: access.set(self, where, value))


def _indexed(name: str) -> property:
    def refuse(self: "Reader", value: Any) -> None:
        raise ModelError(f"{name} has one cell per index: assign to s.{name}[...]")

    return property(lambda self: self._views[name], refuse)


_assign = object.__setattr__  # past what tells models of variables that are not declared


class _Views(dict[str, Indexed]):
    """The indexed variables of a state that somebody has looked at: most states are only carried around."""

    __slots__ = ("_owner",)

    def __init__(self, owner: "Reader") -> None:
        self._owner = owner

    def __missing__(self, name: str) -> Indexed:
        view = self[name] = self._owner._layout.look_at(self._owner, name)
        return view


class Reader:
    """Attribute access to the cells of a state; what `_get` and `_set` do is up to the subclass."""

    __slots__ = ("_layout", "_views")
    #: Whether all of the state is known, and it is not only looked at by a model's code.
    _is_whole: ClassVar[bool] = False
    _layout: Layout
    _views: dict[str, Indexed]

    def __init__(self, layout: Layout) -> None:
        _assign(self, "_layout", layout)
        _assign(self, "_views", _Views(self))

    def _get(self, cell: int) -> Any:
        raise NotImplementedError

    def _set(self, cell: int, value: Any) -> None:
        raise ModelError(f"only an action may assign: {self._layout.cells[cell]} = {show(value)}")

    @property
    def _before(self) -> "Values":
        """The values that an action began with."""
        raise NotImplementedError

    def _written(self, first: int, end: int) -> Iterable[tuple[int, Any]]:
        """The cells from `first` up to `end` that the action has assigned to, with their values."""
        return ()

    def __hash__(self) -> int:
        raise ModelError(
            "what an action or a property sees of a state cannot be a key: do not cache what depends on it"
        )

    def __getattr__(self, name: str) -> Any:  # reached only for what is not declared
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._undeclared(name)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            raise self._undeclared(name) from None

    def _undeclared(self, name: str) -> ModelError:
        return ModelError(f"undeclared variable {name!r}; declared: {', '.join(self._layout.positions)}")


class View(Reader):
    """A state as properties see it.

    Args:
        values: The content of every cell, in the layout's order.
    """

    __slots__ = ("values",)
    values: "Values"

    def __init__(self, layout: Layout, values: "Values") -> None:
        super().__init__(layout)
        _assign(self, "values", values)

    def _get(self, cell: int) -> Any:
        return self.values[cell]

    @property
    def _before(self) -> "Values":
        return self.values


def turned(view: View, values: "Values") -> View:
    """`view`, as one of the state with these values: what is used for many states makes its indexed variables once."""
    _assign(view, "values", values)
    return view


class State(View):
    """One immutable state of a model; a whole one, which can be compared and kept.

    Attributes:
        values: The content of every cell, in the layout's order.
    """

    __slots__ = ()
    _is_whole = True
    values: tuple[Any, ...]

    def items(self) -> Iterator[tuple[Cell, Any]]:
        """Every cell with its value."""
        return zip(self._layout.cells, self.values, strict=True)

    def changes_to(self, later: "State") -> list[Change]:
        """What is different in `later`, cell by cell."""
        return [
            Change(cell, before, after)
            for cell, before, after in zip(self._layout.cells, self.values, later.values, strict=True)
            if before != after
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.values == other.values

    def __hash__(self) -> int:
        return hash(self.values)

    def lines(self) -> list[str]:
        """The state as text, a line per variable that has a cell."""
        lines = []
        for name, where in self._layout.positions.items():
            if isinstance(where, int):
                lines.append(f"{name}: {show(self.values[where])}")
            elif where:
                inside = ", ".join(f"{show(index)}={show(self.values[cell])}" for index, cell in where.items())
                lines.append(f"{name}: {inside}")
        return lines

    def __repr__(self) -> str:
        return "\n".join(self.lines())


class Reads(dict[int, Any]):
    """The values of a state that also keeps which cells were read, in order, with what was in them.

    Args:
        values: Asked once per cell.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __missing__(self, cell: int) -> Any:
        value = self[cell] = self._values[cell]
        return value


class Draft(Reader):
    """A state under change: reads see earlier assignments of the same action."""

    __slots__ = ("before", "writes")
    before: "Values"
    writes: dict[int, Any]

    def start(self, before: "Values") -> None:
        """Begin anew from the state with the values `before`."""
        _assign(self, "before", before)
        _assign(self, "writes", {})

    def _get(self, cell: int) -> Any:
        writes = self.writes
        return writes[cell] if cell in writes else self.before[cell]

    def _set(self, cell: int, value: Any) -> None:
        if type(value) not in PLAIN:
            check_value(value)
        self.writes[cell] = value

    @property
    def _before(self) -> "Values":
        return self.before

    def _written(self, first: int, end: int) -> Iterable[tuple[int, Any]]:
        return [(cell, value) for cell, value in self.writes.items() if first <= cell < end]


def seen(state: Reader) -> Reader:
    """What model code is given of `state`: nothing by which it could remember which state it was."""
    return state._layout.view(state.values) if isinstance(state, State) else state


Values = Sequence[Any] | Reads
Predicate = Callable[[Any], Any]
