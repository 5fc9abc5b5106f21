"""Many tables in one command: which are found, what they come to, and what is written of them."""

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.audits.damaged_tables import delta, hudi, iceberg
from tests.command import python
from tests.places import ROOT
from workbench import __version__
from workbench.audits.listing import Table
from workbench.audits.warehouse import Audited
from workbench.commands.warehouse import _file

STATES = {"orders": "damaged", "old": "refused", "trips": "nothing found", "t": "nothing found"}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A damaged, a refused and two sound tables, a folder that is none, and a second way to one of them."""
    folder = tmp_path_factory.mktemp("warehouse")
    table, files = delta(folder / "sales.db" / "orders")
    (table / files["entry"][0]).write_text("{")
    trips, _ = hudi(folder / "sales.db" / "made", 6)
    trips.rename(folder / "sales.db" / "trips")
    iceberg(folder / "ice")
    for other in (folder / "ice").iterdir():
        if other.name != "retried":
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    old = folder / "sales.db" / "old"
    shutil.copytree(folder / "sales.db" / "trips", old)
    properties = old / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text().replace("COPY_ON_WRITE", "COPY_ON_READ"))
    (folder / "notes" / "of" / "nobody").mkdir(parents=True)
    return folder


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Nobody writes to these tables: what is damaged is read again at once."""
    monkeypatch.setattr(importlib.import_module("workbench.audits.audit"), "_PAUSE", 0)


def lines(run, *arguments):
    done = run("audit", *arguments, "--json", "--workers", 1)
    return done, {Path(one["path"]).name: one for one in map(json.loads, done.out.splitlines())}


def test_every_table_below_a_folder_is_audited_once(run, warehouse):
    done, found = lines(run, "--below", warehouse, warehouse / "sales.db" / ".." / "sales.db" / "trips")
    assert done.status == 1
    assert found.keys() == STATES.keys()
    assert len(done.out.splitlines()) == len(STATES)
    assert found["orders"]["holds"] is False
    assert "type 'COPY_ON_READ' is not accepted" in found["old"]["refused"]
    assert (found["t"]["format"], found["t"]["holds"]) == ("iceberg", True)
    assert {one["workbench"] for one in found.values()} == {__version__}
    assert all(one["time"].startswith("20") for one in found.values())


@pytest.mark.slow
def test_a_line_for_each_and_the_gravest_first(run, warehouse):
    done = run("audit", "--below", warehouse, "--workers", 2)
    assert [re.split("  +", line)[0] for line in done.out.splitlines()[:4]] == [
        "DAMAGED",
        "REFUSED",
        "nothing found",
        "nothing found",
    ]
    assert done.out.endswith("\n4 tables: 1 damaged, 1 refused, 2 nothing found\n")
    assert "sound" not in done.out


@pytest.mark.parametrize(("names", "status"), [(["trips", "old"], 2), (["trips"], 0), (["trips", "orders", "old"], 1)])
def test_the_status_is_the_gravest(run, warehouse, names, status):
    paths = [warehouse / "sales.db" / name for name in names]
    assert run("audit", *paths, "--workers", 1, "-o", warehouse / "status.json").status == status


def test_the_files_say_the_same(run, warehouse, tmp_path):
    pages, junit, metrics = tmp_path / "pages", tmp_path / "audit.xml", tmp_path / "audit.prom"
    run("audit", "--below", warehouse, "--workers", 1, "--quiet", "-o", pages, "-o", junit, "-o", metrics)
    suites = ElementTree.parse(junit).getroot()
    assert [suites.get(name) for name in ("tests", "failures", "errors")] == [
        "5",
        "1",
        "2",
    ]  # damaged is incomplete, too
    orders = next(suite for suite in suites if suite.get("name") == str(warehouse / "sales.db" / "orders"))
    assert [case.get("name") for case in orders.iter("testcase")] == ["FilesAreWhole, version 2", "completeness"]
    told = metrics.read_text()
    assert 'workbench_audit_tables{state="damaged"} 1\n' in told
    assert 'workbench_audit_tables{state="refused"} 1\n' in told
    trips = f'{{table="{warehouse / "sales.db" / "trips"}"'
    assert f'workbench_audit_findings{trips},grade="proved"}} 0\n' in told
    assert f"workbench_audit_complete{trips}}} 1\n" in told
    index = (pages / "index.html").read_text()
    linked = {path.name for path in pages.iterdir()} - {"index.html"}
    assert len(linked) == 3
    twins = [Audited(Table(path), None) for path in ("/lake/a_b", "/lake/a/b")]
    assert len(set(map(_file, twins))) == 2
    assert all(f'href="{name}"' in index for name in linked)
    assert "\N{BALLOT X} damaged" in index


def test_the_next_night_goes_on_where_nothing_was_found(run, warehouse, tmp_path):
    last = tmp_path / "last.jsonl"
    last.write_text(run("audit", "--below", warehouse, "--workers", 1, "--json").out)
    done, found = lines(run, "--below", warehouse, "--after", last)
    assert done.status == 1
    assert all(
        any("earlier" in line or "before" in line for line in found[name]["not_checked"]) for name in ("trips", "t")
    )
    assert not any("before" in line for line in found["orders"]["not_checked"])
    last.write_text('{"path": 1}\n')
    done = run("audit", "--below", warehouse, "--after", last)
    assert (done.status, "line 1 is not accepted; it takes an audit" in done.err) == (2, True)


