"""Decision trees: what each action does and what each predicate says, memoised by the cells that they read.

An inner node names a cell; its branches are the values of the cell. A leaf of an action lists the successors, each as
the cells written and the change of the fingerprints; a leaf of a predicate says yes or no. The arrays are read by the
kernels of :mod:`workbench.engines.kernels`, which know nothing of any model; what is not in a tree yet is a *miss* and
comes here, to run the model's Python once.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from workbench.engines.arrays import Growing
from workbench.engines.branches import UNKNOWN, Nodes
from workbench.engines.cells import Cells, StepReads
from workbench.kernel.errors import ModelError
from workbench.kernel.instances import ActionInstance, Outcome, Subject
from workbench.kernel.state import Cell, Draft, View, turned

#: Two leaves without successors: of an action that is disabled or a predicate that is false, and of one that is true.
NOTHING, TRUE = 0, 1

#: The cells that were read, in order, with the numbers of their values.
Path = dict[int, int]

Answer = TypeVar("Answer")

_PURITY_CHECKS = 2
#: For how many values a group has room at first.
_LEAST_ROOM = 4


class TreeArrays(NamedTuple):
    """The trees as the kernels read them.

    What is an index is unsigned, and so are the numbers in narrow rows: a compiled loop need not ask whether one counts
    from an array's end, which takes a fifth of the time of expanding.
    """

    node_cell: np.ndarray
    node_base: np.ndarray
    node_size: np.ndarray
    branch: np.ndarray
    leaf_start: np.ndarray
    leaf_stop: np.ndarray
    step_instance: np.ndarray
    step_first: np.ndarray
    step_blind: np.ndarray
    step_stop: np.ndarray
    step_delta: np.ndarray
    write_cell: np.ndarray
    write_value: np.ndarray


class DispatchArrays(NamedTuple):
    """Which actions are worth trying, by the first cell that they read: most wait at another program counter.

    Group g reads cell ``cell[g]``; ``table[base[g] + value]`` is a list number or -1, and the entries
    ``start[list]`` to ``stop[list]`` are action instances with the node to go on from.
    """

    cell: np.ndarray
    base: np.ndarray
    size: np.ndarray
    table: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    instance: np.ndarray
    node: np.ndarray


def _noting(learn: Callable[["Trees", int, Sequence[int]], Answer]) -> Callable[["Trees", int, Sequence[int]], Answer]:
    """`learn`, with what a search tells in errors of the model's: the row, and the step where one is judged."""

    @wraps(learn)
    def noting(trees: "Trees", number: int, row: Sequence[int]) -> Answer:
        try:
            return learn(trees, number, row)
        except ModelError as error:
            error.met = row, None
            raise

    return noting


