"""What commands write to files: whole or not at all, whatever stops them, and never over what they read."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from workbench.cli import main
from workbench.formats import graphs

ROOT = Path(__file__).parent.parent
OLD = "what was there before\n"
TOML = 'model = "bakery"\nproperties = ["SomeoneCommits"]\nconstants = {Writers = 2, MaxCrashes = 0}\n'
STORY = "commit(w1)\n"
SMALL = ["bakery", "--set", "Writers=2", "--set", "MaxCrashes=0"]
COMMANDS = {
    "graph": ["graph", *SMALL, "--dot", "g.dot", "--graphml", "g.xml", "--tables", "."],
    "report": ["report", "one.toml", "-o", "r.html"],
    "check": ["check", *SMALL, "--property", "SomeoneCommits", "--itf", "t.itf.json", "--tlc-json", "t.json"]
    + ["--mermaid", "t.md", "--junit", "j.xml", "--html", "t.html", "--svg", "t.svg"],
    "replay": ["replay", "bakery", "workbench:bakery#0/0.0", "--html", "t.html", "--svg", "t.svg"],
    "scenario": ["scenario", *SMALL, "story.txt", "--html", "t.html", "--svg", "t.svg", "--itf", "t.itf.json"],
}
OUTPUTS = {
    "graph": ["g.dot", "g.xml", "nodes.csv", "edges.csv"],
    "report": ["r.html"],
    "check": ["t.itf.json", "t.json", "t.md", "j.xml", "t.html", "t.svg"],
    "replay": ["t.html", "t.svg"],
    "scenario": ["t.html", "t.svg", "t.itf.json"],
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder with a configuration, in which commands run."""
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(TOML)
    Path("story.txt").write_text(STORY)
    return tmp_path


@pytest.fixture
def refused(here, capsys):
    """Runs a command that is refused in one line, after which every file is as before; returns that line."""

    def command(*arguments):
        before = contents(here)
        assert main(list(arguments)) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert contents(here) == before
        return err

    return command


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# Inputs are not destroyed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("report one.toml -o one.toml", "--output"),
        ("report one.toml -o ./folder/../one.toml", "--output"),
        ("report one.toml -o link.toml", "--output"),
        ("report one.toml -o hard.toml", "--output"),
        ("check one.toml --junit one.toml", "--junit"),
        ("check folder one.toml --junit folder/two.toml", "--junit"),
        ("check bakery --cfg one.cfg --itf one.cfg", "--itf"),
        ("check own.py:Own --tlc-json own.py", "--tlc-json"),
        ("check own.py:Own --mermaid folder/../own.py", "--mermaid"),
        ("check bakery --run-dir folder --itf folder/run.json", "--itf"),
        ("check own.py:Own --html own.py", "--html"),
        ("check one.toml --svg one.toml", "--svg"),
        ("replay bakery one.cfg --html ./one.cfg", "--html"),
        ("replay own.py:Own one.cfg --svg own.py", "--svg"),
        ("graph own.py:Own --dot own.py", "--dot"),
        ("graph own.py:Own --graphml ./own.py", "--graphml"),
        ("report own.toml -o own.py", "--output"),
        ("report own.toml -o folder/../link.py", "--output"),
        ("report own.toml -o helper.py", "--output"),
        ("check own.toml one.toml --junit hard.py", "--junit"),
        ("check own.toml --itf own.py", "--itf"),
        ("graph own.toml --tables tables", "--tables"),
        ("simulate own.toml --walks 1 --html own.py", "--html"),
        ("scenario own.toml story.txt --svg own.py", "--svg"),
        ("scenario bakery story.txt --svg story.txt", "--svg"),
        ("replay own.toml one.cfg --html own.py", "--html"),
        ("replay bakery story.txt --map mapping.py:M --svg mapping.py", "--svg"),
        ("decode n1=one.cfg -o ./one.cfg", "--output"),
        ("audit folder -o folder/page.html", "--output"),
        ("audit folder --acks one.cfg -o one.cfg", "--output"),
    ],
)
def test_no_output_goes_over_an_input(refused, here, monkeypatch, command, option):
    Path("folder").mkdir()
    Path("folder/two.toml").write_text(TOML)
    Path("link.toml").symlink_to("one.toml")
    os.link("one.toml", "hard.toml")
    Path("one.cfg").write_text("INVARIANT UniqueTickets")
    Path("helper.py").write_text("from workbench.models.bakery import Bakery\n")
    Path("own.py").write_text("from helper import Bakery\nclass Own(Bakery): pass\n")
    Path("own.toml").write_text(TOML.replace("bakery", "own.py:Own"))
    Path("link.py").symlink_to("own.py")
    os.link("own.py", "hard.py")
    Path("tables").mkdir()
    Path("tables/nodes.csv").symlink_to("../own.py")
    monkeypatch.syspath_prepend(here)
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # what Python keeps of the modules beside a model is its own
    assert f"{option}: " in (line := refused(*command.split()))
    assert "would destroy the input" in line


