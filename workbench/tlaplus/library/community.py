"""Operators of the community's modules: SequencesExt, FiniteSetsExt, Functions and Folds.

TLC's Java versions fold sets and functions from the first element on: ``FoldSet(op, base, {1, 2})`` is
``op(2, op(1, base))``, although the modules' definitions read the other way round.
"""

import itertools
from collections.abc import Callable, Iterable
from functools import partial, reduce
from typing import Any

from workbench.tlaplus.library.arithmetic import leq, mod, number, plus, times
from workbench.tlaplus.library.sequences import (
    append,
    concatenate,
    length,
    selected,
    sequence,
    sort_sequence,
    subsequence,
)
from workbench.tlaplus.values.equality import contains, same, set_of
from workbench.tlaplus.values.lazy import each, equal, force, set_from, truth
from workbench.tlaplus.values.operators import (
    apply,
    choose,
    cup,
    domain,
    filtered,
    function,
    items,
    minus,
    subseteq,
    union,
)
from workbench.tlaplus.values.sets import Functions, Interval
from workbench.tlaplus.values.values import EvaluationError, brief, function_of, ordered

Operator = Callable[..., Any]

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


def fold_set(op: Operator, base: Any, members: Any) -> Any:
    """``FoldSet(op, base, S)``."""
    return fold(op, base, each(members))


def fold_function(op: Operator, base: Any, value: Any) -> Any:
    """``FoldFunction(op, base, f)`` and ``FoldSeq``."""
    return fold(op, base, [result for _, result in items(value)])


def fold_function_on(op: Operator, base: Any, value: Any, members: Any) -> Any:
    """``FoldFunctionOnSet(op, base, f, S)``."""
    return fold(op, base, [apply(value, member) for member in each(members)])


def fold_left(op: Operator, base: Any, value: Any) -> Any:
    """``FoldLeft(op, base, seq)``: ``op(op(base, s1), s2)``."""
    for element in sequence(value, "FoldLeft"):
        base = op(base, element)
    return base


# FiniteSetsExt -------------------------------------------------------------------------------------------------------


def largest(members: Any) -> Any:
    """``Max(S)``."""
    return choose(members, lambda one: all(leq(other, one) for other in each(members)))


def smallest(members: Any) -> Any:
    """``Min(S)``."""
    return choose(members, lambda one: all(leq(one, other) for other in each(members)))


def subsets_of_size(size: Any, members: Any) -> frozenset[Any]:
    """``kSubset(k, S)``."""
    if number(size, "kSubset") < 0:
        return frozenset()
    return frozenset(map(frozenset, itertools.combinations(each(members), size)))


def choose_unique(members: Any, test: Operator) -> Any:
    """``ChooseUnique(S, P)``."""
    found = [member for member in each(members) if truth(test(member))]
    if len(found) == 1:
        return found[0]
    raise EvaluationError(f"ChooseUnique: {len(found)} members of {brief(members)} satisfy the predicate")


def choices(members: Any) -> frozenset[Any]:
    """``Choices(Sets)``: one member of each set, in all ways."""
    return frozenset(map(set_of, itertools.product(*map(each, each(members)))))


# Functions -----------------------------------------------------------------------------------------------------------


def restrict_domain(value: Any, test: Operator) -> Any:
    """``RestrictDomain(f, Test)``."""
    return function_of({argument: result for argument, result in items(value) if truth(test(argument))})


def restrict_values(value: Any, test: Operator) -> Any:
    """``RestrictValues(f, Test)``."""
    return function_of({argument: result for argument, result in items(value) if truth(test(result))})


def values_of(value: Any) -> frozenset[Any]:
    """``Range(f)``, and ``ToSet`` of a sequence."""
    return set_of([result for _, result in items(value)])


def pointwise(one: Any, other: Any, op: Operator) -> Any:
    """``Pointwise(f, g, T)``."""
    return function_of({argument: force(op(result, apply(other, argument))) for argument, result in items(one)})


def is_injective(value: Any) -> bool:
    """``IsInjective(f)``."""
    return len(values_of(value)) == len(items(value))


def _onto(value: Any, members: Any) -> bool:
    return subseteq(members, values_of(value))


def is_restriction(narrow: Any, wide: Any) -> bool:
    """``IsRestriction(narrow, wide)``."""
    within = subseteq(domain(narrow), domain(wide))
    return within and all(equal(result, apply(wide, argument)) for argument, result in items(narrow))


def inverse(value: Any, one: Any, other: Any) -> Any:
    """``Inverse(f, S, T)``."""
    results = values_of(value)

    def argument_of(result: Any) -> Any:
        return choose(one, lambda argument: not contains(results, result) or equal(apply(value, argument), result))

    return function(other, argument_of)


