"""A protocol in a repository of its own: what is found is shown at its line, and figures are accepted on purpose."""

import codecs
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from pages import RELEASE

import workbench
from tests.command import Run
from tests.places import ROOT
from workbench.commands import figures
from workbench.kernel import InputError

PAGE = (ROOT / "docs" / "operating.md").read_text()
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
LOCKED = 'require(s.holder is None, f"{s.holder} holds the lock")'
ANNOTATION = re.compile(r"::(?P<level>\w+) (?P<given>[^:]*)::(?P<message>.*)")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Path:
    """A git repository with a model of one's own, which is as expected; the working folder is its top."""
    top = tmp_path / "repository"
    top.mkdir()
    monkeypatch.chdir(top)
    subprocess.run(["git", "init", "--quiet"], check=True)
    assert run("new", "counter", "-o", "specs/own").status == 0
    return top


def break_the_lock(model: Path) -> None:
    text = model.read_text()
    assert LOCKED in text
    model.write_text(text.replace(LOCKED, "pass"))


def line_of(file: Path, text: str) -> int:
    (number,) = (number for number, line in enumerate(file.read_text().splitlines(), 1) if text in line)
    return number


def annotations(out: str) -> list[dict[str, str]]:
    found = []
    for said in ANNOTATION.finditer(out):
        given = dict(part.split("=", 1) for part in said["given"].split(","))
        found.append({"level": said["level"], "message": said["message"], **given})
    return found


# At its line ---------------------------------------------------------------------------------------------------------


def test_what_is_as_expected_says_nothing(repository: Path, run: Run) -> None:
    done = run("check", "./specs", "--annotations", "-o", "junit.xml")
    assert (done.status, annotations(done.out)) == (0, [])
    assert ElementTree.parse("junit.xml").getroot().get("failures") == "0"


@pytest.mark.parametrize("within", [".", "specs", "specs/own"])
def test_a_broken_property_is_shown_where_it_is_defined(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch, within: str
) -> None:
    """Files are named from the top of the repository, wherever in it the command is run."""
    model, configuration = repository / "specs/own/counter.py", repository / "specs/own/counter.toml"
    break_the_lock(model)
    monkeypatch.chdir(within)
    done = run("check", ".", "--annotations", "-o", "junit.xml")
    assert done.status == 1
    lost, distinct, generated = annotations(done.out)
    for one, name in ((distinct, "distinct"), (generated, "generated")):
        assert one["file"] == "specs/own/counter.toml"
        assert int(one["line"]) == line_of(configuration, f"{name} = ")
    assert distinct["message"] == "distinct: expected 5, found 8"
    assert lost["file"] == "specs/own/counter.py"
    assert int(lost["line"]) == line_of(model, "def NothingLost")
    expected = "NothingLost: expected holds, found violated (5 states): 2 workers have written, and the counter is 1"
    assert (lost["level"], lost["message"]) == ("error", expected)
    (case,) = ElementTree.parse("junit.xml").getroot().iter("testcase")
    assert case.get("file") == "specs/own/counter.py"
    assert "distinct: expected 5, found 8; " in str(case.find("failure").get("message"))


def test_a_model_of_another_folder_is_found_from_the_top(repository: Path, run: Run) -> None:
    """As is a configuration that goes up to it, which has a link for its name."""
    (repository / "models").mkdir()
    model = (repository / "specs/own/counter.py").rename(repository / "models/counter.py")
    configuration = repository / "specs/own/counter.toml"
    configuration.write_text(configuration.read_text().replace('"counter.py:', '"../../models/counter.py:'))
    (repository / "specs/link.toml").symlink_to("own/counter.toml")
    break_the_lock(model)
    found = annotations(run("check", "specs/own", "--annotations").out)
    assert [one["file"] for one in found] == ["models/counter.py"] + ["specs/own/counter.toml"] * 2
    linked = run("check", "specs/link.toml", "--annotations")  # the path in it is that from the link
    assert (linked.status, linked.err.count("\n")) == (2, 1)


