"""Steps that a person chooses in the terminal."""

import io

import pytest

from workbench import check
from workbench.formats.permalink import open_permalink
from workbench.kernel.meaning.trace import options
from workbench.pluscal.module import find
from workbench.registry import get_model
from workbench.registry.configurations import configuration, shipped


@pytest.fixture
def walk(run, monkeypatch):
    def walk(*answers, options=()):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{answer}\n" for answer in answers)))
        return run("walk", "delta/overwritten", "--by-hand", *options)

    return walk


@pytest.fixture(scope="module")
def shortest():
    """A shortest violation, and its steps as they are numbered in each state."""
    result = check(configuration(shipped()["delta/overwritten"]).model)
    trace = min((verdict.trace for verdict in result.violated), key=len)
    numbers = []
    for before, step in zip(trace.states[:-1], trace.steps[1:], strict=True):
        moves = [one.move for each in options(trace.model, before) for one in each.steps]
        numbers.append(moves.index(step.move) + 1)
    return trace, numbers


@pytest.mark.slow
def test_what_breaks_is_said_beside_how_soon_it_can(walk, shortest, tmp_path):
    trace, numbers = shortest
    detour = [1, "-", 999, "?", "nonsense"]
    done = walk(*detour, *numbers, options=("-o", tmp_path / "walk.html"))
    assert done.status == 1
    steps = len(trace) - 1
    assert f"You broke ConsistentRead in {steps} steps; the shortest takes {steps}.\n" in done.out
    assert "'999' is not accepted; it takes 1 to " in done.out
    assert "w1 is not at Commit" in done.out
    assert open_permalink(done.out.splitlines()[-1], get_model).states == trace.states
    assert "data-pictures" in (tmp_path / "walk.html").read_text()


@pytest.mark.slow
def test_how_soon_it_can_break_is_said_once(walk, shortest):
    _, numbers = shortest
    told = walk(*numbers, "-", *numbers[-1:]).out
    assert told.count("You broke ConsistentRead") == 1
    assert told.count("ConsistentRead(") == 2


def test_nothing_broken_holds_and_other_options_are_refused(walk):
    assert walk(1).status == 0
    assert walk().status == 0
    done = walk(options=("--walks", 3))
    assert (done.status, "--walks is not accepted with --by-hand" in done.err) == (2, True)


def test_a_stale_translation_is_no_ground_for_a_yes(run, monkeypatch, tmp_path):
    """The exit status is that of an unknown where nothing breaks."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    text = "---- MODULE M ----\n(* --algorithm A { variable n = 0; { a: n := 1 } } *)\n====\n"
    (tmp_path / "M.tla").write_text(find(text, "M").translate().module.replace("n := 1", "n := 2"))
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec")
    done = run("walk", tmp_path / "M.tla", "--by-hand")
    assert (done.status, done.out.startswith("STALE: what is checked is not")) == (3, True)
