"""The cost of each action and predicate, read off its decision trees: a path is a call, and its nodes are reads."""

from collections.abc import Sequence

import numpy as np

from workbench.checking.kernels.branches import branches_of
from workbench.checking.trees.decision_trees import TRUE, Trees
from workbench.checking.trees.profile import Cost
from workbench.kernel.meaning.steps import Subject

#: Bytes of an inner node, of one branch of it, of a leaf, of a step without its fingerprints, and of a write.
_NODE, _BRANCH, _LEAF, _STEP, _WRITE = 12, 4, 8, 16, 8


def costs_of(trees: Trees) -> tuple[Cost, ...]:
    """The cost so far of each action, and of each predicate with a subject."""
    subjects = [
        *(Subject("action", i.action.name) for i in trees.model.instances),
        *(predicate.subject for predicate in trees.predicates),
    ]
    roots = np.array([*trees.roots, *trees.predicate_roots.tolist()], np.int64)
    calls, sizes, reads = _walk(trees, roots)
    owned: dict[Subject, list[int]] = {}
    for number, subject in enumerate(subjects):
        if subject is not None:
            owned.setdefault(subject, []).append(number)
    return tuple(_cost(subject, numbers, calls, sizes, reads) for subject, numbers in owned.items())


def _cost(subject: Subject, numbers: Sequence[int], calls: np.ndarray, sizes: np.ndarray, reads: np.ndarray) -> Cost:
    read = reads[list(numbers)]
    return Cost(
        subject,
        len(numbers),
        int(calls[list(numbers)].sum()),
        int(sizes[list(numbers)].sum()),
        int(read.sum(axis=1).max()),
        frozenset(np.flatnonzero(read.any(axis=0)).tolist()),
    )


def _walk(trees: Trees, roots: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The paths and bytes of the tree below each root, and the cells that it reads."""
    arrays, owners = trees.arrays, np.arange(len(roots))
    calls, sizes = np.zeros(len(roots), np.int64), np.zeros(len(roots), np.int64)
    reads = np.zeros((len(roots), len(trees.cells.layout.cells)), np.bool_)
    children = roots
    while len(children):
        ends = children < 0
        calls += np.bincount(owners[ends], minlength=len(roots))
        sizes += np.bincount(owners[ends], _bytes_of_leaves(trees, -1 - children[ends]), len(roots)).astype(np.int64)
        inner = children > 0
        nodes, owners = children[inner], owners[inner]
        reads[owners, arrays.node_cell[nodes] % reads.shape[1]] = True  # a step has the cells of two states, and more
        counts, taken, places = branches_of(arrays.node_base[nodes], arrays.node_size[nodes], arrays.branch)
        sizes += np.bincount(owners, _NODE + _BRANCH * taken, len(roots)).astype(np.int64)
        children, owners = arrays.branch[places], np.repeat(owners, counts)
        children, owners = children[children != 0], owners[children != 0]
    return calls, sizes, reads


def _bytes_of_leaves(trees: Trees, leaves: np.ndarray) -> np.ndarray:
    """The bytes of leaves with their steps and writes; the leaves that all trees share count nothing."""
    arrays, taken = trees.arrays, np.zeros(len(leaves), np.int64)
    own = leaves > TRUE
    start, stop = arrays.leaf_start[leaves[own]], arrays.leaf_stop[leaves[own]]
    writes = arrays.step_stop[stop - 1] - arrays.step_first[start]
    taken[own] = _LEAF + (_STEP + 8 * trees.cells.lanes) * (stop - start) + _WRITE * writes
    return taken
