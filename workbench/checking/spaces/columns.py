"""States as Arrow columns: each distinct value of a cell is converted once.

==================  ==========================================================================================
None                null
bool, int, str      boolean, bigint, string
tuple               array
NamedTuple          struct, as for a dataclass
Enum                string, its name
frozenset           array, in canonical order
Map                 map
per-index variable  map from index to value
spread over cells   string, as in traces
==================  ==========================================================================================

Values of one place without a common type, and integers beyond 64 bits, become texts as in traces. Keys of maps are
booleans, integers or strings; a key like ``("k1", 0)`` becomes the text in a trace's brackets, ``k1, 0``.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.kernel.meaning.cells import Whole
from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.state import Layout
from workbench.kernel.meaning.values import Map, record_items, show, sort_key


def type_of(value: Any) -> pa.DataType:
    """The Arrow type of one value; null if the value does not determine it.

    Examples:
        >>> type_of((1, None)), type_of(Map({("a", 1): True}))
        (ListType(list<item: int64>), MapType(map<string, bool>))
    """
    if value is None:
        return pa.null()
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int):
        return pa.int64() if -(2**63) <= value < 2**63 else pa.string()
    if fields := record_items(value):  # a record without fields is an empty array: Parquet has no such struct
        return pa.struct([pa.field(name, type_of(item)) for name, item in fields])
    if isinstance(value, (tuple, frozenset)):
        return pa.list_(common_type(value))
    if isinstance(value, Map) and len({_key_text(key) for key in value}) == len(value):
        return pa.map_(key_type(value), common_type(value.values()))
    return pa.string()


def key_type(keys: Iterable[Any]) -> pa.DataType:
    """The type of a map's keys, which must not be null."""
    kinds = [type_of(key) for key in keys]
    common = reduce(unify, kinds, pa.null())
    plain = pa.types.is_boolean(common) or pa.types.is_integer(common)
    return common if plain and pa.null() not in kinds else pa.string()


def common_type(values: Iterable[Any]) -> pa.DataType:
    """A type for all of `values`."""
    return reduce(unify, map(type_of, values), pa.null())


