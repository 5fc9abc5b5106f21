"""Which cells variables take, and which of them are read and written."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.tlaplus.test_tla_views import MESSAGES, NIL, ONE, TWO, A, B, C, fields, row_of, spread
from tests.tlaplus.trees import module_of
from workbench.kernel.meaning.state import Reads
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.layout import sample
from workbench.tlaplus.layout.shape_inference import learned
from workbench.tlaplus.layout.shapes import Fixed, Leaf, Members
from workbench.tlaplus.library.arithmetic import interval
from workbench.tlaplus.library.sequences import append, head, length
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.values.lazy import equal, isin
from workbench.tlaplus.values.operators import apply, cup, domain, enumerated, except_, subseteq

# What is read and written --------------------------------------------------------------------------------------------


def reads_of(name: str, value: Any, ask: Callable[[Any], Any]) -> list[Any]:
    """The indices of the cells that a question reads; None is the overflow."""
    place = spread(name)
    reads = Reads(row_of(place, value))
    force_all = ask(place.see(reads))
    assert force_all is not NotImplemented
    return [place.indices[cell] for cell in reads]


def writes_of(name: str, value: Any, change: Callable[[Any], Any]) -> tuple[list[Any], dict[Any, Any]]:
    """The indices of the cells that an assignment reads, and what it writes."""
    place = spread(name)
    reads = Reads(row_of(place, value))
    written = place.changes(reads, change(place.see(reads)))
    return [place.indices[cell] for cell in reads], {place.indices[cell]: what for cell, what in written.items()}


def test_questions_read_the_cells_that_they_are_about():
    assert reads_of("fixed", Map({A: 1, B: 2}), lambda x: apply(x, A)) == [None, (A,)]
    assert reads_of("fixed", Map({A: 1, B: 2}), domain) == [None]
    assert reads_of("messages", frozenset(MESSAGES[:1]), lambda x: isin(MESSAGES[0], x)) == [None, (MESSAGES[0],)]
    assert reads_of("messages", frozenset(), lambda x: isin(fields(n=1), x)) == [None]
    assert reads_of("messages", frozenset(), lambda x: subseteq(x, enumerated(MESSAGES))) == [None]
    assert reads_of("a sequence", (A, B), length) == [None, (None,)]
    assert reads_of("a sequence", (A, B), head) == [None, (None,), (1,)]
    assert reads_of("a sequence", (A, B), lambda x: equal(x, (B, B))) == [None, (None,), (1,)]
    assert reads_of("a sequence", (A, B), lambda x: equal(x, ())) == [None, (None,)]
    assert reads_of("a record or nothing", fields(to=A, n=1), lambda x: equal(x, NIL)) == [None, (None,)]
    assert reads_of("growing", Map({(A, 1): 1}), lambda x: isin((B, 0), domain(x))) == [None, ((B, 0),)]
    assert reads_of("growing", Map({(A, 2): 1}), lambda x: apply(x, (A, 2))) == [None]


def test_assignments_write_the_cells_that_differ():
    both = Map({A: 1, B: 2})
    assert writes_of("fixed", both, lambda x: except_(x, [((A,), lambda _: 7)])) == ([None], {None: None, (A,): 7})
    assert writes_of("messages", frozenset(), lambda x: cup(x, enumerated(MESSAGES[:1]))) == (
        [None],
        {None: None, (MESSAGES[0],): True},
    )
    assert writes_of("a sequence", (A,), lambda x: append(x, B)) == (
        [None, (None,)],
        {None: None, (None,): frozenset({1, 2}), (2,): B},
    )
    assert writes_of("fixed", both, lambda x: x) == ([None], {})


# Learning ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "samples",
    [
        [1, 2],
        [frozenset()],
        [frozenset({1}), NIL],
        [()],
        [frozenset(range(1000))],
        [Map(zip(range(10, 1000), range(990), strict=True))],
        [Map({A: 1}), Map({ONE: 2, TWO: 3}), Map({1: 1, 5: 3})],
    ],
)
def test_what_has_no_parts_or_too_many_is_one_cell(samples):
    assert learned([samples], [{}]) == [None]


def test_variables_share_the_cells():
    many = [frozenset(interval(1, 200).each())]
    shapes = learned([many, many, many, [Map({A: 1, B: 2})]], [{}])
    assert [shape is None for shape in shapes] == [True, False, False, False]


def test_members_that_are_to_be_expected_have_cells():
    (shape,) = learned([[frozenset(MESSAGES[:1]), frozenset(MESSAGES[3:])]], [{}])
    assert isinstance(shape, Members)
    assert shape.keys == set(MESSAGES)
    swap = {"a": "b", "b": "a"}
    (shape,) = learned([[frozenset({(A, 1)})]], [{}, swap])
    assert isinstance(shape, Members)
    assert shape.keys == {(A, 1), (B, 1)}


def test_a_variable_whose_cells_a_renaming_would_change_has_one():
    swap = {"a": "b", "b": "a"}
    assert learned([[Map({A: 1, C: 2})]], [{}, swap]) == [None]
    (shape,) = learned([[Map({A: 1, B: (1, 2)}), Map({A: (2, 1), B: (1, 1)})]], [{}, swap])
    assert isinstance(shape, Fixed)
    assert type(shape.kids[A]) is type(shape.kids[B]) is not Leaf


def test_many_small_sets_are_no_long_evaluation(monkeypatch):
    r"""Only what takes long ends a sample early: steps that each go through a few short lists do not, however many."""
    lines = [
        "EXTENDS Naturals, FiniteSets", "VARIABLE has", "Procs == 1..7", "Init == has = [p \\in Procs |-> 0]",
        "Some == {p \\in SUBSET {k \\in Procs : has[k] < 2} : Cardinality(p) = 2}",
        "Next == \\E one, other \\in Some :"
        " one = other /\\ has' = [p \\in Procs |-> IF p \\in one THEN has[p] + 1 ELSE has[p]]",
    ]  # fmt: skip
    monkeypatch.setattr(sample, "MOST_STATES", 150)
    model = module_of_text(module_of(*lines), "INIT Init NEXT Next")()
    assert len(model.layout.cells) == 8


@pytest.mark.parametrize(("asked", "cells"), [("CONSTRAINT Few", 7), ("CONSTRAINT Few VIEW View", 4)])
def test_a_view_of_few_values_makes_a_sample_whole(asked, cells):
    """Then each variable has one cell, and the view one, though without it there are thousands of states."""
    lines = [
        "EXTENDS Naturals", "VARIABLES far, at", "Init == far = 0 /\\ at = [p \\in 1..5 |-> 0]",
        "Next == far' = far + 1 /\\ at' = [at EXCEPT ![1] = 1 - @]", "Few == far < 2000", "View == <<at, at[1]>>",
    ]  # fmt: skip
    model = module_of_text(module_of(*lines), f"INIT Init NEXT Next {asked}")()
    assert len(model.layout.cells) == cells
