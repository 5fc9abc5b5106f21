"""Many tables, audited side by side and summed up."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from html import escape
from multiprocessing import get_context
from typing import Any

from workbench import __version__
from workbench.audits.audit import audit
from workbench.audits.findings import GRADES, NOTHING_FOUND, Audit, Grade, reason
from workbench.audits.listing import Table
from workbench.kernel.meaning.budget import INTERRUPTED

#: The states of tables without findings of a grade, the gravest first.
REFUSED, INCOMPLETE = "refused", "incomplete"
_DIED = "the process that audited it died"
#: The states of a table, the gravest first. What is outside of a protocol's promises does not count.
STATES = ("damaged", "proved", REFUSED, "suspect", INCOMPLETE, NOTHING_FOUND)


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
        return next(worst, None) or (NOTHING_FOUND if self.found["complete"] else INCOMPLETE)

    def as_dict(self) -> dict[str, Any]:
        """The audit's data, with the version of the workbench and the time; of a refused table, its path and why."""
        content = {"path": self.table.shown, "refused": self.refused} if self.found is None else self.found
        named = {"table": self.table.name} if self.table.name else {}
        return {**named, **content, "workbench": __version__, "time": datetime.now(UTC).isoformat(timespec="seconds")}

    def line(self) -> list[str]:
        """The table's state, format, versions and path, and the findings, as cells of a row."""
        name = self.table.title
        if self.found is None:
            return [REFUSED.upper(), "", "", name, self.refused]
        first, last = self.found["versions"]
        versions = "" if last is None else f"{first} to {last}"
        if self.state == NOTHING_FOUND:
            remark = "" if self.found["why"] == NOTHING_FOUND else self.found["why"]
            return [self.state, self.found["format"], versions, name, remark]
        return [self.state.upper(), self.found["format"], versions, name, self.found["why"]]


def holds(audited: Iterable[Audited]) -> tuple[bool | None, bool]:
    """Whether nothing was found in any table - False if anything is proved or damaged - and whether one was refused."""
    states = {report.state for report in audited}
    sound = False if states & {"damaged", "proved"} else None if states & {"suspect", INCOMPLETE} else True
    return sound, REFUSED in states


def audit_each(
    tables: Iterable[Table],
    *,
    since: Mapping[tuple[str, str], int] | None = None,
    seconds: float | None = None,
    page: Callable[[Audit], str] | None = None,
    workers: int = 1,
    without_data: bool = False,
) -> Iterator[Audited]:
    """Audit tables side by side, and yield each as soon as it is done.

    Whatever happens to one table, even the death of its process, is the outcome of that table alone. After Ctrl-C the
    running audits end with what they have found, and the others are refused.

    Args:
        since: By the path without credentials and the format, the version to start from.
        seconds: The most that one audit may take.
        page: Makes a page of an audit, in the process that has it.
        workers: The number of processes that audit.
        without_data: Whether folders may hold metadata alone.
    """
    work = partial(_audit, since=since or {}, seconds=seconds, page=page, without_data=without_data)
    if workers == 1:
        yield from map(work, tables)
        return
    died = []
    with _processes(workers) as pool:
        running: dict[Future[Audited], Table] = {pool.submit(work, table): table for table in tables}
        try:
            for done in as_completed([*running]):
                table = running.pop(done)
                if isinstance(done.exception(), BrokenProcessPool):
                    died.append(table)
                else:
                    yield done.result()
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
            for future, table in running.items():
                is_over = future.cancelled() or future.exception() is not None
                yield Audited(table, None, INTERRUPTED) if is_over else future.result()
    for table in died:  # with the process of one table end those of all; only that one dies again on its own
        with _processes(1) as pool:
            alone = pool.submit(work, table)
            yield Audited(table, None, _DIED) if alone.exception() is not None else alone.result()


def _processes(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def _audit(
    table: Table,
    since: Mapping[tuple[str, str], int],
    seconds: float | None,
    page: Callable[[Audit], str] | None,
    without_data: bool,
) -> Audited:
    began = time.perf_counter()
    if table.refused:
        return Audited(table, None, table.refused)
    try:
        judged = audit(
            table.path,
            format=table.format,
            since=since.get((table.shown, table.format)),
            seconds=seconds,
            metadata=table.metadata or None,
            storage=table.storage,
            without_data=without_data,
        )
    except Exception as error:  # whatever happens to one table, the others are judged
        return Audited(table, None, reason(error))
    html = "" if page is None else _page(page, judged)
    return Audited(table, judged.as_dict(), page=html, seconds=time.perf_counter() - began)


def _page(page: Callable[[Audit], str], judged: Audit) -> str:
    """The page on an audit; the reason if none can be made, since the findings must not depend on it."""
    try:
        return page(judged)
    except Exception as error:
        return f"<!doctype html><pre>no page could be made: {escape(reason(error))}\n\n{escape(judged.text())}</pre>"


def counts(audited: Iterable[Audited]) -> dict[str, int]:
    """The number of tables in each state, the gravest first."""
    states = Counter(report.state for report in audited)
    return {state: states[state] for state in STATES}
