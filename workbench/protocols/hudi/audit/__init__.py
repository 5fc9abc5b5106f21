"""Audits Hudi tables of versions 5, 6, 8 and 9. For merge-on-read tables, checks that need log files are left out."""

from typing import Any

from workbench.audits.damaged import Damages
from workbench.audits.findings import Audit
from workbench.audits.judgement import Judgement, judged
from workbench.audits.source import Source
from workbench.protocols.hudi.audit.judge import HudiJudgement
from workbench.protocols.hudi.audit.read import read
from workbench.protocols.hudi.audit.timeline import PROPERTIES, beginning, has_instants

ACKS: tuple[dict[str, type], dict[str, type]] = {"instant": str}, {}


def detects(source: Source) -> bool:
    """Whether the folder has Hudi's properties file, or instants that lack it."""
    return source.exists(PROPERTIES) or has_instants(source)


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None) -> Audit:
    """Read and judge a Hudi table, in this process even if there is a Spark session."""
    damages = Damages()
    bare = Judgement("hudi", source, damages)
    with damages.around():
        since = None if since is None else beginning(since)
        return judged(bare, lambda: HudiJudgement(read(source, damages), damages, acks, since))
    return bare.audit()
