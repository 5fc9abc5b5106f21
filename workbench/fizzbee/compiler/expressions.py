"""Expressions as trees of Python's ``ast``. A name is what the interpreter would find, or the code is refused."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.fizzbee.compiler.program import Program
from workbench.fizzbee.compiler.runtime import COMPARISONS, LIBRARY, NAMES, method_of
from workbench.fizzbee.meaning.library import METHODS
from workbench.fizzbee.meaning.values import Function, Record, Value
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.tree import Expression

#: The names of methods of values.
METHOD_NAMES = frozenset(name for methods in METHODS.values() for name in methods)
_OF_LIBRARY: dict[str, type] = {"len": int, "str": str, "all": bool, "any": bool, "bool": bool, "type": str}
_WITH_KEY = ("sorted", "min", "max")
_LIKE_LIBRARY = frozenset({*LIBRARY, "hasattr", "getattr"})


class Refused(Exception):
    """This is not compiled."""


class Code(NamedTuple):
    """An expression's code; `kind` is its value's type where that is known: a truth, number, text or None."""

    tree: ast.expr
    kind: type | None = None


class Native(NamedTuple):
    """A compiled function, which takes a run, what ``self`` is, and its arguments.

    Attributes:
        identifier: Its name in the code.
        statements: At most so many are run, but for those in loops.
        depth: So many calls are in each other.
    """

    identifier: str
    call: Callable[..., Value]
    parameters: tuple[str, ...]
    statements: int
    depth: int


@dataclass(frozen=True)
class Names:
    """What names mean in all functions of a text.

    Attributes:
        stated: The variables of every state.
        obscure: The names that are not compiled: variables of some states alone, roles, and functions as values.
    """

    stated: frozenset[str]
    obscure: frozenset[str]
    constants: Mapping[str, Value]
    program: Program

    def means_more(self, name: str) -> bool:
        """Whether a name means something where no local variable has it yet."""
        return name in self.stated | self.obscure | self.constants.keys() | _LIKE_LIBRARY | {"self"}


def new_program() -> Program:
    return Program(NAMES)


def load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def local(name: str) -> str:
    """The name in the code of a local variable of the text."""
    return f"x_{name}"


def call(function: str | ast.expr, *arguments: ast.expr) -> ast.Call:
    return ast.Call(load(function) if isinstance(function, str) else function, list(arguments), [])


def subscript(owner: ast.expr, key: Value) -> ast.expr:
    return ast.Subscript(owner, ast.Constant(key), ast.Load())


def names_in(target: Expression) -> list[str]:
    """The names that an assignment to `target` binds."""
    if isinstance(target, tree.Listing):
        return [name for item in target.items for name in names_in(item)]
    return [target.name] if isinstance(target, tree.Name) else []


class ExpressionWriter:
    """Writes the expressions of one function.

    Args:
        native_def: Gives the compiled ``def`` that a constant is; None for another constant.
    """

    def __init__(self, names: Names, has_self: bool, native_def: Callable[[str], Native | None]) -> None:
        self.names, self._has_self, self._native_def = names, has_self, native_def
        self.locals: frozenset[str] = frozenset()
        self.callees: list[Native] = []
        self._inner: dict[str, str] = {}
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"t_{self._count}"

    def value(self, node: Expression) -> ast.expr:
        return self.code(node).tree

    def code(self, node: Expression) -> Code:
        """The code of `node`.

        Raises:
            Refused: If it is not compiled.
        """
        return _KINDS[type(node)](self, node)

    def condition(self, node: Expression) -> ast.expr:
        """Code whose truth for Python is that of `node`."""
        match node:
            case tree.Unary(operator="not"):
                return ast.UnaryOp(ast.Not(), self.condition(node.operand))
            case tree.Binary(operator="and" | "or" as operator):
                joint = ast.And() if operator == "and" else ast.Or()
                return ast.BoolOp(joint, [self.condition(node.left), self.condition(node.right)])
        code = self.code(node)
        return code.tree if code.kind else call("is_true", code.tree)

    def constant(self, value: Value) -> Code:
        if value is None or type(value) in (bool, int, str):
            return Code(ast.Constant(value), type(value))
        return Code(load(self.names.program.keep(value)))

    # Names and values -------------------------------------------------------------------------------------------------

    def _global(self, node: Expression) -> str:
        """The name of a constant or of the library, if `node` is one; else it is empty."""
        if not isinstance(node, tree.Name) or node.name in self._inner or node.name in self.locals:
            return ""
        names = self.names
        return "" if node.name in names.stated | names.obscure | {"self"} else node.name

    def _name(self, node: tree.Name) -> Code:
        name = node.name
        if name in self._inner:
            if not self._inner[name]:
                raise Refused
            return Code(load(self._inner[name]))
        if name in self.locals:
            return Code(load(local(name)))
        if name == "self" and self._has_self:
            return Code(load("owner"))
        if name in self.names.stated:
            return Code(subscript(load("heap"), name))
        if self._global(node) not in self.names.constants:
            raise Refused
        value = self.names.constants[name]
        if isinstance(value, Function):
            raise Refused
        return self.constant(value)

    def _literal(self, node: tree.Literal) -> Code:
        return self.constant(node.value)

    def _listing(self, node: tree.Listing) -> Code:
        items = list(map(self.value, node.items))
        return Code(ast.List(items, ast.Load()) if node.kind == "list" else ast.Tuple(items, ast.Load()))

    def _mapping(self, node: tree.Mapping) -> Code:
        pairs = [ast.Tuple([self.value(key), self.value(value)], ast.Load()) for key, value in node.pairs]
        return Code(call("Dict", ast.Constant("dict"), ast.List(list[ast.expr](pairs), ast.Load())))

    def _attribute(self, node: tree.Attribute) -> Code:
        constant = self.names.constants.get(self._global(node.owner))
        if isinstance(constant, Record) and constant.kind == "struct" and node.name in constant.fields:
            return self.constant(constant.fields[node.name])
        if node.name == "__id__":
            raise Refused
        if node.name in METHOD_NAMES:
            return Code(call("field", self.value(node.owner), ast.Constant(node.name)))
        return Code(subscript(ast.Attribute(self.value(node.owner), "fields", ast.Load()), node.name))

    def _index(self, node: tree.Index) -> Code:
        return Code(call("index", self.value(node.owner), self.value(node.index)))

    def _slice(self, node: tree.Slice) -> Code:
        bounds = [ast.Constant(None) if bound is None else self.value(bound) for bound in node.bounds]
        return Code(call("part", self.value(node.owner), *bounds))

    # Operators --------------------------------------------------------------------------------------------------------

    def _unary(self, node: tree.Unary) -> Code:
        if node.operator == "not":
            return Code(self.condition(node), bool)
        return Code(call("unary", ast.Constant(node.operator), self.value(node.operand)))

    def _binary(self, node: tree.Binary) -> Code:
        left, right, sign = self.code(node.left), self.code(node.right), node.operator
        if sign in ("and", "or"):
            return self._either(left, right, sign == "or")
        if sign in ("==", "!="):
            return Code(_equality(left, right, sign == "=="), bool)
        if sign in ("in", "not in"):
            contained = call("inside", left.tree, right.tree)
            return Code(contained if sign == "in" else ast.UnaryOp(ast.Not(), contained), bool)
        if sign in COMPARISONS:
            return Code(call(self.names.program.keep(COMPARISONS[sign]), left.tree, right.tree), bool)
        if sign == "+":
            kind = left.kind if left.kind is right.kind and left.kind in (int, str) else None
            return Code(call("plus", left.tree, right.tree), kind)
        return Code(call("binary", ast.Constant(sign), left.tree, right.tree))

    def _either(self, left: Code, right: Code, is_or: bool) -> Code:
        """``left or right``, or ``and``: the value of one side."""
        kind = left.kind if left.kind is right.kind else None
        if left.kind:
            return Code(ast.BoolOp(ast.Or() if is_or else ast.And(), [left.tree, right.tree]), kind)
        kept = self.fresh()
        test = call("is_true", ast.NamedExpr(ast.Name(kept, ast.Store()), left.tree))
        sides = (load(kept), right.tree) if is_or else (right.tree, load(kept))
        return Code(ast.IfExp(test, *sides), kind)

    def _conditional(self, node: tree.Conditional) -> Code:
        then, otherwise = self.code(node.then), self.code(node.otherwise)
        kind = then.kind if then.kind is otherwise.kind else None
        return Code(ast.IfExp(self.condition(node.condition), then.tree, otherwise.tree), kind)

    # Calls ------------------------------------------------------------------------------------------------------------

    def arguments(self, node: tree.Call, name: Callable[[str], str] = str) -> tuple[list[ast.expr], list[ast.keyword]]:
        """The arguments of a call, with other names."""
        words = [argument.name for argument in node.arguments]
        named = [word for word in words if word]
        if words != [""] * (len(words) - len(named)) + named:
            raise Refused  # Python would evaluate them in another order
        values = list(map(self.value, (argument.value for argument in node.arguments)))
        positional, rest = values[: len(words) - len(named)], values[len(words) - len(named) :]
        return positional, [ast.keyword(name(word), value) for word, value in zip(named, rest, strict=True)]

    def native_call(self, native: Native, owner: ast.expr, node: tree.Call) -> ast.expr:
        self.callees.append(native)
        positional, named = self.arguments(node, local)
        return ast.Call(load(native.identifier), [load("run"), owner, *positional], named)

    def _call(self, node: tree.Call) -> Code:
        function = node.function
        if isinstance(function, tree.Attribute) and function.name in METHOD_NAMES:
            owner = self.value(function.owner)
            positional, named = self.arguments(node)
            method = load(self.names.program.keep(method_of(function.name)))
            return Code(ast.Call(method, [load("run"), owner, *positional], named))
        name = self._global(function)
        if (native := self._native_def(name)) is not None:
            return Code(self.native_call(native, ast.Constant(None), node))
        if name in self.names.constants or name not in LIBRARY:
            raise Refused
        return Code(self._library_call(name, node), _OF_LIBRARY.get(name))

    def _library_call(self, name: str, node: tree.Call) -> ast.expr:
        key = next((argument for argument in node.arguments if argument.name == "key"), None)
        rest = node
        if name in _WITH_KEY and key is not None:
            if not isinstance(key.value, tree.Lambda):
                raise Refused  # names in a function from elsewhere are those of the interpreter's topmost frame
            rest = tree.Call(node.at, node.function, tuple(other for other in node.arguments if other is not key))
        positional, named = self.arguments(rest)
        if name == "sorted" and len(positional) > 1:
            raise Refused  # the second is a key
        if rest is not node and key is not None:
            named.append(ast.keyword("key", self._lambda(key.value)))
        return ast.Call(load(self.names.program.keep(LIBRARY[name])), list(positional), named)

    def _lambda(self, node: tree.Expression) -> ast.expr:
        """A lambda that is called at once, and never where other names are local."""
        assert isinstance(node, tree.Lambda)
        if any(parameter.default is not None for parameter in node.parameters):
            raise Refused
        around = self._inner
        parameters = {parameter.name: self.fresh() for parameter in node.parameters}
        self._inner = around | parameters
        body = self.value(node.body)
        self._inner = around
        return call("Function", ast.Lambda(parameters_of(list(parameters.values())), body))

    def _comprehension(self, node: tree.Comprehension) -> Code:
        around = self._inner
        targets = [name for clause in node.clauses if clause.target is not None for name in names_in(clause.target)]
        if len(set(targets)) < len(targets):
            raise Refused  # a later clause would read what an inner one left there
        self._inner = around | dict.fromkeys(targets, "")  # no use of a name before its own clause
        clauses: list[ast.comprehension] = []
        for clause in node.clauses:
            if clause.target is None:
                clauses[-1].ifs.append(self.condition(clause.value))
            else:
                self._bind(clause.target, call("members", self.value(clause.value)), clauses)
        values = ast.ListComp(self.value(node.element), clauses)
        self._inner = around
        return Code(call("Dict", ast.Constant("dict"), values) if node.kind == "dict" else values)

    def _bind(self, target: Expression, items: ast.expr, clauses: list[ast.comprehension]) -> None:
        """Add the clause in which `target` goes through `items`, and clauses that unpack it."""
        bound = self.fresh()
        clauses.append(ast.comprehension(ast.Name(bound, ast.Store()), items, [], 0))
        if isinstance(target, tree.Name):
            self._inner[target.name] = bound
        elif isinstance(target, tree.Listing):
            count = len(target.items)
            parts = call("unpack", load(bound), ast.Constant(count))
            whole = self.fresh()
            clauses.append(ast.comprehension(ast.Name(whole, ast.Store()), ast.List([parts], ast.Load()), [], 0))
            for number, item in enumerate(target.items):
                self._bind(item, ast.List([subscript(load(whole), number)], ast.Load()), clauses)


def parameters_of(names: Sequence[str], defaults: Sequence[ast.expr] = ()) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, list(defaults))


def _equality(left: Code, right: Code, is_equal: bool) -> ast.expr:
    kinds = {left.kind, right.kind}
    signs: Any = None
    literal = any(isinstance(side.tree, ast.Tuple) for side in (left, right))  # Python warns of `is` beside one
    if kinds & {bool, type(None)} and not kinds & {int, str} and not literal:
        signs = ast.Is, ast.IsNot
    elif kinds in ({str}, {str, None}, {int}):
        signs = ast.Eq, ast.NotEq
    if signs is not None:
        return ast.Compare(left.tree, [signs[not is_equal]()], [right.tree])
    equal = call("same", left.tree, right.tree)
    return equal if is_equal else ast.UnaryOp(ast.Not(), equal)


def _refuse(_: ExpressionWriter, node: Expression) -> Code:
    raise Refused


_KINDS: dict[type, Callable[[ExpressionWriter, Any], Code]] = {
    tree.Name: ExpressionWriter._name, tree.Literal: ExpressionWriter._literal,
    tree.Listing: ExpressionWriter._listing, tree.Mapping: ExpressionWriter._mapping,
    tree.Unary: ExpressionWriter._unary, tree.Binary: ExpressionWriter._binary,
    tree.Conditional: ExpressionWriter._conditional, tree.Call: ExpressionWriter._call,
    tree.Attribute: ExpressionWriter._attribute, tree.Index: ExpressionWriter._index,
    tree.Slice: ExpressionWriter._slice, tree.Comprehension: ExpressionWriter._comprehension,
    tree.Lambda: _refuse,
}  # fmt: skip
