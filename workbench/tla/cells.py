"""Where a module's variables are in the rows of states: one cell each, so far."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.kernel.meaning.state import Layout, Reader, Values, View
from workbench.tla.lazy import listed


class Cells:
    """The cells of some variables. Nothing else knows that variable and cell have the same number.

    Attributes:
        names: The variables.
        layout: The cells, as engines know them.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.layout = Layout(dict.fromkeys(names))

    def variables(self, row: Values) -> Values:
        """The values of the variables in a row, by number; a cell is read when its variable is asked for."""
        return row

    def variables_of(self, state: Reader) -> Values:
        """The same of a state, or of what reads one."""
        assert isinstance(state, View)
        return self.variables(state._row)

    def writes(self, then: Mapping[int, Any]) -> dict[int, Any]:
        """The values of cells, from those of variables."""
        return {number: listed(value) for number, value in then.items()}
