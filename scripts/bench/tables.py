"""Tables of many versions, of which the metadata is as real writers leave it; data files are empty.

Each version adds a file or writes one anew. Iceberg's manifests are merged once there are 100, and its older metadata
files deleted, as its writers do by default.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import fastavro
from fastavro.types import Schema

from bench import paimon_table
from bench.paimon_table import record

#: The metadata files, besides the newest, that Iceberg's writers keep.
KEPT = 100
MERGED_AT = 100
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def paimon(folder: Path, versions: int) -> None:
    """Ten files a snapshot, in 64 buckets, as ``paimon_table`` writes them."""
    table = paimon_table.Table(folder, buckets=64)
    for version in range(1, versions + 1):
        table.snapshot(version, files=10)


def delta(folder: Path, versions: int) -> None:
    """A file is added by each entry; every tenth removes an earlier one."""
    log = folder / "_delta_log"
    log.mkdir(parents=True)
    schema = json.dumps({"type": "struct", "fields": [{"name": "v", "type": "string", "nullable": True}]})
    first = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": {"id": "t", "schemaString": schema, "partitionColumns": [], "configuration": {}}},
    ]
    for version in range(versions):
        info = {"timestamp": version, "operation": "WRITE", "isBlindAppend": version % 10 != 9}
        actions: list[dict[str, Any]] = [{"commitInfo": info}, *(first if version == 0 else ())]
        actions.append({"add": {"path": f"{version}.parquet", "partitionValues": {}, "size": 0, "dataChange": True}})
        (folder / f"{version}.parquet").touch()
        if version % 10 == 9:
            actions.append({"remove": {"path": f"{version - 9}.parquet", "dataChange": True}})
        (log / f"{version:020}.json").write_text("".join(f"{json.dumps(action)}\n" for action in actions))


def hudi(folder: Path, versions: int) -> None:
    """A slice is written by each commit, of one of a hundred partitions with a file group each."""
    timeline = folder / ".hoodie"
    timeline.mkdir(parents=True)
    properties = {
        "hoodie.table.name": "t",
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.table.version": "6",
        "hoodie.timeline.layout.version": "1",
        "hoodie.table.recordkey.fields": "id",
        "hoodie.table.partition.fields": "p",
    }
    (timeline / "hoodie.properties").write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    before: dict[str, str] = {}
    for version in range(versions):
        ts = (_BEGAN + timedelta(seconds=version)).strftime("%Y%m%d%H%M%S000")
        partition = f"p={version % 100}"
        group = f"{version % 100:08}-0000-0000-0000-000000000000-0"
        path = f"{partition}/{group}_0-0-0_{ts}.parquet"
        stat: dict[str, Any] = {"fileId": group, "path": path, "partitionPath": partition}
        stat |= {"prevCommit": before.get(group, "null")}
        stat |= {"numWrites": 1, "numInserts": int(group not in before), "fileSizeInBytes": 0}
        commit = {"partitionToWriteStats": {partition: [stat]}, "operationType": "UPSERT", "extraMetadata": {}}
        (timeline / f"{ts}.commit").write_text(json.dumps(commit))
        for state in ("commit.requested", "inflight"):
            (timeline / f"{ts}.{state}").touch()
        (folder / partition).mkdir(exist_ok=True)
        (folder / path).touch()
        before[group] = ts


_LIST = {
    "manifest_path": "string",
    "manifest_length": "long",
    "content": "int",
    "sequence_number": "long",
    "added_snapshot_id": "long",
    **{f"{kind}_{counted}_count": "int" for kind in ("added", "existing", "deleted") for counted in ("files", "rows")},
}
_FILE = {"content": "int", "file_path": "string", "record_count": "long", "file_size_in_bytes": "long"}


_ENTRY = {"status": "int", "snapshot_id": ["null", "long"], "data_file": record("r2", **_FILE)}
_MANIFEST = fastavro.parse_schema(record("manifest_entry", **_ENTRY))
_MANIFEST_LIST = fastavro.parse_schema(record("manifest_file", **_LIST))


class _Iceberg:
    def __init__(self, folder: Path) -> None:
        self.metadata, self.data = folder / "metadata", folder / "data"
        self.metadata.mkdir(parents=True)
        self.data.mkdir()
        self.levels: list[list[tuple[dict[str, Any], list[dict[str, Any]]]]] = []  # manifests, the smallest first
        self.names = 0

    def write(self, name: str, schema: Schema, records: list[dict[str, Any]]) -> Path:
        path = self.metadata / name
        with path.open("wb") as file:
            fastavro.writer(file, schema, records, codec="deflate")
        return path

    def manifest(self, version: int, entries: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        self.names += 1
        path = self.write(f"m{self.names}.avro", _MANIFEST, entries)
        added = sum(entry["status"] == 1 for entry in entries)
        counts = dict.fromkeys((name for name in _LIST if name.endswith("_count")), 0)
        for kind, count in (("added", added), ("existing", len(entries) - added)):
            counts |= {f"{kind}_files_count": count, f"{kind}_rows_count": count}
        location = {"manifest_path": str(path), "manifest_length": path.stat().st_size, "content": 0}
        return {**location, "sequence_number": version, "added_snapshot_id": version, **counts}, entries

    def append(self, version: int) -> list[dict[str, Any]]:
        """The manifests of the next snapshot, of which there are never many."""
        (self.data / f"{version}.parquet").touch()
        file = {"content": 0, "file_path": str(self.data / f"{version}.parquet"), "record_count": 1}
        self.add(0, version, [{"status": 1, "snapshot_id": version, "data_file": file | {"file_size_in_bytes": 0}}])
        return [manifest for level in reversed(self.levels) for manifest, _ in level]

    def add(self, level: int, version: int, entries: list[dict[str, Any]]) -> None:
        if level == len(self.levels):
            self.levels.append([])
        if len(self.levels[level]) < MERGED_AT - 1:
            self.levels[level].append(self.manifest(version, entries))
            return
        before = [entry | {"status": 0} for _, some in self.levels[level] for entry in some]
        self.levels[level] = []
        self.add(level + 1, version, [*before, *entries])


def iceberg(folder: Path, versions: int) -> None:
    """A file is appended by each snapshot."""
    table, snapshots, heads, names = _Iceberg(folder), list[Any](), list[Any](), list[str]()
    for version in range(1, versions + 1):
        listed = table.append(version)
        path = table.write(f"snap-{version}-0-x.avro", _MANIFEST_LIST, listed)
        summary = {"operation": "append", "added-data-files": "1", "total-data-files": str(version)}
        snapshot = {"snapshot-id": version, "sequence-number": version, "timestamp-ms": version, "summary": summary}
        parent = {"parent-snapshot-id": version - 1} if version > 1 else {}
        snapshots.append({**snapshot, **parent, "manifest-list": str(path)})
        heads.append({"snapshot-id": version, "timestamp-ms": version})
        name = f"{version:05}-x.metadata.json"
        if version > versions - KEPT:
            fields = {"format-version": 2, "table-uuid": "t", "location": str(folder), "last-updated-ms": version}
            fields |= {"last-sequence-number": version, "current-snapshot-id": version, "snapshots": snapshots}
            fields |= {"snapshot-log": heads, "refs": {"main": {"type": "branch", "snapshot-id": version}}}
            fields["metadata-log"] = [{"metadata-file": str(table.metadata / old), "timestamp-ms": 0} for old in names]
            (table.metadata / name).write_text(json.dumps(fields))
        names = [*names[1 - KEPT :], name]


WRITERS: dict[str, Callable[[Path, int], None]] = {"paimon": paimon, "iceberg": iceberg, "delta": delta, "hudi": hudi}
