"""Actions go on once for each way to take them.

The figures are TLC's, with one worker: what it generates, and the states in the order in which it finds them.
"""

import pytest

from tests.tlaplus.exploring import ERROR, Row, answer

ROWS = [
    Row(
        "disjunction of guards",
        ("VARIABLE x", "Init == x = 0", r"Next == (x = 0 \/ x < 2) /\ x' = x + 1"),
        4,
        ("0", "1", "2"),
    ),
    Row(
        "exists in a guard",
        ("VARIABLE x", "Init == x = 0", r"Next == x < 2 /\ (\E i \in 1..3 : i > 1) /\ x' = x + 1"),
        5,
        ("0", "1", "2"),
    ),
    Row(
        "negated disjunction",
        ("VARIABLE x", "Init == x = 0", r"Next == ~(x = 2 \/ x > 2) /\ x' = x + 1"),
        3,
        ("0", "1", "2"),
    ),
    Row(
        "implication",
        ("VARIABLE x", "Init == x = 0", r"Next == (x < 2 => (x = 0 \/ x < 5)) /\ x' = (x + 1) % 4"),
        6,
        ("0", "1", "2", "3"),
    ),
    Row(
        "implication assigns",
        ("VARIABLE x", "Init == x = 0", r"Next == x < 3 /\ (TRUE => \E i \in {1,2} : x' = x + i)"),
        7,
        ("0", "1", "2", "3", "4"),
    ),
    Row(
        "if",
        ("VARIABLE x", "Init == x = 0", r"Next == IF x < 2 THEN x' = x + 1 ELSE x' \in {0, 5}"),
        7,
        ("0", "1", "2", "5"),
    ),
    Row(
        "case takes the first",
        ("VARIABLE x", "Init == x = 0", "Next == CASE x < 2 -> x' = x + 1 [] x < 4 -> x' = x + 2 [] OTHER -> x' = 0"),
        5,
        ("0", "1", "2", "4"),
    ),
    Row(
        "case without arm",
        ("VARIABLE x", "Init == x = 0", "Next == CASE x < 2 -> x' = x + 1 [] x > 4 -> x' = 0"),
        ERROR,
        (),
    ),
    Row(
        "unchanged",
        (
            "VARIABLES x, y, z",
            "yz == <<y, z>>",
            r"Init == x = 0 /\ y = 0 /\ z = 0",
            r"Next == x' = 1 - x /\ UNCHANGED yz",
        ),
        3,
        ("0 0 0", "1 0 0"),
    ),
    Row(
        "unchanged tests",
        ("VARIABLES x, y", r"Init == x = 0 /\ y = 0", r"Next == x' \in {0, 1, 2} /\ y' = 1 /\ UNCHANGED <<x>>"),
        3,
        ("0 0", "0 1"),
    ),
    Row(
        "unchanged of an expression",
        ("VARIABLES x, y", r"Init == x = 0 /\ y = 0", r"Next == x' \in 0..5 /\ UNCHANGED (x % 2) /\ y' = y"),
        10,
        ("0 0", "2 0", "4 0"),
    ),
    Row(
        "unchanged of nested tuples",
        (
            "VARIABLES x, y, z",
            "vars == <<x, <<y, z>>>>",
            r"Init == x = 0 /\ y \in {1,2} /\ z = 0",
            "Next == UNCHANGED vars",
        ),
        4,
        ("0 1 0", "0 2 0"),
    ),
    Row(
        "box",
        ("VARIABLES x, y", r"Go == x < 2 /\ x' = x + 1 /\ y' = y", r"Init == x = 0 /\ y = 0", "Next == [Go]_<<x, y>>"),
        6,
        ("0 0", "1 0", "2 0"),
    ),
    Row(
        "angle",
        ("VARIABLES x, y", r"Go == x' \in {0, 1} /\ y' = y", r"Init == x = 0 /\ y = 0", "Next == <<Go>>_x"),
        3,
        ("0 0", "1 0"),
    ),
    Row(
        "for all",
        (
            "VARIABLES x, y",
            r"Init == x = 0 /\ y = 0",
            r"Next == (\A i \in {1, 2} : x < 2 \/ i < 5) /\ x' = (x + 1) % 3 /\ y' = y",
        ),
        10,
        ("0 0", "1 0", "2 0"),
    ),
    Row(
        "for all assigns",
        (
            "VARIABLES x, y",
            r"Init == x = 0 /\ y = 0",
            r"Next == (\A i \in {1} : x' \in {i, 2}) /\ (\A i \in {} : FALSE) /\ y' = x'",
        ),
        7,
        ("0 0", "1 1", "2 2"),
    ),
    Row(
        "test after assigned",
        (
            "VARIABLES x, y",
            r"Init == x = 0 /\ y = 0",
            r"Next == x' \in 0..3 /\ x' \in {1, 2, 9} /\ x' # 2 /\ x' = 1 /\ y' = y",
        ),
        3,
        ("0 0", "1 0"),
    ),
    Row(
        "set of sets of sets",
        (
            "VARIABLE x",
            r"Sets == {s \in SUBSET {{1}, {2}, {3}} : {1} \notin s}",
            "Init == x = {}",
            r"Next == \E t \in {{1}, {2}, {3}} : x' = x \cup {t} /\ x' \in Sets",
        ),
        9,
        ("{}", "{{2}}", "{{3}}", "{{2}, {3}}"),
    ),
    Row(
        "enabled",
        (
            "VARIABLES x, y",
            r"Up == x < 2 /\ x' = x + 1 /\ UNCHANGED y",
            r"Init == x = 0 /\ y = 0",
            r"Next == Up \/ (~ENABLED Up /\ y' = (y + 1) % 2 /\ UNCHANGED x)",
        ),
        5,
        ("0 0", "1 0", "2 0", "2 1"),
    ),
    Row(
        "enabled of angle",
        ("VARIABLES x", "Up == x' = IF x < 2 THEN x + 1 ELSE x", "Init == x = 0", r"Next == (ENABLED <<Up>>_x) /\ Up"),
        3,
        ("0", "1", "2"),
    ),
    Row(
        "order of exists",
        ("VARIABLE x", "Init == x = <<0, 0>>", r"Next == \E a \in {1, 2}, b \in {3, 4} : x' = <<a, b>>"),
        21,
        ("<<0, 0>>", "<<1, 3>>", "<<2, 3>>", "<<1, 4>>", "<<2, 4>>"),
    ),
    Row(
        "tuples taken apart",
        ("VARIABLE x", "Init == x = 0", r"Next == \E <<a, b>> \in {<<1, 2>>, <<3, 4>>} : x' = a * b"),
        7,
        ("0", "2", "12"),
    ),
    Row(
        "except sees earlier updates",
        (
            "VARIABLE x",
            "Init == x = [a |-> 1, b |-> <<1, 2>>]",
            r"Next == x.a < 6 /\ x' = [x EXCEPT !.a = @ + 1, !.b[2] = @ + 1, !.a = @ * 2]",
        ),
        3,
        ("[a |-> 1, b |-> <<1, 2>>]", "[a |-> 4, b |-> <<1, 3>>]", "[a |-> 10, b |-> <<1, 4>>]"),
    ),
    Row(
        "except outside of the domain",
        ("VARIABLE x", "Init == x = <<1, 2>>", "Next == x' = [x EXCEPT ![3] = 5]"),
        2,
        ("<<1, 2>>",),
    ),
    Row(
        "boolean and number", ("VARIABLE x", r"Init == x \in {0}", "Next == x' = IF x = 0 THEN 1 ELSE x"), 3, ("0", "1")
    ),
    Row("boolean compared with number", ("VARIABLE x", "Init == x = 1", r"Next == x = TRUE /\ x' = 2"), ERROR, ()),
    Row("true beside one", ("VARIABLE x", r"Init == x = TRUE \/ x = 1", "Next == UNCHANGED x"), 4, ("TRUE", "1")),
    Row(
        "chosen",
        ("VARIABLE x", "Init == x = {3, 1}", r"Next == x # {} /\ x' = x \ {CHOOSE i \in x : \A j \in x : i <= j}"),
        3,
        ("{1, 3}", "{3}", "{}"),
    ),
    Row(
        "case with nested conjunctions",
        (
            "VARIABLES x, y",
            r"Init == x = 0 /\ y = 0",
            r"Next == /\ \/ x' = 1",
            r"           \/ /\ x' = 2",
            r"              /\ \/ y' = 1",
            r"                 \/ y' = 2",
            r"        /\ y' = x'",
        ),
        7,
        ("0 0", "1 1", "2 2"),
    ),
    Row(
        "two ways to one state",
        ("VARIABLE x", r"Init == x = 0 \/ x \in {0, 1}", r"Next == \/ x' = 1", r"        \/ \E i \in {1, 2} : x' = 1"),
        9,
        ("0", "1"),
    ),
    Row(
        "next uses beginning",
        ("VARIABLES x, y", r"Init == y = 0 /\ x = y + 1 /\ x \in {1, 2}", r"Next == x' = 3 - x /\ y' = x'"),
        4,
        ("1 0", "2 2", "1 1"),
    ),
    Row(
        "used before assigned at the beginning",
        ("VARIABLES x, y", r"Init == x = y /\ y = 1", "Next == UNCHANGED <<x, y>>"),
        ERROR,
        (),
    ),
    Row("used before assigned", ("VARIABLES x, y", r"Init == x = 0 /\ y = 0", r"Next == x' = y' /\ y' = 1"), ERROR, ()),
    Row(
        "user infix",
        ("VARIABLE x", "a ## b == a + 2 * b", "Init == x = 0", r"Next == x < 4 /\ x' = x ## 1"),
        3,
        ("0", "2", "4"),
    ),
    Row("empty or", ("VARIABLE x", "Init == x = 0", r"Next == \E i \in {} : x' = i"), 1, ("0",)),
    Row(
        "guard in for all of exists",
        ("VARIABLE x", "Init == x = 0", r"Next == (\A i \in {1, 2} : \E j \in {1, 2} : j >= i) /\ x' = (x + 1) % 2"),
        5,
        ("0", "1"),
    ),
    Row(
        "formula in a condition",
        ("VARIABLE x", "Init == x = 0", r"Next == IF \E i \in {1, 2} : i > x THEN x' = x + 1 ELSE x' = 0"),
        4,
        ("0", "1", "2"),
    ),
    Row(
        "equality of a disjunction",
        ("VARIABLE x", "Init == x = 0", r"Next == ((x = 0 \/ x < 2) = TRUE) /\ x' = x + 1"),
        3,
        ("0", "1", "2"),
    ),
    Row(
        "constant disjunction",
        ("VARIABLE x", "Init == x = 0", r"Next == (TRUE \/ 1 = 1) /\ x' = (x + 1) % 3"),
        7,
        ("0", "1", "2"),
    ),
    Row(
        "equivalence",
        ("VARIABLE x", "Init == x = 0", r"Next == ((x = 0 \/ x < 5) <=> TRUE) /\ x' = (x + 1) % 3"),
        4,
        ("0", "1", "2"),
    ),
]

