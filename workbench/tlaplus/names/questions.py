"""Expressions that people ask of a module in its own language, beside what its text defines."""

from collections.abc import Iterable
from dataclasses import replace

from workbench.kernel.meaning.errors import InputError, brief
from workbench.tlaplus.names.level_checks import check_levels
from workbench.tlaplus.names.loader import Specification
from workbench.tlaplus.names.name_check import check_names
from workbench.tlaplus.names.symbols import Scope
from workbench.tlaplus.syntax.parser import parse_expression
from workbench.tlaplus.syntax.tree import EXPRESSION, Expression, OperatorDefinition
from workbench.tlaplus.syntax.units import Module


def question(text: str, scope: Scope) -> Expression:
    """The expression in a text, whose names are those of `scope`.

    Raises:
        InputError: With the column, if it is no expression, or for a name or a level that does not fit.
    """
    return _definition(text, scope).body


def asking(specification: Specification, texts: Iterable[str]) -> Specification:
    """The specification with a definition for each text that is no name of the root module: an expression, named so.

    Raises:
        InputError: As for :func:`question`.
    """
    scope, module = specification.scope, specification.module
    for text in texts:
        if scope.find(text) is None:
            definition = _definition(text, scope)
            scope.define(definition, {})
            module = replace(module, units=(*module.units, definition))  # its strings come after those of the text
    return replace(specification, module=module)


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


def refused(text: str, why: str) -> str:
    """The message on an expression; `why` may begin with its place in it."""
    return f"{brief(text)} is not accepted: {why.removeprefix(f'{EXPRESSION}, ')}"
