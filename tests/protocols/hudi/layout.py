"""A writer of copy-on-write Hudi tables, for tests only: it lays files out as the published format says.

There is no Hudi writer to be had from Python; that Hudi's own reader reads what is laid out here, a test says. It knows
the table versions 5, 6 (instants in ``.hoodie``, commit metadata as JSON, no completion times) and 8, 9
(``.hoodie/timeline``, completion times in names, Avro). It does what Hudi's own writers do not: :meth:`HudiTable.begin`
opens an operation that has read its file group, and what is done to the table until the operation writes and completes,
it does not see. No locks, no checks, so that a test can have every race and every damage that it wants. Time is a
counter, and file ids follow from names.

Everything is given as words, as in the cases of ``audit.txt``: a group is ``a``, or ``day=1/a`` in a partition; a row
is ``jack=red``, or ``-jack`` if it is deleted; ``~b`` takes the group ``b`` out of the table, as clustering does.
"""

import json
import struct
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from tests.audits.cases import Table
from workbench.audits import Audit

JAVA_STRING = {"type": "string", "avro.java.string": "String"}
STRINGS, NUMBERS = ["null", JAVA_STRING], ["null", "long"]
META = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


def _record(name: str, **fields: Any) -> dict[str, Any]:
    listed = [
        {"name": n, "type": t} | ({"default": None} if isinstance(t, list) and t[0] == "null" else {})
        for n, t in fields.items()
    ]
    return {"type": "record", "namespace": "org.apache.hudi.avro.model", "name": name, "fields": listed}


def _map_of(values: Any) -> dict[str, Any]:
    return {"type": "map", "values": values}


_COUNTS = ("numWrites", "numDeletes", "numUpdateWrites", "numInserts", "totalWriteBytes", "fileSizeInBytes")
_NAMES = {"type": "array", "items": JAVA_STRING}
_WRITE_STAT = _record(
    "HoodieWriteStat",
    **dict.fromkeys(("fileId", "path", "prevCommit", "partitionPath"), STRINGS),
    **dict.fromkeys(_COUNTS, NUMBERS),
)
_COMMIT = {
    "partitionToWriteStats": ["null", _map_of({"type": "array", "items": _WRITE_STAT})],
    "extraMetadata": ["null", _map_of(JAVA_STRING)],
    "version": ["int", "null"],
    "operationType": STRINGS,
}
_DELETED = {"partitionPath": JAVA_STRING, "successDeleteFiles": _NAMES, "failedDeleteFiles": _NAMES}
_CLEANED = _record("HoodieCleanPartitionMetadata", **_DELETED, policy=JAVA_STRING, deletePathPatterns=_NAMES)
_COUNTED = {"timeTakenInMillis": "long", "totalFilesDeleted": "int", "version": ["int", "null"]}
SCHEMAS = {
    "commit": _record("HoodieCommitMetadata", **_COMMIT),
    "replacecommit": _record(
        "HoodieReplaceCommitMetadata", **_COMMIT, partitionToReplaceFileIds=["null", _map_of(_NAMES)]
    ),
    "clean": _record(
        "HoodieCleanMetadata",
        **_COUNTED,
        **dict.fromkeys(("startCleanTime", "earliestCommitToRetain"), JAVA_STRING),
        partitionMetadata=_map_of(_CLEANED),
    ),
    "rollback": _record(
        "HoodieRollbackMetadata",
        **_COUNTED,
        startRollbackTime=JAVA_STRING,
        commitsRollback=_NAMES,
        partitionMetadata=_map_of(_record("HoodieRollbackPartitionMetadata", **_DELETED)),
    ),
}


_PLANNED = {"baseInstantTime": JAVA_STRING, "deltaFilePaths": _NAMES, "fileId": JAVA_STRING}
_PLAN = _record(
    "HoodieCompactionPlan",
    operations={"type": "array", "items": _record("HoodieCompactionOperation", **_PLANNED, partitionPath=JAVA_STRING)},
)


