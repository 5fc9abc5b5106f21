"""Declarations in a model's class: processes, actions and variables, and everything that a class declares.

None of them depends on a model: :mod:`workbench.kernel.language.model` collects the declarations of a class and binds
them to constants.
"""

import inspect
from abc import ABCMeta
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, overload

from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Names
from workbench.kernel.meaning.errors import InputError, ModelError, brief, calling_line, in_its_line, listed
from workbench.kernel.meaning.machine import Family
from workbench.kernel.meaning.parameters import Declared, Function, Parameters, When, check_function
from workbench.kernel.meaning.properties import DEADLOCK, Constraint, Property

# Processes and actions -----------------------------------------------------------------------------------------------


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
        """The process as declared in a class; without steps of its own it inherits those of the process replaced."""
        first = next((other for other in replaced if isinstance(other, Process) and other.steps is not None), self)
        if first is self or self.steps is not None:
            return self
        process = copy(self)
        process.steps, process.pc, process.guard = first.steps, first.pc, self.guard or first.guard
        return process


def _check_fairness(fair: str | bool | None) -> None:
    if fair not in (None, False, "weak", "strong"):
        raise ModelError(f"fair = {fair!r} is not known; it takes 'weak', 'strong' or False")


@dataclass(frozen=True)
class Action(Declared):
    """An action, as ``@action`` attaches it to a method."""

    process: Process | None = None
    fair: str | bool | None = None
    stutters: bool | None = None
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

    def of_class(self, owner: str, name: str, bases: Sequence[type], processes: Mapping[str, Process]) -> "Action":
        """The action as declared in the class `owner`: with that `name`, and taken by the class's own process.

        If a subclass replaces a process, inherited actions belong to the new one. An action that overrides one of the
        `bases` keeps each option that it does not give itself; the steps only if they are those of its process.
        """
        overridden = [action for base in bases if isinstance(action := vars(base).get(name), Action)]
        written_for = self.process or next((a.process for a in overridden if self._could_be_of(a.process)), None)
        stepping = [a for a in overridden if written_for and a.process and a.process.name == written_for.name]

        def inherited(option: str, by: Sequence[Action]) -> Any:
            return next((value for action in by if (value := getattr(action, option)) is not None), None)

        options = {option: inherited(option, overridden) for option in ("when", "fair", "stutters", "fair_when")}
        options |= {option: inherited(option, stepping) for option in ("at", "to")}
        if options["fair"] is False:
            options["fair_when"] = None
        if options["fair_when"] is not None:
            _check_fair_when(name, options["fair_when"], len(self.parameters))
        if written_for is None:
            return replace(self, name=name, **options)
        if written_for.name not in processes:
            raise ModelError(f"{owner}: the process of {name} has no name in a class")
        process, parameters = processes[written_for.name], self.parameters
        if (process.per is None) != (written_for.per is None):
            raise ModelError(
                f"{owner}: {process.name} is {'one process' if process.per is None else 'a process per member'}, "
                f"but {name} was written for {'one' if process.per else 'a process per member'}; declare {name} again"
            )
        if process.per is not None:
            parameters = parameters.with_first(next(iter(parameters)), process.per)
        return replace(self, name=name, process=process, parameters=parameters, **options)

    def _could_be_of(self, process: Process | None) -> bool:
        """Whether an action that names no process takes what one of `process` takes: the member that steps, if any."""
        return process is not None and process.per in (None, next(iter(self.parameters.values()), None))


