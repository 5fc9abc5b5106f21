"""What is drawn agrees with the results it is made from, is well-formed, and survives where it is kept."""

import html
import json
import re
import sys
from collections import Counter, deque
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree

import graphviz
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.behaviours import random_trace
from tests.command import python
from tests.products import examples
from tests.showing.packed import unpacked
from workbench import get_model
from workbench.checking.check import check
from workbench.checking.following.scenario import scenario
from workbench.checking.following.validate import validate
from workbench.checking.spaces.space import explore
from workbench.commands.cli import main
from workbench.formats.expression import example_of
from workbench.formats.recording import Observation, Recording
from workbench.kernel import (
    Constant,
    InputError,
    Model,
    Names,
    Process,
    Variable,
    action,
    choose,
    eventually,
    invariant,
    liveness,
    machine_of,
    replay,
    require,
)
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.values import show
from workbench.protocols.bakery.model import Bakery
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.bakery.v2_extended import BakeryV2Extended
from workbench.showing import display, view
from workbench.showing.pictures.letters import width_of
from workbench.showing.view.base.difference import brief

SVG = "{http://www.w3.org/2000/svg}"
RACE = {"Writers": 2, "AsyncParquet": True, "RestampPatch": False}


@pytest.fixture(scope="module")
def race():
    """A space with violating states."""
    return explore(BakeryV2(**RACE), ["NoLakekeeperConflict", "TicketOrderPreserved"])


@pytest.fixture(scope="module")
def conflict(race):
    return race.result["NoLakekeeperConflict"].trace


@pytest.fixture(scope="module")
def small():
    return explore(Bakery(Writers=2, MaxCrashes=0, NodeStartup=False), ["NoLakekeeperConflict"])


class Ring(Model):
    """A token goes round for ever; its names and values are such as HTML would misunderstand."""

    Members = Constant(2, Names("m", range(2, 4)), "who passes the token on")
    token = Variable(0, doc="<b>whose turn it is</b>")
    seen = Variable("<i>&", per="Members", doc="what a member has seen")
    member = Process(per="Members", fair="weak")

    @action(member)
    def pass_on(self, s, m):
        """Hand the token to the next one, if it is mine & I am <awake>."""
        if self.Members[s.token] == m:
            s.token = (s.token + 1) % len(self.Members)
            s.seen[m] = "</script><svg>"

    @invariant(by_default=False)
    def AtStart(self, s):
        return s.token != 0

    @invariant
    def Short(self, s):
        return len(s.seen["m1"]) < 10 or 'm1 has seen "</script>"'


def svg_of(drawn):
    return ElementTree.fromstring(drawn.svg())


def titles(root):
    return [title.text for title in root.iter(f"{SVG}title")]


# Traces ------------------------------------------------------------------------------------------------------------


def test_a_trace_says_who_steps_and_whom_that_concerns(conflict):
    shown = view.trace_view(conflict)
    assert shown.lanes == ["w1", "w2", "applier", "shared state"]
    assert [step.lane for step in shown.steps] == [step.lane for step in conflict.steps]
    by_label = {step.label: step for step in shown.steps}
    claim = by_label["begin_claim(w1, witness=w2)"]
    assert {str(c.cell) for c in claim.effects["shared state"]} == {"next_ticket", "claims[n1]"}
    assert set(claim.effects) == {"shared state"}, "its program counter and ticket are its own"
    answer = by_label["apply_emit"]
    assert [c.cell.variable for c in answer.effects["shared state"]] == ["acks"], "the registers are the applier's"


def test_an_effect_on_another_actor_is_found():
    model = machine_of(Bakery)
    crash = next(i for i in model.instances if i.label == "crash(w=w2)" or i.label == "crash(w2)")
    step = view.trace_view(replay(model, 0, [(crash.number, 0)])).steps[1]
    assert step.lane == "crasher"
    assert [str(change.cell) for change in step.effects["w2"]] == ["crashed[w2]"]
    assert set(step.effects) == {"w2"}, "the crash budget is the crasher's own"


@given(st.integers(0, 10_000), st.sampled_from([Bakery(), BakeryV2(Writers=2, MaxCrashes=1), Ring()]))
@examples(15)
def test_changes_and_effects_are_those_of_the_states(seed, model):
    trace = random_trace(model, seed)
    shown = view.trace_view(trace)
    for before, step in zip(trace.states, shown.steps[1:], strict=False):
        old, new = dict(before.items()), dict(step.state.items())
        wanted = {cell: (old[cell], new[cell]) for cell in old if old[cell] != new[cell]}
        assert {c.cell: (c.before, c.after) for c in step.changes} == wanted
        concerned = [change for changes in step.effects.values() for change in changes]
        assert len(concerned) == len(set(concerned))
        assert set(concerned) <= set(step.changes)


def test_the_truth_of_every_property_at_every_step(conflict):
    steps = view.trace_view(conflict).steps
    assert [[t.name for t in step.broken] for step in steps] == [[]] * (len(steps) - 1) + [["NoLakekeeperConflict"]]
    assert "HTTP 409" in steps[-1].broken[0].why
    progress = {t.name: t.word for t in steps[-1].truths if t.kind == "liveness"}
    assert progress == {"EventualProgress(w1)": "goal met", "EventualProgress(w2)": "goal met"}
    (only,) = view.trace_view(conflict, properties=["UniqueTickets"]).steps[0].truths
    assert only.name == "UniqueTickets"


def test_variables_can_be_filtered(conflict):
    shown = view.trace_view(conflict, variables=["iceberg"])
    assert {c.cell.variable for step in shown.steps for c in step.changes} == {"iceberg"}
    with pytest.raises(InputError, match="did you mean iceberg"):
        view.trace_view(conflict, variables=["icebergs"])
    with pytest.raises(InputError, match="unknown property"):
        view.trace_view(conflict, properties=["Nothing"])


def test_the_picture_has_a_row_per_step_and_the_violation_in_words(conflict):
    root = svg_of(view.trace_view(conflict))
    rows = [group.get("data-step") for group in root.iter(f"{SVG}g") if group.get("class") == "wb-step"]
    assert rows == [str(i) for i in range(len(conflict))]
    texts = [text.text for text in root.iter(f"{SVG}text") if text.text]
    assert {"w1", "w2", "applier", "shared state"} <= set(texts)
    assert any("NoLakekeeperConflict violated: " in "".join(text.itertext()) for text in root.iter(f"{SVG}text"))


@pytest.fixture(scope="module")
def collision():
    """Two Hudi operations with the same timestamp write the same file slice."""
    return check(get_model("hudi")(Keys=1, Values=1, MonotonicTs=False), ["ConsistentRead"])["ConsistentRead"].trace


