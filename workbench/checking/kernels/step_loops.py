"""The compiled loop over steps: it judges the steps from expanded states, whose trees are complete.

A step's row has three parts: the state before, the state after, and for each cell whether the step changed it. So a
predicate that asks what changed need not read the values.
"""

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import AHEAD, STATE, WHAT, walk
from workbench.checking.kernels.serving import DONE, HIT, MISS_PREDICATE

#: The place of the step that `inspect_steps` hit; -1 for a state without steps.
STEP = 3
CURSOR = 4


@njit(cache=True, nogil=True)
def begin(row, scratch):
    """Write the step from the state `row` that changes nothing to `scratch`."""
    cells = row.shape[0]
    for cell in range(cells):
        scratch[cell] = row[cell]
        scratch[cells + cell] = row[cell]
        scratch[2 * cells + cell] = 0


@njit(cache=True, nogil=True)
def take(trees, step, scratch):
    """Apply `step` to the state in `scratch`; returns whether it changes anything."""
    cells = scratch.shape[0] // 3
    changes = False
    for w in range(trees.step_first[step], trees.step_stop[step]):
        cell, value = trees.write_cell[w], trees.write_value[w]
        if scratch[cell] != value:
            scratch[cells + cell] = value
            scratch[2 * cells + cell] = 1
            changes = True
    return changes


@njit(cache=True, nogil=True)
def take_back(trees, step, scratch):
    """Undo :func:`take`."""
    cells = scratch.shape[0] // 3
    for w in range(trees.step_first[step], trees.step_stop[step]):
        cell = trees.write_cell[w]
        scratch[cells + cell] = scratch[cell]
        scratch[2 * cells + cell] = 0


@njit(cache=True, nogil=True)
def note_miss(missed, misses, predicate, step, scratch):
    """Add a miss to the `misses` noted before; returns their number."""
    missed[misses, 0], missed[misses, 1] = predicate, step
    missed[misses, 2:] = scratch
    return misses + 1


@njit(cache=True, nogil=True)
def inspect_steps(trees, dispatch, predicates, stuck, ends, block, scratch, missed, cursor):
    """Judge the steps from the states of `block`, beginning with ``cursor[STATE]``, by the active predicates.

    After a stop it begins again with the same state. After the first miss it only collects misses, up to a step that
    decides a predicate: ``cursor[WHAT]`` is their number.

    Args:
        predicates: Predicates
        stuck (bool): Whether to stop at a state without steps, unless ...
        ends (int): ... behaviours may end there by the predicate with this number; -1 for none.
        scratch (int32 array (3 * cells)): Room for a step.
        missed (int32 array (room, 2 + 3 * cells)): Takes the misses: the predicate, the step's number, and the step.
    """
    misses, roots, active = 0, predicates.roots, predicates.active
    words = active.shape[0]
    for i in range(cursor[STATE], block.rows.shape[0]):
        if misses == 0:
            cursor[STATE] = i
        row = block.rows[i]
        begin(row, scratch)
        moves = False
        for group in range(dispatch.cell.shape[0]):
            entries = dispatch.table[dispatch.base[group] + row[dispatch.cell[group]]]
            for entry in range(dispatch.start[entries], dispatch.stop[entries]):
                leaf = walk(trees, dispatch.node[entry], row)
                instance = dispatch.instance[entry]
                for step in range(trees.leaf_start[leaf], trees.leaf_stop[leaf]):
                    moves = True
                    if not take(trees, step, scratch):
                        continue
                    for word in range(words):
                        touched = np.uint64(0)
                        for w in range(trees.step_first[step], trees.step_stop[step]):
                            touched |= predicates.reads[trees.write_cell[w], word]
                        touched &= active[word] & predicates.concerned[instance, word]
                        bit = 0
                        while touched != 0:
                            if touched & np.uint64(1):
                                predicate = 64 * word + bit
                                leaf_of = walk(trees, roots[predicate], scratch)
                                if leaf_of < 0:
                                    misses = note_miss(missed, misses, predicate, step, scratch)
                                    cursor[WHAT] = misses
                                    if misses == missed.shape[0]:
                                        return MISS_PREDICATE
                                elif leaf_of != 1:
                                    if misses > 0:
                                        return MISS_PREDICATE
                                    cursor[WHAT], cursor[STEP] = predicate, step
                                    return HIT
                            touched >>= np.uint64(1)
                            bit += 1
                    take_back(trees, step, scratch)
        if stuck and not moves:
            may_end = 0
            if ends >= 0:
                may_end = walk(trees, roots[ends], row)
            if may_end < 0:
                cursor[WHAT] = note_miss(missed, misses, ends, -1, scratch)
                return MISS_PREDICATE
            if may_end != 1:
                if misses > 0:
                    return MISS_PREDICATE
                cursor[WHAT], cursor[STEP] = ends, -1
                return HIT
        if misses > 0 and i - cursor[STATE] == AHEAD:
            return MISS_PREDICATE
    if misses > 0:
        return MISS_PREDICATE
    cursor[STATE] = block.rows.shape[0]
    return DONE
