"""Writes Iceberg tables with pyiceberg: that of a kind is FOLDER/KIND/ns/t, and its catalog FOLDER/KIND/catalog.db."""

import json
import random
import shutil
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyiceberg.table.metadata
from pyiceberg.avro.file import AvroOutputFile
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestListWriterV2,
    ManifestWriterV2,
)
from pyiceberg.table import StaticTable

from tests.audits.bitmaps import deletion_vector
from tests.audits.writing import race, write

WRITERS, COMMITS = 4, 12
_draw = pyiceberg.table.metadata._generate_snapshot_id


def _id() -> int:
    """An id as pyiceberg draws it, and none that a tool leaves as it is that rounds to 64-bit floats."""
    return next(id for id in iter(_draw, None) if id >= 10**16 and Decimal(repr(float(id))) != id)


pyiceberg.table.metadata._generate_snapshot_id = _id


def catalog(folder: Path, database: str = "catalog.db") -> SqlCatalog:
    return SqlCatalog("tests", uri=f"sqlite:///{folder}/{database}?timeout=60", warehouse=f"file://{folder}")


def create(folder: Path, **properties: str) -> Any:
    made = catalog(folder)
    made.create_namespace("ns")
    schema = pa.schema([("id", pa.int64())])
    return made.create_table(
        "ns.t",
        schema=schema,
        properties={n.replace("_", "." if n.startswith("write") else "-"): v for n, v in properties.items()},
    )


def append(table: Any, *ids: int) -> None:
    table.append(pa.table({"id": list(ids)}))


def many(folder: Path, writer: int) -> None:
    """One of several processes that commit, and try again when somebody else was first."""
    for i in range(COMMITS):
        while True:
            try:
                append(catalog(folder).load_table("ns.t"), writer * 1000 + i)
                break
            except CommitFailedException:
                pass


def races(folder: Path) -> None:
    """Four processes, twelve commits of each."""
    create(folder)
    race("tests.protocols.iceberg.writer", many, folder, WRITERS)


def blind(folder: Path, **properties: str) -> None:
    """A catalog that does not compare before it swaps: its database is put back to what it was before a commit."""
    table = create(folder, **properties)
    append(table, 1)
    shutil.copy(folder / "catalog.db", folder / "before.db")
    append(table, 2)
    print(table.metadata.current_snapshot_id, table.metadata.last_updated_ms)
    shutil.move(folder / "before.db", folder / "catalog.db")
    other = catalog(folder).load_table("ns.t")
    append(other, 3)
    append(other, 4)


def firsts(folder: Path) -> None:
    """Two writers insert into an empty table, and the catalog does not compare: the first one's commit is lost."""
    create(folder)
    transactions = []
    for i in (1, 2):
        transactions.append(catalog(folder).load_table("ns.t").transaction())
        transactions[-1].append(pa.table({"id": [i]}))
    for one in transactions:
        one._requirements = ()
        head = one.commit_transaction().metadata
        print(head.current_snapshot_id, head.last_updated_ms)


def upgraded(folder: Path) -> None:
    """A table of version 1 goes on in version 2."""
    table = create(folder, format_version="1")
    for i in range(4):
        if i == 2:
            with table.transaction() as transaction:
                transaction.upgrade_table_version(2)
        append(table, i)


def checkpoints(folder: Path) -> None:
    """Commits with the marks of Flink's committer: one of checkpoint 2 comes twice, and so does that of all batches."""
    table = create(folder)
    pq.write_table(pa.table({"id": pa.array([9], pa.int64())}), folder / "here.parquet")
    for i, checkpoint in enumerate((1, 2, -2, -2, 2**63 - 1, 2**63 - 1)):
        marks = {"job-id": "job", "operator-id": "operator", "max-committed-checkpoint-id": str(abs(checkpoint))}
        summary = {f"flink.{name}": one for name, one in marks.items()}
        if checkpoint < 0:
            table.add_files([f"file://{folder}/here.parquet"], summary, check_duplicate_files=False)
        else:
            table.append(pa.table({"id": [i]}), snapshot_properties=summary)


def gated(made: Any, step: str, meanwhile: Callable[[], None]) -> None:
    """Let something happen right after the next time that a catalog takes a step."""
    act = getattr(made, step)

    def gate(*given: Any, **named: Any) -> Any:
        setattr(made, step, act)
        result = act(*given, **named)
        meanwhile()
        return result

    setattr(made, step, gate)


