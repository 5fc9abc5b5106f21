"""The formats on the command line, where more is to be seen than a transcript shows: graphs, and changed traces."""

import csv
import json
import re
import shlex
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.places import ROOT
from workbench.formats.permalink import permalink
from workbench.kernel import machine_of, search
from workbench.registry import get_model

Bakery, BakeryV2 = get_model("bakery"), get_model("bakery_v2")
PAGE = (ROOT / "docs" / "formats.md").read_text()
RACE_CFG = re.search(r"```text\n(CONSTANTS\n.*?)```", PAGE, re.DOTALL).group(1)
RACE = ["--set", "Writers=2", "--set", "AsyncParquet=true", "--set", "RestampPatch=false"]
SMALL = ["bakery", "--set", "Writers=2", "--set", "MaxCrashes=0"]


@pytest.fixture
def run(run, tmp_path, monkeypatch):
    """Runs a command in an empty folder that holds ``race.cfg`` alone."""
    monkeypatch.chdir(tmp_path)
    Path("race.cfg").write_text(RACE_CFG)
    return run


@pytest.fixture
def race(run):
    """The race's trace, in ITF."""
    assert run("check", "bakery_v2", *RACE, "-o", "race.itf.json").status == 1
    return Path("race.itf.json")


@pytest.mark.slow
def test_the_commands_of_the_documentation_end_as_it_says(run):
    block = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1)
    for line in block.splitlines():
        command, _, said = line.partition("#")
        found = run(*shlex.split(command)[1:])
        assert found.status == int(said.partition(":")[0]), (command, found.err)
    written = {path.name for path in Path().iterdir()}
    assert written == {"race.cfg", "race.itf.json", "race.md", "fixed.xml", "race.dot", "race.csv"}


@pytest.mark.slow
def test_a_changed_trace_is_not(run, race):
    document = json.loads(race.read_text())
    document["states"][4]["next_ticket"] = {"#bigint": "9"}
    race.write_text(json.dumps(document))
    found = run("validate", "bakery_v2", race)
    assert found.status == 1
    assert found.out.startswith("not a behaviour of the model: no step leads from state 4 to state 5")
    assert "next_ticket is 2, recorded as 9" in found.out


@pytest.mark.slow
def test_a_permalink_is_followed(run):
    model = BakeryV2(Writers=2, AsyncParquet=True, RestampPatch=False)
    trace = search(model, ["NoLakekeeperConflict"])["NoLakekeeperConflict"].trace
    link = permalink(trace)
    found = run("validate", "bakery_v2", link, "--trace")
    assert (found.status, found.out) == (0, f"a behaviour of the model: {len(trace)} states\n\n{trace}\n")
    other = run("validate", "bakery_v2", link.replace("#0/0.0", "#0/0.0,0.0"))
    assert other.status == 1
    assert other.out.startswith("not a behaviour of the model: step 2 cannot be ")
    assert run("validate", "bakery", link).err == "workbench: the permalink is for 'bakery_v2', not for bakery\n"


# Graphs ------------------------------------------------------------------------------------------------------------


def read_table(name):
    with Path(f"out.csv/{name}.csv").open() as lines:
        return list(csv.DictReader(lines))


def transitions(model):
    """All states, and all transitions with their labels, by the model alone."""
    states, steps = dict.fromkeys(model.initial_states()), Counter()
    queue = list(states)
    for state in queue:
        for instance in model.instances:
            for outcome, after in model.outcomes(instance, state):
                steps[state, instance.label_with(outcome.choices), after] += 1
                if after not in states:
                    states[after] = None
                    queue.append(after)
    return states, steps


def test_the_tables_hold_the_whole_graph(run):
    assert run("export", "bakery", "--set", "Writers=2", "-o", "out.csv").status == 0
    states, steps = transitions(machine_of(Bakery(Writers=2)))
    nodes = read_table("nodes")
    edges = read_table("edges")
    assert [node["Id"] for node in nodes] == [str(number) for number in range(len(states))]
    assert [node["Id"] for node in nodes if node["Initial"] == "true"] == ["0"]
    cells = [str(cell) for cell in machine_of(Bakery(Writers=2)).layout.cells]
    assert len({tuple(node[cell] for cell in cells) for node in nodes}) == len(states)
    assert Counter(edge["Label"] for edge in edges) == Counter(
        {label: sum(n for (_, name, _), n in steps.items() if name == label) for _, label, _ in steps}
    )


def test_steps_have_the_labels_of_the_state_that_they_leave(run):
    """The choices of an action stand in its label, and differ from state to state."""
    Path("shelf.py").write_text(
        "from workbench.kernel import Model, Variable, action, choose\n\n\n"
        "class Shelf(Model):\n"
        "    left = Variable(frozenset({'a', 'b', 'c'}))\n\n"
        "    @action\n"
        "    def take(self, s):\n"
        "        s.left -= {choose(s.left, 'item')}\n"
    )
    assert run("export", "shelf.py:Shelf", "-o", "out.csv").status == 0
    left = {node["Id"]: node["left"] for node in read_table("nodes")}
    edges = read_table("edges")
    assert (len(left), len(edges)) == (8, 12)
    for edge in edges:
        (item,) = set("abc") & (set(left[edge["Source"]]) - set(left[edge["Target"]]))
        assert edge["Label"] == f"take(item={item})"


def test_dot_and_graphml_hold_the_same_graph(run):
    found = run("export", *SMALL, "--symmetry", "-o", "g.dot", "-o", "g.graphml")
    states = search(Bakery(Writers=2, MaxCrashes=0), [], ["Writers"]).distinct
    assert found.status == 0
    dot, root = Path("g.dot").read_text(), ElementTree.parse("g.graphml").getroot()
    nodes, edges = (list(root.iter(f"{{http://graphml.graphdrawing.org/xmlns}}{kind}")) for kind in ("node", "edge"))
    assert len(re.findall(r"^\d+ \[label", dot, re.MULTILINE)) == len(nodes) == states
    assert len(re.findall(r"^\d+ -> \d+ \[label", dot, re.MULTILINE)) == len(edges)
    assert f"{states} states and {len(edges)} steps written to g.dot, g.graphml" in found.err
    assert run("export", *SMALL, "--symmetry", "-o", ".dot").out == dot


def test_a_picture_of_a_space_says_what_violates(run):
    found = run("export", "paimon", "--set", "PUT_IF_ABSENT=false", "--property", "ConsistentRead", "-o", "space.svg")
    assert (found.status, found.err) == (0, "1,533 states and 2,128 steps written to space.svg\n")
    assert ElementTree.parse("space.svg").getroot().attrib["aria-label"] == (
        "paimon: 1,533 states by depth, 504 of them violate ConsistentRead"
    )


def test_a_file_that_cannot_be_written_after_all_is_one_line(run):
    Path("full.xml").symlink_to("/dev/full")
    found = run("check", *SMALL, "-o", "full.xml")
    assert (found.status, found.err) == (2, "workbench: 'full.xml' cannot be written: No space left on device\n")
