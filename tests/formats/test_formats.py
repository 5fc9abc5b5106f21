"""The formats: what is written can be read back, has the shape that other tools expect, and a wrong trace is found."""

import csv
import io
import itertools
import json
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.behaviours import random_trace
from tests.places import ROOT
from tests.products import examples
from workbench.checking.following.validate import validate
from workbench.formats.graphs import GraphEdge, GraphNode, write_dot, write_graphml, write_tables
from workbench.formats.itf import constants_from_itf, decode_itf, encode_itf, parse_itf, read_itf, to_itf
from workbench.formats.junit import annotations, suite_of, to_junit
from workbench.formats.mermaid import to_mermaid
from workbench.formats.permalink import open_permalink, parse_permalink, permalink
from workbench.formats.recording import Observation, Recording
from workbench.formats.tla import conjunction, tla
from workbench.formats.tlc_cfg import apply_cfg, read_cfg
from workbench.formats.tlc_trace import tlc_plain, to_tlc_json
from workbench.kernel import machine_of, replay, search
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.values import is_same, show
from workbench.language import *
from workbench.protocols.bakery.extended import BakeryExtended
from workbench.protocols.bakery.model import Bakery, Claim
from workbench.protocols.bakery.v2 import BakeryV2
from workbench.protocols.hudi.model import Hudi
from workbench.protocols.paimon.model import Paimon
from workbench.registry import get_model
from workbench.showing.view import trace_view


class Pair(NamedTuple):
    """A record whose fields are not in alphabetical order."""

    second: object
    first: object


class Option(NamedTuple):
    """A record with the fields that ITF's absent value has."""

    tag: object
    value: object


class Clock(Model):
    """A hand that goes round: up to 2, and from there back to 1, so that every behaviour is a lasso."""

    Hours = Constant(3, range(3, 9), "positions of the hand")
    hand = Variable(0)
    note = Variable("start; #1 <b>")
    hidden = Variable(0)
    spring = Process(fair="weak")
    records = (Claim, Pair, Option)  # the model's code refers to them

    @action(spring)
    def tick(self, s):
        require(s.hand < self.Hours - 1, "the hand is at the top")
        s.hand += 1
        s.hidden = 1 - s.hidden

    @action(spring)
    def wrap(self, s):
        require(s.hand == self.Hours - 1, "the hand is not at the top")
        s.hand = choose((1,), "to")
        s.note = "wrapped; #2 <b>"

    @invariant
    def Low(self, s):
        return s.hand < self.Hours - 1 or f"the hand is at {s.hand}: 100%"

    @reachable
    def Never(self, s):
        return s.hand > self.Hours

    @liveness
    def Stops(self):
        return eventually_always(lambda s: s.hand == 2)


#: Properties that have a witness or a counterexample: finite, stopping and going round. A walk stands for models with
#: richer values.
WALK = "walk"
TRACES = [
    (Bakery(Writers=2), "SomeoneCommits"),
    (BakeryExtended(Writers=2, MaxRestarts=1), "RestartedWriterCommits"),
    (Bakery(Writers=2), "EventualProgress"),
    (BakeryExtended(Writers=2), "SurvivorsFinish"),
    (BakeryV2(Writers=2, StepGranularity="atomic"), "EveryoneCommits"),
    (Clock(), "Low"),
    (Clock(), "Stops"),
    (Hudi(), WALK),
    (Paimon(), WALK),
]


@pytest.fixture(scope="module", params=TRACES, ids=lambda pair: f"{machine_of(pair[0]).name}-{pair[1]}")
def trace(request):
    model, name = request.param
    return random_trace(model, seed=1, length=20) if name == WALK else search(model, [name])[name].trace


def witness(name="SomeoneCommits", **constants):
    """A small trace of the bakery: six states in which w1 commits."""
    return search(Bakery(Writers=2, **constants), [name])[name].trace


def lasso():
    return search(Clock(), ["Stops"])["Stops"].trace


def document_of(trace):
    return json.loads(json.dumps(to_itf(trace)))


def check(trace_or_document, model, stutter=False):
    return validate(model, read_itf(model, trace_or_document), stutter)


def project(document, variables, keep=None):
    """The document as a log would have it: some variables, some states, and no action."""
    states = document["states"] if keep is None else [document["states"][i] for i in keep]
    return {"vars": variables, "states": [{name: state[name] for name in variables} for state in states]}


# ITF ---------------------------------------------------------------------------------------------------------------

ATOMS = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3),
        st.dictionaries(inner, inner, max_size=3).map(Map),
        *(st.builds(record, inner, inner) for record in (Pair, Option)),
        st.builds(Claim, st.integers(), st.text()),
    ),
    max_leaves=8,
)


def is_expression(found):
    """Whether the grammar of ITF has this expression; integers only as #bigint, as the project writes them."""
    if isinstance(found, (bool, str)):
        return True
    if not isinstance(found, dict):
        return False
    special = [key for key in found if key.startswith("#")]
    if not special:
        return all(map(is_expression, found.values()))
    (key,) = found
    body = found[key]
    if key == "#bigint":
        return bool(re.fullmatch("-?[0-9]+", body))
    if key == "#map":
        return all(len(pair) == 2 and all(map(is_expression, pair)) for pair in body)
    return key in ("#tup", "#set") and all(map(is_expression, body))


