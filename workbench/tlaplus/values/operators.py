"""The operators of TLA+ itself, on concrete and lazy values: sets, functions, records, EXCEPT and CHOOSE.

Compiled expressions call them, so they look for the commonest kinds of operands first.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from workbench.kernel.meaning.values import Map, Name, identity
from workbench.tlaplus.values.equality import check_together, same, set_of
from workbench.tlaplus.values.lazy import (
    Lazy,
    Update,
    applied,
    each,
    force,
    has,
    is_endless,
    joined,
    listed,
    replaced,
    set_from,
    truth,
)
from workbench.tlaplus.values.sets import Difference, Filtered, Intersection, Interval, Union
from workbench.tlaplus.values.values import (
    ATOMS,
    CONCRETE,
    EvaluationError,
    brief,
    domain_of,
    function_of,
    interner,
    ordered,
    ordered_pairs,
)

# Sets ----------------------------------------------------------------------------------------------------------------


def enumerated(members: Iterable[Any]) -> frozenset[Any]:
    """``{a, b, ...}``."""
    return set_of([force(member) for member in members])


def mapped(function: Callable[[Any], Any], members: Any) -> frozenset[Any]:
    r"""``{function(x) : x \in members}``."""
    return set_of([force(function(member)) for member in each(members)])


def filtered(members: Any, test: Callable[[Any], Any]) -> Any:
    r"""``{x \in members : test(x)}``; lazy where the set cannot be listed."""
    if type(members) is frozenset:
        return interner().set_of(frozenset([member for member in ordered(members) if truth(test(member))]))
    if type(members) in CONCRETE:
        raise EvaluationError(f"{brief(members)} is not a set")
    return Filtered(members, test)


def _is_short(members: Any) -> bool:
    """Whether a set is listed as soon as it is an operand, as TLC's own sets and intervals are."""
    return type(members) in CONCRETE or type(members) is Interval


def cup(one: Any, other: Any) -> Any:
    r"""``one \cup other``."""
    if type(one) is frozenset and type(other) is frozenset:
        check_together(one, other)
        return interner().set_of(one | other)
    for base, new in ((one, other), (other, one)):
        if type(base) not in CONCRETE and base.tracks and not is_endless(new):
            return base.changed(set_from(new), True)
    if _is_short(one) and _is_short(other):
        return cup(set_from(one), set_from(other))
    return Union(one, other)


def cap(one: Any, other: Any) -> Any:
    r"""``one \cap other``."""
    if type(one) is frozenset and type(other) is frozenset:
        check_together(one, other)
        return interner().set_of(one & other)
    if _is_short(one):
        return frozenset([member for member in set_from(one) if has(other, member)])
    if type(other) is frozenset or type(other) is Interval:
        members = set_from(other)
        if not members and not one.endless:
            each(one)  # an error if it is not a set, which no member would reveal
        return frozenset([member for member in members if has(one, member)])
    return Intersection(one, other)


def minus(one: Any, other: Any) -> Any:
    r"""``one \ other``."""
    if type(one) is frozenset and type(other) is frozenset:
        check_together(one, other)
        return interner().set_of(one - other)
    if type(one) not in CONCRETE and one.tracks:
        if type(other) is frozenset or (type(other) not in CONCRETE and not other.endless):
            return one.changed(set_from(other), False)
        return Difference(one, other)
    if _is_short(one):
        return frozenset([member for member in set_from(one) if not has(other, member)])
    return Difference(one, other)


def subseteq(one: Any, other: Any) -> bool:
    r"""``one \subseteq other``."""
    if type(one) is frozenset:
        if type(other) is frozenset and one <= other:
            check_together(one, other)
            return True
        return all(has(other, member) for member in ordered(one))
    if type(one) in CONCRETE:
        raise EvaluationError(f"{brief(one)} is not a set, but is to be a subset of {brief(other)}")
    return bool(one.within(other))


def union(sets: Any) -> Any:
    """``UNION sets``; lazy if one of them cannot be listed."""
    parts: list[Any] = list(each(sets))
    endless = [part for part in parts if type(part) not in CONCRETE]
    whole: Any = set_of([member for part in parts if type(part) in CONCRETE for member in set_from(part)])
    for part in endless:
        whole = Union(whole, part)
    return whole


def choose(members: Any, test: Callable[[Any], Any]) -> Any:
    r"""``CHOOSE x \in members : test(x)``: the first in TLC's order."""
    for member in each(members):
        if truth(test(member)):
            return member
    raise EvaluationError(f"no member of {brief(members)} satisfies the predicate of CHOOSE")


# Functions -----------------------------------------------------------------------------------------------------------


def function(domain: Any, body: Callable[[Any], Any]) -> Any:
    r"""``[x \in domain |-> body(x)]``; lazy over a domain that cannot be listed."""
    if is_endless(domain):
        return LazyFunction(domain, body)
    values = dict[Any, Any]()
    for argument in each(domain):
        value = None
        try:
            value = body(argument)
            values[argument] = force(value)
        except EvaluationError as error:
            return PartialFunction(domain, body, {identity(argument): value}, error)
    return function_of(values)


