"""Random walks: where they go, what they decide, what they count, and that a seed makes them again."""

import inspect
import itertools
import json
import signal
from functools import partial

import numpy as np
import pytest
from campaign import judged
from hypothesis import given
from hypothesis import strategies as st
from random_models import random_model

from tests.command import python
from tests.products import examples
from tests.toys import Steps, Still, Wide
from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.checking.walks import request, shorten, sketch, walker
from workbench.checking.walks.result import WalkRule
from workbench.checking.walks.simulate import simulate
from workbench.checking.walks.walker import Walker
from workbench.commands.cli import main
from workbench.kernel import ModelError, machine_of, replay
from workbench.kernel.meaning.budget import Watch
from workbench.kernel.meaning.plan import make_plan
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.showing import view

RACE = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")


def walker_of(model, rule):
    names = [p.name for p in machine_of(model).select() if p.kind != "liveness"]
    return Walker(make_plan(model, names), rule, model.initial_states())


def behaviours(model, rule, walks):
    """The states of the first walks, each as the model itself makes them."""
    retracing = walker_of(model, rule)
    return [replay(model, *retracing.retrace(number, rule.depth)).states for number in range(walks)]


def told(seen):
    """All of a simulation that does not depend on who made its walks, and how fast."""
    facts = seen.as_dict()
    for name in ("seconds", "workers", "engine", "python_calls"):
        del facts[name]
    return facts, [(v.trace.start, v.trace.moves) for v in seen.verdicts if v.trace is not None]


class Lost(Model):
    """Two counters that go on for ever, and a lock that is forgotten once: no search gets to the end of it."""

    Bystanders = Constant(3, range(1, 9), "counters that have nothing to do with it")
    count = Variable(0, per="bystanders")
    holds = Variable(False, per="processes")
    tries = Variable(0, per="processes")

    def validate(self):
        self.bystanders, self.processes = tuple(range(self.Bystanders)), ("p", "q")

    @action(b="bystanders")
    def count_on(self, s, b):
        s.count[b] += 1

    @action(p="processes")
    def lock(self, s, p):
        require(not s.holds[p], "it has the lock")
        require(s.tries[p] == 3 or not any(s.holds.values()), "somebody has the lock")
        s.holds[p] = True

    @action(p="processes")
    def unlock(self, s, p):
        require(s.holds[p] and s.tries[p] < 3, "it has no lock to give back")
        s.holds[p] = False
        s.tries[p] += 1

    @invariant
    def OneAtATime(self, s):
        return not all(s.holds.values()) or "both have the lock"

    @reachable
    def OneTriedTwice(self, s):
        return 2 in s.tries.values()

    @reachable
    def Backwards(self, s):
        return min(s.count.values()) < 0


class Far(Lost):
    """From the second of its beginnings six is reached in six steps, or, through 20, in three."""

    at = Variable(0)

    @initial
    def begin(self, s):
        s.at = choose((-1, 0))

    @action
    def go(self, s):
        require(s.at >= 0, "no way begins here")
        s.at = choose({0: (1, 1, 20), 20: (5,)}.get(s.at, (s.at + 1,)))

    @invariant
    def NotThere(self, s):
        return s.at != 6


SHORTEST_LOST = 9  # p locks and unlocks three times, then both lock


class Fan(Model):
    """Three beginnings, and from each a single way and a way into nine."""

    n = Variable(0)
    began = Variable(0)

    @initial
    def begin(self, s):
        s.began = choose(range(3))

    @action
    def single(self, s):
        require(s.n == 0, "gone")
        s.n = 1

    @action
    def many(self, s):
        require(s.n == 0, "gone")
        s.n = choose(range(2, 11))


# Where walks go ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", [WalkRule(depth=30), WalkRule(depth=30, uniform="successors"), WalkRule(depth=30, swarm=True)], ids=str
)
@pytest.mark.parametrize("model", [Steps(), RACE, random_model(3)()], ids=repr)
def test_walks_visit_reachable_states_alone(model, rule):
    space, machine = explore(model), machine_of(model)
    reachable_states = {space.state(number).values for number in range(len(space))}
    for states in behaviours(model, rule, 40):
        assert {state.values for state in states} <= reachable_states
        after = [after for instance in machine.instances for _, after in machine.outcomes(instance, states[-1])]
        assert set(after) <= {states[-1]} or len(states) == rule.depth + 1


