"""Values that are the same are one object, and signatures know no more than TLC's order does."""

import itertools
from typing import Any

import pytest

from workbench.kernel.meaning.values import Map, Name, is_same
from workbench.tlaplus.values import interning, signatures
from workbench.tlaplus.values.equality import contains, same, set_of
from workbench.tlaplus.values.interning import Interner
from workbench.tlaplus.values.operators import cap, cup, minus, tupled
from workbench.tlaplus.values.signatures import BOTTOM, UNKNOWN, Signatures
from workbench.tlaplus.values.values import EvaluationError, Order, evaluation, in_order, interner, order_key, text

M, TYPED, A, B = Name("m"), Name("A_1"), text("a"), text("b")
ATOMS: list[Any] = [0, 1, True, False, A, M, TYPED]
TUPLES: list[Any] = [(), (1,), (True,), (M,), (1, 1), (1, True), (M, True), (1, A), (1, A, 2), ((1,), 2), ((True,), 2)]
LISTS: list[list[Any]] = [
    *([], [1], [True], [M], [1, 2], [M, 1], [False, True], [(1, A)], [(1, 2), (1,)], [()], [(), (A,)]),
    *([frozenset(members)] for members in ([], [1], [True], [M])),
]
SETS: list[Any] = [frozenset(members) for members in LISTS]
MAPS: list[Any] = [
    Map(data)
    for data in (
        *({A: 1}, {A: True}, {A: M}, {B: 1}, {A: 1, B: True}, {M: 1}, {0: 1}, {0: True}, {0: 1, 1: A}, {False: 1}),
        *({A: Map({B: 1})}, {A: Map({B: True})}, {(1, 2): 1}, {(True, 2): 1}),
    )
]
VALUES = [*ATOMS, *TUPLES, *SETS, *MAPS, frozenset(MAPS[:4]), frozenset(MAPS[:1]), frozenset([MAPS[1], MAPS[3]])]


def by_keys(one: Any, other: Any) -> Any:
    """Whether two values are equal, as their order keys say it; None if TLC cannot compare them."""
    first, second = order_key(one), order_key(other)
    try:
        return first == second or (first < second) is None
    except TypeError:
        return None


def test_values_whose_signatures_have_a_join_are_compared_by_python_as_tlc_does():
    known = Signatures()
    compared = 0
    for one, other in itertools.product(VALUES, repeat=2):
        joint = known.join(known.of(one), known.of(other))
        assert joint == known.join(known.of(other), known.of(one))
        if joint:
            assert by_keys(one, other) is (one == other), (one, other)
            compared += 1
    assert compared > 300


def test_values_of_one_signature_are_the_same_if_they_are_equal():
    known = Signatures()
    equal = [(one, other) for one, other in itertools.product(VALUES, repeat=2) if one == other]
    assert any(not is_same(*pair) for pair in equal)
    assert all(is_same(*pair) for pair in equal if known.of(pair[0]) == known.of(pair[1]) != UNKNOWN)


def test_a_join_of_three_does_not_depend_on_their_order():
    known = Signatures()
    numbers = sorted({known.of(value) for value in VALUES})
    for one, two, three in itertools.product(numbers, repeat=3):
        assert known.join(known.join(one, two), three) == known.join(one, known.join(two, three))


def test_no_answer_depends_on_what_is_remembered(monkeypatch):
    def answers() -> list[Any]:
        with in_order(Order()):
            pairs = [answer(same, *pair) for pair in itertools.product(VALUES, repeat=2)]
            return pairs + [answer(contains, *pair) for pair in itertools.product(SETS, VALUES)]

    expected = answers()
    for most in ("_MOST_FORMS", "_MOST_JOINS", "_MOST_RECORDS", "_ROOM"):
        monkeypatch.setattr(signatures, most, 1)
        assert answers() == expected


def answer(question: Any, *values: Any) -> Any:
    try:
        return question(*values)
    except EvaluationError:
        return "error"


def test_no_order_key_is_made_where_kinds_suffice():
    with in_order(Order()):
        members = set_of([tupled(number, A, frozenset([number])) for number in range(9)])
        assert contains(members, (3, A, frozenset([3])))
        assert not contains(members, (3, A, frozenset([4])))
        assert len(cup(members, set_of([(1, B, frozenset([7]))]))) == 10
        assert not evaluation().order._keys


def test_sets_and_tuples_that_are_the_same_are_one_object():
    with in_order(Order()):
        members = set_of([(1, A), (2, B)])
        assert set_of([(2, B), (1, A), (1, A)]) is members
        assert cup(set_of([(1, A)]), set_of([(2, B)])) is members
        assert minus(set_of([(1, A), (2, B), (3, B)]), set_of([(3, B)])) is members
        assert cap(set_of([(1, A), (2, B), (3, B)]), members) is members
        assert tupled(members, 1) is tupled(members, 1)


def test_values_that_python_takes_for_equal_are_different_objects():
    values = [tupled(set_of([part]), 1) for part in (1, True, M, (1, 1), (1, True), (True, 1))]
    assert [repr(value) for value in values] == [
        repr((frozenset([part]), 1)) for part in (1, True, M, (1, 1), (1, True), (True, 1))
    ]


def test_true_beside_one_is_an_error_though_python_drops_it():
    with pytest.raises(EvaluationError, match="cannot be compared"):
        set_of([1, True])


def test_a_generation_ends_when_its_tables_hold_much(monkeypatch):
    monkeypatch.setattr(interning, "_ROOM", 10)
    table = Interner()
    first = table.set_of(frozenset([1, 2, 3]))
    assert table.set_of(frozenset([1, 2, 3])) is first
    for number in range(100):
        table.set_of(frozenset([number, M]))
        assert sum(len(value) + 1 for values in table._tables.values() for value in values) <= 10
    assert table.set_of(frozenset([1, 2, 3])) == first


def test_a_value_that_nothing_is_known_of_is_returned_as_it_is():
    table = Interner()
    value = frozenset([TYPED])
    assert table.set_of(value) is value
    assert table.set_of(frozenset([TYPED])) is not value
    assert table.signatures.of(M) == BOTTOM
    assert interner() is not table
