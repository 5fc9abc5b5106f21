"""Conditions of fairness, by the cells that they read before and after a step."""

from typing import Any

import pytest

from workbench import ModelError
from workbench.kernel.meaning.state import Reads
from workbench.tlaplus.layout import sample
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.steps.predicates import CompiledPredicate
from workbench.tlaplus.steps.step_memo import RememberedStep, StepRow


class Asked:
    """A predicate of steps, with the values that it was asked for: whether x grows, or y stays odd."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, now: Any, then: Any) -> bool:
        self.times += 1
        if then[0] < 0:
            raise ModelError("x is below 0")
        return then[0] > now[0] or then[1] % 2 == 1


def ask(remembered: RememberedStep, row: tuple[Any, ...], writes: dict[int, Any]) -> tuple[bool, set[int]]:
    """The truth for a step, and the cells of the row before it that were read."""
    reads = Reads(row)
    return remembered(StepRow(reads, writes, len(row))), set(reads)


def test_an_answer_is_known_where_the_cells_of_the_step_that_it_depends_on_are_the_same():
    asked = Asked()
    remembered = RememberedStep(Cells(["x", "y", "z"]), asked)
    assert ask(remembered, (1, 5, 0), {0: 2, 2: 1}) == (True, {0})
    assert ask(remembered, (1, 6, 7), {0: 2, 2: 3}) == (True, {0})
    assert asked.times == 1
    assert ask(remembered, (1, 5, 0), {0: 1, 2: 1}) == (True, {0, 1})  # y is not written: it is that of before
    assert ask(remembered, (1, 6, 0), {0: 1, 2: 1}) == (False, {0, 1})
    assert ask(remembered, (1, 6, 8), {0: 1, 2: 5}) == (False, {0, 1})
    assert asked.times == 3


def test_a_written_cell_is_told_from_one_that_stays():
    asked = Asked()
    remembered = RememberedStep(Cells(["x", "y", "z"]), asked)
    assert ask(remembered, (1, 6, 0), {2: 1}) == (False, {0, 1})
    assert ask(remembered, (1, 6, 0), {1: 7}) == (True, {0})
    assert ask(remembered, (1, 6, 0), {1: 8}) == (False, {0})
    assert ask(remembered, (1, 6, 0), {0: 1, 1: True}) == (True, {0})  # which Python takes for 1
    assert asked.times == 4


def test_an_error_is_no_answer():
    asked = Asked()
    remembered = RememberedStep(Cells(["x", "y"]), asked)
    for _ in range(2):
        with pytest.raises(ModelError, match="x is below 0"):
            remembered(StepRow((1, 1), {0: -1}, 2))
    assert asked.times == 2


NOISY = r"""
---- MODULE Noisy ----
EXTENDS Naturals
VARIABLES x, f, z
vars == <<x, f, z>>
Init == x = 0 /\ f = [i \in 1..2 |-> 0] /\ z = 0
Tick == x' = (x + 1) % 3
Next == Tick /\ f' = [f EXCEPT ![1] = 1 - @] /\ z' \in 1..8
Spec == Init /\ [][Next]_vars /\ WF_vars(Tick /\ f'[2] = 0)
Again == []<>(x = 0)
====
"""
NOISY_CFG = "SPECIFICATION Spec PROPERTY Again"


@pytest.mark.parametrize("most", [0, 5])  # variables in single cells, and functions over several
def test_fairness_is_asked_once_for_outcomes_that_differ_in_what_it_does_not_read(most, monkeypatch):
    monkeypatch.setattr(sample, "MOST_STATES", most)
    asked = list[Any]()
    of_values = CompiledPredicate.of_values

    def noted(predicate: CompiledPredicate, now: Any, then: Any) -> bool:
        if then is not None:
            asked.append(predicate)
        return of_values(predicate, now, then)

    monkeypatch.setattr(CompiledPredicate, "of_values", noted)
    machine = module_of_text(NOISY, NOISY_CFG)()
    outcomes, _ = machine.instances[0].run(next(machine.each_initial_state()).values)
    assert [outcome.counted for outcome in outcomes] == [frozenset({0})] * 8
    assert len(asked) == len(set(asked)) == 2  # each part of the action once


SAME_SUBSCRIPT = r"""
---- MODULE Same ----
EXTENDS Naturals
VARIABLES x, y
Sum == <<x + y, y>>
Init == x = 0 /\ y = 0
Up == x' = (x + 1) % 3 /\ UNCHANGED y
Next == Up
Spec == Init /\ [][Next]_<<x, y>> /\ WF_Sum(x = 0 /\ x' = 1 /\ y' = 0) /\ SF_Sum(x = 0 /\ x' = 2 /\ y' = 0)
Again == []<>(x = 0)
====
"""


def test_a_subscript_is_compared_once_for_all_conditions_and_a_false_part_ends_an_action(monkeypatch):
    asked = list[int]()
    of_values = CompiledPredicate.of_values

    def noted(predicate: CompiledPredicate, now: Any, then: Any) -> bool:
        if then is not None:
            asked.append(predicate._at.line)
        return of_values(predicate, now, then)

    monkeypatch.setattr(CompiledPredicate, "of_values", noted)
    machine = module_of_text(SAME_SUBSCRIPT, NOISY_CFG)()
    (outcome,), _ = machine.instances[0].run(next(machine.each_initial_state()).values)
    assert outcome.counted == frozenset({0})
    assert sorted(asked) == [5] + 5 * [9]  # the subscript; three parts of the first action, and two of the second


def test_fairness_of_an_action_that_next_lacks_counts_the_steps_that_change_its_subscript():
    text = NOISY.replace(r"z' \in 1..8", "z' = 0").replace("WF_vars(Tick /\\ f'[2] = 0)", "WF_z(Tick /\\ f'[2] = 0)")
    machine = module_of_text(text, NOISY_CFG)()
    (outcome,), _ = machine.instances[0].run(next(machine.each_initial_state()).values)
    assert outcome.counted == frozenset()
