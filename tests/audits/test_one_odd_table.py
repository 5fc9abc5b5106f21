"""Whatever happens to one table of a warehouse is a row of that table: the others are judged, and all files written."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.audits.damaged_tables import delta, iceberg
from tests.command import Done, python
from tests.places import ROOT
from workbench.audits.listing import Table, once_each
from workbench.audits.warehouse import audit_each


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A warehouse with two tables in which nothing is wrong."""
    for name in ("one", "two"):
        delta(tmp_path / "warehouse" / name)
    return tmp_path / "warehouse"


def states(done: Done) -> dict[str, object]:
    """From the last part of a table's path to whether nothing was found, or why it is refused."""
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {Path(row["path"]).name: row.get("refused", row.get("holds")) for row in rows}


def test_a_link_to_a_folder_above_is_followed_once(run, two):
    (two / "x").symlink_to("..")
    done = run("audit", "--below", two, "--workers", 1, "--json")
    assert (done.status, states(done)) == (0, {"one": True, "two": True})


def test_a_folder_that_cannot_be_looked_into_is_a_row(run, two, tmp_path):
    (two / "a" / ".hoodie").mkdir(parents=True)
    (two / "a" / ".hoodie" / "hoodie.properties").symlink_to("/dev/null")
    junit, metrics = tmp_path / "audit.xml", tmp_path / "audit.prom"
    done = run("audit", "--below", two, "--workers", 1, "--json", "-o", junit, "-o", metrics)
    found = states(done)
    assert "it is a link that leads out of it" in found.pop("a")
    assert (done.status, found) == (2, {"one": True, "two": True})
    assert 'workbench_audit_tables{state="refused"} 1\n' in metrics.read_text()
    assert "refused: " in junit.read_text()


def test_a_warehouse_that_is_not_there_does_not_hide_another(run, two, tmp_path):
    done = run("audit", "--below", tmp_path / "nowhere", "--below", two, "--workers", 1, "--json")
    found = states(done)
    assert "there is no folder" in found.pop("nowhere")
    assert (done.status, found) == (2, {"one": True, "two": True})


def dies(audit):
    if audit.path.endswith("one"):
        os._exit(9)
    return "a page"


def raises(audit):
    raise RecursionError("too <deep>")


@pytest.mark.slow
def test_a_process_that_dies_takes_one_table_along(two):
    tables = [Table(str(two / name)) for name in ("one", "two")]
    outcomes = {Path(one.table.path).name: one for one in audit_each(tables, page=dies, workers=2)}
    assert outcomes["one"].refused == "the process that audited it died"
    assert outcomes["two"].page == "a page"


def test_findings_do_not_depend_on_the_page(two):
    (audited,) = audit_each([Table(str(two / "one"))], page=raises)
    assert audited.state == "nothing found"
    assert "no page could be made: RecursionError: too &lt;deep&gt;" in audited.page


def test_both_tables_of_a_uniform_folder_are_judged(run, tmp_path):
    """Delta's log and Iceberg's metadata in one folder, each as a table of its own."""
    table, files = iceberg(tmp_path / "made")
    shared = tmp_path / "warehouse" / "t"
    shutil.copytree(table, shared)
    other, _ = delta(tmp_path / "delta")
    shutil.copytree(other, shared, dirs_exist_ok=True)
    (shared / files["manifest list"][0]).write_bytes(b"")
    for arguments in (["--below", shared.parent], [shared, "-o", tmp_path / "all.json"]):
        done = run("audit", *arguments, "--workers", 1, "--json", "-o", tmp_path / "pages")
        rows = {row["table"]: row for row in map(json.loads, done.out.splitlines())}
        assert {name: row["holds"] for name, row in rows.items()} == {
            f"{shared} as delta": True,
            f"{shared} as iceberg": False,
        }
        assert done.status == 1
    assert len({path.name for path in (tmp_path / "pages").glob("*-*.html")}) == 2
    last = tmp_path / "last.jsonl"
    last.write_text(done.out)
    done = run("audit", "--below", shared.parent, "--workers", 1, "--json", "--after", last)
    noted = {row["format"]: " ".join(row["not_checked"]) for row in map(json.loads, done.out.splitlines())}
    assert "where this audit was told to begin" in noted["delta"]
    assert "where this audit was told to begin" not in noted["iceberg"]


def test_a_folder_of_several_tables_says_how_to_audit_them(run, two):
    done = run("audit", two)
    assert done.status == 2
    assert f"there is one in '{two}/one', and another in '{two}/two': --below audits all" in done.err
    shutil.rmtree(two / "two")
    done = run("audit", two)
    assert f"there is one in '{two}/one'\n" in done.err


# Catalogs, and other machines --------------------------------------------------------------------------------------

_CATALOG = """
import os, shutil, sqlite3, sys
sys.path.append(sys.argv[1])  # pyiceberg, and what it needs
import pyarrow as pa
from pyiceberg.catalog import load_catalog
catalog = load_catalog("prod")
catalog.create_namespace("ns")
where = {}
for name in sys.argv[3].split():
    table = catalog.create_table(f"ns.{name}", pa.schema([("n", pa.int64())]))
    table.append(pa.table({"n": [1]}))
    where[name] = table.metadata_location
"""
_AUDIT = """
from workbench.commands.cli import main
sys.exit(main(["audit", "--catalog", "prod", "--workers", "1", "--json", *sys.argv[4:]]))
"""


