"""Fixtures that several test files share, and what the marks of a test mean."""

import functools
import gc
import itertools
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from tests import cpu, products, workers
from tests.chromium import Chromium
from tests.places import ROOT
from tests.ports import free_port
from workbench.storage.lock import LOCK_FILES

# How long an example takes says nothing of what it shows: on a busy machine, any takes long. And a run that fails, or
# passes, does so again: `--hypothesis-profile searching` looks for what no run has met yet.
settings.register_profile("searching", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")

#: Programs for the environment of the writers, whose packages are not here, and one for PySpark to start.
collect_ignore_glob = ["**/reader.py", "**/writer.py", "preloaded/*"]

# The sessions of tests need little memory: the simplest collector starts soonest.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:+UseSerialGC")

#: For this process.
CHROMIUM = Chromium()

_LONGEST_ID = 100
_GROWING = """---- MODULE Growing ----
EXTENDS Naturals
VARIABLE f
Init == f = [k \\in {0} |-> 0]
Next == f' = [f EXCEPT ![0] = @ + 1]
Inv == f[0] < 4
====
"""

#: What each mark allows a test to start; without the mark these variables keep it from starting, in whatever process.
ONLY_WHERE_MARKED = {
    "spark": ("JAVA_HOME", "/only/tests/marked/spark/start/it"),
    "browser": ("PLAYWRIGHT_NODEJS_PATH", "/only/tests/marked/browser/start/one"),
}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Python looks for no garbage among the thousands of tests: they stay as long as the process."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


class OnlyExamples:
    """Passes over modules without an example: to look for doctests in one, pytest imports it, in each worker."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(self, file_path: Path) -> Generator[None, list[Any], list[Any]]:
        found = yield
        if file_path.suffix == ".py" and b">>>" not in file_path.read_bytes():
            found = [one for one in found if type(one) is pytest.Module]  # and none of doctests
        return found


def pytest_configure(config: pytest.Config) -> None:
    # As a plugin it is asked about files of other folders, too.
    config.pluginmanager.register(OnlyExamples())
    config.pluginmanager.register(cpu.Plugin())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(workers.Plugin())
    if config.option.chosen:
        config.pluginmanager.register(products.Plugin())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write what commands print into the transcripts")
    parser.addoption("--chosen", action="store_true", help="run what tests/products.py chooses of products")


def pytest_make_parametrize_id(val: Any, argname: str) -> str | None:
    """Files' contents are numbered: they are long, and those with a random part differ between workers."""
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > _LONGEST_ID) else None


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses the Spark session, or the writers, is marked so; tests of a mark run in one worker of pytest-xdist.

    So each worker does not start a Spark, a browser and a server of its own, nor write the same tables. Tests that
    start a Spark beside the session's name another group, which the other worker takes. Those in a browser wait most of
    their time, and are the longest: one worker begins with them. The others begin with the many quick tests, file by
    file, since most mistakes show there; then come the other groups, which no two workers can share; single slow ones
    fill up what time is left, so that the workers end together.
    """
    for item in items:
        for fixture in ("spark", "writers"):
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(fixture)
        if not item.get_closest_marker("xdist_group") and (group := _group(item)):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=_turn)


def _group(item: pytest.Item) -> str | None:
    """The group of a test that names none; a slow one that shares nothing with its neighbours is in none."""
    for mark in (*ONLY_WHERE_MARKED, "writers"):
        if item.get_closest_marker(mark):
            return mark
    fixtures = item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]
    if item.get_closest_marker("slow") and not any(each[-1].scope == "module" for each in fixtures):
        return None
    return workers.file_of(item.nodeid)


#: The groups that take longest: no other worker can help.
_LONGEST = ("spark", "writers", "java")


def _turn(item: pytest.Item) -> tuple[int, int]:
    marker = item.get_closest_marker("xdist_group")
    if marker is None:
        return 2, 0
    (group,) = marker.args
    if group == "browser":
        return -1, 0
    if group == workers.file_of(item.nodeid):
        return 0, 0
    return 1, _LONGEST.index(group) if group in _LONGEST else len(_LONGEST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for mark, (variable, nowhere) in ONLY_WHERE_MARKED.items():
            if not item.get_closest_marker(mark):
                patch.setenv(variable, nowhere)
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def interruptible():
    """Processes that tests start can be interrupted, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def one_key(request, monkeypatch):
    """On Spark the key of fingerprints decides which of several shortest traces is found: a run does the same again."""
    if request.node.get_closest_marker("spark"):
        monkeypatch.setattr("workbench.kernel.meaning.plan.token_bytes", bytes)


