"""Decode a table's files on Spark: names go to the workers, Arrow batches come back."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from workbench.audits.damaged import Damaged
from workbench.audits.decoding import Decode, Decoder, batches, in_process, raise_all, rows_of
from workbench.audits.source import Source
from workbench.checking.spark.dataflow import Outgoing, on_spark
from workbench.kernel import InputError

#: Fewer items are decoded in this process: a Spark job costs more.
FEWEST = 2_000
#: Items per task.
PER_TASK = 5_000


def spark_decoder(session: Any) -> Decoder:
    """A decoder that runs on a Spark session, whose workers must reach the table under the same URL."""

    def decoded(source: Source, decode: Decode, items: Sequence[Any], schema: pa.Schema) -> pa.Table:
        if len(items) < FEWEST:
            return in_process(source, decode, items, schema)
        work = [items[at : at + PER_TASK] for at in range(0, len(items), PER_TASK)]
        task = partial(_decoded, source, decode, schema)
        answers = on_spark(session, lambda: None, lambda error: error, work, task)
        for answer in answers:
            if isinstance(answer, InputError) and not isinstance(answer, Damaged):
                raise answer
        raise_all([answer for answer in answers if isinstance(answer, Damaged)])
        return pa.Table.from_batches(answers, schema)

    return decoded


def _decoded(source: Source, decode: Decode, schema: pa.Schema, items: Sequence[Any]) -> Outgoing:
    """A worker's answers: batches of rows, the errors about damaged files, and any other error, which is the last."""
    damaged: list[Damaged] = []
    try:
        for batch in batches(rows_of(source, decode, items, damaged), schema):
            yield 0, batch
    except InputError as error:
        yield 0, error
    yield from ((0, error) for error in damaged)
