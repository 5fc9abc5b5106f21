"""What a budget of states allows of a level that goes beyond it."""

import copy
from collections.abc import Sequence

import numpy as np

from workbench.engines.spark.manifest import LevelFile, Manifest
from workbench.engines.spark.messages import Admitted
from workbench.engines.spark.rundir import RunDirectory


def cut(
    directory: RunDirectory, before: Manifest, whole: Manifest, outcomes: Sequence[Admitted], room: int
) -> Manifest:
    """`whole` with `room` states in its last level: bucket after bucket, in each the smallest fingerprints first.

    What only the states that are left out decide is not decided. The steps to the level count as they were taken.

    Parameters
    ----------
    before, whole : Manifest
        Without and with the level.
    outcomes : sequence of Admitted
        Those that the level was made of.
    """
    manifest = copy.deepcopy(whole)
    manifest.decided = {name: place for name, place in whole.decided.items() if place[0] < len(before.levels)}
    level = manifest.levels[-1]
    taken: list[LevelFile] = []
    new = np.zeros(len(level.counts[2]), np.int64)
    hits: dict[str, list[list[int]]] = {}
    for outcome in sorted((o for o in outcomes if o.file is not None), key=lambda o: o.file.bucket):  # type: ignore[union-attr]
        file = outcome.file
        assert file is not None
        rows = min(file.rows, room - sum(part.rows for part in taken))
        if rows == 0:
            break
        last: list[int] | None = None
        if rows == file.rows:
            new += outcome.new
        else:
            last, instances = _first_rows(directory, file, rows)
            new += np.bincount(instances[instances >= 0], minlength=len(new))
        for name, fingerprint in outcome.decided.items():
            if last is None or fingerprint <= last:
                hits.setdefault(name, []).append(fingerprint)
        taken.append(LevelFile(file.bucket, file.path, rows, file.values_level))
    for name, fingerprints in hits.items():
        manifest.decided[name] = [len(before.levels), *min(fingerprints)]
    level.files, level.counts[2] = taken, new.tolist()
    if not taken:  # no state was taken, but the steps to the level were
        manifest.levels.pop()
        if manifest.levels:
            last_level = manifest.levels[-1]
            last_level.counts = (np.array(last_level.counts) + np.array(level.counts)).tolist()
    return manifest


def _first_rows(directory: RunDirectory, file: LevelFile, rows: int) -> tuple[list[int], np.ndarray]:
    """Of the rows with the smallest fingerprints the last of these, and the action instances that led to them."""
    states = directory.states(file.path, ["fingerprints", "instances"])
    first = np.lexsort(states.fingerprints.T[::-1])[:rows]
    return states.fingerprints[first[-1]].tolist(), states.instances[first]
