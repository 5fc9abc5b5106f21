"""What is stored is what was written, or is refused: run directories, datasets and sweeps, damaged and killed.

Thousands of searches would take Spark hours. Most of these tests run its tasks in this process, one after the other:
everything but Spark itself is what a cluster runs. `test_engine` kills real drivers and executors.
"""

import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark import TaskContext

from tests.command import python
from tests.places import ROOT
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.questions.sweep import sweep
from workbench.checking.runs import resume, save_run
from workbench.checking.spaces.dataset import load, save
from workbench.checking.spaces.space import explore
from workbench.checking.spark.files.manifest import RUN, Level, Run, last_whole_level
from workbench.commands.cli import main
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.plan import Fingerprints
from workbench.language import *
from workbench.protocols.bakery.model import Bakery
from workbench.storage.folder import Folder
from workbench.storage.lock import LOCK_FILES
from workbench.storage.sealed import read_sealed
from workbench.storage.versions import MANIFEST

Corrupt = Callable[[Path, st.DataObject], None]


class Part(NamedTuple):
    owner: str
    size: int


class Ledger(Model):
    """A little of everything that a value can be."""

    Most = Constant(3, range(1, 9), "how many parts there are")
    Owners = Constant(2, Names("o", range(1, 5)), "who owns them")
    symmetry = ("Owners",)

    parts = Variable(())
    seen = Variable(frozenset())
    last = Variable(None, per="Owners")
    index = Variable(Map())

    @action(owner="Owners")
    def add(self, s, owner):
        require(len(s.parts) < self.Most, "full")
        part = Part(owner, choose((1, 2**60)))
        s.parts = (*s.parts, part)
        s.seen |= {part}
        s.last[owner] = part.size
        s.index = s.index.set(owner, len(s.parts))

    @invariant
    def Short(self, s):
        return len(s.parts) < 3

    @reachable
    def Full(self, s):
        return len(s.parts) == self.Most


class InProcess:
    """Stands in for a Spark session, as far as the workbench uses one."""

    def __init__(self) -> None:
        self.sparkContext = SimpleNamespace(defaultParallelism=2)
        self.conf = SimpleNamespace(get=lambda name: "2", set=lambda name, value: None)
        self.read = SimpleNamespace(parquet=lambda *uris: Rows([[b] for uri in uris for b in _batches(uri)]))
        for name in ("addJobTag", "removeJobTag", "cancelJobsWithTag"):
            setattr(self.sparkContext, name, lambda tag: None)

    def newSession(self) -> "InProcess":
        return self

    def range(self, first: int, end: int, step: int, partitions: int) -> "Rows":
        ids = [list(range(first, end, step))[at::partitions] for at in range(partitions)]
        return Rows([[pa.RecordBatch.from_pydict({"id": pa.array(part, pa.int64())})] for part in ids])


def _batches(uri: str) -> list[pa.RecordBatch]:
    return pq.read_table(uri.removeprefix("file://")).to_batches()


class Rows:
    """Stands in for a DataFrame: Arrow batches by partition."""

    def __init__(self, partitions: list[list[pa.RecordBatch]]) -> None:
        self.partitions = partitions

    def mapInArrow(self, task: Callable[..., Iterator[pa.RecordBatch]], schema: str) -> "Rows":
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(TaskContext, "_taskContext", SimpleNamespace(attemptNumber=lambda: 0))
            return Rows([list(task(iter(batches))) for batches in self.partitions])

    def repartitionById(self, partitions: int, column: str) -> "Rows":
        batches = [batch for part in self.partitions for batch in part]
        return Rows([[b for b in batches if b[column][0].as_py() == at] for at in range(partitions)])

    def select(self, column: str) -> "Rows":
        return self

    def collect(self) -> list[Any]:
        return [SimpleNamespace(**row) for batches in self.partitions for b in batches for row in b.to_pylist()]

    def createOrReplaceTempView(self, name: str) -> None:
        pass


def summary(result: Any) -> Any:
    return (
        result.levels,
        result.generated,
        [(v.name, v.holds, str(v.trace)) for v in result.verdicts],
        [(a.name, a.enabled, a.generated) for a in result.actions],
    )


def rows_of(folder: str | Path) -> Any:
    data = load(folder, InProcess())  # type: ignore[arg-type]
    return data.run, [repr(row) for row in data.states.collect()], [repr(row) for row in data.transitions.collect()]


