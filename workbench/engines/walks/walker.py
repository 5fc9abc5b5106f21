"""One worker's part of the walks: its own trees, which it teaches, and what it has counted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.engines.cells import Cells
from workbench.engines.kernels import DONE, MISS_ACTION, MISS_GROUP, MISS_PREDICATE
from workbench.engines.steps import WatchedSteps
from workbench.engines.trees import Trees
from workbench.engines.walks import kernels, sketch
from workbench.engines.walks.kernels import NEVER, Counted, Starts, StepWatch, Walk, Watch
from workbench.engines.walks.result import Rule
from workbench.engines.watch import Watched
from workbench.kernel.declare import DEADLOCK, Property
from workbench.kernel.errors import ModelError
from workbench.kernel.plan import Plan
from workbench.kernel.trace import Move, Trace, leading_to, replay

#: Steps between two looks at the clock.
_PAUSE = 50_000
#: Bytes after which trees and numbers of values are begun anew: values that do not come again make both large.
_TREES = 128 << 20


def judged(plan: Plan) -> list[Property]:
    """The properties that walks judge, in the order of their places in a tally."""
    return [*plan.safety, *plan.steps]


@dataclass
class Tally:
    """What some walks came to.

    Attributes:
        depth, number: The steps of the shortest walk that decided the property, and of these the one with the lowest
            number.
        calls: How often the model's Python code was called.
    """

    counted: Counted
    depth: np.ndarray
    number: np.ndarray
    calls: int = 0

    @classmethod
    def empty(cls, plan: Plan) -> "Tally":
        instances, properties = len(plan.model.instances), len(judged(plan))
        counted = Counted(
            enabled=np.zeros(instances, np.int64),
            taken=np.zeros(instances, np.int64),
            sums=np.zeros(kernels.SUMS, np.int64),
            registers=sketch.empty(),
        )
        return cls(counted, np.full(properties, NEVER), np.full(properties, NEVER))

    def add(self, other: "Tally") -> None:
        """Count the walks of `other` too; which walks somebody made makes no difference."""
        mine, its = self.counted, other.counted
        longest = max(mine.sums[kernels.LONGEST], its.sums[kernels.LONGEST])
        mine.enabled[:] += its.enabled
        mine.taken[:] += its.taken
        mine.sums[:] += its.sums
        mine.sums[kernels.LONGEST] = longest
        np.maximum(mine.registers, its.registers, out=mine.registers)
        first = (other.depth < self.depth) | ((other.depth == self.depth) & (other.number < self.number))
        self.depth[first], self.number[first] = other.depth[first], other.number[first]
        self.calls += other.calls

    @property
    def walks(self) -> int:
        return int(self.counted.sums[kernels.WALKS])

    @property
    def steps(self) -> int:
        return int(self.counted.sums[kernels.STEPS])

    @property
    def decided(self) -> np.ndarray:
        """Which of the properties some walk decided."""
        decided: np.ndarray = self.depth < NEVER
        return decided


class Walker:
    """Makes walks, one after the other. It serves one thread.

    Args:
        starts: The initial states to begin in.

    Attributes:
        tally (Tally): Of the walks made since it was last collected.
    """

    def __init__(self, plan: Plan, rule: Rule, starts: Sequence[Any]) -> None:
        self.plan, self.model, self.rule, self.starts = plan, plan.model, rule, starts
        self._rule = (rule.depth, rule.seed, rule.uniform == "successors", rule.swarm)
        self.tally = Tally.empty(self.plan)
        self._renew()

    def _renew(self) -> None:
        """Begin trees and numbers of values anew."""
        self.cells = Cells(self.model)
        self.trees = Trees(self.cells)
        self.watched = Watched(self.model, self.trees, self.plan.safety)
        self._bounds = [
            self.trees.add_predicate(i.holds, i.subject, i.place) for i in self.model.constraint_predicates()
        ]
        self.steps = WatchedSteps(self.model, self.trees, self.plan.steps)
        names = [declared.name for declared in judged(self.plan)]
        self._of = np.array([names.index(i.property.name) for i in self.watched.instances], np.int64)
        self._steps_of = np.array([names.index(name) for name, _ in self.steps.judges], np.int64)
        self._begins_of = np.array([names.index(name) for name, *_ in self.steps.begins], np.int64)
        self._deadlock = names.index(DEADLOCK.name) if DEADLOCK.name in names else -1
        instances, width = len(self.model.instances), len(self.cells.values)
        self._starts = Starts(np.zeros((len(self.starts), width), np.int32), np.zeros(len(self.starts), np.bool_))
        self._learn_start(0)
        self.trees.dispatch.prepare(self._starts.rows[0].tolist())
        self._at = Walk(
            place=np.zeros(kernels.PLACES, np.int64),
            row=np.zeros(width, np.int32),
            fingerprint=np.zeros(1, np.uint64),
            random=np.zeros(1, np.uint64),
            weight=np.ones(instances, np.int64),
            instance=np.zeros(instances, np.int32),
            leaf=np.zeros(instances, np.int32),
            until=np.zeros(instances, np.int64),
            path=np.zeros(self.rule.depth, np.int32),
        )
        self._scratch = np.zeros(3 * width, np.int32)

    @property
    def nbytes(self) -> int:
        return self.trees.nbytes + self.cells.nbytes

    def collect(self) -> Tally:
        """The tally so far; a new one is begun."""
        tally, self.tally = self.tally, Tally.empty(self.plan)
        return tally

    def walk(self, first: int, end: int, pause: Callable[[], object]) -> None:
        """Make the walks with the numbers from `first` up to `end`; `pause` is called now and then, and may raise."""
        if self.nbytes > _TREES:
            self._renew()
        self._run(first, end, self._rule, self.tally, pause)

    def retrace(self, number: int, depth: int) -> tuple[int, list[Move]]:
        """The initial state in which walk `number` begins, and its first `depth` steps, or all if it has fewer."""
        unseen = Tally.empty(self.plan)
        unseen.depth[:] = 0  # nothing is judged again
        self._run(number, number + 1, (depth, *self._rule[1:]), unseen, lambda: None)
        place = self._at.place
        steps = self._at.path[: place[kernels.DEPTH]].tolist()
        return int(place[kernels.START]), [Move(*self.trees.steps[step]) for step in steps]

    def _run(
        self, first: int, end: int, rule: tuple[int, int, bool, bool], tally: Tally, pause: Callable[[], object]
    ) -> None:
        place, before = self._at.place, self.trees.misses
        place[:] = 0
        place[kernels.NUMBER] = first
        why = DONE
        try:
            with leading_to(lambda error: self._trace_of(error, why)):
                while (why := self._stroll(end, rule, tally)) != DONE:
                    if why != kernels.PAUSE:
                        self._learn(why)
                    pause()
        finally:
            tally.calls += self.trees.misses - before

    def _trace_of(self, error: ModelError, why: int) -> Trace | None:
        """The walk so far, at whose end the model's error was met; `why` says what for."""
        if error.met is None:
            return None
        place, steps = self._at.place, self._at.path.tolist()[: self._at.place[kernels.DEPTH]]
        taking = [int(place[kernels.STEP])] if why == kernels.MISS_STEP else []
        error.met = [int(place[kernels.START]), [self.trees.steps[step] for step in steps + taking]]
        return replay(self.model, *error.met)

    def _stroll(self, end: int, rule: tuple[int, int, bool, bool], tally: Tally) -> int:
        watched, steps, roots = self.watched, self.steps, self.trees.predicate_roots
        watch = Watch(
            roots=watched.roots,
            wanted=watched.wanted,
            reads=watched.reads,
            of=self._of,
            depth=tally.depth,
            number=tally.number,
            bounds=roots[self._bounds],
        )
        step_watch = StepWatch(
            roots=roots[steps.first :],
            of=self._steps_of,
            concerned=steps.concerned,
            reads=steps.reads,
            begins=roots[[predicate for _, predicate, _ in steps.begins]],
            begins_of=self._begins_of,
            deadlock=self._deadlock,
            ends=steps.ends,
            scratch=self._scratch,
        )
        return int(
            kernels.stroll(
                self.trees.arrays,
                self.trees.dispatch.arrays,
                (self.cells.hash_base, self.cells.hashes),
                self._starts,
                watch,
                step_watch,
                tally.counted,
                rule,
                self._at,
                end,
                _PAUSE,
            )
        )

    def _learn(self, why: int) -> None:
        place, trees, steps = self._at.place, self.trees, self.steps
        row, what = self._at.row.tolist(), int(place[kernels.WHAT])
        if why == kernels.MISS_START:
            self._learn_start(int(place[kernels.START]))
        elif why == MISS_GROUP:
            trees.dispatch.learn(int(place[kernels.GROUP]), row)
        elif why == MISS_ACTION:
            trees.learn_action(what, row)
        elif why == MISS_PREDICATE:
            self.watched.learn(what, row)
        elif why == kernels.MISS_BOUND:
            trees.learn_predicate(self._bounds[what], row)
        elif why == kernels.MISS_BEGIN:
            _, predicate, judge = steps.begins[what]
            steps.note(judge, trees.learn_predicate(predicate, row))
        elif why == kernels.MISS_STEP:
            steps.note(what, trees.learn_step(steps.first + what, self._scratch.tolist()))
        elif why == kernels.MISS_END:
            trees.learn_predicate(steps.first + steps.ends, row)

    def _learn_start(self, which: int) -> None:
        self._starts.rows[which] = self.cells.encode(self.starts[which])
        self._starts.known[which] = True
