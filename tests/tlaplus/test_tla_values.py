"""Equality, order and numbers of TLA+, as TLC has them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.tlc_answers import M1, M2, A, B, C, Row, answer, constant, first, some
from workbench.kernel.meaning.values import Name
from workbench.tlaplus.arithmetic import div, geq, interval, leq, less, lt, mod, negative, plus, power, times
from workbench.tlaplus.lazy import equal, force, isin
from workbench.tlaplus.operators import (
    apply,
    choose,
    cup,
    field,
    function,
    mapped,
    pair,
    record,
    union,
)
from workbench.tlaplus.sets import (
    INT,
    NAT,
    Functions,
    Product,
    Records,
    Subsets,
    cardinality,
)
from workbench.tlaplus.values import text

EQUALITY: list[Row] = [
    (r"1 = 1", lambda: equal(1, 1), "TRUE"),
    (r"1 = TRUE", lambda: equal(1, True), "error"),
    (r"TRUE = 1", lambda: equal(True, 1), "error"),
    (r'"a" = 1', lambda: equal(A, 1), "error"),
    (r"{1} = 1", lambda: equal(some(1), 1), "error"),
    (r"1 = {1}", lambda: equal(1, some(1)), "error"),
    (r"{1} = {TRUE}", lambda: equal(some(1), some(True)), "error"),
    (r"{0} = {FALSE}", lambda: equal(some(0), some(False)), "error"),
    (r"{1, 2} = {TRUE}", lambda: equal(some(1, 2), some(True)), "FALSE"),
    (r"{} = {TRUE}", lambda: equal(some(), some(True)), "FALSE"),
    (r"<<1>> = <<TRUE>>", lambda: equal((1,), (True,)), "error"),
    (r"<<2, 1>> = <<3, TRUE>>", lambda: equal((2, 1), (3, True)), "FALSE"),
    (r"<<1, 2>> = <<TRUE>>", lambda: equal((1, 2), (True,)), "FALSE"),
    (r"[a |-> 1] = [a |-> TRUE]", lambda: equal(record({A: 1}), record({A: True})), "error"),
    (
        r"[a |-> 1, b |-> 1] = [a |-> 2, b |-> TRUE]",
        lambda: equal(record({A: 1, B: 1}), record({A: 2, B: True})),
        "FALSE",
    ),
    (
        r"[a |-> 1, b |-> 1] = [a |-> 1, b |-> TRUE]",
        lambda: equal(record({A: 1, B: 1}), record({A: 1, B: True})),
        "error",
    ),
    (r"[a |-> 1] = [b |-> TRUE]", lambda: equal(record({A: 1}), record({B: True})), "FALSE"),
    (r'"m1" = m1', lambda: equal(text("m1"), M1), "FALSE"),
    (r'm1 = "m1"', lambda: equal(M1, text("m1")), "FALSE"),
    (r"m1 = m1", lambda: equal(M1, M1), "TRUE"),
    (r"m1 = m2", lambda: equal(M1, M2), "FALSE"),
    (r"m1 = 1", lambda: equal(M1, 1), "FALSE"),
    (r"{m1} = m1", lambda: equal(some(M1), M1), "FALSE"),
    (r"<<m1>> = <<1>>", lambda: equal((M1,), (1,)), "FALSE"),
    (r'{m1, "m1"} = {m1}', lambda: equal(some(M1, text("m1")), some(M1)), "FALSE"),
    (r"T_1 = T_2", lambda: equal(Name("T_1"), Name("T_2")), "FALSE"),
    (r"T_1 = m1", lambda: equal(Name("T_1"), M1), "FALSE"),
    (r"T_1 = U_1", lambda: equal(Name("T_1"), Name("U_1")), "error"),
    (r"T_1 = 1", lambda: equal(Name("T_1"), 1), "error"),
    (r"1 = T_1", lambda: equal(1, Name("T_1")), "error"),
    (r"T_1 \in {1}", lambda: isin(Name("T_1"), some(1)), "error"),
    (r"<<>> = [x \in {} |-> 1]", lambda: equal((), function(some(), constant(1))), "TRUE"),
    (r"<<>> = {}", lambda: equal((), some()), "error"),
    (
        r"<<3, 4>> = [x \in 1..2 |-> x + 2]",
        lambda: equal((3, 4), function(interval(1, 2), lambda x: plus(x, 2))),
        "TRUE",
    ),
    (r'[a |-> 1] = [x \in {"a"} |-> 1]', lambda: equal(record({A: 1}), function(some(A), constant(1))), "TRUE"),
    (r'("a" :> 1) = [a |-> 1]', lambda: equal(pair(A, 1), record({A: 1})), "TRUE"),
    (r"[a |-> 1] = <<1, 2>>", lambda: equal(record({A: 1}), (1, 2)), "error"),
    (r"<<1, 2>> = [a |-> 1]", lambda: equal((1, 2), record({A: 1})), "FALSE"),
    (r"<<1>> = [a |-> 1]", lambda: equal((1,), record({A: 1})), "error"),
    (r"[a |-> 1] = <<>>", lambda: equal(record({A: 1}), ()), "FALSE"),
    (r"<<>> = [a |-> 1]", lambda: equal((), record({A: 1})), "FALSE"),
    (r"1..3 = {1, 2, 3}", lambda: equal(interval(1, 3), some(1, 2, 3)), "TRUE"),
    (r"1..0 = {}", lambda: equal(interval(1, 0), some()), "TRUE"),
    (r"3..1 = 5..2", lambda: equal(interval(3, 1), interval(5, 2)), "TRUE"),
    (r"{{1, 2}, {}} = SUBSET {1, 2}", lambda: equal(some(some(1, 2), some()), Subsets(some(1, 2))), "FALSE"),
    (r"{{1}, {}} = SUBSET {1}", lambda: equal(some(some(1), some()), Subsets(some(1))), "TRUE"),
    (r"Nat = Nat", lambda: equal(NAT, NAT), "TRUE"),
    (r"Nat = Int", lambda: equal(NAT, INT), "FALSE"),
    (r"Nat = {1}", lambda: equal(NAT, some(1)), "error"),
    (r"{1} = Nat", lambda: equal(some(1), NAT), "error"),
    (
        r"[1..2 -> Nat] = [1..2 -> Nat]",
        lambda: equal(Functions(interval(1, 2), NAT), Functions(interval(1, 2), NAT)),
        "TRUE",
    ),
    (
        r"[1..2 -> Nat] = [1..2 -> Int]",
        lambda: equal(Functions(interval(1, 2), NAT), Functions(interval(1, 2), INT)),
        "FALSE",
    ),
]

ORDER: list[Row] = [
    (r"{3, 1, 2}", lambda: some(3, 1, 2), "{1, 2, 3}"),
    (r'{"b", "a", m2, m1}', lambda: some(B, A, M2, M1), '{m1, m2, "a", "b"}'),
    (r"{m2, 3, m1}", lambda: some(M2, 3, M1), "{m1, m2, 3}"),
    (r"{TRUE, FALSE}", lambda: some(True, False), "{FALSE, TRUE}"),
    (r"{{3}, {}, {1, 2}, {2}}", lambda: some(some(3), some(), some(1, 2), some(2)), "{{}, {2}, {3}, {1, 2}}"),
    (r"{<<2>>, <<>>, <<1, 1>>, <<1>>}", lambda: some((2,), (), (1, 1), (1,)), "{<<>>, <<1>>, <<2>>, <<1, 1>>}"),
    (
        r"{[a |-> 2, b |-> 1], [a |-> 1, b |-> 2], [b |-> 0]}",
        lambda: some(record({A: 2, B: 1}), record({A: 1, B: 2}), record({B: 0})),
        "{[b |-> 0], [a |-> 1, b |-> 2], [a |-> 2, b |-> 1]}",
    ),
    (
        r"{[a |-> 2, c |-> 1], [b |-> 0, c |-> 0]}",
        lambda: some(record({A: 2, C: 1}), record({B: 0, C: 0})),
        "{[a |-> 2, c |-> 1], [b |-> 0, c |-> 0]}",
    ),
    (r"{0 :> 5, <<9>>}", lambda: some(pair(0, 5), (9,)), "{(0 :> 5), <<9>>}"),
    (r"{2 :> 5, <<9>>}", lambda: some(pair(2, 5), (9,)), "{<<9>>, (2 :> 5)}"),
    (r"{1, TRUE}", lambda: some(1, True), "error"),
    (r"{0, FALSE}", lambda: some(0, False), "error"),
    (r"{{1}, {TRUE}}", lambda: some(some(1), some(True)), "error"),
    (r"{<<1>>, <<TRUE>>}", lambda: some((1,), (True,)), "error"),
    (r"{<<1, 1>>, <<2, TRUE>>}", lambda: some((1, 1), (2, True)), "{<<1, 1>>, <<2, TRUE>>}"),
    (r'{1, "a"}', lambda: some(1, A), "error"),
    (r"{1, {1}}", lambda: some(1, some(1)), "error"),
    (r"{<<1>>, {1}}", lambda: some((1,), some(1)), "error"),
    (r"{[a |-> 1], [a |-> FALSE]}", lambda: some(record({A: 1}), record({A: False})), "error"),
    (r"CHOOSE x \in {3, 2, 5} : TRUE", lambda: first(some(3, 2, 5)), "2"),
    (r"CHOOSE x \in {3, 2, 5} : x > 2", lambda: choose(some(3, 2, 5), lambda x: lt(2, x)), "3"),
    (r"CHOOSE x \in {m2, 1, m1} : TRUE", lambda: first(some(M2, 1, M1)), "m1"),
    (r'CHOOSE x \in {"b", "a"} : TRUE', lambda: first(some(B, A)), '"a"'),
    (r"CHOOSE x \in {{1, 2}, {3}} : TRUE", lambda: first(some(some(1, 2), some(3))), "{3}"),
    (
        r"CHOOSE x \in SUBSET {1, 2, 3} : Cardinality(x) = 2",
        lambda: choose(Subsets(some(1, 2, 3)), lambda x: cardinality(x) == 2),
        "{1, 2}",
    ),
    (r"CHOOSE x \in SUBSET {1, 2, 3} : 3 \in x", lambda: choose(Subsets(some(1, 2, 3)), lambda x: isin(3, x)), "{3}"),
    (
        r"CHOOSE f \in [1..2 -> {1, 2}] : f[1] # f[2]",
        lambda: choose(Functions(interval(1, 2), some(1, 2)), lambda f: f[0] != f[1]),
        "<<1, 2>>",
    ),
    (
        r"CHOOSE f \in [{m1, m2} -> {1, 2}] : f[m1] > f[m2]",
        lambda: choose(Functions(some(M1, M2), some(1, 2)), lambda f: lt(apply(f, M2), apply(f, M1))),
        "(m1 :> 2 @@ m2 :> 1)",
    ),
    (
        r"CHOOSE r \in [b : {1, 2}, a : {3, 4}] : r.a + r.b = 5",
        lambda: choose(Records({B: some(1, 2), A: some(3, 4)}), lambda r: field(r, A) + field(r, B) == 5),
        "[a |-> 3, b |-> 2]",
    ),
    (
        r"CHOOSE p \in {1, 2} \X {1, 2} : p[1] # p[2]",
        lambda: choose(Product(some(1, 2), some(1, 2)), lambda p: p[0] != p[1]),
        "<<1, 2>>",
    ),
    (r"CHOOSE x \in (3..4) \cup (1..2) : TRUE", lambda: first(cup(interval(3, 4), interval(1, 2))), "1"),
    (
        r"CHOOSE x \in (SUBSET {2}) \cup (SUBSET {1}) : x # {}",
        lambda: choose(cup(Subsets(some(2)), Subsets(some(1))), lambda x: bool(x)),
        "{1}",
    ),
    (r"CHOOSE x \in UNION {{3, 4}, {1, 2}} : TRUE", lambda: first(union(some(some(3, 4), some(1, 2)))), "1"),
    (r"CHOOSE x \in {5 - y : y \in 1..3} : TRUE", lambda: first(mapped(lambda y: less(5, y), interval(1, 3))), "2"),
    (r"CHOOSE x \in {} : TRUE", lambda: first(some()), "error"),
    (r"CHOOSE x \in Nat : TRUE", lambda: first(NAT), "error"),
    (r"CHOOSE x \in {1} : x > 1", lambda: choose(some(1), lambda x: lt(1, x)), "error"),
    (r"CHOOSE x \in 1 : TRUE", lambda: first(1), "error"),
    (r"SUBSET {1, 2}", lambda: force(Subsets(some(1, 2))), "{{}, {1}, {2}, {1, 2}}"),
]

NUMBERS: list[Row] = [
    (r"7 \div 2", lambda: div(7, 2), "3"),
    (r"-7 \div 2", lambda: negative(div(7, 2)), "-3"),
    (r"(-7) \div 2", lambda: div(-7, 2), "-4"),
    (r"7 \div (-2)", lambda: div(7, -2), "-4"),
    (r"(-7) \div (-2)", lambda: div(-7, -2), "3"),
    (r"1 \div 0", lambda: div(1, 0), "error"),
    (r"(-7) % 2", lambda: mod(-7, 2), "1"),
    (r"7 % 2", lambda: mod(7, 2), "1"),
    (r"7 % 0", lambda: mod(7, 0), "error"),
    (r"7 % (-2)", lambda: mod(7, -2), "error"),
    (r"2 ^ 10", lambda: power(2, 10), "1024"),
    (r"2 ^ 0", lambda: power(2, 0), "1"),
    (r"0 ^ 0", lambda: power(0, 0), "error"),
    (r"2 ^ (-1)", lambda: power(2, -1), "error"),
    (r"2 ^ 31", lambda: power(2, 31), "error"),
    (r"(-2) ^ 31", lambda: power(-2, 31), "-2147483648"),
    (r"(-1) ^ 101", lambda: power(-1, 101), "-1"),
    (r"2147483647 + 1", lambda: plus(2147483647, 1), "error"),
    (r"-2147483647 - 2", lambda: less(-2147483647, 2), "error"),
    (r"65536 * 65536", lambda: times(65536, 65536), "error"),
    (r"1 + TRUE", lambda: plus(1, True), "error"),
    (r"TRUE < 2", lambda: lt(True, 2), "error"),
    (r'"a" < "b"', lambda: lt(A, B), "error"),
    (r"2 =< 2", lambda: leq(2, 2), "TRUE"),
    (r"1 >= 2", lambda: geq(1, 2), "FALSE"),
    (r"3..1", lambda: interval(3, 1), "{}"),
    (r"1..m1", lambda: interval(1, M1), "error"),
]

ROWS = [*EQUALITY, *ORDER, *NUMBERS]


@pytest.mark.parametrize(("expression", "compute", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_tlc_says_the_same(expression: str, compute: Callable[[], Any], printed: str) -> None:
    assert answer(compute) == printed
