"""The Spark session: its settings, what it prints, and what is said where Java is missing or too old."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.command import python
from workbench.checking.local import memory
from workbench.checking.spark.cluster import session
from workbench.checking.spark.cluster.session import check_java, spark_session
from workbench.kernel import InputError
from workbench.registry.programs import to_install

pytestmark = pytest.mark.spark


def fake_java(folder: Path, version: str) -> Path:
    """A program called java that says it is `version`, in ``folder/bin``."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2024-01-01' >&2\n")
    java.chmod(0o755)
    return java


# Java ----------------------------------------------------------------------------------------------------------------


def test_without_java_one_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InputError, match=r"^Spark needs Java 17 or newer, and there is no java on the PATH; install it "
    ):
        check_java()


def test_a_java_home_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(InputError, match=r"^Spark needs Java, and JAVA_HOME = '/nowhere' is none that runs; install "):
        check_java()


@pytest.mark.parametrize(("version", "major"), [("1.8.0_392", 8), ("11.0.2", 11), ("16", 16)])
def test_a_java_that_is_too_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, major: int) -> None:
    java = fake_java(tmp_path, version)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(java.parent), prepend=os.pathsep)
    with pytest.raises(InputError, match=rf"^Spark needs Java 17 or newer, and {java} is Java {major}; install "):
        check_java()


@pytest.mark.parametrize("version", ["17", "17.0.15", "21.0.1", "26-ea"])
def test_a_java_that_is_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    fake_java(tmp_path, version)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    check_java()


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("workbench", ["sweep", "bakery", "--grid", "Writers=2", "--spark"]),
        ("workbench.checking.warm", ["--spark"]),
    ],
)
def test_the_command_line_without_java(tmp_path: Path, module: str, command: list[str]) -> None:
    environment = {**os.environ, "JAVA_HOME": "/nowhere"}
    ended = subprocess.run(
        [sys.executable, "-m", module, *command], env=environment, capture_output=True, text=True, cwd=tmp_path
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.splitlines() == [
        f"{module.rpartition('.')[2]}: Spark needs Java, and JAVA_HOME = '/nowhere' is none that runs; "
        + to_install("java")
    ]


# The session ---------------------------------------------------------------------------------------------------------


def test_settings_of_a_local_session(spark):
    cores = str(len(os.sched_getaffinity(0)))
    expected = {
        "spark.sql.shuffle.partitions": cores,
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.ansi.enabled": "true",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    assert {name: spark.conf.get(name).lower() for name in expected} == expected


def test_workers_run_this_python(spark):
    def executables(batches):
        import pyarrow

        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"python": [sys.executable]})

    assert {row.python for row in spark.range(2).mapInArrow(executables, "python string").collect()} == {sys.executable}


def test_an_overflow_is_an_error(spark):
    with pytest.raises(Exception, match="ARITHMETIC_OVERFLOW"):
        spark.sql("SELECT 9223372036854775807 + id FROM range(2)").collect()


def test_the_running_session_is_taken_and_no_other_beside_it(spark):
    assert spark_session() is spark
    with pytest.raises(InputError, match="another Spark session is not accepted while one is running"):
        spark_session("local[1]")
    with pytest.raises(InputError, match="another Spark session"):
        spark_session(**{"spark.ui.enabled": True})


def test_another_thread_takes_the_running_session_and_changes_no_setting(spark):
    spark.conf.set("spark.sql.shuffle.partitions", 7)
    try:
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(spark_session).result() is spark
            with pytest.raises(InputError, match="another Spark session is not accepted"):
                pool.submit(spark_session, "local[1]").result()
        assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("groups", "limits", "limit"),
    [
        ("0::/", {"memory.max": "1000"}, 1000),
        ("0::/", {"memory.max": "max"}, None),
        ("0::/a/b", {"memory.max": "max", "a/memory.max": "500", "a/b/memory.max": "700"}, 500),
        ("0::/of/the/host", {"memory.max": "900"}, 900),
        ("5:cpu:/\n4:memory:/a", {"memory/memory.limit_in_bytes": f"{2**63 - 4096}"}, None),
        ("5:cpu:/\n4:blkio,memory:/a", {"memory/a/memory.limit_in_bytes": "800"}, 800),
        ("5:cpu:/", {"memory.max": "1000"}, None),
    ],
)
def test_the_memory_that_a_container_allows(tmp_path, monkeypatch, groups, limits, limit):
    (tmp_path / "cgroup").write_text(groups + "\n")
    for name, text in limits.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    monkeypatch.setattr(memory, "_GROUP", tmp_path / "cgroup")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert memory.memory_limit() == (machine if limit is None else limit)


