"""Sweeps: what a check finds, many at a time; what is kept, what is computed again, and what an error does."""

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.places import ROOT
from workbench.checking.check import check
from workbench.checking.questions import processes
from workbench.checking.questions.constant_grid import fill
from workbench.checking.questions.settings import plans_of
from workbench.checking.questions.sweep import sweep
from workbench.commands.cli import main
from workbench.commands.sweep import parse_grid
from workbench.kernel import Constant, InputError, Model, Variable, action, invariant, reachable, require
from workbench.kernel.meaning.budget import Budget, Watch
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.hudi.extended import HudiExtended
from workbench.registry import configurations, get_model
from workbench.storage.sealed import read_sealed

FAULTS = ("none", "raises", "memory", "dies")


class Counter(Model):
    """Counts to its size; it may have a fault. A worker cannot import this module."""

    Size = Constant(2, range(1, 100), "how far it counts")
    Bound = Constant(50, range(100), "what it should not reach")
    Fault = Constant("none", ("none", "refuses", "raises", "memory", "dies"), "what happens, at 1 or before it starts")

    n = Variable(0)

    def validate(self):
        if self.Fault == "refuses":
            raise InputError("Fault = 'refuses' is not accepted")
        if self.Fault == "memory":
            raise MemoryError

    @action
    def count(self, s):
        require(s.n < self.Size, "at its end")
        if s.n == 1 and self.Fault == "raises":
            raise ValueError("on purpose")
        if s.n == 1 and self.Fault == "dies":
            os._exit(1)
        s.n += 1

    @invariant
    def BelowBound(self, s):
        return s.n < self.Bound


