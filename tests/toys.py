"""Models that are small enough to be counted by hand."""

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
