"""Delta Lake: writers of a copy-on-write table that publish their files in a log of numbered entries.

A transaction inserts, updates or deletes. It loads the log, merges its row into the *live* files that hold such rows,
writes the results as new files, and publishes them as the next entry of the log. If that number is taken, it looks for
a *conflict*: without one it tries the next number, otherwise it aborts.

The properties, and the commands that check them::

    workbench check delta                                       # the storage puts if absent: everything holds
    workbench check delta --set PutIfAbsentSupported=false      # ConsistentRead: an entry is overwritten
    workbench check specs/delta/coordination.toml               # a lock instead: everything holds
    workbench check specs/delta/lock_expires.toml               # ConsistentRead: two writers go by one lock
    workbench check delta --set CleanUp=any                     # PublishedFilesExist: VACUUM without a retention
    workbench check delta --property OneTable                   # what a table promises (table.py) is kept

``specs/delta/README.md`` explains the protocol. Semantics after Vanlightly/table-formats-tlaplus (delta-lake/basic_cow,
MIT licence). Six switches are ours, and are as published by default: from ReadVersionConflicts to CleanUp.
"""

from itertools import combinations
from typing import NamedTuple

from workbench.language import *
from workbench.protocols.table.model import Table, VersionedTable
from workbench.protocols.table.upkeep import CLEAN_UP, LOST_ANSWER, REMEMBER

INSERT, UPDATE, DELETE = "Insert", "Update", "Delete"


class File(NamedTuple):
    """The name of a data file."""

    number: int
    partition: str | None


class Row(NamedTuple):
    """A row of the table. Rows are a set: no two are equal."""

    column1: str
    column2: str


class Transaction(NamedTuple):
    """A request to a writer, and the version of the table that it reads. A delete sets no column 2."""

    read: int
    type: str
    column1: str
    column2: str | None


class Entry(NamedTuple):
    """An entry of the log: the names of the files that it adds and removes."""

    added: frozenset
    removed: frozenset


class Data(NamedTuple):
    """A data file that was written."""

    partition: str | None
    rows: frozenset


class Committed(NamedTuple):
    """A committed transaction, and the number of its entry."""

    transaction: Transaction
    version: int


