"""The default picture of a model: a card for each member, with its variables."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbench.kernel import Machine, Map, Place, State
from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.values import sort_key
from workbench.showing.pictures.things import (
    PLAIN,
    QUIET,
    Box,
    RowTable,
    Text,
    card,
    name,
    note,
    part,
    row,
    table,
    text,
)

#: With more cells than this, those that hold their initial value are only counted.
_MOST_CELLS = 12


def variables(model: Machine, s: State, shown: Sequence[str]) -> Iterator[Box]:
    """The variables called `shown`: cards for those without an index, the others grouped by their index set."""
    alone, notation = [v for v in shown if model.declared.variables[v].per is None], model.layout.notation
    if alone:
        yield part("variables", "shared", *(_alone(v, getattr(s, v), notation) for v in alone))
    sets: dict[str, list[str]] = {}
    for variable in shown:
        per = model.declared.variables[variable].per
        if per is not None:
            sets.setdefault(per, []).append(variable)
    for per, names in sets.items():
        members = model.members(per)
        if len(names) == 1 or len(members) > _MOST_CELLS:
            cards = [_cells(model, v, getattr(s, v)) for v in names]
        else:
            cards = [_member(name("of", per, notation.show(m)), m, names, s, notation.show) for m in members]
        yield part(name("of", per), per.replace("_", " "), *cards)


def _alone(variable: str, value: Any, notation: Notation) -> Box:
    lines = _value(name("value", variable), value, notation)
    return card(name("variable", variable), variable, *lines, of=Place(variable))


def _member(id: str, member: Any, names: Sequence[str], s: State, show: Callable[[Any], str]) -> Box:
    """The cells of one member of a set; empty ones are muted."""
    lines: list[Text] = []
    for variable in names:
        value = getattr(s, variable)[member]
        said = f"{variable}: {show(value)}"
        lines.append(note(said) if _is_empty(value) else text(said))
    return card(id, show(member), *lines, of=[Place(variable, member) for variable in names])


def _cells(model: Machine, variable: str, cells: Any) -> Box:
    """A variable's cells, one below the other."""
    show = model.layout.notation.show
    usual: Any = model.declared.variables[variable].initial
    hidden = [index for index, value in cells.items() if value == usual] if len(cells) > _MOST_CELLS else []
    rows = [
        row(
            name("cell", variable, show(index)),
            show(index),
            show(value),
            of=Place(variable, index),
            tone=QUIET if _is_empty(value) else PLAIN,
        )
        for index, value in cells.items()
        if index not in hidden
    ]
    rest = note(f"{len(hidden)} others: {show(usual)}") if hidden else None
    return card(name("variable", variable), variable, table(name("table", variable), rows) if rows else None, rest)


def _is_empty(value: Any) -> bool:
    return value is None or value is False or value in ((), frozenset(), Map())


def _value(id: str, value: Any, notation: Notation) -> Iterator[Text | RowTable]:
    """A value; the members of a collection that is not empty one by one."""
    show = notation.show
    if isinstance(value, Map) and value:
        items = sorted(value.items(), key=lambda item: sort_key(item[0]))
        yield table(
            id, (row(name(id, i), notation.key(value, key), show(inside)) for i, (key, inside) in enumerate(items))
        )
    elif isinstance(value, frozenset) and value:
        yield from (text(show(item)) for item in sorted(value, key=sort_key))
    elif type(value) is tuple and value:
        yield from (text(f"{i}. {show(item)}") for i, item in enumerate(value, 1))
    else:
        yield text(show(value), tone=QUIET if _is_empty(value) else PLAIN)
