"""Paxos: acceptors choose one value, although messages are late, lost and repeated and there are many leaders.

Each ballot has a leader. It asks acceptors to promise to take no further part in earlier ballots (1a, 1b). When a
quorum has promised, it proposes a value (2a): that of the quorum's latest vote, or any value if the quorum has not
voted yet. A value is chosen when a quorum has voted for it in one ballot (2b).

The properties, and the commands that check them::

    workbench check paxos                               # everything holds
    workbench check paxos --set MeetingQuorums=false    # Agreement: two quorums without a common member
    workbench check paxos --set AdoptsVotes=false       # Agreement: a leader ignores what was voted for
    workbench check paxos --set KeepsPromises=false     # Agreement: an acceptor votes in a ballot that is over

Semantics after Lamport, *The part-time parliament*, ACM TOCS 16(2), 1998, and his specification with one message set.
"""

import itertools
from typing import NamedTuple

from workbench.language import *

NEVER = -1


class Prepare(NamedTuple):
    """1a: a ballot begins."""

    ballot: int


class Promise(NamedTuple):
    """1b: an acceptor takes no part in earlier ballots, and tells its latest vote."""

    ballot: int
    acceptor: str
    voted_in: int
    voted_for: str | None


class Propose(NamedTuple):
    """2a: vote for this value."""

    ballot: int
    value: str


class Vote(NamedTuple):
    """2b: an acceptor votes."""

    ballot: int
    acceptor: str
    value: str


class Paxos(Model):
    """Paxos: one value is chosen, whatever happens to messages and leaders."""

    symmetry = ("Acceptors", "Values")

    Acceptors = Constant(3, Names("a", range(2, 6)), "who votes")
    Values = Constant(2, Names("v", range(1, 4)), "what may be proposed")
    Ballots = Constant(2, range(1, 5), "how many ballots there may be")
    MeetingQuorums = Constant(True, bool, "a quorum is more than half of the acceptors; else just half of them")
    AdoptsVotes = Constant(True, bool, "a leader proposes the value of the latest vote that it is told of")
    KeepsPromises = Constant(True, bool, "an acceptor does not vote in a ballot before one that it has promised")

    messages = SetOf("sendable", doc="all messages sent so far")
    promised = Variable(NEVER, per="Acceptors", doc="the latest ballot that the acceptor has taken part in")
    voted_in = Variable(NEVER, per="Acceptors", doc="the latest ballot that it has voted in")
    voted_for = Variable(None, per="Acceptors", doc="what it has voted for there")

    leader = Process(per="ballots", doc="asks for promises, and proposes")
    acceptor = Process(per="Acceptors", doc="promises, and votes")

    def validate(self):
        self.ballots = tuple(range(self.Ballots))
        half = len(self.Acceptors) // 2
        size = half + 1 if self.MeetingQuorums else half
        self.quorums = tuple(itertools.combinations(self.Acceptors, size))

    def sendable(self):
        for b in self.ballots:
            yield Prepare(b)
            for a in self.Acceptors:
                yield Promise(b, a, NEVER, None)
                yield from (Promise(b, a, earlier, v) for earlier in range(b) for v in self.Values)
            for v in self.Values:
                yield Propose(b, v)
                yield from (Vote(b, a, v) for a in self.Acceptors)

    @action(leader)
    def prepare(self, s, b):
        """1a: ask for promises. Asking again changes nothing."""
        s.messages |= {Prepare(b)}

    @action(acceptor, b="ballots")
    def promise(self, s, a, b):
        """1b: promise to stay away from earlier ballots."""
        require(b > s.promised[a], f"{a} has promised a ballot that is not earlier")
        require(Prepare(b) in s.messages, f"nobody asks for promises for ballot {b}")
        s.promised[a] = b
        s.messages |= {Promise(b, a, s.voted_in[a], s.voted_for[a])}

    @action(leader, v="Values")
    def propose(self, s, b, v):
        """2a: propose a value that is safe, according to a quorum."""
        require(not any(Propose(b, other) in s.messages for other in self.Values), f"ballot {b} has its proposal")
        quorum = choose(self.quorums, "quorum")
        promises = s.messages.where(lambda m: isinstance(m, Promise) and m.acceptor in quorum, ballot=b)
        require(len(promises) == len(quorum), "the quorum has not promised")
        latest = max(m.voted_in for m in promises)
        if self.AdoptsVotes and latest != NEVER:
            safe = {m.voted_for for m in promises if m.voted_in == latest}
            require(v in safe, f"the latest vote is for {min(safe)}")
        s.messages |= {Propose(b, v)}

    @action(acceptor, b="ballots", v="Values")
    def vote(self, s, a, b, v):
        """2b: vote for the proposal, unless a later ballot has my promise."""
        require(Propose(b, v) in s.messages, f"nobody proposes {v} in ballot {b}")
        require(not self.KeepsPromises or b >= s.promised[a], f"{a} has promised a later ballot")
        s.promised[a], s.voted_in[a], s.voted_for[a] = b, b, v
        s.messages |= {Vote(b, a, v)}

    def chosen(self, s, b, v):
        return any(all(Vote(b, a, v) in s.messages for a in quorum) for quorum in self.quorums)

    @invariant
    def Agreement(self, s):
        """No two values are chosen."""
        chosen = [(b, v) for b in self.ballots for v in self.Values if self.chosen(s, b, v)]
        for (b, v), (c, w) in itertools.combinations(chosen, 2):
            if v != w:
                return f"{v} is chosen in ballot {b}, and {w} in ballot {c}"
        return True

    @invariant(a="Acceptors")
    def VotesAreProposed(self, s, a):
        """Every vote is for the proposal of its ballot."""
        return s.voted_in[a] == NEVER or Propose(s.voted_in[a], s.voted_for[a]) in s.messages

    @step(a="Acceptors")
    def PromisesLast(self, s, t, a):
        """No acceptor goes back to an earlier ballot."""
        return t.promised[a] >= s.promised[a] or f"{a} goes back from ballot {s.promised[a]} to {t.promised[a]}"

    @reachable
    def Chosen(self, s):
        """A value can be chosen."""
        return any(self.chosen(s, b, v) for b in self.ballots for v in self.Values)

    @reachable(when=lambda model: model.Ballots > 1)
    def ChosenTwice(self, s):
        """A later ballot can choose too: the same value again."""
        return any(self.chosen(s, 0, v) and self.chosen(s, 1, v) for v in self.Values)
