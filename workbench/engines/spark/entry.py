"""The ways into the distributed engine: from the initial states, from a search in process, from a run directory."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench.engines.contract import Resources
from workbench.engines.local import LocalSearch
from workbench.engines.spark.engine import SparkSearch
from workbench.engines.spark.rundir import Task
from workbench.engines.spark.session import spark_session
from workbench.kernel import InputError, Result
from workbench.kernel.budget import Budget, Limits, Progress
from workbench.kernel.conclusion import conclude
from workbench.kernel.plan import Plan

#: Buckets per core. More would even out the load, but every task costs about a tenth of a second.
BUCKETS_PER_CORE = 1


def search(plan: Plan, limits: Limits, resources: Resources) -> Result:
    """The engine ``spark``: carry out `plan` from the initial states."""
    spark = resources.spark or spark_session()
    with _directory(resources.run_dir) as path:
        return _finish(SparkSearch.start(spark, path, _task(plan, spark)), limits, plan.fail_fast)


def go_on(plan: Plan, limits: Limits, resources: Resources, owned: list[LocalSearch]) -> Result:
    """Carry out `plan` from the last completed level of a search in this process.

    Parameters
    ----------
    owned : list of LocalSearch
        The search alone. It is taken out once it has been written, and its memory is free if nobody else refers to it;
        if it cannot be written, it is still there.
    """
    spark = resources.spark or spark_session()
    note = f"moved from this process to Spark: {owned[0].stopped}"
    with _directory(resources.run_dir) as path:
        task = _task(plan, spark, note)
        if owned[0].completed().levels:
            searching = SparkSearch.hand_over(spark, path, task, owned[0], limits.seconds)
        else:
            searching = SparkSearch.start(spark, path, task)
        owned.clear()
        return _finish(searching, limits, plan.fail_fast)


def resume(
    run_dir: str | Path,
    *,
    spark: Any = None,
    max_states: int | None = None,
    max_seconds: float | None = None,
    max_bytes: int | None = None,
    fail_fast: bool = False,
    on_progress: Callable[[Progress], object] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Result:
    """Go on with a distributed search that was stopped or killed, from its last completed level.

    Parameters
    ----------
    run_dir : path
        The run directory that the search was given.
    spark : SparkSession, optional
        A local session is made for None.
    max_states, max_seconds, max_bytes, fail_fast, on_progress, should_stop
        As for :func:`workbench.check`; states and seconds from before count too.

    Raises
    ------
    InputError
        If the directory holds no search, or more states than `max_states`, or if one of its files is damaged.
    """
    budget = Budget(max_states, max_seconds, max_bytes)
    if not Path(run_dir).is_dir():
        raise InputError(f"run directory {str(run_dir)!r} does not exist")
    searching = SparkSearch.resume(spark or spark_session(), Path(run_dir))
    states = sum(searching.manifest.sizes)
    if max_states is not None and states > max_states:
        raise InputError(f"max_states = {max_states} is not accepted; {str(run_dir)!r} has {states:,} states already")
    return _finish(searching, Limits(budget, on_progress, should_stop, searching.manifest.seconds), fail_fast)


def _finish(searching: SparkSearch, limits: Limits, fail_fast: bool) -> Result:
    searching.run(limits, fail_fast)
    return conclude(searching.plan(fail_fast), searching.exploration(), limits)


def _task(plan: Plan, spark: Any, *notes: str) -> Task:
    names = tuple(p.name for p in plan.properties)
    buckets = BUCKETS_PER_CORE * _cores(spark)
    return Task(plan.model, names, plan.symmetry, plan.bits, buckets, (*plan.notes, *notes))


def _cores(session: Any) -> int:
    try:
        return max(1, int(session.sparkContext.defaultParallelism))
    except Exception:  # Spark Connect has no SparkContext
        return max(1, int(session.conf.get("spark.sql.shuffle.partitions")))


@contextmanager
def _directory(run_dir: Path | None) -> Iterator[Path]:
    if run_dir is not None:
        yield run_dir
        return
    path = Path(tempfile.mkdtemp(prefix="workbench-run-"))
    keep = False
    try:
        yield path
    except InputError:
        keep = SparkSearch.has_levels(path)  # what stood in the way may be removed, and the search resumed
        raise
    finally:
        if not keep:
            shutil.rmtree(path, ignore_errors=True)
