"""The tables of public projects are audited, wherever they are; the tables here are our own."""

import io
import json
import shutil
import tarfile
from collections import Counter, defaultdict

import pyarrow as pa
import pytest

from scripts import public_tables
from tests.places import ROOT
from tests.protocols.delta.layout import DeltaTable
from workbench.audits.warehouse import STATES


@pytest.fixture
def repositories(tmp_path, monkeypatch):
    """A folder with the repository a/b, whose tables lie in a folder and in archives; one of them lacks a file."""
    folder = tmp_path / "repositories"
    for name in ("plain", "zipped", "tarred"):
        table = DeltaTable(folder / "a" / "b" / "tables" / name)
        table.commit("+f", "+g")
        if name == "tarred":
            (table.folder / "f").unlink()
    tables = folder / "a" / "b" / "tables"
    shutil.make_archive(str(tables / "zipped"), "zip", tables, "zipped")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(tables / "tarred", "tarred")
        tar.add(tables / "tarred" / "g", "../outside")
    with pa.output_stream(str(tables / "tarred.tar.zst"), compression="zstd") as stream:
        stream.write(packed.getvalue())
    shutil.rmtree(tables / "zipped")
    shutil.rmtree(tables / "tarred")
    judged = [
        {"path": "tables/plain", "state": "nothing found"},
        {"path": "tables/zipped/zipped", "state": "nothing found"},
        {"path": "tables/tarred/tarred", "state": "proved", "violated": ["PublishedFilesExist"], "why": "on purpose"},
    ]
    file = tmp_path / "judged.jsonl"
    file.write_text("".join(json.dumps({"repository": "a/b", "format": "delta", **one}) + "\n" for one in judged))
    monkeypatch.setattr(public_tables, "JUDGED", file)
    return folder


def test_all_answers_are_right(repositories, capsys):
    assert public_tables.main([str(repositories)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "delta: 1 proved, 2 nothing found",
        "3 tables, 0 with another answer than is right",
    ]


def test_an_archive_writes_nothing_beside_its_folder(repositories, tmp_path):
    archive = repositories / "a" / "b" / "tables" / "tarred.tar.zst"
    public_tables.unpack(archive, tmp_path / "into" / "here")
    assert [path.name for path in (tmp_path / "into").rglob("*") if path.is_file()] != []
    assert not (tmp_path / "into" / "outside").exists()


def test_another_answer_has_a_line(repositories, capsys):
    public_tables.JUDGED.write_text(public_tables.JUDGED.read_text().replace("proved", "nothing found"))
    assert public_tables.main([str(repositories), "--only", "tarred"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "a/b/tables/tarred/tarred  proved PublishedFilesExist  not nothing found PublishedFilesExist",
        "delta: 1 proved",
        "1 table, 1 with another answer than is right",
    ]


def test_a_table_that_is_not_there_is_named(repositories, capsys):
    shutil.rmtree(repositories / "a" / "b" / "tables" / "plain")
    assert public_tables.main([str(repositories)]) == 2
    assert capsys.readouterr().err == "there is no a/b/tables/plain\n"


def test_the_guide_counts_the_judged_tables():
    states: dict[str, Counter[str]] = defaultdict(Counter)
    for row in public_tables.rows():
        states[row["format"]][row["state"]] += 1
    guide = (ROOT / "data" / "real" / "README.md").read_text()
    for format, count in states.items():
        wrong = sum(count[state] for state in ("damaged", "proved", "suspect"))
        numbers = count.total(), count["nothing found"], wrong, count["incomplete"], count["refused"]
        assert f"| {format} | {' | '.join(map(str, numbers))} |\n" in guide
    assert f"audits {sum(map(Counter.total, states.values()))} test tables" in guide


def test_the_judged_tables_have_a_source_and_a_reason():
    rows = public_tables.rows()
    assert len({(row["repository"], row["path"]) for row in rows}) == len(rows)
    for row in rows:
        assert len(row["commit"]) == 40
        assert row["state"] in STATES
        assert ("why" in row) == (row["state"] != "nothing found" or "violated" in row), row