class Trees:
    """The decision trees of a model's action instances and of any number of predicates.

    Attributes:
        misses (int): How often the model's Python code was called.
        assigns (bool array (instances)): Whether the action instance ever assigned to a variable.
        steps: For each memoised successor the action instance and the ordinal of the outcome.
        choices: For each of them what was chosen.
        uncounted: Those of them that fairness is not of, where an action says so.
        subjects: What each predicate is; None for one that nobody has named.
        of_steps: The predicates that steps were judged by.
        repeated (int): The `misses` when they were last run again.
    """

    def __init__(self, cells: Cells) -> None:
        self.cells, self.model = cells, cells.model
        self.misses = self.repeated = 0
        self.of_steps: set[int] = set()
        self.predicates: list[Callable[..., bool]] = []
        self.subjects: list[Subject | None] = []
        self._places: list[str] = []
        self.assigns = np.zeros(len(self.model.instances), np.bool_)
        self.steps: list[tuple[int, int]] = []
        self.choices: list[tuple[tuple[str, Any], ...]] = []
        self.uncounted: list[int] = []
        self._draft: Draft = cells.layout.draft()
        self._view: View = cells.layout.view(())
        self._runs = [0] * len(self.model.instances)
        self._roots = [UNKNOWN] * len(self.model.instances)
        self._predicate_roots = Growing(np.int32)
        self._nodes = Nodes()
        self._leaf_start, self._leaf_stop = Growing(np.uint32), Growing(np.uint32)
        self._step_instance = Growing(np.int32)
        self._step_first, self._step_blind, self._step_stop = (Growing(np.uint32) for _ in range(3))
        self._step_delta = Growing(np.uint64, cells.lanes)
        self._write_cell, self._write_value = Growing(np.uint32), Growing(np.uint32)
        for _ in (NOTHING, TRUE):
            self._leaf_start.append(0), self._leaf_stop.append(0)
        self._arrays: TreeArrays | None = None
        self.dispatch = Dispatch(self)

    @property
    def arrays(self) -> TreeArrays:
        """The trees as they are now; what is learnt later is not in these arrays, so ask for them after all of it."""
        if self._arrays is None:
            self._arrays = TreeArrays(
                self._nodes.cell.array,
                self._nodes.base.array,
                self._nodes.size.array,
                self._nodes.branch.array,
                self._leaf_start.array,
                self._leaf_stop.array,
                self._step_instance.array,
                self._step_first.array,
                self._step_blind.array,
                self._step_stop.array,
                self._step_delta.array,
                self._write_cell.array,
                self._write_value.array,
            )
        return self._arrays

    @property
    def nbytes(self) -> int:
        return self._nodes.nbytes + sum(part.nbytes for part in vars(self).values() if isinstance(part, Growing))

    @property
    def predicate_roots(self) -> np.ndarray:
        return self._predicate_roots.array

    @property
    def roots(self) -> Sequence[int]:
        """The root of each action instance's tree."""
        return self._roots

    def add_predicate(self, predicate: Callable[..., bool], subject: Subject | None = None, place: str = "") -> int:
        """Make room for the tree of a predicate, of one state or of a step's two, and return its number.

        Args:
            subject: What it is, for errors and for the profile.
            place: Where its code begins, as " (file:line)".
        """
        self.predicates.append(predicate)
        self.subjects.append(subject)
        self._places.append(place)
        return self._predicate_roots.append(UNKNOWN)

    # Misses ----------------------------------------------------------------------------------------------------

    @_noting
    def learn_action(self, number: int, row: Sequence[int]) -> None:
        """Run action instance `number` in the state `row`, and remember what it did."""
        instance, draft = self.model.instances[number], self._draft
        read = self.cells.reads(row)
        outcomes, _ = instance.run(draft, read)
        self.misses += 1
        self._runs[number] += 1
        if self._runs[number] <= _PURITY_CHECKS:
            instance.check_pure(draft, read, outcomes)
        if instance.action.fair_when is not None:  # what it reads is read by the action, so that the leaf can tell
            view, first = turned(self._view, read), len(self.steps)
            counts = [instance.counts(view, outcome.choices) for outcome in outcomes]
            self.uncounted += [first + i for i, counted in enumerate(counts) if not counted]
        leaf = self._leaf(number, row, read, outcomes) if outcomes else NOTHING
        self._roots[number] = self._insert(self._roots[number], row, read, leaf, lambda: self.action_at(instance))

    @_noting
    def learn_predicate(self, number: int, row: Sequence[int]) -> set[int]:
        """Evaluate predicate `number` in the state `row`, remember the answer, and return the cells read."""
        read = self.cells.reads(row)
        return self._remember(number, row, read, self.predicates[number](turned(self._view, read)))

    @_noting
    def learn_step(self, number: int, row: Sequence[int]) -> set[int]:
        """The same for a step, whose `row` is described in :mod:`workbench.engines.step_kernels`."""
        read = StepReads(self.cells.values, row)
        self.of_steps.add(number)
        return self._remember(number, row, read, self.predicates[number](*read.views(self.cells.layout)))

    def _remember(self, number: int, row: Sequence[int], read: dict[int, Any], answer: bool) -> set[int]:
        self.misses += 1
        roots, leaf = self._predicate_roots.items, TRUE if answer else NOTHING
        roots[number] = self._insert(roots[number], row, read, leaf, lambda: self.predicate_at(number))
        return set(read)

    def _insert(self, root: int, row: Sequence[int], read: dict[int, Any], leaf: int, whose: Callable[[], str]) -> int:
        """Add the path of the cells `read`, ending in `leaf`, below `root`; returns the root."""
        self._arrays = None
        nodes = self._nodes
        where, child = -1, root  # `where`: the branch that holds `child`; -1 is the root itself
        for cell in read:
            value = row[cell]
            if child == UNKNOWN:
                child = nodes.add(cell, value)
                root = self._hang(where, child, root)
            elif child < 0 or nodes.cell.items[child] != cell:
                raise _not_a_function(whose(), f"read {self.cell(cell)} this time, and not")
            beside = value < nodes.size.items[child]  # asked here, too: it nearly always is
            where = nodes.base.items[child] + value if beside else nodes.place(child, value)
            child = nodes.branch.items[where]
        if child > 0:
            earlier = self.cell(nodes.cell.items[child])
            raise _not_a_function(whose(), f"read nothing more this time, and {earlier}")
        return self._hang(where, -1 - leaf, root) if child == UNKNOWN else root

    def cell(self, at: int) -> Cell:
        """The cell at a place of the row of a state, or of a step."""
        cells = self.cells.layout.cells
        return cells[at % len(cells)]

    def action_at(self, instance: ActionInstance) -> str:
        """An action, and where it is, as errors name it."""
        return f"action {instance.label}{instance.action.place}"

    def predicate_at(self, number: int) -> str:
        """The same of a predicate."""
        return f"{self.subjects[number] or 'a property'}{self._places[number]}"

    def _hang(self, where: int, child: int, root: int) -> int:
        if where < 0:
            return child
        self._nodes.branch.items[where] = child
        return root

    def _leaf(self, number: int, row: Sequence[int], read: dict[int, Any], outcomes: list[Outcome]) -> int:
        cells = self.cells
        first = self._step_instance.size
        for ordinal, (choices, writes) in enumerate(outcomes):
            self.assigns[number] |= bool(writes)
            known, blind, before = [], [], []  # of a cell that was read the old value is known, and so what it changes
            for cell, value in writes.items():
                new = cells.written(cell, value)
                if cell not in read:
                    blind.append((cell, new))
                elif new != row[cell]:
                    known.append((cell, new))
                    before.append((cell, row[cell]))
            self.steps.append((number, ordinal))
            self.choices.append(choices)
            self._step_instance.append(number)
            self._step_delta.append(cells.difference(before, known + blind))
            changed = known + blind
            at = self._write_cell.reserve(len(changed))
            self._write_value.reserve(len(changed))
            for place, (cell, new) in enumerate(changed, at):
                self._write_cell.items[place], self._write_value.items[place] = cell, new
            self._step_first.append(at)
            self._step_blind.append(at + len(known))
            self._step_stop.append(at + len(changed))
        leaf = self._leaf_start.append(first)
        self._leaf_stop.append(first + len(outcomes))
        return leaf

    # Reading the trees back ------------------------------------------------------------------------------------

    def leaf(self, root: int, row: Sequence[int]) -> int:
        """The leaf that `row` leads to below `root`, or -1: of several misses of one pass, one may answer another."""
        while root > 0:
            root = self._nodes.child(root, row[self._nodes.cell.items[root]])
        return -1 - root if root < 0 else -1

    def paths(self, root: int, turn: int = 0) -> Iterator[tuple[Path, int]]:
        """Every path below `root`, with its leaf; `turn` says where to begin with the branches of a node."""
        path: Path = {}
        waiting = [iter([(0, root)])]  # the branches of each node on the path that have not been taken
        while waiting:
            value, child = next(waiting[-1], (0, UNKNOWN))
            if path:
                path[next(reversed(path))] = value
            if child > 0:
                path[self._nodes.cell.items[child]] = 0
                waiting.append(self._nodes.branches(child, turn))
            elif child < 0:
                yield dict(path), -1 - child
            else:
                waiting.pop()
                if path:
                    path.popitem()

    def first_cell(self, number: int) -> int:
        """The cell that action instance `number` reads first; -1 if it reads none."""
        root = self._roots[number]
        return self._nodes.cell.items[root] if root > 0 else -1

    def below(self, number: int, value: int) -> int:
        """The child of the root of action instance `number` for `value` of its first cell; UNKNOWN if there is none."""
        root = self._roots[number]
        return self._nodes.child(root, value) if root > 0 else root


