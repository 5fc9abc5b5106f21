"""A log whose answers may get lost, for exercises: the log of notebook 06, and its next problem."""

from workbench.kernel import Constant, Model, Names, Process, Variable, action, invariant, reachable, require


class LossyLog(Model):
    """Writers that each append one entry by compare-and-swap, over a network that may lose the answer."""

    Writers = Constant(2, Names("w", range(1, 4)), "each of them appends one entry")

    log = Variable((), doc="the entries, by who wrote them")
    pc = Variable("Read", per="Writers", doc="next step")
    seen = Variable((), per="Writers", doc="the log as it was read")

    writer = Process(per="Writers", fair="weak", doc="appends its entry")

    @action(writer)
    def read(self, s, w):
        """Read the log."""
        require(s.pc[w] == "Read", f"{w} has read already")
        s.seen[w] = s.log
        s.pc[w] = "Write"

    @action(writer)
    def write(self, s, w):
        """Append an entry, if the log is still what was read."""
        require(s.pc[w] == "Write", f"{w} has nothing to write")
        if s.log != s.seen[w]:
            s.pc[w] = "Read"
            return
        s.log = (*s.log, w)
        s.pc[w] = "Done"

    @action(writer)
    def write_unanswered(self, s, w):
        """Append an entry, and never hear of it: begin again."""
        require(s.pc[w] == "Write", f"{w} has nothing to write")
        require(s.log == s.seen[w], "the log has changed")
        require(len(s.log) < 2 * len(self.Writers), "the log is full")
        s.log = (*s.log, w)
        s.pc[w] = "Read"

    @invariant(w="Writers")
    def NothingLost(self, s, w):
        """The entry of a writer that is done is in the log."""
        return s.pc[w] != "Done" or w in s.log or f"{w} is done, and its entry is not in the log"

    @invariant(w="Writers")
    def NothingTwice(self, s, w):
        """No writer has two entries in the log."""
        return s.log.count(w) < 2 or f"{w} has {s.log.count(w)} entries in the log"

    @reachable
    def EverybodyIsDone(self, s):
        """All can be done."""
        return all(s.pc[w] == "Done" for w in self.Writers)
