"""Sets of TLA+, as TLC has them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.tlc_answers import M1, A, B, Row, answer, some
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.arithmetic import div, interval, lt
from workbench.tlaplus.lazy import each, force, isin, truth
from workbench.tlaplus.operators import (
    cap,
    cup,
    filtered,
    minus,
    pair,
    record,
    subseteq,
    union,
)
from workbench.tlaplus.sets import (
    BOOLEAN,
    INT,
    NAT,
    STRING,
    Functions,
    Product,
    Records,
    Sequences,
    Subsets,
    cardinality,
)
from workbench.tlaplus.standard import is_finite
from workbench.tlaplus.values import text

SETS: list[Row] = [
    (r"TRUE \in {1}", lambda: isin(True, some(1)), "error"),
    (r"1 \in {TRUE}", lambda: isin(1, some(True)), "error"),
    (r"TRUE \in {}", lambda: isin(True, some()), "FALSE"),
    (r"m1 \in {1}", lambda: isin(M1, some(1)), "FALSE"),
    (r"1 \in {m1}", lambda: isin(1, some(M1)), "FALSE"),
    (r"1 \in {m1, 1}", lambda: isin(1, some(M1, 1)), "TRUE"),
    (r'"a" \in {m1, 1}', lambda: isin(A, some(M1, 1)), "error"),
    (r'"m1" \in {m1}', lambda: isin(text("m1"), some(M1)), "FALSE"),
    (r'm1 \in {"m1"}', lambda: isin(M1, some(text("m1"))), "FALSE"),
    (r"<<1>> \in {<<TRUE>>}", lambda: isin((1,), some((True,))), "error"),
    (r"{1} \in {{TRUE}}", lambda: isin(some(1), some(some(True))), "error"),
    (r"{1} \in {{}, {1}, {2}}", lambda: isin(some(1), some(some(), some(1), some(2))), "TRUE"),
    (
        r"[a |-> 1] \in {[a |-> 2], [a |-> 1]}",
        lambda: isin(record({A: 1}), some(record({A: 2}), record({A: 1}))),
        "TRUE",
    ),
    (r"1 \in 2", lambda: isin(1, 2), "error"),
    (r"1 \in 1..3", lambda: isin(1, interval(1, 3)), "TRUE"),
    (r"TRUE \in 1..3", lambda: isin(True, interval(1, 3)), "error"),
    (r"TRUE \in 1..0", lambda: isin(True, interval(1, 0)), "FALSE"),
    (r"m1 \in 1..3", lambda: isin(M1, interval(1, 3)), "FALSE"),
    (r"-1 \in Nat", lambda: isin(-1, NAT), "FALSE"),
    (r"-1 \in Int", lambda: isin(-1, INT), "TRUE"),
    (r"TRUE \in Nat", lambda: isin(True, NAT), "error"),
    (r"m1 \in Nat", lambda: isin(M1, NAT), "FALSE"),
    (r'"a" \in STRING', lambda: isin(A, STRING), "TRUE"),
    (r"m1 \in STRING", lambda: isin(M1, STRING), "FALSE"),
    (r"1 \in STRING", lambda: isin(1, STRING), "error"),
    (r"1 \in BOOLEAN", lambda: isin(1, BOOLEAN), "error"),
    (r"<<1, 2>> \in Seq(Nat)", lambda: isin((1, 2), Sequences(NAT)), "TRUE"),
    (r"<<>> \in Seq({})", lambda: isin((), Sequences(some())), "TRUE"),
    (r"<<1, -2>> \in Seq(Nat)", lambda: isin((1, -2), Sequences(NAT)), "FALSE"),
    (r"1 \in Seq(Nat)", lambda: isin(1, Sequences(NAT)), "error"),
    (r"m1 \in Seq(Nat)", lambda: isin(M1, Sequences(NAT)), "FALSE"),
    (r"[a |-> 1] \in Seq(Nat)", lambda: isin(record({A: 1}), Sequences(NAT)), "error"),
    (r"{1, 2} \in SUBSET Nat", lambda: isin(some(1, 2), Subsets(NAT)), "TRUE"),
    (r"{} \in SUBSET {}", lambda: isin(some(), Subsets(some())), "TRUE"),
    (r"1 \in SUBSET Nat", lambda: isin(1, Subsets(NAT)), "error"),
    (r"m1 \in SUBSET Nat", lambda: isin(M1, Subsets(NAT)), "error"),
    (r"<<1, 2>> \in [1..2 -> Nat]", lambda: isin((1, 2), Functions(interval(1, 2), NAT)), "TRUE"),
    (r"<<1>> \in [1..2 -> Nat]", lambda: isin((1,), Functions(interval(1, 2), NAT)), "FALSE"),
    (r"<<>> \in [{} -> {}]", lambda: isin((), Functions(some(), some())), "TRUE"),
    (r"[{} -> {}]", lambda: force(Functions(some(), some())), "{<<>>}"),
    (r"[{1} -> {}]", lambda: force(Functions(some(1), some())), "{}"),
    (r"1 \in [1..2 -> Nat]", lambda: isin(1, Functions(interval(1, 2), NAT)), "error"),
    (r"m1 \in [1..2 -> Nat]", lambda: isin(M1, Functions(interval(1, 2), NAT)), "FALSE"),
    (r"[a |-> 1] \in [1..1 -> Nat]", lambda: isin(record({A: 1}), Functions(interval(1, 1), NAT)), "error"),
    (r'[a |-> 1] \in [{"a"} -> Nat]', lambda: isin(record({A: 1}), Functions(some(A), NAT)), "TRUE"),
    (r"[a |-> 1] \in [a : Nat]", lambda: isin(record({A: 1}), Records({A: NAT})), "TRUE"),
    (r"[a |-> 1] \in [a : Nat, b : Nat]", lambda: isin(record({A: 1}), Records({A: NAT, B: NAT})), "FALSE"),
    (r"[b |-> 1] \in [a : Nat]", lambda: isin(record({B: 1}), Records({A: NAT})), "FALSE"),
    (r"[a |-> TRUE] \in [a : Nat]", lambda: isin(record({A: True}), Records({A: NAT})), "error"),
    (r"<<1>> \in [a : Nat]", lambda: isin((1,), Records({A: NAT})), "error"),
    (r"<<>> \in [a : Nat]", lambda: isin((), Records({A: NAT})), "FALSE"),
    (r"m1 \in [a : Nat]", lambda: isin(M1, Records({A: NAT})), "FALSE"),
    (r'("a" :> 1) \in [a : Nat]', lambda: isin(pair(A, 1), Records({A: NAT})), "TRUE"),
    (r"<<1, m1>> \in Nat \X {m1}", lambda: isin((1, M1), Product(NAT, some(M1))), "TRUE"),
    (r"<<1>> \in Nat \X Nat", lambda: isin((1,), Product(NAT, NAT)), "FALSE"),
    (r"1 \in Nat \X Nat", lambda: isin(1, Product(NAT, NAT)), "error"),
    (r"(2 :> 1) \in Nat \X Nat", lambda: isin(pair(2, 1), Product(NAT, NAT)), "FALSE"),
    (r"[a |-> 1] \in Nat \X Nat", lambda: isin(record({A: 1}), Product(NAT, NAT)), "error"),
    (r"3 \in {x \in Nat : x > 2}", lambda: isin(3, filtered(NAT, lambda x: lt(2, x))), "TRUE"),
    (r"-3 \in {x \in Nat : 1 \div x = 0}", lambda: isin(-3, filtered(NAT, lambda x: div(1, x) == 0)), "FALSE"),
    (r"{x \in 1..4 : x > 2}", lambda: force(filtered(interval(1, 4), lambda x: lt(2, x))), "{3, 4}"),
    (r"{x \in {1} : x}", lambda: filtered(some(1), lambda x: x), "error"),
    (r"\A x \in Nat : TRUE", lambda: all(truth(True) for _ in each(NAT)), "error"),
    (r"{1} \cup {TRUE}", lambda: cup(some(1), some(True)), "error"),
    (r"{1} \cap {TRUE}", lambda: cap(some(1), some(True)), "error"),
    (r"{1} \ {TRUE}", lambda: minus(some(1), some(True)), "error"),
    (r"{1} \cup {m1}", lambda: cup(some(1), some(M1)), "{m1, 1}"),
    (r"{<<1>>} \cup {<<TRUE>>}", lambda: cup(some((1,)), some((True,))), "error"),
    (r"{1} \ {m1}", lambda: minus(some(1), some(M1)), "{1}"),
    (r"{} \cup {1}", lambda: cup(some(), some(1)), "{1}"),
    (r"1..3 \ {2}", lambda: minus(interval(1, 3), some(2)), "{1, 3}"),
    (r"(1..3) \cap (2..5)", lambda: cap(interval(1, 3), interval(2, 5)), "{2, 3}"),
    (r"{-1, 1} \cap Nat", lambda: cap(some(-1, 1), NAT), "{1}"),
    (r"Nat \cap {-1, 1}", lambda: cap(NAT, some(-1, 1)), "{1}"),
    (r"{-1, 1} \ Nat", lambda: minus(some(-1, 1), NAT), "{-1}"),
    (r"2 \in Nat \ {1}", lambda: isin(2, minus(NAT, some(1))), "TRUE"),
    (r"1 \in Nat \ {1}", lambda: isin(1, minus(NAT, some(1))), "FALSE"),
    (r"-1 \in Nat \cup {-1}", lambda: isin(-1, cup(NAT, some(-1))), "TRUE"),
    (r"m1 \in Nat \cup {m1}", lambda: isin(M1, cup(NAT, some(M1))), "TRUE"),
    (r"1 \cup {1}", lambda: cup(1, some(1)), "error"),
    (r"{1, 2} \subseteq Nat", lambda: subseteq(some(1, 2), NAT), "TRUE"),
    (r"{1, TRUE} \subseteq {}", lambda: subseteq(some(1, True), some()), "error"),
    (r"{1} \subseteq {TRUE}", lambda: subseteq(some(1), some(True)), "error"),
    (r"{} \subseteq {TRUE}", lambda: subseteq(some(), some(True)), "TRUE"),
    (r"Nat \subseteq Int", lambda: subseteq(NAT, INT), "error"),
    (r"SUBSET {1} \subseteq SUBSET Nat", lambda: subseteq(Subsets(some(1)), Subsets(NAT)), "TRUE"),
    (r"1..2 \subseteq 1..3", lambda: subseteq(interval(1, 2), interval(1, 3)), "TRUE"),
    (r"1 \subseteq {1}", lambda: subseteq(1, some(1)), "error"),
    (r"UNION {{1}, {2, 3}, {}}", lambda: union(some(some(1), some(2, 3), some())), "{1, 2, 3}"),
    (r"UNION {}", lambda: union(some()), "{}"),
    (r"UNION {1}", lambda: union(some(1)), "error"),
    (r"UNION {Nat, {-1}}", lambda: union(some(NAT, some(-1))), "error"),
    (r"5 \in UNION {Nat}", lambda: isin(5, union(some(NAT))), "TRUE"),
    (r"Cardinality({1, 1, 2})", lambda: cardinality(some(1, 1, 2)), "2"),
    (r"Cardinality(SUBSET (1..5))", lambda: cardinality(Subsets(interval(1, 5))), "32"),
    (r"Cardinality([1..3 -> BOOLEAN])", lambda: cardinality(Functions(interval(1, 3), BOOLEAN)), "8"),
    (r"Cardinality([a : 1..3, b : BOOLEAN])", lambda: cardinality(Records({A: interval(1, 3), B: BOOLEAN})), "6"),
    (r"Cardinality(Nat)", lambda: cardinality(NAT), "error"),
    (r"Cardinality(1)", lambda: cardinality(1), "error"),
    (r"IsFiniteSet(Nat)", lambda: is_finite(NAT), "FALSE"),
    (r"IsFiniteSet(1..3)", lambda: is_finite(interval(1, 3)), "TRUE"),
    (r"IsFiniteSet(1)", lambda: is_finite(1), "error"),
]

ROWS = [*SETS]


@pytest.mark.parametrize(("expression", "compute", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_tlc_says_the_same(expression: str, compute: Callable[[], Any], printed: str) -> None:
    assert answer(compute) == printed


@pytest.mark.parametrize(("first", "second", "printed"), [(5, text("x"), "FALSE"), (text("x"), 5, "error")])
def test_of_a_function_the_first_result_in_tlc_s_order_decides_whether_it_is_a_member(
    first: Any, second: Any, printed: str
) -> None:
    """Whatever the order in which it was made: 5 is none of {1, 2}, and "x" cannot be compared with them."""
    functions = Functions(some(A, B), some(1, 2))
    pairs = [(A, first), (B, second)]
    for made in (Map(dict(pairs)), Map(dict(reversed(pairs)))):
        assert answer(partial(isin, made, functions)) == printed
