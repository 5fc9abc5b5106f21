"""The bakery, v2: claims travel between nodes asynchronously, and a ticket needs an ack of every other node.

As in v1 a writer may commit to the Iceberg table only when its ticket is the smallest. But now every node sees the
claims through its own, lagging copy, so that "smallest" is not enough: as in Ricart and Agrawala's algorithm each
other node must acknowledge a ticket, and a node that holds a smaller one defers its ack until it has finished.

The properties, and the commands that check them::

    workbench check bakery_v2                                   # the stock settings: everything holds
    workbench check bakery_v2 --set SafeAcks=false              # EventualProgress: an ack is deferred for ever
    workbench check bakery_v2 --set AsyncParquet=true --set RestampPatch=false      # a 409
    workbench check specs/bakery/samenode_race.toml             # two writers on one node

``specs/bakery/README.md`` explains the protocol; ``v2_as_built.py`` adds the differences of the real code, and
``v2_extended.py`` restarts and more, all off by default.
Semantics after pgEdge/coldfront (docs/formal, PostgreSQL licence).
"""

from typing import NamedTuple

from workbench.language import *
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.catalog import ROLLED_BACK, Snapshot
from workbench.protocols.table.model import Table, VersionedTable


class Claim(NamedTuple):
    """A writer's place in the queue; it is owned by the writer's node."""

    ticket: int
    writer: str


class Deferral(NamedTuple):
    """An ack for `ticket` that a node holds back until its own claim with ticket `behind` is released."""

    ticket: int
    behind: int


def in_small_steps(model):
    """Whether the applier's answer, and what follows a decision, are steps of their own."""
    return model.StepGranularity == "split"


def after_decision(model):
    """The step after a decision: if steps are coarse, what follows it is part of it."""
    return "Release" if in_small_steps(model) else "Done"


