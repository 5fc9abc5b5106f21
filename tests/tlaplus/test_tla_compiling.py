"""Compiled expressions: values, errors with their places, and what a run says of an action."""

from typing import Any

import pytest

from tests.tlaplus.exploring import specification
from tests.tlaplus.trees import expression_of, loaded
from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.values import Name
from workbench.tlaplus.compiler import compiler
from workbench.tlaplus.compiler.big_stack import deeper
from workbench.tlaplus.compiler.compiler import Compiler
from workbench.tlaplus.compiler.runtime import Run, place_of
from workbench.tlaplus.syntax.tree import Binder, Expression, Place
from workbench.tlaplus.syntax.unparse import written
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.values import EvaluationError, shown

START = (
    "VARIABLES x, y",
    "Low(n) == n < 2",
    "Up(n) == Low(n) /\\ x' = n + 1 /\\ UNCHANGED y",
    "RECURSIVE Endless(_)",
    "Endless(n) == 1 + Endless(n + 1)",
    "Broken == 1 + TRUE",
    "Outer == Broken",
    "Loop[n \\in Nat] == 1 + Loop[n + 1]",
)
NAMES = ["x", "y"]


def compiled(text: str, kind: str = "expression") -> Any:
    made = specification(*START, f"A == {text}")
    meaning = made.scope.find("A")
    return getattr(Compiler(made, {}), kind)(meaning.definition.body, meaning.scope)


VALUES = [
    ("x + y", "3"),
    ("x' + y", "12"),
    ("(x + y)'", "30"),
    ("ENABLED Up(x)", "TRUE"),
    ("ENABLED Up(y)", "FALSE"),
    ("ENABLED (x' = 5 /\\ x' > 6)", "FALSE"),
    ("ENABLED <<Up(x)>>_y", "FALSE"),
    ("UNCHANGED y", "FALSE"),
    ("[x' = 11]_x", "FALSE"),
    ("<<x' = 10>>_x", "TRUE"),
    ("Up(9)", "FALSE"),
    ("LET a == x b == a' IN a + b", "11"),
    ("{n \\in {1, 2, 3} : n > x}", "{2, 3}"),
    ("[n \\in 1..2 |-> n + x]", "<<2, 3>>"),
    ("[a : {1}, b : {x}]", "{[a |-> 1, b |-> 1]}"),
    ("CASE x = 2 -> 1 [] OTHER -> 5", "5"),
    ("\\A <<a, b>> \\in {<<1, 2>>}, c \\in {3} : a + b = c", "TRUE"),
    ("{<<a, b>> : a \\in {1}, b \\in {2, 3}}", "{<<1, 2>>, <<1, 3>>}"),
    ("(CHOOSE n \\in {1, 2} : n > x) = 2", "TRUE"),
    ("LET f[n \\in 0..3] == IF n = 0 THEN 0 ELSE n + f[n - 1] IN f", "(0 :> 0 @@ 1 :> 1 @@ 2 :> 3 @@ 3 :> 6)"),
    ("[[a |-> 1] EXCEPT !.a = @ + x]", "[a |-> 2]"),
    ("x /= y <=> TRUE", "TRUE"),
    ("x = 1 <=> y = 1", "FALSE"),
    ("LET F(op(_, _)) == op(x = 1, x = 2) IN <<F(/\\), F(\\/), F(=>), F(<=>)>>", "<<FALSE, TRUE, FALSE, FALSE>>"),
    ('TRUE \\in BOOLEAN /\\ "a" \\in STRING', "TRUE"),
    ("1 \\notin {2}", "TRUE"),
    ("Len(SelectSeq(<<1, 2>>, Low))", "1"),
]


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_the_value_of_an_expression(text, expected):
    assert shown(force(compiled(text)((1, 2), (10, 20)))) == expected


ERRORS = [
    ("1 + TRUE", "+ needs an integer, not TRUE", Place("M", 11, 6)),
    ("IF x = 1 THEN Outer ELSE 2", "+ needs an integer, not TRUE", Place("M", 8, 11)),
    ("x'", "x' where there is no next state", Place("M", 11, 6)),
    ("[n \\in {1} |-> TRUE + n][1]", "+ needs an integer, not TRUE", Place("M", 11, 21)),
    ("x = TRUE", "a boolean and an integer cannot be compared: TRUE and 1", Place("M", 11, 6)),
    ("x /\\ TRUE", "1 is not a boolean", Place("M", 11, 6)),
    ("CHOOSE n : n \\notin {1}", "TLC cannot evaluate an unbounded CHOOSE", Place("M", 11, 6)),
    ("\\E n \\in Nat : n > 5", "Nat is not enumerable", Place("M", 11, 6)),
]


