"""Iceberg: what its switches do, and that broken variants are noticed."""

import pytest

from tests.behaviours import reachable_states
from tests.figures import violations
from workbench.checking.check import check
from workbench.kernel import InputError, action
from workbench.protocols.iceberg.model import COW, Iceberg

INVARIANTS = ["ConsistentRead", "NoDanglingDeleteFiles", "LinearCommits"]
THREE = {"MaxWriteOps": 3, "MaxCompactions": 0}
PUBLISHED = {"DeleteChecksDeletes": False}
WHOLE_FILES = {"UpdateMode": COW, "DeleteMode": COW}


@pytest.mark.parametrize(
    ("constants", "violated"),
    [
        ({"MaxCompactions": 0, "Col1": ["jack", "sarah"], "CatalogSwap": "blind"},
         {"ConsistentRead": 9, "LinearCommits": 9}),
        ({**THREE, "Validate": False}, {"ConsistentRead": 15}),
        ({**THREE, **WHOLE_FILES, "Validate": False}, {"ConsistentRead": 15}),
        ({"Validate": False}, {"ConsistentRead": 15, "NoDanglingDeleteFiles": 15}),
    ],
    ids=["blind", "no validation", "copy-on-write", "compaction"],
)  # fmt: skip
def test_what_breaks_it(constants, violated):
    assert violations(Iceberg(**constants), INVARIANTS) == violated


@pytest.mark.parametrize(
    ("constants", "states"),
    [
        ({"CleanUpOnUnknown": True}, 5),
        ({"RemoveOrphans": "any"}, 6),
        ({"RemoveOrphans": "old"}, None),
        ({"RemoveOrphans": "old", "CleanUpOnUnknown": True}, 5),
    ],
    ids=str,
)
def test_clean_up_takes_files_that_snapshots_name(constants, states):
    verdict = check(Iceberg(MaxCompactions=0, **constants), ["PublishedFilesExist"])["PublishedFilesExist"]
    assert verdict.trace_states == states


def test_a_violation_says_what_is_wrong():
    verdict = check(Iceberg(**THREE, **PUBLISHED), ["ConsistentRead"])["ConsistentRead"]
    assert verdict.why == "jack read at version 3: expected no row; the files hold blue, A"
    lost = check(Iceberg(CleanUpOnUnknown=True), ["PublishedFilesExist"])["PublishedFilesExist"]
    assert lost.why == "a snapshot names data file 1, which has been deleted"


def test_a_writer_without_an_operation_keeps_nothing():
    model = Iceberg()
    for state in reachable_states(model):
        for w in model.Writers:
            assert (state.op[w] is None) == (state.phase[w] in ("Ready", "Committed", "Aborted"))


class UpdatesDropRows(Iceberg):
    """Updates do not write new rows."""

    @action(Iceberg.writer)
    def read(self, s, w):
        super().read(s, w)
        if s.op[w].type == "Update":
            s.op[w] = s.op[w]._replace(rows=())


class CompactionsDropRows(Iceberg):
    """A compaction writes nothing."""

    @action(Iceberg.writer)
    def write(self, s, w):
        if s.op[w].type == "Compact":
            s.op[w] = s.op[w]._replace(rows=())
        super().write(s, w)


@pytest.mark.parametrize("variant", [UpdatesDropRows, CompactionsDropRows])
def test_a_wrong_protocol_is_noticed(variant):
    assert violations(variant(), ["ConsistentRead"])


@pytest.mark.parametrize("constants", [THREE, {**THREE, **PUBLISHED}, {"Validate": False}], ids=str)
def test_the_promise_of_a_table_is_kept_where_reads_are_right(constants):
    verdicts = check(Iceberg(**constants), ["ConsistentRead", "OneTable", "OneHistory"]).verdicts
    assert len({verdict.holds for verdict in verdicts}) == 1


def test_bad_constants():
    with pytest.raises(InputError, match=r"^CatalogSwap = 'lock' is not accepted; it takes one of cas, blind$"):
        Iceberg(CatalogSwap="lock")
