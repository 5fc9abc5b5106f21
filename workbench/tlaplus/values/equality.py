"""Equality of concrete values, and membership in listed sets, with TLC's errors for values of different kinds."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Any

from workbench.kernel.meaning.values import Map, Name
from workbench.tlaplus.values.signatures import type_of
from workbench.tlaplus.values.values import (
    ATOMS,
    interner,
    is_record,
    member_keys,
    mixed,
    order_key,
    ordered,
    sorted_pairs,
    words_of,
)

# Equality ------------------------------------------------------------------------------------------------------------


def same(one: Any, other: Any) -> bool:
    """Whether two concrete values are equal.

    Raises:
        EvaluationError: If TLC would compare values of different kinds to decide it.
    """
    kind = type(one)
    if kind is type(other):
        if kind is int or kind is str or kind is bool:
            return bool(one == other)
        if kind is Name:
            return one == other or _differ(one, other)
        if one is other:
            return True
        if kind is tuple:
            if len(one) != len(other):
                return False
            for part, another in zip(one, other, strict=True):
                if part is not another and not same(part, another):
                    return False
            return True
        if kind is Map and (words := words_of(one)) is not None and one._data.keys() == other._data.keys():
            return all(same(one._data[word], other._data[word]) for word in words[0])
        if kind is frozenset and len(one) != len(other):
            return False
        signatures = interner().signatures
        if signatures.join(signatures.of(one), signatures.of(other)):
            return bool(one == other)
    elif kind is Name or type(other) is Name:
        return _differ(one, other)
    elif kind is Map and is_record(one) and other and not (type(other) is Map and is_record(other)):
        raise mixed(one, other)  # TLC takes a record for one, whatever the sizes, if it stands on the left
    return _same_keys(one, other)


def _differ(one: Any, other: Any) -> bool:
    """False, for a model value and another value, if TLC lets them meet: types of model values must agree."""
    if (type(one) is not Name or one[1:2] != "_") and (type(other) is not Name or other[1:2] != "_"):
        return False
    types = [type_of(value) if type(value) is Name else "?" for value in (one, other)]
    if types[0] != types[1] and "" not in types and types != ["?", "?"]:
        raise mixed(one, other)
    return False


def _same_keys(one: Any, other: Any) -> bool:
    first, second = order_key(one), order_key(other)
    try:
        if first == second:
            return True
        first < second  # noqa: B015 - for its error alone
    except TypeError:
        raise mixed(one, other) from None
    return False


# Sets ----------------------------------------------------------------------------------------------------------------


def set_of(members: Iterable[Any]) -> frozenset[Any]:
    """The set of some concrete values.

    Raises:
        EvaluationError: If they are of kinds that TLC cannot compare.
    """
    members = list(members)
    table = interner()
    signature = table.signatures.of_all(members)  # of the list: Python's set drops TRUE beside 1
    if not signature and len(members) > 1:
        sorted_pairs([(order_key(member), member) for member in members])
    return table.interned(frozenset(members), signature)


def contains(members: frozenset[Any], value: Any) -> bool:
    """Whether a concrete value is a member of a set.

    Raises:
        EvaluationError: If TLC cannot compare it with the members.
    """
    if not members:
        return False
    kind = type(value)
    if kind is Name:
        if value in members:
            return True
        if type_of(value):
            return any(_differ(value, member) for member in members)
        return False
    if kind in ATOMS and kind is type(next(iter(members))):
        return value in members
    signatures = interner().signatures
    if signatures.join(signatures.of_members(members), signatures.of(value)):
        return value in members
    keys, key = member_keys(members), order_key(value)
    try:
        place = bisect_left(keys, key)
        return place < len(keys) and bool(keys[place] == key)
    except TypeError:
        raise mixed(value, *ordered(members)) from None


def check_together(one: frozenset[Any], other: frozenset[Any]) -> None:
    """Raise :class:`EvaluationError` if TLC cannot compare the members of two sets."""
    if one and other:
        signatures = interner().signatures
        if not signatures.join(signatures.of_members(one), signatures.of_members(other)):
            smaller, larger = (one, other) if len(one) < len(other) else (other, one)
            for member in smaller:
                contains(larger, member)
