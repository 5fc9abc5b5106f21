"""Lays out the states of a graph: each breadth-first level is a layer, ordered by barycentres.

A step leads at most one level on, so no edge forward is longer than from one layer to the next, and none has to be
routed. The states of a trace are pinned: the trace becomes a straight line, and the rest is ordered around it.
"""

import itertools
from collections.abc import Sequence

import numpy as np

#: The number of passes over all layers, alternately forward and backward. More passes change little.
_SWEEPS = 6


def layered(levels: np.ndarray, sources: np.ndarray, targets: np.ndarray, spine: Sequence[int]) -> np.ndarray:
    """The numbers of all states, layer by layer, each layer in the order in which it is drawn.

    Args:
        levels: Each state's breadth-first level, in ascending order, int (states,).
        sources, targets: The ends of each step, int (steps,).
        spine: The states of the trace, which keep the middle of their layers; the first of a layer counts.

    Returns:
        A permutation of the states, int (states,), that depends on nothing but the arguments.
    """
    count = len(levels)
    starts = np.unique(levels, return_index=True)[1].tolist()
    layers = [slice(first, end) for first, end in itertools.pairwise([*starts, count])]
    level = np.repeat(np.arange(len(layers)), [layer.stop - layer.start for layer in layers])
    middle = {int(level[state]): state for state in reversed(spine)}
    onward = level[targets] == level[sources] + 1
    forth = _by_layer(targets[onward], sources[onward], level, len(layers))
    back = _by_layer(sources[onward], targets[onward], level, len(layers))
    order, place = np.arange(count), np.zeros(count)

    def arrange(at: int, wish: np.ndarray) -> None:
        layer = layers[at]
        size = layer.stop - layer.start
        ranked = layer.start + np.argsort(wish, kind="stable")
        if (pin := middle.get(at)) is not None:
            ranked = np.insert(ranked[ranked != pin], size // 2, pin)
        order[layer] = ranked
        place[ranked] = np.arange(size) - (size // 2 if pin is not None else (size - 1) / 2)

    for at, layer in enumerate(layers):
        arrange(at, np.zeros(layer.stop - layer.start))
    for sweep in range(_SWEEPS):
        passing = range(1, len(layers)) if sweep % 2 == 0 else range(len(layers) - 2, -1, -1)
        for at in passing:
            layer = layers[at]
            own, other = (forth if sweep % 2 == 0 else back)[at]
            size = layer.stop - layer.start
            met = np.bincount(own - layer.start, minlength=size)
            total = np.bincount(own - layer.start, place[other], size)
            arrange(at, np.where(met > 0, total / np.maximum(met, 1), place[layer]))
    return order


def _by_layer(own: np.ndarray, other: np.ndarray, level: np.ndarray, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each layer, the steps between it and an adjacent layer: their ends here, and their ends there."""
    by_level = np.argsort(level[own], kind="stable")
    ends = np.searchsorted(level[own][by_level], np.arange(count + 1))
    return [(own[by_level[a:b]], other[by_level[a:b]]) for a, b in itertools.pairwise(ends)]
