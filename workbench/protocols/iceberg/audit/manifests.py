"""Decode an Iceberg table's manifest lists and manifests, and name the files that these locate."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.audits.avro import Record, SameEnds, read_avro
from workbench.audits.damaged import Damaged
from workbench.audits.row_ids import RowIds
from workbench.audits.source import Elsewhere, Source
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief
from workbench.protocols.iceberg.audit.metadata import FOLDER, IcebergSnapshot, Metadata

EXISTING, ADDED, DELETED = 0, 1, 2


class ListedManifest(NamedTuple):
    """A manifest's entry in a manifest list.

    Attributes:
        counts: The numbers of its added, existing and deleted files and of their rows; None if not recorded.
        length: Its size in bytes.
        first_row: The row id of the first row in its first file without an explicit row id; None if not recorded.
    """

    added_by: int
    has_deletes: bool
    counts: tuple[int | None, ...]
    sequence: int
    length: int | None
    first_row: int | None


class Blob(NamedTuple):
    """The place of a deletion vector in its file, which may have several, and the data file that it belongs to."""

    of: str
    offset: int
    length: int


class ManifestEntry(NamedTuple):
    """The entry of a data file, delete file or deletion vector in a manifest.

    Attributes:
        file: The file's name, or its full location outside the table's folder.
        rows: The file's row count; for a deletion vector, the number of rows it deletes.
        size: The file's size in bytes.
        first_row: The row id of the file's first row; None if it follows from the manifest's.
    """

    file: str
    status: int
    added_by: int
    rows: int
    size: int | None
    is_outside: bool
    blob: Blob | None = None
    first_row: int | None = None

    @property
    def name(self) -> str:
        """A name that no other entry has."""
        return self.file if self.blob is None else f"{self.file} at byte {self.blob.offset}"


class Places:
    """Maps the locations in a table's metadata to names of files.

    In a table that was moved or copied, locations begin with different folders: its present one, the one in the newest
    metadata file, and those before ``/metadata/`` in its manifest lists.
    """

    def __init__(self, source: Source, metadata: Metadata) -> None:
        self._source = source
        self.sizes = {entry.name: entry.size for entry in source.entries(FOLDER)}
        self._lists = [snapshot.manifest_list for snapshot in metadata.snapshots.values() if snapshot.manifest_list]
        parts = [location.rpartition(f"/{FOLDER}/") for location in self._lists]
        here = {name.rpartition("/")[2] for name in self.sizes}
        self._roots = list(dict.fromkeys([metadata.location, *(root for root, _, name in parts if name in here)]))
        self._names_of: dict[str, str] = {}

    def name(self, location: str) -> str:
        """A file's name; refused if it is elsewhere."""
        if location not in self._names_of:
            root = next((root for root in self._roots if root and location.startswith(f"{root}/")), None)
            self._names_of[location] = self._source.inside(location, moved_from=root)
        return self._names_of[location]

    def refuse_if_all_are_elsewhere(self) -> None:
        """Refuse a table that keeps all its manifest lists in another folder; a single one there is damage."""
        if all(is_elsewhere for _, is_elsewhere in map(self.data, self._lists)):
            try:
                list(map(self.name, self._lists))
            except Elsewhere as error:
                raise InputError(str(error)) from None

    def data(self, location: str) -> tuple[str, bool]:
        """A data file's name, or its location if it is elsewhere; and whether it is."""
        try:
            return self.name(location), False
        except Elsewhere:
            return location, True


STATUSES = {ADDED: "added", EXISTING: "existing", DELETED: "deleted"}
#: A manifest list's counts, each with its original name in the format.
_COUNTS = [
    *((f"{kind}_files_count", f"{kind}_data_files_count") for kind in STATUSES.values()),
    *((f"{kind}_rows_count", f"{kind}_rows_count") for kind in STATUSES.values()),
]
FIGURES = (*(field for field, _ in _COUNTS), "manifest_length", "sequence_number")


#: The fields of an entry on a deletion vector.
_OF_BLOB = ("referenced_data_file", "content_offset", "content_size_in_bytes")


#: The fields of a manifest list's records, besides the path.
_OTHERS = ("sequence_number", "manifest_length", "first_row_id")
_KEPT = ("manifest_path", "added_snapshot_id", "content", *_OTHERS, *(field for fields in _COUNTS for field in fields))