def search(run: Path, **options: Any) -> Any:
    """A search, with the same key each time: which shortest trace it takes depends on it."""
    engine, fingerprints = Spark(InProcess(), run), Fingerprints(key="0" * 32)
    return check(Ledger(), symmetry=True, engine=engine, fingerprints=fingerprints, **options)


def exact_or_refused(attempt: Callable[[], Any], wanted: Any, path: Path) -> None:
    """Check that what comes of it is the exact result, or one line that names the folder."""
    try:
        came_of_it = attempt()
    except InputError as error:
        refusal = str(error)
    else:
        assert came_of_it == wanted
        return
    assert "\n" not in refusal
    assert str(path) in refusal


# A run directory -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_search_is_exact_whatever_its_values_are(tmp_path: Path) -> None:
    whole = check(Ledger(), symmetry=True, engine="reference")
    assert summary(search(tmp_path / "whole"))[:2] == summary(whole)[:2]
    search(tmp_path / "part", budget=Budget(states=8))
    assert not Run.of(Folder.open(tmp_path / "part", RUN)).done.complete
    assert summary(resume(tmp_path / "part", Ledger, spark=InProcess())) == summary(search(tmp_path / "again"))


@pytest.mark.slow
def test_no_file_of_a_run_is_a_pickle(tmp_path: Path) -> None:
    search(tmp_path / "run")
    kinds = {path.suffix for path in (tmp_path / "run").rglob("*") if path.is_file() and path.name not in LOCK_FILES}
    assert kinds == {".json", ".parquet"}
    for path in (tmp_path / "run").rglob("*.parquet"):
        json.loads(pq.read_metadata(path).metadata[b"extras"])
    for path in (tmp_path / "run").rglob("*.json"):
        json.loads(path.read_text())


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["checksum", "missing", "swapped"])
def test_a_damaged_file_is_named(tmp_path: Path, lost: str) -> None:
    run = tmp_path / "run"
    search(run, budget=Budget(states=8))
    one, other = (run / file.path for file in Run.of(Folder.open(run, RUN)).done.levels[-1].files)
    if lost == "missing":
        one.unlink()
    elif lost == "swapped":
        content = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)
    else:
        one.write_bytes(one.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match=r"^run directory '.*' is damaged: level-.*parquet is (not what was|missing)"):
        resume(run, Ledger, spark=InProcess())


def spoil(path: Path, how: str) -> None:
    """Damage a file: missing, cut, or with another byte."""
    content = bytearray(path.read_bytes())
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 2] ^= 1
        path.write_bytes(content)


def levels_of(run: Path) -> list[Level]:
    return Run.of(Folder.open(run, RUN)).done.levels


@pytest.mark.slow
@pytest.mark.parametrize("how", ["missing", "cut", "flipped"])
@pytest.mark.parametrize("where", ["last", "middle", "values"])
def test_a_search_goes_back_before_a_damaged_level(tmp_path: Path, how: str, where: str) -> None:
    """The error names the last whole level; from there on everything is found again, and the damaged files go."""
    run, whole = tmp_path / "run", summary(search(tmp_path / "whole"))
    search(run, budget=Budget(states=30))
    before = levels_of(run)
    damaged = len(before) - 1 if where == "last" else 1
    names = before[damaged].names()
    spoil(run / (names[-1] if where == "values" else names[0]), how)
    there = {path: path.exists() and path.read_bytes() for path in (run / name for name in names)}
    refused = rf"is damaged: .*; level {damaged - 1} is the last whole one: .* \S*run --from-level {damaged - 1}$"
    with pytest.raises(InputError, match=refused):
        resume(run, Ledger, spark=InProcess())
    assert len(levels_of(run)) == len(before)
    for level in (damaged, -1, len(before)):
        with pytest.raises(InputError, match=rf"^from_level = {level} is not accepted; "):
            resume(run, Ledger, spark=InProcess(), from_level=level)

    def stop() -> bool:
        return True

    stopped = resume(run, Ledger, spark=InProcess(), from_level=damaged - 1, watch=Watch(should_stop=stop))
    assert stopped.levels == before_of(whole, damaged)
    assert {path: path.exists() and path.read_bytes() for path in there} == there, "they stay until they are not needed"
    assert summary(resume(run, Ledger, spark=InProcess(), from_level=damaged - 1)) == whole
    assert not any(path.exists() for path in there)
    assert summary(resume(run, Ledger, spark=InProcess())) == whole
    assert last_whole_level(Folder.open(run, RUN)) == len(levels_of(run)) - 1
    assert summary(resume(run, Ledger, spark=InProcess(), from_level=0)) == whole, "further back, too"


