"""A Hudi table's properties, its timeline's instants, and their metadata."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.audits.avro import records
from workbench.audits.damaged import Damaged
from workbench.audits.documents import Document
from workbench.audits.source import MOST_BYTES, Source, json_of
from workbench.kernel import InputError
from workbench.kernel.meaning.errors import brief, listed
from workbench.kernel.meaning.values import counted

PROPERTIES = ".hoodie/hoodie.properties"

#: The supported table versions. Version 7 was only a step on the way to 8.
VERSIONS = (5, 6, 8, 9)

TYPES = ("COPY_ON_WRITE", "MERGE_ON_READ")

#: Actions that publish slices, and replace file groups. A deltacommit also adds log files to slices, which a compaction
#: merges into the next base file; a completed one is called a commit.
WRITES = ("commit", "replacecommit", "deltacommit")
#: Actions that delete files.
DELETES = ("clean", "rollback", "restore")

_ACTIONS = (*WRITES, *DELETES, "savepoint", "indexing", "schemacommit", "clustering", "compaction", "logcompaction")
_INSTANT = re.compile(rf"(\d+)(?:_(\d+))?\.(?:({'|'.join(_ACTIONS)})(?:\.(requested|inflight))?|inflight)")
#: The number of attempts to list a timeline while instants appear in its middle.
_TRIES = 5

DIGITS = (14, 17)  # to the second, as old writers had it, or to the millisecond
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")


class Instant(NamedTuple):
    """A file of the timeline; instants sort by timestamp."""

    ts: str
    completed_at: str  # empty if the name does not contain it
    action: str
    state: str
    name: str

    @property
    def version(self) -> int:
        """The timestamp as the number of a version."""
        return version_of_instant(self.ts)


def version_of_instant(ts: str) -> int:
    """A timestamp as a number; one without milliseconds counts as its second's last millisecond.

    Examples:
        >>> version_of_instant("20260102030405"), version_of_instant("20260102030405999")
        (20260102030405999, 20260102030405999)
    """
    if not ts.isdecimal() or len(ts) not in DIGITS:
        raise InputError(f"{brief(ts)} is not a timestamp of a Hudi timeline; it has 14 or 17 digits")
    return int(ts.ljust(17, "9"))


def version_in(ts: str, file: str) -> int:
    """A timestamp from a file of the table, as a number.

    Raises:
        Damaged: If it is not a timestamp.
    """
    try:
        return version_of_instant(ts)
    except InputError as error:
        raise Damaged(file, str(error)) from None


def beginning(since: int) -> int:
    """The smallest version whose timestamp starts with these digits or is later.

    Examples:
        >>> beginning(20260102), beginning(20260102030405), beginning(20260102030405999)
        (20260102000000000, 20260102030405000, 20260102030405999)
    """
    return int(str(since).ljust(DIGITS[-1], "0"))


def has_instants(source: Source) -> bool:
    """Whether there is a timeline, in the folder of any version."""
    entries = (entry for folder in (".hoodie", ".hoodie/timeline") for entry in source.entries(folder))
    return any(_INSTANT.fullmatch(entry.base) is not None for entry in entries)


def properties(source: Source) -> dict[str, str]:
    """The contents of ``hoodie.properties``.

    Raises:
        Damaged: If it is missing, or lacks an entry that an audit needs.
        InputError: If the table is of an unsupported kind.
    """
    try:
        text = source.read(PROPERTIES, at_most=2**22).decode()
    except UnicodeError:
        raise Damaged(PROPERTIES, "it is not UTF-8 text") from None
    config = dict(_pairs(text))
    if "hoodie.table.type" not in config:
        raise Damaged(PROPERTIES, "it does not say hoodie.table.type")
    if config["hoodie.table.type"].upper() not in TYPES:
        raise InputError(
            f"a Hudi table of type {brief(config['hoodie.table.type'])} is not accepted; {listed(TYPES)} are"
        )
    version = config.get("hoodie.table.version", "0")  # the first version did not record it
    if version not in map(str, VERSIONS):
        raise InputError(f"Hudi's table version {brief(version)} is not accepted; {listed(map(str, VERSIONS))} are")
    for name, accepted in (("hoodie.table.base.file.format", "PARQUET"), ("hoodie.table.format", "NATIVE")):
        if config.get(name, accepted).upper() != accepted:
            raise InputError(f"{name} = {brief(config[name])} is not accepted; {accepted} is")
    if config.get("hoodie.bootstrap.base.path"):
        raise InputError("a Hudi table with hoodie.bootstrap.base.path is not accepted: some of its rows are elsewhere")
    return config


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The pairs in a Java properties file."""
    lines = iter(text.splitlines())
    for line in lines:
        line = line.lstrip()
        while len(line) - len(line.rstrip("\\")) & 1:  # continued on the next line
            line = line[:-1] + next(lines, "").lstrip()
        if line and line[0] not in "#!":
            name, _, value = re.sub(r"(?<!\\)\s*[=:]\s*", "\0", line, count=1).partition("\0")
            yield _unescaped(name), _unescaped(value)


