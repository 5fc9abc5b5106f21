"""States as columns of a table for people: one for each cell, and for each key of a function that always has it."""

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.kernel.meaning.cells import Shown, WholeSet
from workbench.kernel.meaning.notation import PYTHON, Notation
from workbench.kernel.meaning.state import Layout
from workbench.kernel.meaning.values import Map, flatten, is_same


def tabulated(layout: Layout) -> list[Shown]:
    """The cells that a table shows, among them each member of a declared set, and a spread variable as one."""
    return [
        part
        for cell in layout.shown
        for part in (
            [Shown(layout.cells[number], number, None) for number in cell.numbers]
            if isinstance(cell.whole, WholeSet)
            else [cell]
        )
    ]


def columns(name: str, values: Sequence[Any], notation: Notation = PYTHON) -> Iterator[tuple[str, list[Any]]]:
    """The columns of a cell called `name`, each with its own name, from the cell's values.

    Maps that all have the same keys get a column for each key. Elsewhere a Map is text, since pandas prints keys alone,
    and so is every value with parts whose notation is not Python's.

    Examples:
        >>> [*columns("stock", [Map({"pear": 1, "plum": 2}), Map({"pear": 0, "plum": 2})])]
        [('stock[pear]', [1, 0]), ('stock[plum]', [2, 2])]
        >>> [*columns("box", [Map({"pear": 1}), Map()])]
        [('box', ['{pear: 1}', '{}'])]
    """
    first = values[0] if values else None
    if (
        isinstance(first, Map)
        and first
        and all(isinstance(value, Map) and is_same(frozenset(value), frozenset(first)) for value in values)
    ):
        for key in first:
            yield from columns(notation.part(name, first, key), [value[key] for value in values], notation)
    elif notation is PYTHON and not any(map(_holds_map, values)):
        yield name, list(values)
    else:
        yield name, [notation.show(value) if flatten(value)[1] or isinstance(value, str) else value for value in values]


def _holds_map(value: Any) -> bool:
    return isinstance(value, Map) or any(map(_holds_map, flatten(value)[0]))
