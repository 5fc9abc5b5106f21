"""Levels, and which arguments are more than values."""

import pytest

from tests.tlaplus.trees import loaded, refused
from workbench.tlaplus.names.levels import Level, Levels
from workbench.tlaplus.names.operator_effects import Use, Uses
from workbench.tlaplus.syntax.tree import Let

START = (
    "EXTENDS Naturals, Sequences",
    "CONSTANT c",
    "VARIABLES x, y",
    "Id(p) == p",
    "Next(p) == p'",
    "Start(p) == p = 0",
    "Lose(q) == \\E i \\in 1..Len(q) : q' = Tail(q)",
    "Two(f(_), p) == f(p)",
    "Both(a, b) == a /\\ b",
    "RECURSIVE Fold(_, _, _)",
    "Fold(f(_, _), e, s) == IF s = <<>> THEN e ELSE Fold(f, f(e, Len(s)), Tail(s))",
    "Plus(a, b) == a + b",
    "RECURSIVE Even(_)",
    "RECURSIVE Odd(_)",
    "Even(p) == IF p = 0 THEN x = 0 ELSE Odd(p - 1)",
    "Odd(p) == IF p = 1 THEN TRUE ELSE Even(p - 1)",
    "I == INSTANCE N WITH v <- x, Op <- Id",
    "J(p) == INSTANCE N WITH v <- p, Op <- Next",
)
INSTANTIATED = "CONSTANT Op(_)\nVARIABLE v\nStep == v' = v\nUse == Op(v)\nGo(r) == r' = v"

LEVELS = [
    ("c + 1", Level.CONSTANT),
    ("x + c", Level.STATE),
    ("x'", Level.ACTION),
    ("c'", Level.CONSTANT),
    ("\\E q \\in c : q = x", Level.STATE),
    ("{q \\in x : q}", Level.STATE),
    ("Id(c)", Level.CONSTANT),
    ("Id(x')", Level.ACTION),
    ("Next(c)", Level.CONSTANT),
    ("Next(x)", Level.ACTION),
    ("Two(Next, x)", Level.ACTION),
    ("Two(Id, x)", Level.STATE),
    ("Two(LAMBDA p : x', c)", Level.ACTION),
    ("Two(LAMBDA p : c, x)", Level.STATE),
    ("LET t(p) == c IN t(x)", Level.STATE),
    ("ENABLED Next(x)", Level.STATE),
    ("UNCHANGED <<x, y>>", Level.ACTION),
    ("[Next(x)]_x", Level.ACTION),
    ("[][Next(x)]_x", Level.TEMPORAL),
    ("WF_x(Next(x))", Level.TEMPORAL),
    ("(x = 1) ~> (x = 2)", Level.TEMPORAL),
    ("LET t == x' u == c IN u", Level.CONSTANT),
    ("LET t == x' u == c IN t", Level.ACTION),
    ("LET t(p) == Next(p) IN t(x)", Level.ACTION),
    ("Fold(Plus, 0, c)", Level.CONSTANT),
    ("Fold(Plus, 0, x')", Level.ACTION),
    ("Even(c)", Level.STATE),
    ("Odd(c)", Level.STATE),
    ("I!Step", Level.ACTION),
    ("I!Use", Level.STATE),
    ("J(x)!Use", Level.ACTION),
    ("J(c)!Use", Level.CONSTANT),
    ("LET K == INSTANCE N WITH v <- y, Op <- Next IN K!Use", Level.ACTION),
    ("SelectSeq(c, LAMBDA e : e = x)", Level.STATE),
    ("3.14", Level.CONSTANT),
]


@pytest.mark.parametrize(("text", "expected"), LEVELS)
def test_the_level_of_an_expression(text, expected):
    made = loaded(*START, f"A == {text}", N=INSTANTIATED)
    definition = made.scope.find("A")
    assert Levels().level(definition.definition.body, definition.scope) is expected


def test_levels_of_operators_that_use_each_other_do_not_depend_on_the_order_of_questions():
    made = loaded(*START, "A == <<Odd(c), Even(c)>>", N=INSTANTIATED)
    levels = Levels()
    assert [levels.level(item, made.scope) for item in made.scope.find("A").definition.body.items] == [Level.STATE] * 2


USES = [
    ("Id(x)", [{"FORMULA"}]),
    ("Next(x)", [{"PRIMED"}]),
    ("Start(x)", [{"ASSIGNED"}]),
    ("Lose(x)", [{"PRIMED"}]),
    ("Both(x = 1, y = 2)", [{"FORMULA"}, {"FORMULA"}]),
    ("Plus(x, y)", [set(), set()]),
    ("Two(Next, x)", [set(), {"PRIMED"}]),
    ("Two(Start, x)", [set(), {"ASSIGNED"}]),
    ("Two(LAMBDA q : q = 1, x)", [set(), {"ASSIGNED"}]),
    ("Two(LAMBDA q : Len(q) = 1, x)", [set(), set()]),
    ("Fold(Plus, 0, x')", [set(), {"FORMULA"}, set()]),
]


