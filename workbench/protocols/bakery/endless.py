"""The bakery, v1, with writers that never stop: when they are done, they take the next ticket.

Tickets and the table's history grow without end, so the state space is infinite. The constraint ``TicketsWithin``
bounds the search: verdicts hold as long as no more than ``MaxTickets`` tickets are taken::

    workbench check bakery_endless                            # within four tickets every invariant holds
    workbench check bakery_endless --set MaxTickets=6         # and within six
    workbench check specs/bakery/v1_endless.toml              # two writers; one may crash

``specs/bakery/README.md`` explains the protocol.
"""

from workbench.language import *
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.model import Bakery


class BakeryEndless(Bakery):
    """ColdFront's bakery with atomic, globally visible claims, and writers that commit again and again."""

    name = "bakery_endless"

    Writers = Constant(2, Names("w", range(1, 7)), "writers, each on a node of its own, competing for the table")
    MaxTickets = Constant(4, range(1, 21), "tickets within which the search stays; no step depends on it")

    # Infinite behaviours leave the constraint, so the verdict is unknown there: checked only when named.
    EventualProgress = liveness(w="Writers", by_default=False)(Bakery.EventualProgress.function)
    NonCrashedProgress = liveness(w="Writers", by_default=False)(Bakery.NonCrashedProgress.function)

    @action(Bakery.writer, at="Done", to="BeginClaim")
    def begin_again(self, s, w):
        """A writer that is done has something more to append."""
        s.decision[w] = None
        s.my_ticket[w] = s.parent_seen[w] = 0

    @constraint
    def TicketsWithin(self, s):
        """No more than MaxTickets tickets have been taken."""
        return s.next_ticket <= self.MaxTickets + 1

    @invariant
    def RollbackNoIceberg(self, s):
        """No snapshot has the ticket with which a writer rolled back."""
        return catalog.rollback_leaves_nothing_of_its_ticket(self, s)

    @reachable
    def SomeoneCommitsAgain(self, s):
        """A writer can commit twice."""
        owners = [snapshot.writer for snapshot in s.iceberg[1:]]
        return len(set(owners)) < len(owners)
