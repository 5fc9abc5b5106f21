"""The narrow waist: what a model is to an engine.

A *machine* is a model with its constants. Engines speak of rows and cell numbers; how an author says what the steps do
is the affair of a language. :class:`workbench.kernel.language.of_class.ClassMachine` is that of classes in Python.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from workbench.kernel.meaning.constants import Constant
from workbench.kernel.meaning.domains import Names
from workbench.kernel.meaning.errors import InputError, ModelError, brief, call, checked, impure, of_its_class, unknown
from workbench.kernel.meaning.given import names_in
from workbench.kernel.meaning.parameters import Parameters
from workbench.kernel.meaning.properties import DEADLOCK, Formula, Promise, Property, Step
from workbench.kernel.meaning.state import Cell, Layout, Reader, State, Values, row_of, seen
from workbench.kernel.meaning.values import identity, is_same, permute, show

# Steps ---------------------------------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """One result of an action: the choices it made and the cells it wrote.

    Attributes:
        counted: The fairness conditions that count it, by number; None for all those of its action.
    """

    choices: tuple[tuple[str, Any], ...]
    writes: dict[int, Any]
    counted: frozenset[int] | None = None

    @property
    def identity(self) -> Any:
        """Equal for outcomes that make the same choices, write the same values and are counted alike."""
        return identity(self.choices), {cell: identity(value) for cell, value in self.writes.items()}, self.counted

    def counts(self, condition: int) -> bool:
        """Whether a fairness condition of its action counts it."""
        return self.counted is None or condition in self.counted


class Actor(NamedTuple):
    """Who takes a step: a process, or one of its members if each member has a process."""

    process: str
    member: Any = None


@dataclass(frozen=True)
class PlainAction:
    """What engines and pictures know of an action.

    Attributes:
        place: The file and line, as " (file:line)".
        process: The process that takes it, with its `name`, `per` (the set of its members) and `pc`; None for none.
    """

    name: str
    parameters: Parameters = field(default_factory=Parameters)
    doc: str = ""
    place: str = ""
    process: Any = None


class ActionInstance(ABC):
    """An action with its parameters bound, as one of a machine's numbered steps.

    Args:
        action: A :class:`PlainAction`, or what has the same attributes.

    Attributes:
        number: The position in :attr:`Machine.instances`; stable for given constants.
        label (str): Such as ``begin_claim(w1)``.
        actor (Actor or None): Who takes the step.
        lane (str): The same as people read it: the member, the process, or "" if there is none. A member that is in
            several processes has one lane.
        chosen_twice: The names of choices that a run of it has made more than once.
    """

    def __init__(self, number: int, action: Any, arguments: Sequence[Any]) -> None:
        self.number, self.action, self.arguments = number, action, tuple(arguments)
        process = action.process
        self.actor = None if process is None else Actor(process.name, self.arguments[0] if process.per else None)
        self.chosen_twice: set[str] = set()
        self._call_it(show)

    @abstractmethod
    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        """All outcomes in the state with the row `before`, in a fixed order, and why branches are disabled.

        A function of what it reads in `before` alone; every engine asks for it.
        """

    def overlooking(self, before: Values) -> list[tuple[Outcome, list[str]]]:
        """The outcomes that it would have without its requirements, each with those that fail.

        For recordings and refinements that tell what is missing; a language that cannot say has none.
        """
        return []

    def check_pure(self, before: Values, outcomes: Sequence[Outcome]) -> None:
        """Run the action again and raise :class:`ModelError` unless it has the same outcomes."""
        again, _ = self.run(before)
        if [outcome.identity for outcome in again] != [outcome.identity for outcome in outcomes]:
            raise self.impure()

    def impure(self) -> ModelError:
        return impure(f"action {self.label}{self.action.place}")

    @property
    def identity(self) -> Any:
        """Equal for instances of the same action with the same arguments, whatever the other constants are."""
        return self.action.name, identity(self.arguments)

    def named(self, choices: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The parameters with their arguments, those of the actor first, then the `choices`; an unnamed one is ""."""
        return [*zip(self.action.parameters, self.arguments, strict=True), *choices]

    @property
    def together(self) -> int:
        """How many arguments need no name, since they come first and from one set."""
        declared = self.action
        together = declared.parameters.together
        per_member = declared.process is not None and declared.process.per is not None
        return together if per_member or together > 1 or len(self.arguments) == 1 else 0

    def _call_it(self, text: Callable[[Any], str]) -> None:
        """Make the label and the lane; `text` renders an argument."""
        named = [text(v) if i < self.together else f"{n}={text(v)}" for i, (n, v) in enumerate(self.named(()))]
        self.label = f"{self.action.name}({', '.join(named)})" if named else self.action.name
        who = self.actor
        self.lane = "" if who is None else who.process if self.alone else text(who.member)

    @property
    def alone(self) -> Any:
        """The process that takes the step, if it has no members."""
        process = self.action.process
        return None if process is None or process.per is not None else process

    def label_with(self, choices: Sequence[tuple[str, Any]]) -> str:
        """The label of a step that makes these `choices`."""
        if not choices:
            return self.label
        chosen = ", ".join(f"{name}={show(value)}" if name else show(value) for name, value in choices)
        return f"{self.label[:-1]}, {chosen})" if self.arguments else f"{self.label}({chosen})"

    @property
    def who(self) -> Any:
        """Equal for the same actor. A member is one, whatever process of its it steps in."""
        return self.actor if self.alone or self.actor is None else identity(self.actor.member)

    def spell_out(self) -> None:
        """Write the arguments as Python does, where ``1`` and ``"1"`` would read the same."""
        self._call_it(brief)

    def __repr__(self) -> str:
        return self.label


