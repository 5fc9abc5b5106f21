"""One worker's part of the walks: its own trees, and its tally."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.checking.kernels import serving
from workbench.checking.kernels.serving import serve
from workbench.checking.trees.cells import Interner
from workbench.checking.trees.decision_trees import Trees
from workbench.checking.trees.state_predicates import Watched
from workbench.checking.trees.step_predicates import WatchedSteps
from workbench.checking.walks import kernels, sketch
from workbench.checking.walks.kernels import NEVER, Counted, Starts, Walk, WalkWatch
from workbench.checking.walks.result import WalkRule
from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.properties import DEADLOCK, Property
from workbench.kernel.meaning.trace import Move, Trace, leading_to, replay

#: The steps between two looks at the clock.
_PAUSE = 50_000
#: The bytes of trees and numbers before they start anew: values that do not recur make both large.
_TREES = 128 << 20


def judged(plan: Plan) -> list[Property]:
    """The properties that walks judge, in the order of a tally."""
    return [*plan.safety, *plan.steps]


@dataclass
class Tally:
    """The findings of some walks.

    Attributes:
        depth, number: For each property the length of the shortest walk that decided it, and the lowest number of such
            a walk.
        calls: Calls of the model's Python code.
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
        """Add the walks of `other`, in any order."""
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
        """Whether a walk decided each property."""
        decided: np.ndarray = self.depth < NEVER
        return decided


class Walker:
    """Makes walks, one after the other, in one thread.

    Args:
        starts: The initial states.

    Attributes:
        tally (Tally): Of the walks since it was last collected.
    """

    def __init__(self, plan: Plan, rule: WalkRule, starts: Sequence[Any]) -> None:
        self.plan, self.model, self.rule, self.starts = plan, plan.model, rule, starts
        self._rule = (rule.depth, rule.seed, rule.uniform == "successors", rule.swarm)
        self.tally = Tally.empty(self.plan)
        self._servants = self._make_servants()
        self._renew()

    def _renew(self) -> None:
        """Start with new trees and numbers of values."""
        self.cells = Interner(self.model, key=b"")  # for the sketch alone: one seed, one estimate
        self.trees = Trees(self.cells)
        self.watched = Watched(self.model, self.trees, self.plan.safety)
        self._bounds = self.trees.add_predicates(self.model.constraint_predicates())
        self.steps = WatchedSteps(self.model, self.trees, self.plan.steps)
        self.steps.of += len(self.plan.safety)
        self._begins_of = self.steps.of[[number for number, _ in self.steps.begins]]
        names = [declared.name for declared in judged(self.plan)]
        self._deadlock = names.index(DEADLOCK.name) if DEADLOCK.name in names else -1
        instances, width = len(self.model.instances), len(self.cells.values)
        self._starts = Starts(np.zeros((len(self.starts), width), np.int32), np.zeros(len(self.starts), np.bool_))
        self._encode_start(0)
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
        """Return the tally so far, and start a new one."""
        tally, self.tally = self.tally, Tally.empty(self.plan)
        return tally

    def walk(self, first: int, end: int, pause: Callable[[], object]) -> None:
        """Make the walks with numbers from `first` up to `end`; `pause` is called now and then, and may raise."""
        if self.nbytes > _TREES:
            self._renew()
        self._run(first, end, self._rule, self.tally, pause)

    def retrace(self, number: int, depth: int) -> tuple[int, list[Move]]:
        """The initial state of walk `number`, and at most its first `depth` steps."""
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
        try:
            with leading_to(self._trace_of):
                serve(lambda: self._stroll(end, rule, tally), self._servants, pause)
        finally:
            tally.calls += self.trees.misses - before

    def _trace_of(self, error: ModelError) -> Trace | None:
        """The trace of the walk up to the model's error."""
        if error.met is None:
            return None
        place, steps = self._at.place, self._at.path.tolist()[: self._at.place[kernels.DEPTH]]
        _, step = error.met
        taking = [] if step is None else [step]
        error.met = [int(place[kernels.START]), [self.trees.steps[step] for step in steps + taking]]
        return replay(self.model, *error.met)

    def _stroll(self, end: int, rule: tuple[int, int, bool, bool], tally: Tally) -> int:
        roots = self.trees.predicate_roots
        watch = WalkWatch(
            states=self.watched.columns,
            steps=self.steps.columns,
            begins=roots[[predicate for _, predicate in self.steps.begins]],
            begins_of=self._begins_of,
            deadlock=self._deadlock,
            ends=self.steps.ends,
            bounds=roots[self._bounds],
            depth=tally.depth,
            number=tally.number,
            scratch=self._scratch,
        )
        return int(
            kernels.stroll(
                self.trees.arrays,
                self.trees.dispatch.arrays,
                (self.cells.hash_base, self.cells.hashes),
                self._starts,
                watch,
                tally.counted,
                rule,
                self._at,
                end,
                _PAUSE,
            )
        )

    def _make_servants(self) -> dict[int, Callable[[], object]]:
        """For each reason why a walk stops, the method that serves it."""

        def at(place: int) -> int:
            return int(self._at.place[place])

        def row() -> list[int]:
            numbers: list[int] = self._at.row.tolist()
            return numbers

        def memoize_begin() -> None:
            judge, predicate = self.steps.begins[at(kernels.WHAT)]
            self.steps.note(judge, self.trees.memoize_predicate(predicate, row()))

        return {
            serving.PAUSE: lambda: None,
            serving.MISS_START: lambda: self._encode_start(at(kernels.START)),
            serving.MISS_GROUP: lambda: self.trees.dispatch.memoize(at(kernels.GROUP), row()),
            serving.MISS_ACTION: lambda: self.trees.memoize_action(at(kernels.WHAT), row()),
            serving.MISS_PREDICATE: lambda: self.watched.memoize(at(kernels.WHAT), row()),
            serving.MISS_CONSTRAINT: lambda: self.trees.memoize_predicate(self._bounds[at(kernels.WHAT)], row()),
            serving.MISS_BEGIN: memoize_begin,
            serving.MISS_STEP: lambda: self.steps.memoize(at(kernels.WHAT), self._scratch.tolist(), at(kernels.STEP)),
            serving.MISS_END: lambda: self.trees.memoize_predicate(self.steps.first + self.steps.ends, row()),
        }

    def _encode_start(self, which: int) -> None:
        self._starts.rows[which] = self.cells.encode(self.starts[which])
        self._starts.known[which] = True
