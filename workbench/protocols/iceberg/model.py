"""Iceberg: writers of a table whose snapshots a catalog swaps, with data files and position deletes.

An operation inserts a row, or updates or deletes those that a predicate finds. It reads the snapshot that was current
when it started, writes new files, checks what has been committed since (*validation*), prepares the next list of
snapshots, and has the catalog swap it for the current one. If that has changed meanwhile, it validates again.

The properties, and the commands that check them::

    workbench check iceberg                                         # everything holds
    workbench check specs/iceberg/blind_swap.toml                   # LinearCommits: a swap that does not compare
    workbench check specs/iceberg/update_and_delete.toml            # ConsistentRead: a row that was deleted comes back
    workbench check specs/iceberg/update_and_delete_repaired.toml   # deletes look for deletes: everything holds

``specs/iceberg/README.md`` explains the protocol. ``bakery/catalog.py`` is another thing: the table that the bakery
guards, of which only the order of commits counts. Semantics after Vanlightly/table-formats-tlaplus (iceberg, MIT
licence); DeleteChecksDeletes, CatalogSwap, Validate and the constants of clean-up are ours.
"""

from typing import NamedTuple

from workbench.language import *
from workbench.protocols.table.model import Table, VersionedTable
from workbench.protocols.table.upkeep import CLEAN_UP, LOST_ANSWER, REMEMBER

#: What an operation is to a user; a compaction has no predicate, and changes no row.
INSERT, UPDATE, DELETE, COMPACT = "Insert", "Update", "Delete", "Compact"
#: What a snapshot says that it does to the data files.
APPEND, OVERWRITE, REPLACE = "append", "overwrite", "replace"
COW, MOR = "copy-on-write", "merge-on-read"
COLUMNS = (1, 2)
IDLE = ("Ready", "Committed", "Aborted")


class Row(NamedTuple):
    """A row; as a predicate or an update, None leaves a column open."""

    col1: str | None = None
    col2: str | None = None
    col3: str | None = None


class Snapshot(NamedTuple):
    """A version of the table.

    Data and delete files stand with their sequence number, that of the snapshot that added them; `least` is the least
    one of the data files that this snapshot found.
    """

    id: int
    kind: str
    added: frozenset
    removed: frozenset
    data: frozenset
    deletes: frozenset
    least: int


class Operation(NamedTuple):
    """An operation at work, with what it has read and written so far."""

    type: str
    view: Snapshot | None
    predicate: Row = Row()
    new: Row = Row()
    record: tuple = ()
    replaces: tuple = ()
    refers: tuple = ()
    rows: tuple = ()
    positions: frozenset = frozenset()
    added: frozenset = frozenset()
    deletes: frozenset = frozenset()
    prepared: tuple | None = None
    lost: bool = False


class Logged(NamedTuple):
    """A value that was committed to a column of a key."""

    version: int
    value: str | None


