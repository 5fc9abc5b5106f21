"""Paimon's tables, made by real writers, are read and judged; see data/real/README.md."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import fastavro
import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.places import ROOT
from workbench.audits import audit, story
from workbench.audits.decoding import decoded
from workbench.audits.shape import alive_at
from workbench.audits.source import Source
from workbench.checking.check import check
from workbench.commands.cli import main
from workbench.kernel import InputError
from workbench.kernel.state import Cell
from workbench.protocols.paimon.audit.history import TableHistory
from workbench.protocols.paimon.audit.lost import orphans
from workbench.protocols.paimon.audit.read import read
from workbench.protocols.paimon.recording import recorded
from workbench.showing.panel import FindingPanel
from workbench.showing.pictures import faults, picture
from workbench.showing.view import audit_page, audit_view, finding_picture

PROVED = {
    "java_dangling": {("NoDanglingDeletionVectors", 7, None), ("OneValidRowPerKeyAboveLevel0", 7, "jack")},
    "seq": {("ConsistentRead", 4, "jack")},
    "drive": set(),
    "race3": set(),
}


# What is found -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROVED)
def test_what_is_proved_of_a_real_table(real_table, name):
    found = audit(real_table(name))
    assert {(f.property, f.version, f.key) for f in found.findings if f.grade == "proved"} == PROVED[name]
    assert found.complete


def test_both_rows_of_a_key_that_is_there_twice_are_shown(real_table):
    (twice,) = audit(real_table("java_dangling")).of("OneValidRowPerKeyAboveLevel0")
    assert [line.split(", row")[0] for line in twice.evidence] == [
        "+I jack: green, sequence 5502",
        "+I jack: blue, sequence 5001",
    ]


def test_the_row_that_is_read_and_the_one_that_was_committed_are_shown(real_table):
    (finding,) = audit(real_table("seq")).findings
    assert finding.why == "snapshot 4: jack reads as blue2, A, but committed was green, A"
    assert [line.split(", row")[0] for line in finding.evidence] == [
        "read: +I jack: blue2, A, sequence 2",
        "committed last: +I jack: green, A, sequence 1",
    ]


def test_an_overwritten_commit_is_suspected(real_table):
    (finding,) = audit(real_table("drive")).findings
    assert (finding.property, finding.grade, finding.version) == ("AcknowledgedCommitsPresent", "suspect", 1)
    assert "manifest-list-5d5f0413-a54e-4538-aee0-fd6b98746644-1" in finding.evidence[0]


def test_an_overwritten_commit_is_proved_by_its_acknowledgement(real_table, tmp_path):
    path = real_table("drive")
    there = json.loads((path / "snapshot/snapshot-1").read_text())["commitUser"]
    acks = tmp_path / "acks.jsonl"
    acks.write_text(f'{{"commitUser": "{there}"}}\n{{"commitUser": "somebody else", "commitIdentifier": 1}}\n')
    (finding,) = audit(path, acks=acks).findings
    assert (finding.property, finding.grade, finding.version) == ("AcknowledgedCommitsPresent", "proved", 1)
    assert "commit 1 of somebody else was acknowledged" in finding.why
    acks.write_text(f'{{"commitUser": "{there}"}}\n')
    assert audit(path, acks=acks).findings == (), "the other commit was not acknowledged: nobody relies on it"


@pytest.mark.parametrize("place", ["branch/branch-b/snapshot/snapshot-1", "tag/tag-t", "changelog/changelog-1"])
def test_what_a_branch_or_a_tag_names_is_not_lost(own_table, tmp_path, place, capsys):
    """They keep their lists beside those of the main branch."""
    path = own_table("drive")
    (delta,) = (line.split()[0] for line in audit(path).findings[0].evidence if "is complete" in line)
    acks = tmp_path / "acks.jsonl"
    acks.write_text('{"commitUser": "somebody else", "commitIdentifier": 1}\n')
    assert audit(path, acks=acks).holds is False
    said = json.loads((path / "snapshot/snapshot-1").read_text())
    said |= {"commitUser": "somebody else", "commitIdentifier": 1, "deltaManifestList": Path(delta).name}
    (path / place).parent.mkdir(parents=True)
    (path / place).write_text(json.dumps(said))
    assert audit(path).findings == ()
    assert audit(path, acks=acks).findings == ()
    (path / place).write_text("{")
    assert main(["audit", str(path)]) == 2
    assert place in capsys.readouterr().err


def test_what_was_not_asked_for_is_not_lost(own_table):
    """The lists of snapshots before --since are named by these."""
    path = own_table("seq")
    table = read(Source(path), since=3)
    assert (table.first, table.oldest, table.orphans) == (3, 1, read(Source(path)).orphans)


@pytest.mark.slow
def test_lost_races_that_were_retried_are_not_suspected(real_table):
    """Of 410 lists that no snapshot names, 408 are of commits that are there; one row of 240 is in no snapshot."""
    found = read(Source(real_table("race3")))
    assert len(found.orphans) == 410
    assert found.commit(found.last)["version"] == 239
    assert [[file["name"] for file in one.files] for one in orphans(found)] == [
        ["data-64688e66-95de-43f8-8cea-077043c4663f-0.parquet"]
    ]
    (finding,) = audit(real_table("race3")).findings
    assert (finding.grade, finding.version) == ("suspect", 88)


# Table and model speak with one voice --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROVED)
def test_each_finding_is_a_state_in_which_the_model_says_the_same(real_table, name):
    found = audit(real_table(name))
    assert found.findings
    for finding in found.findings:
        wrong = faults(finding.model, finding.state, [finding.violates()])
        assert wrong
        drawn = picture(finding.model, finding.state, at_fault=wrong)
        assert drawn.at_fault
        assert finding_picture(finding).svg() == drawn.svg
        assert finding.legend


def test_the_state_has_the_table_s_rows_and_versions(real_table):
    finding = audit(real_table("java_dangling")).of("OneValidRowPerKeyAboveLevel0")[0]
    state = finding.state
    assert [v for v in finding.model.versions if state.snapshots[v] is not None] == [1, 2, 3, 4, 5, 6, 7]
    live = state.manifest[state.snapshots[7]]
    assert [(state.level[f], state.sequence[f, "jack"], state.columns[f, "jack"][0]) for f in live] == [
        (5, 5001, "blue"),
        (3, 5502, "green"),
    ]
    assert any("data-18fc671b-3f05-4f25-a139-f5a012c9cb4e-0.parquet in level 5" in line for line in finding.legend)


@pytest.mark.parametrize("name", ["java_dangling", "seq", "drive"])
def test_the_model_comes_to_the_same_and_the_repair_prevents_it(real_table, name):
    for finding in audit(real_table(name)).findings:
        trace = story(finding)
        assert faults(trace.model, trace.states[-1], [finding.violates()])
        repaired = type(finding.model)(**{**finding.cause, **finding.repair})
        assert check(repaired, [finding.violates()])[finding.violates()].holds


def test_findings_outlast_whatever_cannot_be_made_of_them(own_table, tmp_path, capsys):
    """The lost commit's data file is damaged, so that no picture can be made of it; what is found stays."""
    path = own_table("drive")
    (name,) = (line.split()[0] for line in audit(path).findings[0].evidence if "is in no snapshot" in line)
    (path / name).write_bytes(b"no Parquet")
    (finding,) = audit(path).findings
    assert (finding.property, finding.grade, finding.version) == ("AcknowledgedCommitsPresent", "suspect", 1)
    assert finding.state is None
    assert Path(name).name in finding.no_picture
    page = tmp_path / "report.html"
    assert main(["audit", str(path), "-o", str(page)]) == 3
    assert "no picture could be made: " in capsys.readouterr().out
    assert "No picture could be made: " in page.read_text()


