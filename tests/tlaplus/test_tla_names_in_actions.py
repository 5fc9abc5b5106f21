"""Names in actions: definitions, and arguments that are more than values.

The figures are TLC's, with one worker: what it generates, and the states in the order in which it finds them.
"""

import pytest

from tests.tlaplus.exploring import Row, answer

ROWS = [
    Row(
        "definition with a disjunction as guard",
        ("VARIABLE x", r"Low(n) == n = 0 \/ n < 2", "Init == x = 0", r"Next == Low(x) /\ x' = x + 1"),
        4,
        ("0", "1", "2"),
    ),
    Row(
        "argument not needed",
        (
            "VARIABLE x",
            "Pick(a, b) == IF a THEN b ELSE 0",
            "Init == x = 0",
            r"Next == x' = Pick(x > 5, CHOOSE i \in {} : TRUE)",
        ),
        2,
        ("0",),
    ),
    Row(
        "argument primed",
        (
            "VARIABLES x, y",
            "Move(v) == v' = v + 1",
            r"Init == x = 0 /\ y = 0",
            r"Next == (x < 2 /\ Move(x) /\ UNCHANGED y) \/ (y < 2 /\ Move(y) /\ UNCHANGED x)",
        ),
        13,
        ("0 0", "1 0", "0 1", "2 0", "1 1", "0 2", "2 1", "1 2", "2 2"),
    ),
    Row(
        "argument assigned at the beginning",
        ("VARIABLES x, y", r"Start(v) == v \in {1, 2}", r"Init == Start(x) /\ Start(y)", "Next == UNCHANGED <<x, y>>"),
        8,
        ("1 1", "1 2", "2 1", "2 2"),
    ),
    Row(
        "operator assigns beside at the beginning",
        (
            "VARIABLES x, y",
            "Apply2(f(_, _), v, n) == f(v, n)",
            "Is(v, n) == v = n",
            r"Init == Apply2(Is, x, 3) /\ Apply2(LAMBDA v, n : v = n + 1, y, 3)",
            "Next == UNCHANGED <<x, y>>",
        ),
        2,
        ("3 4",),
    ),
    Row(
        "operator assigns beside",
        (
            "VARIABLES x, y",
            "Apply2(f(_, _), v, n) == f(v, n)",
            "Is(v, n) == v' = n",
            r"Init == x = 0 /\ y = 0",
            r"Next == Apply2(Is, x, y) /\ Apply2(LAMBDA v, n : v' = (n + 1) % 3, y, x)",
        ),
        7,
        ("0 0", "0 1", "1 1", "1 2", "2 2", "2 0"),
    ),
    Row(
        "primed argument given",
        (
            "VARIABLES x, y",
            "Eq(a, b) == a = b",
            r"Init == x = 0 /\ y = 0",
            r"Next == Eq(x', (x + 1) % 3) /\ Eq(y', x')",
        ),
        4,
        ("0 0", "1 1", "2 2"),
    ),
    Row(
        "unchanged of an argument",
        (
            "VARIABLES x, y, z",
            "Keep(v) == UNCHANGED v",
            r"Init == x = 0 /\ y = 0 /\ z = 0",
            r"Next == x' = 1 - x /\ Keep(<<y, z>>)",
        ),
        3,
        ("0 0 0", "1 0 0"),
    ),
    Row(
        "enabled with arguments",
        (
            "VARIABLES x",
            r"Up(n) == x < n /\ x' = x + 1",
            "Init == x = 0",
            r"Next == \E n \in 1..3 : Up(n) /\ ENABLED Up(n - 1)",
        ),
        4,
        ("0", "1", "2"),
    ),
    Row(
        "order of exists of names",
        ("VARIABLE x", "Init == x = <<0, 0>>", r"Next == \E a, b \in {1, 2} : x' = <<a, b>>"),
        21,
        ("<<0, 0>>", "<<1, 1>>", "<<2, 1>>", "<<1, 2>>", "<<2, 2>>"),
    ),
    Row(
        "names of tuples and sets",
        ("VARIABLE x", "Init == x = 0", r"Next == \E <<a, b>> \in {<<1, 2>>, <<3, 4>>}, c \in {0, 1} : x' = a * b + c"),
        21,
        ("0", "2", "12", "3", "13"),
    ),
    Row(
        "function of two",
        (
            "VARIABLE x",
            r"Init == x = [a \in {1, 2}, b \in {3} |-> a + b]",
            "Next == x' = [x EXCEPT ![1, 3] = @ % 3, ![2, 3] = x[1, 3]]",
        ),
        4,
        ("(<<1, 3>> :> 4 @@ <<2, 3>> :> 5)", "(<<1, 3>> :> 1 @@ <<2, 3>> :> 4)", "(<<1, 3>> :> 1 @@ <<2, 3>> :> 1)"),
    ),
    Row(
        "sequence operators",
        ("VARIABLE x", "Init == x = <<3, 1, 2>>", r"Next == Len(x) > 0 /\ x' = SelectSeq(Tail(x), LAMBDA e : e > 1)"),
        3,
        ("<<3, 1, 2>>", "<<2>>", "<<>>"),
    ),
    Row(
        "operator as argument of a standard one",
        ("VARIABLE x", "Big(e) == e > 1", "Init == x = <<3, 1, 2>>", "Next == x' = SelectSeq(x, Big)"),
        3,
        ("<<3, 1, 2>>", "<<3, 2>>"),
    ),
    Row(
        "operator under a prime",
        (
            "VARIABLE x",
            "At(f(_), n) == f(n)'",
            "PlusX(n) == n + x",
            "Init == x = 0",
            r"Next == x' = (x + 1) % 4 /\ At(PlusX, 1) # 3",
        ),
        2,
        ("0", "1"),
    ),
    Row(
        "argument under a prime in an operator",
        ("VARIABLE x", "After(e) == e'", "Init == x = 0", r"Next == x' = (x + 1) % 4 /\ After(x + 1) # 3"),
        2,
        ("0", "1"),
    ),
    Row(
        "prime of a definition",
        (
            "VARIABLES x, y",
            "Sum == x + y",
            r"Init == x = 0 /\ y = 0",
            r"Next == x' = (x + 1) % 3 /\ y' \in 0..2 /\ Sum' = 2",
        ),
        5,
        ("0 0", "1 1", "2 0", "0 2"),
    ),
    Row(
        "lambda captures a loop",
        (
            "VARIABLE x",
            r"MapS(f(_), s) == {f(e) : e \in s}",
            "Init == x = {0}",
            r"Next == \E i \in 1..2 : x' = {e % 4 : e \in MapS(LAMBDA e : e + i, x)}",
        ),
        9,
        ("{0}", "{1}", "{2}", "{3}"),
    ),
    Row(
        "lazy functions capture",
        (
            "VARIABLE x",
            r"Fs == {[n \in 1..2 |-> n + i] : i \in 1..2}",
            r"Init == x \in Fs",
            r"Next == x' \in Fs /\ x'[1] = x[2]",
        ),
        3,
        ("<<2, 3>>", "<<3, 4>>"),
    ),
    Row(
        "formula as an argument",
        (
            "VARIABLE x",
            r"Both(a, b) == a /\ b",
            "Init == x = 0",
            r"Next == Both(x = 0 \/ x < 3, \E i \in {1, 2} : x' = (x + i) % 4)",
        ),
        9,
        ("0", "1", "2", "3"),
    ),
    Row(
        "constant definition with a disjunction",
        ("VARIABLE x", r"Yes == TRUE \/ TRUE", "Init == x = 0", r"Next == Yes /\ x' = (x + 1) % 3"),
        4,
        ("0", "1", "2"),
    ),
    Row(
        "definition with parameters that is constant",
        ("VARIABLE x", r"Ok(n) == n = 1 \/ n > 0", "Init == x = 0", r"Next == Ok(1) /\ x' = (x + 1) % 3"),
        7,
        ("0", "1", "2"),
    ),
    Row(
        "value through a name",
        ("VARIABLES x, y", "next == x'", r"Init == x = 0 /\ y = 0", r"Next == next = (x + 1) % 3 /\ y' = next"),
        4,
        ("0 0", "1 1", "2 2"),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_states_are_those_of_tlc(row):
    assert answer(row) == (row.generated, row.states)
