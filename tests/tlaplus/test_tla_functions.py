"""Functions, records, sequences and bags of TLA+, as TLC has them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.tlc_answers import AB, M1, M2, A, B, C, Row, answer, constant, some
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.arithmetic import div, interval, less, lt, plus, times
from workbench.tlaplus.bags import (
    bag_of,
    bag_of_all,
    copies_in,
    difference,
    is_bag,
    is_in,
    is_within,
    sub_bags,
    sum_of,
    union_of,
)
from workbench.tlaplus.bags import (
    cardinality as bag_cardinality,
)
from workbench.tlaplus.lazy import equal, force
from workbench.tlaplus.operators import (
    apply,
    domain,
    except_,
    field,
    function,
    merge,
    pair,
    record,
    recursive,
)
from workbench.tlaplus.sequences import append, concatenate, head, length, selected, sort_sequence, subsequence, tail
from workbench.tlaplus.sets import (
    BOOLEAN,
    NAT,
    Product,
)
from workbench.tlaplus.standard import (
    asserted,
    permutations,
    to_string,
)
from workbench.tlaplus.values import text

FUNCTIONS: list[Row] = [
    (r"[x \in {m1, m2} |-> 0]", lambda: function(some(M1, M2), constant(0)), "(m1 :> 0 @@ m2 :> 0)"),
    (r"[x \in 1..2 |-> x]", lambda: function(interval(1, 2), lambda x: x), "<<1, 2>>"),
    (r"[x \in 0..1 |-> x]", lambda: function(interval(0, 1), lambda x: x), "(0 :> 0 @@ 1 :> 1)"),
    (r"[x \in {TRUE} |-> x]", lambda: function(some(True), lambda x: x), "(TRUE :> TRUE)"),
    (r"[x \in BOOLEAN |-> x]", lambda: function(BOOLEAN, lambda x: x), "(FALSE :> FALSE @@ TRUE :> TRUE)"),
    (r'[x \in {"b", "a"} |-> 1]', lambda: function(some(B, A), constant(1)), "[a |-> 1, b |-> 1]"),
    (r"[b |-> 2, a |-> 1]", lambda: record({B: 2, A: 1}), "[a |-> 1, b |-> 2]"),
    (
        r"[x \in 1..2, y \in {m1} |-> x]",
        lambda: function(Product(interval(1, 2), some(M1)), lambda x: x[0]),
        "(<<1, m1>> :> 1 @@ <<2, m1>> :> 2)",
    ),
    (
        r"[x \in 1..2, y \in {m1} |-> x][2, m1]",
        lambda: apply(function(Product(interval(1, 2), some(M1)), lambda x: x[0]), (2, M1)),
        "2",
    ),
    (
        r"[x \in 1..2, y \in {m1} |-> x][<<2, m1>>]",
        lambda: apply(function(Product(interval(1, 2), some(M1)), lambda x: x[0]), (2, M1)),
        "2",
    ),
    (r"[x \in BOOLEAN |-> 1][1]", lambda: apply(function(BOOLEAN, constant(1)), 1), "error"),
    (r"[x \in 0..1 |-> 1][TRUE]", lambda: apply(function(interval(0, 1), constant(1)), True), "error"),
    (r"<<5>>[TRUE]", lambda: apply((5,), True), "error"),
    (r"<<5, 6>>[2]", lambda: apply((5, 6), 2), "6"),
    (r"<<5, 6>>[3]", lambda: apply((5, 6), 3), "error"),
    (r"<<5, 6>>[0]", lambda: apply((5, 6), 0), "error"),
    (r"(m1 :> 1)[m2]", lambda: apply(pair(M1, 1), M2), "error"),
    (r'[a |-> 1]["a"]', lambda: apply(record({A: 1}), A), "1"),
    (r"[a |-> 1].a", lambda: field(record({A: 1}), A), "1"),
    (r"[a |-> 1].b", lambda: field(record({A: 1}), B), "error"),
    (r'("a" :> 1).a', lambda: field(pair(A, 1), A), "1"),
    (r"1[1]", lambda: apply(1, 1), "error"),
    (r"[n \in Nat |-> n + 1][4]", lambda: apply(function(NAT, lambda n: plus(n, 1)), 4), "5"),
    (r"[n \in Nat |-> n + 1][-4]", lambda: apply(function(NAT, lambda n: plus(n, 1)), -4), "error"),
    (
        r"LET f[n \in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[5]",
        lambda: apply(recursive(NAT, lambda f, n: 1 if n == 0 else times(n, apply(f, less(n, 1)))), 5),
        "120",
    ),
    (
        r"LET f[n \in 0..3] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f",
        lambda: force(recursive(interval(0, 3), lambda f, n: 1 if n == 0 else times(n, apply(f, less(n, 1))))),
        "(0 :> 1 @@ 1 :> 1 @@ 2 :> 2 @@ 3 :> 6)",
    ),
    (r"DOMAIN <<5, 6>>", lambda: domain((5, 6)), "1..2"),
    (r"DOMAIN <<>>", lambda: domain(()), "{}"),
    (r"DOMAIN [a |-> 1, b |-> 2]", lambda: domain(AB), '{"a", "b"}'),
    (r"DOMAIN 1", lambda: domain(1), "error"),
    (r"DOMAIN [n \in Nat |-> n] = Nat", lambda: equal(domain(function(NAT, lambda n: n)), NAT), "TRUE"),
    (r"[<<1, 2>> EXCEPT ![1] = 5]", lambda: except_((1, 2), [((1,), constant(5))]), "<<5, 2>>"),
    (r"[<<1, 2>> EXCEPT ![3] = 5]", lambda: except_((1, 2), [((3,), constant(5))]), "<<1, 2>>"),
    (r'[<<1, 2>> EXCEPT !["a"] = 5]', lambda: except_((1, 2), [((A,), constant(5))]), "error"),
    (r"[[a |-> 1] EXCEPT !.b = 5]", lambda: except_(record({A: 1}), [((B,), constant(5))]), "[a |-> 1]"),
    (
        r"[[a |-> 1] EXCEPT !.a = @ + 1, !.a = @ * 5]",
        lambda: except_(record({A: 1}), [((A,), lambda v: v + 1), ((A,), lambda v: v * 5)]),
        "[a |-> 10]",
    ),
    (
        r"[[a |-> <<1, 2>>] EXCEPT !.a[2] = @ + 1]",
        lambda: except_(record({A: (1, 2)}), [((A, 2), lambda v: v + 1)]),
        "[a |-> <<1, 3>>]",
    ),
    (
        r"[[a |-> <<1, 2>>] EXCEPT !.a[3] = 0]",
        lambda: except_(record({A: (1, 2)}), [((A, 3), constant(0))]),
        "[a |-> <<1, 2>>]",
    ),
    (
        r"[[x \in 1..2, y \in {m1} |-> x] EXCEPT ![1, m1] = 7]",
        lambda: except_(function(Product(interval(1, 2), some(M1)), lambda x: x[0]), [(((1, M1),), constant(7))]),
        "(<<1, m1>> :> 7 @@ <<2, m1>> :> 2)",
    ),
    (r"[m1 :> 1 EXCEPT ![m2] = 5]", lambda: except_(pair(M1, 1), [((M2,), constant(5))]), "(m1 :> 1)"),
    (r"[1 EXCEPT ![1] = 5]", lambda: except_(1, [((1,), constant(5))]), "error"),
    (
        r"[[n \in Nat |-> n] EXCEPT ![3] = 0][3]",
        lambda: apply(except_(function(NAT, lambda n: n), [((3,), constant(0))]), 3),
        "0",
    ),
    (
        r"[[n \in Nat |-> n] EXCEPT ![3] = 0][4]",
        lambda: apply(except_(function(NAT, lambda n: n), [((3,), constant(0))]), 4),
        "4",
    ),
    (
        r"(m1 :> 1) @@ (m1 :> 2 @@ m2 :> 3)",
        lambda: merge(pair(M1, 1), merge(pair(M1, 2), pair(M2, 3))),
        "(m1 :> 1 @@ m2 :> 3)",
    ),
    (r"<<1>> @@ (2 :> 3)", lambda: merge((1,), pair(2, 3)), "<<1, 3>>"),
    (r"<<1>> @@ (TRUE :> 3)", lambda: merge((1,), pair(True, 3)), "error"),
    (r"[a |-> 1] @@ [b |-> 2]", lambda: merge(record({A: 1}), record({B: 2})), "[a |-> 1, b |-> 2]"),
    (r"<<>> @@ [b |-> 2]", lambda: merge((), record({B: 2})), "[b |-> 2]"),
    (r"1 @@ [b |-> 2]", lambda: merge(1, record({B: 2})), "error"),
    (r"1 :> 2", lambda: pair(1, 2), "<<2>>"),
]

SEQUENCES: list[Row] = [
    (r"Len(<<>>)", lambda: length(()), "0"),
    (r'Len("abc")', lambda: length(text("abc")), "3"),
    (r"Len([x \in 1..2 |-> 7])", lambda: length(function(interval(1, 2), constant(7))), "2"),
    (r"Len([a |-> 1])", lambda: length(record({A: 1})), "error"),
    (r"Len(1)", lambda: length(1), "error"),
    (r"Head(<<3, 4>>)", lambda: head((3, 4)), "3"),
    (r"Head(<<>>)", lambda: head(()), "error"),
    (r'Head("abc")', lambda: head(text("abc")), "error"),
    (r"Tail(<<3, 4>>)", lambda: tail((3, 4)), "<<4>>"),
    (r"Tail(<<>>)", lambda: tail(()), "error"),
    (r'Tail("abc")', lambda: tail(text("abc")), '"bc"'),
    (r'Tail("")', lambda: tail(text("")), "error"),
    (r"Append(<<1>>, {})", lambda: append((1,), some()), "<<1, {}>>"),
    (r"Append({}, 1)", lambda: append(some(), 1), "error"),
    (r"<<1>> \o <<2, 3>>", lambda: concatenate((1,), (2, 3)), "<<1, 2, 3>>"),
    (r'"ab" \o "c"', lambda: concatenate(text("ab"), C), '"abc"'),
    (r'"ab" \o <<1>>', lambda: concatenate(text("ab"), (1,)), "error"),
    (r'<<1>> \o "ab"', lambda: concatenate((1,), text("ab")), "error"),
    (r"SubSeq(<<1, 2, 3>>, 2, 3)", lambda: subsequence((1, 2, 3), 2, 3), "<<2, 3>>"),
    (r"SubSeq(<<1, 2, 3>>, 3, 2)", lambda: subsequence((1, 2, 3), 3, 2), "<<>>"),
    (r"SubSeq(<<1, 2, 3>>, 9, 2)", lambda: subsequence((1, 2, 3), 9, 2), "<<>>"),
    (r"SubSeq(<<1, 2, 3>>, 0, 2)", lambda: subsequence((1, 2, 3), 0, 2), "error"),
    (r"SubSeq(<<1, 2, 3>>, 1, 4)", lambda: subsequence((1, 2, 3), 1, 4), "error"),
    (r"SubSeq(<<>>, 1, 1)", lambda: subsequence((), 1, 1), "error"),
    (r'SubSeq("abc", 2, 3)', lambda: subsequence(text("abc"), 2, 3), '"bc"'),
    (r"SelectSeq(<<1, 2, 3>>, LAMBDA x : x # 2)", lambda: selected((1, 2, 3), lambda x: not equal(x, 2)), "<<1, 3>>"),
    (r"SelectSeq(<<1>>, LAMBDA x : x)", lambda: selected((1,), lambda x: x), "error"),
    (r"SortSeq(<<3, 1, 2>>, LAMBDA x, y : x < y)", lambda: sort_sequence((3, 1, 2), lt), "<<1, 2, 3>>"),
    (
        r"SortSeq(<<<<1, 2>>, <<0, 9>>, <<1, 1>>>>, LAMBDA x, y : x[1] < y[1])",
        lambda: sort_sequence(((1, 2), (0, 9), (1, 1)), lambda x, y: lt(x[0], y[0])),
        "<<<<0, 9>>, <<1, 2>>, <<1, 1>>>>",
    ),
    (r"SortSeq(<<1, 2, 3>>, LAMBDA x, y : TRUE)", lambda: sort_sequence((1, 2, 3), lambda x, y: True), "<<3, 2, 1>>"),
    (r"ToString(<<1, {2}, [a |-> m1]>>)", lambda: to_string((1, some(2), record({A: M1}))), '"<<1, {2}, [a |-> m1]>>"'),
    (r'ToString("a")', lambda: to_string(A), r'"\"a\""'),
    (r"ToString(1..2)", lambda: to_string(interval(1, 2)), '"1..2"'),
    (r"Permutations({m1, m2})", lambda: permutations(some(M1, M2)), "{(m1 :> m1 @@ m2 :> m2), (m1 :> m2 @@ m2 :> m1)}"),
    (r"Permutations({})", lambda: permutations(some()), "{<<>>}"),
    (r'Assert(1 = 1, "b")', lambda: asserted(True, B), "TRUE"),
    (r'Assert(1 = 2, "b")', lambda: asserted(False, B), "error"),
]

BAGS: list[Row] = [
    (r"SetToBag({m1, m2})", lambda: bag_of(some(M1, M2)), "(m1 :> 1 @@ m2 :> 1)"),
    (r"SetToBag({})", lambda: bag_of(some()), "<<>>"),
    (r"EmptyBag", lambda: bag_of(some()), "<<>>"),
    (r"IsABag(<<2, 1>>)", lambda: is_bag((2, 1)), "TRUE"),
    (r"IsABag(<<0>>)", lambda: is_bag((0,)), "FALSE"),
    (r"IsABag(1)", lambda: is_bag(1), "FALSE"),
    (r"BagToSet(m1 :> 2)", lambda: domain(pair(M1, 2)), "{m1}"),
    (r"BagIn(m1, m1 :> 2)", lambda: is_in(M1, pair(M1, 2)), "TRUE"),
    (r"BagIn(m2, m1 :> 2)", lambda: is_in(M2, pair(M1, 2)), "FALSE"),
    (r"BagIn(1, TRUE :> 2)", lambda: is_in(1, pair(True, 2)), "error"),
    (r"CopiesIn(m1, m1 :> 2)", lambda: copies_in(M1, pair(M1, 2)), "2"),
    (r"CopiesIn(m2, m1 :> 2)", lambda: copies_in(M2, pair(M1, 2)), "0"),
    (r"(m1 :> 2) (+) (m1 :> 1 @@ m2 :> 1)", lambda: sum_of(pair(M1, 2), Map({M1: 1, M2: 1})), "(m1 :> 3 @@ m2 :> 1)"),
    (r"<<1>> (+) (2 :> 4)", lambda: sum_of((1,), pair(2, 4)), "<<1, 4>>"),
    (r"(m1 :> 0) (+) (m1 :> 1)", lambda: sum_of(pair(M1, 0), pair(M1, 1)), "error"),
    (
        r"(m1 :> 2 @@ m2 :> 1) (-) (m1 :> 1 @@ m2 :> 1)",
        lambda: difference(Map({M1: 2, M2: 1}), Map({M1: 1, M2: 1})),
        "(m1 :> 1)",
    ),
    (r"(m1 :> 1) (-) (m1 :> 2)", lambda: difference(pair(M1, 1), pair(M1, 2)), "<<>>"),
    (r"(m1 :> 1) (-) (m2 :> 2)", lambda: difference(pair(M1, 1), pair(M2, 2)), "(m1 :> 1)"),
    (
        r"BagUnion({m1 :> 2, m2 :> 1, m1 :> 1})",
        lambda: union_of(some(pair(M1, 2), pair(M2, 1), pair(M1, 1))),
        "(m1 :> 3 @@ m2 :> 1)",
    ),
    (r"BagUnion({})", lambda: union_of(some()), "<<>>"),
    (r"(m1 :> 1) \sqsubseteq (m1 :> 2)", lambda: is_within(pair(M1, 1), pair(M1, 2)), "TRUE"),
    (r"(m1 :> 1) \sqsubseteq (m2 :> 2)", lambda: is_within(pair(M1, 1), pair(M2, 2)), "FALSE"),
    (r"<<>> \sqsubseteq (m2 :> 2)", lambda: is_within((), pair(M2, 2)), "TRUE"),
    (r"SubBag(m1 :> 2)", lambda: sub_bags(pair(M1, 2)), "{<<>>, (m1 :> 1), (m1 :> 2)}"),
    (
        r"SubBag(m1 :> 1 @@ m2 :> 1)",
        lambda: sub_bags(Map({M1: 1, M2: 1})),
        "{<<>>, (m1 :> 1), (m2 :> 1), (m1 :> 1 @@ m2 :> 1)}",
    ),
    (r"SubBag(EmptyBag)", lambda: sub_bags(()), "{<<>>}"),
    (
        r"BagOfAll(LAMBDA x : x \div 2, 2 :> 1 @@ 3 :> 5 @@ 4 :> 1)",
        lambda: bag_of_all(lambda x: div(x, 2), Map({2: 1, 3: 5, 4: 1})),
        "<<6, 1>>",
    ),
    (r"BagCardinality(m1 :> 2 @@ m2 :> 3)", lambda: bag_cardinality(Map({M1: 2, M2: 3})), "5"),
    (r"BagCardinality(EmptyBag)", lambda: bag_cardinality(()), "0"),
    (r"BagCardinality(m1 :> 0)", lambda: bag_cardinality(pair(M1, 0)), "error"),
]

ROWS = [*FUNCTIONS, *SEQUENCES, *BAGS]


@pytest.mark.parametrize(("expression", "compute", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_tlc_says_the_same(expression: str, compute: Callable[[], Any], printed: str) -> None:
    assert answer(compute) == printed