def retried(folder: Path) -> None:
    """A writer is overtaken between its metadata file and the catalog, and tries again."""
    append(create(folder), 1)
    overtaken = catalog(folder)
    late = overtaken.load_table("ns.t")
    gated(overtaken, "_write_metadata", lambda: append(catalog(folder).load_table("ns.t"), 2))
    append(late, 3)


def overtaken(folder: Path) -> None:
    """Of two writers the one that began last is refused, and gives up: its metadata file is the latest, and is left."""
    append(create(folder, **{"commit.retry.num-retries": "0"}), 1)
    first, second = (catalog(folder), catalog(folder))
    transactions = []
    for one in (first, second):
        transactions.append(one.load_table("ns.t").transaction())
        transactions[-1].append(pa.table({"id": [len(transactions) + 1]}))
        time.sleep(0.002)
    gated(second, "load_table", transactions[0].commit_transaction)
    try:
        transactions[1].commit_transaction()
    except CommitFailedException:
        head = first.load_table("ns.t").metadata
        print(head.current_snapshot_id, head.last_updated_ms)


def back(folder: Path) -> None:
    """Somebody goes back, and the history goes on from there."""
    table = create(folder)
    for i in range(3):
        append(table, i)
    table.manage_snapshots().rollback_to_snapshot(table.metadata.snapshots[1].snapshot_id).commit()
    append(table, 3)


def branched(folder: Path) -> None:
    """A branch and the main one go on, each by itself."""
    table = create(folder)
    append(table, 1)
    table.manage_snapshots().create_branch(table.metadata.current_snapshot_id, "b1").commit()
    append(table, 2)
    for i in (3, 4):
        table.append(pa.table({"id": [i]}), branch="b1")
    append(table, 5)


class Vectors(ManifestWriterV2):
    """Writes a manifest of deletion vectors, which came with version 3."""

    @property
    def version(self) -> Any:
        return 3

    def content(self) -> ManifestContent:
        return ManifestContent.DELETES

    @property
    def _meta(self) -> dict[str, str]:
        return super()._meta | {"content": "deletes"}

    def new_writer(self) -> Any:
        schema = self._with_partition(3)
        return AvroOutputFile(self._output_file, schema, "manifest_entry", schema, self._meta)


def vectors(folder: Path) -> None:
    """A table goes on in version 3, and a row of each of its two files is struck out by a vector in one Puffin file.

    pyiceberg reads version 3, and does not write it yet: the last commit is made with the writers of version 2.
    """
    table = create(folder)
    append(table, 1, 2, 3)
    append(table, 4, 5, 6)
    metadata, io, id = table.metadata, table.io, 7_000_000_000_000_000_000
    last = metadata.current_snapshot()
    data = [task.file for task in table.scan().plan_files()]
    puffin, blobs = b"PFA1", []
    for row, file in enumerate(data):
        blob = deletion_vector([row])
        about = {"referenced-data-file": file.file_path, "cardinality": "1"}
        fields = {"type": "deletion-vector-v1", "fields": [], "snapshot-id": -1, "sequence-number": -1}
        blobs.append(fields | {"offset": len(puffin), "length": len(blob), "properties": about})
        puffin += blob
    footer = json.dumps({"blobs": blobs, "properties": {}}).encode()
    puffin += b"PFA1" + footer + len(footer).to_bytes(4, "little") + bytes(4) + b"PFA1"
    folder = Path(table.location().removeprefix("file://"))
    (folder / "data" / "vectors.puffin").write_bytes(puffin)
    location = f"{table.location()}/metadata"
    to = io.new_output(f"{location}/vectors-m0.avro")
    with Vectors(table.spec(), table.schema(), to, id, "deflate") as manifest:
        for said, file in zip(blobs, data, strict=True):
            one = DataFile.from_args(
                _table_format_version=3,
                content=DataFileContent.POSITION_DELETES,
                file_path=f"{table.location()}/data/vectors.puffin",
                file_format="PUFFIN",
                partition=file.partition,
                record_count=1,
                file_size_in_bytes=len(puffin),
                referenced_data_file=file.file_path,
                content_offset=said["offset"],
                content_size_in_bytes=said["length"],
            )
            entry = ManifestEntry.from_args(
                _table_format_version=3, status=ManifestEntryStatus.ADDED, snapshot_id=id, data_file=one
            )
            manifest.add_entry(entry)
    listed = ManifestListWriterV2(io.new_output(f"{location}/snap-{id}-0-v.avro"), id, last.snapshot_id, 3, "deflate")
    with listed:
        listed.add_manifests([*last.manifests(io), manifest.to_manifest_file()])
    before = Path(table.metadata_location.removeprefix("file://"))
    said = json.loads(before.read_text())
    now = last.timestamp_ms + 1
    summary = {"operation": "delete", "total-data-files": "2", "total-records": "6", "total-delete-files": "2"}
    snapshot = {"snapshot-id": id, "parent-snapshot-id": last.snapshot_id, "sequence-number": 3, "timestamp-ms": now}
    snapshot |= {"manifest-list": listed._output_file.location, "summary": summary, "schema-id": 0}
    snapshot |= {"first-row-id": 0, "added-rows": 0}
    said["snapshots"].append(snapshot)
    said["snapshot-log"].append({"snapshot-id": id, "timestamp-ms": now})
    said["metadata-log"].append({"metadata-file": table.metadata_location, "timestamp-ms": last.timestamp_ms})
    said["refs"]["main"]["snapshot-id"] = id
    said |= {"format-version": 3, "current-snapshot-id": id, "last-sequence-number": 3, "last-updated-ms": now}
    said |= {"next-row-id": 6}
    after = before.with_name("00003-vectors.metadata.json")
    after.write_text(json.dumps(said))
    rows = StaticTable.from_metadata(f"file://{after}").scan().to_arrow()["id"].to_pylist()
    assert len(rows) == 4, rows


