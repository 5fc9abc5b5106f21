"""The command line, where a transcript cannot say it: input that is too large or no text, processes, and interrupts."""

import argparse
import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from bench.__main__ import main as bench

import workbench
from tests.audits.damaged_tables import delta
from tests.command import complaints, python
from tests.places import ROOT
from workbench import commands
from workbench.checking.check import check
from workbench.checking.questions.records import SettingOutcome, Word
from workbench.checking.questions.settings import SettingPlan
from workbench.commands import cli
from workbench.commands.output import standard
from workbench.commands.output.options import above_zero
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
DIGITS, HUGE, DEEP = "9" * 6000, "0x" + "f" * 5000, "[" * 900 + "]" * 900
TRACE = '{"vars": ["claims"], "states": [{"claims": %s}]}'


@pytest.fixture
def toml(tmp_path):
    def write(text, name="one.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def refused(run):
    """Run a command that must be refused, and return the line that says why, without the program's name."""

    def call(*arguments):
        status, out, err = run(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert len(err) < 500
        assert err.startswith("workbench")
        return err.removeprefix("workbench: ")

    return call


def test_without_a_command_all_are_listed_and_nothing_is_checked(run):
    status, out, err = run()
    assert (status, err) == (2, "")
    assert re.findall(r"^    (\w+)", out, re.MULTILINE) == list(commands.NAMES)
    for line in re.findall(r"^  workbench (.*?)  ", out, re.MULTILINE):
        cli.make_parser(line.split()[0]).parse_args(line.split())


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"check {DIGITS}", "unknown model or configuration '999"),
        (f"check bakery --set Writers={DIGITS}", "Writers = "),
        (f"check bakery --set Writers={'[' * 50_000}", "Writers = "),
        ("check bakery --set Writers=\udcff", "Writers = "),
        ("check bakery --set a\nb", r"--set 'a\nb' is not accepted; it takes NAME=VALUE"),
        ("check bakery --warp=a\nb", r"workbench check: '--warp=a\nb' is not accepted"),
        (f"validate bakery workbench:bakery?Writers={DIGITS}#0/", "permalink: Writers = '99999"),
        (f"validate bakery workbench:bakery?Writers={DEEP}#0/", "permalink: Writers = '[[[["),
        ('validate bakery workbench:bakery?Writers="\udcff"#0/', "permalink: '\"\\udcff\"' is not UTF-8 text"),
        (f"validate bakery workbench:{'x' * 5000}?{'y' * 5000}=1#0/", "the permalink is for 'xxx"),
        ("check a\0b.toml", r"configuration 'a\x00b.toml' cannot be read: embedded null byte"),
        (f"validate bakery workbench:bakery{'#' * 6000}", "permalink 'workbench:bakery###"),
    ],
)
def test_arguments_that_go_too_far(refused, command, said):
    assert refused(*command.split(" ")).startswith(said)


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [
        ("check one", f"{BAKERY}constants.Writers = {HUGE}", "one: Writers = 0xffff"),
        ("check one", f"{BAKERY}constants.Writers = {'9' * 4000}", "one: Writers = 0x"),
        ("check one", f"{BAKERY}constants.Writers = {DEEP[800:-800]}", "one: Writers = [[[[["),
        ("check one", f"{BAKERY}title = {HUGE}", "one: title = 0xffff"),
        ("check one", f"{BAKERY}expect.distinct = {HUGE}", "one: expect.distinct = 0xffff"),
        ("check one", f"{BAKERY}expect.verdicts.UniqueTickets = {{violated = {HUGE}}}", "one: expect.verdicts.Unique"),
        ("check one", f"a = {'[' * 50_000}", "configuration 'one' is nested too deeply to be read"),
        ("check one", f"a = {DIGITS}", "configuration 'one' is not TOML: Exceeds the limit"),
        ("check one", "\xff\xfe", "configuration 'one' cannot be read: not UTF-8 text"),
        ("check one", "\0", "configuration 'one' is not TOML: "),
        (
            "validate bakery one",
            TRACE % f'{{"#bigint": "{DIGITS}"}}',
            "one: states[0].claims has 6,000 digits; ",
        ),
        ("validate bakery one", TRACE % DEEP[700:-700], "one: states[0].claims[0][0][0]"),
        ("validate bakery one", f'{TRACE[:-1] % 1}, "loop": "{DIGITS}"}}', "one: loop = '99999"),
        ("validate bakery one", f'{TRACE[:-1] % 1}, "loop": {DEEP}}}', "one: the trace is not accepted: it is nested"),
    ],
)
def test_files_that_go_too_far(refused, tmp_path, monkeypatch, command, text, said):
    monkeypatch.chdir(tmp_path)
    Path("one").write_text(text, "latin-1")
    assert refused(*command.split()).startswith(said)


