"""Paimon's tables, made by real writers, are read and judged; see data/real/README.md. Cases are in `audit.txt`."""

import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from tests.audits.cases import cases
from tests.places import ROOT
from tests.protocols.paimon.tables import Lake, PaimonTable
from workbench.audits import audit, story
from workbench.audits.decoding import decoded
from workbench.audits.shape import alive_at
from workbench.audits.source import Source
from workbench.audits.states import changed
from workbench.checking.check import check
from workbench.checking.driving import Processes
from workbench.commands.cli import main
from workbench.kernel import InputError
from workbench.kernel.meaning.cells import Cell
from workbench.protocols.paimon.audit.files import Schema
from workbench.protocols.paimon.audit.history import TableHistory
from workbench.protocols.paimon.audit.layout import Layout
from workbench.protocols.paimon.audit.lost import orphans
from workbench.protocols.paimon.audit.read import read
from workbench.protocols.paimon.driver import PaimonDriver
from workbench.protocols.paimon.recording import recorded
from workbench.showing.panel import FindingPanel
from workbench.showing.pictures import faults, picture
from workbench.showing.pictures.markup import SVG
from workbench.showing.pictures.paint import RED
from workbench.showing.view import audit_page, audit_view, finding_picture

REAL = ("java_dangling", "seq", "drive", "race3")


@pytest.fixture(scope="module")
def real_audit(real_table):
    """The audit of a table of data/real, by the archive's name."""
    return cache(lambda name: audit(real_table(name)))


@pytest.fixture(scope="module")
def processes(writers):
    """Writers that are there for one table after the other."""
    with Processes(PaimonDriver(str(writers)).command()) as processes:
        yield processes


@pytest.fixture
def lake(processes, tmp_path):
    return Lake(processes, tmp_path / "lake")


@pytest.mark.slow
@pytest.mark.parametrize(("case", "kind"), cases(Path(__file__).with_name("audit.txt")))
def test_case(request, tmp_path, case, kind):
    where, _, name = kind.partition(":")
    if name.startswith("lake"):
        table = Lake(request.getfixturevalue("processes"), tmp_path / "lake", *name.split("/")[1:])
    elif where == "written":
        table = PaimonTable(*request.getfixturevalue("written")(name))
    else:
        table = PaimonTable(request.getfixturevalue("own_table")(name))
    case.play(table)


@pytest.mark.parametrize(
    ("type", "slot", "folder"),
    [
        ("STRING", b"a b~\0\0\0\x84", "p=a b~"),
        ("STRING", b"\t\x1f\x7f\0\0\0\0\x83", "p=%09%1F%7F"),
        ("STRING", b"a=b/c:d\x87", "p=a%3Db%2Fc%3Ad"),
        ("STRING", b"True\0\0\0\x84", "p=True"),
        ("BOOLEAN", b"\1\0\0\0\0\0\0\0", "p=true"),
        ("BOOLEAN", b"\0\0\0\0\0\0\0\0", "p=false"),
        ("INT", b"\xfb\xff\xff\xff\0\0\0\0", "p=-5"),
        ("DOUBLE", bytes(8), "p=0.0"),
        ("FLOAT NOT NULL", struct.pack("<fI", 16777216.0, 0), "p=1.6777216E7"),
        ("DATE", struct.pack("<q", 19723), "p=19723"),
        ("TIME(3)", struct.pack("<q", 3_723_500), "p=3723500"),
        ("DECIMAL(10, 2)", struct.pack("<q", -1250), "p=-12.50"),
        ("DECIMAL(20, 8)", struct.pack("<II", 1, 16) + b"\7", "p=0.00000007"),
        ("TIMESTAMP(3)", struct.pack("<q", 1_704_067_200_000), "p=2024-01-01T00%3A00"),
        ("TIMESTAMP(3)", struct.pack("<q", 1_704_067_201_500), "p=2024-01-01T00%3A00%3A01.500"),
        ("TIMESTAMP", struct.pack("<IIq", 7_000, 16, 1_704_067_200_000), "p=2024-01-01T00%3A00%3A00.000007"),
        ("BINARY(1)", bytes(8), "partition=" + (b"\0\0\0\1" + bytes(16)).hex()),
    ],
)
def test_a_partition_s_folder_has_the_name_that_paimon_gives_it(tmp_path, type, slot, folder):
    schema = Schema((), ("p",), {"p": type}, {}, has_changed=False)
    assert Layout(Source(tmp_path), schema).partition(b"\0\0\0\1" + bytes(8) + slot) == folder


