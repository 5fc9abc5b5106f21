"""The context in which an expression is evaluated: the meanings of its names, and the current and next states.

Arguments are passed by name, as an expression with its environment, so that they have the right value under a prime
too: with ``F(e) == e'``, ``F(x)`` is ``x'``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.tlaplus.meaning.values import EvaluationFailure, Number, Words
from workbench.tlaplus.names.levels import Level, Levels
from workbench.tlaplus.names.symbols import (
    DEPTH,
    FIGURES,
    Constant,
    Defined,
    Meaning,
    Reached,
    Scope,
    Variable,
    without_value,
)
from workbench.tlaplus.syntax.tree import Declaration, Expression, Node

#: The values of variables.
State = Mapping[Variable, Any]


# What an evaluation makes many of is not frozen: a frozen object takes three times as long to make.


@dataclass(eq=False, slots=True)
class States:
    """The current state, which unprimed variables refer to, and the next state, which primed ones refer to.

    Attributes:
        then: The next state; None if there is no step.
        fills: The state that an action or an initial condition is still assigning: "now", "then" or "".
        size: The number of variables in a complete state; used only while one is being assigned.
    """

    now: State
    then: State | None = None
    fills: str = ""
    size: int = 0

    def value(self, variable: Variable) -> Any:
        if variable not in self.now and variable in (DEPTH, *FIGURES):
            raise EvaluationFailure(without_value(variable))
        if variable not in self.now:
            raise EvaluationFailure(f"{variable.name} is used before it is assigned")
        return self.now[variable]

    @property
    def primed(self) -> "States":
        """The states for an expression under a prime: the next state is the current one."""
        if self.then is None:
            raise EvaluationFailure("a prime stands where there is no next state")
        return States(self.then)

    @property
    def filled(self) -> State:
        """The values assigned so far."""
        return self.now if self.fills == "now" else self.then or {}

    def extend(self, others: "States") -> bool:
        """Whether these states have all the values of `others`, and perhaps more."""
        now, then = others.now, others.then or {}
        return _contains(self.now, now) and _contains(self.then or {}, then)

    def assigned(self, variable: Variable, value: Any) -> "States":
        """The states with one more value."""
        values = {**self.filled, variable: value}
        now, then = (values, self.then) if self.fills == "now" else (self.now, values)
        return States(now, then, self.fills, self.size)


#: The states in which an ASSUME is evaluated: there are none yet, and TLC's depth is 0.
BEFORE = States({DEPTH: Number(0)})


def _contains(state: State, other: State) -> bool:
    return state is other or all(state.get(variable) is value for variable, value in other.items())


@dataclass(eq=False)
class Model:
    """The context that all expressions of a specification share.

    Attributes:
        variables: The variables of the specification, in the order of declaration.
        constants: The values of the constants, from the configuration.
        words: The order of strings and model values.
        is_enabled, is_composed: ENABLED, and the composition of actions, from ``actions.py``.
        standard: The operators of standard modules, by module and name.
    """

    variables: tuple[Variable, ...]
    constants: Mapping[Constant, Any]
    words: Words
    is_enabled: "Callable[[Expression, Environment, States], bool]"
    is_composed: "Callable[[Argument, Argument, States], bool]"
    standard: Mapping[str, Mapping[str, tuple[int, Any]]]
    levels: Levels = field(default_factory=Levels)
    #: The values of definitions that are constant.
    known: dict[Defined, Any] = field(default_factory=dict)
    _constant: dict[Defined, bool] = field(default_factory=dict)
    _meanings: dict[tuple[Scope, Expression], tuple[Meaning, tuple[Expression, ...]]] = field(default_factory=dict)

    def is_constant(self, meaning: Defined) -> bool:
        """Whether the value of a definition depends on no state and no bound name. TLC evaluates it only once."""
        if meaning.arity or meaning.scope.parameters:
            return False
        if meaning not in self._constant:
            level = self.levels.level(meaning.body, meaning.inner)
            self._constant[meaning] = level is Level.CONSTANT
        return self._constant[meaning]

    def meaning(self, node: Expression, scope: Scope) -> tuple[Meaning, tuple[Expression, ...]]:
        """The meaning of a name or operator in a scope, with its arguments. It is looked up only once."""
        resolved = self._meanings.get((scope, node))
        if resolved is None:
            resolved = scope.applied(node)
            assert resolved is not None
            self._meanings[scope, node] = resolved
        return resolved


@dataclass(eq=False, slots=True)
class Environment:
    """The meanings of names.

    Attributes:
        scope: Resolves a name to its declaration or definition.
        bound: The values of bound names and parameters, by declaration.
        old: The value of ``@``.
    """

    model: Model
    scope: Scope
    bound: "Mapping[Declaration, Argument]"
    old: Any = None

    def inside(self, node: Node) -> "Environment":
        return Environment(self.model, self.scope.inside(node), self.bound, self.old)

    def binding(self, names: Sequence[Declaration], arguments: "Sequence[Argument]") -> "Environment":
        bound = {**self.bound, **dict(zip(names, arguments, strict=True))}
        return Environment(self.model, self.scope, bound, self.old)

    def at(self, scope: Scope) -> "Environment":
        """This environment, with the same bound names, for an expression in another scope."""
        return Environment(self.model, scope, scope.visible(self.bound), self.old)

    def through(self, reached: Reached) -> "Environment":
        """The environment after the path to a qualified name, with the parameters of its instances."""
        passed = [Closure(node, self) for _, node in reached.arguments]
        return self.binding([name for name, _ in reached.arguments], passed)


@dataclass(eq=False, slots=True)
class Known:
    """The value of a bound name."""

    value: Any


@dataclass(eq=False, slots=True)
class Closure:
    """An argument: an expression or an operator with its environment.

    Attributes:
        known: The last states in which it was evaluated, and its value there. States are immutable, so it stays valid.
    """

    node: Expression
    environment: Environment
    known: tuple[States, Any] | None = None


Argument = Known | Closure
