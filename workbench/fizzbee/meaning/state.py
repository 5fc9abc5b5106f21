"""A state: the variables, the roles that they reach, and the actions that have begun and not ended."""

from collections.abc import MutableMapping
from dataclasses import dataclass, field

from workbench.fizzbee.meaning.values import Instance, Sharing, Value, canonical, clone, fields_text
from workbench.fizzbee.syntax import tree


@dataclass(slots=True, eq=False)
class Work:
    """A block or a loop that is being run.

    Attributes:
        flow: That of the statements in it.
        left: Of a block the statements to come, of a loop the members.
    """

    node: tree.Block | tree.For | tree.While
    flow: str
    left: list[Value]


@dataclass(slots=True, eq=False)
class Frame:
    """A call of an action or a function.

    Attributes:
        owner: The instance that ``self`` is.
        target: What the caller assigns the result to.
        starts: Whether it is the Init of a role.
    """

    name: str
    variables: dict[str, Value]
    work: list[Work]
    owner: Instance | None = None
    target: tree.Expression | None = None
    starts: bool = False


@dataclass(slots=True, eq=False)
class Thread:
    """An action that is being run: its name, its role's and its number, and its frames."""

    action: str
    frames: list[Frame]

    @property
    def name(self) -> str:
        owner = self.frames[0].owner if self.frames else None
        return self.action if owner is None else f"{owner.name}.{self.action}"


@dataclass(slots=True, eq=False)
class State:
    """A state; two are the same if their keys are.

    Attributes:
        counts: How often the actions whose number is limited have begun.
        key: The canonical text, once the state is settled.
    """

    heap: MutableMapping[str, Value] = field(default_factory=dict)
    roles: list[Instance] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    key: str = ""

    def clone(self) -> "State":
        """A copy to run a step in: what is one object here is one object there."""
        memo: dict[int, Value] = {}
        return State(
            {name: clone(value, memo) for name, value in self.heap.items()},
            [clone(role, memo) for role in self.roles],
            [Thread(thread.action, [_copied(frame, memo) for frame in thread.frames]) for thread in self.threads],
            dict(self.counts),
        )

    def settle(self) -> None:
        """Drop the roles that nothing reaches, and write the key.

        What a later step can read is in the key: which variables hold one object too.

        Raises:
            Wrong: If a value cannot be part of a state.
        """
        self.sort_threads()
        sharing = Sharing()
        parts = [fields_text(self.heap, sharing), *(_text(thread, sharing) for thread in self.threads)]
        for role in sharing.roles:  # grows while roles are met in the fields of others
            initial = fields_text(role.initial, sharing)
            parts.append(f"{role.name}:{fields_text(role.fields, sharing)};{initial}")
        self.roles = [role for role in self.roles if role in sharing.roles]
        self.key = "\n".join([*parts, repr(sorted(self.counts.items()))])

    def sort_threads(self) -> None:
        """Threads have no order of their own."""
        self.threads.sort(key=lambda thread: _text(thread, None))


def _copied(frame: Frame, memo: dict[int, Value]) -> Frame:
    return Frame(
        frame.name,
        {name: clone(value, memo) for name, value in frame.variables.items()},
        [Work(work.node, work.flow, [clone(item, memo) for item in work.left]) for work in frame.work],
        None if frame.owner is None else clone(frame.owner, memo),
        frame.target,
        frame.starts,
    )


def _text(thread: Thread, sharing: Sharing | None) -> str:
    parts = [thread.action]
    for frame in thread.frames:
        owner = "" if frame.owner is None else canonical(frame.owner, sharing)
        parts.append(f"{owner}.{frame.name}({fields_text(frame.variables, sharing)})")
        for work in frame.work:
            left = ",".join([canonical(item, sharing) for item in work.left])
            parts.append(f"{work.node.at.line}:{work.node.at.column}[{left}]")
    return " ".join(parts)
