"""Operators of the community's module Relation: a relation is a function from pairs to booleans, or an operator."""

from collections.abc import Callable, Sequence
from typing import Any

from workbench.tlaplus.values.lazy import each, truth
from workbench.tlaplus.values.operators import apply
from workbench.tlaplus.values.values import function_of

_Holds = Callable[[Any, Any], Any]
_Test = Callable[[_Holds, Sequence[Any]], bool]


def _reflexive(holds: _Holds, members: Sequence[Any]) -> bool:
    return all(truth(holds(x, x)) for x in members)


def _irreflexive(holds: _Holds, members: Sequence[Any]) -> bool:
    return not any(truth(holds(x, x)) for x in members)


def _symmetric(holds: _Holds, members: Sequence[Any]) -> bool:
    return all(truth(holds(x, y)) is truth(holds(y, x)) for x in members for y in members)


def _asymmetric(holds: _Holds, members: Sequence[Any]) -> bool:
    return not any(truth(holds(x, y)) and truth(holds(y, x)) for x in members for y in members)


def _antisymmetric(holds: _Holds, members: Sequence[Any]) -> bool:
    return _asymmetric(lambda x, y: x != y and holds(x, y), members)


def _transitive(holds: _Holds, members: Sequence[Any]) -> bool:
    follows = {x: [y for y in members if truth(holds(x, y))] for x in members}
    return all(z in follows[x] for x in members for y in follows[x] for z in follows[y])


def _total(holds: _Holds, members: Sequence[Any]) -> bool:
    return all(truth(holds(x, y)) or truth(holds(y, x)) for x in members for y in members)


def _trichotomous(holds: _Holds, members: Sequence[Any]) -> bool:
    return _total(lambda x, y: x == y or holds(x, y), members)


_STRICT, _PARTIAL = (_irreflexive, _antisymmetric, _transitive), (_reflexive, _antisymmetric, _transitive)
_TESTS: dict[str, tuple[_Test, ...]] = {
    "IsReflexive": (_reflexive,),
    "IsIrreflexive": (_irreflexive,),
    "IsSymmetric": (_symmetric,),
    "IsAntiSymmetric": (_antisymmetric,),
    "IsAsymmetric": (_asymmetric,),
    "IsTransitive": (_transitive,),
    "IsStrictlyPartiallyOrdered": _STRICT,
    "IsPartiallyOrdered": _PARTIAL,
    "IsStrictlyTotallyOrdered": (*_STRICT, _trichotomous),
    "IsTotallyOrdered": (*_PARTIAL, _total),
}


def _of_relation(tests: tuple[_Test, ...]) -> Callable[[Any, Any], bool]:
    return lambda relation, members: _of_operator(tests)(lambda x, y: apply(relation, (x, y)), members)


def _of_operator(tests: tuple[_Test, ...]) -> Callable[[Any, Any], bool]:
    def holds(op: _Holds, members: Any) -> bool:
        known = tuple(each(members))
        return all(test(op, known) for test in tests)

    return holds


def _closure(relation: Any, members: Any, is_reflexive: bool) -> Any:
    known = tuple(each(members))
    made = {(x, y): truth(apply(relation, (x, y))) or (is_reflexive and x == y) for x in known for y in known}
    for between in known:
        for x, y in made:
            made[x, y] = made[x, y] or (made[x, between] and made[between, y])
    return function_of(made)


def _is_connected(relation: Any, members: Any) -> bool:
    closure = _closure(relation, members, True)
    return closure == () or all(closure.values())


RELATION: dict[str, tuple[int, Callable[..., Any]]] = {
    **{name: (2, _of_relation(tests)) for name, tests in _TESTS.items()},
    **{f"{name}Under": (2, _of_operator(tests)) for name, tests in _TESTS.items()},
    "TransitiveClosure": (2, lambda relation, members: _closure(relation, members, False)),
    "ReflexiveTransitiveClosure": (2, lambda relation, members: _closure(relation, members, True)),
    "IsConnected": (2, _is_connected),
}
