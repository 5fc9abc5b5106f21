"""The first phase: walking trees, and queueing the successors in their leaves."""

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import walk_at
from workbench.checking.kernels.phases import layout
from workbench.checking.kernels.serving import DONE, MISSED, QUEUE_FULL


@njit(cache=True, nogil=True)
def note_miss(queue, chunks, c, missed, of, which, i):
    """Note a miss; returns the number of misses."""
    at = c * layout.NOTED + missed
    queue.misses[at, 0], queue.misses[at, 1], queue.misses[at, 2] = of, which, i
    chunks.misses[c] = missed + 1
    return missed + 1


@njit(cache=True, nogil=True)
def expand(trees, dispatch, cells, source, queue, chunks, c):
    """Queue the successors of chunk `c`, up to the first state that misses.

    From there on it only collects misses: each round of Python stops all threads.
    """
    room = queue.low.shape[0] // chunks.first.shape[0]
    width = queue.until.shape[0] // chunks.first.shape[0]
    first, stop = chunks.first[c], chunks.stop[c]
    at, end = c * room + chunks.queued[c], (c + 1) * room
    hash_base, hashes = cells
    words = 2 if queue.high.shape[0] > 0 else 1
    images = hashes.shape[1] // words
    missed = 0
    chunks.misses[c] = 0
    for i in range(chunks.next[c], stop):
        for group in range(dispatch.cell.shape[0]):
            value = source.rows[i, dispatch.cell[group]]
            entries = dispatch.table[dispatch.base[group] + value] if value < dispatch.size[group] else -1
            if entries < 0:
                missed = note_miss(queue, chunks, c, missed, layout.OF_GROUP, group, i)
                if missed == layout.NOTED:
                    return MISSED
                continue
            for entry in range(dispatch.start[entries], dispatch.stop[entries]):
                leaf = walk_at(trees, dispatch.node[entry], source.rows, i)
                if leaf < 0:
                    missed = note_miss(queue, chunks, c, missed, layout.OF_ACTION, dispatch.instance[entry], i)
                    if missed == layout.NOTED:
                        return MISSED
                    continue
                if missed > 0:
                    continue
                for step in range(trees.leaf_start[leaf], trees.leaf_stop[leaf]):
                    if at == end:
                        return QUEUE_FULL
                    low, high = np.uint64(0), np.uint64(0)
                    for image in range(images):
                        word, upper = source.sums[i, image] + trees.step_delta[step, image], np.uint64(0)
                        if words == 2:
                            upper = source.sums[i, images + image] + trees.step_delta[step, images + image]
                        for w in range(trees.step_blind[step], trees.step_stop[step]):
                            cell = trees.write_cell[w]
                            gone = hash_base[cell] + source.rows[i, cell]
                            word -= hashes[gone, image]
                            if words == 2:
                                upper -= hashes[gone, images + image]
                        if image == 0 or word < low or (word == low and upper < high):
                            low, high = word, upper
                    queue.low[at] = low
                    if words == 2:
                        queue.high[at] = high
                    queue.step[at] = step
                    at += 1
        if missed == 0:
            queue.until[c * width + i - first] = at - c * room
            chunks.queued[c] = at - c * room
            chunks.next[c] = i + 1
        elif i - chunks.next[c] == layout.AHEAD:
            return MISSED
    return MISSED if missed > 0 else DONE


@njit(cache=True, nogil=True)
def expand_all(trees, dispatch, cells, source, queue, chunks, begin, end):
    """Expand the chunks `begin` to `end`."""
    worst = DONE
    for c in range(begin, end):
        if chunks.next[c] < chunks.stop[c]:
            worst = max(worst, expand(trees, dispatch, cells, source, queue, chunks, c))
    return worst
