"""Paimon's tables as cases see them: real ones, what befalls them, and new ones that real writers race for."""

import json
import re
import time
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
from pyarrow import orc

from tests.audits.cases import Table
from tests.audits.damage import change, records
from workbench.audits import Audit
from workbench.checking.driving import Processes
from workbench.showing.view import finding_picture

#: The columns that partitions may have, with the value that all rows have there.
PARTITIONS = {
    "text": ("string", "2024/01 a=b, longer"),
    "number": ("int32", "-5"),
    "day": ("date32", "2024-01-02"),
    "yes": ("bool_", "true"),
}


def _without_nulls(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(part) for name, part in value.items() if part not in (None, [])}


class PaimonTable(Table):
    """A table, and a file of all that its writers were told of their commits, if there is one."""

    stateless = ("SequentialSnapshots", "AcknowledgedCommitsPresent", "NoDanglingDeletionVectors")

    def __init__(self, folder: Path, acks: Path | None = None) -> None:
        super().__init__(folder)
        self.told_writers = [] if acks is None else acks.read_text().splitlines()

    def files(self, name: str) -> list[Path]:
        """``snapshot:2`` is a snapshot, ``base:2`` and ``delta:2`` its manifest lists, ``manifest:2`` what is new.

        ``data:2`` is the first data file in that; for a number, the file of a tag or a branch's snapshot may stand.
        """
        kind, _, number = name.partition(":")
        if kind == "snapshot":
            return [self.folder / (number if "/" in number else f"snapshot/snapshot-{number}")]
        if kind in ("base", "delta"):
            return [self.folder / "manifest" / self.told(f"{number}.{kind}ManifestList")]
        if kind == "manifest":
            (delta,) = self.files(f"delta:{number}")
            return [self.folder / "manifest" / records(delta)[0]["_FILE_NAME"]]
        if kind == "data":
            (manifest,) = self.files(f"manifest:{number}")
            return [self.folder / "bucket-0" / records(manifest)[0]["_FILE"]["_FILE_NAME"]]
        return super().files(name)

    def told(self, name: str) -> str:
        """``2.commitUser`` is what snapshot 2 says, ``ack:2`` the user of the second commit that was acknowledged."""
        number, _, place = name.partition(".")
        if number.startswith("ack:"):
            return str(json.loads(self.told_writers[int(number[4:]) - 1])["commitUser"])
        (path,) = self.files(f"snapshot:{number}")
        return str(json.loads(path.read_text())[place])

    def acks_told(self) -> None:
        self.acks(*self.told_writers)

    def name_lost(self, place: str) -> None:
        """Let another file than a snapshot name the commit that the table `drive` of data/real has lost."""
        self.copy("snapshot:1", place)
        delta = "manifest-list-5d5f0413-a54e-4538-aee0-fd6b98746644-1"
        self.edit(place, 'commitUser="somebody"', "commitIdentifier=1", f'deltaManifestList="{delta}"')

    def rename(self, name: str, old: str, new: str) -> None:
        """Rename a file, also in the manifests."""
        (path,) = self.files(name)
        path.rename(path.with_name(path.name.replace(old, new)))
        for manifest in self.files("manifest/manifest-*-[0-9]"):
            change(manifest, lambda some: some.__setitem__(slice(None), _replaced(some, old, new)))

    def as_orc(self) -> None:
        """Write the manifests and their lists as ORC, without the fields that are null in all records."""
        for path in self.files("manifest/manifest-*"):
            rows = [_without_nulls(one) for one in records(path)]
            orc.write_table(
                pa.Table.from_pylist(rows) if rows else pa.table({"_FILE_NAME": pa.array([], "utf8")}), path
            )

    def let_records_be_null(self) -> None:
        """Write the manifests and their lists with a schema by which each record may be null."""
        for path in self.files("manifest/*"):
            with path.open("rb") as file:
                schema = fastavro.reader(file).writer_schema
            some = records(path)
            with path.open("wb") as file:
                fastavro.writer(file, ["null", schema], some)

    def move_indexes(self) -> None:
        """Move the files of deletion vectors into the only bucket."""
        for path in self.files("index/*"):
            path.rename(self.folder / "bucket-0" / path.name)

    def audit(self) -> Audit:
        """The audit, of whose findings pictures can be drawn, and whose buckets are there."""
        found = super().audit()
        for one in found.findings:
            assert (finding_picture(one) is None) == (one.state is None)
            assert one.bucket is None or (self.folder / one.bucket).is_dir()
        return found


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list):
        return [_replaced(one, old, new) for one in value]
    if isinstance(value, dict):
        return {key: _replaced(one, old, new) for key, one in value.items()}
    return value.replace(old, new) if isinstance(value, str) else value


class Lake(PaimonTable):
    """A new table with a column for keys and one for values, and writers by name, which stop at gates."""

    def __init__(self, processes: Processes, warehouse: Path, *partition: str) -> None:
        super().__init__(warehouse / "db.db" / "t")
        self.processes, self.warehouse, self.partition = processes, warehouse, partition
        self.opened: set[str] = set()
        self.writer("w0")

    def writer(self, name: str) -> Any:
        """The process of a writer, who has opened the table; it is made by the first of them."""
        if name not in self.opened:
            self.opened.add(name)
            columns = {column: PARTITIONS[column][0] for column in self.partition} | {"k": "string", "v": "string"}
            table = {"columns": columns, "primary": ["k"], "partition": self.partition}
            options = {"bucket": "1", "commit.max-retries": "100"}
            self.ask(name, {"do": "open", "warehouse": str(self.warehouse), "options": options, **table})
        return self.processes[name]

    def ask(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        self.writer(name).send(request)
        return self.answer(name)

    def answer(self, name: str) -> dict[str, Any]:
        answer = self.writer(name).answer(time.monotonic() + 300)
        assert answer.verdict == "done", answer.said
        if "ack" in answer.facts:
            self.told_writers.append(json.dumps(answer.facts["ack"]))
        return dict(answer.facts)

    def row(self, key: str) -> dict[str, str]:
        """Such as ``jack=blue``; red, where no value is given."""
        key, _, value = key.partition("=")
        return {"k": key, "v": value or "red", **{column: PARTITIONS[column][1] for column in self.partition}}

    def begin(self, name: str, *rows: str) -> None:
        """Let a writer commit each row by itself, at full speed."""
        for row in rows:
            self.writer(name).send({"do": "append", "row": self.row(row)})

    def write(self, name: str, *rows: str) -> None:
        """The same, and wait for it; ``k1..20`` are many rows."""
        if many := re.fullmatch(r"(.+?)(\d+)\.\.(\d+)", rows[0]):
            rows = tuple(f"{many[1]}{n}" for n in range(int(many[2]), int(many[3]) + 1))
        self.begin(name, *rows)
        for _ in rows:
            self.answer(name)

    def start(self, name: str, row: str) -> None:
        """Let a writer write a row, and stop when its data file is there."""
        self.ask(name, {"do": "start", "row": self.row(row)})
        self.ask(name, {"do": "write_data_files"})

    def gate(self, name: str, row: str = "") -> None:
        """Let a writer stop when it has seen that no snapshot is there, and is about to create it."""
        if row:
            self.start(name, row)
        self.ask(name, {"do": "write_metadata"})

    def go(self, *names: str) -> None:
        """Open the gate."""
        for name in names:
            self.ask(name, {"do": "commit"})