def test_a_url_may_spell_a_file_that_is_read(refused):
    Path("my table").mkdir()
    url = f"file://{Path.cwd()}/my%20table"
    assert "--output: 'my table/p.html' would destroy the input" in refused("audit", url, "-o", "my table/p.html")


def test_both_files_of_models_are_read_where_they_have_one_name(refused):
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "own.py").write_text("from workbench.models.bakery import Bakery as Own\n")
        Path(folder, "own.toml").write_text(TOML.replace("bakery", "own.py:Own"))
    assert "would destroy the input 'one/own.py'" in refused("check", "one", "two", "--junit", "one/own.py")


def test_a_dataset_is_refused_before_the_states_are_searched(refused):
    """Searching these takes minutes."""
    large = ["bakery_v2", "--set", "Writers=4", "--set", "MaxCrashes=2", "--max-states", "100000000"]
    assert "it holds 'one.toml', which no dataset has" in refused("save", *large, ".")
    assert "is a file; a dataset takes a folder" in refused("save", *large, "one.toml")


def test_what_is_new_goes_neither_through_a_link_nor_into_a_file(refused):
    Path("counter.py").symlink_to("elsewhere.py")
    assert "'counter.py' exists already" in refused("new", "counter")
    assert "folder 'one.toml' cannot be made: File exists" in refused("new", "counter", "--into", "one.toml")


def test_the_notebooks_are_not_copied_to_where_they_come_from(refused, here):
    Path("own").symlink_to(ROOT / "notebooks")
    before = contents(ROOT / "notebooks")
    assert "it is where the notebooks come from" in refused("notebooks", "own")
    assert contents(ROOT / "notebooks") == before


def test_a_class_gets_the_notebooks_without_answers(here):
    assert main(["notebooks", "lessons", "--for-class"]) == 0
    copies = sorted(Path("lessons").glob("*.ipynb"))
    assert [path.name for path in copies] == sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    for path in copies:
        text = path.read_text()
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)
        assert "solutions.py)" not in text, "a link to what is not there is plain text"
    assert not Path("lessons/solutions.py").exists()


def test_a_report_goes_beside_junit_files_in_the_folder_that_is_checked(here, capsys):
    assert main(["check", ".", "--junit", "junit.xml"]) == 0
    assert Path("junit.xml").exists()


@pytest.mark.parametrize(
    "command",
    [
        "check bakery --itf t --tlc-json ./t",
        "check bakery --itf t --junit folder/../t",
        "check bakery --mermaid link --junit old",
        "graph bakery --dot g --graphml ./g",
        "graph bakery --dot ./out/../nodes.csv --tables .",
        "graph bakery --dot link --graphml old",
    ],
)
def test_two_outputs_are_two_files(refused, command):
    Path("folder").mkdir()
    Path("out").mkdir()
    Path("old").write_text(OLD)
    Path("link").symlink_to("old")
    assert "both write to" in refused(*command.split())


# Files are whole -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device"), RuntimeError("a bug")])
def test_what_stops_a_graph_leaves_the_old_one(here, capsys, monkeypatch, stop):
    for name in OUTPUTS["graph"]:
        Path(name).write_text(OLD)
    before, labels = contents(here), graphs.dot.edge

    def stopping(source, target):
        if source == 5:
            raise stop
        return labels(source, target)

    monkeypatch.setattr(graphs.dot, "edge", stopping)
    command = ["graph", *SMALL, "--tables", ".", "--dot", "g.dot"]
    if stop is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            main(command)
    else:
        assert main(command) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert contents(here) == before


@pytest.mark.parametrize("moment", [1, 2])
def test_a_report_that_is_interrupted_is_none(here, capsys, monkeypatch, moment):
    """Neither is the search that keeps the states, after the one that judges them."""
    from workbench.engines import check
    from workbench.spaces import space

    module, name = [(check, "check"), (space, "explore")][moment - 1]
    carried_out = getattr(module, name)

    def interrupted(*arguments, on_progress, **options):
        def interrupt(progress):
            signal.raise_signal(signal.SIGINT)

        return carried_out(*arguments, on_progress=interrupt, **options)

    monkeypatch.setattr(module, name, interrupted)
    Path("r.html").write_text(OLD)
    assert main(COMMANDS["report"]) == 3
    assert capsys.readouterr().err == "workbench: no report is written: interrupted\n"
    assert Path("r.html").read_text() == OLD


