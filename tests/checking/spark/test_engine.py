"""The distributed engine, beside what all engines have in common: levels, budgets within them, and durability."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest

from tests.command import python
from workbench.checking.check import check
from workbench.checking.contract import Auto, Spark
from workbench.checking.local.search import LocalSearch
from workbench.checking.runs import resume, save_run
from workbench.checking.spaces.cube_on_spark import cube_of_table
from workbench.checking.spaces.dataset import load, save
from workbench.checking.spaces.space import explore
from workbench.checking.spark.cluster import jobs
from workbench.checking.spark.driver.engine import SparkSearch
from workbench.checking.spark.driver.entry import read_run
from workbench.checking.spark.files.links import Links
from workbench.checking.spark.files.manifest import RUN, Run
from workbench.checking.spark.search import levels_per_job, narrow_levels
from workbench.commands.cli import main
from workbench.kernel import InputError, Model, Variable, action, invariant, machine_of, require
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.kernel.meaning.plan import Fingerprints
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.hudi.model import Hudi
from workbench.protocols.table.row_ids import RowIds
from workbench.storage.folder import Folder

pytestmark = pytest.mark.spark

RACE = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")


def safety_of(model):
    return [p.name for p in machine_of(model).select() if p.kind != "liveness"]


def summary(result):
    return {
        "levels": result.levels,
        "generated": result.generated,
        "verdicts": [(v.name, v.holds, v.trace_states) for v in result.verdicts],
        "actions": [(a.name, a.enabled, a.generated) for a in result.actions],
    }


def completed(run):
    """What the manifest of a run directory says is complete."""
    return Run.of(Folder.open(run, RUN)).done


def local(model, symmetry=False):
    return summary(check(model, safety_of(model), symmetry=symmetry, engine="local"))


@pytest.fixture
def jobs_only(monkeypatch):
    """No level is narrow enough for the driver."""
    monkeypatch.setattr(narrow_levels, "MOST_STATES", 0)


@pytest.fixture(params=["jobs", "driver"])
def either_way(request):
    """Narrow levels as jobs, and in the driver."""
    if request.param == "jobs":
        request.getfixturevalue("jobs_only")


def test_the_driver_hands_over_and_comes_back(spark, tmp_path, monkeypatch):
    """Narrow levels are the driver's until one is wide, and again as soon as reading what it has missed is worth it."""
    wanted = local(RACE)
    made, widest = [], max(wanted["levels"])
    of_jobs = SparkSearch._wide_levels
    monkeypatch.setattr(
        SparkSearch, "_wide_levels", lambda s, w, level: made.append(level.number) or of_jobs(s, w, level)
    )
    monkeypatch.setattr(narrow_levels, "MOST_STATES", widest - 1)
    monkeypatch.setattr(narrow_levels, "READ_PER_JOB", 18)
    assert summary(check(RACE, safety_of(RACE), engine=Spark(session=spark))) == wanted
    first = wanted["levels"].index(widest) + 1
    assert made == [first, first + 1, first + 2]  # it then has 52 states to read, and two narrow levels were jobs
    made.clear()
    monkeypatch.setattr(narrow_levels, "MOST_STATES", widest)
    monkeypatch.setattr(narrow_levels, "MOST_VISITED", 150)
    assert summary(check(RACE, safety_of(RACE), engine=Spark(session=spark))) == wanted
    visited = list(itertools.accumulate(wanted["levels"]))
    assert made == [level + 1 for level, states in enumerate(visited) if states > 150]


