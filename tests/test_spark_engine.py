"""The distributed engine gives the in-process engine's counts, verdicts and trace lengths, and survives."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workbench import configurations
from workbench.engines.check import check
from workbench.engines.spark import engine, rundir
from workbench.engines.spark.entry import resume
from workbench.kernel import InputError
from workbench.models.bakery import Bakery
from workbench.models.bakery_v2 import BakeryV2
from workbench.models.hudi import Hudi
from workbench.spaces.dataset import load, save
from workbench.spaces.export import save_run
from workbench.spaces.space import explore

pytestmark = pytest.mark.spark

SPECS = Path(__file__).parents[1] / "specs"
RACE = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")


def safety_of(model):
    return [p.name for p in model.select() if p.kind != "liveness"]


def summary(result):
    return {
        "levels": result.levels,
        "generated": result.generated,
        "verdicts": [(v.name, v.holds, v.trace_states) for v in result.verdicts],
        "actions": [(a.name, a.enabled, a.generated) for a in result.actions],
    }


def local(model, symmetry=False):
    return summary(check(model, safety_of(model), symmetry=symmetry, engine="local"))


@pytest.mark.parametrize(
    "name", ["bakery/documented_v1", "bakery/documented_v2_race", "hudi/timestamp_collision", "paimon/two_buckets"]
)
def test_named_configurations(spark, name):
    one = configurations.load(SPECS / f"{name}.toml")
    names = [p.name for p in one.model.select(one.properties) if p.kind != "liveness"]
    found = check(one.model, names, symmetry=one.symmetry, engine="spark", spark=spark)
    assert found.engine == "spark"
    assert summary(found) == summary(check(one.model, names, symmetry=one.symmetry, engine="local"))


def test_wide_fingerprints(spark):
    found = check(RACE, safety_of(RACE), engine="spark", spark=spark, fingerprint_bits=128, symmetry=True)
    assert summary(found) == local(RACE, symmetry=True)


@pytest.mark.slow
def test_the_largest(spark):
    """Ten million states; the driver keeps none of them."""
    model = BakeryV2(MaxCrashes=2, AsyncParquet=True)
    found = check(model, safety_of(model), engine="spark", spark=spark)
    assert summary(found) == local(model)
    assert found.distinct == 10_265_940


@pytest.mark.parametrize("states", [1, 20, 150])
def test_hand_over(spark, states, tmp_path):
    """A search that moves to Spark at any level ends as if it had not."""
    found = check(RACE, safety_of(RACE), spark=spark, hand_over_states=states, run_dir=tmp_path / "run")
    assert found.engine == "spark"
    assert summary(found) == local(RACE)
    assert any("moved from this process to Spark" in note for note in found.notes)


def test_hand_over_in_the_middle_of_a_level(spark, monkeypatch):
    """What was found of the level that is not complete is found again."""
    model = Hudi(Values=1, FileGroupCount=2)
    monkeypatch.setattr("workbench.engines.expander.BLOCK", 256)
    monkeypatch.setattr("workbench.engines.store.BLOCK", 256)
    monkeypatch.setattr("workbench.engines.local.BLOCK", 256)
    found = check(model, safety_of(model), spark=spark, hand_over_states=1500)
    assert summary(found) == local(model)


def test_a_violation_found_before_the_hand_over_keeps_its_trace(spark):
    full = check(RACE, safety_of(RACE))
    states = sum(full.levels[: full["NoLakekeeperConflict"].trace_states])
    found = check(RACE, safety_of(RACE), spark=spark, hand_over_states=states)
    assert found.engine == "spark"
    assert summary(found) == local(RACE)


def test_budgets_and_resume(spark, tmp_path):
    run = tmp_path / "run"
    part = check(RACE, safety_of(RACE), engine="spark", spark=spark, max_states=80, run_dir=run)
    assert not part.complete
    assert 80 <= part.distinct < 198
    assert part["UniqueTickets"].holds is None
    assert summary(resume(run, spark=spark)) == local(RACE)
    assert resume(run, spark=spark).complete  # nothing is left to do


def test_stop_and_fail_fast(spark):
    model = Bakery()
    stopped = check(model, safety_of(model), engine="spark", spark=spark, should_stop=lambda: True)
    assert (stopped.complete, stopped.stopped) == (False, "stopped on request")
    first = check(RACE, safety_of(RACE), engine="spark", spark=spark, fail_fast=True)
    assert (first.complete, first["NoLakekeeperConflict"].holds) == (False, False)


def test_liveness_is_left_to_the_process(spark):
    with pytest.raises(InputError, match="EventualProgress is a liveness property"):
        check(Bakery(), ["EventualProgress"], engine="spark", spark=spark)
    every = check(Bakery(Writers=2), engine="spark", spark=spark)
    assert "left out: EventualProgress, NonCrashedProgress" in every.notes[0]


DRIVER = """
import sys
from workbench.engines.check import check
from workbench.models.bakery_v2 import BakeryV2
model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")
names = [p.name for p in model.select() if p.kind != "liveness"]
check(model, names, engine="spark", run_dir=sys.argv[1], on_progress=lambda at: print(at.level, flush=True))
"""


def test_a_killed_driver(spark, tmp_path):
    """The driver is killed while it works on a level; the search goes on from the last completed one."""
    run = tmp_path / "run"
    driver = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(run)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    for line in driver.stdout:
        if int(line) == 7:
            break
    time.sleep(0.1)
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    assert len(rundir.RunDirectory(run).manifest().levels) in (7, 8)
    assert summary(resume(run, spark=spark)) == local(RACE)


def damage(run, level):
    """Change a byte in the middle of the largest file of a level."""
    manifest = rundir.RunDirectory(run).manifest()
    name = max(manifest.levels[level].files, key=lambda file: file.rows).path
    content = bytearray((run / name).read_bytes())
    content[len(content) // 3] ^= 0xFF
    (run / name).write_bytes(bytes(content))
    return name


def test_a_damaged_level_is_said(spark, tmp_path):
    run = tmp_path / "run"
    check(RACE, safety_of(RACE), engine="spark", spark=spark, max_states=80, run_dir=run)
    last = len(rundir.RunDirectory(run).manifest().levels) - 1
    name = damage(run, last)
    with pytest.raises(InputError, match=name):
        resume(run, spark=spark)
    assert len(rundir.RunDirectory(run).manifest().levels) == last + 1  # the levels before are as they were


def mount(*options):
    return subprocess.run(["mount", *options], capture_output=True, text=True)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own with room for some levels only, and a function that makes it larger."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if mount("-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)).returncode:
        pytest.skip("only root may mount the small disk that is to be filled")
    yield disk, lambda: mount("-o", "remount,size=64m", str(disk))
    subprocess.run(["umount", "-l", str(disk)])


def test_a_full_disk_is_said(spark, small_disk):
    """What was complete before the disk was full stays so, and when there is room the search goes on."""
    disk, enlarge = small_disk
    run = disk / "run"
    with pytest.raises(InputError, match=r"cannot be written .*No space left on device.*make room and resume"):
        check(RACE, safety_of(RACE), engine="spark", spark=spark, run_dir=run)
    assert len(rundir.RunDirectory(run).manifest().levels) > 3
    enlarge()
    assert summary(resume(run, spark=spark)) == local(RACE)


def test_a_run_directory_that_is_none(spark, tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        resume(tmp_path / "none", spark=spark)
    with pytest.raises(InputError, match="cannot be read"):
        resume(tmp_path, spark=spark)
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(InputError, match="is not empty"):
        check(RACE, safety_of(RACE), engine="spark", spark=spark, run_dir=tmp_path)


EXECUTORS = """
import os, signal, subprocess, sys, threading, time
from workbench.engines.check import check
from workbench.engines.spark.session import spark_session
from workbench.models.bakery_v2 import BakeryV2

