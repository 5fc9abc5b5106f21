"""Small mistakes in a model's source: a comparison reversed, a statement left out, and the like.

Only a model's behaviour changes: its functions, the initial values of its variables, and whether it has an action, and
a fair one. Text for people stays (the reasons of ``require``, messages, faults and their places, labels of choices). So
do checks that refuse constants, since no configuration has refused ones, and the presence of properties, since
configurations name them.
"""

import ast
import copy
import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, TypeGuard

#: The identity of a mutant: file, function, before, after, nth.
Key = tuple[str, str, str, str, int]
#: The path from the root of a tree to a node: the names of fields, and indices into lists.
Path = tuple[str | int, ...]

_TURNED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
_OTHER_FUNCTION = {"any": "all", "all": "any", "min": "max", "max": "min"}
_OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr}
#: Only the first argument of these calls counts; the others are for people.
_FIRST_ARGUMENT_COUNTS = ("require", "choose", "Variable")
_FOR_PEOPLE = ("Fault", "Place", "show", "InputError")


@dataclass(frozen=True)
class Mutation:
    """One mistake at one place of a source.

    Attributes:
        function: The qualified name of the function, the variable or the process; for an omission, of its class.
        before, after: The replaced text, and its replacement; "" for an omission.
        nth: Distinguishes places of one function that read alike, from 1 on.
        path: The path of the node in the source's tree.
        new: The replacement of the node; None to leave it out.
    """

    function: str
    before: str
    after: str
    nth: int
    line: int
    path: Path
    new: ast.AST | None

    def applied(self, source: str) -> ast.Module:
        """The tree of `source` with the mistake in it, ready to be compiled."""
        tree = ast.parse(source)
        parent: Any = tree
        for step in self.path[:-1]:
            parent = parent[step] if isinstance(step, int) else getattr(parent, step)
        last = self.path[-1]
        if isinstance(last, str):
            setattr(parent, last, self.new)
        elif self.new is None:
            del parent[last]
        else:
            parent[last] = self.new
        return ast.fix_missing_locations(tree)


@dataclass(frozen=True)
class Mutant:
    """A module with one mistake in it.

    Attributes:
        path: Its file.
        module: Its name.
        file: What it is called, in reports and among the equivalent ones.
    """

    path: File
    module: str
    file: str
    mutation: Mutation

    def __str__(self) -> str:
        m = self.mutation
        again = f" (number {m.nth} of these)" if m.nth > 1 else ""
        return f"{self.file}:{m.line} {m.function}: {m.before} -> {m.after or 'left out'}{again}"

    @property
    def key(self) -> Key:
        m = self.mutation
        return (self.file, m.function, m.before, m.after, m.nth)

    @property
    def lot(self) -> str:
        """Its place in the random order of samples, independent of other mutants."""
        return hashlib.sha256(repr(self.key).encode()).hexdigest()


@dataclass(frozen=True)
class Equivalents:
    """A list of equivalent mutants.

    An entry has a file, a function, the reason, and mutants, as ``[before, after]`` or ``[before, after, nth]``;
    without mutants it means all of the function.
    """

    functions: frozenset[tuple[str, str]]
    mutants: frozenset[Key]

    @classmethod
    def read(cls, path: File) -> "Equivalents":
        functions, mutants = set(), set()
        for entry in tomllib.loads(path.read_text()).get("equivalent", ()):
            place = (entry["file"], entry["function"])
            if "mutants" not in entry:
                functions.add(place)
            for before, after, *nth in entry.get("mutants", ()):
                mutants.add((*place, before, after, nth[0] if nth else 1))
        return cls(frozenset(functions), frozenset(mutants))

    def has(self, mutant: Mutant) -> bool:
        return mutant.key in self.mutants or mutant.key[:2] in self.functions

    def unknown(self, mutants: Iterable[Mutant]) -> list[str]:
        """The entries of the list for the files of `mutants` that match none of them."""
        keys = {mutant.key for mutant in mutants}
        files, places = {key[0] for key in keys}, {key[:2] for key in keys}
        stale = [key for key in self.mutants - keys if key[0] in files]
        return sorted(map(str, stale + [place for place in self.functions - places if place[0] in files]))