def test_levels_that_one_job_makes(spark, jobs_only, tmp_path, monkeypatch):
    """They are as if each had a job: counts, traces, what a budget or a violation leaves, what is gone on with."""
    wanted, made = check(RACE, engine="local"), []
    monkeypatch.setattr(levels_per_job, "LEAST_TOGETHER", 5)
    monkeypatch.setattr(levels_per_job, "MOST_SECONDS", 600)
    of_jobs = SparkSearch._wide_levels

    def counted(search, work, level):
        outcomes = of_jobs(search, work, level)
        made.append(len(outcomes))
        return outcomes

    monkeypatch.setattr(SparkSearch, "_wide_levels", counted)
    whole = check(RACE, engine=Spark(session=spark, run_dir=tmp_path / "whole"))
    assert summary(whole) == summary(wanted)  # with liveness, for which the files of all levels are read again
    assert made.count(4) > 1
    assert 1 in made
    files = [file for level in completed(tmp_path / "whole").levels for file in level.files]
    assert any(file.values_level < int(file.path[6:11]) - 1 for file in files)
    for most in (80, 100):
        run = tmp_path / f"{most}"
        assert check(RACE, engine=Spark(session=spark, run_dir=run), budget=Budget(states=most)).distinct == most
        assert summary(resume(run, spark=spark)) == summary(wanted)
    trace = wanted["NoLakekeeperConflict"].trace_states
    first = check(RACE, safety_of(RACE), engine=Spark(session=spark), fail_fast=True)
    assert (first.stopped, first.depth) == ("stopped at the first violation", trace)
    assert first["NoLakekeeperConflict"].trace_states == trace


def test_wide_fingerprints(spark, jobs_only):
    result = check(
        RACE, safety_of(RACE), engine=Spark(session=spark), fingerprints=Fingerprints(bits=128), symmetry=True
    )
    assert summary(result) == local(RACE, symmetry=True)


# Budgets and stops: what is particular to levels that are made elsewhere --------------------------------------------


def test_a_budget_of_states_leaves_whole_levels_on_the_disk(spark, tmp_path):
    """So the search can be resumed, under this budget or another one; two runs cut a level in the same way."""
    run = tmp_path / "run"
    part = check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run), budget=Budget(states=80))
    assert (part.distinct, part.levels[-1], part["UniqueTickets"].holds) == (80, 10, None)
    assert sum(action.new for action in part.actions) == 79
    assert sum(completed(run).sizes) == 70
    assert summary(resume(run, spark=spark, budget=Budget(states=80))) == summary(part)
    with pytest.raises(InputError, match=r"states = 69 is not accepted; '.*' has 70 states already"):
        resume(run, spark=spark, budget=Budget(states=69))
    assert summary(resume(run, spark=spark, budget=Budget(states=198))) == local(RACE)
    assert resume(run, spark=spark).complete  # nothing is left to do


def test_what_only_states_beyond_the_budget_decide_is_not_decided(spark):
    """Of the level in which the race is lost, every part that a budget allows is judged, and no more of it."""
    names = ["NoLakekeeperConflict"]
    full = check(RACE, names, engine="local")
    before = sum(full.levels[: full[names[0]].trace_states - 1])
    verdicts = [
        check(RACE, names, engine=Spark(session=spark), budget=Budget(states=before + more))[names[0]].holds
        for more in (0, 1, 6, full.levels[full[names[0]].trace_states - 1])
    ]
    assert (verdicts[0], verdicts[-1]) == (None, False)
    assert verdicts == sorted(verdicts, key=lambda holds: holds is not None)


def test_a_budget_of_bytes_counts_what_all_workers_hold(spark, either_way):
    held = check(RACE, safety_of(RACE), engine=Spark(session=spark)).figures["worker_bytes"]
    part = check(RACE, safety_of(RACE), engine=Spark(session=spark), budget=Budget(bytes=1000))
    assert held > 1000
    assert (part.distinct, part.stopped) == (4, "the budget of 0.0 MiB is used up")
    assert check(RACE, safety_of(RACE), engine=Spark(session=spark), budget=Budget(bytes=2**30)).complete


