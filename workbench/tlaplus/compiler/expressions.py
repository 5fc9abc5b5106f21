"""Compiles constructs to Python expressions for their values; ``calls.py`` compiles names and calls."""

import ast
from collections.abc import Callable
from typing import Any

from workbench.tlaplus.compiler.environment import ByValue, Context
from workbench.tlaplus.compiler.guard_pushdown import Early, early_tests
from workbench.tlaplus.compiler.python_code import (
    any_of,
    call,
    conjunction,
    constant,
    disjunction,
    function_of,
    name,
    negated,
    starred,
    tuple_of,
)
from workbench.tlaplus.compiler.writer import Writer
from workbench.tlaplus.layout.views import EarlyTest
from workbench.tlaplus.names.symbols import fail_at
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import At, Bound, Expression
from workbench.tlaplus.values.values import text

_CONCRETE = (tree.Number, tree.String, tree.Boolean, tree.TupleOf, tree.SetOf, tree.RecordOf)


# Plain constructs ----------------------------------------------------------------------------------------------------


def literal(writer: Writer, node: tree.Number | tree.Boolean, here: Context) -> ast.expr:
    return constant(node.value)


def string(writer: Writer, node: tree.String, here: Context) -> ast.expr:
    return constant(text(node.value))


def all_of(writer: Writer, node: tree.Conjunction, here: Context) -> ast.expr:
    return conjunction(writer.conditions(node.operands, here))


def some_of(writer: Writer, node: tree.Disjunction, here: Context) -> ast.expr:
    return disjunction(writer.conditions(node.operands, here))


def label(writer: Writer, node: tree.Label, here: Context) -> ast.expr:
    return writer.value(node.body, here)


def prime(writer: Writer, node: tree.Prime, here: Context) -> ast.expr:
    return writer.value(node.operand, here.primed())


def unsupported(writer: Writer, node: tree.Unsupported, here: Context) -> ast.expr:
    fail_at(node.at, f"{node.what} is not supported")


def fairness(writer: Writer, node: tree.Fairness, here: Context) -> ast.expr:
    fail_at(node.at, f"{node.kind}_ is a temporal formula")


def operator(writer: Writer, node: tree.Lambda, here: Context) -> ast.expr:
    fail_at(node.at, "an operator stands where a value is needed")


# Bound names ---------------------------------------------------------------------------------------------------------


def domain(writer: Writer, node: tree.Binder, here: Context) -> ast.expr:
    """The set over which names are bound: a product for several names."""
    domains = [domain for bound in node.bounds for domain in _domains(writer, bound, here)]
    return domains[0] if len(domains) == 1 else call("Product", *domains)


def _domains(writer: Writer, bound: Bound, here: Context) -> list[ast.expr]:
    """A set for each pattern."""
    if bound.domain is None:
        fail_at(bound.at, f"{bound.names[0].name} is unbounded; TLC evaluates bounded names only")
    return [writer.value(bound.domain, here) for _ in bound.patterns]


def tried(writer: Writer, node: tree.Quantified | tree.Filter, here: Context) -> ast.expr:
    """The domain of a construct, its last name first, without members that it skips in every state."""
    outer, taken, inside = bind(writer, node, here)
    tests = list(early_tests(writer, node, inside))
    bound = {identifier for names in (outer, *taken) for identifier in names}
    domains = [domain for group in node.bounds for domain in _domains(writer, group, here)]
    for number, local in enumerate(outer):
        mine = [test for test in tests if test.locals_ & bound == {local}]
        if mine:
            domains[number] = _narrowed(writer, domains[number], node, local, mine)
    return domains[0] if len(domains) == 1 else call("Product", *reversed(domains))


def _narrowed(writer: Writer, domain: ast.expr, node: tree.Binder, local: str, tests: list[Early]) -> ast.expr:
    others = sorted(frozenset().union(*[early.locals_ for early in tests]) - {local})
    here = tests[0].here
    condition = conjunction([writer.condition(early.node, early.here) for early in tests])
    test = writer.evaluation([local, *others], condition, node, here)
    return call("tried", domain, name(writer.named(EarlyTest(test))), *map(name, others))


