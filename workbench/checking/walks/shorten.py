"""Shortens traces: most steps of a random walk have nothing to do with what it finds.

Two methods alternate until neither helps. The first leaves out steps, many at once and then one by one, as in delta
debugging (A. Zeller, R. Hildebrandt: Simplifying and isolating failure-inducing input, 2002). The second runs bounded
breadth-first searches from each state of the trace for shorter ways to its later states and to the goal.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels.arrays import Growing
from workbench.checking.kernels.loops import canonical_fingerprints, contains, walk
from workbench.checking.kernels.serving import MISS_ACTION, serve
from workbench.checking.local.expander import Expander
from workbench.checking.local.store import StateStore
from workbench.checking.trees.state_predicates import evaluate
from workbench.checking.walks import kernels
from workbench.checking.walks.goals import Ball, Goal, goal_of
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.trace import Move

#: The search from the initial states may visit this fraction (1/n) of the budget.
_FIRST = 4
#: The fewest states that a search from a state of the trace may visit.
_LEAST = 200
#: With more initial states, only the trace's own is searched from.
_MOST_STARTS = 1000


class Way(NamedTuple):
    """A behaviour as a list of moves.

    Attributes:
        start: The number of its initial state.
        shortest: Whether a search from all initial states has proved that no shorter behaviour decides the property.
    """

    start: int
    moves: list[Move]
    shortest: bool = False


class _Line(NamedTuple):
    """A behaviour as a list of memoized steps."""

    start: int
    steps: list[int]


class Shortener:
    """Shortens behaviours of one model.

    Args:
        starts: The model's initial states.
        limits: The limits that stop the work.
    """

    def __init__(self, plan: Plan, starts: Sequence[Any], limits: Limits) -> None:
        self._model, self._starts, self._limits = plan.model, starts, limits
        self._expander = Expander(plan.model, key=plan.key)
        self._cells, self._trees = self._expander.cells, self._expander.trees
        self._numbers: dict[Any, int] = {}  # a step's choices -> their number
        self._chosen = Growing(np.int64)
        self._bounds = self._trees.add_predicates(plan.model.constraint_predicates())
        self._left = 0

    def shorter(self, declared: Property, way: Way, states: int) -> Iterator[Way]:
        """Yield behaviours that decide `declared`, each no longer than the last. Visits about `states` states."""
        if not states or not way.moves:
            return
        self._left = states
        goal = goal_of(self._model, self._trees, declared)
        whole = len(self._starts) <= _MOST_STARTS and not self._bounds  # pruned states are not searched
        begin = range(len(self._starts)) if whole else [way.start]
        first = self._around([self._row(which) for which in begin], states // _FIRST, len(way.moves))
        hit = goal.in_ball(first, initial=True)
        if hit is not None:
            which, steps = first.store.path(hit[0])
            yield Way(begin[which], self._moves(steps + hit[1]), whole)
            return
        line = _Line(way.start, self._steps(way))
        while True:
            length = len(line.steps)
            for change in (self._without, partial(self._by_shortcuts, first, begin)):
                line = change(goal, line)
                shortest = whole and len(line.steps) <= first.radius + 1 - goal.lag  # the first search met no goal
                yield Way(line.start, self._moves(line.steps), shortest)
                if shortest or self._left <= 0:
                    return
            if len(line.steps) == length:
                return

    # Leaving out -------------------------------------------------------------------------------------------------

    def _without(self, goal: Goal, line: _Line) -> _Line:
        """The line without the steps that the goal does not need."""
        many = len(line.steps)
        while many >= 1:
            at = 0
            while at < len(line.steps) and self._left > 0:
                kept = np.ones(len(line.steps), np.bool_)
                kept[at : at + many] = False
                steps = self._follow(line, kept, goal)
                if steps is None:
                    at += many
                else:
                    line = _Line(line.start, steps)
            many //= 2
        return line

    def _follow(self, line: _Line, kept: np.ndarray, goal: Goal) -> list[int] | None:
        """The steps by which the `kept` part of the line leads to the goal, if it does."""
        trees, place = self._trees, np.zeros(kernels.PLACES, np.int64)
        path, row = np.empty(len(line.steps), np.int32), self._row(line.start)
        rows = np.empty((len(line.steps) + 1, len(row)), np.int32)
        rows[0] = row
        instances = np.array([trees.steps[step][0] for step in line.steps], np.int64)
        moves = np.column_stack([instances, self._choices()[line.steps]])
        self._limits.enforce()

        def memoize() -> None:
            trees.memoize_action(int(place[kernels.WHAT]), rows[place[kernels.FOUND]].tolist())

        serve(lambda: self._take_kept(rows, moves, kept, path, place), {MISS_ACTION: memoize})
        taken = int(place[kernels.FOUND])
        self._left -= taken
        met = goal.in_line(rows[: taken + 1], path[:taken])
        inside = met is not None and all(evaluate(self._trees, bound, rows[:met]).all() for bound in self._bounds)
        return path[:met].tolist() if inside else None

    def _take_kept(self, *arrays: np.ndarray) -> int:
        roots = np.array(self._trees.roots, np.int32)
        return int(kernels.follow_moves(self._trees.arrays, roots, self._choices(), *arrays))

    def _choices(self) -> np.ndarray:
        """The choices of each memoized step, as a number."""
        for choice in self._trees.choices[self._chosen.size :]:
            self._chosen.append(self._numbers.setdefault(choice, len(self._numbers)))
        return self._chosen.array

    # Shortcuts ---------------------------------------------------------------------------------------------------

    def _by_shortcuts(self, first: Ball, begin: Sequence[int], goal: Goal, line: _Line) -> _Line:
        """The shortest line through the states around the line's, as far as searches from these go."""
        end = len(line.steps)
        rows = self._rows(line)
        fingerprints = canonical_fingerprints(np.stack([self._cells.sums(row) for row in rows]), 1)
        best = [_Line(line.start, line.steps[:at]) for at in range(end + 1)]
        most = max(_LEAST, self._left // (2 * end))
        for at in range(-1, end):
            if at >= 0:
                if len(best[at].steps) + 1 < len(best[at + 1].steps):
                    best[at + 1] = _Line(best[at].start, [*best[at].steps, line.steps[at]])
                if self._left <= 0 or end - at < 2:
                    continue
                ball = self._around([rows[at]], most, end - at - 1)
            else:
                ball = first
            for other, number in self._reached(ball, fingerprints[: end + goal.is_state], at + 1):
                which, steps = ball.store.path(number)
                before = best[at] if at >= 0 else _Line(begin[which], [])
                if len(before.steps) + len(steps) < len(best[other].steps):
                    best[other] = _Line(before.start, before.steps + steps)
            hit = goal.in_ball(ball, initial=False) if at >= 0 else None
            if hit is not None:
                steps = best[at].steps + ball.store.path(hit[0])[1] + hit[1]
                if len(steps) < len(best[end].steps):
                    best[end] = _Line(best[at].start, steps)
        return best[end]

    def _reached(self, ball: Ball, fingerprints: np.ndarray, first: int) -> list[tuple[int, int]]:
        """The states of a line, from number `first` on, that are in the ball, with their numbers there."""
        inside = np.flatnonzero(contains(fingerprints[first:], ball.store.visited.table)) + first
        if not len(inside):
            return []
        held = canonical_fingerprints(ball.store.column("sums"), 1)[:, 0]
        return [(at, int(np.argmax(held == fingerprints[at, 0]))) for at in inside.tolist()]

    def _around(self, rows: Sequence[Sequence[int]], most: int, radius: int) -> Ball:
        """The nearest states to `rows`: about `most`, within `radius` steps."""
        store = StateStore(self._cells, keep_rows=True, keep_edges=False)
        store.add_initial(rows, range(len(rows)))
        roots = store.count
        self._expander.begin(store)
        done, whole = 0, 0
        while done < store.count and whole < radius and store.count < most:
            end = store.count
            if not self._expander.expand(store, done, end, most, lambda _: self._limits.enforce()):
                break
            done, whole = end, whole + 1
        self._left -= store.count
        return Ball(store, roots, done, radius if done == store.count else whole)

    # Rows and steps ----------------------------------------------------------------------------------------------

    def _row(self, which: int) -> list[int]:
        return self._cells.encode(self._starts[which])

    def _steps(self, way: Way) -> list[int]:
        """The moves of a way as memoized steps."""
        row, steps = np.array(self._row(way.start), np.int32), []
        for instance, ordinal in way.moves:
            while (leaf := walk(self._trees.arrays, self._trees.roots[instance], row)) < 0:
                self._trees.memoize_action(instance, row.tolist())
            steps.append(int(self._trees.arrays.leaf_start[leaf]) + ordinal)
            self._take(steps[-1], row)
        return steps

    def _rows(self, line: _Line) -> list[list[int]]:
        """The states of a line."""
        row = np.array(self._row(line.start), np.int32)
        rows = [row.tolist()]
        for step in line.steps:
            self._take(step, row)
            rows.append(row.tolist())
        return rows

    def _take(self, step: int, row: np.ndarray) -> None:
        arrays = self._trees.arrays
        written = slice(arrays.step_first[step], arrays.step_stop[step])
        row[arrays.write_cell[written]] = arrays.write_value[written]

    def _moves(self, steps: Sequence[int]) -> list[Move]:
        return [Move(*self._trees.steps[step]) for step in steps]
