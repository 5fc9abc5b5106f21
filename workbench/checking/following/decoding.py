"""Events from PostgreSQL: the output of ``test_decoding`` on several nodes, merged into one log.

psql reads each node's slot into a file, and ``workbench export`` merges these files; ``docs/recordings.md`` has the
commands.
"""

import csv
import heapq
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import Any

from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief

_NAME = r'(?:"(?:[^"]|"")+"|[^\s".\[\]:]+)'
_CHANGE = re.compile(rf"table (?:{_NAME}\.)?({_NAME}): ([A-Z]+): (.*)", re.DOTALL)
_COLUMN = re.compile(rf"({_NAME})\[(?:[^\[\]]|\[\])*\]:('(?:[^']|'')*'|[^\s']\S*)(?: |$)")
_PART = re.compile("(?:old-key|new-tuple): ")
_COMMIT = re.compile(r"COMMIT \d+ \(at (.+)\)")


def read_changes(text: str, node: str) -> Iterator[dict[str, Any]]:
    """The events of one node, from psql's CSV output of ``SELECT lsn, xid, data`` on a slot's changes.

    Every row change is an event with the time and LSN of its transaction's commit: transactions become visible in
    commit order, even if their rows were written concurrently.

    Raises:
        InputError: With the line, for anything that ``test_decoding`` does not print, a commit without a time, or a
            deletion that does not identify its row.

    Examples:
        >>> text = '''0/2A0,741,BEGIN 741
        ... 0/2A0,741,"table public.claim_acks: INSERT: ticket[bigint]:702 ack_from_name[name]:'n1'"
        ... 0/310,741,COMMIT 741 (at 2026-02-01 10:00:00.25+00)'''
        >>> [event] = read_changes(text, "n1")
        >>> event["t"], event["lsn"], event["table"], event["op"]
        ('2026-02-01T10:00:00.250000+00:00', '0/310', 'claim_acks', 'INSERT')
        >>> event["row"]
        {'ticket': '702', 'ack_from_name': 'n1'}
    """
    rows = csv.reader(StringIO(text), strict=True)
    pending: list[dict[str, Any]] = []
    try:
        for row in rows:
            where = f"{node}, line {rows.line_num}"
            if not row or row == ["lsn", "xid", "data"]:
                continue
            if len(row) != 3:
                raise InputError(f"{where} has {len(row)} columns; a change has three: lsn, xid and data")
            lsn, xid, data = row
            if data.startswith("COMMIT"):
                commit = {"t": _time(data, where), "node": node, "lsn": lsn, "xid": xid}
                yield from (commit | change for change in pending)
                pending = []
            elif not data.startswith(("BEGIN", "message:")):
                pending.append(_change(data, where))
    except csv.Error as error:
        raise InputError(f"{node}, line {rows.line_num} is not CSV: {error}") from None
    if pending:
        raise InputError(f"{node} ends within a transaction: {where} is not followed by its COMMIT")


def _time(data: str, where: str) -> str:
    commit = _COMMIT.fullmatch(data)
    try:
        when = datetime.fromisoformat(commit[1]) if commit else None
    except ValueError:
        when = None
    if when is None or when.tzinfo is None:
        raise InputError(f"{where} says {brief(data)}, but not when: read the changes with 'include-timestamp', 'on'")
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def _change(data: str, where: str) -> dict[str, Any]:
    change = _CHANGE.fullmatch(data)
    if change is None:
        raise InputError(f"{where} is not a change as test_decoding prints it: {brief(data)}")
    table, op, columns = change.groups()
    if columns == "(no-tuple-data)":
        raise InputError(
            f"{where}: a row of {table} was deleted, and nothing says which; the table needs a primary key, or "
            "REPLICA IDENTITY FULL"
        )
    row: dict[str, str | None] = {}
    at = 0
    while at < len(columns) and op != "TRUNCATE":
        if part := _PART.match(columns, at):  # an update: only the new row counts
            row, at = {}, part.end()
        column = _COLUMN.match(columns, at)
        if column is None:
            raise InputError(f"{where} has no column of a row at {brief(columns[at:])}")
        row[_unquoted(column[1], '"')] = None if column[2] == "null" else _unquoted(column[2], "'")
        at = column.end()
    return {"table": _unquoted(table, '"'), "op": op, "row": row}


def _unquoted(text: str, quote: str) -> str:
    return text[1:-1].replace(2 * quote, quote) if text.startswith(quote) else text


def merge(logs: Mapping[str, str]) -> list[dict[str, Any]]:
    """The events of several nodes in order of commit time, given the text of each node's file.

    The order within a node stays the same, whatever its clock did.

    Examples:
        >>> begin, commit = "0/1,7,BEGIN 7", "0/2,7,COMMIT 7 (at 2026-02-01 10:00:0{}+00)"
        >>> change = "0/1,7,table public.claims: DELETE: ticket[bigint]:1"
        >>> logs = {f"n{i}": chr(10).join([begin, change, commit.format(9 - i)]) for i in (1, 2)}
        >>> [event["node"] for event in merge(logs)]
        ['n2', 'n1']
    """

    def keyed(node: str) -> Iterator[tuple[str, dict[str, Any]]]:
        latest = ""
        for event in read_changes(logs[node], node):
            latest = max(latest, event["t"])
            yield latest, event

    return [event for _, event in heapq.merge(*map(keyed, logs), key=lambda item: item[0])]
