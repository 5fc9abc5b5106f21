"""The parts of a machine: declarations, steps with their outcomes, fairness, and judges of states and steps."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from workbench.kernel.meaning.errors import ModelError, brief, call, checked, impure
from workbench.kernel.meaning.notation import PYTHON, Notation
from workbench.kernel.meaning.parameters import Parameters
from workbench.kernel.meaning.properties import Formula, Property, Step
from workbench.kernel.meaning.state import Reader, Values, seen
from workbench.kernel.meaning.values import identity

# Declarations --------------------------------------------------------------------------------------------------------


class DeclaredProcess(Protocol):
    """A process, as commands, panels, pictures and formats read it.

    Attributes:
        per: The set whose members each have a process of their own; None for a single one.
        pc: The variable that says where it is, its program counter; "" for none.
        fair: "weak" or "strong" if the disjunction of its actions is fair; None, or False, if it is not.
        doc: "" for none.
    """

    @property
    def name(self) -> str: ...
    @property
    def per(self) -> str | None: ...
    @property
    def pc(self) -> str: ...
    @property
    def fair(self) -> str | bool | None: ...
    @property
    def doc(self) -> str: ...


class DeclaredAction(Protocol):
    """An action, as engines, commands, panels, pictures and formats read it.

    If it has a `function`, traces for TLC's tools contain the place of that function.

    Attributes:
        doc: The description; "" if there is none.
        place: The file and line, as " (file:line)"; "" if unknown.
        process: The process that takes it; None if no process does.
        needs: The condition on the constants under which it exists, as people read it; "" if there is none.
        fair: "weak" or "strong" if each of its instances is fair by itself; False if its process's fairness excludes
            it; None if it is as fair as its process.
        fair_when: Set if fairness counts only some of its steps; otherwise None.
        stutters: Whether it may change nothing, on purpose.
    """

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> Parameters: ...
    @property
    def doc(self) -> str: ...
    @property
    def place(self) -> str: ...
    @property
    def process(self) -> DeclaredProcess | None: ...
    @property
    def needs(self) -> str: ...
    @property
    def fair(self) -> str | bool | None: ...
    @property
    def fair_when(self) -> Any: ...
    @property
    def stutters(self) -> bool | None: ...


class DeclaredVariable(Protocol):
    """The interface of a variable for panels, pictures and audits.

    Attributes:
        per: The index set, whose members :meth:`Machine.members` gives; None if the variable has a single cell.
        ghost: Whether pictures omit it, because it only bounds or records the run.
        initial: The initial value, if all cells share one; pictures may omit cells that have it.
        doc: Its description; "" if it has none.
    """

    @property
    def per(self) -> str | None: ...
    @property
    def ghost(self) -> bool: ...
    @property
    def initial(self) -> Any: ...
    @property
    def doc(self) -> str: ...


@dataclass(frozen=True)
class PlainProcess:
    """A :class:`DeclaredProcess` of a machine that needs nothing else."""

    name: str
    per: str | None = None
    pc: str = ""
    fair: str | bool | None = None
    doc: str = ""


@dataclass(frozen=True)
class PlainAction:
    """A :class:`DeclaredAction` of a machine that needs nothing else."""

    name: str
    parameters: Parameters = field(hash=False, default_factory=Parameters)
    doc: str = ""
    place: str = ""
    process: DeclaredProcess | None = None
    needs: str = ""
    fair: str | bool | None = None
    fair_when: Any = None
    stutters: bool = False


@dataclass(frozen=True)
class PlainVariable:
    """A :class:`DeclaredVariable` of a machine that needs nothing else."""

    per: str | None = None
    ghost: bool = False
    initial: Any = None
    doc: str = ""


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
        """A key that outcomes share if they make the same choices, write the same values and are counted alike."""
        return identity(self.choices), {cell: identity(value) for cell, value in self.writes.items()}, self.counted

    def counts(self, condition: int) -> bool:
        """Whether a fairness condition of its action counts it."""
        return self.counted is None or condition in self.counted


class Actor(NamedTuple):
    """The actor of a step: a process, or one of its members if each member has a process."""

    process: str
    member: Any = None


class ActionInstance(ABC):
    """An action with its parameters bound, as one of a machine's numbered steps.

    Args:
        notation: The notation of arguments.

    Attributes:
        number: The position in :attr:`Machine.instances`; stable for given constants.
        label (str): Such as ``begin_claim(w1)``.
        actor (Actor or None): The actor that takes the step.
        lane (str): The same as people read it: the member, the process, or "" if there is none. A member that is in
            several processes has one lane.
        chosen_twice: The names of choices that a run of it has made more than once.
        former: The name that its action had in the last version, which recordings may still use; "" if it has kept it.
    """

    former = ""

    def __init__(
        self, number: int, action: DeclaredAction, arguments: Sequence[Any], notation: Notation = PYTHON
    ) -> None:
        self.number, self.action, self.arguments, self.notation = number, action, tuple(arguments), notation
        process = action.process
        self.actor = None if process is None else Actor(process.name, self.arguments[0] if process.per else None)
        self.chosen_twice: set[str] = set()
        self._call_it(notation.show)

    @abstractmethod
    def run(self, before: Values) -> tuple[list[Outcome], list[str]]:
        """All outcomes in the state with the row `before`, in a fixed order, and why branches are disabled.

        It must depend only on the cells that it reads in `before`. Every engine calls it.
        """

    def overlooking(self, before: Values) -> list[tuple[Outcome, list[str]]]:
        """The outcomes that it would have without its requirements, each with the requirements that fail.

        Recordings and refinements use it to say what is missing. A language that cannot tell returns none.
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
        """A key shared by instances of one action with the same arguments, whatever the other constants are."""
        return self.action.name, identity(self.arguments)

    def named(self, choices: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The parameters with their arguments, those of the actor first, then the `choices`; an unnamed one is ""."""
        return [*zip(self.action.parameters, self.arguments, strict=True), *choices]

    @property
    def together(self) -> int:
        """How many leading arguments a label shows without their names, since they are members of the same set."""
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

    def former_names(self, choices: Sequence[tuple[str, Any]]) -> Sequence[str]:
        """The names in the last version of the step that makes these `choices`; none if it has kept its own."""
        if not self.former:
            return ()
        labels = self.action.name, self.label, ActionInstance.label_with(self, choices)
        return [self.former + label.removeprefix(self.action.name) for label in labels]

    def actor_of(self, choices: Sequence[tuple[str, Any]], states: tuple[Any, Any] | None = None) -> Actor | None:
        """The actor of the step with these `choices` between two states.

        Args:
            states: The states before and after; if None, the result is None too unless all states give the same actor.
        """
        return self.actor

    @property
    def labels_begin(self) -> str:
        """The beginning of the labels of all steps that make choices."""
        return f"{self.label[:-1]}, " if self.arguments else f"{self.label}("

    @property
    def alone(self) -> DeclaredProcess | None:
        """The process that takes the step, if it is a single process; None for one per member, or no process."""
        process = self.action.process
        return None if process is None or process.per is not None else process

    def label_with(self, choices: Sequence[tuple[str, Any]]) -> str:
        """The label of a step that makes these `choices`."""
        if not choices:
            return self.label
        show = self.notation.show
        chosen = ", ".join(f"{name}={show(value)}" if name else show(value) for name, value in choices)
        return f"{self.label[:-1]}, {chosen})" if self.arguments else f"{self.label}({chosen})"

    @property
    def who(self) -> Any:
        """A key for the actor. A member is one actor, whichever of its processes takes the step."""
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
        enabled: Whether it is enabled in a state; None: where a step that it counts changes the state. For a condition
            that is enabled by more than single steps, as ``WF_v(A)`` is where A has a definition of its own.
        assumed: Whether every behaviour meets it. Otherwise it is there for formulas, which name it, and it says itself
            where it is enabled if that matters to them.
    """

    label: str
    strong: bool
    actions: frozenset[int]
    enabled: Callable[[Reader], bool] | None = None
    assumed: bool = True


def met_by(fairness: Sequence[Fairness], formula: Formula) -> list[int]:
    """The numbers of the conditions that are met by every behaviour that breaks a formula."""
    return [number for number, condition in enumerate(fairness) if condition.assumed or number in formula.unless]


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