def test_a_file_that_is_called_like_a_library_does_not_replace_it(run, tmp_path):
    path = shutil.copy(ROOT / "workbench/protocols/classics/peterson.py", tmp_path / "json.py")
    assert run("check", f"{path}:Peterson").status == 0
    assert sys.modules["json"] is json


@pytest.mark.parametrize("command", ["check", "show", "report", "graph", "replay", "scenario", "sweep", "save", "nope"])
def test_arguments_that_are_no_text(refused, command):
    assert refused(command, "\udcff", "\udcff")


def test_a_benchmark_against_no_commit(capsys):
    assert bench(["--against", "no-such-commit"]) == 2
    assert capsys.readouterr().err.startswith("bench: --against 'no-such-commit' is not")
    assert bench(["--against", "HEAD", "--only", "small"]) == 2
    assert "--only is not accepted with --against" in capsys.readouterr().err
    assert bench(["--slower", "20"]) == 2
    assert capsys.readouterr().err.startswith("bench: --slower is accepted with --against alone")


def test_a_benchmark_fails_where_it_is_slower_or_counts_differ(monkeypatch, capsys):
    def measured(commit):
        rows = [("same", "yes", 0.84), ("slow", "yes", 0.83), ("other", "NO", 2.0), ("process", "", 1.0)]
        return [dict(zip(("search", "same counts", "times"), row, strict=True)) for row in rows]

    monkeypatch.setattr("bench.versions.measure", measured)
    assert bench(["--against", "HEAD"]) == 0
    capsys.readouterr()
    assert bench(["--against", "HEAD", "--slower", "20"]) == 1
    assert [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()] == ["slow", "other"]


@pytest.mark.slow
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


# Configurations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted({name.rpartition("/")[2] for name in configurations.shipped()} & set(models())))
def test_a_configuration_with_the_name_of_a_model_takes_it_as_it_is(name):
    """So that it does not matter that the model's name goes first."""
    (path,) = (path for path in configurations.shipped().values() if path.stem == name)
    one, model = configurations.configuration(path), get_model(name)()
    assert (type(one.model.author), one.model.constants) == (type(model), model.constants)
    assert (one.properties, one.symmetry) == (None, ())


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
    monkeypatch.setattr("workbench.commands.output.checked.MOST_KEPT", 0)
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
    assert "not on this page, which keeps up to 0 states. workbench export" in page


def test_a_report_on_what_is_not_finished_does_not_say_as_expected(run, one, results, monkeypatch, tmp_path):
    stopped = replace(results[1], stopped="the budget of 10 states is used up")
    monkeypatch.setattr("workbench.commands.check.check", lambda *_, **__: stopped)
    assert run("check", one.path, "-o", tmp_path / "page.html")[0] == 3
    page = (tmp_path / "page.html").read_text()
    assert "as expected" not in page
    assert "not on this page, since a search was not completed" in page


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
    monkeypatch.setattr("workbench.checking.questions.constant_grid.plans_of", lambda *_: [plan, plan])
    monkeypatch.setattr("workbench.checking.questions.settings.SettingsTask.check", checked)
    status, out, _ = run("sweep", "bakery", "--grid", "MaxCrashes=0,1")
    assert status == expected
    assert out.endswith(f"2 settings: {said}")
    assert json.loads(run("sweep", "bakery", "--grid", "MaxCrashes=0,1", "--json")[1])["notes"] == ["a note"]