@overload
def action(function: Function, /) -> Action: ...
@overload
def action(
    process: Process | str | None = None,
    *each: str,
    fair: str | bool | None = None,
    when: When = None,
    stutters: bool | None = None,
    fair_when: Function | None = None,
    at: Any = None,
    to: Any = None,
    **domains: str,
) -> Callable[[Function], Action]: ...
@in_its_line
def action(
    process: Any = None,
    *each: str,
    fair: str | bool | None = None,
    when: When = None,
    stutters: bool | None = None,
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
            action out of its process's fairness. As with each option, an action that overrides another one inherits
            what it does not give itself.
        when: The name of a constant, or a function of the model; a model lacks the action where it is false. True for
            one that overrides an action, and is always there.
        stutters: The action leaves the state as it is, on purpose.
        fair_when: A function ``(self, s, ...)``, with the action's parameters, that is true of the steps that fairness
            counts; without it, fairness counts all. It takes choices as keywords: ``lambda self, s, c, *, value: value
            == s.held[c]``.
        at: The step of its process at which the action is taken, or a function of the model that gives it (None: at
            any).
        to: The next step, unless the method assigns one.
        **domains: For each further parameter the name of the constant, attribute or method of the model whose members
            it ranges over.
    """
    if callable(process) and not isinstance(process, Process):  # a bare @action
        return action()(process)
    if isinstance(process, str) and " in " in process:  # the first parameters, and no process
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
    accepted = inspect.signature(fair_when).parameters.values()
    positional = [parameter.name for parameter in accepted if parameter.kind != parameter.KEYWORD_ONLY]
    if len(positional) != 2 + parameters:
        raise ModelError(
            f"{name}: fair_when takes ({', '.join(positional)}); it takes self, s and the action's parameters, and "
            "after a * the names of choices"
        )


# The beginning, and the end ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Boundary:
    """A method that ``@initial`` or ``@ends``, its `kind`, marks."""

    kind: str
    function: Function

    def __get__(self, model: Any, owner: type) -> Any:
        """On a class the mark; on a model its method."""
        return self if model is None else partial(self.function, model)


@in_its_line
def initial(function: Callable[..., None]) -> Boundary:
    """Declare a method ``(self, s)`` that assigns (and may choose) the initial states."""
    check_function(function, {})
    return Boundary("initial", function)


@in_its_line
def ends(function: Callable[..., bool]) -> Boundary:
    """Declare a method ``(self, s)`` that is true in the states in which a behaviour may end.

    The property ``Deadlock`` holds if every other state has a next step. Without ``@ends``, a behaviour may end
    nowhere. ``docs/language.md`` has an example: Deadlock.
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
        ghost: It only bounds the run, or records it for properties, and is no part of the protocol: pictures leave it
            out.
    """

    def __init__(self, initial: Any, per: str | None = None, doc: str = "", ghost: bool = False) -> None:
        self.initial, self.per, self.doc, self.ghost = initial, per, doc, ghost

    def initial_value(self, model: Any, index: Any) -> Any:
        if not callable(self.initial):
            return self.initial
        return self.initial(model) if self.per is None else self.initial(model, index)


class SetOf(Variable):
    """A declared set, or one per index: a variable whose possible members are declared, such as messages under way.

    A model sees a frozenset that also answers queries: ``s.messages.where(type="ack", to=w)``. Queries and assignments
    read and write single members, so that the search is as fast as if each member had a cell of its own.
    ``docs/language.md`` has an example: Message sets.

    Args:
        universe: The constant, attribute or method of the model that gives the possible members.
        initial: The initial content, as for :class:`Variable`.
        per: The constant, attribute or method of the model whose members are the indices.
        doc: One line.
    """

    def __init__(self, universe: str, initial: Any = frozenset(), per: str | None = None, doc: str = "") -> None:
        super().__init__(initial, per, doc)
        self.universe = universe


# All declarations of a class -----------------------------------------------------------------------------------------

DECLARED = (Constant, Variable, Action, Property, Process)


class Body(dict[str, Any]):
    """The body of the class called `owner`; it refuses what would silently replace a declaration."""

    def __init__(self, owner: str) -> None:
        super().__init__()
        self._owner, self._lines = owner, dict[str, str]()

    def __setitem__(self, name: str, value: Any) -> None:
        before = self.get(name)
        if isinstance(before, (*DECLARED, Boundary)):
            raise ModelError(
                f"{self._owner}: {name} is declared{self._lines[name]} and again{calling_line()}; "
                "the second would replace the first"
            )
        if isinstance(value, (*DECLARED, Boundary)):
            self._lines[name] = calling_line()
        super().__setitem__(name, value)


@dataclass(frozen=True)
class Declarations(Family):
    """All declarations of a class and its bases, by name; the class overrides its bases."""

    variables: Mapping[str, Variable] = field(default_factory=dict)
    processes: Mapping[str, Process] = field(default_factory=dict)
    actions: Mapping[str, Action] = field(default_factory=dict)
    initial: Boundary | None = None

    def check(self, owner: str, symmetry: Any) -> None:
        """Raise :class:`ModelError` unless the declarations of the class called `owner` fit together."""
        for name, constant in self.constants.items():
            try:
                constant.parse(name, constant.default)
            except InputError as error:
                raise ModelError(f"{owner}: the default {error}") from None
            for of in constant.domain.sets:
                if not self._is_set(of):
                    raise ModelError(f"{owner}: {name} {constant.domain.verb} {of!r}, which is not a set of names")
        parts: Iterable[Declared] = (*self.actions.values(), *self.properties.values(), *self.constraints.values())
        for declared in parts:
            declared.check(owner, self)
        if not isinstance(symmetry, (tuple, list)):
            raise ModelError(f"{owner}: symmetry = {symmetry!r} is not a tuple of names of sets")
        for name in symmetry:
            if not self._is_set(name):
                raise ModelError(f"{owner}: symmetry names {name!r}, which is not a set of names")

    def _is_set(self, name: str) -> bool:
        return name in self.constants and isinstance(self.constants[name].domain, Names)


class ClassOfModels(ABCMeta):
    """The metaclass of models. It derives from ABCMeta, so that models can mix in abstract classes.

    Declarations are attributes of the class only, not of its objects, so a variable may have the same name.
    """

    _family: "Declarations"

    @classmethod
    def __prepare__(cls, name: str, bases: tuple[type, ...], /, **options: Any) -> Body:
        return Body(name)

    def __new__(mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], /, **options: Any) -> Any:
        if isinstance(body.get("name"), str):  # the model's name, which is not an attribute of its objects
            body = {**body, "_called": body["name"]}
            del body["name"]
        return super().__new__(mcls, name, bases, body, **options)

    @property
    def declared(cls) -> "Declarations":
        """All that the class declares."""
        return cls._family

    @property
    def name(cls) -> str:
        """The model's name on the command line; by default made from the class's name."""
        return cls._family.name


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
    for name, declaration in {n: v for base in reversed(bases) for n, v in vars(base).items()}.items():
        if isinstance(declaration, Process):
            declaration = declaration.of_class([vars(base).get(name) for base in bases])
            if declaration.steps is not None:
                if declaration.pc in declared or any(declaration.pc in vars(base) for base in bases):
                    raise ModelError(
                        f"{owner.__name__}: {declaration.pc} is declared twice: {name} has its steps in it"
                    )
                declared[declaration.pc] = declaration.steps
        declared[name] = declaration
    for name, declaration in declared.items():
        if isinstance(declaration, DECLARED) and (name in reserved or name.startswith("_")):
            public = listed(sorted(word for word in reserved if not word.startswith("_")))
            kind = declaration.kind if isinstance(declaration, Property) else type(declaration).__name__.lower()
            raise ModelError(
                f"{owner.__name__}: no {kind} may be called {name!r}; reserved are names that begin with _ and {public}"
            )
    if DEADLOCK.name in declared:
        raise ModelError(f"{owner.__name__}: nothing may be called {DEADLOCK.name!r}: every model has that property")
    start, ends = (_only_one(owner, declared, kind) for kind in ("initial", "ends"))
    processes = {n: v for n, v in declared.items() if isinstance(v, Process)}
    judged = {n: replace(v, name=n) for n, v in declared.items() if isinstance(v, Property)}
    return Declarations(
        constants={n: v for n, v in declared.items() if isinstance(v, Constant)},
        variables={n: v for n, v in declared.items() if isinstance(v, Variable)},
        processes=processes,
        actions={
            n: v.of_class(owner.__name__, n, bases, processes) for n, v in declared.items() if isinstance(v, Action)
        },
        properties={n: v for n, v in judged.items() if not isinstance(v, Constraint)}
        | ({} if ends is None else {DEADLOCK.name: DEADLOCK}),
        constraints={n: v for n, v in judged.items() if isinstance(v, Constraint)},
        initial=start,
        ends=ends,
    )


def _only_one(owner: type, declared: Mapping[str, Any], kind: str) -> Any:
    """The method that ``@initial`` or ``@ends`` marks."""
    marked = {n: v for n, v in declared.items() if isinstance(v, Boundary) and v.kind == kind}
    if len(marked) > 1:
        raise ModelError(f"{owner.__name__} has more than one @{kind} method: {', '.join(marked)}")
    return next(iter(marked.values()), None)
