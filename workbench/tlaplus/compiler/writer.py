"""The writer of a specification's code: the program, what is known about names, and the dispatch over kinds of nodes.

Functions of ``expressions.py``, ``calls.py``, ``let_bindings.py`` and ``actions.py`` write one kind of node each, and
ask the writer for the parts of it. ``compiler.py`` has the tables of them.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from workbench.tlaplus.compiler.environment import (
    NOTHING_BOUND,
    NOW,
    NOWHERE,
    REST,
    RUN,
    THEN,
    Binding,
    ByName,
    ByNeed,
    Context,
    InState,
    Knowledge,
)
from workbench.tlaplus.compiler.free_names import FreeNames
from workbench.tlaplus.compiler.nondeterminism import Nondeterminism
from workbench.tlaplus.compiler.program import Program
from workbench.tlaplus.compiler.python_code import assign, attribute, call, defined, name, placed
from workbench.tlaplus.compiler.runtime import KNOWN, Nowhere, Thunk
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.strictness import Strictness
from workbench.tlaplus.names.symbols import Constant, Scope, Standard, Variable
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, Node

Statements = list[ast.stmt]
#: Writes what comes after a formula, the continuation. It may be called once.
Following = Callable[[], Statements]
#: Writes the value of one kind of node.
ValueRule = Callable[["Writer", Any, Context], ast.expr]
#: Writes one kind of node as an action, with its continuation inside.
ActionRule = Callable[["Writer", Any, Context, Following], Statements]

#: Nodes that are as cheap as a value that is remembered.
_CHEAP = (tree.Identifier, tree.Number, tree.String, tree.Boolean, tree.Lambda, tree.At)
_BOOLEAN = (tree.Boolean, tree.Conjunction, tree.Disjunction, tree.Quantified, tree.Box, tree.Angle)
#: Operators of TLA+ itself and of Naturals whose value is a boolean of Python.
_TESTS = frozenset(
    {"=", "#", "\\in", "\\notin", "\\subseteq", "~", "=>", "<=>", "/\\", "\\/", "<", ">", "<=", ">=", "ENABLED"}
    | {"UNCHANGED", "\\cdot"}
)
#: The local variable that holds the bound names chosen by an action.
CHOSEN = "chosen"


class Writer:
    """Writes Python's ``ast`` for nodes.

    Args:
        specification: The specification, after all replacements of names.
        constants: The value of each declared constant; a Python function for an operator.
        values: For each kind of node, the function that compiles it to an expression.
        actions: For each kind of node, the function that compiles it to statements that assign, and run their
            continuation once for each way in which the node is true.

    Attributes:
        functions: The function of a definition for each form of its arguments, and the local variables around a call
            that it takes before these; ``calls.py`` fills it.
    """

    def __init__(
        self,
        specification: Specification,
        constants: Mapping[Constant, Any],
        values: Mapping[type, ValueRule],
        actions: Mapping[type, ActionRule],
    ) -> None:
        names = tuple(variable.name for variable in specification.variables)
        self.numbers: dict[Variable, int] = {
            variable: number for number, variable in enumerate(specification.variables)
        }
        self.constants = constants
        self.program = Program({**KNOWN, NOWHERE: Nowhere(names), "names": names})
        self.knowledge = Knowledge()
        self.strictness = Strictness()
        self.free_names = FreeNames()
        self.nondeterminism = Nondeterminism(self.knowledge)
        self.functions: dict[Any, tuple[str, list[str]]] = {}
        self._values, self._actions = values, actions
        self._remembered: dict[tuple[Node, Scope], str] = {}
        self._names: dict[int, tuple[Any, str]] = {}

    # Expressions -----------------------------------------------------------------------------------------------------

    def value(self, node: Expression, here: Context) -> ast.expr:
        """Compile an expression to code for its value, which may be lazy."""
        if not isinstance(node, _CHEAP) and self._is_fixed(node, here):
            expression: ast.expr = call(self.remembered(node, here.scope, lambda inside: self._anew(node, inside)))
        else:
            expression = self._anew(node, here)
        if node.at.module == here.module:
            placed(expression, node.at)
        return expression

    def _anew(self, node: Expression, here: Context) -> ast.expr:
        """An expression that is evaluated each time."""
        return self._values[type(node)](self, node, here)

    def _is_fixed(self, node: Expression, here: Context) -> bool:
        """Whether an expression always has the same value, so that it is evaluated once."""
        if self.free_names.of(node, here.scope) & here.environment.keys():
            return False
        return self.knowledge.level(node, here) is Level.CONSTANT

    def values(self, nodes: tuple[Expression, ...], here: Context) -> list[ast.expr]:
        return [self.value(node, here) for node in nodes]

    def condition(self, node: Expression, here: Context) -> ast.expr:
        """An expression that must be a boolean."""
        return self.truth(self.value(node, here), node, here)

    def conditions(self, nodes: tuple[Expression, ...], here: Context) -> list[ast.expr]:
        return [self.condition(node, here) for node in nodes]

    def truth(self, value: ast.expr, node: Expression, here: Context) -> ast.expr:
        """Compile a node to code for its truth, which raises an error if the value is not a boolean."""
        condition = value if self.is_boolean(node, here) else call("truth", value)
        if node.at.module == here.module:
            placed(condition, node.at)
        return condition

    def is_boolean(self, node: Expression, here: Context) -> bool:
        """Whether the value of an expression is known to be a boolean of Python."""
        if isinstance(node, tree.Operation):
            meaning = here.scope.meaning(node.symbol, node.at)
            return node.symbol in _TESTS and isinstance(meaning, Standard) and meaning not in here.environment
        return isinstance(node, _BOOLEAN)

    def bound(self, binding: Binding, here: Context) -> ast.expr:
        """The value of a bound name."""
        if isinstance(binding, ByName):
            return self.value(binding.node, here.at(binding))
        is_by_need = isinstance(binding, ByNeed) or (isinstance(binding, InState) and binding.is_thunk)
        return call(binding.local) if is_by_need else name(binding.local)

    # Actions ---------------------------------------------------------------------------------------------------------

    def body(self, node: Expression, here: Context) -> Statements:
        """The body of a function that takes a run and the continuation."""
        then = [] if here.initial else [assign(here.then, attribute(RUN, "then"))]
        return [
            assign(here.now, attribute(RUN, "now")),
            *then,
            assign(CHOSEN, attribute(RUN, CHOSEN)),
            *self.action(node, here, rest),
        ]

    def action(self, node: Expression, here: Context, following: Following) -> Statements:
        """Compile an action's formula, and then its continuation, to statements."""
        statements = self._actions[type(node)](self, node, here, following)
        if node.at.module == here.module:
            for statement in statements:
                placed(statement, node.at)
        return statements

    # The program -----------------------------------------------------------------------------------------------------

    def number(self, variable: Variable) -> int:
        """The number of a variable, whether or not it belongs to the specification."""
        return self.numbers.setdefault(variable, len(self.numbers))

    def named(self, value: Any) -> str:
        """The name under which the program has a value."""
        entry = self._names.get(id(value))
        if entry is None:
            entry = self._names[id(value)] = value, self.program.constant(value)  # the value keeps its id
        return entry[1]

    def remembered(self, node: Node, scope: Scope, write: Callable[[Context], ast.expr]) -> str:
        """The name of a thunk: its first call evaluates the code that `write` makes for a node, and keeps the value.

        The value may depend on no state and no bound name.
        """
        key = node, scope
        if key not in self._remembered:
            thunk = self._remembered[key] = self.program.fresh("known")
            here = Context(scope, NOTHING_BOUND, node.at.module)
            function = self.evaluation([], write(here), node, here)
            self.program.names[thunk] = Thunk(lambda: function(None, None))
        return self._remembered[key]

    def evaluation(self, parameters: list[str], value: ast.expr, node: Node, here: Context) -> Callable[..., Any]:
        """A function of two states and parameters that returns a value."""
        definition = defined(self.program.fresh("evaluate"), [NOW, THEN, *parameters], [ast.Return(value)])
        return self.define(definition, node, here)

    def define(self, definition: ast.FunctionDef, node: Node, here: Context) -> Callable[..., Any]:
        """Add a function to the program; parts of it without a place in the text get the place of `node`."""
        line, column = node.at.shown
        definition.lineno = definition.end_lineno = line
        definition.col_offset, definition.end_col_offset = column - 1, column
        return self.program.define(definition, f"{here.module}.tla")


def rest() -> Statements:
    """The continuation of a whole function."""
    return [ast.Expr(call(REST))]