def test_a_sweep_into_a_folder_does_not_say_that_nothing_is_written(run, tmp_path):
    asked = ("sweep", "bakery", "--grid", "MaxTickets=1,2", "--property", "UniqueTickets", "-o", tmp_path / "stored")
    _, first, said = run(*asked)
    assert "nothing is written" not in said
    assert list((tmp_path / "stored").iterdir())
    assert run(*asked)[1] == first


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
    for variable, held in model.declared.variables.items():
        assert f"\n{variable} " in out
        assert held.doc[:25] in out
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
    options = {"stdout": subprocess.PIPE, **options}
    return subprocess.Popen([sys.executable, "-m", "workbench", *arguments], cwd=ROOT, text=True, **options)


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
@pytest.mark.parametrize(
    "arguments",
    [
        "list",
        f"check bakery {' '.join(SAFETY)}",
        f"check bakery {' '.join(SAFETY)} --json",
        "export peterson --set Processes=2 -o .dot",
    ],
)
def test_output_that_there_is_no_room_for(arguments):
    line = f"{sys.executable} -m workbench {arguments} >/dev/full"
    done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True)
    (line,) = complaints(done.stderr)
    assert done.returncode == 2
    assert line == "workbench: standard output cannot be written: No space left on device"


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


@pytest.mark.parametrize(
    "line",
    [
        "check peterson --set x=1 --json",
        "check peterson --max-states x --json",
        "check peterson --json --warp",
        "walk peterson --js --property x",
        "sweep peterson --grid x=1 --json",
        "validate peterson nothing.itf.json --json",
        "scenario peterson nothing.txt --json",
        "audit nothing --json",
        "drive nobody nothing --json",
        "check LOUD:Leaving --json",
        "nope --json",
    ],
)
def test_an_error_is_an_answer_as_json(run, loud, line):
    status, out, err = run(*line.replace("LOUD", str(loud)).split())
    (said,) = [line for line in err.splitlines() if line.startswith("workbench")]
    assert status == 2
    assert said.endswith(f": {json.loads(out)['error']}")
    status, out, _ = run("list", "nope")
    assert (status, out) == (2, "")


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
    assert "\n+ holds                    UniqueTickets" in out
    for arguments in (("check", "hudi/one_table"), ("sweep", "peterson", "--grid", "LeavesLevels=true,false")):
        with process(*arguments, stderr=subprocess.PIPE, env=environment) as running:
            out, _ = running.communicate()
        marks = {word for line in out.splitlines() for word in line.split() if len(word) == 1 and not word.isdigit()}
        assert marks == ({"+"} if arguments[0] == "check" else {"+", "x"})


def test_a_sign_that_an_encoding_lacks_is_no_question_mark(tmp_path):
    with (tmp_path / "out").open("w", encoding="ascii") as out, standard.writing_to(out):
        standard.say("✓ (✗) a → b é ?")
    assert (tmp_path / "out").read_text() == "+ (x) a -> b \\xe9 ?\n"


def on_a_terminal(columns, *arguments):
    """What a command prints on a terminal of so many columns, without its colours."""
    terminal, other_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    with process(*arguments, stdout=other_end, stderr=subprocess.DEVNULL, env=environment) as running:
        os.close(other_end)
        shown = b""
        with contextlib.suppress(OSError):  # the other end has been closed
            while more := os.read(terminal, 4096):
                shown += more
    os.close(terminal)
    assert running.returncode == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())


@pytest.mark.slow
@pytest.mark.parametrize("columns", [80, 100])
def test_tables_fit_the_terminal(columns):
    tables = on_a_terminal(columns, "list", "peterson").partition("Constants")[2].partition("Symmetric")[0]
    assert max(map(len, tables.splitlines())) <= columns
    table = on_a_terminal(columns, "check", "hudi/one_table", "classics/peterson").partition("\r\n\r\n")[0]
    assert max(map(len, table.splitlines())) <= columns
    assert ("(17 states)" in table, "OneHistory violated (17 states)" in table) == (True, columns == 100)


SHOUTING = """
from workbench.kernel import Constant, Model, Variable, action, invariant, reachable

class Shouting(Model):
    INCOMPLETE = Constant(False, bool)
    n = Variable(0)

    @action
    def step(self, s):
        s.n = 1

    @invariant
    def VIOLATED(self, s):
        return s.n == 0 or self.INCOMPLETE or "INCOMPLETE: all\\n\N{CHECK MARK} holds  Other\\rVIOLATED: too"

    @reachable
    def One(self, s):
        return s.n == 1
"""


