"""The command line: what it prints, its exit status, and one line - never a traceback - for whatever is wrong."""

import argparse
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from bench.__main__ import main as bench

import workbench
from tests.command import python
from tests.places import ROOT
from workbench import commands
from workbench.checking.check import check
from workbench.checking.questions.records import SettingOutcome, Word
from workbench.checking.questions.settings import SettingPlan
from workbench.commands.options import above_zero
from workbench.kernel import InputError, search
from workbench.registry import configurations, get_model, models

#: A check that finds a violation, and a switch that repairs it.
REPAIRS = {
    "bakery_v2 --set SafeAcks=false --property EventualProgress": "SafeAcks=on",
    "paimon --set PUT_IF_ABSENT=false": "PUT_IF_ABSENT=on, or USE_LOCK=on",
    "hudi --set ConcurrencyControl=none": "ConcurrencyControl=optimistic, or ConcurrencyControl=pessimistic",
    "delta --set PutIfAbsentSupported=false --set UseCoordination=false": "PutIfAbsentSupported=on",
    "iceberg --set CatalogSwap=blind": "CatalogSwap=cas",
}
SAFETY = ["--property", "UniqueTickets", "--property", "NoLakekeeperConflict"]
RACE = ["bakery_v2", "--set", "StepGranularity=atomic", "--set", "AsyncParquet=true", "--set", "RestampPatch=false"]

BAKERY = 'model = "bakery"\nproperties = ["UniqueTickets"]\n'

OWN = '''
"""A model of one's own."""
from workbench.kernel import Model, Variable, action, invariant, require

class Counter(Model):
    """Counts [to three]."""
    n = Variable(0)

    @action
    def count(self, s):
        """One [more]."""
        require(s.n < 3, "enough")
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n < 3 or f"n is [{s.n}]"

class Bare(Model):
    n = Variable(0)

    @action
    def step(self, s):
        s.n = 1 - s.n

class Impure(Bare):
    calls = [0]

    @action
    def step(self, s):
        self.calls[0] += 1
        s.n = self.calls[0]
'''


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


@pytest.fixture
def toml(tmp_path):
    def write(text, name="one.toml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def refused(run):
    """Run a command that must be refused, and return the line that says why, without the program's name."""

    def call(*arguments):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err.endswith("\n")
        assert len(err.splitlines()) == 1
        assert "Traceback" not in err
        assert err.startswith("workbench")
        return err.strip().removeprefix("workbench: ")

    return call


# One model ---------------------------------------------------------------------------------------------------------


def test_everything_holds(run):
    status, out, err = run("check", "bakery", "--set", "MaxCrashes=0", "--set", "MaxRestarts=1")
    assert (status, err) == (0, "")
    assert "796 distinct states" in out
    assert "depth 17" in out
    assert "MaxCrashes=0" in out
    assert "holds                    UniqueTickets" in out
    assert "reached (6 states)       SomeoneCommits" in out
    assert "Never enabled: restart\n" in out


def test_a_violation_prints_the_actions_and_what_each_changed(run):
    status, out, _ = run("check", *RACE, *SAFETY)
    assert status == 1
    assert "violated (17 states)" in out
    assert "HTTP 409" in out
    trace = out[out.index("\nNoLakekeeperConflict violated: 17 states") :]
    assert " 17  commit(" in trace
    steps = trace.split(" 17  commit(")
    assert len(steps) == 2
    changed = [line.strip() for line in steps[1].splitlines()[1:] if line.strip()]
    assert "lk_409" in " ".join(changed)
    assert not any(line.startswith(("acks", "iceberg")) for line in changed)  # a lost swap leaves the table alone


def test_a_witness_is_printed_if_asked_for(run):
    few = ["check", "bakery", "--set", "MaxCrashes=0", "--property", "SomeoneCommits"]
    assert "commit(" not in run(*few)[1]
    status, out, _ = run(*few, "--trace")
    assert status == 0
    assert "SomeoneCommits reached: 6 states" in out
    assert "  6  commit(w1)" in out


@pytest.mark.parametrize("engine", ["auto", "local", "reference"])
def test_json(run, engine):
    status, out, err = run("check", "bakery", "--set", "Writers=2", "--engine", engine, *SAFETY, "--json")
    assert (status, err) == (0, "")
    printed = json.loads(out)
    assert printed.pop("seconds") >= 0
    figures = printed.pop("figures")
    assert engine == "reference" or figures["python_calls"] > 0
    assert printed == {
        "model": "bakery",
        "constants": {**get_model("bakery")().constants, "Writers": ["w1", "w2"]},
        "engine": "reference" if engine == "reference" else "local",
        "symmetry": [],
        "complete": True,
        "distinct": 410,
        "generated": 727,
        "outside": 0,
        "depth": 13,
        "properties": [
            {"name": name, "kind": "invariant", "holds": True, "trace_states": None, "why": None, "within": None}
            for name in ("UniqueTickets", "NoLakekeeperConflict")
        ],
        "stopped": None,
        "notes": [],
    }


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            "--engine local --run-dir there",
            "run_dir = 'there' is not accepted with the engine local; it goes with auto",
        ),
        ("--engine reference --run-dir there", "run_dir = 'there' is not accepted with the engine reference"),
        ("--engine local --hand-over-states 5", "hand_over_states = 5 is not accepted with the engine local; it goes"),
        ("--engine spark --hand-over-states 5", "hand_over_states = 5 is not accepted with the engine spark"),
        ("--engine reference --workers 2", "workers = 2 is not accepted with the engine reference; it goes with auto"),
        ("--engine spark --workers auto", "workers = 'auto' is not accepted with the engine spark"),
        ("--trace --json", "--trace is not accepted with --json"),
    ],
)
def test_what_an_engine_has_no_use_for_is_refused(refused, tmp_path, monkeypatch, options, why):
    monkeypatch.chdir(tmp_path)
    assert why in refused("check", "peterson", *options.split())
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_stays_in_this_process_says_that_nothing_is_kept(run, tmp_path):
    status, out, _ = run("check", "peterson", "--set", "Processes=2", "--run-dir", tmp_path / "there")
    assert status == 0
    assert f"note: nothing is kept in '{tmp_path}/there': the search did not leave this process for Spark" in out


def test_what_a_table_does_not_show_is_refused(refused, toml):
    assert "--trace is not accepted with configurations" in refused("check", toml(BAKERY), "--trace")
    assert "--trace is not accepted with --json" in refused("walk", "peterson", "--trace", "--json")


def test_deadlocks_are_looked_for_where_somebody_asks(run, refused, toml):
    model = ["hudi", "--set", "LocksExpire=false", "--set", "Values=1", "--property", "ConsistentRead"]
    status, out, _ = run("check", *model)
    assert (status, "Deadlock" in out) == (0, False)
    status, out, _ = run("check", *model, "--deadlock")
    assert status == 1
    assert re.search(r"violated \(14 states\) +Deadlock: stuck: w2: the table lock is taken\n", out)
    assert "\nDeadlock violated: 14 states\n" in out
    assert "name Deadlock among their properties" in refused("check", toml(BAKERY), "--deadlock")


