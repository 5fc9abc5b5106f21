"""Trees of Python's ``ast``, in the few forms in which expressions are compiled."""

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from workbench.tlaplus.syntax.tree import Place


def name(identifier: str) -> ast.expr:
    return ast.Name(identifier, ast.Load())


def constant(value: Any) -> ast.expr:
    """A boolean, an integer or a string."""
    return ast.Constant(value)


def call(function: str | ast.expr, *arguments: ast.expr) -> ast.expr:
    return ast.Call(name(function) if isinstance(function, str) else function, list(arguments), [])


def method(receiver: str, member: str, *arguments: ast.expr) -> ast.expr:
    """``receiver.member(...)``."""
    return call(ast.Attribute(name(receiver), member, ast.Load()), *arguments)


def attribute(receiver: str, member: str) -> ast.expr:
    return ast.Attribute(name(receiver), member, ast.Load())


def item(of: str, number: int) -> ast.expr:
    """``of[number]``."""
    return ast.Subscript(name(of), constant(number), ast.Load())


def tuple_of(parts: Iterable[ast.expr]) -> ast.expr:
    return ast.Tuple(list(parts), ast.Load())


def negated(condition: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), condition)


def conjunction(conditions: list[ast.expr]) -> ast.expr:
    return conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)


def disjunction(conditions: list[ast.expr]) -> ast.expr:
    return conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.Or(), conditions)


def parameters_of(names: Iterable[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(parameter) for parameter in names], None, [], [], None, [])


def function_of(names: Sequence[str], body: ast.expr) -> ast.expr:
    """``lambda names: body``."""
    return ast.Lambda(parameters_of(names), body)


def starred(value: ast.expr) -> ast.expr:
    return ast.Starred(value, ast.Load())


def defined(identifier: str, names: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """``def identifier(names): body``."""
    return ast.FunctionDef(identifier, parameters_of(names), body or [ast.Pass()], [])


def assign(identifier: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(identifier, ast.Store())], value)


def any_of(target: str, members: ast.expr, condition: ast.expr, every: bool) -> ast.expr:
    """``any(condition for target in members)``, or ``all``."""
    clause = ast.comprehension(ast.Name(target, ast.Store()), members, [], 0)
    return call("all" if every else "any", ast.GeneratorExp(condition, [clause]))


def loop(target: str, members: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    """``for target in members: body``."""
    return ast.For(ast.Name(target, ast.Store()), members, body or [ast.Pass()], [])


def when(condition: ast.expr, body: list[ast.stmt], otherwise: list[ast.stmt]) -> ast.stmt:
    return ast.If(condition, body or [ast.Pass()], otherwise)


def uses(tree: ast.AST, identifier: str) -> bool:
    """Whether a tree mentions a name."""
    return any(isinstance(node, ast.Name) and node.id == identifier for node in ast.walk(tree))


def placed(tree: ast.AST, at: Place) -> None:
    """Give a tree the place of a text, except for parts that have places of their own."""
    if "lineno" in tree._attributes and not hasattr(tree, "lineno"):
        line, column = at.shown
        tree.lineno = tree.end_lineno = line  # type: ignore[attr-defined]
        tree.col_offset = column - 1  # type: ignore[attr-defined]
        tree.end_col_offset = column  # type: ignore[attr-defined]
    for part in ast.iter_child_nodes(tree):
        if not hasattr(part, "lineno") and not isinstance(part, ast.expr_context):
            placed(part, at)
