"""Spark beside one process: the cost of a job and of a narrow level, states per second and core, bytes, peak memory."""

import itertools
import time
from pathlib import Path
from typing import Any

from bench.searches import safety, title
from workbench.checking.check import check
from workbench.checking.spark import narrow_levels
from workbench.checking.spark.session import spark_session
from workbench.registry import get_model

CORES = 2
CASES = (("bakery_v2", {"MaxCrashes": 1}), ("bakery_v2", {"MaxCrashes": 2, "AsyncParquet": True}))
#: Levels from this size on show the engine's rate; smaller ones show the cost of a Spark job.
WIDE = 200_000


def row(name: str, constants: dict[str, Any]) -> dict[str, Any]:
    """One search on Spark and the same one in this process; run it in a separate process."""
    began = time.perf_counter()
    session = spark_session(f"local[{CORES}]")
    jobs = _small_jobs(name, session)
    ready = time.perf_counter() - began

    model = get_model(name)(**constants)
    began_at: dict[int, float] = {}  # when each level was first expanded; a job makes several
    result = check(
        model,
        safety(model),
        engine="spark",
        spark=session,
        on_progress=lambda at: began_at.setdefault(at.level, at.seconds),
    )
    jvm = int(session.sparkContext._jvm.java.lang.ProcessHandle.current().pid())  # type: ignore[union-attr]
    jvm_mib = _peak_mib_of(jvm)
    session.stop()
    here = check(model, safety(model), engine="local")
    if (here.levels, here.generated) != (result.levels, result.generated):
        raise AssertionError("the two engines disagree")
    expanded = itertools.pairwise(sorted(level for level in began_at if level))
    spans = [(began_at[end] - began_at[first], result.levels[first - 1 : end - 1]) for first, end in expanded]
    wide = [span for span in spans if min(span[1]) >= WIDE]
    rate = sum(sum(of) for _, of in wide) / sum(seconds for seconds, _ in wide) / CORES if wide else float("nan")
    local_rate = here.distinct / here.seconds
    return {
        "model": title(name, constants),
        "states": result.distinct,
        "levels": result.depth,
        "session s": round(ready, 1),
        "Spark s": round(result.seconds, 1),
        "in process s": round(here.seconds, 2),
        "least job s": round(jobs, 2),
        "least level s": round(min(seconds / len(of) for seconds, of in spans), 3),
        "states/s/core": round(result.distinct / result.seconds / CORES),
        "at wide levels": round(rate) if wide else "-",
        "of in-process": round(rate / local_rate, 3) if wide else "-",
        "shuffled B/state": round(result.figures["shuffle_bytes"] / result.distinct, 1),
        "driver MiB": round(result.figures["driver_peak_bytes"] / 2**20),
        "JVM MiB": jvm_mib,
        "worker MiB": round(result.figures["worker_peak_bytes"] / 2**20),
    }


def _small_jobs(name: str, session: Any) -> float:
    """The seconds of the fastest level of a small search that runs as jobs; it warms up the workers."""
    small = get_model(name)(Writers=2)
    narrow_levels.MOST_STATES, usual = 0, narrow_levels.MOST_STATES
    try:
        return check(small, safety(small), engine="spark", spark=session).figures["fastest_level"]
    finally:
        narrow_levels.MOST_STATES = usual


def _peak_mib_of(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    raise AssertionError("the kernel does not say how large the process was")
