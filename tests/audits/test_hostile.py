"""Tables that are damaged, or mean harm: one line, in bounded memory; and nothing outside of the table is read."""

import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pyroaring import BitMap

from tests.audits import damaged_tables
from tests.audits.damage import change, records
from tests.audits.expected import agreed, answer, damage
from tests.products import examples
from tests.protocols.paimon.tables import PaimonTable
from workbench.audits import audit, avro, judgement
from workbench.audits.acks import read_acks
from workbench.audits.damaged import Damaged, Missing
from workbench.audits.source import Source
from workbench.commands.cli import main
from workbench.kernel import InputError

LONG = {"type": "record", "name": "R", "fields": [{"name": "x", "type": "long"}]}


def container(schema, records, codec="null"):
    out = io.BytesIO()
    fastavro.writer(out, schema, records, codec=codec)
    return out.getvalue()


def with_block(schema, count, size, block, codec="null"):
    """A container that has one block and says that of it."""
    content = container(schema, [], codec)
    out = io.BytesIO()
    for number in (count, size):
        fastavro.schemaless_writer(out, "long", number)
    return content + out.getvalue() + block + content[-16:]


def refused(capsys, path, *arguments):
    """What the command says of a table that it refuses, which is one line."""
    assert main(["audit", str(path), *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.endswith("\n")
    assert output.err.count("\n") == 1
    return output.err.removesuffix("\n")


# Avro ----------------------------------------------------------------------------------------------------------------


def bomb(codec):
    """A block that is small, and becomes a gigabyte."""
    zeros = bytes(2**20)
    if codec == "deflate":
        packer = zlib.compressobj(wbits=-15)
        return b"".join(packer.compress(zeros) for _ in range(1024)) + packer.flush()
    sink = io.BytesIO()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        for _ in range(1024):
            out.write(zeros)
        out.flush()
        return b"" if out.closed else sink.getvalue()


NESTED: dict = {"type": "array", "items": "long"}
for _ in range(100):
    NESTED = {"type": "array", "items": NESTED}


def of(*types, name="R"):
    return {"type": "record", "name": name, "fields": [{"name": f"f{i}", "type": t} for i, t in enumerate(types)]}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is not an Avro file, or not a whole one"),
        (b"PAR0" + bytes(50), "does not begin as Avro files do$"),
        (b"PAR1" + bytes(50), "it begins as Parquet files do; manifests in Parquet are not read"),
        (b"ORC" + bytes(50), "it begins as ORC files do; manifests in ORC are not read"),
        (container(LONG, [{"x": 1}])[:-1], "announces a block of 1 records and 1 bytes, which is not there"),
        (container(LONG, [{"x": 1}])[:-17], "announces a block"),
        (with_block(LONG, 1, 2**40, b"\2"), "announces a block of 1 records and 1,099,511,627,776 bytes"),
        (with_block(LONG, 1, -1, b"\2"), "announces a block of 1 records and -1 bytes"),
        (with_block(LONG, 2**40, 1, b"\2"), "a block of 1 bytes announces 1,099,511,627,776 records"),
        (with_block(LONG, 1, 2, b"\2\2"), "it is not an Avro file, or not a whole one"),
        (with_block(LONG, 1, 3, b"\2\2\4"), "a block does not end where it should"),
        (with_block(LONG, 20_000, 20_001, b"\2" * 20_001), "a block does not end where it should"),
        (with_block(of("string"), 1, 6, b"\xfe\xff\xff\xff\x0f1"), "it is not an Avro file, or not a whole one"),
        (with_block(of("bytes"), 1, 3, b"\x01\x02\x03"), "it is not an Avro file, or not a whole one"),
        (with_block(of({"type": "array", "items": "null"}), 1, 6, b"\xfe\xff\xff\xff\x7f\0"), "take no bytes"),
        (with_block(of({"type": "array", "items": of(name="E")}), 1, 6, b"\xfe\xff\xff\xff\x7f\0"), "take no bytes"),
        (
            with_block(of({"type": "array", "items": {"type": "fixed", "name": "F", "size": 0}}), 1, 1, b"\0"),
            "no bytes",
        ),
        (with_block(of(), 1, 1, b"\0"), "its schema is not a record, or has no fields"),
        (with_block(of("null"), 1, 1, b"\0"), "its schema is not a record, or has no fields"),
        (with_block(of(["null", "R"]), 1, 10**6, b"\2" * 10**6), "has 'R' within itself"),
        (with_block(of(NESTED), 1, 1, b"\0"), "nested deeper than 32 levels"),
        (with_block(LONG, 1, 1, b"\2").replace(b"null", b"lzma"), "its codec is 'lzma'"),
        (with_block(LONG, 2**29, 0, b"").replace(b"long", b"lonk"), "it is not an Avro file, or not a whole one"),
    ],
)
def test_avro_that_promises_what_it_does_not_hold_is_refused(content, why):
    with pytest.raises(InputError, match=why) as error:
        list(avro.records(content, "manifest/x"))
    assert str(error.value).startswith("'manifest/x' is")
    assert "\n" not in str(error.value)


