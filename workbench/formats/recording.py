"""Recordings of behaviours: the values of some cells at some moments, perhaps several steps apart."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from workbench.kernel import InputError, Machine, State
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.state import row_of
from workbench.kernel.meaning.values import is_same


class Observation(NamedTuple):
    """The cells seen at one moment.

    Attributes:
        cells: The values, by the numbers of the cells in ``model.layout``; those of a declared set, from
            :meth:`workbench.kernel.meaning.state.Layout.seek`, are booleans.
        action: The step that led there: an action alone, with its parameters, or with its choices too.
        steps: The most visible steps since the previous observation, for example in a transaction of several rows whose
            order is unknown.
        source: Its place, for messages, such as ``line 14``.

    Examples:
        >>> from workbench import machine_of
        >>> from workbench.protocols.bakery.model import Bakery
        >>> model = machine_of(Bakery(Writers=2))
        >>> at_once = Observation({model.layout.positions["next_ticket"]: 3}, steps=2, source="line 14")
        >>> at_once.agrees(model.initial_states()[0])
        False
    """

    cells: dict[int, Any]
    action: str | None = None
    steps: int = 1
    source: str = ""

    def agrees(self, state: State) -> bool:
        """Whether `state` has these values."""
        return all(is_same(value, row_of(state)[cell]) for cell, value in self.cells.items())


class Recording(NamedTuple):
    """Observations in order.

    Attributes:
        loop: The index of the observation to which the behaviour returns after the last one, for ever.
        begins: Where the behaviour is at the first observation: in an initial state, in any reachable state, or in one
            of these states.
        watched: Cells under continuous observation, as a table's rows are by its log. An observation names those of
            them that may have changed since the previous one; the others have not changed in between. None if each
            observation stands alone.
        irrelevant: Cells that no observation depends on, such as a history that steps only add to. Of several states
            that differ only in these, one is followed. The recording's author vouches for that; but an accepted
            recording is always a behaviour.
    """

    states: list[Observation]
    loop: int | None = None
    begins: Literal["initial", "reachable"] | Sequence[State] = "initial"
    watched: frozenset[int] | None = None
    irrelevant: frozenset[int] = frozenset()

    def check(self, model: Machine) -> None:
        """Raise :class:`InputError` unless the recording fits the cells of `model`."""
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


def _check_cells(where: str, observed: Iterable[int], cells: range) -> None:
    for cell in observed:
        if cell not in cells:
            raise InputError(f"{where}: cell {brief(cell)} is not accepted; the model has cells 0 to {cells[-1]}")