def test_the_lanes_show_a_shared_timestamp_and_what_is_written_twice(collision):
    shown = view.trace_view(collision)
    at = {step.number: step for step in shown.steps}
    assert at[9].alike == ("stamp[w2] = stamp[w1] = Stamp(ts 1, salt -)",)
    texts = ["".join(node.itertext()) for node in svg_of(shown).iter(f"{SVG}text")]
    assert sum(text.endswith("requested[1, -] = TRUE again, written by w1 before") for text in texts) == 1
    assert any(text.endswith("slices[fg1, 1, -] - k1, over what w1 wrote") for text in texts)


@pytest.mark.parametrize("width", [400, 600, 800, 1500])
def test_the_lanes_use_the_width_there_is_and_cut_nothing(conflict, collision, width):
    for trace in (conflict, collision):
        shown = view.trace_view(trace)
        root = ElementTree.fromstring(shown.svg(width=width))
        assert float(root.get("width")) == max(width, float(root.get("width")))
        assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(root.itertext())
        tall = float(root.get("viewBox").split()[-1])
        assert all(0 < float(text.get("y")) < tall for text in root.iter(f"{SVG}text"))
        assert all(float(rect.get("y")) + float(rect.get("height")) < tall for rect in root.iter(f"{SVG}rect"))
        boxes = [
            "".join(node.itertext()).removeprefix(node.find(f"{SVG}title").text)
            for node in root.iter(f"{SVG}text")
            if node.find(f"{SVG}tspan") is not None
        ]
        drawn = re.sub(r"\s", "", "".join(boxes))
        for step in trace.steps[1:]:
            assert step.label.partition("(")[0] in drawn
    assert "witnessw2" in re.sub(
        r"\s", "", "".join(ElementTree.fromstring(view.trace_view(conflict).svg(width=width)).itertext())
    )


def test_a_step_is_a_sentence_and_a_state_says_what_is_violated_and_changed_and_folds_the_rest(conflict):
    shown = view.trace_view(conflict)
    sentence = "w1: Take a ticket and put the claim into the view of my own node (witness w2)."
    assert shown.steps[3].sentence == sentence
    last = shown.step_html(len(conflict) - 1)
    parts = [
        "NoLakekeeperConflict violated",
        "HTTP 409",
        "others hold",
        "TicketOrderPreserved",
        "decision[w2]",
        "lk_409",
    ]
    places = list(map(last.index, [*parts, "<summary>the whole state", "next_ticket"]))
    assert places == sorted(places)


def test_a_step_that_is_wrong_is_marked():
    trace = check(get_model("hudi")(Values=1, MonotonicTs=False), ["PublishedSlicesStay"])["PublishedSlicesStay"].trace
    drawn = view.trace_view(trace, properties=["PublishedSlicesStay", "ConsistentRead", "Deadlock"])
    broken = [[truth.name for truth in one.broken] for one in drawn.steps]
    assert not any(broken[:-1])
    assert sorted(name.partition("(")[0] for name in broken[-1]) == ["ConsistentRead", "PublishedSlicesStay"]
    assert "is published, and is changed" in "".join(titles(svg_of(drawn))) + drawn.svg()
    assert "is published, and is changed" in drawn.step_html(len(trace) - 1)
    assert "1 property of steps holds" in drawn.step_html(0)  # the deadlock: there is no step to it


@pytest.mark.slow
def test_a_trace_has_the_picture_of_each_state(conflict):
    shown = view.trace_view(conflict)
    markup = shown.html()
    assert markup.count("data-picture=") == 1, "that of the last state"
    pictures = unpacked(markup, "pictures")
    assert pictures == shown.pictures()
    assert pictures[-1] in markup
    assert "data-fault=" in pictures[-1]
    assert "data-fault=" not in pictures[-2]


def test_a_cycle_shows_where_it_leads_back_to():
    shown = view.trace_view(replay(Ring(), 0, [(0, 0), (1, 0), (0, 0), (1, 0)], loop=2))
    assert shown.ending == "back to state 3, for ever"
    assert shown.then == "Then back to state 3, for ever."
    assert [c.cell.variable for c in shown.back.changes] == ["token"]
    svg = shown.svg()
    assert 'class="wb-back"' in svg
    assert "back to state 3, for ever" in svg
    assert "back to state 3" in shown.step_html(3)
    assert "back to state 3" not in shown.step_html(2)


def test_a_behaviour_that_stops_says_so():
    shown = view.trace_view(replay(Ring(), 0, [(0, 0)], loop=1))
    assert shown.back is None
    assert "stops for ever" in shown.svg()
    assert shown.then == f"Then it stops for ever: {shown.trap.whys}."
    assert str(shown.trap) == f"stuck: {shown.trap.whys}"


class Writers(Model):
    """Two processes whose names are parts of what they wait for."""

    taken = Variable(True)
    a = Process(start="begin", pc="pc_a", fair="weak")
    b = Process(start="begin", pc="pc_b", fair="weak")

    @action(a, at="begin", to="done")
    def take(self, s):
        require(not s.taken, "the table lock is taken")

    @action(b, at="begin", to="done")
    def borrow(self, s):
        require(not s.taken, "the table lock is taken")

    @liveness
    def Freed(self):
        return eventually(lambda s: not s.taken)


def test_who_waits_is_known_without_reading_the_reasons():
    stuck = check(Writers(), engine="reference")["Freed"]
    assert stuck.why == "stuck: a: the table lock is taken; b: the table lock is taken"
    shown = view.trace_view(stuck.trace)
    assert [wait.lane for wait in shown.trap.waits] == ["a", "b"]
    assert shown.picture_svg(0).count("data-fault=") == 2


def test_a_member_and_a_process_of_one_name_have_a_lane_each():
    model = get_model("bakery_published")(Writers=["crasher", "w2"], LazyReap=False)
    trace = check(model, ["EventualProgress"])["EventualProgress"].trace
    shown = view.trace_view(trace)
    member, process = "crasher of Writers", "crasher"
    assert shown.lanes == [member, "w2", process, "shared state"]
    assert {(step.lane, step.step.instance.actor.process) for step in shown.steps[1:] if step.lane != "w2"} == {
        (member, "writer"),
        (process, "crasher"),
    }
    assert all(step.effects.keys() <= {"shared state"} for step in shown.steps if step.lane == member)
    assert shown.steps[-1].step.label == "crash(crasher)", "crasher_done, after it, is bookkeeping"
    waiting = [(wait.lane, wait.actor) for wait in shown.trap.waits]
    assert waiting == [(member, ("writer", "crasher")), ("w2", ("writer", "w2"))]
    marked = re.findall(r'data-thing="([^"]*)"[^>]* data-fault="true"', shown.picture_svg(len(shown.steps) - 1))
    assert marked == ["writer-crasher", "writer-w2"]


class Claim(NamedTuple):
    ticket: int
    to: str


class Sender(Model):
    """What it sends reads like the names of parameters."""

    msgs = ("a=b, c", "to=p2)")
    sent = Variable(None, per="who")
    last = Variable(None)
    p = Process(per="who", fair="weak")
    who = ("p1", "p2")

    @action(p, dst="who", msg="msgs")
    def send(self, s, p, dst, msg):
        """Send `msg` to `dst`."""
        require(p != dst)
        s.sent[p] = s.last = choose([Claim(3, "x")], "claim")