class Delta(Model):
    """Concurrent transactions on one copy-on-write table."""

    symmetry = ("Writers", "Column1Values", "Column2Values")

    Writers = Constant(2, Names("w", range(1, 5)), "writers of the table")
    OpLimit = Constant(2, range(1, 7), "transactions that are started in a run, by all writers together")
    Column1Values = Constant(2, Names("k", range(1, 5)), "what rows are found by; several rows may share a value")
    Column2Values = Constant(2, Names("v", range(1, 4)), "what the other column may hold")
    PutIfAbsentSupported = Constant(True, bool, "put-if-absent: writing an entry whose number exists fails")
    UseCoordination = Constant(False, bool, "a writer takes the table lock and looks at the log before it commits")
    PartitionByColumn1 = Constant(True, bool, "a file belongs to one value of column 1, and others do not conflict")
    ReadVersionConflicts = Constant(True, bool, "the entry that was read last counts as a conflict, as published")
    LockExpires = Constant(False, bool, "the table lock may become free while its holder is still at work")
    BlindAppends = Constant(False, bool, "an insert into a new file conflicts with nothing")
    LostAnswer = LOST_ANSWER
    Remember = REMEMBER
    CleanUp = CLEAN_UP

    writer = Process(
        per="Writers", fair="weak", doc="carries out one transaction after the other", pc="phase", start="Ready"
    )
    transaction = Variable(None, per="Writers", doc="the transaction at work")
    snapshot = Variable((), per="Writers", doc="the log as it was loaded")
    targets = Variable(frozenset(), per="Writers", doc="the files to merge with; an insert may name a new one")
    version = Variable(None, per="Writers", doc="the number of the entry that the writer is going to write")
    added = Variable(frozenset(), per="Writers", doc="the new files")
    removed = Variable(frozenset(), per="Writers", doc="the files that they replace")
    started = Variable(0, doc="transactions started so far")
    lock = Variable(None, doc="the writer that holds the table lock")
    log = Variable(None, per="versions", doc="the entry of this number; None if it was never written")
    files = Variable(None, per="numbers", doc="the data file of this number; None if it was never written")
    gone = Variable(frozenset(), doc="the numbers of the files that have been deleted")
    committed = Variable((), per="Column1Values", doc="the committed transactions, in commit order", ghost=True)

    def validate(self) -> None:
        entries = 2 * self.OpLimit if self.LostAnswer == "retry" else self.OpLimit
        self.versions = tuple(range(1, entries + 1))
        # The first transaction to write has one target; a later one has, at most, all the files that there are.
        self.numbers = tuple(range(1, 2 ** (self.OpLimit - 1) + 1))
        self.partitions = {value: value if self.PartitionByColumn1 else None for value in self.Column1Values}

    def latest(self, s):
        """The number of the last entry; 0 without any."""
        return next((v - 1 for v in self.versions if s.log[v] is None), len(self.versions))

    def entries(self, s, until):
        """The entries up to the number `until`."""
        return tuple(s.log[v] for v in range(1, until + 1))

    def file_count(self, s):
        return next((n - 1 for n in self.numbers if s.files[n] is None), len(self.numbers))

    def exists(self, s, file):
        """Whether a file of this name has been written."""
        data = s.files[file.number] if file.number in self.numbers else None
        return data is not None and data.partition == file.partition

    # A writer's transaction --------------------------------------------------------------------------------------

    @action(writer, at="Ready", to="Read")
    def start(self, s, w):
        """Begin a transaction, and load the log."""
        require(s.started < self.OpLimit, "all transactions of the run have been started")
        type = choose((INSERT, UPDATE, DELETE), "type")
        column1 = choose(self.Column1Values, "column1")
        column2 = None if type == DELETE else choose(self.Column2Values, "column2")
        read = self.latest(s)
        s.transaction[w] = Transaction(read, type, column1, column2)
        s.snapshot[w] = self.entries(s, read)
        s.version[w] = read + 1
        s.started += 1

    @action(writer, at="Read", to="Write")
    def read(self, s, w):
        """Find the live files to merge with: those that hold the rows, or any one for an insert, or a new one."""
        asked = s.transaction[w]
        partition = self.partitions[asked.column1]
        live = [file for file in sorted(live_files(s.snapshot[w])) if file.partition == partition]
        if asked.type == INSERT:
            s.targets[w] = frozenset({choose([*live, *self.new_names(s, partition)], "target")})
            return
        s.targets[w] = frozenset(
            file for file in live if any(row.column1 == asked.column1 for row in s.files[file.number].rows)
        )
        if not s.targets[w]:
            self.end(s, w)

    def new_names(self, s, partition):
        """The names that an insert may choose for a file that is not there. It is written with the next free number."""
        names = (File(number, partition) for number in range(max(1, self.file_count(s)) + 1))
        return [file for file in names if not self.exists(s, file)]

    @action(writer, at="Write", to=lambda m: "VersionCheck" if m.UseCoordination else "Commit")
    def write(self, s, w):
        """Merge the transaction into each target, and write the results as new files, which nobody reads yet."""
        asked, targets = s.transaction[w], sorted(s.targets[w])
        read = live_files(s.snapshot[w])
        if any(file.number in s.gone for file in read.intersection(targets)):
            return self.end(s, w)
        s.removed[w] = frozenset(file for file in targets if self.exists(s, file))
        added = []
        for number, file in enumerate(targets, self.file_count(s) + 1):
            rows = s.files[file.number].rows if file in read else frozenset()
            s.files[number] = Data(file.partition, merged(rows, asked))
            added.append(File(number, file.partition))
        s.added[w] = frozenset(added)

    @action(writer, at="VersionCheck", to="Commit", when="UseCoordination")
    def check_version(self, s, w):
        """Take the lock if the version is still free; otherwise look for a conflict, and try the next version."""
        require(s.lock is None, "the table lock is taken")
        if s.version[w] <= self.latest(s):
            return self.try_again(s, w, "VersionCheck")
        s.lock = w

    @action(writer, at="Commit", to="Ready")
    def commit(self, s, w):
        """Write the entry, or overwrite the one that is there; with put-if-absent look for a conflict instead."""
        s.lock = None  # whoever holds it: as published
        if not (self.Remember == "id" and self.is_written(s, w)):
            if self.refused(s, w):
                return self.try_again(s, w, s.phase[w])
            self.write_entry(s, w)
        self.forget(s, w)

    def refused(self, s, w):
        return self.PutIfAbsentSupported and s.log[s.version[w]] is not None

    def write_entry(self, s, w):
        asked, version = s.transaction[w], s.version[w]
        s.log[version] = Entry(s.added[w], s.removed[w])
        s.committed[asked.column1] += (Committed(asked, version),)

    def is_written(self, s, w):
        """Whether the log has the transaction's entry. No other one adds its files."""
        return Entry(s.added[w], s.removed[w]) in self.entries(s, self.latest(s))

    @action(writer, at="Commit", to="Retry", when=lambda model: model.LostAnswer != "never")
    def lose_answer(self, s, w):
        """Write the entry, and hear of an error: delete the new files, or go on to commit again.

        With Remember a writer that is about to delete looks first, and finds the entry.
        """
        require(not self.refused(s, w), "put-if-absent refuses the entry")
        self.write_entry(s, w)
        if self.LostAnswer == "delete":
            s.gone |= {file.number for file in s.added[w] if self.Remember == "none"}
            s.lock = None
            self.end(s, w)

    @action(writer, at="Retry", to="Ready", when=lambda model: model.LostAnswer == "retry")
    def commit_again(self, s, w):
        """Commit as before. This answer arrives."""
        self.commit(s, w)

    def try_again(self, s, w, phase):
        """Abort on a conflict, or go on at `phase` for the next version."""
        if self.conflict(s, w):
            self.end(s, w)
        else:
            s.version[w] = self.latest(s) + 1
            s.phase[w] = phase

    def conflict(self, s, w):
        """Whether the transaction's part of the table has changed since it read."""
        if self.BlindAppends and not s.removed[w]:
            return False
        if not self.PartitionByColumn1:
            return True
        asked = s.transaction[w]
        first = asked.read if self.ReadVersionConflicts else asked.read + 1
        return any(
            file.partition == asked.column1
            for version in range(max(1, first), self.latest(s) + 1)
            for file in s.log[version].added | s.log[version].removed
        )

    @action(writer, at="Commit", to="Failed", fair=False)
    def fail(self, s, w):
        """Fail for ever, with everything written but the entry. A lock that is held becomes free."""
        if s.lock == w:
            s.lock = None
        self.forget(s, w)

    def end(self, s, w):
        """Give the transaction up. The files that it has written stay."""
        self.forget(s, w)
        s.phase[w] = "Ready"

    def forget(self, s, w):
        """Forget everything about the transaction."""
        s.transaction[w] = s.version[w] = None
        s.snapshot[w] = ()
        s.targets[w] = s.added[w] = s.removed[w] = frozenset()

    @action(when=lambda model: model.UseCoordination and model.LockExpires)
    def lock_expires(self, s):
        """The lock becomes free; its holder does not notice."""
        require(s.lock is not None, "the table lock is free")
        s.lock = None

    @action(when=lambda model: model.CleanUp != "never")
    def vacuum(self, s):
        """Delete the files that the last version does not have: the old ones, or also those of transactions at work."""
        needed = {file.number for file in live_files(self.entries(s, self.latest(s)))}
        if self.CleanUp == "old":
            needed |= {file.number for w in self.Writers for file in s.added[w]}
        unneeded = frozenset(range(1, self.file_count(s) + 1)) - needed - s.gone
        require(bool(unneeded), "the last version has all files")
        s.gone |= unneeded

    # Properties --------------------------------------------------------------------------------------------------

    def values(self, s, column1, version):
        """The values of column 2 that a read at `version` finds beside a value of column 1."""
        rows = (row for file in live_files(self.entries(s, version)) for row in s.files[file.number].rows)
        return frozenset(row.column2 for row in rows if row.column1 == column1)

    def history(self, s, column1, version):
        """The values that should be beside a value of column 1, after each transaction committed up to `version`."""
        values, value_sets = frozenset(), []
        for asked, number in s.committed[column1]:
            if number <= version:
                values = replayed(values, asked)
                value_sets.append(values)
        return value_sets

    def expected(self, s, column1, version):
        """The values that a read at `version` should find."""
        return next(reversed(self.history(s, column1, version)), frozenset())

    @invariant(column1="Column1Values", version="versions")
    def ConsistentRead(self, s, column1, version):
        """A read at any version finds the rows that the committed transactions up to this version have left."""
        if s.log[version] is None:
            return True
        values = self.values(s, column1, version)
        expected = self.expected(s, column1, version)
        return values == expected or Fault(
            f"{column1} read at version {version}: expected {words(expected)}; the live files hold {words(values)}",
            Place("log", version),
            *(Place("files", file.number) for file in sorted(live_files(self.entries(s, version)))),
        )

    @invariant(version="versions")
    def ValidDeltaLog(self, s, version):
        """No entry adds and removes the same file."""
        entry = s.log[version]
        both = entry is not None and sorted(entry.added & entry.removed)
        return not both or Fault(f"entry {version} adds and removes file {both[0].number}", Place("log", version))

    @invariant(when=lambda model: model.LostAnswer == "delete" or model.CleanUp != "never")
    def PublishedFilesExist(self, s):
        """No file of the last version has been deleted."""
        lost = [file for file in sorted(live_files(self.entries(s, self.latest(s)))) if file.number in s.gone]
        return not lost or Fault(
            f"the last version has file {lost[0].number}, which has been deleted",
            *(Place("files", file.number) for file in lost),
        )

    @invariant(when=lambda model: model.LostAnswer == "retry")
    def CommittedOnce(self, s):
        """No transaction has two entries."""
        entries = self.entries(s, self.latest(s))
        twice = [v for v, entry in enumerate(entries, 1) if entry in entries[: v - 1]]
        return not twice or Fault(f"entry {twice[0]} is of a transaction that had one", Place("log", twice[0]))

    @reachable
    def SomeDeleteCommits(self, s):
        """Rows can be removed."""
        return any(commit.transaction.type == DELETE for value in self.Column1Values for commit in s.committed[value])

    @reachable(when=lambda model: model.PutIfAbsentSupported or model.UseCoordination)
    def SomeConflictAborts(self, s):
        """A transaction can be given up after it has written: nobody is at work, and no entry names its file."""
        if any(s.phase[w] != "Ready" for w in self.Writers):
            return False
        named = {file for entry in self.entries(s, self.latest(s)) for file in entry.added}
        return self.file_count(s) > len(named)

    @reachable(
        when=lambda model: (
            (model.PutIfAbsentSupported or model.UseCoordination)
            and model.PartitionByColumn1
            and len(model.Column1Values) > 1
        )
    )
    def SomeRetryCommits(self, s):
        """A transaction can be committed after one that it has not read: that one was in another partition."""
        commits = (commit for value in self.Column1Values for commit in s.committed[value])
        return any(commit.version > commit.transaction.read + 1 for commit in commits)

    @ends
    def ended(self, s):
        """Nobody is at work."""
        return all(s.phase[w] in ("Ready", "Failed") for w in self.Writers)

    @liveness(w="Writers")
    def EventuallyCompletes(self, w):
        """A transaction ends: the writer is Ready again, or has Failed."""
        return leads_to(
            lambda s: s.phase[w] not in ("Ready", "Failed"),
            lambda s: s.phase[w] in ("Ready", "Failed"),
        )

    # The promise of a table -------------------------------------------------------------------------------------

    def contents(self):
        """What a table of one row for each value of column 1 may hold there: values of column 2."""
        sizes = range(1, len(self.Column2Values) + 1)
        return [content(some) for size in sizes for some in combinations(self.Column2Values, size)]

    def rows(self, s, column1, version):
        """The rows that a read finds, as one row."""
        values = self.values(s, column1, version)
        return ((content(values),),) if values else ()

    def as_table(self, s):
        histories = {value: tuple(map(content, self.history(s, value, self.OpLimit))) for value in self.Column1Values}
        return {
            "rows": {value: self.rows(s, value, self.latest(s)) for value in self.Column1Values},
            "acknowledged": {(value, "value"): histories[value] for value in self.Column1Values},
        }

    @refines(Table, Keys="Column1Values", Values="contents", by_default=False)
    def OneTable(self, s):
        """The table that readers of the last entry and writers with an entry know.

        A table has one row for each key, so the rows that share a value of column 1 count as one. A write happens, and
        is acknowledged, when its entry is written; where nothing prevents it, also when it takes the place of another.
        """
        return self.as_table(s)

    @refines(VersionedTable, Keys="Column1Values", Values="contents", by_default=False)
    def OneHistory(self, s):
        """The same table, with a version for each entry."""
        read = (Map((key, self.rows(s, key, v)) for key in self.Column1Values) for v in range(1, self.latest(s) + 1))
        return {**self.as_table(s), "versions": tuple(read)}


def live_files(entries):
    """The files that some of `entries` has added, and no later one has removed."""
    live = frozenset()
    for entry in entries:
        live = (live - entry.removed) | entry.added
    return live


def merged(rows, asked):
    """The rows of a file after a transaction."""
    others = frozenset(row for row in rows if row.column1 != asked.column1)
    if asked.type == DELETE:
        return others
    return (rows if asked.type == INSERT else others) | {Row(asked.column1, asked.column2)}


def replayed(values, asked):
    """The values of column 2 after a transaction on their value of column 1."""
    if asked.type == INSERT:
        return values | {asked.column2}
    return frozenset({asked.column2}) if asked.type == UPDATE and values else frozenset()


def content(values):
    """The name of a set of values; None for the empty one."""
    return "_and_".join(sorted(values)) or None


def words(values):
    return " and ".join(sorted(values)) or "no row"
