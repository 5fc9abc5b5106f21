"""The formats on the command line: configurations in, traces, reports and graphs out, and one line for bad input."""

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
from workbench.kernel import search
from workbench.kernel.instances import outcome_label
from workbench.registry import get_model

Bakery, BakeryV2 = get_model("bakery"), get_model("bakery_v2")
PAGE = (ROOT / "docs" / "formats.md").read_text()
RACE_CFG = re.search(r"```text\n(CONSTANTS\n.*?)```", PAGE, re.DOTALL).group(1)
RACE = ["--set", "Writers=2", "--set", "AsyncParquet=true", "--set", "RestampPatch=false"]
CONFLICT = ["--property", "NoLakekeeperConflict"]
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
    assert run("check", "bakery_v2", *RACE, *CONFLICT, "-o", "race.itf.json").status == 1
    return Path("race.itf.json")


def configuration(**changes):
    """The text of a configuration file; what is expected of it is as given."""
    return "\n".join(
        [
            'title = "A race"',
            'model = "bakery_v2"',
            'properties = ["NoLakekeeperConflict", "RollbackNoIceberg"]',
            'symmetry = ["Writers"]',
            "[constants]\nWriters = 2\nAsyncParquet = true\nRestampPatch = false\n[expect.verdicts]",
            *(f"{name} = {value}" for name, value in changes.items()),
        ]
    )


# TLC configurations ------------------------------------------------------------------------------------------------


def test_the_commands_of_the_documentation_end_as_it_says(run):
    block = re.search(r"```sh\n(.*?)```", PAGE, re.DOTALL).group(1)
    for line in block.splitlines():
        command, _, said = line.partition("#")
        found = run(*shlex.split(command)[1:])
        assert found.status == int(said.partition(":")[0]), (command, found.err)
    written = {path.name for path in Path().iterdir()}
    assert written == {"race.cfg", "race.itf.json", "race.md", "fixed.xml", "everyone.tlc.json", "race.dot", "race.csv"}


def test_a_configuration_checks_what_the_options_check(run):
    by_file = json.loads(run("check", "bakery_v2", "--cfg", "race.cfg", "--json").out)
    names = [*CONFLICT, "--property", "RollbackNoIceberg"]
    by_options = json.loads(run("check", "bakery_v2", *RACE, *names, "--symmetry", "--json").out)
    notes = by_file.pop("notes")
    assert by_options.pop("notes") == []
    assert by_file | {"seconds": 0} == by_options | {"seconds": 0}
    assert "SYMMETRY WriterSymmetry is taken as the symmetric sets Writers" in notes


def test_remarks_on_a_configuration_are_printed(run):
    found = run("check", "bakery_v2", "--cfg", "race.cfg")
    assert "note: SPECIFICATION Spec: the behaviours and fairness are those that bakery_v2 declares" in found.out


def test_options_go_before_what_a_configuration_says(run):
    changed = run(
        "check", "bakery_v2", "--cfg", "race.cfg", "--set", "RestampPatch=true", "--no-symmetry", *CONFLICT, "--json"
    )
    found = json.loads(changed.out)
    assert (changed.status, found["symmetry"], found["constants"]["RestampPatch"]) == (0, [], True)
    assert found["constants"]["AsyncParquet"] is True
    assert [p["name"] for p in found["properties"]] == ["NoLakekeeperConflict"]
    assert not any("SYMMETRY" in note for note in found["notes"])


def test_symmetry_is_left_out_where_a_liveness_property_is_checked(run):
    Path("live.cfg").write_text("CONSTANTS w1 = w1 w2 = w2 Writers = {w1, w2} SYMMETRY Perms PROPERTY EventualProgress")
    found = json.loads(run("check", "bakery", "--cfg", "live.cfg", "--json").out)
    assert found["symmetry"] == []
    assert [p["kind"] for p in found["properties"]] == ["liveness"]
    assert any("without symmetry" in note for note in found["notes"])


