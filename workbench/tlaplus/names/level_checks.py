"""Check that only expressions of a state are primed, that ``[]`` does not stand before a bare action, and so on.

As in SANY, an operator is checked for the levels of its arguments: ``F(a) == a'`` is right, and ``F(x')`` is not.
"""

from collections.abc import Iterator, Mapping

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.names.levels import Environment, Level, Levels, Response
from workbench.tlaplus.names.symbols import DEPTH, FIGURES, Defined, InstanceParameter, Instantiated, Scope, fail_at
from workbench.tlaplus.syntax.tree import (
    Angle,
    Apply,
    Box,
    Expression,
    Fairness,
    Identifier,
    Node,
    Operation,
    OperatorDefinition,
    Place,
    Prime,
    Qualified,
)
from workbench.tlaplus.syntax.units import Assumption, Constants, Instance, InstanceDefinition, Module, Variables
from workbench.tlaplus.syntax.visitor import parts

_OF = {Level.CONSTANT: "a constant", Level.STATE: "a state", Level.ACTION: "an action", Level.TEMPORAL: "a behaviour"}


def check_levels(module: Module, scope: Scope, unnamed: Mapping[Instance, Scope]) -> None:
    """Check a module whose names are known.

    Args:
        unnamed: The scopes of its instances that have no names.

    Raises:
        InputError: With the place, for the first error.
    """
    checker = _Checker()
    for unit in module.units:
        if not isinstance(unit, (Constants, Variables, Module)):
            checker.visit(unit, scope, {})
        if isinstance(unit, Instance):
            checker.substituted(unnamed[unit], {}, unit.at)


class _Checker:
    def __init__(self) -> None:
        self._levels = Levels((DEPTH, *FIGURES))
        self._checked = set[tuple[Defined, frozenset[tuple[object, Response]]]]()

    def visit(self, node: Node, scope: Scope, environment: Environment) -> None:
        for part in parts(node):
            self.visit(part.node, scope.inside(node) if part.inside else scope, environment)
        for operand, most, construct in _bounded(node):
            level = self._levels.level(operand, scope, environment)
            if level > most:
                fail_at(node.at, f"{construct} takes what is of {_OF[most]}, not of {_OF[level]}")
        for operand in _temporal(node):
            if self._levels.level(operand, scope, environment) is Level.ACTION:
                fail_at(node.at, "an action stands here where only [A]_v, <<A>>_v and what is of a state can stand")
        if isinstance(node, (Identifier, Apply, Operation)):
            self._call(node, scope, environment)
        elif isinstance(node, Qualified):
            self._qualified(node, scope, environment)
        elif isinstance(node, InstanceDefinition):
            meaning = scope.find(node.name)
            if isinstance(meaning, Instantiated):
                self.substituted(meaning.scope, environment, node.at)
        elif isinstance(node, OperatorDefinition):
            self._recursive(node, scope)

    def _call(self, node: Identifier | Apply | Operation, scope: Scope, environment: Environment) -> None:
        meaning, operands = scope.applied(node) or (None, ())
        if isinstance(meaning, Defined):
            self._applied(meaning, operands, scope, environment, node.at)

    def _qualified(self, node: Qualified, scope: Scope, environment: Environment) -> None:
        if not isinstance(scope.find(node.path[0].name), Instantiated):
            return
        reached = scope.reach(node)
        passed = {name: self._levels.response(value, scope, environment) for name, value in reached.arguments}
        inner = {**environment, **passed}
        within = scope
        for step in node.path:
            instance = within.meaning(step.name, step.at)
            if not isinstance(instance, Instantiated):
                break  # a definition, with a part of it
            within = instance.scope
            self.substituted(within, inner, node.at)
        if isinstance(reached.meaning, Defined):
            self._applied(reached.meaning, node.arguments, scope, inner, node.at)

    def _applied(
        self, meaning: Defined, operands: tuple[Expression, ...], scope: Scope, environment: Environment, at: Place
    ) -> None:
        """Check a definition with these arguments; with constant ones it has been checked where it stands."""
        definition = meaning.definition
        if len(operands) != len(definition.parameters):
            return  # it is an argument itself
        inner = meaning.scope.visible(environment)
        arguments = [self._levels.response(operand, scope, environment) for operand in operands]
        inner.update(zip(definition.parameters, arguments, strict=True))
        key = meaning, frozenset(inner.items())
        if key in self._checked or all(response[Level.CONSTANT] is Level.CONSTANT for response in inner.values()):
            return
        self._checked.add(key)
        try:
            self.visit(meaning.body, meaning.inner, inner)
        except InputError as error:
            fail_at(at, f"{meaning.name} cannot be applied to this: {error}")

    def substituted(self, scope: Scope, environment: Environment, at: Place) -> None:
        """Check the substitutes for the constants and variables of an instance."""
        for meaning in scope.names.values():
            if isinstance(meaning, InstanceParameter):
                inner = meaning.scope.visible(environment)
                level = self._levels.response(meaning.expression, meaning.scope, inner)[Level.CONSTANT]
                most = Level.CONSTANT if meaning.is_constant else Level.STATE
                if level > most:
                    fail_at(at, f"what stands for {meaning.name} must be of {_OF[most]}, not of {_OF[level]}")

    def _recursive(self, node: OperatorDefinition, scope: Scope) -> None:
        """Refuse an operator that is announced by RECURSIVE and primes a parameter."""
        meaning = scope.find(node.name)
        if isinstance(meaning, Defined) and meaning.definition is node and meaning.recursive:
            environment = {
                parameter: (Level.ACTION,) * len(Level) for parameter in node.parameters if not parameter.arity
            }
            try:
                self.visit(node.body, scope.inside(node), environment)
            except InputError:
                fail_at(node.at, f"{node.name}, which is RECURSIVE, cannot prime a parameter")


def _bounded(node: Node) -> Iterator[tuple[Expression, Level, str]]:
    """The operands that must not exceed a level."""
    if isinstance(node, Prime):
        yield node.operand, Level.STATE, "'"
    elif isinstance(node, Operation) and node.symbol == "UNCHANGED":
        yield node.operands[0], Level.STATE, "UNCHANGED"
    elif isinstance(node, Operation) and node.symbol == "ENABLED":
        yield node.operands[0], Level.ACTION, "ENABLED"
    elif isinstance(node, (Box, Angle, Fairness)):
        yield node.subscript, Level.STATE, "a subscript"
        yield node.action, Level.ACTION, node.kind if isinstance(node, Fairness) else "an action with a subscript"
    elif isinstance(node, Assumption):
        yield node.body, Level.CONSTANT, "ASSUME"


def _temporal(node: Node) -> tuple[Expression, ...]:
    """The operands that must not be bare actions."""
    if not isinstance(node, Operation):
        return ()
    if node.symbol in ("[]", "<>"):
        return () if isinstance(node.operands[0], Box if node.symbol == "[]" else Angle) else node.operands
    return node.operands if node.symbol in ("~>", "-+->") else ()
