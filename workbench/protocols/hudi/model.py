"""Hudi: writers of a copy-on-write table that coordinate through its timeline, its file slices and, optionally, locks.

Each operation upserts or deletes one key. A writer gets a timestamp, announces the operation on the *timeline*
(Requested, then Inflight), merges its row into the latest *slice* of the key's *file group*, writes the result as a new
slice, and publishes it with a Completed instant. A reader at a timestamp sees, of each file group, the latest slice
that had been published by then. Five switches decide what goes wrong when two writers do this concurrently.

The properties, and the commands that check them::

    workbench check hudi                                # as the specification asks for: everything holds
    workbench check hudi --set ConcurrencyControl=none  # ConsistentRead: a slice without the other writer's row
    workbench check hudi --set MonotonicTs=false        # ConsistentRead: two operations share one timestamp
    workbench check specs/hudi/duplicate_key.toml       # NoDuplicateKeysAcrossFiles: a key in two file groups
    workbench check hudi --property OneTable            # what a table promises (table.py) is kept

``specs/hudi/README.md`` explains the protocol; ``extended.py`` adds early detection of conflicts, failures and
rollbacks, all off by default. Semantics after Vanlightly/table-formats-tlaplus (hudi/v5_spec/basic_cow, MIT licence).
"""

from typing import NamedTuple

from workbench.language import *
from workbench.protocols.table.model import Table, VersionedTable

NONE, OPTIMISTIC, PESSIMISTIC = 0, 1, 2
UPSERT, INSERT, UPDATE, DELETE = "Upsert", "Insert", "Update", "Delete"


class Stamp(NamedTuple):
    """The name of an operation's files: its timestamp, and its salt if salts are used."""

    ts: int
    salt: int | None


class Operation(NamedTuple):
    """A request to a writer. The value of a delete is not used."""

    type: str
    key: str
    value: str


class MergeSlice(NamedTuple):
    """The slice that an operation builds on, as it was when it was read into memory."""

    ts: int
    salt: int | None
    rows: Map


class Logged(NamedTuple):
    """A committed operation on a key."""

    type: str
    value: str
    ts: int


