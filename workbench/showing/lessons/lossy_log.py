"""A log whose answers may get lost, for exercises: the log of notebook 06, and its next problem."""

from workbench.kernel import Constant, Model, Names, Process, Variable, action, invariant, reachable, require


class LossyLog(Model):
    """Writers that each append one entry by compare-and-swap, over a network that may lose the answer."""

    Writers = Constant(2, Names("w", range(1, 4)), "each of them appends one entry")

    log = Variable((), doc="the entries, by who wrote them")
    writer = Process(per="Writers", fair="weak", doc="appends its entry", start="Read")
    seen = Variable((), per="Writers", doc="the log as it was read")

    @action(writer, at="Read", to="Write")
    def read(self, s, w):
        """Read the log."""
        s.seen[w] = s.log

    @action(writer, at="Write", to="Done")
    def write(self, s, w):
        """Append an entry, if the log is still what was read; otherwise read again."""
        if s.log == s.seen[w]:
            s.log = (*s.log, w)
        else:
            s.pc[w] = "Read"

    @action(writer, at="Write", to="Read")
    def write_unanswered(self, s, w):
        """Append an entry, and never hear of it: begin again."""
        require(s.log == s.seen[w], "the log has changed")
        require(len(s.log) < 2 * len(self.Writers), "the log is full")
        s.log = (*s.log, w)

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
