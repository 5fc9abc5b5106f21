"""Spark beside one process: states per second and core, where the time of a state goes, bytes, peak memory."""

import json
import os
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench import sampled
from bench.searches import safety, title
from bench.usage import usage
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.spark.cluster.session import spark_session
from workbench.checking.spark.search import narrow_levels
from workbench.registry import get_model

CORES = 2
CASES = (
    ("bakery_v2", {"MaxCrashes": 1}),
    ("bakery_v2", {"MaxCrashes": 2, "AsyncParquet": True}),
    ("bakery_v2", {"MaxCrashes": 2, "AsyncParquet": True, "MaxRestarts": 1}),
)
#: What a worker does, by the innermost of these modules on its stack.
PARTS = {
    "expanding": ("checking.local.expander", "checking.trees.decision_trees", "checking.local.pruned"),
    "visited set": ("checking.local.store", "checking.spark.worker.bucket_set"),
    "packing": ("checking.kernels.packing", "checking.spark.numbering", "checking.spark.successor_messages"),
    "exchange": ("checking.spark.exchange",),
    "sums": ("storage.sums",),
    "level files": ("checking.spark.rundir", "checking.spark.states", "storage.folder", "storage.whole"),
    "judging": ("checking.trees.state_predicates", "checking.trees.step_predicates"),
    "Arrow and Spark": ("checking.spark.dataflow", "pyspark"),
}
#: A worker waits for its next task here.
_IDLE = "pyspark.serializers.read_int"


def row(name: str, constants: dict[str, Any]) -> dict[str, Any]:
    """One search on Spark and the same one in this process; run it in a separate process.

    The figures of :func:`times` are under ``times``.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        os.environ[sampled.FOLDER] = folder
        return _row(name, constants, Path(folder))


def _row(name: str, constants: dict[str, Any], folder: Path) -> dict[str, Any]:
    began = time.perf_counter()
    session = spark_session(f"local[{CORES}]", **{"spark.python.daemon.module": sampled.__name__})
    jobs = small_jobs(name, session)
    ready = time.perf_counter() - began

    model = get_model(name)(**constants)
    jvm = int(session.sparkContext._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]
    before = usage(jvm)
    sampled_before = _samples(folder)
    result = check(model, safety(model), engine=Spark(session=session))
    after = usage(jvm)
    session.stop()
    samples = _samples(folder) - sampled_before
    here = check(model, safety(model), engine="local")
    if (here.levels, here.generated) != (result.levels, result.generated):
        raise AssertionError("the two engines disagree")
    rate = result.distinct / result.seconds / CORES
    return {
        "model": title(name, constants),
        "states": result.distinct,
        "levels": result.depth,
        "session s": round(ready, 1),
        "Spark s": round(result.seconds, 1),
        "in process s": round(here.seconds, 2),
        "least job s": round(jobs, 2),
        "states/s/core": round(rate),
        "of in-process": round(rate * here.seconds / here.distinct, 3),
        "sent B/state": round(result.figures["shuffle_bytes"] / result.distinct, 1),
        "driver MiB": round(result.figures["driver_peak_bytes"] / 2**20),
        "JVM MiB": round(after.java_peak / 2**20),
        "worker MiB": round(result.figures["worker_peak_bytes"] / 2**20),
        "microseconds": times(
            result.distinct,
            after.python_seconds - before.python_seconds,
            after.java_seconds - before.java_seconds,
            samples,
        ),
    }


def times(states: int, workers: float, java: float, samples: Counter[str]) -> dict[str, Any]:
    """The microseconds of CPU time that a state takes, by what workers do, and in Java."""
    parts: Counter[str] = Counter()
    for stack, count in samples.items():
        parts[_part(stack.split())] += count
    idle = parts.pop("idle", 0)
    each = 1e6 * workers / states / max(1, parts.total())
    return {
        "states": states,
        **{part: round(each * parts[part], 3) for part in (*PARTS, "other")},
        "workers": round(1e6 * workers / states, 3),
        "Java": round(1e6 * java / states, 3),
        "workers idle": f"{100 * idle / max(1, idle + parts.total()):.0f} %",
    }


def _part(stack: list[str]) -> str:
    """What a worker with this stack, the innermost function first, is at."""
    if stack[:1] == [_IDLE]:
        return "idle"
    for function in stack:
        for part, modules in PARTS.items():
            if function.removeprefix("workbench.").startswith(modules):
                return part
    return "other"


def _samples(folder: Path) -> Counter[str]:
    return sum((Counter(json.loads(path.read_text())) for path in folder.glob("*.json")), Counter[str]())


def small_jobs(name: str, session: Any) -> float:
    """The seconds of the fastest level of a small search that runs as jobs; it warms up the workers."""
    small = get_model(name)(Writers=2)
    narrow_levels.MOST_STATES, usual = 0, narrow_levels.MOST_STATES
    try:
        return check(small, safety(small), engine=Spark(session=session)).figures["fastest_level"]
    finally:
        narrow_levels.MOST_STATES = usual
