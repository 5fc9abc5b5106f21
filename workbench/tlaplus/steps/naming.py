"""Names a step by the definition that it applies and the values that it chooses, and finds its process."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.state import State, changes_of
from workbench.kernel.meaning.steps import Actor
from workbench.kernel.meaning.values import Map, identity, is_same
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.names.alternatives import Applied
from workbench.tlaplus.names.levels import Level
from workbench.tlaplus.syntax.tree import Declaration, Identifier
from workbench.tlaplus.values.lazy import listed

Choices = Sequence[tuple[str, Any]]


class Processes(NamedTuple):
    """The sets whose members may take steps.

    Attributes:
        sets: Their members.
        acting: The names of those whose members take steps that are named after them.
    """

    sets: Mapping[str, Sequence[Any]]
    acting: frozenset[str]

    def of(self, value: Any) -> list[Actor]:
        """The processes that a value identifies: one for each set that contains it."""
        key = identity(value)
        return [Actor(name, value) for name, members in self.sets.items() if key in map(identity, members)]


class Naming:
    """Computes the arguments of a disjunct's definition from the choices of a step.

    Attributes:
        passed: The names bound around the definition that are themselves arguments of it.
    """

    def __init__(self, closures: Closures, closure: Closure, applied: Applied) -> None:
        self._closures, self._chosen, self._at = closures, applied.chosen, applied.at
        around = {**closure.values, **dict.fromkeys(applied.chosen)}
        self._around = tuple(closure.values.values())
        actuals = [Closure(argument, applied.scope, around) for argument in applied.arguments]
        names = [argument for argument in applied.arguments if isinstance(argument, Identifier)]
        named = [applied.scope.meaning(identifier.name, identifier.at) for identifier in names]
        self.passed = {declaration for declaration in named if isinstance(declaration, Declaration)}
        are_values = not any(applied.meaning.definition.parameters[n].arity for n in range(len(actuals)))
        is_known = are_values and all(closures.level(argument) is Level.CONSTANT for argument in actuals)
        self._actuals = actuals if is_known else None

    def arguments(self, choices: Choices) -> list[Any] | None:
        """The arguments; None if they depend on more than the choices, or one of them has no value."""
        if self._actuals is None or (chosen := self._values(choices)) is None:
            return None
        values = *self._around, *chosen
        compiled = [self._closures.compiled("expression", argument) for argument in self._actuals]
        try:
            return self._closures.evaluated(
                self._at, lambda: [listed(value(None, None, *values)) for value in compiled]
            )
        except ModelError:  # in an argument that the definition never evaluates
            return None

    def _values(self, choices: Choices) -> list[Any] | None:
        """The values of the names around the definition, which a step chooses before all others."""
        names = [declaration.name for declaration in self._chosen]
        first = choices[: len(names)]
        return [value for _, value in first] if [name for name, _ in first] == names else None

    def others(self, choices: Choices) -> list[tuple[str, Any]]:
        """The choices that are not themselves arguments."""
        among = [declaration not in self.passed for declaration in self._chosen]
        return [choice for n, choice in enumerate(choices) if n >= len(among) or among[n]]


def actor_of(processes: Processes, arguments: Sequence[Any], states: tuple[State, State] | None) -> Actor | None:
    """The process that takes a step between two states, judging by its arguments; None if these do not suffice.

    It is the first argument that is a process. If there is none, it is one that a field of an argument holds: of
    several the one whose own part of a variable the step changes, or else the only one of a set whose members take
    steps by themselves. A number may be anything, so that it is a process only if its part changes.
    """
    for argument in arguments:
        if not isinstance(argument, int) and (own := processes.of(argument)):
            return _preferred(processes, own)
    held = [actor for value in _held(arguments) for actor in processes.of(value)]
    if states is None:
        is_one = len({identity(actor.member) for actor in held}) == 1 and not isinstance(held[0].member, int)
        return _preferred(processes, held) if is_one else None
    changed = set(_changed(*states)) if held else set()
    writing = [actor for actor in held if identity(actor.member) in changed]
    named = [actor for actor in held if not isinstance(actor.member, int)]
    acting = [actor for actor in named if actor.process in processes.acting]
    for some in (writing, named, acting):
        if len({identity(actor.member) for actor in some}) == 1:
            return _preferred(processes, some)
    return None


def _preferred(processes: Processes, some: Sequence[Actor]) -> Actor:
    return next((actor for actor in some if actor.process in processes.acting), some[0])


def _held(arguments: Sequence[Any]) -> Iterator[Any]:
    """The arguments that are numbers, and the values of the fields of records."""
    for argument in arguments:
        if isinstance(argument, Map):
            yield from (argument[key] for key in argument)
        elif isinstance(argument, int):
            yield argument


def _changed(before: State, after: State) -> Iterator[Any]:
    """The arguments for which a step changes the value of a variable that is a function."""
    for cell, old, new, _ in changes_of(before, after):
        if cell.index is not None:
            yield from map(identity, cell.index if isinstance(cell.index, tuple) else (cell.index,))
            continue
        parts, others = dict(_parts(old)), dict(_parts(new))
        if parts.keys() == others.keys():  # it may be a sequence that grows
            yield from (identity(key) for key in parts if not is_same(parts[key], others[key]))


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Map):
        yield from ((key, value[key]) for key in value)
    elif isinstance(value, tuple):
        yield from enumerate(value, 1)
