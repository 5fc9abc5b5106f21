"""The in-process engine does what the reference search does: same counts, same verdicts, traces of the same length."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.engines import expander, local, store
from workbench.engines.check import check
from workbench.engines.local import LocalSearch
from workbench.kernel import Constant, Model, ModelError, Names, Variable, action, choose, invariant, reachable, require
from workbench.models.bakery import Bakery
from workbench.models.bakery_v2 import BakeryV2

SAFETY = ["NoLakekeeperConflict", "RollbackNoIceberg", "UniqueTickets", "TicketOrderPreserved"]


def safety_of(model):
    return [p.name for p in model.select() if p.kind != "liveness"]


def summary(result):
    return {
        "levels": result.levels,
        "generated": result.generated,
        "verdicts": [(v.name, v.holds, v.trace_states) for v in result.verdicts],
        "actions": [(a.name, a.enabled, a.generated) for a in result.actions],
    }


def assert_agree(model, symmetry=False, **options):
    names = safety_of(model)
    found = check(model, names, symmetry=symmetry, engine="local", **options)
    wanted = check(model, names, symmetry=symmetry, engine="reference")
    assert summary(found) == summary(wanted)
    return found


@given(
    writers=st.integers(1, 3),
    crashes=st.integers(0, 2),
    startup=st.booleans(),
    reap=st.booleans(),
    symmetry=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_bakery_with_any_constants(writers, crashes, startup, reap, symmetry):
    assert_agree(Bakery(Writers=writers, MaxCrashes=crashes, NodeStartup=startup, LazyReap=reap), symmetry)


@given(
    parts=st.sampled_from([None, [["w1", "w2"]]]),
    lock=st.booleans(),
    crashes=st.integers(0, 1),
    staging=st.booleans(),
    restamp=st.booleans(),
    safe=st.booleans(),
    grain=st.sampled_from(["split", "atomic"]),
    symmetry=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_bakery_v2_with_any_constants(parts, lock, crashes, staging, restamp, safe, grain, symmetry):
    model = BakeryV2(
        Writers=2,
        NodeParts=parts,
        SameNodeLock=lock,
        MaxCrashes=crashes,
        AsyncParquet=staging,
        RestampPatch=restamp,
        SafeAcks=safe,
        StepGranularity=grain,
    )
    assert_agree(model, symmetry)


def table_model(seed):
    """A model with random tables instead of a protocol: actions read, write and choose as the tables say."""
    rng = random.Random(seed)
    cells = [f"c{i}" for i in range(3)]
    actors = ("p1", "p2")
    table = {}

    def entry(kind, values):
        return table.setdefault((kind, values), rng.randrange(1000))

    def step(kind):
        def act(self, s, p):
            seen = (s.own[p],)
            require(entry((kind, "on"), seen) % 3, "the table says no")
            if entry((kind, "more"), seen) % 2:
                seen += (s.shared[cells[entry((kind, "which"), seen) % 3]],)
            if entry((kind, "choice"), seen) % 2:
                seen += (choose(range(entry((kind, "count"), seen) % 3), "n"),)
            s.shared[cells[entry((kind, "cell"), seen) % 3]] = entry((kind, "to"), seen) % 4
            if entry((kind, "step"), seen) % 2:
                s.own[p] = (entry((kind, "own"), seen) % 3, p)

        act.__name__ = kind
        return act

    class Table(Model):
        symmetry = ("Actors",)
        Actors = Constant(list(actors), Names("p", range(1, 3)), "who acts")
        own = Variable(lambda m, p: (0, p), per="Actors")
        shared = Variable(0, per="cells")

        def validate(self):
            self.cells = cells

        @invariant
        def Never(self, s):
            return (s.shared["c0"], s.shared["c2"]) != (2, 3)

        @invariant(c="cells")
        def Bounded(self, s, c):
            return s.shared[c] < 3 or f"{c} is {s.shared[c]}"

        @reachable
        def Both(self, s):
            return all(s.own[p][0] == 2 for p in self.Actors)

    # The tables ask for the names of actors only through `own`, whose first field is all that is looked up.
    def named(kind):
        return action(p="Actors")(step(kind))

    return type("Table", (Table,), {"first": named("first"), "second": named("second")})


@given(st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_random_tables(seed):
    assert_agree(table_model(seed)())


@pytest.mark.parametrize("block", [16, 64])
def test_states_in_many_blocks(monkeypatch, block):
    monkeypatch.setattr(store, "BLOCK", block)
    monkeypatch.setattr(local, "BLOCK", block)
    monkeypatch.setattr(expander, "BLOCK", block)
    assert_agree(Bakery())
    space = LocalSearch(Bakery(), Bakery().select(["UniqueTickets"]), keep_rows=True, keep_edges=True)
    space.run()
    targets, _ = space.transitions()
    assert len(targets) == space.generated - 1 == int(space.store.column("degree").sum())


def test_wide_fingerprints():
    found = assert_agree(Bakery(), fingerprint_bits=128)
    assert found.collision_probability < 1e-30
    assert_agree(Bakery(), symmetry=True, fingerprint_bits=128)


class Wide(Model):
    """One step with more outcomes than the engine's queue has places."""

    n = Variable(0)

    @action
    def jump(self, s):
        require(s.n == 0, "jumped already")
        s.n = choose(range(1, 3000))

    @invariant
    def Small(self, s):
        return s.n < 2990 or f"n is {s.n}"


