"""Hudi's tables: what is read of them, and what the audit says. `layout.py` lays them out."""

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.audits import expected as audits
from tests.audits.expected import answer, damage, refusal
from tests.protocols.hudi.layout import HudiTable, avro
from workbench import check
from workbench.audits import Audit, audit
from workbench.audits.damaged import Damages
from workbench.audits.source import Source
from workbench.commands.cli import main
from workbench.kernel import InputError
from workbench.protocols.hudi.audit import keys as hudi_keys
from workbench.protocols.hudi.audit import states as hudi_states
from workbench.protocols.hudi.audit.read import not_built_on_before, read
from workbench.protocols.hudi.audit.timeline import properties

VERSIONS = (5, 6, 8, 9)


@pytest.fixture(params=VERSIONS)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> HudiTable:
    return HudiTable(tmp_path / "t", request.param)


def agreed(table: HudiTable, **how: Any) -> Audit:
    found = audits.agreed(table, **how)
    for one in found.findings:
        if one.model is not None:
            cause = one.cause or {}
            assert cause.items() <= one.model.constants.items()
            assert set(one.repair) <= {*cause, "PutIfAbsentSupported"}
    return found


def graded(found: Audit) -> list[tuple[str, str]]:
    return [(one.property, one.grade) for one in found.findings]


