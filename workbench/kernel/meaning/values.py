"""The immutable values that a cell of a state may hold: how they are shown, ordered and permuted.

Values are ``None``, booleans, integers, strings, tuples, NamedTuples (small records), frozensets, :class:`Map`,
members of enumerations, and frozen dataclasses.

Two values are the same if they compare equal and are of the same kind, at every depth (:func:`identity`): ``True`` is
not ``1``, and a record is not the tuple of its fields. The name of a record's or object's class identifies it in every
process, so a model may use only one class of that name. A member of a ``StrEnum`` or ``IntEnum`` is the text or number
that it equals, and a :class:`Name` is its text.

Python's own sets and dicts keep the first of equal members. A :class:`Map` refuses a second one of another kind.
"""

import dataclasses
from collections.abc import Callable, Hashable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from enum import Enum, Flag, IntEnum, StrEnum
from functools import partial
from operator import is_
from typing import Any

from workbench.kernel.meaning.errors import ModelError, brief
from workbench.kernel.meaning.text import printable

Value = Hashable

#: The deepest nesting of values: functions over them recurse.
DEEPEST = 100
#: Integers with more bits are written in hexadecimal: Python refuses to write very many decimal digits.
LONG = 2048


class Name(str):
    """A member of a set of names: equal to the plain text, but distinct from a word of the model that reads alike."""

    __slots__ = ()


#: The types whose values need no check: all may be in a state, and none is a word of the model.
PLAIN = frozenset({type(None), bool, int, Name})
_ATOMS = PLAIN | {str}
_OF_ONE_KIND = _ATOMS - {bool}
_ACCEPTED = "use None, bool, int, str, tuple, NamedTuple, frozenset, Map, Enum or a frozen dataclass"


class Map(Mapping[Any, Any]):
    """An immutable mapping; ``set`` and ``without`` return a changed copy.

    It iterates in the order of its keys.

    Examples:
        >>> stock = Map({"a": 1})
        >>> stock.set("b", 2)
        Map({a: 1, b: 2})
        >>> stock["a"] = 5
        Traceback (most recent call last):
            ...
        TypeError: a Map is immutable: use map.set(key, value) and assign the result
    """

    __slots__ = ("_data", "_hash", "_identity", "_ordered")

    def __init__(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None:
        if isinstance(items, Mapping):
            self._data: dict[Any, Any] = dict(items._data if isinstance(items, Map) else items)
        else:
            pairs = list(items)
            self._data = dict(pairs)
            if len(self._data) < len(pairs):
                _check_keys(key for key, _ in pairs)
        self._ordered = len(self._data) < 2  # sorted on first use: most maps are only passed on
        self._hash: int | None = None
        self._identity: Hashable | None = None

    def _in_order(self) -> dict[Any, Any]:
        if not self._ordered:
            plain = set(map(type, self._data)) <= {str, Name}
            self._data = {key: self._data[key] for key in sorted(self._data, key=None if plain else sort_key)}
            self._ordered = True
        return self._data

    def set(self, key: Value, value: Value) -> "Map":
        """A copy that maps `key` to `value`."""
        data = {**self._data, key: value}
        if len(data) == len(self._data) and not isinstance(key, str):
            _check_keys((*data, key))
        return Map(data)

    def without(self, *keys: Value) -> "Map":
        """A copy that lacks `keys`."""
        return Map((k, v) for k, v in self._data.items() if k not in keys)

    def __getitem__(self, key: Any) -> Any:
        return self._data[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("a Map is immutable: use map.set(key, value) and assign the result")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._in_order())

    def keys(self) -> KeysView[Any]:
        return self._in_order().keys()

    def values(self) -> ValuesView[Any]:
        return self._in_order().values()

    def items(self) -> ItemsView[Any, Any]:
        return self._in_order().items()

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def __len__(self) -> int:
        return len(self._data)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._data.items()))
        return self._hash

    def __reduce__(self) -> Any:
        return Map, (self._data,)  # without the hash, which another process would not find

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and self._data == other._data

    def __repr__(self) -> str:
        return f"Map({show(self)})"


def _check_keys(keys: Iterable[Any]) -> None:
    """Raise :class:`ModelError` if two `keys` are equal but not the same: Python's dict would take them for one."""
    if remark := clash(keys):
        raise ModelError(f"a Map cannot hold both keys{remark}")


# Parts ---------------------------------------------------------------------------------------------------------------

#: Kinds of values with parts that are neither records nor objects.
_CONTAINERS = frozenset({tuple, frozenset, Map})


def fields_of(kind: type) -> tuple[str, ...]:
    """The fields of a NamedTuple class or a dataclass, in order; none for any other class."""
    if issubclass(kind, tuple):
        return getattr(kind, "_fields", ())
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


