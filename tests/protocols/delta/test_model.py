"""Delta Lake: what its switches do, what violations say, and that broken variants are noticed."""

import pytest

from tests.behaviours import reachable_states
from tests.mistakes import always, broken, missed
from workbench.checking.check import check
from workbench.kernel import Place, machine_of
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.delta.model import Delta, Entry, File, live_files

INVARIANTS = {"ConsistentRead", "ValidDeltaLog"}
LOCK = {"PutIfAbsentSupported": False, "UseCoordination": True}
OTHER = {"Column2Values": 1}


@pytest.mark.slow
def test_the_published_number_of_generated_states_that_no_configuration_has():
    assert check(Delta(OpLimit=3, UseCoordination=True), INVARIANTS).generated == 135_033


@pytest.mark.slow
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


# Mistakes that the configurations notice ------------------------------------------------------------------------------


def inserts_forget(self, s, w):
    """An insert writes its row alone, and not those of the file that it replaces."""
    Delta.write.function(self, s, w)
    if s.transaction[w].type == "Insert":
        (one,) = s.added[w]
        mine = (row for row in s.files[one.number].rows if row.column2 == s.transaction[w].column2)
        s.files[one.number] = s.files[one.number]._replace(rows=frozenset(mine))


def deletes_remove_nothing(self, s, w):
    """A delete adds its file, and leaves the old one live."""
    Delta.write.function(self, s, w)
    if s.transaction[w].type == "Delete":
        s.removed[w] = frozenset()


def files_are_overwritten(self, s, w):
    """A new file has the name of the file that it replaces."""
    Delta.write.function(self, s, w)
    s.added[w] |= s.removed[w]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "methods", "noticed"),
    [
        ("read_version_conflicts", {"conflict": always(False)}, {"ConsistentRead"}),
        ("three_transactions_no_partitions", {"conflict": always(False)}, {"ConsistentRead"}),
        ("three_transactions_coordination", {"conflict": always(False)}, {"ConsistentRead"}),
        ("put_if_absent", {"write": inserts_forget}, {"ConsistentRead"}),
        ("put_if_absent", {"write": deletes_remove_nothing}, {"ConsistentRead"}),
        ("put_if_absent", {"write": files_are_overwritten}, INVARIANTS),
    ],
    ids=lambda x: "-".join(x) if isinstance(x, dict) else x if isinstance(x, str) else "",
)
def test_a_mistake_is_noticed(name, methods, noticed):
    assert noticed <= missed(broken(Delta, **methods), f"delta/{name}")


# What violations say, and the state ---------------------------------------------------------------------------------


def test_a_violation_says_what_is_wrong_and_where():
    verdict = check(Delta(PutIfAbsentSupported=False, **OTHER), ["ConsistentRead"])["ConsistentRead"]
    assert verdict.why == "k1 read at version 1: expected v1; the live files hold no row"
    model, last = Delta(PutIfAbsentSupported=False, **OTHER), verdict.trace.last
    fault = Delta.ConsistentRead.function(model, last, "k1", 1)
    assert fault.places[0] == Place("log", 1)
    assert [place.variable for place in fault.places[1:]] == ["files"] * len(live_files(model.entries(last, 1)))


def test_an_entry_that_adds_what_it_removes_is_named():
    model = machine_of(Delta())
    (start,) = model.initial_states()
    one = frozenset({File(1, "k1")})
    broken = model.state([Entry(one, one) if cell.variable == "log" else value for cell, value in start.items()])
    assert Delta.ValidDeltaLog.function(model, broken, 1) == "entry 1 adds and removes file 1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constants", "name", "why"),
    [
        ({"CleanUp": "any"}, "PublishedFilesExist", "the last version has file 1, which has been deleted"),
        ({"LostAnswer": "delete"}, "PublishedFilesExist", "the last version has file 1, which has been deleted"),
        ({"LostAnswer": "retry", "BlindAppends": True}, "CommittedOnce", "entry 2 is of a transaction that had one"),
    ],
    ids=str,
)
def test_files_that_are_missed_and_entries_too_many_are_named(constants, name, why):
    model = Delta(**constants, **OTHER)
    verdict = check(model, [name])[name]
    assert verdict.why == why
    (place,) = getattr(Delta, name).function(model, verdict.trace.last).places
    assert place == (Place("log", 2) if name == "CommittedOnce" else Place("files", 1))


def test_a_transaction_loses_one_answer_so_that_overwriting_ends():
    model = Delta(Column1Values=1, Column2Values=1, LostAnswer="retry", PutIfAbsentSupported=False)
    assert check(model, ["ValidDeltaLog"], budget=Budget(states=2_000)).complete


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["never", "delete"])
def test_a_writer_without_a_transaction_keeps_nothing(lost):
    model = Delta(**LOCK, **OTHER, LostAnswer=lost)
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


@pytest.mark.slow
@pytest.mark.parametrize("constants", [{}, {"PutIfAbsentSupported": False}, {**LOCK, "LockExpires": True}], ids=str)
def test_symmetry_loses_nothing(constants):
    model = Delta(**constants)
    full, reduced = (check(model, INVARIANTS, symmetry=used) for used in (False, True))
    assert [v.trace_states for v in reduced.verdicts] == [v.trace_states for v in full.verdicts]
    assert reduced.depth == full.depth
    assert reduced.distinct < full.distinct / 4
