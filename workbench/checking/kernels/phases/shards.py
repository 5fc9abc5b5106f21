"""Admitting by many threads: each owns a shard of the visited table.

A shard is a range of the table's slots. Each thread sorts its queue by shards, in the sources' order within each, so
the first successor discovers a state here too. A look-up that would leave its shard is left over, and so are all others
of the same fingerprint; one thread does the rest. The table has room for the whole queue.

The code for each successor stays inline: an array passed to a function bumps a reference count shared by all threads.
"""

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import insert, slot_of
from workbench.checking.kernels.phases import layout
from workbench.checking.kernels.phases.admit import VISITED
from workbench.checking.kernels.prefetch import ASKED_AHEAD, home, prefetch


@njit(cache=True, nogil=True)
def sort(queue, by_shard, chunks, begin, end, thread, shards):
    """Sort the queues of the chunks `begin` to `end` by shards."""
    room = queue.low.shape[0] // chunks.first.shape[0]
    ends = by_shard.ends[thread]
    for shard in range(shards + 1):
        ends[shard] = 0
    for c in range(begin, end):
        for at in range(c * room, c * room + chunks.queued[c]):
            ends[home(max(queue.low[at], np.uint64(1)), shards) + 1] += 1
    ends[0] = begin * room
    for shard in range(shards):
        ends[shard + 1] += ends[shard]
    last = ends[shards]
    for c in range(end - 1, begin - 1, -1):  # backwards, so that each shard's end becomes its beginning
        for at in range(c * room + chunks.queued[c] - 1, c * room - 1, -1):
            low = max(queue.low[at], np.uint64(1))
            shard = home(low, shards) + 1
            ends[shard] -= 1
            to = ends[shard]
            by_shard.low[to] = low
            if queue.high.shape[0] > 0:
                by_shard.high[to] = queue.high[at]
            by_shard.place[to] = at
    for shard in range(shards):
        ends[shard] = ends[shard + 1]
    ends[shards] = last


@njit(cache=True, nogil=True)
def admit_shard(table, by_shard, chunks, figures, s):
    """Look up the queue of shard `s`, as far as look-ups stay in the shard."""
    new, left = by_shard.new[s], by_shard.left[s]
    slots, shards = table.low.shape[0], figures[layout.SHARDS]
    words = 2 if table.high.shape[0] > 0 else 1
    numbered = table.number.shape[0] > 0
    room = by_shard.low.shape[0] // chunks.first.shape[0]
    before, leaving = figures[layout.BEFORE], 0
    after = (((s + 1) << 32) + shards - 1) // shards  # the beginning of the next shard's hashes, in 32 bits
    end_slot = np.int64((np.uint64(after) * np.uint64(slots)) >> np.uint64(32))
    for c in range(figures[layout.USED]):
        new[c] = 0
    for thread in range(shards):
        first, end = by_shard.ends[thread, s], by_shard.ends[thread, s + 1]
        for k in range(first, min(first + ASKED_AHEAD, end)):
            prefetch(table.low, by_shard.low[k])
        for k in range(first, end):
            if k + ASKED_AHEAD < end:
                prefetch(table.low, by_shard.low[k + ASKED_AHEAD])
            low = by_shard.low[k]
            slot = home(low, slots)
            while slot < end_slot and table.low[slot] != 0:
                if table.low[slot] == low and (words == 1 or table.high[slot] == by_shard.high[k]):
                    break
                slot += 1
            if slot >= end_slot:
                left[leaving] = k
                leaving += 1
            elif table.low[slot] != 0:
                by_shard.found[k] = table.number[slot] if numbered else VISITED
            else:
                at = by_shard.place[k]
                mark = np.uint32(before + at)
                table.low[slot] = low
                if words == 2:
                    table.high[slot] = by_shard.high[k]
                if numbered:
                    table.number[slot] = mark
                by_shard.found[k] = mark
                new[at // room] += 1
    by_shard.leaving[s, 0] = leaving


@njit(cache=True, nogil=True)
def admit_rest(table, by_shard, chunks, figures):
    """Look up the leftovers of the shards in the whole table, and count new states."""
    room = by_shard.low.shape[0] // chunks.first.shape[0]
    for s in range(figures[layout.SHARDS]):
        for leaving in range(by_shard.leaving[s, 0]):
            k = by_shard.left[s, leaving]
            low, at = by_shard.low[k], by_shard.place[k]
            high = by_shard.high[k] if table.high.shape[0] > 0 else np.uint64(0)
            mark = np.uint32(figures[layout.BEFORE] + at)
            if insert(low, high, table, mark):
                by_shard.found[k] = mark
                by_shard.new[s, at // room] += 1
            elif table.number.shape[0] > 0:
                by_shard.found[k] = table.number[slot_of(table, low, high)]
            else:
                by_shard.found[k] = VISITED
    for c in range(figures[layout.USED]):
        for s in range(figures[layout.SHARDS]):
            chunks.new[c] += by_shard.new[s, c]
        figures[layout.ADDED] += chunks.new[c]


@njit(cache=True, nogil=True)
def gather_found(queue, by_shard, thread, shards):
    """Copy the findings on a thread's sorted successors back to the queue."""
    for k in range(by_shard.ends[thread, 0], by_shard.ends[thread, shards]):
        queue.found[by_shard.place[k]] = by_shard.found[k]
