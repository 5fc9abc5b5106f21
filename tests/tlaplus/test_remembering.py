"""Answers of definitions, by the cells that they read."""

from typing import Any

import pytest

from tests.tlaplus.trees import module_of
from workbench import Budget, ModelError, check
from workbench.kernel.meaning.state import Reads
from workbench.tlaplus.compiler import memo
from workbench.tlaplus.compiler.memo import Remembered
from workbench.tlaplus.config.closures import MOST_CASES
from workbench.tlaplus.layout import sample
from workbench.tlaplus.layout.layout import VariableValues
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.steps.quantifier_memo import Members
from workbench.tlaplus.steps.steps import TextInstance
from workbench.tlaplus.values.sets import NAT


class Asked:
    """A definition of three variables, with what it was asked: whether the first is odd, else the second."""

    def __init__(self) -> None:
        self.times: list[Any] = []

    def __call__(self, now: Any, _then: Any, *arguments: Any) -> Any:
        self.times.append(arguments)
        return now[0] % 2 == 1 or now[1]


def ask(definition: Remembered, *row: Any, arguments: tuple[Any, ...] = ()) -> tuple[Any, list[int]]:
    """The answer in a state, and the cells that were read for it, in order."""
    reads = Reads(row)
    return definition(VariableValues(reads, range(len(row))), None, *arguments), list(reads)


def test_an_answer_is_known_where_the_cells_that_it_depends_on_are_the_same():
    asked = Asked()
    remembered = Remembered(asked)
    assert ask(remembered, 1, 5, 7) == ask(remembered, 1, 6, 8) == (True, [0])
    assert ask(remembered, 2, 5, 7) == ask(remembered, 2, 5, 8) == (5, [0, 1])
    assert ask(remembered, 2, 6, 7) == (6, [0, 1])
    assert len(asked.times) == 3


def test_arguments_that_python_takes_for_equal_are_different():
    asked = Asked()
    remembered = Remembered(asked)
    for argument in (1, True, (1,), (True,), 1):
        assert ask(remembered, 3, 0, arguments=(argument,)) == (True, [0])
    assert asked.times == [(1,), (True,), ((1,),), ((True,),)]


def test_contents_that_python_takes_for_equal_are_different():
    remembered = Remembered(lambda now, _: str(now[0]))
    assert [ask(remembered, one)[0] for one in (1, True, 1)] == ["1", "True", "1"]


def test_what_depends_on_nothing_is_known_everywhere():
    remembered = Remembered(lambda now, _: 7)
    assert ask(remembered, 1) == ask(remembered, 2) == (7, [])


@pytest.mark.parametrize("argument", [NAT, ((1,), 2), frozenset({1})], ids=str)
def test_answers_for_lazy_and_nested_arguments_are_not_kept(argument):
    asked = Asked()
    remembered = Remembered(asked)
    assert [ask(remembered, 1, 0, arguments=(argument,))[0] for _ in range(2)] == [True, True]
    assert asked.times == [(argument,), (argument,)]


def test_lazy_answers_are_not_kept():
    lazy = Remembered(lambda now, _: NAT)
    assert [ask(lazy, 1)[0] for _ in range(2)] == [NAT, NAT]


def test_a_definition_that_reads_in_another_order_is_refused():
    """Were the answer kept, the content of one cell would be taken for that of another."""
    turns = iter([lambda now: (now[0], now[1]), lambda now: now[1], lambda now: now[0]])
    remembered = Remembered(lambda now, _: next(turns)(now))
    assert ask(remembered, "a", 1, 0)[0] == ("a", 1)
    for row in (("b", 1, 0), ("a", 2, 0)):
        with pytest.raises(ModelError, match="after the same reads it read another cell, or none"):
            ask(remembered, *row)


@pytest.mark.parametrize("again", [0, 9])
def test_what_is_seldom_known_is_forgotten_and_no_longer_kept(again, monkeypatch):
    monkeypatch.setattr(memo, "_MOST_NODES", 10)
    asked = Asked()
    remembered = Remembered(asked)
    for number in range(10):
        for _ in range(1 + again):
            assert ask(remembered, 2, number)[0] == number
    before = len(asked.times)
    assert [ask(remembered, 2, 9)[0] for _ in range(2)] == [9, 9]
    assert len(asked.times) - before == (0 if again else 2)


def test_what_comes_of_a_member_is_known_where_the_cells_are_the_same_that_it_depends_on(monkeypatch):
    """The figures are TLC's."""
    lines = [
        "EXTENDS Naturals", "CONSTANT Procs", "VARIABLES open, count",
        "Init == open = Procs /\\ count = [p \\in Procs |-> 0]",
        "Next == /\\ \\E p \\in open : count' = [count EXCEPT ![p] = (@ + 1) % 5] /\\ UNCHANGED open",
    ]  # fmt: skip
    monkeypatch.setattr(sample, "MOST_STATES", 20)
    model = module_of_text(module_of(*lines), "CONSTANT Procs = {a, b, c, d} INIT Init NEXT Next")()
    assert len(model.instances) == 1
    assert len(model.layout.cells) == 10
    taken, take = list[Any](), TextInstance._taken

    def noted(self: Any, function: Any, values: Any, chosen: Any, before: Any) -> Any:
        taken.append(chosen)
        return take(self, function, values, chosen, before)

    monkeypatch.setattr(TextInstance, "_taken", noted)
    result = check(model)
    assert (result.distinct, result.generated, result.depth) == (625, 2501, 17)
    assert len(taken) < 100


WIDE = [
    "EXTENDS Naturals", "VARIABLE x", "Init == x = 0", "Most == {most}",
    "Next == \\E n \\in 1 .. Most : n = x + 1 /\\ x < 3 /\\ x' = n",
    "Few == \\A n \\in 1 .. Most : n # 9 \\/ x < 3",
]  # fmt: skip


def wide(most: int) -> Any:
    return module_of_text(module_of(*WIDE).replace("{most}", str(most)), "INIT Init NEXT Next INVARIANT Few")()


@pytest.mark.parametrize(("most", "actions"), [(20, 20), (MOST_CASES + 1, 1)])
def test_the_members_of_a_wide_set_are_neither_actions_nor_asked_one_by_one(most, actions, monkeypatch):
    """The figures are TLC's."""
    monkeypatch.delattr(Members, "answer")
    model = wide(most)
    assert len(model.instances) == actions
    result = check(model)
    assert (result.distinct, result.generated, result["Few"].trace_states) == (4, 4, 4)


def test_the_members_of_a_very_wide_set_are_not_listed():
    result = check(wide(2_000_000_000), budget=Budget(seconds=0.1))
    assert (result.distinct, result.stopped) == (1, "the budget of 0.1 seconds is used up")
