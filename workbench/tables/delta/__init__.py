"""Delta Lake tables, by their log."""

from functools import partial
from typing import Any

from workbench.tables.delta.judge import judge
from workbench.tables.delta.log import list_log
from workbench.tables.findings import Audit
from workbench.tables.source import Source, read_again

ACKS = {"version": int}, {"timestamp": int, "appId": str}


def detects(source: Source) -> bool:
    """Whether the folder has a log with an entry or a checkpoint."""
    return list_log(source) is not None


def audit(source: Source, *, acks: list[dict[str, Any]] | None, since: int | None, spark: Any) -> Audit:
    """Read and judge a Delta table, in this process even if there is a Spark session."""
    return read_again(partial(judge, source, acks, since))
