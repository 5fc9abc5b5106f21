"""A protocol of another package is found with all that ours have."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.command import complaints, python
from workbench.kernel import InputError
from workbench.registry import get_model, having, models, protocols

#: The files of a package with a protocol: its model, picture, a story with its configuration, and an audit.
PACKAGE = {
    "ledgers/__init__.py": """
from pathlib import Path
from workbench.registry import Protocol

PROTOCOL = Protocol(
    __name__,
    models={"ledger": "model:Ledger"},
    stories={"ledger": {"A number twice": "ledgers/twice"}},
    in_sight={"ledger": ("Locks",)},
    picture="picture",
    audit="tables",
    specs=Path(__file__).parent / "specs",
)
""",
    "ledgers/model.py": """
from workbench.language import *

class Ledger(Model):
    \"\"\"Two writers number the lines of a ledger.\"\"\"

    Writers = Constant(2, Names("w", range(1, 4)), "who writes")
    Locks = Constant(True, bool, "whether a writer reads and writes in one step")
    entries = Variable((), doc="the numbers that were written")
    seen = Variable(None, per="Writers", doc="what a writer has read")
    writer = Process(per="Writers")

    @action(writer)
    def read(self, s, w):
        require(not self.Locks and s.seen[w] is None and len(s.entries) < 2, "it has read")
        s.seen[w] = len(s.entries)

    @action(writer)
    def write(self, s, w):
        require(len(s.entries) < 2, "the ledger is full")
        require(self.Locks or s.seen[w] is not None, "it has to read first")
        s.entries += (len(s.entries) if self.Locks else s.seen[w],)
        s.seen[w] = None

    @invariant
    def Gapless(self, s):
        \"\"\"The lines are numbered without gaps and repetitions.\"\"\"
        return s.entries == tuple(range(len(s.entries)))
""",
    "ledgers/picture.py": """
from ledgers.model import Ledger
from workbench.showing.pictures import card, picture_of

@picture_of(Ledger, leaves_out={"seen": "a thought"})
def describe(model, s):
    yield from (card(f"line-{i}", f"line {i}", str(number)) for i, number in enumerate(s.entries))
""",
    "ledgers/tables.py": """
from itertools import pairwise
from workbench.audits.judgement import Judgement

ACKS = {}, {}

def detects(source):
    return source.exists("ledger.txt")

def audit(source, *, acks, since):
    numbers = [int(line) for line in source.read("ledger.txt", 1000).split()]
    judgement = Judgement("ledgers", source, versions=(numbers[0], numbers[-1]))
    for before, after in pairwise(numbers):
        if after != before + 1:
            judgement.find("Gapless", "proved", after, f"{after} follows {before}", no_picture="none is needed")
    return judgement.audit()
""",
    "ledgers/specs/twice.toml": """
title = "Two writers without a lock"
model = "ledger"
properties = ["Gapless"]
[constants]
Locks = false
[expect.verdicts]
Gapless = { violated = 5 }
""",
    "ledgers-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ledgers\nVersion: 1.0\n",
    "ledgers-1.0.dist-info/entry_points.txt": "[lakehouse_workbench.protocols]\nledgers = ledgers:PROTOCOL\n",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages with that one in it."""
    return written(tmp_path_factory.mktemp("installed"), PACKAGE)


def written(folder: Path, package: dict[str, str]) -> Path:
    """The folder, with the files of a package."""
    for name, text in package.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"))
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


def command(here: Path, packages: list[Path], *words: str) -> subprocess.CompletedProcess[str]:
    """A command where these packages are installed."""
    script = "import sys; from workbench.commands.cli import main; sys.exit(main(sys.argv[1:]))"
    return python(script, *words, here=here, PYTHONPATH=os.pathsep.join(map(str, packages)))


def run(installed: Path, here: Path, *words: str) -> str:
    """What a command prints where that package is installed."""
    done = command(here, [installed], *words)
    assert complaints(done.stderr) in ([], ["written to twice.html"])
    return done.stdout


@pytest.mark.slow
def test_commands_list_and_check_it(installed: Path, tmp_path: Path) -> None:
    assert "ledger               Two writers number the lines of a ledger." in run(installed, tmp_path, "list")
    assert "ledgers 1" in run(installed, tmp_path, "list")
    assert "\N{CHECK MARK} holds" in run(installed, tmp_path, "check", "ledger", "--property", "Gapless")
    assert "1 of 1 configuration is as expected" in run(installed, tmp_path, "check", "twice")
    page = tmp_path / "twice.html"
    run(installed, tmp_path, "check", "ledgers/twice", "-o", "twice.html")
    assert 'data-picture="ledger"' in page.read_text(), "its own picture, not a table of the state"


