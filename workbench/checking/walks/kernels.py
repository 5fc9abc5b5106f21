"""The compiled loop of random walks. It walks decision trees as the searches do, and knows nothing of any model.

Like the searches' kernels it keeps its place in arrays, stops for whatever needs Python, and is called again. A walk
depends on the rule and its number alone: not on the memoized part of the trees, nor on the worker.
"""

from typing import NamedTuple

import numpy as np

from workbench.checking.kernels import step_loops
from workbench.checking.kernels.compiled import njit
from workbench.checking.kernels.loops import Predicates, walk
from workbench.checking.kernels.serving import (
    DONE,
    MISS_ACTION,
    MISS_BEGIN,
    MISS_CONSTRAINT,
    MISS_END,
    MISS_GROUP,
    MISS_PREDICATE,
    MISS_START,
    MISS_STEP,
    PAUSE,
)
from workbench.checking.walks.sketch import observe

# Places in `Walk.place`.
NUMBER, PHASE, DEPTH, STEP, START, FOUND, MOVING, GROUP, WHAT = range(9)
PLACES = 9
_BEGIN, _JUDGE, _GO, _TAKE = range(4)

# Places in `Tally.sums`.
WALKS, STEPS, DEADLOCKED, SETTLED, OUTSIDE, LONGEST = range(6)
SUMS = 6

#: No walk has decided the property.
NEVER = np.int64(2**62)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_WEIGHTS = 6  # a swarm's walk gives each action 1, 4, 16 ... 1024


class Starts(NamedTuple):
    """The rows of those initial states that are `known`."""

    rows: np.ndarray
    known: np.ndarray


class WalkWatch(NamedTuple):
    """The properties that walks watch.

    Attributes:
        states, steps (Predicates): `of` counts the properties of both.
        begins, begins_of: The roots of the judges of initial states, and their properties.
        deadlock: The property against dead ends; -1 for none.
        ends: The predicate that says where walks may end, counted as in `steps`; -1 for none.
        bounds: The roots of the model's state constraints.
        depth, number: For each property the length and number of the shortest walk that decided it.
        scratch: Holds a step while it is judged.
    """

    states: Predicates
    steps: Predicates
    begins: np.ndarray
    begins_of: np.ndarray
    deadlock: int
    ends: int
    bounds: np.ndarray
    depth: np.ndarray
    number: np.ndarray
    scratch: np.ndarray


class Counted(NamedTuple):
    """Counts per action instance and in all, and the sketch of the visited states."""

    enabled: np.ndarray
    taken: np.ndarray
    sums: np.ndarray
    registers: np.ndarray


class Walk(NamedTuple):
    """A walk's position and its candidates for the next step; ``path`` holds the steps taken."""

    place: np.ndarray
    row: np.ndarray
    fingerprint: np.ndarray
    random: np.ndarray
    weight: np.ndarray
    instance: np.ndarray
    leaf: np.ndarray
    until: np.ndarray
    path: np.ndarray


