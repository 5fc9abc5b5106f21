"""What comes from elsewhere - recorded texts, labels, names of files - is shown, and neither obeyed nor believed."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import graphviz
import networkx
import pytest

from workbench.commands.cli import main
from workbench.formats.dot import quote
from workbench.formats.graphs import GraphEdge, GraphNode, write_dot, write_graphml, write_tables
from workbench.formats.junit import FAILED, JunitCase, Suite, annotations, suite_of, to_junit
from workbench.formats.mermaid import to_mermaid
from workbench.formats.tla import tla
from workbench.kernel import Model, ModelError, Variable, action, invariant, machine_of, require, search
from workbench.kernel.meaning.values import show
from workbench.showing import view
from workbench.showing.pictures.markup import escape

#: An escape sequence, a forged line, a bell, what XML cannot hold, a mark that turns the writing around, a NUL.
HOSTILE = "\x1b[2J\nnot a line\r\x07\ufffe\u202e\x00\x9b<"
SHOWN = r"\x1b[2J\nnot a line\r\x07\ufffe\u202e\x00\x9b<"
LINES = SHOWN.replace(r"\n", "\n")


class Hostile(Model):
    """Texts that a terminal would obey."""

    text = Variable("=1+1")

    @action
    def change(self, s):
        require(s.text != HOSTILE, HOSTILE)
        s.text = HOSTILE

    @invariant
    def Kept(self, s):
        return s.text != HOSTILE or f"it is {HOSTILE}"


RESULT = search(Hostile(), ["Kept"])
TRACE = RESULT["Kept"].trace
OWN = Path(__file__).read_text()


def is_safe(text):
    return all(line.isprintable() for line in text.split("\n")) and "\nnot a line" not in text


def test_values_reasons_and_traces_are_shown_in_lines_of_their_own():
    assert show((HOSTILE,)) == f"({SHOWN})"
    assert RESULT["Kept"].why == f"it is {SHOWN}"
    (instance,) = machine_of(Hostile()).instances
    assert machine_of(Hostile()).why_disabled(instance, TRACE.last) == SHOWN.replace("\\n", " ")
    for shown in (repr(TRACE), repr(RESULT), tla(HOSTILE), repr(TRACE.last)):
        assert is_safe(shown)


def test_a_model_has_a_name_of_one_line():
    with pytest.raises(ModelError, match=r"name = 'a.*' is not accepted; it takes a line of text"):
        type("Forged", (Hostile,), {"name": "a\x1b[2J"})


def test_pages_and_pictures_hold_no_control_characters():
    shown = escape(HOSTILE)
    assert shown.startswith(r"\x1b[2J")
    assert shown.replace("\n", "").isprintable()
    trace = view.trace_view(TRACE)
    for text in (view.report(RESULT, title=HOSTILE, source=HOSTILE, differences=[HOSTILE]), trace.svg(), trace.html()):
        assert all(c.isprintable() or c == "\n" for c in text)
    ElementTree.fromstring(trace.svg())


def test_junit_is_xml_whatever_is_said():
    hostile = Suite(HOSTILE, [JunitCase(HOSTILE, FAILED, HOSTILE, f"one\n{HOSTILE}")], properties={HOSTILE: HOSTILE})
    root = ElementTree.fromstring(to_junit([hostile, suite_of("model", RESULT)]))
    assert root.find("testsuite").get("name") == SHOWN
    assert root.find(".//failure").get("message") == SHOWN
    assert root.find(".//failure").text.startswith("one\n\\x1b[2J\nnot a line\\r")
    lines = annotations([hostile], HOSTILE)
    assert len(lines) == 1
    assert lines[0].isprintable()


@pytest.fixture
def graph():
    states = [GraphNode(HOSTILE, HOSTILE, True), GraphNode("=2", "@sum", False), GraphNode("3", "-1")]
    return states, [GraphEdge(HOSTILE, "=2", HOSTILE), GraphEdge("=2", "3", "+go")]


def test_dot_is_read_by_graphviz(graph):
    out = io.StringIO()
    write_dot(out, *graph)
    drawn = graphviz.Source(out.getvalue()).pipe(format="svg", encoding="utf-8")
    assert "not a line" in drawn
    assert all(line.isprintable() for line in out.getvalue().split("\n"))
    assert quote("a\x00b\nc") == r'"a\\x00b\nc"'


def test_graphml_is_read_by_networkx(graph):
    out = io.BytesIO()
    write_graphml(out, *graph)
    read = networkx.read_graphml(io.BytesIO(out.getvalue()), force_multigraph=True)
    assert read.nodes[SHOWN]["label"] == LINES
    assert [label for _, _, label in read.edges(data="label")] == [LINES, "+go"]
    states = [GraphNode(number, state) for number, state in enumerate(TRACE.states)]
    write_graphml(io.BytesIO(), states, [])


def test_mermaid_has_one_line_per_step():
    text = to_mermaid(TRACE)
    assert is_safe(text)
    assert len(re.findall("Note over", text)) == 1


def test_no_cell_of_a_table_is_a_formula(graph):
    nodes, edges = io.StringIO(), io.StringIO()
    write_tables(nodes, edges, *graph)
    rows = [row for out in (nodes, edges) for row in csv.reader(io.StringIO(out.getvalue()))]
    assert rows[1:4] == [[SHOWN, LINES, "true"], ["'=2", "'@sum", "false"], ["3", "-1", "false"]]
    assert rows[5:] == [[SHOWN, "'=2", "Directed", LINES], ["'=2", "3", "Directed", "'+go"]]
    nodes = io.StringIO()
    write_tables(nodes, io.StringIO(), [GraphNode(0, state) for state in TRACE.states], [])
    assert [row[3] for row in csv.reader(io.StringIO(nodes.getvalue()))][1:] == ["'=1+1", SHOWN]


@pytest.mark.parametrize("text", ["=1", "+1", "-1+1", "-a", "@a", "\t=1", "\r=1", "\uff1d1", "\uff0d1"])
def test_each_sign_of_a_formula_is_disarmed(text):
    nodes = io.StringIO()
    write_tables(nodes, io.StringIO(), [GraphNode("1", text)], [])
    assert nodes.getvalue().splitlines()[1].split(",")[1][0] in "'\\"


# On the terminal -----------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(capsys, tmp_path, monkeypatch):
    """Runs a command in an empty folder; returns its status and what it shows, which must be harmless."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        status = main(list(arguments))
        text = "".join(capsys.readouterr())
        assert is_safe(text)
        return status, text

    return command


