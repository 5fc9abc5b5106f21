"""What Python was called for: read off the trees, shown as a table and as bars, and remarked on where it is much."""

import json
import re
from dataclasses import replace

import pytest

from workbench.checking.check import check
from workbench.checking.contract import Auto, Spark
from workbench.checking.local.search import LocalSearch
from workbench.checking.trees.profile import Cost, Profile, joined
from workbench.commands.cli import main
from workbench.kernel.meaning.budget import Budget, Limits
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.steps import Subject
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.showing import view


class Walkers(Model):
    """Three walkers with four places each: 64 states."""

    walkers = ("p1", "p2", "p3")
    at = Variable(0, per="walkers")
    resting = Variable(False)

    @action(p="walkers")
    def walk(self, s, p):
        require(s.at[p] < 3, "at the end")
        s.at[p] += 1

    @invariant(p="walkers")
    def OnTheWay(self, s, p):
        return 0 <= s.at[p] <= 3

    @invariant
    def InOrder(self, s):
        return all(at < 4 for at in s.at.values())

    @invariant
    def Awake(self, s):
        return not s.resting

    @reachable
    def Arrives(self, s):
        return s.at["p1"] == 3

    @liveness
    def Starts(self):
        return leads_to(lambda s: s.at["p1"] == 1, lambda s: s.at["p1"] > 0)


def costs(result):
    return {cost.subject.label: cost for cost in result.profile.costs}


def test_the_profile_counted_by_hand():
    """A call for each value of the cells that are read, and no more."""
    result = check(Walkers(), engine="local")
    found = costs(result)
    assert {label: (c.instances, c.calls, c.widest) for label, c in found.items()} == {
        "walk": (3, 12, 1),
        "OnTheWay": (3, 12, 1),
        "InOrder": (1, 64, 3),
        "Awake": (1, 1, 1),
        "Arrives": (1, 4, 1),
        "Starts.trigger": (1, 4, 1),
        "Starts.goal": (1, 4, 1),
    }
    profile = result.profile
    assert (profile.states, profile.calls) == (64, sum(c.calls for c in found.values()))
    assert profile.per_thousand(found["InOrder"]) == 1000
    assert profile.variables(found["walk"]) == "at (3)"
    assert profile.variables(found["Awake"]) == "resting"
    assert profile.by_calls[0] == found["InOrder"]


@pytest.mark.parametrize("symmetry", [False, True])
def test_every_call_is_accounted_for(symmetry):
    result = check(Bakery(Writers=2), ["UniqueTickets", "SomeoneCommits"], symmetry=symmetry, engine="local")
    assert result.profile.calls == result.figures["python_calls"] > 100
    assert 0 < sum(cost.bytes for cost in result.profile.costs) <= result.figures["tree_bytes"]
    assert result.profile.states == result.distinct


def test_steps_constraints_and_sets_are_accounted_for_too():
    class Bounded(Walkers):
        met = SetOf("walkers")

        @action(p="walkers")
        def meet(self, s, p):
            require(p not in s.met, "met already")
            s.met |= {p}

        @step(of="walk")
        def Onwards(self, s, t):
            return all(t.at[p] >= s.at[p] for p in self.walkers)

        @constraint
        def Near(self, s):
            return s.at["p1"] < 3

    result = check(Bounded(), ["Onwards", "InOrder", "Awake", "Deadlock"], engine="local")
    found = costs(result)
    assert result.profile.calls == result.figures["python_calls"]
    assert {"Onwards", "Near", "Awake", "meet"} <= found.keys()
    assert result.profile.variables(found["Onwards"]) == "at (3)"
    assert (found["meet"].calls, found["meet"].widest) == (6, 1)
    assert result.profile.variables(found["meet"]) == "met (3)"


def test_a_search_that_was_stopped_has_a_profile_too():
    result = check(Walkers(), engine="local", budget=Budget(states=20))
    assert (result.complete, result.profile.states) == (False, 20)


def test_the_reference_has_none_since_it_runs_everything():
    assert check(Walkers(), engine="reference").profile is None


def test_profiles_of_processes_add_up():
    one = (Cost(Subject("action", "walk"), 3, 5, 100, 1, frozenset({0, 1})),)
    other = (
        Cost(Subject("action", "walk"), 3, 7, 80, 2, frozenset({1, 2})),
        Cost(Subject("liveness", "Starts", "goal"), 1, 1, 8, 1, frozenset({3})),
    )
    walk, goal = joined([one, other])
    assert walk == Cost(Subject("action", "walk"), 3, 12, 180, 2, frozenset({0, 1, 2}))
    assert goal == other[1]


