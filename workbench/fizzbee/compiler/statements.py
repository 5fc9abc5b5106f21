"""Statements as trees of Python's ``ast``, with how many of them the interpreter would count."""

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from workbench.fizzbee.compiler.expressions import (
    METHOD_NAMES,
    ExpressionWriter,
    Names,
    Native,
    Refused,
    call,
    load,
    local,
    names_in,
    parameters_of,
    subscript,
)  # fmt: skip
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.tree import Expression

#: Statements, and how many the interpreter counts at most, but for those in loops.
Written: TypeAlias = tuple[list[ast.stmt], int]


def blocks_in(statement: tree.Statement) -> list[tree.Block]:
    """The blocks of a statement."""
    match statement:
        case tree.If(branches=branches):
            return [body for _, body in branches]
        case tree.For() | tree.While() | tree.Group() | tree.Choose(body=tree.Block()):
            return [statement.body] if statement.body is not None else []
    return []


def statements_in(statements: tuple[tree.Statement, ...]) -> Iterator[tree.Statement]:
    """The statements, and all those in their blocks."""
    for statement in statements:
        yield statement
        for block in blocks_in(statement):
            yield from statements_in(block.statements)


class FunctionWriter(ExpressionWriter):
    """Writes one function.

    Args:
        native: Gives the compiled function of a name, of a role or of the text (None), or refuses.
        roles: The roles of the text, with the functions of each.
        role: That of which ``self`` is an instance.
        marks: Whether the interpreter asks if something was done.
    """

    def __init__(
        self,
        names: Names,
        native_def: Callable[[str], Native | None],
        native: Callable[[tree.Role | None, str], Native],
        text: tree.Specification,
        role: tree.Role | None,
        marks: bool,
    ) -> None:
        super().__init__(names, role is not None, native_def)
        self._native, self._text, self._role, self._marks = native, text, role, marks

    def function(self, parameters: tuple[tree.Parameter, ...], body: tree.Block) -> tuple[ast.arguments, Written]:
        """A function's parameters and statements.

        Raises:
            Refused: If it is not compiled.
        """
        own = frozenset(parameter.name for parameter in parameters)
        looped, assigned = set[str](), set[str]()
        for statement in statements_in(body.statements):
            if isinstance(statement, tree.For):
                looped.update(names_in(statement.target))
            elif isinstance(statement, tree.Assign):
                assigned.update(names_in(statement.target))
        fresh = (assigned - self.names.stated | looped) - own
        if any(map(self.names.means_more, fresh)):
            raise Refused  # what such a name is depends on what has been run
        self.locals = own | fresh
        defaults = [parameter.default for parameter in parameters if parameter.default is not None]
        last = [parameter.default for parameter in parameters[len(parameters) - len(defaults) :]]
        if defaults != last or not all(isinstance(default, tree.Literal) for default in defaults):
            raise Refused
        names = ["run", "owner", *(local(parameter.name) for parameter in parameters)]
        statements, count = self.block(body)
        heap = ast.Attribute(ast.Attribute(load("run"), "state", ast.Load()), "heap", ast.Load())
        if any(isinstance(node, ast.Name) and node.id == "heap" for part in statements for node in ast.walk(part)):
            statements.insert(0, _assigned("heap", heap))
        return parameters_of(names, list(map(self.value, defaults))), (statements, count)

    def block(self, block: tree.Block) -> Written:
        if block.flow not in ("", "atomic"):
            raise Refused
        result, total, marked = list[ast.stmt](), 0, not self._marks
        for statement in block.statements:
            statements, count = _KINDS[type(statement)](self, statement)
            if not marked and self._does(statement):
                done = ast.Attribute(load("run"), "done", ast.Store())
                result.append(ast.Assign([done], ast.Constant(True)))
                marked = True
            result += statements
            total += count
        return result or [ast.Pass()], total

    def _does(self, statement: tree.Statement) -> bool:
        """Whether a statement does something by itself, so that the step counts."""
        if isinstance(statement, tree.Evaluate):
            return self._called(statement.value) is None
        return isinstance(statement, tree.Assign) or (isinstance(statement, tree.Word) and statement.word == "pass")

    # Calls of functions -----------------------------------------------------------------------------------------------

    def _called(self, node: Expression) -> tuple[str, Expression | None] | None:
        """The name of the function that a statement calls, with what it is called of; None if it calls none."""
        if not isinstance(node, tree.Call):
            return None
        match node.function:
            case tree.Name(name=name) if name in self._text.functions:
                return name, None
            case tree.Attribute(owner=tree.Name() | tree.Attribute() | tree.Index() as owner, name=name):
                if any(name in role.functions for role in self._text.roles.values()):
                    return name, owner
        return None

    def _statement_value(self, node: Expression) -> tuple[list[ast.stmt], ast.expr, int]:
        """What a statement evaluates, after other statements, with how many are run in it."""
        called = self._called(node)
        if called is None or not isinstance(node, tree.Call):
            return [], self.value(node), 0
        name, owner = called
        if owner is None:
            native = self._native(None, name)
            return [], self.native_call(native, ast.Constant(None), node), native.statements
        is_self = isinstance(owner, tree.Name) and owner.name == "self" and "self" not in self.locals
        if is_self and self._role is not None:
            native = self._native(self._role, name)
            return [], self.native_call(native, self.value(owner), node), native.statements
        if name in METHOD_NAMES:
            raise Refused  # which of them is meant shows only when it runs
        natives = {role.name: self._native(role, name) for role in self._text.roles.values() if name in role.functions}
        self.callees += natives.values()
        kept = self.fresh()
        functions = self.names.program.keep({role: native.call for role, native in natives.items()})
        positional, named = self.arguments(node, local)
        function = call("role_function", load(kept), load(functions))
        result = ast.Call(function, [load("run"), load(kept), *positional], named)
        return [_assigned(kept, self.value(owner))], result, max(native.statements for native in natives.values())

    # Statements -------------------------------------------------------------------------------------------------------

    def _evaluate(self, node: tree.Evaluate) -> Written:
        before, value, count = self._statement_value(node.value)
        return [*before, ast.Expr(value)], count + 1

    def _assign(self, node: tree.Assign) -> Written:
        if node.operator == "=":
            before, value, count = self._statement_value(node.value)
            return [*before, *self._stored(node.target, value)], count + 1
        if _has_calls(node.target):
            raise Refused  # they would be evaluated twice
        sign = ast.Constant(node.operator.removesuffix("="))
        changed = call("changed", load("run"), sign, self.value(node.target), self.value(node.value))
        return self._stored(node.target, changed), 1

    def _stored(self, target: Expression, value: ast.expr) -> list[ast.stmt]:
        """The assignment of a value, which is evaluated before the target's parts."""
        match target:
            case tree.Name(name=name) if name in self.locals:
                return [_assigned(local(name), value)]
            case tree.Name(name=name):
                return [ast.Assign([ast.Subscript(load("heap"), ast.Constant(name), ast.Store())], value)]
        kept = self.fresh()
        first = _assigned(kept, value)
        match target:
            case tree.Attribute(owner=owner, name=name):
                store = call("store_field", load("run"), self.value(owner), ast.Constant(name), load(kept))
                return [first, ast.Expr(store)]
            case tree.Index(owner=owner, index=at):
                store = call("store_index", load("run"), self.value(owner), self.value(at), load(kept))
                return [first, ast.Expr(store)]
            case tree.Listing(items=items):
                parts = _assigned(kept, call("unpack", load(kept), ast.Constant(len(items))))
                stores = [self._stored(item, subscript(load(kept), number)) for number, item in enumerate(items)]
                return [first, parts, *(store for each in stores for store in each)]
        raise Refused

    def _return(self, node: tree.Return) -> Written:
        return [ast.Return(ast.Constant(None) if node.value is None else self.value(node.value))], 1

    def _word(self, node: tree.Word) -> Written:
        words: dict[str, ast.stmt] = {"pass": ast.Pass(), "break": ast.Break(), "continue": ast.Continue()}
        return [words[node.word]], 1

    def _if(self, node: tree.If) -> Written:
        otherwise, most = list[ast.stmt](), 0
        for condition, body in reversed(node.branches):
            statements, count = self.block(body)
            most = max(most, count)
            otherwise = statements if condition is None else [ast.If(self.condition(condition), statements, otherwise)]
        return otherwise, most + 1

    def _for(self, node: tree.For) -> Written:
        self._check_flow(node)
        statements, count = self.block(node.body)
        items = call("through", load("run"), self.value(node.members), ast.Constant(count + 1))
        if isinstance(node.target, tree.Name):
            return [_loop(local(node.target.name), items, statements)], 2
        kept = self.fresh()
        return [_loop(kept, items, [*self._stored(node.target, load(kept)), *statements])], 2

    def _while(self, node: tree.While) -> Written:
        self._check_flow(node)
        statements, count = self.block(node.body)
        turn = ast.Expr(call("spend", load("run"), ast.Constant(count + 1)))
        return [ast.While(self.condition(node.condition), [turn, *statements], [])], 2

    def _group(self, node: tree.Group) -> Written:
        statements, count = self.block(node.body)
        return statements, count + 1

    @staticmethod
    def _check_flow(node: tree.For | tree.While) -> None:
        if node.flow not in ("", "atomic"):
            raise Refused

    def _refuse(self, node: tree.Statement) -> Written:
        raise Refused


def _has_calls(node: Expression) -> bool:
    return isinstance(node, tree.Call | tree.Comprehension) or any(map(_has_calls, tree.parts(node)))


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _loop(target: str, items: ast.expr, body: list[ast.stmt]) -> ast.stmt:
    return ast.For(ast.Name(target, ast.Store()), items, body, [])


_KINDS: dict[type, Callable[[FunctionWriter, Any], Written]] = {
    tree.Word: FunctionWriter._word, tree.Return: FunctionWriter._return, tree.If: FunctionWriter._if,
    tree.For: FunctionWriter._for, tree.While: FunctionWriter._while, tree.Group: FunctionWriter._group,
    tree.Evaluate: FunctionWriter._evaluate, tree.Assign: FunctionWriter._assign,
    tree.Require: FunctionWriter._refuse, tree.Choose: FunctionWriter._refuse, tree.Function: FunctionWriter._refuse,
}  # fmt: skip
