"""The main branch of Iceberg tables, format versions 1 and 2."""

from typing import Any

from workbench.audits.findings import Audit
from workbench.audits.source import Source, read_again
from workbench.protocols.iceberg.audit.judge import judge
from workbench.protocols.iceberg.audit.metadata import metadata_files

ACKS = {"snapshot-id": int}, {"timestamp-ms": int}


def detects(source: Source) -> bool:
    """Whether the folder has a metadata file."""
    return bool(metadata_files(source))


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None, spark: Any) -> Audit:
    """Read and judge an Iceberg table, in this process even if there is a Spark session."""
    return read_again(lambda: judge(source, acks, since))
