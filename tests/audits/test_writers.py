"""Tables that real writers make while the test runs, as processes that race each other."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from workbench.audits import audit
from workbench.audits.source import Source
from workbench.checking.driving import Processes
from workbench.kernel import InputError
from workbench.protocols.paimon.audit.read import read
from workbench.protocols.paimon.driver import PaimonDriver
from workbench.showing.view import finding_picture

#: The columns that partitions may have, with the value that all rows have there.
PARTITIONS = {
    "text": ("string", "2024/01 a=b, longer"),
    "number": ("int32", "-5"),
    "day": ("date32", "2024-01-02"),
    "yes": ("bool_", "true"),
}


class Lake:
    """A new table with a column for keys and one for values, and writers by name, which stop at gates."""

    def __init__(self, processes: Processes, warehouse: Path, partition: tuple[str, ...] = ()) -> None:
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
        return dict(answer.facts)

    def row(self, key: str) -> dict[str, str]:
        """Such as ``jack=blue``; red, where no value is given."""
        key, _, value = key.partition("=")
        return {"k": key, "v": value or "red", **{column: PARTITIONS[column][1] for column in self.partition}}

    def begins(self, name: str, *keys: str) -> None:
        """Let a writer commit each key by itself, at full speed."""
        for key in keys:
            self.writer(name).send({"do": "append", "row": self.row(key)})

    def writes(self, name: str, *keys: str) -> list[Any]:
        """The same, and wait for it; what the writer was told of its commits."""
        self.begins(name, *keys)
        return [self.answer(name)["ack"] for _ in keys]

    def is_late(self, name: str, key: str) -> None:
        """Let a writer write a key, and stop when its data file is there."""
        self.ask(name, {"do": "start", "row": self.row(key)})
        self.ask(name, {"do": "write_data_files"})

    def comes_to_the_gate(self, name: str, key: str = "") -> None:
        """Let a writer stop when it has seen that no snapshot is there, and is about to create it."""
        if key:
            self.is_late(name, key)
        self.ask(name, {"do": "write_metadata"})

    def goes_on(self, name: str) -> Any:
        """Open the gate; what the writer was told of its commit."""
        return self.ask(name, {"do": "commit"})["ack"]


@pytest.fixture(scope="module")
def processes(writers):
    """Writers that are there for one table after the other."""
    with Processes(PaimonDriver(str(writers)).command()) as processes:
        yield processes


@pytest.fixture
def lake(processes, tmp_path):
    return Lake(processes, tmp_path / "lake")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lake" / "db.db" / "t"


def acks_file(tmp_path: Path, acks: list[dict]) -> Path:
    file = tmp_path / "acks.jsonl"
    file.write_text("".join(f"{json.dumps(ack)}\n" for ack in acks))
    return file


def test_a_commit_that_was_overwritten_is_suspected_and_proved_by_its_acknowledgement(lake, path, tmp_path):
    acks = lake.writes("w0", "tom")
    lake.comes_to_the_gate("w0", "jack")
    lake.comes_to_the_gate("w1", "sarah")
    acks += [lake.goes_on("w0"), lake.goes_on("w1")]
    found = audit(path)
    assert [(f.property, f.grade, f.version) for f in found.findings] == [("AcknowledgedCommitsPresent", "suspect", 2)]
    assert finding_picture(found.findings[0]) is not None
    (proved,) = audit(path, acks=acks_file(tmp_path, acks)).findings
    assert (proved.grade, proved.version) == ("proved", 2)
    assert acks[1]["commitUser"] in proved.why


def test_a_lost_snapshot_is_proved_where_a_later_one_was_built_on_it(lake, path):
    lake.writes("w0", "tom")
    lake.comes_to_the_gate("w0", "jack")
    lake.comes_to_the_gate("w1", "sarah")
    lake.goes_on("w0")
    lake.comes_to_the_gate("w2", "nina")  # it has read the snapshot that is about to be overwritten
    lake.goes_on("w1")
    lake.goes_on("w2")
    found = audit(path)
    assert {(f.property, f.grade, f.version, f.key) for f in found.findings} == {
        ("LinearHistory", "proved", 3, None),
        ("ConsistentRead", "proved", 3, "sarah"),
    }
    assert all(finding_picture(finding) is not None for finding in found.findings)


@pytest.mark.parametrize("columns", [["text"], ["number", "day"], ["yes", "text"]])
def test_partitions_of_many_kinds_are_judged(processes, path, tmp_path, columns):
    """The writer that is overtaken has sequence number 1, and the one that overtakes it 1 and 2."""
    lake = Lake(processes, tmp_path / "lake", tuple(columns))
    lake.writes("w0", "jack=red")
    lake.is_late("w1", "jack=green")
    lake.writes("w0", "jack=blue", "jack=violet")
    lake.comes_to_the_gate("w1")
    lake.goes_on("w1")
    (finding,) = audit(path).findings
    assert (finding.property, finding.grade, finding.version, finding.key) == ("ConsistentRead", "proved", 4, "jack")
    assert "reads as violet, but committed was green" in finding.why
    assert (path / finding.bucket).is_dir()
    assert finding.bucket.count("/") == len(columns)


def test_a_key_that_was_written_many_times_is_told_from_its_last_commits_on(lake, path):
    lake.writes("w0", *(f"jack=v{n}" for n in range(30)))
    lake.is_late("w1", "jack=late")
    lake.writes("w0", "jack=a", "jack=b")
    lake.comes_to_the_gate("w1")
    lake.goes_on("w1")
    (finding,) = audit(path).findings
    assert (finding.grade, finding.version) == ("proved", 33)
    assert finding_picture(finding) is not None
    state = finding.state
    assert state.latest == 12
    assert [state.columns[file, "jack"][0] for file in state.manifest[state.snapshots[12]]][-3:] == ["a", "b", "late"]
    assert "snapshot 12 is snapshot 33 of the table" in finding.legend


def test_a_commit_that_died_is_told_whatever_its_version_is(lake, path):
    """The model numbers at most twenty versions, and here the thirteen to twenty-fourth die one after the other."""
    lake.writes("w0", *(f"k{n}" for n in range(20)))
    for n in range(4):
        lake.comes_to_the_gate(f"dies{n}", f"lost{n}")
        lake.writes("w0", f"later{n}")
    found = audit(path).findings
    assert [(f.property, f.grade, f.version) for f in found] == [
        ("AcknowledgedCommitsPresent", "suspect", version) for version in range(21, 25)
    ]
    assert all(finding_picture(finding) is not None for finding in found)


def test_two_writers_with_one_sequence_number_are_no_proof(lake, path):
    """Both took the number after the largest that they saw: which of the two rows is read is not defined."""
    lake.writes("w0", "jack=red")
    lake.is_late("w1", "jack=green")
    lake.writes("w0", "jack=blue")
    lake.comes_to_the_gate("w1")
    lake.goes_on("w1")
    (finding,) = audit(path).findings
    assert (finding.property, finding.grade, finding.version) == ("ConsistentRead", "suspect", 3)
    assert "reads as blue or green, but committed was green" in finding.why


@pytest.mark.parametrize("kind", ["branch", "tagged"])
def test_commits_on_branches_and_of_tags_are_not_lost(written, kind):
    path, acks = written(kind)
    for known in (None, acks):
        found = audit(path, acks=known)
        assert found.findings == ()
        assert not any("manifest list" in note for note in found.not_checked)
    assert sum("has expired" in note for note in found.not_checked) == (kind == "tagged")


@pytest.mark.parametrize(("kind", "lost", "more"), [("dropped", 3, 2), ("rolled_back", 2, 1)])
def test_commits_that_were_taken_out_are_no_proof(written, kind, lost, more):
    """A lost commit has none that were built on it; here there are, so that somebody has meant it."""
    path, acks = written(kind)
    found = audit(path)
    (suspect,) = found.findings
    assert (suspect.property, suspect.grade) == ("AcknowledgedCommitsPresent", "suspect")
    assert "rollback_to, by fast_forward, or with the branch" in suspect.why
    (note,) = (note for note in found.not_checked if "manifest list" in note)
    assert note.startswith(f"{more} manifest list")
    assert "expired" not in note
    missing = audit(path, acks=acks).findings
    assert [(one.grade, one.version, one.bucket) for one in missing] == [("suspect", None, None)] * lost
    assert {one.evidence[0] for one in missing} == {
        f"{lost} commits missing, 1 manifest list left: which is whose is not known"
    }


def test_a_snapshot_that_fast_forward_has_put_there_is_named(written):
    path, acks = written("forwarded")
    (broken,) = audit(path).findings
    assert (broken.property, broken.grade, broken.version) == ("LinearHistory", "suspect", 3)
    assert broken.evidence[-1] == (
        "branch/branch-b1/snapshot/snapshot-2 is the same commit as snapshot 2: fast_forward copies it"
    )
    assert {one.grade for one in audit(path, acks=acks).findings} == {"suspect"}


def test_a_commit_that_was_rolled_back_last_is_no_proof(written):
    """Another commit would be in its place if it had been overwritten."""
    path, acks = written("rolled_back_once")
    assert audit(path).findings == ()
    assert [(one.property, one.grade) for one in audit(path, acks=acks).findings] == [
        ("AcknowledgedCommitsPresent", "suspect")
    ]


def test_races_at_full_speed_lose_exactly_the_commits_that_are_named(lake, path, tmp_path):
    """Whatever happens this time: what was acknowledged is there, or it is named."""
    names = [f"w{w}" for w in range(4)]
    for name in names:
        lake.writer(name)
    for name in names:
        lake.begins(name, *(f"{name}-{n}" for n in range(12)))
    acks = [lake.answer(name)["ack"] for name in names for _ in range(12)]
    table = read(Source(path))
    lost = {ack["commitUser"] for ack in acks} - set(table.snapshots["user"].to_pylist())
    found = audit(path, acks=acks_file(tmp_path, acks))
    named = [f.why.split()[3] for f in found.of("AcknowledgedCommitsPresent")]
    assert sorted(named) == sorted(lost)
    without = audit(path)
    broken = without.of("LinearHistory")
    assert not broken or lost
    assert len(without.of("AcknowledgedCommitsPresent")) + len(broken) >= len(lost)


def test_a_table_that_is_written_to_has_no_false_findings(lake, path):
    """Commits that are under way while the table is read are not taken for lost ones."""
    lake.writes("w0", "tom")
    lake.begins("w0", *(f"w-{n}" for n in range(60)))
    seen = set()
    for _ in range(60):
        found = audit(path)
        assert found.findings == ()
        seen.add(found.versions[1])
        lake.answer("w0")
    assert audit(path).versions == (1, 61)
    assert len(seen) > 1


def test_a_commit_that_waits_for_its_turn_is_only_mentioned(lake, path):
    lake.writes("w0", "tom")
    lake.comes_to_the_gate("w1", "jack")
    found = audit(path)
    assert found.findings == ()
    assert "1 commit prepared as snapshot 2, which is not there yet, or was rolled back" in found.not_checked
    lake.goes_on("w1")
    assert audit(path).versions == (1, 2)


# Tables elsewhere ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["java_dangling", "seq", "drive"])
def test_a_table_on_s3_is_judged_like_a_local_one(s3, real_table, name):
    files, bucket = fs.S3FileSystem(endpoint_override=s3.address, scheme="http"), name.replace("_", "-")
    s3.files.mkdir(bucket)
    fs.copy_files(str(real_table(name)), f"{bucket}/t", destination_filesystem=files)
    options = f"?endpoint_override={s3.address}&scheme=http"
    there, here = audit(f"s3://{bucket}/t{options}"), audit(real_table(name))
    assert there.findings == here.findings
    assert there.versions == here.versions
    with pytest.raises(InputError, match=f"there is no folder 's3://{bucket}/nothing"):
        audit(f"s3://{bucket}/nothing{options}")
    with pytest.raises(InputError, match=f"there is one in 's3://{bucket}/t"):
        audit(f"s3://{bucket}{options}")
    secret = audit(f"s3://x:secret@{bucket}/t{options}")
    assert "secret" not in secret.text()
