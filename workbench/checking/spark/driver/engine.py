"""The distributed engine: level by level, wide levels as Spark jobs; the driver holds only small numbers.

A level takes one shuffle. A job makes one level, or several if they are wide and quick (``levels_per_job.py``); the
driver makes narrow levels itself (``narrow_levels.py``). Visited sets are cached by workers, not joined: a process
keeps the fingerprints of its buckets, and reads any that it lacks from the run directory. If two actions reach the same
new state in one level, either may be counted as its discoverer. So counts of *new* states per action can differ from
those of other engines; nothing else does.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from workbench.checking.contract import collision_probability
from workbench.checking.local.memory import peak_bytes
from workbench.checking.local.search import LocalSearch, count_actions
from workbench.checking.spark.cluster.dataflow import Stage, here
from workbench.checking.spark.driver.handover import write_search
from workbench.checking.spark.files.links import Links
from workbench.checking.spark.files.manifest import LAST_LEVEL, PRUNED, Level, LevelFile, RunManifest
from workbench.checking.spark.files.messages import Admitted, NextLevel, Task, Work
from workbench.checking.spark.files.rundir import CellValues, NotWritten
from workbench.checking.spark.files.states import ROW_GROUP
from workbench.checking.spark.files.transitions import OUTSIDE
from workbench.checking.spark.liveness.linking import LinkPlan, link_run
from workbench.checking.spark.liveness.liveness import SparkLivenessJudge
from workbench.checking.spark.liveness.sweeping import HERE
from workbench.checking.spark.search.cutting import cut
from workbench.checking.spark.search.initial_level import write_initial_level
from workbench.checking.spark.search.levels_per_job import levels_per_job
from workbench.checking.spark.search.narrow_levels import NarrowLevels
from workbench.checking.spark.search.spark_run import Running
from workbench.checking.spark.worker import expanding
from workbench.checking.spark.worker.worker import Worker, worker_for
from workbench.checking.trees.costs import costs_of
from workbench.checking.trees.profile import Cost, Profile, joined
from workbench.kernel import InputError, ModelError, Trace
from workbench.kernel.meaning.budget import Limits, Stop
from workbench.kernel.meaning.conclusion import Exploration, Growth
from workbench.kernel.meaning.trace import leading_to
from workbench.kernel.meaning.values import identity
from workbench.storage.folder import Folder
from workbench.storage.identity import Identity

#: The most states that one task expands, in a level with more tasks than buckets.
MOST_PER_TASK = 1 << 21


class SparkSearch(Running):
    """A search whose states live in a run directory."""

    def __init__(self, spark: Any, folder: Folder, task: Task, identity: Identity, manifest: RunManifest) -> None:
        super().__init__(spark, folder, task, identity, manifest)
        self._narrow = NarrowLevels(self.directory, task)
        self._costs: dict[str, tuple[Cost, ...]] = {}  # the last report of each process
        cells = task.model.layout.cells
        self._growth, self._values = Growth(cells), [0] * len(cells)
        self._resumed = bool(manifest.levels)
        self._worker_peak = 0

    def begin(self) -> None:
        """Make the folder a run directory."""
        self.commit(self.manifest)

    def take_over(self, search: LocalSearch, seconds: float) -> None:
        """Continue from the last completed level of a search in this process, which is not needed afterwards."""
        self.reported = search.store.count
        self._costs["in process"] = costs_of(search.trees)
        # Raises InputError if workers cannot load the model, or do not see the run directory.
        self.flow(range(self.task.buckets), partial(expanding.reach_worker, self._getting([])))
        try:
            manifest = write_search(self.directory, self.task, search, seconds)
            self.commit(manifest)
        except NotWritten as error:
            raise InputError(f"the search cannot be written: {error}") from None
        self.manifest = self.counted = manifest

    # The search --------------------------------------------------------------------------------------------------

    def run(self, limits: Limits, fail_fast: bool = False) -> None:
        """Search level by level until nothing is new, a budget is used up, or the search is stopped.

        An incomplete level is then abandoned. Completed levels stay valid, and the search can be resumed.
        """
        self.limits, self.unfinished = limits, True
        try:
            with leading_to(self._trace_of):
                self._run(limits, fail_fast)
        except ModelError as error:
            self.stopped, self.error = limits.why(error), error
            self.unfinished = False  # a faulty model will change, and then its search cannot be resumed

    def _run(self, limits: Limits, fail_fast: bool) -> None:
        try:
            while not self.manifest.complete:
                if fail_fast and self._violated():
                    self.unfinished = False
                    raise Stop("stopped at the first violation")
                self.watch()
                began = time.perf_counter()
                if self.manifest.levels:
                    limits.deeper(len(self.manifest.levels))
                    initial, levels = self.manifest.initial, self._next_levels()
                else:
                    initial, outcomes = write_initial_level(self.directory, self.task, self.watch)
                    levels = [outcomes]
                seconds = (time.perf_counter() - began) / len(levels)
                numbered: CellValues = [[] for _ in self.model.layout.cells]
                for outcomes in levels:
                    if self.manifest.complete or (fail_fast and self._violated()):
                        break
                    numbered = self._complete(self._with(initial, outcomes, seconds), outcomes, limits, numbered)
            if self.plan().liveness and self.manifest.sizes:
                self._link()
            self.unfinished = False
        except NotWritten as error:
            raise self.explain(error) from error
        except Stop as stop:
            self.stopped = str(stop)

    def _trace_of(self, error: ModelError) -> Trace | None:
        """The trace to the model's error, if its place is known."""
        if not isinstance(error.met, list):
            return None
        level, *words = error.met
        level = len(self.manifest.levels) - 1 if level == LAST_LEVEL else level
        return Links(self.directory, self.task, self.manifest).trace_to([level, *words])

    def _link(self) -> None:
        """Add the transitions of the complete search to the run."""
        plan = LinkPlan.of(self.manifest, self.part_states)
        if self.manifest.linked or int(plan.firsts[-1]) >= OUTSIDE:
            return
        if int(plan.firsts[-1]) <= HERE:
            worker = self._narrow.worker(self.manifest.values, self.watch)
            linked = link_run(here, lambda: worker, self.task.buckets, plan)
        else:
            files = [source.file.path for source in plan.sources]
            linked = link_run(self.flow, self._getting([*files, *plan.before]), self.task.buckets, plan)
        manifest = self.manifest.copy()
        manifest.transitions += sorted((part.file for part in linked), key=lambda file: file.first)
        if not manifest.linked or sum(file.transitions for file in manifest.transitions) != self._generated(manifest):
            raise ModelError("other transitions were found when states were expanded again: the model is not pure")
        for part in linked:
            self.directory.know(part.sums)
        self.commit(manifest)
        self.manifest = self.counted = manifest

    def _getting(self, files: Iterable[str]) -> Callable[[], Worker]:
        """Returns a task's worker, which may then read `files`."""
        return partial(worker_for, self.shipped(files))

    def _violated(self) -> bool:
        return any(not declared.wanted for declared in self.model.select(self.manifest.decided))

    def _next_levels(self) -> list[list[Admitted]]:
        """Expand the last level: here if it is narrow, otherwise in a job, which may make several levels."""
        manifest = self.manifest
        visited = {bucket: manifest.files_of(bucket) for bucket in range(self.task.buckets)}
        first = len(manifest.levels)
        level = NextLevel(first, first, visited, frozenset(manifest.decided))
        if not self._narrow.takes(manifest):
            return self._wide_levels(self._divide(manifest.levels[-1].files), level)
        [work] = self._divide(manifest.levels[-1].files, tasks=1)
        return [self._narrow.next_level(manifest.values, work, level, self.watch)]

    def _wide_levels(
        self, work: Sequence[Sequence[Work]], level: NextLevel, alone: bool = False
    ) -> list[list[Admitted]]:
        """Make `level` in one job, and unless it is to be `alone`, some levels after it.

        The first stage expands; each later stage admits the states of a level. All stages but the last also expand the
        states that they admit, so that each level takes one shuffle.
        """
        frontier = self._getting(file.path for file in self.manifest.levels[-1].files)
        expand = partial(expanding.expand_work, frontier, level.values_level, level.decided)
        visited = self._getting(name for names in level.visited.values() for name in names)
        sizes, seconds = self.manifest.sizes, self.manifest.levels[-1].seconds
        last = level.first + (1 if alone else levels_per_job(sizes, self.task.buckets, seconds)) - 1
        last = min(last, (self.limits.budget.depth or last + 1) - 1)
        stages = [
            Stage(
                self.task.buckets,
                partial(
                    expanding.advance_bucket if number < last else expanding.admit_bucket,
                    visited,
                    level._replace(number=number),
                ),
            )
            for number in range(level.first, last + 1)
        ]
        try:
            reports = self.flow(work, expand, *stages)
        except ModelError:
            if last == level.first:
                raise
            return self._wide_levels(work, level, alone=True)  # only the last level has traces
        admitted = [part for report in reports for part in report.levels]
        return [[part for part in admitted if part.level == number] for number in range(level.first, last + 1)]

    def _with(self, initial: int, outcomes: Sequence[Admitted], seconds: float) -> RunManifest:
        """The manifest with the level of `outcomes`."""
        manifest = self.manifest.copy()
        manifest.initial = initial
        steps = [step for outcome in outcomes for step in outcome.steps]
        nothing = np.zeros(len(self.model.instances), np.int64)
        counts = np.array(
            [
                sum((step.enabled for step in steps), nothing),
                sum((step.generated for step in steps), nothing),
                sum((outcome.new for outcome in outcomes), nothing),
            ]
        )
        assigns = np.array(manifest.assigns or nothing, bool)
        for step in steps:
            assigns |= step.assigns
            manifest.outside += step.outside
        manifest.assigns = assigns.tolist()
        files = sorted((file for outcome in outcomes for file in outcome.files), key=lambda file: file.bucket)
        for name in {name for step in steps for name in step.decided}:
            smallest = min(step.decided[name] for step in steps if name in step.decided)
            where = len(manifest.levels) - 1 if manifest.levels else PRUNED
            manifest.decided.setdefault(name, [where, *smallest])  # a level of the same job may have decided it
        for name in {name for outcome in outcomes for name in outcome.decided}:
            smallest = min(outcome.decided[name] for outcome in outcomes if name in outcome.decided)
            manifest.decided.setdefault(name, [len(manifest.levels), *smallest])
        if files:
            received = sum(outcome.received for outcome in outcomes)
            manifest.levels.append(Level(files, counts.tolist(), None, received, seconds))
        elif not manifest.levels:  # no initial state is inside the constraints
            manifest.complete = True
        else:  # the step from the last level leads to nothing new, but the states that it generated count
            last = manifest.levels[-1]
            last.counts = (np.array(last.counts) + counts).tolist()
            manifest.complete = True
        return manifest

    def _complete(
        self, manifest: RunManifest, outcomes: Sequence[Admitted], limits: Limits, numbered: CellValues
    ) -> CellValues:
        """Add a level to the run, durably.

        Returns the values numbered after the job so far: the `numbered` ones of its earlier levels, and this level's.
        """
        self.memory = [m for o in outcomes for m in (o.memory, *(step.memory for step in o.steps))]
        self._worker_peak = max([self._worker_peak, *(memory.peak for memory in self.memory)])
        for memory in self.memory:
            earlier = self._costs.get(memory.process, ())
            self._costs[memory.process] = max(
                earlier, memory.costs, key=lambda costs: sum(cost.calls for cost in costs)
            )
        for outcome in outcomes:
            self.directory.know(outcome.sums)
        most = limits.budget.states
        if most is not None and sum(manifest.sizes) > most:
            self.counted = cut(self.directory, self.manifest, manifest, outcomes, most - sum(self.manifest.sizes))
            limits.room(most)
        manifest.seconds = limits.seconds
        if not manifest.complete:
            extras = [self.directory.from_message(outcome.extras) for outcome in outcomes if outcome.extras]
            before, numbered = numbered, _merge([numbered, *extras])
            new = [now[len(then) :] for then, now in zip(before, numbered, strict=True)]
            self._values = [count + len(cell) for count, cell in zip(self._values, new, strict=True)]
            self._growth.note(self._values)
            manifest.levels[-1].values = self.directory.write_values(len(self.manifest.levels), new)
        self.commit(manifest)
        self.manifest = self.counted = manifest
        return numbered

    def _divide(self, files: Sequence[LevelFile], tasks: int | None = None) -> list[list[Work]]:
        """The parts of a level, dealt to tasks: one per bucket, since a task costs Spark as much as a small level.

        A task holds one part at a time, so it may have many. Beyond a few million states there are more tasks, so that
        a retry loses little.
        """
        sizes = {
            Work(f, g): min(ROW_GROUP, f.rows - g * ROW_GROUP) for f in files for g in range(-(-f.rows // ROW_GROUP))
        }
        parts = sorted(sizes, key=lambda part: sizes[part], reverse=True)
        if tasks is None:
            tasks = min(len(parts), max(self.task.buckets, sum(sizes.values()) // MOST_PER_TASK))
        return [parts[i::tasks] for i in range(tasks)]

    # Results -----------------------------------------------------------------------------------------------------

    def exploration(self) -> Exploration:
        """The findings, for :func:`conclude`."""
        counted = self.counted
        counts = self._counts(counted)
        renamings = len(self.model.renamings(self.task.symmetry)) if self.task.symmetry else 1
        seconds = [level.seconds for level in counted.levels[1:]]
        costs = joined(self._costs.values())  # of all processes, each with its own trees
        return Exploration(
            engine="spark",
            stopped=None if counted.complete and self.error is None else self.stopped or "it has not ended yet",
            error=self.error,
            generated=counted.initial + self._generated(counted),
            initial=counted.initial,
            levels=counted.sizes,
            actions=count_actions(self.model, counts, np.array(counted.assigns or counts[0], bool)),
            decided=counted.decided,
            trace_to=Links(self.directory, self.task, counted).trace_to,
            liveness=lambda declared: self._liveness.verdict(declared),
            outside=counted.outside,
            fingerprint_key=self.task.key.hex(),
            collision_probability=collision_probability(sum(counted.sizes), self.task.bits, renamings),
            peak_bytes=lambda: max(peak_bytes(), self._worker_peak),
            figures={
                "shuffle_bytes": sum(level.shuffled for level in counted.levels),
                "slowest_level": max(seconds, default=0.0),
                "fastest_level": min(seconds, default=0.0),
                "driver_peak_bytes": peak_bytes(),
                "worker_peak_bytes": self._worker_peak,
                "worker_bytes": self.held,
            },
            growth=self._growth,
            profile=None if self._resumed else Profile(sum(counted.sizes), tuple(self.model.layout.cells), costs),
        )

    @cached_property
    def _liveness(self) -> SparkLivenessJudge:
        return SparkLivenessJudge(self)

    def _counts(self, manifest: RunManifest) -> np.ndarray:
        """Enabled, generated and new, per action instance."""
        counts = np.zeros((3, len(self.model.instances)), np.int64)
        before = [] if manifest.prefix is None else [manifest.prefix.counts]
        for step in (*before, *(level.counts for level in manifest.levels)):
            counts += np.array(step, np.int64)
        return counts

    def _generated(self, manifest: RunManifest) -> int:
        """The transitions."""
        return int(self._counts(manifest)[1].sum())


def _merge(extras: Sequence[Sequence[Sequence[Any]]]) -> list[list[Any]]:
    """For each cell the values of several files, without repetitions."""
    return [list({identity(v): v for values in cell for v in values}.values()) for cell in zip(*extras, strict=True)]
