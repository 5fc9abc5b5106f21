"""An allocator: clients ask for sets of resources, get them piece by piece, and give them back.

A client asks for everything it needs at once. The allocator may grant part of a request, so that clients can hold
resources that others wait for. It therefore keeps a schedule: a resource goes to a client only if no earlier client in
the schedule still wants it.

The properties, and the commands that check them::

    workbench check allocator                           # everything holds
    workbench check allocator --set Schedules=false     # ClientsObtain: others are served, again and again
    workbench check allocator --set Schedules=false --set GivesBackEarly=false --property Deadlock

Semantics after Merz, *The specification language TLA+*, in *Logics of specification languages*, Springer 2008.
"""

import itertools

from workbench.language import *


def parts(resources):
    """The subsets that are not empty."""
    ordered = sorted(resources)
    return [frozenset(part) for size in range(len(ordered)) for part in itertools.combinations(ordered, size + 1)]


class Allocator(Model):
    """An allocator that gives sets of resources to clients, in the order of a schedule."""

    symmetry = ("Clients", "Resources")

    Clients = Constant(3, Names("c", range(1, 5)), "who needs resources")
    Resources = Constant(2, Names("r", range(1, 5)), "what only one client at a time can have")
    Schedules = Constant(True, bool, "resources go to the clients in the order of a schedule; else to anybody")
    GivesBackEarly = Constant(True, bool, "clients may give back what they hold while they wait for more")

    wanted = Variable(frozenset(), per="Clients", doc="what the client has asked for and not got")
    held = Variable(frozenset(), per="Clients", doc="what the client has")
    schedule = Variable((), doc="clients that wait, in the order in which they are served")

    client = Process(per="Clients", doc="asks, and gives back")
    allocator = Process(doc="makes schedules, and gives resources to clients")

    @action(client)
    def ask(self, s, c):
        """Ask for a set of resources; nothing may be held or wanted before."""
        require(not s.wanted[c], f"{c} waits already")
        require(not s.held[c], f"{c} holds resources")
        s.wanted[c] = choose(parts(self.Resources), "for")

    @action(client, fair="weak", fair_when=lambda self, s, c, *, what: not s.wanted[c] and what == s.held[c])
    def give_back(self, s, c):
        """Give something back. Only clients that wait for nothing have to; they have to give everything back."""
        require(bool(s.held[c]), f"{c} holds nothing")
        require(self.GivesBackEarly or not s.wanted[c], f"{c} waits for more")
        s.held[c] -= choose(parts(s.held[c]), "what")

    @action(allocator, fair="weak", when="Schedules")
    def extend_schedule(self, s):
        """Put clients that wait and are not in the schedule behind the others, in any order."""
        new = [c for c in self.Clients if c not in s.schedule and s.wanted[c]]
        require(len(new) > 0, "everybody who waits is in the schedule")
        s.schedule += choose(list(itertools.permutations(new)), "order")

    @action(allocator, c="Clients", fair="weak")
    def allocate(self, s, c):
        """Give a client a part of what it wants."""
        free = frozenset(self.Resources).difference(*s.held.values())
        require(bool(free & s.wanted[c]), f"nothing that {c} wants is free")
        granted = choose(parts(free & s.wanted[c]), "what")
        if self.Schedules:
            require(c in s.schedule, f"{c} is not in the schedule")
            earlier = s.schedule[: s.schedule.index(c)]
            require(not any(granted & s.wanted[e] for e in earlier), "somebody earlier wants it")
        s.held[c] |= granted
        s.wanted[c] -= granted
        if not s.wanted[c]:
            s.schedule = tuple(e for e in s.schedule if e != c)

    @invariant(r="Resources")
    def Exclusive(self, s, r):
        """Nobody holds what another one holds."""
        holders = [c for c in self.Clients if r in s.held[c]]
        return len(holders) < 2 or f"{' and '.join(holders)} hold {r}"

    @invariant(c="Clients")
    def NothingTwice(self, s, c):
        """Nobody waits for what it has."""
        return not s.held[c] & s.wanted[c]

    @step(c="Clients", of="allocate")
    def NothingIsTakenAway(self, s, t, c):
        """Giving to one client takes nothing from another."""
        return t.held[c] >= s.held[c]

    @reachable
    def TwoAreServed(self, s):
        """Two clients can hold resources at the same time."""
        return len([c for c in self.Clients if s.held[c]]) > 1

    @liveness(c="Clients", r="Resources")
    def ClientsObtain(self, c, r):
        """Whoever wants a resource gets it."""
        return leads_to(lambda s: r in s.wanted[c], lambda s: r in s.held[c])

    @liveness(c="Clients")
    def ClientsAreSatisfied(self, c):
        """Again and again, a client waits for nothing."""
        return always_eventually(lambda s: not s.wanted[c])