@pytest.mark.slow
def test_the_job_of_the_guide_runs_every_night(warehouse, tmp_path):
    guide = (ROOT / "docs" / "audit.md").read_text().partition("## A warehouse")[2]
    job = re.search(r"```sh\n(touch .*?)```", guide, re.S)[1].replace("/data/warehouse", str(warehouse))
    where = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    for _ in range(2):
        ran = subprocess.run(["sh", "-c", job], cwd=tmp_path, env=os.environ | where, capture_output=True, text=True)
        assert (ran.returncode, "see audit.prom" in ran.stdout) == (0, True)
    assert len((tmp_path / "last.jsonl").read_text().splitlines()) == len(STATES)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "there is nothing to audit; give a PATH, --below FOLDER or --catalog NAME"),
        (["a", "b", "--acks", "x"], "--acks is not accepted with many tables"),
        (["a", "b", "-o", "x.html"], "-o FILE.html is not accepted with many tables; it takes a folder"),
        (["a", "--after", "x"], "--after is not accepted with one table"),
        (["--below", "."], "there is no table in '.'"),
        (["--catalog", "x"], "pyiceberg"),
    ],
)
def test_what_does_not_go_together_is_one_line(run, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    done = run("audit", *arguments)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert said in done.err


@pytest.mark.writers
def test_a_catalog_says_which_metadata_file_counts(tmp_path):
    """The folder's newest file is that of a commit which the catalog does not have; of another table it is gone.

    A REST catalog brings settings of the storage with each table: the store that they name is asked, with their keys.
    """
    (packages,) = ROOT.glob(".writers/lib/python*/site-packages")
    script = """
import json, os, sqlite3, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
keys = set()
class Rest(BaseHTTPRequestHandler):
    def do_GET(self):
        table = {"metadata-location": "s3://lake/t/metadata/1.json", "config": vended}
        table["metadata"] = json.loads(described)
        answers = {
            "/v1/config": {"defaults": {}, "overrides": {}},
            "/v1/namespaces": {"namespaces": [["ns"]]},
            "/v1/namespaces?parent=ns": {"namespaces": []},
            "/v1/namespaces/ns/tables": {"identifiers": [{"namespace": ["ns"], "name": "t"}]},
            "/v1/namespaces/ns/tables/t": table,
        }
        content = json.dumps(answers.get(self.path)).encode()
        if self.path.startswith("/lake"):
            keys.add(self.headers["Authorization"].partition("Credential=")[2].partition("/")[0])
        self.send_response(200 if self.path in answers else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)
    do_HEAD = do_GET
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", 0), Rest)
at = f"http://127.0.0.1:{server.server_port}"
os.environ |= {"PYICEBERG_CATALOG__REST__URI": at, "PYICEBERG_CATALOG__REST__TOKEN": "vended-token"}
sys.path.append(sys.argv[1])  # pyiceberg, and what it needs
import pyarrow as pa
from pyiceberg.catalog import load_catalog
catalog = load_catalog("prod")
catalog.create_namespace("ns")
for name in ("back", "gone"):
    table = catalog.create_table(f"ns.{name}", pa.schema([("n", pa.int64())]))
    table.append(pa.table({"n": [1]}))
    before = table.metadata_location
    table.append(pa.table({"n": [2]}))
    if name == "back":
        with sqlite3.connect(sys.argv[2]) as database:
            database.execute("UPDATE iceberg_tables SET metadata_location = ? WHERE table_name = 'back'", [before])
from workbench.commands.cli import main
main(["audit", "--catalog", "prod", "--below", sys.argv[3], "--workers", "1", "--json"])

described = catalog.load_table("ns.back").metadata.model_dump_json(by_alias=True)
vended = {f"s3.{name}": f"vended-{name}" for name in ("access-key-id", "secret-access-key", "session-token")}
vended |= {"s3.endpoint": at, "s3.region": "us-east-1"}
threading.Thread(target=server.serve_forever, daemon=True).start()
main(["audit", "--catalog", "rest", "--workers", "1", "--json"])
print(json.dumps({"table": "keys", "keys": list(keys)}))
"""
    where = {
        "PYICEBERG_CATALOG__PROD__URI": f"sqlite:///{tmp_path / 'catalog.db'}",
        "PYICEBERG_CATALOG__PROD__WAREHOUSE": f"file://{tmp_path / 'warehouse'}",
    }
    done = python(script, packages, tmp_path / "catalog.db", tmp_path / "warehouse", check=True, **where)
    found = {one["table"]: one for one in map(json.loads, done.stdout.splitlines())}
    assert len(found) == len(done.stdout.splitlines()) == 4, "each once, and as the catalog says"
    assert found["ns.back"]["versions"][1] == 1
    assert found["ns.gone"]["versions"][1] == 2
    assert found["ns.gone"]["holds"] is True
    assert not any("the metadata file it names" in line for line in found["ns.gone"]["not_checked"])
    assert found["keys"]["keys"] == ["vended-access-key-id"]
    assert found["ns.t"]["path"] == "s3://lake/t"
    assert "refused" in found["ns.t"]
    assert "vended" not in done.stderr + done.stdout.replace("vended-access-key-id", "", 1)
