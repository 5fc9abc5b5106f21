"""The base class of models: binds constants to the declarations of a class, and gives them their meaning."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from workbench.kernel.constants import as_arguments, leaves_alone, telling_apart
from workbench.kernel.declare import Action, Boundary, ClassOfModels, Declarations, SetOf, collect
from workbench.kernel.domains import Names
from workbench.kernel.errors import (
    InputError,
    ModelError,
    blame,
    brief,
    call,
    defined_at,
    note_class,
    of_its_class,
    placing,
    unknown,
)
from workbench.kernel.given import names_in
from workbench.kernel.instances import ActionInstance, Fairness, Outcome, PropertyInstance
from workbench.kernel.members import Universe
from workbench.kernel.parameters import Declared, check_finished
from workbench.kernel.properties import DEADLOCK, Formula, Promise, Property, Step
from workbench.kernel.state import Cell, Draft, Layout, State, Values, public_names
from workbench.kernel.values import check_value, clash, is_same, permute, sort_key

MOST_RENAMINGS = 5040
#: How many renamings are tried if constants, such as a graph, rule out some of them.
_MOST_TRIED = 40_320
#: Attributes of a model that its class lacks; those of the class are reserved as well.
_RESERVED = frozenset({"actions", "constants", "constraints", "instances", "layout", "properties"})


class Model(metaclass=ClassOfModels):
    """A protocol: constants, variables, actions and properties.

    Args:
        **constants: Values for declared constants; the others have their defaults.

    Attributes:
        constants: Every constant's value. Each is also an attribute of that name.
        actions (dict of Action): The declared actions that these constants do not switch off.
        properties (dict of Property): The declared properties that these constants do not switch off.
        constraints (dict of Constraint): The declared constraints that these constants do not switch off.
        instances (list of ActionInstance): Each of `actions` with every combination of its parameters.
    """

    declared: ClassVar[Declarations] = Declarations()
    #: Names of the constants whose members are interchangeable.
    symmetry: ClassVar[tuple[str, ...]] = ()
    #: The model's name on the command line; by default made from the class's name.
    name: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        note_class(cls)
        with placing(cls):
            cls.declared = collect(cls, cls.__mro__[:-1], _RESERVED | vars(Model).keys())
            for base in (cls, *(base for base in cls.__mro__[:-1] if not issubclass(base, Model))):
                for name in vars(base).keys() & _OWN:
                    raise ModelError(
                        f"{cls.__name__}: {name} belongs to Model"
                        + ("; what has to be checked or made once goes into validate" if name == "__init__" else "")
                    )
            if "name" not in vars(cls):
                cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
            if not (isinstance(cls.name, str) and cls.name.isprintable()):
                raise ModelError(f"{cls.__name__}: name = {brief(cls.name)} is not accepted; it takes a line of text")
            cls.declared.check(cls.__name__, cls.symmetry)

    @of_its_class
    def __init__(self, /, **constants: Any) -> None:
        if not self.declared.variables or not self.declared.actions:
            raise ModelError(f"{type(self).__name__} declares no {'variable' if self.declared.actions else 'action'}")
        for name in constants:
            if name not in self.declared.constants:
                raise unknown(f"constant of {self.name}", name, self.declared.constants)
        self.constants: dict[str, Any] = {}
        for name, constant in self.declared.constants.items():
            self.constants[name] = constant.parse(name, constants.get(name, constant.default))
        self._check_sets()
        for name, constant in self.declared.constants.items():
            self.constants[name] = constant.domain.bind(name, self.constants[name], self.constants)
            setattr(self, name, self.constants[name])
        self._check_attributes()
        self.actions = {n: a for n, a in self.declared.actions.items() if a.applies(self)}
        self.properties = {n: p for n, p in self.declared.properties.items() if p.applies(self)}
        self.constraints = {n: c for n, c in self.declared.constraints.items() if c.applies(self)}
        self.layout = Layout(
            {n: None if v.per is None else self.members(v.per) for n, v in self.declared.variables.items()},
            {
                n: Universe(n, v.universe, self.members(v.universe))
                for n, v in self.declared.variables.items()
                if isinstance(v, SetOf)
            },
        )
        if not self.layout.cells:
            raise ModelError(f"{type(self).__name__} has no cell: the sets that its variables range over are empty")
        self.instances = [
            ActionInstance(self, 0, declared, arguments)
            for declared in self.actions.values()
            for arguments in declared.parameters.combinations(self.members)
        ]
        self._check_actors()
        times = Counter(instance.label for instance in self.instances)
        for number, instance in enumerate(self.instances):
            instance.number = number
            if times[instance.label] > 1:
                instance.spell_out()
        self._part_lanes()
        for reader in (Draft, State):  # an error where a variable has a name that they need
            self.layout.bind(reader)
        self._frozen = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise ModelError(f"self.{name} may not be assigned: what changes belongs in the state (s.{name})")
        object.__setattr__(self, name, value)

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self.constants)

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

    def validate(self) -> None:
        """Raise :class:`InputError` if the constants do not fit together; for models to override."""

    def _check_attributes(self) -> None:
        """Validate, and check the attributes of the class and those that `validate` made."""
        try:
            validate: Callable[[], Any] = self.validate
            check_finished(validate())
        except (InputError, MemoryError):  # bad input and a full memory are not the model's mistakes
            raise
        except BaseException as error:
            raise blame(f"validate of {type(self).__name__}", error) from error
        attributes = {**{n: v for base in type(self).__mro__[:-2] for n, v in vars(base).items()}, **vars(self)}
        for name, value in attributes.items():
            if isinstance(value, Iterator):
                raise ModelError(
                    f"{type(self).__name__}: {name} is an iterator, which its first user uses up; make it a tuple"
                )

    def mark(self, value: Any) -> Any:
        """`value`, such as one from a file, with this model's names in place of equal texts."""
        return permute(value, {name: name for names in self._sets().values() for name in names})

    def _sets(self) -> dict[str, tuple[str, ...]]:
        """The sets of names, by constant."""
        return {n: self.constants[n] for n, c in self.declared.constants.items() if isinstance(c.domain, Names)}

    def _check_sets(self) -> None:
        """Different sets hold different names."""
        sets = self._sets()
        for one, other in itertools.combinations(sets, 2):
            both = sorted(set(sets[one]) & set(sets[other]))
            if both:
                raise InputError(f"{one} and {other} both hold {both[0]!r}; names must differ")

    def members(self, domain: str) -> tuple[Any, ...]:
        """The members of the constant, attribute or method called `domain`."""
        named = isinstance(domain, str) and not isinstance(getattr(type(self), domain, None), (Declared, Boundary))
        given = getattr(self, domain, None) if named else None
        if given is None:
            raise ModelError(f"{type(self).__name__} has no {domain!r} to range over")
        if callable(given):
            given = call(f"{domain} of {type(self).__name__}", given)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ModelError(f"{domain} is {brief(given)}, which has no members to range over")
        members = tuple(given)
        for member in members:
            check_value(member)
        if len(set(members)) < len(members):
            raise ModelError(f"{domain} is {brief(members)}, which holds a member twice{clash(members)}")
        return tuple(sorted(members, key=sort_key)) if isinstance(given, (set, frozenset)) else members

    def _check_actors(self) -> None:
        """The member that steps belongs to its process, even if it is unpacked from a tuple."""
        for instance in self.instances:
            process, parameters = instance.action.process, instance.action.parameters
            per = process.per if process and parameters.together > 1 else None
            if per is not None and instance.arguments[0] not in self.members(per):
                raise ModelError(f"{instance.label}: {brief(instance.arguments[0])} is not in {per}")
            if process is not None and (instance.action.at is not None or instance.action.to is not None):
                cells = self.layout.positions[process.pc]
                if isinstance(cells, dict) != (process.per is not None) or (
                    isinstance(cells, dict) and instance.arguments[0] not in cells
                ):
                    raise ModelError(f"{instance.label}: {process.pc} has no cell for who steps")

    def _part_lanes(self) -> None:
        """Give each actor a lane of its own, such as one of two members that read the same."""
        of: dict[str, set[Any]] = {}
        for instance in self.instances:
            of.setdefault(instance.lane, set()).add(instance.who)
        for instance in self.instances:
            process = instance.action.process
            if len(of[instance.lane]) > 1 and process is not None and process.per is not None:
                instance.lane = f"{instance.lane} of {process.per}"

    # States ----------------------------------------------------------------------------------------------------

    def draft(self) -> Any:
        """A new draft for this model's actions to write to, for use by one thread."""
        return self.layout.draft()

    def view(self, values: Values) -> Any:
        """The state with these values, as properties see it."""
        return self.layout.view(values)

    def state(self, values: Sequence[Any]) -> Any:
        """The state with the row `values`."""
        return self.layout.bind(State)(self.layout, tuple(values))

    def initial_states(self) -> list[Any]:
        """The states in which a behaviour may begin."""
        return list(self._initial_states())

    def each_initial_state(self) -> Iterator[Any]:
        """The same, lazily: there may be more than there is time for."""
        overridden = type(self).initial_states is not Model.initial_states
        return iter(self.initial_states()) if overridden else self._initial_states()

    def _initial_states(self) -> Iterator[Any]:
        given = self.layout.put({shown.cell: self._initial_value(shown.cell) for shown in self.layout.shown})
        values = [given[number] for number in range(len(given))]
        if self.declared.initial is None:
            yield self.state(values)
            return
        begin = ActionInstance(self, -1, Action("initial", self.declared.initial.function), ())
        known: set[Any] = set()
        whys: dict[str, None] = {}
        runs = (begin.branches(self.draft(), values) for _ in range(2))
        for branch, again in itertools.zip_longest(*runs):
            one, other = (run.identity if isinstance(run, Outcome) else run for run in (branch, again))
            if one != other:
                raise begin.impure()
            if isinstance(branch, str):
                whys[branch] = None
                continue
            state = self._apply(values, branch)
            if state not in known:
                known.add(state)
                yield state
        if not known:
            place = defined_at(self.declared.initial.function)
            raise ModelError(f"{type(self).__name__} has no initial state: {'; '.join(whys)}{place}")

    @of_its_class
    def _initial_value(self, cell: Cell) -> Any:
        try:
            value = self.declared.variables[cell.variable].initial_value(self, cell.index)
            if cell.variable in self.layout.universes:
                value = self.layout.universes[cell.variable].subset(value)
            check_value(value)
        except BaseException as error:
            raise blame(f"the initial value of {cell}", error) from error
        return value

    def _apply(self, values: Sequence[Any], outcome: Outcome) -> Any:
        after = list(values)
        for cell, value in outcome.writes.items():
            after[cell] = value
        return self.state(after)

    def outcomes(self, instance: ActionInstance, state: State) -> list[tuple[Outcome, Any]]:
        """The outcomes of `instance` in `state`, each with the state that it leads to."""
        outcomes, _ = instance.run(self.draft(), state.values)
        return [(outcome, self._apply(state.values, outcome)) for outcome in outcomes]

    def why_disabled(self, instance: ActionInstance, state: State) -> str | None:
        """Why `instance` is disabled in `state`; None if it is enabled."""
        outcomes, whys = instance.run(self.draft(), state.values)
        return None if outcomes else "; ".join(whys)

    # Properties ------------------------------------------------------------------------------------------------

    @of_its_class
    def predicates(self, name: str) -> list[PropertyInstance]:
        """The invariant or reachable property `name`, with each combination of its parameters."""
        (declared,) = self.select([name])
        if not declared.of_states:
            raise InputError(f"{name} of {self.name} is not a property of single states; its kind is {declared.kind}")
        return self._judging(declared)

    def judges(self, declared: Property) -> list[PropertyInstance]:
        """The judges of single steps for a property, one for each combination of its parameters."""
        return self._judging(declared) if isinstance(declared, Step) else declared.judges(self)

    @of_its_class
    def constraint_predicates(self) -> list[PropertyInstance]:
        """The constraints, with each combination of their parameters; a state is explored if all of them are true."""
        return [predicate for declared in self.constraints.values() for predicate in self._judging(declared)]

    def _judging(self, declared: Property) -> list[PropertyInstance]:
        return [PropertyInstance(self, declared, args) for args in declared.parameters.combinations(self.members)]

    @of_its_class
    def formulas(self, name: str) -> list[tuple[tuple[Any, ...], Formula]]:
        """The liveness property `name`, with each combination of its parameters, and each part of joined formulas."""
        (declared,) = self.select([name])
        formulas = []
        for args in declared.parameters.combinations(self.members):
            promise = call(f"property {name}", declared.function, self, *args)
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
            return [p for p in self.properties.values() if p.is_default(self)]
        names = list(dict.fromkeys(names_in("properties", names)))
        for name in names:
            if self.declared_property(name) is not DEADLOCK and name not in self.properties:
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
        return [name for name in names if self.declared_property(name) is DEADLOCK or name in self.properties]

    def chosen_as(self, names: Iterable[str], other: "Model") -> list[str]:
        """What `names`, chosen for the same model with `other` constants, amount to: those that apply here.

        A choice of all that `other` checks by default is one of all that this one does.
        """
        chosen = self.applicable(names := names_in("properties", names))
        every = {declared.name for declared in other.select()} <= set(names)
        return list(dict.fromkeys([*chosen, *(declared.name for declared in self.select() if every)]))

    @classmethod
    def declared_property(cls, name: str) -> Property:
        """The property `name` that the class declares, or that every model has.

        Raises:
            InputError: For an unknown name.
        """
        if name == DEADLOCK.name:
            return DEADLOCK
        if name not in cls.declared.properties:
            raise unknown(f"property of {cls.name}", name, cls.declared.properties)
        return cls.declared.properties[name]

    def fairness(self) -> list[Fairness]:
        """The declared fairness conditions: one per fair process, and one per instance of a fair action."""
        conditions: dict[Any, tuple[str, str, set[int]]] = {}  # by instance or process: the texts are not unique
        key: Any
        for instance in self.instances:
            declared = instance.action
            if isinstance(declared.fair, str):
                key, label, kind = instance.number, instance.label, declared.fair
            elif declared.process is not None and declared.process.fair and declared.fair is not False:
                key, label, kind = instance.actor, instance.lane, declared.process.fair
            else:
                continue
            conditions.setdefault(key, (label, kind, set()))[2].add(instance.number)
        return [Fairness(label, kind == "strong", frozenset(them)) for label, kind, them in conditions.values()]

    # Symmetry --------------------------------------------------------------------------------------------------

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        """The permutations of names under which the model does not change, the identity first.

        Renamings that change a constant which holds such names, such as a graph, are left out.

        Args:
            sets: The symmetric sets to permute; all declared ones for None.
        """
        names = self.symmetry if sets is None else names_in("sets", sets)
        for name in names:
            if name not in self.symmetry:
                raise unknown(f"symmetric set of {self.name}", name, self.symmetry)
        held = telling_apart(self.constants, self.declared.constants, names)
        count, most = math.prod(math.factorial(len(self.constants[name])) for name in names), MOST_RENAMINGS
        if count > (_MOST_TRIED if held else most):
            raise InputError(f"symmetry over {', '.join(names)} has {count:,} permutations; at most {most:,}")
        per_set = [
            [dict(zip(self.constants[n], p, strict=True)) for p in itertools.permutations(self.constants[n])]
            for n in names
        ]
        every = ({k: v for part in parts for k, v in part.items()} for parts in itertools.product(*per_set))
        kept = [
            renaming
            for renaming in every
            if not held or leaves_alone(self.constants, self.declared.constants, held, renaming)
        ]
        if len(kept) > most:
            raise InputError(f"symmetry over {', '.join(names)} has {len(kept):,} permutations; at most {most:,}")
        return kept

    @of_its_class
    def permuted_cells(self, renaming: Mapping[str, str]) -> list[int]:
        """For each of the model's cells the number of its image under `renaming`."""
        cells = self.layout.cells
        position_of = {cell: position for position, cell in enumerate(cells)}
        try:
            return [position_of[Cell(cell.variable, permute(cell.index, renaming))] for cell in cells]
        except KeyError as error:
            raise ModelError(f"a renaming maps a cell to {error.args[0]}, which does not exist") from None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(as_arguments(self.differing(), self.declared.constants))})"


#: The methods of Model that a model's class may override, and those that it may not.
_HOOKS = frozenset({"validate", "initial_states", "fairness", "renamings"})
_OWN = frozenset({"__init__", "__setattr__", "__reduce__", *_RESERVED}) | {
    name for name, what in vars(Model).items() if callable(what) and not name.startswith("_") and name not in _HOOKS
}


def reserved_names() -> dict[str, list[str]]:
    """The names that no declaration may have, and those that no variable may have besides.

    Names that begin with ``_`` are not accepted either.
    """
    ours = sorted(name for name in _RESERVED | vars(Model).keys() if not name.startswith("_"))
    states = {name for base in (Draft, State) for name in public_names(base)}
    return {"anything": ours, "variables": sorted(states.difference(ours))}


def model_object(model: Any) -> Model:
    """`model` itself, or a class with its default constants.

    Raises:
        InputError: If it is neither.
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, type) and issubclass(model, Model):
        return model()
    raise InputError(f"{brief(model)} is not a model; give an object such as Bakery()")


def _rebuild(model: type[Model], constants: dict[str, Any]) -> Model:
    return model(**constants)