@pytest.mark.parametrize(("text", "message", "place"), ERRORS)
def test_an_error_says_where_it_comes_from(text, message, place):
    with pytest.raises(EvaluationError) as error:
        force(compiled(text)((1, 2), None))
    assert (str(error.value), place_of(error.value)) == (message, place)


def test_an_operator_of_ones_own_may_have_the_name_of_a_test():
    made = loaded("a < b == a", "A == IF 1 < 2 THEN 1 ELSE 2")
    meaning = made.scope.find("A")
    with pytest.raises(EvaluationError, match="1 is not a boolean"):
        Compiler(made, {}).expression(meaning.definition.body, meaning.scope)(None, None)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "line"), [("Endless(0)", 7), ("Loop[0]", 10)])
def test_a_recursion_without_end_is_an_error(text, line):
    with pytest.raises(EvaluationError, match="recursion is too deep") as error:
        deeper(compiled(text), (1, 2), None)
    assert place_of(error.value).line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]Low(x)", "M.tla:11:6: []Low(x) is a temporal formula"),
        ("WF_x(Up(x))", "is a temporal formula"),
        ("1 + 3.14", "M.tla:11:10: a number with a decimal point is not supported"),
        ("\\E n : n = 1", "M.tla:11:9: n is unbounded"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_where_it_is_used(text, message):
    with pytest.raises(InputError) as error:
        compiled(text)
    assert message in str(error.value)


def test_a_predicate_is_a_boolean():
    assert compiled("Low(x)", "predicate")((1, 2), None) is True
    with pytest.raises(EvaluationError, match="1 is not a boolean"):
        compiled("x", "predicate")((1, 2), None)


def ways(text: str, now: tuple) -> tuple[list, Run]:
    run, found = Run(NAMES, now), []
    compiled(text, "action")(run, lambda: found.append((dict(run.then), list(run.chosen), run.unassigned())))
    return found, run


def test_a_run_has_the_assignments_and_what_was_chosen():
    found, run = ways("\\E i \\in {1, 2} : x' = i + x", (1, 2))
    assert found == [({0: 2}, [("i", 1)], ["y"]), ({0: 3}, [("i", 2)], ["y"])]
    assert (run.then, run.chosen) == ({}, [])


@pytest.mark.parametrize(
    ("text", "whys"),
    [
        ("Up(y)", ["Low(n)"]),
        ("x = 2 /\\ x' = 1", ["x = 2"]),
        ("\\/ x = 2 /\\ x' = 1\n     \\/ y > 5", ["x = 2", "y > 5"]),
        ("x' = 1 /\\ x' = 2", ["x' = 2"]),
        ("\\E i \\in {} : x' = i", ["\\E i \\in {} : x' = i"]),
        ("x' = 7 /\\ UNCHANGED <<x, y>>", ["UNCHANGED <<x, y>>"]),
        ("x' \\in {}", ["x' \\in {}"]),
    ],
)
def test_a_run_says_which_guards_failed(text, whys):
    found, run = ways(text, (1, 2))
    assert (found, run.whys) == ([], whys)


def test_parameters_and_constants_have_values():
    made = specification("CONSTANT C", "VARIABLE x", "A(p) == {C, p + 1}")
    meaning = made.scope.find("A")
    values = {one: Name("c") for one in made.constants}
    definition = meaning.definition
    evaluate = Compiler(made, values).expression(
        definition.body, meaning.scope.inside(definition), definition.parameters
    )
    assert evaluate((1,), None, 4) == frozenset({Name("c"), 5})


@pytest.mark.parametrize(
    "text",
    [
        "[x EXCEPT ![1].a = @ + 1, ![2] = {}]",
        "\\A a, b \\in S, <<c, d>> \\in T : P(a) /\\ (b \\/ ~c)",
        'IF a THEN <<b, -c>> ELSE [d |-> "e", f |-> TRUE]',
        "CASE a -> b [] OTHER -> I!J(3)!K(4)",
        "{a + 1 : a \\in {b \\in SUBSET C : b # {}}}",
        "[<<x' = 1>>_x]_<<x, y>>",
        "[a: B, c: [D -> E]]",
        "Op(LAMBDA a, b : a[b, 1].c)",
    ],
)
def test_an_expression_is_written_as_it_reads(text):
    assert written(expression_of(text)) == text


def test_each_kind_of_expression_has_its_writer():
    kinds = {*Expression.__subclasses__(), *Binder.__subclasses__()} - {Binder}
    assert compiler._VALUES.keys() == kinds
    assert compiler._ACTIONS.keys() == kinds
