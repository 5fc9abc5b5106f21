"""States: a layout of cells, read-only states, and the drafts that actions write to.

A *cell* is a variable without index, or one variable at one index. A :class:`Layout` numbers a model's cells; a
state is a tuple of values in that order. Actions and properties see both through the same attribute access:
``s.acks``, ``s.pc["w1"]``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.kernel.errors import ModelError, listed
from workbench.kernel.values import check_value, show


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
        return self._owner._get(self._cell(index))

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


class Layout:
    """The cells of a model with given constants, in a fixed order.

    Parameters
    ----------
    variables : mapping of str to (None or sequence)
        Each variable's indices, None where it has just one cell.
    """

    def __init__(self, variables: Mapping[str, Sequence[Any] | None]) -> None:
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
        self.position_of = {cell: i for i, cell in enumerate(self.cells)}
        self._bound: dict[type[Reader], type[Any]] = {}

    @property
    def variables(self) -> list[str]:
        """The variables that have a cell: what is switched off may have none."""
        return [name for name, where in self.positions.items() if where != {}]

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
            attributes[name] = _scalar(where) if isinstance(where, int) else _indexed(name)
        return type(base.__name__, (base,), attributes)


def public_names(base: type) -> list[str]:
    """What a kind of state has besides the model's variables."""
    return sorted(name for name in dir(base) if not name.startswith("_"))


def _scalar(cell: int) -> property:
    return property(lambda self: self._get(cell), lambda self, value: self._set(cell, value))


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
        where: Any = self._owner._layout.positions[name]
        view = self[name] = Indexed(self._owner, name, where)
        return view


class Reader:
    """Attribute access to the cells of a state; what `_get` and `_set` do is up to the subclass."""

    __slots__ = ("_layout", "_views")
    _layout: Layout
    _views: dict[str, Indexed]

    def __init__(self, layout: Layout) -> None:
        _assign(self, "_layout", layout)
        _assign(self, "_views", _Views(self))

    def _get(self, cell: int) -> Any:
        raise NotImplementedError

    def _set(self, cell: int, value: Any) -> None:
        raise ModelError(f"only an action may assign: {self._layout.cells[cell]} = {show(value)}")

    def __hash__(self) -> int:
        raise ModelError("what an action or a property sees of a state is no key: do not cache what depends on it")

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

    Parameters
    ----------
    layout : Layout
    values : sequence or Reads
        The content of every cell, in the layout's order.
    """

    __slots__ = ("values",)
    values: "Values"

    def __init__(self, layout: Layout, values: "Values") -> None:
        super().__init__(layout)
        _assign(self, "values", values)

    def _get(self, cell: int) -> Any:
        return self.values[cell]


class State(View):
    """One immutable state of a model; a whole one, which can be compared and kept.

    Attributes
    ----------
    values : tuple
        The content of every cell, in the layout's order.
    """

    __slots__ = ()
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

    Parameters
    ----------
    values : sequence
        Asked once per cell.
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
        check_value(value)
        self.writes[cell] = value


def seen(state: Reader) -> Reader:
    """What model code is given of `state`: nothing by which it could remember which state it was."""
    return state._layout.bind(View)(state._layout, state.values) if isinstance(state, State) else state


Values = Sequence[Any] | Reads
Predicate = Callable[[Any], Any]
