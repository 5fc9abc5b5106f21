"""A Delta table, written entry by entry, with the words of the cases in ``audit.txt``."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq

from tests.audits.bitmaps import FRAMING, deletion_vector
from tests.audits.cases import Table

SCHEMA = json.dumps({"type": "struct", "fields": [{"name": name, "type": "string"} for name in ("p", "v")]})
STATS = json.dumps({"numRecords": 9})
_MAP = pa.map_(pa.string(), pa.string())
_VECTOR = pa.struct(
    [("storageType", pa.string()), ("pathOrInlineDv", pa.string()), ("offset", pa.int32())]
    + [("sizeInBytes", pa.int32()), ("cardinality", pa.int64())]
)
_FILE = [("path", pa.string()), ("partitionValues", _MAP), ("size", pa.int64()), ("dataChange", pa.bool_())]
_CHECKPOINT = pa.schema(
    [
        ("add", pa.struct([*_FILE, ("deletionVector", _VECTOR), ("stats", pa.string()), ("baseRowId", pa.int64())])),
        ("remove", pa.struct([*_FILE, ("deletionVector", _VECTOR)])),
        (
            "metaData",
            pa.struct(
                [("id", pa.string()), ("schemaString", pa.string()), ("partitionColumns", pa.list_(pa.string()))]
                + [("configuration", _MAP)]
            ),
        ),
        (
            "protocol",
            pa.struct(
                [
                    ("minReaderVersion", pa.int32()),
                    ("minWriterVersion", pa.int32()),
                    ("writerFeatures", pa.list_(pa.string())),
                ]
            ),
        ),
        ("sidecar", pa.struct([("path", pa.string()), ("sizeInBytes", pa.int64())])),
    ]
)


class DeltaTable(Table):
    """A table whose log a test writes; data files hold as many bytes as the log says."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.log, self.newest = folder / "_delta_log", -1
        self.log.mkdir(parents=True)
        self.metadata = {"id": "t", "schemaString": SCHEMA, "partitionColumns": ["p"], "configuration": {}}
        self.said_first: dict[str, Any] = {"minReaderVersion": 1, "minWriterVersion": 2}
        self.live: dict[str, dict[str, Any]] = {}
        self.dead: list[dict[str, Any]] = []
        self.vectors = 0

    def told(self, name: str) -> str:
        """The deletion vector of a live file; ``mark:3`` is an action that sets the row ids' high water mark."""
        kind, _, number = name.partition(":")
        if kind == "mark":
            configuration = json.dumps({"rowIdHighWaterMark": int(number)}, separators=(",", ":"))
            domain = {"domain": "delta.rowTracking", "configuration": configuration, "removed": False}
            return json.dumps({"domainMetadata": domain}, separators=(",", ":"))
        return json.dumps(self.live[name]["add"]["deletionVector"], separators=(",", ":"))

    def files(self, name: str) -> list[Path]:
        """A number is an entry, and with an ending another file of that version."""
        if number := re.match(r"\d+", name):
            return [self.log / f"{int(number[0]):020}{name[number.end() :] or '.json'}"]
        return super().files(name)

    def protocol(self, said: str) -> None:
        self.said_first = json.loads(said)

    def configure(self, name: str, value: str) -> None:
        self.metadata["configuration"] = {name: value}

    def commit(self, *words: str) -> None:
        """Write the next entry.

        Args:
            words: ``+a`` adds a file, of the partition x, and ``-a`` removes it; both may have more fields, as in
                ``+a{"stats":"{}"}``. Whole actions are JSON; ``readVersion=1`` is a field of the commit's information.
        """
        actions: list[dict[str, Any]] = []
        info: dict[str, Any] = {"operation": "WRITE"}
        for word in words:
            name, brace, more = word[1:].partition("{")
            if word[0] == "{":
                actions.append(json.loads(word))
            elif word[0] not in "+-":
                field, _, value = word.partition("=")
                info[field] = json.loads(value)
            elif word[0] == "-":
                self.dead.append({"remove": {"path": name, "dataChange": True, **json.loads(brace + more or "{}")}})
                actions.append(self.dead[-1])
                self.live.pop(name, None)
            else:
                file = self.folder / unquote(name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(b"x" * 10)
                fields = {"path": name, "partitionValues": {"p": "x"}, "size": 10, "dataChange": True}
                self.live[name] = {"add": fields | json.loads(brace + more or "{}")}
                actions.append(self.live[name])
        self.newest += 1
        first = [] if self.newest else self.first()
        (path,) = self.files(str(self.newest))
        path.write_text("".join(f"{json.dumps(one)}\n" for one in [{"commitInfo": info}, *first, *actions]))

    def spread(self, name: str) -> None:
        """Write each action of an entry in several lines."""
        (path,) = self.files(name)
        path.write_text("".join(json.dumps(json.loads(one), indent=2) + "\n" for one in path.read_text().splitlines()))

    def first(self) -> list[dict[str, Any]]:
        return [{"protocol": self.said_first}, {"metaData": self.metadata}]

    def strike(self, name: str, rows: str, cardinality: str = "", *info: str) -> None:
        """Commit a deletion vector for a file, in a file whose name is that of the UUID 0, or the next one.

        Args:
            cardinality: As it is said, a number; anything else for the right one.
            info: As in :meth:`commit`.
        """
        numbers = {int(row) for row in rows.split(",")}
        content = deletion_vector(numbers)
        (self.folder / f"deletion_vector_{UUID(int=self.vectors)}.bin").write_bytes(b"\1" + content)
        place = {"storageType": "u", "pathOrInlineDv": f"{self.vectors:020}", "offset": 1}
        size = {
            "sizeInBytes": len(content) - FRAMING,
            "cardinality": int(cardinality) if cardinality.isdecimal() else len(numbers),
        }
        self.vectors += 1
        before = self.live[name]["add"]
        old = json.dumps({"deletionVector": before.get("deletionVector")})
        more = {"deletionVector": place | size, "stats": before.get("stats", STATS)}
        more |= {"baseRowId": before["baseRowId"]} if "baseRowId" in before else {}
        self.commit(f"-{name}{old}", f"+{name}{json.dumps(more)}", *info)

    def compact(self, first: str, last: str) -> None:
        """Write what the entries from one version to another add up to; all that they set comes once, the last."""
        found: dict[Any, Any] = {}
        for version in range(int(first), int(last) + 1):
            (path,) = self.files(str(version))
            for one in map(json.loads, path.read_text().splitlines()):
                ((kind, action),) = one.items()
                vector = json.dumps(action.get("deletionVector"))
                key = (action["path"], vector) if kind in ("add", "remove") else (kind, action.get("appId"))
                found.pop(key, None)
                if kind != "commitInfo":
                    found[key] = one
        path = self.log / f"{int(first):020}.{int(last):020}.compacted.json"
        path.write_text("".join(f"{json.dumps(one)}\n" for one in found.values()))

    def checkpoint(self, how: str = "1") -> None:
        """Write a checkpoint of the newest version: in so many parts, or with a "sidecar", or with "tombstones"."""
        rows = [*self.first(), *self.live.values(), *(self.dead if how == "tombstones" else ())]
        size, parts = len(rows), int(how) if how.isdigit() else 1
        if how == "sidecar":
            (self.log / "_sidecars").mkdir()
            aside = self.log / "_sidecars" / f"s{self.newest}.parquet"
            self._write(aside, rows[2:])
            rows = [*rows[:2], {"sidecar": {"path": aside.name, "sizeInBytes": aside.stat().st_size}}]
            size += 1
        for n in range(parts):
            part = f".{n + 1:010}.{parts:010}" if parts > 1 else ""
            self._write(self.log / f"{self.newest:020}.checkpoint{part}.parquet", rows[n::parts])
        said = {"version": self.newest, "size": size} | ({"parts": parts} if parts > 1 else {})
        (self.log / "_last_checkpoint").write_text(json.dumps(said))

    def _write(self, path: Path, rows: list[dict[str, Any]]) -> None:
        pq.write_table(pa.Table.from_pylist(rows, schema=_CHECKPOINT), path)
