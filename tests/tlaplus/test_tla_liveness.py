"""Liveness of modules: temporal formulas of many shapes, with TLC's verdicts, and the same ones from every engine."""

import re
from typing import Any

import pytest

from tests.tlaplus.trees import module_of
from workbench import Budget
from workbench.checking.check import check
from workbench.kernel import ModelError, search
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text

MODULE = r"""EXTENDS Naturals
VARIABLES x, on
vars == <<x, on>>
Init == x = 0 /\ on = FALSE
Up == x < 3 /\ x' = x + 1 /\ on' = on
Back == x = 2 /\ x' = 1 /\ on' = on
Flip == x # 3 /\ on' = ~on /\ x' = x
Next == Up \/ Back \/ Flip
Free == Init /\ [][Next]_vars
Fair == Free /\ WF_vars(Flip) /\ WF_vars(Up)
Strong == Free /\ SF_vars(Up /\ on) /\ WF_vars(Flip)
High == x' > x
Ends == x = 3
"""

#: For each formula the specifications under which TLC finds it violated.
SHAPES = {
    r"[]<><<Flip>>_vars": "Free Fair Strong",
    r"<>[][Up]_vars": "Free Fair Strong",
    r"<>[][High]_x": "Free Fair Strong",
    r"<>[][FALSE]_on": "Free Fair Strong",
    r"WF_vars(Next)": "Free",
    r"WF_vars(Up)": "Free",
    r"SF_vars(Back)": "Free",
    r"SF_vars(Up /\ on)": "Free Fair",
    r"1 < 2 => SF_vars(Up /\ on)": "Free Fair",
    r"[]<>(x = 2) => []<>on": "Free",
    r"[]<>on => <>Ends": "Free Fair Strong",
    r"<>[](x < 3) => []<><<Flip>>_on": "Free",
    r"<>[]Ends \/ []<>(x = 1)": "Free",
    r"[]<>~on \/ []<>on": "",
    r"~<>[](x = 0)": "Free",
    r"~[]<>(x = 1)": "Free Fair Strong",
    r"(x = 1) ~> []Ends": "Free Fair Strong",
    r"(x = 1) ~> []<>(x # 2)": "Free",
    r"on ~> <>[]~on": "Free Fair Strong",
    r"(x = 0) => []<>(x # 0)": "Free",
    r"<>on => <>[](x > 0)": "Free",
    r"(\E n \in 0 .. 3 : <>[](x = n)) \/ []<><<Back>>_x": "",
    r"\A n \in 0 .. 1 : []<>(x # n)": "Free",
    r"\E n \in 1 .. 2 : []<>(x # n)": "",
    r"(\A n \in 0 .. 1 : WF_vars(Up /\ x = n)) => <>(x = 2)": "",
    r"[](on => ([]<>~on \/ <>[]Ends))": "Free",
    r"[]([]<>on \/ x < 3)": "Free Fair Strong",
    r"[](x < 3) => []<>(x = 1)": "Free",
    r"(WF_vars(Up) /\ SF_vars(Up /\ x = 2)) => <>Ends": "",
    r"IF on THEN <>Ends ELSE []<>(x # 1)": "Free",
    r"IF x = 0 THEN []<>on ELSE <>Ends": "Free Fair Strong",
    r"[](Ends => []Ends)": "",
    r"[](x > 1 => [](x > 1))": "Free Fair Strong",
    r"\A n \in 0 .. 3 : [](x = n => [](x = n))": "Free Fair Strong",
    r"on => []on": "",
    r"~on => []~on": "Free Fair Strong",
    r"x = 0 => [](x < 3)": "Free Fair Strong",
    r"\A n \in 0 .. 3 : x = n => [](x >= n)": "",
    r"[](x > 1 => [](x > 0))": "",
    r"[](x > 1 => [](x > 1 \/ on))": "Free Fair Strong",
    r"\A n \in 0 .. 3 : [](x = n => [](x >= n))": "Free Fair Strong",
    r"[](Ends => [](on => Ends))": "",
    r"(x = 0 => [](x < 4)) /\ [](x = 2 => [](x # 1))": "Free Fair Strong",
    r"(x = 0 /\ WF_vars(Up)) => [](x < 3)": "Free Fair Strong",
    r"(x = 0 /\ []<>(x = 1)) => [](x < 3)": "",
    r"(x = 0 /\ <>[](x = 1)) => []~on": "Free",
    r"[]((x = 1 /\ []<>(x = 1)) => []on)": "Free Fair Strong",
    r"[](1 < 2 => [](x < 3))": "Free Fair Strong",
}
#: The distinct states and the depth, as TLC has them.
FIGURES = (8, 5)


