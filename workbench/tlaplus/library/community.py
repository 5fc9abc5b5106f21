"""The operators of the community's modules that are Python: all others are read from their authors' texts.

An operator is here for one of three reasons. TLC has it in Java and answers otherwise than the text reads, such as a
fold, which begins with the first element: ``FoldSet(op, base, {1, 2})`` is ``op(2, op(1, base))``. The text has no
answer, since it looks through infinitely many paths. Or the text takes five times as long, or exponential time.
"""

import itertools
from collections.abc import Callable, Iterable
from math import gcd
from typing import Any

from workbench.tlaplus.library.arithmetic import number
from workbench.tlaplus.library.sequences import sequence, subsequence
from workbench.tlaplus.values.equality import set_of
from workbench.tlaplus.values.lazy import each, equal, force, set_from, truth
from workbench.tlaplus.values.operators import apply, items, record, subseteq
from workbench.tlaplus.values.values import EvaluationError, brief, function_of, ordered, text

Operator = Callable[..., Any]

_NODE, _EDGE, _NUMERATOR, _DENOMINATOR = map(text, ("node", "edge", "num", "den"))

# Folds ---------------------------------------------------------------------------------------------------------------


def fold(op: Operator, base: Any, elements: Iterable[Any]) -> Any:
    """``op(en, ... op(e2, op(e1, base)))``."""
    for element in elements:
        base = op(element, base)
    return base


def map_then_fold(op: Operator, base: Any, image: Operator, choice: Operator, members: Any) -> Any:
    """``MapThenFoldSet(op, base, f, choose, S)``: the member that is chosen first is folded last."""
    left, chosen = set_from(members), []
    while left:
        chosen.append(force(choice(left)))
        left -= {chosen[-1]}
    return fold(op, base, map(image, reversed(chosen)))


def fold_function_on(op: Operator, base: Any, value: Any, members: Any) -> Any:
    """``FoldFunctionOnSet(op, base, f, S)``."""
    return fold(op, base, [apply(value, member) for member in each(members)])


def fold_left(op: Operator, base: Any, value: Any) -> Any:
    """``FoldLeft(op, base, seq)``: ``op(op(base, s1), s2)``."""
    for element in sequence(value, "FoldLeft"):
        base = op(base, element)
    return base


def fold_bag(op: Operator, base: Any, value: Any) -> Any:
    """``FoldBag(op, base, B)``: over each copy of each element."""
    for element, copies in items(value):
        for _ in range(copies):
            base = op(base, element)
    return base


# Sets, functions and sequences ---------------------------------------------------------------------------------------


def subsets_of_size(size: Any, members: Any) -> frozenset[Any]:
    """``kSubset(k, S)``."""
    if number(size, "kSubset") < 0:
        return frozenset()
    return frozenset(map(frozenset, itertools.combinations(each(members), size)))


def is_injective(value: Any) -> bool:
    """``IsInjective(f)``."""
    results = [result for _, result in items(value)]
    return len(set_of(results)) == len(results)


def first_place(value: Any, test: Operator) -> int:
    """``SelectInSeq(seq, Test)``: the first place that passes; 0 for none. TLC does not look at what follows it."""
    elements = enumerate(sequence(value, "SelectInSeq"), 1)
    return next((place for place, element in elements if truth(test(element))), 0)


def last_place(value: Any, test: Operator) -> int:
    """``SelectLastInSeq(seq, Test)``; TLC does not look at what precedes that place."""
    elements = sequence(value, "SelectLastInSeq")
    return next((place for place in range(len(elements), 0, -1) if truth(test(elements[place - 1]))), 0)


def _within(select: Callable[[Any, Operator], int]) -> Operator:
    """``SelectInSubSeq(seq, from, to, Test)``: the place in the whole sequence, as in TLC, whatever the text says."""

    def place(value: Any, start: Any, end: Any, test: Operator) -> int:
        position = select(subsequence(value, start, end), test)
        return position and position + number(start, "SelectInSubSeq") - 1

    return place


def longest_common_prefix(members: Any) -> tuple[Any, ...]:
    """``LongestCommonPrefix(S)``."""
    sequences = [sequence(member, "LongestCommonPrefix") for member in each(members)]
    if not sequences:
        raise EvaluationError("LongestCommonPrefix needs a sequence at least")
    shortest = min(sequences, key=len)
    same = itertools.takewhile(
        lambda place: all(equal(shortest[place], elements[place]) for elements in sequences), range(len(shortest))
    )
    return shortest[: sum(1 for _ in same)]