@pytest.mark.slow
def test_its_tables_are_audited(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "ledger.txt").write_text("1\n2\n2\n")
    found = json.loads(run(installed, tmp_path, "audit", ".", "--json"))
    assert (found["format"], [one["why"] for one in found["findings"]]) == ("ledgers", ["2 follows 2"])


@pytest.mark.slow
def test_the_panel_opens_with_its_story(installed: Path, tmp_path: Path) -> None:
    script = (
        "from workbench import Workbench\nfrom workbench.showing.session.stories import in_sight, stories\n"
        "panel = Workbench('ledger')\nchosen = panel.session.settings\n"
        "print(chosen.constants['Locks'], *stories(chosen.model_class), *in_sight(chosen.model_class), sep=', ')"
    )
    done = python(script, here=tmp_path, PYTHONPATH=str(installed))
    assert done.stdout == "False, A number twice, Locks\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("other = nowhere:PROTOCOL", "ModuleNotFoundError: No module named 'nowhere'"),
        ("hudi = ledgers:PROTOCOL", "'hudi' is taken"),
        ("other = ledgers:PROTOCOL", "'ledger' is taken"),
        ("other = ledgers.model:Ledger", "ledgers.model:Ledger is not a Protocol"),
    ],
)
def test_one_that_cannot_be_used_is_left_out_and_the_list_says_why(
    installed: Path, tmp_path: Path, entry: str, why: str
) -> None:
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[lakehouse_workbench.protocols]\n{entry}\n")
    script = "from workbench.registry import protocols; print(*protocols())"
    done = python(script, here=tmp_path, PYTHONPATH=os.pathsep.join((str(installed), str(tmp_path))))
    assert (done.stdout, done.stderr) == ("bakery classics delta hudi iceberg paimon table ledgers\n", "")
    done = command(tmp_path, [installed, tmp_path], "list")
    assert (done.returncode, done.stderr) == (2, f"workbench: the package other: {why}\n")
    assert "ledger               Two writers number the lines of a ledger." in done.stdout


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
    return written(tmp_path_factory.mktemp("broken"), BROKEN)


@pytest.mark.slow
def test_a_broken_package_is_named_and_the_rest_is_listed(installed: Path, broken: Path, tmp_path: Path) -> None:
    done = command(tmp_path, [installed, broken], "list")
    assert done.stderr == "workbench: the package tokens: ModuleNotFoundError: No module named 'tokens.modle'\n"
    assert done.returncode == 2
    for name in ("bakery", "ledger", "peterson"):
        assert f"\n{name} " in done.stdout
    assert "\ntoken " not in done.stdout


@pytest.mark.slow
def test_a_broken_package_disturbs_nobody_else(installed: Path, broken: Path, tmp_path: Path) -> None:
    packages = [installed, broken]
    done = command(tmp_path, packages, "check", "ledger", "--property", "Gapless")
    assert (done.returncode, complaints(done.stderr)) == (0, [])
    done = command(tmp_path, packages, "check", "token")
    no_module = "workbench: the package tokens: ModuleNotFoundError: No module named 'tokens.modle'\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", no_module)
    (tmp_path / "own.py").write_text(OF_THE_SAME_NAME)
    script = "from workbench.registry import get_model, name_of; print(name_of(get_model('own.py')))"
    done = python(script, here=tmp_path, PYTHONPATH=os.pathsep.join(map(str, packages)))
    assert (done.stdout, done.stderr) == (f"{tmp_path / 'own.py'}:Token\n", "")
    (tmp_path / "ledger.txt").write_text("1\n2\n2\n")
    found = json.loads(command(tmp_path, packages, "audit", ".", "--json").stdout)
    assert [one["why"] for one in found["findings"]] == ["2 follows 2"]
    (tmp_path / "ledger.txt").write_text("1\n2\n")
    done = command(tmp_path, packages, "audit", "--below", ".")
    no_module = "the package tokens: ModuleNotFoundError: No module named 'tokens.tabels'\n"
    assert (done.returncode, done.stdout.splitlines()[-1]) == (2, "1 table: 1 nothing found")
    assert done.stderr.endswith(f"workbench: {no_module}"), "its tables may be overlooked"
    (tmp_path / "ledger.txt").unlink()
    for format in ("auto", "tokens"):
        done = command(tmp_path, packages, "audit", ".", "--format", format)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
        assert done.stderr.endswith(f"; {no_module}")


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
