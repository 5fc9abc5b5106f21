r"""Compile the expressions and actions of a specification to Python functions.

==================  ==========================================================================================
expressions         functions of the state and the next state, whose variables are read by number
actions             functions of a run and of what to do next, which they do once for each way to take the action
``writer.py``       what all functions that write code get; it looks them up in the tables of this module
``expressions.py``  constructs; ``calls.py`` names, definitions and arguments, ``actions.py`` what assigns
``environment.py``  what names are in the code: Python's locals, or expressions by name
``program.py``      the code becomes functions
``runtime.py``      what these run in
==================  ==========================================================================================
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.compiler import actions, calls, expressions, let_bindings
from workbench.tlaplus.compiler.environment import NOTHING_BOUND, NOW, NOWHERE, REST, RUN, THEN, ByValue, Context
from workbench.tlaplus.compiler.python_code import assign, call, constant, defined, name, when
from workbench.tlaplus.compiler.runtime import Run
from workbench.tlaplus.compiler.writer import ActionRule, ValueRule, Writer
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.specification import Specification
from workbench.tlaplus.names.symbols import Constant, Scope, Variable, fail_at
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Declaration, Expression, Node, Quantified
from workbench.tlaplus.syntax.unparse import written

#: Evaluates an expression in a state and a next state, which is None if there is none, for the parameters' values.
Evaluation = Callable[..., Any]
#: Calls its second argument once for each way in which the action can be taken in the run that is its first.
Action = Callable[..., None]


#: The compiler of each kind of node as a value.
_VALUES: Mapping[type, ValueRule] = {
    tree.Number: expressions.literal,
    tree.String: expressions.string,
    tree.Boolean: expressions.literal,
    tree.Identifier: calls.value,
    tree.Apply: calls.value,
    tree.Operation: calls.value,
    tree.Qualified: calls.value,
    tree.Lambda: expressions.operator,
    tree.Label: expressions.label,
    tree.Let: let_bindings.value,
    tree.Conjunction: expressions.all_of,
    tree.Disjunction: expressions.some_of,
    tree.If: expressions.if_,
    tree.Case: expressions.case,
    tree.Quantified: expressions.quantified,
    tree.Choose: expressions.choose,
    tree.Filter: expressions.filtered,
    tree.MapOver: expressions.mapped,
    tree.SetOf: expressions.set_of,
    tree.TupleOf: expressions.tuple_,
    tree.RecordOf: expressions.record,
    tree.RecordSet: expressions.record_set,
    tree.Field: expressions.field,
    tree.FunctionOf: expressions.function_over,
    tree.FunctionSet: expressions.function_set,
    tree.FunctionApplication: expressions.application,
    tree.Except: expressions.except_,
    tree.At: expressions.at,
    tree.Prime: expressions.prime,
    tree.Box: expressions.box,
    tree.Angle: expressions.angle,
    tree.Fairness: expressions.fairness,
    tree.Unsupported: expressions.unsupported,
}
#: The compiler of each kind of node as an action. All other kinds are tests.
_ACTIONS: Mapping[type, ActionRule] = {
    **dict.fromkeys(_VALUES, actions.tested),
    tree.Boolean: actions.boolean,
    tree.Identifier: actions.named,
    tree.Apply: actions.named,
    tree.Operation: actions.named,
    tree.Qualified: actions.named,
    tree.Label: actions.label,
    tree.Let: actions.let,
    tree.Conjunction: actions.all_of,
    tree.Disjunction: actions.some_of,
    tree.If: actions.if_,
    tree.Case: actions.case,
    tree.Quantified: actions.quantified,
    tree.Box: actions.box,
    tree.Angle: actions.angle,
}


class Compiler:
    """Compiles what a specification defines; replacements by a configuration come before.

    Args:
        specification: The modules; a variable is known by its position in `specification.variables`.
        constants: The value of each declared constant; a function of Python for an operator.
    """

    def __init__(self, specification: Specification, constants: Mapping[Constant, Any]) -> None:
        self._specification, self._constants = specification, constants
        self._writer = Writer(specification, constants, _VALUES, _ACTIONS)
        # Much is compiled on first use, and several threads may use the same machine.
        self._lock = Lock()

    def number(self, variable: Variable) -> int:
        """The number of a variable of the specification."""
        return self._writer.numbers[variable]

    def over(self, variables: Sequence[Any]) -> "Compiler":
        """A compiler for states of other variables, possibly those of instances."""
        return Compiler(replace(self._specification, variables=tuple(variables)), self._constants)

    def expression(self, node: Expression, scope: Scope, parameters: Sequence[Declaration] = ()) -> Evaluation:
        """The value of an expression, which may be lazy.

        Args:
            node: The expression.
            scope: The meanings of its names.
            parameters: Names that are bound around it; the function takes their values after the two states.

        Raises:
            InputError: With the place, for a temporal formula and for what is not supported.
        """
        return self._evaluation(node, scope, parameters, self._writer.value)

    def predicate(self, node: Expression, scope: Scope, parameters: Sequence[Declaration] = ()) -> Evaluation:
        """The truth of an expression, whose value must be a boolean; see :meth:`expression`."""
        return self._evaluation(node, scope, parameters, self._writer.condition)

    def members(self, node: Quantified, scope: Scope, parameters: Sequence[Declaration] = ()) -> Evaluation:
        """The values to try for the names of a quantifier; see :meth:`expression`."""
        return self._evaluation(node, scope, parameters, lambda _, here: expressions.tried(self._writer, node, here))

    def action(self, node: Expression, scope: Scope, parameters: Sequence[Declaration] = ()) -> Action:
        """An action; see :meth:`expression` for the arguments and errors.

        The function takes a :class:`workbench.tlaplus.compiler.runtime.Run` and a function that it calls once for each
        way in which the action can be taken, in TLC's order; `run.then` holds the assignments of that way for as long.
        """
        with self._writing(node):
            here, locals_ = self._start(node, scope, parameters)
            return self._define([RUN, REST, *locals_], self._writer.body(node, here), node, here)

    def beginning(self, formulas: Sequence[tuple[Expression, Scope]]) -> Action:
        r"""The conjunction of initial conditions, where ``x = e`` and ``x \in S`` assign variables without a prime.

        The function takes a run without a state, ``Run(names)``, and a function that it calls for each initial state.
        """
        parts = [self._beginning(node, scope) for node, scope in formulas]

        def begin(run: Run, rest: Callable[[], None], number: int = 0) -> None:
            if number == len(parts):
                rest()
            else:
                parts[number](run, lambda: begin(run, rest, number + 1))

        return begin

    def _beginning(self, node: Expression, scope: Scope) -> Action:
        with self._writing(node):
            self._check(node, scope)
            here = Context(scope, NOTHING_BOUND, node.at.module, then=NOWHERE, initial=True)
            return self._define([RUN, REST], self._writer.body(node, here), node, here)

    def _check(self, node: Expression, scope: Scope) -> None:
        here = Context(scope, NOTHING_BOUND, node.at.module)
        if self._writer.knowledge.level(node, here) is Level.TEMPORAL:
            fail_at(node.at, f"{written(node)} is a temporal formula, which has no value in a state or step")

    def _start(self, node: Expression, scope: Scope, parameters: Sequence[Declaration]) -> tuple[Context, list[str]]:
        self._check(node, scope)
        locals_ = [self._writer.program.fresh("parameter") for _ in parameters]
        bindings = NOTHING_BOUND.bound(
            {parameter: ByValue(local) for parameter, local in zip(parameters, locals_, strict=True)}
        )
        return Context(scope, bindings, node.at.module), locals_

    def _evaluation(
        self,
        node: Expression,
        scope: Scope,
        parameters: Sequence[Declaration],
        write: Callable[[Expression, Context], ast.expr],
    ) -> Evaluation:
        with self._writing(node):
            here, locals_ = self._start(node, scope, parameters)
            has_no_next = ast.Compare(name(THEN), [ast.Is()], [constant(None)])
            statements = [when(has_no_next, [assign(THEN, name(NOWHERE))], []), ast.Return(write(node, here))]
            return self._define([NOW, THEN, *locals_], statements, node, here)

    def _define(self, head: list[str], statements: list[ast.stmt], node: Node, here: Context) -> Callable[..., Any]:
        """A function whose RecursionError says that :func:`workbench.tlaplus.compiler.big_stack.deeper` may do."""
        error = "error"
        refuse: list[ast.stmt] = [ast.Raise(call("too_deep", name(error)))]
        handler = ast.ExceptHandler(name("RecursionError"), error, refuse)
        body: list[ast.stmt] = [ast.Try(statements, [handler], [], [])]
        definition = defined(self._writer.program.fresh("entry"), head, body)
        return self._writer.define(definition, node, here)

    @contextmanager
    def _writing(self, node: Node) -> Iterator[None]:
        """One thread at a time writes; a recursion without an end is refused, as is what is nested too deep."""
        with self._lock:
            try:
                yield
            except RecursionError:
                at, cause = node.at, "or an operator passes ever larger formulas to itself"
                raise InputError(f"{at}: this is nested too deep, {cause}") from None