def test_more_outcomes_than_the_queue_holds():
    result = assert_agree(Wide())
    assert (result.distinct, result["Small"].trace_states, result["Small"].why) == (3000, 2, "n is 2990")


class Still(Model):
    """An action that reads nothing, and one that can never happen."""

    n = Variable(0)

    @action
    def reset(self, s):
        s.n = 1

    @action
    def never(self, s):
        require(False, "never")


def test_actions_without_reads():
    result = assert_agree(Still())
    assert (result.distinct, result.never_taken) == (2, ["never"])


def test_a_budget_gives_an_honest_partial_result():
    result = check(Bakery(), SAFETY, max_states=1000)
    assert result.distinct == 1000
    assert not result.complete
    assert {v.holds for v in result.verdicts} == {None}
    assert "1,000 states" in result.stopped
    assert check(Bakery(), SAFETY, max_bytes=1).stopped.startswith("the budget of 0 MiB")
    assert check(Bakery(), SAFETY, max_seconds=1e-9).stopped.startswith("the budget of 1e-09 seconds")


def test_a_violation_found_before_the_budget_ran_out_counts():
    race = BakeryV2(StepGranularity="atomic", AsyncParquet=True, RestampPatch=False)
    full = check(race, SAFETY)
    part = check(race, SAFETY, max_states=full.distinct - 10)
    assert part["NoLakekeeperConflict"].trace_states == full["NoLakekeeperConflict"].trace_states == 17
    assert part["UniqueTickets"].holds is None


def test_fail_fast_stops_at_a_shortest_violation():
    race = BakeryV2(StepGranularity="atomic", AsyncParquet=True, RestampPatch=False)
    result = check(race, SAFETY, fail_fast=True)
    assert not result.complete
    assert result["NoLakekeeperConflict"].trace_states == 17


def test_stop_keeps_what_was_found():
    calls = []
    result = check(BakeryV2(), SAFETY, should_stop=lambda: calls.append(1) or len(calls) > 5)
    assert not result.complete
    assert 0 < result.distinct < 124_212
    assert result.stopped == "stopped on request"


def test_an_interrupt_keeps_what_was_found():
    def interrupt(progress):
        if progress.level == 6:
            raise KeyboardInterrupt

    result = check(BakeryV2(), SAFETY, on_progress=interrupt)
    assert (result.stopped, result.complete, result["UniqueTickets"].holds) == ("interrupted", False, None)


def test_traces_replay_and_end_in_the_violation():
    race = BakeryV2(StepGranularity="atomic", AsyncParquet=True, RestampPatch=False)
    verdict = check(race, SAFETY)["NoLakekeeperConflict"]
    (instance,) = race.predicates("NoLakekeeperConflict")
    assert [instance.judge(state) is True for state in verdict.trace.states] == [True] * 16 + [False]
    assert "HTTP 409" in verdict.why


def test_impure_actions_are_found_out():
    class Random(Still):
        @action
        def roll(self, s):
            s.n = random.randrange(10**9)

    with pytest.raises(ModelError, match="roll is not a function of the state"):
        check(Random())


def test_a_trace_that_the_model_does_not_repeat_is_an_error():
    class Drifting(Model):
        n = Variable(0)
        drift = [0]

        @action
        def count(self, s):
            require(s.n < 20, "enough")
            s.n += 1 + self.drift[0]

        @invariant
        def Small(self, s):
            return s.n != 7

    model = Drifting()
    search = LocalSearch(model, model.select())
    search.run()
    Drifting.drift[0] = 1
    with pytest.raises(ModelError, match="the model is not pure"):
        search.safety_verdicts()


def test_a_property_may_not_assign():
    class Assigning(Still):
        @invariant
        def Assigns(self, s):
            s.n = 3
            return True

    with pytest.raises(ModelError, match=r"only an action may assign|assigns to the state"):
        check(Assigning())
