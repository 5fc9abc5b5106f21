"""Operators of the community's modules Graphs, UndirectedGraphs and DyadicRationals: of records with known fields."""

from collections.abc import Callable, Iterable
from math import gcd
from typing import Any

from workbench.tlaplus.library.arithmetic import number, plus, times
from workbench.tlaplus.values.lazy import each, equal, force, set_from
from workbench.tlaplus.values.operators import apply, mapped, record, subseteq
from workbench.tlaplus.values.sets import Product
from workbench.tlaplus.values.values import EvaluationError, brief, text

_NODE, _EDGE, _NUMERATOR, _DENOMINATOR = map(text, ("node", "edge", "num", "den"))
_ZERO, _ONE = (record({_NUMERATOR: value, _DENOMINATOR: 1}) for value in (0, 1))


def _nodes(graph: Any) -> frozenset[Any]:
    return set_from(apply(graph, _NODE))


def _edges(graph: Any) -> Iterable[Any]:
    return each(apply(graph, _EDGE))


def _is_record(graph: Any) -> bool:
    return equal(graph, record({_NODE: apply(graph, _NODE), _EDGE: apply(graph, _EDGE)}))


# Graphs --------------------------------------------------------------------------------------------------------------


def _pair(edge: Any) -> tuple[Any, Any]:
    return force(apply(edge, 1)), force(apply(edge, 2))


def is_directed(graph: Any) -> bool:
    """``IsDirectedGraph(G)``: edges are pairs of nodes."""
    nodes = _nodes(graph)
    return _is_record(graph) and subseteq(apply(graph, _EDGE), Product(nodes, nodes))


def transposed(graph: Any) -> Any:
    """``Transpose(G)``."""
    return record({_EDGE: mapped(lambda edge: _pair(edge)[::-1], apply(graph, _EDGE)), _NODE: apply(graph, _NODE)})


def is_symmetric(graph: Any) -> bool:
    """``IsUndirectedGraph(G)`` of Graphs: every edge has its reverse."""
    return is_directed(graph) and subseteq(apply(transposed(graph), _EDGE), apply(graph, _EDGE))


def _from(start: Any, graph: Any) -> set[Any]:
    """The nodes to which paths lead from one; a node is a path by itself."""
    nodes, pairs = _nodes(graph), [_pair(edge) for edge in _edges(graph)]
    found, ahead = set[Any](), {force(start)} & nodes
    while ahead:
        found |= ahead
        ahead = {after for before, after in pairs if before in ahead and after in nodes} - found
    return found


def are_connected(one: Any, other: Any, graph: Any) -> bool:
    """``AreConnectedIn(m, n, G)`` of Graphs."""
    return force(other) in _from(one, graph)


def is_strongly_connected(graph: Any) -> bool:
    """``IsStronglyConnected(G)`` of Graphs."""
    nodes = _nodes(graph)
    return all(_from(node, graph) == nodes for node in nodes)


def is_tree(graph: Any, root: Any) -> bool:
    """``IsTreeWithRoot(G, r)``: one edge leaves each node but the root, and all lead there."""
    starts = [_pair(edge)[0] for edge in _edges(graph)]
    is_single = len(set(starts)) == len(starts) and not any(equal(start, root) for start in starts)
    return is_directed(graph) and is_single and all(are_connected(node, root, graph) for node in _nodes(graph))


GRAPHS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IsDirectedGraph": (1, is_directed),
    "Transpose": (1, transposed),
    "IsUndirectedGraph": (1, is_symmetric),
    "AreConnectedIn": (3, are_connected),
    "IsStronglyConnected": (1, is_strongly_connected),
    "IsTreeWithRoot": (2, is_tree),
}

# UndirectedGraphs ----------------------------------------------------------------------------------------------------


def _joins(graph: Any, sizes: tuple[int, ...]) -> bool:
    """Whether edges are sets of that many nodes."""
    nodes = _nodes(graph)
    return _is_record(graph) and all(subseteq(edge, nodes) and len(set_from(edge)) in sizes for edge in _edges(graph))


def components(graph: Any) -> frozenset[Any]:
    """``ConnectedComponents(G)``: sets of nodes."""
    found = {frozenset([node]) for node in _nodes(graph)}
    for edge in _edges(graph):
        if not _joins(graph, (1, 2)):
            raise EvaluationError(f"ConnectedComponents needs an undirected graph, not {brief(graph)}")
        met = {one for one in found if one & set_from(edge)}
        found = (found - met) | {frozenset().union(*met)}
    return frozenset(found)


UNDIRECTED_GRAPHS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IsUndirectedGraph": (1, lambda graph: _joins(graph, (1, 2))),
    "IsLoopFreeUndirectedGraph": (1, lambda graph: _joins(graph, (2,))),
    "ConnectedComponents": (1, components),
    "AreConnectedIn": (3, lambda one, other, graph: any({force(one), force(other)} <= c for c in components(graph))),
    "IsStronglyConnected": (1, lambda graph: len(components(graph)) == 1),
}

# DyadicRationals -----------------------------------------------------------------------------------------------------


def _parts(value: Any) -> tuple[int, int]:
    return number(apply(value, _NUMERATOR), "a rational"), number(apply(value, _DENOMINATOR), "a rational")


def _reduced(numerator: int, denominator: int) -> Any:
    common = gcd(numerator, denominator)
    return record({_NUMERATOR: numerator // common, _DENOMINATOR: denominator // common})


def is_dyadic(value: Any) -> bool:
    """``IsDyadicRational(r)``."""
    _, denominator = _parts(value)
    return denominator > 0 and denominator & (denominator - 1) == 0


def sum_of(one: Any, other: Any) -> Any:
    """``Add(p, q)``."""
    if equal(one, _ZERO):
        return other
    (top, bottom), (other_top, other_bottom) = _parts(one), _parts(other)
    common = max(bottom, other_bottom)  # of powers of two
    return _reduced(plus(times(top, common // bottom), times(other_top, common // other_bottom)), common)


def half(value: Any) -> Any:
    """``Half(p)``."""
    top, bottom = _parts(value)
    return _reduced(top, times(bottom, 2))


def printed(value: Any) -> str:
    """``PrettyPrint(p)``."""
    top, bottom = _parts(value)
    return text(str(top) if (top, bottom) in ((0, 1), (1, 1)) else f"{top}/{bottom}")


DYADIC_RATIONALS: dict[str, tuple[int, Callable[..., Any]]] = {
    "IsDyadicRational": (1, is_dyadic),
    "Zero": (0, lambda: _ZERO),
    "One": (0, lambda: _ONE),
    "Add": (2, sum_of),
    "Half": (1, half),
    "PrettyPrint": (1, printed),
}
