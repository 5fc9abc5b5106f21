"""The compiled loops of guided searches, which follow a recording or a scenario.

As in :mod:`workbench.checking.kernels.loops`, each keeps its place in a cursor and returns for whatever needs Python. A
state is expanded only with room for all its successors, so an expansion that misses simply starts again.
"""

from typing import NamedTuple

import numpy as np

from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import slot_of, walk
from workbench.checking.kernels.serving import (
    DONE,
    EDGES_FULL,
    FOUND,
    MISS_ACTION,
    MISS_GROUP,
    MISS_PREDICATE,
    NODES_FULL,
    PAUSE,
    STEPS_FULL,
)

# Places in the cursor.
NODE, COUNT, EDGES, WHAT = range(4)
CURSOR = 4

#: The mark of a node that agrees with the next observation.
GOAL = -1
#: Wanted of a cell: nothing, or a value that no state has had so far.
ANYTHING, UNSEEN = -1, -2
#: Cells that no step may change, and cells that no hidden step may change.
FROZEN, KEPT = 2, 1

_SALT = np.uint64(0x9E3779B97F4A7C15)


class Nodes(NamedTuple):
    """States, each with a mark that says how far the search is there. Node i is row i of every array."""

    rows: np.ndarray
    sums: np.ndarray
    parent: np.ndarray
    step: np.ndarray
    mark: np.ndarray


class NodeEdges(NamedTuple):
    """The steps between nodes; arrays of length 0 if nobody needs them."""

    source: np.ndarray
    target: np.ndarray


class Aim(NamedTuple):
    """The values that the next observation requires.

    Attributes:
        wanted: For each cell a value, or ANYTHING.
        seen: The cells with a wanted value.
        role: For each cell whether steps may change it.
        most: The maximum number of visible steps.
        hidden: Whether hidden steps are allowed too.
        allowed (bool array (steps, 1)): For each memoized step whether the observation names it; no rows if it names
            none.
        edges: Takes the steps between nodes.
    """

    wanted: np.ndarray
    seen: np.ndarray
    role: np.ndarray
    most: int
    hidden: bool
    allowed: np.ndarray
    edges: NodeEdges


@njit(cache=True, nogil=True)
def next_steps(trees, dispatch, nodes, table, steps, last, cursor):
    """Write the steps from node ``cursor[NODE]`` into `steps`.

    Returns:
        The number of steps. A negative value is a reason to stop, negated: the node is `last`, a decision tree misses,
        or there is no room for the steps or for all their successors.
    """
    if cursor[NODE] == last:
        return -PAUSE
    count, row = 0, nodes.rows[cursor[NODE]]
    for group in range(dispatch.cell.shape[0]):
        value = row[dispatch.cell[group]]
        entries = dispatch.table[dispatch.base[group] + value] if value < dispatch.size[group] else -1
        if entries < 0:
            cursor[WHAT] = group
            return -MISS_GROUP
        for entry in range(dispatch.start[entries], dispatch.stop[entries]):
            leaf = walk(trees, dispatch.node[entry], row)
            if leaf < 0:
                cursor[WHAT] = dispatch.instance[entry]
                return -MISS_ACTION
            for step in range(trees.leaf_start[leaf], trees.leaf_stop[leaf]):
                if count == steps.shape[0]:
                    return -STEPS_FULL
                steps[count] = step
                count += 1
    if cursor[COUNT] + 2 * count + 1 > min(nodes.sums.shape[0], np.int64(table.low.shape[0] * 0.75)):
        return -NODES_FULL
    return count


@njit(cache=True, nogil=True)
def rebuild(nodes, count, salted, table):
    """Put all nodes into the empty `table`; of nodes with the same fingerprint, the last one stays."""
    for i in range(count):
        slot = slot_of(table, _key(nodes.sums[i], nodes.mark[i], salted), np.uint64(0))
        table.low[slot] = _key(nodes.sums[i], nodes.mark[i], salted)
        table.number[slot] = i


@njit(cache=True, nogil=True)
def _key(total, mark, salted):
    """The fingerprint of a state, or of a state with its mark; 0 marks a free slot."""
    key = total + np.uint64(mark + 1) * _SALT if salted else total
    return key if key != 0 else np.uint64(1)


@njit(cache=True, nogil=True)
def _add(trees, cells, nodes, table, edges, source, step, total, mark, cursor):
    """Add the successor of node `source` by `step` (-1: its own state), unless it is there already."""
    low = _key(total, mark, True)
    slot = slot_of(table, low, np.uint64(0))
    if table.low[slot] == 0:
        number = cursor[COUNT]
        table.low[slot] = low
        table.number[slot] = number
        nodes.rows[number] = nodes.rows[source]
        if step >= 0:
            for w in range(trees.step_first[step], trees.step_stop[step]):
                nodes.rows[number, trees.write_cell[w]] = trees.write_value[w]
        nodes.sums[number] = total
        nodes.parent[number] = source
        nodes.step[number] = step
        nodes.mark[number] = mark
        cursor[COUNT] = number + 1
    if edges.source.shape[0] > 0:
        edges.source[cursor[EDGES]] = source
        edges.target[cursor[EDGES]] = table.number[slot]
        cursor[EDGES] += 1