# The layout ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("version", [6, 8, 9])  # not 5, which that reader does not know
def test_what_the_tests_lay_out_is_what_hudi_reads(writers, tmp_path, version, partitioned):
    table = HudiTable(tmp_path / "t", version, partitioned=partitioned)
    where = {"partition": "day=1" if partitioned else ""}
    table.commit("a", {"jack": "red", "sarah": "blue"}, **where)
    table.commit("a", {"jack": "green"}, deletes=["sarah"], **where)
    table.begin("CLUSTER").put("b", {"jack": "green"}, **where).replace("a", **where).complete()
    table.commit("c", {"tom": "red"}, "INSERT", **where)
    table.begin("INSERT_OVERWRITE").put("d", {"tom": "blue"}, **where).replace("c", **where).complete()
    table.roll_back(table.commit("d", {"sam": "red"}, **where))
    table.begin().put("d", {"bob": "red"}, **where)
    table.clean(table.now())
    script = Path(__file__).with_name("reader.py")
    done = subprocess.run([writers, script, table.folder], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == {"jack": "green", "tom": "blue"}
    assert graded(agreed(table)) == []


# Clean tables --------------------------------------------------------------------------------------------------------


def test_clean(table):
    table.commit("a", {"jack": "red", "sarah": "blue"})
    table.commit("a", {"jack": "green"})
    table.commit("b", {"tom": "red"})
    table.commit("a", {}, "DELETE", deletes=["sarah"])
    found = agreed(table)
    assert (found.format, graded(found), found.complete, found.holds) == ("hudi", [], True, True)
    assert found.versions == (int(table.instants[0]), int(table.instants[-1]))


def test_partitions_have_keys_of_their_own(table):
    for day in ("day=1", "day=2"):
        table.commit(day, {"jack": "red"}, partition=day)
        table.commit(day, {"jack": "blue"}, partition=day)
    assert graded(agreed(table)) == []


def test_empty_table(table):
    found = agreed(table)
    assert (found.versions, graded(found)) == ((None, None), [])


def test_slices_live_from_their_commit_to_the_next(table):
    one = table.commit("a", {"jack": "red"})
    two = table.commit("a", {"jack": "blue"})
    clustered = table.begin("CLUSTER").put("b", {"jack": "blue"}).replace("a").complete()
    slices = read(Source(table.folder), Damages()).slices
    lives = sorted(
        (first, last) for first, last in zip(*(slices[c].to_pylist() for c in ("first", "last")), strict=True)
    )
    assert lives == [(int(one), int(two)), (int(two), int(clustered)), (int(clustered), None)]


def test_slices_say_whether_they_were_built_on_the_one_before(table):
    table.commit("a", {"jack": "red"})
    table.begin("UPSERT").put("a", {"tom": "red"}).complete()
    late, later = table.begin(), table.begin()
    late.put("a", {"tom": "blue"}).complete()
    last = later.put("a", {"jack": "blue"}).complete()
    slices = read(Source(table.folder), Damages()).slices
    assert not_built_on_before(slices)["first"].to_pylist() == [int(last)]
    assert slices["operation"].to_pylist() == ["UPSERT"] * 4


def test_cleaned_slices_are_no_finding(table):
    for value in ("red", "blue", "green", "black"):
        table.commit("a", {"jack": value})
    table.clean(table.instants[-1])
    assert len(list(table.folder.glob("*.parquet"))) == 2
    assert graded(agreed(table)) == []


def test_what_an_earlier_clean_has_deleted_is_no_finding(table):
    """Its instant is gone; that of a later one says from where on slices were kept."""
    for value in ("red", "blue", "green", "black"):
        table.commit("a", {"jack": value})
    clean = table.clean(table.instants[2])
    for path in table.timeline.glob(f"{clean}*"):
        path.unlink()
    table.clean(table.instants[3])
    assert graded(agreed(table)) == []


def test_what_an_archived_clean_may_have_deleted_is_no_finding(table):
    for value in ("red", "blue", "green"):
        table.commit("a", {"jack": value})
    table.archive(1)
    for one in table.published[:2]:
        (table.folder / one.path).unlink()
    assert graded(agreed(table)) == []
    (table.folder / table.published[2].path).unlink()
    assert graded(agreed(table)) == [("PublishedSlicesExist", "proved")]


def test_what_a_clean_does_not_speak_of_is_missed(table):
    for value in ("red", "blue", "green", "black"):
        table.commit("a", {"jack": value})
    table.clean(table.instants[1])
    (table.folder / table.published[-2].path).unlink()
    assert graded(agreed(table)) == [("PublishedSlicesExist", "proved")]


def test_cleaning_under_way_is_no_finding(table):
    table.commit("a", {"jack": "red"})
    table.commit("a", {"jack": "blue"})
    (table.timeline / f"{table.now()}.clean.inflight").write_bytes(b"")
    (table.folder / table.published[0].path).unlink()
    assert graded(agreed(table)) == []


def test_replaced_and_rolled_back(table):
    table.commit("a", {"jack": "red"})
    table.begin("INSERT_OVERWRITE").put("b", {"jack": "blue"}).replace("a").complete()
    table.begin("CLUSTER").put("c", {"jack": "blue"}).replace("b").complete()
    wrong = table.commit("c", {"jack": "black"})
    table.roll_back(wrong)
    table.commit("c", {"jack": "green"})
    table.clean(table.now())
    assert graded(agreed(table)) == []


def test_a_key_may_move_once_it_was_deleted(table):
    table.commit("a", {"jack": "red", "tom": "red"})
    table.commit("a", {}, "DELETE", deletes=["jack"])
    table.commit("b", {"jack": "blue"})
    assert graded(agreed(table)) == []


def test_operations_under_way_are_not_there_yet(table):
    table.commit("a", {"jack": "red"})
    table.begin().put("b", {"jack": "blue"})
    assert graded(agreed(table)) == []


def test_archived_history_is_a_baseline(table):
    for value in ("red", "blue", "green"):
        table.commit("a", {"jack": value})
    table.archive(2)
    found = agreed(table)
    assert (graded(found), found.complete) == ([], True)
    assert any("archived" in one and str(found.versions[0]) in one for one in found.not_checked)


def test_timestamps_to_the_second(tmp_path):
    table = HudiTable(tmp_path / "t", 5)
    for ts, value in (("20200101000000", "red"), ("20200101000001", "blue")):
        table.begin(ts=ts).put("a", {"jack": value}).complete()
    table.commit("a", {"jack": "green"})
    found = agreed(table)
    assert graded(found) == []
    assert found.versions[0] == 20200101000000999


@pytest.mark.parametrize(
    ("property", "projected"),
    [
        ("PublishedSlicesExist", hudi_states.deleted_slice("a", 1, rolled_back=True)),
        ("NoDuplicateKeysAcrossFiles", hudi_states.two_groups("jack", ["a", "b"], [1, 2])),
        ("ConsistentRead", hudi_states.lost_update(None, "a", [1, 2])),
        ("ConsistentRead", hudi_states.one_name("a", 1)),
    ],
)
def test_the_model_gets_to_what_is_found_and_the_repair_prevents_it(property, projected):
    model = type(projected["model"])
    assert check(model(**projected["cause"]), [property])[property].holds is False
    assert check(model(**projected["cause"] | projected["repair"]), [property])[property].holds


# What is wrong -------------------------------------------------------------------------------------------------------


def test_deleted_slice(table):
    table.commit("a", {"jack": "red"})
    table.commit("a", {"jack": "blue"})
    (table.folder / table.published[-1].path).unlink()
    [one] = agreed(table).findings
    assert (one.property, one.grade, one.version) == ("PublishedSlicesExist", "proved", int(table.instants[-1]))
    assert one.bucket == table.file_id("a")
    assert table.published[-1].path in one.evidence[0]


def test_since_is_a_timestamp_or_its_beginning(table, capsys):
    """A beginning of it is a time: what is told of a table from then on has all of the second, or of the day."""
    table.commit("a", {"jack": "red"})
    second = table.commit("b", {"jack": "blue"})
    table.commit("c", {"tom": "red"})
    for since in (int(second), int(second[:14]), int(second[:8])):
        assert graded(agreed(table, since=since)) == [("NoDuplicateKeysAcrossFiles", "proved")]
    table.commit("a", {}, "DELETE", deletes=["jack"])
    last = table.instants[-1]
    found = agreed(table, since=int(last))
    assert found.findings == ()
    note = f"the versions from {table.instants[0]} on that are before {last}, where this audit was told to begin"
    assert note in found.not_checked
    for since in ("20990101000000", "20990101000000000", str(int(last) + 1)):
        assert main(["audit", str(table.folder), "--since", since]) == 2
        error = capsys.readouterr().err
        assert f"since = {since}" in error
        assert f"has versions up to {last}" in error


def test_rows_that_cannot_be_shown_are_damage_and_the_finding_stays(table):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"jack": "blue"})
    path = table.folder / table.published[-1].path
    group = pq.read_metadata(path).row_group(0)
    (chunk,) = (one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == "value")
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    content = bytearray(path.read_bytes())
    content[begin : begin + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(content)
    assert graded(agreed(table)) == [
        ("FilesAreWhole", "damaged"),
        ("NoDuplicateKeysAcrossFiles", "proved"),
    ]


def test_what_was_over_before_the_second_that_is_asked_for_is_left_out(table):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"jack": "blue"})
    table.commit("a", {}, "DELETE", deletes=["jack"])
    later = table.commit("b", {"tom": "blue"})
    assert agreed(table).holds is False
    assert agreed(table, since=int(later[:14])).findings == ()


