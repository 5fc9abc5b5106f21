"""The bakery, v1: writers take tickets so that one at a time may commit to an Iceberg table.

N writers on PostgreSQL nodes each want to append one snapshot to one shared table. The catalog accepts a commit by
compare-and-swap on the table's head and answers a lost swap with an HTTP 409. A writer first takes a ticket, which
it announces as a *claim*, and commits only while its claim is the smallest: then no 409 can happen. In this version
the claims are one globally consistent set.

The properties, and the commands that check them::

    workbench check bakery                              # one writer may crash: everything holds
    workbench check bakery --set MaxCrashes=0           # nobody crashes: EventualProgress holds
    workbench check specs/bakery/v1_orphan.toml         # EventualProgress: a crash with a claim leaves it undecided
    workbench check specs/bakery/v1_no_reaping.toml     # NonCrashedProgress: a claim of the dead stops the queue

``specs/bakery/README.md`` explains the protocol; ``extended.py`` adds restarts, which are off by default.
Semantics after pgEdge/coldfront (docs/formal, PostgreSQL licence).
"""

from typing import NamedTuple

from workbench.language import *
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.catalog import COMMITTED, ROLLED_BACK, Snapshot
from workbench.protocols.table.model import Table, VersionedTable


class Claim(NamedTuple):
    """The right to commit that a writer has queued for. In v1 every writer is a node of its own."""

    ticket: int
    writer: str