def test_the_kernels_fingerprints_are_those_of_the_states():
    rule = WalkRule(depth=30, swarm=True)
    seen = simulate(RACE, [], rule=WalkRule(walks=60, depth=30, swarm=True))
    making = walker_of(RACE, rule)
    expected = sketch.empty()
    for states in behaviours(RACE, rule, 60):
        for state in states:
            sketch.observe(expected, making.cells.sums(making.cells.encode(state))[0])
    making.walk(0, 60, lambda: None)
    assert np.array_equal(making.tally.counted.registers, expected)
    assert seen.distinct == sketch.estimate(expected)


def test_walks_that_go_everywhere_count_everything():
    model = Bakery(Writers=2)
    whole, seen = check(model), simulate(model, rule=WalkRule(walks=30_000, swarm=True))
    assert abs(seen.distinct / whole.distinct - 1) < 3 * seen.distinct_error
    assert {a.name for a in seen.actions if a.enabled} == {a.name for a in whole.actions if a.enabled}
    assert seen.never_enabled == whole.never_taken == [a.name for a in seen.actions if a.taken == 0]
    assert sum(action.taken for action in seen.actions) == seen.steps
    assert seen.deadlocked + seen.settled == seen.walks == 30_000
    assert seen.holds is None


def test_what_is_never_enabled_is_never_taken():
    seen = simulate(Steps(), rule=WalkRule(walks=50))
    assert seen.never_enabled == ["fly"]
    assert [(a.name, a.taken) for a in seen.actions] == [("walk", 4 * 50), ("fly", 0)]
    assert "never enabled in these walks: fly" in repr(seen)
    assert "\naction  enabled  taken\nwalk        326    200\nfly           0      0" in repr(seen)
    assert seen.as_dict()["seed"] == seen.rule.seed


def test_uniform_over_actions_or_successors():
    for uniform, share in (("actions", 0.5), ("successors", 0.1)):
        seen = simulate(Fan(), rule=WalkRule(walks=20_000, uniform=uniform))
        taken = {action.name: action.taken for action in seen.actions}
        assert sum(taken.values()) == seen.steps == 20_000
        assert abs(taken["single"] / 20_000 - share) < 0.015  # 4 standard deviations


@pytest.mark.slow
def test_initial_states_and_outcomes_have_the_same_chance():
    retracing = walker_of(Fan(), WalkRule())
    walks = [retracing.retrace(number, 1) for number in range(6000)]
    starts = np.bincount([start for start, _ in walks])
    instances = machine_of(Fan).instances
    outcomes = np.bincount([move.outcome for _, (move,) in walks if instances[move.instance].label == "many"])
    assert len(starts) == 3
    assert len(outcomes) == 9
    assert abs(starts / 2000 - 1).max() < 0.08  # 4 standard deviations
    assert abs(outcomes / outcomes.mean() - 1).max() < 0.22


def test_a_swarms_walks_differ_more():
    plain, swarm = (simulate(Bakery(Writers=2), [], rule=WalkRule(walks=4000, swarm=swarm)) for swarm in (False, True))
    assert swarm.distinct > 1.2 * plain.distinct


def test_walks_end_where_no_step_changes_anything():
    seen = simulate(Still(), rule=WalkRule(walks=30))
    assert (seen.settled, seen.deadlocked) == (30, 0)
    assert [a.name for a in seen.actions if a.taken] == ["reset", "compare", "rest"]


def test_walks_end_after_their_depth():
    seen = simulate(Lost(), [], rule=WalkRule(walks=20, depth=7))
    assert (seen.walks, seen.steps, seen.longest, seen.deadlocked) == (20, 140, 7, 0)


# A seed makes the same walks ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("swarm", [False, True])
def test_the_same_seed_makes_the_same_walks_on_any_number_of_workers(swarm):
    one, *others = (
        simulate(RACE, rule=WalkRule(walks=700, seed=5, swarm=swarm), workers=workers) for workers in (1, 1, 2, 5)
    )
    assert all(told(other) == told(one) for other in others)
    assert one.verdicts[0].holds is False
    assert told(simulate(RACE, rule=WalkRule(walks=700, seed=6, swarm=swarm))) != told(one)


@pytest.mark.spark
def test_the_same_walks_on_spark(spark):
    here = simulate(RACE, rule=WalkRule(walks=300))
    for workers in (1, 3):
        there = simulate(RACE, rule=WalkRule(walks=300), spark=spark, workers=workers)
        assert (there.engine, there.workers) == ("spark", workers)
        assert told(there) == told(here)


