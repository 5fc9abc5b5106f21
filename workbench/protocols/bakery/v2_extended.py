"""The bakery, v2, extended: restarts, retries, rounds, timeouts, and a user table.

Each extension has a constant, whose default switches it off. With all defaults it is the published protocol, state by
state::

    workbench check bakery_v2 --set Writers=2 --set MaxCrashes=1 --set MaxRestarts=1    # crashed writers come back
    workbench check bakery_v2 --set Writers=2 --set ClaimTimeout=true --set SafeAcks=false      # no wait is endless
    workbench check bakery_v2 --set Writers=2 --set UserTable=true                      # rows travel beside the claims
    workbench check bakery_v2 --set Writers=2 --set MaxRounds=2                         # writers go round again
    workbench check specs/bakery/v2_retry.toml                                          # a 409 is tried again

``specs/bakery/README.md`` discusses the results, and the choices of a real system that the constants stand for.
"""

import math
from dataclasses import replace

from workbench.language import *
from workbench.protocols.bakery import catalog
from workbench.protocols.bakery.catalog import COMMITTED, CONFLICT, ROLLED_BACK
from workbench.protocols.bakery.v2 import BakeryV2, after_decision
from workbench.protocols.bakery.v2_as_built import BakeryV2AsBuilt


def restarts_of_servers(model):
    return model.MaxRestarts > 0 and model.CleanUp == "age"


def restarts_of_writers(model):
    return model.MaxRestarts > 0 and model.CleanUp != "age"


def restarts_with_clean_up(model):
    return restarts_of_writers(model) and model.CleanUp != "off"


def crashes_and_restarts(model):
    return catalog.crashes_and_restarts(model) or restarts_of_servers(model)


def several_rounds(model):
    return model.MaxRounds > 1


def one_round(model):
    return model.MaxRounds == 1


def timeouts_and_rollbacks(model):
    return model.ClaimTimeout and model.Rollbacks


