"""Notebooks that were handed in: their answers are run and marked, whatever else their cells do."""

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.command import Run
from tests.lab import until
from tests.places import ROOT
from workbench.showing.lessons import grading

IMPORTED = "from workbench.showing.lessons import exercise"
RIGHT = 'exercise("one_group").check({"FileGroupCount": 1})'
WRONG = 'exercise("one_group").check({"FileGroupCount": 2})'


def hand_in(path: Path, *cells: str) -> None:
    import nbformat  # takes seconds to load

    path.parent.mkdir(exist_ok=True, parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), path)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_every_answer_has_a_mark(run: Run, here: Path) -> None:
    """The last of several counts, and so does one whose cell fails; a lesson's exercises cannot be left out."""
    hand_in(
        here / "in" / "anna" / "06_your_own_model.ipynb",
        IMPORTED,
        WRONG,
        RIGHT,
        "not Python (",
        'answer = {}\n1 / 0\nexercise("nobody_is_at_fault").check(answer)',
        'exercise("no_such").check(1)',
        'exercise("one_step").check(...)',
    )
    hand_in(here / "in" / ".ipynb_checkpoints" / "a.ipynb", "while True: pass")
    (here / "in" / "=1.ipynb").write_text("no JSON")
    done = run("grade", "in", "-o", "marks.csv", "-o", "marks.json")
    assert done.status == 2
    assert done.out.splitlines() == [
        "in/=1.ipynb: 1 refused",
        "in/anna/06_your_own_model.ipynb: 3 unanswered, 1 right, 2 failed",
    ]
    assert done.err.splitlines() == [
        "workbench: in/=1.ipynb: it is no notebook: NotJSONError",
        "written to marks.csv",
        "written to marks.json",
    ]
    rows = list(csv.DictReader((here / "marks.csv").open()))
    assert [(row["exercise"], row["mark"]) for row in rows] == [
        ("", "refused"),
        ("told_twice", "unanswered"),
        ("written_once", "unanswered"),
        ("one_group", "right"),
        ("nobody_is_at_fault", "failed"),
        ("no_such", "failed"),
        ("one_step", "unanswered"),
    ]
    assert rows[4]["said"] == "ZeroDivisionError: division by zero"
    assert json.loads((here / "marks.json").read_text()) == rows


@pytest.mark.slow
def test_a_notebook_without_an_end_is_late(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: 29.0 * (here / "answered").exists())  # a second is left then
    monkeypatch.setattr(grading, "time", clock)
    hand_in(here / "a.ipynb", IMPORTED, RIGHT, "open('answered', 'w').close()", "import time; time.sleep(1e6)", WRONG)
    done = run("grade", "a.ipynb", "--max-seconds", "30", "--json")
    assert done.status == 3
    (mark,) = json.loads(done.out)
    assert mark == {
        "notebook": "a.ipynb",
        "exercise": "one_group",
        "mark": "late",
        "said": "the notebook takes longer than 30 s",
    }


@pytest.mark.slow
def test_an_interrupt_leaves_the_marks_of_the_notebooks_before(here: Path) -> None:
    hand_in(here / "a.ipynb", IMPORTED, RIGHT)
    hand_in(here / "b.ipynb", IMPORTED, RIGHT, "while True: open('running', 'w').close()")
    hand_in(here / "c.ipynb", IMPORTED, RIGHT)
    command = [sys.executable, "-m", "workbench", "grade", "a.ipynb", "b.ipynb", "c.ipynb", "-o", "marks.csv"]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL) as grading:
        until((here / "running").exists, "the second notebook runs")
        grading.send_signal(signal.SIGINT)
        assert grading.wait() == 3
    rows = csv.DictReader((here / "marks.csv").open())
    assert [(row["notebook"], row["mark"], row["said"]) for row in rows] == [
        ("a.ipynb", "right", "It holds in all 1,389 states, without any check."),
        ("b.ipynb", "late", "interrupted"),
        ("c.ipynb", "late", "interrupted"),
    ]


@pytest.mark.slow
def test_a_notebook_that_is_too_large_is_refused_as_such(run: Run, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.showing.lessons.grading._MOST_BYTES", 10)
    hand_in(here / "a.ipynb")
    done = run("grade", "a.ipynb")
    assert (done.status, done.err) == (2, "workbench: a.ipynb: it has more than 10 bytes\n")


def test_what_is_not_there_is_one_line(run: Run, here: Path) -> None:
    assert run("grade", "nowhere") == (2, "", "workbench: 'nowhere' is not there; give a notebook or a folder\n")
    (here / "empty").mkdir()
    assert run("grade", "empty") == (2, "", "workbench: there is no notebook in 'empty'\n")
