"""The base class of models: collects what is declared, binds constants, and gives the model its meaning."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from workbench.kernel.actions import Action, ActionInstance, Fairness, Outcome, Process
from workbench.kernel.constants import Constant, Names
from workbench.kernel.errors import InputError, ModelError, unknown
from workbench.kernel.properties import Formula, Property, PropertyInstance
from workbench.kernel.state import Draft, Layout, State
from workbench.kernel.values import permute

MOST_RENAMINGS = 5040
_RESERVED = frozenset({"constants", "instances", "layout", "name", "symmetry", "before", "writes", "values", "items"})


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

    def initial_value(self, model: "Model", index: Any) -> Any:
        if not callable(self.initial):
            return self.initial
        return self.initial(model) if self.per is None else self.initial(model, index)


def initial(function: Callable[..., None]) -> "Initial":
    """Declare a method ``(self, s)`` that assigns (and may choose) the initial states."""
    return Initial(function)


class Initial:
    """What ``@initial`` attaches to a method."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function


class Model:
    """A protocol: constants, variables, actions and properties.

    Parameters
    ----------
    **constants
        Values for declared constants; the others have their defaults.

    Attributes
    ----------
    constants : dict
        Every constant's value. Each is also an attribute of that name.
    layout : Layout
    instances : list of ActionInstance
        Every action with every combination of its parameters.
    """

    declared_constants: ClassVar[dict[str, Constant]] = {}
    declared_variables: ClassVar[dict[str, Variable]] = {}
    declared_actions: ClassVar[dict[str, Action]] = {}
    declared_properties: ClassVar[dict[str, Property]] = {}
    declared_processes: ClassVar[dict[str, Process]] = {}
    declared_initial: ClassVar[Initial | None] = None
    #: Names of the constants whose members are interchangeable.
    symmetry: ClassVar[tuple[str, ...]] = ()
    #: What the model is called on the command line; made from the class's name if it is not given.
    name: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        declared: dict[str, Any] = {}
        for base in reversed(cls.__mro__[:-1]):
            declared.update(vars(base))
        cls.declared_constants = {n: v for n, v in declared.items() if isinstance(v, Constant)}
        cls.declared_variables = {n: v for n, v in declared.items() if isinstance(v, Variable)}
        cls.declared_actions = {n: v for n, v in declared.items() if isinstance(v, Action)}
        cls.declared_properties = {n: v for n, v in declared.items() if isinstance(v, Property)}
        cls.declared_processes = {n: v for n, v in declared.items() if isinstance(v, Process)}
        cls.declared_initial = next((v for v in declared.values() if isinstance(v, Initial)), None)
        if "name" not in vars(cls):
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        for name in [*cls.declared_constants, *cls.declared_variables]:
            if name in _RESERVED or name.startswith("_"):
                raise ModelError(f"{cls.__name__}: a constant or variable may not be called {name!r}")
        for name in cls.symmetry:
            constant = cls.declared_constants.get(name)
            if constant is None or not isinstance(constant.domain, Names):
                raise ModelError(f"{cls.__name__}: symmetry names {name!r}, which is not a set of names")

    def __init__(self, **constants: Any) -> None:
        if not self.declared_variables or not self.declared_actions:
            raise ModelError(f"{type(self).__name__} declares no {'variable' if self.declared_actions else 'action'}")
        for name in constants:
            if name not in self.declared_constants:
                raise unknown(f"constant of {self.name}", name, self.declared_constants)
        self.constants: dict[str, Any] = {}
        for name, constant in self.declared_constants.items():
            value = constant.parse(name, constants.get(name, constant.default))
            self.constants[name] = value
            setattr(self, name, value)
        self._check_disjoint()
        self.validate()
        self.layout = Layout(
            {n: None if v.per is None else self.members(v.per) for n, v in self.declared_variables.items()}
        )
        self.instances = [
            ActionInstance(self, 0, declared, arguments)
            for declared in self.declared_actions.values()
            for arguments in self._combinations(declared.parameters)
        ]
        for number, instance in enumerate(self.instances):
            instance.number = number
        self._draft = self.draft()
        self._state_class = self.layout.bind(State)
        self._frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise ModelError(f"self.{name} may not be assigned: what changes belongs into the state (s.{name})")
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.constants)

    def validate(self) -> None:
        """Raise :class:`InputError` if constants do not go together; for models to override."""

    def _check_disjoint(self) -> None:
        sets = {n: self.constants[n] for n, c in self.declared_constants.items() if isinstance(c.domain, Names)}
        for one, other in itertools.combinations(sets, 2):
            both = sorted(set(sets[one]) & set(sets[other]))
            if both:
                raise InputError(f"{one} and {other} both hold {both[0]!r}; names must differ")

    def members(self, domain: str) -> tuple[Any, ...]:
        """What the constant, attribute or method called `domain` ranges over."""
        found = getattr(self, domain, None)
        if found is None:
            raise ModelError(f"{type(self).__name__} has no {domain!r} to range over")
        return tuple(found() if callable(found) else found)

    def _combinations(self, parameters: Mapping[str, str]) -> Iterable[tuple[Any, ...]]:
        return itertools.product(*(self.members(domain) for domain in parameters.values()))

    # States ----------------------------------------------------------------------------------------------------

    def draft(self, base: type[Draft] = Draft) -> Any:
        """A fresh draft for this model's actions to write to."""
        return self.layout.bind(base)(self.layout)

    def state(self, values: Sequence[Any]) -> Any:
        """The state with the given `values`, in the layout's order."""
        return self._state_class(self.layout, tuple(values))

    def initial_states(self) -> list[Any]:
        """The states in which a behaviour may begin."""
        values = [self.declared_variables[c.variable].initial_value(self, c.index) for c in self.layout.cells]
        if self.declared_initial is None:
            return [self.state(values)]
        begin = Action("initial", self.declared_initial.function, None, {}, None)
        outcomes, whys = ActionInstance(self, -1, begin, ()).run(self._draft, values)
        if not outcomes:
            raise ModelError(f"{type(self).__name__} has no initial state: {'; '.join(whys)}")
        return list(dict.fromkeys(self._apply(values, outcome) for outcome in outcomes))

    def _apply(self, values: Sequence[Any], outcome: Outcome) -> Any:
        after = list(values)
        for cell, value in outcome.writes.items():
            after[cell] = value
        return self.state(after)

    def outcomes(self, instance: ActionInstance, state: State) -> list[tuple[Outcome, Any]]:
        """What `instance` may do in `state`: each outcome with the state that it leads to."""
        found, _ = instance.run(self._draft, state.values)
        return [(outcome, self._apply(state.values, outcome)) for outcome in found]

    def why_disabled(self, instance: ActionInstance, state: State) -> str | None:
        """The reasons for which `instance` can do nothing in `state`; None if it is enabled."""
        found, whys = instance.run(self._draft, state.values)
        return None if found else "; ".join(whys)

    # Properties ------------------------------------------------------------------------------------------------

    def predicates(self, name: str) -> list[PropertyInstance]:
        """The invariant or reachable property called `name`, for every combination of its parameters."""
        declared = self.declared_properties[name]
        return [PropertyInstance(self, declared, args) for args in self._combinations(declared.parameters)]

    def formulas(self, name: str) -> list[tuple[tuple[Any, ...], Formula]]:
        """The liveness property called `name`, for every combination of its parameters."""
        declared = self.declared_properties[name]
        found = [(args, declared.function(self, *args)) for args in self._combinations(declared.parameters)]
        for _, formula in found:
            if not isinstance(formula, Formula):
                raise ModelError(f"liveness {name} returned {formula!r}; use leads_to, eventually, ...")
        return found

    def select(self, names: Iterable[str] | None = None) -> list[Property]:
        """The declared properties called `names`; all of them for None.

        Raises
        ------
        InputError
            For a name that is not declared.
        """
        if names is None:
            return list(self.declared_properties.values())
        names = list(dict.fromkeys(names))
        for name in names:
            if name not in self.declared_properties:
                raise unknown(f"property of {self.name}", name, self.declared_properties)
        return [self.declared_properties[name] for name in names]

    def fairness(self) -> list[Fairness]:
        """The declared fairness conditions: one per fair process, and one per instance of a fair action."""
        conditions: dict[tuple[str, str], set[int]] = {}
        kinds: dict[tuple[str, str], str] = {}
        for instance in self.instances:
            declared = instance.action
            if isinstance(declared.fair, str):
                key, kind = ("action", instance.label), declared.fair
            elif declared.process is not None and declared.process.fair and declared.fair is not False:
                key, kind = (declared.process.name, instance.lane), declared.process.fair
            else:
                continue
            conditions.setdefault(key, set()).add(instance.number)
            kinds[key] = kind
        return [Fairness(k[1], kinds[k] == "strong", frozenset(numbers)) for k, numbers in conditions.items()]

    # Symmetry --------------------------------------------------------------------------------------------------

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        """The permutations of names under which the model does not change, the identity first.

        Parameters
        ----------
        sets : sequence of str, optional
            The symmetric sets to permute; all declared ones for None.
        """
        names = self.symmetry if sets is None else tuple(sets)
        for name in names:
            if name not in self.symmetry:
                raise unknown(f"symmetric set of {self.name}", name, self.symmetry)
        count = math.prod(math.factorial(len(self.constants[name])) for name in names)
        if count > MOST_RENAMINGS:
            raise InputError(f"symmetry over {', '.join(names)} has {count:,} permutations; at most {MOST_RENAMINGS:,}")
        per_set = [
            [dict(zip(self.constants[n], p, strict=True)) for p in itertools.permutations(self.constants[n])]
            for n in names
        ]
        return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*per_set)]

    def permuted_cells(self, renaming: Mapping[str, str]) -> list[int]:
        """For each cell the position of its image under `renaming`."""
        try:
            return [self.layout.position_of[type(c)(c.variable, permute(c.index, renaming))] for c in self.layout.cells]
        except KeyError as error:
            raise ModelError(f"a renaming maps a cell to {error.args[0]}, which does not exist") from None

    def __repr__(self) -> str:
        declared = self.declared_constants
        changed = {n: v for n, v in self.constants.items() if v != declared[n].parse(n, declared[n].default)}
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in changed.items())})"


def _rebuild(model: type[Model], constants: dict[str, Any]) -> Model:
    return model(**constants)
