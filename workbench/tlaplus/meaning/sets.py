r"""Sets and functions that TLC does not enumerate eagerly: Nat, ``SUBSET S``, ``[S -> T]``, a function over Nat.

Each decides membership from its description and, unless it is infinite, can enumerate its members in TLC's order. The
functions here accept enumerated and described values alike.
"""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NoReturn

from workbench.tlaplus.meaning.values import (
    EvaluationFailure,
    Function,
    ModelValue,
    Number,
    Set,
    String,
    brief,
    compare,
    function_of,
    incomparable,
    is_record,
    is_sequence,
    place_in,
    same,
    sequence_of,
    set_of,
)


class Described(ABC):
    """A set that is described, not enumerated.

    Attributes:
        parts: The sets that it is built from.
    """

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    @property
    def is_infinite(self) -> bool:
        return any(map(is_infinite, self.parts))

    @abstractmethod
    def has(self, value: Any) -> bool: ...

    def members(self) -> Iterator[Any]:
        """Its members in TLC's order; it is not infinite."""
        raise NotImplementedError

    def foreign(self, value: Any) -> bool:
        """Answer for a value of another kind: False for an untyped model value, which any set may be asked for."""
        if isinstance(value, ModelValue) and not value.type:
            return False
        raise EvaluationFailure(f"{brief(value)} is of another kind than the members of {self}")


def is_infinite(value: Any) -> bool:
    return isinstance(value, (Described, LazyFunction)) and value.is_infinite


def listed(value: Any) -> Any:
    """The value with its members or results listed; an infinite set or function stays as it is."""
    if isinstance(value, LazyFunction):
        return value if value.is_infinite else value.listed()
    if isinstance(value, Described) and not value.is_infinite:
        return set_of(map(listed, value.members()))
    return value


def members_of(value: Any) -> Iterable[Any]:
    """The members of a set in TLC's order.

    Raises:
        EvaluationFailure: If it is infinite, or no set.
    """
    if isinstance(value, Set):
        return value.members
    if not isinstance(value, Described):
        raise EvaluationFailure(f"{brief(value)} is not a set")
    if value.is_infinite:
        raise EvaluationFailure(f"{value} is infinite, so that it cannot be enumerated")
    return map(listed, value.members())


def has(members: Any, value: Any) -> bool:
    r"""``value \in members``."""
    if isinstance(members, Set):
        return place_in(members.members, listed(value)) is not None
    if isinstance(members, Described):
        return members.has(listed(value))
    raise EvaluationFailure(f"{brief(members)} is not a set, so that {brief(value)} cannot be a member")


def equal(one: Any, other: Any) -> bool:
    """``one = other``."""
    if isinstance(one, Described) and type(one) is type(other) and have_equal_parts(one, other):
        return True
    if not is_infinite(one) and not is_infinite(other):
        return same(listed(one), listed(other))
    if (one is STRING) is not (other is STRING) and isinstance(one, Infinite) and isinstance(other, Infinite):
        raise incomparable(one, other)
    if type(one) is type(other) or isinstance(one, ModelValue) or isinstance(other, ModelValue):
        return False
    raise incomparable(one, other)


def have_equal_parts(one: Described, other: Described) -> bool:
    if isinstance(one, (Infinite, Filtered, Interval)):
        return one is other
    if isinstance(one, Records) and one.names != getattr(other, "names", None):
        return False
    return len(one.parts) == len(other.parts) and all(map(equal, one.parts, other.parts))


def within(one: Any, other: Any) -> bool:
    r"""``one \subseteq other``."""
    if isinstance(one, Subsets) and isinstance(other, Subsets):
        return within(one.parts[0], other.parts[0])
    return all(has(other, member) for member in members_of(one))


# Sets ----------------------------------------------------------------------------------------------------------------


class Infinite(Described):
    """Nat, Int, STRING, or TLC's Any."""

    is_infinite = True

    def __init__(self, name: str, kind: type | None, is_member: Callable[[Any], bool] = lambda value: True) -> None:
        super().__init__()
        self.name, self.kind, self.is_member = name, kind, is_member

    def has(self, value: Any) -> bool:
        if self.kind is not None and not isinstance(value, self.kind):
            return self.foreign(value)
        return self.is_member(value)

    def __str__(self) -> str:
        return self.name


NAT = Infinite("Nat", Number, lambda value: value.value >= 0)
INT = Infinite("Int", Number)
STRING = Infinite("STRING", String)
ANY = Infinite("Any", None)


