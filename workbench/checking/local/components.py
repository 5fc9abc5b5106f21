"""The components of a graph with a fair cycle: trimming, then strongly connected components in one pass."""

import numpy as np

from workbench.checking.kernels.compiled import njit


@njit(cache=True, nogil=True)
def trim(indptr, targets, region):
    """Remove states from `region` that are on no cycle in it, and return how many are left.

    A state without a successor or without a predecessor in the region goes, as in McLendon and others (Finding strongly
    connected components in distributed graphs, Journal of Parallel and Distributed Computing 65, 2005). Most
    transitions of a search lead to larger numbers, so one sweep downwards and one upwards find nearly all such states,
    and all of them if nothing leads back. Sweeps continue while they remove a quarter of the rest: together they are
    linear.

    Args:
        indptr, targets: As in :class:`workbench.checking.local.lassos.Graph`.
        region (bool array (states)): Changed in place.
    """
    states = len(indptr) - 1
    left = 0
    for inside in region:  # np.sum would make Numba import scipy's linear algebra on every load
        left += inside
    before = 2 * left
    while left > 0 and 4 * (before - left) >= before:
        before = left
        entered = np.zeros(states, np.bool_)  # whether a state in the region leads there
        for state in range(states - 1, -1, -1):
            if not region[state]:
                continue
            leads_on = False
            for step in range(indptr[state], indptr[state + 1]):
                target = targets[step]
                if target != state and region[target]:
                    leads_on = True
                    if target < state:
                        entered[target] = True
            if not leads_on:
                region[state] = False
                left -= 1
        for state in range(states):
            if not region[state]:
                continue
            if not entered[state]:
                region[state] = False
                left -= 1
                continue
            for step in range(indptr[state], indptr[state + 1]):
                if targets[step] > state:
                    entered[targets[step]] = True
    return left


@njit(cache=True, nogil=True)
def judge_component(indptr, targets, labels, members, number, component, region, conditions):
    """Judge the states `members`, component `number`; returns whether some of them must be split again.

    A component with a fair cycle stays one; one without is dropped. Both leave `region`. If a strong condition is
    enabled and has no step, the states that enable it leave, and the rest stays in `region` to be split again.
    """
    steps = np.zeros(len(conditions.strong), np.bool_)  # the conditions with a step
    for state in members:
        for step in range(indptr[state], indptr[state + 1]):
            if targets[step] != state and component[targets[step]] == number:
                label = labels[step]
                for at in range(conditions.first[label], conditions.first[label + 1]):
                    steps[conditions.of[at]] = True
    fair, apart = True, False
    for condition in range(len(steps)):
        if steps[condition]:
            continue
        anywhere, everywhere = False, True
        for state in members:
            if conditions.enabled[condition, state]:
                anywhere = True
            else:
                everywhere = False
        if conditions.strong[condition]:
            apart = apart or anywhere
        elif everywhere:
            fair = False
    for state in members:
        region[state] = fair and apart
        if apart or not fair:
            component[state] = -1
    if fair and apart:
        for condition in range(len(steps)):
            if conditions.strong[condition] and not steps[condition]:
                for state in members:
                    if conditions.enabled[condition, state]:
                        region[state] = False
    return fair and apart


@njit(cache=True, nogil=True)
def fair_components(indptr, targets, labels, region, conditions):
    """For each state the number of its component of `region` with a fair cycle, or -1; empty if there is none.

    Components come from Tarjan's algorithm in Pearce's version (A space-efficient algorithm for finding strongly
    connected components, Information Processing Letters 116, 2016): a state is either on the current path or, once its
    successors are done, waits for the root of its component. So one array holds both, from its ends.

    Args:
        indptr, targets, labels: As in :class:`workbench.checking.local.lassos.Graph`.
        region (bool array (states)): Used up.
        conditions: Conditions
    """
    states = len(indptr) - 1
    count = 0
    if trim(indptr, targets, region) == 0:
        return np.empty(0, np.int32)
    component = np.full(states, -1, np.int32)
    low = np.empty(states, np.int32)  # the earliest state known to be reached; 0 if not visited
    root = np.empty(states, np.bool_)
    following = np.empty(states, np.int64)  # the next transition of each state
    stack = np.empty(states, np.int32)
    apart = True
    while apart:
        apart = False
        low[:] = 0
        root[:] = True
        following[:] = indptr[:-1]
        visited = 0
        waiting = states  # they are stack[waiting:]
        for first in range(states):
            if not region[first] or low[first] != 0:
                continue
            stack[0], path = first, 1  # the path is stack[:path]
            visited += 1
            low[first] = visited
            while path > 0:
                state = stack[path - 1]
                step, end = following[state], indptr[state + 1]
                while step < end:
                    target = targets[step]
                    if region[target]:
                        if low[target] == 0:
                            break
                        if low[target] < low[state]:
                            low[state] = low[target]
                            root[state] = False
                    step += 1
                following[state] = step  # the transition that broke off is looked at again, with its target known
                if step < end:
                    stack[path] = target
                    path += 1
                    visited += 1
                    low[target] = visited
                    continue
                path -= 1
                if not root[state]:
                    waiting -= 1
                    stack[waiting] = state
                    continue
                begin = waiting - 1
                stack[begin] = state
                while waiting < states and low[stack[waiting]] >= low[state]:
                    waiting += 1
                members = stack[begin:waiting]
                for member in members:
                    low[member] = states + 1  # nothing that comes later belongs to it
                if len(members) == 1:
                    region[state] = False
                    continue
                for member in members:
                    component[member] = count
                if judge_component(indptr, targets, labels, members, count, component, region, conditions):
                    apart = True
                elif component[state] == count:
                    count += 1
        if apart:
            apart = trim(indptr, targets, region) > 0
    return component if count else np.empty(0, np.int32)
