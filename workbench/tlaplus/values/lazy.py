r"""Lazy values: large sets, lazy functions, and views of variables that are spread over cells.

All are :class:`Lazy`. The operators of ``operators.py`` handle concrete values first and pass all others to these
methods. The default of each method makes the value concrete and answers from that. A subclass overrides the methods
that it can answer better. A view overrides nearly all of them and reads a cell only if the answer needs it:

- ``x[i].f`` calls :meth:`Lazy.at`, ``v \in x`` calls :meth:`Lazy.has`, ``DOMAIN x`` :meth:`Lazy.domain`;
- ``x \cup {m}`` and ``x \ {m}`` call :meth:`Lazy.changed`, ``x @@ g`` and ``Append(x, v)`` :meth:`Lazy.added`, and
  ``[x EXCEPT ...]`` :meth:`Lazy.updated`. They may return overlays, lazy values that name what differs from the view,
  so that an assignment writes the cells that differ and no others;
- ``x = y`` calls :meth:`Lazy.same`, ``x \subseteq S`` :meth:`Lazy.within`, and ``x \in S``, for a listed S,
  :meth:`Lazy.inside`. An overlay is a value like any other there, never an object that no set knows.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from workbench.kernel.meaning.values import Map, Name
from workbench.tlaplus.values.cancellation import is_due, look_up
from workbench.tlaplus.values.equality import check_together, contains, same
from workbench.tlaplus.values.notes import notice
from workbench.tlaplus.values.values import (
    ATOMS,
    CONCRETE,
    EvaluationError,
    brief,
    domain_of,
    function_of,
    is_record,
    ordered,
    pairs_of,
    shown,
    spelling,
)

#: One update of EXCEPT: the arguments that lead to a place, and a function from the old value there, @, to the new one.
Update = tuple[Sequence[Any], Callable[[Any], Any]]


class Lazy(ABC):
    r"""A value that is listed when somebody asks for it.

    The arguments of its methods are concrete unless it says otherwise; results may be lazy.

    Attributes:
        tracks: Whether :meth:`changed` makes an overlay, which ``\cup`` and ``\`` then ask for.
        endless: Whether it cannot be listed, as Nat; then :meth:`force` returns it as it is.
    """

    __slots__ = ()
    tracks = False
    endless = False

    @abstractmethod
    def force(self) -> Any:
        """The concrete value; the object itself if it is endless."""

    def listed(self) -> Any:
        """The concrete value.

        Raises:
            EvaluationError: If it is endless.
        """
        value = self.force()
        if type(value) not in CONCRETE:
            raise EvaluationError(f"{value} is not enumerable")
        return value

    def __str__(self) -> str:
        return shown(self.listed())

    # Any value ----------------------------------------------------------------------------------------------------

    def same(self, other: Any) -> bool:
        """Whether it equals `other`, which may be lazy."""
        return same(self.listed(), listed(other))

    def same_on_right(self, function: Any) -> bool:
        """Whether a concrete function on the left side equals it: the side decides whether TLC can compare them."""
        return same(function, self.listed())

    def inside(self, members: frozenset[Any]) -> bool:
        """Whether it is a member of a listed set."""
        return contains(members, self.listed())

    def among(self, sets: Any) -> bool:
        """Whether it is a member of a set that is not listed."""
        return has(sets, self.force())

    # Sets ---------------------------------------------------------------------------------------------------------

    def has(self, value: Any) -> bool:
        """Whether `value` is a member."""
        return contains(set_from(self), value)

    def each(self) -> Iterable[Any]:
        """Its members, in TLC's order."""
        return ordered(set_from(self))

    def size(self) -> int:
        """The number of members."""
        return len(set_from(self))

    def within(self, other: Any) -> bool:
        """Whether all of its members are in `other`, which may be lazy."""
        return all(has(other, member) for member in self.each())

    def changed(self, members: frozenset[Any], there: bool) -> Any:
        """The set with these members added, or without them if they are not to be `there`."""
        mine = set_from(self)
        check_together(mine, members)
        return mine | members if there else mine - members

    # Functions ----------------------------------------------------------------------------------------------------

    def at(self, argument: Any) -> Any:
        """The value for an argument, which may be lazy."""
        return applied(self.listed(), force(argument))

    def domain(self) -> Any:
        """The set of its arguments."""
        return domain_of(self.listed())

    def added(self, pairs: Iterable[tuple[Any, Any]]) -> Any:
        """The function with these pairs added, except for those whose argument it already has."""
        return joined(self.listed(), pairs)

    def updated(self, updates: Sequence[Update]) -> Any:
        """The function with these updates of EXCEPT, one after the other."""
        return replaced(self.listed(), updates)


def force(value: Any) -> Any:
    """A value in the form that a state holds; an endless set stays as it is."""
    return value if type(value) in CONCRETE else value.force()


def listed(value: Any) -> Any:
    """A value in the form that a state holds.

    Raises:
        EvaluationError: If it is an endless set.
    """
    return value if type(value) in CONCRETE else value.listed()


def is_endless(value: Any) -> bool:
    """Whether a value cannot be listed."""
    return type(value) not in CONCRETE and bool(value.endless)


def set_from(value: Any) -> frozenset[Any]:
    """A set as a frozenset.

    Raises:
        EvaluationError: If it is not a set, or is infinite.
    """
    value = listed(value)
    if type(value) is not frozenset:
        raise EvaluationError(f"{brief(value)} is not a set")
    return value


