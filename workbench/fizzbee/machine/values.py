"""Interpreter values as immutable kernel values, equal only if the interpreter cannot tell them apart.

Numbers, strings, booleans and None stay as they are; a list becomes a tuple, and a role a Name. A shared object is
identified by its places: a place is a cell and a path of indices into its value.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from workbench.fizzbee.meaning.values import (
    Collection,
    Dict,
    Domain,
    Function,
    Holder,
    Instance,
    ModelValue,
    Record,
    Segment,
    Value,
    Wrong,
    canonical,
    kind_of,
    shown,
)  # fmt: skip
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.text import printable
from workbench.kernel.meaning.values import Map, Name, flatten, identity, sort_key

#: The way into a value: the index of a part or, where there is no order, the key or a member and its number.
Path: TypeAlias = tuple[Any, ...]
#: A cell, or in a state one of a symmetric role by its variable and name, and a path into its value.
Place: TypeAlias = tuple[Any, Path]
#: How deeply the values of a state may nest. The kernel allows a hundred levels, and each level here takes two.
_MOST_NESTED = 45
_ATOMS = frozenset({type(None), bool, int, str})


class Places(dict[int, list[Place]]):
    """The places of each mutable object, by its identity.

    Args:
        exchanges: Whether the kernel may exchange names in the values.
    """

    def __init__(self, exchanges: bool) -> None:
        self.exchanges = exchanges


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


class Unordered(NamedTuple):
    """What must have no order, so that the kernel can exchange the names in it.

    That is a collection with names in its members, with how often it has each, or a dict whose keys are all symmetric.
    """

    kind: str
    parts: Map


class Id(NamedTuple):
    """A value that equals nothing but itself; its name is that of a role, if it is the role's id."""

    name: Name
    symmetric: bool


class Point(NamedTuple):
    """A value of a domain that is not nominal, with the number that it has in the state."""

    name: Name


class Range(NamedTuple):
    """A range."""

    start: int
    stop: int
    step: int


class Real(NamedTuple):
    """A number with a fraction, in hexadecimal."""

    text: str


class Written(NamedTuple):
    """An expression of the text, in the name of a step."""

    text: str


class Together(NamedTuple):
    """The places of one object."""

    places: frozenset[Place]


#: The kinds of dicts.
DICTS = ("dict", "genericmap")
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
    if kind is ModelValue:
        if value.domain is not None:
            return Point(Name(f"{value.name}@{value.number}"))
        return Id(Name(f"{value.name}#{value.number}"), value.symmetric)
    if kind is Holder:
        return Written(value.text)
    if kind is Function or kind is Domain or kind is Segment:
        raise Wrong(f"a {kind_of(value)} is no value of a state")
    if places is not None and kind is not tuple:
        places.setdefault(id(value), []).append((cell, path))
    if kind is Collection and places is not None and places.exchanges:
        items = _parts(value)
        members = [freeze(item, places=Places(True)) for item in items]
        if any(map(has_names, members)):
            return _unordered(value.kind, items, members, cell, path, places)
    if kind is Dict and value.is_unordered:
        keys = [freeze(key) for key, _ in value.pairs]
        items = [freeze(item, cell, (*path, key), places) for key, (_, item) in zip(keys, value.pairs, strict=True)]
        return Unordered(value.kind, Map(zip(keys, items, strict=True)))
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
            return [part for pair in value.ordered() for part in pair]
        case Record():
            return [value.fields[name] for name in sorted(value.fields)]
        case Collection():
            return sorted(value.items, key=canonical)
    return list(value)


def _unordered(
    kind: str, items: Sequence[Value], members: Sequence[Any], cell: int, path: Path, places: Places
) -> Unordered:
    """The `items` of a collection, whose kernel values are `members`."""
    counts = Counter[Any]()
    for item, member in zip(items, members, strict=True):
        freeze(item, cell, (*path, (member, counts[identity(member)])), places)
        counts[identity(member)] += 1
    distinct = {identity(member): member for member in members}
    return Unordered(kind, Map([(member, counts[which]) for which, member in distinct.items()]))


def has_names(frozen: Any) -> bool:
    """Whether there is a name, of a role or of another value, in a value of the kernel."""
    if type(frozen) in _ATOMS:
        return False
    return isinstance(frozen, Name) or any(map(has_names, flatten(frozen)[0]))


