"""Paimon's primary-key tables, 0.8 and newer, in a file-system catalog's layout."""

from typing import Any

from workbench.audits.damaged import Damages
from workbench.audits.findings import Audit
from workbench.audits.judgement import Judgement, judged
from workbench.audits.source import Source
from workbench.protocols.paimon.audit.files import versions
from workbench.protocols.paimon.audit.judge import PaimonJudgement
from workbench.protocols.paimon.audit.read import read

ACKS = {"commitUser": str}, {"commitIdentifier": int, "timeMillis": int}


def detects(source: Source) -> bool:
    """Whether the folder has a Paimon schema, or snapshots that lack theirs."""
    return bool(versions(source, "schema", "schema-")) or bool(
        versions(source, "snapshot", "snapshot-") and source.entries("manifest")
    )


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None) -> Audit:
    """Read and judge a Paimon table."""
    damages = Damages()
    bare = Judgement("paimon", source, damages)

    def whole() -> Judgement | None:
        table = read(source, since, damages)
        if table is not None:
            return PaimonJudgement(table, damages, acks, since)
        bare.remarks += [] if versions(source, "snapshot", "snapshot-") else ["there is no snapshot yet"]
        return None

    return judged(bare, whole)
