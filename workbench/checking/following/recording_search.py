"""The layered search: all states of a model that agree with a recording, observation by observation.

A layer is the set of states that the model may be in at an observation. From it the search closes under *hidden* steps,
takes *visible* ones up to the bound of the next observation, and keeps the states that agree with that: the next layer.
Layers share their memory; each keeps only how its states were reached.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.following import kernels
from workbench.checking.following.kernels import ANYTHING, FROZEN, GOAL, KEPT, UNSEEN, Aim, NodeEdges
from workbench.checking.following.names import IsNamed
from workbench.checking.following.node_search import NamedSteps, NodeSearch
from workbench.checking.kernels.serving import EDGES_FULL
from workbench.checking.trees.purity import run_again
from workbench.checking.trees.smallest import Smallest
from workbench.kernel import Machine, State, machine_of
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.trace import Move, Trace, leading_to, replay

_PAUSE = 4096  # nodes expanded between two checks of the limits
_MOST_EDGES = 500_000  # of a layer; with more, ways are not counted
_TREES = 16 << 20  # bytes of trees and numbers before they start anew: values that do not recur make both large
_FEW_LAYERS = 16
_NO_EDGES = NodeEdges(np.empty(0, np.int32), np.empty(0, np.int32))
_NO_NAMES = np.zeros((0, 1), np.bool_)


class Target(NamedTuple):
    """The next observation.

    Attributes:
        values: The cells seen next, with their values.
        kept: A step is hidden if it changes none of these cells; None if every step is visible.
        steps: The most visible steps.
        name: The name of the last step.
    """

    values: Mapping[int, Any]
    kept: Collection[int] | None
    steps: int = 1
    name: str | None = None


@dataclass
class _Layer:
    """The steps of `memoized` by which the states of a layer were reached."""

    parent: np.ndarray
    step: np.ndarray
    goals: np.ndarray
    memoized: list[tuple[int, int]]


class Layers:
    """The layers of a search, one after the other.

    Args:
        watched: Cells that no step changes unless the next observation names them.
        irrelevant: Cells that do not distinguish states.
        is_named: Returns the test for steps of a name.

    Attributes:
        ways: For each state of the last layer the number of ways to reach it; ``math.inf`` if hidden steps form a cycle
            on the way, None if there are too many to count.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model = machine_of(Bakery(Writers=2, MaxCrashes=0))
        >>> ticket = model.layout.positions["next_ticket"]
        >>> layers = Layers(model, Limits())
        >>> layers.begin(model.initial_states()), layers.advance(Target({ticket: 3}, kept=[ticket], steps=2))
        (1, 20)
        >>> len(layers.path(0)[1][0]), sum(layers.ways)
        (4, 340)
    """

    def __init__(
        self,
        model: Machine,
        limits: Limits,
        watched: frozenset[int] | None = None,
        irrelevant: frozenset[int] = frozenset(),
        is_named: Callable[[str], IsNamed] | None = None,
    ) -> None:
        self.model, self._limits = model, limits
        self._search = NodeSearch(model, salted=True, irrelevant=irrelevant)
        self._is_named, self._labels = is_named, dict[str, NamedSteps]()
        self._layers: list[_Layer] = []
        self._watched = watched
        self._starts: list[int] = []
        self._before = 0  # nodes of the layers before this one
        self._kept: Collection[int] | None = None
        self._room, self._renewed = _TREES, 0
        width = len(model.layout.cells)
        self._values = np.full(width, ANYTHING, np.int32)
        self._role = np.zeros(width, np.uint8)
        if self._watched is not None:
            self._role[list(self._watched)] = KEPT | FROZEN
        self._edges = NodeEdges(np.empty(1024, np.int32), np.empty(1024, np.int32))
        self.ways: list[Any] | None = []

    # Layers ------------------------------------------------------------------------------------------------------

    def begin(self, states: Iterable[State], agrees: Callable[[State], bool] = lambda state: True) -> int:
        """Make the first layer of the states that agree; returns their number."""
        search = self._search
        seen: set[State] = set()
        for number, state in enumerate(states):
            if state not in seen and agrees(state):
                seen.add(state)
                search.add(state, mark=0)
                self._starts.append(number)
        self.ways = [1] * search.count
        return search.count

    @property
    def candidates(self) -> int:
        """The number of states in the last layer."""
        return len(self._layers[-1].goals) if self._layers else len(self._starts)

    @property
    def states(self) -> int:
        """The number of states visited, in all layers."""
        return self._before + self._search.count

    @property
    def nbytes(self) -> int:
        held = sum(layer.parent.nbytes + layer.step.nbytes + layer.goals.nbytes for layer in self._layers[-1:])
        return self._search.nbytes + 8 * self._before + held + sum(part.nbytes for part in self._edges)

    def advance(self, target: Target) -> int:
        """Make the next layer; returns its size. At 0 the last layer stays, and the states that it reaches."""
        search = self._search
        if search.tree_bytes > self._room:
            self._renew()
        search.begin(search.count)
        values = target.values
        seen = np.fromiter(values, np.int64, len(values))
        self._assign_roles(target, seen)
        edges = _NO_EDGES if self.ways is None else self._edges
        with leading_to(self._trace_of):
            self._expand(target, seen, self._role, edges)
        if self._watched is not None:
            self._role[seen] = [KEPT | FROZEN if cell in self._watched else 0 for cell in values]
        return self._take()

    def go_anywhere(self, values: Mapping[int, Any]) -> int:
        """Make the next layer of all reachable states with these values, by any steps."""
        self._search.begin(self._search.count)
        seen = np.fromiter(values, np.int64, len(values))
        counted, self.ways = self.ways, None
        with leading_to(self._trace_of):
            self._expand(Target(values, ()), seen, np.zeros_like(self._role), _NO_EDGES)
        size = self._take()
        self.ways = None if counted is None else [1] * size
        return size

    def _expand(self, target: Target, seen: np.ndarray, role: np.ndarray, edges: NodeEdges) -> None:
        search, named = self._search, None if target.name is None else self._named(target.name)
        search.cursor[kernels.EDGES] = 0
        unseen = target.values

        def aim() -> Aim:
            nonlocal unseen
            unseen = self._resolve(unseen)
            allowed = _NO_NAMES if named is None else named.array
            return Aim(self._values, seen, role, target.steps, target.kept is not None, allowed, edges)

        while search.run(kernels.follow, aim, self._check, _PAUSE) == EDGES_FULL:
            edges = self._widen_edges()
        self._check()
        self._values[seen] = ANYTHING

    def _check(self) -> None:
        search = self._search
        self._limits.room(self.states - 1)
        self._limits.check(
            len(self._layers), self.states, search.count - int(search.cursor[kernels.NODE]), lambda: self.nbytes
        )

    def _named(self, name: str) -> NamedSteps:
        if name not in self._labels:
            assert self._is_named is not None
            self._labels[name] = NamedSteps(self._search.trees, [self._is_named(name)])
        return self._labels[name]

    def _assign_roles(self, target: Target, seen: np.ndarray) -> None:
        """Note for each cell whether steps may change it."""
        if self._watched is not None:
            self._role[seen] &= KEPT
        elif self._kept is not target.kept:
            self._role[list(self._kept or ())] = 0
            self._role[list(target.kept or ())] = KEPT
            self._kept = target.kept

    def _resolve(self, values: Mapping[int, Any]) -> dict[int, Any]:
        """Look up the numbers of wanted values; returns those values that no state has had so far."""
        unseen, cells = {}, self._search.cells
        for cell, value in values.items():
            number = cells.find(cell, value)
            if number is None:
                unseen[cell] = value
            self._values[cell] = UNSEEN if number is None else number
        return unseen

    def _widen_edges(self) -> NodeEdges:
        """Double the room for edges; no room at all if there are too many to count."""
        room = 2 * len(self._edges.source)
        if room > _MOST_EDGES:
            self.ways = None
            return _NO_EDGES
        old, self._edges = self._edges, NodeEdges(np.empty(room, np.int32), np.empty(room, np.int32))
        for part, new in zip(old, self._edges, strict=True):
            new[: len(part)] = part
        return self._edges

    def _take(self) -> int:
        """Make the goals the states of the next layer."""
        search, nodes, count = self._search, self._search.nodes, self._search.count
        goals = np.flatnonzero(nodes.mark[:count] == GOAL)
        if not len(goals):
            return 0
        if self.ways is not None:
            used = int(search.cursor[kernels.EDGES])
            ways = count_ways(self.ways, count, self._edges.source[:used], self._edges.target[:used])
            self.ways = [ways[goal] for goal in goals.tolist()]
        self._layers.append(_Layer(nodes.parent[:count].copy(), nodes.step[:count].copy(), goals, search.trees.steps))
        self._before += count
        kept = len(goals)
        nodes.rows[:kept], nodes.sums[:kept] = nodes.rows[goals], nodes.sums[goals]
        nodes.mark[:kept], nodes.parent[:kept], nodes.step[:kept] = 0, -1, np.arange(kept)
        search.cursor[kernels.COUNT] = kept
        return kept

    def _renew(self) -> None:
        """Number values anew and drop the trees: a long log keeps bringing new values."""
        if len(self._layers) - self._renewed < _FEW_LAYERS:
            self._room *= 2  # all of it is in use
        self._renewed = len(self._layers)
        search = self._search
        states = [search.state(node) for node in range(search.count)]
        search.forget()
        self._labels.clear()
        for node, state in enumerate(states):
            row = search.cells.encode(state)
            search.nodes.rows[node], search.nodes.sums[node] = row, search.cells.sums(row)[0]

    def run_again(self) -> None:
        """Raise :class:`ModelError` if the model behaves differently when it is run again."""
        run_again(self._search.trees)

    # What was found ----------------------------------------------------------------------------------------------

    def path(self, candidate: int) -> tuple[int, list[list[Move]]]:
        """The way to a state of the last layer: the number of the first state, then the moves of each layer."""
        return self._path(self._layers, candidate)

    def _trace_of(self, error: ModelError) -> Trace | None:
        """The trace to the state being expanded, where the model's error was raised."""
        if error.met is None:
            return None
        nodes, here = self._search.nodes, self._search.cursor[[kernels.NODE]]
        start, parts = self._path([*self._layers, _Layer(nodes.parent, nodes.step, here, self._search.trees.steps)], 0)
        return replay(self.model, start, [move for part in parts for move in part])

    def _path(self, layers: Sequence[_Layer], candidate: int) -> tuple[int, list[list[Move]]]:
        parts = []
        for layer in reversed(layers):
            moves, node = [], int(layer.goals[candidate])
            while layer.parent[node] >= 0:
                if layer.step[node] >= 0:
                    moves.append(Move(*layer.memoized[layer.step[node]]))
                node = int(layer.parent[node])
            candidate = int(layer.step[node])
            parts.append(moves[::-1])
        return self._starts[candidate], parts[::-1]

    def last(self) -> frozenset[Any]:
        """The states of the last layer."""
        return frozenset(self._search.state(node) for node in range(self.candidates))

    def reached(self, values: Mapping[int, Any], most: int) -> list[tuple[int, Any]]:
        """Up to `most` states that the last layer reaches, after :meth:`advance` has found nothing.

        The states nearest to `values` come first, each with the number of visible steps that lead to it.
        """
        search, nodes = self._search, self._search.nodes
        self._resolve(values)
        cells = np.fromiter(values, np.int64, len(values))
        differing = np.zeros(search.count, np.int64)
        for first in range(0, search.count, _PAUSE):
            some = slice(first, min(first + _PAUSE, search.count))
            differing[some] = (nodes.rows[some][:, cells] != self._values[cells]).sum(axis=1)
        self._values[cells] = ANYTHING
        nearest = np.argsort(differing, kind="stable")
        if len(nearest) > most:  # spread over the states that differ equally
            tied = np.flatnonzero(differing == differing[nearest[most]])
            nearer = int((differing < differing[nearest[most]]).sum())
            spread = np.linspace(0, len(tied) - 1, most - nearer).astype(np.int64)
            nearest = np.concatenate([nearest[:nearer], tied[spread]])
        return [(int(nodes.mark[node]), search.state(node)) for node in nearest.tolist()]


