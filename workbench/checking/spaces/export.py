"""Saves a distributed search as a dataset: Spark's workers write the tables of :func:`workbench.save`."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.checking.kernels import loops
from workbench.checking.local.store import StateStore
from workbench.checking.spaces.columns import StateColumns
from workbench.checking.spaces.dataset import (
    DATASET,
    STATES,
    TRANSITIONS,
    DatasetContent,
    describe_run,
    describe_steps,
    indexed_cells,
)
from workbench.checking.spark.cluster.dataflow import Outgoing
from workbench.checking.spark.driver.entry import read_run
from workbench.checking.spark.files.manifest import LevelFile
from workbench.checking.spark.files.states import ROW_GROUP
from workbench.checking.spark.worker.worker import Shipped, Worker, worker_for
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.conclusion import conclude
from workbench.kernel.meaning.machine import ModelClass
from workbench.storage.folder import Folder, replacing_folder
from workbench.storage.places import Place, absolute, as_place
from workbench.storage.sums import FileSum


def save_run(run_dir: Place, folder: Place, model: ModelClass, spark: Any = None) -> str | Path:
    """Write the states and transitions of a run directory as a dataset, for :func:`workbench.load`.

    A state's id is its fingerprint (the lower 64 bits, as a signed integer). Transitions are computed again from the
    states. There are no ``distance_`` columns: they need all transitions in one memory.

    Args:
        run_dir: Of a search that started on Spark, and may be under way. It is only read.
        folder: As for :func:`workbench.save`, visible to the driver and all workers.
        model: The model's class.
        spark: A session; None starts a local one.

    Raises:
        InputError: If the search started in process, which did not keep its first states.
    """
    search = read_run(run_dir, model, spark)
    if search.manifest.prefix is not None:
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
    with replacing_folder(absolute(folder), DATASET) as writing:
        shipped = search.shipped(file.path for level in levels for file in level.files)
        tasks = min(len(parts), 4 * search.task.buckets)
        write = partial(_export, shipped, writing, len(levels) - 1, last)
        written = search.flow([parts[i::tasks] for i in range(tasks)], write)
        names = StateColumns(search.model.layout, [[] for _ in search.model.layout.cells], ("id", "level")).names
        run = {**describe_run(result), "transitions": sum(part.transitions for part in written), "columns": names}
        run["indexed"] = indexed_cells(search.model.layout)
        tables = {table: [part.names[table] for part in written] for table in (STATES, TRANSITIONS)}
        content = DatasetContent(search.identity, run, tables)
        writing.commit(asdict(content), {name: summed for part in written for name, summed in part.sums.items()})
    return as_place(folder)


class Written(NamedTuple):
    """The files of a written part, one in each table, and its number of transitions."""

    transitions: int
    names: dict[str, str]
    sums: dict[str, FileSum]


def _export(
    shipped: Shipped, folder: Folder, values_level: int, expanded: int, parts: Sequence[tuple[int, LevelFile, int]]
) -> Outgoing:
    """Write some parts, and report them."""
    exporter = Exporter(worker_for(shipped), values_level, folder)
    return ((0, exporter.write(level, file, group, level < expanded)) for level, file, group in parts)


class Exporter:
    """Writes parts of a run as parts of a dataset.

    Args:
        level: The run's last level, as of which values have global numbers.
        folder: The dataset.
    """

    def __init__(self, worker: Worker, level: int, folder: Folder) -> None:
        self.worker, self.level, self.folder = worker, level, folder
        worker.catch_up(level)
        values: list[list[Any]] = [[] for _ in worker.cells.values]
        for name in worker.values[: level + 1]:
            for cell, new in enumerate(worker.directory.values(name)):
                values[cell] += new
        self.columns = StateColumns(worker.model.layout, values, ("id", "level"))

    def write(self, level: int, file: LevelFile, group: int, expand: bool) -> Written:
        """Write one part's states, and if `expand` the transitions from them."""
        stored = self.worker.directory.states(file.path, ["fingerprints", "rows"], group)
        rows = self.worker.rows_of(file, stored)
        ids = _ids(stored.fingerprints)
        shared = self.worker.numbering.to_shared(rows, self.level)
        states = {"id": pa.array(ids), "level": pa.array(np.full(len(ids), level + 1, np.int32))}
        transitions = self._transitions(rows if expand else rows[:0])
        name = f"part-{level:05}-{file.bucket:05}-{group:05}.parquet"
        names, sums = {}, {}
        for table, columns in ((STATES, {**states, **self.columns.arrays(shared)}), (TRANSITIONS, transitions)):
            names[table], summed = self.folder.write(f"{table}/{name}", partial(pq.write_table, pa.table(columns)))
            sums[names[table]] = summed
        return Written(len(transitions["source"]), names, sums)

    def _transitions(self, rows: np.ndarray) -> dict[str, pa.Array]:
        expander = self.worker.expander
        store = StateStore(self.worker.cells, keep_rows=True, keep_edges=True)
        store.add_rows(rows)
        expander.begin(store)
        expander.expand(store, 0, len(rows))
        degree, targets, steps, *_ = store.transitions()
        sources = np.repeat(np.arange(store.count), degree)
        ids = _ids(loops.canonical_fingerprints(store.column("sums"), self.worker.cells.words))
        texts = describe_steps(
            self.worker.model,
            steps,
            lambda transition: self.worker.trees.steps[int(steps[transition])],
            lambda transition: self.worker.cells.decode(rows[sources[transition]].tolist()),
        )
        return {"source": pa.array(ids[sources]), "target": pa.array(ids[targets]), **texts}


def _ids(fingerprints: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(fingerprints[:, 0]).view(np.int64)
