"""Subexpressions: ``Op!2!(e)!lab`` names a part of a definition's body by selectors."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import (
    Binder,
    Conjunction,
    Declaration,
    Disjunction,
    Expression,
    Label,
    Let,
    Node,
    Step,
)
from workbench.tlaplus.syntax.visitor import parts

#: The selector with arguments for the bound names of a construct, which a parser names like this.
ARGUMENTS = "()"
_WITH_OPERANDS = (
    *(tree.Apply, tree.Operation, tree.Prime, tree.If, Let),
    *(tree.TupleOf, tree.SetOf, tree.FunctionApplication),
)
_SIDES = {"<<": 1, ">>": 2}


class Selected(NamedTuple):
    """A part of an expression.

    Attributes:
        names: The bound names that the selector's arguments stand for.
        entered: The constructs around the part whose names are known in it, the outermost first.
    """

    node: Expression
    names: tuple[Declaration, ...] = ()
    entered: tuple[Node, ...] = ()


def select(node: Expression, selector: Step) -> Selected:
    """The part of an expression that one selector names.

    Raises:
        InputError: With the place of the selector, if there is no such part.
    """
    name = selector.name
    if name == ":":
        return Selected(node)
    if isinstance(node, Label) and (name == ARGUMENTS or name.isdigit() or name in _SIDES):
        return select(node.body, selector)
    if name == ARGUMENTS and isinstance(node, (Binder, tree.Lambda)):
        names = node.names if isinstance(node, Binder) else node.parameters
        return Selected(node.body, names, (node,))
    if name.isdigit() or name in _SIDES:
        number, operands = _SIDES.get(name) or int(name), _operands(node)
        if 0 < number <= len(operands):
            entered = (node,) if isinstance(node, Let) else ()
            return Selected(operands[number - 1], (), entered)
    if found := next(_labelled(node, name, ()), None):
        return found
    raise InputError(f"{selector.at}: !{name} names no part of the expression at {node.at}")


def _operands(node: Expression) -> tuple[Expression, ...]:
    if isinstance(node, (Conjunction, Disjunction)):
        *first, last = node.operands
        return node.operands if node.bulleted or len(first) < 2 else (replace(node, operands=tuple(first)), last)
    if isinstance(node, Binder):
        return tuple(bound.domain for bound in node.bounds if bound.domain is not None)
    if not isinstance(node, _WITH_OPERANDS):
        return ()
    return tuple(part.node for part in parts(node) if isinstance(part.node, Expression))


def _labelled(node: Node, name: str, entered: tuple[Node, ...]) -> Iterator[Selected]:
    """The expression with a label; labels that take bound names as arguments are not found."""
    if isinstance(node, Label):
        if node.name == name:
            yield Selected(node.body, (), entered)
        return
    for part in parts(node):
        if not part.inside:
            yield from _labelled(part.node, name, entered)
        elif isinstance(node, Let):
            yield from _labelled(part.node, name, (*entered, node))