def test_a_configuration_goes_on_past_what_the_model_does_not_have(run):
    """What holds is told, and what nothing is known of is not called safe."""
    Path("other.cfg").write_text("CONSTANTS Writers = {a, b} MaxCrashes = 0\nINVARIANTS TypeOK UniqueTickets")
    found = run("check", "bakery", "--cfg", "other.cfg", "--json", "-o", "j.xml")
    words = {p["name"]: p["holds"] for p in json.loads(found.out)["properties"]}
    assert (found.status, words) == (3, {"UniqueTickets": True, "TypeOK": None})
    assert "not checked, since bakery has no such property: TypeOK" in json.loads(found.out)["notes"]
    assert "unknown invariant of bakery &#x27;TypeOK&#x27;" in Path("j.xml").read_text().replace("'", "&#x27;")
    printed = run("check", "bakery", "--cfg", "other.cfg")
    assert "? unknown                  TypeOK: line 2: unknown invariant of bakery 'TypeOK'" in printed.out
    asked = run("check", "bakery", "--cfg", "other.cfg", "--property", "UniqueTickets")
    assert asked.status == 0


def test_a_configuration_without_properties_counts_states(run):
    Path("count.cfg").write_text("CONSTANTS Writers = {a, b} MaxCrashes = 0")
    found = json.loads(run("check", "bakery", "--cfg", "count.cfg", "--json").out)
    assert found["distinct"] == search(Bakery(Writers=2, MaxCrashes=0), []).distinct
    assert (found["properties"], found["constants"]["Writers"]) == ([], ["a", "b"])


def test_a_set_of_numbers_is_a_set_of_that_many_names(run):
    Path("paxos.cfg").write_text("CONSTANTS Values = {1, 2} Acceptors = {a1, a2, a3} Ballots = 2")
    by_numbers = json.loads(run("check", "paxos", "--cfg", "paxos.cfg", "--json").out)
    assert by_numbers["constants"]["Values"] == ["v1", "v2"]
    assert "Values is taken as v1, v2: names are no numbers, and only which are equal matters" in by_numbers["notes"]


# Traces ------------------------------------------------------------------------------------------------------------


def test_all_forms_of_one_trace_are_written(run):
    found = run(
        "check", "bakery_v2", *RACE, "-o", "t.itf.json", "-o", "t.tlc.json", "-o", "t.md", "--symmetry",
        "--property", "RollbackNoIceberg", *CONFLICT,
    )  # fmt: skip
    states = len(json.loads(Path("t.itf.json").read_text())["states"])
    constants = {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}
    assert states == search(BakeryV2(**constants), ["NoLakekeeperConflict"])["NoLakekeeperConflict"].trace_states
    assert f"the trace of NoLakekeeperConflict, {states} states, is written to t.md\n" in found.err
    assert len(json.loads(Path("t.tlc.json").read_text())["counterexample"]["state"]) == states
    assert Path("t.md").read_text().count("    Note over") == states - 1


def test_a_trace_is_written_for_people(run):
    run("check", "bakery_v2", *RACE, "-o", "t.html", "-o", "t.svg", "-o", "t.itf.json", *CONFLICT)
    states = len(json.loads(Path("t.itf.json").read_text())["states"])
    assert Path("t.html").read_text().count('<details class="wb-state"') == states
    assert Path("t.svg").read_text().count('visibility="hidden"') == states - 1
    again = run("validate", "bakery_v2", "t.itf.json", "-o", "again.html", "-o", ".svg")
    assert (again.status, again.out) == (0, Path("t.svg").read_text())
    assert again.err.startswith("a behaviour of the model: ")
    assert f"the behaviour, {states} states, is written to again.html\n" in again.err
    assert Path("again.html").read_text().count('<details class="wb-state"') == states


def test_of_no_behaviour_at_all_nothing_is_written(run):
    found = run("validate", "bakery", "workbench:bakery#0/999.0", "-o", "none.html")
    assert found.status == 1
    assert "note: -o none.html: nothing is written; there is no behaviour to show\n" in found.err
    assert not Path("none.html").exists()


def test_the_first_violated_property_is_that_which_is_checked_first(run):
    both = ["--property", "NonCrashedProgress", "--property", "EventualProgress"]
    found = run("check", "bakery", "--set", "LazyReap=false", *both, "-o", "one.itf.json")
    assert (found.status, found.out.count("✗")) == (1, 2)
    assert found.err.startswith("the trace of NonCrashedProgress, ")
    assert run("validate", "bakery", "one.itf.json").status == 0


def test_the_witness_of_a_reachable_property_is_written_if_it_is_checked_alone(run):
    alone = run("check", "bakery_v2", "--set", "Writers=2", "--property", "EveryoneCommits", "-o", "w.itf.json")
    assert alone.status == 0
    assert run("validate", "bakery_v2", "w.itf.json").status == 0


