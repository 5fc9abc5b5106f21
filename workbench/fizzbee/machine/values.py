"""Interpreter values as immutable kernel values, equal only if the interpreter cannot tell them apart.

Numbers, strings, booleans and None stay as they are; a list becomes a tuple, and a role a Name. A shared object is
identified by its places: a place is a cell and a path of indices into its value.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from workbench.fizzbee.meaning.values import (
    Collection,
    Dict,
    Function,
    Instance,
    Record,
    Value,
    Wrong,
    canonical,
    kind_of,
    shown,
)  # fmt: skip
from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import Map, Name

Path: TypeAlias = tuple[int, ...]
Place: TypeAlias = tuple[int, Path]
#: The places of each mutable object, by its identity.
Places: TypeAlias = dict[int, list[Place]]
#: How deeply the values of a state may nest. The kernel allows a hundred levels, and each level here takes two.
_MOST_NESTED = 45
_ATOMS = frozenset({type(None), bool, int, str})


class Items(NamedTuple):
    """A tuple, or a collection sorted by the canonical texts of its members."""

    kind: str
    items: tuple[Any, ...]


class Fields(NamedTuple):
    """A record or a struct, by the names of its fields in order."""

    kind: str
    names: tuple[str, ...]
    values: tuple[Any, ...]


class Pairs(NamedTuple):
    """A dict or a genericmap, in its order: keys and values in turn."""

    kind: str
    parts: tuple[Any, ...]


class Range(NamedTuple):
    """A range."""

    start: int
    stop: int
    step: int


class Real(NamedTuple):
    """A number with a fraction, in hexadecimal."""

    text: str


class Together(NamedTuple):
    """The places of one object."""

    places: tuple[Place, ...]


#: The value of a field that the state does not have.
ABSENT = Items("absent", ())


def freeze(value: Value, cell: int = 0, path: Path = (), places: Places | None = None) -> Any:
    """Turn an interpreter value into an immutable kernel value.

    Args:
        cell, path: The place of the value.
        places: Collects the places of mutable objects.

    Raises:
        Wrong: For a function, and for a value that nests too deeply or contains itself.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if len(path) > _MOST_NESTED:
        raise Wrong(f"more than {_MOST_NESTED} values in each other, or a value that contains itself")
    if kind is Instance:
        return Name(value.name)
    if kind is float:
        return Real(value.hex())
    if kind is range:
        return Range(value.start, value.stop, value.step)
    if kind is Function:
        raise Wrong("a function is no value of a state")
    if places is not None and kind is not tuple:
        places.setdefault(id(value), []).append((cell, path))
    parts = [freeze(part, cell, (*path, at), places) for at, part in enumerate(_parts(value))]
    if kind is list:
        return tuple(parts)
    if kind is Dict:
        return Pairs(value.kind, tuple(parts))
    if kind is Record:
        return Fields(value.kind, tuple(sorted(value.fields)), tuple(parts))
    return Items(kind_of(value), tuple(parts))


def _parts(value: Value) -> list[Value]:
    match value:
        case Dict():
            return [part for pair in value.pairs for part in pair]
        case Record():
            return [value.fields[name] for name in sorted(value.fields)]
        case Collection():
            return sorted(value.items, key=canonical)
    return list(value)