@pytest.mark.parametrize(("text", "expected"), USES)
def test_what_an_operator_does_with_its_arguments(text, expected):
    made = loaded(*START, f"A == {text}", N=INSTANTIATED)
    call = made.scope.find("A").definition.body
    found = Uses().of_call(made.scope.find(call.name), call.arguments, made.scope, {})
    assert [{use.name for use in uses} for uses in found] == expected


DEFINITIONS = [
    ("A(p) == UNCHANGED p", {"PRIMED"}),
    ("A(p) == LET t == <<x, p>> IN UNCHANGED t", {"PRIMED"}),
    ("A(p) == Lose(p)", {"PRIMED"}),
    ("A(p) == J(p)!Step", {"PRIMED"}),
    ("A(p) == J(p)!Use", {"PRIMED"}),
    ("A(p) == I!Go(p)", {"PRIMED"}),
    ("A(p) == Id(p)'", {"PRIMED"}),
    ("A(p) == x' = p", set()),
    ("A(p) == p \\in {1, 2}", {"ASSIGNED"}),
    ("A(p) == IF x = 1 THEN p = 1 ELSE TRUE", {"ASSIGNED"}),
    ("A(p) == CASE x = p -> p = 1 [] OTHER -> TRUE", {"ASSIGNED"}),
    ("A(p) == [](p = 1) /\\ [TRUE]_p", {"PRIMED"}),
    ("A(p) == LET K == INSTANCE N WITH v <- p, Op <- Id IN K!Step", {"PRIMED"}),
    ("A(p) == lab :: p", {"FORMULA"}),
]


@pytest.mark.parametrize(("text", "expected"), DEFINITIONS)
def test_what_a_definition_does_with_its_parameter(text, expected):
    made = loaded(*START, text, N=INSTANTIATED)
    definition = made.scope.find("A").definition
    found = Uses().uses_in(definition.body, made.scope.inside(definition), {}, Use.FORMULA)
    assert {use.name for name, use in found if name in definition.parameters} == expected


def test_a_scope_inside_a_construct_is_always_the_same():
    made = loaded(*START, "A == LET t == 1 IN t", N=INSTANTIATED)
    let = made.scope.find("A").definition.body
    assert isinstance(let, Let)
    assert made.scope.inside(let) is made.scope.inside(let)


#: What SANY refuses as well, with the place that it gives where it gives one of a construct.
REFUSED = [
    ("A == x''", "M.tla:20:6: ' takes what is of a state, not of an action"),
    ("A == (x' + 1)'", "M.tla:20:6: ' takes what is of a state, not of an action"),
    ("A == ([](x = 1))'", "M.tla:20:6: ' takes what is of a state, not of a behaviour"),
    ("A == [](x' = 1)", "M.tla:20:6: an action stands here where only"),
    ("A == <>(x' = 1)", "M.tla:20:6: an action stands here where only"),
    ("A == (x' = 1) ~> (x = 1)", "M.tla:20:6: an action stands here where only"),
    ("A == WF_(x')(x' = 1)", "M.tla:20:6: a subscript takes what is of a state, not of an action"),
    ("A == [[](x = 1)]_x", "M.tla:20:6: an action with a subscript takes what is of an action, not of a behaviour"),
    ("A == ENABLED [](x = 1)", "M.tla:20:6: ENABLED takes what is of an action, not of a behaviour"),
    ("A == Next(x')", "M.tla:20:6: Next cannot be applied to this: M.tla:6:12: ' takes what is of a state"),
    ("ASSUME x = 1", "M.tla:20:1: ASSUME takes what is of a constant, not of a state"),
    ("K(p) == INSTANCE O WITH k <- p, v <- y\nA == K(x)!Val", "M.tla:21:6: what stands for k must be of a constant"),
    ("K == INSTANCE O WITH k <- x, v <- y", "M.tla:20:1: what stands for k must be of a constant"),
    ("K(p) == INSTANCE O WITH k <- 1, v <- p\nA == K(x')!Val", "M.tla:21:6: what stands for v must be of a state"),
    ("RECURSIVE F(_)\nF(a) == IF a' = 0 THEN 1 ELSE F(a)", "M.tla:21:1: F, which is RECURSIVE, cannot prime"),
    ("k == x\nv == 1\nINSTANCE O", "M.tla:22:1: what stands for k must be of a constant"),
]
FINE = ["RECURSIVE F(_)\nF(a) == IF a = 0 THEN x' ELSE F(a - 1)", "A == (ENABLED (x' = 1))'", "A == Next(x)"]
OTHER = "CONSTANT k\nVARIABLE v\nVal == v"


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_levels_are_refused_where_tlc_refuses_them(text, message):
    with refused(message):
        loaded(*START, text, N=INSTANTIATED, O=OTHER)


@pytest.mark.parametrize("text", FINE)
def test_other_levels_are_accepted(text):
    assert loaded(*START, text, N=INSTANTIATED, O=OTHER)