def test_configurations_expect_what_steps_decide(run, toml):
    expected = """
        model = "hudi"
        properties = ["PublishedSlicesStay", "Deadlock"]
        [constants]
        Values = 1
        MonotonicTs = false
        [expect.verdicts]
        PublishedSlicesStay = { violated = 14 }
        Deadlock = "holds"
    """
    status, out, _ = run("check", toml(expected))
    assert (status, "1 of 1 configuration is as expected" in out) == (0, True)
    status, out, _ = run("check", toml(expected.replace("14", "13")))
    assert status == 1
    assert "PublishedSlicesStay: expected violated (13 states), found violated (14 states)" in out


def test_show_says_what_steps_are_judged(run, own):
    text = OWN.replace("invariant, require", "invariant, refines, require, step")
    own.write_text(
        text
        + """
class Stepwise(Counter):
    @step(of="count")
    def Up(self, s, t):
        return t.n > s.n

    @refines(Counter)
    def Same(self, s):
        return {"n": s.n}
"""
    )
    status, out, _ = run("list", f"{own}:Stepwise")
    assert status == 0
    assert re.search(r"Up +step of count\b", out)
    assert re.search(r"Same +refinement of Counter\b", out)


def test_json_of_a_violation(run):
    status, out, _ = run(
        "check", *RACE, "--property", "NoLakekeeperConflict", "--property", "EveryoneCommits", "--json"
    )
    conflict, everyone = json.loads(out)["properties"]
    assert status == 1
    assert (conflict["holds"], conflict["trace_states"]) == (False, 17)
    assert "HTTP 409" in conflict["why"]
    assert (everyone["kind"], everyone["holds"], everyone["why"]) == ("reachable", True, None)


def test_json_says_what_is_not_known(run):
    status, out, _ = run("check", "bakery", "--max-states", 100, *SAFETY, "--json")
    found = json.loads(out)
    assert (status, found["complete"], found["distinct"]) == (3, False, 100)
    assert [p["holds"] for p in found["properties"]] == [None, None]


def test_symmetry(run):
    _, full, _ = run("check", "bakery", *SAFETY, "--json", "--no-symmetry")
    _, reduced, _ = run("check", "bakery", *SAFETY, "--json", "--symmetry")
    assert (json.loads(full)["distinct"], json.loads(full)["symmetry"]) == (4806, [])
    assert (json.loads(reduced)["distinct"], json.loads(reduced)["symmetry"]) == (838, ["Writers"])


def test_sets_are_given_by_size_or_as_lists(run):
    arguments = ["--set", 'Writers=["a1","a2","b1"]', "--set", 'NodeParts=[["a1","a2"],["b1"]]', *SAFETY, "--json"]
    status, out, _ = run("check", "bakery_v2", "--set", "StepGranularity=atomic", *arguments)
    assert (status, json.loads(out)["constants"]["NodeParts"]) == (0, [["a1", "a2"], ["b1"]])
    named = json.loads(run("check", "bakery", "--set", 'Writers=["a", "b"]', *SAFETY, "--json")[1])
    sized = json.loads(run("check", "bakery", "--set", "Writers=2", *SAFETY, "--json")[1])
    assert named["constants"]["Writers"] == ["a", "b"]
    assert (named["distinct"], named["depth"]) == (sized["distinct"], sized["depth"])


def test_fail_fast_is_violated_and_incomplete(run):
    status, out, _ = run("check", *RACE, *SAFETY, "--fail-fast")
    assert status == 1
    assert "INCOMPLETE: stopped at the first violation" in out
    assert "violated (17 states)     NoLakekeeperConflict" in out
    assert "unknown                  UniqueTickets" in out


@pytest.mark.parametrize("budget", [("--max-states", 50), ("--max-seconds", "1e-9"), ("--max-mib", "1e-9")])
def test_a_budget_that_is_used_up(run, budget):
    status, out, err = run("check", "bakery", *SAFETY, *budget)
    assert (status, err) == (3, "")
    assert "INCOMPLETE: the budget of" in out


def test_huge_budgets_are_no_budgets(run):
    status, out, _ = run(
        "check", "bakery", *SAFETY, "--max-states", 10**30, "--max-seconds", "1e30", "--max-mib", 10**9
    )
    assert status == 0
    assert "4,806 distinct states" in out


def test_wide_fingerprints(run):
    assert run("check", "bakery", *SAFETY, "--fingerprint-bits", 128)[0] == 0


def test_workers_change_nothing_but_the_time(run):
    found = [json.loads(run("check", "bakery", *SAFETY, "--workers", n, "--json")[1]) for n in (1, 2, "auto")]
    for one in found:
        del one["seconds"]
    assert found[0] == found[1] == found[2]


def test_nothing_is_checked_where_there_is_no_property(run, own):
    status, out, _ = run("check", f"{own}:Bare")
    assert status == 3
    assert "2 distinct states" in out
    assert "nothing is checked" in out
    assert "holds" not in out


# Models of one's own ------------------------------------------------------------------------------------------------


def test_a_model_in_a_file(run, own):
    status, out, _ = run("check", f"{own}:Counter")
    assert status == 1
    assert "4 distinct states" in out
    assert "violated (4 states)      Small: n is [3]" in out
    assert "n: 2 -> 3" in out


def test_show_a_model_in_a_file(run, own):
    status, out, _ = run("list", f"{own}:Counter")
    assert status == 0
    assert "counter: Counts [to three]." in out
    assert "One [more]." in out
    assert run("list", f"{own}:Bare")[0] == 0


def test_a_model_that_breaks_the_rules(run, own):
    """One line says what is wrong, and the behaviour that leads there follows."""
    status, out, err = run("check", f"{own}:Impure")
    assert (status, out) == (2, "")
    line, _, *trace = err.splitlines()
    assert ") is not a function of the state" in line
    assert trace == ["  1  initial state", "       n: 0"]


@pytest.mark.parametrize(
    ("text", "attribute", "message"),
    [
        (OWN, ":Nope", "unknown model class in {path} 'Nope'; known: Bare, Counter, Impure"),
        (OWN, ":", "unknown model class in {path} ''; known: Bare, Counter, Impure"),
        (OWN, "", "unknown model class in {path} ''; known: Bare, Counter, Impure"),
        (OWN, ":require", "unknown model class in {path} 'require'"),
        ("def (", ":X", "model file {path} cannot be imported: SyntaxError: invalid syntax"),
        ("1 / 0", ":X", "model file {path} cannot be imported: ZeroDivisionError: division by zero"),
        ("raise SystemExit(0)", ":X", "model file {path} cannot be imported: SystemExit: 0"),
        ("raise ValueError('two\\nlines')", ":X", "model file {path} cannot be imported: ValueError: two lines"),
        ("import nothing_of_that_name", ":X", "model file {path} cannot be imported: ModuleNotFoundError"),
    ],
)
def test_a_file_without_the_model(refused, tmp_path, text, attribute, message):
    path = tmp_path / "mine.py"
    path.write_text(text)
    assert refused("check", f"{path}{attribute}").startswith(message.format(path=path))


