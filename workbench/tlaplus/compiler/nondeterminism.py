r"""Finds formulas in actions that assign, or can succeed in several ways; all others are plain tests.

TLC continues once for each way, even if the way assigns nothing, and counts the states that it generates in this way.
"""

from workbench.tlaplus.compiler.environment import Binding, ByName, Context, Environment, Knowledge
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Scope, Standard
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, Node, OperatorDefinition
from workbench.tlaplus.syntax.visitor import formulas

_CONNECTIVES = frozenset({"/\\", "\\/", "=>", "\\cdot"})


class Nondeterminism:
    """Finds formulas with several ways, and remembers the answers for definitions."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._answers: dict[Defined, bool] = {}

    def of_call(self, meaning: Defined, arguments: tuple[Binding, ...], visible: Environment, here: Context) -> bool:
        """Whether a definition is more than a test when applied to these arguments, with these visible names."""
        if self._in_definition(meaning):
            return True
        for argument in arguments:
            if isinstance(argument, ByName):
                inside = here.at(argument)
                if self._knowledge.highest(argument.node, inside) >= Level.ACTION:
                    return True
                if self._in(argument.node, inside.scope):
                    return True
        return any(isinstance(binding, ByName) for binding in visible.values())

    def has_ways(self, node: Expression, here: Context) -> bool:
        """Whether a formula may be true in several ways. An equation never is, even if it assigns."""
        symbol = node.symbol if isinstance(node, tree.Operation) else ""
        if symbol and symbol not in _CONNECTIVES and isinstance(here.scope.meaning(symbol, node.at), Standard):
            return False
        if any(isinstance(binding, ByName) for binding in here.environment.values()):
            return True
        return self._in(node, here.scope)

    def _in_definition(self, meaning: Defined) -> bool:
        if meaning not in self._answers:
            self._answers[meaning] = True  # of a recursion we know nothing better
            is_operator = isinstance(meaning.definition, OperatorDefinition)
            self._answers[meaning] = is_operator and self._in(meaning.body, meaning.inner)
        return self._answers[meaning]

    def _in(self, node: Node, scope: Scope) -> bool:
        if isinstance(node, (tree.Disjunction, tree.Prime, tree.Box, tree.Angle)):
            return True
        if isinstance(node, tree.Quantified) and node.kind == "E":
            return True
        if isinstance(node, (tree.Let, tree.Label, tree.Lambda)):
            return self._in(node.body, scope.inside(node))
        inside = scope.inside(node)
        return any(self._in(formula, inside) for formula in formulas(node)) or self._in_name(node, scope)

    def _in_name(self, node: Node, scope: Scope) -> bool:
        meaning, operands = scope.applied(node) or (None, ())
        if isinstance(meaning, Standard):
            return self._in_standard(meaning, operands, scope)
        if isinstance(meaning, InstanceParameter):
            return self._in(meaning.expression, meaning.scope)
        if isinstance(meaning, Defined):
            return self._in_definition(meaning) or any(self._in(operand, scope) for operand in operands)
        return False

    def _in_standard(self, meaning: Standard, operands: tuple[Expression, ...], scope: Scope) -> bool:
        if meaning.module:
            return False
        if meaning.name in ("\\/", "UNCHANGED", "\\cdot"):
            return True
        if meaning.name == "=>":
            return self._in(operands[1], scope)
        return meaning.name in ("=", "\\in", "/\\") and any(self._in(operand, scope) for operand in operands)
