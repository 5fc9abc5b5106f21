"""Ordinary accidents to a table's files: each is a finding, whatever else is wrong, and the rest is still judged."""

import json
import os
import re
import shutil

import pytest

from tests.audits.damaged_tables import TABLES
from tests.audits.expected import agreed
from workbench.commands.cli import main


def gone(path):
    path.unlink()


def empty(path):
    path.write_bytes(b"")


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


#: By name: the table, the kind of file (`damaged_tables.py`), what befalls it, the version of the finding, and how the
#: finding ends: who needs the file.
ACCIDENTS = [
    ("delta", "first entry", gone, None, None),
    ("delta", "first entry", empty, 0, "3 versions from 0 to 2 need it"),
    ("delta", "entry", cut, 2, "version 2 needs it"),
    ("delta", "entry", empty, 2, "version 2 needs it"),
    ("delta", "newest entry", cut, 4, "version 4 needs it"),
    ("delta", "newest entry", empty, 4, "version 4 needs it"),
    ("delta", "checkpoint", cut, 3, "2 versions from 3 to 4 need it"),
    ("delta", "checkpoint", empty, 3, "2 versions from 3 to 4 need it"),
    ("iceberg", "metadata", cut, None, "which versions need it cannot be said"),
    ("iceberg", "metadata", empty, None, "which versions need it cannot be said"),
    ("iceberg", "older metadata", cut, None, "which versions need it cannot be said"),
    ("iceberg", "manifest list", cut, 3, "version 3 needs it"),
    ("iceberg", "manifest list", gone, 3, "version 3 needs it"),
    ("iceberg", "manifest", empty, 3, "version 3 needs it"),
    ("iceberg", "manifest", gone, 3, "version 3 needs it"),
    ("paimon", "snapshot", cut, 5, "version 5 needs it"),
    ("paimon", "older snapshot", empty, 3, "version 3 needs it"),
    ("paimon", "schema", gone, 1, "5 versions from 1 to 5 need it"),
    ("paimon", "manifest list", cut, 4, "version 4 needs it"),
    ("paimon", "manifest list", gone, 4, "version 4 needs it"),
    ("paimon", "manifest", gone, 4, "2 versions from 4 to 5 need it"),
    ("hudi 9", "properties", gone, None, "which versions need it cannot be said"),
    ("hudi 6", "properties", empty, None, "which versions need it cannot be said"),
    ("hudi 6", "commit", cut, None, "needs it"),
    ("hudi 9", "replacecommit", empty, None, "needs it"),
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Each table, with its kinds of files."""
    folder = tmp_path_factory.mktemp("sound")
    return {name: make(folder / name.replace(" ", "")) for name, make in TABLES.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind", "accident", "version", "needed"),
    ACCIDENTS,
    ids=[f"{name}: {kind} is {accident.__name__}" for name, kind, accident, *_ in ACCIDENTS],
)
def test_an_accident_is_a_finding(sound, tmp_path, capsys, name, kind, accident, version, needed):
    original, kinds = sound[name]
    table = shutil.copytree(original, tmp_path / "t")
    accident(table / kinds[kind][0])
    status = main(["audit", os.fspath(table), "--json"])
    output = capsys.readouterr()
    said = json.loads(output.out)
    assert output.err == ""
    found = agreed(table)
    assert found.as_dict() == said
    if needed is None:  # clean-up does the same, and a checkpoint makes up for it
        assert (status, said["findings"]) == (0, [])
        assert "versions before 3 were cleaned up: its checkpoint is taken as correct" in said["not_checked"]
        return
    assert status == 1
    assert [one["grade"] for one in said["findings"]] == ["damaged"]
    (finding,) = said["findings"]
    assert kinds[kind][0] in finding["why"]
    assert finding["why"].endswith(needed)
    assert finding["version"] == version or version is None


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("delta", ("SequentialSnapshots, ConsistentRead, ValidDeltaLog: 5 entries", "ConsistentRead: 1 checkpoint")),
        (
            "delta",
            ("PublishedFilesExist: 4 files of version 4, with sizes", "CountsAgree: 5 entries"),
        ),
        ("iceberg", ("LinearHistory, SequentialSnapshots: 3 snapshots, 4 metadata files", "CountsAgree: 3 snapshots")),
        ("paimon", ("SequentialSnapshots, LinearHistory: 5 snapshots", "NoDanglingDeletionVectors: 1 deletion vector")),
        ("paimon", ("ConsistentRead, OneValidRowPerKeyAboveLevel0: 1 bucket by metadata, ",)),
        ("hudi 6", ("ConsistentRead: 5 instants, 5 slices", "NoDuplicateKeysAcrossFiles: 3 file groups")),
    ],
)
def test_an_audit_says_what_it_compared(sound, name, lines):
    found = agreed(sound[name][0])
    for line in lines:
        assert any(one.startswith(line) for one in found.looked_at), found.looked_at
    assert all(f"  - {one}" in found.text() for one in found.looked_at)


#: By table: how the evidence on its lost data file, or deletion vector, ends.
ORIGINS = [
    ("delta", "data file", "; version 2 added it"),
    ("delta", "deletion vector", "; version 3 added it"),
    ("iceberg", "data file", r"; version 1 added it at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, with \d rows?"),
    ("paimon", "data file", r"; version 4 added it at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, with 501 rows"),
    ("paimon", "deletion vectors", r"; version 4 added it at 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC"),
    ("hudi 6", "base file", r"\d{17}\S* publishes \S+, with \d rows?"),
]


@pytest.mark.parametrize(("name", "kind", "told"), ORIGINS, ids=[f"{name}: {kind}" for name, kind, _ in ORIGINS])
def test_a_missing_file_says_how_it_came(sound, tmp_path, name, kind, told):
    original, kinds = sound[name]
    table = shutil.copytree(original, tmp_path / "t")
    (table / kinds[kind][0]).unlink()
    (found,) = agreed(table).findings
    assert re.search(f"{told}$", found.evidence[0]), found.evidence


def test_a_file_that_is_older_than_what_is_left_says_so(sound, tmp_path):
    original, kinds = sound["delta"]
    table = shutil.copytree(original, tmp_path / "t")
    for version in range(3):
        (table / "_delta_log" / f"{version:020}.json").unlink()
    (table / kinds["data file"][0]).unlink()
    (found,) = agreed(table).findings
    assert found.evidence == ("there is no d; a version before those that are left added it",)
