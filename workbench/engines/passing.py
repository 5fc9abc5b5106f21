"""The search for a shortest behaviour that passes through lines in their order: conditions on states, and steps.

It is breadth-first over states together with the number of lines that were passed. Lines are passed as soon as they can
be: of two behaviours to one state, what has passed more of them can go on in every way in which the other one can. So a
state is visited again only with more lines passed, and a behaviour that is found has no shorter one beside it.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from workbench.engines import guided_kernels as kernels
from workbench.engines.local import Smallest
from workbench.engines.nodes import MISSES_PER_CHECK, IsNamed, Labels, Space
from workbench.engines.parts import in_parts
from workbench.engines.purity import run_again
from workbench.kernel import Model
from workbench.kernel.budget import Limits
from workbench.kernel.errors import ModelError
from workbench.kernel.trace import Move, Trace, leading_to, replay

_PAUSE = 16384


class Condition(NamedTuple):
    """What passes a line: a step, a state, or a step to such a state.

    Attributes:
        is_named: The test for the step; None for a line that is no step.
        holds: The predicate of the state.
    """

    is_named: IsNamed | None
    holds: Callable[[Any], bool] | None


class Passing:
    """One search.

    Examples:
        >>> from workbench.models.bakery import Bakery
        >>> commits = Condition(lambda instance, choices: instance.label == "commit(w2)", None)
        >>> searching = Passing(Bakery(Writers=2), [commits, Condition(None, lambda s: s.next_ticket == 3)], Limits())
        >>> node = searching.run()
        >>> len(searching.path(node)[1])
        7
    """

    def __init__(self, model: Model, conditions: Sequence[Condition], limits: Limits) -> None:
        self.model, self._conditions, self._limits = model, conditions, limits
        self._space = Space(model, salted=False)
        trees = self._space.trees
        self._predicates = np.array(
            [-1 if c.holds is None else trees.add_predicate(c.holds) for c in conditions], np.int32
        )
        self._is_step = np.array([c.is_named is not None for c in conditions], np.bool_)
        never: IsNamed = lambda instance, choices: False  # noqa: E731 - a test like the others
        self._labels = Labels(trees, [c.is_named or never for c in conditions])

    @property
    def states(self) -> int:
        """How many states were visited; those that were visited again with more lines passed count again."""
        return self._space.count

    def run(self) -> int | None:
        """The number of the node that has passed all lines; None if there is none.

        Raises:
            Stop: If a budget is used up, or somebody stops the search; what was visited stays.
            ModelError: Also if the model does something else when it is run again.
        """
        with leading_to(self._trace_of):
            found = self._search()
        run_again(self._space.trees)
        return found

    def _trace_of(self, error: ModelError) -> Trace | None:
        """The trace to the state that is expanded, if the model's error was met there."""
        node, met = int(self._space.cursor[kernels.NODE]), error.met
        here = met is not None and met[0] == self._space.nodes.rows[node].tolist()
        return replay(self.model, *self.path(node)) if here else None

    def _search(self) -> int | None:
        space, why = self._space, kernels.PAUSE
        for number, state in enumerate(self.model.each_initial_state()):
            self._limits.room(number)
            mark = self._passed(state)
            space.add(state, mark)
            if mark == len(self._conditions):
                return space.count - 1
        space.begin(space.count)
        while why != kernels.DONE:
            lines = kernels.Lines(self._predicates, self._is_step, self._labels.array)
            why = kernels.pass_lines(
                space.trees.arrays,
                space.trees.predicate_roots,
                space.trees.dispatch.arrays,
                (space.cells.hash_base, space.cells.hashes),
                space.nodes,
                space.table,
                lines,
                space.possible,
                _PAUSE,
                space.cursor,
            )
            if why == kernels.FOUND:
                return space.count - 1
            if why not in (kernels.PAUSE, kernels.DONE):
                space.serve(why)
            if why in (kernels.PAUSE, kernels.DONE) or space.served % MISSES_PER_CHECK == 0:
                self._limits.room(space.count - 1)
                waiting = space.count - int(space.cursor[kernels.NODE])
                self._limits.check(self.farthest, space.count, waiting, lambda: space.nbytes)
        return None

    def _passed(self, state: Any) -> int:
        """How many lines an initial state passes."""
        passed = 0
        for is_named, holds in self._conditions:
            if is_named is not None or (holds is not None and not holds(state)):
                break
            passed += 1
        return passed

    @property
    def farthest(self) -> int:
        """How many lines were passed at most."""
        return int(self._space.nodes.mark[: self._space.count].max(initial=0))

    def path(self, node: int) -> tuple[int, list[Move]]:
        """The initial state, by number, from which a node is reached, and the moves."""
        nodes, moves = self._space.nodes, list[Move]()
        while nodes.parent[node] >= 0:
            moves.append(Move(*self._space.trees.steps[nodes.step[node]]))
            node = int(nodes.parent[node])
        return int(nodes.step[node]), moves[::-1]

    def state(self, node: int) -> Any:
        """The state of a node."""
        return self._space.state(node)

    def having_passed(self, lines: int) -> int:
        """How many states were visited with just so many lines passed."""
        return int(np.count_nonzero(self._space.nodes.mark[: self._space.count] == lines))

    def different(self, lines: int, cells: Collection[int]) -> list[int]:
        """Nodes that have passed just so many lines: one, the first, for each combination of values of `cells`."""
        nodes, count = self._space.nodes, self._space.count
        chosen = np.flatnonzero(nodes.mark[:count] == lines)
        mixed = np.zeros(len(chosen), np.uint64)
        for cell in in_parts(self.model.layout).numbers(cells):
            mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + nodes.rows[chosen, cell].astype(np.uint64)
            mixed ^= mixed >> np.uint64(29)
        _, first = np.unique(mixed, return_index=True)
        return chosen[np.sort(first)].tolist()


@cache
def load() -> None:
    """Compile the kernel, or take it from Numba's cache: no search should wait for that."""
    Passing(Smallest(), [Condition(None, lambda s: s.n == 1)], Limits()).run()