def properties(formulas: Any) -> tuple[str, str]:
    """Definitions of formulas, and what a configuration says to have them checked."""
    lines = "".join(f"P{number} == {text}\n" for number, text in enumerate(formulas))
    return lines, "".join(f"PROPERTY P{number}\n" for number in range(len(formulas)))


def model_of(specification: str, formulas: Any) -> Any:
    lines, asked = properties(formulas)
    return module_of_text(module_of(MODULE + lines), f"SPECIFICATION {specification} CHECK_DEADLOCK FALSE\n{asked}")()


def found(result: Any) -> list[Any]:
    return [(verdict.name, verdict.holds) for verdict in result.verdicts]


@pytest.mark.slow
@pytest.mark.parametrize("specification", ["Free", "Fair", "Strong"])
def test_the_verdicts_are_those_of_tlc_whatever_the_engine(specification):
    model = model_of(specification, SHAPES)
    result = check(model, engine="local")
    assert (result.distinct, result.depth) == FIGURES
    expected = [(f"P{at}", specification not in violated.split()) for at, violated in enumerate(SHAPES.values())]
    assert found(result) == expected
    assert found(search(model)) == expected


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("predicate", "states"), [("x > 1", None), ("x = 2", 4), ("ENABLED (x = 1 /\\ Up)", 3)])
def test_a_predicate_that_stays_true_once_it_is_true_is_judged_by_steps(engine, predicate, states):
    """Within a constraint, too, where behaviours are not known."""
    module = module_of(
        r"EXTENDS Naturals",
        r"VARIABLE x",
        r"Zero == x = 0",
        r"Up == x' = x + 1",
        r"Low == x < 3",
        rf"Promised == []({predicate} => []({predicate}))",
    )
    cfg = "INIT Zero NEXT Up CONSTRAINT Low CHECK_DEADLOCK FALSE PROPERTY Promised"
    verdict = check(module_of_text(module, cfg)(), engine=engine)["Promised"]
    assert (verdict.holds, verdict.trace_states) == (states is None, states)


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_what_lies_beyond_a_constraint_may_break_a_goal_that_must_always_hold(engine):
    """On is switched on within it, and x is 2 beyond; no behaviour that is fair ends before."""
    lines, asked = properties([r"[](x = 1 => []~on)", r"x = 0 => [](x < 2)"])
    text = module_of(MODULE + lines + "Low == x < 2\n")
    for specification, switched in (("Free", False), ("Fair", None)):
        cfg = f"SPECIFICATION {specification} CONSTRAINT Low CHECK_DEADLOCK FALSE {asked}"
        assert found(check(module_of_text(text, cfg)(), engine=engine)) == [("P0", switched), ("P1", None)]


