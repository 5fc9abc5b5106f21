"""The bakery, v2, as ColdFront's code builds it: a constant for each difference from the published model.

With the defaults it is the published protocol, state by state. ``v2_extended.py`` builds on it and adds the
sixth difference, the clean-up by age, together with restarts::

    workbench check bakery_v2 --set Writers=2 --set MaxSkew=1           # tickets are clocks: a 409 with two writers
    workbench check bakery_v2 --set Writers=2 --set MaxSkew=1 --set RaiseClocks=true        # Lamport's rule: none
    workbench check bakery_v2 --set Writers=2 --set MaxSuspicions=1     # a living node is taken for dead: a 409
    workbench check bakery_v2 --set ReleaseTransaction=true     # deletes and acks travel row by row: everything holds
    workbench check specs/bakery/samenode_lock_dies.toml        # no orphan keeps its node's writers out

``specs/bakery/README.md`` compares the risks of the code and of the published model.
"""

import itertools
from dataclasses import replace

from workbench.language import *
from workbench.protocols.bakery.catalog import COMMITTED
from workbench.protocols.bakery.v2 import BakeryV2, in_small_steps


def separate_drains(model):
    """Whether releasing a claim and serving what waited for it are steps of their own."""
    return in_small_steps(model) and not model.ReleaseTransaction


def after_release(model):
    """The step after a release: if that is one transaction, it serves and forgets what waited for it."""
    return "Done" if model.ReleaseTransaction else "DrainForward"