@pytest.fixture(params=["here", "in processes", pytest.param("on Spark", marks=pytest.mark.spark)])
def where(request, monkeypatch):
    """Options with which a sweep checks in this process, in others, or on Spark."""
    monkeypatch.setattr(processes, "PATIENCE", 1e9 if request.param == "here" else 0)
    return {"spark": request.getfixturevalue("spark")} if request.param == "on Spark" else {"workers": 2}


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """The records in a folder, each with what changes when it is written again."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in records(folder)}


def records(folder: Path) -> list[Path]:
    return sorted(folder.glob("[!.]*.json"))


def content(path: Path) -> dict[str, Any]:
    """What a sweep keeps of a setting."""
    return read_sealed(path, "sweep record")


def verdicts(table):
    return table["BelowBound"].tolist()


# What a sweep finds --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_finds_what_single_checks_find(where):
    grid = {"Writers": [2, 3], "MaxCrashes": [0, 1]}
    table = sweep(Bakery, grid, symmetry=True, constants={"LazyReap": False}, **where)
    assert table[["Writers", "MaxCrashes"]].to_numpy().tolist() == [[2, 0], [2, 1], [3, 0], [3, 1]]
    for row in table.astype(object).where(table.notna(), None).to_dict("records"):
        result = check(Bakery(Writers=row["Writers"], MaxCrashes=row["MaxCrashes"], LazyReap=False), symmetry=True)
        assert (row["distinct"], row["depth"]) == (result.distinct, result.depth)
        assert (row["complete"], row["stopped"], row["error"]) == (True, None, None)
        for verdict in result.verdicts:
            assert (row[verdict.name], row[f"{verdict.name}_states"]) == (verdict.word, verdict.trace_states)


@pytest.mark.parametrize("given", [["TRUE", "off"], [True, False]])
def test_a_switch_in_a_table_is_true_or_false_however_it_was_given(given):
    filled = fill(Bakery, {"LazyReap": given}, ["UniqueTickets"], constants={"Writers": 2, "MaxCrashes": 0})
    assert [row["LazyReap"] for row in filled.outcomes.rows] == [True, False]
    assert [cell.name for cell in filled.cells] == ["LazyReap=true", "LazyReap=false"]


def test_what_was_decided_about_the_checks_is_told():
    table = sweep(Bakery, {"Writers": [2]}, ["UniqueTickets", "EventualProgress"], symmetry=True)
    [note] = table.attrs["notes"]
    assert "without symmetry" in note
    assert note.endswith(": EventualProgress; to use it, name other properties")
    assert table.attrs["symmetry"] == []
    assert table.attrs["properties"] == ["UniqueTickets", "EventualProgress"]


class Optional(Counter):
    """Has a property that applies with some constants only."""

    @invariant(when="Strict")
    def Strictly(self, s):
        return s.n <= 1

    Strict = Constant(False, (False, True), "whether it counts to one only")


def test_what_steps_decide_may_be_asked_for_in_every_setting():
    settings = [{"MonotonicTs": True}, {"MonotonicTs": False}]
    names = ("PublishedSlicesStay", "Deadlock")
    assert [plan.names for plan in plans_of(HudiExtended, settings, names, False)] == [names] * 2
    assert [plan.names for plan in plans_of(BakeryExtended, [{}], ["Deadlock"], False)] == [("Deadlock",)]
    with pytest.raises(InputError, match="unknown property of hudi 'Deadlocks'"):
        plans_of(HudiExtended, settings, ["Deadlocks"], False)


def test_deadlock_is_judged_or_left_out_in_every_setting():
    """Whatever else is checked there by default; also where a setting has no model."""
    grid = {"Strict": [False, True], "Size": [1]}
    assert sweep(Optional, grid).attrs["properties"] == ["BelowBound", "Strictly"]
    table = sweep(Optional, grid, deadlock=True)
    assert table.attrs["properties"] == ["BelowBound", "Strictly", "Deadlock"]
    assert table["Deadlock"].tolist() == ["violated"] * 2
    chosen = ["Deadlock", "BelowBound"]
    assert sweep(Optional, grid, chosen).attrs["properties"] == chosen
    assert sweep(Optional, grid, chosen, deadlock=False).attrs["properties"] == ["BelowBound"]
    refused = [{"Strict": True}, {"Strict": 7}]
    assert [plan.names for plan in plans_of(Optional, refused, chosen, False, deadlock=False)] == [("BelowBound",)] * 2


def test_a_property_is_checked_where_it_applies(capsys):
    for properties in (None, ["BelowBound", "Strictly"]):
        table = sweep(Optional, {"Strict": [False, True], "Size": [1, 2]}, properties)
        assert table.attrs["properties"] == ["BelowBound", "Strictly"]
        assert table["Strictly"].tolist() == [None, None, "holds", "violated"]
        assert table["Strictly_states"].isna().tolist() == [True, True, True, False]
        assert table["error"].tolist() == [None] * 4
    assert "Strictly" not in sweep(Optional, {"Size": [1]}).columns


class Measured(Model):
    """Its constant is called as a column of the table is."""

    depth = Constant(1, range(1, 10), "how far it counts")

    n = Variable(0)

    @action
    def count(self, s):
        require(s.n < self.depth)
        s.n += 1

    @invariant
    def BelowThree(self, s):
        return s.n < 3

    @reachable
    def Three(self, s):
        return s.n == 3

    @invariant
    def BelowTen(self, s):
        return s.n < 10


def test_below_the_table_stand_the_rules_of_where_a_property_holds() -> None:
    filled = fill(Measured, {"depth": [1, 2, 3, 4]}, workers=1)
    assert str(filled.explain("BelowThree").rule) == "depth_ < 3"
    assert [line for line in filled.text().splitlines() if " where " in line] == [
        "BelowThree holds where depth_ < 3",
        "Three is reached where depth_ > 2",
    ]
    partly = fill(Counter, {"Size": [3, 5], "Fault": ["none", "refuses"]}, constants={"Bound": 4}, workers=1)
    assert "\nBelowBound holds where Size == 3 (2 settings undecided)\n" in partly.text()


def test_settings_that_are_no_grid():
    table = sweep(Counter, [{"Size": 3}, {"Size": 5, "Bound": 4}, {"Bound": 2}])
    assert table[["Size", "Bound"]].to_numpy().tolist() == [[3, 50], [5, 4], [2, 2]]
    assert verdicts(table) == ["holds", "violated", "violated"]
    assert table["BelowBound_states"].tolist()[1:] == [5, 3]


@pytest.mark.slow
def test_the_grid_of_hudis_switches(tmp_path):
    """The command that docs/sweeps.md shows, against the published figures."""
    block = (ROOT / "docs" / "sweeps.md").read_text().split("```sh\n")[1].split("```")[0]
    words = shlex.split(block.replace("\\\n", " ").replace("data/hudi_grid", str(tmp_path / "grid")))
    assert words.pop(0) == "workbench"
    assert main(words) == 1
    kept = [content(path) for path in records(tmp_path / "grid")]
    assert len(kept) == 48
    results = {
        json.dumps(HudiExtended(**made["identity"]["constants"]).constants, sort_keys=True): {
            "distinct": made["outcome"]["distinct"],
            "depth": made["outcome"]["depth"],
            "violated": {name: verdict["states"] for name, verdict in made["outcome"]["verdicts"].items()},
        }
        for made in kept
    }
    assert len(results) == 48
    published = [json.loads(line) for line in (ROOT / "data" / "hudi_figures.jsonl").read_text().splitlines()]
    compared = 0
    for line in published:
        constants = json.dumps(HudiExtended(**line["constants"]).constants, sort_keys=True)
        if constants in results:
            assert results[constants] == {name: line[name] for name in ("distinct", "depth", "violated")}
            compared += 1
    assert compared == 14


# Errors --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_property_has_verdicts_where_it_is_checked():
    grid = {"MaxRestarts": [0, 1], "MaxCrashes": [0, 1]}
    by_default = sweep(BakeryExtended, grid, constants={"Writers": 2})
    progress = ["EventualProgress", "NonCrashedProgress", "RestartedWriterCommits", "RestartsHeal"]
    assert by_default[progress].to_numpy().tolist() == [
        ["holds", None, None, None],
        [None, "holds", None, None],
        ["holds", None, None, "holds"],
        [None, "holds", "reached", "holds"],
    ]
    asked = sweep(BakeryExtended, grid, ["RestartsHeal", "EventualProgress"], constants={"Writers": 2})
    assert asked["RestartsHeal"].tolist() == [None, None, "holds", "holds"]
    assert asked["EventualProgress"].tolist() == ["holds", "violated", "holds", "violated"]
    assert by_default["complete"].all()


def test_the_command_says_where_a_property_is_not_checked(capsys):
    arguments = ["sweep", "bakery", "--set", "Writers=2", "--grid", "MaxRestarts=0,1", "--property", "RestartsHeal"]
    assert main(arguments) == 3
    out = capsys.readouterr().out
    assert re.search(r"^0 +- ", out, re.MULTILINE)
    assert "everything holds in 1, something is violated in 0; it is not known in 1" in out


@pytest.mark.slow
def test_an_error_is_a_row(where):
    text = Path(__file__).read_text()
    line = text[: text.index('raise ValueError("on purpose")')].count("\n") + 1
    table = sweep(Counter, {"Fault": ["none", "refuses", "raises", "memory"], "Size": [3]}, **where)
    assert verdicts(table) == ["holds", "error", "error", "error"]
    assert table["complete"].tolist() == [True, False, False, False]
    assert table["error"].tolist() == [
        None,
        "Fault = 'refuses' is not accepted",
        f"ModelError: action count (test_sweep.py:{line}) raised ValueError: on purpose",
        "MemoryError: ",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["in processes", pytest.param("on Spark", marks=pytest.mark.spark)], indirect=True)
def test_a_worker_that_dies_takes_no_other_setting_with_it(where):
    table = sweep(Counter, {"Fault": ["none", "dies", "none"], "Size": [1, 3]}, **where)
    assert verdicts(table) == ["holds", "holds", "holds", "error", "holds", "holds"]
    assert table["error"][3] == "the worker died 2 times; it may need more memory than there is"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"grid": {"Sizes": [1]}}, "unknown constant of counter 'Sizes' (did you mean Size?)"),
        ({"grid": {"Size": [1, 100]}}, "Size = 100 is not accepted; it takes an integer from 1 to 99"),
        ({"grid": {"Size": "12"}}, "grid: Size = '12' is not accepted; it takes a list of values"),
        ({"grid": {"Size": 3}}, "grid: Size = 3 is not accepted; it takes a list of values"),
        ({"grid": {"Size": []}}, "it takes at least one setting"),
        ({}, "grid () is not accepted; it takes at least one setting"),
        (
            {"grid": None},
            "grid None is not accepted; it takes lists of values by constant, such as {",
        ),
        ({"grid": [3]}, "grid [3] is not accepted; it takes lists of values by constant"),
        ({"grid": "Size"}, "grid 'Size' is not accepted; it takes lists of values by constant"),
        ({"grid": []}, "grid [] is not accepted; it takes at least one setting"),
        ({"grid": {"Size": [1]}, "constants": {"Size": 2}}, "constants: Size = 2 is not accepted; the grid sets it"),
        ({"grid": {"Size": [1]}, "constants": {"Bound": -1}}, "Bound = -1 is not accepted"),
        ({"grid": {"Size": [1]}, "properties": ["Below"]}, "unknown property of counter 'Below'"),
        ({"grid": {"Size": [1]}, "symmetry": True}, "counter declares no set of interchangeable names"),
        ({"grid": {"Size": [1]}, "budget": 0}, "budget = 0 is not accepted; it takes Budget(...)"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(arguments, said, tmp_path):
    with pytest.raises(InputError) as error:
        sweep(Counter, out=tmp_path, **arguments)
    assert said in str(error.value)
    assert not list(tmp_path.iterdir())


def test_a_name_is_taken_for_its_model() -> None:
    assert fill("bakery", {"Writers": [2]}, ["UniqueTickets"]).model is BakeryExtended
    with pytest.raises(InputError, match=r"unknown model 'bakry' .did you mean bakery"):
        sweep("bakry", {"Writers": [2]})
    with pytest.raises(InputError, match=r"grid .. is not accepted; it takes at least one setting"):
        sweep("bakery")


def test_a_model_with_constants_is_refused():
    with pytest.raises(InputError, match="it takes a class, such as Hudi, without constants"):
        sweep(Counter(), {"Size": [1]})


# What is kept --------------------------------------------------------------------------------------------------------


def test_what_is_there_is_not_computed_again(tmp_path):
    first = sweep(Counter, {"Size": [1, 2]}, out=tmp_path)
    kept = files(tmp_path)
    assert len(kept) == 2
    both = sweep(Counter, {"Size": [3, 2, 1]}, out=tmp_path)
    assert both["distinct"].tolist() == [4, 3, 2]
    assert both["seconds"].tolist()[:0:-1] == first["seconds"].tolist()
    assert kept.items() <= files(tmp_path).items()
    assert len(files(tmp_path)) == 3


def test_after_a_crash_only_what_is_missing_is_computed(tmp_path):
    sweep(Counter, {"Size": [1, 2, 3]}, out=tmp_path)
    kept = files(tmp_path)
    one, two, three = records(tmp_path)
    one.unlink()
    half_written = tmp_path / f".{one.name}.0123456789abcdef.partial"
    half_written.write_text("{")
    (tmp_path / ".mine").write_text("keep")
    assert sweep(Counter, {"Size": [1, 2, 3]}, out=tmp_path)["distinct"].tolist() == [2, 3, 4]
    after = files(tmp_path)
    assert {name for name in kept if kept[name] == after[name]} == {two.name, three.name}
    assert not half_written.exists()
    assert (tmp_path / ".mine").read_text() == "keep"


def test_a_result_that_is_damaged_or_of_another_setting_is_not_believed(tmp_path):
    sweep(Counter, {"Size": [1, 2]}, out=tmp_path)
    one, two = records(tmp_path)
    written, other = one.read_text(), two.read_text()
    for text, said in (
        (written.replace("holds", "violated"), "is damaged: it does not say what was written"),
        (written[:-10], "is not JSON"),
        (other, "is not of this check: 'Size' is [12] there, [12] here"),
    ):
        one.write_text(text)
        with pytest.raises(InputError, match=rf"^sweep record '{one}' {said}"):
            sweep(Counter, {"Size": [1, 2]}, out=tmp_path)
        assert one.read_text() == text


def test_a_result_is_replaced_when_the_new_one_is_there(tmp_path):
    """Until then it stays; `test_durability` kills sweeps on the way."""
    sweep(Counter, {"Size": [30]}, out=tmp_path, budget=Budget(states=10))
    before = files(tmp_path)

    def watch(done, of):
        assert files(tmp_path).keys() == before.keys()

    assert sweep(Counter, {"Size": [30]}, out=tmp_path, watch=Watch(on_progress=watch))["distinct"].tolist() == [31]
    assert files(tmp_path).keys() == before.keys()


@pytest.mark.parametrize(
    "other",
    [
        {"properties": []},
        {"constants": {"Bound": 40}},
        {"model": type("Counter", (Counter,), {"validate": lambda self: print(end="")})},
    ],
    ids=lambda other: next(iter(other)),
)
def test_another_question_is_another_result(tmp_path, other):
    asked = {"model": Counter, "grid": {"Size": [1]}, "out": tmp_path}
    sweep(**asked)
    sweep(**{**asked, **other})
    assert len(files(tmp_path)) == 2


@pytest.mark.slow
def test_a_result_that_a_budget_cut_short_is_computed_again_under_another_one(tmp_path, where):
    def run(budget):
        table = sweep(Counter, {"Size": [2, 30]}, out=tmp_path, budget=Budget(states=budget), **where)
        return (
            table["distinct"].tolist(),
            table["complete"].tolist(),
            verdicts(table),
            table["stopped"][1],
            files(tmp_path),
        )

    *found, first = run(10)
    assert found == [[3, 10], [True, False], ["holds", "unknown"], "the budget of 10 states is used up"]
    *found, again = run(10)
    assert again == first
    *found, more = run(None)
    assert found == [[3, 31], [True, True], ["holds", "holds"], None]
    assert len(more.items() & first.items()) == 1


def test_an_error_is_tried_again_unless_the_model_is_to_blame(tmp_path):
    grid = {"Fault": ["refuses", "raises", "memory"]}
    sweep(Counter, grid, out=tmp_path)
    first = files(tmp_path)
    sweep(Counter, grid, out=tmp_path)
    assert len(first.items() & files(tmp_path).items()) == 2


# While it runs -------------------------------------------------------------------------------------------------------


def test_progress_ends_with_everything_done(tmp_path):
    sweep(Counter, {"Size": [1, 2]}, out=tmp_path)
    seen = []
    sweep(Counter, {"Size": [1, 2, 3, 4]}, out=tmp_path, watch=Watch(on_progress=lambda *at: seen.append(at)))
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {4}
    assert all(2 <= done <= 4 for done, _ in seen)
    assert seen[-1] == (4, 4)


SLOW = """
import os
import pathlib
import time
from workbench.kernel import Constant, Model, Variable, action, require

