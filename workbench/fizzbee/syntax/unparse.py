"""The text of an expression, in a line."""

from collections.abc import Sequence

from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.expressions import COMPARISON, NOT, PRECEDENCE, SIGN
from workbench.fizzbee.syntax.tree import Expression

#: How tightly the operand of ``.``, a call or an index must bind, and how tightly a condition or a lambda binds.
_ATOM, _LOOSEST = SIGN + 1, 0
#: The brackets of a list, a tuple and a dict.
_BRACKETS = {"list": "[{}]", "tuple": "({})", "dict": "{{{}}}"}


def written(node: Expression | None) -> str:
    """The text of an expression, without superfluous spaces and parentheses; "" for None.

    Examples:
        >>> from workbench.fizzbee.syntax.expressions import ExpressionParser
        >>> from workbench.fizzbee.syntax.tokens import tokens
        >>> read = tokens('not (a+1)*2 in xs[ :n] or all([y.ok for y in f(b, k="v")])', "x.fizz")
        >>> print(written(ExpressionParser(read).expression()))
        not (a + 1) * 2 in xs[:n] or all([y.ok for y in f(b, k = "v")])
    """
    return "" if node is None else _within(node, _LOOSEST)


def _within(node: Expression, weakest: int) -> str:
    """The text of an operand: in parentheses, unless it binds at least as tightly as `weakest`."""
    text, strength = _parts(node)
    return f"({text})" if strength < weakest else text


def _parts(node: Expression) -> tuple[str, int]:
    """The text of an expression, and how tightly it binds."""
    match node:
        case tree.Name():
            return node.name, _ATOM
        case tree.Literal():
            return quoted(node.value) if isinstance(node.value, str) else repr(node.value), _ATOM
        case tree.Listing():
            comma = "," if node.kind == "tuple" and len(node.items) == 1 else ""
            return _BRACKETS[node.kind].format(_listed(node.items) + comma), _ATOM
        case tree.Mapping():
            return _BRACKETS["dict"].format(", ".join(f"{written(k)}: {written(v)}" for k, v in node.pairs)), _ATOM
        case tree.Unary(operator="not"):
            return f"not {_within(node.operand, NOT)}", NOT
        case tree.Unary():
            return f"{node.operator}{_within(node.operand, SIGN)}", SIGN
        case tree.Binary():
            strength = PRECEDENCE[node.operator]
            left = _within(node.left, strength + (strength == COMPARISON))  # comparisons are not chained
            return f"{left} {node.operator} {_within(node.right, strength + 1)}", strength
        case tree.Conditional():
            then, condition = _within(node.then, 1), _within(node.condition, 1)
            return f"{then} if {condition} else {written(node.otherwise)}", _LOOSEST
        case tree.Call():
            return f"{_within(node.function, _ATOM)}({', '.join(map(_argument, node.arguments))})", _ATOM
        case tree.Attribute():
            return f"{_within(node.owner, _ATOM)}.{node.name}", _ATOM
        case tree.Index():
            return f"{_within(node.owner, _ATOM)}[{written(node.index)}]", _ATOM
        case tree.Slice():
            start, stop, step = map(written, node.bounds)
            return f"{_within(node.owner, _ATOM)}[{start}:{stop}{f':{step}' if step else ''}]", _ATOM
        case tree.Lambda():
            names = ", ".join(_parameter(parameter) for parameter in node.parameters)
            return f"lambda {names}: {written(node.body)}".replace("lambda :", "lambda:"), _LOOSEST
        case tree.Comprehension():
            return _BRACKETS[node.kind].format(_comprehended(node)), _ATOM
    raise AssertionError(f"unexpected {type(node).__name__}")


def quoted(text: str) -> str:
    """A string as a literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _listed(nodes: Sequence[Expression]) -> str:
    return ", ".join(map(written, nodes))


def _argument(argument: tree.Argument) -> str:
    return f"{argument.name} = {written(argument.value)}" if argument.name else written(argument.value)


def _parameter(parameter: tree.Parameter) -> str:
    return parameter.name + (f" = {written(parameter.default)}" if parameter.default is not None else "")


def _comprehended(node: tree.Comprehension) -> str:
    if node.kind == "dict" and isinstance(node.element, tree.Listing):
        key, value = node.element.items
        element = f"{written(key)}: {written(value)}"
    else:
        element = written(node.element)
    return " ".join([element, *(_clause(clause) for clause in node.clauses)])


def _clause(clause: tree.Clause) -> str:
    if clause.target is None:
        return f"if {_within(clause.value, 1)}"
    target = clause.target
    names = _listed(target.items) if isinstance(target, tree.Listing) and len(target.items) > 1 else written(target)
    return f"for {names} in {_within(clause.value, 1)}"