def catalog(
    tmp_path: Path, tables: str, then: str, *arguments: object, warehouse: str = "", **where: str
) -> tuple[Any, dict[str, Any]]:
    """Audit the tables of a new catalog, after something has happened to them."""
    (packages,) = ROOT.glob(".writers/lib/python*/site-packages")
    where |= {
        "PYICEBERG_CATALOG__PROD__URI": f"sqlite:///{tmp_path / 'catalog.db'}",
        "PYICEBERG_CATALOG__PROD__WAREHOUSE": warehouse or f"file://{tmp_path / 'warehouse'}",
    }
    script = _CATALOG + then + _AUDIT
    done = python(script, packages, tmp_path / "catalog.db", tables, *arguments, here=tmp_path, check=False, **where)
    return done, {row["table"]: row for row in map(json.loads, done.stdout.splitlines())}


@pytest.mark.writers
def test_a_table_of_a_catalog_whose_metadata_is_damaged_is_one_row(tmp_path):
    then = """
path = lambda name: where[name].removeprefix("file://")
os.unlink(path("gone"))
os.truncate(path("cut"), 99)
shutil.rmtree(path("bare").partition("/metadata/")[0] + "/data")
with sqlite3.connect(sys.argv[2]) as database:
    database.execute("UPDATE iceberg_tables SET metadata_location = 'odd.json' WHERE table_name = 'odd'")
    database.execute("UPDATE iceberg_tables SET metadata_location = NULL WHERE table_name = 'none'")
"""
    metrics = tmp_path / "audit.prom"
    done, rows = catalog(tmp_path, "bare cut gone none odd well", then, "-o", metrics)
    assert done.returncode == 1, done.stderr
    assert {name: row.get("holds") for name, row in rows.items()} == {
        "ns.bare": False,
        "ns.cut": False,
        "ns.gone": False,
        "ns.none": None,
        "ns.odd": None,
        "ns.well": True,
    }
    assert [one["grade"] for one in rows["ns.bare"]["findings"]] == ["proved"]
    assert rows["ns.gone"]["findings"][0]["grade"] == rows["ns.cut"]["findings"][0]["grade"] == "damaged"
    assert "does not exist" in rows["ns.gone"]["findings"][0]["why"]
    assert "NoSuchTableError" in rows["ns.none"]["refused"]
    assert "'odd.json' is not accepted" in rows["ns.odd"]["refused"]
    assert 'workbench_audit_tables{state="damaged"} 2\n' in metrics.read_text()


@pytest.mark.writers
def test_a_catalog_brings_the_settings_of_its_storage(s3, tmp_path):
    """Nothing else says where the server of its tables is; and no setting is printed."""
    where = {
        "PYICEBERG_CATALOG__PROD__S3__ENDPOINT": f"http://{s3.address}",
        "PYICEBERG_CATALOG__PROD__S3__ACCESS_KEY_ID": "AKIAQUITEKNOWN",
        "PYICEBERG_CATALOG__PROD__S3__SECRET_ACCESS_KEY": "nobodysbusiness",
        "PYICEBERG_CATALOG__PROD__S3__REGION": "us-east-1",
    }
    warehouse = f"s3://lake/{next(s3.numbers)}"
    then = """
import pyarrow.fs
files = table.io.fs_by_scheme("s3", "lake")
files.delete_file(where["gone"].removeprefix("s3://"))
"""
    names, files = "gone well", ["-o", tmp_path / "pages", "-o", tmp_path / "audit.xml"]
    done, rows = catalog(tmp_path, names, then, *files, warehouse=warehouse, **where)
    assert {name: row.get("holds", row.get("refused")) for name, row in rows.items()} == {
        "ns.gone": False,
        "ns.well": True,
    }
    assert done.returncode == 1
    written = "".join(path.read_text() for path in tmp_path.rglob("*.*ml"))
    assert "ns.gone" in written
    for secret in ("AKIAQUITEKNOWN", "nobodysbusiness"):
        assert secret not in done.stdout + done.stderr + written
        assert secret not in repr(Table("s3://lake/t", storage={"s3.secret-access-key": secret}))


@pytest.mark.writers
def test_a_blank_in_the_name_of_a_folder_of_an_object_store(run, s3, tmp_path):
    number = next(s3.numbers)
    names = ["plain", "sp ace/\N{LATIN SMALL LETTER U WITH DIAERESIS}=1", "per%20cent", "a#b"]
    for name in names:
        table, _ = delta(tmp_path / name)
        s3.files.put(str(table), f"lake/{number}/{name}", recursive=True)
    for folder in (str(number), f"{number}/sp ace"):
        url = f"s3://lake/{folder}?endpoint_override={s3.address}&scheme=http"
        done = run("audit", "--below", url, "--workers", 1, "--json")
        rows = [json.loads(line) for line in done.out.splitlines()]
        assert [row.get("holds", row.get("refused")) for row in rows] == [True] * (4 if "/" not in folder else 1)
        assert done.status == 0


def test_options_are_not_taken_for_a_part_of_the_path(run):
    """fsspec, which reads the schemes that pyarrow does not know, would look for a file with this name."""
    done = run("audit", "memory://lake/t?endpoint_override=127.0.0.1:9000")
    assert done.status == 2
    assert "is not accepted: options are read of pyarrow's schemes alone" in done.err


def test_a_table_is_met_once_for_each_format():
    tables = [Table("/t", format="delta"), Table("file:///t", format="delta"), Table("/t/", format="iceberg")]
    assert [one.format for one in once_each(tables)] == ["delta", "iceberg"]
