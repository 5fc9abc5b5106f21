"""The package as a person installs it: the wheel that is built from the source distribution, in a fresh environment."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

import notebooks
import workbench
from tests.environments import ROOT, Environment, build
from tests.kept import differences, faults
from tests.places import PACKAGE, compiled_kernels

#: One worker builds the wheel and its environments, also for the notebooks that need Spark or the writers.
pytestmark = pytest.mark.xdist_group("package")

#: What gets into an image, where the package is built, and nothing else.
SOURCES = [name[1:] for name in (ROOT / ".dockerignore").read_text().splitlines() if name.startswith("!")]
FOLDERS = [name for name in SOURCES if (ROOT / name).is_dir()]
#: The pages that people read first, and their commands.
NEWCOMERS = (ROOT / "README.md", ROOT / "docs" / "start.md")
#: A block of commands, and what the last of them prints, as far as the page shows it.
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$(?:(?:(?!^```|^#).)*?^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
#: An extra that a page, or a notebook, says how to install.
EXTRA = re.compile(r"pip install '\S+\[(\w+)\]'")
#: The mark of what a notebook may need.
MARKS = {"Java": "spark", "pypaimon": "writers"}
SECONDS = re.compile(r" *\d+\.\d\d( s)?\b")
COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#]+)")


NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def marks_of(path: Path) -> list[pytest.MarkDecorator]:
    """The marks of what a notebook needs."""
    needs = json.loads(path.read_text())["metadata"]["lesson"]["needs"]
    return [getattr(pytest.mark, mark) for name, mark in MARKS.items() if name in needs]


def is_ours(path: Path) -> bool:
    """Whether a file is one of the repository's, and not one that a program or a person has left there."""
    return path.is_file() and not any(part == "__pycache__" or part.startswith(".") for part in path.parts)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from what the source distribution holds; a copy of the repository takes what a build leaves."""
    copy, made = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("made")
    for name in SOURCES:
        if name in FOLDERS:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(ROOT / name, copy / name)
    shutil.unpack_archive(build("sdist", copy, made), made)
    return build("wheel", made / f"lakehouse_workbench-{workbench.__version__}", made)


def with_wheel(wheel: Path, folder: Path) -> Environment:
    """A fresh environment with the wheel, and what it depends on."""
    environment = Environment(folder / "environment")
    environment.install()
    pip = [sys.executable, "-m", "pip", "--python", str(environment.folder / "bin" / "python")]
    options = ["--disable-pip-version-check", "--quiet", "--no-deps", "--no-index", "--no-compile"]
    subprocess.run([*pip, "install", *options, str(wheel)], check=True)
    bring_kernels(environment.packages / "workbench")
    return environment


@pytest.fixture
def installed(wheel: Path, tmp_path: Path) -> Environment:
    """An environment to install more into."""
    return with_wheel(wheel, tmp_path)


@pytest.fixture(scope="module")
def with_extras(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Environment]:
    """Gives an environment with some extras, one for all tests that ask for the same and install nothing more."""

    @cache
    def made(*extras: str) -> Environment:
        environment = with_wheel(wheel, tmp_path_factory.mktemp("with"))
        environment.install(*extras)
        return environment

    return made


def bring_kernels(package: Path) -> None:
    """Let the installed modules take what Numba has compiled of the same ones here, which takes a while."""
    for kept in compiled_kernels():
        target = package / kept.relative_to(PACKAGE)
        target.parent.mkdir(exist_ok=True)
        shutil.copy(kept, target)


@pytest.mark.slow
def test_the_wheel_holds_all_of_the_package_and_of_the_folders_that_come_with_it(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {"workbench", "specs", "notebooks", "docs"} <= set(FOLDERS)
    for name in FOLDERS:
        inside = Path() if name == "workbench" else Path("workbench", "share")
        files = {path.relative_to(ROOT) for path in (ROOT / name).rglob("*") if is_ours(path.relative_to(ROOT))}
        assert files
        assert {(inside / file).as_posix() for file in files} <= held, name
    assert {name.partition("/")[0].partition("-")[0] for name in held} == {"workbench", "lakehouse_workbench"}


@pytest.mark.slow
def test_the_wheel_is_small(wheel: Path) -> None:
    """Half of it is what the notebooks show before they run: of 75 outputs, each brings its own script."""
    assert wheel.stat().st_size < 6_000_000


@pytest.mark.slow
def test_everything_works_from_an_empty_folder(installed: Environment, tmp_path: Path) -> None:
    here, home, temporary = (tmp_path / name for name in ("here", "home", "temporary"))
    for folder in (here, home, temporary):
        folder.mkdir()
    before = contents(installed.folder)

    def run(*command: str) -> str:
        done = installed.run(*command, here=here, HOME=str(home), TMPDIR=str(temporary))
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = run("python", "-c", "import workbench; print(workbench.__file__)")
    assert Path(where.strip()).is_relative_to(installed.folder)
    assert run("workbench", "--version") == f"lakehouse-workbench {workbench.__version__}\n"
    assert "\nbakery_v2 " in run("workbench", "list")
    assert "\nclassics/transaction_commit " in run("workbench", "list", "classics")
    assert "specs/bakery/v2_race.toml  NoLakekeeperConflict violated (22 states)" in run(
        "workbench", "check", "v2_race"
    )
    assert "17 of 17 configurations are as expected" in run("workbench", "check", "specs/table")
    run("workbench", "check", "v1_one_writer", "-o", "v1_one_writer.html")
    assert "jupyter lab nb" in run("workbench", "notebooks", "nb")
    assert contents(installed.folder) == before
    installed.install("lab")
    assert int(run("python", "-c", "import workbench; print(len(workbench.Workbench('v2_race').parts))")) > 0

    written = {path.relative_to(here).parts[0] for path in here.rglob("*")}
    assert written == {"v1_one_writer.html", "nb"}
    assert_links_lead_to_files(here / "nb")
    assert {path.name for path in home.iterdir()} <= {".cache", ".config", ".ipython", ".jupyter", ".local"}
    assert list(temporary.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("page", NEWCOMERS, ids=lambda page: page.name)
def test_what_a_newcomer_reads_works_as_printed(installed: Environment, tmp_path: Path, page: Path) -> None:
    """From top to bottom, with what the page has installed so far."""
    here = tmp_path / "here"
    here.mkdir()
    tried = 0
    for kind, block, text in BLOCK.findall(page.read_text()):
        if kind == "sh":
            installed.install(*EXTRA.findall(block))
            continue
        lines = COMMAND.findall(block)
        for command in lines:
            done = installed.run("bash", "-c", command, here=here)
            assert done.returncode in (0, 1, 3), f"{command}\n{done.stderr}"
            assert "Traceback" not in done.stderr
            tried += 1
        for line in text.splitlines():
            assert SECONDS.sub("", line.removesuffix("...").rstrip()) in SECONDS.sub("", done.stdout), lines[-1]
    assert tried


@pytest.mark.slow
def test_what_is_installed_takes_its_extras_by_name_without_an_index(
    with_extras: Callable[..., Environment], tmp_path: Path
) -> None:
    """As messages say that it does; the name is on no index."""
    installed = with_extras("tables")
    pip = [sys.executable, "-m", "pip", "--python", str(installed.folder / "bin" / "python"), "install", "--no-index"]
    for extra, status in (("tables", 0), ("lab", 1)):
        done = subprocess.run([*pip, f"lakehouse-workbench[{extra}]"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == status
        assert "jupyterlab" in done.stderr or not status


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(path.stem, marks=marks_of(path)) for path in NOTEBOOKS])
def test_a_notebook_runs_with_what_its_page_names(
    with_extras: Callable[..., Environment], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """With ``[lab]`` and the extras that its first cell names; what comes out is what the repository keeps."""
    import nbformat

    path = tmp_path / "lessons" / f"{name}.ipynb"
    kept = nbformat.read(ROOT / "notebooks" / path.name, as_version=4)
    installed = with_extras("lab", *EXTRA.findall(kept.cells[0].source))
    assert installed.run("workbench", "notebooks", "lessons", here=tmp_path).returncode == 0
    if "pypaimon" in kept.metadata["lesson"]["needs"]:
        path.with_name(".writers").symlink_to(ROOT / ".writers")
    installed.write_kernel(tmp_path / "jupyter", here=path.parent, IPYTHONDIR=str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    fresh = notebooks.execute(path)
    assert (tmp_path / "ipython").is_dir()  # so the kernel was this one
    assert faults(fresh) == []
    assert differences(kept, fresh) == []


@pytest.mark.slow
def test_the_lessons_come_with_their_solutions(with_extras: Callable[..., Environment], tmp_path: Path) -> None:
    installed = with_extras("lab")
    assert installed.run("workbench", "notebooks", "lessons", here=tmp_path).returncode == 0
    script = "import solutions; from workbench.showing.lessons import exercise; exercise('rule').check(solutions.rule)"
    done = installed.run("python", "-c", script, here=tmp_path / "lessons")
    assert (done.returncode, done.stderr) == (0, "")


def contents(folder: Path) -> set[Path]:
    """The files in a folder but for what Python and Numba keep beside modules."""
    return {path for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__"}


def assert_links_lead_to_files(folder: Path) -> None:
    pages = {path: path.read_text() for path in folder.rglob("*.md")}
    for path in folder.rglob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        pages[path] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert {path.name for path in pages} >= {path.name for path in (ROOT / "notebooks").glob("*.ipynb")}
    targets = [(path, target) for path, text in pages.items() for target in LINK.findall(text)]
    assert len(targets) > 50
    for path, target in targets:
        assert (path.parent / target).is_file(), f"{path.name}: {target}"
