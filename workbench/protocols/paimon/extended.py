"""Paimon, extended by behaviours of real tables that the published model lacks.

Each extension has a constant, whose default switches it off. With all defaults it is the published protocol, state by
state::

    workbench check specs/paimon/restored_two_writers.toml       # ConsistentRead: two writers take the same number
    workbench check specs/paimon/skip_level_0.toml               # an earlier version is read, and it is consistent
    workbench check specs/paimon/skip_level_0_two_compactors.toml    # ConsistentRead: a key is read twice
    workbench check paimon --set CompactToAnyLevel=true          # levels are merged, and passed over: everything holds
    workbench check specs/paimon/expiry.toml                     # snapshots expire, and a tag keeps files: it holds
    workbench check specs/paimon/expiry_tag.toml                 # PublishedFilesExist: nobody has asked the tag

``specs/paimon/README.md`` discusses the results.
"""

from workbench.language import *
from workbench.protocols.paimon import rows as table
from workbench.protocols.paimon.model import COMMIT
from workbench.protocols.paimon.published import PaimonPublished
from workbench.protocols.paimon.rows import COLUMNS, LevelsRewrite
from workbench.protocols.table.upkeep import CLEAN_UP, LOST_ANSWER_DELETES, REMEMBER


def cleans(model):
    return model.CleanUp != "never"


