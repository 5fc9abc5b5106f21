"""States of a text as rows of cells, and interpreter states that load values from a row on demand.

A cell holds a variable, a field of a role, or the unfinished actions. If several places hold the same object, each of
their cells has a second cell beside it that lists these places. A step that changes a shared object reads every cell
that holds it; a step that only looks at the object does not.
"""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from types import MappingProxyType
from typing import Any

from workbench.fizzbee.machine.symmetry import sets_of
from workbench.fizzbee.machine.values import (
    ABSENT,
    FizzNotation,
    Place,
    Places,
    Point,
    Thawing,
    Together,
    freeze,
    numbers_of,
    renumbered,
    roles_in,
)  # fmt: skip
from workbench.fizzbee.meaning.domains import renumbering
from workbench.fizzbee.meaning.state import Frame, State, Thread, Work
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.values import Collection, Domain, Instance, Value, Wrong, members
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.errors import InputError
from workbench.kernel.meaning.state import Layout, Values
from workbench.kernel.meaning.values import Map, Name, is_same


class Rows:
    """Which cell of a row holds which part of a state.

    Attributes:
        roles: The instances of roles. They are the same in every state.
        sets: The sets of names that the kernel may exchange.
        domains: The symmetry domains by name, without nominal ones.
        role_of: The kind of role whose field a variable is.
        threads: The cell of the unfinished actions.
        counts: The cell that counts how often each bounded action has begun; None if none is bounded.
        begun: The cell that counts all actions begun; None if the text does not bound them.
        ghosts: The variables that we add to those of the text.
        holders: For each cell, the number of its role (from 1; 0 for a variable) and its name there.

    Raises:
        InputError: If different choices in Init create different roles.
    """

    def __init__(self, meaning: Meaning, initial: Sequence[State]) -> None:
        self.roles = _roles_of(initial)
        options = meaning.text.options
        of_role = {role.role.name: role.role for role in self.roles}
        variables: dict[str, Sequence[Any] | None] = dict.fromkeys(meaning.variables)
        self._fields: dict[str, list[tuple[str, str]]] = {}
        for role in of_role.values():
            instances = [Name(other.name) for other in self.roles if other.role is role]
            names = dict.fromkeys(name for state in initial for r in state.roles if r.role is role for name in r.fields)
            self._fields[role.name] = []
            for field in names | dict.fromkeys(_assigned_fields(role)):
                variable = _free(f"{role.name}_{field}", variables)
                variables[variable] = instances
                self._fields[role.name].append((field, variable))
        self.role_of = {variable: role for role, fields in self._fields.items() for _, variable in fields}
        threads = _free("threads", variables)
        variables[threads] = None
        bounded = any(bounds.max_actions for bounds in options.of_action.values())
        held = list(Layout(variables).cells)
        self.sets = sets_of(meaning, self.roles, bounded)
        self.domains = meaning.domains
        self._has_symmetry = bool(self.sets or meaning.ordered)
        counts = _free("counts", variables) if bounded else None
        begun = _free("begun", variables) if options.is_bounded else None
        extra = {name: None for name in (counts, begun) if name is not None}
        sharing = _free("sharing", variables)
        notation = FizzNotation()
        notation.background = frozenset({sharing})
        exchanged = {name for names in self.sets.values() for name in names}
        #: The cells of symmetric roles by variable and name, as states tell of them, so that names can be exchanged.
        self._outer = {at: tuple(cell) for at, cell in enumerate(held) if cell.index in exchanged}
        self._inner = {outer: cell for cell, outer in self._outer.items()}
        indices = [self._outer.get(at, str(cell)) for at, cell in enumerate(held)]
        self.layout = Layout({**variables, **extra, sharing: indices}, notation=notation)
        notation.cells = [str(cell) for cell in self.layout.cells]
        where: Any = self.layout.positions
        self.heap = {name: where[name] for name in meaning.variables}
        self.of_roles = [
            {field: where[variable][Name(role.name)] for field, variable in self._fields[role.role.name]}
            for role in self.roles
        ]
        self.holders = {cell: (0, name) for name, cell in self.heap.items()}
        for number, cells in enumerate(self.of_roles, 1):
            self.holders.update({cell: (number, name) for name, cell in cells.items()})
        self.threads: int = where[threads]
        self.counts: int | None = None if counts is None else where[counts]
        self.begun: int | None = None if begun is None else where[begun]
        self.links: list[int] = list(where[sharing].values())
        self.ghosts = {threads, *extra, sharing}
        self.at_crash = [{name: freeze(value) for name, value in role.initial.items()} for role in self.roles]
        text = meaning.text
        parts: list[tree.Specification | tree.Role] = [text, *text.roles.values()]
        self.nodes: list[Any] = [node for part in parts for node in _bodies(part)]
        self.numbers = {id(node): number for number, node in enumerate(self.nodes)}

    def row(self, state: State) -> list[Any]:
        """The row of an initial state of the interpreter.

        Raises:
            Wrong: If a value cannot be part of a state.
        """
        values: dict[int, Value] = {cell: state.heap.get(name, ABSENT) for name, cell in self.heap.items()}
        by_name = {role.name: role for role in state.roles}
        for role, cells in zip(self.roles, self.of_roles, strict=True):
            owner = by_name[role.name].fields
            values.update({cell: owner.get(name, ABSENT) for name, cell in cells.items()})
        values[self.threads] = self.of_threads(state.threads)
        frozen, places = self.frozen(values)
        row: list[Any] = [frozen.get(cell) for cell in range(len(self.layout.cells))]
        for cell, groups in self.linked(frozen, places.values()).items():
            row[self.links[cell]] = groups
        if self.counts is not None:
            row[self.counts] = Map(state.counts)
        if self.begun is not None:
            row[self.begun] = 0
        return row

    def frozen(self, values: dict[int, Value]) -> tuple[dict[int, Any], Places]:
        """Freeze the values of cells, and list the places of each mutable object in them."""
        places = Places(self._has_symmetry)
        frozen = {
            cell: value if value is ABSENT else freeze(value, cell, (), places)
            for cell, value in sorted(values.items())
        }
        return frozen, places

    def linked(self, cells: Iterable[int], places: Iterable[Sequence[Place]]) -> dict[int, Any]:
        """For each cell, the shared objects in it: those with several places."""
        links = {cell: set[Together]() for cell in cells}
        for group in (group for group in places if len(group) > 1):
            together = Together(frozenset((self._outer.get(cell, cell), path) for cell, path in group))
            for cell in links.keys() & {cell for cell, _ in group}:
                links[cell].add(together)
        return {cell: frozenset(groups) for cell, groups in links.items()}

    def places(self, group: Together) -> frozenset[Place]:
        """The places of a shared object, by numbers of cells."""
        if not self._inner:
            return group.places
        return frozenset((self._inner.get(cell, cell), path) for cell, path in group.places)

    # Unfinished actions, as values ------------------------------------------------------------------------------------

    def of_threads(self, threads: Sequence[Thread]) -> Value:
        """Threads as nested tuples of their values, which can be frozen; in a bag, if symmetric values are in them."""
        nested = tuple((thread.action, tuple(map(self._frame_told, thread.frames))) for thread in threads)
        return Collection("bag", nested) if self._has_symmetry and nested else nested

    def _frame_told(self, frame: Frame) -> Value:
        work = tuple((self.numbers[id(work.node)], work.flow, tuple(work.left)) for work in frame.work)
        target = None if frame.target is None else self.numbers[id(frame.target)]
        variables = tuple(sorted(frame.variables.items(), key=lambda pair: pair[0]))
        return frame.name, variables, work, frame.owner, target, frame.starts

    def untold(self, value: Value) -> list[Thread]:
        """The threads that :meth:`of_threads` turned into tuples."""
        return [Thread(action, list(map(self._frame_untold, frames))) for action, frames in members(value)]

    def _frame_untold(self, value: Value) -> Frame:
        name, variables, work, owner, target, starts = value
        works = [Work(self.nodes[number], flow, list(left)) for number, flow, left in work]
        return Frame(name, dict(variables), works, owner, None if target is None else self.nodes[target], starts)


