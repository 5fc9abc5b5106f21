"""Folders on an S3 server: nothing is lost to a second writer, and nothing is believed that was not written."""

import io
import os
import signal
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.places import ROOT
from workbench.checking.check import check
from workbench.checking.contract import Spark
from workbench.checking.runs import resume, save_run
from workbench.checking.spaces.dataset import load, save
from workbench.checking.spaces.space import explore
from workbench.checking.spark.files.manifest import RUN
from workbench.commands.cli import main
from workbench.kernel import Constant, InputError, Model, Variable, action, invariant, require
from workbench.kernel.meaning.budget import Budget
from workbench.storage import remote, sums
from workbench.storage.folder import Folder, changing_folder, new_folder, replacing_folder
from workbench.storage.remote import RemoteStore
from workbench.storage.sums import CheckedFile, FileSum, Summed
from workbench.storage.versions import Overtaken, is_version


def put(folder: Folder, name: str, content: bytes) -> dict[str, FileSum]:
    return dict([folder.write(name, lambda out: out.write(content))])


def said(attempt: Callable[[], object], kind: type[Exception] = InputError) -> str:
    with pytest.raises(kind) as error:
        attempt()
    assert "\n" not in str(error.value)
    return str(error.value)


# Sums ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "BLOCK", 8)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 16, 30])
@pytest.mark.usefixtures("small_blocks")
def test_a_sum_is_the_same_however_a_file_is_written_and_read(size: int) -> None:
    content = bytes(range(size))
    out = io.BytesIO()
    summed = Summed(out)
    for at in range(0, size, 5):
        summed.write(content[at : at + 5])
    assert out.getvalue() == content
    known = summed.sum
    assert known == sums.sum_of(io.BytesIO(content))
    assert (known.size, len(known.blocks)) == (size, -(-size // 8))
    fetched: list[int] = []

    def fetch(number: int) -> bytes:
        fetched.append(number)
        begin, end = known.block(number)
        assert sums.matches(content[begin:end], known, number)
        return content[begin:end]

    file = CheckedFile(known, fetch)
    assert file.read() == content
    for begin in range(0, size, 3):
        fetched.clear()
        file.seek(begin)
        assert file.read(4) == content[begin : begin + 4]
        assert set(fetched) <= {begin // 8, (begin + 3) // 8}


@pytest.mark.usefixtures("small_blocks")
def test_a_block_that_is_not_what_was_written_does_not_match() -> None:
    known = sums.sum_of(io.BytesIO(b"0123456789"))
    assert sums.matches(b"01234567", known, 0)
    assert not any(sums.matches(block, known, 0) for block in (b"01234566", b"0123456", b"012345678", b""))


# On the server -------------------------------------------------------------------------------------------------------


@pytest.fixture
def url(s3: Any) -> str:
    """A place on the server where there is nothing yet."""
    return f"s3://lake/x{next(s3.numbers)}?endpoint_override={s3.address}&scheme=http"


def listed(s3: Any, url: str) -> set[str]:
    root = url.partition("?")[0].removeprefix("s3://")
    return {name.removeprefix(root + "/") for name in s3.files.find(root, refresh=True)}


def unnamed(s3: Any, url: str) -> set[str]:
    return {name for name in listed(s3, url) - Folder.open(url, RUN).files.keys() if not is_version(name)}


def test_what_is_written_there_is_read(url: str) -> None:
    assert "is not a run directory: it has no manifest" in said(lambda: Folder.open(url, RUN))
    with new_folder(url, RUN) as folder:
        one = put(folder, "level-0/a.bin", b"one")
        folder.commit({"says": "one"}, one)
        two = put(folder, "level-1/a.bin", b"two" * 7_000_000)  # in three parts
        folder.add({"says": "two"}, two)
    there = Folder.open(url, RUN)
    assert (there.content, there.parts) == ({"says": "one"}, [{"says": "two"}])
    assert [there.read(name) for name in (*one, *two)] == [b"one", b"two" * 7_000_000]
    assert "already exists" in said(lambda: new_folder(url, RUN).__enter__())
    with changing_folder(url, RUN) as folder:
        folder.add({"says": "three"}, {})
    assert len(Folder.open(url, RUN).parts) == 2


def test_of_two_writers_that_go_on_from_one_version_one_wins(s3: Any, url: str) -> None:
    with new_folder(url, RUN) as first:
        first.commit({"level": 0}, put(first, "a.bin", b"0"))
        mine = put(first, "a.bin", b"1 of the first")
        with changing_folder(url, RUN) as second:  # takes over, and removes what the first has not committed
            assert not unnamed(s3, url)
            late = put(first, "a.bin", b"1 of the first, late")
            for files in (mine, late):
                refusal = said(lambda files=files: first.add({"level": 1}, files), Overtaken)  # type: ignore[misc]
                assert refusal.startswith(f"run directory '{url}' is in use: process ")
                assert refusal.endswith(" has put version 2 of its manifest first; what it says is not changed")
            theirs = put(second, "a.bin", b"1 of the second")
            second.add({"level": 1}, theirs)
    there = Folder.open(url, RUN)
    assert (there.content, there.parts) == ({"level": 0}, [{"level": 1}])
    assert [there.read(name) for name in there.files] == [b"0", b"1 of the second"]
    assert unnamed(s3, url) == set(late)
    with changing_folder(url, RUN):
        assert not unnamed(s3, url)


def test_a_writer_that_is_overtaken_removes_nothing_of_the_next(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither at its end, when it removes what it has replaced, nor at its beginning."""
    with ExitStack() as stack:
        for content in (b"0", b"1"):
            with replacing_folder(url, RUN) as first:
                first.commit({}, put(first, "a.bin", content))
                second = stack.enter_context(changing_folder(url, RUN))
                theirs = put(second, "b.bin", b"2")
            second.add({}, theirs)
            assert Folder.open(url, RUN).read(*theirs) == b"2"
        put_new = RemoteStore.put_new

        def overtaken(store: RemoteStore, name: str, content: bytes) -> bool:
            monkeypatch.undo()
            done = put_new(store, name, content)
            fourth.append(stack.enter_context(changing_folder(url, RUN)))
            theirs.update(put(fourth[0], "b.bin", b"4"))
            return done

        fourth: list[Folder] = []
        monkeypatch.setattr(RemoteStore, "put_new", overtaken)
        with changing_folder(url, RUN):
            fourth[0].add({}, theirs)
        there = Folder.open(url, RUN)
        assert [there.read(name) for name in there.files] == [b"1", b"2", b"4"]


def test_many_that_begin_at_once_do_so_one_after_the_other(url: str) -> None:
    """Whoever comes too late is told; the versions are a chain in any case."""
    with new_folder(url, RUN) as folder:
        folder.commit({}, {})
    come, wrote = threading.Barrier(4), []

    def write(number: int) -> None:
        come.wait()
        try:
            with changing_folder(url, RUN) as folder:
                folder.add(number, put(folder, "a.bin", str(number).encode()))
                wrote.append(number)
        except Overtaken:
            pass

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    there = Folder.open(url, RUN)
    assert there.parts
    assert sorted(there.parts) == sorted(wrote)
    assert sorted(int(there.read(name)) for name in there.files) == sorted(wrote)


def test_an_answer_that_is_lost_is_no_defeat(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The client asks again, and then the version is there: its own."""
    with new_folder(url, RUN) as folder:
        once = folder._store.put_new
        monkeypatch.setattr(folder._store, "put_new", lambda name, text: once(name, text) and once(name, text))
        folder.commit({"says": "it"}, {})
    assert Folder.open(url, RUN).content == {"says": "it"}


def test_a_store_that_does_not_know_the_condition_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def put_always(files: Any, path: str, content: bytes) -> None:
        files.pipe_file(path, content)

    monkeypatch.setitem(remote._SCHEMES, "s3", ("s3", put_always))
    assert said(lambda: new_folder(url, RUN).__enter__()).endswith(
        "cannot be written: the store puts a file although there is one of its name, so two writers could go on"
    )


def test_a_writer_that_is_stopped_leaves_nothing_that_stays(s3: Any, url: str) -> None:
    with new_folder(url, RUN) as folder:
        folder.commit({}, {})
        put(folder, "whole.bin", b"1")

        def half(out: Any) -> None:
            out.write(b"1" * (20 << 20))
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            folder.write("half.bin", half)
    assert {name.partition(".")[0] for name in unnamed(s3, url)} == {"whole"}
    assert not s3.files.call_s3("list_multipart_uploads", Bucket="lake").get("Uploads")
    with changing_folder(url, RUN):
        assert not unnamed(s3, url)


KILLED = """
import os, signal, sys
from tests.storage.test_remote import RUN, put
from workbench.storage.folder import changing_folder
def half(out):
    out.write(b"1" * (20 << 20))
    os.kill(os.getpid(), signal.SIGKILL)
with changing_folder(sys.argv[1], RUN) as folder:
    put(folder, "whole.bin", b"1")
    folder.write("half.bin", half)
"""


def test_what_a_killed_writer_leaves_is_removed_by_the_next(s3: Any, url: str) -> None:
    with new_folder(url, RUN) as folder:
        folder.commit({"level": 0}, put(folder, "a.bin", b"0"))
    root = ROOT
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    ended = subprocess.run([sys.executable, "-c", KILLED, url], env=environment)
    assert ended.returncode == -signal.SIGKILL
    assert {name.partition(".")[0] for name in unnamed(s3, url)} == {"whole"}
    with changing_folder(url, RUN) as folder:
        assert not unnamed(s3, url)
        assert folder.read(*folder.files) == b"0"


def test_what_is_damaged_there_is_noticed(s3: Any, url: str) -> None:
    with new_folder(url, RUN) as folder:
        table = pa.table({"a": list(range(100_000))})
        files = dict([folder.write("a.parquet", lambda out: pq.write_table(table, out))])
        folder.commit({}, files)
    [name] = files
    path = f"{url.partition('?')[0]}/{name}"
    assert pq.ParquetFile(Folder.open(url, RUN).file(name)).read().equals(table)
    content = s3.files.cat(path)
    for damaged in (content[:4] + b"?" + content[5:], content[:-1], content + b"?", b""):
        s3.files.pipe(path, damaged)
        there = Folder.open(url, RUN)
        for attempt in (there.check, lambda name: pq.ParquetFile(there.file(name)).read()):  # noqa: B023
            if damaged != content + b"?" or attempt == there.check:  # what comes after the end is never read
                assert said(lambda: attempt(name)).endswith(f"is damaged: {name} is not what was written")  # noqa: B023
    s3.files.rm(path)
    assert said(lambda: Folder.open(url, RUN).read(name)).endswith(f"is damaged: {name} is missing")


def test_nothing_of_others_is_touched_there(s3: Any, url: str) -> None:
    path = f"{url.partition('?')[0]}/notes.txt"
    s3.files.pipe(path, b"mine")
    assert "holds 'notes.txt', which no run directory has" in said(lambda: replacing_folder(url, RUN).__enter__())
    assert listed(s3, url) == {"notes.txt"}


def resumed(place: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The line in which the command refuses a place."""
    assert main(["check", place]) == 2
    refusal = capsys.readouterr().err
    assert refusal.count("\n") == 1
    return refusal


def test_places_that_are_none_are_refused_in_one_line(
    s3: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "adlfs", None)  # as if it were not installed
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for place, words in {
        f"s3://nowhere/x?endpoint_override={s3.address}&scheme=http": "The specified bucket does not exist",
        "s3://lake/x?endpoint_override=127.0.0.1:1&scheme=http": "Could not connect to the endpoint URL",
        "ftp://host/x": "it takes a path, or a URL of s3, s3a, gs, gcs, abfs, abfss, az or hdfs",
        "s3://key:secret@lake/x": "'s3://lake/x' is not accepted with credentials in it",
        "s3://lake/x?color=red": "'color' of a URL is not accepted; it takes endpoint_override, scheme or region",
        "s3a://lake/x?color=red": "'color' of a URL is not accepted; it takes endpoint_override, scheme or region",
        "hdfs://lake/x?color=red": "the option 'color' of a URL is not accepted; hdfs takes none",
        "abfs://lake/x": "needs adlfs, which is not installed: pip install 'lakehouse-workbench[azure]'",
    }.items():
        refusal = resumed(place, capsys)
        assert words in refusal
        assert "secret" not in refusal


def test_who_may_not_write_there_is_told(s3: Any, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    def after(requests: int) -> None:
        """Let the server ask for permissions after so many requests."""
        at, kind = f"http://{s3.address}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        urllib.request.urlopen(urllib.request.Request(at, str(requests).encode(), kind, method="POST")).close()

    after(0)
    try:
        assert "The AWS Access Key Id you provided does not exist in our records" in resumed(url, capsys)
    finally:
        after(1 << 30)


# Searches and datasets -----------------------------------------------------------------------------------------------


class Steps(Model):
    """So few levels that a search on Spark does not take long; of each level some values are new."""

    Most = Constant(2, range(1, 9), "how far each goes")

    at = Variable((0, 0))

    @action
    def first(self, s):
        require(s.at[0] < self.Most, "at the end")
        s.at = (s.at[0] + 1, s.at[1])

    @action
    def second(self, s):
        require(s.at[1] < self.Most, "at the end")
        s.at = (s.at[0], s.at[1] + 1)

    @invariant
    def NotBoth(self, s):
        return s.at != (self.Most, self.Most)


def summary(result: Any) -> Any:
    verdicts = [(v.name, v.holds, v.trace_states) for v in result.verdicts]
    return result.levels, result.generated, verdicts, [(a.name, a.enabled, a.generated) for a in result.actions]


@pytest.mark.slow
def test_a_search_is_kept_there_gone_on_with_and_saved(s3: Any, url: str, spark: Any) -> None:
    part = check(Steps(), engine=Spark(session=spark, run_dir=url), budget=Budget(states=4))
    assert not part.complete
    committed = Folder.open(url, RUN).files.keys()
    assert unnamed(s3, url), "the level that went beyond the budget"
    assert summary(resume(url, Steps, spark=spark)) == summary(check(Steps(), engine="local"))
    assert not unnamed(s3, url)
    assert committed < Folder.open(url, RUN).files.keys(), "completed levels are not written again"
    data, here = url.replace("/x", "/data-"), url.replace("/x", "/here-")
    assert save_run(url, data, Steps, spark) == data
    counts = "SELECT (SELECT count(*) FROM states), (SELECT count(*) FROM transitions)"
    assert [tuple(row) for row in load(data, spark).sql(counts).collect()] == [(9, 12)]
    save(explore(Steps()), here)
    nearest = "SELECT level, min(distance_NotBoth), any_value(at) FROM states GROUP BY level ORDER BY level LIMIT 1"
    assert [tuple(row) for row in load(here, spark).sql(nearest).collect()] == [(1, 4, [0, 0])]
    name = min(name for name in Folder.open(url, RUN).files if name.endswith(".parquet"))
    s3.files.pipe(f"{url.partition('?')[0]}/{name}", b"?")
    assert f"is damaged: {name} is not what was written" in said(lambda: save_run(url, data, Steps, spark))
    assert load(data, spark).run["distinct"] == 9