class Sleepy(Model):
    """Its second step takes an hour."""

    n = Variable(0)

    @action
    def count(self, s):
        require(s.n < 3, "at its end")
        if s.n == 1:
            time.sleep(3600)
        s.n += 1

    @invariant
    def Low(self, s):
        return s.n < 1


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_stop_does_not_wait_for_the_end_of_a_job(spark, jobs_only, tmp_path, interrupted):
    at_level_two = []

    def watch(at):
        if at.level == 2:
            at_level_two.append(at)
        if interrupted and len(at_level_two) > 5:
            signal.raise_signal(signal.SIGINT)

    def in_the_job():
        return not interrupted and len(at_level_two) > 5

    def asleep(run, **options):
        result = check(Sleepy(), engine=Spark(session=spark, run_dir=run), **options)
        assert result.seconds < 1800
        assert (result.levels, result["Low"].holds, len(completed(run).levels)) == ([1, 1], False, 2)
        return result

    stopped = asleep(tmp_path / "run", watch=Watch(watch, in_the_job))
    assert stopped.stopped == ("interrupted" if interrupted else "stopped on request")
    if not interrupted:
        enough = 5 + 3 * int(stopped.seconds)
        budget = asleep(tmp_path / "budget", budget=Budget(seconds=enough))
        assert budget.stopped == f"the budget of {enough} seconds is used up"


def test_nothing_waits_to_be_expanded_while_a_liveness_property_is_decided(spark):
    told = []
    result = check(RACE, ["EventualProgress"], engine=Spark(session=spark), watch=Watch(on_progress=told.append))
    assert (told[-1].level, told[-1].frontier) == (len(result.levels), 0)


def test_jobs_leave_no_tags(spark):
    def tags():
        return set(spark.sparkContext.getJobTags())

    assert jobs.run_job(spark, lambda: (spark.range(3).count(), tags()), lambda: None)[0] == 3
    with pytest.raises(ZeroDivisionError):
        jobs.run_job(spark, lambda: 1 / 0, lambda: None)
    with pytest.raises(RuntimeError, match="enough"):
        jobs.run_job(spark, lambda: spark.range(1, numPartitions=1).mapInArrow(sleep, "id long").collect(), give_up)
    assert tags() == set()
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(tags).result() == set()
    assert spark.range(3).count() == 3


def sleep(batches):
    time.sleep(300)
    yield from batches


def give_up():
    raise RuntimeError("enough")


# A search that moves here ---------------------------------------------------------------------------------------------


def test_hand_over_in_the_middle_of_a_level(spark, either_way, monkeypatch):
    """What was found of the level that is not complete is found again."""
    model = Hudi(Values=1, FileGroupCount=2)
    monkeypatch.setattr("workbench.checking.local.expander.BLOCK", 256)
    monkeypatch.setattr("workbench.checking.local.store.BLOCK", 256)
    monkeypatch.setattr("workbench.checking.local.search.BLOCK", 256)
    result = check(model, safety_of(model), engine=Auto(session=spark, hand_over_states=1500))
    assert summary(result) == local(model)


def test_wide_fingerprints_are_handed_over(spark, jobs_only):
    result = check(
        RACE,
        safety_of(RACE),
        engine=Auto(session=spark, hand_over_states=60),
        fingerprints=Fingerprints(bits=128),
        symmetry=True,
    )
    assert result.engine == "spark"
    assert summary(result) == local(RACE, symmetry=True)


def test_a_violation_found_before_the_hand_over_keeps_its_trace(spark):
    full = check(RACE, safety_of(RACE))
    states = sum(full.levels[: full["NoLakekeeperConflict"].trace_states])
    result = check(RACE, safety_of(RACE), engine=Auto(session=spark, hand_over_states=states))
    assert result.engine == "spark"
    assert summary(result) == local(RACE)


def test_what_was_said_about_the_check_is_said_again_after_a_resume(spark, tmp_path):
    run = tmp_path / "run"
    part = check(
        RACE, safety_of(RACE), engine=Auto(session=spark, hand_over_states=20, run_dir=run), budget=Budget(states=80)
    )
    result = resume(run, spark=spark)
    assert summary(result) == local(RACE)
    assert result.notes == part.notes == ["moved from this process to Spark: more than 20 states"]


