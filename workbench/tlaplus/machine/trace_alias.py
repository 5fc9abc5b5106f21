"""The ALIAS of a configuration: for each state, the fields of its record with their values."""

from typing import Any

from workbench.kernel.meaning.state import Reader
from workbench.tlaplus.config.closures import Closure, Closures
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.syntax.tree import Operation, RecordOf
from workbench.tlaplus.syntax.unparse import written
from workbench.tlaplus.values.lazy import listed


class Alias:
    """An expression of a state and the next one, compiled only when a trace is shown: most checks show none."""

    def __init__(self, closures: Closures, cells: Cells, closure: Closure) -> None:
        self._closures, self._cells, self._closure = closures, cells, closure

    def __call__(self, before: Reader, after: Reader) -> Any:
        now, then = self._cells.variables_of(before), self._cells.variables_of(after)
        function, values = self._closures.compiled("expression", self._closure), self._closure.values.values()
        return self._closures.evaluated(self._closure.node.at, lambda: listed(function(now, then, *values)))


def aliases_of(closures: Closures, cells: Cells, closure: Closure) -> dict[str, Alias]:
    """The fields of a record, also through definitions and ``@@``; anything else is one field, named by its text."""
    node = closure.node
    if isinstance(node, RecordOf):
        return {field.name: Alias(closures, cells, closure.beside(field.value)) for field in node.fields}
    if isinstance(node, Operation) and node.symbol == "@@":
        first, second = (aliases_of(closures, cells, closure.beside(operand)) for operand in node.operands)
        return {**first, **{name: alias for name, alias in second.items() if name not in first}}
    inner = closures.unfolded(closure)
    return {written(node): Alias(closures, cells, closure)} if inner is None else aliases_of(closures, cells, inner)