class Bakery(Model):
    """ColdFront's bakery with atomic, globally visible claims."""

    name = "bakery_published"
    symmetry = ("Writers",)

    Writers = Constant(3, Names("w", range(1, 7)), "writers, each on a node of its own, competing for the table")
    MaxTickets = Constant(6, range(1, 21), "a sanity bound: at least the number of writers; no step depends on it")
    MaxIcebergLen = Constant(5, range(1, 21), "a sanity bound on the history; no step depends on it", ghost=True)
    MaxCrashes = Constant(1, range(0, 4), "writers that may crash")
    NodeStartup = Constant(True, bool, "writers first drop the claims that their node left behind")
    LazyReap = Constant(True, bool, "a waiting writer may remove smaller claims of crashed nodes")

    next_ticket = Variable(1, doc="the ticket that the next claim gets")
    claims = Variable(frozenset(), doc="the claims that are held or waiting")
    iceberg = Variable((Snapshot(None, 0, 0),), doc="the table's history, from the snapshot that nobody owns")
    decision = Variable(None, per="Writers", doc="committed, rolled_back or lk_409 once decided")
    crashed = Variable(False, per="Writers", doc="a crashed writer takes no further step")
    crash_budget = Variable(lambda m: m.MaxCrashes, doc="crashes that may still happen")
    writer = Process(
        per="Writers",
        fair="weak",
        doc="takes one pass from claim to decision",
        start=lambda m: m.first_step,
        guard=catalog.lives,
    )
    crasher = catalog.crasher
    my_ticket = Variable(0, per="Writers", doc="the ticket taken, 0 for none")
    parent_seen = Variable(0, per="Writers", doc="the head that the commit will build on")

    def validate(self) -> None:
        catalog.check_tickets(self)
        self.contents = (catalog.FILE,)
        self.first_step = "NodeStartup" if self.NodeStartup else "BeginClaim"

    @action(writer, at="NodeStartup", to="BeginClaim", when="NodeStartup")
    def node_startup(self, s, w):
        """Drop what an earlier life of this node left in the queue."""
        s.claims = frozenset(c for c in s.claims if c.writer != w)

    @action(writer, at="BeginClaim", to="BakeryWait")
    def begin_claim(self, s, w):
        """Take the next ticket and queue."""
        require(any(not s.crashed[p] for p in self.Writers if p != w), "no other writer is alive to witness the claim")
        s.my_ticket[w] = s.next_ticket
        s.claims |= {Claim(s.next_ticket, w)}
        s.next_ticket += 1

    @action(writer, at="BakeryWait")
    def bakery_wait(self, s, w):
        """Go on when my claim is the smallest; until then remove claims of crashed nodes before mine."""
        mine = Claim(s.my_ticket[w], w)
        if mine == min(s.claims, default=None):
            s.pc[w] = "Prepare"
            return
        require(self.LazyReap, f"{w} waits for a smaller claim")
        orphans = frozenset(c for c in s.claims if c.ticket < mine.ticket and s.crashed[c.writer])
        require(bool(orphans), f"{w} waits for a smaller claim of a writer that is alive")
        s.claims -= {choose(orphans, "reap")}

    @action(writer, at="Prepare", to="Decide")
    def prepare(self, s, w):
        """Read the head that the new snapshot will follow."""
        s.parent_seen[w] = len(s.iceberg)

    @action(writer, at="Decide", to="Done")
    def commit(self, s, w):
        """Compare-and-swap on the head, then leave the queue."""
        catalog.swap(s, w)
        self.leave(s, w)

    @action(writer, at="Decide", to="Done")
    def rollback(self, s, w):
        """Give up, and leave the queue."""
        s.decision[w] = ROLLED_BACK
        self.leave(s, w)

    def leave(self, s, w):
        s.claims -= {Claim(s.my_ticket[w], w)}

    crash, give_up, crasher_done = catalog.crash, catalog.give_up, catalog.crasher_done

    @action(stutters=True)
    def all_done(self, s):
        """Everything has ended: the state stays as it is. The published count of generated states has this step."""
        require(s.pc_crasher == "Done", "the crasher is not Done")
        require(all(s.pc[w] == "Done" for w in self.Writers), "a writer is not Done")

    @invariant
    def NoLakekeeperConflict(self, s):
        """The catalog never answers 409."""
        return catalog.no_conflict(self, s)

    @invariant
    def RollbackNoIceberg(self, s):
        """A writer that rolled back owns no snapshot."""
        return catalog.rollback_leaves_nothing(self, s)

    @invariant
    def UniqueTickets(self, s):
        """Two claims with one ticket belong to one writer."""
        return catalog.unique_tickets(s.claims)

    @invariant
    def TicketOrderPreserved(self, s):
        """Snapshots are committed in the order of their tickets."""
        return catalog.ticket_order(s)

    @reachable
    def SomeoneCommits(self, s):
        """The table can grow."""
        return len(s.iceberg) > 1

    def waiting(self, s, w):
        return s.decision[w] is None and any(c.writer == w for c in s.claims)

    @liveness(w="Writers", by_default=lambda model: not model.MaxCrashes)
    def EventualProgress(self, w):
        """A writer with a claim gets to a decision. Writers that crash are not excused."""
        return leads_to(lambda s: self.waiting(s, w), lambda s: s.decision[w] in (COMMITTED, ROLLED_BACK))

    @liveness(w="Writers", by_default="MaxCrashes")
    def NonCrashedProgress(self, w):
        """A writer with a claim gets to a decision, unless it crashes."""
        return leads_to(
            lambda s: self.waiting(s, w) and not s.crashed[w],
            lambda s: s.decision[w] in (COMMITTED, ROLLED_BACK) or s.crashed[w],
        )

    @refines(Table, Keys="Writers", Values="contents", by_default=False)
    def OneTable(self, s):
        """The table that readers of the head know, and writers whose commit the catalog has accepted.

        A write happens, and is acknowledged, when the catalog swaps the head. A 409 or a roll-back tells nobody that
        the table has anything: neither is a step of the table.
        """
        return catalog.as_table(self, s)

    @refines(VersionedTable, Keys="Writers", Values="contents", by_default=False)
    def OneHistory(self, s):
        """The table of OneTable, with one version for each snapshot that a writer has added."""
        return catalog.as_table_with_versions(self, s)