MEMORY = """
import gc, sys, threading
from pathlib import Path

from workbench.checking.contract import Room
from workbench.checking.local.search import LocalSearch
from workbench.checking.spark.driver.handover import write_search
from workbench.checking.spark.files.manifest import RUN
from workbench.checking.spark.files.messages import Task
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.kernel import Model, Variable, action, require
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.plan import make_plan
from workbench.storage.folder import new_folder

class Grid(Model):
    at = Variable(0, per="axes")

    def validate(self):
        self.axes = ("x", "y", "z", "t")

    @action(axis="axes")
    def step(self, s, axis):
        require(s.at[axis] < 69, "at the end")
        s.at[axis] += 1

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

def sample():
    while not done.wait(0.001):
        peak[0] = max(peak[0], resident())

def hand_over(model, states, folder):
    plan = make_plan(model, [])
    search = LocalSearch(plan)
    search.run(Limits(), Room(states))
    assert search.full
    with new_folder(folder, RUN) as written:
        directory, task = RunDirectory(written, plan.model, 64), Task(plan.model, (), (), 64, plan.key, 2)
        gc.collect()
        before = peak[0] = resident()
        write_search(directory, task, search, 0.0)
    return search.nbytes, before

peak, done = [0], threading.Event()
threading.Thread(target=sample, daemon=True).start()
model = Grid()
hand_over(model, 1000, sys.argv[1])  # what is loaded only now has nothing to do with the search's size
held, before = hand_over(model, int(sys.argv[3]), sys.argv[2])
print(held, peak[0] - before, resident() - before)
done.set()
"""


@pytest.mark.xdist_group("java")
def test_a_hand_over_needs_little_memory_and_lets_go(tmp_path):
    """Beside the search, of about 100 MB, a small part of it; afterwards nothing of the search is held."""
    ended = python(MEMORY, tmp_path / "one", tmp_path / "two", 8_000_000, check=True)
    held, extra, after = map(int, ended.stdout.split())
    assert held > 80e6
    assert extra < 0.4 * held
    assert after < -0.4 * held  # libraries keep some of what they had


def test_nobody_holds_a_search_that_was_handed_over(spark, monkeypatch):
    """Neither do the callers' frames: its memory is free while Spark goes on."""
    searches = weakref.WeakSet()
    before = LocalSearch.__init__

    def remember(self, *arguments, **options):
        before(self, *arguments, **options)
        searches.add(self.store)

    alive = []
    monkeypatch.setattr(LocalSearch, "__init__", remember)
    check(
        RACE,
        safety_of(RACE),
        engine=Auto(session=spark, hand_over_states=20),
        watch=Watch(on_progress=lambda at: alive.append(len(searches))),
    )
    assert (alive[0], alive[-1]) == (1, 0)


# Durability ----------------------------------------------------------------------------------------------------------


DRIVER = """
import os, random, signal, sys, threading
from workbench import Spark, Watch, check, machine_of
from workbench.checking.spark.search import narrow_levels
from workbench.protocols.bakery.v2 import BakeryV2
narrow_levels.MOST_STATES = 0
killing = threading.Timer(random.random() / 5, lambda: os.killpg(0, signal.SIGKILL))
def kill(at):
    if at.level == int(sys.argv[2]) and killing.ident is None:
        killing.start()
model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False, StepGranularity="atomic")
names = [p.name for p in machine_of(model).select() if p.kind != "liveness"]
check(model, names, engine=Spark(run_dir=sys.argv[1]), watch=Watch(kill))
"""


def test_a_killed_driver(spark, tmp_path):
    """The driver is killed while it works on a level; the search goes on from the last completed one.

    `test_durability` kills searches at many other moments.
    """
    run, level = tmp_path / "run", 7
    driver = subprocess.run([sys.executable, "-c", DRIVER, str(run), str(level)], start_new_session=True)
    assert driver.returncode == -signal.SIGKILL
    assert len(completed(run).levels) in (level, level + 1)
    assert summary(resume(run, spark=spark)) == local(RACE)