#: A module, a module that refines it, and formulas of refinement with TLC's verdicts.
STAIRS = module_of(
    r"""EXTENDS Naturals
CONSTANT Top
VARIABLES level, open
Init == level = 0 /\ open = FALSE
Climb == level < Top /\ level' = level + 1 /\ UNCHANGED open
Open(n) == level >= n /\ ~open /\ open' = TRUE /\ level' = level
Next == Climb \/ \E n \in 1 .. Top : Open(n)
Spec == Init /\ [][Next]_<<level, open>>
Fair == Spec /\ WF_<<level, open>>(Climb)
Opens == \A n \in 1 .. Top : WF_open(Open(n))
""",
    name="Stairs",
)
CLIMBER = r"""EXTENDS Naturals
VARIABLES left, right, door
vars == <<left, right, door>>
Init == left = 0 /\ right = 0 /\ door = 0
Left == left = right /\ left < 2 /\ left' = left + 1 /\ UNCHANGED <<right, door>>
Right == right < left /\ right' = right + 1 /\ UNCHANGED <<left, door>>
Door == left + right > 1 /\ door = 0 /\ door' = 1 /\ UNCHANGED <<left, right>>
Next == Left \/ Right \/ Door
Free == Init /\ [][Next]_vars
Feet == Free /\ WF_vars(Left) /\ WF_vars(Right)
All == Free /\ WF_vars(Next)
Level == left + right
S == INSTANCE Stairs WITH level <- Level, open <- door = 1, Top <- 4
T(n) == INSTANCE Stairs WITH level <- left + right, open <- door = 1, Top <- n
Refined == S!Fair
Opened == S!Opens
Taller == \A n \in 5 .. 6 : T(n)!Fair
Low == T(3)!Opens
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("specification", "violated"),
    [
        ("Free", {"Refined_liveness", "Opened", "Taller_liveness", "Low"}),
        ("Feet", {"Opened", "Taller_liveness", "Low"}),
        ("All", {"Taller_liveness"}),
    ],
)
def test_a_refinement_is_checked_with_its_fairness(specification, violated):
    asked = f"SPECIFICATION {specification} PROPERTIES Refined Opened Taller Low CHECK_DEADLOCK FALSE"
    model = module_of_text(module_of(CLIMBER), asked, [STAIRS])()
    for result in (check(model, engine="local"), search(model)):
        assert {verdict.name for verdict in result.verdicts if verdict.holds is False} == violated
        assert not [verdict for verdict in result.verdicts if verdict.holds is None]


UNKNOWN = {
    r"<>on => <>Ends": "a formula of this shape is not supported",
    r"x = 1 => [](on => [](x = 2))": "a formula of this shape is not supported",
    r"(x = 0 /\ [](x < 2)) => []~on": "a formula of this shape is not supported",
    r"[]((x = 1 /\ on) => ([](x > 0) \/ [](x < 3)))": "a formula of this shape is not supported",
    r"<>(on /\ []on)": "a formula of this shape is not supported",
    r"\A n \in 0 .. 20 : WF_vars(Up /\ x = n)": "fairness and liveness speak of too many actions",
    r"(\A n \in 0 .. 8 : (<>[](x = n) \/ []<>on)) => FALSE": "this formula can be broken in more than 256 ways",
}


@pytest.mark.parametrize("formula", UNKNOWN)
def test_a_formula_that_no_search_decides_is_unknown_in_one_line_if_states_are_missing(formula):
    (verdict,) = check(model_of("Fair", [formula]), engine="local", budget=Budget(states=1)).verdicts
    assert verdict.holds is None
    assert re.match(rf"M.tla:15:\d+: {UNKNOWN[formula]}", verdict.why)


@pytest.mark.parametrize(
    ("fairness", "why"),
    [
        (r"\A i \in 1 .. 40 : SF_x(Next)", None),
        (r"\A i \in 1 .. 40 : SF_x(Next /\ x # i)", "decided by the plain evaluator"),
        (r"\A i \in 1 .. 40 : SF_x(x' = i % 3)", "decided by the plain evaluator"),
    ],
)
def test_many_conditions_of_fairness_of_the_same_steps_are_decided(fairness, why):
    """The labels of these steps are sets of conditions, of which there were more than fit into memory."""
    lines = (
        "Init == x = 0",
        "Next == x' = (x + 1) % 3",
        rf"Spec == Init /\ [][Next]_x /\ {fairness}",
        "P == []<>(x = 1)",
    )
    model = module_of_text(module_of("EXTENDS Naturals", "VARIABLE x", *lines), "SPECIFICATION Spec PROPERTY P")
    assert (check(model(), engine="local")["P"].holds, check(model(), engine="local")["P"].why) == (True, why)


#: TLC's verdicts, but for the last: of no behaviour at all it says that everything is true.
@pytest.mark.parametrize(
    ("assumed", "once", "again"),
    [("[]<>(x = 2)", True, False), ("<>[](x = 0)", False, False), ("[]<>(x = 9)", None, None)],
)
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_specification_may_assume_other_liveness_than_fairness(assumed, once, again, engine):
    lines = ("Init == x = 0", "Next == x' = (x + 1) % 3", rf"Spec == Init /\ [][Next]_x /\ {assumed}")
    text = module_of(
        "EXTENDS Naturals", "VARIABLE x", *lines, "Once == <>(x = 1)", "Again == []<>(x = 1)", "Low == x < 2"
    )
    model = module_of_text(text, "SPECIFICATION Spec PROPERTIES Once Again INVARIANT Low")
    result = check(model(), engine=engine)
    verdicts = {verdict.name: verdict.holds for verdict in result.verdicts}
    assert (result.distinct, verdicts) == (3, {"Low": False, "Once": once, "Again": again, "Deadlock": True})
    if once is None:
        assert "the specification asks behaviours for more than fairness" in result["Once"].why


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_fairness_of_what_is_no_step_of_next_leaves_no_behaviour_and_all_is_true_of_none(engine):
    """TLC's verdict; `reference` says why."""
    lines = "Init == x = 0", "Next == x' = 1 - x", "Leap == x' = 2", r"Spec == Init /\ [][Next]_x /\ WF_x(Leap)"
    text = module_of("EXTENDS Naturals", "VARIABLE x", *lines, "P == <>(x = 7)")
    verdict = check(module_of_text(text, "SPECIFICATION Spec PROPERTY P")(), engine=engine)["P"]
    assert verdict.holds
    if engine == "reference":
        assert verdict.why == "no behaviour is as the specification asks"


