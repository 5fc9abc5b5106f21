"""The parts that all declarations share: a function, its parameters, and the condition under which a model has it."""

import inspect
import itertools
import re
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self, overload

from workbench.kernel.meaning.errors import ModelError, brief, call, defined_at

Function = Callable[..., Any]
#: The name of a constant, or a function of the model; its truth counts.
Condition = str | Callable[[Any], Any]
#: The condition under which a model has what its class declares; None: always.
When = bool | Condition | None
#: Whether a property is checked when no properties are named, or the condition for that.
Default = bool | Condition
_EACH = re.compile(r"\s*(\w+(?:\s*,\s*\w+)*)\s+in\s+(\w+)\s*")
Group = tuple[tuple[str, ...], str]


class Parameters(dict[str, str]):
    """The parameters of an action or a property with their domains, in order.

    Attributes:
        groups: The parameters that are unpacked together from one tuple, and its domain; most groups have one.
    """

    def __init__(self, groups: Iterable[Group] = ()) -> None:
        self.groups = tuple(groups)
        super().__init__((name, domain) for names, domain in self.groups for name in names)

    @classmethod
    def declared(cls, each: Iterable[Any], domains: Mapping[str, str]) -> "Parameters":
        """The parameters that texts such as ``"a, b in Edges"``, and then keywords, declare.

        Raises:
            ModelError: For any other text, or a parameter that is declared twice.

        Examples:
            >>> dict(Parameters.declared(["a, b in Edges"], {"k": "slots"}))
            {'a': 'Edges', 'b': 'Edges', 'k': 'slots'}
        """
        groups: list[Group] = []
        for text in each:
            match = _EACH.fullmatch(text) if isinstance(text, str) else None
            if match is None:
                raise ModelError(f"{brief(text)} declares no parameters; write them as in @action('a, b in Edges')")
            groups.append((tuple(name.strip() for name in match[1].split(",")), match[2]))
        groups += [((name,), domain) for name, domain in domains.items()]
        names = [name for group, _ in groups for name in group]
        if len(set(names)) < len(names):
            raise ModelError(f"the parameter {next(n for n in names if names.count(n) > 1)} is declared twice")
        return cls(groups)

    @property
    def together(self) -> int:
        """The number of parameters in the first group; 0 if there is none."""
        return len(self.groups[0][0]) if self.groups else 0

    def with_first(self, name: str, domain: str) -> "Parameters":
        """These parameters with `name` first, over `domain`, unless it is unpacked from a tuple."""
        if self.together > 1 and name in self.groups[0][0]:
            return self
        return Parameters([((name,), domain), *(group for group in self.groups if group[0] != (name,))])

    def combinations(self, members: Callable[[str], tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The arguments of every instance; `members` gives the members of a domain.

        Raises:
            ModelError: If a member cannot be unpacked.
        """
        each = [[_unpacked(member, *group) for member in members(group[1])] for group in self.groups]
        return (tuple(itertools.chain(*parts)) for parts in itertools.product(*each))


def _unpacked(member: Any, names: tuple[str, ...], domain: str) -> tuple[Any, ...]:
    if len(names) == 1:
        return (member,)
    if not isinstance(member, tuple) or len(member) != len(names):
        raise ModelError(
            f"{domain} holds {brief(member)}, which cannot be unpacked into {', '.join(names)}: "
            f"that takes tuples of {len(names)}"
        )
    return member


# Functions -----------------------------------------------------------------------------------------------------------

#: Describes a function whose body does not run when it is called.
SUSPENDED = "a generator or async, so that calling it does nothing; write a plain function, without yield and await"


def check_finished(result: object) -> None:
    """Raise :class:`ModelError` if `result` is a generator or coroutine, which has not run yet."""
    if isinstance(result, (Generator, AsyncGenerator, Awaitable)):
        if isinstance(result, Coroutine):
            result.close()  # otherwise Python warns of it, much later
        raise ModelError(f"it is {SUSPENDED}")


def check_function(function: Function, parameters: Mapping[str, str], states: int = 1) -> None:
    """Raise :class:`ModelError` unless `function` takes self, that many `states` and the `parameters`, in order."""
    if not (callable(function) and hasattr(function, "__name__")):
        raise ModelError(f"{brief(function)} is not a method")
    kinds = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    if any(is_kind(function) for is_kind in kinds):
        raise ModelError(f"{function.__name__}{defined_at(function)} is {SUSPENDED}")
    names, first = list(inspect.signature(function).parameters), 1 + states
    if len(names) < first:
        needed = ", ".join(["self", "s", "t"][:first])
        raise ModelError(f"{function.__name__} takes ({', '.join(names)}); it needs ({needed})")
    if names[first:] != list(parameters):
        raise ModelError(
            f"{function.__name__} takes the parameters ({', '.join(names[first:])}) "
            f"but declares domains for ({', '.join(parameters)})"
        )


# Declarations --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Declared:
    """An action or a property, as a decorator attaches it to a method.

    Attributes:
        when: A condition on the constants: the name of one, or a function of the model. A model whose constants do not
            meet it lacks the action or property.
    """

    name: str
    function: Function
    parameters: Parameters = field(hash=False, default_factory=Parameters)
    when: When = None

    @overload
    def __get__(self, model: None, owner: type) -> Self: ...
    @overload
    def __get__(self, model: Any, owner: type) -> Callable[..., Any]: ...
    def __get__(self, model: Any, owner: type) -> Any:
        """On a class the declaration; on a model its method, which other methods and subclasses may call."""
        return self if model is None else partial(self.function, model)

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def place(self) -> str:
        """The start of its function, as " (file:line)"."""
        return defined_at(self.function)

    def check(self, owner: str, declared: Any) -> None:
        """Raise :class:`ModelError` unless it fits the class called `owner`, with all that the class `declared`."""
        for option in ("when", "by_default"):
            setting = getattr(self, option, None)
            named = isinstance(setting, str) and setting in declared.constants
            if not (setting is None or isinstance(setting, bool) or callable(setting) or named):
                raise ModelError(
                    f"{self.name}: {option} = {brief(setting)} is not accepted; it takes the name of a constant, or a "
                    "function of the model"
                )

    def applies(self, model: Any) -> bool:
        """Whether the constants of `model` meet the condition `when`."""
        return self._is_true("when", model)

    def _is_true(self, option: str, model: Any) -> bool:
        setting = getattr(self, option)
        if setting is None or isinstance(setting, bool):
            return setting is not False
        if isinstance(setting, str):
            return bool(getattr(model, setting))
        subject = f"{option} of {self.name}"
        return bool(call(subject, bool, call(subject, setting, model)))

    @property
    def needs(self) -> str:
        """The condition `when` in words; "" if there is none, or it is a function without a name."""
        if isinstance(self.when, str):
            return self.when
        name = getattr(self.when, "__name__", "")
        return "" if name == "<lambda>" else name.replace("_", " ")
