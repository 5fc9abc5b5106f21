"""LET, recursion and instances in actions.

The figures are TLC's, with one worker: what it generates, and the states in the order in which it finds them.
"""

import pytest

from tests.tlaplus.exploring import Row, answer

ROWS = [
    Row(
        "let",
        ("VARIABLE x", "Init == x = 0", r"Next == LET y == x + 1 Go(n) == x' = n IN y < 4 /\ Go(y)"),
        4,
        ("0", "1", "2", "3"),
    ),
    Row(
        "let of formula",
        ("VARIABLE x", "Init == x = 0", r"Next == LET go == x' = x + 1 IN x < 3 /\ go"),
        4,
        ("0", "1", "2", "3"),
    ),
    Row(
        "let under a prime",
        ("VARIABLE x", "Init == x = 0", r"Next == LET y == x + 1 IN x' = (x + 1) % 5 /\ y' # 4"),
        3,
        ("0", "1", "2"),
    ),
    Row(
        "let not needed",
        (
            "VARIABLE x",
            "Init == x = 0",
            r"Next == LET y == CHOOSE i \in {} : TRUE IN x < 2 /\ IF x > 5 THEN x' = y ELSE x' = x + 1",
        ),
        3,
        ("0", "1", "2"),
    ),
    Row(
        "recursion with a primed argument",
        (
            "VARIABLES s, n",
            "Plus(a, b) == a + b",
            "RECURSIVE Fold(_, _, _)",
            "Fold(f(_, _), e, q) == IF q = <<>> THEN e ELSE Fold(f, f(e, Head(q)), Tail(q))",
            r"Init == s = <<>> /\ n = 0",
            r"Next == Len(s) < 3 /\ s' = Append(s, Len(s) + 1) /\ n' = Fold(Plus, 0, s')",
        ),
        4,
        ("0 <<>>", "1 <<1>>", "3 <<1, 2>>", "6 <<1, 2, 3>>"),
    ),
    Row(
        "fold of a lambda that primes",
        (
            "VARIABLES s, n",
            "RECURSIVE Fold(_, _, _)",
            "Fold(f(_, _), e, q) == IF q = <<>> THEN e ELSE Fold(f, f(e, Head(q)), Tail(q))",
            r"Init == s = <<>> /\ n = 1",
            r"Next == Len(s) < 3 /\ s' = Append(s, 2) /\ n' = Fold(LAMBDA a, b : a + b + Len(s'), n, s')",
        ),
        4,
        ("1 <<>>", "4 <<2>>", "12 <<2, 2>>", "27 <<2, 2, 2>>"),
    ),
    Row(
        "recursive action",
        (
            "VARIABLES x",
            "RECURSIVE Down(_)",
            r"Down(n) == IF n = 0 THEN x' = 0 ELSE x' = n \/ Down(n - 1)",
            "Init == x = 3",
            "Next == Down(x)",
        ),
        11,
        ("3", "2", "1", "0"),
    ),
    Row(
        "recursive function",
        (
            "VARIABLES x",
            r"fact[n \in Nat] == IF n = 0 THEN 1 ELSE n * fact[n - 1]",
            "Init == x = 0",
            r"Next == x < 5 /\ x' = x + 1 /\ fact[x] < 20",
        ),
        5,
        ("0", "1", "2", "3", "4"),
    ),
    Row(
        "recursive function of the state",
        (
            "VARIABLES x",
            r"sum[n \in 0..5] == IF n = 0 THEN x ELSE n + sum[n - 1]",
            "Init == x = 0",
            r"Next == x < 10 /\ x' = sum[2]",
        ),
        5,
        ("0", "3", "6", "9", "12"),
    ),
    Row(
        "unchanged of a let",
        (
            "VARIABLES x, y, z",
            r"Init == x = 0 /\ y = 0 /\ z = 0",
            r"Next == LET yz == <<y, z>> IN x' = 1 - x /\ UNCHANGED yz",
        ),
        3,
        ("0 0 0", "1 0 0"),
    ),
    Row(
        "instance with operator and own variable",
        (
            "VARIABLES v, w",
            "Twice(n) == (2 * n) % 5",
            "I == INSTANCE N WITH v <- w, Op <- Twice",
            r"Init == v = 0 /\ w = 1",
            r"Next == I!Step /\ v' = (v + 1) % 2",
        ),
        5,
        ("0 1", "1 2", "0 4", "1 3"),
        ("EXTENDS Naturals", "CONSTANT Op(_)", "VARIABLE v", "Step == v' = Op(v)"),
    ),
    Row(
        "instance with an expression for a variable",
        ("VARIABLES x", "I == INSTANCE N WITH v <- x + 1", "Init == x = 0", r"Next == x < 3 /\ x' = x + 1 /\ I!Step"),
        3,
        ("0", "1", "2"),
        ("EXTENDS Naturals", "VARIABLE v", r"Step == v' = v + 1 /\ v' < 4"),
    ),
    Row(
        "instance with a parameter",
        (
            "VARIABLES x",
            "I(p) == INSTANCE N WITH v <- x, c <- p",
            "Init == x = 0",
            r"Next == I(1)!Step \/ \E q \in {2, 3} : I(q)!Step",
        ),
        16,
        ("0", "1", "2", "3", "4"),
        ("EXTENDS Naturals", "CONSTANT c", "VARIABLE v", "Step == v' = (v + c) % 5"),
    ),
    Row(
        "instance with a primed parameter",
        (
            "VARIABLES x, y",
            "I(p) == INSTANCE N WITH v <- p",
            r"Init == x = 0 /\ y = 0",
            r"Next == (I(x)!Step /\ UNCHANGED y) \/ (I(y)!Step /\ UNCHANGED x)",
        ),
        19,
        ("0 0", "1 0", "0 1", "2 0", "1 1", "0 2", "2 1", "1 2", "2 2"),
        ("EXTENDS Naturals", "VARIABLE v", "Step == v' = (v + 1) % 3"),
    ),
    Row(
        "instance in let",
        ("VARIABLES x", "Init == x = 0", "Next == LET I == INSTANCE N WITH v <- x IN I!Step"),
        4,
        ("0", "1", "2"),
        ("EXTENDS Naturals", "VARIABLE v", "Step == v' = (v + 1) % 3"),
    ),
    Row(
        "let with parameters that captures",
        ("VARIABLE x", "Init == x = 0", r"Next == \E i \in 1..2 : LET Add(n) == n + i IN x < 4 /\ x' = Add(x)"),
        9,
        ("0", "1", "2", "3", "4", "5"),
    ),
    Row(
        "recursion in let",
        (
            "VARIABLE x",
            "Init == x = 0",
            "Next == LET RECURSIVE Sum(_)",
            r" Sum(n) == IF n = 0 THEN x ELSE n + Sum(n - 1) IN x < 9 /\ x' = Sum(3)",
        ),
        3,
        ("0", "6", "12"),
    ),
    Row(
        "function in let",
        (
            "VARIABLE x",
            "Init == x = 0",
            r"Next == LET f[n \in 0..4] == IF n = 0 THEN x ELSE n + f[n - 1] IN x < 9 /\ x' = f[2]",
        ),
        4,
        ("0", "3", "6", "9"),
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_states_are_those_of_tlc(row):
    assert answer(row) == (row.generated, row.states)