@pytest.mark.slow
@given(VALUES)
def test_itf_gives_back_every_value(value):
    expression = json.loads(json.dumps(encode_itf(value)))
    assert is_expression(expression)
    assert decode_itf(expression, Clock()) == value


@pytest.mark.slow
@given(VALUES)
def test_itf_records_may_have_their_fields_in_any_order(value):
    expression = json.loads(json.dumps(encode_itf(Pair(1, value)), sort_keys=True))
    assert decode_itf(expression, Clock()) == (1, value)


def test_itf_records_that_look_like_the_absent_value_stay_records():
    class Choosing(Clock):
        kinds = (Option,)

    assert is_same(decode_itf(encode_itf(Option("None", ())), Choosing()), Option("None", ()))


def test_itf_of_other_tools_may_use_plain_integers_and_lists():
    assert decode_itf([1, {"#set": [2, {"#bigint": "-3"}]}, None], Clock()) == (1, frozenset({2, -3}), None)
    assert decode_itf({"tag": "None", "value": {}}, Clock()) is None


@pytest.mark.slow
def test_itf_trace_round_trip(trace):
    document = document_of(trace)
    assert all(is_expression(state[name]) for state in document["states"] for name in document["vars"])
    for text in (json.dumps(document), json.dumps(document, sort_keys=True)):
        model = type(trace.model.author)(**constants_from_itf(parse_itf(text)))
        assert model.constants == trace.model.constants
        recording = read_itf(model, parse_itf(text))
        assert recording.loop == trace.loop
        assert [tuple(o.cells[i] for i in range(len(o.cells))) for o in recording.states] == [
            state.values for state in trace.states
        ]
        assert [o.action for o in recording.states] == [step.label for step in trace.steps]


def test_a_variable_that_these_constants_leave_without_a_cell_is_none_of_the_trace():
    class Sparse(Clock):
        spare = Variable(0, per="spares")

        def validate(self):
            self.spares = ()

    trace = random_trace(Sparse(), seed=1, length=3)
    assert "spare" not in document_of(trace)["vars"]
    assert "spare" not in to_tlc_json(trace)["vars"]
    assert check(parse_itf(json.dumps(document_of(trace))), Sparse()).holds


@pytest.mark.slow
def test_a_trace_of_a_model_is_a_behaviour_of_it(trace):
    report = check(document_of(trace), trace.model)
    assert report.holds
    assert (report.states, report.candidates) == (len(trace), 1)
    assert report.trace.states == trace.states


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["vars"].append("clams"), r"unknown variable of bakery_published 'clams' \(did you mean claims"),
        (lambda d: d["states"][2].pop("claims"), r"states\[2\] lacks 'claims'"),
        (lambda d: d["states"][1].update(extra=1), r"states\[1\] has 'extra', which 'vars' does not list"),
        (lambda d: d["states"][0].update(claims=1.5), r"states\[0\]\.claims is 1\.5, which is not an ITF expression"),
        (lambda d: d["states"][0].update(claims={"#bag": []}), r"claims is .*#bag.*, which is not an ITF expression"),
        (lambda d: d["states"][0].update(claims={"#bigint": "x"}), "which is not an ITF expression"),
        (lambda d: d["states"][0].update(claims={"#map": [1]}), "which is not a pair of a key and a value"),
        (lambda d: d["states"][0].update(pc="Done"), r"states\[0\]\.pc has one value per index; it takes a #map"),
        (lambda d: d["states"][0].update(pc={"w9": "Done"}), r"states\[0\]\.pc has no index 'w9'; it has w1, w2"),
        (lambda d: d.update(loop=6), "loop = 6 is not accepted; it takes the index of a state, 0 to 5"),
    ],
)
def test_itf_that_does_not_fit_the_model_is_refused(change, message):
    document = document_of(witness())
    change(document)
    with pytest.raises(InputError, match=message):
        read_itf(Bakery(Writers=2), document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the trace is not JSON"),
        ("[]", "the trace is a JSON list; an ITF document is an object"),
        ('{"vars": ["x"]}', "'states' of an ITF document takes a list of states"),
        ('{"vars": [], "states": [{}]}', "'vars' of an ITF document takes a list of variable names"),
        ('{"vars": ["x"], "states": [1]}', "'states' of an ITF document takes a list of states"),
    ],
)
def test_what_is_no_itf_document_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        parse_itf(text)


# Validation --------------------------------------------------------------------------------------------------------


def test_a_changed_state_is_found_with_the_nearest_step():
    document = document_of(witness())
    document["states"][3]["my_ticket"]["#map"][0][1] = {"#bigint": "7"}
    report = check(document, Bakery(Writers=2))
    assert not report.holds
    assert (report.states, report.failed) == (3, 4)
    assert "by bakery_wait(w1): it is enabled, but leads elsewhere" in report.why
    assert report.nearest.label == "bakery_wait(w1)"
    assert [(str(d.cell), d.recorded, d.model) for d in report.nearest.differences] == [("my_ticket[w1]", 7, 1)]
    assert "bakery_wait(w1)" in report.enabled
    assert "my_ticket[w1] is 1, recorded as 7" in str(report)
    assert report.trace.states == witness().states[:3]


