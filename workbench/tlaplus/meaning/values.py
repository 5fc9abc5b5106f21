"""The values of TLA+ and TLC's order of them.

Each kind of value has its own class, so that Python never confuses values of different kinds: TRUE is not 1, and "a" is
not a model value. A sequence is a function over 1..n, and a record a function over strings.

TLC keeps the members of a set in order, and compares them to find that order. So a set of 1 and TRUE is an error as
soon as it is built. Sets that are not enumerated, such as Nat, are in ``sets.py``.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key
from typing import Any, TypeGuard

from workbench.tlaplus.syntax.tree import Place


class EvaluationFailure(ValueError):
    """An expression that TLC could not evaluate either.

    Attributes:
        at: The innermost expression that could not be evaluated; None until :mod:`expressions` sets it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.at: Place | None = None

    def __str__(self) -> str:
        return f"{self.at}: {self.message}" if self.at else self.message


class Words:
    """The order of strings and model values: first those that TLC has met, in that order, then alphabetically."""

    def __init__(self, spellings: Iterable[str] = ()) -> None:
        self._places = {spelling: place for place, spelling in enumerate(dict.fromkeys(spellings))}

    def place(self, spelling: str) -> tuple[int, str]:
        return self._places.get(spelling, len(self._places)), spelling


@dataclass(frozen=True)
class Boolean:
    value: bool

    def __str__(self) -> str:
        return "TRUE" if self.value else "FALSE"


@dataclass(frozen=True)
class Number:
    value: int

    def __str__(self) -> str:
        return str(self.value)


_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"})


@dataclass(frozen=True)
class String:
    spelling: str
    words: Words = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f'"{self.spelling.translate(_ESCAPES)}"'


@dataclass(frozen=True)
class ModelValue:
    spelling: str
    words: Words = field(compare=False, repr=False)

    @property
    def type(self) -> str:
        """The type of a model value: ``A`` for ``A_1``; "" for an untyped one, which compares with any value."""
        return self.spelling[0] if len(self.spelling) > 2 and self.spelling[1] == "_" else ""

    def __str__(self) -> str:
        return self.spelling


@dataclass(frozen=True)
class Set:
    """A finite set; :func:`set_of` makes one.

    Attributes:
        members: In TLC's order, each once.
    """

    members: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{{{', '.join(map(str, self.members))}}}"


@dataclass(frozen=True)
class Function:
    """A function with a finite domain; :func:`function_of` makes one.

    Attributes:
        pairs: The arguments in TLC's order, each with its result.
    """

    pairs: tuple[tuple[Any, Any], ...]

    @property
    def arguments(self) -> tuple[Any, ...]:
        return tuple(argument for argument, _ in self.pairs)

    @property
    def results(self) -> tuple[Any, ...]:
        return tuple(result for _, result in self.pairs)

    def __str__(self) -> str:
        if is_sequence(self):
            return f"<<{', '.join(map(str, self.results))}>>"
        if is_record(self):
            return f"[{', '.join(f'{argument.spelling} |-> {result}' for argument, result in self.pairs)}]"
        return f"({' @@ '.join(f'{argument} :> {result}' for argument, result in self.pairs)})"


def is_sequence(value: Any) -> TypeGuard[Function]:
    """Whether a value is a function over 1..n. The empty function counts."""
    return isinstance(value, Function) and all(
        isinstance(argument, Number) and argument.value == place for place, (argument, _) in enumerate(value.pairs, 1)
    )


def is_record(value: Any) -> TypeGuard[Function]:
    """Whether a value is a function over strings. The empty function does not count."""
    return (
        isinstance(value, Function)
        and bool(value.pairs)
        and all(isinstance(argument, String) for argument in value.arguments)
    )


def brief(value: Any) -> str:
    """A value as text for a message, shortened if it is long."""
    line = str(value)
    return line if len(line) <= 100 else f"{line[:97]}..."


# Order and equality --------------------------------------------------------------------------------------------------


def compare(one: Any, other: Any) -> int:
    """Negative, 0 or positive, as `one` comes before, equals, or comes after `other`.

    Model values come first. Sets are ordered by size and then by their members; functions by the size of their
    domains, then the domains, then the results. The first difference decides.

    Raises:
        EvaluationFailure: If TLC would first have to compare values of two kinds.
    """
    if isinstance(one, ModelValue) or isinstance(other, ModelValue):
        return _compare_names(one, other)
    if type(one) is not type(other):
        raise incomparable(one, other)
    if isinstance(one, (Number, Boolean)):
        return int(one.value) - int(other.value)
    if isinstance(one, String):
        return _sign(one.words.place(one.spelling), one.words.place(other.spelling))
    if isinstance(one, Set):
        return len(one.members) - len(other.members) or _first(map(compare, one.members, other.members))
    if isinstance(one, Function):
        return (
            len(one.pairs) - len(other.pairs)
            or _first(map(compare, one.arguments, other.arguments))
            or _first(map(compare, one.results, other.results))
        )
    if one is other:
        return 0
    raise EvaluationFailure(f"{brief(one)} and {brief(other)} cannot be compared, since they cannot be listed")


