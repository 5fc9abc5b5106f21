"""What a newcomer has: the core alone. It does what needs no extra, and for the rest one line names the extra."""

import json
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.environments import MISSING, ROOT, Environment, brought_by
from workbench.registry.programs import EXTRAS

#: Modules behind a check: nothing imports them before that check has named the missing extra.
BEHIND = re.compile(
    r"workbench\.(audits\.|commands\.warehouse$|protocols\.\w+\.audit\b|checking\.spaces\.(columns|export)$)"
)

EACH_MODULE_AND_NAME = """
import importlib, pkgutil, sys, workbench

def attempt(kind, name, getting):
    try:
        getting(name)
    except BaseException as error:
        print(kind, name, type(error).__name__, error, sep="\\t")
    else:
        print(kind, name, "there", "", sep="\\t")

for module in pkgutil.walk_packages(workbench.__path__, "workbench.", onerror=lambda name: None):
    if not module.name.endswith("__main__"):
        attempt("module", module.name, importlib.import_module)
for name in workbench.__all__:
    attempt("name", name, lambda name: getattr(workbench, name))
"""


class Installed:
    """The checkout with the distributions of the core and of some extras, and a folder to work in."""

    def __init__(self, folder: Path, *extras: str) -> None:
        self.here = folder / "here"
        self.here.mkdir()
        self.environment = Environment(folder / "environment")
        self.environment.install(*extras)
        self.environment.install_checkout()

    def run(self, *command: str) -> CompletedProcess[str]:
        return self.environment.run("python", *command, here=self.here, PYTHONDONTWRITEBYTECODE="1")

    def workbench(self, command: str) -> CompletedProcess[str]:
        return self.run("-m", "workbench", *command.split())


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("core"))


def test_the_core_is_small() -> None:
    used_by_rich = {"markdown-it-py", "mdurl", "Pygments"}
    for_modules = {"tree-sitter", "tree-sitter-tlaplus"}
    assert set(brought_by()) == {"filelock", "llvmlite", "numba", "numpy", "rich"} | used_by_rich | for_modules


@pytest.mark.slow
def test_every_module_and_name_is_there_or_says_which_extra_it_needs(core: Installed) -> None:
    found = [line.split("\t") for line in core.run("-c", EACH_MODULE_AND_NAME).stdout.splitlines()]
    named = dict[tuple[str, str], str]()
    for kind, name, error, text in found:
        said = MISSING.fullmatch(text)
        if said is not None:
            assert error == "InputError"
            named[kind, name] = said["extra"]
        elif kind == "module" and BEHIND.match(name):
            assert error in ("there", "ModuleNotFoundError")
        else:
            assert error == "there", f"{name}: {text}"
    assert len(found) > 300
    assert named["module", "workbench.checking.spark"] == "spark"
    assert named["module", "workbench.showing.lessons"] == "lab"
    names = {name: extra for (kind, name), extra in named.items() if kind == "name"}
    parts = ("Compare", "Density", "StateGraph", "Switches", "TracePlayer", "VerdictMap", "Verdicts")
    panels = dict.fromkeys(("Simulator", "Workbench", *parts), "lab")
    assert names == panels | dict.fromkeys(("Dataset", "load", "save"), "tables") | {"spark_session": "spark"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("audit .", "tables"),
        ("check peterson --engine spark", "spark"),
        ("export peterson -o states", "tables"),
        ("export . -o states", "spark"),
        ("check memory://run --model peterson", "spark"),
        ("walk peterson --engine spark", "spark"),
        ("sweep peterson --grid Processes=2,3 --spark", "spark"),
    ],
)
def test_a_command_names_the_extra_that_it_needs(core: Installed, command: str, extra: str) -> None:
    done = core.workbench(command)
    assert done.stdout == ""
    assert (named_by(done.stderr.removesuffix("\n")), done.returncode) == (extra, 2)
    assert extra in EXTRAS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "extra"),
    [
        ("RemoteStore('s3://bucket/run')", "s3"),
        ("PaimonDriver()", "tables"),
        ("recorded('.')", "tables"),
        ("audits.audit('.')", "tables"),
        ("view.levels_chart(check(get_model('peterson')())).figure()", "lab"),
    ],
)
def test_a_call_names_the_extra_that_it_needs(core: Installed, line: str, extra: str) -> None:
    script = (
        "from workbench import InputError, audits, check, get_model\n"
        "from workbench.showing import view\n"
        "from workbench.protocols.paimon.driver import PaimonDriver\n"
        "from workbench.protocols.paimon.recording import recorded\nfrom workbench.storage.remote import RemoteStore\n"
        f"try: {line}\nexcept InputError as error: print(error)"
    )
    assert named_by(core.run("-c", script).stdout.removesuffix("\n")) == extra


def named_by(line: str) -> str:
    """The extra that a line names."""
    said = MISSING.fullmatch(line)
    assert said is not None, line
    return said["extra"]