def test_what_was_installed_is_not_shown_as_a_file_of_the_repository(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment often is in the repository's folder."""
    break_the_lock(repository / "specs/own/counter.py")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(repository / "specs/own"))
    found = annotations(run("check", "specs", "--annotations").out)
    assert len(found) == 3
    assert not any("file" in one or "line" in one for one in found)


# Accepted ------------------------------------------------------------------------------------------------------------


def test_new_figures_are_accepted_and_nothing_else_changes(repository: Path, run: Run) -> None:
    configuration = Path("specs/own/counter.toml")
    before = configuration.read_text().replace("distinct = 5", "distinct = 5   # counted by hand")
    configuration.write_text(before)
    break_the_lock(Path("specs/own/counter.py"))
    done = run("check", "specs", "--accept")
    assert done.status == 0
    assert done.out.splitlines() == [
        "specs/own/counter.toml expects what was found:",
        "  distinct: 5 -> 8",
        "  generated: 6 -> 10",
        "  VERDICT NothingLost: holds -> violated (5 states)",
        "1 configuration changed, 0 as before, 0 not accepted; 1 VERDICT changed: be sure that you know why",
    ]
    for old, new in (
        ("distinct = 5 ", "distinct = 8 "),
        ("generated = 6", "generated = 10"),
        ('NothingLost = "holds"', "NothingLost = { violated = 5 }"),
    ):
        assert old in before
        before = before.replace(old, new)
    assert configuration.read_text() == before
    assert run("check", "specs").status == 0
    assert run("check", "specs", "--accept").out == "0 configurations changed, 1 as before, 0 not accepted\n"


def test_accepting_keeps_a_byte_order_mark_and_the_ends_of_lines(repository: Path, run: Run) -> None:
    """As an editor on Windows leaves them."""
    configuration = Path("specs/own/counter.toml")
    windows = codecs.BOM_UTF8 + configuration.read_bytes().replace(b"\n", b"\r\n")
    configuration.write_bytes(windows.replace(b"distinct = 5", b"distinct = 6"))
    wrong = annotations(run("check", "specs", "--annotations").out)
    assert [int(one["line"]) for one in wrong] == [line_of(configuration, "distinct = 6")]
    assert run("check", "specs", "--accept").status == 0
    assert configuration.read_bytes() == windows


def test_a_configuration_that_expects_nothing_gets_all_figures(repository: Path, run: Run) -> None:
    first = Path("specs/own/first.toml")
    first.write_text('model = "counter.py:Counter"\nconstants = { UseLock = false }\n')
    assert run("check", str(first)).status == 1
    done = run("check", str(first), "--accept")
    assert (done.status, "VERDICT" in done.out) == (0, False)
    assert first.read_text() == (
        'model = "counter.py:Counter"\nconstants = { UseLock = false }\n'
        "\n[expect]\ndistinct = 13\ndepth = 5\n"
        '\n[expect.verdicts]\nNothingLost = { violated = 5 }\nEverybodyWrites = { reached = 5 }\nFinishes = "holds"\n'
    )
    assert run("check", str(first)).status == 0


def test_what_is_not_known_is_not_accepted(repository: Path, run: Run) -> None:
    configuration = Path("specs/own/counter.toml")
    before = configuration.read_bytes()
    done = run("check", "specs", "--accept", "--max-states", "3")
    assert done.status == 3
    assert "nothing is accepted: the search is incomplete: the budget of 3 states is used up" in done.out
    assert configuration.read_bytes() == before


