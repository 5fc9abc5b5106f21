"""Decoding the files of a table on Spark: names go to the workers, and Arrow batches come back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema

from workbench.kernel import InputError
from workbench.tables.decoding import Decode, Decoder, batches, in_process
from workbench.tables.source import Missing, Source

#: Fewer items than these are decoded where they are: a job of Spark costs more.
FEWEST = 2_000
#: How many items a task decodes.
PER_TASK = 5_000

_ITEMS = pa.schema([("number", pa.int64()), ("version", pa.int64()), ("names", pa.list_(pa.string()))])
#: Beside the rows: the number of the item, and why it could not be decoded.
_BESIDE = [("_number", pa.int64()), ("_why", pa.string()), ("_is_missing", pa.bool_())]


def on_spark(session: Any) -> Decoder:
    """A decoder that works on a Spark session.

    The table must be reachable by the workers under the same name.
    """

    def decoded(source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table:
        if len(items) < FEWEST:
            return in_process(source, decode, items, schema)
        columns = [range(len(items)), [item.version for item in items], [list(item.names) for item in items]]
        table = pa.table([pa.array(column, field.type) for column, field in zip(columns, _ITEMS, strict=True)], _ITEMS)
        answer = pa.schema([*schema, *_BESIDE])
        sent = session.createDataFrame(table).repartitionByRange(-(-len(items) // PER_TASK), "number")
        rows = sent.mapInArrow(_task(source, decode, type(items[0]), answer), from_arrow_schema(answer)).toArrow()
        rows = rows.sort_by([("_number", "ascending")])  # which keeps the order of an item's rows
        wrong = rows.filter(rows["_why"].is_valid())
        if len(wrong):
            first = wrong.slice(0, 1).to_pylist()[0]
            raise (Missing if first["_is_missing"] else InputError)(first["_why"])
        return rows.select(schema.names).cast(schema)

    return decoded


def _task(
    source: Source, decode: Decode, item_of: Callable[..., Any], answer: pa.Schema
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a worker does with its items; what is wrong with one of them is an answer too."""

    def rows_of(numbered: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        number = numbered["number"]
        try:
            for row in decode(source, item_of(numbered["version"], tuple(numbered["names"]))):
                yield (*row, number, None, None)
        except InputError as error:
            yield (*[None] * (len(answer) - len(_BESIDE)), number, str(error), isinstance(error, Missing))

    def task(sent: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for items in sent:
            yield from batches((row for item in items.to_pylist() for row in rows_of(item)), answer)

    return task