def test_sentences_are_made_of_what_was_chosen_whatever_that_reads_like():
    model = machine_of(Sender)
    for instance in model.instances:
        if instance.arguments[:2] != ("p1", "p2"):
            continue
        (step,) = view.trace_view(replay(model, 0, [(instance.number, 0)])).steps[1:]
        message = instance.arguments[2]
        assert step.sentence == f"p1: Send {message} to p2 (dst p2, msg {message}, claim (ticket 3, to x))."
        assert step.alike == (), "the last claim is no other actor's"


def test_everything_as_plain_data(conflict):
    data = json.loads(json.dumps(view.trace_view(conflict).as_dict()))
    assert [step["label"] for step in data["steps"]] == [step.label for step in conflict.steps]
    assert data["steps"][-1]["state"]["decision[w2]"] == "lk_409"
    (watched,) = view.trace_view(conflict, watches=["s.next_ticket"]).as_dict()["watches"]
    assert list(watched) == ["expression", "values", "changed", "true", "remark", "asked"]


# State graphs ------------------------------------------------------------------------------------------------------


def pairs(space):
    return set(zip(space.sources.tolist(), space.targets.tolist(), strict=True))


def test_a_small_graph_is_drawn_whole(small):
    graph = view.state_graph(small, variables=["pc"])
    assert {int(node.id) for node in graph.nodes} == set(range(len(small)))
    assert {(int(edge.source), int(edge.target)) for edge in graph.edges} == pairs(small)
    assert sum(edge.count for edge in graph.edges) == len({(s, t, small.label(i)) for i, (s, t) in enumerate(
        zip(small.sources.tolist(), small.targets.tolist(), strict=True))})  # fmt: skip
    assert graph.notes == ()
    assert [node.id for node in graph.nodes if "initial" in node.marks] == ["0"]
    assert graph.nodes[0].label == "w1: BeginClaim\nw2: BeginClaim"
    root = svg_of(graph)
    assert sum(group.get("class") == "node" for group in root.iter(f"{SVG}g")) == len(small)
    assert f"state 0\n{small.state(0)!r}" in titles(root), "hovering shows the whole state"


def test_a_large_graph_is_cut_and_says_so(race):
    graph = view.state_graph(race, most_edges=40)
    assert sum(edge.count for edge in graph.edges) <= 40
    assert f"40 of {len(race.sources):,} transitions" in graph.notes[0]
    assert graph.notes[0] in html.unescape(graph.html())


def within(space, center, radius):
    """The transitions up to `radius` steps around a state, by walking them in both directions."""
    found, near, seen = set(), deque([(center, 0)]), {center}
    while near:
        state, far = near.popleft()
        if far < radius:
            for edge in pairs(space):
                if state in edge:
                    found.add(edge)
                    near.extend((end, far + 1) for end in edge if end not in seen)
                    seen.update(edge)
    return found


@pytest.mark.parametrize(("center", "radius"), [(0, 1), (0, 3), (7, 2), (40, 1)])
def test_a_neighbourhood(small, center, radius):
    graph = view.neighbourhood(small, small.state(center), radius)
    assert {(int(edge.source), int(edge.target)) for edge in graph.edges} == within(small, center, radius)
    assert [node.id for node in graph.nodes if "focus" in node.marks] == [str(center)]


def test_a_neighbourhood_of_a_state_that_is_not_there(small, race):
    with pytest.raises(InputError, match="the space has states 0 to"):
        view.neighbourhood(small, len(small))
    assert view.neighbourhood(race, 0, 9, most_edges=25).notes


def test_violating_states_and_the_trace_stand_out(race, conflict):
    graph = view.neighbourhood(race, conflict.last, 2, trace=conflict)
    for node in graph.nodes:
        state = race.state(int(node.id))
        lost = any(state.decision[w] == "lk_409" for w in race.model.author.Writers)
        assert ("violating" in node.marks) == lost
        assert ("trace" in node.marks) == (state in conflict.states)
    assert sum("trace" in edge.marks for edge in graph.edges) == 2


def test_a_trace_with_the_steps_not_taken(conflict):
    graph = view.alternatives(conflict)
    model, ids = conflict.model, {node.id: node for node in graph.nodes}
    for at, state in enumerate(conflict.states):
        moving = [i for i in model.instances if i.action.name != "crasher_done"]
        leads_to = {after for i in moving for _, after in model.outcomes(i, state)} - {state}
        assert sum(edge.source == str(at) for edge in graph.edges) == len(leads_to)
    taken = [edge for edge in graph.edges if "trace" in edge.marks]
    assert [(edge.source, edge.target) for edge in taken] == [(str(i), str(i + 1)) for i in range(len(conflict) - 1)]
    assert "violating" in ids[str(len(conflict) - 1)].marks
    again = view.alternatives(replay(Ring(), 0, [(0, 0), (1, 0)] * 3))
    assert {len(edge.labels) for edge in again.edges} == {1}, "a step that is taken twice is told once"
    cut = view.alternatives(conflict, most_edges=20)
    assert len(cut.edges) == 20
    assert f"{len(graph.edges) - 20} further steps" in cut.notes[0]


def test_a_projection_counts_states_and_transitions(race):
    graph = view.projection(race, ["decision"])
    model = race.model

    def seen(number):
        return tuple(race.state(number).decision[w] for w in model.author.Writers)

    sizes = Counter(seen(number) for number in range(len(race)))
    assert sorted(node.count for node in graph.nodes) == sorted(sizes.values())
    moving = sum(seen(s) != seen(t) for s, t in zip(race.sources.tolist(), race.targets.tolist(), strict=True))
    assert sum(edge.count for edge in graph.edges) == moving
    assert f"{len(race.sources) - moving:,} of {len(race.sources):,} transitions" in graph.notes[0]
    bad = [node for node in graph.nodes if "violating" in node.marks]
    assert sum(node.count for node in bad) == sum(n for values, n in sizes.items() if "lk_409" in values)
    part = view.projection(race, ["decision"], most_edges=3)
    assert f"({moving - sum(edge.count for edge in part.edges):,} transitions)" in part.notes[0]
    assert all("lk_409" in node.label for node in bad)


def test_a_projection_begins_at_the_initial_state_however_little_is_drawn(race):
    for most in (1, 10, 40):
        graph = view.projection(race, ["pc"], most_edges=most)
        assert "initial" in graph.nodes[0].marks
        reached = {graph.nodes[0].id}
        for edge in graph.edges:
            assert edge.source in reached
            reached.add(edge.target)
        assert reached == {node.id for node in graph.nodes}
    assert "rank=min" in graph.digraph().source