def is_object(value: Any) -> bool:
    """Whether `value` is an object of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, (tuple, frozenset, type))


def is_member(value: Any) -> bool:
    """Whether `value` is a member of a plain ``Enum``, which equals nothing but itself."""
    return isinstance(value, Enum) and not isinstance(value, (int, str))


def record_items(value: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a record with their values; none for any other value."""
    if isinstance(value, tuple):
        return tuple(zip(fields_of(type(value)), value, strict=False))
    return tuple((name, getattr(value, name)) for name in fields_of(type(value))) if is_object(value) else ()


def make_record(kind: type, parts: tuple[Any, ...]) -> Any:
    """The record of class `kind` with the fields `parts`, made without running code of the class."""
    if issubclass(kind, tuple):
        return tuple.__new__(kind, parts)
    record = object.__new__(kind)
    for name, part in zip(fields_of(kind), parts, strict=True):
        object.__setattr__(record, name, part)
    return record


def flatten(value: Any) -> tuple[tuple[Any, ...], Callable[[Sequence[Any]], Any] | None]:
    """The parts of `value`, and a function that rebuilds it from such parts; None for an atom, which has no parts.

    A Map's parts are its keys, then their values; those of a set have no order.

    Examples:
        >>> parts, rebuild = flatten(Map({"a": 1}))
        >>> parts, rebuild([part * 2 for part in parts])
        (('a', 1), Map({aa: 2}))
    """
    if isinstance(value, tuple):
        kind = type(value)
        return value, partial(make_record, kind) if hasattr(kind, "_fields") else tuple
    if isinstance(value, frozenset):
        return tuple(value), frozenset
    if isinstance(value, Map):
        return (*value._data, *value._data.values()), _map_of
    if is_object(value):
        return tuple(part for _, part in record_items(value)), partial(make_record, type(value))
    return (), None


def _map_of(parts: Sequence[Any]) -> Map:
    half = len(parts) // 2
    return Map(zip(parts[:half], parts[half:], strict=True))


def objects_in(value: Any) -> Iterator[Any]:
    """The members of enumerations, the records and the objects of dataclasses in `value`, at any depth."""
    if type(value) not in _CONTAINERS and (is_member(value) or is_object(value) or hasattr(value, "_fields")):
        yield value
    for part in flatten(value)[0]:
        if type(part) not in _ATOMS:
            yield from objects_in(part)


# Identity ------------------------------------------------------------------------------------------------------------


def identity(value: Any) -> Hashable:
    """A key that two values share exactly if they are the same: equal, and of the same kind at every depth.

    Only this process understands it. The values' bytes, order and JSON agree with it.

    Examples:
        >>> identity(1) == identity(True), identity((1, "a")) == identity((1, Name("a")))
        (False, True)
    """
    kind = type(value)
    if kind in _OF_ONE_KIND:
        return value
    if kind is bool:
        return kind, value  # no value contains a class, so no tuple has this key
    if isinstance(value, (tuple, frozenset)):
        is_record = kind is not tuple and hasattr(kind, "_fields")
        if not is_record and _OF_ONE_KIND.issuperset(map(type, value)):
            return value
        keys = [identity(part) for part in value]
        if is_record:
            return kind, *keys
        # The value itself knows its hash.
        return value if all(map(is_, keys, value)) else (tuple if isinstance(value, tuple) else frozenset)(keys)
    if isinstance(value, Map):
        if value._identity is None:
            value._identity = Map, frozenset((identity(key), identity(part)) for key, part in value._data.items())
        return value._identity
    return (kind, *map(identity, flatten(value)[0])) if is_object(value) else value


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same, by their :func:`identity`.

    Examples:
        >>> is_same((1, True), (1, True)), is_same((1, True), (1, 1))
        (True, False)
    """
    return one is other or bool(one == other and _are_alike(one, other))


def _are_alike(one: Any, equal: Any) -> bool:
    """Whether two equal values have the same identity; most parts are one object in both, and need no look."""
    if type(one) is type(equal) and isinstance(one, tuple):
        return all(_are_alike(part, other) for part, other in zip(one, equal, strict=True) if part is not other)
    return identity(one) == identity(equal)


def clash(members: Iterable[Any]) -> str:
    """The two of the `members` that are equal but not the same, so that no set holds both; "" if there are none."""
    seen: dict[Any, Any] = {}
    for member in members:
        if not is_same(first := seen.setdefault(member, member), member):
            return f": {brief(first)} and {brief(member)} are equal values of two kinds"
    return ""


# Values that a state may hold ----------------------------------------------------------------------------------------


def check_value(value: Any, depth: int = 0) -> None:
    """Raise :class:`ModelError` unless `value`, nested `depth` deep, is immutable at every depth."""
    if type(value) in _ATOMS:
        if type(value) is str and not value.isascii():
            _check_text(value)
        return
    if not isinstance(value, (tuple, frozenset, Map)):
        reason = _why_not(value)
        if reason is not None:
            raise ModelError(getattr(value, "no_value", None) or f"{not_a_value(value)}; {reason or _ACCEPTED}")
    if depth == DEEPEST:
        raise ModelError(f"a value that is nested more than {DEEPEST} deep cannot be part of a state")
    for item in flatten(value)[0]:
        if type(item) not in PLAIN:
            check_value(item, depth + 1)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ModelError(f"{brief(text)} cannot be part of a state: it is not a text that can be written") from None


def not_a_value(value: Any) -> str:
    return f"a {type(value).__name__} cannot be part of a state ({brief(value)})"


def _why_not(value: Any) -> str | None:
    """Why an object cannot be part of a state, in words; None if it can, parts aside."""
    kind = type(value)
    if isinstance(value, Flag):
        return "a Flag is not a value; use a frozenset of the members of an Enum"
    if isinstance(value, Enum):
        plain = isinstance(value, (StrEnum, IntEnum)) or not isinstance(value, (str, int, tuple, frozenset))
        return None if plain else "of enumerations it takes Enum, StrEnum and IntEnum"
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None:
        return ""
    if not (parameters.frozen and parameters.eq):
        return "of dataclasses it takes those with frozen=True"
    fields = dataclasses.fields(kind)
    if not all(field.compare for field in fields) or "__eq__" in _written_by_hand(kind):
        return "a dataclass must compare all of its fields"
    return None


def _written_by_hand(kind: type) -> set[str]:
    """The methods of a class that are written in a file, unlike those made by dataclass."""
    return {
        name
        for name, attribute in vars(kind).items()
        if getattr(getattr(attribute, "__code__", None), "co_filename", "<") != "<string>"
    }


class ObjectClasses:
    """The classes of the records and objects among one model's values, by name."""

    def __init__(self) -> None:
        self._kinds: dict[str, type] = {}

    def check(self, value: Any) -> None:
        """Raise :class:`ModelError` if the classes of two objects have the same name."""
        for part in objects_in(value):
            kind = type(part)
            if self._kinds.setdefault(kind.__qualname__, kind) is not kind:
                raise ModelError(
                    f"two classes are called {kind.__qualname__!r}, and states hold objects of both, which read the "
                    "same; rename one"
                )


