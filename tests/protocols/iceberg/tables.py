"""Iceberg's tables that ``writer.py`` has written: those that are kept, and what befalls the metadata of any."""

import gzip
import json
import os
import re
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.audits.cases import Table
from tests.audits.damage import change, records


class IcebergTable(Table):
    """A table in a folder, with what its writer has printed."""

    def __init__(self, folder: Path, printed: str = "") -> None:
        super().__init__(folder)
        self.printed = printed

    def all_metadata(self) -> list[Path]:
        """The metadata files, the newest of them last."""
        return sorted(self.folder.glob("metadata/*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)

    def files(self, name: str) -> list[Path]:
        """``metadata`` has the largest number, ``list:3`` is that snapshot's manifest list, ``data`` the first file.

        ``older`` are the metadata files but for that one, ``another`` those of another table in the folder.
        ``accepted`` is the one that the catalog names: the newest, unless the writer has printed another snapshot.
        ``refused`` are those of commits that came to nothing.
        """
        kind, _, number = name.partition(":")
        every = self.all_metadata()
        newest = max(every, key=lambda path: (path.name[:5], path.stat().st_mtime_ns), default=None)
        match kind:
            case "metadata" if newest:
                return [newest]
            case "older":
                return [path for path in every if path != newest]
            case "another":
                uuids = [json.loads(path.read_text())["table-uuid"] for path in every]
                return [path for path, uuid in zip(every, uuids, strict=True) if uuid != uuids[-1]]
            case "accepted" if newest:
                says = f'"current-snapshot-id":{self.printed.partition(" ")[0]},'
                return [path for path in every if says in path.read_text()] if self.printed else [newest]
            case "refused":
                (accepted,) = self.files("accepted")
                text = accepted.read_text()
                return [path for path in every if path != accepted and path.name not in text]
            case "list":
                return [self.folder / "metadata" / Path(self.told(f"snapshots.{number}.manifest-list")).name]
            case "manifest":
                (path,) = self.files("list:-1")
                return [self.folder / "metadata" / Path(records(path)[0]["manifest_path"]).name]
            case "data":
                return sorted(self.folder.glob("data/*"))[:1]
        return super().files(name)

    def told(self, name: str) -> str:
        """``snapshots.3.snapshot-id`` is what the metadata says; ``printed`` what the writer has; files have names."""
        if name == "printed":
            return self.printed.split()[0]
        if name.partition(":")[0] in ("metadata", "accepted", "refused", "list", "manifest", "data"):
            (path,) = self.files(name)
            return path.name
        (path,) = self.files("metadata")
        said = json.loads(path.read_text())
        for part in name.split("."):
            said = said[int(part) if part.lstrip("-").isdecimal() else part]
        return str(said)

    def acks_printed(self) -> None:
        pairs = [map(int, line.split()) for line in self.printed.splitlines()]
        self.acks(*(json.dumps(dict(zip(("snapshot-id", "timestamp-ms"), pair, strict=True))) for pair in pairs))

    def acks_all(self) -> None:
        (path,) = self.files("metadata")
        snapshots = json.loads(path.read_text())["snapshots"]
        self.acks(*(json.dumps({"snapshot-id": one["snapshot-id"]}) for one in snapshots))

    def expire(self, count: str) -> None:
        """Take the oldest snapshots out of the metadata."""
        for _ in range(int(count)):
            self.edit("metadata", "-snapshots.0", "-snapshot-log.0")

    def forget_files(self, place: str, added_by: str) -> None:
        """Take out of a snapshot's manifest list what another snapshot has added."""
        id = int(self.told(f"snapshots.{added_by}.snapshot-id"))
        (path,) = self.files(f"list:{place}")
        change(path, lambda some: some.remove(next(one for one in some if one["added_snapshot_id"] == id)))

    def forget_times(self) -> None:
        for path in self.all_metadata():
            os.utime(path, (0, 0))

    def round(self, name: str) -> None:
        """Round large numbers as JSON tools do that have 64-bit floats alone."""
        for path in self.found(name):
            path.write_text(
                re.sub(r"\b\d{17,19}\b(?!-)", lambda number: f"{Decimal(repr(float(number[0]))):f}", path.read_text())
            )

    def pack(self) -> None:
        """Pack the newest metadata file."""
        (path,) = self.files("metadata")
        packed = path.with_name(path.name.replace(".metadata.json", ".gz.metadata.json"))
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()

    def name_as_hadoop_does(self) -> None:
        """Number the metadata files; there may be newer ones than the hint knows."""
        names = {path.name: f"v{int(path.name[:5]) + 1}.metadata.json" for path in self.all_metadata()}
        for before, after in names.items():
            path = (self.folder / "metadata" / before).rename(self.folder / "metadata" / after)
            text = path.read_text()
            for one, other in names.items():
                text = text.replace(one, other)
            path.write_text(text)
        self.write("metadata/version-hint.text", "2")


def unpack(folder: Path) -> None:
    """The tables that are kept, with data files of the right sizes, which are not kept."""
    shutil.unpack_archive(Path(__file__).with_name("tables.tar.xz"), folder)
    for table in folder.glob("*/ns/t"):
        (table / "data").mkdir()
        for manifest in table.glob("metadata/*-m0.avro"):
            for one in records(manifest):
                data: Any = one["data_file"]
                (table / "data" / Path(data["file_path"]).name).write_bytes(bytes(data["file_size_in_bytes"]))