def has(members: Any, value: Any) -> bool:
    """Whether a concrete value is in a set, which may be lazy."""
    if type(members) is frozenset:
        return contains(members, value)
    if type(members) in CONCRETE:
        raise EvaluationError(f"{brief(members)} is not a set, so that {brief(value)} cannot be a member")
    return bool(members.has(value))


def truth(value: Any) -> bool:
    """A boolean; everything else is an error where TLC needs one."""
    if value is True or value is False:
        return bool(value)
    value = force(value)
    if type(value) is bool:
        return value
    raise EvaluationError(f"{brief(value)} is not a boolean")


def equal(one: Any, other: Any) -> bool:
    """``one = other``."""
    kind = type(one)
    if kind is type(other):
        if kind is int or kind is str or kind is bool:
            return bool(one == other)
        if kind is Name and one[1:2] != "_":
            return bool(one == other)
    if kind not in CONCRETE:
        return bool(one.same(other))
    if type(other) not in CONCRETE:
        return bool(other.same_on_right(one) if kind is tuple or kind is Map else other.same(one))
    return same(one, other)


def isin(value: Any, members: Any) -> bool:
    r"""``value \in members``."""
    kind = type(value)
    if kind in CONCRETE:
        if type(members) is frozenset:
            return contains(members, value)
        return has(members, value)
    if type(members) is frozenset and not value.endless:
        return bool(value.inside(members))
    return bool(value.among(members))


def each(members: Any) -> Iterable[Any]:
    """The members of a set in TLC's order."""
    if is_due():
        look_up()
    if type(members) is frozenset:
        return ordered(members)
    if type(members) in CONCRETE:
        raise EvaluationError(f"{brief(members)} is not a set, so that it has no members to enumerate")
    elements: Iterable[Any] = members.each()
    return elements


# Concrete functions --------------------------------------------------------------------------------------------------


def applied(function: Any, argument: Any) -> Any:
    """``function[argument]``, both concrete."""
    kind = type(function)
    if kind is tuple:
        if type(argument) is not int:
            raise EvaluationError(f"{brief(function)} is applied to {brief(argument)}, which is not an integer")
        if 0 < argument <= len(function):
            return function[argument - 1]
    elif kind is Map:
        if is_argument(function, argument):
            return function._data[argument]
        if type(argument) is str and is_record(function):
            raise EvaluationError(f"there is no field {spelling(argument)} in the record {brief(function)}")
    else:
        raise EvaluationError(f"{brief(function)} is not a function, but applied to {brief(argument)}")
    raise EvaluationError(f"{brief(argument)} is not in the domain of {brief(function)}{alike(function, argument)}")


def alike(function: Any, argument: Any) -> str:
    """That a function has a model value that is spelled like a string, as the end of a sentence."""
    if type(argument) is str and type(function) is Map and Name(spelling(argument)) in function:
        return f": {brief(argument)} is a string, and {spelling(argument)} a model value"
    return ""


def is_argument(function: Map, argument: Any) -> bool:
    """Whether a concrete value is in the domain of a function that is not a sequence."""
    data, kind = function._data, type(argument)
    if kind is tuple:
        if argument in data and all(type(part) is Name or type(part) is str for part in argument):
            return True
    elif kind in ATOMS and kind is type(next(iter(data))):
        return argument in data
    return contains(domain_of(function), argument)


def joined(function: Any, pairs: Iterable[tuple[Any, Any]]) -> Any:
    """``function @@ g`` of a concrete function and the pairs of g: the left side wins."""
    mine, new = dict(pairs_of(function)), dict(pairs)
    check_together(frozenset(mine), frozenset(new))
    return function_of({**new, **mine})


def replaced(function: Any, updates: Sequence[Update]) -> Any:
    """``[function EXCEPT ...]`` of a concrete function: each update sees those before it.

    A path that leads out of a domain changes nothing, which is noted.
    """
    for path, new in updates:
        function = _replaced(function, path, 0, new)
    return function


def _replaced(old: Any, path: Sequence[Any], depth: int, new: Callable[[Any], Any]) -> Any:
    if depth == len(path):
        return force(new(old))
    argument, kind = force(path[depth]), type(old)
    if kind is tuple:
        if type(argument) is not int:
            raise EvaluationError(f"EXCEPT applies {brief(old)} to {brief(argument)}, which is not an integer")
        if not 0 < argument <= len(old):
            return _unchanged(old, argument)
        return (*old[: argument - 1], _replaced(old[argument - 1], path, depth + 1, new), *old[argument:])
    if kind is Map:
        data = old._data
        if not is_argument(old, argument):
            return _unchanged(old, argument)
        return Map({**data, argument: _replaced(data[argument], path, depth + 1, new)})
    if kind not in CONCRETE:
        return force(old.updated([(path[depth:], new)]))
    raise EvaluationError(f"EXCEPT is applied to {brief(old)}, which is not a function")


def _unchanged(old: Any, argument: Any) -> Any:
    notice(_outside, old, argument)
    return old


def _outside(old: Any, argument: Any) -> str:
    return f"EXCEPT changes nothing: {brief(argument)} is not in the domain of {brief(old)}{alike(old, argument)}"