def test_a_file_that_is_called_like_a_library_does_not_replace_it(run, tmp_path):
    path = tmp_path / "json.py"
    path.write_text(OWN)
    assert run("check", f"{path}:Counter")[0] == 1
    assert sys.modules["json"] is json


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope"], "unknown model or configuration 'nope'; models: allocator, bakery, bakery_endless,"),
        (["bakry"], "unknown model or configuration 'bakry' (did you mean bakery, "),
        (["bakry", "--set", "Writers=2"], "unknown model or configuration 'bakry' (did you mean bakery, "),
        (["v2_rase"], "unknown model or configuration 'v2_rase' (did you mean v2_race, "),
        (["bakery/v2_rase"], "unknown model or configuration 'bakery/v2_rase' (did you mean bakery/v2_race, "),
        (["data/run-that-is-gone"], "there is no file or folder 'data/run-that-is-gone'"),
        (["specs/nope"], "unknown model or configuration 'specs/nope'"),
        (["specs/nope.toml"], "configuration 'specs/nope.toml' cannot be read: No such file or directory"),
        (["one_table"], "'one_table' is the name of several configurations; give one of bakery/one_table, "),
        (["v2_race", "--set", "Writers=2"], "--set, --cfg and --property are not accepted with"),
        ([""], "unknown model or configuration ''"),
        ([":"], "unknown model or configuration ':'"),
        (["nope.py:X"], "model file 'nope.py' cannot be read; give an existing file as path/to/file.py:Class"),
        (["bakery", "bakery_v2"], "model 'bakery' is not accepted here; give one, or files and folders"),
        (["bakery", "--set", "Nope=1"], "unknown constant of bakery 'Nope'; known: LazyReap"),
        (["bakery", "--set", "Writer=1"], "unknown constant of bakery 'Writer' (did you mean Writers?)"),
        (["bakery", "--set", "=1"], "unknown constant of bakery ''"),
        (["bakery", "--set", "Writers"], "--set 'Writers' is not accepted; it takes NAME=VALUE"),
        (["bakery", "--set", "a\nb"], r"--set 'a\nb' is not accepted; it takes NAME=VALUE"),
        (["bakery", "--set", "LazyReap=1"], "LazyReap = 1 is not accepted; it takes true or false"),
        (["bakery", "--set", "LazyReap=Trow"], "LazyReap = 'Trow' is not accepted; it takes true or false"),
        (["bakery", "--set", "MaxCrashes=null"], "MaxCrashes = None is not accepted; it takes an integer from"),
        (["bakery", "--set", "MaxCrashes=4"], "MaxCrashes = 4 is not accepted; it takes an integer from 0 to 3"),
        (["bakery", "--set", "MaxCrashes=1.0"], "MaxCrashes = 1.0 is not accepted"),
        (["bakery", "--set", "MaxTickets=2"], "MaxTickets = 2 is not accepted; it takes at least the number"),
        (["bakery_v2", "--set", "StepGranularity=coarse"], "StepGranularity = 'coarse' is not accepted; it takes"),
        (
            ["bakery_v2", "--set", 'NodeParts=[["w1"],["w1","w2"]]'],
            "NodeParts = [['w1'], ['w1', 'w2']] is not a partition of Writers; it must hold",
        ),
        (["bakery_v2", "--set", "NodeParts=[]"], "NodeParts = [] is not accepted; it takes a list of lists"),
        (["bakery_v2", "--set", "NodeParts=3"], "NodeParts = 3 is not accepted; it takes a list of lists"),
        (["bakery", "--property", "Nope"], "unknown property of bakery 'Nope'; known: EventualProgress"),
        (["bakery", "--property", ""], "unknown property of bakery ''"),
        (["bakery", "--engine", "warp"], "workbench check: argument --engine: invalid choice: 'warp'"),
        (["bakery", "--fingerprint-bits", "7"], "workbench check: argument --fingerprint-bits: invalid choice: "),
        (["bakery", "--set"], "workbench check: argument --set: expected one argument"),
        (["bakery", "--warp"], "workbench check: '--warp' is not accepted; see workbench check --help"),
        (["bakery", "--propery=P"], "workbench check: '--propery=P' is not accepted (did you mean --property?); see"),
        (["bakery", "--states", "3"], "workbench check: '--states' is not accepted (did you mean --max-states?); see"),
        (["bakery", "--warp=a\nb"], r"workbench check: '--warp=a\nb' is not accepted"),
        ([], "workbench check: the following arguments are required: MODEL|CONFIGURATION|FOLDER"),
        (["missing.toml"], "configuration 'missing.toml' cannot be read: No such file or directory"),
        (["./missing"], "there is no file or folder './missing'"),
        (["x" * 5000], "unknown model or configuration 'xxx"),
        (["specs", "--set", "Writers=2"], "--set, --cfg and --property are not accepted with configurations"),
        (["specs", "--property", "UniqueTickets"], "--set, --cfg and --property are not accepted with configurations"),
    ],
)
def test_bad_input(refused, monkeypatch, arguments, message):
    monkeypatch.chdir(ROOT)
    assert refused("check", *arguments).startswith(message)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "0",
        "-1",
        "7",
        "99999999999999999999",
        "9" * 5000,
        "1e400",
        "NaN",
        "2.0",
        "true",
        "null",
        "[",
        "[" * 50_000,
        "[]",
        '["", ""]',
        '["a", "a"]',
        '[["a"]]',
        '["é"]',
        '["a\\n"]',
        '{"a": 1}',
        "w1",
        "\udcff",
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_set_that_is_none(refused, value):
    line = refused("check", "bakery", "--set", f"Writers={value}")
    assert line.startswith("Writers = ")
    assert line.endswith(
        " is not accepted; it takes a size from 1 to 6, or a list of that many names (a-z, A-Z, then also 0-9 and _)"
    )
    assert len(line) < 200


HUGE, DEEP = "0x" + "f" * 5000, "[" * 900 + "]" * 900
SELF = "unknown constant of bakery 'self'"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BAKERY + "constants.self = 1", SELF),
        (BAKERY + f"constants.Writers = {HUGE}", "Writers = 0xffff"),
        (BAKERY + f"title = {HUGE}", "title = 0xffff"),
        (BAKERY + f"expect.distinct = {HUGE}", "expect.distinct = 0xffff"),
        (BAKERY + f"expect.verdicts.UniqueTickets = {{violated = {HUGE}}}", "expect.verdicts.UniqueTickets = <a dict"),
        (BAKERY + f"constants.Writers = {DEEP[800:-800]}", "Writers = [[[[["),
    ],
)
def test_a_configuration_that_goes_too_far(refused, toml, text, message):
    path = toml(text)
    line = refused("check", path)
    assert line.startswith(f"{path}: {message}")
    assert len(line) < len(str(path)) + 300


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"#meta": {"constants": {"self": 1}}}, SELF),
        ({"#meta": {"constants": {"Writers": "\udcff"}}}, "the trace is not UTF-8 text"),
        ({"vars": ["\udcff"]}, "the trace is not UTF-8 text"),
        (
            {"states": [{"claims": {"#bigint": "9" * 6000}}]},
            "states[0].claims has 6,000 digits; at most 4,000 are accepted",
        ),
        ({"states": [{"claims": {"#bigint": 1.5}}]}, 'states[0].claims is {"#bigint": 1.5}, which is not an ITF'),
        ({"loop": "9" * 6000}, "loop = '99999"),
        ({"loop": json.loads(DEEP)}, "the trace is not accepted: it is nested too deeply"),
        ({"loop": [[[[1]]]]}, "loop = [[[[1]]]] is not accepted"),
        ({"vars": [["claims"]]}, "'vars' of an ITF document takes a list of variable names, not [["),
        ({"states": [{"claims": json.loads("[" * 200 + "]" * 200)}]}, "is nested more than 100 deep"),
        ({"#meta": {"constants": {"Writers": [[[[1]]]]}}}, "Writers = [[[["),
    ],
)
def test_a_trace_that_goes_too_far(refused, tmp_path, document, message):
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"vars": ["claims"], "states": [{"claims": {"#set": []}}], **document}))
    line = refused("validate", "bakery", path)
    assert message in line
    assert len(line) < len(str(path)) + 400


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("workbench:bakery?self=1#0/", SELF),
        (f"workbench:bakery?Writers={'9' * 6000}#0/", "permalink: Writers = '99999"),
        (f"workbench:bakery?Writers={DEEP}#0/", "permalink: Writers = '[[[["),
        ("workbench:bakery?Writers=%22%FF%22#0/", "permalink: '%22%FF%22' is not UTF-8 text"),
        ('workbench:bakery?Writers="\udcff"#0/', "permalink: '\"\\udcff\"' is not UTF-8 text"),
        ("workbench:bakery" + "#" * 6000, "permalink 'workbench:bakery###"),
    ],
)
def test_a_permalink_that_goes_too_far(refused, link, message):
    line = refused("validate", "bakery", link)
    assert line.startswith(message)
    assert len(line) < 300