class Slow(Model):
    Seconds = Constant(0, range(1000), "how long a step takes")
    n = Variable(0)

    @action
    def step(self, s):
        require(s.n == 0, "done")
        if self.Seconds and "SAYS_WHO_IN" in os.environ:
            pathlib.Path(os.environ["SAYS_WHO_IN"], str(os.getpid())).touch()
        time.sleep(self.Seconds)
        s.n = 1
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", ["0,900", "0,900,901"])
def test_an_interrupt_keeps_what_has_finished(tmp_path, seconds):
    """A single setting stays in the command's process; two go to others, none of which is left."""
    (tmp_path / "slow.py").write_text(SLOW)
    out, processes = tmp_path / "out", tmp_path / "processes"
    processes.mkdir()
    command = ["sweep", f"{tmp_path}/slow.py:Slow", "--grid", f"Seconds={seconds}", "-o", str(out), "--workers", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "workbench", *command],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "SAYS_WHO_IN": str(processes)},
    )

    def checking() -> int:
        """How many processes besides, or else this one, are at a long setting."""
        found = os.listdir(processes)
        return len(found) if seconds == "0,900" else len({*found} - {str(running.pid)})

    while running.poll() is None and not (records(out) and checking() >= seconds.count(",")):
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate()
    assert running.returncode == 3
    for interrupted in seconds.split(",")[1:]:
        assert f"Seconds={interrupted}: incomplete: interrupted" in printed
        assert not re.search(rf"^{interrupted} .*error", printed, re.MULTILINE)
    [kept] = records(out)
    assert content(kept)["outcome"]["complete"] is True
    for pid in os.listdir(processes):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


