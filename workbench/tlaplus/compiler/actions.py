r"""Compiles actions and initial conditions to Python's ``ast``: statements that run a continuation once for each way.

The code for the rest of a conjunction is nested inside the statements of a conjunct: for an ``\E``, it is the body of a
loop over the members. An assignment is undone after the code nested in it has run.
"""

import ast
from dataclasses import replace

from workbench.tlaplus.compiler import assignments, calls, expressions, let_bindings
from workbench.tlaplus.compiler.environment import REST, RUN, Binding, ByName, ByValue, Context
from workbench.tlaplus.compiler.python_code import (
    assign,
    attribute,
    call,
    conjunction,
    constant,
    defined,
    disjunction,
    item,
    loop,
    method,
    name,
    negated,
    tuple_of,
    uses,
    when,
)
from workbench.tlaplus.compiler.writer import CHOSEN, Following, Statements, Writer, rest
from workbench.tlaplus.names.symbols import Defined, InstanceParameter, Meaning, Standard
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, OperatorDefinition
from workbench.tlaplus.syntax.unparse import written

# Formulas ------------------------------------------------------------------------------------------------------------


def all_of(writer: Writer, node: tree.Conjunction, here: Context, following: Following) -> Statements:
    return _all(writer, [(operand, here) for operand in node.operands], following)


def some_of(writer: Writer, node: tree.Disjunction, here: Context, following: Following) -> Statements:
    return _any(writer, [(operand, here) for operand in node.operands], following)


def quantified(writer: Writer, node: tree.Quantified, here: Context, following: Following) -> Statements:
    write = _exists if node.kind == "E" else _for_all
    return write(writer, node, here, following)


def if_(writer: Writer, node: tree.If, here: Context, following: Following) -> Statements:
    before, again = _shared(writer, following)
    condition = writer.condition(node.condition, here)
    either = writer.action(node.then, here, again), writer.action(node.otherwise, here, again)
    return [*before, when(condition, *either)]


def label(writer: Writer, node: tree.Label, here: Context, following: Following) -> Statements:
    return writer.action(node.body, here, following)


def box(writer: Writer, node: tree.Box, here: Context, following: Following) -> Statements:
    before, again = _shared(writer, following)
    kept = _unchanged(writer, node.subscript, here, again, written(node))
    return [*before, *writer.action(node.action, here, again), *kept]


def angle(writer: Writer, node: tree.Angle, here: Context, following: Following) -> Statements:
    same = expressions.unchanged(writer, node.subscript, here)
    reason = f"{written(node.subscript)}' # {written(node.subscript)}"
    return writer.action(node.action, here, lambda: [when(negated(same), following(), _why(reason))])


def boolean(writer: Writer, node: tree.Boolean, here: Context, following: Following) -> Statements:
    return following() if node.value else tested(writer, node, here, following)


def named(writer: Writer, node: Expression, here: Context, following: Following) -> Statements:
    """A name, or an operator with its arguments."""
    meaning, arguments, inside = calls.reached(writer, node, here)
    return _applied(writer, meaning, arguments, inside, node, following)


def tested(writer: Writer, node: Expression, here: Context, following: Following) -> Statements:
    """A formula as a test."""
    return [when(writer.condition(node, here), following(), _why(written(node)))]


# Continuations -------------------------------------------------------------------------------------------------------


def _as_function(writer: Writer, following: Following) -> tuple[Statements, str]:
    """The definition of the continuation as a local function, and its name."""
    if following is rest:
        return [], REST
    function = writer.program.fresh("following")
    return [defined(function, [], following())], function


def _shared(writer: Writer, following: Following) -> tuple[Statements, Following]:
    """The continuation as a local function, and one that calls it, which may be written in several places."""
    before, function = _as_function(writer, following)
    return before, rest if function == REST else lambda: [ast.Expr(call(function))]


