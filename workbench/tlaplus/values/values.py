"""The values of TLA+ as values that the kernel's states hold: how they are represented, ordered and compared.

==========================================  ==========================================================
TLA+                                        Python
==========================================  ==========================================================
TRUE, 3                                     ``bool``, ``int``
"abc"                                       ``str`` with its quotes, ``'"abc"'``: see :func:`text`
a model value                               ``Name``
a function over 1..n, <<>> among them       ``tuple``
any other function                          ``Map``; a record's keys are strings, with their quotes
a finite set                                ``frozenset``
a set or function that nobody has listed    :class:`workbench.tlaplus.values.lazy.Lazy`
==========================================  ==========================================================

The quotes keep a string apart from the model value of the same spelling, and escapes are those of the string's
meaning: a string with a quote in it is ``'"a"b"'``.

TLC refuses to compare values of two kinds, such as 1 and TRUE, wherever a comparison reaches them; only a model value
is unequal to all else. Python takes True for 1, so nothing here trusts its ``==`` before the kinds are known.
"""

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Any

from workbench.kernel.meaning.values import Map, Name, Value
from workbench.tlaplus.syntax.literals import quoted
from workbench.tlaplus.values.interning import Interner
from workbench.tlaplus.values.signatures import type_of

#: Kinds without parts. Python handles a set correctly if all its members are of the same such kind.
ATOMS = frozenset({bool, int, str, Name})
#: Kinds that states hold; every other value is lazy.
CONCRETE = ATOMS | {tuple, Map, frozenset}

_KINDS = {bool: "a boolean", int: "an integer", str: "a string", Name: "a model value", frozenset: "a set"}


class EvaluationError(Exception):
    """An error of evaluation as TLC reports it, in one line."""


# Strings and model values --------------------------------------------------------------------------------------------


def text(spelling: str) -> str:
    """The TLA+ string with these characters.

    Examples:
        >>> text("abc")
        '"abc"'
    """
    return f'"{spelling}"'


def spelling(string: str) -> str:
    """The characters of a TLA+ string, without its quotes."""
    return string[1:-1]


# Order ---------------------------------------------------------------------------------------------------------------

_TRUTHS = {False: b"0", True: b"1"}
_MOST = 1 << 16


class _Typed(int):
    """The rank of typed model values, which TLC compares with untyped ones and with those of their type alone."""

    def __new__(cls, type_: str) -> "_Typed":
        typed = super().__new__(cls, 0)
        typed.type = type_
        return typed

    type: str

    def __eq__(self, other: object) -> bool:
        if other.type != self.type if isinstance(other, _Typed) else other is not _UNTYPED:
            raise TypeError("the types of two model values, or a typed one and another value")
        return True

    __hash__ = int.__hash__


_UNTYPED = 0


class _Endless:
    """The key of a set that cannot be listed, which TLC compares with model values and with itself alone."""

    __slots__ = ("members",)

    def __init__(self, members: Any) -> None:
        self.members = members

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Endless) and other.members is self.members:
            return True
        raise TypeError("a set that cannot be listed, and another value")

    __hash__ = None  # type: ignore[assignment]