@njit(cache=True, nogil=True)
def follow(trees, dispatch, cells, nodes, table, aim, steps, pause, cursor):
    """Expand up to `pause` nodes from ``cursor[NODE]`` on: states that agree with `aim` become goals.

    A node's mark is the number of visible steps since the last observation.
    """
    hash_base, hashes = cells
    edges, named = aim.edges, aim.allowed.shape[0] > 0
    last = cursor[NODE] + pause
    while cursor[NODE] < cursor[COUNT]:
        node = cursor[NODE]
        if nodes.mark[node] == GOAL and node != last:
            cursor[NODE] += 1
            continue
        possible = next_steps(trees, dispatch, nodes, table, steps, last, cursor)
        if possible < 0:
            return -possible
        row = nodes.rows[node]
        if edges.source.shape[0] > 0 and cursor[EDGES] + 2 * possible + 1 > edges.source.shape[0]:
            return EDGES_FULL
        differing = 0
        for at in range(aim.seen.shape[0]):
            cell = aim.seen[at]
            if row[cell] != aim.wanted[cell]:
                differing += 1
        mark = nodes.mark[node]
        if aim.hidden and not named and mark == 0 and differing == 0:
            _add(trees, cells, nodes, table, edges, node, -1, nodes.sums[node], GOAL, cursor)
        for at in range(possible):
            step = steps[at]
            total = nodes.sums[node]
            after, role, changes = differing, 0, False
            for w in range(trees.step_first[step], trees.step_stop[step]):
                cell, value = trees.write_cell[w], trees.write_value[w]
                old = row[cell]
                if value == old:
                    continue
                changes = True
                role |= aim.role[cell]
                total += hashes[hash_base[cell] + value, 0] - hashes[hash_base[cell] + old, 0]
                target = aim.wanted[cell]
                if target != ANYTHING:
                    after += int(value != target) - int(old != target)
            if role & FROZEN:
                continue
            visible = not aim.hidden or (role & KEPT) != 0
            if after == 0 and (aim.allowed[step, 0] if named else visible):
                _add(trees, cells, nodes, table, edges, node, step, total, GOAL, cursor)
            if not visible:
                if changes:
                    _add(trees, cells, nodes, table, edges, node, step, total, mark, cursor)
            elif mark + 1 < aim.most:
                _add(trees, cells, nodes, table, edges, node, step, total, mark + 1, cursor)
        cursor[NODE] += 1
    return DONE


class ScenarioLines(NamedTuple):
    """The lines of a scenario.

    Attributes:
        roots: The roots of the trees of all predicates.
        predicate: For each line the predicate that must hold; -1 for none.
        is_step: For each line whether it is a step.
        matches (bool array (steps, lines)): Which memoized steps are steps of which lines.
    """

    roots: np.ndarray
    predicate: np.ndarray
    is_step: np.ndarray
    matches: np.ndarray


@njit(cache=True, nogil=True)
def pass_lines(trees, dispatch, cells, nodes, table, lines, steps, pause, cursor):
    """Expand nodes from ``cursor[NODE]`` on, until a new node has passed all lines; it is then the last node.

    A node's mark is the number of lines passed. A state that comes up again is added only with a larger mark.
    """
    hash_base, hashes = cells
    count = lines.predicate.shape[0]
    last = cursor[NODE] + pause
    while cursor[NODE] < cursor[COUNT]:
        possible = next_steps(trees, dispatch, nodes, table, steps, last, cursor)
        if possible < 0:
            return -possible
        node = cursor[NODE]
        row = nodes.rows[node]
        for at in range(possible):
            step, number = steps[at], cursor[COUNT]
            total = nodes.sums[node]
            after = nodes.rows[number]
            after[:] = row
            for w in range(trees.step_first[step], trees.step_stop[step]):
                cell, value = trees.write_cell[w], trees.write_value[w]
                total += hashes[hash_base[cell] + value, 0] - hashes[hash_base[cell] + row[cell], 0]
                after[cell] = value
            mark = nodes.mark[node]
            while mark < count:  # only the first can be passed by the step itself, the others where it leads
                if lines.is_step[mark] and (mark > nodes.mark[node] or not lines.matches[step, mark]):
                    break
                predicate = lines.predicate[mark]
                if predicate >= 0:
                    leaf = walk(trees, lines.roots[predicate], after)
                    if leaf < 0:
                        cursor[WHAT] = predicate
                        return MISS_PREDICATE
                    if leaf != 1:
                        break
                mark += 1
            low = _key(total, 0, False)
            slot = slot_of(table, low, np.uint64(0))
            if table.low[slot] != 0 and nodes.mark[table.number[slot]] >= mark:
                continue
            table.low[slot] = low
            table.number[slot] = number
            nodes.sums[number] = total
            nodes.parent[number] = node
            nodes.step[number] = step
            nodes.mark[number] = mark
            cursor[COUNT] = number + 1
            if mark == count:
                return FOUND
        cursor[NODE] += 1
    return DONE
