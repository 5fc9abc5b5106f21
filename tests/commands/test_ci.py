"""A protocol in a repository of its own: which figures are rewritten; the action and the hook that check it."""

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
from workbench.commands.output import figures
from workbench.kernel import InputError

PAGE = (ROOT / "docs" / "operating.md").read_text()
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
LOCKED = 'require(s.holder is None, f"{s.holder} holds the lock")'


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


def annotations(out: str) -> list[str]:
    """What each annotation is attached to."""
    return re.findall(r"^::error (.*?)::", out, re.MULTILINE)


def test_what_was_installed_is_not_shown_as_a_file_of_the_repository(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment often is in the repository's folder."""
    break_the_lock(repository / "specs/own/counter.py")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(repository / "specs/own"))
    found = annotations(run("check", "specs", "--annotations").out)
    assert len(found) == 3
    assert not any("file=" in one or "line=" in one for one in found)


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
    inputs = re.findall(r"`([\w-]+)`", PAGE.partition("[action.yml]")[2].partition(".\n")[0])
    assert set() < set(inputs) <= set(ACTION["inputs"])


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


@pytest.mark.slow
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
    assert hook["args"] == ["./specs"] == [ACTION["inputs"]["paths"]["default"]], "specs alone is also the workbench's"
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False