class RowState(State):
    """An interpreter state that thaws a cell of its row on first use. It serves one step, or one judgement.

    Attributes:
        writes: What the step wrote, by cell; known once the state is settled.
    """

    def __init__(self, rows: Rows, row: Values) -> None:
        self._rows, self._row, self.writes = rows, row, dict[int, Any]()
        self._loaded = set[int]()
        self._threads: list[Thread] | None = None
        self._counts: dict[str, int] | None = None
        self.key = ""
        self.heap = _Held(self, rows.heap)
        self._owners = [self.heap]
        self.roles = []
        by_name: dict[str, Instance] = {}
        self._thawing = Thawing(by_name, rows.domains)
        for role, cells, initial in zip(rows.roles, rows.of_roles, rows.at_crash, strict=True):
            held = _Held(self, cells)
            self._owners.append(held)
            instance = Instance(role.role, role.number, {})  # its fields load on demand
            instance.fields, instance.fixed = held, role.fixed
            self.roles.append(instance)
            by_name[instance.name] = instance
            if initial:
                instance.initial = {name: self._thawing.thaw(value) for name, value in initial.items()}

    def clone(self, replaced: Mapping[int, Value] = MappingProxyType({})) -> "RowState":
        assert not replaced
        return RowState(self._rows, self._row)

    @property
    def threads(self) -> list[Thread]:
        if self._threads is None:
            self.load(self._rows.threads)
        assert self._threads is not None
        return self._threads

    @threads.setter
    def threads(self, threads: list[Thread]) -> None:
        self.load(self._rows.threads)
        self._threads = threads

    @property
    def counts(self) -> dict[str, int]:  # type: ignore[override]
        if self._counts is None:
            assert self._rows.counts is not None
            self._counts = dict(self._row[self._rows.counts])
        return self._counts

    def load(self, cell: int) -> None:
        """Thaw a cell. An object that it shares with a loaded cell is that same object."""
        if cell in self._loaded or (cell == self._rows.threads and self._threads is not None):
            return
        for group in self._row[self._rows.links[cell]]:
            places = self._rows.places(group)
            self._thawing.groups.update((place, places) for place in places if place[0] == cell)
        value = self._row[cell]
        value = ABSENT if value == ABSENT else self._thawing.thaw(value, cell)
        if cell == self._rows.threads:
            self._threads = self._rows.untold(value)
        else:
            self._loaded.add(cell)
            number, name = self._rows.holders[cell]
            self._owners[number].held[name] = value

    def settle(self, domains: Iterable[Domain] = ()) -> None:
        """Work out what the step wrote.

        Raises:
            Wrong: If a value cannot be part of a state, or the step creates or drops a role.
            Exhausted: If a domain does not allow its values together.
        """
        rows = self._rows
        for cell in (*rows.holders, rows.threads) if domains else ():  # each may have values that are numbered anew
            self.load(cell)
        if len(self.roles) > len(rows.roles):
            raise Wrong(f"{self.roles[-1].name} is created after Init, where it has no cells")
        if self._threads is not None:
            self.sort_threads()
        frozen, places = rows.frozen(self._values())
        while affected := self._affected(frozen, places):
            for cell in affected:
                self.load(cell)
            frozen, places = rows.frozen(self._values())
        for domain in domains:
            self._number_anew(domain, frozen, places)
        for group, value in self._thawing.shared.items():
            if elsewhere := [place for place in group if place[0] not in frozen]:
                places[id(value)] += elsewhere
        self._write(frozen)
        links = rows.linked(frozen, places.values())
        self._write({rows.links[cell]: groups for cell, groups in links.items()})
        if self._counts is not None and rows.counts is not None:
            self._write({rows.counts: Map(self._counts)})
        before = set().union(*(roles_in(self._row[cell]) for cell in frozen if cell in self.writes))
        if before and before - set().union(*(roles_in(value) for value in frozen.values())):
            self._check_roles(frozen)
        self.key = "changed" if self.writes else ""

    def _number_anew(self, domain: Domain, frozen: dict[int, Any], places: Places) -> None:
        """Number the values of a domain anew, in the values of all cells and in the ways to shared objects."""
        numbers = numbers_of(domain.name, tuple(frozen.values()))
        of_state = renumbering(domain, set(numbers.values()))
        points = {point: Point(Name(f"{domain.name}@{of_state[number]}")) for point, number in numbers.items()}
        frozen.update({cell: renumbered(value, points) for cell, value in frozen.items()})
        for at, shared in places.items():
            places[at] = [(cell, renumbered(path, points)) for cell, path in shared]

    def _values(self) -> dict[int, Value]:
        """The values of the loaded cells."""
        values: dict[int, Value] = {}
        for cell in self._loaded:
            number, name = self._rows.holders[cell]
            values[cell] = self._owners[number].held[name]
        if self._threads is not None:
            values[self._rows.threads] = self._rows.of_threads(self._threads)
        return values

    def _affected(self, frozen: dict[int, Any], places: Places) -> set[int]:
        """The cells still to load: they share an object whose value or other places the step may have changed."""
        changed = {cell for cell, value in frozen.items() if not is_same(value, self._row[cell])}
        affected: set[int] = set()
        for group, value in self._thawing.shared.items():
            elsewhere = {cell for cell, _ in group if cell not in frozen}
            if elsewhere:
                here = {place for place in group if place[0] in frozen}
                if set(places.get(id(value), ())) != here or any(cell in changed for cell, _ in here):
                    affected |= elsewhere
        return affected

    def _write(self, values: dict[int, Any]) -> None:
        self.writes.update({cell: value for cell, value in values.items() if not is_same(value, self._row[cell])})

    def _check_roles(self, frozen: dict[int, Any]) -> None:
        """Refuse a step that makes a role unreachable. The interpreter would drop the role, but its cells stay."""
        rows = self._rows
        reached: set[str] = set()
        queue = [rows.threads, *rows.heap.values()]
        cells = {role.name: list(of.values()) for role, of in zip(rows.roles, rows.of_roles, strict=True)}
        while queue:
            cell = queue.pop()
            new = roles_in(frozen[cell] if cell in frozen else self._row[cell]) - reached
            reached |= new
            queue += [other for name in new for other in cells[name]]
        if lost := [role.name for role in rows.roles if role.name not in reached]:
            raise Wrong(f"nothing leads to {lost[0]} any more, which has cells here")