class ManifestLists:
    """The manifest lists of a branch, in order. Entries shared with the previous list are not decoded again."""

    def __init__(self, source: Source, places: Places) -> None:
        self._source, self._places = source, places
        self._file = SameEnds(_KEPT)
        self._names: list[str] = []  # the last in the list first
        self._manifests: set[str] = set()

    def go_on(self, snapshot: IcebergSnapshot) -> tuple[list[str], dict[str, ListedManifest]]:
        """Go on to a snapshot's list.

        Returns:
            The manifests of the list before that this one lacks or may describe otherwise, and those that are new or
            may be described otherwise.
        """
        assert snapshot.manifest_list is not None
        name = self._places.name(snapshot.manifest_list)
        kept, records = self._file.read(self._source.read(name), name)
        gone, new = self._names[kept:], dict[str, ListedManifest]()
        try:
            may_return = set(gone)
            for record in records:
                manifest, listed = self._listed(name, record)
                if manifest in new or (manifest in self._manifests and manifest not in may_return):
                    raise Damaged(name, f"it names {brief(manifest)} twice")
                new[manifest] = listed
        except InputError:
            self._file.forget()
            raise
        self._names[kept:] = reversed(new)
        self._manifests.difference_update(gone)
        self._manifests.update(new)
        return gone, new

    def _listed(self, name: str, record: Record) -> tuple[str, ListedManifest]:
        """The manifest in a record, by name."""
        path, added_by = record.get("manifest_path"), record.get("added_snapshot_id")
        if not isinstance(path, str) or not isinstance(added_by, int | None):
            raise Damaged(name, f"it names {brief(path)} as a manifest")
        counts = tuple(record.get(field, record.get(old)) for field, old in _COUNTS)
        if not all(type(number) is int or number is None for number in (*counts, *map(record.get, _OTHERS))):
            raise Damaged(name, f"it does not count the files of {brief(path)}")
        manifest = self._places.name(path)
        if record.get("content", 0) not in (0, 1):
            raise Damaged(name, f"the content of {brief(manifest)} is {record['content']}")
        return manifest, ListedManifest(
            -1 if added_by is None else added_by,
            record.get("content", 0) != 0,
            counts,
            record.get("sequence_number") or 0,  # missing in version 1, for which lists of version 2 record 0
            record.get("manifest_length"),
            record.get("first_row_id"),
        )


def manifests_of(source: Source, places: Places, snapshot: IcebergSnapshot) -> dict[str, ListedManifest]:
    """A snapshot's manifests, by name."""
    if snapshot.manifest_list is None:
        return {}
    _, manifests = ManifestLists(source, places).go_on(snapshot)
    return manifests


def entries_of(source: Source, places: Places, manifest: str, listed: ListedManifest) -> Iterator[ManifestEntry]:
    """The entries of a manifest."""
    fields = ("content", "file_path", "partition", "record_count", "file_size_in_bytes", "file_format", "first_row_id")
    for record in read_avro(
        source, manifest, keep=("status", "snapshot_id", *(f"data_file.{field}" for field in (*fields, *_OF_BLOB)))
    ):
        status, file = record.get("status"), record.get("data_file")
        if status not in (EXISTING, ADDED, DELETED) or not isinstance(file, dict):
            raise Damaged(manifest, f"an entry has the status {brief(status)}")
        path, rows, by = file.get("file_path"), file.get("record_count"), record.get("snapshot_id")
        if not isinstance(path, str) or not isinstance(rows, int) or not isinstance(by, int | None):
            raise Damaged(manifest, f"an entry names {brief(path)} as a file")
        size = file.get("file_size_in_bytes")
        if (file.get("content", 0) != 0) != listed.has_deletes:
            raise Damaged(manifest, f"{brief(path)} is of content {brief(file.get('content'))}")
        if rows < 0 or not isinstance(size, int | None):
            raise Damaged(manifest, f"{brief(path)} has {rows} rows, {brief(size)} bytes")
        name, is_outside = places.data(path)
        blob = None
        if str(file.get("file_format")).lower() == "puffin":
            of, offset, length = map(file.get, _OF_BLOB)
            if not isinstance(of, str) or not isinstance(offset, int) or not isinstance(length, int):
                raise Damaged(manifest, f"it does not say where in {brief(path)} a deletion vector is, and of what")
            blob = Blob(places.data(of)[0], offset, length)
        first_row = file.get("first_row_id")
        if not isinstance(first_row, int | None):
            raise Damaged(manifest, f"the first row id of {brief(path)} is {brief(first_row)}")
        added_by = listed.added_by if by is None else by
        yield ManifestEntry(name, status, added_by, rows, size, is_outside, blob, first_row)


def row_ids_of(entries: Iterable[ManifestEntry], listed: ListedManifest) -> Iterator[tuple[RowIds, int]]:
    """The row ids of a manifest's live data files, each with the snapshot that added the file.

    Files without explicit row ids are numbered consecutively, from the manifest's first row id.
    """
    following = listed.first_row
    for entry in entries:
        if entry.status == DELETED or listed.has_deletes:
            continue
        first = following if entry.first_row is None else entry.first_row
        if first is not None:
            yield RowIds(first, entry.rows, entry.name), entry.added_by
        if entry.first_row is None and following is not None:
            following += entry.rows
