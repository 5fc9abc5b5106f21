"""The second phase: looking up queued successors. The first one in order discovers a state."""

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import OUTSIDE, walk
from workbench.checking.kernels.phases import layout
from workbench.checking.kernels.prefetch import ASKED_AHEAD, home, prefetch
from workbench.checking.kernels.serving import DONE, MISS_CONSTRAINT, TABLE_FULL

#: The mark of a visited successor, if states' numbers are not kept.
VISITED = np.uint32(0)


@njit(cache=True, nogil=True)
def is_outside(trees, source, i, step, bounds, scratch):
    """1 if the successor of row `i` by `step` is pruned, 0 if not; ``-1 - constraint`` for a miss."""
    for cell in range(scratch.shape[0]):
        scratch[cell] = source.rows[i, cell]
    for w in range(trees.step_first[step], trees.step_stop[step]):
        scratch[trees.write_cell[w]] = trees.write_value[w]
    for constraint in range(bounds.shape[0]):
        leaf = walk(trees, bounds[constraint], scratch)
        if leaf < 0:
            return -1 - constraint
        if leaf == 0:
            return 1
    return 0


@njit(cache=True, nogil=True)
def admit(trees, source, table, queue, chunks, figures, bounds, scratch):
    """Look up the queue in order, note what each successor was found to be, and add new ones to the table.

    If the budget of states is used up, the queue is cut off at the first new state beyond it.
    """
    room = queue.low.shape[0] // chunks.first.shape[0]
    width = queue.until.shape[0] // chunks.first.shape[0]
    slots = table.low.shape[0]
    end_slot = np.uint64(slots)  # an unsigned index may not count from the end
    words = 2 if table.high.shape[0] > 0 else 1
    numbered = table.number.shape[0] > 0
    before = figures[layout.BEFORE]
    state = before + figures[layout.ADDED]
    for c in range(figures[layout.AT_CHUNK], figures[layout.USED]):
        origin = figures[layout.AT_PLACE] if c == figures[layout.AT_CHUNK] else 0
        added, member = state, 0
        begin, end = c * room, c * room + chunks.queued[c]
        for at in range(begin, min(begin + ASKED_AHEAD, end)):
            prefetch(table.low, queue.low[at])
        for at in range(begin + origin, end):
            if at + ASKED_AHEAD < end:
                prefetch(table.low, queue.low[at + ASKED_AHEAD])
            low = queue.low[at]
            if low == 0:
                low = np.uint64(1)  # 0 marks a free slot
            slot = np.uint64(home(low, slots))
            held = table.low[slot]
            while held != 0 and (held != low or (words == 2 and table.high[slot] != queue.high[at])):
                slot += np.uint64(1)
                if slot == end_slot:
                    slot = np.uint64(0)
                held = table.low[slot]
            if held != 0:
                queue.found[at] = table.number[slot] if numbered else VISITED
                continue
            code = DONE
            if bounds.shape[0] > 0:
                while queue.until[c * width + member] <= at - begin:
                    member += 1
                outside = is_outside(trees, source, chunks.first[c] + member, queue.step[at], bounds, scratch)
                if outside == 1:
                    queue.found[at] = OUTSIDE
                    figures[layout.PRUNED] += 1
                    continue
                if outside < 0:
                    code = MISS_CONSTRAINT
                    figures[layout.WHAT] = -1 - outside
            if code == DONE and state == figures[layout.MOST]:
                figures[layout.CUT] = c
                chunks.new[c] += state - added
                chunks.queued[c] = at - begin
                figures[layout.ADDED] = state - before
                return DONE
            if code == DONE and state >= figures[layout.LIMIT]:
                code = TABLE_FULL
            if code != DONE:
                figures[layout.AT_CHUNK], figures[layout.AT_PLACE] = c, at - begin
                chunks.new[c] += state - added
                figures[layout.ADDED] = state - before
                return code
            table.low[slot] = low
            if words == 2:
                table.high[slot] = queue.high[at]
            queue.found[at] = np.uint32(before + at)
            if numbered:
                table.number[slot] = queue.found[at]
            state += 1
        chunks.new[c] += state - added
    figures[layout.ADDED] = state - before
    return DONE
