"""What says how to install, cite and deploy the workbench agrees with itself; the image is built where Docker runs."""

import json
import os
import re
import shutil
import subprocess
import time
import tomllib
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

import workbench
from tests.places import ROOT
from workbench.registry.programs import to_install

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
SETUP = ROOT / "scripts" / "need.sh"


def packages_of(program: str) -> set[str]:
    """Debian's packages for a program, as the set-up of a checkout knows them."""
    found = re.search(rf"^ +{program}\) echo ([\w .-]+) ;;$", SETUP.read_text(), re.MULTILINE)
    assert found is not None
    return set(found[1].split())


def runs(instruction: str) -> list[str]:
    """What follows each `instruction` of the Dockerfile."""
    return re.findall(rf"^{instruction} (.*)$", DOCKERFILE, re.MULTILINE)


# One version, and which Pythons --------------------------------------------------------------------------------------


def test_the_version_is_the_newest_of_the_changelog_and_the_one_to_cite() -> None:
    (newest, date), *_ = re.findall(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert newest == cited["version"] == workbench.__version__
    assert date == str(cited["date-released"])
    assert cited["license"] == PROJECT["license"]


def test_the_workflow_tests_every_python_that_is_supported() -> None:
    oldest, above = PROJECT["requires-python"].removeprefix(">=").split(",<3.")
    pythons = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python :: 3." in line]
    minors = [int(python.partition(".")[2]) for python in pythons]
    assert pythons[0] == oldest
    assert minors == list(range(minors[0], int(above)))
    jobs = workflow()["jobs"]
    assert jobs["quick"]["strategy"]["matrix"]["python"] == pythons
    assert jobs["full"]["strategy"]["matrix"]["python"] == [pythons[0], pythons[-1]]


WORKFLOWS = ROOT / ".github" / "workflows"


def workflow(name: str = "ci") -> dict[str, Any]:
    return yaml.safe_load((WORKFLOWS / f"{name}.yml").read_text())


def commands(name: str) -> list[str]:
    """What the jobs of a workflow run."""
    return [step.get("run", "") for job in workflow(name)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize(("name", "targets"), [("ci", {"quick", "check", "test", "bench"}), ("newest", {"quick"})])
def test_a_workflow_calls_targets_that_are_there_and_needs_no_secret(name: str, targets: set[str]) -> None:
    there = set(re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = {word for command in commands(name) for word in re.findall(r"\bmake (\S+)", command)}
    assert targets <= called <= there
    assert "secrets." not in (WORKFLOWS / f"{name}.yml").read_text()


def test_what_is_not_accepted_above_a_version_is_tried_every_week() -> None:
    """Whatever has an upper bound of ours."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    bound = {found[1] for group in groups for one in group if (found := re.match(r"([\w-]+)>=[\d.]+,<", one))}
    tried = workflow("newest")["jobs"]["newest"]["strategy"]["matrix"]["package"]
    assert {name for name in bound if not name.endswith("-stubs")} == set(tried)


def test_every_way_to_set_up_is_tried_in_a_workflow() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    every = "\n".join(commands("newest"))
    assert f"--name {environment['name']} workbench check" in every
    assert "repo2docker . workbench check" in every


def test_the_release_finds_the_version_that_its_tag_must_be() -> None:
    (step,) = (step for step in workflow()["jobs"]["package"]["steps"] if "tag" in step.get("name", ""))
    for tag, is_right in ((f"v{workbench.__version__}", True), ("v0.0.1", False)):
        environment = {**os.environ, "GITHUB_REF_NAME": tag}
        done = subprocess.run(["bash", "-c", step["run"]], cwd=ROOT, env=environment, check=False)
        assert (done.returncode == 0) == is_right


def test_the_notes_of_a_release_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    *_, step = workflow()["jobs"]["package"]["steps"]
    (tmp_path / "gh").symlink_to("/bin/true")
    changelog = "# Changelog\n\n## Unreleased\n\n- Later\n\n## 1.2.0 - 2026-01-01\n\n- Now\n\n## 1.1.0\n\n- Then\n"
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "GITHUB_REF_NAME": "v1.2.0"}
    subprocess.run(["bash", "-ec", step["run"]], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "notes.md").read_text().split("\n") == ["", "- Now", "", ""]


def test_actions_of_others_are_pinned() -> None:
    for file in (*WORKFLOWS.glob("*.yml"), ROOT / "action.yml"):
        for used in re.findall(r"uses: (.+)", file.read_text()):
            assert used == "./" or re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), used


# Containers ----------------------------------------------------------------------------------------------------------


def test_images_have_what_the_set_up_of_a_checkout_installs() -> None:
    for installed in (set((ROOT / "binder" / "apt.txt").read_text().split()), set(runs("RUN")[0].split())):
        assert installed & packages_of("java")
        assert installed & packages_of("dot")


@pytest.mark.parametrize("program", ["java", "dot"])
def test_what_is_missing_is_said_with_packages_that_the_set_up_knows(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apt-get").symlink_to("/bin/true")
    (tmp_path / "conda").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path))
    assert to_install(program).startswith("install it with: conda install "), "in an environment of conda"
    monkeypatch.delenv("CONDA_PREFIX")
    said = to_install(program)
    assert re.match(r"install it with: (sudo )?apt-get install ", said)
    assert packages_of(program) >= {word.strip("()") for word in said.split("install ")[-1].split()} - {"or"}
    monkeypatch.setenv("PATH", "")
    assert "conda install -c conda-forge" in to_install(program)


def test_the_image_is_small_and_its_user_has_no_special_rights() -> None:
    """What linters of Dockerfiles ask for."""
    (base,) = runs("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", base)
    assert base.removeprefix("python:").partition("-")[0] in str(PROJECT["classifiers"])
    system, *_ = runs("RUN")
    for asked in ("apt-get update", "--yes --no-install-recommends", "rm -rf /var/lib/apt/lists/*"):
        assert asked in system
    (user,) = runs("USER")
    assert int(user) > 0, "a number, so that others can see that it is not root"
    assert f"--uid {user} " in DOCKERFILE
    assert "'/source[all]'" in DOCKERFILE, "the notebooks need every extra"
    as_user = DOCKERFILE[DOCKERFILE.index(f"USER {user}") :]
    assert "python -m workbench.checking.warm" in as_user, "kernels belong to the user's cache"
    assert json.loads(runs("CMD")[0])[:2] == ["jupyter", "lab"]
    assert runs("ADD") == []


def test_binder_calls_what_is_there() -> None:
    post_build = ROOT / "binder" / "postBuild"
    assert os.access(post_build, os.X_OK)
    assert "python -m workbench.checking.warm" in post_build.read_text()
    assert ".[all]" in (ROOT / "binder" / "requirements.txt").read_text().splitlines()
    assert (ROOT / "binder" / "runtime.txt").read_text().strip().removeprefix("python-") in str(PROJECT["classifiers"])


def runs_containers() -> bool:
    docker = shutil.which("docker")
    return docker is not None and subprocess.run([docker, "info"], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_the_image_is_built_and_serves_jupyterlab() -> None:
    if not runs_containers():
        pytest.skip("Docker does not run here")
    subprocess.run(["docker", "build", "--quiet", "--tag", "lakehouse-workbench:test", "."], cwd=ROOT, check=True)
    started = ["docker", "run", "--rm", "--detach", "--publish", "127.0.0.1::8888", "lakehouse-workbench:test"]
    container = subprocess.run(started, check=True, capture_output=True, text=True).stdout.strip()
    try:
        port = subprocess.run(["docker", "port", container, "8888"], check=True, capture_output=True, text=True).stdout
        answer = ""
        for _ in range(600):
            try:
                answer = urllib.request.urlopen(f"http://{port.strip()}/api").read().decode()
                break
            except OSError:  # it has not started yet
                time.sleep(1)
        assert "version" in json.loads(answer)
        checked = subprocess.run(["docker", "exec", container, "workbench", "check", "v2_race"], check=False)
        assert checked.returncode == 0
    finally:
        subprocess.run(["docker", "kill", container], check=True, capture_output=True)


# Setting up ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "shown"), [(0, False), (1, True)])
def test_what_pip_says_is_shown_only_if_it_fails(status: int, shown: bool, tmp_path: Path) -> None:
    said = [
        "Collecting pyspark",
        "  Downloading https://example.org/pyspark-4.3.0.tar.gz (434.4 MB)",
        "  Downloading rich-15.0.0-py3-none-any.whl (0.3 MB)",
        "Building wheels for collected packages: pyspark",
        "Installing collected packages: rich, pyspark, numba",
        "No space left on device",
    ]
    (tmp_path / "said").write_text("\n".join(said) + "\n")
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ncat {tmp_path}/said\nexit {status}\n")
    python.chmod(0o755)
    done = subprocess.run([ROOT / "scripts" / "pip.sh", python, "rich"], capture_output=True, text=True, check=False)
    news = ["  downloading pyspark-4.3.0.tar.gz, 434 MB", "  building pyspark", "  installing 3 packages"]
    assert done.stdout.splitlines() == news
    assert done.stderr.splitlines() == (said if shown else [])
    assert done.returncode == status
