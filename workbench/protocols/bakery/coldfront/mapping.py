"""The mapping ``coldfront``: logical decoding of ColdFront's bakery as a recording of ``bakery_v2``.

Nodes, writers and tickets come from the log, nodes ordered by name and tickets by number. The log does not say which
writer holds a ticket; a node gets as few writers as it ever held claims at once. Files, heads and decisions leave no
trace: the search fills in these steps.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from workbench.checking.following.events import Event
from workbench.checking.following.mapping import Mapped
from workbench.formats.recording import Observation, Recording
from workbench.kernel import InputError, Machine, State
from workbench.kernel.meaning.cells import Cell
from workbench.kernel.meaning.state import row_of
from workbench.protocols.bakery.coldfront.log import Log, read_log
from workbench.protocols.bakery.coldfront.rows import CLAIMS, DEFERRALS, DELETE, RowChange, Transaction, each_change
from workbench.protocols.bakery.v2 import Claim, Deferral
from workbench.protocols.bakery.v2_extended import BakeryV2Extended

#: The visible variables.
WATCHED = ("claims", "deferred", "acks", "acks_sent")


class ColdFront:
    """Reads the changes of the bakery's tables; if there are several Iceberg tables, those for one of them."""

    name = "coldfront"

    def __init__(self, iceberg_table: str | None = None) -> None:
        self.iceberg_table = iceberg_table

    def read(self, events: Sequence[Event]) -> Mapped:
        log = read_log(events, self.iceberg_table)
        writers, writer_of = _writers(log)
        passes = Counter(writer_of.values())
        constants = {
            "Writers": [writer for part in writers.values() for writer in part],
            "NodeParts": list(writers.values()),
            "MaxRounds": max(passes.values()),
            "ReleaseTransaction": True,
            "Witness": False,
        }

        def record(machine: Machine) -> Recording:
            model = machine.author
            if not isinstance(model, BakeryV2Extended):
                raise InputError(f"the log's tables belong to bakery_v2, not to {machine.name}")
            if [list(part) for part in model.writers_of.values()] != list(writers.values()):
                parts = " and ".join(f"{', '.join(part)} on {node}" for node, part in writers.items())
                raise InputError(f"Writers and NodeParts are not those of the log: {parts}")
            if len(log.owner) > len(model.tickets):
                raise InputError(
                    f"the log has {len(log.owner)} tickets; with these constants there are {len(model.tickets)}"
                )
            return _Observer(log, writer_of, machine, model).recording()

        return Mapped("bakery_v2", constants, record, [("MaxSkew", _skew(log))])


def _skew(log: Log) -> int:
    """The largest distance between a ticket's rank and its place in the log: how far a clock was off, in claims."""
    taken = [
        change.key.ticket
        for node, change in each_change([*log.held, *log.transactions])
        if change.key.table == CLAIMS and change.op != DELETE and log.owner[change.key.ticket] == node
    ]
    place = {ticket: place for place, ticket in enumerate(sorted(taken))}
    return max((abs(place[ticket] - at) for at, ticket in enumerate(taken)), default=0)


def _writers(log: Log) -> tuple[dict[str, list[str]], dict[int, str]]:
    """The writers of each node, and the holder of each ticket: a free writer of its node, or else a new one."""
    places: dict[str, list[int]] = {node: [] for node in log.nodes}  # by writer, the ticket held, or 0
    place_of: dict[int, int] = {}
    for node, change in each_change([*log.held, *log.transactions]):
        ticket = change.key.ticket
        if change.key.table == CLAIMS and log.owner[ticket] == node:
            if change.op == DELETE:
                places[node][place_of[ticket]] = 0
            else:
                if 0 not in places[node]:
                    places[node].append(0)
                place_of[ticket] = places[node].index(0)
                places[node][place_of[ticket]] = ticket
    names = iter(f"w{number}" for number in range(1, 1 + sum(max(1, len(held)) for held in places.values())))
    writers = {node: [next(names) for _ in held or [0]] for node, held in places.items()}
    # A claim that was released before the log began, but is still on other nodes, may have been any writer's.
    return writers, {ticket: writers[node][place_of.get(ticket, 0)] for ticket, node in log.owner.items()}


def _answered_late(log: Log) -> set[tuple[str, int]]:
    """The claims that reach a node and are answered there only after another change was applied somewhere, or never.

    The model's only applier answers a claim before it continues, so these count as arriving with their answer.
    """
    applied: list[tuple[str, int]] = []
    answered: set[tuple[str, int]] = set()
    for node, change in each_change(log.transactions):
        here = node, change.key.ticket
        if change.op != DELETE and log.owner[change.key.ticket] != node and here not in answered:
            applied.append(here)
            if change.key.table != CLAIMS:
                answered.add(here)
    at_once = {one for one, other in pairwise(applied) if one == other}
    return {here for here, times in Counter(applied).items() if times > 1 or here not in answered} - at_once


