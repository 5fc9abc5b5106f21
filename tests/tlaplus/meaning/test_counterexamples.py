"""Why a temporal property of a module is false: which conjunct, in which step, or what of it never comes."""

import pytest

from tests.tlaplus.trees import module_of, refused
from workbench import check
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.meaning import counterexamples

MODULE = [
    "EXTENDS Naturals", "CONSTANT W", "VARIABLES x, done", "vars == <<x, done>>",
    "Init == x = 0 /\\ done = {}",
    "Up == x < 2 /\\ x' = x + 1 /\\ UNCHANGED done", "Down == x = 2 /\\ x' = 1 /\\ UNCHANGED done",
    "Finish(w) == x = 1 /\\ w \\notin done /\\ done' = done \\cup {w} /\\ UNCHANGED x",
    "Next == Up \\/ Down \\/ \\E w \\in W : Finish(w)", "Spec == Init /\\ [][Next]_vars /\\ WF_vars(Up \\/ Down)",
    "Slow == x' = x", "Slowly == Slow \\/ x' > 5 \\/ x' = x + 7 \\/ x' = x + 8", "Is(n) == x = n",
]  # fmt: skip

#: Properties that a step or an initial state violates, and what is said of them.
OF_STEPS = {
    r"[][x' # x + 1]_x": "Up: x' # x + 1 is false: x' is 1, x + 1 is 1 (M.tla:15:9)",
    r"[][x' >= x /\ UNCHANGED done]_vars": (
        "Finish(a): UNCHANGED done is false: done changes from {} to {a} (M.tla:15:20)"
    ),
    r"[][x = 1 => \A w \in W : w \notin done']_vars": (
        r"Finish(a): w \notin done' is false for w = a: done' is {a} (M.tla:15:31)"
    ),
    r"[][Slowly]_vars": "Up: Slowly is false: x changes from 0 to 1 (M.tla:15:9)",
    r"[][\E n \in 3..4 : x' = n]_vars": r"Up: no n \in 3 .. 4 has x' = n: x changes from 0 to 1 (M.tla:15:9)",
    r"x = 1": "initial state: x = 1 is false: x is 0 (M.tla:15:6)",
    r"x = 0 /\ [](x <= 2 /\ [][x' # 0]_x) /\ [][x' > x]_x": "Down: x' > x is false: x' is 1, x is 2 (M.tla:15:48)",
    r"x = 0 /\ []Is(0)": "Up: x = n is false for n = 0: x is 1 (M.tla:14:10)",
    r"[](x < 2)": "x < 2 is false: x is 2 (M.tla:15:9)",
}

GOES_ROUND = "; it goes round and round"
UNFAIR = "; Finish(a), Finish(b) are possible again and again and never taken: they have no fairness" + GOES_ROUND

#: Properties that a behaviour violates, and what is said of them.
OF_BEHAVIOURS = {
    r"\A w \in W : <>(x >= 0 /\ w \in done)": (
        r"it fails for a; it is never true: w \in done is false for w = a: done is {} (M.tla:15:32)" + UNFAIR
    ),
    r"x = 1 ~> x = 7": (
        "in state 2, x = 1 is true (M.tla:15:6), and what should follow never comes: "
        "x = 7 is false: x is 2 (M.tla:15:15) in state 3" + UNFAIR
    ),
    r"[](x = 1 => [](x < 2))": (
        "in state 2, x = 1 is true (M.tla:15:9), and what should hold from there on does not: "
        "in state 3, x < 2 is false: x is 2 (M.tla:15:21)" + UNFAIR
    ),
    r"<>[](x = 2)": ("it becomes false again and again: in state 2, x = 2 is false: x is 1 (M.tla:15:11)" + UNFAIR),
    r"[]<>(x = 0)": "from state 2 on it is never true: x = 0 is false: x is 2 (M.tla:15:11) in state 3" + UNFAIR,
    r"<>(x = 2 /\ done = {1})": (
        "it is never true: in state 3, done = {1} is false: done is {} (M.tla:15:18)" + UNFAIR
    ),
    r"<>(Is(1) /\ Is(2))": "it is never true: in state 3, x = n is false for n = 1: x is 2 (M.tla:14:10)" + UNFAIR,
}

#: Conditions of fairness beside that of Up and Down, and why a behaviour may still never finish.
FAIRNESS = {
    r"\A w \in W : WF_vars(Finish(w))": (
        "; Finish(a), Finish(b) are possible again and again, not always, and never taken: their fairness is weak"
    ),
    r"SF_vars(Finish(CHOOSE w \in W : TRUE))": (
        "; Finish(b) is possible again and again and never taken: it has no fairness"
    ),
}


def why(formula: str, fairness: str = "TRUE") -> str:
    text = module_of(*MODULE, f"P == {formula}", f"Fair == Spec /\\ {fairness}")
    verdict = check(module_of_text(text, "CONSTANT W = {a, b} SPECIFICATION Fair PROPERTY P")()).verdicts[0]
    assert verdict.holds is False, verdict
    assert verdict.why is not None
    return verdict.why


@pytest.mark.parametrize("formula", OF_STEPS)
def test_of_a_step_it_names_the_part_that_is_false(formula):
    assert why(formula) == OF_STEPS[formula]


@pytest.mark.parametrize("formula", OF_BEHAVIOURS)
def test_of_a_behaviour_it_names_what_never_comes(formula):
    assert why(formula) == OF_BEHAVIOURS[formula]


@pytest.mark.parametrize("fairness", FAIRNESS)
def test_it_says_why_fairness_lets_a_step_wait(fairness):
    said = why(r"<>(\A w \in W : w \in done)", fairness)
    assert said.partition(GOES_ROUND)[0].endswith(FAIRNESS[fairness])


def test_it_says_where_a_step_is_possible_all_the_while():
    spec = [line.replace("WF_vars(Up \\/ Down)", "WF_vars(Up)") for line in MODULE]
    text = module_of(*spec, "P == <>(x = 7)")
    said = check(module_of_text(text, "CONSTANT W = {a} SPECIFICATION Spec PROPERTY P")())["P"].why
    assert said is not None
    assert said.startswith(
        "it is never true: x = 7 is false: x is 2 (M.tla:15:9) in state 3; "
        "Down is possible in state 3 and never taken: it has no fairness; stuck: "
    )


def test_where_the_evaluators_disagree_it_is_said(monkeypatch):
    monkeypatch.setattr(counterexamples, "is_true_on", lambda *given: True)
    monkeypatch.setattr(counterexamples, "LassoTruths", lambda *given: [True])
    said = "the plain evaluator says: P is true. One of them is wrong; please report it"
    assert f"Up: it is false, but {said}" == why("[][x' # x + 1]_x")
    assert f"it is false, but {said}{UNFAIR}" == why("[]<>(x = 0)")


def test_an_assumption_says_what_is_false_in_it():
    text = module_of("EXTENDS Naturals", "CONSTANT N", "VARIABLE x", "ASSUME N > 0 /\\ \\A n \\in 1..3 : n * N # 4")
    with refused(
        "M.tla:5:1: what is assumed here is false with these constants: "
        "n * N # 4 is false for n = 2: n * N is 4 (M.tla:5:33)"
    ):
        module_of_text(text, "CONSTANT N = 2 INIT x NEXT x")()