@pytest.mark.parametrize("command", ["check", "show", "report", "graph", "replay", "scenario", "sweep", "save", "nope"])
def test_arguments_that_are_no_text(refused, command):
    assert refused(command, "\udcff", "\udcff")


def test_a_benchmark_against_no_commit(capsys):
    assert bench(["--against", "no-such-commit"]) == 2
    assert capsys.readouterr().err.startswith("bench: --against 'no-such-commit' is not")
    assert bench(["--against", "HEAD", "--only", "small"]) == 2
    assert "--only is not accepted with --against" in capsys.readouterr().err


def test_a_constant_is_called_self(refused):
    assert refused("check", "bakery", "--set", "self=1").startswith(SELF)
    assert refused("export", "bakery", "--set", "self=1", "-o", ".dot").startswith(SELF)


def test_a_class_or_a_name_is_the_model_with_its_defaults():
    made = check(get_model("bakery")(), "UniqueTickets").levels
    assert check("bakery", "UniqueTickets").levels == made
    assert check(get_model("bakery"), ["UniqueTickets"]).levels == made
    assert search(get_model("bakery"), "UniqueTickets").levels == made
    with pytest.raises(InputError, match="did you mean bakery"):
        check("bakry")


@pytest.mark.parametrize("option", ["--max-states", "--max-seconds", "--max-mib", "--workers"])
@pytest.mark.parametrize("value", ["0", "-5", "nan", "inf", "-inf", "x", "", "1e", "0x10", "9" * 5000])
def test_budgets_that_are_none(run, option, value):
    status, out, err = run("check", "bakery", *SAFETY, f"{option}={value}")
    kind = "an integer" if option in ("--max-states", "--workers") else "a number"
    assert (status, out) == (2, "")
    assert f"argument {option}: " in err
    assert f"is not accepted; it takes {kind} above 0" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("number", "text", "value"),
    [
        (int, "1,000", 1000),
        (int, "1e6", 10**6),
        (int, "1.5e3", 1500),
        (int, "12_000", 12_000),
        (int, "9" * 30, int("9" * 30)),
        (float, "1,000", 1000.0),
        (float, "0.5", 0.5),
        (float, "1e-9", 1e-9),
    ],
)
def test_budgets_as_people_write_them(number, text, value):
    assert above_zero(number)(text) == value


@pytest.mark.parametrize("number", [int, float])
@pytest.mark.parametrize("text", ["1,5", "1,00", "1,0000", ",5"])
def test_a_comma_stands_before_three_digits_alone(number, text):
    with pytest.raises(argparse.ArgumentTypeError, match=f"'{text}' is not accepted"):
        above_zero(number)(text)


@pytest.mark.parametrize("arguments", [["list", "nope"], ["list", ""], ["list", "hudi", "more"], ["nope"], []])
def test_bad_input_to_other_commands(refused, arguments):
    assert refused(*arguments)


# Configurations ----------------------------------------------------------------------------------------------------


def test_as_expected(run, toml):
    path = toml(
        BAKERY + 'symmetry = ["Writers"]\n[expect]\ndistinct = 838\ndepth = 18\nverdicts.UniqueTickets = "holds"\n'
    )
    status, out, err = run("check", path)
    assert (status, err) == (0, "")
    assert "everything holds" in out
    assert "1 of 1 configuration is as expected" in out


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["v1_one_writer", "bakery/v1_one_writer", "specs/bakery/v1_one_writer.toml"])
def test_configurations_have_names_in_any_folder(run, elsewhere, name):
    status, out, _ = run("check", name)
    assert status == 0
    assert "specs/bakery/v1_one_writer.toml  SomeoneCommits not reached" in out


def test_the_folder_specs_is_there_in_any_folder(run, elsewhere):
    status, out, _ = run("check", "specs/table")
    assert status == 0
    assert "2 of 2 configurations are as expected" in out


def test_a_file_that_is_there_goes_before_a_configuration(run, elsewhere, toml):
    toml(BAKERY, "v1_one_writer")
    status, out, _ = run("check", "v1_one_writer")
    assert "v1_one_writer  everything holds" in out
    assert status == 0


@pytest.mark.parametrize("name", sorted({name.rpartition("/")[2] for name in configurations.shipped()} & set(models())))
def test_a_configuration_with_the_name_of_a_model_takes_it_as_it_is(name):
    """So that it does not matter that the model's name goes first."""
    (path,) = (path for path in configurations.shipped().values() if path.stem == name)
    one, model = configurations.configuration(path), get_model(name)()
    assert (type(one.model), one.model.constants) == (type(model), model.constants)
    assert (one.properties, one.symmetry) == (None, ())


@pytest.mark.slow
def test_other_commands_know_configurations_too(run, elsewhere):
    """They take its constants, and its properties and symmetric sets where they ask for such."""
    one = configurations.configuration("documented_v1_no_crash")
    assert one.symmetry
    counts = f"{one.expect['distinct']:,} states"
    assert run("export", "documented_v1_no_crash", "-o", "race.dot")[2].startswith(counts)
    assert run("export", "documented_v1_no_crash", "-o", "saved")[2].startswith(counts)
    assert "SomeoneCommits" in run("walk", "v1_one_writer", "--walks", "1")[1]
    Path("story.txt").write_text("commit\n")
    assert run("scenario", "v1_one_writer", "story.txt")[0] == 1
    assert run("export", "v1_one_writer", "--set", "Writers=2", "-o", "no.dot")[0] == 2


def test_a_choice_may_be_given_by_its_word(run, toml):
    small = ["--set", "Keys=1", "--set", "Values=1", "--property", "ConsistentRead", "--json"]
    by_word, by_number = (
        json.loads(run("check", "hudi", "--set", f"ConcurrencyControl={given}", *small)[1]) for given in ("none", 0)
    )
    assert by_word["constants"] == by_number["constants"]
    assert by_word["constants"]["ConcurrencyControl"] == 0
    path = toml('model = "hudi"\nconstants.ConcurrencyControl = "none"\nconstants.FailedWrites = "lazy"\n')
    assert (
        configurations.configuration(path).model.constants
        == get_model("hudi")(ConcurrencyControl=0, FailedWrites=2).constants
    )
    status, _, err = run("check", "hudi", "--set", "ConcurrencyControl=optimist")
    assert (status, err.count("\n")) == (2, 1)
    assert "it takes one of 0 (none), 1 (optimistic), 2 (pessimistic)" in err