@pytest.mark.spark
@pytest.mark.parametrize("engine", [Spark(), Auto(hand_over_states=3)], ids=["spark", "hand-over"])
def test_on_spark_each_process_has_trees_and_calls_of_its_own(spark, engine):
    model, names = Walkers(), ["OnTheWay", "InOrder", "Awake"]
    here, there = (
        costs(check(model, names, engine="local")),
        costs(check(model, names, engine=replace(engine, session=spark))),
    )
    assert here.keys() == there.keys()
    for label, cost in here.items():
        assert there[label].reads == cost.reads
        assert there[label].widest == cost.widest
        assert there[label].calls >= cost.calls - 1  # the driver judges the initial state without a tree


class SevenWalkers(Model):
    """With four places each: 16,384 states."""

    walkers = tuple(f"p{i}" for i in range(7))
    at = Variable(0, per="walkers")

    @action(p="walkers")
    def walk(self, s, p):
        require(s.at[p] < 3, "at the end")
        s.at[p] += 1


@pytest.mark.slow
def test_what_is_called_for_most_states_is_remarked_on():
    """An invariant that reads everything: a call for each of 16,384 states. Its parameters would do with 28."""

    class Many(SevenWalkers):
        @invariant
        def Whole(self, s):
            return sum(s.at.values()) <= 21

        @invariant(p="walkers")
        def Each(self, s, p):
            return s.at[p] <= 3

    result = check(Many(), engine="local")
    (remark,) = result.notes
    assert remark.startswith(
        "invariant Whole is called for most states: 16,384 calls for 16,384 states, since it reads"
    )
    assert "up to 7 of 7 cells" in remark
    assert check(Many(), ["Each"], engine="local").notes == []
    assert check(Many(), engine="local", budget=Budget(states=15_000)).notes[0].startswith("invariant Whole is called")


@pytest.mark.slow
def test_many_calls_in_all_are_remarked_on_though_nothing_is_called_for_most_states():
    """Five invariants leave a walker out each: 4,096 calls each, and 28 for walking and for what reads one walker."""

    def without(left_out):
        def without(self, s):
            return sum(s.at[p] for p in self.walkers if p != left_out) <= 18

        return invariant(without)

    class Many(SevenWalkers):
        A, B, C, D, E = (without(f"p{i}") for i in range(5))

    (remark,) = check(Many(), ["A", "B", "C", "D", "E"], engine="local").notes
    assert remark.startswith(
        "Python is called often: 20,508 calls for 16,384 states (1.3 calls per state), most of them for "
        "invariant A, invariant B, invariant C; the profile shows"
    )
    assert check(Many(), ["A", "B", "C", "D"], engine="local").notes == []


def test_many_calls_that_are_good_for_many_states_are_not_remarked_on():
    cost = Cost(Subject("action", "walk"), 1, 20_000, 100, 1, frozenset({0}))
    cells = check(Walkers(), engine="local").profile.cells
    assert [bool(Profile(states, cells, (cost,)).remarks) for states in (199_999, 200_000)] == [True, False]


def test_little_is_not_remarked_on_however_often_it_is_called():
    assert check(Walkers(), engine="local").notes == []


# What holds, and says nothing -----------------------------------------------------------------------------------------


class Idle(Model):
    """Properties that hold because they ask for nothing, and some that do not."""

    Nobody = Constant(False, bool, "there is nobody")
    n = Variable(0)

    def crowd(self):
        return () if self.Nobody else ("m",)

    @action
    def up(self, s):
        require(s.n < 2, "enough")
        s.n += 1

    @invariant
    def Blind(self, s):
        return 1 + 1 == 2

    @invariant(m="crowd")
    def Seeing(self, s, m):
        return s.n < 3

    @invariant
    def Switched(self, s):
        return not self.Nobody or s.n < 3

    @liveness
    def NeverDue(self):
        return leads_to(lambda s: s.n == 7, lambda s: s.n == 8)

    @liveness
    def DueAlready(self):
        return leads_to(lambda s: s.n == 1, lambda s: s.n > 0)

    @liveness
    def AtOnce(self):
        return eventually(lambda s: s.n == 0)

    @liveness
    def Again(self):
        return always_eventually(lambda s: s.n < 3)

    @liveness
    def Stays(self):
        return eventually_always(lambda s: s.n < 3)

    @liveness(m="crowd")
    def Moves(self, m):
        return eventually(lambda s: s.n >= 0 if self.Nobody else s.n < 2)


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_holds_and_says_nothing_is_told_with_the_verdict(engine):
    result = check(Idle(), engine=engine)
    assert result.holds
    already = "it asks for nothing: its goal is true already wherever it is due"
    assert {v.name: v.why for v in result.verdicts} == {
        "Blind": "it reads nothing of the state",
        "Seeing": None,
        "Switched": None,
        "NeverDue": "it asks for nothing: its trigger is never true",
        "DueAlready": already,
        "AtOnce": already,
        "Again": already,
        "Stays": already,
        "Moves": already,
    }
    nobody = check(Idle(Nobody=True), ["Seeing", "Moves"], engine=engine)
    assert [v.why for v in nobody.verdicts] == 2 * [
        "it says nothing: its parameters have no values with these constants"
    ]


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_what_asks_for_something_is_not_told_so(engine):
    result = check(Bakery(Writers=2, MaxCrashes=1), engine=engine)
    assert [v.why for v in result.verdicts if v.holds] == [None] * sum(v.holds for v in result.verdicts)


