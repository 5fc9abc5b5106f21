"""Hudi's copy-on-write tables: the versions 5, 6, 8 and 9."""

from typing import Any

from workbench.tables.findings import Audit
from workbench.tables.hudi.judge import judge
from workbench.tables.hudi.read import read
from workbench.tables.hudi.timeline import PROPERTIES, beginning
from workbench.tables.source import Source

ACKS: tuple[dict[str, type], dict[str, type]] = {"instant": str}, {}


def detects(source: Source) -> bool:
    """Whether the folder has what each Hudi table has."""
    return source.exists(PROPERTIES)


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None, spark: Any) -> Audit:
    """Read and judge a Hudi table. It is read in process, with a Spark session too."""
    return judge(read(source), since=None if since is None else beginning(since), acks=acks)
