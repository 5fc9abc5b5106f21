"""Properties: invariants, what must be reachable, and liveness, declared on a model's methods; and constraints."""

import inspect
import itertools
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from workbench.kernel.actions import parameters_of
from workbench.kernel.clauses import Clauses, make_clauses, of_clause
from workbench.kernel.errors import RAISED, ModelError, blame, brief, defined_at, in_its_line
from workbench.kernel.parameters import declared_parameters, says_parameters
from workbench.kernel.profile import Subject
from workbench.kernel.state import Predicate, Reader, seen
from workbench.kernel.switches import Default, When
from workbench.kernel.text import printable

if TYPE_CHECKING:
    from workbench.kernel.steps import StepJudge


@dataclass(frozen=True)
class Property:
    """What the decorators of this module attach to a method.

    Attributes
    ----------
    kind : {"invariant", "reachable", "liveness", "step", "refinement", "deadlock", "constraint"}
        A constraint says which states are explored, and is nothing that a check judges.
    function : callable
        A method; of an invariant that has several :class:`Clauses`.
    when : str, callable or None
        The name of a constant, or a function of the model: where it is false, a model does not have the property.
    by_default : bool, str or callable
        Whether a check that names no properties checks it; or the condition on which it does, as for `when`.
    """

    kind: str
    name: str
    function: Callable[..., Any]
    parameters: Mapping[str, str] = field(hash=False)
    when: When = None
    by_default: Default = True

    @property
    def doc(self) -> str:
        return self.function.doc if isinstance(self.function, Clauses) else inspect.getdoc(self.function) or ""

    @property
    def place(self) -> str:
        """Where its function, or the first of its clauses, begins, as " (file:line)"."""
        return defined_at(self.clauses[0])

    @property
    def clauses(self) -> tuple[Callable[..., Any], ...]:
        """What is judged one by one: for most properties the one function that they have."""
        return self.function.functions if isinstance(self.function, Clauses) else (self.function,)

    def of_class(self, owner: str, name: str, bases: Sequence[type]) -> "Property":
        """The property as the class called `owner` has it: called `name`, and with the class's methods for clauses."""
        if not isinstance(self.function, Clauses):
            return replace(self, name=name)
        try:
            function = make_clauses(self.function.of_class(bases), self.parameters)
        except ModelError as error:
            raise ModelError(f"{owner}: {name}: {error}") from None
        return replace(self, name=name, function=function)

    @property
    def described(self) -> str:
        """The kind, and what else lists of properties say of it."""
        return self.kind

    @property
    def of_states(self) -> bool:
        """Whether it is true or false of single states."""
        return self.kind in ("invariant", "reachable")

    @property
    def of_steps(self) -> bool:
        """Whether it is true or false of a state with the steps from there."""
        return self.kind in ("step", "refinement", "deadlock")

    def check(self, owner: str, actions: Container[str]) -> None:
        """Raise :class:`ModelError` unless the class called `owner`, with these actions, can have the property."""

    def judges(self, model: Any) -> "list[StepJudge]":
        """What judges the single steps of `model`, one judge for each combination of the parameters."""
        return []


