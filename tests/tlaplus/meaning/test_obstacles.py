"""Why a step of a module is not possible: the first conjunct that is false, and what it read."""

from typing import Any

import pytest

from tests.tlaplus.trees import module_of
from workbench import check
from workbench.checking.following.scenario import scenario
from workbench.kernel import Machine
from workbench.tlaplus.machine import explanations
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning import obstacles

HEAD = [
    "EXTENDS Naturals, Sequences", "CONSTANT W", "VARIABLES leased, x, q",
    'Init == leased = [w \\in W |-> "none"] /\\ x = 0 /\\ q = <<>>', "same == UNCHANGED <<leased, q>>",
    "Items == {q[i] : i \\in 1..Len(q)}", "Below(n) == x' < n", 'Free(w) == leased[w] = "none"',
]  # fmt: skip

#: Actions that are not possible in the initial state, and why.
SAID = {
    "~Free(w) /\\ x' = 1 /\\ same": 'leased[w] = "none" is true for w = a',
    "Free(w) /\\ x' = x + 2 /\\ Below(2) /\\ same": "x' < n is false for n = 2: x' is 2",
    "\\E m \\in Items : x' = m /\\ same": "Items is empty",
    "(x = 7 \\/ x > 9) /\\ x' = 1 /\\ same": "x = 7 is false: x is 0; x > 9 is false: x is 0",
    "\\E n \\in x + 1..x + 2 : x = n /\\ x' = n /\\ same": (
        "x = n is false for n = 1: x is 0; x = n is false for n = 2: x is 0"
    ),
    "\\E n \\in x + 5..8 : n < x /\\ x' = n /\\ same": (
        "n < x is false for n = 5: x is 0; n < x is false for n = 6: x is 0; n < x is false for n = 7: x is 0; and more"
    ),
    "x' \\in {1, 2} /\\ Below(1) /\\ same": "x' < n is false for n = 1: x' is 1; x' < n is false for n = 1: x' is 2",
    "x' = 1 /\\ UNCHANGED <<x, leased, q>>": "UNCHANGED <<x, leased, q>> is false: x changes from 0 to 1",
    "IF x = 0 THEN LET y == x + 3 IN y = 4 /\\ x' = 1 /\\ same ELSE x' = 2 /\\ same": "y = 4 is false: y is 3",
    "CASE x = 0 -> (\\A v \\in W : leased[v] = v) /\\ x' = 1 /\\ same": (
        'leased[v] = v is false for v = a: leased[v] is "none"'
    ),
    "(x = 0 => q # <<>>) /\\ x' = 1 /\\ same": "q # <<>> is false: q is <<>>",
}  # fmt: skip


def stuck(action: str, sets: str = "{a}") -> tuple[Machine, Any]:
    """The machine whose only step is Act(w), and its initial state."""
    text = module_of(*HEAD, f"Act(w) == {action}", "Next == \\E w \\in W : Act(w)")
    machine = module_of_text(text, f"CONSTANT W = {sets} INIT Init NEXT Next")()
    return machine, machine.initial_states()[0]


@pytest.mark.parametrize("action", SAID)
def test_it_names_what_is_false_on_each_way(action):
    machine, state = stuck(action)
    assert machine.why_disabled(machine.instances[0], state) == SAID[action]


def test_each_disjunct_has_its_own_values():
    machine, state = stuck("leased[w] = w /\\ x' = 1 /\\ same", "{a, b}")
    assert [machine.why_disabled(one, state) for one in machine.instances] == [
        'leased[w] = w is false for w = a: leased[w] is "none"',
        'leased[w] = w is false for w = b: leased[w] is "none"',
    ]
    assert check(machine)["Deadlock"].why == (
        'stuck: leased[w] = w is false for w = a: leased[w] is "none"; '
        'leased[w] = w is false for w = b: leased[w] is "none"'
    )


def test_a_scenario_says_it_too():
    machine, _ = stuck("~Free(w) /\\ x' = 1 /\\ same")
    assert scenario(machine, "Act(a)").why == 'leased[w] = "none" is true for w = a'


def test_the_guard_alone_is_named_where_the_evaluator_gives_up(monkeypatch):
    monkeypatch.setattr(explanations, "_PAUSES", 3)
    machine, state = stuck("\\E n \\in x + 5..9 : n < x /\\ x' = n /\\ same")
    assert machine.why_disabled(machine.instances[0], state) == "n < x"


def test_where_the_evaluators_disagree_it_is_said(monkeypatch):
    machine, state = stuck("x = 1 /\\ x' = 1 /\\ same")
    monkeypatch.setattr(obstacles, "ways", lambda *given: iter([given[-1]]))
    assert machine.why_disabled(machine.instances[0], state) == (
        "it is not possible, but the plain evaluator says: it is possible. One of them is wrong; please report it"
    )


def test_names_around_the_definition_leave_a_disjunct_what_it_is():
    text = module_of(*HEAD, "Up == x = 5 /\\ x' = 6 /\\ same", "Next == \\E v \\in W : \\E w \\in W : Up")
    machine = module_of_text(text, "CONSTANT W = {a, b} INIT Init NEXT Next")()
    said = {machine.why_disabled(one, machine.initial_states()[0]) for one in machine.instances}
    assert said == {"x = 5 is false: x is 0"}


def test_modules_of_theorems_change_nothing():
    head = [f"{HEAD[0]}, TLAPS, FiniteSetTheorems", *HEAD[1:]]
    text = module_of(*head, "Next == x = 5 /\\ x' = 6 /\\ same")
    assert check(module_of_text(text, "CONSTANT W = {a} INIT Init NEXT Next")())["Deadlock"].why == (
        "stuck: x = 5 is false: x is 0"
    )
