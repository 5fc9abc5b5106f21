"""NumPy forms, for whole arrays at once, of the kernels that take most of a search's time: Python's substitutes.

A form in NumPy takes a tenth of the time of the interpreted loop. It does exactly what its kernel does, or nothing: in
rare cases it returns NotImplemented, and the loop is interpreted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from workbench.checking.kernels import loops
from workbench.checking.kernels.branches import in_table
from workbench.checking.kernels.compiled import Kernel, work
from workbench.checking.kernels.loops import OUTSIDE, Frontier, HashTable
from workbench.checking.kernels.phases import layout
from workbench.checking.kernels.phases.admit import VISITED, admit
from workbench.checking.kernels.phases.expand import expand_all
from workbench.checking.kernels.phases.layout import Chunks, Queue
from workbench.checking.kernels.phases.write_back import link_all, write_back_all
from workbench.checking.kernels.prefetch import home
from workbench.checking.kernels.serving import DONE, HIT, MISS_PREDICATE, MISSED, QUEUE_FULL, TABLE_FULL
from workbench.checking.kernels.tree_columns import DispatchColumns, TreeColumns

#: The states that `inspect` looks at in one go.
_AT_ONCE = 1 << 14


def _ranges(first: Any, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of all ranges, concatenated; and for each number the index of its range."""
    of = np.repeat(np.arange(len(count)), count)
    return np.arange(len(of)) + np.repeat(first - (np.cumsum(count) - count), count), of


