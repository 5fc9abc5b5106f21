"""What must be true of the repository itself: who imports whom, what is loaded, and that pages and files agree."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from workbench.engines.spark.session import check_java
from workbench.kernel import InputError

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "workbench"

_spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "pages.py")
assert _spec is not None
assert _spec.loader is not None
pages: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pages)

#: For each room of the package the other rooms that its modules may import.
MAY_IMPORT: dict[str, set[str]] = {
    "kernel": set(),
    "language": {"kernel"},
    "models": {"kernel", "language"},
    "storage": {"kernel"},
    "engines": {"kernel", "storage"},
    "spaces": {"kernel", "storage", "engines"},
    "questions": {"kernel", "storage", "engines", "formats"},
    "formats": {"kernel", "storage"},
    "guided": {"kernel", "models", "storage", "engines", "questions", "formats", "tables"},
    "pictures": {"kernel", "models"},
    "tables": {"kernel", "models", "storage", "engines"},
    "driving": {"kernel", "models", "storage", "tables"},
    "view": {"kernel", "engines", "formats", "pictures", "tables"},
    "session": {"kernel", "models", "storage", "engines", "spaces", "questions", "formats", "guided", ""},
    "widgets": {
        "kernel",
        "models",
        "storage",
        "engines",
        "spaces",
        "questions",
        "formats",
        "guided",
        "pictures",
        "tables",
        "view",
        "session",
        "",
    },
    "lessons": {"kernel", "models", "engines", "spaces", "guided", "tables", "view", "widgets", ""},
    "bench": {"kernel", "models", "engines", "formats", "guided"},
    "commands": {
        "kernel",
        "language",
        "models",
        "storage",
        "engines",
        "spaces",
        "questions",
        "formats",
        "guided",
        "pictures",
        "tables",
        "driving",
        "view",
        "bench",
        "",
    },
    # The modules beside the rooms, such as the command line.
    "": {"kernel", "models", "storage", "engines", "spaces", "questions", "formats", "view", "commands"},
}

MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(parts: tuple[str, ...]) -> str:
    """The room of a module, given the parts of its name below the package."""
    return parts[0] if parts and parts[0] in MAY_IMPORT else ""


def imports(source: str) -> Iterator[str]:
    """The full name of everything that a module's source imports, at its top or later."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def forbidden(room: str, source: str) -> list[str]:
    """What a module of `room` imports although the rules do not allow it."""
    found = []
    for name in imports(source):
        top, *below = name.split(".")
        if top == "workbench":
            other = room_of(tuple(below))
            if other != room and other not in MAY_IMPORT[room]:
                found.append(name)
        elif top == "" or (room in {"kernel", "models"} and top not in sys.stdlib_module_names):
            found.append(name)
    return found


@pytest.mark.parametrize(
    ("room", "source", "found"),
    [
        ("kernel", "import re\nfrom workbench.kernel.state import State", []),
        ("kernel", "import numpy as np", ["numpy"]),
        ("kernel", "def f():\n    from workbench.engines import check", ["workbench.engines.check"]),
        ("engines", "from workbench import models", ["workbench.models"]),
        ("view", "from workbench.cli import main", ["workbench.cli.main"]),
        ("view", "from ..engines import check", ["..engines.check"]),
        ("", "import workbench.widgets.explorer", ["workbench.widgets.explorer"]),
        ("widgets", "import ipywidgets\nfrom workbench.view import graph", []),
    ],
)
def test_the_rules_find_what_breaks_them(room: str, source: str, found: list[str]) -> None:
    assert forbidden(room, source) == found


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_module_imports_only_what_its_room_may(module: Path) -> None:
    room = room_of(module.relative_to(PACKAGE).parts)
    assert forbidden(room, module.read_text()) == []


def test_every_folder_of_the_package_is_a_room() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert folders <= set(MAY_IMPORT)


def name_of(module: Path) -> str:
    parts = module.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def circles(sources: dict[str, str]) -> list[list[str]]:
    """The circles among modules, given by name with their sources: what is imported for annotations counts as well.

    Of a package's front page, which imports its modules to pass on their names, only the modules behind it count.
    """
    packages = {name.rpartition(".")[0] for name in sources}

    def module(name: str) -> str:
        return name if name in sources or "." not in name else module(name.rpartition(".")[0])

    graph = nx.DiGraph((name, module(asked)) for name, source in sources.items() for asked in imports(source))
    graph.remove_nodes_from(packages | set(graph).difference(sources))
    return sorted(sorted(circle) for circle in nx.strongly_connected_components(graph) if len(circle) > 1)


def test_circles_are_found_wherever_the_imports_stand() -> None:
    sources = {
        "w": "from w.a import f",
        "w.a": "from w import b",
        "w.b": "if TYPE_CHECKING:\n    from w.c import g",
        "w.c": "def f():\n    import w.a",
        "w.d": "from w.a import f\nimport re",
    }
    assert circles(sources) == [["w.a", "w.b", "w.c"]]


def test_no_modules_import_each_other_in_a_circle() -> None:
    found = circles({name_of(module): module.read_text() for module in MODULES})
    assert [circle for circle in found if not circle[0].startswith("workbench.engines.spark")] == []


