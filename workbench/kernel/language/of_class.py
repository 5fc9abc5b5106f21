"""The machine of a model's class with its constants: declarations bound to constants, as engines ask for them."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from workbench.kernel.language.declare import Action, Boundary, Declarations, SetOf
from workbench.kernel.language.instances import CodeInstance
from workbench.kernel.language.oversights import oversights
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.constants import leaves_alone, telling_apart
from workbench.kernel.meaning.errors import (
    InputError,
    ModelError,
    blame,
    brief,
    call,
    defined_at,
    of_its_class,
)
from workbench.kernel.meaning.machine import Machine, machine_of
from workbench.kernel.meaning.members import Universe
from workbench.kernel.meaning.parameters import Declared
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.state import Layout, row_of
from workbench.kernel.meaning.steps import Fairness, Outcome
from workbench.kernel.meaning.values import check_value, clash, sort_key

MOST_RENAMINGS = 5040
#: The most renamings that are tried if constants, such as a graph, rule out some of them.
_MOST_TRIED = 40_320


class ClassMachine(Machine):
    """A model of the modelling language as a :class:`workbench.kernel.meaning.machine.Machine`.

    Args:
        author: The author's object: the class with its constants.
        begins: Gives the initial states, where the class does not declare them.
    """

    actions: Mapping[str, Action]

    @of_its_class
    def __init__(self, author: Any, begins: Callable[[], Iterable[Any]] | None = None) -> None:
        self.author, self._begins = author, begins
        self.declared: Declarations = type(author).declared
        self.constants = author.constants
        self.actions = {n: a for n, a in self.declared.actions.items() if a.applies(author)}
        self.properties = {n: p for n, p in self.declared.properties.items() if p.applies(author)}
        self.constraints = {n: c for n, c in self.declared.constraints.items() if c.applies(author)}
        self.layout = Layout(
            {n: None if v.per is None else self.members(v.per) for n, v in self.declared.variables.items()},
            {
                n: Universe(n, v.universe, self.members(v.universe))
                for n, v in self.declared.variables.items()
                if isinstance(v, SetOf)
            },
        )
        if not self.layout.cells:
            raise ModelError(f"{type(author).__name__} has no cell: the sets that its variables range over are empty")
        self.instances: list[CodeInstance] = [
            CodeInstance(author, 0, declared, arguments)
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

    def __reduce__(self) -> Any:
        return machine_of, (self.author,)

    def with_constants(self, constants: Mapping[str, Any]) -> Machine:
        return machine_of(type(self.author)(**constants))

    def members(self, domain: str) -> tuple[Any, ...]:
        """The members of the constant, attribute or method called `domain`."""
        named = isinstance(domain, str) and not isinstance(
            getattr(type(self.author), domain, None), (Declared, Boundary)
        )
        values = getattr(self.author, domain, None) if named else None
        if values is None:
            raise ModelError(f"{type(self.author).__name__} has no {domain!r} to range over")
        if callable(values):
            values = call(f"{domain} of {type(self.author).__name__}", values)
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise ModelError(f"{domain} is {brief(values)}, which has no members to range over")
        members = tuple(values)
        for member in members:
            check_value(member)
        if len(set(members)) < len(members):
            raise ModelError(f"{domain} is {brief(members)}, which holds a member twice{clash(members)}")
        return tuple(sorted(members, key=sort_key)) if isinstance(values, (set, frozenset)) else members

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
        """Give each actor a lane of its own, even if two members read the same."""
        of: dict[str, set[Any]] = {}
        for instance in self.instances:
            of.setdefault(instance.lane, set()).add(instance.who)
        for instance in self.instances:
            process = instance.action.process
            if len(of[instance.lane]) > 1 and process is not None and process.per is not None:
                instance.lane = f"{instance.lane} of {process.per}"

    def each_initial_state(self) -> Iterator[Any]:
        """The states in which a behaviour may begin, lazily: there may be more than there is time for."""
        return self._initial_states() if self._begins is None else iter(self._begins())

    def _initial_states(self) -> Iterator[Any]:
        values = self.layout.put({shown.cell: self._initial_value(shown.cell) for shown in self.layout.shown})
        start = self.state([values[number] for number in range(len(values))])
        if self.declared.initial is None:
            yield start
            return
        begin = CodeInstance(self.author, -1, Action("initial", self.declared.initial.function), ())
        seen: set[Any] = set()
        whys: dict[str, None] = {}
        runs = (begin.branches(row_of(start)) for _ in range(2))
        for branch, again in itertools.zip_longest(*runs):
            one, other = (run.identity if isinstance(run, Outcome) else run for run in (branch, again))
            if one != other:
                raise begin.impure()
            if isinstance(branch, str):
                whys[branch] = None
                continue
            state = self.after(start, branch)
            if state not in seen:
                seen.add(state)
                yield state
        if not seen:
            place = defined_at(self.declared.initial.function)
            raise ModelError(f"{type(self.author).__name__} has no initial state: {'; '.join(whys)}{place}")

    @of_its_class
    def _initial_value(self, cell: Cell) -> Any:
        try:
            value = self.declared.variables[cell.variable].initial_value(self.author, cell.index)
            if cell.variable in self.layout.universes:
                value = self.layout.universes[cell.variable].subset(value)
            check_value(value)
        except BaseException as error:
            raise blame(f"the initial value of {cell}", error) from error
        return value

    @cached_property
    def fairness(self) -> list[Fairness]:
        """The fairness conditions, which outcomes name by number."""
        return self.author.fairness()

    def declared_fairness(self) -> list[Fairness]:
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

    def arguments_of(self, declared: Property) -> Iterable[tuple[Any, ...]]:
        return declared.parameters.combinations(self.members)

    # Symmetry ----------------------------------------------------------------------------------------------------

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        renamings: list[dict[str, str]] = self.author.renamings(sets)
        return renamings

    def declared_renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        """The renamings for models whose authors do not override :meth:`.Model.renamings`."""
        names = self.symmetry if sets is None else self.declared.symmetric_sets("sets", sets)
        held = telling_apart(self.constants, self.declared.constants, [self.constants[name] for name in names])
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

    def oversights(self) -> Iterator[str]:
        return oversights(self)

    def __repr__(self) -> str:
        return repr(self.author)
