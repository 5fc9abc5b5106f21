r"""Sets that are described instead of listed: intervals, Nat, SUBSET S, [S -> T], records, products, combinations.

They answer ``\in`` by their description, and enumerate in TLC's order, which is that of the listed set.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from workbench.kernel.meaning.values import Map, Name
from workbench.tlaplus.values.cancellation import paced
from workbench.tlaplus.values.equality import set_of
from workbench.tlaplus.values.lazy import Lazy, each, equal, has, is_endless, listed, set_from, truth
from workbench.tlaplus.values.signatures import type_of
from workbench.tlaplus.values.values import (
    CONCRETE,
    EvaluationError,
    brief,
    domain_of,
    function_of,
    is_record,
    order_key,
    ordered,
    ordered_pairs,
    pairs_of,
    spelling,
)

#: Shorter intervals are enumerated without a pause.
_MANY = 1000


class Interval(Lazy):
    """``low..high``."""

    __slots__ = ("high", "low")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def force(self) -> frozenset[int]:
        return frozenset(self.each())

    def each(self) -> Iterable[int]:
        members = range(self.low, self.high + 1)
        return members if self.size() < _MANY else paced(members)

    def size(self) -> int:
        return max(0, self.high - self.low + 1)

    def has(self, value: Any) -> bool:
        if type(value) is int:
            return self.low <= value <= self.high
        if self.low > self.high:
            return False
        return _foreign(value, self)

    def same(self, other: Any) -> bool:
        if type(other) is Interval:
            return range(self.low, self.high + 1) == range(other.low, other.high + 1)
        return super().same(other)

    def __str__(self) -> str:
        return f"{self.low}..{self.high}" if self.low <= self.high else "{}"


def _foreign(value: Any, members: Lazy) -> bool:
    """False for a model value, which may be looked for in any set; an error for any other value."""
    if type(value) is Name and not type_of(value):
        return False
    raise EvaluationError(f"{brief(value)} is of another kind than the members of {members}")


class Infinite(Lazy):
    """Nat, Int or STRING, or what TLC takes for any set, ``Any``."""

    __slots__ = ("_kind", "_least", "_name")
    endless = True

    def __init__(self, name: str, kind: type | None, least: int | None = None) -> None:
        self._name, self._kind, self._least = name, kind, least

    def force(self) -> "Infinite":
        return self

    def has(self, value: Any) -> bool:
        if self._kind is None:
            return True
        fits = type(value) is self._kind
        if fits:
            return self._least is None or bool(value >= self._least)
        return _foreign(value, self)

    def same(self, other: Any) -> bool:
        if isinstance(other, Infinite):
            if STRING in (self, other) and self is not other:
                raise EvaluationError(f"{self} and {other} cannot be compared")
            return self is other
        if type(other) is Name and not type_of(other):
            return False
        raise EvaluationError(f"{self} and {brief(other)} cannot be compared")

    def __str__(self) -> str:
        return self._name


NAT = Infinite("Nat", int, 0)
INT = Infinite("Int", int)
STRING = Infinite("STRING", str)
ANY = Infinite("Any", None)
BOOLEAN = frozenset({False, True})


class Described(Lazy):
    """A set that is made of other sets, its parts."""

    __slots__ = ("parts",)

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    @property
    def endless(self) -> bool:  # type: ignore[override]
        return any(map(is_endless, self.parts))

    def force(self) -> Any:
        return self if self.endless else frozenset(self.each())

    def each(self) -> Iterable[Any]:
        if self.endless:
            raise EvaluationError(f"{self} is not enumerable")
        return paced(self._members())

    def _members(self) -> Iterator[Any]:
        """The members in order, if the set is finite."""
        raise NotImplementedError

    def size(self) -> int:
        if self.endless:
            raise EvaluationError(f"{self} is infinite, so that it has no cardinality")
        return sum(1 for _ in self.each())

    def same(self, other: Any) -> bool:
        if type(other) is type(self) and self.has_parts_of(other):
            return True
        if self.endless:
            if type(other) is type(self) or type(other) is Name:
                return False
            raise EvaluationError(f"{self} and {brief(other)} cannot be compared")
        return super().same(other)

    def has_parts_of(self, other: "Described") -> bool:
        """Whether another set of this class has equal parts; then the sets are equal."""
        return len(self.parts) == len(other.parts) and all(map(equal, self.parts, other.parts))


def cardinality(members: Any) -> int:
    """``Cardinality(members)``."""
    return len(set_from(members)) if type(members) in CONCRETE else members.size()


class Sequences(Described):
    """``Seq(S)``."""

    __slots__ = ()
    endless = True

    def has(self, value: Any) -> bool:
        if type(value) is not tuple:
            return _foreign(value, self)
        return all(has(self.parts[0], part) for part in value)

    def __str__(self) -> str:
        return f"Seq({brief(self.parts[0])})"


class Subsets(Described):
    """``SUBSET S``."""

    __slots__ = ()

    def has(self, value: Any) -> bool:
        if type(value) is not frozenset:
            raise EvaluationError(f"{brief(value)} is not a set, but asked whether it is a member of {self}")
        with suppress(EvaluationError):
            if all(has(self.parts[0], part) for part in value):
                return True
        # Of a member that is none and one that cannot be compared, TLC meets the first in its order.
        return all(has(self.parts[0], part) for part in ordered(value))

    def _members(self) -> Iterator[Any]:
        members = tuple(each(self.parts[0]))
        for size in range(len(members) + 1):
            yield from map(frozenset, itertools.combinations(members, size))

    def size(self) -> int:
        return int(2 ** cardinality(self.parts[0]))

    def within(self, other: Any) -> bool:
        if type(other) is Subsets:
            return all(has(other.parts[0], member) for member in each(self.parts[0]))
        return super().within(other)

    def __str__(self) -> str:
        return f"SUBSET {brief(self.parts[0])}"


class Functions(Described):
    """``[S -> T]``."""

    __slots__ = ()

    def fits(self, value: Any) -> bool:
        """Whether a value, which may be lazy, is a function over S."""
        if type(value) in CONCRETE:
            return equal(domain_of(value), self.parts[0]) if type(value) in (tuple, Map) else _foreign(value, self)
        return equal(value.domain(), self.parts[0])

    def results(self) -> Iterator[tuple[Any, Any]]:
        """The arguments in TLC's order, each with the set that has its results."""
        return ((argument, self.parts[1]) for argument in each(self.parts[0]))

    def has(self, value: Any) -> bool:
        if not self.fits(value):
            return False
        target = self.parts[1]
        with suppress(EvaluationError):
            if all(has(target, result) for _, result in pairs_of(value)):
                return True
        # Of a result that is none and one that cannot be compared, TLC meets the first in the order of the arguments.
        return all(has(target, result) for _, result in ordered_pairs(value))

    def _members(self) -> Iterator[Any]:
        domain = tuple(each(self.parts[0]))
        choices = itertools.product(*[tuple(each(self.parts[1]))] * len(domain))
        if set(map(type, domain)) == {int} and domain == (*range(1, len(domain) + 1),):
            yield from choices
            return
        for results in choices:
            yield function_of(dict(zip(domain, results, strict=True)))

    def size(self) -> int:
        return int(cardinality(self.parts[1]) ** cardinality(self.parts[0]))

    def __str__(self) -> str:
        return f"[{brief(self.parts[0])} -> {brief(self.parts[1])}]"