def test_a_page_is_written_without_what_cannot_be_drawn_or_told(real_table):
    found = audit(real_table("drive"))
    (finding,) = found.findings
    cell = finding.model.layout.position_of[Cell("bucket_files", (finding.state.snapshots[1], "p0b0"))]
    values = list(finding.state.values)
    values[cell] = ("a file that the model does not have",)
    broken = replace(finding, state=finding.model.state(values), cause={"NUM_WRITERS": 99})
    page = audit_page(replace(found, findings=(broken,)))
    assert "its picture could not be made: ModelError: " in page
    assert "the model&#x27;s way to ConsistentRead could not be made: NUM_WRITERS = 99 is not accepted" in page
    assert finding.why in page


def test_a_key_that_is_also_a_value_is_told(own_table):
    """A model's names differ, those of keys and of values too."""
    path = own_table("seq")
    for file in path.glob("bucket-*/*.parquet"):
        rows = pq.read_table(file)
        values = pc.replace_substring(rows["v"], "blue2", "jack"), pa.array(["green"] * len(rows))
        pq.write_table(
            pa.table({**dict(zip(rows.column_names, rows, strict=True)), "v": values[0], "c": values[1]}), file
        )
    (finding,) = audit(path).of("ConsistentRead")
    assert finding.why == "snapshot 4: jack reads as jack, green, but committed was green, green"
    assert finding.no_picture is None
    assert finding_picture(finding) is not None


