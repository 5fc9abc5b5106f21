"""Row ids: a table numbers its rows, and a number belongs to one row in all versions of the table.

The table keeps the *next* id. An append takes its ids from there, and a compaction carries them into the new file.
Three mistakes break that: an append that is tried again keeps the ids of its first attempt, which others have taken
since; a restore takes back the next id together with the rows; a compaction gives new ids to rows that it only moves::

    workbench check row_ids                             # everything holds
    workbench check row_ids --set Assign=start          # UniqueRowIds: a retry with the ids of its first attempt
    workbench check row_ids --set Restore=rewinds       # UniqueRowIds: ids of a later version are given once more
    workbench check row_ids --set Compact=assigns       # RowsKeepIds: a row that nobody has changed has another id

After the row lineage of Iceberg's format version 3 and Delta's row tracking; ``specs/table/README.md`` has their words.
"""

from typing import NamedTuple

from workbench.language import *


class Row(NamedTuple):
    """A row: its id, and the version that appended it, which appended no other one."""

    id: int
    version: int


class Version(NamedTuple):
    """A version of the table: its files, each with its rows in order, and the next id."""

    files: frozenset[tuple[Row, ...]]
    next: int

    @property
    def rows(self) -> list[Row]:
        return sorted(row for file in self.files for row in file)


class RowIds(Model):
    """Writers that append rows to one table, which is also compacted and restored."""

    Writers = Constant(2, Names("w", range(1, 4)), "writers; each appends one row after the other")
    Versions = Constant(4, range(2, 7), "versions of the table in a run")
    Assign = Constant("commit", ("commit", "start"), "an append takes ids in each attempt, or once, when it starts")
    Restore = Constant(
        "keeps", ("never", "keeps", "rewinds"), "a restore keeps the next id, or takes that of the old version"
    )
    Compact = Constant(
        "carries",
        ("never", "carries", "assigns"),
        "a compaction carries ids into the new file, or takes new ones",
    )

    writer = Process(per="Writers", fair="weak", pc="phase", start="Ready", doc="appends one row after the other")
    base = Variable(None, per="Writers", doc="the version that the attempt builds on")
    first = Variable(None, per="Writers", doc="the first id of the file to append")
    versions = Variable((Version(frozenset(), 0),), doc="the versions of the table, the first one empty")

    def goes_on(self, s):
        return len(s.versions) < self.Versions

    @action(writer, at="Ready", to="Commit")
    def start(self, s, w):
        """Begin an append on the last version."""
        require(self.goes_on(s), "all versions of the run are there")
        s.base[w] = len(s.versions)
        s.first[w] = s.versions[-1].next

    @action(writer, at="Commit", to="Ready")
    def commit(self, s, w):
        """Add a version with the new file; if there is one since the attempt began, try again on that one."""
        require(self.goes_on(s), "all versions of the run are there")
        files, following = s.versions[-1]
        if s.base[w] != len(s.versions):
            s.base[w] = len(s.versions)
            if self.Assign == "commit":
                s.first[w] = following
            s.phase[w] = "Commit"
            return
        row = Row(s.first[w], len(s.versions) + 1)
        s.versions += (Version(files | {(row,)}, max(following, row.id + 1)),)
        s.base[w] = s.first[w] = None

    @action(when=lambda model: model.Restore != "never")
    def restore(self, s):
        """Add a version with the files of an older one."""
        require(self.goes_on(s), "all versions of the run are there")
        old = s.versions[choose(range(1, len(s.versions)), "version") - 1]
        s.versions += (old if self.Restore == "rewinds" else old._replace(next=s.versions[-1].next),)

    @action(when=lambda model: model.Compact != "never")
    def compact(self, s):
        """Add a version with all rows in one file."""
        last = s.versions[-1]
        require(self.goes_on(s), "all versions of the run are there")
        require(len(last.files) > 1, "there is nothing to compact")
        rows, following = last.rows, last.next
        if self.Compact == "assigns":
            rows = [row._replace(id=id) for id, row in enumerate(rows, following)]
            following += len(rows)
        s.versions += (Version(frozenset({tuple(rows)}), following),)

    @invariant
    def UniqueRowIds(self, s):
        """No id is of two rows, in whatever versions."""
        owners = {}
        for version in s.versions:
            for row in version.rows:
                if owners.setdefault(row.id, row.version) != row.version:
                    return Fault(
                        f"the rows that versions {owners[row.id]} and {row.version} appended have the id {row.id}",
                        *(Place("versions", None, appended - 1) for appended in (owners[row.id], row.version)),
                    )
        return True

    @invariant
    def RowsKeepIds(self, s):
        """A row has the same id in all versions."""
        ids = {}
        for number, version in enumerate(s.versions):
            for row in version.rows:
                if ids.setdefault(row.version, row.id) != row.id:
                    return Fault(
                        f"the row that version {row.version} appended had the id {ids[row.version]}, and has {row.id}",
                        *(Place("versions", None, place) for place in (row.version - 1, number)),
                    )
        return True

    @reachable
    def SomeoneTriesAgain(self, s):
        """An attempt can be on a version that is the last no more."""
        return any(s.phase[w] == "Commit" and s.base[w] != len(s.versions) for w in self.Writers)

    @reachable(when=lambda model: model.Compact != "never")
    def SomeRowsShareAFile(self, s):
        """The rows of two appends can be in one file."""
        return any(len(file) > 1 for version in s.versions for file in version.files)

    @ends
    def ended(self, s):
        """All versions of the run are there."""
        return not self.goes_on(s)

    @liveness
    def VersionsGoOn(self):
        """In the end all versions are there: a retry is not refused for ever."""
        return eventually_always(lambda s: not self.goes_on(s))