# Canonical forms -----------------------------------------------------------------------------------------------------


def sort_key(value: Any) -> tuple[Any, ...]:
    """A total order over values of mixed types: None, numbers, texts, then composite values."""
    if value is None:
        return (0,)
    if isinstance(value, int):
        return (1, int(value), 0) if isinstance(value, bool) else (1, int(value))
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, tuple):
        parts = tuple(map(sort_key, value))
        return (3, parts, type(value).__qualname__) if hasattr(value, "_fields") else (3, parts)
    if isinstance(value, frozenset):
        return (4, tuple(sorted(map(sort_key, value))))
    if isinstance(value, Map):
        return (5, tuple(sorted((sort_key(k), sort_key(v)) for k, v in value._data.items())))
    if is_member(value):  # in the order of declaration
        return (6, type(value).__qualname__, list(type(value).__members__).index(value.name))
    if is_object(value):
        return (7, type(value).__qualname__, tuple(map(sort_key, flatten(value)[0])))
    raise ModelError(not_a_value(value))


def permute(value: Any, renaming: Mapping[str, str]) -> Any:
    """`value` with every name in it renamed."""
    if not renaming:
        return value
    if isinstance(value, str):
        return renaming.get(value, value)
    if type(value) in PLAIN:
        return value
    parts, rebuild = flatten(value)
    return value if rebuild is None else rebuild([permute(part, renaming) for part in parts])


def show(value: Any, joint: str = "=") -> str:
    """A value as people read it, in one line: sets and maps sorted, records with their field names.

    Args:
        joint: The text between a field's name and its value.

    Examples:
        >>> show(frozenset({2, 1})), show(Map({"k": (1, True)})), show(None)
        ('{1, 2}', '{k: (1, TRUE)}', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Enum):
        return printable(value.name)
    if fields := record_items(value):
        return f"{type(value).__name__}({', '.join(f'{name}{joint}{show(part, joint)}' for name, part in fields)})"
    if isinstance(value, tuple):
        return "(" + ", ".join(show(part, joint) for part in value) + ")"
    if isinstance(value, frozenset):
        return "{" + ", ".join(show(v, joint) for v in sorted(value, key=sort_key)) + "}"
    if isinstance(value, Map):
        return "{" + ", ".join(f"{show(k, joint)}: {show(v, joint)}" for k, v in value.items()) + "}"
    return hex(value) if isinstance(value, int) and value.bit_length() > LONG else str(value)


def counted(number: int, noun: str, more: str | None = None) -> str:
    """A number with its noun.

    Examples:
        >>> counted(1, "state"), counted(2_000, "state"), counted(2, "property", "properties")
        ('1 state', '2,000 states', '2 properties')
    """
    return f"{number:,} {noun if number == 1 else more or noun + 's'}"