def _not_a_function(whose: str, difference: str) -> ModelError:
    return ModelError(f"{whose} is not a function of the state: after the same reads it {difference} the time before")


class Dispatch:
    """Builds :class:`DispatchArrays` for the trees' action instances."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._groups: dict[int, list[int]] = {}
        self._cell, self._base, self._size = (Growing(np.uint32) for _ in range(3))
        self._table = Growing(np.int32)
        self._start, self._stop = Growing(np.uint32), Growing(np.uint32)
        self._instance, self._node = Growing(np.int32), Growing(np.int32)
        self._arrays: DispatchArrays | None = None

    @property
    def arrays(self) -> DispatchArrays:
        """The lists as they are now; ask for them after all that is to be learnt."""
        if self._arrays is None:
            self._arrays = DispatchArrays(
                self._cell.array,
                self._base.array,
                self._size.array,
                self._table.array,
                self._start.array,
                self._stop.array,
                self._instance.array,
                self._node.array,
            )
        return self._arrays

    def prepare(self, row: Sequence[int]) -> None:
        """Run every action instance once, in the state `row`, and group them by the first cell that they read."""
        for number in range(len(self._trees.model.instances)):
            self._trees.learn_action(number, row)
            cell = self._trees.first_cell(number)
            if cell >= 0:
                self._groups.setdefault(cell, []).append(number)
            elif self._trees.below(number, 0) != -1 - NOTHING:  # it reads nothing and is always enabled
                self._groups.setdefault(0, []).append(number)
        for cell in self._groups:
            self._cell.append(cell)
            self._base.append(0)
            self._size.append(0)
        self._arrays = None

    def learn(self, group: int, row: Sequence[int]) -> None:
        """Make the list of a group's instances for the value that its cell has in `row`."""
        self._arrays = None
        trees, cell = self._trees, self._cell.items[group]
        value = row[cell]
        entries = []
        for number in self._groups[cell]:
            if trees.below(number, value) == UNKNOWN:
                trees.learn_action(number, row)
            child = trees.below(number, value)
            if child != -1 - NOTHING:
                entries.append((number, child))
        if value >= self._size.items[group]:
            self._widen(group, value)
        self._table.items[self._base.items[group] + value] = self._start.size
        self._start.append(self._instance.size)
        for number, node in entries:
            self._instance.append(number), self._node.append(node)
        self._stop.append(self._instance.size)

    def knows(self, group: int, row: Sequence[int]) -> bool:
        """Whether there is a list for the value that the group's cell has in `row`."""
        value = row[self._cell.items[group]]
        return value < self._size.items[group] and self._table.items[self._base.items[group] + value] >= 0

    def _widen(self, group: int, value: int) -> None:
        old, size = self._base.items[group], self._size.items[group]
        room = max(_LEAST_ROOM, 2 * size, value + 1)
        at = self._table.reserve(room)
        self._table[at : at + room] = -1
        self._table[at : at + size] = self._table[old : old + size]
        self._base.items[group], self._size.items[group] = at, room
