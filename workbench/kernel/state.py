"""States: a layout of cells, read-only states, and the drafts that actions write to.

A *cell* is a variable without an index, or a variable at one index. A :class:`Layout` numbers a model's cells, and a
state is a tuple of values in that order. Actions and properties read both kinds in the same way:
``s.acks``, ``s.pc["w1"]``.

A set with a declared universe is one cell that holds a frozenset. Engines split it into *parts*, one per member of the
universe: see :mod:`workbench.checking.trees.set_cells`.
"""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from workbench.kernel.errors import ModelError, NoSuchIndex, NoSuchVariable, listed
from workbench.kernel.members import Held, Members, Universe, content_of
from workbench.kernel.values import PLAIN, Difference, check_value, differences, is_same, show


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


class Change(NamedTuple):
    """A cell's value before and after a step."""

    cell: Cell
    before: Any
    after: Any

    @property
    def parts(self) -> list[Difference]:
        """The parts of the value that are different."""
        return list(differences(str(self.cell), self.before, self.after))


# How a model's code reads and writes variables that are more than one plain cell ------------------------------------


class Indexed(Mapping[Any, Any]):
    """A variable with a cell per index: a mapping that reads from the state and writes to it."""

    __slots__ = ("_cells", "_name", "_owner")

    def __init__(self, owner: "Reader", name: str, cells: Mapping[Any, int]) -> None:
        self._owner, self._name, self._cells = owner, name, cells

    def _cell(self, index: Any) -> int:
        try:
            return self._cells[index]
        except (KeyError, TypeError):
            known = ", ".join(show(i) for i in list(self._cells)[:8])
            raise NoSuchIndex(f"{self._name} has no index {index!r}; it has {known}") from None

    def __getitem__(self, index: Any) -> Any:
        try:  # as _cell does, but without its call: this is the hottest line of all
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


class IndexedSets(Indexed):
    """The same for a variable with one declared set per index."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        return self._owner._layout.get_set(self._owner, self._name, self._cell(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._owner._layout.assign_set(self._owner, self._name, self._cell(index), value)


# Layouts -------------------------------------------------------------------------------------------------------------


class Layout:
    """The cells of a model with given constants, in a fixed order.

    Args:
        variables: Each variable's indices; None for a variable with a single cell.
        universes: The universes of those variables that are declared sets.
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
        self.universes = universes
        self._finish()

    def _finish(self) -> None:
        self.position_of = {cell: i for i, cell in enumerate(self.cells)}
        self._bound: dict[type[Reader], type[Any]] = {}

    @property
    def variables(self) -> list[str]:
        """The variables that have a cell; a variable per member of an empty set has none."""
        return [name for name, where in self.positions.items() if where != {}]

    def draft(self) -> Any:
        """A new draft for actions to write to, for use by one thread."""
        return self.bind(Draft)(self)

    def view(self, values: "Values") -> Any:
        """The state with these values, as properties see it."""
        return self.bind(View)(self, values)

    def bind(self, base: type["Reader"]) -> type[Any]:
        """The subclass of `base` that has an attribute for each variable."""
        if base in self._bound:
            return self._bound[base]
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
                attributes[name] = _set(name, where) if name in self.universes else _scalar(where)
        return self._bound.setdefault(base, type(base.__name__, (base,), attributes))

    def get_set(self, owner: "Reader", name: str, cell: int) -> Members | Held:
        """The content of the declared set `name` that begins at `cell`."""
        universe, content = self.universes[name], owner._get(cell)
        return Held.of(universe, content) if owner._is_whole else content_of(universe, content)

    def assign_set(self, owner: "Reader", name: str, cell: int, value: Any) -> None:
        """Assign `value` to that set; nothing is written if it is equal."""
        universe = self.universes[name]
        if content_of(universe, owner._get(cell)).changes_to(value):
            owner._set(cell, universe.subset(value))

    def cells_of(self, name: str, index: Any = None) -> list[int]:
        """The numbers of the cells of the variable `name`, or of its cell at `index`."""
        where = self.positions[name]
        firsts = [where] if isinstance(where, int) else [where[index]] if index is not None else where.values()
        return [first + number for first in firsts for number in range(self._width(name))]

    def _width(self, name: str) -> int:
        """The number of cells that the variable `name` has per index."""
        return 1

    def parts_of(self, cell: Cell) -> list[Cell]:
        """The parts of a declared set, one cell per member of its universe; any other cell is its own only part."""
        universe = self.universes.get(cell.variable)
        if universe is None:
            return [cell]
        return [Cell(cell.variable, m if cell.index is None else (cell.index, m)) for m in universe.members]


def public_names(base: type) -> list[str]:
    """The attributes of a kind of state besides the model's variables."""
    return sorted(name for name in dir(base) if not name.startswith("_"))


def _scalar(cell: int) -> property:
    return property(lambda self: self._get(cell), lambda self, value: self._set(cell, value))


def _set(name: str, where: int) -> property:
    return property(
        lambda self: self._layout.get_set(self, name, where),
        lambda self, value: self._layout.assign_set(self, name, where, value),
    )


def _indexed(name: str) -> property:
    def refuse(self: "Reader", value: Any) -> None:
        raise ModelError(f"{name} has one cell per index: assign to s.{name}[...]")

    return property(lambda self: self._views[name], refuse)


