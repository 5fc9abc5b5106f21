"""Hudi: what its switches do, what violations say, symmetry, liveness, and that broken variants are noticed."""

import pytest

from tests.behaviours import reachable_states
from tests.figures import figures_of
from workbench.checking.check import check
from workbench.kernel import InputError, action, require
from workbench.kernel.symmetry import Canonical
from workbench.protocols.hudi.model import Hudi, MergeSlice

INVARIANTS = ["ConsistentRead", "NoDuplicateKeysAcrossFiles"]
SMALL = {"Values": 1, "FileGroupCount": 2}
ONE_KEY = {"Keys": 1, "Values": 1}


def short(constants):
    """The constants that are not those of a conformant, optimistic run, as a test's name."""
    usual = {**Hudi(**SMALL).constants, "Writers": 2, "Keys": 2, "Values": 1}
    return ",".join(f"{n}={v}" for n, v in constants.items() if v != usual[n]) or "conformant"


@pytest.mark.parametrize(
    ("constants", "holds"),
    [
        ({}, True),
        ({"PrimaryKeyConflictCheck": False, "FileGroupCount": 1}, True),
        ({"PrimaryKeyConflictCheck": False, "FileGroupCount": 1, "ConcurrencyControl": 2}, True),
        ({"MonotonicTs": False, "Keys": 1, "FileGroupCount": 1}, False),
        ({"MonotonicTs": False, "ConcurrencyControl": 2}, False),
        ({"MonotonicTs": False, "ConcurrencyControl": 2, "Keys": 1}, True),
        ({"MonotonicTs": False, "ConcurrencyControl": 2, "FileGroupCount": 1}, True),
        ({"MonotonicTs": False, "ConcurrencyControl": 2, "UseSalt": True}, True),
        ({"MonotonicTs": False, "ConcurrencyControl": 2, "PutIfAbsentSupported": True}, True),
        ({"MonotonicTs": False, "ConcurrencyControl": 0, "UseSalt": True}, False),
        ({"MonotonicTs": False, "ConcurrencyControl": 0, "PutIfAbsentSupported": True}, False),
        ({"PrimaryKeyConflictCheck": False, "Values": 2}, False),
    ],
    ids=lambda value: str(value),
)
def test_which_switches_keep_reads_consistent(constants, holds):
    assert check(Hudi(**{**SMALL, **constants}), ["ConsistentRead"])["ConsistentRead"].holds is holds


class OnlyRequestedInstantsAreRefused(Hudi):
    def refused(self, exists):
        return False

    @action(Hudi.writer)
    def append_requested(self, s, w):
        if s.requested[s.stamp[w]]:
            self.abort(s, w)
        else:
            super().append_requested(s, w)


def test_put_if_absent_decides_at_the_requested_instant():
    constants = {**SMALL, "MonotonicTs": False, "PutIfAbsentSupported": True}
    assert figures_of(OnlyRequestedInstantsAreRefused(**constants), INVARIANTS) == figures_of(
        Hudi(**constants), INVARIANTS
    )


# What violations say -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("constants", "name", "why"),
    [
        (
            {**ONE_KEY, "ConcurrencyControl": 0},
            "ConsistentRead",
            "k1 read at timestamp 2: expected v1; readable: no row in the slice of fg1 with timestamp 2",
        ),
        (
            {**SMALL, "PrimaryKeyConflictCheck": False},
            "NoDuplicateKeysAcrossFiles",
            "k1 is in the slice of fg1 with timestamp 1 and in the slice of fg2 with timestamp 2, both published",
        ),
        (
            {"FileGroupCount": 2, "PrimaryKeyConflictCheck": False},
            "ConsistentRead",
            "k1 read at timestamp 2: expected v2; "
            "readable: v1 in the slice of fg1 with timestamp 1, v2 in the slice of fg2 with timestamp 2",
        ),
        (
            {**ONE_KEY, "MonotonicTs": False, "UseSalt": True, "ConcurrencyControl": 0},
            "ConsistentRead",
            "k1 read at timestamp 1: expected no row; readable: v1 in the slice of fg1 with timestamp 1 and salt 0, "
            "no row in the slice of fg1 with timestamp 1 and salt 1",
        ),
    ],
    ids=["hidden row", "duplicate key", "two values", "salts"],
)
def test_a_violation_says_what_is_wrong(constants, name, why):
    assert check(Hudi(**constants), [name])[name].why == why