def test_an_action_that_is_disabled_is_explained_by_its_reason():
    document = document_of(witness())
    document["states"][3]["#meta"]["action"] = "commit(w2)"
    report = check(document, Bakery(Writers=2))
    assert report.why == "no step leads from state 3 to state 4 by commit(w2): w2 is not at Decide"
    document["states"][3]["#meta"]["action"] = "commit(w9)"
    assert "there is no such step; there is commit(w1), commit(w2)" in check(document, Bakery(Writers=2)).why
    document["states"][3]["#meta"]["action"] = "bakery_wait"  # the action alone is enough
    assert check(document, Bakery(Writers=2)).holds


def test_an_action_that_the_model_does_not_have_is_said_and_not_used():
    document = document_of(witness())
    document["states"][5]["#meta"]["action"] = "POST /commit"
    report = check(document, Bakery(Writers=2))
    assert report.holds
    assert report.remarks == ["state 6: 'POST /commit' is not an action of the model, and is ignored"]
    assert "POST /commit" in str(report)


def test_a_step_with_a_choice_may_be_named_with_or_without_it():
    trace = lasso()
    document = document_of(trace) | {"loop": None}
    first = document["states"].index(next(s for s in document["states"] if s["hand"] == {"#bigint": "2"}))
    document["states"] = [*document["states"][: first + 1], {**document["states"][first], "hand": {"#bigint": "1"}}]
    document["states"][-1] |= {"note": "wrapped; #2 <b>"}
    for label, valid in (("wrap", True), ("wrap(to=1)", True), ("wrap(to=2)", False), ("tick", False)):
        document["states"][-1]["#meta"] = {"action": label}
        assert check(document, Clock()).holds is valid


def test_a_trace_of_other_constants_does_not_begin_here():
    report = check(document_of(witness(MaxCrashes=0)), Bakery(Writers=2))
    assert (report.holds, report.states, report.failed) == (False, 0, 1)
    assert report.why == "state 1 is not an initial state of bakery_published"
    assert [str(d.cell) for d in report.nearest.differences] == ["crash_budget"]


@pytest.mark.slow
def test_a_log_of_some_variables_needs_every_step_unless_stuttering_is_allowed():
    document, model = document_of(witness()), Bakery(Writers=2)
    every = project(document, ["claims", "iceberg"])
    assert check(every, model).holds
    some = project(document, ["iceberg"], keep=[0, 5])
    some["states"][0] = project(document_of(witness()), ["iceberg"], keep=[0])["states"][0]
    assert check(project(document, ["my_ticket"], keep=[0, 4]), model).failed == 2  # the ticket is not the first step
    assert check(project(document, ["my_ticket"], keep=[0, 4]), model, stutter=True).holds
    assert check(some, model, stutter=True).holds
    assert not check(project(document, ["iceberg"], keep=[5, 0]), model, stutter=True).holds


def test_stuttering_keeps_to_what_is_recorded():
    """Hidden steps may not change a recorded variable: the ticket cannot be taken between two states without one."""
    document, model = document_of(witness()), Bakery(Writers=2)
    report = check(project(document, ["my_ticket", "iceberg"], keep=[0, 5]), model, stutter=True)
    assert (report.holds, report.failed) == (False, 2)
    assert check(project(document, ["my_ticket", "iceberg"], keep=[0, 2, 5]), model, stutter=True).holds


def test_a_log_may_show_some_indices_only():
    model = Bakery(Writers=2)
    log = {"vars": ["pc"], "states": [{"pc": {"w2": label}} for label in ("NodeStartup", "BeginClaim", "BakeryWait")]}
    assert check(log, model).holds
    assert len(read_itf(model, log).states[0].cells) == 1
    log["states"][2]["pc"]["w2"] = "Done"
    assert check(log, model).failed == 3


def test_the_log_in_the_documentation_is_a_behaviour():
    page = (ROOT / "docs" / "recordings.md").read_text()
    log = parse_itf(re.search(r"```json\n(.*?)```", page, re.DOTALL).group(1))
    assert check(log, Bakery(Writers=2)).states == 2


def test_a_repeated_state_is_a_step_only_with_stuttering():
    document, model = document_of(witness()), Bakery(Writers=2)
    document["states"].insert(3, {**document["states"][2], "#meta": {}})
    report = check(document, model)
    assert (report.holds, report.failed) == (False, 4)
    assert "which is the same" in report.why
    assert check(document, model, stutter=True).holds


@pytest.mark.slow
@examples(50)
@given(st.integers(0, 10_000), st.sets(st.sampled_from(machine_of(Bakery(Writers=2)).layout.variables), min_size=1))
def test_every_walk_seen_through_any_variables_is_a_behaviour(seed, variables):
    trace = random_trace(Bakery(Writers=2), seed, 12)
    log = project(document_of(trace), sorted(variables))
    assert check(log, trace.model).holds
    changes = [i for i, s in enumerate(log["states"]) if i == 0 or s != log["states"][i - 1]]
    assert check(project(log, sorted(variables), keep=changes), trace.model, stutter=True).holds


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from([None, 0, 1, 2, 3]), st.sampled_from([None, 0, 1])), min_size=1, max_size=6))
def test_recordings_agree_with_an_enumeration_of_all_behaviours(seen):
    model = machine_of(Clock(Hours=4))
    hand, hidden = model.layout.positions["hand"], model.layout.positions["hidden"]
    observations = [
        Observation({cell: value for cell, value in ((hand, h), (hidden, d)) if value is not None}) for h, d in seen
    ]
    paths = [[state] for state in model.initial_states()]
    for _ in seen[1:]:
        paths = [[*p, after] for p in paths for i in model.instances for _, after in model.outcomes(i, p[-1])]
    expected = any(all(o.agrees(s) for o, s in zip(observations, path, strict=True)) for path in paths)
    assert validate(model, Recording(observations)).holds is expected


