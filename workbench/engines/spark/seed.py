"""The first level of a distributed search: the initial states, or the frontier of a search in process."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.cells import Cells
from workbench.engines.spark.messages import narrow, pack
from workbench.engines.spark.rundir import Level, LevelFile, Manifest, RunDirectory, Task
from workbench.kernel import Model


def rows_in(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which rows of a uint64 array (states, words) are among `others`."""
    kind = np.dtype((np.void, rows.shape[1] * 8))
    flat = [np.ascontiguousarray(part).view(kind).ravel() for part in (rows, others)]
    return np.isin(flat[0], flat[1])


def seed(
    directory: RunDirectory,
    task: Task,
    cells: Cells,
    manifest: Manifest,
    rows: np.ndarray,
    sums: np.ndarray,
    parents: np.ndarray,
    instances: np.ndarray,
    ordinals: np.ndarray,
) -> None:
    """Write the first level. The numbers that `cells` gave become the global ones."""
    directory.write_values(0, cells.values)
    fingerprints = kernels.canonical_fingerprints(sums, cells.words)
    buckets = kernels.bucket(fingerprints, task.buckets)
    parent_words = np.zeros((len(rows), cells.words), np.uint64)
    parent_words[:, 0] = parents
    files = []
    for bucket in np.unique(buckets).tolist():
        some = buckets == bucket
        columns = {
            "fingerprint": pack(fingerprints[some]),
            "parent": pack(parent_words[some]),
            "instance": pa.array(instances[some]),
            "ordinal": pa.array(ordinals[some]),
            "row": pack(narrow(rows[some])),
        }
        path = directory.write_states(0, bucket, columns, [[] for _ in cells.values])
        files.append(LevelFile(bucket, path, int(some.sum()), 0))
    nothing = np.zeros((3, len(task.model.instances)), int).tolist()
    manifest.levels.append(Level(files, nothing))
    if not manifest.prefix:
        found = _judge_first(task.model, task.properties, cells, rows, fingerprints)
        manifest.found.update(found)
    directory.write_manifest(manifest)


def _judge_first(
    model: Model, properties: Sequence[str], cells: Cells, rows: np.ndarray, fingerprints: np.ndarray
) -> dict[str, list[int]]:
    """The properties that an initial state decides."""
    found: dict[str, list[int]] = {}
    for declared in model.select(properties):
        wanted = declared.kind == "reachable"
        for row, fingerprint in zip(rows.tolist(), fingerprints.tolist(), strict=True):
            state = cells.decode(row)
            if any(i.holds(state) is wanted for i in model.predicates(declared.name)):
                found.setdefault(declared.name, [0, *fingerprint])
    return found