@pytest.mark.slow
def test_the_core_writes_pages_pictures_and_graphs(core: Installed) -> None:
    for command, said in (
        ("check classics/peterson_stays", "1 of 1 configuration is as expected"),
        ("check classics/peterson -o peterson.html", ""),
        ("export classics/peterson -o peterson.graphml -o peterson.dot", ""),
        ("sweep peterson --grid LevelsLeftOut=0,1 -o table.csv", "2 settings: everything holds in 1"),
        ("check peterson --set LevelsLeftOut=1 -o wrong.html -o wrong.svg", "MutualExclusion"),
        ("new counter", "counter.toml"),
        ("notebooks nb", "now: pip install 'lakehouse-workbench[lab]' && jupyter lab nb"),
        ("check counter.toml", "as expected"),
    ):
        done = core.workbench(command)
        assert done.returncode in (0, 1), done.stderr
        assert "lakehouse-workbench[" not in done.stderr
        assert said in done.stdout
    assert "<svg" in (core.here / "peterson.html").read_text()
    assert "<svg" in (core.here / "wrong.html").read_text()


@pytest.mark.slow
def test_the_core_fills_a_grid_and_explains_it(core: Installed) -> None:
    done = core.run(
        "-c",
        "from workbench import get_model\nfrom workbench.checking.questions.constant_grid import fill\n"
        "filled = fill(get_model('hudi'), {'MonotonicTs': [True, False]}, ['ConsistentRead'],"
        " constants={'Keys': 1, 'Values': 1, 'ConcurrencyControl': 'optimistic'})\n"
        "print(filled.explain('ConsistentRead').rule)\nfilled.table",
    )
    assert done.stdout == "MonotonicTs\n"
    assert done.stderr.splitlines()[-1].endswith("pip install 'lakehouse-workbench[tables]'")


@pytest.mark.slow
def test_the_core_sweeps(core: Installed) -> None:
    """Without Spark, Java, and pandas, here and in processes; what is kept is taken up again."""
    command = "sweep peterson --grid Processes=2,3,4 --property MutualExclusion -o kept --json"
    first, second = (json.loads(core.workbench(command).stdout)["rows"] for _ in range(2))
    assert [row["MutualExclusion"] for row in first] == ["holds"] * 3
    assert first == second
    script = "from workbench import get_model, sweep\n"
    script += "from workbench.checking.questions import processes; processes.PATIENCE = 0\n"
    script += "table = sweep(get_model('peterson'), {'Processes': [2, 3]}, ['WhoWantsEnters'])\n"
    script += "print(table.columns[:2], [row['WhoWantsEnters'] for row in table.to_dict('records')])"
    done = core.run("-c", script)
    assert done.stdout == "['Processes', 'WhoWantsEnters'] ['holds', 'holds']\n", done.stderr


@pytest.mark.slow
def test_a_search_that_outgrows_the_core_keeps_what_it_has_found(core: Installed) -> None:
    done = core.run(
        "-c",
        "from workbench import Auto, check, get_model\n"
        "print(check(get_model('peterson')(), engine=Auto(hand_over_states=100)).stopped)",
    )
    assert named_by(done.stdout.removesuffix("\n")) == "spark"
    assert "and it cannot move to Spark: this needs pyspark" in done.stdout


# Each extra alone ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_tables_alone_judge_a_table_and_save_a_space(tmp_path: Path) -> None:
    tables = Installed(tmp_path, "tables")
    shutil.unpack_archive(ROOT / "data" / "real" / "seq.tar.xz", tables.here)
    judged = tables.workbench("audit seq/db.db/t -o report.html")
    assert (judged.returncode, judged.stderr.count("\n")) == (1, 1)
    assert "<svg" in (tables.here / "report.html").read_text()
    saved = tables.workbench("export peterson -o states")
    assert (saved.stdout, saved.stderr) == ("", "894 states and 2,196 steps written to states\n")


@pytest.mark.slow
def test_the_lab_alone_has_panels_and_charts(tmp_path: Path) -> None:
    done = Installed(tmp_path, "lab").run(
        "-c",
        "from workbench import Simulator, Workbench, check, get_model\n"
        "from workbench.showing import view\n"
        "result = check(get_model('peterson')())\nview.levels_chart(result).figure()\n"
        "print(len(Workbench('peterson').parts) > 0, len(Simulator(get_model('peterson')()).parts) > 0)",
    )
    assert done.stdout == "True True\n", done.stderr


@pytest.mark.spark
def test_spark_alone_searches_sweeps_and_loads(tmp_path: Path) -> None:
    done = Installed(tmp_path, "spark").run(
        "-c",
        "from workbench import check, get_model, load, save, state_space, sweep\n"
        "peterson = get_model('peterson')\nprint(check(peterson(), engine='spark').distinct)\n"
        "print(sweep(peterson, {'LevelsLeftOut': [0, 1]}, ['MutualExclusion'], spark=True).MutualExclusion.to_list())\n"
        "save(state_space(peterson()), 'states')\nprint(len(load('states').pandas('select id from states')))",
    )
    assert done.stdout == "894\n['holds', 'violated']\n894\n", done.stderr


@pytest.mark.slow
def test_the_page_says_how_large_each_extra_is() -> None:
    page = (ROOT / "docs" / "start.md").read_text()
    rows = re.findall(r"^\| `pip install '?\.(?:\[(\w+)\]')?` \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    assert {extra for extra, *_ in rows} == {"", "tables", "lab", "spark", "all"}
    for extra, packages, megabytes in rows:
        brought = brought_by(extra).values()
        files = {file.locate() for one in brought for file in one.files or ()}
        size = sum(Path(str(file)).stat().st_size for file in files if Path(str(file)).is_file())
        assert len(brought) + 1 == pytest.approx(int(packages), rel=0.1)
        assert size / 1e6 < int(megabytes) * 1.15  # it is less where pip compiles nothing, or shares files
