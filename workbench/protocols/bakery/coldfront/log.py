"""ColdFront's bakery in a log of several nodes: the changes of its three tables for one Iceberg table, in one order.

An event is a change of one row on one node. Replicated rows appear as changes too; their owners tell them from the
originals: an ack names the node that gave it, and a claim belongs to the node where it appeared first and was not
answered.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.checking.following.events import Event
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import listed, unknown
from workbench.protocols.bakery.coldfront.order import CausalOrder
from workbench.protocols.bakery.coldfront.rows import (
    ACKS,
    CLAIMS,
    DEFERRALS,
    DELETE,
    KEYS,
    READ,
    Key,
    RowChange,
    Transaction,
    each_change,
    read_change,
)


@dataclass(frozen=True)
class Log:
    """The bakery of one Iceberg table.

    Attributes:
        nodes: Sorted by name.
        owner: The node that took each ticket.
        held: Each node's rows at the beginning of the log.
        transactions: In causal order: nothing arrives before it was sent.
    """

    nodes: list[str]
    owner: dict[int, str]
    held: list[Transaction]
    transactions: list[Transaction]


def read_log(events: Iterable[Event], iceberg_table: str | None = None) -> Log:
    """Check events, and order their transactions causally.

    Args:
        iceberg_table: The table whose bakery to read; required if the log has claims for several.

    Raises:
        InputError: With the line, for an event that is not a change of these tables, or that PostgreSQL cannot produce.
    """
    by_node: dict[str, list[Transaction]] = {}
    places: dict[str, tuple[tuple[int, int], int]] = {}  # the LSN and line of each node's last commit
    begun: dict[tuple[str, str], int] = {}
    for event in events:
        node, xid, lsn, change = read_change(event)
        line = event.line
        if node in places and lsn < places[node][0]:
            before = f"it is before that of line {places[node][1]}"
            raise event.refused(
                "lsn", f"{before}; transactions are in the order of their commits, with the commit's lsn"
            )
        places[node] = lsn, line
        transactions = by_node.setdefault(node, [])
        if not transactions or transactions[-1].xid != xid:
            if (node, xid) in begun:
                raise InputError(
                    f"line {line}: {node} continues xid {xid} of line {begun[node, xid]} after another transaction"
                )
            begun[node, xid] = line
            transactions.append(Transaction(node, xid))
        transactions[-1].changes.append(change)
    of_one = _of_one_table(by_node, iceberg_table)
    for node, transactions in of_one.items():
        _check_rows(node, transactions)
    owner = _owners(of_one)
    _check_names(of_one, owner)
    held = [t for transactions in of_one.values() for t in transactions if t.changes[0].op == READ]
    return Log(sorted(of_one, key=_natural), owner, held, list(CausalOrder(of_one, owner)))


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """A sort key that puts n2 before n10."""
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", name)]


def _of_one_table(by_node: dict[str, list[Transaction]], chosen: str | None) -> dict[str, list[Transaction]]:
    """The transactions without changes for other Iceberg tables; nodes stay, even without transactions."""
    changes = [change for _, change in each_change(itertools.chain.from_iterable(by_node.values()))]
    table_of = {c.key.ticket: c.iceberg_table for c in changes if c.key.table == CLAIMS and c.op != DELETE}
    tables = sorted(set(table_of.values()))
    if not tables:
        raise InputError("the log has no claim; it needs the changes of claims, claim_acks and deferred_acks")
    if chosen is None and len(tables) > 1:
        raise InputError(f"the log has claims for {len(tables)} Iceberg tables; choose one: {listed(tables)}")
    if chosen is not None and chosen not in tables:
        raise unknown("Iceberg table of the log", chosen, tables)
    table = chosen or tables[0]

    def counts(change: RowChange) -> bool:
        """Acks may concern claims released before the log began; anything else without a claim is an error later."""
        return table_of.get(change.key.ticket, None if change.key.table == ACKS else table) == table

    return {
        node: [Transaction(t.node, t.xid, kept) for t in transactions if (kept := list(filter(counts, t.changes)))]
        for node, transactions in by_node.items()
    }


def _check_rows(node: str, transactions: list[Transaction]) -> None:
    """Raise InputError for changes that are impossible under the tables' keys."""
    there: dict[Key, int] = {}
    begun = False
    for _, change in each_change(transactions):
        line, op, key = change.line, change.op, change.key
        if op == READ and begun:
            raise InputError(
                f"line {line}: {READ} comes after the first change of {node}, but says what was there before it"
            )
        begun = begun or op != READ
        if op != DELETE and key in there:
            raise InputError(
                f"line {line}: {node} has had this row of {key.table} since line {there[key]}: {_row(key)}"
            )
        if op == DELETE and key not in there:
            raise InputError(
                f"line {line}: {node} deletes a row of {key.table} that it does not have: {_row(key)}; rows that were "
                f"there before the log come first, with op {READ}"
            )
        if op == DELETE:
            del there[key]
        else:
            there[key] = line


def _row(key: Key) -> str:
    ticket, other = KEYS[key.table]
    return f"{ticket} {key.ticket}" + (f", {other} {key.other}" if other else "")


def _owners(by_node: dict[str, list[Transaction]]) -> dict[int, str]:
    """The node that took each ticket."""
    answered, appeared = defaultdict(set), defaultdict(list)
    for node, change in each_change(itertools.chain.from_iterable(by_node.values())):
        key = change.key
        if key.table == DEFERRALS or (key.table == ACKS and key.other == node):
            answered[key.ticket].add(node)
        elif key.table == CLAIMS and change.op != DELETE:
            appeared[key.ticket].append((change.line, node))
    owner = {}
    for ticket, places in sorted(appeared.items()):
        own = [node for _, node in sorted(places) if node not in answered[ticket]]
        gone = [node for node in by_node if node not in answered[ticket]]  # perhaps released before the log
        if not gone:
            raise InputError(
                f"line {min(places)[0]}: every node answers the claim with ticket {ticket}; the log of the node that "
                "took it is missing"
            )
        owner[ticket] = (own or gone)[0]
    return owner


def _check_names(by_node: dict[str, list[Transaction]], owner: dict[int, str]) -> None:
    """Raise InputError for an ack from a node without a log, or for one that waits for a ticket never taken."""
    for _, change in each_change(itertools.chain.from_iterable(by_node.values())):
        key = change.key
        if key.table == ACKS and key.other not in by_node:
            raise InputError(f"line {change.line}: an ack of {key.other}, which the log does not mention elsewhere")
        if key.table == DEFERRALS and not {key.ticket, key.other} <= owner.keys():
            missing = key.other if key.ticket in owner else key.ticket
            raise InputError(f"line {change.line}: {_row(key)}, but no claim in the log has ticket {missing}")
