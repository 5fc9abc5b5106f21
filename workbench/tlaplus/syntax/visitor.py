"""Visit a syntax tree.

:func:`parts` alone knows over which parts of a construct the names range that it introduces.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Binder, Declaration, Lambda, Let, Node, OperatorDefinition, Place
from workbench.tlaplus.syntax.units import InstanceDefinition


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below a node, in the order of its fields."""
    for value in vars(node).values():
        yield from _nodes_in(value)


def _nodes_in(value: Any) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif type(value) is tuple:
        for part in value:
            yield from _nodes_in(part)


def introduced(node: Node) -> tuple[Declaration, ...]:
    """The names that a construct introduces inside itself, without the definitions of a LET."""
    if isinstance(node, Binder):
        return node.names
    if isinstance(node, (Lambda, OperatorDefinition, InstanceDefinition)):
        return node.parameters
    return ()


class Part(NamedTuple):
    """A part of a construct.

    Attributes:
        inside: Whether the names that the construct introduces are known in it.
    """

    node: Node
    inside: bool


def parts(node: Node) -> Iterator[Part]:
    """The expressions within a construct, and the scope of its names; without its declarations.

    A function's definition is made of the function alone; its own name is known there, as RECURSIVE would make it.
    """
    if isinstance(node, Binder):
        yield from (Part(bound.domain, False) for bound in node.bounds if bound.domain is not None)
        yield Part(node.body, True)
    else:
        inside = isinstance(node, (Lambda, Let, OperatorDefinition, InstanceDefinition))
        yield from (Part(child, inside) for child in children(node) if not isinstance(child, Declaration))


def formulas(node: Node) -> tuple[Node, ...]:
    """The parts of a formula that are formulas themselves."""
    if isinstance(node, (tree.Conjunction, tree.Disjunction)):
        return node.operands
    if isinstance(node, tree.If):
        return node.then, node.otherwise
    if isinstance(node, tree.Case):
        return (*node.arms, *([node.other] if node.other else []))
    if isinstance(node, tree.Arm):
        return (node.value,)
    if isinstance(node, tree.Quantified):
        return (node.body,)
    return ()


def has_binder(node: Node) -> bool:
    """Whether a construct binds names somewhere."""
    return isinstance(node, Binder) or any(map(has_binder, children(node)))


def is_alike(one: Any, other: Any) -> bool:
    """Whether two constructs, or parts of them, read the same, regardless of their places."""
    if isinstance(one, tuple) and not isinstance(one, Place):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(is_alike, one, other))
    if not isinstance(one, Node):
        return isinstance(one, Place) or (type(one) is type(other) and one == other)
    return type(one) is type(other) and all(map(is_alike, vars(one).values(), vars(other).values()))
