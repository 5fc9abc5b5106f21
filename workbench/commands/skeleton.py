"""SUMMARY."""

from typing import Any

from workbench.language import *


class Skeleton(Model):
    """Workers read a shared counter, and write it back with one more."""

    symmetry = ("Workers",)

    Workers = Constant(2, Names("w", range(1, 5)), "who takes part")
    UseLock = Constant(True, bool, "a worker holds a lock from its read to its write")

    counter = Variable(0, doc="what they share")
    holder = Variable(None, doc="who holds the lock")
    worker = Process(per="Workers", fair="weak", doc="reads, and then writes", start="Read")
    seen = Variable(0, per="Workers", doc="the counter as the worker has read it")

    @action(worker, at="Read", to="Write")
    def read(self, s: Any, w: str) -> None:
        """Read the counter."""
        if self.UseLock:
            require(s.holder is None, f"{s.holder} holds the lock")
            s.holder = w
        s.seen[w] = s.counter

    @action(worker, at="Write", to="Done")
    def write(self, s: Any, w: str) -> None:
        """Write it back, with one more."""
        s.counter = s.seen[w] + 1
        if self.UseLock:
            s.holder = None

    @invariant
    def NothingLost(self, s: Any) -> bool | str:
        """The counter is as high as writes were made."""
        done = sum(pc == "Done" for pc in s.pc.values())
        return s.counter == done or f"{done} workers have written, and the counter is {s.counter}"

    @ends
    def AllDone(self, s: Any) -> bool:
        """Where a behaviour may end; anywhere else it would be a deadlock."""
        return all(pc == "Done" for pc in s.pc.values())

    @reachable
    def EverybodyWrites(self, s: Any) -> bool:
        """It is possible that all workers get to the end."""
        return all(pc == "Done" for pc in s.pc.values())

    @liveness(w="Workers")
    def Finishes(self, w: str) -> Any:
        """Every worker is done in the end."""
        return eventually(lambda s: s.pc[w] == "Done")
