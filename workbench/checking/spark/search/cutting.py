"""Cuts a level to the budget of states."""

import copy
import dataclasses
from collections.abc import Sequence

import numpy as np

from workbench.checking.spark.files.manifest import LevelFile, RunManifest
from workbench.checking.spark.files.messages import Admitted
from workbench.checking.spark.files.rundir import RunDirectory
from workbench.checking.spark.files.states import States


def cut(
    directory: RunDirectory, before: RunManifest, whole: RunManifest, outcomes: Sequence[Admitted], room: int
) -> RunManifest:
    """`whole` with only `room` states left in its last level: bucket by bucket, the smallest fingerprints first.

    Properties that only the omitted states decide stay undecided. All steps to the level count.

    Args:
        before, whole: Without and with the level.
        outcomes: The level's buckets.
    """
    manifest = copy.deepcopy(whole)
    manifest.decided = {name: place for name, place in whole.decided.items() if place[0] < len(before.levels)}
    level = manifest.levels[-1]
    taken: list[LevelFile] = []
    new = np.zeros(len(level.counts[2]), np.int64)
    hits: dict[str, list[list[int]]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.bucket):
        there, left = sum(file.rows for file in outcome.files), room - sum(file.rows for file in taken)
        if left == 0:
            break
        last: list[int] | None = None
        if there <= left:
            new += outcome.new
            taken += outcome.files
        else:
            last, instances, rows = _first_rows(directory, outcome.files, left)
            new += np.bincount(instances[instances >= 0], minlength=len(new))
            taken += [
                dataclasses.replace(file, rows=some) for file, some in zip(outcome.files, rows, strict=True) if some
            ]
        for name, fingerprint in outcome.decided.items():
            if last is None or fingerprint <= last:
                hits.setdefault(name, []).append(fingerprint)
    for name, fingerprints in hits.items():
        manifest.decided.setdefault(name, [len(before.levels), *min(fingerprints)])
    level.files, level.counts[2] = taken, new.tolist()
    if not taken:  # no state was taken, but the steps to the level were
        manifest.levels.pop()
        if manifest.levels:
            last_level = manifest.levels[-1]
            last_level.counts = (np.array(last_level.counts) + np.array(level.counts)).tolist()
    return manifest


def _first_rows(
    directory: RunDirectory, files: Sequence[LevelFile], rows: int
) -> tuple[list[int], np.ndarray, list[int]]:
    """The rows with the smallest fingerprints: the last fingerprint, the action instances, the rows of each file."""
    parts = [directory.states(file.path, ["fingerprints", "instances"]) for file in files]
    states = States.join(parts)
    first = np.lexsort(states.fingerprints.T[::-1])[:rows]
    file_of = np.repeat(np.arange(len(files)), [file.rows for file in files])
    counts = np.bincount(file_of[first], minlength=len(files)).tolist()
    return states.fingerprints[first[-1]].tolist(), states.instances[first], counts
