"""Machines of modules come in by every door, as models do."""

import pickle

import pytest

from tests.command import python
from tests.tlaplus.test_tla_machine import HEAD, LOCK, TURNS
from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.checking.contract import Local, Spark
from workbench.checking.runs import resume
from workbench.checking.spaces.dataset import load
from workbench.showing.panel import Workbench
from workbench.tlaplus import sampling
from workbench.tlaplus.specification import open_module


@pytest.fixture(params=[0, 4], ids=["one cell each", "spread"])
def lock(tmp_path, monkeypatch, request):
    """A file of Python that opens a module, as commands name it."""
    monkeypatch.setattr(sampling, "MOST_STATES", request.param)
    (tmp_path / "M.tla").write_text(module_of(LOCK))
    (tmp_path / "Turns.tla").write_text(TURNS)
    cfg = f"{HEAD} SPECIFICATION Fair INVARIANTS Exclusive Small PROPERTY Served SYMMETRY Symmetric"
    (tmp_path / "M.cfg").write_text(cfg)
    opened = (
        f"from workbench.tlaplus.specification import open_module\nLock = open_module({str(tmp_path / 'M.tla')!r})\n"
    )
    (tmp_path / "lock.py").write_text(opened)
    return f"{tmp_path / 'lock.py'}:Lock"


@pytest.mark.parametrize("engine", ["auto", "local", "reference"])
def test_it_is_checked(run, lock, engine):
    answer = run("check", lock, "--set", "Procs={p1, p2}", "--engine", engine)
    assert answer.status == 1
    assert "holds" in answer.out
    assert "--property Small" in answer.out


def test_its_settings_are_compared(run, lock):
    assert "2 settings" in run("sweep", lock, "--grid", "Limit=1,2").out


def test_its_traces_are_read_back(run, lock, tmp_path):
    file = tmp_path / "small.itf.json"
    run("check", lock, "--property", "Small", "-o", file)
    assert "a behaviour of the model: 7 states" in run("validate", lock, file).out


@pytest.mark.parametrize("command", [("walk",), ("list",), ("export", "-o", "lock.dot"), ("check", "-o", "lock.html")])
def test_it_is_walked_listed_exported_and_shown(run, lock, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, *more = command
    answer = run(first, lock, *more)
    assert "unexpected" not in answer.err
    assert answer.status in (0, 1)


def test_it_follows_a_scenario(run, lock, tmp_path):
    (story := tmp_path / "story.txt").write_text("Ask(p2)\nEnter(p2)\n")
    assert "found" in run("scenario", lock, story).out


def test_a_panel_opens_on_it(lock, tmp_path):
    panel = Workbench(open_module(tmp_path / "M.tla"))
    assert panel.session.settle(300)
    assert (panel.result["Exclusive"].holds, panel.result["Small"].holds) == (True, False)
    panel.close()


def test_it_is_the_same_in_another_process(lock, tmp_path):
    machine = open_module(tmp_path / "M.tla")(Limit=2)
    (tmp_path / "M.tla").unlink()  # it is rebuilt from its texts
    script = f"""
import pickle
from workbench import check
machine = pickle.loads({pickle.dumps(machine)!r})
print(machine.layout.cells, check(machine).distinct)
"""
    printed = {python(script, check=True, PYTHONHASHSEED=seed).stdout for seed in ("1", "2")}
    assert printed == {f"{machine.layout.cells} {check(machine).distinct}\n"}
    assert type(pickle.loads(pickle.dumps(machine))) is type(machine)


@pytest.mark.spark
def test_it_is_searched_on_spark(spark, lock, tmp_path):
    model = open_module(tmp_path / "M.tla")
    asked = ["Exclusive", "Small", "Served"]
    run = tmp_path / "run"
    local, there = (check(model(), asked, engine=engine) for engine in (Local(), Spark(spark, run)))
    assert (there.distinct, there.depth, there.generated) == (local.distinct, local.depth, local.generated)
    for name in asked:
        assert there[name].word == local[name].word
    assert len(there["Small"].trace) == len(local["Small"].trace)
    assert resume(run, model, spark=spark).distinct == local.distinct


@pytest.mark.spark
def test_its_settings_are_compared_on_spark(spark, run, lock):
    assert "2 settings" in run("sweep", lock, "--grid", "Limit=1,2", "--spark").out


@pytest.mark.spark
def test_its_space_is_stored(spark, run, lock, tmp_path):
    assert run("export", lock, "-o", tmp_path / "space").status == 0
    states = check(open_module(tmp_path / "M.tla"), [], symmetry=False).distinct
    assert f"{states} states" in repr(load(tmp_path / "space", spark))