def test_what_holds_bare_records_is_named_once_where_it_is_damaged():
    def encoded():
        yield b"\2"
        raise Damaged("log", "a block ends too early")

    with pytest.raises(Damaged, match=r"^'log' is damaged: a block ends too early$"):
        list(avro.bare_records(json.dumps(LONG).encode(), encoded(), "log"))


@pytest.mark.slow
@pytest.mark.parametrize("codec", ["deflate", "zstandard"])
def test_a_block_that_unpacks_into_a_gigabyte_is_refused(codec):
    packed = bomb(codec)
    assert len(packed) < 2**21
    content = with_block(of("bytes"), 1, len(packed), packed).replace(
        b"\x08null", b"%c%s" % (2 * len(codec), codec.encode())
    )
    with pytest.raises(InputError, match=r"a block has more than 8,388,608 bytes when it is unpacked"):
        list(avro.records(content, "manifest/x"))


def test_what_blocks_unpack_into_together_is_bounded(monkeypatch):
    monkeypatch.setattr(avro, "MOST_OF_FILE", 1000)
    out = io.BytesIO()
    fastavro.writer(out, LONG, [{"x": 2**50}] * 500, sync_interval=100)
    with pytest.raises(InputError, match="more than 1,000 bytes when it is unpacked"):
        list(avro.records(out.getvalue(), "manifest/x"))


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_avro_is_read_as_it_was_written(codec):
    inner, nullable = of("long", "long", name="Inner"), ["null", of("long", "long", name="Nullable")]
    schema = of("long", ["null", "string"], {"type": "array", "items": "int"}, inner, nullable)
    records = [
        {
            "f0": i,
            "f1": None if i % 2 else "x" * i,
            "f2": [i] * 3,
            "f3": (one := {"f0": i, "f1": 0}),
            "f4": one if i else None,
        }
        for i in range(500)
    ]
    content = container(schema, records, codec)
    assert list(avro.records(content, "x")) == records
    first, *others = avro.records(content, "x", ("f0", "f3.f0", "f4.f0"))
    assert first == {"f0": 0, "f3": {"f0": 0}, "f4": None}
    assert others[6] == {"f0": 7, "f3": {"f0": 7}, "f4": {"f0": 7}}


def test_snappy_is_read_with_its_checksum():
    """As Paimon 0.8 wrote its manifests."""
    block = b"".join(bytes([2 * i]) for i in range(60))
    packed = pa.Codec("snappy").compress(block, asbytes=True) + zlib.crc32(block).to_bytes(4, "big")

    def snappy(packed):
        return with_block(LONG, 60, len(packed), packed).replace(b"\x08null", b"\x0csnappy")

    assert [record["x"] for record in avro.records(snappy(packed), "x")] == list(range(60))
    with pytest.raises(InputError, match="does not have its checksum"):
        list(avro.records(snappy(packed[:-1] + b"?"), "x"))
    with pytest.raises(InputError, match="a block promises 4,294,967,295 bytes"):
        list(avro.records(snappy(b"\xff\xff\xff\xff\x0f" + packed), "x"))


# Names that lead out of the table -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "a/../../secret", "", "a//b", ".", "a\\..\\b", "a\x00b"])
def test_a_name_that_leads_out_of_the_table_is_refused(tmp_path, name):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "table").mkdir()
    source = Source(tmp_path / "table")
    for use in (source.read, source.exists):
        with pytest.raises(InputError, match="is not accepted as a file of the table"):
            use(name)


def test_a_link_that_leads_out_of_the_table_is_refused(tmp_path):
    (tmp_path / "secret").write_text("x")
    (tmp_path / "table").mkdir()
    (tmp_path / "table/link").symlink_to(tmp_path / "secret")
    (tmp_path / "table/in").write_text("y")
    (tmp_path / "table/inner").symlink_to("in")
    source = Source(tmp_path / "table")
    assert source.read("inner") == b"y"
    (tmp_path / "table/folder").symlink_to(tmp_path)
    for name in ("link", "folder/secret"):
        with pytest.raises(InputError, match="a link that leads out of it"):
            source.read(name)