class Interval(Described):
    """``low..high``."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__()
        self.low, self.high = low, max(high, low - 1)

    def has(self, value: Any) -> bool:
        if isinstance(value, Number):
            return self.low <= value.value <= self.high
        return self.low <= self.high and self.foreign(value)

    def members(self) -> Iterator[Any]:
        return map(Number, range(self.low, self.high + 1))

    def __str__(self) -> str:
        return f"{self.low}..{self.high}" if self.low <= self.high else "{}"


class Subsets(Described):
    """``SUBSET S``."""

    def has(self, value: Any) -> bool:
        if not isinstance(value, (Set, Described)):
            raise EvaluationFailure(f"{brief(value)} is not a set, but asked whether it is a member of {self}")
        return all(has(self.parts[0], member) for member in members_of(value))

    def members(self) -> Iterator[Any]:
        members = tuple(members_of(self.parts[0]))
        for size in range(len(members) + 1):
            yield from map(Set, itertools.combinations(members, size))

    def __str__(self) -> str:
        return f"SUBSET {brief(self.parts[0])}"


class Functions(Described):
    """``[S -> T]``."""

    def has(self, value: Any) -> bool:
        if not isinstance(value, (Function, LazyFunction)):
            return self.foreign(value)
        if not equal(domain_of(value), self.parts[0]):
            return False
        return all(has(self.parts[1], apply(value, argument)) for argument in members_of(self.parts[0]))

    def members(self) -> Iterator[Any]:
        arguments = tuple(members_of(self.parts[0]))
        for results in itertools.product(tuple(members_of(self.parts[1])), repeat=len(arguments)):
            yield Function(tuple(zip(arguments, results, strict=True)))

    def __str__(self) -> str:
        return f"[{brief(self.parts[0])} -> {brief(self.parts[1])}]"


class Records(Described):
    """``[name : S, ...]``; its parts are in TLC's order of the names."""

    def __init__(self, fields: Iterable[tuple[String, Any]]) -> None:
        pairs = function_of(fields).pairs
        self.names = tuple(name for name, _ in pairs)
        super().__init__(*[part for _, part in pairs])

    def has(self, value: Any) -> bool:
        if not is_record(value):
            return not self.names if value == Function(()) else self.foreign(value)
        return value.arguments == self.names and all(map(has, self.parts, value.results))

    def members(self) -> Iterator[Any]:
        for results in itertools.product(*[tuple(members_of(part)) for part in self.parts]):
            yield Function(tuple(zip(self.names, results, strict=True)))

    def __str__(self) -> str:
        fields = (f"{name.spelling}: {brief(part)}" for name, part in zip(self.names, self.parts, strict=True))
        return f"[{', '.join(fields)}]"


class Product(Described):
    r"""``S \X T``."""

    def has(self, value: Any) -> bool:
        if not isinstance(value, Function) or not all(isinstance(argument, Number) for argument in value.arguments):
            return self.foreign(value)
        return is_sequence(value) and len(value.pairs) == len(self.parts) and all(map(has, self.parts, value.results))

    def members(self) -> Iterator[Any]:
        return map(sequence_of, itertools.product(*[tuple(members_of(part)) for part in self.parts]))

    def __str__(self) -> str:
        return " \\X ".join(map(brief, self.parts))


class Sequences(Described):
    """``Seq(S)``."""

    is_infinite = True

    def has(self, value: Any) -> bool:
        if not is_sequence(value):
            return self.foreign(value)
        return all(has(self.parts[0], item) for item in value.results)

    def __str__(self) -> str:
        return f"Seq({brief(self.parts[0])})"


class Filtered(Described):
    r"""``{x \in S : test(x)}`` where S is described."""

    def __init__(self, members: Any, test: Callable[[Any], bool]) -> None:
        super().__init__(members)
        self.test = test

    def has(self, value: Any) -> bool:
        return has(self.parts[0], value) and self.test(value)

    def members(self) -> Iterator[Any]:
        return filter(self.test, members_of(self.parts[0]))

    def __str__(self) -> str:
        return f"{{x \\in {brief(self.parts[0])} : ...}}"


class Union(Described):
    r"""``S \cup T`` where one of them is described."""

    def has(self, value: Any) -> bool:
        return any(has(part, value) for part in self.parts)

    def members(self) -> Iterator[Any]:
        return iter(set_of(member for part in self.parts for member in members_of(part)).members)

    def __str__(self) -> str:
        return " \\cup ".join(map(brief, self.parts))


class Difference(Described):
    r"""``S \ T`` where S is described."""

    @property
    def is_infinite(self) -> bool:
        return is_infinite(self.parts[0])

    def has(self, value: Any) -> bool:
        return has(self.parts[0], value) and not has(self.parts[1], value)

    def members(self) -> Iterator[Any]:
        return (member for member in members_of(self.parts[0]) if not has(self.parts[1], member))

    def __str__(self) -> str:
        return f"{brief(self.parts[0])} \\ {brief(self.parts[1])}"


def is_short(value: Any) -> bool:
    """Whether TLC enumerates a set when an operator combines it with another one."""
    return not isinstance(value, Described) or isinstance(value, Interval)


def cup(one: Any, other: Any) -> Any:
    r"""``one \cup other``."""
    if is_short(one) and is_short(other):
        return set_of([*members_of(one), *members_of(other)])
    return Union(one, other)


def cap(one: Any, other: Any) -> Any:
    r"""``one \cap other``."""
    if not is_short(one) and (is_short(other) or is_infinite(one)):
        one, other = other, one
    return filtered(one, lambda member: has(other, member))


def minus(one: Any, other: Any) -> Any:
    r"""``one \ other``."""
    return filtered(one, lambda member: not has(other, member)) if is_short(one) else Difference(one, other)