_ENTRY = {
    "commit": "hoodieCommitMetadata",
    "deltacommit": "hoodieCommitMetadata",
    "clean": "hoodieCleanMetadata",
    "rollback": "hoodieRollbackMetadata",
    "compaction": "hoodieCompactionPlan",
}
_ENTRIES = fastavro.parse_schema(
    _record(
        "HoodieArchivedMetaEntry",
        hoodieCommitMetadata=["null", SCHEMAS["commit"]],
        hoodieCleanMetadata=["null", SCHEMAS["clean"]],
        hoodieRollbackMetadata=["null", SCHEMAS["rollback"]],
        commitTime=STRINGS,
        actionType=STRINGS,
        version=["int", "null"],
        hoodieCompactionPlan=["null", _PLAN],
        actionState=STRINGS,
    )
)
_LSM = pa.schema(
    [
        *((name, pa.string()) for name in ("instantTime", "completionTime", "action")),
        *((name, pa.binary()) for name in ("metadata", "plan")),
        ("version", pa.int32()),
    ]
)


def log_block(entries: list[dict[str, Any]]) -> bytes:
    """A block of Avro records, in Hudi's format of log files."""

    def sized(content: bytes) -> bytes:
        return struct.pack(">i", len(content)) + content

    encoded = []
    for entry in entries:
        out = BytesIO()
        fastavro.schemaless_writer(out, _ENTRIES, {"version": 1} | entry)
        encoded.append(sized(out.getvalue()))
    header = struct.pack(">ii", 1, 2) + sized(json.dumps(_ENTRIES).encode())
    content = struct.pack(">ii", 1, len(entries)) + b"".join(encoded)
    block = struct.pack(">ii", 1, 3) + header + struct.pack(">q", len(content)) + content + struct.pack(">i", 0)
    length = len(block) + 8
    return b"#HUDI#" + struct.pack(">q", length) + block + struct.pack(">q", length + 6)


def avro(schema: Any, record: Mapping[str, Any]) -> bytes:
    """An Avro container file with one record."""
    out = BytesIO()
    fastavro.writer(out, fastavro.parse_schema(schema), [dict(record)])
    return out.getvalue()


@dataclass(frozen=True, eq=False)
class Slice:
    """A base file that an operation has written: its rows are key -> (value, time of the commit that wrote the row)."""

    partition: str
    file_id: str
    ts: str
    path: str
    rows: Mapping[str, tuple[str, str]]


@dataclass
class Operation:
    """A writer's operation under way: it sees the file groups as they were when it began."""

    table: "HudiTable"
    ts: str
    type: str
    action: str
    token: str
    seen: dict[tuple[str, str], Slice]
    stats: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    wrote: list[Slice] = field(default_factory=list)
    replaces: dict[str, list[str]] = field(default_factory=dict)

    def put(self, group: str, *rows: str) -> "Operation":
        """Write a file group's new slice: what was there when the operation began, with these rows."""
        for replaced, gone in (self.table.group(word[1:]) for word in rows if word.startswith("~")):
            self.replaces.setdefault(replaced, []).append(gone)
        partition, file_id = self.table.group(group)
        before = self.seen.get((partition, file_id))
        merged = {} if before is None else dict(before.rows)
        new = dict(row.split("=") for row in rows if row[0] not in "-~")
        changed = sum(key in merged for key in new)
        merged |= {key: (value, self.ts) for key, value in new.items()}
        dropped = [merged.pop(row[1:]) for row in rows if row.startswith("-")]
        name = f"{file_id}_{self.token}_{self.ts}.parquet"
        path = f"{partition}/{name}" if partition else name
        size = self.table.write_base_file(path, partition, merged)
        self.wrote.append(Slice(partition, file_id, self.ts, path, merged))
        stat = dict.fromkeys(_COUNTS, 0) | {
            "fileId": file_id,
            "path": path,
            "prevCommit": "null" if before is None else before.ts,
            "partitionPath": partition,
            "numWrites": len(merged),
            "numDeletes": len(dropped),
            "numUpdateWrites": changed,
            "numInserts": len(new) - changed,
            "totalWriteBytes": size,
            "fileSizeInBytes": size,
        }
        self.stats.setdefault(partition, []).append(stat)
        return self

    def complete(self) -> str:
        """Publish what was written; the operation's timestamp."""
        metadata: dict[str, Any] = {
            "partitionToWriteStats": self.stats,
            "extraMetadata": {"schema": self.table.schema},
            "operationType": self.type,
        }
        if self.action == "replacecommit":
            metadata["partitionToReplaceFileIds"] = self.replaces
        self.table.write_completed(self.ts, self.action, metadata)
        gone = {(partition, one) for partition, ids in self.replaces.items() for one in ids}
        self.table.replaced |= dict.fromkeys(gone, self.ts)
        self.table.live = {group: one for group, one in self.table.live.items() if group not in gone}
        self.table.live |= {(one.partition, one.file_id): one for one in self.wrote}
        self.table.published += self.wrote
        return self.ts


