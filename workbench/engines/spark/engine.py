"""The distributed engine: one Spark job per level, and what the driver keeps of it - small numbers, never states."""

import copy
import pickle
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.cells import Cells
from workbench.engines.local import Budget, LocalSearch, Progress, Stop, count_actions
from workbench.engines.spark import worker
from workbench.engines.spark.messages import Admitted, Work, pack, unpack_fingerprints
from workbench.engines.spark.rundir import (
    ROW_GROUP,
    DamagedLevel,
    Level,
    LevelFile,
    Manifest,
    NotWritten,
    RunDirectory,
    Task,
)
from workbench.engines.spark.seed import rows_in, seed
from workbench.kernel import InputError, Result, Trace, replay
from workbench.kernel.errors import ModelError
from workbench.kernel.memory import peak_bytes
from workbench.kernel.search import safety_verdict

#: States that one task expands at most, where a level has more than its buckets' tasks are for.
MOST_PER_TASK = 1 << 21


class SparkSearch:
    """A search whose states live in a run directory.

    Made by :meth:`start`, :meth:`hand_over` or :meth:`resume`.

    Parameters
    ----------
    spark : SparkSession
    path : Path
        The run directory; driver and workers see the same files there.
    task : Task
    manifest : Manifest
    """

    def __init__(self, spark: Any, path: Path, task: Task, manifest: Manifest) -> None:
        self.spark, self.directory, self.task, self.manifest = spark, RunDirectory(path), task, manifest
        self.model = task.model
        self.stopped: str | None = None
        self.worker_peak_bytes = 0
        self._prefix_files = self._find_prefix_files()

    # Beginnings --------------------------------------------------------------------------------------------------

    @classmethod
    def start(cls, spark: Any, path: Path, task: Task) -> "SparkSearch":
        """A search from the initial states, in a new run directory."""
        directory = RunDirectory(path)
        directory.create(task)
        cells = Cells(task.model, task.symmetry, task.bits)
        states = task.model.initial_states()
        rows, sums, which = [], [], []
        seen = set()
        for number, state in enumerate(states):
            row = cells.encode(state)
            total = cells.sums(row)
            fingerprint = kernels.canonical_fingerprints(total[None, :], cells.words).tobytes()
            if fingerprint not in seen:
                seen.add(fingerprint)
                rows.append(row)
                sums.append(total)
                which.append(number)
        manifest = Manifest(initial=len(states))
        count = len(rows)
        seed(
            directory,
            task,
            cells,
            manifest,
            np.array(rows, np.int32),
            np.array(sums, np.uint64),
            parents=np.zeros(count, np.uint64),
            instances=np.full(count, -1, np.int32),
            ordinals=np.array(which, np.int32),
        )
        return cls(spark, path, task, manifest)

    @classmethod
    def hand_over(cls, spark: Any, path: Path, task: Task, search: LocalSearch) -> "SparkSearch":
        """Go on from the last completed level of a search in this process, with the visited set that it has."""
        directory = RunDirectory(path)
        directory.create(task)
        done = search.completed()
        manifest = Manifest(
            initial=done.initial,
            prefix=done.levels,
            prefix_counts=done.counts.tolist(),
            prefix_found={n: s for n, s in search.watched.found.items() if s < sum(done.levels)},
            seconds=search.seconds,
        )
        fingerprints = kernels.canonical_fingerprints(done.sums, search.cells.words)
        inside = search.store.visited.fingerprints()
        visited = inside[~rows_in(inside, kernels.canonical_fingerprints(done.later_sums, search.cells.words))]
        visited = visited[~rows_in(visited, fingerprints)]
        buckets = kernels.bucket(visited, task.buckets)
        for bucket in range(task.buckets):
            column = pack(visited[buckets == bucket])
            name = directory.write_states(0, bucket, {"fingerprint": column}, [])
            (path / name).rename(path / f"prefix-visited-{bucket:05}.parquet")
        links = search.links(sum(done.levels))
        name = directory.write_states(0, 0, {n: pa.array(a) for n, a in links.items()}, [])
        (path / name).rename(path / _LINKS)
        first = sum(done.levels[:-1])
        seed(
            directory,
            task,
            search.cells,
            manifest,
            done.rows,
            done.sums,
            parents=np.arange(first, first + len(done.rows), dtype=np.uint64),
            instances=np.full(len(done.rows), -1, np.int32),
            ordinals=np.zeros(len(done.rows), np.int32),
        )
        return cls(spark, path, task, manifest)

    @classmethod
    def resume(cls, spark: Any, path: Path) -> "SparkSearch":
        """Go on from the last level that the run directory has."""
        directory = RunDirectory(path)
        task, manifest = directory.task(), directory.manifest()
        named = {file.path for level in manifest.levels for file in level.files}
        for file in Path(path).glob("level-*/*.parquet"):
            if str(file.relative_to(path)) not in named:
                file.unlink()  # left by a level that was not completed
        return cls(spark, Path(path), task, manifest)

    def _find_prefix_files(self) -> dict[int, list[str]]:
        files = sorted(self.directory.path.glob("prefix-visited-*.parquet"))
        return {bucket: [file.name] for bucket, file in enumerate(files)}

    # The search --------------------------------------------------------------------------------------------------

    @property
    def states(self) -> int:
        return sum(self.levels)

    @property
    def levels(self) -> list[int]:
        return [*self.manifest.prefix[:-1], *(level.states for level in self.manifest.levels)]

    def run(
        self,
        budget: Budget | None = None,
        fail_fast: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> None:
        """Search level by level until nothing is new, a budget is used up, or somebody stops it.

        Budgets and stops take effect between levels; every completed level stays good, and the search can be resumed.
        """
        budget = budget or Budget()
        began = time.perf_counter() - self.manifest.seconds
        try:
            while not self.manifest.complete:
                seconds = time.perf_counter() - began
                if on_progress is not None:
                    on_progress(Progress(len(self.levels), self.states, self.manifest.levels[-1].states, seconds))
                if fail_fast and self._violated():
                    raise Stop("stopped at the first violation")
                budget.enforce(seconds, should_stop, self.states)
                level = self._next_level()
                self._complete(level, time.perf_counter() - began)
        except Stop as stop:
            self.stopped = str(stop)
        except KeyboardInterrupt:
            self.stopped = "interrupted"

    def _violated(self) -> bool:
        declared = self.model.declared_properties
        return any(declared[n].kind == "invariant" for n in [*self.manifest.found, *self.manifest.prefix_found])

    def _next_level(self) -> list[Admitted]:
        """Expand the last level: one job of two stages, with the one shuffle between them."""
        manifest, path, identity = self.manifest, str(self.directory.path), self.task.identity
        work = self._divide(manifest.levels[-1].files)
        expand = worker.expand_task(path, identity, work, len(manifest.levels) - 1)
        admit = worker.admit_task(path, identity, self._prefix_files)
        try:
            sent = self.spark.range(0, len(work), 1, len(work)).mapInArrow(expand, worker.SENT)
            admitted = sent.repartitionById(self.task.buckets, "bucket").mapInArrow(admit, worker.SENT)
            return [pickle.loads(row.payload) for row in admitted.collect()]
        except Exception as error:
            raise self._explain(error) from error

    def _complete(self, outcomes: Sequence[Admitted], seconds: float) -> None:
        """Make what the workers found part of the run: durable, and named by the manifest."""
        manifest = copy.deepcopy(self.manifest)
        counts = np.array([np.sum([getattr(o, n) for o in outcomes], axis=0) for n in ("enabled", "generated", "new")])
        files = sorted((o.file for o in outcomes if o.file is not None), key=lambda file: file.bucket)
        for name in {name for o in outcomes for name in o.found}:
            manifest.found[name] = [len(manifest.levels), *min(o.found[name] for o in outcomes if name in o.found)]
        if files:
            received = sum(o.received for o in outcomes)
            manifest.levels.append(Level(files, counts.tolist(), received, seconds - manifest.seconds))
        else:  # the step from the last level leads to nothing new, but what it generated counts
            last = manifest.levels[-1]
            last.counts = (np.array(last.counts) + counts).tolist()
            manifest.complete = True
        manifest.seconds = seconds
        try:
            if files:
                self.directory.write_values(len(self.manifest.levels), _merge([o.extras for o in outcomes if o.extras]))
            self.directory.write_manifest(manifest)
        except NotWritten as error:
            raise self._explain(error) from error
        self.manifest = manifest
        self.worker_peak_bytes = max(self.worker_peak_bytes, *(o.peak_bytes for o in outcomes))

    def _divide(self, files: Sequence[LevelFile]) -> list[list[Work]]:
        """The parts of a level, dealt to tasks: one per bucket, since each costs Spark as much as a small level.

        A task holds one part at a time, so it may have many; beyond a few million states there are more tasks, so that
        little is lost when one is run again.
        """
        sizes = {
            Work(f, g): min(ROW_GROUP, f.rows - g * ROW_GROUP) for f in files for g in range(-(-f.rows // ROW_GROUP))
        }
        parts = sorted(sizes, key=lambda part: sizes[part], reverse=True)
        tasks = min(len(parts), max(self.task.buckets, sum(sizes.values()) // MOST_PER_TASK))
        return [parts[i::tasks] for i in range(tasks)]

    def _explain(self, error: Exception) -> Exception:
        """What went wrong with a level, in one line where it is not a bug of ours."""
        level = len(self.manifest.levels) + 1
        for line in str(error).splitlines() if not isinstance(error, NotWritten) else [f"NotWritten: {error}"]:
            if "ModelError: " in line:
                return ModelError(line.split("ModelError: ", 1)[1])
            if "DamagedLevel: " in line:
                return InputError(f"level {level} cannot be made: {line.split('DamagedLevel: ', 1)[1]}")
            if "NotWritten: " in line:
                return InputError(
                    f"level {level} cannot be written ({line.split('NotWritten: ', 1)[1]}); "
                    f"the levels before are good: make room and resume {str(self.directory.path)!r}"
                )
        return error

    # What came of it ---------------------------------------------------------------------------------------------

    def trace_to(self, level: int, fingerprint: Sequence[int]) -> Trace:
        """A shortest behaviour to a state of `level`: follows the durable links back, then runs the model."""
        moves: list[tuple[int, int]] = []
        wanted = np.array(fingerprint, np.uint64)
        expected = []
        while True:
            expected.append(wanted)
            parent, instance, ordinal = self._link(level, wanted)
            if instance < 0:
                break
            moves.append((instance, ordinal))
            level, wanted = level - 1, parent
        moves.reverse()
        if not self.manifest.prefix:
            trace = replay(self.model, ordinal, moves)
        else:
            start, before = self._prefix_path(int(parent[0]))
            trace = replay(self.model, start, [*before, *moves])
        cells = Cells(self.model, self.task.symmetry, self.task.bits)
        for state, link in zip(trace.states[::-1], expected, strict=False):
            sums = cells.sums(cells.encode(state))
            if not (kernels.canonical_fingerprints(sums[None, :], cells.words)[0] == link).all():
                raise ModelError("a trace led to another state when it was run again: the model is not pure")
        return trace

    def _link(self, level: int, wanted: np.ndarray) -> tuple[np.ndarray, int, int]:
        bucket = int(kernels.bucket(wanted[None, :], self.task.buckets)[0])
        for file in self.manifest.levels[level].files:
            if file.bucket == bucket:
                columns = ["fingerprint", "parent", "instance", "ordinal"]
                table = self._read(file.path, columns)
                fingerprints = unpack_fingerprints(table["fingerprint"])
                at = int(np.flatnonzero((fingerprints == wanted).all(axis=1))[0])
                parent = unpack_fingerprints(table["parent"])[at]
                return parent, table["instance"][at].as_py(), table["ordinal"][at].as_py()
        raise InputError(f"run directory {str(self.directory.path)!r} lacks a file of level {level + 1}")

    def _read(self, name: str, columns: list[str]) -> pa.Table:
        try:
            return self.directory.read_states(name, columns)
        except DamagedLevel as error:
            raise InputError(str(error)) from None

    def _prefix_path(self, number: int) -> tuple[int, list[tuple[int, int]]]:
        table = self._read(_LINKS, list(_LINK_COLUMNS))
        links = {name: table[name].to_numpy() for name in _LINK_COLUMNS}
        moves: list[tuple[int, int]] = []
        while links["instance"][number] >= 0:
            moves.append((int(links["instance"][number]), int(links["ordinal"][number])))
            number = int(links["parent"][number])
        return int(links["ordinal"][number]), moves[::-1]

    def result(self, notes: Sequence[str] = ()) -> Result:
        """The result of the check, from the run directory."""
        manifest = self.manifest
        verdicts = []
        for declared in self.model.select(self.task.properties):
            trace = None
            if declared.name in manifest.prefix_found:
                trace = replay(self.model, *self._prefix_path(manifest.prefix_found[declared.name]))
            elif declared.name in manifest.found:
                level, *fingerprint = manifest.found[declared.name]
                trace = self.trace_to(level, fingerprint)
            verdicts.append(safety_verdict(declared, trace, manifest.complete))
        counts = np.sum([np.array(level.counts, np.int64) for level in manifest.levels], axis=0)
        if manifest.prefix_counts:
            counts = counts + np.array(manifest.prefix_counts, np.int64)
        pairs = self.states * (self.states - 1) / 2
        return Result(
            model=self.model,
            engine="spark",
            symmetry=self.task.symmetry,
            complete=manifest.complete,
            stopped=None if manifest.complete else self.stopped,
            generated=manifest.initial + int(counts[1].sum()),
            levels=self.levels,
            actions=count_actions(self.model, counts),
            verdicts=verdicts,
            seconds=manifest.seconds,
            peak_bytes=max(peak_bytes(), self.worker_peak_bytes),
            collision_probability=min(1.0, pairs / 2.0**self.task.bits),
            notes=list(notes),
            figures={
                "shuffle_bytes": sum(level.shuffled for level in manifest.levels),
                "slowest_level": max(level.seconds for level in manifest.levels),
                "fastest_level": min((level.seconds for level in manifest.levels[1:]), default=0.0),
                "driver_peak_bytes": peak_bytes(),
                "worker_peak_bytes": self.worker_peak_bytes,
            },
        )


_LINKS = "prefix-links.parquet"
_LINK_COLUMNS = ("parent", "instance", "ordinal")


def _merge(extras: list[list[list[Any]]]) -> list[list[Any]]:
    """For each cell the values of several files, each once."""
    return [list(dict.fromkeys(v for values in cell for v in values)) for cell in zip(*extras, strict=True)]
