"""A sink whose commits are requests: one that nobody waits for any more can still take effect.

In the sink of `sink.py` looking for the batch's id and appending are one step. Here the job looks, sends a *request*,
and waits for the answer. It may give up, or crash, while the request is on its way. It looks again and finds nothing;
it sends the batch again; and then both requests land::

    workbench check late_sink                            # the table looks for the id where a request lands: all holds
    workbench check late_sink --set Landing=blind        # CommittedOnce: both land
    workbench check late_sink --set Landing=blind --set Key=kept        # holds: the second has the key of the first
    workbench check late_sink --set Landing=blind --set Key=expires     # CommittedOnce: the key was forgotten too early
    workbench check late_sink --set GiveUp=delete        # PublishedFilesExist: deleted first, landed afterwards

``specs/table/README.md`` says which systems have which part.
"""

from typing import NamedTuple

from workbench.language import *
from workbench.protocols.table.sink import Batch, Sink


class Request(NamedTuple):
    """A commit on its way: the number of the request, and the batch, for which it has files of its own."""

    number: int
    batch: Batch


class LateSink(Sink):
    """A job whose requests may land after it has given them up."""

    MaxGiveUps = Constant(1, range(0, 4), "requests in a run that the job stops waiting for")
    Landing = Constant(
        "checked", ("blind", "checked"), "a request is refused if the table has its id by then; blind: it is appended"
    )
    Key = Constant(
        "none", ("none", "expires", "kept"), "the catalog knows a request's key again, until it expires, or for ever"
    )
    GiveUp = Constant("retry", ("retry", "delete"), "the job commits again, or deletes the files and writes new ones")

    flight = Variable(frozenset(), doc="the requests that have not landed yet")
    sent = Variable(0, doc="requests sent so far")
    landed = Variable(frozenset(), doc="the numbers of the requests whose files are in the table")
    keys = Variable(frozenset(), doc="the keys that the catalog remembers: the batches that have landed")
    gone = Variable(frozenset(), doc="the numbers of the requests whose files have been deleted")
    given_up = Variable(0, doc="requests given up so far", ghost=True)

    def is_in_table(self, s, batch):
        """Whether the table has a batch of this id."""
        return any(other.first == batch.first for other in s.table)

    @action(Sink.job, at="Commit", to="Wait")
    def commit(self, s):
        """Send the batch; with Remember only if the table has none of its id."""
        if self.Remember == "id" and self.is_in_table(s, s.batch):
            s.pc = "Checkpoint"
            return
        s.sent += 1
        s.flight |= {Request(s.sent, s.batch)}

    @action(Sink.job, at="Wait", to="Checkpoint")
    def hear(self, s):
        """Hear that the batch is in the table, by this request or by an earlier one."""
        require(all(request.number != s.sent for request in s.flight), "the request is on its way")

    @action(Sink.job, at="Wait")
    def give_up(self, s):
        """Stop waiting; the request stays on its way. Delete its files only if the table does not have the batch."""
        require(s.given_up < self.MaxGiveUps, "the job has given up as often as it may in the run")
        s.given_up += 1
        if self.GiveUp == "delete" and not self.is_in_table(s, s.batch):
            s.gone |= {s.sent}
        s.pc = "Commit"

    @action(fair="weak")
    def land(self, s):
        """Carry out a request, of any age: append its batch, or refuse it."""
        request = choose(sorted(s.flight), "request")
        s.flight -= {request}
        if request.batch in s.keys or (self.Landing == "checked" and self.is_in_table(s, request.batch)):
            return
        s.table += (request.batch,)
        s.landed |= {request.number}
        if self.Key != "none":
            s.keys |= {request.batch}

    @action(when=lambda model: model.Key == "expires")
    def expire(self, s):
        """Forget a key. The catalog cannot know whether a request with it is still on its way."""
        s.keys -= {choose(sorted(s.keys), "key")}

    @invariant
    def PublishedFilesExist(self, s):
        """No file of the table has been deleted."""
        lost = sorted(s.landed & s.gone)
        return not lost or Fault(
            f"the files of request {lost[0]} have been deleted",
            *(Place(variable, None, lost[0]) for variable in ("landed", "gone")),
        )

    @reachable
    def SomethingLandsLate(self, s):
        """A request can be on its way when the job is past its batch."""
        return any(request.batch.last <= s.offset for request in s.flight)
