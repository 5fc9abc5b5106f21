"""A writer of copy-on-write Hudi tables, for tests only: it lays files out as the published format says.

There is no Hudi writer to be had from Python; that Hudi's own reader reads what is laid out here, a test says. It knows
the table versions 5, 6 (instants in ``.hoodie``, commit metadata as JSON, no completion times) and 8, 9
(``.hoodie/timeline``, completion times in names, Avro). It does what Hudi's own writers do not: :meth:`HudiTable.begin`
opens an operation that has read its file group, and what is done to the table until the operation writes and completes,
it does not see. No locks, no checks, so that a test can have every race and every damage that it wants. Time is a
counter, and file ids follow from names.
"""

import json
import uuid
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

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


_COUNTS = ("numWrites", "numDeletes", "numUpdateWrites", "numInserts", "totalWriteBytes", "fileSizeInBytes")
_WRITE_STAT = _record(
    "HoodieWriteStat",
    **dict.fromkeys(("fileId", "path", "prevCommit", "partitionPath"), STRINGS),
    **dict.fromkeys(_COUNTS, NUMBERS),
)
_COMMIT = {
    "partitionToWriteStats": ["null", {"type": "map", "values": {"type": "array", "items": _WRITE_STAT}}],
    "extraMetadata": ["null", {"type": "map", "values": JAVA_STRING}],
    "version": ["int", "null"],
    "operationType": STRINGS,
}
_REPLACED = ["null", {"type": "map", "values": {"type": "array", "items": JAVA_STRING}}]
_NAMES = {"type": "array", "items": JAVA_STRING}
_CLEANED = _record(
    "HoodieCleanPartitionMetadata",
    partitionPath=JAVA_STRING,
    policy=JAVA_STRING,
    deletePathPatterns=_NAMES,
    successDeleteFiles=_NAMES,
    failedDeleteFiles=_NAMES,
)
_ROLLED_BACK = _record(
    "HoodieRollbackPartitionMetadata", partitionPath=JAVA_STRING, successDeleteFiles=_NAMES, failedDeleteFiles=_NAMES
)
SCHEMAS = {
    "commit": _record("HoodieCommitMetadata", **_COMMIT),
    "replacecommit": _record("HoodieReplaceCommitMetadata", **_COMMIT, partitionToReplaceFileIds=_REPLACED),
    "clean": _record(
        "HoodieCleanMetadata",
        startCleanTime=JAVA_STRING,
        timeTakenInMillis="long",
        totalFilesDeleted="int",
        earliestCommitToRetain=JAVA_STRING,
        partitionMetadata={"type": "map", "values": _CLEANED},
        version=["int", "null"],
    ),
    "rollback": _record(
        "HoodieRollbackMetadata",
        startRollbackTime=JAVA_STRING,
        timeTakenInMillis="long",
        totalFilesDeleted="int",
        commitsRollback=_NAMES,
        partitionMetadata={"type": "map", "values": _ROLLED_BACK},
        version=["int", "null"],
    ),
}


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
    seen: dict[tuple[str, str], Slice]
    stats: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    wrote: list[Slice] = field(default_factory=list)
    replaces: dict[str, list[str]] = field(default_factory=dict)

    def put(
        self,
        group: str,
        rows: Mapping[str, str],
        *,
        partition: str = "",
        deletes: Iterable[str] = (),
        token: str | None = None,
    ) -> "Operation":
        """Write a file group's new slice: what was there when the operation began, with `rows` set."""
        file_id = self.table.file_id(group)
        before = self.seen.get((partition, file_id))
        merged = {} if before is None else dict(before.rows)
        changed = sum(key in merged for key in rows)
        merged |= {key: (value, self.ts) for key, value in rows.items()}
        dropped = [merged.pop(key) for key in deletes if key in merged]
        token = token or f"0-{len(self.table.instants) + 10}-{len(self.table.instants) * 3 + 20}"
        name = f"{file_id}_{token}_{self.ts}.parquet"
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
            "numInserts": len(rows) - changed,
            "totalWriteBytes": size,
            "fileSizeInBytes": size,
        }
        self.stats.setdefault(partition, []).append(stat)
        return self

    def replace(self, group: str, *, partition: str = "") -> "Operation":
        """Take a file group out of the table, as clustering and overwriting do."""
        self.replaces.setdefault(partition, []).append(self.table.file_id(group))
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


