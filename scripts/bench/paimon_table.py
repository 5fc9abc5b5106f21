#!/usr/bin/env python3
"""Write the metadata of a large Paimon table, to try `workbench audit` on.

    paimon_table.py FOLDER --snapshots 10000

Snapshots, manifest lists and manifests have Paimon's layout. Each snapshot appends files with new keys; one in ten
moves some of them to level 5, as compactions do. Small manifests are merged once there are 30 of a size. There are no
data files: an audit does not need their rows.
"""

import argparse
import io
import json
import struct
from pathlib import Path
from typing import Any

import fastavro
from fastavro.types import Schema


def record(name: str, **fields: Any) -> dict[str, Any]:
    """Avro's schema of a record; a field that may be null is so where nothing is said."""
    listed = [{"name": n, "type": t} | ({"default": None} if isinstance(t, list) else {}) for n, t in fields.items()]
    return {"type": "record", "name": name, "fields": listed}


STATS = record(
    "Stats",
    _MIN_VALUES="bytes",
    _MAX_VALUES="bytes",
    _NULL_COUNTS=["null", {"type": "array", "items": ["null", "long"]}],
)
LIST = fastavro.parse_schema(
    record(
        "ManifestFileMeta",
        _VERSION="int",
        _FILE_NAME="string",
        _FILE_SIZE="long",
        _NUM_ADDED_FILES="long",
        _NUM_DELETED_FILES="long",
        _PARTITION_STATS=STATS,
        _SCHEMA_ID="long",
    )
)
FILE = record(
    "File",
    _FILE_NAME="string",
    _FILE_SIZE="long",
    _ROW_COUNT="long",
    _MIN_KEY="bytes",
    _MAX_KEY="bytes",
    _KEY_STATS=STATS,
    _VALUE_STATS="Stats",
    _MIN_SEQUENCE_NUMBER="long",
    _MAX_SEQUENCE_NUMBER="long",
    _SCHEMA_ID="long",
    _LEVEL="int",
    _EXTRA_FILES={"type": "array", "items": "string"},
    _CREATION_TIME=["null", "long"],
)
MANIFEST = fastavro.parse_schema(
    record(
        "ManifestEntry",
        _VERSION="int",
        _KIND="int",
        _PARTITION="bytes",
        _BUCKET="int",
        _TOTAL_BUCKETS="int",
        _FILE=FILE,
    )
)
NOWHERE = bytes(12)  # a partition of no columns
NO_STATS = {"_MIN_VALUES": NOWHERE, "_MAX_VALUES": NOWHERE, "_NULL_COUNTS": []}
MERGED_AT = 30
ROWS = 1000


