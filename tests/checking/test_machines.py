"""Engines ask for a machine, and for nothing else: one that no class of the modelling language stands behind."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from tests import ring
from tests.ring import Ring
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.following.validate import validate
from workbench.checking.questions.variants import beginning_in, variant
from workbench.checking.spaces.space import explore
from workbench.checking.walks.result import WalkRule
from workbench.checking.walks.simulate import simulate
from workbench.formats.recording import Observation, Recording
from workbench.kernel import Constant, Model, Names, Variable, action, invariant, leads_to, liveness, require
from workbench.showing.view import trace_view

LANGUAGE = {"declare", "instances", "model", "of_class", "oversights", "refinement", "language"}


class RingClass(Model):
    """The same protocol in the modelling language, whose processes have one fairness condition each."""

    Members = Constant(3, Names("p", range(1, 6)), "the processes, in the order of the ring")
    token = Variable(lambda model: model.Members[0])
    asks = Variable(False, per="Members")

    @action(p="Members")
    def ask(self, s, p):
        require(not s.asks[p], "it asks already")
        s.asks[p] = True

    @action(p="Members", fair="weak")
    def pass_on(self, s, p):
        require(s.token == p, "another one has the token")
        s.token = self.Members[(self.Members.index(p) + 1) % len(self.Members)]
        s.asks[p] = False

    @invariant
    def OneAsks(self, s):
        return sum(s.asks.values()) < 2

    @liveness(p="Members")
    def IsServed(self, p):
        return leads_to(lambda s: s.asks[p], lambda s: not s.asks[p])


def told(result):
    verdicts = [(v.name, v.word, v.trace_states, v.why) for v in result.verdicts]
    traces = [v.trace and [step.label for step in v.trace.steps] for v in result.verdicts]
    return result.levels, result.generated, verdicts, traces


def test_it_imports_nothing_of_the_language():
    modules = [
        node.module for node in ast.walk(ast.parse(Path(ring.__file__).read_text())) if isinstance(node, ast.ImportFrom)
    ]
    assert not [name for name in modules if name.rpartition(".")[2] in LANGUAGE or name == "workbench.kernel"]


@pytest.mark.parametrize("members", [2, 3, 5])
@pytest.mark.parametrize("engine", ["reference", "local", "auto"])
def test_it_is_searched_like_a_class(engine, members):
    result = check(Ring(Members=members), engine=engine)
    assert told(result) == told(check(RingClass(Members=members), engine=engine))
    assert (result.distinct, [v.word for v in result.verdicts]) == (members * 2**members, ["violated", "holds"])


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_its_symmetry_is_its_own(engine):
    """A ring may be turned; a class of the language would take any renaming of its members."""
    turned = check(Ring(Members=4), ["OneAsks"], symmetry=True, engine=engine)
    assert turned.distinct == check(Ring(Members=4), ["OneAsks"]).distinct / 4


@pytest.mark.parametrize("engine", ["reference", "local"])
def test_a_condition_that_counts_some_steps_alone_is_kept_apart(engine):
    """Without the first conditions nobody has to pass the token on before it is asked for."""

    class Lazy(Ring):
        @property
        def fairness(self):
            every = super().fairness
            half = len(every) // 2
            return [*(replace(one, actions=frozenset()) for one in every[:half]), *every[half:]]

    assert check(Ring(Members=2), ["IsServed"], engine=engine)["IsServed"].holds
    refused = check(Lazy(Members=2), ["IsServed"], engine=engine)["IsServed"]
    assert (refused.holds, refused.trace_states, refused.trace.back) == (False, 2, None)


class Asked(Ring):
    """Passing on is enabled wherever anybody asks, so that it is due for who has no token, too."""

    @property
    def fairness(self):
        every = super().fairness[: len(self.constants["Members"])]
        return [replace(one, enabled=lambda s: any(s.asks.values())) for one in every]


class Never(Asked):
    fairness = property(lambda self: [replace(one, enabled=lambda s: False) for one in super().fairness])


@pytest.mark.parametrize("engine", ["reference", "local", pytest.param("spark", marks=pytest.mark.spark)])
def test_a_condition_may_say_where_it_is_enabled(engine, request):
    """One that is enabled where none of its steps is makes more behaviours unfair; one that never is, none."""
    engine = Spark(session=request.getfixturevalue("spark")) if engine == "spark" else engine
    assert check(Asked(Members=3), ["IsServed"], engine=engine)["IsServed"].holds
    refused = check(Never(Members=3), ["IsServed"], engine=engine)["IsServed"]
    assert (refused.holds, refused.trace_states) == (False, 2)


@pytest.mark.spark
def test_it_is_searched_on_spark(spark):
    *found, traces = told(check(Ring(Members=4), engine=Spark(session=spark)))
    *expected, others = told(check(Ring(Members=4), engine="local"))
    assert found == expected
    assert [trace and len(trace) for trace in traces] == [trace and len(trace) for trace in others]


def test_questions_walks_and_pictures_take_it():
    machine = Ring(Members=3)
    space = explore(machine)
    assert len(space) == 24
    walked = simulate(machine, ["OneAsks"], rule=WalkRule(walks=20, seed=1))
    assert walked["OneAsks"].word == "violated"
    trace = check(machine, ["OneAsks"])["OneAsks"].trace
    recording = Recording([Observation({0: "p1"}), Observation({1: True, 2: True}, steps=2)])
    assert validate(machine, recording, stutter=True).holds
    assert "asks[p1]" in trace_view(trace).html()
    late = beginning_in(machine, [space.state(20)])
    assert check(late, engine="local").distinct == 24
    busy = variant(machine, AllAsk=ring.Invariant("AllAsk", lambda ring, s: not all(s.asks.values())))
    assert check(busy, ["AllAsk"], engine="reference")["AllAsk"].trace_states == 4
