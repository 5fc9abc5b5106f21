"""Densities: the data that a page draws them from, where they stand, and the way from them into the player."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.places import ROOT
from tests.showing.packed import unpacked
from tests.showing.panels import choose_state, everything
from workbench import Density, Model, Variable, action, check, choose, get_model, invariant
from workbench.checking.spaces.space import StateSpace, explore
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.state import texts_of
from workbench.showing import view
from workbench.showing.panel.whole import GraphPane

RACE = get_model("paimon")(PUT_IF_ABSENT=False)
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '"><script>alert(1)</script><img src=x onerror="alert(2)">'


@pytest.fixture(scope="module")
def race() -> StateSpace:
    return explore(RACE)


@pytest.mark.slow
def test_a_page_has_the_cube_its_lenses_and_a_state_of_each_tuple(race: StateSpace) -> None:
    shown, cube = view.density(race), race.cube()
    data = unpacked(shown.html(), "density")
    assert (data["states"], data["fault"], sum(data["counts"])) == (len(race), "ConsistentRead", len(race))
    assert sum(data["wrong"]) == int((~race.holds("ConsistentRead")).sum()) == 504
    assert data["levels"] == cube.levels.tolist()
    assert [lens["name"] for lens in data["lenses"]] == [lens.name for lens in cube.lenses]
    read = [lens["name"] for lens in data["lenses"] if lens["read"]]
    assert read == ["log", "bucket_files", "snapshots", "sequence", "columns"]
    for at in range(0, len(cube), 41):
        texts = texts_of(race.state(data["samples"][at]))
        assert {one["name"]: one["values"][one["of"][at]] for one in data["variables"]}.items() <= texts.items()
    assert shown.text().startswith("paimon: 1,533 states by depth, 504 of them violate ConsistentRead\n")


def test_the_trace_goes_through_the_tuples_of_its_states(race: StateSpace) -> None:
    trace = race.result["ConsistentRead"].trace
    assert trace is not None
    path = unpacked(view.density(race).html(), "density")["path"]
    numbers = [race.number_of(state) for state in trace.states]
    assert [step["tuple"] for step in path] == race.cube().tuples[numbers].tolist()
    assert [step["label"] for step in path] == [step.label for step in trace.steps]


def test_the_picture_on_the_first_page_is_the_one_that_is_drawn(race: StateSpace) -> None:
    drawn = f"{view.density(race).svg()}\n"
    assert (ROOT / "docs" / "pictures" / "space.svg").read_text(encoding="utf-8") == drawn


def test_a_picture_has_a_bin_for_each_depth_and_value_with_states(race: StateSpace) -> None:
    cube, root = race.cube(), ElementTree.fromstring(view.density(race).svg())
    (at,) = (at for at, lens in enumerate(cube.lenses) if lens.name == "manifest")
    bins = set(zip(cube.levels.tolist(), cube.columns[at].tolist(), strict=True))
    squares = [shape.attrib for shape in root.iter(f"{SVG}rect") if "fill-opacity" in shape.attrib]
    assert len({(square["x"], square["y"]) for square in squares}) == len(squares) == len(bins)
    assert max(float(square["fill-opacity"]) for square in squares) == 1
    line = next(root.iter(f"{SVG}polyline"))
    assert len(line.attrib["points"].split()) == len(race.result["ConsistentRead"].trace or ())


def test_it_says_what_a_state_represents_and_what_is_not_there() -> None:
    model = get_model("bakery_v2")(Writers=2, AsyncParquet=True, RestampPatch=False)
    shown = view.density(explore(model, ["NoLakekeeperConflict"], symmetry=True))
    assert "note: A state represents all that differ from it only in which of Writers is which" in shown.text()
    assert "note: Under symmetry all counts are of representatives" in shown.text()
    part = view.density(explore(RACE, [], budget=Budget(states=300)))
    assert "note: These are the first" in part.text()
    assert "uncertainty" not in part.text()


@pytest.mark.slow
def test_a_page_of_a_result_shows_the_density_of_what_is_too_large_for_a_graph(
    race: StateSpace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "data-density" not in view.report(race.result, space=race)
    monkeypatch.setattr("workbench.showing.view.graph.whole.MOST_STATES", 1_532)
    page = view.report(race.result, space=race)
    assert "openDensity = async" in page
    assert "openStates = async" not in page
    assert unpacked(page, "density")["states"] == 1_533


@pytest.mark.slow
def test_the_widget_plays_a_shortest_trace_to_the_state_that_is_chosen(race: StateSpace) -> None:
    shown: Any = Density(race)
    assert (shown.state, shown.trace) == (None, None)
    assert "data-asks" in everything(shown)
    pane = next(part for part in shown.content.children if isinstance(part, GraphPane))
    for state, by_hand, then in ((1_500, False, None), (1_500, True, 1_500), (1_533, True, 1_500)):
        choose_state(pane, state, by_hand)
        assert shown.state == then
    assert shown.trace.states == race.trace_to(1_500).states
    assert len(shown.trace) == race.levels[1_500]


@pytest.mark.slow
def test_the_widget_searches_the_model_of_a_result_again() -> None:
    result = check(RACE, ["ConsistentRead"])
    assert repr(Density(result)) == "Density of paimon: 1,533 states by depth, 504 of them violate ConsistentRead"


class Hostile(Model):
    """Says what a page must not take for markup."""

    said = Variable("at first")
    count = Variable(0)

    @action(name_of_step="names")
    def say(self, s: Any, name_of_step: str) -> None:
        s.said, s.count = name_of_step, choose((1, 2))

    names = (HOSTILE, "calm")

    @invariant
    def Calm(self, s: Any) -> bool:
        return s.said != HOSTILE


def test_hostile_values_are_no_markup() -> None:
    page = view.page("hostile", view.density(explore(Hostile())).html())
    assert HOSTILE not in page
    assert "<img src=x" not in page + view.density(explore(Hostile())).svg()
    assert HOSTILE in str(unpacked(page, "density")["lenses"])


def test_no_state_and_no_lens_are_no_error() -> None:
    shown = view.density(explore(Hostile(), [], budget=Budget(states=1)))
    data = unpacked(shown.html(), "density")
    assert ElementTree.fromstring(shown.svg()).tag == f"{SVG}svg"
    assert len(data["counts"]) <= 2
    assert np.sum(data["counts"]) == data["states"]
