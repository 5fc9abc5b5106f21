"""Untrusted ORC files, which some of Paimon's writers choose for manifests: read by pyarrow, stripe by stripe."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from pyarrow import orc

from workbench.audits.avro import MOST_OF_FILE, ORC, Record, records
from workbench.audits.damaged import Damaged
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief


def read_records(source: Source, name: str, keep: tuple[str, ...]) -> Iterator[Record]:
    """The records of a file in Avro or ORC; see :func:`workbench.audits.avro.records`."""
    content = source.read(name)
    return _orc(content, name, keep) if content.startswith(ORC) else records(content, name, keep)


def _orc(content: bytes, name: str, keep: tuple[str, ...]) -> Iterator[Record]:
    tops = {field.partition(".")[0] for field in keep}
    try:
        file, room = orc.ORCFile(pa.BufferReader(content)), MOST_OF_FILE
        columns = [column for column in file.schema.names if column in tops]
        for stripe in range(file.nstripes if columns else 0):
            rows = file.read_stripe(stripe, columns)
            room -= rows.nbytes
            if room < 0:
                raise InputError(f"{brief(name)} is not accepted: it has more than {MOST_OF_FILE:,} bytes unpacked")
            yield from map(_stored, rows.to_pylist())
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, InputError):
            raise
        raise Damaged(
            name, f"it is not an ORC file, or not a whole one: {' '.join(str(error).split())[:200]}"
        ) from None


def _stored(value: Any) -> Any:
    """A value as Avro stores it: a time is a number of milliseconds."""
    if isinstance(value, dict):
        return {name: _stored(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_stored(part) for part in value]
    if isinstance(value, datetime):
        return round(value.replace(tzinfo=value.tzinfo or UTC).timestamp() * 1000)
    return value