_assign = object.__setattr__  # bypasses the check for undeclared variables


class _Views(dict[str, Indexed]):
    """A state's indexed variables, made on first use: most states are never read."""

    __slots__ = ("_owner",)

    def __init__(self, owner: "Reader") -> None:
        self._owner = owner

    def __missing__(self, name: str) -> Indexed:
        layout = self._owner._layout
        where: Any = layout.positions[name]
        view = self[name] = (IndexedSets if name in layout.universes else Indexed)(self._owner, name, where)
        return view


class Reader:
    """Attribute access to the cells of a state; subclasses define `_get` and `_set`.

    Attributes:
        values: The content of every cell, in the layout's order; for an action that before it.
        writes: The cells that an action has assigned, with their values.
    """

    __slots__ = ("_layout", "_views", "values")
    #: Whether sets are read as plain frozensets; model code reads them member by member.
    _is_whole: ClassVar[bool] = False
    values: "Values"
    writes: Mapping[int, Any] = MappingProxyType({})
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
        raise ModelError(
            "what an action or a property sees of a state cannot be a key: do not cache what depends on it"
        )

    def __getattr__(self, name: str) -> Any:  # called only for undeclared names
        if name.startswith("_"):
            raise AttributeError(name)
        raise self._undeclared(name)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            raise self._undeclared(name) from None

    def __repr__(self) -> str:
        """The state as text, for a ``print`` in model code: like any other look at a cell, it counts as a read."""
        lines = []
        for name in self._layout.variables:
            value = getattr(self, name)
            cells = value.items() if isinstance(value, Indexed) else [(None, value)]
            lines.append(f"{name}: {', '.join(show(v) if i is None else f'{show(i)}={show(v)}' for i, v in cells)}")
        return "\n".join(lines)

    def _undeclared(self, name: str) -> NoSuchVariable:
        return NoSuchVariable(f"undeclared variable {name!r}; declared: {', '.join(self._layout.positions)}")


class View(Reader):
    """A state as properties see it."""

    __slots__ = ()

    def __init__(self, layout: Layout, values: "Values") -> None:
        super().__init__(layout)
        _assign(self, "values", values)

    def _get(self, cell: int) -> Any:
        return self.values[cell]

    def _changed_since(self, before: "View") -> Callable[[int], bool]:
        """Whether the cell with a number differs from `before`."""
        return lambda cell: not is_same(before.values[cell], self.values[cell])


class State(View):
    """One immutable state of a model, which can be compared and kept."""

    __slots__ = ()
    _is_whole = True
    values: tuple[Any, ...]

    def items(self) -> Iterator[tuple[Cell, Any]]:
        """Every cell with its value."""
        return zip(self._layout.cells, self.values, strict=True)

    def changes_to(self, later: "State") -> list[Change]:
        """The cells that differ in `later`."""
        return [
            Change(cell, before, after)
            for cell, before, after in zip(self._layout.cells, self.values, later.values, strict=True)
            if not is_same(before, after)
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and is_same(self.values, other.values)

    def __hash__(self) -> int:
        return hash(self.values)

    def lines(self, changing: Container[int] | None = None) -> list[str]:
        """The state as text, one line per variable that has a cell.

        Args:
            changing: The cells that change in what follows; the others are counted, not shown, where they are empty.
                None shows all.
        """
        lines, empty = [], []
        for name, where in self._layout.positions.items():
            cells = {None: where} if isinstance(where, int) else where
            told = {
                index: show(self.values[cell])
                for index, cell in cells.items()
                if changing is None or cell in changing or not _is_empty(self.values[cell])
            }
            inside = ", ".join(value if index is None else f"{show(index)}={value}" for index, value in told.items())
            left = len(cells) - len(told)
            if told:
                lines.append(f"{name}: {inside}{f' ({left} more, empty)' if left else ''}")
            elif left:
                empty.append(name)
        return [*lines, f"empty throughout: {', '.join(empty)}"] if empty else lines

    def __repr__(self) -> str:
        return "\n".join(self.lines())


def _is_empty(value: Any) -> bool:
    """Whether a value is none, or a collection without members."""
    return value is None or (isinstance(value, Collection) and not isinstance(value, str) and not value)


class Reads(dict[int, Any]):
    """The values of a state that records which cells were read, in order; `values` is asked once per cell."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __missing__(self, cell: int) -> Any:
        value = self[cell] = self._values[cell]
        return value


class Draft(Reader):
    """A state that an action is changing: reads see the action's own assignments."""

    __slots__ = ("writes",)
    writes: dict[int, Any]

    def start(self, values: "Values") -> None:
        """Start over from the state with these values."""
        _assign(self, "values", values)
        _assign(self, "writes", {})

    def _get(self, cell: int) -> Any:
        writes = self.writes
        return writes[cell] if cell in writes else self.values[cell]

    def _set(self, cell: int, value: Any) -> None:
        if type(value) not in PLAIN:
            check_value(value)
        self.writes[cell] = value


def seen(state: Reader) -> Reader:
    """A read-only view without identity: model code cannot cache on it."""
    return state._layout.view(state.values) if isinstance(state, State) else state


Values = Sequence[Any] | Reads
Predicate = Callable[[Any], Any]