#: The layers of the kernel, lowest first: a module imports from its own and from those below.
LAYERS = (
    {"text", "errors", "values"},
    {"faults", "domains", "constants", "parameters", "declare"},
    {"members", "state", "instances", "model", "refinement", "symmetry"},
    {"budget", "plan", "trace", "result", "lasso"},
    {"conclusion", "temporal"},
    {"search"},
)


def test_the_kernel_has_layers() -> None:
    level = {f"workbench.kernel.{name}": number for number, layer in enumerate(LAYERS) for name in layer}
    modules = {name_of(module): module for module in MODULES if module.parent.name == "kernel"}
    assert level.keys() == modules.keys() - {"workbench.kernel"}
    for name in level:
        used = {imported.rpartition(".")[0] for imported in imports(modules[name].read_text())} & modules.keys()
        assert [other for other in used if level.get(other, len(LAYERS)) > level[name]] == [], name


@pytest.mark.parametrize("name", ["workbench", "workbench.kernel", "workbench.models", "workbench.models.bakery_v2"])
def test_importing_it_loads_nothing_heavy(name: str) -> None:
    script = f"import sys, {name}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {module.split(".")[0] for module in done.stdout.split()}
    assert "workbench" in loaded
    assert not loaded & {"numba", "numpy", "pandas", "pyspark", "ipywidgets"}
    assert "resource" not in loaded, "a browser has no such module, and runs the kernel"


def test_environment_and_pyproject_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "environment.yml").read_text().splitlines()
    wanted = [line.strip().removeprefix("- ") for line in lines if line.strip().startswith("- ")]
    assert f"python{project['requires-python']}" in wanted
    assert "-e .[dev,site]" in wanted, "the Python packages come from pyproject.toml alone"
    assert {"dev", "site"} <= set(project["optional-dependencies"])


#: What our dependencies bring, and what the programs for the environment of the writers import.
COME_WITH_THEM = {"IPython", "llvmlite", "py4j", "traitlets"} | {"pypaimon"}
#: networkx writes GraphML with lxml, and panels live in JupyterLab.
NOT_IMPORTED = {"jupyterlab", "lxml"}


def test_what_the_package_imports_it_depends_on() -> None:
    """And it depends on nothing that only tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.split(r"[^\w-]", line)[0] for line in project["dependencies"]}
    names = {name.split(".")[0] for module in MODULES for name in imports(module.read_text())}
    imported = names - set(sys.stdlib_module_names) - {"workbench"}
    assert imported - declared == COME_WITH_THEM
    assert declared - imported == NOT_IMPORTED


@pytest.mark.parametrize("page", pages.pages(), ids=lambda page: page.parent.name)
def test_a_page_has_the_figures_of_all_configurations_beside_it(page: Path) -> None:
    assert sorted(pages.names_on(page)) == [path.stem for path in sorted(page.parent.glob("*.toml"))]
    assert page.read_text() == pages.written(page), "run scripts/pages.py"


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


# What is read ------------------------------------------------------------------------------------------------------

#: What makes objects, or code, of bytes and texts: a file that is read with one of these could run anything.
RUNS_WHAT_IT_READS = {
    *("pickle", "cloudpickle", "marshal", "shelve", "dill", "joblib", "runpy", "code", "imp"),
    *("eval", "exec", "compile", "__import__", "read_pickle", "allow_pickle"),
    *("spec_from_file_location", "SourceFileLoader", "run_path", "unsafe_load"),
}
#: Where that is needed, and why no file that is read comes there.
MAY_RUN_IT = {
    "engines/spark/shipping.py": "models and messages, between a driver and its workers, carried by Spark",
    "models/__init__.py": "a model's file, which the user has named",
    "formats/expression.py": "an expression, which the user has typed",
}


def runs_what_it_reads(source: str) -> set[str]:
    """Of :data:`RUNS_WHAT_IT_READS` what a module's source imports, calls or gives as an argument."""
    used = {part for name in imports(source) for part in name.removeprefix("workbench.formats.code.").split(".")}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            is_pattern = isinstance(called, ast.Attribute) and ast.unparse(called) == "re.compile"
            used |= {keyword.arg for keyword in node.keywords if keyword.arg}
            used |= set() if is_pattern else {ast.unparse(called).split(".")[-1]}
    return used & RUNS_WHAT_IT_READS


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("import pickle", {"pickle"}),
        ("from code import interact", {"code"}),
        ("from workbench.formats.code import trace_as_code", set()),
        ("def f():\n    from pyspark.cloudpickle import loads", {"cloudpickle"}),
        ("import numpy as np\nnp.load(path, allow_pickle=True)", {"allow_pickle"}),
        ("pd.read_pickle(path)", {"read_pickle"}),
        ("eval(path.read_text())", {"eval"}),
        ("re.compile('a')\nast.literal_eval('1')", set()),
    ],
)
def test_the_rule_finds_what_runs_what_it_reads(source: str, used: set[str]) -> None:
    assert runs_what_it_reads(source) == used


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_module_runs_what_it_reads(module: Path) -> None:
    """JSON, Parquet and values in our own encoding know no code; see docs/security.md."""
    assert bool(runs_what_it_reads(module.read_text())) == (module.relative_to(PACKAGE).as_posix() in MAY_RUN_IT)