def recording(pc, **more):
    state = {"#meta": {"action": HOSTILE}, "pc": {"#map": [["w1", pc]]}}
    first = {"pc": {"#map": [["w1", "NodeStartup"]]}}
    return json.dumps({"vars": ["pc"], "states": [first, state], **more})


def test_replay_shows_recorded_texts_as_escapes(shown):
    Path("log.json").write_text(recording(HOSTILE))
    status, text = shown("validate", "bakery", "log.json", "--trace")
    assert status == 1
    assert f"pc[w1] is BeginClaim, recorded as {SHOWN}" in text


@pytest.mark.parametrize(
    "document",
    [
        recording("Start", vars=["pc", HOSTILE]),
        recording({HOSTILE: 1.5}),
        recording("Start", loop=HOSTILE),
        recording("Start", **{HOSTILE: 1}),
        recording("Start", **{"#meta": {"constants": {HOSTILE: 1}}}),
        recording("Start", **{"#meta": {"constants": {"Writers": HOSTILE}}}),
        f'{{"vars": ["pc"], "{json.dumps(HOSTILE)[1:-1]}": 1, "{json.dumps(HOSTILE)[1:-1]}": 1}}',
        HOSTILE,
    ],
)
@pytest.mark.parametrize("name", ["log.json", "log\x1b[2J\nnot a line.json"])
def test_what_is_wrong_with_a_recording_is_said_in_one_line(shown, document, name):
    Path(name).write_text(document)
    status, text = shown("validate", "bakery", name)
    assert (status, text.count("\n")) == (2, 1)


@pytest.mark.slow
def test_a_configuration_and_its_file_have_hostile_names(shown):
    name = "one\x1b[2J\nnot a line.toml"
    text = f'title = {json.dumps(HOSTILE[:-3])}\nmodel = "bakery"\nconstants.Writers = 2\n'
    Path(name).write_text(text + 'properties = ["SomeoneCommits"]\nexpect.distinct = 1\n')
    assert shown("check", name, "--annotations", "-o", "j.xml")[0] == 1
    assert shown("check", name, "-o", "out\x1b[2J\n.html")[0] == 1
    assert shown("check", ".")[0] == 1
    assert shown("check", name, "--max-states", "5")[0] in (1, 3)
    Path(name).write_text(text.replace("bakery", "b\\u001bakery"))
    assert shown("check", name)[0] == 2
    Path(name).write_text("INVARIANT \x1b[2J\n")
    assert shown("check", "bakery", "--cfg", name)[0] == 2


def test_a_model_with_hostile_texts(shown):
    Path("hostile.py").write_text(OWN)
    name = "hostile.py:Hostile"
    assert shown("check", name, "-o", ".md")[0] == 1
    assert shown("check", name, "-o", "t.itf.json")[0] == 1
    assert shown("validate", name, "t.itf.json", "--trace")[0] == 0
    assert shown("export", name, "-o", ".dot")[0] == 0
    assert shown("export", name, "-o", "a\x1b.dot")[0] == 0
    assert shown("validate", name, "workbench:hostile#0/0.0,0.0")[0] == 1
    assert shown("validate", name, f"workbench:{HOSTILE[:6]}#0/0.0,0.0".replace("\x00", ""))[0] == 2
    assert replace(RESULT["Kept"]).why in shown("check", name)[1]