class _Observer:
    """Applies the log's changes to the model's variables."""

    def __init__(self, log: Log, writer_of: dict[int, str], machine: Machine, model: BakeryV2Extended) -> None:
        self.log, self.machine, self.model = log, machine, model
        numbers = {ticket: number for number, ticket in enumerate(sorted(log.owner), start=1)}
        self.numbers = numbers
        self.claims = {ticket: Claim(numbers[ticket], writer) for ticket, writer in writer_of.items()}
        self.nodes = dict(zip(log.nodes, model.nodes, strict=True))
        positions = machine.layout.positions
        self.positions = {name: cells for name in WATCHED if isinstance(cells := positions[name], dict)}
        self.start: State = machine.initial_states()[0]
        self.cells = {cell: row_of(self.start)[cell] for cells in self.positions.values() for cell in cells.values()}
        self.come: set[tuple[str, int]] = set()
        self.to_come_late = _answered_late(log)

    def recording(self) -> Recording:
        for held in self.log.held:
            self.follow(held)
        states = [Observation(dict(self.cells), source="the beginning")]
        begins = [self.state_with_claims()] if self.log.held else None
        for transaction in self.log.transactions:
            changed, steps = self.follow(transaction)
            if changed:
                cells = {position: self.cells[position] for position in changed}
                states.append(Observation(cells, steps=steps, source=transaction.source))
        return Recording(states, begins=begins or "initial", watched=frozenset(self.cells), irrelevant=self.unseen())

    def unseen(self) -> frozenset[int]:
        """The cells that no row depends on: those on the end of a pass, unless a 409 starts another pass."""
        names = () if self.model.MaxRetries else ("iceberg", "decision", "parent_seen", "parent_staged")
        return frozenset(at for at, cell in enumerate(self.machine.layout.cells) if cell.variable in names)

    def state_with_claims(self) -> State:
        """The state in which a log begins while claims are held: their writers wait for acks."""
        cells: dict[Cell, Any] = {}

        def put(variable: str, index: Any, value: Any) -> None:
            cells[Cell(variable, index)] = value

        seen = frozenset[Claim]().union(*(self.cells[cell] for cell in self.positions["claims"].values()))
        to_come = Counter(claim.writer for claim in self.claims.values() if claim not in seen)
        for writer, home in self.model.node_of.items():
            own = [c for c in self.cells[self.positions["claims"][home]] if c.writer == writer]
            for claim in own:
                put("pc", writer, "WaitAcks")
                put("my_ticket", writer, claim.ticket)
            if not own and not to_come[writer]:
                put("pc", writer, "Done")
            if self.model.MaxRounds > 1:
                put("rounds_left", writer, max(0, to_come[writer] - (not own)))
        put("next_ticket", None, len(seen) + 1)
        if self.model.MaxSkew:
            for node in self.model.nodes:
                taken = frozenset(claim.ticket for claim in seen if self.model.node_of[claim.writer] == node)
                tickets = {claim.ticket for claim in seen} if self.model.RaiseClocks else taken
                put("taken", node, taken)
                put("clock", node, max(tickets, default=0))
        state: State = self.machine.written(self.start, {**self.cells, **self.machine.layout.put(cells)})
        return state

    def follow(self, transaction: Transaction) -> tuple[set[int], int]:
        """The cells that a transaction changes, and the largest number of steps for it."""
        changed: set[int] = set()
        steps = 0
        for change in transaction.changes:
            for cells in self.effects(transaction.node, change):
                changed |= cells
                steps += 1
        return changed, steps

    def effects(self, node: str, change: RowChange) -> Iterator[set[int]]:
        """The cells that a row's change affects, step by step. Acks count at the node that waits for them."""
        table, ticket, other = change.key
        number, here, own = self.numbers[ticket], self.nodes[node], self.log.owner[ticket] == node
        if table == CLAIMS and change.op == DELETE:
            if (node, ticket) in self.come:
                yield {self.discard("claims", here, self.claims[ticket])}
        elif table == CLAIMS:
            if (node, ticket) not in self.to_come_late:
                yield from self.comes(node, ticket)
        elif table == DEFERRALS:
            deferral = Deferral(number, self.numbers[other])
            if change.op == DELETE:
                yield {self.discard("deferred", here, deferral)}
            else:
                yield from self.comes(node, ticket)
                yield {self.add("deferred", here, deferral)}
        elif other == node and change.op != DELETE:
            yield from self.comes(node, ticket)
            if not self.model.ReleaseTransaction:
                yield {self.add("acks", number, here)}
            elif here not in self.cells[self.positions["acks"][number]]:  # it may be, at the log's beginning
                yield {self.add("acks_sent", here, number)}
        elif own and change.op != DELETE and self.model.ReleaseTransaction:
            there = self.nodes[other]
            yield {self.discard("acks_sent", there, number), self.add("acks", number, there)}
        elif own and change.op == DELETE and self.claims[ticket] in self.cells[self.positions["claims"][here]]:
            yield {self.discard("acks", number, self.nodes[other])}

    def comes(self, node: str, ticket: int) -> Iterator[set[int]]:
        """A claim arrives with its row, or with its answer: an ack may be committed before the row."""
        if (node, ticket) not in self.come:
            self.come.add((node, ticket))
            yield {self.add("claims", self.nodes[node], self.claims[ticket])}

    def add(self, variable: str, index: Any, element: Any) -> int:
        position = self.positions[variable][index]
        self.cells[position] |= {element}
        return position

    def discard(self, variable: str, index: Any, element: Any) -> int:
        position = self.positions[variable][index]
        self.cells[position] -= {element}
        return position
