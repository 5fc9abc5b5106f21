"""The properties that a search watches: predicates with decision trees, evaluated state by state."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.kernels.arrays import Growing
from workbench.checking.kernels.loops import Predicates
from workbench.checking.kernels.serving import MISS_PREDICATE, serve
from workbench.checking.trees.decision_trees import TRUE, Trees
from workbench.kernel import Machine
from workbench.kernel.meaning.errors import defined_at
from workbench.kernel.meaning.lasso import truth
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.state import Predicate
from workbench.kernel.meaning.steps import Fairness, Subject

#: A state's number, and a step from it if that step or its pruned target is meant. A pruned initial state has the step
#: ``-1 - which``.
StatePlace = tuple[int, int | None]


class PredicateTable:
    """Predicates that decide properties, next to each other in the trees; masks hold one bit for each, by number.

    Args:
        owners: For each predicate the name of its property.

    Attributes:
        first: The number of the first predicate among those of the trees.
        of: For each predicate the position of its property in `properties`.
        wanted (bool array): The value of each predicate that decides its property.
        active (uint64 array (words)): The predicates that are still watched.
        reads (uint64 array (cells, words)): For each cell the predicates that a write to it may change.
        concerned (uint64 array (instances, words)): For each action instance the predicates that its steps may change.
        decided: For each decided property where the first such state or step is, as
            :meth:`workbench.checking.local.search.LocalSearch.trace_to` takes it.
    """

    first: int

    def __init__(self, trees: Trees, properties: Sequence[Property], owners: Sequence[str]) -> None:
        self.trees, self.properties, self.owners = trees, list(properties), owners
        names = [declared.name for declared in properties]
        self.of = np.array([names.index(name) for name in owners], np.int64)
        self.wanted = np.array([properties[at].wanted for at in self.of], np.bool_)
        words = max(1, -(-len(owners) // 64))
        self.active = np.zeros(words, np.uint64)
        self.reads = np.zeros((len(trees.cells.layout.cells), words), np.uint64)
        self._noted: list[set[int]] = [set() for _ in self.owners]
        self.concerned = np.full((max(1, len(trees.model.instances)), words), ~np.uint64(0))
        self.begin_anew()

    def begin_anew(self, decided: Container[str] = ()) -> None:
        """Forget what was found, and watch every property except the `decided` ones."""
        self.decided: dict[str, StatePlace] = {}
        self.active[:] = 0
        for number, name in enumerate(self.owners):
            if name not in decided:
                self.active[number // 64] |= bit_of(number)

    @property
    def columns(self) -> Predicates:
        """The table as kernels read it; ask again after a miss."""
        roots = self.trees.predicate_roots[self.first :]
        return Predicates(roots, self.of, self.wanted, self.active, self.reads, self.concerned)

    def note(self, number: int, cells: Iterable[int]) -> bool:
        """Note the cells that a predicate has read, of a state or a step; returns whether one of them is new."""
        new = {cell % len(self.reads) for cell in cells} - self._noted[number]
        if new:
            self._noted[number] |= new
            self.reads[list(new), number // 64] |= bit_of(number)
        return bool(new)

    def decide(self, name: str, place: StatePlace) -> None:
        """Note where a property was decided, and stop watching it."""
        self.decided.setdefault(name, place)
        for number, owner in enumerate(self.owners):
            if owner == name:
                self.active[number // 64] &= ~bit_of(number)


class Watched(PredicateTable):
    """The invariants and reachable properties that a search watches."""

    def __init__(self, model: Machine, trees: Trees, properties: Sequence[Property]) -> None:
        instances = [instance for declared in properties for instance in model.predicates(declared.name)]
        self.first = len(trees.predicates)
        trees.add_predicates(instances)
        super().__init__(trees, properties, [instance.property.name for instance in instances])
        self._touched = Growing(np.uint64, len(self.active))

    @property
    def touched(self) -> np.ndarray:
        """For each step, uint64 (steps, words), the predicates that have ever read a cell which the step writes.

        The step leaves the value of all others unchanged.
        """
        done, arrays = self._touched.size, self.trees.arrays
        first = arrays.step_first[done:]
        if len(first):
            masks, writes = np.zeros((len(first), self.reads.shape[1]), np.uint64), first < arrays.step_stop[done:]
            if writes.any():
                read = self.reads[arrays.write_cell[first[0] :]]
                masks[writes] = np.bitwise_or.reduceat(read, first[writes] - first[0])
            self._touched.extend(masks)
        return self._touched.array

    def memoize(self, predicate: int, row: Sequence[int]) -> bool:
        """Whether a predicate has the wanted value in the state `row`; evaluates it on a miss."""
        trees, number = self.trees, self.first + predicate
        leaf = trees.leaf(int(trees.predicate_roots[number]), row)
        if leaf < 0:
            if self.note(predicate, trees.memoize_predicate(number, row)):
                self._touched.clear()
            leaf = trees.leaf(int(trees.predicate_roots[number]), row)
        return (leaf == TRUE) == bool(self.wanted[predicate])

    def hits(self, rows: np.ndarray, decided: Container[str] = ()) -> Iterator[tuple[str, np.ndarray]]:
        """For each predicate, except of `decided` properties: the property's name, and which states decide it."""
        for number, (name, decisive) in enumerate(zip(self.owners, self.wanted, strict=True)):
            if name not in decided:
                yield name, evaluate(self.trees, self.first + number, rows) == decisive