class HudiTable(Table):
    """A copy-on-write table in a folder, with the primary key ``id`` and one value."""

    def __init__(self, folder: Path, version: int = 6, *, partitioned: bool = False) -> None:
        super().__init__(folder)
        self.layout_2 = version >= 8
        self.timeline = folder / ".hoodie" / ("timeline" if self.layout_2 else "")
        self.live: dict[tuple[str, str], Slice] = {}
        self.published: list[Slice] = []
        self.replaced: dict[tuple[str, str], str] = {}
        self.instants: list[str] = []
        self.logs: dict[str, str] = {}
        self.archived = 0  # how often instants were archived
        self.operations: dict[str, Operation] = {}
        self.time = datetime(2026, 1, 1)
        self.columns = ("id", "value", "day") if partitioned else ("id", "value")
        columns = [{"name": name, "type": ["null", "string"], "default": None} for name in self.columns]
        self.schema = json.dumps({"type": "record", "name": "t_record", "namespace": "hoodie.t", "fields": columns})
        self.timeline.mkdir(parents=True)
        (folder / ".hoodie" / "metadata" / ".hoodie").mkdir(parents=True)  # the metadata table, a table of its own
        (self.timeline / "history" if self.layout_2 else folder / ".hoodie" / "archived").mkdir()
        given = {
            "hoodie.table.name": "t",
            "hoodie.database.name": "default",
            "hoodie.table.type": "COPY_ON_WRITE",
            "hoodie.table.version": str(version),
            "hoodie.table.recordkey.fields": "id",
            "hoodie.populate.meta.fields": "true",
            "hoodie.table.base.file.format": "PARQUET",
            "hoodie.timeline.layout.version": "2" if self.layout_2 else "1",
            "hoodie.table.create.schema": self.schema.replace(":", "\\:"),
            "hoodie.archivelog.folder": "archived",
            "hoodie.table.checksum": str(zlib.crc32(b"default.t")),
        }
        if partitioned:
            given |= {"hoodie.table.partition.fields": "day", "hoodie.datasource.write.hive_style_partitioning": "true"}
        if self.layout_2:
            given |= {"hoodie.timeline.path": "timeline", "hoodie.timeline.history.path": "history"}
        lines = [f"{name}={value}" for name, value in given.items()]
        text = "\n".join(["#Updated at 2026-01-01T00:00:00Z", "#Thu Jan 01 00:00:00 UTC 2026", *lines, ""])
        (folder / ".hoodie" / "hoodie.properties").write_text(text)

    # What cases call things

    def told(self, name: str) -> str:
        """Of a number or an operation the timestamp, or its ``day:``; of ``a@2`` a slice's path; of a group the id."""
        group, _, at = name.partition("@")
        if at:
            wanted = self.told(group), self.told(at)
            return next(one.path for one in self.published if (one.file_id, one.ts) == wanted)
        if ":" in name:
            unit, _, name = name.partition(":")
            return self.told(name)[: {"day": 8, "second": 14}[unit]]
        if name in self.operations:
            return self.operations[name].ts
        if name.isdecimal():
            return self.instants[int(name) - 1] if len(name) < 3 else name
        return self.group(name)[1]

    def version(self, name: str) -> int | None:
        return None if name == "-" else int(self.told(name))

    def files(self, name: str) -> list[Path]:
        """Of a number, the file of the completed instant, and with a star all files of it; ``a@2`` is a slice."""
        if name.rstrip("*").isdecimal():
            there = self.timeline.glob(f"{self.told(name.rstrip('*'))}*")
            return [path for path in there if name.endswith("*") or "commit" in path.suffix]
        return super().files(self.told(name) if "@" in name else name)

    def audit(self) -> Audit:
        """The audit, whose findings also have causes and repairs that fit their models."""
        found = super().audit()
        for one in found.findings:
            if one.model is not None:
                cause = one.cause or {}
                assert cause.items() <= one.model.constants.items()
                assert set(one.repair) <= {*cause, "PutIfAbsentSupported"}
        return found

    def group(self, name: str) -> tuple[str, str]:
        """The partition, and the id, of the file group that a test calls so."""
        partition, _, group = name.rpartition("/")
        return partition, f"{uuid.uuid5(uuid.NAMESPACE_OID, group)}-0"

    def now(self) -> str:
        self.time += timedelta(seconds=1, milliseconds=7)
        return self.time.strftime("%Y%m%d%H%M%S") + f"{self.time.microsecond // 1000:03d}"

    # The timeline

    def begin(self, name: str = "", operation: str = "UPSERT", ts: str = "", token: str = "") -> Operation:
        """Request an instant, and read the table as it is now.

        Args:
            ts: The timestamp, or the name of the operation that has the same.
        """
        replaces = operation.startswith("INSERT_OVERWRITE") or operation in ("CLUSTER", "DELETE_PARTITION")
        action = "replacecommit" if replaces else "commit"
        token = token or f"0-{len(self.instants) + 10}-{len(self.instants) * 3 + 20}"
        opened = Operation(self, self.told(ts) if ts else self.now(), operation, action, token, dict(self.live))
        self.operations[name] = opened
        announced = "clustering" if self.layout_2 and operation == "CLUSTER" else action
        (self.timeline / f"{opened.ts}.{announced}.requested").write_bytes(b"")
        inflight = f"{opened.ts}.inflight" if announced == "commit" else f"{opened.ts}.{announced}.inflight"
        (self.timeline / inflight).write_bytes(b"")
        return opened

    def put(self, operation: str, group: str, *rows: str) -> None:
        self.operations[operation].put(group, *rows)

    def end(self, operation: str, group: str, *rows: str) -> None:
        """Let an operation write, and complete it."""
        self.operations[operation].put(group, *rows).complete()

    def commit(self, *words: str) -> str:
        """Begin an operation on one file group, write, and complete it; its type may come first, in capitals."""
        operation, group, *rows = words if words[0].isupper() else ("UPSERT", *words)
        return self.begin(operation=operation).put(group, *rows).complete()

    def append(self, group: str) -> None:
        """Complete a deltacommit that adds a log file to a file group, as merge-on-read tables do."""
        ts, (partition, file_id) = self.now(), self.group(group)
        before = self.live.get((partition, file_id))
        path = f".{file_id}_{before.ts if before and not self.layout_2 else ts}.log.{len(self.instants) + 1}_0-1-2"
        (self.folder / path).write_bytes(b"#HUDI#")
        self.logs[ts] = path
        stat = dict.fromkeys(_COUNTS, 0) | {"fileId": file_id, "path": path, "partitionPath": partition}
        stat |= {"prevCommit": before.ts if before else "null", "fileSizeInBytes": 6, "totalWriteBytes": 6}
        metadata = {"partitionToWriteStats": {partition: [stat]}, "extraMetadata": {}, "operationType": "UPSERT"}
        self.write_completed(ts, "deltacommit", metadata)

    def compact(self, group: str, left_out: str = "") -> None:
        """Merge a file group's log files into a new slice, but for the last ones: so many as `left_out` says."""
        partition, file_id = self.group(group)
        base, ts = self.live[partition, file_id], self.now()
        logs = sorted(
            self.folder.glob(f".{file_id}_*.log.*"), key=lambda path: int(path.name.split(".log.")[1].split("_")[0])
        )
        names = [path.name for path in logs][: -int(left_out) if left_out else None]
        operation = {"baseInstantTime": base.ts, "deltaFilePaths": names, "fileId": file_id, "partitionPath": partition}
        (self.timeline / f"{ts}.compaction.requested").write_bytes(avro(_PLAN, {"operations": [operation]}))
        merge = Operation(self, ts, "COMPACT", "commit", "1-0-1", dict(self.live))
        merge.put(group).complete()

    def inflight(self, action: str) -> None:
        """Let an action be under way."""
        (self.timeline / f"{self.now()}.{action}.inflight").write_bytes(b"")

    def savepoint(self, ts: str) -> None:
        """Keep what an instant has published from cleaners and archives."""
        ts = self.told(ts)
        (self.timeline / (f"{ts}_{self.now()}.savepoint" if self.layout_2 else f"{ts}.savepoint")).write_bytes(b"")

    def write_completed(self, ts: str, action: str, metadata: dict[str, Any]) -> Path:
        """Write a completed instant."""
        name = f"{ts}_{self.now()}.{action}" if self.layout_2 else f"{ts}.{action}"
        if self.layout_2 or action not in ("commit", "replacecommit", "deltacommit"):
            content = avro(SCHEMAS["commit" if action == "deltacommit" else action], {"version": 1} | metadata)
        else:
            content = json.dumps({"compacted": False} | metadata, indent=2).encode()
        path = self.timeline / name
        path.write_bytes(content)
        self.instants.append(ts)
        return path

    def clean(self, retain: str = "") -> None:
        """Delete every slice that a later one, completed before the instant `retain`, has taken the place of."""
        ts = self.now()
        retain = self.told(retain) if retain else ts
        current = list(self.live.values())
        superseded_at = dict(self.replaced)
        gone = []
        for one in sorted(self.published, key=lambda s: s.ts, reverse=True):
            group = (one.partition, one.file_id)
            if superseded_at.get(group, retain) < retain and one not in current:
                gone.append(one)
            superseded_at[group] = one.ts
        for state in ("requested", "inflight"):
            (self.timeline / f"{ts}.clean.{state}").write_bytes(b"")
        partitions = self.forget(gone)
        merged = max((one.ts for one in current if one.ts < retain), default="")  # tests have logs of one group
        self._forget_logs([log for log in self.logs if log < merged], partitions)
        for told in partitions.values():
            told["successDeleteFiles"] = [Path(path).name for path in told["successDeleteFiles"]]
            told |= {"policy": "KEEP_LATEST_COMMITS", "deletePathPatterns": told["successDeleteFiles"]}
        metadata = {"startCleanTime": ts, "earliestCommitToRetain": retain}
        self._write_deleted(ts, "clean", partitions, **metadata)

    def roll_back(self, ts: str, what: str = "instant") -> None:
        """Delete what an instant has written, and the instant; or, as a stale cleaner may, only the "files"."""
        ts, now = self.told(ts), self.now()
        gone = [one for one in self.published if one.ts == ts]
        partitions = self.forget(gone)
        self._forget_logs([ts] if ts in self.logs else [], partitions)
        if what == "instant":
            for path in list(self.timeline.glob(f"{ts}*")):
                path.unlink()
            for one in gone:
                before = [s for s in self.published if (s.partition, s.file_id) == (one.partition, one.file_id)]
                self.live.pop((one.partition, one.file_id), None)
                self.live |= {(s.partition, s.file_id): s for s in before}
        self._write_deleted(now, "rollback", partitions, startRollbackTime=now, commitsRollback=[ts])

    def _write_deleted(self, ts: str, action: str, partitions: dict[str, Any], **more: Any) -> None:
        deleted = sum(len(told["successDeleteFiles"]) for told in partitions.values())
        told = {"timeTakenInMillis": 1, "totalFilesDeleted": deleted, "partitionMetadata": partitions}
        self.write_completed(ts, action, told | more)

    def forget(self, gone: list[Slice]) -> dict[str, Any]:
        """Delete slices; what an instant says of that, by partition."""
        said: dict[str, Any] = {}
        for one in gone:
            (self.folder / one.path).unlink()
            self.published.remove(one)
            empty = {"partitionPath": one.partition, "successDeleteFiles": [], "failedDeleteFiles": []}
            said.setdefault(one.partition, empty)["successDeleteFiles"].append(f"{self.folder}/{one.path}")
        return said

    def _forget_logs(self, made_by: list[str], said: dict[str, Any]) -> None:
        """Delete the log files of some deltacommits, and add that to what an instant says."""
        for ts in made_by:
            path = self.logs.pop(ts)
            (self.folder / path).unlink()
            empty = {"partitionPath": "", "successDeleteFiles": [], "failedDeleteFiles": []}
            said.setdefault("", empty)["successDeleteFiles"].append(f"{self.folder}/{path}")

    def archive(self, count: str) -> None:
        """Move the oldest instants out of the active timeline.

        File groups that one of them has replaced go with it, as they do in Hudi, or they would be back in the table.
        """
        files = [path for path in self.timeline.iterdir() if path.is_file() and path.name[:1].isdigit()]
        done = sorted({path.name[:17] for path in files})[: int(count)]
        said = [(ts, self._archived(ts)) for ts in done]
        for ts in done:
            self.remove(f"{ts}*")
            groups = {group for group, replaced in self.replaced.items() if replaced == ts}
            self.forget([one for one in self.published if (one.partition, one.file_id) in groups and one.ts < ts])
        self.archived += 1
        if self.layout_2:
            history = self.timeline / "history"
            name = f"{done[0]}_{done[-1]}_0.parquet"
            rows = [{"instantTime": ts, **row, "version": 1} for ts, row in said]
            pq.write_table(pa.Table.from_pylist(rows, _LSM), history / name)
            listed = [{"fileName": file.name, "fileLen": file.stat().st_size} for file in history.glob("*.parquet")]
            (history / f"manifest_{self.archived}").write_text(json.dumps({"files": listed}))
            (history / "_version_").write_text(str(self.archived))
        else:
            path = self.folder / ".hoodie" / "archived" / f".commits_.archive.{self.archived}_1-0-1"
            path.write_bytes(log_block([{"commitTime": ts} | entry for ts, entries in said for entry in entries]))

    def _archived(self, ts: str) -> Any:
        """What an archive keeps of an instant: up to version 6 a record for each of its files, then a row."""
        row: dict[str, Any] = {}
        entries = []
        for path in sorted(self.timeline.glob(f"{ts}*")):
            begin, action, *state = path.name.split(".")
            content = path.read_bytes()
            if self.layout_2 and not state:
                row |= {"completionTime": begin.partition("_")[2], "action": action, "metadata": content}
            elif self.layout_2 and content:
                row["plan"] = content
            elif not self.layout_2:
                entry: dict[str, Any] = {"actionType": action, "actionState": (state or ["completed"])[0].upper()}
                if content and action in _ENTRY:
                    said = json.loads(content) if content[:1] == b"{" else next(fastavro.reader(BytesIO(content)))
                    entry[_ENTRY[action]] = said
                entries.append(entry)
        return row if self.layout_2 else entries

    # Base files

    def overwrite(self, path: str, *rows: str) -> None:
        """Write a base file that is in no instant: in the place of a slice, or beside it as another group's."""
        path = self.told(path) if "@" in path else path
        ts = Path(path).stem.rpartition("_")[2]
        self.write_base_file(path, "", {key: (value, ts) for key, value in (row.split("=") for row in rows)})

    def property(self, name: str, value: str = "") -> None:
        """Set one of the table's properties; without a value, drop it."""
        path = self.folder / ".hoodie" / "hoodie.properties"
        kept = [line for line in path.read_text().splitlines() if not line.startswith(f"{name}=")]
        path.write_text("\n".join([*kept, *([f"{name}={value}"] if value else []), ""]))

    def write_base_file(self, path: str, partition: str, rows: Mapping[str, tuple[str, str]]) -> int:
        """Write a base file, and what marks a folder as a partition; the size."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        marker = file.parent / ".hoodie_partition_metadata"
        if not marker.exists():
            marker.write_text(
                f"#partition metadata\ncommitTime={path[-25:-8]}\npartitionDepth={1 if partition else 0}\n"
            )
        ordered = sorted((key, value, time) for key, (value, time) in rows.items())
        keys, values, times = map(list, zip(*ordered, strict=True)) if ordered else ([], [], [])
        numbers = [f"{time}_0_{i}" for i, time in enumerate(times)]
        meta = (times, numbers, keys, [partition] * len(keys), [file.name] * len(keys))
        columns = {**dict(zip(META, meta, strict=True)), "id": keys, "value": values}
        if "day" in self.columns:
            columns["day"] = [partition.removeprefix("day=")] * len(keys)
        table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
        footer = {"parquet.avro.schema": self.schema}
        if keys:
            footer |= {"hoodie_min_record_key": keys[0], "hoodie_max_record_key": keys[-1]}
        pq.write_table(table.replace_schema_metadata(footer), file)
        (file.parent / f".{file.name}.crc").write_bytes(b"crc\x00")
        return file.stat().st_size
