"""Finds a shortest behaviour that passes a scenario's lines in order: conditions on states, and steps.

The search is breadth-first over states, each marked with the number of lines passed. Lines are passed as early as
possible: of two behaviours to one state, the one that has passed more can continue in every way that the other can. So
a state is visited again only with more lines passed, and the first behaviour found is a shortest one.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.following import kernels
from workbench.checking.following.names import IsNamed
from workbench.checking.following.node_search import NamedSteps, NodeSearch
from workbench.checking.kernels.serving import FOUND
from workbench.checking.trees.purity import run_again
from workbench.checking.trees.smallest import Smallest
from workbench.kernel import Machine, machine_of
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.trace import Move, Trace, leading_to, replay

_PAUSE = 16384


class LineCondition(NamedTuple):
    """The condition of a line: a step, a state, or a step to such a state.

    Attributes:
        is_named: The test for the step; None for a state.
        holds: The predicate of the state.
    """

    is_named: IsNamed | None
    holds: Callable[[Any], bool] | None


class ScenarioSearch:
    """One search.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> commits = LineCondition(lambda instance, choices: instance.label == "commit(w2)", None)
        >>> third = LineCondition(None, lambda s: s.next_ticket == 3)
        >>> searching = ScenarioSearch(machine_of(Bakery(Writers=2)), [commits, third], Limits())
        >>> node = searching.run()
        >>> len(searching.path(node)[1])
        7
    """

    def __init__(self, model: Machine, conditions: Sequence[LineCondition], limits: Limits) -> None:
        self.model, self._conditions, self._limits = model, conditions, limits
        self._search = NodeSearch(model, salted=False)
        trees = self._search.trees
        self._predicates = np.array(
            [-1 if c.holds is None else trees.add_predicate(c.holds) for c in conditions], np.int32
        )
        self._is_step = np.array([c.is_named is not None for c in conditions], np.bool_)
        never: IsNamed = lambda instance, choices: False  # noqa: E731 - a test like the others
        self._named = NamedSteps(trees, [c.is_named or never for c in conditions])

    @property
    def states(self) -> int:
        """The number of visits; a state visited again with more lines passed counts again."""
        return self._search.count

    def run(self) -> int | None:
        """The node that has passed all lines; None if there is none.

        Raises:
            Stop: If a budget is used up, or the search is stopped; visited states stay.
            ModelError: Also if the model behaves differently when it is run again.
        """
        with leading_to(self._trace_of):
            node = self._find()
        run_again(self._search.trees)
        return node

    def _trace_of(self, error: ModelError) -> Trace | None:
        """The trace to the state being expanded, if the model's error was raised there."""
        node, met = int(self._search.cursor[kernels.NODE]), error.met
        here = met is not None and met[0] == self._search.nodes.rows[node].tolist()
        return replay(self.model, *self.path(node)) if here else None

    def _find(self) -> int | None:
        search = self._search
        for number, state in enumerate(self.model.each_initial_state()):
            self._limits.room(number)
            mark = self._passed(state)
            search.add(state, mark)
            if mark == len(self._conditions):
                return search.count - 1
        search.begin(search.count)
        code = search.run(kernels.pass_lines, self._lines, self._check, _PAUSE)
        if code == FOUND:
            return search.count - 1
        self._check()
        return None

    def _lines(self) -> kernels.ScenarioLines:
        roots = self._search.trees.predicate_roots
        return kernels.ScenarioLines(roots, self._predicates, self._is_step, self._named.array)

    def _check(self) -> None:
        search = self._search
        self._limits.room(search.count - 1)
        waiting = search.count - int(search.cursor[kernels.NODE])
        self._limits.check(self.farthest, search.count, waiting, lambda: search.nbytes)

    def _passed(self, state: Any) -> int:
        """The number of lines that an initial state passes."""
        passed = 0
        for is_named, holds in self._conditions:
            if is_named is not None or (holds is not None and not holds(state)):
                break
            passed += 1
        return passed

    @property
    def farthest(self) -> int:
        """The most lines passed."""
        return int(self._search.nodes.mark[: self._search.count].max(initial=0))

    def path(self, node: int) -> tuple[int, list[Move]]:
        """The number of the initial state from which a node is reached, and the moves."""
        nodes, moves = self._search.nodes, list[Move]()
        while nodes.parent[node] >= 0:
            moves.append(Move(*self._search.trees.steps[nodes.step[node]]))
            node = int(nodes.parent[node])
        return int(nodes.step[node]), moves[::-1]

    def state(self, node: int) -> Any:
        """The state of a node."""
        return self._search.state(node)

    def having_passed(self, lines: int) -> int:
        """The number of states visited with exactly `lines` lines passed."""
        return int(np.count_nonzero(self._search.nodes.mark[: self._search.count] == lines))

    def different(self, lines: int, cells: Collection[int]) -> list[int]:
        """The first node with exactly `lines` lines passed for each combination of values of `cells`."""
        nodes, count = self._search.nodes, self._search.count
        chosen = np.flatnonzero(nodes.mark[:count] == lines)
        mixed = np.zeros(len(chosen), np.uint64)
        for cell in cells:
            mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + nodes.rows[chosen, cell].astype(np.uint64)
            mixed ^= mixed >> np.uint64(29)
        _, first = np.unique(mixed, return_index=True)
        return chosen[np.sort(first)].tolist()


@cache
def load_scenario_search() -> None:
    """Compile the kernel, or load it from Numba's cache, so that no search waits for it."""
    ScenarioSearch(machine_of(Smallest), [LineCondition(None, lambda s: s.n == 1)], Limits()).run()
