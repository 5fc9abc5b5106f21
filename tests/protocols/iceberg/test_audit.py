"""Iceberg's tables, written by ``tests/protocols/iceberg/writer.py`` with pyiceberg, are read and judged."""

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.audits.expected import agreed, answer, damage, refusal
from workbench.audits import Audit, audit
from workbench.audits.damaged import Damages
from workbench.audits.source import Source
from workbench.checking.check import check
from workbench.kernel import InputError
from workbench.protocols.iceberg.audit import states as iceberg_states
from workbench.protocols.iceberg.audit.read import read


@pytest.fixture(scope="session")
def meanwhile():
    """What audits say of the table for which writers race, while they do: the audit, or the line instead of it."""
    return []


@pytest.fixture(scope="session")
def written(writers, tmp_path_factory, meanwhile):
    """Gives the folder of a table of some kind, which is not to be changed, and what was printed."""
    made = {}

    def write(kind: str) -> tuple[Path, str]:
        if kind not in made:
            folder = tmp_path_factory.mktemp(kind)
            script, table = Path(__file__).with_name("writer.py"), folder / "ns" / "t"
            with (
                (folder / "printed").open("w") as out,
                subprocess.Popen([writers, "-W", "ignore", script, folder, kind], stdout=out) as writing,
            ):
                while kind == "races" and writing.poll() is None:
                    meanwhile.append(answer(table))
            assert writing.returncode == 0
            made[kind] = table, (folder / "printed").read_text()
        return made[kind]

    return write


@pytest.fixture
def table(written, tmp_path):
    """Gives the path of a table of one's own, elsewhere than it was written."""
    return lambda kind: Path(shutil.copytree(written(kind)[0], tmp_path / kind))


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """The same for a few small tables of which the metadata is kept, so that no writer is needed."""
    folder = tmp_path_factory.mktemp("kept")
    unpack(folder)
    return lambda kind: (folder / kind / "ns" / "t", (folder / kind / "printed").read_text())


def unpack(folder: Path) -> None:
    """The tables that are kept, with data files of the right sizes, which are not kept."""
    shutil.unpack_archive(Path(__file__).with_name("tables.tar.xz"), folder)
    for table in folder.glob("*/ns/t"):
        (table / "data").mkdir()
        for manifest in table.glob("metadata/*-m0.avro"):
            with manifest.open("rb") as file:
                for one in fastavro.reader(file):
                    data: Any = one["data_file"]  # type: ignore[call-overload]
                    (table / "data" / Path(data["file_path"]).name).write_bytes(bytes(data["file_size_in_bytes"]))


@pytest.fixture(params=["kept", pytest.param("written", marks=pytest.mark.writers)])
def small(request, tmp_path):
    """Gives the path of a small table of one's own, as it is kept and as it is written today, and what was printed."""

    def own(kind: str) -> tuple[Path, str]:
        path, printed = request.getfixturevalue(request.param)(kind)
        return Path(shutil.copytree(path, tmp_path / kind)), printed

    return own


def graded(found: Audit) -> list[tuple[str, str, int | None]]:
    return [(one.property, one.grade, one.version) for one in found.findings]


def newest(folder: Path) -> Path:
    return max((folder / "metadata").glob("*.metadata.json"), key=lambda path: (path.name[:5], path.stat().st_mtime_ns))