class BakeryV2(Model):
    """ColdFront's bakery with asymmetric replication and Ricart-Agrawala acks."""

    name = "bakery_v2_published"
    symmetry = ("Writers",)

    Writers = Constant(3, Names("w", range(1, 6)), "writers competing for the table")
    NodeParts = Constant(None, Partition("Writers"), "which writers share a node; by default each has its own")
    SameNodeLock = Constant(True, bool, "writers of one node queue one at a time")
    MaxTickets = Constant(6, range(1, 21), "tickets that may be handed out")
    MaxIcebergLen = Constant(5, range(1, 21), "a sanity bound on the history; no step depends on it", ghost=True)
    MaxCrashes = Constant(0, range(0, 4), "writers that may crash")
    AsyncParquet = Constant(False, bool, "data files are staged, on the head of that time, before the claim")
    RestampPatch = Constant(True, bool, "staged files are moved onto the current head before the commit")
    SafeAcks = Constant(True, bool, "the applier judges again, when it answers, whether to defer an ack")
    StepGranularity = Constant("split", ("split", "atomic"), "atomic: applier and commit take coarser steps")

    next_ticket = Variable(1, doc="the ticket that the next claim gets")
    claims = Variable(frozenset(), per="nodes", doc="the claims that a node sees")
    acks = Variable(frozenset(), per="tickets", doc="the nodes that have acknowledged a ticket")
    deferred = Variable(frozenset(), per="nodes", doc="the acks that a node holds back")
    iceberg = Variable((Snapshot(None, 0, 0),), doc="the table's history, from the snapshot that nobody owns")
    decision = Variable(None, per="Writers", doc="committed, rolled_back or lk_409 once decided")
    crashed = Variable(False, per="Writers", doc="a crashed writer takes no further step")
    crash_budget = Variable(lambda m: m.MaxCrashes, doc="crashes that may still happen")
    writer = Process(
        per="Writers", fair="weak", doc="takes one pass from staging to decision", start="Start", guard=catalog.lives
    )
    my_ticket = Variable(0, per="Writers", doc="the ticket taken, 0 for none")
    parent_seen = Variable(0, per="Writers", doc="the head that the commit will build on")
    parent_staged = Variable(0, per="Writers", doc="the head when the data files were staged")
    applier = Process(
        fair="weak", doc="replicates claims and answers them, for ever", pc="pc_applier", start="ApplyDecide"
    )
    ap_dst = Variable(None, doc="the applier's register: the node that answers")
    ap_ct = Variable(0, doc="the applier's register: the claim's ticket")
    ap_defer = Variable(False, doc="the applier's register: whether the node had a smaller claim")
    ap_behind = Variable(0, doc="the applier's register: the smallest such ticket")
    crasher = catalog.crasher

    def validate(self) -> None:
        catalog.check_tickets(self)
        parts = self.NodeParts or tuple((w,) for w in self.Writers)
        self.nodes = tuple(f"n{i + 1}" for i in range(len(parts)))
        for writer in self.Writers:
            if writer in self.nodes:
                raise InputError(f"Writers: {writer!r} is not accepted, since a node has that name; take another one")
        self.last_ticket = self.MaxTickets
        self.tickets = tuple(range(1, min(self.MaxTickets, len(self.Writers)) + 1))
        self.writers_of = dict(zip(self.nodes, parts, strict=True))
        self.node_of = {w: n for n, part in self.writers_of.items() for w in part}
        self.contents = (catalog.FILE,)
        self.atomic = self.StepGranularity == "atomic"

    def renamings(self, sets=None):
        """Permutations of the writers that map nodes onto nodes; the nodes' names follow their writers."""
        with_nodes = []
        node_with = {frozenset(part): n for n, part in self.writers_of.items()}
        for renaming in super().renamings(sets):
            images = {n: frozenset(renaming.get(w, w) for w in part) for n, part in self.writers_of.items()}
            if all(image in node_with for image in images.values()):
                with_nodes.append({**renaming, **{n: node_with[image] for n, image in images.items()}})
        return with_nodes

    def node_alive(self, s, node):
        return any(not s.crashed[w] for w in self.writers_of[node])

    def owned(self, s, node, below):
        """The tickets smaller than `below` of the claims that `node` itself owns, as it sees them."""
        return [c.ticket for c in s.claims[node] if self.node_of[c.writer] == node and c.ticket < below]

    # A writer ----------------------------------------------------------------------------------------------------

    @action(writer, at="Start", to="Stage")
    def start(self, s, w):
        """Wake up."""

    @action(writer, at="Stage", to="BeginClaim")
    def stage(self, s, w):
        """Write data files; with AsyncParquet they are stamped with the head of this moment."""
        if self.AsyncParquet:
            s.parent_staged[w] = len(s.iceberg)

    @action(writer, at="BeginClaim", to="WaitAcks", witness="Writers")
    def begin_claim(self, s, w, witness):
        """Take a ticket and put the claim into the view of my own node."""
        require(w != witness, "a writer cannot witness its own claim")
        require(not s.crashed[witness], f"{witness} has crashed and cannot witness the claim")
        self.queue(s, w)

    def queue(self, s, w):
        require(s.next_ticket <= self.last_ticket, "all tickets have been handed out")
        node = self.node_of[w]
        if self.SameNodeLock and len(self.writers_of[node]) > 1:
            mates = [c for c in s.claims[node] if c.writer != w and self.node_of[c.writer] == node]
            require(not any(self.holds_lock(s, c) for c in mates), f"another writer of {node} holds a claim")
        ticket = self.take_ticket(s, node)
        s.my_ticket[w] = ticket
        s.claims[node] |= {Claim(ticket, w)}

    def holds_lock(self, s, claim):
        """Whether a claim keeps the other writers of its node out of the queue."""
        return True

    def take_ticket(self, s, node):
        ticket = s.next_ticket
        s.next_ticket += 1
        return ticket

    @action(writer, at="WaitAcks", to="Prepare")
    def wait_acks(self, s, w):
        """Go on when no writer of my node is before me and every other living node has acked my ticket."""
        silent = self.silent(s, w)
        require(not silent, f"{w} waits for the ack of {' and '.join(silent)} for ticket {s.my_ticket[w]}")

    def silent(self, s, w):
        """The other living nodes that have not acked the ticket of `w`, once no writer of its own node is before it."""
        node, ticket = self.node_of[w], s.my_ticket[w]
        if len(self.writers_of[node]) > 1:
            require(not self.owned(s, node, below=ticket), f"another writer of {node} has a smaller claim")
        missing = [other for other in self.nodes if other != node and other not in s.acks[ticket]]
        return [other for other in missing if self.node_alive(s, other)]

    @action(writer, at="Prepare", to="Decide")
    def prepare(self, s, w):
        """Choose the head to build on: the current one, or the one that the files were staged on."""
        stale = self.AsyncParquet and not self.RestampPatch
        s.parent_seen[w] = s.parent_staged[w] if stale else len(s.iceberg)

    @action(writer, at="Decide", to=after_decision)
    def commit(self, s, w):
        """Compare-and-swap on the head. The claim is still held."""
        catalog.swap(s, w)
        self.decided(s, w)

    @action(writer, at="Decide", to=after_decision)
    def rollback(self, s, w):
        """Give up. The claim is still held."""
        s.decision[w] = ROLLED_BACK
        self.decided(s, w)

    def decided(self, s, w):
        if self.atomic:
            self.release_claim(s, w)
            self.forward_acks(s, w)
            self.delete_deferrals(s, w)

    @action(writer, at="Release", to="DrainForward", when=in_small_steps)
    def release(self, s, w):
        """Withdraw the claim from every node's view."""
        self.release_claim(s, w)

    def release_claim(self, s, w):
        self.withdraw(s, self.node_of[w], {Claim(s.my_ticket[w], w)})

    def withdraw(self, s, node, claims):
        """Remove claims that `node` owns."""
        for view in self.nodes:
            s.claims[view] -= claims

    @action(writer, at="DrainForward", to="DrainDelete", when=in_small_steps)
    def drain_forward(self, s, w):
        """Send the acks that waited for my ticket."""
        self.forward_acks(s, w)

    def forward_acks(self, s, w):
        node = self.node_of[w]
        for deferral in sorted(s.deferred[node]):
            if deferral.behind == s.my_ticket[w]:
                self.acknowledge(s, node, deferral.ticket)

    def acknowledge(self, s, node, ticket):
        s.acks[ticket] |= {node}

    @action(writer, at="DrainDelete", to="Done", when=in_small_steps)
    def drain_delete(self, s, w):
        """Forget the deferrals that have been served."""
        self.delete_deferrals(s, w)

    def delete_deferrals(self, s, w):
        node = self.node_of[w]
        s.deferred[node] = frozenset(d for d in s.deferred[node] if d.behind != s.my_ticket[w])

    # The applier -------------------------------------------------------------------------------------------------

    @action(applier, at="ApplyDecide", to=lambda m: None if m.atomic else "ApplyEmit", source="nodes", dst="nodes")
    def apply_decide(self, s, source, dst):
        """Replicate a claim of `source` to `dst`, and see whether `dst` is before it in the queue."""
        require(source != dst, "a node does not replicate to itself")
        require(self.node_alive(s, dst), f"{dst} is dead")
        news = self.news(s, source, dst)
        require(bool(news), "there is no claim to replicate")
        claim = choose(news, "claim")
        self.arrive(s, dst, claim)
        smaller = self.owned(s, dst, below=claim.ticket)
        behind = min(smaller, default=0)
        if self.atomic:
            self.answer(s, dst, claim.ticket, defer=bool(smaller), behind=behind)
            return
        s.ap_dst, s.ap_ct, s.ap_defer, s.ap_behind = dst, claim.ticket, bool(smaller), behind

    def news(self, s, source, dst):
        """The claims of `source` that have not come to `dst`."""
        return frozenset(c for c in s.claims[source] - s.claims[dst] if self.node_of[c.writer] == source)

    def arrive(self, s, dst, claim):
        s.claims[dst] |= {claim}

    @action(applier, at="ApplyEmit", to="ApplyDecide", when=in_small_steps)
    def apply_emit(self, s):
        """Ack the claim, or defer the ack behind the claim remembered from before."""
        dst, ticket = s.ap_dst, s.ap_ct
        defer = bool(self.owned(s, dst, below=ticket)) if self.SafeAcks else s.ap_defer
        self.answer(s, dst, ticket, defer, s.ap_behind)

    def answer(self, s, node, ticket, defer, behind):
        if defer:
            s.deferred[node] |= {Deferral(ticket, behind)}
        else:
            self.acknowledge(s, node, ticket)

    # The crasher -------------------------------------------------------------------------------------------------

    crash, give_up, crasher_done = catalog.crash, catalog.give_up, catalog.crasher_done

    # Properties --------------------------------------------------------------------------------------------------

    @invariant
    def NoLakekeeperConflict(self, s):
        """The catalog never answers 409."""
        return catalog.no_conflict(self, s)

    @invariant
    def RollbackNoIceberg(self, s):
        """A writer that rolled back owns no snapshot."""
        return self.rollback_leaves_nothing(s)

    def rollback_leaves_nothing(self, s):
        return catalog.rollback_leaves_nothing(self, s)

    @invariant
    def UniqueTickets(self, s):
        """Two claims with one ticket, in any views, belong to one writer."""
        return catalog.unique_tickets(frozenset().union(*(s.claims[n] for n in self.nodes)))

    @invariant
    def TicketOrderPreserved(self, s):
        """Snapshots are committed in the order of their tickets."""
        return catalog.ticket_order(s)

    @reachable
    def EveryoneCommits(self, s):
        """The table can grow by a snapshot of each writer."""
        return {snapshot.writer for snapshot in s.iceberg} == {None, *self.Writers}

    @liveness(w="Writers", by_default=lambda model: not model.MaxCrashes)
    def EventualProgress(self, w):
        """Every writer gets to a decision, were it a 409. Writers that crash are not excused."""
        return eventually(lambda s: s.decision[w] is not None)

    # The promise of a table -------------------------------------------------------------------------------------------

    @refines(Table, Keys="Writers", Values="contents", by_default=False)
    def OneTable(self, s):
        """The table that readers of the head know, and writers whose commit the catalog has accepted.

        A write happens, and is acknowledged, when the catalog swaps the head. A 409 or a roll-back tells nobody that
        the table has anything: neither is a step of the table.
        """
        return catalog.as_table(self, s)

    @refines(VersionedTable, Keys="Writers", Values="contents", by_default=False)
    def OneHistory(self, s):
        """The same table, with a version for each snapshot that a writer has added."""
        return catalog.as_table_with_versions(self, s)
