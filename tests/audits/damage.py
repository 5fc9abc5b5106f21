"""Kinds of damage to a table: each a function that damages a copy. They follow from the table's own files and fields.

A file of each kind is deleted, emptied, cut off, or gets another's content; each field of its JSON is taken out, and
each of its fields, JSON, Avro or a checkpoint's Parquet, gets another value; its records are dropped, doubled, or all
taken out.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

Damage = Callable[[Path], None]
Place = tuple[str | int, ...]


def damages(table: Path, kinds: dict[str, tuple[str, str | None]]) -> Iterator[tuple[str, Damage]]:
    """The damages to a table, by name.

    Args:
        kinds: From a kind of file to the name of the file to damage, and of another one of its kind.
    """
    for kind, (name, other) in kinds.items():
        yield f"{kind}: is missing", _file(name, lambda path, _: path.unlink())
        yield f"{kind}: is empty", _file(name, lambda path, _: path.write_bytes(b""))
        yield f"{kind}: is cut off", _file(name, lambda path, _: path.write_bytes(path.read_bytes()[:-9]))
        if other is not None:
            yield f"{kind}: is another one", _file(name, lambda path, o: path.write_bytes(o.read_bytes()), other)
        content = (table / name).read_bytes()
        if content.startswith(b"Obj\x01"):
            yield from ((f"{kind}: {what}", _avro(name, change)) for what, change in _of_records(read(table / name)))
        elif "checkpoint.parquet" in name:
            rows = pq.read_table(table / name).to_pylist(maps_as_pydicts="strict")
            yield from ((f"{kind}: {what}", _parquet(name, change)) for what, change in _of_rows(rows))
        elif name.endswith(".json") and content.count(b"\n{"):
            lines = list(map(json.loads, content.splitlines()))
            yield from ((f"{kind}: {what}", _lines(name, change)) for what, change in _of_lines(lines))
        elif content.startswith(b"{"):
            yield from ((f"{kind}: {what}", _json(name, change)) for what, change in _of_document(json.loads(content)))


def read(path: Path) -> list[Any]:
    with path.open("rb") as file:
        return list(fastavro.reader(file))


def _file(name: str, change: Callable[[Path, Path], object], other: str = "") -> Damage:
    def damage(table: Path) -> None:
        change(table / name, table / other)

    return damage


def _json(name: str, change: Callable[[Any], object]) -> Damage:
    def damage(table: Path) -> None:
        document = json.loads((table / name).read_text())
        change(document)
        (table / name).write_text(json.dumps(document))

    return damage


def _avro(name: str, change: Callable[[list[Any]], object]) -> Damage:
    def damage(table: Path) -> None:
        with (table / name).open("rb") as file:
            reader = fastavro.reader(file)
            schema: Any = reader.writer_schema
            records = list(reader)
        change(records)
        with (table / name).open("wb") as file:
            fastavro.writer(file, schema, records)

    return damage


def _lines(name: str, change: Callable[[list[Any]], object]) -> Damage:
    def damage(table: Path) -> None:
        lines = list(map(json.loads, (table / name).read_text().splitlines()))
        change(lines)
        (table / name).write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    return damage


def _parquet(name: str, change: Callable[[list[Any]], object]) -> Damage:
    def damage(table: Path) -> None:
        rows = pq.read_table(table / name)
        changed = rows.to_pylist(maps_as_pydicts="strict")
        change(changed)
        pq.write_table(pa.Table.from_pylist(changed, schema=rows.schema), table / name)

    return damage


def _of_lines(lines: list[Any]) -> Iterator[tuple[str, Callable[[list[Any]], object]]]:
    """Each line holds one action: it is dropped, doubled, and each of its fields damaged."""
    for i, line in enumerate(lines):
        (kind,) = line
        yield f"{kind} is dropped", partial(_drop, (i,))
        yield f"{kind} is doubled", lambda some, i=i: some.append(some[i])  # type: ignore[misc]
        for what, change in _of_document(line):
            yield what, lambda some, i=i, change=change: change(some[i])  # type: ignore[misc]


def _of_rows(rows: list[Any]) -> Iterator[tuple[str, Callable[[list[Any]], object]]]:
    """The same for a table whose rows have an action in a column of its own each; a field that is missing is null."""
    for i, row in enumerate(rows):
        ((kind, action),) = ((name, value) for name, value in row.items() if value is not None)
        yield f"{kind} is dropped", partial(_drop, (i,))
        yield f"{kind} is doubled", lambda some, i=i: some.append(some[i])  # type: ignore[misc]
        for place, value in _leaves(action, (kind,)):
            yield f"{_spelled(place)} is missing", partial(_put, (i, *place), None)
            yield f"{_spelled(place)} is another", partial(_put, (i, *place), _other(value))


def _of_records(records: list[Any]) -> Iterator[tuple[str, Callable[[list[Any]], object]]]:
    yield "has no records", lambda some: some.clear()
    if len(records) > 1:
        yield "lacks its last record", lambda some: some.pop()
    if records:
        yield "has its first record twice", lambda some: some.append(some[0])
        for place, value in _leaves(records[-1]):
            yield f"{_spelled(place)} is another", partial(_put, (-1, *place), _other(value))


def _of_document(document: Any) -> Iterator[tuple[str, Callable[[Any], object]]]:
    for place, value in _leaves(document):
        yield f"{_spelled(place)} is missing", partial(_drop, place)
        yield f"{_spelled(place)} is another", partial(_put, place, _other(value))


def _leaves(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """The values within a value; of a list, those of its last member."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*place, key))
    elif isinstance(value, list) and value:
        yield from _leaves(value[-1], (*place, len(value) - 1))
    elif place and value is not None and not isinstance(value, list):
        yield place, value


def _spelled(place: Place) -> str:
    return ".".join(part for part in place if isinstance(part, str))


def _parent(whole: Any, place: Place) -> Any:
    for part in place[:-1]:
        whole = whole[part]
    return whole


def _put(place: Place, value: Any, whole: Any) -> None:
    _parent(whole, place)[place[-1]] = value


def _drop(place: Place, whole: Any) -> None:
    _parent(whole, place).pop(place[-1])


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return 1 - value if value in (0, 1) else value + 1
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:] if value else b"\x01"
    if isinstance(value, str):
        return str(int(value) + 1) if value.isdecimal() else f"{value}x"
    return value
