"""Decoding the files of a table on Spark: names go to the workers, and Arrow batches come back."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from workbench.engines.spark.dataflow import Outgoing, on_spark
from workbench.kernel import InputError
from workbench.tables.decoding import Decode, Decoder, batches, in_process
from workbench.tables.source import Source

#: Fewer items than these are decoded where they are: a job of Spark costs more.
FEWEST = 2_000
#: How many items a task decodes.
PER_TASK = 5_000


def spark_decoder(session: Any) -> Decoder:
    """A decoder that works on a Spark session.

    The table must be reachable by the workers under the same name.
    """

    def decoded(source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table:
        if len(items) < FEWEST:
            return in_process(source, decode, items, schema)
        work = [items[at : at + PER_TASK] for at in range(0, len(items), PER_TASK)]
        task = partial(_decoded, source, decode, schema)
        answers = on_spark(session, lambda: None, lambda error: error, work, task)
        for answer in answers:
            if isinstance(answer, InputError):
                raise answer
        return pa.Table.from_batches(answers, schema)

    return decoded


def _decoded(source: Source, decode: Decode, schema: pa.Schema, items: Sequence[Any]) -> Outgoing:
    """What a worker answers: batches of rows; what is wrong with an item ends them, and is an answer too."""
    try:
        for batch in batches((row for item in items for row in decode(source, item)), schema):
            yield 0, batch
    except InputError as error:
        yield 0, error
