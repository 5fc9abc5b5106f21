"""Write names and calls: variables, constants, definitions and their arguments, and operators as arguments.

A definition becomes a Python function, written once for all calls whose arguments are of the same kinds. An argument
passed by name is compiled into the function, so a call that passes a different expression gets another function.
"""

import ast
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.compiler import expressions
from workbench.tlaplus.compiler.enabled import apart_of, moved
from workbench.tlaplus.compiler.environment import (
    NOW,
    NOWHERE,
    REST,
    RUN,
    THEN,
    ActualArgument,
    Binding,
    ByName,
    ByNeed,
    ByValue,
    Context,
    Environment,
    InState,
    Operator,
)
from workbench.tlaplus.compiler.memo import Remembered
from workbench.tlaplus.compiler.python_code import (
    call,
    conjunction,
    constant,
    defined,
    disjunction,
    function_of,
    item,
    name,
    negated,
    tuple_of,
    when,
)
from workbench.tlaplus.compiler.writer import Writer
from workbench.tlaplus.library.standard import MODULES
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.operator_effects import Use
from workbench.tlaplus.names.symbols import (
    DEPTH,
    FIGURES,
    Constant,
    Defined,
    InstanceParameter,
    Meaning,
    Standard,
    Variable,
    fail_at,
    without_value,
)
from workbench.tlaplus.syntax import tree
from workbench.tlaplus.syntax.tree import Expression, OperatorDefinition, Place
from workbench.tlaplus.syntax.visitor import has_binder
from workbench.tlaplus.values.sets import BOOLEAN, STRING

#: Operators of TLA+ itself that are functions of their operands' values.
_FUNCTIONS = {
    "=": "equal",
    "\\in": "isin",
    "\\subseteq": "subseteq",
    "\\cup": "cup",
    "\\cap": "cap",
    "\\": "minus",
    "\\X": "Product",
    "SUBSET": "Subsets",
    "UNION": "union",
    "DOMAIN": "domain",
}
_NEGATED = {"#": "equal", "\\notin": "isin"}
_TEMPORAL = frozenset({"[]", "<>", "~>", "-+->"})
_MOST_FUNCTIONS = 20_000


# Names ---------------------------------------------------------------------------------------------------------------


def value(writer: Writer, node: Expression, here: Context) -> ast.expr:
    """A name, or an operator with its arguments."""
    meaning, arguments, inside = reached(writer, node, here)
    return applied(writer, meaning, arguments, inside, node.at)


def reached(writer: Writer, node: Expression, here: Context) -> tuple[Meaning, tuple[ByName, ...], Context]:
    """The meaning of a name, its arguments, and its place: inside an instance if the name is qualified."""
    called = here.scope.applied(node)
    if called is None:
        fail_at(node.at, f"{type(node).__name__} is not supported here")
    passed = here.scope.reach(node).arguments if isinstance(node, tree.Qualified) else ()
    meaning, nodes = called
    arguments = tuple(ByName(operand, here.scope, here.environment) for operand in nodes)
    return meaning, arguments, here.bound({parameter: named(writer, value, here) for parameter, value in passed})


def named(writer: Writer, node: Expression, here: Context) -> Binding:
    """The binding of an expression that is taken by name; for a mere alias, the binding behind it."""
    if isinstance(node, tree.Identifier):
        binding = here.of(node)
        if binding is not None and not isinstance(binding, InState):
            return binding
    free = writer.free_names.of(node, here.scope)
    return ByName(node, here.scope, here.environment.visible(free, here.now))


