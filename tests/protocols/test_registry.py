"""A protocol of another package, as ``workbench new --package`` begins it, is found with all that ours have."""

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.command import Done, complaints, python
from tests.environments import build
from workbench.commands.cli import main
from workbench.kernel import InputError
from workbench.registry import get_model, having, models, protocols

#: A part that the command does not begin: what judges the numbers that were written to a counter.
AUDIT = """
from itertools import pairwise
from workbench.audits.judgement import Judgement

ACKS = {}, {}

def detects(source):
    return source.exists("ledger.txt")

def audit(source, *, acks, since):
    numbers = [int(line) for line in source.read("ledger.txt", 1000).split()]
    judgement = Judgement("ledger", source, versions=(numbers[0], numbers[-1]))
    for before, after in pairwise(numbers):
        if after != before + 1:
            judgement.find("NothingLost", "proved", after, f"{after} follows {before}", no_picture="none is needed")
    return judgement.audit()
"""
#: The line after which the package names that audit, and a constant for the panel.
PICTURE, MORE = '    picture="picture",\n', '    audit="tables",\n    in_sight={"ledger": ("UseLock",)},\n'


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the command writes, with an audit."""
    folder = tmp_path_factory.mktemp("begun") / "ledger"
    assert main(["new", "--package", "ledger", "-o", str(folder)]) == 0
    package = folder / "src" / "ledger"
    (package / "tables.py").write_text(AUDIT)
    protocol = (package / "__init__.py").read_text()
    (package / "__init__.py").write_text(protocol.replace(PICTURE, PICTURE + MORE))
    return folder


@pytest.fixture(scope="module")
def installed(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages with that one in it."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(build("wheel", begun, tmp_path_factory.mktemp("wheel"))) as wheel:
        wheel.extractall(folder)
    return folder


#: A model of one's own that is called as one of that package.
OF_THE_SAME_NAME = """
from workbench.language import *

class Token(Model):
    x = Variable(0)

    @action
    def stay(self, s):
        require(s.x == 0, "done")
        s.x = 1

    @invariant
    def Small(self, s):
        return s.x < 2
"""


#: Runs commands in one process, and prints of each the exit status, the standard output and the standard error.
COMMANDS = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from workbench.commands.cli import main

for words in json.loads(sys.argv[1]):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        status = main(words)
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""


def commands(here: Path, packages: list[Path], *lines: str) -> list[Done]:
    """What commands of the workbench do, in a folder, where these packages are installed."""
    words = json.dumps([line.split() for line in lines])
    ended = python(COMMANDS, words, here=here, check=True, PYTHONPATH=os.pathsep.join(map(str, packages)))
    return [Done(*json.loads(line)) for line in ended.stdout.splitlines()]


@pytest.mark.slow
def test_commands_list_and_check_it(installed: Path, tmp_path: Path) -> None:
    lines = "list", "check ledger", "check ledger_without_lock -o lost.html"
    listed, held, lost = commands(tmp_path, [installed], *lines)
    assert [done.status for done in (listed, held, lost)] == [0, 0, 0]
    assert "ledger               Workers read a shared counter, and write it back with one more." in listed.out
    assert "ledger 2" in listed.out
    assert "\N{CHECK MARK} holds                    NothingLost" in held.out
    assert "NothingLost violated (5 states)" in lost.out
    assert "1 of 1 configuration is as expected" in lost.out
    assert 'data-picture="ledger"' in (tmp_path / "lost.html").read_text(), "its own picture, not a table of the state"


@pytest.mark.slow
def test_its_own_tests_pass(begun: Path, installed: Path, tmp_path: Path) -> None:
    script = "import sys, pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', sys.argv[1]]))"
    done = python(script, begun / "tests", here=tmp_path, PYTHONPATH=str(installed), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout


@pytest.mark.slow
def test_the_panel_opens_with_its_story(installed: Path, tmp_path: Path) -> None:
    script = (
        "from workbench import Workbench\nfrom workbench.showing.session.stories import in_sight, stories\n"
        "panel = Workbench('ledger')\nchosen = panel.session.settings\n"
        "print(chosen.constants['UseLock'], *stories(chosen.model_class), *in_sight(chosen.model_class), sep=', ')"
    )
    done = python(script, here=tmp_path, PYTHONPATH=str(installed))
    assert done.stdout == "False, Without the lock, As it should be, UseLock\n", done.stderr


#: Entry points that cannot be used, by the package that has them, and why.
UNUSABLE = {
    "absent": ("other = nowhere:PROTOCOL", "ModuleNotFoundError: No module named 'nowhere'"),
    "of_ours": ("hudi = ledger:PROTOCOL", "'hudi' is taken"),
    "of_others": ("other = ledger:PROTOCOL", "'ledger' is taken"),
    "something": ("other = ledger.model:Ledger", "ledger.model:Ledger is not a Protocol"),
}


@pytest.mark.slow
def test_one_that_cannot_be_used_is_left_out_and_the_list_says_why(installed: Path, tmp_path: Path) -> None:
    for name, (entry, _) in UNUSABLE.items():
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[lakehouse_workbench.protocols]\n{entry}\n")
    packages = [installed, tmp_path]
    (done,) = commands(tmp_path, packages, "list")
    refused = sorted(f"workbench: the package {name}: {why}" for name, (_, why) in UNUSABLE.items())
    assert (done.status, sorted(done.err.splitlines())) == (2, refused)
    assert "ledger               Workers read a shared counter" in done.out
    assert "table 17, ledger 2\n" in done.out


#: A package whose protocol names modules that are not there, and whose table is its own.
BROKEN = {
    "tokens/__init__.py": """
