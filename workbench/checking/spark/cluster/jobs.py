"""Spark jobs that can be watched and cancelled while they run."""

import json
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from workbench.checking.spark.cluster.session import end_of_java
from workbench.kernel import InputError, ModelError
from workbench.storage.folder import DamagedFolder

_POLL_SECONDS = 0.1

#: Settings for jobs of few and large messages. Where Spark carries them whole, a batch of its default length would be a
#: bucket's whole level, which its task would wait for, and hold. Adaptive execution has nothing to adapt to, and would
#: make each stage a job.
_SETTINGS = {"spark.sql.execution.arrow.maxRecordsPerBatch": "4", "spark.sql.adaptive.enabled": "false"}

T = TypeVar("T")

#: Separates the text of a model's error from its place: only the text gets from a worker to the driver.
_MET = " (met at) "


@contextmanager
def telling_where() -> Iterator[None]:
    """Inside a task: add the place of a model's error to its text."""
    try:
        yield
    except ModelError as error:
        if not isinstance(error.met, list):
            raise
        raise ModelError(f"{error}{_MET}{json.dumps(error.met)}") from error


@contextmanager
def while_java_lives() -> Iterator[None]:
    """Turn failures that happen because Spark's Java process has ended into :class:`InputError`."""
    try:
        yield
    except (Py4JError, ConnectionError) as error:
        end = None if isinstance(error, Py4JJavaError) else end_of_java()
        if end is None:
            raise
        raise InputError(end) from None


@while_java_lives()
def session_of_messages(spark: Any) -> Any:
    """A session with its own settings for jobs that move messages; it shares everything else with `spark`.

    With Spark Connect it is `spark` itself: older versions cannot create a second client, which would also keep the
    process from exiting.
    """
    if _context(spark) is None:
        return spark
    session = spark.newSession()
    for name, value in _SETTINGS.items():
        session.conf.set(name, value)
    return session


def run_job(spark: Any, work: Callable[[], T], watch: Callable[[], None]) -> T:
    """Run `work`, which waits for a Spark job, in a thread, and call `watch` repeatedly until it ends.

    If `watch` raises, the job is cancelled, and the exception is raised once the job has ended.
    """
    tag, context = f"workbench-{uuid.uuid4().hex}", _context(spark)
    if context is None:
        add, remove, cancel = spark.addTag, spark.removeTag, spark.interruptTag
    else:  # a classic session's functions do not reach jobs of another thread; its context's do
        add, remove, cancel = context.addJobTag, context.removeJobTag, context.cancelJobsWithTag

    def tagged() -> T:
        with while_java_lives():
            add(tag)  # tags belong to the thread
            try:
                return work()
            finally:
                remove(tag)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(tagged)
        try:
            while not wait([running], _POLL_SECONDS).done:
                watch()
        except BaseException:
            while not wait([running], _POLL_SECONDS).done:
                with suppress(InputError), while_java_lives():
                    cancel(tag)  # repeatedly: the thread may not have started its job yet
            raise
        return running.result()


def _context(spark: Any) -> Any:
    """The SparkContext of a session; None with Spark Connect."""
    try:
        return spark.sparkContext
    except PySparkException:
        return None


def explained(error: Exception, model: str) -> Exception:
    """Turn a worker's failure into a one-line error about `model`; an unexpected error is returned unchanged."""
    for line in str(error).splitlines():
        if "ModelError: " in line:
            text, _, met = line.split("ModelError: ", 1)[1].partition(_MET)
            model_error = ModelError(text)
            model_error.met = json.loads(met) if met else None
            return model_error
        if "DamagedFolder: " in line:
            return DamagedFolder(line.split("DamagedFolder: ", 1)[1])
        if "InputError: " in line:  # such as a name that the model may not use
            return InputError(line.split("InputError: ", 1)[1])
        if "NotReceived: " in line:
            problem = line.split("NotReceived: ", 1)[1]
            return InputError(f"Spark's workers cannot load {model}: {problem}; install what it imports there too")
    return error
