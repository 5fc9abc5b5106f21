"""What the bakeries add to the published models: off by default, alive when on, and broken when a line is broken."""

from functools import partial

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.behaviours import ends, steps_by, steps_of
from tests.mistakes import always, broken, missed, without
from tests.products import examples
from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.kernel import InputError, machine_of, require
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.v2 import BakeryV2, Claim
from workbench.protocols.bakery.v2_as_built import BakeryV2AsBuilt
from workbench.protocols.bakery.v2_extended import BakeryV2Extended

SAFETY = ["NoLakekeeperConflict", "RollbackNoIceberg", "UniqueTickets", "TicketOrderPreserved"]
ATOMIC = {"StepGranularity": "atomic"}
SHARED = {"Writers": ["a1", "a2", "b1"], "NodeParts": [["a1", "a2"], ["b1"]]}
ONE_RESTART = {"Writers": 2, "MaxCrashes": 1, "MaxRestarts": 1}


def safe(*properties, **constants):
    """The states and steps of the bakery, in which nothing is violated."""
    space = explore(BakeryV2Extended(**constants), [*SAFETY, *properties])
    assert not space.result.violated
    return space


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
    published, extended = machine_of(published), machine_of(extended)
    elsewhere = {"drain_forward", "drain_delete", "restart_server"}
    assert set(extended.actions) == set(extended.declared.actions) - elsewhere
    forgotten = {"OneTable", "OneHistory"} if extended.declared.constants.keys() & {"MaxRounds"} else set()
    assert set(extended.properties) == set(extended.declared.properties) - forgotten, "rounds forget what was told"
    later = {"restart", "clean_up", "retry", "next_round", "time_out", "replicate_row"}
    assert set(extended.actions) - set(published.actions) == later & set(extended.declared.actions)
    assert {p.name for p in extended.select()} - {p.name for p in published.select()} == (
        set(extended.properties) - set(published.properties)
    )


@pytest.mark.slow
@given(
    writers=st.integers(1, 2),
    idle=st.fixed_dictionaries({"RaiseClocks": st.booleans(), "LockDiesWithHolder": st.booleans()}),
    published=st.fixed_dictionaries(
        {"SafeAcks": st.booleans(), "AsyncParquet": st.booleans(), "RestampPatch": st.booleans()}
    ),
)
@examples(6)
def test_what_has_nothing_to_work_on_changes_nothing(writers, idle, published):
    """Clocks that agree need no raising, and where nobody crashes no lock is orphaned."""
    off, alone = (
        kind(Writers=writers, **published, **ATOMIC) for kind in (partial(BakeryV2Extended, **idle), BakeryV2)
    )
    assert steps_of(off, BakeryV2) == steps_of(alone, BakeryV2)


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"MaxTickets": 3, "MaxCrashes": 1, "MaxRestarts": 1}, "MaxTickets = 3 .* MaxRestarts = 1 .* at least 4, so"),
        ({"MaxRetries": 2}, "MaxTickets = 6 is not accepted .* MaxRetries = 2; it takes at least 9, so"),
        (
            {"MaxTickets": 3, "MaxRounds": 6, "MaxRetries": 2},
            "MaxTickets = 3 .* MaxRetries = 2; it takes at least 4, so",
        ),
        ({"Writers": ["n1", "w2"]}, "'n1' is not accepted"),
    ],
)
def test_tickets_may_not_run_out_and_names_must_differ(constants, message):
    with pytest.raises(InputError, match=message):
        BakeryV2Extended(**constants)


def test_without_a_crash_nobody_restarts():
    assert BakeryV2Extended(MaxTickets=3, MaxRestarts=1).tickets == (1, 2, 3)


@pytest.mark.parametrize(("timeout", "rollbacks"), [(True, True), (True, False), (False, True), (False, False)])
def test_a_timeout_is_asked_for_where_a_writer_can_take_one_and_rolls_back_otherwise(timeout, rollbacks):
    model = machine_of(BakeryV2Extended(ClaimTimeout=timeout, Rollbacks=rollbacks))
    assert ("SomeoneTimesOut" in [p.name for p in model.select()]) == (timeout and rollbacks)


# Mistakes that the configurations notice -----------------------------------------------------------------------------


def does(pc):
    """An action that only goes on to another step."""

    def action(self, s, w):
        s.pc[w] = pc

    return action


def sleeps_on(self, s, w):
    require(False, f"{w} sleeps on")


