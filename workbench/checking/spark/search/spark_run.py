"""The basis of a search on Spark: its run directory, its jobs, and its limits."""

import secrets
from collections.abc import Iterable, Sequence
from functools import cached_property, partial
from typing import Any

from workbench.checking.shipping import ship
from workbench.checking.spark.cluster.dataflow import First, Stage, on_spark
from workbench.checking.spark.cluster.exchange import Exchange
from workbench.checking.spark.cluster.executors import ready_session
from workbench.checking.spark.cluster.jobs import explained, session_of_messages
from workbench.checking.spark.files.manifest import Run, RunManifest
from workbench.checking.spark.files.messages import Memory, Task
from workbench.checking.spark.files.rundir import NotWritten, RunDirectory
from workbench.checking.spark.files.transitions import PART_STATES
from workbench.checking.spark.worker.worker import Shipped
from workbench.kernel import InputError, ModelError
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.plan import Plan
from workbench.storage.folder import Folder
from workbench.storage.identity import Identity


class Running:
    """A search in progress.

    Args:
        spark: A session. If it is None, the first job starts a local one.
        folder: The run directory, visible to the driver and all workers. A search holds its lock.
        identity: The identity of the task.
        manifest: The completed levels.

    Attributes:
        counted (RunManifest): The levels that the result counts: the completed ones, and as much of the next as the
            budget allowed.
        stopped: The reason why the search is not complete.
        error (ModelError or None): The model's error that ended it.
        unfinished (bool): Whether the search ended unintentionally, so that it can be resumed.
        memory (list of Memory): The worker processes' memory as of the last completed level.
        reported (int): States visited in process.
        part_states (int): States per file of transitions.
    """

    part_states = PART_STATES

    def __init__(self, spark: Any, folder: Folder, task: Task, identity: Identity, manifest: RunManifest) -> None:
        self.spark, self.task, self.identity, self.model = spark, task, identity, task.model
        self.directory = RunDirectory(folder, task.model, task.bits)
        self.manifest = self.counted = manifest
        self.stopped: str | None = None
        self.error: ModelError | None = None
        self.unfinished = False
        self.limits, self.memory, self.reported = Limits(), list[Memory](), 0
        self._exchange = Exchange(folder)
        self._shipped = Shipped(
            str(folder.path), folder.mark, secrets.token_hex(8), ship(task, task.model.name), {}, []
        )

    def plan(self, fail_fast: bool = False) -> Plan:
        task = self.task
        properties = task.model.select(task.properties)
        return Plan(task.model, properties, task.symmetry, task.bits, fail_fast, list(task.notes), key=task.key)

    def commit(self, manifest: RunManifest) -> None:
        task = self.task
        self.directory.commit(Run(self.identity, task.key.hex(), task.buckets, task.notes, manifest))

    def shipped(self, files: Iterable[str]) -> Shipped:
        """The parcel for a task that reads `files` and the values of all levels."""
        values = self.manifest.values
        sums = self.directory.sums([*files, *(name for name in values if name is not None)])
        return self._shipped._replace(sums=sums, values=values)

    def flow(self, work: Sequence[Any], first: First, *stages: Stage) -> list[Any]:
        """Run stages as Spark's tasks; see :mod:`workbench.checking.spark.cluster.dataflow`."""
        return on_spark(self.session, self.watch, self.explain, self._exchange, work, first, *stages)

    @cached_property
    def session(self) -> Any:
        """The session for jobs that move messages, started by the first of them."""
        return session_of_messages(ready_session(self.spark))

    def watch(self) -> None:
        """Raise :class:`Stop` if the budget is used up, or the search is stopped."""
        manifest, sizes = self.manifest, self.manifest.sizes
        states = max(sum(sizes), self.reported)
        frontier = 0 if manifest.complete or not sizes else sizes[-1]
        steps = partial(manifest.depth_of, bits=self.task.bits)
        self.limits.note(manifest.decided, self.model.declared.property_named, steps)
        self.limits.check(len(sizes), states, frontier, lambda: self.held, sizes)

    @property
    def held(self) -> int:
        """Bytes of the search's data in all worker processes, as of the last completed level."""
        by_process: dict[str, int] = {}
        for memory in self.memory:
            by_process[memory.process] = max(memory.held, by_process.get(memory.process, 0))
        return sum(by_process.values())

    def explain(self, error: Exception) -> Exception:
        """Turn a job's error into a one-line error; a bug in the workbench keeps its traceback."""
        subject = (
            "what leads from state to state" if self.manifest.complete else f"level {len(self.manifest.sizes) + 1}"
        )
        for line in str(error).splitlines() if not isinstance(error, NotWritten) else [f"NotWritten: {error}"]:
            if "NotWritten: " in line:
                return InputError(
                    f"{subject} cannot be written ({line.split('NotWritten: ', 1)[1]}); "
                    f"the levels before are good: make room and resume {str(self.directory.folder.path)!r}"
                )
        return explained(error, self.model.name)