def numbers_of(name: str, frozen: Any) -> dict[Point, Fraction]:
    """The values of an ordered domain in a value of the kernel, with their numbers."""
    if type(frozen) in _ATOMS:
        return {}
    if type(frozen) is Point:
        of, _, number = frozen.name.rpartition("@")
        return {frozen: Fraction(number)} if of == name else {}
    return {point: number for part in flatten(frozen)[0] for point, number in numbers_of(name, part).items()}


def renumbered(frozen: Any, points: Mapping[Point, Point]) -> Any:
    """A value of the kernel with other values of an ordered domain."""
    if type(frozen) in _ATOMS:
        return frozen
    if type(frozen) is Point:
        return points.get(frozen, frozen)
    parts, rebuild = flatten(frozen)
    return frozen if rebuild is None else rebuild([renumbered(part, points) for part in parts])


class Thawing:
    """Turns kernel values back into interpreter values.

    Args:
        roles: The roles by name.
        domains: The domains by name, without nominal ones.

    Attributes:
        groups: For each place of a shared object, all of that object's places.
        shared: The shared objects thawed so far, by their places.
    """

    def __init__(self, roles: dict[str, Instance], domains: Mapping[str, Domain] = MappingProxyType({})) -> None:
        self._roles, self._domains = roles, domains
        self.groups, self.shared = dict[Place, frozenset[Place]](), dict[frozenset[Place], Value]()

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
        if kind is Id:
            name, _, number = frozen.name.rpartition("#")
            return ModelValue(name, int(number), frozen.symmetric)
        if kind is Point:
            name, _, number = frozen.name.rpartition("@")
            return ModelValue(name, Fraction(number) if "/" in number else int(number), True, self._domains.get(name))
        if kind is Items and frozen.kind == "tuple":
            return tuple(self._all(frozen.items, cell, path))
        group = self.groups.get((cell, path)) if self.groups else None
        if group is not None and group in self.shared:
            return self.shared[group]
        value: Value = None
        if kind is tuple:
            value = self._all(frozen, cell, path)
        elif kind is Pairs:
            value = Dict(frozen.kind)
            parts = iter(self._all(frozen.parts, cell, path))
            value.pairs = [[key, part] for key, part in zip(parts, parts, strict=True)]
        elif kind is Unordered and frozen.kind in DICTS:
            value = Dict(frozen.kind)
            value.pairs = [[self.thaw(key), self.thaw(part, cell, (*path, key))] for key, part in frozen.parts.items()]
        elif kind is Unordered:
            value = Collection(frozen.kind)
            places = [(part, nth) for part, count in frozen.parts.items() for nth in range(count)]
            value.items = [self.thaw(place[0], cell, (*path, place)) for place in places]
        elif kind is Fields:
            fields = self._all(frozen.values, cell, path)
            value = Record(frozen.kind, dict(zip(frozen.names, fields, strict=True)))
        else:
            value = Collection(frozen.kind)
            value.items = self._all(frozen.items, cell, path)
        if group is not None:
            self.shared[group] = value
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
        case Unordered(kind=kind, parts=parts) if kind in DICTS:
            return Map({plain(key): plain(part) for key, part in parts.items()})
        case Unordered(kind="set", parts=parts):
            return frozenset(map(plain, parts))
        case Unordered(parts=parts):
            return tuple(plain(part) for part, count in parts.items() for _ in range(count))
        case Items(kind="set", items=items):
            return frozenset(map(plain, items))
        case Items(items=items):
            return tuple(map(plain, items))
    return tuple(map(plain, frozen)) if type(frozen) is tuple else frozen


def roles_in(frozen: Any) -> set[str]:
    """The names of the roles in a value of the kernel."""
    if isinstance(frozen, Name):
        return {frozen}
    return set() if type(frozen) in _ATOMS | {Id, Point} else set().union(*map(roles_in, flatten(frozen)[0]))


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
        if isinstance(value, Written):
            return printable(value.text)
        if isinstance(value, Together):
            return f"one object: {', '.join(map(self._place, sorted(value.places, key=sort_key)))}"
        if isinstance(value, frozenset):  # what is shared
            return "; ".join(map(self.show, sorted(value, key=sort_key)))
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
            case Unordered(kind=kind, parts=parts) if kind in DICTS:
                return parts
            case Unordered(kind="set", parts=parts):
                return frozenset(parts)
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
        name = self.cells[cell] if isinstance(cell, int) else str(Cell(*cell))
        return "/".join([name, *(str(at) if isinstance(at, int) else self.show(at) for at in path)])


class _ByName(Map):
    """The fields of a record."""


_SHOWN = _ATOMS | {tuple, Items, Fields, Pairs, Unordered, Id, Point, Range, Real}


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
