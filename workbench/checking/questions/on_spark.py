"""Checks settings as tasks on Spark, one task each, which write their outcomes into a folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from workbench.checking.kernels import compiling
from workbench.checking.questions.processes import Done
from workbench.checking.questions.records import ATTEMPTS, Records, died
from workbench.checking.questions.settings import SettingsTask
from workbench.checking.shipping import receive, ship
from workbench.checking.spark.cluster.dataflow import Outgoing, on_spark
from workbench.checking.spark.cluster.exchange import Exchange
from workbench.checking.spark.cluster.executors import ready_session
from workbench.kernel.meaning.budget import INTERRUPTED, Stop


@dataclass(frozen=True)
class _SparkJob:
    """A worker's input: the settings with these `numbers`, a Spark task each."""

    task: SettingsTask
    records: Records
    numbers: Sequence[int]


def _carry_out(shipped: bytes, at: int) -> Outgoing:
    """Check a setting, unless an earlier attempt has written its outcome."""
    from pyspark import TaskContext

    job, context = receive(shipped), TaskContext.get()
    assert context is not None, "workers carry out tasks"
    number, attempt = job.numbers[at], context.attemptNumber()
    with compiling.telling(lambda _: None):  # every worker would say it
        if job.records.outcome(number) is None:
            job.records.write(number, job.task.check(number)[0] if attempt < ATTEMPTS else died())
    return ()


def check_on_spark(
    task: SettingsTask,
    records: Records,
    numbers: Sequence[int],
    spark: Any,
    done: Done,
    should_stop: Callable[[], bool],
) -> str:
    """Check the settings with these numbers, as :func:`workbench.checking.questions.processes.check_here` does.

    Args:
        spark: A session, a master, or True for the running session, or else a local one.

    Returns:
        Why outcomes are missing, if some are.
    """
    from pyspark.errors import PythonException

    waiting, job = dict.fromkeys(numbers), _SparkJob(task, records, numbers)

    def look() -> None:
        for number in list(waiting):
            outcome = records.outcome(number)
            if outcome is not None:
                done(number, outcome, None)
                del waiting[number]

    def watch() -> None:
        look()
        if should_stop():
            raise Stop(INTERRUPTED)

    session = ready_session(spark)
    reason = f"the worker left no result in {records.folder}; out must be a folder that all workers see"
    try:
        carry_out = partial(_carry_out, ship(job, task.model.declared.name))
        on_spark(session, watch, lambda error: error, Exchange(), range(len(numbers)), carry_out)
    except Stop as stop:
        reason = str(stop)
    except Exception as error:  # finished results are kept in any case
        lines = str(error).splitlines() or [type(error).__name__]
        reason = lines[-1 if isinstance(error, PythonException) else 0]  # a Python traceback ends with the error
    look()
    return reason
