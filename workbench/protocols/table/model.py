"""One table: the promise of a lakehouse table to its writers and readers, in a page.

A write sets some columns of one row, or removes it, atomically in one step. In that step the writer gets its
acknowledgement. From then on readers get the write, until a later one replaces it. That is all::

    workbench check table                           # what follows: nothing acknowledged is lost
    workbench check hudi --property OneTable        # Hudi keeps the promise
    workbench check paimon --property OneTable --set PUT_IF_ABSENT=false    # a row that was acknowledged is gone

A protocol *refines* this table if each of its steps is a step of the table, or changes nothing that readers get or
writers were told; see ``docs/properties.md``. ``OneTable`` in each protocol's file defines its rows, readers and
acknowledgements.
"""

from workbench.language import *

#: What a write says of a column that it leaves alone.
AS_IT_WAS = "as it was"


class Table(Model):
    """One table as its writers and readers know it. Readers get the newest version."""

    symmetry = ("Keys", "Values")

    Keys = Constant(2, Names("k", range(1, 9)), "what rows are found by")
    Columns = Constant(["value"], Names("c", range(1, 4)), "the columns of a row")
    Values = Constant(2, Names("v", range(1, 13)), "what a column may hold")

    rows = Variable((), per="Keys", doc="what readers get for a key: no row, or one; a broken table may give two")
    acknowledged = Variable((), per="fields", doc="what writers were told is in a column of a key, one after the other")

    def validate(self) -> None:
        self.fields = tuple((key, column) for key in self.Keys for column in self.Columns)
        self.nothing = (None,) * len(self.Columns)

    @action(key="Keys")
    def write(self, s, key):
        """Set some columns of a row, which need not exist."""
        before = next(iter(s.rows[key]), self.nothing)
        asked = tuple(choose((*self.Values, AS_IT_WAS), column) for column in self.Columns)
        require(set(asked) != {AS_IT_WAS}, "a write that sets no column is none")
        row = tuple(old if new == AS_IT_WAS else new for old, new in zip(before, asked, strict=True))
        for column, new in zip(self.Columns, asked, strict=True):
            if new != AS_IT_WAS:
                s.acknowledged[key, column] += (new,)
        self.commit(s, key, (row,))

    @action(key="Keys")
    def remove(self, s, key):
        """Remove a row, which need not exist."""
        for column in self.Columns:
            s.acknowledged[key, column] += (None,)
        self.commit(s, key, ())

    def commit(self, s, key, rows):
        s.rows[key] = rows

    @invariant(key="Keys")
    def NothingIsLost(self, s, key):
        """Reading a key returns what writers were last told about it."""
        row = tuple(next(reversed(s.acknowledged[key, column]), None) for column in self.Columns)
        return s.rows[key] == (() if row == self.nothing else (row,))

    @reachable
    def SomeoneWrites(self, s):
        """The table can hold a row."""
        return any(s.rows[key] for key in self.Keys)


class VersionedTable(Table):
    """One table as it should be: each commit is one step, nothing acknowledged is lost, old versions stay."""

    name = "table"

    MaxVersions = Constant(2, range(0, 7), "versions that are looked at; the promise has no such bound")

    versions = Variable((), doc="what readers of each version get, the first version first")

    def commit(self, s, key, rows):
        super().commit(s, key, rows)
        s.versions += (Map(s.rows),)

    @action
    def rewrite(self, s):
        """Add a version that reads as the last one does, as where files are compacted."""
        s.versions += (Map(s.rows),)

    @invariant
    def NewestIsLast(self, s):
        """Readers without a version get the last one."""
        return not s.versions or s.versions[-1] == Map(s.rows)

    @step
    def VersionsStay(self, s, t):
        """The content of a version does not change."""
        return t.versions[: len(s.versions)] == s.versions

    @constraint
    def FewVersions(self, s):
        """Bounds a search of the table by itself. Models that refine it are not bounded."""
        return len(s.versions) <= self.MaxVersions