def _leaves(trees: TreeColumns, node: np.ndarray, rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The leaf that row ``at[k]`` of `rows` leads to from ``node[k]``, or -1 for a miss; `node` is overwritten."""
    work(len(node))
    going = np.flatnonzero(node > 0)
    while len(going):
        here = node[going]
        value, size = rows[at[going], trees.node_cell[here]], trees.node_size[here]
        child, beside = np.zeros(len(here), np.int64), value < size
        base = trees.node_base[here].astype(np.int64)
        child[beside] = trees.branch[base[beside] + value[beside]]
        for k in np.flatnonzero(size == 0).tolist():
            child[k] = in_table(trees.branch, base[k], value[k])
        node[going] = child
        going = going[child > 0]
    return np.where(node < 0, -1 - node, -1)


def _sums(trees: TreeColumns, cells: Any, source: Frontier, at: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The fingerprints of all images of the successors of rows `at` by `step`."""
    hash_base, hashes = cells
    sums = source.sums[at] + trees.step_delta[step]
    blind = trees.step_blind[step].astype(np.int64)
    write, of = _ranges(blind, trees.step_stop[step] - blind)
    if len(write):
        cell = trees.write_cell[write]
        np.subtract.at(sums, of, hashes[hash_base[cell] + source.rows[at[of], cell]])
    return sums


def _write(trees: TreeColumns, step: np.ndarray, rows: np.ndarray, to: np.ndarray) -> None:
    """Write the cells that ``step[k]`` writes to row ``to[k]``."""
    first = trees.step_first[step].astype(np.int64)
    write, of = _ranges(first, trees.step_stop[step] - first)
    rows[to[of], trees.write_cell[write]] = trees.write_value[write]


def _expand_all(
    trees: TreeColumns, dispatch: DispatchColumns, cells: Any, source: Frontier, queue: Queue, chunks: Chunks,
    begin: int, end: int,
) -> Any:  # fmt: skip
    if len(queue.high):
        return NotImplemented
    room, width = len(queue.low) // len(chunks.first), len(queue.until) // len(chunks.first)
    c = np.arange(begin, end)[chunks.next[begin:end] < chunks.stop[begin:end]]
    first = chunks.next[c]
    i, of = _ranges(first, chunks.stop[c] - first)
    chunks.misses[c] = 0
    # The action instances to try in each state; a group's miss takes the place of one.
    groups = len(dispatch.cell)
    value = source.rows[i[:, None], dispatch.cell[None, :].astype(np.int64)].astype(np.int64)
    in_range, entries = value < dispatch.size, np.full(value.shape, -1)
    entries[in_range] = dispatch.table[(dispatch.base + value)[in_range]]
    entries = entries.ravel()
    start, tried, listed = np.zeros(len(entries), np.int64), np.ones(len(entries), np.int64), entries >= 0
    start[listed] = dispatch.start[entries[listed]]
    tried[listed] = dispatch.stop[entries[listed]] - start[listed]
    entry, group = _ranges(start, tried)
    row, is_listed = group // max(1, groups), listed[group]
    node, instance = np.zeros((2, len(row)), np.int64)
    node[is_listed], instance[is_listed] = dispatch.node[entry[is_listed]], dispatch.instance[entry[is_listed]]
    leaf = _leaves(trees, node, source.rows, i[row])
    # Once a state in a chunk misses, the rest of the chunk only collects misses.
    ends = np.cumsum(chunks.stop[c] - first)
    missed = np.flatnonzero(leaf < 0)
    for k in np.unique(of[row[missed]]).tolist():
        mine = missed[of[row[missed]] == k]
        ends[k] = row[mine[0]]
        noted = mine[row[mine] <= ends[k] + layout.AHEAD][: layout.NOTED]
        which = np.where(is_listed[noted], instance[noted], group[noted] % groups)
        kind = np.where(is_listed[noted], layout.OF_ACTION, layout.OF_GROUP)
        at = c[k] * layout.NOTED
        queue.misses[at : at + len(noted)] = np.stack([kind, which, i[row[noted]]], axis=1)
        chunks.misses[c[k]] = len(noted)
    whole = row < ends[of[row]]
    leaf, row = leaf[whole], row[whole]
    steps = trees.leaf_start[leaf].astype(np.int64)
    step, of_leaf = _ranges(steps, trees.leaf_stop[leaf] - steps)
    row = row[of_leaf]
    queued = np.bincount(of[row], minlength=len(c))
    if (chunks.queued[c] + queued > room).any():
        chunks.misses[c] = 0
        return QUEUE_FULL
    place = _ranges(chunks.queued[c], queued)[0]
    at = c[of[row]] * room + place
    queue.low[at] = _sums(trees, cells, source, i[row], step).min(axis=1)
    queue.step[at] = step
    done = np.flatnonzero(np.arange(len(i)) < ends[of])
    until = np.cumsum(np.bincount(row, minlength=len(i))) + np.repeat(
        chunks.queued[c] - (np.cumsum(queued) - queued), np.bincount(of, minlength=len(c))
    )
    queue.until[c[of[done]] * width + i[done] - chunks.first[c][of[done]]] = until[done]
    chunks.queued[c] += queued
    chunks.next[c] += np.bincount(of[done], minlength=len(c))
    return MISSED if len(missed) else DONE


def _slots(table: HashTable, low: np.ndarray, slot: np.ndarray | None = None) -> np.ndarray:
    """The slot that holds each fingerprint, or the free one where it belongs; the search starts at `slot`."""
    work(len(low))
    size = len(table.low)
    slot = home(low, size) if slot is None else slot
    going = np.arange(len(low))
    while len(going):
        held = table.low[slot[going]]
        going = going[(held != 0) & (held != low[going])]
        slot[going] = (slot[going] + 1) % size
    return slot


def _insert(table: HashTable, low: np.ndarray, number: np.ndarray) -> None:
    """Add fingerprints, all different and none in the table."""
    slot, left = home(low, len(table.low)), np.arange(len(low))
    while len(left):
        slot[left] = _slots(table, low[left], slot[left])
        table.low[slot[left]] = low[left]  # of several for a slot, one stays
        won = left[table.low[slot[left]] == low[left]]
        if len(table.number):
            table.number[slot[won]] = number[won]
        left = left[table.low[slot[left]] != low[left]]


def _rehash(old: HashTable, new: HashTable) -> Any:
    if len(old.high):
        return NotImplemented
    used = np.flatnonzero(old.low)
    _insert(new, old.low[used], old.number[used] if len(old.number) else used)
    return None


def _queued(queue: Queue, chunks: Chunks, begin: int, end: int) -> np.ndarray:
    """The places of all successors of some chunks."""
    room = len(queue.low) // len(chunks.first)
    return _ranges(np.arange(begin, end) * room, chunks.queued[begin:end])[0]


def _admit(
    trees: TreeColumns, source: Frontier, table: HashTable, queue: Queue, chunks: Chunks, figures: np.ndarray,
    bounds: np.ndarray, scratch: np.ndarray,
) -> Any:  # fmt: skip
    used, before, begun = figures[layout.USED], figures[layout.BEFORE], figures[layout.ADDED]
    if len(queue.high) or len(bounds) or begun or figures[layout.AT_CHUNK] or figures[layout.AT_PLACE]:
        return NotImplemented
    at = _queued(queue, chunks, 0, used)
    low = np.maximum(queue.low[at], np.uint64(1))
    slot = _slots(table, low)
    unknown = np.flatnonzero(table.low[slot] == 0)
    new, discovered, equal = np.unique(low[unknown], return_index=True, return_inverse=True)
    if before + len(new) > figures[layout.MOST]:
        return NotImplemented
    if before + len(new) > figures[layout.LIMIT]:
        return TABLE_FULL
    numbered = len(table.number) > 0
    discovered = unknown[discovered]
    marks = (before + at[discovered]).astype(np.uint32)
    numbers = table.number[slot] if numbered else np.full(len(at), VISITED)
    if numbered:
        numbers[unknown] = marks[equal]
    numbers[discovered] = marks
    queue.found[at] = numbers
    _insert(table, new, marks)
    room = len(queue.low) // len(chunks.first)
    chunks.new[:used] += np.bincount(at[discovered] // room, minlength=used)
    figures[layout.ADDED] = len(new)
    return DONE


def _write_back_all(
    trees: TreeColumns, cells: Any, source: Frontier, out: Frontier, queue: Queue, chunks: Chunks, before: int,
    counts: loops.Counts, first_time: bool, begin: int, end: int,
) -> Any:  # fmt: skip
    width = len(queue.until) // len(chunks.first)
    c = np.arange(begin, end)
    sources = chunks.next[c] - chunks.first[c]
    last = queue.until[c * width + np.maximum(sources, 1) - 1]
    if len(queue.high) or (last > chunks.queued[c])[sources > 0].any():  # a budget has cut the queue off
        return NotImplemented
    i, of = _ranges(chunks.first[c], sources)
    until = queue.until[c[of] * width + i - chunks.first[c][of]]
    degree = np.diff(until, prepend=0)
    heads = (np.cumsum(sources) - sources)[sources > 0]
    degree[heads] = until[heads]
    at, row = _queued(queue, chunks, begin, end), np.repeat(np.arange(len(i)), degree)
    step = queue.step[at]
    instance = trees.step_instance[step]
    if first_time:
        other = (np.diff(instance, prepend=-1) != 0) | (np.diff(row, prepend=-1) != 0)
        counts.enabled[:] += np.bincount(instance[other], minlength=len(counts.enabled))
        counts.generated[:] += np.bincount(instance, minlength=len(counts.generated))
        if len(source.degree):
            source.degree[i] = degree
    new = np.flatnonzero(queue.found[at] == (before + at).astype(np.uint32))
    state = chunks.number[begin] - out.base + np.arange(len(new)) if begin < end else new
    inside = (state >= 0) & (state < len(out.rows))
    new, state = new[inside], state[inside]
    at, step, i = at[new], step[new], i[row[new]]
    out.rows[state] = source.rows[i]
    _write(trees, step, out.rows, state)
    out.sums[state] = _sums(trees, cells, source, i, step)
    out.parent[state], out.step[state] = source.base + i, step
    counts.new[:] += np.bincount(instance[new], minlength=len(counts.new))
    if len(queue.number):
        queue.number[at] = out.base + state
    return None


def _link_all(
    table: HashTable, edges: loops.EdgeArrays, queue: Queue, chunks: Chunks, before: int, begin: int, end: int
) -> Any:
    if len(queue.high):
        return NotImplemented
    at = _queued(queue, chunks, begin, end)
    target = queue.found[at].astype(np.int64)
    new = np.flatnonzero((target != OUTSIDE) & (target >= before))
    own = at[new[target[new] == before + at[new]]]
    target[new] = queue.number[target[new] - before]
    table.number[_slots(table, np.maximum(queue.low[own], np.uint64(1)))] = queue.number[own]
    edge = chunks.edge[begin] + np.arange(len(at)) if begin < end else at
    edges.target[edge], edges.step[edge] = target, queue.step[at]
    return None


def _evaluate_rows(trees: TreeColumns, root: int, rows: np.ndarray, truth: np.ndarray, cursor: np.ndarray) -> Any:
    first = cursor[loops.STATE]
    at = np.arange(first, len(rows))
    leaf = _leaves(trees, np.full(len(at), root, np.int64), rows, at)
    missed = np.flatnonzero(leaf < 0)
    if len(missed):
        at = at[: missed[0]]
        cursor[loops.STATE] = first + missed[0]
    truth[at] = leaf[: len(at)] == 1
    return MISS_PREDICATE if len(missed) else DONE


class _Event(NamedTuple):
    """The miss of a predicate in a state, or a state that decides the predicate."""

    state: int
    predicate: int
    missed: bool


def _events(
    trees: TreeColumns, predicates: loops.Predicates, touched: np.ndarray, block: Frontier, begin: int, end: int
) -> list[_Event]:
    events = []
    step = block.step[begin:end]
    for predicate in range(len(predicates.wanted)):
        word, bit = predicate // 64, np.uint64(1 << (predicate % 64))
        if predicates.active[word] & bit:
            changed = step < 0
            if len(touched):
                changed |= (touched[np.maximum(step, 0), word] & bit) != 0
            at = begin + np.flatnonzero(changed)
            leaf = _leaves(trees, np.full(len(at), predicates.roots[predicate], np.int64), block.rows, at)
            for k in np.flatnonzero((leaf < 0) | ((leaf == 1) == predicates.wanted[predicate])).tolist():
                events.append(_Event(int(at[k]), predicate, bool(leaf[k] < 0)))
    return sorted(events)


def _inspect(
    trees: TreeColumns, predicates: loops.Predicates, touched: np.ndarray, block: Frontier, stop: int,
    missed: np.ndarray, cursor: np.ndarray,
) -> Any:  # fmt: skip
    begin = int(cursor[loops.STATE])
    while begin < stop:
        end = min(begin + _AT_ONCE, stop)
        events = _events(trees, predicates, touched, block, begin, end)
        if not events:
            begin = end
            continue
        state, predicate, lacks = events[0]
        cursor[loops.STATE] = state
        if not lacks:
            cursor[loops.WHAT] = predicate
            return HIT
        ahead = min(state + loops.AHEAD + 1, stop)
        if ahead > end:
            events = _events(trees, predicates, touched, block, state, ahead)
        misses = 0
        for at, which, lacks in events[: len(missed)]:
            if not lacks or at >= ahead:
                break
            missed[misses] = which, at
            misses += 1
        cursor[loops.WHAT] = misses
        return MISS_PREDICATE
    cursor[loops.STATE] = stop
    return DONE


#: The forms that Python runs in place of kernels.
FORMS: dict[Kernel, Callable[..., Any]] = {
    expand_all: _expand_all,
    admit: _admit,
    write_back_all: _write_back_all,
    link_all: _link_all,
    loops.rehash: _rehash,
    loops.evaluate_rows: _evaluate_rows,
    loops.inspect: _inspect,
}
