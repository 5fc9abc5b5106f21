"""Decide whether two machines are the same, state by state, in common terms: those of the second, or an abstraction.

A function maps each state of the first machine to one of the second. If the second also keeps what the first does not,
such as the names of its files, another function maps its states to the same abstraction. Both machines are explored
completely, by the reference search, which runs every action in every state: there are no fingerprints, no symmetry and
no memory that could be wrong for both alike.

The states with one image are a class. The machines are the same if they begin in the same classes, and if from every
state of a class, of either machine, steps lead to the same other classes. Steps within a class do not count. Then "has
the same image" is a bisimulation between the machines, but for such steps. So a mapping that forgets something hides no
difference: of two states that it takes for one, each has to have all the successors.

The first difference is told as a step from a class that both have. There is one, or the initial classes differ: the
first state, in the order of discovery, whose class one machine has alone is reached from a state before it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any

from workbench.checking.following.sameness import Extra, Figures, Sameness, Side
from workbench.checking.local.memory import within_memory
from workbench.kernel import InputError, Machine, Trace
from workbench.kernel.meaning.budget import Budget, Limits, Stop, Watch
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.errors import brief, listed
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.machine import AnyModel
from workbench.kernel.meaning.plan import make_plan
from workbench.kernel.meaning.search import Search
from workbench.kernel.meaning.state import Layout, State, changes_of
from workbench.kernel.meaning.temporal import OUTSIDE
from workbench.kernel.meaning.trace import Move, leading_to
from workbench.registry import model_of

#: A function from a state to values by name: those of the second machine's variables, or of an abstraction.
StateMap = Callable[[Any], Mapping[str, Any]]

_LONGEST = 100


@interruptible()
def same(
    one: AnyModel,
    other: AnyModel,
    state_of: StateMap,
    abstraction: StateMap | None = None,
    *,
    budget: Budget = Budget(),
    watch: Watch = Watch(),
) -> Sameness:
    """Compare the states, the steps and the initial states of two machines.

    Args:
        one: The machine whose states are mapped, such as a port.
        other: The machine to which they are mapped, such as the text as published.
        state_of: Gives, for a state of `one`, the value of each variable of `other`. Values are compared with their
            kinds: 1 is not True.
        abstraction: Gives, for a state of `other`, values under the names that `state_of` gives values to. Without it
            these are the variables of `other`.
        budget: As for :func:`workbench.checking.check.check`; the states are those of each machine.
        watch: As for :func:`workbench.checking.check.check`.

    Returns:
        Whether they are the same; undecided if a budget ran out or the comparison was stopped.

    Raises:
        InputError: If `state_of` does not give the values of exactly the variables of `other`, or the two functions do
            not always give values to the same names.

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
            return _compared(mapped, target, state_of, abstraction, limits)
        except (Stop, MemoryError) as stop:
            reason = limits.why(stop)
    return Sameness(mapped.side(), target.side(), reason)


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
        return Side(self.model.name, self.figures, len(self.states))

    def met_in(self, number: int) -> AbstractContextManager[None]:
        """Attach the behaviour up to a state to any error of the model met there."""
        return leading_to(lambda _: self.trace(number))

    def trace(self, number: int, move: Move | None = None) -> Trace:
        """The shortest behaviour to a state, continued by `move` if there is one."""
        return self.trace_to((number, move))


class _Quotient:
    """The classes of a space's states that have one image, by number.

    Attributes:
        initial: The classes in which the space begins, in order.
        some, every: For each class the other classes to which some state of it has a step, and every state of it.
    """

    def __init__(self, space: _Space, image: Sequence[int]) -> None:
        self.space, self.image = space, image
        self.initial = dict.fromkeys(image[at] for at in space.initial)
        self.some: dict[int, set[int]] = {}
        self.every: dict[int, set[int]] = {}
        for at, here in enumerate(image):
            reached = self.reached(at)
            self.some[here] = self.some.get(here, set()) | reached
            self.every[here] = self.every.get(here, reached) & reached

    def reached(self, at: int) -> set[int]:
        """The other classes to which the steps of a state lead."""
        return {self.image[there] for _, there in self.space.steps[at]} - {self.image[at]}

    def side(self, other: "_Quotient", extra: Extra | None) -> Side:
        """What is here, and what of that is not in `other`."""
        alone = Figures(
            len(self.initial.keys() - other.initial.keys()),
            len(self.some.keys() - other.some.keys()),
            sum(len(reached - other.every.get(here, set())) for here, reached in self.some.items()),
        )
        has = Figures(len(self.initial), len(self.some), sum(map(len, self.some.values())))
        return Side(self.space.model.name, has, len(self.space.states), alone, extra)