def _compare_names(one: Any, other: Any) -> int:
    if isinstance(one, ModelValue) and isinstance(other, ModelValue):
        if one.type and other.type and one.type != other.type:
            raise incomparable(one, other)
        return _sign(one.words.place(one.spelling), one.words.place(other.spelling))
    name, is_left = (one, True) if isinstance(one, ModelValue) else (other, False)
    if name.type:
        raise incomparable(one, other)
    return -1 if is_left else 1


def _sign(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


def _first(differences: Iterable[int]) -> int:
    return next((difference for difference in differences if difference), 0)


def same(one: Any, other: Any) -> bool:
    """``one = other`` for enumerated values.

    Raises:
        EvaluationFailure: If TLC cannot compare them.
    """
    if isinstance(one, Function) and isinstance(other, Function):
        if is_record(one) and other.pairs and not is_record(other):
            raise incomparable(one, other)  # TLC takes both for records if the left one is, whatever their sizes
        return (
            len(one.pairs) == len(other.pairs)
            and all(map(same, one.arguments, other.arguments))
            and all(map(same, one.results, other.results))
        )
    if isinstance(one, Set) and isinstance(other, Set):
        return len(one.members) == len(other.members) and all(map(same, one.members, other.members))
    return compare(one, other) == 0


_KINDS = {Boolean: "a Boolean", Number: "an integer", String: "a string", Set: "a set", Function: "a function"}


def incomparable(one: Any, other: Any) -> EvaluationFailure:
    """The error for comparing values that TLC cannot compare."""
    kinds = " and ".join(_KINDS.get(type(value), "a model value") for value in (one, other))
    return EvaluationFailure(f"{kinds} cannot be compared: {brief(one)} and {brief(other)}")


# Sets and functions --------------------------------------------------------------------------------------------------


def set_of(members: Iterable[Any]) -> Set:
    """The set of some enumerated values.

    Raises:
        EvaluationFailure: If TLC cannot compare them.
    """
    ordered = sorted(members, key=cmp_to_key(compare))
    return Set(tuple(m for number, m in enumerate(ordered) if not number or compare(ordered[number - 1], m)))


def place_in(ordered: Sequence[Any], value: Any) -> int | None:
    """The index of a value in a sorted sequence, by TLC's binary search; None if it is absent.

    Raises:
        EvaluationFailure: If TLC cannot compare it with a value on the path of the search.
    """
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        difference = compare(value, ordered[middle])
        if difference == 0:
            return middle
        low, high = (low, middle) if difference < 0 else (middle + 1, high)
    return None


def function_of(pairs: Iterable[tuple[Any, Any]]) -> Function:
    """The function with these pairs. If an argument occurs twice, its first pair counts.

    Raises:
        EvaluationFailure: If TLC cannot compare the arguments.
    """

    def difference(one: tuple[Any, Any], other: tuple[Any, Any]) -> int:
        return compare(one[0], other[0])

    ordered = sorted(pairs, key=cmp_to_key(difference))
    kept = (p for number, p in enumerate(ordered) if not number or difference(ordered[number - 1], p))
    return Function(tuple(kept))


def sequence_of(items: Iterable[Any]) -> Function:
    """The sequence of some values."""
    return Function(tuple((Number(number), item) for number, item in enumerate(items, 1)))


def truth(value: Any) -> bool:
    """A TLA+ Boolean as a ``bool``.

    Raises:
        EvaluationFailure: For any other value.
    """
    if isinstance(value, Boolean):
        return value.value
    raise EvaluationFailure(f"{brief(value)} is not a Boolean")


def number(value: Any) -> int:
    """A TLA+ number as an ``int``.

    Raises:
        EvaluationFailure: For any other value.
    """
    if isinstance(value, Number):
        return value.value
    raise EvaluationFailure(f"{brief(value)} is not an integer")


def renamed(value: Any, renaming: Mapping[str, str]) -> Any:
    """The image of a value under a permutation of the spellings of model values."""
    if isinstance(value, ModelValue):
        return ModelValue(renaming.get(value.spelling, value.spelling), value.words)
    if isinstance(value, Set):
        return set_of(renamed(member, renaming) for member in value.members)
    if isinstance(value, Function):
        return function_of((renamed(key, renaming), renamed(result, renaming)) for key, result in value.pairs)
    return value


def nests_deeper(value: Any, most: int) -> bool:
    """Whether a value nests to more than `most` levels."""
    level = [value]
    while level and most >= 0:
        most -= 1
        level = [part for outer in level for part in _parts(outer)]
    return bool(level)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, Set):
        return value.members
    return itertools.chain(*value.pairs) if isinstance(value, Function) else ()
