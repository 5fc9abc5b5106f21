"""The rule that separates safe from unsafe settings: exact, and smallest; and grids that are filled."""

import itertools
import json
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.checking.check import check
from workbench.checking.questions import formula as formulas
from workbench.checking.questions.constant_grid import fill
from workbench.checking.questions.explain import explain
from workbench.checking.questions.formula import smallest
from workbench.kernel import Constant, InputError, Model, Variable, action, invariant, require
from workbench.kernel.meaning.budget import INTERRUPTED, Budget, Watch
from workbench.kernel.meaning.result import Answer
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.hudi.extended import HudiExtended
from workbench.showing.view import verdict_map

SMALL = {"Writers": 2, "Keys": 2, "Values": 1, "FileGroupCount": 2, "OpLimit": 2}
GRID = {
    "ConcurrencyControl": [0, 1, 2],
    "MonotonicTs": [True, False],
    "PutIfAbsentSupported": [False, True],
    "UseSalt": [False, True],
    "PrimaryKeyConflictCheck": [True, False],
}
SAFETY = ["ConsistentRead", "NoDuplicateKeysAcrossFiles"]


# Formulas ----------------------------------------------------------------------------------------------------------


def cases_of(sizes):
    return list(itertools.product(*map(range, sizes)))


def table_of(sizes):
    """The sizes of some constants, and for each case whether it is true; None where that is not known."""
    cases = math.prod(sizes)
    return st.tuples(st.just(sizes), st.lists(st.sampled_from([True, False, None]), min_size=cases, max_size=cases))


#: Of up to four constants.
TABLES = (
    st.lists(st.integers(1, 4), min_size=1, max_size=4).filter(lambda sizes: math.prod(sizes) <= 48).flatmap(table_of)
)


def split(sizes, verdicts):
    given = list(zip(cases_of(sizes), verdicts, strict=True))
    return [case for case, it in given if it is True], [case for case, it in given if it is False]


@pytest.mark.slow
@given(TABLES)
@settings(max_examples=200)
def test_a_formula_is_exact_on_all_that_is_decided(table):
    sizes, verdicts = table
    true, false = split(sizes, verdicts)
    found = smallest(true, false, sizes)
    assert all(found.formula.holds(case) for case in true)
    assert not any(found.formula.holds(case) for case in false)


def least(true, false, sizes):
    """The fewest literals of an "or" of "and"s, found by trying every set of cubes in the order of their prices."""
    subsets = [range(1, 1 << size) for size in sizes]
    cubes = {}
    for cube in itertools.product(*subsets):
        if any(formulas._holds(cube, case) for case in false):
            continue
        held = frozenset(case for case in true if formulas._holds(cube, case))
        price = sum(allowed != (1 << size) - 1 for allowed, size in zip(cube, sizes, strict=True))
        cubes[held] = min(price, cubes.get(held, price))
    best = {frozenset(): 0}
    waiting = [frozenset()]
    while waiting:  # a shortest way through the sets of cases that are held
        now = min(waiting, key=best.__getitem__)
        waiting.remove(now)
        if now == frozenset(true):
            return best[now]
        for held, price in cubes.items():
            more = now | held
            if more != now and best[now] + price < best.get(more, 10**9):
                best[more] = best[now] + price
                waiting.append(more)
    raise AssertionError("the cubes of single cases hold all of them")


@pytest.mark.slow
@given(st.sampled_from([(2, 2), (3, 2), (2, 2, 2), (4, 2), (3, 3)]).flatmap(table_of))
@settings(max_examples=150)
def test_no_formula_of_two_levels_is_smaller(table):
    sizes, verdicts = table
    true, false = split(sizes, verdicts)
    found = smallest(true, false, sizes)
    assert found.minimal
    assert found.formula.literals <= min(least(true, false, sizes), least(false, true, sizes))


def test_a_search_that_is_given_up_is_exact_and_says_so(monkeypatch):
    true, false = split((3, 3, 3), [at * 7 % 3 == 0 for at in range(27)])
    monkeypatch.setattr(formulas, "MOST_CUBES", 2)
    found = smallest(true, false, (3, 3, 3))
    assert not found.minimal
    assert all(found.formula.holds(case) for case in true)
    assert not any(found.formula.holds(case) for case in false)