def test_the_orphaned_row_is_readable_after_the_delete():
    model = Hudi(**SMALL, OpLimit=3, PrimaryKeyConflictCheck=False, ConcurrencyControl=2, Keys=1)
    verdict = check(model, ["ConsistentRead"], engine="reference")["ConsistentRead"]  # of several, this one's trace
    last = verdict.trace.last
    assert verdict.why.startswith("k1 read at timestamp 3: expected no row; readable: v1 in the slice of fg")
    assert [entry.type for entry in last.log.values() if entry] == ["Insert", "Insert", "Delete"]
    assert verdict.trace_states == 22


# The state ---------------------------------------------------------------------------------------------------------


def test_a_writer_without_an_operation_keeps_nothing():
    model = Hudi(**SMALL)
    for state in reachable_states(model):
        for w in model.Writers:
            kept = [state.op[w], state.stamp[w], state.group[w], state.merge[w]]
            if state.phase[w] in ("Ready", "Failed"):
                assert kept == [None] * 4
                assert w not in state.group_lock.values()
                assert state.table_lock != w
            else:
                assert None not in kept[:2]


@pytest.mark.slow
@pytest.mark.parametrize("constants", [{}, {"UseSalt": True}, {"PutIfAbsentSupported": True}], ids=str)
def test_the_timeline_grows_in_order(constants):
    """An instant is Requested before it is Inflight before it is Completed, and a Completed one has its slice."""
    model = Hudi(**SMALL, MonotonicTs=False, **constants)
    for state in reachable_states(model):
        for stamp in model.stamps:
            assert state.requested[stamp] or not state.inflight[stamp]
            group = state.completed[stamp]
            if group is not None:
                assert state.inflight[stamp]
                assert state.slices[group, *stamp] is not None


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        (
            {"ConcurrencyControl": 3},
            "ConcurrencyControl = 3 is not accepted; it takes one of 0 (none), 1 (optimistic), 2 (pessimistic)",
        ),
        ({"OpLimit": 0}, "OpLimit = 0 is not accepted; it takes an integer from 1 to 8"),
        ({"FileGroupCount": True}, "FileGroupCount = True is not accepted; it takes an integer from 1 to 4"),
        ({"UseSalt": 1}, "UseSalt = 1 is not accepted; it takes true or false"),
        ({"Keys": ["a"], "Values": ["a"]}, "Keys and Values both hold 'a'; names must differ"),
        ({"Keys": ["fg1", "k"]}, "the name 'fg1' is not accepted, since a file group has it; take another one"),
    ],
    ids=lambda value: "" if isinstance(value, str) else str(value),
)
def test_bad_constants(constants, message):
    with pytest.raises(InputError) as error:
        Hudi(**constants)
    assert str(error.value) == message


# Symmetry ----------------------------------------------------------------------------------------------------------

SETS = [("Writers",), ("Keys",), ("Values",), ("Writers", "Keys", "Values")]


@pytest.mark.slow
@pytest.mark.parametrize("sets", SETS, ids="+".join)
@pytest.mark.parametrize(
    "constants",
    [
        {},
        {"MonotonicTs": False, "OpLimit": 2, "Keys": 1},
        {"ConcurrencyControl": 0},
        {"FileGroupCount": 2, "PrimaryKeyConflictCheck": False, "ConcurrencyControl": 2, "Keys": 1},
    ],
    ids=short,
)
def test_symmetry_loses_nothing(constants, sets):
    model = Hudi(**constants)
    full, reduced = (figures_of(model, INVARIANTS, symmetry=used) for used in ((), sets))
    assert reduced.violated == full.violated
    assert reduced.depth == full.depth
    assert (reduced.distinct < full.distinct) is any(len(model.constants[name]) > 1 for name in sets)

    canonical = Canonical(model, sets)
    orbits = [len(set(canonical.orbit(state.values))) for state in reachable_states(model, sets)]
    assert len(orbits) == reduced.distinct
    assert sum(orbits) == full.distinct


# Liveness ----------------------------------------------------------------------------------------------------------


def stops_at_work(model):
    """A state in which no fair process can go on although a writer is at work; None if there is none.

    No behaviour goes on for ever, because operations are counted and none repeats a step; hence a writer at work that
    never ends is one that is at work in such a state.
    """
    fair = sorted(number for condition in model.fairness() for number in condition.actions)
    for state in reachable_states(model):
        if all(state.phase[w] in ("Ready", "Failed") for w in model.Writers):
            continue
        if not any(model.outcomes(model.instances[number], state) for number in fair):
            return state
    return None


def test_nobody_has_to_fail():
    model = Hudi()
    fair = {number for condition in model.fairness() for number in condition.actions}
    left_out = {i.action.name for i in model.instances if i.number not in fair}
    assert left_out == {"writer_fail"}
    assert [(condition.label, condition.strong) for condition in model.fairness()] == [("w1", False), ("w2", False)]


