"""The bakery, v1, extended: crashed writers may come back.

``MaxRestarts`` is 0 by default, which switches restarts off and leaves the published protocol, state by state::

    workbench check bakery --set MaxRestarts=1                # a crashed writer may come back: everything holds
    workbench check specs/bakery/v1_restart_no_startup.toml   # NonCrashedProgress: it does not clean up
    workbench check specs/bakery/v1_restart_heals.toml        # RestartsHeal: a restart frees a blocked queue

``specs/bakery/README.md`` discusses the results.
"""

from workbench.language import *
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.catalog import ROLLED_BACK
from workbench.protocols.bakery.model import Bakery


class BakeryExtended(Bakery):
    """ColdFront's bakery with atomic, globally visible claims, and restarts that are off at first."""

    name = "bakery"

    MaxRestarts = Constant(0, range(0, 4), "restarts of crashed writers that have not decided, in total")

    restart_budget = Variable(lambda m: m.MaxRestarts, doc="restarts that may still happen")

    operator = Process(doc="restarts crashed writers; nobody can count on it, so it is not fair")

    @action(operator, w="Writers", when="MaxRestarts")
    def restart(self, s, w):
        """A writer that crashed before it decided begins again; its old claim is still in the queue."""
        catalog.restart(s, w, self.first_step)

    @reachable(when=catalog.crashes_and_restarts)
    def RestartedWriterCommits(self, s):
        """A writer can commit with its second ticket."""
        return any(snapshot.ticket > len(self.Writers) for snapshot in s.iceberg)

    @reachable(by_default=False)
    def SomeoneRollsBack(self, s):
        """A writer can give up."""
        return any(s.decision[w] == ROLLED_BACK for w in self.Writers)

    @liveness(w="Writers", when="MaxRestarts")
    def RestartsHeal(self, w):
        """NonCrashedProgress, but nothing is owed as long as a restart is still possible."""
        return leads_to(
            lambda s: self.waiting(s, w) and not s.crashed[w],
            lambda s: s.decision[w] is not None or s.crashed[w] or catalog.restart_is_open(self, s),
        )

    @liveness(w="Writers", by_default=False)
    def SurvivorsFinish(self, w):
        """A writer that stays alive ends its pass, whether it ever had a claim or not."""
        return eventually_always(lambda s: s.pc[w] == "Done" or s.crashed[w])
