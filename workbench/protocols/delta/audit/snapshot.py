"""A Delta table at one version: the sum of the entries up to it, or of a checkpoint."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from workbench.audits.documents import Document
from workbench.protocols.delta.audit.actions import (
    Actions,
    FileAction,
    TableMetadata,
    TableProtocol,
    read_metadata,
    read_protocol,
)


class FileLife(NamedTuple):
    """A live file, the version that added it, and the last one that added it again; -1 if that is not known."""

    file: FileAction
    first: int
    last: int


class Death(NamedTuple):
    """The version that removed a file, and the version that had added it (-1 if unknown)."""

    version: int = -1
    first: int = -1


@dataclass
class Snapshot:
    """The table at a version.

    Attributes:
        live: The live files, by name, in the order in which they were last added.
        dead: The files that were removed, with the last version that did it, in that order.
        transactions: The last version of each application's transactions.
        high_water_mark: The largest row id that is assigned, in tables with row tracking.
        bytes: The size of all live files.
        metadata_of, protocol_of: The versions that set them.
    """

    metadata: TableMetadata
    protocol: TableProtocol
    live: dict[str, FileLife] = field(default_factory=dict)
    dead: dict[str, Death] = field(default_factory=dict)
    transactions: dict[str, int] = field(default_factory=dict)
    high_water_mark: int | None = None
    bytes: int = 0
    metadata_of: int = -1
    protocol_of: int = -1

    @classmethod
    def of(cls, checkpoint: Actions) -> "Snapshot":
        """The table according to a checkpoint."""
        dead = {remove.name: Death() for remove in checkpoint.removes}
        snapshot = cls(checkpoint.metadata[0], checkpoint.protocol[0], dead=dead)
        snapshot.apply(checkpoint, -1, is_checkpoint=True)
        return snapshot

    def apply(self, actions: Actions, version: int, *, is_checkpoint: bool = False) -> None:
        """Go on to the next version."""
        for remove in () if is_checkpoint else actions.removes:
            life = self._drop(remove.name)
            self.dead.pop(remove.name, None)
            self.dead[remove.name] = Death(version, -1 if life is None else life.first)
        for add in actions.adds:
            before = self._drop(add.name)
            is_same = before is not None and before.file.vector_id == add.vector_id
            self.live[add.name] = FileLife(add, before.first if before is not None and is_same else version, version)
            self.bytes += add.size or 0
        if actions.metadata:
            self.metadata, self.metadata_of = actions.metadata[-1], version
        if actions.protocol:
            self.protocol, self.protocol_of = actions.protocol[-1], version
        self.transactions |= actions.transactions
        if actions.high_water_mark is not None:
            self.high_water_mark = actions.high_water_mark

    def _drop(self, name: str) -> FileLife | None:
        life = self.live.pop(name, None)
        self.bytes -= (life.file.size or 0) if life else 0
        return life

    def unlike(self, checkpoint: Actions) -> Iterator[str]:
        """The differences between a checkpoint of this version and the sum of the entries."""
        for name in self.live.keys() - {add.name for add in checkpoint.adds}:
            yield f"it lacks {name}"
        yield from self._unlike(checkpoint)

    def unlike_compaction(self, compaction: Actions, first: int) -> Iterator[str]:
        """The differences between a compaction of the entries from `first` to this version and their sum."""
        added = {add.name for add in compaction.adds}
        removed = {remove.name for remove in compaction.removes}
        for name, life in takewhile(lambda item: item[1].last >= first, reversed(self.live.items())):
            if life.first >= first and name not in added:
                yield f"it does not add {name}"
        for name, death in takewhile(lambda item: item[1].version >= first, reversed(self.dead.items())):
            if death.first < first and name not in removed and name not in self.live:
                yield f"it does not remove {name}"
        for remove in compaction.removes:
            mine, death = self.live.get(remove.name), self.dead.get(remove.name, Death())
            if death.version < first or (mine and mine.file.vector_id == remove.vector_id):
                yield f"it removes {remove.name}, which the entries do not"
        for kind, actions, version in (
            ("metaData", compaction.metadata, self.metadata_of),
            ("protocol", compaction.protocol, self.protocol_of),
        ):
            if version >= first and not actions:
                yield f"it has no {kind}"
        yield from self._unlike(compaction)

    def _unlike(self, actions: Actions) -> Iterator[str]:
        """The actions that differ from the state that the entries up to this version produce."""
        for add in actions.adds:
            mine = self.live.get(add.name)
            if mine is None:
                yield f"it has {add.name}, which the entries do not have"
            elif mine.file.vector_id != add.vector_id:
                yield f"it has {add.name} with other rows struck out"
            elif mine.file.vector != add.vector:
                yield f"it has {add.name} with another size or cardinality of its deletion vector"
            elif (mine.file.size, mine.file.partition) != (add.size, add.partition):
                yield f"it has {add.name} with another size or partition"
            elif mine.file.base_row != add.base_row:
                yield f"it has {add.name} with the base row id {add.base_row}, and not {mine.file.base_row}"
        if any(metadata != self.metadata for metadata in actions.metadata[-1:]):
            yield "its metaData is another"
        if any(protocol != self.protocol for protocol in actions.protocol[-1:]):
            yield "its protocol is another"
        if actions.high_water_mark not in (None, self.high_water_mark):
            yield f"it has the row id high water mark {actions.high_water_mark}, and not {self.high_water_mark}"
        for app, number in actions.transactions.items():
            if self.transactions.get(app) != number:
                yield f"it has the transaction {number} of the application {app}"

    def miscounts(self, checksum: Document) -> Iterator[str]:
        """The differences between a checksum file of this version and the table."""
        vectors = [life.file.vector.cardinality for life in self.live.values() if life.file.vector is not None]
        for name, there in (
            ("numFiles", len(self.live)),
            ("tableSizeBytes", self.bytes),
            ("numMetadata", 1),
            ("numProtocol", 1),
            ("numDeletionVectorsOpt", len(vectors)),
            ("numDeletedRecordsOpt", sum(vectors)),
        ):
            number = checksum.get(name, int)
            if number not in (None, there):
                yield f"{name} is {number:,}, and there are {there:,}"
        metadata, protocol = checksum.get("metadata", dict), checksum.get("protocol", dict)
        if metadata is not None and read_metadata(Document(metadata, checksum.name)) != self.metadata:
            yield "its metadata is another"
        if protocol is not None and read_protocol(Document(protocol, checksum.name)) != self.protocol:
            yield "its protocol is another"


def rivals(actions: Actions) -> list[str]:
    """The names of the files added with several deletion vectors, or once with one and once without: all are live."""
    vectors: dict[str, set[str | None]] = {}
    for add in actions.adds:
        vectors.setdefault(add.name, set()).add(add.vector_id)
    return [name for name, several in vectors.items() if len(several) > 1]


def twice(actions: Actions, *, is_checkpoint: bool) -> list[str]:
    """The names of the files added twice or removed twice; in :func:`rivals` are those added with several vectors.

    A file is removed once, whatever its deletion vector; but a checkpoint keeps a tombstone for each that it had.
    """
    names = []
    for files in (actions.adds, actions.removes):
        seen: set[tuple[str, str | None]] = set()
        for action in files:
            key = action.name, action.vector_id if is_checkpoint or files is actions.adds else None
            if key in seen:
                names.append(action.name)
            seen.add(key)
    return names


def both(actions: Actions) -> list[str]:
    """The names of the files that are added and removed."""
    removed = {(remove.name, remove.vector_id) for remove in actions.removes}
    return [add.name for add in actions.adds if (add.name, add.vector_id) in removed]


def miscounted(entry: Actions) -> Iterator[str]:
    """The differences between delta-rs's counts and an entry; it counts a delete's change data files as added."""
    if not (entry.info("engineInfo", str) or "").startswith("delta-rs"):
        return
    metrics = Document(entry.info("operationMetrics", dict) or {}, entry.name)
    added, removed = len(entry.adds), len(entry.removes)
    for name, count, most in (
        ("num_added_files", added, added + entry.changes),
        ("num_removed_files", removed, removed),
    ):
        number = metrics.get(name, int)
        if number not in (None, count, most):
            yield f"{name} is {number:,}, and there are {count:,}"
