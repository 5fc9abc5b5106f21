"""Spark as processes apart: a standalone cluster, a server of Spark Connect, and what executors must have."""

import json
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from bench.servers import SETTINGS, SPARK, Servers
from pyspark.sql import SparkSession

from tests.command import python
from workbench.checking.check import check
from workbench.checking.spark.cluster import executors
from workbench.checking.spark.cluster.executors import ready_session
from workbench.checking.spark.files.manifest import RUN, Run
from workbench.kernel import InputError, machine_of
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.storage.folder import Folder

pytestmark = pytest.mark.spark


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    folder = tmp_path / "servers"
    folder.mkdir()
    with Servers(folder) as servers:
        yield servers


SEARCH = """
import json, os, signal, subprocess, sys
from workbench import Spark, Watch, check, machine_of
from workbench.checking.spark.search import narrow_levels
from workbench.checking.spark.cluster.session import spark_session
from workbench.protocols.bakery.v2 import BakeryV2

narrow_levels.MOST_STATES = 200
master, run, settings = sys.argv[1:]
model = BakeryV2(StepGranularity="atomic", AsyncParquet=True)
names = [p.name for p in machine_of(model).select() if p.kind != "liveness"]
spark = spark_session(master, **json.loads(settings))
scheduler = f"CoarseGrainedScheduler@127.0.0.1:{spark.conf.get('spark.driver.port')} "  # which its executors know
executors = []

def watch(at):
    if at.level >= 12 and not executors:  # a job makes several levels
        listed = subprocess.run(["pgrep", "-f", scheduler], capture_output=True, text=True)
        executors.extend(map(int, listed.stdout.split()))
        os.kill(executors[0], signal.SIGKILL)

result = check(model, names, engine=Spark(spark, run), watch=Watch(watch))
print(result.engine, len(executors), result.levels, result.generated, [v.trace_states for v in result.verdicts])
spark.stop()
"""


@pytest.mark.xdist_group("java")
@pytest.mark.slow
def test_a_space_on_a_cluster_one_of_whose_executors_is_killed(servers: Servers, tmp_path: Path) -> None:
    """The same figures as in process, and not a word beside them."""
    master = servers.master()
    for name in ("first", "second"):
        servers.worker(name, master)
    done = python(SEARCH, master, tmp_path / "run", json.dumps(SETTINGS))
    model = BakeryV2(StepGranularity="atomic", AsyncParquet=True)
    wanted = check(model, [p.name for p in machine_of(model).select() if p.kind != "liveness"])
    assert max(wanted.levels[12:]) > 200, "levels are left that executors must make"
    traces = [verdict.trace_states for verdict in wanted.verdicts]
    assert (done.stdout, done.stderr) == (f"spark 2 {wanted.levels} {wanted.generated} {traces}\n", "")


# Spark Connect -------------------------------------------------------------------------------------------------------

CLIENT = """
import sys
from concurrent.futures import ThreadPoolExecutor
from workbench import ModelError, Spark, WalkRule, check, machine_of, simulate, spark_session
from workbench.checking.spark.search import narrow_levels
from workbench.kernel import Model, Variable, action
from workbench.protocols.bakery.v2 import BakeryV2

narrow_levels.MOST_STATES = 0  # no level is narrow enough for the driver
spark = spark_session(sys.argv[1])
with ThreadPoolExecutor(1) as pool:
    assert pool.submit(spark_session).result() is spark
model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")
names = [p.name for p in machine_of(model).select() if p.kind != "liveness"]
result = check(model, names, engine=Spark(spark, sys.argv[2]))
print(result.levels, result.generated, [v.trace_states for v in result.verdicts])
print(simulate(model, names, rule=WalkRule(walks=40), spark=spark).walks)

class Wrong(Model):
    n = Variable(0)

    @action
    def count(self, s):
        s.m = s.n + 1

try:
    check(Wrong(), engine=Spark(spark))
except ModelError as error:
    print(error)
spark.stop()
"""