def settled(value: Any) -> Any:
    """A value that a variable gets: TLC evaluates all of a function there."""
    return value.force() if type(value) is PartialFunction else value


def recursive(domain: Any, body: Callable[[Any, Any], Any]) -> Any:
    r"""``f[x \in domain] == body(f, x)``: each value is evaluated where it is needed first."""
    defined = LazyFunction(domain, lambda argument: body(defined, argument))
    return defined


class LazyFunction(Lazy):
    """A function that is evaluated where it is applied, once for each argument."""

    __slots__ = ("_body", "_domain", "_values")

    def __init__(self, domain: Any, body: Callable[[Any], Any]) -> None:
        self._domain, self._body = domain, body
        self._values: dict[Any, Any] = {}

    @property
    def endless(self) -> bool:  # type: ignore[override]
        return is_endless(self._domain)

    def at(self, argument: Any) -> Any:
        argument = listed(argument)
        kind = type(argument)
        key = argument if kind is int or kind is str or kind is Name else identity(argument)
        if key not in self._values:
            if not has(self._domain, argument):
                raise EvaluationError(f"{brief(argument)} is not in the domain of a function, {brief(self._domain)}")
            self._values[key] = self._body(argument)
        return self._values[key]

    def domain(self) -> Any:
        return self._domain

    def updated(self, updates: Sequence[Update]) -> Any:
        if not self.endless:
            return replaced(self.force(), updates)
        changed: Any = self
        for path, new in updates:
            changed = LazyFunction(self._domain, _updating(changed, force(path[0]), path[1:], new))
        return changed

    def force(self) -> Any:
        if self.endless:
            return self
        return function_of({argument: force(self.at(argument)) for argument in each(self._domain)})

    def __str__(self) -> str:
        return f"[x \\in {brief(self._domain)} |-> ...]" if self.endless else brief(self.force())


class PartialFunction(LazyFunction):
    """A function without a value for some argument. As in TLC that is an error unless it is applied to another one.

    Args:
        first: The first such argument, with None; or with its value, if that is such a function itself.
    """

    __slots__ = ("_error",)

    def __init__(
        self, domain: Any, body: Callable[[Any], Any], first: Mapping[Any, Any], error: EvaluationError
    ) -> None:
        super().__init__(domain, body)
        self._values, self._error = dict(first), error

    def at(self, argument: Any) -> Any:
        key = identity(listed(argument))
        if key in self._values and self._values[key] is None:
            raise self._error
        return super().at(argument)

    def domain(self) -> NoReturn:
        raise self._error

    def force(self) -> NoReturn:
        raise self._error

    __str__ = Lazy.__str__


def _updating(old: Any, place: Any, path: Sequence[Any], new: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The values of ``[old EXCEPT ![place]path = new]``."""

    def value(argument: Any) -> Any:
        if not same(argument, place):
            return old.at(argument)
        return except_(old.at(argument), [(path, new)]) if path else new(old.at(argument))

    return value


def tupled(*parts: Any) -> tuple[Any, ...]:
    """``<<a, b, ...>>``."""
    value = tuple(map(force, parts))
    kinds = set(map(type, value))
    if kinds <= ATOMS or Map in kinds:  # made faster than found; or of variables, to be compared and forgotten
        return value
    return interner().tuple_of(value)


def record(fields: Mapping[str, Any]) -> Map:
    """``[name |-> value, ...]``; the names have their quotes."""
    return Map({name: force(value) for name, value in fields.items()})


def apply(function: Any, argument: Any) -> Any:
    """``function[argument]``; the argument is a tuple for several."""
    kind = type(function)
    if kind is tuple:
        if type(argument) is int and 0 < argument <= len(function):
            return function[argument - 1]
    elif kind is Map:
        if (type(argument) is str or type(argument) is Name) and argument in function._data:
            return function._data[argument]
    elif kind not in ATOMS and kind is not frozenset:
        return function.at(argument)
    return applied(function, force(argument))


def field(value: Any, name: str) -> Any:
    """``value.name``; the name is given with quotes, as the key of the record."""
    kind = type(value)
    if kind is Map and name in value._data:
        return value._data[name]
    return applied(value, name) if kind in CONCRETE else settled(value).at(name)


def domain(function: Any) -> Any:
    """``DOMAIN function``."""
    kind = type(function)
    if kind is tuple:
        return Interval(1, len(function))
    if kind in CONCRETE:
        return domain_of(function)
    return function.domain()


def except_(function: Any, updates: Sequence[Update]) -> Any:
    """``[function EXCEPT ...]``; an update is a path and a function from the value there, @, to the new one."""
    if type(function) in CONCRETE:
        return replaced(function, updates)
    return function.updated(updates)


def items(function: Any) -> list[tuple[Any, Any]]:
    """The arguments of a function with their values, in TLC's order of the arguments."""
    return ordered_pairs(listed(function))


def merge(one: Any, other: Any) -> Any:
    """``one @@ other``: the left side wins."""
    pairs = items(other)
    if type(one) in CONCRETE:
        return joined(one, pairs)
    return one.added(pairs)


def pair(argument: Any, value: Any) -> Any:
    """``argument :> value``."""
    return function_of({force(argument): force(value)})
