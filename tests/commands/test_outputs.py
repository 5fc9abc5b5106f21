"""What commands write to files: whole or not at all, whatever stops them, and never over what they read."""

import json
import random
import signal
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command import python
from tests.places import ROOT
from tests.transcripts import contents
from workbench.commands.cli import main
from workbench.formats import graphs
from workbench.kernel.meaning.budget import Watch

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


def test_a_url_may_spell_a_file_that_is_read(here, run):
    Path("my table").mkdir()
    before = contents(here)
    done = run("audit", f"file://{here}/my%20table", "-o", "my table/p.html")
    assert done[:2] == (2, "")
    assert "-o my table/p.html: 'my table/p.html' would destroy the input" in done.err
    assert contents(here) == before


def test_the_notebooks_are_not_copied_to_where_they_come_from(here, run):
    Path("own").symlink_to(ROOT / "notebooks")
    before = contents(ROOT / "notebooks")
    done = run("notebooks", "own")
    assert done[:2] == (2, "")
    assert "it is where the notebooks come from" in done.err
    assert contents(ROOT / "notebooks") == before


@pytest.mark.slow
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


# Files are whole -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
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

    def interrupted(*arguments, watch, **options):
        def interrupt(progress):
            signal.raise_signal(signal.SIGINT)

        return carried_out(*arguments, watch=Watch(interrupt), **options)

    monkeypatch.setattr(module, name, interrupted)
    assert main(COMMANDS["configuration"]) == (3 if moment == 1 else 0)
    page = Path("r.html").read_text()
    assert ("INCOMPLETE (interrupted)" in page) == (moment == 1)
    assert "What reads and writes what" not in page


@pytest.mark.slow
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
    beginning = written.partition(" content=")[0]  # what follows names the scripts, and those go by what was found
    return text.startswith(beginning) and text.endswith("</script></main></body></html>\n")


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
from workbench.kernel.meaning.budget import Limits

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
