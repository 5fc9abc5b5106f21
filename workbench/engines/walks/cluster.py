"""The same walks as tasks on Spark: in rounds of a few seconds, so that the driver can look at the clock, and stop."""

import secrets
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from workbench.engines.purity import run_again
from workbench.engines.spark.dataflow import Outgoing, on_spark
from workbench.engines.spark.executors import ready_session
from workbench.engines.spark.jobs import explained
from workbench.engines.spark.session import cores_of
from workbench.engines.spark.shipping import receive, ship
from workbench.engines.walks.asked import Asked, Made, starts_of
from workbench.engines.walks.result import Rule
from workbench.engines.walks.walker import Tally, Walker, judged
from workbench.kernel import Model
from workbench.kernel.budget import Stop
from workbench.kernel.plan import make_plan
from workbench.kernel.trace import leading_to, replay

_ROUND_SECONDS = 4.0
#: Walks, and about how many of their steps, that a task makes between two looks at the clock.
_WALKS, _STEPS = 64, 100_000


class _Job(NamedTuple):
    """What a worker has to know of the walks. A task makes every so many-th batch of them.

    Attributes:
        name: Tells these walks from others.
        batch: Walks that a task makes at once.
    """

    name: str
    model: Model
    properties: tuple[str, ...]
    rule: Rule
    walks: int
    batch: int


class _Done(NamedTuple):
    """What a task came to in a round: which batch is its next one, and what it has seen."""

    task: int
    batch: int
    tally: Tally


def walk_on_spark(asked: Asked, workers: int | None, spark: SparkSession | None) -> Made:
    """Make the walks by so many tasks at a time."""
    session = ready_session(spark)
    tasks = workers or cores_of(session)
    asked.limits.restart()
    total, stopped = Tally.empty(asked.plan), None
    starts: list[Any] = []
    notes: list[str] = []
    try:
        starts, notes = starts_of(asked.plan.model, asked.limits)
        with leading_to(lambda error: error.met and replay(asked.plan.model, *error.met)):
            for done in _rounds(asked, session, tasks, lambda: total):
                total.add(done.tally)
    except Stop as stop:
        stopped = str(stop)
    return Made(total, tasks, starts, stopped, notes)


def _rounds(asked: Asked, session: SparkSession, tasks: int, so_far: Callable[[], Tally]) -> Iterator[_Done]:
    """What the tasks come to, round by round, until all walks are made or the time is over."""
    model, names = asked.plan.model, tuple(declared.name for declared in judged(asked.plan))
    batch = max(1, min(_WALKS, _STEPS // asked.rule.depth))
    shipped = ship(_Job(secrets.token_hex(8), model, names, asked.rule, asked.walks, batch), model.name)
    following = dict(enumerate(range(tasks)))  # for each task its next batch
    while following and asked.go_on(so_far()):
        left = _ROUND_SECONDS if asked.seconds is None else min(_ROUND_SECONDS, asked.seconds - asked.limits.seconds)
        walk = partial(_walk, shipped, tasks, left)
        watch = lambda: asked.limits.enforce(lambda: 0)  # noqa: E731
        for done in on_spark(session, watch, lambda e: explained(e, model.name), list(following.items()), walk):
            yield done
            following[done.task] = done.batch
            if done.batch * batch >= asked.walks:
                del following[done.task]


# In a worker ---------------------------------------------------------------------------------------------------------

_walkers: dict[str, Walker] = {}


def _walker(shipped: bytes) -> tuple[_Job, Walker]:
    """The process's walker for a job, which keeps its trees from round to round; one job at a time is remembered."""
    job: _Job = receive(shipped)
    if job.name not in _walkers:
        _walkers.clear()
        plan = make_plan(job.model, job.properties)
        _walkers[job.name] = Walker(plan, job.rule, starts_of(job.model)[0])
    return job, _walkers[job.name]


def _walk(shipped: bytes, stride: int, seconds: float, work: tuple[int, int]) -> Outgoing:
    """Make walks for so many seconds: a task's first batch, and every `stride`-th one after it."""
    job, walker = _walker(shipped)
    task, batch = work
    ending = time.monotonic() + seconds
    while batch * job.batch < job.walks and time.monotonic() < ending:
        walker.walk(batch * job.batch, min((batch + 1) * job.batch, job.walks), lambda: None)
        batch += stride
    run_again(walker.trees)
    yield 0, _Done(task, batch, walker.collect())
