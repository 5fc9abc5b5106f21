"""Decision trees: actions and predicates, memoized by the cells that they read.

An inner node names a cell and branches by its value. A leaf of an action lists the successors, each as the cells
written and the change of the fingerprints; a leaf of a predicate says yes or no. The kernels walk the
arrays. A branch that is not there yet is a *miss*, which runs the model's Python once.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from workbench.checking.kernels.arrays import Growing
from workbench.checking.kernels.branches import UNKNOWN, TreeNodes
from workbench.checking.kernels.tree_columns import DispatchColumns, TreeColumns
from workbench.checking.trees.cells import Interner, StepReads
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.state import Reads, View
from workbench.kernel.meaning.steps import ActionInstance, Outcome, PropertyInstance, Subject

#: Two leaves without successors: of disabled actions and false predicates, and of true predicates.
NOTHING, TRUE = 0, 1

#: The cells read, in order, with the numbers of their values.
Path = dict[int, int]

_T = TypeVar("_T")

_PURITY_CHECKS = 2
#: The values that a group first has room for.
_LEAST_ROOM = 4


class Predicate(NamedTuple):
    """A predicate that has a tree.

    Attributes:
        holds: Takes a state, or the two states of a step if `of_steps`.
        subject: Its name in errors and in the profile; None for a predicate without a name.
        place: The beginning of its code, as " (file:line)".
    """

    holds: Callable[..., bool]
    subject: Subject | None
    place: str
    of_steps: bool


def _noting(memoize: Callable[["Trees", int, Sequence[int]], _T]) -> Callable[["Trees", int, Sequence[int]], _T]:
    """Wraps `memoize` so that a ModelError carries the row in which it was raised."""

    @wraps(memoize)
    def noting(trees: "Trees", number: int, row: Sequence[int]) -> _T:
        try:
            return memoize(trees, number, row)
        except ModelError as error:
            error.met = row, None
            raise

    return noting


class Trees:
    """The decision trees of a model's action instances and of any number of predicates.

    Attributes:
        misses (int): Calls of the model's Python code.
        assigns (bool array (instances)): Whether each action instance ever assigned to a variable.
        roots (list of int): The root of each action instance's tree.
        steps: For each memoized successor the action instance and the ordinal of the outcome.
        choices: For each memoized successor its choices.
        counted: The fairness conditions that count a memoized successor, where these are not all of its action's.
        repeated (int): The `misses` at the last purity check.
    """

    def __init__(self, cells: Interner) -> None:
        self.cells, self.model = cells, cells.model
        self.misses = self.repeated = 0
        self.predicates: list[Predicate] = []
        self.assigns = np.zeros(len(self.model.instances), np.bool_)
        self.steps: list[tuple[int, int]] = []
        self.choices: list[tuple[tuple[str, Any], ...]] = []
        self.counted: dict[int, frozenset[int]] = {}
        self._view: View = cells.layout.view(())
        self._runs = [0] * len(self.model.instances)
        self.roots = [UNKNOWN] * len(self.model.instances)
        self._predicate_roots = Growing(np.int32)
        self._nodes = TreeNodes()
        self._columns = TreeColumns(
            *(self._nodes.cell, self._nodes.base, self._nodes.size, self._nodes.branch),
            leaf_start=Growing(np.uint32),
            leaf_stop=Growing(np.uint32),
            step_instance=Growing(np.int32),
            step_first=Growing(np.uint32),
            step_blind=Growing(np.uint32),
            step_stop=Growing(np.uint32),
            step_delta=Growing(np.uint64, cells.lanes),
            write_cell=Growing(np.uint32),
            write_value=Growing(np.uint32),
        )
        for _ in (NOTHING, TRUE):
            self._columns.leaf_start.append(0), self._columns.leaf_stop.append(0)
        self._arrays: TreeColumns | None = None
        self.dispatch = Dispatch(self)

    @property
    def arrays(self) -> TreeColumns:
        """The present trees; ask again after a miss."""
        if self._arrays is None:
            self._arrays = TreeColumns(*(column.array for column in self._columns))
        return self._arrays

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns) + self._predicate_roots.nbytes

    @property
    def predicate_roots(self) -> np.ndarray:
        return self._predicate_roots.array

    def add_predicate(
        self, holds: Callable[..., bool], subject: Subject | None = None, place: str = "", of_steps: bool = False
    ) -> int:
        """Add a :class:`Predicate`, with an empty tree, and return its number."""
        self.predicates.append(Predicate(holds, subject, place, of_steps))
        return self._predicate_roots.append(UNKNOWN)

    def add_predicates(self, instances: Iterable[PropertyInstance]) -> list[int]:
        """Add the predicates of properties or constraints, and return their numbers."""
        return [self.add_predicate(instance.holds, instance.subject, instance.place) for instance in instances]

    # Misses ----------------------------------------------------------------------------------------------------

    @_noting
    def memoize_action(self, number: int, row: Sequence[int]) -> None:
        """Run action instance `number` in the state `row`, and memoize its outcomes."""
        instance = self.model.instances[number]
        read = self.cells.reads(row)
        outcomes, _ = instance.run(read)
        self.misses += 1
        self._runs[number] += 1
        if self._runs[number] <= _PURITY_CHECKS:
            instance.check_pure(read, outcomes)
        leaf = self._leaf(number, row, read, outcomes) if outcomes else NOTHING
        self.roots[number] = self._insert(self.roots[number], row, read, leaf, lambda: self.action_at(instance))

    @_noting
    def memoize_predicate(self, number: int, row: Sequence[int]) -> set[int]:
        """Evaluate predicate `number` on the row of a state or step, memoize the answer, and return the cells read.

        The row of a step is described in :mod:`workbench.checking.kernels.step_loops`.
        """
        read: Reads
        if self.predicates[number].of_steps:
            read = StepReads(self.cells.values, row)
            answer = self.predicates[number].holds(*read.views(self.cells.layout))
        else:
            read = self.cells.reads(row)
            answer = self.predicates[number].holds(self._seen(read))
        self.misses += 1
        roots, leaf = self._predicate_roots.items, TRUE if answer else NOTHING
        roots[number] = self._insert(roots[number], row, read, leaf, lambda: self.predicate_at(number))
        return set(read)

    def _seen(self, values: Reads) -> View:
        """The state with these values, always the same view: its indexed variables need not be made again."""
        object.__setattr__(self._view, "_row", values)
        return self._view

    def _insert(self, root: int, row: Sequence[int], read: dict[int, Any], leaf: int, whose: Callable[[], str]) -> int:
        """Add the path of the cells `read`, ending in `leaf`, below `root`; returns the root."""
        self._arrays = None
        nodes = self._nodes
        where, child = -1, root  # `where`: the branch that holds `child`; -1 for the root
        for cell in read:
            value = row[cell]
            if child == UNKNOWN:
                child = nodes.add(cell, value)
                root = self._hang(where, child, root)
            elif child < 0 or nodes.cell.items[child] != cell:
                raise _not_a_function(whose(), f"read {self.cell(cell)} this time, and not")
            beside = value < nodes.size.items[child]  # nearly always, so it is tested here too
            where = nodes.base.items[child] + value if beside else nodes.place(child, value)
            child = nodes.branch.items[where]
        if child > 0:
            earlier = self.cell(nodes.cell.items[child])
            raise _not_a_function(whose(), f"read nothing more this time, and {earlier}")
        return self._hang(where, -1 - leaf, root) if child == UNKNOWN else root

    def cell(self, at: int) -> Cell:
        """The cell at a position of the row of a state, or of a step."""
        cells = self.cells.layout.cells
        return cells[at % len(cells)]

    def action_at(self, instance: ActionInstance) -> str:
        """An action and its source location, for errors."""
        return f"action {instance.label}{instance.action.place}"

    def predicate_at(self, number: int) -> str:
        """A predicate and its source location, for errors."""
        predicate = self.predicates[number]
        return f"{predicate.subject or 'a property'}{predicate.place}"

    def _hang(self, where: int, child: int, root: int) -> int:
        if where < 0:
            return child
        self._nodes.branch.items[where] = child
        return root

    def _leaf(self, number: int, row: Sequence[int], read: dict[int, Any], outcomes: list[Outcome]) -> int:
        cells, columns = self.cells, self._columns
        first = columns.step_instance.size
        for ordinal, (choices, writes, counted) in enumerate(outcomes):
            self.assigns[number] |= bool(writes)
            sighted, blind, before = [], [], []  # a cell that was read has a known old value
            for cell, value in writes.items():
                new = cells.written(cell, value)
                if cell not in read:
                    blind.append((cell, new))
                elif new != row[cell]:
                    sighted.append((cell, new))
                    before.append((cell, row[cell]))
            if counted is not None:
                self.counted[len(self.steps)] = counted
            self.steps.append((number, ordinal))
            self.choices.append(choices)
            columns.step_instance.append(number)
            columns.step_delta.append(cells.difference(before, sighted + blind))
            changed = sighted + blind
            at = columns.write_cell.reserve(len(changed))
            columns.write_value.reserve(len(changed))
            for place, (cell, new) in enumerate(changed, at):
                columns.write_cell.items[place], columns.write_value.items[place] = cell, new
            columns.step_first.append(at)
            columns.step_blind.append(at + len(sighted))
            columns.step_stop.append(at + len(changed))
        columns.leaf_stop.append(first + len(outcomes))
        leaf: int = columns.leaf_start.append(first)
        return leaf

    # Reading the trees back ------------------------------------------------------------------------------------

    def leaf(self, root: int, row: Sequence[int]) -> int:
        """The leaf that `row` leads to below `root`; -1 for a miss, unless another miss of the pass has answered it."""
        nodes = self._nodes
        cell, base, size, branch = nodes.cell.items, nodes.base.items, nodes.size.items, nodes.branch.items
        while root > 0:
            value = row[cell[root]]
            # as TreeNodes.child, which is nearly all of a walk's time
            root = branch[base[root] + value] if value < size[root] else nodes.child(root, value)
        return -1 - root if root < 0 else -1

    def paths(self, root: int, turn: int = 0) -> Iterator[tuple[Path, int]]:
        """Every path below `root` with its leaf, starting with branch `turn` of each node."""
        path: Path = {}
        waiting = [iter([(0, root)])]  # the branches not taken yet, of each node on the path
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
        """The first cell that action instance `number` reads; -1 if it reads none."""
        root = self.roots[number]
        return self._nodes.cell.items[root] if root > 0 else -1

    def below(self, number: int, value: int) -> int:
        """The child of the root of action instance `number` for `value` of its first cell, or UNKNOWN."""
        root = self.roots[number]
        return self._nodes.child(root, value) if root > 0 else root


def _not_a_function(whose: str, difference: str) -> ModelError:
    return ModelError(f"{whose} is not a function of the state: after the same reads it {difference} the time before")


class Dispatch:
    """Builds :class:`DispatchColumns` for the trees' action instances."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees
        self._groups: dict[int, list[int]] = {}
        self._columns = DispatchColumns(
            cell=Growing(np.uint32),
            base=Growing(np.uint32),
            size=Growing(np.uint32),
            table=Growing(np.int32),
            start=Growing(np.uint32),
            stop=Growing(np.uint32),
            instance=Growing(np.int32),
            node=Growing(np.int32),
        )
        self._arrays: DispatchColumns | None = None

    @property
    def arrays(self) -> DispatchColumns:
        """The present lists; ask again after a miss."""
        if self._arrays is None:
            self._arrays = DispatchColumns(*(column.array for column in self._columns))
        return self._arrays

    def prepare(self, row: Sequence[int]) -> None:
        """Run every action instance in the state `row`, and group them by the first cell that they read."""
        for number in range(len(self._trees.model.instances)):
            self._trees.memoize_action(number, row)
            cell = self._trees.first_cell(number)
            if cell >= 0:
                self._groups.setdefault(cell, []).append(number)
            elif self._trees.below(number, 0) != -1 - NOTHING:  # it reads nothing and is always enabled
                self._groups.setdefault(0, []).append(number)
        for cell in self._groups:
            self._columns.cell.append(cell)
            self._columns.base.append(0)
            self._columns.size.append(0)
        self._arrays = None

    def memoize(self, group: int, row: Sequence[int]) -> None:
        """Make the list of a group's instances for the value of its cell in `row`."""
        self._arrays = None
        trees, lists = self._trees, self._columns
        cell = lists.cell.items[group]
        value = row[cell]
        entries = []
        for number in self._groups[cell]:
            if trees.below(number, value) == UNKNOWN:
                trees.memoize_action(number, row)
            child = trees.below(number, value)
            if child != -1 - NOTHING:
                entries.append((number, child))
        if value >= lists.size.items[group]:
            self._widen(group, value)
        lists.table.items[lists.base.items[group] + value] = lists.start.size
        lists.start.append(lists.instance.size)
        for number, node in entries:
            lists.instance.append(number), lists.node.append(node)
        lists.stop.append(lists.instance.size)

    def knows(self, group: int, row: Sequence[int]) -> bool:
        """Whether there is a list for the value of the group's cell in `row`."""
        lists = self._columns
        value = row[lists.cell.items[group]]
        return value < lists.size.items[group] and lists.table.items[lists.base.items[group] + value] >= 0

    def _widen(self, group: int, value: int) -> None:
        lists = self._columns
        old, size = lists.base.items[group], lists.size.items[group]
        room = max(_LEAST_ROOM, 2 * size, value + 1)
        at = lists.table.reserve(room)
        lists.table[at : at + room] = -1
        lists.table[at : at + size] = lists.table[old : old + size]
        lists.base.items[group], lists.size.items[group] = at, room