class Records(Described):
    """``[name : S, ...]``."""

    __slots__ = ("names",)

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.names = sorted(fields, key=order_key)
        super().__init__(*[fields[name] for name in self.names])

    def fits(self, value: Any) -> bool:
        """Whether a value, which may be lazy, is a record with these fields."""
        if type(value) not in CONCRETE:
            names = listed(value.domain())
            if names and all(type(name) is str for name in names):
                return bool(names == set(self.names))
            value = value.listed()
        if type(value) is not Map or not is_record(value):
            return not self.names if value == () else _foreign(value, self)
        return bool(value._data.keys() == set(self.names))

    def results(self) -> Iterator[tuple[str, Any]]:
        """The names in TLC's order, each with the set that has its values."""
        return zip(self.names, self.parts, strict=True)

    def has(self, value: Any) -> bool:
        return self.fits(value) and all(has(part, value._data[name]) for name, part in self.results())

    def has_parts_of(self, other: Described) -> bool:
        return isinstance(other, Records) and self.names == other.names and super().has_parts_of(other)

    def _members(self) -> Iterator[Any]:
        for values in itertools.product(*[tuple(each(part)) for part in self.parts]):
            yield function_of(dict(zip(self.names, values, strict=True)))

    def size(self) -> int:
        return math.prod(map(cardinality, self.parts))

    def __str__(self) -> str:
        fields = [f"{spelling(name)}: {brief(part)}" for name, part in zip(self.names, self.parts, strict=True)]
        return f"[{', '.join(fields)}]"


