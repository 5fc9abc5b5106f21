"""Columns of untrusted Parquet files, batch by batch.

The metadata of column chunks is never asked for: pyarrow ends the process where it contradicts itself, and raises an
error only when it reads.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.audits.damaged import Damaged
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed

#: The rows of a batch, and the most bytes that a footer may announce for a row group.
BATCH = 2**16
MOST_OF_GROUP = 2**33


def column_names(source: Source, name: str) -> list[str]:
    """The top-level columns of a Parquet file."""
    with parquet_file(source, name) as parquet:
        return list(parquet.schema_arrow.names)


def count_rows(source: Source, name: str) -> int:
    """The number of rows according to a Parquet file's footer."""
    with parquet_file(source, name) as parquet:
        return int(parquet.metadata.num_rows)


def read_columns(source: Source, name: str, columns: Sequence[str], batch: int = BATCH) -> Iterator[pa.RecordBatch]:
    """The `columns` of one of a table's Parquet files, in batches; ``a.b`` names field b of column a.

    Args:
        batch: The most rows of a batch.

    Raises:
        Missing: If there is no such file.
        InputError: If it is damaged, lacks a column, or announces more than is read.
    """
    with parquet_file(source, name, columns) as parquet:
        for number in range(parquet.metadata.num_row_groups):
            size = parquet.metadata.row_group(number).total_byte_size
            if size > MOST_OF_GROUP:
                raise InputError(
                    f"{brief(name)} is not accepted: a row group promises {size:,} bytes; {MOST_OF_GROUP:,} are read"
                )
        yield from parquet.iter_batches(batch, columns=list(columns), use_threads=False)


@contextmanager
def parquet_file(source: Source, name: str, columns: Iterable[str] = ()) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file that must have the `columns`; an error in reading it is one line, and `Damaged`."""
    with source.open(name) as file:
        try:
            parquet = pq.ParquetFile(file)
            tops = set(parquet.schema_arrow.names)
            absent = sorted(column for column in columns if not {column, column.partition(".")[0]} & tops)
            if absent:
                raise Damaged(name, f"it has no column {listed(map(brief, absent))}")
            yield parquet
        except InputError:
            raise
        except (pa.ArrowException, OSError, ValueError, MemoryError, OverflowError) as error:
            reason = " ".join(str(error).split())[:200]
            raise Damaged(name, f"it is not a Parquet file, or not a whole one: {reason}") from None