START = (
    "VARIABLES x, y",
    r"D(v) == v = 0 \/ v < 5",
    r"E(S) == \E i \in S : i >= 0",
    r"P(v) == v' = 1 \/ v' < 3",
    r"F(v) == IF v = 0 THEN v = 0 \/ v < 5 ELSE v = 1",
    r"G(v) == IF v = 1 THEN v = 1 ELSE v = 0 \/ v < 5",
    r"C(c, v) == c \/ v = 9",
    r"Init == x = 0 /\ y = {1, 2}",
)
BOTH, THREE = ("0 {1, 2}", "1 {1, 2}"), ("0 {1, 2}", "1 {1, 2}", "2 {1, 2}")
#: Once all variables are assigned, what follows in a conjunction is a test: it has one way.
ROWS += [
    Row(text, (*START, f"Next == {text}"), generated, states)
    for text, generated, states in [
        (r"x' = 1 - x /\ y' = y /\ (2 >= 0 \/ {1} # {})", 3, BOTH),
        (r"(2 >= 0 \/ {1} # {}) /\ x' = 1 - x /\ y' = y", 5, BOTH),
        (r"\E p \in {1, 2} : (\E i \in y : x' = i) /\ UNCHANGED <<y>> /\ (2 >= 0 \/ p = 1)", 13, THREE),
        (r"x' = 1 - x /\ D(x) /\ y' = y", 4, BOTH),
        (r"E(y) /\ x' = 1 - x /\ y' = y", 5, BOTH),
        (r"F(x) /\ x' = 1 - x /\ y' = y", 4, BOTH),
        (r"G(x) /\ x' = 1 - x /\ y' = y", 4, BOTH),
        (r"C(TRUE, x)' /\ x' = 1 - x /\ y' = y", 3, BOTH),
        (r"LET a == x + 1 b == a + 2 IN x' = b % 2 /\ y' = y", 3, BOTH),
        (r"x' = 1 - x /\ y' = y /\ E(y) /\ D(x')", 3, BOTH),
        (r"x' = 1 - x /\ y' = y /\ P(x)", 3, BOTH),
        (r"\A i \in y : x' = 1 - x /\ y' = y /\ (i = 1 \/ i < 3)", 3, BOTH),
        (r"(\A i \in y : (x' = 1 - x /\ y' = y) \/ (i = 2 /\ x' = x)) /\ D(x)", 3, BOTH),
        (r"(x' = 1 \/ x' = 0) /\ y' = y /\ IF x = 0 THEN D(x) ELSE E(y)", 5, BOTH),
        (r"(x' = 1 \/ x' = 0) /\ y' = y /\ LET Z == D(x') IN Z", 5, BOTH),
        (r"(x' = 1 \/ x' = 0) /\ UNCHANGED y /\ ((x' = 1 /\ y' = y) \/ x' \in {0, 1})", 5, BOTH),
        (r"(x' = 1 \/ x' = 0) /\ UNCHANGED y /\ [D(x)]_x", 5, BOTH),
        (r"<<(x' = 1 \/ x' = 0) /\ UNCHANGED y>>_x /\ D(x)", 3, BOTH),
        (r"(x' = 1 \/ x' = 0) /\ ((y' = y /\ D(x)) \/ (y' = y /\ D(x) /\ E(y)))", 9, BOTH),
        (r"(x' = 1 \/ x' = 0) /\ LET A == y' = y IN (A /\ (D(x) \/ A))", 5, BOTH),
    ]
]
ROWS += [
    Row(
        "definitions in a LET",
        (
            "VARIABLES x, y",
            r"Init == x = 0 /\ y = 0",
            r"Next == LET A(n) == x' = n B == y' = x IN (A(1) /\ B) \/ (A(2) /\ y' = x')",
        ),
        11,
        ("0 0", "1 0", "2 2", "1 1", "1 2"),
    ),
    Row(
        "recursive action",
        (
            "VARIABLES x, y",
            "RECURSIVE R(_)",
            r"R(n) == IF n = 0 THEN x' = x ELSE (R(n - 1) \/ x' = n)",
            r"Init == x = 0 /\ y = 0",
            r"Next == R(3) /\ y' = y",
        ),
        17,
        ("0 0", "1 0", "2 0", "3 0"),
    ),
    Row("test at the beginning", ("VARIABLE x", r"Init == x = 0 /\ (TRUE \/ 1 = 1)", "Next == x' = x"), 2, ("0",)),
    Row("ways at the beginning", ("VARIABLE x", r"Init == (TRUE \/ 1 = 1) /\ x = 0", "Next == x' = x"), 3, ("0",)),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_states_are_those_of_tlc(row):
    assert answer(row) == (row.generated, row.states)