def mutations(source: str, constants: Mapping[str, Any]) -> list[Mutation]:
    r"""All mutations of `source`, in order.

    Args:
        source: A module with models, or with functions that models use.
        constants: The module's names for words and numbers, with their values; each may be mistaken for the next one of
            its type.

    Examples:
        >>> source = "def grown(s):\n    return len(s.table) > 1"
        >>> [(m.before, m.after) for m in mutations(source, {})]
        [('len(s.table) > 1', 'len(s.table) >= 1'), ('len(s.table) > 1', 'len(s.table) <= 1'), ('1', '2'), ('1', '0')]
    """
    tree = ast.parse(source)
    changes, seen = [], Counter[tuple[str, str, str]]()
    for function, path, node, new in _Finder(tree, constants).module():
        before, after = _text(node), "" if new is None or isinstance(new, ast.Pass) else _text(new)
        seen[function, before, after] += 1
        nth = seen[function, before, after]
        changes.append(Mutation(function, before, after, nth, getattr(node, "lineno", 0), path, new))
    return changes


def _text(node: ast.AST) -> str:
    """The source of a node on one line; a function's name only."""
    return f"def {node.name}" if isinstance(node, ast.FunctionDef) else " ".join(ast.unparse(node).split())


_Found = tuple[str, Path, ast.AST, ast.AST | None]