class Product(Described):
    r"""``S \X T``."""

    __slots__ = ()

    def has(self, value: Any) -> bool:
        if type(value) is Map:
            if any(type(key) is not int for key in value._data):
                return _foreign(value, self)
            return False
        if type(value) is not tuple:
            return _foreign(value, self)
        return len(value) == len(self.parts) and all(map(has, self.parts, value))

    def _members(self) -> Iterator[Any]:
        return itertools.product(*[tuple(each(part)) for part in self.parts])

    def size(self) -> int:
        return math.prod(map(cardinality, self.parts))

    def __str__(self) -> str:
        return " \\X ".join(map(brief, self.parts))


class Filtered(Described):
    r"""``{x \in S : test(x)}`` for a lazy S: the test runs only on the members that are needed."""

    __slots__ = ("_test",)

    def __init__(self, members: Any, test: Callable[[Any], Any]) -> None:
        super().__init__(members)
        self._test = test

    def of(self, members: Any) -> "Filtered":
        """The same filter over other members."""
        return Filtered(members, self._test)

    def has(self, value: Any) -> bool:
        return has(self.parts[0], value) and truth(self._test(value))

    def has_parts_of(self, other: Described) -> bool:
        return self is other

    def _members(self) -> Iterator[Any]:
        return (member for member in each(self.parts[0]) if truth(self._test(member)))

    def __str__(self) -> str:
        return f"{{x \\in {brief(self.parts[0])} : ...}}"


class Union(Described):
    r"""``S \cup T`` where S or T is a lazy set other than an interval."""

    __slots__ = ()

    def has(self, value: Any) -> bool:
        return any(has(part, value) for part in self.parts)

    def _members(self) -> Iterator[Any]:
        return iter(each(set_of([member for part in self.parts for member in each(part)])))

    def within(self, other: Any) -> bool:
        return all(has(other, member) for part in self.parts for member in each(part))

    def __str__(self) -> str:
        return " \\cup ".join(map(brief, self.parts))


class Intersection(Described):
    r"""``S \cap T`` where both are lazy sets other than intervals."""

    __slots__ = ()

    @property
    def endless(self) -> bool:  # type: ignore[override]
        return all(map(is_endless, self.parts))

    def has(self, value: Any) -> bool:
        return all(has(part, value) for part in self.parts)

    def _members(self) -> Iterator[Any]:
        one, other = self.parts
        if is_endless(one):
            one, other = other, one
        return (member for member in each(one) if has(other, member))

    def __str__(self) -> str:
        return " \\cap ".join(map(brief, self.parts))


class Difference(Described):
    r"""``S \ T`` where S is a lazy set other than an interval."""

    __slots__ = ()

    @property
    def endless(self) -> bool:  # type: ignore[override]
        return is_endless(self.parts[0])

    def has(self, value: Any) -> bool:
        return has(self.parts[0], value) and not has(self.parts[1], value)

    def _members(self) -> Iterator[Any]:
        return (member for member in each(self.parts[0]) if not has(self.parts[1], member))

    def __str__(self) -> str:
        return f"{brief(self.parts[0])} \\ {brief(self.parts[1])}"
