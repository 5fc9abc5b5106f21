"""Levels: whether an expression is constant, depends on a state, on a step, or on a whole behaviour.

An operator's level depends on its arguments: ``Next(x) == x'`` is constant for a constant x. An operator that is itself
an argument is known by its levels for arguments of each level.
"""

from collections.abc import Container, Mapping
from enum import IntEnum

from workbench.tlaplus.names.fixpoint import Fixpoint
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Meaning, Named, Scope, Standard, Variable
from workbench.tlaplus.syntax.tree import (
    Angle,
    Box,
    Declaration,
    Expression,
    Fairness,
    Identifier,
    Lambda,
    Let,
    Node,
    Prime,
    Qualified,
)
from workbench.tlaplus.syntax.visitor import parts


class Level(IntEnum):
    CONSTANT = 0
    STATE = 1
    ACTION = 2
    TEMPORAL = 3


#: The level of an argument, for each level that its own arguments may have; all are the same for a value.
Response = tuple[Level, ...]
#: The names that are bound or parameters, with what is known of them; the others are constant.
Environment = Mapping[Declaration, Response]

_TEMPORAL = frozenset({"[]", "<>", "~>", "-+->"})
_VALUE: dict[Level, Response] = {level: (level,) * len(Level) for level in Level}


class Levels:
    """Finds levels, and memoizes those of definitions. A configuration's replacements must be made before.

    Args:
        constants: The variables that count as constants, as those behind TLCGet do in SANY.
    """

    def __init__(self, constants: Container[Variable] = ()) -> None:
        self._constants = constants
        self._levels: Fixpoint[tuple[Defined, frozenset[tuple[Declaration, Response]]], Level] = Fixpoint(
            Level.CONSTANT
        )

    def level(self, node: Node, scope: Scope, environment: Environment | None = None) -> Level:
        """The level of an expression whose names `scope` knows.

        A prime or UNCHANGED before something constant changes nothing, so that is constant.
        """
        bound = environment or {}
        if (called := scope.applied(node)) is not None:
            meaning, operands = called
            passed = scope.reach(node).arguments if isinstance(node, Qualified) else ()
            inner = {**bound, **{name: self.response(value, scope, bound) for name, value in passed}}
            return self._applied(meaning, tuple(self.response(operand, scope, bound) for operand in operands), inner)
        if isinstance(node, Prime):
            return _of_step(self.level(node.operand, scope, bound))
        if isinstance(node, Let):
            return self.level(node.body, scope.inside(node), bound)
        least = Level.TEMPORAL if isinstance(node, Fairness) else Level.CONSTANT
        if isinstance(node, (Box, Angle)):
            least = Level.ACTION
        inside = [self.level(part.node, scope.inside(node) if part.inside else scope, bound) for part in parts(node)]
        return max([least, *inside])

    def response(self, node: Expression, scope: Scope, environment: Environment) -> Response:
        """The level of an argument, which may be an operator."""
        if isinstance(node, (Identifier, Lambda, Qualified)):
            return tuple(self._as_operator(node, scope, _VALUE[level], environment) for level in Level)
        return _VALUE[self.level(node, scope, environment)]

    def _as_operator(self, node: Expression, scope: Scope, argument: Response, environment: Environment) -> Level:
        """The level of an operator applied to arguments of one level; for any other expression, its own level."""
        if isinstance(node, Lambda):
            inner = {**environment, **dict.fromkeys(node.parameters, argument)}
            return self.level(node.body, scope.inside(node), inner)
        if isinstance(node, Identifier):
            meaning = scope.meaning(node.name, node.at)
            return self._applied(meaning, (argument,) * meaning.arity, environment)
        if isinstance(node, Qualified) and not node.arguments:
            reached = scope.reach(node)
            passed = {name: self.response(value, scope, environment) for name, value in reached.arguments}
            return self._applied(reached.meaning, (argument,) * reached.meaning.arity, {**environment, **passed})
        return self.level(node, scope, environment)

    def _applied(self, meaning: Meaning, arguments: tuple[Response, ...], environment: Environment) -> Level:
        highest = max((argument[Level.CONSTANT] for argument in arguments), default=Level.CONSTANT)
        # Arguments that an operator does not use count for its level too: they may be evaluated.
        return max(self._result(meaning, arguments, highest, environment), min(highest, Level.STATE))

    def _result(
        self, meaning: Meaning, arguments: tuple[Response, ...], highest: Level, environment: Environment
    ) -> Level:
        if isinstance(meaning, Variable):
            return Level.CONSTANT if meaning in self._constants else Level.STATE
        if isinstance(meaning, Declaration):
            return environment[meaning][highest] if meaning in environment else highest
        if isinstance(meaning, Defined):
            return self._defined(meaning, arguments, environment)
        if isinstance(meaning, InstanceParameter):
            response = _VALUE[highest]
            return self._as_operator(meaning.expression, meaning.scope, response, meaning.scope.visible(environment))
        if isinstance(meaning, Standard) and not meaning.module:
            return _built_in(meaning, highest)
        return max((argument[highest] for argument in arguments), default=Level.CONSTANT)

    def _defined(self, meaning: Defined, arguments: tuple[Response, ...], environment: Environment) -> Level:
        inner = meaning.scope.visible(environment)
        inner.update(zip(meaning.definition.parameters, arguments, strict=False))
        key = meaning, frozenset(inner.items())
        return self._levels.get(key, lambda: self.level(meaning.body, meaning.inner, inner))


def _of_step(level: Level) -> Level:
    return level if level is Level.CONSTANT else max(level, Level.ACTION)


def _built_in(meaning: Named, highest: Level) -> Level:
    if meaning.name in _TEMPORAL:
        return Level.TEMPORAL
    if meaning.name == "ENABLED":
        return min(highest, Level.STATE)
    return _of_step(highest) if meaning.name == "UNCHANGED" else highest
