"""Operators of the community's modules, against what TLC printed with its Java versions of some of them."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.tlaplus.trees import module_of
from tests.tlc_answers import M1, M2, Row, answer, some
from workbench.checking.check import check
from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.values import Map
from workbench.tlaplus.compiling import Compiler
from workbench.tlaplus.lazy import force
from workbench.tlaplus.modules import Library, load
from workbench.tlaplus.specification import module_of_text
from workbench.tlaplus.standard import EXTENDED, MODULES
from workbench.tlaplus.values import Order, begin, end, text

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
    (r"CommonPrefixes({<<1, 2>>, <<1, 3>>})", lambda: call("CommonPrefixes", some((1, 2), (1, 3))), "{<<>>, <<1>>}"),
    (r"CommonPrefixes({})", lambda: call("CommonPrefixes", some()), "{}"),
    (
        r"LongestCommonPrefix({<<1, 2>>, <<1, 2, 3>>})",
        lambda: call("LongestCommonPrefix", some((1, 2), (1, 2, 3))),
        "<<1, 2>>",
    ),
    (r"LongestCommonPrefix({<<1>>, <<2>>})", lambda: call("LongestCommonPrefix", some((1,), (2,))), "<<>>"),
    (r"LongestCommonPrefix({<<1>>, <<TRUE>>})", lambda: call("LongestCommonPrefix", some((1,), (True,))), "error"),
    (r"LongestCommonPrefix({})", lambda: call("LongestCommonPrefix", some()), "error"),
    (r"FlattenSeq(<<<<1>>, <<2, 3>>>>)", lambda: call("FlattenSeq", ((1,), (2, 3))), "<<1, 2, 3>>"),
    (r'FlattenSeq(<<"a", "b">>)', lambda: call("FlattenSeq", (text("a"), text("b"))), '"ab"'),
    (r"Zip(<<1, 2>>, <<3>>)", lambda: call("Zip", (1, 2), (3,)), "<<<<1, 3>>>>"),
]


@pytest.mark.parametrize(("expression", "compute", "printed"), ROWS, ids=[row[0] for row in ROWS])
def test_tlc_says_the_same(expression: str, compute: Callable[[], Any], printed: str) -> None:
    assert answer(compute) == printed


GRAPHS = """
Line == [node |-> {1, 2, 3}, edge |-> {<<1, 2>>, <<2, 3>>}]
Circle == [node |-> {1, 2}, edge |-> {<<1, 2>>, <<2, 1>>}]
Loose == [node |-> {1, 2}, edge |-> {<<1, 3>>}]
Sets == [node |-> {1, 2, 3}, edge |-> {{1, 2}, {3}}]
Edge == [node |-> {1, 2}, edge |-> {{1, 2}}]
Three == {1, 2, 3}
Upwards == [p \\in Three \\X Three |-> p[1] <= p[2]]
Steps == [p \\in Three \\X Three |-> p[2] = p[1] + 1]
Dangling == [node |-> {1}, edge |-> {{1, 2}}]
"""
#: Modules, expressions over what they define, and what TLC printed.
OF_MODULES = [
    ("Bitwise", "6 & 3", "2"),
    ("Bitwise", "6 | 3", "7"),
    ("Bitwise", "6 ^^ 3", "5"),
    ("Bitwise", "Not(5)", "2"),
    ("Bitwise", "Not(0)", "0"),
    ("Bitwise", "shiftR(5, 1)", "2"),
    ("Bitwise", "TRUE & 1", "error"),
    ("Bitwise", "0 | 5", "5"),
    ("BagsExt", "BagAdd(1 :> 2, 1)", "<<3>>"),
    ("BagsExt", "BagAdd(1 :> 2, 3)", "(1 :> 2 @@ 3 :> 1)"),
    ("BagsExt", "BagAdd(<<>>, 1)", "<<1>>"),
    ("BagsExt", "BagRemove(1 :> 1 @@ 2 :> 2, 1)", "(2 :> 2)"),
    ("BagsExt", "BagRemove(1 :> 1 @@ 2 :> 2, 2)", "<<1, 1>>"),
    ("BagsExt", "BagRemove(1 :> 1, 9)", "<<1>>"),
    ("BagsExt", "BagRemoveAll(1 :> 5 @@ 2 :> 2, 1)", "(2 :> 2)"),
    ("BagsExt", "FoldBag(LAMBDA x, y : x + 10 * y, 0, 1 :> 2 @@ 2 :> 1)", "40"),
    ("BagsExt", "SumBag(2 :> 3 @@ 5 :> 1)", "11"),
    ("BagsExt", "ProductBag(2 :> 3 @@ 5 :> 1)", "40"),
    ("BagsExt", "BagRemove(1 :> TRUE, 1)", "error"),
    ("BagsExt", "BagAdd(1 :> 2, TRUE)", "error"),
    ("BagsExt", "BagRemove(1 :> 2, TRUE)", "error"),
    ("Graphs", "IsDirectedGraph(Line)", "TRUE"),
    ("Graphs", "IsDirectedGraph(Circle)", "TRUE"),
    ("Graphs", "IsDirectedGraph(Loose)", "FALSE"),
    ("Graphs", "IsDirectedGraph(Sets)", "error"),
    ("Graphs", "Transpose(Line)", "[node |-> {1, 2, 3}, edge |-> {<<2, 1>>, <<3, 2>>}]"),
    ("Graphs", "IsUndirectedGraph(Line)", "FALSE"),
    ("Graphs", "IsUndirectedGraph(Circle)", "TRUE"),
    ("Graphs", "IsUndirectedGraph(Loose)", "FALSE"),
    ("Graphs", "IsUndirectedGraph(Sets)", "error"),
    ("Graphs", "IsStronglyConnected(Line)", "FALSE"),
    ("Graphs", "IsStronglyConnected(Circle)", "TRUE"),
    ("Graphs", "IsStronglyConnected(Loose)", "FALSE"),
    ("Graphs", "IsStronglyConnected(Sets)", "error"),
    ("Graphs", "IsDirectedGraph([node |-> {1}])", "error"),
    ("Graphs", "AreConnectedIn(1, 3, Line)", "TRUE"),
    ("Graphs", "AreConnectedIn(3, 1, Line)", "FALSE"),
    ("Graphs", "AreConnectedIn(1, 1, Line)", "TRUE"),
    ("Graphs", "AreConnectedIn(9, 9, Line)", "FALSE"),
    ("Graphs", "AreConnectedIn(1, 3, Loose)", "FALSE"),
    ("Graphs", "IsTreeWithRoot(Line, 3)", "TRUE"),
    ("Graphs", "IsTreeWithRoot(Line, 1)", "FALSE"),
    ("Graphs", "IsTreeWithRoot(Circle, 3)", "FALSE"),
    ("Graphs", "IsTreeWithRoot(Circle, 1)", "FALSE"),
    ("Graphs", "IsTreeWithRoot(Loose, 1)", "FALSE"),
    ("UndirectedGraphs", "IsUndirectedGraph(Sets)", "TRUE"),
    ("UndirectedGraphs", "IsUndirectedGraph(Edge)", "TRUE"),
    ("UndirectedGraphs", "IsUndirectedGraph(Dangling)", "FALSE"),
    ("UndirectedGraphs", "IsUndirectedGraph(Circle)", "error"),
    ("UndirectedGraphs", "IsLoopFreeUndirectedGraph(Sets)", "FALSE"),
    ("UndirectedGraphs", "IsLoopFreeUndirectedGraph(Edge)", "TRUE"),
    ("UndirectedGraphs", "IsLoopFreeUndirectedGraph(Dangling)", "FALSE"),
    ("UndirectedGraphs", "IsLoopFreeUndirectedGraph(Circle)", "error"),
    ("UndirectedGraphs", "ConnectedComponents(Sets)", "{{3}, {1, 2}}"),
    ("UndirectedGraphs", "ConnectedComponents(Edge)", "{{1, 2}}"),
    ("UndirectedGraphs", "ConnectedComponents(Dangling)", "error"),
    ("UndirectedGraphs", "ConnectedComponents(Circle)", "error"),
    ("UndirectedGraphs", "IsStronglyConnected(Sets)", "FALSE"),
    ("UndirectedGraphs", "IsStronglyConnected(Edge)", "TRUE"),
    ("UndirectedGraphs", "IsStronglyConnected(Dangling)", "error"),
    ("UndirectedGraphs", "IsStronglyConnected(Circle)", "error"),
    ("UndirectedGraphs", "AreConnectedIn(1, 3, Sets)", "FALSE"),
    ("UndirectedGraphs", "AreConnectedIn(1, 2, Sets)", "TRUE"),
    ("UndirectedGraphs", "AreConnectedIn(1, 1, Sets)", "TRUE"),
    ("UndirectedGraphs", "AreConnectedIn(9, 9, Sets)", "FALSE"),
    ("UndirectedGraphs", "IsStronglyConnected([node |-> {}, edge |-> {}])", "FALSE"),
    ("DyadicRationals", "Zero", "[num |-> 0, den |-> 1]"),
    ("DyadicRationals", "One", "[num |-> 1, den |-> 1]"),
    ("DyadicRationals", "Half(One)", "[num |-> 1, den |-> 2]"),
    ("DyadicRationals", "Half(Zero)", "[num |-> 0, den |-> 1]"),
    ("DyadicRationals", "Add(Half(One), Half(Half(One)))", "[num |-> 3, den |-> 4]"),
    ("DyadicRationals", "Add(Zero, [num |-> 2, den |-> 4])", "[num |-> 2, den |-> 4]"),
    ("DyadicRationals", "Add([num |-> 2, den |-> 4], Zero)", "[num |-> 1, den |-> 2]"),
    ("DyadicRationals", "Add(Half(One), Half(One))", "[num |-> 1, den |-> 1]"),
    ("DyadicRationals", "IsDyadicRational(Half(One))", "TRUE"),
    ("DyadicRationals", "IsDyadicRational([num |-> 1, den |-> 3])", "FALSE"),
    ("DyadicRationals", "IsDyadicRational([num |-> 1, den |-> 0])", "FALSE"),
    ("DyadicRationals", "PrettyPrint(Half(One))", '"1/2"'),
    ("DyadicRationals", "PrettyPrint(Zero)", '"0"'),
    ("DyadicRationals", "PrettyPrint(One)", '"1"'),
    ("DyadicRationals", "PrettyPrint([num |-> 3, den |-> 1])", '"3/1"'),
    ("Relation", "IsReflexive(Upwards, Three)", "TRUE"),
    ("Relation", "IsIrreflexive(Upwards, Three)", "FALSE"),
    ("Relation", "IsSymmetric(Upwards, Three)", "FALSE"),
    ("Relation", "IsAntiSymmetric(Upwards, Three)", "TRUE"),
    ("Relation", "IsAsymmetric(Upwards, Three)", "FALSE"),
    ("Relation", "IsTransitive(Upwards, Three)", "TRUE"),
    ("Relation", "IsStrictlyPartiallyOrdered(Upwards, Three)", "FALSE"),
    ("Relation", "IsPartiallyOrdered(Upwards, Three)", "TRUE"),
    ("Relation", "IsStrictlyTotallyOrdered(Upwards, Three)", "FALSE"),
    ("Relation", "IsTotallyOrdered(Upwards, Three)", "TRUE"),
    ("Relation", "IsReflexive(Steps, Three)", "FALSE"),
    ("Relation", "IsIrreflexive(Steps, Three)", "TRUE"),
    ("Relation", "IsSymmetric(Steps, Three)", "FALSE"),
    ("Relation", "IsAntiSymmetric(Steps, Three)", "TRUE"),
    ("Relation", "IsAsymmetric(Steps, Three)", "TRUE"),
    ("Relation", "IsTransitive(Steps, Three)", "FALSE"),
    ("Relation", "IsStrictlyPartiallyOrdered(Steps, Three)", "FALSE"),
    ("Relation", "IsPartiallyOrdered(Steps, Three)", "FALSE"),
    ("Relation", "IsStrictlyTotallyOrdered(Steps, Three)", "FALSE"),
    ("Relation", "IsTotallyOrdered(Steps, Three)", "FALSE"),
    ("Relation", "IsReflexiveUnder(LAMBDA x, y : x < y, Three)", "FALSE"),
    ("Relation", "IsIrreflexiveUnder(LAMBDA x, y : x < y, Three)", "TRUE"),
    ("Relation", "IsSymmetricUnder(LAMBDA x, y : x < y, Three)", "FALSE"),
    ("Relation", "IsAntiSymmetricUnder(LAMBDA x, y : x < y, Three)", "TRUE"),
    ("Relation", "IsAsymmetricUnder(LAMBDA x, y : x < y, Three)", "TRUE"),
    ("Relation", "IsTransitiveUnder(LAMBDA x, y : x < y, Three)", "TRUE"),
    ("Relation", "IsStrictlyPartiallyOrderedUnder(LAMBDA x, y : x < y, Three)", "TRUE"),
    ("Relation", "IsPartiallyOrderedUnder(LAMBDA x, y : x < y, Three)", "FALSE"),
    ("Relation", "IsStrictlyTotallyOrderedUnder(LAMBDA x, y : x < y, Three)", "TRUE"),
    ("Relation", "IsTotallyOrderedUnder(LAMBDA x, y : x < y, Three)", "FALSE"),
    ("Relation", "IsConnected(Upwards, Three)", "FALSE"),
    ("Relation", "TransitiveClosure(Steps, Three)[1, 3]", "TRUE"),
    ("Relation", "TransitiveClosure(Steps, Three)[1, 1]", "FALSE"),
    ("Relation", "ReflexiveTransitiveClosure(Steps, Three)[1, 1]", "TRUE"),
    ("Relation", "ReflexiveTransitiveClosure(Steps, Three)[2, 1]", "FALSE"),
    ("Relation", "IsConnected(Steps, Three)", "FALSE"),
    ("Functions", "IsRestriction(<<1>>, <<1, 2>>)", "TRUE"),
    ("Functions", "IsRestriction(<<2>>, <<1, 2>>)", "FALSE"),
    ("Functions", "IsRestriction(<<1, 2>>, <<1>>)", "FALSE"),
    ("Functions", "Inverse(<<4, 5>>, {1, 2}, {4, 5})", "(4 :> 1 @@ 5 :> 2)"),
    ("Functions", "Inverse(<<4, 5>>, {1, 2}, {4, 6})", "(4 :> 1 @@ 6 :> 1)"),
    ("Functions", "AntiFunction(<<4, 5>>)", "(4 :> 1 @@ 5 :> 2)"),
    ("Functions", "ExistsInjection({1, 2}, {3})", "FALSE"),
    ("Functions", "ExistsInjection({1, 2}, {3, 4})", "TRUE"),
    ("Functions", "ExistsSurjection({1}, {3, 4})", "FALSE"),
    ("Functions", "ExistsSurjection({1, 2}, {3})", "TRUE"),
    ("Functions", "ExistsBijection({1, 2}, {3, 4})", "TRUE"),
    ("Functions", "ExistsBijection({1, 2}, {3})", "FALSE"),
    ("Functions", "SumFunction(<<4, 5>>)", "9"),
    ("Functions", "SumFunctionOnSet(<<4, 5>>, {2})", "5"),
    ("FiniteSetsExt", "Choices({{1, 2}, {2, 3}})", "{{2}, {1, 2}, {1, 3}, {2, 3}}"),
    ("FiniteSetsExt", "Choices({})", "{{}}"),
    ("FiniteSetsExt", "Choices({{}, {1}})", "{}"),
    ("SequencesExt", "ToBag(<<2, 1, 2>>)", "<<1, 2>>"),
    ("SequencesExt", "ToBag(<<>>)", "<<>>"),
    ("SequencesExt", "SetToAllKPermutations({1, 2})", "{<<>>, <<1>>, <<2>>, <<1, 2>>, <<2, 1>>}"),
    ("SequencesExt", "TupleOf({1, 2}, 2)", "{<<1, 1>>, <<1, 2>>, <<2, 1>>, <<2, 2>>}"),
    ("SequencesExt", "TupleOf({1, 2}, 0)", "{<<>>}"),
    ("SequencesExt", "IsSorted(<<1, 1, 2>>, LAMBDA x, y : x <= y)", "TRUE"),
    ("SequencesExt", "IsSorted(<<1, 1, 2>>, LAMBDA x, y : x < y)", "FALSE"),
    ("SequencesExt", "SelectInSubSeq(<<1, 2, 3, 2>>, 2, 4, LAMBDA x : x = 2)", "2"),
    ("SequencesExt", "SelectLastInSubSeq(<<1, 2, 3, 2>>, 2, 4, LAMBDA x : x = 2)", "4"),
    ("SequencesExt", "SelectInSubSeq(<<1, 2, 3, 2>>, 3, 4, LAMBDA x : x = 2)", "4"),
    ("SequencesExt", "SelectInSubSeq(<<1, 2>>, 2, 1, LAMBDA x : x = 2)", "0"),
    ("SequencesExt", "SelectLastInSubSeq(<<1, 2, 3, 2>>, 1, 3, LAMBDA x : x = 2)", "2"),
    ("SequencesExt", "SelectLastInSubSeq(<<1, 2, 3, 2>>, 1, 3, LAMBDA x : x = 7)", "0"),
    ("SequencesExt", "SelectInSubSeq(<<1, 2>>, 0, 5, LAMBDA x : x = 2)", "error"),
    ("SequencesExt", "IsStrictSuffix(<<2>>, <<1, 2>>)", "TRUE"),
    ("SequencesExt", "IsStrictSuffix(<<2>>, <<2>>)", "FALSE"),
    ("SequencesExt", "Suffixes(<<1, 2>>)", "{<<>>, <<2>>, <<1, 2>>}"),
    ("SequencesExt", "Suffixes(<<>>)", "{<<>>}"),
    ("SequencesExt", "SeqMod(4, 2)", "2"),
    ("SequencesExt", "SeqMod(5, 2)", "1"),
    ("SequencesExt", "FoldLeftDomain(LAMBDA x, y : 10 * x + y, 0, <<7, 8>>)", "12"),
    ("SequencesExt", "FoldRightDomain(LAMBDA x, y : x + 10 * y, <<7, 8>>, 0)", "21"),
    ("SequencesExt", "Interleave(<<1, 2>>, <<3, 4>>)", "<<<<1>>, <<3>>, <<2>>, <<4>>>>"),
    ("SequencesExt", "Interleave(<<>>, <<>>)", "<<<<>>, <<>>>>"),
    ("SequencesExt", "Interleave(<<1>>, <<>>)", "error"),
    ("SequencesExt", "SubSeqs(<<1, 2>>)", "{<<>>, <<1>>, <<2>>, <<1, 2>>}"),
    (
        "SequencesExt",
        "AllSubSeqs(<<1, 2, 3>>)",
        "{<<>>, <<1>>, <<2>>, <<3>>, <<1, 2>>, <<1, 3>>, <<2, 3>>, <<1, 2, 3>>}",
    ),
    ("SequencesExt", "IndexFirstSubSeq(<<2>>, <<1, 2, 2>>)", "2"),
    ("SequencesExt", "IndexFirstSubSeq(<<>>, <<1>>)", "1"),
    ("SequencesExt", "IndexFirstSubSeq(<<3>>, <<1>>)", "error"),
    ("SequencesExt", "ReplaceSubSeqAt(2, <<9, 9>>, <<2>>, <<1, 2, 3>>)", "<<1, 9, 9, 3>>"),
    ("SequencesExt", "ReplaceFirstSubSeq(<<9>>, <<2>>, <<1, 2, 2>>)", "<<1, 9, 2>>"),
    ("SequencesExt", "ReplaceFirstSubSeq(<<9>>, <<4>>, <<1, 2>>)", "<<1, 2>>"),
    ("SequencesExt", "ReplaceFirstSubSeq(<<9>>, <<>>, <<1, 2>>)", "<<9, 1, 2>>"),
    ("SequencesExt", "Cardinality({1, 2})", "2"),
    ("SequencesExt", "Max({1, 2})", "2"),
    ("SequencesExt", "Range(<<1, 1>>)", "{1}"),
    ("SequencesExt", "BagToSet(SetToBag({1}))", "{1}"),
    ("SequencesExt", "SumSet({1, 2})", "3"),
    ("Graphs", "TransitiveClosure([x, y \\in {1} |-> TRUE], {1})[1, 1]", "TRUE"),
    ("SequencesExt", 'SelectLastInSeq(<<"a", 2>>, LAMBDA x : x > 1)', "2"),
    ("SequencesExt", 'SelectLastInSeq(<<2, "a">>, LAMBDA x : x > 1)', "error"),
    ("SequencesExt", 'SelectInSeq(<<2, "a">>, LAMBDA x : x > 1)', "1"),
]


def value_in(module: str, expression: str) -> Any:
    text = module_of(f"EXTENDS Integers, TLC, {module}", GRAPHS, f"A == {expression}")
    made = load("M", Library((), MODULES, EXTENDED, {"M": text}))
    definition = made.scope.find("A")
    return Compiler(made, {}).expression(definition.body, definition.scope)(None, None)


@pytest.mark.parametrize(("module", "expression", "printed"), OF_MODULES)
def test_modules_say_the_same(module: str, expression: str, printed: str) -> None:
    begun = begin(Order(["node", "edge", "num", "den"]))
    try:
        assert answer(lambda: force(value_in(module, expression))) == printed
    finally:
        end(begun)


def test_operators_of_one_name_are_those_of_their_module() -> None:
    with pytest.raises(InputError, match=r"M.tla:2:17: IsUndirectedGraph is already defined in Graphs"):
        module_of_text(module_of("EXTENDS Graphs, UndirectedGraphs", "VARIABLE x"))


def test_what_asks_the_world_is_an_error_where_it_is_evaluated() -> None:
    text = module_of(
        "EXTENDS Integers, TLC, Json, SVG",
        "VARIABLE x",
        "Init == x = 1",
        "Next == UNCHANGED x",
        'Shown == [x |-> x, at |-> TLCGet("level"), as |-> ToJson(x)]',
        'Drawn == <<SVGElem("g", <<>>, <<>>, ""), Image(0, 0, x, x, "", <<>>)>>',
        'Early == TLCGet("level") < 3',
    )
    assert check(module_of_text(text, "INIT Init NEXT Next ALIAS Shown")(), []).distinct == 1
    with pytest.raises(ModelError, match=r"M.tla:8:10: TLCGet of the module TLC is not supported: its value is not a"):
        check(module_of_text(text, "INIT Init NEXT Next INVARIANT Early")())


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


def answers(imported: str, *lines: str, configuration: str = "") -> dict[str, str]:
    """The verdicts on the invariants of a module that has these lines."""
    text = module_of(imported, "VARIABLE x", *lines, "Init == x = 1", "Next == x' = 2")
    made = module_of_text(text, f"INIT Init NEXT Next CHECK_DEADLOCK FALSE {configuration}")
    return {one.name: one.word for one in check(made()).verdicts}


@pytest.mark.parametrize(
    "imported", ["EXTENDS SequencesExt", "LOCAL INSTANCE SequencesExt", "INSTANCE SequencesExt", "EXTENDS Graphs"]
)
def test_modules_bring_what_they_extend(imported: str) -> None:
    """As the community's modules have it since 2026, and as TLC has it of its own."""
    two = "Two == Cardinality(ToSet(<<1, x>>)) = 2 /\\ Max({1, 2}) = 2"
    assert answers(imported, two, configuration="INVARIANT Two") == {"Two": "violated"}


