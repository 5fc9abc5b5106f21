"""Project findings onto states of a protocol's model."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.kernel import Model, State
from workbench.kernel.state import Cell


class Projected(NamedTuple):
    """A model and one of its states, as fields of a finding.

    Attributes:
        cause: The constants with which the model reaches such a state; None if it never does.
        repair: The constants with which it cannot.
        legend: What the state's names stand for in the table.
    """

    model: Model
    state: State
    cause: Mapping[str, Any] | None
    repair: Mapping[str, Any]
    legend: tuple[str, ...]


def state_with(model: Model, changes: Mapping[str, Any]) -> State:
    """The model's first initial state with some values changed: of an indexed variable, by index.

    Examples:
        >>> from workbench.protocols.hudi.model import Hudi
        >>> state = state_with(Hudi(), {"started": 1, "index": {"k1": "fg1"}})
        >>> state.started, state.index["k1"], state.index["k2"]
        (1, 'fg1', None)
    """
    values = list(model.initial_states()[0].values)
    for variable, change in changes.items():
        indexed = model.declared.variables[variable].per is not None
        for index, value in change.items() if indexed else [(None, change)]:
            values[model.layout.position_of[Cell(variable, index)]] = model.mark(value)
    state: State = model.state(values)
    return state