def test_a_lasso_must_lead_back_to_its_loop():
    trace = lasso()
    document = document_of(trace)
    assert trace.back is not None
    assert check(document, trace.model).holds
    document["loop"] = 0
    report = check(document, trace.model)
    assert (report.holds, report.failed, report.states) == (False, 1, len(trace))
    assert f"no step leads from state {len(trace)} back to state 1" in report.why


class Pendulum(Model):
    """Swings to and fro."""

    right = Variable(False)

    @action
    def swing(self, s):
        s.right = not s.right


def test_a_lasso_may_lead_back_to_its_beginning():
    document = {"vars": ["right"], "states": [{"right": False}, {"right": True}], "loop": 0}
    assert check(document, Pendulum()).holds


def test_a_loop_is_followed_until_it_is_certain():
    """Seen through `hidden` alone, the hand's way up looks like a loop - for a while."""
    up = {"vars": ["hidden"], "states": [{"hidden": 0}, {"hidden": 1}], "loop": 0}
    assert not check(up, Clock(Hours=8)).holds
    shown = {"vars": ["hand"], "states": [{"hand": hand} for hand in (0, 1, 2)]}
    assert check(shown | {"loop": 1}, Clock()).holds  # the cells that are not shown need two rounds to return
    assert check(shown | {"loop": 2}, Clock()).holds  # stopping for ever; whether that is fair is not judged


def test_the_action_of_the_loops_first_state_is_that_of_its_first_time():
    """The hand comes to 1 by ticking, and back to it by wrapping."""
    states = [{"hand": hand, "#meta": {"action": "tick"}} for hand in (0, 1, 2)]
    assert check({"vars": ["hand"], "states": states, "loop": 1}, Clock()).holds


# TLC's traces ------------------------------------------------------------------------------------------------------


def test_tlc_json_is_the_graph_that_tlc_loads(trace):
    document = json.loads(json.dumps(to_tlc_json(trace)))
    graph = document["counterexample"]
    assert set(document["vars"]) == set(trace.model.layout.positions)
    assert [number for number, _ in graph["state"]] == list(range(1, len(trace) + 1))
    assert all(set(variables) == set(document["vars"]) for _, variables in graph["state"])
    forward = [edge for edge in graph["action"] if edge[2][0] > edge[0][0]]
    closing = [edge for edge in graph["action"] if edge[2][0] <= edge[0][0]]
    assert [(a[0], b[0]) for a, _, b in forward] == [(n, n + 1) for n in range(1, len(trace))]
    assert [(a[0], b[0]) for a, _, b in closing] == ([] if trace.loop is None else [(len(trace), trace.loop + 1)])
    assert all(source in graph["state"] and target in graph["state"] for source, _, target in graph["action"])
    for (_, step, _), label in zip(forward, (s.label for s in trace.steps[1:]), strict=True):
        assert label.startswith(step["name"])
        assert list(step["location"]) == ["beginLine", "beginColumn", "endLine", "endColumn", "module"]
        lines = Path(sys.modules[step["location"]["module"]].__file__).read_text().splitlines()
        at = "\n".join(lines[step["location"]["beginLine"] - 1 :])
        assert re.search(r"def (\w+)", at)[1] == step["name"]


def test_tlc_json_names_parameters_and_choices():
    steps = {step["name"]: step for _, step, _ in to_tlc_json(lasso())["counterexample"]["action"]}
    assert (steps["wrap"]["context"], steps["tick"]["context"]) == ({"to": 1}, {})
    claim = next(step for _, step, _ in to_tlc_json(witness())["counterexample"]["action"] if "claim" in step["name"])
    assert (claim["context"], claim["parameters"]) == ({"w": "w1"}, ["w"])


def test_values_in_tlcs_json_and_notation():
    value = Map({"a": frozenset({2, 1}), "b": Claim(1, "w1")})
    assert tlc_plain(value) == {"a": [1, 2], "b": {"ticket": 1, "writer": "w1"}}
    assert tla(value) == '("a" :> {1, 2} @@ "b" :> [ticket |-> 1, writer |-> "w1"])'
    assert (tlc_plain(Map()), tla(Map()), tlc_plain(None), tla('a"b\\')) == ([], "<<>>", "None", '"a\\"b\\\\"')


# TLC's configurations ----------------------------------------------------------------------------------------------

NO_CRASH = r"""
\* The published v1 without crashes, as an older revision had it.
CONSTANTS
  Writers = {w1, w2, w3}     (* three (* nested *) writers,
                                over two lines *)
  w1 = w1  w2 = w2  w3 = w3
  MaxTickets = 6
  MaxCrashes = 0
CONSTANT NodeStartup = FALSE
SPECIFICATION Spec
SYMMETRY WriterSymmetry
INVARIANTS
  NoLakekeeperConflict RollbackNoIceberg
INVARIANT UniqueTickets
PROPERTY EventualProgress
CHECK_DEADLOCK FALSE
"""