@pytest.mark.parametrize(
    ("type", "slot", "folder"),
    [
        ("DATE", struct.pack("<q", 19723), "p=2024-01-01"),
        ("TIME(3)", struct.pack("<q", 3_723_500), "p=01%3A02%3A03.5"),
        ("TIMESTAMP(0)", struct.pack("<q", 1_704_067_201_000), "p=2024-01-01 00%3A00%3A01"),
        ("TIMESTAMP(3)", struct.pack("<q", 1_704_067_201_500), "p=2024-01-01 00%3A00%3A01.500"),
    ],
)
def test_a_partition_s_folder_has_another_name_without_legacy_names(tmp_path, type, slot, folder):
    schema = Schema((), ("p",), {"p": type}, {"partition.legacy-name": "false"}, has_changed=False)
    assert Layout(Source(tmp_path), schema).partition(b"\0\0\0\1" + bytes(8) + slot) == folder


def test_of_several_spellings_the_one_that_is_there_counts(tmp_path):
    schema = Schema((), ("p",), {"p": "FLOAT"}, {}, has_changed=False)
    row = b"\0\0\0\1" + bytes(8) + struct.pack("<fI", 1e10, 0)
    assert (layout := Layout(Source(tmp_path), schema)).partition(row) == "p=1.0E10"
    assert layout.unsure == {"p=1.0E10": "Java spells a FLOAT by its version or time zone"}
    (tmp_path / "p=10000000000.0").mkdir()
    assert (layout := Layout(Source(tmp_path), schema)).partition(row) == "p=10000000000.0"
    assert layout.unsure == {}


@pytest.mark.parametrize("fields", [bytes(15) + b"\x80", b"\0\1" + bytes(14)], ids=["empty", "null"])
@pytest.mark.parametrize(
    ("options", "folder"), [({}, "p=__DEFAULT_PARTITION__"), ({"partition.default-name": "nothing"}, "p=nothing")]
)
def test_a_partition_without_a_value_has_the_name_that_the_table_gives_it(tmp_path, fields, options, folder):
    schema = Schema((), ("p",), {"p": "STRING"}, options, has_changed=False)
    assert Layout(Source(tmp_path), schema).partition(b"\0\0\0\1" + fields) == folder


def test_what_was_not_asked_for_is_not_lost(own_table):
    """The lists of snapshots before --since are named by these."""
    path = own_table("seq")
    table = read(Source(path), since=3)
    assert (table.first, table.oldest, table.orphans) == (3, 1, read(Source(path)).orphans)


@pytest.mark.slow
def test_lost_races_that_were_retried_are_not_suspected(real_table):
    found = read(Source(real_table("race3")))
    assert len(found.orphans) == 410
    assert found.commit(found.last)["version"] == 239
    assert [[file["name"] for file in one.files] for one in orphans(found)] == [
        ["data-64688e66-95de-43f8-8cea-077043c4663f-0.parquet"]
    ]


# Table and model speak with one voice --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_each_finding_is_a_state_in_which_the_model_says_the_same(real_audit, name):
    found = real_audit(name)
    assert found.findings
    for finding in found.findings:
        wrong = faults(finding.model, finding.state, [finding.violates()])
        assert wrong
        assert picture(finding.model, finding.state, at_fault=wrong).at_fault
        svg = finding_picture(finding).svg()
        assert ('data-fault="true"' in svg, "suspected" in svg) == (True, finding.grade == "suspect")
        assert finding.legend


def test_the_state_has_the_table_s_rows_and_versions(real_audit):
    finding = real_audit("java_dangling").of("OneValidRowPerKeyAboveLevel0")[0]
    state = finding.state
    assert [v for v in finding.model.author.versions if state.snapshots[v] is not None] == [1, 2, 3, 4, 5, 6, 7]
    live = state.manifest[state.snapshots[7]]
    assert [(state.level[f], state.sequence[f, "jack"], state.columns[f, "jack"][0]) for f in live] == [
        (5, 5001, "blue"),
        (3, 5502, "green"),
    ]
    assert any("data-18fc671b-3f05-4f25-a139-f5a012c9cb4e-0.parquet in level 5" in line for line in finding.legend)


