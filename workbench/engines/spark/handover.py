"""Handing a search in this process over to Spark: written to the run directory piece by piece, never copied whole."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from workbench.engines import kernels
from workbench.engines.local import LocalSearch
from workbench.engines.spark.messages import pack, state_columns
from workbench.engines.spark.rundir import (
    PREFIX,
    PREFIX_LINKS,
    Level,
    Manifest,
    RunDirectory,
    Task,
    visited_file,
)
from workbench.engines.store import Visited


def write_search(directory: RunDirectory, task: Task, search: LocalSearch, seconds: float) -> Manifest:
    """Write the completed levels of `search`: visited set, links, and the last of them, which is to be expanded.

    What it has visited beyond them is found again.
    """
    completed = search.completed()
    visited, first = sum(completed.levels), sum(completed.levels[:-1])
    later = _visited_from(search, visited)
    for bucket in range(task.buckets):
        directory.write_table(visited_file(bucket), _fingerprints(search, bucket, task.buckets, later))
    del later
    directory.write_table(PREFIX_LINKS, _links(search, visited))
    directory.write_values(0, search.cells.values)
    nothing_numbered: list[list[int]] = [[] for _ in search.cells.values]
    files = [
        directory.write_states(0, bucket, _states(search, first, visited, bucket, task.buckets), 0, nothing_numbered)
        for bucket in range(task.buckets)
    ]
    manifest = Manifest(
        initial=completed.initial,
        prefix=completed.levels,
        prefix_counts=completed.counts.tolist(),
        decided={name: [PREFIX, state] for name, state in search.watched.decided.items() if state < visited},
        assigns=search.trees.assigns.tolist(),
        seconds=seconds,
        levels=[
            Level([file for file in files if file.rows], np.zeros((3, len(task.model.instances)), np.int64).tolist())
        ],
    )
    directory.write_manifest(manifest)
    return manifest


def _visited_from(search: LocalSearch, first: int) -> Visited:
    """The fingerprints of the states from number `first` on."""
    words = search.cells.words
    visited, count = Visited(words, numbered=False), 0
    for part in search.store.slices(first, search.store.count):
        count += len(part.sums)
        while visited.limit <= count:
            visited.grow()
        kernels.admit(kernels.canonical_fingerprints(part.sums, words), visited.table, 0, visited.limit)
    return visited


def _fingerprints(search: LocalSearch, bucket: int, buckets: int, later: Visited) -> Iterator[dict[str, pa.Array]]:
    """The visited fingerprints of a bucket that are not in `later`."""
    for part in search.store.visited.slices():
        part = part[kernels.bucket(part, buckets) == bucket]
        yield {"fingerprint": pack(part[~kernels.contains(part, later.table)])}


def _links(search: LocalSearch, end: int) -> Iterator[dict[str, pa.Array]]:
    """The predecessors of the states up to number `end`, and the steps from them; an initial state has instance -1."""
    steps = np.array(search.trees.steps or [(0, 0)], np.int32)
    for part in search.store.slices(0, end):
        initial = part.step < 0
        instances, ordinals = steps[np.maximum(part.step, 0)].T
        yield {
            "parent": pa.array(part.parent),
            "instance": pa.array(np.where(initial, -1, instances).astype(np.int32)),
            "ordinal": pa.array(np.where(initial, -1 - part.step, ordinals).astype(np.int32)),
        }


def _states(search: LocalSearch, first: int, end: int, bucket: int, buckets: int) -> Iterator[dict[str, pa.Array]]:
    """The states from number `first` up to `end` that are in a bucket; a state's parent is given by its own number."""
    words = search.cells.words
    width = np.uint16 if max(map(len, search.cells.values), default=0) < 1 << 16 else np.int32
    for part in search.store.slices(first, end):
        fingerprints = kernels.canonical_fingerprints(part.sums, words)
        some = np.flatnonzero(kernels.bucket(fingerprints, buckets) == bucket)
        parents = np.zeros((len(some), words), np.uint64)
        parents[:, 0] = part.base + some
        nothing = np.zeros(len(some), np.int32)
        yield state_columns(fingerprints[some], parents, nothing - 1, nothing, part.rows[some].astype(width))