def test_different_from_what_is_expected(run, toml):
    path = toml(BAKERY + "[expect]\ndistinct = 1000\ndepth = 18\nverdicts.UniqueTickets = {violated = 3}\n")
    status, out, _ = run("check", path)
    assert status == 1
    assert "one.toml is not as expected:" in out
    assert "distinct: expected 1,000, found 4,806" in out
    assert "UniqueTickets: expected violated (3 states), found holds" in out
    assert "depth:" not in out
    assert "0 of 1 configuration is as expected" in out


def test_a_violation_of_which_nothing_is_said_is_not_expected(run, toml):
    constants = '[constants]\nStepGranularity = "atomic"\nAsyncParquet = true\nRestampPatch = false\n'
    violated = 'model = "bakery_v2"\nproperties = ["NoLakekeeperConflict"]\n' + constants
    status, out, _ = run("check", toml(violated))
    assert status == 1
    assert "NoLakekeeperConflict: expected that it holds, since nothing is said, found violated (17 states)" in out
    assert run("check", toml(violated + "[expect.verdicts]\nNoLakekeeperConflict = {violated = 17}\n"))[0] == 0
    assert run("check", toml(violated + "[expect.verdicts]\nNoLakekeeperConflict = {violated = 16}\n"))[0] == 1


def test_a_configuration_that_is_not_finished_is_neither(run, toml):
    path = toml(BAKERY + "[expect]\ndistinct = 4806\n")
    status, out, _ = run("check", path, "--max-states", 100)
    assert status == 3
    assert "one.toml is incomplete: the budget of 100 states is used up" in out
    assert "0 of 1 configuration is as expected" in out


@pytest.fixture
def one(toml):
    return configurations.configuration(
        toml(BAKERY + 'constants.Writers = 1\nexpect.verdicts.UniqueTickets = "holds"\n')
    )


@pytest.fixture
def results(one):
    """The result as expected, and the same with a verdict that is not known, and without it."""
    result = search(one.model, one.properties)
    unknown = replace(result.verdicts[0], holds=None, why="for a reason")
    return result, replace(result, verdicts=[unknown]), replace(result, verdicts=[])


def test_a_verdict_that_is_expected_and_not_there_is_a_difference(one, results):
    result, unknown, missing = results
    assert one.differences(result) == []
    assert one.differences(unknown) == ["UniqueTickets: expected holds, found unknown: for a reason"]
    assert one.differences(missing) == ["UniqueTickets: expected holds, found no verdict"]
    silent = replace(one, expect={"distinct": result.distinct})
    (line,) = silent.differences(unknown)
    assert line.startswith("UniqueTickets: expected that it holds, since nothing is said, found unknown")
    assert [one.as_expected(r) for r in results] == [True, False, False]


def test_what_an_incomplete_search_left_open_is_no_difference_and_not_as_expected(one, results):
    for left_open in results[1:]:
        stopped = replace(left_open, stopped="interrupted")
        assert one.differences(stopped) == []
        assert not one.as_expected(stopped)


def test_a_configuration_that_expects_and_judges_nothing_is_not_as_expected(one, results):
    nothing = replace(one, expect={}, properties=[])
    assert nothing.differences(results[2]) == []
    assert not nothing.as_expected(results[2])
    counts = replace(nothing, expect={"distinct": results[2].distinct})
    assert counts.as_expected(results[2])


@pytest.mark.parametrize(("number", "model", "file"), [(0, 0, 0), (1, 3, 1), (2, 3, 1)])
def test_exit_statuses_are_made_from_verdicts(run, one, results, monkeypatch, tmp_path, number, model, file):
    monkeypatch.setattr("workbench.commands.check.check", lambda *_, **__: results[number])
    monkeypatch.setattr("workbench.commands.checked.MOST_KEPT", 0)
    status, out, _ = run("check", "bakery")
    assert status == model
    assert (" holds " in out) is (number == 0)
    junit = tmp_path / "junit.xml"
    status, out, _ = run("check", one.path, "-o", junit)
    assert status == file
    assert ("everything holds" in out) is (number == 0)
    assert ('failures="0"' in junit.read_text()) is (number == 0)
    assert json.loads(run("check", one.path, "--json")[1])[0]["as_expected"] is (number == 0)
    assert run("check", one.path, "-o", tmp_path / "page.html")[0] == file
    page = (tmp_path / "page.html").read_text()
    assert ("not as expected" in page, "as expected" in page) == (number != 0, True)


def test_a_report_on_what_is_not_finished_does_not_say_as_expected(run, one, results, monkeypatch, tmp_path):
    stopped = replace(results[1], stopped="the budget of 10 states is used up")
    monkeypatch.setattr("workbench.commands.check.check", lambda *_, **__: stopped)
    assert run("check", one.path, "-o", tmp_path / "page.html")[0] == 3
    assert "as expected" not in (tmp_path / "page.html").read_text()


def test_configurations_as_json(run, toml):
    good = toml(BAKERY + "[expect]\ndistinct = 4806\n")
    bad = toml('title = "Bad"\n' + BAKERY + "[expect]\ndistinct = 1\n", "two.toml")
    status, out, _ = run("check", good, bad, "--json")
    one, two = json.loads(out)
    assert status == 1
    assert (one["file"], one["title"], one["as_expected"], one["differences"]) == (str(good), "one", True, [])
    assert (two["title"], two["as_expected"], two["differences"]) == (
        "Bad",
        False,
        ["distinct: expected 1, found 4,806"],
    )
    assert two["properties"][0]["name"] == "UniqueTickets"


def test_folders_are_searched_to_the_bottom(run, toml, tmp_path):
    (tmp_path / "below" / "folder.toml").mkdir(parents=True)
    toml(BAKERY + "constants.Writers = 2\n")
    toml(BAKERY + "constants.Writers = 1\n", "below/[bold]é [.toml")
    status, out, _ = run("check", tmp_path)
    assert status == 0
    assert "2 of 2 configurations are as expected" in out
    assert "[bold]é [.toml" in out


