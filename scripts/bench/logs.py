"""Logs of the bakery, made by the model itself: random behaviours in the form of PostgreSQL's logical decoding."""

import random
import time
from collections.abc import Iterator
from typing import Any

from workbench.checking.following.events import Event
from workbench.kernel import Machine, State, machine_of
from workbench.protocols.bakery.coldfront.mapping import ColdFront
from workbench.registry import get_model

#: A log's observations, and its writers.
CASES = ((1_000, 3), (10_000, 3))


def events_of(model: Machine, transactions: int, seed: int = 0) -> list[dict[str, Any]]:
    """A log of a random behaviour of a ``bakery_v2`` with ReleaseTransaction: the mapping ``coldfront`` in reverse.

    Args:
        transactions: The length of the log.
    """
    events: list[dict[str, Any]] = []
    before, commits = model.initial_states()[0], 0
    owner: dict[int, str] = {}
    chance = random.Random(seed)
    while commits < transactions:
        state = _some_successor(model, before, chance)
        if state is None:
            return events
        changes = list(_changes(model.author, owner, before, state))
        commits += bool(changes)
        place = {"t": f"{commits:09}", "lsn": f"0/{commits:X}", "xid": str(commits)}
        events += [{**place, **change} for change in changes]
        before = state
    return events


def _some_successor(model: Machine, state: State, chance: random.Random) -> State | None:
    instances = list(model.instances)
    chance.shuffle(instances)
    for instance in instances:
        outcomes = model.outcomes(instance, state)
        if outcomes:
            successor: State = chance.choice(outcomes)[1]
            return successor
    return None


def _changes(model: Any, owner: dict[int, str], before: Any, after: Any) -> Iterator[dict[str, Any]]:
    """The rows that change in a step; `owner` maps each ticket to the node that took it."""

    def change(node: str, table: str, op: str, **row: Any) -> dict[str, Any]:
        return {"node": node, "table": table, "op": op, "row": row}

    for node in model.nodes:
        for claim in sorted(before.claims[node] - after.claims[node]):
            yield change(node, "claims", "DELETE", ticket=_ticket(claim.ticket))
        for claim in sorted(after.claims[node] - before.claims[node]):
            owner.setdefault(claim.ticket, node)
            yield change(node, "claims", "INSERT", ticket=_ticket(claim.ticket), iceberg_table="events")
        for ticket in sorted(after.acks_sent[node] - before.acks_sent[node]):
            yield change(node, "claim_acks", "INSERT", ticket=_ticket(ticket), ack_from_name=node)
        for op, these, others in (("DELETE", before, after), ("INSERT", after, before)):
            for deferral in sorted(these.deferred[node] - others.deferred[node]):
                row = {"ack_for_ticket": _ticket(deferral.ticket), "pending_ticket": _ticket(deferral.behind)}
                yield change(node, "deferred_acks", op, **row)
        for ticket in sorted(before.acks_sent[node] - after.acks_sent[node]):
            yield change(owner[ticket], "claim_acks", "INSERT", ticket=_ticket(ticket), ack_from_name=node)


def _ticket(number: int) -> str:
    """A ticket as large as real ones, which are times."""
    return str(1_800_000_000_000_000_000 + 1_000_003 * number)


def measure(observations: int, writers: int) -> dict[str, Any]:
    """Make a log, and time its validation."""
    from workbench.checking.following.validate import validate  # loads the search kernels

    rounds = observations // (5 * writers)  # a claim takes more than five transactions
    model = get_model("bakery_v2")
    walked = machine_of(model(Writers=writers, MaxRounds=rounds, ReleaseTransaction=True, Witness=False))
    events = [Event(line, fields) for line, fields in enumerate(events_of(walked, observations), start=1)]
    mapped = ColdFront().read(events)
    mapped_machine = machine_of(model(**mapped.constants))
    recording = mapped.record(mapped_machine)
    validate(mapped_machine, recording._replace(states=recording.states[:3]))  # compiles before the clock runs
    start = time.perf_counter()
    report = validate(mapped_machine, recording)
    seconds = time.perf_counter() - start
    return {
        "log": f"bakery_v2, {writers} writers",
        "events": len(events),
        "observations": report.states,
        "verdict": "accepted" if report.holds else "NOT accepted",
        "seconds": round(seconds, 1),
        "observations/s": round(report.states / seconds),
    }
