"""A file is written whole or not at all, and nothing is destroyed by the way."""

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.kernel import InputError
from workbench.kernel.meaning.text import printable
from workbench.storage.atomic_files import STDOUT, check_outputs, make_folder, writing, writing_bytes
from workbench.storage.store import LocalStore


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_there_when_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with writing(target) as out:
        out.write("one\ntwö\n")
        assert not target.exists()
    assert target.read_bytes() == "one\ntwö\n".encode()
    with writing_bytes(target) as out:
        out.write(b"\x00new")
        assert target.read_bytes() == "one\ntwö\n".encode()
    assert target.read_bytes() == b"\x00new"
    assert names(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(143), ValueError("a bug"), InputError("no")])
def test_whatever_stops_it_the_old_file_stays(tmp_path: Path, stop: BaseException) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")

    def stopped() -> None:
        with writing(target) as out:
            out.write("new")
            raise stop

    with pytest.raises(type(stop)):
        stopped()
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_a_full_disk_is_said_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = tmp_path / "out.txt"
    target.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    no_space = pytest.raises(InputError, match=r"^'.*out.txt' cannot be written: No space left on device$")
    with no_space, writing(target) as out:
        out.write("new")
    assert target.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_what_a_store_has_no_room_for_is_named(tmp_path: Path) -> None:
    """The limit of a file's size is the one full disk that a test can make."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match=r"File too large: '.*/run/one'$"):
            LocalStore(tmp_path / "run").put_new("one", b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert names(tmp_path / "run") == []


def test_trouble_with_another_file_is_not_taken_for_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), writing(tmp_path / "out.txt"):
        (tmp_path / "input.txt").read_text()


def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.txt", tmp_path / "link.txt"
    link.symlink_to(real)  # which is not there yet
    with writing(link) as out:
        out.write("1")
    real.chmod(0o640)
    with writing(link) as out:
        out.write("2")
    assert link.is_symlink()
    assert real.read_text() == "2"
    assert real.stat().st_mode & 0o777 == 0o640
    assert names(real.parent) == ["real.txt"]


def test_devices_and_pipes_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    with writing("/dev/null") as out:
        out.write("gone")
    assert not Path("/dev/null").is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    with writing(pipe) as out:
        out.write("through")
    assert reader.communicate(timeout=300)[0] == "through"
    assert names(tmp_path) == ["pipe"]


@pytest.mark.parametrize("name", ["folder", "missing/out.txt", "circle", "folder/file/out.txt", "a\0b"])
def test_what_cannot_be_written_is_said_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    for attempt in (lambda path: writing(path).__enter__(), lambda path: check_outputs([], {"--itf": path})):
        with pytest.raises(InputError) as error:
            attempt(str(tmp_path / name))
        assert "cannot be written: " in str(error.value)
        assert "\n" not in str(error.value)


def test_long_names_are_written_too(tmp_path: Path) -> None:
    name = "ä" * 127
    with writing(tmp_path / name) as out:
        out.write("1")
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_writer_leaves_the_old_file(tmp_path: Path, kill: signal.Signals) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    script = (
        "import sys, time; from workbench.storage.atomic_files import writing\n"
        "with writing(sys.argv[1]) as out:\n"
        "    out.write('new' * 100_000); out.flush(); print('here', flush=True); time.sleep(60)"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", script, str(target)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == b"here\n"
    time.sleep(0.05)
    writer.send_signal(kill)
    writer.wait(300)
    assert target.read_text() == "old"


def test_folders_are_made_with_those_that_they_are_in(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b" / "c")
    make_folder(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()


# Outputs -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.toml").write_text("1")
    (tmp_path / "hard.toml").hardlink_to(tmp_path / "in.toml")
    (tmp_path / "soft.toml").symlink_to("in.toml")
    (tmp_path / "run").mkdir()
    return tmp_path


SPELLINGS: list[Callable[[Path], str]] = [
    lambda here: "in.toml",
    lambda here: "./run/../in.toml",
    lambda here: str(here / "in.toml"),
    lambda here: "hard.toml",
    lambda here: "soft.toml",
]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_output_that_is_an_input_is_refused(here: Path, spelling: Callable[[Path], str]) -> None:
    with pytest.raises(InputError, match=r"^-o: '.*' would destroy the input 'in.toml'; give another file$"):
        check_outputs(["s3://lake/table", "in.toml"], {"-o": spelling(here)})
    assert (here / "in.toml").read_text() == "1"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_two_outputs_that_are_one_file_are_refused(here: Path, spelling: Callable[[Path], str]) -> None:
    with pytest.raises(InputError, match=r"^--itf and --junit both write to '.*'; give one of them another file$"):
        check_outputs([], {"--itf": "in.toml", "--junit": spelling(here)})


def test_two_outputs_that_will_be_one_file_are_refused(here: Path) -> None:
    with pytest.raises(InputError, match="--itf and --junit both write"):
        check_outputs([], {"--itf": "new.json", "--junit": "run/../new.json"})
    with pytest.raises(InputError, match="--json and --itf both write to standard output"):
        check_outputs([], {"--json": STDOUT, "--itf": STDOUT})


def test_an_output_inside_an_input_folder_is_refused(here: Path) -> None:
    with pytest.raises(InputError, match="would destroy the input 'run'"):
        check_outputs(["run"], {"-o": "run/manifest.json"})


def test_other_outputs_are_accepted(here: Path) -> None:
    outputs = {"--itf": "a.json", "--junit": "hard.xml", "--json": STDOUT, "-o": "/dev/null", "--dot": "/dev/null"}
    check_outputs(["in.toml", "run", "s3://lake/run", STDOUT], outputs)
    assert not (here / "a.json").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_may_not_be_written_is_refused(here: Path) -> None:
    (here / "run").chmod(0o500)
    (here / "in.toml").chmod(0o400)
    for path in ("run/out", "in.toml"):
        with pytest.raises(InputError, match="permission denied"):
            check_outputs([], {"-o": path})


# Text ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["\0", "\x1b[31m", "\x7f", "\x9b", "\u202e", "\u2028", "\u2066", "\n", "\r", "\ud800"])
def test_nothing_that_a_terminal_obeys_is_printed(bad: str) -> None:
    shown = printable(f"état {bad} ✓")
    assert shown.isprintable()
    assert shown.startswith("état \\")
    assert shown.endswith(" ✓")
