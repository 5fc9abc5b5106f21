"""What the values of a symmetry domain can do.

Nominal values are only equal or not, and those of a ring have distances modulo its size: the kernel exchanges them.
Ordinal ones are compared by their order alone, and intervals have distances too. Since no operation can read more than
that, a state numbers the ordered values in use anew: ordinal ones by their rank, others by the distance from the least.
Between two states a step may give them any numbers.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from workbench.fizzbee.meaning.values import Domain, ModelValue, Segment, Value, Wrong

Number: TypeAlias = int | Fraction


class Exhausted(Exception):
    """A domain does not allow so many values, or values so far from each other, so the step does not exist."""


def renumbering(domain: Domain, used: set[Number]) -> dict[Number, int]:
    """The number that each value of an ordered domain has in a state.

    Raises:
        Exhausted: If the domain does not allow these values together.
    """
    numbers = sorted(used)
    _check_span(domain, numbers)
    if domain.kind == "ordinal":
        return {number: rank for rank, number in enumerate(numbers)}
    return {number: int(number - numbers[0]) for number in numbers}


def arithmetic(operator: str, left: Value, right: Value) -> Value:
    """A value so far after or before another, or a distance; None if the operator does not go with them."""
    if operator == "+" and type(left) is int:
        left, right = right, left
    domain = left.domain if isinstance(left, ModelValue) else None
    if domain is None or domain.kind not in ("interval", "rotational"):
        return None
    if operator in ("+", "-") and type(right) is int:
        return _value(domain, _around(domain, left.number + right if operator == "+" else left.number - right))
    if operator == "-" and isinstance(right, ModelValue) and right.domain is domain:
        return _around(domain, left.number - right.number)
    return None


def _around(domain: Domain, number: Number) -> Number:
    """A number, or on a ring its remainder."""
    return number % domain.limit if domain.kind == "rotational" else number


def _check_span(domain: Domain, numbers: list[Number]) -> None:
    is_far = domain.kind == "interval" and numbers and numbers[-1] - numbers[0] > domain.divergence
    if len(numbers) > domain.limit or is_far:
        raise Exhausted


def _value(domain: Domain, number: Number) -> ModelValue:
    return ModelValue(domain.name, number, True, None if domain.is_nominal else domain)


def _numbered(domain: Domain, numbers: Iterable[Number]) -> list[ModelValue]:
    return [_value(domain, number) for number in sorted(numbers)]


def _values(domain: Domain, used: set[Number]) -> list[ModelValue]:
    return _numbered(domain, range(domain.limit) if domain.materialized else used)


def _unused(domain: Domain, used: set[Number]) -> ModelValue:
    if domain.materialized:
        raise Wrong(f"{domain.name} is materialized, so that no value is fresh")
    if len(used) >= domain.limit:
        raise Exhausted
    return _value(domain, min(set(range(domain.limit)) - used))


def _choices(domain: Domain, used: set[Number]) -> list[ModelValue]:
    if domain.materialized or len(used) >= domain.limit:
        return _values(domain, used)
    return _numbered(domain, used | {_unused(domain, used).number})


def _choose(domain: Domain, used: set[Number]) -> ModelValue:
    values = _values(domain, used)
    return values[0] if values else _unused(domain, used)


def _next(domain: Domain, used: set[Number]) -> ModelValue:
    number = max(used) + 1 if used else 0
    _check_span(domain, sorted(used | {number}))
    return _value(domain, number)


def _extreme(extreme: Callable[[set[Number]], Number]) -> Callable[[Domain, set[Number]], ModelValue]:
    return lambda domain, used: _value(domain, extreme(used)) if used else _next(domain, used)


def _segments(domain: Domain, used: set[Number], after: Value = None, before: Value = None) -> list[Segment]:
    for bound in (after, before):
        if bound is not None and not (isinstance(bound, ModelValue) and bound.domain is domain):
            raise Wrong(f"segments lie after and before values of {domain.name}")
    bounds = [None, *_numbered(domain, used), None]
    return [
        Segment(domain, left, right)
        for left, right in pairwise(bounds)
        if (after is None or (left is not None and left.number >= after.number))
        and (before is None or (right is not None and right.number <= before.number))
    ]


def between(segment: Segment, used: set[Number]) -> ModelValue:
    """The fresh value of a segment.

    Raises:
        Exhausted: If the domain has no value left.
        Wrong: If the segment has given its fresh value already.
    """
    number: Number = 0
    match segment.after, segment.before:
        case ModelValue(number=least), ModelValue(number=greatest):
            number = Fraction(least + greatest) / 2
        case ModelValue(number=least), None:
            number = least + 1
        case None, ModelValue(number=greatest):
            number = greatest - 1
    if number in used:
        raise Wrong("a segment has one fresh value")
    _check_span(segment.domain, sorted(used | {number}))
    return _value(segment.domain, number)


_ORDERED: dict[str, Callable[..., Value]] = {
    "values": _values, "fresh": _next, "min": _extreme(min), "max": _extreme(max),
}  # fmt: skip
_UNORDERED: dict[str, Callable[..., Value]] = {
    "values": _values, "fresh": _unused, "choices": _choices, "choose": _choose,
}  # fmt: skip
#: The methods of each kind of domain, which take the numbers of its values in use. They may raise Exhausted.
METHODS: dict[str, dict[str, Callable[..., Value]]] = {
    "nominal": _UNORDERED,
    "rotational": _UNORDERED,
    "ordinal": {**_ORDERED, "segments": _segments},
    "interval": _ORDERED,
}
