"""The compiled loops over transitions between states by number; sets of states are bits."""

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import insert, slot_of
from workbench.checking.spark.files.transitions import OUTSIDE


@njit(cache=True, nogil=True)
def number_states(fingerprints, numbers, table):
    """Add fingerprints, uint64 (states, words), with their numbers to a table; there must be room."""
    for i in range(fingerprints.shape[0]):
        high = fingerprints[i, 1] if fingerprints.shape[1] == 2 else np.uint64(0)
        insert(fingerprints[i, 0], high, table, numbers[i])


@njit(cache=True, nogil=True)
def look_up(fingerprints, table):
    """The number of each fingerprint in a table, or -1."""
    numbers = np.full(fingerprints.shape[0], -1, np.int64)
    for i in range(fingerprints.shape[0]):
        high = fingerprints[i, 1] if fingerprints.shape[1] == 2 else np.uint64(0)
        slot = slot_of(table, fingerprints[i, 0], high)
        if table.low[slot] != 0:
            numbers[i] = table.number[slot]
    return numbers


@njit(cache=True, nogil=True)
def has(bits, state):
    return (bits[state >> 3] >> np.uint8(state & 7)) & 1 == 1


@njit(cache=True, nogil=True)
def steps_inside(bits, state, target):
    """Whether a transition changes the state and ends in a set."""
    return target != OUTSIDE and target != state and has(bits, np.int64(target))


@njit(cache=True, nogil=True)
def remove(bits, state):
    bits[state >> 3] &= ~(np.uint8(1) << np.uint8(state & 7))


@njit(cache=True, nogil=True)
def enabled_in(state, begin, end, targets, labels, enables):
    """The conditions that the state's transitions enable, one bit each."""
    enabled = np.uint8(0)
    for e in range(begin, end):
        if targets[e] != state:
            enabled |= enables[labels[e]]
    return enabled


@njit(cache=True, nogil=True)
def trim_part(first, indptr, targets, bits):
    """Remove the part's states that have no successor in the set but themselves, until every remaining one has one.

    Transitions lead at most one level on, so states are visited from the last to the first.
    """
    changed = True
    while changed:
        changed = False
        for i in range(indptr.shape[0] - 2, -1, -1):
            state = first + i
            if not has(bits, state):
                continue
            goes_on = False
            for e in range(indptr[i], indptr[i + 1]):
                if steps_inside(bits, state, targets[e]):
                    goes_on = True
                    break
            if not goes_on:
                remove(bits, state)
                changed = True


@njit(cache=True, nogil=True)
def meet(first, indptr, targets, labels, bits, own, enables, weak, held, met):
    """Add to `met` the conditions that the part's states can satisfy without leaving the set, until nothing changes.

    Args:
        bits (uint8 array): The set.
        own (uint8 array): For each label the conditions that its step belongs to, one bit each.
        enables (uint8 array): Those of these conditions that such a step enables in its source.
        weak (int): The conditions that a state satisfies by not enabling them.
        held (uint8 array (states of the part)): The other conditions, where they are enabled.
        met (uint8 array): For all states.
    """
    changed = True
    while changed:
        changed = False
        for i in range(indptr.shape[0] - 2, -1, -1):
            state = first + i
            if not has(bits, state):
                continue
            enabled = held[i] | enabled_in(state, indptr[i], indptr[i + 1], targets, labels, enables)
            mine = met[state] | (np.uint8(weak) & ~enabled)
            for e in range(indptr[i], indptr[i + 1]):
                if steps_inside(bits, state, targets[e]):
                    mine |= own[labels[e]] | met[np.int64(targets[e])]
            if mine != met[state]:
                met[state] = mine
                changed = True


@njit(cache=True, nogil=True)
def keep(first, indptr, targets, labels, bits, enables, every, strong, held, met):
    """Remove the part's states with a due condition that cannot be satisfied."""
    for i in range(indptr.shape[0] - 1):
        state = first + i
        if has(bits, state):
            enabled = held[i] | enabled_in(state, indptr[i], indptr[i + 1], targets, labels, enables)
            if met[state] | (np.uint8(strong) & ~enabled) != every:
                remove(bits, state)


@njit(cache=True, nogil=True)
def reach_from(first, indptr, targets, frontier, open_bits):
    """The states of the set `open_bits` reached by transitions from the part's states in `frontier`."""
    reached = np.empty(targets.shape[0], np.uint32)
    count = 0
    for i in range(indptr.shape[0] - 1):
        state = first + i
        if has(frontier, state):
            for e in range(indptr[i], indptr[i + 1]):
                if steps_inside(open_bits, state, targets[e]):
                    remove(open_bits, np.int64(targets[e]))
                    reached[count] = targets[e]
                    count += 1
    return reached[:count].copy()
