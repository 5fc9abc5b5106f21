r"""Variables over several cells: every operator answers of a view what it answers of the value, errors included."""

import itertools
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from workbench.kernel.meaning.state import Reads
from workbench.kernel.meaning.values import Map, Name, is_same
from workbench.tlaplus.layout.layout import Spread
from workbench.tlaplus.layout.shape_inference import learned
from workbench.tlaplus.layout.shapes import Fixed, Growing, Members, Varying
from workbench.tlaplus.library.arithmetic import lt, plus
from workbench.tlaplus.library.sequences import append, concatenate, head, length, selected, subsequence, tail
from workbench.tlaplus.library.standard import to_string
from workbench.tlaplus.values.lazy import Lazy, each, equal, force, isin, listed
from workbench.tlaplus.values.operators import (
    apply,
    cap,
    choose,
    cup,
    domain,
    enumerated,
    except_,
    field,
    filtered,
    function,
    items,
    mapped,
    merge,
    minus,
    pair,
    record,
    subseteq,
    tupled,
    union,
)
from workbench.tlaplus.values.sets import NAT, Functions, Interval, Records, Sequences, Subsets, cardinality
from workbench.tlaplus.values.values import EvaluationError, text

A, B, C = map(Name, "abc")
NIL = Name("Nil")
ONE, TWO, YES = text("one"), text("two"), text("yes")


def fields(**given: Any) -> Map:
    return Map({text(name): value for name, value in given.items()})


MESSAGES = [fields(type=kind, of=name) for kind in (ONE, TWO) for name in (A, B)]
#: Samples of variables of each kind, and other values that they have later: some fit the cells, some do not.
VARIABLES: dict[str, tuple[type, list[Any], list[Any]]] = {
    "fixed": (
        Fixed,
        [Map({A: 1, B: 2}), Map({A: 2, B: NIL})],
        [Map({A: 7, B: True}), Map({A: 1}), (), NIL, Map({A: 1, B: 2, C: 3}), frozenset()],
    ),
    "fixed, of functions": (
        Fixed,
        [Map({A: Map({ONE: 1, TWO: 1}), B: Map({ONE: 3, TWO: 0})})],
        [Map({A: Map({ONE: 5, TWO: frozenset({1})}), B: Map({ONE: 3, TWO: 0})}), Map({A: (1, 2), B: NIL})],
    ),
    "a record": (Fixed, [fields(n=0, ok=True)], [fields(n=1, ok=False), fields(n=1), fields(m=1, ok=True), (True, 2)]),
    "a pair": (Fixed, [(1, A), (2, B)], [(3, NIL), (1,), (), (1, A, 3), Map({True: 1, 2: A}), Map({2: 1})]),
    "a sequence": (
        Varying,
        [(), (A,), (A, B)],
        [(B, A), (B, A, A), (NIL,), Map({2: A}), Map({True: A}), frozenset(), frozenset({1}), 3],
    ),
    "a record or nothing": (
        Varying,
        [NIL, fields(to=A, n=1)],
        [fields(to=B, n=0), fields(to=B), (), (3,), frozenset({A})],
    ),
    "per process a record or nothing": (
        Fixed,
        [Map({A: NIL, B: fields(to=A, n=1)}), Map({A: fields(to=A, n=1), B: NIL})],
        [Map({A: NIL, B: NIL}), Map({A: fields(to=NIL, n=1), B: fields(to=A, n=(1,))}), Map({A: (), B: frozenset()})],
    ),
    "growing": (
        Growing,
        [(), Map({(A, 1): 1}), Map({(A, 1): 1, (B, 0): 2})],
        [Map({(B, 0): 3}), Map({(B, True): 3}), Map({(B, 0): NIL, (A, 2): 1}), (4,), frozenset({(A, 1)}), NIL],
    ),
    "growing, of records": (
        Growing,
        [(), Map({A: fields(n=1, ok=True)}), Map({A: fields(n=1, ok=True), B: fields(n=2, ok=True)})],
        [Map({B: fields(n=1, ok=True)}), Map({B: fields(n=1)}), Map({A: NIL, B: fields(n=1, ok=False)}), Map({C: 1})],
    ),
    "messages": (
        Members,
        [frozenset(), frozenset(MESSAGES[:1]), frozenset(MESSAGES[:3])],
        [frozenset(MESSAGES), frozenset([fields(type=ONE, of=NIL)]), frozenset([fields(n=1)]), (), NIL],
    ),
    "numbers": (
        Members,
        [frozenset({0, 1}), frozenset({1, 2})],
        [frozenset({2}), frozenset({0, 5}), frozenset({True}), frozenset({(1, 2)}), 4],
    ),
    "pairs": (
        Members,
        [frozenset({(A, 1), (B, 0)}), frozenset({(A, 0)})],
        [frozenset(), frozenset({(A, True)}), frozenset({(A, False)}), frozenset({(C, 1)}), frozenset({(A,)})],
    ),
}
NAMES = list(VARIABLES)


