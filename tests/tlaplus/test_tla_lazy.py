r"""Lazy values: sets too large to list, functions that are evaluated where they are applied, and views of cells.

The views here are the smallest that track changes: one cell for each possible member, or each key.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from workbench.kernel.meaning.values import Map, Name
from workbench.tlaplus.library.arithmetic import interval, lt, plus
from workbench.tlaplus.library.sequences import append, head, length
from workbench.tlaplus.library.standard import MODULES, to_string
from workbench.tlaplus.values.lazy import Lazy, Update, each, equal, force, isin
from workbench.tlaplus.values.operators import (
    LazyFunction,
    apply,
    cap,
    choose,
    cup,
    domain,
    enumerated,
    except_,
    field,
    filtered,
    mapped,
    merge,
    minus,
    pair,
    record,
    subseteq,
    tupled,
    union,
)
from workbench.tlaplus.values.sets import NAT, Functions, Interval, Product, Records, Sequences, Subsets, cardinality
from workbench.tlaplus.values.values import EvaluationError, Order, in_order, ordered, shown, text

ONE, TWO, THREE = (Name(f"w{number}") for number in (1, 2, 3))
ALL = (ONE, TWO, THREE)


class Cells:
    """Cells that remember which of them were read."""

    def __init__(self, values: dict[Any, Any]) -> None:
        self.values, self.read = values, set[Any]()

    def __getitem__(self, key: Any) -> Any:
        self.read.add(key)
        return self.values[key]


class Members(Lazy):
    """A set with a cell for each member that it may have."""

    tracks = True

    def __init__(self, cells: Cells, changes: dict[Any, bool] | None = None) -> None:
        self.cells, self.changes = cells, changes or {}

    def has(self, value: Any) -> bool:
        return self.changes[value] if value in self.changes else bool(self.cells[value])

    def each(self) -> Iterator[Any]:
        return (member for member in ALL if self.has(member))

    def force(self) -> frozenset[Any]:
        return frozenset(self.each())

    def changed(self, members: frozenset[Any], there: bool) -> Any:
        return Members(self.cells, {**self.changes, **dict.fromkeys(members, there)})


class Fields(Lazy):
    """A function with a cell for each value."""

    def __init__(self, cells: Cells, changes: dict[Any, Any] | None = None) -> None:
        self.cells, self.changes = cells, changes or {}

    def domain(self) -> frozenset[Any]:
        return frozenset([*self.cells.values, *self.changes])

    def at(self, argument: Any) -> Any:
        return self.changes[argument] if argument in self.changes else self.cells[argument]

    def force(self) -> Any:
        return Map({key: force(self.at(key)) for key in self.domain()})

    def added(self, pairs: Iterable[tuple[Any, Any]]) -> Any:
        known = self.domain()
        return Fields(self.cells, {**self.changes, **{key: value for key, value in pairs if key not in known}})

    def updated(self, updates: Sequence[Update]) -> Any:
        made = self
        for (key, *path), new in updates:
            old = made.at(key)
            value = except_(old, [(path, new)]) if path else new(old)
            made = Fields(made.cells, {**made.changes, key: value})
        return made


def members(*there: Name) -> Members:
    return Members(Cells({name: name in there for name in ALL}))


# Views ---------------------------------------------------------------------------------------------------------------


def test_membership_reads_one_cell() -> None:
    view = members(ONE)
    assert isin(ONE, view)
    assert not isin(TWO, view)
    assert view.cells.read == {ONE, TWO}


def test_adding_and_removing_reads_nothing() -> None:
    view = members(ONE)
    changed = minus(cup(view, enumerated([TWO])), enumerated([ONE]))
    assert not view.cells.read
    assert changed.changes == {TWO: True, ONE: False}
    assert cup(enumerated([TWO]), view).changes == {TWO: True}
    assert force(changed) == {TWO}


def test_a_set_that_was_just_changed_is_found_in_a_set_of_sets() -> None:
    pairs = filtered(Subsets(enumerated(ALL)), lambda chosen: cardinality(chosen) == 2)
    changed = cup(members(ONE), enumerated([TWO]))
    assert isin(changed, pairs)
    assert isin(changed, force(pairs))
    assert isin(changed, Subsets(enumerated(ALL)))
    assert isin(tupled(changed), enumerated([tupled(enumerated([TWO, ONE]))]))
    assert not isin(members(ONE), pairs)
    assert not isin(members(ONE), force(pairs))


@pytest.mark.parametrize("other", [enumerated([ONE, TWO]), members(ONE, TWO)])
def test_a_view_is_equal_to_what_it_shows(other: Any) -> None:
    assert equal(members(ONE, TWO), other)
    assert equal(other, members(ONE, TWO))
    assert not equal(members(ONE), other)
    assert not equal(other, members(ONE))


def test_a_view_of_a_set_is_an_operand() -> None:
    view = members(ONE, TWO)
    assert subseteq(view, enumerated(ALL))
    assert not subseteq(enumerated(ALL), view)
    assert cap(enumerated([TWO, THREE]), view) == {TWO}
    assert force(cap(view, enumerated([TWO, THREE]))) == {TWO}
    assert force(cap(view, members(TWO))) == {TWO}
    assert minus(enumerated(ALL), view) == {THREE}
    assert force(cup(view, members(THREE))) == set(ALL)
    assert cardinality(view) == 2
    assert choose(view, lambda name: not equal(name, ONE)) == TWO
    assert mapped(lambda name: name, view) == {ONE, TWO}
    assert union(enumerated([view, members(THREE)])) == set(ALL)
    assert list(each(filtered(view, lambda name: equal(name, TWO)))) == [TWO]
    assert to_string(view) == text("{w1, w2}")
    assert shown(view) == "{w1, w2}"


def test_a_function_is_read_where_it_is_applied() -> None:
    view = Fields(Cells({ONE: 1, TWO: record({text("a"): (5, 6)}), THREE: 3}))
    assert apply(view, ONE) == 1
    assert field(apply(view, TWO), text("a")) == (5, 6)
    assert view.cells.read == {ONE, TWO}
    assert domain(view) == set(ALL)


def test_except_of_a_view_names_what_differs() -> None:
    view = Fields(Cells({ONE: 1, TWO: Map({text("a"): (5, 6)}), THREE: 3}))
    made = except_(view, [((ONE,), lambda old: plus(old, 1)), ((TWO, text("a"), 2), lambda old: plus(old, 1))])
    assert made.changes == {ONE: 2, TWO: Map({text("a"): (5, 7)})}
    assert view.cells.read == {ONE, TWO}


def test_merging_reads_no_values() -> None:
    view = Fields(Cells({ONE: 1, TWO: 2}))
    made = merge(view, Map({TWO: 9, THREE: 3}))
    assert made.changes == {THREE: 3}
    assert not view.cells.read
    assert force(merge(pair(ONE, 9), view)) == Map({ONE: 9, TWO: 2})
    assert equal(made, Map({ONE: 1, TWO: 2, THREE: 3}))
    assert isin(made, Functions(enumerated(ALL), NAT))


def test_a_view_of_a_sequence() -> None:
    view = Fields(Cells({1: ONE, 2: TWO}))
    assert length(view) == 2
    assert not view.cells.read
    assert append(view, THREE).changes == {3: THREE}
    assert head(view) == ONE
    assert view.cells.read == {1}
    with pytest.raises(EvaluationError, match="Len needs a sequence"):
        length(Fields(Cells({1: ONE, 3: TWO})))


def test_what_a_view_does_not_answer_itself_is_answered_from_its_list() -> None:
    class Plain(Lazy):
        def __init__(self, value: Any) -> None:
            self.value = value

        def force(self) -> Any:
            return self.value

    sequence, two = Plain((5, 6)), Plain(enumerated([ONE, TWO]))
    assert apply(sequence, 2) == 6
    assert domain(sequence) == {1, 2}
    assert except_(sequence, [((1,), lambda old: plus(old, 1))]) == (6, 6)
    assert merge(sequence, pair(3, 7)) == (5, 6, 7)
    assert append(sequence, 7) == (5, 6, 7)
    assert equal(sequence, (5, 6))
    assert isin(sequence, enumerated([(5, 6)]))
    assert isin(ONE, two)
    assert two.changed(enumerated([THREE]), True) == set(ALL)
    assert two.changed(enumerated([TWO]), False) == {ONE}
    assert plus(Plain(1), Plain(2)) == 3
    with pytest.raises(EvaluationError):
        Plain(enumerated([1])).changed(enumerated([True]), True)


# Sets that nobody lists ----------------------------------------------------------------------------------------------

HUGE = Interval(1, 10**9)


@pytest.mark.parametrize(
    ("value", "members", "there"),
    [
        (7, HUGE, True),
        (enumerated([1, 2]), Subsets(HUGE), True),
        (enumerated([0]), Subsets(HUGE), False),
        ((1, 2), Product(HUGE, HUGE), True),
        (tuple(range(100)), Functions(interval(1, 100), NAT), True),
        (record({text("a"): 1}), Records({text("a"): HUGE}), True),
        (enumerated([(1,), ()]), Subsets(Sequences(NAT)), True),
        (3, cup(NAT, Subsets(HUGE)), True),
        (3, minus(NAT, interval(1, 3)), False),
    ],
)
def test_membership_lists_nothing(value: Any, members: Any, there: bool) -> None:
    assert isin(value, members) is there


def test_a_lazy_set_may_be_a_part_of_a_value() -> None:
    kinds = record({text("count"): NAT})
    assert isin(3, field(kinds, text("count")))
    with pytest.raises(EvaluationError, match="Nat"):
        equal(kinds, record({text("count"): 3}))


@pytest.mark.parametrize("endless", [NAT, Sequences(NAT), Subsets(NAT), cup(NAT, enumerated([1])), minus(NAT, HUGE)])
def test_what_cannot_be_listed_is_refused_in_one_line(endless: Any) -> None:
    for ask in (each, cardinality, choose_any, mapped_to_itself):
        with pytest.raises(EvaluationError, match=r"\A.+\Z"):
            ask(endless)


def choose_any(members: Any) -> Any:
    return choose(members, lambda _: True)


def mapped_to_itself(members: Any) -> Any:
    return mapped(lambda member: member, members)


def test_a_function_is_evaluated_once_where_it_is_applied() -> None:
    asked = []

    def body(argument: int) -> int:
        asked.append(argument)
        return argument + 1

    made = LazyFunction(NAT, body)
    assert [apply(made, 1), apply(made, 1), apply(made, 2)] == [2, 2, 3]
    assert asked == [1, 2]
    with pytest.raises(EvaluationError, match="not in the domain"):
        apply(made, -1)


def test_a_function_of_booleans_does_not_answer_for_numbers() -> None:
    made = LazyFunction(enumerated([True, False]), lambda argument: argument)
    assert apply(made, True) is True
    with pytest.raises(EvaluationError):
        apply(made, 1)


# Words, and modules --------------------------------------------------------------------------------------------------


@pytest.fixture
def announced() -> Iterator[None]:
    """The order in which TLC met these words, in a module that says EXTENDS Ext; printed by TLC itself."""
    with in_order(Order(["r", "q", "p", "later", "zz", "E2", "e2", "m2", "e1", "m1"])):
        yield


@pytest.mark.usefixtures("announced")
def test_words_are_in_the_order_in_which_tlc_met_them() -> None:
    words = enumerated(map(text, ["e1", "m1", "zz", "q", "unknown", "E2", "r"]))
    assert shown(words) == '{"r", "q", "zz", "E2", "e1", "m1", "unknown"}'
    assert ordered(enumerated(map(Name, "pqr"))) == ("r", "q", "p")
    assert shown(record({text("zz"): 1, text("later"): 2})) == "[later |-> 2, zz |-> 1]"
    assert choose(Records({text("zz"): interval(1, 2), text("later"): interval(1, 2)}), lambda _: True) == record(
        {text("zz"): 1, text("later"): 1}
    )


def test_words_that_nobody_announced_are_in_alphabetical_order() -> None:
    assert shown(enumerated(map(text, "cab"))) == '{"a", "b", "c"}'


@pytest.mark.parametrize("name", ["JavaTime", "RandomElement", "TLCGet"])
def test_what_is_no_function_of_the_state_is_refused(name: str) -> None:
    arity, function = MODULES["TLC"][name]
    with pytest.raises(EvaluationError, match=f"{name} of the module TLC is not supported"):
        function(*range(arity))


def test_a_value_may_be_found_by_a_test_that_is_no_predicate() -> None:
    with pytest.raises(EvaluationError, match="not a boolean"):
        choose(enumerated([1]), lambda _: 1)
    assert choose(enumerated([1, 2]), lambda number: lt(1, number)) == 2
