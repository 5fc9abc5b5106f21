"""The properties that a search looks out for in its steps: predicates with trees, judged when a state is expanded.

A step is judged by a tree over three rows: the state before, the state after, and for each cell whether it changed.
Once a state is expanded, a separate kernel judges its steps by walking again through trees that are complete by then;
without such properties this costs nothing. A refinement can skip a step which writes no cell that its mapping has ever
read. A place where a property of steps is violated is a state, and the step from there.
"""

from collections.abc import Callable, Container, Sequence
from functools import partial

import numpy as np

from workbench.engines import kernels, step_kernels
from workbench.engines.kernels import Frontier
from workbench.engines.store import BLOCK, Store
from workbench.engines.trees import Trees
from workbench.engines.watch import Place, evaluate, mark
from workbench.kernel import Model
from workbench.kernel.declare import DEADLOCK, Property
from workbench.kernel.errors import ModelError
from workbench.kernel.instances import PropertyInstance, Subject
from workbench.kernel.lasso import may_end
from workbench.kernel.state import Reader


class WatchedSteps:
    """The step properties, refinements and the deadlock that a search looks out for.

    Args:
        properties: Those of the plan's ``steps``.
        in_order: Whether every state was judged as the end of the step by which it was found before it is judged as a
            beginning. Only then is it known which cells a mapping has read in it.

    Attributes:
        decided: For each violated property the number of the first state from which a step violates it, and that step
            of the trees; None in place of the step if it is the state.
        judges: What judges the steps, each with the name of its property.
        begins (list of (str, int, int)): For those that judge initial states the property's name, the predicate's
            number and that of the judge.
        first (int): The number of the first judge's predicate over steps; those of the others follow.
        ends (int): That of the predicate which says where behaviours may end, counted from there; -1 if there is none.
        concerned (uint64 array (instances, words)): For each action instance, one bit per judge of its steps.
        reads (uint64 array (cells, words)): For each cell, one bit per judge that is asked when a step writes it.
    """

    def __init__(self, model: Model, trees: Trees, properties: Sequence[Property], in_order: bool = True) -> None:
        self.properties, self._trees = list(properties), trees
        self.judges: list[tuple[str, PropertyInstance]] = [(p.name, j) for p in properties for j in model.judges(p)]
        kinds = {p.name: p.kind for p in properties}
        self.begins = [
            (name, trees.add_predicate(_holds(judge.begins), Subject(kinds[name], name, "initial")), number)
            for number, (name, judge) in enumerate(self.judges)
            if judge.begins is not None
        ]
        self.first = len(trees.predicates)
        for name, judge in self.judges:
            trees.add_predicate(_right(judge), Subject(kinds[name], name))
        self.ends = -1
        if model.declared_ends is not None:
            ends = Subject(DEADLOCK.kind, DEADLOCK.name, "ends")
            self.ends = trees.add_predicate(lambda s: may_end(model, s), ends) - self.first
        words = max(1, -(-len(self.judges) // 64))
        self.concerned = np.zeros((len(model.instances), words), np.uint64)
        self.reads = np.zeros((len(trees.cells.layout.cells), words), np.uint64)
        for number, (_, judge) in enumerate(self.judges):
            for instance in model.instances:
                if judge.concerns(instance):
                    self.concerned[instance.number, number // 64] |= mark(number)
            if not (judge.follows_reads and in_order):
                self.reads[:, number // 64] |= mark(number)
        self._active = np.zeros(words, np.uint64)
        self._scratch = np.zeros(3 * len(trees.cells.layout.cells), np.int32)
        self._cursor = np.zeros(step_kernels.CURSOR, np.int64)
        self.begin_anew()

    def begin_anew(self, known: Container[str] = ()) -> None:
        """Forget what was found, and look out for everything but the properties called `known`."""
        self.decided: dict[str, Place] = {}
        self._stuck = any(p.kind == DEADLOCK.kind and p.name not in known for p in self.properties)
        self._active[:] = 0
        for number, (name, _) in enumerate(self.judges):
            if name not in known:
                self._active[number // 64] |= mark(number)

    @property
    def waits(self) -> bool:
        """Whether there is anything left to look out for."""
        return self._stuck or bool(self._active.any())

    def judge_initial(self, rows: np.ndarray, place: Callable[[int], Place]) -> None:
        """Judge initial states; `place` says where each of the rows is."""
        for name, predicate, number in self.begins:
            right = evaluate(self._trees, predicate, rows, partial(self.note, number))
            if not right.all():
                self._hit(name, *place(int(np.argmin(right))))

    def judge(self, store: Store, first: int, end: int) -> None:
        """Judge the steps from the states `first` up to `end`, which have been expanded; their rows are still there."""
        while first < end and self.waits:
            block, at = store.block_of(first)
            stop = min(end - block.base, BLOCK)
            self._judge(block, at, stop)
            first = block.base + stop

    def _judge(self, block: Frontier, first: int, stop: int) -> None:
        cursor, trees = self._cursor, self._trees
        cursor[kernels.STATE] = first
        while self.waits:
            why = step_kernels.inspect_steps(
                trees.arrays,
                trees.dispatch.arrays,
                trees.predicate_roots[self.first :],
                self.concerned,
                self._active,
                self.reads,
                self._stuck,
                self.ends,
                block,
                stop,
                self._scratch,
                cursor,
            )
            state, number, step = (int(cursor[at]) for at in (kernels.STATE, kernels.WHAT, step_kernels.STEP))
            if why == kernels.DONE:
                break
            if why == kernels.MISS_PREDICATE and step < 0:
                trees.learn_predicate(self.first + number, block.rows[state].tolist())
            elif why == kernels.MISS_PREDICATE:
                try:
                    read = trees.learn_step(self.first + number, self._scratch.tolist())
                except ModelError as error:
                    error.met = block.rows[state].tolist(), step
                    raise
                self.note(number, read)
            elif step < 0:
                self._hit(DEADLOCK.name, block.base + state, None)
            else:
                self._hit(self.judges[number][0], block.base + state, step)

    def note(self, number: int, cells: set[int]) -> None:
        """Remember which cells the judge with that number has read."""
        self.reads[[cell % len(self.reads) for cell in cells], number // 64] |= mark(number)

    def _hit(self, name: str, state: int, step: int | None) -> None:
        self.decided.setdefault(name, (state, step))
        if name == DEADLOCK.name:
            self._stuck = False
        for number, (of, _) in enumerate(self.judges):
            if of == name:
                self._active[number // 64] &= ~mark(number)


def _holds(judge: Callable[[Reader], bool | str]) -> Callable[[Reader], bool]:
    return lambda state: judge(state) is True


def _right(judge: PropertyInstance) -> Callable[[Reader, Reader], bool]:
    return lambda before, after: judge.judge(before, after) is True
