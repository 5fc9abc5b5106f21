"""The first check of each model: with its defaults it says what the protocol's page does, and raises no question."""

import re

import pytest

from workbench.commands.cli import main
from workbench.kernel import machine_of
from workbench.registry import get_model, models

#: By model: the line of its figures, and the properties that hold or, where it says in how many states, are reached.
FIRST_CHECKS = {
    "bakery": (
        "4,806 distinct states, 10,277 generated, depth 18",
        "NoLakekeeperConflict RollbackNoIceberg UniqueTickets TicketOrderPreserved SomeoneCommits:6 NonCrashedProgress",
    ),
    "bakery_v2": (
        "124,212 distinct states, 374,011 generated, depth 41",
        "NoLakekeeperConflict RollbackNoIceberg UniqueTickets TicketOrderPreserved EveryoneCommits:33 EventualProgress",
    ),
    "delta": (
        "1,955 distinct states, 4,473 generated, depth 10",
        "ConsistentRead ValidDeltaLog SomeDeleteCommits:9 SomeConflictAborts:9 SomeRetryCommits:10 EventuallyCompletes",
    ),
    "hudi": (
        "5,271 distinct states, 9,169 generated, depth 17",
        "ConsistentRead NoDuplicateKeysAcrossFiles SomeDeleteCommits:17 SomeOperationAborts:4 "
        "EventuallyWriterTerminates",
    ),
    "iceberg": (
        "1,383 distinct states, 2,273 generated, depth 16",
        "ConsistentRead NoDanglingDeleteFiles LinearCommits SomeoneCommits:5 SomeoneCompacts:10 "
        "OperationsEventuallyEnd",
    ),
    "paimon": (
        "957 distinct states, 1,545 generated, depth 17",
        "ConsistentRead NoDanglingDeletionVectors OneValidRowPerKeyAboveLevel0 SomeoneWrites:5 "
        "SomeoneCompacts:9 AllOperationsCommitted",
    ),
    "bakery_endless": (
        "11,676 distinct states, 25,413 generated (1,848 outside the constraint TicketsWithin), depth 25",
        "NoLakekeeperConflict RollbackNoIceberg UniqueTickets TicketOrderPreserved SomeoneCommits:6 "
        "SomeoneCommitsAgain:11",
    ),
    "table": (
        "54 distinct states, 379 generated (322 outside the constraint FewVersions), depth 3",
        "NothingIsLost SomeoneWrites:2 NewestIsLast VersionsStay",
    ),
    "late_sink": (
        "5,352 distinct states, 11,090 generated, depth 27",
        "CommittedOnce NothingIsLost SomethingIsReplayed:5 AllIsDone PublishedFilesExist SomethingLandsLate:8",
    ),
    "row_ids": (
        "119 distinct states, 153 generated, depth 8",
        "UniqueRowIds RowsKeepIds SomeoneTriesAgain:4 SomeRowsShareAFile:6 VersionsGoOn",
    ),
    "several_tables": (
        "40 distinct states, 49 generated, depth 6",
        "AllOrNothing ReadsOneCommit RefusedLeavesNothing SomeoneIsRefused:5 EachIsAnswered",
    ),
    "deletion_vectors": (
        "597 distinct states, 771 generated, depth 7",
        "OneVector DeletedRowsStayDeleted OtherRowsAreReadOnce SomeVectorsAreMerged:5 SomeDeleteAborts:5 "
        "SomeVectorIsRemapped:5 EachEnds",
    ),
    "sink": (
        "106 distinct states, 135 generated, depth 14",
        "CommittedOnce NothingIsLost SomethingIsReplayed:5 AllIsDone",
    ),
}


def first_check(name: str) -> str:
    """What the command prints, without its first line."""
    figures, properties = FIRST_CHECKS[name]
    note, held, beyond = "", f"{'holds':<24}", ""
    if bounded := re.search(r"(\S+) generated \((\S+) outside the constraint (\w+)", figures):
        generated, outside, constraint = bounded.groups()
        lie = f"{outside} of {generated} generated states lie outside, judged but not explored"
        note = f"note: explored within the constraint {constraint}: {lie}\n"
        held, beyond = "holds within the constraint", f": beyond the constraint {constraint} nothing is known"
    printed = f"{figures}\n{note}\n"
    for declared in properties.split():
        title, _, states = declared.partition(":")
        said = f"{f'reached ({states} states)':<24} {title}" if states else f"{held} {title}{beyond}"
        printed += f"\N{CHECK MARK} {said}\n"
    return printed


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, protocol in models().items() if not protocol.is_gallery])
def test_the_first_check_says_that_the_published_protocol_holds_and_nothing_else(name, capsys):
    status = main(["check", name])
    _, _, printed = capsys.readouterr().out.partition("\n")  # the first line gives the constants
    assert re.sub(r", [\d.]+ s \(.* engine\)", "", printed) == first_check(name.removesuffix("_published"))
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
