"""Delta Lake: what its switches do, what violations say, and that broken variants are noticed."""

import pytest

from tests.behaviours import reachable_states
from tests.figures import violations
from workbench.checking.check import check
from workbench.kernel import InputError, Place, action
from workbench.protocols.delta.model import Delta, Entry, File, live_files

INVARIANTS = ["ConsistentRead", "ValidDeltaLog"]
LOCK = {"PutIfAbsentSupported": False, "UseCoordination": True}
#: Sizes by the number of values of columns 1 and 2, and transactions.
ONE, OTHER = {"Column1Values": 1}, {"Column2Values": 1}


@pytest.mark.parametrize(
    ("constants", "generated"),
    [
        ({}, 4_473),
        (LOCK, 5_649),
        ({"PartitionByColumn1": False}, 4_345),
        ({**LOCK, "PartitionByColumn1": False}, 5_393),
        pytest.param({"OpLimit": 3}, 118_937, marks=pytest.mark.slow),
        pytest.param({"OpLimit": 3, "UseCoordination": True}, 135_033, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_published_numbers_of_generated_states(constants, generated):
    assert check(Delta(**constants), INVARIANTS).generated == generated


@pytest.mark.parametrize("expires", [False, True])
@pytest.mark.parametrize("partitions", [False, True])
@pytest.mark.parametrize("coordinates", [False, True])
@pytest.mark.parametrize("if_absent", [False, True])
def test_the_promise_of_a_table_needs_put_if_absent_or_a_lock_that_stays(if_absent, coordinates, partitions, expires):
    model = Delta(
        PutIfAbsentSupported=if_absent, UseCoordination=coordinates, PartitionByColumn1=partitions, LockExpires=expires
    )
    verdicts = check(model, ["ConsistentRead", "OneTable", "OneHistory"], symmetry=True).verdicts
    assert {verdict.holds for verdict in verdicts} == {if_absent or (coordinates and not expires)}


def test_coordination_decides_alone_unless_the_lock_expires():
    """A commit under a lock is never refused, so put-if-absent changes nothing."""
    alone, both = (check(Delta(**LOCK, **OTHER) if lock else Delta(UseCoordination=True, **OTHER)) for lock in (1, 0))
    assert (alone.levels, alone.generated) == (both.levels, both.generated)


# Changes that must be noticed ---------------------------------------------------------------------------------------


class NoConflicts(Delta):
    """The conflict check always says no."""

    def conflict(self, s, w):
        return False


THREE = {"OpLimit": 3}


@pytest.mark.parametrize(
    ("constants", "states"),
    [
        ({**THREE, **ONE}, 10),
        ({**THREE, **ONE, "PartitionByColumn1": False}, 10),
        ({**THREE, **ONE, "UseCoordination": True}, 12),
        ({**THREE, **OTHER}, 14),
        ({**THREE, **OTHER, "PartitionByColumn1": False}, 10),
    ],
    ids=str,
)
def test_without_a_conflict_check_reads_are_wrong(constants, states):
    assert violations(Delta(**constants), INVARIANTS) == {}
    assert violations(NoConflicts(**constants), INVARIANTS)["ConsistentRead"] == states


class InsertsForget(Delta):
    """An insert writes its row alone, and not those of the file that it replaces."""

    @action(Delta.writer)
    def write(self, s, w):
        super().write(s, w)
        if s.transaction[w].type == "Insert":
            (one,) = s.added[w]
            mine = (row for row in s.files[one.number].rows if row.column2 == s.transaction[w].column2)
            s.files[one.number] = s.files[one.number]._replace(rows=frozenset(mine))


class DeletesRemoveNothing(Delta):
    """A delete adds its file, and leaves the old one live."""

    @action(Delta.writer)
    def write(self, s, w):
        super().write(s, w)
        if s.transaction[w].type == "Delete":
            s.removed[w] = frozenset()


class FilesAreOverwritten(Delta):
    """A new file has the name of the file that it replaces."""

    @action(Delta.writer)
    def write(self, s, w):
        super().write(s, w)
        s.added[w] |= s.removed[w]


@pytest.mark.parametrize(
    ("variant", "violated"),
    [
        (InsertsForget, ["ConsistentRead"]),
        (DeletesRemoveNothing, ["ConsistentRead"]),
        (FilesAreOverwritten, ["ConsistentRead", "ValidDeltaLog"]),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_wrong_protocol_is_noticed(variant, violated):
    assert list(violations(variant(**ONE), INVARIANTS)) == violated


# What violations say, and the state ---------------------------------------------------------------------------------


def test_a_violation_says_what_is_wrong_and_where():
    verdict = check(Delta(PutIfAbsentSupported=False, **OTHER), ["ConsistentRead"])["ConsistentRead"]
    assert verdict.why == "k1 read at version 1: expected v1; the live files hold no row"
    model, last = Delta(PutIfAbsentSupported=False, **OTHER), verdict.trace.last
    fault = Delta.ConsistentRead.function(model, last, "k1", 1)
    assert fault.places[0] == Place("log", 1)
    assert [place.variable for place in fault.places[1:]] == ["files"] * len(live_files(model.entries(last, 1)))


def test_an_entry_that_adds_what_it_removes_is_named():
    model = Delta()
    (start,) = model.initial_states()
    one = frozenset({File(1, "k1")})
    broken = model.state([Entry(one, one) if cell.variable == "log" else value for cell, value in start.items()])
    assert Delta.ValidDeltaLog.function(model, broken, 1) == "entry 1 adds and removes file 1"


def test_a_writer_without_a_transaction_keeps_nothing():
    model = Delta(**LOCK, **OTHER)
    for state in reachable_states(model):
        for w in model.Writers:
            if state.phase[w] in ("Ready", "Failed"):
                assert (state.transaction[w], state.version[w], state.snapshot[w]) == (None, None, ())
                assert not state.targets[w] | state.added[w] | state.removed[w]
                assert state.lock != w


def test_there_can_be_more_files_than_transactions():
    """Two inserts into new files, and two transactions that write both files again."""
    model = Delta(Writers=1, OpLimit=4, Column1Values=1, Column2Values=1)
    assert max(model.file_count(state) for state in reachable_states(model)) == 6


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"OpLimit": 0}, "OpLimit = 0 is not accepted; it takes an integer from 1 to 6"),
        ({"LockExpires": 1}, "LockExpires = 1 is not accepted; it takes true or false"),
        ({"Column1Values": ["a"], "Column2Values": ["a"]},
         "Column1Values and Column2Values both hold 'a'; names must differ"),
    ],
    ids=["limit", "switch", "names"],
)  # fmt: skip
def test_bad_constants(constants, message):
    with pytest.raises(InputError) as error:
        Delta(**constants)
    assert str(error.value) == message


@pytest.mark.parametrize("constants", [{}, {"PutIfAbsentSupported": False}, {**LOCK, "LockExpires": True}], ids=str)
def test_symmetry_loses_nothing(constants):
    model = Delta(**constants)
    full, reduced = (check(model, INVARIANTS, symmetry=used) for used in (False, True))
    assert [v.trace_states for v in reduced.verdicts] == [v.trace_states for v in full.verdicts]
    assert reduced.depth == full.depth
    assert reduced.distinct < full.distinct / 4
