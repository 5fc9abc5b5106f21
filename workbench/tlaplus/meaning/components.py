"""Finds the fair components of a graph, and a lasso whose cycle lies in one.

Conditions belong to edges. Every fair cycle has an edge that meets each *recurring* condition. Any other condition must
be met only in cycles with an edge that calls for it: strong fairness.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Edge(NamedTuple):
    """An edge, with the numbers of conditions.

    Attributes:
        label: The caller's name for the edge.
        calls: The conditions that must be met infinitely often if this edge is taken infinitely often.
        meets: The conditions that this edge meets.
    """

    target: int
    label: Any
    calls: frozenset[int]
    meets: frozenset[int]


Edges = Mapping[int, Sequence[Edge]]


def lasso_in(edges: Edges, initial: Iterable[int], recurring: frozenset[int]) -> tuple[list[Any], int] | None:
    """The labels of a path from an initial node that ends in a fair cycle, and the index at which the cycle begins.

    The path goes to the nearest fair component; None if there is none.

    Args:
        edges: The edges of every node. All nodes must be reachable.
        recurring: The conditions that every cycle must meet.
    """
    component_of = {node: component for component in _fair(edges, edges, recurring) for node in component}
    if not component_of:
        return None
    start, prefix = _path(edges, initial, lambda node, _: node in component_of)
    component = component_of[start]
    asked = recurring.union(*(edge.calls for node in component for edge in component[node]))
    cycle, node = list[Edge](), start
    while missing := asked.difference(*(edge.meets for edge in cycle)):
        node, further = _path(component, [node], lambda _, edge: edge is not None and missing & edge.meets)
        cycle += further
    if node != start or not cycle:
        cycle += _path(component, [node], lambda node, edge: edge is not None and node == start)[1]
    return [edge.label for edge in [*prefix, *cycle]], len(prefix)


def _fair(edges: Edges, nodes: Collection[int], recurring: frozenset[int]) -> Iterator[dict[int, list[Edge]]]:
    """The largest components in which a cycle can meet all conditions, as the edges of each node."""
    for component in _components(edges, nodes):
        inner = {node: [edge for edge in edges[node] if edge.target in component] for node in component}
        met = frozenset[int]().union(*(edge.meets for node in inner for edge in inner[node]))
        if not any(inner.values()) or not recurring <= met:
            continue
        unmet = frozenset[int]().union(*(edge.calls for node in inner for edge in inner[node])) - met
        if unmet:
            without = {node: [edge for edge in inner[node] if not edge.calls & unmet] for node in inner}
            yield from _fair(without, component, recurring)
        else:
            yield inner


def _components(edges: Edges, nodes: Iterable[int]) -> Iterator[set[int]]:
    """The strongly connected components, by Tarjan's algorithm."""
    numbers, lowest, stack, waiting = dict[int, int](), dict[int, int](), list[int](), set[int]()
    for root in nodes:
        work = [(root, iter(edges[root]))] if root not in numbers else []
        while work:
            node, rest = work[-1]
            if node not in numbers:
                numbers[node] = lowest[node] = len(numbers)
                stack.append(node)
                waiting.add(node)
            for edge in rest:
                if edge.target not in numbers:
                    work.append((edge.target, iter(edges[edge.target])))
                    break
                if edge.target in waiting:
                    lowest[node] = min(lowest[node], numbers[edge.target])
            else:
                work.pop()
                if work:
                    lowest[work[-1][0]] = min(lowest[work[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    component = set(stack[stack.index(node) :])
                    del stack[-len(component) :]
                    waiting -= component
                    yield component


def _path(edges: Edges, start: Iterable[int], ends: Callable[[int, Edge | None], Any]) -> tuple[int, list[Edge]]:
    """A shortest path to a node that satisfies `ends`, which gets the node and the edge to it (None at the start)."""
    ways = deque[tuple[int, Edge | None, Any]]((node, None, None) for node in start)
    seen = set[int]()
    while True:
        way = node, last, _ = ways.popleft()
        if ends(node, last):
            path = list[Edge]()
            while way[1] is not None:
                path.append(way[1])
                way = way[2]
            return node, path[::-1]
        if node not in seen:
            seen.add(node)
            ways.extend((edge.target, edge, way) for edge in edges[node])