def test_nothing_to_write_is_a_note_and_not_an_error(run):
    found = run("check", *SMALL, "-o", "a.itf.json", "-o", "b.md")
    assert found.status == 0
    assert [line.partition(": n")[0] for line in found.err.splitlines()] == ["note: -o a.itf.json", "note: -o b.md"]
    assert not Path("a.itf.json").exists()
    assert not Path("b.md").exists()


def test_standard_output_holds_the_trace_alone(run, race):
    found = run("check", "bakery_v2", *RACE, *CONFLICT, "-o", ".itf.json", "--annotations")
    assert found.out == race.read_text()
    assert "violated (" in found.err
    assert "::error " in found.err


def test_a_single_configuration_gives_its_trace(run, race):
    Path("race.toml").write_text(configuration(NoLakekeeperConflict="{ violated = 18 }"))
    assert run("check", "race.toml", "--no-symmetry", "-o", "again.itf.json").status == 0
    assert json.loads(Path("again.itf.json").read_text())["states"] == json.loads(race.read_text())["states"]


# Continuous integration --------------------------------------------------------------------------------------------


def cases(path):
    """The cases of a JUnit file: suite, name, what is wrong."""
    return [
        (suite.get("name"), case.get("name"), [problem.tag for problem in case])
        for suite in ElementTree.parse(path).getroot()
        for case in suite.iter("testcase")
    ]


def test_a_model_has_a_case_per_property(run):
    found = run("check", "bakery_v2", "--cfg", "race.cfg", "-o", "j.xml", "--annotations")
    assert found.status == 1
    assert cases("j.xml") == [
        ("bakery_v2", "NoLakekeeperConflict", ["failure"]),
        ("bakery_v2", "RollbackNoIceberg", []),
    ]
    assert re.search(r"^::error title=bakery_v2%3A NoLakekeeperConflict::", found.out, re.MULTILINE)


def test_what_is_not_decided_is_an_error(run):
    found = run("check", *SMALL, "--property", "UniqueTickets", "--max-states", "10", "-o", "j.xml")
    assert (found.status, cases("j.xml")) == (3, [("bakery", "UniqueTickets", ["error"])])


def test_a_configuration_passes_if_it_is_as_expected(run):
    for name, expected in (("expected", "{ violated = 18 }"), ("shorter", "{ violated = 17 }"), ("holds", '"holds"')):
        Path(f"{name}.toml").write_text(configuration(NoLakekeeperConflict=expected))
    found = run("check", ".", "-o", "j.xml", "--annotations")
    assert found.status == 1
    assert cases("j.xml") == [
        ("expected.toml", "A race", []),
        ("holds.toml", "A race", ["failure"]),
        ("shorter.toml", "A race", ["failure"]),
    ]
    problem = ElementTree.parse("j.xml").getroot()[1].find("testcase/failure")
    assert problem.get("message") == "NoLakekeeperConflict: expected holds, found violated (18 states)"
    assert "initial state" in problem.text
    lines = [line for line in found.out.splitlines() if line.startswith("::")]
    assert [line.partition(",")[0] for line in lines] == ["::error file=holds.toml", "::error file=shorter.toml"]


def test_an_incomplete_configuration_does_not_pass(run):
    Path("one.toml").write_text(configuration())
    found = run("check", "one.toml", "--max-states", "10", "-o", "j.xml")
    assert (found.status, cases("j.xml")) == (3, [("one.toml", "A race", ["error"])])


def test_annotations_do_not_disturb_json(run):
    found = run("check", "bakery_v2", *RACE, *CONFLICT, "--json", "--annotations")
    assert json.loads(found.out)["properties"][0]["holds"] is False
    assert "::error " in found.err


def test_annotations_of_a_model_in_a_file_are_attached_to_it(run):
    Path("door.py").write_text(
        "from workbench.kernel import Model, Variable, action, invariant\n\n\n"
        "class Door(Model):\n"
        "    open = Variable(False)\n\n"
        "    @action\n"
        "    def push(self, s):\n"
        "        s.open = True\n\n"
        "    @invariant\n"
        "    def Closed(self, s):\n"
        "        return not s.open\n"
    )
    assert "::error file=door.py,line=12,title=door%3A Closed::" in run("check", "door.py:Door", "--annotations").out


# Replay ------------------------------------------------------------------------------------------------------------