class PaimonExtended(PaimonPublished):
    """Paimon's primary-key table with compaction and deletion vectors, and extensions that are off at first."""

    name = "paimon"

    RestoreSequence = Constant(False, bool, "an operation continues from the bucket's largest sequence number")
    ReadersSkipLevel0 = Constant(False, bool, "readers, including updates, read files above level 0, unmerged")
    CompactToAnyLevel = Constant(False, bool, "a compaction merges neighbouring levels, and may pass over empty ones")
    LostAnswer = LOST_ANSWER_DELETES
    Remember = REMEMBER
    CleanUp = CLEAN_UP
    ExpirySparesTags = Constant(True, bool, "a snapshot that expires leaves the files that a tag needs")

    gone = Variable(frozenset(), doc="the data files that have been deleted")
    expired = Variable(0, doc="the newest snapshot that has expired")
    tag = Variable(None, doc="the version that has a tag")

    def validate(self) -> None:
        super().validate()
        for name, needed in (("DV_ENABLED", True), ("AsPublished", False)):
            value = self.constants[name]
            if self.ReadersSkipLevel0 and value != needed:
                raise InputError(
                    f"ReadersSkipLevel0 = TRUE is not accepted with {name} = {show(value)}; it takes {show(needed)}, "
                    "since readers that do not merge rely on correct deletion vectors"
                )

    # RestoreSequence ---------------------------------------------------------------------------------------------

    def next_sequence(self, s, w, key):
        """The number after the largest in the bucket at latest, in rows that are marked too."""
        if not self.RestoreSequence:
            return super().next_sequence(s, w, key)
        bucket = self.bucket_of[key]
        neighbours = [other for other in self.PkCol1Values if self.bucket_of[other] == bucket]
        return table.largest_sequence(s, s.latest, bucket, neighbours) + 1

    @reachable(when="RestoreSequence")
    def NumberIsRestored(self, s):
        """A row can get another number than its writer has counted up to."""
        return any(s.write[w] is not None and s.write[w].sequence != s.sequence_no[w] - 1 for w in self.writers)

    # ReadersSkipLevel0 -------------------------------------------------------------------------------------------

    def read_latest(self, s, key):
        """The row that an update finds; the newer one if it is given two."""
        if not self.ReadersSkipLevel0:
            return super().read_latest(s, key)
        valid = table.valid_above_level_0(s, key, s.latest, self.bucket_of[key])
        file = table.newest(key, valid, s.sequence, Map())
        return None if file is None else s.columns[file, key]

    def reads_as_committed(self, s, key, version):
        """For readers that skip level 0: the rows read are the one of the version up to which all is compacted."""
        if not self.ReadersSkipLevel0:
            return super().reads_as_committed(s, key, version)
        bucket = self.bucket_of[key]
        rows = [s.columns[file, key] for file in table.valid_above_level_0(s, key, version, bucket)]
        compacted = table.compacted_up_to(s, version, bucket)
        row = tuple(table.expected(s, key, column, compacted) for column in COLUMNS)
        return rows == ([] if row == (None, None) else [row]) or Fault(
            f"version {version}: {key} reads as {' and '.join(map(show, rows)) or 'nothing'}, "
            f"but committed up to version {compacted} was {show(row)}",
            Place("snapshots", version),
        )

    def rows(self, s, key, version):
        if not self.ReadersSkipLevel0:
            return super().rows(s, key, version)
        valid = table.valid_above_level_0(s, key, version, self.bucket_of[key])
        return tuple(sorted(s.columns[file, key] for file in valid))

    def read_as_of(self, s, key):
        """The version that a reader of the latest one reads the key's bucket as of."""
        return table.compacted_up_to(s, s.latest, self.bucket_of[key]) if self.ReadersSkipLevel0 else s.latest

    @reachable(when="ReadersSkipLevel0")
    def ReadIsOld(self, s):
        """The latest version can read as an earlier one does, but not as nothing."""
        return any(0 < self.read_as_of(s, key) < s.latest for key in self.PkCol1Values)

    @reachable(when="ReadersSkipLevel0")
    def LaterWriteIsReadFirst(self, s):
        """A reader can have a write, and not yet an older one in another bucket."""
        as_of = {key: self.read_as_of(s, key) for key in self.PkCol1Values}
        return any(
            s.log[key, column, version]
            for key in self.PkCol1Values
            for column in COLUMNS
            for version in range(min(as_of.values()) + 2, as_of[key] + 1)  # the first one that is not read is older
        )

    # CompactToAnyLevel -------------------------------------------------------------------------------------------

    def choose_rewrite(self, bucket, levels):
        """Levels with none that has files between them, and a level for the result that no other file is below.

        The result is above the lowest of the levels merged: something goes up.
        """
        if not self.CompactToAnyLevel:
            return super().choose_rewrite(bucket, levels)
        present = sorted(levels)
        first = choose(present, "from")
        last = choose([level for level in present if level >= first], "to")
        highest = min((level for level in present if level > last), default=self.MAX_LEVEL)
        into = choose(range(max(last, first + 1), highest + 1), "into")
        return LevelsRewrite(bucket, tuple(level for level in present if first <= level <= last), into)

    def merged(self, rewrite):
        return tuple(rewrite) if self.CompactToAnyLevel else super().merged(rewrite)

    @reachable(when="CompactToAnyLevel")
    def LevelsAreMerged(self, s):
        """A compaction can take the files of several levels."""
        return any(rewrite is not None and len(rewrite.levels) > 1 for rewrite in s.rewrite.values())

    @reachable(when="CompactToAnyLevel")
    def LevelsArePassed(self, s):
        """A compaction can go further up than to the next level."""
        return any(rewrite is not None and rewrite.into > rewrite.levels[-1] + 1 for rewrite in s.rewrite.values())

    # Lost answers, clean-up, and tags ----------------------------------------------------------------------------

    @action(PaimonPublished.operation, at=COMMIT, when=lambda model: model.LostAnswer != "never")
    def lose_answer(self, s, op):
        """Create the snapshot file, hear of an error, and delete the data file; with Remember look first."""
        file = s.message[op].file
        require(s.prepared[op] > s.latest, "the snapshot file exists")
        self.commit(s, op)
        if self.Remember == "none":
            s.gone |= {file}

    def is_kept(self, s, version):
        """Whether a version is to be read: it has not expired, or has the tag."""
        return s.snapshots[version] is not None and (version > s.expired or version == s.tag)

    def named(self, s, tags=True):
        """The data files of all readable versions; with ``tags=False``, without those that only a tag keeps."""
        kept = [v for v in self.versions if self.is_kept(s, v) and (tags or v > s.expired)]
        return {file for v in kept for file in s.manifest[s.snapshots[v]]}

    @action(when=cleans)
    def create_tag(self, s):
        """Give the latest version a tag."""
        require(s.tag is None, "there is a tag")
        require(s.latest > 0, "there is no snapshot")
        s.tag = s.latest

    @action(when=cleans)
    def expire(self, s):
        """Let the oldest snapshot expire, but not the latest, and delete the files that only it has."""
        require(s.expired + 1 < s.latest, "there is one snapshot, or none")
        s.expired += 1
        s.gone |= set(s.manifest[s.snapshots[s.expired]]) - self.named(s, self.ExpirySparesTags)

    @action(when=cleans)
    def remove_orphans(self, s):
        """Delete the files that no version has: the old ones, or also those that are to be committed."""
        needed = self.named(s)
        if self.CleanUp == "old":
            needed |= {s.message[op].file for op in self.operations if s.message[op] is not None}
        orphans = {file for file in self.files if s.level[file] is not None} - needed - s.gone
        require(len(orphans) > 0, "there is no orphan")
        s.gone |= orphans

    @invariant(version="versions", when=lambda model: model.LostAnswer != "never" or cleans(model))
    def PublishedFilesExist(self, s, version):
        """No file of a version that has not expired, or has a tag, has been deleted."""
        if not self.is_kept(s, version):
            return True
        lost = [file for file in s.manifest[s.snapshots[version]] if file in s.gone]
        return not lost or Fault(
            f"version {version} has file {lost[0]}, which has been deleted",
            Place("snapshots", version),
            *(Place("level", file) for file in lost),
        )
