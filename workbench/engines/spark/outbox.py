"""Successors on their way to their buckets: collected until they fill a message."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.engines.compiled import njit
from workbench.engines.kernels import Frontier
from workbench.engines.spark.messages import Candidates, shrink
from workbench.engines.spark.packing import PackedRows

#: States per message at most: large enough that Spark's cost per row does not matter, small enough for its buffers.
CHUNK = 1 << 14
#: What the states that wait in all boxes of a process may take.
MOST_BYTES = 1 << 25


class Boxes(NamedTuple):
    """For each bucket room for the states that are to go there in the next message."""

    fingerprints: np.ndarray
    parents: np.ndarray
    instances: np.ndarray
    ordinals: np.ndarray
    rows: np.ndarray


class Outbox:
    """Collects successors by bucket.

    Parameters
    ----------
    buckets, words, cells : int
        The buckets, the 64-bit words of a fingerprint, and the cells of a row.
    """

    def __init__(self, buckets: int, words: int, cells: int) -> None:
        state = 2 * words * 8 + 2 * 4 + cells * 4
        room = max(1, min(CHUNK, MOST_BYTES // (buckets * state)))
        self._boxes = Boxes(
            np.empty((buckets, room, words), np.uint64),
            np.empty((buckets, room, words), np.uint64),
            np.empty((buckets, room), np.int32),
            np.empty((buckets, room), np.int32),
            np.empty((buckets, room, cells), np.int32),
        )
        self._filled = np.zeros(buckets, np.int64)

    def put(
        self, piece: Frontier, fingerprints: np.ndarray, some: np.ndarray, sources: np.ndarray, steps: np.ndarray
    ) -> Iterator[int]:
        """Put in those of a piece of a store that are chosen; yields the number of each bucket whose box is full.

        That box is to be taken out before the next one is asked for.

        Parameters
        ----------
        fingerprints : uint64 array (states, words)
        some : int32 array (states)
            The bucket of each state that is chosen, and -1 for the others.
        sources : uint64 array (states, words)
            The fingerprints of the states that `piece.parent` numbers.
        steps : int32 array (steps, 2)
            The action instance and ordinal of each step.
        """
        at, bucket = deal(piece, fingerprints, some, sources, steps, self._boxes, self._filled, 0)
        while bucket >= 0:
            yield bucket
            at, bucket = deal(piece, fingerprints, some, sources, steps, self._boxes, self._filled, at)

    def take(self, bucket: int, shared: Sequence[np.ndarray]) -> tuple[Candidates, list[list[int]]]:
        """Empty the box of a bucket, which holds something, and list for each cell the numbers that are not `shared`.

        Its message is to be given the values of these numbers.
        """
        filled = self._filled[bucket]
        self._filled[bucket] = 0
        fingerprints, parents, instances, ordinals, rows = (part[bucket, :filled] for part in self._boxes)
        packed, extras = PackedRows.of(rows, shared)
        steps = shrink(instances), shrink(ordinals)
        return Candidates(fingerprints.copy(), parents.copy(), *steps, packed, None), extras  # the box is filled again

    @property
    def waiting(self) -> list[int]:
        """The buckets whose boxes hold something."""
        return np.flatnonzero(self._filled).tolist()

    def clear(self) -> None:
        """Forget what was put in by a task that has failed."""
        self._filled[:] = 0


@njit(cache=True, nogil=True)
def deal(
    piece: Any, fingerprints: Any, some: Any, sources: Any, steps: Any, boxes: Any, filled: Any, first: int
) -> tuple[int, int]:
    """Put the states from number `first` of `piece` on into boxes.

    Returns the state for which there is no room and its bucket, or -1 in place of the bucket when all are done.
    """
    room = boxes.instances.shape[1]
    for i in range(first, some.shape[0]):
        bucket = some[i]
        if bucket < 0:
            continue
        at = filled[bucket]
        if at == room:
            return i, bucket
        step = piece.step[i]
        boxes.fingerprints[bucket, at] = fingerprints[i]
        boxes.parents[bucket, at] = sources[piece.parent[i]]
        boxes.instances[bucket, at] = steps[step, 0]
        boxes.ordinals[bucket, at] = steps[step, 1]
        boxes.rows[bucket, at] = piece.rows[i]
        filled[bucket] = at + 1
    return some.shape[0], -1