@pytest.fixture
def coloured(monkeypatch):
    """Has commands print colours; the function returns each colour in a text, and what has it."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    return re.compile(r"\x1b\[([0-9;]+)m(.*?)\x1b\[0m").findall


def test_colours_are_for_what_the_workbench_says_whatever_models_are_called_and_say(run, tmp_path, coloured):
    model = f"{tmp_path / 'shouting.py'}:Shouting"
    (tmp_path / "shouting.py").write_text(SHOUTING)
    verdicts = [("1;31", "\N{BALLOT X}"), ("32", "\N{CHECK MARK}")]
    assert coloured(run("check", model).out) == [*verdicts, ("1", "VIOLATED")]
    _, out, _ = run("check", model, "--max-states", 1)
    assert coloured(out) == [("1;33", "INCOMPLETE"), ("33", "?"), ("33", "?")]
    assert coloured(run("walk", model, "--walks", 1).out) == [*verdicts, ("1", "VIOLATED")]
    _, out, _ = run("sweep", model, "--grid", "INCOMPLETE=false,true")
    assert "INCOMPLETE  VIOLATED" in out
    assert "\nVIOLATED holds where INCOMPLETE" in out
    assert coloured(out) == []


def test_the_colours_of_configurations_and_of_an_audit(run, toml, tmp_path, coloured):
    wrong, right = toml(f"{BAKERY}[expect]\ndistinct = 1\n", "wrong.toml"), toml(BAKERY)
    assert coloured(run("check", right, wrong).out) == [("32", "\N{CHECK MARK}"), ("1;31", "\N{BALLOT X}")]
    table, files = delta(tmp_path / "table")
    (table / files["entry"][0]).write_text("damaged")
    assert coloured(run("audit", table).out) == [("1;33", "DAMAGED")]


def interrupt(*arguments, shows=rb"level \d\d"):
    """Run a command with a terminal for its progress, and interrupt it once that `shows` how far its search has come.

    By then its kernels are loaded: before, there is nothing that it could go on from.
    """
    terminal, other_end = pty.openpty()
    with process(*arguments, stderr=other_end, env={**os.environ, "TERM": "xterm"}) as running:  # a dumb one shows none
        os.close(other_end)
        shown = b""
        while not re.search(shows, shown):
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


@pytest.mark.slow
def test_control_c_gives_a_partial_result():
    status, out = interrupt("check", "bakery_v2", "--set", "Writers=4", "--set", "MaxCrashes=2", *SAFETY)
    assert status == 3
    assert "INCOMPLETE: interrupted" in out
    assert "unknown                  UniqueTickets" in out
    assert "\n0 distinct" not in out


@pytest.mark.slow
def test_control_c_at_what_a_terminal_shows_as_violated_gives_the_trace(growing):
    said = rb"level \d\d.*?Inv is violated after 4 steps; the search goes on \(Ctrl-C ends it\)"
    status, out = interrupt("check", growing, shows=re.compile(said, re.DOTALL))
    assert status == 1
    assert "INCOMPLETE: interrupted" in out
    assert "violated (5 states)      Inv" in out
    assert "Inv is violated" not in out


@pytest.mark.slow
def test_control_c_ends_a_list_of_configurations(toml):
    large = toml('model = "bakery_v2"\nproperties = ["UniqueTickets"]\nconstants = {Writers = 4, MaxCrashes = 2}\n')
    small = toml(BAKERY, "two.toml")
    status, out = interrupt("check", str(large), str(small))
    assert status == 3
    assert "one.toml is incomplete: interrupted" in out
    assert "0 of 2 configurations are as expected" in out


#: Runs a command, and at its imports, or at every so many calls, a copy of its process, which is interrupted there.
#: Prints how the copies ended - with their status, standard output and standard error - and how many of them.
AT_EACH_MOMENT = """
import json, os, runpy, signal, sys
from collections import Counter
kind, every, *sys.argv[1:] = sys.argv[1:]
parent, moments, endings, printing = os.getpid(), 0, Counter(), os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

def moment():
    global moments
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # Python's, which is still starting
        return
    moments += 1
    if moments % int(every) or os.getpid() != parent:
        return
    written = [os.memfd_create(name) for name in ("out", "err")]
    if child := os.fork():
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        endings[status, *(os.pread(one, 10**6, 0).decode() for one in written)] += 1
        for one in written:
            os.close(one)
    else:
        sys.settrace(None)
        os.dup2(written[0], 1), os.dup2(written[1], 2)
        os.kill(os.getpid(), signal.SIGINT)

