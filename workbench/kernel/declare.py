"""Declarations in a model's class: processes, actions, variables and properties.

They know no model: :mod:`workbench.kernel.model` collects the declarations of a class and binds them to constants.
"""

import inspect
import itertools
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple

from workbench.kernel.constants import Constant
from workbench.kernel.domains import Names
from workbench.kernel.errors import InputError, ModelError, brief, call, defined_at, in_its_line, listed
from workbench.kernel.parameters import Function, Parameters, check_function, is_text

Predicate = Callable[[Any], Any]
#: The name of a constant, or a function of the model; its truth counts.
Condition = str | Callable[[Any], Any]
#: The condition under which a model has what its class declares; None: always.
When = Condition | None
#: Whether a property is checked when no properties are named, or the condition for that.
Default = bool | Condition


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


# Actions and properties ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Declared:
    """An action or a property, as a decorator attaches it to a method.

    Attributes:
        when: The name of a constant, or a function of the model; a model lacks the declaration where it is false.
    """

    name: str
    function: Function
    parameters: Parameters = field(hash=False, default_factory=Parameters)
    when: When = None

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def place(self) -> str:
        """Where its function begins, as " (file:line)"."""
        return defined_at(self.function)

    def check(self, owner: str, declared: "Declarations") -> None:
        """Raise :class:`ModelError` unless it fits the class called `owner`, with all that the class `declared`."""
        for option in ("when", "by_default"):
            given = getattr(self, option, None)
            named = isinstance(given, str) and given in declared.constants
            if not (given is None or isinstance(given, bool) or callable(given) or named):
                raise ModelError(
                    f"{self.name}: {option} = {brief(given)} is not accepted; it takes the name of a constant, or a "
                    "function of the model"
                )

    def applies(self, model: Any) -> bool:
        """Whether `model` has it, with its constants."""
        return self._is_true("when", model)

    def _is_true(self, option: str, model: Any) -> bool:
        given = getattr(self, option)
        if given is None or isinstance(given, bool):
            return given is not False
        if isinstance(given, str):
            return bool(getattr(model, given))
        what = f"{option} of {self.name}"
        return bool(call(what, bool, call(what, given, model)))

    @property
    def needs(self) -> str:
        """The name of its condition, in words; "" if that has none."""
        if isinstance(self.when, str):
            return self.when
        name = getattr(self.when, "__name__", "")
        return "" if name == "<lambda>" else name.replace("_", " ")


class Process:
    """A process of a model, or one process per member of a set.

    Args:
        per: The constant (or attribute of the model) whose members each get a process of their own.
        fair ({None, "weak", "strong"}): The fairness of the disjunction of the process's actions.
        doc: One line.
        start: The first step, or a function of the model that gives it. This declares the program counter, a variable
            in the place of the process; actions name the steps that they are taken at and lead to.
        pc: The name of the program counter. Without `start` the model declares that variable itself.
        guard: A method ``(self, s)``, or ``(self, s, member)``, that requires what every step of the process needs.
    """

    @in_its_line
    def __init__(
        self,
        per: str | None = None,
        fair: str | None = None,
        doc: str = "",
        start: Any = None,
        pc: str = "pc",
        guard: Function | None = None,
    ) -> None:
        _check_fairness(fair)
        self.per, self.fair, self.doc, self.pc, self.guard = per, fair, doc, pc, guard
        first = (lambda model, *member: start(model)) if callable(start) else start
        self.steps = None if start is None else Variable(first, per, "next step")
        self.name = ""
        if not (isinstance(pc, str) and pc.isidentifier()):
            raise ModelError(f"pc = {brief(pc)} is not accepted; it takes the name of a variable")
        if guard is not None:
            check_function(guard, {} if per is None else {list(inspect.signature(guard).parameters)[-1]: per})

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name  # an alias does not rename it

    def of_class(self, replaced: Iterable[Any]) -> "Process":
        """The process as a class has it: it inherits the steps of a process that it replaces, unless it has its own."""
        first = next((other for other in replaced if isinstance(other, Process) and other.steps is not None), self)
        if first is self or self.steps is not None:
            return self
        made = copy(self)
        made.steps, made.pc, made.guard = first.steps, first.pc, self.guard or first.guard
        return made


