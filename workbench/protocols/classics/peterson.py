"""Peterson's filter lock: n processes exclude each other with plain variables.

Before the critical section there are n-1 levels. A process that enters a level registers as the last one there. It goes
on when another has become the last, or no other process is at this level or beyond. Thus each level holds back one of
several processes.

The properties, and the commands that check them::

    workbench check peterson                              # everything holds
    workbench check peterson --set LevelsLeftOut=1        # MutualExclusion: one filter is not enough for three
    workbench check peterson --set LevelFirst=false       # MutualExclusion: two lines of the program exchanged
    workbench check peterson --set LeavesLevels=false     # WhoWantsEnters: blocked by a process that has left

Semantics after Peterson, *Myths about the mutual exclusion problem*, Information Processing Letters 12(3), 1981.
"""

from workbench.language import *

IDLE, LEVEL, LAST, WAIT, CRITICAL = "idle", "write level", "write last", "wait", "critical"


class Peterson(Model):
    """Peterson's mutual exclusion for n processes, the filter lock."""

    symmetry = ("Processes",)

    Processes = Constant(3, Names("p", range(2, 6)), "who wants to enter")
    LevelsLeftOut = Constant(0, range(0, 3), "how many levels to leave out; n processes need n - 1")
    LevelFirst = Constant(
        True, bool, "a process that enters a level writes the level first, and next that it is the last one there"
    )
    LeavesLevels = Constant(True, bool, "a process that leaves the critical section leaves all levels")

    process = Process(
        per="Processes", fair="weak", doc="wants to enter, waits at each level, enters and leaves", start=IDLE
    )
    at = Variable(1, per="Processes", doc="the level that the process is about to enter; a variable of its own")
    level = Variable(0, per="Processes", doc="the level that it has entered, for all to see")
    last = Variable(None, per="levels", doc="who was the last to enter the level")

    def validate(self):
        self.top = len(self.Processes) - 1 - self.LevelsLeftOut
        if self.top < 1:
            raise InputError(f"LevelsLeftOut = {self.LevelsLeftOut} is not accepted; at least one level must be left")
        self.levels = tuple(range(1, self.top + 1))
        self.first = LEVEL if self.LevelFirst else LAST

    @action(process, at=IDLE, to=lambda m: m.first, fair=False)
    def want(self, s, p):
        """Want to enter; this is optional."""

    @action(process, at=LEVEL, to=lambda m: LAST if m.LevelFirst else WAIT)
    def write_level(self, s, p):
        """Tell all that I am at the level."""
        s.level[p] = s.at[p]

    @action(process, at=LAST, to=lambda m: WAIT if m.LevelFirst else LEVEL)
    def write_last(self, s, p):
        """Tell all that I am the last to enter it."""
        s.last[s.at[p]] = p

    @action(process, at=WAIT, to=lambda m: m.first)
    def go_on(self, s, p):
        """Leave the level behind: another process came later, or none is there or further."""
        level = s.at[p]
        require(
            s.last[level] != p or all(s.level[q] < level for q in self.Processes if q != p),
            f"{p} is the last at level {level}, and not alone",
        )
        if level == self.top:
            s.pc[p] = CRITICAL
        else:
            s.at[p] += 1

    @action(process, at=CRITICAL, to=IDLE)
    def leave(self, s, p):
        """Leave the critical section, and all levels with it."""
        if self.LeavesLevels:
            s.level[p] = 0
        s.at[p] = 1

    @invariant
    def MutualExclusion(self, s):
        """At most one process is in the critical section."""
        inside = [p for p in self.Processes if s.pc[p] == CRITICAL]
        return len(inside) < 2 or f"{' and '.join(inside)} are in the critical section"

    @invariant(level="levels")
    def EachLevelHoldsOneBack(self, s, level):
        """Of n processes at most n-1 are beyond level 1, n-2 beyond level 2, and so on."""
        beyond = [p for p in self.Processes if s.at[p] > level]
        return len(beyond) <= len(self.Processes) - level or f"{', '.join(beyond)} are beyond level {level}"

    @reachable
    def SomebodyEnters(self, s):
        """The critical section can be entered while all others wait."""
        return CRITICAL in s.pc.values() and all(pc in (WAIT, CRITICAL) for pc in s.pc.values())

    @liveness(p="Processes")
    def WhoWantsEnters(self, p):
        """Whoever wants to enter does so in the end."""
        return leads_to(lambda s: s.pc[p] != IDLE, lambda s: s.pc[p] == CRITICAL)
