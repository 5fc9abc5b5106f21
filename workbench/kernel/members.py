"""Sets with a declared universe, as a model's code sees them: each question reads only the members that it asks for."""

import difflib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any

from workbench.kernel.errors import ModelError, brief, listed
from workbench.kernel.values import Map, record_items, show, sort_key

_NO_METHODS = frozenset({"add", "discard", "remove", "update", "pop", "clear"})


class Selection:
    """Some members of a universe, by number.

    Attributes:
        ordered: tuple of int
    """

    __slots__ = ("numbers", "ordered")

    def __init__(self, numbers: Iterable[int]) -> None:
        self.numbers = frozenset(numbers)
        self.ordered = tuple(sorted(self.numbers))


class Universe:
    """What a set may hold, numbered in canonical order, with an index by the members' fields.

    Args:
        variable: Whose values are made of it.
        name: The constant, attribute or method of the model that gives the members.
    """

    def __init__(self, variable: str, name: str, members: Iterable[Any]) -> None:
        self.variable, self.name = variable, name
        self.members = tuple(sorted(members, key=sort_key))
        self.everything = Selection(range(len(self.members)))
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
        found = set()
        for member in members:
            number = self._numbers.get(member)
            if number is None:
                raise ModelError(f"{self.variable} cannot hold {brief(member)}, which is not in {self.name}")
            found.add(number)
        return found

    def subset(self, members: Iterable[Any]) -> frozenset[Any]:
        """`members` as the universe has them."""
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
                return _NOTHING  # which is not kept: there is no end of values that no member has
            chosen = self._chosen[key] = Selection(set.intersection(*filter(None, sets)))
        return chosen

    def _index(self, field: str) -> dict[Any, set[int]]:
        if field not in self._fields:
            near = difflib.get_close_matches(field, self._fields, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            known = listed(sorted(self._fields))
            raise ModelError(f"no member of {self.variable} has a field {brief(field)}{hint}; known: {known}")
        return self._fields[field]


_NOTHING = Selection(())


def _fields_of(member: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(member, Map):
        return [(key, value) for key, value in member.items() if isinstance(key, str)]
    return record_items(member)


class Queries:
    """What a set with a declared universe can be asked for, beside what every set can."""

    __slots__ = ()

    def where(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> "Members":
        """Those members of the set that have these values in their fields, and pass the `test`, if there is one.

        Fields are those of records, NamedTuples and dataclasses, or keys of Maps that are texts. Which of the universe
        come into question is decided without looking at the set; the rest is read when it is asked for.
        """
        raise NotImplementedError

    def any(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> bool:
        """Whether there is such a member; the set is read only up to the first one."""
        return bool(self.where(test, **fields))

    def count(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> int:
        """How many such members there are."""
        return len(self.where(test, **fields))


class Content:
    """What was in a set before the current action, asked for member by member.

    Args:
        source: What holds it.
        first: Where in the source it begins.
    """

    __slots__ = ("first", "source")

    def __init__(self, source: Any, first: int) -> None:
        self.source, self.first = source, first

    def is_of(self, other: "Content") -> bool:
        """Whether both are the same set at the same time."""
        return self.source is other.source and self.first == other.first

    def __call__(self, number: int) -> bool:
        raise NotImplementedError


class AsWhole(Content):
    """The same of a set that is there as a frozenset."""

    __slots__ = ("_members",)

    def __init__(self, source: frozenset[Any], members: Sequence[Any]) -> None:
        super().__init__(source, 0)
        self._members = members

    def __call__(self, number: int) -> bool:
        return self._members[number] in self.source


class Members(Queries, AbstractSet[Any]):
    """The content of a set as it was when the model's code looked at it, read member by member.

    It compares and combines like a frozenset, and is iterated in canonical order. What is made of it by ``|`` and
    ``-`` reads nothing either, so that ``s.messages |= {m}`` writes one member.

    Args:
        chosen: The members that come into question; all for None.
        known: Members of which it is known whether they are there, whatever was before.
    """

    __slots__ = ("before", "chosen", "known", "universe")

    def __init__(
        self,
        universe: Universe,
        before: Content,
        chosen: Selection | None = None,
        known: Mapping[int, bool] = MappingProxyType({}),
    ) -> None:
        self.universe, self.before, self.known = universe, before, known
        self.chosen = universe.everything if chosen is None else chosen

    def has(self, number: int) -> bool:
        """Whether the member with that number is in the set."""
        if number in self.known:
            return self.known[number]
        return number in self.chosen.numbers and self.before(number)

    def _possible(self) -> Iterable[int]:
        more = [number for number, there in self.known.items() if there and number not in self.chosen.numbers]
        return sorted([*self.chosen.ordered, *more]) if more else self.chosen.ordered

    @property
    def value(self) -> frozenset[Any]:
        """The set as a value, which a state may hold; all members that come into question are read."""
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
            chosen = Selection(chosen.numbers.intersection(self._possible()))
        if test is not None:
            chosen = Selection(number for number in chosen.ordered if test(members[number]))
        known = {number: there for number, there in self.known.items() if number in chosen.numbers}
        return Members(self.universe, self.before, chosen, known)

    def changes_to(self, value: Any) -> dict[int, bool]:
        """What the assignment of `value` does to the set, where this is the set as it is.

        Of what is made of the set itself, only the difference.

        Raises:
            ModelError: If `value` is no set, or holds what is not in the universe.
        """
        universe = self.universe
        if not isinstance(value, AbstractSet):
            raise ModelError(f"{universe.variable} is a set, but {brief(value)} is not")
        if not (isinstance(value, Members) and value.before.is_of(self.before)):
            there = universe.numbers(value)
            return {number: number in there for number in range(len(universe))}
        touched = {**self.known, **value.known}
        if value.chosen is not universe.everything:
            touched.update(dict.fromkeys(universe.everything.numbers - value.chosen.numbers, False))
        return {number: value.has(number) for number in touched}

    # Combining ---------------------------------------------------------------------------------------------------

    @classmethod
    def _from_iterable(cls, members: Iterable[Any]) -> frozenset[Any]:
        return frozenset(members)

    def _shared(self, other: Iterable[Any]) -> Iterator[Any]:
        """What is in both: members are read in canonical order, since that of equal frozensets may differ."""
        numbers = sorted(n for n in map(self.universe.find, other) if n is not None)
        return (self.universe.members[number] for number in numbers if self.has(number))

    def _but(self, members: Iterable[Any], there: bool) -> "Members":
        numbers = self.universe.numbers(members)
        return Members(self.universe, self.before, self.chosen, {**self.known, **dict.fromkeys(numbers, there)})

    def __or__(self, other: Any) -> Any:
        return self.union(other) if isinstance(other, AbstractSet) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return frozenset(other) | self.value if isinstance(other, AbstractSet) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.difference(other) if isinstance(other, AbstractSet) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return frozenset(other).difference(self._shared(other)) if isinstance(other, AbstractSet) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self.intersection(other) if isinstance(other, AbstractSet) else NotImplemented

    __rand__ = __and__

    def __le__(self, other: Any) -> bool:
        return self.issubset(other) if isinstance(other, AbstractSet) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return self.issuperset(other) if isinstance(other, AbstractSet) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return self <= other and not self >= other if isinstance(other, AbstractSet) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return self >= other and not self <= other if isinstance(other, AbstractSet) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return self <= other and self >= other if isinstance(other, AbstractSet) else NotImplemented

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether all members are in `other`; only what is not there is read."""
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
        """With the members of `others`."""
        return self._but((member for other in others for member in other), True)

    def difference(self, *others: Iterable[Any]) -> "Members":
        """Without the members of `others`."""
        members = (member for other in others for member in other)
        return self._but((member for member in members if self.universe.find(member) is not None), False)

    def intersection(self, *others: Iterable[Any]) -> frozenset[Any]:
        """What is also in all of `others`."""
        both = frozenset.intersection(*map(frozenset, others)) if others else self
        return frozenset(self._shared(both))

    def __hash__(self) -> int:
        raise ModelError(self.no_value)

    def __getattr__(self, name: str) -> Any:
        if name in _NO_METHODS:
            variable = self.universe.variable
            raise ModelError(f"{variable} has no {name}(): write s.{variable} |= {{...}}, or -= {{...}}")
        raise AttributeError(f"a set with a declared universe has no attribute {name!r}")

    @property
    def no_value(self) -> str:
        """What is said where it is taken for a value."""
        variable = self.universe.variable
        return f"{variable} is read member by member, and is not a value: write frozenset(s.{variable})"

    def __repr__(self) -> str:
        return show(self.value)


class Held(Queries, frozenset[Any]):
    """The content of a set in a state that is known as a whole."""

    __slots__ = ("_universe",)
    _universe: Universe

    @classmethod
    def of(cls, universe: Universe, content: frozenset[Any]) -> "Held":
        """`content`, a set of members of `universe`."""
        held = cls(content)
        held._universe = universe
        return held

    def where(self, test: Callable[[Any], object] | None = None, /, **fields: Any) -> Members:
        return Members(self._universe, AsWhole(self, self._universe.members)).where(test, **fields)

    @property
    def value(self) -> frozenset[Any]:
        """The set itself."""
        return frozenset(self)
