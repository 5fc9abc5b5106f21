"""What must be true of the repository itself: who imports whom, what is loaded, and that pages and files agree."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pages
import pytest

from tests.command import complaints, python
from tests.places import ROOT
from workbench.checking.spark.cluster.session import check_java
from workbench.kernel import InputError
from workbench.registry.programs import EXTRAS

PACKAGE = ROOT / "workbench"

MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(source: str) -> Iterator[str]:
    """The full name of everything that a module's source imports, at its top or later."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def test_kernel_and_models_need_the_standard_library_alone() -> None:
    kernel = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in (PACKAGE / "kernel").rglob("*.py")]
    script = (
        f"import importlib\nfor name in {kernel}: importlib.import_module(name)\n"
        "from workbench.registry import get_model, models\nfor name in models(): get_model(name)"
    )
    subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, env={}, check=True)


def bare(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Python without any package, this one aside."""
    return subprocess.run([sys.executable, "-S", *arguments], cwd=ROOT, env={}, capture_output=True, text=True)


MORE = "is not installed; pip install lakehouse-workbench brings compiled engines"


@pytest.mark.slow
def test_the_reference_answers_with_the_standard_library_alone() -> None:
    done = bare("-c", "from workbench import check; print((r := check('peterson', engine='reference')), r.notes)")
    assert "894 distinct states" in done.stdout, done.stderr
    assert MORE in done.stdout
    done = bare("-m", "workbench", "check", "chang_roberts", "--engine", "reference", "--set", "PassesOnSmaller=true")
    assert (done.returncode, complaints(done.stderr)) == (1, []), "a violation"
    assert MORE in done.stdout
    assert "LargestLeads violated: 7 states" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["auto", "local", "spark"])
def test_other_engines_say_in_one_line_what_they_lack(engine: str) -> None:
    done = bare("-m", "workbench", "check", "peterson", "--engine", engine)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"workbench: the engine {engine} is not accepted here: numba {MORE}" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["workbench", "workbench.kernel", "workbench.registry", "workbench.protocols.bakery.v2"]
)
def test_importing_it_loads_nothing_heavy(name: str) -> None:
    script = f"import sys, {name}; print(*sys.modules)"
    done = python(script, here=ROOT, check=True)
    loaded = {module.split(".")[0] for module in done.stdout.split()}
    assert "workbench" in loaded
    assert not loaded & {"numba", "numpy", "pandas", "pyspark", "ipywidgets"}


def test_environment_and_pyproject_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "environment.yml").read_text().splitlines()
    wanted = [line.strip().removeprefix("- ") for line in lines if line.strip().startswith("- ")]
    assert f"python{project['requires-python']}" in wanted
    assert "-e .[dev,site]" in wanted, "the Python packages come from pyproject.toml alone"
    assert {"dev", "site"} <= set(project["optional-dependencies"])


#: What our dependencies bring, and what the programs for the environment of the writers import.
COME_WITH_THEM = {"IPython", "llvmlite", "nbclient", "nbformat", "py4j", "traitlets"} | {"pypaimon"}
#: Panels live in JupyterLab, and fsspec itself imports what it opens object stores with.
NOT_IMPORTED = {"jupyterlab"} | {"adlfs", "gcsfs", "s3fs"}
#: Spark Connect's modules have other names than the packages that bring them.
CONNECT = {"grpc", "grpc_status", "google.rpc"}
FOR_DEVELOPERS = {"dev", "site"}


@pytest.mark.slow
def test_what_the_package_imports_it_depends_on() -> None:
    """And it depends on nothing that only tests need. EXTRAS lists a module under each extra that brings it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = {name: brought(lines) for name, lines in project["optional-dependencies"].items()}
    extras = {name: names for name, names in extras.items() if name not in FOR_DEVELOPERS}
    declared = brought(project["dependencies"]).union(*extras.values())
    names = {name.split(".")[0] for module in MODULES for name in imports(module.read_text())}
    imported = names - set(sys.stdlib_module_names) - {"workbench"}
    assert imported - declared == COME_WITH_THEM
    assert declared - imported == NOT_IMPORTED
    assert {name: {*modules} - CONNECT for name, modules in EXTRAS.items()} == {
        name: names - {"jupyterlab"} for name, names in extras.items() if name != "all"
    }


def brought(requirements: list[str]) -> set[str]:
    """The modules of packages that are called like them."""
    named = {re.split(r"[^\w-]", line)[0] for line in requirements} - {"lakehouse-workbench"}
    return {name.replace("-", "_") for name in named}


#: A line that may import something: the quick test below parses only files where such a line names something new.
MAY_IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)
#: What packages for developers bring, beside COME_WITH_THEM.
COME_WITH_TOOLS = {"jupyter_client", "nbconvert", "packaging"}


