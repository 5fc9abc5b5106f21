"""The steps of a text: an action, of a role or of none, begins, continues or crashes, or a role crashes."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbench.fizzbee.machine.rows import Rows, RowState
from workbench.fizzbee.machine.values import FizzNotation, freeze
from workbench.fizzbee.meaning.steps import Meaning, Step, may_crash
from workbench.fizzbee.meaning.threads import YIELDING
from workbench.fizzbee.syntax import tree
from workbench.kernel.meaning.parameters import Parameters
from workbench.kernel.meaning.state import Values
from workbench.kernel.meaning.steps import ActionInstance, Outcome, PlainAction, PlainProcess
from workbench.kernel.meaning.values import Name

#: Yields the steps from a state, and appends the places of the requirements that failed to the list.
Run = Callable[[RowState, list[tree.Place]], Iterator[Step]]
NOTATION = FizzNotation()


class FizzInstance(ActionInstance):
    """A step of a text.

    Attributes:
        kind: ``begin``, ``continue`` or ``crash``.
    """

    def __init__(
        self, number: int, action: PlainAction, arguments: Sequence[Any], kind: str, run: Run, machine: "Shared"
    ) -> None:
        self.kind, self._run, self._shared = kind, run, machine
        super().__init__(number, action, arguments, NOTATION)

    def _call_it(self, text: Callable[[Any], str]) -> None:
        """The label is FizzBee's name, such as ``Writer#0.Commit``."""
        super()._call_it(text)
        if self.arguments:
            self.label = text(self.arguments[0]) + self.action.name.removeprefix(self.arguments[0].partition("#")[0])

    def label_with(self, choices: Sequence[tuple[str, Any]]) -> str:
        show = self.notation.show
        chosen = ", ".join(f"{name}={show(value)}" if name else show(value) for name, value in choices)
        return f"{self.label}({chosen})" if choices else self.label

    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        rows, most = self._shared.rows, self._shared.meaning.text.options.max_actions
        begun = rows.begun if self.kind == "begin" else None
        if begun is not None and before[begun] >= most:
            return [], [f"{most} actions have begun, which the text's max_actions allows"]
        outcomes, unmet = list[Outcome](), list[tree.Place]()
        for step in self._run(RowState(rows, before), unmet):
            assert isinstance(step.state, RowState)
            writes = dict(step.state.writes)
            if begun is not None:
                writes[begun] = before[begun] + 1
            choices = tuple((name, freeze(value)) for name, value in step.choices)
            if len(choices) > 1:
                names = Counter(name for name, _ in choices)
                self.chosen_twice.update(name for name, count in names.items() if count > 1)
            outcomes.append(Outcome(choices, writes))
        return outcomes, [f"{self._shared.lines[at.line - 1].strip()} ({at})" for at in unmet]


class Shared:
    """What all steps of a machine share."""

    def __init__(self, meaning: Meaning, rows: Rows, text: str) -> None:
        self.meaning, self.rows, self.lines = meaning, rows, text.split("\n")


class Steps:
    """Builds the steps of a text, for each instance of its roles.

    Attributes:
        members: The roles of each kind.
        crashes: The numbers of the steps that are crashes.
    """

    def __init__(self, shared: Shared, yields: bool) -> None:
        self._shared, self._yields = shared, yields
        self.actions: dict[str, PlainAction] = {}
        self.instances: list[FizzInstance] = []
        roles = shared.rows.roles
        self.members = {
            role.role.name: tuple(Name(other.name) for other in roles if other.role is role.role) for role in roles
        }
        self.processes = {name: PlainProcess(name, name) for name in self.members}
        for action in shared.meaning.text.actions.values():
            if action.name != "Init":
                self._add_action(action, None)
        for number, role in enumerate(roles):
            for action in role.role.actions.values():
                if action.name != "Init":
                    self._add_action(action, number)
        if shared.meaning.text.options.crash_on_yield:
            for number, role in enumerate(roles):
                if may_crash(role.role):
                    self._add("", number, "crash", "", _role_crash(shared.meaning, number))
        self.crashes = frozenset(instance.number for instance in self.instances if instance.kind == "crash")

    def _add_action(self, action: tree.Action, role: int | None) -> None:
        meaning = self._shared.meaning
        place = f" ({action.at})"
        self._add(action.name, role, "begin", place, _begin(meaning, action, role))
        if self._yields:
            name = action.name if role is None else f"{self._shared.rows.roles[role].name}.{action.name}"
            self._add(action.name, role, "continue", place, _continue(meaning, name))
            if meaning.text.options.crash_on_yield:
                self._add(action.name, role, "crash", place, _crash(meaning, name))

    def _add(self, name: str, role: int | None, kind: str, place: str, run: Run) -> None:
        owner = None if role is None else self._shared.rows.roles[role]
        parts = ["" if owner is None else owner.role.name, name, "" if kind == "begin" else kind]
        full = ".".join(filter(None, parts))
        if full not in self.actions:
            process = None if owner is None else self.processes[owner.role.name]
            parameters = Parameters() if owner is None else Parameters([(("self",), owner.role.name)])
            self.actions[full] = PlainAction(full, parameters, place=place, process=process, stutters=True)
        arguments = () if owner is None else (Name(owner.name),)
        self.instances.append(FizzInstance(len(self.instances), self.actions[full], arguments, kind, run, self._shared))


def _begin(meaning: Meaning, action: tree.Action, role: int | None) -> Run:
    return lambda state, unmet: meaning.begun(state, None if role is None else state.roles[role], action, unmet)


def _continue(meaning: Meaning, name: str) -> Run:
    return lambda state, unmet: (
        step
        for number, thread in enumerate(state.threads)
        if thread.name == name
        for step in meaning.continued(state, number, unmet)
    )


def _crash(meaning: Meaning, name: str) -> Run:
    return lambda state, unmet: (
        step
        for number, thread in enumerate(state.threads)
        if thread.name == name
        for step in meaning.thread_crashed(state, number)
    )


def _role_crash(meaning: Meaning, number: int) -> Run:
    return lambda state, unmet: meaning.role_crashed(state, number)


def may_yield(text: tree.Specification, nodes: Sequence[tree.Node]) -> bool:
    """Whether some action of the text may yield before its end. An Init or an assertion never does."""
    never = {id(text.actions["Init"].body), *(id(assertion.body) for assertion in text.assertions.values())}
    return any(
        isinstance(node, tree.Block | tree.For | tree.While) and node.flow in YIELDING and id(node) not in never
        for node in nodes
    )