def test_the_states_of_a_small_graph_can_be_shown_as_pictures(ring, race):
    graph = view.state_graph(ring, pictures=True)
    root = svg_of(graph)
    drawn = [group for group in root.iter(f"{SVG}g") if group.get("data-picture")]
    assert len(drawn) == len(ring) > 1
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert graph.as_dict()["nodes"][0]["picture"].startswith("<svg")
    assert view.neighbourhood(ring, 0, 1, pictures=True).nodes[0].picture is not None
    large = view.state_graph(race, most_edges=100, pictures=True)
    assert sum(node.picture is not None for node in large.nodes) == 24
    assert f"Pictures are drawn of 24 of {len(large.nodes)} states" in large.notes[-1]


def test_what_states_say_in_a_graph_is_no_markup_and_no_colour():
    class Saying(Model):
        said = Variable("at first")

        @action
        def say(self, s):
            s.said = '#010203 class="node"><title>0</title>  -->'

    graph = replace(view.state_graph(explore(Saying(), []), variables=["said"]), clickable=True)
    root = svg_of(graph)
    nodes = [group for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
    assert [(node.get("data-node"), node.get("data-send"), node.get("data-marks")) for node in nodes] == [
        ("0", "0", "initial"),
        ("1", "1", ""),
    ]
    told = "".join(nodes[1].itertext()).replace("\N{NO-BREAK SPACE}", " ")
    assert told.count('#010203 class="node"><title>0</title>  -->') == 2, "in the label, and on hovering"
    assert "data-send" not in replace(graph, clickable=False).html()


def shown_at(markup):
    """The pictures that appear at the nodes of a graph, by the nodes' ids."""
    return unpacked(markup, "pictures")


@pytest.mark.slow
def test_a_picture_appears_at_each_state_of_a_graph(small, conflict):
    for graph in (view.neighbourhood(small, 0, 2), view.alternatives(conflict)):
        markup = graph.html()
        shown = shown_at(markup)
        assert set(shown) == {node.id for node in graph.nodes} == set(re.findall(r' data-node="([^"]*)"', markup))
        for node in graph.nodes:
            assert shown[node.id] == graph.draw(node.id).svg_with(f"peek-{node.id}-")
    assert "data-pictures" not in view.projection(small, ["pc"]).html()
    part = explore(Ring(Members=2), [], budget=Budget(states=6))
    assert "data-pictures" not in view.state_graph(part, pictures=True).html()


@pytest.mark.slow
def test_of_many_states_some_have_pictures_those_of_the_trace_first(race, conflict, monkeypatch):
    graph = view.state_graph(race, trace=conflict, most_edges=500)
    markup = graph.html()
    assert len(shown_at(markup)) == 200
    assert f"Pictures appear at 200 of {len(graph.nodes)} states" in markup
    assert {node.id for node in graph.nodes if "trace" in node.marks} <= set(shown_at(markup))
    monkeypatch.setattr("workbench.showing.view.graph.graph.MOST_PACKED", 9_000)
    fewer = graph.html()
    assert 0 < len(shown_at(fewer)) < 200
    assert len(re.search(r'data-pictures="([^"]*)"', fewer).group(1)) <= 9_000


def test_steps_not_taken_lead_to_pictures_too():
    model = BakeryV2(Writers=2)
    short, long = (random_trace(model, 0, length) for length in (1, 12))
    graph = view.alternatives(short, pictures=True)
    assert all(node.picture is not None for node in graph.nodes)
    assert svg_of(graph).findall(f".//{SVG}g[@data-picture]")
    large = view.alternatives(long, pictures=True)
    assert "Pictures are drawn of 24 of" in large.notes[-1]
    assert all(node.picture is not None for node in large.nodes if "trace" in node.marks)


def test_a_projection_onto_one_cell_or_nothing(race):
    labels = {node.label.splitlines()[0] for node in view.projection(race, ["decision[w1]"]).nodes}
    assert labels == {f"decision[w1] = {word}" for word in ("-", "committed", "rolled_back", "lk_409")}
    with pytest.raises(InputError, match="at least one variable"):
        view.projection(race, [])
    with pytest.raises(InputError, match="did you mean decision"):
        view.projection(race, ["decisions"])
    cut = view.projection(race, ["pc"], most_edges=10)
    assert len(cut.edges) == 10
    whole = view.projection(race, ["pc"])
    dropped = sum(edge.count for edge in whole.edges) - sum(edge.count for edge in cut.edges)
    assert f"left out: {len(whole.edges) - 10} edges ({dropped:,} transitions)" in cut.notes[0]


class Shadowing(Model):
    """Its variables have the names of what people ask of a state."""

    values, items, lines, changes_to = Variable(1), Variable(2), Variable(3), Variable(4)

    @action
    def turn(self, s):
        s.values = 3 - s.values

    @invariant
    def Same(self, s):
        return s.values == 1


def test_a_variable_may_have_the_name_of_what_people_ask_of_a_state() -> None:
    model = Shadowing()
    assert example_of(model) == "s.values == 1"
    labels = [node.label.splitlines()[0] for node in view.projection(explore(model), ["values"]).nodes]
    assert labels == ["values = 1", "values = 2"]
    assert "values" in str(check(model)["Same"].trace)


def test_one_state_is_not_said_to_be_several() -> None:
    space = explore(Still(), [])
    assert "1 distinct state, 2 generated" in view.summary(space.result)
    assert view.projection(space, ["at"]).nodes[0].label.endswith("\n1 state")
    assert view.projection(space, ["at"]).title == "still: 1 state seen through at"
    assert view.levels_chart(space.result).title == "still: 1 state by level"
    assert view.access_chart(space).notes[0].endswith("in 1 of 1 state.")
    assert view.state_graph(space).text().startswith("States of still: 1 node, 1 edge")
    assert repr(space.result).startswith("Still(): 1 distinct state, depth 1")
    result = check(Ring(), ["AtStart"])
    assert (result["AtStart"].trace_states, result["AtStart"].summary) == (1, "violated (1 state)")
    for told in (repr(result), repr(view.verdict_table(result)), view.compare(result, result).html()):
        assert "1 state" in told
        assert "1 states" not in told


class Still(Model):
    """Nothing can happen."""

    at = Variable(0)

    @action
    def move(self, s):
        s.at = 0


# Charts ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_levels_chart_and_its_twin_show_the_levels(race):
    chart = view.levels_chart(race.result)
    (values,) = chart.series.values()
    assert list(values) == race.result.levels
    assert list(chart.figure().data[0].y) == race.result.levels
    assert titles(svg_of(chart)) == [f"{level}: {n:,} states" for level, n in enumerate(race.result.levels, 1)]


def test_the_coverage_chart_names_what_is_never_enabled():
    result = check(BakeryV2Extended(Writers=2, MaxRestarts=1), ["EveryoneCommits"])
    chart = view.coverage_chart(result)
    assert chart.standing_out == {"restart", "clean_up"}
    svg = chart.svg()
    assert svg.count("(never enabled)") == 2
    assert f'fill="currentColor" text-anchor="start">{result.actions[0].enabled:,}<' in svg, "beside its bar"
    assert not any(bars.cliponaxis for bars in chart.figure().data), "counts beside the longest bars are cut off"
    for count in result.actions:
        assert f"{count.enabled:,}" in svg
        assert f"{count.generated:,}" in svg
    assert [list(bar.x) for bar in chart.figure().data] == [list(values) for values in chart.series.values()]


def test_what_reads_and_writes_what(race):
    (panel,) = view.access_chart(race, sample=50).panels
    row = {column: panel.cells[action, column].sign for action, column in panel.cells if action == "wait_acks"}
    assert row == {"pc": "RW", "crashed": "R", "my_ticket": "R", "acks": "R"}
    assert panel.cells["stage", "parent_staged"].sign == "W"
    assert panel.cells["stage", "iceberg"].sign == "R"
    assert ("stage", "claims") not in panel.cells


CONSTANTS = ["SameNodeLock", "RestampPatch", "MaxCrashes", "Writers"]


def sweep():
    rows = [
        [lock, restamp, crashes, 2, "holds" if restamp else "violated", "error" if crashes else "unknown", 7]
        for lock in (True, False)
        for restamp in (True, False)
        for crashes in (0, 1)
    ]
    return pd.DataFrame(rows, columns=[*CONSTANTS, "Conflict", "Progress", "distinct"])


def test_a_verdict_map_has_a_panel_per_property_and_remaining_value():
    grid = view.verdict_map(sweep(), CONSTANTS, x="RestampPatch", y="SameNodeLock")
    assert [panel.title for panel in grid.panels] == [
        f"{name}\nMaxCrashes = {crashes}" for name in ("Conflict", "Progress") for crashes in (0, 1)
    ]
    for panel in grid.panels[:2]:
        assert {at: cell.kind for at, cell in panel.cells.items()} == {
            (lock, restamp): "holds" if restamp == "on" else "violated"
            for lock in ("on", "off")
            for restamp in ("on", "off")
        }
    assert {cell.sign for cell in grid.panels[2].cells.values()} == {"?"}
    assert {cell.sign for cell in grid.panels[3].cells.values()} == {"!"}
    assert grid.notes == ("Everywhere: Writers = 2",)
    assert {panel.y.span for panel in grid.plot().panels} == {(2, 0)}, "two rows fill each panel"
    assert titles(svg_of(grid)).count("Conflict violated: SameNodeLock = on, RestampPatch = off") >= 2
    assert len(grid.figure().data) == 4
    assert view.verdict_map(sweep(), x="RestampPatch", y="SameNodeLock").as_dict() == grid.as_dict()


def test_a_click_on_a_verdict_map_sends_the_number_of_the_row():
    frame = sweep()
    grid = view.verdict_map(frame, CONSTANTS, x="RestampPatch", y="SameNodeLock", clickable=True)
    buttons = re.findall(r'<g data-send="([0-9]+)" role="button" tabindex="0" aria-label="([^"]*)"', grid.svg())
    assert len(buttons) == 2 * len(frame)
    for number, told in buttons:
        name, word, places = re.fullmatch(r"(\w+) ([a-z ]+): (.*)", told).groups()
        row = frame.to_dict("records")[int(number)]
        assert (row[name], len(places.split(", "))) == (word, 3)
        assert all(
            {"on": "TRUE", "off": "FALSE"}.get(value, value) == show(row[constant])
            for constant, value in re.findall(r"(\w+) = (\w+)", places)
        )
    assert "data-send" not in view.verdict_map(frame, CONSTANTS).svg()


def test_a_verdict_map_with_what_is_missing_or_misnamed():
    frame = sweep()[:3]
    panel = view.verdict_map(frame, CONSTANTS, x="RestampPatch", y="MaxCrashes", properties=["Conflict"]).panels[0]
    assert set(panel.cells) == {("0", "on"), ("1", "on"), ("0", "off")}
    assert view.verdict_map(frame[["Writers", "Conflict"]][:1], ["Writers"]).panels[0].rows == ("",)
    with pytest.raises(InputError, match="did you mean MaxCrashes"):
        view.verdict_map(frame, CONSTANTS, x="MaxCrash")
    with pytest.raises(InputError, match="no column with verdicts"):
        view.verdict_map(frame[["Writers"]], ["Writers"])


def test_both_pictures_of_a_chart_say_the_same(race):
    result = check(BakeryV2Extended(Writers=2, MaxRestarts=1), ["EveryoneCommits"])
    charts = [view.levels_chart(race.result), view.coverage_chart(result), view.access_chart(race, sample=10)]
    for chart in [*charts, view.verdict_map(sweep(), CONSTANTS)]:
        figure, root = chart.figure(), svg_of(chart)
        texts = {text.text or text[-1].tail for text in root.iter(f"{SVG}text")}
        told = {html.unescape(re.sub("</?b>", "", text)) for text in _texts_of(figure)} - {""}
        assert told <= texts
        assert {html.unescape(hover) for bars in figure.data for hover in bars.hovertext} - {""} >= set(titles(root))


def _texts_of(figure):
    for bars in figure.data:
        yield from bars.text
    axes = [axis for name, axis in figure.to_dict()["layout"].items() if re.fullmatch(r"[xy]axis\d*", name)]
    for axis in axes:
        yield from axis["ticktext"]
    yield from (note.text for note in figure.layout.annotations)


@pytest.mark.parametrize("names", [["Conflict"], ["Conflict", "Progress"]])
def test_titles_of_small_maps_do_not_overprint_each_other(names):
    """In pixels, at which an interactive map is drawn however wide its place is."""
    frame = sweep().rename(columns={"MaxCrashes": "MaxCrashesOfAnyWriterAtAnyTimeWhatsoever"})
    grid = view.verdict_map(frame, x="RestampPatch", y="SameNodeLock", properties=names)
    plot = grid.plot()
    assert grid.figure().layout.width == plot.width <= 820
    places = [(label.x, label.y, label.x + width_of(label.text, label.size)) for label in plot.labels]
    for left, y, right in places:
        assert right <= plot.width
        assert not [x for x, other, _ in places if other == y and left < x < right]


def test_names_in_an_interactive_chart_are_no_markup():
    grid = view.verdict_map(pd.DataFrame([{"Words": "<i>&", "Good": "holds"}, {"Words": "b", "Good": "violated"}]))
    assert "&lt;i&gt;&amp;" in list(_texts_of(grid.figure()))
    assert "<i>" not in grid.figure().to_json().replace("\\u003c", "<")


# Tables ------------------------------------------------------------------------------------------------------------


def test_the_verdict_table_has_mark_word_and_reason(race):
    table = view.verdict_table(race.result)
    bad, good = table.text().splitlines()
    assert re.fullmatch(r"✗ violated +NoLakekeeperConflict +w\d committed .* HTTP 409; .* has 18 states", bad)
    assert re.fullmatch(r"✓ holds +TicketOrderPreserved", good)
    assert "✗ violated</span>" in table.html()


def test_an_incomplete_result_says_that_it_does_not_know():
    result = check(BakeryV2(), ["TicketOrderPreserved"], budget=Budget(states=100))
    assert re.match(r"\? unknown +TicketOrderPreserved +the search is incomplete: ", view.verdict_table(result).text())
    assert view.summary(result).startswith("INCOMPLETE (")
    assert "incomplete</span>" in view.result_view(result).html()


# A trace for others --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_animated_trace_is_whole_without_its_style_sheet(conflict):
    svg = view.animated_svg(conflict)
    root = ElementTree.fromstring(svg)
    frames = list(root.iterfind(f"{SVG}g"))
    assert len(frames) == len(conflict)
    assert [frame.get("visibility") for frame in frames] == ["hidden"] * (len(frames) - 1) + [None]
    said = " ".join(text.text for text in root.iterfind(f"{SVG}text"))
    for number, step in enumerate(conflict.steps, 1):
        assert f"{number} {brief(step.label)}" in said
    assert not re.search(r"<(script|foreignObject|image|use)\b|(href|src)=|url\(", svg)
    ids = re.findall(r' id="([^"]*)"', svg)
    assert len(set(ids)) == len(ids)
    assert f"{len(conflict)} states; the last is: " in root.get("aria-label")


def test_an_animated_lasso_says_how_it_goes_on_and_one_state_does_not_move():
    trace = check(BakeryV2(Writers=2, SafeAcks=False), ["EventualProgress"])["EventualProgress"].trace
    assert f">{view.trace_view(trace).ending}</text>" in view.animated_svg(trace)
    still = view.animated_svg(replay(Bakery(), 0, []))
    assert ("@keyframes t" in still, 'visibility="hidden"' in still) == (False, False)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "2"])