@pytest.mark.slow
def test_trees_that_are_begun_anew_make_the_same_walks(monkeypatch):
    whole = simulate(RACE, rule=WalkRule(walks=300), workers=1)
    monkeypatch.setattr(walker, "_TREES", 0)
    assert told(simulate(RACE, rule=WalkRule(walks=300), workers=1)) == told(whole)


# What walks decide -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_violation_in_a_space_that_has_no_end():
    seen = simulate(Lost(), rule=WalkRule(walks=300))
    bad = seen["OneAtATime"]
    assert (bad.word, bad.why) == ("violated", "both have the lock")
    assert replay(seen.model, bad.trace.start, bad.trace.moves).states == bad.trace.states
    assert not any("count_on" in step.label for step in bad.trace.steps), "what has nothing to do with it is left out"
    assert len(bad.trace) == SHORTEST_LOST
    assert (seen["OneTriedTwice"].word, len(seen["OneTriedTwice"].trace)) == ("reached", 5)
    assert seen["Backwards"].word == "unknown"
    assert seen["Backwards"].why == f"not reached in {seen.extent}"
    assert seen.holds is False


@pytest.mark.slow
def test_a_trace_is_shortened_within_its_budget():
    whole, some, most = (
        simulate(Lost(), ["OneAtATime"], rule=WalkRule(walks=300), shorten=states) for states in (0, 300, 10**6)
    )
    lengths = [len(seen["OneAtATime"].trace) for seen in (whole, some, most)]
    assert lengths[0] > lengths[1] >= lengths[2] == SHORTEST_LOST
    assert "a shorter trace may exist" in whole.notes[0]
    assert "no trace is shorter" in most.notes[0]
    for seed in (4, 8, 17):
        far = simulate(Far(), ["NotThere"], rule=WalkRule(walks=2, seed=seed), shorten=300)["NotThere"].trace
        assert (len(far), far.start) == (4, 1), "a short cut has the trace's own beginning"


@pytest.mark.slow
def test_a_trace_that_is_said_to_be_a_shortest_one_is():
    shortest = check(RACE, ["NoLakekeeperConflict"], engine="reference")["NoLakekeeperConflict"].trace_states
    for seed, states in itertools.product(range(4), (3000, 10**6)):
        seen = simulate(RACE, ["NoLakekeeperConflict"], rule=WalkRule(walks=400, seed=seed), shorten=states)
        assert seen["NoLakekeeperConflict"].trace_states >= shortest
        if "no trace is shorter" in seen.notes[0]:
            assert seen["NoLakekeeperConflict"].trace_states == shortest
    assert "no trace is shorter" in seen.notes[0]


@pytest.mark.slow
@given(seed=st.integers(0, 10**6), walks=st.integers(1, 60), states=st.sampled_from([0, 20, 200, 10**5]))
@examples(25)
def test_random_models(seed, walks, states):
    """What walks decide a search of the whole space decides too; what they say of a trace is so."""
    model = machine_of(random_model(seed, actors=2, numbers=2, sets=None)())
    names = judged(model)
    whole = check(model, names, engine="reference")
    seen = simulate(model, names, rule=WalkRule(walks=walks, depth=25, seed=seed, swarm=bool(seed % 2)), shorten=states)
    assert seen.steps <= 25 * walks
    assert set(whole.never_taken) <= set(seen.never_enabled)
    for verdict in seen.verdicts:
        sure = whole[verdict.name]
        assert verdict.holds in (None, sure.holds)
        if verdict.holds is None:
            assert verdict.trace is None
            assert verdict.why.startswith(("not violated in", "not reached in"))
            continue
        assert replay(model, verdict.trace.start, verdict.trace.moves).states == verdict.trace.states
        assert len(verdict.trace) >= sure.trace_states
        if any(note.startswith(f"{verdict.name}: ") and "no trace is shorter" in note for note in seen.notes):
            assert len(verdict.trace) == sure.trace_states


@pytest.mark.slow
def test_steps_refinements_and_the_deadlock():
    """What the search decides of a model with all kinds of properties, walks decide too, with as short traces."""
    model = Steps()
    names = [p.name for p in machine_of(model).properties.values() if p.of_steps]
    whole, seen = (how(model, [*names, "Deadlock"]) for how in (check, partial(simulate, rule=WalkRule(walks=60))))
    assert {v.kind for v in whole.violated} == {"step", "refinement", "deadlock"}
    for sure in whole.verdicts:
        assert seen[sure.name].holds is (None if sure.holds else False)
        assert seen[sure.name].trace_states == sure.trace_states
    kept = simulate(model, [*names, "Deadlock"], rule=WalkRule(walks=60), shorten=0)
    assert [v.word for v in kept.verdicts] == [v.word for v in seen.verdicts]


