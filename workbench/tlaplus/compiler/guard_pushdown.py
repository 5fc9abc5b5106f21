r"""Finds early tests: conditions on a member alone without which the rest of a quantifier or filter cannot matter.

In ``\E m \in msgs : Handle(m)`` the definition may begin with ``m.type = "ask"``. Then no other messages are read.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from workbench.tlaplus.compiler.environment import ByValue, Context
from workbench.tlaplus.compiler.writer import Writer
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Defined
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, OperatorDefinition


class Early(NamedTuple):
    """A test that depends on no state, but only on values in some locals."""

    node: Expression
    here: Context
    locals_: frozenset[str]


def early_tests(writer: Writer, node: tree.Quantified | tree.Filter, inside: Context) -> Iterator[Early]:
    """The early tests at the beginning of a construct's body."""
    body = node.body
    if isinstance(node, tree.Quantified) and node.kind == "A":
        if not (isinstance(body, tree.Operation) and body.symbol == "=>"):
            return
        body = body.operands[0]
    for part, here in _conjuncts(writer, body, inside):
        bound = [here.environment.get(free) for free in writer.free_names.of(part, here.scope)]
        are_values = all(isinstance(binding, ByValue) for binding in bound)
        if not are_values or writer.knowledge.level(part, here) > Level.CONSTANT:
            return
        yield Early(part, here, frozenset(binding.local for binding in bound if isinstance(binding, ByValue)))


def _conjuncts(writer: Writer, node: Expression, here: Context) -> Iterator[tuple[Expression, Context]]:
    """The parts of a conjunction, also if it is the body of a definition of an action or of a state predicate."""
    if isinstance(node, tree.Conjunction) or (isinstance(node, tree.Operation) and node.symbol == "/\\"):
        for operand in node.operands:
            yield from _conjuncts(writer, operand, here)
        return
    if isinstance(node, tree.Apply) and writer.knowledge.level(node, here) > Level.CONSTANT:
        meaning = here.scope.meaning(node.name, node.at)
        if isinstance(meaning, Defined) and not meaning.recursive and meaning not in here.environment:
            assert isinstance(meaning.definition, OperatorDefinition)
            passed = {
                parameter: value
                for parameter, argument in zip(meaning.definition.parameters, node.arguments, strict=True)
                if isinstance(argument, tree.Identifier) and isinstance(value := here.of(argument), ByValue)
            }
            inside = replace(here, scope=meaning.inner).bound(passed)
            yield from _conjuncts(writer, meaning.definition.body, inside)
            return
    yield node, here
