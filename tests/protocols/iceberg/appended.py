"""Writes Iceberg tables of appends without merging, as pyiceberg leaves them: each manifest list repeats the last."""

import json
import shutil
from pathlib import Path
from typing import Any

import fastavro

from tests.audits.damage import records
from tests.protocols.iceberg.tables import unpack

_COUNTS = [f"{kind}_{what}_count" for kind in ("added", "existing", "deleted") for what in ("files", "rows")]


def appended(folder: Path, commits: int, files: int = 1) -> Path:
    """A table of so many commits, each of which adds so many files; the last five metadata files are kept."""
    unpack(folder / "kept")
    kept, table = folder / "kept/retried/ns/t/metadata", folder / "t"
    shutil.rmtree(table, ignore_errors=True)
    (table / "metadata").mkdir(parents=True)
    (table / "data").mkdir()
    newest = max(kept.glob("*.metadata.json"))
    said: dict[str, Any] = json.loads(newest.read_text())
    like_list = kept / Path(said["snapshots"][0]["manifest-list"]).name
    (listed,) = records(like_list)
    like_manifest = kept / Path(listed["manifest_path"]).name
    entry = records(like_manifest)[0]
    place = f"file://{table}"
    manifests: list[dict[str, Any]] = []
    snapshots: list[dict[str, Any]] = []
    log: list[dict[str, Any]] = []
    for number in range(1, commits + 1):
        id, entries = 10**15 + number, []
        for i in range(files):
            (table / "data" / f"{number}-{i}.parquet").write_bytes(b"PAR1")
            data = {"file_path": f"{place}/data/{number}-{i}.parquet", "record_count": 1, "file_size_in_bytes": 4}
            own = {"status": 1, "snapshot_id": id, "data_file": entry["data_file"] | data}
            entries.append(entry | own)
        manifest = table / "metadata" / f"{number}-m0.avro"
        _write(manifest, like_manifest, entries)
        own = {"manifest_path": f"{place}/metadata/{manifest.name}", "manifest_length": manifest.stat().st_size}
        own |= {"sequence_number": number, "min_sequence_number": number, "added_snapshot_id": id}
        counts = dict.fromkeys(_COUNTS, 0) | {"added_files_count": files, "added_rows_count": files}
        manifests.insert(0, listed | own | counts)
        name = f"snap-{id}-0-x.avro"
        _write(table / "metadata" / name, like_list, manifests)
        summary = {"operation": "append", "added-data-files": str(files), "total-data-files": str(files * number)}
        parent = {"parent-snapshot-id": id - 1} if number > 1 else {}
        times = {"snapshot-id": id, "timestamp-ms": 10**12 + number}
        own = {"sequence-number": number, "manifest-list": f"{place}/metadata/{name}", "summary": summary}
        snapshots.append({**times, **parent, **own, "schema-id": 0})
        if number > commits - 5:
            path = table / "metadata" / f"{number:05}-x.metadata.json"
            heads = [{"snapshot-id": one["snapshot-id"], "timestamp-ms": one["timestamp-ms"]} for one in snapshots]
            now = {"location": place, "current-snapshot-id": id, "last-sequence-number": number, "snapshots": snapshots}
            now |= {"last-updated-ms": 10**12 + number, "snapshot-log": heads, "metadata-log": log}
            path.write_text(json.dumps(said | now | {"refs": {"main": {"snapshot-id": id, "type": "branch"}}}))
            log.append({"metadata-file": f"{place}/metadata/{path.name}", "timestamp-ms": 10**12 + number})
    return table


def _write(path: Path, like: Path, some: list[dict[str, Any]]) -> None:
    """Write an Avro file with the schema and the metadata of another one."""
    with like.open("rb") as file:
        reader = fastavro.reader(file)
        schema: Any = reader.writer_schema
        about = {key: value for key, value in reader.metadata.items() if not key.startswith("avro.")}
    with path.open("wb") as file:
        fastavro.writer(file, schema, some, codec="deflate", metadata=about)