class Short(Lost):
    """The same within a constraint, and properties that are violated only where it is left."""

    @constraint
    def FewCounted(self, s):
        return sum(s.count.values()) < 5

    @invariant
    def Fewer(self, s):
        return sum(s.count.values()) < 5

    @step
    def NotTheFifth(self, s, t):
        return sum(t.count.values()) < 5


@pytest.mark.slow
def test_walks_end_where_they_leave_a_constraint():
    names = ["OneAtATime", "Fewer", "NotTheFifth", "Backwards"]
    whole, seen = (how(Short(Bystanders=1), names) for how in (check, partial(simulate, rule=WalkRule(walks=500))))
    assert f"walks end where they leave the constraint FewCounted: {seen.outside} walks did" in seen.notes
    assert seen.distinct < (1 + 3 * seen.distinct_error) * whole.distinct, "what is outside is not counted"
    for sure, verdict in zip(whole.verdicts, seen.verdicts, strict=True):
        assert verdict.trace_states == sure.trace_states
        assert (verdict.holds is False) == (verdict.name != "Backwards")
    assert not any("no trace is shorter" in note for note in seen.notes)


@pytest.mark.slow
def test_violations_of_initial_states():
    seen = simulate(Wide(), rule=WalkRule(walks=3000))
    assert seen["Small"].word == "violated"
    assert len(seen["Small"].trace) == 1


def test_liveness_is_not_judged():
    seen = simulate(Steps(), ["EveryoneArrives"], rule=WalkRule(walks=5))
    assert seen["EveryoneArrives"].why == "a walk is finite: liveness is not judged by walks"
    assert seen.holds is None


class Settles(Model):
    """Counts to one, and stays there: what is checked by default is reachable, or liveness."""

    n = Variable(0)

    @action(fair="weak")
    def count(self, s):
        require(s.n == 0, "counted")
        s.n = 1

    @reachable
    def Counted(self, s):
        return s.n == 1

    @liveness
    def Counts(self):
        return eventually(lambda s: s.n == 1)


@pytest.mark.slow
def test_liveness_that_nobody_has_named_does_not_count(tmp_path, capsys):
    note = "not looked at, since a walk is finite and liveness is not: Counts"
    seen = simulate(Settles(), rule=WalkRule(walks=5))
    assert (seen.holds, [verdict.name for verdict in seen.verdicts], seen.notes[0]) == (True, ["Counted"], note)
    assert simulate(Settles(), ["Counted", "Counts"], rule=WalkRule(walks=5)).holds is None
    assert note not in repr(simulate(Settles(), ["Counted"], rule=WalkRule(walks=5)))
    file = tmp_path / "settles.py"
    file.write_text(f"from workbench import *\n\n\n{inspect.getsource(Settles)}")
    command = ["walk", f"{file}:Settles", "--walks", "5"]
    assert main(command) == 0
    assert note in capsys.readouterr().out
    assert main([*command, "--deadlock", "--json"]) == 1  # it stays where it has counted
    told = json.loads(capsys.readouterr().out)
    assert note in told["notes"]
    assert [verdict["name"] for verdict in told["properties"]] == ["Counted", "Deadlock"]
    assert main([*command, "--property", "Counts"]) == 3


def test_liveness_in_a_configuration_does_not_count_either(capsys):
    assert main(["walk", "clean_up_age", "--walks", "5", "--json"]) == 3  # something wanted is not reached
    told = json.loads(capsys.readouterr().out)
    assert "liveness" not in {verdict["kind"] for verdict in told["properties"]}
    assert any(note.startswith("not looked at") for note in told["notes"])


def test_everything_that_was_asked_for_is_reached():
    seen = simulate(Steps(), ["SomebodyArrives"], rule=WalkRule(walks=5))
    assert seen.holds is True
    assert seen["SomebodyArrives"].word == "reached"


@pytest.mark.slow
def test_without_a_limit_walks_end_with_the_first_violation():
    seen = simulate(Lost(), shorten=0)
    assert (seen.stopped, seen["OneAtATime"].word) == ("stopped at the first violation", "violated")
    assert simulate(Lost(), rule=WalkRule(walks=200), shorten=0).walks == 200


