"""The main branch of Iceberg tables, format versions 1 to 3."""

from typing import Any

from workbench.audits.damaged import Damages
from workbench.audits.findings import Audit
from workbench.audits.judgement import Judgement, judged
from workbench.audits.source import Source, read_again
from workbench.protocols.iceberg.audit.judge import IcebergJudgement
from workbench.protocols.iceberg.audit.metadata import all_metadata
from workbench.protocols.iceberg.audit.read import read

ACKS = {"snapshot-id": int}, {"timestamp-ms": int}


def detects(source: Source) -> bool:
    """Whether the folder has a metadata file."""
    return bool(all_metadata(source))


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None) -> Audit:
    """Read and judge an Iceberg table, in this process even if there is a Spark session."""

    def once() -> Audit:
        damages = Damages()

        def whole() -> Judgement | None:
            table = read(source, damages, since, {ack["snapshot-id"] for ack in acks or ()})
            return None if table is None else IcebergJudgement(table, acks, since)

        return judged(Judgement("iceberg", source, damages), whole)

    return read_again(once)