def test_deleted_slice_that_was_superseded(table):
    table.commit("a", {"jack": "red"})
    table.commit("a", {"jack": "blue"})
    (table.folder / table.published[0].path).unlink()
    [one] = agreed(table).findings
    assert (one.property, one.grade) == ("PublishedSlicesExist", "proved")
    assert agreed(table, since=int(table.instants[-1])).findings == ()


def test_rollback_of_what_had_completed(table):
    ts = table.commit("a", {"jack": "red"})
    table.roll_back(ts, keeps_instant=True)
    [one] = agreed(table).findings
    assert (one.property, one.grade, dict(one.repair)) == ("PublishedSlicesExist", "proved", {"RereadTimeline": True})
    assert "a rollback has deleted it" in one.why


@pytest.mark.parametrize("operation", ["UPSERT", "upsert"])
def test_a_key_in_two_file_groups_by_upsert(table, operation):
    table.commit("a", {"jack": "red"})
    second = table.commit("b", {"jack": "blue", "tom": "red"}, operation)
    table.commit("a", {"jack": "green"})
    [one] = agreed(table).findings
    assert (one.property, one.grade, one.version, one.key) == (
        "NoDuplicateKeysAcrossFiles",
        "proved",
        int(second),
        "jack",
    )
    assert ['"red"' in one.evidence[0] or '"red"' in one.evidence[1], '"blue"' in "".join(one.evidence)] == [True, True]
    assert one.model.Keys == ("jack",)


@pytest.mark.parametrize("operation", ["INSERT", "BULK_INSERT"])
def test_a_key_in_two_file_groups_by_insert(table, operation):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"jack": "blue"}, operation)
    table.commit("b", {"jack": "green"})  # an upsert of a key that is there twice: not what brought it
    found = agreed(table)
    assert graded(found) == [("NoDuplicateKeysAcrossFiles", "outside")]
    assert found.holds is True


def test_a_key_that_was_in_two_file_groups_for_a_while(table):
    table.commit("a", {"jack": "red", "tom": "red"})
    second = table.commit("b", {"jack": "blue"})
    end = table.commit("a", {}, "DELETE", deletes=["jack"])
    [one] = agreed(table).findings
    assert (one.version, one.grade) == (int(second), "proved")
    assert f"until {end}" in one.why
    assert agreed(table, since=int(end)).findings == ()


