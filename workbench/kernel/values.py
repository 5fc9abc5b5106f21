"""What a cell of a state may hold: immutable values, how they are shown, ordered, hashed and permuted.

Values are ``None``, booleans, integers, strings, tuples, NamedTuples (small records), frozensets, :class:`Map`,
members of enumerations, and frozen dataclasses. Values that compare equal are one value: ``True`` and ``1`` are, and so
are a NamedTuple and the plain tuple of its fields.
"""

import hashlib
from collections.abc import Hashable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from enum import Enum
from typing import Any

from workbench.kernel.errors import ModelError, brief
from workbench.kernel.objects import is_member, is_object, make_record, meet, parts_of, record_items, why_not
from workbench.kernel.text import printable

Value = Hashable

#: How deep values may be nested: what is done with them is done recursively.
DEEPEST = 100
#: Integers of more bits are written in hexadecimal: Python refuses to write very many decimal digits.
_LONG = 2048


class Name(str):
    """A member of a set of names: equal to the plain text, but told from a word of the model that reads the same."""

    __slots__ = ()


#: Of values of these types nothing has to be looked at: any of them may be part of a state, and is no word.
PLAIN = frozenset({type(None), bool, int, Name})
_ATOMS = PLAIN | {str}
_ACCEPTED = "use None, bool, int, str, tuple, NamedTuple, frozenset, Map, Enum or a frozen dataclass"