def retry_without_staging(self, s, w):
    without(BakeryV2Extended.retry, "parent_staged")(self, s, w)
    s.pc[w] = "BeginClaim"


def restart_after_a_decision(self, s, w):
    s.decision[w] = None
    BakeryExtended.restart.function(self, s, w)


def is_stale_if_it_is_mine(self, s, claim, w):
    return claim.writer == w


def begin_again_with_the_old_ticket(self, s, w):
    ticket = s.my_ticket[w]
    BakeryV2Extended.begin_again(self, s, w)
    s.my_ticket[w], s.claims[self.node_of[w]] = ticket, s.claims[self.node_of[w]] | {Claim(ticket, w)}
    s.pc[w] = "WaitAcks"


def commit_and_roll_back(self, s, w):
    BakeryV2.commit.function(self, s, w)
    s.decision[w] = catalog.ROLLED_BACK


def time_out_and_keep_the_claim(self, s, w):
    BakeryV2Extended.time_out.function(self, s, w)
    s.pc[w] = "Done"


def wait_for_the_rows(self, s, w):
    BakeryV2Extended.wait_acks.function(self, s, w)
    for node in self.nodes:
        require(w in s.user_rows[node], f"{node} lacks the row of {w}")


def commits_run_ahead_of_nothing(self, s):
    return {snapshot.writer for snapshot in s.iceberg} == {None, *self.Writers}


def someone_rolls_back(self, s):
    return any(s.decision[w] == catalog.ROLLED_BACK for w in self.Writers)