def test_each_state_of_an_animation_takes_some_time(conflict, seconds):
    with pytest.raises(InputError, match=r"seconds = .* is not accepted; it takes a number above 0"):
        view.animated_svg(conflict, seconds=seconds)


@pytest.mark.slow
def test_two_results_side_by_side():
    names = ["NoLakekeeperConflict", "EveryoneCommits"]
    stock, raced = check(BakeryV2(Writers=2), names), check(BakeryV2(**RACE), names)
    line = "AsyncParquet on, RestampPatch off: NoLakekeeperConflict now fails"
    assert view.what_changed(stock, raced) == line
    assert view.what_changed(raced, stock) == "AsyncParquet off, RestampPatch on: NoLakekeeperConflict now holds"
    assert view.what_changed(stock, stock) == "Same constants: no verdict changes"
    other = "bakery_v2_published instead of bakery_published: no verdict changes"
    assert view.what_changed(check(Bakery(), ["SomeoneCommits"]), stock) == other
    compared = view.compare(stock, raced, names=("stock", "race"))
    assert [name for name, _, _ in compared.constants] == ["AsyncParquet", "RestampPatch"]
    assert compared.runs.runs.sides[0].properties == ["NoLakekeeperConflict"], "not one on which both agree"
    assert line in compared.text()
    assert f"{raced.distinct:,}" in compared.html()


