"""The main branch of Iceberg tables, format versions 1 and 2."""

from typing import Any

from workbench.tables.findings import Audit
from workbench.tables.iceberg.judge import judge
from workbench.tables.iceberg.metadata import metadata_files
from workbench.tables.source import Source, read_again

ACKS = {"snapshot-id": int}, {"timestamp-ms": int}


def detects(source: Source) -> bool:
    """Whether the folder has a metadata file."""
    return bool(metadata_files(source))


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None, spark: Any) -> Audit:
    """Read and judge an Iceberg table, in this process even if there is a Spark session."""
    return read_again(lambda: judge(source, acks, since))
