"""The data that the phases of a pass share: its chunks, its queue, and its figures."""

from typing import NamedTuple

import numpy as np

# The phases, in order; and the two that replace ADMIT for several threads.
EXPAND, ADMIT, WRITE_BACK, LINK, ADMIT_SHARDS, ADMIT_REST = range(6)

# Places in a pass's figures: states before it, states that the table and the budget have room for, where admitting
# continues, new states so far, the chunk in which the budget was used up, the constraint that missed, pruned
# successors, shards for admitting (0: in order, by one thread), and chunks.
BEFORE, LIMIT, MOST, AT_CHUNK, AT_PLACE, ADDED, CUT, WHAT, PRUNED, SHARDS, USED = range(11)
FIGURES = 11

# Places in a share of the work: the thread, its current phase, its last one, its chunks (or shards), and whether these
# have been sorted, or counted, already.
THREAD, PHASE, LAST, BEGIN, END, COUNTED = range(6)
SHARE = 6
#: The distance between numbers that two threads write: beyond a cache line and the next one.
APART = 16

#: The kinds of misses: of a group of the dispatch, or of an action instance.
OF_GROUP, OF_ACTION = 0, 1
#: The misses noted per chunk before Python is called, and the states in which they are collected.
NOTED, AHEAD = 8, 32


class Chunks(NamedTuple):
    """The chunks of a pass.

    Attributes:
        first, stop: The sources, by their places in the block.
        next: The first source that is not expanded yet.
        queued, misses: Successors queued and misses noted so far.
        new, number: The number of new successors, and the state number of the first of these.
        edge: The place of the first transition.
    """

    first: np.ndarray
    stop: np.ndarray
    next: np.ndarray
    queued: np.ndarray
    misses: np.ndarray
    new: np.ndarray
    number: np.ndarray
    edge: np.ndarray


class Queue(NamedTuple):
    """The successors of a pass, chunk after chunk, with equal room for each.

    Attributes:
        low, high: The canonical fingerprints.
        found: What a successor was found to be: a visited state (its number), new (the states before the pass plus its
            own place), equal to a new one (the same as that one), or OUTSIDE.
        number: The numbers of new states, if transitions are kept.
        until: For each source the end of its successors in its chunk.
        misses: The kind of each miss, which group or instance, and the state in the block.
    """

    low: np.ndarray
    high: np.ndarray
    step: np.ndarray
    found: np.ndarray
    number: np.ndarray
    until: np.ndarray
    misses: np.ndarray


class ByShard(NamedTuple):
    """The queue again, each thread's part sorted by shards; empty arrays for one thread.

    Attributes:
        low, high, found: As in the queue.
        place: The place in the queue.
        ends: For each thread the beginnings of the shards' parts, and the end of the last.
        new: For each shard and chunk the number of new states.
        left: For each shard the places left over.
        leaving: The number of places left over.
    """

    low: np.ndarray
    high: np.ndarray
    found: np.ndarray
    place: np.ndarray
    ends: np.ndarray
    new: np.ndarray
    left: np.ndarray
    leaving: np.ndarray