def test_symmetry_may_be_overruled(run, toml):
    path = toml(BAKERY + 'symmetry = ["Writers"]\n')
    counts = [json.loads(run("check", path, "--json", *more)[1])[0]["distinct"] for more in ([], ["--no-symmetry"])]
    assert counts == [838, 4806]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'there is no model in it; it takes a line such as model = "hudi"'),
        ("model = 7", "model = 7 is not accepted; it takes the name of a model"),
        (
            'model = "nope"',
            "unknown model 'nope'; known: allocator, bakery, bakery_endless, bakery_published,",
        ),
        ('model = "x.py:Y"', "model file 'x.py' cannot be read; give an existing file"),
        (BAKERY + "colour = 1", "unknown key 'colour'; known: constants, expect, model"),
        (BAKERY + "title = 3", "title = 3 is not accepted; it takes a text"),
        (BAKERY + "source = []", "source = [] is not accepted; it takes a text"),
        (BAKERY + "symmetry = 5", "symmetry = 5 is not accepted; it takes a list of names"),
        (BAKERY + "symmetry = true", "symmetry = True is not accepted; it takes a list of names"),
        (BAKERY + 'symmetry = "Writers"', "symmetry = 'Writers' is not accepted; it takes a list of names"),
        (BAKERY + "symmetry = [1]", "symmetry = [1] is not accepted; it takes a list of names"),
        (BAKERY + 'symmetry = ["Tickets"]', "unknown symmetric set of bakery 'Tickets'; known: Writers"),
        ('model = "bakery"\nproperties = "x"', "properties = 'x' is not accepted; it takes a list of names"),
        ('model = "bakery"\nproperties = [1]', "properties = [1] is not accepted; it takes a list of names"),
        ('model = "bakery"\nproperties = ["x"]', "unknown property of bakery 'x'; known: EventualProgress"),
        (BAKERY + "constants = 3", "constants = 3 is not accepted; it takes a table"),
        (BAKERY + "constants.Nope = 3", "unknown constant of bakery 'Nope'"),
        (BAKERY + "constants.Writers = nan", "Writers = nan is not accepted; it takes a size from 1 to 6"),
        (BAKERY + "constants.Writers = 2020-01-01", "Writers = datetime.date(2020, 1, 1) is not accepted"),
        (BAKERY + "constants.Writers = " + "9" * 4000, "Writers = 0x"),
        (BAKERY + "expect = 3", "expect = 3 is not accepted; it takes a table"),
        (BAKERY + "expect.colour = 3", "unknown key of expect 'colour'; known: depth, distinct, generated, outside,"),
        (BAKERY + 'expect.distinct = "many"', "expect.distinct = 'many' is not accepted; it takes an integer"),
        (BAKERY + "expect.depth = true", "expect.depth = True is not accepted; it takes an integer"),
        (BAKERY + "expect.generated = 1.0", "expect.generated = 1.0 is not accepted; it takes an integer"),
        (BAKERY + "expect.verdicts = 3", "verdicts = 3 is not accepted; it takes a table"),
        (BAKERY + 'expect.verdicts.Nope = "holds"', "unknown checked property 'Nope'; known: UniqueTickets"),
        *(
            (BAKERY + f"expect.verdicts.UniqueTickets = {bad}", "expect.verdicts.UniqueTickets = ")
            for bad in (
                '"true"',
                "true",
                "[]",
                "{}",
                "3",
                "{violated = 1, reached = 1}",
                '{violated = "1"}',
                "{held = 1}",
            )
        ),
    ],
)
def test_a_configuration_that_makes_no_sense(refused, toml, text, message):
    path = toml(text)
    line = refused("check", path)
    assert line.startswith(f"{path}: {message}")
    assert len(line) < len(str(path)) + 400


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model = [", "is not TOML: Invalid value"),
        (BAKERY + BAKERY, "is not TOML: Cannot overwrite a value"),
        ("a = " + "[" * 50_000, "is nested too deeply to be read"),
        ("a = " + "9" * 10_000, "is not TOML: Exceeds the limit"),
        (b"\xff\xfe", "cannot be read: not UTF-8 text"),
        (b"\x00", "is not TOML: "),
    ],
    ids=["unfinished", "twice", "deep", "long", "binary", "null"],
)
def test_what_is_not_toml(refused, toml, text, reason):
    path = toml(text)
    assert refused("check", path).startswith(f"configuration {str(path)!r} {reason}")


def test_folders_without_configurations(refused, tmp_path):
    assert refused("check", tmp_path) == f"folder {str(tmp_path)!r} has no configuration (*.toml)"
    (tmp_path / "folder.toml").mkdir()
    assert "folder.toml' has no configuration" in refused("check", tmp_path / "folder.toml")
    assert "has no configuration" in refused("check", tmp_path)


def test_a_file_that_cannot_be_read(refused, tmp_path):
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "nowhere")
    assert "cannot be read: No such file or directory" in refused("check", link)
    link.unlink()
    link.symlink_to(link)
    assert "Too many levels of symbolic links" in refused("check", tmp_path)


# Sweeps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected", "said"),
    [
        (["holds", "reached"], 0, "everything holds in 2, something is violated in 0\n"),
        (["holds", "unknown"], 3, "everything holds in 1, something is violated in 0; it is not known in 1\n"),
        (["error", "violated"], 1, "everything holds in 0, something is violated in 1; it is not known in 1\n"),
        ([None, None], 3, "everything holds in 0, something is violated in 0; it is not known in 2\n"),
        (None, 3, "everything holds in 0, something is violated in 0; it is not known in 2\n"),
    ],
)
def test_the_exit_status_of_a_sweep_is_made_from_its_verdicts(run, monkeypatch, words, expected, said):
    def checked(self, number, should_stop=None):
        found = {} if words is None or words[number] in (None, "error") else {"P": Word(words[number], None)}
        return SettingOutcome(found, 5, 2, 0.1, complete=True, stopped=None, error=None, final=True), None

    plan = SettingPlan(("P",) if words else (), notes=("a note",))
    monkeypatch.setattr("workbench.checking.questions.fill.plans_of", lambda *_: [plan, plan])
    monkeypatch.setattr("workbench.checking.questions.settings.SettingsTask.check", checked)
    status, out, _ = run("sweep", "bakery", "--grid", "MaxCrashes=0,1")
    assert status == expected
    assert out.endswith(f"2 settings: {said}")
    assert json.loads(run("sweep", "bakery", "--grid", "MaxCrashes=0,1", "--json")[1])["notes"] == ["a note"]


# list, show, help ---------------------------------------------------------------------------------------------------


def test_list(run):
    status, out, err = run("list")
    assert (status, err) == (0, "")
    for name in models():
        assert f"\n{name} " in out
    assert "\nConfigurations: bakery " in out


def test_list_of_configurations(run):
    status, out, err = run("list", "paimon")
    assert (status, err) == (0, "")
    for name, path in configurations.shipped().items():
        assert (f"\n{name} " in out) == (path.parent.name == "paimon")


def test_list_of_a_folder(run, tmp_path):
    (tmp_path / "mine.toml").write_text('title = "Mine [1]"\nmodel = "bakery"\n')
    status, out, err = run("list", str(tmp_path))
    assert (status, err) == (0, "")
    assert [line.split() for line in out.splitlines()[1:]] == [[str(tmp_path / "mine.toml"), "Mine", "[1]"]]
    (tmp_path / "none").mkdir()
    status, out, err = run("list", str(tmp_path / "none"))
    assert (status, out) == (2, "")
    assert err.endswith("/none' has no configuration (*.toml)\n")


def test_show_a_configuration(run):
    status, out, err = run("list", "v2_race")
    assert (status, err) == (0, "")
    one = configurations.configuration("v2_race")
    for text in (one.title, one.source, "AsyncParquet=on", "Expected: NoLakekeeperConflict violated (22 states)"):
        assert text in out


def test_version(run):
    assert run("--version") == (0, f"lakehouse-workbench {workbench.__version__}\n", "")


@pytest.mark.parametrize("name", models())
def test_show(run, name):
    status, out, err = run("list", name)
    assert (status, err) == (0, "")
    model = get_model(name)
    for constant, declared in model.declared.constants.items():
        assert constant in out
        for text in (declared.doc, declared.domain.describe()):  # long ones are continued on the next line
            assert text[:25] in out
    for other in [*model.declared.actions, *model.declared.properties, *model.symmetry]:
        assert other in out


def test_every_command_explains_itself(run):
    status, out, _ = run("--help")
    assert status == 0
    for name in commands.NAMES:
        summary = commands.command(name).__doc__.splitlines()[0]
        assert re.search(rf"\n    {name}\s+{re.escape(summary[:30])}", out)
        status, helped, _ = run(name, "--help")
        assert status == 0
        assert summary in helped


