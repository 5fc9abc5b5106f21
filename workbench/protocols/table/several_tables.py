"""A commit of several tables at a catalog, which readers should find in all of them or in none.

A writer reads the versions of all tables, and asks the catalog to replace them together. The catalog *validates* that
no table has changed since. Then it swaps the pointers in one step, or one table after the other::

    workbench check several_tables                      # everything holds
    workbench check several_tables --set Swap=each      # AllOrNothing, ReadsOneCommit, RefusedLeavesNothing
    workbench check several_tables --set Load=each      # ReadsOneCommit: the reader loads one table after the other

The second switch is the reader's: a commit in one step is not enough if the tables are loaded one by one.
``specs/table/README.md`` says which catalogs do what.
"""

from workbench.language import *

COMMITTED, REFUSED = "Committed", "Refused"


class SeveralTables(Model):
    """Writers that each commit all tables once, and a reader that joins them."""

    symmetry = ("Writers",)

    Writers = Constant(2, Names("w", range(1, 4)), "writers, each with one commit of all tables")
    Tables = Constant(2, Names("t", range(2, 4)), "tables")
    Swap = Constant("all", ("all", "each"), "the catalog swaps all pointers in one step, or one after the other")
    Load = Constant("together", ("together", "each"), "a reader gets all tables in one step, or one after the other")

    writer = Process(per="Writers", fair="weak", pc="phase", start="Ready", doc="commits all tables once")
    base = Variable((), per="Writers", doc="whose commits the writer has read, table by table")
    left = Variable(frozenset(), per="Writers", doc="the tables of the commit that are still to be swapped")
    pointer = Variable(None, per="Tables", doc="the writer whose commit the table shows; at first nobody's")
    seen = Variable((), doc="whose commits the reader has loaded, table by table")

    def pointers(self, s):
        return tuple(s.pointer[t] for t in self.Tables)

    @action(writer, at="Ready", to="Validate")
    def start(self, s, w):
        """Read all tables, and prepare the commit."""
        s.base[w] = self.pointers(s)

    @action(writer, at="Validate")
    def check_all(self, s, w):
        """Refuse the commit if a table has changed; otherwise swap all of them, or go on to the first."""
        if s.base[w] != self.pointers(s):
            s.phase[w] = REFUSED
        elif self.Swap == "all":
            for t in self.Tables:
                s.pointer[t] = w
            s.phase[w] = COMMITTED
        else:
            s.left[w] = frozenset(self.Tables)
            s.phase[w] = "Swap"

    @action(writer, at="Swap", when=lambda model: model.Swap == "each")
    def swap(self, s, w):
        """Swap one table, in any order; the commit is refused where one has changed, and stays where it is."""
        t = choose(sorted(s.left[w]), "table")
        if s.pointer[t] != s.base[w][self.Tables.index(t)]:
            s.phase[w] = REFUSED
            return
        s.pointer[t] = w
        s.left[w] -= {t}
        if not s.left[w]:
            s.phase[w] = COMMITTED

    @action
    def load(self, s):
        """Load the reader's next table, or all of them."""
        require(len(s.seen) < len(self.Tables), "the reader has all tables")
        loaded = len(s.seen)
        s.seen += self.pointers(s)[loaded : len(self.Tables) if self.Load == "together" else loaded + 1]

    @invariant
    def AllOrNothing(self, s):
        """At any time all tables are as the same commit has left them."""
        return len(set(self.pointers(s))) == 1 or Fault(
            "the tables are of different commits", *(Place("pointer", t) for t in self.Tables)
        )

    @invariant
    def ReadsOneCommit(self, s):
        """The reader's tables are as the same commit has left them."""
        return len(set(s.seen)) <= 1 or Fault("the reader has tables of different commits", Place("seen"))

    @invariant(w="Writers")
    def RefusedLeavesNothing(self, s, w):
        """No table shows a commit that was refused."""
        shown = [t for t in self.Tables if s.phase[w] == REFUSED and s.pointer[t] == w]
        return not shown or Fault(f"{shown[0]} shows a commit that was refused", Place("pointer", shown[0]))

    @reachable
    def SomeoneIsRefused(self, s):
        """A commit can be refused."""
        return any(s.phase[w] == REFUSED for w in self.Writers)

    @ends
    def ended(self, s):
        """Each writer has its answer."""
        return all(s.phase[w] in (COMMITTED, REFUSED) for w in self.Writers)

    @liveness(w="Writers")
    def EachIsAnswered(self, w):
        """In the end each writer has its answer."""
        return eventually_always(lambda s: s.phase[w] in (COMMITTED, REFUSED))