# The command ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "status"), [("java_dangling", 1), ("seq", 1), ("drive", 3), ("race3", 3)])
def test_the_exit_status_says_what_was_found(real_table, capsys, name, status):
    assert main(["audit", str(real_table(name)), "--json"]) == status
    document = json.loads(capsys.readouterr().out)
    assert list(document) == [
        "holds",
        "why",
        *["format", "path", "versions", "findings", "looked_at", "not_checked", "complete"],
    ]
    assert document["complete"]
    assert document["format"] == "paimon"
    for finding in document["findings"]:
        fields = ["property", "grade", "version", "bucket", "key", "why", "evidence", "repair", "no_picture"]
        assert list(finding) == fields
        assert len(finding["repair"]) == 1
        assert finding["no_picture"] is None


def test_a_clean_table_ends_with_0(own_table, capsys):
    path = own_table("seq")
    (path / "snapshot/snapshot-4").unlink()
    (path / "snapshot/LATEST").write_text("3")
    (path / "manifest/manifest-list-dcb9853f-7aeb-4374-b8e4-15f0791afaab-1").unlink()
    assert main(["audit", str(path)]) == 0
    assert "nothing found" in capsys.readouterr().out


def test_the_page_has_the_evidence_and_the_pictures(real_table, tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(["audit", str(real_table("java_dangling")), "-o", str(page)]) == 1
    text = page.read_text()
    assert text.count("How the model gets there") == 2
    assert "index-c7534dd1-1db0-4456-9f59-c80466581557-0" in text
    assert "NUM_COMPACTORS" in capsys.readouterr().out


def test_an_audit_shows_itself_in_a_notebook(real_table):
    found = audit(real_table("seq"))
    bundle = audit_view(found).bundle()
    assert "blue2" in bundle["text/html"]
    assert bundle["text/plain"] == found.text()
    assert "<svg" in audit_page(found)


def test_a_finding_opens_in_the_panel_and_the_button_repairs_it(real_table):
    (finding,) = audit(real_table("seq")).findings
    found = FindingPanel(finding)
    verdict = found.panel.wait(300)["ConsistentRead"]
    assert verdict.word == "violated"
    assert found.panel.verdict == verdict
    assert "blue2" in found.children[0].html
    assert "blue2" in found._repr_mimebundle_()[0]["text/html"], "what a notebook keeps"
    assert found.children[1].description == "repair: ONE_WRITER_PER_BUCKET=on"
    found.children[1].click()
    assert found.panel.wait(300)["ConsistentRead"].word == "holds"


# Histories that are not whole ---------------------------------------------------------------------------------------


def test_the_oldest_snapshot_is_the_baseline(own_table):
    path = own_table("java_dangling")
    for version in (1, 2, 3, 4):
        (path / f"snapshot/snapshot-{version}").unlink()
    found = audit(path)
    assert found.versions == (5, 7)
    assert {(f.property, f.version) for f in found.findings} == {(p, v) for p, v, _ in PROVED["java_dangling"]}
    assert any("snapshot 5 has expired" in note for note in found.not_checked)
    for version in (5, 6):
        (path / f"snapshot/snapshot-{version}").unlink()
    assert {(f.property, f.version) for f in audit(path).findings} == {(p, v) for p, v, _ in PROVED["java_dangling"]}


def test_acknowledged_commits_from_before_since_are_there(real_table, tmp_path):
    path, acks = real_table("seq"), tmp_path / "acks.jsonl"
    users = [json.loads((path / f"snapshot/snapshot-{n}").read_text())["commitUser"] for n in (1, 2, 3, 4)]
    acks.write_text("".join(json.dumps({"commitUser": user}) + "\n" for user in users))
    found = audit(path, acks=acks, since=3)
    assert found.of("AcknowledgedCommitsPresent") == ()
    assert not any("acknowledged" in note for note in found.not_checked)


def test_since_leaves_out_what_was_before(real_table):
    found = audit(real_table("seq"), since=3)
    assert found.versions == (3, 4)
    assert "the versions from 1 on that are before 3, where this audit was told to begin" in found.not_checked
    assert not any("expired" in note for note in found.not_checked)
    with pytest.raises(InputError, match=r"since = 5 is not accepted: .* has versions up to 4"):
        audit(real_table("seq"), since=5)


def test_a_table_without_files_is_clean(own_table):
    path = own_table("drive")
    one = json.loads((path / "snapshot/snapshot-1").read_text())
    empty = {**one, "deltaManifestList": one["baseManifestList"], "deltaRecordCount": 0, "totalRecordCount": 0}
    (path / "snapshot/snapshot-1").write_text(json.dumps(empty))
    shutil.rmtree(path / "bucket-1")
    shutil.rmtree(path / "bucket-0")
    assert audit(path).findings == ()
    (path / "snapshot/snapshot-1").unlink()
    assert (audit(path).versions, audit(path).not_checked) == ((None, None), ("there is no snapshot yet",))


def test_a_gap_is_found(own_table):
    path = own_table("seq")
    (path / "snapshot/snapshot-3").unlink()
    found = audit(path)
    (gap,) = found.of("SequentialSnapshots")
    assert (gap.grade, gap.version, gap.why) == ("proved", 4, "snapshot 3 is missing, between 2 and 4")


def test_a_commit_whose_snapshot_is_missing_is_suspected(own_table):
    """Snapshot 3 is removed, and the next one is given its base: what was committed as 3 is in none."""
    path = own_table("seq")
    three, four = (json.loads((path / f"snapshot/snapshot-{n}").read_text()) for n in (3, 4))
    (path / "snapshot/snapshot-3").unlink()
    shutil.copy(path / "manifest" / three["baseManifestList"], path / "manifest/manifest-list-copy-0")
    (path / "snapshot/snapshot-4").write_text(json.dumps({**four, "baseManifestList": "manifest-list-copy-0"}))
    (suspect,) = audit(path).of("AcknowledgedCommitsPresent")
    assert suspect.version == 3
    assert "prepared as snapshot 3, which is missing" in suspect.why
    assert not any("is a commit of" in line for line in suspect.evidence)


def test_a_snapshot_that_was_built_on_another_one_is_found(own_table):
    """Snapshot 4 is given the base of snapshot 3: as if it had been prepared when there was no snapshot 3."""
    path = own_table("seq")
    three, four = (json.loads((path / f"snapshot/snapshot-{n}").read_text()) for n in (3, 4))
    (path / "snapshot/snapshot-4").write_text(json.dumps({**four, "baseManifestList": three["baseManifestList"]}))
    found = audit(path)
    (broken,) = found.of("LinearHistory")
    assert (broken.grade, broken.version) == ("proved", 4)
    assert broken.evidence == (
        "its base lacks data-1025f76d-d679-41b8-b24c-f629d111feda-0.parquet, which snapshot 3 has",
    )


def expire(path, until):
    """Remove the snapshots before `until` with their lists, as a writer does that expires them."""
    for version in range(1, until):
        file = path / f"snapshot/snapshot-{version}"
        if file.exists():
            one = json.loads(file.read_text())
            file.unlink()
            (path / "manifest" / one["baseManifestList"]).unlink()
            (path / "manifest" / one["deltaManifestList"]).unlink()


def test_a_table_whose_snapshots_expire_under_the_reader_is_read_anew(own_table, monkeypatch):
    path = own_table("seq")
    calls = []

    def expiring(source, decode, items, schema):
        calls.append(len(items))
        if len(calls) in (1, 3):  # before snapshots are decoded, and when the next attempt comes to their lists
            expire(path, 1 + len(calls))
        return decoded(source, decode, items, schema)

    monkeypatch.setattr(import_module("workbench.protocols.paimon.audit.read"), "decoded", expiring)
    found = read(Source(path))
    assert (found.first, found.last) == (4, 4)
    assert found.files["first"].to_pylist() == [4] * 4
    assert calls[0] == 4
    assert audit(path).findings == (), "what was committed before is not known any more"


def test_a_table_that_expires_faster_than_it_is_read_is_refused_in_one_line(own_table, monkeypatch):
    path = own_table("race3")

    def expiring(source, decode, items, schema):
        expire(path, items[0].version + 1)
        return decoded(source, decode, items, schema)

    monkeypatch.setattr(import_module("workbench.protocols.paimon.audit.read"), "decoded", expiring)
    with pytest.raises(InputError, match="its snapshots expire faster than they can be read"):
        read(Source(path))


@pytest.mark.parametrize(
    ("option", "value"),
    [("merge-engine", "partial-update"), ("sequence.field", "c"), ("ignore-delete", "true")],
)
def test_what_is_not_judged_is_left_out_by_name(own_table, option, value):
    path = own_table("seq")
    schema = json.loads((path / "schema/schema-0").read_text())
    schema["options"][option] = value
    (path / "schema/schema-0").write_text(json.dumps(schema))
    found = audit(path)
    assert found.findings == ()
    assert found.holds is None
    assert any(option in note and value in note for note in found.not_checked)


def test_data_files_that_are_not_parquet_are_left_out_by_name(own_table):
    path = own_table("seq")
    name = "data-83d6577d-4c7a-4449-a558-778a1b09c227-0"
    (path / f"bucket-0/{name}.parquet").rename(path / f"bucket-0/{name}.orc")
    for manifest in (path / "manifest").glob("manifest-*"):
        rewrite(manifest, lambda record: replace_text(record, f"{name}.parquet", f"{name}.orc"))
    found = audit(path)
    assert found.findings == ()
    assert found.holds is None
    assert any(f"{name}.orc" in note and "only Parquet" in note for note in found.not_checked)


def replace_text(value, old, new):
    if isinstance(value, dict):
        return {key: replace_text(one, old, new) for key, one in value.items()}
    return value.replace(old, new) if isinstance(value, str) else value


def rewrite(path, change):
    """An Avro file whose records are changed."""
    with path.open("rb") as file:
        reader = fastavro.reader(file)
        schema, records = reader.writer_schema, [change(record) for record in reader]
    with path.open("wb") as file:
        fastavro.writer(file, schema, records)


def test_a_table_on_a_file_system_of_fsspec_is_judged_like_a_local_one(real_table):
    memory = fsspec.filesystem("memory")
    memory.put(str(real_table("seq")), "/lake/seq", recursive=True)
    there, here = audit("memory://lake/seq"), audit(real_table("seq"))
    assert there.findings == here.findings


# A large one ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path):
    """Writes a table of 400 snapshots and 1,600 files."""

    def write(*options):
        command = [sys.executable, "scripts/synthetic_paimon.py", tmp_path / "t", "--snapshots", "400", "--files", "4"]
        subprocess.run([*command, *options], check=True, cwd=ROOT)
        return tmp_path / "t"

    return write


@pytest.mark.slow
def test_a_table_whose_manifests_are_merged_is_clean(large):
    found = read(Source(large()))
    assert (found.first, found.last, len(found.breaks), len(found.orphans)) == (1, 400, 0, 0)
    assert len(found.files) == 1600
    alive = alive_at(found.files, 400)
    assert len(alive) == 1440
    assert set(alive["level"].to_pylist()) == {0, 5}
    assert audit(large()).findings == ()


@pytest.mark.slow
@pytest.mark.parametrize("version", [250, 301])
def test_a_snapshot_that_is_not_built_on_its_predecessor_is_found_among_merged_manifests(large, version):
    (finding, *others) = audit(large("--forgets", str(version))).of("LinearHistory")
    assert (finding.grade, finding.version) == ("proved", version)
    assert len(others) == 1, "the next one has what this one lacks"


# Histories -----------------------------------------------------------------------------------------------------------


def test_a_history_shows_what_each_snapshot_has(real_table):
    found = TableHistory(real_table("seq")).of("bucket-0")
    assert [cells[Cell("latest", None)] for cells in found.versions] == [1, 2, 3, 4]
    assert [cells[Cell("sequence", (f"w{i}-0", "jack"))] for i, cells in enumerate(found.versions)] == [0, 1, 2, 1]
    assert Cell("columns", ("w1-0", "jack")) not in found.versions[0]  # the file may be there, or not yet


def test_of_some_keys_of_a_bucket_no_sequence_numbers_are_seen(real_table):
    found = TableHistory(real_table("java_dangling")).of("bucket-0", ["jack"])
    assert not any(cell.variable == "sequence" for cell in found.versions[-1])
    assert [found.versions[-1][Cell("level", file)] for file in ("w0-2", "c0-2", "c1-0")] == [0, 3, 5]


@pytest.mark.parametrize(
    ("name", "options", "line"),
    [
        ("seq", {"keys": ["tom"]}, "unknown key in bucket-0 'tom'; known: jack"),
        ("seq", {"bucket": "bucket-1"}, "unknown bucket 'bucket-1' (did you mean bucket-0?); known: bucket-0"),
        ("java_dangling", {}, "bucket-0 has 5,001 keys, such as jack, k00000, k00001, k00002, k00003; name 1 to 3"),
    ],
)
def test_what_has_no_history_that_is_followed_is_named(real_table, name, options, line):
    with pytest.raises(InputError) as caught:
        recorded(real_table(name), **options)
    assert line in str(caught.value)