def _unescaped(text: str) -> str:
    """A text with its backslash escapes resolved."""

    def character(escape: re.Match[str]) -> str:
        letter = escape[1]
        return chr(int(letter[1:], 16)) if len(letter) == 5 else {"n": "\n", "t": "\t", "r": "\r"}.get(letter, letter)

    return _ESCAPED.sub(character, text)


class Timeline:
    """The folder of a table's instants, and its listing.

    Args:
        config: The table's properties.

    Attributes:
        has_completion_times: Whether instants say when they completed, as from version 8 on.
        folder, archive: The folders of the active instants and of the archived ones.
    """

    def __init__(self, source: Source, config: dict[str, str]) -> None:
        self._source = source
        self.has_logs = config["hoodie.table.type"].upper() == "MERGE_ON_READ"
        layout = config.get("hoodie.timeline.layout.version") or (
            "2" if int(config["hoodie.table.version"]) >= 8 else "1"
        )
        if layout not in ("1", "2"):
            raise InputError(f"hoodie.timeline.layout.version = {brief(layout)} is not accepted; 1 and 2 are")
        self.has_completion_times = layout == "2"
        if self.has_completion_times:
            self.folder = f".hoodie/{config.get('hoodie.timeline.path') or 'timeline'}"
            self.archive = f"{self.folder}/{config.get('hoodie.timeline.history.path') or 'history'}"
        else:
            self.folder = ".hoodie"
            self.archive = f".hoodie/{config.get('hoodie.archivelog.folder') or 'archived'}"

    def instants(self) -> list[Instant]:
        """All instants, in order.

        While instants are added, a listing may include a later one and miss an earlier one. So a listing counts only
        if a second one adds nothing before its last completed instant.
        """
        listed = self._listed()
        for _ in range(_TRIES):
            again = self._listed()
            last = max((instant.ts for instant in listed if instant.state == "completed"), default="")
            missed = {instant for instant in again if instant.state == "completed" and instant.ts <= last}
            if missed <= set(listed):
                break
            listed = again
        return listed

    def _listed(self) -> list[Instant]:
        instants = []
        for entry in self._source.entries(self.folder):
            parts = _INSTANT.fullmatch(entry.base)
            if entry.is_folder or parts is None:
                continue
            ts, completed_at, action, state = parts.groups(default="")
            version_of_instant(ts)
            if action in ("deltacommit", "logcompaction") and not self.has_logs:
                raise InputError(f"{brief(entry.name)} is not accepted: only a merge-on-read table has these")
            state = state or ("completed" if action else "inflight")
            instants.append(Instant(ts, completed_at, action or "commit", state, entry.name))
        return sorted(instants)

    def has_history(self) -> bool:
        """Whether older instants were archived, so that the active timeline does not start with the table."""
        return any(not entry.is_folder and entry.size for entry in self._source.entries(self.archive))


def metadata_of(source: Source, instant: Instant) -> Document:
    """The metadata of an instant: Avro, or JSON for writes up to version 6."""
    content = source.read(instant.name)
    if not content.startswith(b"Obj\x01"):
        return Document(json_of(content, instant.name), instant.name)
    documents = list(records(content, instant.name, most_of_block=MOST_BYTES))  # a record is a whole commit
    if len(documents) != 1:
        raise Damaged(instant.name, f"it holds {counted(len(documents), 'record')} instead of one")
    return Document(documents[0], instant.name)


def deleted_by(metadata: Document, instant: Instant) -> set[str]:
    """The files that an instant reports as deleted, without their folders."""
    parts = [metadata]
    if instant.action == "restore":  # it consists of rollbacks
        parts = [
            part for some in metadata.all("hoodieRestoreMetadata", list) for part in metadata.members(some, Document)
        ]
    return {
        name.rpartition("/")[2]
        for part in parts
        for partition in part.all("partitionMetadata", Document)
        for field in ("deletePathPatterns", "successDeleteFiles")
        for name in partition.all(field, str)
    }