def test_a_configuration_gives_the_published_figures():
    applied = apply_cfg(read_cfg(NO_CRASH), Bakery)
    assert applied.properties == ["NoLakekeeperConflict", "RollbackNoIceberg", "UniqueTickets", "EventualProgress"]
    assert applied.symmetry == ("Writers",)
    result = search(Bakery(**applied.constants), applied.properties[:3], applied.symmetry)
    assert (result.generated, result.distinct) == (197, 96)
    assert [v.word for v in result.verdicts] == ["holds"] * 3
    assert applied.remarks == [
        "SPECIFICATION Spec: the behaviours and fairness are those that bakery_published declares",
        "SYMMETRY WriterSymmetry is taken as the symmetric sets Writers",
        "CHECK_DEADLOCK FALSE has no effect: a state in which nothing is enabled is a normal end",
    ]


def test_sets_of_sets_texts_and_booleans_become_constants():
    text = (
        'CONSTANTS Writers = {a1, a2, b1} NodeParts = {{a1, a2}, {b1}} SameNodeLock = FALSE StepGranularity = "atomic"'
    )
    applied = apply_cfg(read_cfg(text), BakeryV2)
    assert applied.constants == {
        "Writers": ["a1", "a2", "b1"],
        "NodeParts": [["a1", "a2"], ["b1"]],
        "SameNodeLock": False,
        "StepGranularity": "atomic",
    }
    assert BakeryV2(**applied.constants).node_of == {"a1": "n1", "a2": "n1", "b1": "n2"}
    assert any("no property is named" in remark for remark in applied.remarks)
    assert any("deadlocks" in remark for remark in applied.remarks)


def test_properties_of_steps_and_the_deadlock_that_tlc_would_look_for():
    applied = apply_cfg(read_cfg("PROPERTY PublishedSlicesStay CHECK_DEADLOCK TRUE"), Hudi)
    assert applied.properties == ["PublishedSlicesStay", "Deadlock"]
    assert applied.remarks == []
    with pytest.raises(InputError, match="INVARIANT PublishedSlicesStay is a step property of hudi"):
        apply_cfg(read_cfg("INVARIANT PublishedSlicesStay"), Hudi)


def test_model_values_of_the_published_hudi_configuration():
    text = """
    CONSTANTS w1 = w1 w2 = w2 Writers = {w1, w2} k1 = k1 Keys = {k1} A = A Values = {A} OpLimit = 1
              ConcurrencyControl = 2 Nil = Nil Ready = Ready
    INIT Init
    NEXT Next
    INVARIANTS ConsistentRead
    """
    applied = apply_cfg(read_cfg(text), Hudi)
    model = Hudi(**applied.constants)
    assert (model.Values, model.OpLimit, model.ConcurrencyControl) == (("A",), 1, 2)
    assert "model values without a use here: Nil, Ready (hudi_published has its own)" in applied.remarks
    assert "INIT Init, NEXT Next: the behaviours and fairness are those that hudi_published declares" in applied.remarks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CONSTRAINT Bound, Other", "line 1: found ,; expected the name of a constraint"),
        ("SYMMETRY a\n\nSYMMETRY vars", "line 3: SYMMETRY is given twice"),
        ("ACTION_CONSTRAINTS A", "line 1: ACTION_CONSTRAINTS is not supported"),
        ("ALIAS A", "line 1: ALIAS is not supported"),
        ("POSTCONDITION P", "line 1: POSTCONDITION is not supported"),
        ("_PERIODIC P", "line 1: _PERIODIC is not supported"),
        ("CHECK_DEADLOCK MAYBE", "line 1: CHECK_DEADLOCK MAYBE is not accepted; it takes TRUE or FALSE"),
        ("CONSTANT\nNat <- SmallNat", "line 2: Nat <- SmallNat is not supported"),
        ("CONSTANT F(1) = 2", r"line 1: F\(...\) = value is not supported"),
        ("CONSTANT C = [M] 2", r"line 1: C = \[module\] value is not supported"),
        ("CONSTANT C = ", "line 1: found the end of the file; expected a number"),
        ("CONSTANT C = {1, 2", "line 1: found the end of the file; expected } or ,"),
        ("CONSTANT C = 1\nC = 2", "line 2: C is given twice"),
        ("CONSTANT C 1", "line 1: found 1; expected = after C"),
        ("INVARIANT A, B", "line 1: found ,; expected the name of a property"),
        ("SYMMETRY A\nSYMMETRY B", "line 2: SYMMETRY is given twice"),
        ("SPECIFICATION\nINVARIANT A", "line 2: found INVARIANT; expected a name after SPECIFICATION"),
        ("INIT Init\nSPECIFICATION Spec", "line 2: SPECIFICATION is given beside INIT or NEXT"),
        ("CONSTANT\n\n(* open", r"line 3: the comment that begins here"),
        ("CONSTANT C = 1.5", "line 1: '.' is not part of a TLC configuration"),
        ("Writers = {w1}", "line 1: found Writers; expected a keyword, such as CONSTANTS"),
    ],
)
def test_configurations_that_cannot_be_read(text, message):
    with pytest.raises(InputError, match=message):
        read_cfg(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CONSTRAINT Bound", "line 1: unknown constraint of bakery_published 'Bound'; .* a model declares one with @"),
        ("CONSTANT\nReaper = FALSE", "line 2: unknown constant of bakery_published 'Reaper'"),
        ("CONSTANT MaxCrashes = 9", "line 1: MaxCrashes = 9 is not accepted; it takes an integer from 0 to 3"),
        ("CONSTANT Writers = {1, w2}", "line 1: Writers = .* is not accepted; it takes a size"),
        ("INVARIANT EventualProgress", "line 1: INVARIANT EventualProgress is a liveness property of bakery_published"),
        ("PROPERTY UniqueTickets", "line 1: PROPERTY UniqueTickets is an invariant property of bakery_published"),
    ],
)
def test_configurations_that_do_not_fit_the_model(text, message):
    with pytest.raises(InputError, match=message):
        apply_cfg(read_cfg(text), Bakery)


