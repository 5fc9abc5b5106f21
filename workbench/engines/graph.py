"""Liveness of a search in this process: its transitions as a graph, and the lassos found in it as traces."""

import numpy as np

from workbench.engines.liveness import Graph, LassoFinder
from workbench.engines.local import LocalSearch
from workbench.kernel import Trace, Verdict, replay
from workbench.kernel.declare import Formula, Property
from workbench.kernel.lasso import Demand, liveness_verdict


def graph_of(search: LocalSearch) -> tuple[Graph, np.ndarray]:
    """The graph of a search that kept its transitions, and the memoised step of each transition."""
    degree, targets, steps, leaving, leaving_steps = search.transitions()
    indptr = np.zeros(search.store.count + 1, np.int64)
    np.cumsum(degree, out=indptr[1:])
    instance_of = np.array([instance for instance, _ in search.trees.steps] or [0], np.int32)
    instance_of[search.trees.uncounted] = len(search.model.instances)  # steps of nobody that is fair
    left_by = (leaving, instance_of[leaving_steps])
    return Graph(indptr, targets, instance_of[steps], search.levels[0], left_by), steps


class LivenessJudge:
    """The verdicts on liveness properties whose predicates a complete search has labelled its states with."""

    def __init__(self, search: LocalSearch) -> None:
        self._search = search
        graph, self._steps = graph_of(search)
        self._finder = LassoFinder(graph, search.model.fairness())

    def verdict(self, declared: Property) -> Verdict:
        columns = iter(self._search.labels[declared.name].columns)  # in the order of the formulas

        def find(formula: Formula) -> tuple[Trace | None, Demand]:
            given, wanted = next(columns)
            trigger, goal = None if given is None else given.array, wanted.array
            demand = self._demand(formula.kind, trigger, goal)
            lasso = self._finder.find(formula.kind, trigger, goal)
            if lasso is None:
                return None, demand
            store, trees = self._search.store, self._search.trees
            which, _ = store.path(lasso.start)
            moves = [trees.steps[step] for step in self._steps[lasso.steps]]
            return replay(self._search.model, which, moves, lasso.loop), demand

        return liveness_verdict(self._search.model, declared, find)

    def _demand(self, kind: str, trigger: np.ndarray | None, goal: np.ndarray) -> Demand:
        if trigger is not None:
            return Demand(bool(trigger.any()), bool((trigger & ~goal).any()))
        where = slice(self._search.levels[0]) if kind == "eventually" else slice(None)
        return Demand(True, not goal[where].all())
