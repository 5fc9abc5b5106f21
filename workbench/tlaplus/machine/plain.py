"""The check of a machine's specification by the plain evaluator, as a result of the usual form.

States, steps and verdicts are those of ``workbench.tlaplus.meaning``. The machine only lends its actions, so that a
behaviour is shown with their names: a step that the machine does not have is an error, never a verdict.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.kernel.meaning.budget import Budget, Limits, Watch
from workbench.kernel.meaning.errors import InputError, ModelError, brief
from workbench.kernel.meaning.interrupts import interrupted, interruptible
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.result import Result, Verdict, bounds_of
from workbench.kernel.meaning.trace import Step, Trace, steps_of
from workbench.kernel.meaning.values import Map, Name, identity
from workbench.tlaplus.config.config import Configured
from workbench.tlaplus.config.constants import as_values
from workbench.tlaplus.meaning import values as plain
from workbench.tlaplus.meaning.environment import State
from workbench.tlaplus.meaning.liveness import Decided, decide
from workbench.tlaplus.meaning.opening import Opened, opened
from workbench.tlaplus.meaning.search import DEADLOCK, Failed, Graph, search
from workbench.tlaplus.meaning.standard import EXTENDED, MODULES
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.string_order import words_in
from workbench.tlaplus.syntax.cfg_parser import CfgEntry
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.values import spelling, text


class Plain:
    """A specification with its constants, for the plain evaluator.

    Attributes:
        opened: What the evaluator is asked with.
    """

    def __init__(self, machine: Machine, configured: Configured) -> None:
        self._machine = machine
        self._names = [variable.name for variable in configured.specification.variables]
        self.opened = _opened(configured, machine.constants)

    @interruptible()
    def check(self, budget: Budget = Budget(), watch: Watch = Watch()) -> Result:
        """The verdicts on what the configuration asks, over all states: SYMMETRY leaves none out.

        Args:
            budget, watch: Those of :func:`workbench.check`; bytes are not counted.

        Raises:
            ModelError: For an error of evaluation, with the behaviour that leads there, if nothing is decided beside
                it.
            InputError: For a specification without a behaviour, or a false ASSUME.
        """
        limits = Limits(budget, watch)

        def heed(graph: Graph) -> None:
            limits.room(len(graph.states))
            waiting = len(graph.states) - len(graph.successors)
            limits.check(len(graph.levels), len(graph.states), waiting, lambda: 0, graph.levels)

        with limits.in_force():
            graph = search(self.opened, heed)
            decided = decide(self.opened, graph)
        error = None if graph.failed is None else self._error(graph.failed)
        verdicts = [*self._of_states(graph), *(self._of_property(one, graph) for one in decided)]
        if error is not None and all(verdict.holds is None for verdict in verdicts):
            raise error
        return Result(
            engine="plain",
            stopped=graph.stopped if error is None else limits.why(error),
            error=error,
            generated=graph.generated,
            levels=graph.levels,
            actions=[],
            outside=len(graph.pruned),
            model=self._machine,
            symmetry=(),
            verdicts=verdicts,
            seconds=limits.seconds,
            peak_bytes=0,
            notes=[],
            interrupted=interrupted(),
        )

    def _of_states(self, graph: Graph) -> list[Verdict]:
        """The verdicts on invariants and deadlock."""
        within = bounds_of(self._machine, len(graph.pruned))
        asked = {entry.value: "invariant" for entry in self.opened.cfg.invariants}
        if DEADLOCK in self._machine.properties:
            asked[DEADLOCK] = "deadlock"

        def verdict(name: str, kind: str) -> Verdict:
            if name in graph.violations:
                return Verdict(name, kind, False, self.trace(graph.violations[name].trace))
            if graph.failed is not None or graph.stopped is not None:
                return Verdict(
                    name, kind, None, why=f"the search is incomplete: {graph.stopped or 'an error ended it'}"
                )
            return Verdict(name, kind, True, within=within)

        return [verdict(name, kind) for name, kind in asked.items()]

    def _of_property(self, decided: Decided, graph: Graph) -> Verdict:
        trace = self.trace(decided.trace, decided.loop) if decided.trace else None
        within = bounds_of(self._machine, len(graph.pruned)) if decided.holds else None
        why = (decided.why or None) if decided.holds is None else None
        return Verdict(decided.name, "liveness", decided.holds, trace, why, within)

    def _error(self, failed: Failed) -> ModelError:
        error = ModelError(str(failed.failure))
        if failed.trace:
            error.trace = self.trace(failed.trace)
            error.add_note(f"It is met in the last state, or step, of this behaviour:\n{error.trace}")
        return error

    # Behaviours --------------------------------------------------------------------------------------------------

    def trace(self, states: tuple[State, ...], loop: int | None = None) -> Trace:
        """A behaviour as the machine shows it.

        Args:
            loop: The index of the state that follows the last one, as :class:`Decided` has it.

        Raises:
            ModelError: If the machine does not begin so, or has no such step.
        """
        first, *others = map(self._key_of_plain, states)
        begins = ((n, s) for n, s in enumerate(self._machine.each_initial_state()) if self._key(s) == first)
        start, state = next(begins, (0, None))
        if state is None:
            raise ModelError(f"{self._machine.name}: the machine has no initial state {_written(states[0])}")
        steps = [Step(state)]
        for key, target in zip(others, states[1:], strict=True):
            steps.append(self._step(steps[-1], key, target))
        last = len(steps) - 1
        back = None
        if loop is not None and loop < last:
            back = self._step(steps[-1], self._key(steps[loop].state), states[loop])
        return Trace(self._machine, start, tuple(steps), loop, back)

    def _step(self, before: Step, key: Any, target: State) -> Step:
        """The machine's step to a state."""
        for instance in self._machine.instances:
            for step in steps_of(self._machine, instance, before.state):
                if self._key(step.state) == key:
                    return step
        raise ModelError(f"{self._machine.name}: the machine has no step from {before.state} to {_written(target)}")

    def _key(self, state: Any) -> Any:
        return [identity(force(getattr(state, name))) for name in self._names]

    def _key_of_plain(self, state: State) -> Any:
        values = {variable.name: value for variable, value in state.items()}
        return [identity(as_kernel(values[name])) for name in self._names]