def newest_of_all(folder: Path) -> Path:
    return max((folder / "metadata").glob("*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)


def edit(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    said = json.loads(path.read_text())
    change(said)
    path.write_text(json.dumps(said))


# Clean tables --------------------------------------------------------------------------------------------------------


def test_four_processes_and_48_commits_are_linear(table):
    folder = table("races")
    found = agreed(folder)
    assert (graded(found), found.versions, found.complete, found.holds) == ([], (1, 48), True, True)
    read_ = read(Source(folder), Damages())
    assert [read_.versions_of.get(one.parent) for one in read_.chain] == [None, *range(1, 48)]
    assert read_.breaks == ()


def test_files_live_from_the_commit_that_added_them(table):
    lives = read(Source(table("races")), Damages()).lives
    assert sorted(one.first for one in lives) == list(range(1, 49))
    assert ([one.last for one in lives], sum(one.entry.rows for one in lives)) == ([None] * 48, 48)


@pytest.mark.parametrize("kind", ["v1", "back", *(f"life{seed}" for seed in range(6))])
def test_what_one_writer_does_to_a_table_is_clean(table, kind):
    found = agreed(table(kind))
    assert (graded(found), found.complete) == ([], True)


def test_a_commit_that_was_refused_and_tried_again_is_no_finding(small):
    folder, _ = small("retried")
    assert len(list((folder / "metadata").glob("00002-*.metadata.json"))) == 2
    found = agreed(folder)
    assert (graded(found), found.versions) == ([], (1, 3))


@pytest.mark.parametrize(("kind", "commits"), [("grown", 4), ("shrunk", 2)])
def test_a_table_that_was_dropped_and_made_anew_is_not_its_successor(table, written, tmp_path, kind, commits):
    """The first table's metadata files are in the same folder; what is left of it is not lost by the second."""
    folder = table(kind)
    acks = tmp_path / "acks"
    said = [
        dict(zip(("snapshot-id", "timestamp-ms"), map(int, line.split()), strict=True))
        for line in written(kind)[1].splitlines()
    ]
    acks.write_text("\n".join(map(json.dumps, said)))
    for known in (None, acks):
        found = agreed(folder, acks=known)
        assert (graded(found), found.versions, found.complete) == ([], (1, commits), True)
        assert f"{6 - commits} metadata files of another table, which was in this folder before" in found.not_checked
        assert not any("under way" in note for note in found.not_checked)
    for path in (folder / "metadata").glob("*.metadata.json"):
        if json.loads(path.read_text())["table-uuid"] != json.loads(newest_of_all(folder).read_text())["table-uuid"]:
            path.unlink()
    assert graded(agreed(folder, acks=acks)) == []


def test_which_of_two_tables_is_there_may_be_hidden(table):
    """Who copies a folder may take the times away: then the dropped table looks like the newer one."""
    folder = table("shrunk")
    for path in (folder / "metadata").glob("*.metadata.json"):
        os.utime(path, (0, 0))
    found = agreed(folder)
    assert (found.versions, found.holds) == ((1, 4), None)
    assert (
        "2 metadata files of another table, which is in this folder, too, and was written to later" in found.not_checked
    )


def test_who_goes_back_and_on_at_once_is_not_accused(small):
    folder, _ = small("back")
    assert (graded(agreed(folder)), audit(folder).complete) == ([], True)
    edit(newest(folder), lambda said: said["metadata-log"].pop())
    assert graded(agreed(folder)) == []


def test_expired_snapshots_are_a_baseline(table):
    folder = table("races")

    def expire(said):
        said["snapshots"] = said["snapshots"][10:]
        said["snapshot-log"] = said["snapshot-log"][10:]

    edit(newest(folder), expire)
    found = agreed(folder)
    assert (graded(found), found.versions) == ([], (11, 48))
    assert any("snapshots before 11 have expired" in one for one in found.not_checked)


def test_metadata_files_of_before_may_be_gone(table):
    folder = table("races")
    for path in (folder / "metadata").glob("0000*.metadata.json"):
        path.unlink()
    found = agreed(folder)
    assert (graded(found), found.complete) == ([], True)
    assert any("no longer exists" in one for one in found.not_checked)


def test_packed_metadata_is_read(table):
    folder = table("races")
    path = newest(folder)
    path.with_name(path.name.replace(".metadata.json", ".gz.metadata.json")).write_bytes(
        gzip.compress(path.read_bytes())
    )
    path.unlink()
    assert graded(agreed(folder)) == []


def test_names_of_a_hadoop_catalog(table):
    """They are numbered, and a hint says which was written last; there may be newer ones than the hint knows."""
    folder = table("v1") / "metadata"
    names = {}
    for path in sorted(folder.glob("*.metadata.json")):
        names[path.name] = f"v{int(path.name[:5]) + 1}.metadata.json"
        path.rename(folder / names[path.name])
    for path in folder.glob("*.metadata.json"):
        text = path.read_text()
        for before, after in names.items():
            text = text.replace(before, after)
        path.write_text(text)
    versions = agreed(folder.parent).versions
    (folder / "version-hint.text").write_text("2")
    found = agreed(folder.parent)
    assert (graded(found), found.versions) == ([], versions)


def test_of_two_candidates_the_catalog_alone_knows(table):
    folder = table("races")
    path = newest(folder)
    shutil.copy2(path, path.with_name("00048-copy.metadata.json"))
    found = agreed(folder)
    assert graded(found) == []
    assert any("2 metadata files with one number" in one for one in found.not_checked)


def test_snapshots_whose_metadata_files_are_gone_are_suspected(table):
    folder = table("races")

    def forget(first):
        for path in folder.glob("metadata/*.metadata.json"):  # a writer that was refused may have left another one
            if int(path.name.partition("-")[0]) >= first:
                path.unlink()

    forget(48)
    found = agreed(folder)
    assert graded(found) == []
    assert any("or whose metadata file is gone" in one for one in found.not_checked)
    forget(46)
    (one,) = agreed(folder).findings
    assert (one.property, one.grade, one.version) == ("AcknowledgedCommitsPresent", "suspect", 46)
    assert one.why.startswith("3 snapshots with sequence numbers up to 48 were prepared, and the newest")


# What is wrong -------------------------------------------------------------------------------------------------------


def test_a_small_table_is_edited(small):
    folder, _ = small("retried")
    path = newest(folder)
    said = json.loads(path.read_text())
    first, second, third = said["snapshots"]
    path.write_text(
        json.dumps(said | {"snapshots": [first, second, third | {"parent-snapshot-id": first["snapshot-id"]}]})
    )
    assert ("LinearHistory", "proved", 3) in graded(agreed(folder))
    path.write_text(json.dumps(said | {"snapshots": [first, third], "snapshot-log": []}))
    assert ("AcknowledgedCommitsPresent", "proved", 2) in graded(agreed(folder))
    path.write_text(json.dumps(said | {"last-sequence-number": 1}))
    assert graded(agreed(folder)) == [("SequentialSnapshots", "proved", 2), ("CountsAgree", "suspect", 3)]
    path.write_text(json.dumps(said)[:900])
    assert path.name in damage(folder)


@pytest.mark.parametrize("place", [5, 20, 47])
def test_edited_parent(table, place):
    folder = table("races")

    def graft(said):
        said["snapshots"][place]["parent-snapshot-id"] = said["snapshots"][place - 2]["snapshot-id"]

    edit(newest(folder), graft)
    assert ("LinearHistory", "proved", place + 1) in graded(agreed(folder))


def test_miscounts_before_since_are_taken_as_correct(table):
    folder = table("races")

    def miscount(said):
        said["snapshots"][10]["summary"]["total-records"] = "7"

    edit(newest(folder), miscount)
    assert graded(agreed(folder)) == [("CountsAgree", "suspect", 11)]
    assert agreed(folder, since=12).findings == ()


def test_edited_parent_where_no_older_metadata_is_left(table):
    folder = table("races")
    path = newest(folder)
    for other in (folder / "metadata").glob("*.metadata.json"):
        if other != path:
            other.unlink()
    edit(path, lambda said: said["snapshots"][47].update({"parent-snapshot-id": said["snapshots"][40]["snapshot-id"]}))
    assert graded(agreed(folder)) == [("LinearHistory", "proved", 48)]  # it has files that this parent does not have


@pytest.mark.parametrize("place", [1, 20, 46])
def test_removed_snapshot(table, place):
    folder = table("races")

    def remove(said):
        gone = said["snapshots"].pop(place)["snapshot-id"]
        said["snapshot-log"] = [one for one in said["snapshot-log"] if one["snapshot-id"] != gone]

    edit(newest(folder), remove)
    found = graded(agreed(folder))
    assert ("AcknowledgedCommitsPresent", "proved", place + 1) in found
    assert {version for _, _, version in found} <= {place + 1, place + 2}


def test_removed_snapshot_where_no_older_metadata_is_left(table):
    folder = table("races")
    path = newest(folder)
    for other in (folder / "metadata").glob("*.metadata.json"):
        if other != path:
            other.unlink()
    edit(path, lambda said: said["snapshots"].pop(20))
    assert graded(agreed(folder)) == [("AcknowledgedCommitsPresent", "suspect", 22)]


def test_a_head_that_is_gone(table):
    """The catalog has lost the newest snapshot, and somebody has committed since."""
    folder = table("races")
    edit(newest(folder), lambda said: said["snapshots"].pop(46))
    assert ("AcknowledgedCommitsPresent", "proved", 47) in graded(agreed(folder))


def forget_going_back(said: dict[str, Any]) -> None:
    said["snapshot-log"] = [*said["snapshot-log"][:3], said["snapshot-log"][-1]]


def test_who_was_passed_over(small):
    """The newest snapshot was not built on the one before it, as is right after going back; but nobody did."""
    folder, _ = small("back")
    path = newest(folder)
    edit(path, forget_going_back)
    assert graded(agreed(folder)) == [("LinearHistory", "suspect", 4)]
    edit(path, lambda said: said["metadata-log"].pop())
    assert graded(agreed(folder)) == [("LinearHistory", "suspect", 4)]
    edit(path, lambda said: said["metadata-log"].clear())
    assert graded(agreed(folder)) == [("LinearHistory", "suspect", 4)]


def test_a_history_that_begins_anew(small):
    folder, _ = small("back")
    edit(newest(folder), lambda said: said["snapshots"][-1].pop("parent-snapshot-id"))
    found = agreed(folder)
    assert graded(found) == [("LinearHistory", "outside", 4)]
    assert found.holds


def test_a_last_number_that_shrinks(table):
    folder = table("races")
    edit(newest(folder), lambda said: said.update({"last-sequence-number": 30}))
    assert graded(agreed(folder)) == [("SequentialSnapshots", "proved", 47), ("CountsAgree", "suspect", 48)]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_broken_is_found(written, tmp_path_factory, data):
    folder = Path(shutil.copytree(written("races")[0], tmp_path_factory.mktemp("broken") / "t"))
    place = data.draw(st.integers(1, 46))
    other = data.draw(st.integers(0, 47).filter(lambda one: one not in (place, place - 1)))
    broken = data.draw(st.sampled_from(["parent", "number", "files", "gone"]))

    def do(said):
        snapshots = said["snapshots"]
        match broken:
            case "parent":
                snapshots[place]["parent-snapshot-id"] = snapshots[other]["snapshot-id"]
            case "number":
                snapshots[place]["sequence-number"] = other + 1
            case "files":
                snapshots[place]["manifest-list"] = snapshots[other]["manifest-list"]
            case "gone":
                snapshots.pop(place)

    edit(newest(folder), do)
    assert agreed(folder).holds is False


def test_numbers_that_do_not_grow(table):
    folder = table("races")
    edit(newest(folder), lambda said: said["snapshots"][30].update({"sequence-number": 7}))
    assert "SequentialSnapshots" in {one.property for one in agreed(folder).findings}


def test_a_snapshot_without_files_of_its_parent(table):
    folder = table("races")
    snapshots = json.loads(newest(folder).read_text())["snapshots"]
    path = folder / "metadata" / Path(snapshots[30]["manifest-list"]).name
    with path.open("rb") as file:
        reader = fastavro.reader(file)
        schema, manifests = reader.writer_schema, list(reader)
    assert schema is not None
    by_parent = {snapshots[29]["snapshot-id"]}
    with path.open("wb") as file:
        fastavro.writer(file, schema, [one for one in manifests if one["added_snapshot_id"] not in by_parent])
    found = agreed(folder)
    assert graded(found)[0] == ("LinearHistory", "proved", 31)
    assert "does not delete it" in found.findings[0].evidence[0]
    later = agreed(folder, since=33)
    assert graded(later) == []
    assert "the versions from 1 on that are before 33, where this audit was told to begin" in later.not_checked
    with pytest.raises(InputError, match=r"since = 49 is not accepted: .* has versions up to 48"):
        audit(folder, since=49)


@pytest.mark.parametrize("since", [None, 2])
def test_a_commit_that_a_catalog_lost(small, tmp_path, since):
    assert_lost(*small("blind"), tmp_path, since)


@pytest.mark.parametrize("since", [None, 2])
def test_a_commit_that_a_catalog_lost_of_the_first_format(table, written, tmp_path, since):
    assert_lost(table("blind_v1"), written("blind_v1")[1], tmp_path, since)


def assert_lost(folder, printed, tmp_path, since):
    """That the audit finds the commit which was printed, and that it is proved once it is acknowledged."""
    id, millis = map(int, printed.split())
    [one] = agreed(folder, since=since).findings
    assert (one.property, one.grade, one.version) == ("AcknowledgedCommitsPresent", "suspect", 2)
    assert str(id) in one.why
    acks = tmp_path / "acks"
    acks.write_text(json.dumps({"snapshot-id": id, "timestamp-ms": millis}))
    assert graded(agreed(folder, acks=acks, since=since)) == [("AcknowledgedCommitsPresent", "proved", 3)]


def test_acknowledged_commits_that_are_there(table, tmp_path):
    folder = table("races")
    snapshots = json.loads(newest(folder).read_text())["snapshots"]
    acks = tmp_path / "acks"
    acks.write_text("\n".join(json.dumps({"snapshot-id": one["snapshot-id"]}) for one in snapshots))
    assert graded(agreed(folder, acks=acks)) == []


def test_the_model_gets_to_a_stale_parent_and_the_repair_prevents_it():
    projected = iceberg_states.stale_parent(1)
    model, cause = type(projected["model"]), projected["cause"]
    assert check(model(**cause), ["NoLakekeeperConflict"])["NoLakekeeperConflict"].holds is False
    assert check(model(**cause | projected["repair"]), ["NoLakekeeperConflict"])["NoLakekeeperConflict"].holds


def test_a_table_that_is_written_to(written, meanwhile):
    written("races")
    assert any(found is not None for found, _ in meanwhile)
    for found, said in meanwhile:
        assert "\n" not in said
        assert found is None or not [one for one in found.findings if one.grade == "proved"], found.text()


# Kinds of tables that are refused, damage ----------------------------------------------------------------------------


def test_version_3_is_refused(table):
    folder = table("v1")
    edit(newest(folder), lambda said: said.update({"format-version": 3}))
    assert "format version 3" in refusal(folder)


def test_other_branches_are_read_from_where_they_leave_the_main_one(table):
    folder = table("branched")
    found = agreed(folder)
    assert (graded(found), found.complete) == ([], True)
    head = json.loads(newest(folder).read_text())["refs"]["b1"]["snapshot-id"]
    parent = {}

    def graft(said):
        for one in said["snapshots"]:
            if one["snapshot-id"] == head:
                parent["id"], one["parent-snapshot-id"] = one["parent-snapshot-id"], said["snapshots"][0]["snapshot-id"]

    edit(newest(folder), graft)
    assert ("LinearHistory", "proved") in {(one.property, one.grade) for one in agreed(folder).findings}


def test_data_files_elsewhere_are_left_out_by_name(table):
    """As after add_files, or with write.data.path."""
    for kind in ("added", "apart"):
        found = agreed(table(kind))
        assert (graded(found), found.holds) == ([], None)
        assert "whether 1 data file outside of the table's folder exist" in found.not_checked


def test_a_table_whose_folder_was_renamed_is_read(small):
    """Newer metadata says where it is now, and its older manifests where it was."""
    folder, _ = small("retried")
    edit(newest(folder), lambda said: said.update({"location": "file:///somewhere/else"}))
    found = agreed(folder)
    assert (graded(found), found.complete) == ([], True)


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(b"PAR1")])
def test_a_data_file_that_is_missing_or_cut_off_is_found(small, damage):
    folder, _ = small("retried")
    path = sorted((folder / "data").iterdir())[0]
    damage(path)
    (one,) = agreed(folder).findings
    assert (one.property, one.grade, one.version) == ("PublishedFilesExist", "proved", 3)
    assert path.name in one.evidence[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said.update({"current-snapshot-id": 7}),
        lambda said: said.update({"snapshots": [{}]}),
        lambda said: said.update({"snapshots": said["snapshots"] * 2}),
        lambda said: said.update({"last-sequence-number": 2**80}),
    ],
)
def test_metadata_that_contradicts_itself_is_damaged(table, change):
    folder = table("races")
    edit(newest(folder), change)
    assert newest(folder).name in damage(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["snapshots"][3].update({"manifest-list": "../../secret"}),
        lambda said: said["snapshots"][3].update({"manifest-list": said["location"] + "/../../secret"}),
        lambda said: said["snapshots"][3].update({"manifest-list": "/etc/passwd"}),
        lambda said: said["metadata-log"][-1].update({"metadata-file": "file:///etc/passwd"}),
    ],
)
def test_metadata_that_lies(table, change):
    folder = table("races")
    edit(newest(folder), change)
    refusal(folder)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("pattern", ["00048-*.metadata.json", "snap-*.avro", "*-m0.avro"])
def test_truncated_files(table, part, pattern):
    folder = table("races")
    path = newest(folder) if "json" in pattern else sorted((folder / "metadata").glob(pattern))[0]
    if pattern == "snap-*.avro":
        head = json.loads(newest(folder).read_text())["snapshots"][-1]["manifest-list"]
        path = folder / "metadata" / Path(head).name
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    assert path.name in damage(folder)


def test_packed_metadata_that_grows_without_end(table):
    folder = table("v1")
    path = newest(folder)
    bomb = gzip.compress(b" " * 2**27)
    path.write_bytes(bomb)
    assert "when it is unpacked" in refusal(folder)


def test_parents_in_a_circle(table):
    folder = table("races")
    edit(newest(folder), lambda said: said["snapshots"][0].update({"parent-snapshot-id": said["current-snapshot-id"]}))
    assert ("LinearHistory", "proved", 1) in graded(agreed(folder))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_an_answer_or_one_line(written, tmp_path_factory, corrupt, data):
    folder = Path(shutil.copytree(written("life1")[0], tmp_path_factory.mktemp("damaged") / "t"))
    corrupt(folder / "metadata", data)
    assert "\n" not in answer(folder)[1]