def filtered(members: Any, test: Callable[[Any], bool]) -> Any:
    r"""``{x \in members : test(x)}``."""
    return Set(tuple(filter(test, members_of(members)))) if is_short(members) else Filtered(members, test)


def union(sets: Any) -> Any:
    """``UNION sets``."""
    parts = list(members_of(sets))
    short = set_of(member for part in parts if is_short(part) for member in members_of(part))
    described = [part for part in parts if not is_short(part)]
    return Union(short, *described) if described else short


# Functions -----------------------------------------------------------------------------------------------------------


class LazyFunction:
    """A function over an infinite domain, or a recursive one. Each result is evaluated on demand."""

    def __init__(self, domain: Any, result: Callable[[Any], Any]) -> None:
        self.domain, self.result = domain, result
        self.results: list[tuple[Any, Any]] = []

    @property
    def is_infinite(self) -> bool:
        return is_infinite(self.domain)

    def at(self, argument: Any) -> Any:
        for key, result in self.results:
            if key == argument:
                return result
        if not has(self.domain, argument):
            raise EvaluationFailure(f"{brief(argument)} is not in the domain of a function, {brief(self.domain)}")
        self.results.append((argument, self.result(argument)))
        return self.results[-1][1]

    def listed(self) -> Function:
        return Function(tuple((argument, listed(self.at(argument))) for argument in members_of(self.domain)))

    def __str__(self) -> str:
        return f"[x \\in {brief(self.domain)} |-> ...]" if self.is_infinite else str(self.listed())


class PartialFunction(LazyFunction):
    """A function that has no value for some argument. TLC lets it be applied to others; any other use is an error.

    Args:
        first: The first such argument, with None, or with its value if that is itself such a function.
    """

    def __init__(
        self, domain: Any, result: Callable[[Any], Any], first: tuple[Any, Any], failure: EvaluationFailure
    ) -> None:
        super().__init__(domain, result)
        self.results, self.failure = [first], failure

    def at(self, argument: Any) -> Any:
        value = super().at(argument)
        return self.listed() if value is None else value

    def listed(self) -> NoReturn:
        raise self.failure


def function_over(domain: Any, result: Callable[[Any], Any]) -> Any:
    r"""``[x \in domain |-> result(x)]``."""
    if is_infinite(domain):
        return LazyFunction(domain, result)
    pairs = list[tuple[Any, Any]]()
    for argument in members_of(domain):
        value = None
        try:
            value = result(argument)
            pairs.append((argument, listed(value)))
        except EvaluationFailure as failure:
            return PartialFunction(domain, result, (argument, value), failure)
    return Function(tuple(pairs))


def apply(function: Any, argument: Any) -> Any:
    """``function[argument]``."""
    argument = listed(argument)
    if isinstance(function, LazyFunction):
        return function.at(argument)
    if not isinstance(function, Function):
        raise EvaluationFailure(f"{brief(function)} is not a function, but applied to {brief(argument)}")
    place = place_in(function.arguments, argument)
    if place is None:
        raise EvaluationFailure(f"{brief(argument)} is not in the domain of {brief(function)}")
    return function.pairs[place][1]


def domain_of(function: Any) -> Any:
    """``DOMAIN function``."""
    if isinstance(function, PartialFunction):
        raise function.failure
    if isinstance(function, LazyFunction):
        return function.domain
    if not isinstance(function, Function):
        raise EvaluationFailure(f"{brief(function)} is not a function, so that it has no domain")
    return Interval(1, len(function.pairs)) if is_sequence(function) else Set(function.arguments)


def updated(function: Any, path: Sequence[Any], new: Callable[[Any], Any]) -> Any:
    """``[function EXCEPT !path = new(@)]``. If the path leaves a domain, nothing changes."""
    if not path:
        return listed(new(function))
    argument, rest = path[0], path[1:]
    if isinstance(function, LazyFunction) and function.is_infinite:
        return LazyFunction(
            function.domain,
            lambda key: updated(function.at(key), rest, new) if compare(key, argument) == 0 else function.at(key),
        )
    function = listed(function)
    if not isinstance(function, Function):
        raise EvaluationFailure(f"EXCEPT is applied to {brief(function)}, which is not a function")
    if is_sequence(function) and not isinstance(argument, Number):
        raise EvaluationFailure(f"EXCEPT applies {brief(function)} to {brief(argument)}, which is not an integer")
    place = place_in(function.arguments, argument)
    if place is None:
        return function
    changed = argument, updated(function.pairs[place][1], rest, new)
    return Function((*function.pairs[:place], changed, *function.pairs[place + 1 :]))


def merge(one: Any, other: Any) -> Any:
    """``one @@ other``: the left side wins."""
    return function_of([*pairs_of(one), *pairs_of(other)])


def pairs_of(function: Any) -> tuple[tuple[Any, Any], ...]:
    """The arguments of a finite function in TLC's order, each with its result.

    Raises:
        EvaluationFailure: If it is infinite, or no function.
    """
    function = listed(function)
    if isinstance(function, Function):
        return function.pairs
    raise EvaluationFailure(f"{brief(function)} is not a finite function")
