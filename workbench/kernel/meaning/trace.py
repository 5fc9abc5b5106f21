"""Traces: behaviours step by step, made only by running the model."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.kernel.meaning.columns import columns, tabulated
from workbench.kernel.meaning.errors import InputError, ModelError
from workbench.kernel.meaning.machine import Machine, machine_of
from workbench.kernel.meaning.shown import Shown
from workbench.kernel.meaning.state import Change, State, changes_of, foreground, lines_of, row_of
from workbench.kernel.meaning.steps import ActionInstance, Actor
from workbench.kernel.meaning.values import identity, is_same

_TOO_DEEP = "a value is nested too deep: each part of it holds another one, and Python can look no further"

if TYPE_CHECKING:
    import pandas as pd


class Move(NamedTuple):
    """A step by number: an action instance and one of its outcomes. It is small, and stable in permalinks."""

    instance: int
    outcome: int


@dataclass(frozen=True, eq=False)
class Step:
    """A step of a trace and the state that it leads to.

    Attributes:
        instance, choices: The action instance that is taken, and its choices. Without an instance this is not a step,
            but the initial state.
        outcome: The number of its outcome among those of the instance.
        before: The state from which it is taken; None if the step is described for several states.
    """

    state: State
    instance: ActionInstance | None = None
    choices: tuple[tuple[str, Any], ...] = ()
    outcome: int = 0
    before: State | None = None

    @property
    def move(self) -> Move | None:
        """The step as the numbers of its instance and outcome; None for the initial state."""
        return None if self.instance is None else Move(self.instance.number, self.outcome)

    @property
    def label(self) -> str:
        """The label of the step, such as ``begin_claim(w1)``; ``initial state`` for the first."""
        return "initial state" if self.instance is None else self.instance.label_with(self.choices)

    @cached_property
    def actor(self) -> Actor | None:
        """The actor that takes the step; None if there is none."""
        states = None if self.before is None else (self.before, self.state)
        return None if self.instance is None else self.instance.actor_of(self.choices, states)

    @property
    def lane(self) -> str:
        """The actor of the step, as people read it; "" if there is none."""
        if self.instance is None or self.actor is None:
            return ""
        is_own = self.actor == self.instance.actor
        return self.instance.lane if is_own else self.instance.notation.show(self.actor.member)

    @property
    def identity(self) -> Any:
        """A key that steps share if they take the same action with the same choices, even under other constants."""
        return None if self.instance is None else (self.instance.identity, identity(self.choices))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self.identity == other.identity and self.state == other.state

    def __hash__(self) -> int:
        return hash((self.identity, self.state))


class Options(NamedTuple):
    """The possible outcomes of an action instance in a state.

    Attributes:
        steps: Empty if it is disabled.
    """

    instance: ActionInstance
    steps: list[Step]


def options(model: Any, state: State) -> list[Options]:
    """The possible steps of each action instance in `state`."""
    model = machine_of(model)
    return [Options(instance, steps_of(model, instance, state)) for instance in model.instances]


def steps_of(model: Machine, instance: ActionInstance, state: State) -> list[Step]:
    """The possible steps of an action instance in `state`."""
    return [
        Step(after, instance, outcome.choices, ordinal, state)
        for ordinal, (outcome, after) in enumerate(model.outcomes(instance, state))
    ]


def not_again(step: Step) -> ModelError:
    """The error for a step that leads to another state when it runs again."""
    place = "" if step.instance is None else step.instance.action.place
    return ModelError(f"{step.label}{place} led to another state when it was run again: the model is not pure")


@dataclass(frozen=True)
class Trace(Shown):
    """A behaviour of a model.

    Attributes:
        start: The number of the initial state in which it begins.
        steps: One per state, the initial one first.
        loop: For a counterexample to liveness, the index of the state to which the behaviour returns after its last;
            the last index if it stops there for ever. None for a finite behaviour.
        back: The step from the last state to the one at `loop`; None without a cycle.
        refinement: The refinement that it violates; the trace can be shown in its abstract model's terms, too.
    """

    model: Machine
    start: int
    steps: tuple[Step, ...]
    loop: int | None = None
    back: Step | None = None
    refinement: str | None = None

    @property
    def states(self) -> list[Any]:
        return [step.state for step in self.steps]

    @property
    def moves(self) -> list[Move]:
        """The moves from which :func:`replay` makes the trace; in a cycle the last one leads back."""
        steps = self.steps if self.back is None else (*self.steps, self.back)
        return [step.move for step in steps if step.move is not None]

    @property
    def last(self) -> Any:
        return self.steps[-1].state

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def end(self) -> int:
        """The index of the last step that matters: where a lasso stops, bookkeeping may come after it."""
        at = len(self.steps) - 1
        if self.loop is not None and self.back is None:
            while at and is_bookkeeping(self.steps[at - 1].state, self.steps[at]):
                at -= 1
        return at

    def changes(self, index: int) -> list[Change]:
        """The changes of step `index` that people are shown; none for the initial state."""
        return [] if index == 0 else foreground(changes_of(self.steps[index - 1].state, self.steps[index].state))

    def table(self) -> "pd.DataFrame":
        """A row for each state: the ``step`` that leads there, the ``actor`` who takes it, and a column for each cell.

        A function that has the same keys in all states has a column for each of them, such as ``base[w1]``.

        Raises:
            InputError: If pandas is not installed.

        Examples:
            >>> from workbench.protocols.bakery.model import Bakery
            >>> replay(Bakery(Writers=2), 0, [(0, 0)]).table()[["step", "actor", "pc[w1]"]].values.tolist()
            [['initial state', '', 'NodeStartup'], ['node_startup(w1)', 'w1', 'BeginClaim']]
        """
        try:
            import pandas as pd
        except ModuleNotFoundError:
            how = "pip install 'lakehouse-workbench[tables]'"
            raise InputError(f"a trace's table needs pandas, which is not installed: {how}") from None
        layout, rows = self.model.layout, [row_of(state) for state in self.states]
        table = [("step", [step.label for step in self.steps]), ("actor", [step.lane for step in self.steps])]
        for cell in tabulated(layout):
            table += columns(str(cell.cell), [cell.value(row) for row in rows], layout.notation)
        names, values = zip(*table, strict=True)
        return pd.DataFrame(list(zip(*values, strict=True)), columns=list(names))

    @property
    def aliased(self) -> dict[str, list[str]]:
        """The text of each of the model's aliases in every state, or the reason why it has no value there."""
        states, show = self.states, self.model.layout.notation.show
        steps = list(zip(states, [*states[1:], states[-1 if self.loop is None else self.loop]], strict=True))

        def described(alias: Callable[[State, State], Any], before: State, after: State) -> str:
            try:
                return show(alias(before, after))
            except (InputError, ModelError) as error:
                return f"error: {error}"

        return {name: [described(alias, *step) for step in steps] for name, alias in self.model.aliases.items()}

    @property
    def _changing(self) -> set[int]:
        """The numbers of the cells that any step changes."""
        cells = zip(*(row_of(step.state) for step in self.steps), strict=True)
        return {number for number, values in enumerate(cells) if not all(is_same(value, values[0]) for value in values)}

    def __repr__(self) -> str:
        lines, aliased = [], self.aliased
        for i, step in enumerate(self.steps):
            mark = "  <- the loop begins here" if self.loop == i and self.back is not None else ""
            lines.append(f"{i + 1:>3}  {step.label}{mark}")
            if aliased:
                lines += [
                    f"       {name}: {texts[i]}" if i == 0 else f"       {name}: {texts[i - 1]} -> {texts[i]}"
                    for name, texts in aliased.items()
                    if i == 0 or texts[i] != texts[i - 1]
                ]
                continue
            if i == 0:
                lines += [f"       {line}" for line in lines_of(step.state, self._changing)]
            lines += [f"       {part}" for change in self.changes(i) for part in change.parts]
        if self.back is not None and self.loop is not None:
            lines.append(f"     {self.back.label}  -> back to state {self.loop + 1}, and so on for ever")
        elif self.loop is not None:
            lines.append("     and stops for ever")
        return "\n".join(lines)