def added(folder: Path) -> None:
    """A file that is already somewhere becomes one of the table's."""
    table = create(folder)
    pq.write_table(pa.table({"id": pa.array([1], pa.int64())}), folder / "here.parquet")
    table.add_files([f"file://{folder}/here.parquet"])
    append(table, 2)


def recreated(folder: Path, before: int, after: int) -> None:
    """A table is dropped, and another one made in its folder; the ids and times of the first one's are printed."""
    table = create(folder)
    for i in range(before):
        append(table, i)
    for one in table.metadata.snapshots:
        print(one.snapshot_id, one.timestamp_ms)
    made = catalog(folder)
    made.drop_table("ns.t")
    table = made.create_table("ns.t", schema=pa.schema([("id", pa.int64())]))
    for i in range(after):
        append(table, 100 + i)


def life(folder: Path, seed: int, **properties: str) -> None:
    """Whatever one writer may do to a table."""
    table = create(folder, **properties)
    choice = random.Random(seed)
    append(table, 0)
    for i in range(1, 15):
        history = table.metadata.snapshots
        match choice.choice(["append", "append", "delete", "overwrite", "expire", "back", "tag"]):
            case "append":
                append(table, i, i + 100)
            case "delete":
                table.delete(f"id == {choice.randrange(i)}")
            case "overwrite":
                table.overwrite(pa.table({"id": [i]}), overwrite_filter=f"id < {i // 2}")
            case "expire":
                ancestors = _ancestors(table)
                for one in reversed(ancestors[3:]):
                    table.maintenance.expire_snapshots().by_id(one).commit()
            case "back" if len(history) > 2:
                table.manage_snapshots().rollback_to_snapshot(_ancestors(table)[1]).commit()
            case "tag":
                table.manage_snapshots().create_tag(table.metadata.current_snapshot_id, f"tag{i}").commit()


def _ancestors(table: Any) -> list[int]:
    """The current snapshot and those before it, without what a tag holds."""
    held = {ref.snapshot_id for name, ref in table.metadata.refs.items() if name != "main"}
    found, one = [], table.metadata.current_snapshot()
    while one is not None:
        found.append(one.snapshot_id)
        one = table.metadata.snapshot_by_id(one.parent_snapshot_id) if one.parent_snapshot_id else None
    return [found[0], *(id for id in found[1:] if id not in held)] if len(found) > 1 else found * 2


KINDS: dict[str, Callable[[Path], None]] = {
    "blind": blind,
    "blind_v1": lambda folder: blind(folder, format_version="1"),
    "firsts": firsts,
    "upgraded": upgraded,
    "checkpoints": checkpoints,
    "back": back,
    "retried": retried,
    "overtaken": overtaken,
    "branched": branched,
    "vectors": vectors,
    "added": added,
    "apart": lambda folder: append(create(folder, write_data_path=f"file://{folder}/apart"), 1),
    "grown": lambda folder: recreated(folder, 2, 4),
    "shrunk": lambda folder: recreated(folder, 4, 2),
    "v1": lambda folder: life(folder, 1, format_version="1"),
    **{f"life{seed}": lambda folder, seed=seed: life(folder, seed) for seed in range(6)},  # type: ignore[misc]
}

if __name__ == "__main__":
    write(KINDS, races=races)
