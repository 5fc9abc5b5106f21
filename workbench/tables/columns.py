"""Columns of untrusted Parquet files, batch by batch."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.kernel import InputError
from workbench.kernel.errors import brief, listed
from workbench.tables.source import Source

#: The rows of a batch, and the most bytes that a footer may announce for one column of a row group.
BATCH = 2**16
MOST_OF_CHUNK = 2**30


def column_names(source: Source, name: str) -> list[str]:
    """The top-level columns of a Parquet file."""
    with source.open(name) as file:
        return list(pq.read_schema(file).names)


def count_rows(source: Source, name: str) -> int:
    """How many rows a Parquet file's footer announces."""
    with source.open(name) as file:
        return int(pq.read_metadata(file).num_rows)


def read_columns(source: Source, name: str, wanted: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of a Parquet file of a table.

    Raises:
        Missing: If there is no such file.
        InputError: If it is damaged, lacks a column, or announces more than is read.
    """
    with source.open(name) as file:
        size = file.size()
        try:
            parquet = pq.ParquetFile(file)
            absent = sorted(set(wanted) - set(parquet.schema_arrow.names))
            if absent:
                raise InputError(f"{brief(name)} is not accepted: it has no column {listed(absent)}")
            _check_chunks(parquet.metadata, set(wanted), size, name)
            yield from parquet.iter_batches(BATCH, columns=list(wanted), use_threads=False)
        except MemoryError:
            raise InputError(f"{brief(name)} is not accepted: it promises more than there is memory for") from None


def _check_chunks(metadata: pq.FileMetaData, wanted: set[str], size: int, name: str) -> None:
    """Refuse column chunks that the file cannot hold, or that are too large unpacked."""
    for group in range(metadata.num_row_groups):
        row_group = metadata.row_group(group)
        for i in range(row_group.num_columns):
            chunk = row_group.column(i)
            if chunk.path_in_schema.partition(".")[0] not in wanted:
                continue
            if not 0 <= chunk.total_compressed_size <= size:
                raise InputError(f"{brief(name)} is damaged: a column has more bytes than the file")
            if not 0 <= chunk.total_uncompressed_size <= MOST_OF_CHUNK:
                raise InputError(
                    f"{brief(name)} is not accepted: a column promises {chunk.total_uncompressed_size:,} bytes; "
                    f"{MOST_OF_CHUNK:,} are read"
                )