@pytest.mark.slow
def test_two_runs_are_shown_where_they_diverge_with_only_that_effect_marked():
    names = ["NoLakekeeperConflict"]
    raced, stock = check(BakeryV2(**RACE), names), check(BakeryV2(**{**RACE, "RestampPatch": True}), names)
    compared = view.compare(raced, stock, ("off", "on"))
    runs, markup = compared.runs, compared.html()
    assert runs.first == runs.runs.diverge
    assert runs.runs.summary.words == "w2: Compare-and-swap on the head - another effect"
    assert runs.runs.summary.variables.startswith("off leaves iceberg alone; on changes iceberg + Snapshot(w2, 2, 2)")
    assert f"<figcaption>{runs.runs.summary.html()}</figcaption>" in markup
    assert 'class="wb-runs" data-at="17"' in markup
    strip, shown = markup.partition('class="wb-runs-at"')[::2]
    assert strip.count("data-dot=") == len(runs) == len(raced["NoLakekeeperConflict"].trace)
    assert shown.count('data-picture="bakery_v2_published"') == 2
    assert shown.count('data-change="differs"') == 1, "the new snapshot, and nothing that follows from it"
    assert re.findall(r'viewBox="0 0 (\d+)', runs.strip(330)) == ["330"]
    assert [runs.strip(width).count(">w1</text>") for width in (330, 700)] == [3, 1], "bands where there is less room"
    ids = re.findall(r'<g id="([^"]+)"', markup)
    assert len(set(ids)) == len(ids)
    same = view.compare(raced, raced)
    assert str(same.runs.runs.summary) == "Both runs take the same steps"
    assert 'data-change="differs"' not in same.html()
    assert view.compare(stock, stock).runs is None, "without a trace there are no runs"
    elsewhere = view.compare(raced, check(Bakery(), ["SomeoneCommits"]))
    assert elsewhere.runs is None, "the other model has no such property"
    assert 'class="wb-runs"' not in elsewhere.html()


def test_a_models_object_shows_its_own_constants():
    """As its machine does, and not the defaults of its class."""
    shown = view.model_view(Bakery(Writers=2)).text()
    assert "(w1, w2) *" in shown
    assert shown == view.model_view(machine_of(Bakery(Writers=2))).text() != view.model_view(Bakery).text()


# What keeps a drawing whole wherever it ends up --------------------------------------------------------------------


def everything(space, trace):
    return [
        view.trace_view(trace),
        view.state_graph(space, most_edges=30),
        view.alternatives(trace, most_edges=30),
        view.projection(space, list(space.model.declared.variables)[:1]),
        view.levels_chart(space.result),
        view.coverage_chart(space.result),
        view.access_chart(space, sample=10),
        view.result_view(space.result),
        view.space_view(space),
        view.model_view(space.model),
        view.model_view(type(space.model.author)),
        view.state_table(trace.last),
        view.compare(space.result, space.result, names=("<one>", "<other>")),
    ]


@pytest.fixture(scope="module")
def ring():
    return explore(Ring())


def test_names_and_values_are_escaped(ring):
    """Whatever is in a model stays text: every fragment parses, and has only elements of ours."""
    page = "table thead tbody tr th td p b code span div details summary figure figcaption section h4"
    drawing = "svg g rect text title line path polygon ellipse circle tspan style"
    known = {*page.split(), *drawing.split()}
    for drawn in everything(ring, ring.result["Short"].trace):
        root = ElementTree.fromstring(f"<div>{drawn.html()}</div>")
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= known, drawn