def _all(writer: Writer, formulas: list[tuple[Expression, Context]], following: Following) -> Statements:
    if not formulas:
        return following()
    (node, here), *others = formulas
    return writer.action(node, here, lambda: _others(writer, others, following))


def _others(writer: Writer, formulas: list[tuple[Expression, Context]], following: Following) -> Statements:
    """The conjuncts after the first: TLC goes on once for each way only until all variables are assigned."""
    if not formulas:
        return following()
    (node, here), *others = formulas
    if not writer.nondeterminism.has_ways(node, here):
        return writer.action(node, here, lambda: _others(writer, others, following))
    before, again = _shared(writer, lambda: _others(writer, others, following))
    as_test = tested(writer, node, here, again)
    return [*before, when(method(RUN, "is_complete"), as_test, writer.action(node, here, again))]


def _any(writer: Writer, formulas: list[tuple[Expression, Context]], following: Following) -> Statements:
    before, again = _shared(writer, following)
    return [*before, *[statement for node, here in formulas for statement in writer.action(node, here, again)]]


def _why(text: str) -> Statements:
    return [ast.Expr(call(ast.Attribute(attribute(RUN, "whys"), "append", ast.Load()), constant(text)))]


def case(writer: Writer, node: tree.Case, here: Context, following: Following) -> Statements:
    before, again = _shared(writer, following)
    if node.other is None:
        statements: Statements = [ast.Expr(call("failed", constant("no arm of CASE is true")))]
    else:
        statements = writer.action(node.other, here, again)
    for arm in reversed(node.arms):
        condition = writer.condition(arm.guard, here)
        statements = [when(condition, writer.action(arm.value, here, again), statements)]
    return [*before, *statements]


def let(writer: Writer, node: tree.Let, here: Context, following: Following) -> Statements:
    definitions, inside = let_bindings.local_definitions(writer, node, here, False)
    statements = writer.action(node.body, inside, following)
    for local, meaning, _ in reversed(definitions):  # a name may stand for a formula that only assigns and has no value
        if any(uses(statement, local) for statement in statements):
            statements.insert(0, assign(local, let_bindings.local_value(writer, meaning, True, inside)))
    return statements


# Bound names ---------------------------------------------------------------------------------------------------------


def _exists(writer: Writer, node: tree.Quantified, here: Context, following: Following) -> Statements:
    members, taken, inside = _members(writer, node, here)
    labels = [
        tuple_of([constant(declaration.name), name(binding.local)])
        for declaration in node.names
        if isinstance(binding := inside.environment[declaration], ByValue)
    ]
    extend = method(CHOSEN, "extend", tuple_of(labels))
    shorten = ast.Delete([ast.Subscript(name(CHOSEN), ast.Slice(constant(-len(labels))), ast.Del())])
    body = [*taken, ast.Expr(extend), *writer.action(node.body, inside, following), shorten]
    is_empty = writer.program.fresh("empty")
    member = members[0] if len(members) == 1 else writer.program.fresh("member")
    parts = [assign_many(members, name(member))] if len(members) > 1 else []
    return [
        assign(is_empty, constant(True)),
        loop(member, _each(writer, node, here), [assign(is_empty, constant(False)), *parts, *body]),
        when(name(is_empty), _why(written(node)), []),
    ]


def _for_all(writer: Writer, node: tree.Quantified, here: Context, following: Following) -> Statements:
    """A conjunction over members whose number is known only when the code runs."""
    members, taken, inside = _members(writer, node, here)
    step, domain = writer.program.fresh("each"), writer.program.fresh("found")
    number, member = writer.program.fresh("number"), writer.program.fresh("member")
    go_on = call(step, ast.BinOp(name(number), ast.Add(), constant(1)))
    is_last = ast.Compare(name(number), [ast.Eq()], [call("len", name(domain))])
    body = writer.action(node.body, inside, lambda: [ast.Expr(go_on)])
    if writer.nondeterminism.has_ways(node.body, inside):
        is_later = ast.Compare(name(number), [ast.Gt()], [constant(0)])
        as_test = tested(writer, node.body, inside, lambda: [ast.Expr(go_on)])
        body = [when(conjunction([is_later, method(RUN, "is_complete")]), as_test, body)]
    iteration = [
        assign(member, ast.Subscript(name(domain), name(number), ast.Load())),
        assign(members[0], name(member)) if len(members) == 1 else assign_many(members, name(member)),
        *taken,
        *body,
    ]
    return [
        assign(domain, call("tuple", _each(writer, node, here))),
        defined(step, [number], [when(is_last, following(), iteration)]),
        ast.Expr(call(step, constant(0))),
    ]


