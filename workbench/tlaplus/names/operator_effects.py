"""The arguments of an operator that are more than values: the operator primes them, or assigns to them.

``Lose(q) == q' = Tail(q)`` primes its parameter and ``Start(v) == v = 0``, in an initial condition, assigns to it. Such
an argument must be taken by name: its value is not what the operator is about. Other arguments are formulas, which may
assign inside. TLC, which evaluates arguments when they are needed, hides all this from authors.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple

from workbench.tlaplus.names.fixpoint import Fixpoint
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Meaning, Scope, Standard
from workbench.tlaplus.syntax.tree import (
    Angle,
    Box,
    Declaration,
    Expression,
    Fairness,
    Identifier,
    Label,
    Lambda,
    Let,
    Node,
    Prime,
    Qualified,
)
from workbench.tlaplus.syntax.visitor import formulas, parts


class Use(Enum):
    r"""The ways in which a name is used.

    Attributes:
        FORMULA: It stands where a formula of the action or initial condition does, so it may itself assign.
        ASSIGNED: It stands on the left of ``=`` or ``\in`` in one.
        PRIMED: Its value in the next state is used, or assigned.
    """

    FORMULA = "formula"
    ASSIGNED = "assigned"
    PRIMED = "primed"


NameUses = frozenset[tuple[Declaration, Use]]
_NOTHING: NameUses = frozenset()


class Effect(NamedTuple):
    """The effect of applying an operator.

    Attributes:
        arguments: With those of its arguments, by number.
        others: With names that are bound or parameters around it.
    """

    arguments: frozenset[tuple[int, Use]]
    others: NameUses


#: The known effects of those parameters that are operators.
Operators = Mapping[Declaration, Effect]


class Uses:
    """Finds what operators do with their arguments, and memoizes it."""

    def __init__(self) -> None:
        self._uses: Fixpoint[tuple[Defined, Use | None, frozenset[tuple[Declaration, Effect]]], NameUses]
        self._uses = Fixpoint(_NOTHING)

    def of_call(
        self, meaning: Meaning, arguments: tuple[Expression, ...], scope: Scope, operators: Operators
    ) -> tuple[frozenset[Use], ...]:
        """The use that an operator makes of each of its arguments.

        Args:
            meaning: The operator.
            arguments: They are needed since one may be an operator, which is applied to others.
            scope: Their names.
            operators: The known effects of the operators among the parameters around the call.
        """
        effect = self._effect(meaning, arguments, scope, operators, Use.FORMULA)
        numbers = range(len(arguments))
        return tuple(frozenset(use for at, use in effect.arguments if at == number) for number in numbers)

    def uses_in(self, node: Node, scope: Scope, operators: Operators, use: Use | None) -> NameUses:
        """The uses of the names around an expression, if `use` is made of its value."""
        if isinstance(node, Identifier):
            return self._of_name(scope.meaning(node.name, node.at), use, operators)
        if isinstance(node, Qualified):
            return self._of_qualified(node, scope, operators, use)
        if (called := scope.applied(node)) is not None:
            return self._of_call(*called, scope, operators, use)
        if isinstance(node, Prime):
            return self.uses_in(node.operand, scope, operators, Use.PRIMED)
        if isinstance(node, Let):
            return self.uses_in(node.body, scope.inside(node), operators, use)
        if isinstance(node, (Box, Angle, Fairness)):
            action = self.uses_in(node.action, scope, operators, use)
            return action | self.uses_in(node.subscript, scope, operators, Use.PRIMED)
        within_formula = formulas(node)
        together = set[tuple[Declaration, Use]]()
        for part in parts(node):
            kept = use is Use.PRIMED or isinstance(node, Label) or (use is Use.FORMULA and part.node in within_formula)
            within = use if kept else None
            together |= self.uses_in(part.node, scope.inside(node) if part.inside else scope, operators, within)
        return frozenset(together)

    def _of_name(self, meaning: Meaning, use: Use | None, operators: Operators) -> NameUses:
        if isinstance(meaning, Declaration):
            return frozenset({(meaning, use)}) if use is not None else _NOTHING
        if isinstance(meaning, InstanceParameter):
            return self.uses_in(meaning.expression, meaning.scope, operators, use)
        return self._of_body(meaning, use, operators) if isinstance(meaning, Defined) else _NOTHING

    def _of_body(self, meaning: Defined, use: Use | None, operators: Operators) -> NameUses:
        scope = meaning.inner
        visible = scope.visible(operators)
        key = (meaning, use, frozenset(visible.items()))
        return self._uses.get(key, lambda: self.uses_in(meaning.body, scope, visible, use))

    def _of_qualified(self, node: Qualified, scope: Scope, operators: Operators, use: Use | None) -> NameUses:
        reached = scope.reach(node)
        passed = dict(reached.arguments)
        inner = {**operators, **self._operators(passed.items(), scope, operators)}
        uses = self._of_call(reached.meaning, node.arguments, scope, inner, use)
        kept = {(name, inner_use) for name, inner_use in uses if name not in passed}
        for name, inner_use in uses:
            if name in passed:
                kept |= self.uses_in(passed[name], scope, operators, inner_use)
        return frozenset(kept)

    def _of_call(
        self, meaning: Meaning, arguments: tuple[Expression, ...], scope: Scope, operators: Operators, use: Use | None
    ) -> NameUses:
        effect = self._effect(meaning, arguments, scope, operators, use)
        together = set(effect.others)
        for number, argument in enumerate(arguments):
            if not scope.arity_of(argument):
                together |= self.uses_in(argument, scope, operators, use if use is Use.PRIMED else None)
                for inner_use in {done for at, done in effect.arguments if at == number}:
                    together |= self.uses_in(argument, scope, operators, inner_use)
        return frozenset(together)

    def _effect(
        self, meaning: Meaning, arguments: tuple[Expression, ...], scope: Scope, operators: Operators, use: Use | None
    ) -> Effect:
        if isinstance(meaning, Standard):
            passed = [argument for argument in arguments if scope.arity_of(argument)]
            others = [self.as_operator(argument, scope, operators, use).others for argument in passed]
            return Effect(_built_in(meaning, len(arguments), use), _NOTHING.union(*others))
        if isinstance(meaning, Declaration):
            return operators.get(meaning, _anything(len(arguments)))
        if isinstance(meaning, InstanceParameter):
            return self.as_operator(meaning.expression, meaning.scope, operators, use)
        if not isinstance(meaning, Defined):
            return Effect(frozenset(), _NOTHING)
        parameters = meaning.definition.parameters
        passed_operators = self._operators(zip(parameters, arguments, strict=False), scope, operators)
        return _split(parameters, self._of_body(meaning, use, {**operators, **passed_operators}))

    def _operators(
        self, passed: Iterable[tuple[Declaration, Expression]], scope: Scope, operators: Operators
    ) -> dict[Declaration, Effect]:
        return {
            parameter: self.as_operator(argument, scope, operators, Use.FORMULA)
            for parameter, argument in passed
            if parameter.arity
        }

    def as_operator(self, node: Expression, scope: Scope, operators: Operators, use: Use | None) -> Effect:
        """The effect of applying an operator that is passed as an argument."""
        if isinstance(node, Lambda):
            return _split(node.parameters, self.uses_in(node.body, scope.inside(node), operators, use))
        if isinstance(node, Identifier):
            meaning = scope.meaning(node.name, node.at)
            if isinstance(meaning, Declaration) and meaning.arity:
                return operators.get(meaning, _anything(meaning.arity))
            if isinstance(meaning, Defined):
                return _split(meaning.definition.parameters, self._of_body(meaning, use, operators))
            if isinstance(meaning, Standard):
                return Effect(_built_in(meaning, meaning.arity, use), _NOTHING)
            if isinstance(meaning, InstanceParameter):
                return self.as_operator(meaning.expression, meaning.scope, operators, use)
        if isinstance(node, Qualified) and scope.arity_of(node):
            reached = scope.reach(node)
            if isinstance(reached.meaning, Defined):
                inner = {**operators, **self._operators(reached.arguments, scope, operators)}
                return _split(reached.meaning.definition.parameters, self._of_body(reached.meaning, use, inner))
        return Effect(frozenset(), self.uses_in(node, scope, operators, use))


def _built_in(meaning: Standard, arguments: int, use: Use | None) -> frozenset[tuple[int, Use]]:
    if meaning.module:
        return frozenset()
    if meaning.name in ("UNCHANGED", "ENABLED"):  # ENABLED may assign whatever stands in it
        return frozenset({(0, Use.PRIMED)})
    if meaning.name == "\\cdot":  # the second action is taken in another state
        return frozenset({(0, Use.FORMULA), (1, Use.FORMULA), (1, Use.PRIMED)})
    if meaning.name in ("=", "\\in") and use is Use.FORMULA:
        return frozenset({(0, Use.ASSIGNED)})
    if meaning.name in ("/\\", "\\/", "=>") and use is Use.FORMULA:
        return frozenset((number, Use.FORMULA) for number in range(arguments))
    return frozenset()


def _split(parameters: tuple[Declaration, ...], uses: NameUses) -> Effect:
    numbers = {parameter: number for number, parameter in enumerate(parameters)}
    arguments = frozenset((numbers[name], use) for name, use in uses if name in numbers)
    return Effect(arguments, frozenset((name, use) for name, use in uses if name not in numbers))


def _anything(arguments: int) -> Effect:
    """The effect of an operator about which nothing is known."""
    return Effect(frozenset((number, use) for number in range(arguments) for use in Use), _NOTHING)
