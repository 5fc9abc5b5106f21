"""The compiled loops. They walk decision trees over rows of integers and know nothing of any model.

A kernel keeps its place in a small integer array (the *cursor*), so that it can stop for whatever needs Python - a
miss, a full array - and be called again.
"""

from typing import NamedTuple

import numpy as np

from workbench.checking.kernels.branches import in_table
from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.prefetch import ASKED_AHEAD, home, prefetch
from workbench.checking.kernels.serving import DONE, HIT, MISS_PREDICATE

# Places in the cursor.
STATE, COUNT, WHAT = range(3)
CURSOR = 3

#: The misses of predicates that are collected before Python is called, and the states beyond the first miss in which
#: more are looked for.
MISSES, AHEAD = 64, 512

#: The target of a transition that leads outside the constraints.
OUTSIDE = np.uint32(2**32 - 1)


class Frontier(NamedTuple):
    """A block of states: row i is state number ``base + i``."""

    base: int
    rows: np.ndarray
    sums: np.ndarray
    parent: np.ndarray
    step: np.ndarray
    degree: np.ndarray


class HashTable(NamedTuple):
    """The visited set: open addressing in the order of :func:`home`, so that it grows in one sequential pass.

    ``low`` is 0 in a free slot. ``high`` (the upper words of 128-bit fingerprints) and ``number`` (the states' numbers,
    for transitions) are empty if unused.
    """

    low: np.ndarray
    high: np.ndarray
    number: np.ndarray


class EdgeArrays(NamedTuple):
    """Transitions in the order of their sources; empty arrays if none are kept."""

    target: np.ndarray
    step: np.ndarray


class Predicates(NamedTuple):
    """The predicates that a search looks out for: see ``PredicateTable``."""

    roots: np.ndarray
    of: np.ndarray
    wanted: np.ndarray
    active: np.ndarray
    reads: np.ndarray
    concerned: np.ndarray


class Counts(NamedTuple):
    """Per action instance: the states that enable it, its successors, its new states."""

    enabled: np.ndarray
    generated: np.ndarray
    new: np.ndarray


@njit(cache=True, nogil=True)
def walk_tables(trees, node, row):
    """The same as :func:`walk`, which continues here below a node with a table, to keep its own loop short."""
    while node > 0:
        value = row[trees.node_cell[node]]
        if value < trees.node_size[node]:
            node = trees.branch[trees.node_base[node] + value]
        elif trees.node_size[node] == 0:
            node = in_table(trees.branch, trees.node_base[node], value)
        else:
            return -1
    return -1 - node if node < 0 else -1


@njit(cache=True, nogil=True)
def walk(trees, node, row):
    """The leaf that `row` leads to from `node`, or -1 for a miss."""
    while node > 0:
        value = row[trees.node_cell[node]]
        if value >= trees.node_size[node]:
            return -1 if trees.node_size[node] > 0 else walk_tables(trees, node, row)
        node = trees.branch[trees.node_base[node] + value]
    return -1 - node if node < 0 else -1


@njit(cache=True, nogil=True)
def walk_at(trees, node, rows, i):
    """:func:`walk` for row `i` of `rows`. Only tables need a view, which bumps a reference count shared by threads."""
    while node > 0:
        value = rows[i, trees.node_cell[node]]
        if value >= trees.node_size[node]:
            return -1 if trees.node_size[node] > 0 else walk_tables(trees, node, rows[i])
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
def slot_of(table, low, high):
    """The slot that holds a fingerprint, or the free one where it belongs."""
    slots = table.low.shape[0]
    slot = home(low, slots)
    while table.low[slot] != 0 and (table.low[slot] != low or (table.high.shape[0] > 0 and table.high[slot] != high)):
        slot += 1
        if slot == slots:
            slot = 0
    return slot


@njit(cache=True, nogil=True)
def insert(low, high, table, number):
    """Add one fingerprint to the table with the state's `number`; returns whether it was new."""
    slot = slot_of(table, low, high)
    if table.low[slot] != 0:
        return False
    table.low[slot] = low
    if table.high.shape[0] > 0:
        table.high[slot] = high
    if table.number.shape[0] > 0:
        table.number[slot] = number
    return True


@njit(cache=True, nogil=True)
def rehash(old, new):
    """Move all entries to a larger table. Both have the same order, so memory access is sequential."""
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
def spread(table, first, end):
    """Spread the entries in the slots `first` to `end` over the whole table, whose other slots are all free.

    The order of the homes does not depend on the number of slots, so entries move up: from the last one on, each behind
    all that have not moved yet. Returns the end of those that could not: none, unless fingerprints crowd.
    """
    slots = table.low.shape[0]
    end_slot, begin = np.uint64(slots), np.uint64(first)
    top = np.uint64(end)  # the end of a run of entries, where the search for any of them ends
    for i in range(end - 1, first - 1, -1):
        at = np.uint64(i)  # an unsigned index may not count from the end
        low = table.low[at]
        if low == 0:
            top = at
            continue
        slot = np.uint64(home(low, slots))
        if slot < top:
            return i + 1
        while table.low[slot] != 0:
            slot += np.uint64(1)
            if slot == end_slot:
                slot = np.uint64(0)
        if begin <= slot < top:
            return i + 1
        table.low[slot], table.low[at] = low, 0
        if table.high.shape[0] > 0:
            table.high[slot] = table.high[at]
        if table.number.shape[0] > 0:
            table.number[slot] = table.number[at]
    return first


