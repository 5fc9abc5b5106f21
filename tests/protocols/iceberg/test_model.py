"""Iceberg: what violations say, and that mistakes are noticed."""

import pytest

from tests.behaviours import reachable_states, steps_from
from tests.mistakes import broken, missed
from workbench.checking.check import check
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.iceberg.model import Iceberg, Row

THREE = {"MaxWriteOps": 3, "MaxCompactions": 0}
PUBLISHED = {"DeleteChecksDeletes": False}


def test_old_orphans_are_no_help_against_a_clean_up_after_a_lost_answer():
    model = Iceberg(MaxCompactions=0, CleanUp="old", LostAnswer="delete")
    assert check(model, ["PublishedFilesExist"])["PublishedFilesExist"].trace_states == 5


@pytest.mark.slow
def test_an_operation_loses_one_answer_so_that_blind_swaps_end():
    model = Iceberg(MaxCompactions=0, Col1=["jack", "sarah"], Col2=["red"], LostAnswer="retry", CatalogSwap="blind")
    assert check(model, ["LinearCommits"], budget=Budget(states=4_000)).complete


@pytest.mark.slow
@pytest.mark.parametrize(
    ("constants", "name", "why"),
    [
        ({**THREE, **PUBLISHED}, "ConsistentRead", "jack read at version 3: expected no row; the files hold blue, A"),
        ({"LostAnswer": "delete"}, "PublishedFilesExist", "a snapshot names data file 1, which has been deleted"),
        ({"CleanUp": "any"}, "PublishedFilesExist", "a snapshot names data file 1, which has been deleted"),
        (
            {"LostAnswer": "retry", "Remember": "id", "CleanUp": "old"},
            "CommittedOnce",
            "version 3 adds the files of an earlier one again",
        ),
        ({"LostAnswer": "retry"}, "CommittedOnce", "version 2 adds the files of an earlier one again"),
        ({"CatalogSwap": "blind", "Col1": ["jack", "sarah"]}, "LinearCommits", "version 1 has been replaced"),
    ],
    ids=str,
)
def test_a_violation_says_what_is_wrong(constants, name, why):
    assert check(Iceberg(**constants), [name])[name].why == why


PARTS = ("read", "write", "validate_and_prepare", "commit")


def by(writer, first, *parts):
    """The steps of an operation."""
    return [first, *(f"{part}({writer})" for part in parts)]


def after(model, names):
    """The state to which the steps of these names lead."""
    state = model.initial_states()[0]
    for name in names:
        state = next(after for told, after in steps_from(model, state) if name in told)
    return state


INSERT = by("w1", "start_insert(w1, key=jack)", *PARTS[1:])


def test_an_operation_aborts_if_what_was_committed_since_its_start_has_expired():
    """Whoever cannot see the delete would bring its row back."""
    model = Iceberg(MaxWriteOps=4, MaxCompactions=0, CleanUp="old")
    update, delete = by("w2", "start_update(w2)", "read", "write"), by("w1", "start_delete(w1)", *PARTS)
    steps = [*INSERT, *update, *delete, *INSERT, "expire", "expire", "validate_and_prepare(w2)"]
    assert after(model, steps).phase["w2"] == "Aborted"


def test_an_operation_commits_though_the_snapshot_of_its_start_has_expired():
    """All that was committed since is there to be looked at."""
    model = Iceberg(MaxWriteOps=3, MaxCompactions=0, Col1=["jack", "sarah"], CleanUp="old")
    update, other = by("w2", "start_update(w2)", "read", "write"), by("w1", "start_insert(w1, key=sarah)", *PARTS[1:])
    assert after(model, [*INSERT, *update, *other, "expire", "validate_and_prepare(w2)"]).phase["w2"] == "Commit"


def test_a_delete_strikes_no_row_of_a_file_that_is_added_again_later():
    model = Iceberg(MaxCompactions=0, LostAnswer="retry")
    lost, delete = [*INSERT[:-1], "lose_answer(w1)"], by("w2", "start_delete(w2)", *PARTS)
    state = after(model, [*lost, *delete, "validate_and_prepare(w1)", "commit(w1)"])
    assert [len(model.rows_of(state, one, Row("jack"))) for one in state.snapshots] == [1, 0, 1]


def test_a_delete_file_that_is_gone_strikes_nothing():
    model = Iceberg(MaxCompactions=0, LostAnswer="delete")
    delete = by("w2", "start_delete(w2)", *PARTS[:-1], "lose_answer")
    state = after(model, [*INSERT, *delete])
    assert [len(model.rows_of(state, one, Row("jack"))) for one in state.snapshots] == [1, 1]


def test_a_writer_without_an_operation_keeps_nothing():
    model = Iceberg()
    for state in reachable_states(model):
        for w in model.Writers:
            assert (state.op[w] is None) == (state.phase[w] in ("Ready", "Committed", "Aborted"))


def updates_write_no_rows(self, s, w):
    Iceberg.read.function(self, s, w)
    if s.op[w].type == "Update":
        s.op[w] = s.op[w]._replace(rows=())


def compactions_write_no_rows(self, s, w):
    if s.op[w].type == "Compact":
        s.op[w] = s.op[w]._replace(rows=())
    Iceberg.write.function(self, s, w)


@pytest.mark.slow
@pytest.mark.parametrize("methods", [{"read": updates_write_no_rows}, {"write": compactions_write_no_rows}])
def test_a_mistake_is_noticed(methods):
    assert "ConsistentRead" in missed(broken(Iceberg, **methods), "iceberg/compaction")


@pytest.mark.slow
@pytest.mark.parametrize("constants", [THREE, {**THREE, **PUBLISHED}, {"Validate": False}], ids=str)
def test_the_promise_of_a_table_is_kept_where_reads_are_right(constants):
    verdicts = check(Iceberg(**constants), ["ConsistentRead", "OneTable", "OneHistory"]).verdicts
    assert len({verdict.holds for verdict in verdicts}) == 1


def test_bad_constants():
    with pytest.raises(InputError, match=r"^CatalogSwap = 'lock' is not accepted; it takes one of cas, blind$"):
        Iceberg(CatalogSwap="lock")