@dataclass(frozen=True)
class Formula:
    """A liveness formula over state predicates, as TLA+ writes them.

    Attributes
    ----------
    kind : {"leads_to", "eventually", "always_eventually", "eventually_always"}
    trigger : Predicate or None
        P in ``P ~> Q``; None for the others.
    goal : Predicate
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


@in_its_line
def _declare(kind: str, function: Any, when: When, by_default: Default, domains: Mapping[str, str], first: int) -> Any:
    if says_parameters(function):
        function, domains = None, declared_parameters([function], domains)
    if function is None:
        return lambda actual: _declare(kind, actual, when, by_default, domains, first)
    parameters_of(function, domains, first)
    return Property(kind, function.__name__, function, domains, when, by_default)


@in_its_line
def invariant(*functions: Any, when: When = None, by_default: Default = True, **domains: str) -> Any:
    """Declare a method ``(self, s, ...)`` that returns True, or False or a text that says what is wrong.

    The text may be a :class:`Fault`, which also names what is at fault.

    Parameters
    ----------
    *functions : callable
        The method that is decorated; or several methods without a decorator, for an invariant of several clauses, as in
        ``Safe = invariant(types_are_right, one_leader)``. Clauses are judged one by one, so that each reads only
        what it needs, and the verdict names the one that fails.
    when : str or callable, optional
        The name of a constant, or a function of the model: where it is false, a model does not have the property.
    by_default : bool, str or callable
        False for a property that is checked only where it is asked for by name; or a condition, as for `when`, where
        it is checked unasked.
    **domains : str
        As for actions: the invariant must hold for each combination. Fine-grained instances are also faster. As there,
        ``@invariant("a, b in Edges")`` unpacks tuples.
    """
    said = tuple(itertools.takewhile(says_parameters, functions))
    clauses, parameters = functions[len(said) :], declared_parameters(said, domains)
    if len(clauses) > 1:
        return Property("invariant", "", make_clauses(clauses, parameters), parameters, when, by_default)
    return _declare("invariant", clauses[0] if clauses else None, when, by_default, parameters, first=2)


def reachable(function: Any = None, /, *, when: When = None, by_default: Default = True) -> Any:
    """Declare a method ``(self, s)`` that must be true in some state, so that no model is safe because it is idle.

    `when` and `by_default` are as for :func:`invariant`.
    """
    return _declare("reachable", function, when, by_default, {}, first=2)


def liveness(function: Any = None, /, *, when: When = None, by_default: Default = True, **domains: str) -> Any:
    """Declare a method ``(self, ...)`` that returns a :class:`Formula`.

    `when`, `by_default` and the domains are as for :func:`invariant`.
    """
    return _declare("liveness", function, when, by_default, domains, first=1)


@in_its_line
def constraint(function: Any = None, /, *, when: When = None, **domains: str) -> Any:
    """Declare a method ``(self, s, ...)`` that is true of the states from which a search is to go on.

    A constraint bounds what is explored and is no part of the protocol. A state outside is judged like all others, but
    it is not counted as distinct, and its successors are not looked at. Steps that lead there are steps: fairness does
    not see the constraint. A state is inside if all constraints of the model are true of it.

    Parameters
    ----------
    when : str or callable, optional
        The name of a constant, or a function of the model: where it is false, the constraint does not apply.
    **domains : str
        As for actions: the constraint must be true for each combination. Fine-grained instances are also faster.

    Examples
    --------
    >>> from workbench.kernel import Model, Variable, action, constraint, invariant, search
    >>> class Counter(Model):
    ...     n = Variable(0)
    ...
    ...     @action
    ...     def up(self, s):
    ...         s.n += 1
    ...
    ...     @constraint
    ...     def Short(self, s):
    ...         return s.n < 3
    ...
    ...     @invariant
    ...     def Small(self, s):
    ...         return s.n < 10
    >>> result = search(Counter())
    >>> result.distinct, result.generated, result.outside, result["Small"].word
    (3, 4, 1, 'holds within the constraint')
    """
    return _declare("constraint", function, when, True, domains, first=2)


class PropertyInstance:
    """An invariant, reachable property or constraint with its parameters bound, or a clause: a predicate over states.

    Attributes
    ----------
    clause : str
        The clause's name; "" for a property that has no clauses, or for all of them together.
    """

    def __init__(
        self,
        model: Any,
        declared: Property,
        arguments: tuple[Any, ...],
        function: Callable[..., Any] | None = None,
    ) -> None:
        self.model, self.property, self.arguments = model, declared, arguments
        self._function = declared.function if function is None else function
        self.clause = "" if self._function is declared.function else self._function.__name__
        self.subject = Subject(declared.kind, declared.name, self.clause)
        self._label = self.subject.label

    @property
    def place(self) -> str:
        """Where its function begins, as " (file:line)"."""
        return defined_at(self._function)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that its function asks for, of the model among others."""
        code = getattr(self._function, "__code__", None)
        return () if code is None else code.co_names

    def holds(self, state: Reader) -> bool:
        """Whether the predicate is true in `state`."""
        return self.judge(state) is True

    def judge(self, state: Reader) -> bool | str:
        """True, False, or what is wrong in `state`, in one line; of a clause with its name."""
        answer = call_predicate(self._label, self._function, self.model, seen(state), *self.arguments)
        if self.clause:
            answer = of_clause(self._function, answer)
        if answer is True or answer is False:
            return answer
        if isinstance(answer, str) and self.property.kind == "invariant":
            return printable(answer)
        raise ModelError(
            f"{self.subject}{self.place} returned {brief(answer)}; it must return True, False"
            + (" or a text that says what is wrong" if self.property.kind == "invariant" else "")
        )


def call_predicate(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a property's function, with its name on whatever it raises."""
    try:
        return function(*arguments)
    except RAISED as error:
        raise blame(f"property {name}", error, defined_at(function)) from error
