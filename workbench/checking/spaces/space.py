"""A whole state space in memory: every state and every transition, for graphs, datasets and experiments."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.kernels.compiling_beside import at_once, search_at_once
from workbench.checking.local.search import LocalSearch, kernels_loaded, load_kernels
from workbench.checking.spaces.cube import Cube, cube_of
from workbench.checking.trees.state_predicates import evaluate
from workbench.kernel import Result, Trace
from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.columns import columns, tabulated
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.errors import unknown
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.trace import Move
from workbench.registry import model_of
from workbench.registry.programs import needs

if TYPE_CHECKING:
    import pandas as pd


class StateSpace:
    """The states of a search, numbered in breadth-first order, and the transitions between them.

    Made by :func:`explore`. With symmetry a state represents all that differ from it in interchangeable names. Pruned
    states, and the steps to them, are not part of the space.

    Attributes:
        model: Machine
        result: The result of the check.
    """

    def __init__(self, search: LocalSearch, result: Result) -> None:
        self.model, self.result, self._search = search.model, result, search

    def __len__(self) -> int:
        return self._search.store.count

    def state(self, number: int) -> Any:
        """The state with a number."""
        return self._search.cells.decode(self._search.store.row(number).tolist())

    def number_of(self, state: Any) -> int | None:
        """The number of a state, or of the one that represents it; None if there is neither."""
        cells = self._search.cells

        def same() -> np.ndarray:
            sums = cells.sums(cells.encode(state))[None, :]
            return (self._fingerprints == loops.canonical_fingerprints(sums, cells.words)).all(axis=1)

        return next(map(int, np.flatnonzero(at_once(same))), None)

    @cached_property
    def _fingerprints(self) -> np.ndarray:
        """Each state's fingerprint, uint64 (states, words)."""
        cells = self._search.cells
        sums = np.zeros((len(self), cells.lanes), np.uint64)
        for cell, base in enumerate(cells.hash_base):
            # with NumPy: an interpreted kernel takes a second per 5,000 states
            sums += cells.hashes[base + self.rows[:, cell]]
        return loops.canonical_fingerprints(sums, cells.words)

    def trace_to(self, number: int) -> Trace:
        """A shortest behaviour to state `number`."""
        return at_once(lambda: self._search.trace_to(number))

    @cached_property
    def rows(self) -> np.ndarray:
        """All states as rows of value numbers, int32 (states, cells); ``values[c][rows[i, c]]`` is a value."""
        return self._search.store.column("rows")

    def rows_of(self, numbers: np.ndarray) -> np.ndarray:
        """The rows of some states, as in :attr:`rows`."""
        return self._search.store.rows_of(numbers)

    @property
    def values(self) -> list[list[Any]]:
        """For each cell of ``model.layout.cells`` its values by number."""
        return self._search.cells.values

    def table(self) -> "pd.DataFrame":
        """A DataFrame with one row per state, in numeric order: its ``level``, and a column for each cell.

        A function that has the same keys in all states has a column for each of them, such as ``base[w1]``.

        Raises:
            InputError: If pandas is not installed.
        """
        needs("tables", "a table of states", "pandas")
        import pandas as pd

        table, layout = dict[str, Any](level=self.levels), self.model.layout
        for cell in tabulated(layout):
            contents, which = np.unique(self.rows[:, cell.numbers], axis=0, return_inverse=True)
            rows = (self._contents(cell.numbers, numbers) for numbers in contents.tolist())
            for name, values in columns(str(cell.cell), [cell.value(row) for row in rows], layout.notation):
                table[name] = np.fromiter(values, object, len(values))[which.ravel()]
        return pd.DataFrame(table)

    def _contents(self, cells: Sequence[int], numbers: Sequence[int]) -> dict[int, Any]:
        """The contents of some cells, by the numbers of their values."""
        return {cell: self.values[cell][number] for cell, number in zip(cells, numbers, strict=True)}

    @cached_property
    def levels(self) -> np.ndarray:
        """Each state's breadth-first level, 1 for initial states."""
        sizes = self.result.levels
        return np.repeat(np.arange(1, len(sizes) + 1), sizes)

    @cached_property
    def _transitions(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        degree, targets, steps, *_ = at_once(self._search.store.transitions)
        sources = np.repeat(np.arange(len(self)), degree)
        return sources, targets, steps

    @property
    def sources(self) -> np.ndarray:
        """The number of each transition's source, in ascending order."""
        return self._transitions[0]

    @property
    def targets(self) -> np.ndarray:
        """The number of each transition's target."""
        return self._transitions[1]

    @property
    def steps(self) -> np.ndarray:
        """The number of each transition's memoized step, which determines its action instance and choices."""
        return self._transitions[2]

    def move(self, transition: int) -> Move:
        """The move of a transition: its action instance and outcome."""
        return Move(*self._search.trees.steps[int(self._transitions[2][transition])])

    @cached_property
    def instances(self) -> np.ndarray:
        """The number of each transition's action instance in ``model.instances``."""
        of_step = np.array([instance for instance, _ in self._search.trees.steps] or [0], np.int32)
        return of_step[self._transitions[2]]

    def label(self, transition: int) -> str:
        """The transition as in traces, such as ``begin_claim(w1)``."""
        instance, ordinal = self.move(transition)
        declared = self.model.instances[instance]
        outcome, _ = self.model.outcomes(declared, self.state(int(self.sources[transition])))[ordinal]
        return declared.label_with(outcome.choices)

    def where(self, predicate: Callable[[Any], bool]) -> np.ndarray:
        """Whether `predicate` holds in each state; it is called once per distinct local situation."""
        trees = self._search.trees
        number = trees.add_predicate(lambda s: bool(predicate(s)))
        return at_once(lambda: evaluate(trees, number, self.rows))

    def reads(self, name: str) -> set[int]:
        """The cells of ``model.layout.cells`` that the invariant or reachable property `name` reads in some state."""
        return self._judged(name)[1]

    def _judged(self, name: str) -> tuple[np.ndarray, set[int]]:
        """Whether an invariant or reachable property holds in each state, and the cells that it reads."""
        trees, cells = self._search.trees, set[int]()
        numbers = [trees.add_predicate(instance.holds) for instance in self.model.predicates(name)]

        def judged() -> np.ndarray:
            parts = self._search.store.parts("rows")
            holds = [
                np.logical_and.reduce([evaluate(trees, number, rows, cells.update) for number in numbers])
                for rows in parts
            ]
            return np.concatenate(holds)

        return at_once(judged), cells

    def cube(self, fault: str | None = None) -> Cube:
        """All states, counted by depth and by the variables that tell most about a violation.

        Args:
            fault: An invariant; by default the first violated one, if any.

        Raises:
            InputError: If it is not an invariant of this check.
        """
        names = [verdict.name for verdict in self.result.verdicts if verdict.kind == "invariant"]
        if fault is not None and fault not in names:
            raise unknown("invariant of this check", fault, names)
        violated = (verdict.name for verdict in self.result.violated if verdict.kind == "invariant")
        fault = fault or next(violated, None)
        holds, reads = (np.ones(len(self), np.bool_), set[int]()) if fault is None else self._judged(fault)
        rows = self._search.store.parts("rows")
        return cube_of(self.model.layout, self.values, rows, self.levels, fault, ~holds, reads)

    def holds(self, name: str) -> np.ndarray:
        """Whether the invariant or reachable property `name` holds in each state."""
        return self._judged(name)[0]


@interruptible()
def explore(
    model: AnyModel,
    properties: Sequence[str] | None = None,
    *,
    symmetry: bool | Sequence[str] | None = None,
    budget: Budget = Budget(states=1_000_000),
    watch: Watch = Watch(),
) -> StateSpace:
    """Check `model` and keep every state and transition.

    Args:
        model, properties, symmetry, watch: As for :func:`workbench.check`.
        budget: Everything stays in memory, hence the default.

    Examples:
        >>> from workbench.protocols.bakery.model import Bakery
        >>> space = explore(Bakery(Writers=2, MaxCrashes=0))
        >>> len(space), int(space.where(lambda s: s.decision["w1"] == "committed").sum())
        (100, 18)
    """
    plan = make_plan(model_of(model), properties, symmetry)
    limits = Limits(budget, watch)

    def searched() -> StateSpace:
        search = LocalSearch(plan, keep_rows=True, keep_edges=True)
        search.run(limits)
        return StateSpace(search, conclude(plan, search.exploration(), limits))

    return search_at_once(searched, load_kernels, limits, small=not kernels_loaded())


def again(result: Result, watch: Watch = Watch()) -> StateSpace:
    """The state space of a result, for which its model is searched again."""
    names = [verdict.name for verdict in result.verdicts if verdict.name in result.model.declared.properties]
    return explore(result.model, names, symmetry=result.symmetry, watch=watch)