def test_a_report_that_is_interrupted_before_its_space_has_a_state_is_none(here, capsys, monkeypatch):
    """The kernels of that search are loaded when they are first called."""
    from workbench.engines.local import LocalSearch
    from workbench.spaces import space

    begin = LocalSearch._begin

    def interrupted(search, limits):
        signal.raise_signal(signal.SIGINT)
        limits.enforce(lambda: 0)
        begin(search, limits)

    explore = space.explore

    def exploring(*arguments, **options):
        monkeypatch.setattr(LocalSearch, "_begin", interrupted)
        return explore(*arguments, **options)

    monkeypatch.setattr(space, "explore", exploring)
    Path("r.html").write_text(OLD)
    assert main(COMMANDS["report"]) == 3
    assert capsys.readouterr().err == "workbench: no report is written: interrupted\n"
    assert Path("r.html").read_text() == OLD


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of its own with hardly any room."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("only root may mount the small disk that is to be filled")
    yield disk
    subprocess.run(["umount", "-l", disk])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_the_old_files(small_disk, monkeypatch, capsys, command):
    monkeypatch.chdir(small_disk)
    if command == "scenario":
        Path("story.txt").write_text(STORY)
    Path("one.toml").write_text(TOML)
    Path(OUTPUTS[command][0]).write_text(OLD)
    if command == "check":
        Path("filling").write_bytes(bytes(4096))
    assert main(COMMANDS[command]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.endswith("cannot be written: No space left on device")
    assert Path(OUTPUTS[command][0]).read_text() == OLD
    assert not list(Path().glob(".*.partial"))


# Ended from outside --------------------------------------------------------------------------------------------------

#: Runs a command again and again, each time in a fork of a process that has loaded everything, which gets a signal
#: after some share of the time that it takes; prints what the folder holds then, and the exit status.
ENDING = """
import json, os, pathlib, signal, sys, time, traceback
from workbench import __main__, cli, view
from workbench.engines import check
from workbench.spaces import space
command, outputs, number, shares, old = json.loads(sys.argv[1])
sys.argv[1:] = command
silence, loud = os.open(os.devnull, os.O_WRONLY), os.dup(2)

def hears(child):
    # Whether the command has begun to listen, or has ended: before, a signal ends it as it does any process.
    said = pathlib.Path(f"/proc/{child}/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in said)
    return "Z" in status["State"] or int(status["SigCgt"], 16) >> signal.SIGTERM - 1 & 1

def run(after=None):
    for name in outputs:
        pathlib.Path(name).write_text(old)
    child = os.fork()
    if not child:
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        try:
            __main__.main()
        except SystemExit as end:
            os._exit(end.code)
        except BaseException:
            os.write(loud, traceback.format_exc().encode())
            os._exit(99)
    if after is not None:
        while not hears(child):
            time.sleep(0.001)
        time.sleep(after)
        os.kill(child, number)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    partial = [path.name for path in pathlib.Path().glob(".*.partial")]
    print(json.dumps([status, partial, {name: pathlib.Path(name).read_text() for name in outputs}]), flush=True)

run()
begun = time.monotonic()
run()
takes = time.monotonic() - begun
for share in shares:
    run(takes * share)
"""


def endings(command, number, shares):
    """What a command leaves that ends by itself, and what it leaves when it is ended after these shares of its time."""
    what = json.dumps([COMMANDS[command], OUTPUTS[command], number, shares, OLD])
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", ENDING, what], capture_output=True, text=True, env=env)
    assert done.stderr == ""
    whole, again, *ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert (whole[:2], len(ended)) == ([0, []], len(shares))
    assert again[:2] == [0, []]
    return whole, ended


def is_whole(name, text, written):
    """Whether a file is what the command writes; some formats say how long it took, or that it was interrupted."""
    if name == "j.xml":
        return ElementTree.fromstring(text).tag == "testsuites"
    if name != "r.html":
        return text == written
    return abs(len(text) - len(written)) < 100 and text.endswith(written[-200:])


#: Shares of a graph's time in which it is being written.
WRITING = [0.4, 0.6, 0.7, 0.8, 0.9, 0.97]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number", "shares"),
    [
        ("graph", signal.SIGKILL, WRITING),
        ("graph", signal.SIGTERM, WRITING),
        ("graph", signal.SIGINT, []),
        ("report", signal.SIGKILL, []),
        ("report", signal.SIGTERM, []),
        ("check", signal.SIGKILL, []),
        ("check", signal.SIGTERM, []),
    ],
)
def test_a_command_that_is_ended_at_any_moment_leaves_whole_files(here, command, number, shares):
    chance = random.Random(10)
    (_, _, written), ended = endings(command, number, shares + [chance.uniform(0, 1.1) for _ in range(10)])
    assert OLD not in written.values()
    for status, partial, found in ended:
        assert status in {signal.SIGKILL: (0, -9)}.get(number, (0, 3))
        assert not partial or number == signal.SIGKILL
        for name, text in found.items():
            assert text == OLD or is_whole(name, text, written[name]), name


TOLD_TO_END = """
import os, signal, sys
from workbench.__main__ import main
from workbench.kernel.budget import Limits

check = Limits.check

def told(self, level, states, *others):
    if states > 1000:
        Limits.check = check
        os.kill(os.getpid(), signal.SIGTERM)
    check(self, level, states, *others)

Limits.check = told
constants = ["--set", "Writers=4", "--set", "MaxCrashes=2"]
sys.argv = ["workbench", "check", "bakery_v2", *constants, "--property", "UniqueTickets"]
raise SystemExit(main())
"""


@pytest.mark.slow
def test_a_search_that_is_told_to_end_says_what_it_has(here):
    """Ctrl-C and SIGTERM are one."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, "-c", TOLD_TO_END], capture_output=True, text=True, env=env)
    assert "INCOMPLETE: interrupted" in ended.stdout
    assert ended.returncode == 3
