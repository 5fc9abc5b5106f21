"""Whole state graphs: their layout, and the data that a page draws them from."""

import time

import numpy as np

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
