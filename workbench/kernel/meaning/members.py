"""Declared sets as a model's code sees them: each question reads only the members that it concerns."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError, brief, did_you_mean, listed
from workbench.kernel.meaning.values import Map, is_same, record_items, show, sort_key

_NO_METHODS = frozenset({"add", "discard", "remove", "update", "pop", "clear"})


#: Some members of a universe: their numbers, in order; a dict finds them as fast as a set.
Selection = dict[int, None]


def _selection(numbers: Iterable[int]) -> Selection:
    return dict.fromkeys(sorted(numbers))


class Universe:
    """The possible members of a declared set, numbered in canonical order and indexed by their fields.

    Args:
        variable: The name of the set.
        name: The constant, attribute or method of the model that gives the members.
    """

    def __init__(self, variable: str, name: str, members: Iterable[Any]) -> None:
        self.variable, self.name = variable, name
        self.members = tuple(sorted(members, key=sort_key))
        self.everything = _selection(range(len(self.members)))
        self._numbers = {member: number for number, member in enumerate(self.members)}
        self._fields: dict[str, dict[Any, set[int]]] = {}
        for number, member in enumerate(self.members):
            for field, value in _fields_of(member):
                self._fields.setdefault(field, {}).setdefault(value, set()).add(number)
        self._chosen: dict[Hashable, Selection] = {}

    def __len__(self) -> int:
        return len(self.members)

    def find(self, member: Any) -> int | None:
        """The number of `member`; None if it is not in the universe."""
        return self._numbers.get(member)

    def numbers(self, members: Iterable[Any]) -> set[int]:
        """The numbers of `members`.

        Raises:
            ModelError: If one is not in the universe.
        """
        indices = set()
        for member in members:
            number = self._numbers.get(member)
            if number is None or not is_same(member, self.members[number]):
                hint = "" if number is None else f"; {brief(self.members[number])} is, an equal value of another kind"
                raise ModelError(f"{self.variable} cannot hold {brief(member)}, which is not in {self.name}{hint}")
            indices.add(number)
        return indices

    def subset(self, members: Iterable[Any]) -> frozenset[Any]:
        """`members`, each as the universe's own equal object."""
        return frozenset(self.members[number] for number in self.numbers(members))

    def having(self, fields: Mapping[str, Any]) -> Selection:
        """The members whose fields have the given values."""
        if not fields:
            return self.everything
        key = frozenset(fields.items())
        chosen = self._chosen.get(key)
        if chosen is None:
            sets = [self._index(field).get(value) for field, value in fields.items()]
            if None in sets:
                return {}  # not memoized: infinitely many values belong to no member
            chosen = self._chosen[key] = _selection(set.intersection(*filter(None, sets)))
        return chosen

    def _index(self, field: str) -> dict[Any, set[int]]:
        if field not in self._fields:
            hint, names = did_you_mean(field, self._fields), listed(sorted(self._fields))
            raise ModelError(f"no member of {self.variable} has a field {brief(field)}{hint}; known: {names}")
        return self._fields[field]