def _check_fairness(fair: str | bool | None) -> None:
    if fair not in (None, False, "weak", "strong"):
        raise ModelError(f"fair = {fair!r} is not known; it takes 'weak', 'strong' or False")


@dataclass(frozen=True)
class Action(Declared):
    """An action, as ``@action`` attaches it to a method."""

    process: Process | None = None
    fair: str | bool | None = None
    stutters: bool = False
    fair_when: Function | None = None
    at: Any = None
    to: Any = None

    def check(self, owner: str, declared: "Declarations") -> None:
        super().check(owner, declared)
        steps = self.process is not None and self.process.pc in declared.variables
        if not steps and (self.at is not None or self.to is not None):
            raise ModelError(
                f"{owner}: {self.name} is at a step of a process, but has no process with steps: give it one with a "
                "first step, as in Process(start='Begin')"
            )

    def __get__(self, model: Any, owner: type) -> Any:
        """On a class the action; on a model its method, which other actions and subclasses may call."""
        return self if model is None else partial(self.function, model)

    def of_class(self, owner: str, name: str, bases: Sequence[type], processes: Mapping[str, Process]) -> "Action":
        """The action as the class called `owner` has it: with that `name`, and taken by the class's own process.

        If a subclass replaces a process, inherited actions belong to the new one. An action that overrides one of the
        `bases` keeps the overridden `at` and `to`, unless it has its own.
        """
        if self.process is None:
            return replace(self, name=name)
        replaced = (vars(base).get(name) for base in bases)
        known = [a for a in replaced if isinstance(a, Action) and a.process and a.process.name == self.process.name]
        at, to = (
            next((step for action in known if (step := getattr(action, end)) is not None), None) for end in ("at", "to")
        )
        if self.process.name not in processes:
            raise ModelError(f"{owner}: the process of {name} has no name in a class")
        process, parameters = processes[self.process.name], self.parameters
        if (process.per is None) != (self.process.per is None):
            raise ModelError(
                f"{owner}: {process.name} is {'one process' if process.per is None else 'a process per member'}, "
                f"but {name} was written for {'one' if process.per else 'a process per member'}; declare {name} again"
            )
        if process.per is not None:
            parameters = parameters.with_first(next(iter(parameters)), process.per)
        return replace(self, name=name, process=process, parameters=parameters, at=at, to=to)


@in_its_line
def action(
    process: Any = None,
    *each: str,
    fair: str | bool | None = None,
    when: When = None,
    stutters: bool = False,
    fair_when: Function | None = None,
    at: Any = None,
    to: Any = None,
    **domains: str,
) -> Any:
    """Declare a method ``(self, s, ...)`` to be an action.

    Args:
        process: The process that takes the step. With a process per member, the method's first parameter is the member.
        *each: Parameters that are unpacked from tuples, such as ``"a, b in Edges"``, before those of `domains`. The
            first of them may be the process's member.
        fair ({None, "weak", "strong", False}): A fairness condition of each instance of this action; False leaves the
            action out of its process's fairness.
        when: The name of a constant, or a function of the model; a model lacks the action where it is false.
        stutters: The action leaves the state as it is, on purpose.
        fair_when: A function ``(self, s, ...)``, with the action's parameters, that is true of the steps that fairness
            counts; without it, fairness counts all. It takes choices as keywords: ``lambda self, s, c, *, value: value
            == s.held[c]``.
        at: The step of its process at which the action is taken, or a function of the model that gives it (None: at
            any).
        to: The next step, unless the method assigns one. An action that overrides this one inherits both.
        **domains: For each further parameter the name of the constant, attribute or method of the model whose members
            it ranges over.
    """
    if callable(process) and not isinstance(process, Process):  # a bare @action
        return action()(process)
    if is_text(process):  # and no process
        process, each = None, (process, *each)
    _check_fairness(fair)
    if process is not None and not isinstance(process, Process):
        raise ModelError(f"{process!r} is not a Process: write @action(writer), with writer = Process(...) before it")
    if fair_when is not None and (fair is False or (fair is None and process is None)):
        raise ModelError("fair_when has no effect without fairness: give fair='weak' or fair='strong'")

    @in_its_line
    def declare(function: Function) -> Action:
        parameters = Parameters.declared(each, domains)
        if process is not None and process.per is not None:
            names = list(inspect.signature(function).parameters)
            if len(names) < 3:
                raise ModelError(f"{function.__name__} needs a parameter for the member of {process.per} that steps")
            parameters = parameters.with_first(names[2], parameters.get(names[2], process.per))
        check_function(function, parameters)
        if fair_when is not None:
            _check_fair_when(function.__name__, fair_when, len(parameters))
        return Action(function.__name__, function, parameters, when, process, fair, stutters, fair_when, at, to)

    return declare


