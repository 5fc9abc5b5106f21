"""What people see of a module: values as TLC prints them, wherever they are shown."""

import html
import re

import pytest

from tests.tlaplus.test_tla_cells import HEAD, VOTES
from tests.tlaplus.trees import module_of
from workbench.checking.check import check
from workbench.checking.spaces.space import explore
from workbench.formats.graphs import GraphNode, write_dot, write_tables
from workbench.formats.mermaid import to_mermaid
from workbench.kernel import InputError
from workbench.kernel.meaning.differences import differences
from workbench.kernel.meaning.values import Map, Name
from workbench.showing import view
from workbench.showing.panel import TracePlayer
from workbench.showing.pictures import faults, picture
from workbench.showing.view.graph.selection import alternatives, state_graph
from workbench.showing.view.trace.possible import possible_steps
from workbench.tlaplus.config.notation import TlaNotation
from workbench.tlaplus.layout import sample
from workbench.tlaplus.machine.specification import module_of_text
from workbench.tlaplus.values.values import text


@pytest.fixture(scope="module", params=[0, 4], ids=["one cell each", "spread"])
def trace(request):
    """A behaviour in which a node gets a vote, and leads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "MOST_STATES", request.param)
        found = check(module_of_text(VOTES, f"{HEAD}INVARIANT Busy")())["Busy"].trace
        assert found is not None
        yield found


@pytest.mark.slow
def test_a_trace_shows_values_and_labels_in_tla(trace):
    shown = repr(trace)
    assert "vote: (a :> None @@ b :> None @@ c :> None)" in shown
    assert re.search(r"Grant\(\w, m=\[type \|-> \"ask\", from \|-> \w\]\)", shown)
    assert 'msgs: + [type |-> "ask", from |-> ' in shown
    assert re.search(r"vote\[\w\]: None -> \[at \|-> \d, to \|-> \w\]", shown)
    assert re.search(r"kept\[\w\]\.at: 0 -> 1", shown)


def test_sequences_are_numbered_from_1():
    notation = TlaNotation([])
    before, after = (text("a"), 1, True), (text("b"), 1, True)
    assert [str(one) for one in differences("log", before, after, notation)] == ['log[1]: "a" -> "b"']
    gained = Map({text("type"): text("1a")})
    assert [str(one) for one in differences("r", Map({}), gained, notation)] == ['r: + type |-> "1a"']
    lost = differences("f", Map({Name("w1"): 0}), Map({Name("w2"): ()}), notation)
    assert [str(one) for one in lost] == ["f: + w2 :> <<>>, - w1"]
    before, after = Map({text("r"): 1, Name("w1"): 2}), Map({text("r"): 1, Name("w1"): 2, text("s"): 3})
    assert [str(one) for one in differences("pc", before, after, notation)] == ['pc: + "s" :> 3']
    changed = differences("pc", before, Map({text("r"): 4, Name("w1"): 2}), notation)
    assert [str(one) for one in changed] == ['pc["r"]: 1 -> 4']


@pytest.mark.slow
def test_members_are_in_the_order_of_their_own_module(trace):
    before = repr(trace.last)
    other = "VARIABLE x  Init == x = 0  Next == x' = 1 /\\ c # b /\\ b # a"
    check(module_of_text(module_of(f"CONSTANTS c, b, a {other}"), "CONSTANTS c = c b = b a = a INIT Init NEXT Next")())
    assert repr(trace.last) == before


@pytest.mark.slow
def test_pages_pictures_and_graphs_show_tla(trace):
    seen = html.unescape(view.trace_view(trace).html())
    assert '[type |-> "ask", from |-> ' in seen
    assert "<<>>" in view.trace_view(trace).as_dict()["steps"][0]["state"]["log"]
    drawn = html.unescape(picture(trace.model, trace.states[-1], trace.states[:-1]).svg)
    assert re.search(r"\[at \|-> 1, by \|-> \w\]", drawn)
    for graph in (alternatives(trace, variables=["kept"]), state_graph(explore(trace.model), variables=["kept"])):
        assert any("[at |-> 0, by |-> None]" in node.label for node in graph.nodes)
        assert not any("{" in node.label for node in graph.nodes)


@pytest.mark.slow
def test_an_invariant_is_true_if_all_its_conjuncts_are(trace):
    assert [[truth.name for truth in step.broken] for step in view.trace_view(trace).steps[-2:]] == [[], ["Busy"]]


def test_a_fault_is_named_once():
    lines = "VARIABLE x", "Init == x = [n \\in {1, 2} |-> 0]", "Next == x' = x", "Ready == \\A n \\in {1, 2} : x[n] = 1"
    model = module_of_text(module_of(*lines), "INIT Init NEXT Next INVARIANT Ready")()
    assert faults(model, model.initial_states()[0]) == ["Ready: x[n] = 1 is false for n = 1: x[n] is 0 (M.tla:5:28)"]


@pytest.mark.slow
def test_possible_steps_and_why_others_are_not(trace):
    shown = html.unescape(possible_steps(trace.model, trace.states[0]))
    assert re.search(r"msgs \+ \[type \|-> \"ask\", from \|-> a\]", shown)
    assert "queue # <<>>" in shown


@pytest.mark.slow
def test_a_watch_says_what_it_is_in_tla(trace):
    (watched,) = view.trace_view(trace, watches=["(s.kept, str(list(s.kept)[0]), 1 == 1, None)"]).watches
    first = watched.readings[0].text
    assert first.startswith("<<(a :> [at |-> 0, by |-> None] @@ ")
    assert first.endswith(", a, TRUE, None>>")


@pytest.mark.slow
def test_other_formats_show_tla(trace, tmp_path):
    assert '[type |-#gt; "ask", from |-#gt; ' in to_mermaid(trace)
    nodes = [GraphNode(0, trace.states[1], True)]
    with (tmp_path / "g.dot").open("w") as out:
        write_dot(out, nodes, [])
    dot = (tmp_path / "g.dot").read_text()
    assert "(a :> None @@ b :> None @@ c :> None)" in dot
    with (tmp_path / "n.csv").open("w") as one, (tmp_path / "e.csv").open("w") as other:
        write_tables(one, other, nodes, [])
    assert "{[type |-> " in (tmp_path / "n.csv").read_text()


@pytest.mark.slow
def test_the_text_is_there_by_its_lines(trace):
    (text_of,) = trace.model.sources.items()
    assert text_of == ("M.tla", VOTES)
    page = view.trace_page(trace)
    step = view.trace_view(trace).steps[1]
    _, line, _ = step.source.split(":")
    lines = re.findall(r'<li id="[\w-]+-M\.tla:(\d+)"><code>(.*?)</code></li>', page, re.DOTALL)
    assert [html.unescape(code) for _, code in lines] == VOTES.rstrip().split("\n")
    assert "~ \\E m" in html.unescape(dict(lines)[line])
    drawn = TracePlayer(trace).player.values
    assert drawn["sources"][1] == step.source
    assert f'id="M-M.tla:{line}"' in drawn["listing"]


@pytest.mark.slow
def test_commands_print_tla(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "M.tla").write_text(VOTES)
    (tmp_path / "M.cfg").write_text(f"{HEAD}INVARIANT Busy")
    assert 'Grant(a, m=[type |-> "ask", from |-> a])' in run("check", "M.tla").out
    assert re.search(r"[+-] \[type \|-> \"\w+\", from \|-> \w", run("walk", "M.tla", "--seed", "1").out)


ALIASED = module_of(
    "EXTENDS Naturals, TLC",
    "VARIABLE x",
    "Init == x = 1",
    "Next == x < 3 /\\ x' = x + 1",
    "Low == x < 3",
    "Spec == Init /\\ [][x' = (x + 1) % 3]_x /\\ WF_x(x' = (x + 1) % 3)",
    "Comes == <>(x = 7)",
    "More(n) == [more |-> x * n]",
    "Shown == [x |-> x > 1, step |-> <<x, x'>>] @@ More(2)",
    'Told == [x |-> x, level |-> TLCGet("level"), never |-> []Low]',
    "Plain == x + 1",
)


@pytest.mark.parametrize(
    ("cfg", "name", "steps", "more"),
    [  # what TLC printed
        ("INIT Init NEXT Next INVARIANT Low", "Low", ["<<1, 2>>", "<<2, 3>>", "<<3, 3>>"], ["2", "4", "6"]),
        ("SPECIFICATION Spec PROPERTY Comes", "Comes", ["<<1, 2>>", "<<2, 0>>", "<<0, 1>>"], ["2", "4", "0"]),
    ],
)
def test_traces_show_the_record_of_an_alias(cfg, name, steps, more):
    found = check(module_of_text(ALIASED, f"{cfg} ALIAS Shown")(), engine="reference")[name].trace
    assert (found.aliased["step"], found.aliased["more"]) == (steps, more)
    shown = repr(found)
    assert "x: FALSE\n       step: <<1, 2>>\n       more: 2" in shown
    assert f"x: FALSE -> TRUE\n       step: <<1, 2>> -> {steps[1]}\n       more: 2 -> 4" in shown
    assert "x: 1" not in shown


def test_pages_and_data_show_an_alias_beside_what_is_watched():
    found = check(module_of_text(ALIASED, "INIT Init NEXT Next INVARIANT Low ALIAS Shown")(), engine="reference")
    shown = view.trace_view(found["Low"].trace, watches=["s.x"])
    assert "&lt;&lt;2, 3&gt;&gt;" in shown.html()
    x, _, more, watched = shown.as_dict()["watches"]
    assert (x["expression"], x["values"], x["true"]) == ("x", ["FALSE", "TRUE", "TRUE"], [1, 2])
    assert (more["changed"], more["asked"], watched["asked"]) == ([1, 2], False, True)
    assert shown.permalink.endswith("&watch=s.x")  # a link's watches are Python
    assert shown.permalink.count("watch=") == 1
    assert "* 4" not in shown.text()


def test_a_field_of_an_alias_without_a_value_says_why():
    found = check(module_of_text(ALIASED, "INIT Init NEXT Next INVARIANT Low ALIAS Told")(), engine="reference")
    assert found["Low"].trace.aliased["x"] == ["1", "2", "3"]
    level = found["Low"].trace.aliased["level"][0]
    assert level.startswith('error: M.tla:11:29: TLCGet("level") has no value here: only what a search evaluates')
    assert found["Low"].trace.aliased["never"][2].startswith("error: M.tla:11:56: []Low is a temporal formula")


def test_an_alias_that_is_no_record_is_one_column_and_one_that_is_unknown_is_refused():
    found = check(module_of_text(ALIASED, "INIT Init NEXT Next INVARIANT Low ALIAS Plain")(), engine="reference")
    assert found["Low"].trace.aliased == {"x + 1": ["2", "3", "4"]}
    with pytest.raises(InputError, match=r"^M\.cfg: line 2: unknown definition .Show. .did you mean Shown"):
        module_of_text(ALIASED, "INIT Init NEXT Next\nALIAS Show")()