@pytest.mark.slow
def test_a_suspicion_is_drawn_as_one_in_the_table_s_words(real_audit):
    (finding,) = real_audit("race3").findings
    drawn = finding_picture(finding)
    svg = ElementTree.fromstring(drawn.svg())
    words = ["".join(one.itertext()) for one in svg.iter(f"{SVG}text")]
    assert {"snapshot 88", "reader of snapshot 88", "of 239", "w5-14: no row", "? committed: red, A"} <= set(words)
    assert {"? suspected", "? not what was committed", "suspected"} <= set(words)
    assert words.count("data-64688e66…f-0.parquet") == 1  # the file that no snapshot has
    assert not any(re.search(r"snapshot 1\b|w5_14|p0b0|\bw[01]\b|latest", word) for word in words)
    assert "data-64688e66…f-0.parquet is data-64688e66-95de-43f8-8cea-077043c4663f-0.parquet" in drawn.notes[-1]
    bad = [one.get("data-thing") for one in svg.iter() if RED in one.attrib.values() or one.get("data-tone") == "bad"]
    assert bad == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["java_dangling", "seq", "drive"])
def test_the_model_comes_to_the_same_and_the_repair_prevents_it(real_audit, name):
    for finding in real_audit(name).findings:
        trace = story(finding)
        assert faults(trace.model, trace.states[-1], [finding.violates()])
        repaired = type(finding.model.author)(**{**finding.cause, **finding.repair})
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


def test_a_page_is_written_without_what_cannot_be_drawn_or_told(real_audit):
    found = real_audit("drive")
    (finding,) = found.findings
    cell = Cell("bucket_files", (finding.state.snapshots[1], "p0b0"))
    state = changed(finding.model, finding.state, {cell: ("a file that the model does not have",)})
    broken = replace(finding, state=state, cause={"NUM_WRITERS": 99})
    page = audit_page(replace(found, findings=(broken,)))
    assert "its picture could not be made: NoSuchIndex: " in page
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


def test_of_a_long_history_the_last_commits_are_told(real_table, monkeypatch):
    monkeypatch.setattr(import_module("workbench.protocols.paimon.audit.story"), "MOST_COMMITS", 1)
    (finding,) = audit(real_table("seq")).findings
    assert finding.state.log["jack", "col2", 4] == ((4, "green"),)
    assert finding.state.log["jack", "col2", 3] == ()


# The command ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("name", "status"), [("java_dangling", 1), ("seq", 1), ("drive", 3), ("race3", 3)])
def test_the_exit_status_says_what_was_found(real_table, capsys, name, status):
    assert main(["audit", str(real_table(name)), "--json"]) == status
    document = json.loads(capsys.readouterr().out)
    audit_fields = ["holds", "why", "format", "path", "versions", "findings", "looked_at", "not_checked", "complete"]
    assert list(document) == audit_fields
    assert (document["format"], document["complete"]) == ("paimon", True)
    for finding in document["findings"]:
        fields = ["property", "grade", "version", "bucket", "key", "why", "evidence", "repair", "no_picture"]
        assert list(finding) == fields
        assert (len(finding["repair"]), finding["no_picture"]) == (1, None)


def test_a_clean_table_ends_with_0(own_table, capsys):
    path = own_table("seq")
    (path / "snapshot/snapshot-4").unlink()
    (path / "snapshot/LATEST").write_text("3")
    (path / "manifest/manifest-list-dcb9853f-7aeb-4374-b8e4-15f0791afaab-1").unlink()
    assert main(["audit", str(path)]) == 0
    assert "nothing found" in capsys.readouterr().out