model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")
names = [p.name for p in model.select() if p.kind != "liveness"]
spark = spark_session("local-cluster[2,1,1024]")
killed = []

def watch(at):
    if at.level == 6 and not killed:
        found = subprocess.run(["pgrep", "-f", "CoarseGrainedExecutorBackend"], capture_output=True, text=True)
        mine = [int(p) for p in found.stdout.split()]
        killed.append(mine[-1])
        threading.Timer(0.3, os.kill, (mine[-1], signal.SIGKILL)).start()

result = check(model, names, engine="spark", spark=spark, on_progress=watch, run_dir=sys.argv[1])
assert killed, "no executor was running"
print(result.levels, result.generated, [v.trace_states for v in result.verdicts], flush=True)
spark.stop()
"""


@pytest.mark.slow
def test_a_killed_executor(tmp_path):
    """Real executor processes, one of them killed in the middle of a level: the run completes with the same counts."""
    done = subprocess.run(
        [sys.executable, "-c", EXECUTORS, str(tmp_path / "run")], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    wanted = check(RACE, safety_of(RACE))
    traces = [v.trace_states for v in wanted.verdicts]
    assert done.stdout.splitlines()[-1] == f"{wanted.levels} {wanted.generated} {traces}"


def test_traces_are_checked_against_the_files(spark, tmp_path):
    """A link that was changed leads to an error, not to a wrong trace."""
    run = tmp_path / "run"
    check(RACE, safety_of(RACE), engine="spark", spark=spark, run_dir=run)
    search = engine.SparkSearch.resume(spark, run)
    level, *fingerprint = search.manifest.found["NoLakekeeperConflict"]
    assert len(search.trace_to(level, fingerprint)) == level + 1
    shutil.rmtree(run / "level-00003")
    with pytest.raises(InputError, match="cannot be read"):
        search.trace_to(level, fingerprint)


def test_a_run_as_a_dataset(spark, tmp_path):
    """The same tables as a space in memory gives, up to the states' ids."""
    check(RACE, safety_of(RACE), engine="spark", spark=spark, run_dir=tmp_path / "run")
    saved = load(save_run(tmp_path / "run", tmp_path / "data", spark), spark)
    save(explore(RACE, safety_of(RACE)), tmp_path / "here")
    for query in (
        "SELECT level, count(*), count(DISTINCT id) FROM states GROUP BY level ORDER BY level",
        "SELECT action, parameters, process, count(*) FROM transitions GROUP BY ALL ORDER BY 1, string(parameters)",
        "SELECT pc['w1'], iceberg, count(*) FROM states GROUP BY ALL ORDER BY 1, string(iceberg)",
        "SELECT count(*) FROM transitions t JOIN states a ON a.id = source JOIN states b ON b.id = target",
    ):
        assert saved.sql(query).collect() == load(tmp_path / "here", spark).sql(query).collect()


def test_a_run_that_began_in_process_has_not_all_states(spark, tmp_path):
    check(RACE, safety_of(RACE), spark=spark, hand_over_states=100, run_dir=tmp_path / "run")
    with pytest.raises(InputError, match="began in process"):
        save_run(tmp_path / "run", tmp_path / "data", spark)