class _Finder:
    """Goes through a tree, and remembers in which function it is."""

    def __init__(self, tree: ast.Module, constants: Mapping[str, Any]) -> None:
        self.tree = tree
        self.constants = {n: v for n, v in constants.items() if n.isupper() and type(v) in (int, str)}
        self.words: list[str] | None = []
        self.function: tuple[str, ...] = ()
        self._collect_words()

    def _collect_words(self) -> None:
        """The words that the source uses as values, in its order, such as the steps of a program counter."""
        self.words = None  # then each stands for itself
        self.words = list(dict.fromkeys(str(node.value) for _, _, node, _ in self.module() if _is_word(node)))

    def found(self, path: Path, node: ast.AST, new: ast.AST | None) -> _Found:
        return (".".join(self.function), path, node, new)

    # What stands in modules and classes -----------------------------------------------------------------------------

    def module(self) -> Iterator[_Found]:
        for i, node in enumerate(self.tree.body):
            path: Path = ("body", i)
            if isinstance(node, ast.FunctionDef):
                yield from self.definition(node, path)
            elif isinstance(node, ast.ClassDef):
                yield from self.class_body(node, path)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.function = (node.targets[0].id,)
                yield from self.options(node.value, (*path, "value"))
                yield from self.members(node.value, (*path, "value"))
                self.function = ()

    def class_body(self, node: ast.ClassDef, path: Path) -> Iterator[_Found]:
        self.function = (node.name,)
        for i, inner in enumerate(node.body):
            here: Path = (*path, "body", i)
            if isinstance(inner, ast.FunctionDef):
                if _is_action(inner) or _calls_super(inner):
                    yield self.found(here, inner, ast.Pass())
                yield from self.definition(inner, here)
            elif isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Call):
                self.function = (node.name, ast.unparse(inner.targets[0]))
                if _name(inner.value) == "Variable":
                    yield from self.expression(inner.value, (*here, "value"))
                elif _name(inner.value) == "Process":
                    yield from self.options(inner.value, (*here, "value"))
                elif _name(inner.value) == "replace":  # an inherited property with other options
                    yield self.found(here, inner, ast.Pass())
                self.function = (node.name,)
        self.function = ()

    def definition(self, node: ast.FunctionDef, path: Path) -> Iterator[_Found]:
        self.function += (node.name,)
        if _is_action(node):
            for i, decorator in enumerate(node.decorator_list):
                yield from self.options(decorator, (*path, "decorator_list", i))
        yield from self.block(node.body, (*path, "body"), last=True)
        self.function = self.function[:-1]

    def options(self, node: ast.expr, path: Path) -> Iterator[_Found]:
        """The arguments that decide whether an action is there, and whether it is fair."""
        for i, keyword in enumerate(node.keywords if isinstance(node, ast.Call) else ()):
            if keyword.arg in ("when", "fair"):
                yield self.found((*path, "keywords", i), keyword, None)
            if keyword.arg == "when":
                yield from self.expression(keyword.value, (*path, "keywords", i, "value"), words=False)

    # Statements -------------------------------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt], path: Path, last: bool = False) -> Iterator[_Found]:
        """Statements, one after the other; `last` if nothing of the function comes after them."""
        for i, node in enumerate(body):
            if not (isinstance(node, ast.Raise) or _only_raises(node) or _is_docstring(node)):
                yield from self.statement(node, (*path, i), last and node is body[-1])

    def statement(self, node: ast.stmt, path: Path, last: bool) -> Iterator[_Found]:
        if _can_go(node) and not (last and isinstance(node, ast.Return)):
            yield self.found(path, node, ast.Pass())
        match node:
            case ast.FunctionDef():
                yield from self.definition(node, path)
            case ast.Assign(targets=targets, value=value):
                yield from self.fewer_targets(node, path)
                for i, target in enumerate(targets):
                    yield from self.expression(target, (*path, "targets", i))
                yield from self.expression(value, (*path, "value"))
            case ast.AugAssign(value=value):
                yield from self.other_assignment(node, path)
                yield from self.expression(node.target, (*path, "target"))
                yield from self.expression(value, (*path, "value"))
            case ast.If(test=test):
                yield self.found((*path, "test"), test, ast.Constant(True))
                if node.orelse:
                    yield self.found((*path, "test"), test, ast.Constant(False))
                yield from self.condition(test, (*path, "test"))
                yield from self.block(node.body, (*path, "body"), last)
                yield from self.block(node.orelse, (*path, "orelse"), last)
            case ast.For(iter=iterated):
                yield self.found((*path, "iter"), iterated, _without_first(iterated))
                yield from self.expression(iterated, (*path, "iter"))
                yield from self.block(node.body, (*path, "body"))
            case ast.While(test=test):
                yield from self.condition(test, (*path, "test"))
                yield from self.block(node.body, (*path, "body"))
            case ast.With(body=body):
                yield from self.block(body, (*path, "body"), last)
            case ast.Try(body=body, handlers=handlers, orelse=after):
                yield from self.block(body, (*path, "body"), last and not after)
                for i, handler in enumerate(handlers):
                    yield from self.block(handler.body, (*path, "handlers", i, "body"), last)
                yield from self.block(after, (*path, "orelse"), last)
            case ast.Expr(value=value):
                yield from self.expression(value, (*path, "value"))
            case ast.Return(value=value) if value is not None:
                yield from self.expression(value, (*path, "value"))

    def fewer_targets(self, node: ast.Assign, path: Path) -> Iterator[_Found]:
        """Of an assignment to several parts of the state, one is forgotten."""
        for i, target in enumerate(node.targets):
            new = copy.deepcopy(node)
            match target, node.value:
                case ast.Tuple(elts=targets), ast.Tuple(elts=values):
                    for k, part in enumerate(targets):
                        if not isinstance(part, ast.Name):
                            new = copy.deepcopy(node)
                            new.targets[i] = ast.Tuple([t for t in targets if t is not part], ast.Store())
                            new.value = ast.Tuple([v for v in values if v is not values[k]], ast.Load())
                            yield self.found(path, node, new)
                case _ if len(node.targets) > 1:
                    del new.targets[i]
                    yield self.found(path, node, new)

    def other_assignment(self, node: ast.AugAssign, path: Path) -> Iterator[_Found]:
        number = isinstance(node.value, ast.Constant)
        match node.op:
            case ast.Add() if number:
                others: list[ast.operator] = [ast.Sub()]
            case ast.Sub():
                others = [ast.Add() if number else ast.BitOr()]
            case ast.BitOr():
                others = [ast.Sub(), ast.BitAnd()]
            case _:
                others = []
        for op in others:
            new = copy.deepcopy(node)
            new.op = op
            yield self.found(path, node, new)

    # Expressions ------------------------------------------------------------------------------------------------------

    def condition(self, node: ast.expr, path: Path) -> Iterator[_Found]:
        """The opposite of a condition, where no mistake in it says so anyway."""
        if not isinstance(node, ast.Compare) and not _is_not(node):
            yield self.found(path, node, ast.UnaryOp(ast.Not(), node))
        yield from self.expression(node, path)

    def expression(self, node: ast.expr, path: Path, words: bool = True) -> Iterator[_Found]:
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and _name(node) in _FOR_PEOPLE):
            return
        for new in self.others(node):
            if words or not _is_word(new):
                yield self.found(path, node, new)
        if isinstance(node, ast.Call):
            yield from self.call(node, path)
        else:
            for inner, here in _inner(node, path):
                yield from self.expression(inner, here)

    def call(self, node: ast.Call, path: Path) -> Iterator[_Found]:
        name = _name(node)
        yield from self.expression(node.func, (*path, "func"))
        for i, argument in enumerate(node.args[:1] if name in _FIRST_ARGUMENT_COUNTS else node.args):
            here: Path = (*path, "args", i)
            yield from self.condition(argument, here) if name == "require" else self.expression(argument, here)
            if name == "choose":
                yield from self.members(argument, here)
        for i, keyword in enumerate(node.keywords):
            if name not in _FIRST_ARGUMENT_COUNTS and keyword.arg != "strict":  # which refuses what never happens
                yield from self.expression(keyword.value, (*path, "keywords", i, "value"))

    def members(self, node: ast.expr, path: Path) -> Iterator[_Found]:
        """One of several that are listed is forgotten."""
        if isinstance(node, ast.Tuple) and len(node.elts) > 1:
            for member in node.elts:
                yield self.found(path, node, ast.Tuple([e for e in node.elts if e is not member], ast.Load()))

    def others(self, node: ast.expr) -> Iterator[ast.expr]:
        """The mistaken replacements of an expression."""
        match node:
            case ast.Constant(value=bool() as value):
                yield ast.Constant(not value)
            case ast.Constant(value=int() as value):
                yield from (ast.Constant(value + 1), ast.Constant(value - 1))
            case ast.Constant(value=str() as value) if value.isidentifier():
                yield from [node] if self.words is None else map(ast.Constant, _after(value, self.words))
            case ast.Name(id=name) if name in self.constants:
                alike = [n for n, v in self.constants.items() if type(v) is type(self.constants[name])]
                yield from (ast.Name(other, ast.Load()) for other in _after(name, alike))
            case ast.Compare():
                yield from self.turned(node)
            case ast.BoolOp(values=values):
                yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), values)
                for clause in values:
                    rest = [value for value in values if value is not clause]
                    if not _is_for_people(clause):
                        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield operand
            case ast.IfExp():
                yield from (branch for branch in (node.body, node.orelse) if not _is_for_people(branch))
            case ast.BinOp():
                yield from _other_sums(node)
            case ast.Call():
                yield from self.other_calls(node)
            case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
                yield from self.other_selections(node)
            case ast.Lambda() | ast.Attribute() | ast.Subscript() | _:
                return

    def turned(self, node: ast.Compare) -> Iterator[ast.expr]:
        for i, op in enumerate(node.ops):
            for other in _TURNED[type(op)]:
                new = copy.deepcopy(node)
                new.ops[i] = other()
                yield new
        for i, value in enumerate(node.comparators):
            if isinstance(value, ast.Tuple) and len(value.elts) > 1:
                for member in value.elts:
                    new = copy.copy(node)
                    rest = ast.Tuple([e for e in value.elts if e is not member], ast.Load())
                    new.comparators = [*node.comparators[:i], rest, *node.comparators[i + 1 :]]
                    yield new

    def other_calls(self, node: ast.Call) -> Iterator[ast.expr]:
        name = _name(node)
        if isinstance(node.func, ast.Name) and name in _OTHER_FUNCTION:
            yield ast.Call(ast.Name(_OTHER_FUNCTION[name], ast.Load()), node.args, node.keywords)
        elif name == "bool":
            yield ast.UnaryOp(ast.Not(), node.args[0])
        elif name == "reversed":
            yield node.args[0]

    def other_selections(self, node: Any) -> Iterator[ast.expr]:
        """A comprehension without one of its conditions, or with its opposite."""
        for i, generator in enumerate(node.generators):
            for k, condition in enumerate(generator.ifs):
                without = copy.deepcopy(node)
                del without.generators[i].ifs[k]
                yield without
                if not isinstance(condition, ast.Compare) and not _is_not(condition):
                    opposite = copy.deepcopy(node)
                    opposite.generators[i].ifs[k] = ast.UnaryOp(ast.Not(), condition)
                    yield opposite


