"""Hudi: what violations say, symmetry, fairness, and that mistakes are noticed."""

import pytest

from tests.behaviours import reachable_states
from tests.figures import figures_of
from tests.mistakes import always, broken, missed, without
from workbench.checking.check import check
from workbench.kernel import InputError, machine_of, require
from workbench.kernel.meaning.symmetry import Canonical
from workbench.protocols.hudi.extended import HudiExtended
from workbench.protocols.hudi.model import Hudi, MergeSlice

INVARIANTS = ["ConsistentRead", "NoDuplicateKeysAcrossFiles"]
SMALL = {"Values": 1, "FileGroupCount": 2}
ONE_KEY = {"Keys": 1, "Values": 1}


def short(constants):
    """The constants that are not those of a conformant, optimistic run, as a test's name."""
    usual = {**Hudi(**SMALL).constants, "Writers": 2, "Keys": 2, "Values": 1}
    return ",".join(f"{n}={v}" for n, v in constants.items() if v != usual[n]) or "conformant"


# What violations say -----------------------------------------------------------------------------------------------


@pytest.mark.slow
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

    canonical = Canonical(machine_of(model), sets)
    orbits = [len(set(canonical.orbit(state.values))) for state in reachable_states(model, sets)]
    assert len(orbits) == reduced.distinct
    assert sum(orbits) == full.distinct


# Liveness ----------------------------------------------------------------------------------------------------------


def test_nobody_has_to_fail():
    model = Hudi()
    fair = {number for condition in model.fairness() for number in condition.actions}
    left_out = {i.action.name for i in machine_of(model).instances if i.number not in fair}
    assert left_out == {"writer_fail"}
    assert [(condition.label, condition.strong) for condition in model.fairness()] == [("w1", False), ("w2", False)]


# Speed -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_python_is_called_for_few_states_and_for_ever_fewer():
    smaller, default = (check(Hudi(OpLimit=limit), INVARIANTS, engine="local") for limit in (3, 4))
    states_per_call = [result.distinct / result.figures["python_calls"] for result in (smaller, default)]
    assert default.distinct == 1_486_597
    assert states_per_call[0] < states_per_call[1]
    assert states_per_call[1] > 50


# Mistakes that the configurations notice -----------------------------------------------------------------------------


def only_requested_instants_are_refused(self, s, w):
    if s.requested[s.stamp[w]]:
        self.abort(s, w)
    else:
        HudiExtended.append_requested.function(self, s, w)


def no_optimistic_check(self, s, w):
    s.phase[w] = "Commit"


def locks_are_ignored(self):
    HudiExtended.validate(self)
    self.pessimistic = False


def later_target_is_accepted(self, s, w):
    """A writer builds on a slice that is later than its own timestamp."""
    target = self.latest(s, s.group[w])
    s.inflight[s.stamp[w]] = True
    s.merge[w] = None if target is None else MergeSlice(*target, s.slices[s.group[w], *target])
    s.phase[w] = "Write"


def rows_are_not_merged(self, s, w):
    merge = s.merge[w]
    s.merge[w] = None
    HudiExtended.write_file_slice.function(self, s, w)
    s.merge[w] = merge


def deleted_keys_leave_the_index(self, s, w):
    op = s.op[w]
    HudiExtended.append_commit.function(self, s, w)
    if op.type == "Delete":
        s.index[op.key] = None


def every_slice_is_readable(self, s, ts):
    return [(s.completed[stamp], *stamp) for stamp in self.stamps if stamp.ts <= ts and s.completed[stamp]]


def log_in_timestamp_order(self, s, key):
    entries = [(i, s.log[key, i]) for i in range(self.OpLimit) if s.log[key, i] is not None]
    return iter(sorted(entries, key=lambda entry: entry[1].ts, reverse=True))


def deletes_are_never_committed(self, s, w):
    require(s.op[w].type != "Delete", "no deletes")
    HudiExtended.append_commit.function(self, s, w)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "methods", "noticed"),
    [
        ("optimistic", {"optimistic_check": no_optimistic_check}, {"ConsistentRead"}),
        ("pessimistic", {"validate": locks_are_ignored}, {"ConsistentRead"}),
        ("optimistic", {"read_merge_target": later_target_is_accepted}, {"ConsistentRead"}),
        ("one_file_group", {"write_file_slice": rows_are_not_merged}, {"ConsistentRead"}),
        ("optimistic", {"readable": every_slice_is_readable}, {"ConsistentRead"}),
        ("one_file_group", {"append_commit": deleted_keys_leave_the_index}, {"distinct"}),
        ("optimistic", {"finish": without(HudiExtended.finish, "op")}, {"distinct"}),
        ("timestamp_collision_no_control", {"history": log_in_timestamp_order}, {"distinct"}),
        ("optimistic", {"append_commit": deletes_are_never_committed}, {"SomeDeleteCommits"}),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else x if isinstance(x, str) else "",
)
def test_a_mistake_is_noticed(name, methods, noticed):
    assert noticed <= missed(broken(HudiExtended, **methods), f"hudi/{name}")


def test_put_if_absent_decides_at_the_requested_instant():
    methods = {"refused": always(False), "append_requested": only_requested_instants_are_refused}
    assert missed(broken(HudiExtended, **methods), "hudi/put_if_absent") == set()
