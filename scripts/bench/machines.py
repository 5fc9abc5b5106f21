"""One search on Spark workers that are processes apart: does it get faster with more of them, and what do they take?"""

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from bench import cluster, processes
from bench.searches import safety, title
from bench.servers import SETTINGS, Servers
from bench.usage import usage
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.spark.cluster.session import spark_session
from workbench.checking.spark.files.manifest import RUN, Run
from workbench.registry import get_model
from workbench.storage.folder import Folder

WORKERS = (1, 2, 4)
CASES, LARGE = cluster.CASES[:2], cluster.CASES[2:]


def measure(name: str, constants: dict[str, Any]) -> list[dict[str, Any]]:
    """A search on each number of workers.

    Raises:
        AssertionError: If it does not find the same on all of them.
    """
    rows = [processes.apart(__name__, name, constants, workers) for workers in WORKERS]
    spaces = [row.pop("found") for row in rows]
    if any(other != spaces[0] for other in spaces):
        raise AssertionError("different numbers of workers disagree")
    return [{**row, "speed-up": round(rows[0]["seconds"] / row["seconds"], 2)} for row in rows]


def row(name: str, constants: dict[str, Any], workers: int) -> dict[str, Any]:
    """One search on so many workers; run it in a separate process.

    The memory is that of the largest Python process, and what all of them held of visited sets and trees after the
    last level; this is the driver's own if the driver made that level. The skew compares the largest bucket with the
    mean. The states by level and the transitions are under ``found``.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder, Servers(Path(folder)) as servers:
        master = servers.master()
        started = [servers.worker(f"worker-{number}", master) for number in range(workers)]
        # The first job waits for all executors, and a bucket is a core's.
        all_cores = {"spark.cores.max": workers, "spark.scheduler.minRegisteredResourcesRatio": 1.0}
        session = spark_session(master, **SETTINGS, **all_cores, **{"spark.default.parallelism": workers})
        least_job = cluster.small_jobs(name, session)

        model, run = get_model(name)(**constants), Path(folder, "run")
        before, shuffled = [usage(worker) for worker in started], _shuffled(session)
        result = check(model, safety(model), engine=Spark(session=session, run_dir=run))
        after, shuffled = [usage(worker) for worker in started], _shuffled(session) - shuffled
        session.stop()
        used = list(zip(before, after, strict=True))
        states = result.distinct
        return {
            "model": title(name, constants),
            "states": states,
            "workers": workers,
            "least job s": round(least_job, 2),
            "Python CPU s": round(sum(now.python_seconds - then.python_seconds for then, now in used), 1),
            "Java CPU s": round(sum(now.java_seconds - then.java_seconds for then, now in used), 1),
            "worker MiB": round(max(worker.python_peak for worker in after) / 2**20),
            "held B/state": round(result.figures["worker_bytes"] / states, 1),
            "sent B/state": round(result.figures["shuffle_bytes"] / states, 1),
            "by Spark B/state": round(shuffled / states, 1),
            "files B/state": round(sum(file.stat().st_size for file in run.rglob("*") if file.is_file()) / states, 1),
            "skew": round(max(_buckets(run)) * workers / states, 3),
            "seconds": round(result.seconds, 1),
            "found": [result.levels, result.generated],
        }


def _buckets(run: Path) -> list[int]:
    """The states of each bucket."""
    states: Counter[int] = Counter()
    for level in Run.of(Folder.open(run, RUN)).done.levels:
        for file in level.files:
            states[file.bucket] += file.rows
    return list(states.values())


def _shuffled(session: Any) -> int:
    """The bytes that Spark's own shuffle has carried."""
    spark = session.sparkContext._jsc.sc()
    spark.listenerBus().waitUntilEmpty()  # figures arrive after their task
    executors = spark.statusStore().executorList(False)
    return sum(executors.apply(number).totalShuffleWrite() for number in range(executors.size()))