@pytest.mark.slow
def test_a_signal_at_any_moment_leaves_a_sweep_awake(tmp_path):
    """Its handler returns when the sweep's wait of a moment is over."""
    (tmp_path / "slow.py").write_text(SLOW)
    model, began = get_model(f"{tmp_path}/slow.py:Slow"), threading.Event()

    def handler(*_: object) -> None:
        began.set()
        time.sleep(4 * processes._POLL_SECONDS)

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        filled = fill(model, {"Seconds": [20]}, workers=1, watch=Watch(should_stop=began.is_set))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert filled.stopped
    assert filled.cells[0].outcome.why == "incomplete: interrupted"


class Endless(Model):
    """Counts for ever, and says when it is beyond what its invariant allows."""

    folder = "."  # where it says so
    Start = Constant(0, range(9), "where it begins")
    n = Variable(lambda model: model.Start)

    @action
    def step(self, s):
        if s.n == 20:
            (Path(self.folder) / str(self.Start)).touch()
        s.n += 1

    @invariant
    def Low(self, s):
        return s.n < 10


@pytest.mark.slow
@pytest.mark.parametrize("where", ["here", "in processes"], indirect=True)
def test_a_stopped_check_says_what_it_has_found(where, tmp_path):
    """It is not kept, since another sweep with these budgets would find more."""
    told, out = tmp_path / "told", tmp_path / "out"
    told.mkdir()
    at_work = 1 if processes.PATIENCE else 2

    def seen():
        return len(os.listdir(told)) == at_work

    model = type("Endless", (Endless,), {"folder": str(told)})
    filled = fill(model, {"Start": [0, 1]}, out=out, watch=Watch(should_stop=seen), **where)
    assert filled.stopped
    assert records(out) == []
    assert [cell.outcome.error for cell in filled.cells] == [None, None]
    assert [cell.outcome.stopped for cell in filled.cells] == ["interrupted", "interrupted"]
    assert [row["Low"] for row in filled.outcomes.rows] == (
        ["violated", "unknown"] if at_work == 1 else ["violated"] * 2
    )
    for cell in filled.cells[at_work:]:
        assert (str(cell), cell.result) == (f"Start={cell.number}: incomplete: interrupted", None)
    for cell in filled.cells[:at_work]:
        assert str(cell) == f"Start={cell.number}: \N{BALLOT X} {11 - cell.number} Low, incomplete: interrupted"


