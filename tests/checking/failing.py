"""Models whose code raises where a reachable state makes it."""

from workbench.language import *

#: The parts that raise, and the last state's n. `outside` is an invariant that raises beyond the constraint.
PARTS = {"action": 4, "invariant": 5, "step": 5, "constraint": 5, "outside": 6, "goal": 5, "fair_when": 4}


def failing(part):
    """A model whose `part` raises after four to six steps."""

    class Failing(Model):
        n, k = Variable(0), Variable(0)

        @action(fair="weak", fair_when=lambda self, s: part != "fair_when" or s.n < 4 or 1 // 0)
        def up(self, s):
            require(s.n < 6, "enough")
            require(part != "action" or s.n < 4 or 1 // 0, "never")
            s.n += 1

        @action
        def pick(self, s):
            require(s.n == 0, "it is picked")
            s.k = choose(range(4))
            s.n = 1

        @invariant
        def Fine(self, s):
            return part != "invariant" or s.n < 5 or 1 // 0

        @invariant
        def Outside(self, s):
            return part != "outside" or s.n < 6 or 1 // 0

        @step
        def Goes(self, s, t):
            return part != "step" or t.n < 5 or 1 // 0

        @constraint
        def Inside(self, s):
            return s.n < 6 and (part != "constraint" or s.n < 5 or 1 // 0 > 1)

        @liveness
        def Ends(self):
            return eventually(lambda s: part != "goal" or s.n < 5 or 1 // 0)

    return Failing


def failing_late(part):
    """The same, where some properties are decided before."""

    class FailingLate(failing(part)):
        @invariant
        def Low(self, s):
            return s.n < 3

        @step
        def Slow(self, s, t):
            return t.n != 2

        @reachable
        def Two(self, s):
            return s.n == 2

        @reachable
        def Nine(self, s):
            return s.n == 9

    return FailingLate


def failing_initially(part):
    """A model whose `part` raises in the fourth initial state."""

    class FailingInitially(Model):
        n, m = Variable(0), Variable(0)

        @initial
        def begin(self, s):
            s.n = choose(range(5))

        @action
        def up(self, s):
            require(s.m == 0, "enough")
            s.m = 1 // (s.n - 3) if part == "action" else 1

        @invariant
        def Fine(self, s):
            return part != "invariant" or s.n != 3 or 1 // 0

        @constraint
        def Inside(self, s):
            return part != "constraint" or s.n != 3 or 1 // 0

    return FailingInitially
