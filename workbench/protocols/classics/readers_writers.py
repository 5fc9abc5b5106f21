"""Readers and writers: many may read at a time, or one may write, and each gets a turn.

Processes queue to read or write. The first in the queue enters as soon as that is safe; there is no overtaking.

The properties, and the commands that check them::

    workbench check readers_writers                                    # everything holds
    workbench check readers_writers --set ReadersOvertake=true         # WritersWrite: the readers take turns for ever
    workbench check readers_writers --set WritersWaitForReaders=false  # WritersAreAlone: readers are ignored

The problem is due to Courtois, Heymans and Parnas, *Concurrent control with "readers" and "writers"*, CACM 14(10),
1971; the queue is as in DeFrain's specification in tlaplus/Examples.
"""

from typing import NamedTuple

from workbench.language import *

READ, WRITE = "read", "write"


class Request(NamedTuple):
    """A request that waits."""

    kind: str
    actor: str


class ReadersWriters(Model):
    """Readers and writers, admitted one after the other from a queue."""

    symmetry = ("Actors",)

    Actors = Constant(2, Names("a", range(1, 5)), "who reads and writes")
    ReadersOvertake = Constant(False, bool, "while somebody reads, other readers need not queue")
    WritersWaitForReaders = Constant(True, bool, "a writer is let in only when nobody reads any more")

    queue = Variable((), doc="who waits for what, the first to be served first")
    reading = Variable(False, per="Actors", doc="whether the actor reads")
    writing = Variable(False, per="Actors", doc="whether it writes")

    actor = Process(per="Actors", doc="wants to read, or to write, or both, as a program with several threads does")
    lock = Process(fair="weak", doc="lets in whoever is first")

    @action(actor)
    def ask_to_read(self, s, a):
        """Queue for reading."""
        self.ask(s, Request(READ, a))

    @action(actor)
    def ask_to_write(self, s, a):
        """Queue for writing."""
        self.ask(s, Request(WRITE, a))

    def ask(self, s, request):
        require(request not in s.queue, f"{request.actor} waits already")
        s.queue += (request,)

    @action(lock)
    def let_in(self, s):
        """Serve the first in the queue."""
        require(not any(s.writing.values()), "somebody writes")
        require(len(s.queue) > 0, "nobody waits")
        (kind, a), *others = s.queue
        if kind == READ:
            s.reading[a] = True
        else:
            require(not (self.WritersWaitForReaders and any(s.reading.values())), "somebody reads")
            s.writing[a] = True
        s.queue = tuple(others)

    @action(actor, when="ReadersOvertake")
    def overtake(self, s, a):
        """Join the readers, past all who wait."""
        require(not s.reading[a], f"{a} reads already")
        require(any(s.reading.values()), "nobody reads")
        s.reading[a] = True

    @action(actor, fair="weak")
    def stop(self, s, a):
        """Read or write no more."""
        if s.reading[a]:
            s.reading[a] = False
        else:
            require(s.writing[a], f"{a} neither reads nor writes")
            s.writing[a] = False

    @invariant(a="Actors", b="Actors")
    def WritersAreAlone(self, s, a, b):
        """During a write there are no readers and no other writers."""
        if s.writing[a] and s.reading[b]:
            return f"{a} writes while {b} reads"
        return a == b or not (s.writing[a] and s.writing[b]) or f"{a} and {b} write"

    @reachable
    def ManyRead(self, s):
        """All can read at a time."""
        return all(s.reading.values())

    @liveness(a="Actors")
    def ReadersRead(self, a):
        """A process that waits to read does so in the end."""
        return leads_to(lambda s: Request(READ, a) in s.queue, lambda s: s.reading[a])

    @liveness(a="Actors")
    def WritersWrite(self, a):
        """A process that waits to write does so in the end."""
        return leads_to(lambda s: Request(WRITE, a) in s.queue, lambda s: s.writing[a])
