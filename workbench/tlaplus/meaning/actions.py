r"""Actions and initial conditions by TLC's rule: the ways in which a formula can assign values to variables.

A *way* is one possible choice of those assignments.
Conjuncts go from left to right. ``x' = e`` assigns to a variable that has no value yet, and tests one that has;
``x' \in S`` does so for each member. ``\/`` and ``\E`` have the ways of each operand, ``\A`` is the conjunction over
the members, and definitions are what their bodies are. Everything else is a test. In an initial condition the same
goes for variables without a prime.

Once all variables have values, the rest is a test as well, and so is a definition that is constant: TLC evaluates them
as expressions, which have one way even if they are disjunctions.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.tlaplus.meaning import sets
from workbench.tlaplus.meaning.environment import Argument, Closure, Environment, Known, State, States
from workbench.tlaplus.meaning.expressions import (
    applied_to,
    bindings,
    body_of,
    called,
    chosen_arm,
    evaluate,
    holds,
    is_true,
    is_unchanged,
    value_of,
)
from workbench.tlaplus.meaning.values import EvaluationFailure, Number, truth
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.symbols import DEPTH, Defined, InstanceParameter, Meaning, Scope, Standard, Variable
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression

Ways = Iterator[States]
_NOWHERE = States({})
#: A formula, and what its names mean.
Conjunct = tuple[Expression, Environment]
#: Decides whether a formula that assigns nothing holds.
Test = Callable[[], bool]


def initial_states(conjuncts: Sequence[Conjunct]) -> Iterator[State]:
    """The states that satisfy an initial condition, one for each of its ways."""
    variables = conjuncts[0][1].model.variables
    for states in _in_turn(conjuncts, States(_depth(variables, 0), None, "now", len(variables))):
        yield {**_complete(states, *conjuncts[0]), **_depth(variables, 1)}


def next_states(action: Conjunct, parts: Sequence[Conjunct], now: State) -> Iterator[State]:
    """The states that an action leads to, one for each of its ways. `parts` come from :func:`disjuncts`."""
    variables = action[1].model.variables
    for part in parts:
        for states in _in_turn([part], States(now, _deeper(now), "then", len(variables))):
            yield _complete(states, *action)


def _depth(variables: Sequence[Variable], depth: int) -> dict[Variable, Any]:
    """The value of :data:`DEPTH`, if it is a variable. As in TLC, it is 0 until the first state is found."""
    return {DEPTH: Number(depth)} if DEPTH in variables else {}


def _deeper(now: State) -> dict[Variable, Any]:
    return {DEPTH: Number(now[DEPTH].value + 1)} if DEPTH in now else {}


def disjuncts(node: Expression, env: Environment) -> Iterator[Conjunct]:
    r"""The parts of Next, which TLC takes apart before it evaluates it.

    TLC splits ``\/``, definitions, and ``\E`` over constant sets. Here it evaluates constant arguments of definitions
    to values; anywhere else an argument stays a formula, which may have several ways.
    """
    if isinstance(node, (tree.Let, tree.Label)):
        yield from disjuncts(node.body, env.inside(node) if isinstance(node, tree.Let) else env)
        return
    try:
        parts = _parts(node, env)
    except EvaluationFailure:  # in an argument or a set: both are evaluated again in each state
        parts = []
    for part in parts:
        yield from disjuncts(*part)
    if not parts:
        yield node, env


def _parts(node: Expression, env: Environment) -> list[Conjunct]:
    """The disjuncts of a part of Next; empty if TLC does not split it."""
    if isinstance(node, tree.Disjunction):
        return [(operand, env) for operand in node.operands]
    if isinstance(node, tree.Quantified) and node.kind == "E":
        return [(node.body, inner) for inner, _ in bindings(node, env, _NOWHERE)]
    if not isinstance(node, (tree.Identifier, tree.Apply, tree.Operation, tree.Qualified)):
        return []
    meaning, arguments, inner = called(node, env)
    if _built_in(meaning) is _either:
        return [(argument.node, argument.environment) for argument in arguments if isinstance(argument, Closure)]
    if not isinstance(meaning, Defined) or not isinstance(meaning.definition, tree.OperatorDefinition):
        return []
    takes_operators = any(parameter.arity for parameter in meaning.definition.parameters)
    if takes_operators or meaning.recursive or env.model.is_constant(meaning):
        return []
    closures = [argument for argument in arguments if isinstance(argument, Closure)]
    if any(env.model.levels.level(closure.node, closure.environment.scope) > Level.CONSTANT for closure in closures):
        return []
    values = [Known(value_of(closure, _NOWHERE)) for closure in closures]
    return [(meaning.body, body_of(meaning, values, inner))]


def is_enabled(node: Expression, env: Environment, states: States) -> bool:
    """``ENABLED node``: whether there is a way, even one that leaves variables without values.

    In an instance the variables of its module are free, whatever they stand for now: the step is one of that module.
    """
    now, size, instance = states.now, len(env.model.variables), env.scope
    while instance.apart is None and instance.outer is not None:
        instance = instance.outer
    apart = instance.apart() if instance.apart is not None else None
    if apart is not None and env.scope.matching(apart.scopes) is not None:
        images = apart.variables.items()
        own = {variable: evaluate(image.expression, env.at(image.scope), states) for variable, image in images}
        now, size, env = {**now, **own}, len(own), _moved(env, apart.scopes)
    return any(True for _ in ways(node, env, States(now, {}, "then", size)))


def _moved(env: Environment, scopes: Mapping[Scope, Scope]) -> Environment:
    """An environment in the same module with other variables, and what its names stand for there."""
    bound = {
        name: Closure(value.node, _moved(value.environment, scopes)) if isinstance(value, Closure) else value
        for name, value in env.bound.items()
    }
    return replace(env, scope=env.scope.matching(scopes) or env.scope, bound=bound)


def _complete(states: States, node: Expression, env: Environment) -> State:
    without = [variable.name for variable in env.model.variables if variable not in states.filled]
    if not without:
        return states.filled
    failure = EvaluationFailure(f"{', '.join(without)} is left without a value")
    failure.at = node.at
    raise failure


def ways(node: Expression, env: Environment, states: States) -> Ways:
    """The states after the assignments of a formula, one for each of its ways."""
    construct = _CONSTRUCTS.get(type(node))
    if construct is None or len(states.filled) == states.size:
        if holds(node, env, states):
            yield states
        return
    try:
        yield from construct(node, env, states)
    except EvaluationFailure as failure:
        failure.at = failure.at or node.at
        raise


# Logic ---------------------------------------------------------------------------------------------------------------


def _in_turn(conjuncts: Sequence[Conjunct], states: States) -> Ways:
    """The ways of a conjunction: each conjunct extends the ways of the ones before it."""
    if not conjuncts:
        yield states
        return
    (node, env), *rest = conjuncts
    for further in ways(node, env, states):
        yield from _in_turn(rest, further)


def _conjunction(node: tree.Conjunction, env: Environment, states: States) -> Ways:
    return _in_turn([(operand, env) for operand in node.operands], states)


def _each(disjuncts: Iterable[Conjunct], states: States) -> Ways:
    """The ways of a disjunction: those of all its disjuncts."""
    for node, env in disjuncts:
        yield from ways(node, env, states)


def _disjunction(node: tree.Disjunction, env: Environment, states: States) -> Ways:
    return _each([(operand, env) for operand in node.operands], states)


def _quantified(node: tree.Quantified, env: Environment, states: States) -> Ways:
    bodies = ((node.body, inner) for inner, _ in bindings(node, env, states))
    return _in_turn([*bodies], states) if node.kind == "A" else _each(bodies, states)


# Miscellaneous -------------------------------------------------------------------------------------------------------


def _if(node: tree.If, env: Environment, states: States) -> Ways:
    return ways(node.then if holds(node.condition, env, states) else node.otherwise, env, states)


def _case(node: tree.Case, env: Environment, states: States) -> Ways:
    return ways(chosen_arm(node, env, states), env, states)


def _let(node: tree.Let, env: Environment, states: States) -> Ways:
    return ways(node.body, env.inside(node), states)


def _label(node: tree.Label, env: Environment, states: States) -> Ways:
    return ways(node.body, env, states)


# Actions -------------------------------------------------------------------------------------------------------------


def _box(node: tree.Box, env: Environment, states: States) -> Ways:
    yield from ways(node.action, env, states)
    yield from unchanged(node.subscript, env, states)


def _angle(node: tree.Angle, env: Environment, states: States) -> Ways:
    for further in ways(node.action, env, states):
        if not is_unchanged(node.subscript, env, further):
            yield further


def unchanged(node: Expression, env: Environment, states: States) -> Ways:
    """The ways of ``UNCHANGED node``: a variable, or a tuple of them, assigns; anything else is a test."""
    node, env = _unfolded(node, env)
    variable = _variable(node, env)
    if variable is not None:
        yield from _assigned(variable, states.value(variable), states)
    elif isinstance(node, tree.TupleOf):
        yield from _all_unchanged(node.items, env, states)
    elif is_unchanged(node, env, states):
        yield states


def _all_unchanged(nodes: Sequence[Expression], env: Environment, states: States) -> Ways:
    if not nodes:
        yield states
        return
    for further in unchanged(nodes[0], env, states):
        yield from _all_unchanged(nodes[1:], env, further)


def _assigned(variable: Variable, value: Any, states: States) -> Ways:
    """``x' = value``."""
    if variable not in states.filled:
        yield states.assigned(variable, sets.listed(value))
    elif sets.equal(states.filled[variable], value):
        yield states