def spread(name: str) -> Spread:
    _, samples, _ = VARIABLES[name]
    (shape,) = learned([samples], [{}])
    assert shape is not None
    return Spread(0, shape)


def row_of(place: Spread, value: Any) -> list[Any]:
    contents = place.contents(value)
    assert sorted(contents) == list(range(len(place.indices)))
    return [contents[number] for number in sorted(contents)]


def values_of(name: str) -> list[Any]:
    _, samples, others = VARIABLES[name]
    return [*samples, *others]


@pytest.mark.parametrize("name", NAMES)
def test_each_kind_of_variable_has_its_shape(name):
    kind, samples, _ = VARIABLES[name]
    place = spread(name)
    assert type(place.shape) is kind
    assert all(row_of(place, value)[0] is None for value in samples)


@pytest.mark.parametrize("name", NAMES)
def test_a_value_has_one_representation_and_is_read_as_it_was(name):
    place = spread(name)
    overflowing = 0
    for value in values_of(name):
        row = row_of(place, value)
        if row[0] is not None:
            assert set(row[1:]) == {None}
            overflowing += 1
        assert is_same(place.value(row), value)
        assert is_same(force(place.see(row)), value)
    assert overflowing


# Questions -----------------------------------------------------------------------------------------------------------

LISTED: list[list[Any]] = [
    *([], [1, 2], [True], [A], [A, B], MESSAGES[:2], [(A, 1)], [(A, 1), (C, 1)], [NIL], [fields(n=1)]),
]
OPERANDS = [
    *(
        0,
        1,
        2,
        True,
        A,
        B,
        NIL,
        ONE,
        text("type"),
        text("to"),
        text("n"),
        (),
        (A, 1),
        (A, 0),
        (A, True),
        (1, 2),
        (B, 0),
    ),
    *(*MESSAGES, fields(n=1, ok=True), fields(n=1), Map({A: 1, B: 2}), Map({1: 2, 3: 4}), NAT, Interval(0, 1)),
    *(Sequences(enumerated([A, B])), Subsets(Interval(0, 2)), Functions(enumerated([A, B]), NAT)),
    *(enumerated(listed) for listed in LISTED),
    Records({text("to"): enumerated([A, B]), text("n"): NAT}),
    enumerated([(), (A,), fields(to=A, n=1)]),
]


def both(view: Any, other: Any) -> list[Any]:
    return [equal(view, other), equal(other, view)]


