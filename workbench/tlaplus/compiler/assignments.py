"""The variables that an equation assigns, or an UNCHANGED keeps: a variable may stand behind several names."""

from dataclasses import replace

from workbench.tlaplus.compiler.calls import Calls
from workbench.tlaplus.compiler.context import Workshop
from workbench.tlaplus.compiler.environment import Here, Written
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import Defined, Substituted, Variable
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, OperatorDefinition


class Targets:
    """Finds variables behind names."""

    def __init__(self, workshop: Workshop, calls: Calls) -> None:
        self.workshop = workshop
        self.calls = calls

    def target(self, node: Expression, here: Here) -> int | None:
        """The number of the variable that an equation with this left side assigns; None if it assigns none."""
        if not here.initial:
            return self._primed(node, here)
        return self._variable(node, here)

    def _primed(self, node: Expression, here: Here) -> int | None:
        if isinstance(node, tree.Prime):
            return self._variable(node.operand, here)
        found = self._behind(node, here)
        return None if found is None else self._primed(*found)

    def _variable(self, node: Expression, here: Here) -> int | None:
        if isinstance(node, tree.Identifier):
            meaning = here.scope.meaning(node.name, node.at)
            if isinstance(meaning, Variable):
                return self.workshop.numbers[meaning]
        found = self._behind(node, here)
        return None if found is None else self._variable(*found)

    def _behind(self, node: Expression, here: Here) -> tuple[Expression, Here] | None:
        """The text for which a name stands."""
        if isinstance(node, tree.Label):
            return node.body, here
        if not isinstance(node, (tree.Identifier, tree.Qualified)):
            return None
        meaning, arguments, inside = self.calls.reached(node, here)
        binding = inside.environment.get(meaning)
        if arguments or meaning.arity:
            return None
        if isinstance(binding, Written):
            return binding.node, inside.at(binding)
        if isinstance(meaning, Substituted):
            return meaning.expression, replace(inside, scope=meaning.scope)
        if isinstance(meaning, Defined) and isinstance(meaning.definition, OperatorDefinition):
            return meaning.definition.body, replace(inside, scope=meaning.scope)
        return None

    def kept(self, node: Expression, here: Here) -> tuple[list[int], list[tuple[Expression, Here]]]:
        """The variables of an UNCHANGED, and the expressions in it that are not variables."""
        if isinstance(node, tree.TupleOf):
            found = [self.kept(one, here) for one in node.items]
            return [one for numbers, _ in found for one in numbers], [one for _, tests in found for one in tests]
        number = self._variable(node, here)
        if number is not None:
            return [number], []
        behind = self._behind(node, here)
        if behind is not None and self.workshop.knowledge.level(*behind) > Level.CONSTANT:
            return self.kept(*behind)
        return [], [(node, here)]