def unify(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """A type for the values of both types; text if there is no other.

    Examples:
        >>> unify(pa.list_(pa.null()), pa.list_(pa.int64())), unify(pa.int64(), pa.string())
        (ListType(list<item: int64>), DataType(string))
    """
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if {one, other} == {pa.bool_(), pa.int64()}:  # True and 1 are one value
        return pa.int64()
    if pa.types.is_list(one) and pa.types.is_list(other):
        return pa.list_(unify(one.value_type, other.value_type))
    if pa.types.is_map(one) and pa.types.is_map(other):
        return pa.map_(unify(one.key_type, other.key_type), unify(one.item_type, other.item_type))
    if pa.types.is_struct(one) and pa.types.is_struct(other) and one.names == other.names:
        return pa.struct([pa.field(a.name, unify(a.type, b.type)) for a, b in zip(one, other, strict=True)])
    return pa.string()


def without_nulls(kind: pa.DataType) -> pa.DataType:
    """`kind` with text in place of null types, which Parquet lacks."""
    if pa.types.is_null(kind):
        return pa.string()
    if pa.types.is_list(kind):
        return pa.list_(without_nulls(kind.value_type))
    if pa.types.is_map(kind):
        return pa.map_(without_nulls(kind.key_type), without_nulls(kind.item_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(f.name, without_nulls(f.type)) for f in kind])
    return kind


def as_text(value: Any) -> str:
    """A string itself, or another value as in traces."""
    return str(value) if isinstance(value, str) else show(value)


def _key_text(key: Any) -> str:
    return ", ".join(map(show, key)) if isinstance(key, tuple) else as_text(key)


def _convert_key(key: Any, kind: pa.DataType) -> Any:
    return _key_text(key) if pa.types.is_string(kind) else convert(key, kind)


def convert(value: Any, kind: pa.DataType) -> Any:
    """`value` in a form that ``pyarrow.array`` accepts for the type `kind`."""
    if value is None:
        return None
    if pa.types.is_string(kind):
        return as_text(value)
    if pa.types.is_list(kind):
        items = sorted(value, key=sort_key) if isinstance(value, frozenset) else value
        return [convert(item, kind.value_type) for item in items]
    if pa.types.is_struct(kind):
        return {f.name: convert(v, f.type) for f, (_, v) in zip(kind, record_items(value), strict=True)}
    if pa.types.is_map(kind):
        keys = sorted(value, key=sort_key)
        return [(_convert_key(key, kind.key_type), convert(value[key], kind.item_type)) for key in keys]
    return int(value) if pa.types.is_integer(kind) else value


def to_array(values: Sequence[Any]) -> pa.Array:
    """`values` in their common type."""
    kind = without_nulls(common_type(values))
    return pa.array([convert(value, kind) for value in values], kind)


def unused_name(name: str, used: set[str]) -> str:
    """`name`, followed by ``_`` until it is new regardless of case; it is added to `used`."""
    while name.lower() in used:
        name += "_"
    used.add(name.lower())
    return name


class StateColumns:
    """Turns states, as rows of value numbers, into one readable Arrow column per variable.

    Args:
        values: For each cell of the layout its values by number.
        taken: Names of other columns, regardless of case as in Spark; a variable of such a name gets a ``_``.

    Attributes:
        names: For each variable the name of its column.

    Examples:
        >>> layout = Layout({"head": None, "pc": ["w1", "w2"]})
        >>> columns = StateColumns(layout, [[0, 7], ["Start"], ["Start", "Done"]])
        >>> columns.arrays(np.array([[1, 0, 1]]))["pc"].to_pylist()
        [[('w1', 'Start'), ('w2', 'Done')]]
    """

    def __init__(self, layout: Layout, values: Sequence[Sequence[Any]], taken: Iterable[str] = ()) -> None:
        self.names: dict[str, str] = {}
        self._columns: dict[str, _Scalar | _PerIndex | _Set | _SetPerIndex | _Whole] = {}
        used = {name.lower() for name in taken}
        for variable, where in layout.positions.items():
            name = self.names[variable] = unused_name(variable, used)
            universe, whole = layout.universes.get(variable), layout.wholes.get(variable)
            if whole is not None:
                self._columns[name] = _Whole(whole, layout.cells_of(variable), values, layout.notation)
            elif universe is not None:
                members = universe.members
                self._columns[name] = (
                    _Set(where, members, values) if isinstance(where, int) else _SetPerIndex(where, members, values)
                )
            elif isinstance(where, int):
                self._columns[name] = _Scalar(where, values[where])
            else:
                self._columns[name] = _PerIndex(where, [values[cell] for cell in where.values()])

    @property
    def schema(self) -> list[pa.Field]:
        return [pa.field(name, column.type) for name, column in self._columns.items()]

    def arrays(self, rows: np.ndarray) -> dict[str, pa.Array]:
        """The columns of the states `rows`, an integer array (states, cells)."""
        return {name: column.take(rows) for name, column in self._columns.items()}


class _Scalar:
    """The column of a variable that has a single cell."""

    def __init__(self, cell: int, values: Sequence[Any]) -> None:
        self._cell, self._array = cell, to_array(values)
        self.type = self._array.type

    def take(self, rows: np.ndarray) -> pa.Array:
        return self._array.take(pa.array(rows[:, self._cell]))


class _Whole:
    """The column of a variable that is spread over cells."""

    def __init__(self, whole: Whole, cells: Sequence[int], values: Sequence[Sequence[Any]], notation: Notation) -> None:
        self._whole, self._cells, self._values, self._notation = whole, cells, values, notation
        self.type = pa.string()

    def take(self, rows: np.ndarray) -> pa.Array:
        distinct, which = np.unique(rows[:, self._cells], axis=0, return_inverse=True)
        return pa.array(map(self._text, distinct.tolist()), self.type).take(pa.array(which.ravel()))

    def _text(self, numbers: Sequence[int]) -> str:
        row = {cell: self._values[cell][number] for cell, number in zip(self._cells, numbers, strict=True)}
        return self._notation.show(self._whole.value(row))


class _Set:
    """The column of a set with a declared universe."""

    def __init__(self, first: int, members: Sequence[Any], values: Sequence[Sequence[Any]]) -> None:
        self._cells = range(first, first + len(members))
        self._is_in = [np.array(values[cell], bool) for cell in self._cells]
        self._members = to_array(members)
        self.type = pa.list_(self._members.type)

    def take(self, rows: np.ndarray) -> pa.Array:
        there = np.zeros((len(rows), len(self._cells)), bool)
        for column, (cell, is_in) in enumerate(zip(self._cells, self._is_in, strict=True)):
            there[:, column] = is_in[rows[:, cell]]
        ends = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.int32)
        return pa.ListArray.from_arrays(ends, self._members.take(pa.array(np.nonzero(there)[1])))


class _PerIndex:
    """The column of a variable with one cell per index: a map."""

    def __init__(self, cells: Mapping[Any, int], values: Sequence[Sequence[Any]]) -> None:
        self._cells = list(cells.values())
        self._first = np.cumsum([0, *map(len, values)])[:-1]  # the beginning of each cell's values in the array
        self._array = to_array([value for of_cell in values for value in of_cell])
        self._keys = _keys_of(cells)
        self.type = pa.map_(self._keys.type, self._array.type)

    def take(self, rows: np.ndarray) -> pa.Array:
        return _map_of(self._keys, len(rows), self._array.take(pa.array((rows[:, self._cells] + self._first).ravel())))


class _SetPerIndex:
    """The column of a variable with one declared set per index: a map."""

    def __init__(self, firsts: Mapping[Any, int], members: Sequence[Any], values: Sequence[Sequence[Any]]) -> None:
        self._sets = [_Set(first, members, values) for first in firsts.values()]
        self._keys = _keys_of(firsts)
        self.type = pa.map_(self._keys.type, pa.list_(to_array(members).type))

    def take(self, rows: np.ndarray) -> pa.Array:
        sets, states = len(self._sets), len(rows)
        by_set = (
            pa.concat_arrays([column.take(rows) for column in self._sets]) if sets else pa.nulls(0, self.type.item_type)
        )
        by_state = np.arange(sets * states).reshape(sets, states).T.ravel()
        return _map_of(self._keys, states, by_set.take(pa.array(by_state)))


def _keys_of(indices: Iterable[Any]) -> pa.Array:
    kind = key_type(indices)
    return pa.array([_convert_key(index, kind) for index in indices], kind)


def _map_of(keys: pa.Array, states: int, items: pa.Array) -> pa.MapArray:
    """A map for each state, from `keys` to its share of `items`."""
    ends = np.arange(states + 1, dtype=np.int32) * len(keys)
    return pa.MapArray.from_arrays(ends, keys.take(pa.array(np.tile(np.arange(len(keys)), states))), items)
