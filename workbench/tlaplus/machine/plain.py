"""A machine's specification explored by the plain evaluator: the search of the engine ``reference``.

States, steps and verdicts are those of ``workbench.tlaplus.meaning``. The machine only lends its actions, so that a
behaviour is shown with their names: a step that the machine does not have is an error, never a verdict.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from workbench.kernel.meaning.budget import Limits
from workbench.kernel.meaning.conclusion import Exploration
from workbench.kernel.meaning.errors import InputError, ModelError, Stop, brief
from workbench.kernel.meaning.lasso import trap
from workbench.kernel.meaning.machine import Machine
from workbench.kernel.meaning.plan import Plan
from workbench.kernel.meaning.properties import Property
from workbench.kernel.meaning.result import Verdict
from workbench.kernel.meaning.trace import Step, Trace, steps_of
from workbench.kernel.meaning.values import Map, Name, identity
from workbench.tlaplus.config.config import Configured
from workbench.tlaplus.config.constants import as_values
from workbench.tlaplus.machine.counting import Counting
from workbench.tlaplus.machine.properties import whole
from workbench.tlaplus.meaning import values as plain
from workbench.tlaplus.meaning.environment import State
from workbench.tlaplus.meaning.liveness import decide
from workbench.tlaplus.meaning.opening import Opened, opened
from workbench.tlaplus.meaning.search import DEADLOCK, Graph, Options, behaviour_of, search
from workbench.tlaplus.meaning.standard import EXTENDED, MODULES
from workbench.tlaplus.names.loader import Library, load
from workbench.tlaplus.names.questions import asking
from workbench.tlaplus.names.string_order import words_in
from workbench.tlaplus.syntax.cfg_parser import Cfg, CfgEntry
from workbench.tlaplus.values.lazy import force
from workbench.tlaplus.values.values import spelling, text

#: Per state, roughly: its values, and the search's entries.
_BYTES_PER_STATE = 1000

#: The plain evaluator is slow, so it gives up beyond this many states, and its properties stay unknown.
MOST_SETTLED = 10_000


class Plain:
    """A specification with its constants, for the plain evaluator.

    Attributes:
        opened: The specification as the evaluator uses it.
    """

    def __init__(self, machine: Machine, configured: Configured) -> None:
        self._machine = machine
        self._names = [variable.name for variable in configured.specification.variables]
        self.opened = _opened(configured, machine.constants)
        self._is_too_large = False

    def explore(self, plan: Plan, limits: Limits) -> Exploration:
        """Run the search that `plan` describes.

        Raises:
            InputError: For a specification without a behaviour, or a false ASSUME.
        """
        opened = replace(self.opened, cfg=self._asked(plan.properties))
        counting = Counting(self._machine, self._key, self._key_of_plain)
        judged = {
            declared.name: self._written(declared)
            for declared in plan.properties
            if declared.of_states or declared.of_steps
        }

        def decided(graph: Graph) -> dict[str, tuple[State, ...]]:
            """For each property that states and steps decide, the trace that violates or satisfies it."""
            ways = {**{name: broken.trace for name, broken in graph.violations.items()}, **graph.witnesses}
            return {name: ways[written] for name, written in judged.items() if written in ways}

        def heed(graph: Graph) -> None:
            states = len(graph.states)
            limits.room(states)
            limits.note(decided(graph), self._machine.declared.property_named, lambda trace: len(trace) - 1)
            waiting = states - len(graph.successors)
            limits.check(len(graph.levels), states, waiting, lambda: _BYTES_PER_STATE * states, graph.levels)

        def deepen(graph: Graph) -> None:
            limits.deeper(len(graph.levels))

        renamings = self._machine.renamings(plan.symmetry) if plan.symmetry else []
        images = [partial(plain.renamed, renaming=renaming) for renaming in renamings]
        limits.restart()  # opening the text is not part of the search
        with limits.in_force():
            graph = search(opened, Options(heed, deepen, counting.note, images, plan.fail_fast))
        error = self._error(graph)
        return Exploration(
            engine="reference",
            stopped=graph.stopped if error is None else limits.why(error),
            error=error,
            generated=graph.generated,
            initial=graph.generated_initial,
            outside=len(graph.pruned),
            levels=graph.levels,
            actions=counting.actions,
            decided=decided(graph),
            trace_to=self.trace,
            liveness=partial(self._liveness, graph),
            notes=[] if counting.gap is None else [f"actions are not counted: {counting.gap}"],
        )

    def settled(self, declared: Property, states: int) -> Verdict | None:
        """The verdict on a property that no search of the machine can decide, after one that found so many states.

        It does not depend on the engine: the evaluator finds the states again, up to a bound, without symmetry.

        Returns:
            The verdict; None if the evaluator cannot decide either.
        """

        def heed(graph: Graph) -> None:
            if len(graph.states) >= MOST_SETTLED:
                self._is_too_large = True
                raise Stop(f"there are more than {MOST_SETTLED:,} states")

        if self._machine.merging is not None:
            return None  # the evaluator merges states, too
        has_ghosts = any(variable.ghost for variable in self._machine.declared.variables.values())
        if self._is_too_large or (states > MOST_SETTLED and not has_ghosts):  # the evaluator finds at least as many
            return None
        opened = replace(self.opened, cfg=self._asked([declared]))
        graph = search(opened, Options(heed))
        (decided,) = decide(opened, graph)
        if decided.holds is None or (decided.holds and graph.pruned):
            return None
        how = "decided by the plain evaluator"
        if decided.holds:
            return Verdict(declared.name, "liveness", True, why=how)
        trace = self.trace(decided.trace, decided.loop)
        reason = how if decided.loop is None else f"{trap(trace)}; {how}"
        return Verdict(declared.name, "liveness", False, trace, reason)

    def _asked(self, properties: Sequence[Property]) -> Cfg:
        """The configuration with these properties alone."""
        cfg, names = self.opened.cfg, {self._written(declared) for declared in properties}
        deadlock = CfgEntry("TRUE" if DEADLOCK in names else "FALSE", 1)
        return replace(
            cfg,
            invariants=[entry for entry in cfg.invariants if entry.value in names],
            possible=[entry for entry in cfg.possible if entry.value in names],
            properties=[entry for entry in cfg.properties if entry.value in names],
            single={**cfg.single, "CHECK_DEADLOCK": deadlock},
        )

    def _written(self, declared: Property) -> str:
        return whole(declared.name, {entry.value for entry in self.opened.cfg.asked})

    def _liveness(self, graph: Graph, declared: Property) -> Verdict:
        name = self._written(declared)
        cfg = replace(self.opened.cfg, properties=[CfgEntry(name, 1)])
        # If the machine splits a property in two, only one part is judged by single states and steps.
        violations = graph.violations if name == declared.name else {}
        (decided,) = decide(replace(self.opened, cfg=cfg), replace(graph, violations=violations))
        if decided.failure is not None:
            raise ModelError(str(decided.failure))
        if not decided.trace:
            return Verdict.on(declared, decided.holds, None if decided.holds and graph.pruned else decided.why or None)
        trace = self.trace(decided.trace, decided.loop)
        return Verdict.on(declared, False, str(trap(trace)), trace=trace)

    def _error(self, graph: Graph) -> ModelError | None:
        failed = graph.failed
        if failed is None and graph.stopped is None and not graph.generated:
            (node, _), *_ = behaviour_of(self.opened)[0]
            init = self.opened.cfg.single.get("INIT")
            return ModelError(f"{node.at}: no state satisfies {'Init' if init is None else init.value}")
        if failed is None:
            return None
        error = ModelError(str(failed.failure))
        if failed.trace:
            with suppress(ModelError, RecursionError):  # the machine may fail there in its own way
                error.trace = self.trace(failed.trace)
                error.add_note(f"It is met in the last state, or step, of this behaviour:\n{error.trace}")
        return error

    # Behaviours --------------------------------------------------------------------------------------------------

    def trace(self, states: tuple[State, ...], loop: int | None = None) -> Trace:
        """A behaviour, as a trace of the machine.

        Args:
            loop: The index of the state that follows the last one, as in :class:`Decided`.

        Raises:
            ModelError: If the machine lacks the initial state or one of the steps.
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
        return tuple(identity(force(getattr(state, name))) for name in self._names)

    def _key_of_plain(self, state: State) -> Any:
        values = {variable.name: value for variable, value in state.items()}
        return tuple(identity(as_kernel(values[name])) for name in self._names)


def _opened(configured: Configured, constants: Mapping[str, Any]) -> Opened:
    """The plain evaluator's reading of the same texts, with these constants."""
    assert configured.opened_by is not None
    name, texts, translated, *_, asked = configured.opened_by[1]
    library = Library((), MODULES, EXTENDED, dict(texts), translated)
    (specification, named), cfg = asking(load(name, library), asked), configured.cfg
    entries = {
        constant: CfgEntry(_as_configured(constant, value), 1)
        for constant, value in as_values(constants, configured.constants).items()
    }
    spellings = [*cfg.words, *words_in(specification.module, library)]
    return opened(specification, replace(cfg, constants={**cfg.constants, **entries}), spellings, named)


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
