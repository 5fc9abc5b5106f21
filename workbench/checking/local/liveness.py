"""Liveness of a search in this process: its transitions as a graph, and lassos in it as traces."""

from collections.abc import Mapping

import numpy as np

from workbench.checking.local.lassos import Graph, LassoFinder
from workbench.checking.local.store import StateStore
from workbench.checking.trees.decision_trees import Trees
from workbench.checking.trees.fair_labels import FairLabels
from workbench.checking.trees.state_predicates import Enabled, Labels
from workbench.kernel import Machine, Trace, Verdict, replay
from workbench.kernel.meaning.lasso import Demand, liveness_verdict
from workbench.kernel.meaning.properties import Formula, Property
from workbench.kernel.meaning.steps import met_by


class LivenessJudge:
    """Judges liveness properties on a complete search that kept its transitions.

    Args:
        initial: The number of initial states.
        labels: For each property the states where its predicates hold.
        enabled: For each fairness condition with its own ENABLED predicate, the states where it is enabled.
    """

    def __init__(
        self,
        model: Machine,
        trees: Trees,
        store: StateStore,
        initial: int,
        labels: Mapping[str, Labels],
        enabled: Enabled,
    ) -> None:
        self._model, self._trees, self._store, self._labels, self._initial = model, trees, store, labels, initial
        degree, targets, self._steps, leaving, leaving_steps = store.transitions()
        indptr = np.zeros(store.count + 1, np.int64)
        np.cumsum(degree, out=indptr[1:])
        self._fair = fair = FairLabels(model)
        of_step = fair.of_steps(trees)
        left_by = (leaving, of_step[leaving_steps])
        graph = Graph(indptr, targets, of_step[self._steps], initial, left_by)
        own = {at: column.array for at, column in enabled.columns.items()}
        self._finder = LassoFinder(graph, fair.conditions, own)

    def verdict(self, declared: Property) -> Verdict:
        columns = iter(self._labels[declared.name].columns)  # in the order of the formulas

        def find(formula: Formula) -> tuple[Trace | None, Demand]:
            trigger_column, goal_column = next(columns)
            trigger, goal = None if trigger_column is None else trigger_column.array, goal_column.array
            demand = self._demand(formula, trigger, goal)
            met, steps = met_by(self._fair.conditions, formula), self._fair.of_conditions(formula.steps)
            lasso = self._finder.find(formula.kind, trigger, goal, met, steps)
            if lasso is None:
                return None, demand
            which, _ = self._store.path(lasso.start)
            moves = [self._trees.steps[step] for step in self._steps[lasso.steps]]
            return replay(self._model, which, moves, lasso.loop), demand

        return liveness_verdict(self._model, declared, find)

    def _demand(self, formula: Formula, trigger: np.ndarray | None, goal: np.ndarray) -> Demand:
        where = slice(self._initial) if formula.begins else slice(None)
        lacking = ~goal if trigger is None else trigger & ~goal
        return Demand.of(formula, trigger is not None and bool(trigger[where].any()), bool(lacking[where].any()))
