"""What the bakeries add to the published models: off by default, alive when on, and broken when a line is broken."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.behaviours import steps_of
from tests.places import ROOT
from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.kernel import InputError, action, require
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.v2 import BakeryV2, Claim
from workbench.protocols.bakery.v2_as_built import BakeryV2AsBuilt
from workbench.protocols.bakery.v2_extended import BakeryV2Extended
from workbench.registry import configurations

SPECS = ROOT / "specs" / "bakery"
SAFETY = ["NoLakekeeperConflict", "RollbackNoIceberg", "UniqueTickets", "TicketOrderPreserved"]
SHARED = {"Writers": ["a1", "a2", "b1"], "NodeParts": [["a1", "a2"], ["b1"]], "StepGranularity": "atomic"}
RACE = {"AsyncParquet": True, "RestampPatch": False, "StepGranularity": "atomic"}
ONE_RESTART = {"Writers": 2, "MaxCrashes": 1, "MaxRestarts": 1}


def verdict(model, name):
    """Such as ``violated 19``; the verdict on one property, and the states of its trace."""
    judged = check(model, [name])[name]
    return judged.word if judged.trace_states is None else f"{judged.word} {judged.trace_states}"


def ends(space):
    """The states in which nothing can happen."""
    return sorted(set(range(len(space))) - set(space.sources.tolist()))


def small(model, most=4000):
    """The model, if it has so many states at most: the few large ones would take nearly all of the time."""
    assume(check(model, [], max_states=most).complete)
    return model


# On and off ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("published", "extended"),
    [
        (BakeryExtended(), BakeryExtended(MaxRestarts=1)),
        (
            BakeryV2Extended(MaxCrashes=1, MaxSkew=1, MaxSuspicions=1, ReleaseTransaction=True),
            BakeryV2Extended(
                MaxCrashes=1,
                MaxTickets=12,
                MaxSkew=1,
                MaxSuspicions=1,
                ReleaseTransaction=True,
                MaxRestarts=1,
                MaxRetries=1,
                MaxRounds=2,
                ClaimTimeout=True,
                UserTable=True,
            ),
        ),
    ],
    ids=["bakery", "bakery_v2"],
)
def test_an_extension_brings_what_its_constant_switches_on(published, extended):
    elsewhere = {"drain_forward", "drain_delete", "restart_server"}
    assert set(extended.actions) == set(extended.declared.actions) - elsewhere
    forgotten = {"OneTable", "OneHistory"} if extended.declared.constants.keys() & {"MaxRounds"} else set()
    assert set(extended.properties) == set(extended.declared.properties) - forgotten, "rounds forget what was told"
    later = {"restart", "clean_up", "retry", "next_round", "time_out", "replicate_row"}
    assert set(extended.actions) - set(published.actions) == later & set(extended.declared.actions)
    assert {p.name for p in extended.select()} - {p.name for p in published.select()} == (
        set(extended.properties) - set(published.properties)
    )


# Restarts ----------------------------------------------------------------------------------------------------------


def test_a_restarted_writer_begins_again_with_nothing_but_its_old_claim():
    model = BakeryV2Extended(**ONE_RESTART, AsyncParquet=True)
    space = explore(model, SAFETY)
    restarts = [t for t, n in enumerate(space.instances) if model.instances[n].action.name == "restart"]
    assert restarts
    for t in restarts:
        (w,) = model.instances[space.instances[t]].arguments
        before, after = space.state(space.sources[t]), space.state(space.targets[t])
        assert before.crashed[w]
        assert before.decision[w] is None
        changed = {str(change.cell) for change in before.changes_to(after)}
        allowed = {f"{name}[{w}]" for name in ("crashed", "pc", "my_ticket", "parent_seen", "parent_staged")}
        assert changed <= allowed | {"restart_budget"}, "neither the queue nor the crash budget"
        assert (after.crashed[w], after.pc[w], after.my_ticket[w]) == (False, "CleanUp", 0)
        assert (after.parent_seen[w], after.parent_staged[w]) == (0, 0)


def test_restarts_are_owed_by_nobody():
    for model in (BakeryExtended(MaxRestarts=1), BakeryV2Extended(**ONE_RESTART, UserTable=True)):
        fair = frozenset().union(*(condition.actions for condition in model.fairness()))
        unfair = {instance.action.name for instance in model.instances if instance.number not in fair}
        assert unfair == {"restart", "all_done"} if isinstance(model, BakeryExtended) else {"restart", "replicate_row"}


def test_tickets_may_not_run_out():
    with pytest.raises(InputError, match=r"^MaxTickets = 3 is not accepted with MaxRestarts = 1 .* at least 4, so"):
        BakeryV2Extended(MaxTickets=3, MaxCrashes=1, MaxRestarts=1)
    with pytest.raises(InputError, match=r"^MaxTickets = 6 is not accepted .* MaxRetries = 2; it takes at least 9, so"):
        BakeryV2Extended(MaxRetries=2)
    assert BakeryV2Extended(MaxTickets=3, MaxRestarts=1).tickets == (1, 2, 3), "without a crash nobody restarts"


def broken(model, **methods):
    """A subclass of `model` with other methods; an action is given as the function that it runs."""
    declared = {**model.declared.actions, **model.declared.properties}
    return type(
        "Broken", (model,), {n: replace(declared[n], function=f) if n in declared else f for n, f in methods.items()}
    )


def test_mutant_decided_writers_restart():
    def restart(self, s, w):
        s.decision[w] = None
        BakeryExtended.restart.function(self, s, w)

    good, bad = (
        BakeryExtended(Writers=2, MaxRestarts=1),
        broken(BakeryExtended, restart=restart)(Writers=2, MaxRestarts=1),
    )
    assert verdict(good, "RollbackNoIceberg") == "holds"
    assert verdict(bad, "RollbackNoIceberg").startswith("violated")


def test_mutant_clean_up_forgets_deferrals_without_serving_them():
    def clean_up(self, s, w):
        kept = dict(s.acks)
        BakeryV2Extended.clean_up.function(self, s, w)
        for ticket, acks in kept.items():
            s.acks[ticket] = acks

    bad = broken(BakeryV2Extended, clean_up=clean_up)(**ONE_RESTART)
    assert verdict(BakeryV2Extended(**ONE_RESTART), "NonCrashedProgress") == "holds"
    assert verdict(bad, "NonCrashedProgress").startswith("violated")


def test_mutant_clean_up_spares_mates_that_died():
    """Two crashes on one node: the writer that comes back must also remove the claim of the one that does not."""
    budgets = {"MaxCrashes": 2, "MaxRestarts": 1}

    def is_stale(self, s, claim, w):
        return claim.writer == w

    def heals(model):
        """Whether a2 can commit by its restart after a1 has died with a claim."""
        space = explore(model, SAFETY)
        return bool(
            space.where(
                lambda s: (
                    s.crashed["a1"]
                    and s.decision["a1"] is None
                    and s.my_ticket["a1"] == 1
                    and s.restart_budget == 0
                    and s.decision["a2"] == catalog.COMMITTED
                    and s.my_ticket["a2"] > 1
                )
            ).any()
        )

    assert heals(BakeryV2Extended(**SHARED, **budgets))
    assert not heals(broken(BakeryV2Extended, is_stale=is_stale)(**SHARED, **budgets))


def test_mutant_an_orphan_of_the_restarted_writer_stays_in_v1():
    def node_startup(self, s, w):
        s.pc[w] = "BeginClaim"

    assert verdict(BakeryExtended(MaxRestarts=1), "RestartsHeal") == "holds"
    assert verdict(broken(BakeryExtended, node_startup=node_startup)(MaxRestarts=1), "RestartsHeal").startswith(
        "violated"
    )


# Retries -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("writers", "retries", "ends"), [(2, 1, True), (3, 1, False), (3, 2, True)])
def test_a_409_for_each_other_writer_is_the_most(writers, retries, ends):
    model = BakeryV2Extended(Writers=writers, MaxTickets=9, MaxRetries=retries, **RACE)
    assert (verdict(model, "NobodyEndsWithConflict") == "holds") is ends
    assert verdict(model, "NoLakekeeperConflict").startswith("violated"), "a retry does not hide the 409"


def test_a_retry_takes_a_new_ticket():
    model = BakeryV2Extended(Writers=2, MaxRetries=1, **RACE)
    witness = check(model, ["RetriedWriterCommits"])["RetriedWriterCommits"].trace
    labels = [step.label for step in witness.steps]
    (w,) = [label[6:8] for label in labels if label.startswith("retry(")]
    assert [label.startswith(f"begin_claim({w},") for label in labels].count(True) == 2
    assert witness.last.iceberg[-1].ticket == 3
    assert witness.last.retries_left[w] == 0


def test_mutant_a_retry_skips_the_staging():
    def retry(self, s, w):
        staged = s.parent_staged[w]
        BakeryV2Extended.retry.function(self, s, w)
        s.parent_staged[w] = staged
        s.pc[w] = "BeginClaim"

    bad = broken(BakeryV2Extended, retry=retry)(Writers=2, MaxRetries=1, **RACE)
    assert verdict(bad, "NobodyEndsWithConflict").startswith("violated")


# Rounds ------------------------------------------------------------------------------------------------------------


def test_each_writer_takes_all_its_passes_with_a_ticket_for_each():
    model = BakeryV2Extended(Writers=2, MaxRounds=3, Rollbacks=False, StepGranularity="atomic")
    space = explore(model, [*SAFETY, "SurvivorsFinish"])
    assert not space.result.violated
    histories = {tuple(snapshot.ticket for snapshot in space.state(n).iceberg) for n in ends(space)}
    assert histories == {(0, 1, 2, 3, 4, 5, 6)}, "nobody stops before the third commit"


def values_of(space, rows, *left_out):
    """Rows of a space as values, without some variables; not as text, which has equal sets in different orders."""
    keep = [i for i, cell in enumerate(space.model.layout.cells) if cell.variable not in left_out]
    columns = [space.values[i] for i in keep]
    return {tuple(c[n] for c, n in zip(columns, row, strict=True)) for row in rows[:, keep].tolist()}


def test_the_first_round_is_the_published_pass():
    once, twice = BakeryV2Extended(Writers=2), BakeryV2Extended(Writers=2, MaxRounds=2)

    def first_pass(model):
        space = explore(model, SAFETY)
        first = space.where(lambda s: all(left == model.MaxRounds - 1 for left in s.rounds_left.values()))
        return values_of(space, space.rows[first], "rounds_left", "acks")

    assert first_pass(twice) == first_pass(once)


def test_there_are_tickets_for_thousands_of_rounds():
    model = BakeryV2Extended(Writers=3, MaxRounds=3000, Rollbacks=False)
    assert len(model.tickets) == 9000
    assert len(model.instances) == len(BakeryV2Extended(Writers=3, MaxRounds=2, Rollbacks=False).instances)
    with pytest.raises(InputError, match=r"^MaxTickets = 3 is not accepted .* MaxRetries = 2; it takes at least 4, so"):
        BakeryV2Extended(Writers=3, MaxTickets=3, MaxRounds=6, MaxRetries=2)


def test_mutant_a_round_goes_on_with_the_old_ticket():
    def begin_again(self, s, w):
        ticket = s.my_ticket[w]
        BakeryV2Extended.begin_again(self, s, w)
        s.my_ticket[w], s.claims[self.node_of[w]] = ticket, s.claims[self.node_of[w]] | {Claim(ticket, w)}
        s.pc[w] = "WaitAcks"

    small = {"Writers": 2, "MaxRounds": 2, "StepGranularity": "atomic"}
    assert verdict(BakeryV2Extended(**small), "NoLakekeeperConflict") == "holds"
    assert verdict(broken(BakeryV2Extended, begin_again=begin_again)(**small), "NoLakekeeperConflict").startswith(
        "violated"
    )


def test_a_rollback_is_of_its_pass():
    """In a later pass a writer may roll back although an earlier one has committed; within one pass it may not."""
    small = {"Writers": 2, "MaxRounds": 2, "StepGranularity": "atomic"}
    model = BakeryV2Extended(**small)
    space = explore(model, ["RollbackNoIceberg"])
    assert not space.result.violated
    assert space.where(lambda s: s.decision["w1"] == "rolled_back" and s.iceberg[-1].writer == "w1").any()

    def commit(self, s, w):
        BakeryV2.commit.function(self, s, w)
        s.decision[w] = "rolled_back"

    assert verdict(broken(BakeryV2Extended, commit=commit)(**small), "RollbackNoIceberg").startswith("violated")


# Release, drain and forget in one transaction ----------------------------------------------------------------------


def test_what_leaves_a_node_in_one_transaction_arrives_row_by_row():
    model = BakeryV2Extended(Writers=2, ReleaseTransaction=True)
    space = explore(model, [*SAFETY, "DeletesLag", "EventualProgress", "SurvivorsFinish"])
    assert not space.result.violated
    released = [t for t, n in enumerate(space.instances) if model.instances[n].action.name == "release"]
    assert released
    for t in released:
        (w,) = model.instances[space.instances[t]].arguments
        before, after = space.state(space.sources[t]), space.state(space.targets[t])
        node, other = ("n1", "n2") if w == "w1" else ("n2", "n1")
        assert after.claims[other] == before.claims[other], "the delete has yet to arrive"
        assert not any(c.writer == w for c in after.claims[node])
        assert not after.deferred[node]
        assert after.acks_sent[node] - before.acks_sent[node] == {d.ticket for d in before.deferred[node]}
        assert after.acks[1] == before.acks[1]
        assert after.acks[2] == before.acks[2]
        assert after.pc[w] == "Done"
    for n in ends(space):
        end = space.state(n)
        assert not any(end.claims[view] or end.acks_sent[view] or end.late_claims[view] for view in model.nodes)


def test_a_claim_that_was_withdrawn_on_its_way_comes_and_goes():
    model = BakeryV2Extended(Writers=2, ReleaseTransaction=True, ClaimTimeout=True)
    space = explore(model, [*SAFETY, "EventualProgress", "SurvivorsFinish"])
    assert not space.result.violated
    late = space.where(lambda s: any(s.late_claims[n] for n in model.nodes))
    assert late.any()
    assert not any(space.state(n).late_claims[view] for n in ends(space) for view in model.nodes)


def test_mutant_the_transaction_forgets_without_serving():
    def forward_acks(self, s, w):
        s.pc[w] = "DrainDelete"

    small = {"Writers": 2, "ReleaseTransaction": True}
    assert verdict(BakeryV2Extended(**small), "EventualProgress") == "holds"
    bad = broken(BakeryV2Extended, forward_acks=forward_acks)(**small)
    assert verdict(bad, "EventualProgress").startswith("violated")


def test_mutant_an_ack_is_lost_on_its_way():
    def apply_ack(self, s, source):
        acks = dict(s.acks)
        BakeryV2AsBuilt.apply_ack.function(self, s, source)
        for ticket, nodes in acks.items():
            s.acks[ticket] = nodes

    bad = broken(BakeryV2Extended, apply_ack=apply_ack)(Writers=2, ReleaseTransaction=True)
    assert verdict(bad, "EventualProgress").startswith("violated")


# Clocks ------------------------------------------------------------------------------------------------------------


SKEWED = {"Writers": 2, "MaxSkew": 1}


def test_a_node_reads_its_clock_and_no_ticket_is_taken_twice():
    model = BakeryV2Extended(Writers=3, MaxSkew=1, StepGranularity="atomic", Rollbacks=False)
    space = explore(model, SAFETY)
    assert space.result["UniqueTickets"].word == "holds"
    orders = set()
    for t, n in enumerate(space.instances):
        if model.instances[n].action.name == "begin_claim":
            before, after = space.state(space.sources[t]), space.state(space.targets[t])
            w = model.instances[n].arguments[0]
            assert abs(after.my_ticket[w] - before.next_ticket) <= 1
            assert after.clock[model.node_of[w]] == after.my_ticket[w]
        if model.instances[n].action.name == "commit":
            after = space.state(space.targets[t])
            orders.add(tuple(snapshot.ticket for snapshot in after.iceberg[1:]))
    assert {(1, 2, 3), (2, 1, 3), (2, 1, 4), (2, 3, 4)} <= orders
    assert all(len(set(order)) == len(order) for order in orders)


def test_clocks_grow_on_each_node():
    model = BakeryV2Extended(**SHARED, MaxSkew=2, Rollbacks=False)
    space = explore(model, SAFETY)
    taken = [t for t, n in enumerate(space.instances) if model.instances[n].action.name == "begin_claim"]
    assert taken
    for t in taken:
        before, after = space.state(space.sources[t]), space.state(space.targets[t])
        grown = [n for n in model.nodes if after.clock[n] != before.clock[n]]
        assert len(grown) == 1
        assert after.clock[grown[0]] > before.clock[grown[0]]


def test_skewed_clocks_break_the_bakery_and_raised_ones_do_not():
    raised = {**SKEWED, "RaiseClocks": True}
    for name, states in (("NoLakekeeperConflict", 17), ("TicketOrderPreserved", 17), ("EventualProgress", 18)):
        assert verdict(BakeryV2Extended(**SKEWED), name) == f"violated {states}"
        assert verdict(BakeryV2Extended(**raised), name) == "holds"


@pytest.mark.slow
@given(
    skew=st.integers(1, 3),
    parts=st.sampled_from([{"Writers": 2}, SHARED]),
    timeout=st.booleans(),
    row_by_row=st.booleans(),
)
@settings(max_examples=6)
def test_raised_clocks_are_safe_however_far_they_disagree(skew, parts, timeout, row_by_row):
    model = BakeryV2Extended(
        **{"StepGranularity": "atomic", **parts},
        MaxSkew=skew,
        RaiseClocks=True,
        ClaimTimeout=timeout,
        ReleaseTransaction=row_by_row,
    )
    assert not check(small(model, 20_000), [*SAFETY, "EventualProgress"]).violated


def test_a_node_that_was_away_has_not_seen_the_tickets_of_the_meantime():
    away = {"Writers": 2, "MaxCrashes": 1, "MaxRestarts": 1, "StepGranularity": "atomic"}
    assert verdict(BakeryV2Extended(**away), "NoLakekeeperConflict") == "holds"
    assert verdict(BakeryV2Extended(**away, MaxSkew=1, RaiseClocks=True), "NoLakekeeperConflict") == "violated 17"


def test_mutant_clocks_are_raised_by_their_own_tickets_alone():
    def arrive(self, s, dst, claim):
        BakeryV2.arrive(self, s, dst, claim)

    bad = broken(BakeryV2Extended, arrive=arrive)(**SKEWED, RaiseClocks=True)
    assert verdict(bad, "NoLakekeeperConflict") == "violated 17"


# The witness, and the lock of a node -------------------------------------------------------------------------------


@pytest.mark.parametrize(("crashes", "restarts", "distinct"), [(1, 0, 6423), (1, 1, 23239), (2, 1, 98747)])
def test_that_a_survivor_does_not_finish_is_for_want_of_a_witness_alone(crashes, restarts, distinct):
    for witness in (True, False):
        model = BakeryV2Extended(Writers=2, MaxCrashes=crashes, MaxRestarts=restarts, Witness=witness)
        result = check(model, [*SAFETY, "NonCrashedProgress", "SurvivorsFinish"])
        assert result.distinct == distinct
        assert [v.name for v in result.violated] == (["SurvivorsFinish"] if witness else [])


def test_a_single_writer_needs_no_witness():
    assert verdict(BakeryV2Extended(Writers=1, Witness=False), "EveryoneCommits") == "reached 7"
    assert verdict(BakeryV2Extended(Writers=1), "EveryoneCommits") == "not reached"


def test_a_lock_that_dies_with_its_holder_lets_the_other_in():
    orphaned = {**SHARED, "MaxTickets": 3, "MaxCrashes": 1, "ClaimTimeout": True}
    assert verdict(BakeryV2Extended(**orphaned), "SurvivorsFinish") == "violated 13"
    result = check(BakeryV2Extended(**orphaned, LockDiesWithHolder=True), [*SAFETY, "SurvivorsFinish"])
    assert result.distinct == 23531
    assert not result.violated


def test_mutant_nobody_holds_the_lock():
    def holds_lock(self, s, claim):
        return False

    small = {**SHARED, "StepGranularity": "split", "LockDiesWithHolder": True}
    assert verdict(BakeryV2Extended(**small), "NoLakekeeperConflict") == "holds"
    assert verdict(broken(BakeryV2Extended, holds_lock=holds_lock)(**small), "NoLakekeeperConflict") == "violated 27"


# Cleaning up by age ------------------------------------------------------------------------------------------------


def test_a_server_restarts_with_all_its_writers():
    model = BakeryV2Extended(**{**SHARED, "StepGranularity": "split"}, MaxRestarts=1, CleanUp="age", Rollbacks=False)
    space = explore(model, SAFETY)
    assert not space.result.violated
    assert not {"restart", "clean_up"} & set(model.actions)
    restarts = [t for t, n in enumerate(space.instances) if model.instances[n].label == "restart_server(n1)"]
    assert restarts
    for t in restarts:
        before, after = space.state(space.sources[t]), space.state(space.targets[t])
        assert all(after.claims[node] == before.claims[node] for node in model.nodes)
        assert after.started["n1"] == before.next_ticket
        for w in ("a1", "a2"):
            again = ("Start", 0) if before.decision[w] is None else ("Done", before.my_ticket[w])
            assert (after.pc[w], after.my_ticket[w]) == again


def test_age_tells_leftovers_from_claims_that_are_alive():
    crash = {**SHARED, "MaxCrashes": 1, "MaxRestarts": 1}
    assert verdict(BakeryV2Extended(**crash, CleanUp="node"), "NoLakekeeperConflict") == "violated 18"
    assert verdict(BakeryV2Extended(**crash, CleanUp="age"), "NoLakekeeperConflict") == "holds"


@pytest.mark.parametrize(
    ("constants", "word"),
    [
        ({}, "violated 16"),
        ({"ClaimTimeout": True}, "holds"),
        ({"StepGranularity": "atomic"}, "holds"),
        ({"StepGranularity": "atomic", "MaxCrashes": 1, "Witness": False}, "holds"),
    ],
)
def test_a_restart_between_decision_and_release_leaves_a_claim_until_somebody_tries_again(constants, word):
    model = BakeryV2Extended(Writers=2, MaxRestarts=1, CleanUp="age", **constants)
    assert verdict(model, "RestartsHeal") == word


def test_mutant_a_clean_up_by_age_takes_the_claims_of_this_life():
    def is_stale(self, s, claim, w):
        return True

    small = {**SHARED, "MaxRestarts": 1, "CleanUp": "age"}
    assert verdict(BakeryV2Extended(**small), "NoLakekeeperConflict") == "holds"
    assert verdict(broken(BakeryV2Extended, is_stale=is_stale)(**small), "NoLakekeeperConflict").startswith("violated")


# False suspicion ---------------------------------------------------------------------------------------------------


def test_a_living_node_that_is_taken_for_dead_is_passed_over():
    model = BakeryV2Extended(Writers=2, MaxSuspicions=1)
    space = explore(model, SAFETY)
    for name in ("NoLakekeeperConflict", "TicketOrderPreserved"):
        assert space.result[name].trace_states == 13
    passed = [t for t, n in enumerate(space.instances) if model.instances[n].action.name == "pass_over"]
    assert passed
    for t in passed:
        before, after = space.state(space.sources[t]), space.state(space.targets[t])
        assert sum(before.suspicions_left.values()) == sum(after.suspicions_left.values()) + 1
    assert not check(model, ["EventualProgress", "SurvivorsFinish"]).violated


def test_suspicion_is_owed_by_nobody():
    model = BakeryV2Extended(Writers=2, MaxSuspicions=3, SafeAcks=False)
    assert verdict(model, "EventualProgress").startswith("violated"), "a writer waits, though it need not"


def test_a_retry_cures_the_409_of_a_suspicion_and_not_the_order():
    result = check(BakeryV2Extended(Writers=2, MaxSuspicions=1, MaxRetries=1))
    assert {v.name for v in result.violated} == {"NoLakekeeperConflict", "TicketOrderPreserved"}
    assert result["NobodyEndsWithConflict"].word == "holds"


# All of it ---------------------------------------------------------------------------------------------------------


def test_as_it_is_built_and_with_its_repairs():
    built = {
        "Writers": 2,
        "MaxSkew": 1,
        "Witness": False,
        "LockDiesWithHolder": True,
        "CleanUp": "age",
        "MaxRestarts": 1,
        "ReleaseTransaction": True,
        "StepGranularity": "atomic",
    }
    assert verdict(BakeryV2Extended(**built), "NoLakekeeperConflict").startswith("violated")
    assert not check(BakeryV2Extended(**built, RaiseClocks=True)).violated


@given(
    writers=st.integers(1, 2),
    idle=st.fixed_dictionaries({"RaiseClocks": st.booleans(), "LockDiesWithHolder": st.booleans()}),
    published=st.fixed_dictionaries(
        {"SafeAcks": st.booleans(), "AsyncParquet": st.booleans(), "RestampPatch": st.booleans()}
    ),
)
@settings(max_examples=6)
def test_what_has_nothing_to_work_on_changes_nothing(writers, idle, published):
    """Clocks that agree need no raising, and where nobody crashes no lock is orphaned."""
    published["StepGranularity"] = "atomic"
    off, alone = (kind(Writers=writers, **published) for kind in (partial(BakeryV2Extended, **idle), BakeryV2))
    assert steps_of(off, BakeryV2) == steps_of(alone, BakeryV2)


# Timeouts ----------------------------------------------------------------------------------------------------------


def test_a_timeout_withdraws_and_drains():
    model = BakeryV2Extended(Writers=2, ClaimTimeout=True)
    space = explore(model, [*SAFETY, "SurvivorsFinish"])
    assert not space.result.violated
    done = space.where(lambda s: s.pc["w1"] == s.pc["w2"] == "Done" and s.parent_seen["w1"] == 0)
    assert done.any()
    left = space.where(lambda s: any(s.claims[n] or s.deferred[n] for n in model.nodes))
    assert not (done & left).any()


def test_mutant_a_timeout_goes_ahead_instead():
    def time_out(self, s, w):
        s.pc[w] = "Prepare"

    bad = broken(BakeryV2Extended, time_out=time_out)(Writers=2, ClaimTimeout=True)
    assert verdict(bad, "NoLakekeeperConflict").startswith("violated")
    assert verdict(bad, "SomeoneTimesOut") == "not reached"


def test_mutant_a_timeout_leaves_its_claim():
    def time_out(self, s, w):
        BakeryV2Extended.time_out.function(self, s, w)
        s.pc[w] = "Done"

    class Once(broken(BakeryV2Extended, time_out=time_out)):
        """Only w1 times out; w2 has to wait for it."""

        @action(BakeryV2.writer)
        def time_out(self, s, w):
            require(w == "w1", "only w1 times out")
            time_out(self, s, w)

    assert verdict(Once(Writers=2, ClaimTimeout=True), "NonCrashedProgress").startswith("violated")


# The user table ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "constants",
    [{"Writers": 2}, {"Writers": 2, "SafeAcks": False}, {"Writers": 3, "StepGranularity": "atomic"}],
)
def test_without_its_rows_the_bakery_with_a_user_table_is_the_bakery(constants):
    beside, alone = BakeryV2Extended(**constants, UserTable=True), BakeryV2Extended(**constants)

    def bakery_of(model):
        space = explore(model, SAFETY)
        return values_of(space, space.rows, "user_rows")

    assert bakery_of(beside) == bakery_of(alone)


def test_the_rows_get_everywhere_or_nowhere():
    model = BakeryV2Extended(Writers=2, UserTable=True)
    space = explore(model, SAFETY)
    all_done = space.where(lambda s: all(s.pc[w] == "Done" for w in model.Writers))
    for rows in (1, 2):
        assert (
            all_done & space.where(lambda s, rows=rows: all(len(s.user_rows[n]) == rows for n in model.nodes))
        ).any()


def test_mutant_a_commit_waits_for_the_rows():
    def wait_acks(self, s, w):
        BakeryV2Extended.wait_acks.function(self, s, w)
        for node in self.nodes:
            require(w in s.user_rows[node], f"{node} lacks the row of {w}")

    good = BakeryV2Extended(Writers=2, UserTable=True)
    bad = broken(BakeryV2Extended, wait_acks=wait_acks)(Writers=2, UserTable=True)
    assert (verdict(good, "EventualProgress"), verdict(good, "CommitsRunAhead")) == ("holds", "reached 19")
    assert verdict(bad, "EventualProgress").startswith("violated")
    assert verdict(bad, "CommitsRunAhead") == "not reached"


def test_a_writer_may_not_be_called_like_a_node():
    with pytest.raises(InputError, match="'n1' is not accepted"):
        BakeryV2(Writers=["n1", "w2"])


# What the configurations notice ------------------------------------------------------------------------------------


def missed(mutant, name):
    """The expectations of a configuration that the mutant does not meet."""
    one = configurations.configuration(SPECS / f"{name}.toml")
    model = mutant(**one.model.constants)
    result = check(model, one.properties, symmetry=one.symmetry)
    return {line.split(":")[0] for line in replace(one, model=model).differences(result)}


def sleeps_on(self, s, w):
    require(False, f"{w} sleeps on")


def retry_with(**kept):
    """A retry that leaves something as it was, or sets it to another value."""

    def retry(self, s, w):
        decision = s.decision[w]
        BakeryV2Extended.retry.function(self, s, w)
        for variable, value in kept.items():
            getattr(s, variable)[w] = decision if variable == "decision" else value

    return retry


def commits_run_ahead_of_nothing(self, s):
    return {snapshot.writer for snapshot in s.iceberg} == {None, *self.Writers}


def someone_rolls_back(self, s):
    return any(s.decision[w] == catalog.ROLLED_BACK for w in self.Writers)


@pytest.mark.parametrize(
    ("base", "name", "methods", "noticed"),
    [
        (BakeryV2, "v2_published", {"start": sleeps_on}, {"distinct", "depth", "EveryoneCommits", "EventualProgress"}),
        (BakeryV2Extended, "v2_retry_restart", {"retry": retry_with(decision=None)}, {"distinct"}),
        (BakeryV2Extended, "v2_retry_restart", {"retry": retry_with(my_ticket=1)}, {"distinct"}),
        (BakeryV2Extended, "v2_retry_restart", {"retry": retry_with(parent_seen=1)}, {"distinct"}),
        (BakeryV2Extended, "v2_retry_restart", {"retry": retry_with(parent_staged=1)}, {"distinct"}),
        (
            BakeryV2Extended,
            "v2_user_table_split",
            {"CommitsRunAhead": commits_run_ahead_of_nothing},
            {"CommitsRunAhead"},
        ),
        (BakeryV2Extended, "v2_timeout_wedge", {"SomeoneTimesOut": someone_rolls_back}, {"SomeoneTimesOut"}),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else None,
)
def test_a_mistake_that_was_not_noticed_once_is(base, name, methods, noticed):
    assert noticed <= missed(broken(base, **methods), name)
    assert missed(base, name) == set()


@pytest.mark.parametrize(("timeout", "rollbacks"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_timeout_is_asked_for_where_a_writer_can_take_one_and_rolls_back_otherwise(timeout, rollbacks):
    model = BakeryV2Extended(ClaimTimeout=timeout, Rollbacks=rollbacks)
    assert ("SomeoneTimesOut" in [p.name for p in model.select()]) == (timeout and rollbacks)
