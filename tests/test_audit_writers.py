"""Tables that real writers make while the test runs, as processes that race each other; see tests/paimon_writer.py."""

import json
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from pyarrow import fs

from workbench.kernel import InputError
from workbench.tables import audit
from workbench.tables.decoding import in_process
from workbench.tables.paimon.read import read
from workbench.tables.source import Source
from workbench.view import finding_picture

WRITER = Path(__file__).with_name("paimon_writer.py")


class Writer:
    """A process that writes, and stops at gates."""

    def __init__(self, python: Path, warehouse: Path, *arguments: str) -> None:
        command = [str(python), str(WRITER), str(warehouse), *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def comes_to_the_gate(self) -> None:
        assert self.process.stdout.readline() == "gate\n"

    def goes_on(self) -> dict:
        """Open the gate; what the writer was told of its commit."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def ends(self) -> list[dict]:
        """Wait for its end; what it was told of its commits."""
        output, _ = self.process.communicate(timeout=300)
        assert self.process.returncode == 0
        return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def start(writers, tmp_path):
    """Starts writers of a new table."""
    with ExitStack() as stack:

        def begin(*arguments: str) -> Writer:
            writer = Writer(writers, tmp_path / "lake", *arguments)
            stack.callback(writer.process.wait)
            stack.callback(writer.process.kill)
            return writer

        yield begin


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lake" / "db.db" / "t"


def acks_file(tmp_path: Path, acks: list[dict]) -> Path:
    file = tmp_path / "acks.jsonl"
    file.write_text("".join(f"{json.dumps(ack)}\n" for ack in acks))
    return file


def test_a_commit_that_was_overwritten_is_suspected_and_proved_by_its_acknowledgement(start, path, tmp_path):
    start("make").ends()
    acks = start("write", "tom").ends()
    one, other = start("gated", "jack"), start("gated", "sarah")
    one.comes_to_the_gate()
    other.comes_to_the_gate()
    acks += [one.goes_on(), other.goes_on()]
    found = audit(path)
    assert [(f.property, f.grade, f.version) for f in found.findings] == [("AcknowledgedCommitsPresent", "suspect", 2)]
    assert finding_picture(found.findings[0]) is not None
    (proved,) = audit(path, acks=acks_file(tmp_path, acks)).findings
    assert (proved.grade, proved.version) == ("proved", 2)
    assert acks[1]["commitUser"] in proved.why


def test_a_lost_snapshot_is_proved_where_a_later_one_was_built_on_it(start, path):
    start("make").ends()
    start("write", "tom").ends()
    one, other = start("gated", "jack"), start("gated", "sarah")
    one.comes_to_the_gate()
    other.comes_to_the_gate()
    one.goes_on()
    third = start("gated", "nina")
    third.comes_to_the_gate()  # it has read the snapshot that is about to be overwritten
    other.goes_on()
    third.goes_on()
    found = audit(path)
    assert {(f.property, f.grade, f.version, f.key) for f in found.findings} == {
        ("LinearHistory", "proved", 3, None),
        ("ConsistentRead", "proved", 3, "sarah"),
    }
    assert all(finding_picture(finding) is not None for finding in found.findings)


@pytest.mark.parametrize("columns", [["text"], ["number", "day"], ["yes", "text"]])
def test_partitions_of_many_kinds_are_judged(start, path, columns):
    """The writer that is overtaken has sequence number 1, and the one that overtakes it 1 and 2."""
    start("make", *columns).ends()
    start("write", "jack=red").ends()
    late = start("late", "jack=green")
    late.comes_to_the_gate()
    start("write", "jack=blue", "jack=violet").ends()
    late.goes_on()
    (finding,) = audit(path).findings
    assert (finding.property, finding.grade, finding.version, finding.key) == ("ConsistentRead", "proved", 4, "jack")
    assert "reads as violet, but committed was green" in finding.why
    assert (path / finding.bucket).is_dir()
    assert finding.bucket.count("/") == len(columns)


def test_a_key_that_was_written_many_times_is_told_from_its_last_commits_on(start, path):
    start("make").ends()
    start("write", *(f"jack=v{n}" for n in range(30))).ends()
    late = start("late", "jack=late")
    late.comes_to_the_gate()
    start("write", "jack=a", "jack=b").ends()
    late.goes_on()
    (finding,) = audit(path).findings
    assert (finding.grade, finding.version) == ("proved", 33)
    assert finding_picture(finding) is not None
    state = finding.state
    assert state.latest == 12
    assert [state.columns[file, "jack"][0] for file in state.manifest[state.snapshots[12]]][-3:] == ["a", "b", "late"]
    assert "snapshot 12 is snapshot 33 of the table" in finding.legend


def test_two_writers_with_one_sequence_number_are_no_proof(start, path):
    """Both took the number after the largest that they saw: which of the two rows is read is not defined."""
    start("make").ends()
    start("write", "jack=red").ends()
    late = start("late", "jack=green")
    late.comes_to_the_gate()
    start("write", "jack=blue").ends()
    late.goes_on()
    (finding,) = audit(path).findings
    assert (finding.property, finding.grade, finding.version) == ("ConsistentRead", "suspect", 3)
    assert "reads as blue or green, but committed was green" in finding.why


def test_races_at_full_speed_lose_exactly_the_commits_that_are_named(start, path, tmp_path):
    """Whatever happens this time: what was acknowledged is there, or it is named."""
    start("make").ends()
    keys = [[f"w{w}-{n}" for n in range(12)] for w in range(4)]
    acks = [ack for writer in [start("write", *mine) for mine in keys] for ack in writer.ends()]
    assert len(acks) == 48
    table = read(Source(path), in_process)
    lost = {ack["commitUser"] for ack in acks} - set(table.snapshots["user"].to_pylist())
    found = audit(path, acks=acks_file(tmp_path, acks))
    named = [f.why.split()[3] for f in found.of("AcknowledgedCommitsPresent")]
    assert sorted(named) == sorted(lost)
    without = audit(path)
    broken = without.of("LinearHistory")
    assert not broken or lost
    assert len(without.of("AcknowledgedCommitsPresent")) + len(broken) >= len(lost)


def test_a_table_that_is_written_to_has_no_false_findings(start, path):
    """Commits that are under way while the table is read are not taken for lost ones."""
    start("make").ends()
    start("write", "tom").ends()
    writer = start("write", *(f"w-{n}" for n in range(60)))
    seen = set()
    while writer.process.poll() is None:
        found = audit(path)
        assert found.findings == ()
        seen.add(found.versions[1])
        time.sleep(0.01)
    writer.ends()
    assert audit(path).versions == (1, 61)
    assert len(seen) > 1


def test_a_commit_that_waits_for_its_turn_is_only_mentioned(start, path):
    start("make").ends()
    start("write", "tom").ends()
    waiting = start("gated", "jack")
    waiting.comes_to_the_gate()
    found = audit(path)
    assert found.findings == ()
    assert "1 commit prepared as snapshot 2, which is not there yet" in found.not_checked
    waiting.goes_on()
    assert audit(path).versions == (1, 2)


# Tables elsewhere ----------------------------------------------------------------------------------------------------


@pytest.fixture
def s3(writers, tmp_path, monkeypatch):
    """The address of a server of S3 that has a bucket ``lake``, and a file system there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    host, _, port = address.partition(":")
    command = [str(writers.with_name("moto_server")), "--host", host, "--port", port]
    with (tmp_path / "moto.log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until and socket.socket().connect_ex((host, int(port))):
                time.sleep(0.05)
            files = fs.S3FileSystem(endpoint_override=address, scheme="http", allow_bucket_creation=True)
            files.create_dir("lake")
            yield address, files
        finally:
            server.terminate()


@pytest.mark.parametrize("name", ["java_dangling", "seq", "drive"])
def test_a_table_on_s3_is_judged_like_a_local_one(s3, real_table, name):
    address, files = s3
    fs.copy_files(str(real_table(name)), "lake/t", destination_filesystem=files)
    options = f"?endpoint_override={address}&scheme=http"
    there, here = audit(f"s3://lake/t{options}"), audit(real_table(name))
    assert there.findings == here.findings
    assert there.versions == here.versions
    with pytest.raises(InputError, match="there is no folder 's3://lake/nothing"):
        audit(f"s3://lake/nothing{options}")
    with pytest.raises(InputError, match="there is one in 's3://lake/t"):
        audit(f"s3://lake{options}")
    secret = audit(f"s3://x:secret@lake/t{options}")
    assert "secret" not in secret.text()