@njit(cache=True, nogil=True)
def inspect(trees, predicates, touched, block, stop, missed, cursor):
    """Judge the states ``cursor[STATE]`` to `stop` of `block` by the active predicates.

    A predicate is evaluated only if the step to the state may have changed its value: the predecessor did not have the
    wanted one, or the predicate would no longer be active. After the first miss the kernel only collects misses, up to
    a state that decides a predicate: ``cursor[WHAT]`` is their number.

    Args:
        predicates: Predicates
        touched (uint64 array (steps, words)): For each step, one bit per predicate whose value it may change.
        missed (int64 array (room, 2)): Takes the misses: the predicate and the state.
    """
    bit, misses, active = np.uint64(1), 0, predicates.active
    for i in range(cursor[STATE], stop):
        step = block.step[i]
        for word in range(active.shape[0]):
            changed = active[word]
            if step >= 0:
                changed &= touched[step, word]
            predicate = 64 * word
            while changed != 0:
                if changed & bit:
                    leaf = walk_at(trees, predicates.roots[predicate], block.rows, i)
                    if leaf < 0:
                        if misses == 0:
                            cursor[STATE] = i
                        missed[misses, 0], missed[misses, 1] = predicate, i
                        misses += 1
                        cursor[WHAT] = misses
                        if misses == missed.shape[0]:
                            return MISS_PREDICATE
                    elif (leaf == 1) == predicates.wanted[predicate]:
                        if misses == 0:
                            cursor[STATE], cursor[WHAT] = i, predicate
                            return HIT
                        return MISS_PREDICATE
                changed >>= bit
                predicate += 1
        if misses > 0 and i - cursor[STATE] == AHEAD:
            return MISS_PREDICATE
    if misses == 0:
        cursor[STATE] = stop
        return DONE
    return MISS_PREDICATE


@njit(cache=True, nogil=True)
def evaluate_rows(trees, root, rows, truth, cursor):
    """Write one predicate's values for the rows from ``cursor[STATE]`` on into `truth`."""
    for i in range(cursor[STATE], rows.shape[0]):
        leaf = walk(trees, root, rows[i])
        if leaf < 0:
            cursor[STATE] = i
            return MISS_PREDICATE
        truth[i] = leaf == 1
    return DONE


@njit(cache=True, nogil=True)
def add_new(fingerprints, first, table, held, limit, new):
    """Add fingerprints, uint64 (states, words), from place `first` on to the table, and mark the `new` ones.

    It stops early when the table holds `limit` entries; `held` is their number, and that of the first new one. Returns
    the fingerprints looked at so far, and the entries held.
    """
    count = fingerprints.shape[0]
    for i in range(first, min(first + ASKED_AHEAD, count)):
        prefetch(table.low, fingerprints[i, 0])
    for i in range(first, count):
        if held >= limit:
            return i, held
        if i + ASKED_AHEAD < count:
            prefetch(table.low, fingerprints[i + ASKED_AHEAD, 0])
        high = fingerprints[i, 1] if fingerprints.shape[1] == 2 else np.uint64(0)
        if insert(fingerprints[i, 0], high, table, np.uint32(held)):
            new[i] = True
            held += 1
    return count, held


@njit(cache=True, nogil=True)
def contains(fingerprints, table):
    """Whether each of the fingerprints, uint64 (states, words), is in the table."""
    held = np.zeros(fingerprints.shape[0], np.bool_)
    for i in range(fingerprints.shape[0]):
        high = fingerprints[i, 1] if fingerprints.shape[1] == 2 else np.uint64(0)
        held[i] = table.low[slot_of(table, fingerprints[i, 0], high)] != 0
    return held


@njit(cache=True, nogil=True)
def bucket(fingerprints, buckets):
    """The bucket of each fingerprint, by a mix of bits independent of its slot in a table."""
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
    """The canonical fingerprint of each row of `sums`, uint64 (states, words), as held by the visited set."""
    canonical_of = np.empty((sums.shape[0], words), np.uint64)
    lanes = sums.shape[1]
    for i in range(sums.shape[0]):
        best = canonical(sums[i], lanes, words)
        low = sums[i, best]
        canonical_of[i, 0] = low if low != 0 else np.uint64(1)
        if words == 2:
            canonical_of[i, 1] = sums[i, lanes // 2 + best]
    return canonical_of
