"""Narrow levels, made by the driver with the workers' code: a job would cost more than the whole level."""

from collections.abc import Callable, Sequence
from functools import partial

from workbench.checking.spark.cluster.dataflow import Stage, here
from workbench.checking.spark.files.manifest import RunManifest
from workbench.checking.spark.files.messages import Admitted, NextLevel, Task, Work
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.worker.expanding import admit_bucket, expand_work
from workbench.checking.spark.worker.worker import Worker

#: The most states expanded here: a job costs the time of about twice as many.
MOST_STATES = 1 << 16
#: The most visited states held here, at 11 to 17 bytes each, or twice that with wide fingerprints.
MOST_VISITED = 1 << 23
#: Visited states that can be read in the time of a job.
READ_PER_JOB = 1 << 20


class NarrowLevels:
    """Decides which levels the driver makes, and makes them.

    Early in a search the driver itself has found the visited states. It returns to narrow levels at the end, once
    reading the states that it has missed costs no more than the jobs for narrow levels so far.
    """

    def __init__(self, directory: RunDirectory, task: Task) -> None:
        self._directory, self._task = directory, task
        self._worker: Worker | None = None
        self._left_to_jobs = 0  # narrow levels since the last wide one

    def takes(self, manifest: RunManifest) -> bool:
        """Whether the driver should make the next level after `manifest` itself."""
        visited = sum(manifest.sizes)
        if visited > MOST_VISITED:
            self._worker = None
            return False
        if manifest.levels[-1].states > MOST_STATES:
            self._left_to_jobs = 0
            return False
        loaded = 0 if self._worker is None else self._worker.visited
        if visited - loaded > (1 + self._left_to_jobs) * READ_PER_JOB:
            self._left_to_jobs += 1
            return False
        return True

    def worker(self, values: Sequence[str | None], watch: Callable[[], None]) -> Worker:
        """The worker in this process, with `values` and `watch` as for :meth:`next_level`."""
        if self._worker is None:
            self._worker = Worker(self._directory, self._task)
        self._worker.values, self._worker.pause = values, watch
        return self._worker

    def next_level(
        self, values: Sequence[str | None], work: Sequence[Work], level: NextLevel, watch: Callable[[], None]
    ) -> list[Admitted]:
        """Expand `work`, and admit the new states.

        Args:
            values: For each completed level, the file with the values that were numbered after it.
            watch: Called repeatedly; it may raise to stop the work.
        """
        worker = self.worker(values, watch)
        get = lambda: worker  # noqa: E731
        expanded = partial(expand_work, get, level.number - 1, level.decided)
        reports = here([work], expanded, Stage(self._task.buckets, partial(admit_bucket, get, level)))
        return [admitted for report in reports for admitted in report.levels]