def test_locations_are_taken_into_the_table_or_refused(tmp_path):
    source = Source(tmp_path)
    assert source.inside(f"{tmp_path}/data/a") == "data/a"
    assert source.inside(f"file://{tmp_path}/data/a") == "data/a"
    assert source.inside("s3://lake/t/data/a", moved_from="s3://lake/t/") == "data/a"
    for location in ("/etc/passwd", f"{tmp_path}/../x", f"{tmp_path}x/a", "s3://lake/t2/a"):
        with pytest.raises(InputError, match="is not accepted as a file of the table"):
            source.inside(location, moved_from="s3://lake/t")


# Files that are not what they say -------------------------------------------------------------------------------------


def test_files_are_read_up_to_a_size(tmp_path):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(InputError, match=r"'large' is not accepted: it has more than 67,108,864 bytes"):
        Source(tmp_path).read("large")
    with pytest.raises(Missing, match="'nothing' does not exist"):
        Source(tmp_path).read("nothing")


def test_json_that_is_nested_too_deeply_is_a_finding(own_table):
    table = PaimonTable(own_table("seq"))
    table.write("snapshot:2", "[" * 10**5)
    assert "nested too deeply" in damage(table)


def test_entries_of_other_types_are_a_finding(own_table):
    table = PaimonTable(own_table("seq"))
    schema = {"type": "record", "name": "E", "fields": [{"name": "_KIND", "type": "int"}]}
    table.files("manifest:2")[0].write_bytes(container(schema, [{"_KIND": 0}]))
    assert "is damaged: its entries lack '_FILE'" in damage(table)


def with_vector(path, content, offset=1, length=None):
    """Give the first deletion vector of the newest index manifest another content."""
    table = PaimonTable(path)
    index = path / "manifest" / table.told("7.indexManifest")
    (record,) = records(index)
    (path / "index" / record["_FILE_NAME"]).write_bytes(b"\1" + content)
    where = {"f0": record["_DELETIONS_VECTORS_RANGES"][0]["f0"], "f1": offset, "f2": length or len(content) - 8}
    change(index, lambda some: some[0].update(_ROW_COUNT=1, _DELETIONS_VECTORS_RANGES=[where]))


def vector(bitmap, length=None, magic=1581511376):
    body = struct.pack(">i", magic) + bitmap
    said = len(body) if length is None else length
    return struct.pack(">i", said) + body + zlib.crc32(body).to_bytes(4, "big")


EVERYTHING = BitMap()
EVERYTHING.add_range(0, 2**32 - 1)
EVERYTHING.run_optimize()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "length", "why"),
    [
        (vector(BitMap([1]).serialize(), length=2**31 - 1), None, "says that it has 2,147,483,647"),
        (vector(BitMap([1]).serialize()), 2**31 - 1, "a deletion vector of 2,147,483,647 bytes"),
        (vector(BitMap([1]).serialize()), 2**20, "it ends within a deletion vector"),
        (vector(BitMap([1]).serialize())[:-1] + b"?", None, "does not have its checksum"),
        (vector(b"\x3a\x30\0\0\xff\xff\xff\x7f"), None, "is damaged"),
        (vector(b""), None, "is damaged"),
        (vector(BitMap([10**6]).serialize()), None, "strikes out row 1,000,000 of a file of 5,001 rows"),
        (vector(EVERYTHING.serialize()), None, "strikes out row 4,294,967,294 of a file of 5,001 rows"),
    ],
)
def test_a_deletion_vector_that_lies_is_a_finding(own_table, content, length, why):
    path = own_table("java_dangling")
    with_vector(path, content, length=length)
    assert why in damage(path)


def test_a_deletion_vector_of_one_row_names_its_key(own_table):
    path = own_table("java_dangling")
    with_vector(path, vector(BitMap([1]).serialize()))
    (dangling,) = agreed(path).of("NoDanglingDeletionVectors")
    assert (dangling.grade, dangling.key) == ("proved", "k00000")


def test_deletion_vectors_of_another_kind_are_left_out_by_name(own_table):
    path = own_table("java_dangling")
    with_vector(path, vector(BitMap([1]).serialize(), magic=1681511377))
    found = audit(path)
    assert [finding.property for finding in found.findings] == ["NoDanglingDeletionVectors"]
    assert not found.complete
    assert any("deletion vectors that begin with 0x6439d3d1" in note for note in found.not_checked)


@pytest.mark.parametrize("most", [0, 1])
def test_an_audit_that_does_not_read_all_deletion_vectors_is_incomplete(tmp_path, monkeypatch, most):
    monkeypatch.setattr(judgement, "MOST_VECTORS", most)
    path, _ = damaged_tables.paimon(tmp_path)
    result = audit(path)
    left_out = [note for note in result.not_checked if note.startswith("the content of ")]
    assert (left_out, result.complete) == (["the content of 1 of 1 deletion vectors"][most:], bool(most))