# Names ---------------------------------------------------------------------------------------------------------------


def _name(node: Expression, env: Environment, states: States) -> Ways:
    meaning, arguments, inner = called(node, env)
    if (built_in := _built_in(meaning)) is not None:
        return built_in(arguments, states, lambda: holds(node, inner, states))
    return _ways_of(node, meaning, arguments, inner, states)


def _built_in(meaning: Meaning) -> Callable[[Sequence[Any], States, Test], Ways] | None:
    is_own = isinstance(meaning, Standard) and not meaning.module
    return _BUILT_IN.get(meaning.name) if is_own else None


def _ways_of(
    node: Expression, meaning: Meaning, arguments: Sequence[Argument], env: Environment, states: States
) -> Ways:
    """The ways of a definition, or of a name that stands for a formula or an action."""
    if isinstance(meaning, Defined) and not env.model.is_constant(meaning):
        return ways(meaning.body, body_of(meaning, arguments, env), states)
    if isinstance(meaning, InstanceParameter):
        return _ways_of_argument(node, Closure(meaning.expression, env.at(meaning.scope)), arguments, states)
    if isinstance(meaning, tree.Declaration):
        return _ways_of_argument(node, env.bound[meaning], arguments, states)
    return _if_so(holds(node, env, states), states)


def _ways_of_argument(node: Expression, argument: Argument, arguments: Sequence[Argument], states: States) -> Ways:
    if isinstance(argument, Known):
        return _if_so(truth(argument.value), states)
    if not arguments and argument.known is not None and states.extend(argument.known[0]):
        return _if_so(truth(argument.known[1]), states)  # TLC takes what it knows
    if not arguments:
        return ways(argument.node, argument.environment, states)
    if isinstance(argument.node, tree.Lambda):
        inner = argument.environment.inside(argument.node).binding(argument.node.parameters, arguments)
        return ways(argument.node.body, inner, states)
    meaning, _, env = called(argument.node, argument.environment)
    if isinstance(meaning, (Defined, InstanceParameter, tree.Declaration)):
        return _ways_of(node, meaning, arguments, env, states)

    def is_so() -> bool:
        return truth(applied_to(argument, arguments, states))

    built_in = _built_in(meaning)
    return _if_so(is_so(), states) if built_in is None else built_in(arguments, states, is_so)


