"""A distributed search as a dataset: the same tables as :func:`workbench.save` writes, made by Spark's workers."""

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.engines import kernels
from workbench.engines.spark.engine import SparkSearch
from workbench.engines.spark.messages import unpack_fingerprints, unpack_rows
from workbench.engines.spark.rundir import ROW_GROUP, LevelFile, extras_of
from workbench.engines.spark.session import spark_session
from workbench.engines.spark.worker import Shipped, Worker, worker_for
from workbench.engines.store import Store
from workbench.kernel import InputError
from workbench.kernel.budget import Limits
from workbench.kernel.conclusion import conclude
from workbench.spaces.columns import StateColumns
from workbench.spaces.dataset import STATES, TRANSITIONS, describe_run, describe_steps, new_dataset


def save_run(run_dir: str | Path, folder: str | Path, spark: Any = None) -> Path:
    """Write the states and transitions that a run directory stands for as a dataset, for :func:`workbench.load`.

    A state's id is its fingerprint (the lower 64 bits of it, as a signed integer). Transitions are computed again from
    the states. There are no ``distance_`` columns: they need all transitions in one memory.

    Parameters
    ----------
    run_dir : path
        Of a search that was on Spark from its beginning.
    folder : path
        As for :func:`workbench.save`, visible to driver and workers.
    spark : SparkSession, optional
        A local session is made for None.

    Raises
    ------
    InputError
        If the search began in process: its first states were not kept.
    """
    search = SparkSearch.open(spark or spark_session(), Path(run_dir))
    if search.manifest.prefix:
        raise InputError(
            f"run directory {str(run_dir)!r} is not accepted: its search began in process and kept no states there; "
            "search with engine 'spark' from the beginning"
        )
    levels = search.manifest.levels
    if not levels:
        raise InputError(f"run directory {str(run_dir)!r} has no completed level; resume its search first")
    result = conclude(search.plan(), search.exploration(), Limits(spent=search.manifest.seconds))
    parts = [(n, f, g) for n, level in enumerate(levels) for f in level.files for g in range(-(-f.rows // ROW_GROUP))]
    last = len(levels) - (0 if result.complete else 1)  # the last level of an incomplete search was not expanded
    with new_dataset(folder) as writing:
        task = export_task(search.shipped, parts, str(writing.absolute()), len(levels) - 1, last)
        tasks = search.spark.range(0, len(parts), 1, min(len(parts), 4 * search.task.buckets))
        rows = tasks.mapInArrow(task, "transitions long").collect()
        names = StateColumns(search.model.layout, [[] for _ in search.model.layout.cells], ("id", "level")).names
        run = {**describe_run(result), "transitions": sum(row.transitions for row in rows), "columns": names}
        (writing / "run.json").write_text(json.dumps(run, indent=1) + "\n")
    return Path(folder)


def export_task(
    shipped: Shipped, parts: Sequence[tuple[int, LevelFile, int]], folder: str, values_level: int, expanded: int
) -> Callable[[Any], Iterator[pa.RecordBatch]]:
    """The function that writes the parts whose numbers it is given, and tells how many transitions they have."""

    def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                level, file, group = parts[number]
                exporter = Exporter(worker_for(shipped), values_level, Path(folder))
                count = exporter.write(level, file, group, level < expanded)
                yield pa.RecordBatch.from_pydict({"transitions": pa.array([count], pa.int64())})

    return task


class Exporter:
    """Writes parts of a run as parts of a dataset.

    Parameters
    ----------
    worker : Worker
    level : int
        The run's last level: values have their global numbers as of then.
    folder : Path
        Of the dataset.
    """

    def __init__(self, worker: Worker, level: int, folder: Path) -> None:
        self.worker, self.level, self.folder = worker, level, folder
        worker.catch_up(level)
        values: list[list[Any]] = [[] for _ in worker.cells.values]
        for number in range(level + 1):
            for cell, new in enumerate(worker.directory.values(number)):
                values[cell] += new
        self.columns = StateColumns(worker.model.layout, values, ("id", "level"))

    def write(self, level: int, file: LevelFile, group: int, expand: bool) -> int:
        """Write one part's states and, if it is to be expanded, their transitions; the number of transitions."""
        table = self.worker.directory.read_states(file.path, ["fingerprint", "row"], group)
        stored = unpack_rows(table["row"], len(self.worker.cells.values))
        rows = self.worker.numbering.to_local(stored, file.values_level, extras_of(table))
        ids = unpack_fingerprints(table["fingerprint"])[:, 0].view(np.int64)
        shared, _ = self.worker.numbering.to_shared(rows, self.level)
        name = f"part-{level:05}-{file.bucket:05}-{group:05}.parquet"
        states = {"id": pa.array(ids), "level": pa.array(np.full(len(ids), level + 1, np.int32))}
        self._put(STATES, name, {**states, **self.columns.arrays(shared)})
        return self._write_transitions(rows, name) if expand else 0

    def _write_transitions(self, rows: np.ndarray, name: str) -> int:
        expander = self.worker.expander
        store = Store(self.worker.cells, keep_rows=True, keep_edges=True)
        store.add_rows(rows)
        expander.begin(store)
        expander.expand(store, 0, len(rows))
        targets, steps = store.transitions(expander.edges)
        sources = np.repeat(np.arange(store.count), store.column("degree"))
        fingerprints = kernels.canonical_fingerprints(store.column("sums"), self.worker.cells.words)
        ids = fingerprints[:, 0].view(np.int64)
        texts = describe_steps(
            self.worker.model,
            steps,
            lambda transition: self.worker.trees.steps[int(steps[transition])],
            lambda transition: self.worker.cells.decode(rows[sources[transition]].tolist()),
        )
        self._put(TRANSITIONS, name, {"source": pa.array(ids[sources]), "target": pa.array(ids[targets]), **texts})
        return len(targets)

    def _put(self, table: str, name: str, columns: dict[str, pa.Array]) -> None:
        """Write a file under its own name in one go, so that a task that is run twice leaves it once."""
        target = self.folder / table / name
        temporary = target.with_name(f".{name}.{uuid.uuid4().hex}")
        pq.write_table(pa.table(columns), temporary)
        temporary.replace(target)