@pytest.mark.slow
@pytest.mark.parametrize("control", [0, 1, 2])
def test_a_writer_at_work_can_always_go_on(control):
    assert stops_at_work(Hudi(**SMALL, ConcurrencyControl=control)) is None


@pytest.mark.parametrize(("control", "phase"), [(1, "UpdateIndex"), (2, "Read")])
def test_a_lock_that_is_not_given_back_stops_the_others(control, phase):
    class LocksStay(Hudi):
        def finish(self, s, w, phase):
            held = s.table_lock, dict(s.group_lock)
            super().finish(s, w, phase)
            s.table_lock = held[0]
            for group, holder in held[1].items():
                s.group_lock[group] = holder

    stopped = stops_at_work(LocksStay(**SMALL, ConcurrencyControl=control))
    assert phase in stopped.phase.values()


# Speed -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_python_is_called_for_few_states_and_for_ever_fewer():
    smaller, default = (check(Hudi(OpLimit=limit), INVARIANTS, engine="local") for limit in (3, 4))
    states_per_call = [result.distinct / result.figures["python_calls"] for result in (smaller, default)]
    assert default.distinct == 1_486_597
    assert states_per_call[0] < states_per_call[1]
    assert states_per_call[1] > 50


# Variants that are wrong -------------------------------------------------------------------------------------------


class NoOptimisticCheck(Hudi):
    @action(Hudi.writer)
    def optimistic_check(self, s, w):
        s.phase[w] = "Commit"


class LocksAreIgnored(Hudi):
    def validate(self):
        super().validate()
        self.pessimistic = False


class LaterTargetIsAccepted(Hudi):
    """A writer builds on a slice that is later than its own timestamp."""

    @action(Hudi.writer)
    def read_merge_target(self, s, w):
        target = self.latest(s, s.group[w])
        s.inflight[s.stamp[w]] = True
        s.merge[w] = None if target is None else MergeSlice(*target, s.slices[s.group[w], *target])
        s.phase[w] = "Write"


class RowsAreNotMerged(Hudi):
    @action(Hudi.writer)
    def write_file_slice(self, s, w):
        merge = s.merge[w]
        s.merge[w] = None
        super().write_file_slice(s, w)
        s.merge[w] = merge


class DeletedKeysLeaveTheIndex(Hudi):
    @action(Hudi.writer)
    def append_commit(self, s, w):
        op = s.op[w]
        super().append_commit(s, w)
        if op.type == "Delete":
            s.index[op.key] = None


class OperationIsKept(Hudi):
    """A writer that has failed still knows what it was about to do."""

    def finish(self, s, w, phase):
        op = s.op[w]
        super().finish(s, w, phase)
        s.op[w] = op if phase == "Failed" else None


class EverySliceIsReadable(Hudi):
    def readable(self, s, ts):
        return [(s.completed[stamp], *stamp) for stamp in self.stamps if stamp.ts <= ts and s.completed[stamp]]


class LogInTimestampOrder(Hudi):
    def history(self, s, key):
        entries = [(i, s.log[key, i]) for i in range(self.OpLimit) if s.log[key, i] is not None]
        return iter(sorted(entries, key=lambda entry: entry[1].ts, reverse=True))


class DeletesAreNeverCommitted(Hudi):
    @action(Hudi.writer)
    def append_commit(self, s, w):
        require(s.op[w].type != "Delete", "no deletes")
        super().append_commit(s, w)


@pytest.mark.parametrize(
    ("variant", "constants"),
    [
        (NoOptimisticCheck, {}),
        (LocksAreIgnored, {"ConcurrencyControl": 2}),
        (LaterTargetIsAccepted, {}),
        (RowsAreNotMerged, {"FileGroupCount": 1}),
        (EverySliceIsReadable, {}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_wrong_protocol_violates_consistent_read(variant, constants):
    constants = {**SMALL, **constants}
    assert check(Hudi(**constants), INVARIANTS).violated == []
    assert [v.name for v in check(variant(**constants), INVARIANTS).violated] == ["ConsistentRead"]


@pytest.mark.parametrize(
    ("variant", "constants"),
    [
        (DeletedKeysLeaveTheIndex, {**ONE_KEY, "OpLimit": 3}),
        (OperationIsKept, SMALL),
        (LogInTimestampOrder, {**ONE_KEY, "ConcurrencyControl": 0}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_wrong_protocol_has_other_figures(variant, constants):
    assert figures_of(variant(**constants), INVARIANTS) != figures_of(Hudi(**constants), INVARIANTS)


def test_a_protocol_in_which_nothing_can_be_deleted_lacks_a_witness():
    assert check(DeletesAreNeverCommitted(**SMALL))["SomeDeleteCommits"].word == "not reached"
