"""What the switches of the models that all formats share decide together; each alone is a configuration."""

import pytest

from workbench.checking.check import check
from workbench.protocols.delta.vectors import DeletionVectors
from workbench.protocols.table.late_sink import LateSink
from workbench.protocols.table.row_ids import RowIds
from workbench.protocols.table.several_tables import SeveralTables

SMALL = {"Records": 2, "MaxCrashes": 1}


def violated(model):
    return {verdict.name for verdict in check(model).verdicts if verdict.holds is False}


@pytest.mark.slow
@pytest.mark.parametrize("remember", ["none", "id"])
@pytest.mark.parametrize("key", ["none", "expires", "kept"])
@pytest.mark.parametrize("landing", ["blind", "checked"])
def test_what_is_judged_where_a_request_lands_decides_alone(landing, key, remember):
    once = landing == "checked" or key == "kept"
    assert violated(LateSink(**SMALL, Landing=landing, Key=key, Remember=remember)) == (
        set() if once else {"CommittedOnce"}
    )


@pytest.mark.slow
@pytest.mark.parametrize("key", ["none", "kept"])
@pytest.mark.parametrize("landing", ["blind", "checked"])
def test_neither_an_id_nor_a_key_helps_a_job_that_deletes(landing, key):
    assert "PublishedFilesExist" in violated(LateSink(**SMALL, Landing=landing, Key=key, GiveUp="delete"))


@pytest.mark.parametrize("compact", ["never", "carries", "assigns"])
@pytest.mark.parametrize("restore", ["never", "keeps", "rewinds"])
@pytest.mark.parametrize("assign", ["commit", "start"])
def test_row_ids_are_unique_if_taken_in_each_attempt_and_never_given_back(assign, restore, compact):
    shared = {"UniqueRowIds"} if assign == "start" or restore == "rewinds" else set()
    changed = {"RowsKeepIds"} if compact == "assigns" else set()
    assert violated(RowIds(Assign=assign, Restore=restore, Compact=compact)) == shared | changed


@pytest.mark.parametrize("load", ["together", "each"])
@pytest.mark.parametrize("swap", ["all", "each"])
def test_all_or_nothing_needs_the_catalog_and_the_reader(swap, load):
    writes = {"AllOrNothing", "RefusedLeavesNothing"} if swap == "each" else set()
    reads = set() if (swap, load) == ("all", "together") else {"ReadsOneCommit"}
    assert violated(SeveralTables(Swap=swap, Load=load)) == writes | reads


@pytest.mark.parametrize("compact", ["never", "aborts", "remaps", "forgets"])
@pytest.mark.parametrize("conflict", ["rows", "file", "none"])
def test_deleted_rows_stay_deleted_if_deletes_notice_each_other_and_the_compaction(conflict, compact):
    wrong = violated(DeletionVectors(Conflict=conflict, Compact=compact))
    assert ("OneVector" in wrong) == (conflict == "none")
    assert ("DeletedRowsStayDeleted" in wrong) == (conflict == "none" or compact == "forgets")