class _Columns:
    """Predicates, and their value in every state."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._predicates: list[tuple[int, Growing]] = []

    def _add(self, predicate: Callable[..., bool], subject: Subject, place: str = "") -> Growing:
        column = Growing(np.bool_)
        self._predicates.append((self._trees.add_predicate(predicate, subject, place), column))
        return column

    def extend(self, rows: np.ndarray) -> None:
        """Evaluate all predicates in the next states, `rows`."""
        for (_, column), values in zip(self._predicates, self.values(rows), strict=True):
            column.extend(values)

    def values(self, rows: np.ndarray) -> list[np.ndarray]:
        """The values of all predicates in the states `rows`, in their order."""
        return [evaluate(self._trees, number, rows) for number, _ in self._predicates]


class Labels(_Columns):
    """The predicates of a liveness property's formulas: for each formula its trigger, if any, and its goal.

    Attributes:
        columns (list of (Growing or None, Growing)): For each formula the values of its trigger, if any, and its goal,
            by state number.
    """

    def __init__(self, model: Machine, trees: Trees, declared: Property) -> None:
        super().__init__(trees)
        self.columns = [
            (
                None if formula.trigger is None else self._column(declared, formula.trigger, "trigger"),
                self._column(declared, formula.goal, "goal"),
            )
            for _, formula in model.formulas(declared.name)
        ]

    def _column(self, declared: Property, predicate: Predicate, part: str) -> Growing:
        subject = Subject("liveness", declared.name, part)
        return self._add(lambda s: truth(declared.name, predicate, s), subject, defined_at(predicate))


class Enabled(_Columns):
    """For each fairness condition with an ENABLED of its own, whether it is enabled in a state.

    Attributes:
        columns: By the number of the condition.
    """

    def __init__(self, fairness: Sequence[Fairness], trees: Trees) -> None:
        super().__init__(trees)
        self.columns = {
            at: self._add(condition.enabled, Subject("fairness", condition.label))
            for at, condition in enumerate(fairness)
            if condition.enabled is not None
        }


def evaluate(
    trees: Trees,
    predicate: int,
    rows: np.ndarray,
    note: Callable[[set[int]], object] = lambda cells: None,
) -> np.ndarray:
    """The values of a predicate in the states (or steps) `rows`, as booleans; `note` gets the cells that it reads."""
    cursor, truth = np.zeros(loops.CURSOR, np.int64), np.empty(len(rows), np.bool_)

    def run() -> int:
        return int(loops.evaluate_rows(trees.arrays, int(trees.predicate_roots[predicate]), rows, truth, cursor))

    def memoize() -> None:
        """Go on in Python as long as states miss: where nearly all do, no kernel is called for each of them."""
        for state in range(int(cursor[loops.STATE]), len(rows)):
            row = rows[state].tolist()
            if trees.leaf(int(trees.predicate_roots[predicate]), row) >= 0:
                break
            note(trees.memoize_predicate(predicate, row))
            truth[state] = trees.leaf(int(trees.predicate_roots[predicate]), row) == TRUE
            cursor[loops.STATE] = state + 1

    serve(run, {MISS_PREDICATE: memoize})
    return truth


def bit_of(number: int) -> np.uint64:
    """The bit of predicate `number`, in word ``number // 64``."""
    return np.uint64(1 << (number % 64))
