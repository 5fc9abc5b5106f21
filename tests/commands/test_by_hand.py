"""A machine that no modelling language has made comes in by every door: by its class in a file, as models do."""

import pytest

from tests.places import ROOT
from workbench.showing.panel import Workbench

RING = f"{ROOT / 'tests' / 'ring.py'}:Ring"


@pytest.fixture
def trace(run, tmp_path):
    """The file of a violation's trace."""
    file = tmp_path / "two_ask.itf.json"
    assert run("check", RING, "--property", "OneAsks", "-o", file).status == 1
    return file


@pytest.mark.parametrize("engine", ["auto", "local", "reference"])
def test_it_is_checked(run, engine):
    answer = run("check", RING, "--set", "Members=2", "--engine", engine)
    assert answer.status == 1
    assert "8 distinct states" in answer.out
    assert f"check {RING} --set Members=2 --property OneAsks" in answer.out


def test_its_settings_are_compared(run):
    answer = run("sweep", RING, "--grid", "Members=2,3")
    assert "2 settings: everything holds in 0, something is violated in 2" in answer.out


def test_its_traces_are_read_back(run, trace):
    assert "a behaviour of the model: 3 states" in run("validate", RING, trace).out


@pytest.mark.parametrize("command", [("walk",), ("list",), ("export", "-o", "ring.dot"), ("check", "-o", "ring.html")])
def test_it_is_walked_listed_exported_and_shown(run, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, *more = command
    answer = run(first, RING, *more)
    assert "unexpected" not in answer.err
    assert answer.status in (0, 1)


def test_it_follows_a_scenario(run, tmp_path):
    (story := tmp_path / "story.txt").write_text("ask(p2)\ns.asks['p1']\n")
    assert "found" in run("scenario", RING, story).out


def test_what_it_does_not_have_is_named(run):
    assert "unknown constant of ring 'Writers'" in run("check", RING, "--set", "Writers=2").err
    assert "unknown property of ring 'Safe'" in run("check", RING, "--property", "Safe").err


def test_a_panel_opens_on_it():
    panel = Workbench(RING, Members=2)
    assert panel.session.settle(300)
    assert (panel.result["OneAsks"].holds, panel.result["IsServed"].holds) == (False, True)
    panel.close()
