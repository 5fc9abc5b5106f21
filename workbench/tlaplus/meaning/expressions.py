r"""The values of expressions: a function per construct, in the order of the tables of "Specifying Systems".

Each takes the construct, the environment and the states, and returns a value; :func:`evaluate` dispatches to them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.kernel.meaning.interrupts import pause
from workbench.tlaplus.meaning import sets
from workbench.tlaplus.meaning.environment import Argument, Closure, Environment, Known, States
from workbench.tlaplus.meaning.values import (
    Boolean,
    EvaluationFailure,
    Number,
    Set,
    String,
    brief,
    sequence_of,
    set_of,
    truth,
)
from workbench.tlaplus.names.symbols import (
    Constant,
    Defined,
    InstanceParameter,
    Instantiated,
    Meaning,
    Standard,
    Variable,
)
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Bound, Expression, FunctionDefinition


def evaluate(node: Expression, env: Environment, states: States) -> Any:
    """The value of an expression.

    Raises:
        EvaluationFailure: With the place of the innermost expression that TLC cannot evaluate.
    """
    try:
        return _CONSTRUCTS[type(node)](node, env, states)
    except EvaluationFailure as failure:
        failure.at = failure.at or node.at
        raise


def holds(node: Expression, env: Environment, states: States) -> bool:
    """Whether a formula is true.

    Raises:
        EvaluationFailure: With its place, also if it is not a Boolean.
    """
    value = evaluate(node, env, states)
    try:
        return truth(value)
    except EvaluationFailure as failure:
        failure.at = node.at
        raise


# Logic ---------------------------------------------------------------------------------------------------------------


def _boolean(node: tree.Boolean, env: Environment, states: States) -> Any:
    return Boolean(node.value)


def _conjunction(node: tree.Conjunction, env: Environment, states: States) -> Any:
    return Boolean(all(holds(operand, env, states) for operand in node.operands))


def _disjunction(node: tree.Disjunction, env: Environment, states: States) -> Any:
    return Boolean(any(holds(operand, env, states) for operand in node.operands))


def _and(states: States, one: Argument, other: Argument) -> bool:
    return is_true(one, states) and is_true(other, states)


def _or(states: States, one: Argument, other: Argument) -> bool:
    return is_true(one, states) or is_true(other, states)


def _not(states: States, operand: Argument) -> bool:
    return not is_true(operand, states)


def _implies(states: States, one: Argument, other: Argument) -> bool:
    return not is_true(one, states) or is_true(other, states)


def _equivalent(states: States, one: Argument, other: Argument) -> bool:
    return is_true(one, states) == is_true(other, states)


def is_true(argument: Argument, states: States) -> bool:
    """As :func:`holds`, for an argument."""
    if isinstance(argument, Closure):
        return holds(argument.node, argument.environment, states)
    return truth(argument.value)


def _quantified(node: tree.Quantified, env: Environment, states: States) -> Any:
    truths = (holds(node.body, inner, states) for inner, _ in bindings(node, env, states))
    return Boolean(any(truths) if node.kind == "E" else all(truths))


def _choose(node: tree.Choose, env: Environment, states: States) -> Any:
    for inner, member in bindings(node, env, states):
        if holds(node.body, inner, states):
            return member
    raise EvaluationFailure("no member of the set satisfies the predicate of CHOOSE")


def bindings(node: tree.Binder, env: Environment, states: States) -> Iterator[tuple[Environment, Any]]:
    """Bind the names of a construct in every way: each environment for its body, with the member or tuple of members.

    As in TLC, the first name varies fastest.
    """
    domains = [_domain(bound, env, states) for bound in node.bounds for _ in bound.patterns]
    patterns = [(pattern, bound.is_tuple) for bound in node.bounds for pattern in bound.patterns]
    inside = env.inside(node)
    for members in _choices(domains):
        pause()
        names, values = list[tree.Declaration](), list[Any]()
        for (pattern, is_tuple), member in zip(patterns, members, strict=True):
            names.extend(pattern)
            values.extend(_taken_apart(member, len(pattern)) if is_tuple else [member])
        argument = members[0] if len(members) == 1 else sequence_of(members)
        yield inside.binding(names, [Known(value) for value in values]), argument


def _domain(bound: Bound, env: Environment, states: States) -> Any:
    if bound.domain is None:
        raise EvaluationFailure("TLC cannot evaluate what ranges over all values")
    return evaluate(bound.domain, env, states)


def _choices(domains: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    if not domains:
        yield ()
        return
    for last in sets.members_of(domains[-1]):
        for others in _choices(domains[:-1]):
            yield (*others, last)


def _taken_apart(value: Any, size: int) -> Sequence[Any]:
    pairs = sets.pairs_of(value)
    if len(pairs) != size or sequence_of([result for _, result in pairs]) != value:
        raise EvaluationFailure(f"{brief(value)} is not a tuple of {size}")
    return [result for _, result in pairs]


# Sets ----------------------------------------------------------------------------------------------------------------


def _set(node: tree.SetOf, env: Environment, states: States) -> Any:
    return set_of([sets.listed(evaluate(item, env, states)) for item in node.items])


def _filter(node: tree.Filter, env: Environment, states: States) -> Any:
    (bound,) = node.bounds
    inside = env.inside(node)

    def test(member: Any) -> bool:
        pause()
        values = _taken_apart(member, len(bound.names)) if bound.is_tuple else [member]
        return holds(node.body, inside.binding(bound.names, [Known(value) for value in values]), states)

    return sets.filtered(_domain(bound, env, states), test)


def _map(node: tree.MapOver, env: Environment, states: States) -> Any:
    return set_of([sets.listed(evaluate(node.body, inner, states)) for inner, _ in bindings(node, env, states)])


# Functions -----------------------------------------------------------------------------------------------------------


def _application(node: tree.FunctionApplication, env: Environment, states: States) -> Any:
    return sets.apply(evaluate(node.function, env, states), _argument(node.arguments, env, states))


def _argument(nodes: Sequence[Expression], env: Environment, states: States) -> Any:
    """The argument of ``f[a]``, or the tuple of ``f[a, b]``."""
    values = [sets.listed(evaluate(node, env, states)) for node in nodes]
    return values[0] if len(values) == 1 else sequence_of(values)


def _function(node: tree.FunctionOf, env: Environment, states: States) -> Any:
    return sets.function_over(*_domain_and_result(node, env, states))


def _domain_and_result(node: tree.FunctionOf, env: Environment, states: States) -> tuple[Any, Callable[[Any], Any]]:
    domains = [_domain(bound, env, states) for bound in node.bounds for _ in bound.patterns]
    patterns = [(pattern, bound.is_tuple) for bound in node.bounds for pattern in bound.patterns]
    inside = env.inside(node)

    def result(argument: Any) -> Any:
        pause()
        members = [argument] if len(patterns) == 1 else _taken_apart(argument, len(patterns))
        arguments = dict[tree.Declaration, Argument]()
        for (pattern, is_tuple), member in zip(patterns, members, strict=True):
            values = _taken_apart(member, len(pattern)) if is_tuple else [member]
            arguments.update(zip(pattern, map(Known, values), strict=True))
        return evaluate(node.body, inside.binding([*arguments], [*arguments.values()]), states)

    return domains[0] if len(domains) == 1 else sets.Product(*domains), result


def _function_set(node: tree.FunctionSet, env: Environment, states: States) -> Any:
    return sets.Functions(evaluate(node.domain, env, states), evaluate(node.codomain, env, states))


def _except(node: tree.Except, env: Environment, states: States) -> Any:
    value = evaluate(node.function, env, states)
    for update in node.updates:
        path = [_step(step, env, states) for step in update.path]
        value = sets.updated(value, path, partial(_new, update.value, env, states))
    return value


def _new(node: Expression, env: Environment, states: States, old: Any) -> Any:
    """The value with which an EXCEPT replaces `old`, which is the value of @."""
    return evaluate(node, replace(env, old=old), states)


def _step(step: tree.Index | tree.Selector, env: Environment, states: States) -> Any:
    if isinstance(step, tree.Selector):
        return String(step.name, env.model.words)
    return _argument(step.arguments, env, states)


def _at(node: tree.At, env: Environment, states: States) -> Any:
    return env.old


# Records -------------------------------------------------------------------------------------------------------------


def _field(node: tree.Field, env: Environment, states: States) -> Any:
    record = evaluate(node.record, env, states)
    return sets.apply(record if sets.is_infinite(record) else sets.listed(record), String(node.name, env.model.words))


def _record(node: tree.RecordOf, env: Environment, states: States) -> Any:
    return sets.function_of(
        [
            (String(field.name, env.model.words), sets.listed(evaluate(field.value, env, states)))
            for field in node.fields
        ]
    )


def _record_set(node: tree.RecordSet, env: Environment, states: States) -> Any:
    return sets.Records(
        [(String(field.name, env.model.words), evaluate(field.value, env, states)) for field in node.fields]
    )


# Tuples, strings and numbers -----------------------------------------------------------------------------------------


def _tuple(node: tree.TupleOf, env: Environment, states: States) -> Any:
    return sequence_of([sets.listed(evaluate(item, env, states)) for item in node.items])


def _string(node: tree.String, env: Environment, states: States) -> Any:
    return String(node.value, env.model.words)


def _number(node: tree.Number, env: Environment, states: States) -> Any:
    return Number(node.value)


# Miscellaneous -------------------------------------------------------------------------------------------------------


def _if(node: tree.If, env: Environment, states: States) -> Any:
    return evaluate(node.then if holds(node.condition, env, states) else node.otherwise, env, states)


def _case(node: tree.Case, env: Environment, states: States) -> Any:
    return evaluate(chosen_arm(node, env, states), env, states)


def chosen_arm(node: tree.Case, env: Environment, states: States) -> Expression:
    """The value of the first arm whose guard holds, as TLC chooses it."""
    for arm in node.arms:
        if holds(arm.guard, env, states):
            return arm.value
    if node.other is None:
        raise EvaluationFailure("no arm of the CASE holds, and it has no OTHER")
    return node.other


def _let(node: tree.Let, env: Environment, states: States) -> Any:
    return evaluate(node.body, env.inside(node), states)


def _label(node: tree.Label, env: Environment, states: States) -> Any:
    return evaluate(node.body, env, states)


# Actions -------------------------------------------------------------------------------------------------------------


def _prime(node: tree.Prime, env: Environment, states: States) -> Any:
    return evaluate(node.operand, env, states.primed)


def is_unchanged(node: Expression, env: Environment, states: States) -> bool:
    """``UNCHANGED node``."""
    return sets.equal(evaluate(node, env, states.primed), evaluate(node, env, states))


def _box(node: tree.Box, env: Environment, states: States) -> Any:
    return Boolean(holds(node.action, env, states) or is_unchanged(node.subscript, env, states))


def _angle(node: tree.Angle, env: Environment, states: States) -> Any:
    return Boolean(holds(node.action, env, states) and not is_unchanged(node.subscript, env, states))


def _unsupported(node: Any, env: Environment, states: States) -> Any:
    construct = node.what if isinstance(node, tree.Unsupported) else "a temporal formula"
    raise EvaluationFailure(f"{construct} has no value here")


# Names ---------------------------------------------------------------------------------------------------------------


def _name(node: Any, env: Environment, states: States) -> Any:
    meaning, arguments, env = called(node, env)
    return result_of(meaning, arguments, env, states)


def called(node: Expression, env: Environment) -> tuple[Meaning, list[Argument], Environment]:
    """The meaning of a name or operator, its arguments, and an environment with the parameters of its instances."""
    meaning, operands = env.model.meaning(node, env.scope)
    arguments: list[Argument] = [Closure(operand, env) for operand in operands]
    if isinstance(node, tree.Qualified):
        env = env.through(env.scope.reach(node))
    return meaning, arguments, env


def body_of(meaning: Defined, arguments: Sequence[Argument], env: Environment) -> Environment:
    """The environment in which the body of a definition is evaluated."""
    return env.at(meaning.scope).inside(meaning.definition).binding(meaning.definition.parameters, arguments)


def result_of(meaning: Meaning, arguments: Sequence[Argument], env: Environment, states: States) -> Any:
    """The value of a name applied to these arguments."""
    model = env.model
    if isinstance(meaning, Variable):
        return states.value(meaning)
    if isinstance(meaning, Constant):
        return model.constants[meaning]
    if isinstance(meaning, InstanceParameter):
        return applied_to(Closure(meaning.expression, env.at(meaning.scope)), arguments, states)
    if isinstance(meaning, Standard):
        return _standard(meaning, arguments, env, states)
    if isinstance(meaning, Instantiated):
        raise EvaluationFailure(f"{meaning.name} is an instance, and has no value")
    if not isinstance(meaning, Defined):
        return applied_to(env.bound[meaning], arguments, states)
    if meaning in model.known:
        return model.known[meaning]
    if arguments:
        pause()  # a recursion may run long without enumerating any set
    inner = body_of(meaning, arguments, env)
    if isinstance(meaning.definition, FunctionDefinition):
        value: Any = sets.LazyFunction(*_domain_and_result(meaning.definition.function, inner, states))
    else:
        value = evaluate(meaning.body, inner, states)
    if model.is_constant(meaning):
        model.known[meaning] = value
    return value


def value_of(argument: Argument, states: States) -> Any:
    """The value of an argument that is not an operator."""
    return applied_to(argument, (), states)


def applied_to(argument: Argument, arguments: Sequence[Argument], states: States) -> Any:
    """The value of an argument. If it is an operator, apply it to `arguments`."""
    if isinstance(argument, Known):
        return argument.value
    node, env = argument.node, argument.environment
    if not arguments:
        if argument.known is None or argument.known[0] is not states:
            argument.known = states, evaluate(node, env, states)
        return argument.known[1]
    if isinstance(node, tree.Lambda):
        return evaluate(node.body, env.inside(node).binding(node.parameters, arguments), states)
    meaning, _, env = called(node, env)
    return result_of(meaning, arguments, env, states)


def _standard(meaning: Standard, arguments: Sequence[Argument], env: Environment, states: States) -> Any:
    """The value of an operator of TLA+ itself or of a standard module."""
    name = meaning.name
    if meaning.module:
        operator = env.model.standard[meaning.module][name][1]
        values = [_passed(argument, states) for argument in arguments]
        value = operator(*values)
        return String(value, env.model.words) if isinstance(value, str) else value
    if name in _BY_NEED:
        return Boolean(_BY_NEED[name](states, *arguments))
    if name == "ENABLED":
        (argument,) = arguments
        assert isinstance(argument, Closure)
        return Boolean(env.model.is_enabled(argument.node, argument.environment, states))
    if name == "\\cdot":
        first, second = arguments
        return Boolean(env.model.is_composed(first, second, states))
    if name == "UNCHANGED":
        (argument,) = arguments
        return Boolean(sets.equal(value_of(argument, states.primed), value_of(argument, states)))
    if name == "'":
        return value_of(arguments[0], states.primed)
    if name not in _BY_VALUE:
        raise EvaluationFailure(f"{name} has no value here")
    value = _BY_VALUE[name](*[value_of(argument, states) for argument in arguments])
    return Boolean(value) if isinstance(value, bool) else value


def _passed(argument: Argument, states: States) -> Any:
    """An argument for an operator of a standard module: its value, or for an operator a Python function of values."""
    if isinstance(argument, Closure) and argument.environment.scope.arity_of(argument.node):
        return lambda *values: applied_to(argument, [Known(value) for value in values], states)
    return value_of(argument, states)


#: The logical operators. Some of them evaluate an operand only when needed.
_BY_NEED: dict[str, Callable[..., bool]] = {"/\\": _and, "\\/": _or, "~": _not, "=>": _implies, "<=>": _equivalent}
#: The operators that evaluate all of their operands.
_BY_VALUE: dict[str, Callable[..., Any]] = {
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "BOOLEAN": lambda: Set((Boolean(False), Boolean(True))),
    "STRING": lambda: sets.STRING,
    "=": sets.equal,
    "#": lambda one, other: not sets.equal(one, other),
    "\\in": lambda value, members: sets.has(members, value),
    "\\notin": lambda value, members: not sets.has(members, value),
    "\\subseteq": sets.within,
    "\\cup": sets.cup,
    "\\cap": sets.cap,
    "\\": sets.minus,
    "\\X": sets.Product,
    "SUBSET": sets.Subsets,
    "UNION": sets.union,
    "DOMAIN": sets.domain_of,
}

_CONSTRUCTS: dict[type, Callable[..., Any]] = {
    tree.Boolean: _boolean,
    tree.Conjunction: _conjunction,
    tree.Disjunction: _disjunction,
    tree.Quantified: _quantified,
    tree.Choose: _choose,
    tree.SetOf: _set,
    tree.Filter: _filter,
    tree.MapOver: _map,
    tree.FunctionApplication: _application,
    tree.FunctionOf: _function,
    tree.FunctionSet: _function_set,
    tree.Except: _except,
    tree.At: _at,
    tree.Field: _field,
    tree.RecordOf: _record,
    tree.RecordSet: _record_set,
    tree.TupleOf: _tuple,
    tree.String: _string,
    tree.Number: _number,
    tree.If: _if,
    tree.Case: _case,
    tree.Let: _let,
    tree.Label: _label,
    tree.Prime: _prime,
    tree.Box: _box,
    tree.Angle: _angle,
    tree.Fairness: _unsupported,
    tree.Unsupported: _unsupported,
    tree.Identifier: _name,
    tree.Apply: _name,
    tree.Operation: _name,
    tree.Qualified: _name,
}
