"""Audit a table: detect its format, read it, judge it.

A `Source` reads files by name, within bounds, on any file system; ``avro.py`` and ``documents.py`` trust nothing in
them. A format's reader replays the versions by what each changed: files, and deletion vectors, with the versions in
which they live; where there are very many, as Arrow tables of one shape (``shape.py``). The rules of a format
(``judgement.py``) read rows only of buckets that metadata does not prove right. A finding becomes a state of the
protocol's model in which an invariant of the model fails, so that picture, trace and repair follow from the model.
"""

import os
import time
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from workbench.audits.acks import read_acks
from workbench.audits.damaged import FILES_WHOLE
from workbench.audits.findings import Audit
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import Budget, Limits
from workbench.kernel.meaning.errors import brief, unknown
from workbench.kernel.meaning.interrupts import interruptible
from workbench.kernel.meaning.values import counted
from workbench.registry import usable
from workbench.registry.programs import needs

if TYPE_CHECKING:
    from workbench.audits.source import Source

#: The most folders below the path, and the most levels, to search for a table if the path is not one itself.
_MOST_FOLDERS, _DEPTH = 100, 3
#: The seconds before a damaged table is read again, until it is damaged in the same way twice, and the most attempts.
_PAUSE, _MOST_READS = 0.2, 10


class Format(Protocol):
    """The interface of the module that audits a protocol's tables."""

    #: The fields that an acknowledgement must have, and those that it may have.
    ACKS: tuple[Mapping[str, type], Mapping[str, type]]

    @staticmethod
    def detects(source: "Source") -> bool:
        """Whether the folder looks like a table of this format."""

    @staticmethod
    def audit(source: "Source", *, acks: list[dict[str, Any]] | None, since: int | None) -> Audit:
        """Read and judge the table."""


@interruptible()
def audit(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    acks: str | os.PathLike[str] | None = None,
    since: int | None = None,
    seconds: float | None = None,
    metadata: str | None = None,
    storage: Mapping[str, str] | None = None,
    without_data: bool = False,
) -> Audit:
    """Judge a lakehouse table by the properties of its protocol's model.

    An audit only reads, and needs no Java and no Spark.

    Args:
        path: The table's folder, on a local disk or behind a URL (``s3://``, ``hdfs://`` ...).
        format: The name of a protocol whose tables are audited, such as "hudi"; "auto" detects it.
        acks: A file of acknowledged commits; see ``docs/audit.md``.
        since: The version to start from; earlier history is taken as correct.
        seconds: Stop after so many seconds. The findings until then are kept, as after Ctrl-C, and the audit is
            incomplete.
        metadata: The location of the metadata file that an Iceberg table's catalog names; without it the newest one
            of the folder is judged.
        storage: The settings of the file system, with credentials, by pyiceberg's names, such as "s3.endpoint".
        without_data: Whether the folder may hold metadata alone, as in a repository: then it is no violation that there
            is no data file at all.

    Raises:
        InputError: If there is no table, or it is unsupported, or made to do harm.
    """
    needs("tables", "an audit")
    from workbench.audits.source import Source  # pyarrow loads here

    limits = Limits(Budget(seconds=seconds))
    source = Source(path, storage)
    if format == "auto":
        format = detect(source)
    modules, wrong = usable("audit")
    if format not in modules:
        raise InputError("; ".join([str(unknown("format", format, modules)), *wrong]))
    module = modules[format]
    if not module.detects(source):
        raise InputError(f"{brief(source.url)} is not a table of {format}")
    if metadata is not None:
        source.chosen = source.inside(metadata)
    acked = None if acks is None else read_acks(acks, *module.ACKS)
    source.limits, source.without_data = limits, without_data
    audited = module.audit(source, acks=acked, since=since)
    for _ in range(_MOST_READS):
        damage = audited.of(FILES_WHOLE)
        if not damage or source.is_stopped():
            break
        time.sleep(_PAUSE)  # a file that was being written is whole by then
        before, audited = audited, module.audit(source, acks=acked, since=since)
        if source.is_stopped():
            return before
        if audited.of(FILES_WHOLE) == damage:
            break
    return audited


def formats() -> dict[str, Format]:
    """The protocols' audit modules, by protocol name."""
    return usable("audit")[0]


def looks_like(source: "Source") -> list[str]:
    """The formats whose tables the folder looks like. A UniForm table looks like two."""
    return [name for name, module in formats().items() if module.detects(source)]


def detect(source: "Source") -> str:
    """The format of a table."""
    modules, wrong = usable("audit")
    looks = looks_like(source)
    if len(looks) == 1:
        return looks[0]
    if looks:
        raise InputError(f"{brief(source.url)} looks like {' and '.join(looks)}; say which with format")
    below, looked = _tables_below(source)
    hint = f"; nor is any of {counted(looked, 'folder')} below that were looked into" if looked else ""
    if below:
        hint = f"; there is one in {brief(below[0])}"
    if below[1:]:
        hint += f", and another in {brief(below[1])}: --below audits all below a folder"
    raise InputError("; ".join([f"{brief(source.url)} is not a table of {', '.join(modules)}{hint}", *wrong]))


def _tables_below(source: "Source") -> tuple[list[str], int]:
    """The URLs of the first two tables in the folders below, level by level, and how many were looked into."""
    level, urls, looked = [""], list[str](), 0
    for _ in range(_DEPTH):
        below = (entry.name for folder in level for entry in source.entries(folder) if entry.is_folder)
        level = []
        for folder in islice(below, _MOST_FOLDERS - looked):
            inner, looked = source.below(folder), looked + 1
            if looks_like(inner):
                urls.append(inner.url)
                if len(urls) == 2:
                    return urls, looked
            else:
                level.append(folder)
    return urls, looked