SPREAD = r"""EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = [n |-> 0, s |-> 0] /\ y = 0
A == x' = [n |-> 1, s |-> 0] /\ y' = 1 - y
C == x.n = 0 /\ x' = [n |-> 1, s |-> 0] /\ UNCHANGED y
D == x.n = 1 /\ x' = [x EXCEPT !.n = 0] /\ UNCHANGED y
Next == A \/ C \/ D
Free == Init /\ [][Next]_vars
Spec == Free /\ SF_x(A) /\ WF_vars(Next)
Weak == Free /\ WF_x(A) /\ WF_vars(Next)
Some == Free /\ WF_x(A)
Strong == SF_x(A)
Again == []<>(y = 0)
"""


@pytest.mark.parametrize("states", [0, 1, 30])
@pytest.mark.parametrize(
    ("behaviour", "asked", "holds"),
    [("Spec", "Strong", True), ("Weak", "Strong", False), ("Some", "Again", False)],
)
def test_a_step_that_writes_the_same_value_anew_does_not_change_it(behaviour, asked, holds, states, monkeypatch):
    """The verdicts are TLC's; `x` has one cell, or one for each field."""
    monkeypatch.setattr(sample, "MOST_STATES", states)
    model = module_of_text(module_of(SPREAD), f"SPECIFICATION {behaviour} PROPERTY {asked}")()
    result = check(model)
    assert (result.distinct, result[asked].holds) == (4, holds)


#: Formulas of which a part has no value in the state that there is, where it may be of no interest; whether TLC stops.
WITHOUT_VALUE = [
    (r'x \notin Nat ~> x = "abc"', True),
    (r'[](x \notin Nat => <>(x = "abc"))', True),
    ('x = 1 => <>(x = "abc")', True),
    ('[]<>(x = 0) /\\ (x = 1 ~> x = "abc")', True),
    ('<>[](x = 0) \\/ []<>(x = "abc")', True),
    ('[]<>(x = 1) => []<>(x = "abc")', True),
    ('[]<>(x = 0) \\/ []<>(x = "abc")', True),
    ('\\E i \\in {0, 1} : []<>(x = 0 \\/ i = 0) \\/ []<>(x = "abc")', True),
    ('~(<>[](x # 0) /\\ <>[](x # "abc"))', True),
    ('[]<>(x = 0) \\/ (x = 0 /\\ []<>(x = "abc"))', True),
    ('[]<>(x = 0 \\/ x = "abc")', False),
    ('<>(x = 0 \\/ x = "abc")', False),
    ('<>(x = 0) \\/ <>(x = "abc")', False),
]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("formula", "stops"), WITHOUT_VALUE)
def test_a_predicate_without_a_value_is_an_error_also_where_it_does_not_matter(formula, stops, engine):
    behaviour = "Init == x = 0", "Next == x' = x", "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)"
    lines = "EXTENDS Naturals", "VARIABLE x", *behaviour, f"P == {formula}"
    model = module_of_text(module_of(*lines), "SPECIFICATION Spec PROPERTY P")()
    if not stops:
        assert check(model, engine=engine)["P"].holds
        return
    with pytest.raises(ModelError, match=r"M.tla:7:\d+: .* cannot be compared"):
        check(model, engine=engine)