def test_who_brought_a_key_is_not_known_of_archived_commits(table):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"jack": "blue"})
    table.commit("a", {"tom": "green"})
    table.commit("b", {"sam": "green"})
    table.archive(2)
    assert graded(agreed(table)) == [("NoDuplicateKeysAcrossFiles", "suspect")]


def test_who_was_first_is_not_known_of_archived_commits(table):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"jack": "blue"})
    table.commit("a", {"tom": "green"})
    table.archive(1)
    [one] = agreed(table).findings
    assert (one.grade, one.version) == ("proved", int(table.published[1].ts))  # the slice that the archived one wrote
    (table.folder / table.published[0].path).unlink()
    assert graded(agreed(table)) == [("NoDuplicateKeysAcrossFiles", "suspect")]


def test_keys_of_file_groups_that_only_archived_commits_wrote(table):
    """Their slices are read, as Hudi's readers do: most of a long-lived table is of that kind."""
    table.commit("a", {"jack": "red"})
    table.commit("a", {"tom": "red"})
    table.commit("b", {"sam": "blue"})
    table.archive(2)
    assert graded(agreed(table)) == []
    second = table.commit("c", {"jack": "green"})
    [one] = agreed(table).findings
    assert (one.property, one.grade, one.key, one.version) == (
        "NoDuplicateKeysAcrossFiles",
        "proved",
        "jack",
        int(second),
    )
    end = table.begin("CLUSTER").put("d", {"sam": "blue"}).replace("a").replace("b").complete()
    [one] = agreed(table).findings
    assert f"until {end}" in one.why
    assert agreed(table, since=int(end)).findings == ()


def test_what_is_under_way_since_before_the_active_timeline_is_not_there_yet(table):
    table.commit("a", {"jack": "red"})
    table.begin().put("b", {"jack": "blue"})
    table.commit("c", {"tom": "red"})
    table.archive(1)
    assert graded(agreed(table)) == []


def test_lost_update(table):
    table.commit("a", {"jack": "red"})
    one, two = table.begin(), table.begin()
    one.put("a", {"jack": "blue"}).complete()
    two.put("a", {"tom": "green"}).complete()
    [lost] = agreed(table).findings
    assert (lost.property, lost.grade, lost.version, lost.key) == ("ConsistentRead", "proved", int(two.ts), "jack")
    assert dict(lost.repair) == {"ConcurrencyControl": 1}


def test_lost_insert_and_lost_delete(table):
    for value in ({"jack": "red"}, {"jack": "red", "sam": "red"}):
        table.commit("a", value)
        one, two = table.begin(), table.begin()
        if "sam" in value:
            one.put("a", {}, deletes=["sam"]).complete()
        else:
            one.put("a", {"bob": "blue"}).complete()
        two.put("a", {"tom": "green"}).complete()
    assert [(one.property, one.grade, one.key) for one in agreed(table).findings] == [
        ("ConsistentRead", "proved", "bob"),
        ("ConsistentRead", "proved", "sam"),
    ]


def test_an_update_of_what_clustering_has_replaced(table):
    table.commit("a", {"jack": "red"})
    clustering, update = table.begin("CLUSTER"), table.begin()
    clustering.put("b", {"jack": "red"}).replace("a").complete()
    update.put("a", {"jack": "blue"}).complete()
    [one] = [one for one in agreed(table).findings if one.property == "ConsistentRead"]
    assert (one.grade, one.version) == ("proved", int(update.ts))
    assert clustering.ts in one.why


def test_a_slice_built_on_an_older_one_that_loses_nothing(table):
    table.commit("a", {"jack": "red"})
    one, two = table.begin(), table.begin()
    one.put("a", {"jack": "blue"}).complete()
    two.put("a", {"jack": "green"}).complete()
    assert graded(agreed(table)) == [("ConsistentRead", "suspect")]


def test_a_slice_built_on_what_nobody_published(table):
    table.commit("a", {"jack": "red"})
    between = table.commit("a", {"jack": "blue"})
    table.commit("a", {"jack": "green"})
    for path in table.timeline.glob(f"{between}*"):
        path.unlink()
    assert graded(agreed(table)) == [("ConsistentRead", "suspect")]


