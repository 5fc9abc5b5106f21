"""A sample of the states that a module reaches, from which the cells of its variables are learned.

It is bounded by counts and its dice are loaded, so that every process learns the same, however busy the machine is.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from random import Random
from typing import Any, NamedTuple

from workbench.kernel.meaning.errors import ModelError
from workbench.kernel.meaning.interrupts import pausing_at_most
from workbench.kernel.meaning.state import Reads
from workbench.kernel.meaning.steps import ActionInstance
from workbench.kernel.meaning.values import identity

#: The search takes this many states; a module with no more of them needs only one cell for each variable.
MOST_STATES = 1000
#: All walks together take this many steps for each of those states, and a single walk this many.
_STEPS_PER_STATE = 2
_LONGEST_WALK = 100
#: Actions are run this often for each of those states, since some take long; then the sample ends.
_RUNS_PER_STATE = 20
#: Long evaluations may pause this often in all; then the sample is given up.
_PAUSES = 100

#: A state: for each variable the number of its value.
_Row = tuple[int, ...]
#: Tells whether a state, given by the values of its variables, is explored.
Constraint = Callable[[Sequence[Any]], bool]


class Sample(NamedTuple):
    """The values that variables were seen to have.

    Attributes:
        values: By variable.
        is_whole: Whether every state was seen.
    """

    values: list[list[Any]]
    is_whole: bool


class TooLong(Exception):
    """Learning from a sample takes longer than it is worth, or has no end."""


def within_reason() -> AbstractContextManager[None]:
    """Let evaluations within the block end with :class:`TooLong` after some pauses."""
    return pausing_at_most(_PAUSES, TooLong)


def sample(
    initial: Sequence[Sequence[Any]],
    instances: Sequence[ActionInstance],
    is_explored: Constraint,
    visible: Sequence[int],
    most: int,
) -> Sample:
    """The values of variables in states near the initial ones, and in those along random walks.

    Args:
        initial: The initial states.
        instances: The steps, whose rows have one cell for each variable.
        visible: The variables that tell states apart; of states that are alike in them, the first stands for all.
        most: The most states that the search takes.
    """
    explorer = _Explorer(len(initial[0]), instances, is_explored, most * _RUNS_PER_STATE)
    starts = list(dict.fromkeys(explorer.row(state) for state in initial[:most]))
    states, met, ahead = list[_Row](), set[_Row](), 0

    def meet(row: _Row) -> None:
        seen = tuple(row[variable] for variable in visible)
        if seen not in met:
            met.add(seen)
            states.append(row)

    for row in starts:
        meet(row)
    while ahead < len(states) <= most:
        for instance in range(len(instances)):
            for row in explorer.after(states[ahead], instance):
                meet(row)
        ahead += 1
    is_whole = len(states) <= most and len(initial) <= most and explorer.runs > 0
    if not is_whole:
        _walk(explorer, starts, range(len(instances)), most * _STEPS_PER_STATE)
    return Sample(explorer.values, is_whole)


def _walk(explorer: "_Explorer", starts: Sequence[_Row], instances: Sequence[int], steps: int) -> None:
    """Take some random steps, in walks that begin in initial states."""
    dice, row, length = Random(0), starts[0], 0
    for _ in range(steps):
        successors: list[_Row] = []
        if length < _LONGEST_WALK:
            order = dice.sample(instances, len(instances))
            successors = next(filter(None, (explorer.after(row, instance) for instance in order)), [])
        row = dice.choice(successors or starts)
        length = length + 1 if successors else 0


class _Explorer:
    """Finds the successors of states, and remembers the outcomes of instances by the values that they read.

    Attributes:
        values: Of each variable, by number.
        runs: The number of times that it may still run an instance; then it finds no more.
    """

    def __init__(self, variables: int, instances: Sequence[ActionInstance], is_explored: Constraint, runs: int) -> None:
        self.runs = runs
        self.values: list[list[Any]] = [[] for _ in range(variables)]
        self._numbers: list[dict[Any, int]] = [{} for _ in range(variables)]
        self._instances, self._is_explored = instances, is_explored
        self._outcomes = [_Outcomes() for _ in instances]
        self._explored = dict[_Row, bool]()

    def _number(self, variable: int, value: Any) -> int:
        numbers = self._numbers[variable]
        number = numbers.setdefault(identity(value), len(numbers))
        if number == len(self.values[variable]):
            self.values[variable].append(value)
        return number

    def row(self, state: Sequence[Any]) -> _Row:
        return tuple(self._number(variable, value) for variable, value in enumerate(state))

    def _state(self, row: _Row) -> list[Any]:
        return [values[number] for values, number in zip(self.values, row, strict=True)]

    def after(self, row: _Row, instance: int) -> list[_Row]:
        """The successors of a state; none in case of an error, which the search will report."""
        if row not in self._explored:
            self._explored[row] = self._is_explored(self._state(row))
        if not self._explored[row]:
            return []
        memory = self._outcomes[instance]
        writes = memory.find(row)
        if writes is None:
            if not self.runs:
                return []
            self.runs -= 1
            reads = Reads(self._state(row))
            writes = [*self._run(reads, instance)]
            memory.add([(variable, row[variable]) for variable in reads], writes)
        return [tuple(written.get(variable, number) for variable, number in enumerate(row)) for written in writes]

    def _run(self, reads: Reads, instance: int) -> Iterator[dict[int, int]]:
        try:
            outcomes, _ = self._instances[instance].run(reads)
        except ModelError:
            return
        for outcome in outcomes:
            yield {variable: self._number(variable, value) for variable, value in outcome.writes.items()}


_Writes = list[dict[int, int]]


class _Outcomes:
    """The outcomes of an instance by the values that it read: a tree with a variable in each inner node."""

    def __init__(self) -> None:
        self.variable: int | None = None
        self.writes: _Writes | None = None
        self.inside: dict[int, _Outcomes] = {}

    def find(self, row: _Row) -> _Writes | None:
        node: _Outcomes | None = self
        while node is not None and node.variable is not None:
            node = node.inside.get(row[node.variable])
        return None if node is None else node.writes

    def add(self, read: Sequence[tuple[int, int]], writes: _Writes) -> None:
        node = self
        for variable, number in read:
            node.variable = variable
            node = node.inside.setdefault(number, _Outcomes())
        node.writes = writes
