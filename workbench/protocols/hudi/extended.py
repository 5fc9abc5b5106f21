"""Hudi, extended: early detection of conflicts, failures, rollbacks, lost answers, and the cleaner.

Each extension has a constant, whose default switches it off. With all defaults it is the published protocol, state by
state::

    workbench check hudi --set EarlyConflictDetection=true --set ConcurrencyControl=0    # no substitute for control
    workbench check hudi --set FailInAnyPhase=true --set LocksExpire=false               # a lock that stays
    workbench check hudi --set FailedWrites=1                                            # PublishedFilesExist
    workbench check hudi --set CleanUp=any                                               # PublishedFilesExist

Markers and heartbeats are not part of the state: they follow from the phases of the writers. ``specs/hudi/README.md``
discusses the results.
"""

from workbench.language import *
from workbench.protocols.hudi.model import Hudi, Stamp
from workbench.protocols.table.upkeep import CLEAN_UP, LOST_ANSWER_DELETES

KEEP, EAGER, LAZY = 0, 1, 2

#: The phases in which an operation's marker is there: set as it writes its slice, gone or ignored when it has ended.
MARKED = ("UpdateIndex", "OCC", "Commit")


class HudiExtended(Hudi):
    """Concurrent single-key operations on one copy-on-write table, and extensions that are off at first."""

    name = "hudi"

    EarlyConflictDetection = Constant(
        False, bool, "an operation that sees an earlier one's marker gives way before it writes"
    )
    MarkerLock = Constant(False, bool, "early detection looks for markers and sets its own in one step, under a lock")
    FailInAnyPhase = Constant(False, bool, "a writer may fail at any time; otherwise only just before its commit")
    LocksExpire = Constant(True, bool, "a failed writer's locks are released")
    FailedWrites = Constant(
        KEEP,
        {KEEP: "keep", EAGER: "eager", LAZY: "lazy"},
        "what a writer rolls back first: nothing, all not Completed (eager), or only that without a heartbeat (lazy)",
    )
    RereadTimeline = Constant(True, bool, "a lazy rollback looks at the timeline again after the heartbeats")

    LostAnswer = LOST_ANSWER_DELETES
    CleanUp = CLEAN_UP

    doomed = Variable(None, per="Writers", doc="the stamps that the writer is about to roll back")
    plan = Variable((), doc="the slices that the cleaner is about to delete")

    # Early detection of conflicts --------------------------------------------------------------------------------

    def announced(self, s, w):
        """Whether another operation, with a smaller timestamp, has a marker on the file group that `w` is to write."""
        group, ts = s.group[w], s.stamp[w].ts
        others = (v for v in self.Writers if v != w and s.phase[v] in MARKED)
        return any(s.group[v] == group and s.stamp[v].ts < ts for v in others)

    @action(Hudi.writer)
    def read_merge_target(self, s, w):
        """Read the latest slice of the file group into memory, and declare the operation Inflight.

        Early detection without a lock looks for markers here, before the slice is written.
        """
        super().read_merge_target(s, w)
        looks = self.EarlyConflictDetection and not self.MarkerLock and s.phase[w] != "Ready"
        if looks and self.announced(s, w):
            self.abort(s, w)

    @action(Hudi.writer)
    def write_file_slice(self, s, w):
        """Write a new slice: the rows read, with the key's row set or removed. Nobody reads it before the commit.

        Early detection under a lock looks for markers in this step, in which it sets its own.
        """
        if self.EarlyConflictDetection and self.MarkerLock and self.announced(s, w):
            return self.abort(s, w)
        super().write_file_slice(s, w)

    @reachable(when="EarlyConflictDetection")
    def SomeWriteIsSpared(self, s):
        """An operation can be given up Inflight, before it writes."""
        return self.all_ready(s) and any(
            s.inflight[stamp] and all(s.slices[group, *stamp] is None for group in self.file_groups)
            for stamp in self.stamps
        )

    # Failures ----------------------------------------------------------------------------------------------------

    @action(Hudi.writer, at=lambda m: None if m.FailInAnyPhase else "Commit", fair=False)
    def writer_fail(self, s, w):
        """Fail for ever: just before the commit, as published, or in any phase."""
        if self.FailInAnyPhase:
            require(s.phase[w] not in ("Ready", "Failed"), f"{w} is not at work")
        super().writer_fail(s, w)

    def release_locks(self, s, w):
        """As published; but locks that do not expire stay with a writer that has failed."""
        if s.phase[w] != "Failed" or self.LocksExpire:
            super().release_locks(s, w)

    # Rollbacks ---------------------------------------------------------------------------------------------------

    @action(Hudi.writer)
    def obtain_timestamp(self, s, w):
        """Begin an operation; if leftovers are rolled back, see first what there is."""
        if self.FailedWrites != KEEP:
            s.doomed[w] = self.leftovers(s)
        super().obtain_timestamp(s, w)

    def finish(self, s, w, phase):
        super().finish(s, w, phase)
        s.doomed[w] = None

    @action(Hudi.writer)
    def append_requested(self, s, w):
        """Roll back what was left over, and announce the operation on the timeline."""
        if self.FailedWrites != KEEP:
            self.roll_back(s, w)
        super().append_requested(s, w)

    def has_heartbeat(self, s, stamp):
        """Whether a writer works on the operation; an abort or failure is visible at once."""
        return any(s.stamp[w] == stamp for w in self.Writers)

    def leftovers(self, s):
        """The stamps of operations to roll back: not Completed, nor, if both are checked at once, at work."""
        pending = (x for x in self.stamps if x.ts <= s.started and self.on_timeline(s, x) and s.completed[x] is None)
        if self.FailedWrites == LAZY and self.RereadTimeline:
            pending = (stamp for stamp in pending if not self.has_heartbeat(s, stamp))
        return tuple(pending)

    def roll_back(self, s, w):
        """Delete the slices and the instants of the operations that were left over when `w` looked."""
        for stamp in s.doomed[w]:
            if self.FailedWrites == LAZY and not self.RereadTimeline and self.has_heartbeat(s, stamp):
                continue
            for group in self.file_groups:
                s.slices[group, *stamp] = None
            s.requested[stamp] = s.inflight[stamp] = False
        s.doomed[w] = None

    def can_follow(self, s, stamp, group, target):
        """Nobody can build on a slice that has been deleted, either."""
        return super().can_follow(s, stamp, group, target) and s.slices[group, *target] is not None

    def row(self, s, slice_id, key):
        """A slice that has been deleted has no rows."""
        return None if s.slices[slice_id] is None else super().row(s, slice_id, key)

    @invariant(
        stamp="stamps",
        when=lambda model: model.FailedWrites != KEEP or model.LostAnswer != "never" or model.CleanUp != "never",
    )
    def PublishedFilesExist(self, s, stamp):
        """What a Completed instant points at has not been deleted, unless a cleaner may have and it is replaced."""
        group = s.completed[stamp]
        if group is None or s.slices[group, *stamp] is not None or self.may_clean(s, group, stamp):
            return True
        return f"{self.describe((group, *stamp))} is published, and has been deleted"

    @reachable(when="FailedWrites")
    def SomeLeftoverIsRolledBack(self, s):
        """A rollback can find leftovers that include a file slice."""
        return any(
            s.slices[group, *stamp] is not None
            for w in self.Writers
            for stamp in s.doomed[w] or ()
            for group in self.file_groups
        )

    # Lost answers, and the cleaner -------------------------------------------------------------------------------

    @action(Hudi.writer, at="Commit", when=lambda model: model.LostAnswer != "never")
    def lose_answer(self, s, w):
        """Publish the slice, hear of an error, and delete the slice."""
        slice_id = (s.group[w], *s.stamp[w])
        self.append_commit(s, w)
        s.slices[slice_id] = None

    def may_clean(self, s, group, stamp):
        """Whether the cleaner takes a slice for one that nobody needs."""
        if s.completed[stamp] == group:
            return self.CleanUp != "never" and self.latest(s, group).ts > stamp.ts
        return self.CleanUp == "any" or not self.has_heartbeat(s, stamp)

    @action(when=lambda model: model.CleanUp != "never")
    def plan_clean(self, s):
        """Note what to delete, on the timeline as it is."""
        require(not s.plan, "a plan is under way")
        there = ((group, Stamp(*stamp)) for group, *stamp in self.slice_ids if s.slices[group, *stamp] is not None)
        s.plan = tuple((group, *stamp) for group, stamp in there if self.may_clean(s, group, stamp))
        require(len(s.plan) > 0, "there is nothing to clean")

    @action(when=lambda model: model.CleanUp != "never")
    def execute_clean(self, s):
        """Delete what was noted."""
        require(len(s.plan) > 0, "there is no plan")
        for slice_id in s.plan:
            s.slices[slice_id] = None
        s.plan = ()

    @invariant(key="Keys", ts="timestamps")
    def ConsistentRead(self, s, key, ts):
        """A read at any timestamp gives a key's row as the log of committed operations has it, and no other row.

        With a cleaner at the newest timestamp only, since it deletes what earlier ones need.
        """
        is_past = self.CleanUp != "never" and any(s.completed[stamp] for stamp in self.stamps if stamp.ts > ts)
        return is_past or super().ConsistentRead(s, key, ts)