# Relations and graphs ------------------------------------------------------------------------------------------------


def closure(relation: Any, members: Any) -> Any:
    """``TransitiveClosure(R, S)``."""
    elements = tuple(each(members))
    holds = {(x, y): truth(apply(relation, (x, y))) for x in elements for y in elements}
    for between in elements:
        for x, y in holds:
            holds[x, y] = holds[x, y] or (holds[x, between] and holds[between, y])
    return function_of(holds)


def _nodes(graph: Any) -> frozenset[Any]:
    return set_from(apply(graph, _NODE))


def are_connected(one: Any, other: Any, graph: Any) -> bool:
    """``AreConnectedIn(m, n, G)`` of Graphs; a node is a path by itself."""
    nodes, reached = _nodes(graph), set[Any]()
    pairs = [(force(apply(edge, 1)), force(apply(edge, 2))) for edge in each(apply(graph, _EDGE))]
    ahead = {force(one)} & nodes
    while ahead:
        reached |= ahead
        ahead = {after for before, after in pairs if before in ahead and after in nodes} - reached
    return force(other) in reached


def components(graph: Any) -> frozenset[Any]:
    """``ConnectedComponents(G)`` of UndirectedGraphs: sets of nodes."""
    nodes, edges = _nodes(graph), [set_from(edge) for edge in each(apply(graph, _EDGE))]
    parts = {frozenset([node]) for node in nodes}
    for edge in edges:
        if not subseteq(edge, nodes) or len(edge) not in (1, 2):
            raise EvaluationError(f"ConnectedComponents needs an undirected graph, not {brief(graph)}")
        met = {part for part in parts if part & edge}
        parts = (parts - met) | {frozenset().union(*met)}
    return frozenset(parts)


# Numbers -------------------------------------------------------------------------------------------------------------


def _bitwise(name: str, combine: Callable[[int, int], int]) -> Callable[[Any, Any], int]:
    return lambda one, other: combine(number(one, name), number(other, name))


def reduced(value: Any) -> Any:
    """``Reduce(p)``, which is local in DyadicRationals."""
    parts = [number(apply(value, part), "a rational") for part in (_NUMERATOR, _DENOMINATOR)]
    common = gcd(*parts)
    return record({_NUMERATOR: parts[0] // common, _DENOMINATOR: parts[1] // common})


#: By module: the operators with the number of their arguments.
COMMUNITY: dict[str, dict[str, tuple[int, Operator]]] = {
    "BagsExt": {"FoldBag": (3, fold_bag)},
    "Bitwise": {
        "&": (2, _bitwise("&", int.__and__)),
        "|": (2, _bitwise("|", int.__or__)),
        "^^": (2, _bitwise("^^", int.__xor__)),
    },
    "DyadicRationals": {"Reduce": (1, reduced)},
    "FiniteSetsExt": {
        "FoldSet": (3, lambda op, base, members: fold(op, base, each(members))),
        "kSubset": (2, subsets_of_size),
    },
    "Folds": {"MapThenFoldSet": (5, map_then_fold)},
    "Functions": {"IsInjective": (1, is_injective), "FoldFunctionOnSet": (4, fold_function_on)},
    "Graphs": {"AreConnectedIn": (3, are_connected)},
    "Relation": {"TransitiveClosure": (2, closure)},
    "SequencesExt": {
        "SetToSeq": (1, lambda members: ordered(set_from(members))),
        "SetToSeqs": (1, lambda members: frozenset(itertools.permutations(each(members)))),
        "LongestCommonPrefix": (1, longest_common_prefix),
        "FoldLeft": (3, fold_left),
        "FoldRight": (3, lambda op, value, base: fold(op, base, reversed(sequence(value, "FoldRight")))),
        "SelectInSeq": (2, first_place),
        "SelectLastInSeq": (2, last_place),
        "SelectInSubSeq": (4, _within(first_place)),
        "SelectLastInSubSeq": (4, _within(last_place)),
    },
    "UndirectedGraphs": {
        "AreConnectedIn": (
            3,
            lambda one, other, graph: any({force(one), force(other)} <= c for c in components(graph)),
        ),
        "ConnectedComponents": (1, components),
    },
}
