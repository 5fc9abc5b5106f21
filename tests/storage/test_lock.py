"""One writer at a time; the second one is told who has it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from workbench.kernel import InputError
from workbench.storage.lock import LOCK, LOCK_FILES, writer_lock

HOLD = (
    "import sys, time; from workbench.storage.lock import writer_lock\n"
    "with writer_lock(sys.argv[1], 'run directory'): print('here', flush=True); time.sleep(60)"
)


def test_the_second_process_is_told_who_writes(tmp_path: Path) -> None:
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    assert first.stdout is not None
    assert first.stdout.readline() == b"here\n"
    with pytest.raises(InputError) as error, writer_lock(tmp_path, "run directory"):
        pass
    said = str(error.value)
    assert said.startswith(
        f"run directory '{tmp_path}' is in use: process {first.pid} on {socket.gethostname()}, since 2"
    )
    first.send_signal(signal.SIGKILL)
    first.wait(300)
    with writer_lock(tmp_path, "run directory"):  # the lock ended with its process
        assert {path.name for path in tmp_path.iterdir()} == LOCK_FILES
    assert {path.name for path in tmp_path.iterdir()} == {LOCK}


def test_within_a_process_there_is_one_writer_too(tmp_path: Path) -> None:
    with writer_lock(tmp_path, "dataset"):
        for attempt in range(2):
            with pytest.raises(InputError, match=f"in use: process {os.getpid()} "), writer_lock(tmp_path, "dataset"):
                pass
            assert attempt < 2
        raised: list[str] = []

        def other() -> None:
            try:
                with writer_lock(tmp_path, "dataset"):
                    raised.append("nothing")
            except InputError as error:
                raised.append(str(error))

        thread = threading.Thread(target=other)
        thread.start()
        thread.join(300)
        assert "in use" in raised[0]
    with writer_lock(tmp_path, "dataset"):
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", ["", "[]", '{"process": 1}', "[" * 10**5, '{"process": "\\u001b[2J", "host": 1, "since": 2}']
)
def test_who_writes_may_be_unreadable(tmp_path: Path, said: str) -> None:
    with writer_lock(tmp_path, "dataset"):
        (tmp_path / ".writer.json").write_text(said)
        with pytest.raises(InputError) as error, writer_lock(tmp_path, "dataset"):
            pass
    assert str(error.value).isprintable()


def test_a_folder_is_made_also_where_a_link_leads(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a")
    with writer_lock(tmp_path / "link" / "b", "dataset"):
        assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_that_cannot_be_locked_is_said_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "folder" / ".writer.lock").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("folder", "file", "file/below", "circle", "a\0b"):
        with (
            pytest.raises(InputError, match=r"^dataset '.*' cannot be written: "),
            writer_lock(tmp_path / name, "dataset"),
        ):
            pass
