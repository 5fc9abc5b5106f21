"""What of a text is compiled: each function after those that it calls, so that none calls itself."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace

from workbench.fizzbee.compiler.expressions import Names, Native, Refused, names_in, new_program
from workbench.fizzbee.compiler.statements import FunctionWriter, statements_in
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.syntax import tree


class Compiler:
    """Compiles the functions and assertions of `meaning`.

    Args:
        stated: The variables of every state.
        partial: Those that only some states have.

    Attributes:
        natives: What is compiled, by the identity of its block; None for what is not.
    """

    def __init__(self, meaning: Meaning, stated: frozenset[str], partial: frozenset[str]) -> None:
        self._text = text = meaning.text
        obscure = frozenset(text.roles) | frozenset(text.functions)
        self._names = Names(stated, (obscure | partial) - stated, meaning.constants, new_program())
        # A def of the file was made before there was any state, and sees none.
        self._names_of_defs = replace(self._names, stated=frozenset(), obscure=obscure)
        self._defs = _defs(text)
        self.natives: dict[int, Native | None] = {}
        for role in (None, *text.roles.values()):
            for name in (text if role is None else role).functions:
                with suppress(Refused):
                    self._function(role, name)
        for assertion in text.assertions.values():
            names = (assertion.parameters or ("before", "after"))[:2] if assertion.operators == ("transition",) else ()
            parameters = tuple(tree.Parameter(assertion.at, name, None) for name in names)
            with suppress(Refused):
                self._compiled(parameters, assertion.body, self._writer(None, False))

    def _writer(self, role: tree.Role | None, marks: bool) -> FunctionWriter:
        return FunctionWriter(self._names, self._def, self._function, self._text, role, marks)

    def _function(self, role: tree.Role | None, name: str) -> Native:
        functions = (self._text if role is None else role).functions
        if name not in functions:
            raise Refused
        return self._compiled(functions[name].parameters, functions[name].body, self._writer(role, True))

    def _def(self, name: str) -> Native | None:
        if name not in self._defs:
            return None
        declared = self._defs[name]
        writer = FunctionWriter(self._names_of_defs, self._def, _no_function, self._text, None, False)
        return self._compiled(declared.parameters, declared.body, writer)

    def _compiled(self, parameters: tuple[tree.Parameter, ...], body: tree.Block, writer: FunctionWriter) -> Native:
        if id(body) not in self.natives:
            self.natives[id(body)] = None  # also while it is compiled, so that no cycle is
            # Python is stricter than FizzBee in places: 21 loops in each other are too many.
            with suppress(Refused, SyntaxError, ValueError, RecursionError):
                python_parameters, (statements, count) = writer.function(parameters, body)
                identifier, call = self._names.program.define(python_parameters, statements)
                depth = 1 + max([native.depth for native in writer.callees], default=0)
                names = tuple(parameter.name for parameter in parameters)
                self.natives[id(body)] = Native(identifier, call, names, count, depth)
        if (native := self.natives[id(body)]) is None:
            raise Refused
        return native


def _no_function(role: tree.Role | None, name: str) -> Native:
    raise Refused


def _defs(text: tree.Specification) -> dict[str, tree.Function]:
    """The functions among the constants that are assigned once."""
    bound = Counter(name for statement in statements_in(tuple(text.constants)) for name in _bound_by(statement))
    functions = [statement for statement in text.constants if isinstance(statement, tree.Function)]
    return {function.name: function for function in functions if bound[function.name] == 1}


def _bound_by(statement: tree.Statement) -> list[str]:
    match statement:
        case tree.Function(name=name) | tree.Choose(name=name):
            return [name]
        case tree.Assign(target=target) | tree.For(target=target):
            return names_in(target)
    return []