def test_a_violated_property_says_what_is_wrong_alone():
    class Wrong(Idle):
        @invariant
        def Blind(self, s):
            return False

    assert check(Wrong(), ["Blind"])["Blind"].why == "it is false"


# Shown ----------------------------------------------------------------------------------------------------------------


def test_the_chart_and_the_table_show_the_most_called_first():
    profile = check(Walkers(), engine="local").profile
    chart = view.profile_chart(profile)
    assert chart.categories[0] == "InOrder"
    assert chart.series["calls"][0] == 64
    assert sum(chart.series["calls"]) == profile.calls
    assert "101 calls of Python for 64 states, 1.6 calls per state" in chart.title
    assert "InOrder" in chart.svg()
    table = view.profile_table(profile)
    assert table.text().splitlines()[2].split()[:5] == ["InOrder", "invariant", "64", "1,000.0", "588"]
    assert '<td class="wb-number">1,000.0</td>' in table.html()
    assert view.profile_view(profile).html().count("<svg") == 1


def test_a_profile_prints_itself():
    lines = repr(check(Walkers(), engine="local").profile).splitlines()
    assert lines[0] == "101 calls for 64 states: 1.6 calls per state"
    assert lines[1].split() == ["64", "invariant", "InOrder", "reads", "at", "(3)"]


def test_a_profile_of_nothing():
    nothing = Profile(0, (), ())
    assert (nothing.calls, nothing.states_per_call, nothing.often) == (0, 0, [])
    assert view.profile_chart(nothing).svg()


def test_the_command_line_prints_it(capsys):
    assert main(["check", "bakery", "--set", "Writers=2", "--profile", "--property", "UniqueTickets"]) == 0
    out = capsys.readouterr().out
    assert "Profile: " in out
    assert "invariant UniqueTickets" in out
    assert main(["check", "bakery", "--set", "Writers=2", "--profile", "--json"]) == 0
    profile = json.loads(capsys.readouterr().out)["profile"]
    assert sum(cost["calls"] for cost in profile["costs"]) == profile["calls"]
    assert {"kind", "name", "part", "calls", "bytes", "reads"} <= profile["costs"][0].keys()
    assert main(["check", "bakery", "--set", "Writers=2", "--json"]) == 0
    assert "profile" not in json.loads(capsys.readouterr().out)


def test_nor_does_the_command_line_claim_one_where_there_is_none(capsys):
    assert main(["check", "bakery", "--set", "Writers=2", "--engine", "reference", "--profile"]) == 0
    assert "no profile: the reference engine runs everything in every state" in capsys.readouterr().out


def test_configurations_have_one_each(capsys):
    paths = ["specs/bakery/v1_one_writer.toml", "specs/bakery/documented_v1.toml"]
    assert main(["check", *paths, "--profile"]) == 0
    assert capsys.readouterr().out.count("Profile: ") == 2


def test_a_report_has_the_chart():
    result = check(Walkers(), engine="local")
    assert "What Python was called for" in view.report(result)
    assert "What Python was called for" not in view.report(check(Walkers(), engine="reference"))


# Errors ---------------------------------------------------------------------------------------------------------------


def test_a_predicate_that_is_no_function_of_the_state_is_named():
    """It reads one cell at first, and then another one: there is no tree for that."""
    asked = []

    def fickle(self, s):
        asked.append(1)
        return (s.at["p1"] if len(asked) % 2 else s.at["p2"]) < 9

    class Fickle(Walkers):
        Fickle = invariant(fickle)

    searching = LocalSearch(make_plan(Fickle(), ["Fickle"]))
    searching.run(Limits())
    assert re.search(r"invariant Fickle \(test_profile.py:\d+\) is not a function of the state", str(searching.error))