class Iceberg(Model):
    """Concurrent operations on one table with snapshots."""

    symmetry = ("Writers", "Col1", "Col2", "Col3")

    Writers = Constant(2, Names("w", range(1, 4)), "writers of the table")
    MaxWriteOps = Constant(2, range(1, 6), "inserts, updates and deletes that are started in a run")
    MaxCompactions = Constant(1, range(0, 4), "compactions that are started in a run")
    Col1 = Constant(["jack"], Names("key", range(1, 5)), "keys: no two rows with one key are inserted")
    Col2 = Constant(["red", "blue"], Names("colour", range(1, 5)), "values of column 2")
    Col3 = Constant(["A"], Names("grade", range(1, 5)), "values of column 3")
    CatalogSwap = Constant("cas", ("cas", "blind"), "the catalog swaps only what the commit was built on, or blindly")
    DeleteChecksDeletes = Constant(True, bool, "merge-on-read deletes fail if others have deleted, as updates do")
    Validate = Constant(True, bool, "a commit checks what has been committed since the operation started")
    Isolation = Constant("snapshot", ("snapshot", "serializable"), "serializable: new data makes a change fail, too")
    UpdateMode = Constant(MOR, {COW: "cow", MOR: "mor"}, "updates write whole files, or positions and new rows")
    DeleteMode = Constant(MOR, {COW: "cow", MOR: "mor"}, "deletes write whole files, or positions")
    AllowUpdates = Constant(True, bool, "writers update")
    AllowDeletes = Constant(True, bool, "writers delete")
    LostAnswer = LOST_ANSWER
    Remember = REMEMBER
    CleanUp = CLEAN_UP

    writer = Process(per="Writers", doc="carries out one operation after the other", pc="phase", start="Ready")
    op = Variable(None, per="Writers", doc="the operation at work")
    files = Variable((), doc="the rows of each data file, in the order of writing; None if it has been deleted")
    delete_files = Variable((), doc="the positions in data files that each delete file names; None if it is gone")
    snapshots = Variable((), doc="the table's metadata: its snapshots, the current one last")
    ids = Variable(0, doc="snapshots prepared so far")
    expired = Variable(0, doc="the newest version that has expired")
    tag = Variable(None, doc="the version that has a tag")
    versions = Variable((), doc="the first snapshot that was committed as each version", ghost=True)
    log = Variable((), per="fields", doc="what was committed to a column of a key, in order", ghost=True)
    pending = Variable(frozenset(), doc="the keys whose insert is under way, or was given up", ghost=True)
    write_ops = Variable(0, doc="inserts, updates and deletes started so far", ghost=True)
    compactions = Variable(0, doc="compactions started so far", ghost=True)
    aborts = Variable(0, doc="operations that validation has stopped", ghost=True)

    def validate(self) -> None:
        self.fields = tuple((key, c) for key in self.Col1 for c in COLUMNS)
        #: For each value the row that holds it alone: a predicate, or what an update sets. No value is in two columns.
        self.only = {key: Row(col1=key) for key in self.Col1}
        self.only |= {value: Row(col2=value) for value in self.Col2} | {value: Row(col3=value) for value in self.Col3}

    # What readers find -------------------------------------------------------------------------------------------

    def live(self, s, snapshot, file, sequence, predicate):
        """The places of a data file's live rows that match."""
        struck = {p for d, since in snapshot.deletes if since >= sequence for p in s.delete_files[d - 1] or ()}
        rows = s.files[file - 1] or ()
        return [i for i, row in enumerate(rows) if (file, i) not in struck and matches(row, predicate)]

    def matching(self, s, snapshot, predicate):
        """The data files with live rows that match, each with their places."""
        files = [] if snapshot is None else sorted(snapshot.data)
        return [(f, places) for f, since in files if (places := self.live(s, snapshot, f, since, predicate))]

    def rows_of(self, s, snapshot, predicate):
        return tuple(s.files[f - 1][i] for f, places in self.matching(s, snapshot, predicate) for i in places)

    def current(self, s):
        return s.snapshots[-1] if s.snapshots else None

    def recorded(self, s, version, key, c):
        """The value of a key's column at a version, as the log has it."""
        value = None
        for logged in s.log[key, c]:
            if logged.version > version:
                break
            value = logged.value
        return value

    def count(self, s, predicate):
        """How many recorded rows match."""
        rows = (Row(key, *(self.recorded(s, len(s.snapshots), key, c) for c in COLUMNS)) for key in self.Col1)
        return sum(row.col2 is not None and matches(row, predicate) for row in rows)

    # Starting ----------------------------------------------------------------------------------------------------

    def begin_write(self, s, w, phase, operation):
        s.write_ops += 1
        s.phase[w], s.op[w] = phase, operation

    def may_write(self, s, w):
        require(s.phase[w] in IDLE, f"{w} is at work")
        require(s.write_ops < self.MaxWriteOps, "all write operations of the run have been started")

    @action(writer, key="Col1")
    def start_insert(self, s, w, key):
        """Begin to insert a key that the table does not have."""
        self.may_write(s, w)
        require(key not in s.pending and self.count(s, Row(key)) == 0, f"{key} exists, or is being inserted")
        row = Row(key, choose(self.Col2, "col2"), choose(self.Col3, "col3"))
        s.pending |= {key}
        self.begin_write(s, w, "Write", Operation(INSERT, self.current(s), new=row, record=(row,), rows=((row,),)))

    @action(writer, when="AllowDeletes")
    def start_delete(self, s, w):
        """Begin to delete the rows that match."""
        self.may_write(s, w)
        where = choose([value for value, predicate in self.only.items() if self.count(s, predicate)], "where")
        self.begin_write(s, w, "Read", Operation(DELETE, self.current(s), self.only[where]))

    @action(writer, when="AllowUpdates")
    def start_update(self, s, w):
        """Begin to change a column of the rows that match."""
        self.may_write(s, w)
        where = choose([value for value in self.only if self.may_set(s, value)], "where")
        new = choose(self.may_set(s, where), "set")
        self.begin_write(s, w, "Read", Operation(UPDATE, self.current(s), self.only[where], self.only[new]))

    def may_set(self, s, where):
        """The values that an update of the matching rows may set: they change how many rows match."""
        predicate = self.only[where]
        matching = self.count(s, predicate)
        values = [value for value in (*self.Col2, *self.Col3) if value != where] if matching else []
        return [value for value in values if self.count(s, changed(predicate, self.only[value])) != matching]

    @action(writer, when="MaxCompactions")
    def start_compaction(self, s, w):
        """Begin to write all rows into one file."""
        require(s.phase[w] in IDLE, f"{w} is at work")
        require(s.compactions < self.MaxCompactions, "all compactions of the run have been started")
        require(len(s.snapshots) > 0, "the table has no snapshot")
        s.compactions += 1
        s.phase[w], s.op[w] = "Read", Operation(COMPACT, self.current(s))

    # Reading and writing -----------------------------------------------------------------------------------------

    def mode(self, op):
        """How an operation changes rows; None for an insert."""
        return {UPDATE: self.UpdateMode, DELETE: self.DeleteMode, COMPACT: COW, INSERT: None}[op.type]

    @action(writer, at="Read", to="Write", fair="weak")
    def read(self, s, w):
        """Read the snapshot of the start: the files to rewrite, or the positions of the rows and their new versions."""
        op = s.op[w]
        if self.is_unreadable(s, op):
            self.abort(s, w)
            return
        matching = self.matching(s, op.view, op.predicate)
        names = tuple(f for f, _ in matching)
        if self.mode(op) == MOR:
            rows = [s.files[f - 1][i] for f, places in matching for i in places]
            s.op[w] = op._replace(
                refers=names,
                positions=frozenset((f, i) for f, places in matching for i in places),
                rows=(tuple(changed(row, op.new) for row in rows),) if op.type == UPDATE else (),
                record=tuple(after(op, row) for row in rows),
            )
        elif op.type == COMPACT:
            s.op[w] = op._replace(replaces=names, rows=(self.rows_of(s, op.view, Row()),))
        else:
            files = [s.files[f - 1] for f in names]
            s.op[w] = op._replace(
                replaces=names,
                rows=tuple(rewritten(op, rows) for rows in files),
                record=tuple(after(op, row) for rows in files for row in rows if matches(row, op.predicate)),
            )

    @action(writer, at="Write", to="Validate", fair="weak")
    def write(self, s, w):
        """Write the data files, and for merge-on-read a delete file."""
        op, first = s.op[w], len(s.files) + 1
        added, deletes = frozenset(range(first, first + len(op.rows))), frozenset()
        s.files += op.rows
        if self.mode(op) == MOR:
            s.delete_files += (op.positions,)
            deletes = frozenset({len(s.delete_files)})
        s.op[w] = op._replace(rows=(), added=added, deletes=deletes)

    def is_unreadable(self, s, op):
        """Whether the snapshot of the start has expired, with a data file of it."""
        return self.since(s, op) <= s.expired and None in [s.files[f - 1] for f, _ in op.view.data]

    def abort(self, s, w):
        s.phase[w], s.op[w] = "Aborted", None
        s.aborts += 1

    # Validation and commit ---------------------------------------------------------------------------------------

    def since(self, s, op):
        """The number of snapshots up to the one that the operation has read, if that is still there."""
        if op.view is None:
            return len(s.snapshots)
        return next((i for i, snapshot in enumerate(s.snapshots, 1) if snapshot.id == op.view.id), len(s.snapshots))

    def invalid(self, s, op):
        """Whether what was committed since the start stands against the operation."""
        since = self.since(s, op)
        later = s.snapshots[max(since, s.expired) :]
        adds_data = any(snapshot.kind != REPLACE and snapshot.added for snapshot in later)
        new = {
            d
            for snapshot in later
            if snapshot.kind == OVERWRITE
            for d, sequence in snapshot.deletes
            if sequence > since
        }
        if op.type == INSERT:
            return False
        if since < s.expired:  # one in between is gone, and nobody can tell what it has changed
            return True
        if self.mode(op) == MOR:
            gone = any(f in op.refers for snapshot in later for f, _ in snapshot.removed)
            checks_deletes = op.type == UPDATE or self.DeleteChecksDeletes
            return gone or (checks_deletes and bool(new)) or (self.Isolation == "serializable" and adds_data)
        current = self.current(s)
        there = {f for f, _ in current.data} if current else set()
        struck = any(f in op.replaces for d in new for f, _ in s.delete_files[d - 1] or ())
        serial = self.Isolation == "serializable" and op.type != COMPACT and adds_data
        return struck or serial or not there.issuperset(op.replaces)

    @action(writer, at="Validate", to="Commit", fair="weak")
    def validate_and_prepare(self, s, w):
        """Abort if others stand against it; otherwise prepare the list with one more snapshot."""
        op, current, sequence = s.op[w], self.current(s), len(s.snapshots) + 1
        if self.Remember == "id" and self.is_published(s, op):
            s.phase[w], s.op[w] = "Committed", None
            return
        if self.Validate and self.invalid(s, op):
            self.abort(s, w)
            return
        data, deletes = (current.data, current.deletes) if current else (frozenset(), frozenset())
        gone = frozenset(entry for entry in data if entry[0] in op.replaces)
        needed = min(sequence, current.least) if current else sequence
        seen = data | current.removed if data else ()
        snapshot = Snapshot(
            id=s.ids + 1,
            kind={INSERT: APPEND, COMPACT: REPLACE}.get(op.type, OVERWRITE),
            added=op.added,
            removed=gone,
            data=data - gone | {(f, sequence) for f in op.added},
            deletes=frozenset(entry for entry in deletes if entry[1] >= needed) | {(d, sequence) for d in op.deletes},
            least=min([sequence, *(since for _, since in seen)]),
        )
        s.ids += 1
        s.op[w] = op._replace(prepared=(*s.snapshots, snapshot))

    def swaps(self, s, op):
        """Whether the catalog accepts the prepared list."""
        return self.CatalogSwap == "blind" or op.prepared[:-1] == s.snapshots

    def publish(self, s, op):
        """Put the prepared list in place of the current one, and record what the operation has changed."""
        version = len(op.prepared)
        s.snapshots = op.prepared
        for key, *values in op.record:
            for c, value in zip(COLUMNS, values, strict=True):
                if op.type != UPDATE or op.new[c] is not None:
                    s.log[key, c] += (Logged(version, value),)
        if op.type == INSERT:
            s.pending -= {op.new.col1}
        if version > len(s.versions):
            s.versions += (op.prepared[-1],)

    @action(writer, at="Commit", fair="weak")
    def commit(self, s, w):
        """Have the catalog swap the list; if the table has changed, validate again."""
        op = s.op[w]
        if self.swaps(s, op):
            self.publish(s, op)
            s.phase[w], s.op[w] = "Committed", None
        else:
            s.phase[w], s.op[w] = "Validate", op._replace(prepared=None)

    # Lost answers, and clean-up ----------------------------------------------------------------------------------

    @action(writer, at="Commit", when=lambda model: model.LostAnswer != "never")
    def lose_answer(self, s, w):
        """The catalog swaps, and the writer hears of an error: it deletes its files, or goes on to commit them again.

        With Remember a writer that is about to delete looks first, and finds its snapshot.
        """
        op = s.op[w]
        require(self.swaps(s, op), "the catalog refuses")
        require(not op.lost, "an answer of this operation was lost")
        self.publish(s, op)
        if self.LostAnswer == "retry":  # the log has the write already: to its user, committing again adds nothing
            s.phase[w], s.op[w] = "Validate", op._replace(prepared=None, record=(), lost=True)
        elif self.Remember == "id":
            s.phase[w], s.op[w] = "Committed", None
        else:
            self.delete(s, op.added, op.deletes)
            s.phase[w], s.op[w] = "Aborted", None

    def is_published(self, s, op):
        """Whether a snapshot is the operation's, of those that have not expired."""
        writes = enumerate(written(s.snapshots), 1)
        return any(files == (op.added, op.deletes) for version, files in writes if self.is_kept(s, version))

    def delete(self, s, files, delete_files):
        s.files = tuple(None if f in files else rows for f, rows in enumerate(s.files, 1))
        s.delete_files = tuple(None if d in delete_files else struck for d, struck in enumerate(s.delete_files, 1))

    @action(when=lambda model: model.CleanUp != "never")
    def remove_orphans(self, s):
        """Delete the files that no snapshot names; the old ones, or also those of operations under way."""
        named, named_deletes = self.named(s)
        if self.CleanUp == "old":
            work = [s.op[w] for w in self.Writers if s.op[w] is not None]
            named |= {f for op in work for f in op.added}
            named_deletes |= {d for op in work for d in op.deletes}
        orphans = {f for f, rows in enumerate(s.files, 1) if rows is not None and f not in named}
        deletes = {d for d, struck in enumerate(s.delete_files, 1) if struck is not None and d not in named_deletes}
        require(len(orphans | deletes) > 0, "there is no orphan")
        self.delete(s, orphans, deletes)

    @action(when=lambda model: model.CleanUp != "never")
    def create_tag(self, s):
        """Give the current snapshot a tag."""
        require(s.tag is None, "there is a tag")
        require(len(s.snapshots) > 0, "there is no snapshot")
        s.tag = len(s.snapshots)

    @action(when=lambda model: model.CleanUp != "never")
    def expire(self, s):
        """Let the oldest snapshot expire, but not the current one, and delete the files that no other one names."""
        require(s.expired + 1 < len(s.snapshots), "there is one snapshot, or none")
        s.expired += 1
        (files, deletes), (named, named_deletes) = files_of(s.snapshots[s.expired - 1 : s.expired]), self.named(s)
        self.delete(s, files - named, deletes - named_deletes)

    def is_kept(self, s, version):
        """Whether a version is to be read: it has not expired, or has the tag."""
        return version > s.expired or version == s.tag

    def named(self, s):
        """The data files and the delete files that snapshots name."""
        return files_of([snapshot for version, snapshot in enumerate(s.snapshots, 1) if self.is_kept(s, version)])

    # Properties --------------------------------------------------------------------------------------------------

    @invariant(key="Col1")
    def ConsistentRead(self, s, key):
        """A read of any version finds the row of a key that was committed, and no other one."""
        for version, snapshot in enumerate(s.versions, 1):
            if not self.is_kept(s, version):
                continue
            rows = self.rows_of(s, snapshot, Row(key))
            values = tuple(self.recorded(s, version, key, c) for c in COLUMNS)
            expected = () if values == (None, None) else (Row(key, *values),)
            if rows != expected:
                rows_text, expected_text = (", ".join(map(row_text, some)) or "no row" for some in (rows, expected))
                reason = f"{key} read at version {version}: expected {expected_text}; the files hold {rows_text}"
                return Fault(reason, Place("snapshots", None, version - 1))
        return True

    @invariant
    def NoDanglingDeleteFiles(self, s):
        """Every position that the current delete files name is in a current data file."""
        if not s.snapshots:
            return True
        current = self.current(s)
        data = {f for f, _ in current.data}
        dangling = [d for d, _ in sorted(current.deletes) if any(f not in data for f, _ in s.delete_files[d - 1] or ())]
        return not dangling or f"delete file {dangling[0]} names a data file that is not in the current snapshot"

    @invariant
    def LinearCommits(self, s):
        """No version is replaced by another one."""
        pairs = zip(s.snapshots, s.versions, strict=False)
        replaced = [i for i, (now, first) in enumerate(pairs) if now.id != first.id]
        return not replaced or Fault(
            f"version {replaced[0] + 1} has been replaced", Place("snapshots", None, replaced[0])
        )

    @invariant(when=lambda model: model.LostAnswer == "delete" or model.CleanUp != "never")
    def PublishedFilesExist(self, s):
        """No file that a snapshot names has been deleted."""
        data, deletes = self.named(s)
        gone = sorted(f for f in data if s.files[f - 1] is None)
        struck = sorted(d for d in deletes if s.delete_files[d - 1] is None)
        if gone:
            return f"a snapshot names data file {gone[0]}, which has been deleted"
        return not struck or f"a snapshot names delete file {struck[0]}, which has been deleted"

    @invariant(when=lambda model: model.LostAnswer == "retry")
    def CommittedOnce(self, s):
        """No operation has two snapshots."""
        writes = written(s.snapshots)
        twice = [i for i, files in enumerate(writes) if files in writes[:i]]
        return not twice or Fault(
            f"version {twice[0] + 1} adds the files of an earlier one again", Place("snapshots", None, twice[0])
        )

    @reachable
    def SomeoneCommits(self, s):
        """The table can get a snapshot."""
        return bool(s.snapshots)

    @reachable(when=lambda model: model.Validate and model.AllowUpdates and model.MaxWriteOps > 2)
    def SomeOperationAborts(self, s):
        """Validation can stop an operation."""
        return s.aborts > 0

    @reachable(when="MaxCompactions")
    def SomeoneCompacts(self, s):
        """A compaction can be committed."""
        return any(snapshot.kind == REPLACE for snapshot in s.snapshots)

    @ends
    def ended(self, s):
        """Nobody is at work."""
        return all(s.phase[w] in IDLE for w in self.Writers)

    @liveness
    def OperationsEventuallyEnd(self):
        """In the end nobody is at work any more."""
        return eventually_always(lambda s: all(s.phase[w] in IDLE for w in self.Writers))

    # The promise of a table -------------------------------------------------------------------------------------

    def columns(self):
        return ("col2", "col3")

    def column_values(self):
        return self.Col2 + self.Col3

    def rows(self, s, snapshot):
        return {key: tuple(row[1:] for row in self.rows_of(s, snapshot, Row(key))) for key in self.Col1}

    def as_table(self, s):
        acknowledged = {(key, f"col{c + 1}"): tuple(entry.value for entry in s.log[key, c]) for key, c in self.fields}
        return {"rows": self.rows(s, self.current(s)), "acknowledged": acknowledged}

    @refines(Table, Keys="Col1", Columns="columns", Values="column_values", by_default=False)
    def OneTable(self, s):
        """The table that readers of the current snapshot and writers with a snapshot know.

        A write happens, and is acknowledged, when the catalog swaps. One that changes the rows of several keys at once
        is more than one write here, which a table does not have in one step: this is for one key.
        """
        return self.as_table(s)

    @refines(
        VersionedTable,
        Keys="Col1",
        Columns="columns",
        Values="column_values",
        when=lambda model: model.CleanUp == "never",
        by_default=False,
    )
    def OneHistory(self, s):
        """The same table, with a version for each snapshot. No version of that one expires."""
        return {**self.as_table(s), "versions": tuple(Map(self.rows(s, snapshot)) for snapshot in s.snapshots)}


