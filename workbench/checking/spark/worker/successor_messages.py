"""Packs a part's successors into messages to their buckets."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import Frontier, bucket, canonical_fingerprints
from workbench.checking.kernels.packing import PackedRows
from workbench.checking.spark.files.messages import Candidates, shrink

#: The most states per message: large enough that Spark's cost per row is negligible, small enough for its buffers.
CHUNK = 1 << 14


def messages_of(
    piece: Frontier, buckets: int, sources: np.ndarray, steps: np.ndarray, shared: Sequence[np.ndarray]
) -> Iterator[tuple[int, Candidates, list[list[int]]]]:
    """The states of `piece` as messages, each with its bucket, and for each cell the numbers that are not `shared`.

    The caller adds the values of these numbers. Rows of `piece` may be overwritten.

    Args:
        sources: The fingerprints of the states that `piece.parent` numbers.
        steps: The action instance and ordinal of each step.
        shared: As for :meth:`.PackedRows.of`.
    """
    fingerprints = canonical_fingerprints(piece.sums, sources.shape[1])
    order, ends = by_bucket(fingerprints, buckets)
    for to in np.flatnonzero(np.diff(ends)).tolist():
        for first in range(ends[to], ends[to + 1], CHUNK):
            some = order[first : min(first + CHUNK, ends[to + 1])]
            instances, ordinals = steps[piece.step[some]].T
            rows, extras = PackedRows.of(piece.rows, some, shared)
            parents = sources[piece.parent[some]]
            yield (
                to,
                Candidates(fingerprints[some], parents, shrink(instances), shrink(ordinals), rows, None),
                extras,
            )


@njit(cache=True, nogil=True)
def by_bucket(fingerprints: Any, buckets: int) -> Any:
    """The positions of the fingerprints, bucket after bucket; the buckets' beginnings, and the end of the last."""
    of = bucket(fingerprints, buckets)
    ends = np.zeros(buckets + 1, np.int64)
    for i in range(of.shape[0]):
        ends[of[i] + 1] += 1
    for b in range(buckets):
        ends[b + 1] += ends[b]
    next_place = ends.copy()
    order = np.empty(of.shape[0], np.int32)
    for i in range(of.shape[0]):
        order[next_place[of[i]]] = i
        next_place[of[i]] += 1
    return order, ends
