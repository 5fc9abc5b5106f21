"""A folder is what its manifest says: at every moment, after every crash, and whatever happens to its files."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.places import ROOT
from workbench.kernel import InputError
from workbench.storage.folder import Folder, changing_folder, new_folder, replacing_folder
from workbench.storage.lock import LOCK_FILES
from workbench.storage.sealed import read_sealed, write_sealed
from workbench.storage.sums import FileSum
from workbench.storage.versions import MANIFEST, FolderKind, Overtaken, is_version

Corrupt = Callable[[Path, st.DataObject], None]

DATASET = FolderKind("dataset", 3)
RUN = FolderKind("run directory", 3)


def put(folder: Folder, name: str, content: bytes) -> tuple[str, FileSum]:
    return folder.write(name, lambda out: out.write(content))


def save(path: Path, content: str, parts: int = 2) -> Folder:
    """A folder as `workbench export` would write it."""
    with replacing_folder(path, DATASET) as folder:
        files = dict(put(folder, f"states/part-{i}.parquet", f"{content} {i}".encode()) for i in range(parts))
        folder.commit({"says": content}, files)
    return folder


def load(path: Path) -> tuple[Any, list[bytes]]:
    """What the folder holds, as `workbench.load` would read it."""
    folder = Folder.open(path, DATASET)
    if folder.content is None:
        raise InputError(f"{folder} is empty")
    return folder.content, [folder.read(name) for name in folder.files]


def names(path: Path) -> set[str]:
    """All files but those of locks, and the versions of the manifest, which stay."""
    found = {file.relative_to(path).as_posix() for file in path.rglob("*") if not file.is_dir()}
    return {name for name in found - LOCK_FILES if not is_version(name)}


def last_version(path: Path) -> Path:
    return max((path / MANIFEST).iterdir())


def said(attempt: Callable[[], object]) -> str:
    with pytest.raises(InputError) as error:
        attempt()
    assert "\n" not in str(error.value)
    return str(error.value)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "dataset"
    save(path, "one")
    assert load(path) == ({"says": "one"}, [b"one 0", b"one 1"])
    assert names(path) == {*Folder.open(path, DATASET).files}


def test_what_is_replaced_is_removed_after_the_new_is_there(tmp_path: Path) -> None:
    old = save(tmp_path / "d", "one")
    with replacing_folder(tmp_path / "d", DATASET) as folder:
        files = dict([put(folder, "states/part-0.parquet", b"two")])
        assert load(tmp_path / "d") == ({"says": "one"}, [b"one 0", b"one 1"])
        folder.commit({"says": "two"}, files)
        assert load(tmp_path / "d") == ({"says": "two"}, [b"two"])
    assert names(tmp_path / "d") == {*files}
    assert folder.mark == old.mark


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(143), OSError("a disk")])
def test_a_writer_that_is_stopped_changes_nothing(tmp_path: Path, stop: BaseException) -> None:
    save(tmp_path / "d", "one")

    def stopped() -> None:
        with replacing_folder(tmp_path / "d", DATASET) as folder:
            put(folder, "states/part-0.parquet", b"two")
            raise stop

    with pytest.raises(type(stop)):
        stopped()
    assert load(tmp_path / "d") == ({"says": "one"}, [b"one 0", b"one 1"])
    save(tmp_path / "d", "three", 1)
    assert len(names(tmp_path / "d")) == 1  # what was left over is gone


def test_a_link_to_a_folder_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    for content in ("one", "two"):
        save(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert load(tmp_path / "real")[0] == load(tmp_path / "link")[0] == {"says": content}


def test_nothing_of_others_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "d"
    path.mkdir()
    for name in ("notes.txt", "run.json", "states/part-0.parquet", ".hidden", "states/.x.0123456789abcdef.partial"):
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text("mine")
        assert f"holds '{name}', which no dataset has" in said(lambda: save(path, "one"))
        assert names(path) == {name}
        assert not LOCK_FILES & {file.name for file in path.iterdir()}
        (path / name).unlink()
    save(path, "one")
    (path / "notes.txt").write_text("mine")
    assert load(path)[0] == {"says": "one"}
    assert "holds 'notes.txt'" in said(lambda: save(path, "two"))
    assert load(path)[0] == {"says": "one"}
    (path / "notes.txt").unlink()
    (path / "elsewhere").symlink_to(tmp_path)
    assert "holds 'elsewhere'" in said(lambda: save(path, "two"))


def test_the_damaged_and_the_other_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file; a dataset takes a folder" in said(lambda: save(tmp_path / "file", "one"))
    assert "cannot be written" in said(lambda: save(tmp_path / "file" / "below", "one"))
    with new_folder(tmp_path / "run", RUN) as folder:
        folder.commit({}, {})
    assert "is not a dataset but a run directory" in said(lambda: save(tmp_path / "run", "one"))
    assert "is not a dataset but a run directory" in said(lambda: load(tmp_path / "run"))
    save(tmp_path / "d", "one")
    last_version(tmp_path / "d").write_text("{")
    before = names(tmp_path / "d")
    assert "is not JSON" in said(lambda: save(tmp_path / "d", "two"))
    assert names(tmp_path / "d") == before
    for circle in ("circle", "a\0b"):
        if circle == "circle":
            (tmp_path / circle).symlink_to(circle)
        assert said(lambda path=tmp_path / circle: save(path, "one"))  # type: ignore[misc]
        assert said(lambda path=tmp_path / circle: load(path))  # type: ignore[misc]


def test_formats_that_are_not_known_are_not_read(tmp_path: Path) -> None:
    save(tmp_path / "d", "one")
    assert "has format 3; format 4 is read" in said(lambda: Folder.open(tmp_path / "d", FolderKind("dataset", 4)))
    assert "it has no manifest" in said(lambda: load(tmp_path))
    assert "it has no manifest" in said(lambda: load(tmp_path / "missing"))


def test_a_new_folder_is_new(tmp_path: Path) -> None:
    with new_folder(tmp_path / "run", RUN) as folder:
        put(folder, "level-0/bucket.parquet", b"1")
    assert Folder.open(tmp_path / "run", RUN).content is None
    with new_folder(tmp_path / "run", RUN) as folder:  # there was nothing in it yet
        assert names(tmp_path / "run") == set()
        folder.commit({"level": 0}, dict([put(folder, "level-0/bucket.parquet", b"1")]))
    assert "already exists" in said(lambda: new_folder(tmp_path / "run", RUN).__enter__())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("")
    assert "holds 'x'" in said(lambda: new_folder(tmp_path / "other", RUN).__enter__())


def test_a_folder_is_gone_on_with(tmp_path: Path) -> None:
    with new_folder(tmp_path / "run", RUN) as folder:
        first = dict([put(folder, "level-0/bucket.parquet", b"1")])
        folder.commit({"level": 0}, first)
        put(folder, "level-1/bucket.parquet", b"in flight when it was killed")
    (tmp_path / "run" / "notes.txt").write_text("mine")
    reader = Folder.open(tmp_path / "run", RUN)
    assert len(names(tmp_path / "run")) == 3  # reading removes nothing
    with changing_folder(tmp_path / "run", RUN) as folder:
        assert names(tmp_path / "run") == {"notes.txt", *first}
        files = {**folder.files, **dict([put(folder, "level-1/bucket.parquet", b"2")])}
        folder.commit({"level": 1}, files)
        assert "in use" in said(lambda: changing_folder(tmp_path / "run", RUN).__enter__())
        assert Folder.open(tmp_path / "run", RUN).content == {"level": 1}
    assert reader.content == {"level": 0}
    assert [reader.read(name) for name in reader.files] == [b"1"]
    assert "is not a run directory" in said(lambda: changing_folder(tmp_path / "missing", RUN).__enter__())
    assert not (tmp_path / "missing").exists()


def test_a_file_is_asked_for_by_its_name(tmp_path: Path) -> None:
    folder = save(tmp_path / "d", "one")
    (tmp_path / "d" / "x").write_text("")
    for name in ("x", "../d/x", str(tmp_path / "d" / "x")):
        assert f"has no {name!r}"[:60] in said(lambda name=name: folder.file(name))  # type: ignore[misc]


@pytest.mark.parametrize("name", ["../out", "/etc/passwd", "states/../../x", "a//b", "./a", "a\nb", ".", ""])
def test_a_manifest_names_files_of_its_folder_only(tmp_path: Path, name: str) -> None:
    folder = save(tmp_path / "d", "one")
    version = read_sealed(last_version(tmp_path / "d"), "it")
    for bad in (
        name,
        f"{name}.{folder.mark}-0123456789abcdef.x" if name in ("../out", "a\nb", "/etc/passwd") else name,
    ):
        version["change"]["files"] = {bad: {"size": 1, "blocks": [""]}}
        write_sealed(last_version(tmp_path / "d"), version)
        assert "which is not a file of this folder" in said(lambda: load(tmp_path / "d"))


FORGED: list[Any] = [
    {"mark": "."},
    {"mark": "0123456789abcdef"},
    {"mark": 7},
    {"number": 7},
    {"previous": ""},
    {"change": {"anew": True, "content": None, "files": []}},
    {"change": {"anew": True, "content": None, "files": {"a": 1}}},
    {"change": {"anew": True, "content": None, "files": {"a": {"size": 1, "blocks": []}}}},
    {"more": 1},
    {"kind": []},
]


@pytest.mark.parametrize("change", FORGED)
def test_a_manifest_that_is_forged_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    save(tmp_path / "d", "one")
    last = last_version(tmp_path / "d")
    write_sealed(last, {**read_sealed(last, "it"), **change})
    assert str(tmp_path / "d") in said(lambda: load(tmp_path / "d"))
    assert said(lambda: save(tmp_path / "d", "two"))
    write_sealed(last, ["a list"])
    assert "takes an object" in said(lambda: load(tmp_path / "d"))


def test_a_version_that_is_missing_is_noticed(tmp_path: Path) -> None:
    save(tmp_path / "d", "one")
    (tmp_path / "d" / MANIFEST / "00000000.json").unlink()
    assert "is damaged: manifest/00000000.json is missing" in said(lambda: load(tmp_path / "d"))


def test_a_folder_of_an_older_format_is_refused(tmp_path: Path) -> None:
    """Up to the second format the manifest was one file, which was replaced."""
    (tmp_path / "d").mkdir()
    write_sealed(tmp_path / "d" / "manifest.json", {"kind": "dataset", "format": 2, "mark": "", "content": None})
    for attempt in (load, lambda path: save(path, "two")):
        assert said(lambda attempt=attempt: attempt(tmp_path / "d")).endswith("has format 2; format 3 is read")  # type: ignore[misc]
    assert names(tmp_path / "d") == {"manifest.json"}


def test_a_file_that_is_a_link_is_not_believed(tmp_path: Path) -> None:
    folder = save(tmp_path / "d", "one")
    name = next(iter(folder.files))
    (tmp_path / "d" / name).rename(tmp_path / "outside")
    (tmp_path / "d" / name).symlink_to(tmp_path / "outside")
    assert f"is damaged: {name} is a link" in said(lambda: load(tmp_path / "d"))


def test_where_files_have_one_name_only_the_lock_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*names: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")  # as Linux says it of such a file system

    monkeypatch.setattr(os, "link", refuse)
    for content in ("one", "two"):
        save(tmp_path / "d", content)
        assert load(tmp_path / "d") == ({"says": content}, [f"{content} 0".encode(), f"{content} 1".encode()])
    with changing_folder(tmp_path / "d", DATASET) as folder:
        version = {**read_sealed(last_version(tmp_path / "d"), "it"), "number": 5}
        write_sealed(tmp_path / "d" / MANIFEST / "00000005.json", version)
        with pytest.raises(Overtaken, match=r"has put version 5 of its manifest first"):
            folder.commit({}, {})


# Corruption ----------------------------------------------------------------------------------------------------------


def outcome(attempt: Callable[[], Any], path: Path) -> Any:
    """What comes of it; None for a refusal, which is one line that names the folder."""
    try:
        return attempt()
    except InputError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert str(path) in refusal
    return None


def check_corruption(folder: Path, corrupt: Corrupt, data: st.DataObject) -> None:
    path = folder / "d"
    shutil.rmtree(path, ignore_errors=True)
    save(path, "one", 3)
    corrupt(path, data)
    assert outcome(lambda: load(path), path) in (None, ({"says": "one"}, [b"one 0", b"one 1", b"one 2"]))
    foreign = {name: (path / name).read_bytes() for name in names(path) if "foreign" in name}
    if outcome(lambda: save(path, "two"), path) is not None:
        assert load(path) == ({"says": "two"}, [b"two 0", b"two 1"])
        assert names(path) == {*Folder.open(path, DATASET).files}
    assert foreign == {name: (path / name).read_bytes() for name in foreign}


@pytest.mark.slow
@pytest.mark.parametrize("examples", [50, pytest.param(400, marks=pytest.mark.slow)])
def test_a_corrupt_folder_is_exact_or_refused(
    tmp_path_factory: pytest.TempPathFactory, corrupt: Corrupt, examples: int
) -> None:
    @settings(max_examples=examples)
    @given(data=st.data())
    def attempt(data: st.DataObject) -> None:
        check_corruption(tmp_path_factory.mktemp("corrupt"), corrupt, data)

    attempt()


# Crashes -------------------------------------------------------------------------------------------------------------


class Crash(BaseException):
    """The process is gone: nothing of it runs any more."""


CALLS = ("fsync", "replace", "rename", "link", "unlink", "mkdir", "open")


def crash_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Let the process die at its `step`-th call that changes or opens a file; returns whether it has died."""
    count = 0

    def counted(call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count >= step:  # also of what would run in `finally`
                raise Crash
            return call(*arguments, **options)

        return run

    for name in CALLS:
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return lambda: count >= step


@pytest.mark.slow
def test_a_crash_at_any_step_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "d"
    step, died = 0, True
    while died:
        step += 1
        shutil.rmtree(path, ignore_errors=True)
        save(path, "one")
        with pytest.MonkeyPatch.context() as patch:
            dead = crash_at(step, patch)
            with suppress(Crash):
                save(path, "two", 3)
            died = dead()
        says, files = load(path)
        assert (says, len(files)) in [({"says": "one"}, 2), ({"says": "two"}, 3)]
        save(path, "three", 1)
        assert load(path) == ({"says": "three"}, [b"three 0"])
        assert len(names(path)) == 1, "nothing is left over"
    assert step > 20


@pytest.mark.slow
def test_a_crash_at_any_step_leaves_a_new_folder_to_be_made_again(tmp_path: Path) -> None:
    path = tmp_path / "d"
    step, died = 0, True
    while died:
        step += 1
        shutil.rmtree(path, ignore_errors=True)
        with pytest.MonkeyPatch.context() as patch:
            dead = crash_at(step, patch)
            with suppress(Crash):
                save(path, "one")
            died = dead()
        save(path, "two", 1)
        assert load(path) == ({"says": "two"}, [b"two 0"])
        assert len(names(path)) == 1
    assert step > 20


WRITER = """
import sys
from pathlib import Path
from tests.storage.test_folder import save
path, number = Path(sys.argv[1]), 0
while True:
    save(path, str(number), 3)
    print(number, flush=True)
    number += 1
"""


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_what_was_complete(tmp_path: Path) -> None:
    for attempt in range(8):  # test_a_crash_at_any_step_loses_nothing has every step
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "d")],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(attempt * 0.02)
        writer.send_signal(signal.SIGKILL)
        numbers = [0, *map(int, writer.stdout.read().split())]
        says, files = load(tmp_path / "d")
        assert int(says["says"]) in (numbers[-1], numbers[-1] + 1)
        assert files == [f"{says['says']} {i}".encode() for i in range(3)]
    save(tmp_path / "d", "last", 1)
    assert len(names(tmp_path / "d")) == 1


@pytest.mark.slow
def test_two_processes_write_one_after_the_other(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "d")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    try:
        writer.stdout.readline()
        for _ in range(20):
            try:
                save(tmp_path / "d", "mine", 1)
            except InputError as error:
                refusal = str(error)
                assert "is in use: " in refusal
            assert set(Folder.open(tmp_path / "d", DATASET).content) == {"says"}
    finally:
        writer.kill()
        writer.wait()
    save(tmp_path / "d", "last", 1)
    assert len(names(tmp_path / "d")) == 1