@pytest.fixture(scope="session")
def compiled_checks():
    """What checks need is in Numba's cache, and loaded."""
    from workbench.checking import warm

    warm.compile_checks()


@pytest.fixture
def interpreted(compiled_checks, monkeypatch):
    """Nothing is compiled yet, and a small space is searched without that; the share of calls is large."""
    from workbench.checking.kernels import compiled
    from workbench.checking.local import search

    monkeypatch.setattr(search, "_loaded", threading.Event())
    monkeypatch.setattr(compiled, "_calls", 0)
    monkeypatch.setattr(compiled, "MOST_CALLS", 300_000)


@pytest.fixture
def in_pieces(request):
    """Small spaces have several passes. The parameter, if there is one, says how small the pieces are."""
    import campaign

    with campaign.in_pieces(*getattr(request, "param", ())):
        yield


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs a command in this process; it does not tell how far it is, however long it takes on a busy machine."""
    from tests.command import runner

    monkeypatch.setattr("workbench.commands.output.progress.SECONDS_PER_LINE", 1e9)
    return runner(capsys)


@pytest.fixture
def growing(tmp_path):
    """The path of a module whose behaviours have no end, with an invariant that fails after four steps."""
    path = tmp_path / "Growing.tla"
    path.write_text(_GROWING)
    path.with_suffix(".cfg").write_text("INIT Init NEXT Next INVARIANT Inv")
    return str(path)


@pytest.fixture
def busy(monkeypatch):
    """A machine on which a minute passes between any two looks at the clock."""
    clock = itertools.count(0, 60)
    for name in ("monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, lambda: float(next(clock)))


def _mount(*options: object) -> bool:
    """Whether a mount succeeds, as it does for root alone."""
    return subprocess.run(["mount", *map(str, options)], capture_output=True).returncode == 0


class SmallDisk(NamedTuple):
    """A folder on a file system of its own with hardly any room."""

    folder: Path

    def make_room(self) -> None:
        assert _mount("-o", "remount,size=64m", self.folder)


@pytest.fixture
def small_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SmallDisk]:
    """The parameter says how much room there is."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not _mount("-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", folder):
        pytest.skip("only root may mount the small disk that is to be filled")
    yield SmallDisk(folder)
    subprocess.run(["umount", "-l", folder])


@pytest.fixture(scope="session")
def credentials() -> None:
    """Those of the S3 server that tests start; what Spark starts is given the same environment."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}


@pytest.fixture(scope="session")
def spark(credentials):
    """One Spark session for all tests, whose Python workers are forks of one that has loaded what they need."""
    from workbench.checking.spark.cluster.session import spark_session

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).with_name("preloaded")), prepend=os.pathsep)
        daemon = {"spark.python.daemon.module": "preloaded_daemon"}
        # A task whose worker dies is tried again, and once more.
        session = spark_session("local[2,3]", **daemon)
    yield session
    session.stop()


@pytest.fixture(scope="module")
def browser() -> Any:
    """Headless Chromium, which the tests in a browser share."""
    return CHROMIUM.browser()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """Close the browser after the last test in one."""
    try:
        return (yield)
    finally:
        if nextitem is None or not nextitem.get_closest_marker("browser"):
            CHROMIUM.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One JupyterLab for all tests that open notebooks; they have the browser before, or are skipped without it."""
    from tests.lab import Lab

    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    CHROMIUM.close()  # with the windows that need it
    lab.stop()


@pytest.fixture(scope="session")
def writers() -> Path:
    """The Python of the environment that has writers of real tables, and a server of S3; see scripts/writers.sh."""
    python = ROOT / ".writers" / "bin" / "python"
    assert python.exists(), "the writers are not installed: `make test` does that, or scripts/writers.sh PYTHON"
    return python