def bind(
    writer: Writer, node: tree.Binder, here: Context, backwards: bool = False
) -> tuple[list[str], list[list[str]], Context]:
    """Locals for the names that a construct binds.

    Args:
        node: The construct.
        here: Where it is.
        backwards: Whether the last name comes first, as in :func:`tried`: TLC takes the members of a quantifier's
            domains so that the first name changes quickest.

    Returns:
        A local for each set of the product; for each of them, the locals into which its members are taken apart, if
        they are; and the inside of the construct.
    """
    bindings: dict[Any, ByValue] = {}
    outer, taken = [], []
    for bound in node.bounds:
        for pattern in bound.patterns:
            names = [writer.program.fresh("bound") for _ in pattern]
            bindings.update(
                {declaration: ByValue(local, True) for declaration, local in zip(pattern, names, strict=True)}
            )
            outer.append(writer.program.fresh("member") if bound.is_tuple else names[0])
            taken.append(names if bound.is_tuple else [])
    if backwards:
        outer.reverse()
        taken.reverse()
    return outer, taken, here.bound(bindings, here.scope.inside(node))


def function(
    writer: Writer, node: tree.Binder, here: Context, write: Callable[[Context], ast.expr], backwards: bool = False
) -> ast.expr:
    """A lambda from a member of the domain to the expression written for it."""
    outer, taken, inside = bind(writer, node, here, backwards)
    body = write(inside)
    for member, names in zip(outer, taken, strict=True):
        if names:
            parts = call("unpacked", name(member), constant(len(names)))
            body = call(function_of(names, body), starred(parts))
    if len(outer) == 1:
        return function_of(outer, body)
    member = writer.program.fresh("member")
    return function_of([member], call(function_of(outer, body), starred(name(member))))


def _over(writer: Writer, node: tree.Binder, here: Context) -> tuple[ast.expr, ast.expr]:
    return domain(writer, node, here), function(writer, node, here, lambda inside: writer.value(node.body, inside))


def mapped(writer: Writer, node: tree.MapOver, here: Context) -> ast.expr:
    return call("mapped", *reversed(_over(writer, node, here)))


def function_over(writer: Writer, node: tree.FunctionOf, here: Context) -> ast.expr:
    return call("function", *_over(writer, node, here))


def quantified(writer: Writer, node: tree.Quantified, here: Context) -> ast.expr:
    members = call("each", tried(writer, node, here))
    is_plain = len(node.bounds) == 1 and len(node.names) == 1 and not node.bounds[0].is_tuple
    if is_plain:
        (local,), _, inside = bind(writer, node, here)
        return any_of(local, members, writer.condition(node.body, inside), node.kind == "A")
    test = function(writer, node, here, lambda inside: writer.condition(node.body, inside), True)
    return call("all" if node.kind == "A" else "any", call("map", test, members))


def choose(writer: Writer, node: tree.Choose, here: Context) -> ast.expr:
    if node.bounds[0].domain is None:
        return call("failed", constant("TLC cannot evaluate an unbounded CHOOSE"))
    test = function(writer, node, here, lambda inside: writer.condition(node.body, inside))
    return call("choose", domain(writer, node, here), test)


def filtered(writer: Writer, node: tree.Filter, here: Context) -> ast.expr:
    test = function(writer, node, here, lambda inside: writer.condition(node.body, inside))
    return call("filtered", tried(writer, node, here), test)


# Control -------------------------------------------------------------------------------------------------------------


def if_(writer: Writer, node: tree.If, here: Context) -> ast.expr:
    condition = writer.condition(node.condition, here)
    return ast.IfExp(condition, writer.value(node.then, here), writer.value(node.otherwise, here))