def test_acknowledged_commits(table, tmp_path):
    there = table.commit("a", {"jack": "red"})
    acks = tmp_path / "acks"
    acks.write_text(json.dumps({"instant": there}))
    assert graded(agreed(table, acks=acks)) == []
    gone = table.commit("a", {"jack": "blue"})
    table.roll_back(gone)
    acks.write_text("\n".join(json.dumps({"instant": ts}) for ts in (there, gone)))
    [one] = agreed(table, acks=acks).findings
    assert (one.property, one.grade, one.version) == ("AcknowledgedCommitsPresent", "proved", int(gone))
    table.archive(1)
    assert graded(agreed(table, acks=acks)) == []  # they may all be in what was archived


@pytest.mark.slow
def test_a_commit_of_very_many_files(tmp_path):
    """What an instant says is one record, in one block."""
    table = HudiTable(tmp_path / "t", 9)
    ts = table.commit("a", {"jack": "red"})
    rewrite(table, ts, lambda stat: stat | {"fileId": stat["fileId"][:36]}, times=40_000)
    assert read(Source(table.folder), Damages()).slices.num_rows == 40_000


def test_two_operations_with_one_timestamp_and_one_name(table):
    """On the disk only the later one's file is left; the instant is the earlier one's."""
    ts = table.now()
    one, two = table.begin(ts=ts), table.begin(ts=ts)
    one.put("a", {"jack": "red"}, token="0-1-2").complete()
    two.put("a", {"tom": "blue", "sam": "blue", "bob": "blue"}, token="0-1-2")
    [found] = agreed(table).findings
    assert (found.property, found.grade, dict(found.repair)) == (
        "ConsistentRead",
        "proved",
        {"PutIfAbsentSupported": True},
    )


def test_two_files_of_one_slice(table):
    ts = table.now()
    one, two = table.begin(ts=ts), table.begin(ts=ts)
    one.put("a", {"jack": "red"}, token="0-1-2")
    two.put("a", {"tom": "blue"}, token="0-1-3").complete()
    assert graded(agreed(table)) == [("ConsistentRead", "suspect")]


@pytest.mark.parametrize("version", [8, 9])
def test_two_instants_with_one_timestamp(tmp_path, version):
    table = HudiTable(tmp_path / "t", version)
    ts = table.now()
    one, two = table.begin(ts=ts), table.begin(ts=ts)
    one.put("a", {"jack": "red"}, token="0-1-2").complete()
    two.put("a", {"tom": "blue"}, token="0-1-3").complete()
    assert ("ConsistentRead", "proved") in graded(agreed(table))


def test_many_findings_are_counted_rather_than_listed(tmp_path):
    table = HudiTable(tmp_path / "t", 6)
    rows = {f"key{i}": "red" for i in range(150)}
    table.commit("a", rows)
    table.commit("b", rows)
    found = audit(table)
    assert len(found.findings) == 100
    assert any(one.endswith("not listed: 50") for one in found.not_checked)


def test_keys_that_do_not_fit_into_memory_at_once(tmp_path, monkeypatch):
    table = HudiTable(tmp_path / "t", 6)
    table.commit("a", {f"key{i}": "red" for i in range(300)})
    table.commit("b", {f"key{i}": "blue" for i in range(0, 900, 30)})
    at_once = audit(table)
    monkeypatch.setattr(hudi_keys, "MOST_HASHES", 50)
    assert audit(table) == at_once
    assert len(at_once.findings) == 10
    monkeypatch.setattr(hudi_keys, "MOST_KEYS", 3)
    found = audit(table)
    assert len(found.findings) == 3
    assert any(one.endswith("not listed: 7") for one in found.not_checked)


# Kinds of tables that are refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hoodie__table__type": "MERGE_ON_SUNDAYS"}, "MERGE_ON_SUNDAYS"),
        ({"hoodie__table__version": "7"}, "'7' is not accepted; 5, 6, 8, 9 are"),
        ({"hoodie__table__version": "²"}, "is not accepted"),
        ({"hoodie__table__base__file__format": "ORC"}, "ORC"),
        ({"hoodie__bootstrap__base__path": "/elsewhere"}, "hoodie.bootstrap.base.path"),
        ({"hoodie__timeline__layout__version": "3"}, "hoodie.timeline.layout.version"),
        ({"hoodie__timeline__path": "../../elsewhere"}, "elsewhere"),
    ],
)
def test_refused(tmp_path, changed, said):
    table = HudiTable(tmp_path / "t", 8, **changed)
    with pytest.raises(InputError, match=said.replace(".", r"\.")) as refused:
        audit(table)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("lacks", ["hoodie.table.type", "hoodie.table.version"])
