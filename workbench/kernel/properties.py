"""Properties: what a check judges, and the constraints that bound it, as decorators attach them to methods."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any, NamedTuple

from workbench.kernel.errors import ModelError, brief, defined_at, in_its_line
from workbench.kernel.parameters import Declared, Default, Function, Parameters, When, check_function, is_text

Predicate = Callable[[Any], Any]


# Faults --------------------------------------------------------------------------------------------------------------


class Place(NamedTuple):
    """A part of a state: a variable, one of its cells, or a member of the cell's value."""

    variable: str
    index: Any = None
    inside: Any = None


class Fault(str):
    """An invariant's message that also names the places in the state that are wrong; pictures mark them.

    Examples:
        >>> wrong = Fault("w2 was answered 409", Place("decision", "w2"))
        >>> wrong, wrong.places
        ('w2 was answered 409', (Place(variable='decision', index='w2', inside=None),))
    """

    places: tuple[Place, ...]

    def __new__(cls, text: str, *places: Place) -> "Fault":
        fault = super().__new__(cls, text)
        fault.places = places
        return fault


# Properties ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clauses:
    """The functions of an invariant that has several; a call is their conjunction."""

    functions: tuple[Function, ...]

    def __call__(self, *arguments: Any) -> Any:
        return next((a for a in (of_clause(f, f(*arguments)) for f in self.functions) if a is not True), True)

    @property
    def doc(self) -> str:
        """The first paragraph of each clause, one per line."""
        first = (" ".join((f.__doc__ or "").strip().partition("\n\n")[0].split()) for f in self.functions)
        return "\n".join(
            f"{f.__name__}: {said}".removesuffix(": ") for f, said in zip(self.functions, first, strict=True)
        )

    def check(self, parameters: Mapping[str, str]) -> "Clauses":
        """Raise :class:`ModelError` unless each is a method with these parameters and its own name."""
        names: set[str] = set()
        for function in self.functions:
            if not isinstance(function, FunctionType):
                raise ModelError(f"a clause is a method without a decorator, not {brief(function)}")
            check_function(function, parameters)
            if not function.__name__.isidentifier() or function.__name__ in names:
                raise ModelError(
                    f"clause {function.__name__}{defined_at(function)} is not accepted; each needs a name of its own"
                )
            names.add(function.__name__)
        return self

    def of_class(self, bases: Sequence[type]) -> "Clauses":
        """The clauses in a class with these `bases`: a method that the class overrides is overridden here too."""
        replaced = []
        for function in self.functions:
            held = [vars(base)[function.__name__] for base in bases if function.__name__ in vars(base)]
            replaced.append(held[0] if any(one is function for one in held) else function)
        return Clauses(tuple(replaced))


def of_clause(function: Function, answer: Any) -> Any:
    """A clause's answer, with the clause's name before what is wrong; invalid answers stay as they are."""
    if answer is False:
        return f"{function.__name__} is false"
    if not isinstance(answer, str):
        return answer
    text = f"{function.__name__}: {answer}"
    return Fault(text, *answer.places) if isinstance(answer, Fault) else text


@dataclass(frozen=True)
class Property(Declared):
    """A property, as a decorator attaches it to a method; the function may be several :class:`Clauses`.

    Attributes:
        kind ({"invariant", "reachable", "liveness", "step", "refinement", "deadlock", "constraint"}): A constraint says
            which states are explored, and is nothing that a check judges.
        by_default: Whether a check that names no properties checks it; or the condition on which it does, as for
            `when`.
        of: For a step property the actions whose steps are judged; empty for all.
    """

    kind: str = ""
    by_default: Default = True
    of: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where its function, or the first of its clauses, begins, as " (file:line)"."""
        return defined_at(self.clauses[0])

    @property
    def doc(self) -> str:
        return self.function.doc if isinstance(self.function, Clauses) else super().doc

    @property
    def clauses(self) -> tuple[Function, ...]:
        """The functions that are judged one by one; most properties have a single one."""
        return self.function.functions if isinstance(self.function, Clauses) else (self.function,)

    def of_class(self, owner: str, name: str, bases: Sequence[type]) -> "Property":
        """The property as the class called `owner` has it: called `name`, and with the class's methods for clauses."""
        if not isinstance(self.function, Clauses):
            return replace(self, name=name)
        try:
            return replace(self, name=name, function=self.function.of_class(bases).check(self.parameters))
        except ModelError as error:
            raise ModelError(f"{owner}: {name}: {error}") from None

    @property
    def described(self) -> str:
        """The kind and its details, as lists of properties show them."""
        return f"{self.kind} of {', '.join(self.of)}" if self.of else self.kind

    @property
    def of_states(self) -> bool:
        """Whether single states decide it."""
        return self.kind in ("invariant", "reachable")

    @property
    def of_steps(self) -> bool:
        """Whether a state decides it together with the steps from there."""
        return self.kind in ("step", "refinement", "deadlock")

    def check(self, owner: str, declared: Any) -> None:
        super().check(owner, declared)
        for name in self.of:
            if name not in declared.actions:
                raise ModelError(f"{owner}: {self.name} is of {brief(name)}, which is not an action")

    def judges(self, model: Any) -> list[Any]:
        """The judges of the steps of `model`, for a refinement."""
        return []

    def is_default(self, model: Any) -> bool:
        """Whether a check of `model` that names no properties checks this one."""
        return self._is_true("by_default", model)