# Rules in words ----------------------------------------------------------------------------------------------------


def table_where(axes, rule, **attrs):
    rows = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    table = pd.DataFrame([{**row, "P": rule(**row)} for row in rows])
    table.attrs = attrs
    return table


def verdict(holds):
    return "holds" if holds else "violated"


@pytest.mark.parametrize(
    ("axes", "rule", "text"),
    [
        ({"A": [True, False]}, lambda A: A, "A"),
        ({"A": [True, False]}, lambda A: not A, "not A"),
        ({"A": [True, False]}, lambda A: True, "always"),
        ({"A": [True, False]}, lambda A: False, "never"),
        ({"N": [3, 1, 2]}, lambda N: N < 3, "N < 3"),
        ({"N": [3, 1, 2]}, lambda N: N > 1, "N > 1"),
        ({"N": [3, 1, 2]}, lambda N: N == 2, "N == 2"),
        ({"N": [3, 1, 2]}, lambda N: N != 2, "N != 2"),
        ({"N": [4, 1, 2, 3]}, lambda N: N in (1, 3), "N in {1, 3}"),
        ({"W": ["a", "b", "c"]}, lambda W: W != "c", "W != c"),
        ({"P_": [None, [["w1", "w2"]]]}, lambda P_: P_ is None, "P_ == -"),
        ({"A": [True, False], "B": [True, False]}, lambda A, B: A == B, "(not A or B) and (A or not B)"),
        (
            {"A": [True, False], "B": [False, True], "N": [1, 2]},
            lambda A, B, N: A and (B or N > 1),
            "A and (B or N == 2)",
        ),
        (
            {"A": [True, False], "B": [False, True], "C": [True, False], "D": [True, False]},
            lambda A, B, C, D: (A and (B or C)) or D,
            "D or (A and (B or C))",
        ),
    ],
)
def test_a_rule_reads_well(axes, rule, text):
    explained = explain(table_where(axes, lambda **row: verdict(rule(**row))), "P")
    assert str(explained.rule) == text
    assert explained.undecided == []


def test_what_is_not_decided_is_named_and_not_guessed_at():
    words = {1: "holds", 2: "unknown", 3: "error", 4: None, 5: "violated"}
    explained = explain(table_where({"N": [1, 2, 3, 4, 5]}, lambda N: words[N]), "P")
    assert explained.decided == 2
    assert explained.undecided == [({"N": 2}, "unknown"), ({"N": 3}, "error"), ({"N": 4}, "does not apply")]
    assert [failing.setting for failing in explained.failing] == [{"N": 5}]
    assert "exact on 2 settings" in repr(explained)
    assert "not decided (unknown): N=2" in repr(explained)


def test_a_long_list_of_settings_is_cut():
    told = repr(explain(table_where({"N": list(range(99))}, lambda N: verdict(N > 70)), "P"))
    assert told.startswith("P: N > 70\n  exact on 99 settings\n  fails: N=0\n")
    assert told.endswith("  fails: N=23\n  and 47 more settings")


def test_nothing_is_known_where_nothing_is_decided():
    explained = explain(table_where({"N": [1, 2]}, lambda N: "unknown"), "P")
    assert explained.rule is None
    assert "nothing is known" in repr(explained)


def test_an_explanation_answers_like_every_question():
    explained: Answer = explain(table_where({"N": [1, 2, 3]}, lambda N: verdict(N > 1)), "P")
    assert (explained.holds, explained.why, explained.trace) == (False, "P: N > 1", None)
    assert explained.text() == repr(explained)
    told = json.loads(json.dumps(explained.as_dict()))
    assert (told["rule"], told["failing"]) == ("N > 1", [{"setting": {"N": "1"}, "states": None}])
    assert explain(table_where({"N": [1, 2]}, lambda N: "holds"), "P").holds is True
    open_cell = explain(table_where({"N": [1, 2]}, lambda N: "holds" if N > 1 else "unknown"), "P")
    assert open_cell.holds is None
    assert open_cell.as_dict()["undecided"] == [{"setting": {"N": "1"}, "why": "unknown"}]