class Order:
    """The order of strings and model values in one specification, with the caches that depend on it.

    TLC orders them by when it first met their spelling: first the strings and model values of the configuration; then
    the words in the modules, the main module before those that it extends; then the strings, those of the extended
    modules before the main module's. CHOOSE and SetToSeq follow this order.

    Args:
        spellings: The spellings in this order; all others come after them, alphabetically.

    Attributes:
        interner: The interned sets and tuples.
    """

    def __init__(self, spellings: Iterable[str] = ()) -> None:
        # The place of each spelling, as a text that sorts before all others: "!" comes before quotes and letters.
        places = {word: f"!{place:08d}" for place, word in enumerate(dict.fromkeys(spellings))}
        self._places = places | {text(word): place for word, place in places.items()}
        self.interner = Interner()
        # By the id of a value; the value is kept beside its entry so that no other value gets that id.
        self._keys: dict[int, tuple[Any, Any]] = {}
        self._member_keys: dict[int, tuple[frozenset[Any], list[Any]]] = {}
        self._ordered: dict[int, tuple[frozenset[Any], tuple[Any, ...]]] = {}
        self._domains: dict[int, tuple[Map, frozenset[Any]]] = {}
        # By the length of a tuple: the keys of its domain.
        self._numbers: list[tuple[Any, ...]] = [()]
        self._types: dict[str, _Typed] = {}
        # By the domain of a function: the domain in order with its keys; None for one with members other than words.
        self._words: dict[tuple[Any, ...], tuple[tuple[str, ...], tuple[Any, ...]] | None] = {}

    def key(self, value: Any) -> Any:
        """See :func:`order_key`."""
        kind = type(value)
        if kind is int:
            return 1, value
        if kind is Name:
            return self._rank_of(value), self._places.get(value, value)
        if kind is str:
            return 1, self._places.get(value, value)
        if kind is bool:
            return 1, _TRUTHS[value]
        entry = self._keys.get(id(value))
        if entry is not None:
            return entry[1]
        key: Any
        if kind is tuple:
            key = 1, (len(value), self._numbers_to(len(value)), tuple(map(self.key, value)))
        elif kind is frozenset:
            key = 1, [len(value), *self.member_keys(value)]
        elif kind is Map:
            key = 1, self._key_of_map(value)
        else:
            key = 1, _Endless(value)
        _keep(self._keys, value, key)
        return key

    def _rank_of(self, name: Name) -> int:
        if name[1:2] != "_" or not (type_ := type_of(name)):
            return _UNTYPED
        return self._types.setdefault(type_, _Typed(type_))

    def _numbers_to(self, size: int) -> tuple[Any, ...]:
        """The keys of 1..size."""
        numbers = self._numbers
        if len(numbers) <= size:
            numbers = [*numbers]  # another thread may be adding to them, too
            while len(numbers) <= size:
                numbers.append((*numbers[-1], (1, len(numbers))))
            self._numbers = numbers
        return numbers[size]

    def domain_of(self, function: Map) -> frozenset[Any]:
        """``DOMAIN function``, the same set each time."""
        entry = self._domains.get(id(function))
        if entry is None:
            domain = frozenset(function._data)
            _keep(self._domains, function, domain)
            return domain
        return entry[1]

    def _key_of_map(self, value: Map) -> tuple[Any, ...]:
        data, words = value._data, self.words_of(value)
        if words is not None:
            return len(data), words[1], tuple([self.key(data[word]) for word in words[0]])
        domain = self.ordered(frozenset(data))
        return len(data), tuple(map(self.key, domain)), tuple([self.key(data[key]) for key in domain])

    def words_of(self, value: Map) -> tuple[tuple[str, ...], tuple[Any, ...]] | None:
        """See :func:`words_of`."""
        domain = tuple(value._data)
        try:
            return self._words[domain]
        except KeyError:
            pass
        entry = None
        if all(type(word) is str or type(word) is Name for word in domain):
            words = tuple(sorted(domain, key=self.key))
            entry = words, tuple(map(self.key, words))
        if len(self._words) >= _MOST:
            self._words.clear()
        self._words[domain] = entry
        return entry

    def member_keys(self, members: frozenset[Any]) -> list[Any]:
        """See :func:`member_keys`."""
        entry = self._member_keys.get(id(members))
        if entry is None:
            keys = [key for key, _ in sorted_pairs([(self.key(member), member) for member in members])]
            _keep(self._member_keys, members, keys)
            return keys
        return entry[1]

    def ordered(self, members: frozenset[Any]) -> tuple[Any, ...]:
        """See :func:`ordered`."""
        entry = self._ordered.get(id(members))
        if entry is not None:
            return entry[1]
        kinds = set(map(type, members))
        if kinds == {int}:
            sequence = tuple(sorted(members))
        elif kinds == {Name} or kinds == {str}:
            sequence = tuple(sorted(members, key=lambda word: self._places.get(word, word)))
        elif kinds == {tuple} and set(map(type, itertools.chain.from_iterable(members))) <= {int}:
            sequence = tuple(sorted(sorted(members), key=len))
        elif kinds == {frozenset}:
            sequence = tuple(itertools.chain.from_iterable(map(self._in_order, _by_size(members))))
        else:
            sequence = tuple(self._in_order(members))
        _keep(self._ordered, members, sequence)
        return sequence

    def _in_order(self, values: Collection[Any]) -> Iterable[Any]:
        """Some values in order, by their keys."""
        if len(values) < 2:
            return values
        return [value for _, value in sorted_pairs([(self.key(value), value) for value in values])]


