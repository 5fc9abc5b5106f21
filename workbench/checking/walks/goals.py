"""The goals of shortened traces: a state, a step, or a dead end."""

from typing import NamedTuple

import numpy as np

from workbench.checking.local.store import StateStore
from workbench.checking.trees.decision_trees import Trees
from workbench.checking.trees.state_predicates import Watched, evaluate
from workbench.checking.trees.step_predicates import WatchedSteps
from workbench.kernel import Machine
from workbench.kernel.meaning.lasso import judge_end
from workbench.kernel.meaning.properties import Deadlock, Property


class Ball(NamedTuple):
    """The states around some central ones.

    Attributes:
        store: Breadth-first from the centre, so that the first of some states is a nearest one.
        roots: The number of central states.
        expanded: The number of states, from the first on, whose steps are known.
        radius: All states within so many steps are there.
    """

    store: StateStore
    roots: int
    expanded: int
    radius: int


class StateGoal:
    """A state that violates an invariant, or satisfies a reachable property.

    Attributes:
        is_state: Whether the last state suffices, however it was reached.
        lag: The number of steps before the edge of a ball at which the goal stops being recognized.
    """

    is_state, lag = True, 0

    def __init__(self, model: Machine, trees: Trees, declared: Property) -> None:
        self._watched = Watched(model, trees, [declared])

    def in_line(self, rows: np.ndarray, steps: np.ndarray) -> int | None:
        """The number of `steps` along the states `rows` after which the goal is met; None if it is not."""
        return min((int(np.argmax(met)) for _, met in self._watched.hits(rows) if met.any()), default=None)

    def in_ball(self, ball: Ball, initial: bool) -> tuple[int, list[int]] | None:
        """The nearest state of a ball from which the goal is met, and the steps from there.

        `initial` says that the ball is around initial states.
        """
        place = self.in_line(ball.store.column("rows"), np.empty(0, np.int64))
        return None if place is None else (place, [])


class StepGoal:
    """A step that violates a property of steps, or an initial state that does."""

    is_state, lag = False, 0

    def __init__(self, model: Machine, trees: Trees, declared: Property) -> None:
        self._trees, self._model, self._declared = trees, model, declared
        self._watched = WatchedSteps(model, trees, [declared], in_order=False)

    def in_line(self, rows: np.ndarray, steps: np.ndarray) -> int | None:
        watched = self._watched
        if not all(evaluate(self._trees, predicate, rows[:1])[0] for _, predicate in watched.begins):
            return 0
        before, after = rows[:-1], rows[1:]
        changed = before != after
        parts = np.concatenate([before, after, changed.astype(np.int32)], axis=1)
        met = np.zeros(len(steps), np.bool_)
        for number, judge in enumerate(watched.judges):
            concerned = [judge.concerns(self._model.instances[self._trees.steps[step][0]]) for step in steps]
            judged = np.flatnonzero(np.array(concerned, np.bool_) & changed.any(axis=1))
            met[judged] |= ~evaluate(self._trees, watched.first + number, parts[judged])
        return int(np.argmax(met)) + 1 if met.any() else None

    def in_ball(self, ball: Ball, initial: bool) -> tuple[int, list[int]] | None:
        self._watched.begin_anew()
        if initial:
            self._watched.judge_initial(ball.store.column("rows")[: ball.roots], lambda at: (at, None))
        self._watched.judge(ball.store.slices(0, ball.expanded))
        place = self._watched.decided.get(self._declared.name)
        return None if place is None else (place[0], [] if place[1] is None else [place[1]])


class DeadEnd(StepGoal):
    """A state without steps in which behaviours may not end."""

    is_state, lag = True, 1

    def in_line(self, rows: np.ndarray, steps: np.ndarray) -> int | None:
        stuck = judge_end(self._model, self._trees.cells.decode(rows[-1].tolist())) is not True
        return len(steps) if stuck else None


Goal = StateGoal | StepGoal


def goal_of(model: Machine, trees: Trees, declared: Property) -> Goal:
    """The goal of traces that decide `declared`."""
    kind = StateGoal if declared.of_states else DeadEnd if isinstance(declared, Deadlock) else StepGoal
    return kind(model, trees, declared)
