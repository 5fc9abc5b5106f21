"""The compiled loops. They walk decision trees over rows of integers and know nothing of any model.

Every kernel works on a piece at a time and keeps its place in a small integer array (the *cursor*), so that it can
stop for whatever needs Python - a branch not seen before, an array that is full - and be called again.
"""

from typing import NamedTuple

import numpy as np

from workbench.engines.compiled import njit

# Why `expand` and `inspect` return.
DONE, MISS_ACTION, MISS_GROUP, MISS_PREDICATE, BLOCK_FULL, TABLE_FULL, EDGES_FULL, ENOUGH, HIT = range(9)
# And why besides where the model has constraints.
MISS_CONSTRAINT, OUTSIDE_FULL, KEPT_OUT = range(9, 12)

# Places in the cursor.
STATE, GROUP, ENTRY, QUEUED, FLUSHED, COUNT, EDGES, WHAT, KEPT = range(9)
CURSOR = 9

#: The target of a transition that leads outside the constraints.
OUTSIDE = np.uint32(2**32 - 1)


class Frontier(NamedTuple):
    """A block of states: row i is state number ``base + i``. See :class:`workbench.engines.store.Block`."""

    base: int
    rows: np.ndarray
    sums: np.ndarray
    parent: np.ndarray
    step: np.ndarray
    degree: np.ndarray


class Table(NamedTuple):
    """The visited set: open addressing, in the order of :func:`home`, so that growing it is one sequential pass.

    ``low`` is 0 in a free slot. ``high`` (the upper words of 128-bit fingerprints) and ``number`` (the states'
    numbers, wanted where transitions are kept) are empty if they are not used.
    """

    low: np.ndarray
    high: np.ndarray
    number: np.ndarray


class Queue(NamedTuple):
    """Successors computed but not looked up yet; looked up in one go, so that memory accesses overlap."""

    low: np.ndarray
    high: np.ndarray
    sums: np.ndarray
    parent: np.ndarray
    step: np.ndarray


class Edges(NamedTuple):
    """The transitions kept, in the order of their sources; empty arrays if none are kept."""

    target: np.ndarray
    step: np.ndarray


class Counts(NamedTuple):
    """Per action instance: states in which it was enabled, successors, new states."""

    enabled: np.ndarray
    generated: np.ndarray
    new: np.ndarray