def damage(run, level):
    """Change a byte of the states' rows in the largest file of a level."""
    manifest = completed(run)
    name = max(manifest.levels[level].files, key=lambda file: file.rows).path
    content = bytearray((run / name).read_bytes())
    group = pq.read_metadata(run / name).row_group(0)
    [rows] = [column for column in map(group.column, range(group.num_columns)) if column.path_in_schema == "rows"]
    content[rows.data_page_offset + rows.total_compressed_size - 1] ^= 0xFF
    (run / name).write_bytes(bytes(content))
    return name


@pytest.mark.parametrize("which", ["last", "middle"])
def test_a_damaged_level_is_said_and_searched_again(spark, either_way, tmp_path, capsys, which):
    run = tmp_path / "run"
    check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run), budget=Budget(states=80))
    levels = completed(run).levels
    level = len(levels) - 1 if which == "last" else len(levels) // 2
    name = damage(run, level)
    assert main(["check", str(run)]) == 2
    way_back = f"level {level - 1} is the last whole one: workbench check {run} --from-level {level - 1}"
    assert f"is damaged: {name} is not what was written; {way_back}\n" in capsys.readouterr().err
    assert completed(run).levels == levels  # all is as it was
    assert summary(resume(run, spark=spark, from_level=level - 1)) == local(RACE)
    assert not (run / name).exists()


def test_without_what_was_searched_in_process_no_level_is_whole(spark, tmp_path):
    run = tmp_path / "run"
    engine = Auto(session=spark, hand_over_states=100, run_dir=run)
    check(RACE, safety_of(RACE), engine=engine, budget=Budget(states=150))
    spoiled = run / completed(run).prefix.visited[0]
    spoiled.write_bytes(spoiled.read_bytes()[:-1])
    with pytest.raises(InputError, match=f"{spoiled.name} is not what was written; no level is whole: search again"):
        resume(run, spark=spark)
    with pytest.raises(InputError, match="from_level = 0 is not accepted; no level is whole"):
        resume(run, spark=spark, from_level=0)


def test_after_a_handover_one_goes_back_as_well(spark, tmp_path):
    run = tmp_path / "run"
    engine = Auto(session=spark, hand_over_states=100, run_dir=run)
    check(RACE, safety_of(RACE), engine=engine, budget=Budget(states=150))
    damage(run, len(completed(run).levels) - 1)
    assert summary(resume(run, spark=spark, from_level=0)) == local(RACE)


@pytest.mark.parametrize("small_disk", ["200k"], indirect=True)
def test_a_full_disk_is_said(spark, either_way, small_disk):
    """What was complete before the disk was full stays so, and when there is room the search goes on."""
    run = small_disk.folder / "run"
    with pytest.raises(InputError, match=r"cannot be written .*No space left on device.*make room and resume"):
        check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run))
    assert len(completed(run).levels) > 3
    small_disk.make_room()
    assert summary(resume(run, spark=spark)) == local(RACE)


def test_a_run_directory_that_is_none(spark, tmp_path):
    with pytest.raises(InputError, match=r"'.*none' is not a run directory: it has no manifest"):
        resume(tmp_path / "none", spark=spark)
    with pytest.raises(InputError, match="is not a run directory"):
        resume(tmp_path, BakeryV2, spark=spark)
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(InputError, match=r"holds 'mine\.txt', which no run directory has"):
        check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_one_search_at_a_time_writes_to_a_run_directory(spark, tmp_path):
    """Others read what is complete; the one that writes goes on."""
    run = tmp_path / "run"
    said = []

    def disturb(at):
        if at.level == 3 and not said:
            for attempt in (
                lambda: resume(run, spark=spark),
                lambda: check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run)),
            ):
                with pytest.raises(InputError) as error:
                    attempt()
                said.append(str(error.value))

    assert summary(
        check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run), watch=Watch(on_progress=disturb))
    ) == local(RACE)
    assert len(said) == 2
    assert all(f"is in use: process {os.getpid()} on " in line for line in said)
    with pytest.raises(InputError, match="already exists"):
        check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run))