def test_constants_that_cannot_explain():
    table = table_where({"A": [True, False], "B": [True, False]}, lambda A, B: verdict(B))
    with pytest.raises(InputError, match=r"with A = TRUE, P holds in one setting and not in another; name all const"):
        explain(table, "P", ["A"])
    for asked in ({"property": "Q"}, {"property": "P", "constants": ["C"]}):
        with pytest.raises(InputError, match="unknown column of the table"):
            explain(table, **asked)


def test_a_rule_judges_only_what_it_knows():
    rule = explain(table_where({"N": [1, 2, 3]}, lambda N: verdict(N > 1)), "P").rule
    assert [rule.holds({"N": n}) for n in (1, 2, 3)] == [False, True, True]
    with pytest.raises(InputError, match=r"N = 4 is not accepted; the rule knows 1, 2, 3"):
        rule.holds({"N": 4})
    with pytest.raises(InputError, match="unknown constant of the setting 'N'"):
        rule.holds({})


# Grids that are filled ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hudi():
    return fill(HudiExtended, GRID, SAFETY, constants=SMALL, workers=1)


@pytest.mark.slow
def test_the_rules_of_hudi_come_out(hudi):
    reads, keys = map(hudi.explain, SAFETY)
    assert str(reads.rule) == "ConcurrencyControl > none and (MonotonicTs or PutIfAbsentSupported or UseSalt)"
    assert str(keys.rule) == "PrimaryKeyConflictCheck"
    assert (reads.minimal, keys.minimal, reads.decided) == (True, True, 48)
    assert len(reads.failing) == 16 + 4


@pytest.mark.slow
def test_a_rule_takes_words_too(hudi):
    rule = hudi.explain("ConsistentRead").rule
    for cell in hudi.cells:
        word = ("none", "optimistic", "pessimistic")[cell.setting["ConcurrencyControl"]]
        assert rule.holds({**cell.setting, "ConcurrencyControl": word}) == rule.holds(cell.setting)


@pytest.mark.slow
def test_each_failing_cell_has_its_counterexample(hudi):
    for failing in hudi.explain("ConsistentRead").failing:
        cell = hudi.cells[failing.row]
        assert cell.setting == failing.setting
        trace = cell.trace("ConsistentRead")
        assert len(trace) == failing.states
        assert trace.model.constants == HudiExtended(**SMALL, **failing.setting).constants


@pytest.mark.slow
def test_the_map_shows_the_words(hudi):
    drawn = verdict_map(hudi.table, x="ConcurrencyControl", y="MonotonicTs", properties=["ConsistentRead"])
    assert drawn.panels[0].columns == ("none", "optimistic", "pessimistic")
    assert "ConcurrencyControl = none" in drawn.panels[0].cells["on", "none"].hover


class Counter(Model):
    """Counts to its size."""

    Size = Constant(2, range(1, 100), "how far it counts")
    Bound = Constant(5, range(100), "what it should not reach")
    Careful = Constant(True, bool, "sizes above 50 are refused")

    n = Variable(0)

    def validate(self):
        if self.Careful and self.Size > 50:
            raise InputError(f"Size = {self.Size} is not accepted; it takes at most 50")

    @action
    def count(self, s):
        require(s.n < self.Size, "at its end")
        s.n += 1

    @invariant
    def BelowBound(self, s):
        return s.n < self.Bound


def test_cells_are_told_of_one_by_one():
    told, progress = [], []
    grid = {"Size": [2, 9, 60], "Bound": [5]}
    filled = fill(Counter, grid, on_cell=told.append, watch=Watch(on_progress=lambda *it: progress.append(it)))
    assert told == filled.cells
    assert progress == [(1, 3), (2, 3), (3, 3)]
    assert list(filled.table.BelowBound) == ["holds", "violated", "error"]
    assert filled.table.error[2] == "Size = 60 is not accepted; it takes at most 50"
    assert filled.cells[1].result.distinct == filled.table.distinct[1] == 10
    assert filled.cells[2].result is None
    assert filled.cells[2].trace("BelowBound") is None
    assert not filled.stopped