# As a process ------------------------------------------------------------------------------------------------------


def process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "workbench", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, **options
    )


def complaints(err):
    """The lines of a standard error, without those that a slow machine is told how far a check is with."""
    return [line for line in err.splitlines() if not line.startswith("level ")]


def test_as_a_process():
    with process("check", "bakery", "--set", "Writers=0", stderr=subprocess.PIPE) as running:
        out, err = running.communicate()
    assert (running.returncode, out) == (2, "")
    accepted = "a size from 1 to 6, or a list of that many names (a-z, A-Z, then also 0-9 and _)"
    assert err == f"workbench: Writers = 0 is not accepted; it takes {accepted}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [["list"], ["list", "bakery_v2"], ["check", "bakery", *SAFETY, "--json"], ["check", *RACE, *SAFETY]]
)
def test_a_closed_pipe_is_no_error(arguments):
    """As in ``workbench list | head -1``: what nobody reads is not written, and nothing is said about it."""
    with process(*arguments, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        err = running.stderr.read()
    assert (running.returncode, complaints(err)) == (128 + signal.SIGPIPE, [])


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "<&-", "2>&-", ">&- 2>&- <&-", ">/dev/null"])
@pytest.mark.parametrize(
    ("command", "status"), [("list", 0), ("check nope", 2), ("check specs/nope", 2), ("--help", 0)]
)
def test_what_is_closed_is_nowhere_to_write_to(closed, command, status):
    line = f"{sys.executable} -m workbench {command} {closed}"
    done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == status
    assert len(done.stderr.splitlines()) == (status == 2 and "2>" not in closed)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["check", "nope"], ["check"], ["nope"]])
def test_errors_that_nobody_reads(arguments):
    with process(*arguments, stderr=subprocess.PIPE) as running:
        running.stderr.close()
        assert running.stdout.read() == ""
    assert running.returncode == 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", ["list", f"check bakery {' '.join(SAFETY)} --json"])
def test_output_that_there_is_no_room_for(arguments):
    line = f"{sys.executable} -m workbench {arguments} >/dev/full"
    done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True)
    (line,) = complaints(done.stderr)
    assert done.returncode == 2
    assert line.startswith("workbench: ")
    assert line.endswith("No space left on device")


LOUD = """
import os
import signal
from workbench.kernel import Model, Variable, action, invariant

print("imported")

class Loud(Model):
    n = Variable(0)

    def validate(self):
        print("made")

    @action
    def step(self, s):
        print("taken")
        s.n = (s.n + 1) % 4

    @invariant
    def Small(self, s):
        print("judged")
        return s.n < 3

class Interrupting(Loud):
    @action
    def step(self, s):
        if s.n == 2:
            os.kill(os.getpid(), signal.SIGINT)
        s.n = (s.n + 1) % 4

class Leaving(Loud):
    @action
    def step(self, s):
        raise SystemExit(0)
"""


@pytest.fixture
def loud(tmp_path):
    path = tmp_path / "loud.py"
    path.write_text(LOUD)
    return path


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_what_a_model_prints_is_not_part_of_the_output(run, loud, engine):
    status, out, err = run("check", f"{loud}:Loud", "--json", "--engine", engine)
    assert status == 1
    assert json.loads(out)["distinct"] == 4
    assert {"imported", "made", "taken", "judged"} <= set(err.split())
    status, out, _ = run("check", f"{loud}:Loud", "-o", ".itf.json", "--engine", engine)
    assert json.loads(out)["#meta"]["source"] == "loud"


