"""Decide whether two machines are the same, state by state, in the terms of the second.

A function maps each state of the first machine to one of the second. Both are explored completely, by the reference
search, which runs every action in every state: there are no fingerprints, no symmetry and no memory that could be wrong
for both alike. They are the same if they begin in the same states, and if each state of the first machine has the
same successors as the state of the second to which it is mapped. Steps that change nothing do not count. So a mapping
that forgets something hides no difference: of two states that it takes for one, each has to have all the successors.

The first difference is told as a step from a state that both have. There is one, or the initial states differ: the
first state, in the order of discovery, that one machine has alone is reached from a state before it.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from workbench.checking.following.sameness import Extra, Figures, Sameness, Side
from workbench.checking.local.memory import within_memory
from workbench.kernel import InputError, Machine, Trace
from workbench.kernel.meaning.budget import Budget, Limits, Stop, Watch
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import listed
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.search import Search
from workbench.kernel.meaning.state import State, changes_of
from workbench.kernel.meaning.temporal import OUTSIDE
from workbench.kernel.meaning.trace import Move, leading_to
from workbench.kernel.meaning.values import counted
from workbench.registry import model_of

#: A function from a state of the first machine to the values of the second one's variables, by name.
StateMap = Callable[[Any], Mapping[str, Any]]

_LONGEST = 100


@interruptible()
def same(
    one: AnyModel, other: AnyModel, state_of: StateMap, *, budget: Budget = Budget(), watch: Watch = Watch()
) -> Sameness:
    """Compare the states, the steps and the initial states of two machines.

    Args:
        one: The machine whose states are mapped, such as a port.
        other: The machine to which they are mapped, such as the text as published.
        state_of: Gives, for a state of `one`, the value of each variable of `other`. Values are compared with their
            kinds: 1 is not True.
        budget: As for :func:`workbench.checking.check.check`; the states are those of each machine.
        watch: As for :func:`workbench.checking.check.check`.

    Returns:
        Whether they are the same; undecided if a budget ran out or the comparison was stopped.

    Raises:
        InputError: If `state_of` does not give the values of exactly the variables of `other`.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.classics.peterson import Peterson
        >>> model = machine_of(Peterson)
        >>> print(same(model, model, lambda s: {name: getattr(s, name) for name in model.layout.variables}).holds)
        True
    """
    limits = Limits(within_memory(budget), watch)
    mapped, target = _Space(model_of(one), limits), _Space(model_of(other), limits)
    for space in (target, mapped):
        if (reason := space.explore()) is not None:
            break
    else:
        try:
            return _Comparison(mapped, target, state_of, limits).result()
        except (Stop, MemoryError) as stop:
            reason = limits.why(stop)
    return Sameness(mapped.side(), target.side(), len(mapped.states), reason)


class _Space(Search):
    """All states and steps of a machine, as the reference search finds them."""

    def __init__(self, machine: Machine, limits: Limits) -> None:
        super().__init__(make_plan(machine, [], symmetry=False), limits)

    def explore(self) -> str | None:
        """Find all states and steps; returns why some are missing, if any are."""
        for _ in self.run():
            pass
        if self.error is not None:
            raise self.error
        return self.stopped

    @property
    def initial(self) -> range:
        """The initial states."""
        return range(self.levels[0] if self.levels else 0)

    @cached_property
    def steps(self) -> list[list[tuple[Move, int]]]:
        """For each state, once all are known, the moves within the constraints, with the states that they lead to."""
        return [[(move, there) for move, there in moves if there != OUTSIDE] for moves in self.graph]

    @property
    def figures(self) -> Figures:
        pairs = sum(len({there for _, there in steps} - {here}) for here, steps in enumerate(self.steps))
        return Figures(len(self.initial), len(self.states), pairs)

    def side(self) -> Side:
        """The part of this space that was found before a stop."""
        return Side(self.model.name, self.figures)

    def met_in(self, number: int) -> AbstractContextManager[None]:
        """Attach the behaviour up to a state to any error of the model met there."""
        return leading_to(lambda _: self.trace(number))

    def trace(self, number: int, move: Move | None = None) -> Trace:
        """The shortest behaviour to a state, continued by `move` if there is one."""
        return self.trace_to((number, move))


class _Comparison:
    """Two explored spaces in one numbering: that of the second, followed by the states that it lacks."""

    def __init__(self, one: _Space, other: _Space, state_of: StateMap, limits: Limits) -> None:
        self.one, self.other = one, other
        self.states = list(other.states)
        numbers = dict(other.numbers)
        self.image: list[int] = []
        for at, state in enumerate(one.states):
            with one.met_in(at):
                mapped = _state_from(other.model, state_of(state))
            if mapped not in numbers:
                numbers[mapped] = len(self.states)
                self.states.append(mapped)
            self.image.append(numbers[mapped])
            limits.enforce(lambda: one._held() + 2 * other._held())

    def result(self) -> Sameness:
        one, other, image = self.one, self.other, self.image
        targets = [{there for _, there in steps} - {here} for here, steps in enumerate(other.steps)]
        pairs: set[tuple[int, int]] = set()
        gained: set[tuple[int, int]] = set()
        lost: dict[tuple[int, int], int] = {}  # with the state of `one` that lacks it
        first: tuple[int, int] | None = None  # the state of `one`, and the image of its successor
        for at, steps in enumerate(one.steps):
            here = image[at]
            reached = {image[there] for _, there in steps} - {here}
            expected = targets[here] if here < len(targets) else set()
            pairs |= {(here, there) for there in reached}
            if reached - expected and first is None and here < len(targets):
                first = at, next(image[there] for _, there in steps if image[there] in reached - expected)
            gained |= {(here, there) for there in reached - expected}
            for there in expected - reached:
                lost.setdefault((here, there), at)
        covered, beginning = set(image), {image[at] for at in one.initial}
        missed = [number for number in range(len(targets)) if number not in covered]
        unexplained = sum(len(targets[number]) for number in missed)
        mine = Figures(len(beginning), len(covered), len(pairs))
        mine_alone = Figures(len(beginning - {*other.initial}), len(self.states) - len(targets), len(gained))
        theirs_alone = Figures(len({*other.initial} - beginning), len(missed), len(lost) + unexplained)
        remarks = []
        if len(covered) < len(one.states):
            remarks.append(f"{counted(len(one.states), 'state')} of {one.model.name} are mapped to {len(covered):,}")
        return Sameness(
            Side(one.model.name, mine, mine_alone, self._begins_alone() or self._steps_alone(first)),
            Side(other.model.name, other.figures, theirs_alone, self._not_begun() or self._lost(lost)),
            len(one.states),
            remarks=remarks,
        )

    # What only one of them has -----------------------------------------------------------------------------------

    def _begins_alone(self) -> Extra | None:
        alone = next((at for at in self.one.initial if self.image[at] not in self.other.initial), None)
        if alone is None:
            return None
        trace = self.one.trace(alone)
        near = [("an initial state", number) for number in self.other.initial]
        return self._extra(trace, self.image[alone], near)

    def _not_begun(self) -> Extra | None:
        beginning = {self.image[at]: None for at in self.one.initial}
        alone = next((number for number in self.other.initial if number not in beginning), None)
        near = [("an initial state", number) for number in beginning]
        return None if alone is None else self._extra(self.other.trace(alone), alone, near)

    def _steps_alone(self, first: tuple[int, int] | None) -> Extra | None:
        if first is None:
            return None
        at, there = first
        move = next(move for move, successor in self.one.steps[at] if self.image[successor] == there)
        here = self.image[at]
        near = [(_label(self.other, here, step), to) for step, to in self.other.steps[here] if to != here]
        return self._extra(self.one.trace(at, move), there, near)

    def _lost(self, lost: Mapping[tuple[int, int], int]) -> Extra | None:
        if not lost:
            return None
        (here, there), at = min(lost.items(), key=lambda item: item[0][0])
        move = next(move for move, successor in self.other.steps[here] if successor == there)
        near = [
            (_label(self.one, at, step), self.image[to])
            for step, to in self.one.steps[at]
            if self.image[to] != self.image[at]
        ]
        return self._extra(self.other.trace(here, move), there, near)

    def _extra(self, trace: Trace, there: int, near: Iterable[tuple[str, int]]) -> Extra:
        state = self.states[there]
        changes = [(label, changes_of(state, self.states[number])) for label, number in near]
        if not changes:
            return Extra(trace, trace.steps[-1].label, None, [])
        label, closest = min(changes, key=lambda change: len(change[1]))
        lines = [
            f"{part.where}: {_brief(part.after)}{'' if part.before is None else f' in place of {_brief(part.before)}'}"
            for change in closest
            for part in change.parts
        ]
        return Extra(trace, trace.steps[-1].label, label, lines)


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _label(space: _Space, here: int, move: Move) -> str:
    instance = space.model.instances[move.instance]
    outcome, _ = space.model.outcomes(instance, space.states[here])[move.outcome]
    return instance.label_with(outcome.choices)


def _state_from(machine: Machine, values: Mapping[str, Any]) -> State:
    """The state in which the variables of `machine` have these values."""
    positions = machine.layout.positions
    if values.keys() != positions.keys():
        lacks, strange = positions.keys() - values.keys(), values.keys() - positions.keys()
        fault = f"gives no value to {listed(sorted(lacks))}" if lacks else f"gives a value to {listed(sorted(strange))}"
        raise InputError(f"the mapping to {machine.name} {fault}; its variables are {listed(positions)}")
    cells: dict[Cell, Any] = {}
    for name, where in positions.items():
        if isinstance(where, int):
            cells[Cell(name, None)] = values[name]
        else:
            cells.update({Cell(name, index): values[name][index] for index in where})
    row = machine.layout.put(cells)
    return machine.state([row[number] for number in range(len(row))])