def applied(writer: Writer, meaning: Meaning, arguments: tuple[Binding, ...], here: Context, at: Place) -> ast.expr:
    """The code for a name's value: the meaning of the name, applied to its arguments if there are any."""
    binding = here.binding(meaning)
    if isinstance(binding, Operator):
        return call(binding.local, name(here.now), name(here.then), *_values(writer, arguments, here))
    if isinstance(binding, ByName) and arguments:
        return _operator(writer, binding.node, arguments, here.at(binding), at)
    if binding is not None:
        return writer.bound(binding, here)
    if meaning in writer.numbers:
        return item(here.now, writer.numbers[meaning])
    if isinstance(meaning, Variable) and meaning in (DEPTH, *FIGURES):
        return call("failed", constant(without_value(meaning)))
    if isinstance(meaning, Constant):
        return _constant(writer, meaning, at)
    if isinstance(meaning, Standard):
        return _standard(writer, meaning, arguments, here, at)
    if isinstance(meaning, InstanceParameter):
        return _operator(writer, meaning.expression, arguments, replace(here, scope=meaning.scope), at)
    if isinstance(meaning, Defined):
        return _defined(writer, meaning, arguments, here)
    fail_at(at, f"{meaning.name} is not a value")


def _values(writer: Writer, arguments: tuple[Binding, ...], here: Context) -> list[ast.expr]:
    return [writer.bound(argument, here) for argument in arguments]


def _constant(writer: Writer, meaning: Constant, at: Place) -> ast.expr:
    if meaning not in writer.constants:
        fail_at(at, f"the constant {meaning.name} has no value")
    value = writer.constants[meaning]
    return constant(value) if type(value) in (bool, int, str) else name(writer.named(value))


# Standard operators --------------------------------------------------------------------------------------------------


def _standard(writer: Writer, meaning: Standard, arguments: tuple[Binding, ...], here: Context, at: Place) -> ast.expr:
    if meaning.module:
        function = writer.named(MODULES[meaning.module][meaning.name][1])
        return call(function, *[_python_argument(writer, argument, here) for argument in arguments])
    symbol = meaning.name
    if symbol in _TEMPORAL:
        fail_at(at, f"{symbol} makes this a temporal formula, which has no value in a state")
    if symbol in ("TRUE", "FALSE"):
        return constant(symbol == "TRUE")
    if symbol in ("BOOLEAN", "STRING"):
        return name(writer.named(BOOLEAN if symbol == "BOOLEAN" else STRING))
    if symbol in _FUNCTIONS:
        return call(_FUNCTIONS[symbol], *_values(writer, arguments, here))
    if symbol in _NEGATED:
        return negated(call(_NEGATED[symbol], *_values(writer, arguments, here)))
    if symbol == "'":
        return writer.bound(arguments[0], here.primed())
    if symbol == "UNCHANGED":
        return call("equal", writer.bound(arguments[0], here.primed()), writer.bound(arguments[0], here))
    if symbol == "ENABLED":
        return _enabled(writer, arguments[0], here, at)
    if symbol == "\\cdot":
        states = name(here.now), name(here.then), _names(writer)
        return call("is_composed", *states, *actions_in_turn(writer, arguments, here, at))
    conditions = [_condition(writer, argument, here) for argument in arguments]
    if symbol == "~":
        return negated(conditions[0])
    if symbol == "<=>":
        return ast.Compare(conditions[0], [ast.Is()], [conditions[1]])
    if symbol == "=>":
        return disjunction([negated(conditions[0]), conditions[1]])
    return conjunction(conditions) if symbol == "/\\" else disjunction(conditions)


def _condition(writer: Writer, argument: Binding, here: Context) -> ast.expr:
    if isinstance(argument, ByName):
        return writer.condition(argument.node, here.at(argument))
    return call("truth", writer.bound(argument, here))


def _python_argument(writer: Writer, argument: Binding, here: Context) -> ast.expr:
    """An argument for a Python function: a value, or a function of values."""
    if not isinstance(argument, ByName) or not argument.scope.arity_of(argument.node):
        return writer.bound(argument, here)
    inside = here.at(argument)
    names = _fresh(writer, argument.scope.arity_of(argument.node))
    values = tuple(ByValue(local) for local in names)
    return function_of(names, _operator(writer, argument.node, values, inside, argument.node.at))


def _fresh(writer: Writer, count: int) -> list[str]:
    return [writer.program.fresh("argument") for _ in range(count)]