class _Held(MutableMapping[str, Value]):
    """The variables, or the fields of a role, loaded from the row on demand."""

    def __init__(self, state: RowState, cells: dict[str, int]) -> None:
        self._state, self._cells, self.held = state, cells, dict[str, Value]()

    def __getitem__(self, name: str) -> Value:
        if name not in self.held and name not in self:
            raise KeyError(name)
        value = self.held[name]
        if value is ABSENT:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        if name not in self.held:
            if name not in self._cells:
                return False
            self._state.load(self._cells[str(name)])
        return self.held[str(name)] is not ABSENT

    def __setitem__(self, name: str, value: Value) -> None:
        if name not in self._cells:
            raise Wrong(f"{name} has no cell: neither Init assigns it, nor the role's own actions")
        self._state.load(self._cells[name])
        self.held[name] = value

    def __delitem__(self, name: str) -> None:
        self[name] = ABSENT

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._cells if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _roles_of(initial: Sequence[State]) -> list[Instance]:
    every = [sorted(state.roles, key=lambda role: (role.role.name, role.number)) for state in initial]
    if any([_shape(role) for role in roles] != [_shape(role) for role in every[0]] for roles in every):
        raise InputError("Init makes other roles, or roles that crash differently, with other choices")
    return every[0] if every else []