class Queue(Model):
    """Each setting ends once the outcome of the one before it has been told."""

    folder = "."  # where it is told
    Number = Constant(0, range(9), "which one it is")
    n = Variable(0)

    @action
    def step(self, s):
        require(s.n == 0, "done")
        while self.Number and not os.path.exists(f"{self.folder}/{self.Number - 1}"):
            time.sleep(0.01)
        s.n = 1

    @invariant
    def Small(self, s):
        return s.n < 2


@pytest.mark.slow
def test_each_verdict_is_told_as_soon_as_it_is_there(where, tmp_path):
    def tell(cell):
        assert str(cell) == f"Number={cell.number}: \N{CHECK MARK} Small"
        (tmp_path / str(cell.number)).touch()

    model = type("Queue", (Queue,), {"folder": str(tmp_path)})
    filled = fill(model, {"Number": [0, 1, 2]}, on_cell=tell, **where)
    assert filled.holds


def test_the_command_shows_each_verdict_as_soon_as_it_is_there(capsys, monkeypatch):
    monkeypatch.setattr("workbench.commands.output.progress.SECONDS_PER_LINE", 0)
    assert main(["sweep", "bakery", "--grid", "Writers=1,2", "--property", "UniqueTickets", "--quiet"]) == 0
    mark = "\N{CHECK MARK} UniqueTickets"
    assert capsys.readouterr().err.splitlines() == [
        f"Writers=1: {mark}", "1 of 2 settings", f"Writers=2: {mark}", "2 of 2 settings",
    ]  # fmt: skip


