"""Operators of the community's modules, against what TLC printed with its Java versions of some of them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.tlaplus.trees import module_of
from tests.tlc_answers import M1, M2, Row, answer, some
from workbench.checking.check import check
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.lazy import force
from workbench.tlaplus.specification import module_of_text
from workbench.tlaplus.standard import MODULES
from workbench.tlaplus.values import text

PAIRED = Map({M1: 1, M2: 2})


def call(name: str, *arguments: Any) -> Any:
    """The operator `name` of the first module that has it."""
    arity, function = next(module[name] for module in MODULES.values() if name in module)
    assert arity == len(arguments)
    return force(function(*arguments))


def decimal(x: Any, y: Any) -> Any:
    return 10 * x + y


def shifted(x: Any, y: Any) -> Any:
    return x + 10 * y


def large(x: Any) -> bool:
    return bool(x > 1)


def same(x: Any) -> Any:
    return x


ROWS: list[Row] = [
    (r"FoldSet(LAMBDA x, y : x + 10 * y, 0, {1, 2, 3})", lambda: call("FoldSet", shifted, 0, some(1, 2, 3)), "123"),
    (
        r"FoldFunction(LAMBDA x, y : x + 10 * y, 0, m1 :> 1 @@ m2 :> 2)",
        lambda: call("FoldFunction", shifted, 0, PAIRED),
        "12",
    ),
    (
        r"FoldFunctionOnSet(LAMBDA x, y : x + 10 * y, 0, <<1, 2, 3>>, {1, 3})",
        lambda: call("FoldFunctionOnSet", shifted, 0, (1, 2, 3), some(1, 3)),
        "13",
    ),
    (r"FoldSeq(LAMBDA x, y : x + 10 * y, 0, <<1, 2, 3>>)", lambda: call("FoldSeq", shifted, 0, (1, 2, 3)), "123"),
    (r"FoldLeft(LAMBDA x, y : 10 * x + y, 0, <<1, 2, 3>>)", lambda: call("FoldLeft", decimal, 0, (1, 2, 3)), "123"),
    (r"FoldRight(LAMBDA x, y : x + 10 * y, <<1, 2, 3>>, 0)", lambda: call("FoldRight", shifted, (1, 2, 3), 0), "321"),
    (r"ReduceSet(LAMBDA x, y : x + 10 * y, {1, 2}, 0)", lambda: call("ReduceSet", shifted, some(1, 2), 0), "12"),
    (
        r"MapThenFoldSet(LAMBDA x, y : x + 10 * y, 0, LAMBDA x : x, LAMBDA s : Min(s), {1, 2})",
        lambda: call("MapThenFoldSet", shifted, 0, same, min, some(1, 2)),
        "21",
    ),
    (r"SumSet({1, 2, 3})", lambda: call("SumSet", some(1, 2, 3)), "6"),
    (r"ProductSet({2, 3})", lambda: call("ProductSet", some(2, 3)), "6"),
    (r"MapThenSumSet(LAMBDA x : 1, {2, 3})", lambda: call("MapThenSumSet", lambda x: 1, some(2, 3)), "2"),
    (r"Max({1, 3, 2})", lambda: call("Max", some(1, 3, 2)), "3"),
    (r"Min({1, 3, 2})", lambda: call("Min", some(1, 3, 2)), "1"),
    (r"Max({})", lambda: call("Max", some()), "error"),
    (r"Quantify({1, 2, 3}, LAMBDA x : x > 1)", lambda: call("Quantify", some(1, 2, 3), large), "2"),
    (r"kSubset(2, {1, 2, 3})", lambda: call("kSubset", 2, some(1, 2, 3)), "{{1, 2}, {1, 3}, {2, 3}}"),
    (r"kSubset(4, {1, 2, 3})", lambda: call("kSubset", 4, some(1, 2, 3)), "{}"),
    (r"SymDiff({1, 2}, {2, 3})", lambda: call("SymDiff", some(1, 2), some(2, 3)), "{1, 3}"),
    (r"FlattenSet({{1}, {2}})", lambda: call("FlattenSet", some(some(1), some(2))), "{1, 2}"),
    (r"ChooseUnique({1, 2}, LAMBDA x : x > 1)", lambda: call("ChooseUnique", some(1, 2), large), "2"),
    (r"ChooseUnique({1, 2, 3}, LAMBDA x : x > 1)", lambda: call("ChooseUnique", some(1, 2, 3), large), "error"),
    (r"Restrict(<<4, 5, 6>>, {1, 3})", lambda: call("Restrict", (4, 5, 6), some(1, 3)), "(1 :> 4 @@ 3 :> 6)"),
    (r"Restrict(<<4>>, {1, 3})", lambda: call("Restrict", (4,), some(1, 3)), "error"),
    (r"RestrictDomain(<<4, 5>>, LAMBDA x : x > 1)", lambda: call("RestrictDomain", (4, 5), large), "(2 :> 5)"),
    (r"RestrictValues(<<1, 5>>, LAMBDA x : x > 1)", lambda: call("RestrictValues", (1, 5), large), "(2 :> 5)"),
    (r"Range(<<4, 5, 4>>)", lambda: call("Range", (4, 5, 4)), "{4, 5}"),
    (
        r"Pointwise(<<1, 2>>, <<3, 4>>, LAMBDA x, y : 10 * x + y)",
        lambda: call("Pointwise", (1, 2), (3, 4), decimal),
        "<<13, 24>>",
    ),
    (r"IsInjective(<<1, 1>>)", lambda: call("IsInjective", (1, 1)), "FALSE"),
    (r"IsInjective(<<1, 2>>)", lambda: call("IsInjective", (1, 2)), "TRUE"),
    (r"Injection({1}, {3, 4})", lambda: call("Injection", some(1), some(3, 4)), "{<<3>>, <<4>>}"),
    (r"Surjection({1, 2}, {3})", lambda: call("Surjection", some(1, 2), some(3)), "{<<3, 3>>}"),
    (r"Bijection({1, 2}, {3, 4})", lambda: call("Bijection", some(1, 2), some(3, 4)), "{<<3, 4>>, <<4, 3>>}"),
    (r"ToSet(<<4, 5, 4>>)", lambda: call("ToSet", (4, 5, 4)), "{4, 5}"),
    (r"SetToSeq({3, 1, 2})", lambda: call("SetToSeq", some(3, 1, 2)), "<<1, 2, 3>>"),
    (r"SetToSeqs({1, 2})", lambda: call("SetToSeqs", some(1, 2)), "{<<1, 2>>, <<2, 1>>}"),
    (
        r"SetToSortSeq({1, 2}, LAMBDA x, y : x > y)",
        lambda: call("SetToSortSeq", some(1, 2), lambda x, y: x > y),
        "<<2, 1>>",
    ),
    (r"SeqOf({1}, 2)", lambda: call("SeqOf", some(1), 2), "{<<>>, <<1>>, <<1, 1>>}"),
    (r"BoundedSeq({1}, 1)", lambda: call("BoundedSeq", some(1), 1), "{<<>>, <<1>>}"),
    (r"Contains(<<1, 2>>, 2)", lambda: call("Contains", (1, 2), 2), "TRUE"),
    (r"Contains(<<1, 2>>, TRUE)", lambda: call("Contains", (1, 2), True), "error"),
    (r"Reverse(<<1, 2, 3>>)", lambda: call("Reverse", (1, 2, 3)), "<<3, 2, 1>>"),
    (r"Remove(<<1, 2, 1>>, 1)", lambda: call("Remove", (1, 2, 1), 1), "<<2>>"),
    (r"RemoveAt(<<1, 2, 3>>, 2)", lambda: call("RemoveAt", (1, 2, 3), 2), "<<1, 3>>"),
    (r"RemoveAt(<<1, 2, 3>>, 4)", lambda: call("RemoveAt", (1, 2, 3), 4), "<<1, 2, 3>>"),
    (r"RemoveFirst(<<1, 2, 1>>, 1)", lambda: call("RemoveFirst", (1, 2, 1), 1), "<<2, 1>>"),
    (r"RemoveFirst(<<1, 2, 1>>, 3)", lambda: call("RemoveFirst", (1, 2, 1), 3), "<<1, 2, 1>>"),
    (
        r"RemoveFirstMatch(<<1, 2, 3>>, LAMBDA x : x > 1)",
        lambda: call("RemoveFirstMatch", (1, 2, 3), large),
        "<<1, 3>>",
    ),
    (r"InsertAt(<<1, 2>>, 2, 9)", lambda: call("InsertAt", (1, 2), 2, 9), "<<1, 9, 2>>"),
    (r"InsertAt(<<1, 2>>, 3, 9)", lambda: call("InsertAt", (1, 2), 3, 9), "<<1, 2, 9>>"),
    (r"InsertAt(<<1, 2>>, 4, 9)", lambda: call("InsertAt", (1, 2), 4, 9), "error"),
    (r"ReplaceAt(<<1, 2>>, 2, 9)", lambda: call("ReplaceAt", (1, 2), 2, 9), "<<1, 9>>"),
    (r"ReplaceAll(<<1, 2, 1>>, 1, 9)", lambda: call("ReplaceAll", (1, 2, 1), 1, 9), "<<9, 2, 9>>"),
    (r"SelectInSeq(<<1, 2, 3>>, LAMBDA x : x > 1)", lambda: call("SelectInSeq", (1, 2, 3), large), "2"),
    (r"SelectInSeq(<<1>>, LAMBDA x : x > 1)", lambda: call("SelectInSeq", (1,), large), "0"),
    (r"SelectLastInSeq(<<1, 2, 3>>, LAMBDA x : x > 1)", lambda: call("SelectLastInSeq", (1, 2, 3), large), "3"),
    (r"Cons(1, <<2>>)", lambda: call("Cons", 1, (2,)), "<<1, 2>>"),
    (r"Snoc(1, <<2>>)", lambda: call("Snoc", 1, (2,)), "<<2, 1>>"),
    (r"Front(<<1, 2>>)", lambda: call("Front", (1, 2)), "<<1>>"),
    (r"Front(<<>>)", lambda: call("Front", ()), "<<>>"),
    (r"Last(<<1, 2>>)", lambda: call("Last", (1, 2)), "2"),
    (r"Last(<<>>)", lambda: call("Last", ()), "error"),
    (r"IsPrefix(<<1>>, <<1, 2>>)", lambda: call("IsPrefix", (1,), (1, 2)), "TRUE"),
    (r"IsPrefix(<<1, 2>>, <<1>>)", lambda: call("IsPrefix", (1, 2), (1,)), "FALSE"),
    (r"IsPrefix(<<TRUE>>, <<1>>)", lambda: call("IsPrefix", (True,), (1,)), "error"),
    (r"IsStrictPrefix(<<1>>, <<1>>)", lambda: call("IsStrictPrefix", (1,), (1,)), "FALSE"),
    (r"IsSuffix(<<2>>, <<1, 2>>)", lambda: call("IsSuffix", (2,), (1, 2)), "TRUE"),
    (r"Prefixes(<<1, 2>>)", lambda: call("Prefixes", (1, 2)), "{<<>>, <<1>>, <<1, 2>>}"),
    (r"FlattenSeq(<<<<1>>, <<2, 3>>>>)", lambda: call("FlattenSeq", ((1,), (2, 3))), "<<1, 2, 3>>"),
    (r'FlattenSeq(<<"a", "b">>)', lambda: call("FlattenSeq", (text("a"), text("b"))), '"ab"'),
    (r"Zip(<<1, 2>>, <<3>>)", lambda: call("Zip", (1, 2), (3,)), "<<<<1, 3>>>>"),
]


@pytest.mark.parametrize(("expression", "compute", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_tlc_says_the_same(expression: str, compute: Callable[[], Any], printed: str) -> None:
    assert answer(compute) == printed


def test_modules_of_theorems_have_what_they_extend_and_proofs_are_passed_over() -> None:
    theorems = module_of(
        "EXTENDS TLAPS, FiniteSetTheorems, SequenceTheorems, NaturalsInduction",
        "VARIABLE x",
        "Init == x = {}",
        "Next == x' = x \\cup {Cardinality(x)} /\\ Cardinality(x) < Len(<<0, 0>>)",
        "THEOREM Init => IsFiniteSet(x)",
        "  BY FS_EmptySet, SMT DEF Init",
    )
    assert check(module_of_text(theorems)(), []).distinct == 3
