"""A sink: a job that copies a source into a table, batch by batch, and must put no record there twice, and lose none.

The source keeps its records in order, and the job's checkpoint is the *offset* up to which they are done. Between the
commit of a batch and the checkpoint the job may crash; then it reads the same records again::

    workbench check sink                                # batches have an id: each record is in the table once
    workbench check specs/table/sink_replayed.toml      # CommittedOnce: a replay is committed again
    workbench check specs/table/sink_replanned.toml     # NothingIsLost: a replay takes other records under the same id

Each table format can stand behind it: all that the sink asks of one is a commit in one step, and to be told which
batches the table has. ``specs/table/README.md`` says what systems call the parts.
"""

from typing import NamedTuple

from workbench.language import *
from workbench.protocols.table.upkeep import REMEMBER


class Batch(NamedTuple):
    """The records after `first` up to `last`. Its id is where it begins."""

    first: int
    last: int

    @property
    def records(self) -> frozenset[int]:
        return frozenset(range(self.first + 1, self.last + 1))


class Sink(Model):
    """A job with a checkpoint between a source and a table."""

    Records = Constant(3, range(1, 7), "records of the source")
    MaxCrashes = Constant(2, range(0, 4), "crashes of the job in a run")
    Remember = Constant("id", REMEMBER.domain, REMEMBER.doc)
    PlanFirst = Constant(True, bool, "a batch's end is made durable before the batch is committed; a replay ends there")

    offset = Variable(0, doc="the checkpoint: records that are done; durable")
    plan = Variable(None, doc="the batch that was planned after it; durable")
    batch = Variable(None, doc="the batch at work, in the job's memory")
    table = Variable((), doc="the batches in the table, oldest first")
    crashes = Variable(0, doc="crashes so far", ghost=True)

    job = Process(fair="weak", start="Read", doc="reads, commits, and writes its checkpoint")

    @action(job, at="Read", to="Commit")
    def read(self, s):
        """Take the batch that was planned, or some of the records that the source has after the checkpoint."""
        if s.plan is None:
            s.batch = Batch(s.offset, choose(range(s.offset + 1, self.Records + 1), "last"))
        else:
            s.batch = s.plan
        if self.PlanFirst:
            s.plan = s.batch

    @action(job, at="Commit", to="Checkpoint")
    def commit(self, s):
        """Append the batch to the table; with Remember only if the table has none of its id."""
        if self.Remember == "none" or all(batch.first != s.batch.first for batch in s.table):
            s.table += (s.batch,)

    @action(job, at="Checkpoint", to="Read")
    def checkpoint(self, s):
        """Make durable that the batch is done."""
        s.offset = s.batch.last
        s.plan = s.batch = None

    @action
    def crash(self, s):
        """Lose what is in memory, and begin again from the checkpoint."""
        require(s.batch is not None, "nothing would be lost")
        require(s.crashes < self.MaxCrashes, "all crashes of the run have happened")
        s.crashes += 1
        s.batch, s.pc = None, "Read"

    @invariant
    def CommittedOnce(self, s):
        """No record is in the table twice."""
        seen = frozenset()
        for number, batch in enumerate(s.table):
            if twice := sorted(seen & batch.records):
                return Fault(
                    f"record {twice[0]} is in the table twice",
                    *(Place("table", None, i) for i in range(number + 1) if twice[0] in s.table[i].records),
                )
            seen |= batch.records
        return True

    @invariant
    def NothingIsLost(self, s):
        """Each record up to the checkpoint is in the table."""
        lost = sorted(Batch(0, s.offset).records.difference(*(batch.records for batch in s.table)))
        return not lost or Fault(f"record {lost[0]} is done, and not in the table", Place("offset"), Place("table"))

    @reachable
    def SomethingIsReplayed(self, s):
        """A batch can be taken again after its commit."""
        return s.pc == "Commit" and s.batch in s.table

    @ends
    def ended(self, s):
        """All records are done."""
        return s.offset == self.Records

    @liveness
    def AllIsDone(self):
        """In the end all records are done."""
        return eventually_always(lambda s: s.offset == self.Records)
