"""The variables that an equation assigns, or an UNCHANGED keeps, whether named directly or through definitions."""

from dataclasses import replace

from workbench.tlaplus.compiler import calls
from workbench.tlaplus.compiler.environment import ByName, Context
from workbench.tlaplus.compiler.writer import Writer
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Variable
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, OperatorDefinition


def target(writer: Writer, node: Expression, here: Context) -> int | None:
    """The number of the variable that an equation with this left side assigns; None if it assigns none."""
    if not here.initial:
        return _primed(writer, node, here)
    return _variable(writer, node, here)


def _primed(writer: Writer, node: Expression, here: Context) -> int | None:
    if isinstance(node, tree.Prime):
        return _variable(writer, node.operand, here)
    behind = _behind(writer, node, here)
    return None if behind is None else _primed(writer, *behind)


def _variable(writer: Writer, node: Expression, here: Context) -> int | None:
    if isinstance(node, tree.Identifier):
        meaning = here.scope.meaning(node.name, node.at)
        if isinstance(meaning, Variable):
            return writer.numbers[meaning]
    behind = _behind(writer, node, here)
    return None if behind is None else _variable(writer, *behind)


def _behind(writer: Writer, node: Expression, here: Context) -> tuple[Expression, Context] | None:
    """The expression that a name stands for, with its context; None if it stands for none."""
    if isinstance(node, tree.Label):
        return node.body, here
    if not isinstance(node, (tree.Identifier, tree.Qualified)):
        return None
    meaning, arguments, inside = calls.reached(writer, node, here)
    binding = inside.environment.get(meaning)
    if arguments or meaning.arity:
        return None
    if isinstance(binding, ByName):
        return binding.node, inside.at(binding)
    if isinstance(meaning, InstanceParameter):
        return meaning.expression, replace(inside, scope=meaning.scope)
    if isinstance(meaning, Defined) and isinstance(meaning.definition, OperatorDefinition):
        return meaning.definition.body, replace(inside, scope=meaning.scope)
    return None


def kept(writer: Writer, node: Expression, here: Context) -> tuple[list[int], list[tuple[Expression, Context]]]:
    """The variables of an UNCHANGED, and the expressions in it that are not variables."""
    if isinstance(node, tree.TupleOf):
        parts = [kept(writer, item, here) for item in node.items]
        return [index for numbers, _ in parts for index in numbers], [test for _, tests in parts for test in tests]
    number = _variable(writer, node, here)
    if number is not None:
        return [number], []
    behind = _behind(writer, node, here)
    if behind is not None and writer.knowledge.level(*behind) > Level.CONSTANT:
        return kept(writer, *behind)
    return [], [(node, here)]
