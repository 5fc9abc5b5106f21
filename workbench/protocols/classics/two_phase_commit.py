"""Two-phase commit: participants of a transaction all commit it, or none does.

A participant works, and then reports that it is prepared, or aborts. The coordinator commits once all are prepared, and
may abort at any time before. Sent messages stay in a set, so they may be late, reordered or duplicated.

The properties, and the commands that check them::

    workbench check two_phase_commit                                 # everything holds
    workbench check two_phase_commit --set LosesPatience=true        # Agreement: one commits, and one aborts
    workbench check two_phase_commit --set MajorityCommits=true      # Agreement: not all were asked
    workbench check two_phase_commit --set CoordinatorCrashes=true   # EveryoneDecides: the prepared wait for ever

TransactionCommit is the problem without messages; two-phase commit refines it.

Semantics after Gray and Lamport, *Consensus on transaction commit*, ACM TODS 31(1), 2006.
"""

from typing import NamedTuple

from workbench.language import *

WORKING, PREPARED, COMMITTED, ABORTED = "working", "prepared", "committed", "aborted"
UNDECIDED, CRASHED = "undecided", "crashed"


class Message(NamedTuple):
    """A message: a participant is prepared, or the coordinator's decision, to all."""

    says: str
    sender: str | None = None


def agree(s):
    """Nobody has committed what another one has aborted."""
    committed = [p for p in s.status if s.status[p] == COMMITTED]
    aborted = [p for p in s.status if s.status[p] == ABORTED]
    return not (committed and aborted) or f"{committed[0]} has committed, and {aborted[0]} has aborted"


class TransactionCommit(Model):
    """The problem: all participants commit, or all abort, as if they saw each other."""

    Participants = Constant(3, Names("p", range(1, 9)), "who takes part in the transaction")
    status = Variable(WORKING, per="Participants", doc="what the participant has done")

    @action(p="Participants")
    def prepare(self, s, p):
        require(s.status[p] == WORKING, f"{p} works no more")
        s.status[p] = PREPARED

    @action(p="Participants")
    def commit(self, s, p):
        require(s.status[p] == PREPARED, f"{p} is not prepared")
        require(all(status in (PREPARED, COMMITTED) for status in s.status.values()), "not everybody is prepared")
        s.status[p] = COMMITTED

    @action(p="Participants")
    def abort(self, s, p):
        require(s.status[p] in (WORKING, PREPARED), f"{p} is decided")
        require(COMMITTED not in s.status.values(), "somebody has committed")
        s.status[p] = ABORTED

    @invariant
    def Agreement(self, s):
        """Nobody commits what another one aborts."""
        return agree(s)


class TwoPhaseCommit(Model):
    """Two-phase commit: a coordinator and the participants of one transaction."""

    symmetry = ("Participants",)

    Participants = Constant(3, Names("p", range(1, 9)), "who takes part in the transaction")
    LosesPatience = Constant(False, bool, "a participant that is prepared may abort alone, instead of waiting")
    MajorityCommits = Constant(False, bool, "the coordinator commits as soon as more than half are prepared")
    CoordinatorCrashes = Constant(False, bool, "the coordinator may crash before it decides, and stays away")

    messages = SetOf("sendable", doc="all messages sent so far")
    status = Variable(WORKING, per="Participants", doc="what the participant has done")
    coordinator_state = Variable(UNDECIDED, doc="what the coordinator has decided")
    heard = SetOf("Participants", doc="who is prepared, as far as the coordinator knows")

    participant = Process(per="Participants", fair="weak", doc="works, and does what the coordinator decides")
    coordinator = Process(fair="weak", doc="asks all, and decides")

    def sendable(self):
        return [Message(COMMITTED), Message(ABORTED), *(Message(PREPARED, p) for p in self.Participants)]

    @action(participant)
    def prepare(self, s, p):
        """Finish the work, and promise to commit if everybody does."""
        require(s.status[p] == WORKING, f"{p} works no more")
        s.status[p] = PREPARED
        s.messages |= {Message(PREPARED, p)}

    @action(participant)
    def refuse(self, s, p):
        """Abort before any promise; no message is needed."""
        require(s.status[p] == WORKING, f"{p} works no more")
        s.status[p] = ABORTED

    @action(participant, when="LosesPatience")
    def lose_patience(self, s, p):
        """Abort despite the promise to wait."""
        require(s.status[p] == PREPARED, f"{p} waits for nothing")
        s.status[p] = ABORTED

    @action(participant)
    def obey(self, s, p):
        """Do what the coordinator has decided; a message that comes again changes nothing."""
        for decision in (COMMITTED, ABORTED):
            if Message(decision) in s.messages:
                s.status[p] = decision
                return
        require(False, "nothing is decided")

    @action(coordinator, p="Participants")
    def hear(self, s, p):
        """Learn that a participant is prepared."""
        require(s.coordinator_state == UNDECIDED, "the coordinator waits no more")
        require(Message(PREPARED, p) in s.messages, f"{p} has sent nothing")
        s.heard |= {p}

    @action(coordinator)
    def commit(self, s):
        """Decide to commit."""
        enough = len(self.Participants) // 2 + 1 if self.MajorityCommits else len(self.Participants)
        require(len(s.heard) >= enough, "not enough participants are prepared")
        self.decide(s, COMMITTED)

    @action(coordinator)
    def abort(self, s):
        """Decide to abort, for whatever reason."""
        self.decide(s, ABORTED)

    def decide(self, s, decision):
        require(s.coordinator_state == UNDECIDED, "the coordinator decides no more")
        s.coordinator_state = decision
        s.messages |= {Message(decision)}

    @action(coordinator, when="CoordinatorCrashes")
    def crash(self, s):
        """The coordinator is gone, and its decision is unknown."""
        require(s.coordinator_state == UNDECIDED, "the coordinator has decided")
        s.coordinator_state = CRASHED

    @invariant
    def Agreement(self, s):
        """Nobody commits what another one aborts."""
        return agree(s)

    @invariant(p="Participants")
    def NobodyIsForced(self, s, p):
        """Whoever commits has promised it before."""
        return s.status[p] != COMMITTED or Message(PREPARED, p) in s.messages or f"{p} commits what it never prepared"

    @step(p="Participants")
    def DecisionsAreFinal(self, s, t, p):
        """Whoever has committed never aborts, and the other way round."""
        return s.status[p] in (WORKING, PREPARED) or t.status[p] == s.status[p]

    @refines(TransactionCommit, Participants="Participants")
    def IsTransactionCommit(self, s):
        """Seen from outside, participants do what any protocol for transactions may do."""
        return {"status": s.status}

    @reachable
    def AllCommit(self, s):
        """The transaction can be committed."""
        return all(state == COMMITTED for state in s.status.values())

    @reachable
    def PreparedForNothing(self, s):
        """A participant may be prepared, and still have to abort."""
        return any(s.status[p] == ABORTED and Message(PREPARED, p) in s.messages for p in self.Participants)

    @liveness(p="Participants")
    def EveryoneDecides(self, p):
        """Each participant commits or aborts in the end."""
        return eventually(lambda s: s.status[p] in (COMMITTED, ABORTED))
