"""Assertions with ``eventually``: looks for a fair infinite behaviour that violates one.

Such a behaviour ends in a strongly connected part of the graph, or stays in one state for ever. Fairness rules out
some parts: a weakly fair action that is enabled in every state of the part must be taken in it, and so must a strongly
fair action that is enabled in any of them. No behaviour crashes for ever, so loops contain no crash.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple


class Edge(NamedTuple):
    """A step to the state `target`; `fair` is empty, ``weak`` or ``strong``."""

    name: str
    crash: bool
    fair: str
    target: str


Graph = dict[str, list[Edge]]


def violating(operators: tuple[str, ...], graph: Graph, holds: Collection[str], initial: list[str]) -> set[str]:
    """The states of fair loops that violate the assertion; empty if it holds.

    Args:
        operators: ``eventually always``, ``always eventually`` or ``eventually``.
        graph: The steps of every state.
        holds: The states in which the assertion's body is true.
        initial: The initial states.
    """
    if operators == ("eventually", "always"):
        return {key for part in _fair_parts(graph, set(graph)) if not part.issubset(holds) for key in part - set(holds)}
    inside = set(graph) - set(holds)
    if operators == ("eventually",):
        inside = _reached(graph, inside, initial)
    return {key for part in _fair_parts(graph, inside) for key in part}


def _reached(graph: Graph, inside: set[str], initial: list[str]) -> set[str]:
    """The states reachable without leaving `inside`."""
    reached = {key for key in initial if key in inside}
    queue = list(reached)
    while queue:
        for edge in graph[queue.pop()]:
            if edge.target in inside and edge.target not in reached:
                reached.add(edge.target)
                queue.append(edge.target)
    return reached


def _fair_parts(graph: Graph, inside: set[str]) -> Iterator[set[str]]:
    """The largest strongly connected parts of `inside` in which a fair behaviour can stay for ever."""
    parts = list(_components(graph, inside))
    while parts:
        part = parts.pop()
        taken = {edge.name for key in part for edge in graph[key] if edge.target in part and not edge.crash}
        fair = {(edge.name, edge.fair) for key in part for edge in graph[key] if edge.fair and edge.name not in taken}
        strong = {name for name, strength in fair if strength == "strong"}
        without = {key for key in part if all(edge.name not in strong for edge in graph[key])}
        if len(without) < len(part):
            parts.extend(_components(graph, without))
        elif all(any(name not in {edge.name for edge in graph[key]} for key in part) for name, _ in fair):
            yield part


def _components(graph: Graph, inside: set[str]) -> Iterator[set[str]]:
    """The strongly connected components of a part of the graph, by Tarjan's algorithm without recursion."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_keys: list[str] = []
    for root in graph:
        if root not in inside or root in numbers:
            continue
        calls = [(root, iter(graph[root]))]
        numbers[root] = lowest[root] = len(numbers)
        open_keys.append(root)
        while calls:
            key, edges = calls[-1]
            for edge in edges:
                if edge.crash or edge.target not in inside:
                    continue
                if edge.target not in numbers:
                    numbers[edge.target] = lowest[edge.target] = len(numbers)
                    open_keys.append(edge.target)
                    calls.append((edge.target, iter(graph[edge.target])))
                    break
                if edge.target in lowest:
                    lowest[key] = min(lowest[key], lowest[edge.target])
            else:
                calls.pop()
                if calls:
                    lowest[calls[-1][0]] = min(lowest[calls[-1][0]], lowest[key])
                if lowest[key] == numbers[key]:
                    closed: set[str] = set()
                    while key not in closed:
                        closed.add(open_keys.pop())
                    for member in closed:
                        del lowest[member]
                    yield closed