def test_what_mypy_looks_for_is_installed_before_it_runs() -> None:
    """In a fresh clone, too, where nothing has built the site."""
    (extras,) = re.findall(r"--editable '\.\[([\w,]+)\]'", (ROOT / "scripts" / "install.sh").read_text())
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())
    installed = brought(table["project"]["dependencies"]).union(*map(brought_by_extra, extras.split(",")))
    untyped = [one["module"] for one in table["tool"]["mypy"]["overrides"] if one.get("ignore_missing_imports")]
    excused = {pattern.removesuffix(".*") for patterns in untyped for pattern in patterns}
    ours = {"workbench", "website", "tests", "notebooks", "scripts", *(p.stem for p in (ROOT / "scripts").iterdir())}
    known = installed | excused | ours | COME_WITH_THEM | COME_WITH_TOOLS | set(sys.stdlib_module_names)
    texts = [path.read_text() for folder in ("website", "scripts", "tests") for path in (ROOT / folder).rglob("*.py")]
    suspects = [text for text in texts if not known.issuperset(MAY_IMPORT.findall(text))]
    assert sorted({name.split(".")[0] for text in suspects for name in imports(text)} - known) == []


def brought_by_extra(extra: str) -> set[str]:
    """The same for an extra, and for those of our own that it names."""
    requirements = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][extra]
    further = [name for line in requirements for name in re.findall(r"^lakehouse-workbench\[([\w,]+)\]", line)]
    return brought(requirements).union(*(brought_by_extra(name) for names in further for name in names.split(",")))


@pytest.mark.slow
@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.parent.name)
def test_a_page_has_the_figures_of_all_configurations_beside_it(page: Path) -> None:
    folder = pages.SPECS / "incidents" if page == pages.INCIDENTS else page.parent
    names = [name if "/" in name else f"{folder.name}/{name}" for name in pages.names_on(page)]
    beside = [f"{folder.name}/{path.stem}" for path in sorted(folder.glob("*.toml"))]
    assert sorted(name for name in names if name.startswith(f"{folder.name}/")) == beside != []
    assert page.read_text() == pages.written(page), "run scripts/pages.py"


@pytest.mark.parametrize("document", pages.documents(), ids=lambda path: path.name)
def test_a_document_installs_the_workbench_from_where_it_is(document: Path) -> None:
    text = document.read_text()
    assert text == pages.with_commands(text), "run scripts/pages.py"


# The tests themselves ----------------------------------------------------------------------------------------------


def test_the_marks_by_which_make_selects_tests_are_declared():
    """Pytest takes any word after -m, also one that no test is marked with."""
    pytest_options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    declared = {line.split(":")[0] for line in pytest_options["markers"]}
    selections = re.findall(r'-m "([^"]*)"', (ROOT / "Makefile").read_text())
    assert selections
    for selection in selections:
        assert set(re.findall(r"\w+", selection)) - {"and", "or", "not"} <= declared


def test_a_test_without_the_mark_starts_no_spark():
    with pytest.raises(InputError, match=r"^Spark needs Java, and JAVA_HOME = '/only/tests/marked/spark/start/it' is"):
        check_java()


def test_a_test_without_the_mark_starts_no_browser():
    ended = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    assert "/only/tests/marked/browser/start/one" in ended.stderr


def test_the_front_page_says_how_large_the_kernel_is() -> None:
    lines = sum(len(path.read_text().splitlines()) for path in (ROOT / "workbench" / "kernel").rglob("*.py"))
    (said,) = re.findall(r"the\s+kernel\s+has\s+about\s+([\d,]+)\s+lines", (ROOT / "README.md").read_text())
    assert lines == pytest.approx(int(said.replace(",", "")), rel=0.05)
