"""Write LET: definitions that are values are evaluated when they are needed, once for each evaluation of the LET."""

import ast
from dataclasses import replace

from workbench.tlaplus.compiler import calls
from workbench.tlaplus.compiler.environment import Context, InState
from workbench.tlaplus.compiler.python_code import call, function_of, uses
from workbench.tlaplus.compiler.writer import Writer
from workbench.tlaplus.names.symbols import Defined
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import FunctionDefinition, OperatorDefinition


def local_definitions(
    writer: Writer, node: tree.Let, here: Context, eager: bool
) -> tuple[list[tuple[str, Defined, bool]], Context]:
    """Locals for the definitions of a LET that are values, with whether they hold thunks, and the inside of it.

    Args:
        node: The LET.
        here: Where it is.
        eager: Whether those that are needed in any case are evaluated beforehand.
    """
    inside = replace(here, scope=here.scope.inside(node))
    needed = writer.strictness.needed(node.body, inside.scope)
    definitions = []
    for unit in node.units:
        if not isinstance(unit, (OperatorDefinition, FunctionDefinition)) or unit.parameters:
            continue
        meaning = inside.scope.meaning(unit.name, unit.at)
        assert isinstance(meaning, Defined)
        if not calls.visible_bindings(writer, meaning, inside) and calls.is_constant(writer, meaning, inside):
            continue  # it is remembered for good
        is_needed = eager and meaning in needed
        local = writer.program.fresh("kept")
        definitions.append((local, meaning, not is_needed))
        inside = inside.bound({meaning: InState(local, here.now, not is_needed)})
    return definitions, inside


def local_value(writer: Writer, meaning: Defined, is_thunk: bool, here: Context) -> ast.expr:
    """The value of the local variable that holds a definition in LET."""
    inside = replace(here, scope=meaning.scope)
    value = calls.definition_value(writer, meaning, inside)
    return call("Thunk", function_of([], value)) if is_thunk else value


def value(writer: Writer, node: tree.Let, here: Context) -> ast.expr:
    """The value of a LET expression."""
    definitions, inside = local_definitions(writer, node, here, True)
    expression = writer.value(node.body, inside)
    for local, meaning, is_thunk in reversed(definitions):
        if uses(expression, local):
            expression = call(function_of([local], expression), local_value(writer, meaning, is_thunk, inside))
    return expression