def test_a_notebook_keeps_pictures_as_images(ring):
    """GitHub and untrusted notebooks drop SVG, scripts and styles, but show images."""
    for drawn in everything(ring, ring.result["Short"].trace):
        kept = drawn.bundle()
        assert kept["text/plain"] == repr(drawn)
        body = re.sub(r"<(style|script)>.*?</\1>", "", kept["text/html"], flags=re.DOTALL)
        assert "<svg" not in body
        images = re.findall(r'src="data:image/svg\+xml,([^"]*)"', body)
        assert [unquote(image) for image in images] == re.findall(r"<svg.*?</svg>", drawn.html(), re.S)


def test_what_matters_is_kept_where_style_sheets_are_stripped(ring):
    """A notebook that is not trusted, as in a fresh clone, shows neither style sheets nor what scripts do."""
    trace = ring.result["Short"].trace
    kept = view.result_view(ring.result).bundle()["text/html"] + view.trace_view(trace).bundle()["text/html"]
    stripped = re.sub(r"<(style|script)>.*?</\1>", "", kept, flags=re.DOTALL)
    assert re.findall(r"<td(?![^>]*text-align: left)[^>]*>", stripped) == []
    badges = re.findall(r'<span class="wb-badge [^>]*>', stripped)
    assert badges
    assert all("background-color: #" in badge for badge in badges)
    assert re.search(r"<code[^>]*word-break: break-all[^>]*>workbench:", stripped)
    graph = view.state_graph(ring, pictures=True)
    assert ' style="color-scheme' in graph.svg(), "a style within an image is none of the image"
    (image,) = re.findall(r"<img[^>]*>", graph.bundle()["text/html"])
    assert 'style="max-width: 100%; height: auto"' in image


def test_charts_are_kept_for_plotly_and_as_svg(ring):
    kept = view.levels_chart(ring.result).bundle()
    assert kept["application/vnd.plotly.v1+json"]["data"][0]["y"] == ring.result.levels
    assert ElementTree.fromstring(kept["image/svg+xml"]).tag == f"{SVG}svg"
    json.dumps(kept)


def test_without_graphviz_a_graph_says_what_to_install(small, monkeypatch):
    graph = view.state_graph(small)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        InputError, match=r"^state graphs need Graphviz's dot, which is not installed; install it .* graphviz$"
    ):
        graph.svg()
    assert graph.text().startswith("States of bakery_published: ")


def test_a_result_is_a_digraph_of_its_states_or_of_its_trace(small, race, conflict):
    def nodes(graph):
        root = ElementTree.fromstring(graph.pipe(format="svg"))
        return ["".join(group.itertext()) for group in root.iter(f"{SVG}g") if group.get("class") == "node"]

    whole = small.result.graph("decision[w1]")
    assert isinstance(whole, graphviz.Digraph)
    assert len(nodes(whole)) == len(small)
    assert sum("decision[w1] = committed" in label for label in nodes(whole)) == (
        small.where(lambda s: s.decision["w1"] == "committed").sum()
    )
    assert len(race.sources) > 300
    part = race.result.graph().source
    assert part.count("peripheries") == 1
    assert conflict.steps[-1].label in part
    assert 'label="w1: ' in part, "a variable that tells states apart"


def test_a_graph_that_nobody_could_read_is_one_line(race):
    holding = explore(BakeryV2(**RACE), ["TicketOrderPreserved"]).result
    with pytest.raises(InputError, match=r"^a graph of [\d,]+ steps is not accepted; it takes at most 300, or a trace"):
        holding.graph()
    with pytest.raises(InputError, match="unknown variable of bakery_v2_published 'pcs'"):
        race.result.graph("pcs")


@pytest.mark.parametrize("missing", ["the program", "the package"])
def test_what_a_digraph_needs_is_one_line(small, monkeypatch, missing):
    if missing == "the program":
        monkeypatch.setenv("PATH", "")
        line = r"^state graphs need Graphviz's dot, which is not installed; install it [^\n]* graphviz$"
    else:
        monkeypatch.setitem(sys.modules, "graphviz", None)
        line = r"^a Digraph needs graphviz, which is not installed: pip install 'lakehouse-workbench\[lab\]'$"
    with pytest.raises(InputError, match=line):
        small.result.graph()


@pytest.mark.slow
def test_results_and_traces_show_themselves_where_nobody_asks_ipython(race, conflict):
    for shown, says in ((race.result, "NoLakekeeperConflict"), (conflict, "wb-trace")):
        html = shown._repr_html_()
        assert says in html
        assert html == display.bundle_of(shown)["text/html"]


@pytest.mark.slow
def test_objects_show_themselves_in_ipython():
    script = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import sys, workbench
assert "workbench.showing.view" not in sys.modules, "importing the package draws nothing"
from workbench.checking.spaces.space import explore
from workbench.protocols.bakery.model import Bakery
space = explore(Bakery(Writers=2), ["SomeoneCommits"])
trace = space.result["SomeoneCommits"].trace
from workbench.formats.recording import Observation, Recording
report = workbench.validate(Bakery(), Recording([Observation({})]))
told = workbench.scenario(Bakery(), "commit(w1)")
for shown in (space.result, trace, trace.last, Bakery(), Bakery, space, report, told, int, 5):
    data, _ = shell.display_formatter.format(shown)
    print("text/html" in data, end=" ")
"""
    done = python(script, check=True)
    assert done.stdout.split() == ["True"] * 8 + ["False"] * 2


@pytest.mark.slow
def test_a_cell_may_hold_a_tla_module_with_its_configuration():
    script = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
import workbench
cell = '''
---- MODULE Clock ----
EXTENDS Naturals
CONSTANT Hours
VARIABLE hour
Init == hour = 0
Next == hour' = (hour + 1) % Hours
Early == hour < 5
====
CONSTANT Hours = 12  INIT Init  NEXT Next  INVARIANT Early
'''
made = shell.run_cell_magic("tla", "", cell)
result = workbench.check(shell.user_ns["Clock"](Hours=7))
print(made is shell.user_ns["Clock"], result.distinct, result["Early"].trace_states)
print(*("text/html" in shell.display_formatter.format(one)[0] for one in (made, made())))
"""
    assert python(script, check=True).stdout.split() == ["True", "7", "6", "True", "True"]


