"""Liveness of a search in this process: its transitions as a graph, and the lassos found in it as traces."""

import numpy as np

from workbench.engines.liveness import Graph, LassoFinder
from workbench.engines.local import LocalSearch
from workbench.kernel import Trace, Verdict, replay
from workbench.kernel.lasso import liveness_verdict
from workbench.kernel.properties import Formula, Property


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

        def find(formula: Formula) -> Trace | None:
            trigger, goal = next(columns)
            lasso = self._finder.find(formula.kind, None if trigger is None else trigger.array, goal.array)
            if lasso is None:
                return None
            store, trees = self._search.store, self._search.trees
            which, _ = store.path(lasso.start)
            moves = [trees.steps[step] for step in self._steps[lasso.steps]]
            return replay(self._search.model, which, moves, lasso.loop)

        return liveness_verdict(self._search.model, declared, find)