@dataclass(frozen=True)
class Fairness:
    """A fairness condition: if (weak) always or (strong) again and again enabled, one of `actions` is taken.

    Attributes:
        label: The process or action instance.
        actions: Numbers of action instances.
    """

    label: str
    strong: bool
    actions: frozenset[int]


# Properties ----------------------------------------------------------------------------------------------------------


class Subject(NamedTuple):
    """A part of a model that runs, or is judged, by itself.

    Attributes:
        kind: ``action``, or the kind of a property.
        part: The predicate of a formula (``trigger`` or ``goal``); "" for the whole.
    """

    kind: str
    name: str
    part: str = ""

    @property
    def label(self) -> str:
        return f"{self.name}.{self.part}" if self.part else self.name

    def __str__(self) -> str:
        return f"{self.kind} {self.label}"


class PropertyInstance:
    """A property with its parameters bound: a predicate over states, or over steps.

    Attributes:
        arguments: The values of the property's parameters.
        begins: Judges initial states; None if any will do.
        follows_reads: Whether a step is right if it writes no cell that judging a state has ever read.
    """

    begins: Callable[[Reader], bool | str] | None = None
    follows_reads = False

    def __init__(self, author: Any, declared: Property, arguments: tuple[Any, ...] = ()) -> None:
        self.author, self.property, self.arguments = author, declared, arguments
        self.subject = Subject(declared.kind, declared.name)
        self._called, self._named = f"property {declared.name}", str(self.subject)

    @property
    def place(self) -> str:
        """The first line of its function, as " (file:line)"."""
        return self.property.place

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes that its function reads, of the model among others."""
        code = getattr(self.property.function, "__code__", None)
        return () if code is None else code.co_names

    def concerns(self, instance: ActionInstance) -> bool:
        """Whether the steps of `instance` are judged."""
        of = self.property.of if isinstance(self.property, Step) else ()
        return not of or instance.action.name in of

    def holds(self, *states: Reader) -> bool:
        """Whether the predicate is true."""
        return self.judge(*states) is True

    def judge(self, *states: Reader) -> bool | str:
        """Judge a state, or the two different states of a step.

        Returns:
            True, False, or what is wrong, in one line.
        """
        declared = self.property
        answer = call(self._called, declared.function, self.author, *map(seen, states), *self.arguments)
        return checked(self._named, declared.function, answer, text=declared.says_why)


# Models --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    """A model without constants, as panels, sweeps, commands and formats see it.

    Attributes:
        title: What its author calls it: the name of the class.
        symmetry: The names of the constants whose members are interchangeable.
        constants, variables, processes, actions, properties, constraints: What is declared, by name.
        ends: Says where behaviours may end, if anything does.
    """

    name: str = ""
    title: str = ""
    symmetry: tuple[str, ...] = ()
    constants: Mapping[str, Constant] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    processes: Mapping[str, Any] = field(default_factory=dict)
    actions: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Property] = field(default_factory=dict)
    constraints: Mapping[str, Property] = field(default_factory=dict)
    ends: Any = None

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


class Machine(ABC):
    """A model with its constants, as engines see it.

    Attributes:
        declared (Family): The model without its constants.
        constants: Every constant's value.
        layout: The cells of a row.
        instances: The steps, by number.
        actions, properties, constraints: Those declared ones that these constants do not switch off, by name.
        author: What the author's functions and pictures take as the model.
    """

    declared: Family
    constants: Mapping[str, Any]
    layout: Layout
    instances: Sequence[ActionInstance]
    actions: Mapping[str, Any]
    properties: Mapping[str, Property]
    constraints: Mapping[str, Property]
    author: Any

    @abstractmethod
    def with_constants(self, constants: Mapping[str, Any]) -> "Machine":
        """The same model with these constants, and defaults for the others; for sweeps and repairs.

        Raises:
            InputError: If they do not fit.
        """

    def changed(self, **constants: Any) -> "Machine":
        """The same model with other values for some constants; raises as :meth:`with_constants` does."""
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
        """`value`, such as one from a file, with this model's names in place of equal texts."""
        return permute(value, {name: name for names in self._sets().values() for name in names})

    def _sets(self) -> dict[str, tuple[str, ...]]:
        """The sets of names, by constant."""
        return {n: self.constants[n] for n, c in self.declared.constants.items() if isinstance(c.domain, Names)}

    def oversights(self) -> Iterator[str]:
        """What an author should look at, in lines; for results."""
        return iter(())

    # States ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def each_initial_state(self) -> Iterator[Any]:
        """The states in which a behaviour may begin, lazily and in a fixed order: there may be very many."""

    def initial_states(self) -> list[Any]:
        """The same, all of them."""
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
        row = list(row_of(state))
        for cell, value in outcome.writes.items():
            row[cell] = value
        return self.state(row)

    def why_disabled(self, instance: ActionInstance, state: State) -> str | None:
        """Why `instance` is disabled in `state`; None if it is enabled."""
        outcomes, whys = instance.run(row_of(state))
        return None if outcomes else "; ".join(whys)

    def may_end(self, state: Reader) -> bool:
        """Whether a behaviour may end in `state`; for verdicts on deadlocks."""
        return False

    def members(self, domain: str) -> tuple[Any, ...]:
        """The members of a set over which variables and parameters range; for pictures."""
        return tuple(self.constants[domain])

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

    def applicable(self, names: Iterable[str]) -> list[str]:
        """The declared properties among `names` that these constants do not switch off.

        For comparing models with different constants; otherwise use :meth:`select`.
        """
        names = names_in("properties", names)
        return [name for name in names if self.declared.property_named(name) is DEADLOCK or name in self.properties]

    def chosen_as(self, names: Iterable[str], other: "Machine") -> list[str]:
        """What `names`, chosen for the same model with `other` constants, amount to: those that apply here.

        A choice of all that `other` checks by default is one of all that this one does.
        """
        chosen = self.applicable(names := names_in("properties", names))
        every = {declared.name for declared in other.select()} <= set(names)
        return list(dict.fromkeys([*chosen, *(declared.name for declared in self.select() if every)]))

    # Symmetry --------------------------------------------------------------------------------------------------

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
    """A machine that is another one but for what a subclass changes; wrappers stack."""

    def __init__(self, inner: Machine) -> None:
        self.inner = inner
        self.declared, self.constants, self.author = inner.declared, inner.constants, inner.author
        self.layout, self.instances = inner.layout, inner.instances
        self.actions, self.properties, self.constraints = inner.actions, inner.properties, inner.constraints

    def with_constants(self, constants: Mapping[str, Any]) -> Machine:
        return self.inner.with_constants(constants)

    def members(self, domain: str) -> tuple[Any, ...]:
        return self.inner.members(domain)

    @property
    def fairness(self) -> Sequence[Fairness]:
        return self.inner.fairness

    def oversights(self) -> Iterator[str]:
        return self.inner.oversights()

    def each_initial_state(self) -> Iterator[Any]:
        return self.inner.each_initial_state()

    def may_end(self, state: Reader) -> bool:
        return self.inner.may_end(state)

    def arguments_of(self, declared: Property) -> Iterable[tuple[Any, ...]]:
        return self.inner.arguments_of(declared)

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        return self.inner.renamings(sets)


class Authored(Protocol):
    """An object that stands for a model: what an author has written, with its constants; or its class."""

    @property
    def _machine(self) -> Machine: ...


#: What stands for a model: also a class, with its default constants, and where models have names a name.
AnyModel = Machine | Authored | type[Any] | str


def machine_of(given: Any) -> Machine:
    """The machine of a model: of an object, or of a class with its default constants; a machine is its own.

    Raises:
        InputError: If it is none of these.
    """
    if isinstance(given, type) and hasattr(given, "_machine"):
        given = given()
    found = getattr(given, "_machine", given)
    if not isinstance(found, Machine):
        raise InputError(f"{brief(given)} is not a model; give an object such as Bakery()")
    return found
