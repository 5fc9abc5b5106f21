"""The default picture of a model: a card for each member, with its variables."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from workbench.kernel import Machine, Map, Place, State
from workbench.kernel.meaning.notation import Notation
from workbench.kernel.meaning.values import record_items, sort_key
from workbench.showing.pictures.things import (
    PLAIN,
    QUIET,
    Box,
    Row,
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
    """The variables called `shown`: cards for those without an index, the others grouped by their index set.

    One that is not of the text, but only helps to explore it, is left out while it says nothing; background always.
    """
    declared, notation = model.declared.variables, model.layout.notation
    shown = [
        v
        for v in shown
        if v not in notation.background and not (declared[v].ghost and _says_nothing(getattr(s, v), notation))
    ]
    alone = [v for v in shown if declared[v].per is None]
    if alone:
        yield part("variables", "shared", *(_alone(v, getattr(s, v), notation) for v in alone))
    sets: dict[str, list[str]] = {}
    for variable in shown:
        per = declared[variable].per
        if per is not None:
            sets.setdefault(per, []).append(variable)
    for per, names in sets.items():
        members = model.members(per)
        if len(names) == 1 or len(members) > _MOST_CELLS:
            cards = [_cells(model, v, getattr(s, v)) for v in names]
        else:
            cards = [_member(name("of", per, notation.show(m)), m, names, s, notation) for m in members]
        yield part(name("of", per), per.replace("_", " "), *cards)


def _alone(variable: str, value: Any, notation: Notation) -> Box:
    lines = _value(name("value", variable), value, notation)
    return card(name("variable", variable), variable, *lines, of=Place(variable))


def _member(id: str, member: Any, names: Sequence[str], s: State, notation: Notation) -> Box:
    """The cells of one member of a set; empty ones are muted."""
    lines: list[Text] = []
    for variable in names:
        value = getattr(s, variable)[member]
        line = f"{variable}: {notation.show(value)}"
        lines.append(note(line) if _is_empty(value, notation) else text(line))
    return card(id, notation.show(member), *lines, of=[Place(variable, member) for variable in names])


def _cells(model: Machine, variable: str, cells: Any) -> Box:
    """A variable's cells, one below the other."""
    notation = model.layout.notation
    show = notation.show
    usual: Any = model.declared.variables[variable].initial
    hidden = [index for index, value in cells.items() if value == usual] if len(cells) > _MOST_CELLS else []
    rows = [
        row(
            name("cell", variable, show(index)),
            show(index),
            show(value),
            of=Place(variable, index),
            tone=QUIET if _is_empty(value, notation) else PLAIN,
        )
        for index, value in cells.items()
        if index not in hidden
    ]
    rest = note(f"{len(hidden)} others: {show(usual)}") if hidden else None
    return card(name("variable", variable), variable, table(name("table", variable), rows) if rows else None, rest)


def _is_empty(value: Any, notation: Notation) -> bool:
    inside = notation.parts(value)
    return inside is None or inside is False or inside in ((), frozenset(), Map())


def _says_nothing(cells: Any, notation: Notation) -> bool:
    return all(_is_empty(value, notation) for value in (cells.values() if isinstance(cells, Mapping) else [cells]))


def _value(id: str, value: Any, notation: Notation) -> Iterator[Text | RowTable]:
    """A value; the members of a collection that is not empty one by one."""
    show = notation.show
    if isinstance(value, Map) and value:
        items = sorted(value.items(), key=lambda item: sort_key(item[0]))
        yield table(
            id, (row(name(id, i), notation.key(value, key), show(inside)) for i, (key, inside) in enumerate(items))
        )
    elif (isinstance(value, frozenset) or type(value) is tuple) and (rows := [*_fields(id, value, notation)]):
        yield table(id, rows)
    elif isinstance(value, frozenset) and value:
        yield from (text(show(item)) for item in sorted(value, key=sort_key))
    elif type(value) is tuple and value:
        yield from (text(f"{i}. {show(item)}") for i, item in enumerate(value, 1))
    else:
        yield text(show(value), tone=QUIET if _is_empty(value, notation) else PLAIN)


def _fields(id: str, value: Collection[Any], notation: Notation) -> Iterator[Row]:
    """Messages and other records, each a row of its fields, below their names; none unless all members are records."""
    is_set = isinstance(value, frozenset)
    members = sorted(value, key=sort_key) if is_set else list(value)
    records = [_record(member, notation) for member in members]
    if not records or not all(records):
        return
    names = [*dict.fromkeys(field for record in records for field in record)]
    first = () if is_set else ("",)
    yield row(name(id, "names"), *first, *names, tone=QUIET)
    numbers = range(notation.first, notation.first + len(members))
    texts = [notation.show(member) for member in members] if is_set else []
    keys = texts if len({*texts}) == len(members) else numbers  # a member that goes does not change the others' rows
    for number, key, record in zip(numbers, keys, records, strict=True):
        at = () if is_set else (f"{number}.",)
        yield row(name(id, key), *at, *(record.get(field, "") for field in names))


def _record(value: Any, notation: Notation) -> dict[str, str]:
    """The fields of a record, or of a Map, as texts; none for any other value."""
    if isinstance(value, Map):
        return {notation.key(value, key): notation.show(inside) for key, inside in value.items()}
    return {field: notation.show(inside) for field, inside in record_items(value)}
