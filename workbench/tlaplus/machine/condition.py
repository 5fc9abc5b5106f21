"""Expressions of a state that people ask of a machine: watches, conditions of scenarios and of searches."""

from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.state import Reader
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.questions import question, refused
from workbench.tlaplus.names.symbols import Scope
from workbench.tlaplus.syntax.tree import Operation
from workbench.tlaplus.syntax.unparse import written
from workbench.tlaplus.values.lazy import listed

_COMPARISONS = {"=", "#", "<", ">", "<=", ">=", "\\in", "\\notin", "\\subseteq"}


class TextExpression:
    r"""An expression in TLA+, as a function of a state.

    Attributes:
        is_constant: Whether it is the same in all states.
        left: The left side of a single comparison, such as ``x`` of ``x \in S``; None for anything else. If it is long,
            or has LET, something is left out of it.

    Raises:
        InputError: With the column, for a mistake; or if it speaks of more than a state.
    """

    def __init__(self, text: str, scope: Scope, closures: Closures, cells: Cells) -> None:
        node = question(text, scope)
        self._closures, self._cells, self._at = closures, cells, node.at
        closure = Closure(node, scope, {})
        level = closures.level(closure)
        if level > Level.STATE:
            of = "steps" if level is Level.ACTION else "behaviours"
            raise InputError(refused(text, f"it speaks of {of}; it takes an expression of a state"))
        self.is_constant = level is Level.CONSTANT
        self.left: str | None = None
        if isinstance(node, Operation) and node.symbol in _COMPARISONS:
            self.left = written(node.operands[0])
        self._evaluate = closures.compiled("expression", closure)

    def __call__(self, state: Reader) -> Any:
        """Its value; raises a ModelError with its column where it has none."""
        now = self._cells.variables_of(state)
        return self._closures.evaluated(self._at, lambda: listed(self._evaluate(now, None)))
