"""What commands write to files: whole or not at all, whatever stops them, and never over what they read."""

import json
import os
import random
import signal
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command import python
from tests.places import ROOT
from workbench.commands.cli import main
from workbench.formats import graphs

OLD = "what was there before\n"
TOML = 'model = "bakery"\nproperties = ["SomeoneCommits"]\nconstants = {Writers = 2, MaxCrashes = 0}\n'
STORY = "commit(w1)\n"
SMALL = ["bakery", "--set", "Writers=2", "--set", "MaxCrashes=0"]
COMMANDS = {
    "export": ["export", *SMALL, "-o", "g.dot", "-o", "g.graphml", "-o", "graph.csv"],
    "configuration": ["check", "one.toml", "-o", "r.html"],
    "check": ["check", *SMALL, "--property", "SomeoneCommits", "-o", "t.itf.json", "-o", "t.tlc.json"]
    + ["-o", "t.md", "-o", "j.xml", "-o", "t.json", "-o", "t.svg"],
    "validate": ["validate", "bakery", "workbench:bakery#0/0.0", "-o", "t.html", "-o", "t.svg"],
    "scenario": ["scenario", *SMALL, "story.txt", "-o", "t.html", "-o", "t.svg", "-o", "t.itf.json"],
}
OUTPUTS = {
    "export": ["g.dot", "g.graphml", "graph.csv/nodes.csv", "graph.csv/edges.csv"],
    "configuration": ["r.html"],
    "check": ["t.itf.json", "t.tlc.json", "t.md", "j.xml", "t.svg"],
    "validate": ["t.html", "t.svg"],
    "scenario": ["t.html", "t.svg", "t.itf.json"],
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder with a configuration, in which commands run."""
    monkeypatch.chdir(tmp_path)
    Path("one.toml").write_text(TOML)
    Path("story.txt").write_text(STORY)
    Path("graph.csv").mkdir()
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
    "command",
    [
        "check one.toml -o link.html",
        "check one.toml -o ./folder/../link.html",
        "check one.toml -o hard.html",
        "check folder one.toml -o folder/two.xml",
        "check bakery --cfg cfg.md -o cfg.md",
        "check own.py:Own -o own.svg",
        "check own.toml -o own.svg",
        "check own.toml -o helper.html",
        "check own.toml one.toml -o own.xml",
        "check bakery --run-dir folder -o folder/run.json",
        "validate bakery cfg.md -o ./cfg.md",
        "validate own.py:Own cfg.md -o own.svg",
        "validate bakery story.md --map mapping.py:M -o mapping.svg",
        "export own.py:Own -o own.dot",
        "export own.toml -o tables.csv",
        "export n1=events.jsonl -o ./events.jsonl",
        "walk own.toml --walks 1 -o own.svg",
        "scenario own.toml story.md -o own.svg",
        "scenario bakery story.md -o story.md",
        "audit folder -o folder/page.html",
        "audit folder --acks acks.json -o acks.json",
        "drive paimon trace.json -o trace.json",
        "sweep own.toml --grid LazyReap=true,false -o own.csv",
    ],
)
def test_no_output_goes_over_an_input(refused, here, monkeypatch, command):
    Path("folder").mkdir()
    Path("folder/two.toml").write_text(TOML)
    Path("folder/two.xml").symlink_to("two.toml")
    Path("link.html").symlink_to("one.toml")
    os.link("one.toml", "hard.html")
    Path("cfg.md").write_text("INVARIANT UniqueTickets")
    Path("story.md").write_text(STORY)
    Path("helper.py").write_text("from workbench.protocols.bakery.model import Bakery\n")
    Path("helper.html").symlink_to("helper.py")
    Path("mapping.py").write_text("")
    Path("mapping.svg").symlink_to("mapping.py")
    Path("own.py").write_text("from helper import Bakery\nclass Own(Bakery): pass\n")
    Path("own.toml").write_text(TOML.replace("bakery", "own.py:Own"))
    for ending in ("svg", "xml", "dot", "csv"):
        os.link("own.py", f"own.{ending}")
    Path("tables.csv").mkdir()
    Path("tables.csv/nodes.csv").symlink_to("../own.py")
    for name in ("events.jsonl", "acks.json", "trace.json"):
        Path(name).write_text("")
    monkeypatch.syspath_prepend(here)
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # what Python keeps of the modules beside a model is its own
    line = refused(*command.split())
    assert f"{command[command.rindex('-o') :]}: " in line
    assert "would destroy the input" in line


@pytest.mark.parametrize(
    "command",
    [
        "check one.toml -o one.toml",
        "walk bakery -o walks.txt",
        "audit folder -o x",
        "export bakery -o x.xlsx",
        "sweep bakery --grid Writers=2 -o results.txt",
    ],
)
def test_the_ending_says_what_is_written(refused, command):
    assert "is not accepted; its ending says what is written: " in refused(*command.split())


@pytest.mark.usefixtures("here")
def test_a_folder_may_have_a_dot_in_its_name_if_it_is_plainly_one():
    Path("there.2").mkdir()
    for folder in ("there.2", "new.2/"):
        assert main(["sweep", "peterson", "--grid", "Processes=2", "-o", folder]) == 0
        assert list(Path(folder).iterdir())


def test_a_url_may_spell_a_file_that_is_read(refused):
    Path("my table").mkdir()
    url = f"file://{Path.cwd()}/my%20table"
    line = refused("audit", url, "-o", "my table/p.html")
    assert "-o my table/p.html: 'my table/p.html' would destroy the input" in line


def test_both_files_of_models_are_read_where_they_have_one_name(refused):
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "own.py").write_text("from workbench.protocols.bakery.model import Bakery as Own\n")
        Path(folder, "own.toml").write_text(TOML.replace("bakery", "own.py:Own"))
    os.link("one/own.py", "own.xml")
    assert "would destroy the input 'one/own.py'" in refused("check", "one", "two", "-o", "own.xml")


def test_a_dataset_is_refused_before_the_states_are_searched(refused):
    """Searching these takes minutes."""
    large = ["bakery_v2", "--set", "Writers=4", "--set", "MaxCrashes=2", "--max-states", "100000000"]
    assert "it holds 'one.toml', which no dataset has" in refused("export", *large, "-o", ".")
    Path("file").touch()
    assert "is a file; a dataset takes a folder" in refused("export", *large, "-o", "file")


def test_what_is_new_goes_neither_through_a_link_nor_into_a_file(refused):
    Path("counter.py").symlink_to("elsewhere.py")
    assert "'counter.py' exists already" in refused("new", "counter")
    assert "folder 'one.toml' cannot be made: File exists" in refused("new", "counter", "-o", "one.toml")


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
    assert main(["check", ".", "-o", "junit.xml"]) == 0
    assert Path("junit.xml").exists()


@pytest.mark.parametrize(
    "command",
    [
        "check bakery -o t.md -o ./t.md",
        "check bakery -o t.svg -o folder/../t.svg",
        "check bakery -o link.md -o old.xml",
        "export bakery -o g.dot -o ./g.dot",
        "export bakery -o link.dot -o old.graphml",
        "check bakery -o .svg -o .md",
        "check bakery -o .svg --json",
    ],
)
def test_two_outputs_are_two_files(refused, command):
    Path("folder").mkdir()
    Path("out").mkdir()
    for old, link in (("old.xml", "link.md"), ("old.graphml", "link.dot")):
        Path(old).write_text(OLD)
        Path(link).symlink_to(old)
    assert "both write to" in refused(*command.split())


# Files are whole -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device"), RuntimeError("a bug")])
def test_what_stops_a_graph_leaves_the_old_one(here, capsys, monkeypatch, stop):
    for name in OUTPUTS["export"]:
        Path(name).write_text(OLD)
    before, labels = contents(here), graphs.dot.edge

    def stopping(source, target):
        if source == 5:
            raise stop
        return labels(source, target)

    monkeypatch.setattr(graphs.dot, "edge", stopping)
    command = ["export", *SMALL, "-o", "g.dot", "-o", "graph.csv"]
    if stop is KeyboardInterrupt:
        with pytest.raises(KeyboardInterrupt):
            main(command)
    else:
        assert main(command) == 2
        assert capsys.readouterr().err.count("\n") == 1
    assert contents(here) == before


@pytest.mark.parametrize("moment", [1, 2])
def test_the_page_of_an_interrupted_check_says_so(here, capsys, monkeypatch, moment):
    """If it is the search that keeps the states, after the one that judges them, only the graph is missing."""
    from workbench.checking.spaces import space
    from workbench.commands import check

    module, name = [(check, "check"), (space, "explore")][moment - 1]
    carried_out = getattr(module, name)

    def interrupted(*arguments, on_progress, **options):
        def interrupt(progress):
            signal.raise_signal(signal.SIGINT)

        return carried_out(*arguments, on_progress=interrupt, **options)

    monkeypatch.setattr(module, name, interrupted)
    assert main(COMMANDS["configuration"]) == (3 if moment == 1 else 0)
    page = Path("r.html").read_text()
    assert ("INCOMPLETE (interrupted)" in page) == (moment == 1)
    assert "What reads and writes what" not in page


@pytest.mark.parametrize("small_disk", ["12k"], indirect=True)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_leaves_the_old_files(small_disk, monkeypatch, capsys, command):
    monkeypatch.chdir(small_disk.folder)
    if command == "scenario":
        Path("story.txt").write_text(STORY)
    Path("one.toml").write_text(TOML)
    Path("graph.csv").mkdir()
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
from workbench import __main__
from workbench.commands import cli
from workbench.showing import view
from workbench.checking import check
from workbench.checking.spaces import space
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
    done = python(ENDING, what, PYTHONPATH=str(ROOT))
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
    return text.startswith(written[:200]) and text.endswith(written[-200:])


#: Shares of a graph's time in which it is being written.
WRITING = [0.4, 0.6, 0.7, 0.8, 0.9, 0.97]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number", "shares"),
    [
        ("export", signal.SIGKILL, WRITING),
        ("export", signal.SIGTERM, WRITING),
        ("export", signal.SIGINT, []),
        ("configuration", signal.SIGKILL, []),
        ("configuration", signal.SIGTERM, []),
        ("check", signal.SIGKILL, []),
        ("check", signal.SIGTERM, []),
    ],
)
def test_a_command_that_is_ended_at_any_moment_leaves_whole_files(here, command, number, shares):
    chance = random.Random(10)
    (_, _, written), ended = endings(command, number, shares + [chance.uniform(0, 1.1) for _ in range(5)])
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
    ended = python(TOLD_TO_END, PYTHONPATH=str(ROOT))
    assert "INCOMPLETE: interrupted" in ended.stdout
    assert ended.returncode == 3
