"""Strongly connected components over arrays, in one pass and with one stack for all of it."""

import numpy as np

from workbench.engines.compiled import njit


@njit(cache=True, nogil=True)
def strong_components(indptr, targets, inside):
    """The number of each state's strongly connected component, by the transitions `inside` alone.

    This is Tarjan's algorithm as Pearce has it (A space-efficient algorithm for finding strongly connected components,
    Information Processing Letters 116, 2016): a state is either on the path that is followed, or, once all that leaves
    it has been followed, among those that wait for the root of their component. So one array holds both, from its ends.

    Parameters
    ----------
    indptr, targets
        As in :class:`workbench.engines.liveness.Graph`.
    inside : bool array (transitions)

    Returns
    -------
    int32 array (states)
    """
    states = len(indptr) - 1
    component = np.full(states, -1, np.int32)
    low = np.zeros(states, np.int32)  # the earliest state that is known to be reached; 0 for one that was not visited
    root = np.ones(states, np.bool_)
    following = indptr[:-1].copy()  # the transition of each state that is next
    stack = np.empty(states, np.int32)
    visited, components = 0, 0
    waiting = states  # they are stack[waiting:]
    for first in range(states):
        if low[first] != 0:
            continue
        stack[0], path = first, 1  # the path is stack[:path]
        visited += 1
        low[first] = visited
        while path > 0:
            state = stack[path - 1]
            step = following[state]
            while step < indptr[state + 1]:
                target = targets[step]
                if inside[step]:
                    if low[target] == 0:
                        break
                    if component[target] < 0 and low[target] < low[state]:
                        low[state] = low[target]
                        root[state] = False
                step += 1
            following[state] = step  # where it broke off, it is looked at again: then what it leads to is known
            if step < indptr[state + 1]:
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
            while waiting < states and low[stack[waiting]] >= low[state]:
                component[stack[waiting]] = components
                waiting += 1
            component[state] = components
            components += 1
    return component
