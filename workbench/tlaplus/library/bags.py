"""The operators of Bags: a bag is a function from its elements to how many copies of them it has."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from workbench.kernel.meaning.values import Map
from workbench.tlaplus.library.arithmetic import leq, less, plus
from workbench.tlaplus.values.equality import check_together, contains
from workbench.tlaplus.values.lazy import each, force, listed
from workbench.tlaplus.values.operators import domain, items
from workbench.tlaplus.values.values import EvaluationError, brief, function_of, pairs_of

Counts = dict[Any, Any]


def is_bag(value: Any) -> bool:
    """``IsABag(value)``."""
    value = listed(value)
    if type(value) is not tuple and type(value) is not Map:
        return False
    return all(type(copies) is int and copies > 0 for _, copies in pairs_of(value))


def bag(value: Any, operator: str) -> Counts:
    """The copies of each element of a bag; everything else is an error where `operator` needs one."""
    if is_bag(value):
        return dict(pairs_of(listed(value)))
    raise EvaluationError(f"{operator} needs a bag, not {brief(value)}")


def bag_of(members: Any) -> Any:
    """``SetToBag(members)``."""
    return function_of(dict.fromkeys(each(members), 1))


def is_in(element: Any, value: Any) -> bool:
    """``BagIn(element, value)``."""
    return copies_in(element, value) > 0


def copies_in(element: Any, value: Any) -> int:
    """``CopiesIn(element, value)``."""
    element, counts = force(element), dict(items(value))
    if not contains(frozenset(counts), element):
        return 0
    copies = counts[element]
    if type(copies) is int:
        return copies
    raise EvaluationError(f"CopiesIn needs a bag, not {brief(value)}")


def sum_of(one: Any, other: Any) -> Any:
    r"""``one (+) other``, or ``one \oplus other``."""
    bag(one, "(+)")
    bag(other, "(+)")
    return _sum([items(one), items(other)])


def _sum(bags: Iterable[Iterable[tuple[Any, Any]]]) -> Any:
    counts: Counts = {}
    for pairs in bags:
        new = dict(pairs)
        check_together(frozenset(counts), frozenset(new))
        for element, copies in new.items():
            counts[element] = plus(counts[element], copies) if element in counts else copies
    return function_of(counts)


def difference(one: Any, other: Any) -> Any:
    r"""``one (-) other``, or ``one \ominus other``."""
    counts, taken = dict(items(one)), dict(items(other))
    check_together(frozenset(counts), frozenset(taken))
    left = {element: less(copies, taken.get(element, 0)) for element, copies in counts.items()}
    return function_of({element: copies for element, copies in left.items() if copies > 0})


def union_of(bags: Any) -> Any:
    """``BagUnion(bags)``."""
    return _sum([items(value) for value in each(bags)])


def is_within(one: Any, other: Any) -> bool:
    r"""``one \sqsubseteq other``."""
    counts, available = dict(items(one)), dict(items(other))
    check_together(frozenset(counts), frozenset(available))
    return all(leq(copies, available.get(element, 0)) for element, copies in counts.items())


def sub_bags(value: Any) -> frozenset[Any]:
    """``SubBag(value)``: the bags with some of its copies."""
    pairs = items(value)
    choices = itertools.product(*[range(copies + 1) for _, copies in pairs])
    elements = [element for element, _ in pairs]
    return frozenset([function_of(_present(zip(elements, chosen, strict=True))) for chosen in choices])


def _present(pairs: Iterable[tuple[Any, int]]) -> Counts:
    return {element: copies for element, copies in pairs if copies > 0}


def bag_of_all(function: Callable[[Any], Any], value: Any) -> Any:
    """``BagOfAll(function, value)``: each element stands for its image, in as many copies."""
    return _sum([[(force(function(element)), copies)] for element, copies in items(value)])


def cardinality(value: Any) -> int:
    """``BagCardinality(value)``."""
    return sum(bag(value, "BagCardinality").values())


BAGS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IsABag": (1, is_bag),
    "BagToSet": (1, domain),
    "SetToBag": (1, bag_of),
    "BagIn": (2, is_in),
    "EmptyBag": (0, tuple),
    "(+)": (2, sum_of),
    "(-)": (2, difference),
    "BagUnion": (1, union_of),
    "\\sqsubseteq": (2, is_within),
    "SubBag": (1, sub_bags),
    "BagOfAll": (2, bag_of_all),
    "BagCardinality": (1, cardinality),
    "CopiesIn": (2, copies_in),
}
