"""Project findings onto states of a protocol's model."""

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.kernel import Machine, Model, State, machine_of
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.machine import AnyModel

#: Constants of a model with their values.
Settings = Mapping[str, Any]


def projected(
    model: Model,
    changes: Mapping[str, Any],
    legend: Iterable[str],
    cause: Settings | None,
    repair: Settings,
    names: Mapping[str, str],
) -> dict[str, Any]:
    """The fields of a finding that show it as a state of the model.

    Args:
        changes: From the first initial state, as in :func:`state_with`.
        legend: What the state's names stand for, as far as the table has no names for it.
        cause: The constants with which the model reaches such a state; None if it never does.
        repair: The constants with which it cannot.
        names: The table's names for those of the state.
    """
    machine = machine_of(model)
    state = state_with(machine, changes)
    fields = {"model": machine, "state": state, "cause": cause, "repair": repair}
    return {**fields, "names": names, "legend": tuple(legend)}


def short(name: str) -> str:
    """A table's name for a box of a picture: of a long one the ends, by which files differ.

    Examples:
        >>> short("data-64688e66-95de-43f8-8cea-077043c4663f-0.parquet"), short("w5-14")
        ('data-64688e66…f-0.parquet', 'w5-14')
    """
    return name if len(name) <= 27 else f"{name[:13]}\N{HORIZONTAL ELLIPSIS}{name[-11:]}"


def state_with(model: AnyModel, changes: Mapping[str, Any]) -> State:
    """The model's first initial state with some values changed; those of an indexed variable are given by index.

    Examples:
        >>> from workbench.protocols.hudi.model import Hudi
        >>> state = state_with(Hudi(), {"started": 1, "index": {"k1": "fg1"}})
        >>> state.started, state.index["k1"], state.index["k2"]
        (1, 'fg1', None)
    """
    model = machine_of(model)
    cells: dict[Cell, Any] = {}
    for variable, change in changes.items():
        indexed = model.declared.variables[variable].per is not None
        for index, value in change.items() if indexed else [(None, change)]:
            cells[Cell(variable, index)] = model.mark(value)
    return changed(model, model.initial_states()[0], cells)


def changed(model: Machine, state: State, cells: Mapping[Cell, Any]) -> State:
    """`state` with other values in some cells."""
    written: State = model.written(state, model.layout.put(cells))
    return written
