"""Hudi's tables: what is read of them, and what the audit says. `layout.py` lays them out; cases are in `audit.txt`."""

import json
import subprocess
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.audits.cases import cases
from tests.audits.damage import change
from tests.audits.expected import agreed, answer, refusal
from tests.products import examples
from tests.protocols.hudi.layout import HudiTable
from workbench import check
from workbench.audits import Audit, audit
from workbench.audits.damaged import Damages
from workbench.audits.source import Source
from workbench.commands.cli import main
from workbench.protocols.hudi.audit import archive as hudi_archive
from workbench.protocols.hudi.audit import keys as hudi_keys
from workbench.protocols.hudi.audit import states as hudi_states
from workbench.protocols.hudi.audit.read import not_built_on_before, read
from workbench.protocols.hudi.audit.timeline import properties

VERSIONS = (5, 6, 8, 9)


@pytest.fixture(params=VERSIONS)
def table(request, tmp_path):
    return HudiTable(tmp_path / "t", request.param)


def graded(found: Audit) -> list[tuple[str, str]]:
    return [(one.property, one.grade) for one in found.findings]


@pytest.mark.parametrize(("case", "version"), cases(Path(__file__).with_name("audit.txt"), *map(str, VERSIONS)))
def test_case(tmp_path, case, version):
    case.play(HudiTable(tmp_path / "t", int(version)))


@pytest.mark.parametrize("partition", ["", "day=1/"])
@pytest.mark.parametrize("version", [6, 8, 9])  # not 5, which that reader does not know
def test_what_the_tests_lay_out_is_what_hudi_reads(writers, tmp_path, version, partition):
    table = HudiTable(tmp_path / "t", version, partitioned=bool(partition))
    table.commit(f"{partition}a", "jack=red", "sarah=blue")
    table.commit(f"{partition}a", "jack=green", "-sarah")
    table.commit("CLUSTER", f"{partition}b", "jack=green", f"~{partition}a")
    table.commit("INSERT", f"{partition}c", "tom=red")
    table.commit("INSERT_OVERWRITE", f"{partition}d", "tom=blue", f"~{partition}c")
    table.roll_back(table.commit(f"{partition}d", "sam=red"))
    table.begin().put(f"{partition}d", "bob=red")
    table.clean()
    script = Path(__file__).with_name("reader.py")
    done = subprocess.run([writers, script, table.folder], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == {"jack": "green", "tom": "blue"}
    assert graded(agreed(table)) == []


def test_slices_live_from_their_commit_to_the_next(table):
    one = table.commit("a", "jack=red")
    two = table.commit("a", "jack=blue")
    clustered = table.commit("CLUSTER", "b", "jack=blue", "~a")
    slices = read(Source(table.folder), Damages()).slices
    lives = sorted(
        (first, last) for first, last in zip(*(slices[c].to_pylist() for c in ("first", "last")), strict=True)
    )
    assert lives == [(int(one), int(two)), (int(two), int(clustered)), (int(clustered), None)]


def test_slices_say_whether_they_were_built_on_the_one_before(table):
    table.commit("a", "jack=red")
    table.commit("a", "tom=red")
    late, later = table.begin(), table.begin()
    late.put("a", "tom=blue").complete()
    last = later.put("a", "jack=blue").complete()
    slices = read(Source(table.folder), Damages()).slices
    assert not_built_on_before(slices)["first"].to_pylist() == [int(last)]
    assert slices["operation"].to_pylist() == ["UPSERT"] * 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("property", "projected"),
    [
        ("PublishedFilesExist", hudi_states.deleted_slice("a", 1, rolled_back=True)),
        ("NoDuplicateKeysAcrossFiles", hudi_states.two_groups("jack", ["a", "b"], [1, 2])),
        ("ConsistentRead", hudi_states.lost_update(None, "a", [1, 2])),
        ("ConsistentRead", hudi_states.one_name("a", 1)),
    ],
)
def test_the_model_gets_to_what_is_found_and_the_repair_prevents_it(property, projected):
    model = type(projected["model"].author)
    assert check(model(**projected["cause"]), [property])[property].holds is False
    assert check(model(**projected["cause"] | projected["repair"]), [property])[property].holds


def test_archived_instants_that_are_not_read_are_named(tmp_path, monkeypatch):
    table = HudiTable(tmp_path / "t")
    table.property("hoodie.table.type", "MERGE_ON_READ")
    table.commit("a", "jack=red")
    for _ in range(4):
        table.append("a")
        table.archive("1")
    oldest, *_, newest = sorted(table.files(".hoodie/archived/.commits*"))
    content = newest.read_bytes()
    newest.write_bytes(content[:17] + b"\2" + content[18:])
    assert any(".archive.4_1-0-1 has version 2" in note for note in agreed(table).not_checked)
    newest.write_bytes(content)
    oldest.write_bytes(content * 9)
    monkeypatch.setattr(hudi_archive, "MOST_OF_ARCHIVE", len(content) * 5)
    found = agreed(table)
    assert not found.complete
    assert "archived instants in the oldest 1 file" in found.not_checked


