"""Strictness analysis: the arguments that an operator always needs.

TLC evaluates an argument only when it is needed, so an argument that would be an error may go unevaluated. One that is
always needed can be evaluated before the call, which is much cheaper.
"""

from collections.abc import Iterable

from workbench.tlaplus.names.fixpoint import Fixpoint
from workbench.tlaplus.names.symbols import Defined, Meaning, Scope, Standard
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Declaration, Expression, OperatorDefinition

Needed = frozenset[Declaration | Defined]
_NONE: Needed = frozenset()
#: Operators of TLA+ itself that do not need their last operand, or none.
_LAZY = {"=>": 1, "ENABLED": 0, "UNCHANGED": 0, "\\cdot": 1, "[]": 0, "<>": 0, "~>": 0, "-+->": 0}


class Strictness:
    """Finds what expressions need, and memoizes it for definitions."""

    def __init__(self) -> None:
        # The set of parameters not needed grows from nothing, so that a recursion is taken to need its parameters too.
        self._unneeded: Fixpoint[Defined, frozenset[Declaration]] = Fixpoint(frozenset())

    def needs(self, meaning: Defined) -> frozenset[Declaration]:
        """The parameters that a definition always needs."""
        parameters = frozenset(meaning.definition.parameters)
        return parameters - self._unneeded.get(meaning, lambda: parameters - self._of_body(meaning))

    def _of_body(self, meaning: Defined) -> Needed:
        definition = meaning.definition
        if not isinstance(definition, OperatorDefinition):
            return _NONE
        return self.needed(definition.body, meaning.inner)

    def needed(self, node: Expression, scope: Scope) -> Needed:
        """The bound names and LET definitions that an expression always needs."""
        if isinstance(node, tree.Identifier):
            return self._of_name(scope.meaning(node.name, node.at))
        if isinstance(node, (tree.Apply, tree.Operation)) and (called := scope.applied(node)) is not None:
            return self._of_call(*called, scope)
        if isinstance(node, (tree.Conjunction, tree.Disjunction)):
            return self.needed(node.operands[0], scope)
        if isinstance(node, tree.If):
            either = self.needed(node.then, scope) & self.needed(node.otherwise, scope)
            return self.needed(node.condition, scope) | either
        if isinstance(node, tree.Case):
            return self.needed(node.arms[0].guard, scope)
        if isinstance(node, tree.Let):
            return self.needed(node.body, scope.inside(node))
        if isinstance(node, tree.Label):
            return self.needed(node.body, scope)
        return self._all(_parts(node), scope)

    def _all(self, nodes: Iterable[Expression], scope: Scope) -> Needed:
        return _NONE.union(*[self.needed(node, scope) for node in nodes])

    def _of_name(self, meaning: Meaning) -> Needed:
        if isinstance(meaning, Declaration):
            return frozenset({meaning})
        return frozenset({meaning}) if isinstance(meaning, Defined) and meaning.scope.parameters else _NONE

    def _of_call(self, meaning: Meaning, arguments: tuple[Expression, ...], scope: Scope) -> Needed:
        if isinstance(meaning, Standard):
            strict = arguments if meaning.module else arguments[: _LAZY.get(meaning.name, len(arguments))]
            return self._all([argument for argument in strict if not isinstance(argument, tree.Lambda)], scope)
        if not isinstance(meaning, Defined):
            return _NONE
        needs = self.needs(meaning)
        passed = zip(meaning.definition.parameters, arguments, strict=False)
        return self._all(
            [argument for parameter, argument in passed if parameter in needs and not parameter.arity], scope
        )


def _parts(node: Expression) -> list[Expression]:
    """The parts of a construct that are always evaluated."""
    if isinstance(node, tree.Binder):
        return [bound.domain for bound in node.bounds if bound.domain is not None]
    if isinstance(node, (tree.TupleOf, tree.SetOf)):
        return list(node.items)
    if isinstance(node, (tree.RecordOf, tree.RecordSet)):
        return [field.value for field in node.fields]
    if isinstance(node, tree.FunctionSet):
        return [node.domain, node.codomain]
    if isinstance(node, tree.FunctionApplication):
        return [node.function, *node.arguments]
    if isinstance(node, tree.Field):
        return [node.record]
    if isinstance(node, tree.Except):
        return [node.function]
    return []