@pytest.mark.slow
def test_what_is_wrong_with_a_cell_is_one_line_with_the_line_of_the_cell():
    """Without a traceback through the package."""
    import nbclient
    import nbformat

    cells = [
        "import workbench",
        "name = 'bakry'\nworkbench.check(name)",
        "import workbench\nworkbench.get_model('hudi')(Key=1)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, allow_errors=True).execute()
    for cell, said in zip(notebook.cells[1:], ("did you mean bakery?", "did you mean Keys?"), strict=True):
        (output,) = cell.outputs
        assert output["ename"] == "InputError"
        assert said in output["evalue"]
        assert output["evalue"].endswith("(line 2 of its cell)")
        assert len(output["traceback"]) == 2
        assert "site-packages" not in "".join(output["traceback"])


def test_an_answer_is_shown_in_words_with_its_behaviour():
    told = scenario(Bakery(Writers=2), "commit(w1)\ncommit(w2)")
    shown = view.answer_view(told)
    assert shown.text() == f"{told}\n\n{view.trace_view(told.trace).text()}"
    assert view.trace_view(told.trace).html() in shown.html()
    assert "<b>found: " in shown.html()
    around = [Observation({0: number % 2}) for number in range(300)]
    words = view.answer_view(validate(Ring(), Recording(around)))
    assert words.text() == "a behaviour of the model: 300 states"


# Reports -----------------------------------------------------------------------------------------------------------

SPEC = """
title = "Two writers & a <race>"
model = "bakery_v2"
source = "A test"
properties = ["NoLakekeeperConflict"]
[constants]
Writers = 2
AsyncParquet = true
RestampPatch = false
[expect]
distinct = {distinct}
verdicts.NoLakekeeperConflict = {{ violated = 18 }}
"""


@pytest.fixture
def written(tmp_path, race):
    def write(distinct):
        (tmp_path / "race.toml").write_text(SPEC.format(distinct=distinct))
        different = distinct != len(race)
        assert main(["check", str(tmp_path / "race.toml"), "-o", str(tmp_path / "race.html")]) == different
        return tmp_path / "race.html"

    return write


@pytest.mark.slow
def test_a_report_stands_on_its_own(written, race):
    page = written(len(race)).read_text()
    assert re.findall(r'(?:src|href)="[^"]*"|@import|url\(', page) == []
    assert "Two writers &amp; a &lt;race&gt;" in page
    assert "\N{CHECK MARK} as expected" in page
    assert "✗ violated" in page
    assert "a shortest counterexample has 18 states" in page
    assert f"{len(race):,} distinct states" in page
    for svg in re.findall(r"<svg.*?</svg>", page, re.S):
        ElementTree.fromstring(svg)


@pytest.mark.slow
def test_a_report_is_headed_by_its_settings(race):
    line = "bakery_v2_published  Writers=(w1, w2) AsyncParquet=on RestampPatch=off"
    assert f"<h1>{line}</h1>" in view.report(race.result)
    assert "<h1>A race</h1>" in view.report(race.result, title="A race")


@pytest.mark.slow
def test_a_report_begins_with_what_is_violated(race):
    text = view.report(race.result)
    sentence = f'<p class="wb-sentence">{html.escape(race.result["NoLakekeeperConflict"].why)}</p>'
    badge = '<span class="wb-badge wb-bad">✗ NoLakekeeperConflict violated</span>'
    places = list(map(text.index, [badge, "NoLakekeeperConflict violated: ", sentence, ">Verdicts<", ">Constants<"]))
    assert places == sorted(places)


@pytest.mark.slow
def test_a_report_says_what_differs_from_the_expected_or_why_it_cannot_be_written(written, race, tmp_path, capsys):
    page = written(1).read_text()
    assert f"distinct: expected 1, found {len(race):,}" in page
    assert main(["check", str(tmp_path / "race.toml"), "-o", str(tmp_path / "no" / "where.html")]) == 2
    assert "cannot be written: there is no folder" in capsys.readouterr().err


@pytest.mark.browser
def test_a_wide_graph_is_scrolled_to_its_first_state_and_not_scaled_down(browser, race, tmp_path):
    (tmp_path / "graph.html").write_text(view.page("wide", view.projection(race, ["pc", "claims"]).html()))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "graph.html").as_uri())
    page.wait_for_selector(".wb-graph g.node")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    assert page.locator(".wb-graph").evaluate("box => box.scrollWidth > 2 * box.clientWidth")
    first = page.locator(".wb-graph g.node").first.bounding_box()
    assert 0 < first["x"] < first["x"] + first["width"] < 1280
    assert page.locator(".wb-graph g.node text").first.bounding_box()["height"] > 10
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_report_in_a_browser(browser, written, race, scheme):
    """It fits a 1280 pixel wide window, logs no error, and its trace can be stepped with clicks and arrow keys."""
    from playwright.sync_api import expect

    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme=scheme)
    logged = []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.goto(written(len(race)).as_uri())
    expect(page.locator(".wb-picture [data-picture]")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") == 1280
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    text = page.evaluate("getComputedStyle(document.querySelector('.wb-lanes text')).fill")
    assert (_brightness(background) > _brightness(text)) == (scheme == "light")
    shown = page.locator(".wb-step[data-current]")
    expect(shown).to_have_attribute("data-step", "17")
    page.locator(".wb-step[data-step='3']").click()
    expect(shown).to_have_attribute("data-step", "3")
    page.keyboard.press("ArrowDown")
    expect(shown).to_have_attribute("data-step", "4")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(shown).to_have_attribute("data-step", "2")
    expect(page.locator(".wb-where")).to_contain_text("State 3 of 18")
    assert logged == []
    page.close()


def _brightness(color):
    return sum(map(int, re.findall(r"\d+", color)[:3]))


@pytest.mark.parametrize("word", ["none", "optimistic", "pessimistically locking"])
def test_the_names_of_columns_do_not_run_into_what_is_above_them(word):
    rows = [{"A": a, "B": b, "C": c, "P": "holds"} for a in range(3) for b in range(2) for c in range(2)]
    frame = pd.DataFrame(rows)
    frame.attrs["words"] = {"A": {a: f"{word}{a}" for a in range(3)}}
    plot = view.verdict_map(frame).plot()
    names = [label for label in plot.labels if "B \N{DOWNWARDS ARROW}" in label.text]
    assert len(names) == len(plot.panels) == 2
    for label, panel in zip(names, plot.panels, strict=True):
        tall = 0.7 * width_of(f"{word}0") if panel.x.tilted else 12
        assert label.y < panel.top - tall


def test_choices_are_told_by_their_words():
    one, other = (check(get_model("hudi")(Keys=1, ConcurrencyControl=n), ["ConsistentRead"]) for n in (1, 0))
    assert view.what_changed(one, other) == "ConcurrencyControl none instead of optimistic: ConsistentRead now fails"
    compared = view.compare(one, other)
    assert "ConcurrencyControl  optimistic  none" in compared.text()
    assert "<code>optimistic</code></td><td><code>none</code>" in compared.html()
    assert "ConcurrencyControl=none" in view.result_view(other).text() + view.result_view(other).html()
    constants = view.constants_table(other.model).html()
    assert '<code class="wb-new">none</code>' in constants
    assert re.findall("<th[^>]*>([^<]*)</th>", constants) == ["constant", "value", "accepts", "meaning"]
    assert other.as_dict()["constants"]["ConcurrencyControl"] == 0


def test_a_graph_shows_first_where_each_process_is_else_what_has_few_values(race, collision):
    assert view.telling(race.model, [race.state(number) for number in range(20)]) == ("pc",)
    assert view.telling(collision.model, collision.states) == ("phase",)
    assert view.telling(machine_of(Ring(Members=2)), Ring(Members=2).initial_states()) != ()
