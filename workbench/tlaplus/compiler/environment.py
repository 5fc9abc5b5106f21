"""Bindings while code is written: bound names, parameters and LET's names are Python locals, or expressions by name."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from workbench.tlaplus.names.levels import Level, Levels, Response
from workbench.tlaplus.names.operator_effects import Effect, Use, Uses
from workbench.tlaplus.names.symbols import Defined, Meaning, Scope
from workbench.tlaplus.syntax.tree import At, Declaration, Expression, Identifier

#: Python's locals for the current state, the next state, a run, and the continuation of an action.
NOW, THEN, RUN, REST = "now", "then", "run", "rest"
#: Takes the place of the next state where there is none.
NOWHERE = "nowhere"


@dataclass(frozen=True)
class ByValue:
    """A local that holds a value.

    Attributes:
        concrete: Whether it is known not to be lazy.
    """

    local: str
    concrete: bool = False


@dataclass(frozen=True)
class ByNeed:
    """A local that holds a thunk, which is called to get the value: it is evaluated when first needed."""

    local: str


@dataclass(frozen=True)
class Operator:
    """A local function, which takes the two states before its arguments."""

    local: str


@dataclass(frozen=True)
class InState:
    """The value of a definition in LET, or of a function that uses itself, in one state.

    Attributes:
        now: The local with that state: under a prime the definition has another value.
        is_thunk: Whether the local is called to get the value.
    """

    local: str
    now: str
    is_thunk: bool


@dataclass(frozen=True)
class ByName:
    """An expression that is taken by name: its value depends on where it stands, such as under a prime."""

    node: Expression
    scope: Scope
    environment: "Environment"


Binding = ByValue | ByNeed | Operator | InState | ByName
#: Anything that may be bound: a declaration, a definition in LET, or the ``@`` of EXCEPT.
Bindable = Meaning | type[At]


class Environment(Mapping[Any, Binding]):
    """Bindings, compared by their contents: code written for one environment can be used for an equal one."""

    __slots__ = ("_bindings", "_hash")

    def __init__(self, bindings: Mapping[Any, Binding]) -> None:
        self._bindings = dict(bindings)
        self._hash: int | None = None

    def __getitem__(self, key: Any) -> Binding:
        return self._bindings[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._bindings)

    def __len__(self) -> int:
        return len(self._bindings)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._bindings.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Environment) and self._bindings == other._bindings

    def bound(self, more: Mapping[Any, Binding]) -> "Environment":
        """This environment with more bindings."""
        return Environment({**self._bindings, **more}) if more else self

    def visible(self, free: frozenset[Bindable], now: str) -> "Environment":
        """The bindings of free names that can be used where `now` is the state."""
        bindings = {key: usable for key in free & self.keys() if (usable := in_state(self[key], now)) is not None}
        return Environment(bindings)

    def locals(self) -> list[str]:
        """Every local that the bindings use, each once."""
        locals_ = dict[str, None]()
        for binding in self._bindings.values():
            if isinstance(binding, ByName):
                locals_.update(dict.fromkeys(binding.environment.locals()))
            else:
                locals_[binding.local] = None
        return list(locals_)


def in_state(binding: Binding, now: str) -> Binding | None:
    """A binding without the values that belong to another state; None if it is one."""
    if isinstance(binding, InState):
        return binding if binding.now == now else None
    if isinstance(binding, ByName):
        nested = binding.environment.items()
        inside = {key: usable for key, inner in nested if (usable := in_state(inner, now)) is not None}
        return replace(binding, environment=Environment(inside))
    return binding


@dataclass(frozen=True)
class ActualArgument:
    """An argument in the form in which a function takes it.

    Attributes:
        kind: How the function finds it: by value, by need, as an operator; an expression by name is part of the
            function.
        value: What the call passes; None by name.
    """

    kind: Any
    value: ast.expr | None


NOTHING_BOUND = Environment({})
_VALUE: Response = (Level.CONSTANT,) * len(Level)
_UNKNOWN: Response = (Level.ACTION,) * len(Level)


@dataclass(frozen=True)
class Context:
    """The context of an expression: the meanings of its names, and the locals that hold the states.

    Attributes:
        module: The module whose file contains the text.
        initial: Whether it is an initial condition, which assigns variables of `now`.
    """

    scope: Scope
    environment: Environment
    module: str
    now: str = NOW
    then: str = THEN
    initial: bool = False

    def of(self, node: Identifier) -> Binding | None:
        """The binding of a name; None if there is none."""
        return self.environment.get(self.scope.find(node.name))

    def binding(self, meaning: Meaning) -> Binding | None:
        """The binding of a meaning, unless it is the value in another state."""
        bound = self.environment.get(meaning)
        return None if isinstance(bound, InState) and bound.now != self.now else bound

    def bound(self, bindings: Mapping[Any, Binding], scope: Scope | None = None) -> "Context":
        """This context with more bindings, in the scope that has their names."""
        return replace(self, scope=scope or self.scope, environment=self.environment.bound(bindings))

    def at(self, argument: ByName) -> "Context":
        """The context of an expression that is taken by name: its own names, and the states of this context."""
        return replace(self, scope=argument.scope, environment=argument.environment)

    def primed(self) -> "Context":
        """This context with the next state as the current one."""
        return replace(self, now=self.then, then=NOWHERE)


class Knowledge:
    """Levels and uses of names, for expressions whose names have bindings."""

    def __init__(self) -> None:
        self._levels, self._uses = Levels(), Uses()

    def level(self, node: Expression, here: Context) -> Level:
        """The level of an expression; an operator known only when the code runs may do anything in a step."""
        return self._levels.level(node, here.scope, self._responses(here.environment))

    def highest(self, node: Expression, here: Context) -> Level:
        """The highest level of an argument, which may be an operator."""
        return max(self._levels.response(node, here.scope, self._responses(here.environment)))

    def _responses(self, environment: Environment) -> dict[Declaration, Response]:
        responses = {}
        for key, binding in environment.items():
            if isinstance(key, Declaration):
                responses[key] = self._response(binding)
        return responses

    def _response(self, binding: Binding) -> Response:
        if isinstance(binding, ByName):
            inside = self._responses(binding.environment)
            return self._levels.response(binding.node, binding.scope, inside)
        return _UNKNOWN if isinstance(binding, Operator) else _VALUE

    def uses(self, meaning: Defined, arguments: tuple[Expression, ...], here: Context) -> tuple[frozenset[Use], ...]:
        """The use that an operator makes of its arguments."""
        return self._uses.of_call(meaning, arguments, here.scope, self._effects(here.environment))

    def primes(self, operator: Expression, here: Context) -> bool:
        """Whether an operator that is passed as an argument primes its own arguments."""
        effect = self._uses.as_operator(operator, here.scope, self._effects(here.environment), None)
        return any(use is Use.PRIMED for _, use in effect.arguments)

    def _effects(self, environment: Environment) -> dict[Declaration, Effect]:
        effects = {}
        for key, binding in environment.items():
            if isinstance(key, Declaration) and key.arity:
                if isinstance(binding, ByName):
                    inside = self._effects(binding.environment)
                    effects[key] = self._uses.as_operator(binding.node, binding.scope, inside, Use.FORMULA)
                else:  # one that primes its arguments is taken by name
                    effects[key] = Effect(frozenset(), frozenset())
        return effects
