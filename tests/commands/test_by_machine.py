"""A machine written by hand, by no language, goes through every command that takes a model."""

import json
import shutil
from pathlib import Path

import pytest

from tests import relay
from tests.relay import RING, Relay, Turn
from workbench.checking.check import check
from workbench.commands import NAMES
from workbench.commands.cli import main
from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.steps import Fairness, Outcome

CONFIGURATION = """
title = "Two runners"
model = "relay.py"
properties = ["OneRuns"]
[expect]
distinct = 24
[expect.verdicts]
OneRuns = { violated = 3 }
"""
STORY = "start(r1)\npass_on(r1)\nstart(r2)\n"
CFG = "CONSTANT Early = FALSE\nINVARIANT OneRuns\nCONSTRAINT Short\nCHECK_DEADLOCK FALSE\n"

#: A command, its exit status, and what it prints.
COMMANDS = [
    ("list relay.py", 0, "strongly fair in some steps  Pass the baton on.\nring        clock, weakly fair  "),
    ("list two.toml", 0, "relay  with its default constants"),
    ("check relay.py", 1, "24 distinct states, 61 generated (16 outside the constraint Short)"),
    ("check relay.py --deadlock --profile", 1, "24 distinct states"),
    ("check relay.py --engine reference", 1, "24 distinct states"),
    ("check relay.py --set Early=false --trace", 3, "8 distinct states"),
    ("check relay.py --cfg two.cfg", 0, "holds within the constraint OneRuns"),
    ("check relay.py --property OneRuns -o a.html -o a.svg -o a.tlc.json -o a.md -o a.xml -o a.json", 1, "written to"),
    ("check relay.py --annotations", 1, "::error file="),
    ("check two.toml", 0, "1 of 1 configuration is as expected"),
    ("check two.toml --accept", 0, "1 as before"),
    ("walk relay.py --walks 20 --seed 1 -o w.html", 1, "the trace of OneRuns, 3 states, is written to w.html"),
    ("sweep relay.py --grid Early=true,false --property OneRuns -o s.csv", 1, "OneRuns holds where not Early"),
    ("scenario relay.py story.txt -o s.html", 0, "found: 4 states"),
    ("validate relay.py trace.itf.json", 0, "a behaviour of the model: 3 states"),
    ("export relay.py -o e.dot", 0, "24 states and 44 steps written to e.dot"),
    ("export relay.py -o e.graphml", 0, "24 states and 44 steps"),
    ("export relay.py -o e.csv", 0, "24 states and 44 steps"),
    ("export relay.py -o e", 0, "24 states and 44 steps"),
]
#: Those that take no model: a table, a system, a name for a new one, folders.
WITHOUT_A_MODEL = {"audit", "drive", "new", "notebooks", "grade", "translate"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the machine's file, and what its commands read."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(relay.__file__, tmp_path / "relay.py")
    for name, text in (("two.toml", CONFIGURATION), ("story.txt", STORY), ("two.cfg", CFG)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_every_command_is_here() -> None:
    assert {line.split()[0] for line, _, _ in COMMANDS} == set(NAMES) - WITHOUT_A_MODEL


@pytest.mark.slow
@pytest.mark.parametrize(("line", "status", "said"), COMMANDS, ids=[line for line, _, _ in COMMANDS])
def test_a_command_takes_it(here: Path, line: str, status: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    if "trace.itf.json" in line:
        assert main(["check", "relay.py", "--property", "OneRuns", "-o", "trace.itf.json"]) == 1
        capsys.readouterr()
    assert main(line.split()) == status
    printed = capsys.readouterr()
    assert said in printed.out + printed.err
    for name in line.split(" -o ")[1:]:
        assert (here / name).stat().st_size


@pytest.mark.spark
def test_it_is_searched_on_spark(here: Path, spark: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "relay.py", "--engine", "spark", "--run-dir", "run", "--max-states", "9", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["distinct"] == 9
    assert main(["check", "run", "--model", "relay.py", "--from-level", "1"]) == 1
    assert "24 distinct states, 61 generated" in capsys.readouterr().out


class Silent(Turn):
    """A step that changes nothing, where the clock would ring."""

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        return ([Outcome((), {})], []) if self.action is RING else super().run(before)


class Broken(Relay):
    """Its clock never rings."""

    def __init__(self, /, **constants: object) -> None:
        super().__init__(**constants)
        self.constraints = {}
        self.instances = [Silent(self, 0, RING, 0)]

    @property
    def fairness(self) -> list[Fairness]:
        return []


def test_an_action_that_changes_nothing_is_remarked() -> None:
    result = check(Broken(), ["OneRuns"])
    assert any(note.startswith("action ring never changes anything") for note in result.notes)
