"""The bakery, v2, as ColdFront's code builds it: where the code differs from the published model, a constant each.

With the defaults it is the published protocol, state by state. ``bakery_v2_extended.py`` goes on from here::

    workbench check bakery_v2 --set ReleaseTransaction=true     # deletes and acks travel row by row: everything holds

``specs/bakery/README.md`` says what the code risks, and what only the published model does.
"""

from dataclasses import replace

from workbench.kernel import Constant, Variable, action, choose, reachable, require
from workbench.models.bakery_v2 import BakeryV2, in_small_steps


def drains_apart(model):
    """Whether releasing a claim and serving what waited for it are steps of their own."""
    return in_small_steps(model) and not model.ReleaseTransaction


class BakeryV2AsBuilt(BakeryV2):
    """ColdFront's bakery with asymmetric replication and Ricart-Agrawala acks, built as published at first."""

    name = "bakery_v2_as_built"

    ReleaseTransaction = Constant(
        False, bool, "release, drain and forget are one transaction; deletes and acks reach other nodes one by one"
    )

    acks_sent = Variable(frozenset(), per="nodes", doc="the tickets whose ack has left the node, and has not arrived")
    late_claims = Variable(frozenset(), per="nodes", doc="claims withdrawn before they came here; they come, and go")

    # Release, drain and forget in one transaction ----------------------------------------------------------------

    @action(BakeryV2.writer, when=in_small_steps)
    def release(self, s, w):
        """Withdraw the claim; in one transaction with it, serve and forget the acks that waited for my ticket."""
        super().release(s, w)
        if self.ReleaseTransaction:
            self.forward_acks(s, w)
            self.delete_deferrals(s, w)

    drain_forward = replace(BakeryV2.drain_forward, when=drains_apart)
    drain_delete = replace(BakeryV2.drain_delete, when=drains_apart)

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
        late = frozenset(c for c in s.late_claims[dst] if self.node_of[c.writer] == source)
        return super().news(s, source, dst) | late

    def arrive(self, s, dst, claim):
        super().arrive(s, dst, claim)
        s.late_claims[dst] -= {claim}

    @action(BakeryV2.applier, source="nodes", dst="nodes", when="ReleaseTransaction")
    def apply_delete(self, s, source, dst):
        """The delete of a claim of `source` arrives at `dst`."""
        require(source != dst, "a node does not replicate to itself")
        require(self.node_alive(s, dst), f"{dst} is dead")
        gone = frozenset(c for c in s.claims[dst] - s.claims[source] if self.node_of[c.writer] == source)
        require(gone, f"{dst} sees no claim that {source} has withdrawn")
        s.claims[dst] -= {choose(gone, "claim")}

    @action(BakeryV2.applier, source="nodes", when="ReleaseTransaction")
    def apply_ack(self, s, source):
        """An ack of `source` arrives at the node that waits for it."""
        require(s.acks_sent[source], f"no ack of {source} is under way")
        ticket = choose(s.acks_sent[source], "ticket")
        s.acks_sent[source] -= {ticket}
        s.acks[ticket] |= {source}

    @reachable(when="ReleaseTransaction")
    def DeletesLag(self, s):
        """All can be done while a node still sees a claim."""
        done = all(s.pc[w] == "Done" for w in self.Writers)
        return done and any(s.claims[n] for n in self.nodes)