def injections(one: Any, other: Any) -> Any:
    """``Injection(S, T)``."""
    return filtered(Functions(one, other), is_injective)


def surjections(one: Any, other: Any) -> Any:
    """``Surjection(S, T)``."""
    return filtered(Functions(one, other), lambda value: _onto(value, other))


def bijections(one: Any, other: Any) -> Any:
    """``Bijection(S, T)``."""
    return filtered(injections(one, other), lambda value: _onto(value, other))


# SequencesExt --------------------------------------------------------------------------------------------------------


def set_to_sequence(members: Any) -> tuple[Any, ...]:
    """``SetToSeq(S)``: the first in TLC's order."""
    return ordered(set_from(members))


def set_to_sequences(members: Any) -> frozenset[Any]:
    """``SetToSeqs(S)``: all orders of its members."""
    return frozenset(itertools.permutations(each(members)))


def sequences_up_to(members: Any, size: Any) -> frozenset[Any]:
    """``SeqOf(S, n)`` and ``BoundedSeq(S, n)``."""
    known = tuple(each(members))
    return frozenset(
        itertools.chain.from_iterable(
            itertools.product(known, repeat=length) for length in range(number(size, "SeqOf") + 1)
        )
    )


def reverse(value: Any) -> tuple[Any, ...]:
    """``Reverse(s)``."""
    return sequence(value, "Reverse")[::-1]


def remove_at(value: Any, place: Any) -> tuple[Any, ...]:
    """``RemoveAt(s, i)``."""
    elements, place = sequence(value, "RemoveAt"), number(place, "RemoveAt")
    return tuple(subsequence(elements, 1, place - 1) + subsequence(elements, place + 1, len(elements)))


def insert_at(value: Any, place: Any, element: Any) -> tuple[Any, ...]:
    """``InsertAt(s, i, e)``."""
    elements, place = sequence(value, "InsertAt"), number(place, "InsertAt")
    before, after = subsequence(elements, 1, place - 1), subsequence(elements, place, len(elements))
    return (*before, force(element), *after)


def replace_at(value: Any, place: Any, element: Any) -> Any:
    """``ReplaceAt(s, i, e)``."""
    place = number(place, "ReplaceAt")
    return tuple([force(element) if at == place else known for at, known in enumerate(sequence(value, "ReplaceAt"), 1)])


def replace_all(value: Any, old: Any, new: Any) -> tuple[Any, ...]:
    """``ReplaceAll(s, old, new)``."""
    return tuple([force(new) if equal(known, old) else known for known in sequence(value, "ReplaceAll")])


def first_place(value: Any, test: Operator) -> int:
    """``SelectInSeq(seq, Test)``: the first place that passes; 0 for none."""
    elements = enumerate(sequence(value, "SelectInSeq"), 1)
    return next((place for place, element in elements if truth(test(element))), 0)


def last_place(value: Any, test: Operator) -> int:
    """``SelectLastInSeq(seq, Test)``; what stands before that place is not looked at."""
    elements = sequence(value, "SelectLastInSeq")
    return next((place for place in range(len(elements), 0, -1) if truth(test(elements[place - 1]))), 0)


def place_within(select: Callable[[Any, Operator], int], value: Any, start: Any, end: Any, test: Operator) -> int:
    """``SelectInSubSeq(seq, from, to, Test)``: the place in the whole sequence, as in TLC, whatever the text says."""
    found = select(subsequence(value, start, end), test)
    return found and found + number(start, "SelectInSubSeq") - 1


def remove_first_match(value: Any, test: Operator) -> tuple[Any, ...]:
    """``RemoveFirstMatch(s, Test)``."""
    place = first_place(value, test)
    return remove_at(value, place) if place else sequence(value, "RemoveFirstMatch")


def front(value: Any) -> Any:
    """``Front(s)``."""
    return subsequence(value, 1, length(value) - 1)


def last(value: Any) -> Any:
    """``Last(s)``."""
    return apply(value, length(value))


def is_prefix(one: Any, other: Any) -> bool:
    """``IsPrefix(s, t)``."""
    start = sequence(one, "IsPrefix")
    return len(start) <= length(other) and same(start, sequence(other, "IsPrefix")[: len(start)])


def prefixes(value: Any) -> frozenset[Any]:
    """``Prefixes(s)``."""
    elements = sequence(value, "Prefixes")
    return frozenset([elements[:size] for size in range(len(elements) + 1)])