COUNTS = r"""EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\ y = 0
Next == x' = (x + 1) % 3 /\ y' = y
Free == Init /\ [][Next]_vars
Fair == Free /\ WF_vars(Next)
Still == Init /\ [][y' = 1 - y /\ x' = x]_vars
Ends == Init /\ [][x < 2 /\ x' = x + 1 /\ y' = y]_vars
N0 == IF x = 0 THEN x = "abc" ELSE x = 4
N2 == IF x = 2 THEN x = "abc" ELSE x = 4
"""
#: A specification, a formula of which some part has no value in some state or step, and what TLC says of it
#: (tlaplus/tlaplus cc6b616cf): <<A>>_v asks A only of steps that change v, and [A]_v of every step, also of one that
#: stutters unless it is a PROPERTY [][A]_v by itself. Of predicates that must hold together none is asked after a false
#: one, though of each state, be it of interest or not.
PARTLY_WITHOUT_VALUE = [
    ("Still", r'[]<>(x = 0) \/ []<><<x = "abc">>_x', "holds"),
    ("Still", r'[]<>(x = 3) \/ []<><<x = "abc">>_x', "violated"),
    ("Still", '[]<><<x = "abc">>_(x + 1)', "violated"),
    ("Fair", r"""[]<>(x = 3) \/ []<><<x' = "abc">>_y""", "violated"),
    ("Fair", r'[]<>(x = 0) \/ []<><<x = "abc">>_x', "error"),
    ("Fair", r"[](~(x = 0) => (<>(x = 0) \/ <>N0))", "holds"),
    ("Free", r"[](~(x = 0) => (<>(x = 0) \/ <>N0))", "violated"),
    ("Fair", r"[](~(x = 0) => (<>N0 \/ <>(x = 0)))", "error"),
    ("Fair", r"[](x = 1 => (<>N0 \/ <>(x = 1)))", "error"),
    ("Fair", r"<>(x = 0) \/ <>N0", "holds"),
    ("Fair", r"<>N0 \/ <>(x = 0)", "error"),
    ("Fair", r"<>(x = 0) \/ <>N2", "error"),
    ("Fair", r"(x = 1) ~> (x = 0 \/ N0)", "holds"),
    ("Fair", r"(x = 1) ~> (x = 2 \/ N0)", "error"),
    ("Fair", r"[]((x = 1 /\ ~N0) => <>(x = 0))", "holds"),
    ("Fair", r"<>N2 /\ <>(x = 1)", "error"),
    ("Fair", r"<>[](x = 0) \/ <>N2", "error"),
    ("Still", '<>[][x = "abc"]_x', "error"),
    ("Still", r'[]<>(x = 3) \/ <>[][x = "abc"]_x', "error"),
    ("Still", r'[]<>(x = 0) \/ <>[][x = "abc"]_x', "error"),
    ("Still", '[]<>(x = 3) => <>[][x = "abc"]_x', "error"),
    ("Still", '<>[][x = "abc"]_x => []<>(x = 0)', "error"),
    ("Still", '<>[][x = "abc"]_x => []<>(x = 3)', "error"),
    ("Still", '~<>[][x = "abc"]_x', "error"),
    ("Still", """<>[][x' = "abc"]_x""", "error"),
    ("Still", '[][x = "abc"]_x', "error"),
    ("Still", r'<>[][x = 3]_x \/ <>[][x = "abc"]_(x + 0)', "error"),
    ("Still", r'<>[][x = 0 \/ x = "abc"]_x', "holds"),
    ("Still", r'<>[][x = 1 /\ x = "abc"]_x', "holds"),
    ("Still", '~[]<><<x = "abc">>_x', "holds"),
    ("Still", '[]<><<x = "abc">>_x => <>(x = 3)', "holds"),
    ("Fair", '<>[][x = "abc"]_y', "error"),
    ("Fair", '[]<><<x = "abc">>_x => <>(x = 0)', "error"),
    ("Ends", "[][N2 = N2]_x", "holds"),
    ("Ends", "<>[][N2 = N2]_x", "error"),
    ("Ends", "[]<><<N2 = N2>>_x", "violated"),
    ("Ends", "[]<>(x = 2) => <>[][N2 = N2]_x", "error"),
    ("Ends", "<>[][N2 = N2]_x => []<>(x = 5)", "error"),
    ("Ends", r"(x = 0 ~> x = 2) \/ <>[][N2 = N2]_x", "error"),
]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("behaviour", "formula", "word"), PARTLY_WITHOUT_VALUE)
def test_what_is_not_asked_needs_no_value(behaviour, formula, word, engine):
    cfg = f"SPECIFICATION {behaviour} PROPERTY P CHECK_DEADLOCK FALSE"
    model = module_of_text(module_of(COUNTS, f"P == {formula}"), cfg)()
    if word == "error":
        with pytest.raises(ModelError, match=r"M.tla:\d+:\d+: .* cannot be compared"):
            check(model, engine=engine)
    else:
        assert check(model, engine=engine)["P"].word == word
