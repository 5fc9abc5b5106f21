r"""The alternatives of ``\E m \in msgs : A(m) \/ B(m)``, whose set depends on the state, as formulas of their own.

Such a formula cannot be unfolded, since only a state gives ``m`` a value. So its text is rewritten: each alternative
keeps the quantifiers, LETs and guards around it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from workbench.tlaplus.names.levels import Level, Levels
from workbench.tlaplus.names.symbols import Defined, Scope
from workbench.tlaplus.syntax.tree import (
    Apply,
    Conjunction,
    Declaration,
    Disjunction,
    Expression,
    Field,
    FunctionApplication,
    Identifier,
    If,
    Label,
    Let,
    Operation,
    Place,
    Qualified,
    Quantified,
)

#: Quantifiers over constants with more combinations of values than this are not split.
MOST_CASES = 4096

Names = tuple[Declaration, ...]


class Applied(NamedTuple):
    """A definition that is applied where names have been chosen.

    Attributes:
        at: The place of the application.
        scope: The scope of its arguments.
        chosen: The names that the quantifiers around it choose, the outermost first.
    """

    at: Place
    scope: Scope
    meaning: Defined
    arguments: tuple[Expression, ...]
    chosen: Names

    @property
    def name(self) -> str:
        return self.meaning.definition.name


class Alternative(NamedTuple):
    """A formula that is one of the alternatives of another.

    Attributes:
        at: The place of the part that the other alternatives lack.
        applied: The definition that it applies; None if it applies none.
    """

    node: Expression
    at: Place
    applied: Applied | None = None


class Alternatives:
    """Takes quantifiers apart; the alternatives of one formula are always the same objects."""

    def __init__(self, levels: Levels) -> None:
        self._levels = levels
        self._alternatives: dict[tuple[Quantified, Scope], list[Alternative]] = {}

    def of(self, node: Quantified, scope: Scope) -> list[Alternative]:
        """The alternatives in the order of the text, each with its own place.

        The formula itself is the only alternative if it cannot be split, if no alternative applies a definition, or if
        its first set is a constant, whose members are tried in turn anyway.
        """
        if (node, scope) not in self._alternatives:
            domain, parts = node.bounds[0].domain, self._parts(node, scope, ())
            if len(parts) == 1:
                parts = [Alternative(node, node.at, parts[0].applied)]
            elif (
                domain is not None
                and self._levels.level(domain, scope) > Level.CONSTANT
                and any(part.applied for part in parts)
            ):
                parts = [part._replace(node=replace(part.node, at=part.at)) for part in parts]
            else:
                parts = [Alternative(node, node.at)]
            self._alternatives[node, scope] = parts
        return self._alternatives[node, scope]

    def _parts(self, node: Expression, scope: Scope, chosen: Names) -> list[Alternative]:
        if not self._steps(node, scope):
            return [Alternative(node, node.at)]
        if isinstance(node, Disjunction):
            return [part for operand in node.operands for part in self._parts(operand, scope, chosen)]
        if isinstance(node, If) and not self._steps(node.condition, scope):
            negated = _negated(node.condition)
            return [
                part
                for guard, arm in ((_negated(negated), node.then), (negated, node.otherwise))
                for part in self._guarded(Conjunction(node.at, (guard, arm)), scope, chosen)
            ]
        if isinstance(node, Conjunction):
            return self._guarded(node, scope, chosen)
        if isinstance(node, (Let, Label)) or (isinstance(node, Quantified) and node.kind == "E"):
            names = node.names if isinstance(node, Quantified) else ()
            parts = self._parts(node.body, scope.inside(node), (*chosen, *names))
            return _within(parts, lambda part: replace(node, body=part))
        return [Alternative(node, node.at, _applied(node, scope, chosen))]

    def _guarded(self, node: Conjunction, scope: Scope, chosen: Names) -> list[Alternative]:
        """The alternatives of the only conjunct that is more than a predicate of the state."""
        steps = [n for n, operand in enumerate(node.operands) if self._steps(operand, scope)]
        if len(steps) != 1:
            return [Alternative(node, node.at)]
        (at,) = steps
        before, after = node.operands[:at], node.operands[at + 1 :]
        parts = self._parts(node.operands[at], scope, chosen)
        return _within(parts, lambda part: replace(node, operands=(*before, part, *after)))

    def _steps(self, node: Expression, scope: Scope) -> bool:
        return self._levels.level(node, scope) > Level.STATE


def _applied(node: Expression, scope: Scope, chosen: Names) -> Applied | None:
    r"""The definition that a formula applies to something chosen, or to nothing.

    In ``\E m \in msgs : Send([to |-> m.from])`` it is a part of the action's text, and does not name it.
    """
    meaning, arguments = scope.applied(node) or (None, ())
    if not isinstance(node, (Identifier, Apply, Qualified)) or not isinstance(meaning, Defined):
        return None
    if arguments and not any(_whole(argument, scope) in chosen for argument in arguments):
        return None
    return Applied(node.at, scope, meaning, arguments, chosen)


def _negated(condition: Expression) -> Expression:
    r"""The negation, which is a test: as a conjunct, ``\E x \in S : P`` has a way for each x, as a condition one."""
    return Operation(condition.at, "~", (condition,))


def _within(parts: list[Alternative], around: Callable[[Expression], Expression]) -> list[Alternative]:
    return [part._replace(node=around(part.node)) for part in parts]


def _whole(node: Expression, scope: Scope) -> object:
    """The name ``m`` that ``m``, ``m.to`` or ``m[1]`` reads, also through LET; None for any other expression."""
    while isinstance(node, (Field, FunctionApplication)):
        node = node.record if isinstance(node, Field) else node.function
    meaning = scope.meaning(node.name, node.at) if isinstance(node, Identifier) else None
    if isinstance(meaning, Defined) and not meaning.arity and not meaning.recursive:
        return _whole(meaning.body, meaning.inner)
    return meaning
