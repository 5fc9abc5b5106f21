"""Decode many files of a table with the same function."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa

from workbench.audits.damaged import Damaged
from workbench.audits.source import Source

#: Yields rows, as tuples in the order of a schema's columns.
Decode = Callable[[Source, Any], Iterable[tuple[Any, ...]]]

#: The number of rows in a batch.
_BATCH = 16_384


def decoded(source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """Apply a function to each item, and collect the rows in one Arrow table.

    Raises:
        Damaged: If files are damaged. It is raised after all items were tried, and reports all errors.
    """
    damaged: list[Damaged] = []
    table = pa.Table.from_batches(_batches(_rows(source, decode, items, damaged), schema), schema)
    if damaged:
        damaged[0].others = tuple(damaged[1:])
        raise damaged[0]
    return table


def _rows(source: Source, decode: Decode, items: Iterable[Any], damaged: list[Damaged]) -> Iterator[tuple[Any, ...]]:
    for item in items:
        try:
            yield from decode(source, item)
        except Damaged as error:
            damaged.append(error)


def _batches(rows: Iterator[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    while some := list(islice(rows, _BATCH)):
        columns = zip(*some, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