def test_properties_that_the_model_does_not_have_are_unknown_and_named():
    applied = apply_cfg(read_cfg("INVARIANTS TypeOK UniqueTicket\nUniqueTickets\nPROPERTY Eventually"), Bakery)
    assert applied.properties == ["UniqueTickets"]
    assert [(v.name, v.kind, v.holds) for v in applied.unknown] == [
        ("TypeOK", "invariant", None),
        ("UniqueTicket", "invariant", None),
        ("Eventually", "liveness", None),
    ]
    assert applied.unknown[1].why.startswith(
        "line 1: unknown invariant of bakery_published 'UniqueTicket' (did you mean UniqueTickets?)"
    )
    assert applied.unknown[2].why.startswith("line 3: unknown liveness of bakery_published 'Eventually'")
    note = "not checked, since bakery_published has no such property: TypeOK, UniqueTicket, Eventually"
    assert note in applied.remarks


def test_symmetry_of_a_model_without_a_symmetric_set_is_refused():
    with pytest.raises(InputError, match="line 1: SYMMETRY Perms is not accepted; clock has no symmetric set"):
        apply_cfg(read_cfg("SYMMETRY Perms"), Clock)


def test_symmetry_names_its_sets():
    class Sets(Clock):
        symmetry = ("Writers", "Keys")
        Writers = Constant(2, Names("w", range(1, 3)), "")
        Keys = Constant(2, Names("k", range(1, 3)), "")

    assert apply_cfg(read_cfg("SYMMETRY KeySymmetry"), Sets).symmetry == ("Keys",)
    assert apply_cfg(read_cfg("SYMMETRY Perms"), Sets).symmetry == ("Writers", "Keys")


# Mermaid -----------------------------------------------------------------------------------------------------------

NOTE = re.compile(r"    Note over (p\d+): (\d+)\. [^#;<>]*(?:(?:<br/>|#\w+;)[^#;<>]*)*")


def test_mermaid_has_a_note_per_step_in_the_lane_that_takes_it(trace):
    text = to_mermaid(trace)
    diagram = text.split("```")[1].splitlines()
    assert diagram[:2] == ["mermaid", "sequenceDiagram"]
    lanes = dict(
        re.fullmatch(r"    participant (p\d+) as (.*)", line).groups() for line in diagram if "participant" in line
    )
    notes = [NOTE.fullmatch(line).groups() for line in diagram if re.match(r"    Note over p\d+: \d", line)]
    assert [(lanes[i], int(n)) for i, n in notes] == [
        (step.lane or "model", number) for number, step in enumerate(trace.steps[1:], start=2)
    ]
    assert diagram.count("    loop for ever") == diagram.count("    end") == (trace.back is not None)
    assert ("and stops for ever" in text) == (trace.loop is not None and trace.back is None)


def test_mermaid_says_what_came_into_a_set_and_escapes_its_own_signs():
    assert "claims: + Claim(ticket=1, writer=w1)" in to_mermaid(witness())
    assert "note: start#59; #35;1 #lt;b#gt; → wrapped#59; #35;2 #lt;b#gt;" in to_mermaid(random_trace(Clock(), 0, 4))


# Graphs ------------------------------------------------------------------------------------------------------------


def graph_of(model):
    states = {state: i for i, state in enumerate(model.initial_states())}
    initial, edges = len(states), []
    for state in (queue := list(states)):
        for instance in machine_of(model).instances:
            for _, after in machine_of(model).outcomes(instance, state):
                if after not in states:
                    states[after] = len(states)
                    queue.append(after)
                edges.append(GraphEdge(states[state], states[after], instance.label))
    return [GraphNode(i, state, i < initial) for state, i in states.items()], edges


SMALL = Bakery(Writers=2, MaxCrashes=0)


def test_dot_has_the_lines_that_tlc_writes():
    nodes, edges = graph_of(SMALL)
    out = io.StringIO()
    write_dot(out, nodes, edges)
    lines = out.getvalue().splitlines()
    assert lines[:5] == [
        "strict digraph DiskGraph {",
        "node [shape=box,style=rounded]",
        "nodesep=0.35;",
        "subgraph cluster_graph {",
        'color="white";',
    ]
    label = r'"((?:[^"\\]|\\.)*)"'
    initial = [m for line in lines if (m := re.fullmatch(rf"(-?\d+) \[label={label},style = filled\]", line))]
    others = [m for line in lines if (m := re.fullmatch(rf"(-?\d+) \[label={label},tooltip={label}\];", line))]
    steps = re.compile(rf'(-?\d+) -> (-?\d+) \[label={label},color="black",fontcolor="black"\];')
    found = [m.groups() for line in lines if (m := steps.fullmatch(line))]
    result = search(SMALL)
    assert (len(initial), len(initial) + len(others)) == (1, result.distinct)
    assert len(found) == result.generated - 1
    assert Counter(found) == Counter((str(e.source), str(e.target), e.action) for e in edges)
    assert initial[0][2].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\") == conjunction(nodes[0].label)
    ranks = [line.count(";") - 1 for line in lines if line.startswith("{rank = same;")]
    assert ranks == result.levels
    assert lines[-2:] == ["}", "}"]