class BakeryV2Extended(BakeryV2AsBuilt):
    """ColdFront's bakery with asymmetric replication and Ricart-Agrawala acks, and extensions that are off at first."""

    name = "bakery_v2"

    MaxRestarts = Constant(0, range(0, 4), "restarts of crashed writers that have not decided, in total")
    CleanUp = Constant(
        "stale", ("stale", "node", "off", "age"), "claims of its node that who restarts (age: who queues) withdraws"
    )
    MaxRetries = Constant(0, range(0, 4), "rounds that a writer may add after a 409")
    MaxRounds = Constant(1, range(1, 10_001), "passes that each writer takes; MaxTickets is for each of them")
    Rollbacks = Constant(True, bool, "a writer that could commit may roll back instead")
    ClaimTimeout = Constant(False, bool, "a writer that waits for acks may give up")
    UserTable = Constant(False, bool, "each writer puts a row into a user table, which replicates in its own time")

    restart_budget = Variable(lambda m: m.MaxRestarts, doc="restarts that may still happen")
    started = Variable(0, per="servers", doc="smaller tickets were taken before the node's server was started")
    retries_left = Variable(lambda m, w: m.MaxRetries, per="Writers", doc="rounds that may still be added")
    rounds_left = Variable(lambda m, w: m.MaxRounds - 1, per="repeaters", doc="passes that are still to come")
    user_rows = Variable(frozenset(), per="nodes", doc="the rows in a node's copy of the user table, by their writer")

    operator = Process(doc="restarts crashed writers; nobody can count on it, so it is not fair")
    replica = Process(doc="replicates the user table; it may lag for ever, so it is not fair")

    def validate(self) -> None:
        super().validate()
        most = len(self.Writers) * (self.MaxRounds + self.MaxRetries) + self.most_begun_again()
        self.last_ticket = self.MaxTickets * self.MaxRounds
        if (self.MaxRestarts or self.MaxRetries) and self.last_ticket < most:
            raise InputError(
                f"MaxTickets = {self.MaxTickets} is not accepted with MaxRestarts = {self.MaxRestarts} and "
                f"MaxRetries = {self.MaxRetries}; it takes at least {math.ceil(most / self.MaxRounds)}, so that "
                "tickets do not run out"
            )
        self.tickets = self.numbered(min(self.last_ticket, most))
        self.servers = self.nodes if self.CleanUp == "age" else ()
        self.repeaters = self.Writers if self.MaxRounds > 1 else ()

    def most_begun_again(self):
        """How many passes may begin anew after a restart."""
        if self.CleanUp == "age":
            return self.MaxRestarts * max(map(len, self.writers_of.values()))
        return min(self.MaxRestarts, self.MaxCrashes)

    # Restarts ----------------------------------------------------------------------------------------------------

    @action(operator, w="Writers", when=restarts_of_writers)
    def restart(self, s, w):
        """A writer that crashed before it decided begins again; its claims and deferrals are still there."""
        catalog.restart(s, w, first_step="Start" if self.CleanUp == "off" else "CleanUp")
        s.parent_staged[w] = 0

    @action(BakeryV2.writer, at="CleanUp", to="Start", when=restarts_with_clean_up)
    def clean_up(self, s, w):
        """Withdraw what crashes left of my node's claims, and serve the acks that waited for it."""
        self.withdraw_stale(s, w)

    def withdraw_stale(self, s, w):
        node = self.node_of[w]
        stale = frozenset(c for c in s.claims[node] if self.node_of[c.writer] == node and self.is_stale(s, c, w))
        self.withdraw(s, node, stale)
        gone = {claim.ticket for claim in stale}
        for deferral in sorted(s.deferred[node]):
            if deferral.behind in gone:
                self.acknowledge(s, node, deferral.ticket)
        s.deferred[node] = frozenset(d for d in s.deferred[node] if d.behind not in gone)

    def is_stale(self, s, claim, w):
        """`w` has just restarted: its own claim is an orphan, and so are those of mates that are dead."""
        if self.CleanUp == "age":
            return claim.ticket < s.started[self.node_of[w]]
        return self.CleanUp == "node" or claim.writer == w or s.crashed[claim.writer]

    @action(operator, node="servers", when=restarts_of_servers)
    def restart_server(self, s, node):
        """A server and its writers restart: who had decided is done, and what they claimed is older than the start."""
        require(s.restart_budget > 0, "the restart budget is used up")
        mates = self.writers_of[node]
        require(any(s.crashed[w] or s.pc[w] != "Done" for w in mates), f"all writers of {node} are done")
        for w in mates:
            s.crashed[w] = False
            if s.decision[w] is None:
                s.my_ticket[w] = s.parent_seen[w] = s.parent_staged[w] = 0
            s.pc[w] = "Start" if s.decision[w] is None else "Done"
        s.started[node] = s.clock[node] + 1 if self.MaxSkew else s.next_ticket
        s.restart_budget -= 1

    def queue(self, s, w):
        if self.CleanUp == "age":
            self.withdraw_stale(s, w)
        super().queue(s, w)

    @reachable(when=crashes_and_restarts)
    def RestartedWriterCommits(self, s):
        """A writer that crashed with a ticket in its hand can commit with another."""
        first_round = all(left == self.MaxRounds - 1 for left in s.rounds_left.values())
        first_time = first_round and all(left == self.MaxRetries for left in s.retries_left.values())
        return first_time and any(snapshot.ticket > len(self.Writers) for snapshot in s.iceberg)

    # Retries -----------------------------------------------------------------------------------------------------

    def delete_deferrals(self, s, w):
        super().delete_deferrals(s, w)
        if s.decision[w] == CONFLICT and s.retries_left[w] > 0:
            s.pc[w] = "Retry"

    @action(BakeryV2.writer, at="Retry", to="Stage", when="MaxRetries")
    def retry(self, s, w):
        """The last round ended with a 409, and was cleaned up: begin another one, with files and ticket to come."""
        s.retries_left[w] -= 1
        self.begin_again(s, w)

    def begin_again(self, s, w):
        s.decision[w] = None
        s.my_ticket[w] = s.parent_seen[w] = s.parent_staged[w] = 0

    @invariant(w="Writers", when="MaxRetries")
    def NobodyEndsWithConflict(self, s, w):
        """A 409 is not a writer's last word."""
        return s.pc[w] != "Done" or s.decision[w] != CONFLICT or f"{w} is done, and its last commit was answered 409"

    @reachable(when="MaxRetries")
    def RetriedWriterCommits(self, s):
        """A writer can commit after a 409."""
        return any(s.decision[w] == COMMITTED and s.retries_left[w] < self.MaxRetries for w in self.Writers)

    # Rounds ------------------------------------------------------------------------------------------------------

    @action(BakeryV2.writer, at="Done", to="Stage", when=several_rounds)
    def next_round(self, s, w):
        """A pass is over: begin the next one, with files and ticket to come."""
        require(s.rounds_left[w] > 0, f"{w} has taken all its passes")
        s.rounds_left[w] -= 1
        self.begin_again(s, w)

    rollback = replace(BakeryV2.rollback, when="Rollbacks")

    def rollback_leaves_nothing(self, s):
        """With several passes, nothing of this pass."""
        if self.MaxRounds == 1:
            return super().rollback_leaves_nothing(s)
        return catalog.rollback_leaves_nothing_of_its_ticket(self, s)

    # A writer that begins another pass forgets the answer to the last one.
    OneTable = replace(BakeryV2.OneTable, when=one_round)
    OneHistory = replace(BakeryV2.OneHistory, when=one_round)

    @reachable(when=several_rounds)
    def SomeoneCommitsAgain(self, s):
        """A writer can commit in a second pass."""
        owners = [snapshot.writer for snapshot in s.iceberg]
        return len(set(owners)) < len(owners)

    # Timeouts ----------------------------------------------------------------------------------------------------

    @action(BakeryV2.writer, at="WaitAcks", to=after_decision, when="ClaimTimeout")
    def time_out(self, s, w):
        """The wait for acks takes too long: roll back, and leave the queue as after any decision."""
        s.decision[w] = ROLLED_BACK
        self.decided(s, w)

    @reachable(when=timeouts_and_rollbacks)
    def SomeoneTimesOut(self, s):
        """One writer can roll back without having come to Prepare, and another one after it."""
        prepared = {s.parent_seen[w] > 0 for w in self.Writers if s.decision[w] == ROLLED_BACK}
        return prepared == {False, True}

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
        """All can commit while one row is everywhere and another one has not left its node."""
        copies = [sum(w in s.user_rows[node] for node in self.nodes) for w in self.Writers]
        everyone = {snapshot.writer for snapshot in s.iceberg} == {None, *self.Writers}
        return everyone and {1, len(self.nodes)} <= set(copies)

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
            lambda s: s.decision[w] is not None or s.crashed[w] or self.restart_is_open(s),
        )

    def restart_is_open(self, s):
        if restarts_of_servers(self):
            return s.restart_budget > 0 and any(s.crashed[w] for w in self.Writers)
        return catalog.restart_is_open(self, s)

    @liveness(w="Writers", by_default=False)
    def SurvivorsFinish(self, w):
        """A writer that stays alive ends its pass, whether it ever had a claim or not."""
        return eventually_always(lambda s: s.pc[w] == "Done" or s.crashed[w])
