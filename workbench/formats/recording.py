"""What was recorded of a behaviour: some cells, sometimes, perhaps several steps at once."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from workbench.kernel import InputError, Model, State
from workbench.kernel.errors import brief
from workbench.kernel.values import is_same


class Observation(NamedTuple):
    """Cells that were seen at one moment.

    Attributes:
        cells: The values that were seen, by the cells' positions in the layout.
        action: The step that led there: an action, alone, with its parameters, or also with what was chosen.
        steps: How many steps that can be seen there may be since the observation before, as in a transaction of several
            rows whose order is not known.
        source: Where it stands, for messages, such as ``line 14``.

    Examples:
        >>> from workbench.models.bakery import Bakery
        >>> model = Bakery(Writers=2)
        >>> at_once = Observation({model.layout.positions["next_ticket"]: 3}, steps=2, source="line 14")
        >>> at_once.agrees(model.initial_states()[0])
        False
    """

    cells: dict[int, Any]
    action: str | None = None
    steps: int = 1
    source: str = ""

    def agrees(self, state: State) -> bool:
        """Whether `state` has the values that were seen."""
        return all(is_same(value, state.values[cell]) for cell, value in self.cells.items())


class Recording(NamedTuple):
    """Observations in order.

    Attributes:
        loop: The index of the observation to which the behaviour returns after the last, again and again.
        begins: Where the behaviour is at the first observation: in an initial state, in any state that it can reach, or
            in one of these states.
        watched: The cells that are watched all the time, as rows of a table are by its log. Of these an observation
            names those that may have changed since the one before; no other of them has changed, not even for a while.
            None for a recording whose observations stand each for itself.
        irrelevant: Cells on which nothing that is observed depends, such as a history that steps only add to: of states
            that differ in these alone one is followed. That they are such is for whoever makes the recording to know;
            what is accepted is a behaviour in any case.
    """

    states: list[Observation]
    loop: int | None = None
    begins: Literal["initial", "reachable"] | Sequence[State] = "initial"
    watched: frozenset[int] | None = None
    irrelevant: frozenset[int] = frozenset()

    def check(self, model: Model) -> None:
        """Raise :class:`InputError` unless this is a recording of a model with cells like those of `model`."""
        if not self.states:
            raise InputError("the recording is empty; it takes at least one observation")
        cells = range(len(model.layout.cells))
        for number, observation in enumerate(self.states, start=1):
            where = observation.source or f"state {number}"
            if type(observation.steps) is not int or observation.steps < 1:
                raise InputError(f"{where}: steps = {brief(observation.steps)} is not accepted; it takes at least 1")
            _check_cells(where, observation.cells, cells)
        _check_cells("watched", self.watched or (), cells)
        _check_cells("irrelevant", self.irrelevant, cells)
        if self.begins not in ("initial", "reachable") and isinstance(self.begins, str):
            raise InputError(f"begins = {brief(self.begins)} is not accepted; it takes initial, reachable or states")


def _check_cells(where: str, given: Iterable[int], cells: range) -> None:
    for cell in given:
        if cell not in cells:
            raise InputError(f"{where}: cell {brief(cell)} is not accepted; the model has cells 0 to {cells[-1]}")