@njit(cache=True, nogil=True)
def mix(word):
    """SplitMix64's permutation of 64-bit words, which sends neighbours far apart."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit(cache=True, nogil=True)
def draw_below(random, among):
    """The next random number below `among`."""
    random[0] += _GOLDEN
    return np.int64(mix(random[0]) % np.uint64(among))


@njit(cache=True, nogil=True)
def begin_walk(starts, cells, seed, swarm, at):
    """Place the walk in one of the initial states."""
    hash_base, hashes = cells
    at.random[0] = mix(mix(np.uint64(seed) + _GOLDEN) ^ np.uint64(at.place[NUMBER]))
    which = draw_below(at.random, starts.rows.shape[0])
    at.place[START] = which
    if not starts.known[which]:
        return MISS_START
    at.fingerprint[0] = np.uint64(0)
    for cell in range(at.row.shape[0]):
        at.row[cell] = starts.rows[which, cell]
        at.fingerprint[0] += hashes[hash_base[cell] + at.row[cell], 0]
    for instance in range(at.weight.shape[0]):
        at.weight[instance] = 4 ** draw_below(at.random, _WEIGHTS) if swarm else 1
    at.place[DEPTH] = 0
    at.place[STEP] = -1
    return DONE


@njit(cache=True, nogil=True)
def note_decided(watch, declared, depth, number):
    """Note that a walk decided a property."""
    watch.depth[declared] = depth
    watch.number[declared] = number


@njit(cache=True, nogil=True)
def judge_row(trees, predicates, watch, step, row, depth, at):
    """Judge a row by the predicates that `step` may have changed (-1: by all); returns whether all are known."""
    for word in range(predicates.reads.shape[1]):
        touched = ~np.uint64(0)
        if step >= 0:
            touched = np.uint64(0)
            for w in range(trees.step_first[step], trees.step_stop[step]):
                touched |= predicates.reads[trees.write_cell[w], word]
            touched &= predicates.concerned[trees.step_instance[step], word]
        first = 64 * word
        for predicate in range(first, min(first + 64, predicates.of.shape[0])):
            declared = predicates.of[predicate]
            if (touched >> np.uint64(predicate - first)) & np.uint64(1) == 0 or depth >= watch.depth[declared]:
                continue
            leaf = walk(trees, predicates.roots[predicate], row)
            if leaf < 0:
                at.place[WHAT] = predicate
                return False
            if (leaf == 1) == predicates.wanted[predicate]:
                note_decided(watch, declared, depth, at.place[NUMBER])
    return True


@njit(cache=True, nogil=True)
def walk_is_outside(trees, watch, at):
    """1 if the walk has left the state constraints, 0 if not, -1 for a miss."""
    for constraint in range(watch.bounds.shape[0]):
        leaf = walk(trees, watch.bounds[constraint], at.row)
        if leaf < 0:
            at.place[WHAT] = constraint
            return -1
        if leaf != 1:
            return 1
    return 0


@njit(cache=True, nogil=True)
def judge_beginning(trees, watch, at):
    """Judge the initial state."""
    for which in range(watch.begins.shape[0]):
        declared = watch.begins_of[which]
        if watch.depth[declared] <= 0:
            continue
        leaf = walk(trees, watch.begins[which], at.row)
        if leaf < 0:
            at.place[WHAT] = which
            return MISS_BEGIN
        if leaf != 1:
            note_decided(watch, declared, 0, at.place[NUMBER])
    return DONE


@njit(cache=True, nogil=True)
def judge_step(trees, watch, at):
    """Judge the next step; returns whether all predicates are known."""
    step_loops.begin(at.row, watch.scratch)
    if not step_loops.take(trees, at.place[STEP], watch.scratch):
        return True
    return judge_row(trees, watch.steps, watch, at.place[STEP], watch.scratch, at.place[DEPTH] + 1, at)


@njit(cache=True, nogil=True)
def judge_dead_end(trees, watch, at):
    """Judge the end of a walk that has no further step."""
    if watch.deadlock >= 0 and at.place[DEPTH] < watch.depth[watch.deadlock]:
        leaf = 0 if watch.ends < 0 else walk(trees, watch.steps.roots[watch.ends], at.row)
        if leaf < 0:
            return MISS_END
        if leaf != 1:
            note_decided(watch, watch.deadlock, at.place[DEPTH], at.place[NUMBER])
    return DONE


@njit(cache=True, nogil=True)
def any_change(trees, first, last, row):
    """Whether one of the steps from `first` up to `last` changes anything."""
    for step in range(first, last):
        if trees.step_blind[step] > trees.step_first[step]:
            return True
        for w in range(trees.step_blind[step], trees.step_stop[step]):
            if row[trees.write_cell[w]] != trees.write_value[w]:
                return True
    return False


@njit(cache=True, nogil=True)
def gather_enabled(trees, dispatch, by_successor, at):
    """Find the enabled action instances with their cumulative weights, and whether any of their steps has an effect."""
    count, total, moving = 0, np.int64(0), 0
    for group in range(dispatch.cell.shape[0]):
        value = at.row[dispatch.cell[group]]
        entries = dispatch.table[dispatch.base[group] + value] if value < dispatch.size[group] else -1
        if entries < 0:
            at.place[GROUP] = group
            return MISS_GROUP
        for entry in range(dispatch.start[entries], dispatch.stop[entries]):
            leaf = walk(trees, dispatch.node[entry], at.row)
            if leaf < 0:
                at.place[WHAT] = dispatch.instance[entry]
                return MISS_ACTION
            first, last = np.int64(trees.leaf_start[leaf]), np.int64(trees.leaf_stop[leaf])
            successors = last - first
            if successors == 0:
                continue
            if not moving and any_change(trees, first, last, at.row):
                moving = 1
            instance = dispatch.instance[entry]
            total += at.weight[instance] * (successors if by_successor else 1)
            at.instance[count], at.leaf[count], at.until[count] = instance, leaf, total
            count += 1
    at.place[FOUND], at.place[MOVING] = count, moving
    return DONE


@njit(cache=True, nogil=True)
def choose_step(trees, by_successor, counted, at):
    """A random successor of the candidates, as the number of a memoized step."""
    count = at.place[FOUND]
    drawn = draw_below(at.random, at.until[count - 1])
    chosen = 0
    for candidate in range(count):
        counted.enabled[at.instance[candidate]] += 1
        if at.until[candidate] <= drawn:
            chosen = candidate + 1
    leaf = at.leaf[chosen]
    first = np.int64(trees.leaf_start[leaf])
    successors = np.int64(trees.leaf_stop[leaf]) - first
    counted.taken[at.instance[chosen]] += 1
    if by_successor:
        before = at.until[chosen - 1] if chosen > 0 else 0
        return first + (drawn - before) // at.weight[at.instance[chosen]]
    return first + (draw_below(at.random, successors) if successors > 1 else 0)


@njit(cache=True, nogil=True)
def take_step(trees, cells, step, row, fingerprint):
    """Apply `step` to `row`, and update its fingerprint."""
    hash_base, hashes = cells
    fingerprint[0] += trees.step_delta[step, 0]
    for w in range(trees.step_first[step], trees.step_stop[step]):
        cell = trees.write_cell[w]
        if w >= trees.step_blind[step]:
            fingerprint[0] -= hashes[hash_base[cell] + row[cell], 0]
        row[cell] = trees.write_value[w]


@njit(cache=True, nogil=True)
def stroll(trees, dispatch, cells, starts, watch, counted, rule, at, end, pause_after):
    """Make the walks from number ``at.place[NUMBER]`` up to `end`; returns why it stopped, or DONE.

    Args:
        trees, dispatch: See :mod:`workbench.checking.kernels.tree_columns`.
        cells (tuple of arrays): ``hash_base`` and ``hashes`` of :class:`workbench.checking.trees.cells.Interner`,
            without symmetry.
        rule (tuple): Depth, seed, whether successors have equal probability, and whether actions are weighted.
        pause_after (int): Steps before a pause.
    """
    depth, seed, by_successor, swarm = rule
    place, steps = at.place, 0
    while place[NUMBER] < end:
        if place[PHASE] == _BEGIN:
            code = begin_walk(starts, cells, seed, swarm, at)
            if code == DONE:
                code = judge_beginning(trees, watch, at)
            if code != DONE:
                return code
            place[PHASE] = _JUDGE
        ended = False
        if place[PHASE] == _JUDGE:
            if not judge_row(trees, watch.states, watch, place[STEP], at.row, place[DEPTH], at):
                return MISS_PREDICATE
            outside = walk_is_outside(trees, watch, at)
            if outside < 0:
                return MISS_CONSTRAINT
            if outside == 0:
                observe(counted.registers, at.fingerprint[0])
            else:
                counted.sums[OUTSIDE] += 1
            ended = outside == 1 or place[DEPTH] == depth
            place[PHASE] = _GO
        if place[PHASE] == _GO and not ended:
            if steps == pause_after:
                return PAUSE
            code = gather_enabled(trees, dispatch, by_successor, at)
            if code != DONE:
                return code
            if place[FOUND] == 0:
                code = judge_dead_end(trees, watch, at)
                if code != DONE:
                    return code
                counted.sums[DEADLOCKED] += 1
                ended = True
            else:
                place[STEP] = choose_step(trees, by_successor, counted, at)
                place[PHASE] = _TAKE
        if place[PHASE] == _TAKE:
            if watch.steps.of.shape[0] > 0 and not judge_step(trees, watch, at):
                return MISS_STEP
            take_step(trees, cells, place[STEP], at.row, at.fingerprint)
            at.path[place[DEPTH]] = place[STEP]
            place[DEPTH] += 1
            place[PHASE] = _JUDGE
            counted.sums[STEPS] += 1
            counted.sums[LONGEST] = max(counted.sums[LONGEST], place[DEPTH])
            steps += 1
            if place[MOVING] == 0:  # it would stay there for ever
                counted.sums[SETTLED] += 1
                ended = True
        if ended:
            counted.sums[WALKS] += 1
            place[NUMBER] += 1
            place[PHASE] = _BEGIN
    return DONE


@njit(cache=True, nogil=True)
def follow_moves(trees, roots, choices, rows, moves, kept, path, place):
    """Take the `kept` moves, as far as they are enabled.

    Args:
        roots (int32 array): The roots of the trees of all action instances.
        choices (int64 array): The choices of each memoized step, as a number.
        rows (int32 array (moves + 1, cells)): The first state; takes the states after it.
        moves (int64 array (moves, 2)): Instances and choices.
        path (int32 array): Takes the steps; ``place[FOUND]`` is their number.
    """
    taken = 0
    for move in range(moves.shape[0]):
        place[FOUND] = taken
        if not kept[move]:
            continue
        leaf = walk(trees, roots[moves[move, 0]], rows[taken])
        if leaf < 0:
            place[WHAT] = moves[move, 0]
            return MISS_ACTION
        for step in range(trees.leaf_start[leaf], trees.leaf_stop[leaf]):
            if choices[step] == moves[move, 1]:
                rows[taken + 1] = rows[taken]
                for w in range(trees.step_first[step], trees.step_stop[step]):
                    rows[taken + 1, trees.write_cell[w]] = trees.write_value[w]
                path[taken] = step
                taken += 1
                break
    place[FOUND] = taken
    return DONE
