"""Kinds of damage to a table: each a function that damages a copy. They follow from the table's own files and fields.

A file of each kind is deleted, emptied, cut off, or gets another's content; each field of its JSON is taken out, and
each of its fields, JSON, Avro or a checkpoint's Parquet, gets another value; its records are dropped, doubled, or all
taken out.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

Damage = Callable[[Path], object]
Change = Callable[[Any], object]
Place = tuple[str | int, ...]


def records(path: Path) -> list[Any]:
    """The records of an Avro file."""
    with path.open("rb") as file:
        return list(fastavro.reader(file))


def change(path: Path, how: Change) -> None:
    """Change what a file holds: a JSON object, or a list of JSON lines or of the records of an Avro or Parquet file."""
    content = path.read_bytes()
    if content.startswith(b"Obj\x01"):
        reader = fastavro.reader(BytesIO(content))
        schema: Any = reader.writer_schema
        how(some := list(reader))
        with path.open("wb") as file:
            fastavro.writer(file, schema, some)
    elif content.startswith(b"PAR1"):
        rows = pq.read_table(path)
        how(some := rows.to_pylist(maps_as_pydicts="strict"))
        pq.write_table(pa.Table.from_pylist(some, schema=rows.schema), path)
    elif b"\n{" in content:
        how(some := list(map(json.loads, content.splitlines())))
        path.write_text("".join(f"{json.dumps(line)}\n" for line in some))
    else:
        how(document := json.loads(content))
        path.write_text(json.dumps(document))


def damages(table: Path, kinds: dict[str, tuple[str, str | None]]) -> Iterator[tuple[str, Damage]]:
    """The damages to a table, by name.

    Args:
        kinds: From a kind of file to the name of the file to damage, and of another one of its kind.
    """
    for kind, (name, other) in kinds.items():
        yield f"{kind}: is missing", lambda copy, name=name: (copy / name).unlink()  # type: ignore[misc]
        content = (table / name).read_bytes()
        contents = {"is empty": b"", "is cut off": content[:-9]}
        if other is not None:
            contents["is another one"] = (table / other).read_bytes()
        for what, new in contents.items():
            yield f"{kind}: {what}", lambda copy, name=name, new=new: (copy / name).write_bytes(new)  # type: ignore[misc]
        for what, how in _changes(name, content):
            yield f"{kind}: {what}", lambda copy, name=name, how=how: change(copy / name, how)  # type: ignore[misc]


def _changes(name: str, content: bytes) -> Iterator[tuple[str, Change]]:
    if content.startswith(b"Obj\x01"):
        yield from _of_records(list(fastavro.reader(BytesIO(content))))
    elif "checkpoint.parquet" in name:
        yield from _of_rows(pq.read_table(BytesIO(content)).to_pylist(maps_as_pydicts="strict"))
    elif b"\n{" in content:
        yield from _of_lines(list(map(json.loads, content.splitlines())))
    elif content.startswith(b"{"):
        yield from _of_document(json.loads(content))


def _of_lines(lines: list[Any]) -> Iterator[tuple[str, Change]]:
    """Each line holds one action: it is dropped, doubled, and each of its fields damaged."""
    for i, line in enumerate(lines):
        (kind,) = line
        yield from _of_action(kind, i)
        for what, how in _of_document(line):
            yield what, lambda some, i=i, how=how: how(some[i])  # type: ignore[misc]


def _of_rows(rows: list[Any]) -> Iterator[tuple[str, Change]]:
    """The same for a table whose rows have an action in a column of its own each; a field that is missing is null."""
    for i, row in enumerate(rows):
        ((kind, action),) = ((name, value) for name, value in row.items() if value is not None)
        yield from _of_action(kind, i)
        for place, value in _leaves(action, (kind,)):
            yield f"{_spelled(place)} is missing", partial(put, (i, *place), None)
            yield f"{_spelled(place)} is another", partial(put, (i, *place), _other(value))


def _of_action(kind: str, i: int) -> Iterator[tuple[str, Change]]:
    yield f"{kind} is dropped", partial(drop, (i,))
    yield f"{kind} is doubled", lambda some: some.append(some[i])


def _of_records(records: list[Any]) -> Iterator[tuple[str, Change]]:
    yield "has no records", lambda some: some.clear()
    if len(records) > 1:
        yield "lacks its last record", lambda some: some.pop()
    if records:
        yield "has its first record twice", lambda some: some.append(some[0])
        for place, value in _leaves(records[-1]):
            yield f"{_spelled(place)} is another", partial(put, (-1, *place), _other(value))


def _of_document(document: Any) -> Iterator[tuple[str, Change]]:
    for place, value in _leaves(document):
        yield f"{_spelled(place)} is missing", partial(drop, place)
        yield f"{_spelled(place)} is another", partial(put, place, _other(value))


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


def put(place: Place, value: Any, whole: Any) -> None:
    _parent(whole, place)[place[-1]] = value


def drop(place: Place, whole: Any) -> None:
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
