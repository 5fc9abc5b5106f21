"""Subexpressions: ``Op!2!(e)!lab`` names a part of a definition's body by selectors."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import (
    Arm,
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
from workbench.tlaplus.syntax.visitor import introduced, parts

#: The selector with arguments for the bound names of a construct, which a parser names like this.
ARGUMENTS = "()"
_WITH_OPERANDS = (
    *(tree.Apply, tree.Operation, tree.Prime, tree.If, Let),
    *(tree.TupleOf, tree.SetOf, tree.FunctionApplication, tree.FunctionSet, tree.Field),
)
_SIDES = {"<<": 1, ">>": 2}


class Selected(NamedTuple):
    """A part of an expression.

    Attributes:
        names: The bound names that the selector's arguments stand for.
        entered: The constructs around the part whose names are known in it, the outermost first.
    """

    node: Expression | Arm
    names: tuple[Declaration, ...] = ()
    entered: tuple[Node, ...] = ()


def select(node: Expression | Arm, selector: Step) -> Selected:
    """The part of an expression that one selector names; an arm of a CASE takes a second one.

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
            return Selected(operands[number - 1], (), (node,) if isinstance(node, Let) else ())
    if labelled := next(_labelled(node, name, (), ()), None):
        label, names, entered = labelled
        bound = [declaration.name for declaration in names]
        if sorted(bound) != sorted(label.bound):
            takes = f"{name}({', '.join(bound)})" if bound else name
            problem = f"!{name} names a label at {label.at} that lacks the names bound around it; it takes {takes}"
            raise InputError(f"{selector.at}: {problem}")
        in_order = sorted(names, key=lambda declaration: label.bound.index(declaration.name))
        return Selected(label.body, tuple(in_order), entered)
    raise InputError(f"{selector.at}: !{name} names no part of the expression at {node.at}")


def _operands(node: Expression | Arm) -> tuple[Expression | Arm, ...]:
    if isinstance(node, Arm):
        return node.guard, node.value
    if isinstance(node, tree.Case):
        other = node.other
        return (*node.arms, *([Arm(other.at, tree.Identifier(other.at, "OTHER"), other)] if other else ()))
    if isinstance(node, (tree.RecordOf, tree.RecordSet)):
        return tuple(field.value for field in node.fields)
    if isinstance(node, tree.Except):
        return (node.function,)
    if isinstance(node, (Conjunction, Disjunction)):
        *first, last = node.operands
        return node.operands if node.bulleted or len(first) < 2 else (replace(node, operands=tuple(first)), last)
    if isinstance(node, Binder):
        return tuple(bound.domain for bound in node.bounds if bound.domain is not None)
    if not isinstance(node, _WITH_OPERANDS):
        return ()
    return tuple(part.node for part in parts(node) if isinstance(part.node, Expression))


class _Labelled(NamedTuple):
    """A label, with the names that are bound around it, and the constructs around it whose names are known in it."""

    label: Label
    bound: tuple[Declaration, ...]
    entered: tuple[Node, ...]


def _labelled(node: Node, name: str, bound: tuple[Declaration, ...], entered: tuple[Node, ...]) -> Iterator[_Labelled]:
    """The labels of that name within an expression, but within no other label."""
    if isinstance(node, Label):
        if node.name == name:
            yield _Labelled(node, bound, entered)
        return
    for part in parts(node):
        if not part.inside:
            yield from _labelled(part.node, name, bound, entered)
        elif isinstance(node, (Let, Binder, tree.Lambda)):
            yield from _labelled(part.node, name, (*bound, *introduced(node)), (*entered, node))