ONE_OPERAND: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "equal to itself": lambda x: equal(x, x),
    "each": lambda x: tuple(each(x)),
    "union": lambda x: union(enumerated([x])),
    "choose": lambda x: choose(x, lambda one: not equal(one, A)),
    "mapped": lambda x: mapped(lambda one: tupled(one, 1), x),
    "filtered": lambda x: listed(filtered(x, lambda one: not equal(one, 1))),
    "domain": domain,
    "domain, each": lambda x: tuple(each(domain(x))),
    "items": lambda x: tuple(items(x)),
    "copied": lambda x: function(domain(x), lambda one: apply(x, one)),
    "counted": lambda x: cardinality(x),
    "counted domain": lambda x: cardinality(domain(x)),
    "length": length,
    "head": head,
    "tail": tail,
    "selected": lambda x: selected(x, lambda one: equal(one, A)),
    "subsequence": lambda x: subsequence(x, 1, length(x)),
    "text": to_string,
    "in a record": lambda x: record({text("x"): x}),
    "to": lambda x: field(x, text("to")),
    "to of b": lambda x: field(apply(x, B), text("to")),
    "n of a is less": lambda x: lt(field(apply(x, A), text("n")), 2),
    "shorter": lambda x: lt(length(x), 2),
    "longer": lambda x: length(append(x, B)),
}
TWO_OPERANDS: dict[str, Callable[[Any, Any], Any]] = {
    "equal": lambda x, y: equal(x, y),
    "equal, the other way round": lambda x, y: equal(y, x),
    "parts equal": lambda x, y: equal(apply(x, A), y),
    "in": lambda x, y: isin(x, y),
    "has": lambda x, y: isin(y, x),
    "domain has": lambda x, y: isin(y, domain(x)),
    "cup": lambda x, y: cup(x, y),
    "cup, the other way round": lambda x, y: cup(y, x),
    "domain cup": lambda x, y: cup(domain(x), y),
    "cap": lambda x, y: cap(x, y),
    "cap, the other way round": lambda x, y: cap(y, x),
    "minus": lambda x, y: minus(x, y),
    "minus, the other way round": lambda x, y: minus(y, x),
    "within": lambda x, y: subseteq(x, y),
    "within, the other way round": lambda x, y: subseteq(y, x),
    "domain within": lambda x, y: subseteq(domain(x), y),
    "applied": lambda x, y: apply(x, y),
    "merged": lambda x, y: merge(x, y),
    "merged, the other way round": lambda x, y: merge(y, x),
    "one more": lambda x, y: merge(x, pair(y, 1)),
    "one replaced": lambda x, y: merge(pair(y, 1), x),
    "appended": lambda x, y: append(x, y),
    "joined": lambda x, y: concatenate(x, y),
    "except": lambda x, y: except_(x, [((y,), lambda old: 9)]),
    "except, with the old": lambda x, y: except_(x, [((y,), lambda old: plus(old, 1))]),
    "except, inside": lambda x, y: except_(x, [((A, y), lambda old: old), ((B, text("n")), lambda old: y)]),
    "in a set": lambda x, y: isin(tupled(x, y), enumerated([tupled(x, 1)])),
}


def answer(ask: Callable[..., Any], *operands: Any) -> Any:
    try:
        return force(ask(*operands))
    except EvaluationError:
        return EvaluationError