OF_V1 = [
    ("v1_restart", {"restart": restart_after_a_decision}, {"RollbackNoIceberg"}),
    ("v1_restart_liveness", {"node_startup": does("BeginClaim")}, {"RestartsHeal"}),
]
OF_V2 = [
    ("v2_two_writers_wedge", {"start": sleeps_on}, {"EveryoneCommits"}),
    ("v2_two_writers_wedge", {"commit": commit_and_roll_back}, {"RollbackNoIceberg"}),
    ("v2_two_writers_restart", {"clean_up": without(BakeryV2Extended.clean_up, "acks")}, {"NonCrashedProgress"}),
    ("samenode_restart_two_crashes", {"is_stale": is_stale_if_it_is_mine}, {"distinct"}),
    *(
        ("v2_retry_restart", {"retry": without(BakeryV2Extended.retry, name)}, {"distinct"})
        for name in ("decision", "my_ticket", "parent_seen", "parent_staged")
    ),
    ("v2_retry_restart", {"retry": retry_without_staging}, {"NobodyEndsWithConflict"}),
    ("v2_rounds", {"begin_again": begin_again_with_the_old_ticket}, {"NoLakekeeperConflict"}),
    ("release_transaction", {"forward_acks": does("DrainDelete")}, {"EventualProgress"}),
    ("release_transaction", {"apply_ack": without(BakeryV2AsBuilt.apply_ack, "acks")}, {"EventualProgress"}),
    ("clocks_raised", {"arrive": BakeryV2.arrive}, {"NoLakekeeperConflict"}),
    ("samenode_lock_dies", {"holds_lock": always(False)}, {"NoLakekeeperConflict"}),
    ("samenode_clean_up_age", {"is_stale": always(True)}, {"NoLakekeeperConflict"}),
    ("v2_timeout_wedge", {"time_out": does("Prepare")}, {"NoLakekeeperConflict", "SomeoneTimesOut"}),
    ("v2_timeout_wedge", {"time_out": time_out_and_keep_the_claim}, {"distinct"}),
    ("v2_timeout_wedge", {"SomeoneTimesOut": someone_rolls_back}, {"SomeoneTimesOut"}),
    ("v2_user_table_split", {"wait_acks": wait_for_the_rows}, {"EventualProgress", "CommitsRunAhead"}),
    ("v2_user_table_split", {"CommitsRunAhead": commits_run_ahead_of_nothing}, {"CommitsRunAhead"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "name", "methods", "noticed"),
    [(BakeryExtended, *row) for row in OF_V1] + [(BakeryV2Extended, *row) for row in OF_V2],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else x if isinstance(x, str) else "",
)
def test_a_mistake_is_noticed(base, name, methods, noticed):
    assert noticed <= missed(broken(base, **methods), f"bakery/{name}")


@pytest.mark.parametrize(("base", "name"), [(BakeryExtended, "v1_rollback"), (BakeryV2Extended, "suspicion")])
def test_without_a_mistake_nothing_is_noticed(base, name):
    assert missed(broken(base), f"bakery/{name}") == set()


# Restarts ----------------------------------------------------------------------------------------------------------


def test_a_restarted_writer_begins_again_with_nothing_but_its_old_claim():
    for (w,), before, after in steps_by(safe(**ONE_RESTART, AsyncParquet=True), "restart"):
        assert before.crashed[w]
        assert before.decision[w] is None
        changed = {str(change.cell) for change in before.changes_to(after)}
        allowed = {f"{name}[{w}]" for name in ("crashed", "pc", "my_ticket", "parent_seen", "parent_staged")}
        assert changed <= allowed | {"restart_budget"}, "neither the queue nor the crash budget"
        assert (after.crashed[w], after.pc[w], after.my_ticket[w]) == (False, "CleanUp", 0)
        assert (after.parent_seen[w], after.parent_staged[w]) == (0, 0)


@pytest.mark.parametrize(
    ("model", "unfair"),
    [
        (BakeryExtended(MaxRestarts=1), {"restart", "all_done"}),
        (BakeryV2Extended(**ONE_RESTART, UserTable=True), {"restart", "replicate_row"}),
    ],
)
def test_restarts_are_owed_by_nobody(model, unfair):
    fair = frozenset().union(*(condition.actions for condition in model.fairness()))
    assert {instance.action.name for instance in machine_of(model).instances if instance.number not in fair} == unfair


@pytest.mark.slow
def test_a_server_restarts_with_all_its_writers():
    space = safe(**SHARED, MaxRestarts=1, CleanUp="age", Rollbacks=False)
    assert not {"restart", "clean_up"} & set(space.model.actions)
    for (n,), before, after in steps_by(space, "restart_server"):
        assert before.changes_to(after)
        assert all(after.claims[node] == before.claims[node] for node in space.model.author.nodes)
        assert after.started[n] == before.next_ticket
        for w in space.model.author.Writers:
            if space.model.author.node_of[w] == n:
                again = ("Start", 0) if before.decision[w] is None else ("Done", before.my_ticket[w])
                assert (after.pc[w], after.my_ticket[w]) == again


# Rounds ------------------------------------------------------------------------------------------------------------


def test_each_writer_takes_all_its_passes_with_a_ticket_for_each():
    space = safe("SurvivorsFinish", Writers=2, MaxRounds=3, Rollbacks=False, **ATOMIC)
    histories = {tuple(snapshot.ticket for snapshot in end.iceberg) for end in ends(space)}
    assert histories == {(0, 1, 2, 3, 4, 5, 6)}, "nobody stops before the third commit"


def values_of(space, rows, *left_out):
    """Rows of a space as values, without some variables; not as text, which has equal sets in different orders."""
    keep = [i for i, cell in enumerate(space.model.layout.cells) if cell.variable not in left_out]
    columns = [space.values[i] for i in keep]
    return {tuple(c[n] for c, n in zip(columns, row, strict=True)) for row in rows[:, keep].tolist()}


def test_the_first_round_is_the_published_pass():
    def first_pass(**rounds):
        space = explore(BakeryV2Extended(Writers=2, **rounds), SAFETY)
        first = space.where(lambda s: all(left == space.model.author.MaxRounds - 1 for left in s.rounds_left.values()))
        return values_of(space, space.rows[first], "rounds_left", "acks")

    assert first_pass(MaxRounds=2) == first_pass()


def test_there_are_tickets_for_thousands_of_rounds():
    model = BakeryV2Extended(Writers=3, MaxRounds=3000, Rollbacks=False)
    assert len(model.tickets) == 9000
    few = BakeryV2Extended(Writers=3, MaxRounds=2, Rollbacks=False)
    assert len(machine_of(model).instances) == len(machine_of(few).instances)


# Release, drain and forget in one transaction ----------------------------------------------------------------------


def test_what_leaves_a_node_in_one_transaction_arrives_row_by_row():
    space = safe("DeletesLag", "EventualProgress", "SurvivorsFinish", Writers=2, ReleaseTransaction=True)
    for (w,), before, after in steps_by(space, "release"):
        node, other = ("n1", "n2") if w == "w1" else ("n2", "n1")
        assert after.claims[other] == before.claims[other], "the delete has yet to arrive"
        assert not any(c.writer == w for c in after.claims[node])
        assert not after.deferred[node]
        assert after.acks_sent[node] - before.acks_sent[node] == {d.ticket for d in before.deferred[node]}
        assert (after.acks[1], after.acks[2]) == (before.acks[1], before.acks[2])
        assert after.pc[w] == "Done"
    for end in ends(space):
        assert not any(end.claims[n] or end.acks_sent[n] or end.late_claims[n] for n in space.model.author.nodes)


def test_a_claim_that_was_withdrawn_on_its_way_comes_and_goes():
    space = safe("EventualProgress", "SurvivorsFinish", Writers=2, ReleaseTransaction=True, ClaimTimeout=True)
    assert space.where(lambda s: any(s.late_claims.values())).any()
    assert not any(any(end.late_claims.values()) for end in ends(space))


# Clocks ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_node_reads_its_clock_and_no_ticket_is_taken_twice():
    space = explore(BakeryV2Extended(Writers=3, MaxSkew=1, Rollbacks=False, **ATOMIC), SAFETY)
    assert space.result["UniqueTickets"].word == "holds"
    for (w, *_), before, after in steps_by(space, "begin_claim"):
        assert abs(after.my_ticket[w] - before.next_ticket) <= 1
        assert after.clock[space.model.author.node_of[w]] == after.my_ticket[w]
    commits = steps_by(space, "commit")
    orders = {tuple(snapshot.ticket for snapshot in after.iceberg[1:]) for _, _, after in commits}
    assert {(1, 2, 3), (2, 1, 3), (2, 1, 4), (2, 3, 4)} <= orders
    assert all(len(set(order)) == len(order) for order in orders)


@pytest.mark.slow
def test_clocks_grow_on_each_node():
    space = explore(BakeryV2Extended(**SHARED, **ATOMIC, MaxSkew=2, Rollbacks=False), SAFETY)
    for _, before, after in steps_by(space, "begin_claim"):
        [grown] = [n for n in space.model.author.nodes if after.clock[n] != before.clock[n]]
        assert after.clock[grown] > before.clock[grown]


@pytest.mark.slow
@given(
    skew=st.integers(1, 3),
    parts=st.sampled_from([{"Writers": 2}, SHARED]),
    timeout=st.booleans(),
    row_by_row=st.booleans(),
)
@examples(6)
def test_raised_clocks_are_safe_however_far_they_disagree(skew, parts, timeout, row_by_row):
    more = {"ClaimTimeout": timeout, "ReleaseTransaction": row_by_row}
    model = BakeryV2Extended(**ATOMIC, **parts, MaxSkew=skew, RaiseClocks=True, **more)
    few = Budget(states=20_000)
    assume(check(model, [], budget=few).complete)  # the few large ones would take nearly all of the time
    assert not check(model, [*SAFETY, "EventualProgress"]).violated


# False suspicion, timeouts, and the user table -----------------------------------------------------------------------


def test_each_time_a_living_node_is_passed_over_is_counted():
    space = explore(BakeryV2Extended(Writers=2, MaxSuspicions=1), SAFETY)
    for _, before, after in steps_by(space, "pass_over"):
        assert sum(before.suspicions_left.values()) == sum(after.suspicions_left.values()) + 1


def test_a_timeout_withdraws_and_drains():
    space = safe("SurvivorsFinish", Writers=2, ClaimTimeout=True)
    done = space.where(lambda s: s.pc["w1"] == s.pc["w2"] == "Done" and s.parent_seen["w1"] == 0)
    assert done.any()
    left = space.where(lambda s: any(s.claims[n] or s.deferred[n] for n in space.model.author.nodes))
    assert not (done & left).any()


@pytest.mark.slow
@pytest.mark.parametrize("constants", [{"Writers": 2}, {"Writers": 2, "SafeAcks": False}, {"Writers": 3, **ATOMIC}])
def test_without_its_rows_the_bakery_with_a_user_table_is_the_bakery(constants):
    beside, alone = (explore(BakeryV2Extended(**constants, UserTable=table), SAFETY) for table in (True, False))
    assert values_of(beside, beside.rows, "user_rows") == values_of(alone, alone.rows, "user_rows")


def test_the_rows_get_everywhere_or_nowhere():
    space = safe(Writers=2, UserTable=True)
    all_done = space.where(lambda s: set(s.pc.values()) == {"Done"})
    for rows in (1, 2):
        everywhere = space.where(
            lambda s, rows=rows: all(len(s.user_rows[n]) == rows for n in space.model.author.nodes)
        )
        assert (all_done & everywhere).any()