class HudiTable:
    """A copy-on-write table in a folder, with the primary key ``id`` and one value."""

    def __init__(self, folder: Path, version: int = 6, *, partitioned: bool = False, **properties: str) -> None:
        self.folder, self.version = folder, version
        self.layout_2 = version >= 8
        self.timeline = folder / ".hoodie" / ("timeline" if self.layout_2 else "")
        self.live: dict[tuple[str, str], Slice] = {}
        self.published: list[Slice] = []
        self.replaced: dict[tuple[str, str], str] = {}
        self.instants: list[str] = []
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
        given |= {name.replace("__", "."): value for name, value in properties.items()}
        lines = [f"{name}={value}" for name, value in given.items() if value]
        text = "\n".join(["#Updated at 2026-01-01T00:00:00Z", "#Thu Jan 01 00:00:00 UTC 2026", *lines, ""])
        (folder / ".hoodie" / "hoodie.properties").write_text(text)

    def __fspath__(self) -> str:
        return str(self.folder)

    def file_id(self, group: str) -> str:
        """The id of the file group that a test calls `group`."""
        return f"{uuid.uuid5(uuid.NAMESPACE_OID, group)}-0"

    def now(self) -> str:
        self.time += timedelta(seconds=1, milliseconds=7)
        return self.time.strftime("%Y%m%d%H%M%S") + f"{self.time.microsecond // 1000:03d}"

    # The timeline ----------------------------------------------------------------------------------------------------

    def begin(self, operation: str = "UPSERT", *, ts: str | None = None) -> Operation:
        """Request an instant, and read the table as it is now."""
        replaces = operation.startswith("INSERT_OVERWRITE") or operation in ("CLUSTER", "DELETE_PARTITION")
        action = "replacecommit" if replaces else "commit"
        opened = Operation(self, ts or self.now(), operation, action, dict(self.live))
        announced = "clustering" if self.layout_2 and operation == "CLUSTER" else action
        (self.timeline / f"{opened.ts}.{announced}.requested").write_bytes(b"")
        inflight = f"{opened.ts}.inflight" if announced == "commit" else f"{opened.ts}.{announced}.inflight"
        (self.timeline / inflight).write_bytes(b"")
        return opened

    def commit(self, group: str, rows: Mapping[str, str], operation: str = "UPSERT", **how: Any) -> str:
        """Begin an operation on one file group, write, and complete it."""
        return self.begin(operation).put(group, rows, **how).complete()

    def append(self, group: str, *, partition: str = "") -> Path:
        """Complete a deltacommit that adds a log file to a file group, as merge-on-read tables do; the log file."""
        ts, file_id = self.now(), self.file_id(group)
        before = self.live.get((partition, file_id))
        path = f"{partition}/" if partition else ""
        path += f".{file_id}_{before.ts if before and not self.layout_2 else ts}.log.{len(self.instants) + 1}_0-1-2"
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(b"#HUDI#")
        stat = dict.fromkeys(_COUNTS, 0) | {"fileId": file_id, "path": path, "partitionPath": partition}
        stat |= {"prevCommit": before.ts if before else "null", "fileSizeInBytes": 6, "totalWriteBytes": 6}
        metadata = {"partitionToWriteStats": {partition: [stat]}, "extraMetadata": {}, "operationType": "UPSERT"}
        self.write_completed(ts, "deltacommit", metadata)
        return self.folder / path

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

    def completed(self, ts: str) -> Path:
        """The file of a completed instant."""
        return next(path for path in self.timeline.iterdir() if path.name.startswith(ts) and "commit" in path.suffix)

    def clean(self, retain: str) -> str:
        """Delete every slice that a later one, completed before the instant `retain`, has taken the place of."""
        ts = self.now()
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
        self.forget(gone)
        partitions: dict[str, Any] = {}
        for one in gone:
            told = partitions.setdefault(
                one.partition, {"partitionPath": one.partition, "policy": "KEEP_LATEST_COMMITS"}
            )
            for names in ("deletePathPatterns", "successDeleteFiles"):
                told.setdefault(names, []).append(Path(one.path).name)
            told["failedDeleteFiles"] = []
        metadata = {
            "startCleanTime": ts,
            "timeTakenInMillis": 1,
            "totalFilesDeleted": len(gone),
            "earliestCommitToRetain": retain,
            "partitionMetadata": partitions,
        }
        self.write_completed(ts, "clean", metadata)
        return ts

    def roll_back(self, ts: str, *, keeps_instant: bool = False) -> str:
        """Delete what the instant `ts` has written, and its instants; or, as a stale cleaner may, only the files."""
        now = self.now()
        gone = [one for one in self.published if one.ts == ts]
        self.forget(gone)
        if not keeps_instant:
            for path in list(self.timeline.glob(f"{ts}*")):
                path.unlink()
            for one in gone:
                before = [s for s in self.published if (s.partition, s.file_id) == (one.partition, one.file_id)]
                self.live.pop((one.partition, one.file_id), None)
                self.live |= {(s.partition, s.file_id): s for s in before}
        partitions = {
            partition: {
                "partitionPath": partition,
                "successDeleteFiles": [f"{self.folder}/{one.path}" for one in gone if one.partition == partition],
                "failedDeleteFiles": [],
            }
            for partition in {one.partition for one in gone}
        }
        metadata = {
            "startRollbackTime": now,
            "timeTakenInMillis": 1,
            "totalFilesDeleted": len(gone),
            "commitsRollback": [ts],
            "partitionMetadata": partitions,
        }
        self.write_completed(now, "rollback", metadata)
        return now

    def forget(self, gone: list[Slice]) -> None:
        for one in gone:
            (self.folder / one.path).unlink()
            self.published.remove(one)

    def archive(self, count: int) -> None:
        """Move the oldest instants out of the active timeline; what they said is in files that are not read.

        File groups that one of them has replaced go with it, as they do in Hudi, or they would be back in the table.
        """
        done = sorted(
            {path.name[:17] for path in self.timeline.iterdir() if path.is_file() and path.name[:1].isdigit()}
        )
        for ts in done[:count]:
            for path in self.timeline.glob(f"{ts}*"):
                path.unlink()
            groups = {group for group, replaced in self.replaced.items() if replaced == ts}
            self.forget([one for one in self.published if (one.partition, one.file_id) in groups and one.ts < ts])
        if self.layout_2:
            history = self.timeline / "history"
            name = f"{done[0]}_{done[count - 1]}_0.parquet"
            pq.write_table(pa.table({"instantTime": done[:count]}), history / name)
            (history / "manifest_1").write_text(json.dumps({"files": [{"fileName": name, "fileLen": 1}]}))
            (history / "_version_").write_text("1")
        else:
            (self.folder / ".hoodie" / "archived" / ".commits_.archive.1_1-0-1").write_bytes(b"#HUDI#")

    # Base files ------------------------------------------------------------------------------------------------------

    def write_base_file(self, path: str, partition: str, rows: Mapping[str, tuple[str, str]]) -> int:
        """Write a base file, and what marks a folder as a partition; the size."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        marker = file.parent / ".hoodie_partition_metadata"
        if not marker.exists():
            marker.write_text(
                f"#partition metadata\ncommitTime={path[-25:-8]}\npartitionDepth={1 if partition else 0}\n"
            )
        ordered = sorted(rows.items())
        meta = dict(
            zip(
                META,
                (
                    [time for _, (_, time) in ordered],
                    [f"{time}_0_{i}" for i, (_, (_, time)) in enumerate(ordered)],
                    [key for key, _ in ordered],
                    [partition] * len(ordered),
                    [file.name] * len(ordered),
                ),
                strict=True,
            )
        )
        columns = {**meta, "id": [key for key, _ in ordered], "value": [value for _, (value, _) in ordered]}
        if "day" in self.columns:
            columns["day"] = [partition.removeprefix("day=")] * len(ordered)
        table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
        footer = {"parquet.avro.schema": self.schema}
        if ordered:
            footer |= {"hoodie_min_record_key": ordered[0][0], "hoodie_max_record_key": ordered[-1][0]}
        pq.write_table(table.replace_schema_metadata(footer), file)
        (file.parent / f".{file.name}.crc").write_bytes(b"crc\x00")
        return file.stat().st_size
