"""Paimon: writers and compactors of a primary-key table, each of which commits for itself.

A writer appends single rows as new files of level 0 of a bucket; a compactor merges the files of one level of a bucket
into one file of the next level. Both commit by creating the next numbered snapshot file, and prepare again if another
was first. This is Paimon 0.8 with fixed buckets and, optionally, deletion vectors.

The properties, and the commands that check them::

    workbench check paimon                                    # a writer and a compactor per bucket: everything holds
    workbench check paimon --set PUT_IF_ABSENT=false          # ConsistentRead: a snapshot is overwritten
    workbench check specs/paimon/one_bucket_two_writers.toml  # ConsistentRead: the older row wins
    workbench check specs/paimon/dangling.toml                # deletion vectors for files that are gone
    workbench check paimon --property OneTable                # what a table promises (table.py) is kept

NoBadState and SequentialSnapshots of the published text cannot fail here and are not checked: a prepared commit is part
of the state, and a snapshot's number is the one after the newest, or an existing one.

``specs/paimon/README.md`` explains the protocol; :mod:`workbench.protocols.paimon.published` has the published text's
simplifications, and :mod:`workbench.protocols.paimon.extended` further behaviour of real writers and readers.
Semantics after Vanlightly/table-formats-tlaplus (paimon, MIT licence).
"""

from workbench.language import *
from workbench.protocols.paimon import rows as table
from workbench.protocols.paimon.rows import COLUMNS, DELETE, INSERT, UPDATE, Change, CommitMessage, Rewrite, Write
from workbench.protocols.table.model import Table, VersionedTable

# The states of an operation.
READY, WRITE_DATA_FILES, WRITE_METADATA_FILES = "READY", "WRITE_DATA_FILES", "WRITE_METADATA_FILES"
PREPARE_COMMIT, COMMIT = "PREPARE_COMMIT", "COMMIT"


def compactions_happen(model):
    return min(model.NUM_COMPACTORS, model.MAX_COMPACTIONS, model.MAX_COMPACTIONS_PER_COMPACTOR) > 0