def test_properties_without_what_an_audit_needs_are_damaged(tmp_path, lacks):
    table = HudiTable(tmp_path / "t", 8, **{lacks.replace(".", "__"): ""})
    assert f"'.hoodie/hoodie.properties' is damaged: it does not say {lacks}" in damage(table.folder)


@pytest.mark.parametrize("version", VERSIONS)
def test_of_merge_on_read_what_needs_no_log_file_is_judged(tmp_path, version):
    table = HudiTable(tmp_path / "t", version, hoodie__table__type="MERGE_ON_READ")
    table.commit("a", {"jack": "red"})
    table.append("a")
    table.commit("a", {"jack": "blue"})  # the compaction
    log = table.append("a")
    found = agreed(table)
    assert (graded(found), found.holds) == ([], None)
    assert any("log files" in one for one in found.not_checked)
    one, two = table.begin(), table.begin()
    one.put("b", {"tom": "red"}).complete()
    two.put("b", {"sam": "red"}).complete()
    log.unlink()
    (table.folder / table.live["", table.file_id("a")].path).unlink()
    assert sorted(graded(agreed(table))) == [
        ("ConsistentRead", "proved"),
        ("PublishedSlicesExist", "proved"),
        ("PublishedSlicesExist", "proved"),
    ]


def test_a_base_file_that_no_commit_wrote_is_found(table):
    """Readers read it, since the commit of its timestamp has completed."""
    table.commit("a", {"jack": "red"})
    one = table.live["", table.file_id("a")]
    path = one.path.replace(one.file_id, table.file_id("b"))
    table.write_base_file(path, "", dict(one.rows))
    [found] = agreed(table).findings
    assert (found.property, found.grade, found.bucket) == ("ConsistentRead", "suspect", table.file_id("b"))
    assert path in found.evidence[0]


def test_a_merged_on_read_commit_is_refused(table):
    (table.timeline / f"{table.now()}.deltacommit.inflight").write_bytes(b"")
    with pytest.raises(InputError, match="merge-on-read"):
        audit(table)


@pytest.mark.parametrize("fields", ["id", "id,value"])
def test_virtual_keys_are_read_from_one_field_or_left_out_by_name(tmp_path, fields):
    """The rows have no columns of Hudi's; what can be said without them is."""
    fields = {"hoodie__table__recordkey__fields": fields}
    table = HudiTable(tmp_path / "t", 6, hoodie__populate__meta__fields="false", **fields)
    table.commit("c", {"bob": "red"})
    table.commit("d", {"bob": "blue"})
    table.commit("a", {"jack": "red"})
    one, two = table.begin(), table.begin()
    one.put("a", {"jack": "blue"}).complete()
    two.put("a", {"tom": "green"}).complete()
    for path in table.folder.glob("*.parquet"):
        pq.write_table(pq.read_table(path, columns=["id", "value"]), path)
    found = agreed(table)
    assert ("ConsistentRead", "proved", int(two.ts)) in [(f.property, f.grade, f.version) for f in found.findings]
    is_read = fields == {"hoodie__table__recordkey__fields": "id"}
    assert found.complete == is_read
    assert any("hoodie.populate.meta.fields" in one for one in found.not_checked) != is_read
    assert [one.key for one in found.of("NoDuplicateKeysAcrossFiles")] == ["bob"] * is_read


def test_properties_are_read_as_java_does(tmp_path):
    table = HudiTable(tmp_path / "t", 6)
    path = table.folder / ".hoodie" / "hoodie.properties"
    path.write_text(path.read_text() + "! a remark\nlong \\\n   : one \\\n   two\n\\u0061\\:b\\=c = d\\\\e\n\nempty=\n")
    given = properties(Source(table.folder))
    assert (given["long"], given["a:b=c"], given["empty"]) == ("one two", "d\\e", "")
    assert json.loads(given["hoodie.table.create.schema"])["name"] == "t_record"


# Damaged and hostile tables ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_truncated_instant(table, part):
    ts = table.commit("a", {"jack": "red"})
    path = table.completed(ts)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    assert path.name in damage(table)


def test_truncated_base_file(table):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"tom": "red"})
    path = table.folder / table.published[0].path
    path.write_bytes(path.read_bytes()[:-20])
    assert path.name in damage(table)


@pytest.mark.parametrize("name", ["../../secret.parquet", "/etc/secret.parquet", "a/../../secret.parquet"])
def test_paths_that_leave_the_table(table, name):
    ts = table.commit("a", {"jack": "red"})
    rewrite(table, ts, lambda stat: stat | {"path": name})
    assert "is not accepted" in refusal(table)


