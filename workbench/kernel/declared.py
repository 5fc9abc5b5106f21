"""What a model's class declares: collected from the class and its bases, and looked at as a whole."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel.actions import Action, Process, parameters_of
from workbench.kernel.constants import Constant, Names
from workbench.kernel.deadlock import DEADLOCK, Ends
from workbench.kernel.errors import InputError, ModelError, in_its_line, listed
from workbench.kernel.properties import Property
from workbench.kernel.switches import check_choice, check_switch


class Variable:
    """A variable of a model: one cell, or one cell per index.

    Parameters
    ----------
    initial
        The initial value, or a function of the model (and, with `per`, of the index) that gives it.
    per : str, optional
        The constant, attribute or method of the model whose members are the indices.
    doc : str
        One line.
    """

    def __init__(self, initial: Any, per: str | None = None, doc: str = "") -> None:
        self.initial, self.per, self.doc = initial, per, doc

    def initial_value(self, model: Any, index: Any) -> Any:
        if not callable(self.initial):
            return self.initial
        return self.initial(model) if self.per is None else self.initial(model, index)


class SetOf(Variable):
    """A variable that is a set, or one set per index, of members that are declared: messages that may be under way.

    A model sees a frozenset, which can also be asked for the members with certain fields:
    ``s.messages.where(type="ack", to=w)``. A question, or an assignment, concerns only the members that it is about, so
    that the space is searched as fast as if each had a cell of its own.

    Parameters
    ----------
    universe : str
        The constant, attribute or method of the model that gives what the set may hold.
    initial : set, or callable
        What it holds at first, as for :class:`Variable`.
    per : str, optional
        The constant, attribute or method of the model whose members are the indices.
    doc : str
        One line.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> from workbench import Model, action, check, choose, reachable, require
    >>> class Note(NamedTuple):
    ...     kind: str
    ...     number: int
    >>> class Notes(Model):
    ...     sent = SetOf("notes")
    ...
    ...     def notes(self):
    ...         return [Note(kind, number) for kind in ("ask", "answer") for number in range(3)]
    ...
    ...     @action
    ...     def ask(self, s):
    ...         s.sent |= {Note("ask", choose(range(3)))}
    ...
    ...     @action
    ...     def answer(self, s):
    ...         s.sent |= {Note("answer", choose(s.sent.where(kind="ask")).number)}
    ...
    ...     @reachable
    ...     def TwoAnswers(self, s):
    ...         return s.sent.count(kind="answer") == 2
    >>> result = check(Notes())
    >>> result.distinct, result["TwoAnswers"].word
    (27, 'reached')
    """

    def __init__(self, universe: str, initial: Any = frozenset(), per: str | None = None, doc: str = "") -> None:
        super().__init__(initial, per, doc)
        self.universe = universe


class Initial:
    """What ``@initial`` attaches to a method."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function


@in_its_line
def initial(function: Callable[..., None]) -> Initial:
    """Declare a method ``(self, s)`` that assigns (and may choose) the initial states."""
    parameters_of(function, {}, first=2)
    return Initial(function)


_DECLARED = (Constant, Variable, Action, Property, Process)


@dataclass(frozen=True)
class Declarations:
    """Everything that a class and its bases declare, by name; a class's own replaces that of its bases."""

    constants: dict[str, Constant]
    variables: dict[str, Variable]
    processes: dict[str, Process]
    actions: dict[str, Action]
    properties: dict[str, Property]
    constraints: dict[str, Property]
    initial: Initial | None
    ends: Ends | None

    def check(self, owner: str, symmetry: Any, ignores: Any) -> None:
        """Raise :class:`ModelError` unless the declarations of the class called `owner` go together."""
        for name, constant in self.constants.items():
            try:
                constant.parse(name, constant.default)
            except InputError as error:
                raise ModelError(f"{owner}: the default {error}") from None
            for of in constant.sets:
                if not self._is_set(of):
                    raise ModelError(f"{owner}: {name} {constant.domain.verb} {of!r}, which is not a set of names")
        switched: list[Action | Property] = [*self.actions.values(), *self.properties.values()]
        switched += self.constraints.values()
        for declaration in switched:
            check_switch(declaration, self.constants)
        for declared_property in self.properties.values():
            check_choice(declared_property, self.constants)
            declared_property.check(owner, self.actions)
        if not isinstance(symmetry, (tuple, list)):
            raise ModelError(f"{owner}: symmetry = {symmetry!r} is not a tuple of names of sets")
        for name in symmetry:
            if not self._is_set(name):
                raise ModelError(f"{owner}: symmetry names {name!r}, which is not a set of names")
        if not isinstance(ignores, (tuple, list)):
            raise ModelError(f"{owner}: ignores = {ignores!r} is not a tuple of names of variables")
        for name in ignores:
            if name not in self.variables:
                raise ModelError(f"{owner}: ignores names {name!r}, which is not a variable")

    def _is_set(self, name: str) -> bool:
        return name in self.constants and isinstance(self.constants[name].domain, Names)


def collect(owner: type, bases: Sequence[type], reserved: Collection[str]) -> Declarations:
    """What the class `owner` declares.

    Parameters
    ----------
    owner : type
    bases : sequence of type
        The class and its bases, in the order in which names are looked up.
    reserved : collection of str
        What nothing may be called.

    Raises
    ------
    ModelError
        If something has a reserved name, an action has no process of the class's, or behaviours begin in two ways.
    """
    declared: dict[str, Any] = {}
    for base in reversed(bases):
        declared.update(vars(base))
    for name, what in declared.items():
        if isinstance(what, _DECLARED) and (name in reserved or name.startswith("_")):
            public = listed(sorted(word for word in reserved if not word.startswith("_")))
            raise ModelError(
                f"{owner.__name__}: no {type(what).__name__.lower()} may be called {name!r}; reserved are names that "
                f"begin with _ and {public}"
            )
    if DEADLOCK.name in declared:
        raise ModelError(f"{owner.__name__}: nothing may be called {DEADLOCK.name!r}: every model has that property")
    start = _only_one(owner, declared, Initial, "declared_initial")
    ends = _only_one(owner, declared, Ends, "declared_ends")
    processes = {n: v for n, v in declared.items() if isinstance(v, Process)}
    judged = {n: v.of_class(owner.__name__, n, bases) for n, v in declared.items() if isinstance(v, Property)}
    return Declarations(
        constants={n: v for n, v in declared.items() if isinstance(v, Constant)},
        variables={n: v for n, v in declared.items() if isinstance(v, Variable)},
        processes=processes,
        actions={n: v.of_class(owner.__name__, n, processes) for n, v in declared.items() if isinstance(v, Action)},
        properties={n: v for n, v in judged.items() if v.kind != "constraint"}
        | ({} if ends is None else {DEADLOCK.name: DEADLOCK}),
        constraints={n: v for n, v in judged.items() if v.kind == "constraint"},
        initial=start,
        ends=ends,
    )


def _only_one(owner: type, declared: Mapping[str, Any], kind: type[Any], kept: str) -> Any:
    """What is `declared` as a `kind` of method, of which there may be one; a base has it in its attribute `kept`."""
    found = {n: v for n, v in declared.items() if isinstance(v, kind) and n != kept}
    if len(found) > 1:
        raise ModelError(f"{owner.__name__} has more than one @{kind.__name__.lower()} method: {', '.join(found)}")
    return next(iter(found.values()), None)