def test_figures_in_another_form_are_left_to_their_author_and_no_file_changes(repository: Path, run: Run) -> None:
    break_the_lock(Path("specs/own/counter.py"))
    Path("specs/own/short.toml").write_text('model = "counter.py:Counter"\nexpect = { distinct = 9 }\n')
    before = {path: path.read_bytes() for path in Path("specs").rglob("*.toml")}
    done = run("check", "specs", "--accept")
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith(
        "short.toml: its figures stand in a form that is not rewritten; it takes a line for each below [expect]\n"
    )
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("bakery", "--accept is not accepted with a model; it goes with configurations"),
        ("v2_race", "'v2_race' is not accepted with --accept; it takes files and folders of yours"),
        ("specs --no-symmetry", "--no-symmetry is not accepted with --accept"),
        ("specs -o j.xml", "--output is not accepted with --accept"),
        ("specs -o t.json", "--output is not accepted with --accept"),
    ],
)
def test_what_does_not_go_with_accepting_is_said_in_one_line(
    repository: Path, run: Run, arguments: str, said: str
) -> None:
    done = run("check", *arguments.split(), "--accept")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("[expect]\r\ndistinct=9\r\n", '[expect]\r\ndistinct=12\r\n\r\n[expect.verdicts]\r\nSafe = "holds"\r\n'),
        ("[ expect ]  # see\ndistinct = 9", '[ expect ]  # see\ndistinct = 12\n\n[expect.verdicts]\nSafe = "holds"\n'),
        (
            '[expect.verdicts]\n"Safe" = { violated = 3 }  # why\n\n[expect]\ndistinct = 4_000 # many\n[constants]\n',
            '[expect.verdicts]\n"Safe" = "holds"  # why\n\n[expect]\ndistinct = 12 # many\n[constants]\n',
        ),
        (
            "[expect.verdicts]\n\n[constants]\ndistinct = 9\n[expect]\ndistinct = 9\n",
            '[expect.verdicts]\nSafe = "holds"\n\n[constants]\ndistinct = 9\n[expect]\ndistinct = 12\n',
        ),
    ],
)
def test_only_figures_are_rewritten(text: str, changed: str) -> None:
    found = {("expect", "distinct"): "12", ("expect", "verdicts", "Safe"): '"holds"'}
    assert figures.rewritten(text, found) == changed
    assert figures.rewritten(changed, found) == changed


@pytest.mark.parametrize(
    "text",
    [
        "expect.distinct = 9\n",
        "expect = { distinct = 9 }\n",
        'title = """\n[expect]\ndistinct = 1\n"""\n[expect]\ndistinct = 9\ntitle = """\ndistinct = 3\n"""\n',
    ],
)
def test_what_would_be_rewritten_wrongly_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="form that is not rewritten"):
        figures.rewritten(text, {("expect", "distinct"): "12"})


# The page ------------------------------------------------------------------------------------------------------------


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_uses_the_action_and_the_hook_as_they_are() -> None:
    github, gitlab, pre_commit, _ = map(yaml.safe_load, blocks("yaml"))
    version = f"{RELEASE}{workbench.__version__}"
    *_, python, install, check = github["jobs"]["check"]["steps"]
    assert python["with"] == {"python-version": ACTION["inputs"]["python-version"]["default"]}
    assert install["run"] == gitlab["protocol"]["script"][0] == f"pip install {version}"
    assert "workbench check ./specs --annotations" in check["run"]
    assert gitlab["protocol"]["artifacts"]["reports"]["junit"] in gitlab["protocol"]["script"][1].split()
    (repo,), (hook,) = pre_commit["repos"], HOOKS
    (local,) = repo["hooks"]
    assert local.pop("additional_dependencies") == [version]
    assert local.pop("files") == "^specs/"
    assert {**local, "args": hook["args"], "description": hook["description"]} == hook
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \|", PAGE, re.MULTILINE))
    assert list(rows) == list(ACTION["inputs"])
    for name, default in rows.items():
        assert ACTION["inputs"][name]["default"] == default.strip("`") or not ACTION["inputs"][name]["default"]


# The action and the hook ---------------------------------------------------------------------------------------------