def _enabled(writer: Writer, action: Binding, here: Context, at: Place) -> ast.expr:
    if not isinstance(action, ByName):
        return _condition(writer, action, here)
    inside, names, now = here.at(action), name("names"), name(here.now)
    if (apart_scope := apart_of(inside.scope)) is not None:
        scope, apart = apart_scope
        images = {
            writer.number(variable): function_of([], _image(writer, meaning, inside, at))
            for variable, meaning in apart.variables.items()
        }
        names = _names(writer)
        now = call("Mapped", now, ast.Dict([*map(constant, images)], [*images.values()]))
        inside = replace(inside, scope=scope, environment=moved(inside.environment, apart.scopes))
    function, captured = _action(writer, action.node, inside, at)
    return call("is_enabled", name(function), names, now, *captured)


def actions_in_turn(writer: Writer, arguments: tuple[Binding, ...], here: Context, at: Place) -> list[ast.expr]:
    r"""What the runtime takes for ``A \cdot B``: a function for each action, and the numbers of the variables."""
    functions = list[ast.expr]()
    for argument in arguments:
        if here.initial or not isinstance(argument, ByName):
            fail_at(at, r"\cdot takes two actions, and stands in one")
        function, captured = _action(writer, argument.node, here.at(argument), at)
        functions.append(function_of([RUN, REST], call(function, name(RUN), name(REST), *captured)))
    numbers = [constant(number) for variable, number in writer.numbers.items() if variable is not DEPTH]
    return [*functions, tuple_of(numbers)]


def _names(writer: Writer) -> ast.expr:
    return name(writer.named(tuple(variable.name for variable in writer.numbers)))


def _action(writer: Writer, node: Expression, inside: Context, at: Place) -> tuple[str, list[ast.expr]]:
    """The name of a function for an action, and the locals that it takes after the run and the continuation."""
    visible = inside.environment.visible(writer.free_names.of(node, inside.scope), "")
    here = Context(inside.scope, visible, at.module)
    function = writer.program.fresh("action")
    definition = defined(function, [RUN, REST, *here.environment.locals()], writer.body(node, here))
    writer.define(definition, node, here)
    return function, [*map(name, visible.locals())]


def _image(writer: Writer, meaning: InstanceParameter, here: Context, at: Place) -> ast.expr:
    """The value of the expression that an instance substitutes for a variable."""
    return _operator(writer, meaning.expression, (), replace(here, scope=meaning.scope), at)


# Operators as arguments ----------------------------------------------------------------------------------------------


def _operator(writer: Writer, node: Expression, arguments: tuple[Binding, ...], here: Context, at: Place) -> ast.expr:
    """The operator that an expression denotes, applied to arguments."""
    if not arguments:
        return writer.value(node, here)
    if isinstance(node, tree.Lambda):
        inside = here.bound(dict(zip(node.parameters, arguments, strict=True)), here.scope.inside(node))
        return writer.value(node.body, inside)
    meaning, _, inside = reached(writer, node, here)
    return applied(writer, meaning, arguments, inside, at)


def _local_operator(writer: Writer, node: Expression, here: Context) -> ast.expr:
    """A function of two states and some values, for an operator passed as an argument."""
    if isinstance(node, tree.Identifier):
        binding = here.of(node)
        if isinstance(binding, Operator):
            return name(binding.local)
    free = writer.free_names.of(node, here.scope)
    visible = here.environment.visible(free, "")
    inside = replace(here, environment=visible, now=NOW, then=THEN)
    names = _fresh(writer, here.scope.arity_of(node))
    values = tuple(ByValue(local) for local in names)
    return function_of([NOW, THEN, *names], _operator(writer, node, values, inside, node.at))


# Definitions ---------------------------------------------------------------------------------------------------------