def _check_fair_when(name: str, fair_when: Any, parameters: int) -> None:
    if not callable(fair_when):
        raise ModelError(f"{name}: fair_when = {brief(fair_when)} is not accepted; it takes a function (self, s, ...)")
    given = inspect.signature(fair_when).parameters.values()
    positional = [parameter.name for parameter in given if parameter.kind != parameter.KEYWORD_ONLY]
    if len(positional) != 2 + parameters:
        raise ModelError(
            f"{name}: fair_when takes ({', '.join(positional)}); it takes self, s and the action's parameters, and "
            "after a * the names of choices"
        )


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

    def check(self, owner: str, declared: "Declarations") -> None:
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


# The beginning, and the end ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Boundary:
    """A method that ``@initial`` or ``@ends``, its `kind`, marks."""

    kind: str
    function: Function


@in_its_line
def initial(function: Callable[..., None]) -> Boundary:
    """Declare a method ``(self, s)`` that assigns (and may choose) the initial states."""
    check_function(function, {})
    return Boundary("initial", function)


@in_its_line
def ends(function: Callable[..., bool]) -> Boundary:
    """Declare a method ``(self, s)`` that is true in the states in which a behaviour may end.

    The property ``Deadlock`` holds if every other state has a next step. Without ``@ends``, a behaviour may end
    nowhere. ``docs/recipes.md`` has an example: Deadlock.
    """
    check_function(function, {})
    return Boundary("ends", function)


# Variables -----------------------------------------------------------------------------------------------------------


class Variable:
    """A variable of a model: one cell, or one cell per index.

    Args:
        initial: The initial value, or a function of the model (and, with `per`, of the index) that gives it.
        per: The constant, attribute or method of the model whose members are the indices.
        doc: One line.
    """

    def __init__(self, initial: Any, per: str | None = None, doc: str = "") -> None:
        self.initial, self.per, self.doc = initial, per, doc

    def initial_value(self, model: Any, index: Any) -> Any:
        if not callable(self.initial):
            return self.initial
        return self.initial(model) if self.per is None else self.initial(model, index)


class SetOf(Variable):
    """A declared set, or one per index: a variable whose possible members are declared, such as messages under way.

    A model sees a frozenset that also answers queries: ``s.messages.where(type="ack", to=w)``. Queries and assignments
    read and write single members, so that the search is as fast as if each member had a cell of its own.
    ``docs/modelling.md`` has an example: Message sets.

    Args:
        universe: The constant, attribute or method of the model that gives the possible members.
        initial: The initial content, as for :class:`Variable`.
        per: The constant, attribute or method of the model whose members are the indices.
        doc: One line.
    """

    def __init__(self, universe: str, initial: Any = frozenset(), per: str | None = None, doc: str = "") -> None:
        super().__init__(initial, per, doc)
        self.universe = universe


# All of a class ------------------------------------------------------------------------------------------------------

_DECLARED = (Constant, Variable, Action, Property, Process)