def test_a_written_trace_is_a_behaviour(run, race):
    found = run("validate", "bakery_v2", race)
    states = len(json.loads(race.read_text())["states"])
    assert (found.status, found.out) == (0, f"a behaviour of the model: {states} states\n")
    with_trace = run("validate", "bakery_v2", race, "--trace").out
    assert re.findall(r"^ *(\d+)  ", with_trace, re.MULTILINE) == [str(number) for number in range(1, states + 1)]


def test_a_configuration_goes_before_the_constants_that_a_trace_notes(run, race):
    Path("race.toml").write_text(configuration())
    Path("repaired.toml").write_text(configuration().replace("RestampPatch = false", "RestampPatch = true"))
    assert run("validate", "race.toml", race).status == 0
    repaired = run("validate", "repaired.toml", race)
    assert (repaired.status, repaired.out) == (1, run("validate", "bakery_v2", race, "--set", "RestampPatch=true").out)
    refused = run("validate", "race.toml", race, "--set", "RestampPatch=true")
    assert (refused.status, refused.err.count("\n")) == (2, 1)
    assert "--set is not accepted with a configuration; it goes with a model" in refused.err


def test_a_changed_trace_is_not(run, race):
    document = json.loads(race.read_text())
    document["states"][4]["next_ticket"] = {"#bigint": "9"}
    race.write_text(json.dumps(document))
    found = run("validate", "bakery_v2", race)
    assert found.status == 1
    assert found.out.startswith("not a behaviour of the model: no step leads from state 4 to state 5")
    assert "next_ticket is 2, recorded as 9" in found.out


def test_the_constants_are_those_of_the_file_with_set_before_them(run, race):
    found = run("validate", "bakery_v2", race, "--set", "RestampPatch=true")
    assert found.status == 1
    assert "by prepare(" in found.out
    document = json.loads(race.read_text())
    del document["#meta"]["constants"]
    race.write_text(json.dumps(document))
    assert run("validate", "bakery_v2", race).status == 1  # of three writers
    assert run("validate", "bakery_v2", race, *RACE).status == 0


def test_a_log_may_leave_out_steps(run):
    log = {"vars": ["my_ticket"], "states": [{"my_ticket": {"w1": 0, "w2": 0}}, {"my_ticket": {"w1": 1, "w2": 0}}]}
    Path("log.json").write_text(json.dumps(log))
    assert run("validate", *SMALL[:3], "log.json").status == 1
    assert run("validate", *SMALL[:3], "log.json", "--stutter").status == 0
    assert run("validate", "bakery", "log.json", "--stutter").status == 0  # the third writer is not observed


@pytest.mark.parametrize(
    ("source", "options", "why"),
    [
        ("workbench:bakery#0/0.0", "--stutter", "--stutter is not accepted with a permalink"),
        ("workbench:bakery#0/0.0", "--max-states 5", "--max-states is not accepted with a permalink"),
        (".", "--map coldfront", "--map is not accepted with the folder of a table"),
        ("log.json", "--key jack", "--key is not accepted with a file; it goes with the folder of a table"),
    ],
)
def test_what_means_nothing_for_what_is_replayed_is_refused(run, source, options, why):
    found = run("validate", "bakery", source, *options.split())
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith(f"workbench: {why}")


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
                steps[state, outcome_label(instance, outcome), after] += 1
                if after not in states:
                    states[after] = None
                    queue.append(after)
    return states, steps


def test_the_tables_hold_the_whole_graph(run):
    assert run("export", "bakery", "--set", "Writers=2", "-o", "out.csv").status == 0
    states, steps = transitions(Bakery(Writers=2))
    nodes = read_table("nodes")
    edges = read_table("edges")
    assert [node["Id"] for node in nodes] == [str(number) for number in range(len(states))]
    assert [node["Id"] for node in nodes if node["Initial"] == "true"] == ["0"]
    cells = [str(cell) for cell in Bakery(Writers=2).layout.cells]
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


