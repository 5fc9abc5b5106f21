"""Checks that Spark's executors have this Python, and the same version of the package."""

import json
import re
import sys
import weakref
from importlib.metadata import PackageNotFoundError, requires
from types import SimpleNamespace
from typing import Any

from pyspark.errors import PySparkException

from workbench.checking.spark.cluster import worker_report
from workbench.checking.spark.cluster.fetching_without_port import payloads
from workbench.checking.spark.cluster.jobs import run_job, while_java_lives
from workbench.checking.spark.cluster.session import cores_of, spark_session
from workbench.checking.spark.cluster.shipping import with_its_code
from workbench.kernel import InputError

_PACKAGE = "lakehouse-workbench"

_ready: weakref.WeakSet[Any] = weakref.WeakSet()  # sessions with checked executors


@while_java_lives()
def ready_session(spark: Any = None) -> Any:
    """A Spark session whose executors have been checked and have loaded the package.

    Args:
        spark: A session, or a master. None or True means the running session, or else a new one on this machine.

    Raises:
        InputError: If an executor has a different Python or different package code, or lacks a dependency.
    """
    session = spark_session(spark) if isinstance(spark, str) else spark
    session = spark_session() if session in (None, True) else session
    if session not in _ready:
        _check(session)
        _ready.add(session)
    return session


def _check(spark: Any) -> None:
    here, asked = worker_report.code_of_package(), 0
    while asked < cores_of(spark):  # a cluster's executors may come while the first of them answer
        asked = cores_of(spark)
        for answer in run_job(spark, lambda tasks=asked: _answers(spark, tasks), lambda: None):  # type: ignore[misc]
            wrong = _wrong(answer, here)
            if wrong:
                raise _refusal(f"{answer.host} ({answer.python})", wrong)


def _answers(spark: Any, tasks: int) -> list[Any]:
    try:
        asked = spark.range(0, tasks, 1, tasks).mapInArrow(with_its_code(worker_report.answer), worker_report.ANSWER)
        return [SimpleNamespace(**json.loads(payload)) for payload in payloads(asked)]
    except Exception as error:
        wrong = _wrong_with_python(str(error))
        if wrong is None:
            raise
        raise _refusal(_failed(spark, str(error)), wrong) from error


def _failed(spark: Any, message: str) -> str:
    """The host of a failed task, if Spark reports it."""
    match = re.search(r"\(TID \d+\) \((\S+) executor", message)
    if match:
        return match[1]
    try:
        listed = spark.sparkContext._jsc.sc().statusStore().executorList(True)
        hosts = [e.hostPort().rpartition(":")[0] for e in map(listed.apply, range(listed.size())) if e.failedTasks()]
    except PySparkException:  # Spark Connect has no SparkContext
        hosts = []
    return hosts[0] if hosts else "an executor"


def _wrong(answer: Any, here: str) -> str | None:
    """What a worker's answer shows to be wrong with it; None if all is well."""
    if not answer.code:
        return f"has no {_PACKAGE}"
    for package, there, least in zip(worker_report.NEEDED, answer.versions, _least(), strict=True):
        if not there:
            return f"has no {package}"
        if _numbers(there) < _numbers(least):
            return f"has {package} {there}, and the workbench needs {least}"
    if answer.code != here:
        return f"has other code of {_PACKAGE} than this process"
    return f"cannot load {_PACKAGE}: {answer.problem}" if answer.problem else None


def _wrong_with_python(message: str) -> str | None:
    """What is wrong with a worker that could not answer, according to the error from PySpark or Spark."""
    mismatch = re.search(r"different version:? (\d+\.\d+) than that in driver:? (\d+\.\d+)", message)
    if mismatch:
        return f"runs Python {mismatch[1]}, and this is Python {mismatch[2]}"
    ended = re.search(r"Error from python worker:\n(.*?)\n\s*PYTHONPATH was:", message, re.DOTALL)
    if ended:
        return f"does not start: {ended[1].splitlines()[-1].strip()}"
    missing = re.search(r"ModuleNotFoundError: No module named '([^']+)'", message)
    if missing:
        return f"has no {missing[1].partition('.')[0]}"
    program = re.search(r'Cannot run program "([^"]+)"', message)
    return f"has no program {program[1]!r}" if program else None


def _refusal(where: str, wrong: str) -> InputError:
    # The package may be on the path without being installed.
    here = f"{_PACKAGE}[spark] {worker_report.version_of(_PACKAGE)}".rstrip()
    return InputError(
        f"Spark's worker on {where} {wrong}; install {here} there for Python "
        f"{'.'.join(map(str, sys.version_info[:2]))}, or name a Python that has it: "
        "PYSPARK_PYTHON, or the setting spark.pyspark.python"
    )


def _least() -> list[str]:
    """The oldest versions that the package accepts."""
    try:
        requirements = requires(_PACKAGE) or []
    except PackageNotFoundError:
        requirements = []
    lines = [re.match(r"([\w-]+)[^;]*>=([\d.]+)", line) for line in requirements]
    least = {match[1]: match[2] for match in lines if match}
    return [least.get(package, "0") for package in worker_report.NEEDED]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)[:3]]
