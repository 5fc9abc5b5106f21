"""The state shared by the writers of expressions, calls and actions while a specification is compiled."""

import ast
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from workbench.tlaplus.compiler import runtime
from workbench.tlaplus.compiler.big_stack import too_deep
from workbench.tlaplus.compiler.environment import NOTHING_BOUND, NOW, NOWHERE, THEN, Binding, Here, Knowledge
from workbench.tlaplus.compiler.free_names import Mentions
from workbench.tlaplus.compiler.nondeterminism import Branching
from workbench.tlaplus.compiler.program import Program
from workbench.tlaplus.compiler.python_code import defined
from workbench.tlaplus.layout.views import tried
from workbench.tlaplus.names.loader import Specification
from workbench.tlaplus.names.strictness import Strictness
from workbench.tlaplus.names.symbols import Constant, Defined, Scope, Variable
from workbench.tlaplus.syntax.tree import Expression, Let, Node, Place
from workbench.tlaplus.values import operators
from workbench.tlaplus.values.cancellation import is_due, look_up
from workbench.tlaplus.values.lazy import each, equal, isin, truth
from workbench.tlaplus.values.sets import Functions, Product, Records, Subsets


class ExpressionWriter(Protocol):
    """The interface of ``expressions.py`` for the modules on which it is built."""

    def written(self, node: Expression, here: Here) -> ast.expr: ...


class CallWriter(Protocol):
    """The interface of ``calls.py`` for ``expressions.py`` and this module."""

    def value(self, node: Expression, here: Here) -> ast.expr: ...

    def bound(self, binding: Binding, here: Here) -> ast.expr: ...

    def body(self, meaning: Defined, here: Here) -> ast.expr: ...


class LetWriter(Protocol):
    """The interface of ``let_bindings.py`` for ``expressions.py``."""

    def value(self, node: Let, here: Here) -> ast.expr: ...


class ActionWriter(Protocol):
    """The interface of ``actions.py`` for ``calls.py``."""

    branching: Branching

    def body(self, node: Expression, here: Here) -> list[ast.stmt]: ...

    def function_of(self, node: Expression, here: Here, at: Place) -> str: ...


#: The functions that compiled code uses, by their names there.
_KNOWN: Mapping[str, Any] = {
    "any": any,
    "all": all,
    "map": map,
    "len": len,
    "tuple": tuple,
    "RecursionError": RecursionError,
    "Functions": Functions,
    "Product": Product,
    "Records": Records,
    "Subsets": Subsets,
    "Once": runtime.Once,
    "each": each,
    "equal": equal,
    "isin": isin,
    "truth": truth,
    "failed": runtime.failed,
    "tried": tried,
    "unpacked": runtime.unpacked,
    "too_deep": too_deep,
    "is_due": is_due,
    "look_up": look_up,
    "is_enabled": runtime.is_enabled,
    "Mapped": runtime.Mapped,
    **{
        one.__name__: one
        for one in (
            operators.apply,
            operators.cap,
            operators.choose,
            operators.cup,
            operators.domain,
            operators.enumerated,
            operators.except_,
            operators.field,
            operators.filtered,
            operators.function,
            operators.mapped,
            operators.minus,
            operators.record,
            operators.recursive,
            operators.subseteq,
            operators.tupled,
            operators.union,
        )
    },
}


class Workshop:
    """The program that is written, what is known about names, and the writers.

    Args:
        specification: Its names are final: no replacement comes later.
        constants: The value of each declared constant; a Python function for an operator.
    """

    expressions: ExpressionWriter
    calls: CallWriter
    lets: LetWriter
    actions: ActionWriter

    def __init__(self, specification: Specification, constants: Mapping[Constant, Any]) -> None:
        self.names = tuple(variable.name for variable in specification.variables)
        self.numbers: dict[Variable, int] = {one: number for number, one in enumerate(specification.variables)}
        self.constants = constants
        self.nowhere = runtime.Nowhere(self.names)
        self.program = Program({**_KNOWN, NOWHERE: self.nowhere, "names": self.names})
        self.knowledge = Knowledge()
        self.strictness = Strictness()
        self.mentions = Mentions()
        self._remembered: dict[Any, str] = {}
        self._values: dict[int, tuple[Any, str]] = {}

    def number(self, variable: Variable) -> int:
        """The number of a variable, also of one that is not the specification's."""
        return self.numbers.setdefault(variable, len(self.numbers))

    def named(self, value: Any) -> str:
        """The name under which the program has a value."""
        known = self._values.get(id(value))
        if known is None:
            known = self._values[id(value)] = value, self.program.constant(value)  # the value keeps its id
        return known[1]

    def remembered(self, what: Expression | Defined, scope: Scope | None = None) -> str:
        """The name of a function that evaluates an expression or a definition once.

        It depends on no state and no bound name; the first evaluation comes when its value is needed.
        """
        key = what, scope
        if key not in self._remembered:
            known = self._remembered[key] = self.program.fresh("known")
            made = self._evaluation(what, scope)
            self.program.names[known] = runtime.Once(lambda: made(None, None))
        return self._remembered[key]

    def _evaluation(self, what: Expression | Defined, scope: Scope | None) -> Callable[..., Any]:
        if isinstance(what, Defined):
            at, module = what.definition, what.definition.at.module
            here = Here(what.scope.inside(what.definition), NOTHING_BOUND, module)
            return self.function(at, here, [], lambda: self.calls.body(what, here), what.name)
        assert scope is not None
        here = Here(scope, NOTHING_BOUND, what.at.module)
        return self.function(what, here, [], lambda: self.expressions.written(what, here), "")

    def function(
        self, node: Node, here: Here, parameters: list[str], write: Callable[[], ast.expr], spoken: str
    ) -> Callable[..., Any]:
        """A function of two states that returns the value of the written expression."""
        body: list[ast.stmt] = [ast.Return(write())]
        definition = defined(self.program.fresh("evaluate"), [NOW, THEN, *parameters], body)
        return self.define(definition, node, here, spoken)

    def define(self, definition: ast.FunctionDef, node: Node, here: Here, spoken: str) -> Callable[..., Any]:
        """Add a function to the program; parts of it without a place in the text get the place of `node`."""
        definition.lineno = definition.end_lineno = node.at.line
        definition.col_offset, definition.end_col_offset = node.at.column - 1, node.at.column
        return self.program.define(definition, f"{here.module}.tla", spoken)