class BakeryV2AsBuilt(BakeryV2):
    """ColdFront's bakery with asymmetric replication and Ricart-Agrawala acks, built as published at first."""

    name = "bakery_v2_as_built"

    MaxSkew = Constant(0, range(0, 101), "how far clocks may be off, counted in claims; 0: one counter gives tickets")
    RaiseClocks = Constant(False, bool, "a node takes no ticket that is smaller than one it has seen")
    Witness = Constant(True, bool, "a writer takes a ticket only while another one is alive to witness it")
    LockDiesWithHolder = Constant(False, bool, "a dead writer's claim keeps no other of its node from queueing")
    MaxSuspicions = Constant(0, range(0, 4), "times that a node may take a living one for dead, for each pair")
    ReleaseTransaction = Constant(
        False, bool, "release, drain and forget are one transaction; deletes and acks reach other nodes one by one"
    )

    clock = Variable(0, per="clocks", doc="the largest ticket that the node has taken; with RaiseClocks, or seen")
    taken = Variable(frozenset(), per="clocks", doc="the tickets of the node that another clock might still show")
    suspicions_left = Variable(lambda m, pair: m.MaxSuspicions, per="pairs", doc="times left to take a node for dead")
    acks_sent = Variable(frozenset(), per="senders", doc="the tickets whose ack has left the node, and has not arrived")
    late_claims = Variable(frozenset(), per="senders", doc="claims withdrawn before they came here; they come, and go")

    def validate(self) -> None:
        super().validate()
        # The variables of a disabled extension have no cells, which would only make every state longer.
        self.clocks = self.nodes if self.MaxSkew else ()
        self.pairs = tuple(itertools.permutations(self.nodes, 2)) if self.MaxSuspicions else ()
        self.senders = self.nodes if self.ReleaseTransaction else ()
        self.witnesses = self.Writers if self.Witness else (None,)
        self.tickets = self.numbered(len(self.tickets))

    def numbered(self, claims):
        """The tickets that so many claims may get."""
        return tuple(range(1, claims + self.MaxSkew + 1))

    # A ticket ----------------------------------------------------------------------------------------------------

    @action(BakeryV2.writer, witness="witnesses")
    def begin_claim(self, s, w, witness):
        """Take a ticket and put the claim into the view of my own node."""
        if self.Witness:
            return super().begin_claim(s, w, witness)
        self.queue(s, w)

    def holds_lock(self, s, claim):
        holder = claim.writer
        return not self.LockDiesWithHolder or (not s.crashed[holder] and s.my_ticket[holder] == claim.ticket)

    def take_ticket(self, s, node):
        """Read the node's clock. A perfect one would show how many claims there are; none shows one ticket twice."""
        if not self.MaxSkew:
            return super().take_ticket(s, node)
        claims = s.next_ticket
        least = max(1, claims - self.MaxSkew, s.clock[node] + 1)
        taken = frozenset().union(*s.taken.values())
        ticket = choose([t for t in range(least, claims + self.MaxSkew + 1) if t not in taken], "ticket")
        s.clock[node] = ticket
        s.taken[node] |= {ticket}
        for other in self.nodes:
            s.taken[other] = frozenset(t for t in s.taken[other] if t > claims - self.MaxSkew)
        s.next_ticket += 1
        return ticket

    @reachable(when="MaxSkew")
    def ClocksDisagree(self, s):
        """A writer can hold a ticket of a time that has not come."""
        return any(s.my_ticket[w] >= s.next_ticket for w in self.Writers)

    # False suspicion ---------------------------------------------------------------------------------------------

    @action(BakeryV2.writer, at="WaitAcks", to="Prepare", fair=False, when="MaxSuspicions")
    def pass_over(self, s, w):
        """Go on without the acks of living nodes that have been silent for so long that my node takes them for dead."""
        node, silent = self.node_of[w], self.silent(s, w)
        require(len(silent) > 0, "every living node has acked")
        for other in silent:
            require(s.suspicions_left[node, other] > 0, f"{node} takes {other} for dead no more")
            s.suspicions_left[node, other] -= 1

    @reachable(when="MaxSuspicions")
    def CommitsUnacked(self, s):
        """A writer can commit without the ack of a node that is alive."""
        return any(s.decision[w] == COMMITTED and self.unacked(s, w) for w in self.Writers)

    def unacked(self, s, w):
        missing = [n for n in self.nodes if n != self.node_of[w] and n not in s.acks[s.my_ticket[w]]]
        return any(self.node_alive(s, n) for n in missing)

    # Release, drain and forget in one transaction ----------------------------------------------------------------

    @action(BakeryV2.writer, to=after_release, when=in_small_steps)
    def release(self, s, w):
        """Withdraw the claim; with ReleaseTransaction also serve and forget the acks that waited for it."""
        super().release(s, w)
        if self.ReleaseTransaction:
            self.forward_acks(s, w)
            self.delete_deferrals(s, w)

    drain_forward = replace(BakeryV2.drain_forward, when=separate_drains)
    drain_delete = replace(BakeryV2.drain_delete, when=separate_drains)

    def withdraw(self, s, node, claims):
        if not self.ReleaseTransaction:
            return super().withdraw(s, node, claims)
        s.claims[node] -= claims
        for other in self.nodes:
            if other != node:
                s.late_claims[other] |= claims - s.claims[other]

    def acknowledge(self, s, node, ticket):
        if not self.ReleaseTransaction:
            return super().acknowledge(s, node, ticket)
        s.acks_sent[node] |= {ticket}

    def news(self, s, source, dst):
        if not self.ReleaseTransaction:
            return super().news(s, source, dst)
        late = frozenset(c for c in s.late_claims[dst] if self.node_of[c.writer] == source)
        return super().news(s, source, dst) | late

    def arrive(self, s, dst, claim):
        super().arrive(s, dst, claim)
        if self.ReleaseTransaction:
            s.late_claims[dst] -= {claim}
        if self.MaxSkew and self.RaiseClocks:
            s.clock[dst] = max(s.clock[dst], claim.ticket)

    @action(BakeryV2.applier, source="nodes", dst="nodes", when="ReleaseTransaction")
    def apply_delete(self, s, source, dst):
        """The delete of a claim of `source` arrives at `dst`."""
        require(source != dst, "a node does not replicate to itself")
        require(self.node_alive(s, dst), f"{dst} is dead")
        gone = frozenset(c for c in s.claims[dst] - s.claims[source] if self.node_of[c.writer] == source)
        require(bool(gone), "there is no withdrawal to replicate")
        s.claims[dst] -= {choose(gone, "claim")}

    @action(BakeryV2.applier, source="nodes", when="ReleaseTransaction")
    def apply_ack(self, s, source):
        """An ack of `source` arrives at the node that waits for it."""
        require(bool(s.acks_sent[source]), f"no ack of {source} is under way")
        ticket = choose(s.acks_sent[source], "ticket")
        s.acks_sent[source] -= {ticket}
        s.acks[ticket] |= {source}

    @reachable(when="ReleaseTransaction")
    def DeletesLag(self, s):
        """All can be done while a node still sees a claim."""
        done = all(s.pc[w] == "Done" for w in self.Writers)
        return done and any(s.claims[n] for n in self.nodes)