def rewrite(table: HudiTable, ts: str, change: Callable[[dict[str, Any]], dict[str, Any]], times: int = 1) -> None:
    """Change the write stats of a completed instant, and repeat them."""
    path = table.completed(ts)
    if table.layout_2:
        with path.open("rb") as file:
            reader = fastavro.reader(file)
            schema: Any = reader.writer_schema
            said: Any = next(iter(reader))
    else:
        said = json.loads(path.read_text())
    said["partitionToWriteStats"] = {
        partition: [change(stat) for stat in stats] * times
        for partition, stats in said["partitionToWriteStats"].items()
    }
    path.write_bytes(avro(schema, said) if table.layout_2 else json.dumps(said).encode())


def test_partitions_that_leave_the_table(table):
    ts = table.commit("a", {"jack": "red"}, partition="day=1")
    path = table.completed(ts)
    content = path.read_bytes()
    path.write_bytes(content.replace(b"day=1", b"../..")[: len(content)])
    assert "is not accepted" in refusal(table)


def test_links_that_leave_the_table(table, tmp_path):
    table.commit("a", {"jack": "red"}, partition="day=1")
    elsewhere = tmp_path / "elsewhere"
    (table.folder / "day=1").rename(elsewhere)
    (table.folder / "day=1").symlink_to(elsewhere)
    assert "link that leads out of it" in refusal(table)


def test_timestamps_that_are_none(table):
    (table.timeline / "001.commit").write_bytes(b"{}")
    assert "'001' is not a timestamp" in refusal(table)


@pytest.mark.parametrize(
    "change",
    [{"numWrites": 2**70}, {"numWrites": "many"}, {"fileId": 7}, {"path": ["a"]}],
)
def test_stats_that_are_not_of_the_format(tmp_path, change):
    table = HudiTable(tmp_path / "t", 6)
    ts = table.commit("a", {"jack": "red"})
    rewrite(table, ts, lambda stat: stat | change)
    assert f"{ts}.commit' is damaged" in damage(table)


def test_a_commit_that_was_built_on_no_timestamp(tmp_path):
    table = HudiTable(tmp_path / "t", 6)
    ts = table.commit("a", {"jack": "red"})
    rewrite(table, ts, lambda stat: stat | {"prevCommit": "yesterday"})
    assert "'yesterday' is not a timestamp" in refusal(table)


def test_a_footer_that_promises_gigabytes(table):
    """How large a row group is when it is unpacked is in the footer, which nobody has to believe."""
    table.commit("a", {f"key{i}": "red" for i in range(100)})
    table.commit("b", {"tom": "red"})
    path = table.folder / table.published[0].path
    group = pq.read_metadata(path).row_group(0)
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:-8]
    sizes = [group.total_byte_size, group.num_rows]
    written = b"".join(b"\x16" + varint(size) for size in sizes)
    assert written in footer
    footer = footer.replace(written, written.replace(varint(sizes[0]), varint(2**40), 1))
    path.write_bytes(content[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    assert f"a row group promises {2**40:,} bytes" in refusal(table)


def varint(number: int) -> bytes:
    """A number as Thrift writes it: zigzag, then seven bits to a byte."""
    number *= 2
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


# Tables that are written to ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [6, 9])
def test_a_table_that_is_written_to_and_cleaned(tmp_path, version):
    table = HudiTable(tmp_path / "t", version)
    table.commit("a", {"jack": "red"})

    def write() -> None:
        for _ in range(60):
            table.commit("a", {"jack": "red", "tom": "red"})
            table.commit("b", {"sam": "red"})
            table.clean(table.instants[-1])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while writer.is_alive():
            found, said = answer(table)
            assert "\n" not in said
            assert found is None or found.findings == (), found.text()
    finally:
        writer.join()
    assert agreed(table).findings == ()


# Any tables ----------------------------------------------------------------------------------------------------------

OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["put", "put", "put", "delete", "cluster", "clean", "roll back", "archive"]),
        st.sampled_from(["a", "b", "c"]),
        st.integers(0, 3),
    ),
    max_size=12,
)


