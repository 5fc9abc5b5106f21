"""The parts of a graph that hold a fair cycle: trimming, then strongly connected components in one pass."""

import numpy as np

from workbench.engines.compiled import njit


@njit(cache=True, nogil=True)
def trim(indptr, targets, region):
    """Take states out of `region` that are on no cycle in it, and return how many are left.

    A state goes if it has no successor there, or no predecessor; McLendon and others do so before they look for
    components (Finding strongly connected components in distributed graphs, Journal of Parallel and Distributed
    Computing 65, 2005). Most transitions of a search lead to larger numbers, so that one sweep downwards and one
    upwards find nearly all such states, and where nothing leads back, all of them. Sweeps go on while they take out a
    quarter of what there was: together they are linear.

    Args:
        indptr, targets: As in :class:`workbench.engines.liveness.Graph`.
        region (bool array (states)): It is changed.
    """
    states = len(indptr) - 1
    left = 0
    for inside in region:  # np.sum would make Numba import scipy's linear algebra, each time that this is loaded
        left += inside
    before = 2 * left
    while left > 0 and 4 * (before - left) >= before:
        before = left
        entered = np.zeros(states, np.bool_)  # whether a state that is left leads there
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
def judge(indptr, targets, labels, members, number, component, region, conditions):
    """Whether some of the states `members`, which are component `number`, have to be taken apart again.

    A component without a fair cycle is no component any more, and out of `region`; one that holds a fair cycle stays
    one, and is out of `region` as well. Where a strong condition is enabled and cannot step, its states are taken out,
    and the rest stays in `region`, to be taken apart again.
    """
    steps = np.zeros(len(conditions.strong), np.bool_)  # of which condition there is a step
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
    """For each state the number of its strongly connected part of `region` that holds a fair cycle, or -1.

    Components are found by Tarjan's algorithm as Pearce has it (A space-efficient algorithm for finding strongly
    connected components, Information Processing Letters 116, 2016): a state is either on the path that is followed, or,
    once all that leaves it has been followed, among those that wait for the root of their component. So one array holds
    both, from its ends.

    Args:
        indptr, targets, labels: As in :class:`workbench.engines.liveness.Graph`.
        region (bool array (states)): It is used up.
        conditions: Conditions

    Returns:
        Empty if there is no such part.
    """
    states = len(indptr) - 1
    found = 0
    if trim(indptr, targets, region) == 0:
        return np.empty(0, np.int32)
    component = np.full(states, -1, np.int32)
    low = np.empty(states, np.int32)  # the earliest state that is known to be reached; 0 for one that was not visited
    root = np.empty(states, np.bool_)
    following = np.empty(states, np.int64)  # the transition of each state that is next
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
                following[state] = step  # where it broke off, it is looked at again: then what it leads to is known
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
                    component[member] = found
                if judge(indptr, targets, labels, members, found, component, region, conditions):
                    apart = True
                elif component[state] == found:
                    found += 1
        if apart:
            apart = trim(indptr, targets, region) > 0
    return component if found else np.empty(0, np.int32)
