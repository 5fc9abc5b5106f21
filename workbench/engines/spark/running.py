"""What a search on Spark works with, whatever it does: its run directory, its jobs, and who may stop it."""

import secrets
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from workbench.engines.spark.dataflow import First, Stage, on_spark
from workbench.engines.spark.executors import ready_session
from workbench.engines.spark.jobs import explained, session_of_messages
from workbench.engines.spark.manifest import Manifest, Run
from workbench.engines.spark.messages import Memory, Task
from workbench.engines.spark.rundir import NotWritten, RunDirectory
from workbench.engines.spark.shipping import ship
from workbench.engines.spark.tasks import Shipped
from workbench.engines.spark.transitions import PART_STATES
from workbench.kernel import InputError
from workbench.kernel.budget import Limits
from workbench.kernel.plan import Plan
from workbench.storage.folder import Folder
from workbench.storage.identity import Identity


class Running:
    """A search under way.

    Args:
        spark: A local session is made for None, once there is a job for it.
        folder: The run directory; driver and workers see the same files there. Who searches has the lock on it.
        identity: That of the task.
        manifest: The completed levels.

    Attributes:
        counted (Manifest): What the result is made of: the completed levels, and what a budget allowed of the next one.
        stopped: Why the search is not complete.
        unfinished (bool): Whether something ended the search that a person did not ask for, so that there is something
            to go on with.
        limits: Limits
        memory (list of Memory): Of the worker processes, when the last level was completed.
        reported (int): States that were visited in process; those of its last level are visited again.
        part_states (int): States whose transitions make a file.
    """

    part_states = PART_STATES

    def __init__(self, spark: Any, folder: Folder, task: Task, identity: Identity, manifest: Manifest) -> None:
        self.spark, self.task, self.identity, self.model = spark, task, identity, task.model
        self.directory = RunDirectory(folder, task.model, task.bits)
        self.manifest = self.counted = manifest
        self.stopped: str | None = None
        self.unfinished = False
        self.limits, self.memory, self.reported = Limits(), list[Memory](), 0
        self._shipped = Shipped(
            str(folder.path), folder.mark, secrets.token_hex(8), ship(task, task.model.name), {}, []
        )

    def plan(self, fail_fast: bool = False) -> Plan:
        task = self.task
        return Plan(
            task.model, task.model.select(task.properties), task.symmetry, task.bits, fail_fast, list(task.notes)
        )

    def commit(self, manifest: Manifest) -> None:
        self.directory.commit(Run(self.identity, self.task.buckets, self.task.notes, manifest))

    def shipped(self, files: Iterable[str]) -> Shipped:
        """What a task is sent that reads `files`, and the values of all levels."""
        values = self.manifest.values
        sums = self.directory.sums([*files, *(name for name in values if name is not None)])
        return self._shipped._replace(sums=sums, values=values)

    def flow(self, work: Sequence[Any], first: First, *stages: Stage) -> list[Any]:
        """What comes of work that Spark's tasks do in stages; see :mod:`workbench.engines.spark.dataflow`."""
        return on_spark(self.session, self.watch, self.explain, work, first, *stages)

    @cached_property
    def session(self) -> Any:
        """What jobs that move messages run on; the first of them starts it."""
        return session_of_messages(ready_session(self.spark))

    def watch(self) -> None:
        """Raise :class:`Stop` if the search's budget is used up, or somebody stops it."""
        levels = self.manifest.levels
        states, frontier = sum(self.manifest.sizes), levels[-1].states if levels else 0
        decided = self.manifest.decided
        self.limits.check(len(self.manifest.sizes), max(states, self.reported), frontier, lambda: self.held, decided)

    @property
    def held(self) -> int:
        """Bytes that the search's data took in all worker processes when the last level was completed."""
        by_process: dict[str, int] = {}
        for memory in self.memory:
            by_process[memory.process] = max(memory.held, by_process.get(memory.process, 0))
        return sum(by_process.values())

    def explain(self, error: Exception) -> Exception:
        """What went wrong with a job, in one line where it is not a bug of ours."""
        what = "what leads from state to state" if self.manifest.complete else f"level {len(self.manifest.sizes) + 1}"
        for line in str(error).splitlines() if not isinstance(error, NotWritten) else [f"NotWritten: {error}"]:
            if "NotWritten: " in line:
                return InputError(
                    f"{what} cannot be written ({line.split('NotWritten: ', 1)[1]}); "
                    f"the levels before are good: make room and resume {str(self.directory.folder.path)!r}"
                )
        return explained(error, self.model.name)