def count_ways(before: Sequence[Any], count: int, source: np.ndarray, target: np.ndarray) -> list[Any]:
    """The number of ways to each of `count` nodes; ``math.inf`` on and after a cycle.

    Args:
        before: The number of ways to each of the first nodes, before any edge.
        source, target: The edges, in the order of their sources.

    Examples:
        >>> count_ways([2], 4, np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3]))
        [2, 2, 2, 4]
        >>> count_ways([1], 3, np.array([0, 1, 1]), np.array([1, 1, 2]))
        [1, inf, inf]
    """
    ways: list[Any] = [*before, *[0] * (count - len(before))]
    waiting = np.bincount(target, minlength=count).tolist()
    first = np.searchsorted(source, np.arange(count + 1)).tolist()
    targets = target.tolist()
    ready = [node for node in range(count) if not waiting[node]]
    while ready:
        node = ready.pop()
        mine = ways[node]
        for after in targets[first[node] : first[node + 1]]:
            ways[after] = math.inf if math.inf in (mine, ways[after]) else ways[after] + mine
            waiting[after] -= 1
            if not waiting[after]:
                ready.append(after)
    return [math.inf if left else number for number, left in zip(ways, waiting, strict=True)]


@cache
def load_layers() -> None:
    """Compile the kernels, or load them from Numba's cache, so that no search waits for them."""
    layers = Layers(machine_of(Smallest), Limits())
    layers.begin(machine_of(Smallest).initial_states())
    layers.advance(Target({0: 1}, kept=None))
