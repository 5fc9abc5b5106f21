"""Domains of symmetric values, as a text declares them.

A domain has no state of its own: its values in use are those that occur in the state. That an ordered domain may be
reflected only saves FizzBee states; here it changes nothing.
"""

from collections.abc import Callable, Iterator
from typing import Any

from workbench.fizzbee.meaning.values import (
    MOST_MEMBERS,
    Collection,
    Dict,
    Domain,
    Function,
    Instance,
    ModelValue,
    Record,
    Value,
    Wrong,
)  # fmt: skip


def _nominal(name: Value, limit: Value, materialize: Value = False) -> Domain:
    if not _is_name(name) or type(limit) is not int or limit < 1 or type(materialize) is not bool:
        raise Wrong("symmetry.nominal takes a name, a positive limit and whether to materialize")
    return Domain(name, limit, materialize)


def _ordinal(name: Value, limit: Value, reflection: Value = False, materialize: Value = False) -> Domain:
    if not _is_name(name) or type(limit) is not int or limit < 1 or type(reflection) is not bool:
        raise Wrong("symmetry.ordinal takes a name, a positive limit and whether to reflect")
    _check_not_materialized("ordinal", materialize)
    return Domain(name, limit, False, "ordinal")


def _interval(
    name: Value, divergence: Value = None, limit: Value = None, start: Value = 0, reflection: Value = False,
    materialize: Value = False,
) -> Domain:  # fmt: skip
    """An interval domain. Its `start` is not kept, since nothing can read where its values lie."""
    if divergence is None and type(limit) is int:
        divergence = limit - 1
    if limit is None and type(divergence) is int:
        limit = divergence + 1
    if (
        not _is_name(name)
        or not type(limit) is type(divergence) is type(start) is int
        or not 1 <= limit <= divergence + 1
        or type(reflection) is not bool
    ):
        raise Wrong("symmetry.interval takes a name, a divergence and a limit of at most one more, or one of them")
    _check_not_materialized("interval", materialize)
    return Domain(name, limit, False, "interval", divergence)


def _is_name(name: Value) -> bool:
    return type(name) is str and bool(name)


def _check_not_materialized(kind: str, materialize: Value) -> None:
    if materialize is not False:
        raise Wrong(f"symmetry.{kind} is not supported with materialize")


def _rotational(name: Value, limit: Value, materialize: Value = False, reflection: Value = False) -> Domain:
    if not _is_name(name) or type(limit) is not int or limit < 2 or type(reflection) is not bool:
        raise Wrong("symmetry.rotational takes a name, a limit of at least 2, and whether to materialize and reflect")
    if materialize is not True:
        raise Wrong("symmetry.rotational is supported with materialize = True only: fresh() needs the value before")
    return Domain(name, limit, True, "rotational", reflection=reflection)


_KINDS: dict[str, Callable[..., Domain]] = {
    "nominal": _nominal, "ordinal": _ordinal, "interval": _interval, "rotational": _rotational,
}  # fmt: skip
#: What a text calls ``symmetry``.
MODULE = Record("struct", {name: Function(make) for name, make in _KINDS.items()})


def symmetric_values(*arguments: Value) -> Value:
    """A tuple of so many interchangeable values, whose name may come first."""
    name, count = arguments if len(arguments) == 2 else ("", *arguments)
    if type(name) is not str or type(count) is not int or not 0 <= count <= MOST_MEMBERS:
        raise Wrong("symmetric_values takes a number of values, after a name if they have one")
    return tuple(ModelValue(name, number, True) for number in range(count))


def symmetric_in(value: Value, with_roles: bool = False) -> Iterator[Any]:
    """The symmetric values in a value, or the roles too; with repetitions, and without those in fields of roles."""
    seen, queue = set[int](), [value]
    while queue:
        value = queue.pop()
        if isinstance(value, ModelValue) and value.symmetric:
            yield value
        if with_roles and isinstance(value, Instance) and value.role.symmetric:
            yield value
        if not isinstance(value, list | tuple | Dict | Collection | Record) or id(value) in seen:
            continue
        seen.add(id(value))
        match value:
            case Dict():
                queue += [part for pair in value.pairs for part in pair]
            case Collection():
                queue += value.items
            case Record():
                queue += value.fields.values()
            case _:
                queue += value