def _by_size(sets: Iterable[frozenset[Any]]) -> Iterator[list[frozenset[Any]]]:
    """Sort sets by size, smallest first; only sets of equal size need order keys."""
    alike: dict[int, list[frozenset[Any]]] = {}
    for members in sets:
        alike.setdefault(len(members), []).append(members)
    return (alike[size] for size in sorted(alike))


def _keep(memo: dict[int, Any], value: Any, answer: Any) -> None:
    if len(memo) >= _MOST:
        memo.clear()
    memo[id(value)] = value, answer


#: Notes by the instruction of a module's code that they are about.
Noticed = dict[tuple[CodeType, int], str]


class Evaluation:
    """Evaluations in one thread, one after the other, of one specification.

    Attributes:
        order: The order of strings and model values.
        noticed: Collects the notes of :mod:`workbench.tlaplus.values.notes`; None if nobody asks for any.
        is_under_way: Whether an evaluation is running; nested ones count as parts of it.
        looks: How often it has reached a point where it may pause; see :mod:`workbench.tlaplus.values.cancellation`.
    """

    __slots__ = ("is_under_way", "looks", "noticed", "order")

    def __init__(self, order: Order, noticed: Noticed | None = None) -> None:
        self.order, self.noticed = order, noticed
        self.is_under_way, self.looks = False, 0


#: Strings and model values that no specification orders are in alphabetical order.
_ALPHABETICAL = Evaluation(Order())
#: The evaluation of this thread, or of the thread it works for. Two threads may evaluate different specifications.
_evaluation = ContextVar("evaluation", default=_ALPHABETICAL)
evaluation, go_on_with = _evaluation.get, _evaluation.set


@contextmanager
def in_order(order: Order) -> Iterator[None]:
    """Within the block, order strings and model values by `order`, even inside another specification's evaluation."""
    before = _evaluation.set(Evaluation(order))
    try:
        yield
    finally:
        _evaluation.reset(before)


def interner() -> Interner:
    """The interner of the specification that is being evaluated."""
    return evaluation().order.interner


def order_key(value: Any) -> Any:
    """A key by which Python orders values as TLC does.

    Two keys are equal if the values are. Comparing them with ``<`` raises :class:`TypeError` if TLC would meet two
    values of different kinds on the way; bytes stand for booleans to that end, and lists for sets.

    TLC orders sets and functions by size first, then by their members, or by domain and values. Model values come
    before everything else.
    """
    return evaluation().order.key(value)


def words_of(value: Map) -> tuple[tuple[str, ...], tuple[Any, ...]] | None:
    """The domain of a function in order, with its keys, if it consists of strings and model values."""
    return evaluation().order.words_of(value)


def member_keys(members: frozenset[Any]) -> list[Any]:
    """The order keys of the members of a set, in order."""
    return evaluation().order.member_keys(members)


def ordered(members: frozenset[Any]) -> tuple[Any, ...]:
    """The members of a set in TLC's order, in which CHOOSE and quantifiers take them."""
    return tuple(members) if len(members) < 2 else evaluation().order.ordered(members)


