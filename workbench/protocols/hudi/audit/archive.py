"""The archived instants whose contents an audit of a Hudi table needs: those about log files.

Up to version 6 they are Avro records in the blocks of log files, one for each state of an instant; from version 8 on,
rows of the Parquet files that the newest manifest names.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.audits.avro import bare_records, records
from workbench.audits.columns import read_columns
from workbench.audits.damaged import Damaged, Damages, Missing
from workbench.audits.documents import Document
from workbench.audits.source import MOST_BYTES, Entry, Source, read_again
from workbench.kernel import InputError
from workbench.kernel.meaning.values import counted
from workbench.protocols.hudi.audit.read import LogFile, Plan, plan_of, slices_of
from workbench.protocols.hudi.audit.timeline import DELETES, Instant, Timeline, deleted_by, version_in

#: The most bytes of archived instants that are read, from the newest file on.
MOST_OF_ARCHIVE = 256 * 2**20

_MAGIC = b"#HUDI#"
_AVRO_DATA = 3  # the number of a type of blocks
_SCHEMA = 2  # the number of a field in a block's header
#: The fields of an archived record, by action, that hold the contents of an instant's states.
_METADATA = {
    "deltacommit": "hoodieCommitMetadata",
    "clean": "hoodieCleanMetadata",
    "rollback": "hoodieRollbackMetadata",
}

_COLUMNS = ("instantTime", "completionTime", "action", "metadata", "plan")
_BATCH = 64  # a row may be a whole commit


@dataclass
class Archive:
    """Archived instants.

    Attributes:
        completed: The versions of the completed ones.
        logs, plans, deleted: As in a :class:`HudiTable`.
        left_out: What was not read, and why.
    """

    completed: set[int] = field(default_factory=set)
    logs: dict[str, LogFile] = field(default_factory=dict)
    plans: dict[str, Plan] = field(default_factory=dict)
    deleted: dict[str, list[Instant]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)

    def add(self, instant: Instant, metadata: Document | None, plan: Document | None) -> None:
        """Add a state of an instant."""
        if plan is not None:
            self.plans[instant.ts] = plan_of(plan, instant, is_done=False)
        if instant.state != "completed":
            return
        self.completed.add(instant.version)
        if metadata is not None and instant.action == "deltacommit":
            for _ in slices_of(metadata, instant, "", self.logs):
                pass  # base files are known by their names
        elif metadata is not None and instant.action in DELETES:
            for name in deleted_by(metadata, instant):
                self.deleted.setdefault(name, []).append(instant)


def read_archive(source: Source, timeline: Timeline, damages: Damages) -> Archive:
    """Read a table's archived instants, without the files that are damaged."""
    try:  # writers replace small files by larger ones
        return read_again(lambda: _read(source, timeline, damages))
    except Damaged as error:
        damages.note(error)
        return Archive()


def _read(source: Source, timeline: Timeline, damages: Damages) -> Archive:
    archive = Archive()
    instants = _of_parquet if timeline.has_completion_times else _of_logs
    room, files = MOST_OF_ARCHIVE, _files(source, timeline)
    for number, entry in enumerate(files):
        room -= entry.size
        if room < 0:
            archive.left_out.append(f"archived instants in the oldest {counted(len(files) - number, 'file')}")
            break
        try:
            for instant, metadata, plan in instants(source, entry.name, archive):
                archive.add(instant, metadata, plan)
        except Missing:
            raise
        except Damaged as error:
            damages.note(error)
        except InputError as error:
            archive.left_out.append(f"archived instants: {error}")
    return archive


def _files(source: Source, timeline: Timeline) -> list[Entry]:
    """The files with archived instants, the newest first."""
    entries = {entry.base: entry for entry in source.entries(timeline.archive) if not entry.is_folder}
    if not timeline.has_completion_times:
        logs = [entry for base, entry in entries.items() if base.startswith(".commits_.archive.")]
        return sorted(logs, key=lambda entry: _number(entry.base.split(".")[3].partition("_")[0]), reverse=True)
    number = max(
        (_number(base.removeprefix("manifest_")) for base in entries if base.startswith("manifest_")), default=-1
    )
    if "_version_" in entries:  # it is written after its manifest
        name = entries["_version_"].name
        version = source.read(name, at_most=100).strip()
        if not version.isdigit():
            raise Damaged(name, "it does not hold a number")
        number = int(version)
    if number < 0:
        return []
    manifest = f"{timeline.archive}/manifest_{number}"
    named = Document(source.read_json(manifest), manifest).all("files", Document)
    bases = sorted((file.take("fileName", str) for file in named), reverse=True)
    absent = [base for base in bases if base not in entries]
    if absent:
        raise Missing(f"{timeline.archive}/{absent[0]}")
    return [entries[base] for base in bases]


