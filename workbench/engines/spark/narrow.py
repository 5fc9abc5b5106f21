"""Narrow levels, which the driver makes itself with the workers' code: a job would cost more than the whole level."""

from collections.abc import Callable, Iterator, Sequence

from workbench.engines.spark.dataflow import Outgoing, Stage, here
from workbench.engines.spark.expanding import expand
from workbench.engines.spark.manifest import Manifest
from workbench.engines.spark.messages import Admitted, Message, NextLevel, Task, Work
from workbench.engines.spark.rundir import RunDirectory
from workbench.engines.spark.worker import Worker

#: The most states that are expanded here. It takes the time of a job to expand about twice as many.
MOST_STATES = 1 << 16
#: The most visited states that are held here, at 11 to 17 bytes each, or twice that with wide fingerprints.
MOST_VISITED = 1 << 23
#: Visited states that can be read in the time of a job.
READ_PER_JOB = 1 << 20


class NarrowLevels:
    """Says which levels the driver makes, and makes them.

    At the beginning of a search it has the visited states of all buckets because it has found them. It comes back for
    narrow levels at the end as soon as reading what it has missed costs no more than the jobs for narrow levels so far.
    """

    def __init__(self, directory: RunDirectory, task: Task) -> None:
        self._directory, self._task = directory, task
        self._worker: Worker | None = None
        self._left_to_jobs = 0  # narrow levels since the last wide one

    def takes(self, manifest: Manifest) -> bool:
        """Whether the level after those of `manifest` is to be made here."""
        visited = sum(manifest.sizes)
        if visited > MOST_VISITED:
            self._worker = None
            return False
        if manifest.levels[-1].states > MOST_STATES:
            self._left_to_jobs = 0
            return False
        known = 0 if self._worker is None else self._worker.visited
        if visited - known > (1 + self._left_to_jobs) * READ_PER_JOB:
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
        """Expand `work`, and admit what is new.

        Args:
            values: For each completed level the file of the values that were numbered after it.
            watch: Called again and again; may raise to stop.
        """
        worker = self.worker(values, watch)

        def admit(bucket: int, messages: Iterator[Message]) -> Outgoing:
            yield bucket, worker.admit(bucket, watched(messages), level)

        def watched(messages: Iterator[Message]) -> Iterator[Message]:
            for message in messages:
                yield message
                watch()

        buckets = Stage(self._task.buckets, admit)
        reports = here([work], lambda _: expand(worker, work, level.number - 1, level.decided), buckets)
        return [admitted for report in reports for admitted in report.levels]
