"""Hands a search in this process over to Spark: writes it to the run directory piece by piece, without a copy."""

from collections.abc import Iterator

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.local.search import LocalSearch
from workbench.checking.local.store import Visited
from workbench.checking.spark.files.manifest import PREFIX, PRUNED, Level, Prefix, RunManifest
from workbench.checking.spark.files.messages import Task
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import States, narrow
from workbench.checking.spark.liveness.linking import parts_of, write_part
from workbench.kernel.meaning.properties import DEADLOCK


def write_search(directory: RunDirectory, task: Task, search: LocalSearch, seconds: float) -> RunManifest:
    """Write the completed levels of `search`: visited set, links, and the last level, to be expanded next.

    States visited beyond them will be found again. The caller commits the manifest.
    """
    completed = search.completed()
    visited, first = sum(completed.levels), sum(completed.levels[:-1])
    later = _visited_from(search, visited)
    fingerprints = (_fingerprints(search, bucket, task.buckets, later) for bucket in range(task.buckets))
    prefix = Prefix(
        levels=completed.levels,
        counts=completed.counts.tolist(),
        visited=[directory.write_states(f"prefix/visited-{b:05}.parquet", f)[0] for b, f in enumerate(fingerprints)],
        links=directory.write_states("prefix/links.parquet", _links(search, visited))[0],
    )
    del later
    nothing_numbered: list[list[int]] = [[] for _ in search.cells.values]
    files = [
        directory.write_level(0, bucket, _states(search, first, visited, bucket, task.buckets), 0, nothing_numbered)
        for bucket in range(task.buckets)
    ]
    no_counts = np.zeros((3, len(task.model.instances)), np.int64).tolist()
    values = directory.write_values(0, search.cells.values)
    return RunManifest(
        initial=completed.initial,
        prefix=prefix,
        levels=[Level([file for file in files if file.rows], no_counts, values)],
        decided=_decided(search, first, visited),
        assigns=search.trees.assigns.tolist(),
        seconds=seconds,
        outside=completed.outside,
        transitions=[write_part(directory, part).file for part in parts_of(search, first)] if search.labels else [],
    )


def _decided(search: LocalSearch, first: int, visited: int) -> dict[str, list[int]]:
    """The properties decided by the first `visited` states, and by the steps from those before number `first`.

    Steps from the others are taken again; initial states are not judged again.
    """
    places = {}
    for name, (state, step) in search.decided.items():
        if step is None and (state < first or (state < visited and name != DEADLOCK.name)):
            places[name] = [PREFIX, state]
        elif step is not None and step < 0:
            places[name] = [PRUNED, -1 - step]
        elif step is not None and state < first:
            places[name] = [PREFIX, state, *search.trees.steps[step]]
    return places


def _visited_from(search: LocalSearch, first: int) -> Visited:
    """The fingerprints of the states from number `first` on."""
    words = search.cells.words
    visited, count = Visited(words, numbered=False), 0
    for part in search.store.slices(first, search.store.count):
        visited.add_new(loops.canonical_fingerprints(part.sums, words), count)
        count += len(part.sums)
    return visited


def _fingerprints(search: LocalSearch, bucket: int, buckets: int, later: Visited) -> Iterator[States]:
    """The visited fingerprints of a bucket that are not in `later`; parents hold the states' numbers, if kept."""
    for part, numbers in search.store.visited.slices():
        some = (loops.bucket(part, buckets) == bucket) & ~loops.contains(part, later.table)
        if search.store.visited.numbered:
            yield States(fingerprints=part[some], parents=_as_parents(numbers[some], search.cells.words))
        else:
            yield States(fingerprints=part[some])


def _as_parents(numbers: np.ndarray, words: int) -> np.ndarray:
    """Numbers of states, in the shape of the column for their parents' fingerprints."""
    parents = np.zeros((len(numbers), words), np.uint64)
    parents[:, 0] = numbers
    return parents


def _links(search: LocalSearch, end: int) -> Iterator[States]:
    """The predecessors of the states up to number `end`, and the steps from them; an initial state has instance -1."""
    steps = np.array(search.trees.steps or [(0, 0)], np.int32)
    for part in search.store.slices(0, end):
        initial = part.step < 0
        instances, ordinals = steps[np.maximum(part.step, 0)].T
        yield States(
            parents=_as_parents(part.parent, search.cells.words),
            instances=np.where(initial, -1, instances),
            ordinals=np.where(initial, -1 - part.step, ordinals),
        )


def _states(search: LocalSearch, first: int, end: int, bucket: int, buckets: int) -> Iterator[States]:
    """The states of a bucket from number `first` up to `end`; the parent is the state's own number."""
    words = search.cells.words
    width = narrow(np.array([len(values) for values in search.cells.values])).dtype
    for part in search.store.slices(first, end):
        fingerprints = loops.canonical_fingerprints(part.sums, words)
        some = np.flatnonzero(loops.bucket(fingerprints, buckets) == bucket)
        parents = _as_parents(part.base + some, words)
        nothing = np.zeros(len(some), np.int32)
        yield States(fingerprints[some], parents, nothing - 1, nothing, part.rows[some].astype(width))