def _defined(writer: Writer, meaning: Defined, arguments: tuple[Binding, ...], here: Context) -> ast.expr:
    visible = visible_bindings(writer, meaning, here)
    if not arguments and not visible and is_constant(writer, meaning, here):
        write = partial(definition_value, writer, meaning)
        return call(writer.remembered(meaning.definition, meaning.inner, write))
    passed = passed_arguments(writer, meaning, arguments, here, False)
    function, captured = specialized(writer, meaning, visible, passed, here, False)
    values = [argument.value for argument in passed if argument.value is not None]
    return call(function, name(here.now), name(here.then), *map(name, captured), *values)


def is_constant(writer: Writer, meaning: Defined, here: Context) -> bool:
    """Whether a definition without parameters is constant."""
    inside = replace(here, scope=meaning.inner)
    return writer.knowledge.level(meaning.body, inside) is Level.CONSTANT


def visible_bindings(writer: Writer, meaning: Defined, here: Context) -> Environment:
    """The bindings around a call that the body of a definition can use."""
    free = writer.free_names.of_meaning(meaning)
    return here.environment.visible(free, here.now)


def passed_arguments(
    writer: Writer, meaning: Defined, arguments: tuple[Binding, ...], here: Context, action: bool
) -> list[ActualArgument]:
    """The arguments as the definition takes them; an action takes formulas by name."""
    by_name: tuple[frozenset[Use], ...] = (frozenset(),) * len(arguments)
    if arguments and all(isinstance(operand, ByName) for operand in arguments):
        nodes = tuple(operand.node for operand in arguments if isinstance(operand, ByName))
        first = arguments[0]
        assert isinstance(first, ByName)
        by_name = writer.knowledge.uses(meaning, nodes, here.at(first))
    needs = writer.strictness.needs(meaning)
    actuals = []
    for parameter, argument, used in zip(meaning.definition.parameters, arguments, by_name, strict=True):
        if not isinstance(argument, ByName):
            actuals.append(ActualArgument(ByValue, writer.bound(argument, here)))
        elif parameter.arity:
            actuals.append(_passed_operator(writer, argument, here, action))
        else:
            actuals.append(_passed_value(writer, argument, here, used, action, parameter in needs))
    return actuals


def _passed_operator(writer: Writer, argument: ByName, here: Context, action: bool) -> ActualArgument:
    inside = here.at(argument)
    bound = named(writer, argument.node, inside)
    if isinstance(bound, Operator):
        return ActualArgument(Operator, name(bound.local))
    knowledge = writer.knowledge
    is_action = knowledge.highest(argument.node, inside) > Level.STATE  # ENABLED may apply it
    if action or is_action or knowledge.primes(argument.node, inside):
        return ActualArgument(bound, None)
    return ActualArgument(Operator, _local_operator(writer, argument.node, inside))


def _passed_value(
    writer: Writer, argument: ByName, here: Context, used: frozenset[Use], action: bool, is_needed: bool
) -> ActualArgument:
    inside = here.at(argument)
    bound = named(writer, argument.node, inside)
    is_by_name = Use.PRIMED in used or (action and bool(used))
    if isinstance(bound, ByName):
        is_value = writer.knowledge.highest(argument.node, inside) is Level.CONSTANT
        if is_by_name and is_value:
            is_value = not writer.nondeterminism.has_ways(argument.node, inside)
        if _is_alias(argument.node, inside) or (is_by_name and not is_value):
            return ActualArgument(bound, None)
    value = writer.value(argument.node, inside)
    if isinstance(bound, ByNeed) and not is_needed:
        return ActualArgument(ByNeed, name(bound.local))
    if is_needed or _is_safe(argument.node, inside):
        is_concrete = expressions.is_concrete(writer, argument.node, inside)
        return ActualArgument((ByValue, True) if is_concrete else ByValue, value)
    return ActualArgument(ByNeed, call("Thunk", function_of([], value)))


def _is_alias(node: Expression, here: Context) -> bool:
    """Whether an argument is only the name of a parameter that is taken by name."""
    return isinstance(node, tree.Identifier) and isinstance(here.of(node), ByName)