@dataclass(frozen=True)
class Declarations:
    """All declarations of a class and its bases, by name; the class overrides its bases."""

    constants: dict[str, Constant]
    variables: dict[str, Variable]
    processes: dict[str, Process]
    actions: dict[str, Action]
    properties: dict[str, Property]
    constraints: dict[str, Property]
    initial: Boundary | None
    ends: Boundary | None

    def check(self, owner: str, symmetry: Any, ignores: Any) -> None:
        """Raise :class:`ModelError` unless the declarations of the class called `owner` fit together."""
        for name, constant in self.constants.items():
            try:
                constant.parse(name, constant.default)
            except InputError as error:
                raise ModelError(f"{owner}: the default {error}") from None
            for of in constant.sets:
                if not self._is_set(of):
                    raise ModelError(f"{owner}: {name} {constant.domain.verb} {of!r}, which is not a set of names")
        for declared in (*self.actions.values(), *self.properties.values(), *self.constraints.values()):
            declared.check(owner, self)
        self._check_names(f"{owner}: symmetry", symmetry, "sets", "set of names", self._is_set)
        self._check_names(f"{owner}: ignores", ignores, "variables", "variable", self.variables.__contains__)

    def _check_names(self, option: str, names: Any, several: str, one: str, is_one: Callable[[str], bool]) -> None:
        if not isinstance(names, (tuple, list)):
            raise ModelError(f"{option} = {names!r} is not a tuple of names of {several}")
        for name in names:
            if not is_one(name):
                raise ModelError(f"{option} names {name!r}, which is not a {one}")

    def _is_set(self, name: str) -> bool:
        return name in self.constants and isinstance(self.constants[name].domain, Names)


def collect(owner: type, bases: Sequence[type], reserved: Collection[str]) -> Declarations:
    """The declarations of the class `owner`.

    Args:
        bases: The class and its bases, in method resolution order.
        reserved: Names that no declaration may have.

    Raises:
        ModelError: If a declaration has a reserved name, an action's process is not the class's, or there are two
            ``@initial`` or two ``@ends`` methods.
    """
    declared: dict[str, Any] = {}
    for name, what in {n: v for base in reversed(bases) for n, v in vars(base).items()}.items():
        if isinstance(what, Process):
            what = what.of_class([vars(base).get(name) for base in bases])
            if what.steps is not None:
                if what.pc in declared or any(what.pc in vars(base) for base in bases):
                    raise ModelError(f"{owner.__name__}: {what.pc} is declared twice: {name} has its steps in it")
                declared[what.pc] = what.steps
        declared[name] = what
    for name, what in declared.items():
        if isinstance(what, _DECLARED) and (name in reserved or name.startswith("_")):
            public = listed(sorted(word for word in reserved if not word.startswith("_")))
            raise ModelError(
                f"{owner.__name__}: no {type(what).__name__.lower()} may be called {name!r}; reserved are names that "
                f"begin with _ and {public}"
            )
    if DEADLOCK.name in declared:
        raise ModelError(f"{owner.__name__}: nothing may be called {DEADLOCK.name!r}: every model has that property")
    start, ends = (_only_one(owner, declared, kind) for kind in ("initial", "ends"))
    processes = {n: v for n, v in declared.items() if isinstance(v, Process)}
    judged = {n: v.of_class(owner.__name__, n, bases) for n, v in declared.items() if isinstance(v, Property)}
    return Declarations(
        constants={n: v for n, v in declared.items() if isinstance(v, Constant)},
        variables={n: v for n, v in declared.items() if isinstance(v, Variable)},
        processes=processes,
        actions={
            n: v.of_class(owner.__name__, n, bases, processes) for n, v in declared.items() if isinstance(v, Action)
        },
        properties={n: v for n, v in judged.items() if v.kind != "constraint"}
        | ({} if ends is None else {DEADLOCK.name: DEADLOCK}),
        constraints={n: v for n, v in judged.items() if v.kind == "constraint"},
        initial=start,
        ends=ends,
    )


def _only_one(owner: type, declared: Mapping[str, Any], kind: str) -> Any:
    """The method that ``@initial`` or ``@ends`` marks; a model's own attribute repeats that of its base."""
    marked = {n: v for n, v in declared.items() if isinstance(v, Boundary) and v.kind == kind}
    found = {n: v for n, v in marked.items() if n != f"declared_{kind}"}
    if len(found) > 1:
        raise ModelError(f"{owner.__name__} has more than one @{kind} method: {', '.join(found)}")
    return next(iter(found.values()), None)