class Table:
    """A table that is written snapshot by snapshot."""

    def __init__(self, folder: Path, buckets: int) -> None:
        self.folder, self.buckets = folder, buckets
        for name in ("snapshot", "manifest", "schema"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        fields = [{"id": 0, "name": "k", "type": "BIGINT NOT NULL"}, {"id": 1, "name": "v", "type": "STRING"}]
        schema = {"version": 3, "id": 0, "fields": fields, "highestFieldId": 1, "partitionKeys": []}
        options = {"bucket": str(buckets)}
        (folder / "schema/schema-0").write_text(json.dumps({**schema, "primaryKeys": ["k"], "options": options}))
        self.manifests: list[list[tuple[dict, list]]] = []  # by size, the smallest first: what lists say, and entries
        self.live: list[dict] = []
        self.names = self.files = self.sequence = 0

    def write(self, name: str, schema: Schema, records: list) -> None:
        out = io.BytesIO()
        fastavro.writer(out, schema, records, codec="deflate")
        (self.folder / "manifest" / name).write_bytes(out.getvalue())

    def manifest(self, entries: list) -> tuple[dict, list]:
        name = f"manifest-{self.names:012d}-0"
        self.names += 1
        self.write(name, MANIFEST, entries)
        added = sum(entry["_KIND"] == 0 for entry in entries)
        about = {"_NUM_ADDED_FILES": added, "_NUM_DELETED_FILES": len(entries) - added, "_PARTITION_STATS": NO_STATS}
        return {"_VERSION": 2, "_FILE_NAME": name, "_FILE_SIZE": 1000, **about, "_SCHEMA_ID": 0}, entries

    def file(self, level: int) -> dict:
        """A file entry with keys and sequence numbers of its own."""
        key = [struct.pack(">i", 1) + bytes(8) + struct.pack("<q", self.sequence + i) for i in (0, ROWS - 1)]
        file = {
            "_FILE_NAME": f"data-{self.files:012d}-0.parquet",
            "_FILE_SIZE": 10_000,
            "_ROW_COUNT": ROWS,
            "_MIN_KEY": key[0],
            "_MAX_KEY": key[1],
            "_KEY_STATS": {"_MIN_VALUES": key[0], "_MAX_VALUES": key[1], "_NULL_COUNTS": [0]},
            "_VALUE_STATS": {"_MIN_VALUES": key[0] * 2, "_MAX_VALUES": key[1] * 2, "_NULL_COUNTS": [0, 0]},
            "_MIN_SEQUENCE_NUMBER": self.sequence,
            "_MAX_SEQUENCE_NUMBER": self.sequence + ROWS - 1,
            "_SCHEMA_ID": 0,
            "_LEVEL": level,
            "_EXTRA_FILES": [],
            "_CREATION_TIME": 1_700_000_000_000 + self.files,
        }
        bucket = self.files % self.buckets
        self.files += 1
        self.sequence += ROWS
        common = {"_VERSION": 2, "_PARTITION": NOWHERE, "_BUCKET": bucket, "_TOTAL_BUCKETS": self.buckets}
        return {**common, "_KIND": 0, "_FILE": file}

    def changes(self, version: int, files: int) -> tuple[str, list[dict]]:
        """The kind of a snapshot, and its entries."""
        if version % 10 or len(self.live) < files:
            added = [self.file(0) for _ in range(files)]
            self.live += added
            return "APPEND", added
        gone, self.live = self.live[:files], self.live[files:]
        moved = [{**entry, "_FILE": {**entry["_FILE"], "_LEVEL": 5}} for entry in gone]
        return "COMPACT", [{**entry, "_KIND": 1} for entry in gone] + moved

    def snapshot(self, version: int, files: int, forgets: int = 0) -> None:
        """The next snapshot; built as if the last `forgets` manifests had not been there."""
        base = [manifest for size in reversed(self.manifests) for manifest in size]
        base = base[: len(base) - forgets]
        kind, entries = self.changes(version, files)
        delta = self.manifest(entries)
        lists = {"baseManifestList": f"manifest-list-{version}-0", "deltaManifestList": f"manifest-list-{version}-1"}
        self.write(lists["baseManifestList"], LIST, [meta for meta, _ in base])
        self.write(lists["deltaManifestList"], LIST, [delta[0]])
        about = {"commitUser": f"writer-{version % 7}", "commitIdentifier": version, "commitKind": kind}
        document = {
            "version": 3,
            "id": version,
            "schemaId": 0,
            **lists,
            **about,
            "timeMillis": 1_700_000_000_000 + version,
        }
        (self.folder / f"snapshot/snapshot-{version}").write_text(json.dumps(document))
        self.add(0, delta)

    def add(self, size: int, manifest: tuple[dict, list]) -> None:
        """Take a manifest into the base of the next snapshot; merge those of its size if they are too many."""
        if size == len(self.manifests):
            self.manifests.append([])
        self.manifests[size].append(manifest)
        if len(self.manifests[size]) == MERGED_AT:
            merged = [entry for _, entries in self.manifests[size] for entry in entries]
            self.manifests[size] = []
            self.add(size + 1, self.manifest(merged))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--snapshots", type=int, default=1000)
    parser.add_argument("--files", type=int, default=10, help="that each snapshot adds or moves")
    parser.add_argument("--buckets", type=int, default=64)
    parser.add_argument("--forgets", type=int, metavar="N", help="snapshot N is not built on its predecessor")
    options = parser.parse_args()
    table = Table(options.folder, options.buckets)
    for version in range(1, options.snapshots + 1):
        table.snapshot(version, options.files, forgets=int(version == options.forgets))


if __name__ == "__main__":
    main()
