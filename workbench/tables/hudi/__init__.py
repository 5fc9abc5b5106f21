"""Hudi's copy-on-write tables: the versions 5, 6, 8 and 9."""

from typing import Any

from workbench.tables.acks import read_acks
from workbench.tables.findings import Audit
from workbench.tables.hudi.judge import judge
from workbench.tables.hudi.read import read
from workbench.tables.hudi.timeline import PROPERTIES, beginning
from workbench.tables.source import Source


def detects(source: Source) -> bool:
    """Whether the folder has what each Hudi table has."""
    return source.exists(PROPERTIES)


def audit(source: Source, *, acks: Any, since: int | None, spark: Any) -> Audit:
    """Read and judge a Hudi table. It is read in process, with a Spark session too."""
    known = None if acks is None else read_acks(acks, {"instant": str}, {})
    return judge(read(source), since=None if since is None else beginning(since), acks=known)