def test_a_graph_that_is_too_large_is_not_written(run):
    states = search(Bakery(Writers=2, MaxCrashes=0), []).distinct
    found = run("export", *SMALL, "-o", "g.dot", "--max-states", states - 1)
    assert (found.status, found.err.count("\n"), Path("g.dot").exists()) == (3, 1, False)
    assert f"no graph is written: the budget of {states - 1} states is used up" in found.err
    assert run("export", *SMALL, "-o", "g.dot", "--max-states", states).status == 0


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("check bakery --cfg none.cfg", "TLC configuration 'none.cfg' cannot be read: No such file or directory"),
        ("check bakery --cfg noise", "TLC configuration 'noise' cannot be read: not UTF-8 text"),
        ("check bakery --cfg folder", "TLC configuration 'folder' cannot be read: Is a directory"),
        ("check bakery --cfg race.cfg", "race.cfg: line 4: unknown constant of bakery 'AsyncParquet'"),
        ("check bakery --cfg deep", "deep: line 1: found ["),
        ("check bakery --cfg sets", "sets: line 1: sets are nested more than 100 deep"),
        ("check bakery --cfg digits", "digits: line 1: a number of 5,000 digits is not accepted"),
        ("check one.toml --cfg race.cfg", "--set, --cfg and --property are not accepted with configurations"),
        ("check one.toml two.toml -o t.md", "-o t.md is not accepted with 2 configurations"),
        ("check bakery -o folder.md", "'folder.md' cannot be written: it is a folder"),
        ("check bakery -o none/t.md", "'none/t.md' cannot be written: there is no folder '/"),
        ("check bakery -o race.cfg/j.xml", "'race.cfg/j.xml' cannot be written: there is no folder '/"),
        ("check bakery -o t.md -o t.md", "-o t.md is given twice"),
        ("check bakery -o .md --json", "--json and -o .md both write to standard output"),
        ("validate bakery none", "trace 'none' cannot be read: No such file or directory"),
        ("validate bakery noise", "trace 'noise' cannot be read: not UTF-8 text"),
        ("validate bakery folder", "'folder' is not a table of delta, hudi, iceberg, paimon"),
        ("validate bakery race.cfg", "race.cfg: the trace is not JSON"),
        ("validate bakery deep", "deep: the trace is not accepted: it is nested too deeply"),
        ("validate none log.json", "unknown model or configuration 'none'"),
        ("validate bakery log.json --set Writers=9", "Writers = 9 is not accepted; it takes a size from 1 to 6"),
        ("validate bakery v2.json", "unknown constant of bakery 'AsyncParquet'; known"),
        ("validate bakery strange.json", "strange.json: unknown variable of bakery 'temperature'"),
        ("validate bakery workbench:bakery?MaxCrashes=x#0/", "permalink: MaxCrashes = 'x' is not accepted"),
        ("validate bakery workbench:bakery#0/1", "permalink 'workbench:bakery#0/1' is not accepted"),
        ("export bakery", "there is nothing to write; give -o FILE.dot, -o FILE.graphml, -o FOLDER.csv or -o FOLDER"),
        ("export bakery -o folder.dot", "'folder.dot' cannot be written: it is a folder"),
        ("export bakery -o file.csv", "folder 'file.csv' cannot be made: File exists"),
        ("export bakery -o g.dot -o g.dot", "-o g.dot is given twice"),
        ("export bakery -o g.dot --max-states 0", "argument --max-states: '0' is not accepted"),
    ],
)
def test_bad_input_is_one_line_and_status_2(run, command, message):
    for name in ("folder", "folder.md", "folder.dot"):
        Path(name).mkdir()
    Path("file.csv").write_text("")
    Path("noise").write_bytes(bytes(range(256)))
    Path("deep").write_text("[" * 100_000)
    Path("sets").write_text("CONSTANT Writers = " + "{" * 100_000)
    Path("digits").write_text("CONSTANT MaxCrashes = " + "9" * 5_000)
    for name in ("one", "two"):
        Path(f"{name}.toml").write_text(configuration())
    state = {"vars": ["next_ticket"], "states": [{"next_ticket": 1}]}
    Path("log.json").write_text(json.dumps(state))
    Path("v2.json").write_text(json.dumps({"#meta": {"constants": {"AsyncParquet": True}}} | state))
    Path("strange.json").write_text('{"vars": ["temperature"], "states": [{"temperature": 1}]}')
    before = sorted(Path().iterdir())
    found = run(*command.split())
    assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
    assert message in found.err
    assert sorted(Path().iterdir()) == before


def test_a_file_that_cannot_be_written_after_all_is_one_line(run):
    Path("full.xml").symlink_to("/dev/full")
    found = run("check", *SMALL, "-o", "full.xml")
    assert (found.status, found.err) == (2, "workbench: 'full.xml' cannot be written: No space left on device\n")


def test_a_trace_of_another_model_is_one_of_another_model(run, race):
    done = run("validate", "paimon", str(race))
    assert (done.status, done.out) == (2, "")
    assert done.err == "workbench: race.itf.json: the trace is one of 'bakery_v2', not of paimon\n"