class Thawing:
    """Turns kernel values back into interpreter values.

    Args:
        roles: The roles by name.

    Attributes:
        groups: For each place of a shared object, that object's first place.
        made: The shared objects thawed so far, by first place.
    """

    def __init__(self, roles: dict[str, Instance]) -> None:
        self._roles, self.groups, self.made = roles, dict[Place, Place](), dict[Place, Value]()

    def thaw(self, frozen: Any, cell: int = 0, path: Path = ()) -> Value:
        """The interpreter value at a place. It is new, except for shared objects thawed at another place before."""
        kind = type(frozen)
        if kind in _ATOMS:
            return frozen
        if kind is Name:
            return self._roles[frozen]
        if kind is Real:
            return float.fromhex(frozen.text)
        if kind is Range:
            return range(*frozen)
        if kind is Items and frozen.kind == "tuple":
            return tuple(self._all(frozen.items, cell, path))
        group = self.groups.get((cell, path)) if self.groups else None
        if group is not None and group in self.made:
            return self.made[group]
        value: Value = None
        if kind is tuple:
            value = self._all(frozen, cell, path)
        elif kind is Pairs:
            value = Dict(frozen.kind)
            parts = iter(self._all(frozen.parts, cell, path))
            value.pairs = [[key, part] for key, part in zip(parts, parts, strict=True)]
        elif kind is Fields:
            fields = self._all(frozen.values, cell, path)
            value = Record(frozen.kind, dict(zip(frozen.names, fields, strict=True)))
        else:
            value = Collection(frozen.kind)
            value.items = self._all(frozen.items, cell, path)
        if group is not None:
            self.made[group] = value
        return value

    def _all(self, parts: tuple[Any, ...], cell: int, path: Path) -> list[Value]:
        if not self.groups:
            return [part if type(part) in _ATOMS else self.thaw(part) for part in parts]
        return [self.thaw(part, cell, (*path, at)) for at, part in enumerate(parts)]


def plain(frozen: Any) -> Any:
    """A value for a mapping to read: records and dicts are Maps, sets are frozensets, and lists tuples.

    Examples:
        >>> plain(Fields("record", ("kind", "rows"), ("ADD", (1, 2))))["rows"]
        (1, 2)
    """
    match frozen:
        case Fields(names=keys, values=parts):
            return Map(zip(keys, map(plain, parts), strict=True))
        case Pairs(parts=parts):
            return Map(zip(map(plain, parts[::2]), map(plain, parts[1::2]), strict=True))
        case Items(kind="set", items=items):
            return frozenset(map(plain, items))
        case Items(items=items):
            return tuple(map(plain, items))
    return tuple(map(plain, frozen)) if type(frozen) is tuple else frozen


def roles_in(frozen: Any) -> set[str]:
    """The names of the roles in a value of the kernel."""
    if isinstance(frozen, Name):
        return {frozen}
    return set().union(*map(roles_in, frozen)) if isinstance(frozen, tuple) else set()


class FizzNotation(Notation):
    """Values as FizzBee prints them.

    Attributes:
        cells: The names of the cells, by number.
    """

    def __init__(self) -> None:
        self.cells: Sequence[str] = ()

    def show(self, value: Any, joint: str = "=") -> str:
        if isinstance(value, Name):
            return printable(value)
        if isinstance(value, Together):
            return f"one object: {', '.join(map(self._place, value.places))}"
        if isinstance(value, frozenset):  # what is shared
            return "; ".join(map(self.show, sorted(value)))
        if type(value) not in _SHOWN:
            return super().show(value, joint)
        if value == ABSENT:
            return "-"
        return printable(shown(_readable(value)))

    def parts(self, value: Any) -> Any:
        match value:
            case Fields():
                return _ByName(zip(value.names, value.values, strict=True))
            case Pairs(parts=parts) if len(set(parts[::2])) == len(parts) // 2:
                return Map(zip(parts[::2], parts[1::2], strict=True))
            case Items(kind="set", items=items) if len(set(items)) == len(items):
                return frozenset(items)
            case Items(items=items):
                return items
        return value

    def pair(self, of: Map, key: Any) -> str:
        return f"{key} = {self.show(of[key])}" if isinstance(of, _ByName) else super().pair(of, key)

    def part(self, whole: str, of: Map, key: Any) -> str:
        return f"{whole}.{key}" if isinstance(of, _ByName) else super().part(whole, of, key)

    def _place(self, place: Place) -> str:
        cell, path = place
        return "/".join([self.cells[cell], *map(str, path)])


class _ByName(Map):
    """The fields of a record."""


_SHOWN = _ATOMS | {tuple, Items, Fields, Pairs, Range, Real}


class _Word:
    """A role's name, which is printed bare."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


def _readable(frozen: Any) -> Value:
    return Thawing(_Names()).thaw(frozen)


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> _Word:
        return _Word(name)
