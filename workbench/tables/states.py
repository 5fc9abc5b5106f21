"""What was found in a table as a state of its protocol's model."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.kernel import Model, State
from workbench.kernel.state import Cell


class Projected(NamedTuple):
    """A model and one of its states.

    Attributes:
        cause: The constants with which the model gets to such a state by itself; None if it does not.
        repair: The constants with which it does not.
        legend: What the state's names stand for in the table.
    """

    model: Model
    state: State
    cause: Mapping[str, Any] | None
    repair: Mapping[str, Any]
    legend: tuple[str, ...]


def state_with(model: Model, changes: Mapping[str, Any]) -> State:
    """The model's first state with other values in some variables: of one with an index, in some of its cells.

    Examples:
        >>> from workbench.models.hudi import Hudi
        >>> state = state_with(Hudi(), {"started": 1, "index": {"k1": "fg1"}})
        >>> state.started, state.index["k1"], state.index["k2"]
        (1, 'fg1', None)
    """
    values = list(model.initial_states()[0].values)
    for variable, change in changes.items():
        indexed = model.declared_variables[variable].per is not None
        for index, value in change.items() if indexed else [(None, change)]:
            values[model.layout.position_of[Cell(variable, index)]] = model.mark(value)
    state: State = model.state(values)
    return state