def test_a_system_without_affinity_counts_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(session, "_running_session", lambda: None)
    assert session.cores_of() == os.cpu_count()


#: What one process can see of a session of its own: no start, a start by three threads at once, an error, and an end.
OWN = """
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from workbench import InputError, spark_session

def set_while_it_starts():
    return [os.environ.get(name) for name in ("PYSPARK_PYTHON", "SPARK_LOCAL_IP")]

before = set_while_it_starts()
try:
    spark_session("local[many]")
except InputError as error:
    print(error)
assert set_while_it_starts() == before
together = Barrier(3)

def take(_):
    together.wait()
    return spark_session()

with ThreadPoolExecutor(3) as pool:
    sessions = list(pool.map(take, range(3)))
print(len(set(map(id, sessions))), spark_session() is sessions[0])
sessions[0].sparkContext._jvm.System.err.println("WARNING: something else")
sessions[0].stop()
spark = spark_session("local[1]", **{"spark.sql.shuffle.partitions": 3})
print(spark is sessions[0], spark.conf.get("spark.sql.shuffle.partitions"), spark.range(5).count())
try:
    spark.sql("SELECT CAST('x' AS INT)").collect()
except Exception as error:
    print(type(error).__name__)
assert set_while_it_starts() == before
"""


@pytest.mark.xdist_group("java")
def test_a_session_of_its_own_is_one_for_all_threads_quiet_and_leaves_the_environment_alone():
    """What Java says is passed on, but for its line about incubator modules."""
    ended = python(OWN, check=True)
    said = ended.stdout.splitlines()
    assert said[0].startswith("Spark does not start with master 'local[many]': ")
    assert said[1:] == ["1 True", "False 3 5", "NumberFormatException"]
    assert ended.stderr == "WARNING: something else\n"


def test_without_what_connect_needs_one_line_says_what_to_install():
    script = (
        "import sys; sys.modules['grpc'] = None\n"
        "from workbench import InputError, spark_session\n"
        "try: spark_session('sc://127.0.0.1:1')\n"
        "except InputError as error: print(error)\n"
    )
    ended = python(script, check=True)
    assert ended.stderr == ""
    assert ended.stdout == (
        "Spark Connect needs grpc, which is not installed: pip install 'lakehouse-workbench[connect]'\n"
    )


def test_what_goes_wrong_in_a_task_is_said_last(spark):
    def fail(batches):
        yield from batches
        raise ValueError("on purpose")

    with pytest.raises(Exception, match="on purpose") as error:
        spark.range(1).mapInArrow(fail, "id long").collect()
    assert str(error.value).splitlines()[-1] == "ValueError: on purpose"


@pytest.mark.parametrize(("error", "is_shown"), [(EOFError, False), (ValueError, True)])
def test_that_java_has_gone_is_no_news_to_its_listener(spark, capsys, error, is_shown):
    listener = spark.sparkContext._accumulatorServer
    try:
        raise error
    except error:
        listener.handle_error(None, ("127.0.0.1", 1))
    assert ("Traceback" in capsys.readouterr().err) == is_shown


def test_java_starts_sooner_and_what_is_no_archive_of_classes_does_no_harm(tmp_path: Path) -> None:
    code = (
        "from workbench.checking.kernels import numba_cache\n"
        "from pathlib import Path\n"
        "numba_cache.folder = Path.cwd\n"
        "from workbench.checking.spark.cluster.session import check_java, class_archive, spark_session\n"
        "archive = class_archive(check_java())\n"
        "archive.write_bytes(b'no archive')\n"
        "java = spark_session(**{'spark.driver.extraJavaOptions': '-Dmine=1'})._jvm.java\n"
        "options = list(java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments())\n"
        "wanted = ['-XX:TieredStopAtLevel=1', '-Dmine=1']\n"
        "print([option for option in options if option in wanted or str(archive) in option] ==\n"
        "      [wanted[0], f'-XX:SharedArchiveFile={archive}', wanted[1]])\n"
    )
    usual = {name: value for name, value in os.environ.items() if name != "SPARK_SUBMIT_OPTS"}
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=usual, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("True\n", "")
