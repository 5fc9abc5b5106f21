"""Many tables: found in folders and catalogs, audited side by side, and summed up."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from multiprocessing import get_context
from typing import Any

from workbench import __version__
from workbench.audits.audit import audit, formats
from workbench.audits.findings import GRADES, Audit, Grade
from workbench.audits.source import Source
from workbench.kernel import InputError
from workbench.kernel.meaning.budget import INTERRUPTED
from workbench.kernel.meaning.errors import brief, text_of
from workbench.registry.programs import needs
from workbench.storage.places import local, without_credentials

#: The states of tables without findings of a grade, the gravest first.
REFUSED, INCOMPLETE, SOUND = "refused", "incomplete", "sound"
#: The states of a table, the gravest first. What is outside of a protocol's promises is sound.
STATES = ("damaged", "proved", REFUSED, "suspect", INCOMPLETE, SOUND)


@dataclass(frozen=True)
class Table:
    """A table to audit.

    Attributes:
        path: Its place, as given.
        metadata: The metadata file that a catalog names; "" without a catalog.
        name: Its name in a catalog.
    """

    path: str
    metadata: str = ""
    name: str = ""

    @property
    def shown(self) -> str:
        """The path without credentials."""
        return without_credentials(self.path)


@dataclass(frozen=True)
class Audited:
    """The outcome of the audit of one table.

    Attributes:
        found: The audit as data; None for a table that is refused.
        refused: Why.
        page: A page on it, if one was asked for.
    """

    table: Table
    found: Mapping[str, Any] | None
    refused: str = ""
    page: str = ""
    seconds: float = 0.0

    @property
    def state(self) -> str:
        """One of :data:`STATES`."""
        if self.found is None:
            return REFUSED
        grades = {finding["grade"] for finding in self.found["findings"]}
        worst: Iterator[Grade] = (grade for grade in GRADES if grade in grades and grade != "outside")
        return next(worst, None) or (SOUND if self.found["complete"] else INCOMPLETE)

    def as_dict(self) -> dict[str, Any]:
        """The audit's data, with the version of the workbench and the time; of a refused table, its path and why."""
        told = {"path": self.table.shown, "refused": self.refused} if self.found is None else self.found
        named = {"table": self.table.name} if self.table.name else {}
        return {**named, **told, "workbench": __version__, "time": datetime.now(UTC).isoformat(timespec="seconds")}

    def line(self) -> list[str]:
        """The table's state, format, versions and path, and the findings, as cells of a row."""
        name = self.table.name or self.table.shown
        if self.found is None:
            return [REFUSED.upper(), "", "", name, self.refused]
        first, last = self.found["versions"]
        versions = "" if last is None else f"{first} to {last}"
        state = self.state if self.state == SOUND else self.state.upper()
        return [state, self.found["format"], versions, name, self.found["why"]]


def holds(audited: Iterable[Audited]) -> tuple[bool | None, bool]:
    """Whether all tables are sound - False if anything is proved or damaged - and whether one was refused."""
    states = {one.state for one in audited}
    sound = False if states & {"damaged", "proved"} else None if states & {"suspect", INCOMPLETE} else True
    return sound, REFUSED in states


def tables_below(folder: str) -> Iterator[Table]:
    """The tables in a folder and those below it; a table's own folders are not looked into.

    Raises:
        InputError: If there is no such folder.
    """
    known = formats().values()

    def look(source: Source) -> Iterator[Table]:
        if any(module.detects(source) for module in known):
            yield Table(source.given)
            return
        for entry in source.entries():
            if entry.is_folder:
                yield from look(source.below(entry.name))

    return look(Source(folder))


def tables_in(catalog: str) -> Iterator[Table]:
    """The Iceberg tables of a catalog that pyiceberg is configured for.

    Raises:
        InputError: If pyiceberg is not installed, or does not reach the catalog.
    """
    needs("catalog", "--catalog")
    from pyiceberg.catalog import load_catalog

    try:
        known = load_catalog(catalog)
        waiting = list(known.list_namespaces())
        while waiting:
            namespace = waiting.pop(0)
            for name in sorted(known.list_tables(namespace)):
                table = known.load_table(name)
                yield Table(table.location(), table.metadata_location, ".".join(name))
            waiting += [inner for inner in known.list_namespaces(namespace) if inner != namespace]
    except Exception as error:  # those of pyiceberg, and of its means to reach the catalog
        raise InputError(f"catalog {brief(catalog)} cannot be read: {type(error).__name__}: {text_of(error)}") from None


def once_each(tables: Iterable[Table]) -> Iterator[Table]:
    """Each table once, even if it is reached in several ways."""
    met = set()
    for table in tables:
        here = local(table.path)
        place = table.shown.rstrip("/") if here is None else os.path.realpath(here)
        if place not in met:
            met.add(place)
            yield table


def audit_each(
    tables: Iterable[Table],
    *,
    since: Mapping[str, int] | None = None,
    seconds: float | None = None,
    page: Callable[[Audit], str] | None = None,
    workers: int = 1,
) -> Iterator[Audited]:
    """Audit tables side by side, and yield each as soon as it is done.

    After Ctrl-C the running audits end with what they have found, and the others are refused.

    Args:
        since: By the path without credentials, the version to start from.
        seconds: The most that one audit may take.
        page: Makes a page of an audit, in the process that has it.
        workers: The number of processes that audit.
    """
    work = partial(_audit, since=since or {}, seconds=seconds, page=page)
    if workers == 1:
        yield from map(work, tables)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        running: dict[Future[Audited], Table] = {pool.submit(work, table): table for table in tables}
        try:
            for done in as_completed([*running]):
                del running[done]
                yield done.result()
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
            for future, table in running.items():
                yield Audited(table, None, INTERRUPTED) if future.cancelled() else future.result()


def _audit(
    table: Table, since: Mapping[str, int], seconds: float | None, page: Callable[[Audit], str] | None
) -> Audited:
    began = time.perf_counter()
    try:
        found = audit(table.path, since=since.get(table.shown), seconds=seconds, metadata=table.metadata or None)
    except InputError as error:
        return Audited(table, None, text_of(error))
    made = page(found) if page is not None else ""
    return Audited(table, found.as_dict(), page=made, seconds=time.perf_counter() - began)


def counts(audited: Iterable[Audited]) -> dict[str, int]:
    """The number of tables in each state, the gravest first."""
    states = Counter(one.state for one in audited)
    return {state: states[state] for state in STATES}