def files_of(snapshots):
    """The data files and the delete files that snapshots name."""
    files = {f for snapshot in snapshots for f, _ in snapshot.data}
    return files, {d for snapshot in snapshots for d, _ in snapshot.deletes}


def written(snapshots):
    """The data files and the delete files that the operation of each snapshot has written. No other one writes them."""
    new = (frozenset(d for d, sequence in snapshot.deletes if sequence == i) for i, snapshot in enumerate(snapshots, 1))
    return [(snapshot.added, deletes) for snapshot, deletes in zip(snapshots, new, strict=True)]


def matches(row, predicate):
    return all(term in (None, value) for term, value in zip(predicate, row, strict=True))


def changed(row, new):
    """A row with the values that an update sets."""
    return Row(*(old if value is None else value for old, value in zip(row, new, strict=True)))


def after(op, row):
    """What is to be recorded of a row: its new values, or none after a delete."""
    return Row(row.col1) if op.type == DELETE else changed(row, op.new)


def rewritten(op, rows):
    """The rows of a data file after an update or delete by copy-on-write."""
    if op.type == DELETE:
        return tuple(row for row in rows if not matches(row, op.predicate))
    return tuple(changed(row, op.new) if matches(row, op.predicate) else row for row in rows)


def row_text(row):
    return f"{row.col2}, {row.col3}"
