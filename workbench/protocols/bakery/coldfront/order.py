"""A causal order for the transactions of several nodes: nothing arrives before it was sent, whatever the clocks say."""

from collections.abc import Iterator
from typing import Any

from workbench.protocols.bakery.coldfront.rows import ACKS, CLAIMS, DELETE, READ, Key, Transaction


class CausalOrder:
    """The transactions in the order of their lines, as far as causality allows.

    A transaction follows its predecessor on its node, and those on other nodes whose rows it replicates. The log's
    lines break ties, with one exception: if two nodes take tickets unaware of each other, the smaller ticket comes
    first, since the time from taking a ticket to committing the claim varies.

    Args:
        owner: The node that took each ticket.
    """

    def __init__(self, by_node: dict[str, list[Transaction]], owner: dict[int, str]) -> None:
        self.owner = owner
        self.queues = {node: [t for t in these if t.changes[0].op != READ] for node, these in by_node.items()}
        self.sent = {
            (change.op, change.key): (node, index)
            for node, queue in self.queues.items()
            for index, transaction in enumerate(queue)
            for change in transaction.changes
            if self._origin(change.key) == node
        }
        self.tickets = {node: dict(self._tickets(node)) for node in self.queues}
        self.past: dict[tuple[str, int], dict[str, int]] = {}
        for node, index in self._walk(prefer_small_tickets=False):
            self.past[node, index] = self._past(node, index)

    def __iter__(self) -> Iterator[Transaction]:
        return (self.queues[node][index] for node, index in self._walk(prefer_small_tickets=True))

    def _origin(self, key: Key) -> Any:
        """The node on which a row's changes originate."""
        return {CLAIMS: self.owner[key.ticket], ACKS: key.other}.get(key.table)

    def _tickets(self, node: str) -> Iterator[tuple[int, int]]:
        """The transactions in which a node takes a ticket, with the ticket, last one first."""
        for index, transaction in reversed(list(enumerate(self.queues[node]))):
            for change in transaction.changes:
                if change.key.table == CLAIMS and change.op != DELETE and self.owner[change.key.ticket] == node:
                    yield index, change.key.ticket

    def _causes(self, node: str, index: int) -> Iterator[tuple[str, int]]:
        """The transactions on other nodes that this one replicates."""
        for change in self.queues[node][index].changes:
            cause = self.sent.get((change.op, change.key))
            if cause is not None and cause[0] != node:
                yield cause

    def _past(self, node: str, index: int) -> dict[str, int]:
        """The number of transactions of each node that causally precede this one, itself included."""
        pasts = [self.past.get(cause, {}) for cause in self._causes(node, index)]
        pasts.append(self.past.get((node, index - 1), {}))
        return {name: max(past.get(name, 0) for past in pasts) for name in self.queues} | {node: index + 1}

    def _walk(self, prefer_small_tickets: bool) -> Iterator[tuple[str, int]]:
        done = dict.fromkeys(self.queues, 0)
        while heads := [(node, at) for node, at in done.items() if at < len(self.queues[node])]:
            heads.sort(key=lambda head: self.queues[head[0]][head[1]].line)
            ready = [head for head in heads if all(done[name] > at for name, at in self._causes(*head))]
            if prefer_small_tickets:
                ready = [head for head in ready if not self._waits(*head, done)] or ready
            head = (ready or heads)[0]  # if all wait for each other, the log is corrupt; the validation will say so
            done[head[0]] += 1
            yield head

    def _waits(self, node: str, index: int, done: dict[str, int]) -> bool:
        """Whether another node, unaware of this ticket, has yet to take a smaller one."""
        ticket = self.tickets[node].get(index)
        if ticket is None:
            return False
        for other, tickets in self.tickets.items():
            while tickets and next(reversed(tickets)) < done[other]:
                tickets.popitem()
            if other != node and tickets:
                at = next(reversed(tickets))
                if tickets[at] < ticket and self.past[other, at][node] <= index:
                    return True
        return False