def _number(digits: str) -> int:
    return int(digits) if digits.isdecimal() else -1


def _of_parquet(source: Source, name: str, _: Archive) -> Iterator[tuple[Instant, Document | None, Document | None]]:
    """The instants in a Parquet file."""
    for batch in read_columns(source, name, _COLUMNS, _BATCH):
        for archived in (Document(row, name) for row in batch.to_pylist()):
            ts, action = archived.take("instantTime", str), archived.take("action", str)
            completed_at = archived.get("completionTime", str, "")
            # Instants from before version 8 have their own time for want of another.
            instant = _instant(name, ts, action, "completed", completed_at if completed_at > ts else "")
            is_told = action in _METADATA or action == "restore"
            metadata = _packed(archived, "metadata") if is_told else None
            yield instant, metadata, _packed(archived, "plan") if action == "commit" else None


def _packed(row: Document, column: str) -> Document | None:
    """The one record of the Avro file in a column."""
    content = row.get(column, bytes)
    if not content:
        return None
    return Document(next(records(content, row.name, most_of_block=MOST_BYTES), None), row.name)


def _of_logs(source: Source, name: str, archive: Archive) -> Iterator[tuple[Instant, Document | None, Document | None]]:
    """The states of instants in a log file; its last block may be cut off, as by a writer that died."""
    content = source.read(name)
    place = 0
    while place < len(content):
        begins = place + len(_MAGIC) + 8
        if not _MAGIC.startswith(content[place : place + len(_MAGIC)]):
            raise Damaged(name, f"no block begins at byte {place:,}")
        end = begins + max(0, int.from_bytes(content[begins - 8 : begins], "big", signed=True))
        if end > len(content):
            archive.left_out.append(f"archived instants in the last block of {name}, which is not there as a whole")
            return
        for record in _of_block(_Bytes(content[begins:end], name)):
            archived = Document(record, name)
            action, state = archived.take("actionType", str), archived.get("actionState", str, "COMPLETED").lower()
            metadata_field = _METADATA.get(action) if state == "completed" else None
            yield (
                _instant(name, archived.take("commitTime", str), action, state, ""),
                _part(archived, metadata_field),
                _part(archived, "hoodieCompactionPlan" if action == "compaction" else None),
            )
        place = end


def _part(record: Document, field: str | None) -> Document | None:
    part = None if field is None else record.get(field, dict)
    return None if part is None else Document(part, record.name)


def _of_block(block: "_Bytes") -> Iterator[dict[str, Any]]:
    """The records of a block, which follow its magic and its length."""
    version = block.number()
    if version != 1:
        raise InputError(f"a block of {block.name} has version {version}; 1 is read")
    if block.number() != _AVRO_DATA:
        return
    header = {block.number(): block.take(block.number()) for _ in range(block.number())}
    block.take(8 + 4)  # the content's length and version
    encoded = (block.take(block.number()) for _ in range(block.number()))
    yield from bare_records(header.get(_SCHEMA, b""), encoded, block.name)


class _Bytes:
    """Bytes of a file, to be taken one after another."""

    def __init__(self, content: bytes, name: str) -> None:
        self._content, self.name, self._place = content, name, 0

    def take(self, length: int) -> bytes:
        """The next bytes."""
        begin, end = self._place, self._place + length
        if not begin <= end <= len(self._content):
            raise Damaged(self.name, f"a block ends before {length:,} bytes from its byte {begin:,} on")
        self._place = end
        return self._content[begin:end]

    def number(self) -> int:
        """The next four bytes as a number, as Java writes it."""
        return int.from_bytes(self.take(4), "big", signed=True)


def _instant(name: str, ts: str, action: str, state: str, completed_at: str) -> Instant:
    version_in(ts, name)
    return Instant(ts, completed_at, action, state, name)