@pytest.mark.slow
def test_the_page_has_the_evidence_and_the_pictures(real_table, tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(["audit", str(real_table("java_dangling")), "-o", str(page)]) == 1
    text = page.read_text()
    assert text.count("How the model gets there") == 2
    assert "index-c7534dd1-1db0-4456-9f59-c80466581557-0" in text
    assert "NUM_COMPACTORS" in capsys.readouterr().out


@pytest.mark.slow
def test_an_audit_shows_itself_in_a_notebook(real_audit):
    found = real_audit("seq")
    bundle = audit_view(found).bundle()
    assert "blue2" in bundle["text/html"]
    assert bundle["text/plain"] == found.text()
    assert "<svg" in audit_page(found)


@pytest.mark.slow
def test_a_finding_opens_in_the_panel_and_the_button_repairs_it(real_audit):
    (finding,) = real_audit("seq").findings
    found = FindingPanel(finding)
    verdict = found.wait(300)["ConsistentRead"]
    assert verdict.word == "violated"
    assert found.verdict == verdict
    picture, button, *_ = found.content.children
    assert "blue2" in picture.markup()
    assert "blue2" in found._repr_mimebundle_()[0]["text/html"], "what a notebook keeps"
    assert ">repair: ONE_WRITER_PER_BUCKET=on<" in button.markup()
    button.receive("", None)
    assert found.wait(300)["ConsistentRead"].word == "holds"


# Histories that are not whole ---------------------------------------------------------------------------------------


def expire(path, until):
    """Remove the snapshots before `until` with their lists, as a writer does that expires them."""
    table = PaimonTable(path)
    for version in range(1, until):
        if table.files(f"snapshot:{version}")[0].exists():
            table.remove(f"base:{version}", f"delta:{version}", f"snapshot:{version}")


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


@pytest.mark.slow
def test_a_table_that_expires_faster_than_it_is_read_is_refused_in_one_line(own_table, monkeypatch):
    path = own_table("race3")

    def expiring(source, decode, items, schema):
        expire(path, items[0].version + 1)
        return decoded(source, decode, items, schema)

    monkeypatch.setattr(import_module("workbench.protocols.paimon.audit.read"), "decoded", expiring)
    with pytest.raises(InputError, match="its snapshots expire faster than they can be read"):
        read(Source(path))


def test_a_table_on_a_file_system_of_fsspec_is_judged_like_a_local_one(real_table, real_audit):
    memory = fsspec.filesystem("memory")
    memory.put(str(real_table("seq")), "/lake/seq", recursive=True)
    there, here = audit("memory://lake/seq"), real_audit("seq")
    assert there.findings == here.findings


# A large one ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def large(tmp_path):
    """Writes a table of 400 snapshots and 1,600 files."""

    def write(*options):
        script = ROOT / "scripts" / "bench" / "paimon_table.py"
        command = [sys.executable, script, tmp_path / "t", "--snapshots", "400", "--files", "4"]
        subprocess.run([*command, *options], check=True)
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
    assert audit(large(), without_data=True).findings == ()  # it has none


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


# Writers that race ---------------------------------------------------------------------------------------------------


def test_a_key_that_was_written_many_times_is_told_from_its_last_commits_on(lake):
    lake.write("w0", "jack=v0..29")
    lake.start("w1", "jack=late")
    lake.write("w0", "jack=a", "jack=b")
    lake.gate("w1")
    lake.go("w1")
    (finding,) = lake.audit().findings
    assert (finding.grade, finding.version) == ("proved", 33)
    state = finding.state
    assert state.latest == 12
    assert [state.columns[file, "jack"][0] for file in state.manifest[state.snapshots[12]]][-3:] == ["a", "b", "late"]
    assert finding.names["snapshot 12"] == "snapshot 33"


def test_races_at_full_speed_lose_exactly_the_commits_that_are_named(lake):
    """Whatever happens this time: what was acknowledged is there, or it is named."""
    names = [f"w{w}" for w in range(4)]
    for name in names:
        lake.writer(name)
    for name in names:
        lake.begin(name, *(f"{name}-{n}" for n in range(12)))
    acks = [lake.answer(name)["ack"] for name in names for _ in range(12)]
    lost = {ack["commitUser"] for ack in acks} - set(read(Source(lake.folder)).snapshots["user"].to_pylist())
    without = lake.audit()
    lake.acks_told()
    named = [f.why.split()[3] for f in lake.audit().of("AcknowledgedCommitsPresent")]
    assert sorted(named) == sorted(lost)
    broken = without.of("LinearHistory")
    assert not broken or lost
    assert len(without.of("AcknowledgedCommitsPresent")) + len(broken) >= len(lost)


def test_a_table_that_is_written_to_has_no_false_findings(lake):
    """Commits that are under way while the table is read are not taken for lost ones."""
    lake.write("w0", "tom")
    lake.begin("w0", *(f"w-{n}" for n in range(60)))
    seen = set()
    for _ in range(60):
        found = lake.audit()
        assert found.findings == ()
        seen.add(found.versions[1])
        lake.answer("w0")
    assert lake.audit().versions == (1, 61)
    assert len(seen) > 1


@pytest.mark.parametrize("name", ["java_dangling", "seq", "drive"])
def test_a_table_on_s3_is_judged_like_a_local_one(s3, real_table, real_audit, name):
    files, bucket = fs.S3FileSystem(endpoint_override=s3.address, scheme="http"), name.replace("_", "-")
    s3.files.mkdir(bucket)
    fs.copy_files(str(real_table(name)), f"{bucket}/t", destination_filesystem=files)
    options = f"?endpoint_override={s3.address}&scheme=http"
    there, here = audit(f"s3://{bucket}/t{options}"), real_audit(name)
    assert there.findings == here.findings
    assert there.versions == here.versions
    with pytest.raises(InputError, match=f"there is no folder 's3://{bucket}/nothing"):
        audit(f"s3://{bucket}/nothing{options}")
    with pytest.raises(InputError, match=f"there is one in 's3://{bucket}/t"):
        audit(f"s3://{bucket}{options}")
    secret = audit(f"s3://x:secret@{bucket}/t{options}")
    assert "secret" not in secret.text()