class Hudi(Model):
    """Concurrent single-key operations on one copy-on-write table."""

    name = "hudi_published"
    symmetry = ("Writers", "Keys", "Values")

    Writers = Constant(2, Names("w", range(1, 5)), "writers of the table")
    Keys = Constant(2, Names("k", range(1, 5)), "primary keys")
    Values = Constant(2, Names("v", range(1, 5)), "values that an upsert may write")
    FileGroupCount = Constant(1, range(1, 5), "file groups; a new key may go to any of them")
    OpLimit = Constant(2, range(1, 9), "operations that are started in a run, by all writers together")
    MonotonicTs = Constant(True, bool, "timestamps come from one monotonic provider; otherwise they may collide")
    ConcurrencyControl = Constant(
        OPTIMISTIC,
        {NONE: "none", OPTIMISTIC: "optimistic", PESSIMISTIC: "pessimistic"},
        "optimistic: a check before the commit, pessimistic: a lock for each file group",
    )
    PrimaryKeyConflictCheck = Constant(True, bool, "an insert gives way if its key was mapped to another file group")
    PutIfAbsentSupported = Constant(False, bool, "put-if-absent: writing a file whose name exists fails")
    UseSalt = Constant(False, bool, "file names carry a unique salt, so that equal timestamps do not collide in names")

    writer = Process(
        per="Writers", fair="weak", doc="carries out one operation after the other", pc="phase", start="Ready"
    )
    op = Variable(None, per="Writers", doc="the operation at work: its type, key and value")
    stamp = Variable(None, per="Writers", doc="the operation's timestamp and salt")
    group = Variable(None, per="Writers", doc="the file group that the operation goes to")
    merge = Variable(None, per="Writers", doc="the slice read into memory, None if the file group had none")
    started = Variable(0, doc="operations started so far; the last timestamp of the monotonic provider")
    requested = Variable(False, per="stamps", doc="the timeline: whether the Requested instant exists")
    inflight = Variable(False, per="stamps", doc="the timeline: whether the Inflight instant exists")
    completed = Variable(None, per="stamps", doc="the timeline: the file group of the slice published, if Completed")
    slices = Variable(None, per="slice_ids", doc="the rows of a file slice, key to value; None if it was never written")
    index = Variable(None, per="Keys", doc="the file group that a key is mapped to, None if it is not indexed")
    table_lock = Variable(None, doc="the writer that holds the table lock")
    group_lock = Variable(None, per="file_groups", doc="the writer that holds the file group's lock")
    log = Variable(None, per="log_entries", doc="a key's committed operations, in commit order", ghost=True)

    def validate(self) -> None:
        self.timestamps = tuple(range(1, self.OpLimit + 1))
        self.salts = tuple(range(self.OpLimit)) if self.UseSalt else (None,)
        self.file_groups = tuple(f"fg{i + 1}" for i in range(self.FileGroupCount))
        for name in {*self.Writers, *self.Keys, *self.Values}.intersection(self.file_groups):
            raise InputError(f"the name {name!r} is not accepted, since a file group has it; take another one")
        self.stamps = tuple(Stamp(ts, salt) for ts in self.timestamps for salt in self.salts)
        self.latest_first = self.stamps[::-1]
        self.slice_ids = tuple((group, *stamp) for group in self.file_groups for stamp in self.stamps)
        self.log_entries = tuple((key, i) for key in self.Keys for i in range(self.OpLimit))
        self.optimistic = self.ConcurrencyControl == OPTIMISTIC
        self.pessimistic = self.ConcurrencyControl == PESSIMISTIC

    def refused(self, exists):
        """Whether a file cannot be written because it `exists`; without PutIfAbsent it is overwritten."""
        return self.PutIfAbsentSupported and exists

    def latest(self, s, group, until=None):
        """The stamp of the latest slice of `group` published with a timestamp up to `until`; None if there is none."""
        stamps = (stamp for stamp in self.latest_first if until is None or stamp.ts <= until)
        return next((stamp for stamp in stamps if s.completed[stamp] == group), None)

    def history(self, s, key):
        """The committed operations on `key` with their places in its log, the last one first."""
        return ((i, s.log[key, i]) for i in reversed(range(self.OpLimit)) if s.log[key, i] is not None)

    # A writer's operation ----------------------------------------------------------------------------------------

    @action(writer, at="Ready", to="Request")
    def obtain_timestamp(self, s, w):
        """Begin an operation on some key, and get a timestamp for it."""
        started = s.started
        require(started < self.OpLimit, "all operations of the run have been started")
        key = choose(self.Keys, "key")
        value = choose(self.Values, "value")
        s.op[w] = Operation(choose((UPSERT, DELETE), "type"), key, value)
        ts = started + 1 if self.MonotonicTs else choose(range(1, self.last_timestamp(s) + 2), "ts")
        s.stamp[w] = Stamp(ts, started if self.UseSalt else None)
        s.started = started + 1

    def last_timestamp(self, s):
        """The largest timestamp on the timeline."""
        so_far = (stamp for stamp in self.latest_first if stamp.ts <= s.started)
        return next((stamp.ts for stamp in so_far if self.on_timeline(s, stamp)), 0)

    def on_timeline(self, s, stamp):
        """Whether there is an instant of any state."""
        return s.requested[stamp] or s.inflight[stamp] or s.completed[stamp] is not None

    @action(writer, at="Request", to="Lookup")
    def append_requested(self, s, w):
        """Announce the operation on the timeline."""
        stamp = s.stamp[w]
        if self.refused(s.requested[stamp]):
            return self.abort(s, w)
        s.requested[stamp] = True

    @action(writer, at="Lookup", to="Read")
    def key_lookup(self, s, w):
        """Look the key up in the index: it tells the file group, and an update from an insert."""
        op = s.op[w]
        group = s.index[op.key]
        if group is None and op.type == DELETE:
            return self.abort(s, w)
        if op.type == UPSERT:
            s.op[w] = op._replace(type=INSERT if group is None else UPDATE)
        s.group[w] = choose(self.file_groups, "group") if group is None else group

    @action(writer, at="Read", to="Write")
    def read_merge_target(self, s, w):
        """Read the latest slice of the file group into memory, and declare the operation Inflight."""
        group = s.group[w]
        if self.pessimistic:
            require(s.group_lock[group] is None, f"the lock of {group} is taken")
        stamp, target = s.stamp[w], self.latest(s, group)
        if target is not None and not self.can_follow(s, stamp, group, target):
            return self.abort(s, w)
        if self.refused(s.inflight[stamp]):
            return self.abort(s, w)
        if self.pessimistic:
            s.group_lock[group] = w
        s.inflight[stamp] = True
        s.merge[w] = None if target is None else MergeSlice(*target, s.slices[group, *target])

    def can_follow(self, s, stamp, group, target):
        """Whether the operation `stamp` can build on the slice `target`: only if that is an earlier one."""
        return target.ts < stamp.ts

    @action(writer, at="Write", to="UpdateIndex")
    def write_file_slice(self, s, w):
        """Write a new slice: the rows read, with the key's row set or removed. Nobody reads it before the commit."""
        slice_id = (s.group[w], *s.stamp[w])
        if self.refused(s.slices[slice_id] is not None):
            return self.abort(s, w)
        merge, op = s.merge[w], s.op[w]
        rows = Map() if merge is None else merge.rows
        s.slices[slice_id] = rows.without(op.key) if op.type == DELETE else rows.set(op.key, op.value)

    @action(writer, at="UpdateIndex", to=lambda m: "OCC" if m.optimistic else "Commit")
    def update_indexes(self, s, w):
        """Map the key to the file group. A deleted key stays indexed."""
        if self.optimistic:
            require(s.table_lock is None, "the table lock is taken")
        op, group = s.op[w], s.group[w]
        if op.type == INSERT and self.PrimaryKeyConflictCheck and s.index[op.key] not in (None, group):
            return self.abort(s, w)
        s.table_lock = w  # without optimistic control it is never read or freed: bookkeeping
        s.index[op.key] = group

    @action(writer, at="OCC", to="Commit", when=lambda model: model.optimistic)
    def optimistic_check(self, s, w):
        """Give way if a later slice of the file group than the one read has been published meanwhile."""
        merge, latest = s.merge[w], self.latest(s, s.group[w])
        if latest is not None and latest.ts > (0 if merge is None else merge.ts):
            return self.abort(s, w)

    @action(writer, at="Commit")
    def append_commit(self, s, w):
        """Publish the slice with a Completed instant."""
        stamp, op = s.stamp[w], s.op[w]
        if not self.refused(s.completed[stamp] is not None):
            s.completed[stamp] = s.group[w]
            last = next((i for i, _ in self.history(s, op.key)), -1)
            s.log[op.key, last + 1] = Logged(op.type, op.value, stamp.ts)
        self.finish(s, w, "Ready")

    @action(writer, at="Commit", fair=False)
    def writer_fail(self, s, w):
        """Fail for ever, with everything written but the Completed instant. The locks held expire."""
        self.finish(s, w, "Failed")

    def abort(self, s, w):
        """Give the operation up. What it has written stays."""
        self.finish(s, w, "Ready")

    def finish(self, s, w, phase):
        """Forget everything about the operation, and release the locks held."""
        s.op[w] = s.stamp[w] = s.group[w] = s.merge[w] = None
        s.phase[w] = phase
        self.release_locks(s, w)

    def release_locks(self, s, w):
        if self.optimistic and s.table_lock == w:
            s.table_lock = None
        if self.pessimistic:
            for group in self.file_groups:
                if s.group_lock[group] == w:
                    s.group_lock[group] = None

    # Properties --------------------------------------------------------------------------------------------------

    def expected(self, s, key, ts):
        """The row that the last operation on `key` committed up to timestamp `ts`; None for no row."""
        last = next((logged for _, logged in self.history(s, key) if logged.ts <= ts), None)
        return None if last is None or last.type == DELETE else last.value

    def readable(self, s, ts):
        """The slices that a read at `ts` sees: of each file group the latest one, or all that share its timestamp."""
        for group in self.file_groups:
            latest = self.latest(s, group, until=ts)
            if latest is not None:
                for salt in self.salts:
                    if s.completed[latest.ts, salt] == group:
                        yield (group, latest.ts, salt)

    def row(self, s, slice_id, key):
        """The row of `key` in a published slice; None if it is not there."""
        return s.slices[slice_id].get(key)

    @invariant(key="Keys", ts="timestamps")
    def ConsistentRead(self, s, key, ts):
        """A read at any timestamp gives a key's row as the log of committed operations has it, and no other row.

        Only timestamps with a Completed instant need a look: at another one the log and the readable slices are those
        of the last such timestamp before it.
        """
        if all(s.completed[ts, salt] is None for salt in self.salts):
            return True
        readable = [(slice_id, self.row(s, slice_id, key)) for slice_id in self.readable(s, ts)]
        expected = self.expected(s, key, ts)
        if {value for _, value in readable} - {None} == {expected} - {None}:
            return True
        rows = ", ".join(f"{value or 'no row'} in {self.describe(slice_id)}" for slice_id, value in readable)
        return Fault(
            f"{key} read at timestamp {ts}: expected {expected or 'no row'}; readable: {rows}",
            *(Place("completed", stamp) for stamp in self.stamps if stamp.ts == ts and s.completed[stamp] is not None),
            *(Place("slices", slice_id) for slice_id, _ in readable),
        )

    @invariant(key="Keys")
    def NoDuplicateKeysAcrossFiles(self, s, key):
        """A key is in published slices of one file group only."""
        if self.FileGroupCount == 1:
            return True
        first = None
        for stamp in self.stamps:
            group = s.completed[stamp]
            if group is None or (first is not None and first[0] == group):
                continue
            if self.row(s, (group, *stamp), key) is None:
                continue
            if first is not None:
                second = (group, *stamp)
                return Fault(
                    f"{key} is in {self.describe(first)} and in {self.describe(second)}, both published",
                    Place("slices", first, key),
                    Place("slices", second, key),
                )
            first = (group, *stamp)
        return True

    @step(slice_id="slice_ids", by_default=False)
    def PublishedSlicesStay(self, s, t, slice_id):
        """A slice that was published never changes: what readers have read is still there."""
        group, *stamp = slice_id
        if s.completed[tuple(stamp)] != group or unchanged(s, t, Place("slices", slice_id)):
            return True
        return Fault(f"{self.describe(slice_id)} is published, and is changed", Place("slices", slice_id))

    def describe(self, slice_id):
        group, ts, salt = slice_id
        return f"the slice of {group} with timestamp {ts}" + (f" and salt {salt}" if self.UseSalt else "")

    @reachable
    def SomeDeleteCommits(self, s):
        """A row can be removed."""
        return any(s.log[entry] is not None and s.log[entry].type == DELETE for entry in self.log_entries)

    @ends
    def ended(self, s):
        """Nobody is at work."""
        return all(s.phase[w] in ("Ready", "Failed") for w in self.Writers)

    def all_ready(self, s):
        """Nobody is at work, and nobody has failed: what is there without a Completed instant was given up."""
        return all(s.phase[w] == "Ready" for w in self.Writers)

    @reachable
    def SomeOperationAborts(self, s):
        """An operation can be given up: its instant is left behind, never Completed, though nobody works on it."""
        return self.all_ready(s) and any(s.requested[x] and s.completed[x] is None for x in self.stamps)

    @liveness(w="Writers")
    def EventuallyWriterTerminates(self, w):
        """An operation ends: the writer is Ready again, or has Failed."""
        return leads_to(
            lambda s: s.phase[w] not in ("Ready", "Failed"),
            lambda s: s.phase[w] in ("Ready", "Failed"),
        )

    # The promise of a table -------------------------------------------------------------------------------------

    def rows(self, s, key, until=None):
        """The rows of `key` that a read finds, at a timestamp or at the newest one."""
        values = (self.row(s, slice_id, key) for slice_id in self.readable(s, until))
        return tuple(sorted((value,) for value in values if value is not None))

    def acknowledged(self, s, key):
        """The effects of the committed operations on `key`."""
        values = (None if logged.type == DELETE else logged.value for _, logged in self.history(s, key))
        return tuple(values)[::-1]

    def as_table(self, s):
        return {
            "rows": {key: self.rows(s, key) for key in self.Keys},
            "acknowledged": {(key, "value"): self.acknowledged(s, key) for key in self.Keys},
        }

    @refines(Table, Keys="Keys", Values="Values", by_default=False)
    def OneTable(self, s):
        """The table that readers of the newest slices and writers with a Completed instant know.

        A write happens, and is acknowledged, when its Completed instant is there: until then an operation may abort, or
        its writer fail, and nobody is told otherwise. Operations that share a timestamp without a salt have one such
        instant; without PutIfAbsent the second one to write it is told that it has. Readers get the rows of every slice
        that a read without a timestamp finds, be they of two file groups or of two operations with one timestamp.
        """
        return self.as_table(s)

    @refines(VersionedTable, Keys="Keys", Values="Values", by_default=False)
    def OneHistory(self, s):
        """The same table, with a version for each timestamp that has a Completed instant, in the order of timestamps.

        That is how a reader asks for the past here. An instant that is Completed late puts its version before others.
        """
        stamps = {stamp.ts: None for stamp in self.stamps if s.completed[stamp] is not None}
        versions = tuple(Map((key, self.rows(s, key, until=ts)) for key in self.Keys) for ts in stamps)
        return {**self.as_table(s), "versions": versions}
