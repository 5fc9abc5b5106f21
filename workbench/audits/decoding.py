"""Decode many files of a table with the same functions: one by one in this process, or in parallel on Spark."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

import pyarrow as pa

from workbench.audits.damaged import Damaged
from workbench.audits.source import Source

#: Yields rows, as tuples in the order of a schema's columns.
Decode = Callable[[Source, Any], Iterable[tuple[Any, ...]]]

#: How many rows become one batch.
_BATCH = 16_384


class Decoder(Protocol):
    """Applies a function to each item, and collects the rows in one Arrow table, in the order of the items.

    Raises:
        Damaged: If files are damaged, once all items were tried; it tells all errors.
    """

    def __call__(self, source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table: ...


def in_process(source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table:
    """The :class:`Decoder` that works in this process."""
    damaged: list[Damaged] = []
    table = pa.Table.from_batches(batches(rows_of(source, decode, items, damaged), schema), schema)
    raise_all(damaged)
    return table


def rows_of(source: Source, decode: Decode, items: Iterable[Any], damaged: list[Damaged]) -> Iterator[tuple[Any, ...]]:
    """The rows of the items; the errors of those with a damaged file are added to `damaged`."""
    for item in items:
        try:
            yield from decode(source, item)
        except Damaged as error:
            damaged.append(error)


def raise_all(damaged: Sequence[Damaged]) -> None:
    """Raise the first of some errors, which tells the others, if there are any."""
    if damaged:
        damaged[0].others = tuple(damaged[1:])
        raise damaged[0]


def batches(rows: Iterator[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as record batches."""
    while some := list(islice(rows, _BATCH)):
        columns = zip(*some, strict=True)
        arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)
