"""Paimon's primary-key tables, 0.8 and newer, in a file-system catalog's layout."""

from typing import Any

from workbench.audits.damaged import Damages
from workbench.audits.decoding import Decoder, in_process
from workbench.audits.findings import Audit, AuditDraft
from workbench.audits.shape import before_since
from workbench.audits.source import Source
from workbench.protocols.paimon.audit.files import versions
from workbench.protocols.paimon.audit.judge import Judge
from workbench.protocols.paimon.audit.read import PaimonTable, read

#: What no audit of the files can see.
_UNSEEN = (
    "locks, retries and what writers had read are not in the files; nor is whether anybody waits for ever (liveness)"
)


ACKS = {"commitUser": str}, {"commitIdentifier": int, "timeMillis": int}


def detects(source: Source) -> bool:
    """Whether the folder has a Paimon schema, or snapshots that lack theirs."""
    return bool(versions(source, "schema", "schema-")) or bool(
        versions(source, "snapshot", "snapshot-") and source.entries("manifest")
    )


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None, spark: Any) -> Audit:
    """Read and judge a Paimon table."""
    decoder: Decoder = in_process
    if spark is not None:
        from workbench.audits.spark import spark_decoder  # pyspark is only loaded where it is used

        decoder = spark_decoder(spark)
    damages = Damages()
    table = read(source, decoder, since, damages)
    if table is None:
        draft = AuditDraft()
        draft.remarks += [] if versions(source, "snapshot", "snapshot-") else ["there is no snapshot yet"]
        damages.report(draft)
        return draft.audit("paimon", source.url, (None, None))
    draft = Judge(table, acks, damages).run()
    damages.report(draft, since)
    draft.remarks += before_since(since, table.oldest, table.last, source.url)
    draft.remarks += [*_notes(table, has_acks=acks is not None), _UNSEEN]
    return draft.audit("paimon", source.url, (table.first, table.last))


def _notes(table: PaimonTable, has_acks: bool) -> list[str]:
    notes = []
    if table.oldest > 1:
        notes.append(f"what was before snapshot {table.oldest} has expired: it is the baseline")
    if not has_acks:
        notes.append("which commits were acknowledged is not known; a list of them (acks) would tell")
    for folder, what in (("branch", "branches"), ("tag", "tags")):
        if table.source.entries(folder):
            notes.append(f"the histories of {what}; what they name does not count as lost")
    if table.schema.keys and table.schema.options.get("bucket", "-1").startswith("-"):
        notes.append("that a key stays in one bucket: buckets are assigned dynamically")
    return notes