def grown(folder: Path, version: int, operations: list[tuple[str, str, int]]) -> HudiTable:
    """A table after these operations of one writer, each key in one group."""
    table = HudiTable(folder, version)
    home = {name: name for name in "abc"}
    for n, (what, name, number) in enumerate(operations):
        group, key = home[name], f"{name}{number}"
        there = table.live.get(("", table.file_id(group)))
        if what == "put":
            table.commit(group, {key: f"v{n}"})
        elif what == "delete" and there:
            table.commit(group, {}, "DELETE", deletes=[key])
        elif what == "cluster" and there:
            home[name] = f"{name}{n}"
            rows = {key: value for key, (value, _) in there.rows.items()}
            table.begin("CLUSTER").put(home[name], rows).replace(group).complete()
        elif what == "clean" and table.instants:
            table.clean(table.instants[-1])
        elif what == "roll back":
            table.roll_back(table.commit(group, {key: "wrong"}))
        elif what == "archive" and len(table.instants) > 4:
            table.archive(1)
    return table


@settings(max_examples=40)
@given(operations=OPERATIONS, version=st.sampled_from(VERSIONS))
def test_one_writer_makes_clean_tables(tmp_path_factory, operations, version):
    table = grown(tmp_path_factory.mktemp("hudi") / "t", version, operations)
    assert graded(agreed(table)) == []


@settings(max_examples=40)
@given(operations=OPERATIONS, version=st.sampled_from(VERSIONS), data=st.data())
def test_what_is_broken_is_found(tmp_path_factory, operations, version, data):
    operations = [*operations, ("put", "a", 0), ("put", "b", 1)]
    table = grown(tmp_path_factory.mktemp("hudi") / "t", version, operations)
    live = sorted(table.live.values(), key=lambda one: one.path)
    broken = data.draw(st.sampled_from(["delete", "duplicate", "lose", "overwrite"]))
    if broken == "delete":
        told = [one for one in live if list(table.timeline.glob(f"{one.ts}*"))]  # an archived commit names no files
        (table.folder / data.draw(st.sampled_from(told)).path).unlink()
        expected = ("PublishedSlicesExist", "proved")
    elif broken == "duplicate":
        table.commit("elsewhere", {data.draw(st.sampled_from([key for one in live for key in one.rows])): "again"})
        expected = ("NoDuplicateKeysAcrossFiles", "proved")
    elif broken == "lose":
        table.commit("z", {"z0": "old"})
        one, two = table.begin(), table.begin()
        one.put("z", {"z1": "new"}).complete()
        two.put("z", {"z2": "new"}).complete()
        expected = ("ConsistentRead", "proved")
    else:
        one = live[-1]
        table.write_base_file(one.path, "", dict(one.rows) | {f"y{i}": ("more", one.ts) for i in range(9)})
        expected = ("ConsistentRead", "proved")
    assert expected in graded(agreed(table))


@settings(max_examples=60)
@given(version=st.sampled_from(VERSIONS), data=st.data())
def test_damage_is_an_answer_or_one_line(tmp_path_factory, corrupt, version, data):
    table = HudiTable(tmp_path_factory.mktemp("hudi") / "t", version)
    table.commit("a", {"jack": "red"})
    table.commit("a", {"tom": "blue"})
    table.commit("b", {"sam": "blue"})
    for path in [*table.folder.rglob("*.crc"), *table.timeline.glob("*.requested"), *table.timeline.glob("*.inflight")]:
        path.unlink()
    table.clean(table.instants[-1])
    for path in table.timeline.iterdir():
        if path.is_file() and not path.stat().st_size:
            path.unlink()
    corrupt(table.folder, data)
    assert "\n" not in answer(table)[1]


@pytest.mark.parametrize(("operation", "status"), [("UPSERT", 1), ("INSERT", 0), ("CLUSTER", 3)])
def test_the_command_says_how_it_ended(table, capsys, operation, status):
    table.commit("a", {"jack": "red"})
    table.commit("b", {"jack": "blue"}, operation)
    assert main(["audit", str(table.folder), "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert said["versions"] == [int(ts) for ts in table.instants]
    assert [one["key"] for one in said["findings"]] == ["jack"]


def test_the_command_refuses_in_one_line(tmp_path, capsys):
    table = HudiTable(tmp_path / "t", 6, hoodie__table__type="MERGE_ON_SUNDAYS")
    assert main(["audit", str(table.folder)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "MERGE_ON_SUNDAYS" in said.err


def test_nothing_of_a_table_is_changed(table):
    table.commit("a", {"jack": "red"})
    before = {path: path.stat().st_mtime_ns for path in table.folder.rglob("*")}
    audit(table)
    assert {path: path.stat().st_mtime_ns for path in table.folder.rglob("*")} == before
