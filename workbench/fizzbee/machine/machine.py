"""The kernel machine of a FizzBee text: the interface through which engines run it with given constants."""

import copyreg
from abc import ABCMeta
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from workbench.fizzbee.compiler.meaning import CompiledMeaning
from workbench.fizzbee.machine.properties import Assertions, row_of
from workbench.fizzbee.machine.rows import Rows
from workbench.fizzbee.machine.steps import FizzInstance, Shared, Steps, may_yield
from workbench.fizzbee.machine.symmetry import renamings_of
from workbench.fizzbee.meaning.search import search
from workbench.fizzbee.meaning.steps import Meaning
from workbench.fizzbee.meaning.values import Wrong
from workbench.kernel.meaning.constants import as_arguments
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.machine import Family, Machine
from workbench.kernel.meaning.properties import Formula, Property
from workbench.kernel.meaning.result import Verdict
from workbench.kernel.meaning.state import Layout, Reader, State
from workbench.kernel.meaning.steps import Fairness, PlainVariable, PropertyInstance

#: The interpreter's own search gives up beyond this many states, and its properties stay unknown.
MOST_SETTLED = 10_000


class _Ends(NamedTuple):
    """Tells engines to ask :meth:`FizzMachine.may_end`; no author has written a function for it."""

    function: None = None


class FizzClass(ABCMeta):
    """The metaclass of machines. It pickles a class as its text, from which another process makes the class again."""

    opened_by: Any


def _opened_by(machine_class: FizzClass) -> Any:
    return machine_class.opened_by


copyreg.pickle(FizzClass, _opened_by)


class FizzMachine(Machine, metaclass=FizzClass):
    """A specification with its constants; a subclass for each text."""

    text: ClassVar[str]
    file: ClassVar[str]
    family: ClassVar[Family]
    instances: Sequence[FizzInstance]
    most_tried = 1_000  # the interpreter takes milliseconds for each

    def __init__(self, /, **constants: Any) -> None:
        self.author = self
        self.constants = self.family.parsed(constants)
        try:
            self._meaning = Meaning(self.text, self.file, self.constants)
            initial = self._meaning.initial()
            rows = self._rows = Rows(self._meaning, initial)
            self._initial = [rows.row(state) for state in initial]
        except (ModelError, Wrong) as error:
            raise InputError(str(error)) from None
        shared = Shared(CompiledMeaning(self._meaning, initial), rows, self.text)
        yields = may_yield(self._meaning.text, rows.nodes)
        steps = Steps(shared, yields)
        self.layout: Layout = rows.layout
        self.actions, self.instances = steps.actions, steps.instances
        self._members, self._crashes = steps.members, steps.crashes
        self._assertions = Assertions(shared, steps.crashes)
        self.properties, self.constraints = self._assertions.properties, {}
        self._fairness = _fairness(steps.instances, self._meaning)
        if steps.crashes:
            self._fairness.append(Fairness("crash", False, steps.crashes, assumed=False))
        self.declared = replace(
            self.family,
            symmetry=tuple(rows.sets),
            reduced=bool(rows.sets),
            ends=None if rows.begun is None else _Ends(),
            variables={
                name: PlainVariable(rows.role_of.get(name), ghost=name in rows.ghosts) for name in rows.layout.positions
            },
            processes=steps.processes,
            actions=self.actions,
            properties=self.properties,
        )

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(as_arguments(self.differing(), self.declared.constants))})"

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), dict(self.constants))

    @property
    def sources(self) -> Mapping[str, str]:  # type: ignore[override]
        return {self.file: self.text}

    def with_constants(self, constants: Mapping[str, Any]) -> Machine:
        return type(self)(**constants)

    def members(self, domain: str) -> tuple[Any, ...]:
        return self._members[domain]

    def each_initial_state(self) -> Iterator[Any]:
        return (self.state(row) for row in self._initial)

    @property
    def begun(self) -> int | None:
        """The cell that counts the actions begun so far; None if the text does not bound them."""
        return self._rows.begun

    def may_end(self, state: Reader) -> bool:
        """Whether the text's bound on actions is reached; a state without a next one is then no deadlock."""
        return self.begun is not None and row_of(state)[self.begun] >= self._meaning.text.options.max_actions

    @property
    def fairness(self) -> Sequence[Fairness]:
        return self._fairness

    # Symmetry ---------------------------------------------------------------------------------------------------

    def exchanged(self, name: str) -> Sequence[str]:
        return self._rows.sets[name]

    def renamings(self, sets: Sequence[str] | None = None) -> list[dict[str, str]]:
        names = self.symmetry if sets is None else self.declared.symmetric_sets("sets", sets)
        return renamings_of(self._meaning, self._rows.roles, {name: self._rows.sets[name] for name in names})

    # Properties -------------------------------------------------------------------------------------------------

    def _judging(self, declared: Property) -> list[PropertyInstance]:
        return self._assertions.judges(self, declared, self.instances)

    def formulas(self, name: str) -> list[tuple[tuple[Any, ...], Formula]]:
        crash = len(self._fairness) - 1 if self._crashes else None
        return [((), self._assertions.formula(name, crash))]

    def why_false(self, declared: Property, states: Sequence[State]) -> str:
        return self._assertions.why_false(declared.name, states) or super().why_false(declared, states)

    def settled(self, declared: Property, states: int) -> Verdict | None:
        """The verdict of the interpreter's own search; None if it gives up or cannot decide."""
        if declared.name not in self._assertions.settled:
            return None
        result = search(self._meaning, MOST_SETTLED)
        if not result.is_whole or declared.name in result.undecided:
            return None
        how = "decided by the interpreter's own search"
        if declared.name not in result.violated:
            return Verdict(declared.name, "liveness", True, why=how)
        steps = [step.name for step in result.violated[declared.name]]
        return Verdict(declared.name, "liveness", False, why=f"a fair behaviour goes round after {steps}; {how}")


def _rebuilt(machine_class: type[FizzMachine], constants: Mapping[str, Any]) -> FizzMachine:
    return machine_class(**constants)


def _fairness(instances: Sequence[FizzInstance], meaning: Meaning) -> list[Fairness]:
    """A fairness condition for each fair action, separate for each instance of a role."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for instance in instances:
        if instance.kind == "crash":
            continue
        owner, _, name = instance.action.name.removesuffix(".continue").rpartition(".")
        actions = meaning.text.roles[owner].actions if owner else meaning.text.actions
        if fair := actions[name].fair:
            numbers.setdefault((instance.label.removesuffix(".continue"), fair), []).append(instance.number)
    return [Fairness(label, fair == "strong", frozenset(members)) for (label, fair), members in numbers.items()]
