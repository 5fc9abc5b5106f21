"""Delta tables, as tests/protocols/delta/layout.py and deltalake write them, are read and judged."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.audits.expected import agreed, damage, refusal
from tests.protocols.delta.layout import DeltaTable
from workbench.audits import Audit, audit


def graded(found: Audit) -> list[tuple[str, str, int | None]]:
    return [(one.property, one.grade, one.version) for one in found.findings]


@pytest.fixture
def table(tmp_path):
    """Four commits, with a checkpoint after the third."""
    made = DeltaTable(tmp_path / "t")
    made.commit(made.add("a"), made.add("b"))
    made.commit(made.add("c"))
    made.commit(made.remove("a"), made.add("d"), readVersion=1, isBlindAppend=False)
    made.checkpoint()
    made.commit(made.add("e"))
    return made


# Sound tables --------------------------------------------------------------------------------------------------------


def test_a_sound_table_is_clean(table):
    found = agreed(table.folder)
    assert (graded(found), found.versions, found.complete) == ([], (0, 3), True)


@pytest.mark.parametrize("how", [{"parts": 2}, {"sidecar": True}])
def test_checkpoints_of_all_kinds_are_read(tmp_path, how):
    made = DeltaTable(tmp_path / "t")
    for name in "abc":
        made.commit(made.add(name))
    made.checkpoint(**how)
    assert graded(agreed(made.folder)) == []
    for version in range(3):
        made.entry(version).unlink()
    made.commit(made.remove("a"))
    found = agreed(made.folder)
    assert (graded(found), found.versions, found.complete) == ([], (2, 3), True)


def test_names_are_decoded_once_and_may_have_wide_spaces(tmp_path):
    made = DeltaTable(tmp_path / "t")
    spelled = {"p=a%2520b/f": "p=a%20b/f", "p=%E3%80%80/g": "p=\u3000/g", "p=x/h%23": "p=x/h#"}
    made.commit(*(made.add(name, path=path) for path, name in spelled.items()))
    made.commit(made.remove("p=x/h%23"))
    assert graded(agreed(made.folder)) == []


def test_statistics_may_be_added_and_files_restored(table):
    table.commit(table.add("e", dataChange=False, stats="{}"))
    table.commit(table.remove("e"))
    table.commit(table.add("e"))
    assert graded(agreed(table.folder)) == []


# What is wrong -------------------------------------------------------------------------------------------------------


def test_files_that_are_not_live_cannot_be_removed(table):
    table.commit(table.remove("a"), table.add("f"))
    table.commit(table.remove("never"))
    found = agreed(table.folder)
    assert graded(found) == [("ConsistentRead", "proved", 4), ("ConsistentRead", "proved", 5)]
    assert "which version 2 has removed" in found.findings[0].evidence[0]
    assert "which no entry before has added" in found.findings[1].evidence[0]


def test_a_live_file_is_not_added_again(table):
    table.commit(table.add("b"))
    assert graded(agreed(table.folder)) == [("ConsistentRead", "suspect", 4)]


def test_an_entry_does_not_add_and_remove_a_file(table):
    table.commit(table.add("f"), table.remove("f"))
    assert graded(agreed(table.folder)) == [("ValidDeltaLog", "proved", 4)]


def test_gaps_are_proved_unless_a_checkpoint_makes_up_for_them(table):
    table.commit(table.add("f"))
    table.entry(1).unlink()
    assert graded(agreed(table.folder)) == [("SequentialSnapshots", "suspect", 1)]
    table.entry(3).unlink()
    found = agreed(table.folder)
    assert graded(found) == [("SequentialSnapshots", "proved", 3), ("SequentialSnapshots", "suspect", 1)]
    assert not found.complete


def test_a_checkpoint_has_what_the_entries_add_up_to(table):
    """As after an entry was overwritten, before or after its checkpoint."""
    lines = table.entry(1).read_text().replace('"c"', '"x"')
    table.entry(1).write_text(lines)
    found, missing = agreed(table.folder).findings
    assert (found.property, found.grade, found.version) == ("ConsistentRead", "proved", 2)
    assert missing.evidence == ("there is no x; version 1 added it",)
    assert any("it lacks x" in one for one in found.evidence)


def test_the_pointer_names_a_checkpoint_that_is_there(table):
    hint = table.log / "_last_checkpoint"
    hint.write_text('{"version": 2, "size": 77}')
    assert graded(agreed(table.folder)) == [("CountsAgree", "suspect", 2)]
    hint.write_text('{"version": 3}')
    assert graded(agreed(table.folder)) == [("PublishedFilesExist", "proved", 3)]


def test_a_checksum_file_has_the_counts(table):
    (table.log / f"{3:020}.crc").write_text('{"numFiles": 4, "tableSizeBytes": 40, "numMetadata": 1}')
    assert graded(agreed(table.folder)) == []
    (table.log / f"{3:020}.crc").write_text('{"numFiles": 5, "tableSizeBytes": 40}')
    assert graded(agreed(table.folder)) == [("CountsAgree", "suspect", 3)]


def test_a_checksum_file_outlives_the_entry_that_it_is_of(table):
    (table.log / f"{3:020}.crc").write_text('{"numFiles": 4}')
    table.entry(3).unlink()
    assert graded(agreed(table.folder)) == [("SequentialSnapshots", "suspect", 3)]


def test_a_checkpoint_has_the_cardinality_of_each_deletion_vector(table):
    table.strike("b", [1, 5])
    table.live["b"]["add"]["deletionVector"]["cardinality"] = 3
    table.checkpoint()
    (found,) = agreed(table.folder).findings
    assert (found.property, found.grade, found.version) == ("ConsistentRead", "proved", 4)


def test_data_files_exist_and_have_their_sizes(table):
    (table.folder / "b").write_bytes(b"")
    (table.folder / "c").unlink()
    (found,) = agreed(table.folder).findings
    assert (found.property, len(found.evidence)) == ("PublishedFilesExist", 2)


def test_a_missing_file_has_the_rows_of_its_statistics_and_the_time_of_its_commit(table):
    table.commit(table.add("x", stats='{"numRecords": 4}'), timestamp=1_700_000_000_000)
    (table.folder / "x").unlink()
    (found,) = agreed(table.folder).findings
    assert found.evidence == (
        f"there is no x; version {table.version} added it at 2023-11-14 22:13:20 UTC, with 4 rows",
    )


SPARK = {"engineInfo": "Apache-Spark/3.5 Delta-Lake/3.2", "isBlindAppend": False}


def test_the_conflict_check_is_made_again(table):
    read = table.version
    table.commit(table.add("f"), isBlindAppend=True)
    table.commit(table.remove("b"), readVersion=read, isolationLevel="WriteSerializable", **SPARK)
    assert graded(agreed(table.folder)) == []  # blind appends do not conflict at this level
    table.commit(table.remove("c"), readVersion=read, isolationLevel="Serializable", **SPARK)
    table.commit(table.remove("f"), readVersion=read)
    table.commit(table.add("g"), readVersion=99)
    assert set(graded(agreed(table.folder))) == {
        ("ConsistentRead", "suspect", 6),
        ("ConsistentRead", "suspect", 7),
        ("CountsAgree", "suspect", 8),
    }


def test_in_commit_timestamps_grow(tmp_path):
    made = DeltaTable(tmp_path / "t", **{"delta.enableInCommitTimestamps": "true"})
    for stamp in (5, 6, 6):
        made.commit(made.add(f"f{made.version}"), inCommitTimestamp=stamp)
    assert graded(agreed(made.folder)) == [("TimestampsGrow", "proved", 2)]


def test_acknowledged_commits_are_there(table, tmp_path):
    table.commit(table.add("f"), timestamp=12)
    acks = tmp_path / "acks"
    acks.write_text('{"version": 1}\n{"version": 4, "timestamp": 12}\n')
    assert graded(agreed(table.folder, acks=acks)) == []
    acks.write_text('{"version": 4, "timestamp": 13}\n{"version": 4, "appId": "a"}\n{"version": 5}\n')
    assert [one[:2] for one in graded(agreed(table.folder, acks=acks))] == [
        ("AcknowledgedCommitsPresent", "proved")
    ] * 3


def test_deletion_vectors_are_read(table):
    table.strike("b", [1, 5])
    assert graded(agreed(table.folder)) == []
    (vector,) = table.folder.glob("deletion_vector_*.bin")
    content = vector.read_bytes()
    vector.write_bytes(content[:-1] + b"?")
    assert "does not have its checksum" in damage(table.folder)
    vector.unlink()
    assert graded(agreed(table.folder)) == [("PublishedFilesExist", "proved", 4)]


def test_a_deletion_vector_has_its_cardinality_and_takes_the_place_of_the_old(table):
    table.strike("b", [1, 5], cardinality=3)
    assert "has 2 rows, and is said to have 3" in damage(table.folder)
    text = table.entry(4).read_text().splitlines()
    table.entry(4).write_text(
        "\n".join(one for one in text if "remove" not in one).replace('"cardinality": 3', '"cardinality": 2')
    )
    assert graded(agreed(table.folder)) == [("ConsistentRead", "proved", 4)]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "is not JSON"),
        ("[]", r"holds \[\] instead of an object"),
        ('{"add": {"size": 1}}', "it has no path"),
        ('{"add": {"path": "x", "partitionValues": {}, "size": "1", "dataChange": true}}', "size is '1'"),
        ('{"metaData": {"id": "x", "schemaString": "", "partitionColumns": []}}', "is not JSON"),
        ("", "it has no action"),
    ],
)
def test_an_entry_that_is_damaged_is_a_finding(table, line, why):
    table.entry(3).write_text(line)
    assert re.search(why, damage(table.folder))


def test_a_protocol_that_is_not_known_is_refused(table):
    table.entry(3).write_text('{"protocol": {"minReaderVersion": 4, "minWriterVersion": 7}}')
    assert "minReaderVersion is 4; 1 to 3 are read" in refusal(table.folder)


def test_what_is_not_known_is_named(tmp_path):
    features = {"readerFeatures": ["new"], "writerFeatures": ["new", "other"]}
    made = DeltaTable(tmp_path / "t", {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}})
    made.commit(made.add("a"))
    found = audit(made.folder)
    assert (found.findings, found.complete) == ((), False)
    assert "what the table feature 'new' changes: it is not known here" in found.not_checked


def test_a_log_without_its_beginning_is_a_finding(table):
    table.entry(0).unlink()
    next(table.log.glob("*.checkpoint.parquet")).unlink()
    assert "begins with version 1, and has no complete checkpoint" in damage(table.folder)


def test_files_of_the_change_data_feed_may_count_as_added(tmp_path):
    made = DeltaTable(tmp_path / "t")
    made.commit(made.add("a"))
    changes = {"cdc": {"path": "_change_data/c", "partitionValues": {"p": "x"}, "size": 1, "dataChange": False}}
    info = {"engineInfo": "delta-rs:py-1.6.6", "operationMetrics": {"num_added_files": 2, "num_removed_files": 1}}
    made.commit(made.add("b"), changes, made.remove("a"), **info)
    assert graded(agreed(made.folder)) == []
    made.commit(made.add("c"), made.remove("b"), **info)
    assert graded(agreed(made.folder)) == [("CountsAgree", "suspect", 2)]


# Tables that deltalake writes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["races", "changes", *(f"life{seed}" for seed in range(6))])
def test_what_deltalake_does_to_a_table_is_clean(writers, tmp_path, kind):
    script = Path(__file__).with_name("writer.py")
    subprocess.run([writers, "-W", "ignore", script, tmp_path / kind, kind], check=True, capture_output=True)
    moved = (tmp_path / kind).rename(tmp_path / "renamed")
    found = agreed(moved)
    assert (graded(found), found.complete) == ([], True)
    assert json.dumps(found.as_dict())
