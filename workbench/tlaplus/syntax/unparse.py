r"""Expressions as text, in one line, for messages: why an action cannot be taken."""

from collections.abc import Callable, Iterable
from typing import Any

from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.literals import quoted
from workbench.tlaplus.syntax.precedence import PRECEDENCES
from workbench.tlaplus.syntax.tree import Expression

_MOST = 120
_COMPOUND = (
    *(tree.Operation, tree.Conjunction, tree.Disjunction, tree.Lambda, tree.Label, tree.Quantified),
    *(tree.Choose, tree.If, tree.Case, tree.Let, tree.Fairness, tree.Unsupported),
)
#: Prefix operators that are words, or that are written otherwise than they are known.
_PREFIXES = {"-.": "-", "~": "~", "[]": "[]", "<>": "<>"}


def written(node: Expression) -> str:
    """An expression as a module has it, shortened if it is long."""
    line = _WRITERS[type(node)](node)
    return line if len(line) <= _MOST else f"{line[: _MOST - 3]}..."


def _full(node: Expression) -> str:
    return _WRITERS[type(node)](node)


def _inner(node: Expression, outer: str = "") -> str:
    """An operand of an operator, in parentheses if it could be read otherwise."""
    is_plain = not isinstance(node, _COMPOUND)
    if isinstance(node, tree.Operation) and outer in PRECEDENCES and node.symbol in PRECEDENCES:
        is_plain = PRECEDENCES[node.symbol].low > PRECEDENCES[outer].high
    return _full(node) if is_plain else f"({_full(node)})"


def _list(nodes: Iterable[Expression]) -> str:
    return ", ".join(map(_full, nodes))


def _applied(name: str, arguments: tuple[Expression, ...]) -> str:
    return f"{name}({_list(arguments)})" if arguments else name


def _operation(node: Any) -> str:
    operands = [_inner(operand, node.symbol) for operand in node.operands]
    if len(operands) > 1:
        return f" {node.symbol} ".join(operands)
    if node.symbol in ("^+", "^*", "^#"):
        return f"{operands[0]}{node.symbol}"
    prefix = _PREFIXES.get(node.symbol, f"{node.symbol} ")
    return f"{prefix}{operands[0]}"


def _bounds(node: tree.Binder) -> str:
    written_bounds = []
    for bound in node.bounds:
        names = ", ".join(name.name for name in bound.names)
        names = f"<<{names}>>" if bound.is_tuple else names
        written_bounds.append(names if bound.domain is None else f"{names} \\in {_full(bound.domain)}")
    return ", ".join(written_bounds)


def _label(node: Any) -> str:
    bound = f"({', '.join(node.bound)})" if node.bound else ""
    return f"{node.name}{bound} :: {_full(node.body)}"


def _case(node: Any) -> str:
    arms = [f"{_full(arm.guard)} -> {_full(arm.value)}" for arm in node.arms]
    if node.other is not None:
        arms.append(f"OTHER -> {_full(node.other)}")
    return f"CASE {' [] '.join(arms)}"


def _let(node: Any) -> str:
    names = [unit.name for unit in node.units if isinstance(unit, tree.Definition)]
    return f"LET {' '.join(f'{name} == ...' for name in names)} IN {_full(node.body)}"


def _except(node: Any) -> str:
    updates = []
    for update in node.updates:
        steps = [
            f".{step.name}" if isinstance(step, tree.Selector) else f"[{_list(step.arguments)}]" for step in update.path
        ]
        updates.append(f"!{''.join(steps)} = {_full(update.value)}")
    return f"[{_full(node.function)} EXCEPT {', '.join(updates)}]"


def _fields(node: Any, sign: str) -> str:
    return f"[{', '.join(f'{field.name}{sign}{_full(field.value)}' for field in node.fields)}]"


def _qualified(node: Any) -> str:
    path = "".join(f"{_applied(step.name, step.arguments)}!" for step in node.path)
    return path + _applied(node.name, node.arguments)


_WRITERS: dict[type, Callable[[Any], str]] = {
    tree.Unsupported: lambda node: node.what,
    tree.Identifier: lambda node: node.name,
    tree.Number: lambda node: str(node.value),
    tree.String: lambda node: quoted(node.value),
    tree.Boolean: lambda node: "TRUE" if node.value else "FALSE",
    tree.At: lambda node: "@",
    tree.Apply: lambda node: _applied(node.name, node.arguments),
    tree.Operation: _operation,
    tree.Conjunction: lambda node: " /\\ ".join(_inner(operand, "/\\") for operand in node.operands),
    tree.Disjunction: lambda node: " \\/ ".join(_inner(operand, "\\/") for operand in node.operands),
    tree.Lambda: lambda node: (
        f"LAMBDA {', '.join(parameter.name for parameter in node.parameters)} : {_full(node.body)}"
    ),
    tree.Qualified: _qualified,
    tree.Label: _label,
    tree.Quantified: lambda node: f"\\{node.kind} {_bounds(node)} : {_full(node.body)}",
    tree.Choose: lambda node: f"CHOOSE {_bounds(node)} : {_full(node.body)}",
    tree.Filter: lambda node: f"{{{_bounds(node)} : {_full(node.body)}}}",
    tree.MapOver: lambda node: f"{{{_full(node.body)} : {_bounds(node)}}}",
    tree.FunctionOf: lambda node: f"[{_bounds(node)} |-> {_full(node.body)}]",
    tree.If: lambda node: f"IF {_full(node.condition)} THEN {_full(node.then)} ELSE {_full(node.otherwise)}",
    tree.Case: _case,
    tree.Let: _let,
    tree.TupleOf: lambda node: f"<<{_list(node.items)}>>",
    tree.SetOf: lambda node: f"{{{_list(node.items)}}}",
    tree.FunctionSet: lambda node: f"[{_full(node.domain)} -> {_full(node.codomain)}]",
    tree.RecordOf: lambda node: _fields(node, " |-> "),
    tree.RecordSet: lambda node: _fields(node, ": "),
    tree.Field: lambda node: f"{_inner(node.record)}.{node.name}",
    tree.FunctionApplication: lambda node: f"{_inner(node.function)}[{_list(node.arguments)}]",
    tree.Except: _except,
    tree.Prime: lambda node: f"{_inner(node.operand)}'",
    tree.Box: lambda node: f"[{_full(node.action)}]_{_inner(node.subscript)}",
    tree.Angle: lambda node: f"<<{_full(node.action)}>>_{_inner(node.subscript)}",
    tree.Fairness: lambda node: f"{node.kind}_{_inner(node.subscript)}({_full(node.action)})",
}