def test_graphml_and_tables_hold_the_graph():
    nodes, edges = graph_of(SMALL)
    out, node_table, edge_table = io.BytesIO(), io.StringIO(), io.StringIO()
    write_graphml(out, nodes, edges)
    write_tables(node_table, edge_table, nodes, edges)
    root, space = ElementTree.fromstring(out.getvalue()), "{http://graphml.graphdrawing.org/xmlns}"
    keys = {k.get("id"): k.get("attr.name") for k in root.iter(f"{space}key")}
    listed = [{keys[d.get("key")]: d.text for d in n} | {"id": n.get("id")} for n in root.iter(f"{space}node")]
    linked = [(e.get("source"), e.get("target"), e[0].text) for e in root.iter(f"{space}edge")]
    rows = list(csv.DictReader(io.StringIO(node_table.getvalue())))
    assert [row["id"] for row in listed] == [row["Id"] for row in rows] == [str(n.id) for n in nodes]
    assert (
        [row["initial"] for row in listed]
        == [row["Initial"] for row in rows]
        == ["true"] + ["false"] * (len(nodes) - 1)
    )
    assert [row["pc[w1]"] for row in listed] == [row["pc[w1]"] for row in rows] == [n.label.pc["w1"] for n in nodes]
    assert linked == [(str(e.source), str(e.target), e.action) for e in edges]
    assert len({e.get("id") for e in root.iter(f"{space}edge")}) == len(edges)
    assert [
        (row["Source"], row["Target"], row["Label"], row["Type"])
        for row in csv.DictReader(io.StringIO(edge_table.getvalue()))
    ] == [(*edge, "Directed") for edge in linked]


def test_networkx_reads_the_graphml_with_its_parallel_edges():
    out, edge = io.BytesIO(), GraphEdge(0, 1, "go")
    write_graphml(
        out, [GraphNode(0, "a", True), GraphNode(1, "bell \a and \udcff")], [edge, edge._replace(action="jump"), edge]
    )
    out.seek(0)
    graph = networkx.read_graphml(out)
    assert graph.nodes["0"] == {"label": "a", "initial": True}
    assert graph.nodes["1"]["label"] == r"bell \x07 and \udcff"
    assert [data["label"] for _, _, data in graph.edges(data=True)] == ["go", "jump", "go"]


def test_networkx_reads_the_cells_of_states():
    nodes, edges = graph_of(SMALL)
    out = io.BytesIO()
    write_graphml(out, nodes, edges)
    graph = networkx.read_graphml(io.BytesIO(out.getvalue()), force_multigraph=True)
    assert [graph.nodes[name]["initial"] for name in graph] == [node.initial for node in nodes]
    for node in nodes:
        cells = {str(cell): show(value) for cell, value in node.label.items()}
        assert {name: graph.nodes[str(node.id)][name] for name in cells} == cells
    assert graph.number_of_edges() == len(edges)


def test_graphs_may_have_texts_for_nodes_and_names_for_ids():
    nodes, edges = (
        [GraphNode("a", 'x = "1" & <2>', True), GraphNode("b", "two\nlines")],
        [GraphEdge("a", "b", 'go("x")')],
    )
    out, xml, node_table = io.StringIO(), io.BytesIO(), io.StringIO()
    write_dot(out, nodes, edges)
    assert '"a" [label="x = \\"1\\" & <2>",style = filled]' in out.getvalue()
    assert '"a" -> "b" [label="go(\\"x\\")",' in out.getvalue()
    assert '"b" [label="two\\nlines",' in out.getvalue()
    write_graphml(xml, nodes, edges)
    texts = [
        data.text for data in ElementTree.fromstring(xml.getvalue()).iter("{http://graphml.graphdrawing.org/xmlns}data")
    ]
    assert texts == ['x = "1" & <2>', "true", "two\nlines", "false", 'go("x")']
    write_tables(node_table, io.StringIO(), [], [])
    assert node_table.getvalue() == "Id,Label,Initial\n"


# Permalinks --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    st.integers(0, 10_000),
    st.sampled_from(
        [
            {},
            {"Writers": 2, "AsyncParquet": True, "RestampPatch": False},
            {"Writers": ["a", "b"], "NodeParts": [["b", "a"]]},
        ]
    ),
)
@examples(20)
def test_a_permalink_re_creates_the_trace(seed, constants):
    model = get_model("bakery_v2")(**constants)
    trace = random_trace(model, seed, 12)
    line = permalink(trace)
    assert re.fullmatch(r"\S+", line)
    again = open_permalink(line, get_model)
    assert again.states == trace.states
    assert again.model.constants == model.constants
    assert str(parse_permalink(line)) == line


