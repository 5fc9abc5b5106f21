"""Row changes of the three tables of ColdFront's bakery, parsed from events and checked."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.checking.following.events import Event
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed

CLAIMS, ACKS, DEFERRALS = "claims", "claim_acks", "deferred_acks"
INSERT, DELETE, READ = "INSERT", "DELETE", "READ"

#: The key columns of each table: the ticket's, and the other one's.
KEYS = {CLAIMS: ("ticket", None), ACKS: ("ticket", "ack_from_name"), DEFERRALS: ("ack_for_ticket", "pending_ticket")}
_LSN = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")
_NUMBER = re.compile("[0-9]{1,19}")
_MOST_TICKET = 2**63 - 1


class Key(NamedTuple):
    """A row's table and key; `other` is the node that acked, or the ticket that a deferred ack waits for."""

    table: str
    ticket: int
    other: Any = None


class RowChange(NamedTuple):
    """An inserted or deleted row; `iceberg_table` is set for inserted claims."""

    line: int
    op: str
    key: Key
    iceberg_table: str = ""


@dataclass
class Transaction:
    node: str
    xid: str
    changes: list[RowChange] = field(default_factory=list)

    @property
    def line(self) -> int:
        return self.changes[0].line

    @property
    def source(self) -> str:
        return f"line {self.line}: {self.node} xid {self.xid}"


def each_change(transactions: Iterable[Transaction]) -> Iterator[tuple[str, RowChange]]:
    """The transactions' changes in order, each with its node."""
    return ((transaction.node, change) for transaction in transactions for change in transaction.changes)


def read_change(event: Event) -> tuple[str, str, tuple[int, int], RowChange]:
    """An event's node, xid, LSN and change."""
    node, xid, lsn, table, op = (event.take(name, str) for name in ("node", "xid", "lsn", "table", "op"))
    event.take("row", dict)
    place = _LSN.fullmatch(lsn)
    if place is None:
        raise event.refused("lsn", "it takes a place in the log, such as 0/25B6700")
    if table not in KEYS:
        raise event.refused("table", f"the bakery's are {listed(KEYS)}")
    if op not in (INSERT, DELETE, READ):
        raise event.refused("op", f"only {INSERT} and {DELETE} change a row of {table}")
    of, other = KEYS[table]
    key = Key(table, _ticket(event, of), other and (_name if table == ACKS else _ticket)(event, other))
    named = _name(event, "iceberg_table") if table == CLAIMS and op != DELETE else ""
    return node, xid, (int(place[1], 16), int(place[2], 16)), RowChange(event.line, op, key, named)


def _column(event: Event, column: str) -> Any:
    row = event.fields["row"]
    if column not in row:
        table = event.fields["table"]
        raise InputError(f"{event.where}: a row of {table} needs a column {column}; this one has {listed(row)}")
    return row[column]


def _name(event: Event, column: str) -> str:
    value = _column(event, column)
    if isinstance(value, str) and value:
        return value
    raise InputError(f"{event.where}: {column} = {brief(value)} is not accepted; it takes a name")


def _ticket(event: Event, column: str) -> int:
    value = _column(event, column)
    text = str(value) if type(value) is int else value
    if isinstance(text, str) and _NUMBER.fullmatch(text) and 0 < int(text) <= _MOST_TICKET:
        return int(text)
    raise InputError(f"{event.where}: {column} = {brief(value)} is not accepted; a ticket is a number above 0")