@pytest.fixture(scope="session")
def writing(writers: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, subprocess.Popen]]:
    """Begins to write tables of a protocol, of all kinds but one of those that are named; gives their folder."""

    def begin(protocol: str, *kinds: str) -> tuple[Path, subprocess.Popen]:
        folder = tmp_path_factory.mktemp(protocol)
        command: list[str | Path] = [writers, "-W", "ignore", "-m", f"tests.protocols.{protocol}.writer", folder]
        return folder, subprocess.Popen([*command, *kinds], cwd=ROOT)

    return begin


@pytest.fixture(scope="session")
def all_written(writing: Any) -> Callable[[str], Path]:
    """Gives the folder with a protocol's tables of all kinds, which are not to be changed."""

    @functools.cache
    def write(protocol: str) -> Path:
        folder, process = writing(protocol)
        assert process.wait(300) == 0
        return folder

    return write


@pytest.fixture
def written(all_written: Any, tmp_path: Path) -> Callable[[str], tuple[Path, Path]]:
    """Gives the path of a Paimon table of some kind, and a file of all that its writers were told of their commits."""

    def write(kind: str) -> tuple[Path, Path]:
        shutil.copytree(all_written("paimon") / kind, tmp_path / kind)
        return tmp_path / kind / "db.db" / "t", tmp_path / kind / "printed"

    return write


class ObjectStore(NamedTuple):
    """A server of S3 that has a bucket ``lake``."""

    address: str
    files: Any
    numbers: Iterator[int]


@pytest.fixture(scope="session")
def s3(credentials: None, writers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    """One server for all tests, over HTTP: moto's, which knows conditional writes; no product comes with pip alone."""
    import s3fs

    host, port = "127.0.0.1", free_port()
    address = f"{host}:{port}"
    command = [str(writers.with_name("moto_server")), "--host", host, "--port", str(port)]
    log = tmp_path_factory.mktemp("s3") / "moto.log"
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as server:
        try:
            until = time.monotonic() + 600
            while time.monotonic() < until and socket.socket().connect_ex((host, port)):
                time.sleep(0.05)
            files = s3fs.S3FileSystem(endpoint_url=f"http://{address}", use_listings_cache=False)
            files.mkdir("lake")
            yield ObjectStore(address, files, itertools.count())
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def corrupt() -> Callable[[Path, st.DataObject], None]:
    """Does one bad thing to the files of a folder."""

    def do(path: Path, data: st.DataObject) -> None:
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.name not in LOCK_FILES)
        one, other = data.draw(st.sampled_from(files)), data.draw(st.sampled_from(files))
        content = one.read_bytes()
        at = data.draw(st.integers(0, len(content) - 1))
        match data.draw(
            st.sampled_from(["flip", "truncate", "swap", "delete", "duplicate", "foreign", "grow", "replace"])
        ):
            case "flip":
                flipped = content[at] ^ 1 << data.draw(st.integers(0, 7))
                one.write_bytes(content[:at] + bytes([flipped]) + content[at + 1 :])
            case "truncate":
                one.write_bytes(content[:at])
            case "swap":
                one.write_bytes(other.read_bytes())
                other.write_bytes(content)
            case "delete":
                one.unlink()
            case "duplicate":
                one.with_name("copy-" + one.name).write_bytes(content)
            case "foreign":
                (one.parent / "foreign.parquet").write_bytes(content)
            case "grow":
                one.write_bytes(content + content[at:])
            case "replace":
                other.write_bytes(content)

    return do


@pytest.fixture(scope="session")
def real_table(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The path of a table of data/real, by the archive's name; not to be changed."""
    archives = ROOT / "data" / "real"
    folder = tmp_path_factory.mktemp("real")

    def path(name: str) -> Path:
        if not (folder / name).exists():
            shutil.unpack_archive(archives / f"{name}.tar.xz", folder)
        return folder / name / "db.db" / "t"

    return path


@pytest.fixture
def own_table(real_table: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """The path of a copy of such a table."""
    return lambda name: Path(shutil.copytree(real_table(name), tmp_path / name))