def test_a_permalink_of_a_lasso():
    trace = replay(Bakery(), 0, [(0, 0)], loop=1)
    line = permalink(trace)
    assert re.sub("&of=[0-9a-f]{8}$", "", line) == f"workbench:{Bakery.name}#0/0.0@1"
    again = open_permalink(line, lambda _: Bakery)
    assert (again.loop, again.back, again.states) == (1, None, trace.states)


@pytest.mark.slow
@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), max_size=3))
def test_a_permalink_keeps_what_is_watched(watches):
    trace = replay(Bakery(), 0, [(0, 0)], loop=1)
    line = permalink(trace, watches)
    assert re.fullmatch(r"\S+", line)
    assert parse_permalink(line).watches == tuple(watches)
    assert str(parse_permalink(line)) == line
    assert open_permalink(line, lambda _: Bakery).states == trace.states


def test_what_a_permalink_watches_is_not_run(tmp_path):
    path = tmp_path / "made"
    hostile = f"open({str(path)!r}, 'w')"
    line = permalink(replay(Bakery(), 0, []), [hostile])
    trace = open_permalink(line, lambda _: Bakery)
    assert parse_permalink(line).watches == (hostile,)
    assert not path.exists()
    trace_view(trace, watches=parse_permalink(line).watches)  # which is to run them: the text above was a real threat
    assert path.exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("http://example.org", "it takes workbench:MODEL"),
        ("workbench:bakery#0/&watch=", "watch = '' is not accepted; it takes an expression in one line"),
        ("workbench:bakery#0/&watch=s%0A", r"watch = 's\n' is not accepted"),
        ("workbench:bakery#0/&look=s", "it takes workbench:MODEL"),
        ("workbench:bakery#0/1.2.3", "it takes workbench:MODEL"),
        ("workbench:bakery?Writers=oops#0/", "Writers = 'oops' is not accepted; it takes a JSON value"),
        ("workbench:bakery?Writers=99#0/", "Writers = 99 is not accepted"),
        ("workbench:bakry#0/", "did you mean bakery"),
        ("workbench:bakery#0/5.0", "does not fit model bakery: step 1 cannot be begin_claim"),
        ("workbench:bakery#7/", "no initial state number 7"),
        ("workbench:bakery#0/999.0", "names action instance 999"),
        ("workbench:bakery#0/0.0&step=2", "step = 2 is not accepted; the trace has states 0 to 1"),
        ("workbench:bakery#0/0.0&of=00000000", "is of another version of model bakery, with other steps"),
    ],
)
def test_a_bad_permalink_is_refused_in_one_line(line, said):
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        open_permalink(line, get_model)
    assert "\n" not in str(caught.value)


# Continuous integration --------------------------------------------------------------------------------------------


def test_what_is_not_known_or_not_checked_is_an_error_in_junit():
    result = search(SMALL, ["UniqueTickets"])
    unknown = replace(result.verdicts[0], holds=None, why="a reason \a")
    open_result, empty = replace(result, verdicts=[unknown]), replace(result, verdicts=[])
    root = ElementTree.fromstring(to_junit([suite_of("open", open_result), suite_of("empty", empty)]))
    assert [root.get(k) for k in ("tests", "failures", "errors")] == ["2", "0", "2"]
    messages = [error.get("message") for error in root.iter("error")]
    assert messages == ["UniqueTickets is not decided: a reason \\x07", "nothing is checked"]


def suites():
    return [
        suite_of("clock", search(Clock())),
        suite_of("bakery", search(SMALL, ["UniqueTickets", "SomeoneCommits"])),
        suite_of("cut short", search(SMALL, ["UniqueTickets"], budget=Budget(states=3))),
    ]


def test_junit_counts_and_tells_failures_from_what_is_not_decided():
    root = ElementTree.fromstring(to_junit(suites()))
    assert {k: root.get(k) for k in ("tests", "failures", "errors")} == {"tests": "6", "failures": "3", "errors": "1"}
    for suite in root:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        assert suite.get("errors") == str(sum(case.find("error") is not None for case in cases))
        assert re.fullmatch(r"\d+\.\d{3}", suite.get("time"))
        assert all(case.get("classname") == suite.get("name") for case in cases)
    low = root.find("testsuite/testcase[@name='Low']/failure")
    assert low.get("message") == "Low is violated (a trace of 3 states): the hand is at 2: 100%"
    assert "tick" in low.text
    unknown = root.find("testsuite[@name='cut short']/testcase/error")
    assert unknown.get("message") == (
        "UniqueTickets is not decided: the search is incomplete: the budget of 3 states is used up"
    )
    properties = {p.get("name"): p.get("value") for p in root.findall("testsuite[@name='bakery']/properties/property")}
    assert properties["distinct"] == str(search(SMALL).distinct)
    assert json.loads(properties["constants"])["MaxCrashes"] == 0


def test_annotations_are_one_escaped_line_each():
    lines = annotations(suites(), file="specs/a,b.toml")
    assert lines[0] == (
        "::error file=specs/a%2Cb.toml,title=clock%3A Low::"
        "Low is violated (a trace of 3 states): the hand is at 2: 100%25"
    )
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::error", "::error", "::warning"]
    assert not any("\n" in line for line in lines)
    assert list(itertools.chain(*map(str.splitlines, lines))) == lines