def _opened(configured: Configured, constants: Mapping[str, Any]) -> Opened:
    """The plain evaluator's reading of the same texts, with these constants."""
    assert configured.opened_by is not None
    name, texts, *_ = configured.opened_by[1]
    library = Library((), MODULES, EXTENDED, dict(texts))
    specification, cfg = load(name, library), configured.cfg
    given = {
        one: CfgEntry(_as_configured(one, value), 1)
        for one, value in as_values(constants, configured.constants).items()
    }
    spellings = [*cfg.words, *words_in(specification.module, library)]
    return opened(specification, replace(cfg, constants={**cfg.constants, **given}), spellings)


def _as_configured(name: str, value: Any) -> Any:
    """A constant's value in the form in which a configuration's is read: a set is a tuple.

    Raises:
        InputError: For a value that no configuration can write.
    """
    if isinstance(value, frozenset):
        return tuple(_as_configured(name, member) for member in value)
    if isinstance(value, (bool, int, Name)):
        return value
    if isinstance(value, str):
        return spelling(value)
    raise InputError(f"{name} = {brief(value)} is not accepted here: a .cfg cannot write it")


def as_kernel(value: Any) -> Any:
    """A value of the plain evaluator in the form in which the machine's states hold it."""
    if isinstance(value, (plain.Boolean, plain.Number)):
        return value.value
    if isinstance(value, plain.String):
        return text(value.spelling)
    if isinstance(value, plain.ModelValue):
        return Name(value.spelling)
    if isinstance(value, plain.Set):
        return frozenset(map(as_kernel, value.members))
    assert isinstance(value, plain.Function)
    if plain.is_sequence(value):
        return tuple(map(as_kernel, value.results))
    return Map([(as_kernel(argument), as_kernel(result)) for argument, result in value.pairs])


def as_plain(value: Any, words: plain.Words) -> Any:
    """A value of the machine's states in the form of the plain evaluator."""
    if isinstance(value, bool):
        return plain.Boolean(value)
    if isinstance(value, int):
        return plain.Number(value)
    if isinstance(value, Name):
        return plain.ModelValue(value, words)
    if isinstance(value, str):
        return plain.String(spelling(value), words)
    if isinstance(value, frozenset):
        return plain.set_of(as_plain(member, words) for member in value)
    if isinstance(value, tuple):
        return plain.sequence_of([as_plain(item, words) for item in value])
    return plain.function_of([(as_plain(key, words), as_plain(value[key], words)) for key in value])


def _written(state: State) -> str:
    return ", ".join(f"{variable.name} = {value}" for variable, value in state.items())