def _compared(one: _Space, other: _Space, state_of: StateMap, abstraction: StateMap | None, limits: Limits) -> Sameness:
    """The comparison of two explored spaces."""
    numbers: dict[State, int] = {}

    def quotient(space: _Space, mapped: Callable[[State], State]) -> _Quotient:
        image = list[int]()
        for at, state in enumerate(space.states):
            with space.met_in(at):
                image.append(numbers.setdefault(mapped(state), len(numbers)))
            limits.enforce(lambda: one._held() + 2 * other._held())
        return _Quotient(space, image)

    if abstraction is None:
        layout, terms = other.model.layout, other.model.name
        theirs = quotient(other, lambda state: state)
    else:
        names = abstraction(other.states[0]) if other.states else {}
        layout, terms = Layout(dict.fromkeys(names)), f"the abstraction of {other.model.name}"
        theirs = quotient(other, lambda state: _state_from(layout, terms, abstraction(state)))
    mine = quotient(one, lambda state: _state_from(layout, terms, state_of(state)))
    states = list(numbers)
    return Sameness(
        mine.side(theirs, _first_alone(mine, theirs, states)), theirs.side(mine, _first_alone(theirs, mine, states))
    )


# What only one of them has -------------------------------------------------------------------------------------------


def _first_alone(mine: _Quotient, theirs: _Quotient, states: Sequence[State]) -> Extra | None:
    """The first initial class, or step from a class that both have, that `theirs` lacks; `states` are the images."""
    space, image = mine.space, mine.image
    if (begun := next((at for at in space.initial if image[at] not in theirs.initial), None)) is not None:
        near = [("an initial state", number) for number in theirs.initial]
        return _extra(space.trace(begun), image[begun], near, states)
    for at, here in enumerate(image):
        if not (missing := mine.reached(at) - theirs.every.get(here, mine.some[here])):
            continue
        move, there = next((move, image[to]) for move, to in space.steps[at] if image[to] in missing)
        lacking = next(n for n, number in enumerate(theirs.image) if number == here and there not in theirs.reached(n))
        near = [
            (_label(theirs.space, lacking, step), theirs.image[to])
            for step, to in theirs.space.steps[lacking]
            if theirs.image[to] != here
        ]
        return _extra(space.trace(at, move), there, near, states)
    return None


def _extra(trace: Trace, there: int, near: Iterable[tuple[str, int]], states: Sequence[State]) -> Extra:
    state = states[there]
    changes = [(label, changes_of(state, states[number])) for label, number in near]
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


def _state_from(layout: Layout, terms: str, values: Mapping[str, Any]) -> State:
    """The state in which the variables of `layout` have these values."""
    positions = layout.positions
    if values.keys() != positions.keys():
        lacks, strange = positions.keys() - values.keys(), values.keys() - positions.keys()
        fault = f"gives no value to {listed(sorted(lacks))}" if lacks else f"gives a value to {listed(sorted(strange))}"
        raise InputError(f"the mapping to {terms} {fault}; its variables are {listed(positions)}")
    cells: dict[Cell, Any] = {}
    for name, where in positions.items():
        if isinstance(where, int):
            cells[Cell(name, None)] = values[name]
        else:
            cells.update({Cell(name, index): values[name][index] for index in where})
    for cell, value in cells.items():
        try:
            hash(value)
        except TypeError:
            fault = f"gives {cell} the value {brief(value)}, which no state can have"
            raise InputError(f"the mapping to {terms} {fault}; it takes tuples, frozensets and Maps") from None
    row = layout.put(cells)
    state: State = layout.bind(State)(layout, tuple(row[number] for number in range(len(row))))
    return state
