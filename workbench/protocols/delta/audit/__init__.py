"""Delta Lake tables, by their log."""

from typing import Any

from workbench.audits.findings import Audit
from workbench.audits.judgement import Judgement, judged
from workbench.audits.source import Source, read_again
from workbench.protocols.delta.audit.judge import DeltaJudgement
from workbench.protocols.delta.audit.log import list_log

ACKS = {"version": int}, {"timestamp": int, "appId": str}


def detects(source: Source) -> bool:
    """Whether the folder has a log with an entry or a checkpoint."""
    return list_log(source) is not None


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None) -> Audit:
    """Read and judge a Delta table, in this process even if there is a Spark session."""
    return read_again(lambda: judged(Judgement("delta", source), lambda: DeltaJudgement(source, acks, since)))