def common_prefixes(members: Any) -> frozenset[Any]:
    """``CommonPrefixes(S)``."""
    known = tuple(each(members))
    shared = [part for one in known for part in prefixes(one) if all(is_prefix(part, other) for other in known)]
    return frozenset(shared)


def longest_common_prefix(members: Any) -> Any:
    """``LongestCommonPrefix(S)``."""
    shared = common_prefixes(members)
    return choose(shared, lambda one: len(one) == len(shared) - 1)


def to_bag(value: Any) -> Any:
    """``ToBag(s)``."""
    elements = sequence(value, "ToBag")
    return function_of({element: elements.count(element) for element in set_of(elements)})


def partial_orders(members: Any) -> frozenset[Any]:
    """``SetToAllKPermutations(S)``: all orders of all subsets."""
    known = tuple(each(members))
    orders = (itertools.permutations(known, size) for size in range(len(known) + 1))
    return frozenset(itertools.chain.from_iterable(orders))


def is_sorted(value: Any, op: Operator) -> bool:
    """``IsSorted(s, op)``: of each two elements."""
    return all(truth(op(*pair)) for pair in itertools.combinations(sequence(value, "IsSorted"), 2))


def all_parts(value: Any) -> frozenset[Any]:
    """``AllSubSeqs(s)``: also of elements that are not neighbours."""
    elements = sequence(value, "AllSubSeqs")
    chosen = (itertools.combinations(elements, size) for size in range(len(elements) + 1))
    return frozenset(itertools.chain.from_iterable(chosen))


def parts(value: Any) -> frozenset[Any]:
    """``SubSeqs(s)``."""
    elements = sequence(value, "SubSeqs")
    size = len(elements)
    return frozenset([elements[start:end] for start in range(size + 1) for end in range(start, size + 1)])


def first_part(part: Any, value: Any) -> int:
    """``IndexFirstSubSeq(s, t)``."""
    part, elements = sequence(part, "IndexFirstSubSeq"), sequence(value, "IndexFirstSubSeq")
    for end in range(len(elements) + 1):
        if contains(parts(elements[:end]), part):
            return end - len(part) + 1
    raise EvaluationError(f"IndexFirstSubSeq: {brief(part)} is no part of {brief(elements)}")


def replace_part(place: Any, new: Any, old: Any, value: Any) -> Any:
    """``ReplaceSubSeqAt(i, r, s, t)``."""
    place, size = number(place, "ReplaceSubSeqAt"), length(value)
    after = subsequence(value, place + length(old), size)
    return concatenate(concatenate(subsequence(value, 1, place - 1), new), after)


def replace_first_part(new: Any, old: Any, value: Any) -> Any:
    """``ReplaceFirstSubSeq(r, s, t)``."""
    if not contains(parts(value), force(old)):
        return force(value)
    return replace_part(first_part(old, value), new, old, value)


def interleave(one: Any, other: Any) -> tuple[Any, ...]:
    """``Interleave(s, t)``."""
    one, other = sequence(one, "Interleave"), sequence(other, "Interleave")
    if len(one) != len(other):
        raise EvaluationError("Interleave needs sequences of one length")
    return tuple([(element,) for both in zip(one, other, strict=True) for element in both]) or ((), ())


def flatten(value: Any) -> Any:
    """``FlattenSeq(seqs)``, also of strings."""
    parts = sequence(value, "FlattenSeq")
    return reduce(concatenate, parts) if parts else ()


_FOLDS: dict[str, tuple[int, Operator]] = {"MapThenFoldSet": (5, map_then_fold)}
_FUNCTIONS: dict[str, tuple[int, Operator]] = {
    "Restrict": (2, lambda value, members: function(members, lambda argument: apply(value, argument))),
    "RestrictDomain": (2, restrict_domain),
    "RestrictValues": (2, restrict_values),
    "Range": (1, values_of),
    "Pointwise": (3, pointwise),
    "IsInjective": (1, is_injective),
    "Injection": (2, injections),
    "Surjection": (2, surjections),
    "Bijection": (2, bijections),
    "FoldFunction": (3, fold_function),
    "FoldFunctionOnSet": (4, fold_function_on),
    "IsRestriction": (2, is_restriction),
    "Inverse": (3, inverse),
    "AntiFunction": (1, lambda value: inverse(value, domain(value), values_of(value))),
    **{
        f"Exists{kind}": (2, lambda one, other, of=of: any(True for _ in each(of(one, other))))
        for kind, of in {"Injection": injections, "Surjection": surjections, "Bijection": bijections}.items()
    },
    "SumFunction": (1, lambda value: int(fold_function(plus, 0, value))),
    "SumFunctionOnSet": (2, lambda value, members: int(fold_function_on(plus, 0, value, members))),
}

