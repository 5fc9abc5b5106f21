"""The narrow waist: the interface between models and engines.

A *machine* is a model with its constants. Engines deal in rows and cell numbers; how an author writes the steps is up
to a language. :class:`workbench.kernel.language.of_class.ClassMachine` is the machine of a Python class.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from workbench.kernel.meaning.arguments import names_in
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Names
from workbench.kernel.meaning.errors import InputError, ModelError, brief, call, checked, of_its_class, unknown
from workbench.kernel.meaning.properties import DEADLOCK, Formula, Promise, Property, Step
from workbench.kernel.meaning.state import Layout, Reader, State, Values, row_of, seen
from workbench.kernel.meaning.steps import (
    ActionInstance,
    DeclaredAction,
    DeclaredProcess,
    DeclaredVariable,
    Fairness,
    Outcome,
    PropertyInstance,
)
from workbench.kernel.meaning.values import is_same, permute

# Models --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """A model without its constants, as panels, sweeps, commands and formats see it.

    Attributes:
        title: The author's name for the model: the name of the class.
        symmetry: The names of the constants whose members are interchangeable.
        reduced: Whether a check uses this symmetry by default.
        constants, processes, actions, properties, constraints: The declarations, by name.
        variables: The variables of the layout, by name.
        ends: Holds the author's `function` of the model and a state that says where behaviours may end, if there is
            one.
        translation: For a translated text, the kind of translation that is checked: ``fresh``, ``in memory``,
            ``edited`` by hand, or ``stale`` if it belongs to an earlier text. None for all others.
        translation_notes: Remarks on the translation, for answers.
        configuration: The file that gives the constants their defaults, if it is one of several; otherwise "".
    """

    name: str = ""
    title: str = ""
    symmetry: tuple[str, ...] = ()
    constants: Mapping[str, Constant] = field(default_factory=dict)
    variables: Mapping[str, DeclaredVariable] = field(default_factory=dict)
    processes: Mapping[str, DeclaredProcess] = field(default_factory=dict)
    actions: Mapping[str, DeclaredAction] = field(default_factory=dict)
    properties: Mapping[str, Property] = field(default_factory=dict)
    constraints: Mapping[str, Property] = field(default_factory=dict)
    ends: Any = None
    reduced: bool = False
    translation: str | None = None
    translation_notes: tuple[str, ...] = ()
    configuration: str = ""

    def property_named(self, name: str) -> Property:
        """The property `name` that is declared, or that every model has.

        Raises:
            InputError: For an unknown name.
        """
        if name == DEADLOCK.name:
            return DEADLOCK
        if name not in self.properties:
            raise unknown(f"property of {self.name}", name, self.properties)
        return self.properties[name]

    def symmetric_sets(self, parameter: str, names: str | Iterable[str]) -> tuple[str, ...]:
        """The symmetric sets given for the parameter called `parameter`.

        Raises:
            InputError: For an unknown name, or if `names` is not iterable.
        """
        sets = names_in(parameter, names)
        for name in sets:
            if name not in self.symmetry:
                raise unknown(f"symmetric set of {self.name}", name, self.symmetry)
        return sets

    def parsed(self, constants: Mapping[str, Any]) -> dict[str, Any]:
        """The value of every constant: the accepted form of those in `constants`, the defaults of the others.

        Raises:
            InputError: For an unknown name, or a value that a constant does not take.
        """
        for name in constants:
            if name not in self.constants:
                raise unknown(f"constant of {self.name}", name, self.constants)
        return {
            name: constant.parse(name, constants.get(name, constant.default))
            for name, constant in self.constants.items()
        }

    def names(self, constants: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
        """The sets of names among `constants`."""
        return {n: constants[n] for n, c in self.constants.items() if isinstance(c.domain, Names)}


class Asked(Protocol):
    """An expression of a state in a model's own language.

    Attributes:
        is_constant: Whether it is the same in all states.
        left: The left side of a single comparison; None for anything else.
    """

    is_constant: bool
    left: str | None

    def __call__(self, state: Reader) -> Any: ...


class Machine(ABC):
    """A model with its constants, as engines see it.

    Attributes:
        declared (Family): The model without its constants.
        constants: Every constant's value.
        layout: The cells of a row.
        instances: The steps, by number.
        actions, properties, constraints: Those declared ones that these constants do not switch off, by name.
        author: The object that the author's functions and pictures take as the model.
        sources: The texts that places speak of, by file, for people; empty where nobody keeps them.
        language: That in which people ask about states.
        comment: The beginning of a comment in that language.
        aliases: The values that traces show in place of the variables, by name: functions of a state and the next one.
        most_tried: How many states of other settings are visited, in all, to advise who did not ask: seconds of work.
    """

    declared: Family
    constants: Mapping[str, Any]
    layout: Layout
    instances: Sequence[ActionInstance]
    actions: Mapping[str, DeclaredAction]
    properties: Mapping[str, Property]
    constraints: Mapping[str, Property]
    author: Any
    language: str = "Python"
    comment: str = "#"
    sources: Mapping[str, str] = MappingProxyType({})
    aliases: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType({})
    most_tried: int = 300_000

    @abstractmethod
    def with_constants(self, constants: Mapping[str, Any]) -> "Machine":
        """The model with these constants, and defaults for the others; for sweeps and repairs.

        Raises:
            InputError: If they do not fit.
        """

    def changed(self, **constants: Any) -> "Machine":
        """The model with other values for some constants; raises as :meth:`with_constants` does."""
        return self.with_constants({**self.constants, **constants})

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def symmetry(self) -> tuple[str, ...]:
        return tuple(self.declared.symmetry)

    def differing(self) -> dict[str, Any]:
        """The constants that differ from their defaults, as the constructor takes them."""
        return {
            n: c.domain.spelled(self.constants[n])
            for n, c in self.declared.constants.items()
            if not is_same(self.constants[n], c.domain.bind(n, c.parse(n, c.default), self.constants))
        }

    def spelled(self) -> dict[str, Any]:
        """All constants, as the constructor takes them, in values that JSON knows."""
        return {n: c.domain.spelled(self.constants[n]) for n, c in self.declared.constants.items()}

    def mark(self, value: Any) -> Any:
        """`value`, such as one from a file, with each string that spells a name of this model replaced by that name."""
        return permute(value, {name: name for names in self.declared.names(self.constants).values() for name in names})

    def oversights(self) -> Iterator[str]:
        """Remarks for the author, one per line; results show them."""
        return iter(())

    def plain(self) -> Any:
        """The machine's meaning without what it compiles, for the engine ``reference``; None if the machine is that.

        It has a method ``explore``, which takes a plan and limits, and returns an ``Exploration``.

        Raises:
            InputError: With the reason, if this model needs what is compiled.
        """
        return None

    def settled(self, declared: Property, states: int) -> Any:
        """The machine's own Verdict on an ``Undecided`` property, or None.

        It is asked after a search of the whole space, which found so many distinct states.
        """
        return None

    def standing(self, state: State) -> Mapping[str, str]:
        """The processes at each place of the sources, a file and line such as ``Lock.tla:6``; empty if unknown."""
        return {}

    # States ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def each_initial_state(self) -> Iterator[Any]:
        """The states in which a behaviour may begin, lazily and in a fixed order: there may be very many."""

    def initial_states(self) -> list[Any]:
        """All initial states, as a list."""
        return list(self.each_initial_state())

    def state(self, values: Sequence[Any]) -> Any:
        """The state with the row `values`."""
        return self.layout.bind(State)(self.layout, tuple(values))

    def view(self, values: Values) -> Any:
        """The state with these values, as properties see it."""
        return self.layout.view(values)

    def outcomes(self, instance: ActionInstance, state: State) -> list[tuple[Outcome, Any]]:
        """The outcomes of `instance` in `state`, each with the state that it leads to."""
        outcomes, _ = instance.run(row_of(state))
        return [(outcome, self.after(state, outcome)) for outcome in outcomes]

    def after(self, state: State, outcome: Outcome) -> Any:
        """The state to which `outcome` leads from `state`."""
        return self.written(state, outcome.writes)

    def written(self, state: State, writes: Mapping[int, Any]) -> Any:
        """`state` with other values in some cells of its row."""
        row = list(row_of(state))
        for cell, value in writes.items():
            row[cell] = value
        return self.state(row)

    def why_disabled(self, instance: ActionInstance, state: State) -> str | None:
        """Why `instance` is disabled in `state`; None if it is enabled."""
        outcomes, whys = instance.run(row_of(state))
        return None if outcomes else "; ".join(self.obstacles(instance, state, whys))

    def obstacles(self, instance: ActionInstance, state: State, whys: Sequence[str]) -> Sequence[str]:
        """Why `instance` is disabled in `state`, in words for people. `whys` are the reasons that its run gave."""
        return whys

    def why_false(self, declared: Property, states: Sequence[State]) -> str:
        """The reason why a property is false of a state, or of the two of a step, where its judge gives none."""
        return "it is false"

    def why_broken(self, declared: Property, trace: Any) -> str:
        """Why the lasso `trace` violates a liveness property, in a sentence; "" if unknown."""
        return ""

    def may_end(self, state: Reader) -> bool:
        """Whether `declared.ends` allows a behaviour to end in `state`, so that it is no deadlock."""
        if self.declared.ends is None:
            return False
        function = self.declared.ends.function
        name = function.__name__
        return bool(checked(f"ends {name}", function, call(f"property {name}", function, self.author, seen(state))))

    def members(self, domain: str) -> tuple[Any, ...]:
        """The members of a set over which variables and parameters range; for pictures."""
        return tuple(self.constants[domain])

    @property
    def hidden(self) -> Collection[int]:
        """Cells that do not distinguish states: of states that differ only in these, the first represents all."""
        return ()

    @property
    def merging(self) -> str | None:
        """Why cells are :attr:`hidden`, in words, such as "the VIEW Seen"; None if none are."""
        return None

    @property
    def fairness(self) -> Sequence[Fairness]:
        """The fairness conditions, which outcomes name by number; for the deciders of liveness."""
        return ()

    # Properties ------------------------------------------------------------------------------------------------

    def arguments_of(self, declared: Property) -> Iterable[tuple[Any, ...]]:
        """The arguments of each instance of a property."""
        return [()]

    def _judging(self, declared: Property) -> list[PropertyInstance]:
        return [PropertyInstance(self.author, declared, args) for args in self.arguments_of(declared)]

    @of_its_class
    def predicates(self, name: str) -> list[PropertyInstance]:
        """The invariant or reachable property `name`, with each combination of its parameters."""
        (declared,) = self.select([name])
        if not declared.of_states:
            raise InputError(f"{name} of {self.name} is not a property of single states; its kind is {declared.kind}")
        return self._judging(declared)

    def judges(self, declared: Property) -> list[PropertyInstance]:
        """The judges of single steps for a property, one for each combination of its parameters."""
        return self._judging(declared) if isinstance(declared, Step) else declared.judges(self.author)

    @of_its_class
    def constraint_predicates(self) -> list[PropertyInstance]:
        """The constraints, with each combination of their parameters; a state is explored if all of them are true."""
        return [predicate for declared in self.constraints.values() for predicate in self._judging(declared)]

    @of_its_class
    def formulas(self, name: str) -> list[tuple[tuple[Any, ...], Formula]]:
        """The liveness property `name`, with each combination of its parameters, and each part of joined formulas."""
        (declared,) = self.select([name])
        formulas = []
        for args in self.arguments_of(declared):
            promise = call(f"property {name}", declared.function, self.author, *args)
            if not isinstance(promise, Promise):
                raise ModelError(
                    f"liveness {name}{declared.place} returned {brief(promise)}; use leads_to, eventually, ..."
                )
            formulas += [(args, part) for part in promise.parts]
        return formulas

    def select(self, names: Iterable[str] | None = None) -> list[Property]:
        """The properties called `names`; for None all that apply and are checked by default.

        Every model has the property ``Deadlock``, even if it does not list it.

        Raises:
            InputError: For an unknown name, or a property that these constants switch off.
        """
        if names is None:
            return [p for p in self.properties.values() if p.is_default(self.author)]
        names = list(dict.fromkeys(names_in("properties", names)))
        for name in names:
            if self.declared.property_named(name) is not DEADLOCK and name not in self.properties:
                condition = self.declared.properties[name].needs
                raise InputError(
                    f"property {name!r} of {self.name} does not apply with these constants"
                    + (f": it needs {condition}" if condition else "")
                )
        return [self.properties.get(name, DEADLOCK) for name in names]

    def expression(self, text: str) -> Asked | None:
        """An expression in the model's own :attr:`language`, as a function of a state; None if that is Python.

        Raises:
            InputError: With the place, for a mistake.
        """
        return None

    def asking(self, names: Iterable[str]) -> "tuple[Machine, tuple[str, ...]]":
        """A machine that has the properties `names`, and the names of these properties there.

        A machine may take any expression of its own :attr:`language` as a name. By default it takes the names of its
        declared properties only, and returns itself.

        Raises:
            InputError: With the place, for an expression that the language does not accept as a property.
        """
        return self, names_in("properties", names)

    def chosen(self, names: Iterable[str] | None, deadlock: bool | None) -> list[str]:
        """The names of the properties of :meth:`select`. `deadlock` adds or removes ``Deadlock``; None does neither."""
        chosen = [declared.name for declared in self.select(names)]
        if deadlock is None:
            return chosen
        return [name for name in chosen if name != DEADLOCK.name] + [DEADLOCK.name] * deadlock

    def applicable(self, names: Iterable[str]) -> list[str]:
        """The declared properties among `names` that these constants do not switch off.

        For comparing models with different constants; otherwise use :meth:`select`.
        """
        names = names_in("properties", names)
        return [name for name in names if self.declared.property_named(name) is DEADLOCK or name in self.properties]

    def chosen_as(self, names: Iterable[str], other: "Machine") -> list[str]:
        """The properties among `names` that apply here, chosen for the same model with `other` constants.

        If these are all that `other` checks by default, they become all that this machine checks by default.
        """
        chosen = self.applicable(names := names_in("properties", names))
        every = {declared.name for declared in other.select()} <= set(names)
        return list(dict.fromkeys([*chosen, *(declared.name for declared in self.select() if every)]))

    # Symmetry --------------------------------------------------------------------------------------------------

    def exchanged(self, name: str) -> Sequence[str]:
        """The members of a symmetric set, for code that looks for them in states."""
        members: Sequence[str] = self.constants[name]
        return members

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        """The permutations of names under which the model does not change, the identity first.

        Args:
            sets: The symmetric sets to permute; all declared ones for None.
        """
        return [{}]

    @of_its_class
    def permuted_cells(self, renaming: Mapping[str, str]) -> list[int]:
        """For each of the model's cells the number of its image under `renaming`."""
        cells = self.layout.cells
        position_of = {cell: position for position, cell in enumerate(cells)}
        try:
            return [position_of[Cell(cell.variable, permute(cell.index, renaming))] for cell in cells]
        except KeyError as error:
            raise ModelError(f"a renaming maps a cell to {error.args[0]}, which does not exist") from None


