"""Walks as tasks on Spark, in rounds of a few seconds so that the driver can watch the clock, and stop."""

import secrets
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.checking.shipping import receive, ship
from workbench.checking.spark.cluster.dataflow import Outgoing, on_spark
from workbench.checking.spark.cluster.exchange import Exchange
from workbench.checking.spark.cluster.executors import ready_session
from workbench.checking.spark.cluster.jobs import explained
from workbench.checking.spark.cluster.session import cores_of
from workbench.checking.trees.purity import run_again
from workbench.checking.walks.request import Walked, WalkRequest, starts_of
from workbench.checking.walks.result import WalkRule
from workbench.checking.walks.walker import Tally, Walker, judged
from workbench.kernel import Machine, ModelError
from workbench.kernel.meaning.budget import Stop
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.trace import leading_to, replay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROUND_SECONDS = 4.0
#: The walks, and about how many of their steps, that a task makes between two looks at the clock.
_WALKS, _STEPS = 64, 100_000


class _WalkJob(NamedTuple):
    """A worker's job. Tasks deal the batches of walks among them.

    Attributes:
        name: Identifies these walks.
        batch: The walks in a batch.
    """

    name: str
    model: Machine
    properties: tuple[str, ...]
    rule: WalkRule
    walks: int
    batch: int


class _Done(NamedTuple):
    """A task's result of a round: its next batch, its tally, and the error of the model that it met."""

    task: int
    batch: int
    tally: Tally
    error: ModelError | None


def walk_on_spark(asked: WalkRequest, workers: int | None, spark: Any) -> Walked:
    """Make the walks, `workers` tasks at a time."""
    session = ready_session(spark)
    tasks = workers or cores_of(session)
    asked.limits.restart()
    total, stopped, error = Tally.empty(asked.plan), None, None
    starts: list[Any] = []
    notes: list[str] = []
    try:
        starts, notes = starts_of(asked.plan.model, asked.limits)
        with leading_to(lambda error: error.met and replay(asked.plan.model, *error.met)):
            for done in _rounds(asked, session, tasks, lambda: total):
                total.add(done.tally)
    except Stop as stop:
        stopped = str(stop)
    except ModelError as met:
        error = met
    return Walked(total, tasks, starts, stopped, notes, error)


def _rounds(asked: WalkRequest, session: "SparkSession", tasks: int, so_far: Callable[[], Tally]) -> Iterator[_Done]:
    """The tasks' results, round by round, until all walks are made or the time is over."""
    model, names = asked.plan.model, tuple(declared.name for declared in judged(asked.plan))
    batch = max(1, min(_WALKS, _STEPS // asked.rule.depth))
    shipped = ship(_WalkJob(secrets.token_hex(8), model, names, asked.rule, asked.walks, batch), model.name)
    following = dict(enumerate(range(tasks)))  # for each task its next batch
    while following and asked.go_on(so_far()):
        most = asked.rule.seconds
        left = _ROUND_SECONDS if most is None else min(_ROUND_SECONDS, most - asked.limits.seconds)
        walk = partial(_walk, shipped, tasks, left)
        work, errors = list(following.items()), list[ModelError]()
        for done in on_spark(session, asked.limits.enforce, lambda e: explained(e, model.name), Exchange(), work, walk):
            yield done
            errors += [] if done.error is None else [done.error]
            following[done.task] = done.batch
            if done.batch * batch >= asked.walks:
                del following[done.task]
        for error in errors:
            raise error


# In a worker ---------------------------------------------------------------------------------------------------------

_walkers: dict[str, Walker] = {}


def _walker(shipped: bytes) -> tuple[_WalkJob, Walker]:
    """The process's walker for a job, with its trees from earlier rounds. Only the last job is kept."""
    job: _WalkJob = receive(shipped)
    if job.name not in _walkers:
        _walkers.clear()
        plan = make_plan(job.model, job.properties)
        _walkers[job.name] = Walker(plan, job.rule, starts_of(job.model)[0])
    return job, _walkers[job.name]


def _walk(shipped: bytes, stride: int, seconds: float, work: tuple[int, int]) -> Outgoing:
    """Make walks for some seconds: a task's next batch, and every `stride`-th batch after it."""
    job, walker = _walker(shipped)
    task, batch = work
    ending, error = time.monotonic() + seconds, None
    try:
        while batch * job.batch < job.walks and time.monotonic() < ending:
            walker.walk(batch * job.batch, min((batch + 1) * job.batch, job.walks), lambda: None)
            batch += stride
        run_again(walker.trees)
    except ModelError as met:  # without its trace, which the driver makes
        error = ModelError(str(met))
        error.met = met.met
    yield 0, _Done(task, batch, walker.collect(), error)
