"""Whole state graphs: their layout, and the data that a page draws them from."""

import time
from typing import Any

import numpy as np
import pytest

from tests.showing.packed import unpacked
from workbench import Model, Variable, action, check, get_model
from workbench.checking.spaces.space import StateSpace, explore
from workbench.kernel import Trace
from workbench.kernel.meaning.budget import Budget
from workbench.kernel.meaning.state import texts_of
from workbench.showing import view
from workbench.showing.session.jobs import Job
from workbench.showing.session.result_cache import Kept
from workbench.showing.view.graph.layered import layered


def shape(width: int, depth: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels of the same width, each state with three steps on, and steps that go back."""
    levels = np.repeat(np.arange(1, depth + 1), width)
    sources = np.repeat(np.arange(width * (depth - 1)), 3)
    draw = np.random.default_rng(7)
    targets = draw.integers(0, width, len(sources)) + (sources // width + 1) * width
    back = draw.integers(0, width * depth, (2, width))
    return levels, np.concatenate([sources, back.max(axis=0)]), np.concatenate([targets, back.min(axis=0)])


def test_layers_are_levels_and_each_state_stands_once() -> None:
    levels, sources, targets = shape(30, 8)
    order = layered(levels, sources, targets, [])
    assert sorted(order.tolist()) == list(range(len(levels)))
    assert (levels[order] == levels).all()
    assert (order == layered(levels, sources, targets, [])).all()


def test_barycentres_undo_crossings() -> None:
    """Three chains that were numbered crosswise run side by side."""
    levels = np.repeat([1, 2, 3], 3)
    sources, targets = np.arange(6), np.array([5, 4, 3, 7, 6, 8])
    first, second, third = layered(levels, sources, targets, []).reshape(3, 3).tolist()
    follows = dict(zip(sources.tolist(), targets.tolist(), strict=True))
    assert [follows[state] for state in first] == second
    assert [follows[state] for state in second] == third


def test_the_spine_is_in_the_middle_of_its_layers_and_the_rest_beside_what_leads_to_it() -> None:
    levels, sources, targets = shape(30, 8)
    spine = [7, 59, 60, 100, 95]  # the last two share a layer: its first one counts
    layers = layered(levels, sources, targets, spine).reshape(8, 30)
    assert layers[:4, 15].tolist() == spine[:4]
    place = np.empty(240)
    place[layers] = np.arange(30)
    onward = levels[targets] == levels[sources] + 1
    aside = np.abs(place[targets] - place[sources])[onward].mean()
    assert aside < 0.85 * np.abs(targets % 30 - sources % 30)[onward].mean()


def test_one_state_and_none() -> None:
    none = np.zeros(0, int)
    assert layered(np.array([1]), none, none, [0]).tolist() == [0]
    assert layered(none, none, none, []).tolist() == []


def test_ten_times_the_states_cost_less_than_fifteen_times_the_time() -> None:
    def cost(width: int) -> float:
        levels, sources, targets = shape(width, 12)
        times = []
        for _ in range(5):
            began = time.process_time()
            layered(levels, sources, targets, [0, width, 2 * width])
            times.append(time.process_time() - began)
        return min(times)

    assert cost(420) < 15 * cost(42), "5,040 states and 504"


# What a page draws --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def race() -> StateSpace:
    return explore(get_model("paimon")(PUT_IF_ABSENT=False))


@pytest.mark.slow
def test_a_graph_has_every_state_and_every_step(race: StateSpace) -> None:
    graph, result = view.whole_graph(race), race.result
    assert isinstance(graph, view.WholeGraph)
    data = unpacked(graph.html(), "graph")
    assert (len(graph), sum(data["levels"]), len(data["levels"])) == (result.distinct, result.distinct, result.depth)
    assert len(data["sources"]) == len(data["targets"]) == len(data["steps"]) == result.generated - data["levels"][0]
    assert graph.text() == f"paimon: {result.distinct:,} states, {len(race.sources):,} steps"
    for step in range(0, len(race.sources), 97):
        assert data["labels"][data["steps"][step]] == race.label(step)
    for number in range(0, len(race), 151):
        texts = {known["name"]: known["values"][known["of"][number]] for known in data["variables"]}
        assert texts == texts_of(race.state(number))
    assert data["violated"] == {"ConsistentRead": np.flatnonzero(~race.holds("ConsistentRead")).tolist()}


@pytest.mark.slow
def test_the_trace_of_what_is_violated_is_lit_unless_another_is_given(race: StateSpace) -> None:
    def states(trace: Trace | None) -> list[Any]:
        return [race.state(number) for number in unpacked(view.whole_graph(race, trace=trace).html(), "graph")["path"]]

    shortest, other = race.result["ConsistentRead"].trace, race.trace_to(len(race) - 1)
    assert shortest is not None
    assert states(None) == shortest.states
    assert states(other) == other.states


@pytest.mark.slow
def test_a_lasso_has_its_loop() -> None:
    lasso = next(v.trace for v in check(get_model("paimon")(PUT_IF_ABSENT=False)).violated if v.kind == "liveness")
    assert lasso is not None
    data = unpacked(view.whole_graph(explore(lasso.model), trace=lasso).html(), "graph")
    assert (data["loop"], len(data["path"])) == (lasso.loop, len(lasso))


@pytest.mark.slow
def test_under_symmetry_the_counts_are_one_and_the_trace_is_that_of_representatives() -> None:
    model = get_model("bakery_v2")(Writers=2, AsyncParquet=True, RestampPatch=False)
    space = explore(model, ["NoLakekeeperConflict"], symmetry=True)
    whole = explore(model, ["NoLakekeeperConflict"], symmetry=False)
    assert len(space) == space.result.distinct < len(whole)
    graph = view.whole_graph(space)
    data = unpacked(graph.html(), "graph")
    trace = space.result["NoLakekeeperConflict"].trace
    assert trace is not None
    assert [space.number_of(state) for state in trace.states] == data["path"]
    assert {space.number_of(whole.state(number)) for number in range(len(whole))} == set(range(len(space)))
    assert "note: A state represents all that differ from it only in which of Writers is which" in graph.text()


def test_a_state_that_is_not_there_has_no_number(race: StateSpace) -> None:
    part = explore(race.model, [], budget=Budget(states=20))
    assert part.number_of(race.state(3)) == 3
    assert part.number_of(race.state(1_500)) is None
    graph = view.whole_graph(part, trace=race.trace_to(1_500))
    assert unpacked(graph.html(), "graph")["path"] == []
    assert "The trace is not shown, since it leaves these states" in graph.text()
    assert f"These are the first {len(part)} states of a search that was not completed" in graph.text()


@pytest.mark.slow
def test_too_many_states_are_no_graph_and_no_sample(race: StateSpace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.showing.view.graph.whole.MOST_STATES", 1_532)
    shown = view.whole_graph(race)
    said = "A graph of 1,533 states is not drawn whole; that takes at most 1,532. A density counts them all,"
    assert shown.text().startswith(said)
    assert "wb-whole" not in shown.html()
    page = view.report(race.result, space=race)
    assert said in page
    assert "data-graph" not in page


@pytest.mark.slow
def test_a_page_has_the_pictures_of_the_trace_before_others(race: StateSpace) -> None:
    markup = view.whole_graph(race).html()
    drawn = unpacked(markup, "pictures")
    assert set(map(str, unpacked(markup, "graph")["path"])) <= set(drawn)
    assert f"Pictures appear at {len(drawn)} of 1,533 states" in markup


HOSTILE = '"><script>alert(1)</script><img src=x onerror="alert(2)">'


class Hostile(Model):
    """Says what a page must not take for markup."""

    said = Variable("at first")

    @action
    def say(self, s: Any) -> None:
        s.said = HOSTILE


def test_hostile_values_are_no_markup() -> None:
    page = view.page("hostile", view.whole_graph(explore(Hostile(), [])).html())
    assert HOSTILE not in page
    assert "<img src=x" not in page
    assert HOSTILE in str(unpacked(page, "graph")["variables"])


def test_the_states_kept_for_a_panel_are_those_that_its_header_counts() -> None:
    result = check(get_model("bakery_v2")(Writers=2), ["NoLakekeeperConflict"], symmetry=True)
    assert result.symmetry == ("Writers",)
    assert len(Kept(result).space(Job())) == result.distinct
