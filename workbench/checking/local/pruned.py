"""Pruned states: successors outside the model's state constraints, put aside to be judged and counted.

A constraint is a tree as well, walked for each unvisited successor. A transition to a pruned state has no target and
counts for fairness alone.
"""

from collections.abc import Sequence

import numpy as np

from workbench.checking.kernels.loops import Frontier
from workbench.checking.trees.decision_trees import Trees
from workbench.checking.trees.state_predicates import evaluate

_ROOM = 1 << 12


class Pruned:
    """The state constraints of a model as trees, and the pruned successors that are still to be judged.

    Attributes:
        block (Frontier): Rows, predecessors and steps; an initial state has the step ``-1 - which``.
        kept (int): The number of states in `block`.
    """

    def __init__(self, trees: Trees) -> None:
        self._trees, self.kept = trees, 0
        self._predicates = trees.add_predicates(trees.model.constraint_predicates())
        self._forgotten = 0
        room = _ROOM if self._predicates else 0
        self.block = Frontier(
            base=0,
            rows=np.empty((room, len(trees.cells.values)), trees.cells.row_type),
            sums=np.empty((0, trees.cells.lanes), np.uint64),
            parent=np.empty(room, np.uint32),
            step=np.empty(room, np.int32),
            degree=np.zeros(0, np.uint32),
        )

    def fit(self) -> None:
        """Widen the rows if the numbers of values need it."""
        if self.block.rows.dtype != self._trees.cells.row_type:
            self.block = self.block._replace(rows=self.block.rows.astype(self._trees.cells.row_type))

    def __len__(self) -> int:
        return self.kept

    @property
    def total(self) -> int:
        """The number of pruned states so far."""
        return self._forgotten + len(self)

    @property
    def bounds(self) -> np.ndarray:
        """The roots of the constraints' trees."""
        return self._trees.predicate_roots[self._predicates]

    def memoize(self, constraint: int, row: Sequence[int]) -> None:
        """Evaluate a constraint in a state."""
        self._trees.memoize_predicate(self._predicates[constraint], row)

    def keep_initial(self, row: Sequence[int], which: int) -> bool:
        """Put an initial state aside if it is pruned; returns whether it is. There must be room."""
        self.fit()
        for predicate in self._predicates:
            if not evaluate(self._trees, predicate, np.array([row], self.block.rows.dtype))[0]:
                kept = self.kept
                self.block.rows[kept], self.block.parent[kept], self.block.step[kept] = row, 0, -1 - which
                self.kept += 1
                return True
        return False

    @property
    def full(self) -> bool:
        return len(self) == len(self.block.rows)

    def forget(self) -> None:
        """Make room: the states in `block` have been judged."""
        self._forgotten += len(self)
        self.kept = 0
