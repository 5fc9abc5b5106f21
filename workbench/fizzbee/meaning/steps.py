"""A specification as its initial states, the steps of a state, and its assertions.

Searches and machines build on :class:`Meaning`, which knows nothing of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from workbench.fizzbee.meaning.domains import Exhausted
from workbench.fizzbee.meaning.expressions import fail
from workbench.fizzbee.meaning.reasons import Reason, reasons
from workbench.fizzbee.meaning.state import Frame, State, Thread
from workbench.fizzbee.meaning.threads import Disabled, Run
from workbench.fizzbee.meaning.values import Collection, Dict, Domain, Instance, Record, Value, Wrong, clone, truth
from workbench.fizzbee.syntax import tree
from workbench.fizzbee.syntax.parser import parse
from workbench.fizzbee.syntax.tree import Bounds, Place, refuse

#: What a constant can be set to.
Setting: TypeAlias = bool | int | str | Sequence[bool | int | str]


class Step(NamedTuple):
    """A step to `state`.

    Attributes:
        name: The action's name, such as ``Writer#0.Commit``.
        kind: ``begin`` for an action's first step, ``continue`` for a later one, ``crash`` for one that loses it.
        fair: The action's fairness: empty, ``weak`` or ``strong``.
        choices: The choices that had several members: each name with the member taken.
    """

    name: str
    kind: str
    fair: str
    state: State
    choices: tuple[tuple[str, Value], ...] = ()


class Meaning:
    """The meaning of the text `text` from the file `file`, with some of its constants replaced.

    Attributes:
        text: Its tree, with options, actions, roles and assertions by name.
        variables: The state variables: the names that Init assigns outside loops and branches.
        domains: The symmetry domains by name, without nominal ones.
        ordered: Those of them whose values each state numbers anew.

    Raises:
        InputError: If the text cannot be read, or has no Init.
        ModelError: If a constant cannot be evaluated.
    """

    def __init__(self, text: str, file: str, values: Mapping[str, Setting] = MappingProxyType({})) -> None:
        self.text = parse(text, file)
        if "Init" not in self.text.actions:
            refuse(Place(file, 1, 1), "there is no action Init")
        self.constants: dict[str, Value] = {}
        self.frozen: set[int] = set()
        at = self.text.actions["Init"].at
        run = self._run(State(), [])
        run.enter(Frame("file", {}, []), tree.Block(at, "atomic", ()))
        constants = tuple(_with_value(statement, values) for statement in self.text.constants)
        run.enter(Frame("constants", self.constants, []), tree.Block(at, "atomic", constants))
        run.run(1, yields=False)
        for value in self.constants.values():
            _collect(value, self.frozen)
        self.domains = self._domains()
        self.ordered = [domain for domain in self.domains.values() if domain.is_ordered]
        for assertion in self.text.assertions.values() if self.ordered else ():
            if assertion.operators == ("transition",):
                of = ", ".join(domain.name for domain in self.ordered)
                fail(assertion.at, f"a transition compares two states, which number the values of {of} separately")
        init = self.text.actions["Init"].body
        names = [name for statement in init.statements for name in _assigned(statement)]
        self.variables = tuple(name for name in dict.fromkeys(names) if name not in self.constants)

    def initial(self) -> list[State]:
        """The initial states: one for each sequence of choices in Init.

        Raises:
            ModelError: With the place of the statement that fails.
        """
        init = self.text.actions["Init"]

        def begin() -> tuple[State, Thread]:
            return State(), Thread("Init", [Frame("Init", {}, [])])

        return [state for state, _ in self._ways(begin, init, "init")]

    def steps(self, state: State, begin: bool = True) -> Iterator[Step]:
        """The steps of a state: unfinished actions continue, new ones begin (if `begin`), and crashes.

        Raises:
            ModelError: With the place of the statement that fails.
        """
        for number in range(len(state.threads)):
            yield from self.continued(state, number)
        if begin:
            for action in self.text.actions.values():
                yield from self.begun(state, None, action)
            for role in state.roles:
                for action in role.role.actions.values():
                    yield from self.begun(state, role, action)
        for number in range(len(state.threads)):
            yield from self.thread_crashed(state, number)
        for number in range(len(state.roles)):
            yield from self.role_crashed(state, number)

    def holds(self, assertion: tree.Assertion, state: State, before: State | None = None) -> bool:
        """Whether an assertion holds in a state, or in the step from `before` to it.

        Raises:
            ModelError: With the place of the expression that cannot be evaluated.
        """
        return truth(self._judged(assertion, state, before).result)

    def reasons(self, assertion: tree.Assertion, state: State, before: State | None = None) -> list[Reason]:
        """The parts that make a violated assertion false. There is at least one.

        Raises:
            ModelError: With the place of the expression that cannot be evaluated.
        """
        return reasons(self._judged(assertion, state, before), assertion)

    def _domains(self) -> dict[str, Domain]:
        domains = {name: value for name, value in self.constants.items() if isinstance(value, Domain)}
        others = {domain.name: domain for domain in domains.values() if not domain.is_nominal}
        for constant, domain in domains.items():
            if others.get(domain.name, domain) is not domain:
                fail(
                    self.text.actions["Init"].at,
                    f"{constant}: another domain, not a nominal one, is called {domain.name}",
                )
        return others

    def _judged(self, assertion: tree.Assertion, state: State, before: State | None) -> Run:
        variables: dict[str, Value] = {}
        if before is not None:
            names = assertion.parameters or ("before", "after")
            heaps = before.clone().heap, state.clone().heap
            variables = {name: Record("struct", heap) for name, heap in zip(names, heaps, strict=False)}
        run = self._run(state.clone(), [])
        run.enter(Frame(assertion.name, variables, []), assertion.body)
        try:
            run.run(yields=False)
        except Disabled:
            fail(assertion.at, f"an assertion does not require anything, in {assertion.name}")
        return run

    def _run(self, state: State, frames: list[Frame], choices: tuple[int, ...] = ()) -> Run:
        return Run(self.text, self.constants, self.frozen, state, frames, choices)

    # Steps ------------------------------------------------------------------------------------------------------------

    def continued(self, state: State, number: int, unmet: list[Place] | None = None) -> Iterator[Step]:
        """The steps in which a thread continues; `unmet` collects the places of the requirements that failed."""
        thread = state.threads[number]

        def begin() -> tuple[State, Thread]:
            copy = state.clone()
            return copy, copy.threads[number]

        owner = thread.frames[0].owner
        action = (self.text if owner is None else owner.role).actions[thread.action]
        for after, choices in self._ways(begin, action, "continue", unmet):
            yield Step(thread.name, "continue", action.fair, after, choices)

    def begun(
        self, state: State, role: Instance | None, action: tree.Action, unmet: list[Place] | None = None
    ) -> Iterator[Step]:
        """The first steps of an action, if it may begin; `unmet` as for :meth:`continued`."""
        keys = _keys(action.name, role)
        if len(state.threads) >= self.text.options.max_concurrent_actions:
            return
        if action.name == "Init" or self._exceeds(state, keys, role):
            return

        def begin() -> tuple[State, Thread]:
            copy = state.clone()
            owner = None if role is None else next(other for other in copy.roles if other.name == role.name)
            thread = Thread(action.name, [Frame(action.name, {}, [], owner)])
            copy.threads.append(thread)
            if any((bounds := self._bounds(key)) and bounds.max_actions for key in keys):
                copy.counts[keys[0]] = copy.counts.get(keys[0], 0) + 1
            return copy, thread

        for after, choices in self._ways(begin, action, "begin", unmet):
            yield Step(keys[0], "begin", action.fair, after, choices)

    def _ways(
        self,
        begin: Callable[[], tuple[State, Thread]],
        action: tree.Action,
        kind: str,
        unmet: list[Place] | None = None,
    ) -> Iterator[tuple[State, tuple[tuple[str, Value], ...]]]:
        """Run a thread once for each sequence of choices: each resulting state, with its choices."""
        paths: list[tuple[int, ...]] = [()]
        while paths:
            path = paths.pop()
            state, thread = begin()
            run = self._run(state, thread.frames, path)
            run.may_choose, run.continues = True, kind == "continue"
            frame = thread.frames[0]
            try:
                if kind != "continue":
                    run.push(action.body, "")
                run.run(yields=kind != "init")
                counts = run.done or run.continues or kind == "init"
            except Disabled as disabled:
                counts = False
                if unmet is not None and disabled.at not in unmet:
                    unmet.append(disabled.at)
            for number in reversed(range(len(path), len(run.widths))):
                taken = tuple(run.choices[:number])
                paths.extend((*taken, other) for other in reversed(range(1, run.widths[number])))
            if counts:
                if not thread.frames:
                    state.threads = [other for other in state.threads if other is not thread]
                if kind == "init":
                    state.heap = {name: frame.variables[name] for name in self.variables if name in frame.variables}
                if self._settle(state, action.at):
                    yield state, tuple(run.chosen)

    def _settle(self, state: State, at: Place) -> bool:
        """Settle a state; return whether its domains allow it."""
        try:
            state.settle(self.ordered)
        except Exhausted:
            return False
        except Wrong as wrong:
            fail(at, str(wrong))
        return True

    def _bounds(self, key: str) -> Bounds | None:
        return self.text.options.of_action.get(key)

    def _exceeds(self, state: State, keys: list[str], role: Instance | None) -> bool:
        running = [key for thread in state.threads for key in _keys(thread.action, thread.frames[0].owner)]
        for key in keys:
            if (bounds := self._bounds(key)) is None:
                continue
            total = state.counts.get(keys[0], 0)
            if role is not None and key == keys[-1]:
                total = sum(
                    count
                    for name, count in state.counts.items()
                    if name.startswith(f"{role.role.name}#") and name.endswith(key.removeprefix(role.role.name))
                )
            if bounds.max_actions and total >= bounds.max_actions:
                return True
            if bounds.max_concurrent_actions and running.count(key) >= bounds.max_concurrent_actions:
                return True
        return False

    # Crashes ----------------------------------------------------------------------------------------------------------

    def thread_crashed(self, state: State, number: int) -> Iterator[Step]:
        """The step in which a crash loses an unfinished action, if that is allowed."""
        thread = state.threads[number]
        bounds = [self._bounds(key) for key in _keys(thread.action, thread.frames[0].owner)]
        if self.text.options.crash_on_yield and all(bound is None or bound.crash_on_yield for bound in bounds):
            copy = state.clone()
            del copy.threads[number]
            copy.settle(self.ordered)
            yield Step(thread.name, "crash", "", copy)

    def role_crashed(self, state: State, number: int) -> Iterator[Step]:
        """The step in which a role crashes: it loses its ephemeral fields and its unfinished actions, if it has any."""
        role = state.roles[number]
        if not self.text.options.crash_on_yield or not may_crash(role.role):
            return
        copy = state.clone()
        crashed = copy.roles[number]
        crashed.fields.update({name: clone(value, {}, with_roles=False) for name, value in crashed.initial.items()})
        copy.threads = [thread for thread in copy.threads if all(frame.owner is not crashed for frame in thread.frames)]
        copy.settle(self.ordered)
        if copy.key != state.key:
            yield Step(role.name, "crash", "", copy)


def may_crash(role: tree.Role) -> bool:
    """Whether the text says which fields of a role a crash keeps or resets."""
    return role.durable is not None or role.ephemeral is not None


def _with_value(statement: tree.Statement, values: Mapping[str, Setting]) -> tree.Statement:
    """The statement that assigns a constant, with its value from `values` if there is one."""
    match statement:
        case tree.Assign(target=tree.Name(name=name)) if name in values:
            value, at = values[name], statement.value.at
            if isinstance(value, bool | int | str):
                return replace(statement, value=tree.Literal(at, value))
            return replace(statement, value=tree.Listing(at, "list", tuple(tree.Literal(at, item) for item in value)))
    return statement


def _keys(action: str, role: Instance | None) -> list[str]:
    """The names under which options can bound an action: for one instance, for each instance, or for all together."""
    if role is None:
        return [action]
    return [f"{role.name}.{action}", f"{role.role.name}#.{action}", f"{role.role.name}.{action}"]


def _assigned(statement: tree.Statement) -> list[str]:
    match statement:
        case tree.Assign(target=tree.Name(name=name)) | tree.Choose(name=name, body=None):
            return [name]
        case tree.Assign(target=tree.Listing(items=items)):
            return [item.name for item in items if isinstance(item, tree.Name)]
    return []


def _collect(value: Value, into: set[int]) -> None:
    """The identities of all mutable objects in `value`."""
    if isinstance(value, str | int | float | range) or value is None or id(value) in into:
        return
    parts: list[Value] = []
    match value:
        case list() | tuple():
            parts = list(value)
        case Dict():
            parts = [part for pair in value.pairs for part in pair]
        case Collection():
            parts = value.items
        case Record():
            parts = list(value.fields.values())
    into.add(id(value))
    for part in parts:
        _collect(part, into)
