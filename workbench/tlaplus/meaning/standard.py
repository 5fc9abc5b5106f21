r"""The standard modules that TLC implements in Java: Naturals, Integers, Sequences, FiniteSets, Bags and TLC.

Operators take and return values; a returned ``str`` stands for a TLA+ string. Arguments that are operators are passed
as Python functions of values. All other modules are read as TLA+ texts.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from workbench.tlaplus.meaning import sets
from workbench.tlaplus.meaning.values import (
    Boolean,
    EvaluationFailure,
    Function,
    Number,
    Set,
    String,
    brief,
    function_of,
    is_sequence,
    number,
    sequence_of,
    set_of,
    truth,
)
from workbench.tlaplus.names.shipped import THEOREMS

# Naturals and Integers: TLC's have 32 bits ---------------------------------------------------------------------------


def _small(value: int) -> Number:
    if -(2**31) <= value < 2**31:
        return Number(value)
    raise EvaluationFailure("a result does not fit into 32 bits")


def _arithmetic(compute: Callable[..., int]) -> Callable[..., Number]:
    return lambda *operands: _small(compute(*map(number, operands)))


def _comparison(compute: Callable[[int, int], bool]) -> Callable[[Any, Any], Boolean]:
    return lambda one, other: Boolean(compute(number(one), number(other)))


def _div(one: int, other: int) -> int:
    if other == 0:
        raise EvaluationFailure(f"{one} \\div 0: the second argument is 0")
    return one // other


def _mod(one: int, other: int) -> int:
    if other <= 0:
        raise EvaluationFailure(f"{one} % {other}: the second argument is not positive")
    return one % other


def _power(one: int, other: int) -> int:
    if other < 0 or one == other == 0:
        raise EvaluationFailure(f"{one} ^ {other} is not defined")
    return one ** min(other, 32 + other % 2) if abs(one) > 1 else one**other  # larger ones do not fit either


_NATURALS: dict[str, tuple[int, Callable[..., Any]]] = {
    "Nat": (0, lambda: sets.NAT),
    "+": (2, _arithmetic(lambda one, other: one + other)),
    "-": (2, _arithmetic(lambda one, other: one - other)),
    "*": (2, _arithmetic(lambda one, other: one * other)),
    "\\div": (2, _arithmetic(_div)),
    "%": (2, _arithmetic(_mod)),
    "^": (2, _arithmetic(_power)),
    "<": (2, _comparison(lambda one, other: one < other)),
    "<=": (2, _comparison(lambda one, other: one <= other)),
    ">": (2, _comparison(lambda one, other: one > other)),
    ">=": (2, _comparison(lambda one, other: one >= other)),
    "..": (2, lambda low, high: sets.Interval(number(low), number(high))),
}
_INTEGERS: dict[str, tuple[int, Callable[..., Any]]] = {
    **_NATURALS,
    "Int": (0, lambda: sets.INT),
    "-.": (1, _arithmetic(lambda value: -value)),
}

# Sequences: Len, Tail, SubSeq and \o take strings too ----------------------------------------------------------------


def _items(value: Any) -> tuple[Any, ...]:
    value = sets.listed(value)
    if is_sequence(value):
        return value.results
    raise EvaluationFailure(f"{brief(value)} is not a sequence")


def _length(value: Any) -> Number:
    return Number(len(value.spelling if isinstance(value, String) else _items(value)))


def _append(value: Any, item: Any) -> Function:
    return sequence_of([*_items(value), sets.listed(item)])


def _head(value: Any) -> Any:
    if items := _items(value):
        return items[0]
    raise EvaluationFailure("Head is applied to the empty sequence")


def _tail(value: Any) -> Any:
    items = value.spelling if isinstance(value, String) else _items(value)
    if not items:
        raise EvaluationFailure("Tail is applied to the empty sequence")
    return items[1:] if isinstance(items, str) else sequence_of(items[1:])


def _concatenated(one: Any, other: Any) -> Any:
    if isinstance(one, String) and isinstance(other, String):
        return one.spelling + other.spelling
    return sequence_of([*_items(one), *_items(other)])


def _subsequence(value: Any, first: Any, last: Any) -> Any:
    items = value.spelling if isinstance(value, String) else _items(value)
    low, high = number(first), number(last)
    if low <= high and (low < 1 or high > len(items)):
        raise EvaluationFailure(f"SubSeq({brief(value)}, {low}, {high}) reaches out of the sequence")
    part = items[low - 1 : high] if low <= high else items[:0]
    return part if isinstance(part, str) else sequence_of(part)


_SEQUENCES: dict[str, tuple[int, Callable[..., Any]]] = {
    "Seq": (1, sets.Sequences),
    "Len": (1, _length),
    "Append": (2, _append),
    "Head": (1, _head),
    "Tail": (1, _tail),
    "\\o": (2, _concatenated),
    "SubSeq": (3, _subsequence),
    "SelectSeq": (2, lambda value, test: sequence_of(item for item in _items(value) if truth(test(item)))),
}

# FiniteSets ----------------------------------------------------------------------------------------------------------


def _is_finite(members: Any) -> Boolean:
    if isinstance(members, (Set, sets.Described)):
        return Boolean(not sets.is_infinite(members))
    raise EvaluationFailure(f"{brief(members)} is not a set")


_FINITE_SETS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IsFiniteSet": (1, _is_finite),
    "Cardinality": (1, lambda members: Number(sum(1 for _ in sets.members_of(members)))),
}

# Bags: functions from elements to how many copies there are ----------------------------------------------------------


def _is_bag(value: Any) -> bool:
    value = sets.listed(value)
    return isinstance(value, Function) and all(isinstance(count, Number) and count.value > 0 for count in value.results)


def _counts(value: Any) -> Sequence[tuple[Any, int]]:
    return [(element, number(copies)) for element, copies in sets.pairs_of(value)]


def _bag(value: Any) -> Sequence[tuple[Any, int]]:
    if _is_bag(value):
        return _counts(value)
    raise EvaluationFailure(f"{brief(value)} is not a bag")


def _copies_in(element: Any, value: Any) -> Number:
    return sets.apply(value, element) if sets.has(sets.domain_of(value), element) else Number(0)


def _sum(counts: Iterable[tuple[Any, int]]) -> Function:
    def add(total: Function, pair: tuple[Any, int]) -> Function:
        copies = _copies_in(pair[0], total).value + pair[1]
        return function_of([(pair[0], _small(copies)), *total.pairs])

    return reduce(add, counts, Function(()))


def _bag_sum(one: Any, other: Any) -> Function:
    return _sum([*_bag(one), *_bag(other)])


def _difference(one: Any, other: Any) -> Function:
    left = [(element, copies - _copies_in(element, other).value) for element, copies in _counts(one)]
    return function_of([(element, Number(copies)) for element, copies in left if copies > 0])


def _is_sub_bag(one: Any, other: Any) -> Boolean:
    return Boolean(all(copies <= _copies_in(element, other).value for element, copies in _counts(one)))


def _sub_bags(value: Any) -> Set:
    counts = _counts(value)
    choices = itertools.product(*[range(copies + 1) for _, copies in counts])
    return set_of(
        function_of([(element, Number(left)) for (element, _), left in zip(counts, chosen, strict=True) if left])
        for chosen in choices
    )


def _bag_cardinality(value: Any) -> Number:
    return _small(sum(copies for _, copies in _bag(value)))


_BAGS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IsABag": (1, lambda value: Boolean(_is_bag(value))),
    "BagToSet": (1, sets.domain_of),
    "SetToBag": (1, lambda members: function_of([(member, Number(1)) for member in sets.members_of(members)])),
    "BagIn": (2, lambda element, value: Boolean(_copies_in(element, value).value > 0)),
    "EmptyBag": (0, lambda: Function(())),
    "CopiesIn": (2, _copies_in),
    "(+)": (2, _bag_sum),
    "(-)": (2, _difference),
    "BagUnion": (1, lambda bags: _sum(pair for value in sets.members_of(bags) for pair in _counts(value))),
    "\\sqsubseteq": (2, _is_sub_bag),
    "SubBag": (1, _sub_bags),
    "BagOfAll": (2, lambda image, value: _sum((sets.listed(image(key)), copies) for key, copies in _counts(value))),
    "BagCardinality": (1, _bag_cardinality),
}

# TLC -----------------------------------------------------------------------------------------------------------------


def _assert(condition: Any, out: Any) -> Boolean:
    if truth(condition):
        return Boolean(True)
    raise EvaluationFailure(f"Assert failed: {brief(out)}")


def _sorted(value: Any, before: Callable[[Any, Any], Any]) -> Function:
    """``SortSeq``, by insertion as in TLC, so that even an operator that is not an order gives TLC's result."""
    ordered: list[Any] = []
    for item in _items(value):
        place = len(ordered)
        while place and truth(before(item, ordered[place - 1])):
            place -= 1
        ordered.insert(place, item)
    return sequence_of(ordered)


