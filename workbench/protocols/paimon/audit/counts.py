"""Judge the facts that a Paimon table states more than once: counts, pointers, files and their sizes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow.compute as pc

from workbench.audits.damaged import Damaged, Missing
from workbench.audits.judgement import Judgement, Rule
from workbench.audits.presence import COUNTS_AGREE, FILES_EXIST, Absent, Origin, absent
from workbench.audits.row_ids import ROW_IDS, RowIds, backwards
from workbench.audits.shape import alive_at, utc
from workbench.audits.vectors import PAIMON, UnreadableError, read_vector
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.kernel.meaning.values import counted
from workbench.protocols.paimon.audit.files import versions
from workbench.protocols.paimon.audit.heads import heads
from workbench.protocols.paimon.audit.layout import is_location
from workbench.protocols.paimon.audit.read import Change, PaimonTable

_KINDS = {"APPEND", "COMPACT", "OVERWRITE", "ANALYZE"}
_HINT = "snapshot/LATEST"


class CountsJudgement(Judgement):
    """The rules on counts, pointers and files."""

    table: PaimonTable
    _absent: Sequence[Absent] = ()  # the newest snapshot's files

    def counts(self) -> list[Rule]:
        return [self.miscounts, self.misfits, self.row_ids, self.kinds, self.hint, self.files, self.kept_files]

    def miscounts(self) -> None:
        """Figures that are stored twice agree."""
        table = self.table
        columns = ("version", "added", "removed", "delta_rows", "total_rows", "schema")
        schemas, broken = set(versions(self.source, "schema", "schema-")), {*table.breaks["version"].to_pylist()}
        after_gaps = {gap + 1 for gap in (*table.gaps, *table.damaged)}
        before: int | None = None
        for snapshot in table.snapshots.select(columns).to_pylist():
            version, change = snapshot["version"], table.changes.get(snapshot["version"], Change(0, 0, 0))
            for stated, there, noun in (
                (snapshot["added"], change.added, "entries that add a file"),
                (snapshot["removed"], change.removed, "entries that remove one"),
                (snapshot["delta_rows"], change.rows, "rows more than the snapshot before"),
            ):
                if stated not in (None, there):
                    self._miscount(version, f"is said to have {stated:,} {noun}, and its delta has {there:,}")
            total = snapshot["total_rows"]
            is_known = None not in (total, before, snapshot["delta_rows"]) and version not in (broken | after_gaps)
            if is_known and total != before + snapshot["delta_rows"]:
                self._miscount(version, f"says that it has {total:,} rows, after {before:,} before it")
            if schemas and snapshot["schema"] is not None and snapshot["schema"] not in schemas:
                self._miscount(version, f"has the schema {snapshot['schema']}, and there is no such schema")
            before = total
        rows = pc.sum(alive_at(table.files, table.last)["rows"]).as_py() or 0
        if before not in (None, rows):
            self._miscount(table.last, f"says that it has {before:,} rows, and its files have {rows:,}")

    def _miscount(self, version: int, reason: str) -> None:
        self.find(COUNTS_AGREE, "suspect", version, f"snapshot {version} {reason}", [f"snapshot/snapshot-{version}"])

    def misfits(self) -> None:
        """Check that live files fit the table's schemas; each reason is reported once."""
        table = self.table
        if not table.schema.types:
            return
        schemas = set(versions(self.source, "schema", "schema-"))
        arity = len(table.schema.key_columns)
        live = alive_at(table.files, table.last)
        reasons: dict[str, str] = {}  # each with the first file
        for name, schema, key in zip(
            *(live[column].to_pylist() for column in ("name", "schema", "min_key")), strict=True
        ):
            columns = int.from_bytes((key or b"")[:4], "big") if key else arity
            reason = (
                f"a file has the schema {schema}, and there is no such schema" if schema not in {None, *schemas} else ""
            )
            if columns != arity:
                reason = f"a file's keys have {columns} columns, and the schema's have {arity}"
            if reason:
                reasons.setdefault(reason, name)
        for reason, name in reasons.items():
            self.find(COUNTS_AGREE, "suspect", table.last, reason, [name])

    def row_ids(self) -> None:
        """No two rows have one row id, none is still to be assigned, and the next one never goes back.

        With data evolution, the files of one group of rows have its row ids, each for some of the columns.
        """
        table = self.table
        numbered = table.snapshots.filter(pc.is_valid(table.snapshots["next_row"]))
        numbers = list(zip(*(numbered[name].to_pylist() for name in ("version", "next_row")), strict=True))
        for version, before, after in backwards(numbers):
            reason = f"nextRowId of snapshot {version} is {after:,}, and was {before:,}"
            self.find(ROW_IDS, "proved", version, reason, [f"snapshot/snapshot-{version}"])
        live = alive_at(table.files, table.last)
        live = live.filter(pc.is_valid(live["first_row"]))
        columns = (live[name].to_pylist() for name in ("first_row", "rows", "name", "first"))
        files = [RowIds(*row) for row in zip(*columns, strict=True)]
        if table.schema.options.get("data-evolution.enabled", "false").lower() == "true":
            files = [max(files, key=lambda ids: ids.next)] if files else []
        if numbers or files:
            next_id = dict(numbers).get(table.last)
            self.judge_row_ids(files, next_id, table.last)

    def kinds(self) -> None:
        """Report kinds of snapshots that are unknown here."""
        snapshots = self.table.snapshots
        for version, kind in zip(*(snapshots[name].to_pylist() for name in ("version", "kind")), strict=True):
            if kind not in _KINDS:
                reason = f"it is of the kind {brief(kind)}, which is unknown"
                self.left_out.append(f"what snapshot {version} changes: {reason}")

    def hint(self) -> None:
        """Readers believe the hint on the newest snapshot, unless a later one exists."""
        try:
            hint = int(self.source.read(_HINT, at_most=100))
        except Missing:
            return
        except (InputError, ValueError):
            self.left_out.append(f"which snapshot is the newest by {_HINT}: it holds no number")
            return
        if hint > max(versions(self.source, "snapshot", "snapshot-"), default=0):
            reason = (
                f"{_HINT} names snapshot {hint}, which is not there: the newest commits are gone, or were rolled back"
            )
            self.find(FILES_EXIST, "suspect", hint, reason, [f"the newest is snapshot/snapshot-{self.table.last}"])

    def files(self) -> None:
        """The newest snapshot's data files and deletion vectors are there."""
        table = self.table
        live = alive_at(table.files, table.last)
        vectors = alive_at(table.vectors, table.last)
        outside = pc.sum(live["is_outside"]).as_py() or 0
        outside += len({name for name in vectors["index_file"].to_pylist() if is_location(name)})
        if outside:
            self.left_out.append(f"whether {counted(outside, 'data file')} outside of the table's folder exist")
        columns = (live[name].to_pylist() for name in ("bucket", "name", "size", "is_outside"))
        sizes = {f"{bucket}/{name}": size for bucket, name, size, is_out in zip(*columns, strict=True) if not is_out}
        sizes |= {name: None for name in vectors["index_file"].to_pylist() if not is_location(name)}
        if not _has_names(table):
            self.left_out.append("whether data files exist: without a schema nobody knows the names of partitions")
        elif table.layout.unknown:
            self.left_out += [f"whether data files exist: not checked: {name}" for name in table.layout.unknown]
        elif self.source.exists(f"snapshot/snapshot-{table.last}"):  # it has not expired meanwhile
            sizes = self._in_certain_folders(sizes)
            may_be_elsewhere = bool(outside or table.layout.has_external)
            origin = partial(_origin, table)
            self._absent = self.judge_presence(sizes, table.last, origin, may_be_elsewhere=may_be_elsewhere)
            there = sizes.keys() - {file.name for file in self._absent}
            rows = dict(zip(live["name"].to_pylist(), live["rows"].to_pylist(), strict=True))
            stored = [
                vector for vector in vectors.to_pylist() if vector["index_file"] in there and vector["file"] in rows
            ]
            for vector in self.first_vectors(stored):
                with self.damages.around(table.last):
                    _vector(table, vector, rows[vector["file"]])

    def _in_certain_folders(self, sizes: Mapping[str, int | None]) -> dict[str, int | None]:
        """The files whose folders can be determined; for the others, a note gives the reason."""
        unsure = {f"/{folder}/": doubt for folder, doubt in self.table.layout.unsure.items()}
        doubts = {name: doubt for name in sizes for folder, doubt in unsure.items() if folder in f"/{name}"}
        for doubt in sorted(set(doubts.values())):
            note = f"whether data files of some partitions exist: not checked: {doubt}"
            if note not in self.left_out:
                self.left_out.append(note)
        return {name: size for name, size in sizes.items() if name not in doubts}

    def kept_files(self) -> None:
        """Check that the files of tags, and of branches' newest snapshots, exist, except those :meth:`files` misses."""
        table, looked, outside = self.table, 0, 0
        if not _has_names(table) or table.layout.unknown:
            return
        reported = {file.name for file in self._absent}
        for head in heads(table, self.damages):
            missing, has_files = absent(self.source, self._in_certain_folders(head.files))
            lost = [file for file in missing if file.name not in reported]
            looked, outside = looked + len(head.files), outside + head.outside
            may_be_elsewhere = head.outside or table.layout.has_external or self.source.without_data
            if missing and not has_files and may_be_elsewhere:
                self.left_out.append(f"whether the data files of {head.name} exist: the folder has only metadata")
            elif lost and self.source.exists(head.name):  # nobody has dropped it meanwhile
                reason = (
                    f"missing, or of another size: {len(lost):,} of {counted(len(head.files), 'file')} of {head.name}"
                )
                self.find(FILES_EXIST, "proved", head.version, reason, map(str, lost[:10]), last=table.last)
        if looked:
            self.looked_at.append(f"{FILES_EXIST}: {counted(looked, 'file')} of tags and branches, with sizes")
        if outside:
            self.left_out.append(f"whether {counted(outside, 'data file')} of tags and branches exist: outside of it")


