"""Deletion vectors: deletes that mark rows of one file at the same time, and a compaction that moves these rows.

A data file never changes. A *deletion vector* beside it has the positions of its deleted rows, and the log lists both
together: an entry takes out the file with its old vector, and puts it in with the new one. Two deletes in one file can
be merged, since both mean positions in the same file. A compaction moves the rows that are left into a new file; a
vector that was written meanwhile has positions of the old one, and must be *remapped*::

    workbench check deletion_vectors                          # vectors are merged, and remapped: everything holds
    workbench check deletion_vectors --set Conflict=none      # OneVector: the file is in the table twice
    workbench check deletion_vectors --set Compact=forgets    # DeletedRowsStayDeleted

``specs/delta/README.md`` has the story. The copy-on-write protocol of the log is in ``model.py``; here an entry is one
step.
"""

from itertools import pairwise
from typing import NamedTuple

from workbench.language import *

DELETED, ABORTED = "Deleted", "Aborted"


class Added(NamedTuple):
    """A live file, and the positions of its rows that are deleted."""

    file: int
    vector: frozenset[int]


class DeletionVectors(Model):
    """Writers that each delete one row, and a compaction."""

    symmetry = ("Writers",)

    Writers = Constant(2, Names("w", range(1, 4)), "writers; each deletes one row")
    Rows = Constant(3, range(1, 5), "rows of the table, at first in one file")
    Conflict = Constant(
        "rows",
        ("rows", "file", "none"),
        "another delete since the read is a conflict if it has the same row, or the same file, or never; "
        "vectors are merged with rows, and with none the entry is written as prepared",
    )
    Compact = Constant(
        "remaps",
        ("never", "aborts", "remaps", "forgets"),
        "of a delete and a compaction, the later one aborts, or remaps positions, or writes the entry that it prepared",
    )

    writer = Process(per="Writers", fair="weak", pc="phase", start="Ready", doc="deletes one row")
    compactor = Process(pc="compaction", start="Ready", doc="rewrites the file once")
    read = Variable(None, per="Writers", doc="the file and its vector when the delete began")
    row = Variable(None, per="Writers", doc="the row to delete")
    rewritten = Variable(None, doc="the file and its vector when the compaction began")
    files = Variable(lambda model: (tuple(range(model.Rows)),), doc="the rows of each file, in order")
    live = Variable(frozenset({Added(0, frozenset())}), doc="the files of the last version, each with its vector")
    deleted = Variable(frozenset(), doc="rows whose delete was acknowledged", ghost=True)

    def vector(self, s, file):
        """The positions that are deleted in a file of the last version; None if it has no such file."""
        vectors = [added.vector for added in s.live if added.file == file]
        return frozenset().union(*vectors) if vectors else None

    def left(self, s, added):
        """The rows that a reader finds in a live file."""
        return tuple(row for position, row in enumerate(s.files[added.file]) if position not in added.vector)

    # A delete ----------------------------------------------------------------------------------------------------

    @action(writer, at="Ready", to="Commit")
    def start(self, s, w):
        """Read the last version, and find the row to delete."""
        s.read[w] = choose(sorted(s.live), "read")
        s.row[w] = choose(self.left(s, s.read[w]), "row")

    @action(writer, at="Commit", to=DELETED)
    def commit(self, s, w):
        """Write the entry: the file with its old vector goes out, and with the new one in. Or find a conflict."""
        read, row = s.read[w], s.row[w]
        if self.Compact == "remaps" and self.vector(s, read.file) is None:
            read = Added(len(s.files) - 1, frozenset())
        if self.conflict(s, read, row):
            s.phase[w] = ABORTED
            return
        now = self.vector(s, read.file)
        old = read if self.Conflict == "none" or now is None else read._replace(vector=now)
        new = old._replace(vector=old.vector | {s.files[read.file].index(row)})
        s.live = (s.live - {old}) | {new}
        s.deleted |= {row}

    def conflict(self, s, read, row):
        """Whether a delete of a row must not be committed, given what was read."""
        vector = self.vector(s, read.file)
        if vector is None:  # the compaction was committed since, and positions are not remapped
            return self.Compact == "aborts"
        if row not in s.files[read.file]:
            return True
        if self.Conflict == "file":
            return vector != read.vector
        return self.Conflict == "rows" and s.files[read.file].index(row) in vector

    # A compaction ------------------------------------------------------------------------------------------------

    @action(compactor, at="Ready", to="Commit", when=lambda model: model.Compact != "never")
    def rewrite(self, s):
        """Write the rows that are left into a new file, which is not in the table yet."""
        require(len(s.files) == 1, "the compaction of the run has happened")
        s.rewritten = choose(sorted(s.live), "rewritten")
        s.files += (self.left(s, s.rewritten),)

    @action(compactor, at="Commit", to="Ready", when=lambda model: model.Compact != "never")
    def swap(self, s):
        """Write the entry: the old file goes out, and the new one in, with a vector if rows were deleted since."""
        old, new = s.rewritten, len(s.files) - 1
        vector = self.vector(s, old.file)
        if self.Compact == "remaps":
            gone = {s.files[old.file][position] for position in vector}
            remapped = frozenset(position for position, row in enumerate(s.files[new]) if row in gone)
            s.live = frozenset(added for added in s.live if added.file != old.file) | {Added(new, remapped)}
        elif self.Compact == "forgets" or vector == old.vector:
            s.live = (s.live - {old}) | {Added(new, frozenset())}

    # Properties --------------------------------------------------------------------------------------------------

    @invariant
    def OneVector(self, s):
        """The last version has no file with two vectors."""
        files = sorted(added.file for added in s.live)
        twice = [file for file, after in pairwise(files) if file == after]
        return not twice or Fault(
            f"file {twice[0]} is in the table with two vectors",
            *(Place("live", None, added) for added in sorted(s.live) if added.file == twice[0]),
        )

    @invariant
    def DeletedRowsStayDeleted(self, s):
        """Readers do not get a row whose delete was acknowledged."""
        back = sorted(s.deleted.intersection(self.rows(s)))
        return not back or Fault(
            f"row {back[0]} was deleted, and is read",
            *(Place("live", None, added) for added in sorted(s.live) if back[0] in self.left(s, added)),
        )

    @invariant
    def OtherRowsAreReadOnce(self, s):
        """Readers get each other row once."""
        rows = self.rows(s)
        wrong = [row for row in range(self.Rows) if row not in s.deleted and rows.count(row) != 1]
        return not wrong or Fault(f"row {wrong[0]} is read {rows.count(wrong[0])} times", Place("live"))

    def rows(self, s):
        """The rows that readers of the last version get."""
        return [row for added in sorted(s.live) for row in self.left(s, added)]

    @reachable(when=lambda model: model.Conflict == "rows")
    def SomeVectorsAreMerged(self, s):
        """Two deletes that have read the same version can both be committed."""
        done = [s.read[w] for w in self.Writers if s.phase[w] == DELETED]
        return len(set(done)) < len(done)

    @reachable(when=lambda model: model.Conflict != "none")
    def SomeDeleteAborts(self, s):
        """A delete can be given up."""
        return any(s.phase[w] == ABORTED for w in self.Writers)

    @reachable(when=lambda model: model.Compact == "remaps")
    def SomeVectorIsRemapped(self, s):
        """The new file can have a vector."""
        return any(added.vector for added in s.live if added.file > 0)

    @ends
    def ended(self, s):
        """Nobody is at work. A writer that has not begun finds no row left."""
        return all(s.phase[w] != "Commit" for w in self.Writers)

    @liveness(w="Writers")
    def EachEnds(self, w):
        """A delete that has begun is done in the end, or given up."""
        return leads_to(lambda s: s.phase[w] == "Commit", lambda s: s.phase[w] in (DELETED, ABORTED))