def leave(status, leave=os._exit):
    if os.getpid() == parent:
        sys.settrace(None)
        os.write(printing, json.dumps([*endings.items()]).encode())
    leave(status)

os._exit = leave
sys.addaudithook(lambda event, _: event == kind and moment())
if kind == "call":
    sys.settrace(lambda *_: moment())
from workbench.__main__ import main
main()
"""


def test_next_to_nothing_is_loaded_before_control_c_is_handled():
    script = """
import __future__, atexit, importlib, io, os, signal, sys
before = {*sys.modules}
import workbench.__main__
print(*sorted({*sys.modules} - before))
"""
    assert python(script, here=ROOT, check=True).stdout == "workbench workbench.__main__\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "every", "command"),
    [
        ("import", 1, ["list"]),
        ("import", 4, ["check", "peterson", "--engine", "reference", "--json"]),
        ("call", 7919, ["check", "peterson", "--engine", "reference", "--json"]),
        ("call", 4999, ["audit", "TABLE", "--json"]),
    ],
)
def test_control_c_at_each_moment(tmp_path, kind, every, command):
    """One line, or what the search has found: never a traceback, and nothing is taken for a violation."""
    table, _ = delta(tmp_path / "table")
    done = python(AT_EACH_MOMENT, kind, every, *(table if word == "TABLE" else word for word in command), here=ROOT)
    endings = json.loads(done.stdout)
    assert sum(times for _, times in endings) > 20
    for (status, out, err), _ in endings:
        told = complaints(err)
        assert told[-1:] == ["workbench: interrupted"] or told == ["stopping ...; once more ends it"], (status, err)
        assert status == 3 or (status == 0 and json.loads(out)["complete"]), (status, out)


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


@pytest.mark.slow
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
    said = [line for line in err.splitlines() if not line.startswith(("level ", "  "))]  # as on a busy machine
    assert said in ([], ["workbench: interrupted"], ["stopping ...; once more ends it", "workbench: interrupted"])


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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(("line", "repair"), REPAIRS.items(), ids=lambda text: text.split()[0])
def test_on_a_busy_machine_a_violation_comes_with_its_repair(run, line, repair):
    status, out, _ = run("check", *line.split())
    assert status == 1
    assert f"repair it  {repair}" in out


GUARDED = """
from workbench.language import *

class Guarded(Model):
    Guard = Constant(1, range(0, 5), "from how many on it stops")
    Stops = Constant(False, bool, "whether it never begins")
    n = Variable(0)

    @action
    def count(self, s):
        require(not self.Stops)
        require(s.n < 3 and not (self.Guard and s.n >= self.Guard))
        s.n += 1

    @invariant
    def Small(self, s):
        return s.n < 2

    @reachable
    def Begins(self, s):
        return s.n > 0
"""


def test_a_number_off_its_default_may_be_the_repair(run, tmp_path):
    path = tmp_path / "guarded.py"
    path.write_text(GUARDED)
    _, out, _ = run("check", path, "--set", "Guard=0", "-o", tmp_path / "page.html")
    assert "repair it  Guard=1, or Stops=on (but breaks Begins)\n" in out
    assert "<code>Guard=1, or Stops=on (but breaks Begins)</code>" in (tmp_path / "page.html").read_text()


def test_a_repair_that_breaks_what_is_checked_by_default_says_so(run, tmp_path):
    path = tmp_path / "guarded.py"
    path.write_text(GUARDED)
    _, out, _ = run("check", path, "--set", "Guard=0", "--property", "Small")
    assert "repair it  Guard=1, or Stops=on (but breaks Begins)\n" in out


def test_where_trying_is_too_much_a_shipped_configuration_knows_the_repair(run, monkeypatch):
    monkeypatch.setattr("workbench.kernel.Machine.most_tried", 10)
    _, out, _ = run("check", "two_phase_commit", "--set", "LosesPatience=true")
    assert "repair it  LosesPatience=off" in out


@pytest.mark.parametrize("word", ["story.txt", "-"])
def test_an_argument_that_may_be_left_out_may_stand_after_options(word):
    given = cli.make_parser("scenario").parse_args(["scenario", "bakery", "--set", "Writers=2", word])
    assert (given.model, given.file, given.set) == ("bakery", word, ["Writers=2"])
