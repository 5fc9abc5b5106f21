"""The purity check: running a sample of memoized situations again exposes code that is not a function of the state."""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle, islice, zip_longest

from workbench.checking.trees.cells import StepReads
from workbench.checking.trees.decision_trees import NOTHING, TRUE, Path, Trees
from workbench.kernel.meaning.errors import ModelError, impure
from workbench.kernel.meaning.rerunning import again_and_again, how_often
from workbench.kernel.meaning.state import Reads
from workbench.kernel.meaning.steps import Outcome
from workbench.kernel.meaning.values import counted, is_same


def run_again(trees: Trees) -> None:
    """Run the model's Python again in a sample of memoized situations; if there are few, in each of them many times.

    Raises:
        ModelError: If it behaves differently.
    """
    if trees.misses > trees.repeated:
        for run, path, leaf in again_and_again(*_Again(trees).situations()):
            run(path, leaf)
        trees.repeated = trees.misses


#: The function that runs the model on a memoized path again, the path, and its leaf.
Situation = tuple[Callable[[Path, int], None], Path, int]
#: A value that was never met, unlike a cell that is not written.
_NEVER_MET = -1


class _Again:
    def __init__(self, trees: Trees) -> None:
        self._trees, self._cells, self._layout = trees, trees.cells, trees.cells.layout

    def situations(self) -> tuple[list[Situation], int]:
        """Memoized situations, and how often to run each: one of each tree, then a second one of each, and so on.

        The situations of a tree with few of them are repeated, so that even an invariant that reads nothing is tested
        often enough.
        """
        trees, number = self._trees, how_often(self._trees.misses)
        runs = [partial(self._action, number) for number in range(len(trees.roots))]
        runs += [partial(self._predicate, number) for number in range(len(trees.predicates))]
        roots = [*trees.roots, *trees.predicate_roots.tolist()]
        chosen: list[list[Situation]] = [[] for _ in roots]
        waiting = deque(zip(runs, (trees.paths(root, trees.misses) for root in roots), chosen, strict=True))
        room = number
        while waiting and room:
            run, paths, some = waiting.popleft()
            for path, leaf in paths:
                some.append((run, path, leaf))
                waiting.append((run, paths, some))
                room -= 1
                break
        times = number // max(1, number - room)
        least = number // len(roots) // times
        return [situation for some in chosen if some for situation in islice(cycle(some), max(len(some), least))], times

    def _action(self, number: int, path: Path, leaf: int) -> None:
        trees, instance = self._trees, self._trees.model.instances[number]
        read = self._cells.reads(defaultdict(int, path))

        def differs() -> str | None:
            outcomes, _ = instance.run(read)
            return self._outcomes_differ(path, leaf, outcomes)

        self._compare(differs, path, read, lambda: trees.action_at(instance))

    def _predicate(self, number: int, path: Path, leaf: int) -> None:
        trees, predicate, row = self._trees, self._trees.predicates[number], defaultdict(int, path)
        read = StepReads(self._cells.values, row) if predicate.of_steps else self._cells.reads(row)

        def differs() -> str | None:
            states = read.views(self._layout) if isinstance(read, StepReads) else [self._layout.view(read)]
            answer = predicate.holds(*states)
            return None if answer == (leaf == TRUE) else f"it is {answer} this time, and was {leaf == TRUE}"

        self._compare(differs, path, read, lambda: trees.predicate_at(number))

    def _compare(self, differs: Callable[[], str | None], path: Path, read: Reads, whose: Callable[[], str]) -> None:
        try:
            difference = differs()
        except ModelError as error:
            difference = str(error)
        for now, before in zip_longest(read, path):
            if now != before:
                this, that = ("nothing" if cell is None else self._trees.cell(cell) for cell in (now, before))
                difference = f"it reads {this} this time, where it read {that}"
                break
        if difference is not None:
            raise impure(whose(), difference)

    def _outcomes_differ(self, path: Path, leaf: int, outcomes: Sequence[Outcome]) -> str | None:
        trees, arrays = self._trees, self._trees.arrays
        first, stop = (0, 0) if leaf == NOTHING else (int(arrays.leaf_start[leaf]), int(arrays.leaf_stop[leaf]))
        if len(outcomes) != stop - first:
            return f"it has {counted(len(outcomes), 'outcome')} this time, and had {stop - first}"
        for step, outcome in enumerate(outcomes, first):
            if not is_same(outcome.choices, trees.choices[step]):
                return "it makes other choices"
            if outcome.counted != trees.counted.get(step):
                return "fairness counts it for other conditions"
            writes = slice(arrays.step_first[step], arrays.step_stop[step])
            before = dict(zip(arrays.write_cell[writes].tolist(), arrays.write_value[writes].tolist(), strict=True))
            written = ((cell, self._cells.find(cell, value)) for cell, value in outcome.writes.items())
            now = {cell: _NEVER_MET if value is None else value for cell, value in written}
            now = {cell: value for cell, value in now.items() if cell not in path or value != path[cell]}
            for cell in (cell for cell in {**now, **before} if now.get(cell) != before.get(cell)):
                return f"it writes {trees.cell(cell)} differently"
        return None