def _fields_of(member: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(member, Map):
        return [(key, value) for key, value in member.items() if isinstance(key, str)]
    return record_items(member)


class Queries:
    """The queries of a declared set, besides the operations of every set."""

    __slots__ = ()

    def where(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> "Members":
        """The members that have these values in their fields and pass the `test`.

        Fields are those of NamedTuples and dataclasses, or the keys of Maps that are texts. The candidates are found in
        the universe, without reading the set; each is read when it is asked for.
        """
        raise NotImplementedError

    def any(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> bool:
        """Whether there is such a member; reading stops at the first one."""
        return bool(self.where(test, **fields))

    def count(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> int:
        """The number of such members."""
        return len(self.where(test, **fields))


class Before(NamedTuple):
    """The content of a set before the current action, asked for member by member.

    Attributes:
        source: Holds the set, from position `first` on.
        has: Whether the member with a number is there.
    """

    source: Any
    first: int
    has: Callable[[int], bool]

    def is_of(self, other: "Before") -> bool:
        """Whether both are the same set at the same time."""
        return self.source is other.source and self.first == other.first


def content_of(universe: Universe, content: frozenset[Any]) -> "Members":
    """A set that is held as one frozenset, as a model's code sees it."""
    return Members(universe, Before(content, 0, lambda number: universe.members[number] in content))


def _with_sets(method: Callable[[Any, Any], Any]) -> Any:
    """An operator between sets; for anything else, Python tries the other operand's method."""
    return lambda self, other: method(self, other) if isinstance(other, AbstractSet) else NotImplemented


class Members(Queries, AbstractSet[Any]):
    """The content of a set at the time it was looked at, read member by member.

    It compares and combines like a frozenset and iterates in canonical order. ``|`` and ``-`` read nothing, so that
    ``s.messages |= {m}`` writes one member.

    Args:
        chosen: The candidates; all for None.
        known: Whether members are there, where that is known whatever was before.
    """

    __slots__ = ("before", "chosen", "known", "universe")

    def __init__(
        self,
        universe: Universe,
        before: Before,
        chosen: Selection | None = None,
        known: Mapping[int, bool] = MappingProxyType({}),
    ) -> None:
        self.universe, self.before, self.known = universe, before, known
        self.chosen = universe.everything if chosen is None else chosen

    def has(self, number: int) -> bool:
        """Whether the member with this number is in the set."""
        if number in self.known:
            return self.known[number]
        return number in self.chosen and self.before.has(number)

    def _possible(self) -> Iterable[int]:
        more = [number for number, there in self.known.items() if there and number not in self.chosen]
        return sorted([*self.chosen, *more]) if more else self.chosen

    @property
    def value(self) -> frozenset[Any]:
        """The set as a value that a state may hold; this reads every candidate."""
        return frozenset(self)

    def __contains__(self, member: object) -> bool:
        number = self.universe.find(member)
        return number is not None and self.has(number)

    def __iter__(self) -> Iterator[Any]:
        return (self.universe.members[number] for number in self._possible() if self.has(number))

    def __len__(self) -> int:
        return sum(map(self.has, self._possible()))

    def __bool__(self) -> bool:
        return any(map(self.has, self._possible()))

    def where(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> "Members":
        chosen, members = self.universe.having(fields), self.universe.members
        if self.chosen is not self.universe.everything:
            chosen = _selection(chosen.keys() & self._possible())
        if test is not None:
            chosen = {number: None for number in chosen if test(members[number])}
        known = {number: there for number, there in self.known.items() if number in chosen}
        return Members(self.universe, self.before, chosen, known)

    def changes_to(self, value: Any) -> dict[int, bool]:
        """The members that the assignment of `value` to this set adds (True) or removes (False).

        If `value` was made from the set itself, only the difference; otherwise the whole universe.

        Raises:
            ModelError: If `value` is not a set, or holds something outside the universe.
        """
        universe = self.universe
        if not isinstance(value, AbstractSet):
            raise ModelError(f"{universe.variable} is a set, but {brief(value)} is not")
        if not (isinstance(value, Members) and value.before.is_of(self.before)):
            there = universe.numbers(value)
            return {number: number in there for number in range(len(universe))}
        touched = {**self.known, **value.known}
        if value.chosen is not universe.everything:
            touched.update(dict.fromkeys(universe.everything.keys() - value.chosen.keys(), False))
        return {number: value.has(number) for number in touched}

    # Combining ---------------------------------------------------------------------------------------------------

    @classmethod
    def _from_iterable(cls, members: Iterable[Any]) -> frozenset[Any]:
        return frozenset(members)

    def _shared(self, other: Iterable[Any]) -> Iterator[Any]:
        """The members of both, read in canonical order: equal frozensets may iterate differently."""
        numbers = sorted(n for n in map(self.universe.find, other) if n is not None)
        return (self.universe.members[number] for number in numbers if self.has(number))

    def _but(self, numbers: Iterable[int], there: bool) -> "Members":
        return Members(self.universe, self.before, self.chosen, {**self.known, **dict.fromkeys(numbers, there)})

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether all members are in `other`; only candidates that are not in `other` are read."""
        those = other if isinstance(other, AbstractSet) else frozenset(other)
        return not any(self.universe.members[number] not in those and self.has(number) for number in self._possible())

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Whether everything in `other` is a member."""
        numbers = set(map(self.universe.find, other))
        return None not in numbers and all(map(self.has, sorted(n for n in numbers if n is not None)))

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        """Whether nothing in `other` is a member."""
        return not any(True for _ in self._shared(other))

    def union(self, *others: Iterable[Any]) -> "Members":
        """The set with the members of `others` added."""
        return self._but(self.universe.numbers(member for other in others for member in other), True)

    def difference(self, *others: Iterable[Any]) -> "Members":
        """The set without the members of `others`."""
        numbers = (self.universe.find(member) for other in others for member in other)
        return self._but({number for number in numbers if number is not None}, False)

    def intersection(self, *others: Iterable[Any]) -> frozenset[Any]:
        """The members that are in all of `others` too."""
        both = frozenset.intersection(*map(frozenset, others)) if others else self
        return frozenset(self._shared(both))

    __or__ = _with_sets(union)
    __ror__ = _with_sets(lambda self, other: frozenset(other) | self.value)
    __sub__ = _with_sets(difference)
    __rsub__ = _with_sets(lambda self, other: frozenset(other).difference(self._shared(other)))
    __and__ = __rand__ = _with_sets(intersection)
    __le__ = _with_sets(issubset)
    __ge__ = _with_sets(issuperset)
    __lt__ = _with_sets(lambda self, other: self <= other and not self >= other)
    __gt__ = _with_sets(lambda self, other: self >= other and not self <= other)
    __eq__ = _with_sets(lambda self, other: self <= other and self >= other)

    def __hash__(self) -> int:
        raise ModelError(self.no_value)

    def __getattr__(self, name: str) -> Any:
        if name in _NO_METHODS:
            variable = self.universe.variable
            raise ModelError(f"{variable} has no {name}(): write s.{variable} |= {{...}}, or -= {{...}}")
        raise AttributeError(f"a set with a declared universe has no attribute {name!r}")

    @property
    def no_value(self) -> str:
        """The error message where it is used as a value."""
        variable = self.universe.variable
        return f"{variable} is read member by member, and is not a value: write frozenset(s.{variable})"

    def __repr__(self) -> str:
        return show(self.value)


class Held(Queries, frozenset[Any]):
    """A declared set in a :class:`State`: a frozenset that also answers queries."""

    __slots__ = ("_universe",)
    _universe: Universe

    @classmethod
    def of(cls, universe: Universe, content: frozenset[Any]) -> "Held":
        """`content`, a set of members of `universe`."""
        held = cls(content)
        held._universe = universe
        return held

    def where(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> Members:
        return content_of(self._universe, self).where(test, **fields)

    @property
    def value(self) -> frozenset[Any]:
        """The set itself."""
        return frozenset(self)
