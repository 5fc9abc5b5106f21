"""EWD998: Safra's algorithm to detect the termination of a distributed computation.

Machines on a ring work and send each other messages, which take a while. A message may wake an idle machine. A token
goes round and adds up the messages that each machine has sent, minus those it has received. The first machine detects
termination when the token comes back white with the sum 0: no message is in flight, and none arrived behind the token's
back, for that would have blackened the machine, and then the token.

The properties, and the commands that check them::

    workbench check ewd998                                 # everything holds
    workbench check ewd998 --set MachinesBlacken=false     # NoFalseAlarm: a machine was woken behind the token
    workbench check ewd998 --set CountsMessages=false      # NoFalseAlarm: a message is still in flight

Semantics after Dijkstra, *Shmuel Safra's version of termination detection*, EWD 998, 1987, and the specification of
Kuppe and Merz in tlaplus/Examples.
"""

from workbench.language import *


class Ewd998(Model):
    """Termination detection on a ring: a token that counts messages."""

    name = "ewd998"

    Machines = Constant(3, Names("m", range(2, 6)), "the machines on the ring; the token travels from last to first")
    MaxCount = Constant(1, range(1, 4), "a bound: how many messages more a machine sends than it receives")
    MachinesBlacken = Constant(True, bool, "who receives a message turns black")
    CountsMessages = Constant(True, bool, "the token adds up how many messages are on their way")

    active = Variable(None, per="Machines", doc="whether the machine is at work")
    black = Variable(None, per="Machines", doc="whether it has received a message since the token was there")
    count = Variable(0, per="Machines", doc="messages sent, less messages received")
    pending = Variable(0, per="Machines", doc="messages on their way to it")
    token_at = Variable(lambda model: model.first, doc="the machine that has the token")
    token_sum = Variable(0, doc="the counts of the machines that the token has visited")
    token_black = Variable(True, doc="whether one of these was black")

    machine = Process(per="Machines", doc="works, sends and receives")
    token = Process(fair="weak", doc="goes round, whenever the machine that has it is done")

    def validate(self):
        self.first, *others = self.Machines
        self.before = dict(zip(others, self.Machines, strict=False))

    @initial
    def begin(self, s):
        """Any machines are at work, and black. The first one has the token, which is black: nothing is proved yet."""
        for i in self.Machines:
            s.active[i] = choose([False, True], f"active {i}")
            s.black[i] = choose([False, True], f"black {i}")

    @action(machine, "to in Machines")
    def send(self, s, i, to):
        """Send a message to another machine."""
        require(s.active[i], f"{i} is done")
        require(i != to, "nobody sends to itself")
        require(s.count[i] < self.MaxCount and s.pending[to] < self.MaxCount, "too many messages are on their way")
        s.count[i] += 1
        s.pending[to] += 1

    @action(machine)
    def receive(self, s, i):
        """Receive a message, and be at work again."""
        require(s.pending[i] > 0, f"no message is on its way to {i}")
        s.pending[i] -= 1
        s.count[i] -= 1
        s.active[i] = True
        if self.MachinesBlacken:
            s.black[i] = True

    @action(machine)
    def finish(self, s, i):
        """Be done for the moment."""
        require(s.active[i], f"{i} is done")
        s.active[i] = False

    @action(token, i="Machines")
    def pass_on(self, s, i):
        """A machine that is done passes the token on, and is white again."""
        require(s.token_at == i, f"the token is not at {i}")
        require(i != self.first, "the token is home")
        require(not s.active[i], f"{i} is at work")
        s.token_at = self.before[i]
        if self.CountsMessages:
            s.token_sum += s.count[i]
        s.token_black = s.token_black or s.black[i]
        s.black[i] = False

    @action(token)
    def begin_round(self, s):
        """The first machine sends the token round again, since the last round proved nothing."""
        require(s.token_at == self.first, "the token is on its way")
        require(s.token_black or s.black[self.first] or self.sum_at_home(s) > 0, "nothing speaks against termination")
        s.token_at, s.token_sum, s.token_black = self.Machines[-1], 0, False
        s.black[self.first] = False

    def sum_at_home(self, s):
        """The counts of all machines, when the token is home."""
        return s.token_sum + s.count[self.first] if self.CountsMessages else 0

    def detected(self, s):
        """The first machine may conclude that everything has ended."""
        home_and_white = s.token_at == self.first and not (s.token_black or s.black[self.first] or s.active[self.first])
        return home_and_white and self.sum_at_home(s) == 0

    def terminated(self, s):
        return not any(s.pending.values()) and not any(s.active.values())

    @invariant(i="Machines")
    def NoFalseAlarm(self, s, i):
        """Detected termination is real."""
        if not self.detected(s):
            return True
        if s.active[i]:
            return f"{i} is at work"
        return not s.pending[i] or f"a message is on its way to {i}"

    @invariant
    def CountsAreRight(self, s):
        """All counts together are the messages on their way."""
        return sum(s.count.values()) == sum(s.pending.values())

    @reachable
    def Detected(self, s):
        """Termination can be detected after messages were sent."""
        return self.detected(s) and any(s.count.values())

    @liveness
    def TerminationIsDetected(self):
        """When everything has ended, the first machine will know."""
        return leads_to(self.terminated, self.detected)