from workbench.registry import Protocol

PROTOCOL = Protocol(package="tokens", models={"token": "modle:Token"}, audit="tabels")
""",
    "tokens-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tokens\nVersion: 1.0\n",
    "tokens-1.0.dist-info/entry_points.txt": "[lakehouse_workbench.protocols]\ntokens = tokens:PROTOCOL\n",
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with that package in it."""
    folder = tmp_path_factory.mktemp("broken")
    for name, text in BROKEN.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


@pytest.mark.slow
def test_a_broken_package_is_named_and_disturbs_nobody_else(installed: Path, broken: Path, tmp_path: Path) -> None:
    for name, numbers in {"twice": "1\n2\n2\n", "fine": "1\n2\n"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "ledger.txt").write_text(numbers)
    (tmp_path / "empty").mkdir()
    lines = "list", "check ledger --property NothingLost", "check token", "audit twice --json"
    more = "audit --below fine", "audit empty", "audit empty --format tokens"
    listed, held, token, twice, below, *unread = commands(tmp_path, [installed, broken], *lines, *more)
    absent = "the package tokens: ModuleNotFoundError: No module named 'tokens.modle'\n"
    assert (listed.status, listed.err) == (2, f"workbench: {absent}")
    for name in ("bakery", "ledger", "peterson"):
        assert f"\n{name} " in listed.out
    assert "\ntoken " not in listed.out
    assert (held.status, complaints(held.err)) == (0, [])
    assert token == Done(2, "", f"workbench: {absent}")
    audited = json.loads(twice.out)
    assert (audited["format"], [finding["why"] for finding in audited["findings"]]) == ("ledger", ["2 follows 2"])
    assert twice.status == 1
    absent = absent.replace("modle", "tabels")
    assert (below.status, below.out.splitlines()[-1]) == (2, "1 table: 1 nothing found")
    assert below.err.endswith(f"workbench: {absent}"), "its tables may be overlooked"
    for done in unread:
        assert (done.status, len(done.err.splitlines())) == (2, 1)
        assert done.err.endswith(f"; {absent}")
    (tmp_path / "own.py").write_text(OF_THE_SAME_NAME)
    script = "from workbench.registry import get_model, name_of; print(name_of(get_model('own.py')))"
    named = python(script, here=tmp_path, PYTHONPATH=os.pathsep.join(map(str, (installed, broken))))
    assert (named.stdout, named.stderr) == (f"{tmp_path / 'own.py'}:Token\n", "")


def test_the_parts_of_our_protocols_are_there() -> None:
    assert list(having("audit")) == ["delta", "hudi", "iceberg", "paimon"]
    for name, protocol in protocols().items():
        places = [protocol.picture, protocol.audit, protocol.history, protocol.driver]
        places += [*protocol.logs.values(), *protocol.texts.values()]
        assert all(protocol.part(place) for place in places if place), name
    assert set(protocols()["bakery"].models) <= set(models())


@pytest.mark.parametrize("given", [None, 3, ["bakery"], Path("own.py")], ids=str)
def test_what_is_no_name_is_refused_in_one_line(given: Any) -> None:
    said = f"model {given!r} is not accepted; it takes a name such as 'bakery', or a file.py:Class"
    with pytest.raises(InputError) as error:
        get_model(given)
    assert str(error.value) == said