def case(writer: Writer, node: tree.Case, here: Context) -> ast.expr:
    if node.other is None:
        conditional: ast.expr = call("failed", constant("no arm of CASE is true"))
    else:
        conditional = writer.value(node.other, here)
    for arm in reversed(node.arms):
        conditional = ast.IfExp(writer.condition(arm.guard, here), writer.value(arm.value, here), conditional)
    return conditional


# Values with parts ---------------------------------------------------------------------------------------------------


def is_concrete(writer: Writer, node: Expression, here: Context) -> bool:
    """Whether the compiler knows that the value of an expression is not lazy."""
    if isinstance(node, tree.Identifier):
        binding = here.of(node)
        return isinstance(binding, ByValue) and binding.concrete
    return isinstance(node, _CONCRETE) or writer.is_boolean(node, here)


def tuple_(writer: Writer, node: tree.TupleOf, here: Context) -> ast.expr:
    items = writer.values(node.items, here)
    are_concrete = all(is_concrete(writer, item, here) for item in node.items)
    return tuple_of(items) if are_concrete else call("tupled", *items)


def set_of(writer: Writer, node: tree.SetOf, here: Context) -> ast.expr:
    return call("enumerated", tuple_of(writer.values(node.items, here)))


def function_set(writer: Writer, node: tree.FunctionSet, here: Context) -> ast.expr:
    return call("Functions", *writer.values((node.domain, node.codomain), here))


def record(writer: Writer, node: tree.RecordOf, here: Context) -> ast.expr:
    return call("record", _fields(writer, node.fields, here))


def record_set(writer: Writer, node: tree.RecordSet, here: Context) -> ast.expr:
    return call("Records", _fields(writer, node.fields, here))


def _fields(writer: Writer, fields: tuple[tree.NamedField, ...], here: Context) -> ast.expr:
    names: list[ast.expr | None] = [constant(text(entry.name)) for entry in fields]
    return ast.Dict(names, [writer.value(entry.value, here) for entry in fields])


def field(writer: Writer, node: tree.Field, here: Context) -> ast.expr:
    return call("field", writer.value(node.record, here), constant(text(node.name)))


def _argument(writer: Writer, nodes: tuple[Expression, ...], here: Context) -> ast.expr:
    """The argument of a function, which is a tuple for several."""
    values = writer.values(nodes, here)
    return values[0] if len(values) == 1 else call("tupled", *values)


def application(writer: Writer, node: tree.FunctionApplication, here: Context) -> ast.expr:
    return call("apply", writer.value(node.function, here), _argument(writer, node.arguments, here))


def except_(writer: Writer, node: tree.Except, here: Context) -> ast.expr:
    updates = []
    for update in node.updates:
        path = [
            constant(text(step.name)) if isinstance(step, tree.Selector) else _argument(writer, step.arguments, here)
            for step in update.path
        ]
        old = writer.program.fresh("old")
        new = writer.value(update.value, here.bound({At: ByValue(old)}))
        updates.append(tuple_of([tuple_of(path), function_of([old], new)]))
    return call("except_", writer.value(node.function, here), tuple_of(updates))


def at(writer: Writer, node: tree.At, here: Context) -> ast.expr:
    binding = here.environment[At]
    return writer.bound(binding, here)


# Steps ---------------------------------------------------------------------------------------------------------------


def unchanged(writer: Writer, node: Expression, here: Context) -> ast.expr:
    """``UNCHANGED node`` as a condition."""
    return call("equal", writer.value(node, here.primed()), writer.value(node, here))


def box(writer: Writer, node: tree.Box, here: Context) -> ast.expr:
    return disjunction([writer.condition(node.action, here), unchanged(writer, node.subscript, here)])


def angle(writer: Writer, node: tree.Angle, here: Context) -> ast.expr:
    changed = negated(unchanged(writer, node.subscript, here))
    return conjunction([writer.condition(node.action, here), changed])