def _permutations(members: Any) -> Set:
    domain = tuple(sets.members_of(members))
    return set_of(Function(tuple(zip(domain, images, strict=True))) for images in itertools.permutations(domain))


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: Any) -> Any:
        raise EvaluationFailure(f"{name} is not supported: its value is not a function of the state")

    return refuse


def _option(key: Any) -> Any:
    """``TLCGet`` of options: every search is TLC's breadth-first one, by one worker, with action composition."""
    if isinstance(key, String):
        mode, worker, bfs, on = (String(word, key.words) for word in ("mode", "worker", "bfs", "true"))
        if key.spelling == "config":
            return function_of([(mode, bfs), (worker, Number(1))])
        if key.spelling == "-Dtlc2.tool.impl.Tool.cdot":
            return on
    return _refused("TLCGet")()


_TLC: dict[str, tuple[int, Callable[..., Any]]] = {
    "Print": (2, lambda _, value: value),
    "PrintT": (1, lambda _: Boolean(True)),
    "TLCSet": (2, lambda *_: Boolean(True)),  # there are no counters
    "Assert": (2, _assert),
    "ToString": (1, str),
    "Permutations": (1, _permutations),
    "SortSeq": (2, _sorted),
    ":>": (2, lambda argument, value: function_of([(sets.listed(argument), sets.listed(value))])),
    "@@": (2, sets.merge),
    "TLCEval": (1, sets.listed),
    "TLCGet": (1, _option),
    "Any": (0, lambda: sets.ANY),
    **{name: (arity, _refused(name)) for name, arity in (("JavaTime", 0), ("RandomElement", 1))},
}

#: By module: its operators, with the number of their arguments.
MODULES: Mapping[str, Mapping[str, tuple[int, Callable[..., Any]]]] = {
    "Naturals": _NATURALS,
    "Integers": _INTEGERS,
    "Sequences": _SEQUENCES,
    "FiniteSets": _FINITE_SETS,
    "Bags": _BAGS,
    "TLC": _TLC,
    **{module: {} for module in THEOREMS},
}
#: The modules that they extend.
EXTENDED: Mapping[str, Sequence[str]] = {**THEOREMS, "Bags": ("TLC",)}
