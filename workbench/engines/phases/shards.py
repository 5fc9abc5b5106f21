"""Admitting by many threads: each has parts of the visited table, its shards, and what is queued for these.

A shard is a range of the table's slots. A chunk's queue is sorted by shards, in the sources' order within each, so that
the first successor finds a state here too. A look-up that would leave its shard is left over, and so is whatever
else asks for the same fingerprint; one thread does the rest.
"""

import numpy as np

from workbench.engines.compiled import njit
from workbench.engines.kernels import home, slot_of
from workbench.engines.phases.admit import ASKED_AHEAD, VISITED
from workbench.engines.phases.layout import (
    ADDED,
    BEFORE,
    DONE,
    LEFT,
    LEFT_DONE,
    LIMIT,
    MAY_ADD,
    NEW,
    ON_CHUNK,
    ON_PLACE,
    QUEUED,
    SHARDS,
    TABLE_FULL,
    USED,
)
from workbench.engines.phases.prefetch import prefetch


@njit(cache=True, nogil=True)
def sort(queue, by_shard, chunks, c, shards):
    """Sort the queue of chunk `c` by shards."""
    room = queue.low.shape[0] // chunks.shape[0]
    begin, end = c * room, c * room + chunks[c, QUEUED]
    ends = by_shard.ends[c]
    for shard in range(shards + 1):
        ends[shard] = 0
    for at in range(begin, end):
        ends[home(max(queue.low[at], np.uint64(1)), shards) + 1] += 1
    ends[0] = begin
    for shard in range(shards):
        ends[shard + 1] += ends[shard]
    for at in range(end - 1, begin - 1, -1):  # from the end, so that each shard's end becomes its beginning
        low = max(queue.low[at], np.uint64(1))
        shard = home(low, shards) + 1
        ends[shard] -= 1
        to = ends[shard]
        by_shard.low[to] = low
        if queue.high.shape[0] > 0:
            by_shard.high[to] = queue.high[at]
        by_shard.place[to] = at
    ends[0] = begin
    for shard in range(1, shards):
        ends[shard] = ends[shard + 1]
    ends[shards] = end


@njit(cache=True, nogil=True)
def add(table, slot, by_shard, k, before):
    """Put a new fingerprint, place `k` of those sorted by shards, into a free slot."""
    mark = np.uint32(before + by_shard.place[k])
    table.low[slot] = by_shard.low[k]
    if table.high.shape[0] > 0:
        table.high[slot] = by_shard.high[k]
    if table.number.shape[0] > 0:
        table.number[slot] = mark
    by_shard.found[k] = mark


@njit(cache=True, nogil=True)
def admit_shard(table, by_shard, chunks, figures, s):
    """Look up what is queued for shard `s`, as far as nothing but the shard is needed."""
    shard, new, left = by_shard.shards[s], by_shard.new[s], by_shard.left[s]
    slots, shards = table.low.shape[0], figures[SHARDS]
    words = 2 if table.high.shape[0] > 0 else 1
    numbered = table.number.shape[0] > 0
    before = figures[BEFORE]
    after = (((s + 1) << 32) + shards - 1) // shards  # where the hashes of the next shard begin, in 32 bits
    end_slot = np.int64((np.uint64(after) * np.uint64(slots)) >> np.uint64(32))
    added, may_add, remaining = 0, shard[MAY_ADD], 0
    for c in range(figures[USED]):
        if chunks[c, QUEUED] == 0:
            continue
        first, end = by_shard.ends[c, s], by_shard.ends[c, s + 1]
        fresh = 0
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
            leaves = slot >= end_slot
            if not leaves and table.low[slot] != 0:
                by_shard.found[k] = table.number[slot] if numbered else VISITED
            elif (leaves and remaining == left.shape[0]) or (not leaves and added == may_add):
                new[c] += fresh
                shard[ON_CHUNK], shard[ON_PLACE], shard[LEFT] = c, k, remaining
                return
            elif leaves:
                left[remaining] = k
                remaining += 1
            else:
                add(table, slot, by_shard, k, before)
                added += 1
                fresh += 1
        new[c] += fresh
    shard[ON_CHUNK], shard[LEFT] = figures[USED], remaining


@njit(cache=True, nogil=True)
def admit_one(table, by_shard, k, before, room):
    """Look up one fingerprint in the whole table; 1 if it is new, 0 if not, -1 if it is and there is no `room`."""
    high = by_shard.high[k] if table.high.shape[0] > 0 else np.uint64(0)
    slot = slot_of(table, by_shard.low[k], high)
    if table.low[slot] != 0:
        by_shard.found[k] = table.number[slot] if table.number.shape[0] > 0 else VISITED
        return 0
    if room <= 0:
        return -1
    add(table, slot, by_shard, k, before)
    return 1


@njit(cache=True, nogil=True)
def admit_rest(table, by_shard, chunks, figures):
    """Look up what all shards have left over."""
    width = by_shard.low.shape[0] // chunks.shape[0]
    before = figures[BEFORE]
    room = figures[LIMIT] - before
    for s in range(figures[SHARDS]):
        for c in range(figures[USED]):
            room -= by_shard.new[s, c]
    for s in range(figures[SHARDS]):
        shard, new, left = by_shard.shards[s], by_shard.new[s], by_shard.left[s]
        for remaining in range(shard[LEFT_DONE], shard[LEFT]):
            k = left[remaining]
            added = admit_one(table, by_shard, k, before, room)
            if added < 0:
                return TABLE_FULL
            shard[LEFT_DONE] = remaining + 1
            new[k // width] += added
            room -= added
        while shard[ON_CHUNK] < figures[USED]:
            c = shard[ON_CHUNK]
            if chunks[c, QUEUED] > 0:
                for k in range(max(shard[ON_PLACE], by_shard.ends[c, s]), by_shard.ends[c, s + 1]):
                    added = admit_one(table, by_shard, k, before, room)
                    if added < 0:
                        shard[ON_PLACE] = k
                        return TABLE_FULL
                    new[c] += added
                    room -= added
            shard[ON_CHUNK] += 1
    for c in range(figures[USED]):
        for s in range(figures[SHARDS]):
            chunks[c, NEW] += by_shard.new[s, c]
        figures[ADDED] += chunks[c, NEW]
    return DONE


@njit(cache=True, nogil=True)
def gather(queue, by_shard, chunks, c):
    """Write what the successors of chunk `c` were found to be beside them."""
    begin = c * (queue.low.shape[0] // chunks.shape[0])
    for k in range(begin, begin + chunks[c, QUEUED]):
        queue.found[by_shard.place[k]] = by_shard.found[k]