def test_traces_are_checked_against_the_files(spark, tmp_path):
    """A link that was changed leads to an error, not to a wrong trace."""
    run = tmp_path / "run"
    check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run))
    search = read_run(run, BakeryV2, spark)
    links = Links(search.directory, search.task, search.manifest)
    place = search.manifest.decided["NoLakekeeperConflict"]
    assert len(links.trace_to(place)) == place[0] + 1
    shutil.rmtree(run / "level-00003")
    with pytest.raises(InputError, match=r"is damaged: level-00003/.* is missing"):
        Links(read_run(run, BakeryV2, spark).directory, search.task, search.manifest).trace_to(place)


def test_a_run_as_a_dataset(spark, tmp_path):
    """The same tables as a space in memory gives, up to the states' ids; of few variables, each of which takes jobs."""
    model = RowIds()
    check(model, engine=Spark(session=spark, run_dir=tmp_path / "run"))
    saved = load(save_run(tmp_path / "run", tmp_path / "data", spark=spark), spark)
    save(explore(model), tmp_path / "here")
    for query in (
        "SELECT level, count(*), count(DISTINCT id) FROM states GROUP BY level ORDER BY level",
        "SELECT action, parameters, process, count(*) FROM transitions GROUP BY ALL ORDER BY 1, string(parameters)",
        "SELECT phase['w1'], versions, count(*) FROM states GROUP BY ALL ORDER BY 1, string(versions)",
        "SELECT count(*) FROM transitions t JOIN states a ON a.id = source JOIN states b ON b.id = target",
    ):
        assert saved.sql(query).collect() == load(tmp_path / "here", spark).sql(query).collect()

    def tuples(cube):
        columns = [[lens.values[n] for n in column] for lens, column in zip(cube.lenses, cube.columns, strict=True)]
        return set(zip(cube.levels.tolist(), *columns, cube.counts.tolist(), strict=True))

    here = load(tmp_path / "here", spark)
    whole = cube_of_table(here.states, here.run["columns"], here.run["indexed"], None, set())
    cube = saved.cube()
    assert cube.fault is None, "a run has no distances"
    assert [lens.name for lens in cube.lenses] == [lens.name for lens in whole.lenses]
    assert int(cube.counts.sum()) == saved.run["distinct"]
    assert tuples(cube) == tuples(whole)


def test_saving_a_run_leaves_the_level_in_flight_alone(spark, tmp_path):
    run = tmp_path / "run"
    check(RACE, safety_of(RACE), engine=Spark(session=spark, run_dir=run), budget=Budget(states=80))
    in_flight, _ = Folder.open(run, RUN).write("level-00009/bucket-00000.parquet", lambda out: out.write(b"half"))
    (run / "mine.txt").write_text("keep")
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in run.rglob("*")}
    saved = load(save_run(run, tmp_path / "data", spark=spark), spark)
    undecided = dict.fromkeys(safety_of(RACE))
    assert {verdict["name"]: verdict["holds"] for verdict in saved.run["properties"]} == undecided
    assert (saved.run["complete"], saved.run["stopped"]) == (False, "it has not ended yet")
    last = "SELECT count(*) FROM transitions JOIN states ON id = source WHERE level = (SELECT max(level) FROM states)"
    assert saved.sql(last).first()[0] == 0, "no step of the last level was taken"
    assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in run.rglob("*")} == before
    resume(run, spark=spark)
    assert not (run / in_flight).exists()
    assert (run / "mine.txt").read_text() == "keep"


def test_a_run_that_began_in_process_has_not_all_states(spark, tmp_path):
    check(RACE, safety_of(RACE), engine=Auto(session=spark, hand_over_states=100, run_dir=tmp_path / "run"))
    with pytest.raises(InputError, match="began in process"):
        save_run(tmp_path / "run", tmp_path / "data", spark=spark)
