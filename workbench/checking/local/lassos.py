"""Liveness over arrays: fair lassos by strongly connected components, linear in the transitions.

Definitions are in ``docs/properties.md``; :mod:`workbench.kernel.meaning.temporal` is the readable reference, by
another method.

1. A breadth-first search finds shortest ways to all allowed states, by way of an entry. The nearest one in which no
   condition is enabled gives the smallest lasso that stops. A goal that must always hold takes one more such search:
   its entries are the states without the goal that the first has reached, and all states are allowed.
2. States on no cycle are dropped, and the strongly connected components of the rest computed. A weak condition rules
   out a component in which it is enabled everywhere and has no step. If a strong condition is enabled in a component
   but has no step in it, the states where it is enabled are removed, and the components computed again (Lichtenstein
   and Pnueli, *Checking that finite state concurrent programs satisfy their linear specification*, POPL 1985). Each
   component that remains holds a fair cycle.
3. A cycle is built from the nearest states of such components: along shortest paths to what the conditions still
   demand, then home, with shortcuts where the cycle stays fair. The smallest lasso wins.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.local.components import fair_components
from workbench.checking.trees.fair_labels import barred
from workbench.kernel.meaning.lasso import Lasso
from workbench.kernel.meaning.properties import ALWAYS_KINDS, INITIAL_KINDS
from workbench.kernel.meaning.steps import Fairness

# Search for cycles from each state in turn, and stop after visiting as many transitions as the graph has, or
# _LEAST_EFFORT in a small graph. The overhead of each search counts as _SEARCH transitions.
_LEAST_EFFORT, _SEARCH = 500_000, 500
_NO_LABELS = np.empty(0, np.int32)


@dataclass(frozen=True)
class Graph:
    """A state graph as arrays; every state can be reached from an initial one.

    Attributes:
        indptr: Transitions ``indptr[s]`` to ``indptr[s + 1] - 1`` leave state s.
        labels: The label of each transition, see :mod:`workbench.checking.trees.fair_labels`.
        initial: States 0 to `initial` - 1 are initial.
        leaving: Sources and labels of the transitions that leave the graph: their actions are enabled there.
    """

    indptr: np.ndarray
    targets: np.ndarray
    labels: np.ndarray
    initial: int
    leaving: tuple[np.ndarray, np.ndarray] = (np.empty(0, np.int64), np.empty(0, np.int32))


class _Conditions(NamedTuple):
    """Fairness conditions, one per row: whether it is strong, the states that enable it, and its labels.

    The conditions of a label are ``of[first[label]]`` to ``of[first[label + 1] - 1]``.
    """

    strong: np.ndarray
    enabled: np.ndarray
    own: np.ndarray
    first: np.ndarray
    of: np.ndarray

    @classmethod
    def build(cls, strong: np.ndarray, enabled: np.ndarray, own: np.ndarray) -> "_Conditions":
        first = np.append(0, np.cumsum(own.sum(axis=0)))
        # A single number would be contiguous, and many are not: to Numba, other types, and another kernel to compile.
        return cls(strong, enabled, own, first, np.ascontiguousarray(own.T.nonzero()[1]))

    def among(self, rows: Collection[int]) -> "_Conditions":
        """Some of these conditions."""
        if len(rows) == len(self.strong):
            return self
        chosen = list(rows)
        return self.build(self.strong[chosen], self.enabled[chosen], self.own[chosen])


class _Routes(NamedTuple):
    """Shortest ways: the reachable states, nearest first; their distances; the last transitions (-1: none)."""

    order: np.ndarray
    distance: np.ndarray
    via: np.ndarray


class LassoFinder:
    """Finds fair lassos in one graph; data common to all formulas is computed once."""

    def __init__(
        self,
        graph: Graph,
        fairness: Sequence[Fairness],
        enabled: Mapping[int, np.ndarray] = MappingProxyType({}),
    ) -> None:
        self._states = len(graph.indptr) - 1
        self._initial = graph.initial
        self._indptr = graph.indptr
        self._targets = graph.targets.view(np.int32)  # one type for the kernels
        self._labels, self._leaving = graph.labels, graph.leaving
        self._conditions = self._judge_enabled(fairness)
        for row, where in enabled.items():  # those that say so themselves
            self._conditions.enabled[row] = where
        initial = np.arange(graph.initial, dtype=np.int32)
        anywhere = np.ones(self._states, bool)
        self._routes = _Routes(*_routes(self._indptr, self._targets, initial, np.zeros_like(initial), anywhere))

    def _judge_enabled(self, fairness: Sequence[Fairness]) -> _Conditions:
        """The conditions, with the states that enable each. Self-loops neither enable an action nor count as a step."""
        numbers = [number for f in fairness for number in f.actions]
        leaving, leaving_labels = self._leaving
        labels = 1 + max([int(self._labels.max(initial=0)), int(leaving_labels.max(initial=0)), *numbers])
        own = np.zeros((len(fairness), labels), bool)
        enabled = np.zeros((len(fairness), self._states), bool)
        for row, condition in enumerate(fairness):
            own[row, list(condition.actions)] = True
            enabled[row, leaving[own[row][leaving_labels]]] = True
        conditions = _Conditions.build(np.array([f.strong for f in fairness], bool), enabled, own)
        _enable(self._indptr, self._targets, self._labels, conditions)
        return conditions

    def find(
        self,
        kind: str,
        trigger: np.ndarray | None,
        goal: np.ndarray,
        met: Collection[int] | None = None,
        steps: np.ndarray = _NO_LABELS,
    ) -> Lasso | None:
        """A small fair behaviour that violates a formula, or None if every fair behaviour satisfies it.

        Args:
            kind: As :class:`workbench.kernel.meaning.properties.Formula` has it.
            trigger: The states where the formula's trigger holds; None for the kinds without one.
            goal: The states where Q holds.
            met: The fairness conditions that the behaviour meets; None for all.
            steps: The labels of the steps that are the formula's, too.

        Returns:
            Steps are positions in the arrays of transitions. A lasso that stops is a shortest one.
        """
        is_always = kind in ALWAYS_KINDS
        allowed = np.ones(self._states, bool) if is_always or kind == "eventually_always" else ~goal
        entry = allowed.copy()
        conditions = self._conditions if met is None else self._conditions.among(met)
        if trigger is not None:
            entry &= trigger
        if kind in INITIAL_KINDS:
            entry[self._initial :] = False
        if kind == "eventually_always":  # "not the goal, again and again" has the form of a weak fairness condition
            conditions = conditions._replace(
                strong=np.append(conditions.strong, False),
                enabled=np.vstack([conditions.enabled, goal]),
                own=np.vstack([conditions.own, np.zeros(conditions.own.shape[1], bool)]),
            )
        targets = self._without(steps)
        legs = [self._routes]
        for stage in (entry, ~goal) if is_always else (entry,):
            starts = legs[-1].order[stage[legs[-1].order]]
            legs.append(_Routes(*_routes(self._indptr, targets, starts, legs[-1].distance[starts], allowed)))
        best = self._shortest_stop(legs, conditions)
        components = fair_components(self._indptr, targets, self._labels, legs[-1].distance >= 0, conditions)
        if len(components):
            bound = best.states if best else np.iinfo(np.int64).max
            tour = _Tour(self._indptr, targets, self._labels, conditions, components)
            best = self._small_cycle(legs, tour, components, bound) or best
        return best

    def _without(self, labels: np.ndarray) -> np.ndarray:
        """The targets of the transitions, with each step that has one of these labels turned into a self-loop."""
        if not len(labels):
            return self._targets
        sources = np.repeat(np.arange(self._states, dtype=np.int32), np.diff(self._indptr))
        return np.where(barred(sources, self._targets, self._labels, labels), sources, self._targets)

    def _shortest_stop(self, legs: Sequence[_Routes], conditions: _Conditions) -> Lasso | None:
        stop = _first_stop(legs[-1].order, conditions.enabled)
        if stop < 0:
            return None
        start, steps = self._path(legs, stop)
        return Lasso(start, steps, len(steps))

    def _path(self, legs: Sequence[_Routes], state: int) -> tuple[int, list[int]]:
        """The initial state and the transitions from there along the `legs`, one after the other, to `state`."""
        steps = []
        for leg in reversed(legs):
            while (step := int(leg.via[state])) >= 0:
                steps.append(step)
                state = _source(self._indptr, step)
        return state, steps[::-1]

    # Cycles ------------------------------------------------------------------------------------------------------

    def _small_cycle(
        self, legs: Sequence[_Routes], tour: "_Tour", components: np.ndarray, bound: float
    ) -> Lasso | None:
        """The smallest lasso with a cycle and fewer than `bound` states, among those tried."""
        best, routes = None, legs[-1]
        effort = max(_LEAST_EFFORT, len(self._targets))
        for home in routes.order[components[routes.order] >= 0]:
            nearest = int(routes.distance[home])
            if nearest + 2 >= bound or tour.spent > effort:
                break
            cycle = tour.from_state(int(home))
            if nearest + len(cycle) < bound:
                bound = nearest + len(cycle)
                start, steps = self._path(legs, int(home))
                best = Lasso(start, steps + cycle, len(steps))
        return best


def _source(indptr: np.ndarray, step: int) -> int:
    """The state that a transition leaves."""
    return int(np.searchsorted(indptr, step, side="right")) - 1


class _Tour:
    """Builds fair cycles in components: shortest paths to everything that fairness still requires, and back."""

    def __init__(
        self,
        indptr: np.ndarray,
        targets: np.ndarray,
        labels: np.ndarray,
        conditions: _Conditions,
        components: np.ndarray,
    ) -> None:
        self._arrays = (indptr, targets, labels, components, conditions.enabled, conditions.own)
        self._indptr, self._targets, self._labels = indptr, targets, labels
        self._components, self._conditions = components, conditions
        self._seen = np.full(len(components), -1, np.int32)  # the last search that saw each state
        self._via = np.empty(len(components), np.int64)
        self._queue = np.empty(len(components), np.int32)
        self._searches = 0
        self.spent = 0

    def from_state(self, home: int) -> list[int]:
        """The transitions of a fair cycle through `home`."""
        walk: list[int] = []
        nothing = np.zeros(len(self._conditions.strong), bool)
        at = home
        while True:
            cycle = walk + self._search(at, home, nothing)
            unmet = self._unmet(cycle)
            if not unmet.any():
                return self._without_detours(cycle)
            walk += self._search(at, -1, unmet)
            at = int(self._targets[walk[-1]])

    def _search(self, at: int, home: int, unmet: np.ndarray) -> list[int]:
        """A shortest path in the component over a transition that leads `home`, or that an unmet condition needs."""
        self._searches += 1
        weak = unmet & ~self._conditions.strong
        step, spent = _search(*self._arrays, at, home, unmet, weak, self._searches, self._seen, self._via, self._queue)
        self.spent += spent + _SEARCH
        path = [step]
        while (state := _source(self._indptr, path[-1])) != at:
            path.append(int(self._via[state]))
        return path[::-1]

    def _unmet(self, cycle: list[int]) -> np.ndarray:
        """The conditions that the cycle violates."""
        strong, own = self._conditions.strong, self._conditions.own
        enabled = self._conditions.enabled[:, np.searchsorted(self._indptr, cycle, side="right") - 1]
        due = np.where(strong, enabled.any(axis=1), enabled.all(axis=1))
        if due.any():  # a step counts for every action that leads from its source to its target
            same = [e for step in cycle for e in self._leaving(step) if self._targets[e] == self._targets[step]]
            due &= ~own[:, self._labels[same]].any(axis=1)
        return due

    def _leaving(self, step: int) -> range:
        """The transitions from the source of `step`."""
        source = _source(self._indptr, step)
        return range(self._indptr[source], self._indptr[source + 1])

    def _without_detours(self, cycle: list[int]) -> list[int]:
        """The cycle with parts replaced by single transitions, as long as it stays fair."""
        while (shorter := self._shortcut(cycle)) is not None:
            cycle = shorter
        return cycle

    def _shortcut(self, cycle: list[int]) -> list[int] | None:
        arrivals: dict[int, list[int]] = {}  # when the cycle arrives in each state, latest first
        for i in range(len(cycle), 0, -1):
            arrivals.setdefault(int(self._targets[cycle[i - 1]]), []).append(i)
        for i, step in enumerate(cycle):
            source = _source(self._indptr, step)
            for direct in self._leaving(step):
                if self._targets[direct] == source:
                    continue
                for after in arrivals.get(int(self._targets[direct]), ()):
                    shorter = [*cycle[:i], direct, *cycle[after:]]
                    if after > i + 1 and not self._unmet(shorter).any():
                        return shorter
        return None


@njit(cache=True)
def _enable(indptr, targets, labels, conditions):
    """Mark the states that enable conditions, from which one of their steps leads to another state."""
    for source in range(len(indptr) - 1):
        for step in range(indptr[source], indptr[source + 1]):
            if targets[step] != source:
                label = labels[step]
                for at in range(conditions.first[label], conditions.first[label + 1]):
                    conditions.enabled[conditions.of[at], source] = True


@njit(cache=True)
def _first_stop(order, enabled):
    """The first state in which no condition is enabled, or -1."""
    for state in order:
        idle = True
        for condition in range(len(enabled)):
            if enabled[condition, state]:
                idle = False
                break
        if idle:
            return state
    return -1


@njit(cache=True)
def _routes(indptr, targets, starts, delays, allowed):
    """Breadth-first search through `allowed` states; start i is found at distance ``delays[i]`` (ascending)."""
    distance = np.full(len(allowed), -1, np.int32)
    via = np.full(len(allowed), -1, np.int64)
    order = np.empty(len(allowed), np.int32)
    done, queued, begun = 0, 0, 0
    while done < queued or begun < len(starts):
        if begun < len(starts) and (done == queued or delays[begun] <= distance[order[done]] + 1):
            if distance[starts[begun]] < 0:
                distance[starts[begun]] = delays[begun]
                order[queued] = starts[begun]
                queued += 1
            begun += 1
            continue
        source = order[done]
        done += 1
        for step in range(indptr[source], indptr[source + 1]):
            target = targets[step]
            if allowed[target] and distance[target] < 0:
                distance[target] = distance[source] + 1
                via[target] = step
                order[queued] = target
                queued += 1
    return order[:queued], distance, via


@njit(cache=True)
def _search(indptr, targets, labels, components, enabled, own, at, home, unmet, weak, search, seen, via, queue):
    """The first transition, breadth-first, that leads to `home` or meets an unmet condition; and the effort.

    There must be one. The effort is the number of transitions visited.
    """
    queue[0], seen[at] = at, search
    done, queued, spent = 0, 1, 0
    while done < queued:
        source = queue[done]
        done += 1
        for step in range(indptr[source], indptr[source + 1]):
            target = targets[step]
            spent += 1
            if target == source or components[target] != components[at]:
                continue
            if target == home:
                return step, spent
            for c in range(len(unmet)):
                if (unmet[c] and own[c, labels[step]]) or (weak[c] and not enabled[c, target]):
                    return step, spent
            if seen[target] != search:
                seen[target] = search
                via[target] = step
                queue[queued] = target
                queued += 1
    return -1, spent
