"""Liveness of a search in this process: its transitions as a graph, and the lassos found in it as traces."""

from collections.abc import Sequence

import numpy as np

from workbench.engines.liveness import Graph, LassoFinder
from workbench.engines.local import LocalSearch
from workbench.kernel import Trace, Verdict, replay
from workbench.kernel.lasso import liveness_verdict
from workbench.kernel.properties import Formula, Property


def graph_of(search: LocalSearch) -> tuple[Graph, np.ndarray]:
    """The graph of a search that kept its transitions, and the memoised step of each transition."""
    targets, steps = search.transitions()
    indptr = np.zeros(search.store.count + 1, np.int64)
    np.cumsum(search.store.column("degree"), out=indptr[1:])
    instance_of = np.array([instance for instance, _ in search.trees.steps] or [0], np.int32)
    return Graph(indptr, targets, instance_of[steps], search.levels[0]), steps


def liveness_verdicts(search: LocalSearch, properties: Sequence[Property]) -> list[Verdict]:
    """The verdicts on liveness properties whose predicates the search has labelled its states with.

    They are unknown if the search is incomplete: what was not visited may be a way out.
    """
    if search.stopped is not None:
        return [Verdict(p.name, p.kind, None, None, "the search is incomplete") for p in properties]
    graph, steps = graph_of(search)
    finder = LassoFinder(graph, search.model.fairness())
    verdicts = []
    for declared in properties:
        columns = iter(search.labels[declared.name].columns)  # in the order of the formulas

        def find(formula: Formula) -> Trace | None:
            trigger, goal = next(columns)  # noqa: B023 - used up before the next property
            lasso = finder.find(formula.kind, None if trigger is None else trigger.array, goal.array)
            if lasso is None:
                return None
            which, _ = search.store.path(lasso.start)
            return replay(search.model, which, [search.trees.steps[s] for s in steps[lasso.steps]], lasso.loop)

        verdicts.append(liveness_verdict(search.model, declared, find))
    return verdicts
