"""A real table's history as a recording of the model: each snapshot is an observation."""

from collections.abc import Sequence
from typing import Any

from workbench.formats.recording import Observation, Recording
from workbench.guided.mapping import Mapped
from workbench.kernel import InputError, Model
from workbench.kernel.state import Cell
from workbench.programs import needs


def recorded(path: str, keys: Sequence[str] | None = None, bucket: str | None = None) -> Mapped:
    """Map the snapshots of a Paimon table; see :func:`workbench.tables.paimon.history.bucket_history`.

    Between two snapshots the model takes any number of hidden steps and one visible one, the commit.

    Raises:
        InputError: If there is no such table, bucket or key, or the history is incomplete or too long.
    """
    needs("tables", "a table's history")
    from workbench.tables.paimon.history import bucket_history

    seen = bucket_history(path, keys, bucket)

    def record(model: Model) -> Recording:
        observations = [Observation({_position(model, Cell("latest", None)): 0}, source="the empty table")]
        for version, cells in enumerate(seen.versions, start=1):
            positions = {_position(model, cell): value for cell, value in cells.items()}
            observations.append(Observation(positions, source=f"snapshot {version}"))
        return Recording(observations)

    return Mapped("paimon", seen.constants, record)


def _position(model: Model, cell: Cell) -> Any:
    position = model.layout.position_of.get(cell)
    if position is None:
        raise InputError(f"the table has {cell}, which {model.name} lacks with these constants")
    return position