def test_the_action_is_of_the_form_that_forges_read() -> None:
    """As GitHub describes metadata of composite actions."""
    assert set(ACTION) <= {"name", "description", "author", "inputs", "outputs", "runs", "branding"}
    assert ACTION["runs"]["using"] == "composite"
    for one in ACTION["inputs"].values():
        assert set(one) <= {"description", "required", "default"}
        assert isinstance(one["description"], str)
        assert isinstance(one["default"], str)
    steps = {step["id"] for step in ACTION["runs"]["steps"] if "id" in step}
    for step in ACTION["runs"]["steps"]:
        if "uses" in step:
            assert re.fullmatch(r"actions/(setup-python|cache)@[0-9a-f]{40}", step["uses"]), (
                "pinned, and of nobody else"
            )
        else:
            assert step["shell"] == "bash", "a composite action names the shell"
            assert "${{" not in step["run"], "what a workflow says is no part of a script"
        for said in re.findall(r"\${{ (.*?) }}", str(step)):
            room, name, *_ = said.split(".")
            known = {"github": {"action_path"}, "runner": {"os", "arch", "temp"}, "inputs": ACTION["inputs"]}
            known |= {"steps": steps}
            assert name in known[room]


def run_step(name: str, here: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the action as a runner does."""
    (step,) = (step for step in ACTION["runs"]["steps"] if step.get("name") == name)
    assert set(environment) - {"GITHUB_OUTPUT"} == set(step["env"])
    given = {**os.environ, "RUNNER_TEMP": str(here), "PYTHONPATH": str(ROOT), **environment}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, env=given, capture_output=True, text=True, check=False)


def test_the_action_keeps_what_it_has_installed_and_compiled_until_its_source_changes(tmp_path: Path) -> None:
    def key(line: str) -> str:
        source, output = tmp_path / "action", tmp_path / "output"
        shutil.rmtree(source, ignore_errors=True)
        for name in ("workbench/__pycache__", "specs"):
            (source / name).mkdir(parents=True)
        (source / "pyproject.toml").write_text("[project]\n")
        (source / "workbench/cli.py").write_text(line)
        (source / "workbench/__pycache__/cli.pyc").write_text(str(tmp_path.stat().st_mtime_ns))
        output.unlink(missing_ok=True)
        done = run_step("Name what is kept", tmp_path, SOURCE=str(source), GITHUB_OUTPUT=str(output))
        assert done.returncode == 0, done.stderr
        return output.read_text()

    assert re.fullmatch(r"digest=[0-9a-f]{64}\n", key("one"))
    assert key("one") == key("one") != key("two")
    *_, kept, install, _ = ACTION["runs"]["steps"]
    assert kept["with"]["path"] == "${{ runner.temp }}/workbench"
    assert install["if"] == f"steps.{kept['id']}.outputs.cache-hit != 'true'"
    assert install["run"].rstrip().endswith("-m workbench.checking.warm")


def test_the_action_annotates_and_fails_as_the_check_does(repository: Path, tmp_path: Path) -> None:
    program = tmp_path / "workbench/bin/workbench"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m workbench "$@"\n')
    program.chmod(0o755)
    asked = {"PATHS": "./specs\n specs/own/counter.toml", "ARGS": "--max-states 1000", "JUNIT": "report.xml"}
    break_the_lock(Path("specs/own/counter.py"))
    done = run_step("Check", tmp_path, **asked)
    assert done.returncode == 1
    assert len(annotations(done.stdout)) == 6
    assert ElementTree.parse("report.xml").getroot().get("failures") == "2"
    done = run_step("Check", tmp_path, **{**asked, "PATHS": "specs/*"})
    assert done.returncode == 2
    assert done.stdout == "::error::specs/* is not in this repository; paths takes files and folders that are\n"


def test_the_hook_is_of_the_form_that_pre_commit_reads() -> None:
    (hook,) = HOOKS
    assert set(hook) <= {"id", "name", "description", "entry", "args", "language", "types_or", "pass_filenames"} | {
        "require_serial"
    }
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert hook["entry"].split()[0] in scripts
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False


def test_the_hook_does_not_take_the_configurations_of_the_workbench_for_those_of_a_repository(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (folder,) = HOOKS[0]["args"]
    assert folder == ACTION["inputs"]["paths"]["default"]
    done = run("check", folder)
    assert (done.status, done.out) == (2, "")
    assert done.err == "workbench: there is no file or folder './specs'\n"