@pytest.mark.spark
@pytest.mark.parametrize("first", ["here", "on Spark"])
def test_a_sweep_goes_on_elsewhere_and_comes_to_the_same_table(spark, tmp_path, first):
    """What one way has kept, the other one does not check again."""
    ways = {"here": {}, "on Spark": {"spark": spark}}
    second = next(way for way in ways if way != first)
    grid, fixed = {"Writers": [1, 2], "MaxCrashes": [0, 1]}, {"LazyReap": False}
    sweep(Bakery, {**grid, "Writers": [1]}, out=tmp_path, constants=fixed, **ways[first])
    kept = files(tmp_path)
    assert len(kept) == 2
    table = sweep(Bakery, grid, out=tmp_path, constants=fixed, **ways[second])
    assert kept.items() <= files(tmp_path).items()
    alone = sweep(Bakery, grid, constants=fixed, **ways[first])
    pd.testing.assert_frame_equal(table.drop(columns="seconds"), alone.drop(columns="seconds"))
    assert table.attrs == alone.attrs


@pytest.mark.spark
@pytest.mark.xdist_group("java")
def test_a_small_sweep_on_spark_waits_for_no_compiler(tmp_path):
    command = [sys.executable, "-m", "workbench", "sweep", "bakery", "--grid", "MaxCrashes=0,1", "--spark", "local[2]"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (ended.returncode, "compiling" in ended.stderr) == (0, False)


# Models from anywhere ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_of_the_main_module(tmp_path):
    """As in a notebook: the class is in no file that a worker could import."""
    script = (
        SLOW
        + "\nfrom workbench import sweep\nfrom workbench.checking.questions import processes\nprocesses.PATIENCE = 0\n"
    )
    script += "print(sweep(Slow, {'Seconds': [0, 1]}, workers=2)['distinct'].tolist())\n"
    ended = subprocess.run(
        [sys.executable, "-"], input=script, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "[2, 2]\n"


@pytest.mark.slow
def test_a_model_of_a_file(tmp_path, where):
    (tmp_path / "slow.py").write_text(SLOW)
    table = sweep(get_model(f"{tmp_path}/slow.py:Slow"), {"Seconds": [0, 1]}, **where)
    assert table["distinct"].tolist() == [2, 2]


# The command line ----------------------------------------------------------------------------------------------------


def test_the_command_prints_a_table(capsys):
    command = ["sweep", "bakery", "--grid", "Writers=2,3", "MaxTickets=2,6", "--set", "MaxCrashes=0"]
    status = main([*command, "--property", "UniqueTickets", "--property", "SomeoneCommits", "--symmetry"])
    head, *rows, blank, error, total = capsys.readouterr().out.splitlines()
    assert status == 2
    assert head.split() == ["Writers", "MaxTickets", "UniqueTickets", "SomeoneCommits", "distinct", "depth", "seconds"]
    committed = check(Bakery(MaxCrashes=0), ["SomeoneCommits"], symmetry=True)
    assert [row.split()[:-1] for row in rows[2:]] == [
        ["3", "2", "error", "error", "-", "-"],
        ["3", "6", "\N{CHECK MARK}", "\N{CHECK MARK}", str(committed["SomeoneCommits"].trace_states)]
        + [str(committed.distinct), str(committed.depth)],
    ]
    assert blank == ""
    assert error.startswith("Writers=3, MaxTickets=2: error: MaxTickets = 2 is not accepted")
    assert total == "4 settings: everything holds in 3, something is violated in 0; it is not known in 1"


@pytest.mark.slow
@pytest.mark.parametrize(("crashes", "status"), [("0", 2), ("0,1", 1)])
def test_settings_are_printed_whose_results_a_full_disk_does_not_take(capsys, tmp_path, monkeypatch, crashes, status):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    command = ["sweep", "bakery", "--grid", "Writers=2,3", f"MaxCrashes={crashes}", "--property", "EventualProgress"]
    assert main([*command, "--json", "-o", str(tmp_path)]) == status
    printed = capsys.readouterr()
    rows = json.loads(printed.out)["rows"]
    assert [row["EventualProgress"] for row in rows if row["MaxCrashes"] == 0] == ["holds", "holds"]
    assert re.search(r"^workbench: '.*.json' cannot be written: No space left on device$", printed.err, re.MULTILINE)
    assert not files(tmp_path)


def test_the_command_prints_json(capsys, tmp_path):
    command = ["sweep", "bakery", "--grid", "Writers=[2]", "NodeStartup=true,false", "--property", "EventualProgress"]
    assert main([*command, "--json", "-o", str(tmp_path)]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert (printed["model"], printed["symmetry"]) == ("bakery", [])
    assert [row["EventualProgress"] for row in printed["rows"]] == ["violated", "violated"]
    assert all(row["error"] is None and row["complete"] for row in printed["rows"])
    assert len(files(tmp_path)) == 2


def test_the_command_takes_a_configuration_before_whose_constants_the_grid_goes(capsys):
    one = configurations.configuration("documented_v1_no_crash")
    assert one.constants["MaxCrashes"] == 0
    command = ["sweep", "documented_v1_no_crash", "--grid", "MaxCrashes=1", "--json"]
    assert main(command) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["model"], printed["symmetry"]) == (one.model.name, list(one.symmetry))
    (row,) = printed["rows"]
    crashing = check(
        type(one.model.author)(**{**one.constants, "MaxCrashes": 1}), one.properties, symmetry=one.symmetry
    )
    assert crashing.distinct != one.expect["distinct"]
    assert (row["MaxCrashes"], row["distinct"]) == (1, crashing.distinct)
    assert [row[verdict.name] for verdict in crashing.verdicts] == [verdict.word for verdict in crashing.verdicts]
    assert main([*command, "--set", "Writers=1"]) == 2
    assert "--set is not accepted with a configuration" in capsys.readouterr().err


def test_the_command_says_when_all_holds():
    assert main(["sweep", "bakery", "--grid", "Writers=2", "--property", "UniqueTickets"]) == 0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("N=1,2", [1, 2]),
        ("N=1", [1]),
        ("N=[1, 2]", [1, 2]),
        ("N=true, split", [True, "split"]),
        ('N=[["a"], ["b"]]', [["a"], ["b"]]),
        ("N=", [""]),
    ],
)
def test_values_of_a_grid(text, values):
    assert parse_grid([text]) == {"N": values}


def test_values_that_later_ones_would_replace_are_refused():
    with pytest.raises(InputError, match="--grid 'Size=3' is not accepted; Size has values already, give all at once"):
        parse_grid(["Size=1,2", "Size=3"])


def test_a_grid_without_values_is_refused():
    with pytest.raises(InputError, match="--grid 'Writers' is not accepted; it takes NAME=V1,V2"):
        parse_grid(["Writers"])


# The page ------------------------------------------------------------------------------------------------------------


def test_the_code_in_the_documentation_runs():
    block = (ROOT / "docs" / "sweeps.md").read_text().split("```python\n")[1].split("```")[0]
    names = {}
    exec(block, names)
    assert names["table"]["NoLakekeeperConflict"].tolist() == ["holds"] * 4