def test_a_data_file_that_is_damaged_is_a_finding(own_table):
    path = own_table("seq")
    (file,) = path.glob("bucket-0/data-83d6577d-*")
    file.write_bytes(b"PAR1" + bytes(40) + b"\xff\xff\xff\x7fPAR1")
    assert "it is not a Parquet file, or not a whole one" in damage(path)
    pq.write_table(pa.table({"k": ["jack"]}), file)
    assert "it has no column '_SEQUENCE_NUMBER'" in damage(path)


DAMAGES_FOOTERS = """
import sys
from pathlib import Path
from workbench.kernel import InputError
from workbench.audits.columns import count_rows, read_columns
from workbench.audits.source import Source

path = Path(sys.argv[1])
content, source, refused = path.read_bytes(), Source(str(path.parent)), 0
for at in range(len(content) - 8 - int.from_bytes(content[-8:-4], "little"), len(content)):
    for byte in {0, 0x7F, 0xFF} - {content[at]}:
        path.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
        try:
            count_rows(source, path.name)
            list(read_columns(source, path.name, ["k", "s"]))
        except InputError:
            refused += 1
print(refused)
"""


@pytest.mark.slow
def test_a_damaged_footer_does_not_end_the_process(tmp_path):
    """Where a footer contradicts itself on a column chunk, pyarrow aborts once it is asked for that."""
    rows = [{"k": "jack", "s": {"n": 1}}, {"k": "sarah", "s": None}] * 50
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "t.parquet", row_group_size=50)
    command = [sys.executable, "-c", DAMAGES_FOOTERS, tmp_path / "t.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 500


def test_acknowledgements_may_begin_with_a_byte_order_mark(tmp_path):
    acks = tmp_path / "acks.jsonl"
    acks.write_bytes(b'\xef\xbb\xbf{"commitUser": "a"}\r\n{"commitUser": "b"}\r\n')
    assert read_acks(acks, {"commitUser": str}, {}) == [{"commitUser": "a"}, {"commitUser": "b"}]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["nowhere"], "there is no folder 'nowhere'"),
        (["."], "is not a table of"),
        ([".", "--format", "paimon"], "'.' is not a table of paimon"),
        (["nope://a/b"], "'nope://a/b' cannot be read"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, monkeypatch, capsys, arguments, why):
    monkeypatch.chdir(tmp_path)
    assert why in refused(capsys, *arguments)


def test_a_path_is_named_to_its_end(tmp_path, capsys):
    folder = tmp_path / "warehouse-of-a-long-name" / ("d" * 100) / "sales.db" / "orders"
    folder.mkdir(parents=True)
    assert f"'{folder}' is not a table of" in refused(capsys, folder)
    deep = folder.joinpath(*["d" * 200] * 3, "the-last-of-them")
    assert "/the-last-of-them'" in refused(capsys, deep)


def test_tables_further_down_are_named(real_table, capsys):
    folder = real_table("seq").parent.parent
    assert refused(capsys, folder).endswith(f"there is one in '{folder}/db.db/t'")


def test_the_search_for_a_table_ends_after_some_folders(tmp_path, capsys):
    for number in range(120):
        (tmp_path / f"f{number:03}/deeper").mkdir(parents=True)
    assert refused(capsys, tmp_path).endswith("; nor is any of 100 folders below that were looked into")


@pytest.mark.parametrize("since", ["banana", "-1", "1.5"])
def test_a_version_to_start_from_is_a_number(tmp_path, capsys, since):
    assert f"--since: '{since}' is not accepted; it takes a version, such as 12; for Hudi" in refused(
        capsys, tmp_path, f"--since={since}"
    )


@pytest.mark.slow
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(["seq", "java_dangling", "drive"]))
def test_a_damaged_table_is_judged_or_refused(real_table, corrupt, data, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(shutil.copytree(real_table(name), Path(folder) / "t"))
        corrupt(path, data)
        found, said = answer(path)
        assert "\n" not in (json.dumps(found.as_dict()) if found else said)


@pytest.mark.slow
def test_memory_stays_bounded(own_table, tmp_path):
    """A table whose every manifest is a bomb takes no more than the audit of any other."""
    path = own_table("seq")
    packed = bomb("deflate")
    content = with_block(of("bytes"), 1, len(packed), packed).replace(b"\x08null", b"\x0edeflate")
    script = (
        "import resource, sys; from workbench.commands.cli import main; status = main(['audit', sys.argv[1]]);"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )

    def peak() -> list[int]:
        done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, env=os.environ)
        return list(map(int, done.stdout.splitlines()[-1].split()))

    usual = peak()
    assert usual[0] == 1
    for file in (path / "manifest").iterdir():
        file.write_bytes(content)
    hostile = peak()
    assert hostile[0] == 1  # each is a damaged file
    assert hostile[1] < usual[1] + 64 * 1024
