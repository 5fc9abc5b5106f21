"""A state: the variables, the roles reachable from them, and the unfinished actions."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from workbench.fizzbee.meaning.domains import renumbering
from workbench.fizzbee.meaning.symmetry import symmetric_in
from workbench.fizzbee.meaning.values import (
    Domain,
    Instance,
    ModelValue,
    Sharing,
    Value,
    Wrong,
    canonical,
    clone,
    fields_text,
)  # fmt: skip
from workbench.fizzbee.syntax import tree


@dataclass(slots=True, eq=False)
class Work:
    """A block or a loop in progress.

    Attributes:
        flow: The flow in which its statements run.
        left: The statements (of a block) or members (of a loop) still to come.
    """

    node: tree.Block | tree.For | tree.While
    flow: str
    left: list[Value]


@dataclass(slots=True, eq=False)
class Frame:
    """A call of an action or a function.

    Attributes:
        owner: The instance bound to ``self``.
        target: Where the caller stores the result.
        starts: Whether the call is a role's Init.
    """

    name: str
    variables: dict[str, Value]
    work: list[Work]
    owner: Instance | None = None
    target: tree.Expression | None = None
    starts: bool = False


@dataclass(slots=True, eq=False)
class Thread:
    """An action in progress: its name, with that of its role and the instance's number, and its call frames."""

    action: str
    frames: list[Frame]

    @property
    def name(self) -> str:
        owner = self.frames[0].owner if self.frames else None
        return self.action if owner is None else f"{owner.name}.{self.action}"


@dataclass(slots=True, eq=False)
class State:
    """A state. Two states are the same if their keys are equal.

    Attributes:
        counts: How often each bounded action has begun.
        key: The canonical text; set when the state is settled.
    """

    heap: MutableMapping[str, Value] = field(default_factory=dict)
    roles: list[Instance] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    key: str = ""

    def clone(self, replaced: Mapping[int, Value] = MappingProxyType({})) -> "State":
        """A copy to run a step in. Objects shared here are shared in the copy; some, by identity, are replaced."""
        memo = dict(replaced)
        return State(
            {name: clone(value, memo) for name, value in self.heap.items()},
            [clone(role, memo) for role in self.roles],
            [Thread(thread.action, [_copied(frame, memo) for frame in thread.frames]) for thread in self.threads],
            dict(self.counts),
        )

    def settle(self, domains: Iterable[Domain] = ()) -> None:
        """Drop unreachable roles, number the values of ordered domains, and compute the key.

        The key has everything that a later step can read, including which variables share an object.

        Raises:
            Wrong: If a value cannot be part of a state.
            Exhausted: If a domain does not allow its values together.
        """
        self._describe()
        for domain in domains:
            self._renumber(domain)

    def symmetric(self, running: Sequence[Frame] = ()) -> Iterator[ModelValue]:
        """The symmetric values in the state and in frames that run, with repetitions."""
        frames = [*running, *(frame for thread in self.threads for frame in thread.frames)]
        fields = [fields for role in self.roles for fields in (role.fields, role.initial)]
        held = [self.heap, *fields, *(frame.variables for frame in frames)]
        left = [work.left for frame in frames for work in frame.work]
        for value in (left, *(list(variables.values()) for variables in held)):
            yield from symmetric_in(value)

    def _renumber(self, domain: Domain) -> None:
        for role in self.roles:
            if any(value.domain for value in symmetric_in(list(role.initial.values()))):
                raise Wrong(f"a crash of {role.name} would set a value of an ordered domain")
        values = [value for value in self.symmetric() if value.domain is domain]
        numbers = renumbering(domain, {value.number for value in values})
        copy = self.clone({id(v): ModelValue(v.name, numbers[v.number], True, domain) for v in values})
        self.heap, self.roles, self.threads = copy.heap, copy.roles, copy.threads
        self._describe()

    def _describe(self) -> None:
        self.sort_threads()
        sharing = Sharing()
        parts = [fields_text(self.heap, sharing), *(_text(thread, sharing) for thread in self.threads)]
        for role in sharing.roles:  # grows as fields of roles lead to further roles
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
