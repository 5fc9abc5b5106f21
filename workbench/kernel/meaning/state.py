"""States: a layout of cells, read-only states, and the drafts that actions write to.

A :class:`Layout` numbers a model's cells, and a state is a *row* of values in that order. Actions and properties read
variables with an index and others in the same way: ``s.acks``, ``s.pc["w1"]``.
"""

import itertools
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from workbench.kernel.meaning.cells import NEVER, Cell, Row, Shown, Whole, WholeSet
from workbench.kernel.meaning.differences import Difference, differences
from workbench.kernel.meaning.errors import InputError, ModelError, NoSuchIndex, NoSuchVariable
from workbench.kernel.meaning.members import Before, Held, Members, Universe
from workbench.kernel.meaning.notation import PYTHON, Notation
from workbench.kernel.meaning.values import PLAIN, check_value, is_same, show


class Change(NamedTuple):
    """A cell's value before and after a step."""

    cell: Cell
    before: Any
    after: Any
    notation: Notation = PYTHON

    @property
    def parts(self) -> list[Difference]:
        """The parts of the value that are different."""
        return list(differences(str(self.cell), self.before, self.after, self.notation))


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
            indices = ", ".join(show(i) for i in list(self._cells)[:8])
            raise NoSuchIndex(f"{self._name} has no index {index!r}; it has {indices}") from None

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
    """The counterpart of :class:`Indexed` for a variable with one declared set per index."""

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
        wholes: How cells hold those variables that are spread over them.
        notation: The notation of values for people.

    Attributes:
        cells: Those of a row; each member of a declared set has its own, whose index ends in the member.
        positions: Of each variable the number of its cell, or the numbers by index; of a declared set, or of a variable
            that is spread, the first one.
        shown: The cells as people see them.
    """

    def __init__(
        self,
        variables: Mapping[str, Sequence[Any] | None],
        universes: Mapping[str, Universe] = MappingProxyType({}),
        wholes: Mapping[str, Whole] = MappingProxyType({}),
        notation: Notation = PYTHON,
    ) -> None:
        self.cells: list[Cell] = []
        self.positions: dict[str, int | dict[Any, int]] = {}
        self.shown: list[Shown] = []
        self.universes, self.wholes, self.notation = universes, wholes, notation
        self._bound: dict[type[Reader], type[Any]] = {}
        for name, indices in variables.items():
            first = {index: self._add(Cell(name, index)) for index in ([None] if indices is None else indices)}
            self.positions[name] = first[None] if indices is None else first
        self._shown_at = {shown.cell: shown for shown in self.shown}

    def _add(self, cell: Cell) -> int:
        """Add a cell as people see it; returns the number of its first one."""
        first, universe = len(self.cells), self.universes.get(cell.variable)
        whole = self.wholes.get(cell.variable) if universe is None else WholeSet(universe, first)
        self.shown.append(Shown(cell, first, whole))
        if whole is None:
            self.cells.append(cell)
        else:
            inside = [member if cell.index is None else (cell.index, member) for member in whole.indices]
            self.cells += [Cell(cell.variable, index) for index in inside]
        return first

    @property
    def variables(self) -> list[str]:
        """The variables that have a cell as people see it; a variable per member of an empty set has none."""
        return [name for name, where in self.positions.items() if where != {}]

    @cached_property
    def shown_of(self) -> list[Cell]:
        """The cell that people see, for each cell of a row."""
        return [shown.cell for shown in self.shown for _ in shown.numbers]

    def put(self, values: Mapping[Cell, Any]) -> dict[int, Any]:
        """The values of a row, from the values of cells as people see them.

        Raises:
            InputError: If a declared set would have a member outside its universe.
        """
        row: dict[int, Any] = {}
        for cell, value in values.items():
            _, first, whole = self._shown_at[cell]
            if whole is None:
                row[first] = value
                continue
            try:
                row |= whole.contents(value)
            except ModelError as error:
                raise InputError(str(error)) from None
        return row

    def seek(self, values: Mapping[Cell, Any]) -> dict[int, Any]:
        """:meth:`put` for wanted values; for a value that no state can have, one of its cells gets :data:`NEVER`."""
        row: dict[int, Any] = {}
        for cell, value in values.items():
            shown = self._shown_at[cell]
            try:
                if isinstance(shown.whole, WholeSet) and not isinstance(value, frozenset):
                    raise InputError("it is no set")
                row |= self.put({cell: value})
            except InputError:
                row[shown.first if shown.numbers else 0] = NEVER
        return row

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
            if not isinstance(where, int):
                attributes[name] = _indexed(name)
            elif name in self.wholes:
                attributes[name] = _whole(self.wholes[name])
            else:
                attributes[name] = _set(name, where) if name in self.universes else _scalar(where)
        return self._bound.setdefault(base, type(base.__name__, (base,), attributes))

    def get_set(self, owner: "Reader", name: str, cell: int) -> Members | Held:
        """The content of the declared set `name` that begins at `cell`."""
        if not owner._is_whole:
            return self._members(owner, name, cell)
        universe = self.universes[name]
        return Held.of(universe, WholeSet(universe, cell).value(owner._row))

    def _members(self, owner: "Reader", name: str, cell: int) -> Members:
        universe, values = self.universes[name], owner._row
        written = {part - cell: there for part, there in owner._writes.items() if cell <= part < cell + len(universe)}
        return Members(universe, Before(values, cell, lambda number: values[cell + number]), None, written)

    def assign_set(self, owner: "Reader", name: str, cell: int, value: Any) -> None:
        """Assign `value` to that set; members that stay are not written."""
        for number, there in self._members(owner, name, cell).changes_to(value).items():
            owner._set(cell + number, there)

    def cells_of(self, name: str, index: Any = None) -> list[int]:
        """The numbers of the cells of the variable `name`, or of its cell at `index`."""
        where = self.positions[name]
        indices = [None] if isinstance(where, int) else where if index is None else [index]
        return [number for at in indices for number in self._shown_at[Cell(name, at)].numbers]


def _scalar(cell: int) -> property:
    return property(lambda self: self._get(cell), lambda self, value: self._set(cell, value))


def _whole(whole: Whole) -> property:
    def write(self: "Reader", value: Any) -> None:
        for cell, content in whole.contents(value).items():
            self._set(cell, content)

    return property(lambda self: whole.value(_Read(self)), write)


class _Read:
    """The row of a reader. Reading through it tells the reader which cells are read."""

    def __init__(self, owner: "Reader") -> None:
        self._owner = owner

    def __getitem__(self, cell: int) -> Any:
        return self._owner._get(cell)


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

    All else has a name that begins with ``_``, or gives way to a variable of that name.
    """

    __slots__ = ("_layout", "_row", "_views")
    #: Whether sets are read as plain frozensets; model code reads them member by member.
    _is_whole: ClassVar[bool] = False
    _row: "Values"  # for an action that before it
    _writes: Mapping[int, Any] = MappingProxyType({})
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
        _assign(self, "_row", values)

    def _get(self, cell: int) -> Any:
        return self._row[cell]

    def _changed_since(self, before: "View") -> Callable[[int], bool]:
        """Whether the cell with a number differs from `before`."""
        return lambda cell: not is_same(before._row[cell], self._row[cell])


