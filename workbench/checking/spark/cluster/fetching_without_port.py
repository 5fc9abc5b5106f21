"""Fetches rows from Spark to this process without opening a port, on which another program could answer first."""

import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:  # workers load this module too
    import pandas as pd


def payloads(frame: Any) -> list[bytes]:
    """The column `payload` of a DataFrame, in order.

    PySpark's `collect` makes Java listen on a new port. Here Java, on the same machine, writes a file instead: the
    gateway is open and authenticated anyway, but carries bytes slowly, as text.
    """
    chosen = frame.select("payload")
    java = getattr(chosen, "_jdf", None)
    if java is None:  # Spark Connect has no such ports, and no gateway
        return [row.payload for row in chosen.collect()]
    jvm = frame.sparkSession.sparkContext._jvm
    rows = getattr(java, "as")(jvm.Encoders.BINARY()).collectAsList()
    with tempfile.NamedTemporaryFile() as file:
        out = jvm.java.io.DataOutputStream(jvm.java.io.BufferedOutputStream(jvm.java.io.FileOutputStream(file.name)))
        try:
            iterator = jvm.scala.jdk.javaapi.CollectionConverters.asScala(rows.iterator())
            jvm.PythonRDD.writeIteratorToStream(iterator, out)  # each with its length before it
        finally:
            out.close()
        return [file.read(int.from_bytes(length, "big")) for length in iter(lambda: file.read(4), b"")]


def to_pandas(frame: Any) -> "pd.DataFrame":
    """The same as ``frame.toPandas()``; workers need nothing from this package for it."""

    def packed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            with pa.BufferOutputStream() as sink:
                with pa.ipc.new_stream(sink, batch.schema) as stream:
                    stream.write_batch(batch)
                yield pa.RecordBatch.from_pydict({"payload": [sink.getvalue().to_pybytes()]})

    def collected(**_: Any) -> list[pa.RecordBatch]:
        return [
            batch
            for payload in payloads(frame.mapInArrow(packed, "payload binary"))
            for batch in pa.ipc.open_stream(payload)
        ]

    if getattr(frame, "_jdf", None) is not None:
        frame._collect_as_arrow = collected
    return frame.toPandas()