def _other_sums(node: ast.BinOp) -> Iterator[ast.expr]:
    number = any(isinstance(side, ast.Constant) and type(side.value) is int for side in (node.left, node.right))
    if isinstance(node.op, ast.Add | ast.Sub) and number:
        yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    elif isinstance(node.op, ast.Add | ast.Sub | ast.BitOr | ast.BitAnd):
        yield node.left
        if not isinstance(node.op, ast.Sub):
            yield node.right
        other = ast.BitAnd if isinstance(node.op, ast.Sub) else _OTHER_OPERATOR.get(type(node.op))
        if other:
            yield ast.BinOp(node.left, other(), node.right)


def _inner(node: ast.AST, path: Path) -> Iterator[tuple[ast.expr, Path]]:
    """The expressions right inside of another one."""
    for field, value in ast.iter_fields(node):
        for step, inner in (
            [((field, i), v) for i, v in enumerate(value)] if isinstance(value, list) else [((field,), value)]
        ):
            if isinstance(inner, ast.expr):
                yield inner, (*path, *step)
            elif isinstance(inner, ast.comprehension):
                yield from _inner(inner, (*path, *step))


def _name(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _after(name: str, names: list[str]) -> list[str]:
    """The name after `one`, the first after the last; none if there is no other."""
    return [names[(names.index(name) + 1) % len(names)]] if name in names and len(names) > 1 else []


def _without_first(node: ast.expr) -> ast.expr:
    every = ast.Call(ast.Name("list", ast.Load()), [node], [])
    return ast.Subscript(every, ast.Slice(ast.Constant(1)), ast.Load())


def _is_word(node: ast.AST | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_for_people(node: ast.expr) -> bool:
    """Whether it is what an invariant says instead of "no"."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Call) and _name(node) in _FOR_PEOPLE)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _only_raises(node: ast.stmt) -> bool:
    """Whether a statement does nothing but refuse constants."""
    if isinstance(node, ast.If | ast.For):
        return all(isinstance(inner, ast.Raise) or _only_raises(inner) or _names_only(inner) for inner in node.body)
    return False


def _names_only(node: ast.stmt) -> bool:
    """Whether a statement does nothing but give a name to something."""
    return isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets)


def _can_go(node: ast.stmt) -> bool:
    """Whether the source runs without the statement; without a local name it would not."""
    match node:
        case ast.Assign(targets=targets):
            return not any(isinstance(part, ast.Name | ast.Tuple) for part in targets)
        case ast.AugAssign() | ast.Return() | ast.Continue():
            return True
        case ast.Expr(value=ast.Call()):
            return True
    return False


def _is_action(node: ast.FunctionDef) -> bool:
    return any(
        "action" in (getattr(d, "id", ""), _name(d) if isinstance(d, ast.Call) else "") for d in node.decorator_list
    )


def _calls_super(node: ast.FunctionDef) -> bool:
    """Whether a method extends the one of the same name that it inherits."""
    return f"super().{node.name}(" in ast.unparse(node)