def _each(writer: Writer, node: tree.Quantified, here: Context) -> ast.expr:
    return call("each", expressions.tried(writer, node, here))


def _members(writer: Writer, node: tree.Quantified, here: Context) -> tuple[list[str], Statements, Context]:
    """The locals for members of the domains, the statements that take tuples apart, and the place inside."""
    members, taken, inside = expressions.bind(writer, node, here, backwards=True)
    parts = [
        assign_many(names, call("unpacked", name(member), constant(len(names))))
        for member, names in zip(members, taken, strict=True)
        if names
    ]
    return members, parts, inside


# Names and operators -------------------------------------------------------------------------------------------------


def _applied(
    writer: Writer,
    meaning: Meaning,
    arguments: tuple[Binding, ...],
    here: Context,
    node: Expression,
    following: Following,
) -> Statements:
    binding = here.binding(meaning)
    if isinstance(binding, ByName):
        return _operator(writer, binding.node, arguments, here.at(binding), node, following)
    if isinstance(meaning, InstanceParameter):
        inside = replace(here, scope=meaning.scope)
        return _operator(writer, meaning.expression, arguments, inside, node, following)
    if isinstance(meaning, Standard) and not meaning.module:
        return _standard(writer, meaning, arguments, here, node, following)
    if isinstance(meaning, Defined) and _is_entered(writer, meaning, arguments, here):
        return _call(writer, meaning, arguments, here, following)
    return _test(writer, calls.applied(writer, meaning, arguments, here, node.at), node, here, following)


def _test(writer: Writer, value: ast.expr, node: Expression, here: Context, following: Following) -> Statements:
    return [when(writer.truth(value, node, here), following(), _why(written(node)))]


def _operator(
    writer: Writer,
    node: Expression,
    arguments: tuple[Binding, ...],
    here: Context,
    used: Expression,
    following: Following,
) -> Statements:
    """The formula behind a name, or an operator applied to arguments."""
    if not arguments:
        return writer.action(node, here, following)
    if isinstance(node, tree.Lambda):
        inside = here.bound(dict(zip(node.parameters, arguments, strict=True)), here.scope.inside(node))
        return writer.action(node.body, inside, following)
    meaning, _, inside = calls.reached(writer, node, here)
    return _applied(writer, meaning, arguments, inside, used, following)


def _is_entered(writer: Writer, meaning: Defined, arguments: tuple[Binding, ...], here: Context) -> bool:
    """Whether a definition is more than a test: whether it assigns, or has several ways, which TLC counts."""
    if not isinstance(meaning.definition, OperatorDefinition):
        return False
    visible = calls.visible_bindings(writer, meaning, here)
    if not arguments and not visible and calls.is_constant(writer, meaning, here):
        return False
    return here.initial or writer.nondeterminism.of_call(meaning, arguments, visible, here)


def _call(
    writer: Writer, meaning: Defined, arguments: tuple[Binding, ...], here: Context, following: Following
) -> Statements:
    passed = calls.passed_arguments(writer, meaning, arguments, here, True)
    function, captured = calls.specialized(
        writer, meaning, calls.visible_bindings(writer, meaning, here), passed, here, True
    )
    values = [argument.value for argument in passed if argument.value is not None]
    before, going_on = _as_function(writer, following)
    return [*before, ast.Expr(call(function, name(RUN), name(going_on), *map(name, captured), *values))]