DEADLOCK = Property("Deadlock", lambda self, s: True, kind="deadlock", by_default=False)
"""The property that every model has: behaviours end only where they may."""


@in_its_line
def _declare(kind: str, function: Any, domains: Mapping[str, str], states: int = 1, **options: Any) -> Any:
    """The property that `function` declares; a decorator if `function` is a text with parameters, or None."""
    parameters = Parameters.declared([function] if is_text(function) else [], domains)

    @in_its_line
    def declare(function: Any) -> Property:
        check_function(function, parameters, states)
        return Property(function.__name__, function, parameters, kind=kind, **options)

    return declare if function is None or is_text(function) else declare(function)


@in_its_line
def invariant(*functions: Any, when: When = None, by_default: Default = True, **domains: str) -> Any:
    """Declare a method ``(self, s, ...)`` that returns True, or False or a text that says what is wrong.

    The text may be a :class:`Fault`, which also names places in the state.

    Args:
        *functions: The decorated method; or several undecorated methods, the clauses of the invariant, as in ``Safe =
            invariant(types_are_right, one_leader)``. Clauses are judged one by one: each reads only what it needs, and
            the verdict names the one that fails.
        when: The name of a constant, or a function of the model; a model lacks the property where it is false.
        by_default: False for a property that is checked only when it is named; or a condition for that, as in `when`.
        **domains: As for actions: the invariant must hold for each combination. Fine-grained instances are faster, too.
            ``@invariant("a, b in Edges")`` unpacks tuples.
    """
    texts = tuple(itertools.takewhile(is_text, functions))
    if len(functions) - len(texts) < 2:
        one = (*functions, None)[0]
        made = _declare("invariant", one, domains, when=when, by_default=by_default)
        return made(functions[1]) if texts and len(functions) > 1 else made
    parameters = Parameters.declared(texts, domains)
    clauses = Clauses(functions[len(texts) :]).check(parameters)
    return Property("", clauses, parameters, when, "invariant", by_default)


def reachable(function: Any = None, /, *, when: When = None, by_default: Default = True) -> Any:
    """Declare a method ``(self, s)`` that must be true in some state: a model that does nothing is not safe.

    `when` and `by_default` are as for :func:`invariant`.
    """
    return _declare("reachable", function, {}, when=when, by_default=by_default)


def liveness(function: Any = None, /, *, when: When = None, by_default: Default = True, **domains: str) -> Any:
    """Declare a method ``(self, ...)`` that returns a :class:`Formula`.

    `when`, `by_default` and the domains are as for :func:`invariant`.
    """
    return _declare("liveness", function, domains, states=0, when=when, by_default=by_default)


def constraint(function: Any = None, /, *, when: When = None, **domains: str) -> Any:
    """Declare a state constraint: a method ``(self, s, ...)``, false in states that a search prunes.

    It bounds the search and is no part of the protocol. A state where some constraint is false is pruned: it is judged
    like the others, but neither counted as distinct nor expanded. Steps that lead there are steps, and fairness counts
    them. ``docs/modelling.md`` has an example: Bounding what is explored.

    Args:
        when: The name of a constant, or a function of the model; the constraint does not apply where it is false.
        **domains: As for actions: the constraint must be true for each combination. Fine-grained instances are faster,
            too.
    """
    return _declare("constraint", function, domains, when=when)


def step(
    function: Any = None,
    /,
    *,
    of: str | Sequence[str] = (),
    when: When = None,
    by_default: Default = True,
    **domains: str,
) -> Any:
    """Declare a method ``(self, s, t, ...)`` that must be true of every step from a state `s` to another state `t`.

    It answers as invariants do. Steps that change nothing are not judged. `when`, `by_default` and the domains are as
    for :func:`workbench.invariant`. ``docs/modelling.md`` has examples.

    Args:
        of: The names of the actions whose steps are judged; all by default.
    """
    actions = (of,) if isinstance(of, str) else tuple(of)
    return _declare("step", function, domains, states=2, when=when, by_default=by_default, of=actions)


# Formulas ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formula:
    """A liveness formula over state predicates, as TLA+ writes them.

    Attributes:
        kind: {"leads_to", "eventually", "always_eventually", "eventually_always"}
        trigger: P in ``P ~> Q``; None for the others.
    """

    kind: str
    trigger: Predicate | None
    goal: Predicate

    def __post_init__(self) -> None:
        for predicate in (self.trigger, self.goal):
            if predicate is not None and not callable(predicate):
                raise ModelError(f"{self.kind} takes functions of the state, not {brief(predicate)}")


def leads_to(trigger: Predicate, goal: Predicate) -> Formula:
    """``P ~> Q``: whenever `trigger` holds, `goal` holds then or later."""
    return Formula("leads_to", trigger, goal)


def eventually(goal: Predicate) -> Formula:
    """``<>Q``: `goal` holds at some time."""
    return Formula("eventually", None, goal)


def always_eventually(goal: Predicate) -> Formula:
    """``[]<>Q``: `goal` holds again and again."""
    return Formula("always_eventually", None, goal)


def eventually_always(goal: Predicate) -> Formula:
    """``<>[]Q``: from some time on `goal` holds for ever."""
    return Formula("eventually_always", None, goal)
