"""The row ids of Iceberg's format version 3: `V3` writes such a table by hand, since pyiceberg does not."""

import json
from pathlib import Path
from typing import Any

import fastavro
import pytest

from tests.audits.expected import agreed
from workbench.audits.row_ids import ROW_IDS


def _schema(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": one, "type": kind} for one, kind in fields.items()]}


_FILE: dict[str, Any] = {"content": "int", "file_path": "string", "file_format": "string", "record_count": "long"}
_FILE |= {"file_size_in_bytes": "long", "first_row_id": ["null", "long"]}
_ENTRY = _schema("entry", {"status": "int", "snapshot_id": "long", "data_file": _schema("file", _FILE)})
_COUNTS = {f"{kind}_{what}_count": "long" for kind in ("added", "existing", "deleted") for what in ("files", "rows")}
_LIST = {"manifest_path": "string", "added_snapshot_id": "long", "content": "int", "sequence_number": "long"}
_LISTED = _schema("listed", {**_LIST, "first_row_id": ["null", "long"], **_COUNTS})


class V3:
    """Three snapshots add two files each, of 3 and of 2 rows; a test changes what they say before it is written."""

    def __init__(self) -> None:
        self.snapshots: list[dict[str, Any]] = [
            {"snapshot-id": n, "parent-snapshot-id": n - 1 or None, "sequence-number": n, "timestamp-ms": n}
            | {"summary": {"operation": "append"}, "schema-id": 0, "first-row-id": 5 * (n - 1), "added-rows": 5}
            for n in (1, 2, 3)
        ]
        self.metadata: dict[str, Any] = {"format-version": 3, "table-uuid": "t", "next-row-id": 15}
        self.older: dict[str, Any] = {"next-row-id": 10}
        self.lists: list[dict[int, int | None]] = [{n: 5 * (n - 1) for n in range(1, last + 1)} for last in (1, 2, 3)]
        self.first_rows: dict[str, int | None] = {}  # of files that say it, by name
        self.rows: dict[str, int] = {}  # the same

    def write(self, folder: Path) -> None:
        for part in ("metadata", "data"):
            (folder / part).mkdir(parents=True)
        for n in (1, 2, 3):
            entries = [self._entry(folder, n, f"f{n}{part}", rows) for part, rows in (("a", 3), ("b", 2))]
            with (folder / f"metadata/m{n}.avro").open("wb") as file:
                fastavro.writer(file, _ENTRY, entries)
        for n, (firsts, one) in enumerate(zip(self.lists, self.snapshots, strict=True), 1):
            one["manifest-list"] = f"{folder}/metadata/snap-{n}.avro"
            listed = [
                dict.fromkeys(_COUNTS, 0) | {"added_files_count": 2, "added_rows_count": 5, "first_row_id": first}
                | {"manifest_path": f"{folder}/metadata/m{m}.avro", "added_snapshot_id": m, "content": 0}
                | {"sequence_number": m}
                for m, first in firsts.items()
            ]  # fmt: skip
            with Path(one["manifest-list"]).open("wb") as file:
                fastavro.writer(file, _LISTED, listed)
        older = self._metadata(folder, 2) | self.older
        (folder / "metadata/v2.metadata.json").write_text(json.dumps(older))
        log = [{"metadata-file": f"{folder}/metadata/v2.metadata.json", "timestamp-ms": 2}]
        (folder / "metadata/v3.metadata.json").write_text(json.dumps(self._metadata(folder, 3) | {"metadata-log": log}))

    def _entry(self, folder: Path, n: int, name: str, rows: int) -> dict[str, Any]:
        path = folder / f"data/{name}.parquet"
        path.write_bytes(b"x")
        file = {
            "content": 0,
            "file_path": str(path),
            "file_format": "PARQUET",
            "record_count": self.rows.get(name, rows),
        }
        file |= {"file_size_in_bytes": 1, "first_row_id": self.first_rows.get(name)}
        return {"status": 1, "snapshot_id": n, "data_file": file}

    def _metadata(self, folder: Path, last: int) -> dict[str, Any]:
        log = [{"snapshot-id": n, "timestamp-ms": n} for n in range(1, last + 1)]
        said = {"location": str(folder), "last-sequence-number": last, "last-updated-ms": last, "snapshot-log": log}
        return self.metadata | said | {"current-snapshot-id": last, "snapshots": self.snapshots[:last]}


def changed(**changes: Any) -> V3:
    """A table with other facts, by the names of `V3`'s attributes; ``snapshot2`` is the second snapshot."""
    table = V3()
    for name, change in changes.items():
        if name.startswith("snapshot"):
            one = table.snapshots[int(name[-1]) - 1]
            one.update(change)
            table.snapshots[int(name[-1]) - 1] = {key: value for key, value in one.items() if value is not ...}
        elif name == "lists":
            table.lists = change
        else:
            getattr(table, name).update(change)
    return table


@pytest.mark.parametrize(
    "table",
    [
        changed(),
        # The files of version 2 have no ids until the first commit of version 3 gives them some.
        changed(
            snapshot1={"first-row-id": ..., "added-rows": ...},
            snapshot2={"first-row-id": 0, "added-rows": 10},
            lists=[{1: None}, {1: 5, 2: 0}, {1: 5, 2: 0, 3: 10}],
        ),
        # Snapshots may assign more ids than they have rows.
        changed(snapshot3={"added-rows": 9}, metadata={"next-row-id": 99}),
        # A file that says its own is not counted by those behind it.
        changed(first_rows={"f3a": 12}),
    ],
    ids=["as Java writes it", "from version 2", "gaps", "a file says its own"],
)
def test_row_ids_are_unique(tmp_path, table):
    table.write(tmp_path / "t")
    found = agreed(tmp_path / "t")
    assert found.findings == ()
    assert f"{ROW_IDS}: 6 files of version 3" in found.looked_at


# The first is that of a writer that retries with the ids of its first attempt (apache/iceberg-go#1021).
@pytest.mark.parametrize(
    ("table", "why"),
    [
        (
            changed(snapshot3={"first-row-id": 5}, lists=[{1: 0}, {1: 0, 2: 5}, {1: 0, 2: 5, 3: 5}]),
            ["snapshot 2 and snapshot 3 assign the same row ids", "data files of version 3 share row ids"],
        ),
        (
            changed(metadata={"next-row-id": 12}),
            ["next-row-id is 12, and snapshot 3 has 10 to 14", "the next row id of version 3 is 12"],
        ),
        (changed(older={"next-row-id": 99}), ["next-row-id was 99, and became 15"]),
        (changed(first_rows={"f2a": 1}), ["not assigned: 1", "data files of version 3 share row ids"]),
        (changed(lists=[{1: 0}, {1: 0, 2: 5}, {1: 0, 2: 5, 3: 7}]), ["not assigned: 1", "share row ids"]),
        (
            changed(snapshot3={"first-row-id": ..., "added-rows": ...}),
            ["snapshot 3 has no first-row-id, and its parent has one"],
        ),
        (changed(snapshot2={"added-rows": 2}), ["not assigned: 2"]),
    ],
    ids=["retried", "next", "back", "file", "manifest", "missing", "added"],
)
def test_row_ids_are_not(tmp_path, table, why):
    table.write(tmp_path / "t")
    findings = agreed(tmp_path / "t").findings
    assert [(one.property, one.grade) for one in findings] == [(ROW_IDS, "proved")] * len(why)
    for part in why:
        assert any(part in one.why for one in findings), findings


def test_a_file_with_less_than_no_rows_is_damaged(tmp_path):
    changed(rows={"f3a": -1}).write(tmp_path / "t")
    (damaged,) = agreed(tmp_path / "t").findings
    assert (damaged.grade, damaged.version) == ("damaged", 3)
    assert "f3a.parquet' has -1 rows" in damaged.why