def _standard(
    writer: Writer,
    meaning: Standard,
    arguments: tuple[Binding, ...],
    here: Context,
    node: Expression,
    following: Following,
) -> Statements:
    symbol = meaning.name
    texts = [(argument.node, here.at(argument)) for argument in arguments if isinstance(argument, ByName)]
    if len(texts) == len(arguments):
        if symbol == "/\\":
            return _all(writer, texts, following)
        if symbol == "\\/":
            return _any(writer, texts, following)
        if symbol == "=>":
            (left, before), (right, after) = texts
            prologue, again = _shared(writer, following)
            condition = writer.condition(left, before)
            return [*prologue, when(condition, writer.action(right, after, again), again())]
        if symbol == "UNCHANGED":
            return _unchanged(writer, *texts[0], following, written(node))
        if symbol == "\\cdot":
            prologue, going_on = _as_function(writer, following)
            in_turn = calls.actions_in_turn(writer, arguments, here, node.at)
            return [*prologue, ast.Expr(call("composed", name(RUN), name(going_on), *in_turn))]
        if symbol in ("=", "\\in"):
            number = assignments.target(writer, *texts[0])
            if number is not None:
                value = writer.value(*texts[1])
                if symbol == "\\in":
                    return _among(writer, number, value, here, node, following)
                settled = value if expressions.is_concrete(writer, *texts[1]) else call("settled", value)
                return _assigned(writer, number, settled, here, node, following)
    value = calls.applied(writer, meaning, arguments, here, node.at)
    return _test(writer, value, node, here, following)


# Assignments ---------------------------------------------------------------------------------------------------------


def _assigned(
    writer: Writer, number: int, value: ast.expr, here: Context, node: Expression, following: Following
) -> Statements:
    """Assign a value, or compare it with the one already assigned."""
    local, is_new = writer.program.fresh("assigned"), writer.program.fresh("new")
    target = here.now if here.initial else here.then
    cell = item(target, number)
    store = ast.Assign([ast.Subscript(name(target), constant(number), ast.Store())], name(local))
    remove = ast.Delete([ast.Subscript(name(target), constant(number), ast.Del())])
    fits = disjunction([name(is_new), call("equal", cell, name(local))])
    return [
        assign(local, value),
        assign(is_new, ast.Compare(constant(number), [ast.NotIn()], [name(target)])),
        when(name(is_new), [store], []),
        when(fits, following(), _why(written(node))),
        when(name(is_new), [remove], []),
    ]


def _among(
    writer: Writer, number: int, value: ast.expr, here: Context, node: Expression, following: Following
) -> Statements:
    members = method(RUN, "among", constant(number), value, constant(written(node)))
    return [loop(writer.program.fresh("one"), members, following())]


def _unchanged(writer: Writer, node: Expression, here: Context, following: Following, reason: str) -> Statements:
    numbers, tests = assignments.kept(writer, node, here)
    go_on = following if not tests else lambda: _tests(writer, tests, here, following)
    if not numbers:
        return go_on()
    kept = writer.program.fresh("kept")
    keep = method(RUN, "keep", tuple_of([constant(number) for number in numbers]), constant(reason))
    is_kept = ast.Compare(name(kept), [ast.IsNot()], [constant(None)])
    release = ast.Expr(method(RUN, "release", name(kept)))
    return [assign(kept, keep), when(is_kept, [*go_on(), release], [])]


def _tests(writer: Writer, tests: list[tuple[Expression, Context]], here: Context, following: Following) -> Statements:
    if not tests:
        return following()
    (node, at), *others = tests
    same = expressions.unchanged(writer, node, at)
    return [when(same, _tests(writer, others, here, following), _why(f"UNCHANGED {written(node)}"))]


def assign_many(names: list[str], value: ast.expr) -> ast.stmt:
    """``(a, b) = value``."""
    return ast.Assign([ast.Tuple([ast.Name(local, ast.Store()) for local in names], ast.Store())], value)
