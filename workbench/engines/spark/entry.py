"""The ways into the distributed engine: from the initial states, from a search in process, from a run directory."""

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench.engines.local import Budget, LocalSearch, Progress
from workbench.engines.spark.engine import SparkSearch
from workbench.engines.spark.rundir import Task
from workbench.engines.spark.session import spark_session
from workbench.kernel import InputError, Model, Result

#: Buckets per core. More would even out the load, but every task costs about a tenth of a second.
BUCKETS_PER_CORE = 1


def check_on_spark(
    model: Model,
    properties: Sequence[str],
    symmetry: Sequence[str],
    bits: int,
    *,
    spark: Any = None,
    run_dir: str | Path | None = None,
    search: LocalSearch | None = None,
    notes: Sequence[str] = (),
    **options: Any,
) -> Result:
    """Check on Spark.

    Parameters
    ----------
    properties : sequence of str
        Invariants and reachable properties.
    spark : SparkSession, optional
        A local session is made for None.
    run_dir : path, optional
        Where levels are kept, visible to driver and workers under this path; a temporary folder for None.
    search : LocalSearch, optional
        A search in this process to go on from; from the initial states for None.
    **options
        ``budget``, ``fail_fast``, ``on_progress`` and ``should_stop``, as for a search in this process.
    """
    session = spark or spark_session()
    task = Task(model, tuple(properties), tuple(symmetry), bits, BUCKETS_PER_CORE * _cores(session))
    with _directory(run_dir) as path:
        if search is None:
            running = SparkSearch.start(session, path, task)
        else:
            running = SparkSearch.hand_over(session, path, task, search)
        return _finish(running, notes, **options)


def resume(
    run_dir: str | Path,
    *,
    spark: Any = None,
    max_states: int | None = None,
    max_seconds: float | None = None,
    fail_fast: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Result:
    """Go on with a distributed search that was stopped or killed, from its last completed level.

    Parameters
    ----------
    run_dir : path
        The run directory that the search was given.
    spark : SparkSession, optional
        A local session is made for None.
    max_states, max_seconds, fail_fast, on_progress, should_stop
        As for :func:`workbench.check`; states and seconds from before count too.

    Raises
    ------
    InputError
        If the directory holds no search, or one of its files is damaged.
    """
    if not Path(run_dir).is_dir():
        raise InputError(f"run directory {str(run_dir)!r} does not exist")
    running = SparkSearch.resume(spark or spark_session(), Path(run_dir))
    budget = Budget(max_states, max_seconds)
    return _finish(running, (), budget=budget, fail_fast=fail_fast, on_progress=on_progress, should_stop=should_stop)


def _finish(running: SparkSearch, notes: Sequence[str], **options: Any) -> Result:
    running.run(**options)
    return running.result(notes)


def _cores(session: Any) -> int:
    try:
        return max(1, int(session.sparkContext.defaultParallelism))
    except Exception:  # Spark Connect has no SparkContext
        return max(1, int(session.conf.get("spark.sql.shuffle.partitions")))


@contextmanager
def _directory(run_dir: str | Path | None) -> Iterator[Path]:
    if run_dir is not None:
        yield Path(run_dir)
        return
    path = Path(tempfile.mkdtemp(prefix="workbench-run-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