def sorted_pairs(pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Sort pairs of an order key and a value. It is an error if the values are of different kinds."""
    try:
        return sorted(pairs, key=_first)
    except TypeError:
        raise mixed(*[value for _, value in pairs]) from None


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


# Errors and kinds -----------------------------------------------------------------------------------------------------


def is_record(value: Map) -> bool:
    """Whether a function has a domain of strings."""
    return all(type(key) is str for key in value._data)


def mixed(*values: Any) -> EvaluationError:
    """The error for comparing values that TLC cannot compare: it names the first of each kind."""
    kinds = dict[str, Any]()
    for value in values:
        kinds.setdefault(_KINDS.get(type(value), "a function"), value)
    if len(kinds) < 2:
        return EvaluationError(f"values of different kinds are compared in {brief(values[0])} and {brief(values[-1])}")
    (one, first), (other, second), *_ = sorted(kinds.items())
    return EvaluationError(f"{one} and {other} cannot be compared: {brief(first)} and {brief(second)}")


# Text ----------------------------------------------------------------------------------------------------------------

_SHOWN: dict[type, Callable[[Any], str]] = {
    bool: lambda value: "TRUE" if value else "FALSE",
    int: str,
    Name: str,
    str: lambda value: _shown_text(value),
    tuple: lambda value: f"<<{', '.join(map(shown, value))}>>",
    frozenset: lambda value: f"{{{', '.join(map(shown, ordered(value)))}}}",
    Map: lambda value: _shown_map(value),
}


def shown(value: Any) -> str:
    """A value as TLC prints it.

    Examples:
        >>> shown(Map({'"a"': (1, True)}))
        '[a |-> <<1, TRUE>>]'
    """
    show = _SHOWN.get(type(value))
    return str(value) if show is None else show(value)


def _shown_text(value: str) -> str:
    """A string as TLC prints it; text without quotes is not TLA+'s, but comes from Python in a watch."""
    return quoted(spelling(value)) if value.startswith('"') else value


def _shown_map(value: Map) -> str:
    domain = ordered(frozenset(value))
    if is_record(value):
        return f"[{', '.join(f'{spelling(key)} |-> {shown(value[key])}' for key in domain)}]"
    return f"({' @@ '.join(f'{shown(key)} :> {shown(value[key])}' for key in domain)})"


def brief(value: Any) -> str:
    """A value as text for a message, in one line."""
    try:
        line = shown(value)
    except EvaluationError:  # a set that should not exist: it has no order
        line = repr(value)
    return line if len(line) <= 100 else f"{line[:97]}..."


# Functions, as far as they are concrete ------------------------------------------------------------------------------


def function_of(data: dict[Any, Any]) -> Value:
    """The function that `data` lists: a tuple if its domain is 1..n."""
    size = len(data)
    if size == 0:
        return ()
    if 1 in data and size in data and type(next(iter(data))) is int:
        try:
            return tuple([data[number] for number in range(1, size + 1)])
        except KeyError:
            pass
    return Map(data)


def pairs_of(function: Any) -> Iterator[tuple[Any, Any]]:
    """The arguments of a concrete function with its values, unordered."""
    kind = type(function)
    if kind is tuple:
        return enumerate(function, 1)
    if kind is Map:
        return iter(function._data.items())
    raise EvaluationError(f"{brief(function)} is not a function")


def ordered_pairs(function: Any) -> list[tuple[Any, Any]]:
    """The arguments of a concrete function with its values, in TLC's order of the arguments."""
    if type(function) is tuple:
        return list(enumerate(function, 1))
    data = dict(pairs_of(function))
    return [(argument, data[argument]) for argument in ordered(frozenset(data))]


def domain_of(function: Any) -> frozenset[Any]:
    """``DOMAIN function`` of a concrete function."""
    if type(function) is not Map:
        return frozenset([argument for argument, _ in pairs_of(function)])
    return evaluation().order.domain_of(function)