def _shape(role: Instance) -> Any:
    return role.name, role.fixed, {name: freeze(value) for name, value in role.initial.items()}


def _assigned_fields(role: tree.Role) -> Iterator[str]:
    """The fields that a role's own actions and functions assign to."""
    for node in _bodies(role):
        target = node.target if isinstance(node, tree.Assign) else None
        for part in target.items if isinstance(target, tree.Listing) else (target,):
            if isinstance(part, tree.Attribute) and isinstance(part.owner, tree.Name) and part.owner.name == "self":
                yield part.name


def _bodies(text: tree.Specification | tree.Role) -> Iterator[tree.Node]:
    """The nodes of all actions and functions, in the order of the text."""
    for body in [action.body for action in text.actions.values()] + [f.body for f in text.functions.values()]:
        yield from _nodes(body)


def _nodes(node: tree.Node) -> Iterator[tree.Node]:
    """A statement, all statements inside it, and their targets."""
    yield node
    if isinstance(node, tree.For | tree.While | tree.Group | tree.Function | tree.Choose) and node.body is not None:
        yield from _nodes(node.body)
    match node:
        case tree.Block(statements=parts):
            for part in parts:
                yield from _nodes(part)
        case tree.If(branches=branches):
            for _, body in branches:
                yield from _nodes(body)
        case tree.Assign(target=target):
            yield target


def _free(name: str, taken: Any) -> str:
    while name in taken:
        name += "_"
    return name