def _has_names(table: PaimonTable) -> bool:
    """Whether the names of partitions are known."""
    return bool(table.schema.types) or not set(table.files["partition"].to_pylist()) - {""}


def _origin(table: PaimonTable, name: str) -> Origin:
    """The origin of a live data file, or of a live file of deletion vectors."""
    vectors = alive_at(table.vectors, table.last).filter(pc.field("index_file") == name)
    files = alive_at(table.files, table.last).filter(pc.field("name") == name.rpartition("/")[2])
    first = (vectors if len(vectors) else files).slice(0, 1).to_pylist()[0]
    if first["first"] == table.first > 1:  # the first snapshot that was read has files of those before it
        return Origin(None, None, first.get("rows"))
    return Origin(first["first"], utc(table.commit(first["first"])["millis"]), first.get("rows"))


def _vector(table: PaimonTable, entry: dict[str, Any], rows: int) -> None:
    """Check that a deletion vector matches its checksum and its recorded number of rows."""
    name = entry["index_file"]
    try:
        marks = read_vector(table.source, name, entry["offset"], entry["length"], rows, PAIMON)
    except UnreadableError:  # of another kind
        return
    if entry["cardinality"] not in (None, len(marks)):
        reason = f"a deletion vector has {len(marks):,} rows, and is said to have {entry['cardinality']:,}"
        raise Damaged(name, reason)