def _if_so(is_so: bool, states: States) -> Ways:
    """A test's single way if it holds; otherwise nothing."""
    return iter([states] if is_so else [])


# Operators of TLA+ itself, by name or as arguments -------------------------------------------------------------------


def _both(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    return _in_turn([(argument.node, argument.environment) for argument in arguments], states)


def _either(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    return _each([(argument.node, argument.environment) for argument in arguments], states)


def _equal(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    target, value = arguments
    variable = _target(target.node, target.environment, states)
    if variable is None:
        return _if_so(is_so(), states)
    return _assigned(variable, value_of(value, states), states)


def _in(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    target, members = arguments
    variable = _target(target.node, target.environment, states)
    if variable is None or variable in states.filled:
        return _if_so(is_so(), states)
    return (states.assigned(variable, member) for member in sets.members_of(value_of(members, states)))


def _implies(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    condition, formula = arguments
    return ways(formula.node, formula.environment, states) if is_true(condition, states) else iter([states])


def _composed(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    r"""``A \cdot B``: B is taken in each state to which A leads, one level deeper."""
    first, second = [(argument.node, argument.environment) for argument in arguments]
    then = states.then or {}
    depth = {DEPTH: then[DEPTH]} if DEPTH in then else _deeper(states.now)
    for middle in ways(*first, replace(states, then=depth)):
        for last in ways(*second, States(_complete(middle, *first), depth, "then", states.size)):
            yield from _all_assigned([*_complete(last, *second).items()], states)


def _all_assigned(values: Sequence[tuple[Variable, Any]], states: States) -> Ways:
    if not values:
        yield states
        return
    for further in _assigned(*values[0], states):
        yield from _all_assigned(values[1:], further)


def is_composed(first: Argument, second: Argument, states: States) -> bool:
    r"""Whether a step is one of ``A \cdot B``."""
    if states.then is None:
        raise EvaluationFailure("a prime stands where there is no next state")
    step = replace(states, fills="then", size=len(states.then))
    return any(True for _ in _composed([first, second], step, lambda: True))


def _unchanged(arguments: Sequence[Any], states: States, is_so: Test) -> Ways:
    return unchanged(arguments[0].node, arguments[0].environment, states)


# Targets of assignments ----------------------------------------------------------------------------------------------


def _target(node: Expression, env: Environment, states: States) -> Variable | None:
    """The variable that a formula about `node` assigns: with a prime in an action, without in an initial condition."""
    node, env = _unfolded(node, env)
    if states.fills == "then":
        return _variable(*_unfolded(node.operand, env)) if isinstance(node, tree.Prime) else None
    return _variable(node, env)


def _variable(node: Expression, env: Environment) -> Variable | None:
    """The variable that an expression names."""
    meaning = called(node, env)[0] if isinstance(node, (tree.Identifier, tree.Qualified)) else None
    return meaning if isinstance(meaning, Variable) else None


def _unfolded(node: Expression, env: Environment) -> tuple[Expression, Environment]:
    """What an expression is, if it is the name of an argument, of a definition, or of a substitute for a variable."""
    while isinstance(node, (tree.Identifier, tree.Apply, tree.Qualified)):
        meaning, arguments, inner = called(node, env)
        if isinstance(meaning, Defined) and isinstance(meaning.definition, tree.OperatorDefinition):
            node, env = meaning.body, body_of(meaning, arguments, inner)
        elif isinstance(meaning, InstanceParameter) and not arguments:
            node, env = meaning.expression, inner.at(meaning.scope)
        elif isinstance(meaning, tree.Declaration) and isinstance(argument := inner.bound[meaning], Closure):
            if arguments:
                return node, env
            node, env = argument.node, argument.environment
        else:
            break
    return node, env


#: The operators of TLA+ itself that are more than tests.
_BUILT_IN: dict[str, Callable[[Sequence[Any], States, Test], Ways]] = {
    "/\\": _both,
    "\\/": _either,
    "=": _equal,
    "\\in": _in,
    "=>": _implies,
    "UNCHANGED": _unchanged,
    "\\cdot": _composed,
}

_CONSTRUCTS: dict[type, Callable[..., Ways]] = {
    tree.Conjunction: _conjunction,
    tree.Disjunction: _disjunction,
    tree.Quantified: _quantified,
    tree.If: _if,
    tree.Case: _case,
    tree.Let: _let,
    tree.Label: _label,
    tree.Box: _box,
    tree.Angle: _angle,
    tree.Identifier: _name,
    tree.Apply: _name,
    tree.Operation: _name,
    tree.Qualified: _name,
}
