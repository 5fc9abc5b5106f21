"""The bound names, parameters and LET definitions that an expression depends on, also through definitions."""

from workbench.tlaplus.compiler.environment import Bindable
from workbench.tlaplus.names.fixpoint import Fixpoint
from workbench.tlaplus.names.symbols import (
    Constant,
    Defined,
    InstanceParameter,
    Instantiated,
    Meaning,
    Scope,
    Standard,
    Variable,
)
from workbench.tlaplus.syntax.tree import At, Declaration, Let, Node
from workbench.tlaplus.syntax.visitor import parts

Names = frozenset[Bindable]
_NOTHING: Names = frozenset()
_UNBOUND = (Variable, Constant, Standard, Instantiated)


class FreeNames:
    """Finds free names. It memoizes those of definitions and of nodes."""

    def __init__(self) -> None:
        self._names: Fixpoint[Defined, Names] = Fixpoint(_NOTHING)
        self._of_nodes: dict[tuple[Node, Scope], Names] = {}

    def of(self, node: Node, scope: Scope) -> Names:
        """The names that an expression mentions, possibly with those that it introduces itself."""
        key = node, scope
        if key not in self._of_nodes:
            self._of_nodes[key] = self._visit(node, scope)
        return self._of_nodes[key]

    def of_meaning(self, meaning: Meaning) -> Names:
        """The names that the meaning of a name mentions, with the name itself if something can be bound to it."""
        if isinstance(meaning, InstanceParameter):
            return self._visit(meaning.expression, meaning.scope)
        if not isinstance(meaning, Defined):
            return frozenset({meaning}) if not isinstance(meaning, _UNBOUND) else _NOTHING
        inside = self._names.get(meaning, lambda: self._of_body(meaning))
        return inside | {meaning} if meaning.scope.outer is not None else inside

    def _of_body(self, meaning: Defined) -> Names:
        free = self._visit(meaning.body, meaning.inner)
        return frozenset(name for name in free if _is_outside(name, meaning.scope))

    def _visit(self, node: Node, scope: Scope) -> Names:
        if isinstance(node, At):
            return frozenset({At})
        called = scope.applied(node)
        free = _NOTHING if called is None else self.of_meaning(called[0])
        for part in parts(node):
            inside = scope.inside(node) if part.inside else scope
            if not isinstance(node, Let) or part.node is node.body:  # a definition counts where it is used
                free |= self._visit(part.node, inside)
        return free


def _is_outside(name: Bindable, scope: Scope) -> bool:
    """Whether a name is bound around a definition in a scope, and not inside it, where recursion binds names again."""
    if isinstance(name, Declaration):
        return name in scope.parameters
    around: Scope | None = scope
    while around is not None:
        if isinstance(name, Defined) and around is name.scope:
            return True
        around = around.outer
    return False