class Map(Mapping[Any, Any]):
    """An immutable mapping; ``set`` and ``without`` return a changed copy.

    It is iterated in the order of its keys, whichever way it was made.

    Examples
    --------
    >>> stock = Map({"a": 1})
    >>> stock.set("b", 2)
    Map({a: 1, b: 2})
    >>> stock["a"] = 5
    Traceback (most recent call last):
        ...
    TypeError: a Map is immutable: use map.set(key, value) and assign the result
    """

    __slots__ = ("_data", "_hash", "_ordered")

    def __init__(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None:
        self._data: dict[Any, Any] = dict(items._data if isinstance(items, Map) else items)
        self._ordered = len(self._data) < 2  # it is sorted when somebody looks: most maps are only passed on
        self._hash: int | None = None

    def _in_order(self) -> dict[Any, Any]:
        if not self._ordered:
            plain = set(map(type, self._data)) <= {str, Name}
            self._data = {key: self._data[key] for key in sorted(self._data, key=None if plain else sort_key)}
            self._ordered = True
        return self._data

    def set(self, key: Value, value: Value) -> "Map":
        """A copy in which `key` is mapped to `value`."""
        return Map({**self._data, key: value})

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and self._data == other._data

    def __repr__(self) -> str:
        return f"Map({show(self)})"


def check_value(value: Any, depth: int = 0) -> None:
    """Raise :class:`ModelError` unless `value`, which is nested `depth` deep, is immutable through and through.

    Examples
    --------
    >>> check_value((1, frozenset({"a"})))
    >>> check_value((1, [2]))
    Traceback (most recent call last):
        ...
    workbench.kernel.errors.ModelError: a list cannot be part of a state ([2]); use None, bool, int, str, tuple, \
NamedTuple, frozenset, Map, Enum or a frozen dataclass
    """
    if type(value) in _ATOMS:
        if type(value) is str and not value.isascii():
            _check_text(value)
        return
    if isinstance(value, (tuple, frozenset)):
        items: Iterable[Any] = value
    elif isinstance(value, Map):
        items = (*value._data, *value._data.values())
    else:
        why = why_not(value)
        if why is not None:
            raise ModelError(getattr(value, "no_value", None) or f"{_no_value(value)}; {why or _ACCEPTED}")
        if is_member(value) or is_object(value):
            meet(type(value))
        items = () if isinstance(value, Enum) else parts_of(value)
    if depth == DEEPEST:
        raise ModelError(f"a value that is nested more than {DEEPEST} deep cannot be part of a state")
    for item in items:
        if type(item) not in PLAIN:
            check_value(item, depth + 1)


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ModelError(f"{brief(text)} cannot be part of a state: it is not a text that can be written") from None


def _no_value(value: Any) -> str:
    return f"a {type(value).__name__} cannot be part of a state ({brief(value)})"


def encode(value: Any) -> bytes:
    """The canonical bytes of a value: equal values, and only they, have equal bytes - in every process.

    Examples
    --------
    >>> encode(frozenset({2, 1})) == encode(frozenset({1, 2}))
    True
    >>> encode("1") == encode(1)
    False
    """
    if value is None:
        return b"n"
    if isinstance(value, int):  # also bool: True == 1
        return b"i%d;" % value if value.bit_length() <= _LONG else b"i%b;" % hex(value).encode()
    if isinstance(value, str):
        text = value.encode()
        return b"s%d:%b" % (len(text), text)
    if isinstance(value, tuple):
        return b"(" + b"".join(map(encode, value)) + b")"
    if isinstance(value, frozenset):
        return b"{" + b"".join(sorted(map(encode, value))) + b"}"
    if isinstance(value, Map):
        return b"<" + b"".join(sorted(encode(k) + encode(v) for k, v in value._data.items())) + b">"
    if is_member(value):
        return b"e" + encode((type(value).__qualname__, value.name))
    if is_object(value):
        return b"d" + encode((type(value).__qualname__, *parts_of(value)))
    raise ModelError(_no_value(value))


def cell_hash(variable: str, index: Any, value: Any, bits: int = 64) -> int:
    """The hash of one cell's content; a state's fingerprint is the sum of them, modulo 2**bits.

    It depends on names and values alone, so that every process computes the same one.
    """
    digest = hashlib.blake2b(encode((variable, index, value)), digest_size=bits // 8)
    return int.from_bytes(digest.digest(), "little")


def sort_key(value: Any) -> tuple[Any, ...]:
    """A total order over values of mixed types: nothing, numbers, texts, then what is made of them.

    Examples
    --------
    >>> sorted([("a", 1), "b", 3, None], key=sort_key)
    [None, 3, 'b', ('a', 1)]
    """
    if value is None:
        return (0,)
    if isinstance(value, int):
        return (1, int(value))
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, tuple):
        return (3, tuple(map(sort_key, value)))
    if isinstance(value, frozenset):
        return (4, tuple(sorted(map(sort_key, value))))
    if isinstance(value, Map):
        return (5, tuple(sorted((sort_key(k), sort_key(v)) for k, v in value._data.items())))
    if is_member(value):  # in the order in which they are declared
        return (6, type(value).__qualname__, list(type(value).__members__).index(value.name))
    if is_object(value):
        return (7, type(value).__qualname__, tuple(map(sort_key, parts_of(value))))
    raise ModelError(_no_value(value))


def permute(value: Any, renaming: Mapping[str, str]) -> Any:
    """`value` with every name in it replaced as `renaming` says.

    Examples
    --------
    >>> permute((1, frozenset({"w1"})), {"w1": "w2", "w2": "w1"})
    (1, frozenset({'w2'}))
    """
    if isinstance(value, str):
        return renaming.get(value, value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, tuple):
        items = [permute(item, renaming) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, frozenset):
        return frozenset(permute(item, renaming) for item in value)
    if isinstance(value, Map):
        return Map((permute(k, renaming), permute(v, renaming)) for k, v in value._data.items())
    if is_object(value):
        return make_record(type(value), tuple(permute(part, renaming) for part in parts_of(value)))
    return value


def is_same(recorded: Any, value: Any) -> bool:
    """Whether a value of a model is the one that was recorded: equal, and TRUE only where TRUE was recorded, and not 1.

    Examples
    --------
    >>> is_same((1, True), (1, True)), is_same((1, True), (1, 1))
    (True, False)
    """
    return bool(recorded == value) and _is_same_inside(recorded, value)


def _is_same_inside(one: Any, equal: Any) -> bool:
    if isinstance(one, int):
        return isinstance(one, bool) == isinstance(equal, bool)
    if isinstance(one, tuple):
        return all(map(_is_same_inside, one, equal))
    if isinstance(one, frozenset):
        return all(map(_is_same_inside, sorted(one, key=sort_key), sorted(equal, key=sort_key)))
    if isinstance(one, Map):  # which is iterated in the order of its keys
        return all(map(_is_same_inside, one, equal)) and all(map(_is_same_inside, one.values(), equal.values()))
    if is_object(one):
        return _is_same_inside(parts_of(one), parts_of(equal))
    return True


def show(value: Any) -> str:
    """A value as people read it, in one line: sets and maps sorted, records with their field names.

    Examples
    --------
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
        return f"{type(value).__name__}({', '.join(f'{name}={show(part)}' for name, part in fields)})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ")"
    if isinstance(value, frozenset):
        return "{" + ", ".join(show(v) for v in sorted(value, key=sort_key)) + "}"
    if isinstance(value, Map):
        return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in value.items()) + "}"
    return hex(value) if isinstance(value, int) and value.bit_length() > _LONG else str(value)


def counted(number: int, one: str, more: str | None = None) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "state"), counted(2_000, "state"), counted(2, "property", "properties")
    ('1 state', '2,000 states', '2 properties')
    """
    return f"{number:,} {one if number == 1 else more or one + 's'}"