def _is_safe(node: Expression, here: Context) -> bool:
    """Whether an argument may be evaluated even if it is not needed, since it is cheap and cannot fail."""
    if isinstance(node, (tree.Number, tree.String, tree.Boolean)):
        return True
    if isinstance(node, tree.TupleOf):
        return all(_is_safe(element, here) for element in node.items)
    if not isinstance(node, tree.Identifier):
        return False
    meaning = here.scope.meaning(node.name, node.at)
    if isinstance(meaning, Variable):
        return here.now == NOW and not here.initial
    binding = here.binding(meaning)
    return isinstance(binding, ByValue) or (binding is None and isinstance(meaning, Constant))


def specialized(
    writer: Writer, meaning: Defined, visible: Environment, passed: list[ActualArgument], here: Context, action: bool
) -> tuple[str, list[str]]:
    """The function of a definition for arguments of these kinds.

    Returns:
        Its name, and the locals around the call that it takes before its arguments.
    """
    key = meaning, visible, tuple(actual.kind for actual in passed), action, here.initial
    if key not in writer.functions:
        if len(writer.functions) >= _MOST_FUNCTIONS:
            raise InputError(f"{meaning.definition.at}: {meaning.name} passes ever other operators to itself")
        _write(writer, key, meaning, visible, passed, here, action)
    return writer.functions[key]


def _write(
    writer: Writer,
    key: Any,
    meaning: Defined,
    visible: Environment,
    passed: list[ActualArgument],
    here: Context,
    action: bool,
) -> None:
    bindings: dict[Any, Binding] = {}
    captured, names = dict.fromkeys(visible.locals()), []
    for parameter, argument in zip(meaning.definition.parameters, passed, strict=True):
        if isinstance(argument.kind, ByName):
            bindings[parameter] = argument.kind
            captured.update(dict.fromkeys(argument.kind.environment.locals()))
        else:
            local = writer.program.fresh("parameter")
            names.append(local)
            kind, *concrete = argument.kind if isinstance(argument.kind, tuple) else (argument.kind,)
            bindings[parameter] = kind(local, *concrete)
    function = writer.program.fresh("action" if action else "definition")
    writer.functions[key] = function, list(captured)
    scope = meaning.inner
    then = NOWHERE if action and here.initial else THEN
    inside = Context(scope, visible.bound(bindings), meaning.definition.at.module, then=then, initial=here.initial)
    head = [RUN, REST] if action else [NOW, THEN]
    statements: list[ast.stmt] = []
    if meaning.recursive:
        statements.append(when(call("is_due"), [ast.Expr(call("look_up"))], []))
    if action:
        statements += writer.body(meaning.body, inside)
    else:
        statements.append(ast.Return(definition_value(writer, meaning, inside)))
    definition = defined(function, [*head, *captured, *names], statements)
    compiled = writer.define(definition, meaning.body, inside)
    if not (action or meaning.recursive or captured) and _is_costly(writer, meaning, inside):
        writer.program.names[function] = Remembered(compiled)


def _is_costly(writer: Writer, meaning: Defined, inside: Context) -> bool:
    """Whether memoizing a definition pays: it iterates over a set, and depends on only one state."""
    are_values = all(isinstance(binding, ByValue) for binding in inside.environment.values())
    if not are_values or writer.knowledge.level(meaning.body, inside) > Level.STATE:
        return False
    return has_binder(meaning.body)


def definition_value(writer: Writer, meaning: Defined, here: Context) -> ast.expr:
    """The value of a definition; a function is evaluated where it is applied, and may use itself."""
    definition = meaning.definition
    if isinstance(definition, OperatorDefinition):
        return writer.value(definition.body, here)
    own = writer.program.fresh("own")
    inside = here.bound({meaning: InState(own, here.now, False)})
    domain = expressions.domain(writer, definition.function, here)
    function = expressions.function(
        writer, definition.function, inside, lambda at: writer.value(definition.function.body, at)
    )
    argument = writer.program.fresh("argument")
    return call("recursive", domain, function_of([own, argument], call(function, name(argument))))
