"""What the phases of a pass share: its chunks, its queue, and its figures."""

from typing import NamedTuple

import numpy as np

# The phases, in their order; and the two by which threads do what ADMIT does.
EXPAND, ADMIT, SETTLE, LINK, ADMIT_SHARDS, ADMIT_REST = range(6)

# Why `advance` returns.
DONE, MISSED, QUEUE_FULL, MISS_CONSTRAINT, TABLE_FULL, EDGES_FULL, BLOCK_FULL = range(7)

# Places in a pass's figures: states before it, states that the table and the budget have room for, where admitting goes
# on, new states so far, the chunk in which the budget was used up, the constraint that misses, how many successors are
# outside, by how many shards they are admitted (0: in order, by one thread), and how many chunks there are.
BEFORE, LIMIT, MOST, AT_CHUNK, AT_PLACE, ADDED, CUT, WHAT, KEPT_OUT, SHARDS, USED = range(11)
FIGURES = 11

# Places in a share of the work: the thread, the phase to go on with, the last one to do, the chunks (or shards), and
# whether these have been sorted, or counted, already.
THREAD, PHASE, LAST, BEGIN, END, COUNTED = range(6)
SHARE = 6
#: Numbers that two threads write to lie so many numbers apart: beyond the reach of a cache line, and of the next one.
APART = 16

#: What a miss is of: a group of the dispatch, or an action instance.
OF_GROUP, OF_ACTION = 0, 1
#: Misses noted per chunk before Python is asked, and how many states they are looked for in.
NOTED, AHEAD = 8, 32


class Chunks(NamedTuple):
    """The chunks of a pass.

    Attributes:
        first, stop: The sources, by their places in the block.
        next: The first source that is not expanded yet.
        queued, misses: Successors queued and misses noted so far.
        new, number: How many successors are new, and the number of the first of these.
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
    """The successors of a pass; each chunk has as much room as the others, one after the other.

    Attributes:
        low, high: The canonical fingerprints.
        found: What a successor was found to be: a visited state (its number), new (the states before the pass plus its
            own place), the same as another one that is new (that one's), or OUTSIDE.
        number: The numbers of those that are new, where transitions are kept.
        until: For each source where its successors end in its chunk.
        misses: What Python is to be asked: of what, which of them, and in which state of the block.
    """

    low: np.ndarray
    high: np.ndarray
    step: np.ndarray
    found: np.ndarray
    number: np.ndarray
    until: np.ndarray
    misses: np.ndarray


class ByShard(NamedTuple):
    """The queue once more, what each thread has queued sorted by shards; empty arrays for one thread.

    Attributes:
        low, high, found: As in the queue.
        place: Where it is in the queue.
        ends: Where each shard's part begins, and the next one's.
        new: How many of a chunk's successors are new in a shard.
        left: What is left over of each shard: places here.
        leaving: How many these are.
    """

    low: np.ndarray
    high: np.ndarray
    found: np.ndarray
    place: np.ndarray
    ends: np.ndarray
    new: np.ndarray
    left: np.ndarray
    leaving: np.ndarray
