"""A constant that a configuration replaces, as ``C <- Definition`` does, is a choice of the definitions that fit."""

import pickle

import pytest

from tests.showing.panels import enter, find
from tests.tlaplus.trees import module_of
from workbench import check, sweep
from workbench.formats.permalink import open_permalink, permalink
from workbench.kernel import InputError
from workbench.registry.configurations import configuration
from workbench.showing.panel.controls import Controls
from workbench.showing.session import Session, opening
from workbench.showing.session.stories import in_sight
from workbench.tlaplus.machine.specification import module_of_text

RING = module_of(
    r"""EXTENDS Naturals, FiniteSets
CONSTANTS Nodes, \* who takes part
          Limit, Step(_, _), Seen, Fast
ASSUME Some == Cardinality(Nodes) > 1
VARIABLES at, sum
Base == {0, 1}
Ends == Nodes \cup {0}
Init == at \in Nodes /\ sum = 0 /\ 0 \in Base
Next == sum < Limit /\ \E n \in Nodes : n # at /\ at' = n /\ sum' = Step(sum, n)
Here == {at}
Small == sum < 7
Two == {1, 2}
Three == Two \cup {3}
Few == {1}
Five == 5
Eight == Five + 3
Plus(a, b) == a + b
Most(a, b) == IF a > b THEN a + 1 ELSE b + 1
Later(a, b) == at + b
Yes == TRUE
Unread == CHOOSE n : n \notin Nat""",
    name="Ring",
)
CFG = """CONSTANTS Nodes <- Two Limit <- Five Step <- Plus Seen = 1 Fast <- Yes
INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE"""
MODEL = module_of_text(RING, CFG)

#: The distinct states, depth and generated states that TLC has for a .cfg of these definitions, without the invariant:
#: tlaplus/tlaplus at cc6b616cf, with one worker.
FIGURES = {
    ("Two", "Five", "Most"): (6, 4, 7),
    ("Three", "Five", "Plus"): (16, 4, 23),
    ("Three", "Eight", "Plus"): (25, 5, 41),
}


def domain(model, name):
    return [*model.declared.constants[name].domain]


def test_the_definitions_that_fit_are_offered_the_configurations_first():
    offered = {name: domain(MODEL, name) for name in MODEL.declared.constants if name != "Seen"}
    assert offered == {
        "Nodes": ["Two", "Three", "Few"],
        "Limit": ["Five", "Eight"],
        "Step": ["Plus", "Most"],
        "Fast": ["Yes"],
    }
    assert in_sight(MODEL) == ["Nodes", "Limit", "Step", "Seen"]
    assert MODEL.declared.constants["Nodes"].doc == "who takes part; Two in the configuration"


def test_they_are_the_same_whichever_of_them_the_configuration_names():
    other = module_of_text(RING, CFG.replace("<- Two", "<- Three"))
    assert domain(other, "Nodes") == ["Three", "Two", "Few"]


def test_what_another_constant_has_is_not_offered():
    both = module_of("CONSTANTS A, B", "VARIABLE x", "Init == x = A", "Next == x' = B", "P == 1", "Q == 2", "R == 3")
    model = module_of_text(both, "CONSTANTS A <- P B <- Q INIT Init NEXT Next")
    assert (domain(model, "A"), domain(model, "B")) == (["P", "R"], ["Q", "R"])


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("definitions", FIGURES)
def test_a_choice_has_the_figures_of_a_configuration_that_names_it(definitions, engine):
    result = check(MODEL(**dict(zip(("Nodes", "Limit", "Step"), definitions, strict=True))), engine=engine)
    assert (result.distinct, result.depth, result.generated) == FIGURES[definitions]


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"Nodes": "Few"}, "Ring.tla:5:1: what is assumed here is false with these constants: "),
        ({"Nodes": "Five"}, "Nodes = 'Five' is not accepted; it takes one of Two, Three, Few"),
        ({"Nodes": 3}, "Nodes = 3 is not accepted; it takes one of Two, Three, Few"),
    ],
)
def test_a_choice_that_does_not_fit_is_refused_in_one_line(constants, message):
    with pytest.raises(InputError) as refused:
        MODEL(**constants)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_definitions_that_use_each_others_constants_are_refused():
    text = module_of(
        "EXTENDS Integers",
        "CONSTANTS A, B",
        "VARIABLE x",
        "Init == x = A",
        "Next == x' = B",
        "P == 1",
        "Q == 2",
        "R == A - 1",
        "S == B - 1",
    )
    circle = module_of_text(text, "CONSTANTS A <- S B <- Q INIT Init NEXT Next")
    assert (domain(circle, "A"), domain(circle, "B")) == (["S", "P"], ["Q", "P", "R"])
    with pytest.raises(InputError, match=r"^M.cfg: line 1: A <- S is a circle: S at M.tla:10:1 uses A$"):
        circle(B="R")


def test_it_is_a_setting_as_any_other():
    model = MODEL(Nodes="Three")
    assert (repr(model), type(model)) == ("Ring(Nodes='Three')", MODEL)
    assert MODEL(**model.spelled()).constants == model.constants
    again = pickle.loads(pickle.dumps(model))
    assert (type(again), check(again).distinct) == (MODEL, 16)
    assert pickle.loads(pickle.dumps(model.configured)) is model.configured
    asked, _ = model.asking(["Cardinality(Nodes) = 3"])
    assert (domain(asked, "Fast"), check(asked)["Cardinality(Nodes) = 3"].holds) == (["Yes"], True)
    assert model.changed(Nodes="Two").initial_states() == MODEL().initial_states()


def test_a_permalink_has_it():
    trace = check(MODEL(Nodes="Three"))["Small"].trace
    link = permalink(trace)
    assert 'Nodes="Three"' in link
    assert open_permalink(link, lambda name: MODEL).states == trace.states


def test_a_sweep_and_a_configuration_set_it(tmp_path):
    table = sweep(MODEL, {"Nodes": ["Three"], "Limit": ["Five", "Eight"]})
    assert [*table["distinct"]] == [16, 25]
    (tmp_path / "Ring.tla").write_text(RING)
    (tmp_path / "Ring.cfg").write_text(CFG)
    (tmp_path / "ring.toml").write_text('model = "Ring.tla"\n[constants]\nNodes = "Three"\n')
    assert configuration(str(tmp_path / "ring.toml")).model.constants["Nodes"] == "Three"


def test_list_shows_them(run, tmp_path):
    (tmp_path / "Ring.tla").write_text(RING)
    (tmp_path / "Ring.cfg").write_text(CFG)
    assert "Nodes  Two      one of Two, Three, Few" in run("list", tmp_path / "Ring.tla").out


def test_the_panel_has_a_list_for_it():
    controls = Controls(MODEL, lambda: None, in_sight(MODEL))
    controls.assign(MODEL().constants)
    assert [*find(controls.near, "Nodes").options] == ["Two", "Three", "Few"]
    assert [*find(controls, "Fast").options] == ["Yes"]  # under More settings
    enter(controls.near, "Nodes", "Three")
    session = Session(opening(MODEL, {}))
    for constants, word in (({}, "holds"), (controls.values(), "violated"), ({"Nodes": "Two"}, "holds")):
        session.apply(constants)
        assert session.settle(300)
        assert (session.error, session.result["Small"].word) == (None, word)
    session.tell()