def test_an_instance_has_what_its_module_brings() -> None:
    one = r"One == Cardinality({x}) = 1 \/ S!Append(<<x>>, x) = <<>>"
    with pytest.raises(InputError, match="unknown name Cardinality"):
        answers("S == INSTANCE SequencesExt", one, configuration="INVARIANT One")
    one = r"One == S!Cardinality({x}) = 1 /\ S!Append(<<x>>, x) # <<>>"
    assert answers("S == INSTANCE SequencesExt", one, configuration="INVARIANT One") == {"One": "holds"}


def test_a_module_s_own_operators_go_before_those_of_the_community() -> None:
    """It may have been written before the community's module had one of that name."""
    own = ("EXTENDS SequencesExt", "Suffixes(s) == {s}", r"Own == Suffixes(<<x, x>>) = {<<x, x>>}")
    assert answers(*own, configuration="INVARIANT Own") == {"Own": "holds"}


def test_a_configuration_replaces_an_operator_of_the_community() -> None:
    lines = ("EXTENDS FiniteSetsExt", "Least(S) == CHOOSE s \\in S : TRUE", "Small == Max({1, 2}) = 1")
    assert answers(*lines, configuration="INVARIANT Small") == {"Small": "violated"}
    replaced = "CONSTANT Max <- Least INVARIANT Small"
    assert answers(*lines, configuration=replaced) == {"Small": "holds"}
