"""The compiled loop over steps: it judges the steps from states that have been expanded, when their trees are complete.

A step is given to predicates as one row of three parts: the state before, the state after, and for each cell whether
the step changed it. So a predicate that asks what changed need not read the values.
"""

import numpy as np

from workbench.engines.compiled import njit
from workbench.engines.kernels import DONE, HIT, MISS_PREDICATE, STATE, WHAT, walk

#: Where `inspect_steps` leaves the step that it hit; -1 for a state without one.
STEP = 3
CURSOR = 4


@njit(cache=True, nogil=True)
def begin(row, scratch):
    """Write to `scratch` that nothing changes in the state `row`."""
    cells = row.shape[0]
    for cell in range(cells):
        scratch[cell] = row[cell]
        scratch[cells + cell] = row[cell]
        scratch[2 * cells + cell] = 0


@njit(cache=True, nogil=True)
def take(trees, step, scratch):
    """Write to `scratch` what `step` does to the state in it; whether that changes anything."""
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
def inspect_steps(trees, dispatch, roots, concerned, active, reads, stuck, ends, block, stop, scratch, cursor):
    """Judge the steps from the states ``cursor[STATE]`` to `stop` of `block` by the active predicates.

    When it stops for something, it begins again with the same state.

    Args:
        roots (int32 array): The root of each predicate's tree.
        concerned (uint64 array (instances, words)): For each action instance, one bit per predicate that judges its
            steps.
        active (uint64 array): One bit per predicate.
        reads (uint64 array (cells, words)): For each cell, one bit per predicate that has to be looked at when a step
            writes it.
        stuck (bool): Whether to stop at a state without steps, unless ...
        ends (int): ... it is one where behaviours may end by the predicate with this number, which is -1 for none.
        scratch (int32 array (3 * cells)): Holds the step when the kernel stops for a predicate.
    """
    words = active.shape[0]
    for i in range(cursor[STATE], stop):
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
                            touched |= reads[trees.write_cell[w], word]
                        touched &= active[word] & concerned[instance, word]
                        bit = 0
                        while touched != 0:
                            if touched & np.uint64(1):
                                predicate = 64 * word + bit
                                leaf_of = walk(trees, roots[predicate], scratch)
                                if leaf_of != 1:
                                    cursor[STATE], cursor[WHAT], cursor[STEP] = i, predicate, step
                                    return MISS_PREDICATE if leaf_of < 0 else HIT
                            touched >>= np.uint64(1)
                            bit += 1
                    take_back(trees, step, scratch)
        if stuck and not moves:
            may_end = 0
            if ends >= 0:
                may_end = walk(trees, roots[ends], row)
            if may_end != 1:
                cursor[STATE], cursor[WHAT], cursor[STEP] = i, ends, -1
                return MISS_PREDICATE if may_end < 0 else HIT
        cursor[STATE] = i + 1
    return DONE