def before_of(whole: Any, level: int) -> Any:
    """The sizes of the levels before one."""
    return whole[0][:level]


def test_the_command_refuses_budgets_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option, value in (
        ("--max-states", "-5"),
        ("--max-states", "0"),
        ("--max-seconds", "nan"),
        ("--max-seconds", "-1"),
    ):
        assert main(["check", str(tmp_path), option, value]) == 2
        assert f"argument {option}: '{value}' is not accepted" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_takes_a_configuration_for_its_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    search(run, budget=Budget(states=50))
    for named, said in (
        ("nope", "unknown model or configuration 'nope'"),
        ("v1_one_writer", "and not of 'bakery'"),
    ):
        assert main(["check", str(run), "--model", named]) == 2
        assert main(["export", str(run), "-o", str(tmp_path / "out"), "--model", named]) == 2
        said_twice = capsys.readouterr().err
        assert said_twice.count(said) == 2, said_twice


def test_a_folder_that_is_called_like_a_model_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands there is not even looked at; named as a folder, it is refused."""
    (tmp_path / "bakery").mkdir()
    (tmp_path / "bakery" / "run.pkl").write_bytes(b"cos\nsystem\n(S'touch executed'\ntR.")
    (tmp_path / "bakery" / "manifest.json").write_text('{"levels": []}')
    monkeypatch.chdir(tmp_path)
    assert main(["export", "bakery", "-o", "out", "--set", "Writers=1", "--max-states", "5"]) == 3
    assert main(["export", "./bakery", "-o", "out2"]) == 2
    assert "no checksum, so it is not of this workbench" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bakery", "out"]


def check_runs(folder: Path, corrupt: Corrupt, data: st.DataObject, stored: Path, wanted: Any) -> None:
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(stored, run)
    corrupt(run, data)
    exact_or_refused(lambda: summary(resume(run, Ledger, spark=InProcess())), wanted, run)


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A run directory of a search that is not complete, and what comes of it when it is."""
    folder = tmp_path_factory.mktemp("stored")
    search(folder / "run", budget=Budget(states=14))
    wanted = summary(search(folder / "whole"))
    shutil.copytree(folder / "run", folder / "copy")
    assert summary(resume(folder / "copy", Ledger, spark=InProcess())) == wanted
    return folder / "run", wanted


# A dataset -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored_data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A dataset that was made of a run directory, and its rows."""
    folder = tmp_path_factory.mktemp("stored")
    search(folder / "run")
    save_run(folder / "run", folder / "data", Ledger, InProcess())
    return folder / "data", rows_of(folder / "data")


def check_datasets(folder: Path, corrupt: Corrupt, data: st.DataObject, stored: Path, wanted: Any) -> None:
    path = folder / "data"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(stored, path)
    corrupt(path, data)
    exact_or_refused(lambda: rows_of(path), wanted, path)


# Sweeps --------------------------------------------------------------------------------------------------------------

GRID = {"Most": [1, 2, 3]}


def answers(out: Path) -> Any:
    table = sweep(Ledger, GRID, out=out, spark=InProcess())
    return table.drop(columns="seconds").to_json()


