"""The bakery, v2, with what the published model leaves out: restarts, 409 retries, timeouts, and a user table.

Each extension hangs on one constant, whose default switches it off; what remains is the published protocol, state by
state::

    workbench check bakery_v2 --set Writers=2 --set MaxCrashes=1 --set MaxRestarts=1    # crashed writers come back
    workbench check bakery_v2 --set Writers=2 --set ClaimTimeout=true --set SafeAcks=false      # no wait is endless
    workbench check bakery_v2 --set Writers=2 --set UserTable=true                      # rows travel beside the claims
    workbench check specs/bakery/v2_retry.toml                                          # a 409 is tried again

``specs/bakery/README.md`` says what comes of them, and which choices of a real system the constants stand for.
"""

from workbench.kernel import (
    Constant,
    InputError,
    Process,
    Variable,
    action,
    eventually_always,
    invariant,
    leads_to,
    liveness,
    reachable,
    require,
)
from workbench.models import iceberg_catalog as catalog
from workbench.models.bakery_v2 import BakeryV2
from workbench.models.iceberg_catalog import COMMITTED, CONFLICT, ROLLED_BACK


def restarts_with_clean_up(model):
    return model.MaxRestarts > 0 and model.CleanUp != "off"


class BakeryV2Extended(BakeryV2):
    """ColdFront's bakery with asymmetric replication and Ricart-Agrawala acks, and extensions that are off at first."""

    name = "bakery_v2"

    MaxRestarts = Constant(0, range(0, 4), "restarts of crashed writers that have not decided, in total")
    CleanUp = Constant("stale", ("stale", "node", "off"), "claims of its node that a restarted writer withdraws")
    MaxRetries = Constant(0, range(0, 4), "rounds that a writer may add after a 409")
    ClaimTimeout = Constant(False, bool, "a writer that waits for acks may give up")
    UserTable = Constant(False, bool, "each writer puts a row into a user table, which replicates in its own time")

    restart_budget = Variable(lambda m: m.MaxRestarts, doc="restarts that may still happen")
    retries_left = Variable(lambda m, w: m.MaxRetries, per="Writers", doc="rounds that may still be added")
    user_rows = Variable(frozenset(), per="nodes", doc="the rows in a node's copy of the user table, by their writer")

    operator = Process(doc="restarts crashed writers; nobody can count on it, so it is not fair")
    replica = Process(doc="replicates the user table; it may lag for ever, so it is not fair")

    def validate(self) -> None:
        super().validate()
        most = len(self.Writers) * (1 + self.MaxRetries) + min(self.MaxRestarts, self.MaxCrashes)
        if (self.MaxRestarts or self.MaxRetries) and self.MaxTickets < most:
            raise InputError(
                f"MaxTickets = {self.MaxTickets} is not accepted with MaxRestarts = {self.MaxRestarts} and "
                f"MaxRetries = {self.MaxRetries}; it takes at least {most}, so that tickets do not run out"
            )
        self.tickets = tuple(range(1, min(self.MaxTickets, most) + 1))

    # Restarts ----------------------------------------------------------------------------------------------------

    @action(operator, w="Writers", when="MaxRestarts")
    def restart(self, s, w):
        """A writer that crashed before it decided begins again; its claims and deferrals are still there."""
        catalog.restart(s, w, first_step="Start" if self.CleanUp == "off" else "CleanUp")
        s.parent_staged[w] = 0

    @action(BakeryV2.writer, when=restarts_with_clean_up)
    def clean_up(self, s, w):
        """Withdraw what crashes left of my node's claims, and serve the acks that waited for it."""
        self.at(s, w, "CleanUp")
        node = self.node_of[w]
        stale = frozenset(c for c in s.claims[node] if self.node_of[c.writer] == node and self.is_stale(s, c, w))
        for view in self.nodes:
            s.claims[view] -= stale
        gone = {claim.ticket for claim in stale}
        for deferral in sorted(s.deferred[node]):
            if deferral.behind in gone:
                s.acks[deferral.ticket] |= {node}
        s.deferred[node] = frozenset(d for d in s.deferred[node] if d.behind not in gone)
        s.pc[w] = "Start"

    def is_stale(self, s, claim, w):
        """`w` has just restarted: its own claim is an orphan, and so are those of mates that are dead."""
        return self.CleanUp == "node" or claim.writer == w or s.crashed[claim.writer]

    @reachable(when=catalog.crashes_and_restarts)
    def RestartedWriterCommits(self, s):
        """A writer that crashed with a ticket in its hand can commit with another."""
        first_round = all(s.retries_left[w] == self.MaxRetries for w in self.Writers)
        return first_round and any(snapshot.ticket > len(self.Writers) for snapshot in s.iceberg)

    # Retries -----------------------------------------------------------------------------------------------------

    def delete_deferrals(self, s, w):
        super().delete_deferrals(s, w)
        if s.decision[w] == CONFLICT and s.retries_left[w] > 0:
            s.pc[w] = "Retry"

    @action(BakeryV2.writer, when="MaxRetries")
    def retry(self, s, w):
        """The last round ended with a 409, and was cleaned up: begin another one, with files and ticket to come."""
        self.at(s, w, "Retry")
        s.retries_left[w] -= 1
        s.decision[w] = None
        s.my_ticket[w] = s.parent_seen[w] = s.parent_staged[w] = 0
        s.pc[w] = "Stage"

    @invariant(w="Writers", when="MaxRetries")
    def NobodyEndsWithConflict(self, s, w):
        """A 409 is not a writer's last word."""
        return s.pc[w] != "Done" or s.decision[w] != CONFLICT or f"{w} is done, and its last commit was answered 409"

    @reachable(when="MaxRetries")
    def RetriedWriterCommits(self, s):
        """A writer can commit after a 409."""
        return any(s.decision[w] == COMMITTED and s.retries_left[w] < self.MaxRetries for w in self.Writers)

    # Timeouts ----------------------------------------------------------------------------------------------------

    @action(BakeryV2.writer, when="ClaimTimeout")
    def time_out(self, s, w):
        """The wait for acks takes too long: roll back, and leave the queue as after any decision."""
        self.at(s, w, "WaitAcks")
        s.decision[w] = ROLLED_BACK
        self.decided(s, w)

    @reachable(when="ClaimTimeout")
    def SomeoneTimesOut(self, s):
        """A writer can roll back without having come to Prepare."""
        return any(s.decision[w] == ROLLED_BACK and s.parent_seen[w] == 0 for w in self.Writers)

    # The user table ----------------------------------------------------------------------------------------------

    @action(BakeryV2.writer)
    def start(self, s, w):
        """Wake up; with a user table, the user's row goes into the copy on my own node."""
        super().start(s, w)
        if self.UserTable:
            s.user_rows[self.node_of[w]] |= {w}

    @action(replica, row="Writers", dst="nodes", when="UserTable")
    def replicate_row(self, s, row, dst):
        """The row of a writer arrives in the copy of another node."""
        require(row in s.user_rows[self.node_of[row]], f"{row} has written no row")
        require(row not in s.user_rows[dst], f"{dst} has the row of {row}")
        require(self.node_alive(s, dst), f"{dst} is dead")
        s.user_rows[dst] |= {row}

    @reachable(when="UserTable")
    def CommitsRunAhead(self, s):
        """All can commit before a single row has left its node."""
        return len(s.iceberg) == 1 + len(self.Writers) and all(
            s.user_rows[node] == frozenset(part) for node, part in self.writers_of.items()
        )

    # Progress ----------------------------------------------------------------------------------------------------

    def queues(self, s, w):
        return s.my_ticket[w] > 0 and s.decision[w] is None and not s.crashed[w]

    @liveness(w="Writers", by_default=False)
    def NonCrashedProgress(self, w):
        """A writer with a ticket gets to a decision, unless it crashes."""
        return leads_to(lambda s: self.queues(s, w), lambda s: s.decision[w] is not None or s.crashed[w])

    @liveness(w="Writers", when="MaxRestarts")
    def RestartsHeal(self, w):
        """The same, but nothing is owed as long as a restart is still possible."""
        return leads_to(
            lambda s: self.queues(s, w),
            lambda s: s.decision[w] is not None or s.crashed[w] or catalog.restart_is_open(self, s),
        )

    @liveness(w="Writers", by_default=False)
    def SurvivorsFinish(self, w):
        """A writer that stays alive ends its pass, whether it ever had a claim or not."""
        return eventually_always(lambda s: s.pc[w] == "Done" or s.crashed[w])