def are_same(one: Any, other: Any) -> bool:
    if one is EvaluationError or other is EvaluationError:
        return one is other
    return type(one) is type(other) if isinstance(one, Lazy) else is_same(one, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_views_answer_as_their_values_do(name):
    place = spread(name)
    for value in values_of(name):
        row = row_of(place, value)
        for question, ask in ONE_OPERAND.items():
            assert are_same(answer(ask, place.see(row)), answer(ask, value)), (question, value)
        for question, asked in TWO_OPERANDS.items():
            for operand in [*OPERANDS, *values_of(name)]:
                found, expected = answer(asked, place.see(row), operand), answer(asked, value, operand)
                assert are_same(found, expected), (question, value, operand)


@pytest.mark.parametrize("name", NAMES)
def test_views_of_two_states_are_compared_as_their_values_are(name):
    place = spread(name)
    for one, other in itertools.product(values_of(name), repeat=2):
        views = place.see(row_of(place, one)), place.see(row_of(place, other))
        for question, ask in TWO_OPERANDS.items():
            assert are_same(answer(ask, *views), answer(ask, one, other)), (question, one, other)


@pytest.mark.parametrize("name", [name for name, (shape, *_) in VARIABLES.items() if shape is not Members])
def test_an_overlay_and_a_view_of_another_state_are_compared_as_their_values_are(name):
    place = spread(name)
    for one, other in itertools.product(values_of(name), repeat=2):
        for key, new in itertools.product([A, B, text("n"), 1], [1, NIL, True, Interval(1, 2), Map({ONE: 1, TWO: 1})]):
            overlay = answer(except_, place.see(row_of(place, one)), [((key,), constantly(new))])
            value = answer(except_, one, [((key,), constantly(new))])
            if value is EvaluationError:
                continue
            view = place.see(row_of(place, other))
            assert are_same(answer(equal, overlay, view), answer(equal, value, other)), (one, other, key, new)
            assert are_same(answer(equal, view, overlay), answer(equal, other, value)), (one, other, key, new)


def test_a_view_and_an_overlay_are_compared_up_to_the_first_difference():
    place = spread("fixed")
    before, after = Reads(row_of(place, Map({A: 1, B: 2}))), Reads(row_of(place, Map({A: 2, B: 2})))
    assert not equal(place.see(after), except_(place.see(before), [((A,), constantly(3))]))
    overflow, of_a, _ = place.cells
    assert (set(before), set(after)) == ({overflow}, {overflow, of_a})


# Assignments ---------------------------------------------------------------------------------------------------------

#: What a state may hold.
VALUES = [listed(operand) for operand in OPERANDS if not (isinstance(operand, Lazy) and operand.endless)]
CHANGES: list[Callable[[Any, Random], Any]] = [
    lambda x, dice: cup(x, enumerated([dice.choice(VALUES)])),
    lambda x, dice: minus(x, enumerated([dice.choice(VALUES)])),
    lambda x, dice: cup(x, enumerated(dice.choices(MESSAGES, k=2))),
    lambda x, dice: minus(x, enumerated(dice.choices(MESSAGES, k=2))),
    lambda x, dice: append(x, dice.choice([A, B, NIL])),
    lambda x, dice: merge(x, pair(dice.choice(VALUES), dice.choice(VALUES))),
    lambda x, dice: merge(x, pair(dice.choice([A, B, (A, 1), (B, 0)]), dice.choice([1, fields(n=1, ok=True)]))),
    lambda x, dice: except_(x, [((dice.choice(VALUES),), constantly(dice.choice(VALUES)))]),
    lambda x, dice: except_(x, [((dice.choice([A, B, (A, 1), 1, 2]),), constantly(dice.choice([1, NIL, A])))]),
    lambda x, dice: except_(
        x,
        [
            ((dice.choice([A, B]), dice.choice([ONE, TWO, text("n")])), lambda old: plus(old, 1)),
            ((dice.choice([text("n"), text("to"), A]),), constantly(dice.choice([1, NIL, A]))),
        ],
    ),
    lambda x, dice: domain(x),
    lambda x, dice: apply(x, dice.choice([A, B, 1])),
    lambda x, dice: cup(x, domain(x)),
    lambda x, dice: x,
]


def constantly(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


def changed(value: Any, changes: Sequence[Any], seed: int) -> Any:
    dice = Random(seed)
    for change in changes:
        value = change(value, dice)
    return value


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_is_assigned_is_in_the_cells_and_what_stays_is_not_written(name):
    place, dice, done = spread(name), Random(0), 0
    for number in range(4000):
        value = dice.choice(values_of(name))
        changes = dice.choices(CHANGES, k=dice.randrange(1, 4))
        expected = answer(changed, value, changes, number)
        row = row_of(place, value)
        reads = Reads(row)
        view = place.see(reads)
        assert are_same(answer(changed, view, changes, number), expected), (value, changes)
        if expected is EvaluationError or isinstance(expected, Lazy):
            continue
        after = list(row)
        for cell, content in place.changes(reads, changed(view, changes, number)).items():
            after[cell] = content
        assert all(map(is_same, after, row_of(place, expected))), (value, changes)
        assert not (isinstance(view, Lazy) and place.changes(reads, view))
        done += 1
    assert done > 100


def test_an_overlay_is_stored_only_where_it_is_from():
    place = spread("fixed, of functions")
    value = Map({A: Map({ONE: 1, TWO: 1}), B: Map({ONE: 3, TWO: 0})})
    row = row_of(place, value)
    view = place.see(row)
    exchanged = except_(view, [((A,), lambda _: apply(view, B)), ((B,), lambda _: apply(view, A))])
    assert place.value(Over(row, place.changes(row, exchanged))) == Map({A: value[B], B: value[A]})


class Over(list[Any]):
    """A row with other contents in some cells."""

    def __init__(self, row: Sequence[Any], contents: dict[int, Any]) -> None:
        super().__init__(contents.get(number, content) for number, content in enumerate(row))