def test_fail_fast():
    seen = simulate(Lost(), fail_fast=True, rule=WalkRule(seconds=300))
    assert seen.stopped == "stopped at the first violation"
    assert seen["OneAtATime"].word == "violated"
    assert f"ENDED EARLY: {seen.stopped}" in repr(seen)


# How many different states -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 10, 1000, 20_000, 60_000, 500_000])
def test_the_estimate_is_near_the_count(count):
    """Within four standard errors at all sizes, also where HyperLogLog is biased without Ertl's estimator."""
    registers = sketch.empty()
    fingerprints = np.random.default_rng(count).integers(0, 2**64, count, np.uint64)
    for fingerprint in np.concatenate([fingerprints, fingerprints[: count // 2]]):
        sketch.observe(registers, fingerprint)
    assert abs(sketch.estimate(registers) - count) <= 4 * sketch.ERROR * count


def test_the_estimate_of_walks_is_near_the_exact_number():
    seen = simulate(RACE, [], rule=WalkRule(walks=250))
    exact = len({state.values for states in behaviours(RACE, WalkRule(), 250) for state in states})
    assert abs(seen.distinct / exact - 1) < 3 * seen.distinct_error


# Budgets and stops -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_time_is_a_budget():
    seen = simulate(Lost(), ["Backwards"], rule=WalkRule(seconds=0.5))
    assert seen.stopped is None
    assert seen.seconds >= 0.5
    assert seen["Backwards"].word == "unknown"


def test_a_stop_on_request():
    calls = itertools.count()
    seen = simulate(Lost(), rule=WalkRule(seconds=300), watch=Watch(should_stop=lambda: next(calls) > 3), shorten=0)
    assert seen.stopped == "stopped on request"
    assert all(verdict.holds is not True or verdict.trace for verdict in seen.verdicts)


def test_an_interrupt_keeps_what_was_seen():
    def interrupt(at):
        assert str(at)
        if at.walks and at.decided:
            signal.raise_signal(signal.SIGINT)

    seen = simulate(
        Lost(), ["OneTriedTwice", "Backwards"], rule=WalkRule(seconds=300), watch=Watch(on_progress=interrupt)
    )
    assert seen.stopped == "interrupted"
    assert seen.steps > 0
    assert [v.word for v in seen.verdicts] == ["reached", "unknown"]


def test_a_stop_before_the_first_walk():
    seen = simulate(Wide(), watch=Watch(should_stop=lambda: True))
    assert (seen.stopped, seen.walks, seen.distinct) == ("stopped on request", 0, 0)
    assert [v.word for v in seen.verdicts] == ["unknown"]


@pytest.mark.spark
def test_budgets_on_spark(spark):
    seen = simulate(Lost(), ["Backwards"], rule=WalkRule(seconds=0.5), spark=spark)
    assert seen.stopped is None
    assert seen.seconds >= 0.5
    assert simulate(Lost(), watch=Watch(should_stop=lambda: True), spark=spark).stopped == "stopped on request"


@pytest.mark.slow
def test_more_initial_states_than_are_listed(monkeypatch):
    monkeypatch.setattr(request, "_MOST_STARTS", 100)
    seen = simulate(Wide(), rule=WalkRule(walks=50))
    assert seen.notes == ["walks begin in the first 100 initial states; there are more"]


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"rule": 500}, r"^rule = 500 is not accepted; it takes WalkRule\(...\)$"),
        ({"workers": 0}, "^workers = 0 is not accepted"),
        ({"shorten": -1}, "^shorten = -1 is not accepted"),
        ({"properties": ["Foo"]}, "^unknown property of .* 'Foo'"),
    ],
)
def test_what_is_not_accepted(options, match):
    with pytest.raises(InputError, match=match):
        simulate(Lost(), **options)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"seconds": 0}, "^seconds = 0 is not accepted; it takes a number above 0$"),
        ({"seconds": float("nan")}, "^seconds = nan is not accepted"),
        ({"walks": 0}, "^walks = 0 is not accepted; it takes an integer from 1 to "),
        ({"walks": True}, "^walks = True is not accepted"),
        ({"depth": 0}, "^depth = 0 is not accepted"),
        ({"seed": -1}, "^seed = -1 is not accepted"),
        ({"uniform": "states"}, "^uniform = 'states' is not accepted; it takes actions or successors$"),
    ],
)
def test_rules_that_are_none(given, match):
    with pytest.raises(InputError, match=match):
        WalkRule(**given)