def test_what_was_checked_before_a_stop_is_kept():
    done = []
    filled = fill(Counter, {"Size": [2, 9, 3]}, on_cell=done.append, watch=Watch(should_stop=lambda: len(done) == 2))
    assert filled.stopped
    assert list(filled.table.BelowBound) == ["holds", "violated", "unknown"]
    assert filled.table.stopped[2] == INTERRUPTED
    assert filled.explain("BelowBound").undecided == [({"Size": 3}, "unknown")]


def test_a_stop_reaches_into_a_check():
    asked = []
    filled = fill(HudiExtended, {"OpLimit": [8, 7]}, watch=Watch(should_stop=lambda: asked.append(1) or len(asked) > 3))
    assert filled.stopped
    assert not filled.table.complete.any()
    assert filled.cells[1].result is None


def test_budgets_are_those_of_each_check():
    filled = fill(Counter, {"Size": [2, 40]}, constants={"Bound": 99}, budget=Budget(states=10))
    assert list(filled.table.BelowBound) == ["holds", "unknown"]


@pytest.mark.parametrize(
    ("grid", "options", "why"),
    [
        ({"Size": 3}, {}, "grid: Size = 3 is not accepted; it takes a list of values"),
        ({"Sizes": [3]}, {}, "unknown constant of counter 'Sizes'"),
        ({"Size": [3]}, {"workers": 0}, "workers = 0 is not accepted; it takes an integer from 1 to 1024"),
        ({"Size": [3]}, {"budget": 5}, "budget = 5 is not accepted; it takes Budget(...)"),
        ({"Size": [3]}, {"properties": ["Nope"]}, "unknown property of counter 'Nope'"),
    ],
)
def test_a_grid_that_is_none(grid, options, why):
    with pytest.raises(InputError) as refused:
        fill(Counter, grid, **options)
    assert why in str(refused.value)


@pytest.mark.slow
def test_a_cell_is_found_by_its_setting(hudi):
    setting = {**hudi.cells[30].setting, "ConcurrencyControl": "pessimistic"}
    assert hudi.at(setting).setting == {**hudi.cells[30].setting, "ConcurrencyControl": 2}
    with pytest.raises(InputError, match="it matches 24 settings of the grid"):
        hudi.at({"UseSalt": True})
    with pytest.raises(InputError, match="unknown constant of the grid 'Keys'"):
        hudi.at({"Keys": 1})


def test_words_and_numbers_are_the_same_setting():
    by_word, by_number = (
        fill(HudiExtended, {"ConcurrencyControl": values}, ["ConsistentRead"], constants={**SMALL, "Keys": 1}).table
        for values in (["none", "optimistic"], [0, 1])
    )
    assert list(by_word.ConcurrencyControl) == list(by_number.ConcurrencyControl) == [0, 1]
    assert list(by_word.ConsistentRead) == list(by_number.ConsistentRead)


@pytest.mark.spark
def test_on_spark_the_table_is_the_same(spark):
    grid, fixed = {"MaxCrashes": [0, 1], "LazyReap": [True, False]}, {"Writers": 2}
    told = []
    there = fill(Bakery, grid, ["UniqueTickets"], constants=fixed, spark=spark, on_cell=told.append)
    here = fill(Bakery, grid, ["UniqueTickets"], constants=fixed)
    pd.testing.assert_frame_equal(there.table.drop(columns="seconds"), here.table.drop(columns="seconds"))
    assert there.table.attrs == here.table.attrs
    assert sorted(told, key=lambda cell: cell.number) == there.cells
    assert check(Bakery(**here.cells[0].constants), ["UniqueTickets"]).distinct == there.table.distinct[0]


@pytest.mark.spark
def test_a_fill_on_spark_can_be_stopped(spark):
    stopped = fill(
        Bakery,
        {"MaxCrashes": [0, 1, 2, 3]},
        constants={"Writers": 4},
        spark=spark,
        watch=Watch(should_stop=lambda: True),
    )
    assert stopped.stopped
    assert "interrupted" in set(stopped.table.stopped)
