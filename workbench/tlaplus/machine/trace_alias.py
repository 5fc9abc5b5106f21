"""The ALIAS of a configuration: for each state, the fields of its record with their values."""

from typing import Any

from workbench.kernel.meaning.state import Reader
from workbench.tlaplus.config.closures import Term, Terms
from workbench.tlaplus.layout.layout import Cells
from workbench.tlaplus.syntax.tree import Operation, RecordOf
from workbench.tlaplus.syntax.unparse import written
from workbench.tlaplus.values.lazy import listed


class Alias:
    """An expression of a state and the next one, compiled only when a trace is shown: most checks show none."""

    def __init__(self, terms: Terms, cells: Cells, term: Term) -> None:
        self._terms, self._cells, self._term = terms, cells, term

    def __call__(self, before: Reader, after: Reader) -> Any:
        now, then = self._cells.variables_of(before), self._cells.variables_of(after)
        function, values = self._terms.compiled("expression", self._term), self._term.values.values()
        return self._terms.evaluated(self._term.node.at, lambda: listed(function(now, then, *values)))


def aliases_of(terms: Terms, cells: Cells, term: Term) -> dict[str, Alias]:
    """The fields of a record, also through definitions and ``@@``; anything else is one field, named by its text."""
    node = term.node
    if isinstance(node, RecordOf):
        return {one.name: Alias(terms, cells, term.beside(one.value)) for one in node.fields}
    if isinstance(node, Operation) and node.symbol == "@@":
        first, second = (aliases_of(terms, cells, term.beside(one)) for one in node.operands)
        return {**first, **{name: one for name, one in second.items() if name not in first}}
    inner = terms.unfolded(term)
    return {written(node): Alias(terms, cells, term)} if inner is None else aliases_of(terms, cells, inner)
