"""What compiled code calls: the interpreter's operators, with shortcuts for the types that are met most.

The code's first parameter is the run that it is part of. What goes wrong raises anything: the interpreter says why.
"""

import operator
from collections.abc import Callable
from typing import Any

from workbench.fizzbee.meaning.library import CHANGING, FUNCTIONS, METHODS
from workbench.fizzbee.meaning.operators import binary, contains, in_place, unary
from workbench.fizzbee.meaning.values import (
    MOST_MEMBERS,
    Collection,
    Dict,
    Function,
    Instance,
    Record,
    Value,
    Wrong,
    equal,
    members,
    truth,
)  # fmt: skip

#: Integers below it, either way from 0, are added without a look at the interpreter's bound.
_SMALL = 1 << 60
_PLAIN = frozenset({int, str, float})


class Unsure(Exception):
    """Here only the interpreter knows what to do, which may well succeed."""


def is_true(value: Value) -> bool:
    return value if type(value) is bool else truth(value)


def same(left: Value, right: Value) -> bool:
    kind = type(left)
    return bool(left == right) if kind is type(right) and kind in _PLAIN else equal(left, right)


def plus(left: Value, right: Value) -> Value:
    kind = type(left)
    if kind is type(right):
        if kind is int and -_SMALL < left < _SMALL and -_SMALL < right < _SMALL:
            return left + right
        if kind is str and len(left) + len(right) <= MOST_MEMBERS:
            return left + right
    return binary("+", left, right)


def _ordered(sign: str, compare: Callable[[Any, Any], bool]) -> Callable[[Value, Value], bool]:
    def ordered(left: Value, right: Value) -> bool:
        return compare(left, right) if type(left) is int and type(right) is int else binary(sign, left, right)

    return ordered


def inside(item: Value, owner: Value) -> bool:
    return owner.pair(item) is not None if type(owner) is Dict else contains(owner, item)


def index(owner: Value, at: Value) -> Value:
    """``owner[at]``."""
    kind = type(owner)
    if kind is Dict:
        return owner.get(at)
    if kind not in (list, tuple, str, range) or type(at) is not int:
        raise Wrong("no index")
    return owner[at]


def part(owner: Value, *bounds: Value) -> Value:
    """A slice."""
    if type(owner) not in (list, tuple, str, range) or any(type(at) not in (int, type(None)) for at in bounds):
        raise Wrong("no slice")
    return owner[slice(*bounds)]


def field(owner: Value, name: str) -> Value:
    """A field whose name is also that of a method."""
    if not isinstance(owner, Record | Instance):
        raise Unsure
    return owner.fields[name]


def length(value: Value) -> int:
    kind = type(value)
    if (kind is list or kind is tuple) and len(value) <= MOST_MEMBERS:
        return len(value)
    return FUNCTIONS["len"](value)


def text(value: Value = "") -> str:
    kind = type(value)
    return value if kind is str else repr(value) if kind is int else FUNCTIONS["str"](value)


def unpack(value: Value, count: int) -> list[Value]:
    if not isinstance(value, list | tuple) or len(value) != count:
        raise Wrong("other names than values")
    return members(value)


def _check_mutable(run: Any, owner: Value) -> None:
    if id(owner) in run.frozen:
        raise Wrong("a constant")


def store_field(run: Any, owner: Value, name: str, value: Value) -> None:
    _check_mutable(run, owner)
    if name in owner.fixed if type(owner) is Instance else not isinstance(owner, Record) or owner.kind != "record":
        raise Wrong("a fixed field")
    owner.fields[name] = value


def store_index(run: Any, owner: Value, at: Value, value: Value) -> None:
    _check_mutable(run, owner)
    if isinstance(owner, Dict):
        owner.put(at, value)
    elif isinstance(owner, list) and type(at) is int:
        owner[at] = value
    else:
        raise Wrong("no members to assign to")


def changed(run: Any, sign: str, owner: Value, value: Value) -> Value:
    """What ``owner += value`` assigns."""
    if isinstance(owner, list | Dict):
        _check_mutable(run, owner)
        if in_place(sign, owner, value):
            return owner
    return plus(owner, value) if sign == "+" else binary(sign, owner, value)


def spend(run: Any, statements: int) -> None:
    """Take statements off what a step may run.

    Raises:
        Unsure: If so many are not left: the interpreter, which counts exactly, decides.
    """
    run.left -= statements
    if run.left < 0:
        raise Unsure


def through(run: Any, value: Value, statements: int) -> list[Value]:
    """What a loop goes through, with so many statements for each."""
    items = members(value)
    spend(run, statements * len(items))
    return items


def role_function(owner: Value, functions: dict[str, Any]) -> Any:
    """The function of the role of `owner`."""
    if type(owner) is not Instance or owner.role.name not in functions:
        raise Unsure
    return functions[owner.role.name]


def method_of(name: str) -> Callable[..., Value]:
    """The method of that name of whatever has one."""
    of_kind = {kind: methods[name] for kind, methods in METHODS.items() if name in methods}
    of_type = {
        kind: of_kind[name_of_kind]
        for kind, name_of_kind in ((str, "string"), (list, "list"), (Dict, "dict"))
        if name_of_kind in of_kind
    }
    changes = name in CHANGING

    def call(run: Any, owner: Value, /, *arguments: Value, **named: Value) -> Value:
        kind = type(owner)
        function = of_kind.get(owner.kind) if kind is Collection else of_type.get(kind)
        if function is None:
            raise Unsure
        if changes:
            _check_mutable(run, owner)
        return function(owner, *arguments, **named)

    return call


#: What code reaches by name.
NAMES: dict[str, Any] = {
    helper.__name__: helper
    for helper in (
        is_true, same, plus, inside, index, part, field, unpack, store_field, store_index, changed, spend, through,
        role_function, binary, unary, members, Dict, Function,
    )
}  # fmt: skip
#: The comparisons by their signs.
COMPARISONS = {
    "<": _ordered("<", operator.lt), "<=": _ordered("<=", operator.le),
    ">": _ordered(">", operator.gt), ">=": _ordered(">=", operator.ge),
}  # fmt: skip
#: The library's functions, some with shortcuts.
LIBRARY: dict[str, Callable[..., Value]] = {**FUNCTIONS, "len": length, "str": text}
