"""The last phases: numbering and writing new states, linking transitions, putting pruned states aside."""

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import OUTSIDE, slot_of
from workbench.checking.kernels.phases import layout


@njit(cache=True, nogil=True)
def number_new(chunks, figures):
    """Number the new states, chunk by chunk."""
    state, edge = figures[layout.BEFORE], 0
    for c in range(figures[layout.USED]):
        chunks.number[c], chunks.edge[c] = state, edge
        state += chunks.new[c]
        edge += chunks.queued[c]


@njit(cache=True, nogil=True)
def write_back(trees, cells, source, out, queue, chunks, c, before, counts, first_time):
    """Write the new states of chunk `c` that the block `out` has room for; count on the first time."""
    room = queue.low.shape[0] // chunks.first.shape[0]
    width = queue.until.shape[0] // chunks.first.shape[0]
    hash_base, hashes = cells
    lanes = source.sums.shape[1]
    words = 2 if queue.high.shape[0] > 0 else 1
    keeps_degree, numbered = source.degree.shape[0] > 0, queue.number.shape[0] > 0
    first, cut = chunks.first[c], c * room + chunks.queued[c]
    state = chunks.number[c] - out.base
    at = c * room
    for i in range(first, chunks.next[c]):
        end, instance = c * room + queue.until[c * width + i - first], -1
        if first_time and keeps_degree:
            source.degree[i] = min(end, cut) - at
        while at < end:
            step = queue.step[at]
            if first_time:
                if trees.step_instance[step] != instance:
                    instance = trees.step_instance[step]
                    counts.enabled[instance] += 1
                if at < cut:
                    counts.generated[instance] += 1
            if at == cut:
                return
            if queue.found[at] == np.uint32(before + at):
                if 0 <= state < out.rows.shape[0]:
                    for cell in range(out.rows.shape[1]):
                        out.rows[state, cell] = source.rows[i, cell]
                    for w in range(trees.step_first[step], trees.step_stop[step]):
                        out.rows[state, trees.write_cell[w]] = trees.write_value[w]
                    if lanes == words:
                        out.sums[state, 0] = queue.low[at]
                        if words == 2:
                            out.sums[state, 1] = queue.high[at]
                    else:
                        for lane in range(lanes):
                            word = source.sums[i, lane] + trees.step_delta[step, lane]
                            for w in range(trees.step_blind[step], trees.step_stop[step]):
                                cell = trees.write_cell[w]
                                word -= hashes[hash_base[cell] + source.rows[i, cell], lane]
                            out.sums[state, lane] = word
                    out.parent[state] = source.base + i
                    out.step[state] = step
                    counts.new[trees.step_instance[step]] += 1
                    if numbered:
                        queue.number[at] = out.base + state
                state += 1
            at += 1


@njit(cache=True, nogil=True)
def write_back_all(trees, cells, source, out, queue, chunks, before, counts, first_time, begin, end):
    """Write the new states of the chunks `begin` to `end`."""
    for c in range(begin, end):
        write_back(trees, cells, source, out, queue, chunks, c, before, counts, first_time)


@njit(cache=True, nogil=True)
def link_chunk(table, edges, queue, chunks, c, before):
    """Write the transitions of chunk `c`, and the numbers of its new states into the table."""
    room = queue.low.shape[0] // chunks.first.shape[0]
    edge = chunks.edge[c]
    for at in range(c * room, c * room + chunks.queued[c]):
        target = np.int64(queue.found[at])
        if target != OUTSIDE and target >= before:
            target = np.int64(queue.number[target - before])
            if queue.found[at] == before + at:
                high = queue.high[at] if queue.high.shape[0] > 0 else np.uint64(0)
                table.number[slot_of(table, queue.low[at], high)] = target
        edges.target[edge], edges.step[edge] = target, queue.step[at]
        edge += 1


@njit(cache=True, nogil=True)
def link_all(table, edges, queue, chunks, before, begin, end):
    """Write the transitions of the chunks `begin` to `end`."""
    for c in range(begin, end):
        link_chunk(table, edges, queue, chunks, c, before)


@njit(cache=True, nogil=True)
def put_aside(trees, source, queue, chunks, figures, outside, kept):
    """Append pruned successors to the block `outside`, in order, as far as there is room.

    `figures` says at which chunk and place to begin, and then where to continue. Returns how many states the block
    holds; it held `kept` before.
    """
    room = queue.low.shape[0] // chunks.first.shape[0]
    width = queue.until.shape[0] // chunks.first.shape[0]
    for c in range(figures[layout.AT_CHUNK], figures[layout.USED]):
        origin = figures[layout.AT_PLACE] if c == figures[layout.AT_CHUNK] else 0
        member = 0
        for place in range(origin, chunks.queued[c]):
            at = c * room + place
            if queue.found[at] != OUTSIDE:
                continue
            if kept == outside.rows.shape[0]:
                figures[layout.AT_CHUNK], figures[layout.AT_PLACE] = c, place
                return kept
            while queue.until[c * width + member] <= place:
                member += 1
            i, step = chunks.first[c] + member, queue.step[at]
            for cell in range(outside.rows.shape[1]):
                outside.rows[kept, cell] = source.rows[i, cell]
            for w in range(trees.step_first[step], trees.step_stop[step]):
                outside.rows[kept, trees.write_cell[w]] = trees.write_value[w]
            outside.parent[kept] = source.base + i
            outside.step[kept] = step
            kept += 1
    figures[layout.AT_CHUNK], figures[layout.AT_PLACE] = figures[layout.USED], 0
    return kept