@pytest.fixture(scope="module")
def stored_sweep(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    out = tmp_path_factory.mktemp("stored") / "out"
    return out, answers(out)


def check_sweeps(folder: Path, corrupt: Corrupt, data: st.DataObject, stored: Path, wanted: Any) -> None:
    """A record that is lost is made again; one that is damaged is refused, and stays."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(stored, out)
    corrupt(out, data)
    before = {path: path.read_bytes() for path in out.iterdir() if path.name not in LOCK_FILES}
    exact_or_refused(lambda: answers(out), wanted, out)
    assert before.items() <= {path: path.read_bytes() for path in out.iterdir()}.items()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stored", "check_of", "examples"),
    [
        pytest.param("stored_run", check_runs, 80, marks=pytest.mark.slow),
        ("stored_data", check_datasets, 20),
        pytest.param("stored_data", check_datasets, 150, marks=pytest.mark.slow),
        ("stored_sweep", check_sweeps, 20),
        pytest.param("stored_sweep", check_sweeps, 150, marks=pytest.mark.slow),
    ],
)
def test_what_is_corrupt_is_exact_or_refused(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    corrupt: Corrupt,
    stored: str,
    check_of: Callable[..., None],
    examples: int,
) -> None:
    @settings(max_examples=examples)
    @given(data=st.data())
    def attempt(data: st.DataObject) -> None:
        check_of(tmp_path_factory.mktemp("corrupt"), corrupt, data, *request.getfixturevalue(stored))

    attempt()


def test_one_sweep_at_a_time_writes_to_a_folder(tmp_path: Path) -> None:
    said = []

    def disturb(done: int, of: int) -> None:
        with pytest.raises(InputError) as error:
            answers(tmp_path)
        said.append(str(error.value))

    sweep(Ledger, GRID, out=tmp_path, spark=InProcess(), watch=Watch(on_progress=disturb))
    assert f"sweep folder '{tmp_path}' is in use: process {os.getpid()} on " in said[0]


# Killed --------------------------------------------------------------------------------------------------------------

KILLS = 25


def killed(work: Callable[[], object], seconds: float) -> None:
    """Do `work` in a process that is killed after so long."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def duration(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def kill_searches(folder: Path) -> None:
    wanted = summary(search(folder / "warm"))
    levels = set()
    for at in range(KILLS):
        if at % 5 == 0:  # the machine may be busier by now
            longest = duration(lambda at=at: search(folder / f"timed-{at}"))  # type: ignore[misc]
        run = folder / f"run-{at}"
        killed(lambda run=run: search(run), random.Random(at).random() * 2 * longest)  # type: ignore[misc]
        if any((run / MANIFEST).glob("*.json")) and Folder.open(run, RUN).content is not None:
            levels.add(len(Run.of(Folder.open(run, RUN)).done.levels))
            assert summary(resume(run, Ledger, spark=InProcess())) == wanted
        else:
            assert summary(search(run)) == wanted
    assert len(levels) > 2, "kills came at different moments"


def kill_saves(folder: Path) -> None:
    small, large = explore(Bakery(Writers=1)), explore(Bakery(Writers=2, MaxCrashes=0))
    wanted = [rows_of(save(space, folder / f"{len(space)}")) for space in (small, large)]
    data = folder / "data"
    for at in range(KILLS):
        if at % 5 == 0:
            longest = duration(lambda at=at: save(large, folder / f"timed-{at}"))  # type: ignore[misc]
        before = rows_of(save(small, data))
        assert before == wanted[0]
        killed(lambda: save(large, data), random.Random(at).random() * 2 * longest)
        assert rows_of(data) in wanted
    save(large, data)
    assert {p.name for p in data.iterdir()} == {MANIFEST, "states", "transitions", ".writer.lock"}


def kill_sweeps(folder: Path) -> None:
    """There are results from before, which a budget has cut short."""
    wanted, short = answers(folder / "warm"), folder / "short"
    sweep(Ledger, GRID, out=short, spark=InProcess(), budget=Budget(states=1))
    replaced = set()
    for at in range(KILLS):
        if at % 5 == 0:
            longest = duration(lambda at=at: answers(folder / f"timed-{at}"))  # type: ignore[misc]
        out = folder / f"out-{at}"
        shutil.copytree(short, out)
        killed(lambda out=out: answers(out), random.Random(at).random() * 2 * longest)  # type: ignore[misc]
        kept = {path: read_sealed(path, "record")["outcome"]["complete"] for path in out.glob("[!.]*.json")}
        assert len(kept) == len(GRID["Most"])
        replaced.add(sum(kept.values()))
        final = {path: path.read_bytes() for path in kept if kept[path]}
        assert answers(out) == wanted
        assert final == {path: path.read_bytes() for path in final}
        assert {path.suffix for path in out.iterdir()} == {".json", ".lock"}
    assert len(replaced) > 1, "kills came at different moments"


@pytest.mark.slow
@pytest.mark.parametrize("kills", [kill_searches, kill_saves, kill_sweeps], ids=lambda kills: kills.__name__)
def test_what_was_complete_stays_so_when_the_process_is_killed(tmp_path: Path, kills: Callable[[Path], None]) -> None:
    """At some moments; in a process of its own, since one that has threads is better not forked."""
    script = "import pathlib, sys; from tests.checking.spark import test_durability as tests; "
    script += "getattr(tests, sys.argv[1])(pathlib.Path(sys.argv[2]))"
    ended = python(script, kills.__name__, tmp_path, here=ROOT)
    assert ended.returncode == 0, ended.stderr[-3000:]