@njit(cache=True, nogil=True)
def home(low, slots):
    """The first slot to look at: a mix of the fingerprint scaled to the table's size.

    The smallest of several fingerprints is not evenly distributed, hence the multiplication (by 2**64 over the golden
    ratio) before the upper half is taken.
    """
    mixed = (low * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return np.int64((mixed * np.uint64(slots)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def walk(trees, node, row):
    """The leaf that `row` leads to from `node`, or -1 for a branch not seen before."""
    while node > 0:
        value = row[trees.node_cell[node]]
        if value >= trees.node_size[node]:
            return -1
        node = trees.branch[trees.node_base[node] + value]
    return -1 - node if node < 0 else -1


@njit(cache=True, nogil=True)
def canonical(sums, lanes, words):
    """The lane with the smallest fingerprint: the representative of the state's symmetry class."""
    images = lanes // words
    best = 0
    for lane in range(1, images):
        if sums[lane] < sums[best] or (
            words == 2 and sums[lane] == sums[best] and sums[images + lane] < sums[images + best]
        ):
            best = lane
    return best


@njit(cache=True, nogil=True)
def enqueue(queue, at, sums, words):
    """Write the canonical fingerprint of the successor with the fingerprints `sums` to place `at` of the queue."""
    lanes = sums.shape[0]
    best = canonical(sums, lanes, words)
    low = sums[best]
    queue.low[at] = low if low != 0 else np.uint64(1)  # 0 marks a free slot
    if words == 2:
        queue.high[at] = sums[lanes // 2 + best]


@njit(cache=True, nogil=True)
def keep_out(trees, source, queue, at, bounds, outside, cursor):
    """Put the queued successor at place `at` aside if it is outside the constraints.

    Returns KEPT_OUT then, and DONE if it is inside; or why that cannot be said yet.
    """
    kept = cursor[KEPT]
    if kept == outside.rows.shape[0]:
        return OUTSIDE_FULL
    parent, step = queue.parent[at], queue.step[at]
    row = outside.rows[kept]
    row[:] = source.rows[parent]
    for w in range(trees.step_first[step], trees.step_stop[step]):
        row[trees.write_cell[w]] = trees.write_value[w]
    for constraint in range(bounds.shape[0]):
        leaf = walk(trees, bounds[constraint], row)
        if leaf < 0:
            cursor[WHAT] = constraint
            return MISS_CONSTRAINT
        if leaf == 0:
            outside.parent[kept] = source.base + parent
            outside.step[kept] = step
            cursor[KEPT] = kept + 1
            return KEPT_OUT
    return DONE


@njit(cache=True, nogil=True)
def flush(trees, source, out, table, limit, most, queue, edges, counts, bounds, outside, cursor):
    """Look up the queued successors, store the new ones in `out`; the reason for stopping early, or DONE."""
    slots = table.low.shape[0]
    words = 2 if table.high.shape[0] > 0 else 1
    numbered = table.number.shape[0] > 0
    room = out.base + out.rows.shape[0]
    for at in range(cursor[FLUSHED], cursor[QUEUED]):
        low = queue.low[at]
        slot = home(low, slots)
        visited = False
        while table.low[slot] != 0:
            if table.low[slot] == low and (words == 1 or table.high[slot] == queue.high[at]):
                visited = True
                break
            slot += 1
            if slot == slots:
                slot = 0
        state = cursor[COUNT]
        step = queue.step[at]
        if numbered and cursor[EDGES] == edges.target.shape[0]:
            cursor[FLUSHED] = at
            return EDGES_FULL
        if not visited and bounds.shape[0] > 0:
            why = keep_out(trees, source, queue, at, bounds, outside, cursor)
            if why == KEPT_OUT:
                if numbered:
                    edges.target[cursor[EDGES]] = OUTSIDE
                    edges.step[cursor[EDGES]] = step
                    cursor[EDGES] += 1
                    source.degree[queue.parent[at]] += 1
                continue
            if why != DONE:
                cursor[FLUSHED] = at
                return why
        if not visited:
            stop = DONE
            if state >= most:
                stop = ENOUGH
            elif state >= room:
                stop = BLOCK_FULL
            elif state >= limit:
                stop = TABLE_FULL
            if stop != DONE:
                cursor[FLUSHED] = at
                return stop
            table.low[slot] = low
            if words == 2:
                table.high[slot] = queue.high[at]
            if numbered:
                table.number[slot] = state
            i = state - out.base
            parent = queue.parent[at]
            out.rows[i] = source.rows[parent]
            for w in range(trees.step_first[step], trees.step_stop[step]):
                out.rows[i, trees.write_cell[w]] = trees.write_value[w]
            out.sums[i] = queue.sums[at]
            out.parent[i] = source.base + parent
            out.step[i] = step
            counts.new[trees.step_instance[step]] += 1
            cursor[COUNT] = state + 1
        if numbered:
            edges.target[cursor[EDGES]] = table.number[slot]
            edges.step[cursor[EDGES]] = step
            cursor[EDGES] += 1
            source.degree[queue.parent[at]] += 1
    cursor[QUEUED] = 0
    cursor[FLUSHED] = 0
    return DONE


@njit(cache=True, nogil=True)
def expand(
    trees, dispatch, cells, source, stop, out, table, limit, most, queue, edges, counts, bounds, outside, cursor
):
    """Compute the successors of the states ``cursor[STATE]`` to `stop` of the block `source`.

    Parameters
    ----------
    trees, dispatch
        See :mod:`workbench.engines.trees`.
    cells : tuple of arrays
        ``hash_base`` and ``hashes`` of :class:`workbench.engines.cells.Cells`.
    source, out : Frontier
        Where states are taken from, and where new ones are appended.
    limit, most : int
        States that the table, and the budget, have room for.
    bounds : int32 array
        The roots of the constraints' trees: a successor of which one is false goes to `outside`.
    outside : Frontier
        Where such successors are put aside, with their predecessors' numbers and steps.
    """
    hash_base, hashes = cells
    lanes = hashes.shape[1]
    words = 2 if table.high.shape[0] > 0 else 1
    capacity = queue.low.shape[0]
    groups = dispatch.cell.shape[0]
    if cursor[FLUSHED] < cursor[QUEUED]:
        why = flush(trees, source, out, table, limit, most, queue, edges, counts, bounds, outside, cursor)
        if why != DONE:
            return why
    for i in range(cursor[STATE], stop):
        row = source.rows[i]
        for group in range(cursor[GROUP], groups):
            value = row[dispatch.cell[group]]
            entries = dispatch.table[dispatch.base[group] + value] if value < dispatch.size[group] else -1
            if entries < 0:
                cursor[STATE], cursor[GROUP] = i, group
                return MISS_GROUP
            for entry in range(max(cursor[ENTRY], dispatch.start[entries]), dispatch.stop[entries]):
                leaf = walk(trees, dispatch.node[entry], row)
                if leaf < 0:
                    cursor[STATE], cursor[GROUP], cursor[ENTRY] = i, group, entry
                    cursor[WHAT] = dispatch.instance[entry]
                    return MISS_ACTION
                first, last = trees.leaf_start[leaf], trees.leaf_stop[leaf]
                if first == last:
                    continue
                if cursor[QUEUED] + last - first > capacity:
                    why = flush(trees, source, out, table, limit, most, queue, edges, counts, bounds, outside, cursor)
                    if why != DONE:
                        cursor[STATE], cursor[GROUP], cursor[ENTRY] = i, group, entry
                        return why
                counts.enabled[dispatch.instance[entry]] += 1
                counts.generated[dispatch.instance[entry]] += last - first
                for step in range(first, last):
                    at = cursor[QUEUED]
                    for lane in range(lanes):
                        total = source.sums[i, lane] + trees.step_delta[step, lane]
                        for w in range(trees.step_blind[step], trees.step_stop[step]):
                            cell = trees.write_cell[w]
                            total -= hashes[hash_base[cell] + row[cell], lane]
                        queue.sums[at, lane] = total
                    enqueue(queue, at, queue.sums[at], words)
                    queue.parent[at] = i
                    queue.step[at] = step
                    cursor[QUEUED] = at + 1
            cursor[ENTRY] = 0
        cursor[GROUP] = 0
        cursor[STATE] = i + 1
    return flush(trees, source, out, table, limit, most, queue, edges, counts, bounds, outside, cursor)


@njit(cache=True, nogil=True)
def insert(low, high, table, number):
    """Add one fingerprint to the table with the state's `number`; whether it was new."""
    slots = table.low.shape[0]
    slot = home(low, slots)
    while table.low[slot] != 0:
        if table.low[slot] == low and (table.high.shape[0] == 0 or table.high[slot] == high):
            return False
        slot += 1
        if slot == slots:
            slot = 0
    table.low[slot] = low
    if table.high.shape[0] > 0:
        table.high[slot] = high
    if table.number.shape[0] > 0:
        table.number[slot] = number
    return True


@njit(cache=True, nogil=True)
def rehash(old, new):
    """Move everything from one table to a larger one. Both are in one order, so memory is read in sequence."""
    slots = new.low.shape[0]
    for i in range(old.low.shape[0]):
        low = old.low[i]
        if low == 0:
            continue
        slot = home(low, slots)
        while new.low[slot] != 0:
            slot += 1
            if slot == slots:
                slot = 0
        new.low[slot] = low
        if old.high.shape[0] > 0:
            new.high[slot] = old.high[i]
        if old.number.shape[0] > 0:
            new.number[slot] = old.number[i]


@njit(cache=True, nogil=True)
def inspect(trees, roots, wanted, active, reads, block, stop, cursor):
    """Judge the states ``cursor[STATE]`` to `stop` of `block` by the active predicates.

    A predicate is looked at only if the step to the state wrote a cell that it has ever read: else its value is that
    of the predecessor, where it was not `wanted` (or it would not be active any more).

    Parameters
    ----------
    roots : int32 array
        The root of each predicate's tree.
    wanted : bool array
        The value to look for.
    active : uint64 array
        One bit per predicate.
    reads : uint64 array (cells, words)
        For each cell, one bit per predicate that has read it.
    """
    words = active.shape[0]
    for i in range(cursor[STATE], stop):
        row = block.rows[i]
        step = block.step[i]
        for word in range(words):
            touched = active[word]
            if step >= 0:
                touched = np.uint64(0)
                for w in range(trees.step_first[step], trees.step_stop[step]):
                    touched |= reads[trees.write_cell[w], word]
                touched &= active[word]
            bit = cursor[GROUP] if word == cursor[ENTRY] else 0
            while (touched >> np.uint64(bit)) != 0:
                if (touched >> np.uint64(bit)) & np.uint64(1):
                    predicate = 64 * word + bit
                    root = roots[predicate]
                    leaf = walk(trees, root, row)
                    if leaf < 0 or (leaf == 1) == wanted[predicate]:
                        cursor[STATE], cursor[GROUP], cursor[ENTRY], cursor[WHAT] = i, bit, word, predicate
                        return MISS_PREDICATE if leaf < 0 else HIT
                bit += 1
                if bit == 64:
                    break
            cursor[GROUP] = 0
        cursor[ENTRY] = 0
        cursor[STATE] = i + 1
    return DONE


@njit(cache=True, nogil=True)
def evaluate(trees, root, rows, truth, cursor):
    """Write the value of one predicate for the rows from ``cursor[STATE]`` on into `truth`."""
    for i in range(cursor[STATE], rows.shape[0]):
        leaf = walk(trees, root, rows[i])
        if leaf < 0:
            cursor[STATE] = i
            return MISS_PREDICATE
        truth[i] = leaf == 1
    return DONE


@njit(cache=True, nogil=True)
def admit(fingerprints, table, first, limit):
    """Add fingerprints, uint64 (states, words), to the table; the number of those looked at, and which were new.

    Stops early when the table holds `limit` entries; `first` is how many it holds.
    """
    count = fingerprints.shape[0]
    new = np.zeros(count, np.bool_)
    held = first
    for i in range(count):
        if held >= limit:
            return i, new
        high = fingerprints[i, 1] if fingerprints.shape[1] == 2 else np.uint64(0)
        if insert(fingerprints[i, 0], high, table, np.uint32(0)):
            new[i] = True
            held += 1
    return count, new


@njit(cache=True, nogil=True)
def contains(fingerprints, table):
    """Which of the fingerprints, uint64 (states, words), are in the table."""
    held = np.zeros(fingerprints.shape[0], np.bool_)
    slots = table.low.shape[0]
    for i in range(fingerprints.shape[0]):
        low = fingerprints[i, 0]
        slot = home(low, slots)
        while table.low[slot] != 0:
            if table.low[slot] == low and (fingerprints.shape[1] == 1 or table.high[slot] == fingerprints[i, 1]):
                held[i] = True
                break
            slot += 1
            if slot == slots:
                slot = 0
    return held


@njit(cache=True, nogil=True)
def bucket(fingerprints, buckets):
    """The bucket of each fingerprint, by a mix of bits that has nothing to do with its place in a table."""
    buckets_of = np.empty(fingerprints.shape[0], np.int32)
    for i in range(fingerprints.shape[0]):
        low = fingerprints[i, 0]
        mixed = ((low ^ (low >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)) >> np.uint64(33)
        buckets_of[i] = mixed % np.uint64(buckets)
    return buckets_of


@njit(cache=True, nogil=True)
def add_hashes(rows, hash_base, hashes, sums):
    """Write the fingerprints of all images of `rows` into `sums`."""
    for i in range(rows.shape[0]):
        for lane in range(hashes.shape[1]):
            sums[i, lane] = np.uint64(0)
        for cell in range(rows.shape[1]):
            at = hash_base[cell] + rows[i, cell]
            for lane in range(hashes.shape[1]):
                sums[i, lane] += hashes[at, lane]


@njit(cache=True, nogil=True)
def canonical_fingerprints(sums, words):
    """The canonical fingerprint of each row of `sums`, uint64 (states, words), as the visited set holds it."""
    canonical_of = np.empty((sums.shape[0], words), np.uint64)
    lanes = sums.shape[1]
    for i in range(sums.shape[0]):
        best = canonical(sums[i], lanes, words)
        low = sums[i, best]
        canonical_of[i, 0] = low if low != 0 else np.uint64(1)
        if words == 2:
            canonical_of[i, 1] = sums[i, lanes // 2 + best]
    return canonical_of


@njit(cache=True, nogil=True)
def translate(rows, base, numbers):
    """Renumber the values of `rows` in place: value v of cell c becomes ``numbers[base[c] + v]``."""
    for i in range(rows.shape[0]):
        for cell in range(rows.shape[1]):
            rows[i, cell] = numbers[base[cell] + rows[i, cell]]
