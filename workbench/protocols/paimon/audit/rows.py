"""Read the rows of a Paimon bucket."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.audits.columns import parquet_file
from workbench.audits.shape import row_codes
from workbench.audits.source import Source
from workbench.audits.vectors import UnreadableError
from workbench.kernel.meaning.errors import brief
from workbench.protocols.paimon.audit.files import Schema

#: The kinds of rows, by their stored numbers.
KINDS = ("+I", "-U", "+U", "-D")

#: The largest data file that is read, by the unpacked size it announces.
_MOST_UNPACKED = 2**30


@dataclass
class Rows:
    """The rows of several data files, without their values, as parallel arrays.

    Attributes:
        file: The index in `files`.
        position: The place in the file.
        key: The key's number.
    """

    files: list[str]
    file: np.ndarray
    position: np.ndarray
    key: np.ndarray
    sequence: np.ndarray
    kind: np.ndarray

    def __len__(self) -> int:
        return len(self.file)


def read_rows(source: Source, schema: Schema, bucket: str, files: Sequence[str]) -> Rows:
    """The keys, sequence numbers and kinds of all rows in some of a bucket's data files.

    Raises:
        UnreadableError: If a data file is of an unsupported kind.
        Missing, InputError: If a file is gone, or damaged.
    """
    columns = [*schema.key_columns, "_SEQUENCE_NUMBER", "_VALUE_KIND"]
    tables = [_read(source, f"{bucket}/{name}", columns) for name in files]
    number = np.repeat(np.arange(len(files), dtype=np.int32), [len(table) for table in tables])
    position = np.concatenate([np.arange(len(table)) for table in tables] or [np.zeros(0, np.int64)])
    try:
        rows = pa.concat_tables(tables, promote_options="permissive") if tables else None
        keys = None if rows is None else row_codes(rows, schema.key_columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise UnreadableError(f"the key columns of {bucket} have several types") from None
    except pa.ArrowNotImplementedError as error:
        raise UnreadableError(f"the key columns of {bucket} are of types that are not read: {error}") from None
    if rows is None or keys is None:
        empty = np.zeros(0, np.int64)
        return Rows(list(files), number, empty, empty, empty, empty)
    return Rows(
        list(files), number, position, keys, rows["_SEQUENCE_NUMBER"].to_numpy(), rows["_VALUE_KIND"].to_numpy()
    )


Whole = dict[tuple[str, int], dict[str, Any]]


def whole_rows(source: Source, schema: Schema, bucket: str, positions_of: dict[str, list[int]]) -> Whole:
    """Complete rows by file and position: their keys and values as JSON, and anything else that distinguishes them."""
    rows: Whole = {}
    for name, positions in positions_of.items():
        table = _read(source, f"{bucket}/{name}", None)
        for position, row in zip(positions, table.take(pa.array(positions, pa.int64())).to_pylist(), strict=True):
            values = {column: value for column, value in row.items() if not column.startswith("_")}
            rows[name, position] = {
                "file": name,
                "position": position,
                "key": spelled([values[key] for key in schema.key_columns]),
                "sequence": row["_SEQUENCE_NUMBER"],
                "kind": row["_VALUE_KIND"],
                "value": _json({column: value for column, value in values.items() if column not in schema.keys}),
            }
    return rows


def spelled(key: Sequence[Any]) -> str:
    """A key as text: JSON where it has several columns.

    Examples:
        >>> spelled(["jack"]), spelled([1, "a"])
        ('jack', '[1, "a"]')
    """
    return str(key[0]) if len(key) == 1 else _json(list(key))


def _json(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


def _read(source: Source, name: str, columns: list[str] | None) -> pa.Table:
    if not name.endswith(".parquet"):
        raise UnreadableError(f"data files such as {brief(name)} are not read, only Parquet")
    with parquet_file(source, name, columns or ("_SEQUENCE_NUMBER", "_VALUE_KIND")) as parquet:
        footer = parquet.metadata
        unpacked = sum(footer.row_group(number).total_byte_size for number in range(footer.num_row_groups))
        if unpacked > _MOST_UNPACKED or footer.num_rows > _MOST_UNPACKED // 8:
            raise UnreadableError(f"{brief(name)} has more than {_MOST_UNPACKED:,} bytes when it is unpacked")
        return parquet.read(columns=columns, use_threads=False)