class State(View):
    """One immutable state of a model, which can be compared and kept."""

    __slots__ = ()
    _is_whole = True
    _row: tuple[Any, ...]

    # These are for people: a variable of the same name goes first, so what runs for any model asks the functions below.

    @property
    def values(self) -> tuple[Any, ...]:
        return row_of(self)

    def items(self) -> Iterator[tuple[Cell, Any]]:
        return cells_of(self)

    def changes_to(self, later: "State") -> list[Change]:
        return changes_of(self, later)

    def lines(self, changing: Container[int] | None = None) -> list[str]:
        return lines_of(self, changing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and is_same(self._row, other._row)

    def __hash__(self) -> int:
        return hash(self._row)

    def __repr__(self) -> str:
        return "\n".join(lines_of(self))


def row_of(state: State) -> tuple[Any, ...]:
    """The row: the content of every cell, in the layout's order."""
    return state._row


def cells_of(state: State) -> Iterator[tuple[Cell, Any]]:
    """Every cell with its value, sets whole."""
    return ((shown.cell, shown.value(state._row)) for shown in state._layout.shown)


def notation_of(state: State) -> Notation:
    """The notation for the values of a state."""
    return state._layout.notation


def texts_of(state: State) -> dict[str, str]:
    """Every cell with its value, sets whole, as people read them."""
    return {str(cell): notation_of(state).show(value) for cell, value in cells_of(state)}


def changes_of(before: State, after: State) -> list[Change]:
    """The cells that differ between two states, sets whole."""
    notation = notation_of(before)
    return [
        Change(cell, one, other, notation)
        for (cell, one), (_, other) in zip(cells_of(before), cells_of(after), strict=True)
        if not is_same(one, other)
    ]


def foreground(changes: list[Change]) -> list[Change]:
    """The changes that people are shown: all, but for the background of others."""
    return [change for change in changes if change.cell.variable not in change.notation.background] or changes


def lines_of(state: State, changing: Container[int] | None = None) -> list[str]:
    """The state as text, one line per variable that has a cell.

    Args:
        changing: The cells that change in what follows; the others are counted, not shown, where they are empty.
            None shows all.
    """
    lines, empty, notation = [], [], notation_of(state)
    show = notation.show
    for name, group in itertools.groupby(state._layout.shown, key=lambda shown: shown.cell.variable):
        cells = list(group)
        texts = {
            shown.cell.index: show(value)
            for shown in cells
            if not _is_empty(notation.parts(value := shown.value(state._row)))
            or changing is None
            or (name not in notation.background and any(number in changing for number in shown.numbers))
        }
        inside = ", ".join(value if index is None else f"{show(index)}={value}" for index, value in texts.items())
        left = len(cells) - len(texts)
        if texts:
            lines.append(f"{name}: {inside}{f' ({left} more, empty)' if left else ''}")
        elif left:
            empty.append(name)
    return [*lines, f"empty throughout: {', '.join(empty)}"] if empty else lines


def _is_empty(value: Any) -> bool:
    """Whether a value is None, or a collection without members."""
    return value is None or (isinstance(value, Collection) and not isinstance(value, str) and not value)


class Reads(dict[int, Any]):
    """The values of a state that records which cells were read, in order; `values` is asked once per cell."""

    def __init__(self, values: Row) -> None:
        self._values = values

    def __missing__(self, cell: int) -> Any:
        value = self[cell] = self._values[cell]
        return value


class Draft(Reader):
    """A state that an action is changing: reads see the action's own assignments."""

    __slots__ = ("_writes",)
    _writes: dict[int, Any]

    def _start(self, values: "Values") -> None:
        """Start over from the state with these values."""
        _assign(self, "_row", values)
        _assign(self, "_writes", {})

    def _get(self, cell: int) -> Any:
        writes = self._writes
        return writes[cell] if cell in writes else self._row[cell]

    def _set(self, cell: int, value: Any) -> None:
        if type(value) not in PLAIN:
            check_value(value)
        self._writes[cell] = value


def seen(state: Reader) -> Reader:
    """A read-only view without an identity, so that model code cannot cache by it."""
    return state._layout.view(state._row) if isinstance(state, State) else state


Values = Sequence[Any] | Reads
Predicate = Callable[[Any], Any]
