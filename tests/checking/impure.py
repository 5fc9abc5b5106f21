"""Models that are no function of the state in one situation, where a part of them says something else once."""

from workbench.kernel import Model, Variable, action, choose, constraint, eventually, invariant, liveness, require, step

#: The parts that may do so.
PARTS = ("action", "invariant", "step", "constraint", "fair_when", "goal")
#: Those that are asked where no liveness is checked, and by the reference search, which remembers less.
OF_THE_REFERENCE = PARTS[:4]


def impure(part):
    """A model whose `part` says something else when it is first asked about what has 25 in it."""

    class Impure(Model):
        n, k = Variable(0), Variable(0)
        told = set()

        def once(self, other, k):
            if other != part or k != 25 or other in self.told:
                return False
            self.told.add(other)
            return True

        @action
        def pick(self, s):
            require(s.n == 0, "it is picked")
            s.k = choose(range(30))
            s.n = 1

        @action(fair="weak", fair_when=lambda self, s: not self.once("fair_when", s.k))
        def finish(self, s):
            require(s.n == 1, "it is not picked, or finished")
            require(not self.once("action", s.k), "not yet")
            s.n = 2

        @invariant
        def Small(self, s):
            return s.k != 25 or s.n != 1 or part != "invariant" or self.once("invariant", s.k)

        @step
        def Finishes(self, s, t):
            return t.n != 2 or t.k != 25 or part != "step" or self.once("step", t.k)

        @constraint
        def Inside(self, s):
            return s.k != 25 or s.n != 1 or part != "constraint" or self.once("constraint", s.k)

        @liveness
        def Ends(self):
            return eventually(lambda s: s.n == 2 and not self.once("goal", s.k))

    return Impure