@pytest.mark.xdist_group("java")
@pytest.mark.slow
def test_a_search_through_spark_connect(servers: Servers, tmp_path: Path) -> None:
    """The session is that of all threads, cores are counted, and figures, walks and mistakes come back as ever."""
    run = tmp_path / "run"
    done = python(CLIENT, servers.connect(), run)
    model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")
    wanted = check(model, [p.name for p in machine_of(model).select() if p.kind != "liveness"])
    traces = [verdict.trace_states for verdict in wanted.verdicts]
    assert done.stderr == ""
    figures, walks, mistake = done.stdout.splitlines()
    assert (figures, walks) == (f"{wanted.levels} {wanted.generated} {traces}", "40")
    assert mistake.startswith("action count ")
    assert "undeclared variable 'm'" in mistake
    assert Run.of(Folder.open(run, RUN)).buckets == 2


# What executors must have --------------------------------------------------------------------------------------------


#: Stands in for tests/preloaded, which loads what such a Python has not.
DAEMON = "import runpy\nrunpy.run_module('pyspark.daemon', run_name='__main__')\n"


def bare_python(folder: Path, begins: str = "") -> str:
    """A Python with no packages but PySpark's own, which runs the line `begins`, an import, when it starts."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages_of(folder) / "begins.pth").write_text(begins)  # some systems have a sitecustomize of their own
    (packages_of(folder) / "preloaded_daemon.py").write_text(DAEMON)
    program = folder / "python-of-this-folder"
    shipped = ":".join(map(str, (SPARK / "python" / "lib").glob("*.zip")))
    program.write_text(f'#!/bin/sh\nPYTHONPATH={shipped} PYTHONSAFEPATH=1 exec {folder}/bin/python "$@"\n')
    program.chmod(0o755)
    return str(program)


def packages_of(folder: Path) -> Path:
    [packages] = (folder / "lib").glob("python*/site-packages")
    return packages


def without_the_workbench(folder: Path) -> str:
    program = bare_python(folder)
    for entry in SPARK.parent.iterdir():
        if not entry.name.startswith(("workbench", "lakehouse", "__")):
            (packages_of(folder) / entry.name).symlink_to(entry)
    return program


def with_another_workbench(folder: Path) -> str:
    program = without_the_workbench(folder)
    (packages_of(folder) / "workbench").mkdir()
    (packages_of(folder) / "workbench" / "__init__.py").write_text("")
    return program


def of_another_version(folder: Path) -> str:
    fields = ["major", "minor", "micro", "releaselevel", "serial"]
    begins = f"import collections, sys; sys.version_info = collections.namedtuple('Version', {fields})(3, 99, 0, '', 0)"
    return bare_python(folder, begins)


def that_does_not_start(folder: Path) -> str:
    """Its modules are not those that PySpark needs, as in a Python that is very old."""
    return bare_python(folder, "import sys; sys.modules['py4j'] = None")


HERE = f"Python {sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.parametrize(
    ("python", "said"),
    [
        (bare_python, "has no pyarrow"),
        (without_the_workbench, "has no lakehouse-workbench"),
        (with_another_workbench, "has other code of lakehouse-workbench than this process"),
        (of_another_version, f"runs Python 3.99, and this is {HERE}"),
        (that_does_not_start, "does not start: ModuleNotFoundError: .*py4j.*"),
        (lambda folder: f"{folder}/none", "has no program '.*/none'"),
    ],
)
def test_executors_that_lack_what_they_need(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: Callable[[Path], str], said: str
) -> None:
    """One line says where, what is there, and what to do."""
    monkeypatch.setattr(spark.sparkContext, "pythonExec", python(tmp_path / "other"))
    monkeypatch.setattr(executors, "_ready", weakref.WeakSet())
    todo = rf"install lakehouse-workbench\[spark\] [0-9.]+ there for {HERE}, or name a Python that has it: "
    with pytest.raises(InputError, match=rf"^Spark's worker on \S+( \(.*\))? {said}; {todo}") as error:
        ready_session(spark)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("versions", "problem", "said"),
    [
        (("0.60.1", "2.0.0", "20.0.0"), "", "has numba 0.60.1, and the workbench needs 0.61"),
        (("0.61.0", "", "20.0.0"), "ImportError: numpy", "has no numpy"),
        (("0.100.0", "2.0.0", "20.0.0"), "OSError: no cache", "cannot load lakehouse-workbench: OSError: no cache"),
        (("0.100.0", "2.0.0", "20.0.0"), "", None),
    ],
)
def test_versions_that_matter(versions: tuple[str, ...], problem: str, said: str | None) -> None:
    answer = SimpleNamespace(code="this", versions=versions, problem=problem)
    assert executors._wrong(answer, "this") == said
