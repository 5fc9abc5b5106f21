"""The first check of each model: with its defaults it says what the protocol's page does, and raises no question."""

import re

import pytest

from workbench.commands.cli import main
from workbench.kernel import machine_of
from workbench.registry import get_model, models

FIRST_CHECKS = {
    "bakery": """\
4,806 distinct states, 10,277 generated, depth 18

\N{CHECK MARK} holds                    NoLakekeeperConflict
\N{CHECK MARK} holds                    RollbackNoIceberg
\N{CHECK MARK} holds                    UniqueTickets
\N{CHECK MARK} holds                    TicketOrderPreserved
\N{CHECK MARK} reached (6 states)       SomeoneCommits
\N{CHECK MARK} holds                    NonCrashedProgress
""",
    "bakery_v2": """\
124,212 distinct states, 374,011 generated, depth 41

\N{CHECK MARK} holds                    NoLakekeeperConflict
\N{CHECK MARK} holds                    RollbackNoIceberg
\N{CHECK MARK} holds                    UniqueTickets
\N{CHECK MARK} holds                    TicketOrderPreserved
\N{CHECK MARK} reached (33 states)      EveryoneCommits
\N{CHECK MARK} holds                    EventualProgress
""",
    "delta": """\
1,955 distinct states, 4,473 generated, depth 10

\N{CHECK MARK} holds                    ConsistentRead
\N{CHECK MARK} holds                    ValidDeltaLog
\N{CHECK MARK} reached (9 states)       SomeDeleteCommits
\N{CHECK MARK} reached (9 states)       SomeConflictAborts
\N{CHECK MARK} reached (10 states)      SomeRetryCommits
\N{CHECK MARK} holds                    EventuallyCompletes
""",
    "hudi": """\
5,271 distinct states, 9,169 generated, depth 17

\N{CHECK MARK} holds                    ConsistentRead
\N{CHECK MARK} holds                    NoDuplicateKeysAcrossFiles
\N{CHECK MARK} reached (17 states)      SomeDeleteCommits
\N{CHECK MARK} reached (4 states)       SomeOperationAborts
\N{CHECK MARK} holds                    EventuallyWriterTerminates
""",
    "iceberg": """\
1,383 distinct states, 2,273 generated, depth 16

\N{CHECK MARK} holds                    ConsistentRead
\N{CHECK MARK} holds                    NoDanglingDeleteFiles
\N{CHECK MARK} holds                    LinearCommits
\N{CHECK MARK} reached (5 states)       SomeoneCommits
\N{CHECK MARK} reached (10 states)      SomeoneCompacts
\N{CHECK MARK} holds                    OperationsEventuallyEnd
""",
    "paimon": """\
957 distinct states, 1,545 generated, depth 17

\N{CHECK MARK} holds                    ConsistentRead
\N{CHECK MARK} holds                    NoDanglingDeletionVectors
\N{CHECK MARK} holds                    OneValidRowPerKeyAboveLevel0
\N{CHECK MARK} reached (5 states)       SomeoneWrites
\N{CHECK MARK} reached (9 states)       SomeoneCompacts
\N{CHECK MARK} holds                    AllOperationsCommitted
""",
    "bakery_endless": """\
11,676 distinct states, 25,413 generated (1,848 outside the constraint TicketsWithin), depth 25
note: explored within the constraint TicketsWithin: 1,848 of 25,413 generated states lie outside, judged but not \
explored

\N{CHECK MARK} holds within the constraint NoLakekeeperConflict: beyond the constraint TicketsWithin nothing is known
\N{CHECK MARK} holds within the constraint RollbackNoIceberg: beyond the constraint TicketsWithin nothing is known
\N{CHECK MARK} holds within the constraint UniqueTickets: beyond the constraint TicketsWithin nothing is known
\N{CHECK MARK} holds within the constraint TicketOrderPreserved: beyond the constraint TicketsWithin nothing is known
\N{CHECK MARK} reached (6 states)       SomeoneCommits
\N{CHECK MARK} reached (11 states)      SomeoneCommitsAgain
""",
    "table": """\
54 distinct states, 379 generated (322 outside the constraint FewVersions), depth 3
note: explored within the constraint FewVersions: 322 of 379 generated states lie outside, judged but not explored

\N{CHECK MARK} holds within the constraint NothingIsLost: beyond the constraint FewVersions nothing is known
\N{CHECK MARK} reached (2 states)       SomeoneWrites
\N{CHECK MARK} holds within the constraint NewestIsLast: beyond the constraint FewVersions nothing is known
\N{CHECK MARK} holds within the constraint VersionsStay: beyond the constraint FewVersions nothing is known
""",
    "late_sink": """\
5,352 distinct states, 11,090 generated, depth 27

\N{CHECK MARK} holds                    CommittedOnce
\N{CHECK MARK} holds                    NothingIsLost
\N{CHECK MARK} reached (5 states)       SomethingIsReplayed
\N{CHECK MARK} holds                    AllIsDone
\N{CHECK MARK} holds                    PublishedFilesExist
\N{CHECK MARK} reached (8 states)       SomethingLandsLate
""",
    "row_ids": """\
119 distinct states, 153 generated, depth 8

\N{CHECK MARK} holds                    UniqueRowIds
\N{CHECK MARK} holds                    RowsKeepIds
\N{CHECK MARK} reached (4 states)       SomeoneTriesAgain
\N{CHECK MARK} reached (6 states)       SomeRowsShareAFile
\N{CHECK MARK} holds                    VersionsGoOn
""",
    "several_tables": """\
40 distinct states, 49 generated, depth 6

\N{CHECK MARK} holds                    AllOrNothing
\N{CHECK MARK} holds                    ReadsOneCommit
\N{CHECK MARK} holds                    RefusedLeavesNothing
\N{CHECK MARK} reached (5 states)       SomeoneIsRefused
\N{CHECK MARK} holds                    EachIsAnswered
""",
    "deletion_vectors": """\
597 distinct states, 771 generated, depth 7

\N{CHECK MARK} holds                    OneVector
\N{CHECK MARK} holds                    DeletedRowsStayDeleted
\N{CHECK MARK} holds                    OtherRowsAreReadOnce
\N{CHECK MARK} reached (5 states)       SomeVectorsAreMerged
\N{CHECK MARK} reached (5 states)       SomeDeleteAborts
\N{CHECK MARK} reached (5 states)       SomeVectorIsRemapped
\N{CHECK MARK} holds                    EachEnds
""",
    "sink": """\
106 distinct states, 135 generated, depth 14

\N{CHECK MARK} holds                    CommittedOnce
\N{CHECK MARK} holds                    NothingIsLost
\N{CHECK MARK} reached (5 states)       SomethingIsReplayed
\N{CHECK MARK} holds                    AllIsDone
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, protocol in models().items() if not protocol.is_gallery])
def test_the_first_check_says_that_the_published_protocol_holds_and_nothing_else(name, capsys):
    status = main(["check", name])
    _, _, printed = capsys.readouterr().out.partition("\n")  # the first line gives the constants
    assert re.sub(r", [\d.]+ s \(.* engine\)", "", printed) == FIRST_CHECKS[name.removesuffix("_published")]
    assert status == 0


@pytest.mark.parametrize(
    ("name", "constants", "liveness"),
    [
        ("bakery", {}, ["NonCrashedProgress"]),
        ("bakery", {"MaxCrashes": 0}, ["EventualProgress"]),
        ("bakery", {"MaxRestarts": 1}, ["NonCrashedProgress", "RestartsHeal"]),
        ("bakery_v2", {}, ["EventualProgress"]),
        ("bakery_v2", {"SafeAcks": False}, ["EventualProgress"]),
        ("bakery_v2", {"MaxCrashes": 1}, []),
        ("bakery_v2", {"MaxCrashes": 1, "MaxRestarts": 1}, ["RestartsHeal"]),
        ("hudi", {"FailInAnyPhase": True}, ["EventuallyWriterTerminates"]),
        ("paimon", {"ONE_WRITER_PER_BUCKET": False}, []),
    ],
)
def test_which_progress_is_asked_for_follows_from_the_constants(name, constants, liveness):
    asked = machine_of(get_model(name)(**constants)).select()
    assert [declared.name for declared in asked if declared.kind == "liveness"] == liveness
