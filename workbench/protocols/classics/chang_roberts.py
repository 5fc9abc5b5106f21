"""Chang and Roberts: processes on a ring elect the one with the largest number.

Each process can send to its successor only. A candidate sends its number around. A process with a larger number drops
it; any other passes it on and gives up. A number that returns to its owner has met no larger one.

The properties, and the commands that check them::

    workbench check chang_roberts                                # everything holds
    workbench check chang_roberts --set PassesOnSmaller=true     # LargestLeads: a small number comes home too
    workbench check chang_roberts --set UniqueNumbers=false      # OneLeader: another's number is taken for one's own

Semantics after Chang and Roberts, *An improved algorithm for decentralized extrema-finding in circular configurations
of processes*, CACM 22(5), 1979.
"""

from enum import Enum

from workbench.language import *


class Role(Enum):
    """The state of a process in the election."""

    CANDIDATE, LOST, LEADER = "candidate", "lost", "leader"


class ChangRoberts(Model):
    """Leader election on a ring: the largest number that comes home wins."""

    Processes = Constant(3, Names("p", range(2, 7)), "who is on the ring")
    Ring = Constant("ring", Relation("Processes"), "to whom each sends; it must lead through all of them, and back")
    Order = Constant("falling", ("falling", "rising"), "how numbers change along the ring: many messages, or few")
    UniqueNumbers = Constant(True, bool, "no two processes have the same number; else the two largest have")
    PassesOnSmaller = Constant(False, bool, "a candidate passes smaller numbers on, instead of dropping them")

    starts = Variable(None, per="Processes", doc="whether the process wants to lead")
    awake = Variable(False, per="Processes", doc="whether it has begun")
    role = Variable(None, per="Processes", doc="candidate, lost or leader")
    inbox = Variable(frozenset(), per="Processes", doc="numbers that have not been looked at, in no order")

    process = Process(per="Processes", fair="weak", doc="looks at numbers, and passes them on")

    def validate(self):
        size = len(self.Processes)
        numbers = range(size, 0, -1) if self.Order == "falling" else range(1, size + 1)
        largest = size if self.UniqueNumbers else size - 1
        self.number = {p: min(n, largest) for p, n in zip(self.Processes, numbers, strict=True)}
        self.next = dict(self.Ring)
        around = [self.Processes[0]]
        for _ in self.Processes:
            around.append(self.next.get(around[-1]))
        if len(self.Ring) != size or set(around) != set(self.Processes) or around[-1] != around[0]:
            setting = f"Ring={type(self).declared.constants['Ring'].domain.word(self.Ring)}"
            raise InputError(f"{setting} is not accepted; it takes one ring through all {size} Processes")

    @initial
    def begin(self, s):
        """Any set of processes want to lead, or none."""
        for p in self.Processes:
            s.starts[p] = choose([False, True], f"starts {p}")
            s.role[p] = Role.CANDIDATE if s.starts[p] else Role.LOST

    @action(process)
    def wake(self, s, p):
        """Begin; a candidate sends its number."""
        require(not s.awake[p], f"{p} has begun")
        s.awake[p] = True
        if s.starts[p]:
            s.inbox[self.next[p]] |= {self.number[p]}

    @action(process)
    def look(self, s, p):
        """Look at one of the numbers in the inbox."""
        require(s.awake[p], f"{p} has not begun")
        number, own = choose(s.inbox[p], "at"), self.number[p]
        s.inbox[p] -= {number}
        if s.role[p] == Role.LOST or number > own:
            s.role[p] = Role.LOST
            s.inbox[self.next[p]] |= {number}
        elif number == own:
            s.role[p] = Role.LEADER
        elif self.PassesOnSmaller:
            s.inbox[self.next[p]] |= {number}

    @invariant
    def OneLeader(self, s):
        """There are never two leaders."""
        leaders = [p for p in self.Processes if s.role[p] == Role.LEADER]
        return len(leaders) < 2 or f"{' and '.join(leaders)} lead"

    @invariant(p="Processes")
    def LargestLeads(self, s, p):
        """Nobody leads who has a smaller number than another one that wants to."""
        larger = [q for q in self.Processes if s.starts[q] and self.number[q] > self.number[p]]
        return s.role[p] != Role.LEADER or not larger or f"{p} leads, and {larger[0]} has a larger number"

    @step(p="Processes")
    def LeadersStay(self, s, t, p):
        """A leader is not beaten later."""
        return s.role[p] != Role.LEADER or t.role[p] == Role.LEADER

    @ends
    def is_over(self, s):
        return Role.CANDIDATE not in s.role.values()

    @reachable
    def SmallestLeads(self, s):
        """The smallest number wins where nobody else wants to lead."""
        return any(s.role[p] == Role.LEADER and self.number[p] == 1 for p in self.Processes)

    @liveness
    def SomebodyLeads(self):
        """If anybody wants to lead, somebody does in the end."""
        return leads_to(lambda s: Role.CANDIDATE in s.role.values(), lambda s: Role.LEADER in s.role.values())
