"""The command line: what it prints, its exit status, and one line - never a traceback - for whatever is wrong."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from workbench import commands
from workbench.cli import main
from workbench.models import MODELS, get_model

ROOT = Path(__file__).parent.parent
SAFETY = ["--property", "UniqueTickets", "--property", "NoLakekeeperConflict"]
RACE = ["bakery_v2", "--set", "StepGranularity=atomic", "--set", "AsyncParquet=true", "--set", "RestampPatch=false"]

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
def run(capsys):
    """Run a command in this process: the exit status, standard output, standard error."""

    def call(*arguments):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as done:
            status = done.code
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.fixture
def refused(run):
    """Run a command that must be refused, and return the line that says why."""

    def call(*arguments):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        assert err.endswith("\n")
        assert len(err.splitlines()) == 1
        assert "Traceback" not in err
        return err.strip()

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
    found = json.loads(out)
    assert found.pop("seconds") >= 0
    assert found == {
        "model": "bakery",
        "constants": {**get_model("bakery")().constants, "Writers": ["w1", "w2"]},
        "engine": "reference" if engine == "reference" else "local",
        "symmetry": [],
        "complete": True,
        "distinct": 410,
        "generated": 727,
        "depth": 13,
        "properties": [
            {"name": name, "kind": "invariant", "holds": True, "trace_states": None, "why": None}
            for name in ("UniqueTickets", "NoLakekeeperConflict")
        ],
    }


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


# Models of one's own ------------------------------------------------------------------------------------------------


def test_a_model_in_a_file(run, own):
    status, out, _ = run("check", f"{own}:Counter")
    assert status == 1
    assert "4 distinct states" in out
    assert "violated (4 states)      Small: n is [3]" in out
    assert "n: 2 -> 3" in out


def test_show_a_model_in_a_file(run, own):
    status, out, _ = run("show", f"{own}:Counter")
    assert status == 0
    assert "counter: Counts [to three]." in out
    assert "One [more]." in out
    assert run("show", f"{own}:Bare")[0] == 0


def test_a_model_that_breaks_the_rules(refused, own):
    assert ") is not a function of the state" in refused("check", f"{own}:Impure")


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
    assert refused("check", f"{path}{attribute}").startswith("workbench: " + message.format(path=path))


def test_a_file_that_is_called_like_a_library_does_not_replace_it(run, tmp_path):
    path = tmp_path / "json.py"
    path.write_text(OWN)
    assert run("check", f"{path}:Bare")[0] == 0
    assert sys.modules["json"] is json


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nope"],
            "workbench: unknown model 'nope'; known: bakery, bakery_published, bakery_v2,",
        ),
        (["bakry"], "workbench: unknown model 'bakry' (did you mean bakery?)"),
        ([""], "workbench: unknown model ''"),
        ([":"], "workbench: unknown model ':'"),
        (
            ["nope.py:X"],
            "workbench: model file 'nope.py' cannot be read; give an existing file as path/to/file.py:Class",
        ),
        (
            ["bakery", "bakery_v2"],
            "workbench: model 'bakery' is not accepted here; give one model, or files and folders",
        ),
        (["bakery", "--set", "Nope=1"], "workbench: unknown constant of bakery 'Nope'; known: LazyReap"),
        (["bakery", "--set", "Writer=1"], "workbench: unknown constant of bakery 'Writer' (did you mean Writers?)"),
        (["bakery", "--set", "=1"], "workbench: unknown constant of bakery ''"),
        (["bakery", "--set", "Writers"], "workbench: --set 'Writers' is not accepted; it takes NAME=VALUE"),
        (["bakery", "--set", "a\nb"], r"workbench: --set 'a\nb' is not accepted; it takes NAME=VALUE"),
        (["bakery", "--set", "LazyReap=1"], "workbench: LazyReap = 1 is not accepted; it takes true or false"),
        (["bakery", "--set", "LazyReap=True"], "workbench: LazyReap = 'True' is not accepted; it takes true or false"),
        (
            ["bakery", "--set", "MaxCrashes=null"],
            "workbench: MaxCrashes = None is not accepted; it takes an integer from",
        ),
        (
            ["bakery", "--set", "MaxCrashes=4"],
            "workbench: MaxCrashes = 4 is not accepted; it takes an integer from 0 to 3",
        ),
        (["bakery", "--set", "MaxCrashes=1.0"], "workbench: MaxCrashes = 1.0 is not accepted"),
        (
            ["bakery", "--set", "MaxTickets=2"],
            "workbench: MaxTickets = 2 is not accepted; it takes at least the number",
        ),
        (
            ["bakery_v2", "--set", "StepGranularity=coarse"],
            "workbench: StepGranularity = 'coarse' is not accepted; it takes",
        ),
        (
            ["bakery_v2", "--set", 'NodeParts=[["w1"],["w1","w2"]]'],
            "workbench: NodeParts = [['w1'], ['w1', 'w2']] is not a partition of Writers; it must hold",
        ),
        (["bakery_v2", "--set", "NodeParts=[]"], "workbench: NodeParts = [] is not accepted; it takes a list of lists"),
        (["bakery_v2", "--set", "NodeParts=3"], "workbench: NodeParts = 3 is not accepted; it takes a list of lists"),
        (["bakery", "--property", "Nope"], "workbench: unknown property of bakery 'Nope'; known: EventualProgress"),
        (["bakery", "--property", ""], "workbench: unknown property of bakery ''"),
        (["bakery", "--engine", "warp"], "workbench check: argument --engine: invalid choice: 'warp'"),
        (["bakery", "--fingerprint-bits", "7"], "workbench check: argument --fingerprint-bits: invalid choice: 7"),
        (["bakery", "--set"], "workbench check: argument --set: expected one argument"),
        (["bakery", "--warp"], "workbench: unrecognized arguments: --warp"),
        (["bakery", "--warp=a\nb"], "workbench: unrecognized arguments: --warp=a b"),
        ([], "workbench check: the following arguments are required: MODEL|FILE.toml|FOLDER"),
        (["missing.toml"], "workbench: configuration 'missing.toml' cannot be read: No such file or directory"),
        (["./missing"], "workbench: configuration 'missing' cannot be read: No such file or directory"),
        (["x" * 5000], "workbench: [Errno 36] File name too long"),
        (
            ["specs", "--set", "Writers=2"],
            "workbench: --set, --cfg and --property are not accepted with configurations",
        ),
        (
            ["specs", "--property", "UniqueTickets"],
            "workbench: --set, --cfg and --property are not accepted with configurations",
        ),
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
    assert line.startswith("workbench: Writers = ")
    assert line.endswith(" is not accepted; it takes a size from 1 to 6, or a list of that many names")
    assert len(line) < 200


@pytest.mark.parametrize("option", ["--max-states", "--max-seconds", "--max-mib"])
@pytest.mark.parametrize("value", ["0", "-5", "nan", "inf", "-inf", "x", "", "1e", "0x10", "9" * 5000])
def test_budgets_that_are_none(run, option, value):
    status, out, err = run("check", "bakery", *SAFETY, f"{option}={value}")
    kind = "an integer" if option == "--max-states" else "a number"
    assert (status, out) == (2, "")
    assert f"argument {option}: " in err
    assert f"is not accepted; it takes {kind} above 0" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["show"], ["show", "nope"], ["show", ""], ["list", "more"], ["nope"], []])
def test_bad_input_to_other_commands(refused, arguments):
    assert refused(*arguments).startswith("workbench")


# Configurations ----------------------------------------------------------------------------------------------------

BAKERY = 'model = "bakery"\nproperties = ["UniqueTickets"]\n'


@pytest.fixture
def toml(tmp_path):
    def write(text, name="one.toml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_as_expected(run, toml):
    path = toml(
        BAKERY + 'symmetry = ["Writers"]\n[expect]\ndistinct = 838\ndepth = 18\nverdicts.UniqueTickets = "holds"\n'
    )
    status, out, err = run("check", path)
    assert (status, err) == (0, "")
    assert "everything holds" in out
    assert "1 of 1 configurations are as expected" in out


def test_different_from_what_is_expected(run, toml):
    path = toml(BAKERY + "[expect]\ndistinct = 1000\ndepth = 18\nverdicts.UniqueTickets = {violated = 3}\n")
    status, out, _ = run("check", path)
    assert status == 1
    assert "one.toml is not as expected:" in out
    assert "distinct: expected 1,000, found 4,806" in out
    assert "UniqueTickets: expected violated (3 states), found holds" in out
    assert "depth:" not in out
    assert "0 of 1 configurations are as expected" in out


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
    assert "0 of 1 configurations are as expected" in out


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
        ("", "model = None is not accepted; it takes the name of a model"),
        ("model = 7", "model = 7 is not accepted; it takes the name of a model"),
        (
            'model = "nope"',
            "unknown model 'nope'; known: bakery, bakery_published, bakery_v2,",
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
        (BAKERY + "constants.Writers = " + "9" * 4000, "Writers = 999999"),
        (BAKERY + "expect = 3", "expect = 3 is not accepted; it takes a table"),
        (BAKERY + "expect.colour = 3", "unknown key of expect 'colour'; known: depth, distinct, generated, verdicts"),
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
    assert line.startswith(f"workbench: {path}: {message}")
    assert len(line) < len(str(path)) + 400


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("model = [", "is not TOML: Invalid value"),
        (BAKERY + BAKERY, "is not TOML: Cannot overwrite a value"),
        ("a = " + "[" * 50_000, "is not TOML: maximum recursion depth exceeded"),
        ("a = " + "9" * 10_000, "is not TOML: Exceeds the limit"),
        (b"\xff\xfe", "cannot be read: not UTF-8 text"),
        (b"\x00", "is not TOML: "),
    ],
    ids=["unfinished", "twice", "deep", "long", "binary", "null"],
)
def test_what_is_not_toml(refused, toml, text, reason):
    path = toml(text)
    assert refused("check", path).startswith(f"workbench: configuration {str(path)!r} {reason}")


def test_folders_without_configurations(refused, tmp_path):
    assert refused("check", tmp_path) == f"workbench: folder {str(tmp_path)!r} holds no configuration (*.toml)"
    (tmp_path / "folder.toml").mkdir()
    assert "folder.toml' holds no configuration" in refused("check", tmp_path / "folder.toml")
    assert "holds no configuration" in refused("check", tmp_path)


def test_a_file_that_cannot_be_read(refused, tmp_path):
    link = tmp_path / "link.toml"
    link.symlink_to(tmp_path / "nowhere")
    assert "cannot be read: No such file or directory" in refused("check", link)
    link.unlink()
    link.symlink_to(link)
    assert "Too many levels of symbolic links" in refused("check", tmp_path)


# list, show, help ---------------------------------------------------------------------------------------------------


def test_list(run):
    status, out, err = run("list")
    assert (status, err) == (0, "")
    for name in MODELS:
        assert f"\n{name} " in out


@pytest.mark.parametrize("name", MODELS)
def test_show(run, name):
    status, out, err = run("show", name)
    assert (status, err) == (0, "")
    model = get_model(name)
    for constant, declared in model.declared_constants.items():
        assert constant in out
        for text in (declared.doc, declared.describe()):  # long ones are continued on the next line
            assert text[:25] in out
    for other in [*model.declared_actions, *model.declared_properties, *model.symmetry]:
        assert other in out


def test_every_command_explains_itself(run):
    status, out, _ = run("--help")
    assert status == 0
    for command in commands.load():
        assert f"\n    {command.NAME} " in out
        status, helped, _ = run(command.NAME, "--help")
        assert status == 0
        assert command.__doc__.splitlines()[0] in helped


# As a process ------------------------------------------------------------------------------------------------------


def process(*arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "workbench", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True, **options
    )


def test_as_a_process():
    with process("check", "bakery", "--set", "Writers=0", stderr=subprocess.PIPE) as running:
        out, err = running.communicate()
    assert (running.returncode, out) == (2, "")
    assert err == "workbench: Writers = 0 is not accepted; it takes a size from 1 to 6, or a list of that many names\n"


@pytest.mark.parametrize(
    "arguments", [["list"], ["show", "bakery_v2"], ["check", "bakery", *SAFETY, "--json"], ["check", *RACE, *SAFETY]]
)
def test_a_closed_pipe_is_no_error(arguments):
    """As in ``workbench list | head -1``: what nobody reads is not written, and nothing is said about it."""
    with process(*arguments, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        err = running.stderr.read()
    assert (running.returncode, err) == (128 + signal.SIGPIPE, "")


def test_output_that_has_no_check_marks():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with process("check", "bakery", *SAFETY, stderr=subprocess.PIPE, env=environment) as running:
        out, err = running.communicate()
    assert (running.returncode, err) == (0, "")
    assert "? holds                    UniqueTickets" in out


def interrupt(*arguments):
    """Run a command with a terminal for its progress, and interrupt it once the search has come some way."""
    terminal, other_end = pty.openpty()
    with process(*arguments, stderr=other_end) as running:
        os.close(other_end)
        shown = b""
        while b"level " not in shown:
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


def test_control_c_ends_a_list_of_configurations(toml):
    large = toml('model = "bakery_v2"\nproperties = ["UniqueTickets"]\nconstants = {Writers = 4, MaxCrashes = 2}\n')
    small = toml(BAKERY, "two.toml")
    status, out = interrupt("check", str(large), str(small))
    assert status == 3
    assert "one.toml is incomplete: interrupted" in out
    assert "0 of 2 configurations are as expected" in out
