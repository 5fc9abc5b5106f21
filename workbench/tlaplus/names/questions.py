"""Expressions in a module's own language that people ask about, besides its definitions."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from workbench.kernel.meaning.errors import InputError, brief
from workbench.tlaplus.names.level_checks import check_levels
from workbench.tlaplus.names.name_check import check_names
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.symbols import Constant, Defined, Meaning, Scope, Standard
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.parser import parse_expression
from workbench.tlaplus.syntax.tree import EXPRESSION, Expression, OperatorDefinition, Place
from workbench.tlaplus.syntax.units import Module


def question(text: str, scope: Scope) -> Expression:
    """The expression in a text, whose names are those of `scope`.

    Raises:
        InputError: With the column, if it is not an expression, or for an unknown name or a wrong level.
    """
    return _definition(text, scope).body


class Questions(NamedTuple):
    """The questions about a specification.

    Attributes:
        texts: The names of definitions, and expressions.
        names: The model values that expressions may name, besides the module's own names.
    """

    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def naming_values(scope: Scope, names: Iterable[str]) -> tuple[Scope, list[Constant]]:
    """A scope that also has model values, which no text of a module can name, as constants; those that are new."""
    constants = [Constant(name, 0, Place(scope.module, 1, 1)) for name in names if scope.find(name) is None]
    inner = scope.beneath()
    inner.names.update((constant.name, constant) for constant in constants)
    return inner, constants


def asking(specification: Specification, questions: Questions) -> tuple[Specification, list[Constant]]:
    """The specification with a definition for each expression, called as it is written; and the constants in these.

    Raises:
        InputError: As for :func:`question`.
    """
    scope, module = specification.scope, specification.module
    inner, constants = naming_values(scope, questions.names)
    for text in questions.texts:
        if scope.find(text) is None:
            definition = _definition(text, inner)
            scope.names[text] = Defined(text, 0, definition, inner, False)
            module = replace(module, units=(*module.units, definition))  # its strings come after those of the text
    return replace(specification, module=module), constants


def _definition(text: str, scope: Scope) -> OperatorDefinition:
    try:
        body = parse_expression(text)
        definition = OperatorDefinition(body.at, text, False, (), body)
        module = Module(body.at, scope.module, (), (definition,), text)
        check_names(module, scope)
        check_levels(module, scope, {})
    except InputError as error:
        raise InputError(refused(text, str(error))) from None
    return definition


#: The kind of Booleans.
FORMULA = "a formula"
#: The kinds of the values that constructs, and operators of TLA+ and its standard modules, make.
_KINDS: dict[type, str] = {
    **dict.fromkeys((tree.Boolean, tree.Conjunction, tree.Disjunction, tree.Quantified), FORMULA),
    tree.Number: "a number",
    tree.String: "a string",
    tree.RecordOf: "a record",
    **dict.fromkeys((tree.TupleOf, tree.FunctionOf), "a function"),
    **dict.fromkeys((tree.SetOf, tree.Filter, tree.MapOver, tree.FunctionSet, tree.RecordSet), "a set"),
}
_KINDS_OF_OPERATORS = {
    **dict.fromkeys(("~", "=>", "<=>", "=", "#", "\\in", "\\notin", "\\subseteq", "<", ">", "<=", ">="), FORMULA),
    **dict.fromkeys(("+", "-", "*", "\\div", "%", "^", "-."), "a number"),
    **dict.fromkeys(("..", "\\cup", "\\cap", "\\", "\\X", "SUBSET", "UNION", "DOMAIN"), "a set"),
}


def kind_of(meaning: Meaning) -> str:
    """The kind of a definition's values, in words; "" if its text does not show it."""
    if not isinstance(meaning, Defined):
        return ""
    body = meaning.body
    if isinstance(body, tree.Operation) and isinstance(meaning.inner.meaning(body.symbol, body.at), Standard):
        return _KINDS_OF_OPERATORS.get(body.symbol, "")
    return _KINDS.get(type(body), "")


def refused(text: str, reason: str) -> str:
    """The message on an expression; `reason` may begin with its place in it."""
    return f"{brief(text)} is not accepted: {reason.removeprefix(f'{EXPRESSION}, ')}"
