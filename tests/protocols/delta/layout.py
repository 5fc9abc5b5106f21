"""A Delta table, written entry by entry."""

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyroaring import BitMap

SCHEMA = json.dumps({"type": "struct", "fields": [{"name": name, "type": "string"} for name in ("p", "v")]})
PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
_MAP = pa.map_(pa.string(), pa.string())
_VECTOR = pa.struct(
    [("storageType", pa.string()), ("pathOrInlineDv", pa.string()), ("offset", pa.int32())]
    + [("sizeInBytes", pa.int32()), ("cardinality", pa.int64())]
)
_FILE = [("path", pa.string()), ("partitionValues", _MAP), ("size", pa.int64()), ("dataChange", pa.bool_())]
_CHECKPOINT = pa.schema(
    [
        ("add", pa.struct([*_FILE, ("deletionVector", _VECTOR), ("stats", pa.string())])),
        ("remove", pa.struct(_FILE)),
        (
            "metaData",
            pa.struct(
                [("id", pa.string()), ("schemaString", pa.string()), ("partitionColumns", pa.list_(pa.string()))]
                + [("configuration", _MAP)]
            ),
        ),
        ("protocol", pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])),
        ("sidecar", pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64())])),
    ]
)


class DeltaTable:
    """A table whose log a test writes; data files hold as many bytes as the log says."""

    def __init__(self, folder: Path, protocol: dict[str, Any] = PROTOCOL, **configuration: str) -> None:
        self.folder, self.log, self.version = folder, folder / "_delta_log", -1
        self.log.mkdir(parents=True)
        metadata = {"id": "t", "schemaString": SCHEMA, "partitionColumns": ["p"], "configuration": configuration}
        self.first = [protocol, {"metaData": metadata}]
        self.live: dict[str, dict[str, Any]] = {}

    def entry(self, version: int) -> Path:
        return self.log / f"{version:020}.json"

    def add(self, name: str, **more: Any) -> dict[str, Any]:
        """An add of a new file of the partition x."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 10)
        return {"add": {"path": name, "partitionValues": {"p": "x"}, "size": 10, "dataChange": True, **more}}

    def remove(self, name: str, **more: Any) -> dict[str, Any]:
        return {"remove": {"path": name, "dataChange": True, **more}}

    def strike(self, name: str, rows: list[int], cardinality: int | None = None) -> None:
        """Commit a deletion vector for a file, in a file whose name is that of the UUID 0."""
        body = struct.pack("<iQI", 1681511377, 1, 0) + BitMap(rows).serialize()
        content = b"\1" + struct.pack(">i", len(body)) + body + zlib.crc32(body).to_bytes(4, "big")
        (self.folder / "deletion_vector_00000000-0000-0000-0000-000000000000.bin").write_bytes(content)
        place = {"storageType": "u", "pathOrInlineDv": "0" * 20, "offset": 1}
        vector = {**place, "sizeInBytes": len(body), "cardinality": len(rows) if cardinality is None else cardinality}
        self.commit(self.remove(name), self.add(name, deletionVector=vector, stats='{"numRecords": 9}'))

    def commit(self, *actions: dict[str, Any], txn: tuple[str, int] | None = None, **info: Any) -> int:
        """Write the next entry."""
        self.version += 1
        if txn is not None:
            actions = ({"txn": {"appId": txn[0], "version": txn[1]}}, *actions)
        some = [{"commitInfo": {"operation": "WRITE", **info}}, *(() if self.version else self.first), *actions]
        self.entry(self.version).write_text("".join(f"{json.dumps(one)}\n" for one in some))
        for action in actions:
            if "remove" in action:
                self.live.pop(action["remove"]["path"], None)
        self.live |= {action["add"]["path"]: action for action in actions if "add" in action}
        return self.version

    def checkpoint(self, parts: int = 1, sidecar: bool = False, hint: bool = True) -> list[Path]:
        """Write a checkpoint of the newest version."""
        rows = [*self.first, *self.live.values()]
        if sidecar:
            (self.log / "_sidecars").mkdir(exist_ok=True)
            aside = self.log / "_sidecars" / f"s{self.version}.parquet"
            self._write(aside, rows[2:])
            rows = [*rows[:2], {"sidecar": {"path": aside.name, "sizeInBytes": aside.stat().st_size}}]
        stem = f"{self.version:020}.checkpoint"
        names = [f"{stem}.{n + 1:010}.{parts:010}.parquet" for n in range(parts)] if parts > 1 else [f"{stem}.parquet"]
        for n, name in enumerate(names):
            self._write(self.log / name, rows[n::parts])
        if hint:
            said = {"version": self.version, "size": len(rows) + (len(self.live) if sidecar else 0)}
            (self.log / "_last_checkpoint").write_text(json.dumps(said | ({"parts": parts} if parts > 1 else {})))
        return [self.log / name for name in names]

    def _write(self, path: Path, rows: list[dict[str, Any]]) -> None:
        pq.write_table(pa.Table.from_pylist(rows, schema=_CHECKPOINT), path)
