"""Domains of interchangeable values, which ``symmetry.nominal`` declares.

A domain has no state of its own: its values in use are those that occur in the state. FizzBee's other domains, whose
values are ordered or added to, are refused.
"""

from collections.abc import Callable, Iterable, Iterator
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


class Exhausted(Exception):
    """A domain has no fresh value left, so the step does not exist."""


def _numbered(domain: Domain, numbers: Iterable[int]) -> list[ModelValue]:
    return [ModelValue(domain.name, number, True) for number in sorted(numbers)]


def _values(domain: Domain, used: set[int]) -> list[ModelValue]:
    return _numbered(domain, range(domain.limit) if domain.materialized else used)


def _fresh(domain: Domain, used: set[int]) -> ModelValue:
    if domain.materialized:
        raise Wrong(f"{domain.name} is materialized, so that no value is fresh")
    if len(used) >= domain.limit:
        raise Exhausted
    return ModelValue(domain.name, min(set(range(domain.limit)) - used), True)


def _choices(domain: Domain, used: set[int]) -> list[ModelValue]:
    if domain.materialized or len(used) >= domain.limit:
        return _values(domain, used)
    return _numbered(domain, used | {_fresh(domain, used).number})


def _choose(domain: Domain, used: set[int]) -> ModelValue:
    values = _values(domain, used)
    return values[0] if values else _fresh(domain, used)


#: The methods of a domain, which take the numbers of its values in use. ``fresh`` and ``choose`` raise Exhausted.
METHODS: dict[str, Callable[[Domain, set[int]], Value]] = {
    "values": _values, "fresh": _fresh, "choices": _choices, "choose": _choose,
}  # fmt: skip


def _nominal(name: Value, limit: Value, materialize: Value = False) -> Domain:
    if type(name) is not str or not name or type(limit) is not int or limit < 1 or type(materialize) is not bool:
        raise Wrong("symmetry.nominal takes a name, a positive limit and whether to materialize")
    return Domain(name, limit, materialize)


def _unsupported(kind: str) -> Function:
    def refuse(*_: Value, **__: Value) -> Value:
        raise Wrong(f"symmetry.{kind} is not supported")

    return Function(refuse)


_UNSUPPORTED = ("ordinal", "interval", "rotational")
#: What a text calls ``symmetry``.
MODULE = Record("struct", {"nominal": Function(_nominal), **{kind: _unsupported(kind) for kind in _UNSUPPORTED}})


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