def is_bookkeeping(before: State, step: Step) -> bool:
    """Whether a process without members merely moves on, like a crasher with nothing to do."""
    process = None if step.instance is None else step.instance.alone
    return process is not None and all(c.cell.variable == process.pc for c in changes_of(before, step.state))


@contextmanager
def leading_to(trace: Callable[[ModelError], Trace | None]) -> Iterator[None]:
    """Attach to errors of the model the trace that leads to them; tracebacks show it.

    A value that is nested too deep for Python is an error of the model, too.
    """
    try:
        yield
    except (ModelError, RecursionError) as met:
        error = met if isinstance(met, ModelError) else ModelError(_TOO_DEEP)
        # A file is missing, or the model behaves differently now; or the trace is too deep as well.
        with suppress(InputError, ModelError, RecursionError):
            error.trace = error.trace or trace(error)
            if error.trace is not None:
                error.add_note(f"It is met in the last state, or step, of this behaviour:\n{error.trace}")
        raise error from error.__cause__


def replay(model: Any, start: int, moves: Sequence[tuple[int, int]], loop: int | None = None) -> Trace:
    """The behaviour that takes `moves` from initial state number `start`, computed by the model.

    Args:
        loop: Makes the trace a lasso. At the index of the state after the last move, the behaviour stops there;
            otherwise the last move leads back to the state at this index.

    Raises:
        ModelError: If a move cannot be taken, or the behaviour does not return to `loop`.
    """
    model = machine_of(model)
    steps = list(each_step(model, start, moves))
    if loop is None or loop == len(moves):
        return Trace(model, start, tuple(steps), loop)
    back = steps.pop()
    if not 0 <= loop < len(steps) or steps[loop].state != back.state:
        raise ModelError(f"step {len(moves)} ({back.label}) does not lead back to state {loop + 1}")
    return Trace(model, start, tuple(steps), loop, back)


def each_step(model: Any, start: int, moves: Iterable[tuple[int, int]]) -> Iterator[Step]:
    """The steps of the behaviour that :func:`replay` returns, lazily: a long one need not be kept in memory."""
    model = machine_of(model)
    first = next(itertools.islice(model.each_initial_state(), start, None), None) if start >= 0 else None
    if first is None:
        raise ModelError(f"there is no initial state number {start}; there are {len(model.initial_states())}")
    step = Step(first)
    yield step
    for at, move in enumerate(moves):
        step = _take(model, step.state, Move(*move), at + 1)
        yield step


def _take(model: Machine, state: State, move: Move, at: int) -> Step:
    if not 0 <= move.instance < len(model.instances):
        raise ModelError(f"step {at} names action instance {move.instance}; there are {len(model.instances)}")
    instance = model.instances[move.instance]
    outcomes = model.outcomes(instance, state)
    if not 0 <= move.outcome < len(outcomes):
        reason = model.why_disabled(instance, state) or f"it has {len(outcomes)} outcomes, not {move.outcome + 1}"
        raise ModelError(f"step {at} cannot be {instance.label}: {reason}")
    outcome, after = outcomes[move.outcome]
    return Step(after, instance, outcome.choices, move.outcome, state)
