"""Machines of modules come in by every door, as models do."""

import pickle

import pytest

from tests.tlaplus.test_tla_machine import HEAD, LOCK, TURNS
from tests.tlaplus.trees import module_of
from workbench import tla
from workbench.kernel import InputError
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


def test_it_is_a_model_with_constants_by_the_name_of_its_file(lock, tmp_path):
    made = tla(f"{tmp_path / 'M.tla'}:M.cfg", Limit=2)
    assert type(made) is open_module(tmp_path / "M.tla")
    assert made.constants["Limit"] == 2
    with pytest.raises(InputError, match="unknown constant of M 'Limits'"):
        tla(str(tmp_path / "M.tla"), Limits=2)


@pytest.mark.parametrize("name", ["bakery", "M.py:Lock", "M.cfg", 3])
def test_what_is_no_file_of_a_module_is_refused(name):
    with pytest.raises(InputError, match=r"^module .* is not accepted; it takes the name of a file such as 'Hudi.tla'$"):
        tla(name)


def test_it_does_not_go_to_spark(lock, tmp_path):
    with pytest.raises(InputError, match="does not go to Spark yet"):
        pickle.dumps(open_module(tmp_path / "M.tla")())