@pytest.mark.parametrize(
    "command", [["list"], ["export", "-o", ".dot"], ["export", "-o", "states"], ["validate", "x.itf.json"]]
)
def test_what_a_model_prints_is_not_part_of_other_outputs(run, loud, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("check", f"{loud}:Loud", "-o", "x.itf.json", "--engine", "reference")
    name, *more = command
    status, out, err = run(name, f"{loud}:Loud", *more)
    assert status == 0
    assert "imported" in err
    assert not {"imported", "made", "taken", "judged"} & set(out.split())


def test_a_model_that_ends_the_process_is_wrong(run, loud):
    status, out, err = run("check", f"{loud}:Leaving")
    assert (status, out) == (2, "")
    (said,) = [line for line in err.splitlines() if line.startswith("workbench: ")]
    assert "SystemExit" in said
    assert err.endswith("  1  initial state\n       n: 0\n")


def test_an_interrupt_that_comes_up_as_another_error_is_one(tmp_path):
    """Python 3.11 makes a RuntimeError of it where a class is made, and the file of that class cannot be imported."""
    file = tmp_path / "model.py"
    file.write_text(
        "class Field:\n"
        "    def __set_name__(self, owner, name):\n"
        "        try:\n"
        "            raise KeyboardInterrupt\n"
        "        except KeyboardInterrupt as interrupt:\n"
        "            raise RuntimeError('Error calling __set_name__') from interrupt\n"
        "class Thing:\n"
        "    field = Field()\n"
    )
    command = [sys.executable, "-m", "workbench", "list", f"{file}:Thing"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "workbench: interrupted\n")


def test_an_unexpected_error_is_one_line_and_no_violation(run, monkeypatch):
    def broken(_):
        raise LookupError("one\ntwo")

    monkeypatch.setattr("workbench.commands.list.run", broken)
    status, out, err = run("list")
    assert (status, out) == (2, "")
    assert err.startswith("workbench: unexpected LookupError: one two (")
    assert err.endswith("; WORKBENCH_TRACEBACK=1 shows more)\n")
    assert len(err.splitlines()) == 1
    monkeypatch.setenv("WORKBENCH_TRACEBACK", "1")
    status, out, err = run("list")
    assert (status, out) == (2, "")
    assert "Traceback" in err


def test_an_error_that_cannot_be_turned_into_text(run, monkeypatch):
    class Mute(Exception):
        def __str__(self):
            raise ValueError

    def broken(_):
        raise Mute

    monkeypatch.setattr("workbench.commands.list.run", broken)
    status, _, err = run("list")
    assert status == 2
    assert "Mute" in err
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_output_that_has_no_check_marks():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with process("check", "bakery", *SAFETY, stderr=subprocess.PIPE, env=environment) as running:
        out, err = running.communicate()
    assert (running.returncode, err) == (0, "")
    assert "? holds                    UniqueTickets" in out


def interrupt(*arguments):
    """Run a command with a terminal for its progress, and interrupt it once the search has come some way.

    By then its kernels are loaded: before, there is nothing that it could go on from.
    """
    terminal, other_end = pty.openpty()
    with process(*arguments, stderr=other_end, env={**os.environ, "TERM": "xterm"}) as running:  # a dumb one shows none
        os.close(other_end)
        shown = b""
        while not re.search(rb"level \d\d", shown):
            shown += os.read(terminal, 4096)
        running.send_signal(signal.SIGINT)
        out = running.stdout.read()
        try:
            while more := os.read(terminal, 4096):
                shown += more
        except OSError:  # the other end has been closed
            pass
    os.close(terminal)
    assert b"Traceback" not in shown
    return running.returncode, out


def test_control_c_gives_a_partial_result():
    status, out = interrupt("check", "bakery_v2", "--set", "Writers=4", "--set", "MaxCrashes=2", *SAFETY)
    assert status == 3
    assert "INCOMPLETE: interrupted" in out
    assert "unknown                  UniqueTickets" in out
    assert "\n0 distinct" not in out


@pytest.mark.slow
def test_control_c_ends_a_list_of_configurations(toml):
    large = toml('model = "bakery_v2"\nproperties = ["UniqueTickets"]\nconstants = {Writers = 4, MaxCrashes = 2}\n')
    small = toml(BAKERY, "two.toml")
    status, out = interrupt("check", str(large), str(small))
    assert status == 3
    assert "one.toml is incomplete: interrupted" in out
    assert "0 of 2 configurations are as expected" in out


@pytest.mark.parametrize("module", ["workbench.commands.cli", "argparse", "rich.console", "workbench.checking.check"])
def test_control_c_while_modules_load(module):
    script = f"""
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.modules.pop("argparse", None)
sys.meta_path.insert(0, Interrupting())
sys.argv[1:] = ["check", "bakery"]
from workbench.__main__ import main
main()
"""
    done = python(script, here=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "workbench: interrupted\n")


#: Raises SIGINT, once or twice, when the module is imported, after the command line is parsed.
INTERRUPTED_JSON = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            for _ in range({times}):
                os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
sys.argv[1:] = ["check", "bakery", "--json"]
from workbench.__main__ import main
main()
"""


@pytest.mark.parametrize(
    ("module", "times"),
    [("workbench.protocols.bakery.model", 1), ("workbench.checking.auto", 1), ("workbench.checking.auto", 2)],
)
def test_control_c_at_any_time_is_an_answer_as_json(module, times):
    """Before the search, as well as when it asks for a stop, and when that is not waited for."""
    done = python(INTERRUPTED_JSON.format(module=module, times=times), here=ROOT)
    answer = json.loads(done.stdout)
    assert done.returncode == 3
    assert (answer["complete"], answer["stopped"]) == (False, "interrupted")
    assert done.stderr.count("Traceback") == 0


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_control_c_twice(loud, engine):
    """The second one comes when the model is run again for the trace."""
    with process("check", f"{loud}:Interrupting", "--engine", engine, stderr=subprocess.PIPE) as running:
        _, err = running.communicate()
    assert running.returncode in (1, 3)
    assert "Traceback" not in err


@pytest.mark.slow
def test_control_c_again_and_again():
    """Whatever is interrupted: a line at most, and a status that says that nothing is known."""
    command = ["check", "bakery_v2", "--set", "Writers=4", "--set", "MaxCrashes=2", *SAFETY]
    with process(*command, stderr=subprocess.PIPE) as running:
        while "llvmlite" not in Path(f"/proc/{running.pid}/maps").read_text():  # which the search loads
            time.sleep(0.05)
        while running.poll() is None:
            running.send_signal(signal.SIGINT)
            time.sleep(0.003)
        _, err = running.communicate()
    assert running.returncode == 3
    assert err in ("", "workbench: interrupted\n", "stopping ...; once more ends it\nworkbench: interrupted\n")


def test_control_c_in_an_action_without_an_end(tmp_path):
    """The search looks for a stop between calls of the model: it says at once that it was asked, and what ends it."""
    path = tmp_path / "endless.py"
    path.write_text(
        LOUD
        + """
class Endless(Loud):
    @action
    def step(self, s):
        print("in it", flush=True)
        while True:
            pass
"""
    )
    with process("check", f"{path}:Endless", "--engine", "reference", "--json", stderr=subprocess.PIPE) as running:
        while "in it" not in running.stderr.readline():
            pass
        running.send_signal(signal.SIGINT)
        assert running.stderr.readline() == "stopping ...; once more ends it\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    assert (running.returncode, err) == (3, "workbench: interrupted\n")
    assert json.loads(out) == {"complete": False, "stopped": "interrupted"}


def test_what_is_interrupted_after_the_search_differs_from_nothing(run, toml):
    """Of the verdicts that are known, nobody knows the traces; and the configurations after it are not checked."""
    path = toml(
        "import signal\n"
        "from workbench.kernel import Model, Variable, action, invariant\n"
        "asked = []\n"
        "class Up(Model):\n"
        "    n = Variable(0)\n"
        "    def initial_states(self):\n"
        "        asked.append(1)\n"
        "        if len(asked) % 2 == 0:\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "        return super().initial_states()\n"
        "    @action\n"
        "    def up(self, s):\n"
        "        s.n = 1\n"
        "    @invariant\n"
        "    def Low(self, s):\n"
        "        return s.n < 1\n",
        "up.py",
    )
    one = toml('model = "up.py:Up"\n[expect]\ndistinct = 2\nverdicts.Low = { violated = 2 }\n')
    toml(one.read_text(), "two.toml")
    status, out, _ = run("check", path.parent, "--engine", "local")
    assert status == 3
    assert "one.toml is incomplete: interrupted" in out
    assert ("two.toml" in out, "0 of 2 configurations" in out) == (False, True)
    asked = run("check", f"{path}:Up", "--engine", "local")
    assert asked[0] == 1
    assert "INTERRUPTED after all states were visited" in asked[1]


def test_control_c_in_text_that_is_executed(tmp_path):
    """Python remembers it, and would let the process die by the signal although the interrupt was handled."""
    path = tmp_path / "executing.py"
    path.write_text(
        LOUD
        + """
class Executing(Loud):
    def validate(self):
        try:
            exec("os.kill(os.getpid(), signal.SIGINT)")
        except KeyboardInterrupt:
            print("handled")
"""
    )
    with process("check", f"{path}:Executing", "--engine", "reference", stderr=subprocess.PIPE) as running:
        running.communicate()
    assert running.returncode == 1


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(("line", "repair"), REPAIRS.items(), ids=lambda text: text.split()[0])
def test_on_a_busy_machine_a_violation_comes_with_its_repair(run, line, repair):
    status, out, _ = run("check", *line.split())
    assert status == 1
    assert f"repair it  {repair}" in out


def test_where_trying_is_too_much_a_shipped_configuration_knows_the_repair(run, monkeypatch):
    monkeypatch.setattr("workbench.commands.advice._MOST_STATES", 10)
    _, out, _ = run("check", "two_phase_commit", "--set", "LosesPatience=true")
    assert "repair it  LosesPatience=off" in out


def test_what_to_do_next_names_choices_by_their_words(run):
    settings = ["--set", "ConcurrencyControl=none", "--set", "Keys=1", "--set", "Values=1"]
    out = run("check", "hudi", *settings, "--property", "ConsistentRead")[1]
    assert "Workbench('hudi', Values=('v1',), ConcurrencyControl='none'), in a notebook" in out.replace(
        "Keys=('k1',), ", ""
    )


def test_walks_that_are_asked_for_steps_name_the_option_for_them(refused):
    assert "(did you mean --depth?)" in refused("walk", "peterson", "--steps", "9")


def test_the_first_violation_is_shown_whole_and_others_are_named(run):
    line = ["check", "paimon", "--set", "PUT_IF_ABSENT=false"]
    out = run(*line)[1]
    assert out.count("  1  initial state") == 1
    assert "Violated, too: AllSnapshotsCommitted; --trace prints all traces" in out
    assert "empty throughout: vectors, lock, rewrite" in out
    assert len(out.splitlines()) < 100
    everything = run(*line, "--trace")[1]
    assert everything.count("  1  initial state") == 4
    assert "Violated, too" not in everything
