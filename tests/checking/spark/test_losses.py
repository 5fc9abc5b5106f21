"""What is lost on Spark where another program calls its ports, or Java dies: nothing."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyspark
import pytest

from tests.command import complaints, python
from tests.places import ROOT
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.runs import resume
from workbench.checking.spark.cluster.fetching_without_port import to_pandas
from workbench.checking.spark.search import narrow_levels
from workbench.kernel.meaning.budget import Budget
from workbench.protocols.hudi.model import Hudi
from workbench.storage.lock import writer_lock

pytestmark = pytest.mark.spark


# A stranger at the port ----------------------------------------------------------------------------------------------


@pytest.fixture
def stranger(spark: Any) -> Iterator[Any]:
    """A program that calls each port on which Spark's Java begins to listen."""
    java = spark.sparkContext._gateway.proc.pid
    command = [sys.executable, str(Path(__file__).with_name("stranger.py")), str(java)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as calling:
        assert calling.stdout is not None
        assert calling.stdout.readline() == "ready\n"
        yield calling.stdout
        calling.terminate()


def test_no_result_waits_at_a_port_for_whoever_calls_first(
    spark: Any, stranger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search, and rows of a dataset; the stranger calls the one port that the test opens."""
    monkeypatch.setattr(narrow_levels, "MOST_STATES", 0)
    assert check(Hudi(), engine=Spark(session=spark), budget=Budget(states=8)).distinct == 8
    table = to_pandas(spark.sql("SELECT id, map(id, array('a')) AS m FROM range(9) WHERE id > 1 ORDER BY id DESC"))
    assert table["id"].tolist() == [8, 7, 6, 5, 4, 3, 2]
    assert table["m"][0] == {8: ["a"]}
    assert len(to_pandas(spark.sql("SELECT id FROM range(9) WHERE id > 9"))) == 0
    port, *_ = spark.range(1)._jdf.collectToPython()
    assert stranger.readline() == f"{port}\n"


# Java dies -----------------------------------------------------------------------------------------------------------

#: Kills Java once a search on Spark has made some levels there, and then goes on with what is left, with another Java.
KILLING = """
import glob, os, signal, sys, tempfile, threading, time
from workbench import spark_session
from workbench.commands.cli import main
from workbench.checking.spark.search import narrow_levels

narrow_levels.MOST_STATES = 0
folder = tempfile.gettempdir()
java = spark_session("local[2]").sparkContext._gateway.proc.pid

def kill():
    while len(glob.glob(f"{folder}/workbench-run-*/manifest/*.json")) < 5:
        time.sleep(0.01)
    os.kill(java, signal.SIGKILL)

threading.Thread(target=kill).start()
print(main(["check", "hudi", "--hand-over-states", "4"]))
[run] = glob.glob(f"{folder}/workbench-run-*")
print(run, flush=True)
print(main(["check", run, "--max-states", "500"]))
"""


@pytest.mark.xdist_group("java")
def test_where_java_dies_the_levels_stay_and_one_line_says_how_to_go_on(tmp_path: Path) -> None:
    done = python(KILLING, here=ROOT, TMPDIR=str(tmp_path))
    lines = done.stdout.splitlines()
    run = next(line for line in lines if line.startswith(str(tmp_path)))
    kept = "what was found is kept: workbench check"
    assert complaints(done.stderr) == [
        f"workbench: Spark's Java was killed, as by a system that runs out of memory; {kept} {run}"
    ]
    assert lines[0] == "2"
    assert any("500 distinct states" in line for line in lines)
    assert any(f"{kept} {run} (for 7 days)" in line for line in lines)
    assert lines[-1] == "3"


#: The engine, and a search that is resumed, of a space that is small.
SMALL = """
import sys
from pyspark import SparkContext
from workbench.commands.cli import main

run = sys.argv[1]
options = ["--engine", "spark", "--run-dir", run, "--set", "Writers=1"]
print(main(["check", "hudi", *options, "--max-states", "20"]), main(["check", run]), SparkContext._gateway)
"""


@pytest.mark.xdist_group("java")
def test_where_the_driver_makes_all_levels_no_java_is_started(tmp_path: Path) -> None:
    """So it need not even be there."""
    done = python(SMALL, tmp_path / "run", JAVA_HOME="/nowhere")
    assert complaints(done.stderr) == []
    assert done.stdout.splitlines()[-1] == "3 0 None"


@pytest.mark.xdist_group("java")
def test_where_java_is_missing_this_is_said_when_a_job_needs_it(
    tmp_path: Path,
) -> None:
    script = "from workbench.checking.spark.search import narrow_levels; from workbench.commands.cli import main; "
    script += "import sys; narrow_levels.MOST_STATES = 1; sys.exit(main(['check', 'hudi', '--engine', 'spark']))"
    done = python(script, here=ROOT, JAVA_HOME="/nowhere", TMPDIR=str(tmp_path))
    [run] = tmp_path.glob("workbench-run-*")
    assert done.returncode == 2
    [said] = complaints(done.stderr)
    assert re.fullmatch(
        rf"workbench: Spark needs Java, and JAVA_HOME .*; what was found is kept: workbench check {run}", said
    )


# Temporary run directories -------------------------------------------------------------------------------------------


def temporary_runs(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("workbench-run-*")}


def test_a_temporary_run_directory_stays_until_the_search_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert check(Hudi(Writers=1), engine="spark").complete
    assert check(Hudi(), engine="spark", budget=Budget(states=50), fail_fast=True).stopped
    first = temporary_runs(tmp_path)
    assert len(first) == 1, "that of the search which a budget has ended"
    part = check(Hudi(), engine="spark", budget=Budget(states=50))
    [second] = temporary_runs(tmp_path) - first
    assert f"what was found is kept: workbench check {tmp_path / second} (for 7 days)" in part.notes
    assert resume(tmp_path / second, budget=Budget(states=100)).distinct == 100


def test_old_temporary_run_directories_are_removed_unless_they_are_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("old", "used", "new"):
        (tmp_path / f"workbench-run-{name}").mkdir()
    with writer_lock(tmp_path / "workbench-run-used", "run directory"):
        for name, days in (("old", 8), ("used", 8), ("new", 6)):
            long_ago = time.time() - days * 24 * 3600
            os.utime(tmp_path / f"workbench-run-{name}", (long_ago, long_ago))
        assert check(Hudi(Writers=1), engine="spark").complete
    assert temporary_runs(tmp_path) == {"workbench-run-used", "workbench-run-new"}


# PySpark's private names ---------------------------------------------------------------------------------------------

#: What the package uses of PySpark that PySpark does not document, by where it is.
PRIVATE = {
    "DataFrame": {"_jdf", "_collect_as_arrow"},
    "SparkContext": {"_jsc", "_jvm", "_gateway", "_active_spark_context", "_accumulatorServer"},
    "Spark Connect's SparkSession": {"_get_default_session"},
}


def underscored(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """The private names in a module, and whether they are made there."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=context):
                yield name, isinstance(context, ast.Store) and ast.unparse(node.value) == "self"
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, True
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, True
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]):
                yield name, False


def test_the_private_names_of_pyspark_that_the_package_uses_are_there(spark: Any) -> None:
    """If not, this PySpark is none that the package works with: change pyproject.toml's bounds, or the package."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    where = {"DataFrame": spark.range(1), "SparkContext": spark.sparkContext}
    where["Spark Connect's SparkSession"] = ConnectSession
    missing = [f"{of}.{name}" for of, names in PRIVATE.items() for name in names if not hasattr(where[of], name)]
    assert missing == [], f"PySpark {pyspark.__version__} has no {', '.join(missing)}"


def test_the_package_uses_no_other_private_name_of_pyspark() -> None:
    texts = [path.read_text() for path in (ROOT / "workbench").rglob("*.py")]
    modules = [ast.parse(text) for text in texts if "pyspark" in text.lower()]
    names = [it for tree in modules for it in underscored(tree) if re.match("_[A-Za-z]", it[0])]
    ours = {name for name, is_made in names if is_made} | {"_replace", "_fields", "_asdict", "_make"}
    assert {name for name, _ in names} - ours == set().union(*PRIVATE.values())
