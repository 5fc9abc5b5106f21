"""Liveness of a search with transitions in a run directory: in this process if they fit, or else by trimming.

Definitions are in ``docs/properties.md``. :class:`workbench.checking.local.lassos.LassoFinder` finds the lassos: in the
whole graph, or in the rest after trimming.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from workbench.checking.local.lassos import Graph, LassoFinder
from workbench.checking.local.memory import most_memory
from workbench.checking.spark.files.transitions import OUTSIDE
from workbench.checking.spark.liveness.bits import StateSet
from workbench.checking.spark.liveness.sweeping import Arrays, TransitionParts
from workbench.checking.spark.liveness.trimming import (
    FAR,
    Barring,
    Conditions,
    Describe,
    SpaceOutline,
    Trimmer,
    Undecided,
)
from workbench.checking.spark.search.spark_run import Running
from workbench.checking.trees.fair_labels import FairLabels
from workbench.kernel import Trace, Verdict, replay
from workbench.kernel.meaning.budget import Stop
from workbench.kernel.meaning.lasso import Demand, liveness_verdict
from workbench.kernel.meaning.properties import Formula, Property
from workbench.kernel.meaning.steps import Fairness, met_by
from workbench.kernel.meaning.trace import Move
from workbench.kernel.meaning.values import counted

#: The memory for finding a lasso, per transition, and for trimming, per state.
_BYTES_PER_TRANSITION, _BYTES_PER_STATE = 100, 8


class LivenessRoom(NamedTuple):
    """The transitions that this process takes: `early`, as soon as no more are left, and at `most`."""

    early: int
    most: int


class SparkLivenessJudge:
    """Judges the liveness properties of a search on Spark, without writing."""

    def __init__(self, search: Running, room: LivenessRoom | None = None) -> None:
        self._search, self._model = search, search.model
        most = most_memory() // 2 // _BYTES_PER_TRANSITION  # half of a search's budget
        self._room = room or LivenessRoom(most, most)
        self._fair = fair = FairLabels(self._model)
        self._fairness, self._labels = fair.conditions, fair.count
        self._own = [at for at, condition in enumerate(self._fairness) if condition.enabled is not None]

    def verdict(self, declared: Property) -> Verdict:
        search = self._search
        if not search.manifest.linked:
            many = sum(search.manifest.sizes) >= OUTSIDE
            reason = f"more than {OUTSIDE:,} states have no numbers here" if many else search.stopped
            return _unknown(declared, reason or "the transitions are not written yet; resume the search")
        obstacles: list[Undecided | Stop] = []

        def find(formula: Formula) -> tuple[Trace | None, Demand]:
            trigger_column, goal_column = next(columns)
            trigger, goal = None if trigger_column is None else truths[trigger_column], truths[goal_column]
            demand = self._demand(formula, trigger, goal)
            try:
                search.watch()
                return self._lasso(formula, trigger, goal), demand
            except (Undecided, Stop) as obstacle:  # another formula may still be violated
                obstacles.append(obstacle)
                search.unfinished |= isinstance(obstacle, Stop)
                return None, demand

        columns = iter(self._columns[declared.name])
        try:
            search.watch()
            truths = self._described[1]
        except Stop as stop:
            search.unfinished = True
            return _unknown(declared, str(stop))
        verdict = liveness_verdict(self._model, declared, find)
        return _unknown(declared, str(obstacles[0])) if verdict.holds and obstacles else verdict

    # The space ---------------------------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> dict[str, list[tuple[int | None, int]]]:
        """For each formula of each property, the predicates that are its trigger and its goal."""
        count = 0
        columns: dict[str, list[tuple[int | None, int]]] = {}
        for declared in self._search.plan().liveness:
            columns[declared.name] = of = []
            for _, formula in self._model.formulas(declared.name):
                triggered = formula.trigger is not None
                of.append((count if triggered else None, count + triggered))
                count += 1 + triggered
        return columns

    @cached_property
    def _parts(self) -> TransitionParts:
        predicates = sum(2 - (trigger is None) for of in self._columns.values() for trigger, _ in of)
        return TransitionParts(self._search, predicates + len(self._own), self._labels)

    @cached_property
    def _described(self) -> tuple[SpaceOutline, list[StateSet], StateSet]:
        """The space, the states in which each predicate holds, and those in which a step enables a condition."""
        files, sizes = self._parts.files, self._search.manifest.sizes
        total = sum(sizes)
        firsts = np.array([*(file.first for file in files), total], np.int64)
        levels = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        follows = np.zeros((len(files), len(files)), np.bool_)
        space = SpaceOutline(firsts, levels, np.array([file.transitions for file in files], np.int64), follows)
        fair = np.zeros(self._labels, np.bool_)
        by_steps = (condition for condition in self._fairness if condition.assumed and condition.enabled is None)
        fair[[number for condition in by_steps for number in condition.actions]] = True
        truths, busy = [StateSet(total) for _ in range(self._parts.predicates)], StateSet(total)
        for described in self._parts.sweep(Describe(firsts, fair), range(len(files))):
            part = space.part_of(described.first)
            span = space.span(part)
            states = span.stop - span.start
            held = np.unpackbits(described.truths, count=states * len(truths)).reshape(len(truths), states)
            for truth, values in zip(truths, held, strict=True):
                truth[span] = values
            busy[span] = np.unpackbits(described.busy, count=states)
            follows[part, described.targets] = True
        return space, truths, busy

    @property
    def _enabled(self) -> dict[int, StateSet]:
        """For each condition with an ENABLED of its own, the states in which it is enabled."""
        truths = self._described[1]
        return dict(zip(self._own, truths[len(truths) - len(self._own) :], strict=True))

    @property
    def _space(self) -> SpaceOutline:
        return self._described[0]

    @cached_property
    def _initial(self) -> StateSet:
        initial = StateSet(self._space.states)
        initial[0 : int(self._space.levels[1])] = True
        return initial

    def _demand(self, formula: Formula, trigger: StateSet | None, goal: StateSet) -> Demand:
        asked = self._initial if formula.begins else StateSet.full(goal.size)
        if trigger is not None:
            asked = asked & trigger
        return Demand.of(formula, bool(asked), bool(asked - goal))

    # Lassos ------------------------------------------------------------------------------------------------------

    def _lasso(self, formula: Formula, trigger: StateSet | None, goal: StateSet) -> Trace | None:
        if self._space.transitions.sum() <= self._room.early:
            return self._lasso_in_whole(formula, trigger, goal)
        if self._space.states * _BYTES_PER_STATE > most_memory():
            raise Undecided(f"{counted(self._space.states, 'state')} are too many for this process's memory")
        return self._lasso_by_trimming(formula, trigger, goal)

    @cached_property
    def _whole(self) -> tuple[LassoFinder, Arrays]:
        arrays = self._parts.gather(StateSet.full(self._space.states), self._space)
        graph = Graph(arrays.indptr, arrays.targets, arrays.labels, int(self._space.levels[1]), arrays.leaving)
        enabled = {at: states[0 : states.size] for at, states in self._enabled.items()}
        return LassoFinder(graph, self._fairness, enabled), arrays

    def _lasso_in_whole(self, formula: Formula, trigger: StateSet | None, goal: StateSet) -> Trace | None:
        finder, arrays = self._whole
        everywhere = slice(0, self._space.states)
        met, steps = met_by(self._fairness, formula), self._fair.of_conditions(formula.steps)
        triggers = None if trigger is None else trigger[everywhere]
        lasso = finder.find(formula.kind, triggers, goal[everywhere], met, steps)
        if lasso is None:
            return None
        start, _ = self._parts.way_to(lasso.start)
        return replay(self._model, start, self._moves(arrays, lasso.steps), lasso.loop)

    def _moves(self, arrays: Arrays, steps: Sequence[int]) -> list[Move]:
        return [self._move(int(arrays.labels[step]), int(arrays.ordinals[step])) for step in steps]

    def _move(self, label: int, ordinal: int) -> Move:
        return Move(label % len(self._model.instances), ordinal)

    def _lasso_by_trimming(self, formula: Formula, trigger: StateSet | None, goal: StateSet) -> Trace | None:
        space, busy, met = self._space, self._described[2], met_by(self._fairness, formula)
        fairness = [self._fairness[number] for number in met]
        enabled = {at: self._enabled[number] for at, number in enumerate(met) if number in self._own}
        steps = self._fair.of_conditions(formula.steps)
        trimmer = Trimmer(space, lambda question, numbers: self._parts.sweep(Barring(steps, question), numbers))
        allowed = StateSet.full(space.states)
        if formula.kind == "eventually_always":  # states without the goal again and again, like an enabled condition
            enabled[len(fairness)] = goal
            fairness.append(Fairness("the goal", False, frozenset()))
        elif not formula.is_always:
            allowed = allowed - goal
        entries = allowed if trigger is None else allowed & trigger
        if formula.begins:
            entries = entries & self._initial
        for where in enabled.values():
            busy = busy | where
        legs = [trimmer.leg(entries, allowed)]
        if formula.is_always:
            legs.append(trimmer.leg(allowed - goal, allowed, legs[0].distance))
        distance = legs[-1].distance
        stop = _nearest(distance, busy)
        # Every state of a lasso shorter than the one that ends at `stop` is nearer than `stop`.
        near = StateSet.of(distance < (FAR if stop is None else distance[stop]))
        left = trimmer.fair_part(near, Conditions.of(fairness, self._labels, enabled), self._room.early)
        weight, core = trimmer.weight(left), left
        if weight > self._room.most:
            core = self._nearest_of(trimmer, left, distance)
        if stop is not None:
            core.add(np.array([stop], np.uint32))
        lasso = self._lasso_in_core(core, distance, fairness, enabled, steps)
        if lasso is None and weight > self._room.most:
            raise Undecided(
                f"{counted(weight, 'transition')} are left where a fair cycle may be, and this process has the memory "
                f"for {self._room.most:,}"
            )
        if lasso is None:
            return None
        home, cycle = lasso
        entry, way = trimmer.way_to(home, legs)
        start, moves = self._parts.way_to(entry)
        moves = [*moves, *(self._move(*step) for step in way)]
        return replay(self._model, start, [*moves, *cycle], len(moves))

    def _nearest_of(self, trimmer: Trimmer, states: StateSet, distance: np.ndarray) -> StateSet:
        """The nearest of the states, as many as leave room for their transitions."""
        within = states[0 : states.size]
        per_state = trimmer.weight(states) / states.count
        so_far = np.cumsum(np.bincount(distance[within], minlength=1)) * per_state
        return StateSet.of(within & (distance < int(np.searchsorted(so_far, self._room.most, side="right"))))

    def _lasso_in_core(
        self,
        core: StateSet,
        distance: np.ndarray,
        fairness: Sequence[Fairness],
        enabled: Mapping[int, StateSet],
        steps: np.ndarray,
    ) -> tuple[int, list[Move]] | None:
        """The nearest lasso in some states: the state where its cycle starts, and the moves of the cycle.

        The searched graph begins with a chain of one state per distance, each leading to the next and to all states at
        that distance.
        """
        if not core:
            return None
        numbers, arrays = core.members(), self._parts.gather(core, self._space)
        far = distance[numbers].astype(np.int64)
        chain = int(far.max()) + 1
        sources = np.concatenate([np.arange(chain - 1), far])
        before = np.concatenate([np.arange(1, chain), chain + np.arange(len(far))])[np.argsort(sources, kind="stable")]
        degree = np.bincount(sources, minlength=chain)
        nobody = self._labels
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(degree), len(before) + arrays.indptr[1:]])
        targets = np.concatenate([before, chain + arrays.targets]).astype(np.int32)
        labels = np.concatenate([np.full(len(before), nobody), arrays.labels]).astype(np.int32)
        leaving, leaving_labels = arrays.leaving
        graph = Graph(indptr, targets, labels, 1, (chain + leaving, leaving_labels))
        real = np.arange(len(indptr) - 1) >= chain
        held = {
            at: np.append(np.zeros(chain, bool), states[0 : states.size][numbers]) for at, states in enabled.items()
        }
        lasso = LassoFinder(graph, fairness, held).find("always_eventually", None, ~real, steps=steps)
        if lasso is None:
            return None
        cycle = [step - len(before) for step in lasso.steps[lasso.loop :]]
        last = targets[lasso.steps[lasso.loop - 1]]  # the end of the way from the chain
        return int(numbers[last - chain]), self._moves(arrays, cycle)


def _unknown(declared: Property, reason: str) -> Verdict:
    return Verdict.on(declared, None, f"liveness is not decided: {reason}")


def _nearest(distance: np.ndarray, busy: StateSet) -> int | None:
    """The nearest state that is not busy, the first of several; None if none is reached."""
    where = np.where(busy[0 : busy.size], FAR, distance)
    nearest = int(np.argmin(where))
    return None if where[nearest] == FAR else nearest