# Large and odd files -------------------------------------------------------------------------------------------------


def test_rows_that_cannot_be_shown_are_damage_and_the_finding_stays(table):
    table.commit("a", "jack=red")
    table.commit("b", "jack=blue")
    (path,) = table.files("b@2")
    group = pq.read_metadata(path).row_group(0)
    (chunk,) = (one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == "value")
    begin = chunk.dictionary_page_offset or chunk.data_page_offset
    content = bytearray(path.read_bytes())
    content[begin : begin + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    path.write_bytes(content)
    assert graded(agreed(table)) == [("FilesAreWhole", "damaged"), ("NoDuplicateKeysAcrossFiles", "proved")]


@pytest.mark.slow
def test_a_commit_of_very_many_files(tmp_path):
    """What an instant says is one record, in one block."""
    table = HudiTable(tmp_path / "t", 9)
    table.commit("a", "jack=red")
    (path,) = table.files("1")

    def repeat(records):
        stats = records[0]["partitionToWriteStats"]
        stats[""] = [stat | {"fileId": stat["fileId"][:36]} for stat in stats[""]] * 40_000

    change(path, repeat)
    assert read(Source(table.folder), Damages()).slices.num_rows == 40_000


def test_many_findings_are_counted_rather_than_listed(tmp_path):
    table = HudiTable(tmp_path / "t")
    for group in "ab":
        table.commit(group, *(f"key{i}=red" for i in range(150)))
    found = audit(table)
    assert len(found.findings) == 100
    assert any(one.endswith("not listed: 50") for one in found.not_checked)


def test_keys_that_do_not_fit_into_memory_at_once(tmp_path, monkeypatch):
    table = HudiTable(tmp_path / "t")
    table.commit("a", *(f"key{i}=red" for i in range(300)))
    table.commit("b", *(f"key{i}=blue" for i in range(0, 900, 30)))
    at_once = audit(table)
    monkeypatch.setattr(hudi_keys, "MOST_HASHES", 50)
    assert audit(table) == at_once
    assert len(at_once.findings) == 10
    monkeypatch.setattr(hudi_keys, "MOST_KEYS", 3)
    found = audit(table)
    assert len(found.findings) == 3
    assert any(one.endswith("not listed: 7") for one in found.not_checked)


@pytest.mark.parametrize("fields", ["id", "id,value"])
def test_virtual_keys_are_read_from_one_field_or_left_out_by_name(tmp_path, fields):
    """The rows have no columns of Hudi's; what can be said without them is."""
    table = HudiTable(tmp_path / "t")
    table.property("hoodie.populate.meta.fields", "false")
    table.property("hoodie.table.recordkey.fields", fields)
    for group, row in (("c", "bob=red"), ("d", "bob=blue"), ("a", "jack=red")):
        table.commit(group, row)
    one, two = table.begin(), table.begin()
    one.put("a", "jack=blue").complete()
    two.put("a", "tom=green").complete()
    for path in table.files("*.parquet"):
        pq.write_table(pq.read_table(path, columns=["id", "value"]), path)
    found = agreed(table)
    assert ("ConsistentRead", "proved", int(two.ts)) in [(f.property, f.grade, f.version) for f in found.findings]
    is_read = fields == "id"
    assert found.complete == is_read
    assert any("hoodie.populate.meta.fields" in one for one in found.not_checked) != is_read
    assert [one.key for one in found.of("NoDuplicateKeysAcrossFiles")] == ["bob"] * is_read


def test_properties_are_read_as_java_does(tmp_path):
    table = HudiTable(tmp_path / "t")
    (path,) = table.files(".hoodie/hoodie.properties")
    path.write_text(path.read_text() + "! a remark\nlong \\\n   : one \\\n   two\n\\u0061\\:b\\=c = d\\\\e\n\nempty=\n")
    given = properties(Source(table.folder))
    assert (given["long"], given["a:b=c"], given["empty"]) == ("one two", "d\\e", "")
    assert json.loads(given["hoodie.table.create.schema"])["name"] == "t_record"


def test_a_footer_that_promises_gigabytes(table):
    """How large a row group is when it is unpacked is in the footer, which nobody has to believe."""
    table.commit("a", *(f"key{i}=red" for i in range(100)))
    table.commit("b", "tom=red")
    (path,) = table.files("a@1")
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


# Any tables ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("version", [6, 9])
def test_a_table_that_is_written_to_and_cleaned(tmp_path, version):
    table = HudiTable(tmp_path / "t", version)
    table.commit("a", "jack=red")

    def write() -> None:
        for _ in range(60):
            table.commit("a", "jack=red", "tom=red")
            table.commit("b", "sam=red")
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


KINDS = ["put", "put", "put", "delete", "cluster", "clean", "roll back", "archive"]
OPERATIONS = st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from("abc"), st.integers(0, 3)), max_size=12)


