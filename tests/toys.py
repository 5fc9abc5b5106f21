"""Models that are small enough to be counted by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from workbench.language import *


class Hindmost(Model):
    """The last walker, as one sees it from afar."""

    Length = Constant(1, range(0, 4), "how long the way is")
    at = Variable(0)

    @action
    def come(self, s):
        require(s.at < self.Length, "here ends the way")
        s.at += 1


class Steps(Model):
    """Each walker goes from 0 to Last, one step at a time: 9 states in 5 levels, or 6 with symmetry."""

    symmetry = ("Walkers",)
    Walkers = Constant(2, Names("p", range(1, 5)), "who walks")
    Last = Constant(2, range(1, 4), "where the way ends")
    at = Variable(0, per="Walkers")
    walker = Process(per="Walkers", fair="weak")

    @action(walker)
    def walk(self, s, p):
        require(s.at[p] < self.Last, f"{p} is at the end")
        s.at[p] += 1

    @action
    def fly(self, s):
        require(False, "nobody can fly")

    @invariant
    def Together(self, s):
        far = [p for p in self.Walkers if s.at[p] == self.Last]
        return len(far) < len(self.Walkers) or f"{' and '.join(far)} are all at the end"

    @invariant(p="Walkers")
    def OnTheWay(self, s, p):
        return 0 <= s.at[p] <= self.Last

    @reachable
    def SomebodyArrives(self, s):
        return self.Last in s.at.values()

    @reachable
    def SomebodyFlies(self, s):
        return any(at > self.Last for at in s.at.values())

    @step(p="Walkers", by_default=False)
    def Onwards(self, s, t, p):
        return t.at[p] >= s.at[p]

    @step(of="walk", by_default=False)
    def NobodyOvertakes(self, s, t):
        return max(t.at.values()) - min(t.at.values()) < self.Last or "one is too far ahead"

    @step(of="fly", by_default=False)
    def NoFlights(self, s, t):
        return False

    @refines(Hindmost, Length="Last", by_default=False)
    def LastWalks(self, s):
        return {"at": min(s.at.values())}

    @refines(Hindmost, Length="halfway", by_default=False)
    def LastWalksHalfway(self, s):
        return {"at": min(s.at.values())}

    @refines(Hindmost, by_default=False)
    def LastIsAhead(self, s):
        return {"at": min(s.at.values()) + 1}

    def halfway(self):
        return self.Last - 1

    @liveness(p="Walkers")
    def EveryoneArrives(self, p):
        return eventually(lambda s: s.at[p] == self.Last)

    @liveness(p="Walkers")
    def EveryoneFlies(self, p):
        return eventually(lambda s: s.at[p] > self.Last)


SAFE = ["Together", "OnTheWay", "SomebodyArrives", "SomebodyFlies"]
BY_STEPS = ["Onwards", "NobodyOvertakes", "NoFlights", "LastWalks", "LastWalksHalfway", "LastIsAhead", "Deadlock"]
STATES = 9


class Growing(Model):
    """Every state is followed by another one; what is decided is known after some steps."""

    n = Variable(0)
    log = Variable(())

    @action
    def add(self, s):
        s.log += (s.n,)
        s.n += 1

    @invariant
    def Short(self, s):
        return len(s.log) < 4

    @reachable
    def Three(self, s):
        return s.n == 3

    @invariant
    def Empty(self, s):
        return False

    @step
    def Slow(self, s, t):
        return t.n < 6

    @invariant
    def Fine(self, s):
        return s.n >= 0


#: What is decided of it, and after how many steps.
DECIDED = {"Short": ("violated", 4), "Three": ("reached", 3), "Empty": ("violated", 0), "Slow": ("violated", 6)}


class Wide(Model):
    """More initial states than a fresh table has room for, and more outcomes of a step than the queue has places."""

    n = Variable(0)
    jumped = Variable(False)

    @initial
    def begin(self, s):
        s.n = choose(range(5000))

    @action
    def jump(self, s):
        require(s.n == 0 and not s.jumped, "jumped already")
        s.n = choose(range(1, 3000))
        s.jumped = True

    @invariant
    def Small(self, s):
        return s.n < 4990 or f"n is {s.n}"


class Still(Model):
    """An action that reads nothing, one that can never happen, one that does nothing, and one that says so."""

    n = Variable(0)

    @action
    def reset(self, s):
        s.n = 1

    @action
    def never(self, s):
        require(False, "never")

    @action
    def compare(self, s):
        s.n == 1  # noqa: B015 - the slip that a remark is made of

    @action(stutters=True)
    def rest(self, s):
        require(s.n == 1, "not yet")


class Row(NamedTuple):
    number: int
    by: str


class Line(NamedTuple):
    number: int
    by: str


@dataclass(frozen=True)
class Claim:
    number: int
    by: str


#: Pairs of values that compare equal and are of different kinds somewhere.
ALIKE: dict[str, Callable[[str], tuple[Any, Any]]] = {
    "boolean": lambda w: (1, True),
    "record": lambda w: (Row(1, w), (1, w)),
    "records": lambda w: (Row(1, w), Line(1, w)),
    "tuple": lambda w: ((w, (0,)), (w, (False,))),
    "set": lambda w: (frozenset({(w, 1)}), frozenset({(w, True)})),
    "map": lambda w: (Map({w: (1, w)}), Map({w: Row(1, w)})),
    "key": lambda w: (Map({(1, w): w}), Map({Row(1, w): w})),
    "object": lambda w: (Claim(1, w), Claim(True, w)),
}


class Alike(Model):
    """A writer puts one of two equal values of different kinds, which then alternate: 5 states, or 3 with symmetry."""

    symmetry = ("Writers",)
    kinds = (Row, Line, Claim)
    Writers = Constant(2, Names("w", range(1, 4)), "who writes")
    Values = Constant("boolean", tuple(ALIKE), "what is written")
    by = Variable(None)
    held = Variable(None)
    writer = Process(per="Writers", fair="weak")

    @action(writer)
    def put(self, s, w):
        require(s.by is None, "it is written already")
        s.by, s.held = w, choose(ALIKE[self.Values](w), "what")

    @action(writer)
    def turn(self, s, w):
        require(s.by == w, "another wrote it")
        one, other = ALIKE[self.Values](w)
        s.held = other if show(s.held) == show(one) else one

    def is_held(self, s, which):
        return s.by is not None and show(s.held) == show(ALIKE[self.Values](s.by)[which])

    @invariant
    def NeverOne(self, s):
        return not self.is_held(s, 0)

    @invariant
    def NeverOther(self, s):
        return not self.is_held(s, 1)

    @step
    def Stays(self, s, t):
        return s.by is None or unchanged(s, t, "held")

    @liveness
    def Settles(self):
        return eventually_always(lambda s: self.is_held(s, 1))

    @liveness
    def Alternates(self):
        return always_eventually(lambda s: self.is_held(s, 1))
