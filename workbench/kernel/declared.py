"""What a model's class declares: collected from the class and its bases, and looked at as a whole."""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.kernel.actions import Action, Process, parameters_of
from workbench.kernel.constants import Constant, Names, Partition
from workbench.kernel.errors import InputError, ModelError
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


class Initial:
    """What ``@initial`` attaches to a method."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function


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
    initial: Initial | None

    def check(self, owner: str, symmetry: Any) -> None:
        """Raise :class:`ModelError` unless the declarations of the class called `owner` go together."""
        for name, constant in self.constants.items():
            try:
                constant.parse(name, constant.default)
            except InputError as error:
                raise ModelError(f"{owner}: the default {error}") from None
            if isinstance(constant.domain, Partition) and not self._is_set(constant.domain.of):
                raise ModelError(f"{owner}: {name} partitions {constant.domain.of!r}, which is not a set of names")
        switched: list[Action | Property] = [*self.actions.values(), *self.properties.values()]
        for declaration in switched:
            check_switch(declaration, self.constants)
        for declared_property in self.properties.values():
            check_choice(declared_property, self.constants)
        if not isinstance(symmetry, (tuple, list)):
            raise ModelError(f"{owner}: symmetry = {symmetry!r} is not a tuple of names of sets")
        for name in symmetry:
            if not self._is_set(name):
                raise ModelError(f"{owner}: symmetry names {name!r}, which is not a set of names")

    def _is_set(self, name: str) -> bool:
        return name in self.constants and isinstance(self.constants[name].domain, Names)


def collect(owner: type, bases: Sequence[type], reserved: Container[str]) -> Declarations:
    """What the class `owner` declares.

    Parameters
    ----------
    owner : type
    bases : sequence of type
        The class and its bases, in the order in which names are looked up.
    reserved : container of str
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
            raise ModelError(f"{owner.__name__}: no {type(what).__name__.lower()} may be called {name!r}")
    starts = {n: v for n, v in declared.items() if isinstance(v, Initial) and n != "declared_initial"}
    if len(starts) > 1:
        raise ModelError(f"{owner.__name__} has more than one @initial method: {', '.join(starts)}")
    processes = {n: v for n, v in declared.items() if isinstance(v, Process)}
    return Declarations(
        constants={n: v for n, v in declared.items() if isinstance(v, Constant)},
        variables={n: v for n, v in declared.items() if isinstance(v, Variable)},
        processes=processes,
        actions={n: v.of_class(owner.__name__, n, processes) for n, v in declared.items() if isinstance(v, Action)},
        properties={n: v.of_class(n, bases) for n, v in declared.items() if isinstance(v, Property)},
        initial=next(iter(starts.values()), None),
    )