class Paimon(Model):
    """Paimon's primary-key table with compaction and deletion vectors."""

    symmetry = ("Col2Values", "Col3Values")

    NUM_WRITERS = Constant(2, range(1, 6), "writers; writer i is part of instance i")
    NUM_COMPACTORS = Constant(2, range(0, 6), "compactors; compactor i is part of instance i")
    NUM_PARTITIONS = Constant(1, range(1, 5), "partitions of the table")
    NUM_BUCKETS = Constant(2, range(1, 5), "buckets of each partition")
    MAX_LEVEL = Constant(2, range(1, 7), "the highest level; files of the levels below it are compacted")
    PUT_IF_ABSENT = Constant(True, bool, "put-if-absent: creating a snapshot file that exists fails")
    USE_LOCK = Constant(False, bool, "commits take a lock first")
    DV_ENABLED = Constant(True, bool, "compactions write deletion vectors")
    ONE_WRITER_PER_BUCKET = Constant(True, bool, "instances are dealt to buckets; else each serves every bucket")
    STREAMING_SINK = Constant(False, bool, "an update sets both columns blindly, instead of reading the row first")
    ALLOW_UPDATES = Constant(True, bool, "writers may update rows")
    ALLOW_DELETES = Constant(True, bool, "writers may delete rows")
    MAX_WRITE_OPS = Constant(2, range(1, 21), "write operations in a run")
    MAX_WRITE_OPS_PER_KEY = Constant(2, range(1, 21), "write operations on a key, counted from its latest insert")
    MAX_WRITE_OPS_PER_WRITER = Constant(2, range(1, 21), "write operations of a writer")
    MAX_COMPACTIONS = Constant(2, range(0, 21), "compactions in a run")
    MAX_COMPACTIONS_PER_COMPACTOR = Constant(1, range(0, 21), "compactions of a compactor")
    PkCol1Values = Constant(["jack", "sarah"], Names("key", range(1, 9)), "primary keys")
    Col2Values = Constant(["red", "blue"], Names("colour", range(1, 7)), "values of column 2")
    Col3Values = Constant(["A"], Names("grade", range(1, 7)), "values of column 3")

    latest = Variable(0, doc="the number of the newest snapshot")
    snapshots = Variable(None, per="versions", doc="the commit that made the snapshot; commits are named by their file")
    manifest = Variable(None, per="files", doc="the live data files as of a commit, in order")
    bucket_files = Variable(None, per="file_buckets", doc="the same, bucket by bucket")
    vectors = Variable(Map(), per="file_buckets", doc="a bucket's deletion vectors as of a commit: file -> keys")
    lock = Variable(None, doc="the holder of the lock")
    level = Variable(None, per="files", doc="a data file's level, once it is written")
    sequence = Variable(None, per="file_keys", doc="a data file's row of a key: its sequence number")
    kind = Variable(None, per="file_keys", doc="a data file's row of a key: +I, +U or -D")
    columns = Variable(None, per="file_keys", doc="a data file's row of a key: columns 2 and 3; nothing for -D")
    pc = Variable(READY, per="operations", doc="the state of the operation")
    write = Variable(None, per="writers", doc="what a write writes")
    rewrite = Variable(None, per="compactors", doc="what a compaction is about to rewrite")
    message = Variable(None, per="operations", doc="what is to be committed")
    prepared = Variable(None, per="operations", doc="the version that the commit will try to create")
    sequence_no = Variable(0, per="writers", doc="writes that the writer has started; the number of its next row")
    compactions_of = Variable(0, per="compactors", doc="compactions that the compactor has started")
    write_ops = Variable(0, doc="write operations started", ghost=True)
    compactions = Variable(0, doc="compactions started", ghost=True)
    write_ops_on = Variable(0, per="PkCol1Values", doc="operations on the key since its latest insert", ghost=True)
    insert_pending = Variable(False, per="PkCol1Values", doc="inserted, and no delete committed since", ghost=True)
    log = Variable((), per="log_entries", doc="what was committed to a column, in commit order", ghost=True)

    writer = Process(per="writers", fair="weak", doc="starts writes, and writes their data files")
    compactor = Process(per="compactors", fair="weak", doc="starts compactions, and writes their data files")
    operation = Process(per="operations", fair="weak", doc="commits what a writer or compactor has written")

    def validate(self) -> None:
        buckets = [f"p{p}b{b}" for p in range(self.NUM_PARTITIONS) for b in range(self.NUM_BUCKETS)]
        self.bucket_of = table.deal(self.PkCol1Values, buckets)
        self.buckets = tuple(dict.fromkeys(self.bucket_of.values()))  # buckets without a key stay empty
        self.writers = tuple(f"w{i}" for i in range(self.NUM_WRITERS))
        self.compactors = tuple(f"c{i}" for i in range(self.NUM_COMPACTORS))
        self.operations = self.writers + self.compactors
        self.instance_of = {op: f"instance{i}" for ops in (self.writers, self.compactors) for i, op in enumerate(ops)}
        serves = table.deal(list(dict.fromkeys(self.instance_of.values())), buckets)
        self.keys_of = {
            op: tuple(
                key
                for key in self.PkCol1Values
                if not self.ONE_WRITER_PER_BUCKET or serves[self.instance_of[op]] == self.bucket_of[key]
            )
            for op in self.operations
        }
        runs = dict.fromkeys(self.writers, min(self.MAX_WRITE_OPS, self.MAX_WRITE_OPS_PER_WRITER))
        runs |= dict.fromkeys(self.compactors, min(self.MAX_COMPACTIONS, self.MAX_COMPACTIONS_PER_COMPACTOR))
        owner = {self.file_name(op, n): op for op, count in runs.items() for n in range(count)}
        self.files = tuple(owner)
        self.file_keys = tuple((file, key) for file, op in owner.items() for key in self.keys_of[op])
        self.file_buckets = tuple((file, bucket) for file in self.files for bucket in self.buckets)
        self.versions = tuple(range(1, self.MAX_WRITE_OPS + self.MAX_COMPACTIONS + 1))
        self.log_entries = tuple((key, c, v) for key in self.PkCol1Values for c in COLUMNS for v in self.versions)
        self.values_of = {"col2": self.Col2Values, "col3": self.Col3Values}

    def file_name(self, op, ordinal):
        """The data file of the operation's run number `ordinal`; the run's commit has the same name."""
        return f"{op}-{ordinal}"

    # A writer ---------------------------------------------------------------------------------------------------

    def may_write(self, s, w):
        return s.sequence_no[w] < self.MAX_WRITE_OPS_PER_WRITER and s.write_ops < self.MAX_WRITE_OPS

    def exists(self, s, key):
        """Whether the key has a row by now, going by the log."""
        return table.expected(s, key, "col2", self.versions[-1]) is not None

    def read_latest(self, s, key):
        return table.read(s, key, s.latest, self.bucket_of[key])

    def may_change(self, s, key):
        return s.write_ops_on[key] < self.MAX_WRITE_OPS_PER_KEY

    def may_insert(self, s, key):
        return not s.insert_pending[key] and not self.exists(s, key)

    def may_update(self, s, key):
        if not self.ALLOW_UPDATES or not self.may_change(s, key):
            return False
        return self.exists(s, key) if self.STREAMING_SINK else self.read_latest(s, key) is not None

    def may_delete(self, s, key):
        return self.ALLOW_DELETES and self.may_change(s, key) and self.exists(s, key)

    def next_sequence(self, s, w, key):
        """The sequence number of the writer's next row."""
        return s.sequence_no[w]

    def start(self, s, w, key, kind, columns, sets=COLUMNS):
        s.write[w] = Write(key, self.next_sequence(s, w, key), kind, columns, sets)
        s.sequence_no[w] += 1
        s.write_ops += 1
        s.write_ops_on[key] = 1 if kind == INSERT else s.write_ops_on[key] + 1

    def ready_to_write(self, s, w, key):
        require(key in self.keys_of[w], f"{w} does not serve the bucket of {key}")
        require(self.may_write(s, w), f"the write operations, or those of {w}, are used up")

    @action(writer, at=READY, to=WRITE_DATA_FILES, key="PkCol1Values")
    def start_insert(self, s, w, key):
        """Begin to insert a key that has no row."""
        self.ready_to_write(s, w, key)
        require(self.may_insert(s, key), f"{key} exists, or is being inserted")
        s.insert_pending[key] = True
        self.start(s, w, key, INSERT, (choose(self.Col2Values, "col2"), choose(self.Col3Values, "col3")))

    @action(writer, at=READY, to=WRITE_DATA_FILES, key="PkCol1Values", when="ALLOW_UPDATES")
    def start_update(self, s, w, key):
        """Begin to update a key: both columns blindly, or one column of the row that a read at latest returns."""
        self.ready_to_write(s, w, key)
        require(self.may_update(s, key), f"{key} has no row, or may not be updated (again)")
        if self.STREAMING_SINK:
            self.start(s, w, key, UPDATE, (choose(self.Col2Values, "col2"), choose(self.Col3Values, "col3")))
            return
        row = dict(zip(COLUMNS, self.read_latest(s, key), strict=True))
        column = choose(COLUMNS, "column")
        row[column] = choose(self.values_of[column], "value")
        self.start(s, w, key, UPDATE, tuple(row.values()), sets=(column,))

    @action(writer, at=READY, to=WRITE_DATA_FILES, key="PkCol1Values", when="ALLOW_DELETES")
    def start_delete(self, s, w, key):
        """Begin to delete a key that has a row."""
        self.ready_to_write(s, w, key)
        require(self.may_delete(s, key), f"{key} has no row, or may not be deleted")
        self.start(s, w, key, DELETE, None)

    @action(writer, at=WRITE_DATA_FILES, to=WRITE_METADATA_FILES)
    def write_data_files(self, s, w):
        """Write the row into a new file of level 0."""
        write = s.write[w]
        file = self.file_name(w, s.sequence_no[w] - 1)
        s.level[file] = 0
        s.sequence[file, write.key], s.kind[file, write.key] = write.sequence, write.kind
        s.columns[file, write.key] = write.columns
        s.message[w] = CommitMessage(file, self.bucket_of[write.key])

    # A compactor ------------------------------------------------------------------------------------------------

    @action(compactor, at=READY, to=WRITE_DATA_FILES, bucket="buckets", when=compactions_happen)
    def start_compaction(self, s, c, bucket):
        """Pick a level that the bucket has files of."""
        require(any(self.bucket_of[key] == bucket for key in self.keys_of[c]), f"{c} does not serve {bucket}")
        require(s.compactions_of[c] < self.MAX_COMPACTIONS_PER_COMPACTOR, f"{c} has used up its compactions")
        require(s.compactions < self.MAX_COMPACTIONS, "the compactions are used up")
        levels = frozenset(s.level[file] for file in table.live_files(s, s.latest, bucket))
        s.rewrite[c] = self.choose_rewrite(bucket, levels)
        s.compactions_of[c] += 1
        s.compactions += 1

    def choose_rewrite(self, bucket, levels):
        """The rewrites to choose from, given the levels at which the bucket has files."""
        return Rewrite(bucket, choose(levels - {self.MAX_LEVEL}, "level"))

    def merged(self, rewrite):
        """The bucket of a rewrite, the levels that it merges, and the level of its result."""
        return rewrite.bucket, (rewrite.level,), rewrite.level + 1

    @action(compactor, at=WRITE_DATA_FILES, to=WRITE_METADATA_FILES, when=compactions_happen)
    def compact_data_files(self, s, c):
        """Merge the level's files, as they are by now, into one file of the next level."""
        bucket, levels, into = self.merged(s.rewrite[c])
        live, vectors = table.live_files(s, s.latest, bucket), table.deletion_vectors(s, s.latest, bucket)
        sources = tuple(file for file in live if s.level[file] in levels)
        above = [file for file in live if s.level[file] > max(levels)]
        output = self.file_name(c, s.compactions_of[c] - 1)
        s.level[output] = into
        kinds = {}  # for each key its kind of row in the sources; the row is written unless it is a delete to drop
        for key in self.keys_of[c]:
            file = table.newest(key, sources, s.sequence, vectors) if self.bucket_of[key] == bucket else None
            if file is not None:
                kinds[key] = s.kind[file, key]
                if kinds[key] != DELETE or self.keeps_delete(above):
                    s.sequence[output, key], s.kind[output, key] = s.sequence[file, key], kinds[key]
                    s.columns[output, key] = s.columns[file, key]
        new_vectors = self.new_vectors(s, vectors, sources, above, kinds) if self.DV_ENABLED else None
        s.message[c] = CommitMessage(output, bucket, sources, new_vectors)
        s.rewrite[c] = None

    def keeps_delete(self, above):
        """Whether deletes are written again: only if older rows may lie above, and no vector takes care of them."""
        return bool(above) and not self.DV_ENABLED

    def outdated(self, kinds):
        """The keys whose older rows, further up, must be marked as deleted."""
        return set(kinds)

    def new_vectors(self, s, vectors, sources, above, kinds):
        """The bucket's vectors after a compaction; None if it makes no new ones."""
        keys, others = self.outdated(kinds), vectors.without(*sources)
        return table.mark(s, others, above, keys) if keys else others

    # The commit of either ---------------------------------------------------------------------------------------

    @action(operation, at=WRITE_METADATA_FILES, to=lambda m: PREPARE_COMMIT if m.USE_LOCK else COMMIT)
    def write_metadata(self, s, op):
        """Prepare the snapshot that follows the latest one; a compaction whose sources are gone gives up."""
        version, message = s.latest, s.message[op]
        base = s.manifest[s.snapshots[version]] if version else ()
        if not set(message.replaces) <= set(base):
            self.finish(s, op)
            return
        s.prepared[op] = version + 1
        s.manifest[message.file] = self.replaced(base, message)
        for bucket in self.buckets:
            live = table.live_files(s, version, bucket)
            mine = bucket == message.bucket
            s.bucket_files[message.file, bucket] = self.replaced(live, message) if mine else live
            new = message.vectors if mine else None
            s.vectors[message.file, bucket] = table.deletion_vectors(s, version, bucket) if new is None else new

    def replaced(self, live, message):
        return tuple(file for file in live if file not in message.replaces) + (message.file,)

    @action(operation, at=PREPARE_COMMIT, to=COMMIT, when="USE_LOCK")
    def prepare_commit(self, s, op):
        """Take the lock; if the prepared version exists by now, prepare again instead."""
        require(s.lock is None, f"{s.lock} holds the lock")
        if s.prepared[op] <= s.latest:
            self.prepare_again(s, op)
        else:
            s.lock = self.holder(op)

    def holder(self, op):
        """Whom the lock belongs to."""
        return op

    @action(operation, at=COMMIT)
    def commit(self, s, op):
        """Create the snapshot file, or overwrite it; with PUT_IF_ABSENT prepare again if it exists."""
        version, file = s.prepared[op], s.message[op].file
        if self.USE_LOCK and s.lock == self.holder(op):
            s.lock = None
        if version <= s.latest:
            if self.PUT_IF_ABSENT:
                self.prepare_again(s, op)
                return
            self.erase(s, s.snapshots[version])
        s.snapshots[version] = file
        s.latest = max(s.latest, version)
        if op in self.writers:
            write = s.write[op]
            row = dict(zip(COLUMNS, write.columns or (None, None), strict=True))
            for column in write.sets:
                table.note(s, write.key, column, Change(version, row[column]), self.versions)
            if write.kind == DELETE:
                s.insert_pending[write.key] = False
        self.finish(s, op)

    def prepare_again(self, s, op):
        """Drop what was prepared."""
        self.erase(s, s.message[op].file)
        s.prepared[op] = None
        s.pc[op] = WRITE_METADATA_FILES

    def erase(self, s, commit):
        """Forget what a commit wrote, since no snapshot leads to it."""
        s.manifest[commit] = None
        for bucket in self.buckets:
            s.bucket_files[commit, bucket] = None
            s.vectors[commit, bucket] = Map()

    def finish(self, s, op):
        """Back to READY, in which nothing is kept."""
        if op in self.writers:
            s.write[op] = None
        s.message[op] = s.prepared[op] = None
        s.pc[op] = READY

    # Properties -------------------------------------------------------------------------------------------------

    @invariant(key="PkCol1Values", version="versions")
    def ConsistentRead(self, s, key, version):
        """Every version reads as what had been committed up to it."""
        return s.snapshots[version] is None or self.reads_as_committed(s, key, version)

    def read(self, s, key, version):
        """The row of `key` in a version, merged from the files of all levels."""
        return table.read(s, key, version, self.bucket_of[key])

    def reads_as_committed(self, s, key, version):
        """For readers that merge the files of all levels."""
        read = self.read(s, key, version) or (None, None)
        expected = tuple(table.expected(s, key, column, version) for column in COLUMNS)
        return read == expected or Fault(
            f"version {version}: {key} reads as {show(read)}, but committed was {show(expected)}",
            Place("snapshots", version),
        )

    @invariant(version="versions", bucket="buckets", when="DV_ENABLED")
    def NoDanglingDeletionVectors(self, s, version, bucket):
        """Deletion vectors are for files that are live in the same snapshot."""
        if s.snapshots[version] is None:
            return True
        live = table.live_files(s, version, bucket)
        gone = [file for file in table.deletion_vectors(s, version, bucket) if file not in live]
        return not gone or Fault(
            f"version {version}: deletion vector for a file that snapshot {version} no longer has: "
            f"{min(gone)}; live in {bucket} are {show(live)}",
            Place("snapshots", version),
            *(Place("vectors", (s.snapshots[version], bucket), file) for file in gone),
        )

    @invariant(version="versions", key="PkCol1Values", when="DV_ENABLED")
    def OneValidRowPerKeyAboveLevel0(self, s, version, key):
        """No key has two unmarked rows in files above level 0: a reader need not merge them."""
        if s.snapshots[version] is None:
            return True
        valid = table.valid_above_level_0(s, key, version, self.bucket_of[key])
        return len(valid) < 2 or Fault(
            f"version {version}: {key} has a valid row in each of "
            + ", ".join(f"{file} (level {s.level[file]})" for file in valid),
            Place("snapshots", version),
            *(Place("kind", (file, key)) for file in valid),
        )

    @reachable
    def SomeoneWrites(self, s):
        """The table can get a snapshot."""
        return s.latest > 0

    @reachable(when=compactions_happen)
    def SomeoneCompacts(self, s):
        """The table can get a snapshot made by a compaction."""
        first = [self.file_name(c, 0) for c in self.compactors]
        return any(s.snapshots[version] in first for version in self.versions)

    def may_start(self, s, key):
        return self.may_insert(s, key) or self.may_update(s, key) or self.may_delete(s, key)

    @liveness(by_default="ONE_WRITER_PER_BUCKET")
    def AllOperationsCommitted(self):
        """In the end each operation started has its snapshot, and none could be started any more.

        Retries cannot go on for ever: each needs somebody else's commit, and there are no more commits than operations,
        whose number is bounded. So every fair behaviour comes to rest, and only the states in which it does matter. At
        rest all operations are READY. A write gets back there just by its commit; a compaction also by giving up, when
        somebody else has replaced its sources. If each bucket is served by one instance nobody else does, and with
        PUT_IF_ABSENT or the lock no commit overwrites another's: then the snapshots must be as many as the operations
        started. Writes need not reach MAX_WRITE_OPS, since the bounds per key and per writer may end them before
        (insert, update, and the key has had its two); hence "none could be started". Compactions need not reach their
        bounds either: they need files below MAX_LEVEL.

        Where several instances serve a bucket the formula also says that no compaction gives up, which Paimon does not
        promise: a violation there need not be an error of the protocol.
        """
        return eventually_always(
            lambda s: (
                s.latest == s.write_ops + s.compactions
                and not any(
                    self.may_start(s, key) for w in self.writers if self.may_write(s, w) for key in self.keys_of[w]
                )
            )
        )

    # The promise of a table -------------------------------------------------------------------------------------

    def column_names(self):
        return COLUMNS

    def column_values(self):
        return self.Col2Values + self.Col3Values

    def rows(self, s, key, version):
        """The rows of `key` that a reader of a version gets."""
        row = table.read(s, key, version, self.bucket_of[key])
        return () if row is None else (row,)

    def as_table(self, s):
        fields = ((key, column) for key in self.PkCol1Values for column in COLUMNS)
        return {
            "rows": {key: self.rows(s, key, s.latest) for key in self.PkCol1Values},
            "acknowledged": {field: table.values_of_commits(s, *field, self.versions) for field in fields},
        }

    @refines(Table, Keys="PkCol1Values", Columns="column_names", Values="column_values", by_default=False)
    def OneTable(self, s):
        """The table that readers of the latest snapshot and writers with a snapshot know.

        A write happens, and is acknowledged, when its snapshot file is created; where nothing prevents it, also when it
        takes the place of another one. It is told of the columns that it sets: of one, where it read the row before.
        Readers get what the snapshot's files and deletion vectors say. A compaction changes neither.
        """
        return self.as_table(s)

    @refines(VersionedTable, Keys="PkCol1Values", Columns="column_names", Values="column_values", by_default=False)
    def OneHistory(self, s):
        """The table of OneTable, with one version for each snapshot. A compaction repeats the version before it."""
        versions = (Map((key, self.rows(s, key, v)) for key in self.PkCol1Values) for v in range(1, s.latest + 1))
        return {**self.as_table(s), "versions": tuple(versions)}