class Broken(Lost):
    @action(b="bystanders")
    def count_on(self, s, b):
        s.count[b] += 1 + 0 // (3 - s.count[b])


def test_a_models_mistake_is_told():
    with pytest.raises(ModelError, match=r"action count_on.*division"):
        simulate(Broken(), rule=WalkRule(walks=100))


@pytest.mark.spark
def test_a_models_mistake_is_told_on_spark(spark):
    with pytest.raises(ModelError, match=r"action count_on.*division"):
        simulate(Broken(), rule=WalkRule(walks=100), spark=spark)


# Shown and printed -------------------------------------------------------------------------------------------------


def test_a_simulation_shows_itself():
    seen = simulate(Steps(), ["Together", "SomebodyArrives", "SomebodyFlies"], rule=WalkRule(walks=40))
    shown = view.simulation_view(seen)
    assert "fly (never enabled)" in shown.html()
    assert shown.text().startswith(repr(seen))
    assert view.walks_chart(seen).series["taken"] == (160, 0)
    assert "holds" not in shown.text()
    assert all(word in shown.html() for word in ("violated", "reached", "unknown", "HyperLogLog"))


@pytest.mark.slow
def test_the_command_and_its_exit_statuses(capsys, tmp_path):
    race = ["--set", "Writers=2", "--set", "StepGranularity=atomic", "--set", "AsyncParquet=true"]
    race = ["walk", "bakery_v2", *race, "--set", "RestampPatch=false", "--walks", "400"]
    assert main([*race, "-o", str(tmp_path / "trace.itf.json")]) == 1
    printed = capsys.readouterr().out
    assert "violated (" in printed
    assert "not violated in 400 walks of up to 200 steps" in printed
    assert "commit" in printed
    assert main(["validate", "bakery_v2", *race[2:10], str(tmp_path / "trace.itf.json")]) == 0
    capsys.readouterr()
    assert main([*race, "--property", "UniqueTickets", "--json"]) == 0
    told_json = json.loads(capsys.readouterr().out)
    assert (told_json["walks"], told_json["properties"][0]["holds"]) == (400, None)
    assert main([*race, "--property", "EveryoneCommits"]) == 0
    assert main([*race, "--property", "UniqueTickets", "--deadlock"]) == 1
    assert "Deadlock: stuck: " in capsys.readouterr().out
    assert main([*race, "--seed", "-3"]) == 2


INTERRUPTED_WHILE_IT_WALKS = """
import os, signal, threading, time

def interrupt():
    while not any(thread.name.startswith("ThreadPoolExecutor") for thread in threading.enumerate()):
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
from workbench.commands.cli import main
raise SystemExit(main(["walk", "bakery_v2", "--max-seconds", "6000", "--property", "UniqueTickets"]))
"""


@pytest.mark.slow
def test_a_process_that_is_interrupted_says_what_it_saw():
    ended = python(INTERRUPTED_WHILE_IT_WALKS)
    assert ended.returncode == 3
    assert "ENDED EARLY: interrupted" in ended.stdout


def test_an_interrupt_while_a_trace_is_shortened_keeps_the_trace(monkeypatch):
    around = shorten.Shortener._around

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        return around(*arguments)

    monkeypatch.setattr(shorten.Shortener, "_around", interrupted)
    seen = simulate(Lost(), ["OneAtATime", "OneTriedTwice"], rule=WalkRule(walks=300))
    assert [v.word for v in seen.verdicts] == ["violated", "reached"]
    assert seen["OneAtATime"].trace is not None
    assert seen["OneTriedTwice"].why == "interrupted before its trace was made"


class Ring(Model):
    """A token goes along a ring; a constant about names says who may keep it."""

    Node = Constant(2, Names("n", range(2, 4)), "who stands on the ring")
    Edges = Constant("ring", Relation("Node"), "to whom a token may go")
    Keepers = Constant(None, Partition("Node"), "who may keep it together")
    at = Variable(lambda model: model.Node[0])

    @action("a, b in Edges")
    def pass_on(self, s, a, b):
        require(s.at == a, f"{a} does not have it")
        s.at = b


def test_constants_about_names_are_told_as_a_check_tells_them():
    model = Ring(Keepers=[["n1"], ["n2"]])
    walked, checked = simulate(model, rule=WalkRule(walks=3, depth=4)).as_dict(), check(model).as_dict()
    assert json.loads(json.dumps(walked))["constants"] == json.loads(json.dumps(checked))["constants"]
