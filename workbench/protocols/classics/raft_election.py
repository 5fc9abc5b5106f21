"""Raft's election: in each term the servers elect one leader at most.

A server that hears from no leader for a while begins a new term and asks for votes. Each server votes once per term,
for the first candidate that asks, and a candidate with a majority leads the term. Sent messages stay in a set, so they
may be late, reordered or duplicated. A server that restarts remembers only what it wrote to disk.

The properties, and the commands that check them::

    workbench check raft_election                                # everything holds
    workbench check raft_election --set PersistsVote=false       # OneLeaderPerTerm: a server votes twice
    workbench check raft_election --set PersistsTerm=false       # OneLeaderPerTerm: an old term begins again
    workbench check raft_election --property SomebodyLeads       # votes are split until there are no more terms

Semantics after Ongaro and Ousterhout, *In search of an understandable consensus algorithm*, USENIX ATC 2014.
"""

from typing import NamedTuple

from workbench.language import *

FOLLOWER, CANDIDATE, LEADER = "follower", "candidate", "leader"
#: What messages say.
ASK, VOTE, LEAD = "vote for me", "my vote", "I lead"


class Message(NamedTuple):
    """A message: a request for votes, a vote, or a leader's heartbeat to all."""

    says: str
    term: int
    sender: str
    to: str | None = None


class RaftElection(Model):
    """Raft's leader election, with terms, votes and restarts, and without a log."""

    symmetry = ("Servers",)

    Servers = Constant(3, Names("s", range(1, 6)), "who votes and may lead")
    MaxTerm = Constant(2, range(1, 5), "the last term that is begun")
    MaxRestarts = Constant(1, range(0, 4), "how often servers restart, all together")
    PersistsVote = Constant(True, bool, "a server writes its vote to disk before it sends it")
    PersistsTerm = Constant(True, bool, "a server writes its term to disk before it sends anything in it")

    messages = SetOf("sendable", doc="all messages sent so far")
    term = Variable(0, per="Servers", doc="the latest term that the server has seen")
    voted_for = Variable(None, per="Servers", doc="whom it has voted for in this term")
    role = Variable(FOLLOWER, per="Servers", doc="follower, candidate or leader")
    restarts = Variable(0, doc="restarts so far")

    server = Process(per="Servers", fair="weak", doc="votes, and stands for election")

    def terms(self):
        return range(1, self.MaxTerm + 1)

    def sendable(self):
        for t in self.terms():
            for i in self.Servers:
                yield from (Message(ASK, t, i), Message(LEAD, t, i))
                yield from (Message(VOTE, t, i, c) for c in self.Servers)

    @action(server)
    def stand(self, s, i):
        """Wait for a leader in vain: begin a term, vote for myself and ask the others."""
        require(s.role[i] != LEADER, f"{i} leads")
        require(s.term[i] < self.MaxTerm, "no more terms are begun")
        s.term[i] += 1
        s.role[i], s.voted_for[i] = CANDIDATE, i
        s.messages |= {Message(ASK, s.term[i], i), Message(VOTE, s.term[i], i, i)}

    @action(server, c="Servers", t="terms")
    def vote(self, s, i, c, t):
        """Vote for the first candidate that asks in a term."""
        require(Message(ASK, t, c) in s.messages, f"{c} does not ask for votes in term {t}")
        self.enter(s, i, t)
        require(s.voted_for[i] in (None, c), f"{i} has voted for somebody else")
        s.voted_for[i] = c
        s.messages |= {Message(VOTE, t, i, c)}

    @action(server)
    def win(self, s, i):
        """Lead, with the votes of more than half."""
        require(s.role[i] == CANDIDATE, f"{i} is not a candidate")
        votes = s.messages.count(says=VOTE, term=s.term[i], to=i)
        require(2 * votes > len(self.Servers), f"{i} has too few votes")
        s.role[i] = LEADER
        s.messages |= {Message(LEAD, s.term[i], i)}

    @action(server, j="Servers", t="terms")
    def follow(self, s, i, j, t):
        """Hear of a leader."""
        require(i != j, f"{i} needs not hear of itself")
        require(Message(LEAD, t, j) in s.messages, f"{j} does not lead term {t}")
        self.enter(s, i, t)
        s.role[i] = FOLLOWER

    def enter(self, s, i, t):
        """Be in the term of a message, which is not an earlier one."""
        require(t >= s.term[i], f"{i} is in a later term")
        if t > s.term[i]:
            s.term[i], s.voted_for[i], s.role[i] = t, None, FOLLOWER

    @action(server, fair=False, when="MaxRestarts")
    def restart(self, s, i):
        """Forget everything that is not on the disk."""
        require(s.restarts < self.MaxRestarts, "nobody restarts any more")
        s.restarts += 1
        s.role[i] = FOLLOWER
        if not self.PersistsVote:
            s.voted_for[i] = None
        if not self.PersistsTerm:
            s.term[i], s.voted_for[i] = 0, None

    @invariant(t="terms")
    def OneLeaderPerTerm(self, s, t):
        """No two servers win the same term."""
        leaders = [m.sender for m in s.messages.where(says=LEAD, term=t)]
        return len(leaders) < 2 or f"{' and '.join(leaders)} lead term {t}"

    @invariant(i="Servers", t="terms")
    def OneVotePerTerm(self, s, i, t):
        """Nobody votes for two in one term."""
        votes = [m.to for m in s.messages.where(says=VOTE, term=t, sender=i)]
        return len(votes) < 2 or f"{i} votes for {' and '.join(votes)} in term {t}"

    @step(i="Servers")
    def TermsNeverFall(self, s, t, i):
        """No server goes back to an earlier term."""
        return t.term[i] >= s.term[i] or f"{i} goes back from term {s.term[i]} to {t.term[i]}"

    @reachable
    def LeaderOfTheLastTerm(self, s):
        """The last term can have a leader, although the first had one too."""
        return all(s.messages.any(says=LEAD, term=t) for t in self.terms())

    @liveness(by_default=False)
    def SomebodyLeads(self):
        """Somebody wins a term. Raft promises that only if votes are not split again and again."""
        return eventually(lambda s: s.messages.any(says=LEAD))
