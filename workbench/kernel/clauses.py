"""Invariants of several clauses: functions of the same parameters, judged one by one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from workbench.kernel.actions import parameters_of
from workbench.kernel.errors import ModelError, brief, defined_at
from workbench.kernel.faults import Fault

Function = Callable[..., Any]


@dataclass(frozen=True)
class Clauses:
    """What stands for a property's function where it has several; called like one, it is their conjunction."""

    functions: tuple[Function, ...]

    def __call__(self, *arguments: Any) -> Any:
        for function in self.functions:
            answer = function(*arguments)
            if answer is not True:
                return of_clause(function, answer)
        return True

    @property
    def doc(self) -> str:
        """What the clauses say, each in a line."""
        return "\n".join(f"{f.__name__}: {_first_paragraph(f)}".removesuffix(": ") for f in self.functions)

    def of_class(self, bases: Sequence[type]) -> tuple[Any, ...]:
        """The functions of a class with these `bases`: a method that it replaces is replaced here too."""
        return tuple(_replaced(function, bases) for function in self.functions)


def _first_paragraph(function: Function) -> str:
    return " ".join((function.__doc__ or "").strip().partition("\n\n")[0].split())


def make_clauses(functions: Iterable[Function], domains: Mapping[str, str]) -> Clauses:
    """The body of an invariant of `functions`, each with the parameters that have `domains`.

    Raises
    ------
    ModelError
        For what is not a method with these parameters, or a name that two of them have.
    """
    functions = tuple(functions)
    names: set[str] = set()
    for function in functions:
        if not isinstance(function, FunctionType):
            raise ModelError(f"a clause is a method without a decorator, not {brief(function)}")
        parameters_of(function, domains, first=2)
        if not function.__name__.isidentifier() or function.__name__ in names:
            raise ModelError(
                f"clause {function.__name__}{defined_at(function)} is not accepted; each needs a name of its own"
            )
        names.add(function.__name__)
    return Clauses(functions)


def of_clause(function: Function, answer: Any) -> Any:
    """What a clause answered, with its name; an answer that no invariant may give stays as it is."""
    if answer is False:
        return f"{function.__name__} is false"
    if not isinstance(answer, str):
        return answer
    text = f"{function.__name__}: {answer}"
    return Fault(text, *answer.places) if isinstance(answer, Fault) else text


def _replaced(function: Function, bases: Sequence[type]) -> Function:
    name = function.__name__
    if not any(vars(base).get(name) is function for base in bases):  # it stands elsewhere
        return function
    return next(vars(base)[name] for base in bases if name in vars(base))