def grown(folder: Path, version: int, operations: list[tuple[str, str, int]]) -> HudiTable:
    """A table after these operations of one writer, each key in one group."""
    table = HudiTable(folder, version)
    home = {name: name for name in "abc"}
    for n, (what, name, number) in enumerate(operations):
        group, key = home[name], f"{name}{number}"
        there = table.live.get(table.group(group))
        if what == "put":
            table.commit(group, f"{key}=v{n}")
        elif what == "delete" and there and key in there.rows:
            table.commit("DELETE", group, f"-{key}")
        elif what == "cluster" and there:
            home[name] = f"{name}{n}"
            table.commit(
                "CLUSTER", home[name], *(f"{key}={value}" for key, (value, _) in there.rows.items()), f"~{group}"
            )
        elif what == "clean" and table.instants:
            table.clean(table.instants[-1])
        elif what == "roll back":
            table.roll_back(table.commit(group, f"{key}=wrong"))
        elif what == "archive" and len(table.instants) > 4:
            table.archive("1")
    return table


@pytest.mark.slow
@examples(40)
@given(operations=OPERATIONS, version=st.sampled_from(VERSIONS))
def test_one_writer_makes_clean_tables(tmp_path_factory, operations, version):
    table = grown(tmp_path_factory.mktemp("hudi") / "t", version, operations)
    assert graded(agreed(table)) == []


@pytest.mark.slow
@examples(40)
@given(operations=OPERATIONS, version=st.sampled_from(VERSIONS), data=st.data())
def test_what_is_broken_is_found(tmp_path_factory, operations, version, data):
    table = grown(tmp_path_factory.mktemp("hudi") / "t", version, [*operations, ("put", "a", 0), ("put", "b", 1)])
    live = sorted(table.live.values(), key=lambda one: one.path)
    expected = ("ConsistentRead", "proved")
    match data.draw(st.sampled_from(["delete", "duplicate", "lose", "overwrite"])):
        case "delete":
            told = [one for one in live if table.files(f"{one.ts}*")]  # an archived commit names no files
            table.remove(data.draw(st.sampled_from(told)).path)
            expected = ("PublishedFilesExist", "proved")
        case "duplicate":
            key = data.draw(st.sampled_from([key for one in live for key in one.rows]))
            table.commit("elsewhere", f"{key}=again")
            expected = ("NoDuplicateKeysAcrossFiles", "proved")
        case "lose":
            table.commit("z", "z0=old")
            one, two = table.begin(), table.begin()
            one.put("z", "z1=new").complete()
            two.put("z", "z2=new").complete()
        case "overwrite":
            rows = {key: value for key, (value, _) in live[-1].rows.items()} | {f"y{i}": "more" for i in range(9)}
            table.overwrite(live[-1].path, *(f"{key}={value}" for key, value in rows.items()))
    assert expected in graded(agreed(table))


@pytest.mark.slow
@examples(60)
@given(version=st.sampled_from(VERSIONS), data=st.data())
def test_damage_is_an_answer_or_one_line(tmp_path_factory, corrupt, version, data):
    table = HudiTable(tmp_path_factory.mktemp("hudi") / "t", version)
    for group, row in (("a", "jack=red"), ("a", "tom=blue"), ("b", "sam=blue")):
        table.commit(group, row)
    table.clean(table.instants[-1])
    for path in [*table.folder.rglob("*.crc"), *(path for path in table.timeline.iterdir() if path.is_file())]:
        if path.suffix == ".crc" or not path.stat().st_size:
            path.unlink()
    corrupt(table.folder, data)
    assert "\n" not in answer(table)[1]


@pytest.mark.parametrize(("operation", "status"), [("UPSERT", 1), ("INSERT", 0), ("CLUSTER", 3)])
def test_the_command_says_how_it_ended(table, capsys, operation, status):
    table.commit("a", "jack=red")
    table.commit(operation, "b", "jack=blue")
    before = {path: path.stat().st_mtime_ns for path in table.folder.rglob("*")}
    assert main(["audit", str(table.folder), "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert said["versions"] == [int(ts) for ts in table.instants]
    assert [one["key"] for one in said["findings"]] == ["jack"]
    assert {path: path.stat().st_mtime_ns for path in table.folder.rglob("*")} == before, "it only reads"
