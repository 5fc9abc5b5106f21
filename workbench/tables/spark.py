"""Decoding the files of a table on Spark: the names go to the workers, and rows come back."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from workbench.tables.decoding import Decode, Decoder, batches
from workbench.tables.source import Source

#: Fewer items than these are decoded at once where they are: a job of Spark costs more.
_FEWEST = 2_000
#: How many items become one task.
_TASK = 2_000


def on_spark(session: Any, fewest: int = _FEWEST) -> Decoder:
    """A decoder that works on a Spark session; `fewest` items are worth a job.

    The table's folder must be readable by the workers under the same name.
    """

    def decode_there(source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table:
        if len(items) < fewest:
            return pa.Table.from_batches(batches(source, decode, items, schema), schema)
        numbered = pa.table({"number": pa.array(range(len(items)), pa.int64())})
        raise NotImplementedError(numbered)

    return decode_there


def _task(source: Source, decode: Decode, schema: pa.Schema) -> Callable[[Iterable[pa.RecordBatch]], Iterable[Any]]:
    raise NotImplementedError