#: By module: its operators with the number of their arguments.
COMMUNITY: dict[str, dict[str, tuple[int, Operator]]] = {
    "Folds": _FOLDS,
    "Functions": _FUNCTIONS,
    "FiniteSetsExt": {
        "FoldSet": (3, fold_set),
        "SumSet": (1, lambda members: int(fold_set(plus, 0, members))),
        "ProductSet": (1, lambda members: int(fold_set(times, 1, members))),
        "ReduceSet": (3, lambda op, members, base: fold_set(op, base, members)),
        "MapThenSumSet": (2, lambda image, members: int(fold(plus, 0, map(image, each(members))))),
        "FlattenSet": (1, union),
        "SymDiff": (2, lambda one, other: cup(minus(one, other), minus(other, one))),
        "Quantify": (2, lambda members, test: sum(1 for member in each(members) if truth(test(member)))),
        "kSubset": (2, subsets_of_size),
        "Max": (1, largest),
        "Min": (1, smallest),
        "ChooseUnique": (2, choose_unique),
        "Choices": (1, choices),
    },
    "SequencesExt": {
        "ToSet": (1, values_of),
        "SetToSeq": (1, set_to_sequence),
        "SetToSeqs": (1, set_to_sequences),
        "SetToSortSeq": (2, lambda members, before: sort_sequence(set_to_sequence(members), before)),
        "SeqOf": (2, sequences_up_to),
        "BoundedSeq": (2, sequences_up_to),
        "Contains": (2, lambda value, element: any(equal(known, element) for known in sequence(value, "Contains"))),
        "Reverse": (1, reverse),
        "Remove": (2, lambda value, element: selected(value, lambda known: not equal(known, element))),
        "RemoveAt": (2, remove_at),
        "RemoveFirst": (2, lambda value, element: remove_first_match(value, lambda known: equal(known, element))),
        "RemoveFirstMatch": (2, remove_first_match),
        "InsertAt": (3, insert_at),
        "ReplaceAt": (3, replace_at),
        "ReplaceAll": (3, replace_all),
        "SelectInSeq": (2, first_place),
        "SelectLastInSeq": (2, last_place),
        "Cons": (2, lambda element, value: (force(element), *sequence(value, "Cons"))),
        "Snoc": (2, lambda element, value: append(value, element)),
        "Front": (1, front),
        "Last": (1, last),
        "IsPrefix": (2, is_prefix),
        "IsStrictPrefix": (2, lambda one, other: is_prefix(one, other) and length(one) < length(other)),
        "IsSuffix": (2, lambda one, other: is_prefix(reverse(one), reverse(other))),
        "Prefixes": (1, prefixes),
        "CommonPrefixes": (1, common_prefixes),
        "LongestCommonPrefix": (1, longest_common_prefix),
        "FoldSeq": (3, fold_function),
        "FoldLeft": (3, fold_left),
        "FoldRight": (3, lambda op, value, base: fold(op, base, reversed(sequence(value, "FoldRight")))),
        "FlattenSeq": (1, flatten),
        "ToBag": (1, to_bag),
        "SetToAllKPermutations": (1, partial_orders),
        "TupleOf": (2, lambda members, size: Functions(Interval(1, number(size, "TupleOf")), members)),
        "IsSorted": (2, is_sorted),
        "SelectInSubSeq": (4, partial(place_within, first_place)),
        "SelectLastInSubSeq": (4, partial(place_within, last_place)),
        "IsStrictSuffix": (2, lambda one, other: is_prefix(reverse(one), reverse(other)) and not equal(one, other)),
        "Suffixes": (1, lambda value: frozenset([part[::-1] for part in prefixes(reverse(value))])),
        "SeqMod": (2, lambda one, other: mod(one, other) or force(other)),
        "FoldLeftDomain": (3, lambda op, base, value: fold_left(op, base, tuple(range(1, length(value) + 1)))),
        "FoldRightDomain": (3, lambda op, value, base: fold(op, base, range(length(value), 0, -1))),
        "Interleave": (2, interleave),
        "SubSeqs": (1, parts),
        "AllSubSeqs": (1, all_parts),
        "IndexFirstSubSeq": (2, first_part),
        "ReplaceSubSeqAt": (4, replace_part),
        "ReplaceFirstSubSeq": (3, replace_first_part),
        "Zip": (2, lambda one, other: tuple(zip(sequence(one, "Zip"), sequence(other, "Zip"), strict=False))),
    },
}
