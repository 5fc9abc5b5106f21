"""Where tasks of Spark enter: each finds its process's worker, and has that do its part of a search."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.engines.spark.dataflow import Outgoing
from workbench.engines.spark.expanding import advance as advanced
from workbench.engines.spark.expanding import expand as expanded
from workbench.engines.spark.messages import Message, NextLevel, Work
from workbench.engines.spark.rundir import RunDirectory, open_folder
from workbench.engines.spark.shipping import receive
from workbench.engines.spark.worker import Worker
from workbench.storage.sums import FileSum

_workers: dict[str, Worker] = {}


class Shipped(NamedTuple):
    """What a task is sent of its search, as part of Spark's own closures.

    Attributes:
        path: The run directory.
        mark: That of its folder.
        search: Tells this search from others, also of the same run.
        task: The :class:`Task`, made by :func:`ship`.
        sums: The files that the task may read.
        values: For each completed level the file of the values that were numbered after it.
    """

    path: str
    mark: str
    search: str
    task: bytes
    sums: Mapping[str, FileSum]
    values: Sequence[str | None]


def worker_for(shipped: Shipped) -> Worker:
    """The process's worker for a search; one search at a time is remembered."""
    if shipped.search not in _workers:
        _workers.clear()
        task = receive(shipped.task)
        directory = RunDirectory(open_folder(shipped.path, shipped.mark), task.model, task.bits)
        _workers[shipped.search] = Worker(directory, task)
    worker = _workers[shipped.search]
    worker.spare_the_collector()
    worker.directory.know(shipped.sums)
    worker.values = shipped.values
    return worker


def reach(shipped: Shipped, _: Any) -> Outgoing:
    """Fail where a task of this search would."""
    worker_for(shipped)
    return ()


def expand(shipped: Shipped, level: int, known: frozenset[str], work: Sequence[Work]) -> Outgoing:
    """Expand the parts of a piece of work."""
    return expanded(worker_for(shipped), work, level, known)


def admit(shipped: Shipped, level: NextLevel, bucket: int, messages: Iterator[Message]) -> Outgoing:
    """Admit the messages to a bucket, and report on it."""
    return [(bucket, worker_for(shipped).admit(bucket, messages, level))]


def advance(shipped: Shipped, level: NextLevel, bucket: int, messages: Iterator[Message]) -> Outgoing:
    """Also expand what was admitted, so that another stage can admit the level after that."""
    return advanced(worker_for(shipped), bucket, messages, level)
