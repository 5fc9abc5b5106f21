"""The properties that a search keeps an eye on: predicates with decision trees, judged state by state."""

from collections.abc import Callable, Sequence

import numpy as np

from workbench.engines import kernels
from workbench.engines.arrays import Growing
from workbench.engines.parts import in_parts
from workbench.engines.trees import TRUE, Trees
from workbench.kernel import Model
from workbench.kernel.declare import Property
from workbench.kernel.errors import defined_at
from workbench.kernel.instances import PropertyInstance, Subject
from workbench.kernel.lasso import truth
from workbench.kernel.state import Predicate

#: The number of a state; and the step from there, where that is what counts, or leads to a state without a number. An
#: initial state without a number has the step ``-1 - which``.
Place = tuple[int, int | None]


class Watched:
    """The invariants and reachable properties that a search looks out for, as predicates with trees.

    Attributes:
        decided: For each violated invariant and each property that was reached, the place of the first such state, as
            :meth:`workbench.engines.local.LocalSearch.trace_to` takes it.
    """

    def __init__(self, model: Model, trees: Trees, properties: Sequence[Property]) -> None:
        self.instances: list[PropertyInstance] = [i for p in properties for i in model.predicates(p.name)]
        self._trees, self._first = trees, len(trees.predicates)
        for instance in self.instances:
            trees.add_predicate(instance.holds, instance.subject, instance.place)
        words = max(1, -(-len(self.instances) // 64))
        self.wanted = np.array([i.property.kind == "reachable" for i in self.instances], bool)
        self.active = np.zeros(words, np.uint64)
        self.reads = np.zeros((len(in_parts(model.layout).cells), words), np.uint64)
        for number in range(len(self.instances)):
            self.active[number // 64] |= mark(number)
        self.decided: dict[str, Place] = {}
        self._touched = Growing(np.uint64, words)

    @property
    def touched(self) -> np.ndarray:
        """For each step, uint64 (steps, words), one bit per predicate that has ever read a cell which the step writes.

        Where the step leads, the value of the others is that of the state before.
        """
        known, arrays = self._touched.size, self._trees.arrays
        first = arrays.step_first[known:]
        if len(first):
            masks, writes = np.zeros((len(first), self.reads.shape[1]), np.uint64), first < arrays.step_stop[known:]
            if writes.any():
                read = self.reads[arrays.write_cell[first[0] :]]
                masks[writes] = np.bitwise_or.reduceat(read, first[writes] - first[0])
            self._touched.extend(masks)
        return self._touched.array

    @property
    def roots(self) -> np.ndarray:
        """The roots of the predicates' trees."""
        return self._trees.predicate_roots[self._first : self._first + len(self.instances)]

    def learn(self, predicate: int, row: Sequence[int]) -> bool:
        """Evaluate a predicate in the state `row`, unless that is known by now; whether it has the wanted value."""
        leaf = self._trees.leaf(int(self.roots[predicate]), row)
        if leaf < 0:
            cells = list(self._trees.learn_predicate(self._first + predicate, row))
            if not (self.reads[cells, predicate // 64] & mark(predicate)).all():
                self.reads[cells, predicate // 64] |= mark(predicate)
                self._touched.clear()
            leaf = self._trees.leaf(int(self.roots[predicate]), row)
        return (leaf == TRUE) == bool(self.wanted[predicate])

    def hit(self, predicate: int, place: Place) -> bool:
        """Note that `predicate` has the wanted value in the state at `place`; whether that violates an invariant."""
        name = self.instances[predicate].property.name
        self.decided[name] = place
        for number, instance in enumerate(self.instances):
            if instance.property.name == name:
                self.active[number // 64] &= ~mark(number)
        return not self.wanted[predicate]


class Labels:
    """The predicates of a liveness property's formulas, and their value in every state.

    Attributes:
        formulas (list of (tuple, Formula)): The formulas with the arguments that they are for.
        columns (list of (Growing or None, Growing)): For each formula the values of its trigger, if it has one, and of
            its goal, by state number.
    """

    def __init__(self, model: Model, trees: Trees, declared: Property) -> None:
        self.formulas = model.formulas(declared.name)
        self._trees = trees
        self._predicates: list[tuple[int, Growing]] = []
        self.columns = [
            (
                None if formula.trigger is None else self._column(declared, formula.trigger, "trigger"),
                self._column(declared, formula.goal, "goal"),
            )
            for _, formula in self.formulas
        ]

    def _column(self, declared: Property, predicate: Predicate, part: str) -> Growing:
        subject = Subject("liveness", declared.name, part)
        number = self._trees.add_predicate(lambda s: truth(declared.name, predicate, s), subject, defined_at(predicate))
        column = Growing(np.bool_)
        self._predicates.append((number, column))
        return column

    def extend(self, rows: np.ndarray) -> None:
        """Evaluate everything in the states `rows`, which follow the ones seen before."""
        for (_, column), values in zip(self._predicates, self.values(rows), strict=True):
            column.extend(values)

    def values(self, rows: np.ndarray) -> list[np.ndarray]:
        """What each predicate says of the states `rows`: for each formula its trigger, if it has one, and its goal."""
        return [evaluate(self._trees, number, rows) for number, _ in self._predicates]


def evaluate(
    trees: Trees,
    predicate: int,
    rows: np.ndarray,
    note: Callable[[set[int]], None] = lambda cells: None,
    of_steps: bool = False,
) -> np.ndarray:
    """The value of a predicate in each of the states (or steps) `rows`, as booleans; `note` is told what it reads."""
    learn = trees.learn_step if of_steps else trees.learn_predicate
    cursor, truth = np.zeros(kernels.CURSOR, np.int64), np.empty(len(rows), np.bool_)
    while True:
        root = int(trees.predicate_roots[predicate])
        if kernels.evaluate(trees.arrays, root, rows, truth, cursor) == kernels.DONE:
            return truth
        note(learn(predicate, rows[int(cursor[kernels.STATE])].tolist()))


def mark(number: int) -> np.uint64:
    """The bit of predicate `number`, in word ``number // 64``."""
    return np.uint64(1 << (number % 64))