class Wrapped(Machine):
    """A machine that behaves as another one, except for what a subclass changes; wrappers stack."""

    def __init__(self, inner: Machine) -> None:
        self.inner = inner
        self.declared, self.constants, self.author = inner.declared, inner.constants, inner.author
        self.sources, self.aliases = inner.sources, inner.aliases
        self.language, self.comment = inner.language, inner.comment
        self.layout, self.instances = inner.layout, inner.instances
        self.actions, self.properties, self.constraints = inner.actions, inner.properties, inner.constraints

    def with_constants(self, constants: Mapping[str, Any]) -> Machine:
        return self.inner.with_constants(constants)

    def members(self, domain: str) -> tuple[Any, ...]:
        return self.inner.members(domain)

    def expression(self, text: str) -> Asked | None:
        return self.inner.expression(text)

    @property
    def hidden(self) -> Collection[int]:
        return self.inner.hidden

    @property
    def merging(self) -> str | None:
        return self.inner.merging

    @property
    def fairness(self) -> Sequence[Fairness]:
        return self.inner.fairness

    def oversights(self) -> Iterator[str]:
        return self.inner.oversights()

    def each_initial_state(self) -> Iterator[Any]:
        return self.inner.each_initial_state()

    def standing(self, state: State) -> Mapping[str, str]:
        return self.inner.standing(state)

    def obstacles(self, instance: ActionInstance, state: State, whys: Sequence[str]) -> Sequence[str]:
        return self.inner.obstacles(instance, state, whys)

    def why_false(self, declared: Property, states: Sequence[State]) -> str:
        return self.inner.why_false(declared, states)

    def why_broken(self, declared: Property, trace: Any) -> str:
        return self.inner.why_broken(declared, trace)

    def arguments_of(self, declared: Property) -> Iterable[tuple[Any, ...]]:
        return self.inner.arguments_of(declared)

    def exchanged(self, name: str) -> Sequence[str]:
        return self.inner.exchanged(name)

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        return self.inner.renamings(sets)


class Authored(Protocol):
    """An object that stands for a model: what an author has written, with its constants; or its class."""

    @property
    def _machine(self) -> Machine: ...


#: A class that makes models, given constants, and has their Family as ``declared``: one that an author has written, or
#: one that stands for a module's text.
ModelClass = type[Any]


def is_model_class(candidate: Any) -> bool:
    """Whether `candidate` makes models; the bases of models declare nothing."""
    return isinstance(candidate, type) and bool(getattr(getattr(candidate, "declared", None), "name", ""))


#: Anything that can be used as a model, including a class (with default constants) and, where models have one, a name.
AnyModel = Machine | Authored | ModelClass | str


def machine_of(model: Any) -> Machine:
    """The machine of a model: of an object, or of a class with its default constants; a machine is its own.

    Raises:
        InputError: If it is none of these.
    """
    if is_model_class(model):
        model = model()
    machine = getattr(model, "_machine", model)
    if not isinstance(machine, Machine):
        raise InputError(f"{brief(model)} is not a model; give an object such as Bakery()")
    return machine
