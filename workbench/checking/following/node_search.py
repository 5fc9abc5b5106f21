"""The search over nodes (a state and a mark) that recordings and scenarios share, and the names of steps."""

import random
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.following import kernels
from workbench.checking.following.kernels import Nodes
from workbench.checking.following.names import IsNamed
from workbench.checking.kernels import serving
from workbench.checking.kernels.loops import HashTable
from workbench.checking.kernels.serving import serve
from workbench.checking.trees.cells import Interner
from workbench.checking.trees.decision_trees import Trees
from workbench.kernel import Machine, State

#: Calls of Python between two checks of the limits.
MISSES_PER_CHECK = 64


class _Numbered(Interner):
    """Draws hashes at random: they stay in this process, and long values take long to hash.

    Args:
        irrelevant: Cells that do not distinguish states.
    """

    def __init__(self, model: Machine, irrelevant: Collection[int]) -> None:
        self._irrelevant = irrelevant
        self._draw = random.Random()  # as good as a key: nobody can foresee it
        super().__init__(model, key=b"")

    def _hash(self, cell: int, value: Any) -> list[int]:
        return [0 if cell in self._irrelevant else self._draw.getrandbits(64)]


class NodeSearch:
    """A breadth-first search over nodes, which are states with marks. Its arrays grow by doubling.

    Args:
        salted: Whether a state with two marks is two nodes.
        irrelevant: Cells that do not distinguish states.
    """

    def __init__(self, model: Machine, salted: bool, irrelevant: Collection[int] = ()) -> None:
        self.model, self.salted, self._irrelevant = model, salted, irrelevant
        self._served = 0
        self._servants = self._make_servants()
        self.forget()
        self.nodes = self._make_nodes(256)
        self.cursor = np.zeros(kernels.CURSOR, np.int64)
        self.possible = np.empty(256, np.int64)
        self._slots = self._make_table(1024)
        self.table = self._slots

    def forget(self) -> None:
        """Drop the trees and the numbers of values."""
        self.cells = _Numbered(self.model, self._irrelevant)
        self.trees = Trees(self.cells)
        self._prepared = False

    def _make_nodes(self, room: int) -> Nodes:
        width = len(self.model.layout.cells)
        return Nodes(
            np.empty((room, width), np.int32),
            np.empty(room, np.uint64),
            np.empty(room, np.int32),
            np.empty(room, np.int32),
            np.empty(room, np.int32),
        )

    def _make_table(self, slots: int) -> HashTable:
        return HashTable(np.zeros(slots, np.uint64), np.zeros(0, np.uint64), np.zeros(slots, np.uint32))

    @property
    def count(self) -> int:
        """The number of nodes."""
        return int(self.cursor[kernels.COUNT])

    @property
    def tree_bytes(self) -> int:
        return self.trees.nbytes + self.cells.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes allocated."""
        return self.tree_bytes + sum(part.nbytes for part in (*self.nodes, *self._slots))

    def begin(self, count: int) -> None:
        """Start with the first `count` nodes."""
        self.cursor[:] = 0
        self.cursor[kernels.COUNT] = count
        self._index(1024)
        if not self._prepared and count:
            self.trees.dispatch.prepare(self.nodes.rows[0].tolist())
            self._prepared = True

    def reserve(self, count: int) -> None:
        """Make room for `count` nodes."""
        room = len(self.nodes.sums)
        if count <= room:
            return
        while room < count:
            room *= 2
        grown, used = self._make_nodes(room), self.count
        for old, new in zip(self.nodes, grown, strict=True):
            new[:used] = old[:used]
        self.nodes = grown

    def _index(self, least: int) -> None:
        """Make a table with room to spare for the nodes."""
        slots = least
        while slots * 0.75 < 2 * self.count:
            slots *= 2
        if slots > len(self._slots.low):
            self._slots = self._make_table(slots)
        self.table = HashTable(self._slots.low[:slots], self._slots.high, self._slots.number[:slots])
        self.table.low[:] = 0
        kernels.rebuild(self.nodes, self.count, self.salted, self.table)

    def add(self, state: State, mark: int) -> None:
        """Add a first state, before :meth:`begin`."""
        self.reserve(self.count + 1)
        row, at, nodes = self.cells.encode(state), self.count, self.nodes
        nodes.rows[at], nodes.sums[at], nodes.mark[at] = row, self.cells.sums(row)[0], mark
        nodes.parent[at], nodes.step[at] = -1, at
        self.cursor[kernels.COUNT] = at + 1

    def run(
        self, kernel: Callable[..., int], aim: Callable[[], NamedTuple], check: Callable[[], None], pause: int
    ) -> int:
        """Call `kernel`, handle its misses, and make room for nodes; returns why it stopped if that was neither.

        Args:
            aim: Makes the kernel's own arguments, after each miss anew.
            check: Called now and then; may raise to stop.
            pause: The nodes to expand between two checks.
        """

        def run() -> int:
            return kernel(
                self.trees.arrays,
                self.trees.dispatch.arrays,
                (self.cells.hash_base, self.cells.hashes),
                self.nodes,
                self.table,
                aim(),
                self.possible,
                pause,
                self.cursor,
            )

        def count() -> None:
            self._served += 1
            if self._served % MISSES_PER_CHECK == 0:
                check()

        return serve(run, {**self._servants, serving.PAUSE: check}, count)

    def _make_servants(self) -> dict[int, Callable[[], object]]:
        """For each reason why a kernel stops, the function that serves it."""

        def missed() -> int:
            return int(self.cursor[kernels.WHAT])

        def row() -> list[int]:
            numbers: list[int] = self.nodes.rows[self.cursor[kernels.NODE]].tolist()
            return numbers

        return {
            serving.MISS_ACTION: lambda: self.trees.memoize_action(missed(), row()),
            serving.MISS_GROUP: lambda: self.trees.dispatch.memoize(missed(), row()),
            serving.MISS_PREDICATE: lambda: self.trees.memoize_predicate(
                missed(), self.nodes.rows[self.count].tolist()
            ),
            serving.STEPS_FULL: self._widen_steps,
            serving.NODES_FULL: self._make_room,
        }

    def _widen_steps(self) -> None:
        self.possible = np.empty(2 * len(self.possible), np.int64)

    def _make_room(self) -> None:
        self.reserve(len(self.nodes.sums) * (1 if len(self.table.low) * 0.75 <= len(self.nodes.sums) else 2))
        if len(self.table.low) * 0.75 <= len(self.nodes.sums):
            self._index(2 * len(self.table.low))

    def state(self, node: int) -> Any:
        """The state of a node."""
        return self.cells.decode(self.nodes.rows[node].tolist())


class NamedSteps:
    """The names of the steps memoized so far: whether each step has each of some names.

    Args:
        tests: One for each name.
    """

    def __init__(self, trees: Trees, tests: Sequence[IsNamed]) -> None:
        self._trees, self._tests = trees, tests
        self._passed = np.zeros((256, len(tests)), np.bool_)
        self._size = 0

    @property
    def array(self) -> np.ndarray:
        """A row per memoized step, with a column per name."""
        steps = self._trees.steps
        if len(steps) > len(self._passed):
            grown = np.zeros((2 * len(steps), len(self._tests)), np.bool_)
            grown[: self._size] = self._passed[: self._size]
            self._passed = grown
        instances = self._trees.model.instances
        for step in range(self._size, len(steps)):
            chosen = self._trees.choices[step]
            self._passed[step] = [test(instances[steps[step][0]], chosen) for test in self._tests]
        self._size = len(steps)
        return self._passed
