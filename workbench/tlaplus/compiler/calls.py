"""Write names and calls: variables, constants, definitions and their arguments, and operators as arguments.

A definition becomes a Python function, which is written once for all calls that pass the same: values in locals, and
texts that are taken by name. These are part of the function, so a call that passes others gets a function of its own.
"""

import ast
from dataclasses import replace
from typing import Any

from workbench.kernel.meaning.errors import InputError
from workbench.tlaplus.compiler.context import Workshop
from workbench.tlaplus.compiler.enabled import apart_of, moved
from workbench.tlaplus.compiler.environment import (
    NOW,
    NOWHERE,
    REST,
    RUN,
    THEN,
    Binding,
    Deferred,
    Environment,
    Held,
    Here,
    Kept,
    Operator,
    Passed,
    Written,
)
from workbench.tlaplus.compiler.expressions import Expressions
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
    when,
)
from workbench.tlaplus.library.standard import MODULES
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.names.operator_effects import Use
from workbench.tlaplus.names.symbols import Constant, Defined, Meaning, Standard, Substituted, Variable, fail_at
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
_TEMPORAL = frozenset({"[]", "<>", "~>", "-+->", "\\cdot"})
_MOST_FUNCTIONS = 20_000


class Calls:
    """Writes what names and operators with arguments stand for."""

    def __init__(self, workshop: Workshop, expressions: Expressions) -> None:
        self.workshop = workshop
        self.expressions = expressions
        workshop.calls = self
        self._functions: dict[Any, tuple[str, list[str]]] = {}

    # Names -----------------------------------------------------------------------------------------------------------

    def value(self, node: Expression, here: Here) -> ast.expr:
        """A name, or an operator with its arguments."""
        meaning, arguments, inside = self.reached(node, here)
        return self.applied(meaning, arguments, inside, node.at)

    def reached(self, node: Expression, here: Here) -> tuple[Meaning, tuple[Written, ...], Here]:
        """The meaning of a name, its arguments, and its place: inside an instance if the name is qualified."""
        called = here.scope.applied(node)
        if called is None:
            fail_at(node.at, f"{type(node).__name__} is not supported here")
        passed = here.scope.reach(node).arguments if isinstance(node, tree.Qualified) else ()
        meaning, nodes = called
        arguments = tuple(Written(one, here.scope, here.environment) for one in nodes)
        return meaning, arguments, here.bound({one: self.named(value, here) for one, value in passed})

    def named(self, node: Expression, here: Here) -> Binding:
        """The binding of a text that is taken by name; for a mere alias, the binding behind it."""
        if isinstance(node, tree.Identifier):
            binding = here.of(node)
            if binding is not None and not isinstance(binding, Kept):
                return binding
        mentioned = self.workshop.mentions.of(node, here.scope)
        return Written(node, here.scope, here.environment.visible(mentioned, here.now))

    def bound(self, binding: Binding, here: Here) -> ast.expr:
        """The value of a bound name."""
        if isinstance(binding, Written):
            return self.expressions.value(binding.node, here.at(binding))
        is_deferred = isinstance(binding, Deferred) or (isinstance(binding, Kept) and binding.deferred)
        return call(binding.local) if is_deferred else name(binding.local)

    def binding(self, meaning: Meaning, here: Here) -> Binding | None:
        """The binding of a name here."""
        found = here.environment.get(meaning)
        return None if isinstance(found, Kept) and found.now != here.now else found

    def applied(self, meaning: Meaning, arguments: tuple[Binding, ...], here: Here, at: Place) -> ast.expr:
        """The value of a meaning, applied to arguments if it takes any."""
        binding = self.binding(meaning, here)
        if isinstance(binding, Operator):
            return call(binding.local, name(here.now), name(here.then), *self._values(arguments, here))
        if isinstance(binding, Written) and arguments:
            return self._operator(binding.node, arguments, here.at(binding), at)
        if binding is not None:
            return self.bound(binding, here)
        if meaning in self.workshop.numbers:
            return item(here.now, self.workshop.numbers[meaning])
        if isinstance(meaning, Constant):
            return self._constant(meaning, arguments, here, at)
        if isinstance(meaning, Standard):
            return self._standard(meaning, arguments, here, at)
        if isinstance(meaning, Substituted):
            return self._operator(meaning.expression, arguments, replace(here, scope=meaning.scope), at)
        if isinstance(meaning, Defined):
            return self._defined(meaning, arguments, here)
        fail_at(at, f"{meaning.name} is not a value")

    def _values(self, arguments: tuple[Binding, ...], here: Here) -> list[ast.expr]:
        return [self.bound(one, here) for one in arguments]

    def _constant(self, meaning: Constant, arguments: tuple[Binding, ...], here: Here, at: Place) -> ast.expr:
        if meaning not in self.workshop.constants:
            fail_at(at, f"the constant {meaning.name} has no value")
        value = self.workshop.constants[meaning]
        if meaning.arity:
            return call(self.workshop.named(value), *self._values(arguments, here))
        return constant(value) if type(value) in (bool, int, str) else name(self.workshop.named(value))

    # Standard operators ----------------------------------------------------------------------------------------------

    def _standard(self, meaning: Standard, arguments: tuple[Binding, ...], here: Here, at: Place) -> ast.expr:
        if meaning.module:
            function = self.workshop.named(MODULES[meaning.module][meaning.name][1])
            return call(function, *[self._given(one, here) for one in arguments])
        symbol = meaning.name
        if symbol in _TEMPORAL:
            fail_at(at, f"{symbol} makes this a temporal formula, which has no value in a state")
        if symbol in ("TRUE", "FALSE"):
            return constant(symbol == "TRUE")
        if symbol in ("BOOLEAN", "STRING"):
            return name(self.workshop.named(BOOLEAN if symbol == "BOOLEAN" else STRING))
        if symbol in _FUNCTIONS:
            return call(_FUNCTIONS[symbol], *self._values(arguments, here))
        if symbol in _NEGATED:
            return negated(call(_NEGATED[symbol], *self._values(arguments, here)))
        if symbol == "'":
            return self.bound(arguments[0], here.primed())
        if symbol == "UNCHANGED":
            return call("equal", self.bound(arguments[0], here.primed()), self.bound(arguments[0], here))
        if symbol == "ENABLED":
            return self._enabled(arguments[0], here, at)
        conditions = [self._condition(one, here) for one in arguments]
        if symbol == "~":
            return negated(conditions[0])
        if symbol == "<=>":
            return ast.Compare(conditions[0], [ast.Is()], [conditions[1]])
        if symbol == "=>":
            return disjunction([negated(conditions[0]), conditions[1]])
        return conjunction(conditions) if symbol == "/\\" else disjunction(conditions)

    def _condition(self, argument: Binding, here: Here) -> ast.expr:
        if isinstance(argument, Written):
            return self.expressions.condition(argument.node, here.at(argument))
        return call("truth", self.bound(argument, here))

    def _given(self, argument: Binding, here: Here) -> ast.expr:
        """An argument for a Python function: a value, or a function of values."""
        if not isinstance(argument, Written) or not argument.scope.arity_of(argument.node):
            return self.bound(argument, here)
        inside = here.at(argument)
        names = self._fresh(argument.scope.arity_of(argument.node))
        held = tuple(Held(one) for one in names)
        return function_of(names, self._operator(argument.node, held, inside, argument.node.at))

    def _fresh(self, count: int) -> list[str]:
        return [self.workshop.program.fresh("argument") for _ in range(count)]

    def _enabled(self, action: Binding, here: Here, at: Place) -> ast.expr:
        if not isinstance(action, Written):
            return self._condition(action, here)
        inside, names, now = here.at(action), name("names"), name(here.now)
        if (found := apart_of(inside.scope)) is not None:
            scope, apart = found
            images = {
                self.workshop.number(variable): function_of([], self._image(meaning, inside, at))
                for variable, meaning in apart.variables.items()
            }
            names = name(self.workshop.named(tuple(variable.name for variable in self.workshop.numbers)))
            now = call("Mapped", now, ast.Dict([*map(constant, images)], [*images.values()]))
            inside = replace(inside, scope=scope, environment=moved(inside.environment, apart.scopes))
        mentioned = self.workshop.mentions.of(action.node, inside.scope)
        visible = inside.environment.visible(mentioned, "")
        made = self.workshop.actions.function_of(action.node, replace(inside, environment=visible), at)
        return call("is_enabled", name(made), names, now, *map(name, visible.locals()))

    def _image(self, meaning: Substituted, here: Here, at: Place) -> ast.expr:
        """The value of what stands for a variable of an instance."""
        return self._operator(meaning.expression, (), replace(here, scope=meaning.scope), at)

    # Operators as arguments ------------------------------------------------------------------------------------------

    def _operator(self, node: Expression, arguments: tuple[Binding, ...], here: Here, at: Place) -> ast.expr:
        """The operator that an expression stands for, applied to arguments."""
        if not arguments:
            return self.expressions.value(node, here)
        if isinstance(node, tree.Lambda):
            inside = here.bound(dict(zip(node.parameters, arguments, strict=True)), here.scope.inside(node))
            return self.expressions.value(node.body, inside)
        meaning, _, inside = self.reached(node, here)
        return self.applied(meaning, arguments, inside, at)

    def local_operator(self, node: Expression, here: Here) -> ast.expr:
        """A function of two states and some values, for an operator passed as an argument."""
        if isinstance(node, tree.Identifier):
            binding = here.of(node)
            if isinstance(binding, Operator):
                return name(binding.local)
        mentioned = self.workshop.mentions.of(node, here.scope)
        visible = here.environment.visible(mentioned, "")
        inside = replace(here, environment=visible, now=NOW, then=THEN)
        names = self._fresh(here.scope.arity_of(node))
        held = tuple(Held(one) for one in names)
        return function_of([NOW, THEN, *names], self._operator(node, held, inside, node.at))

    # Definitions -----------------------------------------------------------------------------------------------------

    def _defined(self, meaning: Defined, arguments: tuple[Binding, ...], here: Here) -> ast.expr:
        visible = self.visible(meaning, here)
        if not arguments and not visible and self.is_constant(meaning, here):
            return call(self.workshop.remembered(meaning))
        passed = self.passed(meaning, arguments, here, False)
        made, captured = self.function(meaning, visible, passed, here, False)
        values = [one.value for one in passed if one.value is not None]
        return call(made, name(here.now), name(here.then), *map(name, captured), *values)

    def is_constant(self, meaning: Defined, here: Here) -> bool:
        """Whether a definition without parameters is constant."""
        inside = replace(here, scope=meaning.scope.inside(meaning.definition))
        return self.workshop.knowledge.level(meaning.body, inside) is Level.CONSTANT

    def visible(self, meaning: Defined, here: Here) -> Environment:
        """The bindings around a call that the body of a definition can use."""
        found = self.workshop.mentions.of_meaning(meaning)
        return here.environment.visible(found, here.now)

    def passed(self, meaning: Defined, arguments: tuple[Binding, ...], here: Here, action: bool) -> list[Passed]:
        """The arguments as the definition takes them; an action takes formulas by name."""
        by_name: tuple[frozenset[Use], ...] = (frozenset(),) * len(arguments)
        if arguments and all(isinstance(one, Written) for one in arguments):
            nodes = tuple(one.node for one in arguments if isinstance(one, Written))
            first = arguments[0]
            assert isinstance(first, Written)
            by_name = self.workshop.knowledge.uses(meaning, nodes, here.at(first))
        needs = self.workshop.strictness.needs(meaning)
        made = []
        for parameter, argument, used in zip(meaning.definition.parameters, arguments, by_name, strict=True):
            if not isinstance(argument, Written):
                made.append(Passed(Held, self.bound(argument, here)))
            elif parameter.arity:
                made.append(self._passed_operator(argument, here, action))
            else:
                made.append(self._passed_value(argument, here, used, action, parameter in needs))
        return made

    def _passed_operator(self, argument: Written, here: Here, action: bool) -> Passed:
        inside = here.at(argument)
        bound = self.named(argument.node, inside)
        if isinstance(bound, Operator):
            return Passed(Operator, name(bound.local))
        knowledge = self.workshop.knowledge
        is_action = knowledge.highest(argument.node, inside) > Level.STATE  # ENABLED may apply it
        if action or is_action or knowledge.primes(argument.node, inside):
            return Passed(bound, None)
        return Passed(Operator, self.local_operator(argument.node, inside))

    def _passed_value(
        self, argument: Written, here: Here, used: frozenset[Use], action: bool, is_needed: bool
    ) -> Passed:
        inside = here.at(argument)
        bound = self.named(argument.node, inside)
        is_by_name = Use.PRIMED in used or (action and bool(used))
        if isinstance(bound, Written):
            is_value = self.workshop.knowledge.highest(argument.node, inside) is Level.CONSTANT
            if is_by_name and is_value:
                is_value = not self.workshop.actions.branching.has_ways(argument.node, inside)
            if self._is_alias(argument.node, inside) or (is_by_name and not is_value):
                return Passed(bound, None)
        value = self.expressions.value(argument.node, inside)
        if isinstance(bound, Deferred) and not is_needed:
            return Passed(Deferred, name(bound.local))
        if is_needed or self._is_safe(argument.node, inside):
            is_concrete = self.expressions.is_concrete(argument.node, inside)
            return Passed((Held, True) if is_concrete else Held, value)
        return Passed(Deferred, call("Once", function_of([], value)))

    def _is_alias(self, node: Expression, here: Here) -> bool:
        """Whether an argument is only the name of a parameter that is taken by name."""
        if not isinstance(node, tree.Identifier):
            return False
        return isinstance(here.of(node), Written)

    def _is_safe(self, node: Expression, here: Here) -> bool:
        """Whether an argument can be evaluated without need: it is cheap and cannot be an error."""
        if isinstance(node, (tree.Number, tree.String, tree.Boolean)):
            return True
        if isinstance(node, tree.TupleOf):
            return all(self._is_safe(one, here) for one in node.items)
        if not isinstance(node, tree.Identifier):
            return False
        meaning = here.scope.meaning(node.name, node.at)
        if isinstance(meaning, Variable):
            return here.now == NOW and not here.initial
        binding = self.binding(meaning, here)
        return isinstance(binding, Held) or (binding is None and isinstance(meaning, Constant))

    def function(
        self, meaning: Defined, visible: Environment, passed: list[Passed], here: Here, action: bool
    ) -> tuple[str, list[str]]:
        """The function of a definition for arguments of these kinds.

        Returns:
            Its name, and the locals around the call that it takes before its arguments.
        """
        key = meaning, visible, tuple(one.kind for one in passed), action, here.initial
        if key not in self._functions:
            if len(self._functions) >= _MOST_FUNCTIONS:
                raise InputError(f"{meaning.definition.at}: {meaning.name} passes ever other operators to itself")
            self._write(key, meaning, visible, passed, here, action)
        return self._functions[key]

    def _write(
        self, key: Any, meaning: Defined, visible: Environment, passed: list[Passed], here: Here, action: bool
    ) -> None:
        bindings: dict[Any, Binding] = {}
        captured, names = dict.fromkeys(visible.locals()), []
        for parameter, one in zip(meaning.definition.parameters, passed, strict=True):
            if isinstance(one.kind, Written):
                bindings[parameter] = one.kind
                captured.update(dict.fromkeys(one.kind.environment.locals()))
            else:
                local = self.workshop.program.fresh("parameter")
                names.append(local)
                kind, *concrete = one.kind if isinstance(one.kind, tuple) else (one.kind,)
                bindings[parameter] = kind(local, *concrete)
        function = self.workshop.program.fresh("action" if action else "definition")
        self._functions[key] = function, list(captured)
        scope = meaning.scope.inside(meaning.definition)
        then = NOWHERE if action and here.initial else THEN
        inside = Here(scope, visible.bound(bindings), meaning.definition.at.module, then=then, initial=here.initial)
        head = [RUN, REST] if action else [NOW, THEN]
        statements: list[ast.stmt] = []
        if meaning.recursive:
            statements.append(when(call("is_due"), [ast.Expr(call("look_up"))], []))
        if action:
            statements += self.workshop.actions.body(meaning.body, inside)
        else:
            statements.append(ast.Return(self.body(meaning, inside)))
        definition = defined(function, [*head, *captured, *names], statements)
        made = self.workshop.define(definition, meaning.body, inside, meaning.name)
        if not (action or meaning.recursive or captured) and self._is_costly(meaning, inside):
            self.workshop.program.names[function] = Remembered(made)

    def _is_costly(self, meaning: Defined, inside: Here) -> bool:
        """Whether a definition goes through a set and depends on one state alone: its answers are worth remembering."""
        is_held = all(isinstance(one, Held) for one in inside.environment.values())
        if not is_held or self.workshop.knowledge.level(meaning.body, inside) > Level.STATE:
            return False
        return has_binder(meaning.body)

    def body(self, meaning: Defined, here: Here) -> ast.expr:
        """The value of a definition; a function is evaluated where it is applied, and may use itself."""
        definition = meaning.definition
        if isinstance(definition, OperatorDefinition):
            return self.expressions.value(definition.body, here)
        own = self.workshop.program.fresh("own")
        inside = here.bound({meaning: Kept(own, here.now, False)})
        domain, function = (
            self.expressions.domain(definition.function, here),
            self.expressions.function(
                definition.function, inside, lambda at: self.expressions.value(definition.function.body, at)
            ),
        )
        argument = self.workshop.program.fresh("argument")
        return call("recursive", domain, function_of([own, argument], call(function, name(argument))))
