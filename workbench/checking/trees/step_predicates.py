"""Checks properties of steps, by predicates with trees.

A step is judged by a tree over three rows: the state before, the state after, and for each cell whether it changed. A
separate kernel judges the steps of expanded states, whose action trees are complete; without such properties this costs
nothing. A refinement skips a step that writes no cell its mapping has ever read. A violation is a state and the step
taken from it.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial

import numpy as np

from workbench.checking.kernels import loops, step_loops
from workbench.checking.kernels.loops import Frontier
from workbench.checking.kernels.serving import DONE, HIT, MISS_PREDICATE, serve
from workbench.checking.trees.decision_trees import TRUE, Trees
from workbench.checking.trees.state_predicates import PredicateTable, StatePlace, bit_of, evaluate
from workbench.kernel import Machine
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.properties import DEADLOCK, Deadlock, Property
from workbench.kernel.meaning.state import Reader
from workbench.kernel.meaning.steps import PropertyInstance, Subject


class WatchedSteps(PredicateTable):
    """The step properties, refinements and the deadlock that a search watches, with a predicate for each judge.

    Args:
        properties: The plan's ``steps``.
        in_order: Whether every state is judged as the end of the step that found it before it is judged as a beginning.
            Only then are all cells known that a mapping has read in it.

    Attributes:
        judges: One for each predicate.
        begins (list of (int, int)): For each judge of initial states its number, and its predicate among the trees'.
        ends (int): The predicate that says where behaviours may end, counted from `first`; -1 for none.
    """

    def __init__(self, model: Machine, trees: Trees, properties: Sequence[Property], in_order: bool = True) -> None:
        judged = [(declared, judge) for declared in properties for judge in model.judges(declared)]
        self.judges: list[PropertyInstance] = [judge for _, judge in judged]
        self.begins = [
            (number, trees.add_predicate(_holds(judge.begins), Subject(declared.kind, declared.name, "initial")))
            for number, (declared, judge) in enumerate(judged)
            if judge.begins is not None
        ]
        self.first = len(trees.predicates)
        for judge in self.judges:
            trees.add_predicate(judge.holds, judge.subject, of_steps=True)
        self.ends = -1
        if model.declared.ends is not None:
            ends = Subject(DEADLOCK.kind, DEADLOCK.name, "ends")
            self.ends = trees.add_predicate(model.may_end, ends) - self.first
        super().__init__(trees, properties, [declared.name for declared, _ in judged])
        self.concerned[:] = 0
        for number, judge in enumerate(self.judges):
            for instance in model.instances:
                if judge.concerns(instance):
                    self.concerned[instance.number, number // 64] |= bit_of(number)
            if not (judge.follows_reads and in_order):
                self.reads[:, number // 64] |= bit_of(number)
        self._scratch = np.zeros(3 * len(trees.cells.layout.cells), np.int32)
        self._missed = np.empty((loops.MISSES, 2 + len(self._scratch)), np.int32)
        self._cursor = np.zeros(step_loops.CURSOR, np.int64)

    def begin_anew(self, decided: Container[str] = ()) -> None:
        super().begin_anew(decided)
        self._stuck = any(isinstance(p, Deadlock) and p.name not in decided for p in self.properties)

    def judge_initial(self, rows: np.ndarray, place: Callable[[int], StatePlace]) -> None:
        """Judge initial states; `place` maps the position of a row to its place."""
        for number, predicate in self.begins:
            right = evaluate(self.trees, predicate, rows, partial(self.note, number))
            if not right.all():
                self.decide(self.owners[number], place(int(np.argmin(right))))

    def judge(self, expanded: Iterable[Frontier]) -> None:
        """Judge the steps from the states of expanded blocks, until no property waits."""
        for block in expanded:
            self._judge(block)

    def _judge(self, block: Frontier) -> None:
        cursor, trees = self._cursor, self.trees
        cursor[loops.STATE] = 0

        def run() -> int:
            if not (self._stuck or self.active.any()):
                return DONE
            watched = self.columns, self._stuck, self.ends
            inspect, dispatch = step_loops.inspect_steps, trees.dispatch.arrays
            return int(inspect(trees.arrays, dispatch, *watched, block, self._scratch, self._missed, cursor))

        def memoize() -> None:
            for number, step, *taken in self._missed[: int(cursor[loops.WHAT])].tolist():
                if not self._is_right(number, step, taken):
                    break  # it decides a property: later steps need not be asked

        def decide() -> None:
            state, number, step = (int(cursor[at]) for at in (loops.STATE, loops.WHAT, step_loops.STEP))
            if step < 0:
                self.decide(DEADLOCK.name, (block.base + state, None))
            else:
                self.decide(self.owners[number], (block.base + state, step))

        serve(run, {MISS_PREDICATE: memoize, HIT: decide})

    def _is_right(self, number: int, step: int, taken: list[int]) -> bool:
        """The answer of judge `number` about a step, or of `ends` about a state that has none; asks it on a miss."""
        predicate = self.first + number
        if (leaf := self.trees.leaf(int(self.trees.predicate_roots[predicate]), taken)) < 0:
            if step < 0:
                self.trees.memoize_predicate(predicate, _before(taken))
            else:
                self.memoize(number, taken, step)
            leaf = self.trees.leaf(int(self.trees.predicate_roots[predicate]), taken)
        return leaf == TRUE

    def memoize(self, number: int, taken: list[int], step: int) -> None:
        """Ask judge `number` about the step `taken`, in three parts, which has the number `step`."""
        try:
            read = self.trees.memoize_predicate(self.first + number, taken)
        except ModelError as error:
            error.met = _before(taken), step
            raise
        self.note(number, read)

    def decide(self, name: str, place: StatePlace) -> None:
        super().decide(name, place)
        if name == DEADLOCK.name:
            self._stuck = False


def _holds(judge: Callable[[Reader], bool | str]) -> Callable[[Reader], bool]:
    return lambda state: judge(state) is True


def _before(taken: list[int]) -> list[int]:
    """The row of the state before a step."""
    return taken[: len(taken) // 3]
